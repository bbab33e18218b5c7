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
// hides, and, as a floor, the bytes that go to and from device memory. The
// numbers were fitted to benchmarks/results/h200-gemm-sweep.json; what they
// mean is in benchmarks/README.md.
//
//===----------------------------------------------------------------------===//
#include "titan/Kernels/Gemm.h"

#include <algorithm>
#include <cmath>

using namespace titan;
using namespace titan::kernels;

namespace {

/// An H200 under load. Microseconds, and what happens in one of them.
struct Machine {
  int64_t multiprocessors = 132;
  double cycles = 1500;   ///< The clock that the power limit leaves.
  double products = 2048; ///< Of 16-bit elements, a multiprocessor and cycle.
  double l2Bytes = 100e3; ///< A multiprocessor.
  double memoryBytes = 4.3e6; ///< All of them.
  double start = 3.2;         ///< Until the first product, and the last store.
  double clusterStart = 0.6;  ///< More of it for a cluster.
};

/// A tile worth trying, and the share of the tensor cores' cycles that its
/// steps have reached.
struct Candidate {
  Consumers consumers;
  int64_t rows, columns, clusterM, clusterN;
  double efficiency;
};

constexpr Consumers cooperative = Consumers::Cooperative;
constexpr Consumers pingpong = Consumers::Pingpong;
constexpr Candidate candidates[] = {
    {pingpong, 128, 128, 1, 1, 0.865},    {pingpong, 128, 160, 1, 1, 0.868},
    {pingpong, 128, 176, 1, 1, 0.870},    {pingpong, 128, 192, 1, 1, 0.858},
    {pingpong, 192, 128, 1, 1, 0.860},    {pingpong, 128, 160, 2, 1, 0.840},
    {pingpong, 128, 176, 2, 1, 0.845},    {pingpong, 128, 192, 2, 1, 0.875},
    {cooperative, 128, 256, 1, 1, 0.855}, {cooperative, 128, 256, 2, 1, 0.855},
    {cooperative, 64, 128, 1, 1, 0.600},  {cooperative, 64, 256, 1, 1, 0.850},
};

} // namespace

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

double kernels::estimateGemm(const GemmShape &shape, const GemmOptions &o) {
  Machine machine;
  double efficiency = 0.6; // Of a tile that nobody has measured.
  for (const Candidate &c : candidates)
    if (c.consumers == o.consumers && c.rows == o.rows() &&
        c.columns == o.columns() && c.clusterM == o.clusterM &&
        c.clusterN == o.clusterN)
      efficiency = c.efficiency;
  int64_t tiles = ceilDiv(shape.m, o.tileM * o.clusterM) *
                  ceilDiv(shape.n, o.tileN * o.clusterN);
  int64_t waves = ceilDiv(tiles, machine.multiprocessors / o.cluster());
  int64_t steps = ceilDiv(shape.k, o.tileK);
  double bytes = bytesOf(o.input);

  double products = double(o.tileM) * o.tileN * o.tileK;
  double multiply = products / machine.products / machine.cycles / efficiency;
  auto straddles = [&](bool transposed, int64_t rows) {
    return int64_t((transposed ? rows : shape.k) * bytes) % 128 != 0;
  };
  double fill = 0;
  auto load = [&](int64_t rows, bool straddling) {
    fill += rows * o.tileK * bytes / machine.l2Bytes * (straddling ? 2 : 1);
  };
  load(o.tileM / o.clusterN, straddles(o.transposedA, shape.m));
  load(o.tileN / o.clusterM, straddles(o.transposedB, shape.n));

  // A tile's epilogue is hidden by the other warpgroup's products; else the
  // tensor cores wait for it.
  double panels = ceilDiv(o.columns(), o.panelWidth());
  double epilogue = o.consumers == pingpong
                        ? 150 * o.cluster() / machine.cycles
                        : (700 + 450 * panels) / machine.cycles;
  double last = o.consumers == pingpong ? 1500 / machine.cycles : 0;
  double start = machine.start + (o.cluster() > 1 ? machine.clusterStart : 0);
  double busy = waves * (steps * std::max(multiply, fill) + epilogue) + last;

  // Device memory: everything once; longer pieces of a row are read faster.
  double all = bytes * shape.k * (double(shape.m) + shape.n) +
               double(bytesOf(o.output)) * shape.m * shape.n;
  double reached = 1 - 0.06 * 64 / o.tileK;
  return start + std::max(busy, all / machine.memoryBytes / reached);
}

/// Rows of tiles in a band: what runs at a time is nearly a square, so that its
/// panels are few. Where D is most of what is moved, long pieces of its rows
/// count, which are written faster.
static int64_t pickBand(const GemmShape &shape, const GemmOptions &o) {
  Machine machine;
  int64_t rows = ceilDiv(shape.m, o.tileM * o.clusterM);
  double inputs = bytesOf(o.input) * double(shape.k) * (shape.m + shape.n);
  double outputs = bytesOf(o.output) * double(shape.m) * shape.n;
  int64_t band = 4;
  if (outputs < 2 * inputs)
    while (band < 16 && 2.5 * band * band * o.tileM * o.clusterM <
                            double(machine.multiprocessors) / o.cluster() *
                                o.tileN * o.clusterN)
      band *= 2;
  return std::max<int64_t>(1, std::min(band, rows));
}

GemmOptions kernels::pickGemm(const GemmShape &shape,
                              const GemmOptions &given) {
  GemmOptions best = given;
  double least = INFINITY;
  auto consider = [&](GemmOptions o) {
    o.stages = 0;
    o.band = pickBand(shape, o);
    if (Result<GemmOptions> checked = checkGemm(o)) {
      if (double time = estimateGemm(shape, o); time < least) {
        least = time;
        best = o;
      }
    }
  };
  for (const Candidate &c : candidates) {
    GemmOptions o = given;
    o.consumers = c.consumers;
    o.tileM = c.rows;
    o.tileN = c.columns;
    o.tileK = 64;
    o.clusterM = c.clusterM;
    o.clusterN = c.clusterN;
    o.swap = false;
    consider(o);
  }
  // Few rows of D: an instruction's 64 rows are columns of D instead.
  if (shape.m <= 64)
    for (int64_t tileK : {64, 128, 256}) {
      GemmOptions o = given;
      o.consumers = cooperative;
      o.tileM = std::max<int64_t>(16, ceilDiv(shape.m, 16) * 16);
      o.tileN = 64;
      o.tileK = tileK;
      o.clusterM = o.clusterN = 1;
      o.swap = true;
      consider(o);
    }
  return best;
}
