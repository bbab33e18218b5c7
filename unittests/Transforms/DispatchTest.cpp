//===- DispatchTest.cpp - how long it takes, what fences cost -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of 200 copies of nine kinds: every copy is decided, and lowered. The
// times are printed (and recorded as properties); on an idle core they are a
// tenth of what is allowed here, where other tests run beside.
//
// A copy through the async proxy needs a fence where threads have stored its
// tile: with that fence it is dearer than loads and stores, without it cheaper.
//
//===----------------------------------------------------------------------===//
#include "Building.h"
#include "titan/Dispatch/Copy.h"
#include "titan/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <ctime>

using namespace mlir;
using namespace titan;

/// Of this process, not of those beside it.
static double milliseconds() { return 1e3 * std::clock() / CLOCKS_PER_SEC; }

static std::string kernelOf(int copies) {
  const char *all[] = {
      "titan.copy %A[%row, %c0] to %tile : !matrix, !tile",
      "titan.copy %tile to %A[%row, %c0] : !tile, !matrix",
      "titan.copy_async %A[%row, %c0] to %tile dispatch(\"cp_async\") : "
      "!matrix, !tile",
      "titan.copy_async %tile to %other rank(%i1) signals %full : !tile, "
      "!tile, !bar",
      "titan.copy %tile rank(%i1) to %other : !tile, !tile"};
  const char *elected[] = {
      "titan.copy_async %A[%row, %c0] to %tile signals %full : !matrix, !tile, "
      "!bar",
      "titan.copy_async %tile to %A[%row, %c0] : !tile, !matrix",
      "titan.copy_async %tile[%c8, %c0] to %other[%c0, %c0] extents [32, 32] "
      "rank(%i1) signals %full : !tile, !tile, !bar",
      "titan.copy_async %A at(Mo = %c0) to %third signals %full "
      "schedule(#tile) "
      ": !matrix, !tile, !bar"};
  std::string text = R"(
#tile = #titan.schedule<
  tensor M x K
  Mo, Mi = split(M, 64)
  bulk Mi, K>
!matrix = !titan.global<?x64xf16, strides = [64, 1]>
!tile = !titan.shared<64x64xf16>
!bar = !titan.mbarrier
titan.kernel @k(%A: !matrix) warps(4) cluster(2, 1) attributes {titan.alignment = {A = 16}} launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %i1 = arith.constant 1 : i32
  %tile = titan.shared.alloc : !tile
  %other = titan.shared.alloc : !tile
  %third = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %cta = titan.cta_id 0
  %row = arith.muli %cta, %c64 : index
)";
  for (int i = 0; i < copies / 2; ++i)
    text += std::string(all[i % std::size(all)]) + "\n";
  text += "titan.elect warp(0) {\n";
  for (int i = copies / 2; i < copies; ++i)
    text += std::string(elected[i % std::size(elected)]) + "\n";
  return text + "}\ntitan.return\n}\n";
}

TEST(Dispatch, TwoHundredCopies) {
  MLIRContext context;
  context.loadDialect<TitanDialect, arith::ArithDialect, scf::SCFDialect>();
  auto module = parseSourceString<ModuleOp>(kernelOf(200), &context);
  ASSERT_TRUE(module);
  KernelOp kernel = *module->getOps<KernelOp>().begin();
  auto time = [&](const char *what, auto body) {
    double begun = milliseconds();
    body();
    double took = milliseconds() - begun;
    RecordProperty(what, std::to_string(took));
    std::printf("%s 200 copies: %.1f ms\n", what, took);
    EXPECT_LT(took, 500) << what;
  };
  size_t chosen = 0;
  time("deciding", [&] {
    dispatch::CopyDispatch dispatch(kernel);
    for (const auto &copy : dispatch.decideAll())
      chosen += copy.decision.chosen >= 0;
  });
  EXPECT_EQ(chosen, 200u);
  time("lowering", [&] {
    EXPECT_TRUE(succeeded(dispatch::CopyDispatch(kernel).lowerAll()));
  });
  EXPECT_TRUE(succeeded(verify(*module)));
  kernel.walk(
      [](Operation *op) { EXPECT_FALSE((isa<CopyOp, CopyAsyncOp>(op))); });
}

static constexpr char asked[] = "test.bulk";

/// A bulk store that all threads wait for: of copies that bear the attribute.
static dispatch::CopyVariant bulkAndWait() {
  using namespace dispatch;
  return {
      .name = "bulk_and_wait",
      .directions = {{Memory::Shared, Memory::Global}},
      .when = {isAsynchronous(false),
               {"asked",
                [](const CopyRequest &request) -> std::optional<std::string> {
                  if (request.op->hasAttr(asked))
                    return std::nullopt;
                  return "not asked";
                }}},
      .plan = [](const CopyRequest &request) {
        return planOf(request.op, {.instructions = 4, .bytes = 8192},
                      [request](OpBuilder &b) -> Value {
                        const CopyPlaces &places = *request.places;
                        BulkStoreOp::create(
                            b, request.op->getLoc(), places.source.memory,
                            places.target.memory, places.target.offsets,
                            CachePolicyAttr());
                        return Value();
                      });
      }};
}

TEST(Dispatch, FencesDecide) {
  dispatch::CopyVariants::get().add(bulkAndWait());
  // Who fills the tile, and which variant stores it then, with how many fences.
  struct {
    const char *fill, *chosen;
    int64_t fences;
  } cases[] = {{"titan.copy %A[%c0, %c0] to %tile : !matrix, !tile\n"
                "titan.cta_sync\n",
                "vectors", 1},
               {"titan.elect warp(0) {\n"
                "titan.copy_async %A[%c0, %c0] to %tile signals %full : "
                "!matrix, !tile, !bar\n"
                "titan.mbarrier.arrive %full : !bar\n}\n"
                "titan.mbarrier.wait %full parity(%i0) : !bar\n",
                "bulk_and_wait", 0}};
  for (auto [fill, chosen, fences] : cases) {
    MLIRContext context;
    context.loadDialect<TitanDialect, arith::ArithDialect, scf::SCFDialect>();
    std::string text = R"(
!matrix = !titan.global<64x64xf16, strides = [64, 1]>
!tile = !titan.shared<64x64xf16>
!bar = !titan.mbarrier
titan.kernel @fences(%A: !matrix, %B: !matrix) warps(4) attributes {
  titan.alignment = {A = 16, B = 16}
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %tile = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
)" + std::string(fill) +
                       R"(
  titan.copy %tile to %B[%c0, %c0] : !tile, !matrix
  titan.return
}
)";
    auto module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    KernelOp kernel = *module->getOps<KernelOp>().begin();
    Operation *store = nullptr;
    kernel.walk([&](CopyOp copy) { store = copy; });
    store->setDiscardableAttr(asked, UnitAttr::get(&context));
    dispatch::Decision decision =
        dispatch::CopyDispatch(kernel).decideOne(store);
    ASSERT_GE(decision.chosen, 0);
    EXPECT_EQ(decision.verdicts[decision.chosen].name, chosen);
    for (const dispatch::Verdict &verdict : decision.verdicts)
      if (verdict.name == "bulk_and_wait") {
        EXPECT_TRUE(verdict.fits()) << verdict.problem.message;
        EXPECT_EQ(verdict.cost.fences, fences);
      }
  }
}
