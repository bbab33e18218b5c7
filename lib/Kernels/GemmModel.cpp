//===- GemmModel.cpp - from a shape to a GEMM's parameters ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch takes as many waves as there are tiles for each multiprocessor, a
// wave as many steps as K has, and a step as long as the slowest of
//
//   the tensor cores   tileM * tileN * tileK / 2048 cycles, at the share of
//                      them that was measured for this tile
//   the L2 cache       the bytes that come over it, less what is multicast;
//                      half as fast where rows begin in the middle of a line
//
// To this come the start of a launch, the part of an epilogue that nothing
// hides, what CTAs that share K send each other, and, as a floor, the bytes that
// go to and from device memory. All tiles that a kernel can have are tried. The
// numbers were fitted to benchmarks/results/h200-gemm-sweep.json and
// h200-gemm-split.json, to which a test holds what is picked; what they mean is in
// benchmarks/README.md.
//
//===----------------------------------------------------------------------===//
#include "titan/Kernels/Gemm.h"

#include "Model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

using namespace titan;
using namespace titan::kernels;

namespace {

/// An H200 under load. Microseconds, and what happens in one of them.
struct Machine {
  double cycles = 1500;   ///< The clock that the power limit leaves.
  double products = 2048; ///< Of 16-bit elements, a multiprocessor and cycle.
  double l2Bytes = 100e3; ///< A multiprocessor.
  double memoryBytes = 4.3e6; ///< All of them.
  double start = 3.2;         ///< Until the first product, and the last store.
  double clusterStart = 0.6;  ///< More of it for a cluster.
  double cacheBytes = 52.4e6; ///< L2.
  double exchange = 0.5;      ///< Until peers' sums are there.
  double split = 0.8; ///< Of the time of whole K, that a split must promise.
  /// Of the time of whole tiles, that stream-K must promise: in five shapes where
  /// 0.95 of it were promised it took 1.06 to 1.32 times as long
  /// (h200-gemm-stream-k.json).
  double cut = 0.7;

  /// Clusters that run at a time: they do not lie across groups of
  /// multiprocessors, of which some have not as many as others. Of clusters of
  /// four some 28 were seen to run, of eight 14.
  int64_t clusters(int64_t ctas) const {
    return (ctas > 2 ? multiprocessors * 7 / 8 : multiprocessors) / ctas;
  }
  /// To a CTA from the others of its cluster: all send to one, then to the next.
  double peerBytes(int64_t ctas) const { return ctas > 2 ? 10e3 : 15e3; }
};

} // namespace

/// The share of the tensor cores' cycles that steps of a tile reach. Under load
/// it is the power limit's, and nearly the same for all.
static double efficiency(const GemmOptions &o) {
  bool pingpong = o.consumers == Consumers::Pingpong;
  double share = pingpong ? 0.865 : 0.845;
  // Two CTAs in step lose some of it, the more the shorter a step is.
  if (o.cluster() > 1)
    share = o.rows() < 128 || o.columns() < 160 ? 0.7
            : o.columns() < 192                 ? 0.845
            : pingpong                          ? 0.868
                                                : 0.855;
  // The shorter the ring, the more of the loads' latency shows.
  int64_t depth = o.depth();
  share *= depth < 3 ? 0.9 : depth < 4 ? 0.97 : 1;
  if (depth < 5 && pingpong && o.cluster() == 1)
    share -= 0.01;
  if (!pingpong && o.rows() * o.columns() > 128 * 256)
    share = 0.82;
  // As much power goes into twice as many products; and promoted, the tensor
  // cores wait for the sums, in turns those of both warpgroups.
  if (o.isFp8())
    share *= 0.95;
  if (o.promote)
    share *= (pingpong ? 0.7 : 0.9) * (o.cluster() > 1 ? 0.985 : 1);
  // An instruction of few columns reads more than it multiplies; how much so was
  // measured of swapped operands, and of 48 columns of others. With panels of rows
  // 72 and more are no slower than 128 (h200-gemm-sweep-turned.json).
  double columns = o.columns();
  if (o.turnsPanels() && columns > 64)
    return share;
  return share * (columns < 64    ? 0.62 * columns / 64 + (o.swap ? 0 : 0.08)
                  : columns < 128 ? 0.62 + 0.38 * (columns - 64) / 64
                                  : 1);
}

/// One row of very many tiles: a vocabulary's.
static bool isWide(const GemmShape &shape) {
  return shape.m > 32 && shape.m <= 128 && shape.n > 2 * 256 * multiprocessors;
}

/// Of A, B and D.
static double allBytes(const GemmShape &shape, const GemmOptions &o) {
  double rowsB = double(shape.n) * (o.gate ? 2 : 1);
  return double(shape.batches) *
         (bytesOf(o.input) * double(shape.k) * (double(shape.m) + rowsB) +
          double(bytesOf(o.output)) * shape.m * shape.n);
}

/// Microseconds that the tensor cores take for a step.
static double multiplyTime(const GemmOptions &o) {
  const Machine machine;
  double products = double(o.tileM) * o.tileN * o.tileK;
  return products * bytesOf(o.input) / 2 / machine.products / machine.cycles /
         efficiency(o);
}

/// Microseconds until a tile's sums are stored.
static double storeTime(const GemmOptions &o) {
  double cycles =
      o.rows() * o.columns() / 128.0 / o.warpgroupsPerTile() / o.split * 20;
  if (!o.swap || o.turnsPanels()) {
    double panels = 0;
    for (const GemmPanels &some : o.panels())
      panels += some.count;
    // Of narrow ones each takes less.
    panels *= double(o.widestPanel() * bytesOf(o.output)) / 128;
    cycles =
        700 + (100 + 350 * o.rows() / 64.0 / o.warpgroupsPerTile()) * panels;
  }
  return cycles / Machine().cycles;
}

static int64_t stepsOf(const GemmShape &shape, const GemmOptions &o) {
  return ceilDiv(shape.k, o.tileK * o.split);
}

namespace {
/// Of stream-K: waves of whole tiles, and the microseconds that the rest takes.
struct Cut {
  int64_t waves = 0;
  double time = 0;
};
} // namespace

/// `step`: microseconds of a step; `epilogue`: of a tile.
static Cut cutTiles(const GemmOptions &o, int64_t tiles, int64_t steps,
                    double step, double epilogue) {
  const Machine machine;
  int64_t ctas = std::min(machine.clusters(o.ctas()), tiles * steps);
  if (tiles % ctas == 0)
    return {.waves = tiles / ctas, .time = 0};
  int64_t waves = std::max<int64_t>(tiles / ctas, 1) - 1;
  int64_t rest = tiles - waves * ctas, share = ceilDiv(rest * steps, ctas);
  // A CTA's page is written first, which the other warpgroup's products hide; it
  // reads those of all who have begun its tile.
  double page =
      o.rows() * o.columns() * bytesOf(Element::F32) / machine.l2Bytes;
  double lent = o.consumers == Consumers::Pingpong ? 0 : page;
  double helpers = std::max<int64_t>(1, ceilDiv(steps, share) - 1);
  return {.waves = waves,
          .time = share * step + ceilDiv(rest, ctas) * epilogue + lent +
                  machine.exchange + helpers * page};
}

double kernels::estimateGemm(const GemmShape &shape, const GemmOptions &o) {
  Machine machine;
  // Of groups the last tile of each is half full on average.
  double tilesM = o.batch == Batch::Grouped
                      ? std::max(1.0, double(shape.m) / o.spanM() + 0.5)
                      : double(ceilDiv(shape.m, o.spanM()));
  // No memory has as many; times steps these fit into 64 bits.
  constexpr double most = int64_t{1} << 32;
  auto tiles = int64_t(std::min(
      most, std::ceil(shape.batches * tilesM * ceilDiv(shape.n, o.spanN()))));
  int64_t waves = ceilDiv(tiles, machine.clusters(o.ctas()));
  int64_t steps = stepsOf(shape, o);
  double bytes = bytesOf(o.input), multiply = multiplyTime(o);
  auto straddles = [&](bool transposed, int64_t rows) {
    return int64_t((transposed ? rows : shape.k) * bytes) % 128 != 0;
  };
  double fill = 0, loaded = 0;
  auto load = [&](int64_t rows, bool straddling) {
    fill += rows * o.tileK * bytes / machine.l2Bytes * (straddling ? 2 : 1);
    loaded += bytes * rows * shape.k * o.cluster() * tiles;
  };
  load(o.tileM / o.clusterN, straddles(o.transposedA, shape.m));
  load(o.tileN / o.clusterM, straddles(o.transposedB, shape.n));

  // A tile's epilogue is hidden by the other warpgroup's products, as far as
  // these take as long; else the tensor cores wait for it.
  double hidden = 150.0 * o.cluster() / machine.cycles, stores = storeTime(o);
  bool turns = o.consumers == Consumers::Pingpong;
  double main = steps * std::max(multiply, fill);
  double epilogue = turns ? hidden + std::max(0.0, stores - main) / 2 : stores;
  Cut cut;
  if (o.cuts()) {
    cut = cutTiles(o, tiles, steps, std::max(multiply, fill), epilogue);
    waves = cut.waves;
  }
  if (o.split > 1)
    epilogue +=
        machine.exchange + o.collectedBytes() / machine.peerBytes(o.split);
  double last = turns ? std::max(1500 / machine.cycles, stores / 3) : 0;
  double start = machine.start + (o.ctas() > 1 ? machine.clusterStart : 0);
  double busy = waves * (main + epilogue) + cut.time + last;

  // Device memory: everything once; longer pieces of a row are read faster.
  double all = allBytes(shape, o);
  double reached = 1 - 0.06 * o.rowElements() / o.tileK;
  // Where B is most of it, A's coming again from the L2 cache is in its way.
  double again = isWide(shape) && shape.m > 64
                     ? std::clamp(loaded / all, 1.0, 2.0) - 1
                     : 0;
  // The two overlap, but not wholly.
  double memory = all / machine.memoryBytes / reached * (1 + 0.13 * again);
  // Few bytes on their way: less comes.
  double flight = double(o.depth()) * o.stageBytes() / 200e3;
  if (o.batch == Batch::Equal)
    memory *= 1 + 0.25 * std::max(0.0, 1 - flight);
  return start + std::max(busy, memory) + 0.15 * std::min(busy, memory);
}

/// Whether D is most of what is moved.
static bool isMostlyResult(const GemmShape &shape, const GemmOptions &o) {
  double inputs = bytesOf(o.input) * double(shape.k) * (shape.m + shape.n);
  return bytesOf(o.output) * double(shape.m) * shape.n >= 2 * inputs;
}

/// Rows of tiles in a band: what runs at a time is nearly a square, so that its
/// panels are few. Where D is most of what is moved, tiles go along its rows:
/// long pieces are written faster.
static int64_t pickBand(const GemmShape &shape, const GemmOptions &o) {
  int64_t rows = ceilDiv(shape.m, o.spanM());
  if (isMostlyResult(shape, o))
    return 1;
  int64_t band = 4;
  while (band < 16 && 2.5 * band * band * o.spanM() <
                          double(multiprocessors) / o.ctas() * o.spanN())
    band *= 2;
  return std::max<int64_t>(1, std::min(band, rows));
}

/// How D leaves the tiles of warpgroups that take turns. Where products do not
/// hide the stores, these take turns, too. Two narrow panels are better than a
/// wide one where products hide the stores barely, and better than two wide ones
/// where they do so well and the memory makes room for a stage
/// (h200-gemm-sweep-narrow.json). CTAs that share loads gained nothing.
static void pickPanels(const GemmShape &shape, GemmOptions &o) {
  double products = stepsOf(shape, o) * multiplyTime(o), stores = storeTime(o);
  if (stores > products) {
    o.buffers = 2;
    return;
  }
  if (o.cluster() > 1 || !o.mixesPanels() || o.loadsBesideSums() ||
      bytesOf(o.output) != 2)
    return;
  GemmOptions narrow = o;
  narrow.panel = 64 / bytesOf(o.output);
  narrow.buffers = 2;
  if (o.rows() == 128 ? stores > products / 12.5
                      : o.rows() == 64 && stores < products / 5 &&
                            narrow.depth() > o.depth())
    o = narrow;
}

/// Whether ptxas spills registers of it (benchmarks/spills.py): the sums of
/// warpgroups that take turns, beside pages of others' or rows of C; of those that
/// share a tile, beside both and the steps of an activation.
static bool spills(const GemmOptions &o) {
  if (o.consumers == Consumers::Cooperative)
    return o.cuts() && o.beta && o.sumRegisters() >= 192 &&
           o.activation != Activation::None && o.activation != Activation::ReLU;
  return (o.cuts() && o.sumRegisters() >= 128) ||
         (o.beta && (o.rows() == 192 || o.swap) && o.sumRegisters() >= 192);
}

/// As pickGemm, by estimates alone.
static GemmOptions
pickByEstimate(const GemmShape &shape, const GemmOptions &given,
               const std::function<void(GemmOptions &)> &settle) {
  // The fastest that leave K whole, of those that split it, and of those that
  // cut tiles.
  struct Candidate {
    GemmOptions options;
    double time = std::numeric_limits<double>::max();
  } whole{given}, parts{given}, cut{given};
  whole.options.streamK = given.cuts();
  const Machine machine;
  auto considerOne = [&](bool cuts, Consumers consumers, int64_t tileM,
                         int64_t tileN, int64_t tileK, int64_t clusterM,
                         int64_t split, bool swap, int64_t clusterN) {
    GemmOptions o = given;
    auto settleRest = [&] {
      if (settle)
        settle(o);
      if (!o.streamK)
        o.streamK = cuts;
    };
    o.consumers = consumers;
    o.tileM = tileM;
    o.tileN = tileN;
    o.tileK = tileK / 64 * o.rowElements(); // Given in bf16's.
    o.clusterM = clusterM;
    o.clusterN = clusterN;
    o.split = split;
    o.swap = swap;
    o.stages = 0;
    settleRest();
    // Of more than 64 rows elements are slower than panels, where TMA can store D.
    if (o.swap && o.tileM > 64 && !o.panel && bytesOf(o.output) == 2 &&
        !o.copiesByThreads() && shape.n % 8 == 0) {
      o.panel = 32;
      // Where a warpgroup has three boxes side by side ptxas spills some of what says
      // where they go, of 13 panels and more (spills.py).
      if (o.loadsBesideSums())
        o.panel = o.leastPanelWidth() *
                  (o.rows() / o.warpgroupsPerTile() > 128 ? 2 : 1);
    }
    if (o.consumers == Consumers::Pingpong && !o.buffers && !o.panel)
      pickPanels(shape, o);
    o.band = pickBand(shape, o); // Of the tile that there will be.
    settleRest();
    if (!checkGemm(o))
      return;
    auto &best = o.cuts() ? cut : o.split > 1 ? parts : whole;
    // Of 16 rows or fewer those with operands as they are took longer than this,
    // and swapped ones in several rows of tiles: where elements leave one by one,
    // K is short, or an instruction has few columns (h200-gemm-sweep-turned.json).
    double slower = 1;
    if (!o.swap && shape.m <= 16)
      slower = 1.1;
    if (o.swap && shape.m > o.tileM)
      slower = !o.turnsPanels() || shape.k < 1024 ? 1.06
               : o.tileM < 128                    ? 1.045
                                                  : 1;
    if (spills(o)) // Where no other tile was asked for.
      slower *= 2;
    // Among equals the first: what is simpler, or reads longer rows.
    if (double time = slower * estimateGemm(shape, o); time < 0.998 * best.time)
      best = {o, time};
  };
  auto consider = [&](Consumers consumers, int64_t tileM, int64_t tileN,
                      int64_t tileK, int64_t clusterM, int64_t split, bool swap,
                      int64_t clusterN = 1) {
    for (bool cuts : {false, true})
      if (given.streamK.value_or(cuts) == cuts)
        considerOne(cuts, consumers, tileM, tileN, tileK, clusterM, split, swap,
                    clusterN);
  };
  for (Consumers consumers : {Consumers::Pingpong, Consumers::Cooperative})
    for (int64_t rows : {128, 192, 64, 256})
      for (int64_t columns = 256; columns >= 64; columns -= 16)
        for (int64_t cluster : {1, 2})
          consider(consumers, rows, columns,
                   rows * columns > 64 * 64 ? 64 : 128, cluster, /*split=*/1,
                   /*swap=*/false);
  // The smallest tiles' steps are so short that half as many are faster
  // (h200-gemm-sweep-small.json). Up to 64 rows swapped operands were.
  if (shape.m > 64)
    consider(Consumers::Cooperative, 64, 48, 128, 1, /*split=*/1,
             /*swap=*/false);
  // Longer pieces of B; or, of 128 rows, two CTAs that share A.
  if (isWide(shape))
    for (Consumers consumers : {Consumers::Pingpong, Consumers::Cooperative}) {
      if (shape.m <= 64)
        consider(consumers, 64, 128, 128, 1, /*split=*/1, /*swap=*/false);
      for (int64_t columns = 256; columns >= 128 && shape.m > 64; columns -= 16)
        consider(consumers, 128, columns, 64, 1, /*split=*/1, /*swap=*/false,
                 /*clusterN=*/2);
    }
  // Few tiles: the CTAs of a cluster share each one's K.
  for (int64_t split : {2, 4, 8})
    for (int64_t rows : {128, 192, 64, 256})
      for (int64_t columns = 256; columns >= 64; columns -= 16)
        consider(Consumers::Cooperative, rows, columns, 64, 1, split,
                 /*swap=*/false);
  // Few rows of D: an instruction's rows are columns of D instead, and a tile has
  // all rows, or an even share of them.
  for (int64_t shares = 1; shares <= 16; ++shares) {
    int64_t few = std::max<int64_t>(16, ceilDiv(shape.m, 8 * shares) * 8);
    if (few > 256 || few * (shares - 1) >= shape.m)
      continue;
    for (int64_t columns : {64, 128, 256})
      for (int64_t tileK : {256, 128, 64})
        for (int64_t split : {1, 2, 4, 8}) {
          if ((tileK != 64 && few > 64) || (split > 1 && shares > 1))
            continue;
          consider(Consumers::Cooperative, few, columns, tileK, 1, split,
                   /*swap=*/true);
          // With one tile each there are no turns to take.
          if (shares * ceilDiv(shape.n, columns) > multiprocessors)
            consider(Consumers::Pingpong, few, columns, tileK, 1, split,
                     /*swap=*/true);
        }
  }
  // Many rows: swapped, a tile has any multiple of eight of them, and the most sums
  // (h200-gemm-sweep-turned.json).
  if (shape.m > 256 && given.batch == Batch::None && !given.isFp8())
    for (int64_t rows = 200; rows >= 136; rows -= 8)
      if (ceilDiv(shape.m, rows) * ceilDiv(shape.n, 128) > multiprocessors)
        consider(Consumers::Pingpong, rows, 128, 64, 1, /*split=*/1,
                 /*swap=*/true);
  Candidate fastest = parts.time < machine.split * whole.time ? parts : whole;
  if (cut.time < machine.cut * fastest.time)
    fastest = cut;
  GemmOptions picked = fastest.options;
  // Behind the kernel before it, a launch's start is hidden, 0.5 to 1 us; but
  // where several rows of tiles read more of B than the cache keeps, its CTAs
  // begin so far from each other that they read it several times. And where few
  // CTAs are left over beside the multiprocessors that the kernel before it
  // leaves free (72 CTAs, of which 60 find room), these come late: 7 to 19 % more.
  double all = allBytes(shape, given);
  double ctas = double(shape.batches) * ceilDiv(shape.m, picked.spanM()) *
                ceilDiv(shape.n, picked.spanN()) * picked.ctas();
  if (picked.cuts())
    ctas = multiprocessors;
  bool left = 2 * ctas > multiprocessors && 5 * ctas < 3 * multiprocessors;
  picked.programmatic =
      given.programmatic ||
      (!left &&
       (shape.m <= picked.tileM || isMostlyResult(shape, picked) ||
        picked.batch == Batch::Equal || all <= machine.cacheBytes / 2));
  // Of few rows, where a CTA has one tile, what is read of B is not wanted again: 0 to
  // 4 % less time, where A and D keep their place. CTAs that go from tile to tile, or
  // wide tiles, lost up to 5 % (h200-gemm-sweep-once.json).
  picked.once = given.once ||
                (shape.m <= 128 && picked.tileN <= 128 &&
                 ctas <= multiprocessors && given.batch == Batch::None &&
                 !given.gate && !picked.cuts() && !picked.copiesByThreads());
  bool cuts = picked.cuts();
  if (settle)
    settle(picked);
  if (!picked.streamK)
    picked.streamK = cuts;
  return picked;
}

namespace {
/// What was faster for a shape than what the estimates find.
struct Shown {
  int64_t batches = 1, m, n, k;
  int64_t tileM, tileN, tileK;
  bool swap = false;
  int64_t clusterM = 1;
  /// None: as the estimates find.
  std::optional<Consumers> consumers;

  void apply(GemmOptions &o) const {
    o.tileM = tileM;
    o.tileN = tileN;
    o.tileK = tileK;
    o.swap = swap;
    o.clusterM = clusterM;
    o.split = o.clusterN = 1;
    o.consumers = consumers.value_or(o.consumers);
  }
  /// Whether it says something of such a product: of bf16, K innermost.
  bool isOf(const GemmShape &shape, const GemmOptions &o) const {
    return shape.m == m && shape.n == n && shape.k == k &&
           shape.batches == batches &&
           o.batch == (batches > 1 ? Batch::Equal : Batch::None) && !o.gate &&
           o.input == Element::BF16 && o.output == Element::BF16 &&
           !o.transposedA && !o.transposedB;
  }
};
} // namespace

/// Products of bf16, both operands with K innermost, each by a raw figure in
/// benchmarks/results (GemmModelTest compares them).
static constexpr Shown shown[] = {
    // h200-gemm-sweep-rows.json: 56.4 us; 16 x 64 x 256 takes 58.4.
    {.m = 1,
     .n = 28672,
     .k = 4096,
     .tileM = 8,
     .tileN = 64,
     .tileK = 128,
     .swap = true},
    // h200-gemm-sweep-narrow.json, TFLOP/s of what the estimates find and of this:
    // 371 and 397, 620 and 646.
    {.m = 1024,
     .n = 1024,
     .k = 1024,
     .tileM = 64,
     .tileN = 128,
     .tileK = 64,
     .consumers = Consumers::Pingpong},
    {.m = 777,
     .n = 3584,
     .k = 18944,
     .tileM = 88,
     .tileN = 256,
     .tileK = 64,
     .swap = true},
    // h200-gemm-sweep-turned.json, of several runs: 550 and 576, 568 and 549, 571 and
    // 603; 548 and 548, 523 and 537; 683 and 718, 607 and 614.
    {.m = 200,
     .n = 8192,
     .k = 28672,
     .tileM = 104,
     .tileN = 128,
     .tileK = 64,
     .swap = true,
     .consumers = Consumers::Cooperative},
    // And h200-gemm-sweep-once.json: 526 and 547, 535 and 551.
    {.m = 200,
     .n = 8192,
     .k = 8192,
     .tileM = 104,
     .tileN = 128,
     .tileK = 64,
     .swap = true,
     .consumers = Consumers::Cooperative},
    {.m = 4000,
     .n = 4104,
     .k = 1000,
     .tileM = 112,
     .tileN = 192,
     .tileK = 64,
     .swap = true,
     .clusterM = 2,
     .consumers = Consumers::Pingpong},
    {.m = 512,
     .n = 3584,
     .k = 18944,
     .tileM = 128,
     .tileN = 112,
     .tileK = 64,
     .consumers = Consumers::Cooperative},
    // h200-gemm-kinds-narrow.json: 320 and 343.
    {.batches = 128,
     .m = 128,
     .n = 4096,
     .k = 256,
     .tileM = 64,
     .tileN = 256,
     .tileK = 64,
     .clusterM = 2,
     .consumers = Consumers::Pingpong},
};

GemmOptions
kernels::pickGemm(const GemmShape &shape, const GemmOptions &given,
                  const std::function<void(GemmOptions &)> &settle) {
  for (const Shown &row : shown) {
    auto apply = [&](GemmOptions &o) {
      row.apply(o);
      if (settle)
        settle(o);
    };
    GemmOptions o = given;
    apply(o);
    bool kept = o.tileM == row.tileM && o.tileN == row.tileN &&
                o.tileK == row.tileK && o.swap == row.swap && o.split == 1 &&
                o.clusterM == row.clusterM && o.clusterN == 1 &&
                o.consumers == row.consumers.value_or(o.consumers) && !o.cuts();
    if (!row.isOf(shape, o) || !kept)
      continue;
    // With what is given there may be no such kernel.
    GemmOptions picked = pickByEstimate(shape, given, apply);
    if (checkGemm(picked))
      return picked;
  }
  return pickByEstimate(shape, given, settle);
}
