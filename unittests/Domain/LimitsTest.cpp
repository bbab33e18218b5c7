//===- LimitsTest.cpp - What schedules may ask for ------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ScheduleModel.h"

#include "titan/Domain/TmaScheduleText.h"

#include <ctime>
#include <gtest/gtest.h>

using namespace titan;

namespace {

const TargetInfo &h200 = targetInfo(TargetId::Sm90a);

Result<TmaLowering> lower(const std::string &text) {
  auto s = parseSchedule(text);
  if (!s)
    return s.problem();
  return lowerSchedule(*s, h200);
}

std::string problemOf(const std::string &text) {
  auto low = lower(text);
  return low ? "" : low.problem().code + ": " + low.problem().message;
}

DomainId find(const DomainGraph &g, const std::string &name) {
  for (DomainId id = 0; id < g.size(); ++id)
    if (g[id].name == name)
      return id;
  return -1;
}

/// Executes a schedule of numbers against its definition; `tile` names the bulk
/// leaves in the order of the image. Gives the boxes of a tile.
int64_t runs(const std::string &text, const std::vector<std::string> &tile) {
  auto s = parseSchedule(text);
  if (!s) {
    ADD_FAILURE() << s.problem().message;
    return 0;
  }
  auto low = lowerSchedule(*s, h200);
  if (!low) {
    ADD_FAILURE() << low.problem().message;
    return 0;
  }
  std::vector<DomainId> leaves;
  for (const std::string &name : tile)
    leaves.push_back(find(s->graph, name));
  ScheduleModel model(*s, leaves);
  model.run(*low, h200);
  int64_t boxes = 1;
  for (const TmaLoop &loop : low->loops)
    boxes *= loop.ofBoxes ? *loop.extent.constant() : 1;
  return boxes;
}

/// Loops of boxes and the tensor's address have names of their own.
TEST(Limits, NamesOfLoweringsAreNobodys) {
  for (std::string name : {"Mi_box", "Mi_in", "mi_box_box"}) {
    std::string text = "tensor u32 M{2048} x J{4}\n" + name +
                       ", Mi = split(M, 512)\nbulk Mi, J\nload strong";
    EXPECT_EQ(runs(text, {"Mi", "J"}), 2);
    auto low = lower(text);
    ASSERT_TRUE(bool(low));
    std::set<std::string> indices;
    for (const TmaLoop &loop : low->loops)
      EXPECT_TRUE(indices.insert(loop.index).second) << loop.index;
  }
  auto low = lower("tensor u32 D{address} x J{4}\nC, B = split(D, 4)\n"
                   "bulk B, J");
  ASSERT_TRUE(bool(low));
  auto map = low->tensorMap({{"address", 4}, {tmaAddressSymbol, 1 << 20}});
  ASSERT_TRUE(map);
  EXPECT_EQ(map->address, uint64_t(1) << 20);
  EXPECT_EQ(map->dims[1], 4u);
}

/// Coordinates have 32 bits, above and below zero.
TEST(Limits, Coordinates) {
  auto resized = [](const char *size, const char *left) {
    return std::string("tensor u32 D{") + size + "} x J{4}\nY = resize(D, " +
           left + ", 0)\nC, B = split(Y, 64)\nbulk B, J\nload strong";
  };
  EXPECT_EQ(problemOf(resized("64", "2147483648")), "");
  EXPECT_EQ(problemOf(resized("64", "2147483649")),
            "out-of-bounds: tensorCoords[1]: c*64 - 2147483649 does not fit 32 "
            "bits");
  EXPECT_EQ(problemOf(resized("64", "4294967296")),
            "out-of-bounds: tensorCoords[1]: c*64 - 4294967296 does not fit 32 "
            "bits");
  EXPECT_EQ(problemOf(resized("N", "4294967296")).substr(0, 14),
            "out-of-bounds:");
}

/// Extents that are none are refused where they are made.
TEST(Limits, Extents) {
  auto rows = [](const std::string &extent) {
    return "tensor u32 A{" + extent + "} x J{4}\nbulk J";
  };
  EXPECT_EQ(problemOf(rows("3-8")),
            "domain-invalid: line 1: domain A has the extent -5");
  EXPECT_EQ(problemOf(rows("0")),
            "domain-invalid: line 1: domain A has the extent 0");
  EXPECT_EQ(problemOf(rows("N / 0")),
            "domain-invalid: line 1: the extent N / 0 of domain A has no "
            "value: a division by 0, or more than 64 bits");
  EXPECT_EQ(problemOf(rows("N % (3 - 3)")).substr(0, 15), "domain-invalid:");
  EXPECT_EQ(problemOf(rows("N ceildiv 0")).substr(0, 15), "domain-invalid:");
  EXPECT_EQ(problemOf(rows("1099511627776 * 1099511627776")).substr(0, 15),
            "domain-invalid:");
  EXPECT_EQ(problemOf(rows("1099511627776")).substr(0, 14), "tma-dim-range:");
  EXPECT_EQ(problemOf(rows("1099511627777")),
            "parse-error: line 1: expected a number of at most 2^40 at "
            "'1099511627777'");
  EXPECT_EQ(problemOf("tensor u32 A{1099511627776} x B{1099511627776} x J{4}\n"
                      "M = merge(A, B)\nC, T = split(M, 64)\nbulk T, J"),
            "domain-invalid: line 2: the merge of A{1099511627776} and "
            "B{1099511627776} has an extent of more than 64 bits");
  EXPECT_EQ(problemOf("tensor u32 A{N} x J{4}\nC, T = split(A, 1 / 0)\nbulk J"),
            "domain-invalid: line 2: domain A is split by what has no value: a "
            "division by 0, or more than 64 bits");
  EXPECT_EQ(problemOf("tensor u32 A{8}:1 / 0 x J{4}\nbulk J").substr(0, 41),
            "domain-invalid: the stride of A{8} has no");
  DomainGraph g;
  EXPECT_FALSE(g.checkExtents());
  g.root(-5, "D");
  ASSERT_TRUE(g.checkExtents());
  EXPECT_EQ(g.checkExtents()->message, "domain D has the extent -5");
}

/// A factor that only a launch knows is at least 1 there.
TEST(Limits, FactorsOfTheLaunch) {
  auto low = lower("tensor u32 A{N} x J{4}\nC, T = split(A, F)\n"
                   "P, Q = split(T, outer G)\nbulk J\nload strong");
  ASSERT_TRUE(bool(low)) << low.problem().message;
  auto holds = [&](int64_t f, int64_t g) {
    for (const LaunchCheck &check : low->checks)
      if (check.holds(
              {{"N", 100}, {"F", f}, {"G", g}, {tmaAddressSymbol, 1 << 20}}) !=
          Tri::Yes)
        return std::string(codeInfo(check.code).code);
    return std::string();
  };
  EXPECT_EQ(holds(1, 1), "");
  EXPECT_EQ(holds(7, 2), "");
  EXPECT_EQ(holds(0, 1), "domain-invalid");
  EXPECT_EQ(holds(1, 0), "domain-invalid");
  EXPECT_EQ(holds(-3, 1), "domain-invalid");
}

/// A tile fits into shared memory, and a load's bytes into a barrier's count.
TEST(Limits, Bytes) {
  auto tile = [](const char *extents, const char *bulk, const char *how) {
    return "tensor u8 " + std::string(extents) + "\nbulk " + bulk + "\n" + how;
  };
  EXPECT_EQ(problemOf(tile("A{2147483648} x B{2147483648} x C{2147483648}",
                           "A, B, C", "load")),
            "barrier-range: a tile of A{2147483648} x B{2147483648} x "
            "C{2147483648} has 2^63 bytes or more; a barrier counts at most "
            "1048575 in one phase");
  EXPECT_EQ(problemOf(tile("A{2147483648} x B{2147483648}", "A, B", "load"))
                .substr(0, 14),
            "barrier-range:");
  EXPECT_EQ(problemOf(tile("A{4096} x B{256}", "A, B", "load")),
            "barrier-range: a tile of A{4096} x B{256} has 1048576 bytes; a "
            "barrier counts at most 1048575 in one phase");
  EXPECT_EQ(problemOf(tile("A{4096} x B{256}", "A, B", "store")),
            "shared-memory-limit: a tile of A{4096} x B{256} has 1048576 "
            "bytes; the shared memory of a CTA has at most 232448");
  EXPECT_EQ(problemOf(tile("A{909} x B{256}", "A, B", "load")).substr(0, 20),
            "shared-memory-limit:");
  EXPECT_EQ(problemOf(tile("A{908} x B{256}", "A, B", "load")), "");
  // What a buffer keeps counts, too.
  std::string kept = "tensor u8 A{2147483648} x B{256}\n"
                     "C, T = split(A, 64)\nbulk T, B\nshared C, T, B";
  EXPECT_EQ(problemOf(kept).substr(0, 20), "shared-memory-limit:");
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

/// Whatever the schedule is, of up to 256 domains, the answer comes in time:
/// what took minutes takes a fraction of a second.
TEST(Limits, Time) {
  auto timed = [](const std::string &name, const std::string &text) {
    std::clock_t start = std::clock();
    std::string problem = problemOf(text);
    double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    EXPECT_LT(seconds, 3.0) << name; // Sanitizers, too.
    return problem.substr(0, problem.find(' '));
  };
  auto n = [](auto k) { return std::to_string(k); };
  // Many ways to see the tensor.
  for (int count : {8, 24, 60})
    for (bool dead : {true, false}) {
      std::string text = "tensor u32 ", bulk = "bulk I, J", rest;
      for (int k = 0; k < count; ++k) {
        text += "A" + n(k) + "{2} x ";
        rest += "C" + n(k) + ", B" + n(k) + " = split(A" + n(k) + ", 1)\n";
        bulk += ", B" + n(k);
      }
      text += "Z{64} x J{4}\n" + rest +
              (dead ? "O, X = split(Z, 30)\nK, I = split(X, 8)\n"
                    : "O, X = split(Z, 32)\nK, I = split(X, 8)\n") +
              bulk;
      std::string got = timed("views " + n(count), text);
      EXPECT_EQ(got, count > 40 ? "domain-invalid:"
                     : dead     ? "tma-schedule:"
                                : "");
    }
  // Indices that are used twice in those of the next domain.
  for (int count : {2, 14, 60}) {
    std::string text = "tensor u32 A{8} x B{8} x J{4}\n", o = "A", i = "B";
    for (int k = 0; k < count; ++k) {
      text += "M" + n(k) + " = merge(" + o + ", " + i + ")\nO" + n(k) + ", I" +
              n(k) + " = split(M" + n(k) + ", 8)\n";
      o = "I" + n(k), i = "O" + n(k);
    }
    EXPECT_EQ(timed("chain " + n(count), text + "bulk J"),
              count == 2 ? "" : "tma-schedule:");
  }
  // Many contiguous dimensions of the launch; many loops with holes.
  for (int count : {12, 120, 250}) {
    std::string text = "tensor u32 ";
    for (int k = 0; k < count; ++k)
      text += "A" + n(k) + "{N" + n(k) + "} x ";
    timed("loops " + n(count), text + "J{4}\nbulk J");
  }
  std::string text = "tensor u32 ", rest;
  for (int d = 0; d < 10; ++d) {
    text += "A" + n(d) + "{N" + n(d) + "} x ";
    std::string at = "A" + n(d);
    for (int k = 0; k < 10; ++k, at = "O" + n(d) + "_" + n(k - 1))
      rest += "O" + n(d) + "_" + n(k) + ", I" + n(d) + "_" + n(k) +
              " = split(" + at + ", " + n(k + 3) + ")\n";
  }
  text += "D{512} x J{4}\n" + rest;
  std::string at = "D";
  for (int k = 0; k < 8; ++k, at = "X" + n(k - 1))
    text += "X" + n(k) + ", Y" + n(k) + " = split(" + at + ", 2)\n";
  timed("holes", text + "bulk Y0, Y1, Y2, J\nload strong");
}

} // namespace
