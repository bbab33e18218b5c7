//===- ClockTest.cpp - vector clocks --------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Search/Clock.h"

#include <gtest/gtest.h>

#include <set>

using namespace titan;
using namespace titan::checker;

namespace {

ClockShape shapeOf(bool tensorMemory) {
  ClockShape shape;
  shape.agents = 3;
  shape.barriers = 4;
  shape.rounds = 2;
  shape.streams = 5;
  shape.tensorMemory = tensorMemory;
  return shape;
}

/// Every number has a place of its own, and no place is left over.
TEST(Clock, NumbersDoNotOverlap) {
  for (bool tensorMemory : {false, true}) {
    ClockShape shape = shapeOf(tensorMemory);
    std::multiset<uint32_t> places;
    for (uint32_t agent = 0; agent < shape.agents; ++agent)
      for (int lane : {electedClass, othersClass}) {
        places.insert({shape.time(agent, lane), shape.init(agent, lane),
                       shape.mapRelease(agent, lane),
                       shape.acted(agent, lane)});
        for (MemorySpace space : {MemorySpace::Global, MemorySpace::SharedOwn,
                                  MemorySpace::SharedPeer})
          places.insert(shape.fence(agent, lane, space));
        for (Cells what :
             {Cells::LoadsWaited, Cells::StoresWaited, Cells::LoadsFenced,
              Cells::StoresFenced, Cells::Fenced})
          if (tensorMemory)
            places.insert(shape.cells(what, agent, lane));
      }
    for (uint32_t i = 0; i < shape.rounds; ++i)
      places.insert(shape.round(i));
    for (uint32_t i = 0; i < shape.barriers; ++i)
      places.insert(
          {shape.phase(i), shape.fenced(shape.phase(i)), shape.over(i)});
    for (uint32_t i = 0; i < shape.streams; ++i)
      places.insert({shape.done(i), shape.read(i), shape.fenced(shape.done(i)),
                     shape.fenced(shape.read(i))});
    EXPECT_EQ(places.size(), shape.size());
    uint32_t expected = 0;
    for (uint32_t place : places)
      EXPECT_EQ(place, expected++);
  }
}

/// What a relaxed arrival hands over: phases that are over, and who has acted,
/// but nothing of memory (MM-15).
TEST(Clock, ExecutionOrderAlone) {
  ClockShape shape = shapeOf(true);
  Clock from(shape.size()), to(shape.size());
  for (uint32_t i = 0; i < shape.size(); ++i)
    from[i] = i + 1;
  to.join(from, shape.over(0), shape.overEnd());
  EXPECT_EQ(to[shape.over(2)], from[shape.over(2)]);
  EXPECT_EQ(to[shape.acted(2, othersClass)], from[shape.acted(2, othersClass)]);
  EXPECT_EQ(to[shape.cells(Cells::Fenced, 1, electedClass)],
            from[shape.cells(Cells::Fenced, 1, electedClass)]);
  EXPECT_EQ(to[shape.time(1, electedClass)], 0u);
  EXPECT_EQ(to[shape.phase(1)], 0u);
  EXPECT_EQ(to[shape.mapRelease(1, electedClass)], 0u);
}

TEST(Clock, JoinTakesTheGreater) {
  Clock a(3), b(3);
  a[0] = 4, a[1] = 1, b[1] = 2, b[2] = 3;
  a.join(b);
  EXPECT_EQ(a[0], 4u);
  EXPECT_EQ(a[1], 2u);
  EXPECT_EQ(a[2], 3u);
}

} // namespace
