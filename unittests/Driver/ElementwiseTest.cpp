//===- ElementwiseTest.cpp - all of arith and math ------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every operation that MLIR registers in arith and math has a row in the table
// below: the types that it is supported on, or why it is refused. Each is then
//
//   computed    by the simulator and by LLVM's JIT, bit for bit
//   compiled    to PTX, and by ptxas where there is one
//
// so that a new operation of a new MLIR fails here until somebody decides.
//
//===----------------------------------------------------------------------===//
#include "Reference.h"
#include "titan/Conversion/Compile.h"
#include "titan/Driver/Pipelines.h"
#include "titan/Driver/Session.h"
#include "titan/Simulator/Element.h"
#include "titan/Target/Approximations.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/ADT/StringExtras.h"

#include "gtest/gtest.h"

#include <cmath>
#include <map>
#include <random>

using namespace mlir;
using namespace titan;
using sim::ElementType;

namespace {

enum class Form {
  Refused,   ///< No lowering: [not-supported-yet].
  Unary,     ///< T -> T
  Binary,    ///< T, T -> T
  Ternary,   ///< T, T, T -> T
  Test,      ///< T -> i1
  Compare,   ///< predicate, T, T -> i1
  Pair,      ///< T, T -> T, T or i1
  Function,  ///< T -> T, approximated
  Functions, ///< T -> T, T, approximated
  Select,    ///< i1, T, T -> T
  Clamp,     ///< T to [T, T]
  Cast,      ///< T -> U, by the list of pairs
  Constant,
};

struct Row {
  const char *name;
  Form form;
  /// Types, or pairs "f32>f16".
  const char *types;
};

const char *integers = "i1 i8 i16 i32 i64 index";
const char *wide = "i8 i16 i32 i64 index";
const char *counted = "i8 i16 i32 i64";
const char *floats = "f16 bf16 f32 f64";
const char *narrow = "f16 bf16 f32";

const Row rows[] = {
    {"arith.addf", Form::Binary, floats},
    {"arith.addi", Form::Binary, integers},
    {"arith.addui_extended", Form::Pair, counted},
    {"arith.andi", Form::Binary, integers},
    {"arith.bitcast", Form::Cast,
     "i16>f16 f16>i16 i16>bf16 bf16>f16 i32>f32 "
     "f32>i32 i64>f64 f64>i64"},
    {"arith.ceildivsi", Form::Binary, wide},
    {"arith.ceildivui", Form::Binary, wide},
    {"arith.cmpf", Form::Compare, floats},
    {"arith.cmpi", Form::Compare, integers},
    {"arith.constant", Form::Constant, ""},
    {"arith.divf", Form::Binary, floats},
    {"arith.divsi", Form::Binary, wide},
    {"arith.divui", Form::Binary, wide},
    {"arith.extf", Form::Cast, "f16>f32 bf16>f32 f16>f64 bf16>f64 f32>f64"},
    {"arith.extsi", Form::Cast, "i1>i8 i1>i32 i8>i16 i8>i64 i16>i32 i32>i64"},
    {"arith.extui", Form::Cast, "i1>i8 i1>i32 i8>i16 i8>i64 i16>i32 i32>i64"},
    {"arith.floordivsi", Form::Binary, wide},
    {"arith.fptosi", Form::Cast,
     "f16>i8 f16>i32 bf16>i16 f32>i8 f32>i32 f32>i64 f64>i32 f64>i64"},
    {"arith.fptoui", Form::Cast,
     "f16>i8 f16>i32 bf16>i16 f32>i8 f32>i32 f32>i64 f64>i32 f64>i64"},
    {"arith.index_cast", Form::Cast, "i8>index i32>index index>i32 index>i64"},
    {"arith.index_castui", Form::Cast,
     "i8>index i32>index index>i32 index>i64"},
    {"arith.maximumf", Form::Binary, floats},
    {"arith.maxnumf", Form::Binary, floats},
    {"arith.maxsi", Form::Binary, integers},
    {"arith.maxui", Form::Binary, integers},
    {"arith.minimumf", Form::Binary, floats},
    {"arith.minnumf", Form::Binary, floats},
    {"arith.minsi", Form::Binary, integers},
    {"arith.minui", Form::Binary, integers},
    {"arith.mulf", Form::Binary, floats},
    {"arith.muli", Form::Binary, integers},
    {"arith.mulsi_extended", Form::Pair, counted},
    {"arith.mului_extended", Form::Pair, counted},
    {"arith.negf", Form::Unary, floats},
    {"arith.ori", Form::Binary, integers},
    {"arith.remf", Form::Refused, "f32"},
    {"arith.remsi", Form::Binary, wide},
    {"arith.remui", Form::Binary, wide},
    {"arith.scaling_extf", Form::Refused, ""},
    {"arith.scaling_truncf", Form::Refused, ""},
    {"arith.select", Form::Select, "i1 i8 i16 i32 i64 index f16 bf16 f32 f64"},
    {"arith.shli", Form::Binary, wide},
    {"arith.shrsi", Form::Binary, wide},
    {"arith.shrui", Form::Binary, wide},
    {"arith.sitofp", Form::Cast,
     "i1>f32 i8>f16 i16>bf16 i32>f16 i32>f32 i64>f32 i32>f64 i64>f64"},
    {"arith.subf", Form::Binary, floats},
    {"arith.subi", Form::Binary, integers},
    {"arith.truncf", Form::Cast, "f32>f16 f32>bf16 f64>f32"},
    {"arith.trunci", Form::Cast, "i8>i1 i32>i1 i32>i8 i64>i16 i64>i32"},
    {"arith.uitofp", Form::Cast,
     "i1>f32 i8>f16 i16>bf16 i32>f16 i32>f32 i64>f32 i32>f64 i64>f64"},
    {"arith.xori", Form::Binary, integers},
    {"math.absf", Form::Unary, floats},
    {"math.absi", Form::Unary, counted},
    {"math.acos", Form::Refused, "f32"},
    {"math.acosh", Form::Refused, "f32"},
    {"math.asin", Form::Refused, "f32"},
    {"math.asinh", Form::Refused, "f32"},
    {"math.atan", Form::Refused, "f32"},
    {"math.atan2", Form::Refused, ""},
    {"math.atanh", Form::Refused, "f32"},
    {"math.cbrt", Form::Refused, "f32"},
    {"math.ceil", Form::Unary, floats},
    {"math.clampf", Form::Clamp, floats},
    {"math.copysign", Form::Binary, floats},
    {"math.cos", Form::Function, narrow},
    {"math.cosh", Form::Refused, "f32"},
    {"math.ctlz", Form::Unary, counted},
    {"math.ctpop", Form::Unary, counted},
    {"math.cttz", Form::Unary, counted},
    {"math.erf", Form::Function, narrow},
    {"math.erfc", Form::Refused, "f32"},
    {"math.exp", Form::Function, narrow},
    {"math.exp2", Form::Function, narrow},
    {"math.expm1", Form::Refused, "f32"},
    {"math.floor", Form::Unary, floats},
    {"math.fma", Form::Ternary, "f32 f64"},
    {"math.fpowi", Form::Refused, ""},
    {"math.ipowi", Form::Refused, ""},
    {"math.isfinite", Form::Test, floats},
    {"math.isinf", Form::Test, floats},
    {"math.isnan", Form::Test, floats},
    {"math.isnormal", Form::Test, floats},
    {"math.log", Form::Function, narrow},
    {"math.log10", Form::Function, narrow},
    {"math.log1p", Form::Refused, "f32"},
    {"math.log2", Form::Function, narrow},
    {"math.powf", Form::Refused, ""},
    {"math.round", Form::Unary, floats},
    {"math.roundeven", Form::Unary, floats},
    {"math.rsqrt", Form::Function, narrow},
    {"math.sin", Form::Function, narrow},
    {"math.sincos", Form::Functions, narrow},
    {"math.sinh", Form::Refused, "f32"},
    {"math.sqrt", Form::Unary, floats},
    {"math.tan", Form::Refused, "f32"},
    {"math.tanh", Form::Function, narrow},
    {"math.trunc", Form::Unary, floats},
};

/// One operation on one type.
struct Case {
  const Row *row;
  std::string in, out;
  std::string predicate; ///< Of comparisons.
  unsigned number = 0;   ///< Of the predicate.

  std::string name() const {
    std::string text = row->name + ("_" + in) + "_" + out + "_" + predicate;
    for (char &c : text)
      if (!isalnum(static_cast<unsigned char>(c)))
        c = '_';
    return text;
  }
  unsigned operands() const {
    switch (row->form) {
    case Form::Binary:
    case Form::Compare:
    case Form::Pair:
      return 2;
    case Form::Ternary:
    case Form::Select:
    case Form::Clamp:
      return 3;
    default:
      return 1;
    }
  }
  unsigned results() const {
    return row->form == Form::Pair || row->form == Form::Functions ? 2 : 1;
  }
  std::string operandType(unsigned i) const {
    return row->form == Form::Select && i == 0 ? "i1" : in;
  }
  std::string resultType(unsigned i) const {
    if (row->form == Form::Compare || row->form == Form::Test)
      return "i1";
    if (row->form == Form::Pair && i == 1)
      return StringRef(row->name).contains("addui") ? "i1" : in;
    return row->form == Form::Cast ? out : in;
  }
  /// The operation on %a, %b, %c.
  std::string text() const {
    std::string op = row->name;
    switch (row->form) {
    case Form::Cast:
      return op + " %a : " + in + " to " + out;
    case Form::Test:
    case Form::Unary:
    case Form::Function:
    case Form::Functions:
    case Form::Refused:
      return op + " %a : " + in;
    case Form::Compare:
      return op + " " + predicate + ", %a, %b : " + in;
    case Form::Pair:
      return op + " %a, %b : " + in +
             (StringRef(row->name).contains("addui") ? ", i1" : "");
    case Form::Binary:
      return op + " %a, %b : " + in;
    case Form::Clamp:
      return op + " %a to [%b, %c] : " + in;
    default:
      return op + " %a, %b, %c : " + in;
    }
  }
};

std::vector<Case> casesOf(const Row &row) {
  std::vector<Case> cases;
  llvm::SmallVector<StringRef> types;
  StringRef(row.types).split(types, ' ', -1, false);
  for (StringRef type : types) {
    auto [in, out] = type.split('>');
    Case one{&row, in.str(), out.str(), "", 0};
    if (row.form != Form::Compare) {
      cases.push_back(one);
      continue;
    }
    bool real = StringRef(row.name) == "arith.cmpf";
    for (unsigned p = 0; p < (real ? 16u : 10u); ++p) {
      one.number = p;
      one.predicate = (real ? arith::stringifyCmpFPredicate(
                                  static_cast<arith::CmpFPredicate>(p))
                            : arith::stringifyCmpIPredicate(
                                  static_cast<arith::CmpIPredicate>(p)))
                          .str();
      cases.push_back(one);
    }
  }
  return cases;
}

ElementType typeNamed(MLIRContext &context, StringRef name) {
  return *sim::typeOf(parseType(name, &context));
}

struct Elementwise : testing::Test {
  DialectRegistry registry;
  MLIRContext context;
  Elementwise() {
    registerAllTitanDialects(registry);
    registerCompileDialects(registry);
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.disableMultithreading();
  }
};

TEST_F(Elementwise, EveryOperationHasARow) {
  for (StringRef dialect : {"arith", "math"})
    for (RegisteredOperationName op :
         context.getRegisteredOperationsByDialect(dialect))
      EXPECT_TRUE(llvm::any_of(
          rows, [&](const Row &row) { return op.getStringRef() == row.name; }))
          << op.getStringRef().str()
          << " is new: say on which types it is supported";
}

//===----------------------------------------------------------------------===//
// The simulator against the JIT
//===----------------------------------------------------------------------===//

/// What the JIT executes: functions in f64 and rounded as they are here, what it
/// has no lowering for by what means the same.
std::string referenceText(const Case &c) {
  std::string args, types, body, returns = "%r";
  const char *names[] = {"%a", "%b", "%c"};
  for (unsigned i = 0; i < c.operands(); ++i)
    args += (i ? ", " : "") + std::string(names[i]) + ": " + c.operandType(i);
  for (unsigned i = 0; i < c.results(); ++i)
    types += (i ? ", " : "") + c.resultType(i);
  auto line = [&](const std::string &text) { body += "  " + text + "\n"; };
  StringRef name = c.row->name;
  const std::string &t = c.in;
  if (c.row->form == Form::Function || c.row->form == Form::Functions) {
    SmallVector<std::string, 2> functions = {name.str()};
    if (c.row->form == Form::Functions)
      functions = {"math.sin", "math.cos"}, returns = "%r0, %r1";
    line("%w = arith.extf %a : " + t + " to f64");
    for (auto [i, f] : llvm::enumerate(functions)) {
      std::string r = functions.size() == 1 ? "%r" : "%r" + std::to_string(i);
      std::string n = std::to_string(i);
      if (f == "math.rsqrt") {
        line("%one = arith.constant 1.0 : f64");
        line("%root = math.sqrt %w : f64");
        line("%f0 = arith.divf %one, %root : f64");
      } else {
        line("%f" + n + " = " + f + " %w : f64");
      }
      if (t == "f32") {
        line(r + " = arith.truncf %f" + n + " : f64 to f32");
      } else {
        line("%s" + n + " = arith.truncf %f" + n + " : f64 to f32");
        line(r + " = arith.truncf %s" + n + " : f32 to " + t);
      }
    }
  } else if (c.row->form == Form::Clamp) {
    line("%m = arith.maximumf %a, %b : " + t);
    line("%r = arith.minimumf %m, %c : " + t);
  } else if (name == "math.isinf" || name == "math.isnormal") {
    bool isF16 = t == "f16", isBF16 = t == "bf16", isF32 = t == "f32";
    line("%m = math.absf %a : " + t);
    line(std::string("%i = arith.constant ") +
         (isF16    ? "0x7C00"
          : isBF16 ? "0x7F80"
          : isF32  ? "0x7F800000"
                   : "0x7FF0000000000000") +
         " : " + t);
    line(std::string("%l = arith.constant ") +
         (isF16    ? "0x0400"
          : isBF16 ? "0x0080"
          : isF32  ? "0x00800000"
                   : "0x0010000000000000") +
         " : " + t);
    if (name == "math.isinf") {
      line("%r = arith.cmpf oeq, %m, %i : " + t);
    } else {
      line("%f = arith.cmpf olt, %m, %i : " + t);
      line("%g = arith.cmpf oge, %m, %l : " + t);
      line("%r = arith.andi %f, %g : i1");
    }
  } else if (c.results() == 2) {
    line("%r:2 = " + c.text());
    returns = "%r#0, %r#1";
  } else {
    line("%r = " + c.text());
  }
  // Results go to memory: one for each.
  std::string text = "func.func @" + c.name() + "(" + args;
  for (unsigned i = 0; i < c.results(); ++i)
    text += ", %o" + std::to_string(i) + ": memref<1x" + c.resultType(i) + ">";
  text += ") attributes {llvm.emit_c_interface} {\n" + body;
  text += "  %z = arith.constant 0 : index\n";
  SmallVector<StringRef> list;
  StringRef(returns).split(list, ", ");
  for (auto [i, value] : llvm::enumerate(list))
    text += "  memref.store " + value.str() + ", %o" + std::to_string(i) +
            "[%z] : memref<1x" + c.resultType(i) + ">\n";
  return text + "  return\n}\n";
}

bool isNan(ElementType type, uint64_t bits) {
  return sim::isFloat(type) && std::isnan(sim::toDouble(type, bits));
}

TEST_F(Elementwise, TheSimulatorComputesWhatTheJitDoes) {
  std::vector<Case> cases;
  std::string text;
  for (const Row &row : rows)
    if (row.form != Form::Refused && row.form != Form::Constant)
      for (Case &c : casesOf(row)) {
        text += referenceText(c);
        cases.push_back(std::move(c));
      }
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  PassManager passes(&context);
  buildReferencePipeline(passes);
  ASSERT_TRUE(succeeded(passes.run(*module)));
  auto machine = makeReferenceMachine(llvm::CodeGenOptLevel::Less);
  ASSERT_TRUE(!!machine) << llvm::toString(machine.takeError());
  ExecutionEngineOptions options;
  auto transformer = makeOptimizingTransformer(1, 0, nullptr);
  options.transformer = transformer;
  auto engine = ExecutionEngine::create(*module, options, std::move(*machine));
  ASSERT_TRUE(!!engine) << llvm::toString(engine.takeError());
  (*engine)->registerSymbols([](llvm::orc::MangleAndInterner intern) {
    llvm::orc::SymbolMap symbols;
    addNarrowFloats(intern, symbols);
    return symbols;
  });

  std::mt19937_64 rng(12);
  auto operand = [&](ElementType type) -> uint64_t {
    static const uint64_t integers[] = {0, 1, 2, 3, 5, 7, 8, 31, ~0ull, ~1ull};
    static const double numbers[] = {
        0.0,  -0.0,  1.0,  -1.0, 0.5, 2.5,      -2.5,      3.5, 1e-40,
        1e-7, 65504, 1e30, -7.0, 1.5, INFINITY, -INFINITY, NAN};
    uint64_t way = rng() % 4;
    if (!sim::isFloat(type))
      return sim::canonical(type, way == 0
                                      ? integers[rng() % std::size(integers)]
                                  : way == 1 ? 1ull << rng() % 64
                                             : rng());
    if (way == 0)
      return sim::fromDouble(type, numbers[rng() % std::size(numbers)]);
    if (way < 3)
      return sim::fromDouble(
          type, std::uniform_real_distribution<double>(-20, 20)(rng));
    return sim::canonical(type, rng());
  };
  uint64_t compared = 0;
  for (const Case &c : cases) {
    ElementType in = typeNamed(context, c.in);
    unsigned wrong = 0, seen = 0;
    for (unsigned sample = 0; sample < 400 && wrong < 3; ++sample) {
      uint64_t operands[3] = {};
      for (unsigned i = 0; i < c.operands(); ++i)
        operands[i] = operand(typeNamed(context, c.operandType(i)));
      uint64_t got[2] = {};
      bool defined = true;
      for (unsigned r = 0; r < c.results(); ++r) {
        sim::EltOp op{*sim::findElt(c.row->name, r), in,
                      typeNamed(context, c.resultType(r)),
                      static_cast<uint8_t>(c.number)};
        auto result = sim::evaluate(op, operands[0], operands[1], operands[2]);
        defined &= result.has_value();
        got[r] = result.value_or(0);
      }
      if (!defined)
        continue;
      ++seen;
      struct {
        void *allocated, *aligned;
        int64_t offset, size, stride;
      } memref[2];
      uint64_t want[2] = {};
      void *pointers[2];
      llvm::SmallVector<void *> arguments;
      for (unsigned i = 0; i < c.operands(); ++i)
        arguments.push_back(&operands[i]);
      for (unsigned r = 0; r < c.results(); ++r) {
        memref[r] = {&want[r], &want[r], 0, 1, 1};
        pointers[r] = &memref[r];
        arguments.push_back(&pointers[r]);
      }
      auto failed =
          (*engine)->invokePacked("_mlir_ciface_" + c.name(), arguments);
      ASSERT_FALSE(!!failed) << llvm::toString(std::move(failed));
      for (unsigned r = 0; r < c.results(); ++r) {
        ElementType out = typeNamed(context, c.resultType(r));
        uint64_t expected =
            sim::canonical(out, out == ElementType::I1 ? want[r] & 1 : want[r]);
        if (expected == got[r] || (isNan(out, expected) && isNan(out, got[r])))
          continue;
        // Of +0 and -0 LLVM's maximum may be either; Zeros has PTX's.
        if (StringRef(c.row->name).contains("num") &&
            sim::toDouble(out, expected) == 0 &&
            sim::toDouble(out, got[r]) == 0)
          continue;
        ++wrong;
        ADD_FAILURE() << c.text() << " of " << std::hex << operands[0] << ", "
                      << operands[1] << ", " << operands[2] << ": result " << r
                      << " is " << got[r] << ", the JIT has " << expected;
      }
      ++compared;
    }
    EXPECT_GT(seen, 20u) << c.text() << " was hardly compared";
  }
  RecordProperty("compared", std::to_string(compared));
}

//===----------------------------------------------------------------------===//
// The lowering
//===----------------------------------------------------------------------===//

/// A kernel that computes all cases of a row with elements of tensors.
std::string kernelText(const Row &row) {
  std::string arguments, body;
  std::map<std::string, bool> tensors;
  int number = 0;
  for (const Case &c : casesOf(row)) {
    std::string n = std::to_string(number++);
    std::string op = c.text();
    auto tensorOf = [&](std::string type) {
      if (type == "i1" || type == "index")
        type = type == "i1" ? "i8" : "i64";
      if (!tensors[type]) {
        tensors[type] = true;
        arguments += (arguments.empty() ? "%" : ", %") + type +
                     ": !titan.global<?x" + type + ">";
      }
      return type;
    };
    const char *names[] = {"%a", "%b", "%c"};
    for (unsigned i = 0; i < c.operands(); ++i) {
      std::string type = c.operandType(i), name = names[i] + n;
      std::string element = tensorOf(type);
      std::string loaded = element == type ? name : name + "m";
      body += loaded + " = titan.ld %" + element + "[%k" + std::to_string(i) +
              "] : !titan.global<?x" + element + "> -> " + element + "\n";
      if (type == "i1")
        body += name + " = arith.trunci " + loaded + " : i8 to i1\n";
      else if (type == "index")
        body += name + " = arith.index_cast " + loaded + " : i64 to index\n";
      std::string pattern = names[i];
      for (size_t at = op.find(pattern); at != std::string::npos;
           at = op.find(pattern, at + pattern.size() + n.size()))
        op.insert(at + pattern.size(), n);
    }
    body += "%r" + n + (c.results() == 2 ? ":2" : "") + " = " + op + "\n";
    for (unsigned r = 0; r < c.results(); ++r) {
      std::string type = c.resultType(r), element = tensorOf(type);
      std::string value = "%r" + n;
      if (c.results() == 2)
        value += "#" + std::to_string(r);
      std::string stored = value;
      if (element != type) {
        stored = "%s" + n + "_" + std::to_string(r);
        body +=
            stored + " = " +
            (type == "i1" ? "arith.extui " + value + " : i1 to i8"
                          : "arith.index_cast " + value + " : index to i64") +
            "\n";
      }
      body += "titan.st " + stored + ", %" + element + "[%k3] : " + element +
              ", !titan.global<?x" + element + ">\n";
    }
  }
  std::string name = row.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return "titan.kernel @" + name + "(" + arguments +
         ") warps(1) launch {\n%g = arith.constant 1 : index\n"
         "titan.launch grid(%g)\n} body() {\n%k0 = arith.constant 0 : index\n"
         "%k1 = arith.constant 1 : index\n%k2 = arith.constant 2 : index\n"
         "%k3 = arith.constant 3 : index\n" +
         body + "titan.return\n}\n";
}

TEST_F(Elementwise, EachIsCompiledAndAssembled) {
  std::string text;
  for (const Row &row : rows)
    if (row.form != Form::Refused && row.form != Form::Constant)
      text += kernelText(row);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  std::string bytes, log;
  llvm::raw_string_ostream stream(bytes);
  CompileOptions options;
  // The package holds a cubin where there is an assembler.
  options.emit = Emit::Package;
  options.assemblerLog = &log;
  EXPECT_TRUE(succeeded(compile(*module, options, stream))) << log;
}

TEST_F(Elementwise, TheOthersAreRefused) {
  for (const Row &row : rows) {
    if (row.form != Form::Refused || casesOf(row).empty())
      continue;
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        StringRef(row.name) == "arith.remf"
            ? [&] {
                std::string text = kernelText(row);
                text.replace(text.find("arith.remf %a0"), 14,
                             "arith.remf %a0, %a0");
                return text;
              }()
            : kernelText(row),
        &context);
    ASSERT_TRUE(module) << row.name;
    std::string said, bytes;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      said += diagnostic.str();
      return success();
    });
    llvm::raw_string_ostream stream(bytes);
    CompileOptions options;
    options.emit = Emit::PTX;
    EXPECT_TRUE(failed(compile(*module, options, stream))) << row.name;
    EXPECT_NE(said.find("[not-supported-yet]"), std::string::npos)
        << row.name << ": " << said;
  }
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// However results are moved, they stay within the bound, and both ends are
/// nearly reached.
TEST_F(Elementwise, ApproximationsStayWithinTheirBounds) {
  std::mt19937_64 rng(5);
  for (const ApproximateFunction &f : approximateFunctions()) {
    sim::EltOp op{*sim::findElt(("math." + StringRef(f.name)).str()),
                  ElementType::F32, ElementType::F32, 0};
    double highest = 0, lowest = 0;
    for (int i = 0; i < 20000; ++i) {
      auto x = static_cast<float>(
          std::uniform_real_distribution<double>(0.01, 20)(rng));
      uint64_t bits = sim::fromFloat(ElementType::F32, x);
      double exact = [&]() -> double {
        double w = x;
        StringRef name(f.name);
        return name == "exp"     ? std::exp(w)
               : name == "exp2"  ? std::exp2(w)
               : name == "log"   ? std::log(w)
               : name == "log2"  ? std::log2(w)
               : name == "log10" ? std::log10(w)
               : name == "rsqrt" ? 1 / std::sqrt(w)
               : name == "tanh"  ? std::tanh(w)
               : name == "sin"   ? std::sin(w)
               : name == "erf"   ? std::erf(w)
                                 : std::cos(w);
      }();
      auto bound = errorBound(f, x, exact);
      ASSERT_TRUE(bound);
      for (auto mode : {sim::Approximate::High, sim::Approximate::Low,
                        sim::Approximate::Random}) {
        sim::Approximate how{mode, rng()};
        float moved = sim::toFloat(ElementType::F32,
                                   *sim::evaluate(op, bits, 0, 0, &how));
        double share = (moved - exact) / *bound;
        ASSERT_LE(std::fabs(share), 1.0) << f.name << " of " << x;
        highest = std::max(highest, share);
        lowest = std::min(lowest, share);
      }
    }
    EXPECT_GT(highest, 0.8) << f.name;
    EXPECT_LT(lowest, -0.8) << f.name;
  }
}

/// So do quotients with fastmath<afn>.
TEST_F(Elementwise, ApproximateQuotients) {
  std::mt19937_64 rng(6);
  sim::EltOp op{*sim::findElt("arith.divf"), ElementType::F32, ElementType::F32,
                0, true};
  double highest = 0, lowest = 0;
  for (int i = 0; i < 20000; ++i) {
    std::uniform_real_distribution<double> some(0.01, 20);
    auto x = static_cast<float>(some(rng)), y = static_cast<float>(some(rng));
    double exact = static_cast<double>(x) / y;
    for (auto mode : {sim::Approximate::High, sim::Approximate::Low,
                      sim::Approximate::Random}) {
      sim::Approximate how{mode, rng()};
      float moved = sim::toFloat(
          ElementType::F32,
          *sim::evaluate(op, sim::fromFloat(ElementType::F32, x),
                         sim::fromFloat(ElementType::F32, y), 0, &how));
      double share =
          (moved - exact) / *errorBound(approximateDivision(), exact, exact);
      ASSERT_LE(std::fabs(share), 1.0) << x << " / " << y;
      highest = std::max(highest, share);
      lowest = std::min(lowest, share);
    }
  }
  EXPECT_GT(highest, 0.8);
  EXPECT_LT(lowest, -0.8);
}

/// So do square roots, of which a subnormal number has none.
TEST_F(Elementwise, ApproximateRoots) {
  std::mt19937_64 rng(7);
  sim::EltOp op{*sim::findElt("math.sqrt"), ElementType::F32, ElementType::F32,
                0, true};
  double highest = 0, lowest = 0;
  for (int i = 0; i < 20000; ++i) {
    auto x = static_cast<float>(
        std::uniform_real_distribution<double>(0.01, 20)(rng));
    double exact = std::sqrt(double{x});
    for (auto mode : {sim::Approximate::High, sim::Approximate::Low,
                      sim::Approximate::Random}) {
      sim::Approximate how{mode, rng()};
      float moved = sim::toFloat(
          ElementType::F32,
          *sim::evaluate(op, sim::fromFloat(ElementType::F32, x), 0, 0, &how));
      double share = (moved - exact) / *errorBound(approximateRoot(), x, exact);
      ASSERT_LE(std::fabs(share), 1.0) << x;
      highest = std::max(highest, share);
      lowest = std::min(lowest, share);
    }
  }
  EXPECT_GT(highest, 0.5);
  EXPECT_LT(lowest, -0.5);
  auto root = [&](float x) {
    return sim::toFloat(
        ElementType::F32,
        *sim::evaluate(op, sim::fromFloat(ElementType::F32, x), 0, 0));
  };
  EXPECT_EQ(root(0x1p-130F), 0.0F);
  EXPECT_EQ(root(0x1p-126F), 0x1p-63F);
  op.approximate = false;
  EXPECT_EQ(root(0x1p-130F), 0x1p-65F);
}

/// +0 is above -0 (PTX ISA, min, max).
TEST_F(Elementwise, Zeros) {
  for (ElementType type : {ElementType::F16, ElementType::BF16,
                           ElementType::F32, ElementType::F64}) {
    uint64_t plus = sim::fromDouble(type, 0.0),
             minus = sim::fromDouble(type, -0.0);
    for (StringRef name : {"maximumf", "maxnumf", "minimumf", "minnumf"}) {
      sim::EltOp op{*sim::findElt(("arith." + name).str()), type, type, 0};
      uint64_t want = name.starts_with("max") ? plus : minus;
      EXPECT_EQ(*sim::evaluate(op, plus, minus, 0), want);
      EXPECT_EQ(*sim::evaluate(op, minus, plus, 0), want);
    }
  }
}

/// fp8 saturates, and what is exact stays.
TEST_F(Elementwise, Fp8) {
  for (ElementType type : {ElementType::F8E4M3, ElementType::F8E5M2}) {
    for (unsigned bits = 0; bits < 256; ++bits) {
      double value = sim::toDouble(type, bits);
      if (!std::isfinite(value))
        continue;
      EXPECT_EQ(sim::fromDouble(type, value), bits);
      EXPECT_EQ(sim::fromFloat(type, static_cast<float>(value)), bits);
    }
    double most = type == ElementType::F8E4M3 ? 448 : 57344;
    for (double large : {most * 1.01, 1e30, double(INFINITY)}) {
      EXPECT_EQ(sim::toDouble(type, sim::fromDouble(type, large)), most);
      EXPECT_EQ(sim::toDouble(type, sim::fromDouble(type, -large)), -most);
    }
    EXPECT_TRUE(std::isnan(sim::toDouble(type, sim::fromDouble(type, NAN))));
  }
  // Between 16 and 18, ties to even.
  EXPECT_EQ(sim::toDouble(ElementType::F8E4M3,
                          sim::fromDouble(ElementType::F8E4M3, 17)),
            16);
  EXPECT_EQ(sim::toDouble(ElementType::F8E4M3,
                          sim::fromDouble(ElementType::F8E4M3, 19)),
            20);
}

} // namespace
