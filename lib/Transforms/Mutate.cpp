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
/// and so is a signal of a flag: an addition that releases. Bytes that complete
/// do where no copy brings them.
bool orders(const effect::Effect &effect, bool copies) {
  if (auto *access = std::get_if<effect::Access>(&effect.what))
    return isa<MBarrierType>(access->bytes.object.getType()) ||
           (access->kind == AccessKind::Reduction && !access->mechanism &&
            access->sem == effect::Sem::Release);
  if (auto *life = std::get_if<effect::Lifetime>(&effect.what))
    return life->kind == effect::Lifetime::Init;
  return !is<effect::Registers>(effect) && !is<effect::Reveals>(effect) &&
         !(copies && is<effect::CompleteTx>(effect));
}

bool isCommit(Operation *op) {
  return does<effect::CommitGroup>(op) && !does<effect::Access>(op);
}

/// Operations that order something, and yield nothing that others need.
bool isSynchronisation(Operation *op) {
  effect::EffectList effects = effectsOf(op);
  bool copies = does<effect::Access>(op);
  return effects.size() &&
         llvm::all_of(effects,
                      [&](const auto &each) { return orders(each, copies); }) &&
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
    if (does<effect::CompleteTx>(op) && !isSynchronisation(op) &&
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

  //===--------------------------------------------------------------------===//
  // Weaken, count, parity, bytes, stage: a field of an effect changes
  //===--------------------------------------------------------------------===//

  /// The attribute and the value of it by which the operation has these effects
  /// instead of its own; of integers, `number`. Null: there is none.
  std::pair<StringAttr, Attribute> settingFor(const effect::EffectList &wanted,
                                              int64_t number = 0) {
    for (StringAttr name : op->getName().getAttributeNames()) {
      Attribute old = op->getAttr(name);
      SmallVector<Attribute> values;
      if (!old)
        values = {b.getUnitAttr()};
      else if (isa<UnitAttr>(old))
        values = {Attribute()};
      else if (auto integer = dyn_cast<IntegerAttr>(old))
        values = {IntegerAttr::get(integer.getType(), number)};
      else if (isa<MemorySemAttr>(old))
        for (unsigned i = 0; i <= getMaxEnumValForMemorySem(); ++i)
          values.push_back(MemorySemAttr::get(b.getContext(), MemorySem(i)));
      else if (isa<MemoryScopeAttr>(old))
        for (unsigned i = 1; i <= getMaxEnumValForMemoryScope(); ++i)
          values.push_back(
              MemoryScopeAttr::get(b.getContext(), MemoryScope(i)));
      else if (isa<ProxySpaceAttr>(old))
        for (unsigned i = 0; i <= getMaxEnumValForProxySpace(); ++i)
          values.push_back(ProxySpaceAttr::get(b.getContext(), ProxySpace(i)));
      for (Attribute value : values) {
        set(name, value);
        bool found = effectsOf(op) == wanted;
        set(name, old);
        if (found)
          return {name, value};
      }
    }
    return {};
  }
  void set(StringAttr name, Attribute value) {
    if (value)
      op->setAttr(name, value);
    else
      op->removeAttr(name);
  }

  /// Where an attribute makes it: the change of effect `i` by `how`.
  template <typename What>
  bool alter(size_t i, MutationClass kind, const Twine &words,
             llvm::function_ref<void(What &)> how, int64_t number = 0) {
    effect::EffectList wanted = effectsOf(op);
    how(std::get<What>(wanted[i].what));
    auto [name, value] = settingFor(wanted, number);
    if (!name || !want(kind, words))
      return false;
    set(name, value);
    return true;
  }

  /// Calls `how(effect, its number)` for the effects of a kind until it is true.
  template <typename What> bool any(auto &&how) {
    effect::EffectList effects = effectsOf(op);
    for (size_t i = 0; i < effects.size(); ++i)
      if (auto *each = std::get_if<What>(&effects[i].what);
          each && how(*each, i))
        return true;
    return false;
  }

  /// The operand that is the value, behind `after` where that is one.
  OpOperand *operandOf(Value value, Value after = {}) {
    bool behind = !llvm::is_contained(op->getOperands(), after);
    for (OpOperand &operand : op->getOpOperands()) {
      if (behind && operand.get() == value)
        return &operand;
      behind |= operand.get() == after;
    }
    return nullptr;
  }

  Value constant(Type type, int64_t value) {
    return arith::ConstantOp::create(b, op->getLoc(),
                                     b.getIntegerAttr(type, value));
  }

  void change() {
    (void)(weakenSem() || changeArrivals() || changeBytes() || changeWait() ||
           changeInit() || changeThreadBarrier() || changeFence() ||
           changeGroups() || changeStage());
  }

  template <typename What> bool weakenSemOf() {
    return any<What>([&](const What &each, size_t i) {
      bool orders =
          each.sem != effect::Sem::Weak && each.sem != effect::Sem::Relaxed;
      return orders &&
             alter<What>(i, MutationClass::Weaken, "relaxed " + name(),
                         [](What &it) { it.sem = effect::Sem::Relaxed; });
    });
  }
  bool weakenSem() {
    return weakenSemOf<effect::Arrive>() ||
           weakenSemOf<effect::WaitBarrier>() ||
           weakenSemOf<effect::ThreadBarrier>() ||
           weakenSemOf<effect::Access>();
  }

  bool changeArrivals() {
    using effect::Arrive;
    return any<Arrive>([&](const Arrive &arrive, size_t i) {
      int64_t more = arrive.count.offset + 1;
      if (arrive.count.isConstant() &&
          alter<Arrive>(
              i, MutationClass::Count, "one more arrival",
              [&](Arrive &it) { it.count = effect::Expr::constant(more); },
              more))
        return true;
      return arrive.after &&
             alter<Arrive>(i, MutationClass::Count,
                           arrive.increments
                               ? "an arrival that the barrier counts"
                               : "an arrival that raises the count by itself",
                           [](Arrive &it) { it.increments ^= true; });
    });
  }

  bool changeBytes() {
    if (any<effect::ExpectTx>([&](const effect::ExpectTx &expect, size_t) {
          return changeBytes(expect.bytes, expect.barrier, "expect ");
        }))
      return true;
    return isSynchronisation(op) &&
           any<effect::CompleteTx>([&](const effect::CompleteTx &complete,
                                       size_t) {
             return changeBytes(complete.bytes, complete.barrier, "complete ");
           });
  }
  bool changeBytes(const effect::Expr &expr, const effect::BarrierRef &barrier,
                   const Twine &verb) {
    OpOperand *bytes =
        expr.value ? operandOf(expr.value,
                               barrier.index ? barrier.index : barrier.barrier)
                   : nullptr;
    if (!bytes)
      return false;
    Location loc = op->getLoc();
    Type type = bytes->get().getType();
    if (want(MutationClass::Bytes, verb + "16 bytes more"))
      bytes->set(arith::AddIOp::create(b, loc, expr.value, constant(type, 16)));
    else if (want(MutationClass::Bytes, verb + "16 bytes less"))
      bytes->set(arith::SubIOp::create(b, loc, expr.value, constant(type, 16)));
    else if (want(MutationClass::Bytes, verb + "half of the bytes"))
      bytes->set(arith::DivUIOp::create(b, loc, expr.value, constant(type, 2)));
    else if (want(MutationClass::Bytes, verb + "twice the bytes"))
      bytes->set(arith::MulIOp::create(b, loc, expr.value, constant(type, 2)));
    else if (want(MutationClass::Bytes, verb + "no bytes"))
      bytes->set(constant(type, 0));
    else
      return false;
    return true;
  }

  bool changeWait() {
    using effect::WaitBarrier;
    return any<WaitBarrier>([&](const WaitBarrier &wait, size_t) {
      if (!wait.parity)
        return false;
      if (wait.blocking &&
          want(MutationClass::Weaken, "poll instead of " + name())) {
        MBarrierTestWaitOp::create(b, op->getLoc(), b.getI1Type(),
                                   wait.barrier.barrier, wait.barrier.index,
                                   wait.parity);
        op->erase();
        return true;
      }
      OpOperand *parity =
          operandOf(wait.parity, wait.barrier.index ? wait.barrier.index
                                                    : wait.barrier.barrier);
      if (!parity)
        return false;
      Type type = wait.parity.getType();
      if (want(MutationClass::Parity, "wait for the other parity"))
        parity->set(arith::XOrIOp::create(b, op->getLoc(), wait.parity,
                                          constant(type, 1)));
      else if (want(MutationClass::Parity, "wait for parity 0"))
        parity->set(constant(type, 0));
      else
        return false;
      return true;
    });
  }

  bool changeInit() {
    using effect::Lifetime;
    return any<Lifetime>([&](const Lifetime &life, size_t i) {
      auto expect = [&](const Twine &words, int64_t count) {
        return alter<Lifetime>(
            i, MutationClass::Count, words,
            [&](Lifetime &it) { it.count = effect::Expr::constant(count); },
            count);
      };
      int64_t count = life.count.offset;
      return life.kind == Lifetime::Init && life.count.isConstant() &&
             (expect("one more expected arrival", count + 1) ||
              (count > 1 && expect("one expected arrival less", count - 1)));
    });
  }

  bool changeThreadBarrier() {
    using effect::ThreadBarrier;
    return any<ThreadBarrier>([&](const ThreadBarrier &barrier, size_t i) {
      if (barrier.kind != ThreadBarrier::Named ||
          barrier.role != ThreadBarrier::Sync)
        return false;
      const TargetInfo &target = *lookupTarget(std::string_view(
          cast<HardwareEffectsInterface>(op).getTargets().front()));
      if (!barrier.threads) {
        // s_barrier has no other to take its place.
        if (!target.has(Feature::NamedBarriers) ||
            !want(MutationClass::Weaken, "syncwarp instead of " + name()))
          return false;
        SyncWarpOp::create(b, op->getLoc());
        op->erase();
        return true;
      }
      int64_t id = barrier.id.offset, threads = barrier.threads;
      if (want(MutationClass::Weaken, "barrier.arrive instead of sync")) {
        BarrierArriveOp::create(b, op->getLoc(), id, threads);
        op->erase();
        return true;
      }
      auto count = [&](const Twine &words, int64_t number) {
        return alter<ThreadBarrier>(
            i, MutationClass::Count, words,
            [&](ThreadBarrier &it) { it.threads = number; }, number);
      };
      int64_t warp = target.warpWidth;
      if ((threads > warp && count(Twine(warp) + " threads less at the barrier",
                                   threads - warp)) ||
          (threads < target.maxThreadsPerCta &&
           count(Twine(warp) + " threads more at the barrier", threads + warp)))
        return true;
      int64_t other = id == target.namedBarriers - 1 ? 1 : id + 1;
      return alter<ThreadBarrier>(
          i, MutationClass::Count, "another named barrier",
          [&](ThreadBarrier &it) { it.id = effect::Expr::constant(other); },
          other);
    });
  }

  bool changeFence() {
    using effect::Fence;
    return any<Fence>([&](const Fence &fence, size_t i) {
      return (fence.kind == Fence::ProxyAsync &&
              fence.space != FenceSpace::Global &&
              alter<Fence>(i, MutationClass::Weaken,
                           "proxy fence of global memory only",
                           [](Fence &it) { it.space = FenceSpace::Global; })) ||
             (fence.kind == Fence::Memory && fence.scope != Scope::Cta &&
              alter<Fence>(i, MutationClass::Weaken, "fence of the CTA only",
                           [](Fence &it) { it.scope = Scope::Cta; }));
    });
  }

  /// Of waits by a number of groups, by mechanism: what a group is.
  static StringRef groupOf(Mechanism mechanism) {
    switch (mechanism) {
    case Mechanism::BulkGroup:
      return "bulk group";
    case Mechanism::MmaGroup:
      return "product";
    case Mechanism::AsyncGroup:
      return "cp.async group";
    case Mechanism::VmCount:
      return "load to LDS";
    default:
      return {};
    }
  }

  bool changeGroups() {
    using effect::WaitGroup;
    return any<WaitGroup>([&](const WaitGroup &wait, size_t i) {
      if (!wait.sourcesOnly &&
          alter<WaitGroup>(i, MutationClass::Weaken, name() + " read only",
                           [](WaitGroup &it) { it.sourcesOnly = true; }))
        return true;
      StringRef group = groupOf(wait.mechanism);
      if (group.empty() || op->getNumResults())
        return false;
      if (wait.pending)
        return alter<WaitGroup>(
            i, MutationClass::Count, "leave one more " + group + " pending",
            [](WaitGroup &it) { ++*it.pending; }, *wait.pending + 1);
      if (wait.mechanism == Mechanism::VmCount)
        return false;
      // The group of a token is the last, or one before it.
      if (wait.mechanism == Mechanism::MmaGroup) {
        if (!want(MutationClass::Count, "leave two more products pending"))
          return false;
        MmaWaitGroupOp::create(b, op->getLoc(), 2);
        op->erase();
        return true;
      }
      for (int64_t pending : {1, 2}) {
        if (!want(MutationClass::Count,
                  (pending == 1 ? "leave a " + group + " pending"
                                : "leave two " + group + "s pending")))
          continue;
        if (wait.mechanism == Mechanism::BulkGroup)
          BulkWaitGroupOp::create(b, op->getLoc(), pending, wait.sourcesOnly);
        else
          CpAsyncWaitGroupOp::create(b, op->getLoc(), pending);
        op->erase();
        return true;
      }
      return false;
    });
  }

  /// The next slot instead of this one, for an operation that names a slot of a
  /// ring.
  bool changeStage() {
    if (auto view = dyn_cast<ViewOpInterface>(op)) {
      effect::View of = view.getView();
      return of.index && changeStage(operandOf(of.index, of.source), of.slots);
    }
    for (const effect::Effect &each : effectsOf(op)) {
      const effect::BarrierRef *ref = std::visit(
          [](const auto &what) -> const effect::BarrierRef * {
            using What = std::decay_t<decltype(what)>;
            if constexpr (requires { what.barrier.index; } &&
                          !std::is_same_v<What, effect::Lifetime>)
              return &what.barrier;
            return nullptr;
          },
          each.what);
      if (!ref)
        continue;
      // Of several effects on it the first.
      auto ring = cast<MBarrierType>(ref->barrier.getType());
      return ref->index &&
             changeStage(operandOf(ref->index, ref->barrier), ring.getSlots());
    }
    return false;
  }
  bool changeStage(OpOperand *index, int64_t slots) {
    if (!index || slots < 2)
      return false;
    auto step = [&](int64_t by) {
      Type type = index->get().getType();
      Value next = arith::AddIOp::create(b, op->getLoc(), index->get(),
                                         constant(type, by));
      index->set(
          arith::RemUIOp::create(b, op->getLoc(), next, constant(type, slots)));
      return true;
    };
    if (want(MutationClass::Stage, "the next slot in " + name()))
      return step(1);
    return slots > 2 &&
           want(MutationClass::Stage, "the slot before in " + name()) &&
           step(slots - 1);
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
      mutations.push_back(
          {kind, at, variant, words.str(), loc,
           kind == MutationClass::Stage && isa<ViewOpInterface>(op)});
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
