//===- TmaMap.cpp - tensor copies by a map ----------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The map is given; the copy is its box. A load tells its barrier how many bytes to
// expect, but for a multicast: there each CTA that gets the box tells its own. im2col:
// `filter` is what is added to each pixel.
//
//     titan.copy_async %map[%n, %h, %w, %c] filter(%r, %s) to %tile signals %full
//
//     mbarrier.expect_tx %full, bytes
//     tma.load %map[%n, %h, %w, %c] offsets[%r, %s], %tile, %full
//
// Where it starts in the map's bounding box, the launch makes sure of, as far as it
// knows (LaunchBounds.h).
//
//===----------------------------------------------------------------------===//
#include "Building.h"
#include "LaunchBounds.h"

#include "titan/Dialect/Titan/CopyAsync.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace titan;
using namespace titan::dispatch;

static std::optional<std::string> lacksMap(const CopyRequest &request) {
  if (request.byMap)
    return std::nullopt;
  return request.places ? "what moves is said by two places, not by a map"
                        : "what moves is said by a schedule of the tensor";
}

/// Where loads through im2col maps begin, as far as only the launch knows.
static void requireStart(const CopyRequest &request, CopyAsyncOp copy) {
  if (request.from != Memory::Global)
    return;
  TensorMapOp map = getTensorMapOp(copy.getSource());
  if (!map || !map.getType().isIm2col() || map.getType().getInterleave())
    return;
  OpBuilder b(request.getKernel().getLaunchOp());
  Location loc = copy.getLoc();
  LaunchNumbers numbers(request.getKernel(), b, loc);
  if (!numbers.enter(copy))
    return;
  ArrayRef<int64_t> lower = map.getType().getLower(),
                    upper = map.getType().getUpper();
  // Rows and columns stand between images and channels.
  for (size_t d = 0; d < lower.size(); ++d) {
    Value size =
        map.isView()
            ? map.getDims()[d + 1]
            : DimOp::create(b, loc, map.getTensor(), d + 1).getResult();
    numbers.require(
        copy.getSourceOffsets()[d + 1], lower[d],
        numbers.make<arith::AddIOp>(size, numbers.constant(upper[d] - 1)),
        "tma-im2col",
        "coordinate " + Twine(d + 1) +
            " of what CTAs copy lies in the bounding box of its "
            "map");
  }
}

static Result<Plan> planTmaMap(const CopyRequest &request) {
  auto copy = cast<CopyAsyncOp>(request.op);
  bool load = request.from == Memory::Global;
  auto map = cast<TensorMapType>(
      (load ? copy.getSource() : copy.getTarget()).getType());
  return planOf(
      request.op, {.instructions = 1, .bytes = map.getBoxBytes()},
      [request, copy, load, map](OpBuilder &b) mutable {
        Location loc = copy.getLoc();
        if (request.prefetch) {
          TmaPrefetchOp::create(b, loc, copy.getSource(),
                                copy.getSourceOffsets(), copy.getFilter(),
                                request.cache);
        } else if (load) {
          if (!request.multicast) {
            auto expect = MBarrierExpectTxOp::create(
                b, loc, request.barrier, request.index,
                arith::ConstantIntOp::create(b, loc, map.getBoxBytes(), 32));
            expect->setDiscardableAttr(ofCopyAsync, b.getUnitAttr());
          }
          TmaLoadOp::create(b, loc, copy.getSource(), copy.getSourceOffsets(),
                            copy.getFilter(), copy.getTarget(), request.barrier,
                            request.index, request.multicast,
                            /*pair=*/UnitAttr(), request.cache);
        } else if (request.reduce) {
          TmaReduceOp::create(b, loc, *request.reduce, copy.getSource(),
                              copy.getTarget(), copy.getTargetOffsets(),
                              request.cache);
        } else {
          TmaStoreOp::create(b, loc, copy.getSource(), copy.getTarget(),
                             copy.getTargetOffsets(), request.cache);
        }
        return Value();
      },
      [request, copy] { requireStart(request, copy); });
}

void dispatch::registerTmaMap(CopyVariants &table) {
  table.add({.name = "tma_map",
             .directions = {{Memory::Global, Memory::Shared},
                            {Memory::Shared, Memory::Global}},
             .needs = {Feature::Tma},
             .priority = 20,
             .when = {{"has_map", lacksMap, /*ofKind=*/true}, singleThread()},
             .plan = planTmaMap});
}
