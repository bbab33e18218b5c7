//===- Vectors.cpp - copies through the registers of all threads ----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread loads its elements and stores them. Which are its own a layout
// says: as many of a row as one access moves, the lanes along the row, then along
// rows; warps along rows. Of 128 x 64 elements of two bytes, by one warp:
//
//     reg: 8*c1, 32*r4; lane: 8*c8, 4*r1
//
// 32 accesses of 16 bytes a thread each way. Threads that are too many hold what
// others hold. A tile of more than `most` bytes a
// thread goes in parts, rows after rows. Where the tensor may end within the
// region a mask says so: what lies outside is zero, or is not stored.
//
//===----------------------------------------------------------------------===//
#include "titan/Dispatch/Copy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace titan;
using namespace titan::dispatch;

/// Bytes that one access of a thread moves at most, and that a thread holds at
/// most of a part.
static constexpr int64_t widestAccess = 16, mostHeld = 128;

/// The greatest power of two that divides `n` and is at most `limit`.
static int64_t powerOf(int64_t n, int64_t limit) {
  int64_t power = 1;
  while (power * 2 <= limit && n % (power * 2) == 0)
    power *= 2;
  return power;
}

namespace {
/// How threads share a tile.
struct Partition {
  SmallVector<int64_t> part; ///< The shape of a part.
  int64_t parts = 1;
  LayoutTextAttr layout;
  int64_t vector = 1;    ///< Elements of an access.
  int64_t registers = 1; ///< Elements that a thread holds of a part.
};
} // namespace

/// The layout of a part; a problem where none says it.
static std::optional<Problem> layOut(Partition &of, MLIRContext *context,
                                     int64_t lanes, int64_t warps) {
  int rank = static_cast<int>(of.part.size());
  std::vector<int64_t> left(of.part.begin(), of.part.end()),
      stride(of.part.size(), 1);
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
  auto layout = Layout::tile({of.part.begin(), of.part.end()}, std::move(reg),
                             std::move(lane), std::move(warp));
  if (!layout)
    return layout.problem();
  of.layout = LayoutTextAttr::get(context, layout->str());
  return std::nullopt;
}

static Result<Partition> partitionOf(const CopyRequest &request) {
  const CopyPlaces &places = *request.places;
  bool load = request.from == Memory::Global;
  const CopyPlace &tensor = load ? places.source : places.target,
                  &tile = load ? places.target : places.source;
  auto buffer = cast<SharedType>(tile.memory.getType());
  int64_t bytes = buffer.getElementBytes();
  // How much of a row lies together in global memory at a multiple of that.
  TrailingZeros &zeros = request.kernel->zeros();
  int64_t aligned = widestAccess;
  auto meet = [&](unsigned trailing) {
    aligned = std::min(aligned, int64_t(1) << std::min(trailing, 4u));
  };
  unsigned width = llvm::Log2_64(bytes);
  meet(zeros.ofAddress(tensor.memory));
  auto type = cast<GlobalType>(tensor.memory.getType());
  for (unsigned d = 0; d < type.getRank(); ++d) {
    bool last = d + 1 == type.getRank();
    if (last && !tensor.offsets.empty())
      meet(zeros.of(tensor.offsets[d]) + width);
    if (!last && type.getShape()[d] != 1)
      meet(zeros.ofStride(tensor.memory, d) + width);
  }
  Partition of;
  of.part.assign(buffer.getShape().begin(), buffer.getShape().end());
  of.vector = powerOf(of.part.back(), std::max<int64_t>(1, aligned / bytes));
  int64_t lanes = request.target->warpWidth, warps = request.issuers.warps;
  MLIRContext *context = buffer.getContext();
  if (auto problem = layOut(of, context, lanes, warps))
    return Problem{"", problem->message};
  // Parts of rows, that begin where tiles may.
  int64_t rows = of.part.front(), whole = buffer.getTileBytes();
  if (of.part.size() > 1 &&
      (!buffer.getSwizzle() ||
       buffer.getShape().back() * bytes <= buffer.getSwizzle()))
    for (int64_t parts = 2; of.registers * bytes > mostHeld && parts <= rows;
         ++parts) {
      if (rows % parts || whole / parts % buffer.getAlignment())
        continue;
      Partition smaller = of;
      smaller.part.front() = rows / parts;
      smaller.parts = parts;
      if (auto problem = layOut(smaller, context, lanes, warps))
        return Problem{"", problem->message};
      of = smaller;
    }
  if (of.registers * bytes > 4 * mostHeld)
    return Problem{
        "", "each thread would hold " + std::to_string(of.registers * bytes) +
                " bytes at once: let more warps copy, or copy parts"};
  return of;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

static LogicalResult buildVectors(const CopyRequest &request,
                                  const Partition &of) {
  const CopyPlaces &places = *request.places;
  bool load = request.from == Memory::Global;
  const CopyPlace &tensor = load ? places.source : places.target,
                  &tile = load ? places.target : places.source;
  auto type = cast<GlobalType>(tensor.memory.getType());
  auto buffer = cast<SharedType>(tile.memory.getType());
  OpBuilder b(request.op);
  Location loc = request.op->getLoc();
  auto like = [&](Type element) {
    return RankedTensorType::get(of.part, element, of.layout);
  };
  auto index = like(b.getI32Type());
  auto splat = [&](Value scalar) -> Value {
    if (!scalar.getType().isInteger(32))
      scalar = b.createOrFold<arith::IndexCastOp>(loc, b.getI32Type(), scalar);
    return SplatOp::create(b, loc, index, scalar);
  };
  size_t outer = type.getRank() - of.part.size();
  for (int64_t part = 0; part < of.parts; ++part) {
    SmallVector<Value> indices;
    Value mask;
    for (size_t d = 0; d < type.getRank(); ++d) {
      Value at;
      std::optional<int64_t> known = 0;
      if (d >= outer)
        at = CoordinateOp::create(b, loc, index, d - outer);
      if (!tensor.offsets.empty()) {
        APInt number;
        known = matchPattern(tensor.offsets[d], m_ConstantInt(&number))
                    ? std::optional<int64_t>(number.getSExtValue())
                    : std::nullopt;
        Value offset = splat(tensor.offsets[d]);
        at = !at          ? offset
             : known == 0 ? at
                          : arith::AddIOp::create(b, loc, at, offset);
      } else if (!at) {
        at = splat(arith::ConstantIntOp::create(b, loc, 0, 32));
      }
      if (int64_t first = part * of.part.front(); d == outer && first)
        at = arith::AddIOp::create(
            b, loc, at, splat(arith::ConstantIntOp::create(b, loc, first, 32)));
      indices.push_back(at);
      int64_t size = type.getShape()[d],
              extent = d >= outer ? places.extents[d - outer] : 1;
      if (!ShapedType::isDynamic(size) && known && *known >= 0 &&
          *known + extent <= size)
        continue;
      // Below 0 is large, too.
      Value bound = splat(DimOp::create(b, loc, tensor.memory, d));
      Value inside =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at, bound);
      mask = mask ? arith::AndIOp::create(b, loc, mask, inside) : inside;
    }
    Value shared = tile.memory;
    if (of.parts > 1) {
      SmallVector<int64_t> offsets(of.part.size(), 0);
      offsets.front() = part * of.part.front();
      shared = SharedViewOp::create(
          b, loc,
          SharedType::get(b.getContext(), of.part, buffer.getElementType(),
                          buffer.getSwizzle(), 1, false),
          shared, offsets);
    }
    auto registers = like(places.elementType);
    if (load) {
      Value loaded = GlobalLoadOp::create(
          b, loc, registers, tensor.memory, indices, mask, CacheOperatorAttr(),
          L1PriorityAttr(), IntegerAttr(), CachePolicyAttr());
      SharedStoreOp::create(b, loc, loaded, shared, UnitAttr());
    } else {
      Value loaded =
          SharedLoadOp::create(b, loc, registers, shared, UnitAttr());
      GlobalStoreOp::create(b, loc, loaded, tensor.memory, indices, mask,
                            CacheOperatorAttr(), L1PriorityAttr(),
                            CachePolicyAttr());
    }
  }
  request.op->erase();
  return success();
}

//===----------------------------------------------------------------------===//
// The variant
//===----------------------------------------------------------------------===//

static std::optional<std::string> isElected(const CopyRequest &request) {
  if (request.issuers.kind != Issuers::Thread &&
      request.issuers.kind != Issuers::Threads)
    return std::nullopt;
  return "expected all threads of warps, and " + request.issuers.str() +
         (request.issuers.warps == 1 ? " executes it" : " execute it");
}

static std::optional<std::string> isPartOrRelaid(const CopyRequest &request) {
  const CopyPlaces &places = *request.places;
  const CopyPlace &tile =
      request.from == Memory::Shared ? places.source : places.target;
  if (!tile.relaid && tile.offsets.empty() && tile.shape == places.extents)
    return std::nullopt;
  return tile.relaid ? "another layout than the buffer's type has"
                     : "a region of the buffer: copy to a titan.shared.view";
}

static Result<Plan> planVectors(const CopyRequest &request) {
  auto of = partitionOf(request);
  if (!of)
    return of.problem();
  Plan plan;
  int64_t threads = request.issuers.warps * request.target->warpWidth;
  plan.cost = {.instructions = 2 * of->parts * of->registers / of->vector,
               .bytes = threads * of->vector *
                        getElementBytes(request.places->elementType),
               .threads = threads};
  plan.build = [request, of = *of] { return buildVectors(request, of); };
  return plan;
}

void dispatch::registerVectors(CopyVariants &table) {
  table.add({.name = "vectors",
             .directions = {{Memory::Global, Memory::Shared},
                            {Memory::Shared, Memory::Global}},
             .when = {isBetweenPlaces(),
                      isAsynchronous(false),
                      {"all_threads", isElected},
                      {"whole_tile", isPartOrRelaid}},
             .plan = planVectors});
}
