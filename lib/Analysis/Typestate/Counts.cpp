//===- Counts.cpp - arrivals, bytes and waits: how many, and when ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Orders.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;

void Proof::collectExports() {
  exports = told(false);
  if (kernel.getClusterSize() > 1)
    seen = told(true);
}

Exports Proof::told(bool inExecution) {
  Exports result;
  auto tells = [&](const Signal &signal) {
    return signal.kind == Signal::Arrive ||
           (inExecution && signal.kind == Signal::Complete);
  };
  // Of each thread that arrives the least, of all threads the most: all have
  // arrived when the use is over.
  std::map<ObjectId, std::map<std::pair<int, int>, std::map<ObjectId, int64_t>>>
      least;
  // Of what a signal knows nothing, it knows that all uses below 0 are over.
  std::map<std::tuple<ObjectId, int, int>, std::set<ObjectId>> known;
  for (const Signal &signal : signals)
    if (tells(signal))
      for (auto &[object, bound] : inExecution ? signal.sees : signal.knows)
        known[{signal.object, signal.warp, signal.lane}].insert(object);
  for (const Signal &signal : signals) {
    if (!tells(signal))
      continue;
    const Knowledge &knows = inExecution ? signal.sees : signal.knows;
    auto [mine, fresh] =
        least[signal.object].try_emplace({signal.warp, signal.lane});
    std::map<ObjectId, int64_t> ahead;
    for (ObjectId object : known[{signal.object, signal.warp, signal.lane}]) {
      auto found = knows.find(object);
      Polynomial bound = found == knows.end() ? Polynomial() : found->second;
      if (auto number = bound.constant(); number && *number < 0)
        bound = 0;
      if (auto constant = (bound - signal.use).constant();
          constant && object != signal.object)
        ahead[object] = *constant;
    }
    if (fresh) {
      mine->second = ahead;
      continue;
    }
    for (auto it = mine->second.begin(); it != mine->second.end();) {
      auto found = ahead.find(it->first);
      if (found == ahead.end()) {
        it = mine->second.erase(it);
        continue;
      }
      it->second = std::min(it->second, found->second);
      ++it;
    }
  }
  for (auto &[object, threads] : least)
    for (auto &[thread, ahead] : threads)
      for (auto &[known, constant] : ahead) {
        auto [found, fresh] = result[object].try_emplace(known, constant);
        if (!fresh)
          found->second = std::max(found->second, constant);
      }
  return result;
}

bool Proof::checkCounts() {
  std::set<ObjectId> rings;
  for (auto &[object, count] : counts)
    rings.insert(object);
  for (ObjectId ring : rings) {
    int64_t slots = objects[ring].slots;
    // Arrivals: as many as are counted, each thread one a use, all equally often.
    std::map<std::pair<int, int>, int64_t> amounts;
    std::optional<Polynomial> total;
    Operation *last = nullptr;
    bool copies = false;
    for (const Signal &signal : signals) {
      if (signal.object != ring)
        continue;
      last = signal.op;
      copies |= signal.kind == Signal::Complete;
      if (signal.kind != Signal::Arrive)
        continue;
      auto [mine, fresh] =
          amounts.try_emplace({signal.warp, signal.lane}, signal.amount);
      if (mine->second != signal.amount)
        return stop("a thread arrives with different counts", signal.op);
    }
    int64_t sum = 0;
    for (auto &[thread, amount] : amounts) {
      sum += amount;
      Polynomial mine = totals[thread.first].signals[thread.second][ring];
      if (total && !launch.provesEqual(*total, mine))
        return stop("the threads that arrive at " + name(ring) +
                        " do not all arrive equally often: " + print(*total) +
                        " and " + print(mine) + " times",
                    last);
      total = mine;
    }
    if (!amounts.empty() && sum != counts[ring])
      return stop(std::to_string(sum) + " arrivals a use come to " +
                      name(ring) + ", which counts " +
                      std::to_string(counts[ring]),
                  last);
    Polynomial uses = total.value_or(Polynomial());
    for (const Wait &wait : waits) {
      if (wait.object != ring)
        continue;
      Facts facts = launch;
      facts.add(wait.facts);
      if (!facts.provesAtLeast(uses - 1, wait.use))
        return stop("this wait is for use " + print(wait.use) + " of " +
                        name(ring) + ", which is not shown to be one of its " +
                        print(uses) + " uses",
                    wait.op);
      // The use after next cannot be over before the wait is: by its parity the
      // wait would be answered for it. (Named barriers have no parity.)
      if (objects[ring].kind != Object::Ring)
        continue;
      bool alias = true;
      for (auto &[thread, amount] : amounts) {
        bool after = true;
        for (const Signal &signal : signals) {
          if (signal.kind != Signal::Arrive || signal.object != ring ||
              std::pair(signal.warp, signal.lane) != thread)
            continue;
          Facts both = launch;
          both.add(wait.facts);
          both.add(other(*this, signal.facts));
          both.equal(other(*this, signal.use), wait.use + Polynomial(slots));
          std::vector<Clause> clauses;
          notBefore(*this, accesses[wait.mark], signal.knows, true, false,
                    clauses);
          after &= contradict(both, clauses);
        }
        alias &= !after;
      }
      if (alias && without != Judgement::Alias)
        return stop("the use of " + name(ring) + " that is " +
                        std::to_string(slots) +
                        " behind the one waited for is not shown to end only "
                        "after this wait: by its parity the wait could be "
                        "answered for it",
                    wait.op);
    }
    // Copies into the CTA's memory are over when it ends.
    bool over = !copies;
    for (auto &[warp, mine] : totals)
      for (int lane : {elected, others}) {
        auto known = mine.knows[lane].find(ring);
        over |= (objects[ring].kind != Object::Ring ||
                 ctaOf(warp) == objects[ring].cta) &&
                known != mine.knows[lane].end() &&
                launch.provesAtLeast(known->second, uses);
      }
    if (!over)
      return stop(
          "nobody is shown to wait for the last copies that complete on " +
              name(ring),
          last);
  }
  return true;
}

bool Proof::checkMulticast() {
  for (auto &[barrier, bytes] : multicast) {
    if (bytes.size() != 1)
      return stop("CTAs fill each other's rings, of which not all uses expect "
                  "the same bytes",
                  kernel);
    // Each CTA's ring has as many uses, by one thread that copies in each.
    std::optional<Polynomial> total;
    std::map<int, std::set<int>> copiers;
    Operation *op = kernel;
    for (const Signal &signal : signals) {
      if (objects[signal.object].kind != Object::Ring ||
          objects[signal.object].barrier.getAsOpaquePointer() != barrier)
        continue;
      op = signal.op;
      if (signal.kind == Signal::Complete)
        copiers[ctaOf(signal.warp)].insert(signal.warp);
      if (signal.kind != Signal::Arrive)
        continue;
      if (ctaOf(signal.warp) != objects[signal.object].cta)
        return stop("a CTA arrives at a ring of a peer that it fills", op);
      Polynomial mine = totals[signal.warp].signals[signal.lane][signal.object];
      if (total && !launch.provesEqual(*total, mine))
        return stop("the CTAs of a cluster do not fill their rings equally "
                    "often",
                    op);
      total = mine;
    }
    for (int cta = 0; cta < kernel.getClusterSize(); ++cta)
      if (copiers[cta].size() != 1)
        return stop("not one thread of each CTA copies to the rings of all",
                    op);
  }
  return true;
}
