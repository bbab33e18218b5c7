//===- LoweringTable.cpp - the table of this process ----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Conversion/LoweringTable.h"

using namespace titan;

LoweringTable &LoweringTable::get() {
  static LoweringTable table = [] {
    LoweringTable families;
    populateKernelLowerings(families);
    populateTileLowerings(families);
    populateElementwiseLowerings(families);
    populateExchangeLowerings(families);
    populateMemoryLowerings(families);
    populateBarrierLowerings(families);
    populatePipeLowerings(families);
    populateTmaLowerings(families);
    populateAsyncCopyLowerings(families);
    populateAsyncStoreLowerings(families);
    populateBulkLowerings(families);
    populateTensormapLowerings(families);
    populateGridLowerings(families);
    populateInlinePtxLowerings(families);
    populateMmaLowerings(families);
    populateMmaSyncLowerings(families);
    return families;
  }();
  return table;
}
