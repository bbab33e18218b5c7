//===- Kernel.cpp - control flow, threads, ids ----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Simulator/ExecutionTable.h"

#include "titan/Analysis/Assertion.h"
#include "titan/Target/LoopCounter.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace titan;
using namespace titan::sim;

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

static Step move(Agent &agent, const Inst &inst) {
  // All sources are read before a destination changes.
  llvm::SmallVector<uint64_t, 16> values;
  llvm::SmallVector<Ref, 4> objects;
  const uint32_t *list = &agent.program.lists[inst.list];
  for (uint32_t i = 0; i < inst.count; i += 3) {
    if (list[i] == 0)
      values.push_back(list[i + 2] == none ? 0 : agent.scalars[list[i + 2]]);
    else
      objects.push_back(list[i + 2] == none ? nullptr
                                            : agent.refs[list[i + 2]]);
  }
  size_t scalar = 0, object = 0;
  for (uint32_t i = 0; i < inst.count; i += 3) {
    if (list[i] == 0)
      agent.scalars[list[i + 1]] = values[scalar++];
    else
      agent.refs[list[i + 1]] = objects[object++];
  }
  return Step::Next;
}

void Compiler::moves(Operation *origin, ValueRange to, ArrayRef<Value> from) {
  std::vector<uint32_t> triples;
  for (auto [dst, src] : llvm::zip(to, from)) {
    SlotOf d = slot(dst), s = src ? slot(src) : SlotOf{};
    if (d.scalar != none)
      triples.insert(triples.end(), {0, d.scalar, s.scalar});
    if (d.ref != none)
      triples.insert(triples.end(), {1, d.ref, s.ref});
  }
  if (triples.empty())
    return;
  Inst &inst = emit(move, origin);
  inst.list = p.lists.size();
  inst.count = triples.size();
  p.lists.insert(p.lists.end(), triples.begin(), triples.end());
}

//===----------------------------------------------------------------------===//
// Branches and loops
//===----------------------------------------------------------------------===//

static Step jump(Agent &agent, const Inst &inst) {
  agent.pc = inst.target;
  return Step::Next;
}

static Step branchFalse(Agent &agent, const Inst &inst) {
  if (!(agent.scalars[inst.a] & 1))
    agent.pc = inst.target;
  return Step::Next;
}

static Step loopBegin(Agent &agent, const Inst &inst) {
  auto step = static_cast<int64_t>(agent.scalars[inst.c]);
  std::string why = stepProblem(step);
  if (!why.empty()) {
    agent.machine.find(Code::InvalidOp, why, inst.origin, &agent);
    return Step::Failed;
  }
  why = counterOverflow(static_cast<int64_t>(agent.scalars[inst.a]),
                        static_cast<int64_t>(agent.scalars[inst.b]), step,
                        bitsOf(static_cast<ElementType>(inst.imm)), inst.flag);
  if (!why.empty()) {
    agent.machine.find(Code::LoopOverflow, why, inst.origin, &agent);
    return Step::Failed;
  }
  agent.scalars[inst.dst] = agent.scalars[inst.a];
  agent.iterations[inst.loop] = 0;
  return Step::Next;
}

static Step loopTest(Agent &agent, const Inst &inst) {
  // Numbers are kept sign-extended: unsigned ones compare as they do.
  uint64_t at = agent.scalars[inst.dst], end = agent.scalars[inst.b];
  bool more = inst.flag ? at < end
                        : static_cast<int64_t>(at) < static_cast<int64_t>(end);
  if (!more)
    agent.pc = inst.target;
  return Step::Next;
}

static Step loopNext(Agent &agent, const Inst &inst) {
  // It fits: loopBegin has looked.
  agent.scalars[inst.dst] =
      canonical(static_cast<ElementType>(inst.imm),
                agent.scalars[inst.dst] + agent.scalars[inst.c]);
  ++agent.iterations[inst.loop];
  agent.pc = inst.target;
  return Step::Next;
}

static void compileFor(Compiler &c, scf::ForOp op) {
  auto type = c.elementType(op, op.getInductionVar().getType());
  if (!type)
    return;
  SmallVector<Value> inits(op.getInitArgs()), yields;
  c.moves(op, op.getRegionIterArgs(), inits);
  uint32_t outer = c.loop;
  c.loop = c.p.loops.size();
  c.p.loops.push_back({outer, op});
  auto set = [&](Inst &inst) {
    inst.dst = c.scalar(op.getInductionVar());
    inst.a = c.scalar(op.getLowerBound());
    inst.b = c.scalar(op.getUpperBound());
    inst.c = c.scalar(op.getStep());
    inst.flag = op.getUnsignedCmp();
    inst.imm = static_cast<int64_t>(*type);
  };
  set(c.emit(loopBegin, op));
  uint32_t test = c.here();
  set(c.emit(loopTest, op));
  c.block(*op.getBody());
  yields.assign(op.getYieldedValues().begin(), op.getYieldedValues().end());
  c.moves(op, op.getRegionIterArgs(), yields);
  set(c.emit(loopNext, op));
  c.p.code.back().target = test;
  c.p.code[test].target = c.here();
  c.loop = outer;
  SmallVector<Value> last(op.getRegionIterArgs().begin(),
                          op.getRegionIterArgs().end());
  c.moves(op, op.getResults(), last);
}

static Step whileBegin(Agent &agent, const Inst &inst) {
  agent.iterations[inst.loop] = 0;
  return Step::Next;
}

static Step whileNext(Agent &agent, const Inst &inst) {
  ++agent.iterations[inst.loop];
  agent.pc = inst.target;
  return Step::Next;
}

///        move   before <- inits
///   L:   ...                         the region that decides
///        branch condition, else E
///        move   after <- passed on
///        ...
///        move   before <- yielded
///        next   to L
///   E:   move   results <- passed on
static void compileWhile(Compiler &c, scf::WhileOp op) {
  c.moves(op, op.getBeforeArguments(), SmallVector<Value>(op.getInits()));
  uint32_t outer = c.loop;
  c.loop = c.p.loops.size();
  c.p.loops.push_back({outer, op});
  c.emit(whileBegin, op);
  uint32_t begin = c.here();
  c.block(*op.getBeforeBody());
  scf::ConditionOp condition = op.getConditionOp();
  SmallVector<Value> passed(condition.getArgs());
  uint32_t decide = c.scalar(condition.getCondition()), branch = c.here();
  c.emit(branchFalse, condition).a = decide;
  c.moves(op, op.getAfterArguments(), passed);
  c.block(*op.getAfterBody());
  c.moves(op, op.getBeforeArguments(),
          SmallVector<Value>(op.getYieldOp().getOperands()));
  c.emit(whileNext, op).target = begin;
  c.p.code[branch].target = c.here();
  c.loop = outer;
  c.moves(op, op.getResults(), passed);
}

static void compileIf(Compiler &c, scf::IfOp op) {
  uint32_t branch = c.here();
  c.emit(branchFalse, op).a = c.scalar(op.getCondition());
  auto emitArm = [&](mlir::Region &body) {
    c.block(body.front());
    auto yield = cast<scf::YieldOp>(body.front().getTerminator());
    SmallVector<Value> values(yield.getOperands());
    c.moves(op, op.getResults(), values);
  };
  emitArm(op.getThenRegion());
  if (op.getElseRegion().empty()) {
    c.p.code[branch].target = c.here();
    return;
  }
  uint32_t over = c.here();
  c.emit(jump, op);
  c.p.code[branch].target = c.here();
  emitArm(op.getElseRegion());
  c.p.code[over].target = c.here();
}

//===----------------------------------------------------------------------===//
// Threads: elect, partitions, the end
//===----------------------------------------------------------------------===//

static Step electBegin(Agent &agent, const Inst &inst) {
  if (inst.imm >= 0 && static_cast<unsigned>(inst.imm) != agent.regionWarp)
    agent.pc = inst.target;
  else
    agent.elected = true;
  return Step::Next;
}

static Step electEnd(Agent &agent, const Inst &) {
  agent.elected = false;
  return Step::Next;
}

static void compileElect(Compiler &c, ElectOp op) {
  c.moves(op, op.getResults(), SmallVector<Value>(op.getNumResults()));
  uint32_t begin = c.here();
  c.emit(electBegin, op).imm =
      op.getWarp() ? static_cast<int64_t>(*op.getWarp()) : -1;
  c.block(op.getBody().front());
  SmallVector<Value> values(
      op.getBody().front().getTerminator()->getOperands());
  c.moves(op, op.getResults(), values);
  c.emit(electEnd, op);
  c.p.code[begin].target = c.here();
}

static Step specialize(Agent &agent, const Inst &inst) {
  agent.pc = inst.target;
  for (int64_t i = inst.imm; i < inst.imm2; ++i) {
    const WarpRegion &candidate = agent.program.regions[i];
    if (agent.warp < candidate.firstWarp ||
        agent.warp >= candidate.firstWarp + candidate.padded)
      continue;
    agent.region = i;
    agent.regionWarp = agent.warp - candidate.firstWarp;
    agent.idle = agent.regionWarp >= candidate.warps;
    agent.pc = candidate.entry;
  }
  return Step::Next;
}

static Step partitionEnd(Agent &agent, const Inst &inst) {
  if (inst.flag && !agent.idle)
    return Step::Next; // Where padding leaves.
  agent.region = 0;
  agent.regionWarp = agent.warp;
  agent.idle = false;
  agent.pc = inst.target;
  return Step::Next;
}

/// setmaxnreg. Without a register count at launch it does nothing (MM-74).
static Step setRegisters(Agent &agent, const Inst &inst) {
  if (agent.registers == 0 || agent.registers == inst.imm)
    return Step::Ran;
  int64_t more = inst.imm - agent.registers;
  if (more > agent.cta.freeRegisters)
    return Step::Blocked;
  agent.cta.freeRegisters -= more;
  agent.registers = inst.imm;
  return Step::Ran;
}

static Waits waitsForRegisters(Agent &agent, const Inst &inst) {
  return {.what = llvm::formatv("{0} registers a thread: {1} are free",
                                inst.imm, agent.cta.freeRegisters),
          .cause = true};
}

static void compileSpecialize(Compiler &c, WarpSpecializeOp op) {
  uint32_t begin = c.here();
  c.emit(specialize, op);
  SmallVector<uint32_t> ends;
  uint32_t first = c.p.regions.size();
  for (auto partition : op.getBody().getOps<PartitionOp>()) {
    c.currentRegion = c.p.regions.size();
    WarpRegion region;
    region.name = "partition " + partition.getName().str();
    region.firstWarp = op.getFirstWarp(partition);
    region.warps = partition.getWarps();
    region.padded = partition.getPaddedWarps();
    region.registers = partition.getRegisters().value_or(0);
    region.entry = c.here();
    c.p.regions.push_back(region);
    if (region.registers) {
      Inst &inst = c.emit(setRegisters, partition);
      inst.waits = waitsForRegisters;
      inst.hardware = true;
      inst.imm = region.registers;
    }
    // Idle warps of a padded warpgroup leave here.
    auto leave = [&]() -> Inst & {
      ends.push_back(c.here());
      Inst &inst = c.emit(partitionEnd, partition);
      inst.hardware = false;
      return inst;
    };
    leave().flag = true;
    c.block(partition.getBody().front());
    leave();
  }
  c.currentRegion = 0;
  c.p.code[begin].imm = first;
  c.p.code[begin].imm2 = c.p.regions.size();
  c.p.code[begin].target = c.here();
  for (uint32_t end : ends)
    c.p.code[end].target = c.here();
}

static Step exit(Agent &agent, const Inst &inst) { return agent.exit(inst); }

//===----------------------------------------------------------------------===//
// Where the warp is; what it says
//===----------------------------------------------------------------------===//

static Step dim(Agent &agent, const Inst &inst) {
  agent.scalars[inst.dst] =
      agent.machine.arguments[agent.scalars[inst.a]].shape[inst.imm];
  return Step::Next;
}

static Step ctaId(Agent &agent, const Inst &inst) {
  agent.scalars[inst.dst] = agent.cta.id[inst.imm];
  return Step::Next;
}

static Step numCtas(Agent &agent, const Inst &inst) {
  agent.scalars[inst.dst] = agent.machine.launch.grid[inst.imm];
  return Step::Next;
}

static Step clusterRank(Agent &agent, const Inst &inst) {
  agent.scalars[inst.dst] = agent.cta.rank;
  return Step::Next;
}

static Step warpId(Agent &agent, const Inst &inst) {
  agent.scalars[inst.dst] = agent.regionWarp;
  return Step::Next;
}

static Step print(Agent &agent, const Inst &inst) {
  auto print = cast<PrintOp>(inst.origin);
  std::string line;
  llvm::raw_string_ostream os(line);
  os << print.getMessage();
  for (uint32_t i = 0; i < inst.count; ++i) {
    uint64_t bits = agent.scalars[agent.program.lists[inst.list + i]];
    ElementType type = *typeOf(print.getValues()[i].getType());
    os << ' ';
    if (isFloat(type))
      os << llvm::formatv("{0}", toFloat(type, bits));
    else
      os << static_cast<int64_t>(bits);
  }
  os << "  [" << agent.who(inst) << ']';
  agent.machine.report.printed.push_back(line);
  return Step::Next;
}

/// The condition is false, of values with these numbers.
static Step isFalse(Agent &agent, const Inst &inst, Code code, Value condition,
                    StringRef message, ArrayRef<int64_t> values) {
  llvm::SmallDenseMap<Value, int64_t> numbers;
  for (auto [operand, value] :
       llvm::zip(operandsOfCondition(condition), values))
    numbers[operand] =
        getElementTypeOrSelf(operand).isInteger(1) ? value & 1 : value;
  FalseCondition why = describeFalse(
      condition, [&](Value v) { return std::optional(numbers.at(v)); });
  agent.machine.find(code, message + ": " + why.is + ", by " + agent.who(inst),
                     inst.origin, &agent, true, {}, {}, nullptr,
                     code == Code::AssertFailed ? why.fix() : "");
  return Step::Failed;
}

template <typename Op> static Step holds(Agent &agent, const Inst &inst) {
  if (agent.scalars[inst.a] & 1)
    return Step::Next;
  auto op = cast<Op>(inst.origin);
  SmallVector<int64_t> values;
  for (uint32_t i = 0; i < inst.count; ++i)
    values.push_back(agent.scalars[agent.program.lists[inst.list + i]]);
  return isFalse(agent, inst,
                 isa<AssertOp>(inst.origin) ? Code::AssertFailed
                                            : Code::AssumeFailed,
                 op.getCondition(), op.getMessage(), values);
}

/// Of each element that the warp holds.
static Step allHold(Agent &agent, const Inst &inst) {
  const Tile *tile = agent.tile(inst.a);
  if (!agent.usePoison(inst, tile))
    return Step::Failed;
  auto bad = llvm::find_if(tile->data, [](uint64_t bit) { return !(bit & 1); });
  if (bad == tile->data.end())
    return Step::Next;
  auto op = cast<AssumeOp>(inst.origin);
  SmallVector<int64_t> values;
  for (uint32_t i = 0; i < inst.count; ++i)
    values.push_back(agent.tile(agent.program.lists[inst.list + i])
                         ->data[bad - tile->data.begin()]);
  return isFalse(agent, inst, Code::AssumeFailed, op.getCondition(),
                 op.getMessage(), values);
}

/// A condition over scalars, with what is told of it.
static void compileCondition(Compiler &c, Execute run, Operation *op,
                             Value condition) {
  uint32_t a = c.scalar(condition);
  SmallVector<Value> operands = operandsOfCondition(condition);
  for (Value operand : operands)
    c.scalar(operand);
  Inst &inst = c.emit(run, op);
  inst.a = a;
  c.setList(inst, operands);
}

static void compileAssume(Compiler &c, AssumeOp op) {
  Value condition = op.getCondition();
  auto type = dyn_cast<RankedTensorType>(condition.getType());
  if (!type)
    return compileCondition(c, holds<AssumeOp>, op, condition);
  if (!c.tileTable(op, type))
    return;
  uint32_t a = c.ref(condition);
  SmallVector<Value> operands = operandsOfCondition(condition);
  for (Value operand : operands)
    c.ref(operand);
  Inst &inst = c.emit(allHold, op);
  inst.a = a;
  c.setList(inst, operands, /*refs=*/true);
}

void titan::sim::registerKernel(ExecutionTable &table) {
  table.add<scf::ForOp>(compileFor);
  table.add<scf::WhileOp>(compileWhile);
  table.add<scf::IfOp>(compileIf);
  table.add<ElectOp>(compileElect);
  table.add<WarpSpecializeOp>(compileSpecialize);
  table.add<ReturnOp>(
      [](Compiler &c, ReturnOp op) { c.emit(exit, op).hardware = true; });
  // What yields one scalar, by a number that stands in the operation.
  auto simple = [](Compiler &c, Execute run, Operation *op, int64_t imm) {
    uint32_t dst = c.scalar(op->getResult(0));
    Inst &inst = c.emit(run, op);
    inst.dst = dst;
    inst.imm = imm;
  };
  table.add<CtaIdOp>([=](Compiler &c, CtaIdOp op) {
    simple(c, ctaId, op, op.getDimension());
  });
  table.add<NumCtasOp>([=](Compiler &c, NumCtasOp op) {
    simple(c, numCtas, op, op.getDimension());
  });
  table.add<ClusterRankOp>(
      [=](Compiler &c, ClusterRankOp op) { simple(c, clusterRank, op, 0); });
  table.add<WarpIdOp>(
      [=](Compiler &c, WarpIdOp op) { simple(c, warpId, op, 0); });
  table.add<DimOp>([=](Compiler &c, DimOp op) {
    uint32_t a = c.scalar(op.getTensor());
    simple(c, dim, op, op.getDimension());
    c.p.code.back().a = a;
  });
  table.add<PrintOp>([](Compiler &c, PrintOp op) {
    for (Value value : op.getValues())
      if (!value.getType().isIntOrIndexOrFloat() || !typeOf(value.getType()))
        return c.unsupported(op, " of anything but scalars");
    SmallVector<Value> values(op.getValues());
    for (Value value : values)
      c.scalar(value);
    c.setList(c.emit(print, op), values);
  });
  table.add<AssertOp>([](Compiler &c, AssertOp op) {
    compileCondition(c, holds<AssertOp>, op, op.getCondition());
  });
  table.add<AssumeOp>(compileAssume);
}
