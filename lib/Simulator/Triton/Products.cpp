//===- Products.cpp - matrix products -------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of f16, bf16 and 8-bit floats are exact in f32, and summed in f32 in
// the order of K. tf32 drops the low 13 bits of its operands, as tensor cores do;
// tf32x3, bf16x3 and bf16x6 sum products of parts and come so near to f32 that they
// are computed as it is. Scaled operands are exact in f32 where the scale is.
//
//===----------------------------------------------------------------------===//
#include "Agent.h"

#include <cmath>

using namespace mlir;
using namespace titan::tt;
using titan::Code, titan::Finding;

/// d[m, n] += a[m, k] b[k, n].
template <typename T>
static void multiply(const T *a, const T *b, T *d, int64_t m, int64_t n,
                     int64_t k) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t l = 0; l < k; ++l) {
      const T x = a[i * k + l];
      const T *row = b + l * n;
      T *sum = d + i * n;
      for (int64_t j = 0; j < n; ++j)
        sum[j] += x * row[j];
    }
}

/// What an undefined operand makes undefined: its row, its column.
static void markProduct(const Tile &a, const Tile &b, Tile &d, int64_t batch,
                        int64_t m, int64_t n, int64_t k) {
  for (int64_t z = 0; z < batch; ++z) {
    for (int64_t i = 0; a.undefined && i < m * k; ++i)
      if (uint8_t mark = a.undefined.data()[z * m * k + i])
        std::memset(d.makeMarks() + (z * m + i / k) * n, mark, n);
    for (int64_t i = 0; b.undefined && i < k * n; ++i)
      if (uint8_t mark = b.undefined.data()[z * k * n + i])
        for (int64_t row = 0; row < m; ++row)
          d.makeMarks()[(z * m + row) * n + i % n] |= mark;
  }
}

template <typename T> static Buffer convertTo(const Tile &tile) {
  Buffer buffer(tile.count * sizeof(T));
  T *to = reinterpret_cast<T *>(buffer.data());
  for (int64_t i = 0; i < tile.count; ++i)
    to[i] = isFloat(tile.kind) ? static_cast<T>(tile.getFloat(i))
                               : static_cast<T>(tile.getInteger(i));
  return buffer;
}

static Buffer toF32(const Tile &tile, bool tf32) {
  Buffer buffer(tile.count * sizeof(float));
  auto *to = reinterpret_cast<uint32_t *>(buffer.data());
  widen(tile, reinterpret_cast<float *>(to));
  for (int64_t i = 0; tf32 && i < tile.count; ++i)
    to[i] &= 0xFFFFE000;
  return buffer;
}

/// The marks of a product: the accumulator's, and those of what was multiplied.
static void mark(const Tile &a, const Tile &b, const Tile &c, Tile &d,
                 int64_t batch, int64_t m, int64_t n, int64_t k) {
  d.undefined = Buffer();
  if (c.undefined)
    std::memcpy(d.makeMarks(), c.undefined.data(), d.count);
  if (a.undefined || b.undefined)
    markProduct(a, b, d, batch, m, n, k);
}

template <typename T>
static Buffer multiplyAll(Buffer x, Buffer y, Buffer sum, int64_t batch,
                          int64_t m, int64_t n, int64_t k) {
  for (int64_t z = 0; z < batch; ++z)
    multiply(reinterpret_cast<const T *>(x.data()) + z * m * k,
             reinterpret_cast<const T *>(y.data()) + z * k * n,
             reinterpret_cast<T *>(sum.data()) + z * m * n, m, n, k);
  return sum;
}

static void dot(Agent &agent, const Step &step) {
  auto op = cast<DotOp>(step.op);
  ArrayRef<int64_t> left = shapeOf(op.getA().getType()),
                    right = shapeOf(op.getB().getType());
  const size_t rank = left.size();
  const int64_t batch = rank == 3 ? left[0] : 1, m = left[rank - 2],
                k = left[rank - 1], n = right[rank - 1];
  Tile &a = agent.in(step, 0), &b = agent.in(step, 1), &c = agent.in(step, 2);
  Tile &d = agent.make(step);
  if (!isFloat(d.kind)) {
    Buffer sum =
        multiplyAll<int32_t>(convertTo<int32_t>(a), convertTo<int32_t>(b),
                             convertTo<int32_t>(c), batch, m, n, k);
    for (int64_t i = 0; i < d.count; ++i)
      d.setInteger(i, reinterpret_cast<int32_t *>(sum.data())[i]);
  } else if (d.kind == Kind::F64) {
    d.bytes = multiplyAll<double>(convertTo<double>(a), convertTo<double>(b),
                                  convertTo<double>(c), batch, m, n, k);
  } else {
    bool tf32 =
        a.kind == Kind::F32 && op.getInputPrecision() == InputPrecision::TF32;
    Buffer sum = multiplyAll<float>(toF32(a, tf32), toF32(b, tf32),
                                    toF32(c, false), batch, m, n, k);
    narrow(reinterpret_cast<float *>(sum.data()), d);
  }
  mark(a, b, c, d, batch, m, n, k);
}

/// A 4-bit float: a sign, two bits of exponent, one of mantissa.
static float decodeE2M1(uint8_t bits) {
  constexpr float values[] = {0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f};
  return bits & 8 ? -values[bits & 7] : values[bits & 7];
}

/// Two elements of each byte, the low one first, along rows (K of a, or N of b)
/// or along columns; marks likewise.
static Tile unpack(const Tile &packed, int64_t rows, int64_t columns,
                   bool alongColumns) {
  Tile out(Kind::F32, 2 * packed.count);
  for (int64_t i = 0; i < packed.count; ++i) {
    int64_t row = i / columns, column = i % columns;
    for (int64_t half : {0, 1}) {
      int64_t at = alongColumns ? (2 * row + half) * columns + column
                                : row * 2 * columns + 2 * column + half;
      out.as<float>()[at] =
          decodeE2M1(packed.as<uint8_t>()[i] >> (4 * half) & 15);
      if (packed.isUndefined(i))
        out.makeMarks()[at] = packed.mark(i);
    }
  }
  return out;
}

/// The operand in f32: unpacked, and by its scales. `isLeft`: rows are M and
/// columns K, else rows are K and columns N; scales are [M or N, K / 32].
static Tile scaleOperand(Agent &agent, const Step &step, Value value,
                         const Tile &given, Value scaleValue, const Tile *scale,
                         ScaleDotElemType kind, bool alongK, bool isLeft) {
  if (kind == ScaleDotElemType::E2M3 || kind == ScaleDotElemType::E3M2)
    agent.fail(step, Code::NotSupportedYet,
               "operands of 6 bits are not simulated",
               "docs/triton.md lists what is simulated");
  ArrayRef<int64_t> shape = shapeOf(value.getType());
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  Tile out;
  if (kind == ScaleDotElemType::E2M1) {
    const bool down = isLeft ? !alongK : alongK;
    const int64_t all = given.count / columns;
    out = unpack(given, all, columns, down);
    (down ? rows : columns) *= 2;
  } else {
    out = Tile(Kind::F32, given.count);
    widen(given, out.as<float>());
    out.undefined = given.undefined;
  }
  if (!scale)
    return out;
  ArrayRef<int64_t> scales = shapeOf(scaleValue.getType());
  const int64_t k = isLeft ? columns : rows, groups = scales.back();
  for (int64_t i = 0; i < out.count; ++i) {
    const int64_t z = i / (rows * columns), row = i / columns % rows,
                  column = i % columns;
    const int64_t of = isLeft ? row : column, at = isLeft ? column : row;
    const int64_t from =
        scale->count == 1
            ? 0
            : (z * (isLeft ? rows : columns) + of) * groups + at / (k / groups);
    const float by = isFloat(scale->kind)
                         ? static_cast<float>(scale->getFloat(from))
                     : scale->as<uint8_t>()[from] == 255
                         ? std::numeric_limits<float>::quiet_NaN()
                         : std::ldexp(1.0f, scale->as<uint8_t>()[from] - 127);
    out.as<float>()[i] *= by;
    if (scale->isUndefined(from))
      out.makeMarks()[i] |= scale->mark(from);
  }
  return out;
}

static void dotScaled(Agent &agent, const Step &step) {
  auto op = cast<DotScaledOp>(step.op);
  const Tile *scaleA = op.getAScale() ? &agent.in(step, 3) : nullptr,
             *scaleB =
                 op.getBScale() ? &agent.in(step, scaleA ? 4 : 3) : nullptr;
  Tile a =
      scaleOperand(agent, step, op.getA(), agent.in(step, 0), op.getAScale(),
                   scaleA, op.getAElemType(), op.getLhsKPack(), true);
  Tile b =
      scaleOperand(agent, step, op.getB(), agent.in(step, 1), op.getBScale(),
                   scaleB, op.getBElemType(), op.getRhsKPack(), false);
  Tile c = agent.in(step, 2);
  ArrayRef<int64_t> shape = shapeOf(op.getType());
  const int64_t m = shape[shape.size() - 2], n = shape.back();
  const int64_t batch = c.count / (m * n), k = a.count / (batch * m);
  Tile &d = agent.make(step);
  Buffer sum =
      multiplyAll<float>(a.bytes, b.bytes, toF32(c, false), batch, m, n, k);
  narrow(reinterpret_cast<float *>(sum.data()), d);
  mark(a, b, c, d, batch, m, n, k);
}

void titan::tt::addProducts(Table &table) {
  table["tt.dot"] = dot;
  table["tt.dot_scaled"] = dotScaled;
}
