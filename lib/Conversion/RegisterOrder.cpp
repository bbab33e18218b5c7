//===- RegisterOrder.cpp - element by element, where there is no room ------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RegisterOrder.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace {

using LiveValues = llvm::DenseSet<const llvm::Value *>;
using InstructionOrder = llvm::SmallVector<llvm::Instruction *>;

/// Which values are live where blocks of a function end.
class Liveness {
public:
  explicit Liveness(llvm::Function &function);
  const LiveValues &liveOut(const llvm::BasicBlock &block) {
    return out[&block];
  }
  /// The most registers that values of a block take at once in this order.
  int most(const llvm::BasicBlock &block, llvm::ArrayRef<llvm::Instruction *>);

private:
  /// Registers of 32 bits. Predicates have some of their own; a statement's results
  /// are counted as they are taken out of it.
  int width(const llvm::Value &value) const {
    llvm::Type *type = value.getType();
    if (type->isAggregateType() || !type->isSized() ||
        type->getScalarSizeInBits() == 1)
      return 0;
    return int((layout.getTypeSizeInBits(type) + 31) / 32);
  }
  static bool isValue(const llvm::Value *value) {
    return llvm::isa<llvm::Instruction, llvm::Argument>(value);
  }
  const llvm::DataLayout &layout;
  llvm::DenseMap<const llvm::BasicBlock *, LiveValues> out;
};

} // namespace

Liveness::Liveness(llvm::Function &function)
    : layout(function.getDataLayout()) {
  // Backwards from each use to where the value is made.
  auto liveAtEnd = [&](const llvm::Value *value,
                       const llvm::BasicBlock *block) {
    auto *made = llvm::dyn_cast<llvm::Instruction>(value);
    llvm::SmallVector<const llvm::BasicBlock *> work = {block};
    while (!work.empty()) {
      const llvm::BasicBlock *next = work.pop_back_val();
      if (!out[next].insert(value).second ||
          (made && made->getParent() == next))
        continue;
      llvm::append_range(work, llvm::predecessors(next));
    }
  };
  for (llvm::Instruction &user : llvm::instructions(function))
    for (llvm::Use &use : user.operands()) {
      if (!isValue(use))
        continue;
      if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&user)) {
        liveAtEnd(use, phi->getIncomingBlock(use));
        continue;
      }
      auto *made = llvm::dyn_cast<llvm::Instruction>(use);
      if (!made || made->getParent() != user.getParent())
        for (const llvm::BasicBlock *before :
             llvm::predecessors(user.getParent()))
          liveAtEnd(use, before);
    }
}

int Liveness::most(const llvm::BasicBlock &block,
                   llvm::ArrayRef<llvm::Instruction *> order) {
  LiveValues live = liveOut(block);
  int taken = 0, most = 0;
  for (const llvm::Value *value : live)
    taken += width(*value);
  for (const llvm::Instruction *i : llvm::reverse(order)) {
    most = std::max(most, taken);
    if (live.erase(i))
      taken -= width(*i);
    if (llvm::isa<llvm::PHINode>(i))
      continue;
    for (const llvm::Value *operand : i->operands())
      if (isValue(operand) && live.insert(operand).second)
        taken += width(*operand);
  }
  return std::max(most, taken);
}

/// Loads stay: ptxas finds better places for them than an order by users (of a
/// tile of C, three of four kernels spilled more).
static bool canMove(const llvm::Instruction &i) {
  return !llvm::isa<llvm::PHINode, llvm::AllocaInst>(i) && !i.isTerminator() &&
         !i.mayReadOrWriteMemory() && !i.mayHaveSideEffects();
}

/// Each instruction that can move before the first in this order that uses it, but
/// not past one that cannot.
static InstructionOrder sunk(llvm::BasicBlock &block) {
  // Of each instruction the stretch that it lies in, whose end is one that cannot.
  llvm::DenseMap<const llvm::Instruction *, int> stretch, place;
  int stretches = 0, places = 0;
  for (llvm::Instruction &i : block) {
    place[&i] = places++;
    stretch[&i] = stretches;
    stretches += !canMove(i);
  }
  // Those that wait for the first that uses them.
  llvm::DenseSet<const llvm::Instruction *> waiting;
  for (llvm::Instruction &i : block)
    if (canMove(i) && llvm::any_of(i.users(), [&](llvm::User *each) {
          auto *user = llvm::cast<llvm::Instruction>(each);
          return user->getParent() == &block &&
                 !llvm::isa<llvm::PHINode>(user) &&
                 stretch[user] == stretch[&i];
        }))
      waiting.insert(&i);
  InstructionOrder order;
  llvm::SmallVector<std::pair<llvm::Instruction *, bool>> work;
  for (llvm::Instruction &i : block) {
    if (waiting.contains(&i))
      continue;
    work.push_back({&i, false});
    while (!work.empty()) {
      auto [next, placed] = work.pop_back_val();
      if (placed) {
        order.push_back(next);
        continue;
      }
      work.push_back({next, true});
      if (llvm::isa<llvm::PHINode>(next))
        continue;
      InstructionOrder before;
      for (llvm::Value *operand : next->operands())
        if (auto *made = llvm::dyn_cast<llvm::Instruction>(operand);
            made && waiting.contains(made))
          before.push_back(made);
      llvm::sort(before, [&](llvm::Instruction *a, llvm::Instruction *b) {
        return place[a] > place[b];
      });
      for (llvm::Instruction *made : before)
        if (waiting.erase(made))
          work.push_back({made, false});
    }
  }
  return order;
}

int titan::orderByElement(llvm::Function &function, int registers) {
  int changed = 0;
  Liveness liveness(function);
  for (llvm::BasicBlock &block : function) {
    InstructionOrder order;
    for (llvm::Instruction &i : block)
      order.push_back(&i);
    int most = liveness.most(block, order);
    if (most <= registers)
      continue;
    order = sunk(block);
    if (liveness.most(block, order) >= most)
      continue;
    for (llvm::Instruction *i : order)
      i->moveBefore(block, block.end());
    ++changed;
  }
  return changed;
}
