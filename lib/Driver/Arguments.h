//===- Arguments.h - the data that a kernel is run on -----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every argument of a kernel gets a shape and a value, from three places, the
// later ones winning: the kernel's type (static sizes), its `titan.example`
// attribute, the command line.
//
//   titan.kernel @gemm(%A: !titan.global<?x?xbf16>, ..., %alpha: f32) ...
//     attributes {titan.example = {
//       sizes = {M = 300, N = 264, K = 200},
//       A = "MxK random:1", B = "NxK random:2", D = "MxN", alpha = 1.5 : f32,
//       multiprocessor_count = 4}}
//
// docs/language.md has the grammar. `--size M=129` changes one example into
// another, and an array given for A settles M and K for all.
//
// A tensor lies between guard bytes, and where its rows are padded, guard bytes
// are the padding: after the run they must be what they were.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DRIVER_ARGUMENTS_H
#define TITAN_DRIVER_ARGUMENTS_H

#include "Commands.h"

#include "titan/Layout/Result.h"
#include "titan/Runtime/DType.h"
#include "titan/Simulator/Simulator.h"

namespace titan {

/// The byte that guards are filled with.
inline constexpr uint8_t guardByte = 0x5A;
/// Guard bytes before and after a tensor.
inline constexpr uint64_t guardBytes = 256;

struct HostArgument {
  std::string name;
  bool tensor = false;
  runtime::DType type = runtime::DType::F32;

  // Tensors: elements, outermost first.
  std::vector<int64_t> shape, strides;
  /// Whether the elements are small integers (ints, zeros, steps): sums are
  /// exact.
  bool integers = false;
  /// Whether it is no argument's (--memory): addresses alone lead to it.
  bool isMemory = false;
  /// Whether it is a workspace of tensor maps (titan.tensormap.at): they hold
  /// addresses, and differ from run to run.
  bool holdsMaps = false;
  /// What the kernel starts from: dense, row major.
  std::vector<uint8_t> initial;
  /// The allocation, guards included; element 0 is at `offset`.
  std::unique_ptr<uint8_t[]> memory;
  uint64_t offset = 0, bytes = 0;

  // Scalars: the bits, in the low end.
  uint64_t bits = 0;

  /// Where the kernel finds it: as --memory says, or as it is in each run; 0: no tensor.
  uint64_t address = 0;

  int64_t getNumElements() const;
  /// The elements now: dense, row major.
  std::vector<uint8_t> gather() const;
  /// The offset, in bytes from element 0, of the first guard byte that is not
  /// what it was; nothing if all are. `tailsFree`: the rest of a row's last 16
  /// bytes is nobody's (TensorMapOp's `padded`), and no guard.
  std::optional<int64_t> findOverwrittenGuard(bool tailsFree = false) const;
  SimulatorArgument forSimulator();
};

/// The bits of the number that `text` writes, in the low end, as a scalar of this
/// type, an integer of at most 64 bits or a float; an error [bad-argument] if it is
/// no such number, or does not fit.
Result<uint64_t> readScalar(mlir::Type type, llvm::StringRef text);

struct HostArguments {
  /// The kernel's, and behind them memory that it finds by addresses.
  std::vector<HostArgument> arguments;
  int64_t multiprocessors = 8;

  HostArgument *find(llvm::StringRef name);
};

/// Makes the arguments of a kernel. Nothing, and a finding, if a flag or a file
/// is wrong: bad-argument, argument-missing, argument-unknown, argument-shape,
/// npy-format, file-not-found, out-of-memory.
std::optional<HostArguments> makeArguments(Session &session, KernelOp kernel,
                                           const RunCommand &options);

/// What the launch region refuses of the sizes and scalars that titan.example gives,
/// a warning [example-invalid] of the kernel's; none: nothing, or titan.example
/// leaves something to the command line. No data is made.
std::optional<Finding> refusedExample(KernelOp kernel);

/// The element type of an argument, or of a memref's; nothing if data of that
/// type cannot be made.
std::optional<runtime::DType> getDType(mlir::Type type);

} // namespace titan

#endif
