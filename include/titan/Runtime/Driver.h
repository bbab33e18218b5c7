//===- Driver.h - The CUDA driver as a table of functions -------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libcuda.so.1 is opened when the first GPU is asked for; nothing of the CUDA
// toolkit is needed to build. So the few types and functions that the runtime
// uses are declared here by hand, after the CUDA driver API (cuda.h, 12.x). The
// ABI of the driver is stable: a function's versioned symbol (..._v2) never
// changes its meaning, enum values are never renumbered.
//
// All calls go through a table. Tests put their own functions into one, and so
// see exactly which calls a launch makes.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_RUNTIME_DRIVER_H
#define TITAN_RUNTIME_DRIVER_H

#include "titan/Runtime/Error.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace titan::runtime {

//===----------------------------------------------------------------------===//
// Types of the driver API
//===----------------------------------------------------------------------===//

namespace cuda {

using Result = int;       ///< CUresult
using Device = int;       ///< CUdevice
using Pointer = uint64_t; ///< CUdeviceptr
using Context = struct ContextTag *;
using Module = struct ModuleTag *;
using Function = struct FunctionTag *;
using Stream = struct StreamTag *;
using Event = struct EventTag *;

// CUresult values that the runtime tells apart.
inline constexpr Result success = 0;
inline constexpr Result invalidValue = 1;
inline constexpr Result outOfMemory = 2;
inline constexpr Result noDevice = 100;
inline constexpr Result notReady = 600;
/// Whether a result says that a kernel ended with a fault, this one or an
/// earlier one; the context is lost then.
constexpr bool isFault(Result r) {
  return r == 700 /* illegal address */ || r == 702 /* launch timeout */ ||
         (r >= 714 && r <= 719) /* stack, instruction, alignment, space, pc,
                                   unspecified */
         || r == 710 /* assert */;
}

// CUdevice_attribute.
inline constexpr int multiprocessorCount = 16;
inline constexpr int l2CacheSize = 38;
inline constexpr int computeCapabilityMajor = 75;
inline constexpr int computeCapabilityMinor = 76;
inline constexpr int maxSharedMemoryPerBlockOptin = 97;

// CUfunction_attribute.
inline constexpr int functionSharedSizeBytes = 1;
inline constexpr int functionLocalSizeBytes = 3;
inline constexpr int functionNumRegs = 4;
inline constexpr int functionMaxDynamicSharedSizeBytes = 8;
inline constexpr int functionNonPortableClusterSizeAllowed = 14;

// CUjit_option.
inline constexpr int jitErrorLogBuffer = 5;
inline constexpr int jitErrorLogBufferSizeBytes = 6;

/// CUtensorMap: opaque, 128 bytes.
struct alignas(64) TensorMap {
  uint64_t opaque[16];
};

/// CUlaunchAttribute. The value is a union of 64 bytes.
struct LaunchAttribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } clusterDim; ///< CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
    /// CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
    int programmaticStreamSerialization;
  } value;
};
inline constexpr int launchAttributeClusterDimension = 4;
inline constexpr int launchAttributeProgrammaticStreamSerialization = 6;

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ;    ///< In CTAs.
  unsigned blockDimX, blockDimY, blockDimZ; ///< In threads.
  unsigned sharedMemBytes;                  ///< Dynamic, per CTA.
  Stream stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};

static_assert(sizeof(TensorMap) == 128 && sizeof(LaunchAttribute) == 72 &&
              sizeof(LaunchConfig) == 56);

} // namespace cuda

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// Every driver function that the runtime and titan-launch call: name here,
/// symbol in the library, arguments. All return CUresult.
#define TITAN_CUDA_FUNCTIONS(F)                                                \
  /* Start, devices, contexts. */                                              \
  F(init, cuInit, (unsigned flags))                                            \
  F(driverGetVersion, cuDriverGetVersion, (int *version))                      \
  F(deviceGetCount, cuDeviceGetCount, (int *count))                            \
  F(deviceGet, cuDeviceGet, (cuda::Device * device, int ordinal))              \
  F(deviceGetName, cuDeviceGetName,                                            \
    (char *name, int length, cuda::Device device))                             \
  F(deviceGetAttribute, cuDeviceGetAttribute,                                  \
    (int *value, int attribute, cuda::Device device))                          \
  F(devicePrimaryCtxRetain, cuDevicePrimaryCtxRetain,                          \
    (cuda::Context * context, cuda::Device device))                            \
  F(devicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2,                     \
    (cuda::Device device))                                                     \
  F(ctxSetCurrent, cuCtxSetCurrent, (cuda::Context context))                   \
  F(ctxGetCurrent, cuCtxGetCurrent, (cuda::Context * context))                 \
  F(ctxGetDevice, cuCtxGetDevice, (cuda::Device * device))                     \
  F(ctxGetId, cuCtxGetId, (cuda::Context context, unsigned long long *id))     \
  /* Code. */                                                                  \
  F(moduleLoadDataEx, cuModuleLoadDataEx,                                      \
    (cuda::Module * module, const void *image, unsigned numOptions,            \
     int *options, void **values))                                             \
  F(moduleUnload, cuModuleUnload, (cuda::Module module))                       \
  F(moduleGetFunction, cuModuleGetFunction,                                    \
    (cuda::Function * function, cuda::Module module, const char *name))        \
  F(funcGetAttribute, cuFuncGetAttribute,                                      \
    (int *value, int attribute, cuda::Function function))                      \
  F(funcSetAttribute, cuFuncSetAttribute,                                      \
    (cuda::Function function, int attribute, int value))                       \
  F(occupancyMaxActiveClusters, cuOccupancyMaxActiveClusters,                  \
    (int *count, cuda::Function function, const cuda::LaunchConfig *config))   \
  F(occupancyMaxActiveBlocksPerMultiprocessor,                                 \
    cuOccupancyMaxActiveBlocksPerMultiprocessor,                               \
    (int *count, cuda::Function function, int blockSize,                       \
     size_t dynamicShared))                                                    \
  /* Launches. */                                                              \
  F(tensorMapEncodeTiled, cuTensorMapEncodeTiled,                              \
    (cuda::TensorMap * map, int type, uint32_t rank, void *address,            \
     const uint64_t *dims, const uint64_t *byteStrides, const uint32_t *box,   \
     const uint32_t *elementStrides, int interleave, int swizzle,              \
     int l2Promotion, int fill))                                               \
  F(tensorMapEncodeIm2col, cuTensorMapEncodeIm2col,                            \
    (cuda::TensorMap * map, int type, uint32_t rank, void *address,            \
     const uint64_t *dims, const uint64_t *byteStrides, const int *lower,      \
     const int *upper, uint32_t channels, uint32_t pixels,                     \
     const uint32_t *elementStrides, int interleave, int swizzle,              \
     int l2Promotion, int fill))                                               \
  F(launchKernelEx, cuLaunchKernelEx,                                          \
    (const cuda::LaunchConfig *config, cuda::Function function,                \
     void **parameters, void **extra))                                         \
  F(streamIsCapturing, cuStreamIsCapturing,                                    \
    (cuda::Stream stream, int *status))                                        \
  /* For titan-launch alone: memory, streams, events. */                       \
  F(memAlloc, cuMemAlloc_v2, (cuda::Pointer * pointer, size_t bytes))          \
  F(memFree, cuMemFree_v2, (cuda::Pointer pointer))                            \
  F(memcpyHtoD, cuMemcpyHtoD_v2,                                               \
    (cuda::Pointer to, const void *from, size_t bytes))                        \
  F(memcpyDtoH, cuMemcpyDtoH_v2, (void *to, cuda::Pointer from, size_t bytes)) \
  F(streamCreate, cuStreamCreate, (cuda::Stream * stream, unsigned flags))     \
  F(streamDestroy, cuStreamDestroy_v2, (cuda::Stream stream))                  \
  F(eventCreate, cuEventCreate, (cuda::Event * event, unsigned flags))         \
  F(eventRecord, cuEventRecord, (cuda::Event event, cuda::Stream stream))      \
  F(eventQuery, cuEventQuery, (cuda::Event event))                             \
  F(eventElapsedTime, cuEventElapsedTime,                                      \
    (float *milliseconds, cuda::Event start, cuda::Event end))                 \
  F(eventDestroy, cuEventDestroy_v2, (cuda::Event event))                      \
  /* Errors. */                                                                \
  F(getErrorName, cuGetErrorName, (cuda::Result result, const char **text))    \
  F(getErrorString, cuGetErrorString, (cuda::Result result, const char **text))

/// The driver. Copyable; a function that the library lacks is null (an old
/// driver), which openDriver refuses.
struct Driver {
#define TITAN_CUDA_MEMBER(NAME, SYMBOL, ARGS)                                  \
  cuda::Result(*NAME) ARGS = nullptr;
  TITAN_CUDA_FUNCTIONS(TITAN_CUDA_MEMBER)
#undef TITAN_CUDA_MEMBER

  /// "CUDA_ERROR_INVALID_VALUE (1): invalid argument".
  std::string describe(cuda::Result result) const;
};

/// Opens libcuda.so.1 (or the library that the environment variable
/// TITAN_CUDA_LIBRARY names: a driver in another place, or a test's), finds
/// every function and initialises the driver; once a process, later calls
/// return the same table. Errors: no-gpu (no library, too old a library, no
/// device), driver-error.
Result<const Driver *> openDriver();

/// The same with another library name, without caching; for tests.
Result<std::unique_ptr<Driver>> openDriver(const char *library);

} // namespace titan::runtime

#endif // TITAN_RUNTIME_DRIVER_H
