//===- Example.h - what titan.example says ----------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `titan.example` gives titan run sizes and data to begin with (docs/language.md
// has the grammar). It is read here alone: by the verifier of titan.kernel, which
// refuses what no run could use ([example-invalid]), by titan run, and by the search
// for a launch that executes all of the text.
//
//   titan.example = {sizes = {M = 300, K = 200}, A = "MxK random:1 rowstride=208",
//                    alpha = 1.5 : f32, multiprocessor_count = 4}
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TITAN_EXAMPLE_H
#define TITAN_DIALECT_TITAN_EXAMPLE_H

#include "titan/Dialect/Titan/Titan.h"

#include <map>
#include <optional>
#include <string>

namespace titan {

struct Example {
  /// A tensor's words, or a scalar's number.
  struct Argument {
    std::optional<std::string> shape;     ///< "MxK".
    std::optional<std::string> value;     ///< A generator, or FILE.npy.
    std::optional<std::string> rowStride; ///< A number, or the name of a size.
    mlir::Attribute scalar;
  };

  std::map<std::string, int64_t, std::less<>> sizes;
  std::optional<int64_t> multiprocessors;
  std::map<std::string, Argument, std::less<>> arguments;

  /// Of a shape's word: a number, or a size that has this name.
  int64_t sizeOf(llvm::StringRef word) const;
};

/// The kernel's; empty where it has none. Fails, and says why, where it has one
/// that cannot be used.
mlir::FailureOr<Example> readExample(KernelOp kernel);

} // namespace titan

#endif // TITAN_DIALECT_TITAN_EXAMPLE_H
