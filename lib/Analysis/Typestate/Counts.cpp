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

/// Of these lines, those that are still told.
static bool keepTold(Exports &exports, const Exports &told) {
  bool all = true;
  for (auto &[object, known] : exports)
    for (auto &[other, lines] : known)
      all &= std::erase_if(lines, [&](const Export &line) {
               auto by = told.find(object);
               if (by == told.end())
                 return true;
               auto list = by->second.find(other);
               return list == by->second.end() ||
                      llvm::none_of(list->second, [&](const Export &each) {
                        auto more = (each.ahead - line.ahead).constant();
                        return each.times == line.times && more && *more >= 0;
                      });
             }) == 0;
  return all;
}

void Proof::close(Exports &exports) {
  const Polynomial one = 1;
  auto ofUses = [&](const std::vector<Export> &lines) -> const Export * {
    auto line = llvm::find_if(lines, [&](const Export &each) {
      return each.times == one && each.ahead.constant();
    });
    return line == lines.end() ? nullptr : &*line;
  };
  // (Uses that tell of each other may tell ever more: not of what is so.)
  for (int round = 0; round < 3; ++round)
    for (auto &[object, known] : exports)
      for (auto &[via, lines] : std::map(known)) {
        const Export *first = ofUses(lines);
        auto more = exports.find(via);
        if (!first || more == exports.end() || via == object)
          continue;
        // Use n tells that use n + ahead - 1 of the other one is over, which is one of
        // those below 0 for the first n.
        const int64_t ahead = *first->ahead.constant();
        for (auto &[other, further] : std::map(more->second)) {
          const Export *second = ofUses(further);
          if (!second || other == object)
            continue;
          int64_t then = *second->ahead.constant();
          if (ahead <= 0)
            then = std::min<int64_t>(then, 1);
          std::vector<Export> &mine = known[other];
          const Export *old = ofUses(mine);
          if (!old)
            mine.push_back({1, ahead - 1 + then});
          else if (*old->ahead.constant() < ahead - 1 + then)
            mine[old - mine.data()].ahead = ahead - 1 + then;
        }
      }
}

bool Proof::findExports() {
  // Where nobody takes turns: what is told by who knows what is told without it,
  // and so on. Else who comes to its turn is believed to know what was before,
  // and of what then is told is kept what is told by who knows what is kept. (A
  // first signal that tells less would come after others that tell as much.)
  // By the same reason a guess may be believed until a walk has shown it: what was
  // told in the case before, or what those tell who are told.
  bool believed = true;
  borrowed = shared.told.has_value();
  if (borrowed) {
    std::tie(exports, seen, turned) =
        std::tie(shared.told->exports, shared.told->seen, shared.told->turned);
  } else {
    trust = true;
    if (!walk(/*enforce=*/false))
      return false;
    trust = false;
    collectExports();
    believed = turned.empty();
    if (believed)
      for (Exports *each : {&exports, &seen})
        close(*each);
  }
  // (Another case's may be far from this one's: then what was told is guessed from.)
  int guesses = borrowed ? 1 : 0;
  const int most = turned.empty() ? 6 : 12;
  for (int round = 0; round < most; ++round) {
    // Mostly it is found after two rounds: then this one shows all.
    bool enforce = believed || round >= 1;
    const size_t turns = turned.size();
    if (!walk(enforce)) {
      if (!enforce || stopped->split || stopped->peel)
        return false;
      enforce = false;
      stopped.reset();
      if (!walk(enforce))
        return false;
    }
    Exports now = told(false), nowSeen;
    if (seesApart)
      nowSeen = told(true);
    bool found;
    if (turned.empty() && !believed) {
      found = exports == now && seen == nowSeen;
      exports = std::move(now);
      seen = std::move(nowSeen);
    } else {
      bool kept = keepTold(exports, now);
      kept &= keepTold(seen, nowSeen);
      found = kept && turned.size() == turns;
      if (turned.empty()) {
        // What was shown is so, and perhaps there is more.
        found = kept && exports == now && seen == nowSeen;
        if (!found && guesses > 0) {
          --guesses;
          exports = std::move(now);
          seen = std::move(nowSeen);
          close(exports);
          close(seen);
        } else if (kept) {
          exports = std::move(now);
          seen = std::move(nowSeen);
          believed = false;
        }
      }
    }
    if (!found)
      continue;
    if (!enforce && !walk(/*enforce=*/true))
      return false;
    if (pending) {
      stopped = std::move(pending);
      return false;
    }
    shared.told = {exports, seen, turned};
    return true;
  }
  if (!turned.empty())
    return stop("what those who take turns tell each other does not settle",
                kernel);
  // What nobody has shown is not believed.
  if (believed) {
    exports.clear();
    seen.clear();
  }
  if (!walk(/*enforce=*/true))
    return false;
  if (pending)
    stopped = std::move(pending);
  return !stopped;
}

void Proof::collectExports() {
  exports = told(false);
  if (seesApart)
    seen = told(true);
}

/// Which threads signal the same uses of an object: their texts, in turn.
std::map<std::pair<int, int>, std::vector<const Signal *>>
Proof::signallers(ObjectId object) const {
  std::map<std::pair<int, int>, std::vector<const Signal *>> result;
  for (const Signal &signal : signals)
    if (signal.object == object && signal.kind == Signal::Arrive)
      result[{signal.warp, signal.lane}].push_back(&signal);
  return result;
}

std::vector<std::vector<std::pair<int, int>>>
Proof::turns(ObjectId object) const {
  std::vector<std::vector<std::pair<int, int>>> result;
  if (!turned.contains(object))
    return result;
  auto all = signallers(object);
  for (auto &[thread, mine] : all) {
    auto alike = [&](const std::vector<std::pair<int, int>> &others) {
      return llvm::equal(
          mine, all[others.front()], [](const Signal *a, const Signal *b) {
            return a->op == b->op && a->path == b->path && a->use == b->use;
          });
    };
    auto found = llvm::find_if(result, alike);
    if (found == result.end())
      result.push_back({thread});
    else
      found->push_back(thread);
  }
  return result;
}

/// Of few signals whose uses are numbers, lines through two of them that all tell,
/// beside that one.
static std::vector<Export>
throughNumbers(const std::vector<const Signal *> &signals,
               function_ref<Polynomial(const Signal &)> boundOf, Export line) {
  std::vector<Export> lines = {std::move(line)};
  std::vector<std::pair<int64_t, int64_t>> points;
  for (const Signal *signal : signals) {
    auto use = signal->use.constant(), bound = boundOf(*signal).constant();
    // (What is computed from them fits.)
    auto fits = [](std::optional<int64_t> number) {
      return number && llvm::isInt<31>(*number);
    };
    if (!fits(use) || !fits(bound) || signals.size() > 8)
      return lines;
    points.emplace_back(*use, *bound);
  }
  for (auto [u, b] : points)
    for (auto [v, c] : points) {
      if (v <= u || c - b <= v - u)
        continue;
      int64_t times = (c - b) / (v - u), ahead = b - times * u;
      for (auto [w, d] : points)
        ahead = std::min(ahead, d - times * w);
      if (llvm::none_of(lines, [&](const Export &each) {
            return each.times == Polynomial(times);
          }))
        lines.push_back({times, ahead});
    }
  return lines;
}

/// Of few signals whose uses are numbers, and what they know does not vary: lines
/// through one and the next.
static std::vector<Export>
throughRounds(Proof &proof, const std::vector<const Signal *> &signals,
              function_ref<Polynomial(const Signal &)> boundOf) {
  constexpr size_t most = 8;
  std::map<int64_t, Polynomial> known;
  for (const Signal *signal : signals) {
    auto use = signal->use.constant();
    Polynomial bound = boundOf(*signal);
    if (!use || proof.varies(bound) || signals.size() > most)
      return {};
    known[*use] = bound;
  }
  std::vector<Export> lines;
  for (auto &[use, bound] : known) {
    auto next = known.find(use + 1);
    if (next == known.end())
      continue;
    Polynomial times = next->second - bound;
    Export line = {times, bound - times * Polynomial(use)};
    if (llvm::all_of(signals, [&](const Signal *signal) {
          return signal->facts.provesAtLeast(
              boundOf(*signal), line.times * signal->use + line.ahead);
        }))
      lines.push_back(std::move(line));
  }
  return lines;
}

/// What all these signals, of one thread, tell of an object.
static std::vector<Export> toldBy(Proof &proof,
                                  const std::vector<const Signal *> &signals,
                                  ObjectId object, bool inExecution) {
  auto boundOf = [&](const Signal &signal) {
    const Knowledge &knows = inExecution ? signal.sees : signal.knows;
    auto found = knows.find(object);
    Polynomial bound = found == knows.end() ? Polynomial() : found->second;
    // Of what a signal knows nothing, it knows that all uses below 0 are over.
    auto number = bound.constant();
    return number && *number < 0 ? Polynomial() : bound;
  };
  std::optional<int64_t> least;
  bool constants = true;
  for (const Signal *signal : signals) {
    auto ahead = (boundOf(*signal) - signal->use).constant();
    constants &= ahead.has_value();
    if (ahead)
      least = std::min(least.value_or(*ahead), *ahead);
  }
  if (constants)
    return throughNumbers(signals, boundOf, {1, *least});
  std::vector<Export> lines;
  if (proof.turned.empty())
    lines = throughRounds(proof, signals, boundOf);
  // (Of barriers of threads, of which there may be several a use, too.)
  if (!lines.empty() ||
      (proof.turned.empty() && proof.objects[object].kind != Object::Named))
    return lines;
  // A line in the use.
  for (const Signal *signal : signals) {
    Polynomial bound = boundOf(*signal);
    for (auto &[monomial, coefficient] : signal->use.monomials()) {
      if (monomial.size() != 1 || (coefficient != 1 && coefficient != -1) ||
          proof.atoms.kind(monomial[0]) != "iteration")
        continue;
      Polynomial times = (bound.substitute(monomial[0], 1) -
                          bound.substitute(monomial[0], 0)) *
                         Polynomial(coefficient);
      lines.push_back({times, bound - times * signal->use});
    }
    if (!proof.varies(signal->use))
      lines.push_back({0, bound});
  }
  std::vector<Export> result;
  for (const Export &line : lines)
    if (!proof.varies(line.times) && !proof.varies(line.ahead) &&
        !(line.times == 0 && line.ahead.constant().value_or(1) <= 0) &&
        !llvm::is_contained(result, line) &&
        llvm::all_of(signals, [&](const Signal *signal) {
          return signal->facts.provesAtLeast(
              boundOf(*signal), line.times * signal->use + line.ahead);
        }))
      result.push_back(line);
  return result;
}

Exports Proof::told(bool inExecution) {
  Exports result;
  using Thread = std::pair<int, int>;
  std::map<ObjectId, std::map<Thread, std::vector<const Signal *>>> all;
  for (const Signal &signal : signals)
    if (signal.kind == Signal::Arrive ||
        (inExecution && signal.kind == Signal::Complete))
      all[signal.object][{signal.warp, signal.lane}].push_back(&signal);
  for (auto &[object, threads] : all) {
    // Who does not arrive at a ring whose bytes are counted may copy in some uses
    // alone: it tells of those.
    if (isCounted(object) && without != Judgement::PeerTells) {
      std::set<int64_t> uses;
      bool known = true;
      for (auto &[thread, mine] : threads)
        for (const Signal *signal : mine) {
          known &= signal->use.constant().has_value();
          uses.insert(signal->use.constant().value_or(0));
        }
      std::erase_if(threads, [&](const auto &thread) {
        std::set<int64_t> own;
        for (const Signal *signal : thread.second) {
          if (signal->kind == Signal::Arrive)
            return false;
          own.insert(signal->use.constant().value_or(0));
        }
        return !known || own != uses;
      });
    }
    // All threads have signalled when the use is over; of those who take turns,
    // those of one turn.
    std::vector<std::vector<Thread>> classes = turns(object);
    if (classes.empty()) {
      classes.emplace_back();
      for (auto &[thread, mine] : threads)
        classes[0].push_back(thread);
    }
    std::optional<std::map<ObjectId, std::vector<Export>>> whole;
    for (const std::vector<Thread> &one : classes) {
      std::map<ObjectId, std::vector<Export>> told;
      for (const Thread &thread : one) {
        std::set<ObjectId> known;
        for (const Signal *signal : threads[thread])
          for (auto &[other, bound] :
               inExecution ? signal->sees : signal->knows)
            if (other != object)
              known.insert(other);
        for (ObjectId other : known)
          for (Export &line :
               toldBy(*this, threads[thread], other, inExecution)) {
            std::vector<Export> &list = told[other];
            auto same = llvm::find_if(list, [&](const Export &each) {
              return each.times == line.times &&
                     (each.ahead - line.ahead).constant();
            });
            if (same == list.end())
              list.push_back(std::move(line));
            else if (*(line.ahead - same->ahead).constant() > 0)
              *same = std::move(line);
          }
      }
      if (!whole) {
        whole = std::move(told);
        continue;
      }
      // The least of both.
      for (auto &[other, list] : *whole) {
        const std::vector<Export> &also = told[other];
        llvm::erase_if(list, [&](Export &line) {
          auto same = llvm::find_if(also, [&](const Export &each) {
            return each.times == line.times &&
                   (each.ahead - line.ahead).constant();
          });
          if (same != also.end() && *(line.ahead - same->ahead).constant() > 0)
            line = *same;
          return same == also.end();
        });
      }
    }
    std::erase_if(*whole,
                  [](const auto &entry) { return entry.second.empty(); });
    if (!whole->empty())
      result[object] = std::move(*whole);
  }
  return result;
}

bool Proof::contradictBySign(const Facts &facts, const Polynomial &p) {
  std::vector<Clause> clauses;
  if (Clause sides = bySign(*this, p); !sides.empty())
    clauses.push_back(std::move(sides));
  return contradict(*this, facts, std::move(clauses));
}

bool Proof::checkTurns(ObjectId ring, Polynomial &uses, Operation *&last) {
  auto all = signallers(ring);
  auto classes = turns(ring);
  Polynomial sum;
  for (auto &one : classes) {
    int64_t arrivals = 0;
    for (auto &thread : one) {
      std::optional<int64_t> amount;
      for (const Signal *signal : all[thread]) {
        last = signal->op;
        if (amount.value_or(signal->amount) != signal->amount)
          return stop("a thread arrives with different counts", signal->op);
        amount = signal->amount;
      }
      arrivals += *amount;
    }
    if (arrivals != counts[ring] && without != Judgement::Arrivals)
      return stop("of those who take turns, " + std::to_string(arrivals) +
                      " arrivals a use come to " + name(ring) +
                      ", which counts " + std::to_string(counts[ring]),
                  last);
    auto [warp, lane] = one.front();
    sum += totals[warp].signals[lane][ring] - totals[warp].skipped[lane][ring];
  }
  uses = sum;
  // As many as there are uses, all below that number, and no two of one use: each
  // use has one.
  for (size_t i = 0; i < classes.size(); ++i)
    for (const Signal *x : all[classes[i].front()]) {
      Facts facts = launch;
      facts.add(x->facts);
      Facts beyond = facts;
      beyond.atLeast(x->use, uses);
      if (!contradictBySign(beyond, x->use - uses))
        return stop("this arrival for use " + print(x->use) + " of " +
                        name(ring) + " is not shown to be one of its " +
                        print(uses) + " uses, which are taken in turns",
                    x->op);
      for (size_t j = i + 1; j < classes.size(); ++j)
        for (const Signal *y : all[classes[j].front()]) {
          Facts both = facts;
          both.add(other(*this, y->facts));
          Polynomial apart = x->use - other(*this, y->use);
          both.equal(apart, 0);
          if (!contradictBySign(both, apart))
            return stop("two who take turns at " + name(ring) +
                            " are not shown to take different ones",
                        y->op);
        }
    }
  return true;
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
      copies |= signal.kind == Signal::Complete ||
                signal.after == Mechanism::AsyncGroup;
      if (signal.kind != Signal::Arrive)
        continue;
      auto [mine, fresh] =
          amounts.try_emplace({signal.warp, signal.lane}, signal.amount);
      if (mine->second != signal.amount)
        return stop("a thread arrives with different counts", signal.op);
    }
    std::vector<std::vector<std::pair<int, int>>> classes = turns(ring);
    // Waits alone may be taken in turns.
    auto leaves = [&](const auto &entry) {
      auto [warp, lane] = entry.first;
      return totals[warp].skipped[lane].contains(ring);
    };
    bool inTurns = llvm::any_of(amounts, leaves);
    Polynomial uses;
    if (inTurns) {
      if (!checkTurns(ring, uses, last))
        return false;
    } else {
      classes.clear();
      int64_t sum = 0;
      for (auto &[thread, amount] : amounts) {
        sum += amount;
        Polynomial mine = totals[thread.first].signals[thread.second][ring];
        if (total && without != Judgement::Arrivals &&
            !atEnd.provesEqual(*total, mine))
          return stop("the threads that arrive at " + name(ring) +
                          " do not all arrive equally often: " + print(*total) +
                          " and " + print(mine) + " times",
                      last);
        total = mine;
      }
      if (!amounts.empty() && sum != counts[ring] &&
          without != Judgement::Arrivals)
        return stop(std::to_string(sum) + " arrivals a use come to " +
                        name(ring) + ", which counts " +
                        std::to_string(counts[ring]),
                    last);
      uses = total.value_or(Polynomial());
    }
    if (isCounted(ring) && !checkBytes(ring, uses))
      return false;
    if (classes.empty()) {
      classes.emplace_back();
      for (auto &[thread, amount] : amounts)
        classes[0].push_back(thread);
    }
    for (const Wait &wait : waits) {
      if (wait.object != ring)
        continue;
      Facts facts = atEnd;
      facts.add(wait.facts);
      Facts beyond = facts;
      beyond.atLeast(wait.use, uses);
      if (without != Judgement::Asked &&
          !facts.provesAtLeast(uses - 1, wait.use) &&
          !contradictBySign(beyond, wait.use - uses))
        return stop("this wait is for use " + print(wait.use) + " of " +
                        name(ring) + ", which is not shown to be one of its " +
                        print(uses) + " uses",
                    wait.op);
      // The use after next cannot be over before the wait is: by its parity the
      // wait would be answered for it. (Named barriers have no parity, and at
      // which nobody arrives, no use is ever over.)
      if (objects[ring].kind != Object::Ring || amounts.empty())
        continue;
      // Who waits makes the arrivals that it has not made yet behind the wait. Of
      // many lanes each has to: one may be ahead of the others.
      auto madeBehind = [&](const std::vector<Thread> &threads) {
        for (int lane : {elected, others})
          if ((wait.lanes >> lane & 1) &&
              (!llvm::is_contained(threads, Thread(wait.warp, lane)) ||
               !wait.facts.provesAtLeast(wait.use + Polynomial(slots),
                                         wait.arrivals[lane])))
            return false;
        return true;
      };
      bool alias = false;
      for (const auto &one : classes) {
        bool mine = !madeBehind(one);
        for (auto &thread : one) {
          if (!mine)
            break;
          bool after = true;
          for (const Signal &signal : signals) {
            if (signal.kind != Signal::Arrive || signal.object != ring ||
                std::pair(signal.warp, signal.lane) != thread ||
                neverZero(other(*this, signal.use) - wait.use -
                          Polynomial(slots)))
              continue;
            Facts both = launch;
            both.add(wait.facts);
            both.add(other(*this, signal.facts));
            both.equal(other(*this, signal.use), wait.use + Polynomial(slots));
            std::vector<Clause> clauses;
            notBefore(*this, accesses[wait.mark], signal.knows, true, false,
                      clauses);
            // What is known in memory order is so in execution order.
            if (signal.after || signal.knows.empty())
              notBefore(*this, accesses[wait.mark], signal.sees, true, false,
                        clauses);
            after &= contradict(*this, both, clauses);
          }
          mine &= !after;
        }
        alias |= mine;
      }
      if (alias && without != Judgement::Alias)
        return stop("the use of " + name(ring) + " that is " +
                        std::to_string(slots) +
                        " behind the one waited for is not shown to end only "
                        "after this wait: by its parity the wait could be "
                        "answered for it",
                    wait.op);
    }
    // Copies into the CTA's memory are over when it ends: one of its threads knows,
    // whichever has the last turn.
    bool over = !copies;
    Facts open = atEnd;
    std::vector<Clause> clauses;
    for (auto &[warp, mine] : totals)
      for (int lane : {elected, others}) {
        auto known = mine.knows[lane].find(ring);
        if (over || known == mine.knows[lane].end() ||
            (objects[ring].kind == Object::Ring &&
             ctaOf(warp) != objects[ring].cta))
          continue;
        over |= atEnd.provesAtLeast(known->second, uses);
        open.atLeast(uses - 1, known->second);
        if (Clause sides = bySign(*this, uses - known->second); !sides.empty())
          clauses.push_back(std::move(sides));
      }
    over = over || (turned.contains(ring) && contradict(*this, open, clauses));
    if (!over && without != Judgement::LastCopies)
      return stop(
          "nobody is shown to wait for the last copies that complete on " +
              name(ring),
          last);
  }
  return checkSources();
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
    // What each one copies, of which as much comes from its peers.
    using Copy = std::tuple<const Path *, Polynomial, int64_t>;
    std::map<int, std::vector<Copy>> copies;
    Operation *op = kernel;
    for (const Signal &signal : signals) {
      if (objects[signal.object].kind != Object::Ring ||
          objects[signal.object].barrier.getAsOpaquePointer() != barrier)
        continue;
      op = signal.op;
      if (turned.contains(signal.object))
        return stop("turns at a ring that CTAs fill for each other", op);
      if (signal.kind == Signal::Complete) {
        copiers[ctaOf(signal.warp)].insert(signal.warp);
        if (ctaOf(signal.warp) == objects[signal.object].cta)
          copies[ctaOf(signal.warp)].emplace_back(&signal.path, signal.use,
                                                  signal.amount);
      }
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
    auto alike = [](const Copy &a, const Copy &b) {
      auto &[pathA, useA, amountA] = a;
      auto &[pathB, useB, amountB] = b;
      return *pathA == *pathB && useA == useB && amountA == amountB;
    };
    for (int cta = 1; cta < kernel.getClusterSize(); ++cta)
      if (!llvm::equal(copies[0], copies[cta], alike) &&
          without != Judgement::Alike)
        return stop("the CTAs of a cluster do not copy alike to the rings of "
                    "all",
                    op);
  }
  return true;
}
