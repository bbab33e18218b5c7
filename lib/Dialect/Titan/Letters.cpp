//===- Letters.cpp - numbers that one thread hands to others --------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Dialect/Titan/Letters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace titan;

std::optional<int64_t> titan::letterOf(Operation *op) {
  auto number = op->getAttrOfType<IntegerAttr>(letterAttribute);
  return number ? std::optional(number.getInt()) : std::nullopt;
}

bool titan::isMailbox(Value memory) {
  return llvm::all_of(memory.getUsers(), [&](Operation *user) {
    if (auto slot = dyn_cast<SharedSlotOp>(user))
      return isMailbox(slot.getResult());
    auto store = dyn_cast<StOp>(user);
    return isa<LdOp>(user) || (store && store.getMemory() == memory);
  });
}

Value titan::letterNumberOf(Operation *op) {
  Value memory;
  if (auto load = dyn_cast<LdOp>(op))
    memory = load.getMemory();
  else if (auto store = dyn_cast<StOp>(op))
    memory = store.getMemory();
  auto slot = memory ? memory.getDefiningOp<SharedSlotOp>() : SharedSlotOp();
  if (!slot)
    return {};
  Value index = slot.getIndex();
  if (getConstantIntValue(index))
    return index;
  auto remainder = index.getDefiningOp<arith::RemUIOp>();
  const int64_t slots = slot.getRing().getType().getSlots();
  return remainder && getConstantIntValue(remainder.getRhs()) == slots
             ? remainder.getLhs()
             : Value();
}
