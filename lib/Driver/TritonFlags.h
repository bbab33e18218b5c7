//===- TritonFlags.h - flags of Triton's programs ---------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options that Triton's launches have and its text does not: num_warps and the
// like. titan run, check, compile and explain take them.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DRIVER_TRITONFLAGS_H
#define TITAN_DRIVER_TRITONFLAGS_H

#include "Commands.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/CommandLine.h"

namespace titan {

/// A number from `least` to `largest`; an error message if it is none. 0 where none is
/// given.
std::string readCount(const llvm::cl::opt<std::string> &option,
                      uint64_t largest, uint64_t &value, uint64_t least = 1);

class TritonFlags {
public:
  TritonFlags(llvm::cl::SubCommand &run, llvm::cl::SubCommand &check,
              llvm::cl::SubCommand &compile, llvm::cl::SubCommand &explain,
              llvm::cl::OptionCategory &category);

  /// What is given; an error message if something is wrong.
  std::string read(TritonCommand &command) const;
  llvm::SmallVector<const llvm::cl::Option *> all() const;

private:
  llvm::cl::opt<std::string> warps, ctas, registers, fusion, stages;
  llvm::cl::list<std::string> launchChecks;
};

} // namespace titan

#endif
