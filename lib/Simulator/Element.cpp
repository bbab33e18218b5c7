//===- Element.cpp - arithmetic on single values --------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Simulator/Element.h"
#include "titan/Simulator/Numeric.h"
#include "titan/Target/Approximations.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace titan;
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
  if (type.isF64())
    return ElementType::F64;
  if (llvm::isa<mlir::Float8E4M3FNType>(type))
    return ElementType::F8E4M3;
  if (llvm::isa<mlir::Float8E5M2Type>(type))
    return ElementType::F8E5M2;
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
  static const unsigned bits[] = {1, 8, 16, 32, 64, 16, 16, 32, 64, 8, 8};
  return bits[static_cast<int>(type)];
}

uint64_t titan::sim::canonical(ElementType type, uint64_t bits) {
  unsigned width = bitsOf(type);
  if (type == ElementType::I1 || isFloat(type))
    return width == 64 ? bits : bits & ((uint64_t(1) << width) - 1);
  return static_cast<uint64_t>(llvm::SignExtend64(bits, width));
}

static const llvm::fltSemantics &semanticsOf(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return llvm::APFloat::IEEEdouble();
  case ElementType::F32:
    return llvm::APFloat::IEEEsingle();
  case ElementType::BF16:
    return llvm::APFloat::BFloat();
  case ElementType::F8E4M3:
    return llvm::APFloat::Float8E4M3FN();
  case ElementType::F8E5M2:
    return llvm::APFloat::Float8E5M2();
  default:
    return llvm::APFloat::IEEEhalf();
  }
}

static llvm::APFloat makeFloat(ElementType type, uint64_t bits) {
  return {semanticsOf(type), llvm::APInt(bitsOf(type), bits, false, true)};
}

/// The canonical NaN is what PTX's instructions give.
static uint64_t canonicalNan(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return 0x7fffffffffffffff;
  case ElementType::F32:
    return 0x7fffffff;
  case ElementType::F8E4M3:
  case ElementType::F8E5M2:
    return 0x7f;
  default:
    return 0x7fff;
  }
}

/// The bits of a number, rounded to the type.
static uint64_t roundTo(ElementType type, llvm::APFloat value) {
  if (value.isNaN())
    return canonicalNan(type);
  bool lost = false;
  llvm::APFloat result = value;
  result.convert(semanticsOf(type), llvm::APFloat::rmNearestTiesToEven, &lost);
  if (isFp8(type) && !result.isFinite())
    result = llvm::APFloat::getLargest(semanticsOf(type), value.isNegative());
  return result.bitcastToAPInt().getZExtValue();
}

float titan::sim::toFloat(ElementType type, uint64_t bits) {
  switch (type) {
  case ElementType::F32:
    return asFloat(static_cast<uint32_t>(bits));
  case ElementType::BF16:
    return bf16ToFloat(static_cast<uint16_t>(bits));
  case ElementType::F16:
    return f16ToFloat(static_cast<uint16_t>(bits));
  default:
    return static_cast<float>(toDouble(type, bits));
  }
}

double titan::sim::toDouble(ElementType type, uint64_t bits) {
  if (type == ElementType::F64)
    return std::bit_cast<double>(bits);
  if (!isFp8(type))
    return toFloat(type, bits);
  llvm::APFloat value = makeFloat(type, bits);
  bool lost = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &lost);
  return value.convertToDouble();
}

uint64_t titan::sim::fromFloat(ElementType type, float value) {
  switch (type) {
  case ElementType::F32:
    return asBits(value);
  case ElementType::BF16:
    return floatToBf16(value);
  case ElementType::F16:
    return floatToF16(value);
  case ElementType::F64:
    return std::bit_cast<uint64_t>(static_cast<double>(value));
  default:
    return roundTo(type, llvm::APFloat(value));
  }
}

uint64_t titan::sim::fromDouble(ElementType type, double value) {
  if (type == ElementType::F64)
    return std::bit_cast<uint64_t>(value);
  if (type == ElementType::F32)
    return asBits(static_cast<float>(value));
  return roundTo(type, llvm::APFloat(value));
}

static const llvm::StringMap<llvm::SmallVector<Elt, 2>> &eltTable() {
  static const llvm::StringMap<llvm::SmallVector<Elt, 2>> table = {
      {"arith.addi", {Elt::Add}},
      {"arith.subi", {Elt::Sub}},
      {"arith.muli", {Elt::Mul}},
      {"arith.divsi", {Elt::DivS}},
      {"arith.divui", {Elt::DivU}},
      {"arith.remsi", {Elt::RemS}},
      {"arith.remui", {Elt::RemU}},
      {"arith.ceildivsi", {Elt::CeilDivS}},
      {"arith.ceildivui", {Elt::CeilDivU}},
      {"arith.floordivsi", {Elt::FloorDivS}},
      {"arith.andi", {Elt::And}},
      {"arith.ori", {Elt::Or}},
      {"arith.xori", {Elt::Xor}},
      {"arith.shli", {Elt::Shl}},
      {"arith.shrsi", {Elt::ShrS}},
      {"arith.shrui", {Elt::ShrU}},
      {"arith.maxsi", {Elt::MaxS}},
      {"arith.maxui", {Elt::MaxU}},
      {"arith.minsi", {Elt::MinS}},
      {"arith.minui", {Elt::MinU}},
      {"arith.cmpi", {Elt::CmpI}},
      {"arith.extsi", {Elt::ExtS}},
      {"arith.extui", {Elt::ExtU}},
      {"arith.trunci", {Elt::Trunc}},
      {"arith.index_cast", {Elt::ExtS}},
      {"arith.index_castui", {Elt::ExtU}},
      {"arith.addf", {Elt::AddF}},
      {"arith.subf", {Elt::SubF}},
      {"arith.mulf", {Elt::MulF}},
      {"arith.divf", {Elt::DivF}},
      {"arith.maximumf", {Elt::Maximum}},
      {"arith.minimumf", {Elt::Minimum}},
      {"arith.maxnumf", {Elt::MaxNum}},
      {"arith.minnumf", {Elt::MinNum}},
      {"arith.negf", {Elt::NegF}},
      {"arith.cmpf", {Elt::CmpF}},
      {"arith.extf", {Elt::ExtF}},
      {"arith.truncf", {Elt::TruncF}},
      {"arith.sitofp", {Elt::SIToFP}},
      {"arith.uitofp", {Elt::UIToFP}},
      {"arith.fptosi", {Elt::FPToSI}},
      {"arith.fptoui", {Elt::FPToUI}},
      {"arith.bitcast", {Elt::Bitcast}},
      {"arith.select", {Elt::Select}},
      {"math.exp", {Elt::Exp}},
      {"math.exp2", {Elt::Exp2}},
      {"math.log", {Elt::Log}},
      {"math.log2", {Elt::Log2}},
      {"math.sqrt", {Elt::Sqrt}},
      {"math.rsqrt", {Elt::Rsqrt}},
      {"math.tanh", {Elt::Tanh}},
      {"math.absf", {Elt::Abs}},
      {"math.fma", {Elt::Fma}},
      {"math.sin", {Elt::Sin}},
      {"math.cos", {Elt::Cos}},
      {"math.floor", {Elt::Floor}},
      {"math.ceil", {Elt::Ceil}},
      {"math.erf", {Elt::Erf}},
      {"math.log10", {Elt::Log10}},
      {"math.sincos", {Elt::Sin, Elt::Cos}},
      {"math.clampf", {Elt::Clamp}},
      {"math.copysign", {Elt::CopySign}},
      {"math.trunc", {Elt::Truncate}},
      {"math.round", {Elt::Round}},
      {"math.roundeven", {Elt::RoundEven}},
      {"math.isfinite", {Elt::IsFinite}},
      {"math.isinf", {Elt::IsInf}},
      {"math.isnan", {Elt::IsNan}},
      {"math.isnormal", {Elt::IsNormal}},
      {"math.absi", {Elt::AbsI}},
      {"math.ctlz", {Elt::CountLeadingZeros}},
      {"math.cttz", {Elt::CountTrailingZeros}},
      {"math.ctpop", {Elt::PopCount}},
      {"arith.remf", {Elt::RemF}},
      {"arith.addui_extended", {Elt::Add, Elt::AddCarry}},
      {"arith.mulsi_extended", {Elt::Mul, Elt::MulHighS}},
      {"arith.mului_extended", {Elt::Mul, Elt::MulHighU}},
  };
  return table;
}

std::optional<Elt> titan::sim::findElt(llvm::StringRef name, unsigned result) {
  auto found = eltTable().find(name);
  if (found == eltTable().end() || result >= found->second.size())
    return std::nullopt;
  return found->second[result];
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
static bool compare(unsigned predicate, double a, double b) {
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

template <typename T> static T maximum(T a, T b, bool number) {
  if (std::isnan(a) || std::isnan(b)) {
    if (number)
      return std::isnan(a) ? b : a;
    return std::numeric_limits<T>::quiet_NaN();
  }
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

template <typename T> static T minimum(T a, T b, bool number) {
  return -maximum<T>(-a, -b, number);
}

/// What is computed in T and then rounded to the operands' type: f32 for all
/// narrower ones (Numeric.h), f64 for f64. A function of math: none.
template <typename T>
static std::optional<T> arithmetic(Elt what, T a, T b, T c) {
  switch (what) {
  case Elt::AddF:
    return a + b;
  case Elt::SubF:
    return a - b;
  case Elt::MulF:
    return a * b;
  case Elt::DivF:
    return a / b;
  case Elt::RemF:
    return std::fmod(a, b);
  case Elt::Maximum:
    return maximum(a, b, false);
  case Elt::MaxNum:
    return maximum(a, b, true);
  case Elt::Minimum:
    return minimum(a, b, false);
  case Elt::MinNum:
    return minimum(a, b, true);
  case Elt::Clamp:
    return minimum(maximum(a, b, false), c, false);
  case Elt::NegF:
    return -a;
  case Elt::Abs:
    return std::fabs(a);
  case Elt::CopySign:
    return std::copysign(a, b);
  case Elt::Sqrt:
    return std::sqrt(a);
  case Elt::Floor:
    return std::floor(a);
  case Elt::Ceil:
    return std::ceil(a);
  case Elt::Truncate:
    return std::trunc(a);
  case Elt::Round:
    return std::round(a);
  case Elt::RoundEven:
    return std::nearbyint(a);
  default:
    return std::nullopt;
  }
}

/// A function of math, in f64.
static double function(Elt what, double x) {
  switch (what) {
  case Elt::Exp:
    return std::exp(x);
  case Elt::Exp2:
    return std::exp2(x);
  case Elt::Log:
    return std::log(x);
  case Elt::Log2:
    return std::log2(x);
  case Elt::Log10:
    return std::log10(x);
  case Elt::Rsqrt:
    return 1.0 / std::sqrt(x);
  case Elt::Tanh:
    return std::tanh(x);
  case Elt::Sin:
    return std::sin(x);
  case Elt::Cos:
    return std::cos(x);
  default:
    return std::erf(x);
  }
}

/// The functions that PTX approximates, by the names of lib/Target.
static const ApproximateFunction *approximated(Elt what) {
  static const auto table = [] {
    std::array<const ApproximateFunction *, 256> made{};
    for (auto [elt, name] :
         {std::pair(Elt::Exp, "exp"), std::pair(Elt::Exp2, "exp2"),
          std::pair(Elt::Log, "log"), std::pair(Elt::Log2, "log2"),
          std::pair(Elt::Log10, "log10"), std::pair(Elt::Rsqrt, "rsqrt"),
          std::pair(Elt::Tanh, "tanh"), std::pair(Elt::Sin, "sin"),
          std::pair(Elt::Cos, "cos"), std::pair(Elt::Erf, "erf")})
      made[static_cast<size_t>(elt)] = findApproximateFunction(name);
    return made;
  }();
  return table[static_cast<size_t>(what)];
}

/// From -1 to 1 (splitmix64).
static double nextRandom(uint64_t &state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
}

/// Another f32 that the hardware might give for f(x).
static float move(const ApproximateFunction &f, double x, double exact,
                  Approximate &how) {
  std::optional<double> bound = errorBound(f, x, exact);
  if (!bound || !std::isfinite(exact) || x == 0)
    return static_cast<float>(exact);
  double share = how.mode == Approximate::High  ? 1
                 : how.mode == Approximate::Low ? -1
                                                : nextRandom(how.seed);
  auto moved = static_cast<float>(exact + share * *bound);
  // Rounding must not leave the bound.
  if (std::fabs(moved - exact) > *bound)
    moved = std::nextafter(moved, static_cast<float>(exact));
  return moved;
}

static uint64_t fromInteger(ElementType type, uint64_t value, bool isSigned) {
  llvm::APFloat result(semanticsOf(type));
  result.convertFromAPInt(llvm::APInt(64, value), isSigned,
                          llvm::APFloat::rmNearestTiesToEven);
  return result.bitcastToAPInt().getZExtValue();
}

static uint64_t fma(ElementType type, uint64_t a, uint64_t b, uint64_t c) {
  llvm::APFloat result = makeFloat(type, a);
  result.fusedMultiplyAdd(makeFloat(type, b), makeFloat(type, c),
                          llvm::APFloat::rmNearestTiesToEven);
  return result.isNaN() ? canonicalNan(type)
                        : result.bitcastToAPInt().getZExtValue();
}

static uint64_t evaluateFloat(const EltOp &op, uint64_t a, uint64_t b,
                              uint64_t c, Approximate *how) {
  if (op.in == ElementType::F64) {
    double x = toDouble(op.in, a);
    auto result =
        arithmetic<double>(op.what, x, toDouble(op.in, b), toDouble(op.in, c));
    return fromDouble(op.out, result ? *result : function(op.what, x));
  }
  float x = toFloat(op.in, a);
  if (auto result =
          arithmetic<float>(op.what, x, toFloat(op.in, b), toFloat(op.in, c))) {
    if (op.what == Elt::DivF && op.approximate && how &&
        how->mode != Approximate::Exact) {
      double exact = static_cast<double>(x) / toFloat(op.in, b);
      *result = move(approximateDivision(), exact, exact, *how);
    }
    if (op.what == Elt::Sqrt && op.approximate) {
      if (std::fabs(x) < std::numeric_limits<float>::min())
        *result = std::copysign(0.0f, x);
      else if (how && how->mode != Approximate::Exact)
        *result = move(approximateRoot(), x, std::sqrt(double{x}), *how);
    }
    return fromFloat(op.out, *result);
  }
  double exact = function(op.what, x);
  auto result = static_cast<float>(exact);
  if (const ApproximateFunction *f = approximated(op.what);
      f && how && how->mode != Approximate::Exact)
    result = move(*f, x, exact, *how);
  if (op.what == Elt::Exp2 && op.approximate &&
      std::fabs(result) < std::numeric_limits<float>::min())
    result = std::copysign(0.0f, result);
  return fromFloat(op.out, result);
}

std::optional<uint64_t> titan::sim::evaluate(const EltOp &op, uint64_t a,
                                             uint64_t b, uint64_t c,
                                             Approximate *how) {
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
    return compare(op.predicate, toDouble(op.in, a), toDouble(op.in, b));
  case Elt::SIToFP:
    return fromInteger(op.out, sa, true);
  case Elt::UIToFP:
    return fromInteger(op.out, ua, false);
  case Elt::FPToSI:
  case Elt::FPToUI: {
    double value = std::trunc(toDouble(op.in, a));
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
  case Elt::ExtF:
  case Elt::TruncF:
    if (op.in == ElementType::F64)
      return fromDouble(op.out, toDouble(op.in, a));
    return fromFloat(op.out, toFloat(op.in, a));
  case Elt::IsFinite:
    return std::isfinite(toDouble(op.in, a));
  case Elt::IsInf:
    return std::isinf(toDouble(op.in, a));
  case Elt::IsNan:
    return std::isnan(toDouble(op.in, a));
  case Elt::IsNormal:
    return makeFloat(op.in, a).isNormal();
  case Elt::AbsI:
    return out(sa < 0 ? -a : a);
  case Elt::CountLeadingZeros:
    return out(std::countl_zero(ua) - (64 - width));
  case Elt::CountTrailingZeros:
    return out(std::min<int>(std::countr_zero(ua), width));
  case Elt::PopCount:
    return out(std::popcount(ua));
  case Elt::AddCarry:
    return static_cast<uint64_t>((static_cast<unsigned __int128>(ua) + ub) >>
                                 width);
  case Elt::MulHighS:
    return out(static_cast<uint64_t>(static_cast<__int128>(sa) * sb >> width));
  case Elt::MulHighU:
    return out(static_cast<uint64_t>(static_cast<unsigned __int128>(ua) * ub >>
                                     width));
  default:
    return evaluateFloat(op, a, b, c, how);
  }
}
