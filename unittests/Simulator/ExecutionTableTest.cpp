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
bool isMismatch(const char *kernel, bool hazards) {
  Module module(std::string(TITAN_TESTS) + "/Litmus/mm-051-barrier-init.mlir",
                true);
  KernelOp op = module.kernel(kernel);
  KernelArguments arguments(op, 64);
  SimulatorOptions options;
  options.hazards = hazards;
  options.compareEffects = true;
  SimulatorReport report = simulate(op, arguments.list, options);
  EXPECT_GT(report.compared, 0u);
  return llvm::is_contained(codesOf(report), "effect-mismatch");
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

} // namespace
