//===- ViewsTest.cpp - with hazards off a bug shows -----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Right kernels, each with one bug put into its text, run with hazards off:
// neither effects nor the proxy table are looked at, so that the bug must show
// as wrong data, poison or a hang. The same kernel without the bug, or with it
// mended, runs under every schedule.
//
//===----------------------------------------------------------------------===//
#include "Harness.h"
#include "titan/Transforms/Mutate.h"

#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

using namespace titan;
using namespace titan::test;

namespace {

/// Where `replace` finds `from` in the text, `to` stands instead.
struct Change {
  std::string from, to;
};

std::string textOf(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

std::string change(std::string text, const std::vector<Change> &changes) {
  for (const Change &each : changes) {
    EXPECT_NE(text.find(each.from), std::string::npos) << each.from;
    for (size_t at = 0; (at = text.find(each.from, at)) != std::string::npos;
         at += each.to.size())
      text.replace(at, each.from.size(), each.to);
  }
  return text;
}

constexpr int viewSchedules = 22;
SimulatorOptions optionsOf(int number) {
  SimulatorOptions options;
  options.hazards = false;
  options.multiprocessors = 1;
  options.maxSteps = 1 << 22;
  options.schedule.kind = number == 0   ? Schedule::Eager
                          : number == 1 ? Schedule::Lazy
                                        : Schedule::Random;
  options.schedule.seed = number;
  return options;
}

/// How many schedules show the bug.
template <typename Run> int failures(Run &&run) {
  int count = 0;
  for (int number = 0; number < viewSchedules; ++number)
    count += !run(optionsOf(number));
  return count;
}

/// A kernel of tests/Litmus/outcomes.mlir, whose asserts say what it promises.
int outcome(const char *kernel, const std::vector<Change> &changes) {
  Module module(change(textOf(TITAN_TESTS "/Litmus/outcomes.mlir"), changes),
                false);
  EXPECT_TRUE(static_cast<bool>(module));
  if (!module)
    return -1;
  return failures([&](const SimulatorOptions &options) {
    Matrix a(64, 64, 2), d(64, 64, 2);
    for (int r = 0; r < 64; ++r)
      for (int c = 0; c < 64; ++c)
        a.at16(r, c) = d.at16(r, c) = 0;
    std::vector<SimulatorArgument> arguments = {a.argument(), d.argument()};
    return simulate(module.kernel(kernel), arguments, options).good();
  });
}

/// examples/gemm_bare.mlir, three tiles of seven steps in one CTA.
int gemm(const std::vector<Change> &changes) {
  Module module(change(textOf(TITAN_EXAMPLES "/gemm_bare.mlir"), changes),
                false);
  EXPECT_TRUE(static_cast<bool>(module));
  if (!module)
    return -1;
  return failures([&](const SimulatorOptions &options) {
    Product problem(72, 520, 400, 3);
    return problem.run(module.kernel("gemm"), options).good() &&
           problem.wrong() == 0;
  });
}

const std::string relaxed = "sem(relaxed) ";

} // namespace

/// MM-58: a relaxed wait teaches the reader nothing, until a fence.acquire.
TEST(Views, RelaxedWait) {
  const std::string wait = "titan.mbarrier.wait %ping parity(%i0) :";
  const std::string weak =
      "titan.mbarrier.wait %ping parity(%i0) sem(relaxed) :";
  EXPECT_EQ(outcome("message", {}), 0);
  EXPECT_GT(outcome("message", {{wait, weak}}), 0);
  EXPECT_EQ(outcome("message",
                    {{wait, weak},
                     {"!bar\n      titan.elect {\n        %seen",
                      "!bar\n      titan.elect {\n        titan.fence acquire "
                      "cta\n        %seen"}}),
            0);
}

/// MM-58: a relaxed arrive publishes nothing, without a fence.release before.
TEST(Views, RelaxedArrive) {
  EXPECT_GT(outcome("message_relaxed", {}), 0);
  EXPECT_EQ(outcome("message_fenced", {}), 0);
}

/// MM-32: a generic write that no proxy fence covers may come late, over what
/// a copy wrote.
TEST(Views, LateWriteBack) {
  EXPECT_EQ(outcome("load", {}), 0);
  EXPECT_GT(outcome("load", {{"titan.fence.proxy_async shared_cta\n", "\n"}}),
            0);
}

/// MM-14: what the elected lane has waited for, the others know after a
/// syncwarp.
static int electedWait(const char *sync) {
  Module module(change(R"(
!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!reg    = tensor<64x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>>
titan.kernel @wait(%A: !global) warps(1) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%mapA : !map)
} body(%mapA: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %mapA[%c0, %c0], %buf, %full : !map, !tile, !bar
    titan.mbarrier.wait %full parity(%i0) : !bar
  }
  SYNC
  %v = titan.shared.load %buf : !tile -> !reg
  %w = arith.addf %v, %v : !reg
  titan.return
}
)",
                       {{"SYNC", sync}}),
                false);
  EXPECT_TRUE(static_cast<bool>(module));
  return failures([&](const SimulatorOptions &options) {
    Matrix a(64, 64, 2);
    std::vector<SimulatorArgument> arguments = {a.argument()};
    return simulate(module.kernel("wait"), arguments, options).good();
  });
}
TEST(Views, ElectedWait) {
  EXPECT_GT(electedWait(""), 0);
  EXPECT_EQ(electedWait("titan.syncwarp"), 0);
}

/// The products' view of slots, and of registers.
TEST(Views, Products) {
  EXPECT_EQ(gemm({}), 0);
  // MM-70: no wgmma.fence.
  EXPECT_GT(gemm({{"titan.mma.fence\n", "\n"}}), 0);
  // MM-72: the fence does not cover what is waited for after it.
  const std::string wait =
      "titan.mbarrier.wait %full[%stage : i32] parity(%parity) "
      ": !titan.mbarrier<4>\n";
  EXPECT_GT(
      gemm({{"titan.mma.fence\n", "\n"}, {wait, "titan.mma.fence\n" + wait}}),
      0);
  // A relaxed wait for the data.
  EXPECT_GT(gemm({{"titan.mbarrier.wait %full[%stage : i32] parity(%parity) ",
                   "titan.mbarrier.wait %full[%stage : i32] parity(%parity) "
                   "sem(relaxed) "}}),
            0);
}

/// A slot is filled again before the product has read it: the slot's release is
/// relaxed, or the producer's wait for it, or nobody waits for the product.
TEST(Views, SlotsFilledEarly) {
  EXPECT_GT(gemm({{"titan.mbarrier.arrive %empty[%last : i32] ",
                   "titan.mbarrier.arrive %empty[%last : i32] " + relaxed}}),
            0);
  EXPECT_GT(gemm({{"titan.mbarrier.wait %empty[%stage : i32] parity(%other) ",
                   "titan.mbarrier.wait %empty[%stage : i32] parity(%other) " +
                       relaxed}}),
            0);
  EXPECT_GT(
      gemm({{"titan.mma.wait %group : !group\n", "titan.mma.wait_group 2\n"}}),
      0);
}

/// A buffer is written again before the store that sends it has read it.
TEST(Views, BuffersWrittenEarly) {
  EXPECT_GT(gemm({{"titan.bulk.wait %older read : !bulk\n",
                   "titan.bulk.wait_group 2 read\n"}}),
            0);
}

/// A tile that was loaded and not used yet still changes, when its slot is
/// filled again by somebody who does not know of the load: without the
/// syncwarp, the elected lane's arrive does not speak for the others.
static int pipeline(llvm::StringRef mutation) {
  Module module(TITAN_EXAMPLES "/pipeline.mlir", true);
  EXPECT_TRUE(static_cast<bool>(module));
  KernelOp kernel = module.kernel("pipeline");
  for (const Mutation &each : enumerateMutations(kernel))
    if (each.description == mutation) {
      EXPECT_TRUE(succeeded(applyMutation(kernel, each)));
      mutation = "";
      break;
    }
  EXPECT_EQ(mutation, "");
  return failures([&](const SimulatorOptions &options) {
    Matrix x(72, 264, 4), y(72, 264, 4);
    for (int r = 0; r < 72; ++r)
      for (int c = 0; c < 264; ++c)
        x.at32(r, c) = r - c;
    SimulatorArgument scale, shift;
    scale.scalar = llvm::bit_cast<uint32_t>(0.5f);
    shift.scalar = llvm::bit_cast<uint32_t>(0.25f);
    std::vector<SimulatorArgument> arguments = {x.argument(), y.argument(),
                                                scale, shift};
    if (!simulate(kernel, arguments, options).good())
      return false;
    for (int r = 0; r < 72; ++r)
      for (int c = 0; c < 264; ++c)
        if (y.at32(r, c) != std::max(0.5f * (r - c) + 0.25f, 0.0f))
          return false;
    return true;
  });
}
TEST(Views, LateLoads) {
  EXPECT_EQ(pipeline(""), 0);
  EXPECT_GT(pipeline("drop syncwarp"), 0);
}

/// MM-42: between CTAs a scope that is too narrow orders nothing, where
/// scope-too-narrow is an error; else it is taken for a wide one.
static int betweenCtas(const char *arrive, const char *wait, bool strict) {
  Module module(change(R"(
!global = !titan.global<64x64xbf16>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!peer   = !titan.shared<64x64xbf16, swizzle = 128, cluster>
!bar    = !titan.mbarrier
!peerBar = !titan.mbarrier<1, cluster>
titan.kernel @message(%A: !global) warps(1) cluster(2) launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %one = arith.constant 1.0 : bf16
  %zero = arith.constant 0.0 : bf16
  %buf = titan.shared.alloc : !tile
  %bar = titan.mbarrier.alloc : !bar
  titan.elect {
    titan.st %zero, %buf[%c0, %c0] : bf16, !tile
    titan.mbarrier.init %bar count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.cluster.arrive
  titan.cluster.wait
  %rank = titan.cluster_rank
  %first = arith.cmpi eq, %rank, %i0 : i32
  scf.if %first {
    titan.elect {
      titan.mbarrier.wait %bar parity(%i0) scope(WAIT) : !bar
      %seen = titan.ld %buf[%c0, %c0] : !tile -> bf16
      %good = arith.cmpf oeq, %seen, %one : bf16
      titan.assert %good, "the value of one"
    }
  } else {
    titan.elect {
      %theirs = titan.map_rank %buf, %i0 : !tile -> !peer
      titan.st %one, %theirs[%c0, %c0] : bf16, !peer
      %signal = titan.map_rank %bar, %i0 : !bar -> !peerBar
      titan.mbarrier.arrive %signal scope(ARRIVE) : !peerBar
    }
  }
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}
)",
                       {{"ARRIVE", arrive}, {"WAIT", wait}}),
                false);
  EXPECT_TRUE(static_cast<bool>(module));
  return failures([&](SimulatorOptions options) {
    if (strict)
      options.strictness.set("scope", Severity::Error);
    Matrix a(64, 64, 2);
    std::vector<SimulatorArgument> arguments = {a.argument()};
    return simulate(module.kernel("message"), arguments, options).good();
  });
}
TEST(Views, Scopes) {
  EXPECT_EQ(betweenCtas("cluster", "cluster", true), 0);
  EXPECT_GT(betweenCtas("cta", "cluster", true), 0);
  EXPECT_GT(betweenCtas("cluster", "cta", true), 0);
  EXPECT_EQ(betweenCtas("cta", "cta", false), 0);
}
