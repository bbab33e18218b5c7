//===- Pipes.cpp - what has been expanded by now --------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Conversion/LoweringTable.h"

using namespace mlir;
using namespace titan;

void titan::populatePipeLowerings(LoweringTable &table) {
  table.add<PipeCreateOp, PipeAcquireOp, PipeBufferOp, PipeLoadOp,
            PipeCopyAsyncOp, PipeCommitOp, PipeWaitOp, PipeReleaseOp,
            PipeSignalOp, PipeSkipOp, PipeTryAcquireOp, PipeTryWaitOp>(
      [](KernelLowering &, Operation *op) {
        return op->emitError("[not-supported-yet] pipes are expanded before "
                             "the lowering: run titan-expand-pipes");
      });
}
