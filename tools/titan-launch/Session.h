//===- Session.h - One kernel run on one GPU --------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The half of titan-launch that talks to the driver: a context, the arguments'
// memory, a stream that synchronises with no other, launches, and waits that
// end. Nothing here waits for the GPU in a call that cannot be given up: each
// wait polls an event until the time is over.
//
// After a timeout the kernel still runs, and every call that frees memory or
// ends the context would wait for it. So the session is then abandoned: what it
// holds goes when the process ends.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TOOLS_LAUNCH_SESSION_H
#define TITAN_TOOLS_LAUNCH_SESSION_H

#include "Tensors.h"

#include "titan/Runtime/Runtime.h"

#include <string>
#include <vector>

namespace titan::runtime::launch {

/// The times of --bench.
struct BenchResult {
  std::vector<double> milliseconds; ///< Of one launch, the mean of each round.
  int64_t launchesPerRound = 0;

  double median() const;
  double min() const;
  double max() const;
};

/// What is known about the GPU.
struct DeviceReport {
  std::string name;
  int major = 0, minor = 0;
  int driverVersion = 0; ///< 1000 * major + 10 * minor.
};

class Session {
public:
  Session(const Driver &driver, Kernel &kernel, const Options &options)
      : driver(driver), kernel(kernel), options(options) {}
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  DeviceReport device;
  LoadedKernel *loaded = nullptr;

  /// Takes the device's primary context, loads the kernel, makes stream and
  /// events. Errors: no-gpu, driver-error, and those of Kernel::load.
  Status open();

  /// Allocates and uploads the images of all tensors, and sets their
  /// addresses. Errors: out-of-memory, driver-error.
  Status upload(std::vector<HostArgument> &arguments,
                const std::vector<std::vector<uint8_t>> &images);

  /// Launches once and waits. Errors: those of Kernel::launch, launch-timeout,
  /// kernel-fault.
  Status launchAndWait();

  /// Reads tensor `index` back, guards included. Errors: driver-error,
  /// kernel-fault.
  Status download(size_t index, std::vector<uint8_t> &image);

  /// Times the kernel. Errors: as launchAndWait.
  Result<BenchResult> bench();

  /// After a timeout: leaves the GPU's objects alone from now on.
  void abandon() { abandoned = true; }

private:
  const Driver &driver;
  Kernel &kernel;
  const Options &options;
  bool abandoned = false;
  cuda::Device handle = -1;
  bool retained = false;
  cuda::Stream stream = nullptr;
  cuda::Event start = nullptr, end = nullptr;
  std::vector<cuda::Pointer> memory; ///< One an argument; 0 for scalars.
  std::vector<Argument> values;

  Error driverError(cuda::Result result, const char *what) const;
  Status wait(const char *what);
};

} // namespace titan::runtime::launch

#endif // TITAN_TOOLS_LAUNCH_SESSION_H
