//===- Scalars.cpp - arith and math, of scalars and of tiles --------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Simulator/ExecutionTable.h"
#include "titan/Simulator/Numeric.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace titan;
using namespace titan::sim;

static Step scalarElementwise(Agent &agent, const Inst &inst) {
  const EltOp &op = agent.program.elts[inst.table];
  auto value = [&](uint32_t slot) {
    return slot == none ? 0 : agent.scalars[slot];
  };
  auto result = evaluate(op, value(inst.a), value(inst.b), value(inst.c),
                         &agent.machine.approximate);
  if (result) {
    agent.scalars[inst.dst] = *result;
    return Step::Next;
  }
  agent.machine.find(Code::InvalidOp,
                     llvm::formatv("'{0}' of {1} and {2} has no result: {3}",
                                   inst.origin->getName().getStringRef(),
                                   static_cast<int64_t>(value(inst.a)),
                                   static_cast<int64_t>(value(inst.b)),
                                   agent.who(inst)),
                     inst.origin, &agent);
  return Step::Failed;
}

/// A scalar condition: one of the tiles, poison and all.
static Step selectTile(Agent &agent, const Inst &inst) {
  agent.refs[inst.dst] =
      agent.scalars[inst.a] & 1 ? agent.refs[inst.b] : agent.refs[inst.c];
  return Step::Next;
}

static Step selectElements(Agent &agent, const Inst &inst) {
  const Tile *c = agent.tile(inst.a), *x = agent.tile(inst.b),
             *y = agent.tile(inst.c);
  if (!agent.usePoison(inst, c))
    return Step::Failed;
  auto *result = new Tile(inst.imm);
  Ref hold(result);
  if (!x->poison.empty() || !y->poison.empty())
    result->poison.resize(inst.imm);
  for (int64_t i = 0; i < inst.imm; ++i) {
    const Tile *from = c->data[i] & 1 ? x : y;
    result->data[i] = from->data[i];
    if (!from->poison.empty())
      result->poison[i] = from->poison[i];
  }
  agent.refs[inst.dst] = hold;
  return Step::Next;
}

static Step tileElementwise(Agent &agent, const Inst &inst) {
  const EltOp &op = agent.program.elts[inst.table];
  const Tile *a = agent.tile(inst.a),
             *b = inst.b == none ? nullptr : agent.tile(inst.b),
             *c = inst.c == none ? nullptr : agent.tile(inst.c);
  for (const Tile *operand : {a, b, c})
    if (!agent.usePoison(inst, operand))
      return Step::Failed;
  auto *result = new Tile(inst.imm);
  Ref hold(result);
  // The two that large tiles spend their time in.
  if (op.what == Elt::TruncF && op.in == ElementType::F32 &&
      op.out == ElementType::BF16) {
    for (int64_t i = 0; i < inst.imm; ++i)
      result->data[i] = floatToBf16(asFloat(a->data[i]));
    agent.refs[inst.dst] = hold;
    return Step::Next;
  }
  for (int64_t i = 0; i < inst.imm; ++i) {
    auto value = [&](const Tile *from) -> uint64_t {
      return from ? canonical(op.in, from->data[i]) : 0;
    };
    auto element =
        evaluate(op, value(a), value(b), value(c), &agent.machine.approximate);
    if (!element) {
      agent.machine.find(
          Code::InvalidOp,
          llvm::formatv("'{0}' has no result for register {1} of lane {2}: {3}",
                        inst.origin->getName().getStringRef(),
                        i / agent.program.lanes, i % agent.program.lanes,
                        agent.who(inst)),
          inst.origin, &agent);
      return Step::Failed;
    }
    result->data[i] = *element;
  }
  agent.refs[inst.dst] = hold;
  return Step::Next;
}

/// One of the operation's results.
static void compileResult(Compiler &c, Operation *op, OpResult result) {
  Elt what = *findElt(op->getName().getStringRef(), result.getResultNumber());
  auto out = c.elementType(op, result.getType());
  auto in =
      c.elementType(op, op->getOperand(op->getNumOperands() - 1).getType());
  if (!in || !out)
    return;
  bool moves = what == Elt::ExtF || what == Elt::TruncF ||
               what == Elt::Bitcast || what == Elt::Select;
  if ((isFp8(*in) || isFp8(*out)) && !moves)
    return c.unsupported(op, " on fp8: convert to f16 or f32");
  EltOp elt{what, *in, *out, 0};
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    elt.predicate = static_cast<uint8_t>(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    elt.predicate = static_cast<uint8_t>(compare.getPredicate());
  if (auto flags = dyn_cast<arith::ArithFastMathInterface>(op))
    if (auto all = flags.getFastMathFlagsAttr())
      elt.approximate =
          arith::bitEnumContainsAny(all.getValue(), arith::FastMathFlags::afn);
  bool tile = isa<RankedTensorType>(result.getType());
  const TileTable *table = tile ? c.tileTable(op, result.getType()) : nullptr;
  if (tile && !table)
    return;
  uint32_t operands[3] = {none, none, none};
  bool select = tile && what == Elt::Select;
  bool scalarCondition =
      select && !isa<RankedTensorType>(op->getOperand(0).getType());
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    operands[i] = tile && !(i == 0 && scalarCondition)
                      ? c.ref(op->getOperand(i))
                      : c.scalar(op->getOperand(i));
  uint32_t dst = tile ? c.ref(result) : c.scalar(result);
  Inst &inst = c.emit(!tile             ? scalarElementwise
                      : scalarCondition ? selectTile
                      : select          ? selectElements
                                        : tileElementwise,
                      op);
  inst.table = c.p.elts.size();
  inst.dst = dst;
  inst.a = operands[0];
  inst.b = operands[1];
  inst.c = operands[2];
  inst.imm = table ? table->perWarp() : 1;
  c.p.elts.push_back(elt);
}

static void compileElementwise(Compiler &c, Operation *op) {
  for (OpResult result : op->getResults())
    compileResult(c, op, result);
}

/// Different values: each warp takes its own tile.
static Step denseTile(Agent &agent, const Inst &inst) {
  agent.refs[inst.dst] =
      agent.refs[inst.a + agent.regionWarp % static_cast<unsigned>(inst.imm)];
  return Step::Next;
}

static void compileDense(Compiler &c, arith::ConstantOp op,
                         DenseElementsAttr dense, const TileTable &table,
                         llvm::function_ref<uint64_t(Attribute)> bits) {
  SmallVector<Attribute> elements(dense.getValues<Attribute>());
  uint32_t dst = c.ref(op.getResult()), first = c.p.refs.size();
  for (uint32_t warp = 0; warp < table.warps; ++warp) {
    auto *tile = new Tile(table.perWarp());
    for (uint32_t i = 0; i < table.perWarp(); ++i)
      tile->data[i] =
          bits(elements[table.element[size_t(warp) * table.perWarp() + i]]);
    c.p.refs.push_back(tile);
  }
  Inst &inst = c.emit(denseTile, op);
  inst.a = first;
  inst.dst = dst;
  inst.imm = table.warps;
}

/// A constant is in its slot before the kernel begins.
static void compileConstant(Compiler &c, arith::ConstantOp op) {
  auto type = c.elementType(op, op.getType());
  if (!type)
    return;
  auto bits = [&](Attribute value) -> uint64_t {
    if (auto number = dyn_cast<FloatAttr>(value))
      return number.getValue().bitcastToAPInt().getZExtValue();
    return canonical(*type, cast<IntegerAttr>(value).getValue().getSExtValue());
  };
  if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue())) {
    const TileTable *table = c.tileTable(op, op.getType());
    if (!table)
      return;
    if (!dense.isSplat())
      return compileDense(c, op, dense, *table, bits);
    auto *tile = new Tile(table->perWarp());
    tile->data.assign(table->perWarp(), bits(dense.getSplatValue<Attribute>()));
    uint32_t number = c.ref(op.getResult());
    c.p.refs[number] = tile;
    return;
  }
  if (isa<ElementsAttr>(op.getValue()))
    return c.unsupported(op, ": a constant tile that is not dense<...>");
  uint32_t number = c.scalar(op.getResult());
  c.p.scalars[number] = bits(op.getValue());
}

void titan::sim::registerScalars(ExecutionTable &table) {
  table.add<arith::ConstantOp>(compileConstant);
  for (llvm::StringRef name : eltNames())
    table.add(name, compileElementwise);
}
