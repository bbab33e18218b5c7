//===- Tma.cpp - bulk tensor copies ---------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, cp.async.bulk.tensor and cp.reduce.async.bulk.tensor. Coordinates
// are innermost first there, outermost first in titan.
//
//===----------------------------------------------------------------------===//
#include "titan/Conversion/LoweringTable.h"

#include "titan/Domain/TensorMap.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace titan;

/// "{$3, $4}" for operands first .. first + count - 1.
static std::string braces(size_t first, size_t count) {
  std::string text = "{";
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return text + "}";
}

static std::string repeat(StringRef what, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += "," + what.str();
  return text;
}

/// How a copy through a map walks: ".tile", or a form of im2col.
static StringRef loadMode(TensorMapType map, bool load) {
  return !map.isIm2col() ? ".tile" : load ? ".im2col" : ".im2col_no_offs";
}

/// The instruction packs im2col offsets into 16 bits without a check
/// (docs/tma-facts.md C5): where one is out of range, the kernel ends in a trap.
template <typename Op> static void checkOffsets(KernelLowering &kl, Op op) {
  int64_t most = maxIm2colOffset(op.getMap().getType().getRank());
  Value broken;
  for (Value offset : op.getOffsets()) {
    if (matchPattern(offset, m_Constant()))
      continue; // Verified.
    Value wide = kl.toI64(kl.get1(offset));
    Value over = arith::CmpIOp::create(kl.b, arith::CmpIPredicate::ugt, wide,
                                       kl.i64(most));
    broken = broken ? arith::OrIOp::create(kl.b, broken, over) : over;
  }
  if (!broken)
    return;
  OpBuilder::InsertionGuard guard(kl.b);
  auto branch = scf::IfOp::create(kl.b, TypeRange(), broken, /*else=*/false);
  kl.b.setInsertionPointToStart(branch.thenBlock());
  kl.emitter.trap(kl.b);
}

static LogicalResult tmaLoad(KernelLowering &kl, TmaLoadOp op) {
  checkOffsets(kl, op);
  size_t rank = op.getCoords().size();
  bool multicast = op.getMulticast() != nullptr;
  Values operands{kl.get1(op.getBuffer()), kl.get1(op.getMap()),
                  kl.mbarrierAddress(op.getBarrier(), op.getIndex())};
  for (Value coordinate : llvm::reverse(op.getCoords()))
    operands.push_back(kl.toI32(kl.get1(coordinate)));
  std::string text = "cp.async.bulk.tensor." + std::to_string(rank) +
                     "d.shared::cluster.global" +
                     loadMode(op.getMap().getType(), /*load=*/true).str() +
                     ".mbarrier::complete_tx::bytes";
  std::string tail, constraints = "r,l,r" + repeat("r", rank);
  if (size_t spatial = op.getOffsets().size()) {
    tail += ", " + braces(operands.size(), spatial);
    for (Value offset : llvm::reverse(op.getOffsets()))
      operands.push_back(arith::TruncIOp::create(kl.b, kl.b.getI16Type(),
                                                 kl.toI64(kl.get1(offset))));
    constraints += repeat("h", spatial);
  }
  if (multicast) {
    text += ".multicast::cluster";
    tail += ", $" + std::to_string(operands.size());
    operands.push_back(kl.get1(op.getMulticast()));
    constraints += ",h";
  }
  if (auto cache = op.getCacheAttr()) {
    text += ".L2::cache_hint";
    tail += ", $" + std::to_string(operands.size());
    operands.push_back(kl.cachePolicy(cache));
    constraints += ",l";
  }
  text += " [$0], [$1, " + braces(3, rank) + "], [$2]" + tail + ";";
  kl.ptx(text, constraints, operands);
  return success();
}

static LogicalResult tmaPrefetch(KernelLowering &kl, TmaPrefetchOp op) {
  checkOffsets(kl, op);
  size_t rank = op.getCoords().size();
  Values operands{kl.get1(op.getMap())};
  for (Value coordinate : llvm::reverse(op.getCoords()))
    operands.push_back(kl.toI32(kl.get1(coordinate)));
  std::string text = "cp.async.bulk.prefetch.tensor." + std::to_string(rank) +
                     "d.L2.global" +
                     loadMode(op.getMap().getType(), /*load=*/true).str();
  std::string tail, constraints = "l" + repeat("r", rank);
  if (size_t spatial = op.getOffsets().size()) {
    tail += ", " + braces(operands.size(), spatial);
    for (Value offset : llvm::reverse(op.getOffsets()))
      operands.push_back(arith::TruncIOp::create(kl.b, kl.b.getI16Type(),
                                                 kl.toI64(kl.get1(offset))));
    constraints += repeat("h", spatial);
  }
  if (auto cache = op.getCacheAttr()) {
    text += ".L2::cache_hint";
    tail += ", $" + std::to_string(operands.size());
    operands.push_back(kl.cachePolicy(cache));
    constraints += ",l";
  }
  kl.ptx(text + " [$0, " + braces(1, rank) + "]" + tail + ";", constraints,
         operands);
  return success();
}

/// A tile from shared memory to a tensor. `name` stands before the instruction's
/// rank; `kind` is the reduction's, with its point.
template <typename Op>
static LogicalResult tmaOut(KernelLowering &kl, Op op, StringRef name,
                            const Twine &kind) {
  size_t rank = op.getCoords().size();
  Values operands{kl.get1(op.getBuffer()), kl.get1(op.getMap())};
  for (Value coordinate : llvm::reverse(op.getCoords()))
    operands.push_back(kl.toI32(kl.get1(coordinate)));
  std::string text =
      (name + Twine(rank) + "d.global.shared::cta" + kind +
       loadMode(op.getMap().getType(), /*load=*/false) + ".bulk_group")
          .str();
  std::string tail, constraints = "r,l" + repeat("r", rank);
  if (auto cache = op.getCacheAttr()) {
    text += ".L2::cache_hint";
    tail = ", $" + std::to_string(operands.size());
    operands.push_back(kl.cachePolicy(cache));
    constraints += ",l";
  }
  text += " [$1, " + braces(2, rank) + "], [$0]" + tail + ";";
  kl.ptx(text, constraints, operands);
  return success();
}

static LogicalResult tmaStore(KernelLowering &kl, TmaStoreOp op) {
  return tmaOut(kl, op, "cp.async.bulk.tensor.", "");
}

static LogicalResult tmaReduce(KernelLowering &kl, TmaReduceOp op) {
  return tmaOut(kl, op, "cp.reduce.async.bulk.tensor.",
                "." + stringifyAtomicOp(op.getOp()));
}

static LogicalResult bulkWait(KernelLowering &kl, BulkWaitOp op) {
  if (std::optional<int64_t> pending = kl.groups.getPending(op))
    NVVM::CpAsyncBulkWaitGroupOp::create(kl.b, static_cast<uint32_t>(*pending),
                                         op.getRead() ? kl.b.getUnitAttr()
                                                      : UnitAttr());
  return success();
}

void titan::populateTmaLowerings(LoweringTable &table) {
  table.add<TmaLoadOp>(tmaLoad);
  table.add<TmaPrefetchOp>(tmaPrefetch);
  table.add<TmaStoreOp>(tmaStore);
  table.add<TmaReduceOp>(tmaReduce);
  table.add<BulkCommitOp>([](KernelLowering &kl, BulkCommitOp o) {
    NVVM::CpAsyncBulkCommitGroupOp::create(kl.b);
    kl.set(o.getToken(), {});
    return success();
  });
  table.add<BulkWaitOp>(bulkWait);
  table.add<BulkWaitGroupOp>([](KernelLowering &kl, BulkWaitGroupOp o) {
    NVVM::CpAsyncBulkWaitGroupOp::create(
        kl.b, static_cast<uint32_t>(o.getPending()),
        o.getRead() ? kl.b.getUnitAttr() : UnitAttr());
    return success();
  });
  table.add<TokenNoneOp>([](KernelLowering &kl, TokenNoneOp o) {
    kl.set(o, {});
    return success();
  });
}
