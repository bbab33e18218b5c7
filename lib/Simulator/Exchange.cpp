//===- Exchange.cpp - register tiles between layouts, scans, gathers ------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By what they mean, element by element: which registers and shuffles bring an
// element to a thread is the lowering's affair.
//
//===----------------------------------------------------------------------===//
#include "titan/Simulator/ExecutionTable.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace titan;
using namespace titan::sim;

namespace {
/// What a warp holds of a tile.
struct Part {
  const uint32_t *element;
  uint32_t size;

  Part(const Agent &agent, const TileTable &table)
      : element(table.element.data() +
                size_t(agent.regionWarp % table.warps) * table.perWarp()),
        size(table.perWarp()) {}
  /// A place of each element.
  llvm::DenseMap<uint32_t, uint32_t> places() const {
    llvm::DenseMap<uint32_t, uint32_t> map;
    for (uint32_t i = 0; i < size; ++i)
      map.try_emplace(element[i], i);
    return map;
  }
};
} // namespace

/// Element i of the result is element `from(i)` of the operand.
template <typename From>
static Step take(Agent &agent, const Inst &inst, uint32_t size, From from) {
  const Tile *source = agent.tile(inst.a);
  auto *result = new Tile(size);
  Ref hold(result);
  if (!source->poison.empty())
    result->poison.resize(size);
  for (uint32_t i = 0; i < size; ++i) {
    std::optional<uint32_t> place = from(i);
    if (!place)
      return Step::Failed;
    result->data[i] = source->data[*place];
    if (!source->poison.empty())
      result->poison[i] = source->poison[*place];
  }
  agent.refs[inst.dst] = hold;
  return Step::Next;
}

static Step convertLayout(Agent &agent, const Inst &inst) {
  auto places = Part(agent, *agent.program.tiles[inst.table]).places();
  Part to(agent, *agent.program.tiles[inst.target]);
  return take(agent, inst, to.size, [&](uint32_t i) -> std::optional<uint32_t> {
    return places.lookup(to.element[i]);
  });
}

static Step relabel(Agent &agent, const Inst &inst) {
  // Tiles do not change: it is the same one.
  agent.refs[inst.dst] = agent.refs[inst.a];
  return Step::Next;
}

uint64_t titan::sim::combineElements(ReduceKind kind, ElementType type,
                                     uint64_t a, uint64_t b) {
  auto which = [&] {
    switch (kind) {
    case ReduceKind::Add:
      return isFloat(type) ? Elt::AddF : Elt::Add;
    case ReduceKind::Max:
      return isFloat(type) ? Elt::Maximum : Elt::MaxS;
    case ReduceKind::Min:
      return isFloat(type) ? Elt::Minimum : Elt::MinS;
    case ReduceKind::Mul:
      return isFloat(type) ? Elt::MulF : Elt::Mul;
    case ReduceKind::And:
      return Elt::And;
    case ReduceKind::Or:
      return Elt::Or;
    case ReduceKind::Xor:
      return Elt::Xor;
    case ReduceKind::MaxNum:
      return Elt::MaxNum;
    case ReduceKind::MinNum:
      return Elt::MinNum;
    case ReduceKind::MaxU:
      return Elt::MaxU;
    case ReduceKind::MinU:
      return Elt::MinU;
    }
    llvm_unreachable("all kinds are above");
  };
  EltOp op{which(), type, type, 0};
  return *evaluate(op, canonical(type, a), canonical(type, b), 0);
}

/// The order is ScanOp's: by doubling.
static Step scan(Agent &agent, const Inst &inst) {
  const TileTable &table = *agent.program.tiles[inst.table];
  const Tile *source = agent.tile(inst.a);
  if (!agent.usePoison(inst, source))
    return Step::Failed;
  Part part(agent, table);
  auto places = part.places();
  auto kind = static_cast<ReduceKind>(inst.kind);
  uint32_t inner = static_cast<uint32_t>(inst.imm2),
           extent = static_cast<uint32_t>(table.shape[inst.imm]);
  llvm::DenseMap<uint32_t, uint64_t> values;
  for (auto [element, place] : places)
    values[element] = source->data[place];
  for (uint32_t step = 1; step < extent; step *= 2)
    for (auto &[element, value] : values) {
      uint32_t at = element / inner % extent;
      uint32_t count = inst.flag ? extent - 1 - at : at;
      if (count / step % 2 == 0)
        continue;
      uint32_t last = count / step * step - 1;
      uint32_t other = inst.flag ? extent - 1 - last : last;
      uint64_t from = values.lookup(element + other * inner - at * inner);
      value = inst.flag ? combineElements(kind, inst.type, value, from)
                        : combineElements(kind, inst.type, from, value);
    }
  auto *result = new Tile(part.size);
  for (uint32_t i = 0; i < part.size; ++i)
    result->data[i] = values.lookup(part.element[i]);
  agent.refs[inst.dst] = result;
  return Step::Next;
}

static Step gather(Agent &agent, const Inst &inst) {
  const TileTable &from = *agent.program.tiles[inst.table],
                  &to = *agent.program.tiles[inst.target];
  const Tile *indices = agent.tile(inst.b);
  if (!agent.usePoison(inst, indices))
    return Step::Failed;
  auto places = Part(agent, from).places();
  Part part(agent, to);
  uint32_t inner = static_cast<uint32_t>(inst.imm2);
  int64_t extent = from.shape[inst.imm];
  uint32_t ours = static_cast<uint32_t>(extent) * inner,
           theirs = static_cast<uint32_t>(to.shape[inst.imm]) * inner;
  return take(
      agent, inst, part.size, [&](uint32_t i) -> std::optional<uint32_t> {
        int64_t index = static_cast<int32_t>(indices->data[i]);
        if (index < 0 || index >= extent) {
          agent.machine.find(
              Code::OutOfBounds,
              llvm::formatv("index {0} of {1} elements (register {2} of lane "
                            "{3}): {4}",
                            index, extent, i / agent.program.lanes,
                            i % agent.program.lanes, agent.who(inst)),
              inst.origin, &agent, true, {}, {}, nullptr,
              llvm::formatv("indices count from 0 to {0}, in the tile that is "
                            "gathered from",
                            extent - 1));
          return std::nullopt;
        }
        uint32_t element = part.element[i];
        return places.lookup(element / theirs * ours + element % inner +
                             static_cast<uint32_t>(index) * inner);
      });
}

/// Elements that lie inside of one step along the dimension.
static int64_t innerOf(RankedTensorType tile, uint64_t dimension) {
  int64_t inner = 1;
  for (int64_t size : tile.getShape().drop_front(dimension + 1))
    inner *= size;
  return inner;
}

void titan::sim::registerExchange(ExecutionTable &table) {
  table.add<ConvertLayoutOp>([](Compiler &c, ConvertLayoutOp op) {
    const TileTable *from = c.tileTable(op, op.getTile().getType()),
                    *to = c.tileTable(op, op.getType());
    if (!from || !to)
      return;
    if (op.getScratch())
      return c.unsupported(op, ": it goes through shared memory, and "
                               "titan-expand-exchanges has not been run");
    uint32_t a = c.ref(op.getTile()), dst = c.ref(op.getResult());
    Inst &inst = c.emit(convertLayout, op);
    inst.a = a;
    inst.dst = dst;
    inst.table = c.indexOf(from);
    inst.target = c.indexOf(to);
  });
  table.add<RelabelOp>([](Compiler &c, RelabelOp op) {
    if (!c.tileTable(op, op.getTile().getType()) ||
        !c.tileTable(op, op.getType()))
      return;
    uint32_t a = c.ref(op.getTile()), dst = c.ref(op.getResult());
    Inst &inst = c.emit(relabel, op);
    inst.a = a;
    inst.dst = dst;
  });
  table.add<ScanOp>([](Compiler &c, ScanOp op) {
    const TileTable *t = c.tileTable(op, op.getType());
    auto type = c.elementType(op, op.getType());
    if (!t || !type)
      return;
    uint32_t a = c.ref(op.getTile()), dst = c.ref(op.getResult());
    Inst &inst = c.emit(scan, op);
    inst.a = a;
    inst.dst = dst;
    inst.type = *type;
    inst.kind = static_cast<uint8_t>(op.getKind());
    inst.flag = op.getReverse();
    inst.imm = static_cast<int64_t>(op.getDimension());
    inst.imm2 = innerOf(op.getType(), op.getDimension());
    inst.table = c.indexOf(t);
  });
  table.add<GatherOp>([](Compiler &c, GatherOp op) {
    const TileTable *from = c.tileTable(op, op.getTile().getType()),
                    *to = c.tileTable(op, op.getType());
    if (!from || !to)
      return;
    uint32_t a = c.ref(op.getTile()), b = c.ref(op.getIndices()),
             dst = c.ref(op.getResult());
    Inst &inst = c.emit(gather, op);
    inst.a = a;
    inst.b = b;
    inst.dst = dst;
    inst.imm = static_cast<int64_t>(op.getDimension());
    inst.imm2 = innerOf(op.getType(), op.getDimension());
    inst.table = c.indexOf(from);
    inst.target = c.indexOf(to);
  });
}
