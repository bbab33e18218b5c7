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

#include "titan/Target/Target.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;

/// Bytes that a phase can expect: tx-count is 2^20 - 1 at most (PTX ISA, mbarrier
/// contents).
static constexpr int64_t mostBytes = (int64_t(1) << 20) - 1;

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
      if (expected[use] != copied[use] || bytes > mostBytes)
        return stop("use " + std::to_string(use) + " of " + name(ring) +
                        " expects " + std::to_string(expected[use]) +
                        " bytes, and " + std::to_string(copied[use]) +
                        " bytes come",
                    last, "expect the bytes that are copied");
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
