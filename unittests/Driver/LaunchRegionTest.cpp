//===- LaunchRegionTest.cpp - launch regions, run and packaged ------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random launch regions: what titan run computes, and the runtime from the
// expression that titan compile writes, is the same number, or both refuse the
// launch. Region n is made from seed + n alone. What fails is printed, and
//
//   TITAN_SEED=<its seed> TITAN_CASES=1 build/bin/TitanDriverTests \
//       --gtest_filter='LaunchRegion.*'
//
// runs it again.
//
//===----------------------------------------------------------------------===//
#include "titan/Conversion/TitanToLLVM.h"
#include "titan/Driver/Session.h"
#include "titan/Runtime/Manifest.h"
#include "titan/Simulator/Machine.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <map>
#include <random>

using namespace mlir;
using namespace titan;

namespace {

const char *const manifest = R"({
  "format": 1, "compiler": "test", "target": "sm_90a",
  "code": [{"kind": "ptx", "arch": "sm_90a", "blob": "k.ptx"}],
  "kernels": [{
    "name": "k", "entry": "k", "block": 32, "parameters": [],
    "arguments": [
      {"name": "X", "kind": "tensor", "type": "f32", "shape": [null, null],
       "strides": [null, 1]},
      {"name": "i8", "kind": "scalar", "type": "i8"},
      {"name": "i16", "kind": "scalar", "type": "i16"},
      {"name": "i32", "kind": "scalar", "type": "i32"},
      {"name": "i64", "kind": "scalar", "type": "i64"},
      {"name": "bit", "kind": "scalar", "type": "i8"}],
    "grid": [EXPRESSION, 1, 1]}]})";

uint64_t fromEnvironment(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

const std::vector<std::string> launchTypes = {"i8", "i16", "i32", "i64",
                                              "index"};

/// The text of a launch region of integer arithmetic.
class Region {
public:
  explicit Region(uint64_t seed) : engine(seed) {
    text =
        "!data = !titan.global<?x?xf32, strides = [?, 1]>\n"
        "titan.kernel @k(%X: !data, %i8: i8, %i16: i16, %i32: i32, %i64: "
        "i64, %bit: i1) warps(1) launch {\n  %one = arith.constant 1 : index\n";
    for (const char *type : {"i8", "i16", "i32", "i64"})
      values[type].push_back(std::string("%") + type);
    add("index", "titan.dim %X, 0 : !data");
    add("index", "titan.dim %X, 1 : !data");
    add("index", "titan.stride %X, 0 : !data");
    add("index", "titan.device_property \"multiprocessor_count\"");
    for (const std::string &type : launchTypes)
      for (int i = 0; i < 2; ++i)
        constant(type);
    add("i1", "arith.constant true");
    values["i1"].push_back("%bit");
    comparison();
    for (uint64_t i = 0, count = 1 + number(14); i < count; ++i)
      operation();
    text += llvm::formatv("  titan.launch grid(%one) with(%v{0} : {1})\n"
                          "} body(%v: {1}) {{\n  titan.return\n}\n",
                          count - 1, last)
                .str();
  }

  uint64_t number(uint64_t below) { return engine() % below; }
  int64_t edge(unsigned width) {
    const int64_t edges[] = {-1,
                             0,
                             1,
                             7,
                             8,
                             -8,
                             -7,
                             llvm::minIntN(width),
                             llvm::maxIntN(width),
                             static_cast<int64_t>(number(200)) - 100,
                             static_cast<int64_t>(engine())};
    return llvm::SignExtend64(edges[number(std::size(edges))], width);
  }

  std::string text;

private:
  static unsigned widthOf(const std::string &type) {
    return type == "index" ? 64 : std::stoi(type.substr(1));
  }
  void add(const std::string &type, const std::string &operation) {
    text += "  %v" + std::to_string(count) + " = " + operation + "\n";
    values[type].push_back("%v" + std::to_string(count++));
    last = type;
  }
  /// The newest are taken more often than the others.
  std::string any(const std::string &type) {
    const std::vector<std::string> &all = values[type];
    size_t from = number(2) ? all.size() - std::min<size_t>(all.size(), 3) : 0;
    return all[from + number(all.size() - from)];
  }
  std::string integer() { return launchTypes[number(launchTypes.size())]; }
  void constant(const std::string &type) {
    add(type,
        "arith.constant " + std::to_string(edge(widthOf(type))) + " : " + type);
  }
  void comparison() {
    static const char *const predicates[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                             "sge", "ult", "ule", "ugt", "uge"};
    std::string type = number(8) ? integer() : "i1";
    if (values[type].empty())
      type = "i32";
    add("i1", std::string("arith.cmpi ") + predicates[number(10)] + ", " +
                  any(type) + ", " + any(type) + " : " + type);
  }
  void cast() {
    std::string from = number(6) ? integer() : "i1",
                to = number(12) ? integer() : "i1";
    const char *name;
    if (from == "index" || to == "index") {
      if (from == to)
        return;
      name = number(2) ? "index_cast" : "index_castui";
    } else if (widthOf(from) == widthOf(to)) {
      return;
    } else if (widthOf(from) > widthOf(to)) {
      name = "trunci";
    } else {
      name = number(2) ? "extsi" : "extui";
    }
    add(to, std::string("arith.") + name + " " + any(from) + " : " + from +
                " to " + to);
  }
  void operation() {
    static const char *const names[] = {
        "addi",      "subi",      "muli",       "divui", "divsi",
        "ceildivui", "ceildivsi", "floordivsi", "remui", "remsi",
        "minui",     "minsi",     "maxui",      "maxsi", "andi",
        "ori",       "xori",      "shli",       "shrui", "shrsi"};
    std::string type = number(10) ? integer() : "i1";
    switch (number(8)) {
    case 0:
    case 1:
      return cast();
    case 2:
      return comparison();
    case 3:
      return add(type, "arith.select " + any("i1") + ", " + any(type) + ", " +
                           any(type) + " : " + type);
    case 4:
      return add("i1", std::string("arith.") + names[14 + number(3)] + " " +
                           any("i1") + ", " + any("i1") + " : i1");
    default:
      // Those that a package has no form for are few.
      return add(type, std::string("arith.") + names[number(15)] + " " +
                           any(type) + ", " + any(type) + " : " + type);
    }
  }

  std::mt19937_64 engine;
  std::map<std::string, std::vector<std::string>> values;
  std::string last;
  unsigned count = 0;
};

TEST(LaunchRegion, PackagesComputeWhatRunsCompute) {
  DialectRegistry registry;
  registerAllTitanDialects(registry);
  MLIRContext context(registry);
  context.disableMultithreading();
  const uint64_t seed = fromEnvironment("TITAN_SEED", 1),
                 cases = fromEnvironment("TITAN_CASES", 1500);
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  unsigned computed = 0, refused = 0, unwritten = 0;
  for (uint64_t at = seed; at < seed + cases; ++at) {
    Region region(at);
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(region.text, &context);
    ASSERT_TRUE(module) << "seed " << at << "\n" << region.text;
    KernelOp kernel = *module->getOps<KernelOp>().begin();
    std::string said;
    ScopedDiagnosticHandler handler(
        &context, [&](Diagnostic &diagnostic) { said = diagnostic.str(); });
    FailureOr<llvm::json::Value> expression =
        makeLaunchExpression(kernel.getLaunchOp().getValues().front());
    if (failed(expression)) {
      EXPECT_NE(said.find("[not-supported-yet]"), std::string::npos) << said;
      ++unwritten;
      continue;
    }
    std::string text = manifest;
    text.replace(text.find("EXPRESSION"), 10,
                 llvm::formatv("{0}", *expression).str());
    auto parsed = runtime::parseManifest(text, "");
    ASSERT_TRUE(bool(parsed)) << parsed.error().text() << "\n" << text;
    for (int launch = 0; launch < 6; ++launch) {
      const int64_t sizes[] = {static_cast<int64_t>(1 + region.number(100)),
                               static_cast<int64_t>(1 + region.number(8))},
                    strides[] = {
                        sizes[1] + static_cast<int64_t>(region.number(2)), 1};
      std::vector<float> data(sizes[0] * strides[0]);
      std::vector<SimulatorArgument> arguments(6);
      arguments[0].data = reinterpret_cast<std::byte *>(data.data());
      arguments[0].bytes = data.size() * sizeof(float);
      arguments[0].shape = {sizes[0], sizes[1]};
      arguments[0].strides = {strides[0], strides[1]};
      std::vector<runtime::Argument> passed = {runtime::Argument::tensor(
          0x1000, runtime::DType::F32, sizes, strides)};
      std::string inputs = std::to_string(sizes[0]) + " " +
                           std::to_string(sizes[1]) + " " +
                           std::to_string(strides[0]);
      using runtime::DType;
      const DType types[] = {DType::I8, DType::I16, DType::I32, DType::I64,
                             DType::I8};
      for (int i = 0; i < 5; ++i) {
        int64_t value = region.edge(i < 4 ? 8 << i : 8);
        arguments[1 + i].scalar = static_cast<uint64_t>(value);
        passed.push_back(runtime::Argument::integer(types[i], value));
        inputs += " " + std::to_string(value);
      }
      SimulatorOptions options;
      std::vector<Finding> findings;
      auto run = sim::evaluateLaunch(kernel, arguments, options, findings);
      runtime::DeviceProperties device{};
      device[0] = options.multiprocessors;
      auto packaged =
          parsed->kernels[0].grid[0].evaluate(passed, device, "package");
      if (!run) {
        ASSERT_FALSE(findings.empty());
        EXPECT_TRUE(findings[0].code == Code::LaunchOverflow ||
                    findings[0].code == Code::LaunchDivision)
            << findings[0].message;
      }
      ASSERT_EQ(run.has_value(), bool(packaged))
          << "seed " << at << ", inputs " << inputs << "\n"
          << (run ? packaged.error().text() : findings[0].message) << "\n"
          << region.text << text;
      ++(run ? computed : refused);
      if (run) {
        ASSERT_EQ(static_cast<int64_t>(run->values.front()), *packaged)
            << "seed " << at << ", inputs " << inputs << "\n"
            << region.text << text;
      }
    }
  }
  std::printf("%u numbers computed, %u launches refused, %u regions that a "
              "package has no form for\n",
              computed, refused, unwritten);
  if (cases >= 1000) {
    EXPECT_GT(computed, cases);
    EXPECT_GT(refused, cases / 2);
    EXPECT_LT(unwritten, cases / 2);
  }
}

} // namespace
