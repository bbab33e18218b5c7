//===- LayoutQuestions.cpp - Who holds what -------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "BitForm.h"

#include <algorithm>
#include <bit>
#include <numeric>

using namespace titan;

std::vector<PlacedDigit> titan::placedDigits(const std::vector<Axis> &axes) {
  std::vector<PlacedDigit> all;
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

//===----------------------------------------------------------------------===//
// Holders and owners
//===----------------------------------------------------------------------===//

/// The inputs of a sum of digits with this image.
static std::vector<Coord> sumHolders(const Layout &layout, Coord target) {
  std::vector<Coord> found;
  int rank = layout.rank();
  // Digits with large strides first: what is left must fit in the rest.
  std::vector<PlacedDigit> all = placedDigits(layout.axes());
  std::sort(all.begin(), all.end(),
            [](const PlacedDigit &x, const PlacedDigit &y) {
              return x.digit.stride > y.digit.stride;
            });
  std::vector<Coord> reach(all.size() + 1, Coord(rank));
  for (size_t i = all.size(); i-- > 0;) {
    reach[i] = reach[i + 1];
    if (all[i].digit.isSum())
      reach[i][all[i].digit.dim] +=
          (all[i].digit.extent - 1) * all[i].digit.stride;
  }
  for (int d = 0; d < rank; ++d)
    target[d] -= layout.offset()[d];
  Coord in(static_cast<int>(layout.axes().size()));
  auto search = [&](auto &self, size_t i) -> void {
    for (int d = 0; d < rank; ++d)
      if (target[d] < 0 || target[d] > reach[i][d])
        return;
    if (i == all.size()) {
      found.push_back(in);
      return;
    }
    const PlacedDigit &p = all[i];
    for (int64_t v = 0; v < p.digit.extent; ++v) {
      in[p.axis] += v * p.weight;
      if (p.digit.isSum())
        target[p.digit.dim] -= v * p.digit.stride;
      self(self, i + 1);
      in[p.axis] -= v * p.weight;
      if (p.digit.isSum())
        target[p.digit.dim] += v * p.digit.stride;
    }
  };
  search(search, 0);
  return found;
}

/// The inputs of a bitwise layout with this image.
static std::vector<Coord> bitHolders(const Layout &layout, const BitForm &form,
                                     const Coord &image) {
  BitSolver solver;
  // Sets of pieces that cancel, and odd replicas: what may be added freely.
  std::vector<uint64_t> kernel;
  std::vector<size_t> odd;
  uint64_t target = form.pack(image) ^ form.constant, fixed = 0;
  Coord base(static_cast<int>(layout.axes().size()));
  for (size_t i = 0; i < form.pieces.size(); ++i) {
    const BitForm::Piece &piece = form.pieces[i];
    if (!piece.isBit()) {
      if (piece.dim == Digit::replica) {
        odd.push_back(i);
        continue;
      }
      uint64_t part = target & piece.owned;
      int64_t moved = form.unpack(part)[piece.dim],
              value = moved / piece.stride;
      if (value * piece.stride != moved || value >= piece.extent)
        return {};
      base[piece.axis] += value * piece.weight;
      fixed |= part;
    } else if (!solver.add(piece.image, uint64_t(1) << i)) {
      kernel.push_back(solver.reduce(piece.image, uint64_t(1) << i).second);
    }
  }
  std::optional<uint64_t> some = solver.solve(target & ~fixed);
  if (!some)
    return {};
  std::vector<Coord> found;
  auto place = [&](auto &self, size_t i, const Coord &at) -> void {
    if (i == odd.size()) {
      found.push_back(at);
      return;
    }
    Coord next = at;
    const BitForm::Piece &piece = form.pieces[odd[i]];
    for (int64_t v = 0; v < piece.extent; ++v) {
      self(self, i + 1, next);
      next[piece.axis] += piece.weight;
    }
  };
  for (uint64_t choice = 0; choice < uint64_t(1) << kernel.size(); ++choice) {
    uint64_t set = *some;
    for (size_t k = 0; k < kernel.size(); ++k)
      if ((choice >> k) & 1)
        set ^= kernel[k];
    Coord at = base;
    for (size_t i = 0; i < form.pieces.size(); ++i)
      if ((set >> i) & 1)
        at[form.pieces[i].axis] += form.pieces[i].weight;
    place(place, 0, at);
  }
  return found;
}

std::vector<Coord> Layout::holders(const Coord &image) const {
  std::vector<Coord> found;
  if (image.size() != rank())
    return found;
  for (int d = 0; d < rank(); ++d)
    if (image[d] < 0 || image[d] >= dimList[d].extent)
      return found;
  if (isSum()) {
    found = sumHolders(*this, image);
  } else if (auto form = BitForm::of(*this)) {
    found = bitHolders(*this, *form, image);
  } else {
    forEachInput(axisList, [&](const Coord &in) {
      if (apply(in) == image)
        found.push_back(in);
    });
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
  if (!isSum())
    return false;
  std::vector<PlacedDigit> all = placedDigits(axisList);
  std::sort(all.begin(), all.end(),
            [](const PlacedDigit &x, const PlacedDigit &y) {
              return x.digit.stride < y.digit.stride;
            });
  Coord reach(rank());
  for (const PlacedDigit &p : all) {
    if (!p.digit.isSum())
      continue;
    if (p.digit.stride <= reach[p.digit.dim])
      return false;
    reach[p.digit.dim] += (p.digit.extent - 1) * p.digit.stride;
  }
  return true;
}

static bool isZeroAt(const std::vector<DigitPlace> &places, const Coord &at) {
  return std::all_of(places.begin(), places.end(), [&](const DigitPlace &p) {
    return at[p.index] / p.weight % p.extent == 0;
  });
}

bool Layout::isOwner(const Coord &inputs) const {
  if (auto free = freeInputs())
    return isZeroAt(*free, inputs);
  return holders(apply(inputs)).front() == inputs;
}

/// Appends a place, joined with the last one where it goes on there.
static void appendPlace(std::vector<DigitPlace> &places, DigitPlace place) {
  if (!places.empty()) {
    DigitPlace &last = places.back();
    if (last.index == place.index &&
        last.weight * last.extent == place.weight) {
      last.extent *= place.extent;
      return;
    }
  }
  places.push_back(place);
}

Result<std::vector<DigitPlace>> Layout::freeInputs() const {
  std::vector<DigitPlace> places;
  if (digitsDisjoint()) {
    for (const PlacedDigit &p : placedDigits(axisList))
      if (p.digit.isReplica())
        appendPlace(places, {p.axis, p.weight, p.digit.extent});
    return places;
  }
  auto form = BitForm::of(*this);
  if (!form)
    return algebraProblem("digits overlap, and the layout is not bitwise: no "
                          "digits say which inputs are owners");
  BitSolver solver;
  for (const BitForm::Piece &piece : form->pieces)
    if (piece.isBit() ? !solver.add(piece.image, 0)
                      : piece.dim == Digit::replica)
      appendPlace(places, {piece.axis, piece.weight, piece.extent});
  return places;
}

Result<std::vector<DigitPlace>> Layout::freeOutputs() const {
  std::vector<DigitPlace> places;
  if (auto form = isSum() ? std::nullopt : BitForm::of(*this)) {
    BitSolver solver;
    for (const BitForm::Piece &piece : form->pieces)
      if (piece.isBit())
        solver.add(piece.image, 0);
    for (int d = 0; d < rank(); ++d) {
      // The extent is bits and an odd part; an odd piece fills it or none does.
      int64_t extent = dimList[d].extent, weight = 1;
      for (; extent % 2 == 0; extent /= 2, weight *= 2) {
        uint64_t bit = static_cast<uint64_t>(weight) << form->firstBit(d);
        if (bit & form->oddBits)
          return algebraProblem("an odd digit lies within dimension " +
                                dimList[d].name);
        if (solver.add(bit, 0))
          appendPlace(places, {d, weight, 2});
      }
      if (extent == 1)
        continue;
      bool filled = false,
           touched =
               form->constant >> form->firstBit(d) &
               ~static_cast<uint64_t>(weight - 1) &
               ((uint64_t(1) << (form->firstBit(d + 1) - form->firstBit(d))) -
                1);
      for (const BitForm::Piece &piece : form->pieces) {
        Coord step = form->unpack(piece.isBit() ? piece.image : piece.owned);
        bool above = step[d] >= weight;
        filled = filled || (!piece.isBit() && piece.dim == d &&
                            piece.stride == weight && piece.extent == extent);
        touched = touched || (piece.isBit() && above) ||
                  (!piece.isBit() && piece.dim == d && !filled);
      }
      if (touched)
        return algebraProblem("dimension " + dimList[d].name +
                              " is partly filled in its odd part of " +
                              std::to_string(extent));
      if (!filled)
        appendPlace(places, {d, weight, extent});
    }
    return places;
  }
  if (!digitsDisjoint())
    return algebraProblem("digits overlap: no digits say what is not held");
  for (int d = 0; d < rank(); ++d) {
    std::vector<Digit> along;
    for (const PlacedDigit &p : placedDigits(axisList))
      if (p.digit.dim == d)
        along.push_back(p.digit);
    std::sort(along.begin(), along.end(), [](const Digit &x, const Digit &y) {
      return x.stride < y.stride;
    });
    along.push_back({1, d, dimList[d].extent});
    int64_t next = 1;
    for (const Digit &digit : along) {
      if (digit.stride % next != 0 || offsets[d] != 0)
        return algebraProblem("dimension " + dimList[d].name +
                              (offsets[d] ? " starts at an offset"
                                          : " is not filled by whole digits"));
      if (digit.stride != next)
        appendPlace(places, {d, next, digit.stride / next});
      next = digit.stride * digit.extent;
    }
  }
  return places;
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
  Layout x = normalized(), y = other.normalized();
  bool same = x.offsets == y.offsets && post == other.post;
  for (size_t a = 0; same && a < axisList.size(); ++a)
    same = x.axisList[a].digits == y.axisList[a].digits;
  // The normal form of sums is unique.
  if (same || (isSum() && other.isSum()))
    return same;
  auto form = BitForm::of(x), otherForm = BitForm::of(y);
  if (form && otherForm)
    return form->pieces == otherForm->pieces &&
           form->constant == otherForm->constant;
  same = true;
  forEachInput(axisList, [&](const Coord &in) {
    same = same && apply(in) == other.apply(in);
  });
  return same;
}

bool Layout::isInjective() const { return replication() == 1; }

/// The images of all inputs, sorted.
static std::vector<Coord> allImages(const Layout &layout) {
  std::vector<Coord> images;
  images.reserve(layout.size());
  forEachInput(layout.axes(),
               [&](const Coord &in) { images.push_back(layout.apply(in)); });
  std::sort(images.begin(), images.end());
  return images;
}

bool Layout::isSurjective() const {
  if (auto free = freeOutputs())
    return free->empty();
  // A sum that starts at an offset does not reach 0.
  if (size() < elements() ||
      (isSum() && std::any_of(offsets.begin(), offsets.end(),
                              [](int64_t o) { return o != 0; })))
    return false;
  std::vector<Coord> images = allImages(*this);
  images.erase(std::unique(images.begin(), images.end()), images.end());
  return static_cast<int64_t>(images.size()) == elements();
}

std::optional<int64_t> Layout::replication() const {
  if (auto free = freeInputs()) {
    int64_t product = 1;
    for (const DigitPlace &place : *free)
      product *= place.extent;
    return product;
  }
  std::vector<Coord> images = allImages(*this);
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

/// The lowest bit of a dimension that exclusive or reads or changes, as a
/// number; 0 if there is none.
static int64_t lowestXor(const Layout &layout, int dim) {
  uint64_t touched = 0;
  for (BitLinear::Term t : layout.bits().terms()) {
    if (t.toDim == dim)
      touched |= uint64_t(1) << t.to;
    if (t.fromDim == dim)
      touched |= uint64_t(1) << t.from;
  }
  for (const Axis &axis : layout.axes())
    for (const Digit &digit : axis.digits)
      if (digit.isExclusive())
        touched |= static_cast<uint64_t>(digit.image[dim]);
  return static_cast<int64_t>(touched & -touched);
}

int64_t Layout::contiguousRun(int dim) const {
  if (axisList.empty())
    return 1;
  Layout normal = canonical();
  if (normal.axisList[0].digits.empty())
    return 1;
  const Digit &digit = normal.axisList[0].digits[0];
  if (digit.dim != dim || digit.stride != 1)
    return 1;
  int64_t run = digit.extent;
  if (normal.isSum())
    return run;
  // Xors leave the bits below alone; a carry into them ends the run.
  if (int64_t bit = lowestXor(normal, dim); bit != 0)
    if (int64_t room = bit - normal.offsets[dim] % bit; room < run) {
      run = room;
      Coord in(static_cast<int>(axisList.size()));
      Coord first = apply(in);
      for (; run < digit.extent; ++run) {
        in[0] = run;
        Coord want = first;
        want[dim] += run;
        if (apply(in) != want)
          break;
      }
    }
  return run;
}

int64_t Layout::alignedRun(int dim) const {
  int64_t run = contiguousRun(dim);
  if (run == 1)
    return 1;
  Layout normal = canonical();
  // A run that xors cut short is cut down to a divisor of the digit.
  run = std::gcd(run, normal.axisList[0].digits[0].extent);
  if (int64_t bit = lowestXor(normal, dim); bit != 0)
    run = std::gcd(run, bit);
  run = std::gcd(run, normal.offsets[dim]);
  for (size_t a = 0; a < normal.axisList.size(); ++a)
    for (size_t k = a == 0 ? 1 : 0; k < normal.axisList[a].digits.size(); ++k)
      if (normal.axisList[a].digits[k].dim == dim)
        run = std::gcd(run, normal.axisList[a].digits[k].stride);
  return run;
}
