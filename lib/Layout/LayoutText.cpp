//===- LayoutText.cpp - The textual form of layouts -----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   layout := clause (';' clause)*
//   clause := 'shape' ':' (name extent) (',' name extent)*
//           | 'at' ':' (name offset) (',' name offset)*
//           | 'bits' ':' (bit '^' bit) (',' bit '^' bit)*
//           | axis ':' [digit (',' digit)*]
//   bit    := [name] number
//   digit  := extent '*' (name stride | 'rep' | ('^' [name] number)+)
//
// The first bit of `bits` is xored with the second. Names of bits and of what
// is xored are left out in rank 1, and only there.
//
// str() leaves out what parse() finds by itself: empty reg, lane and
// warp axes, and the shape where it is the least that holds every coordinate, out of
// which exclusive or does not lead, and the names are the usual ones.
//
//===----------------------------------------------------------------------===//
#include "LayoutParts.h"

#include <algorithm>
#include <cctype>

using namespace titan;

namespace {
/// A layout as written: digits name their dimension.
struct Written {
  /// A number of a dimension; the name may be left out where it is the only one.
  using Named = std::pair<std::string, int64_t>;
  struct Item {
    int64_t extent;
    std::string dim; // Empty: a replica, or exclusive.
    int64_t stride;
    std::vector<Named> xors = {};
  };
  std::vector<std::pair<std::string, std::vector<Item>>> axes;
  std::vector<std::pair<std::string, int64_t>> at;
  std::vector<Dim> shape;
  std::vector<std::pair<Named, Named>> bits; // to, from
  bool hasShape = false;
};

class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  Result<Layout> run();

private:
  void space() {
    while (pos < text.size() && std::isspace((unsigned char)text[pos]))
      ++pos;
  }
  bool eat(char c) {
    space();
    if (pos >= text.size() || text[pos] != c)
      return false;
    ++pos;
    return true;
  }
  bool atEnd() {
    space();
    return pos >= text.size();
  }
  std::optional<std::string> name() {
    space();
    size_t start = pos;
    while (pos < text.size() &&
           (std::isalpha((unsigned char)text[pos]) || text[pos] == '_'))
      ++pos;
    if (pos == start)
      return std::nullopt;
    return std::string(text.substr(start, pos - start));
  }
  std::optional<int64_t> number() {
    space();
    size_t start = pos;
    int64_t value = 0;
    while (pos < text.size() && std::isdigit((unsigned char)text[pos])) {
      if (value > (int64_t(1) << 50))
        return std::nullopt;
      value = value * 10 + (text[pos++] - '0');
    }
    if (pos == start)
      return std::nullopt;
    return value;
  }
  Problem expected(const std::string &what) {
    return {"layout-syntax", "expected " + what + " at character " +
                                 std::to_string(pos) + " of layout '" +
                                 std::string(text) + "'"};
  }
  std::optional<Problem> clause();
  /// name number, as in `r8`.
  std::optional<Problem> named(std::string &dim, int64_t &value) {
    auto n = name();
    if (!n)
      return expected("the name of a dimension");
    dim = *n;
    auto v = number();
    if (!v)
      return expected("a number");
    value = *v;
    return std::nullopt;
  }

  /// [name] number, as in `c4` or `4`.
  std::optional<Problem> maybeNamed(Written::Named &entry) {
    entry.first = name().value_or("");
    auto v = number();
    if (!v)
      return expected("a number");
    entry.second = *v;
    return std::nullopt;
  }

  std::string_view text;
  size_t pos = 0;
  Written written;
};
} // namespace

std::optional<Problem> Parser::clause() {
  auto axis = name();
  if (!axis)
    return expected("the name of an axis");
  if (!eat(':'))
    return expected("':'");
  bool isAxis = *axis != "shape" && *axis != "at" && *axis != "bits";
  if (isAxis) {
    for (const auto &known : written.axes)
      if (known.first == *axis)
        return expected("another axis than " + *axis + ", which is there");
    written.axes.push_back({*axis, {}});
    space();
    if (pos >= text.size() || text[pos] == ';')
      return std::nullopt; // An axis of one value.
  }
  if (*axis == "shape") {
    written.hasShape = true;
    space();
    if (pos >= text.size() || text[pos] == ';')
      return std::nullopt; // Rank 0.
  }
  do {
    std::string dim;
    int64_t value = 0;
    if (*axis == "shape") {
      if (auto problem = named(dim, value))
        return problem;
      for (const Dim &known : written.shape)
        if (known.name == dim)
          return expected("another dimension than " + dim);
      written.shape.push_back({dim, value});
    } else if (*axis == "at") {
      if (auto problem = named(dim, value))
        return problem;
      written.at.push_back({dim, value});
    } else if (*axis == "bits") {
      Written::Named to, from;
      if (auto problem = maybeNamed(to))
        return problem;
      if (to.second > 62)
        return expected("a bit, 0 .. 62");
      if (!eat('^'))
        return expected("'^'");
      if (auto problem = maybeNamed(from))
        return problem;
      if (from.second > 62)
        return expected("a bit, 0 .. 62");
      written.bits.push_back({to, from});
    } else {
      auto extent = number();
      if (!extent)
        return expected("the extent of a digit");
      if (!eat('*'))
        return expected("'*'");
      if (eat('^')) {
        Written::Item item{*extent, "", 0};
        do {
          Written::Named entry;
          if (auto problem = maybeNamed(entry))
            return problem;
          item.xors.push_back(entry);
        } while (eat('^'));
        written.axes.back().second.push_back(std::move(item));
        continue;
      }
      auto into = name();
      if (!into)
        return expected("the name of a dimension, 'rep' or '^'");
      if (*into == "rep") {
        written.axes.back().second.push_back({*extent, "", 0});
      } else {
        auto stride = number();
        if (!stride)
          return expected("a stride");
        written.axes.back().second.push_back({*extent, *into, *stride});
      }
    }
  } while (eat(','));
  return std::nullopt;
}

/// The dimensions that go without saying when these names are used.
static std::vector<std::string>
impliedNames(const std::vector<std::string> &used) {
  auto all = [&](auto &&pred) {
    return std::all_of(used.begin(), used.end(), pred);
  };
  if (all([](const std::string &n) { return n == "r" || n == "c"; }))
    return {"r", "c"};
  // i .. p; two of them would be r and c, so the rank is 1 or at least 3.
  if (all([](const std::string &n) {
        return n.size() == 1 && n[0] >= 'i' && n[0] < 'i' + Coord::maxRank;
      })) {
    int rank = 1;
    for (const std::string &n : used)
      rank = std::max(rank, n[0] - 'i' + 1);
    return defaultDimNames(rank == 2 ? 3 : rank);
  }
  return used;
}

/// The least extents that hold the largest sums and out of which exclusive or
/// does not lead.
static std::optional<std::vector<int64_t>>
impliedExtents(const std::vector<Axis> &axes,
               const std::vector<int64_t> &largest, const BitLinear &bits) {
  int rank = static_cast<int>(largest.size());
  for (const Axis &axis : axes)
    for (const Digit &digit : axis.digits)
      for (int64_t x : digit.image)
        if (digit.extent > sizeLimit ||
            x > sizeLimit / std::max<int64_t>(digit.extent, 1))
          return std::nullopt;
  std::vector<int64_t> extents;
  for (int64_t x : largest)
    extents.push_back(x + 1);
  // Digits first: they say which bits there are for `bits` to read.
  auto roundUp = [&](const BitLinear &terms) {
    std::vector<int64_t> multiple = extentMultiples(rank, axes, terms);
    for (int d = 0; d < rank; ++d) {
      if (multiple[d] < 1 || multiple[d] > sizeLimit) // Bit 63 is the sign.
        return false;
      extents[d] =
          (extents[d] + (multiple[d] - 1)) / multiple[d] * multiple[d];
    }
    return true;
  };
  if (!roundUp(BitLinear()))
    return std::nullopt;
  // A bit that is never set changes nothing; one that is changed may be read.
  for (bool again = true; again;) {
    std::vector<BitLinear::Term> live;
    for (BitLinear::Term t : bits.terms())
      if ((extents[t.fromDim] - 1) >> t.from)
        live.push_back(t);
    std::vector<int64_t> before = extents;
    if (!roundUp(BitLinear(std::move(live))))
      return std::nullopt;
    again = extents != before;
    for (int64_t extent : extents)
      if (extent > sizeLimit)
        return std::nullopt;
  }
  return extents;
}

Result<Layout> Parser::run() {
  if (!atEnd()) {
    do {
      if (atEnd() && !written.axes.empty())
        break; // A semicolon at the end is welcome.
      if (auto problem = clause())
        return *problem;
    } while (eat(';'));
    if (!atEnd())
      return expected("';' or the end");
  }

  std::vector<std::string> used;
  auto use = [&](const std::string &n) {
    if (!n.empty() && std::find(used.begin(), used.end(), n) == used.end())
      used.push_back(n);
  };
  for (const auto &axis : written.axes)
    for (const auto &item : axis.second) {
      use(item.dim);
      for (const auto &entry : item.xors)
        use(entry.first);
    }
  for (const auto &entry : written.at)
    use(entry.first);
  for (const auto &[to, from] : written.bits) {
    use(to.first);
    use(from.first);
  }

  std::vector<Dim> dims = written.shape;
  if (!written.hasShape)
    for (const std::string &n : impliedNames(used))
      dims.push_back({n, 1});
  // Numbers without a name are of the only dimension: b, if nothing names one.
  bool unnamed = std::any_of(
      written.bits.begin(), written.bits.end(), [](const auto &bit) {
        return bit.first.first.empty() || bit.second.first.empty();
      });
  for (const auto &axis : written.axes)
    for (const auto &item : axis.second)
      for (const auto &entry : item.xors)
        unnamed = unnamed || entry.first.empty();
  if (unnamed && used.empty() && !written.hasShape)
    dims = {{"b", 1}};
  if (unnamed && dims.size() != 1)
    return Problem{"layout-invalid", "bits of one of " +
                                         std::to_string(dims.size()) +
                                         " dimensions: write which, as in c4"};
  auto index = [&](const std::string &n) {
    if (n.empty())
      return 0;
    for (size_t d = 0; d < dims.size(); ++d)
      if (dims[d].name == n)
        return static_cast<int>(d);
    return -1;
  };

  std::vector<int64_t> offset(dims.size(), 0);
  for (const auto &[n, value] : written.at) {
    if (index(n) < 0)
      return expected("no dimension " + n + ", which `shape` lacks,");
    offset[index(n)] = value;
  }
  // The axes of a register tile are always three.
  auto isTileName = [](const std::string &n) {
    return n == "reg" || n == "lane" || n == "warp" || n == "cta";
  };
  if (std::all_of(written.axes.begin(), written.axes.end(),
                  [&](const auto &axis) { return isTileName(axis.first); })) {
    auto given = std::move(written.axes);
    written.axes = {{"reg", {}}, {"lane", {}}, {"warp", {}}};
    if (std::any_of(given.begin(), given.end(),
                    [](const auto &axis) { return axis.first == "cta"; }))
      written.axes.push_back({"cta", {}});
    for (auto &axis : given)
      for (auto &slot : written.axes)
        if (slot.first == axis.first)
          slot.second = std::move(axis.second);
  }
  std::vector<Axis> axes;
  std::vector<int64_t> largest = offset;
  constexpr int64_t limit = int64_t(1) << 40;
  for (const auto &[axisName, items] : written.axes) {
    Axis axis{axisName, {}};
    for (const Written::Item &item : items) {
      if (!item.xors.empty()) {
        Digit digit =
            Digit::xors(item.extent, std::vector<int64_t>(dims.size(), 0));
        for (const auto &[n, value] : item.xors) {
          int d = index(n);
          if (d < 0)
            return expected("no dimension " + n + ", which `shape` lacks,");
          digit.image[d] ^= value;
        }
        axis.digits.push_back(std::move(digit));
        continue;
      }
      if (item.dim.empty()) {
        axis.digits.push_back({item.extent, Digit::replica, 0});
        continue;
      }
      int d = index(item.dim);
      if (d < 0)
        return expected("no dimension " + item.dim + ", which `shape` lacks,");
      axis.digits.push_back({item.extent, d, item.stride});
      if (item.extent > limit ||
          item.stride > limit / std::max<int64_t>(item.extent, 1))
        return Problem{"layout-invalid",
                       "a digit of axis " + axisName + " reaches past 2^40"};
      largest[d] += std::max<int64_t>(item.extent - 1, 0) * item.stride;
    }
    axes.push_back(std::move(axis));
  }
  std::vector<BitLinear::Term> terms;
  for (const auto &[to, from] : written.bits) {
    int toDim = index(to.first), fromDim = index(from.first);
    if (toDim < 0 || fromDim < 0)
      return expected("no dimension " + (toDim < 0 ? to.first : from.first) +
                      ", which `shape` lacks,");
    terms.push_back(
        {static_cast<uint8_t>(to.second), static_cast<uint8_t>(from.second),
         static_cast<uint8_t>(toDim), static_cast<uint8_t>(fromDim)});
  }
  BitLinear bits(std::move(terms));
  if (!written.hasShape) {
    std::optional<std::vector<int64_t>> extents =
        impliedExtents(axes, largest, bits);
    if (!extents)
      return Problem{"layout-invalid", "exclusive or reaches past 2^40"};
    for (size_t d = 0; d < dims.size(); ++d)
      dims[d].extent = (*extents)[d];
  }
  return Layout::make(std::move(axes), std::move(dims), std::move(offset),
                      std::move(bits));
}

Result<Layout> Layout::parse(std::string_view text) {
  return Parser(text).run();
}

std::string Layout::str() const {
  Layout normal = normalized();
  std::string axes, at, bits;
  auto clause = [](std::string &to, const std::string &text) {
    if (!to.empty())
      to += "; ";
    to += text;
  };
  std::vector<std::string> used;
  auto use = [&](const std::string &n) {
    if (std::find(used.begin(), used.end(), n) == used.end())
      used.push_back(n);
  };
  std::vector<int64_t> largest = offsets;
  bool tile = isTile();
  for (const Axis &axis : normal.axisList) {
    std::string line = axis.name + ":";
    for (const Digit &digit : axis.digits) {
      line += (&digit == axis.digits.data() ? " " : ", ") +
              std::to_string(digit.extent) + "*";
      if (digit.isReplica()) {
        line += "rep";
        continue;
      }
      if (digit.isExclusive()) {
        for (int d = 0; d < rank(); ++d)
          if (digit.image[d] != 0) {
            line += "^" + (rank() == 1 ? "" : dimList[d].name) +
                    std::to_string(digit.image[d]);
            if (rank() > 1)
              use(dimList[d].name);
          }
        continue;
      }
      use(dimList[digit.dim].name);
      largest[digit.dim] += (digit.extent - 1) * digit.stride;
      line += dimList[digit.dim].name + std::to_string(digit.stride);
    }
    if (!tile || !axis.digits.empty() || axis.name == "cta")
      clause(axes, line);
  }
  for (int d = 0; d < rank(); ++d)
    if (offsets[d] != 0) {
      at += at.empty() ? "at: " : ", ";
      at += dimList[d].name + std::to_string(offsets[d]);
      use(dimList[d].name);
    }
  auto bit = [&](int d, int number) {
    if (rank() == 1)
      return std::to_string(number);
    use(dimList[d].name);
    return dimList[d].name + std::to_string(number);
  };
  for (BitLinear::Term t : post.terms()) {
    bits += bits.empty() ? "bits: " : ", ";
    bits += bit(t.toDim, t.to);
    bits += "^" + bit(t.fromDim, t.from);
  }
  std::vector<std::string> implied = impliedNames(used);
  bool unnamed = rank() == 1 && used.empty() && !isSum();
  if (unnamed)
    implied = {"b"};
  auto extents = impliedExtents(normal.axisList, largest, post);
  bool sayShape = implied.size() != dimList.size() || !extents;
  for (int d = 0; !sayShape && d < rank(); ++d)
    sayShape =
        implied[d] != dimList[d].name || (*extents)[d] != dimList[d].extent;
  std::string result = axes;
  if (sayShape) {
    std::string shape = "shape:";
    for (int d = 0; d < rank(); ++d)
      shape += (d ? ", " : " ") + dimList[d].name +
               std::to_string(dimList[d].extent);
    clause(result, shape);
  }
  if (!at.empty())
    clause(result, at);
  if (!bits.empty())
    clause(result, bits);
  return result;
}
