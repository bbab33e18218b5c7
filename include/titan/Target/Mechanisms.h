//===- Mechanisms.h - How asynchronous work completes -----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A token stands for work under way. What a wait on it means depends on the
// mechanism: who may wait, whether older work of the same class is waited for
// with it, and what has to be over when the kernel ends. One row a mechanism;
// verifier, checker, simulator and wait insertion read it (MM-65 to MM-68).
//
//===----------------------------------------------------------------------===//

#ifndef TITAN_TARGET_MECHANISMS_H
#define TITAN_TARGET_MECHANISMS_H

#include "titan/Target/ProxyTable.h"
#include "titan/Target/Target.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace titan {

enum class Mechanism : uint8_t {
  Phase,      ///< An mbarrier phase: arrivals and transaction bytes.
  BulkGroup,  ///< cp.async.bulk commit_group / wait_group.
  AsyncGroup, ///< cp.async commit_group / wait_group.
  MmaGroup,   ///< wgmma commit_group / wait_group.
  TmemLoad,   ///< tcgen05.ld, tcgen05.wait::ld.
  TmemStore,  ///< tcgen05.st, tcgen05.wait::st.
  TensorCore, ///< tcgen05.mma, cp, shift, bound to a phase by tcgen05.commit.
  VmCount,    ///< gfx942 vmcnt.
  LgkmCount,  ///< gfx942 lgkmcnt.
};

/// Who may wait for a token of the mechanism.
enum class Waiter : uint8_t {
  AnyThreadOfCta,   ///< Of the CTA that owns the barrier; never a peer.
  CommittingThread, ///< The thread that committed the group.
  IssuingWarpgroup, ///< All warps of it.
  IssuingWarp,      ///< The warp (wave) that issued.
  NobodyDirectly,   ///< Only after a commit bound it to a phase.
};

/// What must be over when the CTA exits.
enum class Discharge : uint8_t {
  Nothing,     ///< Local arrivals may stay unmatched.
  SourcesRead, ///< Accesses to the CTA's shared memory are over.
  Done,        ///< Everything is over.
};

/// Who knows what of a mechanism is under way.
enum class Pending : uint8_t {
  Barrier, ///< The phase of the barrier that the work completes.
  Thread,  ///< Each thread has groups of its own.
  Warpgroup, ///< One list of groups for all its warps, which issue the same (MM-71).
  Wave,      ///< A counter, which tells all lanes (MM-110).
  Cells, ///< The cells of tensor memory that the work touches (MM-103).
};

/// What executes an access.
enum class Engine : uint8_t {
  Generic,      ///< The threads themselves: ld, st, atom, red.
  CpAsync,      ///< cp.async.
  Bulk,         ///< TMA: cp.async.bulk, with tensor maps and without.
  Wgmma,        ///< wgmma.mma_async.
  Tcgen05,      ///< tcgen05.mma, cp, shift.
  TensorMemory, ///< tcgen05.ld, tcgen05.st.
  VectorMemory, ///< gfx942: buffer and global instructions.
  Lds,          ///< gfx942: ds instructions.
};

/// What an engine keeps in order of itself, of what one thread (wgmma: one
/// warpgroup; gfx942: one wave) has issued.
enum class InOrder : uint8_t {
  Nothing,
  Pairs,      ///< Those that orderedPairs() lists, under their conditions.
  Everything, ///< All of it, in the order of issue.
};

struct EngineInfo {
  Engine engine;
  std::string_view name;
  InOrder inOrder;
  std::string_view rule; ///< Rule of docs/memory-model.md.
  std::string_view source;
};

/// All engines, in the order of the enumeration.
std::span<const EngineInfo> engines();

const EngineInfo &engineInfo(Engine engine);

/// What binds pending work of a mechanism to what a wait can name.
enum class Binding : uint8_t {
  Own,            ///< The operation's own completion at a barrier.
  Commit,         ///< The next commit of its thread.
  CommitOrArrive, ///< That, or an arrival after all that is unbound.
  Arrive,         ///< Only the latter.
  Issue,          ///< The instruction itself: a counter, all earlier ones.
};

struct MechanismInfo {
  Mechanism mechanism;
  std::string_view name;   ///< As printed.
  std::string_view commit; ///< Instruction that forms the group, or empty.
  std::string_view wait;   ///< Instruction that waits.
  Waiter waiter;
  Pending pending; ///< Who has the list of what is under way.
  /// A wait on a token waits for every older one of its class and agent.
  bool completesInOrder;
  /// The wait has a form for 'sources read'.
  bool hasReadWait;
  Discharge atExit;
  /// Where a flag or another CTA is told of the result, it must be Done first.
  bool doneBeforePublishing;
  std::string_view rule; ///< Rule of docs/memory-model.md.
  std::string_view source;
  Engine engine;   ///< Whose work it completes.
  Binding binding; ///< What makes a group, or a phase, of it.
  /// Which operation of orderedPairs() its work is, unless an access says
  /// another one.
  std::optional<EngineOp> operation;
  /// What touching the bytes is called before its issuer has waited; none: as
  /// the proxy table says (Requirement::ifNotComplete).
  std::optional<Code> notWaited;
};

/// All mechanisms, in the order of the enumeration.
std::span<const MechanismInfo> mechanisms();

const MechanismInfo &mechanismInfo(Mechanism mechanism);

/// The counter that a wave's plain stores to the space raise, too, and have to be
/// waited for by (MM-111); none: barriers and releases wait for them.
std::optional<Mechanism> storeCounter(const TargetInfo &target,
                                      MemorySpace space);

} // namespace titan

#endif // TITAN_TARGET_MECHANISMS_H
