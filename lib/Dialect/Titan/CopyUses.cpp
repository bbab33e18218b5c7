//===- CopyUses.cpp - from a copy's buffer through all operations ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CopyUses.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

#include <numeric>

using namespace mlir;
using namespace titan;
using namespace titan::uses;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

flow::Steps titan::uses::stepsOf(TileFlowOpInterface op) {
  flow::Steps steps;
  if (op)
    op.getTileFlow(steps);
  return steps;
}

void Uses::visitUnknown(Operation *op) {
  for (Value operand : op->getOperands())
    if (const Tracked *value = find(operand)) {
      useAll(op, op->getName().getStringRef(), *value, Zero);
      for (Value result : op->getResults()) {
        if (rankOf(result) < 0)
          continue;
        Tracked next;
        next.lanes.assign(rankOf(result) + 1, {any, {Content::Any, {}, op}});
        next.origin = result;
        set(result, std::move(next));
      }
    }
}

/// Values that control flow carries: each is any of those given for it.
void Uses::visitRegions(Operation *op) {
  auto branch = cast<RegionBranchOpInterface>(op);
  auto [it, fresh] = flows.try_emplace(op);
  if (fresh)
    branch.getSuccessorInputOperandMapping(it->second);
  for (auto &[input, operands] : it->second) {
    if (!llvm::any_of(operands,
                      [&](OpOperand *each) { return find(each->get()); }))
      continue;
    for (OpOperand *each : operands) {
      Tracked next;
      if (const Tracked *value = find(each->get()))
        next = *value;
      else
        next.lanes.resize(rankOf(input) + 1);
      // What holds no tile is a value of its own at the others' holes.
      if (const Tracked *now = find(input); now && step == Contents)
        for (auto [lane, known] : llvm::zip(next.lanes, now->lanes))
          if (lane.source == none && known.source != none) {
            TypedAttr constant =
                find(each->get()) ? TypedAttr() : constantOf(each->get());
            lane = {known.source, constant ? Content::of(constant)
                                           : Content{Content::Finite}};
          }
      next.origin = input;
      if (isa<LoopLikeOpInterface>(op))
        next.depth = std::min(next.depth, depthOf(op) + 1);
      set(input, std::move(next));
    }
  }
}

void Uses::visit(Operation *op) {
  Operation *parent = op->getParentOp();
  if (isa<RegionBranchOpInterface>(op))
    return visitRegions(op);
  if (op->hasTrait<OpTrait::IsTerminator>()) {
    if (isa<RegionBranchOpInterface>(parent))
      return visitRegions(parent);
    if (isa<ElectOp>(parent))
      for (auto [from, to] : llvm::zip(op->getOperands(), parent->getResults()))
        pass(from, to);
    return;
  }
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return visitSelect(select);
  if (op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1)
    return visitElementwise(op);

  if (auto view = dyn_cast<ViewOpInterface>(op))
    if (effect::View of = view.getView(); of.source && !of.otherElements)
      return pass(of.source, op->getResult(0));
  if (auto tiles = dyn_cast<TileFlowOpInterface>(op)) {
    for (const flow::Step &step : stepsOf(tiles))
      std::visit([&](const auto &each) { visit(op, each); }, step);
    return;
  }
  visitUnknown(op);
}

void Uses::visit(Operation *, const flow::Pass &way) {
  pass(way.from, way.to, way.newPlaces);
}

void Uses::visit(Operation *, const flow::Broadcast &broadcast) {
  const Tracked *tile = find(broadcast.from);
  if (!tile)
    return;
  Tracked next = *tile;
  next.lanes.insert(next.lanes.end() - 1, Lane());
  set(broadcast.to, std::move(next));
}

/// What is written to memory is what it holds.
void Uses::visit(Operation *op, const flow::Store &put) {
  if (const Tracked *value = find(put.tile))
    store(op, Tracked(*value), put.memory);
}

/// Where a mask by places decides, indices in holes count for nothing.
void Uses::visit(Operation *op, const flow::Index &access) {
  StringRef name = op->getName().getStringRef();
  Value mask = access.mask;
  Tracked next;
  for (Value index : access.indices) {
    const Tracked *value = find(index);
    if (!value)
      continue;
    next = *value;
    if (mask)
      for (int lane : placesOf(mask, rankOf(index)))
        next.lanes[lane] = Lane();
    useAll(op, name, next,
           access.loaded || (mask && find(mask)) ? Zero : Other);
  }
  if (const Tracked *value = mask ? find(mask) : nullptr) {
    useAll(op, name, *value, Zero);
    if (next.lanes.empty())
      next = *value;
  }
  if (!access.loaded || next.lanes.empty())
    return;
  next.origin = access.loaded;
  for (Lane &lane : next.lanes)
    lane.content = {Content::Finite, {}, op};
  set(access.loaded, std::move(next));
}

//===----------------------------------------------------------------------===//
// From the buffer
//===----------------------------------------------------------------------===//

TileHoles Uses::holesOf(SharedType buffer, const TmaLowering &low,
                        std::vector<Names> &roots) {
  TileHoles holes{std::vector<Tri>(buffer.getRank(), Tri::No), low.loopHoles};
  roots.assign(buffer.getRank(), {});
  int64_t step = 1;
  for (size_t d = buffer.getRank(); d-- > 0;) {
    int64_t end = step * buffer.getShape()[d], inner = 1;
    for (size_t k = low.tile.size(); k-- > 0;) {
      const TmaTileDomain &domain = low.tile[k];
      int64_t outer = inner * domain.extent;
      if (inner < end && outer > step && end > step && outer > inner) {
        if (holes.dimensions[d] != Tri::Yes && domain.holes != Tri::No)
          holes.dimensions[d] = domain.holes;
        llvm::append_range(roots[d], domain.roots);
      }
      inner = outer;
    }
    step = end;
  }
  return holes;
}

CopyUses Uses::run() {
  Value buffer = copy.getBuffer();
  Tracked tile;
  int rank = static_cast<int>(holes.dimensions.size());
  for (int d = 0; d <= rank; ++d) {
    Tri has = d < rank ? holes.dimensions[d] : holes.loops;
    tile.lanes.push_back(
        {has == Tri::No ? none : d, Content::of(zeroOf(buffer))});
  }
  if (!hasHoles(tile))
    return {{}, std::move(holes)};
  bool known = allocationsOf(buffer, memory);
  if (!known) {
    std::vector<int> all(rank + 1);
    std::iota(all.begin(), all.end(), 0);
    uses.push_back({"a buffer of unknown origin", std::move(all)});
  }
  // What follows is the same for all copies that are alike.
  KernelCopies::Key key = KernelCopies::keyOf(copy);
  key.push_back(reinterpret_cast<const void *>(intptr_t(known)));
  for (Value each : memory)
    key.push_back(each.getAsOpaquePointer());
  for (int source = any; source <= rank; ++source)
    key.push_back(reinterpret_cast<const void *>(
        static_cast<intptr_t>(changesAt(source))));
  if (auto found = copies.uses.find(key); found != copies.uses.end())
    return found->second;
  for (Step now : {Sources, Contents}) {
    step = now;
    for (Value each : memory)
      set(each, as(each, tile));
    for (auto &[value, _] : tracked)
      work.insert_range(value.getUsers());
    while (!work.empty())
      visit(work.pop_back_val());
  }
  step = Report;
  llvm::SetVector<Operation *> users;
  for (auto &[value, _] : tracked)
    users.insert_range(value.getUsers());
  for (Operation *user : users)
    visit(user);
  return copies.uses[key] = {std::move(uses), std::move(holes)};
}

CopyUses titan::usesOf(CopyAsyncOp copy, const TmaLowering &low,
                       KernelCopies &kernel) {
  return Uses(copy, low, kernel).run();
}

KernelCopies::KernelCopies(KernelOp kernel) {
  kernel.getBody().walk([&](CopyAsyncOp copy) {
    if (!copy.isBySchedule() || !copy.isLoad() || copy.getPrefetch())
      return;
    Load load{copy, {}, false};
    load.known = allocationsOf(copy.getBuffer(), load.memory);
    loads.push_back(std::move(load));
  });
}
