//===- Letters.cpp - what is read in a mailbox is what was posted ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That the letter which is read as the n-th is the n-th that was posted is shown of each
// pair of texts: both lie in slot n + c of their ring, the post of this n is before the
// read, and the read is before the post that is a round later; and one thread posts in
// the order of n.
//
// Of numbers from a counter (Tickets.cpp) all loops that run by them run as often. Else
// (titan::followLetters) the number that is read is shown to be one of those that are
// posted, each once.
//
//===----------------------------------------------------------------------===//
#include "Orders.h"
#include "Walk.h"

#include "titan/Dialect/Titan/Letters.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;

bool Walk::letter(Access &access, State &state) {
  Operation *op = access.op;
  Letter letter;
  if (auto counter = counterOf(op);
      counter && proof.tickets.contains(*counter)) {
    letter.taken = true;
    letter.of = *counter;
    letter.number = proof.tickets[*counter].taken;
    for (const Step &step : state.path)
      if (step.side < 0 && counterOf(step.op) == counter) {
        letter.number = step.iteration;
        break;
      }
    access.letter = std::move(letter);
    return true;
  }
  auto element = titan::letterOf(op);
  if (!element)
    return true;
  letter.of = *element;
  mlir::Value named = letterNumberOf(op);
  auto number = named ? proof.arithmetic.polynomialOf(
                            state.values.lookup(named), state.facts)
                      : std::nullopt;
  if (!number)
    return proof.stop("which letter this is, is not followed", op);
  letter.number = std::move(*number);
  if (access.kind != AccessKind::Read) {
    // One thread, in each iteration of a loop once.
    auto loop = state.path.size() == 1 && state.path[0].side < 0
                    ? dyn_cast<scf::ForOp>(state.path[0].op)
                    : scf::ForOp();
    if (!loop || access.lanes != Elected || named != loop.getInductionVar())
      return proof.stop("this letter is not posted by one thread, once in each "
                        "iteration of a loop",
                        op, "titan.elect warp(0)");
    auto bound = [&](mlir::Value value) {
      return proof.arithmetic.polynomialOf(state.values.lookup(value),
                                           state.facts);
    };
    auto lower = bound(loop.getLowerBound()),
         upper = bound(loop.getUpperBound()), step = bound(loop.getStep());
    if (!lower || !upper || !step || step->constant() != 1 ||
        proof.varies(*lower) || proof.varies(*upper))
      return proof.stop("which letters are posted is not followed", op);
    letter.all.emplace(std::move(*lower), std::move(*upper));
  }
  access.letter = std::move(letter);
  return true;
}

/// Whether the two touch different bytes of each slot.
static bool areApart(const Access &x, const Access &y) {
  return x.shape && y.shape && x.run.constant() && y.run.constant() &&
         x.slots == y.slots && x.stride == y.stride &&
         x.shape->bytes.shifted(x.offset)
             .intersect(y.shape->bytes.shifted(y.offset))
             .empty();
}

bool Proof::checkLetters() {
  if (without == Judgement::Letters)
    return true;
  for (const Access &x : accesses) {
    if (!x.effect || !x.shape || !x.letter)
      continue;
    const Letter &here = *x.letter;
    const bool certain =
        llvm::none_of(x.path, [](const Step &step) { return step.side >= 0; });
    auto stop = [&](const char *why) {
      return this->stop(std::string("that this letter is the one that the "
                                    "loop's number was posted in is not "
                                    "shown: ") +
                            why,
                        x.op);
    };
    if (!certain && x.kind != AccessKind::Read)
      return stop("it is posted on one side of a branch");
    bool posted = here.taken || x.kind != AccessKind::Read;
    for (const Access &y : accesses) {
      if (!y.effect || y.root != x.root || y.cta != x.cta)
        continue;
      const bool same =
          y.letter && y.letter->taken == here.taken && y.letter->of == here.of;
      // (Another letter's place, in each slot.)
      if (!same && !here.taken && y.kind != AccessKind::Read && areApart(x, y))
        continue;
      if (!y.shape || (!same && y.kind != AccessKind::Read))
        return stop("something else is written there");
      if (!same)
        continue;
      if (x.kind != AccessKind::Read && y.kind != AccessKind::Read &&
          !here.taken && x.warp != y.warp)
        return stop("several threads post it");
      if (x.kind == AccessKind::Read && y.kind != AccessKind::Read && !posted) {
        Facts facts = launch;
        facts.add(x.facts);
        if (!facts.provesAtLeast(here.number, y.letter->all->first) ||
            !facts.provesAtLeast(y.letter->all->second - 1, here.number))
          return stop("none of this number may be posted");
        posted = true;
      }
      if (x.kind == AccessKind::Read || y.kind != AccessKind::Read)
        continue;
      // What x posts y reads.
      const Letter &there = *y.letter;
      if (!x.run.constant() || !y.run.constant() || x.slots != y.slots ||
          x.stride != y.stride || x.offset != y.offset ||
          !(x.shape->bytes == y.shape->bytes))
        return stop("it lies elsewhere in its slot");
      const auto turns =
          (x.slot - here.number - (y.slot - there.number)).constant();
      if (x.slots && (!turns || *turns % x.slots))
        return stop("it is in another slot");
      Facts both = launch;
      both.add(x.facts);
      both.add(other(*this, y.facts));
      Facts ofOne = both, later = launch;
      std::vector<Clause> behind, before;
      ofOne.equal(here.number, other(*this, there.number));
      notBefore(*this, x, y.knows, true, false, behind);
      if (!contradict(*this, ofOne, behind))
        return stop("it may be read before it is posted");
      // y of one instance, x of another one, a round or more later.
      later.add(y.facts);
      later.add(other(*this, x.facts));
      later.atLeast(other(*this, here.number),
                    there.number + std::max<int64_t>(x.slots, 1));
      notBefore(*this, y, x.knows, true, false, before);
      if (!contradict(*this, later, before))
        return stop("the next one in its slot may be posted before it is read");
    }
    if (!posted)
      return stop("none is posted");
  }
  return true;
}
