//===- GridOps.cpp - grids that depend on one another ---------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Dialect/Titan/Titan.h"

using namespace mlir;
using namespace titan;
using namespace titan::effect;

void GridDepWaitOp::getHardwareEffects(EffectList &effects) {
  effects.add(GridDependency{.kind = GridDependency::Wait},
              "PTX ISA, griddepcontrol");
}
Cardinality GridDepWaitOp::getCardinality() { return Cardinality::EveryThread; }

void GridDepLaunchOp::getHardwareEffects(EffectList &effects) {
  effects.add(GridDependency{.kind = GridDependency::LaunchDependents},
              "PTX ISA, griddepcontrol");
}
Cardinality GridDepLaunchOp::getCardinality() {
  return Cardinality::EveryThread;
}
