//===- Drawing.cpp - Layouts as tables and pictures -----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Layout/Drawing.h"

#include "titan/Layout/Access.h"

#include <algorithm>
#include <map>

using namespace titan;

/// Rows and columns of a table, pixels of a cell.
static constexpr int64_t tableLimit = 16, pictureLimit = 128;

static std::string plural(int64_t count, const std::string &what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

static std::string padded(const std::string &text, size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

/// A table whose columns are as wide as their widest cell.
static std::string
tableText(const std::vector<std::vector<std::string>> &rows) {
  std::vector<size_t> width;
  for (const auto &row : rows)
    for (size_t c = 0; c < row.size(); ++c) {
      if (c == width.size())
        width.push_back(0);
      width[c] = std::max(width[c], row[c].size());
    }
  std::string text;
  for (const auto &row : rows) {
    std::string line = " ";
    for (size_t c = 0; c < row.size(); ++c)
      line += " " + padded(row[c], width[c]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

static std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text.empty() ? "1" : text;
}

/// The element at row r, column c of the last two dimensions, the others 0.
static Coord elementAt(const Layout &layout, int64_t r, int64_t c) {
  Coord at(layout.rank());
  if (layout.rank() > 0)
    at[layout.rank() - 1] = c;
  if (layout.rank() > 1)
    at[layout.rank() - 2] = r;
  return at;
}
static int64_t columnsOf(const Layout &layout) {
  return layout.rank() > 0 ? layout.dims().back().extent : 1;
}
static int64_t rowsOf(const Layout &layout) {
  return layout.rank() > 1 ? layout.dims()[layout.rank() - 2].extent : 1;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

std::string titan::drawTile(const Layout &tile) {
  std::string text = tile.str() + "\n";
  text += shapeText(tile.shape()) + " elements in " +
          plural(tile.registers(), "register") + " of " +
          plural(tile.lanes(), "lane") + " of " + plural(tile.warps(), "warp");
  if (tile.ctas() > 1)
    text += " of " + plural(tile.ctas(), "CTA");
  if (std::optional<int64_t> copies = tile.replication())
    text += *copies == 1 ? ", each held once"
                         : ", each held " + std::to_string(*copies) + " times";
  else
    text += ", some held more often than others";
  text += "\n";
  if (auto free = tile.freeInputs(); free && !free->empty()) {
    text += "copies are held by";
    for (const DigitPlace &place : *free)
      text += (&place == free->data() ? " " : ", ") +
              tile.axes()[place.index].name +
              (place.weight == 1 ? "" : " / " + std::to_string(place.weight)) +
              (place.weight * place.extent == tile.axes()[place.index].size()
                   ? ""
                   : " % " + std::to_string(place.extent));
    text += " other than 0\n";
  }
  text += "\nwho owns what: warp.lane.register";
  text += tile.ctas() > 1 ? ", behind the CTA's rank\n" : "\n";
  int64_t rows = rowsOf(tile), columns = columnsOf(tile);
  int64_t shownRows = std::min(rows, tableLimit),
          shownColumns = std::min(columns, tableLimit);
  const std::string rowName = tile.rank() > 1
                                  ? tile.dims()[tile.rank() - 2].name
                                  : "",
                    columnName = tile.rank() > 0 ? tile.dims().back().name : "";
  std::vector<std::vector<std::string>> table(1, {""});
  for (int64_t c = 0; c < shownColumns; ++c)
    table[0].push_back(columnName + std::to_string(c));
  if (shownColumns < columns)
    table[0].push_back("...");
  for (int64_t r = 0; r < shownRows; ++r) {
    table.push_back({rowName.empty() ? "" : rowName + std::to_string(r)});
    for (int64_t c = 0; c < shownColumns; ++c) {
      std::vector<Coord> holders = tile.holders(elementAt(tile, r, c));
      if (holders.empty()) {
        table.back().push_back("-");
        continue;
      }
      const Coord &at = holders.front();
      table.back().push_back(
          (tile.ctas() > 1 ? std::to_string(at[3]) + ":" : "") +
          std::to_string(at[2]) + "." + std::to_string(at[1]) + "." +
          std::to_string(at[0]));
    }
  }
  if (shownRows < rows)
    table.push_back({"..."});
  return text + tableText(table);
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

std::string titan::drawImage(const Layout &image, int64_t elementBytes) {
  std::string text = image.str() + "\n";
  int64_t rows = image.axes()[0].size(), columns = image.axes()[1].size();
  int64_t end = 0;
  // Cells of 16 bytes: what a swizzle leaves whole.
  std::map<int64_t, std::string> cells;
  int64_t per = std::max<int64_t>(16 / elementBytes, 1);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; c += per) {
      int64_t at = image.apply({r, c})[0];
      end = std::max(end, at + per * elementBytes);
      if (at < tableLimit * 128)
        cells[at] = "r" + std::to_string(r) + " c" + std::to_string(c);
    }
  text += std::to_string(rows) + " x " + std::to_string(columns) +
          " elements of " + plural(elementBytes, "byte") + " in " +
          plural(end, "byte") + "\n\n";
  text += "16-byte cells by address, 128 bytes (all banks) a line\n";
  std::vector<std::vector<std::string>> table(1, {"byte"});
  for (int64_t k = 0; k < 8; ++k)
    table[0].push_back("+" + std::to_string(16 * k));
  for (int64_t line = 0; line < end && line < tableLimit * 128; line += 128) {
    table.push_back({std::to_string(line)});
    for (int64_t k = 0; k < 8; ++k) {
      // A row of an odd pitch begins in the middle of a cell.
      auto found = cells.lower_bound(line + 16 * k);
      bool here = found != cells.end() && found->first < line + 16 * (k + 1);
      table.back().push_back(here                  ? found->second
                             : line + 16 * k < end ? "-"
                                                   : "");
    }
  }
  if (end > tableLimit * 128)
    table.push_back({"..."});
  return text + tableText(table);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

std::string titan::drawAccess(const Layout &tile, const Layout &image,
                              int64_t elementBytes) {
  int64_t width = vectorBytes(tile, image, elementBytes);
  auto cost = accessCost(tile, image, elementBytes, width);
  if (!cost)
    return cost.problem().message + "\n";
  std::string text = "each lane: " + std::to_string(cost->accesses) +
                     (cost->accesses == 1 ? " access of " : " accesses of ") +
                     plural(width, "byte") +
                     "; a warp: " + plural(cost->wavefronts, "wavefront");
  text += cost->wavefronts == cost->ideal
              ? ", no conflicts\n"
              : ", " + std::to_string(cost->ideal) + " without conflicts\n";
  // The first group of lanes of the first access, bank by bank.
  if (cost->wavefronts != cost->ideal) {
    int64_t group = width >= 16 ? 8 : width == 8 ? 16 : 32;
    std::map<int64_t, std::map<int64_t, std::string>> banks;
    for (int64_t lane = 0; lane < std::min(group, tile.lanes()); ++lane) {
      int64_t at = image.apply(tile.coords(0, lane, 0))[0];
      for (int64_t word = at / 4; word <= (at + width - 1) / 4; ++word) {
        std::string &lanes = banks[word % 32][word];
        lanes += (lanes.empty() ? "" : ", ") + std::to_string(lane);
      }
    }
    text += "lanes that meet in a bank (first access of warp 0, lanes 0 to " +
            std::to_string(std::min(group, tile.lanes()) - 1) + ")\n";
    std::vector<std::vector<std::string>> table;
    for (const auto &[bank, words] : banks) {
      if (words.size() < 2)
        continue;
      if (static_cast<int64_t>(table.size()) == tableLimit) {
        table.push_back({"..."});
        break;
      }
      table.push_back({"bank " + std::to_string(bank) + ":"});
      for (const auto &[word, lanes] : words)
        table.back().push_back("lane " + lanes);
    }
    text += table.empty() ? "  none there: later ones do\n" : tableText(table);
  }
  if (elementBytes != 2)
    return text;
  for (bool trans : {false, true}) {
    auto plan = MatrixPlan::make(tile, image, trans);
    if (!plan)
      continue;
    int64_t all = 0;
    for (int64_t n = 0; n < plan->instructions(); ++n)
      all += plan->wavefronts(n);
    return text + "ldmatrix, stmatrix: " +
           plural(plan->instructions(), "instruction") + " .x" +
           std::to_string(plan->count()) + (trans ? ".trans" : "") +
           " a warp, " + plural(all, "wavefront") + "\n";
  }
  return text + MatrixPlan::make(tile, image, false).problem().message + "\n";
}

//===----------------------------------------------------------------------===//
// Pictures
//===----------------------------------------------------------------------===//

/// Colours that differ between neighbours: `index` of `count` around the wheel.
static std::string colour(int64_t index, int64_t count) {
  int64_t hue = count > 1 ? index * 360 / count : 0;
  return "hsl(" + std::to_string(hue) + ",70%," +
         std::to_string(index % 2 ? 82 : 72) + "%)";
}

namespace {
/// A grid of labelled, coloured cells.
class Picture {
public:
  Picture(int64_t rows, int64_t columns, int64_t cell) : cell(cell) {
    text = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
           std::to_string((columns + 1) * cell) + "\" height=\"" +
           std::to_string((rows + 1) * 20) +
           "\" font-family=\"monospace\" font-size=\"9\">\n";
  }
  void add(int64_t row, int64_t column, const std::string &label,
           const std::string &fill) {
    std::string x = std::to_string(column * cell), y = std::to_string(row * 20);
    text += "<rect x=\"" + x + "\" y=\"" + y + "\" width=\"" +
            std::to_string(cell) + "\" height=\"20\" fill=\"" + fill +
            "\" stroke=\"#888\"/><text x=\"" +
            std::to_string(column * cell + 3) + "\" y=\"" +
            std::to_string(row * 20 + 14) + "\">" + label + "</text>\n";
  }
  std::string finish() { return text + "</svg>\n"; }

private:
  int64_t cell;
  std::string text;
};
} // namespace

std::string titan::tilePicture(const Layout &tile) {
  int64_t rows = std::min(rowsOf(tile), pictureLimit),
          columns = std::min(columnsOf(tile), pictureLimit);
  Picture picture(rows, columns, 52);
  const std::string columnName = tile.rank() > 0 ? tile.dims().back().name : "",
                    rowName = tile.rank() > 1
                                  ? tile.dims()[tile.rank() - 2].name
                                  : "";
  for (int64_t c = 0; c < columns; ++c)
    picture.add(0, c + 1, columnName + std::to_string(c), "white");
  for (int64_t r = 0; r < rows; ++r) {
    picture.add(r + 1, 0, rowName + std::to_string(r), "white");
    for (int64_t c = 0; c < columns; ++c) {
      std::vector<Coord> holders = tile.holders(elementAt(tile, r, c));
      if (holders.empty()) {
        picture.add(r + 1, c + 1, "", "white");
        continue;
      }
      const Coord &at = holders.front();
      picture.add(r + 1, c + 1,
                  "w" + std::to_string(at[2]) + " l" + std::to_string(at[1]) +
                      " r" + std::to_string(at[0]),
                  colour(at[1], tile.lanes()));
    }
  }
  return picture.finish();
}

std::string titan::imagePicture(const Layout &image) {
  int64_t rows = std::min(image.axes()[0].size(), pictureLimit),
          columns = std::min(image.axes()[1].size(), pictureLimit);
  Picture picture(rows, columns, 52);
  for (int64_t c = 0; c < columns; ++c)
    picture.add(0, c + 1, "c" + std::to_string(c), "white");
  for (int64_t r = 0; r < rows; ++r) {
    picture.add(r + 1, 0, "r" + std::to_string(r), "white");
    for (int64_t c = 0; c < columns; ++c) {
      int64_t at = image.apply({r, c})[0];
      picture.add(r + 1, c + 1, std::to_string(at), colour(at / 4 % 32, 32));
    }
  }
  return picture.finish();
}
