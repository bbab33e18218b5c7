//===- Sides.cpp - a fence that stands, where it is of no use -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A write through the generic proxy, then an access of the async proxy: the
// writing thread fences behind its write and before what it signals (MM-31). Who
// wrote a fence, and not there, is told where it is and where it belongs:
//
//   write   signal   FENCE     behind the signal
//   FENCE   write    signal    before the write
//   write   signal | FENCE     by the thread that accesses
//   write   FENCE    signal    but of another memory
//
//===----------------------------------------------------------------------===//
#include "../Search/Conflicts.h"

#include "titan/Dialect/Titan/SharedMemory.h"
#include "titan/Target/MemorySpaces.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

/// The event's proxy fence; null: it is none.
static const effect::Fence *proxyFenceOf(const AgentProgram &code,
                                         const Event &event) {
  for (uint32_t i = 0; i < event.count; ++i)
    if (const Action &action = code.actions[event.first + i];
        action.kind == Action::Fence && action.effect)
      if (const auto *fence = std::get_if<effect::Fence>(&action.effect->what);
          fence && fence->kind == effect::Fence::ProxyAsync)
        return fence;
  return nullptr;
}

/// Whether others can hear of what came before the event.
static bool signals(const AgentProgram &code, const Event &event) {
  for (uint32_t i = 0; i < event.count; ++i) {
    Action::Kind kind = code.actions[event.first + i].kind;
    if (kind == Action::Arrive || kind == Action::ThreadBarrier)
      return true;
  }
  return false;
}

/// Whether the event writes through the generic proxy: a fence behind it is its.
static bool writes(const AgentProgram &code, const Event &event) {
  for (uint32_t i = 0; i < event.count; ++i)
    if (const Action &action = code.actions[event.first + i];
        action.kind == Action::Access)
      if (const auto *access =
              std::get_if<effect::Access>(&action.effect->what);
          access && access->kind == AccessKind::Write &&
          access->proxy == Proxy::Generic)
        return true;
  return false;
}

std::optional<Conflicts::Advice>
Conflicts::wrongSide(const AccessRecord &x, const AccessRecord &y) const {
  // Of asynchronous work another thread may be the one that has to fence.
  if (x.mechanism)
    return std::nullopt;
  const AgentProgram &code = program.programs[x.agent];
  const std::vector<Event> &events = code.events;
  size_t at = x.event - events.data();
  std::string first = quoted(x.event->op);
  auto covers = [](const effect::Fence &fence, MemorySpace space) {
    return fenceCovers(fence.space, space);
  };
  // By all lanes that wrote.
  auto ownFence = [&](const Event &event) {
    return (event.lanes & x.lanes) == x.lanes ? proxyFenceOf(code, event)
                                              : nullptr;
  };
  const Event *signal = nullptr;
  for (size_t i = at + 1; i < events.size() && events[i].op != x.event->op;
       ++i) {
    Operation *op = events[i].op;
    if (!x.event->op->getBlock()->findAncestorOpInBlock(*op) ||
        (signal && writes(code, events[i])))
      break;
    const effect::Fence *fence = ownFence(events[i]);
    if (fence && signal && covers(*fence, x.space))
      return Advice{
          "a fence.proxy.async of its thread stands behind the signal, and not "
          "before it",
          "move " + quoted(op) + " before " + quoted(signal->op) +
              ": who writes fences, and then signals",
          {{op, "this fence comes too late"},
           {signal->op, "others hear of the write by this"}}};
    if (fence && !signal && !covers(*fence, x.space))
      return Advice{"the fence.proxy.async between it and the signal is not of "
                    "this memory",
                    "let " + quoted(op) + " be of " +
                        (x.space == MemorySpace::Global ? "global"
                         : x.space == MemorySpace::SharedOwn
                             ? "shared_cta"
                             : "shared_cluster"),
                    {{op, "this fence orders accesses of another memory"}}};
    if (!signal && signals(code, events[i]))
      signal = &events[i];
  }
  for (size_t i = at; i-- > 0 && events[i].op != x.event->op;) {
    const effect::Fence *fence = ownFence(events[i]);
    Operation *op = events[i].op;
    if (signals(code, events[i]))
      break;
    if (fence && covers(*fence, x.space))
      return Advice{"the fence.proxy.async of its thread stands before it, and "
                    "not behind it",
                    "move " + quoted(op) + " behind " + first +
                        (signal ? ", before " + quoted(signal->op) : ""),
                    {{op, "this fence comes too early"}}};
  }
  const AgentProgram &other = program.programs[y.agent];
  for (size_t i = y.event - other.events.data(); i-- > 0;) {
    const effect::Fence *fence = proxyFenceOf(other, other.events[i]);
    Operation *op = other.events[i].op;
    if (fence && covers(*fence, y.space))
      return Advice{
          "the thread that accesses has executed fence.proxy.async, and not "
          "each one that wrote",
          "let each thread that writes execute titan.fence.proxy_async "
          "behind " +
              first + (signal ? " and before " + quoted(signal->op) : "") +
              "; that of " + quoted(op) + " does not order this",
          {{op, "this fence is of another thread"}}};
    if (signals(other, other.events[i]))
      break;
  }
  return std::nullopt;
}
