//===- titan-mutate.cpp - who notices a bug? ------------------------------===//
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
//===----------------------------------------------------------------------===//
#include "Arguments.h"

#include "titan/Analysis/Checker.h"
#include "titan/Driver/Pipelines.h"
#include "titan/Simulator/Simulator.h"
#include "titan/Transforms/Mutate.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/Threading.h"

#include <mutex>

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
static cl::opt<unsigned>
    every("every", cl::desc("Take one mutant of this many (1: all)"),
          cl::init(1), cl::cat(category));
static cl::opt<unsigned> seed("seed",
                              cl::desc("First seed of the schedules (1)"),
                              cl::init(1), cl::cat(category));
static cl::list<std::string> sizes("size", cl::desc("As in titan run"),
                                   cl::cat(category));
static cl::opt<bool> verbose("v", cl::desc("A line for each mutant"),
                             cl::cat(category));
static cl::opt<int> show("show", cl::desc("Print mutant N as IR and stop"),
                         cl::init(-1), cl::cat(category));
static cl::opt<std::string> onlyKernel("kernel",
                                       cl::desc("Only the kernel of this name"),
                                       cl::cat(category));

namespace {

/// What became of one mutant.
struct Outcome {
  bool valid = true;
  bool refused = false;
  std::string code; ///< the checker's first error
  bool failed = false;
  std::string failure; ///< how it showed: a code or "wrong data", and when
};

/// What a class of mutants adds up to.
struct Row {
  int total = 0, invalid = 0, refused = 0, refusedAndFails = 0, accepted = 0,
      acceptedAndFails = 0;
};

/// A kernel that runs, and what it computes.
struct Subject {
  KernelOp kernel;
  HostArguments arguments;
  std::vector<std::vector<uint8_t>> expected;
  uint64_t maxSteps = 0;
};

/// Fresh tensors with the initial data, for one run.
struct Tensors {
  explicit Tensors(HostArguments &from) {
    for (HostArgument &argument : from.arguments) {
      SimulatorArgument each = argument.forSimulator();
      if (argument.tensor) {
        memory.emplace_back(argument.memory.get(),
                            argument.memory.get() + argument.offset +
                                argument.bytes + guardBytes);
        each.data = reinterpret_cast<std::byte *>(memory.back().data()) +
                    argument.offset;
      }
      arguments.push_back(std::move(each));
    }
  }
  std::vector<std::vector<uint8_t>> memory;
  std::vector<SimulatorArgument> arguments;
};

std::string name(const Schedule &schedule) {
  switch (schedule.kind) {
  case Schedule::Eager:
    return "eager";
  case Schedule::Lazy:
    return "lazy";
  case Schedule::Random:
    return "random:" + std::to_string(schedule.seed);
  }
  llvm_unreachable("schedule");
}

std::vector<Schedule> allSchedules() {
  std::vector<Schedule> list{{Schedule::Eager, 0}, {Schedule::Lazy, 0}};
  for (unsigned i = 0; i < schedules; ++i)
    list.push_back({Schedule::Random, seed + i});
  return list;
}

/// Runs a kernel once with hazards off; how it failed, or nothing.
std::string run(KernelOp kernel, Subject &subject, const Schedule &schedule,
                std::vector<std::vector<uint8_t>> *result = nullptr,
                uint64_t *operations = nullptr) {
  Tensors tensors(subject.arguments);
  SimulatorOptions options;
  options.schedule = schedule;
  options.hazards = false;
  options.multiprocessors = subject.arguments.multiprocessors;
  if (subject.maxSteps)
    options.maxSteps = subject.maxSteps;
  SimulatorReport report = simulate(kernel, tensors.arguments, options);
  if (operations)
    *operations = report.operations;
  if (!report.good()) {
    for (const Finding &finding : report.findings)
      if (finding.severity == Severity::Error)
        return std::string(codeInfo(finding.code).code);
    return "not good";
  }
  if (result)
    *result = tensors.memory;
  else if (tensors.memory != subject.expected)
    return "wrong data";
  return {};
}

Outcome judge(Subject &subject, const Mutation &mutation) {
  Outcome outcome;
  OwningOpRef<ModuleOp> module(ModuleOp::create(subject.kernel.getLoc()));
  (*module)->setAttrs(
      subject.kernel->getParentOfType<ModuleOp>()->getAttrDictionary());
  auto clone = cast<KernelOp>(subject.kernel->clone());
  module->push_back(clone);
  if (failed(applyMutation(clone, mutation))) {
    outcome.valid = false;
    return outcome;
  }
  CheckReport report = check(clone, CheckOptions());
  outcome.refused = !report.accepted();
  for (const Finding &finding : report.findings)
    if (finding.severity == Severity::Error && outcome.code.empty())
      outcome.code = codeInfo(finding.code).code;
  for (const Schedule &schedule : allSchedules()) {
    std::string how = run(clone, subject, schedule);
    if (how.empty())
      continue;
    outcome.failed = true;
    outcome.failure = how + " under " + name(schedule);
    break;
  }
  return outcome;
}

std::string place(Location loc) {
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    return (file.getFilename().strref() + ":" + Twine(file.getLine())).str();
  return "unknown";
}

class Table {
public:
  void add(KernelOp kernel, size_t number, const Mutation &mutation,
           const Outcome &outcome) {
    std::lock_guard<std::mutex> lock(mutex);
    Row &row = rows[static_cast<int>(mutation.kind)];
    ++row.total;
    row.invalid += !outcome.valid;
    if (outcome.valid) {
      row.refused += outcome.refused;
      row.accepted += !outcome.refused;
      row.refusedAndFails += outcome.refused && outcome.failed;
      row.acceptedAndFails += !outcome.refused && outcome.failed;
    }
    bool odd = outcome.valid && outcome.refused != outcome.failed;
    bool wrong = outcome.valid && !outcome.refused && outcome.failed;
    if (!verbose && !wrong)
      return;
    llvm::outs() << (wrong ? "ACCEPTED AND FAILS "
                     : odd ? "  only refused "
                           : "  ")
                 << kernel.getName() << " #" << number << " "
                 << stringify(mutation.kind) << ": " << mutation.description
                 << ", " << place(mutation.loc) << ": "
                 << (!outcome.valid    ? "invalid"
                     : outcome.refused ? "refused " + outcome.code
                                       : std::string("accepted"))
                 << (outcome.failed ? "; " + outcome.failure : "") << "\n";
  }

  /// Prints the table; true where it shows what must be shown.
  bool print() {
    llvm::raw_ostream &os = llvm::outs();
    os << "class      mutants  refused  of these fail  accepted  of these "
          "fail\n";
    Row sum;
    bool good = true;
    for (int i = 0; i < mutationClasses; ++i) {
      const Row &row = rows[i];
      line(stringify(static_cast<MutationClass>(i)), row);
      sum.total += row.total;
      sum.invalid += row.invalid;
      sum.refused += row.refused;
      sum.refusedAndFails += row.refusedAndFails;
      sum.accepted += row.accepted;
      sum.acceptedAndFails += row.acceptedAndFails;
      good &= row.refusedAndFails * 10 >= row.refused * 7;
    }
    line("all", sum);
    good &= sum.refusedAndFails * 10 >= sum.refused * 9;
    good &= sum.acceptedAndFails == 0;
    os << (good ? "good" : "NOT GOOD")
       << ": at least nine tenths of the refused fail (seven tenths in each "
          "class), none of the accepted\n"
       << "schedules: eager, lazy, random:" << seed << " to "
       << seed + schedules - 1 << "\n";
    return good;
  }

  /// Whether the checker accepted a bug.
  bool acceptedBug() const {
    return llvm::any_of(rows,
                        [](const Row &row) { return row.acceptedAndFails; });
  }

private:
  void line(llvm::StringRef label, const Row &row) {
    llvm::raw_ostream &os = llvm::outs();
    os << llvm::left_justify(label, 9);
    auto percent = [](int part, int whole) {
      return whole ? 100.0 * part / whole : 100.0;
    };
    os << llvm::format("%9d%9d%8d (%3.0f%%)%10d%15d\n", row.total - row.invalid,
                       row.refused, row.refusedAndFails,
                       percent(row.refusedAndFails, row.refused), row.accepted,
                       row.acceptedAndFails);
  }

  std::mutex mutex;
  Row rows[mutationClasses];
};

int mutate(llvm::StringRef file, Table &table) {
  Session session("mutate", false);
  OwningOpRef<ModuleOp> module = session.parse(file);
  if (!module)
    return BadInput;
  PassManager passes(&session.getContext());
  buildExpandPipeline(passes);
  if (failed(passes.run(*module)))
    return BadInput;
  for (auto kernel : module->getOps<KernelOp>()) {
    if (!onlyKernel.empty() && kernel.getName() != onlyKernel)
      continue;
    RunCommand command;
    command.file = file.str();
    command.sizes = sizes;
    std::optional<HostArguments> arguments =
        makeArguments(session, kernel, command);
    if (!arguments)
      return BadInput;
    Subject subject{kernel, std::move(*arguments), {}, 0};
    uint64_t operations = 0;
    std::string how = run(kernel, subject, {Schedule::Eager, 0},
                          &subject.expected, &operations);
    if (!how.empty()) {
      llvm::errs() << file << ": the kernel itself fails: " << how << "\n";
      return Findings;
    }
    subject.maxSteps = 4 * operations + 10000;
    if (CheckReport report = check(kernel, CheckOptions());
        !report.accepted()) {
      llvm::errs() << file << ": the kernel itself is refused\n";
      for (const Finding &finding : report.findings)
        session.report(finding);
      return Findings;
    }
    std::vector<Mutation> mutations = enumerateMutations(kernel);
    if (show >= 0 && static_cast<size_t>(show) < mutations.size()) {
      const Mutation &mutation = mutations[show];
      auto clone = cast<KernelOp>(kernel->clone());
      (void)applyMutation(clone, mutation);
      clone->print(llvm::outs(), OpPrintingFlags().useLocalScope());
      llvm::outs() << "\n";
      clone->erase();
      return Good;
    }
    llvm::DefaultThreadPool pool(llvm::hardware_concurrency());
    for (size_t i = 0; i < mutations.size(); i += every)
      pool.async([&, i] {
        table.add(kernel, i, mutations[i], judge(subject, mutations[i]));
      });
    pool.wait();
  }
  return Good;
}

} // namespace

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "one bug at a time: does the checker see it, does it show?\n");
  if (every == 0) {
    llvm::errs()
        << "titan-mutate: error: [bad-argument] --every is at least 1\n";
    return BadInput;
  }
  Table table;
  for (const std::string &file : files)
    if (int code = mutate(file, table))
      return code;
  if (show >= 0)
    return Good;
  table.print();
  return table.acceptedBug() ? Findings : Good;
}
