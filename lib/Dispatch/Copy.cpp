//===- Copy.cpp - how a copy is done --------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Dispatch/Copy.h"

#include "titan/Dialect/Titan/CopyAsync.h"
#include "titan/Dialect/Titan/KernelTarget.h"

using namespace mlir;
using namespace titan;
using namespace titan::dispatch;

//===----------------------------------------------------------------------===//
// Who
//===----------------------------------------------------------------------===//

Issuers dispatch::issuersOf(Operation *op) {
  auto kernel = op->getParentOfType<KernelOp>();
  auto partition = op->getParentOfType<PartitionOp>();
  Issuers issuers;
  issuers.warps = partition ? partition.getWarps() : kernel.getWarps();
  if (auto elect = op->getParentOfType<ElectOp>()) {
    if (elect.getWarp())
      issuers.warps = 1;
    issuers.kind = issuers.warps == 1 ? Issuers::Thread : Issuers::Threads;
  } else if (issuers.warps == 1) {
    issuers.kind = Issuers::Warp;
  } else if (!partition) {
    issuers.kind = Issuers::Cta;
  } else {
    issuers.kind = issuers.warps == 4 ? Issuers::Warpgroup : Issuers::Warps;
  }
  return issuers;
}

std::string Issuers::str() const {
  std::string count = std::to_string(warps);
  switch (kind) {
  case Thread:
    return "one thread";
  case Threads:
    return "a thread of each of " + count + " warps";
  case Warp:
    return "a warp";
  case Warpgroup:
    return "a warpgroup";
  case Warps:
    return "all threads of " + count + " warps";
  case Cta:
    return "all threads of the CTA, " + count + " warps";
  }
  llvm_unreachable("all issuers");
}

//===----------------------------------------------------------------------===//
// Predicates
//===----------------------------------------------------------------------===//

CopyPredicate dispatch::isBySchedule() {
  return {"has_schedule",
          [](const CopyRequest &request) -> std::optional<std::string> {
            if (request.isBySchedule())
              return std::nullopt;
            return "what moves is said by two places, not by a schedule of the "
                   "tensor";
          }};
}

CopyPredicate dispatch::isBetweenPlaces() {
  return {"validate_copy_op",
          [](const CopyRequest &request) -> std::optional<std::string> {
            if (!request.isBySchedule())
              return std::nullopt;
            return "what moves is said by a schedule of the tensor";
          }};
}

CopyPredicate dispatch::isAsynchronous(bool asynchronous) {
  return {asynchronous ? "is_asynchronous" : "is_synchronous",
          [=](const CopyRequest &request) -> std::optional<std::string> {
            if (request.asynchronous == asynchronous)
              return std::nullopt;
            return asynchronous ? "titan.copy is over when its threads go on"
                                : "titan.copy_async completes later";
          }};
}

CopyPredicate dispatch::singleThread() {
  return {"single_thread",
          [](const CopyRequest &request) -> std::optional<std::string> {
            if (request.issuers.kind == Issuers::Thread)
              return std::nullopt;
            return "expected single thread (titan.elect), and " +
                   request.issuers.str() +
                   (request.issuers.warps == 1 ? " executes it"
                                               : " execute it");
          }};
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

CopyVariants &CopyVariants::get() {
  static CopyVariants table = [] {
    CopyVariants own;
    registerTma(own);
    registerBulk(own);
    registerDsmem(own);
    registerVectors(own);
    return own;
  }();
  return table;
}

//===----------------------------------------------------------------------===//
// A kernel's copies
//===----------------------------------------------------------------------===//

static Memory memoryOf(Value value) {
  return isa<GlobalType>(value.getType()) ? Memory::Global : Memory::Shared;
}

template <typename Op>
static CopyRequest requestOf(CopyDispatch &kernel, Op copy) {
  CopyRequest request;
  request.op = copy;
  request.kernel = &kernel;
  request.target = &targetOf(copy);
  request.from = memoryOf(copy.getSource());
  request.to = memoryOf(copy.getTarget());
  request.issuers = issuersOf(copy);
  return request;
}

std::vector<CopyDispatch::Decided>
CopyDispatch::decideAll(std::optional<bool> bySchedule) {
  std::vector<Decided> list;
  kernel.getBody().walk([&](Operation *op) {
    CopyRequest request;
    std::optional<Result<CopyPlaces>> places;
    StringRef forced;
    if (auto copy = dyn_cast<CopyAsyncOp>(op)) {
      request = requestOf(*this, copy);
      request.asynchronous = true;
      request.barrier = copy.getBarrier();
      request.index = copy.getIndex();
      request.rank = copy.getRank();
      if (!copy.isBySchedule())
        places = placesOf(copy);
      forced = copy.getDispatch().value_or("");
    } else if (auto copy = dyn_cast<CopyOp>(op)) {
      request = requestOf(*this, copy);
      places = placesOf(copy);
      forced = copy.getDispatch().value_or("");
    } else {
      return;
    }
    if (bySchedule && *bySchedule == places.has_value())
      return;
    if (places && !*places) {
      // What the verifier says of it, of values that have become numbers since.
      Decision none;
      none.verdicts.push_back({"", 0, "plan", places->problem(), {}});
      list.push_back({op, std::move(none)});
      return;
    }
    if (places)
      request.places = std::move(**places);
    list.push_back({op, decide(CopyVariants::get(), request, forced)});
  });
  return list;
}

/// Copies between places first: what a copy by schedule needs hangs on what
/// reads its tile, and that is what these become.
LogicalResult CopyDispatch::lowerAll() {
  LogicalResult all = success();
  for (bool bySchedule : {false, true}) {
    std::vector<Decided> copies = decideAll(bySchedule);
    for (auto &[op, decision] : copies)
      if (decision.chosen >= 0 && decision.plan.prepare)
        decision.plan.prepare();
    for (auto &[op, decision] : copies)
      if (decision.chosen < 0)
        all = emitProblem(op, decision.problem("copy-dispatch"));
      else if (failed(decision.plan.build()))
        all = failure();
  }
  return all;
}
