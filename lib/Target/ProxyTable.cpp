//===- ProxyTable.cpp - What orders two accesses, as data -----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Target/ProxyTable.h"

#include <cassert>

namespace titan {
namespace {

template <typename... E> constexpr uint8_t set(E... e) {
  return static_cast<uint8_t>(((1u << static_cast<unsigned>(e)) | ... | 0u));
}
template <typename E> constexpr bool in(E e, uint8_t s) {
  return s >> static_cast<unsigned>(e) & 1;
}

using enum AccessKind;
using enum Relation;
constexpr uint8_t any = set(Read, Write, Reduction);
constexpr uint8_t reads = set(Read);
constexpr uint8_t writes = set(Write, Reduction);
constexpr uint8_t generic = set(Proxy::Generic);
constexpr uint8_t later = set(Proxy::AsyncGeneric);
constexpr uint8_t async = set(Proxy::Async);
constexpr uint8_t map = set(Proxy::Tensormap);
constexpr uint8_t anywhere = set(SameThread, SameCta, OtherCta);
constexpr uint8_t oneCta = set(SameThread, SameCta);

// Codes of parts that a row does not ask for; never reported.
constexpr Code noCode = Code::InternalError;

constexpr ProxyRow rows[] = {
    {9,
     writes,
     generic,
     reads,
     map,
     anywhere,
     false,
     noCode,
     ProxyFence::TensormapReleaseAcquire,
     Code::TensormapAcquireMissing,
     {},
     "MM-39",
     "generic write of a tensor map, then a copy that uses it",
     "release and acquire of fence.proxy.tensormap, by the writer and by each "
     "reading thread",
     "the same"},
    {9,
     writes,
     later | async,
     reads,
     map,
     anywhere,
     true,
     Code::CompletionNotObserved,
     ProxyFence::TensormapReleaseAcquire,
     Code::TensormapAcquireMissing,
     {},
     "MM-39",
     "asynchronous write of a tensor map, then a copy that uses it",
     "completion observed, then release and acquire of fence.proxy.tensormap",
     "the same"},
    {10,
     reads,
     map,
     writes,
     generic | later | async,
     anywhere,
     true,
     Code::TensormapInUse,
     ProxyFence::None,
     noCode,
     {},
     "MM-40",
     "copy that uses a tensor map, then a write of the map",
     "completion of every copy that uses it (the map's read is enough)",
     "the same"},
    {1,
     writes,
     generic,
     reads,
     async,
     oneCta,
     false,
     noCode,
     ProxyFence::ByFirst,
     Code::ProxyFenceMissing,
     {},
     "MM-31",
     "generic write, then async read (st.shared, then TMA store, "
     "wgmma, tcgen05)",
     "a proxy fence",
     "every writer fences, then the barrier"},
    {1, writes, generic, reads, async, set(OtherCta), false, noCode,
     ProxyFence::ByFirst, Code::ProxyFenceMissing, Code::ReaderFenceMissing, "MM-31",
     "generic write, then async read by another CTA (st.global, then "
     "TMA load)",
     "a proxy fence", "the writer fences, careful code on both sides"},
    {2,
     writes,
     generic,
     writes,
     async,
     anywhere,
     false,
     noCode,
     ProxyFence::ByFirst,
     Code::ProxyFenceMissing,
     {},
     "MM-32",
     "generic write, then async write (fill, then TMA load over it)",
     "a proxy fence",
     "every writer fences, then the barrier"},
    {4,
     reads,
     generic,
     writes,
     async,
     anywhere,
     false,
     noCode,
     ProxyFence::ByEither,
     Code::WarGenericAsync,
     {},
     "MM-34",
     "generic read, then async write (ld of a slot, then the next TMA "
     "load)",
     "not stated; its clusterlaunchcontrol example fences on both sides",
     "arrive and wait only"},
    {4,
     reads,
     later,
     writes,
     async,
     anywhere,
     true,
     Code::CompletionNotObserved,
     ProxyFence::ByEither,
     Code::WarGenericAsync,
     {},
     "MM-34",
     "asynchronous generic read (cp.async source), then async write",
     "completion observed; across proxies not stated",
     "none known"},
    {11,
     writes,
     later,
     any,
     async,
     anywhere,
     true,
     Code::CompletionNotObserved,
     ProxyFence::ByObserver,
     Code::AsyncGenericFence,
     {},
     "MM-41",
     "asynchronous generic write (cp.async, st.async), then async "
     "access",
     "a proxy fence",
     "none, or by the consumer"},
    {7,
     any,
     async,
     any,
     async,
     set(SameThread),
     true,
     Code::AsyncUnordered,
     ProxyFence::None,
     noCode,
     {},
     "MM-37",
     "async, then async of the same thread, no completion between "
     "(two TMA stores to one place)",
     "unordered",
     "unordered"},
    {6,
     any,
     async,
     any,
     async,
     set(SameCta),
     true,
     Code::CompletionNotObserved,
     ProxyFence::None,
     noCode,
     {},
     "MM-36",
     "async, then async of the same CTA",
     "completion observed (same proxy, same CTA)",
     "the same"},
    {8, any, async, any, async, set(OtherCta), true,
     Code::CompletionNotObserved, ProxyFence::None, noCode, Code::ClusterAsyncOrder,
     "MM-38",
     "async, then async of another CTA (multicast into a slot that a "
     "peer's wgmma read)",
     "no clause",
     "completion observed, then release and acquire at cluster "
     "scope"},
    {3,
     writes,
     async,
     any,
     generic | later,
     anywhere,
     true,
     Code::CompletionNotObserved,
     ProxyFence::None,
     noCode,
     {},
     "MM-33",
     "async write, then generic read or write",
     "completion observed",
     "the same"},
    {5,
     reads,
     async,
     writes,
     generic | later,
     anywhere,
     true,
     Code::CompletionNotObserved,
     ProxyFence::None,
     noCode,
     {},
     "MM-35",
     "async read, then generic write (TMA store's source, wgmma "
     "operand)",
     "completion observed (sources read is enough)",
     "the same"},
    {7,
     any,
     later,
     any,
     later,
     set(SameThread),
     true,
     Code::AsyncUnordered,
     ProxyFence::None,
     noCode,
     {},
     "MM-37",
     "cp.async, then cp.async of the same thread, no completion "
     "between",
     "unordered",
     "unordered"},
    {3,
     writes,
     later,
     any,
     generic | later,
     anywhere,
     true,
     Code::CompletionNotObserved,
     ProxyFence::None,
     noCode,
     {},
     "MM-33",
     "asynchronous generic write, then generic read or write",
     "completion observed",
     "the same"},
    {5,
     reads,
     later,
     writes,
     generic | later,
     anywhere,
     true,
     Code::CompletionNotObserved,
     ProxyFence::None,
     noCode,
     {},
     "MM-35",
     "asynchronous generic read, then generic write",
     "completion observed",
     "the same"},
    {0,
     any,
     generic,
     any,
     generic | later,
     anywhere,
     false,
     noCode,
     ProxyFence::None,
     noCode,
     {},
     "MM-20",
     "generic, then generic (issued after it)",
     "base causality order",
     "the same"},
};

constexpr std::string_view ptxTcgen05 =
    "PTX \"Memory consistency model for 5th generation of TensorCore "
    "operations\", Pipelined tcgen05 Instructions";

constexpr OrderedPair pairs[] = {
    {EngineOp::Wgmma, EngineOp::Wgmma, PairCondition::SameAccumulatorAndShape,
     "PTX \"wgmma.fence\" (accumulators of one shape)"},
    {EngineOp::Tcgen05Mma, EngineOp::Tcgen05Mma,
     PairCondition::SameAccumulatorShapeKind, ptxTcgen05},
    {EngineOp::Tcgen05Cp, EngineOp::Tcgen05Mma, PairCondition::SameCtaGroup,
     ptxTcgen05},
    {EngineOp::Tcgen05Shift, EngineOp::Tcgen05Mma, PairCondition::SameCtaGroup,
     ptxTcgen05},
    {EngineOp::Tcgen05Shift, EngineOp::Tcgen05Cp,
     PairCondition::SameCtaGroupAndShape4x256b, ptxTcgen05},
    {EngineOp::Tcgen05Mma, EngineOp::Tcgen05Shift, PairCondition::SameCtaGroup,
     ptxTcgen05},
    {EngineOp::Tcgen05Mma, EngineOp::Tcgen05Commit, PairCondition::SameCtaGroup,
     ptxTcgen05},
    {EngineOp::Tcgen05Cp, EngineOp::Tcgen05Commit, PairCondition::SameCtaGroup,
     ptxTcgen05},
    {EngineOp::Tcgen05Shift, EngineOp::Tcgen05Commit,
     PairCondition::SameCtaGroup, ptxTcgen05},
    {EngineOp::Tcgen05Ld, EngineOp::Tcgen05WaitLd, PairCondition::Always,
     ptxTcgen05},
    {EngineOp::Tcgen05St, EngineOp::Tcgen05WaitSt, PairCondition::Always,
     ptxTcgen05},
    {EngineOp::LdsAccess, EngineOp::LdsAccess, PairCondition::Always,
     "CDNA3 ISA, LDS: LDS instructions of one wave execute in order"},
};

} // namespace

bool conflict(ProxyAccess x, ProxyAccess y, bool sameReduction) {
  if (x.kind == Read && y.kind == Read)
    return false;
  if (x.kind == Reduction && y.kind == Reduction && sameReduction)
    return !(isAsynchronous(x.proxy) && x.proxy == y.proxy);
  return true;
}

Requirement required(ProxyAccess x, ProxyAccess y, Relation relation) {
  assert(conflict(x, y) && "two reads need no order");
  for (const ProxyRow &r : rows) {
    if (!in(x.kind, r.xKinds) || !in(x.proxy, r.xProxies) ||
        !in(y.kind, r.yKinds) || !in(y.proxy, r.yProxies) ||
        !in(relation, r.relations))
      continue;
    Requirement result;
    result.row = r.row;
    result.rule = r.rule;
    if (r.completion)
      result.completion =
          x.kind == Read ? Completion::SourceRead : Completion::Done;
    result.fence = r.fence;
    result.ifNotComplete = r.ifNotComplete;
    result.ifNoFence = r.ifNoFence;
    result.advice = r.advice;
    return result;
  }
  // Only writes through the tensormap proxy are left: there are none.
  assert(false && "nothing writes through the tensormap proxy");
  return {};
}

std::optional<Code> scopeProblem(Scope release, Scope acquire,
                                 Relation relation, bool sameCluster) {
  if (relation != OtherCta)
    return std::nullopt;
  Scope least = sameCluster ? Scope::Cluster : Scope::Gpu;
  if (release < least || acquire < least)
    return Code::ScopeTooNarrow;
  return std::nullopt;
}

std::span<const ProxyRow> proxyRows() { return rows; }

std::string printProxyTable() {
  std::string out =
      "| row | X, then Y | PTX, by its letter | deployed practice | asked for "
      "here | without it | rule |\n|---|---|---|---|---|---|---|\n";
  // Printed by row number; matching order is another.
  for (unsigned number = 1; number <= 12; ++number) {
    for (const ProxyRow &r : rows) {
      if (r.row != number)
        continue;
      std::string asked, verdict;
      auto add = [&](std::string_view what, Code code) {
        const CodeInfo &info = codeInfo(code);
        if (!asked.empty()) {
          asked += ", then ";
          verdict += "; ";
        }
        asked += what;
        verdict += "`";
        verdict += info.code;
        verdict += "` ";
        verdict += toString(info.severity);
        if (info.strictSeverity != info.severity) {
          verdict += ", strict ";
          verdict += toString(info.strictSeverity);
        }
      };
      if (r.completion)
        add("completion observed", r.ifNotComplete);
      switch (r.fence) {
      case ProxyFence::None:
        break;
      case ProxyFence::ByFirst:
        add("`fence.proxy.async` by X's thread", r.ifNoFence);
        break;
      case ProxyFence::ByEither:
        add("`fence.proxy.async` by X's thread or by Y's", r.ifNoFence);
        break;
      case ProxyFence::ByObserver:
        add("`fence.proxy.async` by the observing or issuing thread",
            r.ifNoFence);
        break;
      case ProxyFence::TensormapReleaseAcquire:
        add("`fence.proxy.tensormap` release and acquire", r.ifNoFence);
        break;
      }
      if (r.advice) {
        const CodeInfo &info = codeInfo(*r.advice);
        verdict += "; besides `";
        verdict += info.code;
        verdict += "` ";
        verdict += toString(info.severity);
        verdict += ", strict ";
        verdict += toString(info.strictSeverity);
      }
      out += "| " + std::to_string(number) + " | ";
      out += r.what;
      out += " | ";
      out += r.letter;
      out += " | ";
      out += r.practice;
      out += " | " + asked + " | " + verdict + " | ";
      out += r.rule;
      out += " |\n";
    }
    if (number == 12) {
      const CodeInfo &info = codeInfo(Code::ScopeTooNarrow);
      out += "| 12 | any pair of different CTAs, release or acquire at CTA "
             "scope | no synchronisation | accepted | a scope that includes "
             "both | `";
      out += info.code;
      out += "` ";
      out += toString(info.severity);
      out += ", strict ";
      out += toString(info.strictSeverity);
      out += " | MM-42 |\n";
    }
  }
  return out;
}

std::string_view toString(EngineOp op) {
  switch (op) {
  case EngineOp::Wgmma:
    return "wgmma.mma_async";
  case EngineOp::Tcgen05Mma:
    return "tcgen05.mma";
  case EngineOp::Tcgen05Cp:
    return "tcgen05.cp";
  case EngineOp::Tcgen05Shift:
    return "tcgen05.shift";
  case EngineOp::Tcgen05Commit:
    return "tcgen05.commit";
  case EngineOp::Tcgen05Ld:
    return "tcgen05.ld";
  case EngineOp::Tcgen05St:
    return "tcgen05.st";
  case EngineOp::Tcgen05WaitLd:
    return "tcgen05.wait::ld";
  case EngineOp::Tcgen05WaitSt:
    return "tcgen05.wait::st";
  case EngineOp::LdsAccess:
    return "ds_read, ds_write";
  }
  return "";
}

std::span<const OrderedPair> orderedPairs() { return pairs; }

const OrderedPair *findOrderedPair(EngineOp first, EngineOp second) {
  for (const OrderedPair &pair : pairs)
    if (pair.first == first && pair.second == second)
      return &pair;
  return nullptr;
}

} // namespace titan
