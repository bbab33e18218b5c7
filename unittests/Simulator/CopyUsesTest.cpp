//===- CopyUsesTest.cpp - which correctness random programs get -----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random programs between copies and a reduction, run by the simulator. The
// copies are those of groups of three tiles, two a step: the second step's
// second tile is one hole, full of the next group's data; the last columns and
// a row lie outside of the tensor. What a program means is computed place by
// place, with holes that hold nothing: no sum has them, and an operation of
// nothing is nothing. A program that is accepted without `weak` computes that.
//
// Case n is made from seed + n alone: TITAN_SEED=<its seed> TITAN_CASES=1 runs
// it again.
//
//===----------------------------------------------------------------------===//
#include "../Domain/DomainModel.h"
#include "Harness.h"

#include "titan/Transforms/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <random>

using namespace mlir;
using namespace titan;
using namespace titan::test;

namespace {

constexpr int width = 64, rows = 2, places = rows * width;
constexpr int64_t columns = 330, groups = 2; // Of 3 * 64, the last cut off.

/// A tile as it is meant; `tile`: made of what was copied.
struct Meaning {
  std::array<std::optional<float>, places> at;
  bool tile = false;
};

struct Program {
  std::mt19937_64 random;
  std::string body; ///< Of a step.
  std::vector<std::string> names;
  /// From a step's copies and what was carried to its values, in order.
  std::vector<std::function<Meaning(const std::vector<Meaning> &, int)>> steps;
  int carried = 0; ///< The value that is carried on.
  float start = 0; ///< What is carried into the first step.
  bool reduces = false, sums = true;

  int pick(int n) { return static_cast<int>(random() % n); }
  int value() { return pick(static_cast<int>(names.size())); }
  int add(const std::string &text,
          std::function<Meaning(const std::vector<Meaning> &, int)> means) {
    std::string name = "%v" + std::to_string(names.size());
    body += "      " + name + " = " + text + "\n";
    names.push_back(name);
    steps.push_back(std::move(means));
    return static_cast<int>(names.size()) - 1;
  }

  /// Operands 0 to 3: what is carried, the two tiles, ones.
  explicit Program(uint64_t seed) : random(seed) {
    names = {"%sofar", "%a", "%b", "%ones"};
    start = pick(4) == 0 ? 1 : 0;
    int products = 0;
    for (int n = 1 + pick(4); n > 0; --n)
      operation(products);
    // The last value goes on, alone or with what was carried.
    int last = pick(5) ? static_cast<int>(names.size()) - 1 : 1 + pick(2);
    if (pick(3) == 0)
      last = reduce(last, pick(4) != 0);
    if (int how = pick(6))
      last = binary(how == 5 ? 2 : 0, 0, last);
    carried = last;
    reduces = pick(2);
    sums = pick(4);
  }

  /// Beyond 2^22 sums in another order may round otherwise.
  static inline bool rounds;
  static float apply(int how, float x, float y) {
    float r = how == 0   ? x + y
              : how == 1 ? x - y
              : how == 2 ? std::max(x, y)
              : how == 3 ? std::min(x, y)
                         : x * y;
    rounds |= std::fabs(r) > 4194304;
    return r;
  }
  int binary(int how, int x, int y) {
    static const char *const ops[] = {"arith.addf", "arith.subf",
                                      "arith.maximumf", "arith.minimumf",
                                      "arith.mulf"};
    return add(std::string(ops[how]) + " " + names[x] + ", " + names[y] +
                   " : !v",
               [=](const std::vector<Meaning> &v, int) {
                 Meaning r{{}, v[x].tile || v[y].tile};
                 for (int p = 0; p < places; ++p) {
                   auto a = v[x].at[p], b = v[y].at[p];
                   if (a && b)
                     r.at[p] = apply(how, *a, *b);
                   else if (how != 4 && v[x].tile && v[y].tile && (a || b))
                     r.at[p] = a ? *a : how == 1 ? -*b : *b;
                 }
                 return r;
               });
  }
  int unary(const std::string &text, float (*f)(float), int x) {
    return add(text + " " + names[x] + " : !v",
               [=](const std::vector<Meaning> &v, int) {
                 Meaning r = v[x];
                 for (auto &each : r.at)
                   if (each)
                     each = f(*each);
                 return r;
               });
  }
  int reduce(int x, bool sum) {
    return add(
        "titan.reduce " + std::string(sum ? "add " : "max ") + names[x] +
            " : !v -> !v",
        [=](const std::vector<Meaning> &v, int) { return reduced(v[x], sum); });
  }
  static Meaning reduced(Meaning r, bool sum) {
    for (int i = 0; i < rows; ++i) {
      std::optional<float> all;
      for (int j = 0; j < width; ++j)
        if (auto each = r.at[i * width + j])
          all = !all ? *each : apply(sum ? 0 : 2, *all, *each);
      for (int j = 0; j < width; ++j)
        r.at[i * width + j] = all;
    }
    return r;
  }
  void operation(int &products) {
    int x = value(), y = value();
    switch (pick(8)) {
    case 0:
      unary("arith.negf", [](float f) { return -f; }, x);
      return;
    case 1:
      unary("math.absf", [](float f) { return std::fabs(f); }, x);
      return;
    case 2: { // Where it is positive.
      std::string c = "%c" + std::to_string(names.size());
      body +=
          "      " + c + " = arith.cmpf ogt, " + names[x] + ", %zeros : !v\n";
      add("arith.select " + c + ", " + names[x] + ", %zeros : !b, !v",
          [=](const std::vector<Meaning> &v, int) {
            Meaning r = v[x];
            for (auto &each : r.at)
              if (each)
                each = std::max(*each, 0.0f);
            return r;
          });
      return;
    }
    case 3: { // The program's own constant in the holes; a zero is still none.
      bool zero = pick(2);
      int from = 2;
      if (pick(2))
        from = binary(0, 2, 3);
      add("arith.select %inside, " + names[from] +
              (zero ? ", %zeros" : ", %low") + " : !b, !v",
          [=](const std::vector<Meaning> &v, int step) {
            Meaning r = v[from];
            for (int p = 0; p < places; ++p)
              if (!inside(step / 2, step % 2, 1, p % width))
                r.at[p] = zero ? std::nullopt : std::optional(-1000.0f);
            r.tile = zero;
            return r;
          });
      return;
    }
    case 4:
      if (++products <= 2) {
        binary(4, x, y);
        return;
      }
      [[fallthrough]];
    default:
      binary(pick(4), x, y);
    }
  }

  /// Whether a column of the step's tile is one of the group.
  static bool inside(int group, int step, int tile, int j) {
    int at = step * 2 + tile;
    return at < 3 && (group * 3 + at) * width + j < columns;
  }
  static float element(int64_t k) {
    return static_cast<float>((k * 7 + k / 5) % 7 - 3);
  }
  Meaning run(int group) const {
    Meaning sofar, ones;
    sofar.tile = true;
    sofar.at.fill(start);
    ones.at.fill(1.0f);
    for (int step = 0; step < 2; ++step) {
      std::vector<Meaning> v = {sofar, {}, {}, ones};
      for (int tile = 0; tile < 2; ++tile) {
        v[1 + tile].tile = true;
        for (int j = 0; j < width; ++j)
          if (inside(group, step, tile, j)) // The other row is a hole.
            v[1 + tile].at[j] =
                element((group * 3 + step * 2 + tile) * width + j);
      }
      for (auto &each : steps)
        v.push_back(each(v, group * 2 + step));
      sofar = v[carried];
      sofar.tile = true;
    }
    return reduces ? reduced(sofar, sums) : sofar;
  }

  std::string kernel() const {
    std::string init = start ? "%ones" : "%zeros";
    return R"(
#tile = #titan.schedule<tensor M x K
  Mo, Mi = split(M, 2) Ko, Ki = split(K, 64) Kg, Kt = split(Ko, 3)
  Ks, Ku = split(Kt, 2) bulk Mi, Ki>
!x = !titan.global<?x330xf32, strides = [332, 1]>
!s = !titan.global<2x128xf32>
!ring = !titan.shared<2x64xf32, slots = 2>
!t = !titan.shared<2x64xf32>
#rows = #titan.blocked<elements = [1, 4], lanes = [2, 16], warps = [1, 1]>
!v = tensor<2x64xf32, #rows>
!i = tensor<2x64xi32, #rows>
!b = tensor<2x64xi1, #rows>
titan.kernel @k(%X: !x, %S: !s) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : !v
  %ones = arith.constant dense<1.0> : !v
  %low = arith.constant dense<-1000.0> : !v
  %ring = titan.shared.alloc : !ring
  %first = titan.shared.slot %ring[%c0 : index] : !ring -> !t
  %second = titan.shared.slot %ring[%c1 : index] : !ring -> !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %i = titan.coordinate 0 : !i
  %column = titan.coordinate 1 : !i
  scf.for %g = %c0 to %c2 step %c1 {
    %before = arith.muli %g, %c2 : index
    %total = scf.for %s = %c0 to %c2 step %c1 iter_args(%sofar = )" +
           init + R"() -> (!v) {
      titan.elect {
        titan.copy_async %X at(Mo = %c0, Kg = %g, Ks = %s, Ku = %c0) to %first signals %full
            schedule(#tile) : !x, !t, !titan.mbarrier
        titan.copy_async %X at(Mo = %c0, Kg = %g, Ks = %s, Ku = %c1) to %second signals %full
            schedule(#tile) : !x, !t, !titan.mbarrier
        titan.mbarrier.arrive %full : !titan.mbarrier
      }
      %step = arith.addi %before, %s : index
      %parity = arith.remui %step, %c2 : index
      %parity32 = arith.index_cast %parity : index to i32
      titan.mbarrier.wait %full parity(%parity32) : !titan.mbarrier
      %a = titan.shared.load %first : !t -> !v
      %b = titan.shared.load %second : !t -> !v
      titan.fence.proxy_async shared_cta
      titan.cta_sync
      // The second tile is the group's s*2 + 1st.
      %at0 = arith.muli %s, %c2 : index
      %at1 = arith.addi %at0, %c1 : index
      %g3 = arith.muli %g, %c3 : index
      %tileAt = arith.addi %g3, %at1 : index
      %from = arith.muli %tileAt, %c64 : index
      %from32 = arith.index_cast %from : index to i32
      %g31 = arith.addi %g3, %c3 : index
      %to = arith.muli %g31, %c64 : index
      %to32 = arith.index_cast %to : index to i32
      %end32 = arith.constant 330 : i32
      %until32 = arith.minsi %to32, %end32 : i32
      %froms = titan.splat %from32 : i32 -> !i
      %until = titan.splat %until32 : i32 -> !i
      %here = arith.addi %froms, %column : !i
      %inside = arith.cmpi slt, %here, %until : !i
)" + body + "      scf.yield " +
           names[carried] + R"( : !v
    }
    %g64 = arith.muli %g, %c64 : index
    %g32 = arith.index_cast %g64 : index to i32
    %gs = titan.splat %g32 : i32 -> !i
    %j = arith.addi %gs, %column : !i
)" +
           (reduces
                ? "    %out = titan.reduce " +
                      std::string(sums ? "add" : "max") + " %total : !v -> !v\n"
                : "    %out = arith.addf %total, %zeros : !v\n") +
           R"(    titan.global.store %out, %S[%i, %j] : !v, !s, !i, !i
  }
  titan.return
}
)";
  }
};

TEST(CopyUses, RandomPrograms) {
  MLIRContext context;
  context.loadDialect<TitanDialect, arith::ArithDialect, scf::SCFDialect,
                      math::MathDialect>();
  context.disableMultithreading();
  uint64_t first = fromEnvironment("TITAN_SEED", 77000);
  uint64_t cases = fromEnvironment("TITAN_CASES", fullTest() ? 20000 : 600);
  std::printf("uses: seeds %llu to %llu\n", (unsigned long long)first,
              (unsigned long long)(first + cases - 1));
  int64_t refused = 0, strong = 0, weak = 0;
  for (uint64_t seed = first; seed < first + cases; ++seed) {
    Program program(seed);
    std::string text = program.kernel(), error;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (error.empty())
        error = diagnostic.str();
      return success();
    });
    auto module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << error << text;
    PassManager passes(&context);
    buildExpandPasses(passes);
    if (failed(passes.run(*module))) {
      ASSERT_NE(error.find("[tma-fill-value]"), std::string::npos)
          << error << text;
      ++refused;
      continue;
    }
    // Strong copies of level 2 have a predicate.
    bool predicated = false;
    module->walk([&](scf::IfOp) { predicated = true; });
    ++(predicated ? strong : weak);
    Matrix x(1, columns, 4, 332), s(rows, 2 * width, 4);
    for (int64_t k = 0; k < columns; ++k)
      x.at32(0, k) = Program::element(k);
    SimulatorArgument arguments[] = {x.argument(), s.argument()};
    SimulatorReport report =
        simulate(module->lookupSymbol<KernelOp>("k"), arguments, {});
    ASSERT_TRUE(report.good()) << describe(report) << text;
    for (int g = 0; g < groups; ++g) {
      Program::rounds = false;
      Meaning means = program.run(g);
      for (int p = 0; p < width; ++p)
        if (means.at[p] && !Program::rounds)
          ASSERT_EQ(s.at32(0, g * width + p), *means.at[p])
              << "seed " << seed << ", group " << g << ", column " << p << text;
    }
  }
  std::printf("  %lld refused, %lld strong, %lld weak\n", (long long)refused,
              (long long)strong, (long long)weak);
  if (cases >= 600) {
    EXPECT_GT(strong, cases / 8);
    EXPECT_GT(weak, cases / 20);
    EXPECT_GT(refused, cases / 8);
  }
}

} // namespace
