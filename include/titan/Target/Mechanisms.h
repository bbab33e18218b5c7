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

#include <cstdint>
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

struct MechanismInfo {
  Mechanism mechanism;
  std::string_view name;   ///< As printed.
  std::string_view commit; ///< Instruction that forms the group, or empty.
  std::string_view wait;   ///< Instruction that waits.
  Waiter waiter;
  /// A wait on a token waits for every older one of its class and agent.
  bool completesInOrder;
  /// The wait has a form for 'sources read'.
  bool hasReadWait;
  Discharge atExit;
  /// Where a flag or another CTA is told of the result, it must be Done first.
  bool doneBeforePublishing;
  std::string_view rule; ///< Rule of docs/memory-model.md.
  std::string_view source;
};

/// All mechanisms, in the order of the enumeration.
std::span<const MechanismInfo> mechanisms();

const MechanismInfo &mechanismInfo(Mechanism mechanism);

} // namespace titan

#endif // TITAN_TARGET_MECHANISMS_H
