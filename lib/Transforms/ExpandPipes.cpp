//===- ExpandPipes.cpp - pipes into barriers, parities and counters -------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pipe of depth D becomes two rings of D mbarriers, `full` and `empty`. Each
// partition that uses the pipe walks round the ring with a stage and a parity,
// both 0 at first, that the pass carries through its loops and branches:
//
//   operation        becomes
//   pipe.acquire     wait empty[stage] parity(parity ^ 1); where filled by
//                    transactions: elect { arrive_expect_tx full[stage], bytes }
//   pipe.load        elect { tma.load ..., full[stage] }
//   pipe.copy_async  elect { copy_async ... signals full[stage] }; acquire then
//                    arrives at nothing, but expects the bytes of the loads
//   pipe.commit      by transactions, loads only: nothing; with copies:
//                    elect { arrive full[stage] }; by arrivals:
//                    fence.proxy_async; syncwarp; elect { arrive full[slot] };
//                    by cp.async: cp_async.mbarrier_arrive full[slot] noinc
//   pipe.wait        wait full[stage] parity(parity); where filled by cp.async
//                    and read by the async proxy: fence.proxy_async
//   pipe.buffer      shared.slot ring[slot]
//   pipe.release     [fence.proxy_async;] syncwarp; elect { arrive empty[slot] }
//                    (the fence where ordinary loads or stores used the slot);
//                    to a cluster: at the barrier of each of its CTAs; by
//                    tcgen05_commit: elect { tcgen05.commit empty[slot] }
//   pipe.signal      syncwarp; elect { arrive full[stage] }
//   pipe.skip        stage and parity go on by so many uses
//   pipe.try_wait    test_wait full[stage] parity(parity); takes nothing
//
// Slots that one partition both fills and stores by bulk groups need none of
// them: groups of one thread are counted, and a barrier tells the others.
//
//   pipe.acquire     elect warp(0) { bulk.wait_group depth-1 read }; barrier.sync
//   pipe.commit      fence.proxy_async; barrier.sync
//   pipe.release     bulk.commit
//   its end          elect warp(0) { bulk.wait_group 0 read }
//
// A barrier that was never completed counts as one whose parity 1 is over (PTX
// ISA, mbarrier.test_wait), so the producer's first D waits pass at once.
//
// A slot is its stage (i32), and none is -1. The bytes that a full barrier
// expects are the sum over the loads into the slot.
//
//===----------------------------------------------------------------------===//
#include "ExpandPipes.h"
#include "titan/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSet.h"

namespace titan {
#define GEN_PASS_DEF_EXPANDPIPES
#include "titan/Transforms/Passes.h.inc"
} // namespace titan

using namespace mlir;
using namespace titan;
using namespace titan::pipes;

/// Consumers that take turns begin at slots of their own and step over those of
/// the others: depths are multiples of their number.
namespace {
struct Turn {
  int32_t first = 0, step = 1;
};
} // namespace

static Turn turnOf(End end, PartitionOp partition) {
  PipeCreateOp create = end.first->create;
  if (end.second == Role::Produce || !create.getAlternating())
    return {};
  Turn turn{0, static_cast<int32_t>(create.getConsumers().size())};
  for (Attribute consumer : create.getConsumers()) {
    if (cast<StringAttr>(consumer).getValue() == partition.getName())
      break;
    ++turn.first;
  }
  return turn;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Value Expander::constant(OpBuilder &b, Location loc, int32_t value) {
  return arith::ConstantIntOp::create(b, loc, value, 32);
}

void Expander::byOneThread(OpBuilder &b, Operation *at, bool ofPartition,
                           llvm::function_ref<void(OpBuilder &)> make) {
  if (at->getParentOfType<ElectOp>()) {
    make(b);
    return;
  }
  IntegerAttr warp;
  if (ofPartition && partition.getWarps() > 1)
    warp = b.getI64IntegerAttr(0);
  auto elect = ElectOp::create(b, at->getLoc(), TypeRange{}, warp);
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&elect.getBody());
  YieldOp::create(b, at->getLoc());
  b.setInsertionPointToStart(body);
  make(b);
}

//===----------------------------------------------------------------------===//
// Rewriting a partition
//===----------------------------------------------------------------------===//

std::optional<End> Expander::stepOf(Operation *op) {
  if (isa<PipeAcquireOp, PipeSignalOp, PipeTryAcquireOp>(op))
    return End{pipeOf.lookup(op->getOperand(0)), Role::Produce};
  if (isa<PipeWaitOp, PipeTryWaitOp, PipeSkipOp>(op))
    return End{pipeOf.lookup(op->getOperand(0)), Role::Consume};
  return std::nullopt;
}

llvm::SetVector<End> Expander::stepsBelow(Operation *op) {
  llvm::SetVector<End> ends;
  op->walk([&](Operation *each) {
    if (std::optional<End> end = stepOf(each))
      ends.insert(*end);
  });
  return ends;
}

static LogicalResult noted(InFlightDiagnostic error, const Twine &note) {
  error.attachNote() << note;
  return error;
}

/// A partition that steps along an end is named there. It is looked at before what
/// the ends lack: a slot that is waited for of another pipe is not missed in this one.
LogicalResult Expander::checkRoles(PartitionOp partition) {
  WalkResult result = partition.walk([&](Operation *op) {
    std::optional<End> end = stepOf(op);
    if (!end)
      return WalkResult::advance();
    auto [pipe, role] = *end;
    if (role == Role::Produce
            ? pipe->create.getProducer() == partition.getName()
            : llvm::any_of(pipe->create.getConsumers(), [&](Attribute name) {
                return cast<StringAttr>(name).getValue() == partition.getName();
              }))
      return WalkResult::advance();
    InFlightDiagnostic error =
        op->emitError() << "[pipe-role] partition \"" << partition.getName()
                        << "\" is no "
                        << (role == Role::Produce ? "producer" : "consumer")
                        << " of this pipe";
    Diagnostic &note = error.attachNote();
    note << "fix: the pipe goes from \"" << pipe->create.getProducer()
         << "\" to ";
    llvm::interleaveComma(pipe->create.getConsumers(), note);
    note << ": use it there, or name \"" << partition.getName()
         << "\" in its titan.pipe.create";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Where the partition stands, if it may step there.
static LogicalResult checkStep(Operation *op, Pipe *pipe, Role role,
                               const Position &position) {
  if (role == Role::Produce && isa<PipeSignalOp>(op) != pipe->isOrder())
    return op->emitError()
           << "[pipe-order] "
           << (pipe->isOrder()
                   ? "this pipe has no buffers: its producer passes "
                     "turns on by titan.pipe.signal"
                   : "this pipe has buffers: its producer acquires "
                     "and commits slots");
  if (pipe->isLocal() && !isa<PipeAcquireOp>(op))
    return op->emitError()
           << "[pipe-bulk-read] slots of this pipe are filled and stored by "
              "one partition: it acquires, commits and releases, and has "
              "nothing to wait for";
  if (!position.stage)
    return op->emitError() << "[pipe-position] the pipe was stepped along "
                              "inside of an elect before: its "
                              "position "
                              "is not known to the other threads";
  return success();
}

LogicalResult Expander::expandStep(Operation *op, Pipe *pipe, Role role,
                                   Positions &positions) {
  Position &position = positions[{pipe, role}];
  if (failed(checkStep(op, pipe, role, position)))
    return failure();
  OpBuilder b(op);
  Location loc = op->getLoc();
  Turn turn = turnOf({pipe, role}, partition);
  Value first = constant(b, loc, turn.first), one = constant(b, loc, 1);
  Value flipped = arith::XOrIOp::create(b, loc, position.parity, one);
  Value stage = position.stage;
  if (auto acquire = dyn_cast<PipeAcquireOp>(op)) {
    if (failed(pipe->isLocal()
                   ? acquireLocally(acquire, pipe)
                   : this->acquire(acquire, pipe, position, flipped)))
      return failure();
  } else if (isa<PipeSignalOp>(op)) {
    arrive(b, op, pipe, pipe->full, stage, /*fence=*/false);
  } else {
    MBarrierWaitOp::create(b, loc, pipe->full, indexOf(pipe, stage),
                           position.parity, MemorySem::Acquire, pipe->scope());
    // What cp.async has written is there; the async proxy sees it behind a fence.
    if (pipe->create.getFill() == PipeFill::AsyncCopy &&
        asyncUses.contains({pipe, partition}))
      FenceProxyAsyncOp::create(b, loc, ProxySpace::SharedCta);
  }
  if (pipe->depth == turn.step) {
    position.parity = flipped;
  } else {
    Value next = arith::AddIOp::create(
        b, loc, stage, turn.step == 1 ? one : constant(b, loc, turn.step));
    Value end = constant(b, loc, pipe->depth + turn.first);
    Value wrap =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next, end);
    position.stage = arith::SelectOp::create(b, loc, wrap, first, next);
    position.parity =
        arith::SelectOp::create(b, loc, wrap, flipped, position.parity);
  }
  if (op->getNumResults())
    op->getResult(0).replaceAllUsesWith(stage);
  op->erase();
  return success();
}

/// Use u + n stands at (stage + n) mod depth, (stage + n) div depth rounds on.
LogicalResult Expander::expandSkip(PipeSkipOp op, Positions &positions) {
  Pipe *pipe = pipeOf.lookup(op.getPipe());
  Position &position = positions[{pipe, Role::Consume}];
  if (failed(checkStep(op, pipe, Role::Consume, position)))
    return failure();
  if (!pipe->create.getExclusive())
    return noted(op.emitError()
                     << "[pipe-role] every consumer takes its slots of this "
                        "pipe: only exclusive ones are skipped",
                 "fix: write `exclusive` on titan.pipe.create, or take this "
                 "titan.pipe.skip away");
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value count =
      arith::IndexCastOp::create(b, loc, b.getI32Type(), op.getCount());
  Value depth = constant(b, loc, static_cast<int32_t>(pipe->depth));
  Value at = arith::AddIOp::create(b, loc, position.stage, count);
  Value rounds = arith::DivUIOp::create(b, loc, at, depth);
  position.stage = arith::RemUIOp::create(b, loc, at, depth);
  Value odd = arith::AndIOp::create(b, loc, rounds, constant(b, loc, 1));
  position.parity = arith::XOrIOp::create(b, loc, position.parity, odd);
  op.erase();
  return success();
}

LogicalResult Expander::expandTry(Operation *op, Pipe *pipe, Role role,
                                  Positions &positions) {
  const Position &position = positions[{pipe, role}];
  if (failed(checkStep(op, pipe, role, position)))
    return failure();
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value parity = position.parity;
  if (role == Role::Produce)
    parity = arith::XOrIOp::create(b, loc, parity, constant(b, loc, 1));
  Value ready = MBarrierTestWaitOp::create(
      b, loc, role == Role::Produce ? pipe->empty : pipe->full,
      indexOf(pipe, position.stage), parity, MemorySem::Acquire, pipe->scope());
  op->getResult(0).replaceAllUsesWith(ready);
  op->erase();
  return success();
}

LogicalResult Expander::acquire(PipeAcquireOp op, Pipe *pipe, Position position,
                                Value flipped) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value index = indexOf(pipe, position.stage);
  MBarrierWaitOp::create(b, loc, pipe->empty, index, flipped,
                         MemorySem::Acquire, pipe->scope());
  if (pipe->create.getFill() != PipeFill::Transaction)
    return success();
  Fill fill;
  if (failed(findFill(op, fill)))
    return failure();
  Value expected = constant(b, loc, static_cast<int32_t>(fill.bytes));
  if (fill.bytes)
    byOneThread(b, op, /*ofPartition=*/true, [&](OpBuilder &b) {
      if (fill.copies)
        MBarrierExpectTxOp::create(b, loc, pipe->full, index, expected);
      else
        MBarrierArriveExpectTxOp::create(b, loc, Type(), pipe->full, index,
                                         expected);
    });
  if (!fill.copies)
    return success();
  // Copies tell the barrier of their bytes themselves, and the arrival is
  // behind them all: else the phase could be over before.
  bool found = false;
  for (Operation *user : op.getSlot().getUsers())
    if (isa<PipeCommitOp>(user))
      found |= arriving.insert(user).second;
  if (found)
    return success();
  return op.emitError() << "[not-supported-yet] a slot that copies by schedule "
                           "fill, and whose commit names it through another "
                           "value";
}

LogicalResult Expander::acquireLocally(PipeAcquireOp op, Pipe *pipe) {
  if (op->getParentOfType<ElectOp>())
    return op.emitError()
           << "[pipe-bulk-read] one thread alone acquires this slot, and all "
              "threads of the partition fill it";
  OpBuilder b(op);
  byOneThread(b, op, /*ofPartition=*/true, [&](OpBuilder &b) {
    BulkWaitGroupOp::create(b, op.getLoc(),
                            static_cast<uint64_t>(pipe->depth - 1),
                            /*read=*/true);
  });
  return meet(b, op, pipe);
}

Value Expander::buffer(Operation *op, Pipe *pipe, Value slot, StringRef name,
                       Value part) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  for (auto [i, each] : llvm::enumerate(pipe->create.getNames())) {
    if (cast<StringAttr>(each).getValue() != name)
      continue;
    Value ring = pipe->create.getBuffers()[i];
    int64_t parts = pipe->create.getParts(i);
    if ((parts > 1) != (part != nullptr)) {
      op->emitError() << "[pipe-buffer] a slot has " << parts << " part"
                      << (parts > 1 ? "s" : "") << " of \"" << name << "\""
                      << (part ? ": it takes no index" : ": say which");
      return {};
    }
    if (part) {
      Value number = arith::IndexCastOp::create(b, loc, b.getI32Type(), part);
      if (pipe->depth > 1) {
        Value before = arith::MulIOp::create(
            b, loc, slot, constant(b, loc, static_cast<int32_t>(parts)));
        number = arith::AddIOp::create(b, loc, before, number);
      }
      slot = number;
    }
    if (auto type = dyn_cast<SharedType>(ring.getType()))
      return type.getSlots() == 1
                 ? ring
                 : Value(SharedSlotOp::create(b, loc, type.getSlotType(), ring,
                                              slot));
    auto type = cast<TensorMemoryType>(ring.getType());
    auto one = TensorMemoryType::get(b.getContext(), type.getShape(),
                                     type.getElementType(), 1);
    return type.getSlots() == 1
               ? ring
               : Value(TmemSlotOp::create(b, loc, one, ring, slot));
  }
  InFlightDiagnostic error = op->emitError()
                             << "[pipe-buffer] the pipe has no buffer \""
                             << name << "\"";
  Diagnostic &note = error.attachNote();
  note << "fix: there ";
  if (pipe->create.getNames().empty()) {
    note << "are none: name it in titan.pipe.create";
  } else {
    note << (pipe->create.getNames().size() == 1 ? "is " : "are ");
    llvm::interleaveComma(pipe->create.getNames(), note);
  }
  return {};
}

LogicalResult Expander::expandRelease(PipeReleaseOp op) {
  auto [pipe, mayBeNone] = uses.lookup(op);
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value slot = slotOf(op);
  auto make = [&](OpBuilder &b) {
    switch (pipe->create.getRelease()) {
    case PipeRelease::Arrive:
    case PipeRelease::MulticastArrive: {
      // What was read with ordinary loads will be overwritten by TMA: MM table,
      // row 4.
      bool overwritten = llvm::any_of(asyncUses, [&](auto &use) {
        return use.first == pipe && cast<PartitionOp>(use.second).getName() ==
                                        pipe->create.getProducer();
      });
      arrive(b, op, pipe, pipe->empty, slot,
             overwritten && genericUses.contains({pipe, partition}));
      return;
    }
    case PipeRelease::Commit:
      byOneThread(b, op, /*ofPartition=*/true, [&](OpBuilder &b) {
        Tcgen05CommitOp::create(b, loc, pipe->empty, indexOf(pipe, slot),
                                Value(), /*pair=*/false);
      });
      return;
    case PipeRelease::BulkRead:
      BulkCommitOp::create(b, loc,
                           TokenType::get(b.getContext(), TokenKind::Bulk));
      if (pipe->isLocal())
        return;
      BulkWaitGroupOp::create(b, loc, uint64_t(0), /*read=*/true);
      MBarrierArriveOp::create(b, loc, Type(), pipe->empty,
                               indexOf(pipe, slot));
    }
  };
  if (!mayBeNone) {
    make(b);
    return success();
  }
  Value some = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, slot,
                                     constant(b, loc, -1));
  auto branch = scf::IfOp::create(b, loc, some, /*withElse=*/false);
  OpBuilder inside = branch.getThenBodyBuilder();
  make(inside);
  return success();
}

LogicalResult Expander::expandUse(Operation *op) {
  Pipe *pipe = uses.lookup(op).pipe;
  OpBuilder b(op);
  Location loc = op->getLoc();
  if (auto use = dyn_cast<PipeBufferOp>(op)) {
    Value value = buffer(op, pipe, slotOf(op), use.getName(), use.getPart());
    if (!value)
      return failure();
    if (value.getType() != use.getType())
      return use.emitError()
             << "[pipe-buffer] the buffer is " << value.getType();
    use.getResult().replaceAllUsesWith(value);
  } else if (auto use = dyn_cast<PipeLoadOp>(op)) {
    Value value = buffer(op, pipe, slotOf(op), use.getName(), use.getPart());
    if (!value)
      return failure();
    byOneThread(b, op, /*ofPartition=*/true, [&](OpBuilder &b) {
      TmaLoadOp::create(b, loc, use.getMap(), use.getCoords(), use.getOffsets(),
                        value, pipe->full, indexOf(pipe, slotOf(op)),
                        use.getMulticast(),
                        /*pair=*/UnitAttr(), use.getCacheAttr());
    });
  } else if (auto use = dyn_cast<PipeCopyAsyncOp>(op)) {
    Value value = buffer(op, pipe, slotOf(op), use.getName(), Value());
    if (!value)
      return failure();
    byOneThread(b, op, /*ofPartition=*/true, [&](OpBuilder &b) {
      CopyAsyncOp::create(b, loc, use.getTensor(), value, use.getIndices(),
                          pipe->full, indexOf(pipe, slotOf(op)), use.getLoops(),
                          use.getSchedule(), use.getWeak(), use.getStrong(),
                          use.getFillAttr(), /*reduce=*/AtomicOpAttr(),
                          use.getCacheAttr(), /*sourceOffsets=*/ValueRange(),
                          /*targetOffsets=*/ValueRange(), /*rank=*/Value(),
                          /*filter=*/ValueRange(), /*multicast=*/Value(),
                          /*sourceLayout=*/LayoutTextAttr(),
                          /*targetLayout=*/LayoutTextAttr(),
                          /*extents=*/DenseI64ArrayAttr(),
                          /*dispatch=*/StringAttr(), /*prefetch=*/false);
    });
  } else if (auto use = dyn_cast<PipeReleaseOp>(op)) {
    if (failed(expandRelease(use)))
      return failure();
  } else if (pipe->isLocal()) {
    FenceProxyAsyncOp::create(b, loc, ProxySpace::SharedCta);
    if (failed(meet(b, op, pipe)))
      return failure();
  } else if (pipe->create.getFill() == PipeFill::Arrive) {
    // What was written with ordinary stores, some consumer reads by TMA or a
    // product: row 1.
    bool fence =
        llvm::any_of(asyncUses, [&](auto &use) { return use.first == pipe; });
    arrive(b, op, pipe, pipe->full, slotOf(op), fence);
  } else if (pipe->create.getFill() == PipeFill::AsyncCopy) {
    CpAsyncMBarrierArriveOp::create(b, loc, pipe->full,
                                    indexOf(pipe, slotOf(op)), /*noinc=*/true);
  } else if (pipe->create.getFill() == PipeFill::Commit) {
    byOneThread(b, op, /*ofPartition=*/true, [&](OpBuilder &b) {
      Tcgen05CommitOp::create(b, loc, pipe->full, indexOf(pipe, slotOf(op)),
                              Value(), /*pair=*/false);
    });
  } else if (arriving.contains(op)) {
    byOneThread(b, op, /*ofPartition=*/true, [&](OpBuilder &b) {
      MBarrierArriveOp::create(b, loc, Type(), pipe->full,
                               indexOf(pipe, slotOf(op)));
    });
  }
  op->erase();
  return success();
}

LogicalResult Expander::expandFor(scf::ForOp loop, Positions &positions) {
  llvm::SetVector<End> ends = stepsBelow(loop);
  SmallVector<Value> inits;
  for (End end : ends) {
    inits.push_back(positions[end].stage);
    inits.push_back(positions[end].parity);
    if (!inits.back())
      return loop.emitError() << "[pipe-position] the pipe was stepped along "
                                 "inside of an elect before: its "
                                 "position is not known here";
  }
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  scf::ForOp carrying = loop;
  size_t old = loop.getNumRegionIterArgs();
  if (!inits.empty()) {
    // New iter_args, which the body's end gives their values below. The others
    // keep their names.
    SmallVector<Location> names = llvm::map_to_vector(
        loop.getBody()->getArguments(),
        [](BlockArgument argument) { return argument.getLoc(); });
    auto result = loop.replaceWithAdditionalYields(
        rewriter, inits, /*replaceInitOperandUsesInLoop=*/false,
        [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
          return SmallVector<Value>(arguments.begin(), arguments.end());
        });
    if (failed(result))
      return loop.emitError()
             << "[pipe-position] cannot carry a pipe's position round this "
                "loop";
    carrying = cast<scf::ForOp>(result->getOperation());
    for (auto [argument, name] :
         llvm::zip(carrying.getBody()->getArguments(), names))
      argument.setLoc(name);
  }
  Positions inside = positions;
  for (auto [i, end] : llvm::enumerate(ends))
    inside[end] = {carrying.getRegionIterArgs()[old + 2 * i],
                   carrying.getRegionIterArgs()[old + 2 * i + 1]};
  if (failed(expandBlock(*carrying.getBody(), inside)))
    return failure();
  Operation *yield = carrying.getBody()->getTerminator();
  for (auto [i, end] : llvm::enumerate(ends)) {
    Position after = inside[end];
    if (!after.stage)
      return carrying.emitError() << "[pipe-position] the pipe is stepped "
                                     "along inside of an elect in a loop: put "
                                     "the loop inside of "
                                     "the elect, or the step outside";
    yield->setOperand(old + 2 * i, after.stage);
    yield->setOperand(old + 2 * i + 1, after.parity);
    positions[end] = {carrying.getResult(old + 2 * i),
                      carrying.getResult(old + 2 * i + 1)};
  }
  return success();
}

/// Both regions carry the positions: into the first, on by its condition to the
/// second (or out of the loop), and round by the yield.
LogicalResult Expander::expandWhile(scf::WhileOp loop, Positions &positions) {
  llvm::SetVector<End> ends = stepsBelow(loop);
  OpBuilder b(loop);
  SmallVector<Value> inits(loop.getInits());
  SmallVector<Type> types(loop.getResultTypes());
  for (End end : ends) {
    if (!positions[end].stage)
      return loop.emitError() << "[pipe-position] the pipe was stepped along "
                                 "inside of an elect before: its "
                                 "position is not known here";
    inits.append({positions[end].stage, positions[end].parity});
    types.append(2, b.getI32Type());
  }
  auto carrying = scf::WhileOp::create(b, loop.getLoc(), types, inits);
  carrying->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  carrying.getBefore().takeBody(loop.getBefore());
  carrying.getAfter().takeBody(loop.getAfter());
  for (auto [from, to] : llvm::zip(loop.getResults(), carrying.getResults()))
    from.replaceAllUsesWith(to);
  loop.erase();
  for (Region *region : {&carrying.getBefore(), &carrying.getAfter()}) {
    Block &block = region->front();
    Positions inside = positions;
    for (End end : ends) {
      Value stage = block.addArgument(b.getI32Type(), carrying.getLoc());
      inside[end] = {stage,
                     block.addArgument(b.getI32Type(), carrying.getLoc())};
    }
    if (failed(expandBlock(block, inside)))
      return failure();
    Operation *end = block.getTerminator();
    for (End each : ends) {
      Position after = inside[each];
      if (!after.stage)
        return carrying.emitError()
               << "[pipe-position] the pipe is stepped along inside of an "
                  "elect in a loop: put the loop inside of the elect, or the "
                  "step outside";
      end->insertOperands(end->getNumOperands(), {after.stage, after.parity});
    }
  }
  size_t old = carrying.getNumResults() - 2 * ends.size();
  for (auto [i, end] : llvm::enumerate(ends))
    positions[end] = {carrying.getResult(old + 2 * i),
                      carrying.getResult(old + 2 * i + 1)};
  return success();
}

LogicalResult Expander::expandIf(scf::IfOp branch, Positions &positions) {
  llvm::SetVector<End> ends = stepsBelow(branch);
  Positions inThen = positions, inElse = positions;
  if (!ends.empty()) {
    // A new branch with two more results an end.
    OpBuilder b(branch);
    SmallVector<Type> types(branch.getResultTypes());
    types.append(2 * ends.size(), b.getI32Type());
    auto carrying =
        scf::IfOp::create(b, branch.getLoc(), types, branch.getCondition(),
                          /*withElseRegion=*/true);
    auto take = [&](Region &from, Region &to) {
      to.getBlocks().clear();
      if (!from.empty()) {
        to.takeBody(from);
        return;
      }
      OpBuilder inside(branch.getContext());
      inside.createBlock(&to);
      scf::YieldOp::create(inside, branch.getLoc());
    };
    take(branch.getThenRegion(), carrying.getThenRegion());
    take(branch.getElseRegion(), carrying.getElseRegion());
    for (auto [from, to] :
         llvm::zip(branch.getResults(), carrying.getResults()))
      from.replaceAllUsesWith(to);
    branch.erase();
    branch = carrying;
  }
  if (failed(expandBlock(branch.getThenRegion().front(), inThen)))
    return failure();
  if (!branch.getElseRegion().empty() &&
      failed(expandBlock(branch.getElseRegion().front(), inElse)))
    return failure();
  size_t old = branch.getNumResults() - 2 * ends.size();
  for (auto [i, end] : llvm::enumerate(ends)) {
    for (auto [region, after] :
         {std::pair(&branch.getThenRegion(), inThen[end]),
          std::pair(&branch.getElseRegion(), inElse[end])}) {
      if (!after.stage)
        return branch.emitError()
               << "[pipe-position] the pipe is stepped along inside of an "
                  "elect in a branch";
      Operation *yield = region->front().getTerminator();
      yield->insertOperands(yield->getNumOperands(),
                            {after.stage, after.parity});
    }
    positions[end] = {branch.getResult(old + 2 * i),
                      branch.getResult(old + 2 * i + 1)};
  }
  return success();
}

LogicalResult Expander::expandElect(ElectOp elect, Positions &positions) {
  llvm::SetVector<End> ends = stepsBelow(elect);
  Positions inside = positions;
  if (failed(expandBlock(elect.getBody().front(), inside)))
    return failure();
  for (End end : ends)
    positions[end] = {};
  return success();
}

LogicalResult Expander::expandBlock(Block &block, Positions &positions) {
  for (Operation &each : llvm::make_early_inc_range(block)) {
    Operation *op = &each;
    LogicalResult result = success();
    if (isa<PipeAcquireOp, PipeSignalOp>(op))
      result = expandStep(op, pipeOf.lookup(op->getOperand(0)), Role::Produce,
                          positions);
    else if (isa<PipeWaitOp>(op))
      result = expandStep(op, pipeOf.lookup(op->getOperand(0)), Role::Consume,
                          positions);
    else if (isa<PipeTryAcquireOp, PipeTryWaitOp>(op))
      result = expandTry(op, pipeOf.lookup(op->getOperand(0)),
                         isa<PipeTryWaitOp>(op) ? Role::Consume : Role::Produce,
                         positions);
    else if (auto skip = dyn_cast<PipeSkipOp>(op))
      result = expandSkip(skip, positions);
    else if (isSlotUse(op))
      result = expandUse(op);
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      result = expandFor(loop, positions);
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      result = expandWhile(loop, positions);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      result = expandIf(branch, positions);
    else if (auto elect = dyn_cast<ElectOp>(op))
      result = expandElect(elect, positions);
    else if (op->getNumRegions() && !stepsBelow(op).empty())
      result = op->emitError()
               << "[not-supported-yet] pipes are stepped along "
                  "in scf.for, scf.while, scf.if and titan.elect "
                  "only";
    if (failed(result))
      return failure();
  }
  return success();
}

/// Elects of the same threads that follow each other become one.
static void mergeElects(PartitionOp partition) {
  SmallVector<ElectOp> elects;
  partition.walk([&](ElectOp elect) { elects.push_back(elect); });
  for (ElectOp elect : llvm::reverse(elects)) {
    SmallVector<Operation *> between;
    Operation *previous = elect->getPrevNode();
    while (previous && isPure(previous) && previous->getNumRegions() == 0) {
      between.push_back(previous);
      previous = previous->getPrevNode();
    }
    auto before = dyn_cast_or_null<ElectOp>(previous);
    if (!before || before.getWarp() != elect.getWarp() ||
        before.getNumResults() || elect.getNumResults())
      continue;
    for (Operation *op : llvm::reverse(between))
      op->moveBefore(before);
    Block &from = elect.getBody().front(), &to = before.getBody().front();
    to.getTerminator()->erase();
    to.getOperations().splice(to.end(), from.getOperations());
    elect.erase();
  }
}

LogicalResult Expander::expandPartition(PartitionOp each) {
  partition = each;
  llvm::SetVector<End> ends = stepsBelow(each);
  Positions positions;
  OpBuilder b = OpBuilder::atBlockBegin(&each.getBody().front());
  peers.clear();
  for (End end : ends) {
    // Turns that are there from the beginning are uses -credit to -1: of the
    // round before the first, whose parity is 1.
    int64_t credit = end.second == Role::Consume
                         ? static_cast<int64_t>(end.first->create.getCredit())
                         : 0;
    int64_t first = (end.first->depth - credit) % end.first->depth;
    positions[end] = {
        constant(b, each.getLoc(),
                 static_cast<int32_t>(first) + turnOf(end, each).first),
        constant(b, each.getLoc(), credit != 0)};
  }
  if (failed(expandBlock(each.getBody().front(), positions)))
    return failure();
  // Nobody leaves before the stores have read their slots.
  for (End end : ends)
    if (end.first->isLocal()) {
      // A partition's block has no terminator.
      Block &block = each.getBody().front();
      OpBuilder b = OpBuilder::atBlockEnd(&block);
      byOneThread(b, &block.back(), /*ofPartition=*/true, [&](OpBuilder &b) {
        BulkWaitGroupOp::create(b, each.getLoc(), uint64_t(0), /*read=*/true);
      });
      break;
    }
  mergeElects(each);
  return success();
}

LogicalResult Expander::run() {
  if (failed(findPipes()))
    return failure();
  if (pipes.empty())
    return success();
  WarpSpecializeOp specialize;
  for (auto each : kernel.getBody().getOps<WarpSpecializeOp>()) {
    if (specialize)
      return each.emitError() << "[not-supported-yet] pipes in a kernel with "
                                 "two warp_specialize "
                                 "operations cannot be "
                                 "expanded yet";
    specialize = each;
  }
  if (!specialize)
    return pipes.front()->create.emitError()
           << "[pipe-role] a pipe is between partitions, and the kernel has "
              "none";
  if (failed(checkEnds(specialize)))
    return failure();
  for (auto each : specialize.getBody().getOps<PartitionOp>())
    if (failed(checkRoles(each)))
      return failure();
  if (failed(countFills()) || failed(countReleases()))
    return failure();
  createBarriers(specialize);
  for (auto each : specialize.getBody().getOps<PartitionOp>())
    if (failed(expandPartition(each)))
      return failure();

  // Slots have become stages.
  Type i32 = IntegerType::get(kernel.getContext(), 32);
  auto retype = [&](Value value) {
    if (isa<SlotType>(value.getType()))
      value.setType(i32);
  };
  SmallVector<NoneOpInterface> nones;
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto none = dyn_cast<NoneOpInterface>(op);
        none && isa<SlotType>(none->getResult(0).getType()))
      nones.push_back(none);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), retype);
    llvm::for_each(op->getResults(), retype);
  });
  for (NoneOpInterface none : nones) {
    OpBuilder b(none);
    none->getResult(0).replaceAllUsesWith(constant(b, none.getLoc(), -1));
    none.erase();
  }
  for (auto &pipe : pipes)
    pipe->create.erase();
  return success();
}

namespace {
struct ExpandPipesPass : titan::impl::ExpandPipesBase<ExpandPipesPass> {
  void runOnOperation() override {
    if (failed(Expander(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
