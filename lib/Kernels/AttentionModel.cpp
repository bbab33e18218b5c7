//===- AttentionModel.cpp - from a shape to attention's parameters --------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of n blocks of keys takes tile + n * block microseconds, and a launch
// as long as the multiprocessor that has most to do:
//
//   all tiles alike    launch + waves * (tile + n * block)
//   causal             the longest come first, so that the load is even but for
//                      half of one of the shortest, which come last; persistent
//                      CTAs have tile i, i + CTAs, ... whatever they take, and
//                      the first one has the longest of each round
//   a tile ahead       as persistent ones, but even rounds go up and odd ones down; of
//                      a few CTAs the one that has the most
//   a narrow block   it takes its share of a block
//   packed      of the heads of a group one tile is not full
//   several CTAs on a multiprocessor  (64 x 64) share it: all of the work at
//                      what they take together, but no less than one tile alone
//
// The numbers were fitted to benchmarks/results/h200-attention-variants.json, ten
// shapes, to which a test holds what is picked; they are within 5 % of 150 of its
// 160 times; those of --ahead and --skip to h200-attention-ahead.json and, with a
// mask, h200-attention-ahead-bands.json (of size 128 that has --skip alone: its times by
// what it was worth in the first race; within 6 %); those of {64, true, 128, 128, true, One}
// to the first two; that of size 64 ahead without --skip to h200-attention-size-64.json (within 2 % of its times at that race's clocks); those of persistent ones of 160 to 192 keys to
// h200-attention-persistent.json, eighteen shapes, within 5.1 %; those of a narrow block to
// h200-attention-tail.json, two shapes. Which keys a window leaves out is not known here: it counts
// as a causal mask.
//
//===----------------------------------------------------------------------===//
#include "titan/Kernels/Attention.h"

#include "Model.h"

#include <algorithm>
#include <limits>

using namespace titan;
using namespace titan::kernels;

namespace {

/// Of a CTA.
enum Tiles : uint8_t { One, Several, Ahead };

/// Microseconds on an H200.
struct Variant {
  int64_t size;
  bool masks;
  int64_t rows, keys;
  bool turns;
  Tiles tiles;
  double launch, tile, block;
  /// A tile alone, where a multiprocessor has several CTAs; 0: it has one.
  double aloneTile = 0, aloneBlock = 0;
  bool skip = false;
  /// Keys of its first block, which is narrow; 0: as wide as the others.
  int64_t tail = 0;

  bool persistent() const { return tiles != One; }
};

} // namespace

static constexpr Variant variants[] = {
    // size, masks, rows, keys, turns, tiles, launch, tile, block
    {128, false, 128, 176, true, One, 0.75, 3.99, 2.157},
    {128, false, 128, 128, false, Several, 4.30, 1.51, 1.649},
    {128, false, 128, 128, true, Several, 2.66, 1.86, 1.638},
    {128, false, 128, 128, true, One, 0.73, 3.37, 1.710},
    {128, false, 128, 160, true, Several, 1.73, 1.04, 2.080},
    {128, false, 128, 176, true, Several, 1.65, 3.05, 2.129},
    {128, false, 128, 192, true, Several, 1.08, 3.18, 2.351},
    {128, false, 128, 176, true, One, 0.75, 2.87, 2.150, 0, 0, false, 48},
    {128, true, 128, 128, true, One, 1.27, 3.71, 1.591},
    {128, true, 128, 128, true, Several, 3.33, 2.43, 1.531},
    {128, true, 128, 128, false, One, 2.84, 3.63, 1.688},
    {64, false, 192, 128, true, One, 1.63, 3.62, 1.407},
    {64, false, 192, 128, true, Several, 3.24, 1.86, 1.536},
    {64, false, 128, 128, true, Several, 3.03, 1.38, 1.185},
    {64, false, 128, 128, true, One, 1.63, 2.71, 1.208},
    {64, true, 192, 128, true, One, 1.93, 4.30, 1.492},
    {64, true, 192, 128, true, One, 1.89, 2.54, 1.486, 0, 0, true},
    {64, true, 128, 128, true, One, 1.52, 2.86, 1.123},
    {64, true, 128, 128, true, Several, 2.48, 2.54, 1.096},
    {64, true, 128, 128, false, One, 2.12, 2.54, 1.355},
    {128, false, 128, 128, true, Ahead, 2.89, 1.23, 1.648},
    {128, true, 128, 128, true, Ahead, 4.01, 2.13, 1.554},
    {64, false, 192, 128, true, Ahead, 2.41, 1.73, 1.458},
    {64, true, 192, 128, true, Ahead, 5.31, 1.44, 1.431, 0, 0, true},
    {64, true, 128, 128, true, Ahead, 4.68, 0.66, 1.282, 0, 0, true},
    {64, true, 128, 128, true, Ahead, 6.51, 1.01, 1.224},
    {64, true, 64, 64, false, One, 2.94, 1.21, 0.338, 1.00, 0.61},
};

/// Whether the keys behind the last whole block of a shape fill a narrow one, but for less than 16.
static bool fits(const AttentionShape &shape, const Variant &v) {
  return ceilDiv((shape.keys - 1) % v.keys + 1, 16) * 16 == v.tail;
}

/// Tiles of a launch without a mask, of which a multiprocessor has one at a time.
static int64_t wavesOf(const AttentionShape &shape, int64_t rows, bool pack) {
  int64_t units = ceilDiv(shape.queries, 64),
          group = shape.heads / shape.headsK;
  int64_t tiles = pack ? shape.headsK * ceilDiv(group * units, rows / 64)
                       : shape.heads * ceilDiv(shape.queries, rows);
  return ceilDiv(shape.batches * tiles, multiprocessors);
}

/// Whether heads of a group share tiles: where that was measured, and saves a wave.
static bool packs(const AttentionShape &shape, const Variant &v) {
  return v.size == 64 && !v.masks && v.rows == 192 && v.tiles == One &&
         wavesOf(shape, v.rows, true) < wavesOf(shape, v.rows, false);
}

static double estimate(const AttentionShape &shape, const Variant &v,
                       int64_t tail, bool pack) {
  int64_t heads = shape.batches * shape.heads;
  int64_t rowTiles = ceilDiv(shape.queries, v.rows), tiles = heads * rowTiles;
  if (!v.masks) {
    double blocks = double(ceilDiv(shape.keys, v.keys));
    if (tail)
      blocks = double(std::max<int64_t>(
                          ceilDiv(shape.keys + v.keys - tail, v.keys), 2) -
                      1) +
               double(tail) / double(v.keys);
    return v.launch +
           double(wavesOf(shape, v.rows, pack)) * (v.tile + blocks * v.block);
  }
  // Blocks of the row tile that is the `at`-th longest.
  auto blocks = [&](int64_t at) {
    int64_t end = (rowTiles - at) * v.rows + shape.keys - shape.queries;
    return ceilDiv(std::clamp<int64_t>(end, 1, shape.keys), v.keys);
  };
  double longest = v.tile + blocks(0) * v.block;
  double all = 0;
  for (int64_t at = 0; at < rowTiles; ++at)
    all += heads * (v.tile + blocks(at) * v.block);
  double busy = all / multiprocessors;
  if (tiles > multiprocessors && !v.persistent())
    busy += (v.tile + blocks(rowTiles - 1) * v.block) / 2;
  if (v.persistent() && tiles <= 64 * multiprocessors) {
    // Heads go by in bands that fit the L2 cache (AttentionText::launch).
    // With a tile ahead it is heads of K that are counted.
    bool ahead = v.tiles == Ahead;
    int64_t one =
        std::max<int64_t>(bandBytes(ahead) / (shape.keys * 2 * v.size * 2), 1);
    if (ahead)
      one *= shape.heads / shape.headsK;
    int64_t bands = ceilDiv(heads, one);
    int64_t band = ceilDiv(heads, bands), places = bands * band * rowTiles;
    int64_t end = (places - 1) % multiprocessors;
    busy = 0;
    // The first and the last CTA, one between them, and those where the last round ends.
    for (int64_t cta : {int64_t(0), multiprocessors / 2, multiprocessors - 1,
                        end, multiprocessors - 1 - end}) {
      double its = 0;
      for (int64_t round = 0; round * multiprocessors < places; ++round) {
        bool down = ahead && round % 2;
        int64_t tile =
            round * multiprocessors + (down ? multiprocessors - 1 - cta : cta);
        if (tile >= places)
          break;
        bool isHead = tile / (band * rowTiles) * band + tile % band < heads;
        its += v.tile + (isHead ? blocks(tile / band % rowTiles) : 1) * v.block;
      }
      busy = std::max(busy, its);
    }
  }
  double alone = v.aloneTile ? v.aloneTile + blocks(0) * v.aloneBlock : longest;
  return v.launch + std::max(alone, busy);
}

/// Behind the kernel before it a launch's start is hidden, 0.5 to 1 us: 0 to 4 % of
/// what takes less than 200 us (h200-attention-programmatic.json). Causal tiles of
/// 192 rows with one ahead lost 1 and 2 % at two shapes of five, and gained 1 at the others;
/// without it they gained 0.4 % at the one shape that was measured.
static bool startsEarly(const AttentionOptions &o, double time) {
  return time < 200 && !o.ragged && !(o.rows == 192 && o.causal && o.ahead);
}

/// Whether ptxas spills registers of it (benchmarks/spills.py), of a window's two
/// edges: 240 bytes in tiles of 192 rows where no causal mask makes one of them
/// known, 16 of size 128 where a CTA has several tiles.
static bool spills(const Variant &v, const AttentionOptions &o) {
  return o.window &&
         ((!o.causal && v.rows == 192) || (v.size == 128 && v.persistent()));
}

static bool is(const Variant &v, const AttentionOptions &o) {
  return v.size == o.size && v.masks == (o.causal || o.window) && !spills(v, o);
}

std::optional<double>
kernels::estimateAttention(const AttentionShape &shape,
                           const AttentionOptions &options) {
  Result<AttentionOptions> o = checkAttention(options);
  if (!o)
    return std::nullopt;
  if (o->decode)
    return std::nullopt;
  for (const Variant &v : variants)
    if (is(v, *o) && v.rows == o->rows && v.keys == o->keys &&
        v.turns == *o->turns && v.persistent() == o->persistent &&
        (v.tiles == Ahead) == o->ahead && v.skip == *o->skip &&
        v.tail == o->tail)
      return estimate(shape, v, o->tail, o->pack);
  return std::nullopt;
}

AttentionOptions
kernels::pickAttention(const AttentionShape &shape,
                       const AttentionOptions &given,
                       const std::function<void(AttentionOptions &)> &settle) {
  AttentionOptions picked = given;
  if (given
          .decode) // One kernel for every shape: its launch deals the blocks out.
    return picked;
  // Of what the model knows, and of what it knows but for what is given.
  double known = std::numeric_limits<double>::max(), near = known;
  for (const Variant &v : variants) {
    if (!is(v, given))
      continue;
    AttentionOptions o = given;
    o.rows = v.rows;
    o.keys = v.keys;
    o.turns = v.turns;
    o.persistent = v.persistent();
    o.ahead = v.tiles == Ahead;
    o.skip = given.skip.value_or(v.skip && !given.ragged);
    if (v.tail && (given.ragged || given.tail || !fits(shape, v)))
      continue;
    o.tail = given.tail ? given.tail : v.tail;
    o.pack = given.pack || (!given.ragged && packs(shape, v));
    if (settle)
      settle(o);
    // Ahead it is faster, 4 % in the mean, and titan check cannot decide it; nobody has measured it of tiles that
    // are persistent alone: for who asks for it.
    if (*o.skip && o.persistent && !given.skip.value_or(false))
      o.skip = false;
    if (!checkAttention(o))
      continue;
    std::optional<double> its = estimateAttention(shape, o);
    double time = its.value_or(estimate(shape, v, o.tail, o.pack));
    bool none = known == std::numeric_limits<double>::max();
    double &best = its ? known : near;
    if (time < best && (its || none)) {
      best = time;
      picked = o;
      if (!picked.programmatic)
        picked.programmatic = startsEarly(*checkAttention(o), time);
    }
  }
  return picked;
}
