//===- Program.cpp - translates a kernel's body ---------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ProgramCompiler.h"

#include "titan/Analysis/Assertion.h"
#include "titan/Target/Target.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace titan;
using namespace titan::sim;

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void Compiler::block(Block &block) {
  for (Operation &op : block)
    if (!isa<scf::YieldOp, YieldOp>(op))
      operation(op);
}

void Compiler::control(scf::ForOp op) {
  SmallVector<Value> inits(op.getInitArgs()), yields;
  moves(op, op.getRegionIterArgs(), inits);
  uint32_t outer = loop;
  loop = p.loops.size();
  p.loops.push_back({outer, op});
  auto set = [&](Inst &inst) {
    inst.dst = scalar(op.getInductionVar());
    inst.a = scalar(op.getLowerBound());
    inst.b = scalar(op.getUpperBound());
    inst.c = scalar(op.getStep());
    inst.type = *typeOf(op.getInductionVar().getType());
    inst.flag = op.getUnsignedCmp();
  };
  set(emit(Opcode::LoopBegin, op));
  uint32_t test = here();
  set(emit(Opcode::LoopTest, op));
  block(*op.getBody());
  yields.assign(op.getYieldedValues().begin(), op.getYieldedValues().end());
  moves(op, op.getRegionIterArgs(), yields);
  set(emit(Opcode::LoopNext, op));
  p.code.back().target = test;
  p.code[test].target = here();
  loop = outer;
  SmallVector<Value> last(op.getRegionIterArgs().begin(),
                          op.getRegionIterArgs().end());
  moves(op, op.getResults(), last);
}

void Compiler::control(scf::IfOp op) {
  uint32_t branch = here();
  emit(Opcode::BranchFalse, op).a = scalar(op.getCondition());
  auto emitArm = [&](mlir::Region &body) {
    block(body.front());
    auto yield = cast<scf::YieldOp>(body.front().getTerminator());
    SmallVector<Value> values(yield.getOperands());
    moves(op, op.getResults(), values);
  };
  emitArm(op.getThenRegion());
  if (op.getElseRegion().empty()) {
    p.code[branch].target = here();
    return;
  }
  uint32_t over = here();
  emit(Opcode::Jump, op);
  p.code[branch].target = here();
  emitArm(op.getElseRegion());
  p.code[over].target = here();
}

void Compiler::control(ElectOp op) {
  moves(op, op.getResults(), SmallVector<Value>(op.getNumResults()));
  uint32_t begin = here();
  emit(Opcode::ElectBegin, op).imm =
      op.getWarp() ? static_cast<int64_t>(*op.getWarp()) : -1;
  block(op.getBody().front());
  SmallVector<Value> values(
      op.getBody().front().getTerminator()->getOperands());
  moves(op, op.getResults(), values);
  emit(Opcode::ElectEnd, op);
  p.code[begin].target = here();
}

void Compiler::control(WarpSpecializeOp op) {
  uint32_t begin = here();
  emit(Opcode::Specialize, op);
  SmallVector<uint32_t> ends;
  uint32_t first = p.regions.size();
  for (auto partition : op.getBody().getOps<PartitionOp>()) {
    currentRegion = p.regions.size();
    WarpRegion region;
    region.name = "partition " + partition.getName().str();
    region.firstWarp = op.getFirstWarp(partition);
    region.warps = partition.getWarps();
    region.padded = partition.getPaddedWarps();
    region.registers = partition.getRegisters().value_or(0);
    region.entry = here();
    p.regions.push_back(region);
    if (region.registers)
      emit(Opcode::SetRegisters, partition).imm = region.registers;
    // Idle warps of a padded warpgroup leave here.
    ends.push_back(here());
    emit(Opcode::PartitionEnd, partition).flag = true;
    block(partition.getBody().front());
    ends.push_back(here());
    emit(Opcode::PartitionEnd, partition);
  }
  currentRegion = 0;
  p.code[begin].imm = first;
  p.code[begin].imm2 = p.regions.size();
  p.code[begin].target = here();
  for (uint32_t end : ends)
    p.code[end].target = here();
}

//===----------------------------------------------------------------------===//
// Scalars and tiles
//===----------------------------------------------------------------------===//

void Compiler::constant(arith::ConstantOp op) {
  auto type = elementType(op, op.getType());
  if (!type)
    return;
  auto bits = [&](Attribute value) -> uint64_t {
    if (auto number = dyn_cast<FloatAttr>(value))
      return number.getValue().bitcastToAPInt().getZExtValue();
    return canonical(*type, cast<IntegerAttr>(value).getValue().getSExtValue());
  };
  if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue())) {
    const TileTable *table = tileTable(op, op.getType());
    if (!table)
      return;
    if (!dense.isSplat())
      return unsupported(op, " of a tile that is no splat");
    auto *tile = new Tile(table->perWarp());
    tile->data.assign(table->perWarp(), bits(dense.getSplatValue<Attribute>()));
    uint32_t number = ref(op.getResult());
    p.refs[number] = tile;
    return;
  }
  uint32_t number = scalar(op.getResult());
  p.scalars[number] = bits(op.getValue());
}

bool Compiler::elementwise(Operation &op) {
  auto what = findElt(op.getName().getStringRef());
  if (!what || op.getNumResults() != 1)
    return false;
  Value result = op.getResult(0);
  auto out = elementType(&op, result.getType());
  auto in = elementType(&op, op.getOperand(op.getNumOperands() - 1).getType());
  if (!in || !out)
    return true;
  EltOp elt{*what, *in, *out, 0};
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    elt.predicate = static_cast<uint8_t>(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    elt.predicate = static_cast<uint8_t>(compare.getPredicate());
  bool tile = isa<RankedTensorType>(result.getType());
  const TileTable *table = tile ? tileTable(&op, result.getType()) : nullptr;
  if (tile && !table)
    return true;
  uint32_t operands[3] = {none, none, none};
  // A scalar condition selects whole tiles.
  bool scalarCondition = tile && *what == Elt::Select &&
                         !isa<RankedTensorType>(op.getOperand(0).getType());
  for (unsigned i = 0; i < op.getNumOperands(); ++i)
    operands[i] = tile && !(i == 0 && scalarCondition)
                      ? ref(op.getOperand(i))
                      : scalar(op.getOperand(i));
  uint32_t dst = tile ? ref(result) : scalar(result);
  Inst &inst = emit(tile ? Opcode::TileElt : Opcode::Scalar, &op);
  inst.table = p.elts.size();
  inst.flag = scalarCondition;
  inst.dst = dst;
  inst.a = operands[0];
  inst.b = operands[1];
  inst.c = operands[2];
  inst.imm = table ? table->perWarp() : 1;
  p.elts.push_back(elt);
  return true;
}

bool Compiler::tileOperation(Operation &op) {
  auto table = [&](mlir::Type type) { return tileTable(&op, type); };
  if (auto splat = dyn_cast<SplatOp>(op)) {
    if (const TileTable *t = table(splat.getType())) {
      uint32_t a = scalar(splat.getValue()), dst = ref(splat.getResult());
      Inst &inst = emit(Opcode::Splat, &op);
      inst.a = a;
      inst.dst = dst;
      inst.imm = t->perWarp();
    }
  } else if (auto coordinate = dyn_cast<CoordinateOp>(op)) {
    if (const TileTable *t = table(coordinate.getType())) {
      uint32_t dst = ref(coordinate.getResult());
      Inst &inst = emit(Opcode::Coordinate, &op);
      inst.dst = dst;
      inst.imm = coordinate.getDimension();
      inst.table = indexOf(t);
    }
  } else if (auto extract = dyn_cast<ExtractOp>(op)) {
    RankedTensorType from = extract.getTile().getType(), to = extract.getType();
    if (!table(from) || !table(to))
      return true;
    auto slice = getTileLayout(from)->slice(
        {extract.getOffsets().begin(), extract.getOffsets().end()},
        {to.getShape().begin(), to.getShape().end()});
    if (!slice) {
      problem(&op, Code::LayoutSlice, slice.problem().message);
      return true;
    }
    uint32_t a = ref(extract.getTile()), dst = ref(extract.getResult());
    Inst &inst = emit(Opcode::Extract, &op);
    inst.a = a;
    inst.dst = dst;
    inst.table = p.registerLists.size();
    p.registerLists.emplace_back(slice->registers.begin(),
                                 slice->registers.end());
  } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
    const TileTable *t = table(reduce.getTile().getType());
    auto type = elementType(&op, reduce.getType());
    if (!t || !type)
      return true;
    // Every row must lie in one warp.
    int64_t columns = t->shape.back();
    std::map<int64_t, uint32_t> warpOf;
    for (size_t i = 0; i < t->element.size(); ++i) {
      uint32_t warp = i / t->perWarp();
      auto [entry, isNew] = warpOf.try_emplace(t->element[i] / columns, warp);
      if (!isNew && entry->second != warp && t->owner[i]) {
        problem(&op, Code::LayoutMismatch,
                "a row of the tile lies in several warps: reduce works within "
                "a warp");
        return true;
      }
    }
    uint32_t a = ref(reduce.getTile()), dst = ref(reduce.getResult());
    const TileTable *row = table(reduce.getType());
    if (!row)
      return true;
    Inst &inst = emit(Opcode::Reduce, &op);
    inst.target = indexOf(row);
    inst.flag = reduce.getType() != reduce.getTile().getType();
    inst.kind = static_cast<uint8_t>(reduce.getKind());
    inst.type = *type;
    inst.a = a;
    inst.dst = dst;
    inst.table = indexOf(t);
  } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    const TileTable *from = table(broadcast.getTile().getType()),
                    *to = table(broadcast.getType());
    if (!from || !to)
      return true;
    uint32_t a = ref(broadcast.getTile()), dst = ref(broadcast.getResult());
    Inst &inst = emit(Opcode::Broadcast, &op);
    inst.a = a;
    inst.dst = dst;
    inst.table = indexOf(to);
    inst.target = indexOf(from);
  } else {
    return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// All operations
//===----------------------------------------------------------------------===//

void Compiler::operation(Operation &op) {
  bool done =
      llvm::TypeSwitch<Operation *, bool>(&op)
          .Case<scf::ForOp, scf::IfOp, ElectOp, WarpSpecializeOp>([&](auto o) {
            control(o);
            return true;
          })
          .Case([&](arith::ConstantOp o) {
            constant(o);
            return true;
          })
          .Case([&](ReturnOp o) {
            emit(Opcode::Return, o);
            return true;
          })
          .Default(false);
  if (done || elementwise(op) || tileOperation(op) || memoryOperation(op) ||
      barrierOperation(op) || asyncOperation(op) || tensormapOperation(op))
    return;
  auto simple = [&](Opcode code, int64_t imm) {
    uint32_t dst = scalar(op.getResult(0));
    Inst &inst = emit(code, &op);
    inst.dst = dst;
    inst.imm = imm;
  };
  if (auto id = dyn_cast<CtaIdOp>(op))
    return simple(Opcode::CtaId, id.getDimension());
  if (auto number = dyn_cast<NumCtasOp>(op))
    return simple(Opcode::NumCtas, number.getDimension());
  if (isa<ClusterRankOp>(op))
    return simple(Opcode::ClusterRank, 0);
  if (isa<WarpIdOp>(op))
    return simple(Opcode::WarpId, 0);
  if (auto dim = dyn_cast<DimOp>(op)) {
    uint32_t a = scalar(dim.getTensor());
    simple(Opcode::Dim, dim.getDimension());
    p.code.back().a = a;
    return;
  }
  if (auto print = dyn_cast<PrintOp>(op)) {
    for (Value value : print.getValues())
      if (!value.getType().isIntOrIndexOrFloat() || !typeOf(value.getType()))
        return unsupported(&op, " of anything but scalars");
    SmallVector<Value> values(print.getValues());
    for (Value value : values)
      scalar(value);
    setList(emit(Opcode::Print, &op), values);
    return;
  }
  if (auto check = dyn_cast<AssertOp>(op)) {
    uint32_t a = scalar(check.getCondition());
    SmallVector<Value> operands = operandsOfCondition(check.getCondition());
    for (Value operand : operands)
      scalar(operand);
    Inst &inst = emit(Opcode::Assert, &op);
    inst.a = a;
    setList(inst, operands);
    return;
  }
  unsupported(&op);
}

void Compiler::run() {
  p.warps = kernel.getWarps();
  p.cluster = kernel.getClusterShape();
  p.clusterSize = kernel.getClusterSize();
  p.launchRegisters =
      kernel.getRegisters() ? static_cast<int64_t>(*kernel.getRegisters()) : 0;
  WarpRegion cta;
  cta.name = "the CTA";
  cta.warps = cta.padded = p.warps;
  p.regions.push_back(cta);
  for (BlockArgument argument : kernel.getBody().getArguments())
    slot(argument);
  allocate();
  block(kernel.getBody().front());
}

std::unique_ptr<Program> Program::compile(KernelOp kernel,
                                          std::vector<Finding> &problems) {
  auto program = std::make_unique<Program>();
  size_t before = problems.size();
  Compiler(kernel, *program, problems).run();
  return problems.size() == before ? std::move(program) : nullptr;
}
