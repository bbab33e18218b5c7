//===- Conversions.cpp - conversions between kinds of elements ------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Agent.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace titan::tt;

/// Integers to integers: `isSigned` extends the sign.
template <bool isSigned> static void resize(Agent &agent, const Step &step) {
  Tile &in = agent.in(step);
  Tile &out = agent.make(step);
  const uint64_t mask = llvm::maskTrailingOnes<uint64_t>(bitsOf(in.kind));
  for (int64_t i = 0; i < out.count; ++i) {
    int64_t value = in.getInteger(i);
    if (in.kind == Kind::I1 && isSigned)
      value = -value;
    out.setInteger(i, isSigned ? value : static_cast<int64_t>(value & mask));
  }
  joinMarks(agent, step);
}

template <bool isSigned> static void toFloat(Agent &agent, const Step &step) {
  Tile &in = agent.in(step);
  Tile &out = agent.make(step);
  const uint64_t mask = llvm::maskTrailingOnes<uint64_t>(bitsOf(in.kind));
  for (int64_t i = 0; i < out.count; ++i) {
    int64_t value = in.getInteger(i);
    if (isSigned && in.kind == Kind::I1)
      value = -value;
    uint64_t bits = static_cast<uint64_t>(value) & mask;
    if (out.kind == Kind::F32) // Rounded once.
      out.as<float>()[i] =
          isSigned ? static_cast<float>(value) : static_cast<float>(bits);
    else
      out.setFloat(i, isSigned ? static_cast<double>(value)
                               : static_cast<double>(bits));
  }
  joinMarks(agent, step);
}

/// cvt.rzi: towards zero, out of range to the nearest, NaN to 0.
template <bool isSigned> static void toInteger(Agent &agent, const Step &step) {
  Tile &in = agent.in(step);
  Tile &out = agent.make(step);
  const unsigned bits = bitsOf(out.kind);
  const double low = isSigned ? -std::ldexp(1.0, bits - 1) : 0.0;
  const double high = std::ldexp(1.0, isSigned ? bits - 1 : bits);
  for (int64_t i = 0; i < out.count; ++i) {
    double value = std::trunc(in.getFloat(i));
    uint64_t result;
    if (std::isnan(value))
      result = 0;
    else if (value < low)
      result = isSigned ? uint64_t{1} << (bits - 1) : 0;
    else if (value >= high)
      result = llvm::maskTrailingOnes<uint64_t>(isSigned ? bits - 1 : bits);
    else
      result = isSigned ? static_cast<uint64_t>(static_cast<int64_t>(value))
                        : static_cast<uint64_t>(value);
    out.setInteger(i, static_cast<int64_t>(result));
  }
  joinMarks(agent, step);
}

/// The neighbour towards zero where rounding went away from it.
static void chop(Tile &out, int64_t i, double exact) {
  if (std::isnan(exact) || std::fabs(out.getFloat(i)) <= std::fabs(exact))
    return;
  withInteger(bytesOf(out.kind) == 1   ? Kind::I8
              : bytesOf(out.kind) == 2 ? Kind::I16
                                       : Kind::I32,
              [&](auto zero) { --out.as<decltype(zero)>()[i]; });
}

static void convert(Agent &agent, const Step &step) {
  Tile &in = agent.in(step);
  Tile &out = agent.make(step);
  bool towardZero = false;
  if (auto op = dyn_cast<FpToFpOp>(step.op))
    towardZero = op.getRounding() == RoundingMode::TowardZero;
  if (!towardZero && in.kind != Kind::F64 && out.kind != Kind::F64) {
    Buffer wide(in.count * sizeof(float));
    auto *values = reinterpret_cast<float *>(wide.data());
    widen(in, values);
    narrow(values, out);
  } else {
    for (int64_t i = 0; i < out.count; ++i) {
      double value = in.getFloat(i);
      out.setFloat(i, value);
      if (towardZero)
        chop(out, i, value);
    }
  }
  joinMarks(agent, step);
}

static void bitcast(Agent &agent, const Step &step) {
  Tile tile = agent.in(step);
  tile.kind = step.kind;
  agent.out(step) = std::move(tile);
}

static void addressOf(Agent &agent, const Step &step) {
  Tile &in = agent.in(step);
  Tile &out = agent.make(step);
  for (int64_t i = 0; i < out.count; ++i)
    out.setInteger(i, static_cast<int64_t>(agent.world.memory->getAddress(
                          static_cast<uint64_t>(in.getInteger(i)))));
  joinMarks(agent, step);
}

void titan::tt::addConversions(Table &table) {
  table["arith.extsi"] = resize<true>;
  table["arith.extui"] = resize<false>;
  table["arith.trunci"] = resize<false>;
  table["arith.index_cast"] = resize<true>;
  table["arith.sitofp"] = toFloat<true>;
  table["arith.uitofp"] = toFloat<false>;
  table["arith.fptosi"] = toInteger<true>;
  table["arith.fptoui"] = toInteger<false>;
  table["arith.extf"] = convert;
  table["arith.truncf"] = convert;
  table["tt.fp_to_fp"] = convert;
  table["arith.bitcast"] = bitcast;
  table["tt.bitcast"] = bitcast;
  table["tt.int_to_ptr"] = bitcast;
  table["tt.ptr_to_int"] = addressOf;
}
