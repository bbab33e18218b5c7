//===- Sums.cu - how matrix instructions add up ---------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   wgmma-sums [--seed S] [--count N] [--record FILE]
//
// One instruction at a time, of each kind: D = A * B^T + C, A 64 x 32 bytes,
// B 8 x 32 bytes (mma.sync: four warps with 16 rows of A each; the forms with
// half the K read the first 16 bytes). Operands are drawn so that each question
// has cases that tell: products far apart, that cancel, that vanish beside C or
// make it vanish, subnormals, infinities, NaNs. What comes out is held against
// titan/Target/MmaSum.h. The record has some of the sums, a line each: kind,
// whether C was added, C, D, and the words of A and B; unit tests replay it.
//
//===----------------------------------------------------------------------===//
#include "titan/Target/MmaSum.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr int rows = 64, columns = 8, bytesOfK = 32;

struct Case {
  uint32_t kind, adds;
  uint32_t a[rows][8], b[columns][8], c[rows][columns], d[rows][columns];
};

//===----------------------------------------------------------------------===//
// The instructions
//===----------------------------------------------------------------------===//

// name, type of A, type of B, type of D, whether saturated, PTX
#define WGMMA_KINDS(KIND)                                                      \
  KIND(f16_f32, f16, f16, f32, "f32.f16.f16", "k16", ", 1, 1, 0, 0")           \
  KIND(f16_f16, f16, f16, f16, "f16.f16.f16", "k16", ", 1, 1, 0, 0")           \
  KIND(bf16_f32, bf16, bf16, f32, "f32.bf16.bf16", "k16", ", 1, 1, 0, 0")      \
  KIND(tf32_f32, tf32, tf32, f32, "f32.tf32.tf32", "k8", ", 1, 1")             \
  KIND(e4m3_e4m3_f32, e4m3, e4m3, f32, "f32.e4m3.e4m3", "k32", ", 1, 1")       \
  KIND(e4m3_e5m2_f32, e4m3, e5m2, f32, "f32.e4m3.e5m2", "k32", ", 1, 1")       \
  KIND(e5m2_e4m3_f32, e5m2, e4m3, f32, "f32.e5m2.e4m3", "k32", ", 1, 1")       \
  KIND(e5m2_e5m2_f32, e5m2, e5m2, f32, "f32.e5m2.e5m2", "k32", ", 1, 1")       \
  KIND(e4m3_e4m3_f16, e4m3, e4m3, f16, "f16.e4m3.e4m3", "k32", ", 1, 1")       \
  KIND(e4m3_e5m2_f16, e4m3, e5m2, f16, "f16.e4m3.e5m2", "k32", ", 1, 1")       \
  KIND(e5m2_e4m3_f16, e5m2, e4m3, f16, "f16.e5m2.e4m3", "k32", ", 1, 1")       \
  KIND(e5m2_e5m2_f16, e5m2, e5m2, f16, "f16.e5m2.e5m2", "k32", ", 1, 1")       \
  KIND(s8_s8, s8, s8, s32, "s32.s8.s8", "k32", "")                             \
  KIND(u8_u8, u8, u8, s32, "s32.u8.u8", "k32", "")                             \
  KIND(s8_u8, s8, u8, s32, "s32.s8.u8", "k32", "")                             \
  KIND(u8_s8_sat, u8, s8, s32, "s32.u8.s8.satfinite", "k32", "")               \
  KIND(s8_s8_sat, s8, s8, s32, "s32.s8.s8.satfinite", "k32", "")
#define MMA_KINDS(KIND)                                                        \
  KIND(mma_f16_k16_f32, f16, f16, f32, "k16", "f32.f16.f16.f32", 1, "")        \
  KIND(mma_f16_k8_f32, f16, f16, f32, "k8", "f32.f16.f16.f32", 0, "")          \
  KIND(mma_f16_k16_f16, f16, f16, f16, "k16", "f16.f16.f16.f16", 1, "")        \
  KIND(mma_f16_k8_f16, f16, f16, f16, "k8", "f16.f16.f16.f16", 0, "")          \
  KIND(mma_bf16_k16_f32, bf16, bf16, f32, "k16", "f32.bf16.bf16.f32", 1, "")   \
  KIND(mma_bf16_k8_f32, bf16, bf16, f32, "k8", "f32.bf16.bf16.f32", 0, "")     \
  KIND(mma_tf32_k8_f32, tf32, tf32, f32, "k8", "f32.tf32.tf32.f32", 1, "")     \
  KIND(mma_tf32_k4_f32, tf32, tf32, f32, "k4", "f32.tf32.tf32.f32", 0, "")     \
  KIND(mma_s8_k32_sat, s8, s8, s32, "k32", "s32.s8.s8.s32", 1, ".satfinite")   \
  KIND(mma_u8_k16, u8, u8, s32, "k16", "s32.u8.u8.s32", 0, "")

enum class Type { f16, bf16, tf32, e4m3, e5m2, s8, u8, f32, s32 };
static_assert(int(Type::s32) == int(titan::MmaType::S32));
enum Kind : uint32_t {
#define NAME(name, ...) name,
  WGMMA_KINDS(NAME) MMA_KINDS(NAME)
#undef NAME
      kindCount
};
constexpr bool contains(std::string_view text, std::string_view word) {
  return text.find(word) != text.npos;
}
struct KindInfo {
  const char *name;
  Type a, b, d;
  int k; ///< In bytes.
  bool saturates;
};
constexpr KindInfo kinds[] = {
#define INFO(name, a, b, d, types, ...)                                        \
  {#name, Type::a, Type::b, Type::d, 32, contains(types, "satfinite")},
    WGMMA_KINDS(INFO)
#undef INFO
#define INFO(name, a, b, d, k, types, whole, sat)                              \
  {#name, Type::a, Type::b, Type::d, whole ? 32 : 16, *sat != 0},
        MMA_KINDS(INFO)
#undef INFO
};

__device__ Type accumulatorOf(uint32_t kind) {
  switch (kind) {
#define D(name, a, b, d, ...)                                                  \
  case name:                                                                   \
    return Type::d;
    WGMMA_KINDS(D) MMA_KINDS(D)
#undef D
  }
  return Type::f32;
}

/// A matrix of no swizzle at a shared address; rows of 8 x 16 bytes lie close.
__device__ uint64_t descriptor(const void *shared) {
  return uint64_t(__cvta_generic_to_shared(shared) >> 4 & 0x3fff) |
         uint64_t(8) << 16 | uint64_t(16) << 32;
}

// D of 32-bit elements is four registers, of f16 two.
#define WIDE(types, k, flags)                                                  \
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %6, 0;\n"                       \
               "wgmma.mma_async.sync.aligned.m64n8" k "." types                \
               " {%0, %1, %2, %3}, %4, %5, p" flags "; }"                      \
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                \
               : "l"(a), "l"(b), "r"(adds)                                     \
               : "memory")
#define NARROW(types, k, flags)                                                \
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %4, 0;\n"                       \
               "wgmma.mma_async.sync.aligned.m64n8" k "." types                \
               " {%0, %1}, %2, %3, p" flags "; }"                              \
               : "+r"(d[0]), "+r"(d[1])                                        \
               : "l"(a), "l"(b), "r"(adds)                                     \
               : "memory")
#define FLOATS(types, k, flags)                                                \
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %6, 0;\n"                       \
               "wgmma.mma_async.sync.aligned.m64n8" k "." types                \
               " {%0, %1, %2, %3}, %4, %5, p" flags "; }"                      \
               : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])                \
               : "l"(a), "l"(b), "r"(adds)                                     \
               : "memory")

__device__ void wgmma(uint32_t kind, uint32_t (&d)[4], uint64_t a, uint64_t b,
                      uint32_t adds) {
  float f[4];
  for (int i = 0; i < 4; ++i)
    f[i] = __uint_as_float(d[i]);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  switch (kind) {
#define ISSUE(name, ta, tb, td, types, k, flags)                               \
  case name:                                                                   \
    if constexpr (Type::td == Type::f32)                                       \
      FLOATS(types, k, flags);                                                 \
    else if constexpr (Type::td == Type::f16)                                  \
      NARROW(types, k, flags);                                                 \
    else                                                                       \
      WIDE(types, k, flags);                                                   \
    break;
    WGMMA_KINDS(ISSUE)
#undef ISSUE
  }
  asm volatile("wgmma.commit_group.sync.aligned;\n"
               "wgmma.wait_group.sync.aligned 0;" ::
                   : "memory");
  if (accumulatorOf(kind) == Type::f32)
    for (int i = 0; i < 4; ++i)
      d[i] = __float_as_uint(f[i]);
}

__device__ void mmaSync(uint32_t kind, uint32_t (&d)[4], const uint32_t (&a)[4],
                        const uint32_t (&b)[2]) {
#define A_LONG "{%4, %5, %6, %7}, {%8, %9}"
#define A_SHORT "{%4, %5}, {%8}"
#define A_LONG16 "{%2, %3, %4, %5}, {%6, %7}"
#define A_SHORT16 "{%2, %3}, {%6}"
  switch (kind) {
#define ISSUE(name, ta, tb, td, k, types, whole, sat)                          \
  case name:                                                                   \
    if constexpr (Type::td == Type::f16) {                                     \
      if constexpr (whole)                                                     \
        asm volatile("mma.sync.aligned.m16n8" k ".row.col" sat "." types       \
                     " {%0, %1}, " A_LONG16 ", {%0, %1};"                      \
                     : "+r"(d[0]), "+r"(d[1])                                  \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),  \
                       "r"(b[1]));                                             \
      else                                                                     \
        asm volatile("mma.sync.aligned.m16n8" k ".row.col" sat "." types       \
                     " {%0, %1}, " A_SHORT16 ", {%0, %1};"                     \
                     : "+r"(d[0]), "+r"(d[1])                                  \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0])); \
    } else if constexpr (Type::td == Type::f32) {                              \
      float f[4];                                                              \
      for (int i = 0; i < 4; ++i)                                              \
        f[i] = __uint_as_float(d[i]);                                          \
      if constexpr (whole)                                                     \
        asm volatile("mma.sync.aligned.m16n8" k ".row.col" sat "." types       \
                     " {%0, %1, %2, %3}, " A_LONG ", {%0, %1, %2, %3};"        \
                     : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])          \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),  \
                       "r"(b[1]));                                             \
      else                                                                     \
        asm volatile("mma.sync.aligned.m16n8" k ".row.col" sat "." types       \
                     " {%0, %1, %2, %3}, " A_SHORT ", {%0, %1, %2, %3};"       \
                     : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])          \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0])); \
      for (int i = 0; i < 4; ++i)                                              \
        d[i] = __float_as_uint(f[i]);                                          \
    } else if constexpr (whole) {                                              \
      asm volatile("mma.sync.aligned.m16n8" k ".row.col" sat "." types         \
                   " {%0, %1, %2, %3}, " A_LONG ", {%0, %1, %2, %3};"          \
                   : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])            \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]),    \
                     "r"(b[1]));                                               \
    } else {                                                                   \
      asm volatile("mma.sync.aligned.m16n8" k ".row.col" sat "." types         \
                   " {%0, %1, %2, %3}, " A_SHORT ", {%0, %1, %2, %3};"         \
                   : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])            \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]));   \
    }                                                                          \
    break;
    MMA_KINDS(ISSUE)
#undef ISSUE
  }
}

constexpr uint32_t firstMma = mma_f16_k16_f32;

/// Each CTA takes every gridDim.x-th case.
__global__ void experiment(Case *cases, uint32_t count) {
  __shared__ __align__(1024) uint32_t shared[2][1024];
  int warp = threadIdx.x / 32, group = threadIdx.x % 32 / 4,
      word = threadIdx.x % 4;
  for (uint32_t i = blockIdx.x; i < count; i += gridDim.x) {
    Case &c = cases[i];
    bool half = accumulatorOf(c.kind) == Type::f16;
    int row = 16 * warp + group;
    uint32_t d[4];
    if (half) {
      d[0] = c.c[row][2 * word] | c.c[row][2 * word + 1] << 16;
      d[1] = c.c[row + 8][2 * word] | c.c[row + 8][2 * word + 1] << 16;
    } else {
      for (int j = 0; j < 4; ++j)
        d[j] = c.c[row + 8 * (j / 2)][2 * word + j % 2];
    }
    if (c.kind < firstMma) {
      // Eight rows of 16 bytes after another, then the next 16 bytes of K.
      for (int e = threadIdx.x; e < rows * 8; e += blockDim.x)
        shared[0][e / 64 * 64 + e % 8 / 4 * 32 + e / 8 % 8 * 4 + e % 4] =
            c.a[e / 8][e % 8];
      if (threadIdx.x < columns * 8)
        shared[1][threadIdx.x % 8 / 4 * 32 + threadIdx.x / 8 * 4 +
                  threadIdx.x % 4] = c.b[threadIdx.x / 8][threadIdx.x % 8];
      asm volatile("fence.proxy.async;" ::: "memory");
      __syncthreads();
      wgmma(c.kind, d, descriptor(shared[0]), descriptor(shared[1]), c.adds);
      __syncthreads();
    } else {
      uint32_t a[4], b[2];
      for (int j = 0; j < 4; ++j)
        a[j] = c.a[row + 8 * (j % 2)][word + 4 * (j / 2)];
      for (int j = 0; j < 2; ++j)
        b[j] = c.b[group][word + 4 * j];
      mmaSync(c.kind, d, a, b);
    }
    if (half) {
      for (int j = 0; j < 4; ++j)
        c.d[row + 8 * (j / 2)][2 * word + j % 2] =
            d[j / 2] >> 16 * (j % 2) & 0xffff;
    } else {
      for (int j = 0; j < 4; ++j)
        c.d[row + 8 * (j / 2)][2 * word + j % 2] = d[j];
    }
  }
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

struct Random {
  uint64_t state;
  uint64_t next() { // splitmix64
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  int below(int n) {
    return static_cast<int>(next() % static_cast<uint64_t>(n));
  }
  int between(int low, int high) { return low + below(high - low + 1); }
  bool chance(int percent) { return below(100) < percent; }
};

struct Format {
  int bits, exponent, mantissa;
  int bias() const { return (1 << (exponent - 1)) - 1; }
};
Format formatOf(Type type) {
  switch (type) {
  case Type::f16:
    return {16, 5, 10};
  case Type::bf16:
    return {16, 8, 7};
  case Type::e4m3:
    return {8, 4, 3};
  case Type::e5m2:
    return {8, 5, 2};
  case Type::s8:
  case Type::u8:
    return {8, 0, 0};
  case Type::s32:
    return {32, 0, 0};
  default: // tf32's low 13 bits are drawn, too.
    return {32, 8, 23};
  }
}

/// A float of that exponent (unbiased; out of range: subnormal, or the largest)
/// with a random sign and mantissa, or with none.
uint32_t number(Random &random, Type type, int exponent, bool plain = false) {
  Format f = formatOf(type);
  uint32_t mantissa =
      static_cast<uint32_t>(random.next()) & ((1u << f.mantissa) - 1);
  if (plain)
    mantissa = 0;
  int field = exponent + f.bias();
  if (field <= 0) {
    mantissa =
        (mantissa | 1u << f.mantissa) >> (1 - field > 30 ? 30 : 1 - field);
    field = 0;
  }
  int most = (1 << f.exponent) - (type == Type::e4m3 ? 1 : 2);
  if (field > most)
    field = most;
  if (type == Type::e4m3 && field == 15 && mantissa == 7)
    mantissa = 6;
  uint32_t sign = static_cast<uint32_t>(random.next() & 1);
  return sign << (f.bits - 1) | static_cast<uint32_t>(field) << f.mantissa |
         mantissa;
}

uint32_t special(Random &random, Type type) {
  Format f = formatOf(type);
  uint32_t sign = static_cast<uint32_t>(random.next() & 1) << (f.bits - 1);
  uint32_t top = ((1u << f.exponent) - 1) << f.mantissa;
  switch (random.below(6)) {
  case 0: // infinity; e4m3: 256
    return sign | top;
  case 1: // NaN
    return sign | top | ((1u << f.mantissa) - 1);
  case 2: // the largest
    return sign | (type == Type::e4m3 ? top | 6 : top - 1);
  case 3: // the least
    return sign | 1;
  case 4: // the largest subnormal
    return sign | ((1u << f.mantissa) - 1);
  default:
    return sign;
  }
}

void put(uint32_t (&line)[8], int bits, int k, uint32_t value) {
  int per = 32 / bits;
  uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
  int shift = bits * (k % per);
  line[k / per] = (line[k / per] & ~(mask << shift)) | (value & mask) << shift;
}

constexpr int styles = 8;

Case makeCase(Random &random, uint32_t kind, int style) {
  Case made = {};
  made.kind = kind;
  made.adds = kind >= firstMma || !random.chance(15);
  const KindInfo &info = kinds[kind];
  Format fa = formatOf(info.a), fb = formatOf(info.b);
  bool integer = fa.exponent == 0;
  int k = bytesOfK * 8 / fa.bits;
  if (style == 0 || integer) { // any bits
    for (auto &line : made.a)
      for (uint32_t &word : line)
        word = static_cast<uint32_t>(random.next());
    for (auto &line : made.b)
      for (uint32_t &word : line)
        word = static_cast<uint32_t>(random.next());
    for (auto &line : made.c)
      for (uint32_t &word : line) {
        word = static_cast<uint32_t>(random.next());
        if (integer && random.chance(70)) // near the ends, or small
          word = (random.chance(50) ? word % 0x100000 : word >> 12) +
                 (random.chance(30)   ? 0
                  : random.chance(50) ? 0x7ff00000
                                      : 0x80000000);
        if (info.d == Type::f16)
          word &= 0xffff;
      }
    return made;
  }
  // Exponents of a row of A, and of a column of B, lie in a window.
  static const int widths[] = {0, 1, 2, 3, 5, 8, 12, 16, 24};
  auto window = [&](Type type, int &base, int &width) {
    Format f = formatOf(type);
    int reach = f.bias() < 16 ? f.bias() : 30;
    width = widths[random.below(9)];
    base = random.between(-reach, reach);
    if (style == 5)
      base = -f.bias() - random.below(3);
    if (style == 6)
      base = f.bias() - random.below(4);
    if (style == 1 || style == 7)
      base = base / 4;
  };
  int baseA[rows], baseB[columns];
  auto fill = [&](Type type, uint32_t (&line)[8], int &base) {
    int width;
    window(type, base, width);
    int zeros = style == 2 ? 85 : random.chance(50) ? 0 : random.between(0, 60);
    bool plain = random.chance(25);
    for (int i = 0; i < k; ++i) {
      uint32_t value =
          number(random, type, base + random.between(-width, width), plain);
      if (style == 4 && random.chance(8))
        value = special(random, type);
      if (random.chance(zeros))
        value = random.chance(50) ? 0 : 1u << (formatOf(type).bits - 1);
      put(line, formatOf(type).bits, i, value);
    }
  };
  for (int i = 0; i < rows; ++i)
    fill(info.a, made.a[i], baseA[i]);
  for (int i = 0; i < columns; ++i)
    fill(info.b, made.b[i], baseB[i]);
  if (style == 3) {
    // Columns of B of one power of two; in A, pairs that cancel.
    for (int i = 0; i < columns; ++i) {
      uint32_t value = number(random, info.b, baseB[i], true);
      for (int j = 0; j < k; ++j)
        put(made.b[i], fb.bits, j,
            random.chance(90)
                ? value
                : number(random, info.b, baseB[i] - random.below(10)));
    }
    for (int i = 0; i < rows; ++i)
      for (int pairs = random.between(1, 2); pairs > 0; --pairs) {
        int one = random.below(k), other = random.below(k);
        uint32_t value =
            number(random, info.a, baseA[i] + random.between(0, 20));
        put(made.a[i], fa.bits, one, value);
        put(made.a[i], fa.bits, other, value ^ 1u << (fa.bits - 1));
      }
  }
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      int gap = style == 7 ? random.between(-8, 34) : random.between(-30, 12);
      uint32_t value =
          number(random, info.d, baseA[i] + baseB[j] + gap, random.chance(20));
      if (random.chance(20))
        value = 0;
      if (style == 4 && random.chance(5))
        value = special(random, info.d);
      made.c[i][j] = value;
    }
  return made;
}

//===----------------------------------------------------------------------===//
// What should come out
//===----------------------------------------------------------------------===//

/// The elements of some lines, a word each.
template <int lines>
std::vector<uint32_t> elements(const uint32_t (&matrix)[lines][8], Type type,
                               int count) {
  int bits = formatOf(type).bits, per = 32 / bits;
  std::vector<uint32_t> list;
  for (const auto &line : matrix)
    for (int i = 0; i < count; ++i) {
      uint32_t word = line[i / per] >> bits * (i % per);
      list.push_back(bits == 32 ? word : word & ((1u << bits) - 1));
    }
  return list;
}

std::vector<uint32_t> expected(const Case &c) {
  const KindInfo &info = kinds[c.kind];
  int k = info.k * 8 / formatOf(info.a).bits;
  titan::MmaProduct product;
  product.a = static_cast<titan::MmaType>(info.a);
  product.b = static_cast<titan::MmaType>(info.b);
  product.d = static_cast<titan::MmaType>(info.d);
  product.depth = k;
  product.saturate = info.saturates;
  std::vector<uint32_t> a = elements(c.a, info.a, k),
                        b = elements(c.b, info.b, k);
  std::vector<uint32_t> d(rows * columns);
  for (int i = 0; i < rows * columns && c.adds; ++i)
    d[i] = c.c[i / columns][i % columns];
  product.multiply(rows, columns, k, a.data(), b.data(), d.data());
  return d;
}

} // namespace

int main(int argc, char **argv) {
  uint64_t seed = 1;
  int count = 16;
  const char *record = nullptr;
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string flag = argv[i];
    if (flag == "--seed")
      seed = std::strtoull(argv[i + 1], nullptr, 10);
    else if (flag == "--count")
      count = std::atoi(argv[i + 1]);
    else if (flag == "--record")
      record = argv[i + 1];
    else
      return 2;
  }
  cudaDeviceProp device;
  if (cudaGetDeviceProperties(&device, 0) != cudaSuccess)
    return 2;
  std::printf("%s\n", device.name);
  Random random{seed};
  std::vector<Case> cases;
  for (uint32_t kind = 0; kind < kindCount; ++kind)
    for (int style = 0; style < styles; ++style)
      for (int i = 0; i < count; ++i)
        cases.push_back(makeCase(random, kind, style));
  Case *there;
  size_t bytes = cases.size() * sizeof(Case);
  cudaMalloc(&there, bytes);
  cudaMemcpy(there, cases.data(), bytes, cudaMemcpyHostToDevice);
  experiment<<<132, 128>>>(there, static_cast<uint32_t>(cases.size()));
  cudaError_t status =
      cudaMemcpy(cases.data(), there, bytes, cudaMemcpyDeviceToHost);
  std::printf("%zu instructions: %s\n", cases.size(),
              cudaGetErrorString(status));
  if (status != cudaSuccess)
    return 1;
  std::FILE *file = record ? std::fopen(record, "w") : nullptr;
  unsigned long long wrong = 0;
  for (uint32_t kind = 0; kind < kindCount; ++kind) {
    unsigned long long sums = 0, different = 0;
    for (int i = 0; i < styles * count; ++i) {
      const Case &c = cases[kind * styles * count + i];
      std::vector<uint32_t> should = expected(c);
      for (int j = 0; j < rows * columns; ++j) {
        uint32_t d = c.d[j / columns][j % columns];
        ++sums;
        if (d != should[j] && different++ < 3)
          std::printf(
              "%s: row %d, column %d of instruction %d is %08x, not %08x\n",
              kinds[kind].name, j / columns, j % columns, i, d, should[j]);
      }
      // Four of the first instruction of each style.
      for (int j = 0; file && i % count == 0 && j < 4; ++j) {
        int row = random.below(rows), column = random.below(columns);
        std::fprintf(file, "%s %u %08x %08x", kinds[kind].name, c.adds,
                     c.c[row][column], c.d[row][column]);
        for (int w = 0; w < kinds[kind].k / 4; ++w)
          std::fprintf(file, " %08x", c.a[row][w]);
        for (int w = 0; w < kinds[kind].k / 4; ++w)
          std::fprintf(file, " %08x", c.b[column][w]);
        std::fprintf(file, "\n");
      }
    }
    std::printf("%-18s %llu of %llu sums as computed\n", kinds[kind].name,
                sums - different, sums);
    wrong += different;
  }
  if (file)
    std::fclose(file);
  return wrong ? 1 : 0;
}
