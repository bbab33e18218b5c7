//===- Building.cpp - what variants build with ----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Building.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace titan;
using namespace titan::dispatch;

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

namespace {
/// Remembers what was created.
struct Created : OpBuilder::Listener {
  SmallVector<Operation *> list;
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    list.push_back(op);
  }
};
} // namespace

std::optional<Problem>
dispatch::trial(Operation *op, const Building &building,
                SmallVectorImpl<SharedAccess> *accesses) {
  Created created;
  OpBuilder b(op, &created);
  (void)building(b);
  std::optional<Problem> problem;
  ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &found) {
    if (problem || found.getSeverity() != DiagnosticSeverity::Error)
      return;
    // "'titan.mma' op [mma-type] no wgmma ...".
    std::string text = found.str();
    StringRef rest(text);
    if (rest.consume_front("'")) {
      auto [name, said] = rest.split("' op ");
      text = (name + ": " + said).str();
    }
    problem = Problem{"", text};
  });
  // What is nested goes with what it is nested in.
  llvm::erase_if(created.list, [&](Operation *made) {
    return made->getBlock() != op->getBlock();
  });
  for (Operation *made : created.list)
    if (failed(verify(made)))
      break;
  if (accesses && !problem)
    for (Operation *made : created.list)
      made->walk(
          [&](Operation *inside) { addSharedAccesses(inside, *accesses); });
  for (Operation *made : llvm::reverse(created.list))
    made->erase();
  return problem;
}

Result<Plan> dispatch::planOf(Operation *op, Cost cost, Building building,
                              std::function<void()> launch) {
  SmallVector<SharedAccess> accesses;
  if (auto problem = trial(op, building, &accesses))
    return *problem;
  Plan plan;
  plan.cost = cost;
  plan.cost.fences += proxyFences(op, accesses);
  plan.build = [op, building = std::move(building),
                launch = std::move(launch)] {
    if (launch)
      launch();
    OpBuilder b(op);
    if (Value result = building(b))
      op->getResult(0).replaceAllUsesWith(result);
    op->erase();
    return success();
  };
  return plan;
}

std::optional<int64_t> dispatch::constantOf(Value value) {
  APInt number;
  if (value && matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

std::optional<std::string> dispatch::isNoView(const CopyPlace &place) {
  if (place.relaid)
    return "another layout than the buffer's type has";
  for (Value offset : place.offsets)
    if (!constantOf(offset))
      return "a region that begins where only the program knows: copy to or "
             "from a slot or view";
  return std::nullopt;
}

Value dispatch::mapped(OpBuilder &b, Location loc, Value memory, Value rank) {
  Type type;
  if (auto buffer = dyn_cast<SharedType>(memory.getType()))
    type = SharedType::get(b.getContext(), buffer.getShape(),
                           buffer.getElementType(), buffer.getSwizzle(),
                           buffer.getSlots(), /*cluster=*/true);
  else
    type = MBarrierType::get(b.getContext(),
                             cast<MBarrierType>(memory.getType()).getSlots(),
                             /*cluster=*/true);
  return MapRankOp::create(b, loc, type, memory, rank);
}

Value dispatch::viewOf(OpBuilder &b, Location loc, const CopyPlace &place,
                       const CopyPlaces &places, Value rank) {
  Value memory = place.memory;
  auto type = cast<SharedType>(memory.getType());
  SmallVector<int64_t> extents = places.extentsIn(place);
  if (type.getShape() != ArrayRef(extents)) {
    SmallVector<int64_t> offsets(extents.size(), 0);
    for (auto [offset, number] : llvm::zip(place.offsets, offsets))
      number = *constantOf(offset);
    memory = SharedViewOp::create(
        b, loc,
        SharedType::get(b.getContext(), extents, type.getElementType(),
                        type.getSwizzle(), 1, type.getCluster()),
        memory, offsets);
  }
  return rank ? mapped(b, loc, memory, rank) : memory;
}

std::optional<std::string> dispatch::leavesCluster(const CopyRequest &request) {
  int64_t size = request.getKernel().getClusterSize();
  if (size == 1)
    return "the kernel has no cluster of several CTAs: cluster(2, 1), say, "
           "behind its warps";
  if (auto rank = constantOf(request.rank);
      rank && (*rank < 0 || *rank >= size))
    return "rank " + std::to_string(*rank) + " of a cluster of " +
           std::to_string(size) + " CTAs";
  return std::nullopt;
}

void dispatch::requireRank(const CopyRequest &request) {
  KernelOp kernel = request.getKernel();
  auto argument = dyn_cast_or_null<BlockArgument>(request.rank);
  if (!argument || argument.getOwner() != &kernel.getBody().front())
    return;
  Value rank = kernel.getLaunchValue(argument);
  OpBuilder b(kernel.getLaunchOp());
  Location loc = request.op->getLoc();
  Value size =
      arith::ConstantIntOp::create(b, loc, kernel.getClusterSize(), 32);
  Value good =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, rank, size);
  RequireOp::create(b, loc, good, "out-of-bounds",
                    "the rank of the peer is one of the cluster's " +
                        std::to_string(kernel.getClusterSize()) + " CTAs",
                    StringAttr());
}

//===----------------------------------------------------------------------===//
// Tiles shared among threads
//===----------------------------------------------------------------------===//

int64_t dispatch::powerOf(int64_t n, int64_t limit) {
  int64_t power = 1;
  while (power * 2 <= limit && n % (power * 2) == 0)
    power *= 2;
  return power;
}

Result<Partition> dispatch::partitionOf(MLIRContext *context,
                                        ArrayRef<int64_t> shape, int64_t vector,
                                        int64_t lanes, int64_t warps) {
  Partition of;
  of.shape.assign(shape.begin(), shape.end());
  of.vector = powerOf(shape.back(), vector);
  int rank = static_cast<int>(shape.size());
  std::vector<int64_t> left(shape.begin(), shape.end()), stride(rank, 1);
  auto take = [&](std::vector<Digit> &digits, int d, int64_t count) {
    if (count > 1)
      digits.push_back({count, d, stride[d]});
    stride[d] *= count;
    left[d] /= count;
    return count;
  };
  std::vector<Digit> reg, lane, warp;
  take(reg, rank - 1, of.vector);
  int64_t threads = lanes, groups = warps;
  for (int d = rank; d-- > 0;)
    threads /= take(lane, d, powerOf(left[d], threads));
  for (int d = 0; d < rank; ++d)
    groups /= take(warp, d, std::gcd(left[d], groups));
  of.registers = of.vector;
  for (int d = rank; d-- > 0;)
    of.registers *= take(reg, d, left[d]);
  // The others hold what these hold.
  if (threads > 1)
    lane.push_back({threads, Digit::replica, 0});
  if (groups > 1)
    warp.push_back({groups, Digit::replica, 0});
  auto layout = Layout::tile({shape.begin(), shape.end()}, std::move(reg),
                             std::move(lane), std::move(warp));
  if (!layout)
    return Problem{"", layout.problem().message};
  of.layout = LayoutTextAttr::get(context, layout->str());
  return of;
}

std::optional<std::string>
dispatch::isSharedBySeveral(const Partition &of, int64_t warps, int64_t lanes) {
  int64_t threads = warps * lanes;
  int64_t elements = ShapedType::getNumElements(of.shape);
  if (of.registers * threads <= elements)
    return std::nullopt;
  return std::to_string(threads) + " threads share " +
         std::to_string(elements / of.vector) +
         " pieces, and several would copy one: let " +
         (warps > 1 ? "fewer warps copy, or " : "") +
         "tiles whose sides are multiples of greater powers of two";
}

int64_t dispatch::alignedIn(const CopyRequest &request,
                            const CopyPlace &tensor) {
  TrailingZeros &zeros = request.kernel->zeros();
  int64_t aligned = 16;
  auto meet = [&](unsigned trailing) {
    aligned = std::min(aligned, int64_t(1) << std::min(trailing, 4u));
  };
  unsigned width = llvm::Log2_64(getElementBytes(request.places->elementType));
  meet(zeros.ofAddress(tensor.memory));
  auto type = cast<GlobalType>(tensor.memory.getType());
  for (unsigned d = 0; d < type.getRank(); ++d) {
    bool last = d + 1 == type.getRank();
    if (last && !tensor.offsets.empty())
      meet(zeros.of(tensor.offsets[d]) + width);
    if (!last && type.getShape()[d] != 1)
      meet(zeros.ofStride(tensor.memory, d) + width);
  }
  return aligned;
}

std::optional<std::string> dispatch::isTooLong(const CopyPlace &tensor) {
  for (auto [d, size] : llvm::enumerate(tensor.shape))
    if (size > INT32_MAX) // A size that only the launch knows is less than 0.
      return "dimension " + std::to_string(d) + " has " + std::to_string(size) +
             " elements, and threads number them in 32 bits";
  return std::nullopt;
}

void dispatch::requireSizes(const CopyRequest &request,
                            const CopyPlace &tensor) {
  KernelOp kernel = request.getKernel();
  auto argument = dyn_cast<BlockArgument>(tensor.memory);
  if (!argument || argument.getOwner() != &kernel.getBody().front())
    return;
  OpBuilder b(kernel.getLaunchOp());
  Location loc = request.op->getLoc();
  Value given = kernel.getLaunch().getArgument(argument.getArgNumber());
  StringRef name =
      cast<StringAttr>(kernel.getArgNames()[argument.getArgNumber()])
          .getValue();
  for (auto [d, size] : llvm::enumerate(tensor.shape)) {
    std::string says = (name + ": dimension " + Twine(d) +
                        " has at most 2^31 - 1 elements: threads number them "
                        "in 32 bits")
                           .str();
    auto same = [&](RequireOp check) { return check.getMessage() == says; };
    if (!ShapedType::isDynamic(size) ||
        llvm::any_of(kernel.getLaunch().front().getOps<RequireOp>(), same))
      continue;
    Value good = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::sle, DimOp::create(b, loc, given, d),
        arith::ConstantIndexOp::create(b, loc, INT32_MAX));
    RequireOp::create(b, loc, good, "out-of-bounds", says, StringAttr());
  }
}

Elements dispatch::elementsOf(OpBuilder &b, Location loc,
                              const CopyPlaces &places, const CopyPlace &tensor,
                              RankedTensorType tile, int64_t first) {
  auto type = cast<GlobalType>(tensor.memory.getType());
  auto index = RankedTensorType::get(tile.getShape(), b.getI32Type(),
                                     tile.getEncoding());
  auto splat = [&](Value scalar) -> Value {
    if (!scalar.getType().isInteger(32))
      scalar = b.createOrFold<arith::IndexCastOp>(loc, b.getI32Type(), scalar);
    return SplatOp::create(b, loc, index, scalar);
  };
  Elements elements;
  SmallVector<int64_t> extents = places.extentsIn(tensor);
  // Either may have outer dimensions that the other has not, of one element.
  int64_t outer = type.getRank() - tile.getRank();
  for (int64_t d = 0; d < type.getRank(); ++d) {
    Value at, offset;
    std::optional<int64_t> known = 0;
    if (d >= outer)
      at = CoordinateOp::create(b, loc, index, d - outer);
    if (!tensor.offsets.empty()) {
      offset = tensor.offsets[d];
      known = constantOf(offset);
      Value low = splat(offset);
      at = !at ? low : known == 0 ? at : arith::AddIOp::create(b, loc, at, low);
    } else if (!at) {
      at = splat(arith::ConstantIntOp::create(b, loc, 0, 32));
    }
    if (d == outer && first)
      at = arith::AddIOp::create(
          b, loc, at, splat(arith::ConstantIntOp::create(b, loc, first, 32)));
    elements.indices.push_back(at);
    int64_t size = type.getShape()[d], extent = extents[d];
    if (!ShapedType::isDynamic(size) && known && *known >= 0 &&
        *known + extent <= size)
      continue;
    auto narrow = [&](Value inside) {
      elements.mask = elements.mask
                          ? arith::AndIOp::create(b, loc, elements.mask, inside)
                          : inside;
    };
    Value length = DimOp::create(b, loc, tensor.memory, d);
    // Below 0 is large, too.
    narrow(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at,
                                 splat(length)));
    if (known && *known == static_cast<int32_t>(*known))
      continue;
    // 32 bits say where this is if the region meets the tensor: from
    // 1 - extent to size - 1 it begins.
    auto moved = [&](Value value) {
      return extent == 1
                 ? value
                 : b.createOrFold<arith::AddIOp>(
                       loc, value,
                       arith::ConstantIndexOp::create(b, loc, extent - 1));
    };
    auto truth = RankedTensorType::get(tile.getShape(), b.getI1Type(),
                                       tile.getEncoding());
    narrow(SplatOp::create(
        b, loc, truth,
        b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult,
                                      moved(offset), moved(length))));
  }
  return elements;
}

//===----------------------------------------------------------------------===//
// Predicates
//===----------------------------------------------------------------------===//

/// Whether warps differ in it: it is computed from titan.warp_id, or from what a
/// warp's lanes hold.
static bool variesByWarp(Value value) {
  SetVector<Value> from;
  from.insert(value);
  for (size_t i = 0; i < from.size(); ++i) {
    if (isa<RankedTensorType>(from[i].getType()))
      return true;
    Operation *op = from[i].getDefiningOp();
    if (auto argument = dyn_cast<BlockArgument>(from[i]))
      op = argument.getOwner()->getParentOp();
    if (isa<WarpIdOp>(op))
      return true;
    if (isa<KernelOp>(op))
      continue;
    // What a loop carries, and a branch chooses, it was given or made.
    bool carries = op->getNumRegions() != 0;
    for (Value operand : op->getOperands())
      if (!carries || !isa<RankedTensorType>(operand.getType()))
        from.insert(operand);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value yielded : block.getTerminator()->getOperands())
          if (!isa<RankedTensorType>(yielded.getType()))
            from.insert(yielded);
  }
  return false;
}

/// What decides whether, and how often, the regions of a branch or loop are
/// executed.
static SmallVector<Value> decides(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return {loop.getConditionOp().getCondition()};
  if (isa<scf::IfOp, scf::IndexSwitchOp>(op))
    return {op->getOperand(0)};
  return {};
}

std::optional<std::string>
dispatch::isForSomeWarps(const CopyRequest &request) {
  if (request.issuers.warps == 1 || request.from == Memory::Registers ||
      request.to == Memory::Registers)
    return std::nullopt;
  for (Operation *at = request.op->getParentOp();
       !isa<KernelOp, PartitionOp>(at); at = at->getParentOp())
    if (llvm::any_of(decides(at), variesByWarp))
      return "expected " + request.issuers.str() +
             ", which share it, and a branch that warps decide for themselves "
             "is around it";
  return std::nullopt;
}

CopyPredicate dispatch::allThreads() {
  return {
      "all_threads",
      [](const CopyRequest &request) -> std::optional<std::string> {
        if (request.issuers.kind != Issuers::Thread &&
            request.issuers.kind != Issuers::Threads)
          return isForSomeWarps(request);
        return "expected all threads of warps, and " + request.issuers.str() +
               (request.issuers.warps == 1 ? " executes it" : " execute it");
      }};
}

CopyPredicate dispatch::takesWords(Words words) {
  return {"words",
          [=](const CopyRequest &request) -> std::optional<std::string> {
            if (request.reduce && !words.reduce)
              return "no reduction: reduce(" +
                     stringifyAtomicOp(*request.reduce).str() + ")";
            if (request.multicast && !words.multicast)
              return "goes to one place: multicast is of copies from global "
                     "memory";
            if (request.cache && !words.cache)
              return "has no cache policy";
            if (request.prefetch)
              return "prefetch is of copies by a schedule or a map";
            return std::nullopt;
          }};
}

CopyPredicate dispatch::staysInCta() {
  return {"own_cta",
          [](const CopyRequest &request) -> std::optional<std::string> {
            if (!request.rank)
              return std::nullopt;
            return "between global memory and a peer's shared memory there are "
                   "no such copies";
          }};
}
