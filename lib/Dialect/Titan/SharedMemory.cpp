//===- SharedMemory.cpp - where allocations lie, and their names ----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Dialect/Titan/SharedMemory.h"

#include "titan/Dialect/Titan/PipeEnds.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace titan;

SmallVector<SharedAllocation> titan::layOutShared(KernelOp kernel,
                                                  int64_t limit) {
  SmallVector<SharedAllocation> list;
  int64_t next = 0;
  for (Operation &op : kernel.getBody().front()) {
    auto alloc = dyn_cast<AllocOpInterface>(op);
    if (!alloc)
      continue;
    auto [memory, bytes, alignment] = alloc.getAllocation();
    if (memory != effect::Allocation::Shared)
      continue;
    list.push_back(
        {&op, static_cast<int64_t>(llvm::alignTo(next, alignment)), bytes});
    next = list.back().end();
    if (next > limit)
      break;
  }
  return list;
}

Location PipeEnd::mark(Location loc) const {
  Builder b(loc.getContext());
  NamedAttrList entries;
  entries.append("pipe", b.getStringAttr(pipe));
  for (auto [name, set] :
       {std::pair("full", full), std::pair("exclusive", exclusive),
        std::pair("own", own), std::pair("order", order)})
    entries.append(name, b.getBoolAttr(set));
  return FusedLoc::get(b.getContext(), loc,
                       entries.getDictionary(b.getContext()));
}

std::optional<PipeEnd> PipeEnd::of(Location loc) {
  auto fused = loc->findInstanceOf<FusedLoc>();
  auto entries = fused ? dyn_cast_or_null<DictionaryAttr>(fused.getMetadata())
                       : DictionaryAttr();
  auto pipe = entries ? entries.getAs<StringAttr>("pipe") : StringAttr();
  if (!pipe)
    return std::nullopt;
  auto isSet = [&](StringRef name) {
    auto set = entries.getAs<BoolAttr>(name);
    return set && set.getValue();
  };
  return PipeEnd{pipe.str(), isSet("full"), isSet("exclusive"), isSet("own"),
                 isSet("order")};
}

std::string titan::inLine(Location loc) {
  auto at = loc->findInstanceOf<FileLineColLoc>();
  return at ? " (line " + std::to_string(at.getLine()) + ")" : "";
}

std::string titan::quoted(Operation *op) {
  return "'" + op->getName().getStringRef().str() + "'" + inLine(op->getLoc());
}

std::string titan::nameOf(Value value) {
  Location loc = value.getLoc();
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto name = loc->findInstanceOf<NameLoc>())
    os << '%' << name.getName().strref();
  else if (auto file = loc->findInstanceOf<FileLineColLoc>())
    os << "(line " << file.getLine() << ')';
  else
    value.printAsOperand(os, OpPrintingFlags());
  return text;
}

std::string titan::nameOfBarrier(Value ring, int64_t slot) {
  std::string text = nameOf(ring);
  if (cast<MBarrierType>(ring.getType()).getSlots() > 1)
    text += '[' + std::to_string(slot) + ']';
  return text;
}

std::string titan::fixOfInitialisers(Operation *init) {
  if (auto elect = init->getParentOfType<ElectOp>(); elect && !elect.getWarp())
    return "write titan.elect warp(0) for the titan.elect around it, which "
           "elects a thread of each warp; titan.cta_sync before another warp "
           "uses the barrier";
  return "let one thread of the CTA initialise it: titan.elect warp(0) { "
         "titan.mbarrier.init, titan.fence.mbarrier_init }, and "
         "titan.cta_sync behind it";
}
