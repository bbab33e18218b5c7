//===- StAsync.cpp - stores to a peer's shared memory -----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// st.async: all threads load the tile and store it to the peer, 4 to 16 bytes at a
// time, each of them told to the peer's barrier. So runs that are too short for
// a bulk copy (dsmem: 16 bytes) get there. With `reduce(add)`: red.async.
//
//===----------------------------------------------------------------------===//
#include "Building.h"

using namespace mlir;
using namespace titan;
using namespace titan::dispatch;

static std::optional<std::string> lacksPeer(const CopyRequest &request) {
  if (!request.rank)
    return "no rank: the copy stays in the executing CTA; rank(%peer) says "
           "whose shared memory it goes to";
  if (!request.barrier)
    return "no barrier: a copy to a peer completes on its mbarrier, "
           "signals %full";
  return std::nullopt;
}

static Result<Plan> planStAsync(const CopyRequest &request) {
  const CopyPlaces &places = *request.places;
  for (const CopyPlace *place : {&places.source, &places.target})
    if (auto reason = isNoView(*place))
      return Problem{"", *reason};
  int64_t bytes = getElementBytes(places.elementType);
  auto of = partitionOf(request.op->getContext(), places.extents,
                        std::max<int64_t>(1, 16 / bytes),
                        request.target->warpWidth, request.issuers.warps);
  if (!of)
    return of.problem();
  if (of->registers * bytes > 512)
    return Problem{
        "", "each thread would hold " + std::to_string(of->registers * bytes) +
                " bytes at once: let more warps copy, or copy parts"};
  int64_t threads = request.issuers.warps * request.target->warpWidth;
  if (auto reason = isSharedBySeveral(*of, request.issuers.warps,
                                      request.target->warpWidth))
    return Problem{"", *reason};
  // As many loads as stores; reductions take an element at a time.
  int64_t stores = of->registers / (request.reduce ? 1 : of->vector);
  Cost cost{.instructions = of->registers / of->vector + stores,
            .bytes = threads * of->vector * bytes,
            .threads = threads};
  return planOf(
      request.op, cost,
      [request, of = *of](OpBuilder &b) {
        const CopyPlaces &places = *request.places;
        Location loc = request.op->getLoc();
        Value mine = viewOf(b, loc, places.source, places);
        Value there = viewOf(b, loc, places.target, places, request.rank);
        Value far = mapped(b, loc, request.barrier, request.rank);
        Value tile = SharedLoadOp::create(b, loc, of.of(places.elementType),
                                          mine, UnitAttr());
        if (request.reduce)
          RedAsyncOp::create(b, loc, *request.reduce, tile, there, far,
                             request.index);
        else
          StAsyncOp::create(b, loc, tile, there, far, request.index);
        return Value();
      },
      [request] { requireRank(request); });
}

void dispatch::registerStAsync(CopyVariants &table) {
  table.add({.name = "st_async",
             .directions = {{Memory::Shared, Memory::Shared}},
             .needs = {Feature::StAsync},
             .when = {isBetweenPlaces(),
                      isAsynchronous(true),
                      allThreads(),
                      {"has_peer", lacksPeer},
                      {"rank_in_cluster", leavesCluster},
                      takesWords({.reduce = true})},
             .plan = planStAsync});
}
