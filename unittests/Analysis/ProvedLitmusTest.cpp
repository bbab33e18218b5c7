//===- ProvedLitmusTest.cpp - what the search refuses is not proved -------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of all kernels of tests/Litmus, tests/Checker and tests/Dispatch, the wrong ones too.
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/Checker.h"
#include "titan/Analysis/Typestate/Prove.h"
#include "titan/Dialect/ReferenceDialects.h"
#include "titan/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

using namespace mlir;
using namespace titan;

namespace {

struct Numbers {
  int kernels = 0, proved = 0;
};

void prepare(MLIRContext &context) {
  DialectRegistry registry;
  registerReferenceDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<TitanDialect>();
  context.disableMultithreading();
}

void ask(StringRef file, StringRef text, Numbers &numbers) {
  MLIRContext context;
  prepare(context);
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
  if (!module)
    return; // a test of the parser or the verifier
  PassManager passes(&context);
  buildExpandPasses(passes, /*assertIndices=*/true);
  if (failed(passes.run(*module)))
    return;
  for (auto kernel : module->getOps<KernelOp>()) {
    ++numbers.kernels;
    ProofReport proof = prove(kernel);
    if (std::getenv("TITAN_VERBOSE"))
      std::cout << file.str() << " " << kernel.getSymName().str() << ": "
                << (proof.proved ? "proved" : proof.reason) << "\n";
    // Warps that do the same are walked once: as if each were walked.
    const ProofReport each =
        prove(kernel, Judgement::None, std::numeric_limits<double>::infinity(),
              nullptr, /*eachWarp=*/true);
    EXPECT_EQ(std::tie(proof.proved, proof.reason, proof.rules, proof.stoppedAt,
                       proof.assumptions, proof.systems),
              std::tie(each.proved, each.reason, each.rules, each.stoppedAt,
                       each.assumptions, each.systems))
        << file.str() << ": " << kernel.getSymName().str();
    if (!proof.proved)
      continue;
    ++numbers.proved;
    // What depends neither on sizes nor on iterations is the search's alone.
    for (const Finding &finding : check(kernel, CheckOptions()).findings)
      if (finding.severity == Severity::Error &&
          finding.code != Code::Undecided &&
          finding.code != Code::LayoutMismatch &&
          finding.code != Code::SharedMemoryLimit)
        ADD_FAILURE() << file.str() << ": " << kernel.getSymName().str()
                      << " is refused, and proved: "
                      << codeInfo(finding.code).code;
  }
}

TEST(ProvedLitmus, NoneIsRefused) {
  Numbers numbers;
  for (const char *folder : {TITAN_TESTS "/Litmus", TITAN_TESTS "/Checker",
                             TITAN_TESTS "/Dispatch"}) {
    std::error_code error;
    for (llvm::sys::fs::recursive_directory_iterator it(folder, error), end;
         it != end && !error; it.increment(error)) {
      if (llvm::sys::path::extension(it->path()) != ".mlir")
        continue;
      auto buffer = llvm::MemoryBuffer::getFile(it->path());
      ASSERT_TRUE(static_cast<bool>(buffer)) << it->path();
      ask(llvm::sys::path::filename(it->path()), (*buffer)->getBuffer(),
          numbers);
    }
  }
  std::cout << numbers.kernels << " kernels, " << numbers.proved << " proved\n";
  EXPECT_GE(numbers.kernels, 600);
  EXPECT_GE(numbers.proved, 50);
}

/// A kernel that is launched programmatically; `before` stands before its load, `between`
/// between that and its store.
std::string ofGrids(StringRef before, StringRef between) {
  return (R"(
#row = #titan.blocked<elements = [1, 2], lanes = [4, 8], warps = [2, 1]>
!tile = tensor<8x16xf32, #row>
!index = tensor<8x16xi32, #row>
!matrix = !titan.global<?x?xf32>
titan.kernel @after(%X: !matrix, %W: !matrix, %Y: !matrix) warps(2) attributes {
  titan.programmatic = ["W"]
} launch {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index)" +
          [] {
            std::string sizes;
            for (std::string of : {"X", "W", "Y"})
              for (std::string d : {"0", "1"})
                sizes += "\n  %" + of + d + " = titan.dim %" + of + ", " + d +
                         " : !matrix\n  %is" + of + d + " = arith.cmpi eq, %" +
                         of + d + ", %c" + (d == "0" ? "8" : "16") +
                         " : index\n  titan.require %is" + of + d +
                         ", \"launch-check\", \"8 x 16\"";
            return sizes;
          }() +
          R"(
  titan.launch grid(%c1)
} body() {
  %i = titan.coordinate 0 : !index
  %j = titan.coordinate 1 : !index
  %w = titan.global.load %W[%i, %j] : !matrix, !index, !index -> !tile
  )" + before +
          R"(
  %x = titan.global.load %X[%i, %j] : !matrix, !index, !index -> !tile
  )" + between +
          R"(
  %s = arith.addf %x, %w : !tile
  titan.griddepcontrol.launch_dependents
  titan.global.store %s, %Y[%i, %j] : !tile, !matrix, !index, !index
  titan.return
})")
      .str();
}

TEST(ProvedLitmus, BehindEarlierGrids) {
  const char *wait = "titan.griddepcontrol.wait";
  const std::string ofOne =
      std::string("titan.elect warp(0) { ") + wait + " }\n";
  const struct {
    std::string before, between;
    bool proved;
  } all[] = {{wait, "", true},
             {"", "", false},
             {"", wait, false},
             {ofOne, "", false},
             {ofOne + "titan.cta_sync", "", true},
             {ofOne + "titan.syncwarp", "", false},
             {"titan.cta_sync\n" + ofOne, "titan.cta_sync", false}};
  for (const auto &each : all) {
    MLIRContext context;
    prepare(context);
    auto module = parseSourceString<ModuleOp>(
        ofGrids(each.before, each.between), ParserConfig(&context));
    ASSERT_TRUE(module);
    PassManager passes(&context);
    buildExpandPasses(passes, /*assertIndices=*/true);
    ASSERT_TRUE(succeeded(passes.run(*module)));
    ProofReport proof = prove(*module->getOps<KernelOp>().begin());
    EXPECT_EQ(proof.proved, each.proved)
        << each.before << " " << each.between << ": " << proof.reason;
    if (!each.proved)
      EXPECT_EQ(proof.rules, "MM-85") << proof.reason;
  }
}

/// Warps that one partition keeps together, and another one does not: warps 1 and 2 are
/// alike, warp 0 is of another partition before, warp 3 is named.
TEST(ProvedLitmus, LikeWarpsOfSeveralPartitions) {
  for (auto [count, proved] : {std::pair(96, true), std::pair(64, false)}) {
    MLIRContext context;
    prepare(context);
    const std::string text = R"(
titan.kernel @two() warps(4) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %i0 = arith.constant 0 : i32
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect warp(3) {
    titan.mbarrier.init %full count()" +
                             std::to_string(count) + R"() : !titan.mbarrier
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "x" warps(1) {
    }
    titan.partition "y" warps(3) {
      titan.mbarrier.arrive %full : !titan.mbarrier
    }
  }
  titan.warp_specialize {
    titan.partition "all" warps(4) {
      titan.mbarrier.wait %full parity(%i0) : !titan.mbarrier
    }
  }
  titan.return
})";
    auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    ASSERT_TRUE(module);
    for (bool eachWarp : {false, true}) {
      ProofReport proof =
          prove(*module->getOps<KernelOp>().begin(), Judgement::None,
                std::numeric_limits<double>::infinity(), nullptr, eachWarp);
      EXPECT_EQ(proof.proved, proved) << proof.reason;
    }
  }
}

/// How much work the examples' proofs are: half as much again is a regression.
TEST(ProvedExamples, Systems) {
  std::vector<std::pair<const char *, uint64_t>> most = {
      {"copy.mlir", 30},
      {"pipeline.mlir", 141},
      {"groups.mlir", 317},
      {"programs/gemm_fp8.mlir", 259},
      {"programs/attention.mlir", 750},
      {"cluster_copy.mlir", 61},
      {"programs/gemm_gfx942.mlir", 202},
      {"programs/gemm_blackwell.mlir", 670},
      {"programs/gemm_blackwell_pair.mlir", 725},
      {"programs/gemm_cluster.mlir", 156}};
  if (std::getenv("TITAN_TEST_FULL")) {
    most.emplace_back("gemm.mlir", 1330);
    most.emplace_back("programs/conv.mlir", 2223);
    most.emplace_back("programs/gemm_pingpong.mlir", 3949);
    most.emplace_back("gemm_bare.mlir", 1330);
  }
  for (auto [file, systems] : most) {
    MLIRContext context;
    prepare(context);
    auto module = parseSourceFile<ModuleOp>(
        std::string(TITAN_TESTS "/../examples/") + file,
        ParserConfig(&context));
    ASSERT_TRUE(module) << file;
    PassManager passes(&context);
    buildExpandPasses(passes, /*assertIndices=*/true);
    ASSERT_TRUE(succeeded(passes.run(*module))) << file;
    uint64_t sum = 0;
    for (auto kernel : module->getOps<KernelOp>()) {
      ProofReport proof = prove(kernel);
      EXPECT_TRUE(proof.proved) << file << ": " << proof.reason;
      sum += proof.systems;
    }
    EXPECT_LE(sum, systems * 3 / 2) << file;
  }
}

} // namespace
