//===- Gemm.h - matrix products, from parameters to titan IR ----*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D = activation(alpha * A * B^T + beta * C + bias): A is M x K, B is N x K, D
// is M x N, sums in f32. A kernel for Hopper is chosen by few parameters, and
// written as a person would write it:
//
//   gate       D = activation(alpha * A * G^T + g) * (alpha * A * U^T + u): B is
//              2N x K, G above U, and the bias g before u (SwiGLU: silu)
//   batch      equal: A, B and D have one dimension more, outermost, and bias is
//              batches x N. grouped: rows offsets[g] to offsets[g + 1] of A and
//              D belong to B[g] and bias[g]
//   tile       what a CTA computes of D at a time, and how deep a stage is
//   stages     how many pieces of A and B are on their way
//   buffers    through so many buffers D leaves a tile, panel after panel
//   panel      of so many columns: of narrow ones two are on their way in the bytes
//              of one that is twice as wide; with `swap`, of so many rows of D, or,
//              if none are given, D's elements go one by one
//   cluster    2x1: two CTAs one above the other share B: each loads half of
//              it, and multicasts that to both. 1x2: side by side; they share A
//   consumers  cooperative: all warpgroups multiply one tile. pingpong: two
//              warpgroups take turns; one stores while the other multiplies
//   band       the order of tiles: bands of so many rows of tiles, and column
//              by column in a band, so that what runs at a time is nearly a
//              square, and its panels of A and B fit the L2 cache
//   swap       D^T = B * A^T, for small M: the 64 rows that an instruction has
//              are 64 columns of D
//   split      so many CTAs of a cluster share a tile's K. Each multiplies its
//              part of K; then each collects some panels of the tile from the
//              others' registers, adds them up and stores them:
//
//                rank 0: sums of K's part 0   | own | ->1 | own | ->1 |
//                rank 1: sums of K's part 1   | ->0 | own | ->0 | own |
//
//   streamK    as many waves of whole tiles as leave more than one tile, and no more
//              than two, a CTA; the steps of K of the tiles that are left lie on one
//              line, of which each CTA has an even share (Osama et al., Stream-K,
//              PPoPP 2023: two-tile stream-K and data-parallel). Who has a tile's
//              last steps adds up what lower CTAs have of it, by way of pages in
//              global memory:
//
//                CTA 0: | first part of tile 9 | tile 8              | whole tiles |
//                CTA 1: | first of tile 10     | the rest of tile 9  | whole tiles |
//
//   promote    a stage's products start from nothing, and are added in f32 to the
//              sums: those of fp8 keep 13 bits of fraction in the tensor cores
//              (docs/hardware-mma.md), and so lose what tileK / 32 instructions
//              cut off, and not what K / 32 do
//   rowBytes   16: TMA copies A, B and D, whose rows begin at multiples of so many
//              bytes. 8 and 4: four warps copy A and B by cp.async, so many bytes at a
//              time; 2: by loads and stores of elements. D is then stored element by
//              element, by the threads that hold its sums
//   once       B leaves the L2 cache first: a box of it is read once, or by CTAs that
//              run at the same time
//   programmatic  the launch begins while the kernel before it in the stream
//              still runs: its blocks come in as that one's leave, set up their
//              barriers, and wait for its end before they touch memory
//
//   Result<std::string> text = generateGemm(options);
//
// pickGemm is the model: from a shape to parameters, in microseconds.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_KERNELS_GEMM_H
#define TITAN_KERNELS_GEMM_H

#include "titan/Layout/Result.h"
#include "titan/Target/Target.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace titan::kernels {

enum class Element : uint8_t { BF16, F16, F32, E4M3, E5M2 };
enum class Consumers : uint8_t { Cooperative, Pingpong };
enum class Activation : uint8_t { None, ReLU, GELU, GELUTanh, SiLU };
enum class Batch : uint8_t { None, Equal, Grouped };

/// As MLIR writes it ("f8E4M3FN").
std::string_view toString(Element element);
std::string_view toString(Consumers consumers);
std::string_view toString(Activation activation);
int64_t bytesOf(Element element);

/// The target of the kernels: the one with wgmma.
const TargetInfo &builtFor();

/// Panels of D's columns, side by side, the first at `first` * `width`.
struct GemmPanels {
  int64_t width = 0, first = 0, count = 0;
};

struct GemmOptions {
  std::string name = "gemm";
  Element input = Element::BF16, output = Element::BF16;
  /// Stored K x M, and K x N.
  bool transposedA = false, transposedB = false;

  int64_t tileM = 128, tileN = 256, tileK = 64;
  int64_t stages = 0;  ///< 0: as many as shared memory holds.
  int64_t buffers = 0; ///< For D; 0: as panelBuffers() says.
  int64_t panel =
      0; ///< Columns, at most; 0: a row of 128 bytes. With swap: rows
         ///< of D, at most; 0: no panels.
  int64_t clusterM = 1, clusterN = 1;
  Consumers consumers = Consumers::Cooperative;
  int64_t band = 8;
  bool swap = false;
  int64_t split = 1;
  /// None: as pickGemm finds for a shape; a kernel either has it or has not.
  std::optional<bool> streamK = false;
  bool programmatic = false;
  bool once = false; ///< Of B, which TMA loads: cache(evict_first).
  int64_t rowBytes = 16;
  bool promote = false;

  Batch batch = Batch::None;
  bool gate = false;
  bool alpha = false, beta = false, bias = false;
  Activation activation = Activation::None;

  /// Whether tiles are cut between CTAs by stream-K.
  bool cuts() const { return streamK.value_or(false); }
  /// Whether threads copy A and B, and store D, in TMA's place.
  bool copiesByThreads() const { return rowBytes < 16; }
  /// Whether D's elements go one by one.
  bool storesElements() const {
    return copiesByThreads() || (swap && panel == 0);
  }
  /// Whether panels of sums are columns of D, and leave as its rows.
  bool turnsPanels() const { return swap && !storesElements(); }
  bool isFp8() const { return bytesOf(input) == 1; }
  /// Of K: a row of 128 bytes, the widest swizzle's.
  int64_t rowElements() const { return 128 / bytesOf(input); }
  /// Rows and columns of D that a cluster computes at a time.
  int64_t spanM() const { return tileM * clusterM; }
  int64_t spanN() const { return tileN * clusterN / (gate ? 2 : 1); }
  /// CTAs that share loads, and CTAs of a cluster.
  int64_t cluster() const { return clusterM * clusterN; }
  int64_t ctas() const { return cluster() * split; }
  /// Of the matrix instruction's result: rows and columns of the tile, or, with
  /// `swap`, columns and rows.
  int64_t rows() const { return swap ? tileN : tileM; }
  int64_t columns() const { return swap ? tileM : tileN; }
  /// Columns of the tile that leave, which a gate halves.
  int64_t columnsOut() const { return gate ? columns() / 2 : columns(); }
  /// Warpgroups that multiply, and those of them that share a tile.
  int64_t warpgroups() const;
  int64_t warpgroupsPerTile() const;
  /// Registers of a thread that hold sums.
  int64_t sumRegisters() const;
  /// C's elements are loaded beside so many sums that those of a wide panel would
  /// not find room: D leaves in the narrowest ones.
  bool loadsBesideSums() const {
    return beta && !storesElements() && sumRegisters() > 128;
  }
  /// Columns of sums that leave at a time, at most; how a tile is cut into such
  /// panels (176 columns: two of 64, one of 32, one of 16); and the buffers, each
  /// for the widest, that it leaves through.
  int64_t widestPanel() const;
  int64_t panelWidth() const;
  int64_t leastPanelWidth() const;
  bool mixesPanels() const;
  std::vector<GemmPanels> panels() const;
  int64_t panelBuffers() const;
  int64_t stageBytes() const;
  int64_t panelBytes() const;
  /// What a CTA collects: so many panels of sums, one after another.
  int64_t collectedPanels() const;
  int64_t collectedBytes() const;
  /// The stages that there are: as given, or as many as fit.
  int64_t depth() const;
};

/// What no kernel can have (bad-argument), with what would be right.
Result<GemmOptions> checkGemm(GemmOptions options);

/// The kernel and its reference function, as the text of a file.
Result<std::string> generateGemm(const GemmOptions &options);

/// Of the GPU that the model reckons with, an H200.
inline constexpr int64_t multiprocessors = 132;

struct GemmShape {
  int64_t m = 0, n = 0, k = 0;
  int64_t batches = 1; ///< Or groups, each of `m` rows.
  /// Whether there is one.
  explicit operator bool() const { return m != 0; }
};

/// Microseconds that a launch should take, by the model (GemmModel.cpp).
double estimateGemm(const GemmShape &shape, const GemmOptions &options);

/// The tile, cluster, consumers, band, swap, split, B's way through the cache and the
/// kind of launch that the model finds fastest for a shape; types, layouts and the epilogue stay as they are given.
/// `settle` puts into a candidate what of the former is given, too: the rest is picked to fit
/// it. Where no candidate can be, `given` comes back, for checkGemm to say why.
GemmOptions pickGemm(const GemmShape &shape, const GemmOptions &given,
                     const std::function<void(GemmOptions &)> &settle = {});

} // namespace titan::kernels

#endif // TITAN_KERNELS_GEMM_H
