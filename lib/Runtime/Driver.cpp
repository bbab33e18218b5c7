//===- Driver.cpp - The CUDA driver as a table of functions ---------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Runtime/Driver.h"

#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

using namespace titan;
using namespace titan::runtime;

std::string Driver::describe(cuda::Result result) const {
  const char *name = nullptr, *text = nullptr;
  if (getErrorName)
    getErrorName(result, &name);
  if (getErrorString)
    getErrorString(result, &text);
  return std::string(name ? name : "CUresult") + " (" + std::to_string(result) +
         ")" + (text ? std::string(": ") + text : std::string());
}

runtime::Result<std::unique_ptr<Driver>>
titan::runtime::openDriver(const char *library) {
  // Never closed: the driver keeps threads and exit handlers of its own.
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *why = dlerror();
    return makeError(Code::NoGpu,
                     std::string("the CUDA driver library could not be "
                                 "opened: ") +
                         (why ? why : "no reason given"),
                     library,
                     "install NVIDIA's driver; `titan run` simulates without "
                     "a GPU");
  }
  auto driver = std::make_unique<Driver>();
  const char *missing = nullptr;
#define TITAN_CUDA_FIND(NAME, SYMBOL, ARGS)                                    \
  driver->NAME =                                                               \
      reinterpret_cast<cuda::Result(*) ARGS>(dlsym(handle, #SYMBOL));          \
  if (!driver->NAME)                                                           \
    missing = #SYMBOL;
  TITAN_CUDA_FUNCTIONS(TITAN_CUDA_FIND)
#undef TITAN_CUDA_FIND
  if (missing) {
    dlclose(handle);
    return makeError(Code::NoGpu,
                     std::string("the CUDA driver has no function ") + missing,
                     library,
                     "update NVIDIA's driver: one for CUDA 12 or later is "
                     "needed");
  }
  if (cuda::Result r = driver->init(0)) {
    if (r == cuda::noDevice)
      return makeError(Code::NoGpu, "the CUDA driver sees no device", library,
                       "check nvidia-smi and CUDA_VISIBLE_DEVICES; `titan "
                       "run` simulates without a GPU");
    return makeError(
        Code::NoGpu,
        "the CUDA driver could not be started: " + driver->describe(r), library,
        "check nvidia-smi; library and kernel module must be of "
        "one version");
  }
  return driver;
}

runtime::Result<const Driver *> titan::runtime::openDriver() {
  static std::mutex mutex;
  static std::unique_ptr<Driver> driver;
  std::lock_guard lock(mutex);
  if (!driver) {
    const char *named = std::getenv("TITAN_CUDA_LIBRARY");
    auto opened = openDriver(named && *named ? named : "libcuda.so.1");
    if (!opened)
      return std::move(opened.error());
    driver = std::move(*opened);
  }
  return driver.get();
}
