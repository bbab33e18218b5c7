//===- Mma.cpp - titan.mma as wgmma ---------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One titan.mma is, for each 64 rows that a warpgroup holds, the instructions
// that walk K in steps of 32 bytes, written as one piece of inline
// PTX: the accumulator's registers go in and out of it once, so that nothing
// can be put between the steps and ptxas sees one chain.
//
// Operands are described to the hardware by 64-bit matrix descriptors
// (titan/Layout/MatrixDescriptor.h): the fields once a block of rows, the start
// address moving on along K.
//
//===----------------------------------------------------------------------===//
#include "titan/Conversion/LoweringTable.h"

#include "titan/Dialect/Titan/Products.h"
#include "titan/Layout/Hardware.h"
#include "titan/Layout/LaneTerms.h"
#include "titan/Layout/MatrixDescriptor.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace titan;

/// What an accumulator of that type lies in, in inline PTX: f16 in pairs.
static const char *constraintOf(Type element) {
  return element.isF32() ? "f" : "r";
}

static FailureOr<SmallVector<Value>> fragmentsOfA(KernelLowering &kl, MmaOp op,
                                                  const Layout &accumulator,
                                                  int64_t firstRegister) {
  auto tile = cast<RankedTensorType>(op.getA().getType());
  Layout layout = *getTileLayout(tile);
  int64_t bits = tile.getElementTypeBitWidth(), depth = 256 / bits;
  Layout atom = *wgmmaA(static_cast<int>(bits), 64, depth);
  Values elements = kl.get(op.getA());
  auto mismatch = [&] {
    return op.emitError("[layout-mismatch] A's registers are not the fragments "
                        "that this product's warps multiply; give it the "
                        "accumulator's layout (PTX ISA, wgmma, matrix fragment "
                        "A)");
  };
  if (layout.warps() != accumulator.warps())
    return mismatch(), failure();
  std::map<std::pair<int64_t, int64_t>, int64_t> registerAt;
  for (int64_t r = 0; r < layout.registers(); ++r) {
    Coord at = layout.coords(r, 0, 0);
    registerAt.insert({{at[0], at[1]}, r});
  }
  Values words;
  // In every lane and warp, a fragment's rows are those of the accumulator, and
  // its columns those of the fragment.
  Result<Layout> rows = coordinateOf(accumulator, firstRegister, 0),
                 columns = coordinateOf(atom, 0, 1);
  auto isPlace = [&](Result<Layout> coordinate, const Layout &wanted,
                     int64_t offset) {
    std::vector<Axis> axes = wanted.axes();
    if (wanted.warps() < layout.warps())
      axes[2].digits.push_back(
          {layout.warps() / wanted.warps(), Digit::replica, 0});
    Result<Layout> place =
        coordinate ? Layout::make(axes, coordinate->dims(),
                                  {wanted.offset()[0] + offset}, wanted.bits())
                   : coordinate;
    return place && place->sameFunction(*coordinate);
  };
  for (int64_t step = 0; step < tile.getShape()[1] / depth; ++step) {
    Values registers;
    for (int64_t f = 0; f < atom.registers(); ++f) {
      Coord inside = atom.coords(f, 0, 0);
      int64_t column = depth * step + inside[1];
      auto found = registerAt.find(
          {accumulator.coords(firstRegister, 0, 0)[0] + inside[0], column});
      if (found == registerAt.end() ||
          !isPlace(coordinateOf(layout, found->second, 0), *rows, inside[0]) ||
          !isPlace(coordinateOf(layout, found->second, 1), *columns, column))
        return mismatch(), failure();
      registers.push_back(elements[found->second]);
    }
    llvm::append_range(words, kl.packed(registers));
  }
  return words;
}

/// Where the operand of a block of the accumulator starts, in bytes. `blocks`
/// says of each block and warpgroup which block of rows and columns it is.
static std::optional<Value> blockStart(KernelLowering &kl, const Layout &blocks,
                                       int64_t block, int dim,
                                       const MatrixDescriptor &operand) {
  Result<Layout> number = coordinateOf(blocks, block, dim);
  if (!number)
    return std::nullopt;
  // The four warps of a group, and their lanes, agree.
  std::vector<Axis> axes = number->axes();
  axes[1].digits = {{kl.target.warpWidth, Digit::replica, 0}};
  axes[2].digits.insert(axes[2].digits.begin(), {4, Digit::replica, 0});
  number = Layout::make(axes, number->dims(), number->offset(), number->bits());
  if (number)
    number = number->then(operand.rowStarts());
  return number ? kl.laneFunction(*number) : std::nullopt;
}

static LogicalResult mma(KernelLowering &kl, MmaOp op) {
  RankedTensorType tile = op.getAcc().getType().getTensor();
  Layout layout = *getTileLayout(tile);
  int64_t warps = layout.warps();
  auto typeA = dyn_cast<SharedType>(op.getA().getType());
  SharedType typeB = op.getB().getType();
  MmaProduct product = getWarpgroupProduct(op);

  // Each warpgroup holds blocks of 64 rows; find them by asking the layout.
  if (warps % 4 || kl.warps() % 4 || warps != kl.warps())
    return op.emitError("[layout-mismatch] the accumulator's layout is for ")
           << warps << " warps, the partition has " << kl.warps()
           << "; wgmma is executed by all of its warpgroups";
  int64_t registers = layout.registers();
  int64_t columns = op.getColumns();
  int64_t perBlock = columns / 2, blocks = registers / perBlock;
  // (block, group) -> blocks of 64 rows, of as many columns.
  Result<Layout> blocksAt = layout.divide(*wgmmaD(64, columns));
  if (!blocksAt)
    return kl.unsupported(op, "this order of warpgroups");

  // Descriptors: one address a block, the walk along K is added to it.
  auto describe = [&](SharedType type, bool transposed, int64_t rows) {
    return MatrixDescriptor::make(*getMatrixOperand(type, transposed),
                                  type.getElementBytes(), rows);
  };
  std::optional<MatrixDescriptor> a;
  if (typeA) {
    auto made = describe(typeA, op.getTransposeA(), 64);
    if (!made)
      return op.emitError("[")
             << made.problem().code << "] A: " << made.problem().message;
    a = *made;
  }
  auto bMatrix = describe(typeB, op.getTransposeB(), columns);
  if (!bMatrix)
    return op.emitError("[")
           << bMatrix.problem().code << "] B: " << bMatrix.problem().message;
  bool inCluster = op->getParentOfType<KernelOp>().getClusterSize() > 1;
  auto lowWord = [&](const MatrixDescriptor &operand, Value address) -> Value {
    // Shared addresses are below 2^18, so the field needs no mask; but of a CTA of
    // a cluster, which has its rank above that (bit 24 on an H200): it would be added to
    // the leading dimension's offset, where that is not ignored.
    bool leads = operand.isMnMajor() || operand.swizzle() == Swizzle::None;
    if (inCluster && leads)
      address = arith::AndIOp::create(kl.b, address, kl.i32(0x3ffff));
    Value encoded = arith::ShRUIOp::create(kl.b, address, kl.i32(4));
    return arith::OrIOp::create(
        kl.b, encoded, kl.i32(static_cast<int32_t>(operand.encode(0))));
  };
  auto word64 = [&](const MatrixDescriptor &operand, Value low,
                    int64_t k) -> Value {
    int64_t offset = operand.start(0, k);
    Value moved = offset ? kl.add(low, kl.i32(offset / 16)) : low;
    Value wide = arith::ExtUIOp::create(kl.b, kl.b.getI64Type(), moved);
    int64_t high = static_cast<int64_t>(operand.encode(0) >> 32 << 32);
    return arith::OrIOp::create(kl.b, wide, kl.i64(high));
  };
  Type element = tile.getElementType();
  bool integer = product.d == MmaType::S32, pairs = product.d == MmaType::F16;
  std::string instruction = "wgmma.mma_async.sync.aligned.m64n" +
                            std::to_string(columns) + "k" +
                            std::to_string(product.depth);
  for (MmaType type : {product.d, product.a, product.b})
    instruction += "." + std::string(toString(type));
  if (product.saturate)
    instruction += ".satfinite";
  // Signs; for 16-bit elements, which way the operands lie.
  std::string flags;
  if (!integer)
    flags = std::string(", ") + (product.negateA ? "-1" : "1") + ", " +
            (product.negateB ? "-1" : "1");
  if (product.depth == 16) {
    if (typeA)
      flags += a->isMnMajor() ? ", 1" : ", 0";
    flags += bMatrix->isMnMajor() ? ", 1" : ", 0";
  }
  flags += ";";
  Values accumulator = kl.get(op.getAcc()), results;
  Type word = pairs ? kl.b.getI32Type() : element;
  const char *constraint = constraintOf(element);
  int64_t steps =
      (typeB.getTileBytes() / typeB.getElementBytes() / tile.getShape()[1]) /
      product.depth;
  // 32-bit registers of a block.
  int64_t words = pairs ? perBlock / 2 : perBlock;

  for (int64_t block = 0; block < blocks; ++block) {
    std::optional<Value> rowOffset = kl.i32(0), columnOffset;
    if (a)
      rowOffset = blockStart(kl, *blocksAt, block, 0, *a);
    columnOffset = blockStart(kl, *blocksAt, block, 1, *bMatrix);
    if (!rowOffset || !columnOffset)
      return kl.unsupported(op, "this order of warpgroups");
    Value lowA;
    Values fragments;
    if (typeA) {
      lowA = lowWord(*a, kl.add(kl.get1(op.getA()), *rowOffset));
    } else {
      auto found = fragmentsOfA(kl, op, layout, block * perBlock);
      if (failed(found))
        return failure();
      fragments = std::move(*found);
    }
    Value lowB = lowWord(*bMatrix, kl.add(kl.get1(op.getB()), *columnOffset));

    Values operands(accumulator.begin() + block * words,
                    accumulator.begin() + (block + 1) * words);
    std::string constraints, registersText = "{";
    for (int64_t r = 0; r < words; ++r) {
      constraints += std::string(r ? ",=" : "=") + constraint;
      registersText += (r ? ", $" : "$") + std::to_string(r);
    }
    registersText += "}";
    for (int64_t r = 0; r < words; ++r)
      constraints += "," + std::to_string(r);
    // $0 .. are the results; tied operands have numbers of their own.
    size_t next = 2 * words;
    std::string text = "{\n\t.reg .pred use, yes;\n\t"
                       "setp.ne.b32 yes, 1, 0;\n\t";
    if (op.getAccumulate()) {
      operands.push_back(arith::ExtUIOp::create(kl.b, kl.b.getI32Type(),
                                                kl.get1(op.getAccumulate())));
      constraints += ",r";
      text += "setp.ne.b32 use, $" + std::to_string(next++) + ", 0;\n\t";
    } else {
      text += "setp.ne.b32 use, 0, 0;\n\t"; // the old value is not read
    }
    for (int64_t step = 0; step < steps; ++step) {
      std::string operandA;
      if (typeA) {
        operands.push_back(word64(*a, lowA, product.depth * step));
        constraints += ",l";
        operandA = "$" + std::to_string(next++);
      } else {
        for (int64_t i = 0; i < 4; ++i) {
          operands.push_back(fragments[4 * step + i]);
          constraints += ",r";
          operandA += (i ? ", $" : "{$") + std::to_string(next++);
        }
        operandA += "}";
      }
      operands.push_back(word64(*bMatrix, lowB, product.depth * step));
      constraints += ",l";
      text += instruction + " " + registersText + ", " + operandA + ", $" +
              std::to_string(next++) + (step ? ", yes" : ", use") + flags +
              "\n\t";
    }
    text += "}";
    auto structure = LLVM::LLVMStructType::getLiteral(
        kl.b.getContext(), SmallVector<Type>(words, word));
    Value all = kl.ptx(structure, text, constraints, operands);
    for (int64_t r = 0; r < words; ++r)
      results.push_back(LLVM::ExtractValueOp::create(kl.b, all, r));
  }
  kl.set(op.getResult(), results);
  return success();
}

static LogicalResult mmaResult(KernelLowering &kl, MmaResultOp op) {
  // The registers pass through the wait, so that nothing that reads them can
  // move above it.
  Values registers = kl.get(op.getAcc());
  std::optional<int64_t> pending = 0;
  if (op.getAfter())
    pending = kl.groups.getPending(op);
  Type element = op.getType().getElementType();
  auto yield = [&](ValueRange words) {
    kl.set(op.getResult(),
           element.isF16() ? kl.unpacked(words, element) : Values(words));
    return success();
  };
  if (!pending) // no path brings a product
    return yield(registers);
  std::string constraints;
  for (size_t r = 0; r < registers.size(); ++r)
    constraints += std::string(r ? ",=" : "=") + constraintOf(element);
  for (size_t r = 0; r < registers.size(); ++r)
    constraints += "," + std::to_string(r);
  auto structure = LLVM::LLVMStructType::getLiteral(
      kl.b.getContext(),
      SmallVector<Type>(registers.size(), registers.front().getType()));
  Value all = kl.ptx(structure,
                     "wgmma.wait_group.sync.aligned " +
                         std::to_string(std::min<int64_t>(*pending, 7)) + ";",
                     constraints, registers);
  for (size_t r = 0; r < registers.size(); ++r)
    registers[r] = LLVM::ExtractValueOp::create(kl.b, all, r);
  return yield(registers);
}

static LogicalResult mmaWait(KernelLowering &kl, MmaWaitOp op) {
  if (std::optional<int64_t> pending = kl.groups.getPending(op))
    NVVM::WgmmaWaitGroupSyncOp::create(
        kl.b, static_cast<uint64_t>(std::min<int64_t>(*pending, 7)));
  return success();
}

void titan::populateMmaLowerings(LoweringTable &table) {
  table.add<MmaOp>(mma);
  table.add<MmaResultOp>(mmaResult);
  table.add<MmaWaitOp>(mmaWait);
  table.add<InFlightNoneOp>([](KernelLowering &kl, InFlightNoneOp o) {
    auto types = kl.convert(o, o.getType());
    if (failed(types))
      return failure();
    Value zero =
        arith::ConstantOp::create(kl.b, kl.b.getZeroAttr(types->front()));
    kl.set(o, Values(types->size(), zero));
    return success();
  });
  table.add<InFlightStartOp>([](KernelLowering &kl, InFlightStartOp o) {
    Values tile = kl.get(o.getTile());
    bool pairs = o.getTile().getType().getElementType().isF16();
    kl.set(o, pairs ? kl.packed(tile) : tile);
    return success();
  });
  table.add<MmaFenceOp>([](KernelLowering &kl, MmaFenceOp) {
    NVVM::WgmmaFenceAlignedOp::create(kl.b);
    return success();
  });
  table.add<MmaCommitOp>([](KernelLowering &kl, MmaCommitOp o) {
    NVVM::WgmmaGroupSyncAlignedOp::create(kl.b);
    kl.set(o.getToken(), {});
    return success();
  });
  table.add<MmaWaitGroupOp>([](KernelLowering &kl, MmaWaitGroupOp o) {
    NVVM::WgmmaWaitGroupSyncOp::create(kl.b,
                                       static_cast<uint64_t>(o.getPending()));
    return success();
  });
}
