//===- LayoutReshape.cpp - Dimensions and axes cut and joined -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "BitForm.h"

#include <algorithm>

using namespace titan;

/// Whether all names are those that go without saying.
static bool hasDefaultNames(const std::vector<Dim> &dims) {
  std::vector<std::string> names =
      defaultDimNames(static_cast<int>(dims.size()));
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d].name != names[d])
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

Result<Layout> Layout::withoutDim(int dim) const {
  if (dim < 0 || dim >= rank())
    return Problem{"layout-invalid", "there is no dimension " +
                                         std::to_string(dim) + " of " +
                                         std::to_string(rank())};
  Layout whole = post.isIdentity() ? *this : canonical();
  if (!whole.post.isIdentity())
    return algebraProblem("the layout's bits are not those of digits, so that "
                          "no dimension can be taken away");
  std::vector<Dim> dims = dimList;
  std::vector<int64_t> offset = whole.offsets;
  dims.erase(dims.begin() + dim);
  offset.erase(offset.begin() + dim);
  if (hasDefaultNames(dimList)) {
    std::vector<std::string> names = defaultDimNames(rank() - 1);
    for (size_t d = 0; d < dims.size(); ++d)
      dims[d].name = names[d];
  }
  std::vector<Axis> axes;
  for (size_t a = 0; a < axisList.size(); ++a) {
    Axis axis{axisList[a].name, {}};
    for (Digit digit : whole.axisList[a].digits) {
      bool vanishes = digit.dim == dim;
      if (digit.isExclusive()) {
        vanishes = digit.image[dim] != 0;
        digit.image.erase(digit.image.begin() + dim);
        for (int64_t x : digit.image)
          vanishes = vanishes && x == 0;
      } else if (digit.dim > dim) {
        --digit.dim;
      }
      if (vanishes) {
        if (a == 0)
          continue;
        digit = {digit.extent, Digit::replica, 0};
      }
      appendDigit(axis.digits, digit);
    }
    axes.push_back(std::move(axis));
  }
  return make(std::move(axes), std::move(dims), std::move(offset));
}

Result<Layout> Layout::permuted(const std::vector<int> &order) const {
  std::vector<int> position(rank(), -1);
  if (static_cast<int>(order.size()) == rank())
    for (int d = 0; d < rank(); ++d)
      if (order[d] >= 0 && order[d] < rank())
        position[order[d]] = d;
  if (static_cast<int>(order.size()) != rank() ||
      std::find(position.begin(), position.end(), -1) != position.end())
    return Problem{"layout-invalid", "the order is no permutation of the " +
                                         std::to_string(rank()) +
                                         " dimensions"};
  // Default names stay where they are: a transposed tile has r and c again.
  std::vector<std::string> names = defaultDimNames(rank());
  bool byDefault = hasDefaultNames(dimList);
  std::vector<Dim> dims;
  std::vector<int64_t> offset;
  for (int d = 0; d < rank(); ++d) {
    dims.push_back({byDefault ? names[d] : dimList[order[d]].name,
                    dimList[order[d]].extent});
    offset.push_back(offsets[order[d]]);
  }
  std::vector<Axis> axes = axisList;
  for (Axis &axis : axes)
    for (Digit &digit : axis.digits) {
      if (digit.isSum())
        digit.dim = position[digit.dim];
      if (digit.isExclusive()) {
        std::vector<int64_t> image;
        for (int d : order)
          image.push_back(digit.image[d]);
        digit.image = std::move(image);
      }
    }
  std::vector<BitLinear::Term> terms = post.terms();
  for (BitLinear::Term &t : terms) {
    t.toDim = static_cast<uint8_t>(position[t.toDim]);
    t.fromDim = static_cast<uint8_t>(position[t.fromDim]);
  }
  return make(std::move(axes), std::move(dims), std::move(offset),
              BitLinear(std::move(terms)));
}

Result<Layout> Layout::reshaped(const std::vector<int64_t> &shape) const {
  if (shape.size() > size_t(Coord::maxRank))
    return Problem{"layout-invalid", "a tile has at most " +
                                         std::to_string(Coord::maxRank) +
                                         " dimensions"};
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (extent < 1 || extent > sizeLimit / count)
      return Problem{"layout-invalid",
                     "a tile of extent " + std::to_string(extent)};
    count *= extent;
  }
  if (count != elements())
    return Problem{"layout-invalid", "a tile of " + std::to_string(elements()) +
                                         " elements has no shape of " +
                                         std::to_string(count)};
  // To row-major indices, and from there.
  std::vector<Axis> flat, cut(1);
  for (int64_t d = rank(), stride = 1; d-- > 0;) {
    flat.insert(flat.begin(),
                {dimList[d].name, {{dimList[d].extent, 0, stride}}});
    stride *= dimList[d].extent;
  }
  cut[0].name = "i";
  for (size_t d = shape.size(); d-- > 0;)
    cut[0].digits.push_back({shape[d], static_cast<int>(d), 1});
  Result<Layout> index = Layout::make(flat, {{"i", count}});
  Result<Layout> cutting = Layout::make(cut, namedDims(shape));
  if (!index)
    return index;
  if (!cutting)
    return cutting;
  // Where the boundaries meet, the two are one change of coordinates.
  if (Result<Layout> change = index->then(*cutting))
    if (Result<Layout> result = then(*change))
      return result;
  Result<Layout> row = then(*index);
  return row ? row->then(*cutting) : row;
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

Result<Layout> Layout::restricted(int axis, int64_t value) const {
  if (axis < 0 || axis >= static_cast<int>(axisList.size()) || value < 0 ||
      value >= axisList[axis].size())
    return Problem{"layout-invalid", "axis " + std::to_string(axis) +
                                         " has no value " +
                                         std::to_string(value)};
  std::vector<int64_t> offset = offsets, xors(rank(), 0);
  int64_t rest = value;
  for (const Digit &digit : axisList[axis].digits) {
    int64_t v = rest % digit.extent;
    rest /= digit.extent;
    if (digit.isSum())
      offset[digit.dim] += v * digit.stride;
    for (int k = 0; digit.isExclusive() && v >> k; ++k)
      for (int d = 0; d < rank() && ((v >> k) & 1); ++d)
        xors[d] ^= digit.image[d] << k;
  }
  std::vector<Axis> axes = axisList;
  axes[axis].digits.clear();
  bool anyXor =
      std::any_of(xors.begin(), xors.end(), [](int64_t x) { return x != 0; });
  if (!anyXor)
    return make(std::move(axes), dimList, std::move(offset), post);
  Result<Layout> layout = make(axes, dimList, offset, post);
  if (!layout)
    return layout;
  auto form = BitForm::of(*layout);
  uint64_t constant = form ? form->pack(post([&] {
    Coord at(rank());
    for (int d = 0; d < rank(); ++d)
      at[d] = xors[d];
    return at;
  }()))
                           : 0;
  if (!form || (constant & form->oddBits))
    return algebraProblem("a constant is xored to what is not bitwise");
  form->constant ^= constant;
  return form->layout(axes, dimList).normalized();
}

Result<Layout> Layout::withAxes(
    const std::vector<std::pair<std::string, int64_t>> &axes) const {
  std::vector<Digit> all;
  for (const Axis &axis : axisList)
    for (const Digit &digit : axis.digits)
      appendDigit(all, digit);
  std::vector<Axis> made;
  size_t next = 0;
  for (const auto &[name, size] : axes) {
    if (size < 1)
      return Problem{"layout-invalid",
                     "axis " + name + " of size " + std::to_string(size)};
    Axis axis{name, {}};
    for (int64_t left = size; left > 1;) {
      if (next == all.size())
        return Problem{"layout-invalid", "the axes have more values than the "
                                         "layout's " +
                                             std::to_string(this->size())};
      Digit &digit = all[next];
      int64_t part = std::min(left, digit.extent);
      if (left % part != 0 || digit.extent % part != 0)
        return algebraProblem("axis " + name + " of size " +
                              std::to_string(size) +
                              " ends inside of a digit of extent " +
                              std::to_string(digit.extent));
      Digit inner = digit;
      inner.extent = part;
      appendDigit(axis.digits, inner);
      digit.extent /= part;
      digit.stride *= part;
      for (int64_t &x : digit.image)
        x *= part;
      if (digit.extent == 1)
        ++next;
      left /= part;
    }
    made.push_back(std::move(axis));
  }
  if (next != all.size())
    return Problem{"layout-invalid", "the axes have fewer values than the "
                                     "layout's " +
                                         std::to_string(size())};
  return make(std::move(made), dimList, offsets, post);
}

//===----------------------------------------------------------------------===//
// Concatenation
//===----------------------------------------------------------------------===//

Result<Layout> Layout::concatAxes(const Layout &other) const {
  if (shape() != other.shape())
    return Problem{"layout-invalid", "two layouts of different shapes"};
  std::vector<Axis> axes = axisList;
  axes.insert(axes.end(), other.axisList.begin(), other.axisList.end());
  if (isSum() && other.isSum()) {
    std::vector<int64_t> offset = offsets;
    for (int d = 0; d < rank(); ++d)
      offset[d] += other.offsets[d];
    return make(std::move(axes), dimList, std::move(offset));
  }
  auto x = BitForm::of(*this), y = BitForm::of(other);
  if (!x || !y || (x->oddBits & y->oddBits))
    return algebraProblem("a layout that steps by exclusive or is laid beside "
                          "one that is not bitwise");
  for (BitForm::Piece piece : y->pieces) {
    if (piece.image & x->oddBits)
      return algebraProblem("an exclusive or reaches an odd digit");
    piece.axis += static_cast<int>(axisList.size());
    x->pieces.push_back(piece);
  }
  for (const BitForm::Piece &piece : x->pieces)
    if (piece.image & y->oddBits)
      return algebraProblem("an exclusive or reaches an odd digit");
  x->oddBits |= y->oddBits;
  x->constant ^= y->constant;
  if (x->constant & x->oddBits)
    return algebraProblem("an offset reaches an odd digit");
  // Names and sizes are checked by make.
  Layout result = x->layout(axes, dimList);
  return make(result.axisList, result.dimList, result.offsets);
}

/// Cuts two lists of digits of one size at the same places.
static bool cutAlike(std::vector<Digit> x, std::vector<Digit> y,
                     const std::function<bool(Digit, Digit)> &take) {
  std::reverse(x.begin(), x.end());
  std::reverse(y.begin(), y.end());
  auto shorten = [](std::vector<Digit> &list, int64_t part) {
    Digit &digit = list.back();
    digit.extent /= part;
    digit.stride *= part;
    for (int64_t &v : digit.image)
      v *= part;
    if (digit.extent == 1)
      list.pop_back();
  };
  while (!x.empty() && !y.empty()) {
    int64_t part = std::min(x.back().extent, y.back().extent);
    if (x.back().extent % part != 0 || y.back().extent % part != 0)
      return false;
    Digit a = x.back(), b = y.back();
    a.extent = b.extent = part;
    if (!take(a, b))
      return false;
    shorten(x, part);
    shorten(y, part);
  }
  return x.empty() && y.empty();
}

Result<Layout> Layout::concatDims(const Layout &other) const {
  if (axisList.size() != other.axisList.size())
    return Problem{"layout-invalid", "two layouts of different axes"};
  Layout x = canonical(), y = other.canonical();
  if (!x.post.isIdentity() || !y.post.isIdentity())
    return algebraProblem("the layout's bits are not those of digits");
  bool bitwise = BitForm::of(x) && BitForm::of(y);
  std::vector<Dim> dims = dimList;
  dims.insert(dims.end(), other.dimList.begin(), other.dimList.end());
  if (hasDefaultNames(dimList) && hasDefaultNames(other.dimList) &&
      dims.size() <= size_t(Coord::maxRank)) {
    std::vector<std::string> names =
        defaultDimNames(static_cast<int>(dims.size()));
    for (size_t d = 0; d < dims.size(); ++d)
      dims[d].name = names[d];
  }
  std::vector<int64_t> offset = x.offsets;
  offset.insert(offset.end(), y.offsets.begin(), y.offsets.end());
  // What a digit xors into all dimensions of both.
  auto image = [&](const Digit &digit, size_t first) {
    std::vector<int64_t> all(dims.size(), 0);
    if (digit.isSum())
      all[first + digit.dim] = digit.stride;
    for (size_t d = 0; d < digit.image.size(); ++d)
      all[first + d] = digit.image[d];
    return all;
  };
  std::vector<Axis> axes;
  for (size_t a = 0; a < axisList.size(); ++a) {
    Axis axis{axisList[a].name, {}};
    if (axis.name != other.axisList[a].name ||
        axisList[a].size() != other.axisList[a].size())
      return Problem{"layout-invalid", "two layouts of different axes"};
    auto take = [&](const Digit &p, Digit q) {
      if (q.isSum() && p.isReplica()) {
        q.dim += rank();
        appendDigit(axis.digits, q);
      } else if (q.isReplica() && p.isSum()) {
        appendDigit(axis.digits, p);
      } else if (p.isReplica() && q.isReplica()) {
        appendDigit(axis.digits, p);
      } else {
        // Both move. One bit at a time, since sums of strides may carry.
        if (!bitwise || !isPowerOfTwo(p.extent))
          return false;
        std::vector<int64_t> both = image(p, 0), more = image(q, rank());
        for (size_t d = 0; d < both.size(); ++d)
          both[d] |= more[d];
        appendDigit(axis.digits, Digit::xors(p.extent, both));
      }
      return true;
    };
    if (!cutAlike(x.axisList[a].digits, y.axisList[a].digits, take))
      return algebraProblem("a digit of axis " + axis.name +
                            " would step along dimensions of both, which only "
                            "bits can");
    axes.push_back(std::move(axis));
  }
  return asAlgebra(make(std::move(axes), std::move(dims), std::move(offset)));
}

//===----------------------------------------------------------------------===//
// Join and split
//===----------------------------------------------------------------------===//

Result<Layout> Layout::joined(int64_t count) const {
  if (axisList.empty() || rank() >= Coord::maxRank || count < 1)
    return Problem{"layout-invalid", "a join of " + std::to_string(count) +
                                         " tiles of rank " +
                                         std::to_string(rank())};
  std::vector<Axis> axes = axisList;
  for (Axis &axis : axes)
    for (Digit &digit : axis.digits)
      if (digit.isExclusive())
        digit.image.push_back(0);
  axes[0].digits.insert(axes[0].digits.begin(), {count, rank(), 1});
  std::vector<int64_t> extents = shape(), offset = offsets;
  extents.push_back(count);
  offset.push_back(0);
  std::vector<Dim> dims = namedDims(extents);
  if (!hasDefaultNames(dimList)) {
    // The new dimension takes the first default name that is free.
    std::string name;
    for (const std::string &each : defaultDimNames(Coord::maxRank))
      if (name.empty() &&
          std::none_of(dimList.begin(), dimList.end(),
                       [&](const Dim &d) { return d.name == each; }))
        name = each;
    dims = dimList;
    dims.push_back({name, count});
  }
  return make(std::move(axes), std::move(dims), std::move(offset), post);
}

Result<LayoutSplit> Layout::split() const {
  if (axisList.empty() || rank() == 0)
    return Problem{"layout-slice", "only a register tile is split"};
  Layout whole = canonical();
  int last = rank() - 1;
  bool cuts = !whole.post.isIdentity() || whole.offsets[last] != 0;
  for (size_t a = 0; a < axisList.size(); ++a)
    for (const Digit &digit : whole.axisList[a].digits)
      cuts = cuts || (a > 0 && digit.dim == last) ||
             (digit.isExclusive() && digit.image[last] != 0);
  if (cuts)
    return Problem{"layout-slice",
                   "the parts along dimension " + dimList[last].name +
                       " are not held by the same lanes in registers of their "
                       "own"};
  Result<Layout> part = whole.withoutDim(last);
  if (!part)
    return part.problem();
  LayoutSplit result{std::move(*part), {}};
  result.registers.resize(dimList[last].extent);
  Coord in(static_cast<int>(axisList.size()));
  for (int64_t reg = 0, e = axisList[0].size(); reg < e; ++reg) {
    in[0] = reg;
    result.registers[apply(in)[last]].push_back(reg);
  }
  for (const std::vector<int64_t> &list : result.registers)
    if (static_cast<int64_t>(list.size()) != result.layout.axes()[0].size())
      return Problem{"layout-slice", "the parts along dimension " +
                                         dimList[last].name +
                                         " are not held alike"};
  return result;
}
