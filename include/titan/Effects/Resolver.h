//===- Resolver.h - from a footprint to bytes -------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which bytes does an access touch? In two steps.
//
// 1. Once an operation, without a value: a footprint (Effects.h) becomes a
//    MemoryRegion, an affine base and a shape that does not move within it.
//
//      %stage = titan.shared.slot %a[%s]        : 4 slots of 128 x 64 bf16
//      %half  = titan.shared.view %stage [64, 0]
//      titan.shared.store %t, %half
//
//      base    %a + 16384 * %s + 8192      (slot %s of 4)
//      shape   of warp 1: lane 0 [2048, 2052) [2064, 2068) ..., lane 1 ...
//
//    Shapes depend on types, layouts and the warp alone, and are made once.
//
// 2. With an Environment, which says what a value is: numbers of a run
//    (simulator, hazards) or of an iteration (checker) give Touched, bytes of a
//    memory. A proof reads the MemoryRegion itself, its terms as symbols.
//
//      footprint    base               shape
//      View         the view           all its bytes
//      Tile         the view           bytes a lane: the tile's layout
//      Object       the object         8 or 128 bytes
//      Scalar       view or tensor     one element at the coordinates
//      Elements     tensor             a lane's elements at the index tensors
//      Box          tensor             a box of it, clipped where a map's ends; of
//                                      im2col and interleaved maps, pixels
//      cells        tensor memory      lanes x columns: all, or a warp's window
//
// Of a tile of which several threads hold an element, the first one writes; a
// warp beyond the layout's reads what warp w mod n reads.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_EFFECTS_RESOLVER_H
#define TITAN_EFFECTS_RESOLVER_H

#include "titan/Dialect/Titan/Titan.h"
#include "titan/Domain/TensorMap.h"
#include "titan/Domain/Tma.h"
#include "titan/Layout/ByteSet.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <memory>

namespace titan::effect {

//===----------------------------------------------------------------------===//
// Where a view begins
//===----------------------------------------------------------------------===//

/// constant + sum of scale * value.
struct Affine {
  struct Term {
    mlir::Value value;
    int64_t scale;
    bool operator==(const Term &) const = default;
  };
  llvm::SmallVector<Term, 2> terms;
  int64_t constant = 0;

  void add(mlir::Value value, int64_t scale);
  /// In any ring: `of(value)` yields an optional of T, which has T + T and
  /// T * int64_t, and is made from an int64_t. None where some value has none.
  template <typename T, typename Of> std::optional<T> evaluate(Of &&of) const {
    T sum(constant);
    for (const Term &term : terms) {
      std::optional<T> value = of(term.value);
      if (!value)
        return std::nullopt;
      sum = sum + *value * term.scale;
    }
    return sum;
  }
};

/// Where the memory that a value names begins.
struct Base {
  /// What no view made: an allocation, an argument, what a loop carries.
  mlir::Value root;
  /// Bytes from the root's first one; of tensor memory those of a lane.
  Affine offset;
  /// Terms of `offset` that are slots of rings, from the root on.
  struct Slot {
    mlir::Value index;
    int64_t stride, slots;
  };
  llvm::SmallVector<Slot, 1> slots;
  /// The CTA of the cluster; null: the executing one, or where the root is.
  mlir::Value rank;
};

/// Follows views (ViewOpInterface) to the root.
Base baseOf(mlir::Value memory);

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// What is touched, seen from the base. One object for each shape that came up.
struct Shape {
  enum Kind {
    Bytes,    ///< `bytes`
    Lanes,    ///< `lanes`, of which `bytes` is the union
    Cells,    ///< lanes [firstLane, lastLane) of `columns` columns
    Elements, ///< `held`, at what index tensors say
    Element,  ///< one, at scalar coordinates
    Box,      ///< of a tensor
    Pixels,   ///< of an im2col or interleaved map
  } kind = Bytes;
  ByteSet bytes;
  std::vector<ByteSet> lanes;
  int64_t firstLane = 0, lastLane = 0, columns = 0;
  /// The elements that a lane holds: register, and row-major number.
  struct Held {
    int64_t reg, element;
  };
  std::vector<std::vector<Held>> held;
  /// Bytes of an element.
  int64_t elementBytes = 0;
};

/// A footprint without values.
struct MemoryRegion {
  Base base;
  const Shape *shape = nullptr;
  Footprint footprint;
  /// Stores to a box touch whole chunks of so many bytes (docs/tma-facts.md S3).
  int64_t chunk = 1;
  AccessKind kind = AccessKind::Read;
};

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// A byte of a memory.
struct Place {
  /// The environment's number of the memory: an allocation, a tensor, a window.
  uint32_t memory = 0;
  int64_t offset = 0;
  /// Rank in the cluster; -1: the executing CTA's.
  int rank = -1;
};

/// A tensor, or what a tensor map makes of one.
struct Grid {
  Place origin;
  /// Outermost dimension first; a size that is not known is negative, strides
  /// are bytes.
  llvm::SmallVector<int64_t, 5> sizes, strides;
  /// Of Pixels: the map's fields, sizes included.
  std::optional<TensorMap> map;
};

/// What values are. What it answers with none is not resolved; which question
/// that was the environment knows.
class Environment {
public:
  virtual ~Environment();
  enum class Role {
    Index,      ///< of a view (slots of rings, columns)
    Rank,       ///< of a view
    Coordinate, ///< of a box or an element, by dimension
    Offset,     ///< of an im2col copy, by dimension
    Ctas,       ///< of a CtaSet
  };
  virtual std::optional<int64_t> scalar(mlir::Value value, Role role,
                                        unsigned number) = 0;
  /// Where the memory that a root names lies. An environment that keeps the
  /// places of views, too, may be asked for those (`knowsViews`).
  virtual std::optional<Place> place(mlir::Value memory) = 0;
  virtual bool knowsViews() const { return false; }
  /// The element of an index tensor (or of a mask, 0 or 1) that a lane of the
  /// executing warp holds.
  virtual std::optional<int64_t> element(mlir::Value tile, int64_t lane,
                                         const Shape::Held &held) = 0;
  virtual std::optional<Grid> grid(mlir::Value tensorOrMap) = 0;
};

/// A box of elements, [low, high) a dimension, of which one in `steps` is
/// touched from `low` on (empty: all).
struct Box {
  llvm::SmallVector<int64_t, 5> low, high, steps, strides;
  int64_t elementBytes = 0, chunk = 1;
  bool empty() const;
  ByteSet bytes() const;
};

/// The bytes of one access by one warp.
struct Touched {
  /// What all that follows is relative to.
  Place place;
  /// Box, Cells (dimensions: lanes, columns).
  std::optional<Box> box;
  /// An index that lies outside of its dimension of a known size.
  struct Outside {
    unsigned dimension;
    int64_t index, size;
  };
  std::optional<Outside> outside;

  /// Whether each lane has its own part; else all of those that act touch it
  /// all.
  bool byLane() const {
    return own ? !own->lanes.empty() : !shape->lanes.empty();
  }
  /// Relative to `place`; of a box, computed here.
  ByteSet bytes() const;
  const std::vector<ByteSet> &lanes() const {
    return own ? own->lanes : shape->lanes;
  }
  /// Calls visit(lane, begin, end) for every interval, `place` included; lane
  /// -1: all.
  void forEach(llvm::function_ref<void(int, int64_t, int64_t)> visit) const;

  /// The shape where it is constant, or what was made for this access.
  const Shape *shape = nullptr;
  std::shared_ptr<const Shape> own;
};

//===----------------------------------------------------------------------===//
// The resolver
//===----------------------------------------------------------------------===//

class Resolver {
public:
  /// The footprint as warp `warp` of its region touches it.
  MemoryRegion resolve(const Footprint &footprint, AccessKind kind,
                       int64_t warp);
  /// None where the environment does not know a value that it takes, or the
  /// copy breaks a rule of TMA.
  std::optional<Touched> evaluate(const MemoryRegion &region,
                                  Environment &environment);
  /// Where a view begins.
  std::optional<Place> evaluate(const Base &base, Environment &environment);
  /// How many elements of the tile the threads of a warp own.
  int64_t ownedElements(mlir::RankedTensorType tile, int64_t warp);
  /// The CTAs of an effect, a bit for each rank, seen from CTA `rank` of the
  /// cluster.
  std::optional<uint32_t> evaluate(const CtaSet &ctas, int rank,
                                   Environment &environment);

private:
  const Shape *tileShape(mlir::RankedTensorType tile, SharedType shared,
                         bool write, int64_t warp);
  const Shape *elementsShape(mlir::RankedTensorType tile, bool write,
                             int64_t warp);
  const Shape *rangeShape(int64_t bytes);
  const Shape *cellsShape(int64_t columns, int64_t first, int64_t last);
  const Shape *plainShape(Shape::Kind kind, int64_t elementBytes);

  using Key = std::tuple<int, const void *, const void *, int64_t, int64_t>;
  /// The shape of that key; `fresh` ones are to be filled.
  Shape &shapeAt(const Key &key, bool &fresh);
  std::map<Key, std::unique_ptr<Shape>> shapes;
};

} // namespace titan::effect

#endif
