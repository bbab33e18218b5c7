//===- Registers.cpp - tiles from layout to layout --------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From registers to registers a tile goes as far as the two layouts say
// (titan/Layout/Conversion.h), each way a variant:
//
//   moves      each thread has what it is to have    nothing is executed
//   shuffles   each warp has                         shuffles
//   exchange   else                                  stores, a barrier, loads
//
// All become titan.convert_layout; the first two leave the scratch alone that the
// copy may name. Within a warp, too, shared memory may be the cheaper way.
//
//===----------------------------------------------------------------------===//
#include "Building.h"

#include "titan/Layout/Access.h"
#include "titan/Layout/Conversion.h"

using namespace mlir;
using namespace titan;
using namespace titan::dispatch;

static Layout layoutOfTile(Value tile) {
  return *getTileLayout(cast<RankedTensorType>(tile.getType()));
}

static Result<Plan> planConversion(const CopyRequest &request, Cost cost,
                                   bool scratch) {
  Layout to = layoutOfTile(request.places->target.memory);
  cost.threads = to.lanes() * to.warps();
  return planOf(request.op, cost, [request, scratch](OpBuilder &b) -> Value {
    auto copy = cast<CopyOp>(request.op);
    return ConvertLayoutOp::create(
        b, copy.getLoc(), copy.getResult().getType(), copy.getSource(),
        scratch ? Value(copy.getScratch()) : Value(),
        scratch ? copy.getBarrierAttr() : IntegerAttr(),
        scratch ? copy.getThreadsAttr() : IntegerAttr());
  });
}

static Result<ConversionPlan> conversionOf(const CopyRequest &request) {
  return ConversionPlan::make(layoutOfTile(request.places->source.memory),
                              layoutOfTile(request.places->target.memory));
}

static Result<Plan> planMoves(const CopyRequest &request) {
  auto plan = conversionOf(request);
  if (!plan)
    return Problem{"", plan.problem().message};
  if (!plan->isRenaming())
    return Problem{"", "threads do not hold what they are to hold"};
  return planConversion(request, {.instructions = 0, .bytes = 0},
                        /*scratch=*/false);
}

static Result<Plan> planShuffles(const CopyRequest &request) {
  auto plan = conversionOf(request);
  if (!plan)
    return Problem{"", plan.problem().message};
  if (plan->isRenaming())
    return Problem{"", "nothing has to be shuffled"};
  int64_t bytes = getElementBytes(request.places->elementType);
  // A shuffle moves a word of each lane; what it takes to bring words in order
  // (selects) is not counted.
  return planConversion(
      request,
      {.instructions = plan->shuffles(bytes),
       .bytes = 4 * layoutOfTile(request.places->target.memory).lanes()},
      /*scratch=*/false);
}

static std::optional<std::string> lacksScratch(const CopyRequest &request) {
  if (cast<CopyOp>(request.op).getScratch())
    return std::nullopt;
  return "no shared memory to go through: through %scratch, one dimension, an "
         "element for each of the tile's";
}

static Result<Plan> planExchange(const CopyRequest &request) {
  Layout from = layoutOfTile(request.places->source.memory);
  Layout to = layoutOfTile(request.places->target.memory);
  int64_t bytes = getElementBytes(request.places->elementType);
  auto plan = ScratchPlan::make(from, to, bytes);
  if (!plan)
    return Problem{"", plan.problem().message};
  int64_t stores = plan->stored.registers() / plan->vector,
          loads = plan->loaded.registers() / plan->vector;
  // The barrier is as a fence: all wait.
  return planConversion(request,
                        {.instructions = stores + loads,
                         .bytes = to.lanes() * plan->vector * bytes,
                         .fences = 1},
                        /*scratch=*/true);
}

void dispatch::registerRegisters(CopyVariants &table) {
  auto variant = [&](const char *name, int priority,
                     Result<Plan> (*plan)(const CopyRequest &)) {
    return CopyVariant{.name = name,
                       .directions = {{Memory::Registers, Memory::Registers}},
                       .priority = priority,
                       .when = {allThreads()},
                       .plan = plan};
  };
  table.add(variant("moves", 2, planMoves));
  table.add(variant("shuffles", 1, planShuffles));
  CopyVariant exchange = variant("exchange", 0, planExchange);
  exchange.when.push_back({"has_scratch", lacksScratch});
  table.add(exchange);
}
