//===- Causes.cpp - what follows from what --------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Causes.h"

#include "Fixes.h"

#include "titan/Dialect/Titan/PipeEnds.h"
#include "titan/Dialect/Titan/SharedMemory.h"

#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

namespace {

/// What a finding is about, as far as causes are concerned.
enum class Kind {
  Count,   ///< numbers that do not match
  Group,   ///< a group that an operation is not in, or that is not waited for
  Phase,   ///< into which phase something falls
  Stuck,   ///< nobody can go on
  Order,   ///< two accesses without one
  Unended, ///< what nobody waits for
  Place,   ///< one place, where something is missing for all that follows
  Own      ///< anything else
};

Kind kindOf(const Raw &raw) {
  if (raw.weight == Raw::Mismatch)
    return Kind::Count;
  if (raw.weight == Raw::Symptom)
    return raw.code == Code::TokenNotDischarged ? Kind::Unended : Kind::Stuck;
  switch (raw.code) {
  case Code::BarrierBytes:
  case Code::BarrierArrivals:
  case Code::NamedBarrier:
  case Code::PhaseParity:
    return Kind::Count;
  case Code::TokenNotDischarged:
  case Code::InflightUse:
    return Kind::Group;
  case Code::PhaseAmbiguous:
  case Code::BarrierUnobserved:
    return Kind::Phase;
  case Code::Deadlock:
    return Kind::Stuck;
  case Code::CompletionNotObserved:
  case Code::AsyncUnordered:
  case Code::MmaSlotReuse:
  case Code::Race:
    return Kind::Order;
  case Code::ExitWithWork:
  case Code::GroupWaitCount:
    return Kind::Unended;
  case Code::BarrierLive:
  case Code::BarrierNotInitialised:
  case Code::BarrierInitFence:
  case Code::IssueCardinality:
  case Code::ProxyFenceMissing:
    return Kind::Place;
  default:
    return Kind::Own;
  }
}

/// Barriers and memory of the CTA that are used together: by one operation, or
/// by operations that stand beside each other (in one block, or what one thread
/// of those does that execute the block).
class Rings {
public:
  explicit Rings(KernelOp kernel) {
    kernel.getBody().walk([&](Operation *op) {
      if (isa<ElectOp>(op))
        rings.unionSets(static_cast<const void *>(op->getBlock()),
                        static_cast<const void *>(&op->getRegion(0).front()));
      for (const void *object : objectsOf(op))
        rings.unionSets(static_cast<const void *>(op->getBlock()), object);
    });
  }
  /// Whether two findings are about one ring.
  bool meet(const Raw &a, const Raw &b) const {
    for (const void *one : {of(a.op), of(a.other)})
      for (const void *other : {of(b.op), of(b.other)})
        if (one && one == other)
          return true;
    return false;
  }

  bool meet(const Raw &a, Operation *op) const {
    const void *other = of(op);
    return other && (of(a.op) == other || of(a.other) == other);
  }

private:
  /// Null: of none.
  const void *of(Operation *op) const {
    if (!op)
      return nullptr;
    auto found = rings.findLeader(static_cast<const void *>(op->getBlock()));
    return found == rings.member_end() ? nullptr : *found;
  }
  static SmallVector<const void *> objectsOf(Operation *op) {
    SmallVector<const void *> objects;
    auto hardware = dyn_cast<HardwareEffectsInterface>(op);
    if (!hardware)
      return objects;
    auto add = [&](Value memory) {
      Value root = memory ? getRoot(memory) : Value();
      if (root && root.getDefiningOp<AllocOpInterface>())
        objects.push_back(root.getAsOpaquePointer());
    };
    effect::EffectList effects;
    hardware.getHardwareEffects(effects);
    for (const effect::Effect &each : effects)
      if (auto *access = std::get_if<effect::Access>(&each.what))
        add(access->bytes.object);
      else if (auto *arrive = std::get_if<effect::Arrive>(&each.what))
        add(arrive->barrier.barrier);
      else if (auto *expect = std::get_if<effect::ExpectTx>(&each.what))
        add(expect->barrier.barrier);
      else if (auto *complete = std::get_if<effect::CompleteTx>(&each.what))
        add(complete->barrier.barrier);
      else if (auto *wait = std::get_if<effect::WaitBarrier>(&each.what))
        add(wait->barrier.barrier);
      else if (std::holds_alternative<effect::Lifetime>(each.what))
        return {}; // All barriers begin at one place.
    return objects;
  }

  llvm::EquivalenceClasses<const void *> rings;
};

} // namespace

/// Whether the access that is refused is one of the other finding's two. (Two
/// that are the same, and another code: between threads, and of one.)
static bool sharesOperation(const Raw &what, const Raw &from) {
  return what.op == from.op ? what.other != from.other : what.op == from.other;
}

/// Whether the access that is refused reads what the other one writes.
static bool reads(const Raw &raw) {
  auto touched = [](Operation *op, bool writes) {
    SmallVector<Value> roots;
    effect::EffectList effects;
    if (auto hardware = dyn_cast_or_null<HardwareEffectsInterface>(op))
      hardware.getHardwareEffects(effects);
    for (const effect::Effect &each : effects)
      if (auto *access = std::get_if<effect::Access>(&each.what);
          access && (access->kind != AccessKind::Read) == writes)
        roots.push_back(getRoot(access->bytes.object));
    return roots;
  };
  SmallVector<Value> written = touched(raw.other, /*writes=*/true);
  return llvm::any_of(touched(raw.op, /*writes=*/false), [&](Value root) {
    return llvm::is_contained(written, root);
  });
}

/// Two accesses without an order are found in the one that the run shows. The
/// thread that executes both has the later one in its text; of two threads one
/// reads what the other brings. True: the pair is better told from `b`.
static bool isOtherWay(const Raw &a, const Raw &b) {
  if (kindOf(a) != Kind::Order || kindOf(b) != Kind::Order || a.op == b.op ||
      !b.other || a.op->getBlock() != b.other->getBlock() || a.other != b.op)
    return false;
  if (a.op->getParentOfType<PartitionOp>() !=
      b.op->getParentOfType<PartitionOp>())
    return reads(b);
  Operation *first = nullptr;
  a.op->getParentOfType<KernelOp>()->walk<WalkOrder::PreOrder>(
      [&](Operation *op) {
        if (op != a.op && op != b.op)
          return WalkResult::advance();
        first = op;
        return WalkResult::interrupt();
      });
  return first == a.op;
}

static Block *blockOf(Operation *op) { return op ? op->getBlock() : nullptr; }

/// Whether it waits for a barrier.
static bool waits(Operation *op) {
  effect::EffectList effects;
  if (auto hardware = dyn_cast<HardwareEffectsInterface>(op))
    hardware.getHardwareEffects(effects);
  return llvm::any_of(effects, [](const effect::Effect &each) {
    return std::holds_alternative<effect::WaitBarrier>(each.what);
  });
}

/// Which findings are looked at first; those of one number in the order in which
/// they were found.
static int rankOf(const Raw &raw) {
  switch (kindOf(raw)) {
  case Kind::Count:
  case Kind::Group:
    return 0;
  case Kind::Order:
    // A copy that is not behind the one before it is seldom the whole.
    return raw.code == Code::AsyncUnordered ? 2 : 1;
  case Kind::Unended:
    return 3;
  default:
    return raw.weight == Raw::Symptom ? 2 : 1;
  }
}

namespace {
/// What follows from what, in one kernel.
class Consequences {
public:
  explicit Consequences(KernelOp kernel) : rings(kernel) {}

  bool follows(const Raw &what, const Raw &from) const {
    Kind kind = kindOf(what), cause = kindOf(from);
    bool both =
        what.code == from.code && what.op->getBlock() == from.op->getBlock();
    switch (cause) {
    case Kind::Own:
    case Kind::Unended:
      return false;
    case Kind::Place:
      // The fence, the barrier or the elect is one for all of them.
      return what.code == from.code &&
             blockOf(what.other) == blockOf(from.other) &&
             (both || what.code == Code::BarrierInitFence);
    case Kind::Group:
      if (what.code == from.code ||
          (kind != Kind::Order && kind != Kind::Group))
        return false;
      return from.code == Code::InflightUse
                 ? what.op == from.other || what.other == from.other
                 : what.other == from.op;
    default:
      break;
    }
    switch (kind) {
    case Kind::Own:
    case Kind::Place:
    case Kind::Group:
      return false;
    case Kind::Stuck:
      return true; // Who stands keeps others from going on, wherever they are.
    case Kind::Count:
      return cause == Kind::Count && rings.meet(what, from) &&
             (what.code != from.code || what.code == Code::NamedBarrier ||
              what.weight == Raw::Mismatch);
    case Kind::Unended:
      // That one side does more than the other may be why somebody stands.
      if (cause == Kind::Stuck)
        return false;
      if (cause == Kind::Order && !sharesOperation(what, from) &&
          (!what.other || what.other != from.other))
        return false;
      return rings.meet(what, from);
    case Kind::Order:
      // Of two of them, those of one access, or of accesses that stand beside
      // each other.
      if (cause == Kind::Order && !sharesOperation(what, from) && !both)
        return false;
      // A flag that nobody signals says nothing of other accesses.
      if (cause == Kind::Stuck && !waits(from.op))
        return false;
      return rings.meet(what, from);
    default:
      return rings.meet(what, from);
    }
  }

private:
  Rings rings;
};
} // namespace

/// The barriers that the text of a partition waits for before this.
static llvm::SmallPtrSet<Value, 8> waitedBefore(Operation *other) {
  Operation *scope = other->getParentOfType<PartitionOp>();
  llvm::SmallPtrSet<Value, 8> waited;
  (scope ? scope : other->getParentOfType<KernelOp>())
      ->walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (op == other)
          return WalkResult::interrupt();
        for (const auto &wait : effectsOf<effect::WaitBarrier>(op))
          waited.insert(getRoot(wait.barrier.barrier));
        return WalkResult::advance();
      });
  return waited;
}

/// Of a read of what a copy brings, where nobody of the reader's partition waits for the
/// copy's barrier before it, that this is missing; else empty.
static std::string fixOfUnwaited(const Raw &raw) {
  if (!raw.other || !reads(raw))
    return "";
  auto completes = effectsOf<effect::CompleteTx>(raw.other);
  if (completes.empty())
    return "";
  Value ring = getRoot(completes[0].barrier.barrier);
  if (PipeEnd::of(ring.getLoc()) || waitedBefore(raw.op).contains(ring))
    return "";
  return "wait for " + nameOf(ring) + " (titan.mbarrier.wait) before '" +
         raw.op->getName().getStringRef().str() +
         "' reads what the copy brings";
}

std::vector<Raw *>
checker::findCauses(const Report &report,
                    llvm::function_ref<bool(const Raw &)> stands) {
  std::vector<Raw *> found;
  for (auto &raw : report.list) {
    auto other = llvm::find_if(report.list, [&](const auto &other) {
      return stands(*raw) && isOtherWay(*raw, *other) && stands(*other);
    });
    Raw *better = other == report.list.end() ? raw.get() : other->get();
    // It is of the pair, where both ways lack the same.
    if (better->finding.fix.empty() && better->code == raw->code)
      better->finding.fix = raw->finding.fix;
    if (!llvm::is_contained(found, better))
      found.push_back(better);
  }
  llvm::stable_sort(found, [](const Raw *a, const Raw *b) {
    return rankOf(*a) < rankOf(*b);
  });
  if (found.size() < 2)
    return found;
  // Who arrives in a phase that may not be over overwrites what is in use, too.
  for (size_t i = 0; i < found.size(); ++i) {
    auto first =
        std::find_if(found.begin(), found.begin() + i, [](const Raw *raw) {
          return kindOf(*raw) == Kind::Order;
        });
    if (kindOf(*found[i]) == Kind::Phase && !waits(found[i]->op) &&
        std::none_of(first, found.begin() + i, [](const Raw *raw) {
          return kindOf(*raw) != Kind::Order || reads(*raw);
        }))
      std::rotate(first, found.begin() + i, found.begin() + i + 1);
  }
  Consequences consequences(found[0]->op->getParentOfType<KernelOp>());
  std::vector<Raw *> told;
  for (size_t i = 0; i < found.size(); ++i) {
    Raw &raw = *found[i];
    bool follows = false, merges = false;
    for (size_t j = 0; j < i && stands(raw); ++j)
      if (const Raw &before = *found[j]; stands(before)) {
        follows |= consequences.follows(raw, before);
        // More places of what is told.
        merges |= before.code == raw.code && before.op == raw.op &&
                  llvm::is_contained(told, found[j]);
      }
    if (!follows || merges)
      told.push_back(found[i]);
    // What overwrites something, since a wait comes too late, is mended there.
    else if (raw.code == Code::PhaseAmbiguous && waits(raw.op))
      for (Raw *cause : told)
        if (kindOf(*cause) == Kind::Order && stands(*cause) &&
            cause->finding.fix.empty() && consequences.follows(raw, *cause)) {
          // (But for a reader that waits for nothing, and so not too late.)
          cause->finding.fix = fixOfUnwaited(*cause);
          if (!cause->finding.fix.empty())
            continue;
          cause->finding.fix = raw.finding.fix;
          cause->finding.others.push_back(
              {raw.op->getLoc(), "'this wait' and 'here', in the fix"});
        }
  }
  return told;
}

/// The indices of the slots that an operation accesses.
static SmallVector<Value> slotsOf(Operation *access) {
  SmallVector<Value> indices;
  for (const effect::Access &each : effectsOf<effect::Access>(access))
    for (Value memory = each.bytes.object; memory;) {
      auto view = memory.getDefiningOp<ViewOpInterface>();
      if (!view)
        break;
      effect::View of = view.getView();
      if (of.index)
        indices.push_back(of.index);
      memory = of.source;
    }
  return indices;
}

/// Whether one of the numbers is computed from `from`.
static bool dependOn(SmallVector<Value> numbers, Value from) {
  llvm::SmallPtrSet<Value, 16> seen;
  while (!numbers.empty()) {
    Value number = numbers.pop_back_val();
    if (number == from)
      return true;
    if (Operation *op = number.getDefiningOp();
        op && seen.insert(number).second)
      llvm::append_range(numbers, op->getOperands());
  }
  return false;
}

/// The arrival behind which `access` stands in its iteration, without a wait
/// between them, where it is of the slot accessed and who does the other access
/// waits for that barrier; null if there is none, or one behind the access too.
static std::pair<Operation *, Value> signalBefore(Operation *access,
                                                  Operation *other) {
  // (What all CTAs see is nobody's slot.)
  if (llvm::any_of(effectsOf<effect::Access>(access), [](const auto &each) {
        return isa<GlobalType>(getRoot(each.bytes.object).getType());
      }))
    return {};
  llvm::SmallPtrSet<Value, 8> waited = waitedBefore(other);
  SmallVector<Value> slots = slotsOf(access);
  auto signals = [&](Operation *op) {
    Value found;
    op->walk([&](Operation *each) {
      for (const auto &arrive : effectsOf<effect::Arrive>(each))
        if (Value ring = getRoot(arrive.barrier.barrier);
            waited.contains(ring) &&
            (!arrive.barrier.index || dependOn(slots, arrive.barrier.index)))
          found = ring;
    });
    return found;
  };
  for (Operation *at = access; at; at = at->getParentOp()) {
    for (Operation *op = at->getNextNode(); op; op = op->getNextNode())
      if (signals(op))
        return {};
    for (Operation *op = at->getPrevNode(); op; op = op->getPrevNode()) {
      if (Value ring = signals(op))
        return {op, ring};
      bool waits = false;
      op->walk([&](Operation *each) {
        waits |= !effectsOf<effect::WaitBarrier>(each).empty();
      });
      if (waits)
        return {};
    }
    if (isa_and_nonnull<LoopLikeOpInterface, PartitionOp, KernelOp>(
            at->getParentOp()))
      break;
  }
  return {};
}

void checker::nameEarlySignal(const Raw &raw, Finding &finding) {
  if (kindOf(raw) != Kind::Order || !finding.fix.empty() || !raw.other)
    return;
  for (auto [access, other] :
       {std::pair(raw.op, raw.other), std::pair(raw.other, raw.op)}) {
    auto [signal, ring] = signalBefore(access, other);
    // (What ends at that barrier is of the phase that was told to expect it.)
    if (!signal || llvm::any_of(effectsOf<effect::CompleteTx>(access),
                                [&](const effect::CompleteTx &complete) {
                                  return getRoot(complete.barrier.barrier) ==
                                         ring;
                                }))
      continue;
    auto end = PipeEnd::of(ring.getLoc());
    finding.fix = "move '" + access->getName().getStringRef().str() +
                  "' before the " +
                  (!end         ? "arrival at " + nameOf(ring)
                   : !end->full ? "titan.pipe.release of its slot"
                   : end->order ? "titan.pipe.signal that passes it on"
                                : "titan.pipe.commit of its slot") +
                  ": behind that the slot is another's";
    finding.others.push_back(
        {signal->getLoc(), "the slot is given up here, before the access"});
    return;
  }
}

/// The titan.elect behind `access`, which all lanes execute, whose lane arrives at
/// a barrier that who does the other access waits for; null if there is none, or if
/// something orders the lanes before it.
static std::pair<ElectOp, Value> looseArrival(Operation *access,
                                              Operation *other) {
  if (access->getParentOfType<ElectOp>())
    return {};
  llvm::SmallPtrSet<Value, 8> waited = waitedBefore(other);
  for (Operation *at = access; at; at = at->getParentOp()) {
    for (Operation *op = at->getNextNode(); op; op = op->getNextNode()) {
      if (!effectsOf<effect::ThreadBarrier>(op).empty())
        return {};
      std::pair<ElectOp, Value> found;
      op->walk([&](Operation *each) {
        for (const auto &arrive : effectsOf<effect::Arrive>(each))
          if (Value ring = getRoot(arrive.barrier.barrier);
              waited.contains(ring) && !PipeEnd::of(ring.getLoc()))
            if (auto elect = each->getParentOfType<ElectOp>();
                elect && !found.first)
              found = {elect, ring};
      });
      if (found.first)
        return found;
    }
    if (isa_and_nonnull<LoopLikeOpInterface, PartitionOp, KernelOp>(
            at->getParentOp()))
      break;
  }
  return {};
}

void checker::nameLooseLanes(const Raw &raw, Finding &finding) {
  if (raw.code != Code::Race || !finding.fix.empty() || !raw.other)
    return;
  for (auto [access, other] :
       {std::pair(raw.op, raw.other), std::pair(raw.other, raw.op)}) {
    auto [elect, ring] = looseArrival(access, other);
    if (!elect)
      continue;
    finding.fix = "put titan.syncwarp before this titan.elect" +
                  inLine(elect.getLoc()) + ": its lane arrives at " +
                  nameOf(ring) + ", and '" +
                  access->getName().getStringRef().str() +
                  "' of the other lanes of its warp is not ordered before that";
    finding.others.push_back(
        {elect.getLoc(), "one lane arrives here for its whole warp"});
    return;
  }
}

/// "acquire" or "release", where the operation is a relaxed wait or arrival at a
/// barrier; else empty.
static StringRef wantedInsteadOfRelaxed(Operation *op) {
  auto hardware = dyn_cast<HardwareEffectsInterface>(op);
  if (!hardware)
    return "";
  effect::EffectList effects;
  hardware.getHardwareEffects(effects);
  for (const effect::Effect &each : effects) {
    if (auto *wait = std::get_if<effect::WaitBarrier>(&each.what);
        wait && wait->sem == effect::Sem::Relaxed)
      return "acquire";
    // (Arrivals of copies release those copies; there is no other form.)
    if (auto *arrive = std::get_if<effect::Arrive>(&each.what);
        arrive && arrive->sem == effect::Sem::Relaxed && !arrive->after)
      return "release";
    if (auto *threads = std::get_if<effect::ThreadBarrier>(&each.what);
        threads && threads->sem == effect::Sem::Relaxed)
      return threads->role == effect::ThreadBarrier::Wait ? "acquire"
                                                          : "release";
  }
  return "";
}

void checker::nameRelaxed(const Raw &raw, Finding &finding) {
  if (kindOf(raw) != Kind::Order)
    return;
  auto kernel = raw.op->getParentOfType<KernelOp>();
  std::optional<Rings> rings;
  kernel.getBody().walk([&](Operation *op) {
    StringRef wanted = wantedInsteadOfRelaxed(op);
    // (What a pipe has become stands nowhere in the text.)
    if (wanted.empty() || PipeEnd::of(op->getLoc()))
      return;
    if (!rings)
      rings.emplace(kernel);
    effect::EffectList effects;
    cast<HardwareEffectsInterface>(op).getHardwareEffects(effects);
    bool ofThreads = llvm::any_of(effects, [](const effect::Effect &each) {
      return std::holds_alternative<effect::ThreadBarrier>(each.what);
    });
    if (!ofThreads && !rings->meet(raw, op))
      return;
    finding.others.push_back(
        {op->getLoc(), "this is relaxed: by itself it orders nothing"});
    if (finding.fix.empty())
      finding.fix = "let '" + op->getName().getStringRef().str() + "' " +
                    wanted.str() +
                    ", where it is relaxed now; or put a fence " +
                    (wanted == "acquire" ? "behind" : "before") + " it (MM-21)";
  });
}
