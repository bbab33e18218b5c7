//===- ProxyTable.h - What orders two accesses, as data ---------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two accesses to the same bytes, X and then Y, one of them a write. Barriers,
// arrives and waits give a path from X to Y ("base causality order", MM-20).
// Is that enough? Not if X or Y goes through another proxy than ordinary loads
// and stores, or runs asynchronously. This table says what more is needed:
//
//   - completion: X is asynchronous, and its end must have been *observed*
//     (a wait that returned true) on the path from X to Y;
//   - a fence: some thread on the path must execute a proxy fence.
//
// Checker, simulator (with hazards on) and fence insertion read this table and
// nothing else; docs/memory-model.md prints it, with the evidence for each row.
//
// How to use it: for two conflicting accesses (`conflict`),
//   1. no path from X's issue to Y at all            -> Code::Race
//   2. r = required(X, Y, relation)
//   3. r.completion not observed on the path          -> r.ifNotComplete
//   4. r.fence not executed on the path               -> r.ifNoFence
//   5. r.advice, if set, is reported in any case      -> (note under --strict)
// and ask Strictness::severityOf for the severity of a code.
//
//===----------------------------------------------------------------------===//

#ifndef TITAN_TARGET_PROXYTABLE_H
#define TITAN_TARGET_PROXYTABLE_H

#include "titan/Target/Codes.h"
#include "titan/Target/MemorySpaces.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace titan {

/// What an access does to its bytes.
enum class AccessKind : uint8_t {
  Read,
  Write,
  Reduction, ///< A read-modify-write: atom, red, cp.reduce.async.bulk.
};

/// How an access reaches memory. PTX "Proxies", "Async Proxy".
enum class Proxy : uint8_t {
  Generic,      ///< ld, st, atom, red, ldmatrix, stmatrix, mbarrier operations.
  AsyncGeneric, ///< cp.async, st.async, red.async: generic proxy, but later.
  Async,        ///< Bulk and TMA copies, operands of wgmma and tcgen05.
  Tensormap,    ///< The read of a tensor map by a TMA copy.
  TensorMemory, ///< Tensor memory (tcgen05): no proxy fences; ordered by its own
                ///< waits and fences (facts of sm_100a).
};

/// True of proxies whose accesses happen some time after their issue.
constexpr bool isAsynchronous(Proxy proxy) { return proxy != Proxy::Generic; }

/// Who executes (or, for an asynchronous access, issued) X and Y.
enum class Relation : uint8_t {
  SameThread,
  SameCta,
  OtherCta, ///< Different CTAs, of one cluster or not.
};

struct ProxyAccess {
  AccessKind kind;
  Proxy proxy;
};

/// True if X and Y over common bytes need an order at all (MM-2). Two reads do
/// not; nor do two asynchronous reductions of the same operation and element
/// type through the same proxy (MM-48). Generic atomics that are morally strong
/// (each one's scope includes the other's thread, MM-13) do not race, either:
/// that the caller decides, who knows the scopes.
bool conflict(ProxyAccess x, ProxyAccess y, bool sameReduction = false);

/// How far X must have been observed to be.
enum class Completion : uint8_t {
  None,       ///< X is synchronous.
  SourceRead, ///< X's reads are over (wait_group.read is enough).
  Done,       ///< X's writes are there.
};

/// Which proxy fence must stand on the path, and who executes it.
enum class ProxyFence : uint8_t {
  None,
  ByFirst,  ///< fence.proxy.async by X's own thread, after X and before the
            ///< path leaves that thread (MM-43).
  ByEither, ///< fence.proxy.async by X's thread after X, or by the thread that
            ///< issues Y, between its acquire and the issue (MM-34).
  ByObserver, ///< fence.proxy.async by the thread that observed X's completion
              ///< or issues Y, after the observation and before Y (MM-41).
  TensormapReleaseAcquire, ///< fence.proxy.tensormap release by X's side, and
                           ///< acquire by the thread that issues Y (MM-39).
};

/// What the path from X to Y must contain.
struct Requirement {
  unsigned row = 0; ///< Row of the table in docs/memory-model.md; 0: the path
                    ///< alone is enough.
  std::string_view rule; ///< "MM-31", or "MM-20" for row 0.
  Completion completion = Completion::None;
  ProxyFence fence = ProxyFence::None;
  Code ifNotComplete = Code::CompletionNotObserved;
  Code ifNoFence = Code::ProxyFenceMissing;
  /// Reported even when nothing is missing (Code::ReaderFenceMissing: unless
  /// Y's issuing thread fences, too, between its acquire and the issue).
  std::optional<Code> advice;
};

/// What is needed, beyond a path, for X before Y. X and Y must conflict.
Requirement required(ProxyAccess x, ProxyAccess y, Relation relation);

/// A synchronisation between CTAs whose release or acquire names too narrow a
/// scope (row 12, MM-42).
enum class Scope : uint8_t { Cta, Cluster, Gpu, Sys };

/// The code of a release and acquire with these scopes whose threads are so
/// related; `sameCluster` matters for Relation::OtherCta only.
std::optional<Code> scopeProblem(Scope release, Scope acquire,
                                 Relation relation, bool sameCluster);

//===----------------------------------------------------------------------===//
// The rows themselves, for printing and for tests.
//===----------------------------------------------------------------------===//

/// One row of data. Sets are bit masks over the enumerators.
struct ProxyRow {
  unsigned row;
  uint8_t xKinds, xProxies; ///< 1 << AccessKind, 1 << Proxy.
  uint8_t yKinds, yProxies;
  uint8_t relations; ///< 1 << Relation.
  bool completion;   ///< X's completion must be observed.
  Code ifNotComplete;
  ProxyFence fence;
  Code ifNoFence;
  std::optional<Code> advice;
  std::string_view rule;
  std::string_view what;     ///< The pair, in words.
  std::string_view letter;   ///< What the PTX ISA's letter asks for.
  std::string_view practice; ///< What deployed kernels do.
};

/// All rows, in matching order: the first that fits decides.
std::span<const ProxyRow> proxyRows();

/// The table as Markdown, for docs/memory-model.md.
std::string printProxyTable();

//===----------------------------------------------------------------------===//
// Pairs that run in order without a wait (MM-47)
//===----------------------------------------------------------------------===//

/// Operations that run on an engine, or in a pipeline of their own.
enum class EngineOp : uint8_t {
  Wgmma,
  Tcgen05Mma,
  Tcgen05Cp,
  Tcgen05Shift,
  Tcgen05Commit,
  Tcgen05Ld,
  Tcgen05St,
  Tcgen05WaitLd,
  Tcgen05WaitSt,
  LdsAccess, ///< gfx942: ds_read, ds_write.
};

/// The mnemonic of an engine operation.
std::string_view toString(EngineOp op);

/// What two operations of one thread (wgmma: one warpgroup; gfx942: one wave)
/// must have in common to run in order.
enum class PairCondition : uint8_t {
  Always,
  SameAccumulatorAndShape,  ///< wgmma: the same accumulator registers.
  SameAccumulatorShapeKind, ///< tcgen05.mma: and the same cta_group.
  SameCtaGroup,
  SameCtaGroupAndShape4x256b, ///< shift -> cp: only cp.4x256b.
};

struct OrderedPair {
  EngineOp first, second;
  PairCondition condition;
  std::string_view source;
};

/// All pairs; a pair that is not here is unordered.
std::span<const OrderedPair> orderedPairs();

/// The row for a pair; null if the two are never in order without a wait.
const OrderedPair *findOrderedPair(EngineOp first, EngineOp second);

} // namespace titan

#endif // TITAN_TARGET_PROXYTABLE_H
