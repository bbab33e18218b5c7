//===- Tile.cpp - the values that programs compute with -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Tile.h"

#include "titan/Runtime/DType.h"
#include "titan/Simulator/Numeric.h"

#include "llvm/Support/MathExtras.h"

#include <array>
#include <cstdlib>

using namespace mlir;
using namespace titan::tt;
namespace runtime = titan::runtime;
using titan::sim::bf16ToFloat, titan::sim::f16ToFloat, titan::sim::floatToBf16,
    titan::sim::floatToF16;

std::string titan::tt::causeText(uint8_t mark) {
  return mark & NoResult ? "it comes from a quotient or a shift that has no "
                           "result"
         : mark & Poison ? "it comes from ub.poison, a value that nothing gives"
                         : "it comes from masked lanes of a load without "
                           "`other`";
}

std::string titan::tt::causeFix(uint8_t mark) {
  return mark & NoResult
             ? "divide by no 0, nor the least number by -1; shift by "
               "less than the width"
         : mark & Poison ? "give it a value on every path"
                         : "give tl.load an `other`, or mask what is computed";
}

std::optional<Kind> titan::tt::kindOf(Type type) {
  if (isa<TensorDescType>(type))
    return Kind::Block;
  Type element = getElementTypeOrSelf(type);
  if (auto pointer = dyn_cast<PointerType>(element))
    return pointer.isBlock() ? Kind::Block : Kind::Ptr;
  if (element.isIndex())
    return Kind::I64;
  if (auto integer = dyn_cast<IntegerType>(element))
    switch (integer.getWidth()) {
    case 1:
      return Kind::I1;
    case 8:
      return Kind::I8;
    case 16:
      return Kind::I16;
    case 32:
      return Kind::I32;
    case 64:
      return Kind::I64;
    default:
      return std::nullopt;
    }
  if (isa<Float8E4M3FNType>(element))
    return Kind::F8E4M3FN;
  if (isa<Float8E5M2Type>(element))
    return Kind::F8E5M2;
  if (element.isF16())
    return Kind::F16;
  if (element.isBF16())
    return Kind::BF16;
  if (element.isF32())
    return Kind::F32;
  if (element.isF64())
    return Kind::F64;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

namespace {
/// Freed blocks of a thread by size, for the next tile of that size. A block
/// freed after the thread's pool is gone goes back to the system.
struct Pool {
  std::array<void *, 40> free = {};
  ~Pool();
};
} // namespace
static thread_local Pool pool;
static thread_local bool poolGone = false;

Pool::~Pool() {
  poolGone = true;
  for (void *block : free)
    while (block)
      std::free(std::exchange(block, *static_cast<void **>(block)));
}

Buffer::Buffer(size_t bytes) {
  unsigned size = llvm::Log2_64_Ceil(std::max<size_t>(bytes, 64));
  void *memory = poolGone ? nullptr : pool.free[size];
  if (memory)
    pool.free[size] = *static_cast<void **>(memory);
  else
    memory =
        std::aligned_alloc(alignof(Block), sizeof(Block) + (size_t{1} << size));
  if (!memory)
    llvm::report_bad_alloc_error("a tile");
  block = new (memory) Block{1, static_cast<uint8_t>(size)};
}

void Buffer::release() {
  unsigned size = block->size;
  if (poolGone) {
    std::free(block);
    return;
  }
  *reinterpret_cast<void **>(block) = pool.free[size];
  pool.free[size] = block;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

int64_t Tile::getInteger(int64_t i) const {
  switch (kind) {
  case Kind::I1:
    return as<uint8_t>()[i];
  case Kind::I8:
    return as<int8_t>()[i];
  case Kind::I16:
    return as<int16_t>()[i];
  case Kind::I32:
    return as<int32_t>()[i];
  default:
    return as<int64_t>()[i];
  }
}

void Tile::setInteger(int64_t i, int64_t value) {
  if (kind == Kind::I1)
    value &= 1;
  std::memcpy(bytes.data() + i * bytesOf(kind), &value, bytesOf(kind));
}

static runtime::FloatFormat formatOf(Kind kind) {
  return runtime::floatFormat(kind == Kind::F8E4M3FN ? runtime::DType::F8E4M3FN
                                                     : runtime::DType::F8E5M2);
}

/// cvt.rn.satfinite: what is too large becomes the largest finite value.
static uint8_t encode8(Kind kind, float value) {
  float largest = kind == Kind::F8E4M3FN ? 448.0f : 57344.0f;
  if (std::isnan(value))
    return 0x7f;
  return runtime::encodeFloat(std::clamp(value, -largest, largest),
                              formatOf(kind));
}

static const std::array<float, 256> &decode8(Kind kind) {
  auto make = [](Kind kind) {
    std::array<float, 256> values;
    for (int i = 0; i < 256; ++i)
      values[i] = runtime::decodeFloat(i, formatOf(kind));
    return values;
  };
  static const std::array<float, 256> e4m3 = make(Kind::F8E4M3FN),
                                      e5m2 = make(Kind::F8E5M2);
  return kind == Kind::F8E4M3FN ? e4m3 : e5m2;
}

double Tile::getFloat(int64_t i) const {
  switch (kind) {
  case Kind::F64:
    return as<double>()[i];
  case Kind::F32:
    return as<float>()[i];
  case Kind::F16:
    return f16ToFloat(as<uint16_t>()[i]);
  case Kind::BF16:
    return bf16ToFloat(as<uint16_t>()[i]);
  default:
    return decode8(kind)[as<uint8_t>()[i]];
  }
}

void Tile::setFloat(int64_t i, double value) {
  switch (kind) {
  case Kind::F64:
    as<double>()[i] = value;
    return;
  case Kind::F32:
    as<float>()[i] = static_cast<float>(value);
    return;
  case Kind::F16: // Rounded once, from the double.
    as<uint16_t>()[i] =
        runtime::encodeFloat(value, runtime::floatFormat(runtime::DType::F16));
    return;
  case Kind::BF16:
    as<uint16_t>()[i] =
        runtime::encodeFloat(value, runtime::floatFormat(runtime::DType::BF16));
    return;
  default:
    as<uint8_t>()[i] = encode8(kind, static_cast<float>(value));
  }
}

void titan::tt::widen(const Tile &from, float *to) {
  const int64_t n = from.count;
  switch (from.kind) {
  case Kind::F32:
    std::memcpy(to, from.as<float>(), n * sizeof(float));
    return;
  case Kind::F16:
    for (int64_t i = 0; i < n; ++i)
      to[i] = f16ToFloat(from.as<uint16_t>()[i]);
    return;
  case Kind::BF16:
    for (int64_t i = 0; i < n; ++i)
      to[i] = bf16ToFloat(from.as<uint16_t>()[i]);
    return;
  default:
    for (int64_t i = 0; i < n; ++i)
      to[i] = static_cast<float>(from.getFloat(i));
  }
}

void titan::tt::narrow(const float *from, Tile &to) {
  const int64_t n = to.count;
  switch (to.kind) {
  case Kind::F32:
    std::memcpy(to.as<float>(), from, n * sizeof(float));
    return;
  case Kind::F16:
    for (int64_t i = 0; i < n; ++i)
      to.as<uint16_t>()[i] = floatToF16(from[i]);
    return;
  case Kind::BF16:
    for (int64_t i = 0; i < n; ++i)
      to.as<uint16_t>()[i] = floatToBf16(from[i]);
    return;
  default:
    for (int64_t i = 0; i < n; ++i)
      to.setFloat(i, from[i]);
  }
}
