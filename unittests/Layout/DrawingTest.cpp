//===- DrawingTest.cpp - Layouts as tables and pictures -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Cases.h"

#include "titan/Layout/Drawing.h"
#include "titan/Layout/SharedImage.h"

#include <gtest/gtest.h>
#include <sstream>

using namespace titan;

namespace {

/// The words of a table's rows, behind the line that begins with `head`.
std::vector<std::vector<std::string>> tableBehind(const std::string &text,
                                                  const std::string &head) {
  std::istringstream lines(text.substr(text.find(head)));
  std::string line;
  std::getline(lines, line);
  std::vector<std::vector<std::string>> rows;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::vector<std::string> row;
    for (std::string word; words >> word;)
      row.push_back(word);
    rows.push_back(row);
  }
  return rows;
}

/// Every cell of a tile's table is the owner of that element.
TEST(Drawing, TilesSayTheOwner) {
  for (const char *text :
       {"reg: 2*c1, 2*r8; lane: 4*c2, 8*r1", "reg: 4*^r1^c1; lane: 4*c1",
        "reg: 2*c1; lane: 2*rep, 4*r1; warp: 2*c4", "reg: 3*c1; lane: 5*r1"}) {
    Layout tile = parsed(text);
    auto rows = tableBehind(drawTile(tile), "who owns what");
    ASSERT_EQ(static_cast<int64_t>(rows.size()), tile.shape()[0] + 1) << text;
    for (int64_t r = 0; r < tile.shape()[0]; ++r)
      for (int64_t c = 0; c < tile.shape()[1]; ++c) {
        std::vector<Coord> holders = tile.holders({r, c});
        std::string want = "-";
        if (!holders.empty())
          want = std::to_string(holders[0][2]) + "." +
                 std::to_string(holders[0][1]) + "." +
                 std::to_string(holders[0][0]);
        ASSERT_EQ(rows[r + 1][c + 1], want) << text;
      }
  }
  EXPECT_NE(drawTile(parsed("reg: 2*i8; lane: 4*rep, 8*i1; warp: 4*i16"))
                .find("copies are held by lane % 4 other than 0"),
            std::string::npos);
  // Large tables are cut, and say so.
  std::string large = drawTile(parsed("reg: 64*c1; lane: 32*r1"));
  EXPECT_NE(large.find("..."), std::string::npos);
  EXPECT_EQ(large.find("c16"), std::string::npos);
}

TEST(Drawing, ImagesSayWhatLiesWhere) {
  SharedImage image = *SharedImage::make(8, 64, 2, Swizzle::Span128);
  auto rows = tableBehind(drawImage(*image.layout(), 2), "16-byte cells");
  ASSERT_EQ(rows.size(), 9u);
  for (int64_t line = 0; line < 8; ++line)
    for (int64_t k = 0; k < 8; ++k) {
      auto at = image.elementAt(0, 128 * line + 16 * k);
      ASSERT_TRUE(at.has_value());
      EXPECT_EQ(rows[line + 1][2 * k + 1], "r" + std::to_string((*at)[0]));
      EXPECT_EQ(rows[line + 1][2 * k + 2], "c" + std::to_string((*at)[1]));
    }
}

TEST(Drawing, AccessesSayWhoWaits) {
  Layout tile = parsed("reg: 2*c1, 2*r8, 2*c8; lane: 4*c2, 8*r1");
  Layout image = *SharedImage::make(16, 16, 2, Swizzle::None)->layout();
  std::string text = drawAccess(tile, image, 2);
  EXPECT_NE(text.find("each lane: 4 accesses of 4 bytes; a warp: 8 wavefronts, "
                      "4 without conflicts"),
            std::string::npos)
      << text;
  auto rows = tableBehind(text, "lanes that meet");
  ASSERT_GE(rows.size(), 16u);
  // Lanes 0 and 16 want words 0 and 32.
  EXPECT_EQ(rows[0], (std::vector<std::string>{"bank", "0:", "lane", "0",
                                               "lane", "16"}));
  EXPECT_NE(text.find("ldmatrix, stmatrix: 1 instruction .x4 a warp, 8 "
                      "wavefronts"),
            std::string::npos)
      << text;
}

TEST(Drawing, PicturesAreWhole) {
  for (const std::string &picture :
       {tilePicture(parsed("reg: 2*c1; lane: 4*c2, 8*r1")),
        imagePicture(*SharedImage::make(8, 8, 2, Swizzle::None)->layout())}) {
    EXPECT_EQ(picture.rfind("<svg", 0), 0u);
    EXPECT_EQ(picture.substr(picture.size() - 7), "</svg>\n");
    size_t cells = 0;
    for (size_t at = 0; (at = picture.find("<rect", at)) != std::string::npos;
         ++at)
      ++cells;
    EXPECT_EQ(cells, 8u * 8 + 8 + 8);
  }
}

} // namespace
