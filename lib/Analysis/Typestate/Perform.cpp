//===- Perform.cpp - what effects do to the state -------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Walk.h"

#include "titan/Dialect/Titan/SharedMemory.h"
#include "titan/Target/Target.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;
using TValue = titan::typestate::Value;
using MValue = mlir::Value;
using Kind = TValue::Kind;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// The rules of what is asked where an effect is performed.
static const char *rulesOf(const effect::Effect &effect) {
  return std::visit(
      [](const auto &what) -> const char * {
        using T = std::decay_t<decltype(what)>;
        if constexpr (std::is_same_v<T, effect::Access>)
          return "MM-2, MM-3";
        else if constexpr (std::is_same_v<T, effect::Arrive>)
          return "MM-53, MM-57, MM-120";
        else if constexpr (std::is_same_v<T, effect::ExpectTx> ||
                           std::is_same_v<T, effect::CompleteTx>)
          return "MM-54, MM-57, MM-120";
        else if constexpr (std::is_same_v<T, effect::CommitGroup> ||
                           std::is_same_v<T, effect::WaitGroup>)
          return "MM-65 to MM-68";
        else if constexpr (std::is_same_v<T, effect::WaitBarrier>)
          return "MM-56, MM-57";
        else if constexpr (std::is_same_v<T, effect::ThreadBarrier>)
          return "MM-22";
        else if constexpr (std::is_same_v<T, effect::Fence>)
          return "MM-30 to MM-37";
        else if constexpr (std::is_same_v<T, effect::Lifetime>)
          return "MM-50 to MM-52";
        else if constexpr (std::is_same_v<T, effect::Registers>)
          return "MM-70, MM-72, MM-73";
        else if constexpr (std::is_same_v<T, effect::WaitFlag>)
          return "MM-13, MM-26";
        else if constexpr (std::is_same_v<T, effect::GridDependency>)
          return "MM-85";
        else
          return "";
      },
      effect.what);
}

bool Walk::hardware(Operation *op, State &state, const Who &who) {
  ++sequence;
  if (mode == Mode::Final && enforce) {
    const WarpState &first = state.warps[firstWarp];
    auto now = std::make_shared<Stamp>();
    now->phase = phase;
    now->waits = first.waits[elected];
    now->arrivals = first.arrivals[elected];
    for (auto &[object, count] : first.next)
      if (proof.objects[object].kind == Object::Named)
        now->arrivals[object] = count;
    stamps.push_back(now);
    stamp = std::move(now);
  }
  if (enforce && mode == Mode::Final && !proof.reached.contains(op) &&
      !state.facts.contradict())
    proof.reached.insert(op);
  const effect::EffectList &effects = proof.effectsOf(op);
  auto cardinality = cast<HardwareEffectsInterface>(op).getCardinality();
  using effect::Cardinality;
  if (cardinality == Cardinality::OneThread
          ? who.lanes != Elected || who.warps.size() != 1
          : cardinality != Cardinality::EveryThread && who.lanes != AllLanes)
    return proof.stop("another number of threads executes this than issues it",
                      op);
  // Which product a warpgroup's other warps are at, hangs on all of them (MM-71).
  const int64_t group = proof.target.warpsPerWarpgroup;
  if (cardinality == Cardinality::Warpgroup &&
      (who.warps.size() % group ||
       (who.warps.front() - rank * kernelWarps()) % group ||
       who.warps.back() - who.warps.front() + 1 !=
           static_cast<int64_t>(who.warps.size())))
    return proof.stop("not all warps of a warpgroup execute this", op);
  for (MValue result : op->getResults())
    state.values[result] = TValue();
  // What a copy completes on says when its accesses are over.
  Phases phases;
  for (const effect::Effect &effect : effects)
    if (auto *done = std::get_if<effect::CompleteTx>(&effect.what)) {
      proof.rules = rulesOf(effect);
      if (!complete(op, *done, state, who, phases))
        return false;
    }
  countIssued(op, state, who);
  for (auto [number, effect] : llvm::enumerate(effects)) {
    proof.rules = rulesOf(effect);
    bool good = std::visit(
        [&](const auto &what) {
          using T = std::decay_t<decltype(what)>;
          if constexpr (std::is_same_v<T, effect::Access>)
            return access(op, number, what, state, who, phases);
          else if constexpr (std::is_same_v<T, effect::Arrive>)
            return arrive(op, what, state, who);
          else if constexpr (std::is_same_v<T, effect::ExpectTx>)
            return expect(op, what, state, who);
          else if constexpr (std::is_same_v<T, effect::CompleteTx>)
            return true;
          else if constexpr (std::is_same_v<T, effect::CommitGroup>)
            return commit(op, what, state, who);
          else if constexpr (std::is_same_v<T, effect::WaitGroup>)
            return waitGroup(op, what, state, who);
          else if constexpr (std::is_same_v<T, effect::WaitBarrier>)
            return wait(op, what, state, who);
          else if constexpr (std::is_same_v<T, effect::ThreadBarrier>)
            return threadBarrier(op, what, state, who);
          else if constexpr (std::is_same_v<T, effect::Fence>)
            return fence(op, what, state, who);
          else if constexpr (std::is_same_v<T, effect::Lifetime>)
            return lifetime(op, what, state, who);
          else if constexpr (std::is_same_v<T, effect::Registers>)
            return registers(op, what, state, who);
          else if constexpr (std::is_same_v<T, effect::WaitFlag>)
            return behindGrids(op, what.flag.object, AccessKind::Read, state,
                               who) &&
                   waitFlag(op, what, state, who);
          else if constexpr (std::is_same_v<T, effect::GridDependency>)
            return dependency(what, state, who);
          else if constexpr (std::is_same_v<T, effect::Reveals>)
            return counterOf(op) ||
                   proof.stop("what depends on the schedule is not followed "
                              "by the proof yet",
                              op);
          else
            return proof.stop("what '" + op->getName().getStringRef().str() +
                                  "' does is not followed by the proof yet",
                              op);
        },
        effect.what);
    if (!good)
      return false;
  }
  proof.rules = "";
  if (op->getNumResults() == 1)
    if (TValue loaded = contents(op, state); loaded.kind != Kind::Unknown)
      state.values[op->getResult(0)] = std::move(loaded);
  return true;
}

ObjectId Walk::ofCta(ObjectId ring, int cta) {
  Object object = proof.objects[ring];
  object.cta = cta;
  return proof.object(object);
}

bool Walk::toAll(const effect::CtaSet &ctas, State &state) {
  if (ctas.kind != effect::CtaSet::Mask)
    return false;
  auto mask = state.values.lookup(ctas.value).constant();
  return mask && (*mask & 0xffff) == (1 << ranks) - 1;
}

std::optional<Walk::Ring> Walk::ringOf(Operation *op, State &state,
                                       const effect::BarrierRef &ref) {
  effect::Base base = effect::baseOf(ref.barrier);
  auto type = dyn_cast<MBarrierType>(base.root.getType());
  std::optional<int64_t> cta = rank;
  if (base.rank)
    cta = state.values.lookup(base.rank).constant();
  else if (base.root != ref.barrier)
    cta = std::nullopt;
  if (ref.ctas.kind == effect::CtaSet::Rank)
    cta = state.values.lookup(ref.ctas.value).constant();
  else if (ref.ctas.kind != effect::CtaSet::Own &&
           (base.rank ||
            (!toAll(ref.ctas, state) &&
             !proof.counted.contains(base.root.getAsOpaquePointer()))))
    cta = std::nullopt;
  if (!type || !cta || *cta < 0 || *cta >= ranks) {
    proof.stop("which CTA's barrier this is, is not followed", op);
    return std::nullopt;
  }
  if (!isa_and_nonnull<AllocOpInterface>(base.root.getDefiningOp())) {
    proof.stop("which barrier this is, is not followed by the proof yet", op);
    return std::nullopt;
  }
  Object object{Object::Ring, base.root};
  object.slots = type.getSlots();
  object.cta = *cta;
  Ring ring{proof.object(object), TValue::of(0)};
  if (ref.index)
    ring.slot = state.values.lookup(ref.index);
  return ring;
}

/// Tables of a cycle, and a polynomial that its place differs from by a constant.
static bool follows(const Atoms &atoms, const Facts &facts, const TValue &value,
                    const Polynomial &use, int64_t slots,
                    function_ref<int64_t(int64_t)> expected) {
  if (value.kind != Kind::Cycle && !value.constant())
    return false;
  // A constant is a cycle of one number.
  std::vector<int64_t> table =
      value.constant() ? std::vector{*value.constant()} : value.table;
  Polynomial place = value.constant() ? Polynomial() : value.number;
  int64_t size = table.size(), common = std::lcm(size, slots);
  if (common > 8192)
    return false;
  // At use u the place is u - distance.
  auto agree = [&](int64_t distance) {
    for (int64_t u = 0; u < common; ++u)
      if (table[((u - distance % size) % size + size) % size] != expected(u))
        return false;
    return true;
  };
  // A use that is a multiple of the slots and a constant is one slot's.
  int64_t rest = use.constantTerm();
  if (value.constant() && (use - Polynomial(rest)).dividedBy(slots))
    return table[0] == expected((rest % slots + slots) % slots);
  if (value.constant())
    return agree(0);
  // The place counts rounds, or steps of several uses: at use y times so many, and
  // so far on, it is y.
  for (auto &[monomial, coefficient] : use.monomials()) {
    const auto &[first, unit] = place.monomials()[0];
    int64_t uses = monomial == first ? coefficient / unit : 0;
    auto on = (use - place * Polynomial(uses)).constant();
    if (uses < 2 || uses > 8192 || !on)
      continue;
    bool good = true;
    for (int64_t y = 0; y < common; ++y)
      good &= table[y % size] ==
              expected(((y * uses + *on % slots) % slots + slots) % slots);
    if (good)
      return true;
  }
  // Distances count modulo both.
  Polynomial apart = use - place;
  rest = apart.constantTerm();
  if ((apart - Polynomial(rest)).dividedBy(common))
    return agree(rest);
  // A parity, (y div d) mod 2, is one of 2 d numbers at y.
  auto longer = value.overDividend(atoms, facts);
  if (longer && follows(atoms, facts, *longer, use, slots, expected))
    return true;
  // Perhaps this case of the launch says how far.
  constexpr int64_t most = 4;
  const Polynomial distance = use - value.number;
  if (!facts.provesAtLeast(distance, -most) ||
      !facts.provesAtLeast(most, distance))
    return false;
  for (int64_t each = -most; each <= most; ++each)
    if (facts.provesEqual(distance, each))
      return agree(each);
  return false;
}

bool Walk::isSlotOf(State &state, const Ring &ring, const Polynomial &use) {
  int64_t slots = proof.objects[ring.object].slots;
  if (guessing || (slots == 1 && ring.slot.constant() == 0))
    return true;
  // A number of which it is known that it is one of the slots.
  if (ring.slot.kind == Kind::Number && !ring.slot.constant()) {
    const Polynomial &slot = ring.slot.number;
    return ((use - slot).dividedBy(slots) ||
            state.facts.provesEqual(use, slot)) &&
           state.facts.provesAtLeast(slot, 0) &&
           state.facts.provesAtLeast(slots - 1, slot);
  }
  return follows(proof.atoms, state.facts, ring.slot, use, slots,
                 [&](int64_t u) { return u % slots; });
}

std::vector<Polynomial> Walk::laterUses(State &state, const Ring &ring,
                                        const Polynomial &use) {
  int64_t slots = proof.objects[ring.object].slots;
  const TValue &slot = ring.slot;
  if (slot.kind != Kind::Cycle ||
      static_cast<int64_t>(slot.table.size()) != slots)
    return {};
  std::vector<Polynomial> result;
  for (int64_t first : {slot.table[0] - slots, slot.table[0]}) {
    Polynomial later = slot.number + Polynomial(first);
    if ((slot.table[0] || first == 0) && isSlotOf(state, ring, later) &&
        state.facts.provesAtLeast(later, use + 1))
      result.push_back(later);
  }
  return result;
}

void Walk::skipTo(ObjectId ring, const Polynomial &from,
                  const Polynomial &use) {
  proof.turned.insert(ring);
  if (mode != Mode::Final)
    return;
  for (auto &stamp : stamps)
    for (auto *list : {&stamp->waits, &stamp->arrivals})
      if (auto at = list->find(ring);
          at == list->end() ? from == Polynomial() : at->second == from)
        (*list)[ring] = use;
}

bool Walk::usable(Operation *op, ObjectId ring, const Who &who, bool async) {
  // A peer initialises its own by the same text.
  auto life = lives.find(ofCta(ring, rank));
  if (proof.objects[ring].cta != rank) {
    remote = true;
    return (life != lives.end() && life->second.everywhere) ||
           proof.stop("the peer's barrier is not shown to be initialised: no "
                      "barrier of the cluster stands between",
                      op);
  }
  if (life == lives.end())
    return proof.stop("this uses a barrier that is not initialised before", op);
  bool own = who.warps.size() == 1 && who.warps[0] == life->second.warp &&
             who.lanes == Elected;
  // Threads of the CTA ask for no fence (MM-51).
  if (proof.without == Judgement::Init || life->second.published ||
      (!async && (own || life->second.told)) || (own && life->second.fenced))
    return true;
  return proof.stop("the barrier's initialisation is not fenced and published "
                    "to who uses it here",
                    op, "titan.fence.mbarrier_init, then a barrier of the CTA");
}

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

bool typestate::pinned(Proof &proof, Operation *op, const State &state,
                       const WarpState &warp, int lane, ObjectId object,
                       const Polynomial &use, const char *what) {
  const Knowledge &knows = warp.knows[lane];
  auto found = knows.find(object);
  Polynomial bound = found == knows.end() ? Polynomial() : found->second;
  if (proof.without == Judgement::Pinned)
    return true;
  for (const Knowledge *each : {&knows, &warp.sees[lane]})
    if (isOver(state.facts, *each, object,
               use - Polynomial(proof.objects[object].slots)))
      return true;
  if (proof.pending)
    return true;
  proof.stop(std::string(what) + " use " + proof.print(use) + " of " +
                 proof.name(object) + " is not shown to come after use " +
                 proof.print(use - Polynomial(proof.objects[object].slots)) +
                 " is over (what is known: all below " + proof.print(bound) +
                 ")",
             op,
             "a wait for it before this, or before a signal that this "
             "thread has waited for");
  // (findExports stops, if this walk is the last one.)
  std::swap(proof.pending, proof.stopped);
  return true;
}

bool Walk::arrive(Operation *op, const effect::Arrive &arrive, State &state,
                  const Who &who) {
  auto ring = ringOf(op, state, arrive.barrier);
  if (!ring || !usable(op, ring->object, who, false))
    return false;
  const bool narrow =
      proof.objects[ring->object].cta != rank && proof.isNarrow(ring->object);
  if (arrive.after == Mechanism::TensorCore && proof.isNarrow(ring->object))
    return proof.stop("this arrival is released to its own CTA only, or "
                      "acquired from it",
                      op, "scope(cluster)");
  if (arrive.after == Mechanism::TensorCore)
    return commitProducts(op, arrive, state, who);
  // Each lane's, when its copies are over.
  bool async = arrive.after == Mechanism::AsyncGroup && who.lanes == AllLanes &&
               arrive.sem == effect::Sem::Relaxed &&
               proof.objects[ring->object].cta == rank;
  if ((arrive.after && !async) || arrive.increments || arrive.drops ||
      !arrive.count.isConstant() ||
      (arrive.sem != effect::Sem::Release && !async) ||
      (arrive.state && !arrive.state.use_empty()))
    return proof.stop("this kind of arrival is not followed by the proof yet",
                      op);
  for (int warp : who.walked) {
    WarpState &w = state.warps[warp];
    for (int lane : {elected, others}) {
      if (!(who.lanes >> lane & 1))
        continue;
      Polynomial use = w.arrivals[lane][ring->object];
      if (auto later = laterUses(state, *ring, use);
          !isSlotOf(state, *ring, use) && !later.empty() &&
          !w.bytes[lane].contains(ring->object)) {
        w.skipped[lane][ring->object] += later.front() - use;
        skipTo(ring->object, use, later.front());
        use = later.front();
      }
      if (!isSlotOf(state, *ring, use))
        return proof.stop("the slot of arrival " + proof.print(use) + " at " +
                              proof.name(ring->object) +
                              " is not shown to be that number modulo " +
                              std::to_string(proof.objects[ring->object].slots),
                          op,
                          "a slot carried by the loop, or the number of "
                          "the use modulo the slots");
      if (enforce && mode == Mode::Final &&
          !pinned(proof, op, state, w, lane, ring->object, use,
                  "the arrival of"))
        return false;
      auto &[open, last] = w.bytes[lane][ring->object];
      if (last)
        return proof.stop("the bytes expected for the last use are not all "
                          "copied by this thread before its next arrival",
                          op);
      last = open;
      open = 0;
      if (ranks > 1)
        expectedBytes[proof.objects[ring->object].barrier.getAsOpaquePointer()]
            .insert(last);
      if (!last)
        w.bytes[lane].erase(ring->object);
      int64_t amount =
          arrive.count.offset * (lane == elected ? 1 : proof.lanes - 1);
      Knowledge sees = w.sees[lane];
      if (narrow)
        learn(state, sees, w.knows[lane]);
      if (mode == Mode::Final)
        proof.signals.push_back(
            {Signal::Arrive, ring->object, op, warp, lane, use, amount,
             state.facts, state.path, sequence, groupNumber,
             narrow || (async && proof.without != Judgement::AsyncTells)
                 ? Knowledge()
                 : w.knows[lane],
             stamp, std::move(sees), async ? arrive.after : std::nullopt});
      w.arrivals[lane][ring->object] = use + 1;
    }
    Polynomial use =
        w.arrivals[who.lanes & Elected ? elected : others][ring->object] - 1;
    const ObjectId before = narrow ? proof.peersOf(ring->object) : ring->object;
    release(state, warp, who.lanes, before, use,
            async ? arrive.after : std::nullopt);
    if (!async && who.warps.size() == 1)
      releaseProducts(state, warp, who.lanes, before, use);
    if (async)
      w.unbound.erase({*arrive.after, elected});
  }
  return true;
}

bool Walk::expect(Operation *op, const effect::ExpectTx &expect, State &state,
                  const Who &who) {
  auto ring = ringOf(op, state, expect.barrier);
  if (!ring || !usable(op, ring->object, who, false))
    return false;
  std::optional<int64_t> bytes;
  if (expect.bytes.isConstant())
    bytes = expect.bytes.offset;
  else if (auto value = chosen(expect.bytes.value, state).constant())
    bytes = *value * expect.bytes.scale + expect.bytes.offset;
  else if (chooses(op, expect.bytes.value,
                   "the bytes expected are one of two numbers", state))
    return false;
  if (!bytes || who.lanes != Elected)
    return proof.stop("bytes that are no constant, or expected by many lanes, "
                      "are not followed by the proof yet",
                      op);
  if (*bytes < 0)
    return proof.stop("the bytes expected are " + std::to_string(*bytes) +
                          ", less than 0",
                      op);
  for (int warp : who.walked) {
    WarpState &w = state.warps[warp];
    Polynomial use = w.arrivals[elected][ring->object];
    if (!isSlotOf(state, *ring, use))
      return proof.stop("the slot of use " + proof.print(use) + " of " +
                            proof.name(ring->object) +
                            " is not shown to be that number modulo its slots",
                        op);
    if (enforce && mode == Mode::Final &&
        !pinned(proof, op, state, w, elected, ring->object, use,
                "expect_tx for"))
      return false;
    if (!proof.isCounted(ring->object)) {
      int64_t &open = w.bytes[elected][ring->object].first;
      open += *bytes;
      // All of them together keep the transaction count in its range.
      auto &most = proof.mostExpected[ring->object];
      most[warp] = std::max(most[warp], open);
      for (int other : othersLike(warp))
        most[other] = most[warp];
      int64_t all = 0;
      for (auto [_, expected] : most)
        all += expected;
      if (all > proof.target.mbarrierMaxTx)
        return proof.stop("a phase of " + proof.name(ring->object) +
                              " may expect " + std::to_string(all) +
                              " bytes, more than its barrier counts",
                          op, "fewer bytes a phase");
      continue;
    }
    if (mode == Mode::Final)
      proof.signals.push_back({Signal::Expect, ring->object, op, warp, elected,
                               use, *bytes, state.facts, state.path, sequence,
                               groupNumber, w.knows[elected], stamp,
                               w.sees[elected]});
  }
  return true;
}

/// What expects bytes at a ring behind a copy, in its block; null: nothing does.
static Operation *expectedBehind(Proof &proof, Operation *copy,
                                 MValue barrier) {
  for (Operation *op = copy->getNextNode(); op; op = op->getNextNode())
    if (isa<HardwareEffectsInterface>(op))
      for (const effect::Effect &effect : proof.effectsOf(op))
        if (auto *expect = std::get_if<effect::ExpectTx>(&effect.what);
            expect && expect->barrier.barrier == barrier)
          return op;
  return nullptr;
}

bool Walk::complete(Operation *op, const effect::CompleteTx &complete,
                    State &state, const Who &who, Phases &phases) {
  auto ring = ringOf(op, state, complete.barrier);
  if (!ring || !usable(op, ring->object, who, true))
    return false;
  bool copy = false;
  for (const effect::Effect &effect : proof.effectsOf(op))
    copy |= std::holds_alternative<effect::Access>(effect.what);
  if (!complete.bytes.isConstant() || complete.tile || who.lanes != Elected ||
      !copy)
    return proof.stop("these bytes are not followed by the proof yet", op);
  // A multicast by each CTA of the cluster: by symmetry, as many bytes come from
  // each as go to each (checkMulticast).
  bool all = complete.barrier.ctas.kind == effect::CtaSet::Mask;
  if (proof.isCounted(ring->object)) {
    auto mask =
        all ? state.values.lookup(complete.barrier.ctas.value).constant()
            : int64_t(1) << proof.objects[ring->object].cta;
    if (!mask)
      return proof.stop("to which CTAs this goes is not followed", op);
    for (int warp : who.walked)
      for (int cta = 0; cta < ranks; ++cta) {
        Ring its = {ofCta(ring->object, cta), ring->slot};
        if (!(*mask >> cta & 1))
          continue;
        if (!usable(op, its.object, who, true))
          return false;
        auto use = countedUse(op, state, warp, its);
        if (!use)
          return false;
        WarpState &w = state.warps[warp];
        phases[{warp, cta}] = {its.object, *use, false, {}};
        if (mode == Mode::Final)
          proof.signals.push_back(
              {Signal::Complete, its.object, op, warp, elected, *use,
               complete.bytes.offset, state.facts, state.path, sequence,
               groupNumber, w.knows[elected], stamp, w.sees[elected]});
      }
    return true;
  }
  // Of a ring that the CTAs fill together each brings its share (checkShares).
  bool shared = proof.isShared(ring->object),
       peers = shared && proof.objects[ring->object].cta != rank;
  int64_t bytes = complete.bytes.offset * (all || shared ? ranks : 1);
  for (int warp : who.walked) {
    WarpState &w = state.warps[warp];
    auto &[open, last] = w.bytes[elected][ring->object];
    // Who expects them is another CTA: as if it were this thread.
    if (peers && !open && !last) {
      auto &expected = expectedBytes[proof.objects[ring->object]
                                         .barrier.getAsOpaquePointer()];
      if (expected.size() != 1)
        return proof.stop("how many bytes the peer expects is not followed",
                          op);
      last = *expected.begin();
      w.arrivals[elected][ring->object] += Polynomial(1);
    }
    Polynomial next = w.arrivals[elected][ring->object];
    // Of the last arrival's use while bytes of it are missing, else of the next.
    bool behind = last > 0;
    Polynomial use = behind ? next - 1 : next;
    int64_t &missing = behind ? last : open;
    if (missing < bytes && proof.without == Judgement::Expects)
      missing = bytes;
    if (missing < bytes) {
      Operation *behind = expectedBehind(proof, op, complete.barrier.barrier);
      return proof.stop(
          "this copies " + std::to_string(bytes) +
              " bytes, of which its thread has expected " +
              std::to_string(missing) + " for use " + proof.print(use) +
              (behind ? ": it does so only behind the copy" : ""),
          op,
          behind ? "move " + quoted(behind) + " before the copy"
                 : "expect the bytes by the thread that copies them");
    }
    if (!isSlotOf(state, *ring, use))
      return proof.stop("the slot of use " + proof.print(use) + " of " +
                            proof.name(ring->object) +
                            " is not shown to be that number modulo its slots",
                        op);
    missing -= bytes;
    if (!open && !last)
      w.bytes[elected].erase(ring->object);
    for (int cta = 0; cta < ranks; ++cta) {
      if (!all && cta != rank)
        continue;
      ObjectId object = shared ? ring->object : ofCta(ring->object, cta);
      if ((cta != rank || peers) && (!usable(op, object, who, true) ||
                                     (enforce && mode == Mode::Final &&
                                      !pinned(proof, op, state, w, elected,
                                              object, use, "the copy for"))))
        return false;
      if (all)
        multicast.insert(proof.objects[object].barrier.getAsOpaquePointer());
      phases[{warp, cta}] = {object, use, false, {}};
      // Whose bytes have come has waited before it copied them (MM-15).
      if (peers)
        release(state, warp, Elected, object, use, Mechanism::Phase);
      if (mode == Mode::Final)
        proof.signals.push_back({Signal::Complete, object, op, warp, elected,
                                 use, bytes, state.facts, state.path, sequence,
                                 groupNumber, w.knows[elected], stamp,
                                 w.sees[elected]});
    }
  }
  return true;
}

void Walk::observe(State &state, int warp, int lane, ObjectId object,
                   const Polynomial &use) {
  WarpState &w = state.warps[warp];
  // Of uses below 0 nobody tells anything.
  bool whole = state.facts.provesAtLeast(use, 0);
  auto take = [&](const Exports &exports, Knowledge &knows) {
    auto told = exports.find(object);
    if (told != exports.end())
      for (auto &[other, lines] : told->second)
        for (const Export &line : lines) {
          auto ahead = line.ahead.constant();
          // (Of a line between rounds the first one may tell nothing.)
          if (!line.times.constant() &&
              (line.times * use + line.ahead).constant().value_or(1) <= 0)
            continue;
          if (whole)
            learn(state, knows, other, line.times * use + line.ahead);
          else if (ahead && line.times.constant() == 1)
            learn(state, knows, other,
                  use + Polynomial(std::min<int64_t>(*ahead, 1)));
        }
    // Who takes turns has to know of those before, too; and so has who waits for
    // uses and for those of a round before: in between are others.
    if (proof.turned.contains(object)
            ? !proof.trust
            : proof.waitsFor[{warp, lane, object}].size() > 1 &&
                  proof.without != Judgement::Between) {
      auto known = knows.find(object);
      if (!state.facts.provesAtLeast(
              known == knows.end() ? Polynomial() : known->second, use))
        return;
    }
    learn(state, knows, object, use + 1);
    // (What arrives there is never learnt in memory order.)
    if (&knows == &w.sees[lane] && proof.isNarrow(object))
      learn(state, knows, proof.peersOf(object), use + 1);
  };
  take(proof.exports, w.knows[lane]);
  if (proof.seesApart)
    take(proof.seen, w.sees[lane]);
}

bool Walk::wait(Operation *op, const effect::WaitBarrier &wait, State &state,
                const Who &who) {
  auto ring = ringOf(op, state, wait.barrier);
  if (!ring || !usable(op, ring->object, who, false))
    return false;
  if (!wait.blocking || wait.state || wait.sem != effect::Sem::Acquire)
    return proof.stop("polls, states and relaxed waits are not followed by the "
                      "proof yet",
                      op);
  if (proof.objects[ring->object].cta != rank)
    return proof.stop("waits at a peer's barrier are not followed by the proof",
                      op);
  if (proof.isNarrow(ring->object) && proof.isShared(ring->object))
    return proof.stop("this wait, for what peers copy into their own memory, "
                      "acquires from its own CTA only",
                      op, "scope(cluster)");
  int64_t slots = proof.objects[ring->object].slots;
  TValue parity = state.values.lookup(wait.parity);
  for (int warp : who.walked) {
    WarpState &w = state.warps[warp];
    std::optional<Polynomial> use;
    for (int lane : {elected, others}) {
      if (!(who.lanes >> lane & 1))
        continue;
      Polynomial count = w.waits[lane][ring->object];
      // The count-th wait is for that use, or for the one a round before it.
      bool slot = isSlotOf(state, *ring, count);
      std::vector<Polynomial> later;
      if (!slot)
        later = laterUses(state, *ring, count);
      auto phase = [&](int64_t credit) {
        return follows(proof.atoms, state.facts, parity, count, 2 * slots,
                       [&](int64_t u) { return (u / slots + credit) % 2; }) ||
               // The first round alone: barriers that are used once.
               (parity.constant() == credit &&
                (proof.without == Judgement::OnceUsed ||
                 (state.facts.provesAtLeast(count, 0) &&
                  state.facts.provesAtLeast(slots - 1, count))));
      };
      auto answers = [&](int64_t credit) {
        return slot && (phase(credit) ||
                        (!credit && proof.without == Judgement::Parity));
      };
      bool plain, credit;
      if (auto known = answered.find(op); guessing && known != answered.end()) {
        plain = known->second;
        credit = !plain;
      } else {
        plain = answers(0);
        credit = answers(1);
      }
      const Polynomial from = count;
      for (const Polynomial &use : later) {
        if (plain || credit)
          break;
        slot = true;
        count = use;
        plain = answers(0);
        credit = answers(1);
      }
      if (count != from)
        skipTo(ring->object, from, count);
      // (Of a guess it may be that no earlier iteration has shown which of the two it is.)
      const bool shown = plain || credit;
      if (!shown && !(guessing && slot))
        return proof.stop(
            (slot ? "the parity of wait " : "the slot of wait ") +
                proof.print(count) + " for " + proof.name(ring->object) +
                " is not shown to be that of its use (" +
                (slot ? "number div slots, or that + 1, modulo 2)"
                      : "number modulo slots)"),
            op,
            "one wait a use, with slot and parity carried by the loop, or "
            "computed from the number of the use");
      if (shown)
        answered[op] = plain;
      else
        plain = true;
      Polynomial mine = plain ? count : count - Polynomial(slots);
      if (use && *use != mine)
        return proof.stop("lanes of a warp wait for different uses", op);
      use = mine;
      if (enforce && mode == Mode::Final &&
          !pinned(proof, op, state, w, lane, ring->object, mine,
                  "this wait for"))
        return false;
      if (slots > 1)
        proof.waitsFor[{warp, lane, ring->object}].insert(credit && !plain);
      w.waits[lane][ring->object] = count + 1;
    }
    if (mode != Mode::Slope && enforce) {
      Access mark;
      mark.op = op;
      mark.warp = warp;
      mark.lanes = who.lanes;
      mark.facts = state.facts;
      mark.path = state.path;
      size_t number = record(std::move(mark), 1000);
      if (mode == Mode::Final)
        proof.waits.push_back({ring->object,
                               op,
                               warp,
                               who.lanes,
                               *use,
                               state.facts,
                               state.path,
                               sequence,
                               groupNumber,
                               number,
                               stamp,
                               {w.arrivals[elected][ring->object],
                                w.arrivals[others][ring->object]}});
      pend(number, state, warp, iterationsHere(state));
    }
    for (int lane : {elected, others}) {
      if (!(who.lanes >> lane & 1))
        continue;
      observe(state, warp, lane, ring->object, *use);
    }
  }
  return true;
}
