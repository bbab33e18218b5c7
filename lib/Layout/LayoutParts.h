//===- LayoutParts.h - What the files of Layout share -----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_LAYOUT_LAYOUTPARTS_H
#define TITAN_LIB_LAYOUT_LAYOUTPARTS_H

#include "titan/Layout/Layout.h"

namespace titan {

/// Products and sums of a layout stay below this, so that nothing overflows.
constexpr int64_t sizeLimit = int64_t(1) << 40;

inline bool isPowerOfTwo(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

inline Problem illegal(const std::string &why, const std::string &fix = {}) {
  return {"layout-instruction", why, fix};
}

inline Problem layoutMismatch(const std::string &why) {
  return {"layout-mismatch", why};
}

inline Problem algebraProblem(const std::string &why) {
  return {"layout-algebra", why};
}

/// A result of the algebra that is no layout is the algebra's problem.
inline Result<Layout> asAlgebra(Result<Layout> made) {
  if (made)
    return made;
  return algebraProblem(made.problem().message);
}

/// Dimensions of these extents, with the names that they have by default.
inline std::vector<Dim> namedDims(const std::vector<int64_t> &shape) {
  std::vector<std::string> names =
      defaultDimNames(static_cast<int>(shape.size()));
  std::vector<Dim> dims;
  for (size_t d = 0; d < shape.size(); ++d)
    dims.push_back({names[d], shape[d]});
  return dims;
}

/// What each extent has to be a multiple of so that exclusive or stays inside.
std::vector<int64_t> extentMultiples(int rank, const std::vector<Axis> &axes,
                                     const BitLinear &bits);

/// The digits of `value`, a function of 0 .. size-1 with value(0) = 0; by the
/// theorem of Layout.h there is at most one normal form in sums, and this finds
/// it from the inside out. None if the values are no such function (the first
/// values of each digit are looked at, not all).
std::optional<std::vector<Digit>>
fitAxis(int64_t size, int rank, const std::function<Coord(int64_t)> &value);

/// Calls `visit` with every input of `axes`, the first axis fastest.
void forEachInput(const std::vector<Axis> &axes,
                  const std::function<void(const Coord &)> &visit);

/// Appends a digit in normal form: joins it with the last one where both walk
/// on in the same direction.
void appendDigit(std::vector<Digit> &digits, const Digit &digit);

/// A digit with its axis and the weight it has there.
struct PlacedDigit {
  Digit digit;
  int axis;
  int64_t weight;
};
/// All digits of more than one value.
std::vector<PlacedDigit> placedDigits(const std::vector<Axis> &axes);

} // namespace titan

#endif // TITAN_LIB_LAYOUT_LAYOUTPARTS_H
