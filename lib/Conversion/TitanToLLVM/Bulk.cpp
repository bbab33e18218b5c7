//===- Bulk.cpp - bulk copies without a tensor map --------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, cp.async.bulk and cp.reduce.async.bulk.
//
//===----------------------------------------------------------------------===//
#include "titan/Conversion/LoweringTable.h"

using namespace mlir;
using namespace titan;

static Value runAddress(KernelLowering &kl, Value tensor, ValueRange coords) {
  return kl.elementAddress(tensor, kl.getAll(coords));
}

static LogicalResult bulkLoad(KernelLowering &kl, BulkLoadOp op) {
  Values operands{kl.get1(op.getBuffer()),
                  runAddress(kl, op.getTensor(), op.getCoords()),
                  kl.mbarrierAddress(op.getBarrier(), op.getIndex())};
  std::string text =
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";
  std::string tail, constraints = "r,l,r";
  if (op.getMulticast()) {
    text += ".multicast::cluster";
    tail += ", $3";
    operands.push_back(kl.get1(op.getMulticast()));
    constraints += ",h";
  }
  if (auto cache = op.getCacheAttr()) {
    text += ".L2::cache_hint";
    tail += ", $" + std::to_string(operands.size());
    operands.push_back(kl.cachePolicy(cache));
    constraints += ",l";
  }
  kl.ptx(text + " [$0], [$1], " +
             std::to_string(op.getBuffer().getType().getTileBytes()) +
             ", [$2]" + tail + ";",
         constraints, operands);
  return success();
}

static LogicalResult bulkStore(KernelLowering &kl, BulkStoreOp op) {
  Values operands{runAddress(kl, op.getTensor(), op.getCoords()),
                  kl.get1(op.getBuffer())};
  std::string text = "cp.async.bulk.global.shared::cta.bulk_group", tail;
  std::string constraints = "l,r";
  if (auto cache = op.getCacheAttr()) {
    text += ".L2::cache_hint";
    tail = ", $2";
    operands.push_back(kl.cachePolicy(cache));
    constraints += ",l";
  }
  kl.ptx(text + " [$0], [$1], " +
             std::to_string(op.getBuffer().getType().getTileBytes()) + tail +
             ";",
         constraints, operands);
  return success();
}

static LogicalResult bulkReduce(KernelLowering &kl, BulkReduceOp op) {
  Type type = op.getTensor().getType().getElementType();
  std::string suffix;
  if (type.isF16() || type.isBF16())
    suffix = std::string(op.getOp() == AtomicOp::Add ? ".noftz" : "") +
             (type.isF16() ? ".f16" : ".bf16");
  else if (isa<FloatType>(type))
    suffix = type.isF64() ? ".f64" : ".f32";
  else
    suffix = sharedReductionType(op.getOp(), type.isInteger(64)).str();
  Values operands{runAddress(kl, op.getTensor(), op.getCoords()),
                  kl.get1(op.getBuffer())};
  std::string hint, tail, constraints = "l,r";
  if (auto cache = op.getCacheAttr()) {
    hint = ".L2::cache_hint";
    tail = ", $2";
    operands.push_back(kl.cachePolicy(cache));
    constraints += ",l";
  }
  kl.ptx(("cp.reduce.async.bulk.global.shared::cta.bulk_group" + hint + "." +
          stringifyAtomicOp(op.getOp()) + suffix + " [$0], [$1], " +
          Twine(op.getBuffer().getType().getTileBytes()) + tail + ";")
             .str(),
         constraints, operands);
  return success();
}

template <typename Op>
static void toPeer(KernelLowering &kl, Op op, const Twine &instruction) {
  kl.ptx((instruction + " [$0], [$1], " +
          Twine(op.getSource().getType().getTileBytes()) + ", [$2];")
             .str(),
         "r,r,r",
         {kl.get1(op.getTarget()), kl.get1(op.getSource()),
          kl.mbarrierAddress(op.getBarrier(), op.getIndex())});
}

static LogicalResult sharedRun(KernelLowering &kl, SharedRunOp op) {
  Value offset =
      kl.mul(kl.toI32(kl.get1(op.getIndex())), op.getType().getElementBytes());
  kl.set(op, kl.add(kl.get1(op.getSource()), offset));
  return success();
}

void titan::populateBulkLowerings(LoweringTable &table) {
  table.add<SharedRunOp>(sharedRun);
  table.add<BulkLoadOp>(bulkLoad);
  table.add<BulkStoreOp>(bulkStore);
  table.add<BulkReduceOp>(bulkReduce);
  table.add<BulkCopyToPeerOp>([](KernelLowering &kl, BulkCopyToPeerOp o) {
    toPeer(kl, o,
           "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::"
           "bytes");
    return success();
  });
  table.add<BulkReduceToPeerOp>([](KernelLowering &kl, BulkReduceToPeerOp o) {
    toPeer(kl, o,
           "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::"
           "complete_tx::bytes." +
               stringifyAtomicOp(o.getOp()) +
               sharedReductionType(
                   o.getOp(),
                   o.getSource().getType().getElementType().isInteger(64)));
    return success();
  });
}
