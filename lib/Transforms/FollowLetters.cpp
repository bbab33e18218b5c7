//===- FollowLetters.cpp - what is read in a mailbox is what was posted ---===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread works out a number in each iteration of a loop and posts it in a mailbox
// (Letters.h), and others read it there:
//
//   load                                    multiply
//   scf.for %n = %first to %end {           %slot = n' mod 2
//     %slot = %n mod 2                      %t = titan.ld %box[%slot]
//     titan.st f(%n) to %box[%slot]
//   }
//
// What is read is taken for f(n'), computed anew. That it is that, only the proof shows
// (Typestate/Letters.cpp): the letter of number n' is posted, before it is read, and the
// next one of its slot behind that.
//
// f is computed from the number, the launch's values, the CTA's id, and constants: who
// reads it is another thread.
//
//===----------------------------------------------------------------------===//
#include "FollowLetters.h"

#include "titan/Dialect/Titan/Letters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace titan;

/// The loop in each of whose iterations this is posted, once a CTA, whose counter is the
/// letter's number; null: there is none.
static scf::ForOp loopOf(StOp post) {
  Operation *parent = post->getParentOp();
  while (isa<ElectOp>(parent))
    parent = parent->getParentOp();
  auto loop = dyn_cast<scf::ForOp>(parent);
  if (!loop || getConstantIntValue(loop.getStep()) != 1 ||
      letterNumberOf(post) != loop.getInductionVar())
    return {};
  for (parent = loop->getParentOp(); !isa<KernelOp>(parent);
       parent = parent->getParentOp())
    if (!isa<ElectOp, PartitionOp, WarpSpecializeOp>(parent))
      return {};
  return loop;
}

/// What a value is computed by from the loop's counter and from what all threads of the
/// CTA have alike, operands first; false: it comes from something else, too.
static bool collect(Value value, scf::ForOp loop, KernelOp kernel,
                    llvm::SetVector<Operation *> &ops) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return value == loop.getInductionVar() ||
           argument.getOwner() == &kernel.getBody().front();
  Operation *op = value.getDefiningOp();
  if (ops.contains(op))
    return true;
  if (op->getNumRegions() || op->getNumResults() != 1 ||
      !(isa<CtaIdOp, NumCtasOp, DimOp>(op) ||
        (isa<arith::ArithDialect>(op->getDialect()) && isMemoryEffectFree(op))))
    return false;
  for (Value operand : op->getOperands())
    if (!collect(operand, loop, kernel, ops))
      return false;
  ops.insert(op);
  return true;
}

/// The places of a mailbox, in a slot, and who touches each.
static void collectUses(Value memory, SmallVectorImpl<StOp> &posts,
                        SmallVectorImpl<LdOp> &reads) {
  for (Operation *user : memory.getUsers()) {
    if (auto slot = dyn_cast<SharedSlotOp>(user))
      collectUses(slot.getResult(), posts, reads);
    else if (auto post = dyn_cast<StOp>(user))
      posts.push_back(post);
    else if (auto read = dyn_cast<LdOp>(user))
      reads.push_back(read);
  }
}

/// Constant indices; none: others.
static std::optional<SmallVector<int64_t>> placeOf(ValueRange indices) {
  SmallVector<int64_t> place;
  for (Value index : indices) {
    auto number = getConstantIntValue(index);
    if (!number)
      return std::nullopt;
    place.push_back(*number);
  }
  return place;
}

/// Whether the number decides something: places and counts are computed from it. (Data
/// needs no following.)
static bool decides(Value number) {
  llvm::SetVector<Value> from;
  from.insert(number);
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i].getType().isIndex())
      return true;
    for (Operation *user : from[i].getUsers()) {
      if (isa<arith::CmpIOp, scf::ForOp>(user))
        return true;
      if (isa<arith::ArithDialect>(user->getDialect()))
        from.insert(user->getResult(0));
    }
  }
  return false;
}

void titan::followLetters(KernelOp kernel) {
  kernel.getBody().walk([](Operation *op) { op->removeAttr(letterAttribute); });
  SmallVector<SharedAllocOp> boxes;
  kernel.getBody().walk([&](SharedAllocOp box) {
    if (isMailbox(box))
      boxes.push_back(box);
  });
  int64_t elements = 0;
  DominanceInfo dominance(kernel);
  Builder attributes(kernel.getContext());
  for (SharedAllocOp box : boxes) {
    SmallVector<StOp> posts;
    SmallVector<LdOp> reads;
    collectUses(box, posts, reads);
    if (llvm::any_of(posts,
                     [](StOp post) { return !placeOf(post.getIndices()); }))
      continue;
    for (StOp post : posts) {
      const auto place = placeOf(post.getIndices());
      auto isHere = [&](auto op) { return placeOf(op.getIndices()) == place; };
      scf::ForOp loop = loopOf(post);
      llvm::SetVector<Operation *> ops;
      if (!loop || llvm::count_if(posts, isHere) != 1 ||
          !collect(post.getValue(), loop, kernel, ops))
        continue;
      bool any = false;
      for (LdOp read : reads) {
        Value number = letterNumberOf(read);
        if (!isHere(read) || !number || !number.getType().isIndex() ||
            read.getResult().getType() != post.getValue().getType() ||
            !read.getResult().getType().isIntOrIndex() ||
            !decides(read.getResult()))
          continue;
        any = true;
        OpBuilder b(read);
        IRMapping map;
        map.map(loop.getInductionVar(), number);
        for (Operation *op : ops)
          if (loop->isAncestor(op) ||
              !dominance.properlyDominates(op, read.getOperation()))
            b.clone(*op, map);
        read.getResult().replaceAllUsesWith(
            map.lookupOrDefault(post.getValue()));
        read->setAttr(letterAttribute, attributes.getI64IntegerAttr(elements));
      }
      if (any)
        post->setAttr(letterAttribute,
                      attributes.getI64IntegerAttr(elements++));
    }
  }
}
