//===- FakeCuda.cpp - A libcuda for tests of titan-launch -----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared library with the driver's symbols, for machines without a GPU:
// TITAN_CUDA_LIBRARY=libtitan-fake-cuda.so titan-launch ... Device memory is
// host memory, a launch runs at once on the CPU, and an event ends when it is
// asked, unless the kernel hangs. The entry's name says what the kernel does
// with (D pointer, A pointer, rows i32, columns i32, stride of D i64, stride of
// A i64), elements of 2 bytes:
//
//   copy     D = A
//   tail     and the row's last 16-byte chunk is written whole, as TMA would
//   before   and one byte before D
//   input    and one byte of A
//   hang     copies half the rows and never ends
//   fault    ends with an illegal address
//
// A kernel of another name takes any parameters, and does nothing.
//
// TITAN_FAKE_CUDA (environment): "no-device", "init-fails", "ampere",
// "no-memory".
//
//===----------------------------------------------------------------------===//

#include "titan/Runtime/Driver.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

using namespace titan::runtime;

namespace {

/// A kernel: the name of its entry.
struct Kernel {
  char name[64];
};

int launches, hung, fault;
int64_t bytesAllocated;
bool is(const char *mode) {
  const char *text = std::getenv("TITAN_FAKE_CUDA");
  return text && std::strcmp(text, mode) == 0;
}

} // namespace

#define FAKE(SYMBOL, ARGS)                                                     \
  extern "C" __attribute__((visibility("default"))) cuda::Result SYMBOL ARGS

FAKE(cuInit, (unsigned)) {
  return is("no-device") ? 100 : is("init-fails") ? 999 : 0;
}
FAKE(cuDriverGetVersion, (int *version)) { return *version = 12080, 0; }
FAKE(cuDeviceGetCount, (int *count)) { return *count = 1, 0; }
FAKE(cuDeviceGet, (cuda::Device * device, int ordinal)) {
  return *device = ordinal, 0;
}
FAKE(cuDeviceGetName, (char *name, int length, cuda::Device)) {
  std::strncpy(name, "Fake GPU", static_cast<size_t>(length));
  return 0;
}
FAKE(cuDeviceGetAttribute, (int *value, int attribute, cuda::Device)) {
  switch (attribute) {
  case cuda::multiprocessorCount:
    *value = 4;
    break;
  case cuda::computeCapabilityMajor:
    *value = is("ampere") ? 8 : 9;
    break;
  case cuda::maxSharedMemoryPerBlockOptin:
    *value = 232448;
    break;
  default:
    *value = 0;
  }
  return 0;
}
FAKE(cuDevicePrimaryCtxRetain, (cuda::Context * context, cuda::Device)) {
  *context = reinterpret_cast<cuda::Context>(1);
  return 0;
}
FAKE(cuDevicePrimaryCtxRelease_v2, (cuda::Device)) {
  // What was allocated has been freed.
  if (bytesAllocated != 0)
    std::abort();
  return 0;
}
static cuda::Context current;
FAKE(cuCtxSetCurrent, (cuda::Context context)) { return current = context, 0; }
FAKE(cuCtxGetCurrent, (cuda::Context * context)) {
  return *context = current, 0;
}
FAKE(cuCtxGetDevice, (cuda::Device * device)) { return *device = 0, 0; }
FAKE(cuCtxGetId, (cuda::Context, unsigned long long *id)) { return *id = 1, 0; }
FAKE(cuModuleLoadDataEx, (cuda::Module * module, const void *image,
                          unsigned numOptions, int *options, void **values)) {
  if (std::strstr(static_cast<const char *>(image), "bad")) {
    for (unsigned i = 0; i < numOptions; ++i)
      if (options[i] == cuda::jitErrorLogBuffer)
        std::strcpy(static_cast<char *>(values[i]),
                    "ptxas application ptx input, line 1; fatal: bad");
    return 218;
  }
  *module = reinterpret_cast<cuda::Module>(1);
  return 0;
}
FAKE(cuModuleUnload, (cuda::Module)) { return 0; }
FAKE(cuModuleGetFunction,
     (cuda::Function * function, cuda::Module, const char *name)) {
  static Kernel kernel;
  std::strncpy(kernel.name, name, sizeof kernel.name - 1);
  *function = reinterpret_cast<cuda::Function>(&kernel);
  return 0;
}
FAKE(cuFuncGetAttribute, (int *value, int, cuda::Function)) {
  return *value = 32, 0;
}
FAKE(cuFuncSetAttribute, (cuda::Function, int, int)) { return 0; }
FAKE(cuOccupancyMaxActiveClusters,
     (int *count, cuda::Function, const cuda::LaunchConfig *)) {
  return *count = 2, 0;
}
FAKE(cuOccupancyMaxActiveBlocksPerMultiprocessor,
     (int *count, cuda::Function, int, size_t)) {
  return *count = 1, 0;
}
FAKE(cuTensorMapEncodeTiled,
     (cuda::TensorMap *, int, uint32_t, void *, const uint64_t *,
      const uint64_t *, const uint32_t *, const uint32_t *, int, int, int,
      int)) {
  return 0;
}
FAKE(cuTensorMapEncodeIm2col,
     (cuda::TensorMap *, int, uint32_t, void *, const uint64_t *,
      const uint64_t *, const int *, const int *, uint32_t, uint32_t,
      const uint32_t *, int, int, int, int)) {
  return 0;
}
FAKE(cuLaunchKernelEx, (const cuda::LaunchConfig *, cuda::Function function,
                        void **parameters, void **)) {
  const std::string_view name = reinterpret_cast<Kernel *>(function)->name;
  ++launches;
  constexpr std::string_view copies[] = {"copy",  "tail", "before",
                                         "input", "hang", "fault"};
  hung = name == "hang";
  fault = name == "fault";
  if (std::find(std::begin(copies), std::end(copies), name) == std::end(copies))
    return 0;
  uint64_t d, a;
  int32_t rows, columns;
  int64_t strideD, strideA;
  std::memcpy(&d, parameters[0], 8);
  std::memcpy(&a, parameters[1], 8);
  std::memcpy(&rows, parameters[2], 4);
  std::memcpy(&columns, parameters[3], 4);
  std::memcpy(&strideD, parameters[4], 8);
  std::memcpy(&strideA, parameters[5], 8);
  for (int32_t r = 0; r < (hung ? rows / 2 : rows); ++r) {
    auto *to = reinterpret_cast<char *>(d) + r * strideD * 2;
    std::memcpy(to, reinterpret_cast<char *>(a) + r * strideA * 2,
                static_cast<size_t>(columns) * 2);
    if (name == "tail")
      for (int32_t i = columns; i % 8; ++i)
        std::memset(to + 2 * i, 0, 2);
  }
  if (name == "before")
    reinterpret_cast<char *>(d)[-1] ^= 1;
  if (name == "input")
    reinterpret_cast<char *>(a)[1] ^= 1;
  return 0;
}
FAKE(cuStreamIsCapturing, (cuda::Stream, int *status)) {
  return *status = 0, 0;
}
// An allocation is aligned to 4096 bytes and keeps its size before it.
FAKE(cuMemAlloc_v2, (cuda::Pointer * pointer, size_t bytes)) {
  if (is("no-memory"))
    return cuda::outOfMemory;
  auto *block = static_cast<char *>(
      std::aligned_alloc(4096, (bytes + 8191) / 4096 * 4096));
  std::memcpy(block, &bytes, sizeof bytes);
  bytesAllocated += static_cast<int64_t>(bytes);
  *pointer = reinterpret_cast<uint64_t>(block + 4096);
  return 0;
}
FAKE(cuMemFree_v2, (cuda::Pointer pointer)) {
  auto *block = reinterpret_cast<char *>(pointer) - 4096;
  size_t bytes;
  std::memcpy(&bytes, block, sizeof bytes);
  bytesAllocated -= static_cast<int64_t>(bytes);
  std::free(block);
  return 0;
}
FAKE(cuMemHostAlloc, (void **pointer, size_t bytes, unsigned)) {
  return (*pointer = std::malloc(bytes)) ? 0 : cuda::outOfMemory;
}
FAKE(cuMemFreeHost, (void *pointer)) { return std::free(pointer), 0; }
FAKE(cuStreamSynchronize, (cuda::Stream)) { return 0; }
FAKE(cuMemcpyHtoD_v2, (cuda::Pointer to, const void *from, size_t bytes)) {
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return 0;
}
FAKE(cuMemcpyDtoH_v2, (void *to, cuda::Pointer from, size_t bytes)) {
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return 0;
}
FAKE(cuStreamCreate, (cuda::Stream * stream, unsigned flags)) {
  *stream = reinterpret_cast<cuda::Stream>(1);
  return flags == 1 ? 0 : 1;
}
FAKE(cuStreamDestroy_v2, (cuda::Stream)) { return 0; }
// An event is the number of launches before it.
FAKE(cuEventCreate, (cuda::Event * event, unsigned)) {
  *event = reinterpret_cast<cuda::Event>(new int);
  return 0;
}
FAKE(cuEventRecord, (cuda::Event event, cuda::Stream)) {
  *reinterpret_cast<int *>(event) = launches;
  return 0;
}
FAKE(cuEventQuery, (cuda::Event)) {
  return hung ? cuda::notReady : fault ? 700 : 0;
}
FAKE(cuEventElapsedTime, (float *ms, cuda::Event start, cuda::Event end)) {
  *ms = 0.5f * static_cast<float>(*reinterpret_cast<int *>(end) -
                                  *reinterpret_cast<int *>(start));
  return 0;
}
FAKE(cuEventDestroy_v2, (cuda::Event event)) {
  delete reinterpret_cast<int *>(event);
  return 0;
}
FAKE(cuGetErrorName, (cuda::Result, const char **text)) {
  *text = "CUDA_ERROR_FAKE";
  return 0;
}
FAKE(cuGetErrorString, (cuda::Result, const char **text)) {
  *text = "said the fake driver";
  return 0;
}
