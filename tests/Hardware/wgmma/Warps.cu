//===- Warps.cu - what does one warp's wait tell of the other three? ------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MM-71 (docs/memory-model.md). A warpgroup issues four products behind one
// wgmma.fence, and one of its warps is held back: before the fence, or between
// the first product and the second. Another warp waits for the group and looks
// how far the one that was held back has come; then it overwrites the operand.
// Each sum must be that of the operands as they were.
//
//===----------------------------------------------------------------------===//
#include <cstdint>
#include <cstdio>

namespace {

enum class Hold { BeforeFence, BetweenProducts };
enum class Operand { A, B };

constexpr int warps = 4, ctas = 132, rounds = 20000;
constexpr uint32_t ones = 0x3f803f80, twos = 0x40004000; // bf16 pairs
constexpr float sum = 64;                                // 4 products, k = 16

struct Counts {
  /// Products with a wrong sum; waits of another warp, by the warp held back,
  /// and those of them that returned while it was.
  unsigned long long wrong, waits[warps], late[warps];
};

/// D (64 x 8) += A (64 x 16) * B (16 x 8), `add` 0: D = A * B; A in registers
/// where the other operand is the one that is overwritten.
template <Operand changed>
__device__ void multiply(float (&d)[4], uint64_t a, uint64_t b, int add) {
  if constexpr (changed == Operand::A)
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %6, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
                 "{%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(a), "l"(b), "r"(add)
                 : "memory");
  else
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %6, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
                 "{%0, %1, %2, %3}, {%4, %4, %4, %4}, %5, p, 1, 1, 0; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(ones), "l"(b), "r"(add)
                 : "memory");
}

/// A matrix of no swizzle at a shared address; rows of 8 x 16 bytes lie close.
__device__ uint64_t descriptor(const void *shared) {
  return uint64_t(__cvta_generic_to_shared(shared) >> 4 & 0x3fff) |
         uint64_t(8) << 16 | uint64_t(16) << 32;
}

template <Hold hold, Operand changed, bool early>
__global__ void experiment(Counts *counts) {
  __shared__ __align__(1024) uint32_t operands[2][512];
  __shared__ volatile int reached[warps];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane == 0)
    reached[warp] = -1;
  __syncthreads();
  uint32_t *target = operands[changed == Operand::A ? 0 : 1];
  auto overwrite = [&] {
    for (int i = lane; i < 512; i += 32)
      target[i] = twos;
    asm volatile("fence.proxy.async;" ::: "memory");
  };
  Counts mine = {};
  for (int round = 0; round < rounds; ++round) {
    int watcher = round % warps, held = round / warps % warps;
    float d[4] = {};
    for (int i = threadIdx.x; i < 1024; i += 32 * warps)
      operands[0][i] = ones;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    uint64_t a = descriptor(operands[0]), b = descriptor(operands[1]);
    auto holdBack = [&] {
      __nanosleep(warp == held ? 20000 : 0);
      reached[warp] = round;
    };
    if (hold == Hold::BeforeFence)
      holdBack();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    multiply<changed>(d, a, b, 0);
    if (hold == Hold::BetweenProducts)
      holdBack();
    if (early && warp == watcher)
      overwrite();
    for (int i = 0; i < 3; ++i)
      multiply<changed>(d, a, b, 1);
    asm volatile("wgmma.commit_group.sync.aligned;\n"
                 "wgmma.wait_group.sync.aligned 0;" ::
                     : "memory");
    if (warp == watcher) {
      if (held != watcher) {
        ++mine.waits[held];
        mine.late[held] += reached[held] < round;
      }
      overwrite();
    }
    mine.wrong += d[0] != sum;
    __syncthreads();
  }
  if (lane)
    return;
  atomicAdd(&counts->wrong, mine.wrong);
  for (int i = 0; i < warps; ++i) {
    atomicAdd(&counts->waits[i], mine.waits[i]);
    atomicAdd(&counts->late[i], mine.late[i]);
  }
}

template <Hold hold, Operand changed, bool early> bool run(const char *what) {
  Counts *counts, result = {};
  cudaMalloc(&counts, sizeof(Counts));
  cudaMemset(counts, 0, sizeof(Counts));
  experiment<hold, changed, early><<<ctas, 32 * warps>>>(counts);
  cudaError_t status =
      cudaMemcpy(&result, counts, sizeof(Counts), cudaMemcpyDeviceToHost);
  std::printf("%s, %c: %s; %llu of %d sums wrong; of the others' waits "
              "returned early, by the warp held back:",
              what, changed == Operand::A ? 'A' : 'B',
              cudaGetErrorString(status), result.wrong, ctas * warps * rounds);
  for (int i = 0; i < warps; ++i)
    std::printf(" %llu of %llu", result.late[i], result.waits[i]);
  std::printf("\n");
  cudaFree(counts);
  return status == cudaSuccess;
}

} // namespace

int main() {
  cudaDeviceProp device;
  if (cudaGetDeviceProperties(&device, 0) != cudaSuccess)
    return 2;
  std::printf("%s\n", device.name);
  bool good = true;
  good &= run<Hold::BeforeFence, Operand::A, false>("before the fence");
  good &= run<Hold::BeforeFence, Operand::B, false>("before the fence");
  good &= run<Hold::BetweenProducts, Operand::A, false>("between products");
  good &= run<Hold::BetweenProducts, Operand::B, false>("between products");
  // That the experiment can fail: overwritten before the wait.
  good &= run<Hold::BetweenProducts, Operand::A, true>("overwritten early");
  good &= run<Hold::BetweenProducts, Operand::B, true>("overwritten early");
  return good ? 0 : 1;
}
