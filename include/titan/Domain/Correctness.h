//===- Correctness.h - What a copy needs, and who checks it -----*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rule about a copy is known to hold, known to be broken, or known at launch:
//
//   rule: coordinate 0 is a multiple of 8 (bf16)
//     k*64                 holds                         nothing to do
//     k*4                  broken at k = 1               an error
//     k*N                  if 8 divides N                a launch check
//     (k / 3)*N % 100      who knows                     an error: undecided
//
// Requirements collects errors and launch checks under the same codes. A launch
// check is an expression over the sizes of the launch that has to be >= 0.
//
// Which correctness a load needs follows from its uses:
//
//   use of the tile              a hole with garbage in it     needs
//   element by element           spoils an element that is     weak
//                                a hole itself
//   summed over K, K ragged      spoils sums that are valid    strong, zero
//   summed over K, K whole       there is none                 weak
//   added to other tiles         spoils what they hold there   strong, zero
//   maximum over K, K ragged     wants -inf: TMA has zero      refused
//                                and NaN only
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DOMAIN_CORRECTNESS_H
#define TITAN_DOMAIN_CORRECTNESS_H

#include "titan/Domain/Expr.h"
#include "titan/Domain/TensorMap.h"
#include "titan/Layout/Result.h"

namespace titan {

//===----------------------------------------------------------------------===//
// Rules, now or at launch
//===----------------------------------------------------------------------===//

/// A rule that only a launch can check.
struct LaunchCheck {
  Code code;
  Expr atLeastZero; ///< The rule holds when this is >= 0.
  std::string field, message;
  std::string fix = {}; ///< For this case; empty: the code's.
  /// What goes wrong under sizes that break it, an example: the end of a
  /// message that is written before the sizes are known.
  std::string example = {};

  /// Unknown: a symbol has no value, or the arithmetic overflows.
  Tri holds(const Expr::Bindings &bindings) const;
};

struct Requirements {
  std::vector<TmaViolation> errors;
  std::vector<LaunchCheck> checks;

  bool ok() const { return errors.empty(); }
  /// Requires value >= 0: an error where it is known not to be, a launch check
  /// where it is not known.
  void atLeastZero(Code code, const Expr &value, std::string field,
                   std::string message, std::string fix = {});
  /// Requires that `factor` >= 1 divides the value.
  void multiple(Code code, const Expr &value, int64_t factor, std::string field,
                std::string message, std::string fix = {});
};

/// Which symbols are loop indices; the others are values of the launch.
using IsIndex = std::function<bool(const std::string &)>;

/// Requires that the innermost coordinate is a multiple of 16 bytes (128 values
/// for padded packed types) whatever the indices are: proved from divisors;
/// else, where what multiplies the indices is a value of the launch, a launch
/// check; an index times a number that does not do is an error
/// (tma-coordinate-alignment), and what is neither is undecided. Indices are
/// taken to reach 1, so fold those of extent 1 to 0 before.
void requireAlignedCoordinate(const Expr &coordinate, const TmaType &type,
                              const TargetInfo &target, const IsIndex &isIndex,
                              Requirements &requirements);

//===----------------------------------------------------------------------===//
// Theorem 1: weak correctness
//===----------------------------------------------------------------------===//
//
// Theorem 1 (loads). A load is weakly correct whatever its schedule, its
// predicates and the buffer are.
//   Proof sketch: the hardware tests every element by itself and forms no
//   address outside; a valid point's coordinate is that of its element.
//
// Theorem 1 (stores and reductions), mended. A store is weakly correct if and
// only if
//   1. no transfer that is executed starts at a negative coordinate;
//   2. the inner extent is a multiple of 16 bytes, or the bytes from a row's
//      end to the next multiple of 16 belong to nobody;
//   3. no transfer that is executed holds a hole whose coordinate lies inside
//   of
//      the tensor.
//   Proof sketch: (3) what stands in such a hole overwrites (or is added to) an
//   element that another tile, or nobody, writes. (2) measured: the last chunk
//   of a row is written whole (docs/tma-facts.md M5); nothing beyond it. (1) is the
//   ISA's rule. Without the three, the elements written are the valid ones.
// Elements of the tensor share no bytes: else what one tile writes another may
// overwrite, holes or not, and tiles that are apart by their coordinates race.
// requireDisjointElements states it.
// So a store's holes matter always: where a load may shrug (weak), a store
// needs what a strong load needs, except that its else branch transfers
// nothing.

/// What is known of the transfers of a store schedule.
struct TmaStoreFacts {
  Expr innerExtent;           ///< Elements of dimension 0.
  int64_t elementBits = 8;    ///< Bits of an element in global memory.
  bool tailIsPadding = false; ///< The schedule says that (2) does not matter.
  /// Lower bounds of the start coordinates that are executed, dimension 0
  /// first.
  std::vector<Expr> leastStarts;
};

/// States (1) and (2): tma-store-negative, tma-store-tail. (3) is a matter of
/// the schedule's holes: lowerSchedule (TmaSchedule.h) refuses or predicates
/// them.
void requireWeakStore(const TmaStoreFacts &facts, Requirements &requirements);

/// A dimension of the tensor; the stride in bytes.
struct TmaStoreDim {
  std::string name;
  Expr extent, stride;
};

/// No two elements of a tensor, of `elementBytes` bytes each, share a byte:
/// tma-store-overlap. The last dimension's stride is an element. Numbers are
/// decided exactly, by search for a difference of two indices that is less than
/// an element apart (undecided after 2^16 steps). Strides of the launch are
/// checked to nest: for each dimension d of more than one index
///     stride_d >= elementBytes + sum of (extent_j - 1)*stride_j
/// over the other dimensions whose stride is at most stride_d.
///   Proof sketch that this suffices: of two different elements let d be the
///   dimension of largest stride in which they differ (of equal strides no two
///   nest). The others that differ add up to at most stride_d - elementBytes.
/// Nothing is checked where strides are computed from the sizes of all inner
/// dimensions, as written.
void requireDisjointElements(const std::vector<TmaStoreDim> &dims,
                             int64_t elementBytes, Requirements &requirements);

//===----------------------------------------------------------------------===//
// Which correctness is wanted
//===----------------------------------------------------------------------===//

enum class Correctness : uint8_t {
  Weak,  ///< Valid points get their elements.
  Strong ///< And holes get the fill value.
};

/// The value that changes nothing where a use reduces; Other: neither.
enum class TileFill : uint8_t { Zero, NaN, Other };

/// Which dimensions of a tile have holes.
struct TileHoles {
  std::vector<Tri> dimensions;
  /// Whether loops around the tile make holes that are whole tiles.
  Tri loops = Tri::No;
};

/// One use of a tile.
struct TileUse {
  std::string name; ///< For messages: "mma %acc".
  /// Dimensions of the tile that are reduced without a predicate, and their
  /// number for the loops around it; empty: the use is element by element, or
  /// looks at valid elements only.
  std::vector<int> reduced;
  TileFill neutral = TileFill::Zero;
  /// Why no fill of TMA's is neutral, and what to do: the end of a message.
  std::string otherwise = {};
};

/// What an attribute asks for.
struct CorrectnessDemand {
  std::optional<Correctness> level;
  std::optional<TileFill> fill;
};

struct WantedCorrectness {
  Correctness level = Correctness::Weak;
  bool nanFill = false;
  std::string why; ///< One sentence, for `titan explain`.
};

/// Strong where a hole can reach an unpredicated reduction, that is where a use
/// reduces a dimension that has holes or may have; weak otherwise; a demand
/// overrides. Problems (tma-fill-value): a fill that TMA does not have, uses or
/// a demand that want different ones.
Result<WantedCorrectness>
wantedCorrectness(const std::vector<TileUse> &uses, const TileHoles &holes,
                  const CorrectnessDemand &demand = {});

} // namespace titan

#endif // TITAN_DOMAIN_CORRECTNESS_H
