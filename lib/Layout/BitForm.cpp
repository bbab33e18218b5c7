//===- BitForm.cpp - Bitwise layouts as matrices --------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "BitForm.h"

#include <bit>

using namespace titan;

uint64_t BitForm::pack(const Coord &at) const {
  uint64_t bits = 0;
  for (int d = 0; d < at.size(); ++d)
    bits |= static_cast<uint64_t>(at[d]) << first[d];
  return bits;
}

Coord BitForm::unpack(uint64_t bits) const {
  Coord at(static_cast<int>(first.size()) - 1);
  for (int d = 0; d < at.size(); ++d)
    at[d] = static_cast<int64_t>(
        (bits >> first[d]) & ((uint64_t(1) << (first[d + 1] - first[d])) - 1));
  return at;
}

/// The pieces of a layout in normal form, before its `bits`.
std::optional<BitForm> BitForm::cut(const Layout &layout) {
  BitForm form;
  form.first = {0};
  for (const Dim &dim : layout.dimList)
    form.first.push_back(form.first.back() +
                         std::bit_width(static_cast<uint64_t>(dim.extent - 1)));
  int rank = layout.rank();
  Coord at(rank);
  for (int d = 0; d < rank; ++d)
    at[d] = layout.offsets[d];
  form.constant = form.pack(at);
  uint64_t used = form.constant, reached = 0;
  for (const PlacedDigit &placed : placedDigits(layout.axisList)) {
    const Digit &digit = placed.digit;
    int64_t weight = placed.weight, odd = digit.extent, stride = digit.stride;
    for (int k = 0; odd % 2 == 0; ++k, odd /= 2, weight *= 2, stride *= 2) {
      Piece piece{placed.axis, weight, 2};
      if (digit.isSum()) {
        piece.image = static_cast<uint64_t>(stride) << form.first[digit.dim];
        if (used & piece.image)
          return std::nullopt;
        used |= piece.image;
      } else if (digit.isExclusive()) {
        for (int d = 0; d < rank; ++d)
          piece.image |= static_cast<uint64_t>(digit.image[d] << k)
                         << form.first[d];
        reached |= piece.image;
      }
      form.pieces.push_back(piece);
    }
    if (odd == 1)
      continue;
    Piece piece{placed.axis, weight, odd};
    if (digit.isSum()) {
      // From the lowest bit of the stride to the highest of the largest value.
      uint64_t step = static_cast<uint64_t>(stride);
      uint64_t top = static_cast<uint64_t>(std::bit_width(step * (odd - 1)));
      piece.owned = ((uint64_t(1) << top) - (step & -step))
                    << form.first[digit.dim];
      if (used & piece.owned)
        return std::nullopt;
      used |= piece.owned;
      form.oddBits |= piece.owned;
      piece.dim = digit.dim;
      piece.stride = stride;
    }
    form.pieces.push_back(piece);
  }
  if (reached & form.oddBits)
    return std::nullopt;
  return form;
}

std::optional<BitForm> BitForm::of(const Layout &layout) {
  std::optional<BitForm> form = cut(layout.normalized());
  if (!form || layout.post.isIdentity())
    return form;
  for (BitLinear::Term t : layout.post.terms())
    if (((form->oddBits >> (form->first[t.fromDim] + t.from)) |
         (form->oddBits >> (form->first[t.toDim] + t.to))) &
        1)
      return std::nullopt;
  for (Piece &piece : form->pieces)
    piece.image = form->pack(layout.post(form->unpack(piece.image)));
  form->constant = form->pack(layout.post(form->unpack(form->constant)));
  // Images that have become 0 or equal may join digits.
  return cut(form->layout(layout.axisList, layout.dimList).normalized());
}

Layout BitForm::layout(const std::vector<Axis> &axes,
                       const std::vector<Dim> &dims) const {
  Layout result;
  result.dimList = dims;
  Coord at = unpack(constant);
  result.offsets.assign(at.begin(), at.end());
  for (const Axis &axis : axes)
    result.axisList.push_back({axis.name, {}});
  uint64_t used = constant | oddBits;
  // A single bit adds if none before it has; several bits of one dimension, if
  // nothing else reaches them.
  auto addsUp = [&](const Piece &piece) {
    if (piece.image == 0 || (used & piece.image))
      return false;
    if (std::has_single_bit(piece.image))
      return true;
    for (const Piece &other : pieces)
      if (&other != &piece && (other.image & piece.image))
        return false;
    Coord step = unpack(piece.image);
    int moved = 0;
    for (int d = 0; d < step.size(); ++d)
      moved += step[d] != 0;
    return moved == 1;
  };
  for (const Piece &piece : pieces) {
    Digit digit{piece.extent, Digit::replica, 0};
    if (!piece.isBit()) {
      digit.dim = piece.dim;
      digit.stride = piece.stride;
    } else if (addsUp(piece)) {
      used |= piece.image;
      Coord step = unpack(piece.image);
      for (int d = 0; d < step.size(); ++d)
        if (step[d] != 0) {
          digit.dim = d;
          digit.stride = step[d];
        }
    } else if (piece.image != 0) {
      Coord step = unpack(piece.image);
      digit = Digit::xors(2, {step.begin(), step.end()});
    }
    appendDigit(result.axisList[piece.axis].digits, digit);
  }
  return result;
}

std::pair<uint64_t, uint64_t> BitSolver::reduce(uint64_t image,
                                                uint64_t pieces) const {
  for (int bit = 63; bit >= 0; --bit)
    if (((image >> bit) & 1) && images[bit]) {
      image ^= images[bit];
      pieces ^= sources[bit];
    }
  return {image, pieces};
}

bool BitSolver::add(uint64_t image, uint64_t pieces) {
  auto [rest, from] = reduce(image, pieces);
  if (rest == 0)
    return false;
  int top = std::bit_width(rest) - 1;
  images[top] = rest;
  sources[top] = from;
  return true;
}

std::optional<uint64_t> BitSolver::solve(uint64_t image) const {
  auto [rest, from] = reduce(image, 0);
  if (rest != 0)
    return std::nullopt;
  return from;
}
