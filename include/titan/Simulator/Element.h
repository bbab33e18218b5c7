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
//===----------------------------------------------------------------------===//
#ifndef TITAN_SIMULATOR_ELEMENT_H
#define TITAN_SIMULATOR_ELEMENT_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace titan::sim {

enum class ElementType : uint8_t { I1, I8, I16, I32, I64, F16, BF16, F32 };

/// The type of a scalar or element; none where it cannot be simulated.
/// `index` is I64.
std::optional<ElementType> typeOf(mlir::Type type);

inline bool isFloat(ElementType type) { return type >= ElementType::F16; }
/// Bits of an integer or float.
unsigned bitsOf(ElementType type);
/// Bytes in memory.
inline unsigned bytesOf(ElementType type) { return (bitsOf(type) + 7) / 8; }

/// The value with the bits above its type's width made canonical.
uint64_t canonical(ElementType type, uint64_t bits);

float toFloat(ElementType type, uint64_t bits);
uint64_t fromFloat(ElementType type, float value);

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
};

/// One element-wise operation: what it does, on what, yielding what.
struct EltOp {
  Elt what = Elt::Add;
  ElementType in =
      ElementType::I64; ///< Of the operands (Select: of its last two).
  ElementType out = ElementType::I64; ///< Of the result.
  uint8_t predicate = 0;              ///< CmpI, CmpF: arith's number.
};

/// The element-wise operation of that name ("arith.addf"), types aside.
std::optional<Elt> findElt(llvm::StringRef operationName);
/// The names of all operations that have one.
std::vector<llvm::StringRef> eltNames();

/// The result; none for a division by zero or one that overflows.
std::optional<uint64_t> evaluate(const EltOp &op, uint64_t a, uint64_t b,
                                 uint64_t c);

} // namespace titan::sim

#endif
