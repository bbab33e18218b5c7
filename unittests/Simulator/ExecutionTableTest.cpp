//===- ExecutionTableTest.cpp - execution functions that are wrong --------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Entries of the table are replaced, as a plug-in may, by functions that do
// less or more than the operation's effects say: each is effect-mismatch.
//
//===----------------------------------------------------------------------===//
#include "titan/Simulator/ExecutionTable.h"
#include "Harness.h"

#include "gtest/gtest.h"

using namespace titan;
using namespace titan::sim;
using namespace titan::test;

namespace {

/// An entry of the table, until the end of the test.
class Replaced {
public:
  Replaced(llvm::StringRef name, void (*change)(Inst &))
      : name(name), before(*ExecutionTable::get().lookup(name)) {
    ExecutionTable::get().add(
        name, [before = before, change](Compiler &c, mlir::Operation *op) {
          before(c, op);
          change(c.p.code.back());
        });
  }
  ~Replaced() { ExecutionTable::get().add(name, before); }

private:
  std::string name;
  ExecutionTable::Compile before;
};

void doNothing(Inst &inst) {
  inst.run = [](Agent &, const Inst &) { return Step::Ran; };
}
void arriveTwice(Inst &inst) { inst.imm = 2; }

/// Whether it is found that some operation does not do what it declares.
bool isMismatch(const std::string &file, const char *kernel, bool hazards) {
  Module module(std::string(TITAN_TESTS) + "/Litmus/" + file, true);
  KernelOp op = module.kernel(kernel);
  KernelArguments arguments(op, 64);
  SimulatorOptions options;
  options.hazards = hazards;
  options.compareEffects = true;
  SimulatorReport report = simulate(op, arguments.list, options);
  EXPECT_FALSE(report.compared.empty());
  return llvm::is_contained(codesOf(report), "effect-mismatch");
}
bool isMismatch(const char *kernel, bool hazards) {
  return isMismatch("mm-051-barrier-init.mlir", kernel, hazards);
}

TEST(ExecutionTable, WhatIsRightIsNoMismatch) {
  for (bool hazards : {true, false}) {
    EXPECT_FALSE(isMismatch("fence_and_barrier", hazards));
    EXPECT_FALSE(isMismatch("proxy_fence", hazards));
  }
}

TEST(ExecutionTable, BytesThatAreNotRead) {
  Replaced load("titan.shared.load", doNothing);
  EXPECT_TRUE(isMismatch("fence_and_barrier", true));
}

TEST(ExecutionTable, BytesThatAreNotWritten) {
  Replaced load("titan.tma.load", doNothing);
  EXPECT_TRUE(isMismatch("fence_and_barrier", true));
}

TEST(ExecutionTable, ArrivalsThatAreTooMany) {
  Replaced arrive("titan.mbarrier.arrive_expect_tx", arriveTwice);
  EXPECT_TRUE(isMismatch("fence_and_barrier", true));
}

TEST(ExecutionTable, BytesThatAreNotExpected) {
  Replaced arrive("titan.mbarrier.arrive_expect_tx", doNothing);
  EXPECT_TRUE(isMismatch("fence_and_barrier", true));
}

TEST(ExecutionTable, FencesThatAreNotExecuted) {
  Replaced fence("titan.fence.proxy_async", doNothing);
  EXPECT_TRUE(isMismatch("proxy_fence", false));
}

//===----------------------------------------------------------------------===//
// Barriers of threads, fences, groups: without, or with other ones
//===----------------------------------------------------------------------===//

void acquire(Inst &inst) {
  inst.sem = static_cast<uint8_t>(MemorySem::Acquire);
}
void release(Inst &inst) {
  inst.sem = static_cast<uint8_t>(MemorySem::Release);
}
void otherFlag(Inst &inst) { inst.flag = !inst.flag; }
void otherBarrier(Inst &inst) { inst.imm = 9; }
void fewerThreads(Inst &inst) { inst.imm2 = 32; }
void leaveOneMore(Inst &inst) { ++inst.imm; }
void leaveOneMoreOfLds(Inst &inst) { ++inst.imm2; }
void oneInstructionLess(Inst &inst) { --inst.imm2; }
void fenceToo(Inst &inst) {
  static Execute before;
  before = inst.run;
  inst.run = [](Agent &agent, const Inst &self) {
    if (agent.machine.views)
      agent.machine.views->fence(agent, MemorySem::Release, MemoryScope::Cta);
    return before(agent, self);
  };
}
void learnsToo(Inst &inst) {
  static Execute before;
  before = inst.run;
  inst.run = [](Agent &agent, const Inst &self) {
    for (auto &other : agent.cta.agents)
      if (agent.machine.views && other.get() != &agent)
        agent.machine.views->acquire(agent, everyLane,
                                     other->knowledge->classes[0].known);
    return before(agent, self);
  };
}

struct Wrong {
  const char *op, *file, *kernel;
  void (*change)(Inst &);
};

const Wrong wrongs[] = {
    {"titan.cta_sync", "mm-051-barrier-init.mlir", "proxy_fence", doNothing},
    {"titan.fence.mbarrier_init", "mm-051-barrier-init.mlir",
     "fence_and_barrier", doNothing},
    {"titan.syncwarp", "mm-014-lanes.mlir", "elected_store_ordered", doNothing},
    {"titan.barrier.sync", "mm-022-named-barriers.mlir", "sync_sync",
     doNothing},
    {"titan.barrier.sync", "mm-022-named-barriers.mlir", "sync_sync",
     otherBarrier},
    {"titan.barrier.sync", "mm-022-named-barriers.mlir", "sync_sync",
     fewerThreads},
    {"titan.cluster.arrive", "mm-023-cluster-barrier.mlir", "release",
     doNothing},
    {"titan.cluster.arrive", "mm-023-cluster-barrier.mlir",
     "relaxed_after_fence", otherFlag},
    {"titan.cluster.wait", "mm-023-cluster-barrier.mlir", "release", doNothing},
    {"titan.fence", "mm-042-fences.mlir", "cluster_fences", doNothing},
    {"titan.fence", "mm-042-fences.mlir", "cluster_fences", acquire},
    {"titan.fence", "mm-042-fences.mlir", "cluster_fences", release},
    {"titan.mma.fence", "mm-070-wgmma-fences.mlir", "both_fences", doNothing},
    {"titan.fence.tensormap_acquire", "mm-090-changed-maps.mlir", "one_warp",
     doNothing},
    {"titan.cp_async.commit", "mm-041-thread-copies.mlir", "through",
     doNothing},
    {"titan.cp_async.wait", "mm-041-thread-copies.mlir", "through", doNothing},
    {"titan.buffer_load_lds", "mm-110-counters.mlir", "the_older",
     oneInstructionLess},
    {"titan.ds_write", "mm-110-counters.mlir", "lgkmcnt_0", doNothing},
    {"titan.ds_read", "mm-110-counters.mlir", "lgkmcnt_0", doNothing},
    {"titan.s_waitcnt", "mm-110-counters.mlir", "fewer", leaveOneMore},
    {"titan.s_waitcnt", "mm-112-loads-to-lds.mlir", "write_then_load",
     leaveOneMoreOfLds},
    {"titan.counter.wait", "mm-110-counters.mlir", "by_token", doNothing},
    {"titan.s_barrier", "mm-111-s-barrier.mlir", "waited", doNothing},
    {"titan.shared.store", "mm-070-wgmma-fences.mlir", "both_fences", fenceToo},
    {"titan.shared.store", "mm-070-wgmma-fences.mlir", "both_fences",
     learnsToo},
};

class Conforms : public testing::TestWithParam<Wrong> {};

TEST_P(Conforms, AndIsFoundWhereItDoesNot) {
  const Wrong &wrong = GetParam();
  EXPECT_FALSE(isMismatch(wrong.file, wrong.kernel, false));
  Replaced op(wrong.op, wrong.change);
  EXPECT_TRUE(isMismatch(wrong.file, wrong.kernel, false));
}

INSTANTIATE_TEST_SUITE_P(Order, Conforms, testing::ValuesIn(wrongs),
                         [](auto &info) {
                           std::string name = info.param.op + 6;
                           llvm::replace(name, '.', '_');
                           return std::to_string(info.index) + "_" + name;
                         });

} // namespace
