//===- TensorMapsTest.cpp - maps that a kernel changes --------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A map of A is copied, its address, size and stride are changed, a tile is
// loaded through it and stored to D. The numbers are arguments: what tile that
// is, and which of them a copy does not take.
//
//===----------------------------------------------------------------------===//
#include "Harness.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

using namespace titan;
using namespace titan::test;

namespace {

const char *const text = R"(
!global = !titan.global<64x64xbf16>
!maps   = !titan.global<4x128xi8, strides = [?, 1]>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>

titan.kernel @part(%A: !global, %B: !global, %D: !global, %maps: !maps, %slot: i32,
                   %row: i32, %column: i32, %size: i32, %stride: i64) warps(1) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %i = arith.index_cast %slot : i32 to index
  %r = arith.index_cast %row : i32 to index
  %c = arith.index_cast %column : i32 to index
  %buf = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  %edit = titan.tensormap.alloc : !map
  %map = titan.tensormap.at %maps[%i] over %A : !maps, !global -> !map
  titan.elect {
    titan.mbarrier.init %full count(1) : !bar
    titan.fence.mbarrier_init
  }
  titan.tensormap.copy %mapA, %edit : !map, !map
  titan.syncwarp
  titan.elect {
    titan.tensormap.replace_address %edit, %A[%r, %c] : !map, !global
    titan.tensormap.replace_dim %edit, 0, %size : !map
    titan.tensormap.replace_stride %edit, 0, %stride : !map
  }
  titan.syncwarp
  titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map
  titan.fence.tensormap_acquire %map gpu : !map
  titan.elect {
    titan.mbarrier.arrive_expect_tx %full, %bytes : !bar
    titan.tma.load %map[%c0, %c0], %buf, %full : !map, !tile, !bar
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.mbarrier.wait %full parity(%i0) : !bar
  titan.elect {
    titan.tma.store %buf, %mapD[%c0, %c0] : !tile, !map
    %g = titan.bulk.commit : !bulk
    titan.bulk.wait %g read : !bulk
  }
  titan.return
}
)";

/// What the map is changed to.
struct Numbers {
  int slot = 1, row = 0, column = 0, size = 64, stride = 128;
  int64_t pitch = 128; ///< Bytes from map to map.
};

/// The codes of both ways to run it under a few schedules; where there are
/// none, D has been compared.
std::string run(const Numbers &n, const char *from = "", const char *to = "") {
  std::string program = text;
  if (*from)
    program.replace(program.find(from), std::string(from).size(), to);
  Module module(program, false);
  if (!module)
    return "invalid";
  KernelOp kernel = module.kernel("part");
  std::string codes;
  for (bool hazards : {true, false})
    for (int schedule = 0; schedule < 4; ++schedule) {
      Matrix a(64, 64, 2), b(64, 64, 2), d(64, 64, 2), maps(4, 128, 1, n.pitch);
      for (int r = 0; r < 64; ++r)
        for (int c = 0; c < 64; ++c)
          a.at16(r, c) = r * 64 + c;
      std::vector<SimulatorArgument> arguments = {
          a.argument(), b.argument(), d.argument(), maps.argument()};
      for (int scalar : {n.slot, n.row, n.column, n.size, n.stride})
        arguments.push_back({.scalar = static_cast<uint64_t>(scalar)});
      SimulatorOptions options;
      options.hazards = hazards;
      options.compareEffects = schedule == 0;
      options.schedule = {static_cast<Schedule::Kind>(std::min(schedule, 2)),
                          static_cast<uint64_t>(schedule)};
      SimulatorReport report = simulate(kernel, arguments, options);
      std::string found = llvm::join(codesOf(report), " ");
      EXPECT_TRUE(codes.empty() || codes == found) << describe(report);
      codes = found;
      if (!found.empty())
        continue;
      for (int r = 0; r < 64; ++r)
        for (int c = 0; c < 64; ++c)
          EXPECT_EQ(d.at16(r, c),
                    r < n.size ? a.at16(n.row + r * n.stride / 128, c) : 0)
              << r << ", " << c;
      EXPECT_TRUE(maps.guardsWhole());
    }
  return codes;
}

} // namespace

TEST(TensorMaps, CopiesSeeTheChanges) {
  EXPECT_EQ(run({}), "");
  EXPECT_EQ(run({.row = 8, .size = 56}), "");
  EXPECT_EQ(run({.slot = 3, .row = 63, .size = 1}), "");
  EXPECT_EQ(run({.row = 1, .size = 32, .stride = 256}), "");
  EXPECT_EQ(run({.row = 5, .size = 64, .stride = 0}), "");
  EXPECT_EQ(run({.size = 20, .pitch = 256}), "");
}

TEST(TensorMaps, CopiesThroughWhatIsNoMapFault) {
  // Stored as 2^32, and as nearly as much.
  EXPECT_EQ(run({.size = 0}), "tma-dim-range");
  EXPECT_EQ(run({.size = -1}), "tma-dim-range");
  // Two bytes behind a multiple of 16.
  EXPECT_EQ(run({.column = 1}), "tma-base-alignment");
  EXPECT_EQ(run({.column = 8}), "out-of-bounds");
  // The low bits would be dropped.
  EXPECT_EQ(run({.stride = 136}), "tma-replace");
  EXPECT_EQ(run({.row = 8}), "out-of-bounds");
  EXPECT_EQ(run({.size = 33, .stride = 256}), "out-of-bounds");
  // The map leads into A, and begins in B.
  EXPECT_EQ(run({}, "%edit, %A[", "%edit, %B["), "out-of-bounds");
  // Nobody has put a map there.
  EXPECT_EQ(
      run({}, "titan.tensormap.cp_fenceproxy %edit, %map gpu : !map, !map", ""),
      "tensormap-bytes");
}

TEST(TensorMaps, MapsLieInTheirArray) {
  EXPECT_EQ(run({.slot = 4}), "out-of-bounds");
  EXPECT_EQ(run({.slot = -1}), "out-of-bounds");
  EXPECT_EQ(run({.pitch = 144}), "tma-map-alignment");
}

TEST(TensorMaps, WhatIsEditedHasBeenWritten) {
  EXPECT_EQ(run({}, "titan.tensormap.copy %mapA, %edit : !map, !map", ""),
            "undefined-read");
}
