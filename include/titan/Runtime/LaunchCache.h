//===- LaunchCache.h - What one launch leaves to the next -------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most launches repeat an earlier one with other addresses. What a launch
// depends on:
//
//   sizes, strides, scalars that    arguments' checks, launch checks, grid,
//   an expression reads             values, maps' sizes       LaunchCache
//   addresses                       alignment, checks that read an address:
//                                   asked each time
//   a map's sizes and its address   the encoded map           TensorMapCache
//
// Both are of a kernel in one context, and of fixed size, the least recently
// used replaced: a launch allocates nothing.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_RUNTIME_LAUNCHCACHE_H
#define TITAN_RUNTIME_LAUNCHCACHE_H

#include "titan/Runtime/Driver.h"
#include "titan/Runtime/Expr.h"
#include "titan/Runtime/Manifest.h"

#include <array>
#include <bitset>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace titan::runtime {

/// All that a launch computes from its arguments. Not initialised: entries
/// behind the kernel's own mean nothing.
struct LaunchPlan {
  std::array<int64_t, 3> grid;                     ///< In CTAs.
  std::array<TensorMapFields, maxTensorMaps> maps; ///< One a tensor map.
  std::array<int64_t, maxParameters> values;       ///< Of Value parameters.
};

/// Plans, by all of their arguments but addresses.
class LaunchCache {
public:
  static constexpr size_t capacity = 32; ///< In launches.

  explicit LaunchCache(const KernelSpec &kernel);

  /// The plan of an earlier launch whose arguments differ in their addresses
  /// alone, with these addresses in its maps; false if there is none, or if
  /// something that these addresses decide is not as it must be. The rules for
  /// a map's address are not among that.
  bool find(std::span<const Argument> arguments, const DeviceProperties &device,
            LaunchPlan &out);
  /// Keeps the plan of arguments that have passed all checks.
  void insert(std::span<const Argument> arguments, const LaunchPlan &plan);

private:
  struct Entry {
    uint64_t lastUse = 0; ///< 0: free.
    uint64_t hash = 0;
    std::array<int64_t, 3> grid{};
    // As long as for any launch of the kernel.
    std::vector<int64_t> key, values;
    std::vector<int64_t> extents; ///< Of arguments, in bytes.
    std::vector<TensorMapFields> maps;
  };
  template <typename Visit>
  bool visitKey(std::span<const Argument> arguments, Visit visit) const;
  bool addressesFit(std::span<const Argument> arguments,
                    const DeviceProperties &device, const Entry &entry) const;

  const KernelSpec &kernel;
  std::bitset<maxArguments> scalarsRead;    ///< By any expression.
  std::vector<const CheckSpec *> ofAddress; ///< Checks that read an address.
  bool enabled = true;                      ///< No plan depends on an address.
  std::mutex mutex;
  uint64_t clock = 0;
  std::vector<Entry> entries;
};

/// Encoded tensor maps: sets of four.
class TensorMapCache {
public:
  static constexpr size_t capacity = 64; ///< In maps.

  /// Copies the map for (index, fields) to `out`; false if it is not there.
  bool find(uint16_t index, const TensorMapFields &fields,
            cuda::TensorMap &out);
  void insert(uint16_t index, const TensorMapFields &fields,
              const cuda::TensorMap &map);

private:
  static constexpr size_t ways = 4;
  struct Entry {
    uint64_t lastUse = 0; ///< 0: free.
    uint16_t index = 0;
    TensorMapFields fields{};
    cuda::TensorMap map;
  };
  std::span<Entry, ways> setOf(uint16_t index, const TensorMapFields &fields);

  std::mutex mutex;
  uint64_t clock = 0;
  std::array<Entry, capacity> entries;
};

} // namespace titan::runtime

#endif // TITAN_RUNTIME_LAUNCHCACHE_H
