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

static int64_t slotsOf(Type ring) {
  if (auto shared = dyn_cast<SharedType>(ring))
    return shared.getSlots();
  return cast<TensorMemoryType>(ring).getSlots();
}

int64_t PipeCreateOp::getParts(unsigned i) {
  return slotsOf(getBuffers()[i].getType()) / getType().getDepth();
}

/// A pipe without buffers carries turns: nothing is filled or released.
static LogicalResult verifyOrder(PipeCreateOp pipe) {
  if (pipe.getFill() != PipeFill::Transaction ||
      pipe.getRelease() != PipeRelease::Arrive || pipe.getAlternating() ||
      pipe.getExclusive())
    return pipe.emitOpError("[pipe-order] a pipe without buffers carries turns "
                            "alone: it has no fill, no release, and its "
                            "consumers take each turn together");
  if (pipe.getCredit() < 0 ||
      pipe.getCredit() > uint64_t(pipe.getType().getDepth()))
    return pipe.emitOpError("[pipe-order] a credit of ")
           << static_cast<int64_t>(pipe.getCredit())
           << " turns: a pipe of depth " << pipe.getType().getDepth()
           << " holds at most as many";
  return success();
}

/// What lies in a buffer lies in the slots of it that users of the pipe name.
void PipeCreateOp::getTileFlow(flow::Steps &steps) {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  for (auto [name, buffer] : llvm::zip(getNames(), getBuffers()))
    kernel.getBody().walk([&, name = name, buffer = buffer](PipeBufferOp at) {
      if (at.getNameAttr() == name)
        steps.push_back(flow::Pass{buffer, at.getResult()});
    });
}

LogicalResult PipeCreateOp::verify() {
  int64_t depth = getType().getDepth();
  if (depth < 1)
    return emitOpError("[pipe-depth] a pipe has at least one slot");
  if (getNames().size() != getBuffers().size())
    return withFix(emitOpError("[pipe-buffers] ")
                       << getNames().size() << " names for "
                       << getBuffers().size() << " buffers",
                   "give each buffer one name: buffers [\"a\", \"b\"](%a, %b "
                   ": ...)");
  // Users of a slot name the buffer that they mean.
  llvm::SmallDenseSet<Attribute> seen;
  for (Attribute name : getNames())
    if (!seen.insert(name).second)
      return withFix(emitOpError("[pipe-buffers] two buffers have the name ")
                         << name,
                     "give each buffer a name of its own");
  for (Value buffer : getBuffers())
    if (slotsOf(buffer.getType()) % depth)
      return withFix(emitOpError("[pipe-buffers] a buffer of a pipe of depth ")
                         << depth
                         << " is a ring of as many slots, or a multiple, not "
                         << buffer.getType(),
                     "allocate the ring with slots = " + Twine(depth) +
                         ", or make the pipe a !titan.pipe<" +
                         Twine(slotsOf(buffer.getType())) + ">");
  if (getConsumers().empty())
    return emitOpError("[pipe-consumers] a pipe has at least one consumer");
  // Else a slot goes from consumer to consumer, none of which sees all of its
  // phases: which one a parity means would not be known.
  if (int64_t turns = getConsumers().size(); getAlternating() && depth % turns)
    return emitOpError("[pipe-depth] the depth of a pipe whose ")
           << turns << " consumers take turns is a multiple of " << turns
           << ", not " << depth;
  if (getAlternating() && getExclusive())
    return withFix(emitOpError("[pipe-consumers] consumers take slots in turns "
                               "(alternating), or skip those of others "
                               "(exclusive), not both"),
                   "take `exclusive` away where consumer k has uses k, k + " +
                       Twine(getConsumers().size()) +
                       ", ...; else `alternating`, and skip by "
                       "titan.pipe.skip");
  if (isOrder() ? failed(verifyOrder(*this)) : getCredit() != 0)
    return isOrder() ? failure()
                     : emitOpError("[pipe-order] slots have no credit: all of "
                                   "them are empty at the beginning");
  if (getRelease() == PipeRelease::MulticastArrive)
    if (auto kernel = (*this)->getParentOfType<KernelOp>();
        kernel && kernel.getClusterSize() == 1)
      return emitOpError("[pipe-cluster] slots are released to the CTAs of a "
                         "cluster, and the kernel has none");
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
      // Slot and part are two indices: after the expansion they are one.
      if (getPart())
        return {};
      auto ring = dyn_cast<SharedType>(buffer.getType());
      return {
          .source = buffer,
          .index = getSlot(),
          .stride =
              ring ? ring.getSlotBytes()
                   : 4 * cast<TensorMemoryType>(buffer.getType()).getColumns(),
          .slots = slotsOf(buffer.getType())};
    }
  return {};
}
