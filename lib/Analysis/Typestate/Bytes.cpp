//===- Bytes.cpp - bytes that are counted use by use ----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes that a thread copies to a ring of its own CTA it has expected itself, use by
// use (Perform.cpp). Those of peers, and those that come run by run, are counted
// here:
//
//   use   expected by its CTA      copied
//   0     16384, once              64 bytes in each of 128 iterations, twice
//
// Which use a copy's bytes are of is the first one of the slot that its thread does
// not know to be over. While they have not come, that use is not over: all that it
// expects is expected before its last arrival, and no bytes but these make up for
// them.
//
//===----------------------------------------------------------------------===//
#include "Orders.h"
#include "Walk.h"

#include "titan/Target/Target.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;

/// Of those of the slot the first one that is not known to be over: the next one of the
/// slot cannot begin before these bytes have come, and those before it are over.
std::optional<Polynomial> Walk::countedUse(Operation *op, State &state,
                                           int warp, const Ring &ring) {
  const WarpState &w = state.warps[warp];
  int64_t slots = proof.objects[ring.object].slots, known = 0;
  auto slot = ring.slot.constant();
  for (const Knowledge *each : {&w.knows[elected], &w.sees[elected]}) {
    auto found = each->find(ring.object);
    if (found == each->end())
      continue;
    auto bound = found->second.constant();
    if (!bound)
      slot = std::nullopt;
    else
      known = std::max(known, *bound);
  }
  if (!slot || *slot < 0 || *slot >= slots) {
    proof.stop("bytes from peers, or run by run, are followed in uses whose "
               "numbers are constants, and of this one the iteration decides",
               op);
    if (void *barrier = proof.objects[ring.object].barrier.getAsOpaquePointer();
        !proof.shared.alike.contains(barrier))
      proof.stopped->alike = barrier;
    return std::nullopt;
  }
  return Polynomial(known + ((*slot - known) % slots + slots) % slots);
}

std::optional<int64_t> Proof::instances(const Path &path) const {
  int64_t result = 1;
  for (const Step &step : path) {
    if (step.side >= 0 || step.last)
      return std::nullopt;
    if (step.iteration.constant())
      continue;
    auto found = trips.find(step.op);
    if (found == trips.end() || !found->second)
      return std::nullopt;
    result *= *found->second - 1;
  }
  return result;
}

bool Proof::checkBytes(ObjectId ring, const Polynomial &uses) {
  if (without == Judgement::Bytes)
    return true;
  if (turned.contains(ring))
    return stop("turns at a ring whose bytes come from peers, or run by run",
                kernel);
  std::map<int64_t, int64_t> expected, copied;
  Operation *last = kernel;
  const auto arrive = signallers(ring);
  for (const Signal &signal : signals) {
    if (signal.object != ring || signal.kind == Signal::Arrive)
      continue;
    auto use = signal.use.constant();
    auto times = instances(signal.path);
    if (!use || !times)
      return stop("how many bytes come to " + name(ring) +
                      " from peers, or run by run, is followed where neither a "
                      "branch nor the iteration decides",
                  signal.op);
    if (signal.kind == Signal::Expect) {
      // (Who arrives, arrives in each use: behind this, in this one.)
      if (*use < 0 ||
          (!arrive.contains({signal.warp, signal.lane}) &&
           without != Judgement::Expected) ||
          !launch.provesAtLeast(uses - 1, *use))
        return stop("bytes are expected in a use of " + name(ring) +
                        " that its thread is not shown to arrive at",
                    signal.op);
      expected[*use] += signal.amount * *times;
    } else {
      last = signal.op;
      copied[*use] += signal.amount * *times;
    }
  }
  for (auto *some : {&expected, &copied})
    for (auto [use, bytes] : *some)
      if (expected[use] != copied[use] || bytes > target.mbarrierMaxTx)
        return stop("use " + std::to_string(use) + " of " + name(ring) +
                        " expects " + std::to_string(expected[use]) +
                        " bytes, and " + std::to_string(copied[use]) +
                        " bytes come",
                    last, "expect the bytes that are copied");
  return true;
}

bool Proof::checkShares() {
  for (auto &[barrier, expected] : shares) {
    using Copy = std::tuple<Operation *, const Path *, Polynomial, int64_t>;
    std::map<int, std::vector<Copy>> copies;
    std::set<int> warps;
    std::optional<ObjectId> ring;
    Operation *op = kernel;
    for (const Signal &signal : signals) {
      if (objects[signal.object].kind != Object::Ring ||
          objects[signal.object].barrier.getAsOpaquePointer() != barrier)
        continue;
      op = signal.op;
      // (Its expected bytes are the others'.)
      if (turned.contains(signal.object) ||
          (signal.kind != Signal::Complete &&
           ctaOf(signal.warp) != objects[signal.object].cta))
        return stop("turns at a ring that CTAs fill together, or arrivals of "
                    "peers there",
                    op);
      if (signal.kind != Signal::Complete)
        continue;
      if (ring.value_or(signal.object) != signal.object)
        return stop("which CTA's ring this is, differs", op);
      ring = signal.object;
      warps.insert(signal.warp);
      copies[ctaOf(signal.warp)].emplace_back(signal.op, &signal.path,
                                              signal.use, signal.amount);
    }
    if (!ring)
      continue;
    // One thread of each, alike, and as often as its own CTA expects them.
    auto alike = [](const Copy &a, const Copy &b) {
      auto &[opA, pathA, useA, amountA] = a;
      auto &[opB, pathB, useB, amountB] = b;
      return opA == opB && *pathA == *pathB && useA == useB &&
             amountA == amountB;
    };
    bool same = static_cast<int>(warps.size()) == kernel.getClusterSize();
    for (int cta = 0; cta < kernel.getClusterSize(); ++cta)
      same &=
          !copies[cta].empty() && llvm::equal(copies[0], copies[cta], alike);
    for (int warp : warps)
      same &= atEnd.provesEqual(totals[warp].signals[elected][*ring],
                                totals[*warps.begin()].signals[elected][*ring]);
    // What a CTA has copied into its own memory is there when it ends.
    const Polynomial uses = totals[*warps.begin()].signals[elected][*ring];
    for (int cta = 0; cta < kernel.getClusterSize(); ++cta) {
      bool over = false;
      for (auto &[warp, mine] : totals)
        for (int lane : {elected, others})
          if (auto known = mine.knows[lane].find(*ring);
              !over && ctaOf(warp) == cta && known != mine.knows[lane].end())
            over = atEnd.provesAtLeast(known->second, uses);
      if (!over && without != Judgement::Stays)
        return stop("a CTA may end before what it copies into its memory, and "
                    "tells another one of, has come",
                    op, "a barrier of the cluster behind that one's wait");
    }
    if (!same && without != Judgement::Alike)
      return stop("not one thread of each CTA of the cluster is shown to copy "
                  "alike to a ring that they fill together",
                  op);
  }
  return true;
}

bool Proof::checkSources() {
  if (without == Judgement::Stays)
    return true;
  for (const Signal &signal : signals) {
    int cta = ctaOf(signal.warp);
    if (signal.kind != Signal::Complete || !isCounted(signal.object) ||
        objects[signal.object].cta == cta)
      continue;
    bool reads = false;
    for (const effect::Effect &effect : effectsOf(signal.op))
      if (auto *access = std::get_if<effect::Access>(&effect.what))
        reads |= access->kind == AccessKind::Read &&
                 isa<SharedType>(access->bytes.object.getType());
    if (!reads)
      continue;
    bool over = false;
    for (auto &[warp, mine] : totals)
      for (int lane : {elected, others})
        if (auto known = mine.knows[lane].find(signal.object);
            ctaOf(warp) == cta && known != mine.knows[lane].end())
          over |= launch.provesAtLeast(known->second, signal.use + 1);
    if (!over)
      return stop("the CTA may end before what it copies to a peer has been "
                  "read",
                  signal.op,
                  "a barrier of the cluster behind the peer's wait, or an "
                  "arrival that tells of it");
  }
  return true;
}
