//===- ProxyTableTest.cpp - The proxy table, all combinations -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table is data in matching order. Here every combination of accesses and
// relations is asked for, and the answer compared with rules stated another way
// round: by what has to be true of the pair, not by rows.
//
//===----------------------------------------------------------------------===//

#include "titan/Target/ProxyTable.h"
#include "titan/Target/Mechanisms.h"

#include "gtest/gtest.h"

#include <functional>
#include <set>

using namespace titan;

namespace {

constexpr AccessKind kinds[] = {AccessKind::Read, AccessKind::Write,
                                AccessKind::Reduction};
constexpr Proxy proxies[] = {Proxy::Generic, Proxy::AsyncGeneric, Proxy::Async,
                             Proxy::Tensormap};
constexpr Relation relations[] = {Relation::SameThread, Relation::SameCta,
                                  Relation::OtherCta};

using Callback = std::function<void(ProxyAccess, ProxyAccess, Relation)>;

/// Calls `f` for every pair that can exist and conflicts.
void forAll(const Callback &f) {
  for (AccessKind xk : kinds)
    for (Proxy xp : proxies)
      for (AccessKind yk : kinds)
        for (Proxy yp : proxies)
          for (Relation relation : relations) {
            ProxyAccess x{xk, xp}, y{yk, yp};
            // Nothing writes through the tensormap proxy.
            if ((xp == Proxy::Tensormap && xk != AccessKind::Read) ||
                (yp == Proxy::Tensormap && yk != AccessKind::Read))
              continue;
            if (conflict(x, y))
              f(x, y, relation);
          }
}

bool writes(ProxyAccess a) { return a.kind != AccessKind::Read; }

} // namespace

TEST(ProxyTable, EveryPairHasARow) {
  unsigned pairs = 0;
  std::set<unsigned> seen;
  forAll([&](ProxyAccess x, ProxyAccess y, Relation relation) {
    Requirement r = required(x, y, relation);
    ++pairs;
    seen.insert(r.row);
    EXPECT_FALSE(r.rule.empty());
  });
  // 10 accesses (3 kinds x 3 proxies, and the tensormap read), 4 of them reads:
  // (100 - 16) x 3 relations.
  EXPECT_EQ(pairs, 252u);
  // Row 12 is about scopes, not about accesses.
  EXPECT_EQ(seen, (std::set<unsigned>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
}

TEST(ProxyTable, AsynchronousAccessesMustBeObserved) {
  forAll([&](ProxyAccess x, ProxyAccess y, Relation relation) {
    Requirement r = required(x, y, relation);
    Completion expected = !isAsynchronous(x.proxy) ? Completion::None
                          : writes(x)              ? Completion::Done
                                                   : Completion::SourceRead;
    EXPECT_EQ(r.completion, expected);
    if (expected == Completion::None)
      return;
    Code code = x.proxy == Proxy::Tensormap ? Code::TensormapInUse
                : relation == Relation::SameThread && x.proxy == y.proxy
                    ? Code::AsyncUnordered
                    : Code::CompletionNotObserved;
    EXPECT_EQ(r.ifNotComplete, code);
    // Whatever the flags, a missing completion is an error.
    EXPECT_EQ(codeInfo(code).severity, Severity::Error);
    EXPECT_EQ(codeInfo(code).strictSeverity, Severity::Error);
  });
}

TEST(ProxyTable, FencesStandBetweenProxies) {
  forAll([&](ProxyAccess x, ProxyAccess y, Relation relation) {
    Requirement r = required(x, y, relation);
    bool xGeneric = x.proxy == Proxy::Generic;
    bool xLater = x.proxy == Proxy::AsyncGeneric;
    ProxyFence expected = ProxyFence::None;
    if (y.proxy == Proxy::Tensormap)
      expected = ProxyFence::TensormapReleaseAcquire;
    else if (y.proxy == Proxy::Async && xGeneric)
      expected = writes(x) ? ProxyFence::ByFirst : ProxyFence::ByEither;
    else if (y.proxy == Proxy::Async && xLater)
      expected = writes(x) ? ProxyFence::ByObserver : ProxyFence::ByEither;
    EXPECT_EQ(r.fence, expected);
    // A fence never takes the place of completion: what leaves the async proxy
    // needs none at all.
    if (x.proxy == Proxy::Async && y.proxy != Proxy::Tensormap)
      EXPECT_EQ(r.fence, ProxyFence::None);
  });
}

TEST(ProxyTable, PublishedRows) {
  auto row = [](AccessKind xk, Proxy xp, AccessKind yk, Proxy yp,
                Relation relation) {
    return required({xk, xp}, {yk, yp}, relation).row;
  };
  using enum AccessKind;
  using enum Proxy;
  using enum Relation;
  for (Relation any : relations) {
    EXPECT_EQ(row(Write, Generic, Read, Async, any), 1u);
    EXPECT_EQ(row(Write, Generic, Write, Async, any), 2u);
    EXPECT_EQ(row(Write, Async, Read, Generic, any), 3u);
    EXPECT_EQ(row(Write, Async, Write, Generic, any), 3u);
    EXPECT_EQ(row(Read, Generic, Write, Async, any), 4u);
    EXPECT_EQ(row(Read, Async, Write, Generic, any), 5u);
    EXPECT_EQ(row(Write, Generic, Read, Tensormap, any), 9u);
    EXPECT_EQ(row(Read, Tensormap, Write, Generic, any), 10u);
    EXPECT_EQ(row(Write, AsyncGeneric, Read, Async, any), 11u);
    EXPECT_EQ(row(Write, Generic, Read, Generic, any), 0u);
    EXPECT_EQ(row(Write, Generic, Read, AsyncGeneric, any), 0u);
  }
  for (AccessKind xk : {Write, Read}) {
    EXPECT_EQ(row(xk, Async, Write, Async, SameCta), 6u);
    EXPECT_EQ(row(xk, Async, Write, Async, SameThread), 7u);
    EXPECT_EQ(row(xk, Async, Write, Async, OtherCta), 8u);
  }
}

TEST(ProxyTable, Verdicts) {
  // Column by column as docs/memory-model.md has them.
  Strictness normal, strict;
  strict.level = Strictness::Level::Strict;
  struct {
    Code code;
    Severity normal, strict;
  } expected[] = {
      {Code::ProxyFenceMissing, Severity::Error, Severity::Error},
      {Code::CompletionNotObserved, Severity::Error, Severity::Error},
      {Code::AsyncUnordered, Severity::Error, Severity::Error},
      {Code::WarGenericAsync, Severity::Warning, Severity::Error},
      {Code::ClusterAsyncOrder, Severity::Ignored, Severity::Note},
      {Code::TensormapAcquireMissing, Severity::Error, Severity::Error},
      {Code::TensormapInUse, Severity::Error, Severity::Error},
      {Code::AsyncGenericFence, Severity::Warning, Severity::Error},
      {Code::ScopeTooNarrow, Severity::Warning, Severity::Error},
  };
  for (const auto &e : expected) {
    SCOPED_TRACE(std::string(codeInfo(e.code).code));
    EXPECT_EQ(normal.severityOf(e.code), e.normal);
    EXPECT_EQ(strict.severityOf(e.code), e.strict);
  }
}

TEST(ProxyTable, Reductions) {
  ProxyAccess red{AccessKind::Reduction, Proxy::Async};
  EXPECT_FALSE(conflict(red, red, /*sameReduction=*/true));
  EXPECT_TRUE(conflict(red, red, /*sameReduction=*/false));
  EXPECT_TRUE(conflict(red, {AccessKind::Read, Proxy::Async}, true));
  EXPECT_TRUE(conflict(red, {AccessKind::Write, Proxy::Async}, true));
  // Through different proxies they are not morally strong.
  EXPECT_TRUE(
      conflict(red, {AccessKind::Reduction, Proxy::AsyncGeneric}, true));
  EXPECT_TRUE(conflict(red, {AccessKind::Reduction, Proxy::Generic}, true));
}

TEST(ProxyTable, Scopes) {
  using enum Relation;
  EXPECT_EQ(scopeProblem(Scope::Cta, Scope::Cta, SameCta, true), std::nullopt);
  EXPECT_EQ(scopeProblem(Scope::Cta, Scope::Cluster, OtherCta, true),
            Code::ScopeTooNarrow);
  EXPECT_EQ(scopeProblem(Scope::Cluster, Scope::Cta, OtherCta, true),
            Code::ScopeTooNarrow);
  EXPECT_EQ(scopeProblem(Scope::Cluster, Scope::Cluster, OtherCta, true),
            std::nullopt);
  EXPECT_EQ(scopeProblem(Scope::Cluster, Scope::Gpu, OtherCta, false),
            Code::ScopeTooNarrow);
  EXPECT_EQ(scopeProblem(Scope::Gpu, Scope::Sys, OtherCta, false),
            std::nullopt);
}

TEST(ProxyTable, FenceSpaces) {
  EXPECT_TRUE(fenceCovers(FenceSpace::All, MemorySpace::Global));
  EXPECT_TRUE(fenceCovers(FenceSpace::SharedCta, MemorySpace::SharedOwn));
  EXPECT_FALSE(fenceCovers(FenceSpace::SharedCta, MemorySpace::SharedPeer));
  EXPECT_FALSE(fenceCovers(FenceSpace::SharedCta, MemorySpace::Global));
  EXPECT_TRUE(fenceCovers(FenceSpace::SharedCluster, MemorySpace::SharedPeer));
  EXPECT_FALSE(fenceCovers(FenceSpace::Global, MemorySpace::SharedOwn));
}

TEST(MemorySpaces, Rows) {
  unsigned index = 0;
  for (const MemorySpaceInfo &info : memorySpaces()) {
    EXPECT_EQ(static_cast<unsigned>(info.space), index++);
    EXPECT_EQ(memorySpaceInfo(info.elsewhere).elsewhere, info.space);
    // What PTX calls the space is how a fence is limited to it.
    unsigned named = 0;
    for (FenceSpace fence :
         {FenceSpace::Global, FenceSpace::SharedCta, FenceSpace::SharedCluster})
      if (ptxOf(fence) == info.ptx) {
        EXPECT_TRUE(fenceCovers(fence, info.space));
        ++named;
      }
    EXPECT_EQ(named, 1u);
  }
  EXPECT_EQ(ptxOf(FenceSpace::All), "");
}

TEST(ProxyTable, OrderedPairs) {
  ASSERT_TRUE(findOrderedPair(EngineOp::Wgmma, EngineOp::Wgmma));
  EXPECT_EQ(findOrderedPair(EngineOp::Wgmma, EngineOp::Wgmma)->condition,
            PairCondition::SameAccumulatorAndShape);
  EXPECT_TRUE(findOrderedPair(EngineOp::Tcgen05Cp, EngineOp::Tcgen05Mma));
  // Each of these has shipped as a bug.
  EXPECT_FALSE(findOrderedPair(EngineOp::Tcgen05St, EngineOp::Tcgen05Mma));
  EXPECT_FALSE(findOrderedPair(EngineOp::Tcgen05Mma, EngineOp::Tcgen05Ld));
  EXPECT_FALSE(findOrderedPair(EngineOp::Tcgen05Mma, EngineOp::Tcgen05Cp));
  EXPECT_FALSE(findOrderedPair(EngineOp::Tcgen05Ld, EngineOp::Tcgen05St));
  EXPECT_FALSE(findOrderedPair(EngineOp::Tcgen05St, EngineOp::Tcgen05Ld));
  EXPECT_FALSE(findOrderedPair(EngineOp::Tcgen05St, EngineOp::Tcgen05WaitLd));
  for (const OrderedPair &pair : orderedPairs())
    EXPECT_FALSE(pair.source.empty());
}

TEST(Mechanisms, Rows) {
  unsigned index = 0;
  for (const MechanismInfo &info : mechanisms()) {
    EXPECT_EQ(static_cast<unsigned>(info.mechanism), index++);
    EXPECT_EQ(&mechanismInfo(info.mechanism), &info);
    EXPECT_FALSE(info.wait.empty());
    EXPECT_FALSE(info.source.empty());
    // A group is formed by a commit, and waited for by who committed.
    if (info.waiter == Waiter::CommittingThread) {
      EXPECT_FALSE(info.commit.empty());
      EXPECT_EQ(info.pending, Pending::Thread);
    }
    // Who may wait has the list.
    EXPECT_EQ(info.waiter == Waiter::IssuingWarpgroup,
              info.pending == Pending::Warpgroup);
    EXPECT_EQ(info.waiter == Waiter::AnyThreadOfCta,
              info.pending == Pending::Barrier);
    EXPECT_EQ(info.waiter == Waiter::IssuingWarp,
              info.pending == Pending::Wave || info.pending == Pending::Cells);
  }
  EXPECT_FALSE(mechanismInfo(Mechanism::Phase).completesInOrder);
  EXPECT_TRUE(mechanismInfo(Mechanism::BulkGroup).hasReadWait);
}

TEST(Mechanisms, Engines) {
  unsigned index = 0;
  for (const EngineInfo &info : engines()) {
    EXPECT_EQ(static_cast<unsigned>(info.engine), index++);
    EXPECT_EQ(&engineInfo(info.engine), &info);
    EXPECT_FALSE(info.source.empty());
  }
  for (const MechanismInfo &info : mechanisms()) {
    // What only an arrival or the operation itself binds has no commit.
    bool commits = info.binding == Binding::Commit ||
                   info.binding == Binding::CommitOrArrive;
    if (commits || info.binding == Binding::Own)
      EXPECT_EQ(commits, !info.commit.empty()) << info.name;
    // Whose operation stands in pairs keeps those pairs in order.
    bool paired = false;
    for (const OrderedPair &pair : orderedPairs())
      paired |= info.operation && pair.first == *info.operation;
    EXPECT_EQ(paired, engineInfo(info.engine).inOrder == InOrder::Pairs)
        << info.name;
  }
}
