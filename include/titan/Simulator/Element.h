//===- Element.h - scalars and elements of register tiles -------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element-wise arithmetic of arith and math, on single values: scalars of an
// agent and elements of register tiles alike. Integers of up to 64 bits are
// kept sign-extended (i1: 0 or 1), floats by their bits in the low end.
//
// Results are those of exact arithmetic, rounded once. Where PTX has only an
// approximation (Target/Approximations.h), an Approximate may move them within
// its bound.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_SIMULATOR_ELEMENT_H
#define TITAN_SIMULATOR_ELEMENT_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace titan::sim {

enum class ElementType : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  F16,
  BF16,
  F32,
  F64,
  F8E4M3, ///< f8E4M3FN
  F8E5M2,
};

/// The type of a scalar or element; none where it cannot be simulated.
/// `index` is I64.
std::optional<ElementType> typeOf(mlir::Type type);

inline bool isFloat(ElementType type) { return type >= ElementType::F16; }
/// They are converted to and from, and computed with by matrix products alone.
inline bool isFp8(ElementType type) { return type >= ElementType::F8E4M3; }
/// Bits of an integer or float.
unsigned bitsOf(ElementType type);
/// Bytes in memory.
inline unsigned bytesOf(ElementType type) { return (bitsOf(type) + 7) / 8; }

/// The value with the bits above its type's width made canonical.
uint64_t canonical(ElementType type, uint64_t bits);

/// The number, exactly (F64: to the nearest).
float toFloat(ElementType type, uint64_t bits);
double toDouble(ElementType type, uint64_t bits);
/// To nearest, ties to even; fp8 saturates (cvt.satfinite), infinities too.
uint64_t fromFloat(ElementType type, float value);
uint64_t fromDouble(ElementType type, double value);

enum class Elt : uint8_t {
  Add,
  Sub,
  Mul,
  DivS,
  DivU,
  RemS,
  RemU,
  CeilDivS,
  CeilDivU,
  FloorDivS,
  And,
  Or,
  Xor,
  Shl,
  ShrS,
  ShrU,
  MaxS,
  MaxU,
  MinS,
  MinU,
  CmpI,
  ExtS,
  ExtU,
  Trunc,
  AddF,
  SubF,
  MulF,
  DivF,
  Maximum,
  Minimum,
  MaxNum,
  MinNum,
  NegF,
  CmpF,
  ExtF,
  TruncF,
  SIToFP,
  UIToFP,
  FPToSI,
  FPToUI,
  Bitcast,
  Select,
  Exp,
  Exp2,
  Log,
  Log2,
  Sqrt,
  Rsqrt,
  Tanh,
  Abs,
  Fma,
  Sin,
  Cos,
  Floor,
  Ceil,
  Erf,
  Log10,
  RemF,
  Clamp,
  CopySign,
  Truncate,
  Round,
  RoundEven,
  IsFinite,
  IsInf,
  IsNan,
  IsNormal,
  AbsI,
  CountLeadingZeros,
  CountTrailingZeros,
  PopCount,
  AddCarry, ///< The carry out of an unsigned sum.
  MulHighS, ///< The upper half of a product.
  MulHighU,
};

/// What becomes of results that PTX approximates.
struct Approximate {
  enum Mode : uint8_t {
    Exact,  ///< The exact result, rounded.
    High,   ///< As high as the bound lets it be.
    Low,    ///< As low.
    Random, ///< Anywhere between.
  } mode = Exact;
  uint64_t seed = 1;
};

/// One element-wise operation: what it does, on what, yielding what.
struct EltOp {
  Elt what = Elt::Add;
  ElementType in =
      ElementType::I64; ///< Of the operands (Select: of its last two).
  ElementType out = ElementType::I64; ///< Of the result.
  uint8_t predicate = 0;              ///< CmpI, CmpF: arith's number.
  /// fastmath<afn>. Exp2: a subnormal result is zero; DivF: approximated;
  /// Sqrt: approximated, and a subnormal operand is a zero.
  bool approximate = false;
};

/// The element-wise operation of that name ("arith.addf"), types aside, that
/// yields its result of that number.
std::optional<Elt> findElt(llvm::StringRef operationName, unsigned result = 0);
/// The names of all operations that have one.
std::vector<llvm::StringRef> eltNames();

/// The result; none for a division by zero or one that overflows. Approximated
/// ones are moved as `how` says, which a random mode changes.
std::optional<uint64_t> evaluate(const EltOp &op, uint64_t a, uint64_t b,
                                 uint64_t c, Approximate *how = nullptr);

} // namespace titan::sim

#endif
