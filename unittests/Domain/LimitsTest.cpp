//===- LimitsTest.cpp - What schedules may ask for ------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Targets.h"

#include "ScheduleModel.h"

#include "titan/Domain/TmaExplain.h"
#include "titan/Domain/TmaScheduleText.h"

#include <ctime>
#include <gtest/gtest.h>

using namespace titan;

namespace {

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
  return g.find(name).value_or(-1);
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
  return low->boxesOfTile();
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
/// Mistakes of a program that makes schedules.
TEST(Limits, FieldsThatAreNotThere) {
  auto s = parseSchedule("tensor f32 M{64} x N{64}\nMo, Mi = split(M, 8)\n"
                         "bulk Mi, N\n");
  ASSERT_TRUE(s);
  auto code = [&](auto change) {
    TmaSchedule changed = *s;
    change(changed);
    auto text = writeSchedule(changed);
    EXPECT_FALSE(text);
    auto low = lowerSchedule(changed, h200);
    return low ? "lowered" : low.problem().code;
  };
  EXPECT_EQ(code([](TmaSchedule &t) { t.type = findTmaType("float32"); }),
            "domain-invalid");
  EXPECT_EQ(code([](TmaSchedule &t) { t.swizzle = findTmaSwizzle("128"); }),
            "domain-invalid");
  for (DomainId id : {-1, 99}) {
    EXPECT_EQ(code([&](TmaSchedule &t) { t.bulk[0] = id; }), "domain-invalid");
    EXPECT_EQ(code([&](TmaSchedule &t) { t.shared = {id}; }), "domain-invalid");
    EXPECT_EQ(code([&](TmaSchedule &t) { t.global[0].domain = id; }),
              "domain-invalid");
    EXPECT_EQ(code([&](TmaSchedule &t) { t.tmaDomain = {id}; }),
              "domain-invalid");
    EXPECT_EQ(s->graph.rename(id, "x")->code, "domain-invalid");
  }
  EXPECT_FALSE(s->graph.rename(*s->graph.find("Mi"), "Rows"));
  EXPECT_FALSE(s->graph.find("Mi"));
  EXPECT_EQ(s->graph.str(*s->graph.find("Rows")), "Rows{8}");
}

/// What no size does is refused at once, and what one does is not.
TEST(Limits, ChecksThatNoSizesKeep) {
  auto text = [](const std::string &size, int left) {
    return "tensor f32 M{" + size + "} x N{104}\nMp = resize(M, " +
           std::to_string(left) +
           ", 1)\nMo, Mi = split(Mp, 16)\nNo, Ni = split(N, 8)\n"
           "bulk Mi, Ni\nstore\n";
  };
  std::string why = problemOf(text("M", 1));
  EXPECT_EQ(why.rfind("tma-store-negative", 0), 0u) << why;
  EXPECT_NE(why.find("whatever the sizes are"), std::string::npos) << why;
  for (int m = 1; m <= 64; ++m)
    EXPECT_NE(problemOf(text(std::to_string(m), 1)), "") << m;
  // A tile of padding alone is left out.
  EXPECT_EQ(problemOf(text("M", 16)), "");
  // Some sizes do: those of one tile, and those that a multiple allows.
  std::string boxes = "tensor f32 M{M} x J{4}\nI2, I3 = split(M, 4)\n"
                      "I4, I5 = split(I3, 3)\nbulk I4, J\nmap M, J\n"
                      "load strong\n";
  EXPECT_EQ(problemOf(boxes), "");
  EXPECT_EQ(problemOf("size M multiple 4\n" + boxes), "");
  why = problemOf("size M multiple 5\n" + boxes);
  EXPECT_EQ(why.rfind("tma-strong", 0), 0u) << why;
}

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
            "domain-invalid: line 1, column 12: domain A has the extent -5");
  EXPECT_EQ(problemOf(rows("0")),
            "domain-invalid: line 1, column 12: domain A has the extent 0");
  EXPECT_EQ(
      problemOf(rows("N / 0")),
      "domain-invalid: line 1, column 12: the extent N / 0 of domain A has no "
      "value: a division by 0, or more than 64 bits");
  EXPECT_EQ(problemOf(rows("N % (3 - 3)")).substr(0, 15), "domain-invalid:");
  EXPECT_EQ(problemOf(rows("N ceildiv 0")).substr(0, 15), "domain-invalid:");
  EXPECT_EQ(problemOf(rows("1099511627776 * 1099511627776")).substr(0, 15),
            "domain-invalid:");
  EXPECT_EQ(problemOf(rows("1099511627776")).substr(0, 14), "tma-dim-range:");
  EXPECT_EQ(
      problemOf(rows("1099511627777")),
      "parse-error: line 1, column 14: expected a number of at most 2^40 at "
      "'1099511627777'");
  EXPECT_EQ(
      problemOf("tensor u32 A{1099511627776} x B{1099511627776} x J{4}\n"
                "M = merge(A, B)\nC, T = split(M, 64)\nbulk T, J"),
      "domain-invalid: line 2, column 1: the merge of A{1099511627776} and "
      "B{1099511627776} has an extent of more than 64 bits");
  EXPECT_EQ(problemOf("tensor u32 A{N} x J{4}\nC, T = split(A, 1 / 0)\nbulk J"),
            "domain-invalid: line 2, column 1: domain A is split by what has "
            "no value: a "
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

/// What is no leaf is named, with what uses it.
TEST(Limits, BulkLeaves) {
  EXPECT_EQ(problemOf("tensor u32 D{64} x J{4}\nC, B = split(D, 8)\n"
                      "T, S = split(B, 2)\nbulk B, J"),
            "domain-invalid: bulk domain B{8} is no leaf: it is used by T{4}, "
            "S{2} = split(B{8}, inner 2)");
  auto s = parseSchedule("tensor u32 D{64} x J{4}\nC, B = split(D, 8)\n"
                         "bulk B, J");
  ASSERT_TRUE(bool(s));
  s->bulk.push_back(17);
  auto low = lowerSchedule(*s, h200);
  ASSERT_FALSE(bool(low));
  EXPECT_EQ(low.problem().message,
            "bulk domain 17, which there is not, is no leaf");
}

//===----------------------------------------------------------------------===//
// Tiles of several boxes
//===----------------------------------------------------------------------===//

/// Each box of a tile begins at a multiple of 128 bytes; there are as few as
/// can be, equal ones where those are as few.
TEST(Limits, BoxesOfTiles) {
  auto rows = [](int64_t tile, const char *more = "") {
    return "tensor u32 D{720} x J{4}\nC, B = split(D, " + std::to_string(tile) +
           ")\nbulk B, J\nload strong\n" + more;
  };
  using Boxes = std::vector<int64_t>; // Full ones, and the rest.
  auto boxes = [](const std::string &text) {
    Boxes all;
    auto low = lower(text);
    if (!low)
      return all;
    for (const TmaLowering *part : low->parts())
      all.push_back(part->dimensions[1].tile);
    return all;
  };
  EXPECT_EQ(boxes(rows(256)), Boxes({256}));
  EXPECT_EQ(boxes(rows(257)), Boxes({256, 1}));
  EXPECT_EQ(boxes(rows(264)), Boxes({256, 8})); // 132 are no whole 128 bytes.
  EXPECT_EQ(boxes(rows(272)), Boxes({136}));
  EXPECT_EQ(boxes(rows(360)), Boxes({256, 104})); // Not three of 120.
  EXPECT_EQ(boxes(rows(514)), Boxes({256, 2}));
  EXPECT_EQ(runs(rows(514), {"B", "J"}), 3);
  EXPECT_EQ(runs(rows(257), {"B", "J"}), 2);
  // Of every tile, by the rule: n boxes, equal ones if they begin so.
  for (int64_t tile = 1; tile <= 720; ++tile) {
    int64_t n = ceilDiv(tile, 256);
    bool equal = n == 1 || (tile % n == 0 && tile / n % 8 == 0);
    EXPECT_EQ(boxes(rows(tile)),
              equal ? Boxes({tile / n}) : Boxes({256, tile - (n - 1) * 256}))
        << tile;
  }
  // Elements 8 apart: boxes of at most 32.
  std::string strided = "tensor u32 D{2000} x J{4}\nC, B = split(D, 1200)\n"
                        "T, S = split(B, 8)\nbulk T, J\nload strong";
  EXPECT_EQ(boxes(strided), Boxes({32, 22}));
  EXPECT_EQ(runs(strided, {"T", "J"}), 5);
  // Of two tiles the second one has to begin so, too.
  auto two = [](int64_t tile) {
    return "tensor u32 A{2}:32768 x D{720} x J{4}\nC, B = split(D, " +
           std::to_string(tile) + ")\nbulk A, B, J\nload strong";
  };
  EXPECT_EQ(runs(two(360), {"A", "B", "J"}), 4);
  EXPECT_EQ(problemOf(two(257)),
            "tma-schedule: boxDim: no boxes make up the tile B{257}. A box has "
            "at most 256 elements. Each box begins at a multiple of 128 bytes: "
            "all but the last have a multiple of 8 elements. So has the tile: "
            "boxes of the next one follow. 256 or 264 elements would do");
  for (int64_t tile = 1; tile <= 720; ++tile)
    EXPECT_EQ(problemOf(two(tile)).empty(), tile <= 256 || tile % 8 == 0)
        << tile;
  // Under a swizzle boxes begin at its period, where that costs nothing.
  std::string swizzled = "tensor bf16 D{900} x J{64}\nC, B = split(D, 300)\n"
                         "bulk B, J\nload strong\nswizzle 128B";
  EXPECT_EQ(boxes(swizzled), Boxes({256, 44})); // 150 rows are no period's.
  EXPECT_EQ(runs(swizzled, {"B", "J"}), 2);
  // Panels of a swizzle, the last one narrower.
  auto panels = [](int64_t rows, int64_t columns) {
    return "tensor u32 M{64} x K{64}\nC, B = split(M, " + std::to_string(rows) +
           ")\nO, I = split(K, " + std::to_string(columns) +
           ")\nbulk B, I\nload strong\nswizzle 32B";
  };
  EXPECT_EQ(runs(panels(8, 16), {"B", "I"}), 2);
  EXPECT_EQ(runs(panels(8, 20), {"B", "I"}), 3);
  EXPECT_EQ(lower(panels(8, 20))->imageBytes, 3 * 8 * 32);
  EXPECT_EQ(problemOf(panels(3, 16)),
            "tma-schedule: boxDim: a tile of 2 panels of 3 rows of 32 bytes: "
            "panels begin at multiples of 128 bytes, so that a multiple of 4 "
            "rows would do");
  EXPECT_EQ(problemOf(panels(8, 10)),
            "tma-schedule: boxDim: no boxes make up the tile I{10}. A box has "
            "at most 8 elements. A row has whole chunks of 16 bytes: a "
            "multiple of 4 elements. 8 or 12 elements would do");
  // A row wider than a box.
  std::string wide = "tensor u8 M{3} x K{1024}\nO, I = split(K, 272)\n"
                     "bulk I\nload strong";
  EXPECT_EQ(runs(wide, {"I"}), 2);
  wide.replace(wide.find("272"), 3, "264");
  EXPECT_EQ(problemOf(wide).substr(0, 13), "tma-schedule:");
}

/// Whole domains one after the other are boxed as one where that needs fewer
/// boxes.
TEST(Limits, MergedTiles) {
  auto tile = [](const char *a, const char *b) {
    return "tensor u32 N{2} x A{" + std::string(a) + "} x B{" + b +
           "} x J{4}\nbulk A, B, J\nload strong";
  };
  auto why = [](const std::string &text) {
    auto low = lower(text);
    for (const std::string &line : low ? low->why : std::vector<std::string>())
      if (line.substr(0, 10) == "composited")
        return line;
    return low ? std::string() : low.problem().message;
  };
  std::string text = tile("4", "300");
  EXPECT_EQ(runs(text, {"A", "B", "J"}), 5);
  EXPECT_EQ(why(text), "composited: A{4} x B{300}, 5 boxes a tile; apart they "
                       "are refused");
  text = tile("4", "320"); // 8 boxes of 160.
  EXPECT_EQ(runs(text, {"A", "B", "J"}), 5);
  EXPECT_EQ(why(text),
            "composited: A{4} x B{320}, 5 boxes a tile instead of 8 boxes");
  text = tile("2", "512"); // As many of 256 either way.
  EXPECT_EQ(runs(text, {"A", "B", "J"}), 4);
  EXPECT_EQ(why(text), "");
  // As if the schedule had merged them.
  auto merged = lower("tensor u32 N{2} x A{4} x B{300} x J{4}\n"
                      "M = merge(A, B)\nC, T = split(M, 1200)\nbulk T, J\n"
                      "load strong");
  auto found = lower(tile("4", "300"));
  ASSERT_TRUE(merged && found);
  EXPECT_EQ(merged->box, found->box);
  EXPECT_EQ(merged->thenBytes, found->thenBytes);
  // Stores, too; and not where the strides say otherwise.
  text = tile("4", "300");
  text.replace(text.find("load strong"), 11, "store");
  EXPECT_EQ(runs(text, {"A", "B", "J"}), 5);
  EXPECT_EQ(problemOf("tensor u32 A{4}:8192 x B{300} x J{4}\nbulk A, B, J")
                .substr(0, 13),
            "tma-schedule:");
}

/// `traffic worth` takes a predicate from an eighth of the copies on.
TEST(Limits, WorthItsPredicate) {
  auto text = [](int64_t n) {
    return "tensor u32 D{" + std::to_string(8 * n) +
           "} x J{4}\nC, B = split(D, 4)\nP, Q = split(C, " +
           std::to_string(n) +
           ")\nR, S = split(Q, 32)\nbulk B, J\nload weak\ntraffic worth";
  };
  for (int64_t n : {27, 28, 29, 31}) {
    EXPECT_EQ(runs(text(n), {"B", "J"}), 1);
    auto low = lower(text(n));
    ASSERT_TRUE(bool(low)) << low.problem().message;
    EXPECT_EQ(low->level, 2);
    bool takes = 32 - n >= 4; // Of 32.
    EXPECT_EQ(low->otherwise, takes ? TmaElse::Skip : TmaElse::None) << n;
    EXPECT_EQ(low->predicate.empty(), !takes) << n;
    std::string line = "traffic: of every 32 copies " + std::to_string(32 - n) +
                       " are known to move nothing but holes, " +
                       (takes ? "an eighth or more: a predicate saves them"
                              : "less than an eighth: they are let be");
    EXPECT_EQ(std::count(low->why.begin(), low->why.end(), line), 1) << line;
  }
}

/// Boxes and rests of a tile count their own copies, boxes and not elements.
TEST(Limits, WorthOfParts) {
  // Of each part: what it says of traffic, and whether it has a predicate.
  using Parts = std::vector<std::pair<std::string, bool>>;
  auto parts = [](const std::string &text) {
    Parts result;
    EXPECT_GT(runs(text, {"B", "J"}), 1);
    auto low = lower(text);
    if (!low) {
      ADD_FAILURE() << low.problem().message;
      return result;
    }
    for (const TmaLowering *part : low->parts()) {
      std::string said;
      for (const std::string &line : part->why)
        if (line.starts_with("traffic: "))
          said += line.substr(9, line.find(',') - 9);
      result.emplace_back(said, !part->predicate.empty());
    }
    return result;
  };
  auto tiles = [](int64_t size, int64_t tile, const std::string &more = "") {
    return "tensor u32 M{" + std::to_string(size + 1) +
           "} x J{4}\nD = resize(M, -1, 0)\nC, B = split(D, " +
           std::to_string(tile) + ")\n" + more +
           "bulk B, J\nmap M, J\nload weak\ntraffic worth";
  };
  const std::string holes = " are known to move nothing but holes";
  // One tile, of which the second box is one hole.
  EXPECT_EQ(parts(tiles(18, 300)),
            Parts({{"", false}, {"all copies" + holes, true}}));
  // 2 tiles of 512 and 2, in 3 iterations: 5 of the 9 copies are holes.
  EXPECT_EQ(parts(tiles(519, 514, "P, Q = split(C, 3)\n")),
            Parts({{"of every 6 copies 3" + holes, true},
                   {"of every 3 copies 2" + holes, true}}));
  // More than an eighth of the elements, a tenth of the boxes.
  EXPECT_EQ(parts(tiles(514 * 4 + 1, 514)),
            Parts({{"of every 10 copies 1" + holes, false},
                   {"of every 5 copies 1" + holes, true}}));
  // A fiftieth of the elements, and an eighth of the rests.
  EXPECT_EQ(parts(tiles(300 * 7 + 256, 300)),
            Parts({{"", false}, {"of every 8 copies 1" + holes, true}}));
  // Two bounds of the same loops: index 3 of E, F is no Q, and there are 4 C.
  EXPECT_EQ(parts(tiles(1200, 300, "P, Q = split(C, 3)\nE, F = split(Q, 2)\n")),
            Parts({{"of every 8 copies 4" + holes, true},
                   {"of every 8 copies 4" + holes, true}}));
  // What has too many iterations is not counted, what it has in it is.
  std::string many = "P, Q = split(C, 96)\nF, G = split(Q, 64)\n";
  auto large = lower(tiles(300000, 8, many));
  ASSERT_TRUE(bool(large)) << large.problem().message;
  EXPECT_EQ(large->otherwise, TmaElse::Skip);
  EXPECT_EQ(std::count(large->why.begin(), large->why.end(),
                       "traffic: of every 128 copies 32" + holes +
                           ", an eighth or more: a predicate saves them"),
            1);
  // What only a launch knows is not counted.
  auto open = lower("tensor u32 M{M} x J{4}\nD = resize(M, -1, 0)\n"
                    "C, B = split(D, 300)\nbulk B, J\nload weak\n"
                    "traffic worth");
  ASSERT_TRUE(bool(open)) << open.problem().message;
  EXPECT_EQ(open->otherwise, TmaElse::None);
  EXPECT_EQ(std::count(open->why.begin(), open->why.end(),
                       "traffic: no copies" + holes +
                           ", less than an eighth: they are let be"),
            1);
}

/// What lies outside of the tensor needs no predicate: it is all fill.
TEST(Limits, OutsideNeedsNoPredicate) {
  auto low = lower("tensor f16 M{8} x J{40}\nD = resize(J, -8, 3)\n"
                   "C, B = split(D, 16)\nbulk B\ntraffic save\nload weak");
  ASSERT_TRUE(bool(low)) << low.problem().message;
  EXPECT_TRUE(low->predicate.empty());
  EXPECT_EQ(low->why.back(),
            "no predicate: it would hold in every iteration; what lies outside "
            "of the tensor needs none, the hardware reads nothing there");
}

/// The limit that is checked is the one that is said, and what overflows is
/// said once.
TEST(Limits, SizesThatBreakChecks) {
  auto broken = [](const TmaLowering &low, Expr::Bindings sizes) {
    std::string text;
    for (const TmaViolation &v : low.brokenChecks(sizes))
      text += v.message + " | " + v.fix + "\n";
    return text;
  };
  auto low = lower("tensor f32 M{M} x J{4}\nC, B = split(M, 128)\n"
                   "bulk B, J\nload strong");
  ASSERT_TRUE(bool(low)) << low.problem().message;
  EXPECT_EQ(broken(*low, {{"M", int64_t(1) << 31}}), "");
  EXPECT_EQ(broken(*low, {{"M", (int64_t(1) << 31) + 1}}).substr(0, 70),
            "M is not in 1 .. 2147483648 (M is 2147483649) | keep M at most "
            "2147483");
  low = lower("tensor f32 M{M} x N{N} x P{P} x J{4}\nR = merge(M, N)\n"
              "Q = merge(R, P)\nC, B = split(Q, 300)\nbulk B, J\n"
              "load strong");
  ASSERT_TRUE(bool(low)) << low.problem().message;
  int64_t large = int64_t(1) << 33;
  EXPECT_EQ(broken(*low, {{"M", large}, {"N", large}, {"P", 4}}),
            "M*N*P is not in 1 .. 2147483648 (M is 8589934592, N is "
            "8589934592, P is 4): M*N is beyond 64 bits | keep M*N within 64 "
            "bits\n");
}

/// A resize that ends inside of a box of a tile in parts: the fix names all
/// edges, and each does.
TEST(Limits, EdgesOfParts) {
  auto rows = [](const std::string &size) {
    return lower("tensor f32 M{" + size +
                 "} x J{4}\nD = resize(M, 0, -5)\n"
                 "C, B = split(D, 300)\nbulk B, J\nload strong");
  };
  for (int64_t size = 6; size <= 950; ++size) {
    auto low = rows(std::to_string(size));
    int64_t in = (size - 5) % 300;
    ASSERT_EQ(bool(low), in == 0 || in == 256) << size;
    if (!low)
      EXPECT_EQ(low.problem().fix,
                "end what the resize leaves of the dimension where boxes begin "
                "or end, at 0 or 256 behind multiples of 300; or ask for weak, "
                "where no reduction reads the holes");
  }
}

//===----------------------------------------------------------------------===//
// Pictures
//===----------------------------------------------------------------------===//

/// Tiles that are too many to draw are drawn once of each kind.
TEST(Limits, Drawings) {
  auto tiles = [](const std::string &text, const Expr::Bindings &launch = {}) {
    auto low = lower(text);
    if (!low)
      return low.problem().message;
    std::string all = explainLowering(*low, launch);
    EXPECT_EQ(drawLowering(*low, launch).find("not drawn, "),
              std::string::npos);
    return all.substr(all.find('\n', all.find("\ntiles: ") + 1) + 1);
  };
  auto matrix = [](const char *m, const char *k, const char *box) {
    return std::string("tensor bf16 M{") + m + "} x K{" + k +
           "}\nMo, Mi = split(M, " + box + ")\nKo, Ki = split(K, 64)\n" +
           "bulk Mi, Ki\nload strong";
  };
  std::string full(64, '#'), fill(64, '.'), part = full;
  part.replace(8, 56, 56, '.');
  EXPECT_EQ(tiles(matrix("200", "200", "128")),
            "  mo=0 ko=0 and 2 alike  " + full + " x 128\n" +
                "  mo=0 ko=3              " + part + " x 128\n" +
                "  mo=1 ko=0 and 2 alike  " + full + " x 72\n" +
                "                         " + fill + " x 56\n" +
                "  mo=1 ko=3              " + part + " x 72\n" +
                "                         " + fill + " x 56\n");
  EXPECT_EQ(tiles(matrix("100", "64", "64")), "  mo=0  " + full + "\n  mo=1  " +
                                                  full.substr(0, 36) +
                                                  fill.substr(0, 28) + "\n");
  // Of very many, those at the loops' ends.
  EXPECT_EQ(tiles(matrix("M", "4096", "128"), {{"M", 4200}}),
            "  mo=0 ko=0 and 5 alike   " + full + full +
                "\n  mo=32 ko=0 and 2 alike  " + full + full.substr(0, 40) +
                fill.substr(0, 24) +
                "\n  of each loop its first two indices and the last\n");
  // Kinds that are too many are counted.
  auto low = lower(matrix("200", "200", "128"));
  ASSERT_TRUE(bool(low));
  std::string few = explainLowering(*low, {}, 100);
  EXPECT_EQ(few.substr(few.find("  mo=0")),
            "  mo=0 ko=0 and 2 alike  " + full +
                " x 128\n  3 other kinds of tiles are not drawn\n");
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
      EXPECT_EQ(got, count > 40 ? "domain-invalid:" // Strides of 2^64.
                     : dead     ? "tma-schedule:"
                                : "");
    }
  // None of them is one, which shows at the end only.
  {
    std::string text = "tensor u32 ", bulk = "bulk T, J", rest;
    for (int k = 0; k < 12; ++k) {
      text += "A" + n(k) + "{4} x ";
      rest += "C" + n(k) + ", B" + n(k) + " = split(A" + n(k) + ", 2)\n";
      bulk += ", B" + n(k);
    }
    text += "Z{8} x W{4} x J{4}\n" + rest +
            "O, I = split(Z, 2)\nM = merge(O, W)\nC, T = split(M, 2)\n";
    EXPECT_EQ(timed("undecided", text + bulk), "undecided:");
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
  timed("holes", text + "bulk Y2, Y1, Y0, J\nload strong");
}

} // namespace
