//===- Barriers.cpp - what a program's order takes between warps ----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program of tt does one thing after the other with its tensors, element by
// element. Warps do not, where what one of them touches another one has touched:
//
//   two exchanges through the scratch    the second one's stores, the first's loads
//   a store by an address, and a load    always: they may be of one element
//   a store to an argument, and a load   tiles of other layouts, or one of which
//                                        several threads hold the same elements (all
//                                        load one, its owner stores it); one pointer,
//                                        which every warp loads by and one thread
//                                        stores by
//
// A titan.cta_sync goes between, where there is none. An exchange has one inside,
// behind what came before it.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

using namespace mlir;
using namespace titan;

namespace {
/// What an operation does with an argument, or with the scratch.
struct Touch {
  Value memory;
  bool writes = false;
  Type tile = nullptr; ///< Null: one element.
  /// Stores to the scratch, a barrier, and loads.
  bool exchange = false;

  bool operator==(const Touch &) const = default;
};
using Touches = SmallVector<Touch>;

class Separation {
public:
  explicit Separation(KernelOp kernel) : kernel(kernel) {}
  void run() {
    Touches none;
    visit(kernel.getBody().front(), none);
  }

private:
  /// The scratch has no name, whatever it holds.
  static Value nameOf(Value memory) {
    return isa<SharedType>(memory.getType()) ? Value() : memory;
  }

  /// Whether copies ahead go there: what exchanges go through has one slot.
  static bool isRing(Value memory) {
    while (auto slot = memory.getDefiningOp<SharedSlotOp>())
      memory = slot.getRing();
    auto type = dyn_cast<SharedType>(memory.getType());
    return type && type.getSlots() > 1;
  }

  /// What one operation touches; `exchange`: through the scratch, with a barrier
  /// within.
  Touches touchesOf(Operation *op, bool &exchange) {
    Touches touches;
    auto effects = dyn_cast<HardwareEffectsInterface>(op);
    exchange = !effects &&
               llvm::any_of(op->getOperandTypes(), llvm::IsaPred<SharedType>) &&
               !isa<ViewOpInterface>(op);
    if (!effects)
      return touches;
    effect::EffectList list;
    effects.getHardwareEffects(list);
    for (const effect::Effect &each : list)
      if (auto *access = std::get_if<effect::Access>(&each.what)) {
        if (isRing(access->bytes.object))
          continue; // It has its barriers (Prefetch.cpp).
        Type tile;
        for (TypeRange types : {TypeRange(op->getOperandTypes()),
                                TypeRange(op->getResultTypes())})
          for (Type type : types)
            if (auto held = dyn_cast<RankedTensorType>(type))
              tile = RankedTensorType::get(
                  held.getShape(), IntegerType::get(op->getContext(), 1),
                  held.getEncoding());
        touches.push_back({nameOf(access->bytes.object),
                           access->kind != AccessKind::Read, tile});
      }
    return touches;
  }

  /// Whether several threads hold an element of the tile.
  bool isShared(Type type) {
    auto [entry, isNew] = shared.try_emplace(type, false);
    if (!isNew)
      return entry->second;
    auto layout = getTileLayout(cast<RankedTensorType>(type));
    bool several = layout->warps() < static_cast<int64_t>(kernel.getWarps());
    std::vector<int64_t> table = layout->elementTable();
    size_t perThread = table.size() / (layout->warps() * layout->lanes());
    llvm::DenseMap<int64_t, size_t> holders;
    for (size_t i = 0; i < table.size() && !several; ++i)
      several = holders.try_emplace(table[i], i / perThread).first->second !=
                i / perThread;
    return shared[type] = several;
  }

  /// Whether each thread that touches an element comes after itself.
  bool sameThreads(const Touch &one, const Touch &other) {
    if (one.exchange || other.exchange)
      return false;
    if (!one.tile || !other.tile)
      return !one.tile && !other.tile && one.writes == other.writes;
    return one.tile == other.tile &&
           (one.writes == other.writes || !isShared(one.tile));
  }

  /// Arguments do not overlap; what lies at an address may be of any.
  static bool mayOverlap(Value one, Value other) {
    return one == other ||
           (one && other && (isa<OpResult>(one) || isa<OpResult>(other)));
  }

  bool clash(const Touches &before, const Touch &now) {
    return llvm::any_of(before, [&](const Touch &each) {
      return mayOverlap(each.memory, now.memory) &&
             (each.writes || now.writes) &&
             !(each.memory == now.memory && sameThreads(each, now));
    });
  }

  static void add(Touches &all, const Touch &one) {
    if (!llvm::is_contained(all, one))
      all.push_back(one);
  }

  /// All of a block and of those within it.
  void collect(Block &block, Touches &all) {
    for (Operation &op : block) {
      bool exchange;
      for (const Touch &touch : touchesOf(&op, exchange))
        add(all, touch);
      if (exchange)
        add(all, scratch());
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          collect(inner, all);
    }
  }

  static Touch scratch() {
    return {Value(), /*writes=*/true, nullptr, /*exchange=*/true};
  }

  /// `before`: what has been touched since the last barrier, on every path.
  void visit(Block &block, Touches &before) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (op.getNumRegions() && !isa<ElectOp>(op)) {
        // Round a loop, its own end comes before its start.
        Touches in = before, out = before;
        if (isa<LoopLikeOpInterface>(op))
          for (Region &region : op.getRegions())
            for (Block &inner : region)
              collect(inner, in);
        for (Region &region : op.getRegions())
          for (Block &inner : region) {
            Touches within = in;
            visit(inner, within);
            for (const Touch &each : within)
              add(out, each);
          }
        before = std::move(out);
        continue;
      }
      if (isa<CtaSyncOp>(op)) {
        before.clear();
        continue;
      }
      bool exchange = false;
      Touches now = touchesOf(&op, exchange);
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          collect(inner, now);
      bool barrier = exchange && clash(before, scratch());
      for (const Touch &each : now)
        barrier |= clash(before, each);
      if (barrier) {
        OpBuilder b(&op);
        CtaSyncOp::create(b, op.getLoc());
        before.clear();
      }
      if (exchange) {
        before.clear();
        before.push_back(scratch());
      }
      for (const Touch &each : now)
        add(before, each);
    }
  }

  KernelOp kernel;
  llvm::DenseMap<Type, bool> shared;
};
} // namespace

void titan::separateTouches(KernelOp kernel) { Separation(kernel).run(); }
