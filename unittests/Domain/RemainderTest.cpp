//===- RemainderTest.cpp - Tiles that equal boxes do not divide -----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Full boxes and one of the rest, on a target whose boxes have four elements
// at most, so that small tiles have a rest, executed on bytes.
//
//===----------------------------------------------------------------------===//
#include "Targets.h"

#include "ScheduleModel.h"

#include "titan/Domain/TmaExplain.h"
#include "titan/Domain/TmaScheduleText.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace titan;

namespace {

/// Boxes of at most `most` elements that begin at multiples of 16 bytes.
TargetInfo smallBoxes(int64_t most) {
  TargetInfo target = h200;
  target.tmaMaxBox = most;
  target.tmaSharedAlignment = 16;
  return target;
}

/// ResizedRows of 16 bytes, resized, in tiles of `tile` rows, `stride` apart, of boxes
/// of `outer` tiles; 0: all rows.
struct ResizedRows {
  ResizedRows(Expr size, int64_t left, int64_t right, int64_t tile,
              int64_t stride, int64_t outer) {
    DomainGraph &g = s.graph;
    d = g.root(std::move(size), "D");
    DomainId j = g.root(4, "J"), x = d;
    s.global = {{d, 16}, {j, 4}};
    s.type = findTmaType("u32");
    if (left != 0 || right != 0)
      x = *g.resize(x, left, right);
    if (outer > 0)
      x = g.splitInner(x, outer * tile)->second;
    DomainId b = tile == 0 ? x : g.splitInner(x, tile)->second;
    t = stride == 1 ? b : g.splitInner(b, stride)->first;
    s.bulk = {t, j};
    s.tmaDomain = {d, j};
    s.wanted = Correctness::Strong;
  }
  TmaSchedule s;
  DomainId d, t;
};

/// The elements of each box of `tile` elements, by the rule.
std::vector<int64_t> boxesOf(int64_t tile, int64_t most) {
  int64_t n = ceilDiv(tile, most);
  if (tile % n == 0)
    return std::vector<int64_t>(static_cast<size_t>(n), tile / n);
  std::vector<int64_t> boxes(static_cast<size_t>(n), most);
  boxes.back() = tile - (n - 1) * most;
  return boxes;
}

/// By definition: whether no box holds both an element and a hole with data;
/// `starts`: whether one with an element starts before the tensor.
bool achievable(ScheduleModel &m, DomainId t, const std::vector<int64_t> &boxes,
                bool *starts = nullptr) {
  bool mixes = false;
  do {
    int64_t from = 0;
    for (int64_t box : boxes) {
      bool valid = false, data = false;
      for (int64_t k = 0; k < box; ++k) {
        m.at[t] = from + k;
        m.follow();
        valid = valid || !m.hole();
        data = data || (m.hole() && m.inTensor());
      }
      m.at[t] = from;
      m.follow();
      if (starts && valid && m.at[m.s.global[0].domain] < 0)
        *starts = true;
      mixes = mixes || (valid && data);
      from += box;
    }
    m.at[t] = 0;
  } while (m.step(m.loops));
  std::fill(m.at.begin(), m.at.end(), 0);
  return !mixes;
}

/// Every size, resize, tile and element stride: lowered exactly when no box
/// mixes, each transfer executed; loads, strong and weak, and stores.
TEST(Remainder, EveryCase) {
  TargetInfo target = smallBoxes(4);
  int64_t cases = 0, lowered = 0, strong = 0, rests = 0, noRotation = 0,
          negative = 0, predicates = 0;
  for (int64_t size = 1; size <= 12; ++size)
    for (int64_t tile = 0; tile <= 10; ++tile)
      for (int64_t stride = 1; stride <= 3; ++stride)
        for (int64_t left = -2; left <= 1; ++left)
          for (int64_t right = -2; right <= 1; ++right)
            for (int64_t outer = 0; outer <= (tile ? 2 : 0); outer += 2) {
              if (size + left + right < 1)
                continue;
              ResizedRows rows(size, left, right, tile, stride, outer);
              int64_t n = *rows.s.graph[rows.t].extent.constant();
              int64_t most = stride == 1 ? 4 : 3 / stride + 1;
              std::vector<int64_t> boxes = boxesOf(n, most);
              ++cases;
              // Of a box that its element stride does not divide, equal parts
              // are no parts.
              if (tile && boxes.size() > 1 && boxes.front() == boxes.back() &&
                  tile % stride != 0) {
                EXPECT_EQ(codeOf(lowerSchedule(rows.s, target)),
                          "tma-schedule");
                ++noRotation;
                continue;
              }
              ScheduleModel model(rows.s, rows.s.bulk);
              bool starts = false;
              bool good = achievable(model, rows.t, boxes, &starts);
              auto low = lowerSchedule(rows.s, target);
              std::string where =
                  "size " + std::to_string(size) + ", tile " +
                  std::to_string(tile) + ", stride " + std::to_string(stride) +
                  ", left " + std::to_string(left) + ", right " +
                  std::to_string(right) + ", outer " + std::to_string(outer);
              ASSERT_EQ(codeOf(low), good ? "" : "tma-strong")
                  << where << (low ? "" : low.problem().message);
              strong += !good;
              std::vector<TmaSchedule> again;
              if (good)
                again.push_back(rows.s);
              // Without a prescribed map, weak, and as a store.
              if (good) {
                again.push_back(rows.s);
                again.back().tmaDomain.clear();
              }
              again.push_back(rows.s);
              again.back().wanted = Correctness::Weak;
              again.push_back(again.back());
              again.back().traffic = TmaTraffic::Save;
              again.push_back(rows.s);
              again.back().direction = TmaDirection::Store;
              for (TmaSchedule &s : again) {
                auto one = lowerSchedule(s, target);
                if (s.direction == TmaDirection::Store && (!good || starts)) {
                  EXPECT_EQ(codeOf(one), good     ? "tma-store-negative"
                                         : starts ? codeOf(one)
                                                  : "tma-strong")
                      << where;
                  negative += good;
                  EXPECT_FALSE(bool(one)) << where;
                  continue;
                }
                ASSERT_TRUE(bool(one)) << where << one.problem().message;
                // A box that is a dimension of its own may have more.
                auto all = static_cast<int64_t>(boxes.size());
                EXPECT_TRUE(one->boxesOfTile() == all ||
                            (s.tmaDomain.empty() && one->boxesOfTile() < all))
                    << where;
                ScheduleModel(s, s.bulk).run(*one, target);
                if (HasFatalFailure())
                  FAIL() << where;
                ++lowered;
                rests += !one->rest.empty();
                for (const TmaLowering *part : one->parts())
                  predicates += !part->predicate.empty();
              }
            }
  std::printf("%ld cases: %ld lowered and executed, %ld with a rest, %ld "
              "predicates; %ld tma-strong, %ld tma-store-negative, %ld do not "
              "rotate\n",
              long(cases), long(lowered), long(rests), long(predicates),
              long(strong), long(negative), long(noRotation));
  EXPECT_GT(rests, 1000);
  EXPECT_GT(strong, 100);
  EXPECT_GT(negative, 100);
}

/// What the fix says of the edges of boxes, `text` behind "at ": offsets, and
/// what they follow multiples of.
std::pair<std::vector<int64_t>, int64_t> edgesIn(const std::string &text) {
  std::vector<int64_t> numbers;
  for (size_t k = 0; k < text.size() && text[k] != ';'; ++k)
    if (std::isdigit(static_cast<unsigned char>(text[k]))) {
      size_t length = 0;
      numbers.push_back(std::stoll(text.substr(k), &length));
      k += length;
    }
  int64_t step = numbers.empty() ? 0 : numbers.back();
  if (!numbers.empty())
    numbers.pop_back();
  if (numbers.empty())
    numbers = {0};
  return {numbers, step};
}

/// Where the fix names edges of boxes, a resize that ends at one is lowered.
TEST(Remainder, EdgesOfTheFix) {
  TargetInfo target = smallBoxes(4);
  const std::string says = "where boxes begin or end, at ";
  int64_t named = 0, several = 0, followed = 0;
  for (int64_t size = 3; size <= 14; ++size)
    for (int64_t tile = 1; tile <= 11; ++tile)
      for (int64_t stride = 1; stride <= 2; ++stride)
        for (int64_t left = -2; left <= 2; ++left)
          for (int64_t right = -4; right < 0; ++right) {
            if (size + left + right < 1)
              continue;
            ResizedRows rows(size, left, right, tile, stride, 0);
            auto low = lowerSchedule(rows.s, target);
            size_t at = low ? std::string::npos : low.problem().fix.find(says);
            if (at == std::string::npos)
              continue;
            auto [offsets, step] =
                edgesIn(low.problem().fix.substr(at + says.size()));
            ASSERT_GT(step, 0) << low.problem().fix;
            ++named;
            several += offsets.size() > 1;
            for (int64_t other = -6; other < 0; ++other) {
              int64_t end = size + other;
              if (end + left < 1 || end <= -left ||
                  std::none_of(
                      offsets.begin(), offsets.end(),
                      [&](int64_t o) { return euclidMod(end - o, step) == 0; }))
                continue;
              ResizedRows mended(size, left, other, tile, stride, 0);
              auto good = lowerSchedule(mended.s, target);
              ++followed;
              ASSERT_TRUE(bool(good))
                  << "size " << size << ", tile " << tile << ", stride "
                  << stride << ", left " << left << ", right " << right
                  << ", then " << other << ": " << low.problem().fix << "\n"
                  << good.problem().message;
            }
          }
  std::printf("%ld fixes name edges, %ld several; followed %ld times\n",
              long(named), long(several), long(followed));
  EXPECT_GT(several, 100);
  EXPECT_GT(followed, 500);
}

/// One lowering for all sizes: its checks hold exactly for those that are
/// achievable.
TEST(Remainder, SizesOfTheLaunch) {
  TargetInfo target = smallBoxes(4);
  int64_t ran = 0, refused = 0;
  for (int64_t tile = 5; tile <= 11; ++tile)
    for (int64_t stride = 1; stride <= 3; ++stride)
      for (int64_t left = -2; left <= 1; ++left)
        for (int64_t right = -2; right <= 1; ++right)
          for (bool store : {false, true}) {
            ResizedRows open(Expr::symbol("N"), left, right, tile, stride, 0);
            int64_t n = ceilDiv(tile, stride), most = 3 / stride + 1;
            std::vector<int64_t> boxes = boxesOf(n, stride == 1 ? 4 : most);
            if (boxes.front() == boxes.back())
              continue;
            if (store)
              open.s.direction = TmaDirection::Store;
            auto low = lowerSchedule(open.s, target);
            bool some = false;
            for (int64_t size = 1; size <= 15; ++size) {
              if (size + left + right < 1)
                continue;
              ResizedRows rows(size, left, right, tile, stride, 0);
              rows.s.direction = open.s.direction;
              ScheduleModel model(rows.s, rows.s.bulk);
              bool starts = false;
              bool good = achievable(model, rows.t, boxes, &starts);
              good = good && !(store && starts);
              some = some || good;
              if (!low)
                continue;
              Expr::Bindings values = {{"N", size},
                                       {tmaAddressSymbol, 1 << 20}};
              bool holds = true;
              for (const LaunchCheck &check : low->checks)
                holds = holds && check.holds(values) == Tri::Yes;
              ASSERT_EQ(holds, good)
                  << "size " << size << ", tile " << tile << ", stride "
                  << stride << ", left " << left << ", right " << right;
              expectTold(*low, values);
              good ? ++ran : ++refused;
              if (good)
                model.run(*low, target, {{"N", size}});
              if (HasFatalFailure())
                FAIL() << size << ' ' << tile;
            }
            ASSERT_TRUE(low || !some) << low.problem().message;
          }
  std::printf("%ld ran, %ld refused by checks\n", long(ran), long(refused));
  EXPECT_GT(ran, 500);
  EXPECT_GT(refused, 100);
}

/// Windows in boxes: what EveryCase says, of windows.
TEST(Remainder, Windows) {
  int64_t ran = 0, strong = 0, rests = 0;
  for (int64_t most : {4, 5})
    for (int64_t size = 3; size <= 12; ++size)
      for (int64_t filter = 1; filter <= 3; ++filter)
        for (int64_t stride = 1; stride <= 2; ++stride)
          for (int64_t pad = 0; pad <= 1; ++pad)
            for (int64_t tile = 0; tile <= 7; ++tile) {
              TargetInfo target = smallBoxes(most);
              TmaSchedule s;
              DomainId d = s.graph.root(size, "D"), j = s.graph.root(4, "J");
              s.global = {{d, 16}, {j, 4}};
              s.type = findTmaType("u32");
              DomainId x = pad ? *s.graph.resize(d, pad, pad) : d;
              auto window = s.graph.window(x, filter, stride);
              if (!window)
                continue;
              DomainId p = window->first;
              if (tile)
                p = s.graph.splitInner(p, tile)->second;
              s.bulk = {p, j};
              s.wanted = Correctness::Strong;
              int64_t n = *s.graph[p].extent.constant();
              int64_t box = stride == 1 ? most : (most - 1) / stride + 1;
              ScheduleModel model(s, s.bulk);
              // Padding is an element that is zero.
              std::vector<int64_t> boxes = boxesOf(n, box);
              bool mixes = false;
              do {
                int64_t from = 0;
                for (int64_t each : boxes) {
                  bool valid = false, data = false;
                  for (int64_t k = 0; k < each; ++k) {
                    model.at[p] = from + k;
                    model.follow();
                    bool is = !model.hole() || model.padding();
                    valid = valid || is;
                    data = data || (!is && model.inTensor());
                  }
                  mixes = mixes || (valid && data);
                  from += each;
                }
                model.at[p] = 0;
              } while (model.step(model.loops));
              std::fill(model.at.begin(), model.at.end(), 0);
              auto low = lowerSchedule(s, target);
              std::string where = "size " + std::to_string(size) + ", filter " +
                                  std::to_string(filter) + ", stride " +
                                  std::to_string(stride) + ", pad " +
                                  std::to_string(pad) + ", tile " +
                                  std::to_string(tile);
              ASSERT_EQ(codeOf(low), mixes ? "tma-strong" : "")
                  << where << (low ? "" : low.problem().message);
              strong += mixes;
              if (mixes)
                continue;
              model.run(*low, target);
              if (HasFatalFailure())
                FAIL() << where;
              ++ran;
              rests += !low->rest.empty();
            }
  std::printf("%ld ran, %ld with a rest, %ld tma-strong\n", long(ran),
              long(rests), long(strong));
  EXPECT_GT(rests, 100);
}

/// Pixels of an im2col copy: of a tile of more than a box has, padding and all.
TEST(Remainder, Pixels) {
  TargetInfo target = smallBoxes(256);
  target.tmaMaxIm2colPixels = 4;
  int64_t rests = 0;
  for (int64_t tile = 1; tile <= 13; ++tile)
    for (int64_t size = 3; size <= 7; ++size)
      for (int64_t stride = 1; stride <= 2; ++stride) {
        auto s = parseSchedule(
            "tensor u32 N{2} x W{" + std::to_string(size) +
            "} x C{4}\nX = resize(W, 1, 1)\nP, R = window(X, 3, stride " +
            std::to_string(stride) + ")\nM = merge(N, P)\nMo, Mi = split(M, " +
            std::to_string(tile) + ")\nbulk Mi, C\nload strong");
        ASSERT_TRUE(bool(s)) << s.problem().message;
        auto low = lowerSchedule(*s, target);
        ASSERT_TRUE(bool(low)) << low.problem().message;
        EXPECT_EQ(low->mode, TmaMode::Im2col);
        EXPECT_EQ(low->boxesOfTile(), ceilDiv(tile, 4));
        ScheduleModel(*s, s->bulk).run(*low, target);
        ASSERT_FALSE(HasFatalFailure()) << tile << ' ' << size;
        rests += !low->rest.empty();
      }
  EXPECT_EQ(rests, 5 * 5 * 2); // Of tiles of 5, 7, 10, 11 and 13.
}

/// A random schedule of three dimensions: each a loop, whole or in tiles,
/// resized, of elements that are adjacent or apart; the innermost one whole or
/// cut at multiples of 16 bytes.
struct Generator {
  std::mt19937_64 random;
  TmaSchedule s;
  std::vector<DomainId> tile;

  int64_t pick(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(
                       random() % static_cast<uint64_t>(most - least + 1));
  }
  bool chance(int n) { return pick(1, n) == 1; }

  void dimension(DomainId d, int64_t unit, int64_t most) {
    DomainGraph &g = s.graph;
    int64_t size = *g[d].extent.constant();
    if (chance(3)) {
      int64_t left = unit * pick(-1, 1), right = pick(-2, 2);
      if (size + left + right >= 1 && (left || right))
        d = *g.resize(d, left, right);
    }
    if (unit == 1 && chance(5))
      return; // A loop.
    if (chance(2))
      d = g.splitInner(d, unit * pick(1, most))->second;
    if (unit > 1 || !chance(5))
      return tile.push_back(d);
    auto [t, i] = *g.splitInner(d, pick(2, 3));
    tile.push_back(t);
    if (chance(2)) // Adjacent after all.
      tile.push_back(i);
  }

  explicit Generator(uint64_t seed) : random(seed) {
    static const char *types[] = {"u8", "u16", "u32", "u64"};
    int64_t log = pick(1, 3), element = int64_t(1) << log, unit = 16 / element;
    s.type = findTmaType(types[log]);
    DomainId a = s.graph.root(pick(1, 4)), b = s.graph.root(pick(1, 30)),
             c = s.graph.root(unit * pick(1, 5));
    bool gap = chance(4);
    int64_t row = element * *s.graph[c].extent.constant() + (gap ? 16 : 0);
    s.global = {
        {a, row * *s.graph[b].extent.constant()}, {b, row}, {c, element}};
    dimension(a, 1, 3);
    dimension(b, 1, 24);
    dimension(c, unit, 5);
    s.bulk = tile;
    if (chance(3))
      s.swizzle = findTmaSwizzle("32B");
    switch (pick(0, 3)) {
    case 0:
      s.direction = TmaDirection::Store;
      s.tailIsPadding = true;
      break;
    case 1:
      s.traffic = TmaTraffic::Save;
      break;
    default:
      s.wanted = Correctness::Strong;
    }
  }
};

TEST(Remainder, RandomSchedules) {
  int64_t ran = 0, rests = 0, both = 0, checked = 0;
  std::map<std::string, int64_t> codes;
  for (uint64_t seed = 1; seed <= 20000; ++seed) {
    Generator made(seed);
    TargetInfo target = smallBoxes(made.pick(0, 3) == 0 ? 20 : 16);
    if (made.s.type->bits >= 32)
      target.tmaMaxBox = made.pick(8, 11);
    if (made.chance(3))
      target.tmaSharedAlignment = 128;
    auto low = lowerSchedule(made.s, target);
    if (!low) {
      ++codes[low.problem().code];
      continue;
    }
    ScheduleModel(made.s, made.tile).run(*low, target);
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
    ++ran;
    rests += !low->rest.empty();
    both += low->rest.size() > 1;
    checked += !low->rest.empty() && target.tmaSharedAlignment == 128;
  }
  std::printf("seeds 1 to 20000: %ld ran, %ld with a rest, %ld with two, %ld "
              "aligned to 128 bytes\n",
              long(ran), long(rests), long(both), long(checked));
  for (auto &[code, n] : codes)
    std::printf("  %ld refused: %s\n", long(n), code.c_str());
  EXPECT_GT(rests, 2000);
  EXPECT_GT(both, 20);
  EXPECT_GT(checked, 100);
}

} // namespace
