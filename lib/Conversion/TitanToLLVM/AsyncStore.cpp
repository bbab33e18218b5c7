//===- AsyncStore.cpp - stores to a peer that tell its mbarrier ------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, st.async and red.async: 4, 8 or 16 bytes a thread at a time, as
// words of 32 bits.
//
//===----------------------------------------------------------------------===//
#include "titan/Conversion/LoweringTable.h"

using namespace mlir;
using namespace titan;

/// Accesses of `width` registers each, as far as this thread owns them: calls
/// `access` with the first register and the address.
static LogicalResult
forEachAccess(KernelLowering &kl, Operation *op, RankedTensorType tile,
              TypedValue<SharedType> target, int64_t width,
              llvm::function_ref<void(int64_t, Value)> access) {
  Layout layout = *getTileLayout(tile);
  auto owner = kl.ownerPredicate(op, layout);
  if (failed(owner))
    return failure();
  auto addresses = kl.tileAddresses(op, layout, target, width);
  if (failed(addresses))
    return failure();
  OpBuilder::InsertionGuard guard(kl.b);
  if (*owner) {
    auto branch = scf::IfOp::create(kl.b, TypeRange(), *owner, /*else=*/false);
    kl.b.setInsertionPointToStart(branch.thenBlock());
  }
  for (auto [n, address] : llvm::enumerate(*addresses)) {
    int64_t r = static_cast<int64_t>(n) * width;
    if (layout.isOwner({r, 0, 0}))
      access(r, address);
  }
  return success();
}

static LogicalResult stAsync(KernelLowering &kl, StAsyncOp op) {
  RankedTensorType tile = op.getTile().getType();
  Type element = tile.getElementType();
  int64_t bytes = getElementBytes(element);
  Layout layout = *getTileLayout(tile);
  // As wide as consecutive registers are consecutive bytes (a chunk of 16
  // stays together under every swizzle).
  int64_t run = layout.alignedRun(layout.rank() - 1), width = 16 / bytes;
  while (width > 1 && (run % width || tile.getShape().back() % width))
    width /= 2;
  int64_t words = width * bytes / 4;
  std::string text =
      "st.async.shared::cluster.mbarrier::complete_tx::bytes" +
      (words > 1 ? ".v" + std::to_string(words) : std::string()) +
      ".b32 [$0], ";
  std::string list, constraints = "r,r";
  for (int64_t i = 0; i < words; ++i) {
    list += (i ? ", $" : "$") + std::to_string(i + 2);
    constraints += ",r";
  }
  text += (words > 1 ? "{" + list + "}" : list) + ", [$1];";
  Values elements = kl.get(op.getTile());
  Value barrier = kl.mbarrierAddress(op.getBarrier(), op.getIndex());
  return forEachAccess(
      kl, op, tile, op.getTarget(), width, [&](int64_t r, Value address) {
        Value vector =
            LLVM::PoisonOp::create(kl.b, VectorType::get(width, element));
        for (int64_t i = 0; i < width; ++i)
          vector = LLVM::InsertElementOp::create(kl.b, vector, elements[r + i],
                                                 kl.i32(i));
        Value all = LLVM::BitcastOp::create(
            kl.b, VectorType::get(words, kl.b.getI32Type()), vector);
        Values operands{address, barrier};
        for (int64_t i = 0; i < words; ++i)
          operands.push_back(
              LLVM::ExtractElementOp::create(kl.b, all, kl.i32(i)));
        kl.ptx(text, constraints, operands);
      });
}

static LogicalResult redAsync(KernelLowering &kl, RedAsyncOp op) {
  bool wide = op.getTile().getType().getElementType().isInteger(64);
  std::string text =
      ("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::"
       "bytes." +
       stringifyAtomicOp(op.getOp()) + sharedReductionType(op.getOp(), wide) +
       " [$0], $1, [$2];")
          .str();
  Values elements = kl.get(op.getTile());
  Value barrier = kl.mbarrierAddress(op.getBarrier(), op.getIndex());
  return forEachAccess(kl, op, op.getTile().getType(), op.getTarget(), 1,
                       [&](int64_t r, Value address) {
                         kl.ptx(text, wide ? "r,l,r" : "r,r,r",
                                {address, elements[r], barrier});
                       });
}

StringRef titan::sharedReductionType(AtomicOp op, bool wide) {
  switch (op) {
  case AtomicOp::Add:
    return wide ? ".u64" : ".u32";
  case AtomicOp::Min:
  case AtomicOp::Max:
    return wide ? ".s64" : ".s32";
  default:
    return wide ? ".b64" : ".b32";
  }
}

void titan::populateAsyncStoreLowerings(LoweringTable &table) {
  table.add<StAsyncOp>(stAsync);
  table.add<RedAsyncOp>(redAsync);
}
