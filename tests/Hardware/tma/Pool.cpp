//===- Pool.cpp - Work on a device in processes that may die --------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Pool.h"

#include <cstdio>
#include <ctime>
#include <sys/wait.h>
#include <unistd.h>

using namespace titan;
using namespace titan::hw;

namespace {
enum Exit { Done = 0, NoDevice = 2, Lost = 3 };
} // namespace

static int work(size_t count, const PoolOptions &options, time_t end,
                std::atomic<size_t> &next,
                const std::function<bool(Device &, size_t)> &body) {
  size_t index = next.fetch_add(1);
  if (index >= count)
    return Done;
  if (options.isolate)
    alarm(options.patience);
  std::unique_ptr<Device> device = options.mock ? openMock() : openGpu();
  if (!device)
    return NoDevice;
  for (; index < count; index = next.fetch_add(1)) {
    if (!body(*device, index))
      return Lost;
    if (end && time(nullptr) >= end)
      next = count;
    if (options.isolate)
      return Done;
  }
  return Done;
}

int titan::hw::forAll(size_t count, const PoolOptions &options,
                      const std::function<bool(Device &, size_t)> &body) {
  SharedArray<std::atomic<size_t>> next(1);
  int running = 0, lost = 0;
  time_t end = options.seconds ? time(nullptr) + options.seconds : 0;
  std::fflush(nullptr);
  while (true) {
    while (running < options.jobs && next[0] < count) {
      pid_t child = fork();
      if (child == 0) {
        int code = work(count, options, end, next[0], body);
        std::fflush(nullptr);
        _exit(code);
      }
      if (child < 0)
        break;
      ++running;
    }
    if (running == 0)
      return lost;
    int status = 0;
    wait(&status);
    --running;
    if (!WIFEXITED(status)) {
      ++lost;
    } else if (WEXITSTATUS(status) == NoDevice) {
      std::fprintf(stderr, "no device\n");
      next[0] = count;
    }
  }
}
