//===- Uses.cpp - what becomes of a number in a kernel --------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Uses.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

bool checker::walkUses(
    Value from,
    llvm::function_ref<bool(OpOperand &use, SmallVectorImpl<Value> &next)>
        visit) {
  SmallVector<Value> rest = {from};
  llvm::DenseSet<Value> seen;
  while (!rest.empty()) {
    Value at = rest.pop_back_val();
    if (!seen.insert(at).second)
      continue;
    for (OpOperand &use : at.getUses())
      if (!visit(use, rest))
        return false;
  }
  return true;
}

std::vector<effect::Access> checker::accessesAt(HardwareEffectsInterface op,
                                                Value value) {
  std::vector<effect::Access> result;
  effect::EffectList effects;
  op.getHardwareEffects(effects);
  for (const effect::Effect &effect : effects)
    if (auto *access = std::get_if<effect::Access>(&effect.what);
        access && (llvm::is_contained(access->bytes.coords, value) ||
                   llvm::is_contained(access->bytes.offsets, value)))
      result.push_back(*access);
  return result;
}

Value checker::sameForAll(Value tile) {
  while (isa<RankedTensorType>(tile.getType())) {
    Operation *op = tile.getDefiningOp();
    if (!op || op->getNumOperands() != 1 ||
        !isa<TileOpInterface, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
             arith::IndexCastOp, arith::IndexCastUIOp>(op))
      return nullptr;
    tile = op->getOperand(0);
  }
  return tile;
}
