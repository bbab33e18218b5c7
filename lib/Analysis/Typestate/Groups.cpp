//===- Groups.cpp - groups, and registers that products write -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Walk.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;
using TValue = titan::typestate::Value;
using Kind = TValue::Kind;

bool Walk::commit(Operation *op, const effect::CommitGroup &commit,
                  State &state, const Who &who) {
  if (countedAtIssue(commit.mechanism))
    return commitCounter(op, commit, state, who);
  bool product = commit.mechanism == Mechanism::MmaGroup,
       copies = commit.mechanism == Mechanism::AsyncGroup;
  if (!((product || copies) && who.lanes == AllLanes) &&
      !(commit.mechanism == Mechanism::BulkGroup && who.lanes == Elected))
    return proof.stop("groups of this kind are not followed by the proof yet",
                      op);
  std::optional<Polynomial> number;
  for (int warp : who.walked) {
    WarpState &w = state.warps[warp];
    Polynomial &next = w.next[groups(commit.mechanism, warp, elected)];
    if (number && *number != next)
      return proof.stop("warps have committed different numbers of groups", op);
    number = next;
    if (copies && mode == Mode::Final)
      proof.signals.push_back({Signal::Commit,
                               groups(commit.mechanism, warp, elected),
                               op,
                               warp,
                               elected,
                               *number,
                               1,
                               state.facts,
                               state.path,
                               sequence,
                               groupNumber,
                               {},
                               stamp,
                               {}});
    next = next + 1;
    w.unbound.erase({commit.mechanism, elected});
  }
  if (commit.token) {
    TValue token;
    token.kind = Kind::Token;
    token.number = *number;
    token.elected = !product && !copies;
    state.values[commit.token] = token;
  }
  return true;
}

bool Walk::waitGroup(Operation *op, const effect::WaitGroup &wait, State &state,
                     const Who &who) {
  if (countedAtIssue(wait.mechanism))
    return waitCounter(op, wait, state, who);
  bool product = wait.mechanism == Mechanism::MmaGroup,
       copies = wait.mechanism == Mechanism::AsyncGroup;
  if (!product && !copies && wait.mechanism != Mechanism::BulkGroup)
    return proof.stop("groups of this kind are not followed by the proof yet",
                      op);
  if ((product || copies) && who.lanes != AllLanes)
    return proof.stop(product ? "part of a warp waits for a product"
                              : "part of a warp waits for copies of all",
                      op);
  if (copies) {
    // Each lane for its own: all are known to be over behind a barrier.
    for (int warp : who.walked) {
      WarpState &w = state.warps[warp];
      ObjectId object = groups(wait.mechanism, warp, elected);
      Polynomial bound = w.next[object] - Polynomial(wait.pending.value_or(0));
      if (wait.token) {
        const TValue token = state.values.lookup(wait.token);
        if (token.kind != Kind::Token || token.elected || token.warp >= 0)
          return proof.stop("which group is waited for is not followed", op);
        if (token.none)
          continue;
        bound = token.number + 1;
      }
      learn(state, w.waited, object, bound);
      if (proof.without == Judgement::OwnCopies)
        for (int lane : {elected, others})
          learn(state, w.knows[lane], object, bound);
    }
    return true;
  }
  for (int warp : who.walked) {
    WarpState &w = state.warps[warp];
    for (int lane : {elected, others}) {
      if (!(who.lanes >> lane & 1))
        continue;
      ObjectId object = groups(wait.mechanism, warp, product ? elected : lane);
      Polynomial bound;
      if (wait.token) {
        const TValue token = state.values.lookup(wait.token);
        if (token.kind != Kind::Token)
          return proof.stop("which group is waited for is not followed", op);
        if (token.none)
          continue;
        if (!product &&
            (lane != elected || (token.warp >= 0 && token.warp != warp)))
          return proof.stop("a thread waits for a group that another one has "
                            "committed",
                            op);
        bound = token.number + 1;
      } else
        bound = w.next[object] - Polynomial(wait.pending.value_or(0));
      learn(state, w.knows[lane], reads(wait.mechanism, warp, elected), bound);
      if (!wait.sourcesOnly)
        learn(state, w.knows[lane], object, bound);
    }
  }
  return true;
}

bool Walk::registers(Operation *op, const effect::Registers &registers,
                     State &state, const Who &who) {
  using effect::Registers;
  if (registers.kind == Registers::Budget)
    return true;
  if (registers.kind == Registers::Borrow)
    return state.tiles.lookup(registers.value) ||
           proof.without == Judgement::ProductFence ||
           proof.stop("no wgmma.fence is shown to stand between what gives "
                      "these registers their values and this product",
                      op);
  bool product = false;
  for (const effect::Effect &effect : proof.effectsOf(op)) {
    std::optional<Mechanism> mechanism;
    if (auto *access = std::get_if<effect::Access>(&effect.what))
      mechanism = access->mechanism;
    if (auto *wait = std::get_if<effect::WaitGroup>(&effect.what))
      mechanism = wait->mechanism;
    if (mechanism && countedAtIssue(*mechanism))
      return counterFlight(op, registers, *mechanism, state, who);
  }
  for (const effect::Effect &effect : proof.effectsOf(op))
    if (auto *access = std::get_if<effect::Access>(&effect.what)) {
      if (access->mechanism != Mechanism::MmaGroup)
        return proof.stop("registers of this kind are not followed by the "
                          "proof yet",
                          op);
      product = true;
    }
  TValue from;
  if (registers.from) {
    from = state.values.lookup(registers.from);
    if (from.kind != Kind::Flight)
      return proof.stop("which product these registers are of is not followed",
                        op);
    // They go on into one product only.
    if (!from.none && !registers.from.hasOneUse())
      return proof.stop("registers in flight are used more than once", op);
  }
  if (registers.kind == Registers::InFlight) {
    TValue result;
    result.kind = Kind::Flight;
    if (registers.adds && from.none &&
        decide(state.facts, state.values.lookup(registers.adds)) != false)
      return proof.stop("this product may add to registers that hold nothing",
                        op, "let the first product of a loop not accumulate");
    for (int warp : who.walked) {
      WarpState &w = state.warps[warp];
      if (!product) {
        w.productFence = false;
        result.number = -1;
        continue;
      }
      if (!w.productFence && proof.without != Judgement::ProductFence)
        return proof.stop(
            "no wgmma.fence is shown to stand before this product", op);
      result.number = w.next[groups(Mechanism::MmaGroup, warp, elected)];
      for (Pending &pending : w.pending)
        if (pending.beforeProducts && !pending.group &&
            !proof.accesses[pending.access].effect)
          pending.group = {reads(Mechanism::MmaGroup, warp, elected),
                           result.number};
    }
    state.values[registers.value] = result;
    return true;
  }
  // Arrived.
  if (from.none)
    return proof.stop(
        "these registers hold nothing: no product has written them where the "
        "loop before runs no times",
        op,
        "titan.require in the launch region that the loop runs at least "
        "once (that the size is at least 1)");
  for (int warp : who.walked) {
    WarpState &w = state.warps[warp];
    for (int lane : {elected, others})
      if (proof.without != Judgement::ProductWait &&
          !knowsUse(state, w.knows[lane],
                    groups(Mechanism::MmaGroup, warp, elected), from.number))
        return proof.stop("no wait is shown to cover the product of these "
                          "registers",
                          op);
    w.productFence = false;
  }
  return true;
}
