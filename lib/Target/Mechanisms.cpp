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

constexpr MechanismInfo table[] = {
    {Mechanism::Phase, "phase", "", "mbarrier.try_wait, test_wait",
     Waiter::AnyThreadOfCta, /*completesInOrder=*/false, /*hasReadWait=*/false,
     Discharge::Nothing, /*doneBeforePublishing=*/false, "MM-53",
     "PTX \"mbarrier\""},
    {Mechanism::BulkGroup, "bulk group", "cp.async.bulk.commit_group",
     "cp.async.bulk.wait_group", Waiter::CommittingThread, true, true,
     Discharge::SourcesRead, true, "MM-65",
     "PTX \"cp.async.bulk.wait_group\", \"Async-group mechanism\""},
    {Mechanism::AsyncGroup, "async group", "cp.async.commit_group",
     "cp.async.wait_group", Waiter::CommittingThread, true, false,
     Discharge::Done, false, "MM-65",
     "PTX \"cp.async.wait_group\", \"Async-group mechanism\""},
    {Mechanism::MmaGroup, "mma group", "wgmma.commit_group", "wgmma.wait_group",
     Waiter::IssuingWarpgroup, true, false, Discharge::Done, false, "MM-67",
     "PTX \"wgmma.wait_group\""},
    {Mechanism::TmemLoad, "tmem load", "", "tcgen05.wait::ld",
     Waiter::IssuingWarp, true, false, Discharge::Done, true, "MM-103",
     "PTX \"tcgen05.wait\" (all earlier loads of the thread)"},
    {Mechanism::TmemStore, "tmem store", "", "tcgen05.wait::st",
     Waiter::IssuingWarp, true, false, Discharge::Done, true, "MM-103",
     "PTX \"tcgen05.wait\" (all earlier stores of the thread)"},
    {Mechanism::TensorCore, "tcgen05", "tcgen05.commit", "mbarrier.try_wait",
     Waiter::NobodyDirectly, true, false, Discharge::Done, false, "MM-104",
     "PTX \"tcgen05.commit\""},
    {Mechanism::VmCount, "vmcnt", "", "s_waitcnt vmcnt", Waiter::IssuingWarp,
     true, false, Discharge::SourcesRead, true, "MM-110",
     "CDNA3 ISA, \"Data dependency resolution\""},
    {Mechanism::LgkmCount, "lgkmcnt", "", "s_waitcnt lgkmcnt",
     Waiter::IssuingWarp, true, false, Discharge::Nothing, true, "MM-110",
     "CDNA3 ISA, \"Data dependency resolution\" (in order for LDS alone)"},
};

} // namespace

std::span<const MechanismInfo> mechanisms() { return table; }

const MechanismInfo &mechanismInfo(Mechanism mechanism) {
  return table[static_cast<unsigned>(mechanism)];
}

} // namespace titan
