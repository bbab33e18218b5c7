//===- Simulator.h - runs a kernel on the CPU -------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `titan run`. Executes every CTA of the grid: each warp is an agent with its
// program counter, the copy engine and the tensor cores complete on their own,
// later; a schedule decides how much later. Runs on kernels without pipes
// (after titan-expand-pipes).
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_SIMULATOR_SIMULATOR_H
#define TITAN_SIMULATOR_SIMULATOR_H

#include "titan/Analysis/Finding.h"
#include "titan/Dialect/Titan/Titan.h"
#include "titan/Simulator/Element.h"

#include "llvm/ADT/APFloat.h"

#include <functional>
#include <map>

namespace titan {

/// When pending work is done.
struct Schedule {
  enum Kind {
    Eager,  ///< Engines complete at once; agents run round robin.
    Lazy,   ///< Engines complete only when nothing else can go on.
    Random, ///< A seed decides: who runs next, what completes when.
    Skew,   ///< Warps have ranks, by the seed: the first that can go on does.
            ///< Engines are at once (odd seeds), or wait for all warps (even).
  } kind = Eager;
  uint64_t seed = 0;
};

/// As `titan run --schedule` takes it: "lazy", "random:3".
std::string stringify(const Schedule &schedule);

struct SimulatorOptions {
  Schedule schedule;
  /// Hazards by happens-before (reads the effects and the proxy table). Off:
  /// reads neither; each proxy has its own view of memory, weak writes stay in
  /// their thread's buffer until released: a bug shows as wrong data, poison or
  /// a hang.
  bool hazards = true;
  Strictness strictness;
  /// What becomes of results that the hardware approximates.
  sim::Approximate approximate;
  /// What titan.device_property multiprocessor_count yields.
  int64_t multiprocessors = 8;
  /// Chrome trace; empty: none.
  std::string traceFile;
  /// Called now and then with the CTAs done and in all; may be empty.
  std::function<void(int64_t, int64_t)> progress;
  /// Compares the bytes that each operation touches with those that its effects
  /// declare (effect-mismatch). Goes with the eager schedule.
  bool compareEffects = false;
  /// Operations executed by one agent before the run is given up as endless.
  uint64_t maxSteps = 1ull << 33;
};

/// An argument of a kernel. A tensor lives in caller's memory: `data` points to
/// element (0, ..., 0); `bytes` is the size of the allocation from there.
struct SimulatorArgument {
  std::byte *data = nullptr;
  uint64_t bytes = 0;
  std::vector<int64_t> shape;   ///< Elements, outermost first.
  std::vector<int64_t> strides; ///< Elements.
  /// Scalars: the bits, in the low end.
  uint64_t scalar = 0;
  /// The address that the kernel takes for that of `data` (titan.tensor_at,
  /// titan.address_of); 0: the one that it has here.
  uint64_t address = 0;
};

struct SimulatorReport {
  /// Empty: the run is good.
  std::vector<Finding> findings;
  /// On a deadlock: where every agent stands, each barrier's phase, pending
  /// arrivals and bytes.
  std::vector<std::string> state;
  uint64_t operations = 0, copies = 0, products = 0;
  /// How often each operation was compared with its effects, by its name.
  std::map<std::string, uint64_t> compared;
  /// What titan.print wrote.
  std::vector<std::string> printed;

  bool good() const;
};

/// Arguments behind the kernel's own are memory that it finds by addresses alone.
SimulatorReport simulate(KernelOp kernel,
                         llvm::MutableArrayRef<SimulatorArgument> arguments,
                         const SimulatorOptions &options);

} // namespace titan

#endif
