//===- Prove.cpp - a kernel is right for every size -----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/Typestate/Prove.h"

#include "../Alignment.h"
#include "../Resources.h"
#include "Orders.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;

/// How much work a proof may be: of the examples, gemm_stream_k.mlir needs most,
/// 7,000, and gemm_pingpong.mlir 4,000.
static constexpr uint64_t mostSystems = 20000;

/// How many cases may be nested; of most one side has no launch.
static constexpr int mostDepth = 20;

/// Adds what the CTA does to tensors that the kernel writes; what the same text
/// does in another case, with what is known in both.
static void collectGlobal(Proof &proof, std::vector<Access> &global) {
  for (Access &access : proof.accesses) {
    if (!access.effect || access.shape || access.exchanged)
      continue;
    auto same = llvm::find_if(global, [&](const Access &other) {
      return other.op == access.op && other.coordinates == access.coordinates &&
             other.path == access.path && other.number == access.number;
    });
    if (same == global.end()) {
      access.inCases = {access.facts};
      global.push_back(std::move(access));
      continue;
    }
    same->inCases.push_back(access.facts);
    for (auto list : {&Facts::nonnegative, &Facts::zero})
      (same->facts.*list).eraseIf([&](const Polynomial &fact) {
        return !llvm::is_contained(access.facts.*list, fact);
      });
  }
}

namespace {
/// A case of what the launch, or the CTA, decides.
struct Case {
  Facts facts;
  /// Some of them are of the CTA's.
  bool ofCta = false;
  int depth = 0;
  std::map<Operation *, int> peeled;
  bool sums = false; ///< Proof::sums
};
} // namespace

/// Whether no launch is in this case, where that takes to see what its facts are
/// computed from: quotients, and that the least, or greatest, of two numbers is one
/// of the two.
static bool isExcluded(Proof &proof) {
  Atoms &atoms = proof.atoms;
  Facts facts = proof.launch;
  std::vector<Clause> clauses;
  std::set<Atom> seen;
  std::vector<Atom> rest;
  auto follow = [&](const Polynomial &p) {
    for (Atom a : p.atoms())
      if (seen.insert(a).second)
        rest.push_back(a);
  };
  for (auto list : {&Facts::nonnegative, &Facts::zero})
    for (const Polynomial &fact : proof.launch.*list)
      follow(fact);
  while (!rest.empty()) {
    const Atom a = rest.back();
    rest.pop_back();
    const std::string kind = atoms.kind(a);
    const bool least = kind == "minimum",
               division = kind == "quotient" || kind == "remainder";
    if (!least && kind != "maximum" && !division)
      continue;
    const std::vector<Polynomial> of = atoms.operands(a);
    for (const Polynomial &each : of)
      follow(each);
    if (division) {
      if (facts.provesAtLeast(of[1], 1))
        addDivision(facts, of[0], of[1],
                    Polynomial::atom(atoms.atom("quotient", nullptr, of)),
                    Polynomial::atom(atoms.atom("remainder", nullptr, of)));
      continue;
    }
    const Polynomial chosen = Polynomial::atom(a);
    Clause clause;
    for (const Polynomial &each : of) {
      facts.addNonnegative(least ? each - chosen : chosen - each);
      clause.emplace_back().addNonnegative(least ? chosen - each
                                                 : each - chosen);
    }
    clauses.push_back(std::move(clause));
  }
  return !clauses.empty() && contradict(proof, facts, clauses);
}

/// A number of the launch that has one value in this case is that one: slots are
/// computed from it as from a constant.
static void takeConstants(Proof &proof, const Facts &ofCase) {
  for (const Polynomial &fact : ofCase.nonnegative) {
    const auto in = fact.atoms();
    const int64_t most = fact.constantTerm();
    if (in.size() != 1 || fact != Polynomial(most) - Polynomial::atom(in[0]))
      continue;
    const Polynomial number = Polynomial::atom(in[0]);
    if (proof.dependsOnCta(number) || !proof.launch.provesAtLeast(number, most))
      continue;
    proof.launch.equal(number, most);
    for (auto &[value, what] : proof.launchValues)
      what = what.substitute(proof.atoms, in[0], most, proof.launch);
  }
}

/// What is asked of writes that CTAs make to global memory, and of flags.
static constexpr const char *ofGlobal = "MM-2, MM-48",
                            *ofFlags = "MM-2, MM-13, MM-20, MM-21, MM-26";

/// Cases within it are looked at in turn.
static std::optional<Stop> attempt(KernelOp kernel, const Case &of,
                                   Shared &shared, Judgement without) {
  Proof proof(kernel, shared);
  proof.without = without;
  proof.arithmetic.mayOverflow = without == Judgement::Holds;
  proof.peeled = of.peeled;
  proof.sums = of.sums;
  if (!proof.readLaunch())
    return proof.stopped;
  const Facts launch = proof.launch;
  proof.launch.add(of.facts);
  const bool none =
      proof.launch.contradictByBits() || (of.depth > 0 && isExcluded(proof));
  // Of facts that contradict each other all would be proved.
  if (of.depth == 0 && none) {
    proof.stop("no launch is what titan.require asks for: nothing is proved",
               kernel, "requirements that can hold together");
    return proof.stopped;
  }
  if (none)
    return std::nullopt; // no such launch
  takeConstants(proof, of.facts);
  auto asks = [&](const char *rules, auto judgement) {
    proof.rules = rules;
    bool good = judgement();
    proof.rules = "";
    return good;
  };
  bool good =
      proof.findExports() &&
      asks("MM-53 to MM-56, MM-82", [&] { return proof.checkCounts(); }) &&
      asks("MM-54, MM-61", [&] { return proof.checkMulticast(); }) &&
      asks("MM-15, MM-54", [&] { return proof.checkShares(); }) &&
      asks("MM-100 to MM-105", [&] { return proof.checkCells(); }) &&
      asks("MM-82", [&] { return proof.checkDeadlock(); }) &&
      asks("MM-2, MM-20, MM-30 to MM-37, MM-43 to MM-45",
           [&] { return proof.checkOrders(); }) &&
      asks("MM-2, MM-20, MM-56", [&] { return proof.checkLetters(); }) &&
      asks("MM-3", [&] { return proof.checkDefined(); }) && asks(ofGlobal, [&] {
        return proof.checkGlobal(proof.accesses, proof.launch,
                                 of.ofCta ? Proof::Ctas::One
                                          : Proof::Ctas::All);
      });
  if (good) {
    FlagCase flags = proof.takeFlags();
    proof.rules = ofFlags;
    good = proof.checkExchanged(flags);
    if (good && shared.tickets && !flags.events.empty())
      good = proof.stop("flags beside numbers from a counter are not followed "
                        "by the proof yet",
                        flags.events.front().op);
    if (good && of.ofCta)
      shared.flags.push_back(std::move(flags));
    else
      good = good && proof.checkFlags(flags, proof.launch);
  }
  if (good) {
    shared.assumptions.insert(proof.assumptions.begin(),
                              proof.assumptions.end());
    shared.reached.insert(proof.reached.begin(), proof.reached.end());
    if (of.ofCta)
      collectGlobal(proof, shared.global);
    return std::nullopt;
  }
  if (void *barrier = proof.stopped->alike) {
    shared.alike.insert(barrier);
    return attempt(kernel, of, shared, without);
  }
  // What was told in another case is not what is told here: from the beginning.
  if (proof.borrowed && !proof.stopped->peel && !proof.stopped->split) {
    shared.told.reset();
    return attempt(kernel, of, shared, without);
  }
  // Perhaps since it is not known what a number is.
  if (Operation *op = proof.arithmetic.overflow;
      op && !proof.stopped->peel && !proof.stopped->split) {
    std::string where = "this number";
    if (auto at = op->getLoc()->findInstanceOf<FileLineColLoc>()) {
      where = "the number of line " + std::to_string(at.getLine());
      auto own = kernel->getLoc()->findInstanceOf<FileLineColLoc>();
      if (own && own.getFilename() != at.getFilename())
        where +=
            " of " + llvm::sys::path::filename(at.getFilename().strref()).str();
    }
    proof.stopped->reason += llvm::formatv(
        "; {0} is not shown to fit into {1} bits", where,
        checker::bitsOf(getElementTypeOrSelf(op->getResult(0).getType())));
    proof.stopped->goOn = "titan.require in the launch region that bounds the "
                          "sizes it is computed from";
  }
  Case within = of;
  if (Operation *loop = proof.stopped->peel) {
    ++within.peeled[loop];
    return attempt(kernel, within, shared, without);
  }
  if (!proof.stopped->split)
    return proof.stopped;
  if (of.depth == mostDepth) {
    proof.stopped->reason = "too many cases of what the launch decides";
    return proof.stopped;
  }
  Polynomial split = *proof.stopped->split;
  ++within.depth;
  within.ofCta |= proof.dependsOnCta(split);
  // What has been found out of the launch in this case, too.
  within.facts = proof.launch;
  const Facts known = within.facts;
  const size_t collected = shared.global.size(),
               collectedFlags = shared.flags.size();
  for (bool yes : {true, false}) {
    within.facts = known;
    within.facts.nonnegative.push_back(yes ? split : Polynomial(-1) - split);
    if (auto stop = attempt(kernel, within, shared, without)) {
      if (!yes || proof.print(split).empty())
        stop->reason += " (where " + proof.print(split) + " is below 0)";
      return stop;
    }
  }
  // Two CTAs may be in two cases; one is in one.
  if (within.ofCta && !of.ofCta) {
    std::vector<Access> all(shared.global.begin() + collected,
                            shared.global.end());
    shared.global.resize(collected);
    proof.stopped.reset();
    Facts facts = launch;
    facts.add(of.facts);
    proof.rules = ofGlobal;
    if (!proof.checkGlobal(all, facts, Proof::Ctas::Two))
      return proof.stopped;
    proof.rules = ofFlags;
    if (!proof.checkFlags(
            MutableArrayRef(shared.flags).drop_front(collectedFlags), facts))
      return proof.stopped;
    shared.flags.resize(collectedFlags);
    shared.assumptions.insert(proof.assumptions.begin(),
                              proof.assumptions.end());
  }
  return std::nullopt;
}

ProofReport titan::prove(KernelOp kernel, Judgement without, double mostSeconds,
                         const std::atomic<bool> *calledOff, bool eachWarp) {
  const double start = Facts::seconds();
  ProofReport report;
  uint64_t before = Facts::solved();
  auto stop = [&]() -> std::optional<Stop> {
    // Tiles of other warps than there are have no meaning.
    Operation *odd = nullptr;
    int64_t width = targetInfo(checker::targetOf(kernel)).warpWidth;
    kernel.getBody().walk([&](Operation *op) {
      for (Type type : op->getResultTypes())
        if (auto tile = dyn_cast<RankedTensorType>(type);
            tile && tile.getEncoding() && !odd)
          if (auto layout = getTileLayout(tile);
              !layout || layout->lanes() != width)
            odd = op;
    });
    if (odd)
      return Stop{"this tile's layout is not one of " + std::to_string(width) +
                      " lanes",
                  odd};
    if (auto starts = checker::findUnprovedStarts(kernel); !starts.empty())
      return Stop{"coordinate 0 is not shown to be a multiple of " +
                      std::to_string(starts.front().second) + " elements",
                  starts.front().first};
    auto begin = [&] {
      auto shared = std::make_unique<Shared>();
      shared->eachWarp = eachWarp;
      return shared;
    };
    auto shared = begin();
    Facts::limit(mostSystems, mostSeconds, calledOff);
    auto stop = attempt(kernel, {}, *shared, without);
    // Perhaps since a loop runs differently often in each iteration of another one.
    if (stop && shared->bent && !Facts::exhausted()) {
      Case bySums;
      bySums.sums = true;
      shared = begin();
      stop = attempt(kernel, bySums, *shared, without);
    }
    // What no case has looked at is not proved by being left out.
    if (!stop)
      kernel.getBody().walk([&](HardwareEffectsInterface op) {
        if (!stop && !shared->reached.contains(op))
          stop = Stop{"no launch is shown to execute this: nothing is proved "
                      "of it",
                      op};
      });
    if (stop && Facts::late()) {
      stop->reason = llvm::formatv("given up after {0} s; then: {1}",
                                   mostSeconds, stop->reason);
      stop->goOn = "--proof=SECONDS gives it more time";
    } else if (stop && Facts::exhausted()) {
      stop->reason = "given up after " + std::to_string(mostSystems) +
                     " systems of facts; then: " + stop->reason;
    }
    if (stop)
      return stop;
    report.assumptions.assign(shared->assumptions.begin(),
                              shared->assumptions.end());
    return std::nullopt;
  }();
  report.proved = !stop;
  report.systems = Facts::solved() - before;
  if (stop) {
    report.stoppedAt = stop->op;
    report.reason = stop->reason;
    report.goOn = stop->goOn;
    report.rules = stop->rules;
  }
  report.seconds = Facts::seconds() - start;
  return report;
}
