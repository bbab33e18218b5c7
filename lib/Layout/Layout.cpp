//===- Layout.cpp - Where the elements of a tile are ----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Making layouts, the function itself and questions about it. The algebra is in
// LayoutAlgebra.cpp, the textual form in LayoutText.cpp.
//
//===----------------------------------------------------------------------===//
#include "titan/Layout/Layout.h"

#include <algorithm>
#include <numeric>

using namespace titan;

//===----------------------------------------------------------------------===//
// Small parts
//===----------------------------------------------------------------------===//

Coord::Coord(std::initializer_list<int64_t> list)
    : count(static_cast<int>(list.size())) {
  std::copy(list.begin(), list.end(), values.begin());
}

int64_t Axis::size() const {
  int64_t product = 1;
  for (const Digit &d : digits)
    product *= d.extent;
  return product;
}

BitLinear::BitLinear(std::vector<Term> terms) {
  std::sort(terms.begin(), terms.end());
  for (const Term &t : terms) {
    if (t.to > 62 || t.from > 62)
      continue;
    if (!list.empty() && list.back() == t)
      list.pop_back();
    else
      list.push_back(t);
  }
}

BitLinear BitLinear::swizzle(int b, int m, int s) {
  std::vector<Term> terms;
  terms.reserve(b);
  for (int i = 0; i < b; ++i)
    terms.push_back(
        {static_cast<uint8_t>(m + i), static_cast<uint8_t>(m + i + s)});
  return BitLinear(std::move(terms));
}

/// The function that sends bit i to images[i].
static BitLinear fromImages(const std::array<uint64_t, 63> &images) {
  std::vector<BitLinear::Term> terms;
  for (unsigned from = 0; from < 63; ++from) {
    uint64_t extra = images[from] ^ (uint64_t(1) << from);
    for (unsigned to = 0; to < 63; ++to)
      if ((extra >> to) & 1)
        terms.push_back({static_cast<uint8_t>(to), static_cast<uint8_t>(from)});
  }
  return BitLinear(std::move(terms));
}

BitLinear BitLinear::then(const BitLinear &next) const {
  std::array<uint64_t, 63> images;
  for (unsigned i = 0; i < 63; ++i)
    images[i] = next((*this)(int64_t(1) << i));
  return fromImages(images);
}

std::optional<BitLinear> BitLinear::inverse() const {
  // Gauss-Jordan over GF(2): rows (image of a sum of bits, that sum).
  std::array<uint64_t, 63> image, source;
  for (unsigned i = 0; i < 63; ++i) {
    source[i] = uint64_t(1) << i;
    image[i] = (*this)(int64_t(1) << i);
  }
  for (unsigned bit = 0; bit < 63; ++bit) {
    unsigned pivot = bit;
    while (pivot < 63 && !((image[pivot] >> bit) & 1))
      ++pivot;
    if (pivot == 63)
      return std::nullopt;
    std::swap(image[pivot], image[bit]);
    std::swap(source[pivot], source[bit]);
    for (unsigned row = 0; row < 63; ++row)
      if (row != bit && ((image[row] >> bit) & 1)) {
        image[row] ^= image[bit];
        source[row] ^= source[bit];
      }
  }
  return fromImages(source);
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

/// Products and sums of a layout stay below this, so that nothing overflows.
static constexpr int64_t sizeLimit = int64_t(1) << 40;

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
  bool anyTile = false, allTile = axes.size() == 3;
  static const char *const tileNames[] = {"reg", "lane", "warp"};
  for (size_t a = 0; a < axes.size(); ++a) {
    const std::string &name = axes[a].name;
    if (!isWord(name) || name == "shape" || name == "at" || name == "bits")
      return bad(name, "is no name for an axis");
    for (size_t b = 0; b < a; ++b)
      if (axes[b].name == name)
        return bad(name, "names two axes");
    anyTile = anyTile || name == "reg" || name == "lane" || name == "warp";
    allTile = allTile && name == tileNames[a];
  }
  if (anyTile && !allTile)
    return bad(axes[0].name, "is the first axis of a layout that has some of "
                             "reg, lane, warp but not all three in this order");
  for (size_t d = 0; d < dims.size(); ++d) {
    if (!isWord(dims[d].name) || dims[d].name == "rep")
      return bad(dims[d].name, "is no name for a dimension");
    for (size_t e = 0; e < d; ++e)
      if (dims[e].name == dims[d].name)
        return bad(dims[d].name, "names two dimensions");
  }
  return std::nullopt;
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
  if (!bits.isIdentity() && rank != 1)
    return Problem{"layout-invalid",
                   "a bit-linear part needs exactly one dimension, not " +
                       std::to_string(rank)};
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
  // A digit of stride 0 is a replica, and written as one.
  for (Axis &axis : axes)
    for (Digit &digit : axis.digits)
      if (digit.isReplica() || digit.stride == 0)
        digit = {digit.extent, Digit::replica, 0};
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

/// The digits of `value`, a function of 0 .. size-1 with value(0) = 0; by the
/// theorem of the header's comment there is at most one normal form, and this
/// finds it from the inside out. None if the values are no such function.
static std::optional<std::vector<Digit>>
fitAxis(int64_t size, int rank, const std::function<Coord(int64_t)> &value) {
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

Coord Layout::apply(const Coord &inputs) const {
  Coord result(rank());
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
      if (!digit.isReplica())
        result[digit.dim] += static_cast<int64_t>(rest) * digit.stride;
    }
  }
  if (!post.isIdentity())
    result[0] = post(result[0]);
  return result;
}

bool Layout::isTile() const {
  return axisList.size() == 3 && axisList[0].name == "reg" &&
         axisList[1].name == "lane" && axisList[2].name == "warp";
}

/// Calls `visit` with every input of `axes`, the first axis fastest.
static void forEachInput(const std::vector<Axis> &axes,
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

namespace {
/// A digit with its axis and the weight it has there.
struct Placed {
  Digit digit;
  int axis;
  int64_t weight;
};
} // namespace

static std::vector<Placed> placedDigits(const std::vector<Axis> &axes) {
  std::vector<Placed> all;
  for (size_t a = 0; a < axes.size(); ++a) {
    int64_t weight = 1;
    for (const Digit &digit : axes[a].digits) {
      if (digit.extent > 1)
        all.push_back({digit, static_cast<int>(a), weight});
      weight *= digit.extent;
    }
  }
  return all;
}

std::vector<Coord> Layout::holders(const Coord &image) const {
  Coord target = image;
  std::vector<Coord> found;
  if (image.size() != rank())
    return found;
  if (!post.isIdentity()) {
    std::optional<BitLinear> back = post.inverse();
    if (!back || image[0] < 0) {
      // Two offsets may share an image: look at all of them.
      forEachInput(axisList, [&](const Coord &in) {
        if (apply(in) == image)
          found.push_back(in);
      });
      target = Coord();
    } else {
      target[0] = (*back)(image[0]);
    }
  }
  if (target.size() == rank()) {
    // Digits with large strides first: what is left must fit in the rest.
    std::vector<Placed> all = placedDigits(axisList);
    std::sort(all.begin(), all.end(), [](const Placed &x, const Placed &y) {
      return x.digit.stride > y.digit.stride;
    });
    std::vector<Coord> reach(all.size() + 1, Coord(rank()));
    for (size_t i = all.size(); i-- > 0;) {
      reach[i] = reach[i + 1];
      if (!all[i].digit.isReplica())
        reach[i][all[i].digit.dim] +=
            (all[i].digit.extent - 1) * all[i].digit.stride;
    }
    for (int d = 0; d < rank(); ++d)
      target[d] -= offsets[d];
    Coord in(static_cast<int>(axisList.size()));
    auto search = [&](auto &self, size_t i) -> void {
      for (int d = 0; d < rank(); ++d)
        if (target[d] < 0 || target[d] > reach[i][d])
          return;
      if (i == all.size()) {
        found.push_back(in);
        return;
      }
      const Placed &p = all[i];
      for (int64_t v = 0; v < p.digit.extent; ++v) {
        in[p.axis] += v * p.weight;
        if (!p.digit.isReplica())
          target[p.digit.dim] -= v * p.digit.stride;
        self(self, i + 1);
        in[p.axis] -= v * p.weight;
        if (!p.digit.isReplica())
          target[p.digit.dim] += v * p.digit.stride;
      }
    };
    search(search, 0);
  }
  std::sort(found.begin(), found.end(), [](const Coord &x, const Coord &y) {
    for (int a = x.size(); a-- > 0;)
      if (x[a] != y[a])
        return x[a] < y[a];
    return false;
  });
  return found;
}

bool Layout::digitsDisjoint() const {
  if (!post.isIdentity() && !post.inverse())
    return false;
  std::vector<Placed> all = placedDigits(axisList);
  std::sort(all.begin(), all.end(), [](const Placed &x, const Placed &y) {
    return x.digit.stride < y.digit.stride;
  });
  Coord reach(rank());
  for (const Placed &p : all) {
    if (p.digit.isReplica())
      continue;
    if (p.digit.stride <= reach[p.digit.dim])
      return false;
    reach[p.digit.dim] += (p.digit.extent - 1) * p.digit.stride;
  }
  return true;
}

bool Layout::isOwner(const Coord &inputs) const {
  if (digitsDisjoint()) {
    // Only replica digits repeat an element: the owner has zeros there.
    for (size_t a = 0; a < axisList.size(); ++a) {
      int64_t value = inputs[static_cast<int>(a)];
      for (const Digit &digit : axisList[a].digits) {
        if (digit.isReplica() && value % digit.extent != 0)
          return false;
        value /= digit.extent;
      }
    }
    return true;
  }
  return holders(apply(inputs)).front() == inputs;
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

bool Layout::sameFunction(const Layout &other) const {
  if (axisList.size() != other.axisList.size() || shape() != other.shape())
    return false;
  for (size_t a = 0; a < axisList.size(); ++a)
    if (axisList[a].size() != other.axisList[a].size())
      return false;
  if (post == other.post) {
    Layout x = normalized(), y = other.normalized();
    bool same = x.offsets == y.offsets;
    for (size_t a = 0; same && a < axisList.size(); ++a)
      same = x.axisList[a].digits == y.axisList[a].digits;
    // The normal form is unique, and a bijection afterwards keeps it so.
    if (same || post.isIdentity() || post.inverse())
      return same;
  }
  bool same = true;
  forEachInput(axisList, [&](const Coord &in) {
    same = same && apply(in) == other.apply(in);
  });
  return same;
}

bool Layout::isInjective() const { return replication() == 1; }

bool Layout::isSurjective() const {
  if (!post.isIdentity() || !digitsDisjoint()) {
    std::vector<Coord> images;
    images.reserve(size());
    bool inside = true;
    forEachInput(axisList, [&](const Coord &in) {
      Coord at = apply(in);
      for (int d = 0; d < rank(); ++d)
        inside = inside && at[d] < dimList[d].extent;
      images.push_back(at);
    });
    std::sort(images.begin(), images.end());
    images.erase(std::unique(images.begin(), images.end()), images.end());
    return inside && static_cast<int64_t>(images.size()) == elements();
  }
  // Disjoint digits hold as many elements as the product of their extents.
  int64_t held = 1;
  for (const Placed &p : placedDigits(axisList))
    if (!p.digit.isReplica())
      held *= p.digit.extent;
  return held == elements();
}

std::optional<int64_t> Layout::replication() const {
  if (digitsDisjoint()) {
    int64_t product = 1;
    for (const Placed &p : placedDigits(axisList))
      if (p.digit.isReplica())
        product *= p.digit.extent;
    return product;
  }
  std::vector<Coord> images;
  images.reserve(size());
  forEachInput(axisList, [&](const Coord &in) { images.push_back(apply(in)); });
  std::sort(images.begin(), images.end());
  std::optional<int64_t> each;
  for (size_t i = 0; i < images.size();) {
    size_t j = i;
    while (j < images.size() && images[j] == images[i])
      ++j;
    if (each && *each != static_cast<int64_t>(j - i))
      return std::nullopt;
    each = static_cast<int64_t>(j - i);
    i = j;
  }
  return each;
}

int64_t Layout::contiguousRun(int dim) const {
  if (axisList.empty() || !post.isIdentity())
    return 1;
  Layout normal = normalized();
  const std::vector<Digit> &digits = normal.axisList[0].digits;
  if (digits.empty() || digits[0].dim != dim || digits[0].stride != 1)
    return 1;
  return digits[0].extent;
}

int64_t Layout::alignedRun(int dim) const {
  int64_t run = contiguousRun(dim);
  if (run == 1)
    return 1;
  Layout normal = normalized();
  run = std::gcd(run, normal.offsets[dim]);
  for (size_t a = 0; a < normal.axisList.size(); ++a)
    for (size_t k = a == 0 ? 1 : 0; k < normal.axisList[a].digits.size(); ++k)
      if (normal.axisList[a].digits[k].dim == dim)
        run = std::gcd(run, normal.axisList[a].digits[k].stride);
  return run;
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

Result<LayoutSlice> Layout::slice(const std::vector<int64_t> &at,
                                  const std::vector<int64_t> &extents) const {
  if (axisList.empty() || !post.isIdentity())
    return Problem{"layout-slice", "only a register tile has slices"};
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
