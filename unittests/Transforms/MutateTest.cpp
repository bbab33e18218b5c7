//===- MutateTest.cpp - every mutation changes the kernel, and only it ----===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Transforms/Mutate.h"
#include "titan/Dialect/ReferenceDialects.h"
#include "titan/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace titan;

namespace {

std::string print(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os);
  return text;
}

/// titan, and what the examples' references are written in.
void loadDialects(MLIRContext &context) {
  DialectRegistry registry;
  registerReferenceDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<TitanDialect>();
}

class Mutate : public testing::TestWithParam<const char *> {
protected:
  Mutate() {
    loadDialects(context);
    ParserConfig config(&context);
    module = parseSourceFile<ModuleOp>(
        std::string(TITAN_EXAMPLES "/") + GetParam(), config);
    if (!module)
      return;
    PassManager passes(&context);
    buildExpandPasses(passes);
    if (failed(passes.run(*module)))
      module = {};
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_P(Mutate, EachIsAnotherKernel) {
  ASSERT_TRUE(module);
  for (auto kernel : module->getOps<KernelOp>()) {
    std::string original = print(kernel);
    llvm::StringSet<> seen;
    int invalid = 0;
    std::vector<Mutation> mutations = enumerateMutations(kernel);
    EXPECT_EQ(print(kernel), original) << "enumerating changes nothing";
    for (const Mutation &mutation : mutations) {
      OwningOpRef<KernelOp> clone(kernel.clone());
      if (failed(applyMutation(*clone, mutation))) {
        ++invalid;
        continue;
      }
      std::string text = print(*clone);
      EXPECT_NE(text, original) << mutation.description;
      seen.insert(text);
    }
    EXPECT_EQ(print(kernel), original) << "mutations are made in clones";
    EXPECT_GE(mutations.size(), 10u);
    // Few are refused by the verifier, and few are the same kernel: moving an
    // operation behind its neighbour is moving the neighbour before it.
    EXPECT_LE(invalid * 10, int(mutations.size()));
    EXPECT_GE(seen.size() * 4, mutations.size() * 3);
  }
}

/// The kernels of a file, expanded; null where it does not parse.
OwningOpRef<ModuleOp> parse(MLIRContext &context, const std::string &file) {
  loadDialects(context);
  auto module = parseSourceFile<ModuleOp>(file, ParserConfig(&context));
  PassManager passes(&context);
  buildExpandPasses(passes);
  return module && succeeded(passes.run(*module)) ? std::move(module)
                                                  : OwningOpRef<ModuleOp>();
}

/// benchmarks/results/mutants.txt tells of these.
TEST(Mutations, AreThoseOfTheTable) {
  size_t count = 0;
  for (const char *file : {"copy.mlir", "pipeline.mlir", "gemm.mlir",
                           "gemm_bare.mlir", "groups.mlir"}) {
    MLIRContext context;
    auto module = parse(context, std::string(TITAN_EXAMPLES "/") + file);
    ASSERT_TRUE(module);
    for (auto kernel : module->getOps<KernelOp>())
      count += enumerateMutations(kernel).size();
  }
  EXPECT_EQ(count, 1253u);
}

/// What an operation's effects say is what can be wrong with it: nobody tells
/// titan-mutate of cp.async.
TEST(Mutations, FollowFromEffects) {
  MLIRContext context;
  auto module = parse(context, TITAN_TESTS "/Dialect/syntax-async-copies.mlir");
  ASSERT_TRUE(module);
  llvm::StringSet<> made;
  for (auto kernel : module->getOps<KernelOp>())
    for (const Mutation &mutation : enumerateMutations(kernel)) {
      OwningOpRef<KernelOp> clone(kernel.clone());
      if (succeeded(applyMutation(*clone, mutation)))
        made.insert(mutation.description);
    }
  for (const char *wanted : {"drop cp_async.commit",
                             "drop cp_async.wait",
                             "leave a cp.async group pending",
                             "leave two cp.async groups pending",
                             "leave one more cp.async group pending",
                             "drop cp_async.mbarrier_arrive",
                             "an arrival that raises the count by itself",
                             "an arrival that the barrier counts",
                             "the next slot in cp_async.mbarrier_arrive",
                             "duplicate bulk.load",
                             "the next slot in bulk.load",
                             "duplicate bulk.copy_to_peer",
                             "duplicate bulk.reduce_to_peer",
                             "drop mbarrier.complete_tx",
                             "complete 16 bytes more",
                             "the next slot in mbarrier.complete_tx",
                             "duplicate st_async",
                             "duplicate red_async",
                             "drop mbarrier.arrive_drop",
                             "relaxed mbarrier.arrive_drop",
                             "one more arrival"})
    EXPECT_TRUE(made.contains(wanted)) << wanted;
}

INSTANTIATE_TEST_SUITE_P(Examples, Mutate,
                         testing::Values("copy.mlir", "pipeline.mlir",
                                         "gemm.mlir", "gemm_bare.mlir"));

} // namespace
