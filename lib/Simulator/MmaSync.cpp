//===- MmaSync.cpp - products of warps ------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Dialect/Titan/Products.h"
#include "titan/Simulator/ExecutionTable.h"

using namespace mlir;
using namespace titan;
using namespace titan::sim;

/// The warp's part of a matrix, [line * K + k], lines numbered by `number` in the
/// order in which they first come.
static std::vector<uint32_t>
gather(Agent &agent, const TileTable &table, const Tile &tile,
       llvm::DenseMap<uint32_t, uint32_t> &number) {
  const uint32_t *element =
      &table.element[size_t(agent.regionWarp % table.warps) * table.perWarp()];
  uint32_t k = table.shape[1];
  std::vector<uint32_t> lines(tile.data.size()), matrix(tile.data.size());
  for (uint32_t i = 0; i < table.perWarp(); ++i)
    lines[i] = number.try_emplace(element[i] / k, number.size()).first->second;
  for (uint32_t i = 0; i < table.perWarp(); ++i)
    matrix[size_t(lines[i]) * k + element[i] % k] = tile.data[i];
  return matrix;
}

static Step mmaSync(Agent &agent, const Inst &inst) {
  if (!agent.wholeWarp(inst))
    return Step::Failed;
  const Tile *a = agent.tile(inst.a), *b = agent.tile(inst.b),
             *c = agent.tile(inst.c);
  for (const Tile *tile : {a, b, c})
    if (!agent.usePoison(inst, tile))
      return Step::Failed;
  const TileTable &tableA = *agent.program.tiles[inst.table],
                  &tableB = *agent.program.tiles[inst.target],
                  &tableC = *agent.program.tiles[inst.imm];
  llvm::DenseMap<uint32_t, uint32_t> rows, columns;
  std::vector<uint32_t> left = gather(agent, tableA, *a, rows),
                        right = gather(agent, tableB, *b, columns);
  std::vector<uint32_t> sums(rows.size() * columns.size()),
      place(c->data.size());
  const uint32_t *element =
      &tableC
           .element[size_t(agent.regionWarp % tableC.warps) * tableC.perWarp()];
  uint32_t n = tableC.shape[1];
  for (uint32_t i = 0; i < tableC.perWarp(); ++i) {
    place[i] = rows.lookup(element[i] / n) * columns.size() +
               columns.lookup(element[i] % n);
    sums[place[i]] = c->data[i];
  }
  // As many instructions of the larger K as fit, and one of the smaller.
  MmaProduct how = getWarpProduct(inst.origin);
  int64_t k = tableA.shape[1], most = k / how.depth * how.depth;
  auto multiply = [&](int64_t begin, int64_t end) {
    auto part = [&](const std::vector<uint32_t> &from, size_t lines) {
      std::vector<uint32_t> some;
      for (size_t line = 0; line < lines; ++line)
        some.insert(some.end(), from.begin() + line * k + begin,
                    from.begin() + line * k + end);
      return some;
    };
    how.multiply(rows.size(), columns.size(), end - begin,
                 part(left, rows.size()).data(),
                 part(right, columns.size()).data(), sums.data());
  };
  if (most)
    multiply(0, most);
  if (most < k) {
    how.depth /= 2;
    multiply(most, k);
  }
  auto *result = new Tile(tableC.perWarp());
  for (uint32_t i = 0; i < tableC.perWarp(); ++i)
    result->data[i] = sums[place[i]];
  agent.refs[inst.dst] = result;
  return Step::Ran;
}

void titan::sim::registerMmaSync(ExecutionTable &table) {
  table.add<MmaSyncOp>([](Compiler &c, MmaSyncOp op) {
    const TileTable *tables[3];
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      if (!(tables[i] = c.tileTable(op, operand.getType())))
        return;
    Inst &inst = c.emit(mmaSync, op);
    inst.a = c.ref(op.getA());
    inst.b = c.ref(op.getB());
    inst.c = c.ref(op.getC());
    inst.dst = c.ref(op.getResult());
    inst.table = c.indexOf(tables[0]);
    inst.target = c.indexOf(tables[1]);
    inst.imm = c.indexOf(tables[2]);
  });
}
