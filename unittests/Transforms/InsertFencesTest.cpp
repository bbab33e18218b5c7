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

#include <cstdlib>
#include <functional>
#include <random>
#include <set>

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

/// What letters mean, the fences that order it, and which words are asked.
struct Alphabet {
  StringRef letters;
  std::vector<FenceType> types;
  std::function<std::string(StringRef word)> kernelOf;
  std::function<bool(StringRef word)> wanted;
};

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

/// What neither writes nor copies needs nothing.
bool hasBoth(StringRef word, char a, char b) {
  return word.upper().find(a) != std::string::npos &&
         word.upper().find(b) != std::string::npos;
}
Alphabet tiles(StringRef letters) {
  return {letters, {FenceType::ProxySharedCta}, kernelOf, [](StringRef word) {
            return hasBoth(word, 'S', 'T');
          }};
}

/// A kernel of four warps, with two tiles, a barrier and a map in memory.
std::string kernelOfFour(StringRef word,
                         llvm::function_ref<std::string(char, unsigned)> each) {
  std::string text = R"(
!global = !titan.global<64x64xbf16>
!maps   = !titan.global<4x128xi8>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
#acc    = #titan.wgmma<1, 1>
!flight = !titan.inflight<tensor<64x64xf32, #acc>>
!sums   = tensor<64x64xf32, #acc>
titan.kernel @k(%A: !global, %maps: !maps) warps(4) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %A : !global -> !map
  titan.launch grid(%c1) with(%map : !map)
} body(%launched: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 8192 : i32
  %one = arith.constant 1.0 : bf16
  %v = titan.splat %one : bf16 -> !reg
  %changed = titan.tensormap.at %maps[%c0] over %A : !maps, !global -> !map
  %a = titan.shared.alloc : !tile
  %b = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
)";
  unsigned number = 0;
  for (char letter : word) {
    if (letter == '(')
      text += "scf.for %loop" + std::to_string(number++) +
              " = %c0 to %c3 step %c1 {\n";
    else if (letter == ')')
      text += "}\n";
    else if (letter == 'B')
      text += "titan.cta_sync\n";
    else
      text += each(letter, number++);
  }
  return text + "titan.return\n}\n";
}

/// S: all store to %a; B: all meet; M: they multiply it; m: into the same sums again.
Alphabet products() {
  return {"SBMm",
          {FenceType::ProxySharedCta, FenceType::Wgmma},
          [](StringRef word) {
            return kernelOfFour(word, [](char letter, unsigned number) {
              std::string n = std::to_string(number);
              if (letter == 'S')
                return std::string("titan.shared.store %v, %a : !reg, !tile\n");
              std::string sum = "%n" + n,
                          text = sum + " = titan.inflight.none : !flight\n";
              for (unsigned i = 0; i <= (letter == 'm'); ++i) {
                std::string next = "%p" + n + "_" + std::to_string(i);
                text += next + " = titan.mma %a, %a, " + sum +
                        " : !tile, !tile, !flight -> !flight\n";
                sum = next;
              }
              return text + "%g" + n +
                     " = titan.mma.commit : !titan.token<mma>\n%d" + n +
                     " = titan.mma.result " + sum + " : !flight -> !sums\n";
            });
          },
          [](StringRef word) { return hasBoth(word, 'S', 'M'); }};
}

/// I: one thread initialises the barrier; L: one copies to %a by it, and waits; l: one
/// of another warp; S: all store to %a; B: all meet.
Alphabet initialised() {
  return {
      "ISBLl",
      {FenceType::ProxySharedCta, FenceType::MbarrierInit},
      [](StringRef word) {
        unsigned copies = 0;
        return kernelOfFour(word, [&](char letter, unsigned) {
          if (letter == 'S')
            return std::string("titan.shared.store %v, %a : !reg, !tile\n");
          if (letter == 'I')
            return std::string("titan.elect warp(0) {\n  titan.mbarrier.init "
                               "%full count(1) : !bar\n}\n");
          return std::string("titan.elect warp(") +
                 (letter == 'l' ? "1" : "0") +
                 ") {\n  titan.mbarrier.arrive_expect_tx %full, %bytes : !bar\n"
                 "  titan.tma.load %launched[%c0, %c0], %a, %full : !map, "
                 "!tile, !bar\n"
                 "  titan.mbarrier.wait %full parity(%i" +
                 std::to_string(copies++ % 2) + ") : !bar\n}\n";
        });
      },
      [](StringRef word) {
        return word.count('I') == 1 && word.find('(') == StringRef::npos &&
               hasBoth(word, 'I', 'L');
      }};
}

/// E: one thread changes a map in memory; C: one copies to %a through it, and waits;
/// c: one of another warp; B: all meet.
Alphabet changed() {
  return {
      "EBCc",
      {FenceType::TensormapRelease, FenceType::TensormapAcquire},
      [](StringRef word) {
        unsigned copies = 0;
        std::string begin = ("I" + word).str();
        return kernelOfFour(begin, [&](char letter, unsigned number) {
          std::string n = std::to_string(number);
          if (letter == 'I')
            return std::string(
                "titan.elect warp(0) {\n  titan.mbarrier.init %full count(1) : "
                "!bar\n"
                "  titan.fence.mbarrier_init\n}\ntitan.cta_sync\n");
          if (letter == 'E')
            return "titan.elect warp(0) {\n  %byte" + n +
                   " = titan.ld %maps[%c0, %c3] : !maps -> i8\n  titan.st "
                   "%byte" +
                   n + ", %maps[%c0, %c3] : i8, !maps\n}\n";
          return std::string("titan.elect warp(") +
                 (letter == 'c' ? "1" : "0") +
                 ") {\n  titan.mbarrier.arrive_expect_tx %full, %bytes : !bar\n"
                 "  titan.tma.load %changed[%c0, %c0], %a, %full : !map, "
                 "!tile, !bar\n"
                 "  titan.mbarrier.wait %full parity(%i" +
                 std::to_string(copies++ % 2) + ") : !bar\n}\n";
        });
      },
      [](StringRef word) {
        return word.find('(') == StringRef::npos && hasBoth(word, 'E', 'C');
      }};
}

/// All words of balanced brackets, no pair of which is empty.
void words(std::string word, unsigned open, size_t length,
           const Alphabet &alphabet, std::vector<std::string> &all) {
  // Two barriers in a row are one.
  if (StringRef(word).ends_with("BB"))
    return;
  if (!open && alphabet.wanted(word))
    all.push_back(word);
  if (word.size() == length)
    return;
  for (char letter : alphabet.letters)
    words(word + letter, open, length, alphabet, all);
  if (!open && word.size() + 3 <= length)
    words(word + "(", 1, length, alphabet, all);
  if (open && word.back() != '(')
    words(word + ")", 0, length, alphabet, all);
}

/// A fence that might be put in.
struct Place {
  Operation *before;
  FenceType type;
};

struct Tally {
  unsigned programs = 0, right = 0, withFences = 0, ofAllTypes = 0, subsets = 0;
};

class InsertFences : public testing::Test {
protected:
  InsertFences() {
    context.disableMultithreading();
    context.loadDialect<TitanDialect, arith::ArithDialect, scf::SCFDialect>();
  }

  /// Where fences may stand in a kernel, as this test sees it. (mma.fence is of all
  /// threads of a warpgroup.)
  static std::vector<Place> placesOf(KernelOp kernel,
                                     ArrayRef<FenceType> types) {
    std::vector<Place> places;
    kernel.getBody().walk([&](Operation *op) {
      if (!isMemoryEffectFree(op) || op->hasTrait<OpTrait::IsTerminator>())
        for (FenceType type : types)
          if (type != FenceType::Wgmma || !op->getParentOfType<ElectOp>())
            places.push_back({op, type});
    });
    return places;
  }
  static Value mapOf(KernelOp kernel) {
    Value map;
    kernel.getBody().walk([&](TensormapAtOp op) { map = op.getResult(); });
    return map;
  }

  bool acceptedWith(KernelOp kernel, ArrayRef<Place> places) {
    auto clone = expandedForCheck(kernel, [&](IRMapping &to) {
      for (const Place &place : places) {
        Value map = mapOf(kernel);
        FenceInsertion{
            to.lookup(place.before), place.type, map ? to.lookup(map) : map,
            FenceNeed{
                Code::ProxyFenceMissing, kernel.getLoc(), kernel.getLoc(), {}}}
            .insert();
      }
    });
    return clone &&
           check(*clone->getOps<KernelOp>().begin(), CheckOptions()).accepted();
  }

  static uint64_t costOf(const Place &place) {
    return fenceCost(place.type) * executionsOf(place.before);
  }

  /// No set of fences with places from `from` on, of less than `most` in all, is
  /// accepted.
  bool noneCheaper(KernelOp kernel, ArrayRef<Place> places, size_t from,
                   uint64_t cost, uint64_t most, SmallVectorImpl<Place> &chosen,
                   Tally &tally) {
    if (cost >= most)
      return true;
    ++tally.subsets;
    if (acceptedWith(kernel, chosen))
      return false;
    for (size_t i = from; i < places.size(); ++i) {
      chosen.push_back(places[i]);
      bool none = noneCheaper(kernel, places, i + 1, cost + costOf(places[i]),
                              most, chosen, tally);
      chosen.pop_back();
      if (!none)
        return false;
    }
    return true;
  }

  void all(const Alphabet &alphabet, size_t length, uint64_t most,
           Tally &tally) {
    std::vector<std::string> list;
    words("", 0, length, alphabet, list);
    for (const std::string &word : list) {
      ++tally.programs;
      auto module = parseSourceString<ModuleOp>(alphabet.kernelOf(word),
                                                ParserConfig(&context));
      ASSERT_TRUE(module) << word;
      KernelOp kernel = *module->getOps<KernelOp>().begin();
      std::vector<Place> places = placesOf(kernel, alphabet.types);
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
      std::vector<Place> put;
      std::set<FenceType> types;
      uint64_t cost = 0;
      for (const FenceInsertion &fence : plan->fences) {
        EXPECT_TRUE(llvm::is_contained(alphabet.types, fence.type)) << word;
        put.push_back({fence.before, fence.type});
        types.insert(fence.type);
        cost += costOf(put.back());
      }
      tally.ofAllTypes += types.size() == alphabet.types.size();
      EXPECT_EQ(cost, plan->cost) << word;
      EXPECT_TRUE(acceptedWith(kernel, put)) << word;
      SmallVector<Place> chosen;
      EXPECT_TRUE(noneCheaper(kernel, places, 0, 0, std::min(cost, most),
                              chosen, tally))
          << word << ": " << chosen.size() << " fences do";
    }
    EXPECT_GT(tally.withFences, 10u);
    EXPECT_GT(tally.ofAllTypes, 0u);
    std::printf("%s to %zu: %u kernels, %u right, %u need fences (%u of all "
                "types); %u cheaper sets refused\n",
                alphabet.letters.str().c_str(), length, tally.programs,
                tally.right, tally.withFences, tally.ofAllTypes, tally.subsets);
  }

  MLIRContext context;
};

bool full() { return std::getenv("TITAN_TEST_FULL"); }

TEST_F(InsertFences, allKernelsOfOneTile) {
  Tally tally;
  all(tiles("SBT"), full() ? 8 : 5, 33, tally);
}

TEST_F(InsertFences, kernelsOfTwoTiles) {
  Tally tally;
  all(tiles("SsBTt"), full() ? 6 : 4, 33, tally);
}

TEST_F(InsertFences, kernelsWithProducts) {
  Tally tally;
  all(products(), full() ? 5 : 4, 33, tally);
}

TEST_F(InsertFences, kernelsThatInitialiseBarriers) {
  Tally tally;
  all(initialised(), full() ? 6 : 5, 33, tally);
}

TEST_F(InsertFences, kernelsThatChangeMaps) {
  Tally tally;
  all(changed(), full() ? 4 : 3, 129, tally);
}

} // namespace
