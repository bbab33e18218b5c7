//===- Regions.cpp - reduce, scan, map_elementwise ------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A region of scalars that has one path is run for many elements at once: its
// operations do not know how many. A reduction folds the upper half of its axis
// onto the lower one until one is left; a scan combines what lies 1, 2, 4, ... apart.
//
//===----------------------------------------------------------------------===//
#include "Agent.h"

using namespace mlir;
using namespace titan::tt;

namespace {
/// A tensor as [outer, size, inner] around an axis.
struct Along {
  int64_t outer = 1, size = 1, inner = 1;
  Along(Type type, int64_t axis) {
    for (auto [d, extent] : llvm::enumerate(shapeOf(type)))
      (static_cast<int64_t>(d) < axis   ? outer
       : static_cast<int64_t>(d) > axis ? inner
                                        : size) *= extent;
  }
};
} // namespace

/// Elements [from, from + count) of the axis, as a tile of their own, and back.
static Tile take(const Tile &in, const Along &axis, int64_t from,
                 int64_t count) {
  Tile out(in.kind, axis.outer * count * axis.inner);
  auto copy = [&](const uint8_t *source, uint8_t *target, size_t size) {
    for (int64_t o = 0; o < axis.outer; ++o)
      std::memcpy(target + o * count * axis.inner * size,
                  source + (o * axis.size + from) * axis.inner * size,
                  count * axis.inner * size);
  };
  copy(in.bytes.data(), out.bytes.data(), bytesOf(in.kind));
  if (in.undefined)
    copy(in.undefined.data(), out.makeMarks(), 1);
  return out;
}

static void put(const Tile &in, Tile &out, const Along &axis, int64_t from,
                int64_t count) {
  auto copy = [&](const uint8_t *source, uint8_t *target, size_t size) {
    for (int64_t o = 0; o < axis.outer; ++o)
      std::memcpy(target + (o * axis.size + from) * axis.inner * size,
                  source + o * count * axis.inner * size,
                  count * axis.inner * size);
  };
  copy(in.bytes.data(), out.bytes.data(), bytesOf(in.kind));
  if (in.undefined)
    copy(in.undefined.data(), out.makeMarks(), 1);
  else if (out.undefined) {
    Buffer none(in.count);
    std::memset(none.data(), 0, in.count);
    copy(none.data(), out.undefined.data(), 1);
  }
}

/// Element i of each tile, or all of them repeated.
static Tile element(const Tile &in, int64_t i, int64_t times = 1) {
  Tile out(in.kind, times);
  const size_t size = bytesOf(in.kind);
  for (int64_t k = 0; k < times; ++k)
    std::memcpy(out.bytes.data() + k * size, in.bytes.data() + i * size, size);
  if (in.isUndefined(i))
    std::memset(out.makeMarks(), in.mark(i), times);
  return out;
}

/// What the region makes of `count` elements of each argument.
static std::vector<Tile> apply(Agent &agent, const Step &step,
                               std::vector<Tile> arguments, int64_t count) {
  const Body &body = *step.bodies[0];
  if (body.straight) {
    std::vector<Tile> outside;
    for (uint32_t slot : body.captured) {
      outside.push_back(agent[slot]);
      agent[slot] = element(outside.back(), 0, count);
    }
    int64_t lanes = std::exchange(agent.lanes, count);
    agent.run(body, arguments);
    agent.lanes = lanes;
    for (auto [slot, tile] : llvm::zip(body.captured, outside))
      agent[slot] = std::move(tile);
    return std::move(agent.yielded);
  }
  std::vector<Tile> results;
  for (int64_t i = 0; i < count; ++i) {
    std::vector<Tile> one;
    for (const Tile &argument : arguments)
      one.push_back(element(argument, i));
    agent.run(body, one);
    for (auto [k, value] : llvm::enumerate(agent.yielded)) {
      if (i == 0)
        results.emplace_back(value.kind, count);
      std::memcpy(results[k].bytes.data() + i * bytesOf(value.kind),
                  value.bytes.data(), bytesOf(value.kind));
      if (value.isUndefined(0))
        results[k].makeMarks()[i] = value.mark(0);
    }
  }
  return results;
}

static void reduce(Agent &agent, const Step &step) {
  auto op = cast<ReduceOp>(step.op);
  const int64_t number = op.getAxisAttr().getInt();
  std::vector<Tile> tiles;
  for (uint32_t slot : step.in)
    tiles.push_back(agent[slot]);
  Along axis(op.getSrcs()[0].getType(), number);
  while (axis.size > 1) {
    int64_t half = axis.size / 2;
    std::vector<Tile> arguments;
    for (int64_t from : {int64_t{0}, half})
      for (const Tile &tile : tiles)
        arguments.push_back(take(tile, axis, from, half));
    tiles = apply(agent, step, std::move(arguments),
                  axis.outer * half * axis.inner);
    axis.size = half;
  }
  for (auto [slot, tile] : llvm::zip(step.out, tiles))
    agent[slot] = std::move(tile);
}

static void scan(Agent &agent, const Step &step) {
  auto op = cast<ScanOp>(step.op);
  Along axis(op.getSrcs()[0].getType(), op.getAxisAttr().getInt());
  const bool reverse = op.getReverse();
  std::vector<Tile> tiles;
  for (uint32_t slot : step.in)
    tiles.push_back(take(agent[slot], axis, 0, axis.size)); // Own bytes.
  for (int64_t by = 1; by < axis.size; by *= 2) {
    int64_t count = axis.size - by;
    std::vector<Tile> arguments;
    // Earlier elements (reverse: later ones), then the element itself.
    for (bool self : {false, true})
      for (const Tile &tile : tiles)
        arguments.push_back(take(tile, axis, self != reverse ? by : 0, count));
    std::vector<Tile> results = apply(agent, step, std::move(arguments),
                                      axis.outer * count * axis.inner);
    for (auto [tile, result] : llvm::zip(tiles, results))
      put(result, tile, axis, reverse ? 0 : by, count);
  }
  for (auto [slot, tile] : llvm::zip(step.out, tiles))
    agent[slot] = std::move(tile);
}

static void mapElementwise(Agent &agent, const Step &step) {
  auto op = cast<MapElementwiseOp>(step.op);
  const int64_t pack = op.getPackAttr().getInt();
  const int64_t count = agent.in(step).count / pack;
  // Element p of each pack is argument p.
  std::vector<Tile> arguments;
  for (uint32_t slot : step.in)
    for (int64_t p = 0; p < pack; ++p) {
      Along axis(op.getSrcs()[0].getType(), 0);
      axis.outer = count, axis.size = pack, axis.inner = 1;
      arguments.push_back(take(agent[slot], axis, p, 1));
    }
  std::vector<Tile> results = apply(agent, step, std::move(arguments), count);
  for (auto [r, slot] : llvm::enumerate(step.out)) {
    Tile out(results[r * pack].kind, count * pack);
    Along axis(op.getSrcs()[0].getType(), 0);
    axis.outer = count, axis.size = pack, axis.inner = 1;
    for (int64_t p = 0; p < pack; ++p)
      put(results[r * pack + p], out, axis, p, 1);
    agent[slot] = std::move(out);
  }
}

void titan::tt::addRegions(Table &table) {
  table["tt.reduce"] = reduce;
  table["tt.scan"] = scan;
  table["tt.map_elementwise"] = mapElementwise;
}
