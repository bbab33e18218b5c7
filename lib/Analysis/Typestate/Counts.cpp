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
  exports.clear();
  // Of each thread that arrives the least, of all threads the most: all have
  // arrived when the use is over.
  std::map<ObjectId, std::map<std::pair<int, int>, std::map<ObjectId, int64_t>>>
      least;
  // Of what a signal knows nothing, it knows that all uses below 0 are over.
  std::map<std::tuple<ObjectId, int, int>, std::set<ObjectId>> known;
  for (const Signal &signal : signals)
    if (signal.kind == Signal::Arrive)
      for (auto &[object, bound] : signal.knows)
        known[{signal.object, signal.warp, signal.lane}].insert(object);
  for (const Signal &signal : signals) {
    if (signal.kind != Signal::Arrive)
      continue;
    auto [mine, fresh] =
        least[signal.object].try_emplace({signal.warp, signal.lane});
    std::map<ObjectId, int64_t> ahead;
    for (ObjectId object : known[{signal.object, signal.warp, signal.lane}]) {
      auto found = signal.knows.find(object);
      Polynomial bound =
          found == signal.knows.end() ? Polynomial() : found->second;
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
        auto [found, fresh] = exports[object].try_emplace(known, constant);
        if (!fresh)
          found->second = std::max(found->second, constant);
      }
}

namespace {
/// Positions in time of texts of different warps: loops that run alike are one.
/// An edge says that in each iteration the one text is before the other.
class Times {
public:
  explicit Times(Proof &proof) : proof(proof) {}

  /// Whether S, with the facts of both (the wait's are the other instance's),
  /// is before W wherever both are of one use; may note that S's text has to be
  /// before W's.
  bool before(const Signal &s, const Wait &w, const Facts &facts) {
    std::vector<std::pair<Polynomial, Polynomial>> iterations;
    size_t depth = 0;
    for (; depth < s.path.size() && depth < w.path.size(); ++depth) {
      const Step &a = s.path[depth], &b = w.path[depth];
      // One branch is at the same place for both.
      if (a.side >= 0 && b.side >= 0 && a.op == b.op)
        continue;
      if (a.side >= 0 || b.side >= 0 || !alike(a.op, b.op))
        break;
      iterations.emplace_back(a.iteration, other(proof, b.iteration));
    }
    // Not: S is of a later iteration.
    std::vector<Clause> clauses;
    Clause later;
    Facts equal;
    for (auto &[a, b] : iterations) {
      Facts more = equal;
      more.atLeast(a, b + 1);
      later.push_back(more);
      equal.equal(a, b);
    }
    if (!later.empty()) {
      clauses = {later};
      if (!contradict(facts, clauses))
        return false;
    }
    // Nor of the same one, or its text is before.
    clauses = {{equal}};
    if (contradict(facts, clauses))
      return true;
    const void *first = nodeOf(s.path, depth, s.op),
               *second = nodeOf(w.path, depth, w.op);
    if (first == second)
      return false;
    edges[first].insert(second);
    return true;
  }

  /// Program order of each thread: of the texts of a body, elects and branches
  /// included, loops as one.
  void programOrder() {
    std::set<const void *> last;
    chain(proof.kernel.getBody().front(), last);
  }

  bool acyclic() {
    std::map<const void *, int> seen;
    std::function<bool(const void *)> visit = [&](const void *node) {
      int &mark = seen[node];
      if (mark)
        return mark == 2;
      mark = 1;
      for (const void *next : edges[node])
        if (!visit(next))
          return false;
      seen[node] = 2;
      return true;
    };
    std::vector<const void *> nodes;
    for (auto &[node, next] : edges)
      nodes.push_back(node);
    return llvm::all_of(nodes, visit);
  }

  /// Loops that run alike: the first of them.
  std::map<Operation *, Operation *> same;

private:
  void chain(Block &block, std::set<const void *> &last) {
    for (Operation &op : block) {
      if (isa<WarpSpecializeOp>(op)) {
        std::set<const void *> ends;
        for (auto partition : op.getRegion(0).front().getOps<PartitionOp>()) {
          std::set<const void *> own = last;
          chain(partition.getBody().front(), own);
          ends.insert(own.begin(), own.end());
        }
        last = std::move(ends);
        continue;
      }
      if (op.getNumRegions() && !isa<scf::ForOp>(op)) {
        for (Region &region : op.getRegions())
          if (!region.empty())
            chain(region.front(), last);
        continue;
      }
      if (isa<scf::ForOp>(op)) {
        std::set<const void *> inside;
        chain(op.getRegion(0).front(), inside);
      } else if (!isa<HardwareEffectsInterface>(op))
        continue;
      const void *node = canonical(&op);
      for (const void *before : last)
        edges[before].insert(node);
      last = {node};
    }
  }
  Operation *canonical(Operation *op) {
    auto found = same.find(op);
    return found == same.end() ? op : found->second;
  }
  bool alike(Operation *a, Operation *b) {
    return canonical(a) == canonical(b);
  }
  const void *nodeOf(const Path &path, size_t depth, Operation *op) {
    // Branches are no level of their own.
    while (depth < path.size() && path[depth].side >= 0)
      ++depth;
    return depth < path.size() ? canonical(path[depth].op) : canonical(op);
  }
  Proof &proof;
  std::map<const void *, std::set<const void *>> edges;
};
} // namespace

bool Proof::checkCounts() {
  Times times(*this);
  // Loops that run alike, from the outermost on: those with equal counts, whose
  // parents run alike.
  std::map<std::tuple<Operation *, Polynomial, unsigned>, Operation *> byCount;
  std::map<std::pair<Operation *, Polynomial>, unsigned> ordinals;
  kernel.getBody().walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    auto found = loopCounts.find(loop);
    if (found == loopCounts.end())
      return;
    // Within its partition's loop, or its partition.
    Operation *parent = loop->getParentOp();
    while (!isa<scf::ForOp, PartitionOp, KernelOp>(parent))
      parent = parent->getParentOp();
    unsigned ordinal = ordinals[{parent, found->second}]++;
    Operation *place = nullptr;
    if (isa<scf::ForOp>(parent)) {
      auto matched = times.same.find(parent);
      place = matched == times.same.end() ? parent : matched->second;
    } else if (isa<KernelOp>(parent))
      place = parent;
    times.same[loop] =
        byCount.try_emplace({place, found->second, ordinal}, loop)
            .first->second;
  });
  times.programOrder();

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
      // wait would be answered for it.
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
      if (alias)
        return stop("the use of " + name(ring) + " that is " +
                        std::to_string(slots) +
                        " behind the one waited for is not shown to end only "
                        "after this wait: by its parity the wait could be "
                        "answered for it",
                    wait.op);
      // Who waits is behind all signals of the use.
      for (const Signal &signal : signals) {
        if (signal.object != ring)
          continue;
        Facts both = launch;
        both.add(signal.facts);
        both.add(other(*this, wait.facts));
        both.equal(signal.use, other(*this, wait.use));
        if (!both.contradict() && !times.before(signal, wait, both))
          return stop("the signals that this waits for are not shown to come "
                      "before it: a thread may wait for what comes after its "
                      "own next signal",
                      wait.op);
      }
    }
    // Copies into the CTA's memory are over when it ends.
    bool over = !copies;
    for (auto &[warp, mine] : totals)
      for (int lane : {elected, others}) {
        auto known = mine.knows[lane].find(ring);
        over |= known != mine.knows[lane].end() &&
                launch.provesAtLeast(known->second, uses);
      }
    if (!over)
      return stop(
          "nobody is shown to wait for the last copies that complete on " +
              name(ring),
          last);
  }
  if (!times.acyclic())
    return stop("the order in which partitions wait for each other within an "
                "iteration has a cycle",
                kernel);
  return true;
}
