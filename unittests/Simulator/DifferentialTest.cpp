//===- DifferentialTest.cpp - checker against simulator -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that nobody wrote: random pipelines, and the kernels of the litmus
// and known-bugs files, each with up to three random bugs
// (Transforms/Mutate.h). What the checker accepts must run under every schedule
// tried without a finding, with hazards and without, and a pipeline must
// compute what it computes without the bugs. What the proof proves must not be
// refused, and runs with warps far ahead of each other, and at other sizes, too.
//
// Case n is made from seed + n alone. What fails is printed as IR, and
//
//   TITAN_SEED=<its seed> TITAN_CASES=1 build/bin/TitanSimulatorTests \
//       --gtest_filter='Differential.*'
//
// runs it again. ./test --full tries more cases, TITAN_SCHEDULES=100 more schedules.
//
//===----------------------------------------------------------------------===//
#include "Harness.h"

#include "titan/Analysis/Checker.h"
#include "titan/Analysis/Typestate/Prove.h"
#include "titan/Transforms/Mutate.h"

#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir;
using namespace titan;
using namespace titan::test;

namespace {

class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  /// 0 to `below` - 1.
  uint64_t number(uint64_t below) { return engine() % below; }
  bool chance(unsigned percent) { return number(100) < percent; }
  template <typename T> T pick(std::initializer_list<T> list) {
    return list.begin()[number(list.size())];
  }

private:
  std::mt19937_64 engine;
};

//===----------------------------------------------------------------------===//
// Random pipelines
//===----------------------------------------------------------------------===//

/// A producer fills the slots of a ring, consumers empty them; all of it in
/// bare barriers, so that mutations meet what a pipe would make.
class Pipeline {
public:
  explicit Pipeline(Random &random)
      : depth(1 + random.number(3)), tma(random.chance(60)),
        carried(random.chance(50)), watched(random.chance(30)),
        early(random.chance(30)), out(static_cast<Out>(random.number(3))),
        producers(tma ? 1 : random.pick({1, 2, 4})),
        consumers(random.pick({1, 2, 4})), watchers(random.pick({1, 2})) {}

  std::string text() const {
    std::string text = types() + launch() + prologue();
    text += producer() + consumer();
    if (watched)
      text += watcher();
    return text + "  }\n  titan.return\n}\n";
  }

private:
  /// What becomes of a slot's tile.
  enum Out {
    Staged,  ///< Read, stored into a buffer of its own, which TMA stores.
    InPlace, ///< Stored by TMA from the slot.
    Modified ///< Changed in the slot, then stored by TMA from there.
  };

  std::string types() const {
    return llvm::formatv(
        R"(!global = !titan.global<?x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!ring   = !titan.shared<64x64xbf16, swizzle = 128, slots = {0}>
!bars   = !titan.mbarrier<{0}>
!bulk   = !titan.token<bulk>
!made   = tensor<64x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [{1}, 1]>>
!taken  = tensor<64x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [{2}, 1]>>
!seen   = tensor<64x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [{3}, 1]>>
)",
        depth, producers, consumers, watchers);
  }

  std::string launch() const {
    return llvm::formatv(R"(
titan.kernel @pipeline(%A: !global, %D: !global) warps({0}) launch {{
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %rows = titan.dim %A, 0 : !global
  %rounds = arith.divui %rows, %c64 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD, %rounds : !map, !map, index)
} body(%mapA: !map, %mapD: !map, %rounds: index) {{
)",
                         producers + consumers + (watched ? watchers : 0));
  }

  std::string prologue() const {
    // Who frees a slot: every consuming warp once it has read, or the thread
    // whose TMA store has.
    unsigned arrivals =
        (out == Staged ? consumers : 1) + (watched ? watchers : 0);
    return llvm::formatv(R"(  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %depth = arith.constant {0} : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %one = arith.constant 1.0 : bf16
  %ring = titan.shared.alloc : !ring
  %stage = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bars
  %empty = titan.mbarrier.alloc : !bars
  titan.elect warp(0) {{
    titan.mbarrier.init %full count({1}) : !bars
    titan.mbarrier.init %empty count({2}) : !bars
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {{
)",
                         depth, producers, arrivals);
  }

  /// A loop over the rounds with %s, %slot, %row and %parity, which is
  /// that of the slot's use, or of the one before for `other`.
  std::string loop(bool other, const std::string &body) const {
    std::string text;
    if (carried)
      text = R"(      %end:2 = scf.for %i = %c0 to %rounds step %c1
          iter_args(%s = %c0, %use = %i0) -> (index, i32) {
)";
    else
      text = R"(      scf.for %i = %c0 to %rounds step %c1 {
        %s = arith.remui %i, %depth : index
        %uses = arith.divui %i, %depth : index
        %odd = arith.remui %uses, %c2 : index
        %use = arith.index_cast %odd : index to i32
)";
    text += llvm::formatv("        %parity = arith.{0} %use, {1} : i32\n",
                          other ? "xori" : "addi", other ? "%i1" : "%i0");
    text +=
        R"(        %slot = titan.shared.slot %ring[%s : index] : !ring -> !tile
        %row = arith.muli %i, %c64 : index
)";
    text += body;
    if (carried)
      text += R"(        %after = arith.addi %s, %c1 : index
        %wraps = arith.cmpi eq, %after, %depth : index
        %next = arith.select %wraps, %c0, %after : index
        %flipped = arith.xori %use, %i1 : i32
        %then = arith.select %wraps, %flipped, %use : i32
        scf.yield %next, %then : index, i32
)";
    return text + "      }\n";
  }

  std::string producer() const {
    std::string body =
        "        titan.mbarrier.wait %empty[%s : index] parity(%parity) : "
        "!bars\n";
    if (tma) {
      body += R"(        titan.fence.proxy_async shared_cta
        titan.mbarrier.arrive_expect_tx %full[%s : index], %bytes : !bars
        titan.tma.load %mapA[%row, %c0], %slot, %full[%s : index] : !map, !tile, !bars
)";
      body = loop(true, body);
      return "    titan.partition \"produce\" warps(1) {\n      titan.elect "
             "{\n" +
             body + "      }\n    }\n";
    }
    body += R"(        %number = arith.index_cast %i : index to i32
        %value = arith.sitofp %number : i32 to bf16
        %v = titan.splat %value : bf16 -> !made
        titan.shared.store %v, %slot : !made, !tile
        titan.fence.proxy_async shared_cta
        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %full[%s : index] : !bars
        }
)";
    return llvm::formatv(
        "    titan.partition \"produce\" warps({0}) {{\n{1}    "
        "}\n",
        producers, loop(true, body));
  }

  /// A barrier of the consumers.
  std::string meet() const {
    if (consumers == 1)
      return "        titan.syncwarp\n";
    return llvm::formatv("        titan.barrier.sync 1 threads({0})\n",
                         32 * consumers);
  }

  std::string consumer() const {
    std::string wait = "        titan.mbarrier.wait %full[%s : index] "
                       "parity(%parity) : !bars\n";
    std::string free = R"(        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %empty[%s : index] : !bars
        }
)";
    std::string store = R"(        titan.elect warp(0) {
          titan.tma.store {0}, %mapD[%row, %c0] : !tile, !map
          %g = titan.bulk.commit : !bulk
)";
    std::string freeStored = R"(          titan.bulk.wait %g read : !bulk
          titan.mbarrier.arrive %empty[%s : index] : !bars
        }
)";
    std::string body = wait, end;
    switch (out) {
    case Staged:
      body += "        %x = titan.shared.load %slot : !tile -> !taken\n";
      if (early)
        body += free;
      body += R"(        titan.elect warp(0) {
          titan.bulk.wait_group 0 read
        }
)" + meet() + R"(        titan.shared.store %x, %stage : !taken, !tile
        titan.fence.proxy_async shared_cta
)" + meet();
      body += replaced(store, "%stage") + "        }\n";
      if (!early)
        body += free;
      end = R"(      titan.elect warp(0) {
        titan.bulk.wait_group 0
      }
)";
      break;
    case InPlace:
      // All have seen the slot full before one of them frees it.
      body += meet() + replaced(store, "%slot") + freeStored;
      break;
    case Modified:
      body += R"(        %x = titan.shared.load %slot : !tile -> !taken
        %ones = titan.splat %one : bf16 -> !taken
        %y = arith.addf %x, %ones : !taken
        titan.shared.store %y, %slot : !taken, !tile
        titan.fence.proxy_async shared_cta
)" + meet() + replaced(store, "%slot") +
              freeStored;
      break;
    }
    return llvm::formatv(
        "    titan.partition \"consume\" warps({0}) {{\n{1}{2}    }\n",
        consumers, loop(false, body), end);
  }

  /// Reads each slot, too. Not where a consumer writes it.
  std::string watcher() const {
    std::string body =
        R"(        titan.mbarrier.wait %full[%s : index] parity(%parity) : !bars
)";
    if (out != Modified)
      body += "        %x = titan.shared.load %slot : !tile -> !seen\n";
    body += R"(        titan.syncwarp
        titan.elect {
          titan.mbarrier.arrive %empty[%s : index] : !bars
        }
)";
    return llvm::formatv(
        "    titan.partition \"watch\" warps({0}) {{\n{1}    }\n", watchers,
        loop(false, body));
  }

  static std::string replaced(const std::string &format, const char *what) {
    std::string text = format;
    text.replace(text.find("{0}"), 3, what);
    return text;
  }

  unsigned depth;
  bool tma, carried, watched, early;
  Out out;
  int producers, consumers, watchers;
};

//===----------------------------------------------------------------------===//
// One case
//===----------------------------------------------------------------------===//

/// Eager, lazy and random ones (TITAN_SCHEDULES, at least 3), then some in which warps are
/// far ahead of others.
struct DifferentialSchedules {
  DifferentialSchedules() {
    const uint64_t random =
        std::max<uint64_t>(3, fromEnvironment("TITAN_SCHEDULES", 3));
    list = {{Schedule::Eager, 0}, {Schedule::Lazy, 0}};
    for (uint64_t seed = 2; seed < 2 + random; ++seed)
      list.push_back({Schedule::Random, seed});
    plain = list.size();
    for (uint64_t seed = 0; seed < 8; ++seed)
      list.push_back({Schedule::Skew, 5 + seed});
  }
  llvm::ArrayRef<Schedule> all() const { return list; }
  /// Eager, lazy, 3 random ones: under these most of what is refused shows.
  llvm::ArrayRef<Schedule> few() const { return all().take_front(5); }
  /// At the `number`-th of further sizes: eager, lazy, of the random and of the
  /// skewed two each, in turn.
  std::vector<Schedule> further(size_t number) const {
    std::vector<Schedule> taken{list[0], list[1]};
    const size_t random = plain - 2, skewed = list.size() - plain;
    for (size_t i = 2 * number; i < 2 * number + 2; ++i) {
      taken.push_back(list[2 + i % random]);
      taken.push_back(list[plain + i % skewed]);
    }
    return taken;
  }

private:
  std::vector<Schedule> list;
  size_t plain;
};

const DifferentialSchedules &differentialSchedules() {
  static const DifferentialSchedules list;
  return list;
}

SimulatorOptions optionsOf(const Schedule &schedule, bool hazards,
                           uint64_t maxSteps) {
  SimulatorOptions options;
  options.schedule = schedule;
  options.hazards = hazards;
  options.maxSteps = maxSteps;
  return options;
}

struct Tally {
  unsigned invalid = 0, accepted = 0, refused = 0, shown = 0, proved = 0;
};

/// A kernel before its bugs.
struct Subject {
  KernelOp kernel;
  int64_t size = 64;
  /// What it leaves in its arguments; empty: not compared.
  std::vector<std::vector<std::byte>> expected;
  uint64_t maxSteps = 1 << 22;
};

/// Memory that is the same for every run.
void fill(KernelArguments &arguments) {
  for (SimulatorArgument &argument : arguments.list)
    for (size_t i = 0; i < argument.bytes; ++i)
      argument.data[i] = std::byte(i * 37 % 61);
}

/// The mutant, its findings or the difference; empty if all is well.
std::string run(const Subject &subject, KernelOp kernel, bool hazards,
                const Schedule &schedule) {
  KernelArguments arguments(kernel, subject.size);
  if (!subject.expected.empty())
    fill(arguments);
  SimulatorReport report = simulate(
      kernel, arguments.list, optionsOf(schedule, hazards, subject.maxSteps));
  std::string where = llvm::formatv("{0}, hazards {1}: ", stringify(schedule),
                                    hazards ? "on" : "off");
  // What a kernel asserts of its values no checker decides.
  for (const std::string &code : codesOf(report))
    if (code != "assert-failed")
      return where + describe(report);
  if (!subject.expected.empty() && arguments.contents() != subject.expected)
    return where + "wrong data";
  return {};
}

/// What is wrong with a kernel that is proved: it is refused (for what depends
/// on sizes or iterations), or fails at other sizes than the subject's.
std::string wrongProof(const Subject &subject, KernelOp kernel,
                       const CheckReport &report) {
  for (const Finding &finding : report.findings)
    if (finding.severity == Severity::Error &&
        finding.code != Code::Undecided &&
        finding.code != Code::LayoutMismatch &&
        finding.code != Code::SharedMemoryLimit)
      return "refused: " + std::string(codeInfo(finding.code).code) + ": " +
             finding.message;
  // None, one, beside a tile, up to more steps than a ring has slots, ragged, large.
  const int64_t sizes[] = {0, 1, 63, 64, 65, 128, 192, 256, 320, 321, 1029};
  for (auto [number, size] : llvm::enumerate(sizes)) {
    // Sizes that the kernel itself is not launched with are none.
    KernelArguments first(subject.kernel, size);
    if (!subject.expected.empty())
      fill(first);
    if (!codesOf(simulate(subject.kernel, first.list,
                          optionsOf(differentialSchedules().all()[0], true,
                                    1 << 22)))
             .empty())
      continue;
    for (const Schedule &schedule : differentialSchedules().further(number))
      for (bool hazards : {true, false}) {
        KernelArguments arguments(kernel, size);
        if (!subject.expected.empty())
          fill(arguments);
        SimulatorReport ran = simulate(kernel, arguments.list,
                                       optionsOf(schedule, hazards, 1 << 22));
        std::string where =
            llvm::formatv("size {0}, {1}, hazards {2}: ", size,
                          stringify(schedule), hazards ? "on" : "off");
        for (const std::string &code : codesOf(ran))
          if (code != "assert-failed")
            return where + describe(ran);
        if (!subject.expected.empty() &&
            arguments.contents() != first.contents())
          return where + "wrong data";
      }
  }
  return {};
}

/// Puts bugs into the subject and holds checker against simulator.
void tryMutant(const Subject &subject, Random &random, uint64_t seed,
               Tally &tally) {
  OwningOpRef<ModuleOp> module(ModuleOp::create(subject.kernel->getLoc()));
  (*module)->setAttrs(
      subject.kernel->getParentOfType<ModuleOp>()->getAttrDictionary());
  auto kernel = cast<KernelOp>(subject.kernel->clone());
  module->push_back(kernel);
  std::string bugs;
  for (unsigned count = 1 + random.number(3); count; --count) {
    std::vector<Mutation> mutations = enumerateMutations(kernel);
    if (mutations.empty())
      break;
    const Mutation &mutation = mutations[random.number(mutations.size())];
    bugs += "\n  " + mutation.description;
    if (failed(applyMutation(kernel, mutation))) {
      ++tally.invalid;
      return;
    }
  }
  CheckReport report = check(kernel, CheckOptions());
  bool accepted = report.accepted(), proved = prove(kernel).proved;
  ++(accepted ? tally.accepted : tally.refused);
  tally.proved += proved;
  std::string wrong = proved ? wrongProof(subject, kernel, report) : "";
  if (!wrong.empty()) {
    ADD_FAILURE() << "TITAN_SEED=" << seed << ": @" << kernel.getName().str()
                  << " with" << bugs << "\nis proved, and " << wrong << "\n"
                  << print(kernel);
    return;
  }
  for (const Schedule &schedule :
       proved ? differentialSchedules().all() : differentialSchedules().few()) {
    std::string problem = run(subject, kernel, true, schedule);
    if (problem.empty() && (accepted || proved))
      problem = run(subject, kernel, false, schedule);
    if (problem.empty())
      continue;
    if (accepted || proved)
      ADD_FAILURE() << "TITAN_SEED=" << seed << ": @" << kernel.getName().str()
                    << " with" << bugs << "\nis "
                    << (proved ? "proved" : "accepted by the checker") << "; "
                    << problem << "\n"
                    << print(kernel);
    tally.shown += !accepted;
    return;
  }
}

/// The kernel as it is: nothing is found, and it leaves this in memory.
std::string settle(Subject &subject, bool compare) {
  KernelArguments arguments(subject.kernel, subject.size);
  if (compare)
    fill(arguments);
  SimulatorReport report = simulate(
      subject.kernel, arguments.list,
      optionsOf(differentialSchedules().all()[0], true, subject.maxSteps));
  if (!codesOf(report).empty())
    return describe(report);
  subject.maxSteps = 4 * report.operations + 10000;
  if (compare)
    subject.expected = arguments.contents();
  return {};
}

void say(const char *what, uint64_t seed, uint64_t cases, const Tally &tally) {
  llvm::outs() << what << ": seeds " << seed << " to " << seed + cases - 1
               << ": " << tally.accepted << " accepted, all run; "
               << tally.refused << " refused, of which " << tally.shown
               << " show under five schedules; " << tally.invalid
               << " are no valid IR; " << tally.proved
               << " proved, all right\n";
}

uint64_t casesOf(uint64_t few, uint64_t many) {
  return fromEnvironment("TITAN_CASES",
                         std::getenv("TITAN_TEST_FULL") ? many : few);
}

} // namespace

TEST(Differential, Pipelines) {
  const uint64_t seed = fromEnvironment("TITAN_SEED", 1),
                 cases = casesOf(20, 1500);
  Tally tally;
  for (uint64_t n = seed; n < seed + cases; ++n) {
    Random random(n);
    std::string text = Pipeline(random).text();
    Module module(text, false);
    ASSERT_TRUE(module) << "TITAN_SEED=" << n << "\n" << text;
    Subject subject{module.kernel("pipeline")};
    subject.size = 64 * (1 + random.number(5));
    CheckReport checked = check(subject.kernel, CheckOptions());
    std::string findings;
    for (const Finding &finding : checked.findings)
      findings += finding.message + "\n";
    ASSERT_TRUE(checked.accepted()) << "TITAN_SEED=" << n << "\n"
                                    << text << findings;
    std::string problem = settle(subject, true);
    for (const Schedule &schedule : differentialSchedules().all())
      for (bool hazards : {true, false})
        if (problem.empty())
          problem = run(subject, subject.kernel, hazards, schedule);
    ASSERT_EQ(problem, "") << "TITAN_SEED=" << n << "\n" << text;
    bool proved = prove(subject.kernel).proved;
    tally.proved += proved;
    if (proved)
      EXPECT_EQ(wrongProof(subject, subject.kernel, checked), "")
          << "TITAN_SEED=" << n << "\n"
          << text;
    for (int i = 0; i < 4; ++i)
      tryMutant(subject, random, n, tally);
  }
  say("pipelines", seed, cases, tally);
}

TEST(Differential, Mutants) {
  // The kernels that are right, of all files.
  std::vector<std::unique_ptr<Module>> modules;
  std::vector<Subject> subjects;
  for (const std::string &file : testFiles({"Litmus", "Checker/known-bugs"})) {
    auto module = std::make_unique<Module>(file, true);
    if (!*module)
      continue;
    for (KernelOp kernel : module->kernels()) {
      // What is trusted is not right, it is not looked at.
      bool trusted = false;
      kernel->walk(
          [&](Operation *op) { trusted |= op->hasAttr("titan.trusted"); });
      if (trusted || !check(kernel, CheckOptions()).accepted())
        continue;
      for (int64_t size : {64, 3}) {
        Subject subject{kernel, size};
        if (settle(subject, false).empty())
          subjects.push_back(std::move(subject));
      }
    }
    modules.push_back(std::move(module));
  }
  ASSERT_GE(subjects.size(), 100u);
  const uint64_t seed = fromEnvironment("TITAN_SEED", 1),
                 cases = casesOf(200, 10000);
  Tally tally;
  for (uint64_t n = seed; n < seed + cases; ++n) {
    Random random(n);
    tryMutant(subjects[random.number(subjects.size())], random, n, tally);
  }
  say("mutants", seed, cases, tally);
}
