//===- LayoutAlgebra.cpp - Composition, inverse, repetition ---------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "BitForm.h"

#include <algorithm>
#include <bit>

using namespace titan;

void titan::appendDigit(std::vector<Digit> &digits, const Digit &digit) {
  if (digit.extent == 1)
    return;
  if (!digits.empty()) {
    Digit &last = digits.back();
    bool goesOn =
        last.dim == digit.dim && digit.stride == last.extent * last.stride;
    for (size_t d = 0; goesOn && d < digit.image.size(); ++d)
      goesOn = digit.image[d] == last.image[d] * last.extent;
    if (goesOn) {
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
      appendDigit(result.axisList[a].digits, digit);
  }
  return result;
}

Layout Layout::canonical() const {
  if (isSum())
    return normalized();
  auto form = BitForm::of(*this);
  return form ? form->layout(axisList, dimList).normalized() : normalized();
}

//===----------------------------------------------------------------------===//
// Composition
//===----------------------------------------------------------------------===//

/// Composition as matrices: the first layout is bitwise, and each of its bits is
/// a bit of an axis of the second one.
static Result<Layout> thenBitwise(const Layout &first, const Layout &second) {
  auto from = BitForm::of(first), into = BitForm::of(second);
  if (!from || !into)
    return algebraProblem("the first layout steps by exclusive or, and the " +
                          std::string(from ? "second" : "first") +
                          " one is not bitwise");
  // What each bit of the second layout's inputs does.
  auto pieceAt = [&](int dim, int64_t weight) -> const BitForm::Piece * {
    for (const BitForm::Piece &piece : into->pieces)
      if (piece.axis == dim && piece.weight == weight)
        return &piece;
    return nullptr;
  };
  std::optional<std::string> trouble;
  auto send = [&](uint64_t image) {
    uint64_t sum = 0;
    Coord at = from->unpack(image);
    for (int d = 0; d < at.size(); ++d)
      for (int bit = 0; at[d] >> bit; ++bit)
        if ((at[d] >> bit) & 1) {
          const BitForm::Piece *piece = pieceAt(d, int64_t(1) << bit);
          if (piece && piece->isBit())
            sum ^= piece->image;
          else
            trouble = "bit " + std::to_string(bit) + " of " +
                      first.dims()[d].name + " is no bit of the second " +
                      "layout's axis of size " +
                      std::to_string(second.axes()[d].size());
        }
    return sum;
  };
  BitForm made = *into;
  made.pieces.clear();
  made.constant ^= send(from->constant);
  made.oddBits = 0;
  for (BitForm::Piece piece : from->pieces) {
    if (piece.isBit()) {
      piece.image = send(piece.image);
    } else if (piece.dim != Digit::replica) {
      const BitForm::Piece *target = pieceAt(piece.dim, piece.stride);
      if (!target || target->extent != piece.extent) {
        trouble = "the odd digit " + std::to_string(piece.extent) + "*" +
                  first.dims()[piece.dim].name + std::to_string(piece.stride) +
                  " is no digit of the second layout";
        continue;
      }
      piece.dim = target->dim;
      piece.stride = target->stride;
      piece.owned = target->owned;
      made.oddBits |= target->owned;
    }
    made.pieces.push_back(piece);
  }
  if (trouble)
    return algebraProblem(*trouble);
  return made.layout(first.axes(), second.dims()).normalized();
}

Result<Layout> Layout::then(const Layout &next) const {
  if (static_cast<int>(next.axisList.size()) != rank())
    return algebraProblem("the first layout has " + std::to_string(rank()) +
                          " dimensions, the second " +
                          std::to_string(next.axisList.size()) + " axes");
  if (!isSum())
    return thenBitwise(*this, next);
  Result<Layout> result = thenSum(next);
  if (!result && !next.isSum())
    if (Result<Layout> bitwise = thenBitwise(*this, next))
      return bitwise;
  return result;
}

/// Composition digit by digit: this layout is a sum.
Result<Layout> Layout::thenSum(const Layout &next) const {
  Layout first = normalized(), second = next.normalized();

  // room[d][k]: the largest value that digit k of axis d of the second layout
  // takes; as long as it stays below the extent nothing is carried over, and
  // the digits of the first layout add up without disturbing each other.
  // taken[d][k]: for a digit that steps by exclusive or, the bits of the value.
  std::vector<std::vector<int64_t>> room(rank()), taken(rank());
  std::vector<int64_t> offset = second.offsets;
  for (int d = 0; d < rank(); ++d) {
    int64_t rest = first.offsets[d];
    for (const Digit &digit : second.axisList[d].digits) {
      int64_t value = rest % digit.extent;
      room[d].push_back(value);
      taken[d].push_back(0);
      if (digit.isSum())
        offset[digit.dim] += value * digit.stride;
      else if (digit.isExclusive() && value != 0)
        return algebraProblem("the offset of dimension " +
                              first.dimList[d].name +
                              " falls on a step by exclusive or");
      rest /= digit.extent;
    }
    if (rest != 0)
      return algebraProblem("the offset " + std::to_string(first.offsets[d]) +
                            " of dimension " + first.dimList[d].name +
                            " lies past the second layout's axis of size " +
                            std::to_string(second.axisList[d].size()));
  }

  std::vector<Axis> axes;
  for (const Axis &axis : first.axisList) {
    Axis made{axis.name, {}};
    for (const Digit &digit : axis.digits) {
      if (digit.isReplica()) {
        appendDigit(made.digits, digit);
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
          return algebraProblem(where + " leaves the second layout's axis " +
                                into.name + " of size " +
                                std::to_string(into.size()));
        const Digit &target = into.digits[k];
        if (stride % weight != 0)
          return algebraProblem(where + " starts inside of a digit of axis " +
                                into.name + " (weight " +
                                std::to_string(weight) + ")");
        int64_t end = weight * target.extent, part = extent;
        if ((extent - 1) * stride >= end) {
          if (end % stride != 0 || extent % (end / stride) != 0)
            return algebraProblem(where + " straddles the end of a digit of " +
                                  "axis " + into.name + " at " +
                                  std::to_string(end));
          part = end / stride;
        }
        int64_t factor = stride / weight, most = (part - 1) * factor;
        room[digit.dim][k] += most;
        if (room[digit.dim][k] >= target.extent)
          return algebraProblem(where +
                                " and others carry over the end of a digit of "
                                "axis " +
                                into.name + " at " + std::to_string(end));
        Digit step{part, target.dim, target.stride * factor};
        if (target.isReplica()) {
          step = {part, Digit::replica, 0};
        } else if (target.isExclusive()) {
          if (!isPowerOfTwo(part) || !isPowerOfTwo(factor) ||
              (taken[digit.dim][k] & most) != 0)
            return algebraProblem(where + " adds where axis " + into.name +
                                  " steps by exclusive or");
          taken[digit.dim][k] |= most;
          step = Digit::xors(part, target.image);
          for (int64_t &x : step.image)
            x *= factor;
        }
        appendDigit(made.digits, step);
        extent /= part;
        stride = end;
      }
    }
    axes.push_back(std::move(made));
  }
  return asAlgebra(
      make(std::move(axes), second.dimList, std::move(offset), second.post));
}

//===----------------------------------------------------------------------===//
// Inverses
//===----------------------------------------------------------------------===//

/// Elements as inputs, each its own image.
static Layout identityOf(const std::vector<Dim> &dims) {
  std::vector<Axis> axes;
  for (size_t d = 0; d < dims.size(); ++d)
    axes.push_back({dims[d].name, {{dims[d].extent, static_cast<int>(d), 1}}});
  return *Layout::make(std::move(axes), dims);
}

static std::vector<Dim> axesAsDims(const std::vector<Axis> &axes) {
  std::vector<Dim> dims;
  dims.reserve(axes.size());
  for (const Axis &axis : axes)
    dims.push_back({axis.name, axis.size()});
  return dims;
}

/// The C from the inputs of `wanted` to owners in `other`, with
/// C.then(other) = wanted, by elimination. With `partial`, what `other` does not
/// hold is sent anywhere.
static Result<Layout> overBitwise(const Layout &wanted, const Layout &other,
                                  bool partial) {
  auto from = BitForm::of(wanted), into = BitForm::of(other);
  if (!from || !into)
    return algebraProblem("digits overlap or are not nested, and the " +
                          std::string(from ? "other " : "") +
                          "layout is not bitwise");
  BitSolver solver;
  uint64_t reached = into->oddBits | into->constant;
  for (size_t i = 0; i < into->pieces.size(); ++i)
    if (into->pieces[i].isBit()) {
      solver.add(into->pieces[i].image, uint64_t(1) << i);
      reached |= into->pieces[i].image;
    }
  if (partial)
    for (int bit = 0; bit < into->bits(); ++bit)
      if (!((into->oddBits >> bit) & 1))
        solver.add(uint64_t(1) << bit, 0);

  // Each piece of `wanted` as a set of pieces of `other`.
  auto unheld = [&](const std::string &what) {
    return algebraProblem(what + " is held by nobody");
  };
  std::vector<uint64_t> sets;
  std::vector<int> odd(from->pieces.size(), -1), uses(into->pieces.size(), 0);
  // A piece that is used once, by itself, is added; others are xored.
  auto use = [&](uint64_t set, bool alone) {
    for (size_t i = 0; i < uses.size(); ++i)
      uses[i] += static_cast<int>((set >> i) & 1) * (alone ? 1 : 2);
  };
  for (size_t p = 0; p < from->pieces.size(); ++p) {
    const BitForm::Piece &piece = from->pieces[p];
    sets.push_back(0);
    if (piece.isBit()) {
      auto set = solver.solve(piece.image);
      if (!set)
        return unheld("what value " + std::to_string(piece.weight) +
                      " of axis " + wanted.axes()[piece.axis].name + " moves");
      sets.back() = *set;
      use(*set, std::has_single_bit(*set));
      continue;
    }
    if (piece.dim == Digit::replica)
      continue;
    for (size_t i = 0; i < into->pieces.size(); ++i) {
      const BitForm::Piece &target = into->pieces[i];
      if (target.dim == piece.dim && target.stride == piece.stride &&
          target.extent == piece.extent)
        odd[p] = static_cast<int>(i);
    }
    if (odd[p] < 0 && (!partial || (piece.owned & reached)))
      return unheld("the odd digit " + std::to_string(piece.extent) + "*" +
                    wanted.dims()[piece.dim].name +
                    std::to_string(piece.stride));
  }
  uint64_t constant = from->constant ^ into->constant;
  auto start = solver.solve(constant);
  if (!start || (constant & (into->oddBits | from->oddBits)))
    return unheld("the first element");
  use(*start, /*alone=*/false);

  // Pieces with weights that are no powers of two are added, once each.
  int axes = static_cast<int>(other.axes().size());
  auto coordinatesOf =
      [&](uint64_t set) -> std::optional<std::vector<int64_t>> {
    std::vector<int64_t> at(axes, 0);
    for (size_t i = 0; i < into->pieces.size(); ++i)
      if ((set >> i) & 1) {
        if (!isPowerOfTwo(into->pieces[i].weight))
          return std::nullopt;
        at[into->pieces[i].axis] |= into->pieces[i].weight;
      }
    return at;
  };
  std::vector<Axis> made;
  for (const Axis &axis : wanted.axes())
    made.push_back({axis.name, {}});
  auto tangled = [&] {
    return algebraProblem("an exclusive or reaches an input whose weight is no "
                          "power of two");
  };
  for (size_t p = 0; p < from->pieces.size(); ++p) {
    const BitForm::Piece &piece = from->pieces[p];
    Digit digit{piece.extent, Digit::replica, 0};
    int single = odd[p];
    if (std::has_single_bit(sets[p]))
      if (int i = std::countr_zero(sets[p]); uses[i] == 1)
        single = i;
    if (single >= 0) {
      digit.dim = into->pieces[single].axis;
      digit.stride = into->pieces[single].weight;
    } else if (sets[p]) {
      auto image = coordinatesOf(sets[p]);
      if (!image)
        return tangled();
      digit = Digit::xors(2, *image);
    }
    appendDigit(made[piece.axis].digits, digit);
  }
  auto offset = coordinatesOf(*start);
  if (!offset)
    return tangled();
  Result<Layout> result = Layout::make(
      std::move(made), axesAsDims(other.axes()), std::move(*offset));
  return result ? Result<Layout>(result->canonical()) : asAlgebra(result);
}

/// The inverse of a sum whose digits nest; gaps become replicas with `partial`.
static Result<Layout> inverseSum(const Layout &layout, bool partial) {
  std::vector<Axis> axes;
  for (int d = 0; d < layout.rank(); ++d) {
    const Dim &dim = layout.dims()[d];
    if (layout.offset()[d] != 0)
      return algebraProblem("dimension " + dim.name + " starts at an offset");
    std::vector<PlacedDigit> sources;
    for (const PlacedDigit &p : placedDigits(layout.normalized().axes()))
      if (p.digit.dim == d)
        sources.push_back(p);
    std::sort(sources.begin(), sources.end(),
              [](const PlacedDigit &x, const PlacedDigit &y) {
                return x.digit.stride < y.digit.stride;
              });
    // What is past the last digit is a gap, too.
    sources.push_back({{1, d, dim.extent}, 0, 0});
    Axis axis{dim.name, {}};
    int64_t next = 1;
    for (const PlacedDigit &s : sources) {
      if (s.digit.stride < next)
        return algebraProblem(
            "dimension " + dim.name + ": the digit of stride " +
            std::to_string(s.digit.stride) + " overlaps others");
      if (s.digit.stride > next) {
        if (!partial)
          return algebraProblem("dimension " + dim.name + ": elements from " +
                                std::to_string(next) +
                                " on are held by nobody");
        if (s.digit.stride % next != 0)
          return algebraProblem("dimension " + dim.name + ": the stride " +
                                std::to_string(s.digit.stride) +
                                " is no multiple of the " +
                                std::to_string(next) + " elements below it");
        appendDigit(axis.digits, {s.digit.stride / next, Digit::replica, 0});
      }
      appendDigit(axis.digits, {s.digit.extent, s.axis, s.weight});
      next = s.digit.stride * s.digit.extent;
    }
    axes.push_back(std::move(axis));
  }
  return Layout::make(std::move(axes), axesAsDims(layout.axes()));
}

Result<Layout> Layout::inverse() const {
  if (isSum())
    return inverseSum(*this, /*partial=*/false);
  return overBitwise(identityOf(dimList), *this, /*partial=*/false);
}

Result<Layout> Layout::pseudoInverse() const {
  if (isSum()) {
    Result<Layout> result = inverseSum(*this, /*partial=*/true);
    if (result)
      return result;
    if (Result<Layout> bitwise =
            overBitwise(identityOf(dimList), *this, /*partial=*/true))
      return bitwise;
    return result;
  }
  return overBitwise(identityOf(dimList), *this, /*partial=*/true);
}

Result<Layout> Layout::over(const Layout &other) const {
  if (shape() != other.shape())
    return algebraProblem("two layouts of different shapes");
  if (isSum() && other.isSum())
    if (Result<Layout> back = inverseSum(other, /*partial=*/true))
      if (Result<Layout> result = then(*back))
        if (Result<Layout> again = result->then(other);
            again && again->sameFunction(*this))
          return result;
  return overBitwise(*this, other, /*partial=*/false);
}

//===----------------------------------------------------------------------===//
// Repetition
//===----------------------------------------------------------------------===//

static bool hasOffset(const Layout &layout) {
  return std::any_of(layout.offset().begin(), layout.offset().end(),
                     [](int64_t o) { return o != 0; });
}

/// Multiplies what a digit does by the extents of an atom.
static std::optional<Digit> scaled(Digit digit, const std::vector<Dim> &unit) {
  if (digit.isSum())
    digit.stride *= unit[digit.dim].extent;
  if (digit.isExclusive())
    for (size_t d = 0; d < unit.size(); ++d) {
      if (digit.image[d] != 0 && !isPowerOfTwo(unit[d].extent))
        return std::nullopt;
      digit.image[d] *= unit[d].extent;
    }
  return digit;
}

/// What atoms and repetitions have in common; both in canonical form.
static std::optional<Problem> checkAtom(const Layout &atom,
                                        const Layout &other) {
  if (other.rank() != atom.rank() || other.axes().size() != atom.axes().size())
    return algebraProblem("an atom and what it tiles need the same axes and "
                          "the same rank");
  if (!atom.bits().isIdentity() || !other.bits().isIdentity() ||
      hasOffset(atom) || hasOffset(other))
    return algebraProblem("an atom and what it tiles have neither offsets nor "
                          "bits that digits cannot say");
  for (size_t a = 0; a < atom.axes().size(); ++a)
    if (atom.axes()[a].name != other.axes()[a].name)
      return algebraProblem("axis " + other.axes()[a].name +
                            " stands where the atom has axis " +
                            atom.axes()[a].name);
  return std::nullopt;
}

Result<Layout> Layout::repeat(const Layout &outer) const {
  Layout atom = canonical(), repetition = outer.canonical();
  if (auto problem = checkAtom(atom, repetition))
    return *problem;
  std::vector<Axis> axes = atom.axisList;
  for (size_t a = 0; a < axes.size(); ++a)
    for (const Digit &digit : repetition.axisList[a].digits) {
      std::optional<Digit> wide = scaled(digit, dimList);
      if (!wide)
        return algebraProblem("the repetition steps by exclusive or over an "
                              "atom whose extent is no power of two");
      appendDigit(axes[a].digits, *wide);
    }
  std::vector<Dim> dims = dimList;
  for (int d = 0; d < rank(); ++d)
    dims[d].extent *= outer.dimList[d].extent;
  return asAlgebra(make(std::move(axes), std::move(dims)));
}

static std::string digitName(const Digit &digit, const std::vector<Dim> &dims) {
  std::string text = std::to_string(digit.extent) + "*";
  if (digit.isReplica())
    return text + "rep";
  if (digit.isSum())
    return text + dims[digit.dim].name + std::to_string(digit.stride);
  for (size_t d = 0; d < dims.size(); ++d)
    if (digit.image[d] != 0)
      text += "^" + dims[d].name + std::to_string(digit.image[d]);
  return text;
}

Result<Layout> Layout::divide(const Layout &by) const {
  Layout whole = canonical(), atom = by.canonical();
  if (auto problem = checkAtom(atom, whole))
    return *problem;
  std::vector<Dim> dims = dimList;
  for (int d = 0; d < rank(); ++d) {
    if (dimList[d].extent % atom.dimList[d].extent != 0)
      return algebraProblem("dimension " + dimList[d].name + " of extent " +
                            std::to_string(dimList[d].extent) +
                            " is no multiple of the atom's " +
                            std::to_string(atom.dimList[d].extent));
    dims[d].extent /= atom.dimList[d].extent;
  }
  std::vector<Axis> axes;
  for (size_t a = 0; a < axisList.size(); ++a) {
    const std::string &name = axisList[a].name;
    // Take the atom's digits away from the inside; the last one may be the
    // inner part of a longer digit.
    std::vector<Digit> rest = whole.axisList[a].digits;
    std::reverse(rest.begin(), rest.end());
    for (const Digit &want : atom.axisList[a].digits) {
      if (rest.empty() || rest.back().dim != want.dim ||
          rest.back().stride != want.stride ||
          rest.back().image != want.image ||
          rest.back().extent % want.extent != 0)
        return algebraProblem("axis " + name +
                              " does not start with the atom's digit " +
                              digitName(want, dimList));
      Digit &have = rest.back();
      have.extent /= want.extent;
      have.stride *= want.extent;
      for (int64_t &x : have.image)
        x *= want.extent;
      if (have.extent == 1)
        rest.pop_back();
    }
    std::reverse(rest.begin(), rest.end());
    Axis axis{name, {}};
    for (Digit digit : rest) {
      auto inside = [&](int d, int64_t step) {
        return algebraProblem(
            "axis " + name + " goes on inside of the atom: stride " +
            std::to_string(step) + " along " + dimList[d].name + ", atom " +
            std::to_string(atom.dimList[d].extent));
      };
      if (digit.isSum()) {
        int64_t unit = atom.dimList[digit.dim].extent;
        if (digit.stride % unit != 0)
          return inside(digit.dim, digit.stride);
        digit.stride /= unit;
      }
      for (size_t d = 0; d < digit.image.size(); ++d) {
        int64_t unit = atom.dimList[d].extent;
        if (digit.image[d] == 0)
          continue;
        if (!isPowerOfTwo(unit) || digit.image[d] % unit != 0)
          return inside(static_cast<int>(d), digit.image[d]);
        digit.image[d] /= unit;
      }
      appendDigit(axis.digits, digit);
    }
    axes.push_back(std::move(axis));
  }
  return asAlgebra(make(std::move(axes), std::move(dims)));
}
