//===- TmaExplain.cpp - Schedules as text and pictures --------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Domain/TmaExplain.h"
#include "titan/Domain/Condition.h"

#include <algorithm>
#include <map>

using namespace titan;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Elements of a box along a dimension.
static int64_t boxElements(const TmaLowering &low, size_t d) {
  if (low.mode == TmaMode::Im2col)
    return d == 0 ? low.im2col.channels : low.im2col.pixels;
  return d == 0 ? low.box[0]
                : ceilDiv(int64_t(low.box[d]), low.elementStrides[d]);
}

static Result<std::vector<TmaTilePicture>>
picturesAt(const TmaLowering &low, const Expr::Bindings &launch, int64_t most,
           bool corners) {
  std::vector<TmaTilePicture> result;
  bool copied = false;
  auto problem = low.visitTiles(
      launch, most, corners,
      [&](const std::vector<int64_t> &at, const std::optional<TmaCopy> &copy) {
        TmaTilePicture picture;
        picture.where = low.describeLoops(at);
        picture.row = boxElements(low, 0);
        copied = copy.has_value();
        result.push_back(std::move(picture));
      },
      [&](const TmaTileElement &element) {
        result.back().cells += !copied         ? '_'
                               : !element.hole ? '#'
                               : element.data  ? '!'
                                               : '.';
        return true;
      });
  if (problem)
    return *problem;
  return result;
}

Result<std::vector<TmaTilePicture>>
titan::picturesOf(const TmaLowering &low, const Expr::Bindings &launch,
                  int64_t most) {
  return picturesAt(low, launch, most, /*corners=*/false);
}

/// Rows of equal cells as one cell each, where all rows are such; then a row of
/// the picture is the next dimension's.
static void squeeze(const TmaLowering &low,
                    std::vector<TmaTilePicture> &pictures) {
  int64_t row = boxElements(low, 0);
  for (const TmaTilePicture &p : pictures)
    for (size_t k = 0; k < p.cells.size(); ++k)
      if (p.cells[k] != p.cells[k - k % static_cast<size_t>(row)])
        return;
  for (TmaTilePicture &p : pictures) {
    std::string cells;
    for (size_t k = 0; k < p.cells.size(); k += static_cast<size_t>(row))
      cells += p.cells[k];
    p.cells = cells;
    p.row = low.dimensions.size() > 1 ? boxElements(low, 1) : 1;
  }
}

namespace {
/// What is drawn of a lowering.
struct Drawing {
  struct Tile {
    TmaTilePicture picture;
    int64_t alike = 1;            // Executions that look so.
    std::vector<int64_t> repeats; // Of each row.
  };
  std::vector<Tile> tiles;
  std::vector<std::string> notes;
};
} // namespace

/// Every execution, where they are at most `most` elements. Else one of each
/// kind, equal rows that follow one another as one.
static Result<Drawing> drawingOf(const TmaLowering &low,
                                 const Expr::Bindings &launch, int64_t most) {
  constexpr int64_t mostSeen = int64_t(1) << 17;
  Drawing drawing;
  auto pictures = picturesOf(low, launch, most);
  bool all = bool(pictures);
  if (!all)
    pictures = picturesOf(low, launch, mostSeen);
  if (!pictures) {
    pictures = picturesAt(low, launch, mostSeen, /*corners=*/true);
    drawing.notes.push_back("of each loop its first two indices and the last");
  }
  if (!pictures)
    return pictures.problem();
  squeeze(low, *pictures);
  std::map<std::string, size_t> kinds;
  int64_t drawn = 0, others = 0;
  for (TmaTilePicture &p : *pictures) {
    auto [it, isNew] = kinds.emplace(p.cells, drawing.tiles.size());
    if (!all && !isNew) {
      if (it->second < drawing.tiles.size())
        ++drawing.tiles[it->second].alike;
      continue;
    }
    Drawing::Tile tile{p, 1, {}};
    size_t row = static_cast<size_t>(std::max<int64_t>(p.row, 1));
    tile.picture.cells.clear();
    for (size_t k = 0; k < p.cells.size(); k += row) {
      std::string cells = p.cells.substr(k, row);
      if (!all && k > 0 && p.cells.compare(k - row, row, cells) == 0) {
        ++tile.repeats.back();
        continue;
      }
      tile.picture.cells += cells;
      tile.repeats.push_back(1);
    }
    drawn += static_cast<int64_t>(tile.picture.cells.size());
    if (!all && drawn > most && !drawing.tiles.empty()) {
      it->second = SIZE_MAX;
      ++others;
      continue;
    }
    drawing.tiles.push_back(std::move(tile));
  }
  for (Drawing::Tile &tile : drawing.tiles)
    if (tile.alike > 1)
      tile.picture.where += " and " + std::to_string(tile.alike - 1) + " alike";
  if (others > 0)
    drawing.notes.push_back(std::to_string(others) +
                            (others == 1 ? " other kind" : " other kinds") +
                            " of tiles are not drawn");
  return drawing;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// The code around the instruction, one statement a line.
static std::vector<std::string> codeOf(const TmaLowering &low) {
  bool load = low.direction == TmaDirection::Load;
  bool im2col = low.mode == TmaMode::Im2col;
  std::string op = im2col ? "tma.load.im2col"
                   : load ? "tma.load"
                   : low.direction == TmaDirection::Store
                       ? "tma.store"
                       : "tma.reduce." + low.reduction;
  auto list = [](const auto &values, auto print) {
    std::string text;
    for (size_t d = values.size(); d-- > 0;)
      text += (text.empty() ? "" : ", ") + print(values[d]);
    return "[" + text + "]";
  };
  auto copy = [&](const auto &coords, auto print, const auto &offsets,
                  int64_t bytes) {
    std::string text = op + " " + list(coords, print);
    if (im2col)
      text += " offsets " + list(offsets, print);
    if (!low.sharedOffset.is(0))
      text += ", buffer + " + low.sharedOffset.str();
    return text + (load ? "    (" + std::to_string(bytes) + " bytes)" : "");
  };
  auto expr = [](const Expr &e) { return e.str(); };
  auto number = [](int64_t n) { return std::to_string(n); };
  std::vector<std::string> lines;
  std::string indent;
  for (const TmaLoop &loop : low.loops) {
    lines.push_back(indent + "for " + loop.index + " in 0 .. " +
                    (loop.extent - 1).str() +
                    (loop.ofBoxes ? "    (boxes of a tile)" : ""));
    indent += "  ";
  }
  std::string then = copy(low.coords, expr, low.im2colOffsets, low.thenBytes);
  if (low.predicate.empty()) {
    lines.push_back(indent + then);
    return lines;
  }
  std::string test;
  for (const TmaBound &b : low.predicate)
    test += (test.empty() ? "" : " and ") + ("0 <= " + b.index.str()) + " < " +
            b.extent.str();
  lines.push_back(indent + "if " + test);
  lines.push_back(indent + "  " + then);
  if (low.otherwise == TmaElse::Fill) {
    lines.push_back(indent + "else");
    std::vector<int64_t> none(low.im2colOffsets.size(), 0);
    lines.push_back(indent + "  " +
                    copy(low.outside, number, none, low.elseBytes));
  }
  return lines;
}

/// Whether these sizes keep a launch check, and by how much: "holds by 3",
/// "broken by 1"; "open: K".
static std::string verdictOf(const LaunchCheck &check,
                             const Expr::Bindings &launch) {
  auto value = check.atLeastZero.evaluate(launch);
  if (value) {
    std::string by = std::to_string(*value).substr(*value < 0);
    return (*value < 0 ? "broken" : "holds") + (*value ? " by " + by : "");
  }
  std::string missing;
  (void)check.atLeastZero.mentions([&](const std::string &name) {
    if (missing.empty() && !launch.count(name))
      missing = name;
    return false;
  });
  return missing.empty() ? "broken: no value" : "open: " + missing;
}

/// Of a tile in several parts, which one it is.
static std::string partTitle(const TmaLowering &all, size_t k) {
  return all.rest.empty() ? ""
                          : "part " + std::to_string(k + 1) + " of " +
                                std::to_string(all.rest.size() + 1);
}

static std::string explainPart(const TmaLowering &low,
                               const Expr::Bindings &launch, int64_t most) {
  std::string text = "domains\n";
  std::string graph = low.graph.str();
  if (graph.empty())
    for (DomainId id : low.graph.roots())
      graph += low.graph.str(id) + "\n";
  for (size_t at = 0; at < graph.size();) {
    size_t end = graph.find('\n', at);
    text += "  " + graph.substr(at, end - at) + "\n";
    at = end + 1;
  }
  text += "map: " + std::string(low.type->name) + ", swizzle " +
          std::string(low.swizzle->name) +
          (low.nanFill ? ", NaN outside\n" : ", zero outside\n");
  for (const std::string &line : low.why)
    text += "  " + line + "\n";
  text += "copy, level " + std::to_string(low.level) + "\n";
  for (const std::string &line : codeOf(low))
    text += "  " + line + "\n";
  if (!low.checks.empty())
    text += "at launch\n";
  for (const LaunchCheck &check : low.checks) {
    text += "  " + Condition::atLeastZero(check.atLeastZero).str() + "    [" +
            std::string(codeInfo(check.code).code) + "]";
    if (!launch.empty())
      text += "    " + verdictOf(check, launch);
    text += "\n";
  }
  auto drawing = drawingOf(low, launch, most);
  if (!drawing)
    return text + "tiles: not drawn, " + drawing.problem().message + "\n";
  text +=
      "tiles: # element, . hole with fill, ! hole with data, _ not copied\n";
  size_t width = 0;
  for (const Drawing::Tile &tile : drawing->tiles)
    width = std::max(width, tile.picture.where.size());
  for (const Drawing::Tile &tile : drawing->tiles) {
    const TmaTilePicture &p = tile.picture;
    size_t row = static_cast<size_t>(std::max<int64_t>(p.row, 1));
    for (size_t k = 0; k < p.cells.size(); k += row) {
      std::string where = k == 0 ? p.where : "";
      where.resize(width, ' ');
      int64_t times = tile.repeats[k / row];
      text += "  " + where + (width ? "  " : "") + p.cells.substr(k, row) +
              (times > 1 ? " x " + std::to_string(times) : "") + "\n";
    }
  }
  for (const std::string &note : drawing->notes)
    text += "  " + note + "\n";
  return text;
}

std::string titan::explainLowering(const TmaLowering &low,
                                   const Expr::Bindings &launch, int64_t most) {
  std::string text;
  std::vector<const TmaLowering *> parts = low.parts();
  for (size_t k = 0; k < parts.size(); ++k) {
    if (std::string title = partTitle(low, k); !title.empty())
      text += title + "\n";
    text += explainPart(*parts[k], launch, most);
  }
  return text;
}

//===----------------------------------------------------------------------===//
// SVG
//===----------------------------------------------------------------------===//

namespace {
struct Svg {
  std::string body;
  int64_t width = 0;
  int64_t height = 0; ///< From the origin.
  int64_t origin = 0; ///< What is drawn starts below what was drawn before.

  void grow(int64_t x, int64_t y) {
    width = std::max(width, x);
    height = std::max(height, y);
  }
  void advance() {
    origin += height + 24;
    height = 0;
  }
  static std::string escape(const std::string &text) {
    std::string out;
    for (char c : text)
      out += c == '<'   ? "&lt;"
             : c == '>' ? "&gt;"
             : c == '&' ? "&amp;"
                        : std::string(1, c);
    return out;
  }
  void text(int64_t x, int64_t y, const std::string &what,
            const char *anchor = "start") {
    body += "<text x=\"" + std::to_string(x) + "\" y=\"" +
            std::to_string(origin + y) + "\" text-anchor=\"" + anchor + "\">" +
            escape(what) + "</text>\n";
    grow(x + 8 * static_cast<int64_t>(what.size()), y + 6);
  }
  void rect(int64_t x, int64_t y, int64_t w, int64_t h, const char *fill) {
    body += "<rect x=\"" + std::to_string(x) + "\" y=\"" +
            std::to_string(origin + y) + "\" width=\"" + std::to_string(w) +
            "\" height=\"" + std::to_string(h) + "\" fill=\"" + fill +
            "\" stroke=\"#555\"/>\n";
    grow(x + w, y + h);
  }
  void line(int64_t x, int64_t y, int64_t u, int64_t v) {
    body += "<line x1=\"" + std::to_string(x) + "\" y1=\"" +
            std::to_string(origin + y) + "\" x2=\"" + std::to_string(u) +
            "\" y2=\"" + std::to_string(origin + v) + "\" stroke=\"#555\"/>\n";
  }
  std::string document() const {
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
           std::to_string(width + 10) + "\" height=\"" +
           std::to_string(origin + height + 10) +
           "\" font-family=\"monospace\" font-size=\"12\">\n"
           "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
           body + "</svg>\n";
  }
};
} // namespace

static void draw(Svg &svg, const TmaLowering &low, const Expr::Bindings &launch,
                 int64_t most) {
  const DomainGraph &g = low.graph;
  // Domains: a column for each step from the roots, expressions between.
  std::vector<int> depth(g.size(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (const DomainExpr &e : g.exprs()) {
      if (e.removed)
        continue;
      int in = depth[e.in[0]];
      if (e.in[1] >= 0)
        in = std::max(in, depth[e.in[1]]);
      for (DomainId out : e.out)
        if (out >= 0 && depth[out] != in + 1) {
          depth[out] = in + 1;
          changed = true;
        }
    }
  }
  constexpr int64_t columnWidth = 170, boxWidth = 110, rowHeight = 34;
  std::vector<int64_t> y(g.size(), 0), next;
  auto x = [&](DomainId id) { return 10 + depth[id] * columnWidth; };
  for (DomainId id = 0; id < g.size(); ++id) {
    if (g[id].removed)
      continue;
    next.resize(std::max(next.size(), static_cast<size_t>(depth[id]) + 1), 30);
    y[id] = next[depth[id]];
    next[depth[id]] += rowHeight;
  }
  svg.text(10, 18, "domains (blue: dimensions, green: tile, white: loops)");
  auto is = [&](DomainId id, auto &&of) {
    return std::any_of(low.dimensions.begin(), low.dimensions.end(),
                       [&](const TmaDimension &t) {
                         const std::vector<DomainId> &list = of(t);
                         return std::count(list.begin(), list.end(), id) > 0;
                       });
  };
  for (const DomainExpr &e : g.exprs()) {
    if (e.removed)
      continue;
    for (DomainId in : e.in)
      for (DomainId out : e.out)
        if (in >= 0 && out >= 0)
          svg.line(x(in) + boxWidth, y[in] + 12, x(out), y[out] + 12);
  }
  for (DomainId id = 0; id < g.size(); ++id) {
    if (g[id].removed)
      continue;
    bool tile =
        is(id, [](const TmaDimension &t) -> auto & { return t.tileDomains; });
    bool dimension =
        is(id, [](const TmaDimension &t) -> auto & { return t.domains; });
    svg.rect(x(id), y[id], boxWidth, 24,
             tile        ? "#c4ecc0"
             : dimension ? "#bcd6f5"
                         : "white");
    svg.text(x(id) + boxWidth / 2, y[id] + 16, g.str(id), "middle");
  }
  int64_t top = svg.height + 30;
  for (const std::string &line : low.why) {
    svg.text(10, top, line);
    top += 16;
  }
  for (const std::string &line : codeOf(low)) {
    size_t indent = line.find_first_not_of(' ');
    svg.text(30 + 8 * static_cast<int64_t>(indent), top, line.substr(indent));
    top += 16;
  }
  top += 10;
  auto drawing = drawingOf(low, launch, most);
  if (!drawing) {
    svg.text(10, top, "tiles: not drawn, " + drawing.problem().message);
    return;
  }
  int64_t left = 10;
  for (auto [fill, what] : {std::pair{"#5b8fd9", "element"},
                            {"#d8d8d8", "hole with fill"},
                            {"#e05050", "hole with data"},
                            {"white", "not copied"}}) {
    svg.rect(left, top - 10, 12, 12, fill);
    svg.text(left + 16, top, what);
    left += 140;
  }
  top += 16;
  size_t width = 0;
  for (const Drawing::Tile &tile : drawing->tiles)
    width = std::max(width, tile.picture.where.size());
  constexpr int64_t cell = 12;
  for (const Drawing::Tile &tile : drawing->tiles) {
    const TmaTilePicture &p = tile.picture;
    svg.text(10, top + 10, p.where);
    int64_t row = std::max<int64_t>(p.row, 1);
    int64_t rows = 0, start = 20 + 8 * static_cast<int64_t>(width);
    for (size_t k = 0; k < p.cells.size(); ++k) {
      int64_t r = static_cast<int64_t>(k) / row,
              c = static_cast<int64_t>(k) % row;
      char what = p.cells[k];
      svg.rect(start + c * cell, top + r * cell, cell, cell,
               what == '#'   ? "#5b8fd9"
               : what == '.' ? "#d8d8d8"
               : what == '!' ? "#e05050"
                             : "white");
      int64_t times = tile.repeats[static_cast<size_t>(r)];
      if (c + 1 == row && times > 1)
        svg.text(start + row * cell + 4, top + r * cell + 10,
                 "x " + std::to_string(times));
      rows = r + 1;
    }
    top += std::max<int64_t>(rows * cell, 14) + 6;
  }
  for (const std::string &note : drawing->notes) {
    svg.text(10, top + 10, note);
    top += 16;
  }
}

static void drawParts(Svg &svg, const TmaLowering &low,
                      const Expr::Bindings &launch, int64_t most) {
  std::vector<const TmaLowering *> parts = low.parts();
  for (size_t k = 0; k < parts.size(); ++k) {
    if (k > 0)
      svg.advance();
    if (std::string title = partTitle(low, k); !title.empty()) {
      svg.text(10, 18, title);
      svg.advance();
    }
    draw(svg, *parts[k], launch, most);
  }
}

std::string titan::drawLowering(const TmaLowering &low,
                                const Expr::Bindings &launch, int64_t most) {
  Svg svg;
  drawParts(svg, low, launch, most);
  return svg.document();
}

std::string titan::drawLowerings(
    const std::vector<std::pair<std::string, TmaLowering>> &all,
    const Expr::Bindings &launch, int64_t most) {
  Svg svg;
  for (const auto &[title, low] : all) {
    svg.text(10, 18, title);
    svg.advance();
    drawParts(svg, low, launch, most);
    svg.advance();
  }
  return svg.document();
}
