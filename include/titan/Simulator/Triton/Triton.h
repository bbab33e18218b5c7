//===- Triton.h - runs a Triton program on the CPU --------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `titan run FILE.ttir --grid 4,1,1`. Every program of the grid is one agent; the
// elements of its tensors are the threads. Arguments that are pointers point to
// memory objects, which know what may be touched, what has been written, and who
// touched it last. What a program does wrong is a finding at the line of Python
// that the locations name:
//
//   out-of-bounds    an address outside of its object
//   misaligned       an address that is no multiple of its element's size
//   undefined-read   memory that nobody wrote; a masked lane without `other`
//                    that reaches an address, a branch or memory
//   race             two programs, or two elements of one, touch the same bytes,
//                    one writes, and no atomic or barrier orders them
//   deadlock         programs that wait in atomics for what nobody does
//   assert-failed    tl.device_assert
//
// Programs without atomics cannot wait for each other, and run in parallel. Those
// with atomics take turns, one atomic at a time, as the schedule says.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_SIMULATOR_TRITON_TRITON_H
#define TITAN_SIMULATOR_TRITON_TRITON_H

#include "titan/Analysis/Finding.h"
#include "titan/Dialect/Triton/Triton.h"

#include <array>

namespace titan::tt {

/// Who goes on at an atomic.
struct Turns {
  enum Kind {
    Fair,        ///< Each in turn.
    Random,      ///< A seed decides.
    Adversarial, ///< The one that came last, as long as it can go on.
  } kind = Fair;
  uint64_t seed = 0;
};

struct RunOptions {
  std::array<int64_t, 3> grid = {1, 1, 1};
  Turns turns;
  /// Threads; 0: as many as the machine has.
  unsigned threads = 0;
  /// Programs that are resident at once where they take turns.
  unsigned resident = 132;
  /// Operations of one program before the run is given up as endless.
  uint64_t maxSteps = uint64_t{1} << 33;
};

/// An argument of a kernel: memory, or the bits of a scalar in the low end.
struct RunArgument {
  std::string name;
  std::byte *data = nullptr;
  uint64_t bytes = 0;
  /// False: nobody has written it (`poison`).
  bool written = true;
  uint64_t scalar = 0;
};

struct RunReport {
  std::vector<Finding> findings;
  std::vector<std::string> printed;
  uint64_t programs = 0, operations = 0;
};

RunReport simulate(FuncOp kernel, llvm::ArrayRef<RunArgument> arguments,
                   const RunOptions &options);

/// Operations that the simulator executes.
bool isSimulated(llvm::StringRef operationName);

} // namespace titan::tt

#endif
