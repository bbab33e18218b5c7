//===- Device.h - One tensor copy on a GPU, or on its model -----*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the programs of this folder ask hardware: "these bytes stand in shared
// and in global memory; here is a tensor map; execute one copy; what stands
// there now, and how many bytes did the barrier count?"
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TESTS_HARDWARE_TMA_DEVICE_H
#define TITAN_TESTS_HARDWARE_TMA_DEVICE_H

#include "titan/Domain/TensorMap.h"

#include <memory>

namespace titan::hw {

/// How a load's transaction bytes are asked.
enum class Count : uint8_t {
  /// `expect` bytes are expected: the phase completes, and so does the next one
  /// that expects nothing: not a byte more has come.
  Exact,
  /// 16 bytes too many are expected: the phase completes only when they are
  /// taken back.
  OneMore,
  /// The bytes that came are counted by hand: below 131072, a multiple of 16
  /// (-1 otherwise).
  Raw
};

struct Job {
  TensorMap map;
  TmaCopy copy;
  /// The map's 128 bytes; none: the driver encodes `map`.
  std::optional<TmaDescriptor> bits = {};
  /// Where the instruction finds the map: a kernel parameter or global memory.
  bool mapInGlobal = false;
  Count count = Count::Exact;
  uint32_t expect = 0;
};

/// Both memories, before and after.
struct Memory {
  std::vector<uint8_t> shared; ///< From Device::sharedBase() on.
  std::vector<uint8_t> global; ///< From Device::globalBase() on.
};

struct Outcome {
  /// CUresult: of the encoder where `refused`, else of the launch.
  int error = 0;
  bool refused = false;
  /// The expected bytes came, and no others (see Count).
  bool counted = false;
  int64_t raw = 0; ///< Count::Raw: bytes.
};

class Device {
public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;
  /// Absolute shared address of Memory::shared; a multiple of 1024.
  virtual uint32_t sharedBase() const = 0;
  virtual uint64_t globalBase() const = 0;
  static constexpr size_t mostShared = 224 * 1024, mostGlobal = 1 << 20;

  /// CUresult; 0 is success.
  virtual int encode(const TensorMap &map, TmaDescriptor &bits) = 0;
  /// Executes one copy. After an error of a launch the process cannot use the
  /// device any more. The memories are unchanged after any error.
  virtual Outcome run(const Job &job, Memory &memory) = 0;

  struct Replace {
    TmaField field;
    int ordinal;
    uint64_t value;
  };
  /// tensormap.replace on a map in shared memory, one after another. CUresult.
  virtual int replace(TmaDescriptor &bits,
                      const std::vector<Replace> &steps) = 0;

  /// cp.async.bulk of `bytes` (a register) into shared memory whose first 64
  /// KiB hold `fill`; how many bytes changed, and how many the barrier counted.
  struct Bulk {
    int error;
    int64_t changed, counted;
  };
  virtual Bulk bulk(uint32_t bytes) = 0;
};

/// The first GPU; null without one. Initialises CUDA: call it after fork().
std::unique_ptr<Device> openGpu();
/// The function under test in the place of hardware: tests the programs.
std::unique_ptr<Device> openMock();

} // namespace titan::hw

#endif // TITAN_TESTS_HARDWARE_TMA_DEVICE_H
