//===- InsertWaits.cpp - s_waitcnt of gfx942 ------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two kinds of waits (docs/fences.md):
//
//   for a token          its number is counted: Analysis/WaitCounts.h
//   for other waves      before s_barrier, and before what touches LDS: all of them
//                        wait for everything first; then each count, one after the
//                        other, becomes the largest with which the checker accepts
//                        the kernel. Waiting for less is never righter, so no
//                        count can be raised in the end.
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/WaitCounts.h"
#include "titan/Transforms/InsertFences.h"
#include "titan/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"

namespace titan {
#define GEN_PASS_DEF_INSERTWAITS
#include "titan/Transforms/Passes.h.inc"
} // namespace titan

using namespace mlir;
using namespace titan;

namespace {

template <typename What> SmallVector<What, 2> effectsOf(Operation *op) {
  SmallVector<What, 2> found;
  if (auto hardware = dyn_cast<HardwareEffectsInterface>(op)) {
    effect::EffectList effects;
    hardware.getHardwareEffects(effects);
    for (const effect::Effect &each : effects)
      if (auto *what = std::get_if<What>(&each.what))
        found.push_back(*what);
  }
  return found;
}

std::optional<WaitClass> classOf(Mechanism mechanism) {
  if (mechanism == Mechanism::VmCount)
    return WaitClass::Vm;
  if (mechanism == Mechanism::LgkmCount)
    return WaitClass::Lgkm;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Waits for tokens
//===----------------------------------------------------------------------===//

/// A kernel's body as the steps that count.
class TokenWaits {
public:
  /// False: there are loops that are not followed.
  bool read(Region &body) { return block(body.front(), text); }

  void replace() {
    countWaits(text);
    replace(text);
  }

private:
  unsigned tokenOf(Value value) {
    return tokens.try_emplace(value, tokens.size() + unnamed).first->second;
  }
  WaitStep rename(ValueRange to, ValueRange from) {
    WaitStep step{WaitStep::Rename};
    for (auto [a, b] : llvm::zip(to, from))
      if (isa<TokenType>(a.getType()))
        step.renamed.emplace_back(tokenOf(a), tokenOf(b));
    return step;
  }

  bool block(Block &block, std::vector<WaitStep> &into) {
    for (Operation &op : block) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        into.push_back(rename(loop.getRegionIterArgs(), loop.getInits()));
        WaitStep step{WaitStep::Loop};
        step.blocks.emplace_back();
        if (!this->block(*loop.getBody(), step.blocks[0]))
          return false;
        step.blocks[0].push_back(
            rename(loop.getRegionIterArgs(), loop.getYieldedValues()));
        into.push_back(std::move(step));
        into.push_back(rename(loop.getResults(), loop.getRegionIterArgs()));
        continue;
      }
      if (isa<scf::IfOp, WarpSpecializeOp>(op)) {
        WaitStep step{WaitStep::Branch};
        auto side = [&](Block &body) {
          step.blocks.emplace_back();
          if (!this->block(body, step.blocks.back()))
            return false;
          if (isa<scf::IfOp>(op))
            step.blocks.back().push_back(
                rename(op.getResults(), body.getTerminator()->getOperands()));
          return true;
        };
        for (Region &region : op.getRegions()) {
          if (region.empty())
            step.blocks.emplace_back();
          else if (isa<scf::IfOp>(op) && !side(region.front()))
            return false;
          else if (isa<WarpSpecializeOp>(op))
            for (auto partition : region.front().getOps<PartitionOp>())
              if (!side(partition.getBody().front()))
                return false;
        }
        into.push_back(std::move(step));
        continue;
      }
      if (auto elect = dyn_cast<ElectOp>(op)) {
        Block &body = elect.getBody().front();
        if (!this->block(body, into))
          return false;
        into.push_back(
            rename(op.getResults(), body.getTerminator()->getOperands()));
        continue;
      }
      if (op.getNumRegions() && !isMemoryEffectFree(&op))
        return false;
      step(op, into);
    }
    return true;
  }

  void step(Operation &op, std::vector<WaitStep> &into) {
    for (const auto &commit : effectsOf<effect::CommitGroup>(&op))
      if (auto counter = classOf(commit.mechanism)) {
        WaitStep step{WaitStep::Issue};
        step.counter = *counter;
        step.raises = commit.count.value_or(1);
        step.token = commit.token ? tokenOf(commit.token) : unnamed++;
        into.push_back(std::move(step));
      }
    for (const auto &wait : effectsOf<effect::WaitGroup>(&op))
      if (classOf(wait.mechanism) && wait.token) {
        WaitStep step{WaitStep::Need};
        step.token = tokenOf(wait.token);
        waits.push_back(&op);
        into.push_back(std::move(step));
      }
  }

  void replace(std::vector<WaitStep> &steps) {
    for (WaitStep &step : steps) {
      if (step.kind == WaitStep::Need) {
        Operation *op = waits[next++];
        OpBuilder b(op);
        auto count = [&](WaitClass counter) {
          auto value = step.counts[static_cast<unsigned>(counter)];
          return value ? b.getI64IntegerAttr(*value) : IntegerAttr();
        };
        IntegerAttr vm = count(WaitClass::Vm), lgkm = count(WaitClass::Lgkm);
        if (vm || lgkm)
          SWaitcntOp::create(b, op->getLoc(), TypeRange(), vm, lgkm,
                             ValueRange());
        op->erase();
      }
      for (std::vector<WaitStep> &each : step.blocks)
        replace(each);
    }
  }

  std::vector<WaitStep> text;
  llvm::DenseMap<Value, unsigned> tokens;
  /// What no value names: numbers of their own.
  unsigned unnamed = 1 << 20;
  /// The operations of needs, in the order of the text.
  std::vector<Operation *> waits;
  size_t next = 0;
};

//===----------------------------------------------------------------------===//
// Waits for other waves
//===----------------------------------------------------------------------===//

class BarrierWaits {
public:
  explicit BarrierWaits(KernelOp kernel) : kernel(kernel) {
    kernel.getBody().walk([&](Operation *op) {
      if (op->getNumRegions() || op->getParentOfType<ElectOp>())
        return;
      bool accesses = llvm::any_of(
          effectsOf<effect::Access>(op), [](const effect::Access &access) {
            return access.mechanism && classOf(*access.mechanism);
          });
      bool meets = !effectsOf<effect::ThreadBarrier>(op).empty();
      bool ends =
          op->hasTrait<OpTrait::IsTerminator>() && op->getParentOp() == kernel;
      if (accesses || meets || ends)
        places.push_back({op, accesses ? 0u : meets ? 1u : 2u, {0, 0}});
    });
  }

  /// Fails where no waits are enough.
  LogicalResult insert() {
    bool good = accepted();
    if (!good)
      return emitError(refused ? refused->loc : kernel.getLoc())
             << "[waits-not-enough] with s_waitcnt vmcnt(0) lgkmcnt(0) before "
                "each access to LDS and each barrier the checker still says "
             << (refused ? refused->message : std::string("no"));
    // What is waited for at a barrier need not be at an access.
    std::vector<Place *> order;
    for (Place &place : places)
      order.push_back(&place);
    llvm::sort(order, [&](const Place *a, const Place *b) {
      auto key = [](const Place *place) {
        return std::tuple(place->kind, ~executionsOf(place->before), place);
      };
      return key(a) < key(b);
    });
    for (Place *place : order)
      for (WaitClass counter : {WaitClass::Vm, WaitClass::Lgkm})
        raise(place->counts[static_cast<unsigned>(counter)], counter);
    for (const Place &place : places)
      create(place, place.before);
    return success();
  }

private:
  struct Place {
    Operation *before;
    unsigned kind; ///< an access, a barrier, the end
    /// vmcnt, lgkmcnt; none: no wait.
    std::optional<unsigned> counts[2];
  };

  static void create(const Place &place, Operation *before) {
    OpBuilder b(before);
    auto count = [&](unsigned which) {
      return place.counts[which] ? b.getI64IntegerAttr(*place.counts[which])
                                 : IntegerAttr();
    };
    if (place.counts[0] || place.counts[1])
      SWaitcntOp::create(b, before->getLoc(), TypeRange(), count(0), count(1),
                         ValueRange());
  }

  bool accepted() {
    auto clone = expandedForCheck(kernel, [&](IRMapping &to) {
      for (const Place &place : places)
        create(place, to.lookup(place.before));
    });
    if (!clone)
      return false;
    CheckReport report =
        check(*clone->getOps<KernelOp>().begin(), CheckOptions());
    refused.reset();
    for (const Finding &finding : report.findings)
      if (finding.severity == Severity::Error && !refused)
        refused = finding;
    return !refused;
  }

  /// The largest count that is accepted; no wait at all, if that is.
  void raise(std::optional<unsigned> &count, WaitClass counter) {
    count = std::nullopt;
    if (accepted())
      return;
    unsigned good = 0, bad = mostOf(counter) + 1;
    while (good + 1 < bad) {
      unsigned middle = (good + bad) / 2;
      count = middle;
      (accepted() ? good : bad) = middle;
    }
    count = good;
  }

  KernelOp kernel;
  std::vector<Place> places;
  std::optional<Finding> refused;
};

struct InsertWaitsPass : titan::impl::InsertWaitsBase<InsertWaitsPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      Attribute wish = kernel->getAttr("titan.waits");
      if (!wish)
        continue;
      auto text = dyn_cast<StringAttr>(wish);
      if (!text || text.getValue() != "auto") {
        kernel.emitOpError("[waits-auto] titan.waits is \"auto\", or is left "
                           "out");
        return signalPassFailure();
      }
      kernel->removeAttr("titan.waits");
      if (failed(BarrierWaits(kernel).insert()))
        return signalPassFailure();
      TokenWaits tokens;
      if (tokens.read(kernel.getBody()))
        tokens.replace();
    }
  }
};
} // namespace
