//===- InlinePtx.cpp - what no CPU executes -------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Simulator/ExecutionTable.h"

using namespace titan;
using namespace titan::sim;

void titan::sim::registerInlinePtx(ExecutionTable &table) {
  // Texts with a reference have become its operations (titan-reference-ptx).
  table.add<InlinePtxOp>([](Compiler &c, InlinePtxOp op) {
    c.unsupported(
        op, op.getPure() ? ": name a func.func that computes it, reference(@f)"
            : op.getOpaque() ? ": what the text does is opaque"
                             : ": its effects are declared, but not what it "
                               "writes; only `pure` texts have a reference");
  });
}
