//===- CopyBuilderTest.cpp - copies by schedules made in C++ --------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of copies is built without any text and compared with the one that
// the same text gives, as it is written and as it is lowered.
//
//===----------------------------------------------------------------------===//
#include "titan/Domain/TmaSchedule.h"
#include "titan/Transforms/Passes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/DebugStringHelper.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace titan;

namespace {

/// M x K of f32, rows of 256 bytes; boxes of 128 rows and `columns`.
struct Tile {
  TmaSchedule s;
  DomainId mo, mi, ko, ki;

  explicit Tile(TmaDirection direction, int64_t columns = 32) {
    DomainId m = s.graph.root(titan::Expr::symbol("M"), "M"),
             k = s.graph.root(64, "K");
    s.global = {{m, 256}, {k, 4}};
    std::tie(mo, mi) = *s.graph.splitInner(m, 128);
    std::tie(ko, ki) = *s.graph.splitInner(k, columns);
    for (auto [id, name] :
         {std::pair(mo, "Mo"), {mi, "Mi"}, {ko, "Ko"}, {ki, "Ki"}})
      s.graph.rename(id, name);
    s.bulk = {mi, ki};
    s.type = findTmaType("f32");
    s.direction = direction;
  }
};

class CopyBuilder : public testing::Test {
protected:
  CopyBuilder()
      : b(&context), loc(UnknownLoc::get(&context)),
        handler(&context, [this](Diagnostic &diagnostic) {
          said += diagnostic.str() + "\n";
          return success();
        }) {
    context.loadDialect<TitanDialect, arith::ArithDialect, scf::SCFDialect>();
  }

  Type type(StringRef text) { return parseType(text, &context); }

  /// A kernel of two tensors, %X and %Y, around a tile and a barrier, in which
  /// one thread does what `copies` builds.
  OwningOpRef<ModuleOp>
  build(function_ref<void(Value x, Value y, Value tile, Value full, Value row)>
            copies,
        StringRef tileType = "!titan.shared<128x32xf32, swizzle = 128>") {
    OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
    b.setInsertionPointToEnd(module->getBody());
    Type x = type("!titan.global<?x64xf32, strides = [64, 1]>");
    auto kernel = KernelOp::create(
        b, loc, "k", b.getTypeArrayAttr({x, x}), b.getStrArrayAttr({"X", "Y"}),
        b.getStrArrayAttr({}), /*warps=*/1, /*registers=*/IntegerAttr(),
        /*cluster=*/DenseI64ArrayAttr());
    b.createBlock(&kernel.getLaunch(), {}, {x, x}, {loc, loc});
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    LaunchOp::create(b, loc, ValueRange{one}, ValueRange{});
    Block *body = b.createBlock(&kernel.getBody(), {}, {x, x}, {loc, loc});
    Value row = CtaIdOp::create(b, loc, b.getIndexType(), 0);
    Value tile = SharedAllocOp::create(b, loc, type(tileType));
    Value full = MBarrierAllocOp::create(b, loc, type("!titan.mbarrier"));
    auto elect = ElectOp::create(b, loc, TypeRange(), IntegerAttr());
    b.createBlock(&elect.getBody());
    copies(body->getArgument(0), body->getArgument(1), tile, full, row);
    YieldOp::create(b, loc);
    b.setInsertionPointToEnd(body);
    ReturnOp::create(b, loc);
    return module;
  }
  OwningOpRef<ModuleOp> parse(const std::string &text) {
    return parseSourceString<ModuleOp>(text, ParserConfig(&context));
  }
  bool lower(ModuleOp module) {
    PassManager passes(&context);
    passes.addNestedPass<KernelOp>(createLowerCopies());
    return succeeded(passes.run(module));
  }

  MLIRContext context;
  OpBuilder b;
  Location loc;
  std::string said; ///< All diagnostics.
  ScopedDiagnosticHandler handler;
};

TEST_F(CopyBuilder, AsFromText) {
  auto built = build([&](Value x, Value y, Value tile, Value full, Value row) {
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Tile load(TmaDirection::Load), store(TmaDirection::Store);
    load.s.wanted = Correctness::Strong;
    load.s.nanFill = true;
    load.s.swizzle = findTmaSwizzle("128B");
    CopyAsyncOp::create(b, loc, x, tile, load.s,
                        {{load.mo, row}, {load.ko, zero}}, full);
    load.s.wanted = Correctness::Weak;
    CopyAsyncOp::create(b, loc, x, tile, load.s,
                        {{load.ko, zero}, {load.mo, row}}, full)
        .setWeak(true);
    CopyAsyncOp::create(b, loc, tile, y, store.s,
                        {{store.mo, row}, {store.ko, zero}});
  });
  auto parsed = parse(R"(
#s = #titan.schedule<tensor M x K Mo, Mi = split(M, 128)
  Ko, Ki = split(K, 32) bulk Mi, Ki>
!x = !titan.global<?x64xf32, strides = [64, 1]>
!tile = !titan.shared<128x32xf32, swizzle = 128>
titan.kernel @k(%X: !x, %Y: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %row = titan.cta_id 0
  %tile = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    %c0 = arith.constant 0 : index
    titan.copy_async %X at(Mo = %row, Ko = %c0) to %tile signals %full schedule(#s) strong fill(nan)
      : !x, !tile, !titan.mbarrier
    titan.copy_async %X at(Ko = %c0, Mo = %row) to %tile signals %full schedule(#s) weak
      : !x, !tile, !titan.mbarrier
    titan.copy_async %tile to %Y at(Mo = %row, Ko = %c0) schedule(#s) : !tile, !x
  }
  titan.return
})");
  ASSERT_TRUE(parsed) << said;
  ASSERT_TRUE(succeeded(verify(*built))) << said;
  std::string before = debugString(*built);
  EXPECT_EQ(before, debugString(*parsed));
  ASSERT_TRUE(lower(*built)) << said;
  ASSERT_TRUE(lower(*parsed)) << said;
  std::string after = debugString(*built);
  EXPECT_EQ(after, debugString(*parsed));
  EXPECT_NE(after.find("titan.tma.load"), std::string::npos);
  EXPECT_NE(after.find("titan.tma.store"), std::string::npos);
  EXPECT_EQ(after.find("titan.copy_async"), std::string::npos);
  EXPECT_EQ(said, "");
}

TEST_F(CopyBuilder, Reductions) {
  for (std::string how : {"add", "min", "max"}) {
    said.clear();
    auto built = build([&](Value, Value y, Value tile, Value, Value row) {
      Value zero = arith::ConstantIndexOp::create(b, loc, 0);
      Tile t(TmaDirection::Reduce);
      t.s.reduction = how;
      auto copy = CopyAsyncOp::create(b, loc, tile, y, t.s,
                                      {{t.mo, row}, {t.ko, zero}});
      EXPECT_EQ(stringifyAtomicOp(*copy.getReduce()).str(), how);
    });
    // Of f32, TMA adds only.
    EXPECT_EQ(succeeded(verify(*built)), how == "add") << said;
    if (how != "add")
      continue;
    ASSERT_TRUE(lower(*built)) << said;
    EXPECT_NE(debugString(*built).find("titan.tma.reduce add"),
              std::string::npos)
        << debugString(*built);
  }
}

/// What a schedule says and the operation does not is held to the operands.
TEST_F(CopyBuilder, Contradictions) {
  auto load = [&](function_ref<void(Tile &)> change, bool toY = false) {
    said.clear();
    auto built = build([&](Value x, Value y, Value tile, Value full,
                           Value row) {
      Value zero = arith::ConstantIndexOp::create(b, loc, 0);
      Tile t(toY ? TmaDirection::Store : TmaDirection::Load);
      change(t);
      CopyAsyncOp::create(b, loc, toY ? tile : x, toY ? y : tile, t.s,
                          {{t.mo, row}, {t.ko, zero}}, toY ? Value() : full);
    });
    std::string own = said;
    // What was refused has no schedule.
    EXPECT_EQ(failed(verify(*built)), !own.empty());
    return own;
  };
  const std::string op = "'titan.copy_async' op ";
  EXPECT_EQ(load([](Tile &) {}), "");
  EXPECT_EQ(load([](Tile &) {}, true), "");
  EXPECT_EQ(load([](Tile &t) { t.s.direction = TmaDirection::Store; }),
            op + "[copy-form] the schedule is none of a load\n");
  EXPECT_EQ(load([](Tile &t) { t.s.direction = TmaDirection::Load; }, true),
            op + "[copy-form] the schedule is one of a load\n");
  EXPECT_EQ(load(
                [](Tile &t) {
                  t.s.direction = TmaDirection::Reduce;
                  t.s.reduction = "inc";
                },
                true),
            op + "[not-supported-yet] a reduction by 'inc' in the IR\n");
  EXPECT_EQ(load([](Tile &t) { t.s.type = findTmaType("bf16"); }),
            op + "[tma-map-type] the schedule is one of bf16, the tensor has "
                 "elements of f32\n");
  EXPECT_EQ(load([](Tile &t) { t.s.swizzle = findTmaSwizzle("64B"); }),
            op + "[tma-box-mismatch] the schedule names swizzle 64B, the "
                 "buffer has swizzle 128B\n");
  EXPECT_EQ(load([](Tile &t) { t.s.swizzleNamed = true; }),
            op + "[tma-box-mismatch] the schedule names swizzle none, the "
                 "buffer has swizzle 128B\n");
  EXPECT_EQ(load([](Tile &t) { t.s.global[0].stride = 512; }),
            op + "[domain-invalid] dimension M has a stride of 512 bytes in "
                 "the schedule, and of 256 in the tensor\n");
  EXPECT_EQ(load([](Tile &t) { t.mo = 17; }),
            op + "[copy-loops] `at` names domain 17, which is not there\n");
  EXPECT_EQ(load([](Tile &t) { t.s.graph.rename(t.mo, "Mi"); }),
            op + "[schedule-text] no text in the IR says this schedule: two "
                 "domains have the name Mi\n");
  EXPECT_EQ(load([](Tile &t) {
              TmaSchedule s;
              s.type = t.s.type;
              DomainId m = s.graph.root(128, "M"), k = s.graph.root(32, "K");
              s.global = {{m, 256}, {k, 4}};
              s.bulk = {m, k};
              t.s = s;
            }),
            op + "[copy-loops] `at` names domain 2, which is not there\n");
}

/// The sizes that both know are the same.
TEST_F(CopyBuilder, Sizes) {
  auto build = [&](int64_t columns, int64_t dims) {
    said.clear();
    this->build([&](Value x, Value, Value tile, Value full, Value row) {
      TmaSchedule s;
      s.type = findTmaType("f32");
      s.bulk = {s.graph.root(128, "M")};
      s.global = {{0, 256}};
      if (dims == 2) {
        s.global.push_back({s.graph.root(columns, "K"), 4});
        s.bulk.push_back(1);
      }
      CopyAsyncOp::create(b, loc, x, tile, s, {}, full);
    });
    return said;
  };
  const std::string op = "'titan.copy_async' op [domain-invalid] ";
  EXPECT_EQ(build(64, 2), "");
  EXPECT_EQ(build(32, 2),
            op + "dimension K is 32 in the schedule, and 64 in the tensor\n");
  EXPECT_EQ(build(0, 1), op + "the schedule has 1 dimensions, the tensor 2\n");
}

/// A slot of a pipe.
TEST_F(CopyBuilder, Pipes) {
  auto module = parse(R"(
#s = #titan.schedule<tensor M x K Mo, Mi = split(M, 128)
  Ko, Ki = split(K, 32) bulk Mi, Ki>
!x = !titan.global<?x64xf32>
!ring = !titan.shared<128x32xf32, swizzle = 128, slots = 2>
titan.kernel @k(%X: !x) warps(2) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %row = titan.cta_id 0
  %ring = titan.shared.alloc : !ring
  %p = titan.pipe.create "load" -> ["use"] buffers ["a"](%ring : !ring) : !titan.pipe<2>
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      %c0 = arith.constant 0 : index
      %slot = titan.pipe.acquire %p : !titan.pipe<2>
      titan.pipe.copy_async %X at(Mo = %row, Ko = %c0) -> %slot["a"] schedule(#s) strong : !x
      titan.pipe.commit %slot
    }
    titan.partition "use" warps(1) {
      %slot = titan.pipe.wait %p : !titan.pipe<2>
      titan.pipe.release %slot
    }
  }
  titan.return
})");
  ASSERT_TRUE(module) << said;
  std::string before = debugString(*module);
  PipeCopyAsyncOp text;
  module->walk([&](PipeCopyAsyncOp op) { text = op; });
  b.setInsertionPoint(text);
  auto create = [&](const Tile &tile, Value slot) {
    said.clear();
    return PipeCopyAsyncOp::create(
        b, loc, text.getTensor(), slot, "a", tile.s,
        {{tile.mo, text.getIndices()[0]}, {tile.ko, text.getIndices()[1]}});
  };
  const std::string op = "'titan.pipe.copy_async' op ";
  Tile tile(TmaDirection::Load);
  tile.s.wanted = Correctness::Strong;
  for (const char *swizzle : {"64B", "none"}) {
    tile.s.swizzle = findTmaSwizzle(swizzle);
    tile.s.swizzleNamed = true;
    create(tile, text.getSlot()).erase();
    EXPECT_EQ(said, op + "[tma-box-mismatch] the schedule names swizzle " +
                        swizzle + ", the buffer has swizzle 128B\n");
  }
  tile.s.swizzle = findTmaSwizzle("128B");
  // A slot whose pipe is not seen.
  Value slot = TokenNoneOp::create(b, loc, text.getSlot().getType());
  create(tile, slot).erase();
  EXPECT_EQ(said, op + "[tma-box-mismatch] the schedule names swizzle 128B, "
                       "and the slot's buffer cannot be seen from here: leave "
                       "the swizzle to the buffer's type\n");
  slot.getDefiningOp()->erase();
  tile.s.direction = TmaDirection::Store;
  create(tile, text.getSlot()).erase();
  EXPECT_EQ(said, op + "[copy-form] the schedule is none of a load\n");
  tile.s.direction = TmaDirection::Load;
  create(tile, text.getSlot());
  EXPECT_EQ(said, "");
  text.erase();
  EXPECT_EQ(debugString(*module), before);
  EXPECT_TRUE(succeeded(verify(*module))) << said;
}

} // namespace
