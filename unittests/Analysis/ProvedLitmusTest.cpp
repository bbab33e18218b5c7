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
