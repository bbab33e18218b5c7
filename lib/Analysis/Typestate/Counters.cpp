//===- Counters.cpp - what is counted at its issue ------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counters are per warp, and complete in the order of issue (MM-110). The uses of
// one are instructions:
//
//   buffer_load_lds   of 8 instructions: uses n .. n + 7, over where all below n + 8 are
//   s_waitcnt N       all below next - N are over
//   ds_read           as one: how many it is the code generator decides, so that
//                     only s_waitcnt 0 means anything
//
// All lanes of the warp know what it has waited for; others learn it at a barrier, as
// they do of groups.
//
// Plain stores raise a counter, too. They are numbered apart: a wait for nothing
// to be left is for all of them (MM-111).
//
//===----------------------------------------------------------------------===//
#include "Walk.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;
using TValue = titan::typestate::Value;
using Kind = TValue::Kind;

ObjectId Walk::stores(Mechanism counter, int warp) {
  Object object{Object::Groups};
  object.id = static_cast<int64_t>(counter);
  object.warp = warp;
  object.lane = others;
  return proof.object(object);
}

/// The operation's own commit of the counter; null: none.
static const effect::CommitGroup *ownCommit(const effect::EffectList &effects,
                                            Mechanism mechanism) {
  for (const effect::Effect &effect : effects)
    if (auto *commit = std::get_if<effect::CommitGroup>(&effect.what);
        commit && commit->mechanism == mechanism)
      return commit;
  return nullptr;
}

void Walk::countIssued(Operation *op, State &state, const Who &who) {
  const effect::EffectList &effects = proof.effectsOf(op);
  std::set<ObjectId> counted;
  for (const effect::Effect &effect : effects) {
    auto *access = std::get_if<effect::Access>(&effect.what);
    if (!access)
      continue;
    auto plain = storeCounter(proof.target, MemorySpace::SharedOwn);
    for (int warp : who.walked) {
      ObjectId object;
      if (access->mechanism && countedAtIssue(*access->mechanism) &&
          !ownCommit(effects, *access->mechanism))
        object = groups(*access->mechanism, warp, elected);
      else if (!access->mechanism && plain && access->kind != AccessKind::Read)
        object = stores(*plain, warp);
      else
        continue;
      if (counted.insert(object).second)
        state.warps[warp].next[object] += Polynomial(1);
    }
  }
}

Polynomial Walk::lastIssued(Operation *op, Mechanism mechanism,
                            const WarpState &w, ObjectId counter) {
  auto found = w.next.find(counter);
  Polynomial next = found == w.next.end() ? Polynomial() : found->second;
  // (What commits by itself is counted behind its accesses.)
  auto *commit = ownCommit(proof.effectsOf(op), mechanism);
  return next + Polynomial(commit ? commit->count.value_or(1) : 0) - 1;
}

bool Proof::countsInstructions(Mechanism counter) {
  bool all = true;
  kernel.getBody().walk([&](HardwareEffectsInterface op) {
    for (const effect::Effect &effect : effectsOf(op))
      if (auto *commit = std::get_if<effect::CommitGroup>(&effect.what))
        all &= commit->mechanism != counter || commit->count;
  });
  return all;
}

bool Walk::commitCounter(Operation *op, const effect::CommitGroup &commit,
                         State &state, const Who &who) {
  if (who.lanes != AllLanes)
    return proof.stop("part of a warp issues what its counter counts", op);
  std::optional<Polynomial> number;
  for (int warp : who.walked) {
    Polynomial &next =
        state.warps[warp].next[groups(commit.mechanism, warp, elected)];
    next += Polynomial(commit.count.value_or(1));
    if (number && *number != next - 1)
      return proof.stop("warps have issued different numbers of instructions",
                        op);
    number = next - 1;
  }
  if (commit.token) {
    TValue token;
    token.kind = Kind::Token;
    token.number = *number;
    state.values[commit.token] = token;
  }
  return true;
}

bool Walk::waitCounter(Operation *op, const effect::WaitGroup &wait,
                       State &state, const Who &who) {
  if (who.lanes != AllLanes || wait.sourcesOnly)
    return proof.stop("part of a warp waits for its counter", op);
  for (int warp : who.walked) {
    WarpState &w = state.warps[warp];
    ObjectId object = groups(wait.mechanism, warp, elected);
    Polynomial bound = w.next[object];
    // Of an operation of as many instructions as the code generator likes, or one
    // with another, nothing but none left means anything.
    if (wait.pending.value_or(0) && !proof.countsInstructions(wait.mechanism))
      continue;
    if (proof.without != Judgement::Left)
      bound += Polynomial(-wait.pending.value_or(0));
    if (wait.token) {
      const TValue token = state.values.lookup(wait.token);
      if (token.kind != Kind::Token || token.elected || token.warp >= 0)
        return proof.stop("which load is waited for is not followed", op);
      if (token.none)
        continue;
      bound = token.number + 1;
    }
    for (int lane : {elected, others}) {
      learn(state, w.knows[lane], object, bound);
      learn(state, w.knows[lane], reads(wait.mechanism, warp, elected), bound);
      if (!wait.token && !wait.pending.value_or(0)) {
        ObjectId plain = stores(wait.mechanism, warp);
        if (auto count = w.next.find(plain); count != w.next.end())
          learn(state, w.knows[lane], plain, count->second);
      }
    }
  }
  return true;
}

bool Walk::counterFlight(Operation *op, const effect::Registers &registers,
                         Mechanism counter, State &state, const Who &who) {
  if (registers.kind == effect::Registers::InFlight) {
    TValue result;
    result.kind = Kind::Flight;
    result.counted = counter;
    bool first = true;
    for (int warp : who.walked) {
      Polynomial number =
          state.warps[warp].next[groups(counter, warp, elected)] - 1;
      if (!first && number != result.number)
        return proof.stop("warps have issued different numbers of loads", op);
      first = false;
      result.number = number;
    }
    state.values[registers.value] = result;
    return true;
  }
  // Arrived: whatever the operation names is over.
  for (mlir::Value operand : op->getOperands()) {
    if (!isa<InFlightType>(operand.getType()))
      continue;
    const TValue from = state.values.lookup(operand);
    if (from.kind != Kind::Flight || !from.counted || from.none)
      return proof.stop("which load these registers are of is not followed",
                        op);
    for (int warp : who.walked)
      for (int lane : {elected, others})
        if ((who.lanes >> lane & 1) && proof.without != Judgement::Flights &&
            !knowsUse(state, state.warps[warp].knows[lane],
                      groups(*from.counted, warp, elected), from.number))
          return proof.stop("no wait is shown to cover the load of these "
                            "registers",
                            op);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// What is written an iteration ahead
//===----------------------------------------------------------------------===//

/// How many iterations ahead of its read a write may be.
static constexpr int64_t mostAhead = 3;

bool Proof::writtenAhead(const Access &y) {
  // Of the innermost loop's iterations each of the first ones, and any later one.
  size_t depth = y.path.size();
  while (depth &&
         (y.path[depth - 1].last || y.path[depth - 1].iteration.constant() ||
          y.path[depth - 1].side >= 0))
    --depth;
  if (!depth || !y.run.constant() || (y.slots && y.shape->bytes.empty()))
    return false;
  const Step &loop = y.path[depth - 1];
  const Atom t = loop.iteration.atoms()[0];
  if (loop.iteration != Polynomial::atom(t))
    return false;
  Facts known = launch;
  known.add(y.facts);
  for (int64_t n = 1; n <= mostAhead + 1; ++n) {
    Facts facts = known;
    bool later = n > mostAhead;
    if (later)
      facts.atLeast(loop.iteration, n);
    else
      facts.equal(loop.iteration, n);
    if (facts.contradict())
      continue;
    ByteSet missing = y.shape->bytes.shifted(y.offset);
    /// Whether the write of that iteration is over, and to this slot.
    auto covers = [&](const Access &x, const std::optional<Polynomial> &at) {
      auto of = [&](const Polynomial &p) {
        return at ? atoms.substitute(p, t, *at, nullptr) : p;
      };
      if (x.slots) {
        Polynomial apart = of(x.slot) - y.slot;
        auto turns = apart.constant();
        bool same = turns && *turns % x.slots == 0;
        for (int64_t turn = -1; !same && turn <= 1; ++turn)
          same = facts.provesEqual(apart, turn * x.slots);
        if (!same)
          return false;
      }
      // Its own engine has it before.
      if (inPipeline(*this, x, y))
        return true;
      return llvm::any_of(x.releases, [&](const Release &release) {
        auto bound = y.knows.find(release.object);
        return bound != y.knows.end() &&
               facts.provesAtLeast(bound->second, of(release.use) + 1) &&
               llvm::all_of(release.when.nonnegative,
                            [&](const Polynomial &p) {
                              return facts.provesAtLeast(of(p), 0);
                            }) &&
               llvm::all_of(release.when.zero, [&](const Polynomial &p) {
                 return facts.provesEqual(of(p), 0);
               });
      });
    };
    for (const Access &x : accesses) {
      if (missing.empty())
        break;
      if (!x.effect || !x.effect->surely || !x.shape ||
          x.kind != AccessKind::Write || x.root != y.root || x.cta != y.cta ||
          x.firstLane > y.firstLane || x.lastLane < y.lastLane ||
          x.group != y.group || !x.run.constant() || x.slots != y.slots ||
          x.stride != y.stride)
        continue;
      // Before the loop, in its first iteration, or in an earlier one.
      size_t same = std::min(x.path.size(), depth - 1);
      if (!std::equal(x.path.begin(), x.path.begin() + same, y.path.begin()) ||
          x.path.size() > depth)
        continue;
      bool covered = false;
      bool above = x.sequence < y.sequence;
      if (x.path.size() < depth)
        covered = above && covers(x, std::nullopt);
      else if (x.path.back().op != loop.op || x.path.back().last)
        continue;
      else if (x.path.back().iteration.constant() == 0)
        covered = covers(x, std::nullopt);
      else if (x.path.back() == loop)
        for (int64_t ahead = above ? 0 : 1; !covered && ahead < n; ++ahead)
          covered = covers(x, later ? loop.iteration - Polynomial(ahead)
                                    : Polynomial(n - ahead));
      if (covered)
        missing = missing.subtract(x.shape->bytes.shifted(x.offset));
    }
    if (!missing.empty())
      return false;
  }
  return true;
}
