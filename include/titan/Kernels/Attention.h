//===- Attention.h - attention, from parameters to titan IR -----*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// O = softmax(scale * Q K^T) V, without the matrix of scores ever being whole:
// the keys go by in blocks, and each row keeps its maximum so far (so that no
// exponential overflows), its sum and its part of O, which are scaled down
// when a block brings a larger maximum. Q and O are batch x queries x heads x
// size, K and V batch x keys x heads x size, where a head of K and V may serve
// several of Q. A kernel for Hopper:
//
//   tile       rows of queries of a CTA, 64 a warpgroup, and keys of a block
//   stages     blocks of K, and of V, that are there or on their way
//   turns      the warpgroups take turns at the tensor cores: while one's
//              products run, the other computes its weights
//
//                first:  Q K1, W0 V |  weights 1  | Q K2, W1 V |  weights 2
//                second:  weights 0 | Q K1, W0 V  |  weights 1 | Q K2, W1 V
//
//   rescale    growing: the sums are scaled down where a row's maximum grew,
//              which is asked of each block; always: without asking; conditional:
//              a maximum that grows by less than 2^8 stays as it is, and so do
//              the sums
//   persistent a CTA computes tile after tile, and the next one's loads go
//              on under the end of this one
//   causal     row i sees the keys up to i + keys - queries; the longest rows
//              come first
//   window     and no more than so many before that (an argument)
//   tail       a tile's first block, of the last keys, is narrower than the others
//   pack       the rows of a tile are of several of the heads that share keys
//   lse        the logarithm of each row's sum goes out, too
//
// ragged: sequences of many lengths one behind the other: Q and O are rows x heads
// x size, K and V likewise, and cu_seqlens_q and cu_seqlens_k say where each
// sequence begins, and where the last one ends. A tile is of one sequence; one that
// crosses its end stores its rows one by one.
//
// decode: few queries and many keys, whose reading is all that takes time. The
// queries of the heads that one head of K serves are the rows of a tile, 64 at a
// time, so that K and V are read once; and the blocks of all tiles are dealt out
// evenly, so that a CTA may have the end of one tile and the beginning of the
// next. Two kernels, one after the other:
//
//   NAME          each CTA's part of O, weighted by its own sums, and the
//                 logarithm (to base 2) of these: row tile + CTA of Parts, Logs
//   NAME_combine  O of the parts of a tile
//
// ctas is an argument: the multiprocessors that are there, or fewer.
// page: K and V are pages x page x heads x size, and a table says for each batch
// which pages its keys are in; lengths how many there are.
//
//   Result<std::string> text = generateAttention(options);
//
// pickAttention is the model: from a shape to parameters, in microseconds.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_KERNELS_ATTENTION_H
#define TITAN_KERNELS_ATTENTION_H

#include "titan/Kernels/Gemm.h"

#include <optional>

namespace titan::kernels {

enum class Rescale : uint8_t { Always, Growing, Conditional };

struct AttentionOptions {
  std::string name = "attention";
  Element element = Element::BF16; ///< Of Q, K, V and O; sums are f32.
  int64_t size = 128;              ///< Of a head: 64 or 128.
  int64_t rows = 0, keys = 0;      ///< Of the tile; 0: by size and mask.
  int64_t stages = 0;              ///< 0: as many as shared memory holds.
  /// Unsaid: where they are faster, which is of three warpgroups, and at size 128.
  std::optional<bool> turns;
  /// Unsaid: always where there are turns, else growing, which are faster.
  std::optional<Rescale> rescale;
  bool persistent = false;
  /// Persistent: a tile's first scores are computed beside the last product of the tile before it; Q is there
  /// twice.
  bool ahead = false;
  /// Causal: a warpgroup leaves out the blocks of its tile that only the rows below its own see. Unsaid: where
  /// it is known to be faster and titan check decides the kernel, which is of three warpgroups at size 64, one tile a
  /// CTA, not ragged.
  std::optional<bool> skip;
  /// The launch begins while the kernel before it in the stream still runs, as GemmOptions says. Unsaid: decode's
  /// two kernels do, and of others those of which pickAttention finds it.
  std::optional<bool> programmatic;
  bool causal = false, window = false, lse = false;
  bool ragged = false;
  bool decode = false;
  /// Of each so many groups of eight columns one's powers of two are computed by a
  /// polynomial, beside the special-function unit, within 2^-13, which `lse` passes on;
  /// 0: none.
  int64_t polynomial = 0;
  /// Keys of a tile's first block, a multiple of 16 below `keys`, which fits the keys behind the last whole one
  /// where they are no more; 0: it is as wide as the others. Without a mask, one tile a CTA.
  int64_t tail = 0;
  /// A tile's warpgroups have rows of any heads that share a head of K, so that a group of heads, and not each,
  /// has one tile that is not full. Without a mask, and no tile ahead.
  bool pack = false;
  int64_t page = 0; ///< Keys of a page, with decode; 0: K and V are contiguous.

  int64_t warpgroups() const { return rows / 64; }
  int64_t outputBytes() const { return rows * size * bytesOf(element); }
  /// Of K or of V.
  int64_t blockBytes() const { return keys * size * bytesOf(element); }
  /// Pages that a block's keys are in.
  int64_t pagesOfBlock() const { return page && page < keys ? keys / page : 1; }
  /// O leaves through memory of its own, or through that of Q.
  bool ownOutput() const;
  /// The stages that there are: as given, or as many as fit.
  int64_t depth() const;
};

/// What no kernel can have (bad-argument), with what would be right; what was
/// not said, said.
Result<AttentionOptions> checkAttention(AttentionOptions options);

/// The kernel and its reference function, as the text of a file.
Result<std::string> generateAttention(const AttentionOptions &options);

/// Elements; `headsK` divides `heads`.
struct AttentionShape {
  int64_t batches = 0, queries = 0, keys = 0, heads = 0, headsK = 0;
  /// Whether there is one.
  explicit operator bool() const { return batches != 0; }
};

/// Microseconds that a launch should take by the model (AttentionModel.cpp); none for what it does not
/// know.
std::optional<double> estimateAttention(const AttentionShape &shape,
                                        const AttentionOptions &options);

/// The tile, turns, rescaling, persistence, kind of launch, what is skipped and ahead, the narrow block and whose rows share a tile that the model finds fastest for a shape; types, masks and
/// results stay as they are given. `settle`: as of pickGemm. Where the model knows no candidate, the one that
/// is nearest to the fastest of those that it knows.
AttentionOptions
pickAttention(const AttentionShape &shape, const AttentionOptions &given,
              const std::function<void(AttentionOptions &)> &settle = {});

} // namespace titan::kernels

#endif // TITAN_KERNELS_ATTENTION_H
