//===- MmaSync.cpp - titan.mma_sync as mma.sync ---------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp's fragments lie in its registers one behind the other, in words of 32
// bits (lib/Layout/Hardware.cpp): A by halves of 8 rows, then 16 bytes of K, then
// blocks of 16 rows; B by 16 bytes of K, then blocks of 8 columns; D four elements
// a block, blocks of columns first.
//
//===----------------------------------------------------------------------===//
#include "titan/Conversion/LoweringTable.h"

#include "titan/Dialect/Titan/Products.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace titan;

static NVVM::MMATypes ptxType(MmaType type) {
  switch (type) {
  case MmaType::F16:
    return NVVM::MMATypes::f16;
  case MmaType::BF16:
    return NVVM::MMATypes::bf16;
  case MmaType::TF32:
    return NVVM::MMATypes::tf32;
  case MmaType::U8:
    return NVVM::MMATypes::u8;
  default:
    return NVVM::MMATypes::s8;
  }
}

static LogicalResult mmaSync(KernelLowering &kl, MmaSyncOp op) {
  RankedTensorType tileA = op.getA().getType(), tileC = op.getC().getType();
  MmaProduct product = getWarpProduct(op);
  Values a = kl.packed(kl.get(op.getA())), b = kl.packed(kl.get(op.getB())),
         c = kl.get(op.getC());
  Type element = tileC.getElementType(), word = element;
  bool pairs = element.isF16();
  if (pairs) {
    word = VectorType::get(2, element);
    c = kl.packed(c);
    for (Value &each : c)
      each = LLVM::BitcastOp::create(kl.b, word, each);
  }
  if (product.a == MmaType::F16)
    for (Values *words : {&a, &b})
      for (Value &each : *words)
        each = LLVM::BitcastOp::create(
            kl.b, VectorType::get(2, kl.b.getF16Type()), each);

  // Steps of 16 bytes of K; an instruction takes two, the last one perhaps one.
  int64_t steps = tileA.getShape()[1] * tileA.getElementTypeBitWidth() / 128;
  int64_t rowBlocks = a.size() / (2 * steps), columnBlocks = b.size() / steps;
  int64_t each = pairs ? 2 : 4;
  auto result = LLVM::LLVMStructType::getLiteral(kl.b.getContext(),
                                                 SmallVector<Type>(each, word));
  std::optional<NVVM::MMAIntOverflow> overflow;
  if (product.d == MmaType::S32)
    overflow = product.saturate ? NVVM::MMAIntOverflow::satfinite
                                : NVVM::MMAIntOverflow::wrapped;
  for (int64_t row = 0; row < rowBlocks; ++row)
    for (int64_t column = 0; column < columnBlocks; ++column) {
      MutableArrayRef<Value> sums = MutableArrayRef<Value>(c).slice(
          (row * columnBlocks + column) * each, each);
      for (int64_t step = 0; step < steps; step += 2) {
        int64_t count = std::min<int64_t>(2, steps - step);
        Value all = NVVM::MmaOp::create(
            kl.b, result,
            ValueRange(a).slice(2 * (row * steps + step), 2 * count),
            ValueRange(b).slice(column * steps + step, count), ValueRange(sums),
            {16, 8, product.depth * count / 2}, std::nullopt, overflow,
            std::array{ptxType(product.a), ptxType(product.b)},
            std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
        for (int64_t i = 0; i < each; ++i)
          sums[i] = LLVM::ExtractValueOp::create(kl.b, all, i);
      }
    }
  if (pairs) {
    for (Value &both : c)
      both = LLVM::BitcastOp::create(kl.b, kl.b.getI32Type(), both);
    c = kl.unpacked(c, element);
  }
  kl.set(op.getResult(), c);
  return success();
}

void titan::populateMmaSyncLowerings(LoweringTable &table) {
  table.add<MmaSyncOp>(mmaSync);
}
