//===- cluster_copy.cu - the peers of cluster_copy.py, in CUDA C++ --------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What @rotate of cluster_copy.py does, written by hand: a tile goes round the
// cluster, from shared memory to shared memory, `rounds` times. In each round
// every CTA expects the bytes, all meet, one thread maps its neighbour's buffer
// and barrier (mapa) and issues the copies, and all threads wait. The thread is
// chosen by elect.sync: with `threadIdx.x == 0` each copy of a row took four times as
// long on an H200.
//
//===----------------------------------------------------------------------===//
#include <cstdint>
#include <cuda_runtime.h>

static __device__ uint32_t addressOf(const void *pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}
static __device__ uint32_t mapTo(uint32_t address, uint32_t rank) {
  uint32_t mapped;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(mapped)
               : "r"(address), "r"(rank));
  return mapped;
}
static __device__ void meet() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
static __device__ void expect(uint32_t barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   barrier),
               "r"(bytes)
               : "memory");
}
static __device__ void wait(uint32_t barrier, uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], "
      "%1;\n"
      "@!done bra again;\n"
      "}\n" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

/// One thread of warp 0, of which the compiler knows that it is one.
static __device__ bool elected() {
  if (threadIdx.x >= 32)
    return false;
  uint32_t one;
  asm volatile("{\n"
               ".reg .pred chosen;\n"
               "elect.sync _|chosen, 0xffffffff;\n"
               "selp.u32 %0, 1, 0, chosen;\n"
               "}\n"
               : "=r"(one));
  return one;
}

/// `chunks` of `bytes` each, `pitch` apart: one run where there is one.
template <int Bytes, int Chunks, int Pitch>
static __global__ void __launch_bounds__(128)
    rotate(const char *a, char *b, int rounds) {
  constexpr int Tile = Bytes * Chunks, Buffer = Pitch * Chunks;
  extern __shared__ __align__(1024) char memory[];
  __shared__ __align__(8) uint64_t full, loaded;
  uint32_t buffers = addressOf(memory), barrier = addressOf(&full),
           first = addressOf(&loaded), rank, size;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  uint32_t next = rank + 1 == size ? 0 : rank + 1;
  a += int64_t(blockIdx.x) * Buffer;
  b += int64_t(blockIdx.x) * Buffer;
  if (elected()) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(first));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    expect(first, Buffer);
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                 "bytes [%0], [%1], %2, [%3];" ::"r"(buffers),
                 "l"(a), "r"(Buffer), "r"(first)
                 : "memory");
  }
  __syncthreads();
  wait(first, 0);
  for (int round = 0; round < rounds; ++round) {
    if (elected())
      expect(barrier, Tile);
    meet();
    if (elected()) {
      uint32_t from = buffers + (round % 2) * Buffer;
      uint32_t to = mapTo(buffers + (1 - round % 2) * Buffer, next);
      uint32_t far = mapTo(barrier, next);
      for (int chunk = 0; chunk < Chunks; ++chunk)
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::"
                     "complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         to + chunk * Pitch),
                     "r"(from + chunk * Pitch), "r"(Bytes), "r"(far)
                     : "memory");
    }
    wait(barrier, round % 2);
  }
  meet();
  if (elected()) {
    uint32_t from = buffers + (rounds % 2) * Buffer;
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], "
                 "%2;" ::"l"(b),
                 "r"(from), "r"(Buffer)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  }
}

template <typename Kernel>
static int launch(Kernel kernel, int shared, const void *a, void *b, int ctas,
                  int cluster, int rounds, void *stream) {
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       shared);
  cudaLaunchConfig_t config = {};
  config.gridDim = ctas;
  config.blockDim = 128;
  config.dynamicSmemBytes = shared;
  config.stream = static_cast<cudaStream_t>(stream);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, static_cast<const char *>(a),
                            static_cast<char *>(b), rounds);
}

/// All of a tile of 32768 bytes, or the left half of each of 256 rows of 256
/// bytes (of which the right half stays where it is).
extern "C" int rotate_whole(const void *a, void *b, int ctas, int cluster,
                            int rounds, void *stream) {
  return launch(rotate<32768, 1, 32768>, 2 * 32768, a, b, ctas, cluster, rounds,
                stream);
}
extern "C" int rotate_rows(const void *a, void *b, int ctas, int cluster,
                           int rounds, void *stream) {
  return launch(rotate<128, 256, 256>, 2 * 65536, a, b, ctas, cluster, rounds,
                stream);
}
