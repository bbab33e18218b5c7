//===- CopyOps.cpp - copies that say what moves ---------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OpHelpers.h"
#include "titan/Dialect/Titan/CopyAsync.h"
#include "titan/Dialect/Titan/CopyPlaces.h"
#include "titan/Domain/TmaScheduleText.h"
#include "titan/Target/NearestWord.h"
#include "titan/Target/Target.h"
#include "titan/Target/Tma.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace titan;

//===----------------------------------------------------------------------===//
// The copy as the library sees it
//===----------------------------------------------------------------------===//

LogicalResult titan::emitProblem(Operation *op, const Problem &problem) {
  InFlightDiagnostic error = op->emitOpError("[")
                             << problem.code << "] " << problem.message;
  if (!problem.fix.empty())
    error.attachNote() << "fix: " << problem.fix;
  return error;
}

Location CopyStates::mark(Location loc) const {
  Builder b(loc.getContext());
  SmallVector<Attribute> texts = {b.getStringAttr(copy),
                                  b.getStringAttr(variant),
                                  b.getStringAttr(read), b.getStringAttr(done)};
  for (const std::string &name : becomes)
    texts.push_back(b.getStringAttr(name));
  return FusedLoc::get(b.getContext(), loc, b.getArrayAttr(texts));
}

std::optional<CopyStates> CopyStates::of(Location loc) {
  auto fused = loc->findInstanceOf<FusedLoc>();
  auto texts =
      fused ? dyn_cast_or_null<ArrayAttr>(fused.getMetadata()) : ArrayAttr();
  if (!texts || texts.size() < 4)
    return std::nullopt;
  auto text = [&](size_t i) {
    auto string = dyn_cast<StringAttr>(texts[i]);
    return string ? string.str() : std::string();
  };
  if (text(0) != CopyAsyncOp::getOperationName() &&
      text(0) != CopyOp::getOperationName())
    return std::nullopt;
  CopyStates states{text(0), text(1), text(2), text(3), {}};
  for (size_t i = 4; i < texts.size(); ++i)
    states.becomes.push_back(text(i));
  return states;
}

std::string titan::strideSymbol(const std::string &dimension) {
  return dimension + ".stride"; // No name in a schedule has a dot.
}

/// The schedule with what operands and types say.
static Result<TmaSchedule> scheduleOf(CopyAsyncOp copy) {
  GlobalType type = copy.getTensor().getType();
  SharedType buffer = copy.getBuffer().getType();
  StringRef name =
      getTmaTypeName(type.getElementType(),
                     copy.getReduce() && isSignedTma(*copy.getReduce()));
  const TmaType *element = findTmaType(std::string_view(name));
  if (!element)
    return Problem{"tma-map-type", "no tensor map has such elements"};
  TmaTensor tensor{element, {}};
  int64_t bytes = getElementBytes(type.getElementType());
  StringRef text = copy.getScheduleAttr().getText();
  // The strides' symbols need the names that only the schedule has.
  for (auto [size, stride] : llvm::zip(type.getShape(), type.getStrides()))
    tensor.dims.push_back(
        {ShapedType::isDynamic(size) ? std::nullopt
                                     : std::optional<int64_t>(size),
         ShapedType::isDynamic(stride) ? titan::Expr(0)
                                       : titan::Expr(stride * bytes)});
  auto schedule = parseSchedule(std::string_view(text), tensor);
  if (!schedule)
    return schedule;
  for (auto [dim, stride] : llvm::zip(schedule->global, type.getStrides()))
    if (ShapedType::isDynamic(stride))
      dim.stride =
          titan::Expr::symbol(strideSymbol(schedule->graph[dim.domain].name)) *
          bytes;
  schedule->swizzle = findTmaSwizzle(
      buffer.getSwizzle() ? std::to_string(buffer.getSwizzle()) + "B" : "none");
  schedule->swizzleNamed = true;
  schedule->sharedAlignment = buffer.getAlignment();
  if (!copy.isLoad())
    schedule->direction =
        copy.getReduce() ? TmaDirection::Reduce : TmaDirection::Store;
  if (auto reduce = copy.getReduce())
    schedule->reduction = stringifyAtomicOp(*reduce).str();
  return schedule;
}

/// A buffer in the IR is one tile: no loop stands in its order.
static std::optional<Problem> checkOrder(const TmaSchedule &schedule) {
  const DomainGraph &g = schedule.graph;
  llvm::SmallBitVector seen(g.size());
  for (DomainId listed : schedule.shared) {
    SmallVector<DomainId> below = {listed};
    while (!below.empty()) {
      DomainId id = below.pop_back_val();
      if (seen.test(id))
        continue;
      seen.set(id);
      if (g[id].consumer >= 0) {
        for (DomainId out : g.exprs()[g[id].consumer].out)
          if (out >= 0)
            below.push_back(out);
      } else if (!g[id].extent.is(1) &&
                 !llvm::is_contained(schedule.bulk, id)) {
        return Problem{
            "not-supported-yet",
            "a buffer that keeps the tiles of loops: `shared` lists " +
                (id == listed ? "" : g.str(listed) + ", and so ") +
                "the loop " + g.str(id),
            "list the tile's domains alone; where the buffer is to keep "
            "several tiles, give its type slots (slots = 2), take one by "
            "titan.shared.slot %ring[%i : index], and copy to that, or use a "
            "pipe (titan.pipe.copy_async)"};
      }
    }
  }
  return std::nullopt;
}

/// The buffer holds the tile.
static std::optional<Problem> checkBuffer(SharedType buffer,
                                          const TmaLowering &low) {
  int64_t elements = 1;
  std::string shape, extents; // "Mi{64} x Ki{32}", "64x32"
  for (const TmaTileDomain &d : low.tile) {
    elements *= d.extent;
    extents += (extents.empty() ? "" : "x") + std::to_string(d.extent);
    shape += (shape.empty() ? "" : " x ") + d.name + "{" +
             std::to_string(d.extent) + "}";
  }
  int64_t own = buffer.getTileBytes() / buffer.getElementBytes();
  if (own != elements)
    return Problem{"tma-shared-tile",
                   "the tile is " + shape + ", " + std::to_string(elements) +
                       " elements; the buffer has " + std::to_string(own),
                   "give the buffer the shape " + extents +
                       ", or split by other factors, so that the tile has " +
                       std::to_string(own) + " elements"};
  if (buffer.getSwizzle() && buffer.getShape().back() != low.rowElements)
    return Problem{"tma-shared-tile",
                   "the tile is " + shape + ", in rows of " +
                       std::to_string(low.rowElements) +
                       " elements; under a swizzle the buffer's rows, of " +
                       std::to_string(buffer.getShape().back()) +
                       ", have to be as long",
                   "give the buffer the shape " +
                       std::to_string(elements / low.rowElements) + "x" +
                       std::to_string(low.rowElements) +
                       ", or split the innermost dimension by " +
                       std::to_string(buffer.getShape().back())};
  return std::nullopt;
}

std::vector<LoweredCopy> titan::lowerCopies(KernelOp kernel) {
  KernelCopies copies(kernel);
  std::vector<LoweredCopy> list;
  kernel.getBody().walk([&](CopyAsyncOp copy) {
    if (copy.isBySchedule())
      list.push_back({copy, lowerCopy(copy, &copies)});
  });
  return list;
}

Result<CopyLowering> titan::lowerCopy(CopyAsyncOp copy, KernelCopies *kernel) {
  auto schedule = scheduleOf(copy);
  if (!schedule)
    return schedule.problem();
  const TargetInfo &target = targetOf(copy);
  SharedType buffer = copy.getBuffer().getType();
  auto lowerAnew = [&]() -> Result<TmaLowering> {
    if (auto problem = checkOrder(*schedule))
      return *problem;
    auto low = lowerSchedule(*schedule, target);
    if (!low)
      return low;
    if (auto problem = checkBuffer(buffer, *low))
      return *problem;
    return low;
  };
  auto lower = [&]() -> Result<TmaLowering> {
    if (!kernel)
      return lowerAnew();
    KernelCopies::Key key = KernelCopies::keyOf(copy);
    key.push_back(reinterpret_cast<const void *>(
        intptr_t(2 * int(schedule->wanted) + schedule->nanFill)));
    auto found = kernel->lowered.find(key);
    if (found == kernel->lowered.end())
      found = kernel->lowered.emplace(std::move(key), lowerAnew()).first;
    return found->second;
  };
  if (!copy.isLoad()) {
    auto low = lower();
    if (!low)
      return low.problem();
    return CopyLowering{std::move(*schedule), std::move(*low), {}};
  }
  CorrectnessDemand demand;
  if (copy.getWeak())
    demand.level = Correctness::Weak;
  if (copy.getStrong())
    demand.level = Correctness::Strong;
  if (auto fill = copy.getFill())
    demand.fill = *fill == OobFill::NaN ? TileFill::NaN : TileFill::Zero;
  // Where the holes are does not hang on what is wanted.
  CopyUses readers;
  std::optional<TmaLowering> weak;
  // Of a prefetch nobody reads anything.
  if (copy.getPrefetch())
    demand.level = Correctness::Weak;
  if (kernel && !copy.getPrefetch()) {
    auto low = lower();
    if (!low)
      return low.problem();
    readers = usesOf(copy, *low, *kernel);
    weak = std::move(*low);
  }
  auto wanted = wantedCorrectness(readers.uses, readers.holes, demand);
  if (!wanted)
    return wanted.problem();
  schedule->wanted = wanted->level;
  schedule->nanFill = wanted->nanFill;
  if (!weak || wanted->level == Correctness::Strong || wanted->nanFill) {
    auto low = lower();
    if (!low && wanted->level == Correctness::Strong && !demand.level)
      return Problem{low.problem().code,
                     low.problem().message + " (" + wanted->why +
                         "; or write `weak`)",
                     low.problem().fix};
    if (!low)
      return low.problem();
    weak = std::move(*low);
  }
  return CopyLowering{std::move(*schedule), std::move(*weak),
                      std::move(*wanted)};
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

void CopyAsyncOp::getTileFlow(flow::Steps &steps) {
  if (auto reduce = getReduce())
    steps.push_back(flow::Combine{getBuffer(),
                                  "reduce " + stringifyAtomicOp(*reduce).str(),
                                  isZeroNeutral(*reduce)});
}

/// To the L2 cache: a load without its barrier.
static LogicalResult verifyPrefetch(CopyAsyncOp op) {
  if (!op.getPrefetch())
    return success();
  if (isa<SharedType>(op.getSource().getType()))
    return op.emitOpError("[copy-form] `prefetch` is of copies from global "
                          "memory");
  if (op.getBarrier() || op.getMulticast() || op.getReduce() || op.getFill() ||
      op.getStrong())
    return op.emitOpError("[copy-form] `prefetch` copies nothing: it signals "
                          "nothing, and fills nothing");
  return success();
}

/// A problem of the places between which an operation copies.
static LogicalResult verifyPlaces(Operation *op,
                                  const Result<CopyPlaces> &places) {
  return places ? success() : emitProblem(op, places.problem());
}

/// Of a copy between places.
static LogicalResult verifyBetweenPlaces(CopyAsyncOp op) {
  if (!op.getLoops().empty())
    return op.emitOpError("[copy-form] `at` gives the loops of a schedule "
                          "their indices, and there is no schedule");
  if (op.getWeak() || op.getStrong() || op.getFill())
    return op.emitOpError("[not-supported-yet] weak, strong and fill of a copy "
                          "without a schedule");
  if (!op.getFilter().empty())
    return op.emitOpError("[copy-form] `filter` is of im2col maps");
  for (Type type : {op.getSource().getType(), op.getTarget().getType()})
    if (auto buffer = dyn_cast<SharedType>(type); buffer && buffer.getCluster())
      return op.emitOpError(
          "[copy-form] both places are named as the executing "
          "CTA does; `rank` says whose the target is");
  if (auto barrier = op.getBarrier()) {
    if (barrier.getType().getCluster())
      return op.emitOpError("[copy-form] `signals` names the barrier as the "
                            "executing CTA does; `rank` says whose it is");
    if (failed(verifySlot(op, barrier, op.getIndex())))
      return failure();
  }
  return verifyPlaces(op, placesOf(op));
}

LogicalResult CopyOp::verify() {
  if (!getTarget() != !!getResult())
    return emitOpError("[copy-form] goes to a target, `to`, or yields its tile "
                       "in registers");
  for (Type type :
       {getSource().getType(), getResult() ? getResult().getType() : Type()})
    if (auto tile = dyn_cast_or_null<RankedTensorType>(type);
        tile && failed(verifyTileType(*this, tile)))
      return failure();
  bool between = isa<RankedTensorType>(getSource().getType()) && getResult();
  if (!getTarget() && (!getTargetOffsets().empty() || getTargetLayout()))
    return emitOpError("[copy-form] registers have no offsets and no `as`");
  if (!between && (getScratch() || getBarrier()))
    return emitOpError("[copy-form] `through` is of copies from registers to "
                       "registers");
  if (getRank() && !(isa<SharedType>(getSource().getType())))
    return emitOpError("[copy-form] `rank` says whose shared memory the source "
                       "is");
  if (between && getSource().getType() == getResult().getType())
    return emitOpError("[copy-form] the tile is in that layout already");
  return verifyPlaces(*this, placesOf(*this));
}

/// Of a copy by a tensor map.
static LogicalResult verifyByMap(CopyAsyncOp op) {
  bool load = isa<TensorMapType>(op.getSource().getType());
  if (isa<SharedType>(load ? op.getTarget().getType()
                           : op.getSource().getType()) == false)
    return op.emitOpError("[copy-form] goes between a map's tensor and a tile "
                          "in shared memory");
  if (!op.getLoops().empty() || op.getSourceLayout() || op.getTargetLayout() ||
      op.getExtents() || op.getRank() || op.getWeak() || op.getStrong() ||
      op.getFill() ||
      !(load ? op.getTargetOffsets() : op.getSourceOffsets()).empty())
    return op.emitOpError("[copy-form] a copy by a map is its box: coordinates "
                          "behind the map, and the whole buffer");
  if (load && !op.getBarrier() && !op.getPrefetch())
    return op.emitOpError("[copy-form] a copy to shared memory completes on an "
                          "mbarrier: name it behind the target, signals %full");
  if (!load &&
      (op.getBarrier() || op.getMulticast() || !op.getFilter().empty()))
    return op.emitOpError(
        "[copy-form] a copy to global memory completes in a "
        "bulk group (titan.bulk.commit), signals nothing, and "
        "goes to one place");
  if (load && op.getReduce())
    return op.emitOpError("[copy-form] `reduce` goes to global memory");
  if (op.getBarrier() && failed(verifySlot(op, op.getBarrier(), op.getIndex())))
    return failure();
  return success();
}

LogicalResult CopyAsyncOp::verify() {
  if (failed(verifyPrefetch(*this)))
    return failure();
  if (!isBySchedule())
    return isByMap() ? verifyByMap(*this) : verifyBetweenPlaces(*this);
  if (isByMap() || !getFilter().empty())
    return emitOpError("[copy-form] a schedule makes its own map, without "
                       "filter");
  if (!getSourceOffsets().empty() || !getTargetOffsets().empty() ||
      getSourceLayout() || getTargetLayout() || getExtents() || getRank())
    return emitOpError("[copy-form] offsets, `as`, `extents` and `rank` are of "
                       "copies between two places; by a schedule, `at` says "
                       "which tile it is");
  if (isa<GlobalType>(getSource().getType()) ==
      isa<GlobalType>(getTarget().getType()))
    return emitOpError("[copy-form] goes from a tensor in global memory to a "
                       "tile in shared memory, or back");
  if (!isLoad() && getMulticast())
    return emitOpError("[copy-form] a copy to global memory goes to one place");
  if (isLoad() && !getBarrier() && !getPrefetch())
    return emitOpError("[copy-form] a copy to shared memory completes on an "
                       "mbarrier: name it behind the target, signals %full");
  if (!isLoad() && getBarrier())
    return emitOpError("[copy-form] a copy to global memory completes in a "
                       "bulk group (titan.bulk.commit), and signals nothing");
  if (getWeak() && getStrong())
    return emitOpError("[copy-form] is `weak` or `strong`");
  if (!isLoad() && (getWeak() || getStrong() || getFill()))
    return emitOpError("[copy-form] `weak`, `strong` and `fill` say what a "
                       "copy to shared memory puts into holes; in global "
                       "memory there are none");
  if (isLoad() && getReduce())
    return emitOpError("[copy-form] `reduce` goes to global memory");
  auto kernel = (*this)->getParentOfType<KernelOp>();
  auto argument = dyn_cast<BlockArgument>(getTensor());
  if (!kernel || !argument ||
      !llvm::is_contained(kernel.getKernelArguments(), argument))
    return emitOpError("[tma-tensor] the tensor is an argument of the kernel");
  SharedType buffer = getBuffer().getType();
  GlobalType tensor = getTensor().getType();
  if (buffer.getSlots() != 1)
    return emitOpError("[shared-ring] the buffer is a ring: take a slot first");
  if (buffer.getElementType() != tensor.getElementType())
    return emitOpError("[tma-box-mismatch] the tensor is ")
           << tensor << ", the buffer " << buffer
           << ": element types must agree";
  if (getPrefetch()) {
    if (buffer.getCluster())
      return emitOpError("[tma-load-remote] the buffer is the executing CTA's");
  } else if (isLoad()) {
    MBarrierType barrier = getBarrier().getType();
    if (!getIndex() && barrier.getSlots() != 1)
      return emitOpError("[barrier-slot] a ring of ")
             << barrier.getSlots() << " barriers needs an index";
    if (buffer.getCluster() || barrier.getCluster())
      return emitOpError("[tma-load-remote] the buffer and the barrier are the "
                         "executing CTA's");
  } else if (buffer.getCluster()) {
    return emitOpError("[tma-store-remote] the source of a store is the "
                       "executing CTA's shared memory");
  }
  auto copy = lowerCopy(*this, /*kernel=*/nullptr);
  if (!copy)
    return emitProblem(*this, copy.problem());

  // The loops: each has one index.
  const DomainGraph &g = copy->schedule.graph;
  if (getLoops().size() != getIndices().size())
    return emitOpError("[copy-loops] ")
           << getLoops().size() << " names of loops, " << getIndices().size()
           << " indices";
  llvm::SmallDenseSet<StringRef> named;
  for (auto [attribute, index] : llvm::zip(getLoops(), getIndices())) {
    StringRef name = cast<StringAttr>(attribute).getValue();
    if (!named.insert(name).second)
      return emitOpError("[copy-loops] the loop ") << name << " is given twice";
    std::optional<DomainId> loop;
    for (DomainId id : g.leaves())
      if (name == StringRef(g[id].name) &&
          !llvm::is_contained(copy->schedule.bulk, id))
        loop = id;
    if (!loop) {
      SmallVector<std::string_view> names;
      for (const TmaLoop &each : copy->low.loops)
        if (!each.ofBoxes)
          names.push_back(copy->low.graph[each.domain].name);
      std::string_view near = nearestWord(std::string_view(name), names);
      InFlightDiagnostic error =
          emitOpError("[copy-loops] the schedule has no loop ") << name;
      Diagnostic &fix = error.attachNote() << "fix: ";
      if (!near.empty())
        fix << "did you mean " << near << "? ";
      fix << (names.empty() ? "it has none" : "its loops are ");
      llvm::interleaveComma(names, fix,
                            [&](std::string_view each) { fix << each; });
      return error;
    }
    auto value = getConstant(index), extent = g[*loop].extent.constant();
    if (value && (*value < 0 || (extent && *value >= *extent)))
      return emitOpError("[out-of-bounds] index ")
             << *value << " of the loop " << g.str(*loop);
  }
  for (const TmaLoop &loop : copy->low.loops)
    if (!loop.ofBoxes && !named.contains(copy->low.graph[loop.domain].name))
      return emitOpError("[copy-loops] `at` has no index for the loop ")
             << copy->low.graph.str(loop.domain);
  return success();
}

//===----------------------------------------------------------------------===//
// titan.product
//===----------------------------------------------------------------------===//

static ArrayRef<int64_t> shapeOf(Value operand) {
  if (auto buffer = dyn_cast<SharedType>(operand.getType()))
    return buffer.getShape();
  return cast<RankedTensorType>(operand.getType()).getShape();
}

LogicalResult ProductOp::verify() {
  if (getC().getType() != getResult().getType())
    return emitOpError("[product-shape] C and D are of one type");
  auto sums = dyn_cast<RankedTensorType>(getResult().getType());
  if (failed(verifyTileType(*this, sums)))
    return failure();
  for (Value operand : {getA(), getB()})
    if (auto tile = dyn_cast<RankedTensorType>(operand.getType());
        tile && failed(verifyTileType(*this, tile)))
      return failure();
    else if (auto buffer = dyn_cast<SharedType>(operand.getType());
             buffer && buffer.getSlots() != 1)
      return emitOpError("[shared-ring] an operand is a ring: take a slot "
                         "first");
  // Operands of columns of 16 bytes have three dimensions (titan.mma).
  auto sizes =
      [&](Value operand,
          bool transposed) -> std::optional<std::pair<int64_t, int64_t>> {
    ArrayRef<int64_t> shape = shapeOf(operand);
    if (shape.size() == 3)
      return transposed ? std::pair(shape[0] * shape[2], shape[1])
                        : std::pair(shape[1], shape[0] * shape[2]);
    if (shape.size() != 2)
      return std::nullopt;
    return transposed ? std::pair(shape[1], shape[0])
                      : std::pair(shape[0], shape[1]);
  };
  auto a = sizes(getA(), getTransposeA()), b = sizes(getB(), getTransposeB());
  if (!a || !b || sums.getRank() != 2 || a->second != b->second ||
      a->first != sums.getDimSize(0) || b->first != sums.getDimSize(1))
    return emitOpError("[product-shape] A is M x K, B is N x K, C is M x N");
  return success();
}

void ProductOp::getTileFlow(flow::Steps &steps) {
  steps.push_back(flow::Product{getA(), getB(), getC(), getResult(),
                                getTransposeA(), getTransposeB(),
                                /*accumulates=*/true});
}
