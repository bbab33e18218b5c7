//===- Checker.cpp - titan check ------------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/Checker.h"

#include "Alignment.h"
#include "Resources.h"
#include "Search/Courses.h"
#include "Search/Execution.h"
#include "Search/Instantiate.h"
#include "Search/Period.h"
#include "Search/Sharing.h"

#include <chrono>
#include <numeric>

using namespace mlir;
using namespace titan;
using namespace titan::checker;

bool CheckReport::accepted() const {
  return llvm::none_of(findings, [](const Finding &finding) {
    return finding.severity == Severity::Error;
  });
}

//===----------------------------------------------------------------------===//
// Which trip counts
//===----------------------------------------------------------------------===//

namespace {
/// The periods of loops, each found when it is first asked for: choices come up
/// on the way.
class Periods {
public:
  Periods(Instantiator &instantiator, Report &report)
      : instantiator(instantiator), report(report) {
    for (int64_t ring : instantiator.ringDepths()) {
      depth = std::max(depth, ring);
      // Unrelated depths (7 and 11, say) have a long common period.
      rings = std::min<int64_t>(std::lcm(rings, 2 * ring), 240);
    }
  }
  /// May find further choices.
  int64_t of(size_t number, Operation *op) {
    auto [found, fresh] = known.try_emplace(number, rings);
    if (fresh)
      found->second = find(number, op);
    return found->second;
  }
  /// The numbers of iterations tried for a loop whose period is known: few, as
  /// many as the longest ring has slots, and enough to come round. Where sides
  /// hang on how far the counter is, all small ones.
  std::vector<int64_t> triesOf(size_t number) const {
    int64_t period = known.at(number);
    std::vector<int64_t> tries = {0, 1, depth, period, 2 * period + 1};
    if (auto sides = settles.find(number); sides != settles.end()) {
      int64_t settled = sides->second;
      for (int64_t count = 0; count <= depth + 3; ++count)
        tries.insert(tries.end(), {count, settled + count});
      tries.insert(tries.end(), {settled + period, settled + 2 * period + 1});
    }
    llvm::sort(tries);
    tries.erase(std::unique(tries.begin(), tries.end()), tries.end());
    return tries;
  }
  /// Those that are tried with all of another loop.
  std::vector<int64_t> fewOf(size_t number) const {
    if (!settles.contains(number))
      return triesOf(number);
    return {0, 1, 2, depth, known.at(number), 2 * known.at(number) + 1};
  }
  const std::map<size_t, int64_t> &found() const { return known; }
  /// No slot and no parity has more different values.
  int64_t most() const {
    int64_t most = std::max<int64_t>(depth, 2);
    for (auto &[number, period] : known)
      most = std::max(most, period);
    return most;
  }

private:
  struct Late {
    Operation *because;
    std::string message;
  };
  /// The longest run that is looked at.
  static constexpr int64_t longest = 251;
  /// The iterations of a long run that are compared with each other.
  static int64_t window(int64_t count) { return count - count / 8 - count / 4; }

  /// As the loop's events show, if its numbers cannot do otherwise later; where
  /// no sizes are found under which it runs long enough, what the rings
  /// suggest. The checker cannot decide about loops that do not come round.
  int64_t find(size_t number, Operation *op) {
    std::optional<int64_t> period;
    bool ran = false;
    for (int64_t count : {int64_t(61), int64_t(64), longest}) {
      auto program = instantiator.longRun(number, count);
      if (!program && !instantiator.problems.empty())
        return rings;
      if (!program)
        continue;
      ran = true;
      period = periodOf(*program, instantiator.footprints, count);
      if (period && covers(number, *period, window(count), count / 4))
        return std::max<int64_t>(*period, 2);
    }
    // One that is over before shows all of it in its longest run.
    int64_t most = instantiator.mostIterations(number);
    if (ran && !period && most <= longest &&
        covers(number, rings, 2 * rings, 2 * rings))
      return std::max<int64_t>(most, 2);
    if (ran && !period)
      ofCounts(report.add(
          Code::Undecided, op, nullptr,
          "this loop does not come round to the same slots and parities "
          "in 251 iterations"));
    else if (ran || (!covers(number, rings, 2 * rings, 2 * rings) &&
                     most > 2 * rings + 1))
      tellLate(number, op, period.value_or(rings));
    return period.value_or(rings);
  }

  const LoopCourse &course(Operation *loop) {
    auto [found, fresh] = courses.try_emplace(loop);
    if (fresh)
      found->second = courseOf(cast<scf::ForOp>(loop));
    return found->second;
  }

  /// Whether a loop that has shown a period in `seen` iterations, after
  /// `before` of them, keeps it: numbers with a period of their own have come
  /// round within them (two periods of a sequence that is as long as their sum
  /// are those of one that goes on), and all sides are settled.
  bool covers(size_t number, int64_t period, int64_t seen, int64_t before) {
    int64_t settled = 0;
    bool compares = false;
    for (Operation *loop : instantiator.loopsOf(number)) {
      const LoopCourse &own = course(loop);
      if (own.unknown || own.settled > before || own.period > seen)
        return false;
      int64_t both = own.states.empty()
                         ? own.period + std::min(period, own.period)
                         : std::lcm(period, own.period) + period;
      if (both > seen)
        return false;
      settled = std::max(settled, own.settled);
      compares |= own.compares;
    }
    if (settled > 2 || compares)
      settles[number] = settled;
    return true;
  }

  /// Why what a loop does later is not known from what it did.
  void tellLate(size_t number, Operation *op, int64_t period) {
    auto late = [](int64_t count, Operation *because) {
      return Late{because,
                  "slots, parities or branches of this loop may change "
                  "or come round only after " +
                      std::to_string(count) +
                      " iterations, and no run that is looked at is "
                      "long enough for that"};
    };
    Late why{nullptr,
             "slots, parities and branches of this loop may come round later "
             "than after the " +
                 std::to_string(period) +
                 " iterations that the longest run shows"};
    for (Operation *loop : instantiator.loopsOf(number)) {
      const LoopCourse &own = course(loop);
      op = loop;
      if (own.unknown)
        why = {own.unknown,
               "when a number that slots, parities or branches of this loop "
               "depend on comes round is not known"};
      else if (own.settled > longest / 4)
        why = late(own.settled, own.settledOp);
      else if (2 * own.period > window(longest))
        why = late(own.period, own.periodOp);
      else
        continue;
      break;
    }
    ofCounts(report.add(Code::Undecided, op, why.because, why.message));
  }

  static void ofCounts(Finding *finding) {
    if (finding)
      finding->ofCounts = true;
  }

  Instantiator &instantiator;
  Report &report;
  /// Of the longest ring, and the least common multiple of twice all depths.
  int64_t depth = 1, rings = 2;
  std::map<size_t, int64_t> known;
  std::map<Operation *, LoopCourse> courses;
  /// The iterations after which comparisons with constants are over, of loops
  /// that have some beyond the first iterations, or compare with their end.
  std::map<size_t, int64_t> settles;
};
} // namespace

/// Outcomes of a branch or a value that some launch may have.
static std::vector<int64_t> possible(const Instantiator &instantiator,
                                     const Choice &choice, size_t number) {
  std::vector<int64_t> values;
  for (int64_t value : choice.values)
    if (!instantiator.impossible(number, value))
      values.push_back(value);
  return values;
}

/// All combinations that are tried: for up to two loops all pairs; beyond that
/// all pairs of any two that depend on different sizes, the others running
/// twice. Branches and values: all together; `tooMany` when that is more than
/// can be tried. What the sizes of the loops decide is left as they decide it
/// (and has to come up with each outcome, all the same).
static std::vector<std::vector<int64_t>>
combinations(const Instantiator &instantiator, ArrayRef<Choice> choices,
             const Periods &periods, bool &tooMany) {
  static constexpr size_t most = 4096;
  std::vector<size_t> loops, others, dependent;
  uint64_t decided = 0;
  size_t count =
      llvm::count_if(choices, [](const Choice &c) { return c.loop(); });
  for (auto [i, choice] : llvm::enumerate(choices)) {
    if (!choice.loop())
      continue;
    bool free = count <= 2 || (instantiator.leavesOf(i) & ~decided);
    decided |= instantiator.leavesOf(i);
    (free ? loops : dependent).push_back(i);
  }
  std::vector<std::vector<int64_t>> result;
  std::vector<int64_t> base(choices.size(), Instantiator::any);
  for (size_t loop : loops)
    base[loop] = 2;
  for (auto [i, choice] : llvm::enumerate(choices))
    if (choice.kind == Choice::Branch ||
        (choice.kind == Choice::Value && (instantiator.leavesOf(i) & ~decided)))
      others.push_back(i);
  if (loops.empty())
    result.push_back(base);
  else if (loops.size() == 1)
    for (int64_t value : periods.triesOf(loops[0])) {
      result.push_back(base);
      result.back()[loops[0]] = value;
    }
  else
    for (size_t i = 0; i < loops.size(); ++i)
      for (size_t j = i + 1; j < loops.size(); ++j)
        for (auto [some, others] :
             {std::pair(periods.triesOf(loops[i]), periods.fewOf(loops[j])),
              std::pair(periods.fewOf(loops[i]), periods.triesOf(loops[j]))})
          for (int64_t x : some)
            for (int64_t y : others) {
              result.push_back(base);
              result.back()[loops[i]] = x;
              result.back()[loops[j]] = y;
            }
  for (size_t loop : dependent)
    for (int64_t value : periods.triesOf(loop)) {
      result.push_back(std::vector<int64_t>(choices.size(), Instantiator::any));
      result.back()[loop] = value;
    }
  llvm::erase_if(result, [&](const std::vector<int64_t> &combination) {
    return llvm::any_of(loops, [&](size_t loop) {
      return combination[loop] != Instantiator::any &&
             instantiator.impossible(loop, combination[loop]);
    });
  });
  for (size_t other : others) {
    std::vector<int64_t> sides = possible(instantiator, choices[other], other);
    if (sides.empty())
      sides.push_back(Instantiator::any);
    if (result.size() * sides.size() > most) {
      tooMany = true;
      sides.resize(1);
    }
    std::vector<std::vector<int64_t>> all;
    for (const std::vector<int64_t> &combination : result)
      for (int64_t side : sides) {
        all.push_back(combination);
        all.back()[other] = side;
      }
    result = std::move(all);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// titan.trusted
//===----------------------------------------------------------------------===//

namespace {
struct Trust {
  Operation *op;
  const CodeInfo *code;
  std::string reason;
  bool used = false;
};
} // namespace

static std::vector<Trust> trusts(KernelOp kernel, Report &report) {
  std::vector<Trust> result;
  kernel->walk([&](Operation *op) {
    Attribute attribute = op->getAttr("titan.trusted");
    if (!attribute)
      return;
    auto dictionary = dyn_cast<DictionaryAttr>(attribute);
    auto code =
        dictionary ? dictionary.getAs<StringAttr>("code") : StringAttr();
    auto reason =
        dictionary ? dictionary.getAs<StringAttr>("reason") : StringAttr();
    if (!code || !reason || reason.empty()) {
      report.add(Code::TrustedReason, op, nullptr,
                 "titan.trusted names a code and gives a reason");
      return;
    }
    const CodeInfo *info = lookupCode(
        std::string_view(code.getValue().data(), code.getValue().size()));
    if (!info) {
      report.add(Code::TrustedReason, op, nullptr,
                 Twine("there is no code '") + code.getValue() + "'");
      return;
    }
    result.push_back({op, info, reason.str()});
  });
  return result;
}

//===----------------------------------------------------------------------===//
// One finding a place
//===----------------------------------------------------------------------===//

namespace {
/// A finding that is told, and whose events show it.
struct Told {
  size_t index;
  std::set<std::pair<std::string, int>> warps;
};
} // namespace

/// "partition multiply, warps 0, 1, 2; warp 3".
static std::string
describeWarps(const std::set<std::pair<std::string, int>> &warps) {
  std::map<std::string, std::vector<int>> partitions;
  for (auto &[partition, warp] : warps)
    partitions[partition].push_back(warp);
  std::string text;
  for (auto &[partition, ranks] : partitions) {
    text += text.empty() ? "" : "; ";
    text += partition.empty() ? "" : "partition " + partition + ", ";
    text += ranks.size() > 1 ? "warps " : "warp ";
    for (auto [i, rank] : llvm::enumerate(ranks))
      text += (i ? ", " : "") + std::to_string(rank);
  }
  return text;
}

/// What a finding is told once for: its code, and the operation of the text.
/// Unrolled loops have several operations at one place.
using Telling = std::tuple<Code, Severity, const void *, const void *>;

static Telling tellingOf(const Finding &finding, Operation *op) {
  Location loc = op->getLoc();
  return {finding.code, finding.severity, op->getName().getAsOpaquePointer(),
          loc->findInstanceOf<FileLineColLoc>() ? loc.getAsOpaquePointer()
                                                : op};
}

/// Adds a finding, or its places to one that is told already.
static void merge(std::vector<Finding> &findings, Finding finding,
                  Operation *op,
                  const std::set<std::pair<std::string, int>> &warps,
                  std::map<Telling, Told> &told) {
  auto [found, fresh] =
      told.try_emplace(tellingOf(finding, op), Told{findings.size(), warps});
  if (fresh) {
    findings.push_back(std::move(finding));
    return;
  }
  found->second.warps.insert(warps.begin(), warps.end());
  Finding &into = findings[found->second.index];
  for (FindingPlace &place : finding.others)
    if (into.others.size() < 8 &&
        llvm::none_of(into.others, [&](const FindingPlace &known) {
          return known.loc == place.loc;
        }))
      into.others.push_back(std::move(place));
}

/// Who accepts the finding; null: nobody.
static Trust *trustOf(std::vector<Trust> &trusted, const Raw &raw) {
  auto found = llvm::find_if(trusted, [&](const Trust &trust) {
    return trust.code->id == raw.code &&
           (trust.op == raw.op || trust.op == raw.other);
  });
  return found == trusted.end() ? nullptr : &*found;
}

/// The findings as they are told: one a code and place, consequences left out.
static void tell(Report &report, std::vector<Trust> &trusted,
                 const CheckOptions &options, CheckReport &result) {
  auto severityOf = [&](const Raw &raw) {
    return raw.code == Code::Undecided
               ? options.undecided
               : options.strictness.severityOf(raw.code);
  };
  // An error hides what follows from it, and a trusted one does.
  for (auto &raw : report.list)
    raw->error = severityOf(*raw) == Severity::Error;
  std::map<Telling, Told> told;
  for (auto &raw : report.list) {
    // Bytes that somebody writes in no order with the read: that is the error.
    if (raw->code == Code::UndefinedRead && report.misled.contains(raw->op))
      continue;
    if (raw->code == Code::UndefinedRead &&
        llvm::any_of(report.list, [&](const auto &other) {
          return other->code != raw->code && other->error &&
                 (other->op == raw->op || other->other == raw->op);
        }))
      continue;
    Finding finding = raw->finding;
    finding.severity = severityOf(*raw);
    if (raw->code == Code::Undecided && finding.fix.empty() &&
        isa<scf::ForOp, scf::WhileOp>(raw->op))
      finding.fix =
          "give the loop a known period, a static depth or stride; or "
          "accept with titan.trusted {code, reason}; or "
          "--undecided=warning";
    if (Trust *trust = trustOf(trusted, *raw)) {
      finding.severity = Severity::Note;
      finding.message += " (trusted: " + trust->reason + ")";
    }
    result.undecided += raw->code == Code::Undecided;
    if (finding.severity == Severity::Ignored)
      // What only --strict tells is not silenced.
      result.silenced +=
          Strictness().severityOf(raw->code) != Severity::Ignored;
    else
      merge(result.findings, std::move(finding), raw->op, raw->warps, told);
  }
  for (auto &[key, one] : told)
    if (one.warps.size() > 1)
      result.findings[one.index].events.push_back("so it is for " +
                                                  describeWarps(one.warps));
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

static std::string describeCounts(ArrayRef<Choice> choices,
                                  ArrayRef<int64_t> counts) {
  std::string text;
  for (auto [choice, count] : llvm::zip(choices, counts)) {
    if (count == Instantiator::any)
      continue;
    text += text.empty() ? "" : ", ";
    text += choice.name +
            (choice.kind == Choice::Loop    ? " " + std::to_string(count)
             : choice.kind == Choice::Value ? " at " + std::to_string(count)
             : count                        ? " taken"
                                            : " not taken");
  }
  return text.empty() ? "no loop of unknown count" : text;
}

/// Looks at all CTAs of small launches, until some in a row have shown nothing
/// that was not seen before. The report gets what cannot be accepted for want
/// of a launch that shows it.
static void checkLaunches(KernelOp kernel, Instantiator &instantiator,
                          Sharing &sharing,
                          llvm::function_ref<void(const Program &)> execute,
                          Report &report, CheckReport &result) {
  static constexpr uint64_t mostEvents = 200'000;
  // Launches of more clusters are not looked at as a whole.
  static constexpr int64_t far = 72;
  unsigned idle = 0, looked = 0, larger = 0;
  // Of grids in a line, by dimension: who may meet further on.
  std::map<int, std::vector<Sharing::Suspect>> suspects;
  auto suspect = [&](const Program &program, int dimension) {
    // Sizes grow with the grid, and places with them: a larger one is looked
    // at, or it is the only one.
    auto [least, most] = instantiator.clustersAlong(dimension);
    if (program.clusters > 2)
      suspects[dimension] =
          sharing.suspects(program, instantiator.footprints, most,
                           least == most ? most : std::min(most, far));
  };
  auto clusterShape = kernel.getClusterShape();
  // False: it cannot be followed; the reason is a problem of the
  // instantiator's.
  auto look = [&](const SmallLaunch &launch) {
    auto program = instantiator.instantiate(launch);
    if (!program)
      return false;
    ++looked;
    ++idle;
    if (program->events() > mostEvents) {
      result.skipped.push_back(
          launch.name + ": " + std::to_string(program->events()) +
          " events, more than " + std::to_string(mostEvents));
      return true;
    }
    bool fresh = sharing.add(*program, instantiator.footprints);
    for (int d : instantiator.besides())
      if (launch.clusters == launch.grid[d] / clusterShape[d])
        suspect(*program, d);
    if (!fresh)
      return true;
    idle = 0;
    result.launches.push_back(launch.name);
    execute(*program);
    return true;
  };
  std::set<std::pair<int64_t, int64_t>> planes;
  for (auto [least, most] : {std::pair(2, 4), std::pair(5, 6)})
    for (const SmallLaunch &launch : instantiator.launches(least, most)) {
      // Grids of two dimensions: 2 x 2, 2 x 3 and 3 x 2 in any case.
      bool plane = launch.grid[0] > 1 && launch.grid[1] * launch.grid[2] > 1 &&
                   planes.insert({launch.grid[0], launch.grid[1]}).second;
      bool enough =
          least > 2 ? larger++ >= 3 : idle >= (sharing.channels() ? 8u : 3u);
      if (!plane && enough)
        continue;
      if (!look(launch))
        return;
    }
  // Larger ones, where ids of CTAs are divided, say, by more.
  std::vector<Operation *> rest = instantiator.onePiece();
  if (!rest.empty())
    for (const SmallLaunch &launch : instantiator.launches(7, far)) {
      if (!look(launch))
        return;
      if (rest = instantiator.onePiece(); rest.empty())
        break;
    }
  for (Operation *op : rest)
    report.add(Code::Undecided, op, nullptr,
               "this computes with the id of a CTA, and in the " +
                   Twine(looked) +
                   " launches that were looked at as a whole the grids are too "
                   "small to show more than one of its pieces");
  // Grids that are too large to be looked at as a whole: some clusters of a
  // line.
  std::vector<int64_t> chance(instantiator.survey().size(), Instantiator::any);
  for (int d : instantiator.besides())
    if (auto [least, most] = instantiator.clustersAlong(d);
        least == most && !suspects.contains(d))
      if (auto program = instantiator.instantiate(chance, d, 4))
        suspect(*program, d);
  const auto firstSuspects = suspects; // Looking finds others.
  for (auto &[dimension, list] : firstSuspects)
    for (const Sharing::Suspect &pair : list) {
      unsigned tried = 0;
      if (pair.last < far && !sharing.haveMet(pair))
        for (const SmallLaunch &launch :
             instantiator.launches(pair.last + 1, far)) {
          if (tried++ == 3 || sharing.haveMet(pair))
            break;
          if (!look(launch))
            return;
        }
      auto [least, most] = instantiator.clustersAlong(dimension);
      if (tried || sharing.haveMet(pair) || (pair.apart && least != most))
        continue;
      std::string where = std::to_string(pair.last);
      if (Finding *finding = report.add(
              Code::Undecided, pair.first, pair.second,
              (pair.apart ? "this and another operation of another CTA touch "
                            "the same bytes where one of the two is number "
                          : "this and another operation of the CTA touch the "
                            "same bytes in number ") +
                  where + (dimension ? " along dimension " : "") +
                  (dimension ? std::to_string(dimension) : "") +
                  " of the grid, and in none of the launches that were looked "
                  "at as a whole"))
        finding->others.push_back(
            {pair.second->getLoc(), "the other operation"});
    }
  for (Operation *op : sharing.unexplained())
    report.add(Code::Undecided, op, nullptr,
               Twine("other CTAs may write what this reads, and among the ") +
                   Twine(looked) +
                   " small launches that were looked at none shows which");
}

CheckReport titan::check(KernelOp kernel, const CheckOptions &options) {
  auto start = std::chrono::steady_clock::now();
  CheckReport result;
  Report report;
  report.fences = options.fences;
  std::vector<Trust> trusted = trusts(kernel, report);
  checkResources(kernel, report);
  bool misfit = llvm::any_of(report.list, [](const auto &raw) {
    return raw->code == Code::LayoutMismatch;
  });
  bool impossible = checkConstants(kernel, report);
  bool cumulativeFences = options.strictness.level == Strictness::Level::Off;

  Instantiator instantiator(kernel);
  const std::vector<Choice> &choices = instantiator.survey();
  bool flags = false;
  kernel.getBody().walk([&](HardwareEffectsInterface op) {
    effect::EffectList effects;
    op.getHardwareEffects(effects);
    for (const effect::Effect &effect : effects)
      flags |= std::holds_alternative<effect::WaitFlag>(effect.what);
  });
  if (misfit)
    result.skipped.push_back("what the kernel does, until its layouts fit");
  bool followed = instantiator.problems.empty() && !misfit;
  Sharing sharing;
  bool wholeGrid = false;
  Periods periods(instantiator, report);
  auto unreached = [&](Operation *op, const Twine &message) {
    if (impossible) // That is why.
      return;
    Finding *finding = report.add(Code::Undecided, op, nullptr, message);
    if (!finding)
      return;
    finding->ofCounts = true;
    finding->fix =
        "say in the launch region, by titan.require, what the sizes have to "
        "be (a divisibility, a bound): the search for launches keeps to it; "
        "or accept with titan.trusted {code, reason}; or --undecided=warning";
    auto refusal = instantiator.refusal();
    if (!refusal)
      return;
    RequireOp check = refusal->check;
    finding->message += "; of " + std::to_string(refusal->tried) +
                        " launches tried a launch check refuses " +
                        std::to_string(refusal->refused) + ": [" +
                        check.getCode().str() + "] " + check.getMessage().str();
    finding->others.push_back({check.getLoc(), "the launch check is of this"});
    if (auto fix = check.getFix())
      finding->fix = fix->str() + "; or " + finding->fix;
  };
  size_t shown = 0;
  auto execute = [&](const Program &program) {
    result.events += program.events();
    Execution(program, instantiator.footprints, report, cumulativeFences).run();
    if (!options.progress || report.list.size() == shown)
      return;
    shown = report.list.size();
    CheckReport far;
    tell(report, trusted, options, far);
    options.progress(far.findings);
  };
  // False: no launch was found that has these outcomes together.
  auto look = [&](const std::vector<int64_t> &wanted) {
    // A cluster beside the first shows conflicts in global memory. Few
    // iterations are enough for that, unless more of them show others.
    bool few = llvm::all_of(wanted, [](int64_t n) { return n <= 2; });
    bool found = false, run = false;
    wholeGrid |= instantiator.besides().empty();
    auto once = [&](const Program &program) {
      execute(program);
      run = true;
    };
    // A flag may be signalled by any CTA, so all of them are looked at.
    if (flags && !instantiator.besides().empty()) {
      for (int clusters = 1; clusters <= 4; ++clusters)
        for (int beside : instantiator.besides())
          if (auto program =
                  instantiator.instantiate(wanted, beside, clusters, true)) {
            sharing.add(*program, instantiator.footprints);
            once(*program);
          }
      if (run)
        result.counts.push_back(describeCounts(choices, wanted));
      return run;
    }
    for (int beside : instantiator.besides())
      if (auto program = instantiator.instantiate(wanted, beside, 2)) {
        found = true;
        if (sharing.add(*program, instantiator.footprints) || few)
          once(*program);
      } else if (!instantiator.problems.empty())
        return false;
    if (!run)
      if (auto program = instantiator.instantiate(wanted, 0, 1)) {
        found = true;
        sharing.add(*program, instantiator.footprints);
        once(*program);
      }
    if (found)
      result.counts.push_back(describeCounts(choices, wanted));
    return found;
  };
  // Choices that only some outcome of others leads to come up on the way.
  std::set<std::vector<int64_t>> looked;
  bool tooMany = false;
  for (size_t known = 0, round = 0;
       followed && instantiator.problems.empty() && round < 4 &&
       (!round || known != choices.size());
       ++round) {
    for (size_t number = 0; number < choices.size(); ++number)
      if (choices[number].loop())
        periods.of(number, choices[number].op);
    known = choices.size();
    for (const std::vector<int64_t> &wanted :
         combinations(instantiator, choices, periods, tooMany)) {
      if (looked.insert(wanted).second)
        look(wanted);
      if (!instantiator.problems.empty())
        break;
    }
  }
  // Outcomes that no combination has shown, each on its own.
  for (size_t number = 0; followed && number < choices.size(); ++number) {
    int64_t largest = 0;
    std::vector<int64_t> outcomes = choices[number].values;
    if (choices[number].loop()) {
      outcomes = {0, 1};
      largest = 2 * periods.of(number, choices[number].op) + 1;
      largest = std::min(largest, instantiator.mostIterations(number));
      for (int64_t more = 0; more <= std::min<int64_t>(largest, 8); ++more)
        outcomes.push_back(largest + more);
    }
    bool most = false;
    for (int64_t outcome : outcomes) {
      auto covered = [&] {
        const std::set<int64_t> &seen = instantiator.covered(number);
        if (choices[number].loop() && outcome > 1)
          most = most || (!seen.empty() && *seen.rbegin() >= largest);
        return seen.contains(outcome) || most;
      };
      if (covered() || instantiator.impossible(number, outcome))
        continue;
      // What decides a number decides its own loop; those around it run.
      auto isOther = [&](size_t i) {
        return choices[i].kind != Choice::Value &&
               !(choices[number].kind == Choice::Value && choices[i].loop() &&
                 (instantiator.leavesOf(i) & instantiator.leavesOf(number)));
      };
      auto found = [&](llvm::function_ref<int64_t(size_t)> wish) {
        std::vector<int64_t> wanted;
        for (size_t i = 0; i < choices.size(); ++i)
          wanted.push_back(i == number ? outcome : wish(i));
        look(wanted);
        return covered() || !instantiator.problems.empty();
      };
      auto any = [](size_t) { return Instantiator::any; };
      auto twice = [&](size_t i) {
        return std::min<int64_t>(2, instantiator.mostIterations(i));
      };
      auto all = [&](int64_t branch) {
        return found([&](size_t i) {
          return !isOther(i)         ? Instantiator::any
                 : choices[i].loop() ? twice(i)
                                     : branch;
        });
      };
      if (!found(any) && !all(1) && !all(0))
        // CTAs of a cluster may run one loop more and less often.
        for (size_t one = 0; one < choices.size(); ++one)
          if (choices[one].loop() && isOther(one) && found([&](size_t i) {
                return i == one ? twice(i) : Instantiator::any;
              }))
            break;
      if (!instantiator.problems.empty())
        break;
      if (!covered() && (!choices[number].loop() || outcome <= 1))
        unreached(
            choices[number].op,
            choices[number].loop()
                ? "no launch was found under which this loop runs " +
                      Twine(outcome) + " times, and none was excluded"
            : choices[number].kind == Choice::Value
                ? "no launch was found under which what '" +
                      Twine(choices[number].name) + "' decides here is " +
                      Twine(outcome) + ", and none was excluded"
                : Twine("no launch was found under which this branch is ") +
                      (outcome ? "" : "not ") + "taken, and none was excluded");
    }
    if (choices[number].loop() && instantiator.problems.empty() && !most &&
        largest > 1 && !instantiator.covered(number).contains(largest))
      unreached(choices[number].op,
                "no sizes were found under which this loop runs " +
                    Twine(largest) + " times or more");
  }
  if (tooMany)
    report.add(Code::Undecided, choices.back().op, nullptr,
               "so many branches and values depend on sizes and arguments that "
               "not all of their combinations were tried");
  // Iterations far behind those: where a place goes on by its steps, and meets
  // another one.
  static constexpr int64_t longest = 256;
  for (size_t number = 0;
       followed && instantiator.problems.empty() && number < choices.size();
       ++number) {
    if (!choices[number].loop())
      continue;
    auto program = instantiator.longRun(number, 4);
    if (!program)
      continue;
    for (const Sharing::Suspect &pair : sharing.suspects(
             *program, instantiator.footprints, instantiator.loopsOf(number), 4,
             std::min(instantiator.mostIterations(number), longest))) {
      std::vector<int64_t> wanted(choices.size(), Instantiator::any);
      wanted[number] = pair.last + 1;
      if (!sharing.haveMet(pair))
        look(wanted);
    }
  }
  if (followed && instantiator.problems.empty() && !wholeGrid)
    checkLaunches(kernel, instantiator, sharing, execute, report, result);
  // Nor has what was never reached.
  if (followed && instantiator.problems.empty())
    kernel.getBody().walk([&](HardwareEffectsInterface op) {
      if (op->getNumRegions() || sharing.reached(op))
        return WalkResult::advance();
      unreached(op, "no sizes were found under which this is executed");
      return WalkResult::interrupt();
    });
  if (followed && instantiator.problems.empty())
    for (Operation *op : instantiator.oneSided(periods.most()))
      report.add(Code::Undecided, op, nullptr,
                 "only one side of this branch was ever taken, whatever the "
                 "sizes");
  if (instantiator.problems.empty())
    for (auto [op, unit] : findUnprovedStarts(kernel))
      report.add(Code::Undecided, op, nullptr,
                 "that coordinate 0, the innermost, is a multiple of " +
                     Twine(unit) +
                     " elements (16 bytes; the copy faults else): multiply by "
                     "a constant that is, or titan.require that a remainder is "
                     "0");
  if (sharing.truncated())
    result.skipped.push_back("some pairs of places in global memory that CTAs "
                             "or iterations further on may share: there are "
                             "more than " +
                             std::to_string(Sharing::mostPairs));
  for (auto [number, period] : periods.found())
    result.periods.push_back(choices[number].name + " " +
                             std::to_string(period));
  for (auto [number, choice] : llvm::enumerate(choices))
    if (choice.loop() && instantiator.impossible(number, 0))
      result.counts.push_back(choice.name + " is never 0: no launch allows it");
  for (const checker::Problem &problem : instantiator.problems) {
    if (impossible && problem.code == Code::Undecided)
      continue;
    if (Finding *finding =
            report.add(problem.code, problem.op, nullptr, problem.message))
      finding->fix = problem.fix;
  }
  for (const checker::Problem &gap : instantiator.gaps)
    if (Finding *finding = report.add(gap.code, gap.op, nullptr, gap.message))
      finding->ofCounts = gap.ofCounts;

  for (size_t i = 0; i < report.list.size(); ++i) {
    const Raw &raw = *report.list[i];
    Trust *trust = trustOf(trusted, raw);
    if (!trust)
      continue;
    trust->used = true;
    if (report.stopped(raw))
      report.add(Code::Undecided, raw.op, raw.other,
                 Twine("what comes after the trusted '") +
                     std::string(codeInfo(raw.code).code) +
                     "' is not checked: nothing is known of how the program "
                     "goes on");
  }
  tell(report, trusted, options, result);
  for (const Trust &trust : trusted)
    if (!trust.used) {
      Finding finding{.code = Code::TrustedUnused,
                      .message = "titan.trusted accepts '" +
                                 std::string(trust.code->code) +
                                 "' here, which is not found",
                      .loc = trust.op->getLoc()};
      finding.severity = options.strictness.severityOf(finding.code);
      if (finding.severity != Severity::Ignored)
        result.findings.push_back(std::move(finding));
    }
  llvm::stable_sort(result.findings, [](const Finding &a, const Finding &b) {
    return a.severity > b.severity;
  });
  result.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return result;
}
