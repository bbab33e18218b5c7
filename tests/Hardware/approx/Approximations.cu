//===- Approximations.cu - errors of sin.approx and cos.approx ------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// The largest absolute error of sin.approx.f32 and cos.approx.f32 over every f32
// of the ranges for which the PTX ISA states one, against the functions in f64.
//
//   approximations        exit status 1: CUDA says no
//===----------------------------------------------------------------------===//
#include <cmath>
#include <cstdint>
#include <cstdio>

__device__ unsigned long long worst[2];
__device__ float place[2];

template <bool cosine> __global__ void measure(double limit) {
  double most = 0;
  float at = 0;
  const uint64_t step = uint64_t(gridDim.x) * blockDim.x;
  for (uint64_t bits = blockIdx.x * uint64_t(blockDim.x) + threadIdx.x;
       bits < uint64_t(1) << 32; bits += step) {
    const float x = __uint_as_float(static_cast<unsigned>(bits));
    if (!(fabs(double(x)) <= limit))
      continue;
    float y;
    double exact;
    if constexpr (cosine) {
      asm("cos.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
      exact = cos(double(x));
    } else {
      asm("sin.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
      exact = sin(double(x));
    }
    const double error = fabs(double(y) - exact);
    if (error > most) {
      most = error;
      at = x;
    }
  }
  // Errors are not negative: their bits are in the order of their values.
  const unsigned long long mine = __double_as_longlong(most);
  if (atomicMax(&worst[cosine], mine) < mine)
    place[cosine] = at;
}

int main() {
  const double pi = 3.14159265358979323846;
  for (double limit : {2 * pi, 100 * pi}) {
    unsigned long long bits[2] = {};
    float at[2];
    cudaMemcpyToSymbol(worst, bits, sizeof bits);
    measure<false><<<2048, 256>>>(limit);
    measure<true><<<2048, 256>>>(limit);
    cudaMemcpyFromSymbol(bits, worst, sizeof bits);
    cudaMemcpyFromSymbol(at, place, sizeof at);
    if (cudaError_t error = cudaGetLastError()) {
      std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
      return 1;
    }
    for (int cosine = 0; cosine < 2; ++cosine) {
      double error;
      static_assert(sizeof error == sizeof bits[0]);
      __builtin_memcpy(&error, &bits[cosine], sizeof error);
      std::printf("%s.approx.f32, |x| <= %g: %.9g = 2^%.4f, near %.9g\n",
                  cosine ? "cos" : "sin", limit, error, std::log2(error),
                  at[cosine]);
    }
  }
}
