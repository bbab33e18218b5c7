//===- Deadlock.cpp - signals come before those who wait for them ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Signals and waits get a rank that never falls along a thread:
//
//   phase   before, in, behind partitions
//   time    how often those who execute the text have waited for a ring (a wait
//           itself included), or, where they never do, arrived at it before: one
//           ring for all, or, of rings in a chain, one for each partition (and so
//           many times that: who waits once a tile, where others wait once a step)
//   text    of equal time: an order of texts
//
// A wait for use n is above all signals of use n. Then nothing is stuck: of all
// waits that are, take one of the least rank. A signal of its use has not come,
// since its thread is stuck before it, at a wait of lower rank (or at a barrier
// of warps that execute one text together, one of which is stuck before that).
//
// Of equal time edges are asked for: from a text to the next of its threads, from
// a signal to the wait. No edge to a wait may lie on a cycle.
//
//===----------------------------------------------------------------------===//
#include "Orders.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;

namespace {
/// A signal or a wait of those who execute a text together.
struct Event {
  Operation *op;
  bool wait; ///< of a barrier that one op arrives and waits at: its second half
  ObjectId object;
  Polynomial use;
  /// What is known there, and of another instance there.
  Facts here, there;
  const Path *path;
  uint64_t sequence;
  unsigned group;
  const Stamp *stamp;
  int warp;
};

class Ranks {
public:
  explicit Ranks(Proof &proof) : proof(proof) {
    // What several warps do alike is asked once.
    std::set<std::tuple<Operation *, bool, ObjectId, uint64_t, Polynomial>>
        seen;
    auto add = [&](const auto &each, bool wait) {
      if (seen.insert({each.op, wait, each.object, each.sequence, each.use})
              .second) {
        Facts here = proof.launch;
        here.add(each.facts);
        events.push_back({each.op, wait, each.object, each.use, std::move(here),
                          other(proof, each.facts), &each.path, each.sequence,
                          each.group, each.stamp.get(), each.warp});
        if (wait)
          waits.insert({each.object, each.group});
      }
    };
    for (const Signal &signal : proof.signals)
      if (signal.kind != Signal::Expect && signal.kind != Signal::Commit)
        add(signal, false);
    for (const Wait &wait : proof.waits)
      add(wait, true);
  }

  /// Whether the time of this ring will do, for all who execute a text together.
  bool orders(ObjectId ring) {
    clocks.clear();
    for (const Event &event : events)
      clocks[clockOf(event)] = {ring, 1};
    edges.clear();
    inner.clear();
    for (const Event &w : events)
      if (w.wait)
        for (const Event &s : events)
          if (!s.wait && s.object == w.object && !before(s, w))
            return false;
    return inOrder();
  }

  /// Whether there are rings, one for each partition, whose times will do.
  bool ordersByPartition() {
    units = {1};
    if (chooseAll())
      return true;
    collectUnits();
    return units.size() > 1 && chooseAll();
  }

private:
  bool chooseAll() {
    candidates.clear();
    for (const Event &event : events)
      candidates[clockOf(event)][ringOf(event)] += event.wait;
    clocks.clear();
    fits.clear();
    attempts = 64;
    return choose(candidates.begin());
  }

  /// By how many uses a loop goes on in an iteration, where sizes say so.
  void collectUnits() {
    for (const Event &event : events)
      for (Atom a : event.use.atoms()) {
        Polynomial step =
            event.use.substitute(a, 1) - event.use.substitute(a, 0);
        if (proof.atoms.kind(a) == "iteration" && !step.constant() &&
            !proof.varies(step) && !llvm::is_contained(units, step) &&
            proof.launch.provesAtLeast(step, 1))
          units.push_back(step);
      }
  }

  using Node = std::pair<Operation *, bool>;
  Node nodeOf(const Event &event) { return {event.op, event.wait}; }
  /// Those who share a clock: who executes a text together, before, in or behind
  /// partitions.
  using Clocked = std::pair<unsigned, unsigned>;
  Clocked clockOf(const Event &event) {
    return {event.group, event.stamp->phase};
  }
  /// A ring of any CTA, as the first one's.
  ObjectId ringOf(const Event &event) {
    Object ring = proof.objects[event.object];
    if (ring.kind == Object::Ring)
      ring.cta = 0;
    return proof.object(ring);
  }

  /// Clocks for the partitions from `next` on.
  bool choose(std::map<Clocked, std::map<ObjectId, size_t>>::iterator next) {
    if (next == candidates.end()) {
      edges.clear();
      inner.clear();
      for (const Event &w : events)
        if (w.wait)
          for (const Event &s : events)
            if (!s.wait && s.object == w.object && !before(s, w))
              return false;
      --attempts;
      return inOrder();
    }
    // What it waits for first.
    std::vector<std::pair<size_t, ObjectId>> rings;
    for (auto [ring, waits] : next->second)
      rings.emplace_back(waits, ring);
    llvm::sort(rings, std::greater<>());
    for (auto [waits, ring] : rings)
      for (const Polynomial &unit : units) {
        clocks[next->first] = {ring, unit};
        bool good = attempts > 0;
        for (auto it = candidates.begin(); good && it != std::next(next); ++it)
          good = fit(next->first, it->first) && fit(it->first, next->first);
        if (good && choose(std::next(next)))
          return true;
        clocks.erase(next->first);
      }
    return false;
  }

  /// Whether signals of the one are not later than the waits of the other one.
  bool fit(Clocked signaller, Clocked waiter) {
    std::tuple key(signaller, clocks[signaller], waiter, clocks[waiter]);
    for (auto &[known, fits] : this->fits)
      if (known == key)
        return fits;
    bool &fits = this->fits.emplace_back(key, true).second;
    for (const Event &s : events)
      for (const Event &w : events)
        if (!s.wait && w.wait && s.object == w.object &&
            clockOf(s) == signaller && clockOf(w) == waiter && !before(s, w))
          return fits = false;
    return true;
  }

  bool inOrder() {
    for (const Event &a : events)
      for (const Event &b : events)
        if (a.group == b.group && a.stamp->phase == b.stamp->phase)
          programOrder(a, b);
    return acyclic();
  }

  /// How often it has waited when it goes on, or arrived before where it never
  /// waits.
  Polynomial timeOf(const Event &event) {
    auto [ring, unit] = clocks[clockOf(event)];
    // Each CTA's own.
    if (Object own = proof.objects[ring]; own.kind == Object::Ring) {
      own.cta = proof.ctaOf(event.warp);
      ring = proof.object(own);
    }
    // At named barriers who waits arrives.
    bool waits = proof.objects[ring].kind == Object::Ring &&
                 this->waits.contains({ring, event.group});
    const auto &list = waits ? event.stamp->waits : event.stamp->arrivals;
    auto found = list.find(ring);
    Polynomial before = found == list.end() ? Polynomial() : found->second;
    return unit * (event.wait && event.object == ring ? before + 1 : before);
  }

  /// The signal is below the wait wherever both are of one use.
  bool before(const Event &s, const Event &w) {
    if (s.stamp->phase != w.stamp->phase && s.stamp->phase < w.stamp->phase)
      return true;
    Facts facts = s.here;
    facts.add(w.there);
    facts.equal(s.use, other(proof, w.use));
    if (s.stamp->phase > w.stamp->phase)
      return contradict(proof, facts, {});
    Polynomial mine = timeOf(s), its = other(proof, timeOf(w));
    Facts later = facts, equal = facts;
    later.atLeast(mine, its + 1);
    if (!contradict(proof, later, {}))
      return false;
    equal.equal(mine, its);
    if (!contradict(proof, equal, {})) {
      edges[nodeOf(s)].insert(nodeOf(w));
      inner.insert({nodeOf(s), nodeOf(w)});
    }
    return true;
  }

  /// Whether an instance of a may come before one of b in a thread, at one time.
  void programOrder(const Event &a, const Event &b) {
    auto found = edges.find(nodeOf(a));
    if (found != edges.end() && found->second.contains(nodeOf(b)))
      return;
    Polynomial mine = timeOf(a), its = other(proof, timeOf(b));
    auto constant = (mine - its).constant();
    if (constant && *constant)
      return;
    Facts facts = a.here;
    facts.add(b.there);
    facts.equal(mine, its);
    Clause cases;
    Facts equal;
    bool sides = false;
    for (size_t d = 0; d < a.path->size() && d < b.path->size(); ++d) {
      const Step &x = (*a.path)[d], &y = (*b.path)[d];
      if (x.op != y.op)
        break;
      if (x.side >= 0) {
        sides = x.side != y.side;
        if (sides)
          break;
        continue;
      }
      Polynomial there = other(proof, y.iteration);
      Facts next = equal;
      next.atLeast(there, x.iteration + 1);
      cases.push_back(next);
      equal.equal(x.iteration, there);
    }
    // In one iteration: by the text; a barrier's halves in turn.
    if (!sides && (a.sequence < b.sequence ||
                   (a.sequence == b.sequence && !a.wait && b.wait)))
      cases.push_back(equal);
    if (cases.empty() || contradict(proof, facts, {cases}))
      return;
    edges[nodeOf(a)].insert(nodeOf(b));
  }

  /// No edge from a signal to its wait lies on a cycle.
  bool acyclic() {
    for (auto &[s, w] : inner) {
      std::set<Node> seen;
      std::vector<Node> stack = {w};
      while (!stack.empty()) {
        Node node = stack.back();
        stack.pop_back();
        if (node == s)
          return false;
        if (!seen.insert(node).second)
          continue;
        for (const Node &next : edges[node])
          stack.push_back(next);
      }
    }
    return true;
  }

  Proof &proof;
  std::vector<Event> events;
  /// Who, of those who execute a text together, waits for which ring.
  std::set<std::pair<ObjectId, unsigned>> waits;
  using Clock = std::pair<ObjectId, Polynomial>;
  std::map<Clocked, Clock> clocks;
  /// How many of its times a wait may be.
  std::vector<Polynomial> units;
  /// Of each partition: rings that it comes to, and at how many texts it waits.
  std::map<Clocked, std::map<ObjectId, size_t>> candidates;
  std::vector<std::pair<std::tuple<Clocked, Clock, Clocked, Clock>, bool>> fits;
  int attempts = 0;
  std::map<Node, std::set<Node>> edges;
  std::set<std::pair<Node, Node>> inner;
};
} // namespace

bool Proof::checkDeadlock() {
  if (waits.empty() || without == Judgement::Rank)
    return true;
  Ranks ranks(*this);
  // Rings that most wait for first.
  std::map<ObjectId, size_t> often;
  for (const Wait &wait : waits)
    ++often[wait.object];
  std::vector<std::pair<size_t, ObjectId>> rings;
  for (auto [object, count] : often)
    rings.emplace_back(count, object);
  llvm::sort(rings, std::greater<>());
  for (auto [count, ring] : rings)
    if (ranks.orders(ring))
      return true;
  if (ranks.ordersByPartition())
    return true;
  return stop(
      "the signals that this waits for are not shown to come before it: "
      "partitions may wait for each other in a circle",
      waits.front().op);
}
