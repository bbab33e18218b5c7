//===- Shapes.cpp - tensors of other shapes -------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Agent.h"

#include <array>

using namespace mlir;
using namespace titan::tt;
using titan::Code, titan::Finding;

/// out[i] = in[from(i)], marks included.
template <typename From>
static void pick(const Tile &in, Tile &out, int64_t first, int64_t count,
                 From from) {
  auto copy = [&](auto zero) {
    using T = decltype(zero);
    const T *x = in.as<T>();
    T *z = out.as<T>();
    for (int64_t i = 0; i < count; ++i)
      z[first + i] = x[from(i)];
  };
  switch (bytesOf(out.kind)) {
  case 1:
    copy(uint8_t());
    break;
  case 2:
    copy(uint16_t());
    break;
  case 4:
    copy(uint32_t());
    break;
  default:
    copy(uint64_t());
  }
  if (!in.undefined)
    return;
  uint8_t *marks = out.makeMarks();
  for (int64_t i = 0; i < count; ++i)
    marks[first + i] = in.undefined.data()[from(i)];
}

static void makeRange(Agent &agent, const Step &step) {
  int32_t start = cast<MakeRangeOp>(step.op).getStartAttr().getInt();
  Tile &out = agent.make(step);
  for (int64_t i = 0; i < out.count; ++i)
    out.as<int32_t>()[i] = start + i;
}

static void splat(Agent &agent, const Step &step) {
  Tile in = agent.in(step);
  Tile &out = agent.make(step);
  pick(in, out, 0, out.count, [](int64_t) { return 0; });
}

/// The same elements: reshape, expand_dims, unsplat.
static void view(Agent &agent, const Step &step) {
  agent.out(step) = agent.in(step);
}

/// The elements of the result in order, each from a place of the source that
/// moves by a stride along each dimension.
static void stride(Agent &agent, const Step &step, ArrayRef<int64_t> shape,
                   ArrayRef<int64_t> strides) {
  Tile &in = agent.in(step);
  Tile &out = agent.make(step);
  int64_t width = shape.empty() ? 1 : shape.back();
  int64_t by = strides.empty() ? 0 : strides.back();
  SmallVector<int64_t, 4> index(shape.size(), 0);
  for (int64_t first = 0; first < out.count; first += width) {
    int64_t at = 0;
    for (size_t d = 0; d + 1 < shape.size(); ++d)
      at += index[d] * strides[d];
    pick(in, out, first, width, [=](int64_t i) { return at + i * by; });
    for (int64_t d = static_cast<int64_t>(shape.size()) - 2;
         d >= 0 && ++index[d] == shape[d]; --d)
      index[d] = 0;
  }
}

static SmallVector<int64_t> rowMajor(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t d = static_cast<int64_t>(shape.size()) - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * shape[d + 1];
  return strides;
}

static void broadcast(Agent &agent, const Step &step) {
  ArrayRef<int64_t> from = shapeOf(step.op->getOperand(0).getType()),
                    to = shapeOf(step.op->getResult(0).getType());
  SmallVector<int64_t> strides = rowMajor(from);
  for (size_t d = 0; d < from.size(); ++d)
    if (from[d] != to[d])
      strides[d] = 0;
  stride(agent, step, to, strides);
}

static void transpose(Agent &agent, const Step &step) {
  auto op = cast<TransOp>(step.op);
  SmallVector<int64_t> strides = rowMajor(shapeOf(op.getSrc().getType())), to;
  for (int32_t from : op.getOrder())
    to.push_back(strides[from]);
  stride(agent, step, shapeOf(op.getType()), to);
}

static void concatenate(Agent &agent, const Step &step) {
  Tile &a = agent.in(step, 0), &b = agent.in(step, 1);
  Tile &out = agent.make(step);
  auto same = [](int64_t i) { return i; };
  pick(a, out, 0, a.count, same);
  pick(b, out, a.count, b.count, same);
}

static void join(Agent &agent, const Step &step) {
  Tile &a = agent.in(step, 0), &b = agent.in(step, 1);
  Tile &out = agent.make(step);
  for (int64_t i = 0; i < a.count; ++i) {
    pick(a, out, 2 * i, 1, [=](int64_t) { return i; });
    pick(b, out, 2 * i + 1, 1, [=](int64_t) { return i; });
  }
}

static void split(Agent &agent, const Step &step) {
  Tile &in = agent.in(step);
  for (int64_t half : {0, 1}) {
    Tile out(step.kind, step.count);
    pick(in, out, 0, step.count, [=](int64_t i) { return 2 * i + half; });
    agent.out(step, half) = std::move(out);
  }
}

static void gather(Agent &agent, const Step &step) {
  auto op = cast<GatherOp>(step.op);
  ArrayRef<int64_t> from = shapeOf(op.getSrc().getType()),
                    to = shapeOf(op.getType());
  const int64_t axis = op.getAxisAttr().getInt();
  SmallVector<int64_t> strides = rowMajor(from);
  Tile &in = agent.in(step, 0), &indices = agent.in(step, 1);
  Tile &out = agent.make(step);
  SmallVector<int64_t, 4> index(to.size(), 0);
  for (int64_t i = 0; i < out.count; ++i) {
    int64_t at = 0;
    for (size_t d = 0; d < to.size(); ++d)
      at += (static_cast<int64_t>(d) == axis ? 0 : index[d]) * strides[d];
    int64_t chosen = indices.getInteger(i);
    if (indices.isUndefined(i)) {
      chosen = 0;
      out.makeMarks()[i] = indices.mark(i);
    } else if (chosen < 0 || chosen >= from[axis]) {
      agent.fail(step, Code::OutOfBounds,
                 "index " + std::to_string(chosen) + " at " +
                     indexText(op.getType(), i) + " of a dimension of size " +
                     std::to_string(from[axis]),
                 "gather only what the source has");
    }
    uint8_t marked = indices.mark(i);
    at += chosen * strides[axis];
    pick(in, out, i, 1, [=](int64_t) { return at; });
    if (marked)
      out.makeMarks()[i] |= marked;
    for (int64_t d = static_cast<int64_t>(to.size()) - 1;
         d >= 0 && ++index[d] == to[d]; --d)
      index[d] = 0;
  }
}

static void histogram(Agent &agent, const Step &step) {
  Tile &in = agent.in(step, 0);
  Tile *mask = step.in.size() > 1 ? &agent.in(step, 1) : nullptr;
  Tile &out = agent.make(step);
  std::memset(out.bytes.data(), 0, out.count * bytesOf(out.kind));
  for (int64_t i = 0; i < in.count; ++i) {
    if (mask && !mask->isUndefined(i) && !mask->getInteger(i))
      continue;
    int64_t bin = in.getInteger(i);
    if (in.isUndefined(i) || (mask && mask->isUndefined(i)))
      agent.fail(step, Code::UndefinedRead,
                 "element " + indexText(step.op->getOperand(0).getType(), i) +
                     " of the histogram is undefined: " +
                     causeText(in.mark(i) | (mask ? mask->mark(i) : 0)),
                 "mask it");
    if (bin < 0 || bin >= out.count)
      agent.fail(step, Code::OutOfBounds,
                 std::to_string(bin) + " lies in none of the " +
                     std::to_string(out.count) + " bins",
                 "mask what lies outside, or take more bins");
    out.setInteger(bin, out.getInteger(bin) + 1);
  }
}

void titan::tt::addShapes(Table &table) {
  table["tt.make_range"] = makeRange;
  table["tt.splat"] = splat;
  for (StringRef name : {"tt.reshape", "tt.expand_dims", "tt.unsplat"})
    table[name] = view;
  table["tt.broadcast"] = broadcast;
  table["tt.trans"] = transpose;
  table["tt.cat"] = concatenate;
  table["tt.join"] = join;
  table["tt.split"] = split;
  table["tt.gather"] = gather;
  table["tt.histogram"] = histogram;
}
