//===- Cases.h - Random copies, and what they should do ---------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TESTS_HARDWARE_TMA_CASES_H
#define TITAN_TESTS_HARDWARE_TMA_CASES_H

#include "Device.h"
#include "titan/Domain/Tma.h"

#include <random>

namespace titan::hw {

/// Numbers that depend on seed and index alone.
class Random {
public:
  Random(uint64_t seed, uint64_t index)
      : engine(seed * 0x9E3779B97F4A7C15u + index) {}
  uint64_t bits() { return engine(); }
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine() % uint64_t(high - low + 1));
  }
  bool oneIn(int64_t n) { return between(1, n) == 1; }
  template <typename T> const T &pick(const std::vector<T> &list) {
    return list[between(0, static_cast<int64_t>(list.size()) - 1)];
  }

private:
  std::mt19937_64 engine;
};

enum class Kind { Tiled, Interleaved, Im2col };
constexpr int kinds = 3;
inline const char *name(Kind kind) {
  const char *names[] = {"tiled", "interleaved", "im2col"};
  return names[static_cast<int>(kind)];
}

/// A legal copy whose global bytes lie in the first Device::mostGlobal bytes
/// and whose image fits the window, with guard bytes around both.
struct Case {
  Kind kind;
  Job job;
  size_t shared, global; ///< Sizes of the memories.
};
Case makeCase(Random &random, Kind kind, const Device &device);

/// Values that hurt among random ones: NaN, infinity, -0, subnormal numbers.
void fill(Random &random, const TmaType &type, std::vector<uint8_t> &bytes);

/// What the function of lib/Domain says. The memories become what they should
/// be after the copy; the problem is the function's.
struct Prediction {
  std::optional<Problem> problem;
  int64_t transaction = 0;
};
Prediction predict(const TensorMap &map, const TmaCopy &copy,
                   const Device &device, Memory &memory);

/// One line with every field; addresses relative to the device's.
std::string describe(const TensorMap &map, const TmaCopy &copy,
                     const Device &device);

} // namespace titan::hw

#endif // TITAN_TESTS_HARDWARE_TMA_CASES_H
