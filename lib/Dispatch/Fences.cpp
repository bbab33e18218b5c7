//===- Fences.cpp - proxy fences that a copy would need -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bulk and tensor copies reach shared memory through the async proxy, threads
// through the generic one. Where a tile goes from the one to the other a fence
// has to stand between, and it is part of what the variant costs:
//
//   titan.copy %A to %tile            all threads store: generic
//   titan.copy_async %tile to %B      bulk: reads through async       1 fence
//
// What others do with the tile their effects tell; of copies and products that
// nothing has been decided of, who executes them does. Which pairs need a fence
// says titan/Target/ProxyTable.h.
//
//===----------------------------------------------------------------------===//
#include "Building.h"

#include "titan/Effects/Resolver.h"

using namespace mlir;
using namespace titan;
using namespace titan::dispatch;

void dispatch::addSharedAccesses(Operation *op,
                                 SmallVectorImpl<SharedAccess> &list) {
  auto add = [&](Value memory, AccessKind kind, Proxy proxy) {
    if (memory && isa<SharedType>(memory.getType()))
      list.push_back({effect::baseOf(memory).root, {kind, proxy}});
  };
  if (auto hardware = dyn_cast<HardwareEffectsInterface>(op)) {
    effect::EffectList effects;
    hardware.getHardwareEffects(effects);
    for (const effect::Effect &effect : effects)
      if (auto *access = std::get_if<effect::Access>(&effect.what))
        add(access->bytes.object, access->kind, access->proxy);
  } else if (auto copy = dyn_cast<CopyAsyncOp>(op)) {
    Issuers::Kind who = issuersOf(op).kind;
    Proxy proxy = who == Issuers::Thread || who == Issuers::Threads
                      ? Proxy::Async
                      : Proxy::AsyncGeneric;
    add(copy.getSource(), AccessKind::Read, proxy);
    add(copy.getTarget(), AccessKind::Write, proxy);
  } else if (auto copy = dyn_cast<CopyOp>(op)) {
    add(copy.getSource(), AccessKind::Read, Proxy::Generic);
    add(copy.getTarget(), AccessKind::Write, Proxy::Generic);
  } else if (auto product = dyn_cast<ProductOp>(op)) {
    // From shared memory: wgmma.
    for (Value operand : {product.getA(), product.getB()})
      add(operand, AccessKind::Read, Proxy::Async);
  }
}

/// Whether a stands before b in the text; nothing: in another branch.
static std::optional<bool> standsBefore(Operation *a, Operation *b) {
  for (Operation *x = a; x && x->getBlock(); x = x->getParentOp())
    if (Operation *y = x->getBlock()->findAncestorOpInBlock(*b)) {
      if (x == y)
        return std::nullopt;
      return x->isBeforeInBlock(y);
    }
  return std::nullopt;
}

/// All that touches a buffer, through whatever view.
static SmallVector<Operation *> usersOf(Value root) {
  SmallVector<Operation *> users;
  SmallVector<Value> stack = {root};
  while (!stack.empty())
    for (Operation *user : stack.pop_back_val().getUsers())
      if (isa<ViewOpInterface>(user))
        stack.append(user->result_begin(), user->result_end());
      else if (!llvm::is_contained(users, user))
        users.push_back(user);
  return users;
}

int64_t dispatch::proxyFences(Operation *copy, ArrayRef<SharedAccess> own) {
  auto loop = copy->getParentOfType<LoopLikeOpInterface>();
  bool before = false, behind = false;
  for (const SharedAccess &mine : own) {
    // The nearest ones that conflict; of a loop the iterations before and after
    // this one, too.
    struct {
      Operation *op = nullptr;
      ProxyAccess access;
    } last, next, lastInLoop, firstInLoop;
    for (Operation *user : usersOf(mine.root)) {
      std::optional<bool> earlier = standsBefore(user, copy);
      if (!earlier) // Itself, too.
        continue;
      SmallVector<SharedAccess> theirs;
      addSharedAccesses(user, theirs);
      bool inLoop = loop && loop->isProperAncestor(user);
      for (const SharedAccess &other : theirs) {
        if (other.root != mine.root || !conflict(other.access, mine.access))
          continue;
        auto take = [&](auto &slot, bool latest) {
          if (!slot.op || standsBefore(slot.op, user).value_or(false) == latest)
            slot = {user, other.access};
        };
        take(*earlier ? last : next, *earlier);
        if (inLoop)
          take(*earlier ? firstInLoop : lastInLoop, !*earlier);
      }
    }
    auto fenced = [](ProxyAccess x, ProxyAccess y) {
      return required(x, y, Relation::SameCta).fence != ProxyFence::None;
    };
    auto &from = last.op || !lastInLoop.op ? last : lastInLoop;
    auto &to = next.op || !firstInLoop.op ? next : firstInLoop;
    before |= from.op && fenced(from.access, mine.access);
    behind |= to.op && fenced(mine.access, to.access);
  }
  return before + behind;
}
