//===- Pool.h - Work on a device in processes that may die ------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy that faults takes its CUDA context with it, and a context belongs to a
// process: the parent forks before CUDA is initialised and never touches it.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TESTS_HARDWARE_TMA_POOL_H
#define TITAN_TESTS_HARDWARE_TMA_POOL_H

#include "Device.h"

#include <atomic>
#include <functional>
#include <sys/mman.h>

namespace titan::hw {

/// An array that children write and the parent reads; zero at first.
template <typename T> class SharedArray {
public:
  explicit SharedArray(size_t count)
      : size(count),
        data(static_cast<T *>(mmap(nullptr, count * sizeof(T) + 1,
                                   PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~SharedArray() { munmap(data, size * sizeof(T) + 1); }
  SharedArray(const SharedArray &) = delete;
  SharedArray &operator=(const SharedArray &) = delete;
  T &operator[](size_t i) { return data[i]; }

private:
  size_t size;
  T *data;
};

struct PoolOptions {
  int jobs = 8;
  /// A process for each index: it may fault.
  bool isolate = false;
  /// The function in the place of the GPU.
  bool mock = false;
  /// Seconds after which a process is given up (a copy that never ends).
  unsigned patience = 60;
  /// Seconds after which no index is begun any more; 0: no end.
  unsigned seconds = 0;
};

/// Calls body(device, index) for each index below `count`, in several processes
/// and no order. body returns false when the device is lost: the rest goes on
/// in a new process. Returns how many processes ended without saying why (by
/// the alarm or a signal): their index is lost.
int forAll(size_t count, const PoolOptions &options,
           const std::function<bool(Device &, size_t)> &body);

} // namespace titan::hw

#endif // TITAN_TESTS_HARDWARE_TMA_POOL_H
