//===- Program.h - a kernel's body in flat form -----------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each warp of each CTA interprets the kernel's body. To walk MLIR's operations
// for that would cost hash look-ups at every step, so the body is translated
// once: a list of instructions with jumps, operands as numbers of slots.
//
//   scf.for %i = %lo to %hi step %s iter_args(%x = %init) { ...; yield %y }
//
//        move   x <- init
//        begin  i <- lo            (and counts the loop's iterations anew)
//   L:   test   i < hi, else E
//        ...
//        move   x <- y
//        next   i <- i + s, to L
//   E:   move   result <- x
//
// There are two files of slots: 64-bit scalars (integers, floats, addresses,
// tokens) and references (register tiles, accumulators). A shared view is a
// scalar: its byte address in the CTA's shared memory, and in the upper half
// the rank in the cluster plus one where it is a peer's. So is an mbarrier. A
// tensor map is a MapPlace.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_SIMULATOR_PROGRAM_H
#define TITAN_SIMULATOR_PROGRAM_H

#include "titan/Analysis/Finding.h"
#include "titan/Dialect/Titan/Titan.h"
#include "titan/Simulator/Element.h"
#include "titan/Target/MmaSum.h"
#include "titan/Target/Target.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"

#include <functional>
#include <memory>

namespace titan::sim {

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// What a reference slot holds.
struct Object : llvm::RefCountedBase<Object> {
  virtual ~Object() = default;
};
using Ref = llvm::IntrusiveRefCntPtr<Object>;

/// One warp's part of a register tile: element [register * lanes + lane], its bits
/// in the low end. Never changed once it has been used.
struct Tile : Object {
  explicit Tile(size_t elements) : data(elements) {}
  std::vector<uint64_t> data;
  /// A number that grows from tile to tile. Part of a tile has that of the
  /// tile.
  inline static thread_local uint64_t latest = 0;
  uint64_t made = ++latest;
  /// One byte an element, 1 where it is poison; empty: none is.
  std::vector<uint8_t> poison;
  /// Whether somebody has looked at it (hazards off: until then a load of it
  /// may be late).
  mutable bool used = false;
  /// Makes the elements when somebody looks at them for the first time (hazards
  /// off: products that the tile is the result of are as late as that).
  std::function<void(Tile &)> late;
};

/// One warp's part of an accumulator. The registers stay the same from product
/// to product, so that this object does, too; `version` tells a value that has
/// been handed on from the one that holds the latest product.
struct Accumulator : Object {
  explicit Accumulator(size_t elements) : data(elements), poison(elements, 1) {}
  std::vector<uint32_t> data; ///< As Tile::data.
  std::vector<uint8_t> poison;
  unsigned version = 0;
  /// Products issued to it that the engine has not done.
  unsigned pending = 0;
  /// The number of the warp's latest product into it, plus one.
  uint64_t lastProduct = 0;
};

/// A shared view or an mbarrier as a scalar.
struct SharedPlace {
  uint32_t address = 0;
  /// Rank in the cluster; none: the executing CTA.
  std::optional<unsigned> rank;

  uint64_t encode() const {
    return address | (rank ? uint64_t(*rank + 1) << 32 : 0);
  }
  static SharedPlace decode(uint64_t bits) {
    SharedPlace place{static_cast<uint32_t>(bits), std::nullopt};
    if (bits >> 32)
      place.rank = static_cast<unsigned>((bits >> 32) - 1);
    return place;
  }
};

/// A tensor map as a scalar. In the words of the file's head: a map of the
/// launch is its number among Launch::maps.
struct MapPlace {
  enum Kind : uint8_t { Parameter, Shared, Global } kind = Parameter;
  /// The number; or the byte address of the 128 bytes, in the CTA's shared
  /// memory or in global memory.
  uint64_t at = 0;
  /// Global: index of the argument into which copies through it lead.
  unsigned tensor = 0;

  uint64_t encode() const {
    return at | uint64_t(tensor) << 48 | uint64_t(kind) << 62;
  }
  static MapPlace decode(uint64_t bits) {
    return {static_cast<Kind>(bits >> 62), bits & ((uint64_t(1) << 48) - 1),
            static_cast<unsigned>(bits >> 48 & 0x3fff)};
  }
};

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

struct Agent;
struct Inst;

/// How far an instruction has come.
enum class Step {
  Next,    ///< Control, scalars and tiles: the warp goes on at once.
  Ran,     ///< One hardware operation was executed.
  Blocked, ///< It waits; nothing has changed.
  Polled,  ///< It looked at something that others change, in vain.
  Done,    ///< The warp has returned.
  Failed,  ///< A finding ended the run.
};

/// Executes an instruction. The program counter already stands behind one that
/// is no hardware operation; to go elsewhere it sets the counter.
using Execute = Step (*)(Agent &, const Inst &);

/// What a warp waits for, for the report of a deadlock.
struct Waits {
  std::string what;
  /// What has to come before it goes on: "phase 0 of %full misses 1 of 1
  /// arrivals"; empty: not known.
  std::string lacks;
  /// That is nothing but bytes, which copies bring.
  bool bytes = false;
  /// Likelier the cause than those at a barrier of threads, who wait for it.
  bool cause = false;
};
using DescribeWait = Waits (*)(Agent &, const Inst &);

inline constexpr uint32_t none = ~0u;

/// A compiled operation: the function that executes it, and its operands as
/// numbers of slots. What the fields hold is between the two functions of its
/// family that write and read it.
struct Inst {
  Execute run = nullptr;
  /// Where it may block; null: its name says enough.
  DescribeWait waits = nullptr;
  /// It touches memory, barriers or engines: a schedule may put others between
  /// it and the next.
  bool hardware = false;
  /// Sub-operation: a predicate, an AtomicOp, ...; a MemorySem and MemoryScope.
  uint8_t kind = 0, sem = 0, scope = 0;
  ElementType type = ElementType::I64;
  bool flag = false;
  uint32_t dst = none, a = none, b = none, c = none, d = none;
  /// Operands of variable number: slots [list, list + count) of lists.
  uint32_t list = 0, count = 0;
  uint32_t target = none;
  /// Index of a table (of tiles, accesses, products, ...).
  uint32_t table = none;
  /// Innermost loop round it, of loops; none.
  uint32_t loop = none;
  int64_t imm = 0, imm2 = 0;
  mlir::Operation *origin = nullptr;
};

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// Which element each (warp, register, lane) of a tile holds.
struct TileTable {
  uint32_t registers = 0, lanes = 0, warps = 0;
  /// Row-major element index, [(warp * registers + reg) * lanes + lane].
  std::vector<uint32_t> element;
  /// Whether that holder is the owner of the element.
  std::vector<uint8_t> owner;
  std::vector<int64_t> shape;
  uint32_t perWarp() const { return registers * lanes; }
};

/// A tile against a shared view: byte offsets from the view's start.
struct TileAccess {
  const TileTable *tile;
  /// As TileTable::element.
  std::vector<uint32_t> offset;
  unsigned bytes = 0;
  uint32_t viewBytes = 0;
  ElementType type = ElementType::F32;
};

/// Byte offset in a shared view of element (r, c), row-major.
struct ViewTable {
  std::vector<uint32_t> offset;
  std::vector<int64_t> shape;
  unsigned bytes = 0;
  uint32_t viewBytes = 0;
};

/// A matrix operand in shared memory.
struct MatrixTable {
  /// The byte of element (mn, k), [mn * K + k], from the view's start.
  std::vector<uint32_t> offset;
  unsigned bytes = 0; ///< Of an element.
  uint32_t viewBytes = 0;
};

/// One product: D (M x N) += A (M x K) * B (N x K), for warpgroup w.
struct MmaTable {
  const TileTable *acc;
  std::optional<MatrixTable> a; ///< None: A is in registers.
  MatrixTable b;
  const TileTable *registers = nullptr;
  MmaProduct how;
  int64_t m, n, k;
  struct Group {
    /// Rows and columns of D that the warpgroup holds.
    std::vector<uint32_t> rows, columns;
    /// For each warp of it: [reg * lanes + lane] -> row position * columns +
    /// column position.
    std::vector<std::vector<uint32_t>> place;
  };
  std::vector<Group> groups;
};

struct LoopInfo {
  uint32_t parent;
  mlir::Operation *op;
};

/// Some warps: the whole CTA, or a partition.
struct WarpRegion {
  std::string name;
  unsigned firstWarp = 0, warps = 0, padded = 0;
  int64_t registers = 0;
  uint32_t entry = 0;
};

/// An allocation in shared memory.
struct Allocation {
  uint32_t address = 0, bytes = 0;
  bool barriers = false;
  mlir::Operation *op = nullptr;
};

struct SlotOf {
  uint32_t scalar = none, ref = none;
};

class Program {
public:
  /// Translates the body. What cannot be simulated is in `problems`.
  static std::unique_ptr<Program> compile(KernelOp kernel,
                                          std::vector<Finding> &problems);

  std::vector<Inst> code;
  std::vector<uint32_t> lists;
  std::vector<EltOp> elts;
  std::vector<std::unique_ptr<TileTable>> tiles;
  std::vector<std::unique_ptr<TileAccess>> accesses;
  std::vector<std::unique_ptr<ViewTable>> views;
  std::vector<std::unique_ptr<MmaTable>> products;
  std::vector<std::vector<uint32_t>> registerLists;
  std::vector<LoopInfo> loops;
  /// regions[0] is the CTA.
  std::vector<WarpRegion> regions;
  std::vector<Allocation> allocations;
  uint32_t sharedBytes = 0;

  /// What the slots hold at an agent's start: constants, allocations.
  std::vector<uint64_t> scalars;
  std::vector<Ref> refs;
  llvm::DenseMap<mlir::Value, SlotOf> slots;
  /// The target that is simulated, and the threads of its warps.
  const TargetInfo *target = nullptr;
  unsigned lanes = 0;
  unsigned warps = 0;
  int64_t clusterSize = 1;
  std::array<int64_t, 3> cluster{1, 1, 1};
  int64_t launchRegisters = 0;
};

} // namespace titan::sim

#endif
