//===- TrailingZeros.h - powers of two that divide ----------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which power of two divides a number of a kernel, whatever the sizes are:
//
//     %row = arith.muli %tile, %c128                        7 zeros at least
//     %ok = arith.cmpi eq, (%k remui 8), 0
//     titan.require %ok                                     3 zeros: %k, and the
//                                                           same size in the body
//     titan.tensor_map %A : !titan.global<?x?xbf16> ...     3 zeros: A's stride, of
//                                                           16 bytes
//
// Copies by tensor map have to start at multiples of 16 bytes (the checker), and
// accesses to global memory are as wide as is shown here (the lowering, of tiles
// element by element). What titan.assume says of a remainder of data the checker
// alone believes.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_ANALYSIS_TRAILINGZEROS_H
#define TITAN_ANALYSIS_TRAILINGZEROS_H

#include "titan/Dialect/Titan/Titan.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <optional>

namespace titan {

class TrailingZeros {
public:
  static constexpr unsigned all = 64; ///< of zero

  /// `believe`: what titan.assume says, where it is executed whenever the number is
  /// computed.
  explicit TrailingZeros(KernelOp kernel, bool believe = false);
  /// How many zeros the result of an operation ends in, at least, where the operands
  /// end in as many as `in` says, or every element of each; none: it is no
  /// operation of arith that keeps any.
  static std::optional<unsigned>
  through(mlir::Operation *op, llvm::function_ref<unsigned(unsigned)> in);
  /// How many zeros a scalar of the kernel ends in, at least: 2^n divides it.
  unsigned of(mlir::Value value);
  /// The same of a stride, in elements, of a tensor that the kernel is given.
  unsigned ofStride(mlir::Value tensor, unsigned dimension);
  /// And of the address, in bytes, that it begins at.
  unsigned ofAddress(mlir::Value tensor);

private:
  /// A size or stride is the same number wherever it is asked for: the tensor
  /// at launch, and which of its numbers.
  using Key = std::pair<void *, int64_t>;
  Key keyOf(mlir::Value value);
  Key keyOf(mlir::Value tensor, int64_t number);
  /// Takes from a condition that a remainder is zero; of `given`, of numbers of its
  /// block alone.
  void learn(mlir::Value condition, AssumeOp given = {});
  /// Takes the rules of the encoder, which the launch checks: addresses and
  /// strides are multiples of 16 bytes.
  void learn(TensorMapOp map);
  void raise(Key key, unsigned zeros);
  unsigned compute(mlir::Value value);
  unsigned ofArgument(mlir::BlockArgument argument);

  KernelOp kernel;
  std::map<Key, unsigned> known; ///< Found, or assumed on the way round a loop.
};

} // namespace titan

#endif
