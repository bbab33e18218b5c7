//===- CudaAbiTest.cpp - Hand-written declarations against cuda.h ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Built only where a CUDA toolkit is installed (12.0 or later): everything that
// Driver.h declares by hand is compared with the toolkit's header, when this
// compiles.
//
//===----------------------------------------------------------------------===//

#include "titan/Runtime/Driver.h"
#include "titan/Runtime/TensorMap.h"

// All versions of a function, under the names of their symbols.
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

#include <gtest/gtest.h>
#include <type_traits>

#if CUDA_VERSION >= 12000

using namespace titan::runtime;

namespace {

/// Two types that are passed alike: both pointers, or both of one size.
template <typename Ours, typename Theirs>
constexpr bool alike =
    std::is_pointer_v<Ours> == std::is_pointer_v<Theirs> &&
    std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs> &&
    sizeof(Ours) == sizeof(Theirs);

template <typename Ours, typename Theirs> struct SameCall : std::false_type {};
template <typename R, typename... Ours, typename S, typename... Theirs>
  requires(sizeof...(Ours) == sizeof...(Theirs))
struct SameCall<R (*)(Ours...), S(Theirs...)>
    : std::bool_constant<alike<R, S> && (alike<Ours, Theirs> && ...)> {};

#define TITAN_COMPARE(NAME, SYMBOL, ARGS)                                      \
  static_assert(SameCall<decltype(Driver::NAME), decltype(::SYMBOL)>::value,   \
                #SYMBOL);
TITAN_CUDA_FUNCTIONS(TITAN_COMPARE)

static_assert(cuda::success == CUDA_SUCCESS);
static_assert(cuda::invalidValue == CUDA_ERROR_INVALID_VALUE);
static_assert(cuda::outOfMemory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(cuda::noDevice == CUDA_ERROR_NO_DEVICE);
static_assert(cuda::notReady == CUDA_ERROR_NOT_READY);
static_assert(cuda::isFault(CUDA_ERROR_ILLEGAL_ADDRESS) &&
              cuda::isFault(CUDA_ERROR_LAUNCH_TIMEOUT) &&
              cuda::isFault(CUDA_ERROR_ASSERT) &&
              cuda::isFault(CUDA_ERROR_HARDWARE_STACK_ERROR) &&
              cuda::isFault(CUDA_ERROR_ILLEGAL_INSTRUCTION) &&
              cuda::isFault(CUDA_ERROR_MISALIGNED_ADDRESS) &&
              cuda::isFault(CUDA_ERROR_INVALID_ADDRESS_SPACE) &&
              cuda::isFault(CUDA_ERROR_INVALID_PC) &&
              cuda::isFault(CUDA_ERROR_LAUNCH_FAILED) &&
              !cuda::isFault(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES) &&
              !cuda::isFault(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE));
static_assert(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED == 900 &&
              CUDA_ERROR_STREAM_CAPTURE_IMPLICIT == 906);

static_assert(cuda::multiprocessorCount ==
              CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(cuda::l2CacheSize == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
static_assert(cuda::computeCapabilityMajor ==
              CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(cuda::computeCapabilityMinor ==
              CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(cuda::maxSharedMemoryPerBlockOptin ==
              CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
static_assert(cuda::functionSharedSizeBytes ==
              CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
static_assert(cuda::functionLocalSizeBytes ==
              CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
static_assert(cuda::functionNumRegs == CU_FUNC_ATTRIBUTE_NUM_REGS);
static_assert(cuda::functionMaxDynamicSharedSizeBytes ==
              CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
static_assert(cuda::functionNonPortableClusterSizeAllowed ==
              CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
static_assert(cuda::jitErrorLogBuffer == CU_JIT_ERROR_LOG_BUFFER);
static_assert(cuda::jitErrorLogBufferSizeBytes ==
              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
static_assert(cuda::launchAttributeProgrammaticStreamSerialization ==
              CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
static_assert(cuda::launchAttributeClusterDimension ==
              CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);

static_assert(sizeof(cuda::TensorMap) == sizeof(CUtensorMap));
static_assert(sizeof(cuda::LaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(offsetof(cuda::LaunchAttribute, value) ==
              offsetof(CUlaunchAttribute, value));
static_assert(sizeof(cuda::LaunchConfig) == sizeof(CUlaunchConfig));
#define TITAN_SAME_PLACE(OURS, THEIRS)                                         \
  static_assert(offsetof(cuda::LaunchConfig, OURS) ==                          \
                offsetof(CUlaunchConfig, THEIRS));
TITAN_SAME_PLACE(gridDimX, gridDimX)
TITAN_SAME_PLACE(blockDimX, blockDimX)
TITAN_SAME_PLACE(sharedMemBytes, sharedMemBytes)
TITAN_SAME_PLACE(stream, hStream)
TITAN_SAME_PLACE(attributes, attrs)
TITAN_SAME_PLACE(numAttributes, numAttrs)

static_assert(static_cast<int>(titan::TmaInterleave::B32) ==
              CU_TENSOR_MAP_INTERLEAVE_32B);
// A bool for the fill, the bit width of 64 bytes for the promotion.
static_assert(CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA == 1 &&
              CU_TENSOR_MAP_L2_PROMOTION_L2_64B == 1 &&
              CU_TENSOR_MAP_L2_PROMOTION_L2_256B == 3);

TEST(CudaAbi, TablesOfLibTarget) {
  auto type = [](const char *name) { return titan::findTmaType(name)->driver; };
  EXPECT_EQ(type("u8"), CU_TENSOR_MAP_DATA_TYPE_UINT8);
  EXPECT_EQ(type("s32"), CU_TENSOR_MAP_DATA_TYPE_INT32);
  EXPECT_EQ(type("f16"), CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
  EXPECT_EQ(type("f32"), CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
  EXPECT_EQ(type("f64"), CU_TENSOR_MAP_DATA_TYPE_FLOAT64);
  EXPECT_EQ(type("bf16"), CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
  EXPECT_EQ(type("f32.ftz"), CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ);
  EXPECT_EQ(type("tf32"), CU_TENSOR_MAP_DATA_TYPE_TFLOAT32);
  EXPECT_EQ(type("tf32.ftz"), CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ);
  auto swizzle = [](const char *name) {
    return titan::findTmaSwizzle(name)->driver;
  };
  EXPECT_EQ(swizzle("none"), CU_TENSOR_MAP_SWIZZLE_NONE);
  EXPECT_EQ(swizzle("32B"), CU_TENSOR_MAP_SWIZZLE_32B);
  EXPECT_EQ(swizzle("64B"), CU_TENSOR_MAP_SWIZZLE_64B);
  EXPECT_EQ(swizzle("128B"), CU_TENSOR_MAP_SWIZZLE_128B);
}

} // namespace

#endif // CUDA_VERSION
