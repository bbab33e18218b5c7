//===- TargetTest.cpp - The tables of targets -----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Target/Target.h"
#include "titan/Target/Mma.h"
#include "titan/Target/Occupancy.h"
#include "titan/Target/Tma.h"

#include "gtest/gtest.h"

#include <set>
#include <vector>

using namespace titan;

TEST(Target, Lookup) {
  ASSERT_TRUE(lookupTarget("sm_90a"));
  EXPECT_EQ(lookupTarget("sm_90a")->id, TargetId::Sm90a);
  EXPECT_EQ(lookupTarget("gfx942")->warpWidth, 64);
  EXPECT_EQ(lookupTarget("sm_90"), nullptr);
  for (const TargetInfo &target : allTargets())
    EXPECT_EQ(&targetInfo(target.id), &target);
}

TEST(Target, RowsHaveSources) {
  for (const LimitInfo &limit : allLimits()) {
    EXPECT_FALSE(limit.source.empty()) << limit.name;
    EXPECT_FALSE(limit.what.empty()) << limit.name;
  }
  unsigned index = 0;
  for (const FeatureInfo &feature : allFeatures()) {
    EXPECT_EQ(static_cast<unsigned>(feature.feature), index++);
    EXPECT_FALSE(feature.source.empty()) << feature.name;
    EXPECT_TRUE(targetWith(feature.feature).has(feature.feature))
        << feature.name;
  }
}

TEST(Target, Features) {
  const TargetInfo &hopper = targetInfo(TargetId::Sm90a);
  const TargetInfo &blackwell = targetInfo(TargetId::Sm100a);
  const TargetInfo &cdna = targetInfo(TargetId::Gfx942);
  EXPECT_TRUE(hopper.has(Feature::Wgmma));
  EXPECT_FALSE(blackwell.has(Feature::Wgmma));
  EXPECT_TRUE(blackwell.has(Feature::Tcgen05));
  EXPECT_TRUE(cdna.has(Feature::WaitCounters));
  EXPECT_FALSE(cdna.has(Feature::Tma));
  EXPECT_TRUE(blackwell.has(Feature::CtaPairs));
  EXPECT_FALSE(hopper.has(Feature::CtaPairs));
  EXPECT_TRUE(cdna.has(Feature::SBarrier));
  EXPECT_EQ(&defaultTarget(), &hopper);
  // A limit is absent where its mechanism is.
  EXPECT_EQ(cdna.tmaMaxBox, TargetInfo::absent);
  EXPECT_EQ(hopper.tmemColumns, TargetInfo::absent);
  EXPECT_EQ(hopper.maxVmcnt, TargetInfo::absent);
}

TEST(Target, LaunchRegisters) {
  const TargetInfo &hopper = targetInfo(TargetId::Sm90a);
  // What ptxas 13.0 gives a kernel with .maxntid of so many warps,
  // .minnctapersm 1 and a setmaxnreg in it.
  const struct {
    int64_t warps, registers;
  } known[] = {{4, 255}, {8, 255}, {9, 168}, {12, 168}, {13, 128}, {16, 128},
               {17, 96}, {20, 96}, {24, 80}, {28, 72},  {32, 64}};
  for (auto k : known)
    EXPECT_EQ(launchRegisters(hopper, k.warps), k.registers) << k.warps;
  EXPECT_EQ(launchRegisters(hopper, 1), 255);
  EXPECT_EQ(launchRegisters(hopper, 0), 0);
  EXPECT_EQ(launchRegisters(hopper, 33), 0);
}

/// CTAs put on one after the other: each warp into the emptiest part of the
/// register file, whole units a thread.
static int64_t putOneByOne(int64_t warps, int64_t registers,
                           int64_t sharedBytes) {
  int64_t held = std::max<int64_t>((registers + 7) / 8 * 8, 8) * 32;
  std::vector<int64_t> left(4, 65536 / 4);
  int64_t ctas = 0, shared = 233472, free = 64;
  for (; ctas < 32 && free >= warps; ++ctas, free -= warps) {
    shared -= sharedBytes + 1024;
    if (shared < 0)
      return ctas;
    for (int64_t warp = 0; warp < warps; ++warp) {
      auto part = std::max_element(left.begin(), left.end());
      if (*part < held)
        return ctas;
      *part -= held;
    }
  }
  return ctas;
}

TEST(Target, ResidentCtas) {
  const TargetInfo &hopper = targetInfo(TargetId::Sm90a);
  for (int64_t warps = 1; warps <= 32; ++warps)
    for (int64_t registers = 1; registers <= 255; ++registers)
      for (int64_t shared : {0, 128, 16384, 49152, 116736, 232448})
        ASSERT_EQ(residentCtas(hopper, warps, registers, shared),
                  putOneByOne(warps, registers, shared))
            << warps << " warps, " << registers << " registers, " << shared;
  EXPECT_EQ(residentCtas(hopper, 8, 53, 128), 4);
  EXPECT_EQ(residentCtas(hopper, 8, 48, 128), 5);
  EXPECT_EQ(residentCtas(hopper, 33, 32, 0), 0);
  EXPECT_EQ(residentCtas(hopper, 4, 256, 0), 0);
  for (int64_t warps = 1; warps <= 32; ++warps)
    EXPECT_GE(residentCtas(hopper, warps, launchRegisters(hopper, warps), 0), 1)
        << warps;
}

TEST(Target, RegisterBudgets) {
  const TargetInfo &hopper = targetInfo(TargetId::Sm90a);
  using Budgets = std::vector<WarpBudget>;
  auto check = [&](int64_t launch, Budgets budgets) {
    return checkRegisterBudgets(hopper, launch, budgets);
  };
  // One producer and two consumer warpgroups: 24 + 2 * 240 = 3 * 168.
  EXPECT_EQ(check(168, {{4, 24}, {8, 240}}), std::nullopt);
  EXPECT_EQ(check(168, {{4, 40}, {8, 232}}), std::nullopt);
  EXPECT_EQ(check(168, {{4, 32}, {8, 240}}), Code::RegisterBudget);
  EXPECT_EQ(check(128, {{4, 24}, {12, 168}}), Code::RegisterBudget);
  EXPECT_EQ(check(128, {{4, 32}, {12, 160}}), std::nullopt);
  EXPECT_EQ(check(168, {{4, 20}, {8, 240}}), Code::SetmaxnregOperand);
  EXPECT_EQ(check(168, {{4, 28}, {8, 232}}), Code::SetmaxnregOperand);
  EXPECT_EQ(check(168, {{1, 24}, {8, 232}}), Code::SetmaxnregOperand);
  EXPECT_EQ(check(255, {{4, 256}, {4, 256}}), std::nullopt);
}

TEST(Mma, Wgmma) {
  auto find = [](std::string_view a, std::string_view b, std::string_view d,
                 int m, int n, int k, Code *why = nullptr) {
    return findMma(MmaFamily::Wgmma, a, b, d, m, n, k, 1, why);
  };
  for (int n = 1; n <= 300; ++n)
    EXPECT_EQ(find("bf16", "bf16", "f32", 64, n, 16) != nullptr,
              n % 8 == 0 && n >= 8 && n <= 256)
        << n;
  Code why = Code::InternalError;
  EXPECT_FALSE(find("bf16", "bf16", "f32", 128, 64, 16, &why));
  EXPECT_EQ(why, Code::MmaShape);
  EXPECT_FALSE(find("bf16", "f16", "f32", 64, 64, 16, &why));
  EXPECT_EQ(why, Code::MmaType);
  EXPECT_FALSE(find("bf16", "bf16", "bf16", 64, 64, 16, &why));
  EXPECT_EQ(why, Code::MmaType);
  EXPECT_TRUE(find("e4m3", "e5m2", "f32", 64, 96, 32));
  EXPECT_FALSE(find("s8", "s8", "s32", 64, 40, 32));
  EXPECT_TRUE(find("s8", "s8", "s32", 64, 48, 32));
  EXPECT_FALSE(find("", "", "", 64, 48, 32));
}

TEST(Mma, RowsAreSane) {
  for (const MmaShape &shape : allMmaShapes()) {
    EXPECT_GT(shape.nStep, 0);
    EXPECT_EQ((shape.nMax - shape.nMin) % shape.nStep, 0);
    EXPECT_TRUE(shape.takesN(shape.nMin));
    EXPECT_TRUE(shape.takesN(shape.nMax));
    EXPECT_FALSE(shape.source.empty());
  }
}

TEST(Tma, SwizzleFunctions) {
  // Inputs and outputs published for each mode.
  const uint32_t in[] = {0x40, 0x80, 0x90, 0x100, 0x1C8, 0x3F8};
  struct {
    const char *name;
    uint32_t out[6];
  } expected[] = {
      {"none", {0x40, 0x80, 0x90, 0x100, 0x1C8, 0x3F8}},
      {"32B", {0x40, 0x90, 0x80, 0x100, 0x1D8, 0x3E8}},
      {"64B", {0x40, 0x90, 0x80, 0x120, 0x1F8, 0x3C8}},
      {"128B", {0x40, 0x90, 0x80, 0x120, 0x1F8, 0x388}},
      {"128B_atom_32B", {0x40, 0xA0, 0xB0, 0x140, 0x1A8, 0x398}},
      {"128B_atom_32B_flip_8B", {0x40, 0xA8, 0xB8, 0x140, 0x1A0, 0x390}},
      {"128B_atom_64B", {0x40, 0xC0, 0xD0, 0x100, 0x188, 0x3B8}},
  };
  for (const auto &e : expected) {
    const TmaSwizzle *swizzle = findTmaSwizzle(e.name);
    ASSERT_TRUE(swizzle) << e.name;
    for (unsigned i = 0; i < 6; ++i)
      EXPECT_EQ(swizzle->apply(in[i]), e.out[i]) << e.name << " " << in[i];
  }
  EXPECT_EQ(findTmaSwizzle("256B"), nullptr);
}

TEST(Tma, SwizzlesAreInvolutionsWithTheirPeriod) {
  for (const TmaSwizzle &swizzle : tmaSwizzles()) {
    SCOPED_TRACE(std::string(swizzle.name));
    uint32_t period = swizzle.period;
    std::set<uint32_t> images;
    for (uint32_t a = 0; a < 4096; ++a) {
      uint32_t b = swizzle.apply(a);
      EXPECT_EQ(swizzle.apply(b), a);
      // Stays inside its period, and repeats with it.
      EXPECT_EQ(b / period, a / period);
      EXPECT_EQ(b % period, swizzle.apply(a % period));
      images.insert(b);
    }
    EXPECT_EQ(images.size(), 4096u);
    // No smaller power of two is a period (atoms of one mode flip inside).
    if (swizzle.span) {
      uint32_t half = period / 2;
      bool repeats = true;
      for (uint32_t a = 0; a < 4096; ++a)
        repeats &=
            swizzle.apply(a) - a / half * half == swizzle.apply(a % half);
      EXPECT_FALSE(repeats);
    }
  }
}

TEST(Tma, TypesAndReductions) {
  ASSERT_TRUE(findTmaType("bf16"));
  EXPECT_EQ(findTmaType("bf16")->driver, 9);
  EXPECT_EQ(findTmaType("bf16")->replace, 10);
  std::set<int> drivers, replaces;
  for (const TmaType &type : tmaTypes()) {
    EXPECT_TRUE(drivers.insert(type.driver).second);
    EXPECT_TRUE(replaces.insert(type.replace).second);
  }
  EXPECT_TRUE(hasTmaReduction("add", "bf16"));
  EXPECT_TRUE(hasTmaReduction("min", "s64"));
  EXPECT_FALSE(hasTmaReduction("add", "s64"));
  EXPECT_FALSE(hasTmaReduction("add", "u8"));
  EXPECT_FALSE(hasTmaReduction("mul", "f32"));
}
