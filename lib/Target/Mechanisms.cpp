//===- Mechanisms.cpp - How asynchronous work completes -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Target/Mechanisms.h"

namespace titan {
namespace {

constexpr MechanismInfo mechanismTable[] = {
    {Mechanism::Phase, "phase", "", "mbarrier.try_wait, test_wait",
     Waiter::AnyThreadOfCta, Pending::Barrier, /*completesInOrder=*/false,
     /*hasReadWait=*/false, Discharge::Nothing, /*doneBeforePublishing=*/false,
     "MM-53", "PTX \"mbarrier\"", Engine::Bulk, Binding::Own, std::nullopt,
     std::nullopt},
    {Mechanism::BulkGroup, "bulk group", "cp.async.bulk.commit_group",
     "cp.async.bulk.wait_group", Waiter::CommittingThread, Pending::Thread,
     true, true, Discharge::SourcesRead, true, "MM-65",
     "PTX \"cp.async.bulk.wait_group\", \"Async-group mechanism\"",
     Engine::Bulk, Binding::Commit, std::nullopt, std::nullopt},
    {Mechanism::AsyncGroup, "async group", "cp.async.commit_group",
     "cp.async.wait_group", Waiter::CommittingThread, Pending::Thread, true,
     false, Discharge::Done, false, "MM-65",
     "PTX \"cp.async.wait_group\", \"Async-group mechanism\"", Engine::CpAsync,
     Binding::CommitOrArrive, std::nullopt, std::nullopt},
    {Mechanism::MmaGroup, "mma group", "wgmma.commit_group", "wgmma.wait_group",
     Waiter::IssuingWarpgroup, Pending::Warpgroup, true, false, Discharge::Done,
     false, "MM-67", "PTX \"wgmma.wait_group\"", Engine::Wgmma, Binding::Commit,
     EngineOp::Wgmma, std::nullopt},
    {Mechanism::TmemLoad, "tmem load", "", "tcgen05.wait::ld",
     Waiter::IssuingWarp, Pending::Cells, true, false, Discharge::Done, true,
     "MM-103", "PTX \"tcgen05.wait\" (all earlier loads of the thread)",
     Engine::TensorMemory, Binding::Issue, EngineOp::Tcgen05Ld,
     Code::TmemWaitMissing},
    {Mechanism::TmemStore, "tmem store", "", "tcgen05.wait::st",
     Waiter::IssuingWarp, Pending::Cells, true, false, Discharge::Done, true,
     "MM-103", "PTX \"tcgen05.wait\" (all earlier stores of the thread)",
     Engine::TensorMemory, Binding::Issue, EngineOp::Tcgen05St,
     Code::TmemWaitMissing},
    {Mechanism::TensorCore, "tcgen05", "tcgen05.commit", "mbarrier.try_wait",
     Waiter::NobodyDirectly, Pending::Thread, true, false, Discharge::Done,
     false, "MM-104", "PTX \"tcgen05.commit\"", Engine::Tcgen05,
     Binding::Arrive, EngineOp::Tcgen05Mma, std::nullopt},
    {Mechanism::VmCount, "vmcnt", "", "s_waitcnt vmcnt", Waiter::IssuingWarp,
     Pending::Wave, true, false, Discharge::SourcesRead, true, "MM-110",
     "CDNA3 ISA, \"Data dependency resolution\"", Engine::VectorMemory,
     Binding::Issue, std::nullopt, Code::LdsCounterMissing},
    {Mechanism::LgkmCount, "lgkmcnt", "", "s_waitcnt lgkmcnt",
     Waiter::IssuingWarp, Pending::Wave, true, false, Discharge::Nothing, true,
     "MM-110",
     "CDNA3 ISA, \"Data dependency resolution\" (in order for LDS alone)",
     Engine::Lds, Binding::Issue, EngineOp::LdsAccess, Code::LdsCounterMissing},
};

constexpr EngineInfo engineTable[] = {
    {Engine::Generic, "generic", InOrder::Everything, "MM-13",
     "PTX \"Memory Consistency Model\" (program order)"},
    {Engine::CpAsync, "cp.async", InOrder::Nothing, "MM-65",
     "PTX \"cp.async.commit_group\" (no order among the copies of a group)"},
    {Engine::Bulk, "bulk", InOrder::Nothing, "MM-37",
     "PTX \"cp.async.bulk.commit_group\" (no order within a group)"},
    {Engine::Wgmma, "wgmma", InOrder::Pairs, "MM-47", "PTX \"wgmma.fence\""},
    {Engine::Tcgen05, "tcgen05", InOrder::Pairs, "MM-47",
     "PTX \"Memory consistency model for 5th generation of TensorCore "
     "operations\", Pipelined tcgen05 Instructions"},
    {Engine::TensorMemory, "tensor memory", InOrder::Pairs, "MM-47",
     "PTX \"Memory consistency model for 5th generation of TensorCore "
     "operations\", Pipelined tcgen05 Instructions"},
    {Engine::VectorMemory, "vector memory", InOrder::Nothing, "MM-112",
     "CDNA3 ISA, \"Data dependency resolution\" (counted in order; no order in "
     "memory)"},
    {Engine::Lds, "LDS", InOrder::Pairs, "MM-47",
     "CDNA3 ISA, LDS: LDS instructions of one wave execute in order"},
};

} // namespace

std::span<const MechanismInfo> mechanisms() { return mechanismTable; }

const MechanismInfo &mechanismInfo(Mechanism mechanism) {
  return mechanismTable[static_cast<unsigned>(mechanism)];
}

std::optional<Mechanism> storeCounter(const TargetInfo &target,
                                      MemorySpace space) {
  if (target.maxVmcnt == TargetInfo::absent)
    return std::nullopt;
  return space == MemorySpace::Global ? Mechanism::VmCount
                                      : Mechanism::LgkmCount;
}

std::span<const EngineInfo> engines() { return engineTable; }

const EngineInfo &engineInfo(Engine engine) {
  return engineTable[static_cast<unsigned>(engine)];
}

} // namespace titan
