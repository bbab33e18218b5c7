//===- Kernel.cpp - control flow, partitions, print, assert ---------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Conversion/LoweringTable.h"

using namespace mlir;
using namespace titan;

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

static LogicalResult forLoop(KernelLowering &kl, scf::ForOp op) {
  auto types = kl.convertCarried(op, op.getResultTypes());
  if (failed(types))
    return failure();
  auto loop = scf::ForOp::create(
      kl.b, kl.get1(op.getLowerBound()), kl.get1(op.getUpperBound()),
      kl.get1(op.getStep()), kl.getCarried(op.getInitArgs()));
  loop.setUnsignedCmp(op.getUnsignedCmp());
  if (!loop.getBody()->empty())
    loop.getBody()->back().erase();
  kl.set(op.getInductionVar(), loop.getInductionVar());
  {
    OpBuilder::InsertionGuard guard(kl.b);
    kl.b.setInsertionPointToEnd(loop.getBody());
    kl.dealCarried(op.getRegionIterArgs(), loop.getRegionIterArgs(),
                   types->counts);
    if (failed(kl.block(*op.getBody())))
      return failure();
  }
  kl.dealCarried(op.getResults(), loop.getResults(), types->counts);
  return success();
}

static LogicalResult whileLoop(KernelLowering &kl, scf::WhileOp op) {
  auto results = kl.convertCarried(op, op.getResultTypes());
  if (failed(results))
    return failure();
  auto inits = kl.convertCarried(op, op.getInits().getTypes());
  if (failed(inits))
    return failure();
  auto loop =
      scf::WhileOp::create(kl.b, results->types, kl.getCarried(op.getInits()));
  {
    OpBuilder::InsertionGuard guard(kl.b);
    Block *before = kl.b.createBlock(
        &loop.getBefore(), {}, inits->types,
        SmallVector<Location>(inits->types.size(), op.getLoc()));
    kl.dealCarried(op.getBeforeArguments(), before->getArguments(),
                   inits->counts);
    if (failed(kl.block(*op.getBeforeBody())))
      return failure();
    Block *after = kl.b.createBlock(
        &loop.getAfter(), {}, results->types,
        SmallVector<Location>(results->types.size(), op.getLoc()));
    kl.dealCarried(op.getAfterArguments(), after->getArguments(),
                   results->counts);
    if (failed(kl.block(*op.getAfterBody())))
      return failure();
  }
  kl.dealCarried(op.getResults(), loop.getResults(), results->counts);
  return success();
}

/// Puts the operations of `body` in the order in which the first scalars of all that it
/// yields need them, then the second ones, ...; there are `counts` of each.
static void orderByRegister(Block &body, ArrayRef<size_t> counts) {
  Operation *end = body.getTerminator();
  SmallVector<Operation *> all;
  for (Operation &op : body.without_terminator()) {
    if (!isMemoryEffectFree(&op) || op.getNumRegions())
      return;
    all.push_back(&op);
  }
  llvm::SmallPtrSet<Operation *, 32> placed;
  auto place = [&](auto &&self, Operation *op) -> void {
    if (!op || op->getBlock() != &body || !placed.insert(op).second)
      return;
    for (Value operand : op->getOperands())
      self(self, operand.getDefiningOp());
    op->moveBefore(end);
  };
  for (size_t i = 0, most = *llvm::max_element(counts); i < most; ++i) {
    size_t first = 0;
    for (size_t count : counts) {
      if (i < count)
        place(place, end->getOperand(first + i).getDefiningOp());
      first += count;
    }
  }
  for (Operation *op : all)
    place(place, op);
}

static LogicalResult ifElse(KernelLowering &kl, scf::IfOp op) {
  auto types = kl.convertCarried(op, op.getResultTypes());
  if (failed(types))
    return failure();
  bool withElse = op.elseBlock() != nullptr;
  auto branch = scf::IfOp::create(kl.b, TypeRange(types->types),
                                  kl.get1(op.getCondition()), withElse);
  for (bool yes : {true, false}) {
    if (!yes && !withElse)
      break;
    OpBuilder::InsertionGuard guard(kl.b);
    Block *body = yes ? branch.thenBlock() : branch.elseBlock();
    if (!body->empty())
      body->back().erase();
    kl.b.setInsertionPointToEnd(body);
    if (failed(kl.block(yes ? *op.thenBlock() : *op.elseBlock())))
      return failure();
  }
  if (op->hasAttr(oneByOne) && op.getNumResults())
    orderByRegister(*branch.thenBlock(), types->counts);
  kl.dealCarried(op.getResults(), branch.getResults(), types->counts);
  return success();
}

//===----------------------------------------------------------------------===//
// Partitions
//===----------------------------------------------------------------------===//

static LogicalResult warpSpecialize(KernelLowering &kl, WarpSpecializeOp op) {
  int64_t launchRegisters = kl.kernel.getRegisters().value_or(0);
  llvm::json::Array infos;
  OpBuilder::InsertionGuard guard(kl.b);
  for (auto partition : op.getBody().getOps<PartitionOp>()) {
    kl.b.setLoc(partition.getLoc());
    int64_t first = op.getFirstWarp(partition);
    int64_t warps = partition.getWarps(), padded = partition.getPaddedWarps();
    infos.push_back(llvm::json::Object{{"name", partition.getName()},
                                       {"first_warp", first},
                                       {"warps", warps}});
    // One chain: if (warp < end of the first) ... else if ...
    Value mine = arith::CmpIOp::create(kl.b, arith::CmpIPredicate::ult,
                                       kl.warpOfCta(), kl.i32(first + padded));
    if (first) {
      Value after = arith::CmpIOp::create(kl.b, arith::CmpIPredicate::uge,
                                          kl.warpOfCta(), kl.i32(first));
      mine = arith::AndIOp::create(kl.b, mine, after);
    }
    auto branch = scf::IfOp::create(kl.b, TypeRange(), mine, /*else=*/true);
    kl.b.setInsertionPointToStart(branch.thenBlock());
    if (auto registers = partition.getRegisters()) {
      if (!launchRegisters)
        return partition.emitError(
            "[setmaxnreg-operand] a register budget needs the kernel's "
            "registers(N) at launch (PTX ISA, setmaxnreg)");
      auto wanted = static_cast<int64_t>(*registers);
      if (wanted != launchRegisters)
        kl.emitter.setRegisters(kl.b, launchRegisters, wanted);
    }
    if (warps < padded) {
      Value working =
          arith::CmpIOp::create(kl.b, arith::CmpIPredicate::ult, kl.warpOfCta(),
                                kl.i32(first + warps));
      auto inner =
          scf::IfOp::create(kl.b, TypeRange(), working, /*else=*/false);
      kl.b.setInsertionPointToStart(inner.thenBlock());
    }
    Value rank = kl.warpOfCta();
    if (first)
      rank = arith::SubIOp::create(kl.b, rank, kl.i32(first));
    if (failed(kl.blockOf(warps, rank, partition.getBody().front())))
      return failure();
    kl.b.setInsertionPointToStart(branch.elseBlock());
  }
  kl.lowered.info["partitions"] = std::move(infos);
  return success();
}

static LogicalResult elect(KernelLowering &kl, ElectOp op) {
  for (Value result : op.getResults()) {
    if (!isa<TokenType>(result.getType()))
      return kl.unsupported(op, "an elect that hands on more than tokens");
    kl.set(result, {});
  }
  OpBuilder::InsertionGuard guard(kl.b);
  if (auto warp = op.getWarp()) {
    Value mine =
        arith::CmpIOp::create(kl.b, arith::CmpIPredicate::eq, kl.warp(),
                              kl.i32(static_cast<int64_t>(*warp)));
    auto branch = scf::IfOp::create(kl.b, TypeRange(), mine, /*else=*/false);
    kl.b.setInsertionPointToStart(branch.thenBlock());
    kl.enter(op);
  }
  Value elected = kl.emitter.elect(kl.b);
  auto branch = scf::IfOp::create(kl.b, TypeRange(), elected, /*else=*/false);
  kl.b.setInsertionPointToStart(branch.thenBlock());
  return kl.block(op.getBody().front());
}

//===----------------------------------------------------------------------===//
// print, assert
//===----------------------------------------------------------------------===//

static std::string escapePercent(StringRef text) {
  std::string out;
  for (char c : text) {
    out.push_back(c);
    if (c == '%')
      out.push_back('%');
  }
  return out;
}

static LogicalResult print(KernelLowering &kl, PrintOp op) {
  std::string format = escapePercent(op.getMessage());
  Values scalars;
  for (Value value : op.getValues()) {
    Type type = value.getType();
    if (!type.isIntOrIndexOrFloat())
      return kl.unsupported(op, "printing a value of type " +
                                    llvm::formatv("{0}", type).str());
    Value scalar = kl.get1(value);
    if (isa<FloatType>(type)) { // varargs take doubles
      if (!type.isF64())
        scalar = arith::ExtFOp::create(kl.b, kl.b.getF64Type(), scalar);
      format += " %g";
    } else if (type.isIndex() || type.getIntOrFloatBitWidth() > 32) {
      scalar = kl.toI64(scalar);
      format += " %lld";
    } else {
      scalar = type.isInteger(1)
                   ? arith::ExtUIOp::create(kl.b, kl.b.getI32Type(), scalar)
                         .getResult()
                   : kl.toI32(scalar);
      format += " %d";
    }
    scalars.push_back(scalar);
  }
  format += "\n";
  OpBuilder::InsertionGuard guard(kl.b);
  if (!op->getParentOfType<ElectOp>()) {
    Value first = arith::CmpIOp::create(kl.b, arith::CmpIPredicate::eq,
                                        kl.lane(), kl.i32(0));
    auto branch = scf::IfOp::create(kl.b, TypeRange(), first, /*else=*/false);
    kl.b.setInsertionPointToStart(branch.thenBlock());
  }
  kl.emitter.print(kl.b, kl.function, format, scalars);
  return success();
}

static LogicalResult assertion(KernelLowering &kl, AssertOp op) {
  std::string place;
  if (auto loc = op.getLoc()->findInstanceOf<FileLineColLoc>())
    place = (loc.getFilename().getValue() + ":" + Twine(loc.getLine()) + ": ")
                .str();
  OpBuilder::InsertionGuard guard(kl.b);
  Value broken =
      arith::XOrIOp::create(kl.b, kl.get1(op.getCondition()), kl.i1(true));
  auto branch = scf::IfOp::create(kl.b, TypeRange(), broken, /*else=*/false);
  kl.b.setInsertionPointToStart(branch.thenBlock());
  kl.emitter.print(kl.b, kl.function,
                   escapePercent(place) + "assertion failed: " +
                       escapePercent(op.getMessage()) + " [assert-failed]\n",
                   {});
  kl.emitter.trap(kl.b);
  return success();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

void titan::populateKernelLowerings(LoweringTable &table) {
  table.add<scf::ForOp>(forLoop);
  table.add<scf::WhileOp>(whileLoop);
  table.add<scf::IfOp>(ifElse);
  table.add<scf::YieldOp>([](KernelLowering &kl, scf::YieldOp o) {
    scf::YieldOp::create(kl.b, kl.getCarried(o.getOperands()));
    return success();
  });
  table.add<scf::ConditionOp>([](KernelLowering &kl, scf::ConditionOp o) {
    scf::ConditionOp::create(kl.b, kl.get1(o.getCondition()),
                             kl.getCarried(o.getArgs()));
    return success();
  });
  table.add<WarpSpecializeOp>(warpSpecialize);
  table.add<ElectOp>(elect);
  table.add<YieldOp>([](KernelLowering &, YieldOp) { return success(); });
  table.add<ReturnOp>([](KernelLowering &kl, ReturnOp) {
    LLVM::ReturnOp::create(kl.b, ValueRange());
    return success();
  });
  table.add<PrintOp>(print);
  table.add<AssertOp>(assertion);
  // A broken promise is to do no more harm than the program does by itself.
  table.add<AssumeOp>([](KernelLowering &, AssumeOp) { return success(); });
  table.add<CtaIdOp>([](KernelLowering &kl, CtaIdOp o) {
    Value id = kl.emitter.ctaId(kl.b, o.getDimension());
    kl.set(o, arith::IndexCastUIOp::create(kl.b, kl.b.getIndexType(), id)
                  .getResult());
    return success();
  });
  table.add<NumCtasOp>([](KernelLowering &kl, NumCtasOp o) {
    Value count = kl.emitter.numCtas(kl.b, o.getDimension());
    kl.set(o, arith::IndexCastUIOp::create(kl.b, kl.b.getIndexType(), count)
                  .getResult());
    return success();
  });
  table.add<ClusterRankOp>([](KernelLowering &kl, ClusterRankOp o) {
    kl.set(o, kl.emitter.clusterRank(kl.b));
    return success();
  });
  table.add<WarpIdOp>([](KernelLowering &kl, WarpIdOp o) {
    kl.set(o, kl.warp());
    return success();
  });
  table.add<DimOp>([](KernelLowering &kl, DimOp o) {
    kl.set(o, kl.global(o.getTensor()).sizes[o.getDimension()]);
    return success();
  });
}
