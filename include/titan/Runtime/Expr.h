//===- Expr.h - Integer expressions evaluated at launch ---------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What only a launch can know (a grid that depends on a shape, a tensor map's
// byte stride, a check) stands in the manifest as a small expression over the
// arguments and the device. In JSON:
//
//   7                           a constant, 64 bits, signed
//   {"dim": ["A", 0]}           the size of dimension 0 of A, in elements
//   {"stride": ["A", 0]}        the stride of dimension 0 of A, in elements
//   {"ptr": "A"}                the base address of A, in bytes
//   {"scalar": "n"}             the value of an integer scalar argument
//   {"device": "NAME"}          a device property (DeviceProperty below)
//   ["add", x, y]               also sub, mul, floordiv, ceildiv, mod, min,
//                               max; div, rem; eq, ne, lt, le, ult, ule (1 or
//                               0); and, or (of truth values, 1 or 0)
//   ["select", c, x, y]         x where c is not 0, else y
//   ["within", x, y, z]         x, which is not below y and not above z
//
// Arithmetic is in 64 bits, signed, and checked: overflow, a number that is not
// within its bounds and division by zero are coded errors, never a wrapped
// value. floordiv rounds down, ceildiv up, div toward 0; mod(x, y) is
// x - y * floordiv(x, y), rem(x, y) is x - y * div(x, y). ult and ule compare
// as unsigned numbers, of which negative ones are the largest. and, or and
// select do not evaluate what they do not need, so a check can guard a division.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_RUNTIME_EXPR_H
#define TITAN_RUNTIME_EXPR_H

#include "titan/Runtime/DType.h"
#include "titan/Runtime/Error.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace titan::runtime {

inline constexpr int maxRank = 8; ///< Of an argument; of a tensor map: 5.

/// One kernel argument as the caller passes it.
struct Argument {
  bool isTensor = false;
  DType type = DType::I32;
  int rank = 0;      ///< Tensor: 0 .. maxRank.
  uint64_t bits = 0; ///< Tensor: the base address on the device, in bytes.
                     ///< Scalar: the value's bits, the low ones.
  std::array<int64_t, maxRank> dims{};    ///< In elements.
  std::array<int64_t, maxRank> strides{}; ///< In elements.

  /// A tensor in device memory; `dims` and `strides` have equal length, at
  /// most maxRank (more is cut off and then refused as a wrong rank).
  static Argument tensor(uint64_t address, DType type,
                         std::span<const int64_t> dims,
                         std::span<const int64_t> strides);
  /// A row-major dense tensor.
  static Argument dense(uint64_t address, DType type,
                        std::span<const int64_t> dims);
  /// A scalar: `value` rounded to the type (integers exactly).
  static Argument integer(DType type, int64_t value);
  static Argument floating(DType type, double value);

  /// Of a tensor without negative sizes and strides: bytes from its base to the
  /// end of its last element; nothing if that does not fit in 63 bits.
  std::optional<int64_t> extent() const;
};

/// What an expression may ask of the device and of the kernel's occupancy
/// there. The names in the manifest are those of propertyName.
enum class DeviceProperty : uint8_t {
  MultiprocessorCount,    ///< "multiprocessor_count"
  ComputeCapabilityMajor, ///< "compute_capability_major"
  ComputeCapabilityMinor, ///< "compute_capability_minor"
  MaxSharedMemory,        ///< "max_shared_memory_per_block_optin", bytes
  L2CacheSize,            ///< "l2_cache_size", bytes
  MaxActiveClusters,      ///< "max_active_clusters": clusters (CTAs, where the
                          ///< cluster is 1) of this kernel that the whole
                          ///< device holds at once
};
inline constexpr int numDeviceProperties = 6;
using DeviceProperties = std::array<int64_t, numDeviceProperties>;

std::string_view propertyName(DeviceProperty p);
std::optional<DeviceProperty> parseDeviceProperty(std::string_view name);

enum class ExprOp : uint8_t {
  Constant,
  Dim,
  Stride,
  Pointer,
  Scalar,
  Device,
  Add,
  Sub,
  Mul,
  FloorDiv,
  CeilDiv,
  Mod,
  Min,
  Max,
  Eq,
  Ne,
  Lt,
  Le,
  And,
  Or,
  Div,
  Rem,
  ULt,
  ULe,
  Select,
  Within,
};

/// The operator's name in the manifest ("add"); empty for leaves.
std::string_view operatorName(ExprOp op);
std::optional<ExprOp> parseOperator(std::string_view name);
/// How many operands an operator takes: 2 or 3.
int operandCount(ExprOp op);

/// An expression: nodes in an order where operands come first; the last one is
/// the root.
class Expr {
public:
  struct Node {
    ExprOp op = ExprOp::Constant;
    std::array<uint16_t, 3> operands{}; ///< Indices of earlier nodes.
    int64_t value = 0; ///< Constant: the value. Device: the property. Scalar:
                       ///< whether it is a float, of which the bits count.
    uint16_t argument = 0; ///< Dim, Stride, Pointer, Scalar: which argument.
    uint16_t dim = 0;      ///< Dim, Stride: which dimension.
  };
  static constexpr size_t maxNodes = 4096;
  static constexpr int maxDepth = 64;

  Expr() = default; ///< Empty; must not be evaluated.
  Expr(int64_t constant) { nodes.push_back({ExprOp::Constant, {}, constant}); }

  bool empty() const { return nodes.empty(); }
  /// The value, if it is a constant as written.
  std::optional<int64_t> constant() const;

  /// The value for these arguments on this device. `place` is for errors:
  /// launch-overflow, launch-division. No heap allocation unless it fails.
  Result<int64_t> evaluate(std::span<const Argument> arguments,
                           const DeviceProperties &device,
                           std::string_view place) const;

  /// For people: "ceildiv(A.dim0, 128)", with the arguments' names.
  std::string text(std::span<const std::string> argumentNames) const;

  std::vector<Node> nodes;
};

} // namespace titan::runtime

#endif // TITAN_RUNTIME_EXPR_H
