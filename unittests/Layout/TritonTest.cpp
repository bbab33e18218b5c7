//===- TritonTest.cpp - Triton's encodings against their definitions ------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Layout/Triton.h"
#include "titan/Layout/Hardware.h"
#include "titan/Layout/SharedImage.h"

#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <sstream>

using namespace titan;
using namespace titan::triton;

namespace {

/// Distributed layouts by their definition: A 2 x 8 over T 4 x 4, whose threads
/// are numbered row by row; and every other pair of small shapes.
TEST(Triton, DistributedWrapsAround) {
  for (int64_t a0 : {1, 2, 4, 8})
    for (int64_t a1 : {1, 2, 4, 8, 16})
      for (int64_t t0 : {1, 2, 4, 8})
        for (int64_t t1 : {1, 2, 4, 8}) {
          Layout T = *Layout::tile({t0, t1}, {}, {{t1, 1, 1}, {t0, 0, 1}});
          auto layout = wrapped(T, {a0, a1});
          ASSERT_TRUE(bool(layout)) << layout.problem().message;
          for (int64_t i = 0; i < a0; ++i)
            for (int64_t j = 0; j < a1; ++j) {
              std::set<int64_t> want, got;
              for (int64_t k = 0; k < 16; ++k)
                for (int64_t l = 0; l < 16; ++l)
                  want.insert((i + k * a0) % t0 * t1 + (j + l * a1) % t1);
              for (const Coord &at : layout->holders({i, j}))
                ASSERT_TRUE(got.insert(at[1]).second);
              ASSERT_EQ(got, want) << layout->str() << " at " << i << ", " << j;
            }
        }
  auto seed = wrapped(*Layout::parse("lane: 4*c1, 4*r1"), {2, 8});
  ASSERT_TRUE(bool(seed));
  EXPECT_EQ(seed->str(), "reg: 2*c4; lane: 4*c1, 2*r1, 2*rep");
  std::vector<Coord> holders = seed->holders({1, 3});
  ASSERT_EQ(holders.size(), 2u);
  EXPECT_EQ(holders[0][1], 7);
  EXPECT_EQ(holders[1][1], 15);
}

/// 32 x 32 over four CTAs, each thread's number as the published table has it.
TEST(Triton, BlockedOverFourCtas) {
  Blocked encoding{{2, 2}, {8, 4}, {1, 2}, {1, 0}, {{1, 0}, {0, 1}}};
  auto layout = toLayout(encoding, {32, 32});
  ASSERT_TRUE(bool(layout)) << layout.problem().message;
  EXPECT_EQ(layout->str(),
            "reg: 2*c1, 2*r1; lane: 4*c2, 8*r2; warp: 2*c8; cta: 2*r16, 2*c16");
  for (int64_t r = 0; r < 32; ++r)
    for (int64_t c = 0; c < 32; ++c) {
      std::vector<Coord> holders = layout->holders({r, c});
      ASSERT_EQ(holders.size(), 1u);
      const Coord &at = holders[0];
      int64_t row = r % 16, column = c % 16;
      ASSERT_EQ(at[2] * 32 + at[1],
                row / 2 * 4 + column % 8 / 2 + 32 * (column / 8));
      ASSERT_EQ(at[3], r / 16 + 2 * (c / 16));
      ASSERT_EQ(at[0], row % 2 * 2 + column % 2);
    }
}

/// Blocked against its levels, one after another, over random encodings.
TEST(Triton, BlockedAgainstItsLevels) {
  std::mt19937 random(1512);
  auto power = [&](int most) { return int64_t(1) << random() % most; };
  for (int n = 0; n < 500; ++n) {
    Blocked e{{power(3), power(3)},
              {power(4), power(4)},
              {power(2), power(3)},
              {1, 0},
              {}};
    if (random() % 2)
      e.order = {0, 1};
    for (int k = static_cast<int>(random() % 3); k > 0; --k) {
      // Each CTA's bit moves along a dimension of its own, or nowhere.
      Numbers step(2, 0);
      if (int d = static_cast<int>(random() % 3); d < 2)
        if (shapePerCta({1 << 20, 1 << 20}, e.cga)[d] == 1 << 20)
          step[d] = 1;
      e.cga.push_back(step);
    }
    Numbers shape = {power(4) * 4, power(5) * 4};
    auto layout = toLayout(e, shape);
    ASSERT_TRUE(bool(layout)) << layout.problem().message;
    ASSERT_EQ(layout->shape(), shape);
    Numbers part = shapePerCta(shape, e.cga);
    // Value, thread, warp -> box coordinates of each level, in the order.
    auto boxAt = [&](int64_t index, const Numbers &level) {
      Numbers at(2);
      for (int d : e.order) {
        at[d] = index % level[d];
        index /= level[d];
      }
      return at;
    };
    int64_t lanes = e.threadsPerWarp[0] * e.threadsPerWarp[1];
    int64_t warps = e.warpsPerCta[0] * e.warpsPerCta[1];
    ASSERT_EQ(layout->lanes(), lanes);
    ASSERT_EQ(layout->warps(), warps);
    ASSERT_EQ(layout->ctas(), int64_t(1) << e.cga.size());
    for (int64_t cta = 0; cta < layout->ctas(); ++cta)
      for (int64_t warp = 0; warp < warps; ++warp)
        for (int64_t lane = 0; lane < lanes; ++lane) {
          std::set<Coord> want, got;
          Numbers w = boxAt(warp, e.warpsPerCta),
                  l = boxAt(lane, e.threadsPerWarp);
          Numbers origin(2), reach(2), tile(2, 0);
          for (size_t b = 0; b < e.cga.size(); ++b)
            for (int d = 0; d < 2; ++d)
              tile[d] ^= (cta >> b & 1) * e.cga[b][d];
          for (int d = 0; d < 2; ++d) {
            origin[d] =
                (w[d] * e.threadsPerWarp[d] + l[d]) * e.sizePerThread[d];
            reach[d] =
                e.warpsPerCta[d] * e.threadsPerWarp[d] * e.sizePerThread[d];
          }
          for (int64_t x = 0; x < e.sizePerThread[0]; ++x)
            for (int64_t y = 0; y < e.sizePerThread[1]; ++y)
              for (int64_t X = 0; X < std::max(part[0], reach[0]);
                   X += reach[0])
                for (int64_t Y = 0; Y < std::max(part[1], reach[1]);
                     Y += reach[1])
                  want.insert(
                      Coord{(origin[0] + x + X) % part[0] + tile[0] * part[0],
                            (origin[1] + y + Y) % part[1] + tile[1] * part[1]});
          int64_t registers = 1;
          for (int d = 0; d < 2; ++d)
            registers *=
                e.sizePerThread[d] * std::max<int64_t>(part[d] / reach[d], 1);
          ASSERT_EQ(layout->registers(), registers);
          for (int64_t reg = 0; reg < registers; ++reg)
            got.insert(layout->coords(reg, lane, warp, cta));
          ASSERT_EQ(got, want) << layout->str();
        }
  }
}

TEST(Triton, SliceAndLinear) {
  auto parent = toLayout(Blocked{{2, 2}, {8, 4}, {1, 2}, {1, 0}, {}}, {16, 16});
  ASSERT_TRUE(bool(parent));
  EXPECT_EQ(parent->withoutDim(1)->str(),
            "reg: 2*i1; lane: 4*rep, 8*i2; warp: 2*rep");
  Linear linear{
      {{0, 1}, {1, 0}}, {{0, 2}, {0, 4}, {2, 0}, {4, 0}, {8, 0}}, {{0, 8}}, {}};
  auto layout = toLayout(linear, {16, 16});
  ASSERT_TRUE(bool(layout)) << layout.problem().message;
  EXPECT_TRUE(layout->sameFunction(*parent));
  // Images of several dimensions, and of none.
  auto crossed = toLayout(Linear{{{1, 1}, {0, 0}}, {{0, 1}}, {}, {}}, {2, 2});
  ASSERT_TRUE(bool(crossed));
  EXPECT_EQ(crossed->str(), "reg: 2*^r1^c1, 2*rep; lane: 2*c1");
}

TEST(Triton, SharedEncodings) {
  for (int64_t rows : {8, 32})
    for (int64_t columns : {8, 64})
      for (int64_t vec : {1, 4, 8})
        for (int64_t perPhase : {1, 2})
          for (int64_t maxPhase : {1, 4, 8})
            for (bool turned : {false, true}) {
              SwizzledShared e{vec, perPhase, maxPhase,
                               turned ? std::vector<int>{0, 1}
                                      : std::vector<int>{1, 0}};
              Numbers shape =
                  turned ? Numbers{columns, rows} : Numbers{rows, columns};
              auto layout = toLayout(e, shape);
              ASSERT_TRUE(bool(layout)) << layout.problem().message;
              for (int64_t r = 0; r < rows; ++r)
                for (int64_t c = 0; c < columns; ++c) {
                  int64_t phase = r / perPhase % maxPhase;
                  int64_t want = r * columns + (c ^ vec * phase % columns);
                  ASSERT_EQ(
                      layout->apply(turned ? Coord{c, r} : Coord{r, c})[0],
                      want);
                }
            }
  auto padded = toLayout(PaddedShared{{{64, 4}}, {1, 0}, {16, 32}}, {16, 32});
  ASSERT_TRUE(bool(padded)) << padded.problem().message;
  auto twice =
      toLayout(PaddedShared{{{32, 4}, {128, 8}}, {1, 0}, {16, 32}}, {16, 32});
  ASSERT_TRUE(bool(twice)) << twice.problem().message;
  for (int64_t r = 0; r < 16; ++r)
    for (int64_t c = 0; c < 32; ++c) {
      int64_t e = r * 32 + c;
      ASSERT_EQ(padded->apply({r, c})[0], e + e / 64 * 4);
      ASSERT_EQ(twice->apply({r, c})[0], e + e / 32 * 4 + e / 128 * 8);
    }
  // What TMA writes, and wgmma reads, byte for byte.
  auto nvmma = toLayout(NvmmaShared{128}, {64, 128});
  ASSERT_TRUE(bool(nvmma));
  SharedImage image = *SharedImage::make(64, 128, 2, Swizzle::Span128);
  for (int64_t r = 0; r < 64; ++r)
    for (int64_t c = 0; c < 128; ++c)
      ASSERT_EQ(nvmma->apply({r, c})[0] * 2, image.address(0, r, c));
  auto turned = toLayout(NvmmaShared{64, true}, {32, 16});
  ASSERT_TRUE(bool(turned));
  image = *SharedImage::make(16, 32, 2, Swizzle::Span64);
  for (int64_t r = 0; r < 32; ++r)
    for (int64_t c = 0; c < 16; ++c)
      ASSERT_EQ(turned->apply({r, c})[0] * 2, image.address(0, c, r));
}

/// Products as PTX and the CDNA3 ISA have them (Hardware.h).
TEST(Triton, ProductsAreTheHardwares) {
  auto same = [](const Result<Layout> &is, const Result<Layout> &should) {
    ASSERT_TRUE(bool(is)) << is.problem().message;
    ASSERT_TRUE(bool(should)) << should.problem().message;
    EXPECT_TRUE(is->sameFunction(*should))
        << is->str() << " | " << should->str();
  };
  NvidiaMma one{2, 0, {1, 1}, {}, {16, 8}};
  auto mma = std::make_shared<Encoding>(one);
  same(toLayout(one, {16, 8}), mmaC(8));
  same(toLayout(DotOperand{0, mma, 2}, {16, 16}), mmaA(16, 16));
  same(toLayout(DotOperand{1, mma, 2}, {16, 8}), mmaB(16, 16));
  same(toLayout(DotOperand{0, mma, 4}, {16, 32}), mmaA(8, 32));
  same(toLayout(DotOperand{0, mma, 1}, {16, 8}), mmaA(32, 8));
  for (int64_t n : {8, 64, 256}) {
    NvidiaMma wgmma{3, 0, {4, 1}, {}, {16, n, 16}};
    same(toLayout(wgmma, {128, n}), wgmmaD(128, n));
    auto parent = std::make_shared<Encoding>(wgmma);
    same(toLayout(DotOperand{0, parent, 2}, {64, 32}), wgmmaA(16, 64, 32));
  }
  for (int64_t m : {16, 32}) {
    AmdMfma mfma{3, {1, 1}, {m, m, m == 16 ? 16 : 8}};
    same(toLayout(mfma, {m, m}), mfmaD(m));
    auto parent = std::make_shared<Encoding>(mfma);
    int64_t k = m == 16 ? 16 : 8;
    same(toLayout(DotOperand{0, parent, 4}, {m, k}), mfmaA(m, k, 16));
    same(toLayout(DotOperand{1, parent, 4}, {k, m}), mfmaB(m, k, 16));
  }
}

//===----------------------------------------------------------------------===//
// Against Triton 3.6 itself
//===----------------------------------------------------------------------===//

/// A line of Inputs/triton_layouts.txt (made by triton_layouts.py).
struct Said {
  std::string text;
  Numbers shape;
  std::vector<Bases> bits;
};

Numbers numbers(const std::string &text, char between) {
  Numbers list;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, between);)
    list.push_back(std::stoll(word));
  return list;
}

std::vector<Said> table() {
  std::ifstream file(TITAN_LAYOUT_INPUTS "/triton_layouts.txt");
  std::vector<Said> lines;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> parts(1);
    for (char c : line)
      if (c == '|')
        parts.emplace_back();
      else
        parts.back() += c;
    Said said{
        parts[0].substr(0, parts[0].size() - 1), numbers(parts[1], 'x'), {}};
    for (size_t p = 2; p < parts.size(); ++p) {
      said.bits.emplace_back();
      std::istringstream in(parts[p]);
      for (std::string word; in >> word;)
        said.bits.back().push_back(numbers(word, ','));
    }
    lines.push_back(std::move(said));
  }
  return lines;
}

/// The exclusive or of the images of an input's bits.
Coord image(const std::vector<Bases> &bits, const Coord &in, size_t rank) {
  Coord at(static_cast<int>(rank));
  for (size_t axis = 0; axis < bits.size(); ++axis)
    for (size_t b = 0; b < bits[axis].size(); ++b)
      if (in[static_cast<int>(axis)] >> b & 1)
        for (size_t d = 0; d < rank; ++d)
          at[static_cast<int>(d)] ^= bits[axis][b][d];
  return at;
}

/// 2,000 encodings, each bit and 32 places of each.
TEST(Triton, LayoutsAreTritonsOwn) {
  std::mt19937_64 random(36);
  std::map<std::string, int> kinds;
  for (const Said &said : table()) {
    auto e = Encoding::parse(said.text);
    ASSERT_TRUE(bool(e)) << e.problem().message;
    ASSERT_EQ(e->str(), said.text);
    ASSERT_EQ(e->rank(), static_cast<int>(said.shape.size())) << said.text;
    ++kinds[said.text.substr(5, said.text.find('<') - 5)];
    auto layout = e->layout(said.shape);
    ASSERT_TRUE(bool(layout)) << said.text << ": " << layout.problem().message;
    size_t rank = said.shape.size();
    if (!e->isShared()) {
      ASSERT_EQ(layout->shape(), said.shape);
      ASSERT_EQ(layout->ctas(), int64_t(1) << said.bits[3].size());
      for (size_t axis = 0; axis < layout->axes().size(); ++axis)
        ASSERT_EQ(layout->axes()[axis].size(), int64_t(1)
                                                   << said.bits[axis].size())
            << said.text << ": " << layout->str();
    }
    auto compare = [&](const Coord &in) {
      Coord at = image(said.bits, in, rank);
      if (!e->isShared()) {
        ASSERT_EQ(layout->coords(in[0], in[1], in[2], in[3]), at)
            << said.text << ": " << layout->str();
        return;
      }
      // The bits of an offset that mean nothing are 0, as are those of a CTA.
      int64_t offset = in[0];
      if (auto *padded = std::get_if<PaddedShared>(&e->get()))
        for (const PaddedShared::Pad &pad : padded->pads)
          offset += in[0] / pad.interval * pad.padding;
      Coord got = layout->apply(at);
      ASSERT_EQ(got[0], offset) << said.text << ": " << layout->str();
      if (got.size() > 1)
        ASSERT_EQ(got[1], in[1]) << said.text << ": " << layout->str();
    };
    Coord in(4);
    for (size_t axis = 0; axis < said.bits.size(); ++axis)
      for (size_t b = 0; b < said.bits[axis].size(); ++b) {
        bool means = false;
        for (int64_t step : said.bits[axis][b])
          means = means || step != 0;
        in = Coord(4);
        in[static_cast<int>(axis)] = int64_t(1) << b;
        if (means || !e->isShared())
          compare(in);
      }
    for (int n = 0; n < 32; ++n) {
      for (size_t axis = 0; axis < said.bits.size(); ++axis) {
        int64_t value = 0;
        for (size_t b = 0; b < said.bits[axis].size(); ++b) {
          bool means = !e->isShared();
          for (int64_t step : said.bits[axis][b])
            means = means || step != 0;
          value |= int64_t(means && random() % 2) << b;
        }
        in[static_cast<int>(axis)] = value;
      }
      compare(in);
    }
    if (HasFatalFailure())
      return;
  }
  EXPECT_EQ(kinds.size(), 10u);
  int all = 0;
  for (const auto &[kind, count] : kinds) {
    EXPECT_GE(count, 40) << kind;
    all += count;
  }
  EXPECT_EQ(all, 2000);
}

/// Changed texts are read, or refused at a character; what is read has a layout
/// or none, and prints what it was read from.
TEST(Triton, ChangedTexts) {
  std::vector<Said> lines = table();
  std::mt19937 random(1536);
  const std::string letters = "0123456789[]{}<>,=# :+abdeorstu";
  for (int n = 0; n < (getenv("TITAN_TEST_FULL") ? 2000000 : 20000); ++n) {
    const Said &said = lines[random() % lines.size()];
    std::string text = said.text;
    for (int k = 1 + static_cast<int>(random() % 4); k > 0; --k) {
      size_t at = random() % text.size();
      char letter = letters[random() % letters.size()];
      switch (random() % 3) {
      case 0:
        text[at] = letter;
        break;
      case 1:
        text.insert(at, 1, letter);
        break;
      default:
        text.erase(at, 1 + random() % 3);
      }
    }
    auto e = Encoding::parse(text);
    if (!e) {
      ASSERT_EQ(e.problem().code, "layout-syntax");
      continue;
    }
    auto again = Encoding::parse(e->str());
    ASSERT_TRUE(bool(again)) << e->str();
    ASSERT_EQ(again->str(), e->str());
    (void)bool(e->layout(said.shape));
  }
}

TEST(Triton, Refusals) {
  auto code = [](const Result<Layout> &made) {
    return made ? std::string("none") : made.problem().code;
  };
  EXPECT_EQ(code(toLayout(Blocked{{2, 3}, {8, 4}, {1, 2}, {1, 0}, {}}, {8, 8})),
            "layout-instruction");
  EXPECT_EQ(code(toLayout(Blocked{{2, 2}, {8, 4}, {1, 2}, {1, 1}, {}}, {8, 8})),
            "layout-instruction");
  EXPECT_EQ(code(toLayout(Blocked{{2}, {8, 4}, {1, 2}, {1, 0}, {}}, {8, 8})),
            "layout-instruction");
  EXPECT_EQ(
      code(toLayout(Blocked{{2, 2}, {8, 4}, {1, 2}, {1, 0}, {}}, {8, 24})),
      "layout-instruction");
  EXPECT_EQ(code(toLayout(NvmmaShared{48}, {8, 8})), "layout-instruction");
  EXPECT_EQ(code(toLayout(Linear{{{0, 4}}, {}, {}, {}}, {2, 2})),
            "layout-instruction");
  EXPECT_EQ(code(toLayout(NvidiaMma{1, 0, {1, 1}, {}, {16, 8}}, {16, 8})),
            "layout-instruction");
  auto wgmma =
      std::make_shared<Encoding>(NvidiaMma{3, 0, {4, 1}, {}, {16, 8, 16}});
  EXPECT_EQ(code(toLayout(DotOperand{1, wgmma, 2}, {16, 8})),
            "layout-instruction");
  auto shared = std::make_shared<Encoding>(SwizzledShared{1, 1, 1, {1, 0}});
  EXPECT_EQ(code(toLayout(Slice{0, shared}, {8})), "layout-instruction");
  EXPECT_EQ(Encoding::parse("#ttg.blocked<{order = [0]}>").problem().message,
            "expected sizePerThread = ... at character 28 of "
            "`#ttg.blocked<{order = [0]}>`");
  EXPECT_EQ(Encoding::parse("#ttg.slice<{dim = 0, parent = #blocked}>")
                .problem()
                .message,
            "expected '#ttg.' at character 31 of "
            "`#ttg.slice<{dim = 0, parent = #blocked}>`");
}

} // namespace
