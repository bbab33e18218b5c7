//===- Dsmem.cpp - copies to a peer's shared memory -----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Distributed shared memory: one thread maps the peer's buffer and its barrier
// into its own window (mapa), and issues a bulk copy for each run of bytes that
// lies together on both sides (CommonRuns.h). Of a region of 128 x 32 in tiles of
// 128 x 64:
//
//     %there = titan.map_rank %theirs, %rank
//     %far = titan.map_rank %full, %rank
//     scf.for %i = 0 to 128 {
//       %from = titan.shared.run %mine[64 %i + 32]
//       %to = titan.shared.run %there[64 %i]
//       titan.bulk.copy_to_peer %from, %to, %far     // 64 bytes
//     }
//
// Where all lies together there is one copy and no loop. Nothing waits: the peer
// has told its barrier how many bytes to expect, and waits for its phase. No
// other signal says that the source has been read. With `reduce(add)` the bytes are
// added to what is there (titan.bulk.reduce_to_peer).
//
//===----------------------------------------------------------------------===//
#include "Building.h"

#include "titan/Layout/CommonRuns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace titan;
using namespace titan::dispatch;

/// PTX ISA, cp.async.bulk: addresses and sizes are multiples of this.
static constexpr int64_t runUnit = 16;

/// The region in one of the places.
static LayoutRegion regionOf(CopyDispatch &kernel, const CopyPlace &place) {
  LayoutRegion region{*place.layout, {}};
  region.offsets.resize(place.shape.size());
  for (auto [offset, own] : llvm::zip(place.offsets, region.offsets)) {
    own.value = constantOf(offset);
    if (!own.value)
      own.multiple = int64_t(1) << std::min(62u, kernel.zeros().of(offset));
  }
  return region;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

namespace {
/// Writes numbers of type index.
struct Arithmetic {
  OpBuilder &b;
  Location loc;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  template <typename Op> Value make(Value x, Value y) {
    return b.createOrFold<Op>(loc, x, y);
  }
  Value add(Value x, Value y) { return x ? make<arith::AddIOp>(x, y) : y; }
  Value scaled(Value x, int64_t by) {
    return by == 1 ? x : make<arith::MulIOp>(x, constant(by));
  }
};
} // namespace

/// RunStart::at, in elements of `bytes` (a power of two).
static Value startOf(Arithmetic a, const RunStart &start, ValueRange offsets,
                     ValueRange counters, int64_t bytes) {
  Value sum;
  for (const RunStart::Term &term : start.terms) {
    Value digit = offsets[term.axis];
    if (term.weight > 1)
      digit = a.make<arith::DivUIOp>(digit, a.constant(term.weight));
    if (term.extent)
      digit = a.make<arith::RemUIOp>(digit, a.constant(term.extent));
    sum = a.add(sum, a.scaled(digit, term.stride / bytes));
  }
  for (auto [counter, stride] : llvm::zip(counters, start.strides))
    sum = a.add(sum, a.scaled(counter, stride / bytes));
  if (!sum || start.constant)
    sum = a.add(sum, a.constant(start.constant / bytes));

  // Bits: those that move equally far are moved at once.
  int shift = static_cast<int>(llvm::Log2_64(bytes));
  std::map<int, int64_t> masks; // By how far down.
  for (BitLinear::Term term : start.bits.terms())
    masks[term.from - term.to] |= int64_t(1) << (term.to - shift);
  Value result = sum;
  for (auto [down, mask] : masks) {
    Value moved = sum;
    if (down > 0)
      moved = a.make<arith::ShRUIOp>(sum, a.constant(down));
    else if (down < 0)
      moved = a.make<arith::ShLIOp>(sum, a.constant(-down));
    moved = a.make<arith::AndIOp>(moved, a.constant(mask));
    result = a.make<arith::XOrIOp>(result, moved);
  }
  if (start.block > bytes)
    result = a.make<arith::AndIOp>(result, a.constant(-(start.block / bytes)));
  return result;
}

static Value buildDsmem(const CopyRequest &request, const CommonRuns &runs,
                        OpBuilder &b) {
  const CopyPlaces &places = *request.places;
  Location loc = request.op->getLoc();
  int64_t bytes = getElementBytes(places.elementType);
  Value mine = places.source.memory;
  Value there = mapped(b, loc, places.target.memory, request.rank);
  Value barrier = mapped(b, loc, request.barrier, request.rank);
  auto from = cast<SharedType>(mine.getType());
  auto to = cast<SharedType>(there.getType());
  bool whole = runs.extents.empty() && runs.bytes == from.getTileBytes() &&
               runs.bytes == to.getTileBytes() &&
               from.getShape() == to.getShape() &&
               from.getSwizzle() == to.getSwizzle();
  auto copy = [&](Value source, Value target) {
    if (request.reduce)
      BulkReduceToPeerOp::create(b, loc, *request.reduce, source, target,
                                 barrier, request.index);
    else
      BulkCopyToPeerOp::create(b, loc, source, target, barrier, request.index);
    return Value();
  };
  if (whole)
    return copy(mine, there);
  SmallVector<Value> counters;
  for (int64_t extent : runs.extents) {
    Arithmetic a{b, loc};
    auto loop = scf::ForOp::create(b, loc, a.constant(0), a.constant(extent),
                                   a.constant(1));
    counters.push_back(loop.getInductionVar());
    b.setInsertionPointToStart(loop.getBody());
  }
  auto run = [&](Value buffer, const RunStart &start, const CopyPlace &place) {
    auto type = SharedType::get(
        b.getContext(), runs.bytes / bytes, places.elementType, /*swizzle=*/0,
        /*slots=*/1, cast<SharedType>(buffer.getType()).getCluster());
    return SharedRunOp::create(
        b, loc, type, buffer,
        startOf({b, loc}, start, place.offsets, counters, bytes));
  };
  Value source = run(mine, runs.source, places.source);
  Value target = run(there, runs.target, places.target);
  return copy(source, target);
}

//===----------------------------------------------------------------------===//
// The variant
//===----------------------------------------------------------------------===//

static std::optional<std::string> lacksRank(const CopyRequest &request) {
  if (!request.rank)
    return "no rank: the copy stays in the executing CTA; rank(%peer) says "
           "whose shared memory it goes to";
  return std::nullopt;
}

static std::optional<std::string> lacksBarrier(const CopyRequest &request) {
  if (!request.barrier)
    return "no barrier: a copy to a peer completes on its mbarrier, "
           "signals %full";
  return std::nullopt;
}

static Result<Plan> planDsmem(const CopyRequest &request) {
  const CopyPlaces &places = *request.places;
  auto runs = commonRuns(regionOf(*request.kernel, places.source),
                         regionOf(*request.kernel, places.target),
                         {places.extents.begin(), places.extents.end()},
                         getElementBytes(places.elementType), runUnit);
  if (!runs)
    return Problem{"", runs.problem().message};
  Cost cost{.instructions = runs->count(), .bytes = runs->bytes};
  return planOf(
      request.op, cost,
      [request, runs = std::move(*runs)](OpBuilder &b) {
        return buildDsmem(request, runs, b);
      },
      [request] { requireRank(request); });
}

void dispatch::registerDsmem(CopyVariants &table) {
  table.add({.name = "dsmem",
             .directions = {{Memory::Shared, Memory::Shared}},
             .needs = {Feature::BulkCopy, Feature::Clusters},
             .priority = 10,
             .when = {isBetweenPlaces(),
                      isAsynchronous(true),
                      singleThread(),
                      {"has_rank", lacksRank},
                      {"has_barrier", lacksBarrier},
                      {"rank_in_cluster", leavesCluster},
                      takesWords({.reduce = true})},
             .plan = planDsmem});
}
