//===- Session.cpp - One kernel run on one GPU ----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

using namespace titan;
using namespace titan::runtime;
using namespace titan::runtime::launch;

namespace {

constexpr unsigned streamNonBlocking = 1; ///< CU_STREAM_NON_BLOCKING
constexpr double roundMilliseconds = 20;  ///< A round of the benchmark lasts
                                          ///< at least this long.
constexpr int64_t maxLaunchesPerRound = 10000;

std::string sizeText(int64_t bytes) { return std::to_string(bytes) + " bytes"; }

} // namespace

double BenchResult::median() const {
  std::vector<double> sorted = milliseconds;
  std::sort(sorted.begin(), sorted.end());
  const size_t n = sorted.size();
  return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}
double BenchResult::min() const {
  return *std::min_element(milliseconds.begin(), milliseconds.end());
}
double BenchResult::max() const {
  return *std::max_element(milliseconds.begin(), milliseconds.end());
}

Session::~Session() {
  if (abandoned)
    return;
  for (cuda::Pointer p : memory)
    if (p)
      driver.memFree(p);
  if (start)
    driver.eventDestroy(start);
  if (end)
    driver.eventDestroy(end);
  if (stream)
    driver.streamDestroy(stream);
  if (retained) {
    driver.ctxSetCurrent(nullptr); // Nobody may find the context that ends.
    driver.devicePrimaryCtxRelease(handle);
  }
}

Error Session::driverError(cuda::Result result, const char *what) const {
  const std::string text = std::string(what) + ": " + driver.describe(result);
  const std::string place = "kernel '" + kernel.spec().name + "', device " +
                            std::to_string(options.device);
  if (cuda::isFault(result))
    return makeError(Code::KernelFault, text, place);
  if (result == cuda::outOfMemory)
    return makeError(Code::OutOfMemory, text, place);
  return makeError(Code::DriverError, text, place);
}

Status Session::open() {
  int count = 0;
  cuda::Result r = driver.deviceGetCount(&count);
  if (r)
    return driverError(r, "counting the devices");
  if (options.device >= count)
    return makeError(Code::NoGpu,
                     "there is no device " + std::to_string(options.device) +
                         "; the driver sees " + std::to_string(count),
                     "--device " + std::to_string(options.device),
                     "name a device from 0 on; see nvidia-smi and "
                     "CUDA_VISIBLE_DEVICES");
  char name[256] = {};
  r = driver.deviceGet(&handle, static_cast<int>(options.device));
  if (!r)
    r = driver.deviceGetName(name, sizeof name - 1, handle);
  if (!r)
    r = driver.deviceGetAttribute(&device.major, cuda::computeCapabilityMajor,
                                  handle);
  if (!r)
    r = driver.deviceGetAttribute(&device.minor, cuda::computeCapabilityMinor,
                                  handle);
  if (!r)
    r = driver.driverGetVersion(&device.driverVersion);
  if (r)
    return driverError(r, "asking about the device");
  device.name = name;
  cuda::Context context = nullptr;
  r = driver.devicePrimaryCtxRetain(&context, handle);
  if (r)
    return driverError(r, "starting a context");
  retained = true;
  r = driver.ctxSetCurrent(context);
  if (r)
    return driverError(r, "starting a context");
  auto ready = kernel.load();
  if (!ready)
    return std::move(ready.error());
  loaded = *ready;
  r = driver.streamCreate(&stream, streamNonBlocking);
  if (!r)
    r = driver.eventCreate(&start, 0);
  if (!r)
    r = driver.eventCreate(&end, 0);
  if (r)
    return driverError(r, "making a stream");
  return {};
}

Status Session::upload(std::vector<HostArgument> &arguments,
                       const std::vector<std::vector<uint8_t>> &images) {
  memory.assign(arguments.size(), 0);
  values.clear();
  for (size_t i = 0; i < arguments.size(); ++i) {
    HostArgument &a = arguments[i];
    if (a.value.isTensor) {
      const std::string what =
          "memory for '" + a.name + "' (" + sizeText(a.imageBytes()) + ")";
      cuda::Result r =
          driver.memAlloc(&memory[i], static_cast<size_t>(a.imageBytes()));
      if (!r)
        r = driver.memcpyHtoD(memory[i], images[i].data(), images[i].size());
      if (r)
        return driverError(r, what.c_str());
      a.value.bits = memory[i] + static_cast<uint64_t>(a.base());
    }
    values.push_back(a.value);
  }
  return {};
}

Status Session::wait(const char *what) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  auto pause = std::chrono::microseconds(20);
  for (;;) {
    const cuda::Result r = driver.eventQuery(end);
    if (r == cuda::success)
      return {};
    if (r != cuda::notReady)
      return driverError(r, what);
    const std::chrono::duration<double> passed = Clock::now() - begin;
    if (passed.count() > options.timeout) {
      const KernelSpec &k = kernel.spec();
      std::string grid;
      LaunchPlan plan;
      if (kernel.plan(values, loaded->device, plan))
        grid = ", grid " + std::to_string(plan.grid[0]) + "x" +
               std::to_string(plan.grid[1]) + "x" +
               std::to_string(plan.grid[2]);
      char seconds[32];
      std::snprintf(seconds, sizeof seconds, "%g", options.timeout);
      return makeError(
          Code::LaunchTimeout,
          std::string(what) + " has not ended after " + seconds + " s",
          "kernel '" + k.name + "'" + grid + ", " + std::to_string(k.block) +
              " threads a CTA, on " + device.name);
    }
    std::this_thread::sleep_for(pause);
    if (pause < std::chrono::microseconds(1000))
      pause *= 2;
  }
}

Status Session::launchAndWait() {
  if (auto ok = kernel.launch(values, stream); !ok)
    return ok;
  if (cuda::Result r = driver.eventRecord(end, stream))
    return driverError(r, "the launch");
  return wait("the launch");
}

Status Session::download(size_t index, std::vector<uint8_t> &image) {
  if (cuda::Result r =
          driver.memcpyDtoH(image.data(), memory[index], image.size()))
    return driverError(r, "reading the results");
  return {};
}

runtime::Result<BenchResult> Session::bench() {
  BenchResult out;
  // `n` launches between two events; their time in milliseconds.
  auto round = [&](int64_t n) -> runtime::Result<double> {
    cuda::Result r = driver.eventRecord(start, stream);
    for (int64_t i = 0; i < n && !r; ++i)
      if (auto ok = kernel.launch(values, stream); !ok)
        return std::move(ok.error());
    if (!r)
      r = driver.eventRecord(end, stream);
    if (r)
      return driverError(r, "the benchmark");
    if (auto ok = wait("the benchmark"); !ok)
      return std::move(ok.error());
    float ms = 0;
    if ((r = driver.eventElapsedTime(&ms, start, end)))
      return driverError(r, "the benchmark");
    return static_cast<double>(ms);
  };
  // One launch more than asked for, so that the estimate is of a warm one.
  if (options.warmup > 0)
    if (auto ms = round(options.warmup); !ms)
      return std::move(ms.error());
  auto one = round(1);
  if (!one)
    return std::move(one.error());
  const double least = std::max(*one, 1e-3);
  out.launchesPerRound =
      std::clamp(static_cast<int64_t>(std::ceil(roundMilliseconds / least)),
                 int64_t{1}, maxLaunchesPerRound);
  for (int64_t i = 0; i < options.rounds; ++i) {
    auto ms = round(out.launchesPerRound);
    if (!ms)
      return std::move(ms.error());
    out.milliseconds.push_back(*ms / static_cast<double>(out.launchesPerRound));
  }
  return out;
}
