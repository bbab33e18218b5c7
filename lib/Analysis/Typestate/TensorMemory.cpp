//===- TensorMemory.cpp - products in tensor memory -----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An access of tensor memory is one of bytes of a lane, in lanes [first, last). What
// ends it comes behind it, as for any access:
//
//   product (mma, cp)   the use that a later commit of its thread arrives at (MM-104)
//   load, store         its number, when its warp has waited (MM-103; Counters.cpp)
//   alloc, dealloc      what its warp signals (MM-105)
//
// Of two threads the first one's release is behind the one half of tcgen05.fence (a
// commit has it), and is known at the last other half before the second (MM-102);
// within a warp it is known. Pairs that their engine keeps in order need neither
// (MM-47).
//
// A commit is a release (MM-104): it tells of the products of its thread, and of what
// its thread knew to be complete. Of other accesses of the thread it tells nothing.
//
//===----------------------------------------------------------------------===//
#include "Orders.h"
#include "Walk.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

bool Walk::commitProducts(Operation *op, const effect::Arrive &arrive,
                          State &state, const Who &who) {
  auto ring = ringOf(op, state, arrive.barrier);
  if (!ring || !usable(op, ring->object, who, true))
    return false;
  if (who.lanes != Elected || who.warps.size() != 1 || arrive.increments ||
      arrive.drops || arrive.count != effect::Expr::constant(1) ||
      arrive.sem != effect::Sem::Release || arrive.state)
    return proof.stop("this kind of arrival is not followed by the proof yet",
                      op);
  bool all = arrive.barrier.ctas.kind == effect::CtaSet::Mask;
  int warp = who.warps[0];
  WarpState &w = state.warps[warp];
  SmallVector<std::pair<ObjectId, Polynomial>, 2> told;
  for (int cta = 0; cta < ranks; ++cta) {
    int own = proof.objects[ring->object].cta;
    if (!all && cta != own)
      continue;
    ObjectId object = ofCta(ring->object, cta);
    if (cta != rank && !usable(op, object, who, true))
      return false;
    Polynomial use = w.arrivals[elected][object];
    if (!isSlotOf(state, {object, ring->slot}, use))
      return proof.stop("the slot of arrival " + proof.print(use) + " at " +
                            proof.name(object) +
                            " is not shown to be that number modulo " +
                            std::to_string(proof.objects[object].slots),
                        op,
                        "a slot carried by the loop, or the number of the use "
                        "modulo the slots");
    if (w.bytes[elected].contains(object))
      return proof.stop("a thread that expects bytes commits products to one "
                        "barrier",
                        op);
    if (enforce && mode == Mode::Final &&
        !pinned(proof, op, state, w, elected, object, use, "the arrival of"))
      return false;
    if (ranks > 1)
      expectedBytes[proof.objects[object].barrier.getAsOpaquePointer()].insert(
          0);
    if (mode == Mode::Final)
      proof.signals.push_back({Signal::Arrive, object, op, warp, elected, use,
                               1, state.facts, state.path, sequence,
                               groupNumber, w.knows[elected], stamp,
                               w.sees[elected], arrive.after});
    // Until it has arrived it is under way itself.
    if (mode != Mode::Slope && enforce) {
      Access commit;
      commit.op = op;
      commit.warp = warp;
      commit.lanes = Elected;
      commit.mechanism = arrive.after;
      commit.cta = cta;
      commit.facts = state.facts;
      commit.path = state.path;
      pend(record(std::move(commit), 1001), state, warp, iterationsHere(state));
    }
    w.arrivals[elected][object] = use + 1;
    told.emplace_back(object, use);
  }
  for (auto &[object, use] : told)
    release(state, warp, Elected, object, use, arrive.after);
  w.unbound.erase({*arrive.after, elected});
  return true;
}

bool Walk::columns(Operation *op, const effect::Lifetime &life, State &state,
                   const Who &who) {
  if (who.lanes != AllLanes || who.warps.size() != 1 || !state.path.empty())
    return proof.stop("columns of tensor memory are got and given back once, "
                      "by one warp, outside of loops and branches",
                      op);
  // Whatever order others come in: one warp gets all that its CTA gets (MM-105).
  int warp = who.warps[0];
  auto [first, fresh] = allocators.try_emplace(rank, Allocator{warp});
  Allocator &allocator = first->second;
  if (life.kind != effect::Lifetime::Free && allocator.warp != warp)
    return proof.stop("several warps get columns of tensor memory, or give up "
                      "the right to",
                      op);
  if (life.kind == effect::Lifetime::Relinquish) {
    allocator.columns = 0;
    return true;
  }
  auto type = cast<TensorMemoryType>(life.memory.getType());
  int64_t columns = type.getSlots() * type.getColumns();
  if (life.kind == effect::Lifetime::Alloc) {
    if (columns > allocator.columns)
      return proof.stop("more columns are got than before, or behind giving up "
                        "the right to",
                        op);
    allocator.columns = columns;
  }
  effect::Access &effect = proof.shared.columns[op];
  effect.kind = AccessKind::Write;
  effect.proxy = Proxy::TensorMemory;
  effect.surely = false; // They hold nothing.
  effect.bytes.object = life.memory;
  if (mode == Mode::Slope)
    return true;
  const WarpState &w = state.warps[warp];
  Access access;
  access.op = op;
  access.effect = &effect;
  access.warp = warp;
  access.kind = effect.kind;
  access.proxy = effect.proxy;
  access.facts = state.facts;
  access.cta = rank;
  access.life = life.kind;
  if (!locate(access, effect, state, warp - firstWarp))
    return false;
  if (!enforce)
    return true;
  access.knows = common(state, w.knows[elected], w.knows[others]);
  access.atFence = common(state, w.atProduct[elected], w.atProduct[others]);
  pend(record(std::move(access), 2000), state, warp, iterationsHere(state));
  return true;
}

void Walk::fenceCells(State &state, const Who &who, bool before) {
  for (int warp : who.walked) {
    WarpState &w = state.warps[warp];
    if (!before) {
      for (int lane : {elected, others})
        if (who.lanes >> lane & 1)
          w.atProduct[lane] = w.knows[lane];
      continue;
    }
    if (mode == Mode::Slope)
      continue;
    for (Pending &pending : w.pending) {
      const Access &access = proof.accesses[pending.access];
      if (pending.fenced || !access.ofCells() ||
          access.mechanism == Mechanism::TensorCore ||
          (access.lanes & ~who.lanes))
        continue;
      // Behind the wait for it.
      if (pending.group &&
          !knowsUse(state, w.knows[who.lanes & Elected ? elected : others],
                    pending.group->first, pending.group->second))
        continue;
      pending.fenced = true;
      pending.fencesHeld[elected] = access.lanes == Elected;
      pending.fencesHeld[others] = false;
    }
  }
}

//===----------------------------------------------------------------------===//
// Pairs of accesses
//===----------------------------------------------------------------------===//

/// What a product sums into, in terms of its effects.
static const effect::Access *accumulatorOf(Proof &proof, Operation *op) {
  for (const effect::Effect &effect : proof.effectsOf(op))
    if (auto *access = std::get_if<effect::Access>(&effect.what);
        access && access->proxy == Proxy::TensorMemory &&
        access->kind == AccessKind::Write)
      return access;
  return nullptr;
}

bool typestate::inPipeline(Proof &proof, const Access &x, const Access &y) {
  if (x.warp != y.warp || x.lanes != Elected || y.lanes != Elected ||
      !x.effect || !y.effect || x.mechanism != Mechanism::TensorCore ||
      y.mechanism != x.mechanism)
    return false;
  const OrderedPair *pair =
      findOrderedPair(*x.effect->engineOp(), *y.effect->engineOp());
  // (All of a kernel are of one .cta_group.)
  if (!pair || pair->condition == PairCondition::Always ||
      pair->condition == PairCondition::SameCtaGroup)
    return pair;
  if (pair->condition != PairCondition::SameAccumulatorShapeKind)
    return false;
  // Of one accumulator, where their bytes meet.
  auto sums = [&](const Access &each) {
    auto *accumulator = accumulatorOf(proof, each.op);
    return accumulator && each.ofCells() &&
           each.effect->bytes.object == accumulator->bytes.object;
  };
  return sums(x) && sums(y) && x.effect->shapeAndKind &&
         x.effect->shapeAndKind == y.effect->shapeAndKind && x.root == y.root &&
         x.cta == y.cta && x.offset == y.offset && x.run == y.run &&
         x.run.constant() && x.slots == y.slots && x.stride == y.stride &&
         x.shape == y.shape;
}

/// Got by both CTAs of a pair together.
static bool isOfPair(Proof &proof, const Access &x) {
  return llvm::any_of(proof.effectsOf(x.op), [](const effect::Effect &effect) {
    auto *life = std::get_if<effect::Lifetime>(&effect.what);
    return life && life->barrier.ctas.kind == effect::CtaSet::Pair;
  });
}

void Proof::notBeforeCells(const Access &x, const Access &y, bool own,
                           std::vector<Clause> &clauses) {
  using effect::Lifetime;
  if (y.life == Lifetime::Alloc || x.life == Lifetime::Free)
    return;
  // What is executed once is before what stands below it in its warp; neither CTA's
  // allocation returns before the other's has come (MM-105).
  if (x.life && ((x.warp == y.warp && x.sequence < y.sequence) ||
                 (x.cta != ctaOf(y.warp) && isOfPair(*this, x)))) {
    clauses.emplace_back();
    return;
  }
  // Who issues a product is one thread.
  bool oneWarp = x.warp == y.warp && (x.mechanism != Mechanism::TensorCore ||
                                      !(y.lanes & ~x.lanes));
  if (without == Judgement::CellFences)
    oneWarp = true;
  notBefore(*this, x, oneWarp ? y.knows : y.atFence, own, !oneWarp, clauses);
}

//===----------------------------------------------------------------------===//
// Lives
//===----------------------------------------------------------------------===//

bool Proof::checkCells() {
  std::map<std::pair<void *, int>, std::pair<int, int>> lives;
  for (const Access &access : accesses)
    if (access.life) {
      auto &[got, given] =
          lives[{access.root.getAsOpaquePointer(), access.cta}];
      ++(access.life == effect::Lifetime::Alloc ? got : given);
    }
  for (const Access &access : accesses) {
    if (!access.ofCells())
      continue;
    auto [got, given] = lives[{access.root.getAsOpaquePointer(), access.cta}];
    if ((got != 1 || given != 1) && without != Judgement::Columns)
      return stop("these columns are not got once and given back once in each "
                  "CTA that uses them",
                  access.op, "titan.tcgen05.alloc, and dealloc at the end");
  }
  // All that a CTA gets fits, whatever it has given back before.
  std::map<int, int64_t> columns;
  for (const Access &access : accesses)
    if (access.life == effect::Lifetime::Alloc) {
      auto type = cast<TensorMemoryType>(access.root.getType());
      columns[access.cta] += type.getSlots() * type.getColumns();
      if (columns[access.cta] > target.tmemColumns)
        return stop("columns that are got when others have been given back are "
                    "not followed by the proof yet",
                    access.op);
    }
  // A thread of the CTA knows that the product is over.
  for (const Access &access : accesses) {
    if (access.mechanism != Mechanism::TensorCore)
      continue;
    Facts facts = atEnd;
    facts.add(launch);
    facts.add(access.facts);
    bool over = false;
    for (const Release &release : access.releases) {
      if (!release.when.empty())
        continue;
      for (auto &[warp, mine] : totals)
        for (int lane : {elected, others})
          if (auto known = mine.knows[lane].find(release.object);
              !over && ctaOf(warp) == access.cta &&
              known != mine.knows[lane].end())
            over = facts.provesAtLeast(known->second, release.use + 1);
    }
    if (!over)
      return stop("nobody of the CTA is shown to wait for this until it ends",
                  access.op,
                  "titan.tcgen05.commit behind it, and a wait for that");
  }
  return true;
}
