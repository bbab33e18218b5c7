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
#include <functional>
#include <optional>

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
  /// Warps of a program, of 32 threads: what its reductions order depends on it.
  unsigned warps = 4;
  /// Operations of one program before the run is given up as endless.
  uint64_t maxSteps = uint64_t{1} << 33;
  /// Called from another thread, some times a second, by runs that take longer
  /// than a second: programs that are done.
  std::function<void(uint64_t done)> progress;
  /// Asked likewise, ten times a second: whether to give the run up.
  std::function<bool()> cancel;
};

/// Memory that a program may touch: the storage of a tensor. Several arguments
/// may point into one.
struct RunObject {
  /// As the program calls it, and where in the memory the index 0 of that name
  /// lies.
  std::string name;
  int64_t origin = 0;
  std::byte *data = nullptr;
  uint64_t bytes = 0;
  /// False: nobody has written it (`poison`).
  bool written = true;
  /// What nobody has written holds the bytes of fillPoison with this seed.
  std::optional<uint64_t> poison;
  /// With `poison`, a byte for each: other than 0 where a launch has written it;
  /// kept from launch to launch. Null: the bytes of the poison alone tell.
  uint8_t *map = nullptr;
  /// Whether others than launches may have written it, so that fewer than 4
  /// bytes of 8 that hold their poison may do so by chance, and count as
  /// written.
  bool shared = true;
  /// Numbers in memory may be addresses in it, as the host has them.
  bool hasAddress = false;
};

/// Fills memory that nobody has written: 8 bytes at a time, which nothing that
/// is computed is likely to be.
void fillPoison(std::byte *data, uint64_t bytes, uint64_t seed);

/// An argument of a kernel: a place in an object, or the bits of a scalar in the
/// low end.
struct RunArgument {
  int object = -1;
  int64_t offset = 0;
  uint64_t scalar = 0;
  /// Of a descriptor: shape and strides, in elements; padding as NaN.
  std::vector<int64_t> shape, strides;
  bool nan = false;
};

struct RunReport {
  std::vector<Finding> findings;
  std::vector<std::string> printed;
  uint64_t programs = 0, operations = 0;
};

RunReport simulate(FuncOp kernel, llvm::ArrayRef<RunObject> objects,
                   llvm::ArrayRef<RunArgument> arguments,
                   const RunOptions &options);

/// Whether `title` names a schedule: eager, lazy, random:SEED.
std::optional<Turns> parseTurns(llvm::StringRef title);

/// Whether programs of the module can wait for each other, and so take turns.
bool takesTurns(mlir::ModuleOp module);

/// Operations that the simulator executes.
bool isSimulated(llvm::StringRef operationName);

} // namespace titan::tt

#endif
