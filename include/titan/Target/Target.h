//===- Target.h - What each GPU is, as data ---------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that needs to know a limit of the hardware asks here; no other file has
// such a number in it. Each row carries its source, and docs/hardware-facts.md
// is printed from the rows (a test compares the two).
//
//   const TargetInfo *target = lookupTarget("sm_90a");
//   if (bytes > target->sharedBytesPerCta) ...
//   if (!target->has(Feature::Tcgen05)) ...
//
// Nor does a file outside of Target name a target: what differs is a feature or
// a limit, so that another target is a row here, and a column of each table
// (scripts/families.py looks).
//
// Matrix shapes are in Mma.h, TMA's types and swizzles in Tma.h, the proxy
// table in ProxyTable.h, completion mechanisms in Mechanisms.h.
//
//===----------------------------------------------------------------------===//

#ifndef TITAN_TARGET_TARGET_H
#define TITAN_TARGET_TARGET_H

#include "titan/Target/Codes.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace titan {

enum class TargetId : uint8_t { Sm90a, Sm100a, Gfx942 };
inline constexpr unsigned numTargets = 3;

/// Mechanisms that some targets have and others do not.
enum class Feature : uint8_t {
  Warpgroups,
  Clusters,        ///< Clusters of CTAs, remote shared memory, multicast.
  Mbarriers,       ///< mbarrier with transaction bytes.
  NamedBarriers,   ///< Named barriers with arrive and sync apart.
  Proxies,         ///< Several proxies, and fences between them.
  Tma,             ///< Tensor maps, cp.async.bulk.tensor.
  BulkCopy,        ///< cp.async.bulk.
  TmaGather,       ///< tile::gather4 and scatter4, im2col::w.
  TmaSubByte,      ///< Elements of 4 and 6 bits in tensor maps.
  TmaSwizzleAtoms, ///< Swizzles of 32 and 64 bytes that stay together.
  /// Interleaved slices of 32 bytes are held to swizzle 32B.
  TmaInterleaveSwizzle,
  TensormapReplace, ///< Tensor maps edited on the device.
  CpAsync,          ///< cp.async.
  StAsync,          ///< st.async, red.async.
  MatrixLoadStore,  ///< ldmatrix, stmatrix.
  MmaSync,          ///< mma.sync.
  Wgmma,
  Tcgen05,  ///< tcgen05.mma and tensor memory.
  CtaPairs, ///< .cta_group::2: a CTA completes at the other one's barrier.
  Mfma,
  Setmaxnreg,
  WarpSync, ///< bar.warp.sync.
  Elect,    ///< elect.sync.
  ClusterLaunchControl,
  GridDependency, ///< griddepcontrol.
  InlinePtx,      ///< Instructions that the program has as text.
  WaitCounters,   ///< s_waitcnt, and what its counters count.
  SBarrier,       ///< s_barrier.
  LdsDma,         ///< Loads from global memory to LDS.
};

/// A row of the table of features.
struct FeatureInfo {
  Feature feature;
  std::string_view name;
  std::array<bool, numTargets> has; ///< Indexed by TargetId.
  std::string_view source;
};

std::span<const FeatureInfo> allFeatures();

/// One target: its names, and a member for each row of Limits.def.
struct TargetInfo {
  /// Value of a limit that the target has no use for.
  static constexpr int64_t absent = -1;

  TargetId id;
  std::string_view name;   ///< "sm_90a".
  std::string_view vendor; ///< "NVIDIA", "AMD".
  std::string_view chips;  ///< "H100, H200".
  int computeMajor;        ///< CUDA compute capability; 0 for AMD.
  int computeMinor;

#define TITAN_LIMIT(FIELD, UNIT, SM90A, SM100A, GFX942, SOURCE, WHAT)          \
  int64_t FIELD; ///< WHAT, in UNIT.
#include "titan/Target/Limits.def"

  bool has(Feature feature) const;
};

/// One row of Limits.def, for printing and for `titan explain`.
struct LimitInfo {
  std::string_view name;
  std::string_view unit;
  std::string_view what;
  std::string_view source;
  int64_t TargetInfo::*member;
};

std::span<const LimitInfo> allLimits();
std::span<const TargetInfo> allTargets();
const TargetInfo &targetInfo(TargetId id);

/// The first target that has the feature: whose limits a fact of the feature
/// is. Every feature is some target's.
const TargetInfo &targetWith(Feature feature);

/// The target where none is named, by a kernel or for a tool.
const TargetInfo &defaultTarget();

/// The target of that name; null if there is none (Code::UnknownTarget).
const TargetInfo *lookupTarget(std::string_view name);

//===----------------------------------------------------------------------===//
// Registers (MM-74, MM-75)
//===----------------------------------------------------------------------===//

/// Registers a thread that a CTA of so many warps can start with when it has
/// an SM for itself: the share of the fullest part of the register file,
/// rounded down to the allocation unit, at most what a thread can name.
/// 4 warps: 255; 8: 255; 9 to 12: 168; 16: 128. Zero when they do not fit.
int64_t launchRegisters(const TargetInfo &target, int64_t warps);

/// So many warps, each with so many registers a thread.
struct WarpBudget {
  int64_t warps;
  int64_t registers;
};

/// Checks the register budgets of a warp-specialised kernel: `launch` registers
/// a thread at its start, then each group of warps runs setmaxnreg to its
/// budget. Every warp of the CTA is in `budgets`, idle ones too. Returns the
/// code of the first rule that is broken:
///  - SetmaxnregOperand: not a multiple of 8 in 24..256, or no whole warpgroup;
///  - RegisterBudget: together more than what the CTA was given at launch.
std::optional<Code> checkRegisterBudgets(const TargetInfo &target,
                                         int64_t launch,
                                         std::span<const WarpBudget> budgets);

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// docs/hardware-facts.md, whole.
std::string printHardwareFacts();

/// docs/codes.md, whole: every code with its title, level, rule, source, fix.
std::string printCodes();

} // namespace titan

#endif // TITAN_TARGET_TARGET_H
