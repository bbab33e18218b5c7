//===- Tiles.cpp - register tiles -----------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Simulator/ExecutionTable.h"

#include <algorithm>
#include <map>

using namespace mlir;
using namespace titan;
using namespace titan::sim;

static Step splat(Agent &agent, const Inst &inst) {
  auto *result = new Tile(0);
  result->data.assign(inst.imm, agent.scalars[inst.a]);
  agent.refs[inst.dst] = result;
  return Step::Next;
}

static Step unsplat(Agent &agent, const Inst &inst) {
  const Tile *from = agent.tile(inst.a);
  if (!agent.usePoison(inst, from))
    return Step::Failed;
  agent.scalars[inst.dst] = from->data.front();
  return Step::Next;
}

static Step extract(Agent &agent, const Inst &inst) {
  const Tile *from = agent.tile(inst.a);
  const auto &registers = agent.program.registerLists[inst.table];
  auto *result = new Tile(registers.size() * agent.program.lanes);
  result->made = from->made;
  if (!from->poison.empty())
    result->poison.resize(result->data.size());
  for (size_t i = 0; i < registers.size(); ++i) {
    std::copy_n(from->data.begin() + registers[i] * agent.program.lanes,
                agent.program.lanes,
                result->data.begin() + i * agent.program.lanes);
    if (!from->poison.empty())
      std::copy_n(from->poison.begin() + registers[i] * agent.program.lanes,
                  agent.program.lanes,
                  result->poison.begin() + i * agent.program.lanes);
  }
  agent.refs[inst.dst] = result;
  return Step::Next;
}

static Step coordinate(Agent &agent, const Inst &inst) {
  const TileTable &table = *agent.program.tiles[inst.table];
  int64_t inner = 1;
  for (size_t d = inst.imm + 1; d < table.shape.size(); ++d)
    inner *= table.shape[d];
  auto *result = new Tile(table.perWarp());
  const uint32_t *element =
      &table.element[size_t(agent.regionWarp % table.warps) * table.perWarp()];
  for (uint32_t i = 0; i < table.perWarp(); ++i)
    result->data[i] =
        static_cast<uint32_t>(element[i] / inner % table.shape[inst.imm]);
  agent.refs[inst.dst] = result;
  return Step::Next;
}

/// Each lane combines its own registers of a row in order, then the lanes
/// combine by twos, as shuffles with xor 1, 2, 4, ... do. Copies of an element
/// count once.
static Step reduce(Agent &agent, const Inst &inst) {
  const TileTable &table = *agent.program.tiles[inst.table];
  const Tile *from = agent.tile(inst.a);
  if (!agent.usePoison(inst, from))
    return Step::Failed;
  auto combine = [&](uint64_t a, uint64_t b) {
    return combineElements(static_cast<ReduceKind>(inst.kind), inst.type, a, b);
  };
  const uint32_t *element =
      &table.element[size_t(agent.regionWarp % table.warps) * table.perWarp()];
  uint32_t columns = table.shape.back();
  struct Partial {
    std::map<uint32_t, uint64_t> lanes; // lane -> value
    std::set<uint32_t> columns;
  };
  std::map<uint32_t, Partial> rows;
  for (uint32_t lane = 0; lane < agent.program.lanes; ++lane)
    for (uint32_t reg = 0; reg < table.registers; ++reg) {
      uint32_t i = reg * agent.program.lanes + lane;
      Partial &row = rows[element[i] / columns];
      if (!row.columns.insert(element[i] % columns).second)
        continue;
      auto [entry, isNew] = row.lanes.try_emplace(lane, from->data[i]);
      if (!isNew)
        entry->second = combine(entry->second, from->data[i]);
    }
  std::map<uint32_t, uint64_t> totals;
  for (auto &[row, partial] : rows) {
    std::vector<uint64_t> values;
    for (auto &[lane, value] : partial.lanes)
      values.push_back(value);
    while (values.size() > 1) {
      size_t half = (values.size() + 1) / 2;
      for (size_t i = 0; i < half; ++i)
        values[i] = 2 * i + 1 < values.size()
                        ? combine(values[2 * i], values[2 * i + 1])
                        : values[2 * i];
      values.resize(half);
    }
    totals[row] = values[0];
  }
  const TileTable &to = *agent.program.tiles[inst.target];
  const uint32_t *row =
      &to.element[size_t(agent.regionWarp % to.warps) * to.perWarp()];
  auto *result = new Tile(to.perWarp());
  for (uint32_t i = 0; i < to.perWarp(); ++i)
    result->data[i] = totals[inst.flag ? row[i] : row[i] / columns];
  agent.refs[inst.dst] = result;
  return Step::Next;
}

/// Whether an element that the warp holds is true.
static Step vote(Agent &agent, const Inst &inst) {
  const Tile *from = agent.tile(inst.a);
  if (!agent.wholeWarp(inst) || !agent.usePoison(inst, from))
    return Step::Failed;
  agent.scalars[inst.dst] =
      std::ranges::any_of(from->data, [](uint64_t value) { return value & 1; });
  return Step::Next;
}

/// Each lane repeats what it holds of a row along the row.
static Step broadcast(Agent &agent, const Inst &inst) {
  const TileTable &from = *agent.program.tiles[inst.target],
                  &to = *agent.program.tiles[inst.table];
  const Tile *source = agent.tile(inst.a);
  const uint32_t *row =
      &from.element[size_t(agent.regionWarp % from.warps) * from.perWarp()];
  const uint32_t *element =
      &to.element[size_t(agent.regionWarp % to.warps) * to.perWarp()];
  uint32_t columns = to.shape.back();
  auto *result = new Tile(to.perWarp());
  Ref hold(result);
  if (!source->poison.empty())
    result->poison.resize(to.perWarp());
  for (uint32_t lane = 0; lane < agent.program.lanes; ++lane) {
    llvm::DenseMap<uint32_t, uint32_t> at;
    for (uint32_t reg = 0; reg < from.registers; ++reg)
      at[row[reg * agent.program.lanes + lane]] =
          reg * agent.program.lanes + lane;
    for (uint32_t reg = 0; reg < to.registers; ++reg) {
      uint32_t i = reg * agent.program.lanes + lane,
               with = at.lookup(element[i] / columns);
      result->data[i] = source->data[with];
      if (!source->poison.empty())
        result->poison[i] = source->poison[with];
    }
  }
  agent.refs[inst.dst] = hold;
  return Step::Next;
}

/// Each register of the wider tile is some of the narrower one's, the low bits
/// first.
static Step bitcast(Agent &agent, const Inst &inst) {
  const Tile *from = agent.tile(inst.a);
  unsigned lanes = agent.program.lanes, bits = inst.imm;
  const auto *parts = &agent.program.registerLists[inst.table];
  bool widens = inst.flag;
  size_t wide = parts[0].size();
  auto *result = new Tile((widens ? wide : wide * inst.count) * lanes);
  Ref hold(result);
  if (!from->poison.empty())
    result->poison.resize(result->data.size());
  uint64_t mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  for (unsigned part = 0; part < inst.count; ++part)
    for (size_t r = 0; r < wide; ++r)
      for (unsigned lane = 0; lane < lanes; ++lane) {
        size_t w = r * lanes + lane, n = parts[part][r] * lanes + lane;
        if (widens)
          result->data[w] |= (from->data[n] & mask) << part * bits;
        else
          result->data[n] = from->data[w] >> part * bits & mask;
        if (!from->poison.empty())
          result->poison[widens ? w : n] |= from->poison[widens ? n : w];
      }
  agent.refs[inst.dst] = hold;
  return Step::Next;
}

static void compileBitcast(Compiler &c, TileBitcastOp op) {
  RankedTensorType from = op.getTile().getType(), to = op.getType();
  if (!c.tileTable(op, from) || !c.tileTable(op, to))
    return;
  uint32_t a = c.ref(op.getTile()), dst = c.ref(op.getResult());
  Inst &inst = c.emit(bitcast, op);
  inst.a = a;
  inst.dst = dst;
  inst.flag = from.getElementTypeBitWidth() < to.getElementTypeBitWidth();
  inst.imm =
      std::min(from.getElementTypeBitWidth(), to.getElementTypeBitWidth());
  inst.table = c.p.registerLists.size();
  for (const std::vector<int64_t> &part : op.getParts()) {
    c.p.registerLists.emplace_back(part.begin(), part.end());
    ++inst.count;
  }
}

static void compileExtract(Compiler &c, ExtractOp op) {
  RankedTensorType from = op.getTile().getType(), to = op.getType();
  if (!c.tileTable(op, from) || !c.tileTable(op, to))
    return;
  auto slice = getTileLayout(from)->slice(
      {op.getOffsets().begin(), op.getOffsets().end()},
      {to.getShape().begin(), to.getShape().end()});
  if (!slice)
    return c.problem(op, Code::LayoutSlice, slice.problem().message);
  uint32_t a = c.ref(op.getTile()), dst = c.ref(op.getResult());
  Inst &inst = c.emit(extract, op);
  inst.a = a;
  inst.dst = dst;
  inst.table = c.p.registerLists.size();
  c.p.registerLists.emplace_back(slice->registers.begin(),
                                 slice->registers.end());
}

static void compileReduce(Compiler &c, ReduceOp op) {
  const TileTable *t = c.tileTable(op, op.getTile().getType());
  auto type = c.elementType(op, op.getType());
  if (!t || !type)
    return;
  // Every row must lie in one warp.
  int64_t columns = t->shape.back();
  std::map<int64_t, uint32_t> warpOf;
  for (size_t i = 0; i < t->element.size(); ++i) {
    uint32_t warp = i / t->perWarp();
    auto [entry, isNew] = warpOf.try_emplace(t->element[i] / columns, warp);
    if (!isNew && entry->second != warp && t->owner[i])
      return c.problem(op, Code::LayoutMismatch,
                       "a row of the tile lies in several warps: reduce works "
                       "within a warp");
  }
  uint32_t a = c.ref(op.getTile()), dst = c.ref(op.getResult());
  const TileTable *row = c.tileTable(op, op.getType());
  if (!row)
    return;
  Inst &inst = c.emit(reduce, op);
  inst.target = c.indexOf(row);
  inst.flag = op.getType() != op.getTile().getType();
  inst.kind = static_cast<uint8_t>(op.getKind());
  inst.type = *type;
  inst.a = a;
  inst.dst = dst;
  inst.table = c.indexOf(t);
}

void titan::sim::registerTiles(ExecutionTable &table) {
  table.add<SplatOp>([](Compiler &c, SplatOp op) {
    const TileTable *t = c.tileTable(op, op.getType());
    if (!t)
      return;
    uint32_t a = c.scalar(op.getValue()), dst = c.ref(op.getResult());
    Inst &inst = c.emit(splat, op);
    inst.a = a;
    inst.dst = dst;
    inst.imm = t->perWarp();
  });
  table.add<UnsplatOp>([](Compiler &c, UnsplatOp op) {
    if (!c.tileTable(op, op.getTile().getType()))
      return;
    uint32_t a = c.ref(op.getTile()), dst = c.scalar(op.getResult());
    Inst &inst = c.emit(unsplat, op);
    inst.a = a;
    inst.dst = dst;
  });
  table.add<CoordinateOp>([](Compiler &c, CoordinateOp op) {
    const TileTable *t = c.tileTable(op, op.getType());
    if (!t)
      return;
    uint32_t dst = c.ref(op.getResult());
    Inst &inst = c.emit(coordinate, op);
    inst.dst = dst;
    inst.imm = op.getDimension();
    inst.table = c.indexOf(t);
  });
  table.add<TileBitcastOp>(compileBitcast);
  table.add<ExtractOp>(compileExtract);
  table.add<ReduceOp>(compileReduce);
  table.add<AnyOp>([](Compiler &c, AnyOp op) {
    if (!c.tileTable(op, op.getTile().getType()))
      return;
    uint32_t a = c.ref(op.getTile()), dst = c.scalar(op.getResult());
    Inst &inst = c.emit(vote, op);
    inst.a = a;
    inst.dst = dst;
  });
  table.add<BroadcastOp>([](Compiler &c, BroadcastOp op) {
    const TileTable *from = c.tileTable(op, op.getTile().getType()),
                    *to = c.tileTable(op, op.getType());
    if (!from || !to)
      return;
    uint32_t a = c.ref(op.getTile()), dst = c.ref(op.getResult());
    Inst &inst = c.emit(broadcast, op);
    inst.a = a;
    inst.dst = dst;
    inst.table = c.indexOf(to);
    inst.target = c.indexOf(from);
  });
}
