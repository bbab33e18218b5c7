//===- Prove.h - a kernel is right for every size ---------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An abstract interpretation in the size of the text: uses of barriers and
// groups are numbered by polynomials over sizes and iterations, and what the
// checker asks of each pair of accesses is asked of the pair of their texts, once
// for all iterations. docs/checker.md has the judgements and the theorem.
//
// It proves, or says where it stopped and why. It refuses nothing: that is the
// search's (Checker.h).
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_ANALYSIS_TYPESTATE_PROVE_H
#define TITAN_ANALYSIS_TYPESTATE_PROVE_H

#include "titan/Dialect/Titan/Titan.h"

#include <atomic>
#include <limits>
#include <string>
#include <vector>

namespace titan {

struct ProofReport {
  bool proved = false;
  /// What the proof takes for granted, a line each.
  std::vector<std::string> assumptions;
  /// Where it stopped: the first place, why, and what would let it go on.
  mlir::Operation *stoppedAt = nullptr;
  std::string reason, goOn;
  /// The rules of what was not shown, "MM-53, MM-57"; empty: of the language alone.
  std::string rules;
  /// Systems of facts that were looked at.
  uint64_t systems = 0;
  double seconds = 0; ///< of the thread's own time
};

/// Judgements that tests leave out, to see that each is needed.
enum class Judgement {
  None,
  Parity,   ///< a wait's parity is its use's
  Pinned,   ///< use n is signalled, and waited for, when n - D is over
  Alias,    ///< use n + D ends only behind the waits for n
  Rank,     ///< signals come before those who wait for them
  Order,    ///< accesses that conflict are in order
  Defined,  ///< what is read has been written
  OnceUsed, ///< of barriers that are used once: the use is of their first round
  Bytes,    ///< of counted bytes: as many come as are expected
  Expected, ///< who expects them arrives behind that
  PeerCopies, ///< a peer's copies are of the uses that they are of, and no other
  PeerTells,  ///< a peer that copies tells of those uses, and no other
  Alike,      ///< CTAs that fill each other's rings do so alike
  PeerInit,   ///< they initialise barriers alike
  PeerFence,  ///< a fence of shared_cta is none of a peer's memory
  PeerSides,  ///< a branch that one CTA takes another one may leave
  Stays,      ///< a CTA stays until peers have done with it
  OwnCopies,  ///< each lane waits for its own cp.async
  AsyncTells,  ///< an arrival behind cp.async tells of those copies alone
  Reductions,  ///< reductions of one operation, and nothing else, may meet
  Iterations,  ///< an iteration's end is the head of the next one
  Holds,       ///< numbers fit into their bits
  CellFences,  ///< both halves of tcgen05.fence stand between two threads
  Columns,     ///< columns are got, and given back
  WaveOrder,   ///< loads to LDS are in no order with what else their wave does
  Left,        ///< a wait for a counter leaves as many pending as it names
  PlainStores, ///< plain stores raise a counter, too
  Flights,     ///< registers are there when the load that counts is over
  Unsigned,    ///< bounds compared as unsigned numbers have no highest bit
  FlagCounts,  ///< a wait for a flag needs all signals that can come before it
  FlagScope,   ///< flags are released to the device, and acquired from it
  FlagRank, ///< CTAs that wait for flags do not wait for each other in a circle
  Residency,    ///< who waits for a later CTA is there with all of them
  OwnElements,  ///< threads of a CTA exchange what is in order, too
  TicketBounds, ///< all loops that run by a counter's numbers end by one bound
  TicketWraps,  ///< the counter holds all numbers that are taken
  Letters,      ///< the letter that is read is the one of this number
  Between,      ///< between uses that a thread waits for are none
  Arrivals,     ///< all arrivals of a use come, and no more
  Asked,        ///< a wait is for one of the uses that there are
  LastCopies,   ///< the last copies have come when the kernel ends
  Expects,      ///< who copies has expected the bytes
  Init,         ///< barriers are initialised, and that is published
  ClusterScope, ///< what peers signal is released to the cluster
  Named,        ///< a named barrier has one number of threads, and warps
  Inside,       ///< indices lie inside of the tensor
  ProductFence, ///< wgmma.fence stands before products
  ProductWait,  ///< registers of a product are read behind a wait for it
  Ends,         ///< groups are over when their warp ends
  Writes,       ///< CTAs and iterations write different places
};
inline constexpr std::pair<Judgement, const char *> judgements[] = {
    {Judgement::Parity, "parity"},
    {Judgement::Pinned, "pinned"},
    {Judgement::Alias, "alias"},
    {Judgement::Rank, "rank"},
    {Judgement::Order, "order"},
    {Judgement::Defined, "defined"},
    {Judgement::OnceUsed, "once-used"},
    {Judgement::Bytes, "bytes"},
    {Judgement::Expected, "expected"},
    {Judgement::PeerCopies, "peer-copies"},
    {Judgement::PeerTells, "peer-tells"},
    {Judgement::Alike, "alike"},
    {Judgement::PeerInit, "peer-init"},
    {Judgement::PeerFence, "peer-fence"},
    {Judgement::PeerSides, "peer-sides"},
    {Judgement::Stays, "stays"},
    {Judgement::OwnCopies, "own-copies"},
    {Judgement::AsyncTells, "async-tells"},
    {Judgement::Reductions, "reductions"},
    {Judgement::Iterations, "iterations"},
    {Judgement::Holds, "holds"},
    {Judgement::CellFences, "cell-fences"},
    {Judgement::Columns, "columns"},
    {Judgement::WaveOrder, "wave-order"},
    {Judgement::Left, "left"},
    {Judgement::PlainStores, "plain-stores"},
    {Judgement::Flights, "flights"},
    {Judgement::Unsigned, "unsigned"},
    {Judgement::FlagCounts, "flag-counts"},
    {Judgement::FlagScope, "flag-scope"},
    {Judgement::FlagRank, "flag-rank"},
    {Judgement::Residency, "residency"},
    {Judgement::OwnElements, "own-elements"},
    {Judgement::TicketBounds, "ticket-bounds"},
    {Judgement::TicketWraps, "ticket-wraps"},
    {Judgement::Letters, "letters"},
    {Judgement::Between, "between"},
    {Judgement::Arrivals, "arrivals"},
    {Judgement::Asked, "asked"},
    {Judgement::LastCopies, "last-copies"},
    {Judgement::Expects, "expects"},
    {Judgement::Init, "init"},
    {Judgement::ClusterScope, "cluster-scope"},
    {Judgement::Named, "named"},
    {Judgement::Inside, "inside"},
    {Judgement::ProductFence, "product-fence"},
    {Judgement::ProductWait, "product-wait"},
    {Judgement::Ends, "ends"},
    {Judgement::Writes, "writes"},
};

/// Of a kernel without pipes and copies by schedule. It is given up soon after
/// another thread has called it off. `eachWarp` (tests): warps that do the same are
/// walked one by one, which asks the same questions.
ProofReport prove(KernelOp kernel, Judgement without = Judgement::None,
                  double mostSeconds = std::numeric_limits<double>::infinity(),
                  const std::atomic<bool> *calledOff = nullptr,
                  bool eachWarp = false);

} // namespace titan

#endif
