//===- Grid.cpp - grids that depend on one another ------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Simulator/ExecutionTable.h"

using namespace titan;
using namespace titan::sim;

/// A run has one grid: there is none before it in flight, and none after it.
static Step goOn(Agent &, const Inst &) { return Step::Ran; }

void titan::sim::registerGrid(ExecutionTable &table) {
  auto compile = [](Compiler &c, mlir::Operation *op) { c.emit(goOn, op); };
  table.add(GridDepWaitOp::getOperationName(), compile);
  table.add(GridDepLaunchOp::getOperationName(), compile);
}
