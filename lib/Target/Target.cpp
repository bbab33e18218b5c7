//===- Target.cpp - What each GPU is, as data -----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Target/Target.h"

#include <algorithm>
#include <cassert>

namespace titan {
namespace {

constexpr int64_t none = TargetInfo::absent;

constexpr TargetInfo targets[] = {
    {
        TargetId::Sm90a,
        "sm_90a",
        "NVIDIA",
        "H100, H200, GH200",
        9,
        0,
#define TITAN_LIMIT(FIELD, UNIT, SM90A, SM100A, GFX942, SOURCE, WHAT) SM90A,
#include "titan/Target/Limits.def"
    },
    {
        TargetId::Sm100a,
        "sm_100a",
        "NVIDIA",
        "B200, GB200",
        10,
        0,
#define TITAN_LIMIT(FIELD, UNIT, SM90A, SM100A, GFX942, SOURCE, WHAT) SM100A,
#include "titan/Target/Limits.def"
    },
    {
        TargetId::Gfx942,
        "gfx942",
        "AMD",
        "MI300A, MI300X, MI325X",
        0,
        0,
#define TITAN_LIMIT(FIELD, UNIT, SM90A, SM100A, GFX942, SOURCE, WHAT) GFX942,
#include "titan/Target/Limits.def"
    },
};
static_assert(std::size(targets) == numTargets);

constexpr LimitInfo limits[] = {
#define TITAN_LIMIT(FIELD, UNIT, SM90A, SM100A, GFX942, SOURCE, WHAT)          \
  {#FIELD, UNIT, WHAT, SOURCE, &TargetInfo::FIELD},
#include "titan/Target/Limits.def"
};

constexpr FeatureInfo features[] = {
    {Feature::Warpgroups,
     "warpgroups",
     {true, true, false},
     "PTX \"wgmma: Warpgroup\", \"tcgen05: data movement\""},
    {Feature::Clusters,
     "clusters of CTAs, multicast",
     {true, true, false},
     "PTX \"Cluster of cooperative thread arrays\"; none on CDNA3"},
    {Feature::Mbarriers,
     "mbarrier with transaction bytes",
     {true, true, false},
     "PTX \"mbarrier\""},
    {Feature::NamedBarriers,
     "named barriers, arrive and sync apart",
     {true, true, false},
     "PTX \"bar / barrier\"; CDNA3 has s_barrier only"},
    {Feature::Proxies,
     "memory proxies",
     {true, true, false},
     "PTX \"Proxies\", \"Async Proxy\""},
    {Feature::Tma,
     "TMA, tensor maps",
     {true, true, false},
     "PTX \"cp.async.bulk.tensor\""},
    {Feature::BulkCopy,
     "bulk copies",
     {true, true, false},
     "PTX \"cp.async.bulk\""},
    {Feature::TmaGather,
     "tile::gather4, scatter4, im2col::w",
     {false, true, false},
     "assembled with ptxas 13.0"},
    {Feature::TmaSubByte,
     "tensor maps of 4- and 6-bit types",
     {false, true, false},
     "PTX \"tensormap.replace\""},
    {Feature::TmaSwizzleAtoms,
     "swizzle atomicity",
     {false, true, false},
     "PTX \"tensormap.replace\", \"Swizzling modes\""},
    {Feature::TmaInterleaveSwizzle,
     "interleave 32B needs swizzle 32B",
     {false, true, false},
     "driver API, cuTensorMapEncodeTiled; neither encoder nor copies of an "
     "H200 mind (measured)"},
    {Feature::TensormapReplace,
     "tensormap.replace",
     {true, true, false},
     "PTX \"tensormap.replace\""},
    {Feature::CpAsync, "cp.async", {true, true, false}, "PTX \"cp.async\""},
    {Feature::StAsync,
     "st.async, red.async",
     {true, true, false},
     "PTX \"st.async\", \"red.async\""},
    {Feature::MatrixLoadStore,
     "ldmatrix, stmatrix",
     {true, true, false},
     "PTX \"ldmatrix\", \"stmatrix\""},
    {Feature::MmaSync, "mma.sync", {true, true, false}, "PTX \"mma\""},
    {Feature::Wgmma,
     "wgmma",
     {true, false, false},
     "PTX \"wgmma.mma_async\" (sm_90a only)"},
    {Feature::Tcgen05,
     "tcgen05, tensor memory",
     {false, true, false},
     "PTX \"tcgen05\""},
    {Feature::CtaPairs,
     "pairs of CTAs",
     {false, true, false},
     "PTX \"cp.async.bulk.tensor\" (.cta_group::2)"},
    {Feature::Mfma, "MFMA", {false, false, true}, "CDNA3 ISA, MFMA"},
    {Feature::Setmaxnreg,
     "setmaxnreg",
     {true, true, false},
     "PTX \"setmaxnreg\""},
    {Feature::WarpSync,
     "bar.warp.sync",
     {true, true, false},
     "PTX \"bar.warp.sync\""},
    {Feature::Elect, "elect.sync", {true, true, false}, "PTX \"elect.sync\""},
    {Feature::ClusterLaunchControl,
     "clusterlaunchcontrol",
     {false, true, false},
     "PTX \"clusterlaunchcontrol.try_cancel\""},
    {Feature::GridDependency,
     "griddepcontrol",
     {true, true, false},
     "PTX \"griddepcontrol\""},
    {Feature::InlinePtx, "inline PTX", {true, true, false}, "PTX"},
    {Feature::WaitCounters,
     "wait counters",
     {false, false, true},
     "CDNA3 ISA, s_waitcnt"},
    {Feature::SBarrier,
     "s_barrier",
     {false, false, true},
     "CDNA3 ISA, s_barrier"},
    {Feature::LdsDma,
     "loads from global memory to LDS",
     {false, false, true},
     "CDNA3 ISA, buffer_load ... lds; llvm-mc 22"},
};

} // namespace

bool TargetInfo::has(Feature feature) const {
  const FeatureInfo &row = features[static_cast<unsigned>(feature)];
  assert(row.feature == feature && "rows follow the enumeration");
  return row.has[static_cast<unsigned>(id)];
}

std::span<const FeatureInfo> allFeatures() { return features; }
std::span<const LimitInfo> allLimits() { return limits; }
std::span<const TargetInfo> allTargets() { return targets; }

const TargetInfo &targetInfo(TargetId id) {
  return targets[static_cast<unsigned>(id)];
}

const TargetInfo &targetWith(Feature feature) {
  for (const TargetInfo &target : targets)
    if (target.has(feature))
      return target;
  return targets[0];
}

const TargetInfo &defaultTarget() { return targets[0]; }

const TargetInfo *lookupTarget(std::string_view name) {
  for (const TargetInfo &target : targets)
    if (target.name == name)
      return &target;
  return nullptr;
}

int64_t launchRegisters(const TargetInfo &target, int64_t warps) {
  if (warps < 1 || warps * target.warpWidth > target.maxThreadsPerCta)
    return 0;
  int64_t parts = target.registerFileParts;
  int64_t warpsInFullestPart = (warps + parts - 1) / parts;
  int64_t perThread =
      target.registersPerSm / parts / (warpsInFullestPart * target.warpWidth);
  perThread = perThread / target.registerUnit * target.registerUnit;
  return std::min(perThread, target.maxRegistersPerThread);
}

std::optional<Code> checkRegisterBudgets(const TargetInfo &target,
                                         int64_t launch,
                                         std::span<const WarpBudget> budgets) {
  // A warp is given whole units: a launch at 255 registers holds 256.
  int64_t unit = target.registerUnit;
  int64_t held = (launch + unit - 1) / unit * unit;
  int64_t pool = 0, wanted = 0;
  for (const WarpBudget &budget : budgets) {
    if (budget.registers % target.setmaxnregStep != 0 ||
        budget.registers < target.setmaxnregMin ||
        budget.registers > target.setmaxnregMax || budget.warps < 1 ||
        budget.warps % target.warpsPerWarpgroup != 0)
      return Code::SetmaxnregOperand;
    pool += budget.warps * held;
    wanted += budget.warps * budget.registers;
  }
  if (wanted > pool)
    return Code::RegisterBudget;
  return std::nullopt;
}

} // namespace titan
