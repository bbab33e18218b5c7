//===- Harness.h - kernels from files, run by the simulator -----*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_UNITTESTS_SIMULATOR_HARNESS_H
#define TITAN_UNITTESTS_SIMULATOR_HARNESS_H

#include "titan/Simulator/Simulator.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdlib>
#include <memory>
#include <string>

namespace titan::test {

/// A number that the environment may give: TITAN_SEED, TITAN_CASES.
inline uint64_t fromEnvironment(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// A file's kernels, with pipes expanded.
class Module {
public:
  /// Parses text, or the file where `isFile`.
  Module(const std::string &textOrFile, bool isFile);
  KernelOp kernel(llvm::StringRef name);
  std::vector<KernelOp> kernels();
  explicit operator bool() const { return static_cast<bool>(module); }

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// A matrix in memory aligned as cudaMalloc aligns, with guards behind it.
struct Matrix {
  Matrix(int64_t rows, int64_t columns, int64_t elementBytes,
         int64_t rowStride = 0);
  SimulatorArgument argument();
  uint16_t &at16(int64_t r, int64_t c);
  float &at32(int64_t r, int64_t c);
  /// Whether nobody has written between rows' ends and the end of the guards.
  bool guardsWhole() const;

  int64_t rows, columns, elementBytes, stride;
  std::vector<std::byte> storage;
  std::byte *data;
  size_t bytes;
};

/// D = A * B^T with small integers: sums are exact in f32, so that the order of
/// additions does not matter, and bf16 rounds them once.
struct Product {
  Product(int64_t m, int64_t n, int64_t k, uint64_t seed);
  /// Elements of D that are not what they should be.
  int64_t wrong();
  SimulatorReport run(KernelOp kernel, const SimulatorOptions &options);

  Matrix a, b, d;
};

/// Zeros for a kernel's arguments, in the shape of their types; arrays of
/// tensor maps hold maps.
struct KernelArguments {
  KernelArguments(KernelOp kernel, int64_t dynamicSize, uint64_t scalar = 1);
  /// The tensors' bytes.
  std::vector<std::vector<std::byte>> contents() const;

  std::vector<std::vector<std::byte>> storage;
  std::vector<SimulatorArgument> list;

private:
  void fillMaps(KernelOp kernel);
};

/// The .mlir files in folders of tests/, in order.
std::vector<std::string> testFiles(llvm::ArrayRef<llvm::StringRef> folders);

/// An operation as text.
std::string print(mlir::Operation *op);

/// The codes of a report's findings, sorted, each once.
std::vector<std::string> codesOf(const SimulatorReport &report,
                                 Severity least = Severity::Error);
std::string describe(const SimulatorReport &report);

} // namespace titan::test

#endif
