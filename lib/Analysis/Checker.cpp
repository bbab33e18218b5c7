//===- Checker.cpp - titan check ------------------------------------------===//
#include "titan/Analysis/Checker.h"

#include "Execution.h"
#include "Instantiate.h"
#include "Sharing.h"

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
struct Counts {
  int64_t depth = 1, period = 2;
};
} // namespace

/// The least number of iterations after which all slots and parities of all
/// rings repeat: the least common multiple of twice their depths.
static Counts countsOf(const Instantiator &instantiator) {
  Counts counts;
  for (int64_t depth : instantiator.ringDepths()) {
    counts.depth = std::max(counts.depth, depth);
    int64_t period = std::lcm(counts.period, 2 * depth);
    // Unrelated depths (7 and 11, say) have a long common period.
    counts.period = std::min<int64_t>(period, 240);
  }
  return counts;
}

/// All combinations that are tried: for up to two loops all pairs; beyond that
/// all pairs of any two, the others running twice. Branches take both sides.
static std::vector<std::vector<int64_t>> combinations(ArrayRef<Choice> choices,
                                                      Counts counts) {
  std::vector<int64_t> values = {0, 1, counts.depth, counts.period,
                                 2 * counts.period + 1};
  llvm::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::vector<size_t> loops, branches;
  for (auto [i, choice] : llvm::enumerate(choices))
    (choice.loop ? loops : branches).push_back(i);
  std::vector<std::vector<int64_t>> result;
  auto addBranches = [&](std::vector<int64_t> base) {
    for (size_t loop : loops)
      if (base[loop] == 0 && choices[loop].neverZero)
        return;
    size_t sides = std::min<size_t>(branches.size(), 4);
    for (size_t bits = 0; bits < size_t(1) << sides; ++bits) {
      for (size_t i = 0; i < branches.size(); ++i)
        base[branches[i]] = i < sides ? !(bits >> i & 1) : 1;
      result.push_back(base);
    }
  };
  std::vector<int64_t> base(choices.size(), 2);
  if (loops.empty())
    addBranches(base);
  else if (loops.size() == 1)
    for (int64_t value : values) {
      base[loops[0]] = value;
      addBranches(base);
    }
  else
    for (size_t i = 0; i < loops.size(); ++i)
      for (size_t j = i + 1; j < loops.size(); ++j)
        for (int64_t x : values)
          for (int64_t y : values) {
            std::vector<int64_t> pair = base;
            pair[loops[i]] = x;
            pair[loops[j]] = y;
            addBranches(pair);
          }
  return result;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// MM-75: the budgets of all warps fit into what the CTA has at launch.
static void checkBudgets(KernelOp kernel, Report &report) {
  std::optional<uint64_t> atLaunch = kernel.getRegisters();
  kernel.getBody().walk([&](WarpSpecializeOp specialize) {
    int64_t sum = 0, budgeted = 0;
    Operation *last = nullptr;
    std::string terms;
    for (auto partition : specialize.getBody().getOps<PartitionOp>()) {
      effect::EffectList effects;
      partition.getHardwareEffects(effects);
      for (const effect::Effect &effect : effects)
        if (auto *registers = std::get_if<effect::Registers>(&effect.what);
            registers && registers->kind == effect::Registers::Budget) {
          int64_t warps = partition.getPaddedWarps();
          sum += warps * registers->count;
          budgeted += warps;
          terms += (terms.empty() ? "" : " + ") + std::to_string(warps) +
                   " x " + std::to_string(registers->count);
          if (atLaunch && registers->count > static_cast<int64_t>(*atLaunch))
            last = partition;
        }
    }
    if (!budgeted || !atLaunch)
      return;
    int64_t rest = static_cast<int64_t>(kernel.getWarps()) - budgeted;
    if (rest > 0) {
      sum += rest * static_cast<int64_t>(*atLaunch);
      terms += " + " + std::to_string(rest) + " x " +
               std::to_string(*atLaunch) + " (warps without a budget)";
    }
    int64_t pool = static_cast<int64_t>(kernel.getWarps() * *atLaunch);
    if (sum > pool)
      report.add(Code::RegisterBudget, last ? last : specialize.getOperation(),
                 kernel,
                 Twine("the budgets need ") + terms + " = " + Twine(sum) +
                     " registers a lane, and the launch gives " +
                     Twine(static_cast<int64_t>(kernel.getWarps())) + " x " +
                     Twine(static_cast<int64_t>(*atLaunch)) + " = " +
                     Twine(pool) + ": setmaxnreg waits for ever");
  });
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
// The whole
//===----------------------------------------------------------------------===//

static std::string describeCounts(ArrayRef<Choice> choices,
                                  ArrayRef<int64_t> counts) {
  std::string text;
  for (auto [choice, count] : llvm::zip(choices, counts)) {
    text += text.empty() ? "" : ", ";
    text += choice.name + (choice.loop ? " " + std::to_string(count)
                           : count     ? " taken"
                                       : " not taken");
  }
  return text.empty() ? "no loop of unknown count" : text;
}

/// Looks at all CTAs of small launches, until some in a row have shown nothing
/// that was not seen before. `Report` gets what cannot be accepted for want of
/// a launch that shows it.
static void checkLaunches(KernelOp kernel, Instantiator &instantiator,
                          Sharing &sharing, Report &report,
                          CheckReport &result) {
  static constexpr uint64_t mostEvents = 200'000;
  unsigned idle = 0, looked = 0;
  for (const SmallLaunch &launch : instantiator.launches()) {
    auto program = instantiator.instantiate(launch);
    if (!program)
      return; // the reason is a problem of the instantiator's
    ++looked;
    if (program->events() > mostEvents)
      continue;
    if (!sharing.add(*program, instantiator.footprints)) {
      if (++idle == (sharing.channels() ? 8 : 3))
        break;
      continue;
    }
    idle = 0;
    result.launches.push_back(launch.name);
    result.events += program->events();
    Execution(*program, instantiator.footprints, report).run();
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
  std::vector<Trust> trusted = trusts(kernel, report);
  checkBudgets(kernel, report);

  Instantiator instantiator(kernel);
  const std::vector<Choice> &choices = instantiator.survey();
  bool flags = false;
  kernel.getBody().walk([&](HardwareEffectsInterface op) {
    effect::EffectList effects;
    op.getHardwareEffects(effects);
    for (const effect::Effect &effect : effects)
      flags |= std::holds_alternative<effect::WaitFlag>(effect.what);
  });
  bool followed = instantiator.problems.empty();
  std::vector<int64_t> mostChecked(choices.size(), 0);
  Sharing sharing;
  bool wholeGrid = false;
  if (followed)
    for (const std::vector<int64_t> &counts :
         combinations(choices, countsOf(instantiator))) {
      // Another cluster beside the first shows conflicts in global memory; few
      // iterations are enough for that.
      bool few = llvm::all_of(counts, [](int64_t n) { return n <= 2; });
      auto program = instantiator.instantiate(counts, few || flags ? 2 : 1);
      if (!program) {
        if (!instantiator.problems.empty())
          break;
        continue;
      }
      result.counts.push_back(describeCounts(choices, counts));
      for (auto [most, count] : llvm::zip(mostChecked, counts))
        most = std::max(most, count);
      result.events += program->events();
      wholeGrid |= program->all;
      sharing.add(*program, instantiator.footprints);
      Execution(*program, instantiator.footprints, report).run();
    }
  if (followed && instantiator.problems.empty() && !wholeGrid)
    checkLaunches(kernel, instantiator, sharing, report, result);
  // Nor has what was never reached.
  if (followed && instantiator.problems.empty())
    kernel.getBody().walk([&](HardwareEffectsInterface op) {
      if (op->getNumRegions() || sharing.reached(op))
        return WalkResult::advance();
      report.add(Code::Undecided, op, nullptr,
                 "no sizes were found under which this is executed");
      return WalkResult::interrupt();
    });
  // A loop that never came round again has not been checked.
  for (auto [choice, most] : llvm::zip(choices, mostChecked))
    if (choice.loop && followed && most < 2)
      report.add(Code::Undecided, choice.op, nullptr,
                 "no sizes were found under which this loop runs more than "
                 "once");
  for (const Choice &choice : choices)
    if (choice.neverZero)
      result.counts.push_back(choice.name + " is never 0: no launch allows it");
  for (const checker::Problem &problem : instantiator.problems)
    report.add(problem.code, problem.op, nullptr, problem.message);
  for (const checker::Problem &gap : instantiator.gaps)
    report.add(gap.code, gap.op, nullptr, gap.message);

  auto trustOf = [&](const Raw &raw) {
    return llvm::find_if(trusted, [&](const Trust &trust) {
      return trust.code->id == raw.code &&
             (trust.op == raw.op || trust.op == raw.other);
    });
  };
  for (size_t i = 0; i < report.list.size(); ++i) {
    const Raw &raw = *report.list[i];
    auto trust = trustOf(raw);
    if (trust == trusted.end())
      continue;
    trust->used = true;
    if (report.stopped(raw))
      report.add(Code::Undecided, raw.op, raw.other,
                 Twine("what comes after the trusted '") +
                     std::string(codeInfo(raw.code).code) +
                     "' is not checked: nothing is known of how the program "
                     "goes on");
  }
  for (auto &raw : report.list) {
    raw->finding.severity = raw->code == Code::Undecided
                                ? options.undecided
                                : options.strictness.severityOf(raw->code);
    // An error hides what follows from it, and a trusted one does.
    raw->error = raw->finding.severity == Severity::Error;
    if (auto trust = trustOf(*raw); trust != trusted.end()) {
      raw->finding.severity = Severity::Note;
      raw->finding.message += " (trusted: " + trust->reason + ")";
    }
  }
  for (auto &raw : report.list) {
    // Bytes that somebody writes in no order with the read: that is the error.
    if (raw->code == Code::UndefinedRead &&
        llvm::any_of(report.list, [&](const auto &other) {
          return other->code != raw->code && other->error &&
                 (other->op == raw->op || other->other == raw->op);
        }))
      continue;
    Finding finding = raw->finding;
    if (finding.severity != Severity::Ignored)
      result.findings.push_back(std::move(finding));
  }
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
