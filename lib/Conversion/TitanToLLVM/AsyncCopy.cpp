//===- AsyncCopy.cpp - copies that threads issue, their groups -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, cp.async: a chunk of registers is one instruction, whose source is
// where the first of them lies, and whose src-size says how many bytes of it are
// taken; the rest becomes zero.
//
//===----------------------------------------------------------------------===//
#include "titan/Conversion/LoweringTable.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace titan;

static LogicalResult cpAsync(KernelLowering &kl, CpAsyncOp op) {
  SharedType buffer = op.getBuffer().getType();
  Layout layout = *getTileLayout(op.getTileType());
  int64_t chunk = op.getChunk(), bytes = op.getBytes();
  auto owner = kl.ownerPredicate(op, layout);
  if (failed(owner))
    return failure();
  auto addresses = kl.tileAddresses(op, layout, op.getBuffer(), chunk);
  if (failed(addresses))
    return failure();
  OpBuilder::InsertionGuard guard(kl.b);
  if (*owner) {
    auto branch = scf::IfOp::create(kl.b, TypeRange(), *owner, /*else=*/false);
    kl.b.setInsertionPointToStart(branch.thenBlock());
  }
  SmallVector<Values> indices;
  for (Value index : op.getIndices())
    indices.push_back(kl.get(index));
  Values mask = op.getMask() ? kl.get(op.getMask()) : Values();
  std::string text = std::string("cp.async.") + (op.getCg() ? "cg" : "ca") +
                     ".shared::cta.global [$0], [$1], " +
                     std::to_string(bytes) + (mask.empty() ? ";" : ", $2;");
  for (auto [n, address] : llvm::enumerate(*addresses)) {
    int64_t r = static_cast<int64_t>(n) * chunk;
    // Several registers may hold one element: the first is enough.
    if (!layout.isOwner({r, 0, 0}))
      continue;
    Values at;
    for (Values &index : indices)
      at.push_back(index[r]);
    Values operands{address, kl.elementAddress(op.getTensor(), at)};
    if (mask.empty()) {
      kl.ptx(text, "r,l", operands);
      continue;
    }
    Value taken; // elements
    for (int64_t i = 0; i < chunk; ++i) {
      Value one = arith::ExtUIOp::create(kl.b, kl.b.getI32Type(), mask[r + i]);
      taken = taken ? kl.add(taken, one) : one;
    }
    operands.push_back(kl.mul(taken, buffer.getElementBytes()));
    kl.ptx(text, "r,l,r", operands);
  }
  return success();
}

void titan::populateAsyncCopyLowerings(LoweringTable &table) {
  table.add<CpAsyncOp>(cpAsync);
  table.add<CpAsyncCommitOp>([](KernelLowering &kl, CpAsyncCommitOp o) {
    NVVM::CpAsyncCommitGroupOp::create(kl.b);
    kl.set(o.getToken(), {});
    return success();
  });
  table.add<CpAsyncWaitOp>([](KernelLowering &kl, CpAsyncWaitOp o) {
    if (std::optional<int64_t> pending = kl.groups.getPending(o))
      NVVM::CpAsyncWaitGroupOp::create(kl.b, static_cast<uint32_t>(*pending));
    return success();
  });
  table.add<CpAsyncWaitGroupOp>([](KernelLowering &kl, CpAsyncWaitGroupOp o) {
    NVVM::CpAsyncWaitGroupOp::create(kl.b,
                                     static_cast<uint32_t>(o.getPending()));
    return success();
  });
  table.add<CpAsyncMBarrierArriveOp>(
      [](KernelLowering &kl, CpAsyncMBarrierArriveOp o) {
        kl.ptx(std::string("cp.async.mbarrier.arrive") +
                   (o.getNoinc() ? ".noinc" : "") + ".shared::cta.b64 [$0];",
               "r", kl.mbarrierAddress(o.getBarrier(), o.getIndex()));
        return success();
      });
}
