//===- Grid.cpp - grids that depend on one another ------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Conversion/LoweringTable.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace titan;

void titan::populateGridLowerings(LoweringTable &table) {
  table.add<GridDepWaitOp>([](KernelLowering &kl, GridDepWaitOp) {
    NVVM::GriddepcontrolOp::create(kl.b, NVVM::GridDepActionKind::wait);
    return success();
  });
  table.add<GridDepLaunchOp>([](KernelLowering &kl, GridDepLaunchOp) {
    NVVM::GriddepcontrolOp::create(kl.b,
                                   NVVM::GridDepActionKind::launch_dependents);
    return success();
  });
}
