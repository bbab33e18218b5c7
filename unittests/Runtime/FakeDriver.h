//===- FakeDriver.h - A driver that records its calls -----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of functions that stand in for libcuda: each records its name, and
// what the runtime gave it, in one global state; each can be told to fail. All
// functions of the table are there: one that the tests do not expect only
// records that it was called.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_UNITTESTS_RUNTIME_FAKEDRIVER_H
#define TITAN_UNITTESTS_RUNTIME_FAKEDRIVER_H

#include "titan/Runtime/Driver.h"

#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace titan::runtime::fake {

/// What one cuLaunchKernelEx was given.
struct Launch {
  cuda::LaunchConfig config;
  std::vector<cuda::LaunchAttribute> attributes;
  cuda::Function function;
  std::vector<void *> parameters; ///< Only valid during the call.
};

/// What one cuTensorMapEncodeTiled or, with corners, Im2col was given.
struct Encode {
  int type, interleave, swizzle, l2Promotion, fill;
  uint64_t address = 0;
  std::vector<uint64_t> dims, byteStrides;
  std::vector<uint32_t> box, elementStrides;
  bool aligned = false; ///< The map's address is a multiple of 64.
  std::vector<int> lower, upper;
  uint32_t channels = 0, pixels = 0;
};

struct State {
  std::mutex mutex;
  std::vector<std::string> calls;
  std::map<std::string, cuda::Result> failures; ///< By symbol.
  uint64_t context = 1; ///< Identifier of the current context; 0: none.
  std::map<int, int> deviceAttributes = {
      {cuda::multiprocessorCount, 132},
      {cuda::computeCapabilityMajor, 9},
      {cuda::computeCapabilityMinor, 0},
      {cuda::maxSharedMemoryPerBlockOptin, 232448},
      {cuda::l2CacheSize, 52428800}};
  std::map<int, int> functionAttributes = {{cuda::functionNumRegs, 168}};
  std::map<int, int> functionAttributesSet;
  std::string image, entry, jitLog;
  int occupancy = 1;
  int capturing = 0;
  std::vector<Encode> encodes;
  Launch launch; ///< The last one.
  void (*onLaunch)(const Launch &) = nullptr;

  size_t count(const std::string &symbol) const {
    size_t n = 0;
    for (const std::string &c : calls)
      n += c == symbol;
    return n;
  }
};
inline State state;

/// Forgets everything; called before each test.
inline void reset() {
  state.~State();
  new (&state) State;
}

/// Records a call; its result.
inline cuda::Result enter(const char *symbol) {
  std::lock_guard lock(state.mutex);
  state.calls.push_back(symbol);
  auto it = state.failures.find(symbol);
  return it == state.failures.end() ? cuda::success : it->second;
}

/// Records what an encoder was given, `given` and what follows it; the map
/// tells which tensor it is of.
inline cuda::Result encode(const char *symbol, cuda::TensorMap *map,
                           Encode given, uint32_t rank, void *address,
                           const uint64_t *dims, const uint64_t *byteStrides,
                           const uint32_t *elementStrides) {
  const cuda::Result r = enter(symbol);
  given.address = reinterpret_cast<uint64_t>(address);
  given.dims.assign(dims, dims + rank);
  given.byteStrides.assign(byteStrides, byteStrides + rank - 1);
  given.elementStrides.assign(elementStrides, elementStrides + rank);
  given.aligned = reinterpret_cast<uint64_t>(map) % 64 == 0;
  for (uint64_t &word : map->opaque)
    word = given.address + dims[0];
  std::lock_guard lock(state.mutex);
  state.encodes.push_back(std::move(given));
  return r;
}

/// A driver whose functions record, and where it matters answer.
inline Driver makeDriver() {
  Driver d;
#define TITAN_FAKE(NAME, SYMBOL, ARGS)                                         \
  d.NAME = [] ARGS -> cuda::Result { return enter(#SYMBOL); };
  TITAN_CUDA_FUNCTIONS(TITAN_FAKE)
#undef TITAN_FAKE

  d.ctxGetCurrent = [](cuda::Context *context) {
    *context = reinterpret_cast<cuda::Context>(state.context * 4096);
    return enter("cuCtxGetCurrent");
  };
  d.ctxGetId = [](cuda::Context context, unsigned long long *id) {
    *id = reinterpret_cast<uint64_t>(context) / 4096;
    return enter("cuCtxGetId");
  };
  d.ctxGetDevice = [](cuda::Device *device) {
    *device = 0;
    return enter("cuCtxGetDevice");
  };
  d.deviceGetAttribute = [](int *value, int attribute, cuda::Device) {
    *value = state.deviceAttributes.at(attribute);
    return enter("cuDeviceGetAttribute");
  };
  d.moduleLoadDataEx = [](cuda::Module *module, const void *image,
                          unsigned numOptions, int *options, void **values) {
    const cuda::Result r = enter("cuModuleLoadDataEx");
    std::lock_guard lock(state.mutex);
    state.image = static_cast<const char *>(image);
    for (unsigned i = 0; i < numOptions; ++i)
      if (options[i] == cuda::jitErrorLogBuffer && r)
        std::strcpy(static_cast<char *>(values[i]), state.jitLog.c_str());
    *module = reinterpret_cast<cuda::Module>(0x100 + state.context);
    return r;
  };
  d.moduleGetFunction = [](cuda::Function *function, cuda::Module,
                           const char *name) {
    const cuda::Result r = enter("cuModuleGetFunction");
    std::lock_guard lock(state.mutex);
    state.entry = name;
    *function = reinterpret_cast<cuda::Function>(0x200 + state.context);
    return r;
  };
  d.funcGetAttribute = [](int *value, int attribute, cuda::Function) {
    *value = state.functionAttributes[attribute];
    return enter("cuFuncGetAttribute");
  };
  d.funcSetAttribute = [](cuda::Function, int attribute, int value) {
    state.functionAttributesSet[attribute] = value;
    return enter("cuFuncSetAttribute");
  };
  d.occupancyMaxActiveBlocksPerMultiprocessor = [](int *count, cuda::Function,
                                                   int, size_t) {
    *count = state.occupancy;
    return enter("cuOccupancyMaxActiveBlocksPerMultiprocessor");
  };
  d.occupancyMaxActiveClusters = [](int *count, cuda::Function,
                                    const cuda::LaunchConfig *) {
    *count = state.occupancy;
    return enter("cuOccupancyMaxActiveClusters");
  };
  d.streamIsCapturing = [](cuda::Stream, int *status) {
    *status = state.capturing;
    return enter("cuStreamIsCapturing");
  };
  d.tensorMapEncodeTiled = [](cuda::TensorMap *map, int type, uint32_t rank,
                              void *address, const uint64_t *dims,
                              const uint64_t *byteStrides, const uint32_t *box,
                              const uint32_t *elementStrides, int interleave,
                              int swizzle, int l2Promotion, int fill) {
    return encode("cuTensorMapEncodeTiled", map,
                  {.type = type,
                   .interleave = interleave,
                   .swizzle = swizzle,
                   .l2Promotion = l2Promotion,
                   .fill = fill,
                   .box = {box, box + rank}},
                  rank, address, dims, byteStrides, elementStrides);
  };
  d.tensorMapEncodeIm2col =
      [](cuda::TensorMap *map, int type, uint32_t rank, void *address,
         const uint64_t *dims, const uint64_t *byteStrides, const int *lower,
         const int *upper, uint32_t channels, uint32_t pixels,
         const uint32_t *elementStrides, int interleave, int swizzle,
         int l2Promotion, int fill) {
        return encode("cuTensorMapEncodeIm2col", map,
                      {.type = type,
                       .interleave = interleave,
                       .swizzle = swizzle,
                       .l2Promotion = l2Promotion,
                       .fill = fill,
                       .lower = {lower, lower + rank - 2},
                       .upper = {upper, upper + rank - 2},
                       .channels = channels,
                       .pixels = pixels},
                      rank, address, dims, byteStrides, elementStrides);
      };
  d.launchKernelEx = [](const cuda::LaunchConfig *config,
                        cuda::Function function, void **parameters,
                        void **extra) {
    const cuda::Result r = enter("cuLaunchKernelEx");
    std::lock_guard lock(state.mutex);
    state.launch = {
        *config,
        {config->attributes, config->attributes + config->numAttributes},
        function,
        {parameters, parameters + 1}};
    state.launch.parameters.clear();
    for (int i = 0; i < 7; ++i)
      state.launch.parameters.push_back(parameters[i]);
    if (state.onLaunch)
      state.onLaunch(state.launch);
    return extra ? cuda::invalidValue : r;
  };
  d.getErrorName = [](cuda::Result, const char **text) {
    *text = "CUDA_ERROR_FAKE";
    return 0;
  };
  d.getErrorString = [](cuda::Result, const char **text) {
    *text = "told to fail";
    return 0;
  };
  return d;
}

} // namespace titan::runtime::fake

#endif // TITAN_UNITTESTS_RUNTIME_FAKEDRIVER_H
