//===- FlagEvents.cpp - signals of flags and waits, as a CTA has them -----===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Flags.h"
#include "Walk.h"

#include "titan/Target/Mechanisms.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

std::optional<FlagEvent> Walk::flagEvent(Operation *op,
                                         const effect::Footprint &flag,
                                         bool wait, Scope scope, State &state,
                                         const Who &who) {
  auto stop = [&](const char *reason, const char *goOn = "") {
    proof.stop(reason, op, goOn);
    return std::nullopt;
  };
  auto tensor = dyn_cast<BlockArgument>(flag.object);
  // (Of gfx942 other waves' stores would have to be over, too: MM-113.)
  if (storeCounter(proof.target, MemorySpace::Global))
    return stop("flags are not followed by the proof yet where stores are "
                "counted");
  if (!tensor || flag.kind != effect::Footprint::Scalar || ranks > 1)
    return stop("flags of clusters are not followed by the proof yet");
  if (who.lanes != Elected || who.warps.size() != 1)
    return stop("several threads signal this flag, or wait for it",
                "titan.elect warp(0)");
  if (scope < Scope::Gpu && proof.without != Judgement::FlagScope)
    return stop("this flag is not released to the other CTAs, or not acquired "
                "from them",
                "scope(gpu)");
  FlagEvent event;
  event.op = op;
  event.wait = wait;
  event.root = proof.kernel.getKernelArguments()[tensor.getArgNumber()];
  event.trips = 1;
  event.warp = who.warps[0];
  event.path = state.path;
  event.sequence = sequence;
  int loops = 0;
  for (const Step &step : state.path)
    if (step.side < 0) {
      ++loops;
      event.iteration = step.iteration;
      event.trips = trips[step.op];
    }
  if (loops > 1)
    return stop("flags in loops of loops are not followed by the proof yet");
  for (auto [d, coord] : llvm::enumerate(flag.coords)) {
    auto p =
        proof.arithmetic.polynomialOf(state.values.lookup(coord), state.facts);
    if (!p)
      return stop("which flag this is, is not a polynomial of sizes, ids and "
                  "iterations");
    Polynomial size = proof.sizeOf(tensor, d, state.facts);
    if (mode == Mode::Final && enforce &&
        (!state.facts.provesAtLeast(*p, 0) ||
         !state.facts.provesAtLeast(size - 1, *p)))
      return stop("this flag is not shown to be one of the tensor's",
                  "titan.require of how many there are");
    event.element.push_back(*p);
  }
  Object object{wait ? Object::Awaited : Object::Signalled};
  object.text = op;
  event.object = proof.object(object);
  return event;
}

/// Writes an event down, again where a loop is walked again.
static void note(Proof &proof, FlagEvent event) {
  auto same = llvm::find_if(proof.flags, [&](const FlagEvent &other) {
    return other.op == event.op && other.path == event.path;
  });
  if (same == proof.flags.end())
    proof.flags.push_back(std::move(event));
  else
    *same = std::move(event);
}

bool Walk::signalFlag(Operation *op, const effect::Access &effect, State &state,
                      const Who &who) {
  // (A fence before a relaxed one is not followed.)
  if (!effect.added ||
      (effect.sem != effect::Sem::Release && effect.sem != effect::Sem::AcqRel))
    return proof.stop("this does more to a flag than to signal it", op);
  auto event =
      flagEvent(op, effect.bytes, /*wait=*/false, effect.scope, state, who);
  if (!event)
    return false;
  auto amount = state.values.lookup(effect.added).constant();
  if (!amount || *amount < 1)
    return proof.stop("what this adds to the flag is no positive number", op);
  event->value = *amount;
  const int warp = who.warps[0];
  release(state, warp, Elected, event->object, event->iteration);
  if (mode == Mode::Final && enforce) {
    event->facts = state.facts;
    event->knows = state.warps[warp].knows[elected];
    note(proof, std::move(*event));
  }
  return true;
}

bool Walk::waitFlag(Operation *op, const effect::WaitFlag &wait, State &state,
                    const Who &who) {
  if (wait.sem != effect::Sem::Acquire)
    return proof.stop("this wait does not acquire what is signalled", op);
  auto event = flagEvent(op, wait.flag, /*wait=*/true, wait.scope, state, who);
  if (!event)
    return false;
  auto value = proof.arithmetic.polynomialOf(state.values.lookup(wait.value),
                                             state.facts);
  if (!value)
    return proof.stop("for how many signals this waits is not a polynomial of "
                      "sizes, ids and iterations",
                      op);
  event->value = *value;
  const int warp = who.warps[0];
  if (mode == Mode::Final && enforce) {
    event->facts = state.facts;
    event->knows = state.warps[warp].knows[elected];
    note(proof, *event);
  }
  learnBoth(state, warp, elected, event->object, event->iteration + 1);
  return true;
}

//===----------------------------------------------------------------------===//
// Events at an iteration
//===----------------------------------------------------------------------===//

bool typestate::isWithin(const Path &path, const Path &prefix) {
  return prefix.size() <= path.size() &&
         std::equal(prefix.begin(), prefix.end(), path.begin());
}

bool typestate::hasSides(const Path &path) {
  return llvm::any_of(path, [](const Step &step) { return step.side >= 0; });
}

bool typestate::isExecuted(const Path &path) {
  return llvm::all_of(path, [](const Step &step) {
    return step.side < 0 && (step.last || step.iteration.constant() == 0);
  });
}

bool typestate::sameFlag(const Facts &facts, ArrayRef<Polynomial> a,
                         ArrayRef<Polynomial> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [&](auto pair) {
           auto &[x, y] = pair;
           return x == y || facts.provesEqual(x, y);
         });
}

std::optional<Performed>
typestate::performedAt(Proof &proof, const FlagCase &of, ObjectId text,
                       const Polynomial &at, const Path &within,
                       const Facts &facts) {
  const FlagEvent *first = nullptr, *later = nullptr;
  bool last = false;
  for (const FlagEvent &event : of.events) {
    if (event.object != text)
      continue;
    if (event.iteration == at &&
        (!hasSides(event.path) || isWithin(within, event.path)))
      return Performed{&event, event.element, event.value, event.gates,
                       event.facts};
    // In an iteration that is not this one, a branch may go otherwise.
    if (hasSides(event.path))
      return std::nullopt;
    if (event.iteration.constant())
      first = &event;
    else
      later = &event;
    last |= llvm::any_of(event.path,
                         [](const Step &step) { return step.last != 0; });
  }
  if (!later || last || later->iteration.atoms().size() != 1)
    return std::nullopt;
  const Atom atom = later->iteration.atoms()[0];
  auto as = [&](const Polynomial &by) {
    Performed result{later, {}, {}, {}, {}};
    auto put = [&](const Polynomial &p) {
      return proof.atoms.substitute(p, atom, by, &result.facts);
    };
    for (const Polynomial &p : later->element)
      result.element.push_back(put(p));
    result.value = put(later->value);
    for (const Polynomial &p : later->gates)
      result.gates.push_back(put(p));
    for (const Polynomial &p : later->facts.nonnegative)
      result.facts.addNonnegative(put(p));
    for (const Polynomial &p : later->facts.zero)
      result.facts.addZero(put(p));
    return result;
  };
  if (facts.provesAtLeast(at, 1))
    return as(at);
  // The first iteration's is as the later ones' are.
  if (!first || !facts.provesAtLeast(at, 0))
    return std::nullopt;
  Performed start = as(0), result = as(at);
  Facts known = first->facts;
  // (That the iteration is a later one does not hold of it.)
  Facts quotients;
  for (const Polynomial &p : later->element)
    proof.atoms.substitute(p, atom, 0, &quotients);
  known.add(quotients);
  if (!sameFlag(known, first->element, start.element) ||
      !sameFlag(known, {first->value}, {start.value}) ||
      !sameFlag(known, first->gates, start.gates))
    return std::nullopt;
  result.facts = {};
  for (const Polynomial &p : later->element)
    proof.atoms.substitute(p, atom, at, &result.facts);
  return result;
}

FlagCase Proof::takeFlags() {
  FlagCase result;
  result.launch = launch;
  // What is computed outside of loops and branches.
  result.launch.add(atEnd);
  result.events = std::move(flags);
  for (const Access &access : accesses)
    if (access.exchanged)
      result.accesses.push_back(access);
  for (FlagEvent &event : result.events) {
    if (event.wait)
      continue;
    for (auto &[object, bound] : event.knows)
      if (objects[object].kind == Object::Awaited)
        if (auto wait = performedAt(*this, result, object, bound - 1,
                                    event.path, event.facts);
            wait && wait->event->root == event.root) {
          Facts both = event.facts;
          both.add(wait->facts);
          if (sameFlag(both, event.element, wait->element)) {
            event.facts = std::move(both);
            event.gates.push_back(wait->value);
          }
        }
  }
  return result;
}
