//===- ProductOps.cpp - matrix products -----------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Dialect/Triton/Triton.h"

using namespace mlir;
using namespace titan::tt;

/// Whether [batch x] M x K and [batch x] K x N make [batch x] M x N.
static LogicalResult verifyProduct(Operation *op, RankedTensorType a,
                                   RankedTensorType b, RankedTensorType d,
                                   int64_t packA[2], int64_t packB[2]) {
  int64_t rank = a.getRank();
  auto at = [&](RankedTensorType type, int64_t fromEnd) {
    return type.getDimSize(type.getRank() - fromEnd);
  };
  bool fits =
      rank >= 2 && rank <= 3 && b.getRank() == rank && d.getRank() == rank;
  if (fits && rank == 3)
    fits = at(a, 3) == at(b, 3) && at(a, 3) == at(d, 3);
  if (fits)
    fits = at(a, 1) * packA[1] == at(b, 2) * packB[0] &&
           at(a, 2) * packA[0] == at(d, 2) && at(b, 1) * packB[1] == at(d, 1);
  if (fits)
    return success();
  return op->emitOpError("[tt-shape] ")
         << a << " times " << b << " does not make " << d;
}

LogicalResult DotOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType());
  auto b = cast<RankedTensorType>(getB().getType());
  auto d = cast<RankedTensorType>(getType());
  Type left = a.getElementType(), right = b.getElementType();
  if (left.getIntOrFloatBitWidth() != right.getIntOrFloatBitWidth() ||
      isa<FloatType>(left) != isa<FloatType>(right) ||
      isa<FloatType>(left) != isa<FloatType>(d.getElementType()))
    return emitOpError("[tt-type] ")
           << left << " times " << right << " into " << d.getElementType()
           << ": operands have one width, and all are integers or none";
  int64_t one[2] = {1, 1};
  return verifyProduct(*this, a, b, d, one, one);
}

LogicalResult DotScaledOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType());
  auto b = cast<RankedTensorType>(getB().getType());
  auto d = cast<RankedTensorType>(getType());
  bool fourA = getAElemType() == ScaleDotElemType::E2M1;
  bool fourB = getBElemType() == ScaleDotElemType::E2M1;
  int64_t packA[2] = {fourA && !getLhsKPack() ? 2 : 1,
                      fourA && getLhsKPack() ? 2 : 1};
  int64_t packB[2] = {fourB && getRhsKPack() ? 2 : 1,
                      fourB && !getRhsKPack() ? 2 : 1};
  if (failed(verifyProduct(*this, a, b, d, packA, packB)))
    return failure();
  int64_t rank = a.getRank();
  int64_t k = a.getDimSize(rank - 1) * packA[1];
  for (auto [scale, rows, name] :
       {std::tuple(getAScale(), d.getDimSize(rank - 2), "a"),
        std::tuple(getBScale(), d.getDimSize(rank - 1), "b")}) {
    if (!scale)
      continue;
    auto type = cast<RankedTensorType>(scale.getType());
    if (type.getNumElements() == 1)
      continue;
    int64_t groups = type.getShape().empty() ? 0 : type.getShape().back();
    int64_t factor = groups ? k / groups : 0;
    if (type.getRank() != rank || type.getDimSize(rank - 2) != rows ||
        groups * factor != k || (factor != 16 && factor != 32))
      return emitOpError("[tt-shape] the scales of ")
             << name << ", " << type << ", are " << rows
             << " rows of one for each 32 or 16 elements of K = " << k;
  }
  return success();
}
