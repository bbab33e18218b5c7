//===- ResolverTest.cpp - footprints against brute force ------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each kind of footprint, of operations as they are written, under random
// values: the bytes that the resolver says against those that one finds element
// by element. The environments keep no more than a number for each value.
//
//===----------------------------------------------------------------------===//
#include "titan/Effects/Resolver.h"
#include "titan/Target/Target.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace mlir;
using namespace titan;
using namespace titan::effect;

namespace {

const char *const text = R"(
#row = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
#column = #titan.blocked<elements = [2, 1], lanes = [8, 4], warps = [1, 2]>
#acc = #titan.wgmma<1, 1>
#sum = #titan.slice<1, #acc>
#cells = #titan.tmem<"32x32b">
!map = !titan.tensor_map<16x32xbf16, swizzle = 64>
!strided = !titan.tensor_map<16x32xbf16, element_strides = [3, 1]>
!pixels = !titan.tensor_map<im2col 16x8xbf16, lower = [-1, -1], upper = [-1, -1], element_strides = [1, 2, 2, 1]>
!slices = !titan.tensor_map<2x1x4x16xbf16, interleave = 16>
!ring = !titan.shared<64x64xbf16, swizzle = 128, slots = 3>
!tile = !titan.shared<64x64xbf16, swizzle = 128>
!half = !titan.shared<32x64xbf16, swizzle = 128>
!s = !titan.tensor_memory<128x64xf32, slots = 2>
!d = !titan.tensor_memory<128x64xf32>
!p = !titan.tensor_memory<128x32xbf16>
titan.kernel @all(%A: !titan.global<?x?xbf16>, %X: !titan.global<?x?x?x?xbf16>,
                  %Y: !titan.global<?x?x?x?x8xbf16>, %maps: !titan.global<?x128xi8>)
    warps(8) cluster(4) launch {
  %four = arith.constant 4 : index
  %map = titan.tensor_map %A : !titan.global<?x?xbf16> -> !map
  %strided = titan.tensor_map %A : !titan.global<?x?xbf16> -> !strided
  %pixels = titan.tensor_map %X : !titan.global<?x?x?x?xbf16> -> !pixels
  %slices = titan.tensor_map %Y : !titan.global<?x?x?x?x8xbf16> -> !slices
  titan.launch grid(%four) with(%map, %strided, %pixels, %slices : !map, !strided, !pixels, !slices)
} body(%map: !map, %strided: !strided, %pixels: !pixels, %slices: !slices) {
  %ring = titan.shared.alloc : !ring
  %flat = titan.shared.alloc : !titan.shared<16x16xf32>
  %sums = titan.shared.alloc : !titan.shared<64xf32>
  %line = titan.shared.alloc : !titan.shared<16x32xbf16>
  %swizzled = titan.shared.alloc : !titan.shared<16x32xbf16, swizzle = 64>
  %some = titan.shared.alloc : !titan.shared<6x32xbf16>
  %image = titan.shared.alloc : !titan.shared<16x8xbf16>
  %blocks = titan.shared.alloc : !titan.shared<2x1x4x16x8xbf16>
  %full = titan.mbarrier.alloc : !titan.mbarrier<5>
  %cells = titan.tmem.alloc : !s
  %edit = titan.tensormap.alloc : !map
  %i = titan.warp_id
  %j = titan.cta_id 0
  %k = titan.cta_id 1
  %l = titan.cta_id 2
  %zero = arith.constant 0 : index
  %near = arith.constant 1 : index
  %rank = titan.cluster_rank
  %c = arith.index_cast %j : index to i32
  %mask = arith.trunci %c : i32 to i16
  %slot = titan.shared.slot %ring[%c : i32] : !ring -> !tile
  %view = titan.shared.view %slot [16, 0] : !tile -> !half
  %peer = titan.map_rank %view, %rank : !half -> !titan.shared<32x64xbf16, swizzle = 128, cluster>
  %t = titan.shared.load %view : !half -> tensor<32x64xbf16, #row>
  titan.shared.store %t, %peer : tensor<32x64xbf16, #row>, !titan.shared<32x64xbf16, swizzle = 128, cluster>
  %u = titan.shared.load %flat : !titan.shared<16x16xf32> -> tensor<16x16xf32, #column>
  titan.shared.store %u, %flat : tensor<16x16xf32, #column>, !titan.shared<16x16xf32>
  %v = titan.shared.load %sums : !titan.shared<64xf32> -> tensor<64xf32, #sum>
  titan.shared.store %v, %sums : tensor<64xf32, #sum>, !titan.shared<64xf32>
  %e = titan.ld %view[%j, %k] : !half -> bf16
  titan.st %e, %A[%j, %k] : bf16, !titan.global<?x?xbf16>
  %r = titan.splat %c : i32 -> tensor<16x16xi32, #column>
  %q = titan.coordinate 0 : tensor<16x16xi32, #column>
  %m = arith.cmpi slt, %r, %q : tensor<16x16xi32, #column>
  %g = titan.global.load %A[%r, %q] mask(%m : tensor<16x16xi1, #column>) : !titan.global<?x?xbf16>, tensor<16x16xi32, #column>, tensor<16x16xi32, #column> -> tensor<16x16xbf16, #column>
  titan.global.store %g, %A[%q, %r] : tensor<16x16xbf16, #column>, !titan.global<?x?xbf16>, tensor<16x16xi32, #column>, tensor<16x16xi32, #column>
  titan.elect {
    titan.mbarrier.init %full[%c : i32] count(1) : !titan.mbarrier<5>
    titan.tma.load %map[%j, %k], %swizzled, %full[%c : i32] multicast(%mask) : !map, !titan.shared<16x32xbf16, swizzle = 64>, !titan.mbarrier<5>
    titan.tma.store %swizzled, %map[%j, %k] : !titan.shared<16x32xbf16, swizzle = 64>, !map
    titan.tma.reduce add %some, %strided[%j, %k] : !titan.shared<6x32xbf16>, !strided
    titan.tma.load %strided[%j, %k], %some, %full[%c : i32] : !strided, !titan.shared<6x32xbf16>, !titan.mbarrier<5>
    titan.tma.load %pixels[%j, %k, %l, %zero] offsets[%near, %near], %image, %full[%c : i32] : !pixels, !titan.shared<16x8xbf16>, !titan.mbarrier<5>
    titan.tma.load %slices[%j, %k, %l, %j], %blocks, %full[%c : i32] : !slices, !titan.shared<2x1x4x16x8xbf16>, !titan.mbarrier<5>
  }
  %at = titan.tensormap.at %maps[%k] over %A : !titan.global<?x128xi8>, !titan.global<?x?xbf16> -> !map
  titan.tensormap.copy %at, %edit : !map, !map
  %d = titan.tmem.slot %cells[%c : i32] : !s -> !d
  %p = titan.tmem.view %d[%j] : !d -> !p
  %x = titan.tmem.load %d : !d -> !titan.inflight<tensor<128x64xf32, #cells>>
  %y = titan.tmem.load %p : !p -> !titan.inflight<tensor<128x32xbf16, #cells>>
  titan.return
}
)";

/// A number for each value; what a view names is followed to the root.
class Numbers : public Environment {
public:
  explicit Numbers(std::mt19937 &random) : random(random) {}

  int64_t number(Value value) {
    auto [found, fresh] = numbers.try_emplace(value, 0);
    if (fresh)
      found->second = std::uniform_int_distribution<int>(-20, 40)(random);
    return found->second;
  }
  std::optional<int64_t> scalar(Value value, Role, unsigned) override {
    return number(value);
  }
  std::optional<Place> place(Value memory) override {
    auto [found, fresh] = roots.try_emplace(memory, 0);
    if (fresh) // Aligned to any swizzle's period.
      found->second = 4096 * roots.size();
    return Place{isa<GlobalType>(memory.getType()) ? 1u : 0u, found->second};
  }
  std::optional<int64_t> element(Value tile, int64_t lane,
                                 const Shape::Held &held) override {
    return pick(tile, held.element);
  }
  /// What an index tensor (or a mask) holds at an element.
  int64_t pick(Value tile, int64_t element) {
    bool bit =
        cast<RankedTensorType>(tile.getType()).getElementType().isInteger(1);
    return (number(tile) + 20 + 7 * element) % (bit ? 2 : 23);
  }
  std::optional<Grid> grid(Value object) override {
    auto [found, fresh] = grids.try_emplace(object);
    if (fresh)
      found->second = make(object);
    return found->second;
  }

  std::mt19937 &random;

private:
  /// Sizes that boxes cross, rows with gaps behind them.
  Grid make(Value object) {
    Value tensor = object;
    auto map = dyn_cast<TensorMapType>(object.getType());
    Grid grid;
    size_t rank =
        map ? map.getRank() : cast<GlobalType>(tensor.getType()).getRank();
    int64_t bytes = map ? map.getUnitBytes() : 2;
    grid.origin = {1, 1 << 20};
    int64_t stride = bytes;
    for (size_t d = 0; d < rank; ++d) { // Innermost first.
      int64_t size = std::uniform_int_distribution<int>(1, 45)(random);
      if (map && map.isIm2col() && d > 0 && d < 3)
        size += 3; // A bounding box with something in it.
      grid.sizes.insert(grid.sizes.begin(), size);
      grid.strides.insert(grid.strides.begin(), stride);
      stride = llvm::alignTo(stride * size, 32) + 32 * (d % 2);
    }
    if (map) {
      TensorMap fields = getTensorMapFields(map, "bf16");
      fields.swizzle = findTmaSwizzle("none");
      fields.address = grid.origin.offset;
      for (size_t d = 0; d < rank; ++d) {
        fields.dims[d] = grid.sizes[rank - 1 - d];
        if (d > 0)
          fields.strides[d - 1] = grid.strides[rank - 1 - d];
      }
      grid.map = fields;
    }
    return grid;
  }

  llvm::DenseMap<Value, int64_t> numbers, roots;
  llvm::DenseMap<Value, Grid> grids;
};

class ResolverTest : public testing::Test {
protected:
  ResolverTest() {
    context.loadDialect<TitanDialect, arith::ArithDialect, scf::SCFDialect>();
    module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
  }

  /// Calls visit(op, access) for each access of the kernel.
  void forEachAccess(
      function_ref<void(HardwareEffectsInterface, const Access &)> visit) {
    ASSERT_TRUE(module);
    module->walk([&](HardwareEffectsInterface op) {
      EffectList list;
      op.getHardwareEffects(list);
      for (const Effect &effect : list)
        if (auto *access = std::get_if<Access>(&effect.what))
          visit(op, *access);
    });
  }

  static std::set<int64_t> bytesOf(const Touched &touched, int lane = -2) {
    std::set<int64_t> bytes;
    touched.forEach([&](int of, int64_t begin, int64_t end) {
      if (lane == -2 || of == lane)
        for (; begin < end; ++begin)
          EXPECT_TRUE(bytes.insert(begin).second || of >= 0);
    });
    return bytes;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Resolver resolver;
  std::mt19937 random{20261};
};

/// Where a view's first byte lies, followed by hand.
int64_t startOf(Value memory, Numbers &numbers) {
  Operation *op = memory.getDefiningOp();
  if (auto slot = dyn_cast_or_null<SharedSlotOp>(op))
    return startOf(slot.getRing(), numbers) +
           numbers.number(slot.getIndex()) *
               slot.getRing().getType().getSlotBytes();
  if (auto view = dyn_cast_or_null<SharedViewOp>(op)) {
    // Its element (0, 0) in the source; rows of a panel lie together.
    SmallVector<int64_t> at(view.getOffsets());
    SharedType from = view.getSource().getType();
    return startOf(view.getSource(), numbers) +
           at[0] * std::max<int64_t>(from.getSwizzle(), 1);
  }
  if (auto map = dyn_cast_or_null<MapRankOp>(op))
    return startOf(map.getSource(), numbers);
  if (auto slot = dyn_cast_or_null<TmemSlotOp>(op))
    return startOf(slot.getRing(), numbers) +
           numbers.number(slot.getIndex()) * 4 *
               slot.getRing().getType().getColumns();
  if (auto view = dyn_cast_or_null<TmemViewOp>(op))
    return startOf(view.getSource(), numbers) +
           numbers.number(view.getColumn()) * 4;
  if (auto at = dyn_cast_or_null<TensormapAtOp>(op))
    return startOf(at.getArray(), numbers) +
           128 * numbers.number(at.getIndex());
  return numbers.place(memory)->offset;
}

TEST_F(ResolverTest, EveryKindComesUp) {
  std::set<int> kinds, shapes;
  forEachAccess([&](HardwareEffectsInterface, const Access &access) {
    kinds.insert(access.bytes.kind);
    shapes.insert(resolver.resolve(access.bytes, access.kind, 0).shape->kind);
  });
  EXPECT_EQ(kinds.size(), 6u);
  EXPECT_EQ(shapes.size(), 7u);
}

TEST_F(ResolverTest, ViewsAndObjects) {
  int count = 0;
  forEachAccess([&](HardwareEffectsInterface op, const Access &access) {
    const Footprint &footprint = access.bytes;
    Type type = footprint.object.getType();
    if ((footprint.kind != Footprint::View &&
         footprint.kind != Footprint::Object) ||
        isa<BlockArgument>(footprint.object))
      return;
    for (int round = 0; round < 20; ++round) {
      Numbers numbers(random);
      auto touched = resolver.evaluate(
          resolver.resolve(footprint, access.kind, 0), numbers);
      ASSERT_TRUE(touched);
      int64_t begin = startOf(footprint.object, numbers), size = 128;
      if (auto shared = dyn_cast<SharedType>(type))
        size = shared.getTileBytes();
      if (isa<MBarrierType>(type)) {
        size = 8;
        begin += footprint.index ? 8 * numbers.number(footprint.index) : 0;
      }
      std::set<int64_t> expected;
      for (int64_t i = 0; i < size; ++i)
        expected.insert(begin + i);
      EXPECT_EQ(bytesOf(*touched), expected)
          << op->getName().getStringRef().str();
      EXPECT_FALSE(touched->byLane());
      ++count;
    }
  });
  EXPECT_GE(count, 100);
}

/// Every element is written once; each lane reads all that it holds.
TEST_F(ResolverTest, Tiles) {
  int count = 0;
  forEachAccess([&](HardwareEffectsInterface op, const Access &access) {
    const Footprint &footprint = access.bytes;
    auto shared = dyn_cast<SharedType>(footprint.object.getType());
    if (footprint.kind != Footprint::Tile || !shared)
      return;
    Numbers numbers(random);
    Layout layout = *getTileLayout(footprint.tile);
    bool write = access.kind != AccessKind::Read;
    int64_t start = startOf(footprint.object, numbers);
    std::map<int64_t, int> written;
    for (int64_t warp = 0; warp < 8; ++warp) {
      auto touched = resolver.evaluate(
          resolver.resolve(footprint, access.kind, warp), numbers);
      ASSERT_TRUE(touched);
      if (auto rank = footprint.object.getDefiningOp<MapRankOp>())
        EXPECT_EQ(touched->place.rank, numbers.number(rank.getRank()));
      else
        EXPECT_EQ(touched->place.rank, -1);
      std::set<int64_t> all;
      for (int64_t lane = 0; lane < layout.lanes(); ++lane) {
        std::set<int64_t> held;
        for (int64_t reg = 0; reg < layout.registers(); ++reg) {
          Coord at = layout.coords(reg, lane, warp % layout.warps());
          SmallVector<int64_t> coords;
          for (int d = 0; d < at.size(); ++d)
            coords.push_back(at[d]);
          int64_t byte = start + shared.getByteOffset(coords);
          for (int64_t b = 0; b < shared.getElementBytes(); ++b)
            held.insert(byte + b);
        }
        std::set<int64_t> mine = bytesOf(*touched, lane);
        all.insert(mine.begin(), mine.end());
        if (!write) {
          EXPECT_EQ(mine, held);
          continue;
        }
        for (int64_t byte : mine) {
          EXPECT_TRUE(held.count(byte));
          ++written[byte];
        }
      }
      std::set<int64_t> together;
      ByteSet bytes = touched->bytes();
      for (ByteSet::Interval each : bytes.intervals())
        for (int64_t i = each.begin; i < each.end; ++i)
          together.insert(touched->place.offset + i);
      EXPECT_EQ(together, all);
    }
    if (write) {
      EXPECT_EQ(static_cast<int64_t>(written.size()), shared.getTileBytes());
      for (auto [byte, times] : written)
        EXPECT_EQ(times, 1) << byte;
    }
    ++count;
  });
  EXPECT_EQ(count, 6);
}

TEST_F(ResolverTest, ElementsOfTensors) {
  int count = 0;
  forEachAccess([&](HardwareEffectsInterface op, const Access &access) {
    const Footprint &footprint = access.bytes;
    if (footprint.kind != Footprint::Elements)
      return;
    for (int round = 0; round < 10; ++round) {
      Numbers numbers(random);
      Grid grid = *numbers.grid(footprint.object);
      Layout layout = *getTileLayout(footprint.tile);
      bool write = access.kind != AccessKind::Read;
      for (int64_t warp = 0; warp < 4; ++warp) {
        auto touched = resolver.evaluate(
            resolver.resolve(footprint, access.kind, warp), numbers);
        ASSERT_TRUE(touched);
        bool left = false;
        for (int64_t lane = 0; lane < layout.lanes(); ++lane) {
          std::set<int64_t> expected;
          for (int64_t reg = 0; reg < layout.registers(); ++reg) {
            Coord at = layout.coords(reg, lane, warp % layout.warps());
            if (write && warp >= layout.warps())
              continue;
            if (write && layout.holders(at).front() != Coord{reg, lane, warp})
              continue;
            int64_t element = at[0] * 16 + at[1];
            if (footprint.mask && !numbers.pick(footprint.mask, element))
              continue;
            int64_t byte = grid.origin.offset;
            for (size_t d = 0; d < 2; ++d) {
              int64_t index = numbers.pick(footprint.coords[d], element);
              left |= index >= grid.sizes[d];
              byte += index * grid.strides[d];
            }
            expected.insert({byte, byte + 1});
          }
          EXPECT_EQ(bytesOf(*touched, lane), expected);
        }
        EXPECT_EQ(touched->outside.has_value(), left);
        ++count;
      }
    }
  });
  EXPECT_EQ(count, 80);
}

TEST_F(ResolverTest, Scalars) {
  int count = 0, inside = 0;
  forEachAccess([&](HardwareEffectsInterface op, const Access &access) {
    const Footprint &footprint = access.bytes;
    if (footprint.kind != Footprint::Scalar)
      return;
    for (int round = 0; round < 60; ++round) {
      Numbers numbers(random);
      auto touched = resolver.evaluate(
          resolver.resolve(footprint, access.kind, 0), numbers);
      ASSERT_TRUE(touched);
      SmallVector<int64_t> at;
      for (Value coord : footprint.coords)
        at.push_back(numbers.number(coord));
      int64_t byte;
      bool left = false;
      if (auto shared = dyn_cast<SharedType>(footprint.object.getType())) {
        for (size_t d = 0; d < 2; ++d)
          left |= at[d] < 0 || at[d] >= shared.getShape()[d];
        byte = startOf(footprint.object, numbers);
        if (!left)
          byte += shared.getByteOffset(at);
      } else {
        Grid grid = *numbers.grid(footprint.object);
        byte = grid.origin.offset;
        for (size_t d = 0; d < 2; ++d) {
          left |= at[d] < 0 || at[d] >= grid.sizes[d];
          byte += at[d] * grid.strides[d];
        }
      }
      EXPECT_EQ(touched->outside.has_value(), left);
      if (!left) {
        EXPECT_EQ(bytesOf(*touched), (std::set<int64_t>{byte, byte + 1}));
        ++inside;
      }
      ++count;
    }
  });
  EXPECT_EQ(count, 120);
  EXPECT_GT(inside, 20);
}

/// Tiled maps: each element of the box that lies inside; stores touch chunks of
/// 16 bytes from the beginning of the part that is written.
TEST_F(ResolverTest, Boxes) {
  int count = 0, some = 0;
  forEachAccess([&](HardwareEffectsInterface op, const Access &access) {
    const Footprint &footprint = access.bytes;
    auto map = dyn_cast<TensorMapType>(footprint.object.getType());
    if (footprint.kind != Footprint::Box || map.isIm2col() ||
        map.getInterleave())
      return;
    for (int round = 0; round < 60; ++round) {
      Numbers numbers(random);
      Grid grid = *numbers.grid(footprint.object);
      auto touched = resolver.evaluate(
          resolver.resolve(footprint, access.kind, 0), numbers);
      ASSERT_TRUE(touched);
      int64_t row = numbers.number(footprint.coords[0]),
              column = numbers.number(footprint.coords[1]);
      int64_t step = footprint.steps.empty() ? 1 : footprint.steps[0];
      std::set<int64_t> expected;
      for (int64_t i = 0; i < footprint.extents[0]; i += step) {
        std::set<int64_t> bytes;
        for (int64_t j = 0; j < footprint.extents[1]; ++j)
          if (row + i >= 0 && row + i < grid.sizes[0] && column + j >= 0 &&
              column + j < grid.sizes[1]) {
            int64_t byte = grid.origin.offset + (row + i) * grid.strides[0] +
                           (column + j) * 2;
            bytes.insert({byte, byte + 1});
          }
        if (access.kind != AccessKind::Read && !bytes.empty())
          while (bytes.size() % 16)
            bytes.insert(*bytes.rbegin() + 1);
        expected.insert(bytes.begin(), bytes.end());
      }
      EXPECT_EQ(bytesOf(*touched), expected);
      some += !expected.empty();
      ++count;
    }
  });
  EXPECT_EQ(count, 240);
  EXPECT_GT(some, 50);
}

/// Pixels and slices: what lib/Domain's function of the map itself touches.
TEST_F(ResolverTest, Pixels) {
  int count = 0, some = 0;
  forEachAccess([&](HardwareEffectsInterface op, const Access &access) {
    const Footprint &footprint = access.bytes;
    auto map = dyn_cast<TensorMapType>(footprint.object.getType());
    if (footprint.kind != Footprint::Box ||
        !(map.isIm2col() || map.getInterleave()))
      return;
    for (int round = 0; round < 400; ++round) {
      Numbers numbers(random);
      TmaCopy copy;
      for (Value coord : llvm::reverse(footprint.coords))
        copy.coords.push_back(numbers.number(coord));
      for (Value offset : llvm::reverse(footprint.offsets))
        copy.im2colOffsets.push_back(numbers.number(offset));
      auto transfer = TmaTransfer::make(*numbers.grid(footprint.object)->map,
                                        copy, targetWith(Feature::Tma));
      auto touched = resolver.evaluate(
          resolver.resolve(footprint, access.kind, 0), numbers);
      EXPECT_EQ(touched.has_value(), bool(transfer));
      if (!touched || !transfer)
        continue;
      std::set<int64_t> expected;
      ByteSet bytes = transfer->globalBytes();
      for (ByteSet::Interval each : bytes.intervals())
        for (int64_t i = each.begin; i < each.end; ++i)
          expected.insert(i);
      EXPECT_EQ(bytesOf(*touched), expected);
      some += !expected.empty();
      ++count;
    }
  });
  EXPECT_GT(count, 20);
  EXPECT_GT(some, 10);
}

/// All lanes of a product's tile, a warp's window of a load's.
TEST_F(ResolverTest, TensorMemory) {
  int count = 0;
  forEachAccess([&](HardwareEffectsInterface op, const Access &access) {
    auto type = dyn_cast<TensorMemoryType>(access.bytes.object.getType());
    if (!type)
      return;
    for (int64_t warp = 0; warp < 8; ++warp) {
      Numbers numbers(random);
      auto touched = resolver.evaluate(
          resolver.resolve(access.bytes, access.kind, warp), numbers);
      ASSERT_TRUE(touched && touched->box);
      int64_t column = startOf(access.bytes.object, numbers);
      EXPECT_EQ(touched->box->low[0], warp % 4 * 32);
      EXPECT_EQ(touched->box->high[0], warp % 4 * 32 + 32);
      EXPECT_EQ(touched->box->low[1] * 4, column);
      EXPECT_EQ(touched->box->high[1] - touched->box->low[1],
                type.getColumns());
      ++count;
    }
    Numbers numbers(random);
    Footprint whole;
    whole.object = access.bytes.object;
    auto touched = resolver.evaluate(
        resolver.resolve(whole, AccessKind::Write, 0), numbers);
    ASSERT_TRUE(touched && touched->box);
    EXPECT_EQ(touched->box->low[0], 0);
    EXPECT_EQ(touched->box->high[0], 128);
  });
  EXPECT_EQ(count, 16);
}

TEST_F(ResolverTest, Ctas) {
  ASSERT_TRUE(module);
  Value value;
  module->walk([&](ClusterRankOp op) { value = op.getResult(); });
  for (int rank = 0; rank < 4; ++rank) {
    Numbers numbers(random);
    EXPECT_EQ(resolver.evaluate(CtaSet{}, rank, numbers), 1u << rank);
    EXPECT_EQ(resolver.evaluate(CtaSet{CtaSet::Pair, {}}, rank, numbers),
              rank < 2 ? 3u : 12u);
    int64_t is = numbers.number(value);
    EXPECT_EQ(resolver.evaluate(CtaSet{CtaSet::Mask, value}, rank, numbers),
              static_cast<uint32_t>(is) & 0xffff);
    EXPECT_EQ(resolver.evaluate(CtaSet{CtaSet::Rank, value}, rank, numbers),
              is < 0 || is > 31 ? 0u : 1u << is);
  }
}

/// A base in symbols, as a proof reads it: sums of products of values.
struct Symbolic {
  std::map<const void *, int64_t> terms;
  int64_t constant = 0;
  Symbolic(int64_t c = 0) : constant(c) {}
  Symbolic operator*(int64_t by) const {
    Symbolic result = *this;
    result.constant *= by;
    for (auto &[symbol, scale] : result.terms)
      scale *= by;
    return result;
  }
  Symbolic operator+(const Symbolic &other) const {
    Symbolic result = *this;
    result.constant += other.constant;
    for (auto [symbol, scale] : other.terms)
      result.terms[symbol] += scale;
    return result;
  }
};

TEST_F(ResolverTest, BasesInSymbols) {
  int count = 0;
  forEachAccess([&](HardwareEffectsInterface op, const Access &access) {
    MemoryRegion region = resolver.resolve(access.bytes, access.kind, 0);
    EXPECT_FALSE(region.base.root.getDefiningOp<ViewOpInterface>());
    Numbers numbers(random);
    auto symbolic = region.base.offset.evaluate<Symbolic>([](Value value) {
      Symbolic symbol;
      symbol.terms[value.getAsOpaquePointer()] = 1;
      return std::optional(symbol);
    });
    auto number = region.base.offset.evaluate<int64_t>(
        [&](Value value) { return std::optional(numbers.number(value)); });
    ASSERT_TRUE(symbolic && number);
    int64_t sum = symbolic->constant;
    for (auto [symbol, scale] : symbolic->terms)
      sum += scale * numbers.number(Value::getFromOpaquePointer(symbol));
    EXPECT_EQ(sum, *number);
    // A slot of a ring is a term of its own.
    for (const Base::Slot &slot : region.base.slots) {
      EXPECT_EQ(symbolic->terms.at(slot.index.getAsOpaquePointer()),
                slot.stride);
      EXPECT_GT(slot.slots, 1);
      ++count;
    }
  });
  EXPECT_EQ(count, 6);
}

} // namespace
