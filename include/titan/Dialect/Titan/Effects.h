//===- Effects.h - what an operation does to memory and barriers ----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contract 1 of the house: one place says what an operation does. Each hardware
// operation lists its effects through HardwareEffectsInterface; the checker,
// the simulator's hazard detection, fence and wait insertion and `titan explain
// effects` read this list and nothing else.
//
// An effect is an EXPRESSION: its fields are SSA values (or values scaled by a
// constant), not numbers. The simulator instantiates them with what its agents
// computed, the unrolling checker with iterations, a proof with symbols.
//
// An example. `titan.tma.load %map[%m, %k] -> %buf, %bar[%s]` lists
//
//   Access      read   the map object            tensormap proxy, until completion
//   Access      read   box of the global tensor  async proxy, until completion
//   Access      write  all bytes of %buf         async proxy, until completion
//   CompleteTx  the bytes of the whole box on %bar[%s], when the writes are performed
//
// and its issue cardinality is OneThread: two active threads would issue two
// copies. That is all the checker knows of TMA.
//
// Guards (scf.if, scf.for, elect, partitions) are composed by the framework
// from the regions around an operation, never listed by the operation itself.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TITAN_EFFECTS_H
#define TITAN_DIALECT_TITAN_EFFECTS_H

#include "titan/Target/Mechanisms.h"
#include "titan/Target/ProxyTable.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <variant>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace mlir {
class AsmState;
} // namespace mlir

namespace titan {
enum class AtomicOp : uint32_t; // TitanAttrs.td
} // namespace titan

namespace titan::effect {

//===----------------------------------------------------------------------===//
// Who
//===----------------------------------------------------------------------===//

/// How many threads of the enclosing region issue an operation once.
enum class Cardinality {
  EveryThread, ///< Each active thread by itself: accesses and arrivals multiply
               ///< by the lane mask (ld, st, fences, mbarrier.arrive,
               ///< cp.async).
  OneThread,   ///< Exactly one active thread; more is `issue-cardinality` (TMA,
               ///< bulk copies, tcgen05.mma and .commit).
  Warp,        ///< A whole warp, converged (syncwarp, ldmatrix, tcgen05.ld).
  Warpgroup,   ///< Four warps from a rank that is a multiple of 4 (wgmma).
  Tile, ///< Every thread of the region, each with its own part of a tile.
};

/// By which of the threads that execute an operation an effect is performed, and
/// so how often: accesses, arrivals and bytes of transactions alike.
///
///                       EveryThread, 32 lanes   OneThread   Tile
///   mbarrier.arrive     32 arrivals
///   st.async            32 times its bytes
///   tma.load                                    once
///   shared.store                                            each its elements
enum class By {
  Issuers,  ///< As the cardinality says: each for itself, or the one, or all.
  Together, ///< The threads of a warp as one, once (.sync.aligned).
  Parts,    ///< Each an equal part of the bytes, in the order of the lanes.
};

//===----------------------------------------------------------------------===//
// What: expressions, CTAs, bytes
//===----------------------------------------------------------------------===//

/// An integer `scale * value + offset`; a constant when `value` is null.
struct Expr {
  mlir::Value value;
  int64_t scale = 1;
  int64_t offset = 0;

  static Expr constant(int64_t c) { return Expr{mlir::Value(), 0, c}; }
  static Expr of(mlir::Value v, int64_t scale = 1) { return Expr{v, scale, 0}; }
  bool isConstant() const { return !value; }
  bool operator==(const Expr &) const = default;
};

/// Which CTAs of the cluster an effect falls upon, seen from the executing CTA.
struct CtaSet {
  enum Kind { Own, Rank, Mask, Pair } kind = Own;
  /// Rank: %cluster_ctarank of the one CTA. Mask: bit i selects rank i. Pair
  /// has no value: the own rank, and that with bit 0 turned (.cta_group::2).
  mlir::Value value;
  /// The executing CTA is not among them: to be there is an error (peer-place).
  bool peer = false;
  bool operator==(const CtaSet &) const = default;
};

/// What a view (ViewOpInterface) is of: the memory that `source` names, from
/// byte `index * stride + offset` on. Bytes of tensor memory are those of one
/// lane, 4 a column.
///
///   shared.slot %ring[%i]       %ring, index %i, stride: a slot's bytes
///   shared.view %tile [64, 0]   %tile, offset
///   shared.run %tile[%at]       %tile, index %at, stride: an element's bytes
///   tmem.view %s[%column]       %s, index %column, stride: an element's bytes
///   map_rank %bar, %rank        %bar, of the CTA `rank` of the cluster
///   tensormap.at %maps[%i]      %maps, index %i, stride 128
struct View {
  /// Null: not known (the buffer of a slot of no known pipe).
  mlir::Value source;
  mlir::Value index; ///< Null: none.
  int64_t stride = 0;
  int64_t offset = 0;
  /// Of a ring: how many slots the index names, 0 to slots - 1; else 0.
  int64_t slots = 0;
  /// Of a run in a buffer: of what its byte is a multiple; else 0.
  int64_t alignment = 0;
  mlir::Value rank; ///< Null: of the same CTA as the source.
  /// Its elements have nothing to do with those of the source.
  bool otherElements = false;
};

/// Memory of a CTA that an operation names (AllocOpInterface). Tensor memory is
/// no part of the shared memory that is laid out.
struct Allocation {
  enum Memory { Shared, Tensor } memory = Shared;
  int64_t bytes = 0, alignment = 1;
};

/// Which bytes, by which threads.
struct Footprint {
  enum Kind {
    /// All elements of the shared view `object`, by whoever performs the
    /// effect.
    View,
    /// The register tile `tile` (its encoding says which thread holds which
    /// element) against the shared view `object` of the same shape.
    Tile,
    /// A box of the global tensor `object`, or of the one that the map `object`
    /// describes, from element coordinates `coords` (outermost first; may be negative or past the end)
    /// over `extents` elements, of which every one in `steps` is touched
    /// (empty:
    /// all). Through an im2col map, extents are pixels and channels, and
    /// `offsets` are added to each pixel. Only elements inside the tensor are
    /// touched; a store touches whole
    /// 16-byte chunks of the innermost dimension (docs/tma-facts.md S3).
    Box,
    /// One element a (thread, register) of `tile`: the global tensor `object`
    /// at the index tensors `coords` (one i32 tensor a dimension), where `mask`
    /// (a tensor of i1, or null) is true.
    Elements,
    /// One element of `object` (global tensor, or shared view) at the scalar
    /// coordinates `coords`; every active thread touches the same element.
    Scalar,
    /// An opaque object: an mbarrier (8 bytes) or a tensor map (128 bytes).
    Object,
  } kind = View;
  /// The view, tensor, map or barrier. The chain of views (shared.slot,
  /// shared.view, map_rank) leads from it to the root allocation; a tensor map
  /// leads to its global tensor through the kernel's launch region.
  mlir::Value object;
  /// Object barriers: the slot of the ring (null: slot 0).
  mlir::Value index;
  llvm::SmallVector<mlir::Value, 4> coords, offsets;
  llvm::SmallVector<int64_t, 4> extents, steps;
  mlir::RankedTensorType tile;
  mlir::Value mask;
  /// Elements: so many registers are one access, of consecutive elements of a
  /// row from a multiple of as many on; the mask is true for the first of them,
  /// none or all (cp-async-chunk).
  int64_t chunk = 1;
  CtaSet ctas;
  bool operator==(const Footprint &) const = default;
};

//===----------------------------------------------------------------------===//
// How and when
//===----------------------------------------------------------------------===//

// Proxy, AccessKind, Scope, FenceSpace, EngineOp (which pairs stay in order):
// Target/ProxyTable.h. Mechanism (how asynchronous work completes, and what
// binds what is pending), Engine (who executes it): Target/Mechanisms.h.

/// PTX ISA, Memory Consistency Model, "Operation types".
enum class Sem { Weak, Relaxed, Acquire, Release, AcqRel, SeqCst };

/// What a reduction does to each element.
struct Reduction {
  AtomicOp op;
  mlir::Type type;
  bool operator==(const Reduction &) const = default;
};

/// Bytes read or written. Without a mechanism the access is performed at issue,
/// in program order; with one it begins at issue, joins the pending class of
/// that mechanism, and lasts until the completion that the class reports; for a
/// write that is "destination written", for a read of a source "source read".
/// What binds it there (MechanismInfo::binding):
///
///   Phase                  the operation's own CompleteTx, or Arrive
///   groups, counters       the next CommitGroup of the class, by its thread
///   AsyncGroup, TensorCore the next Arrive `after` the class, too
struct Access {
  AccessKind kind = AccessKind::Read;
  Proxy proxy = Proxy::Generic;
  std::optional<Mechanism> mechanism;
  Footprint bytes;
  /// All bytes of the footprint (true), or any part of them (false).
  bool surely = true;
  /// Whether (i1) it touches any; null: it does.
  mlir::Value when;
  Sem sem = Sem::Weak;
  Scope scope = Scope::Cta;
  /// Atomic additions (signals of a flag, say): what is added, or null.
  mlir::Value added;
  By by = By::Issuers;
  /// Of every access of kind Reduction.
  std::optional<Reduction> reduction;
  /// Which operation of an engine it belongs to; none: the mechanism's usual one
  /// (engineOpOf), if any.
  std::optional<EngineOp> operation;
  /// Of engines that keep in order only what agrees in shape and kind: a type
  /// that says both, equal where they are; else null.
  mlir::Type shapeAndKind;

  /// Who executes it.
  Engine engine() const {
    return mechanism ? mechanismInfo(*mechanism).engine : Engine::Generic;
  }
  /// Which operation it is in the table of pairs that stay in order.
  std::optional<EngineOp> engineOp() const {
    if (operation || !mechanism)
      return operation;
    return mechanismInfo(*mechanism).operation;
  }
  bool operator==(const Access &) const = default;
};

/// One mbarrier: a ring of barriers and the slot in it (null index: slot 0).
struct BarrierRef {
  mlir::Value barrier;
  mlir::Value index;
  CtaSet ctas;
  bool operator==(const BarrierRef &) const = default;
};

/// `count` arrivals (of each issuing thread) on a barrier's current phase.
struct Arrive {
  BarrierRef barrier;
  Expr count = Expr::constant(1);
  Sem sem = Sem::Release;
  Scope scope = Scope::Cta;
  /// When: at issue; or, AsyncGroup and TensorCore, when everything that the
  /// issuing thread has pending and unbound in this class is complete
  /// (cp.async.mbarrier .arrive, tcgen05.commit).
  std::optional<Mechanism> after;
  /// cp.async.mbarrier.arrive without .noinc: adds `count` to the pending
  /// arrivals at issue, so that its own do not count.
  bool increments = false;
  /// mbarrier.arrive_drop: the phases that follow expect so many less.
  bool drops = false;
  By by = By::Issuers;
  /// The phase state that the arrive yields (null when dropped or remote).
  mlir::Value state;
  bool operator==(const Arrive &) const = default;
};

/// The current phase expects `bytes` more bytes of transactions (of each issuing
/// thread).
struct ExpectTx {
  BarrierRef barrier;
  Expr bytes;
  By by = By::Issuers;
  bool operator==(const ExpectTx &) const = default;
};

/// When this operation's Phase accesses are performed (at issue, where it has
/// none), `bytes` complete on the barrier (of each issuing thread). A box past
/// the tensor's edge counts whole.
struct CompleteTx {
  BarrierRef barrier;
  Expr bytes;
  By by = By::Issuers;
  /// Where it is given: `bytes` of each element of this tile that a thread owns
  /// (Layout::isOwner).
  mlir::RankedTensorType tile;
  bool operator==(const CompleteTx &) const = default;
};

/// The unbound pending accesses of the class become a group, named by `token`.
struct CommitGroup {
  Mechanism mechanism;
  mlir::Value token;
  /// Counters (VmCount, LgkmCount): by how much the operation raises its wave's
  /// counter; none where that is the code generator's choice.
  std::optional<int64_t> count;
  bool operator==(const CommitGroup &) const = default;
};

/// Waits until at most `pending` groups of the class are pending; or, where
/// `token` is given, until that group and every older one is complete.
struct WaitGroup {
  Mechanism mechanism;
  mlir::Value token;
  std::optional<int64_t> pending;
  /// Only the sources have been read (`.read`).
  bool sourcesOnly = false;
  bool operator==(const WaitGroup &) const = default;
};

/// Waits for a phase of a barrier, by parity or by the state of an arrive.
struct WaitBarrier {
  BarrierRef barrier;
  mlir::Value parity; ///< i32 or index, 0 or 1; null where `state` is given.
  mlir::Value state;
  Sem sem = Sem::Acquire;
  Scope scope = Scope::Cta;
  /// False: polls once; `result` (i1) says whether the phase has completed, and
  /// depends on the schedule.
  bool blocking = true;
  mlir::Value result;
  bool operator==(const WaitBarrier &) const = default;
};

/// A barrier among threads, without an object in memory.
struct ThreadBarrier {
  enum Kind { Warp, Named, Cluster } kind;
  enum Role { Sync, Arrive, Wait } role = Sync;
  /// Named: the barrier's id, 0..15. Id 0 with all threads is the CTA barrier.
  Expr id = Expr::constant(0);
  /// Named: how many threads take part; 0: all of the CTA.
  int64_t threads = 0;
  Sem sem = Sem::AcqRel;
  bool operator==(const ThreadBarrier &) const = default;
};

struct Fence {
  enum Kind {
    Memory,           ///< fence.SEM.SCOPE
    ProxyAsync,       ///< fence.proxy.async, both directions, own accesses only
    MbarrierInit,     ///< fence.mbarrier_init.release.cluster
    TensormapRelease, ///< fence.proxy.tensormap::generic.release.SCOPE
    TensormapAcquire, ///< fence.proxy.tensormap::generic.acquire.SCOPE [object]
    Wgmma,            ///< wgmma.fence: registers, and order into wgmma (MM-70)
    Tcgen05Before,    ///< tcgen05.fence::before_thread_sync
    Tcgen05After,     ///< tcgen05.fence::after_thread_sync
  } kind;
  FenceSpace space = FenceSpace::All;
  Sem sem = Sem::AcqRel;
  Scope scope = Scope::Cta;
  mlir::Value object;
  bool operator==(const Fence &) const = default;
};

/// An object begins or ends.
struct Lifetime {
  enum Kind { Init, Inval, Alloc, Free, Relinquish } kind;
  BarrierRef barrier; ///< Init, Inval of an mbarrier
  mlir::Value memory; ///< Alloc, Free of tensor memory
  Expr count;         ///< Init: expected arrivals
  bool operator==(const Lifetime &) const = default;
};

/// What happens to registers of an asynchronous product or load.
struct Registers {
  enum Kind {
    InFlight, ///< `value` is being written until its group completes
    Borrow,   ///< `value` is being read until its group completes
    Arrived,  ///< `value` is now an ordinary tensor
    Budget,   ///< setmaxnreg to `count` registers a thread
  } kind;
  mlir::Value value;
  int64_t count = 0;
  /// InFlight, Arrived: the registers in flight that these were before, or null.
  mlir::Value from;
  /// InFlight: whether (i1) the operation adds to what they hold; null: it does
  /// not ask.
  mlir::Value adds;
  bool operator==(const Registers &) const = default;
};

/// A result whose value depends on the schedule (polls, atomics, work
/// counters).
struct Reveals {
  mlir::Value value;
  bool operator==(const Reveals &) const = default;
};

/// Blocks until a flag in global memory is at least `value` (acquire).
struct WaitFlag {
  Footprint flag;
  mlir::Value value;
  Sem sem = Sem::Acquire;
  Scope scope = Scope::Gpu;
  bool operator==(const WaitFlag &) const = default;
};

/// Grids of a stream that overlap (titan.programmatic).
struct GridDependency {
  enum Kind {
    Wait,             ///< until the grids before have ended and are visible
    LaunchDependents, ///< the next ones may begin; orders nothing
  } kind;
  bool operator==(const GridDependency &) const = default;
};

/// Something that nobody has declared (titan.inline_ptx ... opaque).
struct Opaque {
  bool operator==(const Opaque &) const = default;
};

struct Effect {
  using What =
      std::variant<Access, Arrive, ExpectTx, CompleteTx, CommitGroup, WaitGroup,
                   WaitBarrier, ThreadBarrier, Fence, Lifetime, Registers,
                   Reveals, WaitFlag, GridDependency, Opaque>;
  What what;
  /// Where the ISA says so: a section of the PTX ISA, or of the CDNA3 ISA.
  const char *source;
  /// Whoever says so.
  bool operator==(const Effect &other) const { return what == other.what; }
};

/// The effects of one operation, in the order in which it performs them.
class EffectList {
public:
  void add(Effect::What what, const char *source) {
    effects.push_back({std::move(what), source});
  }
  auto begin() const { return effects.begin(); }
  auto end() const { return effects.end(); }
  size_t size() const { return effects.size(); }
  const Effect &operator[](size_t i) const { return effects[i]; }
  Effect &operator[](size_t i) { return effects[i]; }
  bool operator==(const EffectList &) const = default;

private:
  llvm::SmallVector<Effect, 4> effects;
};

//===----------------------------------------------------------------------===//
// Names, for messages and `titan explain effects`
//===----------------------------------------------------------------------===//

llvm::StringRef stringify(Cardinality);
llvm::StringRef stringify(By);
llvm::StringRef stringify(Proxy);
llvm::StringRef stringify(AccessKind);
llvm::StringRef stringify(Sem);
llvm::StringRef stringify(Scope);
/// "at issue" without a mechanism.
llvm::StringRef stringify(std::optional<Mechanism>);

/// One line, with its source, and the operands by the names that `state` gives
/// them:
///   write all of %buf, async proxy, until complete_tx  [PTX ISA, Async proxy]
/// A state numbers the values of a whole kernel once; without one each name
/// costs a walk over the kernel.
void printEffect(const Effect &effect, llvm::raw_ostream &os,
                 mlir::AsmState &state);
void printEffect(const Effect &effect, llvm::raw_ostream &os);

} // namespace titan::effect

#endif
