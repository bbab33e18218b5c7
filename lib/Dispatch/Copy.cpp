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
            if (request.byMap)
              return "what moves is said by a map, not by a schedule of the "
                     "tensor";
            return "what moves is said by two places, not by a schedule of the "
                   "tensor";
          },
          /*ofKind=*/true};
}

CopyPredicate dispatch::isBetweenPlaces() {
  return {"validate_copy_op",
          [](const CopyRequest &request) -> std::optional<std::string> {
            if (request.places)
              return std::nullopt;
            return request.byMap
                       ? "what moves is said by a map"
                       : "what moves is said by a schedule of the tensor";
          },
          /*ofKind=*/true};
}

CopyPredicate dispatch::isAsynchronous(bool asynchronous) {
  return {asynchronous ? "is_asynchronous" : "is_synchronous",
          [=](const CopyRequest &request) -> std::optional<std::string> {
            if (request.asynchronous == asynchronous)
              return std::nullopt;
            return asynchronous ? "titan.copy is over when its threads go on"
                                : "titan.copy_async completes later";
          },
          /*ofKind=*/true};
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
    registerTmaMap(own);
    registerBulk(own);
    registerCpAsync(own);
    registerDsmem(own);
    registerStAsync(own);
    registerVectors(own);
    registerRegisters(own);
    registerScalars(own);
    return own;
  }();
  return table;
}

//===----------------------------------------------------------------------===//
// A kernel's copies
//===----------------------------------------------------------------------===//

static Memory memoryOf(Value value) {
  if (isa<SharedType>(value.getType()))
    return Memory::Shared;
  return isa<RankedTensorType>(value.getType()) ? Memory::Registers
                                                : Memory::Global;
}

template <typename Op>
static CopyRequest requestOf(CopyDispatch &kernel, Op copy, Value to) {
  CopyRequest request;
  request.op = copy;
  request.kernel = &kernel;
  request.target = &targetOf(copy);
  request.from = memoryOf(copy.getSource());
  request.to = memoryOf(to);
  request.issuers = issuersOf(copy);
  request.rank = copy.getRank();
  request.forced = copy.getDispatch();
  return request;
}

/// Source and target, or result.
static std::pair<Value, Value> endsOf(Operation *op) {
  if (auto copy = dyn_cast<CopyAsyncOp>(op))
    return {copy.getSource(), copy.getTarget()};
  auto copy = cast<CopyOp>(op);
  Value target = copy.getTarget();
  return {copy.getSource(), target ? target : copy.getResult()};
}

/// What a copy asks for; a problem of its places.
static Result<CopyRequest> requestOf(CopyDispatch &kernel, Operation *op) {
  CopyRequest request;
  std::optional<Result<CopyPlaces>> places;
  if (auto copy = dyn_cast<CopyAsyncOp>(op)) {
    request = requestOf(kernel, copy, copy.getTarget());
    request.asynchronous = true;
    request.barrier = copy.getBarrier();
    request.index = copy.getIndex();
    request.multicast = copy.getMulticast();
    request.reduce = copy.getReduce();
    request.cache = copy.getCacheAttr();
    request.prefetch = copy.getPrefetch();
    request.byMap = copy.isByMap();
    if (!copy.isBySchedule() && !request.byMap)
      places = placesOf(copy);
  } else {
    auto place = cast<CopyOp>(op);
    request =
        requestOf(kernel, place,
                  place.getTarget() ? place.getTarget() : place.getResult());
    places = placesOf(place);
  }
  if (places && !*places)
    return places->problem();
  if (places)
    request.places = std::move(**places);
  return request;
}

static SmallVector<Operation *> copiesOf(KernelOp kernel,
                                         std::optional<bool> bySchedule) {
  SmallVector<Operation *> list;
  kernel.getBody().walk([&](Operation *op) {
    auto copy = dyn_cast<CopyAsyncOp>(op);
    if ((copy || isa<CopyOp>(op)) &&
        (!bySchedule || *bySchedule == (copy && copy.isBySchedule())))
      list.push_back(op);
  });
  return list;
}

Decision CopyDispatch::decideOne(Operation *op) {
  auto request = requestOf(*this, op);
  if (request)
    return decide(CopyVariants::get(), *request, request->forced);
  // What the verifier says of it, of values that have become numbers since.
  Decision none;
  none.verdicts.push_back({"", 0, "plan", request.problem(), {}});
  return none;
}

std::vector<CopyDispatch::Decided> CopyDispatch::decideAll() {
  std::vector<Decided> list;
  for (Operation *op : copiesOf(kernel, std::nullopt)) {
    auto [source, target] = endsOf(op);
    list.push_back({op, source, target, decideOne(op)});
  }
  return list;
}

/// Whether one of these completes on a group of cp.async.
static bool byAsyncGroups(ArrayRef<Operation *> issued) {
  return llvm::any_of(issued, [](Operation *op) {
    effect::EffectList effects;
    cast<HardwareEffectsInterface>(op).getHardwareEffects(effects);
    return llvm::any_of(effects, [](const effect::Effect &effect) {
      auto *access = std::get_if<effect::Access>(&effect.what);
      return access && access->mechanism == Mechanism::AsyncGroup;
    });
  });
}

/// When an asynchronous copy's source has been read, and when it is done.
static void addStates(CopyStates &states, bool toPeer, bool signals,
                      bool asyncGroups) {
  if (toPeer) {
    states.done = "when the peer has waited for the phase of its barrier";
    states.read = "when the peer has waited and let this CTA know: a return "
                  "arrival, a cluster barrier";
  } else if (signals) {
    states.read = states.done = "where the barrier's phase has been waited for";
  } else if (!asyncGroups) {
    states.read = "behind titan.bulk.wait %group read";
    states.done = "behind titan.bulk.wait %group";
  } else {
    states.read = states.done =
        "behind titan.cp_async.wait %group, for the thread that waits; for "
        "others behind a barrier, too";
  }
}

/// The hardware operations between two others (null: the ends of a block).
static SmallVector<Operation *> between(Block *block, Operation *before,
                                        Operation *behind) {
  SmallVector<Operation *> issued;
  for (Operation *op = before ? before->getNextNode() : &block->front();
       op != behind; op = op->getNextNode())
    op->walk(
        [&](HardwareEffectsInterface hardware) { issued.push_back(hardware); });
  return issued;
}

static LogicalResult lower(Operation *op, const Decision &decision) {
  if (decision.chosen < 0)
    return emitProblem(op, decision.problem("copy-dispatch"));
  if (decision.isFallback())
    op->emitWarning("[copy-scalars] the copy goes element by element: ")
        << decision.problem("").message;
  auto copy = dyn_cast<CopyAsyncOp>(op);
  if (copy && copy.getPrefetch()) // Nothing is under way.
    return decision.plan.build();
  CopyStates states{op->getName().getStringRef().str(),
                    decision.verdicts[decision.chosen].name,
                    {},
                    {},
                    {}};
  // What it has become is marked as that copy.
  Block *block = op->getBlock();
  Operation *before = op->getPrevNode(), *behind = op->getNextNode();
  bool toPeer = copy && copy.getRank(), signals = copy && copy.getBarrier();
  if (failed(decision.plan.build()))
    return failure();
  SmallVector<Operation *> issued = between(block, before, behind);
  if (copy)
    addStates(states, toPeer, signals, byAsyncGroups(issued));
  for (Operation *each : issued) {
    std::string name = each->getName().getStringRef().str();
    if (!llvm::is_contained(states.becomes, name))
      states.becomes.push_back(name);
  }
  for (Operation *each : issued)
    each->setLoc(states.mark(each->getLoc()));
  return success();
}

/// Copies between places first: what a copy by schedule needs hangs on what
/// reads its tile, and that is what these become. One after another: what one
/// reads in registers another one may have put there.
LogicalResult CopyDispatch::lowerAll() {
  LogicalResult all = success();
  for (Operation *op : copiesOf(kernel, /*bySchedule=*/false))
    if (failed(lower(op, decideOne(op))))
      all = failure();
  std::vector<std::pair<Operation *, Decision>> copies;
  for (Operation *op : copiesOf(kernel, /*bySchedule=*/true))
    copies.emplace_back(op, decideOne(op));
  for (auto &[op, decision] : copies)
    if (decision.chosen >= 0 && decision.plan.prepare)
      decision.plan.prepare();
  for (auto &[op, decision] : copies)
    if (failed(lower(op, decision)))
      all = failure();
  return all;
}
