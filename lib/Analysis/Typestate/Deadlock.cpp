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
// Of equal time there are edges: from a text to the next of its threads, from a
// signal to the wait. No edge to a wait may lie on a cycle. Each edge is believed
// until it lies on one, and only then is it asked whether there is one: most never
// do, and an edge too many proves less, not more.
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
  uint32_t node = 0; ///< its text, by number
  /// By the clocks that are tried, here and of another instance.
  Polynomial time = {}, otherTime = {};
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
    std::map<std::pair<Operation *, bool>, Node> numbers;
    for (Event &event : events) {
      event.node = numbers.try_emplace({event.op, event.wait}, numbers.size())
                       .first->second;
      texts.resize(numbers.size());
      texts[event.node].push_back(&event);
    }
    next.resize(texts.size());
    for (Node a = 0; a < texts.size(); ++a)
      for (Node b = 0; b < texts.size(); ++b)
        if (llvm::any_of(texts[a], [&](const Event *x) {
              return llvm::any_of(texts[b], [&](const Event *y) {
                return sameThreads(*x, *y);
              });
            }))
          next[a].push_back(b);
  }

  /// Whether the time of this ring will do, for all who execute a text together.
  bool orders(ObjectId ring) {
    clocks.clear();
    for (const Event &event : events)
      clocks[clockOf(event)] = {ring, 1};
    return signalsComeFirst() && acyclic();
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

  using Node = uint32_t;
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
      if (!signalsComeFirst())
        return false;
      --attempts;
      return acyclic();
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

  static bool sameThreads(const Event &a, const Event &b) {
    return a.group == b.group && a.stamp->phase == b.stamp->phase;
  }

  /// No signal is of a later time than a wait for its use; and where they may be of
  /// one time.
  bool signalsComeFirst() {
    for (Event &event : events) {
      event.time = timeOf(event);
      event.otherTime = other(proof, event.time);
    }
    edges.assign(texts.size() * texts.size(), Edge::Believed);
    inner.assign(texts.size(), {});
    for (const Event &w : events)
      if (w.wait)
        for (const Event &s : events)
          if (!s.wait && s.object == w.object) {
            if (!before(s, w))
              return false;
            if (s.stamp->phase == w.stamp->phase && !neverAlike(s, w))
              inner[s.node][w.node].emplace_back(&s, &w);
          }
    return true;
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

  /// They are never of one use.
  bool neverAlike(const Event &s, const Event &w) {
    return neverZero(s.use - other(proof, w.use));
  }

  /// The signal is below the wait wherever both are of one use.
  bool before(const Event &s, const Event &w) {
    if ((s.stamp->phase != w.stamp->phase && s.stamp->phase < w.stamp->phase) ||
        neverAlike(s, w))
      return true;
    Facts facts = s.here;
    facts.add(w.there);
    facts.equal(s.use, other(proof, w.use));
    if (s.stamp->phase > w.stamp->phase)
      return contradict(proof, facts, {});
    facts.atLeast(timeOf(s), other(proof, timeOf(w)) + 1);
    return contradict(proof, facts, {});
  }

  /// Whether a signal may be of one use and one time with a wait.
  bool atOnce(const Event &s, const Event &w) {
    Facts facts = s.here;
    facts.add(w.there);
    facts.equal(s.use, other(proof, w.use));
    facts.equal(timeOf(s), other(proof, timeOf(w)));
    return !contradict(proof, facts, {});
  }

  /// Whether an instance of a may come before one of b in a thread, at one time.
  bool inTurn(const Event &a, const Event &b) {
    Polynomial mine = timeOf(a), its = other(proof, timeOf(b));
    auto constant = (mine - its).constant();
    if (constant && *constant)
      return false;
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
    return !cases.empty() && !contradict(proof, facts, {cases});
  }

  enum class Edge : uint8_t { Believed, Yes, No };
  Edge &edgeOf(Node a, Node b) { return edges[a * texts.size() + b]; }
  /// Whether there is an edge.
  bool isEdge(Node a, Node b) {
    Edge &known = edgeOf(a, b);
    if (known == Edge::Believed)
      known = findEdge(a, b) ? Edge::Yes : Edge::No;
    return known == Edge::Yes;
  }
  bool findEdge(Node a, Node b) {
    for (const Event *x : texts[a])
      for (const Event *y : texts[b])
        if (sameThreads(*x, *y) && inTurn(*x, *y))
          return true;
    return isInner(a, b);
  }
  bool neverAtOnce(Node a, Node b) {
    return llvm::all_of(texts[a], [&](const Event *x) {
      return llvm::all_of(texts[b], [&](const Event *y) {
        return neverZero(x->time - y->otherTime);
      });
    });
  }
  bool isInner(Node s, Node w) {
    auto pairs = inner[s].find(w);
    return pairs != inner[s].end() &&
           llvm::any_of(pairs->second, [&](auto &pair) {
             return atOnce(*pair.first, *pair.second);
           });
  }

  /// The shortest way between them by edges that are believed; empty: there is none.
  std::vector<Node> way(Node from, Node to) {
    const Node none = texts.size();
    std::vector<Node> cameFrom(texts.size(), none), queue = {from};
    for (size_t i = 0; i < queue.size(); ++i) {
      const Node node = queue[i];
      auto visit = [&](Node b) {
        if (cameFrom[b] != none || edgeOf(node, b) == Edge::No)
          return;
        // (Of many uses that are written out, most are never of one time.)
        if (edgeOf(node, b) == Edge::Believed && neverAtOnce(node, b)) {
          edgeOf(node, b) = Edge::No;
          return;
        }
        cameFrom[b] = node;
        queue.push_back(b);
      };
      for (Node b : next[node])
        visit(b);
      for (auto &[b, pairs] : inner[node])
        visit(b);
      if (cameFrom[to] == none)
        continue;
      std::vector<Node> result = {to};
      do
        result.push_back(cameFrom[result.back()]);
      while (result.back() != from);
      std::ranges::reverse(result);
      return result;
    }
    return {};
  }

  /// No edge from a signal to its wait lies on a cycle.
  bool acyclic() {
    for (Node s = 0; s < inner.size(); ++s)
      for (auto &[w, pairs] : inner[s])
        for (bool refuted = true; refuted;) {
          std::vector<Node> found = way(w, s);
          if (found.empty())
            break;
          refuted = false;
          for (size_t i = 0; i + 1 < found.size() && !refuted; ++i)
            refuted = !isEdge(found[i], found[i + 1]);
          if (!refuted && isInner(s, w))
            return false;
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
  std::vector<std::vector<const Event *>> texts;
  /// Those that some thread executes, too.
  std::vector<std::vector<Node>> next;
  /// What is known of edges.
  std::vector<Edge> edges;
  /// Signals and waits that may be of one use, and of one time.
  std::vector<
      std::map<Node, std::vector<std::pair<const Event *, const Event *>>>>
      inner;
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
