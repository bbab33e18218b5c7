//===- ConformanceTest.cpp - which operations are held to their effects ---===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels of tests/, right and wrong ones, run with their effects compared:
// no operation does what it does not declare, and every operation of hardware
// that is simulated has been compared at least once.
//
//===----------------------------------------------------------------------===//
#include "Harness.h"
#include "titan/Dialect/Titan/Titan.h"
#include "titan/Simulator/ExecutionTable.h"

#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <cstring>

#include <set>

using namespace titan;
using namespace titan::test;

namespace {

/// Of litmus files, what their VARIANT lines make of them: one line for another.
struct Variant {
  const char *file, *line, *other;
} const variants[] = {
    {"mm-061-copies-to-peers",
     "titan.bulk.copy_to_peer %mine, %there, %bar : !tile, !peer, !far // "
     "@send\n  } // @behind",
     "}\n  titan.st_async %v, %there, %bar : !reg, !peer, !far"},
    {"mm-061-copies-to-peers",
     "titan.mbarrier.arrive_expect_tx %got, %bytes : !bar",
     "titan.mbarrier.arrive_expect_tx %got, %more : !bar\n"
     "    titan.mbarrier.complete_tx %got, %half : !bar"},
    {"mm-037-bulk-runs", "titan.bulk.store", "titan.bulk.reduce add"},
};

const char *kernels = R"(
#rows = #titan.blocked<elements = [1, 4], lanes = [4, 8], warps = [1, 1]>
!matrix = !titan.global<?x32xi32>
!tile = !titan.shared<4x32xi32>
!reg = tensor<4x32xi32, #rows>
!bar = !titan.mbarrier
titan.kernel @states() warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : i32
  %bar = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    titan.mbarrier.init %bar count(64) : !bar
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "leave" warps(1) {
      titan.mbarrier.arrive_drop %bar : !bar
    }
    titan.partition "stay" warps(1) {
      %state = titan.mbarrier.arrive %bar : !bar -> !titan.phase
      titan.mbarrier.wait_state %bar state(%state) : !bar
    }
  }
  titan.return
}
titan.kernel @groups(%A: !matrix) warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %tile = titan.shared.alloc : !tile
  %i = titan.coordinate 0 : !reg
  %j = titan.coordinate 1 : !reg
  titan.cp_async %A[%i, %j], %tile bytes(16) cg : !matrix, !reg, !reg -> !tile
  %group = titan.cp_async.commit : !titan.token<async>
  titan.cp_async.wait %group : !titan.token<async>
  titan.cp_async.wait_group 0
  %x = titan.shared.load %tile : !tile -> !reg
  %old = titan.global.atom add %x, %A[%i, %j] : !reg, !matrix, !reg, !reg -> !reg
  titan.return
}
)";

/// Which operations are compared, of kernels that run.
class Compared {
public:
  void add(const std::string &textOrFile, bool isFile) {
    Module module(textOrFile, isFile);
    EXPECT_TRUE(module || isFile);
    if (!module)
      return; // a test of the verifier
    for (KernelOp kernel : module.kernels())
      for (bool hazards : {true, false}) {
        SimulatorOptions options;
        options.hazards = hazards;
        options.compareEffects = true;
        options.maxSteps = 1 << 16;
        KernelArguments arguments(kernel, 64);
        SimulatorReport report = simulate(kernel, arguments.list, options);
        EXPECT_FALSE(llvm::is_contained(codesOf(report), "effect-mismatch"))
            << (isFile ? textOrFile : "") << " @" << kernel.getSymName().str()
            << "\n"
            << describe(report);
        for (auto &[name, times] : report.compared)
          operations.insert(name);
        // Without hazards the bytes are those that a wrong program's threads see.
        if (!report.good())
          break;
      }
  }
  std::set<std::string> operations;
};

TEST(Conformance, EveryOperationIsHeldToItsEffects) {
  Compared compared;
  compared.add(kernels, false);
  for (const std::string &file : testFiles({"Litmus", "Checker/Proved"}))
    compared.add(file, true);
  compared.add(TITAN_TESTS "/Dispatch/product.mlir", true);
  compared.add(TITAN_TESTS "/Dispatch/peers.mlir", true);
  compared.add(TITAN_TESTS "/Dispatch/parameters.mlir", true);
  compared.add(TITAN_TESTS "/Checker/grid-dependency.mlir", true);
  for (const Variant &variant : variants) {
    auto buffer = llvm::MemoryBuffer::getFile(
        llvm::Twine(TITAN_TESTS "/Litmus/") + variant.file + ".mlir");
    ASSERT_TRUE(static_cast<bool>(buffer));
    std::string text = (*buffer)->getBuffer().str();
    size_t at = text.rfind(variant.line);
    ASSERT_NE(at, std::string::npos) << variant.line;
    text.replace(at, std::strlen(variant.line), variant.other);
    compared.add(text, false);
  }

  // Maps that a kernel writes: TensorMapsTest compares them, with a launch that
  // fits. A text of PTX is run by its reference.
  const std::set<std::string> elsewhere = {"titan.inline_ptx",
                                           "titan.tensormap.replace_address",
                                           "titan.tensormap.replace_stride"};
  mlir::MLIRContext context;
  context.loadDialect<TitanDialect>();
  std::set<std::string> never;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations())
    if (name.hasInterface<HardwareEffectsInterface>() &&
        sim::ExecutionTable::get().lookup(name.getStringRef()) &&
        !compared.operations.contains(name.getStringRef().str()))
      never.insert(name.getStringRef().str());
  EXPECT_EQ(never, elsewhere);
}

} // namespace
