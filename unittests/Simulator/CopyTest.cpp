//===- CopyTest.cpp - copies by schedule, random ones, simulated ----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random schedules (unittests/Domain/ScheduleGenerator.h, and convolutions,
// ConvolutionGenerator.h) as kernels of one titan.copy_async in loops over all
// indices, run by the simulator and held to the schedule's definition: which
// element of the tensor each place of the tile holds, computed point by point.
// Around the copy the kernel has tensor copies of plain maps only: before a
// load the tile is filled with a canary, after it the tile goes out to an array
// of tiles; a store's tile comes from one.
//
// Case n is made from seed + n alone: TITAN_SEED=<its seed> TITAN_CASES=1 runs
// it again.
//
//===----------------------------------------------------------------------===//
#include "../Domain/ConvolutionGenerator.h"
#include "../Domain/DomainModel.h"
#include "../Domain/ScheduleGenerator.h"
#include "../Domain/ScheduleModel.h"
#include "Harness.h"

#include "titan/Analysis/Checker.h"
#include "titan/Domain/TmaScheduleText.h"
#include "titan/Transforms/Passes.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace titan;
using namespace titan::test;

namespace {

std::string number(int64_t n) { return std::to_string(n); }

constexpr uint32_t canary = 0xCDCDCDCD, garbage = 0xABABABAB;

/// A schedule as a kernel, and what it should do.
struct Case {
  ScheduleGenerator gen;
  ScheduleModel model;
  bool load, add = false, dynamic;
  int64_t elements = 1, tiles = 1, inner;
  std::vector<uint32_t> tensor, list; // The list: an array of tiles.

  bool exact = true; ///< Strong copies are refused exactly where they mix.

  static ScheduleGenerator generate(uint64_t seed) {
    ScheduleGenerator gen(seed);
    gen.make();
    return inTheIR(std::move(gen));
  }
  static ScheduleGenerator generate(uint64_t seed, const Convolution &c) {
    ScheduleGenerator gen(seed);
    gen.s = c.s;
    gen.tile = c.tile;
    return inTheIR(std::move(gen));
  }
  static ScheduleGenerator inTheIR(ScheduleGenerator gen) {
    TmaSchedule &s = gen.s;
    s.shared.clear(); // Rings of tiles are slots in the IR.
    // Under a swizzle rows fill the span.
    bool wide = s.graph[gen.tile.back()].extent.is(8);
    s.swizzle = findTmaSwizzle(s.swizzle->span && wide ? "32B" : "none");
    return gen;
  }

  explicit Case(ScheduleGenerator generated)
      : gen(std::move(generated)), model(gen.s, gen.tile),
        load(gen.s.direction == TmaDirection::Load), dynamic(gen.chance(3)) {
    add = !load && gen.chance(2);
    for (DomainId id : gen.tile)
      elements *= model.extent[id];
    for (DomainId id : model.loops)
      tiles *= model.extent[id];
    inner = model.extent[gen.tile.back()];
  }

  std::string kernel() const {
    const TmaSchedule &s = gen.s;
    std::string sizes, strides;
    for (const TmaGlobalDim &d : s.global) {
      sizes += (dynamic ? "?" : number(model.extent[d.domain])) + "x";
      strides += (strides.empty() ? "" : ", ") +
                 (dynamic && &d != &s.global.back()
                      ? "?"
                      : number(*d.stride.constant() / 4));
    }
    std::string swizzle = s.swizzle->span ? ", swizzle = 32" : "";
    std::string rows = number(elements / inner) + "x" + number(inner) + "xi32";
    std::string text = "!tensor = !titan.global<" + sizes + "i32, strides = [" +
                       strides + "]>\n!list = !titan.global<?x" +
                       number(inner) + "xi32>\n!map = !titan.tensor_map<" +
                       rows + swizzle + ">\n!tile = !titan.shared<" + rows +
                       swizzle + ">\n#s = #titan.schedule<" +
                       *writeSchedule(s) + ">\n";
    text += R"(
titan.kernel @k(%X: !tensor, %L: !list, %C: !list) warps(1) launch {
  %one = arith.constant 1 : index
  %mapL = titan.tensor_map %L : !list -> !map
  %mapC = titan.tensor_map %C : !list -> !map
  titan.launch grid(%one) with(%mapL, %mapC : !map, !map)
} body(%mapL: !map, %mapC: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant )" +
            number(elements * 4) + R"( : i32
  %rows = arith.constant )" +
            number(elements / inner) + R"( : index
  %tile = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
)";
    std::string at, closing;
    std::string count = "%c0";
    for (DomainId id : model.loops) {
      std::string name = gen.s.graph[id].name, n = number(id);
      text += "%n" + n + " = arith.constant " + number(model.extent[id]) +
              " : index\nscf.for %x" + n + " = %c0 to %n" + n +
              " step %c1 {\n%a" + n + " = arith.muli " + count + ", %n" + n +
              " : index\n%b" + n + " = arith.addi %a" + n + ", %x" + n +
              " : index\n";
      count = "%b" + n;
      at += (at.empty() ? "at(" : ", ") + name + " = %x" + n;
      closing += "}\n";
    }
    at += at.empty() ? "" : ")";
    text += "%row = arith.muli " + count + ", %rows : index\n";
    // Two phases a tile where it is a load, one where it is a store.
    std::string parity = "%i0";
    if (!load) {
      text += "%p = arith.remui " + count +
              ", %c2 : index\n%q = arith.index_cast %p : index to i32\n";
      parity = "%q";
    }
    text += "titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier\n"
            "titan.tma.load " +
            std::string(load ? "%mapC[%c0, %c0]" : "%mapL[%row, %c0]") +
            ", %tile, %full : !map, !tile, !titan.mbarrier\n"
            "titan.mbarrier.wait %full parity(" +
            parity + ") : !titan.mbarrier\n";
    if (load)
      text += "titan.copy_async %X " + at +
              " to %tile signals %full schedule(#s) " +
              (s.wanted == Correctness::Strong ? "strong" : "weak") +
              " : !tensor, !tile, !titan.mbarrier\n"
              "titan.mbarrier.arrive %full : !titan.mbarrier\n"
              "titan.mbarrier.wait %full parity(%i1) : !titan.mbarrier\n"
              "titan.tma.store %tile, %mapL[%row, %c0] : !tile, !map\n";
    else
      text += "titan.copy_async %tile to %X " + at + " schedule(#s)" +
              (add ? " reduce(add)" : "") + " : !tile, !tensor\n";
    text += "%g = titan.bulk.commit : !titan.token<bulk>\n"
            "titan.bulk.wait %g : !titan.token<bulk>\n";
    return text + closing + "}\ntitan.return\n}\n";
  }

  uint32_t valueAt(int64_t offset) const {
    return 0x1000000 + static_cast<uint32_t>(offset);
  }

  /// The tensor's elements tell where they are.
  void prepare() {
    tensor.assign(model.bytes / 4 + 64, canary);
    std::vector<DomainId> roots;
    for (const TmaGlobalDim &d : gen.s.global)
      roots.push_back(d.domain);
    do
      tensor[model.offset() / 4] = valueAt(model.offset());
    while (model.step(roots));
    std::fill(model.at.begin(), model.at.end(), 0);
    list.assign(tiles * elements, canary);
  }

  /// Calls f(place in the list) at every point, the model's indices set.
  template <typename F> void forEachPoint(F &&f) {
    int64_t place = 0;
    std::fill(model.at.begin(), model.at.end(), 0);
    do {
      do {
        model.follow();
        f(place++);
      } while (model.step(model.tile));
    } while (model.step(model.loops));
  }
};

class Copies : public ::testing::Test {
protected:
  Copies() {
    context.loadDialect<TitanDialect, arith::ArithDialect, scf::SCFDialect>();
    context.disableMultithreading();
  }

  /// Parses and expands; else the first error.
  OwningOpRef<ModuleOp> expand(const std::string &text, std::string &error) {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (error.empty())
        error = diagnostic.str();
      return success();
    });
    auto module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return {};
    PassManager passes(&context);
    buildExpandPasses(passes);
    if (failed(passes.run(*module)))
      return {};
    return module;
  }

  void run(llvm::function_ref<std::unique_ptr<Case>(uint64_t)> make);

  MLIRContext context;
  // Of a run.
  uint64_t cases = 0;
  int64_t ran = 0, strong = 0, stores = 0, im2col = 0, holes = 0, checked = 0,
          undecided = 0;
};

/// Runs the cases that `make` gives for seeds, where there are any.
void Copies::run(llvm::function_ref<std::unique_ptr<Case>(uint64_t)> make) {
  uint64_t first = fromEnvironment("TITAN_SEED", 31000);
  cases = fromEnvironment("TITAN_CASES", fullTest() ? 30000 : 800);
  std::printf("copies: seeds %llu to %llu\n", (unsigned long long)first,
              (unsigned long long)(first + cases - 1));
  std::map<std::string, int64_t> refused;
  for (uint64_t seed = first; seed < first + cases; ++seed) {
    std::unique_ptr<Case> made = make(seed);
    if (!made)
      continue;
    Case &c = *made;
    if (c.elements > 1024 || c.elements / c.inner > 256 ||
        c.tiles * c.elements > 3000 || c.elements % 4 != 0)
      continue;
    std::string text = c.kernel(), error;
    SCOPED_TRACE("seed " + number(seed) + "\n" + text);
    auto module = expand(text, error);
    bool strict = !c.load || c.gen.s.wanted == Correctness::Strong;
    if (!module) {
      size_t from = error.find('['), to = error.find(']');
      ASSERT_NE(from, std::string::npos) << error;
      std::string code = error.substr(from + 1, to - from - 1);
      ++refused[code];
      // With sizes of the launch: extents of tiles that only it knows.
      if (c.dynamic && (code == "tma-schedule" || code == "domain-invalid" ||
                        code == "tma-rank" || code == "undecided"))
        continue;
      if (code == "tma-strong")
        ASSERT_TRUE(strict && !(c.exact && c.model.achievable())) << error;
      else if (code == "tma-store-negative")
        ASSERT_TRUE(!c.load && c.model.startsBefore()) << error;
      else if (code == "tma-element-stride")
        ASSERT_TRUE(c.gen.strided || c.gen.mayNotRotate) << error;
      else if (code == "tma-schedule" || code == "tma-rank")
        ASSERT_TRUE(c.gen.mayNotRotate) << error;
      else
        FAIL() << error;
      continue;
    }
    KernelOp kernel = module->lookupSymbol<KernelOp>("k");
    c.prepare();
    std::vector<uint32_t> want = c.tensor;
    if (!c.load)
      c.forEachPoint([&](int64_t place) {
        if (c.model.hole()) {
          c.list[place] = garbage;
          return;
        }
        int64_t offset = c.model.offset();
        c.list[place] = 0x2000000 + static_cast<uint32_t>(offset);
        want[offset / 4] = c.list[place] + (c.add ? want[offset / 4] : 0);
      });
    std::vector<uint32_t> blank(c.elements, canary);
    // Aligned as cudaMalloc aligns.
    auto aligned = [](std::vector<uint32_t> &storage,
                      const std::vector<uint32_t> &values) {
      storage.assign(values.size() + 128, canary);
      auto *data = reinterpret_cast<std::byte *>(storage.data());
      data += (256 - reinterpret_cast<uintptr_t>(data) % 256) % 256;
      std::memcpy(data, values.data(), values.size() * 4);
      return data;
    };
    std::vector<uint32_t> storage[3];
    SimulatorArgument arguments[3];
    std::vector<uint32_t> *all[] = {&c.tensor, &c.list, &blank};
    for (auto [k, values] : llvm::enumerate(all)) {
      arguments[k].data = aligned(storage[k], *values);
      arguments[k].bytes = values->size() * 4;
      arguments[k].shape = {int64_t(values->size()) / c.inner, c.inner};
      arguments[k].strides = {c.inner, 1};
    }
    arguments[0].shape.clear(), arguments[0].strides.clear();
    for (const TmaGlobalDim &d : c.gen.s.global) {
      arguments[0].shape.push_back(c.model.extent[d.domain]);
      arguments[0].strides.push_back(*d.stride.constant() / 4);
    }
    SimulatorOptions options;
    options.schedule = {seed % 2 ? Schedule::Random : Schedule::Lazy, seed};
    SimulatorReport report = simulate(kernel, arguments, options);
    // What a verifier says of numbers the launch says of sizes.
    if (std::vector<std::string> codes = codesOf(report);
        c.dynamic && strict && codes.size() == 1 &&
        (codes[0] == "tma-strong" || codes[0] == "tma-store-negative" ||
         codes[0] == "undecided")) {
      ++refused[codes[0] + " at launch"];
      if (codes[0] == "tma-strong")
        ASSERT_FALSE(c.exact && c.model.achievable());
      else if (codes[0] == "undecided")
        ASSERT_TRUE(c.gen.cutsLoops);
      else
        ASSERT_TRUE(!c.load && c.model.startsBefore());
      continue;
    }
    // Tiles of an extent that only the launch knows to divide.
    if (c.dynamic && c.gen.mayNotRotate &&
        codesOf(report) == std::vector<std::string>{"tma-schedule"}) {
      ++refused["tma-schedule at launch"];
      continue;
    }
    ASSERT_TRUE(report.good()) << describe(report) << print(kernel);
    ++ran;
    bool offsets = false;
    kernel.walk([&](TmaLoadOp load) { offsets |= !load.getOffsets().empty(); });
    im2col += offsets;
    strong += strict && c.load;
    stores += !c.load;
    auto *list = reinterpret_cast<uint32_t *>(arguments[1].data);
    auto *tensor = reinterpret_cast<uint32_t *>(arguments[0].data);
    if (c.load)
      c.forEachPoint([&](int64_t place) {
        bool hole = c.model.hole();
        holes += hole;
        if (!hole)
          EXPECT_EQ(list[place], c.valueAt(c.model.offset())) << place;
        else if (strict || c.model.padding())
          EXPECT_EQ(list[place], 0u) << "a hole, " << place;
      });
    for (size_t k = 0; k < want.size(); ++k) // Padding may be written.
      if (want[k] != canary || c.load)
        EXPECT_EQ(tensor[k], want[k]) << "word " << k << " of the tensor";
    if (::testing::Test::HasFailure())
      FAIL() << print(kernel);
    if (seed % 8 == 0) {
      ++checked;
      CheckReport verdict = check(kernel, {});
      for (const Finding &finding : verdict.findings) {
        // A branch that nobody reaches, or that no launch was found for.
        if (finding.code == Code::Undecided) {
          ++undecided;
          continue;
        }
        ASSERT_LT(finding.severity, Severity::Error)
            << finding.message << print(kernel);
      }
    }
  }
  for (auto &[code, n] : refused)
    std::printf("  %lld refused: %s\n", (long long)n, code.c_str());
  std::printf("  %lld ran, %lld of them strong, %lld stores, %lld im2col, %lld "
              "holes; %lld checked, %lld undecided\n",
              (long long)ran, (long long)strong, (long long)stores,
              (long long)im2col, (long long)holes, (long long)checked,
              (long long)undecided);
}

TEST_F(Copies, RandomSchedules) {
  run([](uint64_t seed) {
    return std::make_unique<Case>(Case::generate(seed));
  });
  if (cases >= 800) {
    EXPECT_GT(strong, 40);
    EXPECT_GT(stores, 20);
    EXPECT_GT(holes, 400);
    EXPECT_GT(checked, 8);
    EXPECT_LT(undecided, checked / 2);
  }
}

TEST_F(Copies, RandomConvolutions) {
  run([](uint64_t seed) -> std::unique_ptr<Case> {
    auto convolution = Convolution::random(seed);
    if (!convolution)
      return nullptr;
    auto c = std::make_unique<Case>(Case::generate(seed, *convolution));
    // ConvolutionGenerator.h, Im2colScheduleTest.cpp; of sizes of the launch
    // padding wider than all windows asks for too much.
    c->exact = convolution->reachesEverySide() && !c->dynamic &&
               !(convolution->pixels && convolution->pads());
    return c;
  });
  if (cases >= 800) {
    EXPECT_GT(im2col, 120);
    EXPECT_GT(strong, 40);
    EXPECT_GT(holes, 400);
    EXPECT_GT(checked, 8);
  }
}

} // namespace
