//===- Layout.cpp - Where the elements of a tile are ----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Making layouts, the function itself and slices. Questions about it are in
// LayoutQuestions.cpp, the algebra in LayoutAlgebra.cpp and LayoutReshape.cpp,
// the textual form in LayoutText.cpp.
//
//===----------------------------------------------------------------------===//
#include "LayoutParts.h"

#include <algorithm>
#include <bit>

using namespace titan;

//===----------------------------------------------------------------------===//
// Small parts
//===----------------------------------------------------------------------===//

int64_t Axis::size() const {
  int64_t product = 1;
  for (const Digit &d : digits)
    product *= d.extent;
  return product;
}

std::vector<std::string> titan::defaultDimNames(int rank) {
  if (rank == 2)
    return {"r", "c"};
  std::vector<std::string> names;
  names.reserve(rank);
  for (int d = 0; d < rank; ++d)
    names.push_back(std::string(1, static_cast<char>('i' + d)));
  return names;
}

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

/// Names are what the textual form can hold.
static std::optional<Problem> checkNames(const std::vector<Axis> &axes,
                                         const std::vector<Dim> &dims) {
  auto bad = [](const std::string &name, const std::string &why) {
    return Problem{"layout-invalid", "'" + name + "' " + why};
  };
  auto isWord = [](const std::string &name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    });
  };
  bool anyTile = false, allTile = axes.size() == 3 || axes.size() == 4;
  static const char *const tileNames[] = {"reg", "lane", "warp", "cta"};
  for (size_t a = 0; a < axes.size(); ++a) {
    const std::string &name = axes[a].name;
    if (!isWord(name) || name == "shape" || name == "at" || name == "bits")
      return bad(name, "is no name for an axis");
    for (size_t b = 0; b < a; ++b)
      if (axes[b].name == name)
        return bad(name, "names two axes");
    anyTile = anyTile || name == "reg" || name == "lane" || name == "warp" ||
              name == "cta";
    allTile = allTile && name == tileNames[a];
  }
  if (anyTile && !allTile)
    return bad(axes[0].name, "is the first axis of a layout that has some of "
                             "reg, lane, warp, cta but not all of the first "
                             "three in this order");
  for (size_t d = 0; d < dims.size(); ++d) {
    if (!isWord(dims[d].name) || dims[d].name == "rep")
      return bad(dims[d].name, "is no name for a dimension");
    for (size_t e = 0; e < d; ++e)
      if (dims[e].name == dims[d].name)
        return bad(dims[d].name, "names two dimensions");
  }
  return std::nullopt;
}

/// What make asks of a digit that steps by exclusive or.
static std::optional<Problem> checkExclusive(const Axis &axis,
                                             const Digit &digit, int rank) {
  std::string where = "axis " + axis.name + " has a digit of extent " +
                      std::to_string(digit.extent) +
                      " that steps by exclusive or";
  if ((digit.extent & (digit.extent - 1)) != 0)
    return Problem{"layout-invalid", where + "; its extent is a power of two"};
  if (static_cast<int>(digit.image.size()) != rank)
    return Problem{"layout-invalid",
                   where + " in " + std::to_string(digit.image.size()) +
                       " dimensions of " + std::to_string(rank)};
  for (int64_t x : digit.image)
    if (x < 0 || x > sizeLimit / digit.extent)
      return Problem{"layout-invalid", where + " by " + std::to_string(x) +
                                           "; what is xored is 0 .. 2^40"};
  return std::nullopt;
}

std::vector<int64_t> titan::extentMultiples(int rank,
                                            const std::vector<Axis> &axes,
                                            const BitLinear &bits) {
  std::vector<uint64_t> reached(rank, 0);
  for (const Axis &axis : axes)
    for (const Digit &digit : axis.digits)
      if (digit.isExclusive() && digit.extent > 1)
        for (int d = 0; d < rank; ++d)
          reached[d] |= static_cast<uint64_t>(digit.image[d]) *
                        static_cast<uint64_t>(digit.extent / 2);
  for (BitLinear::Term t : bits.terms())
    reached[t.toDim] |= uint64_t(1) << t.to;
  std::vector<int64_t> multiples;
  multiples.reserve(rank);
  for (uint64_t x : reached)
    multiples.push_back(int64_t(1) << std::bit_width(x));
  return multiples;
}

Result<Layout> Layout::make(std::vector<Axis> axes, std::vector<Dim> dims,
                            std::vector<int64_t> offset, BitLinear bits) {
  int rank = static_cast<int>(dims.size());
  if (rank > Coord::maxRank || axes.size() > size_t(Coord::maxRank))
    return Problem{"layout-invalid", "a layout has at most " +
                                         std::to_string(Coord::maxRank) +
                                         " axes and dimensions"};
  if (offset.empty())
    offset.assign(rank, 0);
  if (static_cast<int>(offset.size()) != rank)
    return Problem{"layout-invalid",
                   "the offset has " + std::to_string(offset.size()) +
                       " entries for " + std::to_string(rank) + " dimensions"};
  if (std::optional<Problem> problem = checkNames(axes, dims))
    return *problem;
  int64_t elements = 1;
  for (const Dim &d : dims) {
    if (d.extent < 1)
      return Problem{"layout-invalid", "dimension " + d.name + " has extent " +
                                           std::to_string(d.extent) +
                                           "; extents are at least 1"};
    if (d.extent > sizeLimit / elements)
      return Problem{"layout-invalid", "the shape has more than 2^40 elements"};
    elements *= d.extent;
  }
  std::vector<int64_t> largest(offset);
  for (int d = 0; d < rank; ++d)
    if (offset[d] < 0 || offset[d] > sizeLimit)
      return Problem{"layout-invalid", "offset " + std::to_string(offset[d]) +
                                           " of dimension " + dims[d].name +
                                           " lies outside of 0 .. 2^40"};
  int64_t inputs = 1;
  for (const Axis &axis : axes)
    for (const Digit &digit : axis.digits) {
      if (digit.extent < 1)
        return Problem{"layout-invalid", "axis " + axis.name +
                                             " has a digit of extent " +
                                             std::to_string(digit.extent) +
                                             "; extents are at least 1"};
      if (digit.extent > sizeLimit / inputs)
        return Problem{"layout-invalid", "the axes have more than 2^40 values"};
      inputs *= digit.extent;
      if (digit.isReplica())
        continue;
      if (digit.isExclusive()) {
        if (auto problem = checkExclusive(axis, digit, rank))
          return *problem;
        continue;
      }
      if (digit.dim < 0 || digit.dim >= rank)
        return Problem{"layout-invalid", "axis " + axis.name +
                                             " has a digit along dimension " +
                                             std::to_string(digit.dim) +
                                             " of " + std::to_string(rank)};
      if (digit.stride < 0 || digit.stride > sizeLimit / digit.extent)
        return Problem{"layout-invalid", "axis " + axis.name +
                                             " has a digit of stride " +
                                             std::to_string(digit.stride) +
                                             "; strides are 0 .. 2^40"};
      largest[digit.dim] += (digit.extent - 1) * digit.stride;
    }
  for (int d = 0; d < rank; ++d)
    if (largest[d] >= dims[d].extent)
      return Problem{"layout-invalid",
                     "dimension " + dims[d].name + " reaches coordinate " +
                         std::to_string(largest[d]) + " but has extent " +
                         std::to_string(dims[d].extent)};
  // A digit that moves nowhere is a replica, and written as one.
  for (Axis &axis : axes)
    for (Digit &digit : axis.digits)
      if (digit.isExclusive()
              ? std::all_of(digit.image.begin(), digit.image.end(),
                            [](int64_t x) { return x == 0; })
              : digit.isReplica() || digit.stride == 0)
        digit = {digit.extent, Digit::replica, 0};
  // A bit that is never set is xored with nothing.
  std::vector<BitLinear::Term> terms;
  for (BitLinear::Term t : bits.terms()) {
    if (t.toDim >= rank || t.fromDim >= rank)
      return Problem{"layout-invalid",
                     "`bits` names dimension " +
                         std::to_string(std::max(t.toDim, t.fromDim)) + " of " +
                         std::to_string(rank)};
    if ((dims[t.fromDim].extent - 1) >> t.from)
      terms.push_back(t);
  }
  bits = BitLinear(std::move(terms));
  std::vector<int64_t> multiple = extentMultiples(rank, axes, bits);
  for (int d = 0; d < rank; ++d)
    if (dims[d].extent % multiple[d] != 0)
      return Problem{
          "layout-invalid",
          "exclusive or reaches bit " +
              std::to_string(
                  std::bit_width(static_cast<uint64_t>(multiple[d])) - 2) +
              " of dimension " + dims[d].name +
              ", whose extent is then a multiple of " +
              std::to_string(multiple[d]) + ", not " +
              std::to_string(dims[d].extent)};
  Layout layout;
  layout.axisList = std::move(axes);
  layout.dimList = std::move(dims);
  layout.offsets = std::move(offset);
  layout.post = std::move(bits);
  return layout;
}

Result<Layout> Layout::tile(std::vector<int64_t> shape, std::vector<Digit> reg,
                            std::vector<Digit> lane, std::vector<Digit> warp) {
  if (shape.size() > size_t(Coord::maxRank))
    return Problem{"layout-invalid", "a tile has at most " +
                                         std::to_string(Coord::maxRank) +
                                         " dimensions"};
  std::vector<std::string> names =
      defaultDimNames(static_cast<int>(shape.size()));
  std::vector<Dim> dims;
  dims.reserve(shape.size());
  for (size_t d = 0; d < shape.size(); ++d)
    dims.push_back({names[d], shape[d]});
  return make({{"reg", std::move(reg)},
               {"lane", std::move(lane)},
               {"warp", std::move(warp)}},
              std::move(dims));
}

std::optional<std::vector<Digit>>
titan::fitAxis(int64_t size, int rank,
               const std::function<Coord(int64_t)> &value) {
  std::vector<Digit> digits;
  for (int64_t weight = 1; weight < size;) {
    // The direction of this digit is the image of its first step.
    Coord step = value(weight);
    int dim = Digit::replica;
    for (int d = 0; d < rank; ++d) {
      if (step[d] == 0)
        continue;
      if (dim != Digit::replica || step[d] < 0)
        return std::nullopt;
      dim = d;
    }
    int64_t stride = dim == Digit::replica ? 0 : step[dim];
    auto walksOn = [&](int64_t n) {
      Coord at = value(n * weight);
      for (int d = 0; d < rank; ++d)
        if (at[d] != (d == dim ? n * stride : 0))
          return false;
      return true;
    };
    int64_t extent = 2;
    while (extent * weight < size && walksOn(extent))
      ++extent;
    if (size % (weight * extent) != 0)
      return std::nullopt;
    digits.push_back({extent, dim, stride});
    weight *= extent;
  }
  return digits;
}

Result<Layout>
Layout::fit(const std::vector<std::pair<std::string, int64_t>> &axes,
            std::vector<Dim> dims,
            const std::function<Coord(const Coord &)> &function) {
  int rank = static_cast<int>(dims.size());
  Coord zero(static_cast<int>(axes.size()));
  Coord base = function(zero);
  std::vector<Axis> found;
  for (size_t a = 0; a < axes.size(); ++a) {
    auto digits = fitAxis(axes[a].second, rank, [&](int64_t v) {
      Coord in = zero;
      in[static_cast<int>(a)] = v;
      Coord out = function(in);
      for (int d = 0; d < rank; ++d)
        out[d] -= base[d];
      return out;
    });
    if (!digits)
      return Problem{"layout-algebra",
                     "axis " + axes[a].first + " is no mixed radix"};
    found.push_back({axes[a].first, std::move(*digits)});
  }
  Result<Layout> layout =
      make(std::move(found), std::move(dims), {base.begin(), base.end()});
  if (!layout)
    return layout;
  for (int64_t i = 0, e = layout->size(); i < e; ++i) {
    Coord in = zero;
    int64_t rest = i;
    for (size_t a = 0; a < axes.size(); ++a) {
      in[static_cast<int>(a)] = rest % axes[a].second;
      rest /= axes[a].second;
    }
    if (layout->apply(in) != function(in))
      return Problem{"layout-algebra", "the axes do not add up"};
  }
  return layout;
}

//===----------------------------------------------------------------------===//
// Parts and the function
//===----------------------------------------------------------------------===//

std::vector<int64_t> Layout::shape() const {
  std::vector<int64_t> result;
  result.reserve(dimList.size());
  for (const Dim &d : dimList)
    result.push_back(d.extent);
  return result;
}

int64_t Layout::size() const {
  int64_t product = 1;
  for (const Axis &axis : axisList)
    product *= axis.size();
  return product;
}

int64_t Layout::elements() const {
  int64_t product = 1;
  for (const Dim &d : dimList)
    product *= d.extent;
  return product;
}

bool Layout::isSum() const {
  if (!post.isIdentity())
    return false;
  for (const Axis &axis : axisList)
    for (const Digit &digit : axis.digits)
      if (digit.isExclusive())
        return false;
  return true;
}

int Layout::axis(std::string_view name) const {
  for (size_t a = 0; a < axisList.size(); ++a)
    if (axisList[a].name == name)
      return static_cast<int>(a);
  return -1;
}

Coord Layout::apply(const Coord &inputs) const {
  Coord result(rank()), xors;
  for (int d = 0; d < rank(); ++d)
    result[d] = offsets[d];
  for (size_t a = 0; a < axisList.size(); ++a) {
    uint64_t value = static_cast<uint64_t>(inputs[static_cast<int>(a)]);
    for (const Digit &digit : axisList[a].digits) {
      if (value == 0)
        break;
      // Division is most of the work; 32 bits are several times faster.
      uint64_t extent = static_cast<uint64_t>(digit.extent), rest;
      if ((value | extent) >> 32) {
        rest = value % extent;
        value /= extent;
      } else {
        uint32_t narrow = static_cast<uint32_t>(value);
        rest = narrow % static_cast<uint32_t>(extent);
        value = narrow / static_cast<uint32_t>(extent);
      }
      if (digit.isSum()) {
        result[digit.dim] += static_cast<int64_t>(rest) * digit.stride;
      } else if (digit.isExclusive()) {
        for (int k = 0; rest >> k; ++k)
          if ((rest >> k) & 1)
            for (int d = 0; d < rank(); ++d)
              xors[d] ^= digit.image[d] << k;
      }
    }
  }
  for (int d = 0; d < rank(); ++d)
    result[d] ^= xors[d];
  return post.isIdentity() ? result : post(result);
}

bool Layout::isTile() const {
  return axisList.size() >= 3 && axisList[0].name == "reg";
}

void titan::forEachInput(const std::vector<Axis> &axes,
                         const std::function<void(const Coord &)> &visit) {
  int count = static_cast<int>(axes.size());
  std::vector<int64_t> sizes;
  sizes.reserve(axes.size());
  for (const Axis &axis : axes)
    sizes.push_back(axis.size());
  Coord in(count);
  while (true) {
    visit(in);
    int a = 0;
    while (a < count && ++in[a] == sizes[a])
      in[a++] = 0;
    if (a == count)
      return;
  }
}

std::vector<int64_t> Layout::elementTable() const {
  std::vector<int64_t> table;
  table.reserve(size());
  forEachInput(axisList, [&](const Coord &in) {
    Coord at = apply(in);
    int64_t index = 0;
    for (int d = 0; d < rank(); ++d)
      index = index * dimList[d].extent + at[d];
    table.push_back(index);
  });
  return table;
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

Result<LayoutSlice> Layout::slice(const std::vector<int64_t> &at,
                                  const std::vector<int64_t> &extents) const {
  if (axisList.empty())
    return Problem{"layout-slice", "only a register tile has slices"};
  if (!isSum())
    return Problem{"layout-algebra", "a tile with steps by exclusive or has no "
                                     "slices in digits"};
  if (static_cast<int>(at.size()) != rank() ||
      static_cast<int>(extents.size()) != rank())
    return Problem{"layout-slice", "a slice of a tile of rank " +
                                       std::to_string(rank()) +
                                       " needs that many offsets and extents"};
  for (int d = 0; d < rank(); ++d)
    if (at[d] < 0 || extents[d] < 1 || extents[d] > dimList[d].extent ||
        at[d] > dimList[d].extent - extents[d])
      return Problem{"layout-slice", "slice [" + std::to_string(at[d]) + ", " +
                                         std::to_string(at[d]) + " + " +
                                         std::to_string(extents[d]) +
                                         ") of dimension " + dimList[d].name +
                                         " leaves its extent " +
                                         std::to_string(dimList[d].extent)};

  // What the other axes add along each dimension. The digits are independent,
  // so the sets of the dimensions combine freely.
  std::vector<std::vector<int64_t>> others(rank());
  for (int d = 0; d < rank(); ++d)
    others[d] = {0};
  for (size_t a = 1; a < axisList.size(); ++a)
    for (const Digit &digit : axisList[a].digits) {
      if (digit.isReplica() || digit.extent == 1)
        continue;
      std::vector<int64_t> &set = others[digit.dim], wider;
      for (int64_t v = 0; v < digit.extent; ++v)
        for (int64_t x : set)
          wider.push_back(x + v * digit.stride);
      std::sort(wider.begin(), wider.end());
      wider.erase(std::unique(wider.begin(), wider.end()), wider.end());
      set = std::move(wider);
    }

  std::vector<int64_t> selected;
  std::vector<Coord> origin;
  Coord in(static_cast<int>(axisList.size()));
  for (int64_t reg = 0, e = axisList[0].size(); reg < e; ++reg) {
    in[0] = reg;
    Coord base = apply(in);
    bool allIn = true, allOut = false;
    for (int d = 0; d < rank(); ++d) {
      bool any = false;
      for (int64_t x : others[d]) {
        bool inside = base[d] + x >= at[d] && base[d] + x < at[d] + extents[d];
        any = any || inside;
        allIn = allIn && inside;
      }
      allOut = allOut || !any;
    }
    if (allOut)
      continue;
    if (!allIn)
      return Problem{"layout-slice",
                     "register " + std::to_string(reg) +
                         " lies inside the slice for some lanes or warps and "
                         "outside for others; a slice takes the same registers "
                         "of every lane"};
    selected.push_back(reg);
    origin.push_back(base);
  }
  if (selected.empty())
    return Problem{"layout-slice", "no register lies in the slice"};

  auto digits =
      fitAxis(static_cast<int64_t>(selected.size()), rank(), [&](int64_t i) {
        Coord step = origin[i];
        for (int d = 0; d < rank(); ++d)
          step[d] -= origin[0][d];
        return step;
      });
  if (digits)
    // fitAxis looked at the first values of each digit; look at all.
    for (size_t i = 0; digits && i < selected.size(); ++i) {
      Coord sum = origin[0];
      int64_t rest = static_cast<int64_t>(i);
      for (const Digit &digit : *digits) {
        if (!digit.isReplica())
          sum[digit.dim] += rest % digit.extent * digit.stride;
        rest /= digit.extent;
      }
      if (sum != origin[i])
        digits.reset();
    }
  if (!digits)
    return Problem{"layout-algebra",
                   "the registers selected are no mixed radix"};
  std::vector<Axis> axes = axisList;
  axes[0].digits = std::move(*digits);
  std::vector<Dim> dims = dimList;
  std::vector<int64_t> offset(rank());
  for (int d = 0; d < rank(); ++d) {
    dims[d].extent = extents[d];
    offset[d] = origin[0][d] - at[d];
  }
  Result<Layout> layout = make(std::move(axes), std::move(dims), offset);
  if (!layout)
    return layout.problem();
  return LayoutSlice{std::move(*layout), std::move(selected)};
}
