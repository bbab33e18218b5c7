//===- InsertFencesTest.cpp - fences at least cost, by brute force --------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hitting sets against all subsets; then kernels, all of an alphabet up to a
// length: every set of fences that costs less than the one put in is tried, and
// the checker refuses each.
//
//===----------------------------------------------------------------------===//
#include "titan/Transforms/InsertFences.h"
#include "titan/Transforms/HittingSet.h"
#include "titan/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace titan;

namespace {

//===----------------------------------------------------------------------===//
// Hitting sets
//===----------------------------------------------------------------------===//

uint64_t bruteForce(const std::vector<uint64_t> &costs,
                    const std::vector<std::vector<unsigned>> &needs) {
  uint64_t best = UINT64_MAX;
  for (unsigned set = 0; set < 1u << costs.size(); ++set) {
    uint64_t cost = 0;
    for (unsigned i = 0; i < costs.size(); ++i)
      cost += set >> i & 1 ? costs[i] : 0;
    bool all = llvm::all_of(needs, [&](const std::vector<unsigned> &need) {
      return llvm::any_of(need, [&](unsigned i) { return set >> i & 1; });
    });
    if (all)
      best = std::min(best, cost);
  }
  return best;
}

TEST(HittingSet, againstAllSubsets) {
  std::mt19937 random(11);
  for (unsigned round = 0; round < 3000; ++round) {
    unsigned things = 1 + random() % 9;
    std::vector<uint64_t> costs(things);
    for (uint64_t &cost : costs)
      cost = 1 + random() % 6;
    std::vector<std::vector<unsigned>> needs(random() % 8);
    for (auto &need : needs)
      for (unsigned k = 0; k <= random() % 4; ++k)
        need.push_back(random() % things);
    auto found = cheapestHittingSet(costs, needs);
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->exact);
    EXPECT_EQ(found->cost, bruteForce(costs, needs)) << "round " << round;
    uint64_t sum = 0;
    for (unsigned thing : found->chosen)
      sum += costs[thing];
    EXPECT_EQ(sum, found->cost);
    for (const auto &need : needs)
      EXPECT_TRUE(llvm::any_of(need, [&](unsigned thing) {
        return llvm::is_contained(found->chosen, thing);
      }));
  }
}

TEST(HittingSet, nothingMeetsAnEmptyNeed) {
  EXPECT_FALSE(cheapestHittingSet({1, 2}, {{0}, {}}));
  EXPECT_EQ(cheapestHittingSet({1, 2}, {})->cost, 0u);
}

TEST(HittingSet, ofEqualCostTheLatest) {
  EXPECT_EQ(cheapestHittingSet({4, 4, 4}, {{0, 1, 2}, {0, 1}})->chosen,
            std::vector<unsigned>{1});
}

TEST(HittingSet, endsEarlyWithAChoice) {
  std::mt19937 random(5);
  unsigned early = 0;
  for (unsigned round = 0; round < 50; ++round) {
    std::vector<uint64_t> costs(14);
    for (uint64_t &cost : costs)
      cost = 10 + random() % 4;
    std::vector<std::vector<unsigned>> needs(24);
    for (auto &need : needs)
      for (unsigned k = 0; k < 3; ++k)
        need.push_back(random() % costs.size());
    auto found = cheapestHittingSet(costs, needs, 0);
    ASSERT_TRUE(found);
    uint64_t best = bruteForce(costs, needs);
    EXPECT_GE(found->cost, best);
    if (found->exact)
      EXPECT_EQ(found->cost, best);
    early += !found->exact;
    EXPECT_EQ(cheapestHittingSet(costs, needs)->cost, best);
  }
  EXPECT_GT(early, 0u);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

constexpr StringRef head = R"(
!global = !titan.global<?x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bulk   = !titan.token<bulk>
!bar    = !titan.mbarrier
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [2, 1]>
!reg    = tensor<64x64xbf16, #rows>
titan.kernel @k(%D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : bf16
  %v = titan.splat %one : bf16 -> !reg
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
)";

/// S: all store to %a; s: to %b; B: all meet; T: one thread stores %a to global
/// memory, and waits until it is read; t: %b; (): three times.
std::string kernelOf(StringRef letters) {
  std::string text = head.str();
  unsigned number = 0;
  for (char letter : letters) {
    std::string tile = llvm::isUpper(letter) ? "%a" : "%b";
    switch (llvm::toUpper(letter)) {
    case 'S':
      text += "titan.shared.store %v, " + tile + " : !reg, !tile\n";
      break;
    case 'B':
      text += "titan.cta_sync\n";
      break;
    case 'T': {
      std::string group = "%g" + std::to_string(number++);
      text += "titan.elect warp(0) {\n  titan.tma.store " + tile +
              ", %map[%c0, %c0] : !tile, !map\n  " + group +
              " = titan.bulk.commit : !bulk\n  titan.bulk.wait " + group +
              " read : !bulk\n}\n";
      break;
    }
    case '(':
      text += "scf.for %i" + std::to_string(number++) +
              " = %c0 to %c3 step %c1 {\n";
      break;
    case ')':
      text += "}\n";
      break;
    }
  }
  return text + "titan.return\n}\n";
}

/// All words of balanced brackets, no pair of which is empty.
void words(std::string word, unsigned open, size_t length, StringRef letters,
           std::vector<std::string> &all) {
  // Two barriers in a row are one; what neither writes nor copies needs nothing.
  if (StringRef(word).ends_with("BB"))
    return;
  if (!open && StringRef(word).upper().find('S') != std::string::npos &&
      StringRef(word).upper().find('T') != std::string::npos)
    all.push_back(word);
  if (word.size() == length)
    return;
  for (char letter : letters)
    words(word + letter, open, length, letters, all);
  if (!open && word.size() + 3 <= length)
    words(word + "(", 1, length, letters, all);
  if (open && word.back() != '(')
    words(word + ")", 0, length, letters, all);
}

struct Tally {
  unsigned programs = 0, right = 0, withFences = 0, subsets = 0;
};

class InsertFences : public testing::Test {
protected:
  InsertFences() {
    context.disableMultithreading();
    context.loadDialect<TitanDialect, arith::ArithDialect, scf::SCFDialect>();
  }

  /// The places of a kernel, as this test sees them.
  static std::vector<Operation *> placesOf(KernelOp kernel) {
    std::vector<Operation *> places;
    kernel.getBody().walk([&](Operation *op) {
      if (!isMemoryEffectFree(op) || op->hasTrait<OpTrait::IsTerminator>())
        places.push_back(op);
    });
    return places;
  }

  bool acceptedWith(KernelOp kernel, ArrayRef<Operation *> before) {
    auto clone = expandedForCheck(kernel, [&](IRMapping &to) {
      for (Operation *op : before) {
        OpBuilder b(to.lookup(op));
        FenceProxyAsyncOp::create(b, op->getLoc(), ProxySpace::SharedCta);
      }
    });
    return clone &&
           check(*clone->getOps<KernelOp>().begin(), CheckOptions()).accepted();
  }

  /// No set of fences with places from `from` on, of less than `most` in all, is
  /// accepted.
  bool noneCheaper(KernelOp kernel, ArrayRef<Operation *> places, size_t from,
                   uint64_t cost, uint64_t most,
                   SmallVectorImpl<Operation *> &chosen, Tally &tally) {
    if (cost >= most)
      return true;
    ++tally.subsets;
    if (acceptedWith(kernel, chosen))
      return false;
    for (size_t i = from; i < places.size(); ++i) {
      chosen.push_back(places[i]);
      bool none = noneCheaper(kernel, places, i + 1,
                              cost + fenceCost(FenceType::ProxySharedCta) *
                                         executionsOf(places[i]),
                              most, chosen, tally);
      chosen.pop_back();
      if (!none)
        return false;
    }
    return true;
  }

  void all(StringRef letters, size_t length, uint64_t most, Tally &tally) {
    std::vector<std::string> list;
    words("", 0, length, letters, list);
    for (const std::string &word : list) {
      ++tally.programs;
      auto module =
          parseSourceString<ModuleOp>(kernelOf(word), ParserConfig(&context));
      ASSERT_TRUE(module) << word;
      KernelOp kernel = *module->getOps<KernelOp>().begin();
      std::vector<Operation *> places = placesOf(kernel);
      bool right = acceptedWith(kernel, places);
      auto plan = planFences(kernel, CheckOptions());
      ASSERT_TRUE(succeeded(plan)) << word;
      EXPECT_EQ(plan->refusal.empty(), right) << word << ": " << plan->refusal;
      if (!right || !plan->refusal.empty())
        continue;
      ++tally.right;
      EXPECT_TRUE(plan->exact);
      tally.withFences += !plan->fences.empty();
      // What is put in is what was checked.
      std::vector<Operation *> before;
      uint64_t cost = 0;
      for (const FenceInsertion &fence : plan->fences) {
        EXPECT_EQ(fence.type, FenceType::ProxySharedCta) << word;
        before.push_back(fence.before);
        cost += fenceCost(fence.type) * executionsOf(fence.before);
      }
      EXPECT_EQ(cost, plan->cost) << word;
      EXPECT_TRUE(acceptedWith(kernel, before)) << word;
      SmallVector<Operation *> chosen;
      EXPECT_TRUE(noneCheaper(kernel, places, 0, 0, std::min(cost, most),
                              chosen, tally))
          << word << ": " << chosen.size() << " fences do";
    }
  }

  MLIRContext context;
};

TEST_F(InsertFences, allKernelsOfOneTile) {
  Tally tally;
  all("SBT", getenv("TITAN_TEST_FULL") ? 7 : 5, 33, tally);
  EXPECT_GT(tally.withFences, 10u);
  std::printf("%u kernels, %u right, %u need fences; %u cheaper sets refused\n",
              tally.programs, tally.right, tally.withFences, tally.subsets);
}

TEST_F(InsertFences, kernelsOfTwoTiles) {
  Tally tally;
  all("SsBTt", getenv("TITAN_TEST_FULL") ? 6 : 4, 33, tally);
  EXPECT_GT(tally.withFences, 10u);
  std::printf("%u kernels, %u right, %u need fences; %u cheaper sets refused\n",
              tally.programs, tally.right, tally.withFences, tally.subsets);
}

} // namespace
