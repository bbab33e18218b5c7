//===- PipeOps.cpp - rings of slots between partitions --------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OpHelpers.h"
#include "titan/Dialect/Titan/Titan.h"

using namespace mlir;
using namespace titan;

LogicalResult PipeCreateOp::verify() {
  int64_t depth = getType().getDepth();
  if (depth < 1)
    return emitOpError("[pipe-depth] a pipe has at least one slot");
  if (getNames().size() != getBuffers().size())
    return emitOpError("[pipe-buffers] ") << getNames().size() << " names for "
                                          << getBuffers().size() << " buffers";
  for (Value buffer : getBuffers())
    if (cast<SharedType>(buffer.getType()).getSlots() != depth)
      return emitOpError("[pipe-buffers] a buffer of a pipe of depth ")
             << depth << " is a ring of as many slots, not "
             << buffer.getType();
  if (getConsumers().empty())
    return emitOpError("[pipe-consumers] a pipe has at least one consumer");
  // Else a slot goes from consumer to consumer, none of which sees all of its
  // phases: which one a parity means would not be known.
  if (int64_t turns = getConsumers().size(); getAlternating() && depth % turns)
    return emitOpError("[pipe-depth] the depth of a pipe whose ")
           << turns << " consumers take turns is a multiple of " << turns
           << ", not " << depth;
  return verifyAtKernelTop(*this);
}

/// Which ring's slot it is, a pipe says where one slot of it was acquired or
/// waited for; what loops carry is some slot of some pipe.
effect::View PipeBufferOp::getView() {
  Operation *use = getSlot().getDefiningOp();
  Value from;
  if (auto acquire = dyn_cast_or_null<PipeAcquireOp>(use))
    from = acquire.getPipe();
  else if (auto wait = dyn_cast_or_null<PipeWaitOp>(use))
    from = wait.getPipe();
  auto pipe = from ? from.getDefiningOp<PipeCreateOp>() : nullptr;
  if (!pipe)
    return {};
  for (auto [name, buffer] : llvm::zip(pipe.getNames(), pipe.getBuffers()))
    if (name == getNameAttr()) {
      auto ring = cast<SharedType>(buffer.getType());
      return {.source = buffer,
              .index = getSlot(),
              .stride = ring.getSlotBytes(),
              .slots = ring.getSlots()};
    }
  return {};
}
