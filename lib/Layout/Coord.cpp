//===- Coord.cpp - Coordinates and functions linear over bits -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Layout/Coord.h"

#include <algorithm>
#include <bitset>

using namespace titan;

Coord::Coord(std::initializer_list<int64_t> list)
    : count(static_cast<int>(list.size())) {
  std::copy(list.begin(), list.end(), values.begin());
}

BitLinear::BitLinear(std::vector<Term> terms) {
  std::sort(terms.begin(), terms.end());
  for (const Term &t : terms) {
    if (t.to > 62 || t.from > 62 || t.toDim >= Coord::maxRank ||
        t.fromDim >= Coord::maxRank)
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

namespace {
/// The bits that terms name, as rows and columns of a matrix; elsewhere the
/// function is the identity.
using Row = std::bitset<size_t(63) * Coord::maxRank>;

size_t place(int dim, int bit) { return size_t(63) * dim + bit; }

std::vector<size_t> namedBits(std::initializer_list<const BitLinear *> all) {
  std::vector<size_t> bits;
  for (const BitLinear *f : all)
    for (BitLinear::Term t : f->terms()) {
      bits.push_back(place(t.toDim, t.to));
      bits.push_back(place(t.fromDim, t.from));
    }
  std::sort(bits.begin(), bits.end());
  bits.erase(std::unique(bits.begin(), bits.end()), bits.end());
  return bits;
}

Row imageOf(const BitLinear &f, const Row &in) {
  Row out = in;
  for (BitLinear::Term t : f.terms())
    if (in[place(t.fromDim, t.from)])
      out.flip(place(t.toDim, t.to));
  return out;
}

/// The function that sends bit bits[i] to images[i].
BitLinear fromImages(const std::vector<size_t> &bits,
                     const std::vector<Row> &images) {
  std::vector<BitLinear::Term> terms;
  for (size_t i = 0; i < bits.size(); ++i) {
    Row extra = images[i];
    extra.flip(bits[i]);
    for (size_t to : bits)
      if (extra[to])
        terms.push_back({static_cast<uint8_t>(to % 63),
                         static_cast<uint8_t>(bits[i] % 63),
                         static_cast<uint8_t>(to / 63),
                         static_cast<uint8_t>(bits[i] / 63)});
  }
  return BitLinear(std::move(terms));
}
} // namespace

BitLinear BitLinear::then(const BitLinear &next) const {
  std::vector<size_t> bits = namedBits({this, &next});
  std::vector<Row> images;
  for (size_t bit : bits)
    images.push_back(imageOf(next, imageOf(*this, Row().set(bit))));
  return fromImages(bits, images);
}

std::optional<BitLinear> BitLinear::inverse() const {
  // Gauss-Jordan over GF(2): rows (image of a sum of bits, that sum).
  std::vector<size_t> bits = namedBits({this});
  std::vector<Row> image, source;
  for (size_t bit : bits) {
    source.push_back(Row().set(bit));
    image.push_back(imageOf(*this, source.back()));
  }
  for (size_t i = 0; i < bits.size(); ++i) {
    size_t pivot = i;
    while (pivot < bits.size() && !image[pivot][bits[i]])
      ++pivot;
    if (pivot == bits.size())
      return std::nullopt;
    std::swap(image[pivot], image[i]);
    std::swap(source[pivot], source[i]);
    for (size_t row = 0; row < bits.size(); ++row)
      if (row != i && image[row][bits[i]]) {
        image[row] ^= image[i];
        source[row] ^= source[i];
      }
  }
  return fromImages(bits, source);
}
