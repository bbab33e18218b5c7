//===- Mutate.cpp - kernels with one bug each -----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Transforms/Mutate.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace titan;

llvm::StringRef titan::stringify(MutationClass kind) {
  static const char *names[] = {"drop",  "duplicate", "weaken", "move",
                                "count", "parity",    "bytes",  "stage"};
  return names[static_cast<int>(kind)];
}

namespace {

effect::EffectList effectsOf(Operation *op) {
  effect::EffectList effects;
  if (auto hardware = dyn_cast<HardwareEffectsInterface>(op))
    hardware.getHardwareEffects(effects);
  return effects;
}
template <typename What> bool is(const effect::Effect &effect) {
  return std::holds_alternative<What>(effect.what);
}
template <typename What> bool does(Operation *op) {
  return llvm::any_of(effectsOf(op), is<What>);
}

/// Effects that order something. Barriers that become live are accesses, too,
/// and so is a signal of a flag: an addition that releases.
bool orders(const effect::Effect &effect) {
  if (auto *access = std::get_if<effect::Access>(&effect.what))
    return isa<MBarrierType>(access->bytes.object.getType()) ||
           (access->kind == AccessKind::Reduction && !access->mechanism &&
            access->sem == effect::Sem::Release);
  if (auto *life = std::get_if<effect::Lifetime>(&effect.what))
    return life->kind == effect::Lifetime::Init;
  return !is<effect::Registers>(effect) && !is<effect::Reveals>(effect) &&
         !is<effect::CompleteTx>(effect);
}

bool isCommit(Operation *op) {
  return does<effect::CommitGroup>(op) && !does<effect::Access>(op);
}

/// Operations that order something, and yield nothing that others need.
bool isSynchronisation(Operation *op) {
  effect::EffectList effects = effectsOf(op);
  return effects.size() && llvm::all_of(effects, orders) &&
         (isCommit(op) || op->use_empty());
}

/// Operations whose work is wanted, but whose place matters.
bool isPublication(Operation *op) {
  return does<effect::Fence>(op) && does<effect::Access>(op);
}

/// Waits in vain where there is nothing to wait for, and harms nobody.
bool onlyWaits(Operation *op) {
  effect::EffectList effects = effectsOf(op);
  return effects.size() && llvm::all_of(effects, [](const auto &effect) {
           return is<effect::WaitBarrier>(effect) ||
                  is<effect::WaitGroup>(effect);
         });
}

/// The next operation with effects (or a region with such), past pure ones.
Operation *nextEffect(Operation *op) {
  for (op = op->getNextNode(); op; op = op->getNextNode())
    if (!isPure(op))
      return op;
  return nullptr;
}
Operation *previousEffect(Operation *op) {
  for (op = op->getPrevNode(); op; op = op->getPrevNode())
    if (!isPure(op))
      return op;
  return nullptr;
}

/// Nothing between `op` and `to` makes what `op` uses, and nothing there uses
/// what `op` makes.
bool canMoveBefore(Operation *op, Operation *to) {
  for (Value operand : op->getOperands())
    if (Operation *definition = operand.getDefiningOp())
      if (definition->getBlock() == op->getBlock() &&
          !definition->isBeforeInBlock(to))
        return false;
  return true;
}
bool canMoveAfter(Operation *op, Operation *to) {
  for (Operation *user : op->getUsers()) {
    Operation *inBlock = op->getBlock()->findAncestorOpInBlock(*user);
    if (inBlock && !to->isBeforeInBlock(inBlock))
      return false;
  }
  return true;
}

/// Calls `visit(class, variant, words)` for each mutation of `op`; where it
/// returns true, makes the change and stops.
class Mutator {
public:
  using Visit = llvm::function_ref<bool(MutationClass, unsigned, StringRef)>;

  Mutator(Operation *op, Visit visit) : op(op), visit(visit), b(op) {}

  void run() {
    if (auto elect = dyn_cast<ElectOp>(op)) {
      if (elect.getNumResults() == 0 && countsThreads(elect) &&
          want(MutationClass::Drop, "drop elect"))
        inlineElect(elect);
      return;
    }
    // A load signals a barrier; a store is data only, and storing the same data
    // twice is no bug of synchronisation.
    if (does<effect::CompleteTx>(op) &&
        want(MutationClass::Duplicate, "duplicate " + name())) {
      b.setInsertionPointAfter(op);
      b.clone(*op);
      return;
    }
    if (isSynchronisation(op) && !synchronisation())
      return;
    if (isPublication(op) && !move())
      return;
    change();
  }

private:
  std::string name() { return op->getName().stripDialect().str(); }

  bool want(MutationClass kind, const Twine &words) {
    unsigned variant = variants[static_cast<int>(kind)]++;
    return visit(kind, variant, words.str());
  }

  /// Whether it matters how many threads execute the body: to wait in vain for
  /// nothing harms nobody.
  static bool countsThreads(ElectOp elect) {
    return elect.getBody()
        .walk([](Operation *each) {
          bool harmless = isPure(each) ||
                          each->hasTrait<OpTrait::IsTerminator>() ||
                          onlyWaits(each) || each->getNumRegions() != 0;
          return harmless ? WalkResult::advance() : WalkResult::interrupt();
        })
        .wasInterrupted();
  }

  void inlineElect(ElectOp elect) {
    Block &body = elect.getBody().front();
    body.getTerminator()->erase();
    elect->getBlock()->getOperations().splice(elect->getIterator(),
                                              body.getOperations());
    elect.erase();
  }

  /// Drop, duplicate, move. False when a change was made.
  bool synchronisation() {
    if (want(MutationClass::Drop, "drop " + name())) {
      if (isCommit(op)) {
        auto none = TokenNoneOp::create(b, op->getLoc(), op->getResultTypes());
        op->replaceAllUsesWith(none);
      }
      op->erase();
      return false;
    }
    if (!isCommit(op) &&
        want(MutationClass::Duplicate, "duplicate " + name())) {
      b.setInsertionPointAfter(op);
      b.clone(*op);
      return false;
    }
    return move();
  }

  /// False when a change was made.
  bool move() {
    Operation *next = nextEffect(op);
    if (next && !next->hasTrait<OpTrait::IsTerminator>() &&
        canMoveAfter(op, next) &&
        want(MutationClass::Move,
             "move " + name() + " behind " + next->getName().getStringRef())) {
      op->moveAfter(next);
      return false;
    }
    Operation *previous = previousEffect(op);
    if (previous && canMoveBefore(op, previous) &&
        want(MutationClass::Move, "move " + name() + " before " +
                                      previous->getName().getStringRef())) {
      op->moveBefore(previous);
      return false;
    }
    return true;
  }

  /// Weaken, count, parity, bytes, stage.
  void change() {
    if (auto arrive = dyn_cast<MBarrierArriveOp>(op)) {
      if (weakenSem(arrive))
        return;
      if (want(MutationClass::Count, "one more arrival"))
        return arrive.setCount(arrive.getCount() + 1);
    }
    if (auto arrive = dyn_cast<MBarrierArriveExpectTxOp>(op))
      if (weakenSem(arrive) || changeBytes(arrive.getBytesMutable()))
        return;
    if (auto expect = dyn_cast<MBarrierExpectTxOp>(op))
      if (changeBytes(expect.getBytesMutable()))
        return;
    if (auto wait = dyn_cast<MBarrierWaitOp>(op)) {
      if (weakenSem(wait))
        return;
      if (want(MutationClass::Weaken, "poll instead of mbarrier.wait")) {
        MBarrierTestWaitOp::create(b, op->getLoc(), b.getI1Type(),
                                   wait.getBarrier(), wait.getIndex(),
                                   wait.getParity());
        op->erase();
        return;
      }
      if (want(MutationClass::Parity, "wait for the other parity")) {
        Value one = arith::ConstantIntOp::create(b, op->getLoc(), 1, 32);
        wait.getParityMutable().assign(
            arith::XOrIOp::create(b, op->getLoc(), wait.getParity(), one));
        return;
      }
      if (want(MutationClass::Parity, "wait for parity 0")) {
        wait.getParityMutable().assign(
            arith::ConstantIntOp::create(b, op->getLoc(), 0, 32));
        return;
      }
    }
    if (auto init = dyn_cast<MBarrierInitOp>(op)) {
      if (want(MutationClass::Count, "one more expected arrival"))
        return init.setCount(init.getCount() + 1);
      if (init.getCount() > 1 &&
          want(MutationClass::Count, "one expected arrival less"))
        return init.setCount(init.getCount() - 1);
    }
    if (auto sync = dyn_cast<BarrierSyncOp>(op)) {
      if (want(MutationClass::Weaken, "barrier.arrive instead of sync")) {
        BarrierArriveOp::create(b, op->getLoc(), sync.getId(),
                                sync.getThreads());
        op->erase();
        return;
      }
      if (sync.getThreads() > 32 &&
          want(MutationClass::Count, "32 threads less at the barrier"))
        return sync.setThreads(sync.getThreads() - 32);
      if (sync.getThreads() < 1024 &&
          want(MutationClass::Count, "32 threads more at the barrier"))
        return sync.setThreads(sync.getThreads() + 32);
      if (want(MutationClass::Count, "another named barrier"))
        return sync.setId(sync.getId() == 15 ? 1 : sync.getId() + 1);
    }
    if (isa<CtaSyncOp>(op) &&
        want(MutationClass::Weaken, "syncwarp instead of cta_sync")) {
      SyncWarpOp::create(b, op->getLoc());
      op->erase();
      return;
    }
    if (auto arrive = dyn_cast<ClusterArriveOp>(op))
      if (!arrive.getRelaxed() &&
          want(MutationClass::Weaken, "relaxed cluster.arrive"))
        return arrive.setRelaxed(true);
    if (auto fence = dyn_cast<FenceProxyAsyncOp>(op))
      if (fence.getSpace() != ProxySpace::Global &&
          want(MutationClass::Weaken, "proxy fence of global memory only"))
        return fence.setSpace(ProxySpace::Global);
    if (auto wait = dyn_cast<BulkWaitOp>(op)) {
      if (!wait.getRead() && want(MutationClass::Weaken, "bulk.wait read only"))
        return wait.setRead(true);
      if (want(MutationClass::Count, "leave a bulk group pending"))
        return replaceByGroupWait<BulkWaitGroupOp>(1, wait.getRead());
      if (want(MutationClass::Count, "leave two bulk groups pending"))
        return replaceByGroupWait<BulkWaitGroupOp>(2, wait.getRead());
    }
    if (isa<MmaWaitOp>(op))
      if (want(MutationClass::Count, "leave two more products pending")) {
        MmaWaitGroupOp::create(b, op->getLoc(), 2);
        op->erase();
        return;
      }
    if (auto wait = dyn_cast<MmaWaitGroupOp>(op))
      if (want(MutationClass::Count, "leave one more product pending"))
        return wait.setPending(wait.getPending() + 1);
    changeStage();
  }

  template <typename Op> void replaceByGroupWait(int64_t pending, bool read) {
    Op::create(b, op->getLoc(), pending, read);
    op->erase();
  }

  template <typename Op> bool weakenSem(Op each) {
    if (each.getSem() == MemorySem::Relaxed ||
        !want(MutationClass::Weaken, "relaxed " + name()))
      return false;
    each.setSem(MemorySem::Relaxed);
    return true;
  }

  bool changeBytes(OpOperand &bytes) {
    Location loc = op->getLoc();
    auto constant = [&](int64_t value) {
      return arith::ConstantIntOp::create(b, loc, value, 32).getResult();
    };
    if (want(MutationClass::Bytes, "expect 16 bytes more")) {
      bytes.set(arith::AddIOp::create(b, loc, bytes.get(), constant(16)));
      return true;
    }
    if (want(MutationClass::Bytes, "expect 16 bytes less")) {
      bytes.set(arith::SubIOp::create(b, loc, bytes.get(), constant(16)));
      return true;
    }
    if (want(MutationClass::Bytes, "expect half of the bytes")) {
      bytes.set(arith::DivUIOp::create(b, loc, bytes.get(), constant(2)));
      return true;
    }
    if (want(MutationClass::Bytes, "expect twice the bytes")) {
      bytes.set(arith::MulIOp::create(b, loc, bytes.get(), constant(2)));
      return true;
    }
    if (want(MutationClass::Bytes, "expect no bytes")) {
      bytes.set(constant(0));
      return true;
    }
    return false;
  }

  /// The next slot instead of this one, for an operation that names a slot of a
  /// ring.
  void changeStage() {
    int64_t slots = 0;
    OpOperand *index = nullptr;
    auto take = [&](auto each) {
      slots = each.getBarrier().getType().getSlots();
      if (each.getIndex())
        index = &*each.getIndexMutable().begin();
    };
    if (auto each = dyn_cast<MBarrierArriveOp>(op))
      take(each);
    else if (auto each = dyn_cast<MBarrierArriveExpectTxOp>(op))
      take(each);
    else if (auto each = dyn_cast<MBarrierWaitOp>(op))
      take(each);
    else if (auto each = dyn_cast<TmaLoadOp>(op))
      take(each);
    else if (auto each = dyn_cast<SharedSlotOp>(op)) {
      slots = each.getRing().getType().getSlots();
      index = &each.getIndexMutable();
    }
    if (!index || slots < 2)
      return;
    auto step = [&](int64_t by) {
      Location loc = op->getLoc();
      Type type = index->get().getType();
      auto constant = [&](int64_t value) -> Value {
        return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
      };
      Value next = arith::AddIOp::create(b, loc, index->get(), constant(by));
      index->set(arith::RemUIOp::create(b, loc, next, constant(slots)));
    };
    if (want(MutationClass::Stage, "the next slot in " + name()))
      return step(1);
    if (slots > 2 && want(MutationClass::Stage, "the slot before in " + name()))
      return step(slots - 1);
  }

  Operation *op;
  Visit visit;
  OpBuilder b;
  unsigned variants[mutationClasses] = {};
};

/// The operations of the body, in walking order.
SmallVector<Operation *> operationsOf(KernelOp kernel) {
  SmallVector<Operation *> list;
  kernel.getBody().walk<WalkOrder::PreOrder>(
      [&](Operation *op) { list.push_back(op); });
  return list;
}

} // namespace

std::vector<Mutation> titan::enumerateMutations(KernelOp kernel) {
  std::vector<Mutation> mutations;
  for (auto [number, op] : llvm::enumerate(operationsOf(kernel))) {
    Location loc = op->getLoc();
    unsigned at = number;
    Mutator(op, [&](MutationClass kind, unsigned variant, StringRef words) {
      mutations.push_back({kind, at, variant, words.str(), loc});
      return false;
    }).run();
  }
  return mutations;
}

LogicalResult titan::applyMutation(KernelOp clone, const Mutation &mutation) {
  Operation *op = operationsOf(clone)[mutation.operation];
  bool made = false;
  Mutator(op, [&](MutationClass kind, unsigned variant, StringRef) {
    bool mine = kind == mutation.kind && variant == mutation.variant;
    made |= mine;
    return mine;
  }).run();
  if (!made)
    return failure();
  ScopedDiagnosticHandler quiet(clone.getContext(),
                                [](Diagnostic &) { return success(); });
  return verify(clone);
}
