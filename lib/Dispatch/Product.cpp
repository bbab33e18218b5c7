//===- Product.cpp - which instructions multiply --------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   wgmma                                        mma_sync
//     inflight.start %c                            shared.load %a, %b (ldmatrix)
//     mma.fence
//     mma %a, %b, ... accumulate                   mma_sync %a, %b, %c
//     mma.commit
//     mma.result
//
//===----------------------------------------------------------------------===//
#include "titan/Dispatch/Product.h"
#include "Building.h"

#include "titan/Dialect/Titan/CopyAsync.h"
#include "titan/Dialect/Titan/KernelTarget.h"
#include "titan/Layout/Access.h"
#include "titan/Target/Mma.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace titan;
using namespace titan::dispatch;

static std::string writersOf(const ProductRequest &request) {
  return request.issuers.str() +
         (request.issuers.warps == 1 ? " executes it" : " execute it");
}

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

static std::optional<std::string> isNoWarpgroup(const ProductRequest &request) {
  bool whole = request.issuers.kind != Issuers::Thread &&
               request.issuers.kind != Issuers::Threads;
  if (whole && request.issuers.warps % 4 == 0)
    return std::nullopt;
  return "wgmma is of whole warpgroups, four warps, and " + writersOf(request);
}

static std::optional<std::string> hasNoSharedB(const ProductRequest &request) {
  if (isa<SharedType>(ProductOp(request.op).getB().getType()))
    return std::nullopt;
  return "B is in registers, and wgmma reads it from shared memory";
}

static std::optional<std::string>
hasNoWgmmaSums(const ProductRequest &request) {
  Attribute layout =
      cast<RankedTensorType>(ProductOp(request.op).getC().getType())
          .getEncoding();
  if (isa_and_nonnull<WgmmaAttr>(layout))
    return std::nullopt;
  return "the sums are not in #titan.wgmma, the fragments that wgmma leaves "
         "them in";
}

static Result<Plan> planWgmma(const ProductRequest &request) {
  ProductOp op = request.op;
  auto count = std::make_shared<int64_t>(0);
  Building building = [op, count](OpBuilder &b) mutable -> Value {
    Location loc = op.getLoc();
    auto sums = cast<RankedTensorType>(op.getC().getType());
    auto type = InFlightType::get(b.getContext(), sums);
    Value running = InFlightStartOp::create(b, loc, type, op.getC());
    MmaFenceOp::create(b, loc);
    Value yes = arith::ConstantIntOp::create(b, loc, 1, 1);
    auto mma = MmaOp::create(
        b, loc, type, op.getA(), op.getB(), running, yes, op.getTransposeA(),
        /*negate_a=*/false, op.getUnsignedA(), op.getTransposeB(),
        /*negate_b=*/false, op.getUnsignedB(), op.getSaturate());
    const MmaShape *shape = mma.getInstruction();
    if (int64_t columns = shape ? mma.getColumns() : 0) {
      bool transposed = op.getTransposeB();
      ArrayRef<int64_t> extents = mma.getB().getType().getShape();
      int64_t k = extents.size() == 3
                      ? (transposed ? extents[1] : extents[0] * extents[2])
                      : extents[transposed ? 0 : 1];
      // A warpgroup's fragments, each as often as K needs.
      *count =
          getTileLayout(sums)->registers() / (columns / 2) * (k / shape->k);
    }
    MmaCommitOp::create(b, loc, TokenType::get(b.getContext(), TokenKind::Mma));
    return MmaResultOp::create(b, loc, sums, mma, Value());
  };
  if (auto problem = trial(op, building))
    return *problem;
  return planOf(op,
                {.instructions = *count,
                 .bytes = 0,
                 .threads = request.issuers.warps * request.target->warpWidth},
                building);
}

//===----------------------------------------------------------------------===//
// mma.sync
//===----------------------------------------------------------------------===//

static std::optional<std::string> isNoWarp(const ProductRequest &request) {
  if (request.issuers.kind != Issuers::Thread &&
      request.issuers.kind != Issuers::Threads)
    return std::nullopt;
  return "mma.sync is of whole warps, and " + writersOf(request);
}

static std::optional<std::string> hasNoMmaSums(const ProductRequest &request) {
  Attribute layout =
      cast<RankedTensorType>(ProductOp(request.op).getC().getType())
          .getEncoding();
  if (isa_and_nonnull<MmaSyncAttr>(layout))
    return std::nullopt;
  return "the sums are not in #titan.mma_sync, the fragments that mma.sync "
         "leaves them in";
}

static std::optional<std::string> isTransposed(const ProductRequest &request) {
  ProductOp op = request.op;
  if (!op.getTransposeA() && !op.getTransposeB())
    return std::nullopt;
  return "mma.sync has rows of K alone (.row.col)";
}

/// Instructions that bring a tile from shared memory.
static int64_t loadsOf(RankedTensorType tile, SharedType buffer) {
  Layout layout = *getTileLayout(tile);
  int64_t bytes = buffer.getElementBytes();
  if (bytes == 2 && layout.rank() == 2)
    if (auto plan = MatrixPlan::make(layout, buffer.getLayout(), false))
      return plan->instructions();
  return layout.registers() * bytes /
         vectorBytes(layout, buffer.getLayout(), bytes);
}

static Result<Plan> planMmaSync(const ProductRequest &request) {
  ProductOp op = request.op;
  auto sums = cast<RankedTensorType>(op.getC().getType());
  auto grid = cast<MmaSyncAttr>(sums.getEncoding());
  // In the layout of an operand; null where it lies in shared memory otherwise
  // than in rows.
  auto tileOf = [grid](Value operand, bool isA) -> RankedTensorType {
    if (auto tile = dyn_cast<RankedTensorType>(operand.getType()))
      return tile;
    auto buffer = cast<SharedType>(operand.getType());
    if (buffer.getRank() != 2)
      return {};
    MLIRContext *context = operand.getContext();
    int64_t bits = 8 * buffer.getElementBytes();
    Attribute layout =
        isA ? Attribute(MmaSyncAAttr::get(context, bits, grid.getRows(),
                                          grid.getColumns()))
            : MmaSyncBAttr::get(context, bits, grid.getRows(),
                                grid.getColumns());
    return RankedTensorType::get(buffer.getShape(), buffer.getElementType(),
                                 layout);
  };
  RankedTensorType a = tileOf(op.getA(), true), b = tileOf(op.getB(), false);
  if (!a || !b)
    return Problem{"", "an operand of three dimensions lies in columns of 16 "
                       "bytes, and ldmatrix wants rows"};
  Building building = [op, a, b](OpBuilder &builder) mutable -> Value {
    Location loc = op.getLoc();
    auto load = [&](Value operand, RankedTensorType type) -> Value {
      if (operand.getType() == type)
        return operand;
      return SharedLoadOp::create(builder, loc, type, operand, UnitAttr());
    };
    Value left = load(op.getA(), a), right = load(op.getB(), b);
    return MmaSyncOp::create(builder, loc, op.getC().getType(), left, right,
                             op.getC(), op.getUnsignedA(), op.getUnsignedB(),
                             op.getSaturate());
  };
  if (auto problem = trial(op, building))
    return *problem;
  int64_t depth = 256 / a.getElementTypeBitWidth(), k = a.getDimSize(1);
  Cost cost{.instructions = getTileLayout(sums)->registers() / 4 *
                            ((k + depth - 1) / depth),
            .threads = request.issuers.warps * request.target->warpWidth};
  for (auto [operand, tile] :
       {std::pair(Value(op.getA()), a), std::pair(Value(op.getB()), b)})
    if (auto buffer = dyn_cast<SharedType>(operand.getType()))
      cost.instructions += loadsOf(tile, buffer);
  return planOf(op, cost, building);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

ProductVariants &ProductVariants::get() {
  static ProductVariants table = [] {
    ProductVariants own;
    own.add({.name = "wgmma",
             .needs = {Feature::Wgmma},
             .priority = 10,
             .when = {{"whole_warpgroups", isNoWarpgroup},
                      {"b_in_shared_memory", hasNoSharedB},
                      {"sums_of_wgmma", hasNoWgmmaSums}},
             .plan = planWgmma});
    own.add({.name = "mma_sync",
             .needs = {Feature::MmaSync},
             .when = {{"whole_warps", isNoWarp},
                      {"sums_of_mma_sync", hasNoMmaSums},
                      {"rows_of_k", isTransposed}},
             .plan = planMmaSync});
    return own;
  }();
  return table;
}

static Decision decideProduct(ProductOp op) {
  ProductRequest request;
  request.op = op;
  request.target = &targetOf(op);
  if (!isa<SharedType>(op.getA().getType()))
    request.from = Memory::Registers;
  request.issuers = issuersOf(op);
  return decide(ProductVariants::get(), request, op.getDispatch());
}

static SmallVector<ProductOp> productsOf(KernelOp kernel) {
  SmallVector<ProductOp> list;
  kernel.getBody().walk([&](ProductOp op) { list.push_back(op); });
  return list;
}

std::vector<std::pair<Operation *, Decision>>
dispatch::decideProducts(KernelOp kernel) {
  std::vector<std::pair<Operation *, Decision>> list;
  for (ProductOp op : productsOf(kernel))
    list.emplace_back(op, decideProduct(op));
  return list;
}

LogicalResult dispatch::lowerProducts(KernelOp kernel) {
  LogicalResult all = success();
  for (ProductOp op : productsOf(kernel)) {
    Decision decision = decideProduct(op);
    if (decision.chosen < 0)
      all = emitProblem(op, decision.problem("product-dispatch"));
    else if (failed(decision.plan.build()))
      all = failure();
  }
  return all;
}
