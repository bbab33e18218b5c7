//===- CopyUses.h - what the holes of a copied tile reach -------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A data flow analysis over the values that hold the tile: its buffer and views
// of it, register tiles loaded from them, tiles in flight, tensor memory, and
// what operations make of those. Each value carries, for each of its dimensions
// (a *lane*; one more stands for the loops around the tile),
//
//   source    which dimension of the copy's buffer its holes come from;
//   content   what stands in them if the copy fills its own with zero: a
//             constant, which MLIR's folders compute; else whether it is
//             finite;
//
// and one origin, the value that fixed where the holes are: tiles of one origin
// have them in the same places, the tiles of two loads, or of two iterations,
// do not, unless the copies' indices say that they do (changesAt).
//
//   %x = titan.shared.load %tile            0 along K
//   %y = arith.addf %x, %ones               1 along K
//   %m = titan.broadcast (titan.reduce add %x)        no holes along K
//   %z = arith.subf %x, %m                  finite along K
//   %w = arith.select %inside, %y, %zeros   0 along K: a predicate
//   %v = arith.select %inside, %y, %ninf    no holes: the program filled them
//   %t = arith.addf %sofar, %x              two origins: a reduction
//
// First the sources are propagated until nothing changes, then, with what is
// tracked known, the contents (from "not known yet" up, so that a loop which
// adds zeros to zeros is found to do so), then each user tells what it reduces.
//
// What an operation makes of tiles it says itself (TileFlow.h): here no operation
// has a name but those of arith and math, which know no holes.
//
//   CopyUses.cpp            the walk: from the buffer through all operations
//   CopyUseValues.cpp       what values hold: constants, element-wise
//                           operations, predicates
//   CopyUseReductions.cpp   what reduces them; whether zero is neutral there
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_DIALECT_COPYUSES_H
#define TITAN_LIB_DIALECT_COPYUSES_H

#include "OpHelpers.h"
#include "titan/Dialect/Titan/CopyAsync.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"

#include <map>

namespace titan::uses {
using namespace mlir;

using Names = std::vector<std::string>;

/// What stands in the holes along a lane.
struct Content {
  enum Kind : uint8_t { Unknown, Constant, Finite, Any } kind = Unknown;
  TypedAttr value = {};         ///< Constant: an element.
  Operation *spoiler = nullptr; ///< Which made it other than zero.

  bool isZero() const {
    if (auto real = dyn_cast_or_null<FloatAttr>(value))
      return real.getValue().isZero();
    auto integer = dyn_cast_or_null<IntegerAttr>(value);
    return integer && integer.getValue().isZero();
  }
  bool isFinite() const {
    auto real = dyn_cast_or_null<FloatAttr>(value);
    return kind != Any && (!real || real.getValue().isFinite());
  }
  bool operator==(const Content &other) const {
    return kind == other.kind && value == other.value;
  }
  static Content of(Attribute element) {
    auto typed = dyn_cast_or_null<TypedAttr>(element);
    return typed && isa<FloatAttr, IntegerAttr>(typed)
               ? Content{Constant, typed}
               : Content{Any};
  }
  /// Some value of which nothing else is known.
  static Content some(bool finite, Operation *spoiler = nullptr) {
    return {finite ? Finite : Any, {}, spoiler};
  }
  /// Either of both.
  Content join(const Content &other) const {
    if (kind == Unknown)
      return other;
    if (other.kind == Unknown || *this == other)
      return *this;
    return some(isFinite() && other.isFinite(),
                spoiler ? spoiler : other.spoiler);
  }
};

/// None, any dimension, or one.
constexpr int none = -2, any = -1;

/// The source of holes of both sources.
inline int joinSources(int a, int b) {
  return a == none || a == b ? b : b == none ? a : any;
}

struct Lane {
  int source = none;
  Content content = {};
};

struct Tracked {
  SmallVector<Lane, 3> lanes; ///< By dimension; the last: the loops.
  Value origin = {};
  /// What it holds comes from several iterations of the loops from this depth
  /// on (the outermost is 1).
  int depth = INT_MAX;
};

inline bool hasHoles(const Tracked &value) {
  return llvm::any_of(value.lanes,
                      [](const Lane &lane) { return lane.source != none; });
}

class Uses {
public:
  Uses(CopyAsyncOp copy, const TmaLowering &low, KernelCopies &copies)
      : kernel(copy->getParentOfType<KernelOp>()), copies(copies), copy(copy),
        low(low), holes(holesOf(copy.getBuffer().getType(), low, roots)) {}

  CopyUses run();

private:
  /// Which dimensions of a buffer have holes: those of the tile's domains that
  /// share steps of the row-major order with it. `roots`: the dimensions of the
  /// tensor that each comes from.
  static TileHoles holesOf(SharedType buffer, const TmaLowering &low,
                           std::vector<Names> &roots);

  enum Step { Sources, Contents, Report };

  // Values.
  static int rankOf(Value value);
  const Tracked *find(Value value) const {
    auto it = tracked.find(value);
    return it == tracked.end() ? nullptr : &it->second;
  }
  void set(Value value, Tracked next);
  /// `from` as a value of another type or rank.
  Tracked as(Value value, Tracked from) const;
  void pass(Value from, Value to, bool newPlaces = false);
  /// Memory that `to` is a view of holds what `from` does.
  void store(Operation *op, const Tracked &from, Value to);
  /// The value that all elements have; null: none.
  TypedAttr constantOf(Value value);
  llvm::SmallSet<int, 4> placesOf(Value condition, int loops);

  // Operations.
  void visit(Operation *op);
  void visitRegions(Operation *op);
  void visitElementwise(Operation *op);
  void visitSelect(arith::SelectOp op);
  void visitUnknown(Operation *op);
  // Steps of operations (TileFlow.h).
  void visit(Operation *op, const flow::Pass &pass);
  void visit(Operation *op, const flow::Broadcast &broadcast);
  void visit(Operation *op, const flow::Reduce &reduce);
  void visit(Operation *op, const flow::Store &store);
  void visit(Operation *op, const flow::Product &product);
  void visit(Operation *op, const flow::Combine &combine);
  void visit(Operation *op, const flow::Index &index);
  void visit(Operation *, const flow::Place &) {}
  /// D and the result: values, or memory.
  void visitSums(Operation *op, const flow::Product &product, Value d,
                 Value result);
  Content evaluate(Operation *op, ArrayRef<Content> operands,
                   function_ref<Content(Value)> of);
  OpFoldResult fold(Operation *op, ArrayRef<Attribute> operands);

  // Reductions.
  enum Neutral {
    Zero, ///< Adds up what is in the tile.
    Sums, ///< Adds a tile to others: it may be sums of its own with other data.
    Other
  };
  bool isZero(const Tracked &value, int lane) const;
  int changesAt(int source);
  void use(Operation *op, StringRef name, const Tracked &value,
           ArrayRef<int> lanes, Neutral neutral);
  /// `depth`: of what the tile is joined with; holes that are in the same
  /// places there change nothing.
  void useAll(Operation *op, StringRef name, const Tracked &value,
              Neutral neutral, int depth = 0) {
    SmallVector<int> lanes;
    if (step != Report)
      return;
    for (auto [i, lane] : llvm::enumerate(value.lanes))
      if (lane.source != none &&
          (depth == 0 || changesAt(lane.source) >= depth))
        lanes.push_back(int(i));
    use(op, name, value, lanes, neutral);
  }

  KernelOp kernel;
  KernelCopies &copies;
  CopyAsyncOp copy;
  const TmaLowering &low;
  std::vector<Names> roots; ///< By dimension of the buffer.
  TileHoles holes;
  std::map<int, int> changes;    ///< Of changesAt.
  llvm::SetVector<Value> memory; ///< The copy's.
  Step step = Sources;
  llvm::MapVector<Value, Tracked> tracked;
  llvm::SetVector<Operation *> work;
  llvm::DenseMap<Value, TypedAttr> constants;
  llvm::DenseMap<Operation *, RegionBranchInverseSuccessorMapping> flows;
  std::vector<TileUse> uses;
};

/// What the operation does with its tiles; nothing where it is null.
flow::Steps stepsOf(TileFlowOpInterface op);
/// Zero, as an element of what the value holds.
TypedAttr zeroOf(Value value);
/// Loops around an operation.
int depthOf(Operation *op);
/// The depth of what is computed anew where an operation stands.
inline int placeIn(Operation *op) { return std::max(1, depthOf(op)); }
/// Whether all that `memory` may be is found; adds what was.
bool allocationsOf(Value memory, llvm::SetVector<Value> &found);

} // namespace titan::uses

#endif
