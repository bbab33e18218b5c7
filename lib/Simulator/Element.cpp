//===- Element.cpp - arithmetic on single values --------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Simulator/Element.h"
#include "titan/Simulator/Numeric.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace titan::sim;

std::optional<ElementType> titan::sim::typeOf(mlir::Type type) {
  if (type.isIndex())
    return ElementType::I64;
  if (type.isBF16())
    return ElementType::BF16;
  if (type.isF16())
    return ElementType::F16;
  if (type.isF32())
    return ElementType::F32;
  if (!type.isSignlessInteger())
    return std::nullopt;
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return ElementType::I1;
  case 8:
    return ElementType::I8;
  case 16:
    return ElementType::I16;
  case 32:
    return ElementType::I32;
  case 64:
    return ElementType::I64;
  }
  return std::nullopt;
}

unsigned titan::sim::bitsOf(ElementType type) {
  static const unsigned bits[] = {1, 8, 16, 32, 64, 16, 16, 32};
  return bits[static_cast<int>(type)];
}

uint64_t titan::sim::canonical(ElementType type, uint64_t bits) {
  unsigned width = bitsOf(type);
  if (type == ElementType::I1 || isFloat(type))
    return width == 64 ? bits : bits & ((uint64_t(1) << width) - 1);
  return static_cast<uint64_t>(llvm::SignExtend64(bits, width));
}

float titan::sim::toFloat(ElementType type, uint64_t bits) {
  if (type == ElementType::F32)
    return asFloat(static_cast<uint32_t>(bits));
  return type == ElementType::BF16 ? bf16ToFloat(static_cast<uint16_t>(bits))
                                   : f16ToFloat(static_cast<uint16_t>(bits));
}

uint64_t titan::sim::fromFloat(ElementType type, float value) {
  if (type == ElementType::F32)
    return asBits(value);
  return type == ElementType::BF16 ? floatToBf16(value) : floatToF16(value);
}

static const llvm::StringMap<Elt> &eltTable() {
  static const llvm::StringMap<Elt> table = {
      {"arith.addi", Elt::Add},
      {"arith.subi", Elt::Sub},
      {"arith.muli", Elt::Mul},
      {"arith.divsi", Elt::DivS},
      {"arith.divui", Elt::DivU},
      {"arith.remsi", Elt::RemS},
      {"arith.remui", Elt::RemU},
      {"arith.ceildivsi", Elt::CeilDivS},
      {"arith.ceildivui", Elt::CeilDivU},
      {"arith.floordivsi", Elt::FloorDivS},
      {"arith.andi", Elt::And},
      {"arith.ori", Elt::Or},
      {"arith.xori", Elt::Xor},
      {"arith.shli", Elt::Shl},
      {"arith.shrsi", Elt::ShrS},
      {"arith.shrui", Elt::ShrU},
      {"arith.maxsi", Elt::MaxS},
      {"arith.maxui", Elt::MaxU},
      {"arith.minsi", Elt::MinS},
      {"arith.minui", Elt::MinU},
      {"arith.cmpi", Elt::CmpI},
      {"arith.extsi", Elt::ExtS},
      {"arith.extui", Elt::ExtU},
      {"arith.trunci", Elt::Trunc},
      {"arith.index_cast", Elt::ExtS},
      {"arith.index_castui", Elt::ExtU},
      {"arith.addf", Elt::AddF},
      {"arith.subf", Elt::SubF},
      {"arith.mulf", Elt::MulF},
      {"arith.divf", Elt::DivF},
      {"arith.maximumf", Elt::Maximum},
      {"arith.minimumf", Elt::Minimum},
      {"arith.maxnumf", Elt::MaxNum},
      {"arith.minnumf", Elt::MinNum},
      {"arith.negf", Elt::NegF},
      {"arith.cmpf", Elt::CmpF},
      {"arith.extf", Elt::ExtF},
      {"arith.truncf", Elt::TruncF},
      {"arith.sitofp", Elt::SIToFP},
      {"arith.uitofp", Elt::UIToFP},
      {"arith.fptosi", Elt::FPToSI},
      {"arith.fptoui", Elt::FPToUI},
      {"arith.bitcast", Elt::Bitcast},
      {"arith.select", Elt::Select},
      {"math.exp", Elt::Exp},
      {"math.exp2", Elt::Exp2},
      {"math.log", Elt::Log},
      {"math.log2", Elt::Log2},
      {"math.sqrt", Elt::Sqrt},
      {"math.rsqrt", Elt::Rsqrt},
      {"math.tanh", Elt::Tanh},
      {"math.absf", Elt::Abs},
      {"math.fma", Elt::Fma},
      {"math.sin", Elt::Sin},
      {"math.cos", Elt::Cos},
      {"math.floor", Elt::Floor},
      {"math.ceil", Elt::Ceil},
      {"math.erf", Elt::Erf},
  };
  return table;
}

std::optional<Elt> titan::sim::findElt(llvm::StringRef name) {
  auto found = eltTable().find(name);
  return found == eltTable().end() ? std::nullopt
                                   : std::optional(found->second);
}

std::vector<llvm::StringRef> titan::sim::eltNames() {
  std::vector<llvm::StringRef> names;
  for (const auto &entry : eltTable())
    names.push_back(entry.getKey());
  return names;
}

static uint64_t zeroExtended(ElementType type, uint64_t bits) {
  unsigned width = bitsOf(type);
  return width == 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}

/// arith's predicates: eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge.
static bool compare(unsigned predicate, ElementType type, uint64_t a,
                    uint64_t b) {
  // An i1 is 0 or 1; as a signed number it is 0 or -1.
  int64_t sa = type == ElementType::I1 ? -static_cast<int64_t>(a) : a,
          sb = type == ElementType::I1 ? -static_cast<int64_t>(b) : b;
  uint64_t ua = zeroExtended(type, a), ub = zeroExtended(type, b);
  switch (predicate) {
  case 0:
    return ua == ub;
  case 1:
    return ua != ub;
  case 2:
    return sa < sb;
  case 3:
    return sa <= sb;
  case 4:
    return sa > sb;
  case 5:
    return sa >= sb;
  case 6:
    return ua < ub;
  case 7:
    return ua <= ub;
  case 8:
    return ua > ub;
  default:
    return ua >= ub;
  }
}

/// arith's predicates: false, oeq, ogt, oge, olt, ole, one, ord, ueq, ugt, uge,
/// ult, ule, une, uno, true.
static bool compare(unsigned predicate, float a, float b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  if (predicate == 0 || predicate == 15)
    return predicate == 15;
  if (predicate == 7 || predicate == 14)
    return unordered == (predicate == 14);
  if (unordered)
    return predicate >= 8;
  switch (predicate >= 8 ? predicate - 7 : predicate) {
  case 1:
    return a == b;
  case 2:
    return a > b;
  case 3:
    return a >= b;
  case 4:
    return a < b;
  case 5:
    return a <= b;
  default:
    return a != b;
  }
}

static float maximum(float a, float b, bool number) {
  if (std::isnan(a) || std::isnan(b)) {
    if (number)
      return std::isnan(a) ? b : a;
    return std::numeric_limits<float>::quiet_NaN();
  }
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

/// The operations on floats, computed in f32 (functions of math: in f64, then
/// rounded) and rounded to the result's type.
static float evaluateFloat(Elt what, float a, float b, float c) {
  auto wide = [](double value) { return static_cast<float>(value); };
  double x = a;
  switch (what) {
  case Elt::AddF:
    return a + b;
  case Elt::SubF:
    return a - b;
  case Elt::MulF:
    return a * b;
  case Elt::DivF:
    return a / b;
  case Elt::Maximum:
    return maximum(a, b, false);
  case Elt::MaxNum:
    return maximum(a, b, true);
  case Elt::Minimum:
    return -maximum(-a, -b, false);
  case Elt::MinNum:
    return -maximum(-a, -b, true);
  case Elt::NegF:
    return -a;
  case Elt::Exp:
    return wide(std::exp(x));
  case Elt::Exp2:
    return wide(std::exp2(x));
  case Elt::Log:
    return wide(std::log(x));
  case Elt::Log2:
    return wide(std::log2(x));
  case Elt::Sqrt:
    return std::sqrt(a);
  case Elt::Rsqrt:
    return wide(1.0 / std::sqrt(x));
  case Elt::Tanh:
    return wide(std::tanh(x));
  case Elt::Abs:
    return std::fabs(a);
  case Elt::Sin:
    return wide(std::sin(x));
  case Elt::Cos:
    return wide(std::cos(x));
  case Elt::Floor:
    return std::floor(a);
  case Elt::Ceil:
    return std::ceil(a);
  case Elt::Erf:
    return wide(std::erf(x));
  default: // ExtF, TruncF
    return a;
  }
}

// What f32 would round twice.

static const llvm::fltSemantics &semanticsOf(ElementType type) {
  return type == ElementType::F32    ? llvm::APFloat::IEEEsingle()
         : type == ElementType::BF16 ? llvm::APFloat::BFloat()
                                     : llvm::APFloat::IEEEhalf();
}

static uint64_t bitsOf(ElementType type, const llvm::APFloat &value) {
  if (value.isNaN()) // The canonical one.
    return fromFloat(type, std::numeric_limits<float>::quiet_NaN());
  return value.bitcastToAPInt().getZExtValue();
}

static uint64_t fromInteger(ElementType type, uint64_t value, bool isSigned) {
  llvm::APFloat result(semanticsOf(type));
  result.convertFromAPInt(llvm::APInt(64, value), isSigned,
                          llvm::APFloat::rmNearestTiesToEven);
  return bitsOf(type, result);
}

static uint64_t fma(ElementType type, uint64_t a, uint64_t b, uint64_t c) {
  auto make = [&](uint64_t bits) {
    return llvm::APFloat(semanticsOf(type),
                         llvm::APInt(titan::sim::bitsOf(type), bits));
  };
  llvm::APFloat result = make(a);
  result.fusedMultiplyAdd(make(b), make(c), llvm::APFloat::rmNearestTiesToEven);
  return bitsOf(type, result);
}

std::optional<uint64_t> titan::sim::evaluate(const EltOp &op, uint64_t a,
                                             uint64_t b, uint64_t c) {
  int64_t sa = static_cast<int64_t>(a), sb = static_cast<int64_t>(b);
  if (op.in == ElementType::I1) // as a signed number it is 0 or -1
    sa = -sa, sb = -sb;
  uint64_t ua = zeroExtended(op.in, a), ub = zeroExtended(op.in, b);
  auto out = [&](uint64_t bits) { return canonical(op.out, bits); };
  unsigned width = bitsOf(op.in);
  switch (op.what) {
  case Elt::Add:
    return out(a + b);
  case Elt::Sub:
    return out(a - b);
  case Elt::Mul:
    return out(a * b);
  case Elt::DivS:
  case Elt::RemS:
  case Elt::CeilDivS:
  case Elt::FloorDivS: {
    if (sb == 0 || (sb == -1 && sa == llvm::minIntN(width)))
      return std::nullopt;
    int64_t quotient = sa / sb, rest = sa % sb;
    bool negative = (sa < 0) != (sb < 0);
    if (op.what == Elt::RemS)
      return out(rest);
    if (op.what == Elt::CeilDivS && rest != 0 && !negative)
      ++quotient;
    if (op.what == Elt::FloorDivS && rest != 0 && negative)
      --quotient;
    return out(quotient);
  }
  case Elt::DivU:
    return ub == 0 ? std::nullopt : std::optional(out(ua / ub));
  case Elt::RemU:
    return ub == 0 ? std::nullopt : std::optional(out(ua % ub));
  case Elt::CeilDivU:
    return ub == 0 ? std::nullopt
                   : std::optional(out(ua / ub + (ua % ub != 0)));
  case Elt::And:
    return a & b;
  case Elt::Or:
    return a | b;
  case Elt::Xor:
    return a ^ b;
  case Elt::Shl:
    return ub >= width ? std::nullopt : std::optional(out(a << ub));
  case Elt::ShrS:
    return ub >= width ? std::nullopt : std::optional(out(sa >> ub));
  case Elt::ShrU:
    return ub >= width ? std::nullopt : std::optional(out(ua >> ub));
  case Elt::MaxS:
    return sa > sb ? a : b;
  case Elt::MinS:
    return sa < sb ? a : b;
  case Elt::MaxU:
    return ua > ub ? a : b;
  case Elt::MinU:
    return ua < ub ? a : b;
  case Elt::CmpI:
    return compare(op.predicate, op.in, a, b);
  case Elt::ExtS:
    return out(op.in == ElementType::I1 ? -a : a);
  case Elt::ExtU:
    return out(ua);
  case Elt::Trunc:
  case Elt::Bitcast:
    return out(a);
  case Elt::Select:
    return a & 1 ? b : c;
  case Elt::CmpF:
    return compare(op.predicate, toFloat(op.in, a), toFloat(op.in, b));
  case Elt::SIToFP:
    return fromInteger(op.out, op.in == ElementType::I1 ? -sa : sa, true);
  case Elt::UIToFP:
    return fromInteger(op.out, ua, false);
  case Elt::FPToSI:
  case Elt::FPToUI: {
    double value = std::trunc(static_cast<double>(toFloat(op.in, a)));
    unsigned bits = bitsOf(op.out);
    bool isSigned = op.what == Elt::FPToSI;
    double low = isSigned ? -std::ldexp(1.0, bits - 1) : 0,
           high = std::ldexp(1.0, isSigned ? bits - 1 : bits);
    if (!(value >= low && value < high))
      return std::nullopt;
    return out(isSigned ? static_cast<uint64_t>(static_cast<int64_t>(value))
                        : static_cast<uint64_t>(value));
  }
  case Elt::Fma:
    return fma(op.out, a, b, c);
  default:
    return fromFloat(op.out,
                     evaluateFloat(op.what, toFloat(op.in, a),
                                   toFloat(op.in, b), toFloat(op.in, c)));
  }
}
