//===- Gpu.cu - One tensor copy on a GPU ----------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One kernel for each (rank, tiled or im2col, load, store or reduction): 80. A
// block of 128 threads fills shared memory, one thread copies, the block writes
// shared memory back.
//
//===----------------------------------------------------------------------===//
#include "Device.h"

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

using namespace titan;
using namespace titan::hw;

namespace {

struct Report {
  uint32_t base, completed, clean;
  int32_t raw; // Count::Raw: bytes, -1: no multiple of 16.
};

struct Params {
  int32_t c[5];
  uint16_t offsets[3];
  uint16_t count;
  uint32_t at, window, expect;
  const uint8_t *in;
  uint8_t *out; // The window.
  Report *report;
  const CUtensorMap *globalMap;
};

constexpr int operations = 10; // Load, store, and eight reductions.
constexpr const char *reductions[] = {"add", "min", "max", "inc",
                                      "dec", "and", "or",  "xor"};

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

#define REGS1 "r"(p.c[0])
#define REGS2 REGS1, "r"(p.c[1])
#define REGS3 REGS2, "r"(p.c[2])
#define REGS4 REGS3, "r"(p.c[3])
#define REGS5 REGS4, "r"(p.c[4])
#define OFFS3 "h"(p.offsets[0])
#define OFFS4 OFFS3, "h"(p.offsets[1])
#define OFFS5 OFFS4, "h"(p.offsets[2])

#define LOAD(RANK, COORDS)                                                     \
  asm volatile("cp.async.bulk.tensor." #RANK                                   \
               "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "   \
               "[%0], [%1, {" COORDS "}], [%2];" ::"r"(shared),                \
               "l"(map), "r"(barrier), REGS##RANK                              \
               : "memory")
#define LOAD_IM2COL(RANK, COORDS, OFFSETS)                                     \
  asm volatile("cp.async.bulk.tensor." #RANK                                   \
               "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes " \
               "[%0], [%1, {" COORDS "}], [%2], {" OFFSETS "};" ::"r"(shared), \
               "l"(map), "r"(barrier), REGS##RANK, OFFS##RANK                  \
               : "memory")
#define PUT(INSTRUCTION, OP, RANK, MODE, COORDS)                               \
  asm volatile(INSTRUCTION #RANK "d.global.shared::cta" OP MODE                \
                                 ".bulk_group [%0, {" COORDS                   \
                                 "}], [%1];" ::"l"(map),                       \
               "r"(shared), REGS##RANK                                         \
               : "memory")
#define REDUCE(N, OP, RANK, MODE, COORDS)                                      \
  else if constexpr (Op == N)                                                  \
      PUT("cp.reduce.async.bulk.tensor.", OP, RANK, MODE, COORDS);
#define OUT(RANK, MODE, COORDS)                                                \
  if constexpr (Op == 1)                                                       \
    PUT("cp.async.bulk.tensor.", "", RANK, MODE, COORDS);                      \
  REDUCE(2, ".add", RANK, MODE, COORDS)                                        \
  REDUCE(3, ".min", RANK, MODE, COORDS)                                        \
  REDUCE(4, ".max", RANK, MODE, COORDS)                                        \
  REDUCE(5, ".inc", RANK, MODE, COORDS)                                        \
  REDUCE(6, ".dec", RANK, MODE, COORDS)                                        \
  REDUCE(7, ".and", RANK, MODE, COORDS)                                        \
  REDUCE(8, ".or", RANK, MODE, COORDS)                                         \
  REDUCE(9, ".xor", RANK, MODE, COORDS)

template <int Rank, bool Im2col, int Op>
__device__ void copyTensor(uint64_t map, uint32_t shared, uint32_t barrier,
                           const Params &p) {
  if constexpr (Im2col && Op == 0) {
    if constexpr (Rank == 3)
      LOAD_IM2COL(3, "%3, %4, %5", "%6");
    else if constexpr (Rank == 4)
      LOAD_IM2COL(4, "%3, %4, %5, %6", "%7, %8");
    else
      LOAD_IM2COL(5, "%3, %4, %5, %6, %7", "%8, %9, %10");
  } else if constexpr (Op == 0) {
    if constexpr (Rank == 1)
      LOAD(1, "%3");
    else if constexpr (Rank == 2)
      LOAD(2, "%3, %4");
    else if constexpr (Rank == 3)
      LOAD(3, "%3, %4, %5");
    else if constexpr (Rank == 4)
      LOAD(4, "%3, %4, %5, %6");
    else
      LOAD(5, "%3, %4, %5, %6, %7");
  } else if constexpr (Im2col) {
    if constexpr (Rank == 3) {
      OUT(3, ".im2col_no_offs", "%2, %3, %4");
    } else if constexpr (Rank == 4) {
      OUT(4, ".im2col_no_offs", "%2, %3, %4, %5");
    } else {
      OUT(5, ".im2col_no_offs", "%2, %3, %4, %5, %6");
    }
  } else {
    if constexpr (Rank == 1) {
      OUT(1, ".tile", "%2");
    } else if constexpr (Rank == 2) {
      OUT(2, ".tile", "%2, %3");
    } else if constexpr (Rank == 3) {
      OUT(3, ".tile", "%2, %3, %4");
    } else if constexpr (Rank == 4) {
      OUT(4, ".tile", "%2, %3, %4, %5");
    } else {
      OUT(5, ".tile", "%2, %3, %4, %5, %6");
    }
  }
}

__device__ uint64_t nanoseconds() {
  uint64_t now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

/// Whether the phase of that parity completes within `limit` nanoseconds.
__device__ bool completes(uint32_t barrier, uint32_t parity, uint64_t limit) {
  uint64_t start = nanoseconds();
  do {
    uint32_t done;
    asm volatile("{\n\t.reg .pred p;\n\t"
                 "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                 "selp.u32 %0, 1, 0, p;\n\t}"
                 : "=r"(done)
                 : "r"(barrier), "r"(parity)
                 : "memory");
    if (done)
      return true;
  } while (nanoseconds() - start < limit);
  return false;
}

__device__ void arrive(uint32_t barrier, uint32_t bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
      "r"(bytes)
      : "memory");
}
__device__ void completeTx(uint32_t barrier, uint32_t bytes) {
  asm volatile(
      "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(
          barrier),
      "r"(bytes)
      : "memory");
}

constexpr uint64_t most = 2000000, settle = 20000; // Nanoseconds.

/// One thread: the copy and what the barrier says of it.
template <typename Issue>
__device__ void issueLoad(uint32_t barrier, Count count, uint32_t expect,
                          Report &report, Issue issue) {
  if (count == Count::Raw) {
    // More is expected than can come; what is missing is counted by hand.
    int32_t left = 131072;
    arrive(barrier, left);
    issue();
    uint64_t start = nanoseconds();
    while (nanoseconds() - start < 2 * settle)
      ;
    while (left > 0 && !completes(barrier, 0, 0)) {
      completeTx(barrier, 16);
      left -= 16;
    }
    report.completed = report.clean = completes(barrier, 0, 0);
    report.raw = report.clean ? left : -1;
    return;
  }
  bool more = count == Count::OneMore;
  arrive(barrier, expect + (more ? 16 : 0));
  issue();
  if (more) {
    report.clean = !completes(barrier, 0, settle);
    completeTx(barrier, 16);
    report.completed = completes(barrier, 0, most);
    return;
  }
  report.completed = completes(barrier, 0, most);
  __nanosleep(1000);
  arrive(barrier, 0);
  report.clean = completes(barrier, 1, settle);
}

__device__ uint32_t sharedAddress(const void *pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ void initBarrier(uint32_t barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier)
               : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

extern __shared__ __align__(1024) uint8_t window[];

template <int Rank, bool Im2col, int Op>
__global__ void __launch_bounds__(128)
    copyKernel(const __grid_constant__ CUtensorMap mapParameter,
               const __grid_constant__ Params p) {
  __shared__ uint64_t barrierWord;
  uint32_t barrier = sharedAddress(&barrierWord), base = sharedAddress(window);
  for (uint32_t i = threadIdx.x * 16; i < p.window; i += blockDim.x * 16)
    *reinterpret_cast<uint4 *>(window + i) =
        *reinterpret_cast<const uint4 *>(p.in + i);
  if (threadIdx.x == 0)
    initBarrier(barrier);
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    const CUtensorMap *pointer = p.globalMap ? p.globalMap : &mapParameter;
    uint64_t map = reinterpret_cast<uint64_t>(pointer);
    if (p.globalMap)
      asm volatile(
          "fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map)
          : "memory");
    Report report{};
    report.base = base;
    auto issue = [&] {
      copyTensor<Rank, Im2col, Op>(map, base + p.at, barrier, p);
    };
    if constexpr (Op == 0) {
      issueLoad(barrier, Count(p.count), p.expect, report, issue);
    } else {
      issue();
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
      report.completed = report.clean = 1;
    }
    *p.report = report;
  }
  __syncthreads();
  for (uint32_t i = threadIdx.x * 16; i < p.window; i += blockDim.x * 16)
    *reinterpret_cast<uint4 *>(p.out + i) =
        *reinterpret_cast<const uint4 *>(window + i);
}

//===----------------------------------------------------------------------===//
// tensormap.replace, bulk copies
//===----------------------------------------------------------------------===//

struct ReplaceStep {
  int field, ordinal;
  uint64_t value;
};

#define REPLACE_WIDE(NAME)                                                     \
  asm volatile("tensormap.replace.tile." NAME                                  \
               ".shared::cta.b1024.b64 [%0], %1;" ::"r"(map),                  \
               "l"(value)                                                      \
               : "memory")
#define REPLACE_RANK()                                                         \
  asm volatile(                                                                \
      "tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], %1;" ::"r"(     \
          map),                                                                \
      "r"(low)                                                                 \
      : "memory")
#define REPLACE_AT(NAME, N, TYPE, CONSTRAINT, VALUE)                           \
  case N:                                                                      \
    asm volatile("tensormap.replace.tile." NAME ".shared::cta.b1024." TYPE     \
                 " [%0], " #N ", %1;" ::"r"(map),                              \
                 CONSTRAINT(VALUE)                                             \
                 : "memory");                                                  \
    break;
#define REPLACE_ORDINAL(NAME)                                                  \
  switch (ordinal) {                                                           \
    REPLACE_AT(NAME, 0, "b32", "r", low)                                       \
    REPLACE_AT(NAME, 1, "b32", "r", low)                                       \
    REPLACE_AT(NAME, 2, "b32", "r", low)                                       \
    REPLACE_AT(NAME, 3, "b32", "r", low)                                       \
    REPLACE_AT(NAME, 4, "b32", "r", low)                                       \
  }
#define REPLACE_VALUE(NAME, N)                                                 \
  case N:                                                                      \
    asm volatile("tensormap.replace.tile." NAME                                \
                 ".shared::cta.b1024.b32 [%0], " #N ";" ::"r"(map)             \
                 : "memory");                                                  \
    break;

__device__ void replaceOne(uint32_t map, TmaField field, int ordinal,
                           uint64_t value) {
  uint32_t low = static_cast<uint32_t>(value);
  switch (field) {
  case TmaField::GlobalAddress:
    REPLACE_WIDE("global_address");
    break;
  case TmaField::Rank:
    REPLACE_RANK();
    break;
  case TmaField::BoxDim:
    REPLACE_ORDINAL("box_dim");
    break;
  case TmaField::GlobalDim:
    REPLACE_ORDINAL("global_dim");
    break;
  case TmaField::ElementStride:
    REPLACE_ORDINAL("element_stride");
    break;
  case TmaField::GlobalStride:
    switch (ordinal) {
      REPLACE_AT("global_stride", 0, "b64", "l", value)
      REPLACE_AT("global_stride", 1, "b64", "l", value)
      REPLACE_AT("global_stride", 2, "b64", "l", value)
      REPLACE_AT("global_stride", 3, "b64", "l", value)
    }
    break;
  case TmaField::ElemType:
    switch (low) {
      REPLACE_VALUE("elemtype", 0)
      REPLACE_VALUE("elemtype", 1)
      REPLACE_VALUE("elemtype", 2)
      REPLACE_VALUE("elemtype", 3)
      REPLACE_VALUE("elemtype", 4)
      REPLACE_VALUE("elemtype", 5)
      REPLACE_VALUE("elemtype", 6)
      REPLACE_VALUE("elemtype", 7)
      REPLACE_VALUE("elemtype", 8)
      REPLACE_VALUE("elemtype", 9)
      REPLACE_VALUE("elemtype", 10)
      REPLACE_VALUE("elemtype", 11)
      REPLACE_VALUE("elemtype", 12)
    }
    break;
  case TmaField::Interleave:
    switch (low) {
      REPLACE_VALUE("interleave_layout", 0)
      REPLACE_VALUE("interleave_layout", 1)
      REPLACE_VALUE("interleave_layout", 2)
    }
    break;
  case TmaField::SwizzleMode:
    switch (low) {
      REPLACE_VALUE("swizzle_mode", 0)
      REPLACE_VALUE("swizzle_mode", 1)
      REPLACE_VALUE("swizzle_mode", 2)
      REPLACE_VALUE("swizzle_mode", 3)
    }
    break;
  case TmaField::FillMode:
    switch (low) {
      REPLACE_VALUE("fill_mode", 0)
      REPLACE_VALUE("fill_mode", 1)
    }
    break;
  case TmaField::SwizzleAtomicity: // Not on sm_90a.
    break;
  }
}

__global__ void replaceKernel(uint4 *map, const ReplaceStep *steps, int count) {
  __shared__ __align__(128) uint4 copy[8];
  for (int i = 0; i < 8; ++i)
    copy[i] = map[i];
  for (int i = 0; i < count; ++i)
    replaceOne(sharedAddress(copy), TmaField(steps[i].field), steps[i].ordinal,
               steps[i].value);
  for (int i = 0; i < 8; ++i)
    map[i] = copy[i];
}

__global__ void bulkKernel(uint32_t bytes, const uint8_t *source, uint8_t *out,
                           Report *result, uint32_t size) {
  __shared__ uint64_t barrierWord;
  uint32_t barrier = sharedAddress(&barrierWord);
  for (uint32_t i = threadIdx.x; i < size; i += blockDim.x)
    window[i] = 0xEE;
  if (threadIdx.x == 0)
    initBarrier(barrier);
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    Report report{};
    issueLoad(barrier, Count::Raw, 0, report, [&] {
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::"
                   "complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                       sharedAddress(window)),
                   "l"(source), "r"(bytes), "r"(barrier)
                   : "memory");
    });
    *result = report;
  }
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < size; i += blockDim.x)
    out[i] = window[i];
}

//===----------------------------------------------------------------------===//
// Host
//===----------------------------------------------------------------------===//

using Kernel = void (*)(CUtensorMap, Params);
struct Kernels {
  Kernel tiled[6][operations] = {}, im2col[6][operations] = {};
};

template <int Rank, int Op> void addKernel(Kernels &all) {
  all.tiled[Rank][Op] = copyKernel<Rank, false, Op>;
  if constexpr (Rank >= 3)
    all.im2col[Rank][Op] = copyKernel<Rank, true, Op>;
}
template <int Rank, int... Op>
void addRank(Kernels &all, std::integer_sequence<int, Op...>) {
  (addKernel<Rank, Op>(all), ...);
}
const Kernels &kernels() {
  static const Kernels all = [] {
    Kernels made;
    auto each = std::make_integer_sequence<int, operations>();
    addRank<1>(made, each);
    addRank<2>(made, each);
    addRank<3>(made, each);
    addRank<4>(made, each);
    addRank<5>(made, each);
    return made;
  }();
  return all;
}

int operation(const TmaCopy &copy) {
  if (copy.direction != TmaDirection::Reduce)
    return copy.direction == TmaDirection::Load ? 0 : 1;
  for (int i = 0; i < 8; ++i)
    if (copy.reduction == reductions[i])
      return 2 + i;
  return -1;
}

#define MUST(CALL)                                                             \
  if (cudaError_t error = (CALL); error != cudaSuccess) {                      \
    std::fprintf(stderr, "%s: %s\n", #CALL, cudaGetErrorString(error));        \
    return false;                                                              \
  }

class Gpu : public Device {
public:
  bool open() {
    MUST(cudaSetDevice(0));
    MUST(cudaFree(nullptr));
    cudaDriverEntryPointQueryResult found;
    void *tiled = nullptr, *im2col = nullptr;
    MUST(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &tiled,
                                          12000, cudaEnableDefault, &found));
    MUST(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", &im2col,
                                          12000, cudaEnableDefault, &found));
    encodeTiled = reinterpret_cast<decltype(encodeTiled)>(tiled);
    encodeIm2col = reinterpret_cast<decltype(encodeIm2col)>(im2col);
    MUST(cudaStreamCreate(&stream));
    MUST(cudaMalloc(&arena, 8 << 20));
    MUST(cudaMemset(arena, 0xA5, 8 << 20));
    MUST(cudaMalloc(&input, mostShared));
    MUST(cudaMalloc(&output, mostShared + 64));
    MUST(cudaMalloc(&mapSlot, 4096));
    MUST(cudaMallocHost(&hostShared, mostShared + 64));
    MUST(cudaMallocHost(&hostGlobal, mostGlobal));
    // Where the window starts: one harmless copy says it.
    Job job;
    job.map.type = findTmaType("u32");
    job.map.address = globalBase();
    job.map.dims[0] = job.map.box[0] = 4;
    job.copy = {TmaDirection::Load, {0}, 1024};
    job.expect = 16;
    base = 1024;
    Memory memory{std::vector<uint8_t>(1024), std::vector<uint8_t>(1024)};
    Outcome outcome = run(job, memory);
    base = hostReport().base;
    if (outcome.error || base % 1024 != 0) {
      std::fprintf(stderr, "probe: error %d, window at %u\n", outcome.error,
                   base);
      return false;
    }
    return true;
  }

  std::string name() const override {
    cudaDeviceProp properties;
    int driver = 0, runtime = 0;
    cudaGetDeviceProperties(&properties, 0);
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    return std::string(properties.name) + ", CUDA driver API " +
           std::to_string(driver) + ", runtime " + std::to_string(runtime);
  }
  uint32_t sharedBase() const override { return base; }
  uint64_t globalBase() const override {
    return reinterpret_cast<uint64_t>(arena) + (4 << 20);
  }

  int encode(const TensorMap &map, TmaDescriptor &bits) override {
    alignas(128) CUtensorMap made;
    // Longer than any legal rank: illegal ones are asked, too.
    cuuint64_t dims[8], strides[8];
    cuuint32_t box[8], steps[8];
    for (int d = 0; d < 8; ++d) {
      dims[d] = d < 5 ? map.dims[d] : 1;
      box[d] = d < 5 ? map.box[d] : 1;
      steps[d] = d < 5 ? map.elementStrides[d] : 1;
      strides[d] = d < 4 ? map.strides[d] : 64;
    }
    auto type = static_cast<CUtensorMapDataType>(map.type->driver);
    auto interleave = static_cast<CUtensorMapInterleave>(map.interleave);
    auto swizzle = static_cast<CUtensorMapSwizzle>(map.swizzle->driver);
    auto fill = static_cast<CUtensorMapFloatOOBfill>(map.nanFill);
    auto *address = reinterpret_cast<void *>(map.address);
    CUresult result =
        map.mode == TmaMode::Tiled
            ? encodeTiled(&made, type, map.rank, address, dims, strides, box,
                          steps, interleave, swizzle,
                          CU_TENSOR_MAP_L2_PROMOTION_NONE, fill)
            : encodeIm2col(&made, type, map.rank, address, dims, strides,
                           map.im2col.lower.data(), map.im2col.upper.data(),
                           map.im2col.channels, map.im2col.pixels, steps,
                           interleave, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           fill);
    std::memcpy(bits.data(), &made, sizeof made);
    return result;
  }

  Outcome run(const Job &job, Memory &memory) override {
    Outcome outcome;
    alignas(128) CUtensorMap map;
    TmaDescriptor bits;
    if (job.bits) {
      bits = *job.bits;
    } else if ((outcome.error = encode(job.map, bits))) {
      outcome.refused = true;
      return outcome;
    }
    std::memcpy(&map, bits.data(), sizeof map);
    Params p{};
    for (size_t d = 0; d < 5 && d < job.copy.coords.size(); ++d)
      p.c[d] = static_cast<int32_t>(job.copy.coords[d]);
    for (size_t d = 0; d < 3 && d < job.copy.im2colOffsets.size(); ++d)
      p.offsets[d] = static_cast<uint16_t>(job.copy.im2colOffsets[d]);
    p.count = static_cast<uint16_t>(job.count);
    p.at = static_cast<uint32_t>(job.copy.shared - base);
    p.window = static_cast<uint32_t>(memory.shared.size());
    p.expect = job.expect;
    p.in = input;
    p.report = reinterpret_cast<Report *>(output);
    p.out = output + 64;
    p.globalMap = job.mapInGlobal ? mapSlot : nullptr;
    bool im2col = job.map.mode == TmaMode::Im2col;
    int op = operation(job.copy);
    Kernel kernel =
        (im2col ? kernels().im2col : kernels().tiled)[job.map.rank][op];
    outcome.error = launch(kernel, map, p, memory, op != 0);
    if (outcome.error)
      return outcome;
    Report report = hostReport();
    outcome.counted = report.completed && report.clean;
    outcome.raw = report.raw;
    return outcome;
  }

  int replace(TmaDescriptor &bits, const std::vector<Replace> &steps) override {
    std::vector<ReplaceStep> list;
    for (const Replace &s : steps)
      list.push_back({static_cast<int>(s.field), s.ordinal, s.value});
    ReplaceStep *device = nullptr;
    cudaMalloc(&device, list.size() * sizeof(ReplaceStep));
    cudaMemcpy(device, list.data(), list.size() * sizeof(ReplaceStep),
               cudaMemcpyDefault);
    cudaMemcpy(mapSlot, bits.data(), 128, cudaMemcpyDefault);
    replaceKernel<<<1, 1>>>(reinterpret_cast<uint4 *>(mapSlot), device,
                            static_cast<int>(list.size()));
    int error = cudaDeviceSynchronize();
    cudaMemcpy(bits.data(), mapSlot, 128, cudaMemcpyDefault);
    cudaFree(device);
    return error;
  }

  Bulk bulk(uint32_t bytes) override {
    constexpr uint32_t size = 65536;
    cudaFuncSetAttribute(bulkKernel,
                         cudaFuncAttributeMaxDynamicSharedMemorySize, size);
    bulkKernel<<<1, 128, size>>>(bytes, arena, output + 64,
                                 reinterpret_cast<Report *>(output), size);
    Bulk result{static_cast<int>(cudaDeviceSynchronize()), 0, 0};
    if (result.error)
      return result;
    cudaMemcpy(hostShared, output, size + 64, cudaMemcpyDefault);
    for (uint32_t i = 0; i < size; ++i)
      result.changed += hostShared[64 + i] != 0xEE;
    result.counted = hostReport().raw;
    return result;
  }

private:
  Report hostReport() const {
    Report report;
    std::memcpy(&report, hostShared, sizeof report);
    return report;
  }

  cudaError_t launch(Kernel kernel, const CUtensorMap &map, Params &p,
                     Memory &memory, bool out) {
    size_t shared = memory.shared.size(), global = memory.global.size();
    auto *home = reinterpret_cast<uint8_t *>(globalBase());
    std::memcpy(hostShared, memory.shared.data(), shared);
    std::memcpy(hostGlobal, memory.global.data(), global);
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         mostShared);
    cudaMemcpyAsync(input, hostShared, shared, cudaMemcpyDefault, stream);
    cudaMemcpyAsync(home, hostGlobal, global, cudaMemcpyDefault, stream);
    if (p.globalMap)
      cudaMemcpyAsync(mapSlot, &map, sizeof map, cudaMemcpyDefault, stream);
    kernel<<<1, 128, shared, stream>>>(map, p);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess)
      return error;
    cudaMemcpyAsync(hostShared, output, shared + 64, cudaMemcpyDefault, stream);
    if (out)
      cudaMemcpyAsync(hostGlobal, home, global, cudaMemcpyDefault, stream);
    error = cudaStreamSynchronize(stream);
    if (error != cudaSuccess)
      return error;
    std::memcpy(memory.shared.data(), hostShared + 64, shared);
    if (out)
      std::memcpy(memory.global.data(), hostGlobal, global);
    return cudaSuccess;
  }

  PFN_cuTensorMapEncodeTiled_v12000 encodeTiled = nullptr;
  PFN_cuTensorMapEncodeIm2col_v12000 encodeIm2col = nullptr;
  cudaStream_t stream = nullptr;
  uint8_t *arena = nullptr, *input = nullptr, *output = nullptr;
  CUtensorMap *mapSlot = nullptr;
  uint8_t *hostShared = nullptr, *hostGlobal = nullptr;
  uint32_t base = 0;
};

} // namespace

std::unique_ptr<Device> titan::hw::openGpu() {
  auto gpu = std::make_unique<Gpu>();
  if (!gpu->open())
    return nullptr;
  return gpu;
}
