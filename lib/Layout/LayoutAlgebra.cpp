//===- LayoutAlgebra.cpp - Composition, inverse, repetition ---------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Layout/Layout.h"

#include <algorithm>

using namespace titan;

/// Appends a digit in normal form: joins it with the last one where both walk
/// on in the same direction.
static void append(std::vector<Digit> &digits, const Digit &digit) {
  if (digit.extent == 1)
    return;
  if (!digits.empty()) {
    Digit &last = digits.back();
    if (last.dim == digit.dim && digit.stride == last.extent * last.stride) {
      last.extent *= digit.extent;
      return;
    }
  }
  digits.push_back(digit);
}

Layout Layout::normalized() const {
  Layout result = *this;
  for (size_t a = 0; a < axisList.size(); ++a) {
    result.axisList[a].digits.clear();
    for (const Digit &digit : axisList[a].digits)
      append(result.axisList[a].digits, digit);
  }
  return result;
}

Result<Layout> Layout::then(const Layout &next) const {
  auto fail = [](const std::string &why) {
    return Problem{"layout-algebra", why};
  };
  if (static_cast<int>(next.axisList.size()) != rank())
    return fail("the first layout has " + std::to_string(rank()) +
                " dimensions, the second " +
                std::to_string(next.axisList.size()) + " axes");
  if (!post.isIdentity())
    return fail("the first layout has a bit-linear part, which no digits of "
                "the second can follow");
  Layout first = normalized(), second = next.normalized();

  // room[d][k]: the largest value that digit k of axis d of the second layout
  // takes; as long as it stays below the extent nothing is carried over, and
  // the digits of the first layout add up without disturbing each other.
  std::vector<std::vector<int64_t>> room(rank());
  std::vector<int64_t> offset = second.offsets;
  for (int d = 0; d < rank(); ++d) {
    int64_t rest = first.offsets[d];
    for (const Digit &digit : second.axisList[d].digits) {
      int64_t value = rest % digit.extent;
      room[d].push_back(value);
      if (!digit.isReplica())
        offset[digit.dim] += value * digit.stride;
      rest /= digit.extent;
    }
    if (rest != 0)
      return fail("the offset " + std::to_string(first.offsets[d]) +
                  " of dimension " + first.dimList[d].name +
                  " lies past the second layout's axis of size " +
                  std::to_string(second.axisList[d].size()));
  }

  std::vector<Axis> axes;
  for (const Axis &axis : first.axisList) {
    Axis made{axis.name, {}};
    for (const Digit &digit : axis.digits) {
      if (digit.isReplica()) {
        append(made.digits, digit);
        continue;
      }
      const Axis &into = second.axisList[digit.dim];
      int64_t extent = digit.extent, stride = digit.stride;
      while (extent > 1) {
        // The digit of the second axis in which this stride falls.
        size_t k = 0;
        int64_t weight = 1;
        while (k < into.digits.size() &&
               stride >= weight * into.digits[k].extent)
          weight *= into.digits[k++].extent;
        std::string where = "digit " + std::to_string(extent) + "*" +
                            first.dimList[digit.dim].name +
                            std::to_string(stride) + " of axis " + axis.name;
        if (k == into.digits.size())
          return fail(where + " leaves the second layout's axis " + into.name +
                      " of size " + std::to_string(into.size()));
        const Digit &target = into.digits[k];
        if (stride % weight != 0)
          return fail(where + " starts inside of a digit of axis " + into.name +
                      " (weight " + std::to_string(weight) + ")");
        int64_t end = weight * target.extent, part = extent;
        if ((extent - 1) * stride >= end) {
          if (end % stride != 0 || extent % (end / stride) != 0)
            return fail(where + " straddles the end of a digit of axis " +
                        into.name + " at " + std::to_string(end));
          part = end / stride;
        }
        room[digit.dim][k] += (part - 1) * (stride / weight);
        if (room[digit.dim][k] >= target.extent)
          return fail(where +
                      " and others carry over the end of a digit of "
                      "axis " +
                      into.name + " at " + std::to_string(end));
        append(made.digits, target.isReplica()
                                ? Digit{part, Digit::replica, 0}
                                : Digit{part, target.dim,
                                        target.stride * (stride / weight)});
        extent /= part;
        stride = end;
      }
    }
    axes.push_back(std::move(made));
  }
  return make(std::move(axes), second.dimList, std::move(offset), second.post);
}

Result<Layout> Layout::inverse() const {
  auto fail = [](const std::string &why) {
    return Problem{"layout-algebra", why};
  };
  if (!post.isIdentity())
    return fail("a layout with a bit-linear part has no inverse in digits");
  struct Source {
    int64_t extent, stride, weight;
    int axis;
  };
  std::vector<std::vector<Source>> along(rank());
  Layout normal = normalized();
  for (size_t a = 0; a < axisList.size(); ++a) {
    int64_t weight = 1;
    for (const Digit &digit : normal.axisList[a].digits) {
      if (!digit.isReplica())
        along[digit.dim].push_back(
            {digit.extent, digit.stride, weight, static_cast<int>(a)});
      weight *= digit.extent;
    }
  }
  std::vector<Axis> axes;
  for (int d = 0; d < rank(); ++d) {
    if (offsets[d] != 0)
      return fail("dimension " + dimList[d].name + " starts at an offset");
    std::vector<Source> &sources = along[d];
    std::sort(
        sources.begin(), sources.end(),
        [](const Source &x, const Source &y) { return x.stride < y.stride; });
    Axis axis{dimList[d].name, {}};
    int64_t next = 1;
    for (const Source &s : sources) {
      if (s.stride != next)
        return fail("dimension " + dimList[d].name +
                    (s.stride > next
                         ? ": elements from " + std::to_string(next) +
                               " on are held "
                               "by nobody"
                         : ": the digit of stride " + std::to_string(s.stride) +
                               " overlaps others"));
      append(axis.digits, {s.extent, s.axis, s.weight});
      next *= s.extent;
    }
    if (next != dimList[d].extent)
      return fail("dimension " + dimList[d].name + ": elements from " +
                  std::to_string(next) + " on are held by nobody");
    axes.push_back(std::move(axis));
  }
  std::vector<Dim> dims;
  dims.reserve(axisList.size());
  for (const Axis &axis : axisList)
    dims.push_back({axis.name, axis.size()});
  return make(std::move(axes), std::move(dims));
}

static bool hasOffset(const Layout &layout) {
  return std::any_of(layout.offset().begin(), layout.offset().end(),
                     [](int64_t o) { return o != 0; });
}

Result<Layout> Layout::repeat(const Layout &outer) const {
  auto fail = [](const std::string &why) {
    return Problem{"layout-algebra", why};
  };
  if (outer.rank() != rank() || outer.axisList.size() != axisList.size())
    return fail("atom and repetition need the same axes and the same rank");
  if (!post.isIdentity() || !outer.post.isIdentity() || hasOffset(*this) ||
      hasOffset(outer))
    return fail("atom and repetition have neither offsets nor bits");
  std::vector<Axis> axes;
  for (size_t a = 0; a < axisList.size(); ++a) {
    if (axisList[a].name != outer.axisList[a].name)
      return fail("axis " + axisList[a].name +
                  " stands where the repetition "
                  "has axis " +
                  outer.axisList[a].name);
    Axis axis{axisList[a].name, {}};
    for (const Digit &digit : axisList[a].digits)
      append(axis.digits, digit);
    for (Digit digit : outer.axisList[a].digits) {
      if (!digit.isReplica())
        digit.stride *= dimList[digit.dim].extent;
      append(axis.digits, digit);
    }
    axes.push_back(std::move(axis));
  }
  std::vector<Dim> dims = dimList;
  for (int d = 0; d < rank(); ++d)
    dims[d].extent *= outer.dimList[d].extent;
  return make(std::move(axes), std::move(dims));
}

Result<Layout> Layout::divide(const Layout &atom) const {
  auto fail = [](const std::string &why) {
    return Problem{"layout-algebra", why};
  };
  if (atom.rank() != rank() || atom.axisList.size() != axisList.size())
    return fail("atom and layout need the same axes and the same rank");
  if (!post.isIdentity() || !atom.post.isIdentity() || hasOffset(*this) ||
      hasOffset(atom))
    return fail("atom and layout have neither offsets nor bits");
  std::vector<Dim> dims = dimList;
  for (int d = 0; d < rank(); ++d) {
    if (dimList[d].extent % atom.dimList[d].extent != 0)
      return fail("dimension " + dimList[d].name + " of extent " +
                  std::to_string(dimList[d].extent) +
                  " is no multiple of the atom's " +
                  std::to_string(atom.dimList[d].extent));
    dims[d].extent /= atom.dimList[d].extent;
  }
  Layout whole = normalized(), inner = atom.normalized();
  std::vector<Axis> axes;
  for (size_t a = 0; a < axisList.size(); ++a) {
    const std::string &name = axisList[a].name;
    if (name != inner.axisList[a].name)
      return fail("axis " + name + " stands where the atom has axis " +
                  inner.axisList[a].name);
    // Take the atom's digits away from the inside; the last one may be the
    // inner part of a longer digit.
    std::vector<Digit> rest = whole.axisList[a].digits;
    std::reverse(rest.begin(), rest.end());
    for (const Digit &want : inner.axisList[a].digits) {
      if (rest.empty() || rest.back().dim != want.dim ||
          rest.back().stride != want.stride ||
          rest.back().extent % want.extent != 0)
        return fail("axis " + name + " does not start with the atom's digit " +
                    std::to_string(want.extent) + "*" +
                    (want.isReplica() ? "rep"
                                      : dimList[want.dim].name +
                                            std::to_string(want.stride)));
      Digit &have = rest.back();
      have.extent /= want.extent;
      have.stride *= want.extent;
      if (have.extent == 1)
        rest.pop_back();
    }
    std::reverse(rest.begin(), rest.end());
    Axis axis{name, {}};
    for (Digit digit : rest) {
      if (!digit.isReplica()) {
        int64_t unit = atom.dimList[digit.dim].extent;
        if (digit.stride % unit != 0)
          return fail("axis " + name + " goes on inside of the atom: stride " +
                      std::to_string(digit.stride) + " along " +
                      dimList[digit.dim].name + ", atom " +
                      std::to_string(unit));
        digit.stride /= unit;
      }
      append(axis.digits, digit);
    }
    axes.push_back(std::move(axis));
  }
  return make(std::move(axes), std::move(dims));
}

Layout Layout::withoutDim(int dim) const {
  Layout result;
  std::vector<std::string> oldNames = defaultDimNames(rank());
  std::vector<std::string> newNames = defaultDimNames(rank() - 1);
  bool byDefault = true;
  for (int d = 0; d < rank(); ++d)
    byDefault = byDefault && dimList[d].name == oldNames[d];
  for (int d = 0; d < rank(); ++d) {
    if (d == dim)
      continue;
    Dim kept = dimList[d];
    if (byDefault)
      kept.name = newNames[result.dimList.size()];
    result.dimList.push_back(kept);
    result.offsets.push_back(offsets[d]);
  }
  for (size_t a = 0; a < axisList.size(); ++a) {
    Axis axis{axisList[a].name, {}};
    for (Digit digit : axisList[a].digits) {
      if (digit.dim == dim) {
        if (a == 0)
          continue;
        digit = {digit.extent, Digit::replica, 0};
      } else if (digit.dim > dim) {
        --digit.dim;
      }
      append(axis.digits, digit);
    }
    result.axisList.push_back(std::move(axis));
  }
  return result;
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
  bool byDefault = true;
  for (int d = 0; d < rank(); ++d)
    byDefault = byDefault && dimList[d].name == names[d];
  std::vector<Dim> dims;
  std::vector<int64_t> offset;
  for (int d = 0; d < rank(); ++d) {
    dims.push_back({byDefault ? names[d] : dimList[order[d]].name,
                    dimList[order[d]].extent});
    offset.push_back(offsets[order[d]]);
  }
  std::vector<Axis> axes = axisList;
  for (Axis &axis : axes)
    for (Digit &digit : axis.digits)
      if (!digit.isReplica())
        digit.dim = position[digit.dim];
  return make(std::move(axes), std::move(dims), std::move(offset), post);
}
