//===- Scalars.cpp - element by element -------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread loads and stores one element after another:
//
//     scf.for %i = 0 to 128 {
//       scf.for %j = 0 to 32 {
//         %x = titan.ld %from[%row + %i, %column + %j]
//         titan.st %x, %to[%i, %j]
//       }
//     }
//
// A place in another layout than its buffer's (`as`) is a row of elements, of which it
// computes the number.
// Where the tensor may end within the region the loops end there, behind loops that
// store zeros everywhere, if it goes to shared memory. Right for all layouts, regions and offsets; nobody would want it
// unasked.
//
//===----------------------------------------------------------------------===//
#include "Building.h"

#include "titan/Layout/Evaluate.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace titan;
using namespace titan::dispatch;

namespace {
/// Writes numbers of type index.
struct ElementArithmetic {
  using Value = mlir::Value;
  OpBuilder &b;
  Location loc;
  Value constant(int64_t value) const {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  template <typename Op> Value make(Value x, Value y) const {
    return b.createOrFold<Op>(loc, x, y);
  }
  template <typename Op> Value make(Value x, int64_t y) const {
    return make<Op>(x, constant(y));
  }
  Value add(Value x, Value y) { return make<arith::AddIOp>(x, y); }
  Value exclusiveOr(Value x, Value y) { return make<arith::XOrIOp>(x, y); }
  Value times(Value x, int64_t y) { return make<arith::MulIOp>(x, y); }
  Value over(Value x, int64_t y) { return make<arith::DivUIOp>(x, y); }
  Value rest(Value x, int64_t y) { return make<arith::RemUIOp>(x, y); }
  Value masked(Value x, int64_t y) { return make<arith::AndIOp>(x, y); }
  Value down(Value x, int64_t bits) { return make<arith::ShRUIOp>(x, bits); }
};
} // namespace

/// The number, in its buffer, of the element of those coordinates.
static Value elementAt(ElementArithmetic a, const CopyPlace &place,
                       ArrayRef<Value> coords, int64_t bytes) {
  int64_t unit = unitOf(*place.layout, bytes);
  return a.over(
      evaluate(*place.layout, {coords.data(), coords.size()}, unit, a),
      bytes / unit);
}

/// Whether an index is seen to be 0 or more.
static bool isNatural(Value index) {
  if (auto number = constantOf(index))
    return *number >= 0;
  Operation *op = index.getDefiningOp();
  if (!op)
    return false;
  if (isa<CtaIdOp, ClusterRankOp, DimOp>(op))
    return true;
  // (Of narrower numbers sums and products may wrap round.)
  if (auto cast = dyn_cast<arith::IndexCastOp>(op))
    return isa_and_nonnull<CtaIdOp, ClusterRankOp>(
        cast.getIn().getDefiningOp());
  return index.getType().isIndex() &&
         isa<arith::AddIOp, arith::MulIOp, arith::DivUIOp, arith::RemUIOp>(
             op) &&
         llvm::all_of(op->getOperands(), isNatural);
}

static Value buildScalars(const CopyRequest &request, OpBuilder &b) {
  const CopyPlaces &places = *request.places;
  Location loc = request.op->getLoc();
  int64_t bytes = getElementBytes(places.elementType);
  OpBuilder::InsertionGuard guard(b);
  if (request.issuers.kind != Issuers::Thread) {
    auto elect = ElectOp::create(
        b, loc, TypeRange(),
        request.issuers.warps == 1 ? IntegerAttr() : b.getI64IntegerAttr(0));
    b.createBlock(&elect.getBody());
    YieldOp::create(b, loc, ValueRange());
    b.setInsertionPointToStart(&elect.getBody().front());
  }
  // Buffers in another layout than their own as rows of elements.
  auto flat = [&](const CopyPlace &place, Value rank) -> Value {
    Value memory = place.memory;
    if (place.relaid) {
      auto type = cast<SharedType>(memory.getType());
      memory = SharedReuseOp::create(
          b, loc,
          SharedType::get(b.getContext(), type.getTileBytes() / bytes,
                          type.getElementType(), 0, 1, type.getCluster()),
          memory, 0);
    }
    return rank ? mapped(b, loc, memory, rank) : memory;
  };
  Value from = flat(places.source, request.rank);
  Value to = flat(places.target, Value());
  // The part of the region that lies in the tensor, where it may not be all.
  ElementArithmetic a{b, loc};
  struct Bounds {
    Value low, high;
  };
  SmallVector<Bounds> all, inside;
  for (int64_t extent : places.extents)
    all.push_back({a.constant(0), a.constant(extent)});
  inside = all;
  bool outside = false; // Whether there may be anything outside.
  bool loads = !places.source.isShared();
  for (const CopyPlace *place : {&places.source, &places.target}) {
    if (place->isShared())
      continue;
    size_t outer = place->shape.size() - all.size();
    SmallVector<Bounds> ones;
    for (size_t d = 0; d < place->shape.size(); ++d) {
      Value at = place->offsets.empty() ? a.constant(0) : place->offsets[d];
      auto known = constantOf(at);
      int64_t size = place->shape[d],
              extent = d < outer ? 1 : places.extents[d - outer];
      if (!ShapedType::isDynamic(size) && known && *known >= 0 &&
          *known + extent <= size)
        continue;
      outside = true;
      Value length = ShapedType::isDynamic(size)
                         ? DimOp::create(b, loc, place->memory, d).getResult()
                         : a.constant(size);
      Value low =
          isNatural(at)
              ? a.constant(0)
              : a.make<arith::MaxSIOp>(a.make<arith::SubIOp>(a.constant(0), at),
                                       int64_t(0));
      Value high =
          a.make<arith::MinSIOp>(a.make<arith::SubIOp>(length, at), extent);
      if (d >= outer) {
        inside[d - outer] = {low, high};
        continue;
      }
      // One index, 0 or not: nothing, or as the other dimensions say.
      ones.push_back({low, high});
    }
    for (auto [low, high] : ones) {
      Bounds &first = inside.front();
      Value in =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, low, high);
      first.high = arith::SelectOp::create(b, loc, in, first.high, first.low);
    }
  }
  auto loops =
      [&](OpBuilder b, ArrayRef<Bounds> bounds,
          llvm::function_ref<void(const ElementArithmetic &, ArrayRef<Value>)>
              body) {
        SmallVector<Value> counters;
        Value one = ElementArithmetic{b, loc}.constant(1);
        for (const Bounds &each : bounds) {
          auto loop = scf::ForOp::create(b, loc, each.low, each.high, one);
          counters.push_back(loop.getInductionVar());
          b.setInsertionPointToStart(loop.getBody());
        }
        body({b, loc}, counters);
      };
  auto indicesOf = [&](const ElementArithmetic &a, const CopyPlace &place,
                       ArrayRef<Value> counters) {
    SmallVector<Value> coords;
    size_t outer = place.shape.size() - counters.size();
    for (size_t d = 0; d < place.shape.size(); ++d) {
      Value at = place.offsets.empty() ? a.constant(0) : place.offsets[d];
      coords.push_back(
          d < outer ? at : a.make<arith::AddIOp>(at, counters[d - outer]));
    }
    if (place.relaid)
      return SmallVector<Value>{elementAt(a, place, coords, bytes)};
    return coords;
  };
  auto store = [&](const ElementArithmetic &a, Value element,
                   ArrayRef<Value> counters) {
    StOp::create(a.b, loc, element, to, indicesOf(a, places.target, counters),
                 MemorySem::Weak, MemoryScope::Cta);
  };
  if (outside && loads)
    loops(b, all, [&](const ElementArithmetic &a, ArrayRef<Value> counters) {
      store(a,
            arith::ConstantOp::create(a.b, loc,
                                      a.b.getZeroAttr(places.elementType)),
            counters);
    });
  loops(b, inside, [&](const ElementArithmetic &a, ArrayRef<Value> counters) {
    Value element = LdOp::create(a.b, loc, places.elementType, from,
                                 indicesOf(a, places.source, counters),
                                 MemorySem::Weak, MemoryScope::Cta);
    store(a, element, counters);
  });
  return Value();
}

static Result<Plan> planScalars(const CopyRequest &request) {
  const CopyPlaces &places = *request.places;
  Cost cost{.instructions = 2 * places.elements(),
            .bytes = getElementBytes(places.elementType)};
  return planOf(
      request.op, cost,
      [request](OpBuilder &b) { return buildScalars(request, b); },
      [request] { requireRank(request); });
}

static std::optional<std::string> isBySeveral(const CopyRequest &request) {
  if (request.issuers.kind != Issuers::Threads)
    return std::nullopt;
  return "one thread copies, and " + request.issuers.str() + " execute it";
}

static std::optional<std::string> isElsewhere(const CopyRequest &request) {
  return request.rank ? leavesCluster(request) : std::nullopt;
}

void dispatch::registerScalars(CopyVariants &table) {
  table.add({.name = "scalars",
             .directions = {{Memory::Global, Memory::Shared},
                            {Memory::Shared, Memory::Global},
                            {Memory::Shared, Memory::Shared}},
             .priority = -1,
             .fallback = true,
             .when = {isBetweenPlaces(),
                      isAsynchronous(false),
                      {"one_thread", isBySeveral},
                      {"all_threads", isForSomeWarps},
                      {"rank_in_cluster", isElsewhere},
                      staysApart()},
             .plan = planScalars});
}
