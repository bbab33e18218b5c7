//===- titan-mutate.cpp - who notices a bug? ------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts one bug at a time into the synchronisation of a file's kernels
// (Transforms/Mutate.h) and compares two judges that share no code but the
// effects' own simulation functions:
//
//   the checker, which reads effects and never runs anything;
//   the simulator with hazards off, which reads no effects: there a bug shows
//   as wrong data, poison, a hang or work left over.
//
// Of what the checker refuses, most must also fail when it runs (else the
// checker refuses too much); of what it accepts, nothing may fail (else it
// accepts a bug). The table says so by class.
//
// With --prove a third one is asked, of the kernels as they are, too, and of
// those that are refused: the proof. What it proves has to run under every
// schedule, warps far ahead of each other included, with hazards and without,
// at the sizes of --at and at the corners (Corners.h), too.
//
// What a tensor holds at the end is compared with what the kernel leaves there
// as it is. A flag holds the sum of its signals, and which one it should be
// nobody says (docs/checker.md, "Why flags need no parity"): a mutant has to
// leave the same sum under every schedule. So it has to leave the same data where
// the kernel as it is fails, and where another slot is looked at and nothing is
// refused: two panels in one place, or the upper half of a tile twice, are in order.
//
// With --causes nothing runs: the findings of each refused mutant are counted,
// and the first is compared with what was changed (Causes.h).
//
//===----------------------------------------------------------------------===//
#include "Arguments.h"
#include "Causes.h"
#include "Corners.h"
#include "Outcomes.h"

#include "titan/Analysis/Checker.h"
#include "titan/Analysis/Typestate/Prove.h"
#include "titan/Driver/Pipelines.h"
#include "titan/Simulator/Simulator.h"
#include "titan/Transforms/Mutate.h"
#include "titan/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/Threading.h"

#include <random>
#include <set>

using namespace mlir;
using namespace titan;
namespace cl = llvm::cl;

static cl::OptionCategory category("titan-mutate options");
static cl::list<std::string> files(cl::Positional, cl::desc("FILE..."),
                                   cl::OneOrMore, cl::cat(category));
static cl::opt<unsigned> schedules(
    "schedules",
    cl::desc("Random schedules that an accepted mutant must pass, and "
             "that a refused one may fail under (20)"),
    cl::init(20), cl::cat(category));
static cl::opt<int>
    further("further",
            cl::desc("Of the random schedules so many at each of the "
                     "launches of --at and --corners, in turn (-1: all)"),
            cl::init(-1), cl::cat(category));
static cl::opt<unsigned>
    every("every", cl::desc("Take one mutant of this many (1: all)"),
          cl::init(1), cl::cat(category));
static cl::opt<unsigned>
    offset("offset",
           cl::desc("Of this many (--every) the one at this place (0)"),
           cl::init(0), cl::cat(category));
static cl::opt<unsigned> perClass(
    "per-class",
    cl::desc("Take at most this many mutants of each class, of all kernels "
             "together, as the seed has it (0: all)"),
    cl::init(0), cl::cat(category));
static cl::opt<unsigned>
    seed("seed",
         cl::desc("First seed of the schedules, seed of the sample (1)"),
         cl::init(1), cl::cat(category));
static cl::list<std::string>
    sizes("size",
          cl::desc("As in titan run; for the kernels that have such a size"),
          cl::cat(category));
static cl::list<std::string> at(
    "at", cl::ValueRequired,
    cl::desc("Further sizes (--at M=1,N=8 --at M=65) that what is proved runs "
             "at; a set that the launch refuses is left out"),
    cl::cat(category));
static cl::opt<bool>
    corners("corners",
            cl::desc("What is proved runs at its kernel's corners, too: sizes "
                     "of 0 and 1, around its constants, of depth - 1 to "
                     "depth + 1 steps, large and ragged; those that the "
                     "launch refuses are left out"),
            cl::cat(category));
static cl::opt<int64_t> multiprocessors("multiprocessors",
                                        cl::desc("As in titan run"),
                                        cl::init(-1), cl::cat(category));
static cl::opt<unsigned> jobs("j", cl::desc("Threads (0: one a core)"),
                              cl::init(0), cl::cat(category));
static cl::opt<bool>
    undecided("undecided",
              cl::desc("What the checker cannot decide it does not refuse"),
              cl::cat(category));
static cl::opt<bool>
    proofs("prove",
           cl::desc("Ask for a proof of each, too: none of what is refused, or "
                    "fails, may be proved"),
           cl::cat(category));
static cl::opt<std::string>
    without("without", cl::value_desc("RULE"),
            cl::desc("Tests: the proof leaves this rule out (--rules prints "
                     "their names), so that wrong kernels are proved"),
            cl::cat(category));
static cl::opt<bool>
    searchOnly("search-only",
               cl::desc("Run nothing: of kernels that are not simulated the "
                        "search alone says which mutants are wrong"),
               cl::cat(category));
static cl::opt<bool> causes(
    "causes",
    cl::desc("Run nothing: count the findings of each mutant that is "
             "refused, and say whether the first is of what was changed"),
    cl::init(false), cl::cat(category));
static cl::opt<bool> rules("rules",
                           cl::desc("Print each rule without which a kernel "
                                    "that is not proved would be, and stop"),
                           cl::cat(category));
static cl::opt<bool> verbose("v", cl::desc("A line for each mutant"),
                             cl::cat(category));
static cl::opt<int> show("show", cl::desc("Print mutant N as IR and stop"),
                         cl::init(-1), cl::cat(category));
static cl::opt<bool> onlyList("list", cl::desc("Print the mutants and stop"),
                              cl::cat(category));
static cl::opt<std::string> onlyKernel("kernel",
                                       cl::desc("Only the kernel of this name"),
                                       cl::cat(category));

namespace {

/// What tensors hold, guards included.
using Contents = std::vector<std::vector<uint8_t>>;

/// A launch, and what it leaves in memory.
struct Trial {
  HostArguments arguments;
  std::string sizes; ///< as --at gave them
  Contents expected; ///< none where the kernel as it is fails
  /// Where flags lie: a tensor of `expected`, its first byte and how many.
  struct Flags {
    size_t tensor;
    uint64_t begin, bytes;
  };
  std::vector<Flags> flags;
  uint64_t maxSteps = 0;
  bool launched = true; ///< no launch check refuses it
};

/// A kernel that runs: first as its example says, then as --at does.
struct Subject {
  KernelOp kernel;
  /// Where the checker cannot decide.
  llvm::DenseSet<Location> undecided;
  std::vector<Trial> trials;
  /// Those under which it runs right as it is: what a mutant does under others says
  /// nothing.
  std::vector<Schedule> schedules = {};
};

/// Fresh tensors with the initial data, for one run.
class Tensors {
public:
  explicit Tensors(HostArguments &from) {
    for (HostArgument &argument : from.arguments) {
      SimulatorArgument each = argument.forSimulator();
      if (argument.tensor) {
        size_t bytes = argument.offset + argument.bytes + guardBytes;
        std::vector<uint8_t> &own = storage.emplace_back(bytes + alignment);
        uint8_t *begin = argument.memory.get(), *to = own.data();
        // As far from a multiple of the alignment as the original.
        to += (reinterpret_cast<uintptr_t>(begin) -
               reinterpret_cast<uintptr_t>(to)) %
              alignment;
        std::copy_n(begin, bytes, to);
        each.data = reinterpret_cast<std::byte *>(to) + argument.offset;
        if (!argument.holdsMaps)
          results.emplace_back(to, bytes);
      }
      arguments.push_back(std::move(each));
    }
  }
  Contents contents() const {
    Contents all;
    for (llvm::ArrayRef<uint8_t> each : results)
      all.emplace_back(each.begin(), each.end());
    return all;
  }
  std::vector<SimulatorArgument> arguments;

private:
  static constexpr uintptr_t alignment = 256;
  std::vector<std::vector<uint8_t>> storage;
  std::vector<llvm::ArrayRef<uint8_t>> results;
};

/// Eager, lazy and `count` random ones, from the `first` of --schedules on, which
/// come in turn.
std::vector<Schedule> plainSchedules(unsigned first, unsigned count) {
  std::vector<Schedule> list{{Schedule::Eager, 0}, {Schedule::Lazy, 0}};
  for (unsigned i = first; i < first + count; ++i)
    list.push_back({Schedule::Random, seed + i % schedules});
  return list;
}

std::vector<Schedule> allSchedules() { return plainSchedules(0, schedules); }

/// Those of a subject's launch, and some in which warps are far ahead of others:
/// with --further all of these at the first, two in turn at each of the others.
std::vector<Schedule> skewedToo(unsigned launch) {
  constexpr unsigned skewed = 8;
  const bool some = launch && further >= 0;
  const unsigned first = some ? launch - 1 : 0, count = some ? 2 : skewed;
  std::vector<Schedule> list =
      some ? plainSchedules(first * further,
                            std::min<unsigned>(further, schedules))
           : allSchedules();
  for (unsigned i = 0; i < count; ++i)
    list.push_back({Schedule::Skew, skewed * seed + (first * 2 + i) % skewed});
  return list;
}

/// Whether a tensor's elements are flags alone: all that touches it are waits for a
/// flag and additions to one, with a wait among them.
bool isFlags(mlir::Value tensor) {
  if (!isa<GlobalType>(tensor.getType()))
    return false;
  bool waits = false;
  for (Operation *user : tensor.getUsers()) {
    effect::EffectList effects;
    if (auto hardware = dyn_cast<HardwareEffectsInterface>(user))
      hardware.getHardwareEffects(effects);
    else if (!isMemoryEffectFree(user))
      return false;
    for (const effect::Effect &effect : effects) {
      if (auto *wait = std::get_if<effect::WaitFlag>(&effect.what))
        waits |= wait->flag.object == tensor;
      else if (auto *access = std::get_if<effect::Access>(&effect.what);
               access && access->bytes.object == tensor && !access->added)
        return false;
    }
  }
  return waits;
}

/// Runs a kernel once; how it failed, or nothing: its tensors are in `result`.
std::string runOnce(KernelOp kernel, Trial &trial, const Schedule &schedule,
                    bool hazards, Contents &result,
                    uint64_t *operations = nullptr) {
  Tensors tensors(trial.arguments);
  SimulatorOptions options;
  options.schedule = schedule;
  options.hazards = hazards;
  options.multiprocessors = trial.arguments.multiprocessors;
  if (trial.maxSteps)
    options.maxSteps = trial.maxSteps;
  SimulatorReport report = simulate(kernel, tensors.arguments, options);
  if (operations)
    *operations = report.operations;
  if (!report.good()) {
    for (const Finding &finding : report.findings)
      if (finding.severity == Severity::Error)
        return std::string(codeInfo(finding.code).code);
    return "not good";
  }
  result = tensors.contents();
  return {};
}

/// Runs of a kernel, with a bug or without, as one launch.
class Runs {
public:
  /// `own`: what the first run leaves is right, and the others have to leave it, too.
  Runs(KernelOp kernel, Trial &trial, bool own = false)
      : kernel(kernel), trial(trial),
        expected(own ? Contents() : trial.expected) {}
  /// How it failed, or nothing.
  std::string operator()(const Schedule &schedule, bool hazards = false) {
    Contents result;
    std::string how = runOnce(kernel, trial, schedule, hazards, result);
    if (!how.empty())
      return how;
    // Flags hold what the first run has left there; so does all where the kernel
    // as it is fails.
    const bool first = !std::exchange(ran, true);
    if (first && expected.empty())
      expected = result;
    else if (first)
      for (auto [tensor, begin, bytes] : trial.flags)
        std::copy_n(result[tensor].begin() + begin, bytes,
                    expected[tensor].begin() + begin);
    return result == expected ? "" : "wrong data";
  }

private:
  KernelOp kernel;
  Trial &trial;
  Contents expected;
  bool ran = false;
};

/// How what is proved fails after all, or nothing. `own`: as of Runs.
std::string runAll(KernelOp kernel, Subject &subject, bool own = false) {
  for (auto &&[launch, trial] : llvm::enumerate(subject.trials)) {
    Runs run(kernel, trial, own);
    for (bool hazards : {false, true})
      for (const Schedule &schedule : skewedToo(launch))
        if (std::string how = run(schedule, hazards); !how.empty())
          return how + " under " + stringify(schedule) +
                 (hazards ? ", hazards on" : "") +
                 (trial.sizes.empty() ? "" : ", " + trial.sizes);
  }
  return {};
}

/// As titan check has it: numbers that CTAs take from a counter dealt out.
class Dealt {
public:
  explicit Dealt(KernelOp kernel) : module(ModuleOp::create(kernel.getLoc())) {
    (*module)->setAttrs(
        kernel->getParentOfType<ModuleOp>()->getAttrDictionary());
    module->push_back(kernel->clone());
    PassManager passes(kernel.getContext());
    // (The kernel's reference stays behind.)
    passes.enableVerifier(false);
    passes.addNestedPass<KernelOp>(createDealTickets());
    // (It refuses nothing.)
    (void)passes.run(*module);
  }
  KernelOp operator*() { return *module->getOps<KernelOp>().begin(); }

private:
  OwningOpRef<ModuleOp> module;
};

/// The rule of --without; nothing where there is none of this name.
std::optional<Judgement> leftOut() {
  if (without.empty())
    return Judgement::None;
  for (auto [rule, name] : judgements)
    if (without == name)
      return rule;
  return std::nullopt;
}

ProofReport proveIt(KernelOp kernel) { return prove(kernel, *leftOut()); }

CheckReport checkIt(KernelOp kernel) {
  CheckOptions options;
  if (undecided)
    options.undecided = Severity::Warning;
  // Both halves of tcgen05.fence are what the proof asks for.
  if (searchOnly)
    options.strictness.set("tmem-fence", Severity::Error);
  return check(kernel, options);
}

/// As titan check has it: where a kernel is proved, counts that the search has not
/// looked at are no error.
bool isRefused(const CheckReport &report, bool proved) {
  return llvm::any_of(report.findings, [&](const Finding &finding) {
    return finding.severity == Severity::Error && !(proved && finding.ofCounts);
  });
}

llvm::DenseSet<Location> undecidedOf(const CheckReport &report) {
  llvm::DenseSet<Location> places;
  for (const Finding &finding : report.findings)
    if (finding.code == Code::Undecided)
      places.insert(finding.loc);
  return places;
}

/// A module of the kernel with the bug; null where that is no valid IR.
OwningOpRef<ModuleOp> mutant(KernelOp kernel, const Mutation &mutation) {
  OwningOpRef<ModuleOp> module(ModuleOp::create(kernel.getLoc()));
  (*module)->setAttrs(kernel->getParentOfType<ModuleOp>()->getAttrDictionary());
  auto clone = cast<KernelOp>(kernel->clone());
  module->push_back(clone);
  if (failed(applyMutation(clone, mutation)))
    return nullptr;
  return module;
}

Outcome judge(Subject &subject, const Mutation &mutation) {
  Outcome outcome;
  OwningOpRef<ModuleOp> module = mutant(subject.kernel, mutation);
  if (!module) {
    outcome.valid = false;
    return outcome;
  }
  auto clone = *module->getOps<KernelOp>().begin();
  Dealt dealt(clone);
  CheckReport report = checkIt(*dealt);
  outcome.proved = proofs && proveIt(*dealt).proved;
  // What is an error of the kernel as it is, too, is none that the bug makes.
  auto isKnown = [&](const Finding &finding) {
    return finding.ofCounts && subject.undecided.contains(finding.loc);
  };
  outcome.undecided =
      llvm::any_of(report.findings, [&](const Finding &finding) {
        return finding.code == Code::Undecided &&
               (!subject.undecided.contains(finding.loc) ||
                (finding.severity == Severity::Error && !outcome.proved));
      });
  llvm::erase_if(report.findings, isKnown);
  outcome.refused = isRefused(report, outcome.proved);
  for (const Finding &finding : report.findings)
    if (finding.severity == Severity::Error && outcome.code.empty())
      outcome.code = codeInfo(finding.code).code;
  if (searchOnly)
    return outcome;
  const bool own = mutation.ofData && !outcome.refused;
  Runs run(clone, subject.trials[0], own);
  for (const Schedule &schedule : subject.schedules) {
    std::string how = run(schedule);
    // Data that are its own show less: what races is to be seen, too.
    if (how.empty() && own)
      how = run(schedule, /*hazards=*/true);
    if (how.empty())
      continue;
    outcome.failed = true;
    outcome.failure = how + " under " + stringify(schedule);
    break;
  }
  if (outcome.proved && !outcome.failed) {
    outcome.failure = runAll(clone, subject, own);
    outcome.failed = !outcome.failure.empty();
  }
  return outcome;
}

/// Of the kernels as they are: how many; how many are refused, are proved, are
/// proved wrongly; launches that what is proved runs as.
struct Kernels {
  int all = 0, refused = 0, proved = 0, wrong = 0;
  size_t trials = 0;
};

/// A file and its kernels.
struct Input {
  explicit Input() : session("mutate", false) {}
  Session session;
  OwningOpRef<ModuleOp> module;
  std::vector<std::unique_ptr<Subject>> subjects;
};

/// Those of the sizes that the kernel's example has.
std::vector<std::string> sizesOf(KernelOp kernel,
                                 llvm::ArrayRef<std::string> sizes) {
  std::vector<std::string> list;
  auto example = kernel->getAttrOfType<DictionaryAttr>("titan.example");
  auto known = example ? example.getAs<DictionaryAttr>("sizes") : nullptr;
  for (const std::string &size : sizes)
    if (known && known.get(llvm::StringRef(size).split('=').first))
      list.push_back(size);
  return list;
}

/// Runs the kernel as it is; what is wrong is in `how`.
std::optional<Trial> makeTrial(Session &session, llvm::StringRef file,
                               KernelOp kernel, std::vector<std::string> sizes,
                               std::string &how) {
  RunCommand command;
  command.file = file.str();
  command.sizes = sizesOf(kernel, sizes);
  command.multiprocessors = multiprocessors;
  std::optional<HostArguments> arguments =
      makeArguments(session, kernel, command);
  if (!arguments)
    return std::nullopt;
  Trial trial{.arguments = std::move(*arguments)};
  size_t tensors = 0;
  for (auto [argument, value] : llvm::zip_equal(trial.arguments.arguments,
                                                kernel.getKernelArguments())) {
    if (!argument.tensor || argument.holdsMaps)
      continue;
    if (isFlags(value))
      trial.flags.push_back({tensors, argument.offset, argument.bytes});
    ++tensors;
  }
  uint64_t operations = 0;
  how = runOnce(kernel, trial, {Schedule::Eager, 0}, false, trial.expected,
                &operations);
  trial.maxSteps = 4 * operations + 10000;
  trial.launched = how.empty() || operations;
  return trial;
}

/// Has the subject run at these sizes, too (those of --size but for them); false
/// where there is no such launch.
bool addTrial(Session &session, llvm::StringRef file, Subject &subject,
              llvm::StringRef set) {
  llvm::SmallVector<llvm::StringRef> parts;
  set.split(parts, ',');
  auto nameOf = [](llvm::StringRef size) { return size.split('=').first; };
  std::vector<std::string> list(parts.begin(), parts.end());
  for (const std::string &size : sizes)
    if (llvm::none_of(parts, [&](llvm::StringRef part) {
          return nameOf(part) == nameOf(size);
        }))
      list.push_back(size);
  std::string how;
  auto trial = makeTrial(session, file, subject.kernel, list, how);
  if (!trial || !trial->launched)
    return false;
  trial->sizes = set;
  subject.trials.push_back(std::move(*trial));
  return true;
}

/// Has the subject run at its corners, too.
void addCorners(Session &session, llvm::StringRef file, Subject &subject) {
  // What a launch refuses is not told: it is asked for by nobody.
  ScopedDiagnosticHandler quiet(&session.getContext(),
                                [](Diagnostic &) { return success(); });
  std::set<std::string> tried;
  for (const Corner &corner : cornersOf(subject.kernel, sizes))
    // Rows of a tensor map are multiples of 16 bytes.
    for (int64_t multiple : {1, 8, 16, 64}) {
      std::string set = stringify(rounded(corner, multiple));
      if (!tried.insert(set).second || addTrial(session, file, subject, set))
        break;
    }
}

/// Runs and checks the kernel as it is; null where that fails.
std::unique_ptr<Subject> makeSubject(Session &session, llvm::StringRef file,
                                     KernelOp kernel, Kernels &kernels,
                                     int &code) {
  code = BadInput;
  std::string how;
  std::optional<Trial> trial;
  if (!searchOnly) {
    trial = makeTrial(session, file, kernel, sizes, how);
    if (!trial)
      return nullptr;
    if (!trial->launched)
      llvm::errs() << file << ": the launch of @" << kernel.getName()
                   << " is refused: " << how << "\n";
  }
  code = Findings;
  Dealt dealt(kernel);
  CheckReport report = checkIt(*dealt);
  ProofReport proof;
  if (proofs)
    proof = proveIt(*dealt);
  const bool proved = proof.proved;
  if (proofs && verbose && !proved)
    llvm::outs() << "not proved: " << kernel.getName() << ": " << proof.reason
                 << "\n";
  ++kernels.all;
  kernels.proved += proved;
  const bool refused = isRefused(report, proved);
  if (!how.empty() || refused) {
    if (proofs) {
      // That is what is wanted of it: not to be proved.
      code = Good;
      ++kernels.refused;
    }
    // (A launch that is refused shows nothing.)
    if (proved && (refused || !trial || trial->launched)) {
      ++kernels.wrong;
      llvm::outs() << "PROVED AND WRONG " << kernel.getName() << " as it is\n";
    }
    if (proofs)
      return nullptr;
    llvm::errs() << file << ": the kernel itself "
                 << (how.empty() ? "is refused" : "fails: " + how) << "\n";
    for (const Finding &finding : report.findings)
      session.report(finding);
    return nullptr;
  }
  auto subject = std::make_unique<Subject>();
  subject->kernel = kernel;
  subject->undecided = undecidedOf(report);
  if (searchOnly) {
    code = Good;
    return subject;
  }
  subject->trials.push_back(std::move(*trial));
  Runs asItIs(kernel, subject->trials.front());
  for (const Schedule &schedule : allSchedules())
    if (asItIs(schedule).empty())
      subject->schedules.push_back(schedule);
  for (const std::string &set : at)
    addTrial(session, file, *subject, set);
  if (corners)
    addCorners(session, file, *subject);
  kernels.trials += subject->trials.size();
  if (verbose) {
    llvm::outs() << "launches of " << kernel.getName() << ": as it is";
    for (const Trial &each : llvm::drop_begin(subject->trials))
      llvm::outs() << "; " << each.sizes;
    llvm::outs() << "\n";
  }
  // (Of several parts the first does it.)
  if (std::string wrong = proved && !offset ? runAll(kernel, *subject) : "";
      !wrong.empty()) {
    ++kernels.wrong;
    llvm::outs() << "PROVED AND WRONG " << kernel.getName()
                 << " as it is: " << wrong << "\n";
  }
  code = Good;
  return subject;
}

/// Of a kernel that is not proved: what keeps it from that.
void printRules(KernelOp kernel) {
  if (prove(kernel).proved) {
    llvm::outs() << "@" << kernel.getName() << ": proved\n";
    return;
  }
  for (auto [rule, name] : judgements) {
    ProofReport proof = prove(kernel, rule);
    if (proof.proved || verbose)
      llvm::outs() << "@" << kernel.getName() << ": "
                   << (proof.proved ? "proved" : "not proved") << " without "
                   << name << (proof.proved ? "" : ": ") << proof.reason
                   << "\n";
  }
}

int load(llvm::StringRef file, Input &input, Kernels &kernels) {
  input.module = input.session.parse(file);
  if (!input.module)
    return BadInput;
  PassManager passes(&input.session.getContext());
  if (rules)
    buildCheckPipeline(passes);
  else
    buildRunPipeline(passes);
  if (failed(passes.run(*input.module)))
    return BadInput;
  for (auto kernel : input.module->getOps<KernelOp>()) {
    if (!onlyKernel.empty() && kernel.getName() != onlyKernel)
      continue;
    if (rules) {
      printRules(kernel);
      continue;
    }
    if (causes) {
      ++kernels.all;
      input.subjects.push_back(
          std::make_unique<Subject>(Subject{.kernel = kernel}));
      continue;
    }
    int code = Good;
    auto subject = makeSubject(input.session, file, kernel, kernels, code);
    if (code)
      return code;
    if (!subject)
      continue;
    input.subjects.push_back(std::move(subject));
  }
  return Good;
}

/// Of a set of --at the first part that gives no size; empty: none.
std::string wrongSize(llvm::StringRef set) {
  llvm::SmallVector<llvm::StringRef> parts;
  set.split(parts, ',');
  for (llvm::StringRef part : parts) {
    auto [size, number] = part.split('=');
    if (uint64_t value; size.empty() || number.getAsInteger(10, value))
      return "'" + part.str() + "'";
  }
  return {};
}

/// The first name of a set of --at that no kernel's example has; empty: none.
std::string unknownSize(llvm::StringRef set,
                        llvm::ArrayRef<std::unique_ptr<Input>> inputs) {
  llvm::SmallVector<llvm::StringRef> parts;
  set.split(parts, ',');
  for (llvm::StringRef part : parts)
    if (llvm::none_of(inputs, [&](const std::unique_ptr<Input> &input) {
          return llvm::any_of(input->module->getOps<KernelOp>(),
                              [&](KernelOp kernel) {
                                return !sizesOf(kernel, {part.str()}).empty();
                              });
        }))
      return part.split('=').first.str();
  return {};
}

/// A mutation of a subject, and its number there.
struct Candidate {
  Subject *subject;
  size_t number;
  Mutation mutation;
};

/// What the flags leave of the mutations, in order.
std::vector<Candidate> sample(std::vector<Candidate> all) {
  std::vector<Candidate> taken;
  for (size_t i = offset; i < all.size(); i += every)
    taken.push_back(all[i]);
  if (!perClass)
    return taken;
  std::vector<size_t> keep;
  std::mt19937_64 random(seed);
  for (int kind = 0; kind < mutationClasses; ++kind) {
    std::vector<size_t> of;
    for (size_t i = 0; i < taken.size(); ++i)
      if (static_cast<int>(taken[i].mutation.kind) == kind)
        of.push_back(i);
    for (size_t i = 0; i < of.size() && i < perClass; ++i) {
      std::swap(of[i], of[i + random() % (of.size() - i)]);
      keep.push_back(of[i]);
    }
  }
  llvm::sort(keep);
  std::vector<Candidate> chosen;
  for (size_t i : keep)
    chosen.push_back(taken[i]);
  return chosen;
}

} // namespace

static int refuse(Code code, const llvm::Twine &message) {
  llvm::errs() << "titan-mutate: error: " << message << "  ["
               << codeInfo(code).code << "]\n  fix: see titan-mutate --help\n";
  return BadInput;
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  std::string problems;
  llvm::raw_string_ostream errors(problems);
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "one bug at a time: does the checker see it, does it show?\n",
          &errors))
    return refuse(Code::BadArgument, problems.empty()
                                         ? "the flags cannot be read"
                                         : llvm::StringRef(problems).rtrim());
  if (every == 0)
    return refuse(Code::BadArgument, "--every is at least 1");
  if (offset >= every)
    return refuse(Code::BadArgument, "--offset is less than --every");
  if (further < -1)
    return refuse(Code::BadArgument, "--further is at least 0, or -1");
  if (searchOnly && (corners || !at.empty()))
    return refuse(Code::BadArgument,
                  "--search-only runs nothing: at no further sizes either");
  if (!leftOut())
    return refuse(Code::BadArgument,
                  "--without=" + without + ": there is no such rule");
  for (const std::string &set : at)
    if (std::string wrong = wrongSize(set); !wrong.empty())
      return refuse(Code::BadArgument,
                    "--at " + set + ": " + wrong + " is no NAME=NUMBER");
  std::vector<std::unique_ptr<Input>> inputs;
  std::vector<Candidate> candidates;
  Kernels kernels;
  for (const std::string &file : files) {
    inputs.push_back(std::make_unique<Input>());
    if (int code = load(file, *inputs.back(), kernels))
      return code;
    for (auto &subject : inputs.back()->subjects)
      for (auto &&[i, mutation] :
           llvm::enumerate(enumerateMutations(subject->kernel)))
        candidates.push_back({subject.get(), i, mutation});
  }
  if (rules)
    return Good;
  if (!kernels.all)
    return refuse(Code::NoKernel, onlyKernel.empty()
                                      ? "there is no kernel"
                                      : "no file has a kernel @" + onlyKernel);
  for (const std::string &set : at)
    if (std::string wrong = unknownSize(set, inputs); !wrong.empty())
      return refuse(Code::BadArgument,
                    "--at " + set + ": no kernel has a size " + wrong);
  if (show.getNumOccurrences() &&
      llvm::none_of(candidates, [](const Candidate &each) {
        return static_cast<int64_t>(each.number) == show;
      }))
    return refuse(Code::BadArgument,
                  "--show=" + llvm::Twine(show) + ": there is no such mutant");
  if (onlyList) {
    for (const Candidate &each : candidates) {
      KernelOp clone = each.subject->kernel.clone();
      bool valid = succeeded(applyMutation(clone, each.mutation));
      clone->erase();
      llvm::outs() << each.subject->kernel.getName() << " #" << each.number
                   << " " << stringify(each.mutation.kind) << ": "
                   << each.mutation.description << ", "
                   << place(each.mutation.loc) << (valid ? "" : ": invalid")
                   << "\n";
    }
    return Good;
  }
  if (show >= 0) {
    for (const Candidate &each : candidates) {
      if (each.number != static_cast<size_t>(show))
        continue;
      auto clone = cast<KernelOp>(each.subject->kernel->clone());
      (void)applyMutation(clone, each.mutation);
      clone->print(llvm::outs(), OpPrintingFlags().useLocalScope());
      llvm::outs() << "\n";
      clone->erase();
    }
    return Good;
  }
  size_t all = candidates.size();
  candidates = sample(std::move(candidates));
  if (causes) {
    CauseTable table;
    llvm::DefaultThreadPool pool(llvm::hardware_concurrency(jobs));
    for (const Candidate &each : candidates)
      pool.async([&] {
        KernelOp kernel = each.subject->kernel;
        if (OwningOpRef<ModuleOp> module = mutant(kernel, each.mutation))
          table.add(kernel, each.number, each.mutation,
                    checkIt(*module->getOps<KernelOp>().begin()), verbose);
      });
    pool.wait();
    llvm::outs() << candidates.size() << " of " << all << " mutants\n";
    table.print();
    return Good;
  }
  OutcomeTable table({.verbose = verbose,
                      .searchOnly = searchOnly,
                      .proofs = proofs,
                      .schedules = schedules,
                      .seed = seed});
  {
    llvm::DefaultThreadPool pool(llvm::hardware_concurrency(jobs));
    for (const Candidate &each : candidates)
      pool.async([&] {
        table.add(each.subject->kernel, each.number, each.mutation,
                  judge(*each.subject, each.mutation));
      });
    pool.wait();
  }
  llvm::outs() << candidates.size() << " of " << all << " mutants\n";
  table.print();
  if (proofs)
    llvm::outs() << "kernels as they are: " << kernels.all << ", "
                 << kernels.refused << " refused, " << kernels.proved
                 << " proved, of which " << kernels.wrong
                 << " are refused or fail; " << kernels.trials
                 << " launches of those accepted\n";
  return table.acceptedBug() || kernels.wrong ? Findings : Good;
}
