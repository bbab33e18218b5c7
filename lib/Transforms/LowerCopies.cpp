//===- LowerCopies.cpp - copies and products become what variants build ---===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lib/Dispatch decides and builds (Dispatch/Dispatch.h).
//
//===----------------------------------------------------------------------===//
#include "titan/Transforms/Passes.h"

#include "titan/Dispatch/Product.h"

namespace titan {
#define GEN_PASS_DEF_LOWERCOPIES
#include "titan/Transforms/Passes.h.inc"
} // namespace titan

using namespace mlir;
using namespace titan;

namespace {
struct LowerCopiesPass : titan::impl::LowerCopiesBase<LowerCopiesPass> {
  using LowerCopiesBase::LowerCopiesBase;

  void runOnOperation() override {
    // Products first: what holes of a copied tile reach hangs on them.
    LogicalResult products = dispatch::lowerProducts(getOperation()),
                  copies = dispatch::CopyDispatch(getOperation(), assertIndices)
                               .lowerAll();
    if (failed(products) || failed(copies))
      signalPassFailure();
  }
};
} // namespace

void titan::buildExpandPasses(OpPassManager &pm, bool assertIndices) {
  pm.addPass(createInsertFences());
  pm.addPass(createInsertWaits());
  pm.addPass(createInline());
  pm.addNestedPass<KernelOp>(createDropPoisonFlags());
  pm.addNestedPass<KernelOp>(createCountedLoops());
  pm.addNestedPass<KernelOp>(createUnroll());
  pm.addNestedPass<KernelOp>(createExpandPipes());
  pm.addNestedPass<KernelOp>(createPollLoops());
  pm.addNestedPass<KernelOp>(createLowerCopies({assertIndices}));
  pm.addNestedPass<KernelOp>(createAlignCopies());
  pm.addNestedPass<KernelOp>(createSinkTiles());
  pm.addNestedPass<KernelOp>(createExpandExchanges());
}
