//===- cluster_profile.cu - what a CTA of a cluster gets a clock -*- CUDA -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an all-gather is made of: each CTA gets a tile of each other one of its
// cluster, again and again, by several ways; and what one access, and one
// barrier of the cluster, takes alone.
//
//   nvcc -O3 -std=c++17 -arch=sm_90a cluster_profile.cu -o cluster_profile && ./cluster_profile
//
// Printed: bytes a clock and multiprocessor, of all multiprocessors at once and
// of one cluster alone; clocks of one access, one barrier.
//
//===----------------------------------------------------------------------===//
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

constexpr int threads = 256, tile = 16384, steps = 64, batch = 4;
enum Way { Load, Store, Bulk, Cache, Chase, ChaseCache, Barrier };

__device__ uint32_t address(const void *p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ uint32_t mapped(uint32_t at, int rank) {
  uint32_t there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(there)
               : "r"(at), "r"(rank));
  return there;
}
__device__ uint4 loadPeer(uint32_t at) {
  uint4 v;
  asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(at));
  return v;
}
__device__ void storePeer(uint32_t at, uint4 v) {
  asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(at),
               "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
               : "memory");
}
__device__ void bulk(uint32_t to, uint32_t from, uint32_t barrier) {
  asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx"
               "::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "r"(from), "n"(tile), "r"(barrier)
               : "memory");
}

template <Way way>
__global__ void __launch_bounds__(threads, 1)
    profile(int n, const uint4 *global, long long *clocks,
            uint32_t *out) {
  extern __shared__ __align__(128) uint8_t memory[];
  __shared__ __align__(8) uint64_t barrier;
  auto cluster = cg::this_cluster();
  int rank = cluster.block_rank(), first = blockIdx.x - rank;
  uint4 *mine = reinterpret_cast<uint4 *>(memory);
  for (int i = threadIdx.x; i < tile / 16; i += threads)
    mine[i] = make_uint4((i + 1) % (tile / 16) * 16, i, rank, 3);
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n"
                 "fence.mbarrier_init.release.cluster;" ::"r"(address(&barrier)));
  asm volatile("fence.proxy.async.shared::cta;");
  cluster.sync();
  uint4 sum = make_uint4(0, 0, 0, 0);
  long long begin = clock64();
  if (way == Chase || way == ChaseCache) {
    // One thread, each access at what the last one has read.
    uint32_t there = mapped(address(mine), (rank + 1) % n), at = 0;
    const uint8_t *cache =
        reinterpret_cast<const uint8_t *>(global) + size_t(first + (rank + 1) % n) * tile;
    if (threadIdx.x == 0)
      for (int s = 0; s < steps; ++s) {
        if (way == Chase)
          asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(at) : "r"(there + at));
        else
          asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(cache + at));
      }
    sum.x = at;
  } else if (way == Barrier) {
    for (int s = 0; s < steps; ++s)
      cluster.sync();
  } else if (way == Bulk) {
    for (int s = 0; s < steps / batch; ++s) {
      if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                         address(&barrier)),
                     "r"(batch * (n - 1) * tile));
      }
      cluster.sync(); // Each expects before a peer copies.
      if (threadIdx.x == 0) {
        for (int b = 0; b < batch; ++b)
          for (int k = 1; k < n; ++k)
            bulk(mapped(address(memory + k * tile), (rank + k) % n), address(mine),
                 mapped(address(&barrier), (rank + k) % n));
      }
      asm volatile("{ .reg .pred p;\n again:\n"
                   "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n"
                   "@!p bra again; }" ::"r"(address(&barrier)),
                   "r"(s & 1)
                   : "memory");
      cluster.sync(); // All have come before any is expected again.
    }
  } else {
    for (int s = 0; s < steps; ++s)
      for (int k = 1; k < n; ++k) {
        int peer = (rank + k) % n;
        uint32_t there = mapped(address(mine), peer);
        const uint4 *cache = global + size_t(first + peer) * (tile / 16);
        constexpr int each = tile / 16 / threads;
        uint4 v[each]; // All under way at once.
#pragma unroll
        for (int i = 0; i < each; ++i) {
          int at = threadIdx.x + i * threads;
          if (way == Load)
            v[i] = loadPeer(there + at * 16);
          else if (way == Store)
            storePeer(there + k * tile + at * 16, sum);
          else
            asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(v[i].x), "=r"(v[i].y), "=r"(v[i].z), "=r"(v[i].w)
                         : "l"(cache + at));
        }
        if (way != Store)
#pragma unroll
          for (int i = 0; i < each; ++i)
            sum.x ^= v[i].x, sum.y ^= v[i].y, sum.z ^= v[i].z, sum.w ^= v[i].w;
      }
    cluster.sync();
  }
  long long end = clock64();
  cluster.sync();
  if (threadIdx.x == 0)
    clocks[blockIdx.x] = end - begin;
  out[blockIdx.x * threads + threadIdx.x] = sum.x ^ sum.y ^ sum.z ^ sum.w;
}

static void check(cudaError_t error) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

int main() {
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0));
  std::printf("%s\n", device.name);
  int most = device.multiProcessorCount;
  uint4 *global;
  long long *clocks;
  uint32_t *out;
  check(cudaMalloc(&global, size_t(most) * tile));
  check(cudaMalloc(&clocks, most * sizeof(long long)));
  check(cudaMalloc(&out, most * threads * 4));
  std::vector<uint4> chain(size_t(most) * tile / 16);
  for (size_t i = 0; i < chain.size(); ++i)
    chain[i] = make_uint4((i % (tile / 16) + 1) % (tile / 16) * 16, 1, 2, 3);
  check(cudaMemcpy(global, chain.data(), chain.size() * 16, cudaMemcpyHostToDevice));
  int bytes = 8 * tile + 1024;
  struct {
    Way way;
    const char *name;
    void (*kernel)(int, const uint4 *, long long *, uint32_t *);
  } ways[] = {{Load, "loads of peers", profile<Load>},
              {Store, "stores to peers", profile<Store>},
              {Bulk, "bulk copies to peers", profile<Bulk>},
              {Cache, "loads through L2", profile<Cache>},
              {Chase, "one load of a peer", profile<Chase>},
              {ChaseCache, "one load through L2", profile<ChaseCache>},
              {Barrier, "one cluster barrier", profile<Barrier>}};
  for (auto [way, name, kernel] : ways) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    for (int n : {2, 4, 8})
      for (int grid : {most / 8 * 8 / n * n, n}) {
        cudaLaunchConfig_t config = {};
        cudaLaunchAttribute attribute;
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = n;
        attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
        config.gridDim = grid, config.blockDim = threads;
        config.dynamicSmemBytes = bytes;
        config.attrs = &attribute, config.numAttrs = 1;
        std::vector<long long> all(grid);
        double clocksEach = 0;
        for (int round = 0; round < 6; ++round) { // The first one warms up.
          check(cudaLaunchKernelEx(&config, kernel, n, (const uint4 *)global, clocks, out));
          check(cudaDeviceSynchronize());
          check(cudaMemcpy(all.data(), clocks, grid * sizeof(long long), cudaMemcpyDeviceToHost));
          double sum = 0;
          for (long long c : all)
            sum += c;
          if (round)
            clocksEach += sum / grid / 5;
        }
        bool one = way == Chase || way == ChaseCache || way == Barrier;
        std::printf("%-22s clusters of %d, %3d CTAs: %7.1f %s\n", name, n, grid,
                    one ? clocksEach / steps : double(steps) * (n - 1) * tile / clocksEach,
                    one ? "clocks" : "bytes a clock");
      }
  }
  return 0;
}
