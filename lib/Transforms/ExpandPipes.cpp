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
//                    fence.proxy_async; syncwarp; elect { arrive full[slot] }
//   pipe.wait        wait full[stage] parity(parity)
//   pipe.buffer      shared.slot ring[slot]
//   pipe.release     [fence.proxy_async;] syncwarp; elect { arrive empty[slot] }
//                    (the fence where ordinary loads or stores used the slot)
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

/// A pipe's barriers are named after it: %pipe.full, %pipe.empty.
static Location nameOfEnd(Location pipe, StringRef end) {
  auto name = pipe->findInstanceOf<NameLoc>();
  StringRef text = name ? name.getName().strref() : "pipe";
  return NameLoc::get(StringAttr::get(pipe.getContext(), text + "." + end),
                      name ? name.getChildLoc() : pipe);
}

void Expander::createBarriers() {
  Operation *first = nullptr;
  for (Operation &op : kernel.getBody().front())
    if (isa<WarpSpecializeOp>(op)) {
      first = &op;
      break;
    }
  assert(first && "verified by run");
  OpBuilder b(pipes.front()->create);
  for (auto &pipe : pipes) {
    b.setInsertionPoint(pipe->create);
    Location loc = pipe->create.getLoc();
    Type ring = MBarrierType::get(b.getContext(), pipe->depth, false);
    pipe->full = MBarrierAllocOp::create(b, nameOfEnd(loc, "full"), ring);
    pipe->empty = MBarrierAllocOp::create(b, nameOfEnd(loc, "empty"), ring);
  }
  b.setInsertionPoint(first);
  Location loc = pipes.front()->create.getLoc();
  auto elect = ElectOp::create(b, loc, TypeRange{}, b.getI64IntegerAttr(0));
  {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&elect.getBody());
    for (auto &pipe : pipes) {
      Location at = pipe->create.getLoc();
      int64_t fills = 1;
      if (pipe->create.getFill() == PipeFill::Arrive)
        for (auto each :
             cast<WarpSpecializeOp>(first).getBody().getOps<PartitionOp>())
          if (each.getName() == pipe->create.getProducer())
            fills = each.getWarps();
      MBarrierInitOp::create(b, at, pipe->full, Value(), fills);
      MBarrierInitOp::create(b, at, pipe->empty, Value(), pipe->releases);
    }
    FenceMbarrierInitOp::create(b, loc);
    YieldOp::create(b, loc);
  }
  if (kernel.getClusterSize() > 1) {
    ClusterArriveOp::create(b, loc, /*relaxed=*/true);
    ClusterWaitOp::create(b, loc);
  } else {
    CtaSyncOp::create(b, loc);
  }
}

//===----------------------------------------------------------------------===//
// Rewriting a partition
//===----------------------------------------------------------------------===//

llvm::SetVector<End> Expander::stepsBelow(Operation *op) {
  llvm::SetVector<End> ends;
  op->walk([&](Operation *each) {
    if (auto acquire = dyn_cast<PipeAcquireOp>(each))
      ends.insert({pipeOf.lookup(acquire.getPipe()), Role::Produce});
    if (auto wait = dyn_cast<PipeWaitOp>(each))
      ends.insert({pipeOf.lookup(wait.getPipe()), Role::Consume});
  });
  return ends;
}

LogicalResult Expander::expandStep(Operation *op, Pipe *pipe, Role role,
                                   Positions &positions) {
  bool listed =
      role == Role::Produce
          ? pipe->create.getProducer() == partition.getName()
          : llvm::any_of(pipe->create.getConsumers(), [&](Attribute name) {
              return cast<StringAttr>(name).getValue() == partition.getName();
            });
  if (!listed)
    return op->emitError() << "[pipe-role] partition \"" << partition.getName()
                           << "\" is no "
                           << (role == Role::Produce ? "producer" : "consumer")
                           << " of this pipe";
  Position &position = positions[{pipe, role}];
  if (!position.stage)
    return op->emitError() << "[pipe-position] the pipe was stepped along "
                              "inside of an elect before: its "
                              "position "
                              "is not known to the other threads";
  OpBuilder b(op);
  Location loc = op->getLoc();
  Turn turn = turnOf({pipe, role}, partition);
  Value first = constant(b, loc, turn.first), one = constant(b, loc, 1);
  Value flipped = arith::XOrIOp::create(b, loc, position.parity, one);
  Value stage = position.stage;
  // A one-slot barrier takes no index.
  Value index = pipe->depth == 1 ? Value() : stage;
  if (role == Role::Produce) {
    MBarrierWaitOp::create(b, loc, pipe->empty, index, flipped);
    if (pipe->create.getFill() == PipeFill::Transaction) {
      auto acquire = cast<PipeAcquireOp>(op);
      Fill fill;
      if (failed(findFill(acquire, fill)))
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
      // Copies tell the barrier of their bytes themselves, and the arrival is
      // behind them all: else the phase could be over before.
      if (fill.copies) {
        bool found = false;
        for (Operation *user : acquire.getSlot().getUsers())
          if (isa<PipeCommitOp>(user))
            found |= arriving.insert(user).second;
        if (!found)
          return acquire.emitError()
                 << "[not-supported-yet] a slot that copies by schedule fill, "
                    "and whose commit names it through another value";
      }
    }
  } else {
    MBarrierWaitOp::create(b, loc, pipe->full, index, position.parity);
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
  op->getResult(0).replaceAllUsesWith(stage);
  op->erase();
  return success();
}

LogicalResult Expander::expandUse(Operation *op) {
  auto [pipe, mayBeNone] = uses.lookup(op);
  OpBuilder b(op);
  Location loc = op->getLoc();
  auto buffer = [&](Value slot, StringRef name) -> Value {
    for (auto [each, ring] :
         llvm::zip(pipe->create.getNames(), pipe->create.getBuffers())) {
      if (cast<StringAttr>(each).getValue() != name)
        continue;
      auto type = cast<SharedType>(ring.getType());
      return type.getSlots() == 1
                 ? Value(ring)
                 : Value(SharedSlotOp::create(b, loc, type.getSlotType(), ring,
                                              slot));
    }
    op->emitError() << "[pipe-buffer] the pipe has no buffer \"" << name
                    << "\"";
    return {};
  };
  auto index = [&](Value slot) { return pipe->depth == 1 ? Value() : slot; };
  // Arrivals by one thread a warp, where the slot is one.
  auto arrive = [&](Value slot, Value barrier, bool fence) {
    auto make = [&](OpBuilder &b) {
      if (fence)
        FenceProxyAsyncOp::create(b, loc, ProxySpace::SharedCta);
      if (!op->getParentOfType<ElectOp>())
        SyncWarpOp::create(b, loc);
      byOneThread(b, op, /*ofPartition=*/false, [&](OpBuilder &b) {
        MBarrierArriveOp::create(b, loc, Type(), barrier, index(slot));
      });
    };
    if (!mayBeNone) {
      make(b);
      return;
    }
    Value some = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, slot,
                                       constant(b, loc, -1));
    auto branch = scf::IfOp::create(b, loc, some, /*withElse=*/false);
    OpBuilder inside = branch.getThenBodyBuilder();
    make(inside);
  };

  if (auto use = dyn_cast<PipeBufferOp>(op)) {
    Value value = buffer(slotOf(op), use.getName());
    if (!value)
      return failure();
    if (value.getType() != use.getType())
      return use.emitError()
             << "[pipe-buffer] the buffer is " << value.getType();
    use.getResult().replaceAllUsesWith(value);
  } else if (auto use = dyn_cast<PipeLoadOp>(op)) {
    Value value = buffer(slotOf(op), use.getName());
    if (!value)
      return failure();
    byOneThread(b, op, /*ofPartition=*/true, [&](OpBuilder &b) {
      TmaLoadOp::create(b, loc, use.getMap(), use.getCoords(), use.getOffsets(),
                        value, pipe->full, index(slotOf(op)),
                        use.getMulticast(),
                        /*pair=*/UnitAttr(), use.getCacheAttr());
    });
  } else if (auto use = dyn_cast<PipeCopyAsyncOp>(op)) {
    Value value = buffer(slotOf(op), use.getName());
    if (!value)
      return failure();
    byOneThread(b, op, /*ofPartition=*/true, [&](OpBuilder &b) {
      CopyAsyncOp::create(b, loc, use.getTensor(), value, use.getIndices(),
                          pipe->full, index(slotOf(op)), use.getLoops(),
                          use.getSchedule(), use.getWeak(), use.getStrong(),
                          use.getFillAttr(), /*reduce=*/AtomicOpAttr(),
                          use.getCacheAttr());
    });
  } else if (auto use = dyn_cast<PipeReleaseOp>(op)) {
    // What was read with ordinary loads will be overwritten by TMA: MM table,
    // row 4.
    arrive(slotOf(op), pipe->empty, genericUses.contains({pipe, partition}));
  } else if (pipe->create.getFill() == PipeFill::Arrive) {
    arrive(slotOf(op), pipe->full, /*fence=*/true);
  } else if (arriving.contains(op)) {
    byOneThread(b, op, /*ofPartition=*/true, [&](OpBuilder &b) {
      MBarrierArriveOp::create(b, loc, Type(), pipe->full, index(slotOf(op)));
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
    if (auto acquire = dyn_cast<PipeAcquireOp>(op))
      result = expandStep(op, pipeOf.lookup(acquire.getPipe()), Role::Produce,
                          positions);
    else if (auto wait = dyn_cast<PipeWaitOp>(op))
      result = expandStep(op, pipeOf.lookup(wait.getPipe()), Role::Consume,
                          positions);
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
  for (End end : ends)
    positions[end] = {constant(b, each.getLoc(), turnOf(end, each).first),
                      constant(b, each.getLoc(), 0)};
  if (failed(expandBlock(each.getBody().front(), positions)))
    return failure();
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
  llvm::StringSet<> names;
  for (auto each : specialize.getBody().getOps<PartitionOp>())
    names.insert(each.getName());
  for (auto &pipe : pipes) {
    SmallVector<StringRef> ends{pipe->create.getProducer()};
    for (Attribute consumer : pipe->create.getConsumers())
      ends.push_back(cast<StringAttr>(consumer).getValue());
    for (StringRef name : ends)
      if (!names.contains(name))
        return pipe->create.emitError()
               << "[pipe-role] there is no partition \"" << name << "\"";
    for (Operation *user : pipe->create.getResult().getUsers())
      if (!user->getParentOfType<PartitionOp>())
        return user->emitError()
               << "[pipe-place] pipes are used inside of partitions";
  }
  if (failed(countReleases()))
    return failure();
  createBarriers();
  for (auto each : specialize.getBody().getOps<PartitionOp>())
    if (failed(expandPartition(each)))
      return failure();

  // Slots have become stages.
  Type i32 = IntegerType::get(kernel.getContext(), 32);
  auto retype = [&](Value value) {
    if (isa<SlotType>(value.getType()))
      value.setType(i32);
  };
  SmallVector<TokenNoneOp> nones;
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto none = dyn_cast<TokenNoneOp>(op);
        none && isa<SlotType>(none.getType()))
      nones.push_back(none);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), retype);
    llvm::for_each(op->getResults(), retype);
  });
  for (TokenNoneOp none : nones) {
    OpBuilder b(none);
    none.getToken().replaceAllUsesWith(constant(b, none.getLoc(), -1));
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
