//===- CpAsync.cpp - copies of threads, past their registers ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async: each thread copies its chunks of 4, 8 or 16 bytes from global to
// shared memory, as wide as address, strides and offsets are known to be
// multiples of. What lies outside of the tensor becomes zero: a chunk at its end is
// filled up. Of 128 x 64 elements of two bytes, by four warps:
//
//     titan.cp_async %A[%row + r, %k + c] mask(inside), %tile bytes(16) cg
//                              reg: 8*c1, 8*r16; lane: 8*c8, 4*r1; warp: 4*r4
//
// The copies join the thread's async group; with `signals %full` the barrier's phase
// waits for them, each thread arriving when its own are done (noinc: the barrier
// counts all threads).
//
//===----------------------------------------------------------------------===//
#include "Building.h"

using namespace mlir;
using namespace titan;
using namespace titan::dispatch;

static Result<Plan> planCpAsync(const CopyRequest &request) {
  const CopyPlaces &places = *request.places;
  if (auto reason = isNoView(places.target))
    return Problem{"", *reason};
  if (auto reason = isTooLong(places.source))
    return Problem{"", *reason};
  int64_t bytes = getElementBytes(places.elementType);
  int64_t aligned = alignedIn(request, places.source);
  auto of = partitionOf(request.op->getContext(), places.extents,
                        std::max<int64_t>(1, aligned / bytes),
                        request.target->warpWidth, request.issuers.warps);
  if (!of)
    return of.problem();
  int64_t chunk = of->vector * bytes;
  if (chunk < 4)
    return Problem{"", "pieces of " + std::to_string(chunk) +
                           " bytes, and cp.async copies 4, 8 or 16 at a time: "
                           "rows have to be known to begin at multiples of 4 "
                           "(titan.alignment, strides, offsets)"};
  int64_t threads = request.issuers.warps * request.target->warpWidth;
  if (auto reason = isSharedBySeveral(*of, request.issuers.warps,
                                      request.target->warpWidth))
    return Problem{"", *reason};
  Cost cost{.instructions = of->registers / of->vector,
            .bytes = threads * chunk,
            .threads = threads};
  return planOf(
      request.op, cost,
      [request, of = *of, chunk](OpBuilder &b) {
        const CopyPlaces &places = *request.places;
        Location loc = request.op->getLoc();
        Value buffer = viewOf(b, loc, places.target, places);
        Elements from = elementsOf(b, loc, places, places.source,
                                   of.of(places.elementType));
        CpAsyncOp::create(b, loc, places.source.memory, from.indices, from.mask,
                          buffer, chunk, /*cg=*/chunk == 16);
        if (request.barrier)
          CpAsyncMBarrierArriveOp::create(b, loc, request.barrier,
                                          request.index,
                                          /*noinc=*/true);
        return Value();
      },
      [request] { requireSizes(request, request.places->source); });
}

void dispatch::registerCpAsync(CopyVariants &table) {
  table.add({.name = "cp_async",
             .directions = {{Memory::Global, Memory::Shared}},
             .needs = {Feature::CpAsync},
             .when = {isBetweenPlaces(), isAsynchronous(true), allThreads(),
                      staysInCta(), takesWords({})},
             .plan = planCpAsync});
}
