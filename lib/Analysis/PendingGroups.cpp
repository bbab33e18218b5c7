//===- PendingGroups.cpp - how many groups a wait may leave pending -------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/PendingGroups.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace titan;

namespace {

/// The threads that execute an operation, as far as groups are concerned.
struct Threads {
  enum Kind { All, OneAWarp, OneOfWarp } kind = All;
  int64_t warp = 0; ///< OneOfWarp: its number in the CTA.

  /// Every thread of `other` is one of these.
  bool contain(Threads other) const {
    switch (kind) {
    case All:
      return true;
    case OneAWarp: // elect picks the same thread each time
      return other.kind != All;
    case OneOfWarp:
      return other.kind == OneOfWarp && other.warp == warp;
    }
    return false;
  }
  bool operator==(const Threads &) const = default;
};

Threads threadsOf(Operation *op) {
  if (auto elect = op->getParentOfType<ElectOp>()) {
    if (auto warp = elect.getWarp()) {
      int64_t first = 0;
      if (auto partition = elect->getParentOfType<PartitionOp>())
        first = cast<WarpSpecializeOp>(partition->getParentOp())
                    .getFirstWarp(partition);
      return {Threads::OneOfWarp, first + static_cast<int64_t>(*warp)};
    }
    return {Threads::OneAWarp};
  }
  return {};
}

/// The token of an effect upon groups (a commit, or a wait), or null: counters
/// have none.
template <typename GroupEffect> Value tokenOf(Operation *op) {
  auto hardware = dyn_cast<HardwareEffectsInterface>(op);
  if (!hardware)
    return {};
  effect::EffectList effects;
  hardware.getHardwareEffects(effects);
  for (const effect::Effect &each : effects)
    if (auto *group = std::get_if<GroupEffect>(&each.what);
        group && mechanismInfo(group->mechanism).binding != Binding::Issue)
      return group->token;
  return {};
}

/// Ages beyond this are as good as this one: waits encode at most 7 (wgmma) or
/// a small immediate.
constexpr int64_t maxAge = 64;
/// No group on any path so far.
constexpr int64_t none = INT64_MAX;

/// Token -> groups that the waiting threads have committed since, at the point
/// that the walk has reached. A token that is missing has age `none`.
using Ages = llvm::DenseMap<Value, int64_t>;

/// The walk of one kind of token, seen by one set of waiting threads.
class Walk {
public:
  Walk(TokenKind kind, Threads waiting) : kind(kind), waiting(waiting) {}

  void block(Block &body, Ages &ages) {
    for (Operation &op : body)
      operation(op, ages);
  }

  llvm::MapVector<Operation *, int64_t> result;

private:
  static int64_t age(const Ages &ages, Value token) {
    auto found = ages.find(token);
    return found == ages.end() ? none : found->second;
  }

  static void lower(Ages &ages, Value token, int64_t value) {
    if (value < age(ages, token))
      ages[token] = value;
  }

  /// Each token's least age on either path.
  static void join(Ages &into, const Ages &other) {
    for (auto [token, value] : other)
      lower(into, token, value);
  }

  bool ours(Value value) const {
    auto token = dyn_cast<TokenType>(value.getType());
    return token && token.getKind() == kind;
  }

  void assign(Ages &ages, ValueRange to, ValueRange from, const Ages &source) {
    for (auto [target, value] : llvm::zip(to, from))
      if (ours(target))
        lower(ages, target, age(source, value));
  }

  void commit(Operation &op, Value token, Ages &ages) {
    bool counts = threadsOf(&op).contain(waiting);
    if (counts)
      for (auto &entry : ages)
        if (entry.second < maxAge)
          ++entry.second;
    // A commit by fewer threads than wait: the others have no such group, and
    // nothing is known to be younger.
    ages[token] = 0;
  }

  void loop(scf::ForOp op, Ages &ages) {
    assign(ages, op.getRegionIterArgs(), op.getInitArgs(), ages);
    // Ages only fall from one round to the next, and are at least 0.
    while (true) {
      Ages body = ages;
      block(*op.getBody(), body);
      Ages next = ages;
      assign(next, op.getRegionIterArgs(),
             op.getBody()->getTerminator()->getOperands(), body);
      bool stable = llvm::all_of(op.getRegionIterArgs(), [&](Value argument) {
        return age(next, argument) == age(ages, argument);
      });
      ages = next;
      if (!stable)
        continue;
      assign(ages, op.getResults(), op.getInitArgs(), ages);
      assign(ages, op.getResults(),
             op.getBody()->getTerminator()->getOperands(), body);
      return;
    }
  }

  void loop(scf::WhileOp op, Ages &ages) {
    assign(ages, op.getBeforeArguments(), op.getInits(), ages);
    while (true) {
      Ages before = ages;
      block(*op.getBeforeBody(), before);
      auto condition = op.getConditionOp();
      assign(before, op.getAfterArguments(), condition.getArgs(), before);
      Ages after = before;
      block(*op.getAfterBody(), after);
      Ages next = ages;
      assign(next, op.getBeforeArguments(), op.getYieldOp().getOperands(),
             after);
      bool stable = llvm::all_of(op.getBeforeArguments(), [&](Value argument) {
        return age(next, argument) == age(ages, argument);
      });
      ages = next;
      if (!stable)
        continue;
      assign(ages, op.getResults(), condition.getArgs(), before);
      return;
    }
  }

  void operation(Operation &op, Ages &ages) {
    if (Value token = tokenOf<effect::CommitGroup>(&op)) {
      if (ours(token))
        commit(op, token, ages);
      return;
    }
    if (Value token = tokenOf<effect::WaitGroup>(&op)) {
      if (ours(token) && threadsOf(&op) == waiting)
        result[&op] = age(ages, token);
      return;
    }
    if (auto forOp = dyn_cast<scf::ForOp>(op))
      return loop(forOp, ages);
    if (auto whileOp = dyn_cast<scf::WhileOp>(op))
      return loop(whileOp, ages);
    if (auto ifOp = dyn_cast<scf::IfOp>(op)) {
      Ages yes = ages, no = ages;
      block(*ifOp.thenBlock(), yes);
      if (ifOp.elseBlock())
        block(*ifOp.elseBlock(), no);
      Ages both = yes;
      join(both, no);
      if (ifOp.getNumResults()) {
        assign(both, ifOp.getResults(), ifOp.thenYield().getOperands(), yes);
        assign(both, ifOp.getResults(), ifOp.elseYield().getOperands(), no);
      }
      ages = std::move(both);
      return;
    }
    if (auto elect = dyn_cast<ElectOp>(op)) {
      block(elect.getBody().front(), ages);
      assign(ages, elect.getResults(),
             elect.getBody().front().getTerminator()->getOperands(), ages);
      return;
    }
    if (isa<arith::SelectOp>(op) && ours(op.getResult(0))) {
      assign(ages, op.getResults(), op.getOperand(1), ages);
      assign(ages, op.getResults(), op.getOperand(2), ages);
      return;
    }
    // Partitions run on different threads: each starts from what came before.
    if (isa<WarpSpecializeOp>(op)) {
      for (Operation &partition : op.getRegion(0).front()) {
        Ages own = ages;
        block(partition.getRegion(0).front(), own);
      }
      return;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        block(inner, ages);
  }

  TokenKind kind;
  Threads waiting;
};

} // namespace

PendingGroups::PendingGroups(KernelOp kernel) {
  SmallVector<std::pair<TokenKind, Threads>> seen;
  kernel.getBody().walk([&](Operation *op) {
    Value token = tokenOf<effect::WaitGroup>(op);
    if (!token)
      return;
    TokenKind kind = cast<TokenType>(token.getType()).getKind();
    std::pair<TokenKind, Threads> key{kind, threadsOf(op)};
    if (llvm::is_contained(seen, key))
      return;
    seen.push_back(key);
    Walk walk(kind, key.second);
    Ages ages;
    walk.block(kernel.getBody().front(), ages);
    for (auto [wait, age] : walk.result)
      pending[wait] = age == none ? std::nullopt : std::optional(age);
  });
}

std::optional<int64_t> PendingGroups::getPending(Operation *wait) const {
  auto found = pending.find(wait);
  return found == pending.end() ? std::optional<int64_t>(0) : found->second;
}
