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
// are computed as it is.
//
//===----------------------------------------------------------------------===//
#include "Agent.h"

using namespace mlir;
using namespace titan::tt;

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
      if (a.undefined.data()[z * m * k + i])
        std::memset(d.makeMarks() + (z * m + i / k) * n, 1, n);
    for (int64_t i = 0; b.undefined && i < k * n; ++i)
      if (b.undefined.data()[z * k * n + i])
        for (int64_t row = 0; row < m; ++row)
          d.makeMarks()[(z * m + row) * n + i % n] = 1;
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

static void dot(Agent &agent, const Step &step) {
  auto op = cast<DotOp>(step.op);
  ArrayRef<int64_t> left = shapeOf(op.getA().getType()),
                    right = shapeOf(op.getB().getType());
  const size_t rank = left.size();
  const int64_t batch = rank == 3 ? left[0] : 1, m = left[rank - 2],
                k = left[rank - 1], n = right[rank - 1];
  Tile &a = agent.in(step, 0), &b = agent.in(step, 1), &c = agent.in(step, 2);
  Tile &d = agent.make(step);

  auto run = [&](auto zero, Buffer x, Buffer y, Buffer sum) {
    using T = decltype(zero);
    for (int64_t z = 0; z < batch; ++z)
      multiply(reinterpret_cast<const T *>(x.data()) + z * m * k,
               reinterpret_cast<const T *>(y.data()) + z * k * n,
               reinterpret_cast<T *>(sum.data()) + z * m * n, m, n, k);
    return sum;
  };
  if (!isFloat(d.kind)) {
    Buffer sum = run(int32_t(), convertTo<int32_t>(a), convertTo<int32_t>(b),
                     convertTo<int32_t>(c));
    for (int64_t i = 0; i < d.count; ++i)
      d.setInteger(i, reinterpret_cast<int32_t *>(sum.data())[i]);
  } else if (d.kind == Kind::F64) {
    d.bytes = run(double(), convertTo<double>(a), convertTo<double>(b),
                  convertTo<double>(c));
  } else {
    bool tf32 =
        a.kind == Kind::F32 && op.getInputPrecision() == InputPrecision::TF32;
    Buffer sum = run(float(), toF32(a, tf32), toF32(b, tf32), toF32(c, false));
    narrow(reinterpret_cast<float *>(sum.data()), d);
  }
  d.undefined = Buffer();
  if (c.undefined) {
    std::memcpy(d.makeMarks(), c.undefined.data(), d.count);
  }
  if (a.undefined || b.undefined)
    markProduct(a, b, d, batch, m, n, k);
}

void titan::tt::addProducts(Table &table) { table["tt.dot"] = dot; }
