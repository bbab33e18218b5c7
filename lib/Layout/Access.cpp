//===- Access.cpp - Register tiles to and from shared memory --------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Layout/Access.h"

#include "LayoutParts.h"

#include <algorithm>
#include <array>
#include <numeric>

using namespace titan;

//===----------------------------------------------------------------------===//
// Registers in memory
//===----------------------------------------------------------------------===//

Result<std::vector<Layout>>
titan::registerBytes(const Layout &tile, const Layout &image, int64_t step) {
  if (!tile.isTile() || image.rank() != 1)
    return algebraProblem("registers of a tile, and an image of bytes");
  std::vector<Layout> all;
  // At once, or each register by itself: an image may be cut into panels where
  // the registers' steps are not.
  Result<Layout> whole = tile.then(image);
  for (int64_t r = 0; r < tile.registers(); r += step) {
    Result<Layout> one =
        whole ? whole->restricted(0, r) : tile.restricted(0, r);
    if (!one)
      return one.problem();
    if (!whole) {
      one = one->then(image);
      if (!one)
        return one.problem();
    }
    all.push_back(std::move(*one));
  }
  return all;
}

/// The largest power of two that divides every byte a layout reaches, at most
/// 16.
static int64_t alignment(const Layout &bytes) {
  int64_t result = std::gcd(int64_t(16), bytes.offset()[0]);
  for (const Axis &axis : bytes.axes())
    for (const Digit &digit : axis.digits) {
      if (digit.extent == 1)
        continue;
      result = std::gcd(result, digit.stride);
      for (int64_t x : digit.image)
        result = std::gcd(result, x);
    }
  for (BitLinear::Term t : bytes.bits().terms())
    result = std::min(result, int64_t(1) << std::min<int>(t.to, 4));
  return result;
}

/// Whether `next` is `first`, `distance` bytes further on.
static bool follows(const Layout &first, const Layout &next, int64_t distance) {
  Result<Layout> moved = Layout::make(
      first.axes(), first.dims(), {first.offset()[0] + distance}, first.bits());
  return moved && moved->sameFunction(next);
}

int64_t titan::vectorBytes(const Layout &tile, const Layout &image,
                           int64_t elementBytes) {
  Result<std::vector<Layout>> registers = registerBytes(tile, image);
  // Where no layout says it, address by address.
  auto worksByAddress = [&](int64_t count) {
    for (int64_t w = 0; w < tile.warps(); ++w)
      for (int64_t l = 0; l < tile.lanes(); ++l)
        for (int64_t r = 0; r < tile.registers(); ++r) {
          int64_t first = image.apply(tile.coords(r / count * count, l, w))[0];
          if (first % (count * elementBytes) != 0 ||
              image.apply(tile.coords(r, l, w))[0] !=
                  first + r % count * elementBytes)
            return false;
        }
    return true;
  };
  auto works = [&](int64_t count) {
    if (!registers)
      return worksByAddress(count);
    for (size_t r = 0; r < registers->size(); r += count) {
      const Layout &first = (*registers)[r];
      if (alignment(first) % (count * elementBytes) != 0)
        return false;
      for (int64_t i = 1; i < count; ++i)
        if (!follows(first, (*registers)[r + i], i * elementBytes))
          return false;
    }
    return true;
  };
  int64_t count = 1;
  while (2 * count * elementBytes <= 16 &&
         tile.registers() % (2 * count) == 0 && works(2 * count))
    count *= 2;
  return count * elementBytes;
}

//===----------------------------------------------------------------------===//
// Banks
//===----------------------------------------------------------------------===//

/// Lanes that are served together.
static int64_t lanesTogether(int64_t bytes) {
  return bytes >= 16 ? 8 : bytes == 8 ? 16 : 32;
}

int64_t titan::wavefronts(const std::vector<int64_t> &addresses,
                          int64_t bytes) {
  size_t group = static_cast<size_t>(lanesTogether(bytes));
  int64_t total = 0;
  for (size_t first = 0; first < addresses.size(); first += group) {
    std::vector<int64_t> words;
    for (size_t l = first; l < std::min(first + group, addresses.size()); ++l)
      for (int64_t w = addresses[l] / 4; w <= (addresses[l] + bytes - 1) / 4;
           ++w)
        words.push_back(w);
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::array<int64_t, 32> banks{};
    for (int64_t w : words)
      ++banks[w % 32];
    total += *std::max_element(banks.begin(), banks.end());
  }
  return total;
}

/// The closed form: wavefronts of lanes that a bitwise layout of powers of two
/// sends to bytes; none where it does not apply.
static std::optional<int64_t> bitwiseWavefronts(const Layout &lanes,
                                                int64_t width) {
  int64_t count = lanes.axes()[0].size(), size = lanes.dims()[0].extent;
  int64_t group = std::min(lanesTogether(width), count);
  if (!isPowerOfTwo(count) || !isPowerOfTwo(width) ||
      alignment(lanes) % std::min<int64_t>(width, 16) != 0)
    return std::nullopt;
  for (const Digit &digit : lanes.axes()[0].digits)
    if (!isPowerOfTwo(digit.extent))
      return std::nullopt;
  // The bytes of each lane of a group, then only words or banks of them. Every
  // group is the first one, xored with a constant.
  Result<Layout> cut =
      lanes.withAxes({{"lane", group}, {"group", count / group}});
  if (!cut)
    return std::nullopt;
  size = (size + 127) / 128 * 128;
  std::vector<Axis> axes = {cut->axes()[0]};
  axes.push_back({"byte", {{width, 0, 1}}});
  Result<Layout> bytes =
      Layout::make(axes, {{"b", size}}, lanes.offset(), lanes.bits());
  Result<Layout> word = Layout::make(
      {{"b", {{4, Digit::replica, 0}, {size / 4, 0, 1}}}}, {{"w", size / 4}});
  Result<Layout> bank = Layout::make(
      {{"b",
        {{4, Digit::replica, 0}, {32, 0, 1}, {size / 128, Digit::replica, 0}}}},
      {{"k", 32}});
  if (!bytes || !word || !bank)
    return std::nullopt;
  Result<Layout> words = bytes->canonical().then(*word);
  Result<Layout> banks = bytes->canonical().then(*bank);
  if (!words || !banks || !words->freeInputs() || !banks->freeInputs())
    return std::nullopt;
  return count / group * *banks->replication() / *words->replication();
}

int64_t titan::wavefronts(const Layout &bytes, int64_t width, int64_t warp) {
  // Only the lanes are left.
  Layout rest = bytes;
  for (int a = 0, e = static_cast<int>(bytes.axes().size()); a < e; ++a)
    if (a != 1)
      if (Result<Layout> one = rest.restricted(a, a == 2 ? warp : 0))
        rest = std::move(*one);
  if (Result<Layout> lanes = rest.withAxes({{"lane", bytes.lanes()}}))
    if (auto count = bitwiseWavefronts(*lanes, width))
      return *count;
  std::vector<int64_t> addresses;
  for (int64_t lane = 0; lane < bytes.lanes(); ++lane)
    addresses.push_back(bytes.coords(0, lane, warp)[0]);
  return wavefronts(addresses, width);
}

Result<AccessCost> titan::accessCost(const Layout &tile, const Layout &image,
                                     int64_t elementBytes, int64_t width) {
  int64_t widest = vectorBytes(tile, image, elementBytes);
  if (width == 0)
    width = widest;
  if (width % elementBytes != 0 || !isPowerOfTwo(width) || width > widest)
    return Problem{"layout-mismatch",
                   "accesses of " + std::to_string(width) +
                       " bytes: the tile's registers lie in the image in runs "
                       "of " +
                       std::to_string(widest) + " aligned bytes"};
  AccessCost cost;
  cost.width = width;
  int64_t step = width / elementBytes;
  cost.accesses = tile.registers() / step;
  cost.ideal = cost.accesses * ((tile.lanes() + lanesTogether(width) - 1) /
                                lanesTogether(width));
  Result<std::vector<Layout>> registers = registerBytes(tile, image, step);
  for (int64_t warp = 0; warp < tile.warps(); ++warp) {
    int64_t total = 0;
    for (int64_t n = 0; n < cost.accesses; ++n) {
      if (registers) {
        total += wavefronts((*registers)[n], width, warp);
        continue;
      }
      std::vector<int64_t> addresses;
      for (int64_t lane = 0; lane < tile.lanes(); ++lane)
        addresses.push_back(image.apply(tile.coords(n * step, lane, warp))[0]);
      total += wavefronts(addresses, width);
    }
    cost.wavefronts = std::max(cost.wavefronts, total);
  }
  return cost;
}

//===----------------------------------------------------------------------===//
// ldmatrix, stmatrix
//===----------------------------------------------------------------------===//

Result<MatrixPlan> MatrixPlan::make(const Layout &tile, const Layout &image,
                                    bool trans) {
  auto fail = [](const std::string &why) {
    return Problem{"layout-mismatch", "ldmatrix / stmatrix: " + why};
  };
  if (!tile.isTile() || tile.rank() != 2 || tile.lanes() != 32)
    return fail(
        "the layout is no register tile of two dimensions and 32 lanes");
  if (image.rank() != 1 || image.axes().size() != 2)
    return fail("the image is no function of rows and columns");
  // The matrices: the quotient, from the tile's own origin.
  Result<Layout> placed =
      Layout::make(tile.axes(), tile.dims(), {}, tile.bits());
  Result<Layout> atom = matrixFragment(1, trans, MatrixOrder::Rows);
  if (!placed || !atom)
    return placed ? atom.problem() : placed.problem();
  std::vector<Dim> whole = placed->dims();
  for (Dim &dim : whole)
    dim.extent = (dim.extent + 7) / 8 * 8;
  placed = Layout::make(tile.axes(), whole, {}, tile.bits());
  Result<Layout> quotient = placed ? placed->divide(*atom) : placed;
  if (!quotient)
    return fail("the tile is not made of 8 x 8 matrices: " +
                quotient.problem().message);
  if (tile.offset()[1] % 8 != 0)
    return fail("column " + std::to_string(tile.offset()[1]) +
                " is no multiple of 8: rows would not be aligned to 16 bytes");
  if (!quotient->isSum())
    return fail("its matrices lie by exclusive or");

  std::string reasons;
  for (int count : {4, 2, 1}) {
    // Matrix by matrix of one instruction, then instructions.
    int64_t all = quotient->registers();
    Result<Layout> cut =
        all % count == 0
            ? quotient->withAxes(
                  {{"m", count}, {"n", all / count}, {"w", quotient->warps()}})
            : Result<Layout>(algebraProblem(std::to_string(all) + " matrices"));
    if (!cut) {
      reasons +=
          " .x" + std::to_string(count) + ": " + cut.problem().message + ";";
      continue;
    }
    std::vector<Axis> axes = {{"reg", cut->axes()[1].digits},
                              {"lane", cut->axes()[0].digits},
                              {"warp", cut->axes()[2].digits}};
    for (Axis &axis : axes)
      for (Digit &digit : axis.digits)
        digit.stride *= 8;
    axes[1].digits.insert(axes[1].digits.begin(), {8, 0, 1});
    axes[1].digits.push_back({4 / count, Digit::replica, 0});
    Result<Layout> starts = Layout::make(axes, tile.dims(), tile.offset());
    if (!starts)
      return starts.problem();
    Result<std::vector<Layout>> rows = registerBytes(*starts, image);
    if (!rows) {
      reasons +=
          " .x" + std::to_string(count) + ": " + rows.problem().message + ";";
      continue;
    }
    // A row is eight elements side by side in 16 aligned bytes.
    axes.push_back({"cta", {{8, 1, 1}}});
    Result<Layout> elements = Layout::make(axes, tile.dims(), tile.offset());
    bool fits = bool(elements);
    for (size_t n = 0; fits && n < rows->size(); ++n) {
      const Layout &row = (*rows)[n];
      fits = alignment(row) == 16;
      for (int64_t c = 1; fits && c < 8; ++c) {
        Result<Layout> one = elements->restricted(0, static_cast<int64_t>(n));
        if (one)
          one = one->restricted(3, c);
        if (one)
          one = Layout::make({one->axes()[0], one->axes()[1], one->axes()[2]},
                             one->dims(), one->offset(), one->bits());
        if (one)
          one = one->then(image);
        fits = one && follows(row, *one, 2 * c);
      }
    }
    if (!fits)
      return fail("the rows of its matrices are not 16 aligned bytes each");
    MatrixPlan plan;
    plan.matrices = count;
    plan.transposed = trans;
    plan.rows = std::move(*rows);
    return plan;
  }
  return fail("no instruction takes its matrices:" + reasons);
}

int64_t MatrixPlan::wavefronts(int64_t n, int64_t warp) const {
  int64_t all = titan::wavefronts(rows[n], 16, warp);
  return all * matrices / 4;
}
