//===- TmaLaunch.cpp - A lowering at a launch -----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TmaCandidate.h"

#include <algorithm>
#include <set>

using namespace titan;
using namespace titan::tma;

TmaLowering TmaLowering::fixed(const Expr::Bindings &indices,
                               const Expr::Bindings &greatest) const {
  TmaLowering low = *this;
  std::map<std::string, Expr> most;
  for (const TmaLoop &loop : loops) {
    if (indices.count(loop.index))
      continue;
    Expr last = loop.extent - 1;
    auto it = greatest.find(loop.index);
    auto known = last.constant();
    most.emplace(loop.index,
                 it != greatest.end() && (!known || it->second < *known)
                     ? Expr(it->second)
                     : last);
  }
  for (Expr &x : low.coords)
    x = x.substitute(indices);
  for (Expr &x : low.im2colOffsets)
    x = x.substitute(indices);
  low.sharedOffset = sharedOffset.substitute(indices);
  low.predicate.clear();
  for (const TmaBound &b : predicate) {
    TmaBound bound{b.index.substitute(indices), b.extent.substitute(indices)};
    if (!isSure(bound, most))
      low.predicate.push_back(std::move(bound));
  }
  if (low.predicate.empty())
    low.otherwise = TmaElse::None;
  return low;
}

std::vector<const TmaLowering *> TmaLowering::parts() const {
  std::vector<const TmaLowering *> all = {this};
  for (const TmaLowering &part : rest)
    all.push_back(&part);
  return all;
}

int64_t TmaLowering::boxesOfTile() const {
  int64_t sum = 0;
  for (const TmaLowering *part : parts()) {
    int64_t boxes = 1;
    for (const TmaLoop &loop : part->loops)
      boxes *= loop.ofBoxes ? loop.extent.constant().value_or(1) : 1;
    sum += boxes;
  }
  return sum;
}

std::optional<TensorMap>
TmaLowering::tensorMap(const Expr::Bindings &launch) const {
  TensorMap map;
  map.mode = mode;
  map.im2col = im2col;
  map.rank = static_cast<int>(dims.size());
  map.type = type;
  map.swizzle = swizzle;
  map.nanFill = nanFill;
  auto base = address.evaluate(launch);
  if (!base || *base < 0)
    return std::nullopt;
  map.address = static_cast<uint64_t>(*base);
  for (int d = 0; d < map.rank; ++d) {
    auto n = dims[d].evaluate(launch);
    auto stride = d == 0 ? 0 : strides[d - 1].evaluate(launch);
    if (!n || !stride || *n < 0 || *stride < 0)
      return std::nullopt;
    map.dims[d] = static_cast<uint64_t>(*n);
    if (d > 0)
      map.strides[d - 1] = static_cast<uint64_t>(*stride);
    if (mode == TmaMode::Tiled)
      map.box[d] = box[d];
    map.elementStrides[d] = elementStrides[d];
  }
  return map;
}

std::optional<TmaCopy> TmaLowering::copyAt(const Expr::Bindings &values,
                                           int64_t base) const {
  bool holds = true;
  for (const TmaBound &b : predicate) {
    auto i = b.index.evaluate(values), n = b.extent.evaluate(values);
    if (!i || !n)
      return std::nullopt;
    holds = holds && *i >= 0 && *i < *n;
  }
  if (!holds && otherwise == TmaElse::Skip)
    return std::nullopt;
  TmaCopy copy;
  copy.direction = direction;
  copy.reduction = reduction;
  auto offset = sharedOffset.evaluate(values);
  if (!offset)
    return std::nullopt;
  copy.shared = base + *offset;
  if (!holds) {
    copy.coords = outside;
    copy.im2colOffsets.assign(im2colOffsets.size(), 0);
    return copy;
  }
  for (const Expr &x : coords) {
    auto value = x.evaluate(values);
    if (!value)
      return std::nullopt;
    copy.coords.push_back(*value);
  }
  for (const Expr &x : im2colOffsets) {
    auto value = x.evaluate(values);
    if (!value)
      return std::nullopt;
    copy.im2colOffsets.push_back(*value);
  }
  return copy;
}

std::vector<int64_t>
titan::outsideCoordinates(const TensorMap &map,
                          const std::vector<int64_t> &inside) {
  std::vector<int64_t> coords = inside;
  coords.resize(static_cast<size_t>(map.rank), 0);
  if (map.mode == TmaMode::Tiled) {
    for (int d = 0; d < map.rank; ++d)
      coords[d] = -static_cast<int64_t>(map.box[d]);
  } else {
    // Whole chunks of 16 bytes before channel 0; padded types: 128 values.
    int64_t unit = map.type->driver >= 14  ? 128
                   : map.type->bits >= 128 ? 1
                                           : 128 / map.type->bits;
    coords[0] = -(ceilDiv(int64_t(map.im2col.channels), unit) * unit);
  }
  return coords;
}

//===----------------------------------------------------------------------===//
// Tiles in numbers
//===----------------------------------------------------------------------===//

/// Steps a mixed-radix number, the last digit fastest; false: back at zero.
static bool step(std::vector<int64_t> &digits,
                 const std::vector<int64_t> &extents) {
  for (size_t k = digits.size(); k-- > 0;) {
    if (++digits[k] < extents[k])
      return true;
    digits[k] = 0;
  }
  return false;
}

std::string
TmaLowering::describeLoops(const std::vector<int64_t> &indices) const {
  std::string text;
  for (size_t k = 0; k < indices.size(); ++k)
    text += (k ? " " : "") + loops[k].index + "=" + number(indices[k]);
  return text;
}

std::optional<Problem> TmaLowering::visitTiles(
    const Expr::Bindings &launch, int64_t most, bool corners,
    const std::function<void(const std::vector<int64_t> &,
                             const std::optional<TmaCopy> &)> &tile,
    const std::function<bool(const TmaTileElement &)> &element) const {
  auto fails = [](const std::string &why) {
    return Problem{"bad-argument", why};
  };
  const DomainGraph &g = graph;
  std::vector<int64_t> extent;
  for (DomainId id = 0; id < g.size(); ++id) {
    auto n = g[id].extent.evaluate(launch);
    if (!n || *n < 1)
      return fails("no size for " + g.str(id));
    extent.push_back(*n);
  }
  // Of the tile, in the order of its image.
  std::vector<int64_t> counts, counted, sizes;
  std::vector<DomainId> domains;
  int64_t elements = 1, all = 1;
  for (size_t d = dimensions.size(); d-- > 0;) {
    const TmaDimension &t = dimensions[d];
    for (DomainId id : t.tileDomains) {
      domains.push_back(id);
      counts.push_back(extent[id]);
      elements *= extent[id];
    }
    auto size = t.size.evaluate(launch);
    if (!size)
      return fails("no size for " + t.size.str());
    sizes.push_back(*size);
  }
  std::reverse(sizes.begin(), sizes.end());
  for (const TmaLoop &loop : loops) {
    counted.push_back(corners ? std::min<int64_t>(extent[loop.domain], 3)
                              : extent[loop.domain]);
    if (__builtin_mul_overflow(all, counted.back(), &all))
      all = INT64_MAX;
    if (all > most)
      break;
  }
  if (all > most || elements > most / std::max<int64_t>(all, 1))
    return fails("more than " + number(most) + " elements to draw");

  Expr::Bindings values = launch;
  std::vector<int64_t> at(counted.size(), 0), indices(at);
  DomainValues known(g.size());
  for (DomainId id : g.leaves())
    known[id] = 0;
  TmaTileElement cell{};
  do {
    for (size_t k = 0; k < at.size(); ++k) {
      const TmaLoop &loop = loops[k];
      indices[k] = at[k] == 2 && corners ? extent[loop.domain] - 1 : at[k];
      values[loop.index] = indices[k];
      known[loop.domain] = indices[k];
    }
    auto copy = copyAt(values, 0);
    bool filled = copy && !outside.empty() && copy->coords == outside;
    tile(indices, copy);
    std::vector<int64_t> digits(counts.size(), 0);
    do {
      for (size_t k = 0; k < domains.size(); ++k)
        known[domains[k]] = digits[k];
      DomainValues v = g.values(known, launch);
      cell.hole = false;
      cell.data = copy.has_value();
      cell.place.clear();
      for (DomainId id = 0; id < g.size(); ++id)
        cell.hole = cell.hole || !v[id] || *v[id] < 0 || *v[id] >= extent[id];
      // Where the instruction is: its element along each dimension. Pixels
      // follow one another as their domain's indices do.
      if (mode == TmaMode::Im2col)
        for (DomainId id : g.roots()) {
          cell.data = cell.data && !filled && v[id] && *v[id] >= 0 &&
                      *v[id] < extent[id];
          cell.place.insert(cell.place.begin(), v[id].value_or(-1));
        }
      size_t k = 0;
      for (size_t d = box.size(); copy && d-- > 0;) {
        int64_t i = 0;
        for (DomainId id : dimensions[d].tileDomains)
          i = i * extent[id] + digits[k++];
        int64_t x = copy->coords[d] + i * elementStrides[d];
        cell.data = cell.data && x >= 0 && x < sizes[d];
        cell.place.insert(cell.place.begin(), x);
      }
      if (!element(cell))
        return std::nullopt;
    } while (step(digits, counts));
  } while (step(at, counted));
  return std::nullopt;
}

/// Outermost first, as the instruction is printed.
static std::string placeText(const std::vector<int64_t> &place) {
  std::string text;
  for (size_t d = place.size(); d-- > 0;)
    text += (text.empty() ? "" : ", ") + number(place[d]);
  return "[" + text + "]";
}

/// A tile of this part that holds an element and a hole with data; `along`: in
/// a line along that dimension.
static std::optional<std::string> tellMixedTile(const TmaLowering &low,
                                                const Expr::Bindings &launch,
                                                int64_t most,
                                                std::optional<size_t> along) {
  std::string where;
  std::optional<std::vector<int64_t>> valid, hole;
  std::vector<std::vector<int64_t>> holes; // Before there is a valid one.
  auto look = [&](const std::vector<int64_t> &place) {
    for (size_t d = 0; along && d < place.size(); ++d)
      if (d != *along && place[d] != (*valid)[d])
        return;
    if (!hole)
      hole = place;
  };
  // Each that holds an element has to be executed.
  TmaLowering all = low;
  all.predicate.clear();
  auto problem = all.visitTiles(
      launch, most, /*corners=*/false,
      [&](const std::vector<int64_t> &indices,
          const std::optional<TmaCopy> &copy) {
        valid = hole = std::nullopt;
        holes.clear();
        if (!copy)
          return;
        where = placeText(copy->coords);
        if (!indices.empty())
          where += " (" + low.describeLoops(indices) + ")";
      },
      [&](const TmaTileElement &e) {
        if (e.data && e.hole && valid) {
          look(e.place);
        } else if (e.data && e.hole) {
          holes.push_back(e.place);
        } else if (e.data && !valid) {
          valid = e.place;
          std::for_each(holes.begin(), holes.end(), look);
        }
        return !hole;
      });
  if (problem || !valid || !hole)
    return std::nullopt;
  return "the tile at " + where + " holds element " + placeText(*valid) +
         " and, in a hole that has to be " +
         (low.direction == TmaDirection::Load ? "filled" : "left alone") +
         ", element " + placeText(*hole);
}

std::optional<std::string> TmaLowering::mixedTile(const Expr::Bindings &launch,
                                                  int64_t most,
                                                  const Expr *broken) const {
  std::vector<const TmaLowering *> all = parts();
  // The rests first: they are smaller.
  std::rotate(all.begin(), all.begin() + 1, all.end());
  for (const TmaLowering *part : all)
    for (size_t d = 0; d < part->dimensions.size(); ++d)
      if (broken && part->mode == TmaMode::Tiled &&
          part->dimensions[d].margin.same(*broken))
        if (auto tile = tellMixedTile(*part, launch, most, d))
          return tile;
  for (const TmaLowering *part : all)
    if (auto tile = tellMixedTile(*part, launch, most, std::nullopt))
      return tile;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Launch checks
//===----------------------------------------------------------------------===//

/// The sizes of an expression, and of what each is a multiple.
static void collectSizes(const Expr &e, std::map<std::string, int64_t> &sizes) {
  if (e.kind() == Expr::Kind::Symbol) {
    sizes[e.name()] = e.divisor();
  } else if (e.kind() != Expr::Kind::Constant) {
    collectSizes(e.lhs(), sizes);
    collectSizes(e.rhs(), sizes);
  }
}

static std::map<std::string, int64_t> sizesOf(const DomainGraph &g) {
  std::map<std::string, int64_t> sizes;
  for (DomainId id : g.roots())
    if (g[id].extent.size() <= Expr::maxSize)
      collectSizes(g[id].extent, sizes);
  return sizes;
}

std::vector<LaunchCheck> titan::tma::multipleChecks(const DomainGraph &graph) {
  std::vector<LaunchCheck> checks;
  for (auto [name, multiple] : sizesOf(graph))
    if (multiple > 1)
      checks.push_back({Code::LaunchCheck,
                        Expr(0) - Expr::symbol(name) % Expr(multiple), "",
                        name + " is a multiple of " + number(multiple)});
  return checks;
}

/// "M is 12, K is 5": what the expression is computed from.
static std::string numbersOf(const Expr &e, const Expr::Bindings &launch) {
  std::string text;
  std::map<std::string, int64_t> sizes;
  collectSizes(e, sizes);
  for (auto [name, multiple] : sizes)
    if (auto it = launch.find(name); it != launch.end())
      text += (text.empty() ? "" : ", ") + name + " is " + number(it->second);
  return text;
}

void titan::tma::tellMixedTiles(TmaLowering &low) {
  constexpr int64_t mostSize = 4096, mostElements = int64_t(1) << 16;
  std::map<std::string, int64_t> all = sizesOf(low.graph);
  for (LaunchCheck &check : low.checks) {
    if (check.code != Code::TmaStrong)
      continue;
    std::map<std::string, int64_t> own;
    collectSizes(check.atLeastZero, own);
    if (own.empty())
      continue;
    // The least of one size, under some of the others.
    for (auto [others, at] : {std::pair{int64_t(1), own.begin()},
                              {1, std::next(own.begin())},
                              {8, own.begin()},
                              {64, own.begin()}}) {
      if (at == own.end() || !check.example.empty())
        continue;
      Expr::Bindings launch;
      for (auto [size, multiple] : all)
        launch[size] = others * multiple;
      const std::string &name = at->first;
      int64_t unit = all.count(name) ? all[name] : 1, first = 0;
      bool larger = true; // All larger ones break it, too.
      for (int64_t n = unit; n <= mostSize && n > 0; n += unit) {
        launch[name] = n;
        bool breaks = check.holds(launch) == Tri::No;
        first = first ? first : breaks ? n : 0;
        larger = larger && (breaks || !first);
      }
      if (!first)
        continue;
      launch[name] = first;
      bool alone = own.size() == 1;
      // A hole behind the box is one whatever follows it.
      bool stays =
          alone && larger &&
          std::any_of(low.dimensions.begin(), low.dimensions.end(),
                      [&](const TmaDimension &t) {
                        return t.cut == 0 && t.margin.same(check.atLeastZero);
                      });
      if (auto tile = low.mixedTile(launch, mostElements, &check.atLeastZero))
        check.example = "; where " + numbersOf(check.atLeastZero, launch) +
                        (stays ? " or more, " : ", say, ") + *tile;
      if (alone && larger && first > unit && others == 1)
        check.fix = "keep " + name + " at most " + number(first - unit) +
                    (check.fix.empty() ? "" : "; or " + check.fix);
    }
  }
}

namespace {
/// What the values of an expression lie between; wider than 64 bits, so that
/// what overflows is still in order, and cut off far outside of them.
struct Interval {
  using Wide = __int128;
  static constexpr Wide far = Wide(1) << 96;
  Wide least = -far, most = far;

  static Interval of(Wide least, Wide most) {
    return {std::max(least, -far), std::min(most, far)};
  }
  static Wide product(Wide a, Wide b) {
    Wide result;
    if (__builtin_mul_overflow(a, b, &result))
      return (a < 0) == (b < 0) ? far : -far;
    return result;
  }
  template <typename Op>
  static Interval corners(Interval a, Interval b, Op op) {
    Wide all[] = {op(a.least, b.least), op(a.least, b.most),
                  op(a.most, b.least), op(a.most, b.most)};
    return of(*std::min_element(all, all + 4), *std::max_element(all, all + 4));
  }
};
} // namespace

/// `least`: of these sizes; of other symbols nothing is known.
static Interval intervalOf(const Expr &e,
                           const std::map<std::string, int64_t> &least) {
  using Wide = Interval::Wide;
  if (auto c = e.constant())
    return {*c, *c};
  if (e.kind() == Expr::Kind::Symbol) {
    auto it = least.find(e.name());
    return it == least.end() ? Interval{} : Interval{it->second, INT64_MAX};
  }
  Interval a = intervalOf(e.lhs(), least), b = intervalOf(e.rhs(), least);
  switch (e.kind()) {
  case Expr::Kind::Add:
    return Interval::of(a.least + b.least, a.most + b.most);
  case Expr::Kind::Mul:
    return Interval::corners(a, b, Interval::product);
  case Expr::Kind::Div:
  case Expr::Kind::CeilDiv:
    if (b.least < 1)
      return {};
    return Interval::corners(a, b, [&](Wide x, Wide d) {
      Wide q = x / d; // Towards 0.
      return e.kind() == Expr::Kind::Div ? q - (q * d > x) : q + (q * d < x);
    });
  case Expr::Kind::Mod:
    return b.least < 1 ? Interval{} : Interval{0, b.most - 1};
  case Expr::Kind::Min:
    return {std::min(a.least, b.least), std::min(a.most, b.most)};
  case Expr::Kind::Max:
    return {std::max(a.least, b.least), std::max(a.most, b.most)};
  default:
    return {};
  }
}

const LaunchCheck *titan::tma::findHopeless(const TmaLowering &low) {
  // Of what each is a multiple is the least of it, too.
  std::map<std::string, int64_t> least = sizesOf(low.graph);
  for (const LaunchCheck &check : low.checks)
    if (check.atLeastZero.size() <= Expr::maxSize &&
        intervalOf(check.atLeastZero, least).most < 0)
      return &check;
  return nullptr;
}

/// The innermost part of an expression that has no value under these numbers.
static Expr partWithoutValue(const Expr &e, const Expr::Bindings &launch) {
  if (e.kind() != Expr::Kind::Constant && e.kind() != Expr::Kind::Symbol)
    for (const Expr &operand : {e.lhs(), e.rhs()})
      if (!operand.evaluate(launch))
        return partWithoutValue(operand, launch);
  return e;
}

std::vector<TmaViolation>
TmaLowering::brokenChecks(const Expr::Bindings &launch) const {
  std::vector<TmaViolation> broken;
  std::set<std::string> undefined; // Said once, whatever is computed from it.
  for (const LaunchCheck &check : checks) {
    Tri holds = check.holds(launch);
    bool missing = check.atLeastZero.mentions(
        [&](const std::string &name) { return !launch.count(name); });
    if (holds == Tri::Yes || missing)
      continue;
    TmaViolation v{check.code, check.field, check.message, check.fix};
    if (std::string sizes = numbersOf(check.atLeastZero, launch);
        !sizes.empty())
      v.message += " (" + sizes + ")";
    if (holds == Tri::Unknown) {
      Expr part = partWithoutValue(check.atLeastZero, launch);
      if (!undefined.insert(part.str()).second)
        continue;
      bool divides = part.kind() == Expr::Kind::Div ||
                     part.kind() == Expr::Kind::Mod ||
                     part.kind() == Expr::Kind::CeilDiv;
      divides = divides && part.rhs().evaluate(launch) == 0;
      v.message += ": " + part.str() +
                   (divides ? " is a division by 0" : " is beyond 64 bits");
      v.fix = divides ? "keep " + part.rhs().str() + " at least 1"
                      : "keep " + part.str() + " within 64 bits";
    } else if (check.code == Code::TmaStrong) {
      if (auto tile = mixedTile(launch, int64_t(1) << 20, &check.atLeastZero))
        v.message += ": " + *tile;
    }
    broken.push_back(std::move(v));
  }
  return broken;
}
