//===- SharingTest.cpp - who meets whom in global memory ------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Search/Sharing.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir;
using namespace titan;
using namespace titan::checker;

namespace {

/// Clusters of one warp each, whose operations touch one tensor.
class Grid {
public:
  explicit Grid(int clusters) {
    program.clusters = clusters;
    program.written = {true};
    for (int c = 0; c < clusters; ++c)
      program.agents.push_back({.cta = c, .cluster = c});
    program.programs.resize(clusters);
    write.what = effect::Access{.kind = AccessKind::Write};
    read.what = effect::Access{.kind = AccessKind::Read};
  }

  /// An operation of a cluster.
  Operation *touch(int cluster, bool writes, FootprintData place) {
    ops.push_back(ModuleOp::create(UnknownLoc::get(&context)));
    AgentProgram &code = program.programs[cluster];
    code.events.push_back({.op = *ops.back(),
                           .first = uint32_t(code.actions.size()),
                           .count = 1});
    code.actions.push_back({.kind = Action::Access,
                            .effect = writes ? &write : &read,
                            .object = footprints.add(std::move(place))});
    return *ops.back();
  }

  Program program;
  Footprints footprints;

private:
  MLIRContext context;
  std::vector<OwningOpRef<ModuleOp>> ops;
  effect::Effect write, read;
};

// Pairs whose bounds do not meet are not looked at, or few of them: a row of places
// takes steps as it is long, and not as its square.
TEST(Sharing, PlacesInARow) {
  constexpr int places = 20000;
  Grid grid(2);
  for (int i = 0; i < places; ++i)
    for (int c : {0, 1})
      grid.touch(c, true, {.bytes = ByteSet(8 * i + 4 * c, 8 * i + 4 * c + 4)});
  Effort effort(20 * places);
  Sharing sharing(effort);
  EXPECT_TRUE(sharing.add(grid.program, grid.footprints));
  EXPECT_FALSE(effort.usedUp());
}

// What meets at one place is looked at pair by pair, and counted.
TEST(Sharing, OnePlace) {
  constexpr int places = 2000;
  Grid grid(2);
  for (int i = 0; i < places; ++i)
    grid.touch(i % 2, true, {.bytes = ByteSet(0, 4)});
  Effort effort(20 * places);
  Sharing sharing(effort);
  EXPECT_FALSE(sharing.add(grid.program, grid.footprints));
  EXPECT_TRUE(effort.usedUp());
}

TEST(Sharing, AgreesWithAllPairs) {
  std::mt19937 random(1);
  auto number = [&](int64_t most) {
    return std::uniform_int_distribution<int64_t>(0, most)(random);
  };
  for (int round = 0; round < 300; ++round) {
    Grid grid(3);
    struct Touch {
      Operation *op;
      int cluster;
      bool write;
    };
    std::vector<Touch> touches;
    const int64_t boxes = number(2); // None, some, all.
    for (int i = 0; i < 12; ++i) {
      FootprintData place;
      if (number(1) < boxes) {
        place.strides = {16, 4};
        for (int64_t most : {5, 3}) {
          place.low.push_back(number(most));
          place.high.push_back(place.low.back() + number(2));
        }
      } else {
        for (int64_t parts = number(2); parts > 0; --parts) {
          const int64_t begin = 4 * number(24);
          place.bytes.add(begin, begin + 4 * number(3));
        }
      }
      Touch touch{nullptr, int(number(2)), number(2) > 0};
      touch.op = grid.touch(touch.cluster, touch.write, std::move(place));
      touches.push_back(touch);
    }
    Effort effort(1000000);
    Sharing sharing(effort);
    EXPECT_TRUE(sharing.add(grid.program, grid.footprints));
    for (uint32_t i = 0; i < touches.size(); ++i)
      for (uint32_t j = 0; j < i; ++j) {
        const Touch &x = touches[i], &y = touches[j];
        EXPECT_EQ(sharing.haveMet({x.op, y.op, x.cluster != y.cluster, 0}),
                  (x.write || y.write) && grid.footprints.intersect(i, j))
            << "round " << round << ": " << i << ", " << j;
      }
  }
}

} // namespace
