//===- SinkTiles.cpp - constant tiles stand with their warps --------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A constant tile has the layout of the warps that use it. Folding moves
// constants to the head of the kernel's body, which all warps execute, and leaves
// them without a place in the source: here each partition that uses one gets it
// back.
//
//===----------------------------------------------------------------------===//
#include "titan/Transforms/Passes.h"

namespace titan {
#define GEN_PASS_DEF_SINKTILES
#include "titan/Transforms/Passes.h.inc"
} // namespace titan

using namespace mlir;
using namespace titan;

namespace {
struct SinkTilesPass : titan::impl::SinkTilesBase<SinkTilesPass> {
  void runOnOperation() override {
    SmallVector<arith::ConstantOp> tiles;
    for (auto constant :
         getOperation().getBody().front().getOps<arith::ConstantOp>())
      if (isa<RankedTensorType>(constant.getType()))
        tiles.push_back(constant);
    for (arith::ConstantOp constant : tiles) {
      llvm::SmallDenseMap<PartitionOp, Value> copies;
      for (OpOperand &use : llvm::make_early_inc_range(constant->getUses())) {
        auto partition = use.getOwner()->getParentOfType<PartitionOp>();
        if (!partition)
          continue;
        Value &copy = copies[partition];
        if (!copy) {
          auto b = OpBuilder::atBlockBegin(&partition.getBody().front());
          Location loc = constant.getLoc();
          if (!loc->findInstanceOf<FileLineColLoc>())
            loc = use.getOwner()->getLoc();
          copy = arith::ConstantOp::create(b, loc, constant.getValue());
        }
        use.set(copy);
      }
      if (constant->use_empty())
        constant.erase();
    }
  }
};
} // namespace
