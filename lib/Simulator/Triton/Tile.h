//===- Tile.h - the values that programs compute with -----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scalar or a tensor is a tile: its elements in row-major order, in the bits
// that they have in memory (i1: a byte, 0 or 1; pointers: 8 bytes), and, where some
// are undefined, a byte for each that says so. A block pointer or descriptor is
// the numbers base, shape, strides, offsets. Tiles share their bytes until one is
// written; all tiles of an agent live on one thread.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_SIMULATOR_TRITON_TILE_H
#define TITAN_SIMULATOR_TRITON_TILE_H

#include "titan/Dialect/Triton/Triton.h"

#include <cstdint>
#include <cstring>
#include <utility>

namespace titan::tt {

enum class Kind : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  Ptr,
  F8E4M3FN,
  F8E5M2,
  F16,
  BF16,
  F32,
  F64,
  Block, ///< A block pointer or a descriptor.
};

inline bool isFloat(Kind kind) {
  return kind >= Kind::F8E4M3FN && kind <= Kind::F64;
}
inline unsigned bytesOf(Kind kind) {
  constexpr uint8_t sizes[] = {1, 1, 2, 4, 8, 8, 1, 1, 2, 2, 4, 8, 8};
  return sizes[static_cast<int>(kind)];
}
inline unsigned bitsOf(Kind kind) {
  return kind == Kind::I1 ? 1 : 8 * bytesOf(kind);
}

/// The kind of a value's elements; nothing if it cannot be simulated.
std::optional<Kind> kindOf(mlir::Type type);
/// Elements of a value: 1 of a scalar.
inline int64_t countOf(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor ? tensor.getNumElements() : 1;
}
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor ? tensor.getShape() : llvm::ArrayRef<int64_t>();
}

/// Bytes that several tiles of one thread share, from a pool of that thread.
class Buffer {
public:
  Buffer() = default;
  explicit Buffer(size_t bytes);
  Buffer(const Buffer &other) : block(other.block) {
    if (block)
      ++block->users;
  }
  Buffer(Buffer &&other) noexcept
      : block(std::exchange(other.block, nullptr)) {}
  Buffer &operator=(Buffer other) {
    std::swap(block, other.block);
    return *this;
  }
  ~Buffer() {
    if (block && --block->users == 0)
      release();
  }
  explicit operator bool() const { return block; }
  uint8_t *data() const { return reinterpret_cast<uint8_t *>(block + 1); }

private:
  struct alignas(64) Block {
    uint32_t users;
    uint8_t size; ///< log2 of the bytes.
  };
  void release();
  Block *block = nullptr;
};

/// Why an element is undefined: bits of its mark.
enum Undefined : uint8_t {
  MaskedLanes = 1, ///< Of a load without `other`, or of an atomic.
  NoResult = 2,    ///< A quotient by 0, a shift by the width or more, ...
  Poison = 4,      ///< ub.poison
};
/// "it comes from masked lanes of a load without `other`", and what to do about it.
std::string causeText(uint8_t mark);
std::string causeFix(uint8_t mark);

struct Tile {
  Kind kind = Kind::I32;
  int64_t count = 0;
  Buffer bytes;
  /// A byte for each element, bits of Undefined; none: all are defined.
  Buffer undefined;
  /// The last access of a load of a whole tensor that this was made from (the
  /// agent's count), and the epoch before which all accesses are ordered before what
  /// depends on this; 0: none (Agent::follow).
  uint64_t access = 0, since = 0;

  Tile() = default;
  Tile(Kind kind, int64_t count)
      : kind(kind), count(count), bytes(count * bytesOf(kind)) {}

  template <typename T> T *as() const {
    return reinterpret_cast<T *>(bytes.data());
  }
  const uint8_t *marks() const {
    return undefined ? undefined.data() : nullptr;
  }
  uint8_t *makeMarks() {
    if (!undefined) {
      undefined = Buffer(count);
      std::memset(undefined.data(), 0, count);
    }
    return undefined.data();
  }
  bool isUndefined(int64_t i) const { return mark(i); }
  uint8_t mark(int64_t i) const { return undefined ? undefined.data()[i] : 0; }

  /// An element of an integer kind, sign-extended (i1: 0 or 1).
  int64_t getInteger(int64_t i) const;
  void setInteger(int64_t i, int64_t value);
  /// An element of a float kind.
  double getFloat(int64_t i) const;
  void setFloat(int64_t i, double value);
};

/// All elements of a float tile as f32, and back (rounded to nearest even, 8-bit
/// ones saturated). f64 loses bits.
void widen(const Tile &from, float *to);
void narrow(const float *from, Tile &to);

/// Calls `body` with a value of the signed integer type of a kind.
template <typename Body> void withInteger(Kind kind, Body body) {
  switch (kind) {
  case Kind::I1:
  case Kind::I8:
    return body(int8_t());
  case Kind::I16:
    return body(int16_t());
  case Kind::I32:
    return body(int32_t());
  default:
    return body(int64_t());
  }
}

} // namespace titan::tt

#endif
