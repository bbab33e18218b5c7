//===- PipeUses.cpp - what the uses of pipes say --------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before anything is rewritten: which pipe each slot is of, how many arrivals
// empty a slot, how many bytes fill it, and that it is committed once, behind
// them.
//
//===----------------------------------------------------------------------===//
#include "ExpandPipes.h"

#include "titan/Dialect/Titan/KernelTarget.h"
#include "titan/Target/Target.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace titan;
using namespace titan::pipes;

Value titan::pipes::slotOf(Operation *op) {
  if (auto load = dyn_cast<PipeLoadOp>(op))
    return load.getSlotMutable().get();
  if (auto copy = dyn_cast<PipeCopyAsyncOp>(op))
    return copy.getSlotMutable().get();
  return op->getOperand(0);
}

//===----------------------------------------------------------------------===//
// Which pipe does a slot belong to?
//===----------------------------------------------------------------------===//

LogicalResult Expander::trace(Value slot, Pipe *&pipe, bool &mayBeNone,
                              DenseSet<Value> &visited) {
  if (!visited.insert(slot).second)
    return success();
  auto found = [&](Value value) -> LogicalResult {
    Pipe *other = pipeOf.lookup(value);
    if (pipe && other != pipe)
      return emitError(slot.getLoc())
             << "[pipe-slot-origin] a slot belongs to one pipe, and this "
                "value may be of two";
    pipe = other;
    return success();
  };
  if (auto argument = dyn_cast<BlockArgument>(slot)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop)
      return emitError(slot.getLoc())
             << "[pipe-slot-origin] cannot tell which pipe this slot is of";
    unsigned i = argument.getArgNumber() - loop.getNumInductionVars();
    return failure(
        failed(trace(loop.getInitArgs()[i], pipe, mayBeNone, visited)) ||
        failed(trace(loop.getYieldedValues()[i], pipe, mayBeNone, visited)));
  }
  Operation *op = slot.getDefiningOp();
  unsigned number = cast<OpResult>(slot).getResultNumber();
  if (auto acquire = dyn_cast<PipeAcquireOp>(op))
    return found(acquire.getPipe());
  if (auto wait = dyn_cast<PipeWaitOp>(op))
    return found(wait.getPipe());
  if (isa<NoneOpInterface>(op)) {
    mayBeNone = true;
    return success();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return failure(
        failed(trace(loop.getInitArgs()[number], pipe, mayBeNone, visited)) ||
        failed(
            trace(loop.getYieldedValues()[number], pipe, mayBeNone, visited)));
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return failure(failed(trace(branch.thenYield().getOperand(number), pipe,
                                mayBeNone, visited)) ||
                   failed(trace(branch.elseYield().getOperand(number), pipe,
                                mayBeNone, visited)));
  if (auto elect = dyn_cast<ElectOp>(op))
    return trace(elect.getBody().front().getTerminator()->getOperand(number),
                 pipe, mayBeNone, visited);
  return op->emitError()
         << "cannot tell which pipe the slot from this operation is of; slots "
            "come "
            "from acquire, wait and token.none, through loops and branches  "
            "[pipe-slot-origin]";
}

/// Whether a buffer (or a view of it) is accessed through the proxy.
static bool hasUse(Value buffer, Proxy proxy) {
  return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
    if (isa<ViewOpInterface>(user))
      return hasUse(user->getResult(0), proxy);
    auto op = dyn_cast<HardwareEffectsInterface>(user);
    if (!op)
      return isa<CopyAsyncOp>(user) && proxy == Proxy::Async;
    effect::EffectList effects;
    op.getHardwareEffects(effects);
    return llvm::any_of(effects, [&](const effect::Effect &each) {
      const auto *access = std::get_if<effect::Access>(&each.what);
      return access && access->proxy == proxy;
    });
  });
}

/// Whether an operation waits for other threads.
static bool waits(Operation *op) {
  auto hardware = dyn_cast<HardwareEffectsInterface>(op);
  if (!hardware)
    return false;
  effect::EffectList effects;
  hardware.getHardwareEffects(effects);
  return llvm::any_of(effects, [](const effect::Effect &each) {
    return std::holds_alternative<effect::WaitBarrier>(each.what) ||
           std::holds_alternative<effect::ThreadBarrier>(each.what) ||
           std::holds_alternative<effect::WaitFlag>(each.what);
  });
}

/// What fills slots and what releases them has to go together, and to exist.
static LogicalResult checkKinds(Pipe &pipe, const TargetInfo &target) {
  PipeCreateOp create = pipe.create;
  PipeFill fill = create.getFill();
  PipeRelease release = create.getRelease();
  if ((fill == PipeFill::Commit || release == PipeRelease::Commit) &&
      !target.has(Feature::Tcgen05)) {
    InFlightDiagnostic error =
        create.emitError() << "[wrong-target] tcgen05_commit does not exist "
                              "on "
                           << StringRef(target.name) << ", the kernel's target";
    error.attachNote() << "fix: fill slots that products write by arrivals "
                          "(fill(arrive)), and leave release(...) out: who has "
                          "waited for the product arrives";
    return error;
  }
  if (fill == PipeFill::AsyncCopy && release != PipeRelease::Arrive)
    return create.emitError()
           << "[pipe-fill] slots that cp.async fills are released by "
              "arrivals, not by "
           << stringifyPipeRelease(release);
  if (release == PipeRelease::MulticastArrive && fill != PipeFill::Transaction)
    return create.emitError()
           << "[pipe-cluster] slots that are released to a cluster are filled "
              "by transactions (multicast), not by "
           << stringifyPipeFill(fill);
  if (release == PipeRelease::BulkRead && fill != PipeFill::Arrive)
    return create.emitError()
           << "[pipe-bulk-read] slots that bulk stores read are filled by "
              "arrivals, not by "
           << stringifyPipeFill(fill);
  return success();
}

/// Loads complete bytes, which only slots of transactions expect; the others are
/// filled by who commits them.
static LogicalResult checkFill(Operation *op, Pipe *pipe) {
  PipeFill fill = pipe->create.getFill();
  if (auto wait = slotOf(op).getDefiningOp<PipeWaitOp>();
      wait && isa<PipeLoadOp, PipeCopyAsyncOp, PipeCommitOp>(op)) {
    InFlightDiagnostic error =
        op->emitError() << "[pipe-role] this slot is a consumer's, and has "
                           "been filled: a consumer reads and releases it";
    error.attachNote(wait.getLoc()) << "it is waited for here";
    error.attachNote() << "fix: fill slots of titan.pipe.acquire, in the "
                          "producer (partition \""
                       << pipe->create.getProducer()
                       << "\"); or hand results on by a pipe of their own";
    return error;
  }
  bool bytes = isa<PipeLoadOp, PipeCopyAsyncOp>(op);
  if (bytes && fill != PipeFill::Transaction) {
    InFlightDiagnostic error =
        op->emitError() << "[pipe-fill] this load completes bytes, and the "
                           "slots of the pipe are filled by "
                        << stringifyPipeFill(fill);
    error.attachNote() << "fix: create the pipe with fill(transaction)";
    return error;
  }
  auto partition = op->getParentOfType<PartitionOp>();
  bool copies =
      isa<PipeBufferOp>(op) && hasUse(op->getResult(0), Proxy::AsyncGeneric);
  if (copies && partition.getName() == pipe->create.getProducer() &&
      (fill == PipeFill::Transaction || fill == PipeFill::Commit)) {
    InFlightDiagnostic error =
        op->emitError() << "[pipe-fill] cp.async fills this slot, and the "
                           "slots of the pipe are filled by "
                        << stringifyPipeFill(fill);
    error.attachNote() << "fix: create the pipe with fill(cp_async)";
    return error;
  }
  return success();
}

LogicalResult Expander::findPipes() {
  const TargetInfo &target = targetOf(kernel);
  for (auto create : kernel.getBody().getOps<PipeCreateOp>()) {
    pipes.push_back(std::make_unique<Pipe>(Pipe{
        create, {}, {}, static_cast<int64_t>(create.getType().getDepth())}));
    pipeOf[create.getResult()] = pipes.back().get();
    if (failed(checkKinds(*pipes.back(), target)))
      return failure();
  }
  LogicalResult result = success();
  kernel.getBody().walk([&](Operation *op) {
    if (!isSlotUse(op))
      return WalkResult::advance();
    Use use{nullptr, false};
    DenseSet<Value> visited;
    if (failed(trace(slotOf(op), use.pipe, use.mayBeNone, visited))) {
      result = failure();
      return WalkResult::interrupt();
    }
    if (!use.pipe) {
      result = op->emitError() << "[pipe-slot-origin] this slot is always none";
      return WalkResult::interrupt();
    }
    // Who acquires one is told that by itself.
    if (use.pipe->isOrder() && !slotOf(op).getDefiningOp<PipeAcquireOp>()) {
      InFlightDiagnostic error =
          op->emitError()
          << "[pipe-order] a turn is no slot: nothing fills it, "
             "and nobody gives it back";
      error.attachNote() << "fix: leave this out; who has had the turn passes "
                            "one on by titan.pipe.signal, of its own pipe";
      result = failure();
      return WalkResult::interrupt();
    }
    uses[op] = use;
    auto partition = op->getParentOfType<PartitionOp>();
    if (!partition) {
      result = op->emitError()
               << "[pipe-place] pipes are used inside of partitions";
      return WalkResult::interrupt();
    }
    if (isa<PipeBufferOp>(op) && hasUse(op->getResult(0), Proxy::Generic))
      genericUses.insert({use.pipe, partition});
    bool async =
        isa<PipeLoadOp, PipeCopyAsyncOp>(op) ||
        (isa<PipeBufferOp>(op) && hasUse(op->getResult(0), Proxy::Async));
    if (async)
      asyncUses.insert({use.pipe, partition});
    result = checkFill(op, use.pipe);
    return failed(result) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result;
}

//===----------------------------------------------------------------------===//
// How many arrivals?
//===----------------------------------------------------------------------===//

/// The warps that an operation's arrival comes from: one thread each.
static int64_t arrivingWarps(Operation *op, PartitionOp partition) {
  auto elect = op->getParentOfType<ElectOp>();
  return elect && elect.getWarp() ? 1
                                  : static_cast<int64_t>(partition.getWarps());
}

LogicalResult Expander::checkEnds(WarpSpecializeOp specialize) {
  llvm::StringSet<> names;
  for (auto each : specialize.getBody().getOps<PartitionOp>())
    names.insert(each.getName());
  for (auto &pipe : pipes) {
    SmallVector<StringRef> ends{pipe->create.getProducer()};
    for (Attribute consumer : pipe->create.getConsumers())
      ends.push_back(cast<StringAttr>(consumer).getValue());
    for (StringRef name : ends)
      if (!names.contains(name)) {
        InFlightDiagnostic error = pipe->create.emitError()
                                   << "[pipe-role] there is no partition \""
                                   << name << "\"";
        Diagnostic &note = error.attachNote();
        note << "fix: there " << (names.size() == 1 ? "is " : "are ");
        llvm::interleaveComma(
            specialize.getBody().getOps<PartitionOp>(), note,
            [&](PartitionOp each) { note << '"' << each.getName() << '"'; });
        return error;
      }
    llvm::StringSet<> consumers;
    for (Attribute consumer : pipe->create.getConsumers())
      if (!consumers.insert(cast<StringAttr>(consumer).getValue()).second)
        return pipe->create.emitError()
               << "[pipe-role] consumer " << consumer << " is named twice";
    for (Operation *user : pipe->create.getResult().getUsers())
      if (!user->getParentOfType<PartitionOp>())
        return user->emitError()
               << "[pipe-place] pipes are used inside of partitions";
  }
  return success();
}

/// One turn is passed on once: behind that its thread waits for the next.
static LogicalResult checkPassedOnce(Operation *op, PipeCreateOp create) {
  if (!isa<PipeSignalOp>(op) || create.getType().getDepth() != 1)
    return success();
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode()) {
    auto again = dyn_cast<PipeSignalOp>(next);
    if (again && again.getPipe() == create.getResult()) {
      InFlightDiagnostic error =
          again.emitError() << "[pipe-order] the turn is passed on a second "
                               "time: nothing is waited for since the first";
      error.attachNote(op->getLoc()) << "passed on here";
      error.attachNote() << "fix: take one of the two away";
      return error;
    }
    if (isa<PipeWaitOp, PipeAcquireOp>(next) || next->getNumRegions() ||
        waits(next))
      return success();
  }
  return success();
}

/// Slots of transactions are armed by one thread, those of products committed
/// by one; at those of cp.async each thread arrives, at the others each warp that
/// fills, or signals.
LogicalResult Expander::countFills() {
  for (auto &pipe : pipes) {
    PipeFill fill = pipe->create.getFill();
    if (!pipe->isOrder() && fill != PipeFill::Arrive &&
        fill != PipeFill::AsyncCopy) {
      pipe->fills = 1;
      continue;
    }
    SmallVector<Operation *> fills;
    for (auto &[op, use] : uses)
      if (use.pipe == pipe.get() && isa<PipeCommitOp>(op))
        fills.push_back(op);
    for (Operation *user : pipe->create.getResult().getUsers())
      if (isa<PipeSignalOp>(user))
        fills.push_back(user);
    for (Operation *op : fills)
      if (failed(checkPassedOnce(op, pipe->create)))
        return failure();
    for (Operation *op : fills) {
      int64_t warps = arrivingWarps(op, op->getParentOfType<PartitionOp>());
      if (pipe->fills && pipe->fills != warps)
        return op->emitError()
               << "[pipe-fill] another " << op->getName().stripDialect()
               << " of this pipe comes from " << pipe->fills
               << " warps, this one from " << warps;
      pipe->fills = warps;
      if (fill == PipeFill::AsyncCopy && op->getParentOfType<ElectOp>())
        return op->emitError()
               << "[pipe-fill] one thread commits this slot: every thread of "
                  "the partition does, since each waits for its own copies "
                  "(cp.async)";
    }
    if (!pipe->fills)
      return pipe->create.emitError()
             << "[pipe-fill] producer \"" << pipe->create.getProducer()
             << "\" never "
             << (pipe->isOrder() ? "passes a turn on" : "commits a slot")
             << ": its consumers would wait for ever";
    // Each thread arrives for its own copies. (Of all targets that have cp.async
    // warps are equally wide.)
    if (fill == PipeFill::AsyncCopy)
      pipe->fills *= allTargets().front().warpWidth;
  }
  return success();
}

LogicalResult Expander::countReleases() {
  for (auto &pipe : pipes) {
    if (pipe->isOrder())
      continue;
    llvm::MapVector<Operation *, int64_t> perPartition;
    DenseMap<std::pair<Value, Block *>, Operation *> released;
    for (auto &[op, use] : uses) {
      if (use.pipe != pipe.get() || !isa<PipeReleaseOp>(op))
        continue;
      auto partition = op->getParentOfType<PartitionOp>();
      if (!partition)
        return op->emitError()
               << "[pipe-place] pipes are used inside of partitions";
      auto [first, once] =
          released.try_emplace({slotOf(op), op->getBlock()}, op);
      if (!once) {
        bool later = first->second->isBeforeInBlock(op);
        InFlightDiagnostic error = (later ? op : first->second)->emitError()
                                   << "[pipe-slot] the slot is released a "
                                      "second time";
        error.attachNote((later ? first->second : op)->getLoc())
            << "released here";
        error.attachNote() << "fix: take one of the two away, the earlier one "
                              "if the slot is used between them";
        return error;
      }
      int64_t warps = arrivingWarps(op, partition);
      PipeRelease release = pipe->create.getRelease();
      if (release == PipeRelease::BulkRead &&
          (warps != 1 || !op->getParentOfType<ElectOp>()))
        return op->emitError()
               << "[pipe-bulk-read] " << warps
               << (warps == 1 ? " warp releases" : " warps release")
               << " this slot: the one thread that issued the bulk stores "
                  "does, inside of titan.elect"
               << (partition.getWarps() > 1 ? " warp(0)" : "");
      if (release == PipeRelease::Commit)
        warps = 1;
      auto [it, inserted] = perPartition.insert({partition, warps});
      if (!inserted && it->second != warps)
        return op->emitError()
               << "[pipe-release] another release of this pipe in the "
                  "partition comes from "
               << it->second << " warps, this one from " << warps;
    }
    for (Attribute consumer : pipe->create.getConsumers()) {
      StringRef name = cast<StringAttr>(consumer).getValue();
      const auto *entry = llvm::find_if(perPartition, [&](auto &each) {
        return cast<PartitionOp>(each.first).getName() == name;
      });
      if (entry == perPartition.end())
        return pipe->create.emitError()
               << "[pipe-release] consumer \"" << name
               << "\" never releases a slot: the producer would wait for "
               << "ever";
      if (pipe->create.getAlternating() || pipe->create.getExclusive()) {
        if (pipe->releases && pipe->releases != entry->second)
          return pipe->create.emitError()
                 << "[pipe-release] consumers that take turns release with the "
                    "same number of "
                    "warps";
        pipe->releases = entry->second;
      } else {
        pipe->releases += entry->second;
      }
    }
    if (perPartition.size() != pipe->create.getConsumers().size())
      return pipe->create.emitError()
             << "[pipe-role] a partition that is no consumer of this pipe "
                "releases a slot "
                "of it";
  }
  return success();
}

/// The operation of `acquire`'s block that `user` is, or is elected in; null if
/// only some uses of the slot come to it (in a branch or loop of its own).
static Operation *inBlockOf(PipeAcquireOp acquire, Operation *user) {
  if (user->getBlock() == acquire->getBlock())
    return user;
  auto elect = dyn_cast<ElectOp>(user->getParentOp());
  return elect && elect->getBlock() == acquire->getBlock() ? elect : nullptr;
}

/// A slot of transactions is turned in once, after everything that fills it.
/// The commit expands to nothing there, so its place is looked at here.
static LogicalResult checkCommit(PipeAcquireOp acquire) {
  auto before = [&](Operation *a, Operation *b) {
    Operation *placeA = inBlockOf(acquire, a), *placeB = inBlockOf(acquire, b);
    return placeA == placeB ? a->isBeforeInBlock(b)
                            : placeA->isBeforeInBlock(placeB);
  };
  PipeCommitOp commit; // the first
  for (Operation *user : acquire.getSlot().getUsers()) {
    if (user->hasTrait<OpTrait::IsTerminator>())
      return success(); // handed on: committed elsewhere, or in a later turn
    auto each = dyn_cast<PipeCommitOp>(user);
    if (each && !inBlockOf(acquire, each))
      return each.emitError()
             << "[not-supported-yet] a commit that only some uses of the slot "
                "make (in a branch or loop of its own)";
    if (each && (!commit || before(each, commit)))
      commit = each;
  }
  if (!commit)
    return acquire.emitError() << "[pipe-slot] the slot is never committed";
  for (Operation *user : acquire.getSlot().getUsers()) {
    if (user == commit || !inBlockOf(acquire, user) || before(user, commit))
      continue;
    InFlightDiagnostic error = user->emitError()
                               << "[pipe-slot] the slot has been committed";
    error.attachNote(commit.getLoc()) << "the commit";
    return error;
  }
  return success();
}

/// From how many CTAs a slot gets such a load.
std::optional<int64_t> Expander::sendersOf(PipeLoadOp load) {
  bool shared =
      pipeOf.lookup(uses.lookup(load).pipe->create.getResult())->isShared();
  if (!load.getMulticast()) {
    if (!load.getSenders())
      return 1;
    load.emitError() << "[pipe-cluster] a load without multicast fills the "
                        "slot of its own CTA alone: it takes no senders";
    return std::nullopt;
  }
  if (!shared) {
    load.emitError() << "[pipe-cluster] a multicast load fills the slots of "
                        "several CTAs, and this pipe's are released to their "
                        "own CTA alone";
    return std::nullopt;
  }
  int64_t size = kernel.getClusterSize();
  if (auto senders = load.getSenders()) {
    if (*senders >= 1 && static_cast<int64_t>(*senders) <= size)
      return *senders;
    load.emitError() << "[pipe-cluster] " << static_cast<int64_t>(*senders)
                     << " senders in a cluster of " << size << " CTAs";
    return std::nullopt;
  }
  APInt mask;
  if (matchPattern(load.getMulticast(), m_ConstantInt(&mask)) &&
      mask.getZExtValue() == (uint64_t(1) << size) - 1)
    return size;
  load.emitError() << "[pipe-cluster] from how many CTAs a slot gets this load "
                      "is not known: the mask is not the constant "
                   << ((uint64_t(1) << size) - 1)
                   << " that names the whole cluster";
  return std::nullopt;
}

LogicalResult Expander::findFill(PipeAcquireOp acquire, Fill &fill) {
  fill = {};
  for (Operation *user : acquire.getSlot().getUsers()) {
    auto load = dyn_cast<PipeLoadOp>(user);
    if (!load && !isa<PipeCopyAsyncOp>(user))
      continue;
    if (!inBlockOf(acquire, user))
      return user->emitError() << "[not-supported-yet] a load that only some "
                                  "uses of the slot make (in a branch or loop "
                                  "of its own) cannot be counted yet";
    if (!load) {
      fill.copies = true;
      continue;
    }
    std::optional<int64_t> senders = sendersOf(load);
    if (!senders)
      return failure();
    fill.bytes += *senders * load.getMap().getType().getBoxBytes();
  }
  if (!fill.bytes && !fill.copies)
    return acquire.emitError() << "[pipe-bytes] nothing is loaded into this "
                                  "slot: its full barrier would expect "
                                  "no bytes";
  return checkCommit(acquire);
}
