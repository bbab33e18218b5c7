//===- InsertFences.cpp - the fences that are missing, at least cost ------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Transforms/InsertFences.h"

#include "titan/Dialect/Titan/KernelTarget.h"
#include "titan/Dialect/Titan/SharedMemory.h"
#include "titan/Transforms/HittingSet.h"
#include "titan/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace titan {
#define GEN_PASS_DEF_INSERTFENCES
#include "titan/Transforms/Passes.h.inc"
} // namespace titan

using namespace mlir;
using namespace titan;

//===----------------------------------------------------------------------===//
// What it costs
//===----------------------------------------------------------------------===//

uint64_t titan::fenceCost(FenceType type) {
  switch (type) {
  case FenceType::MbarrierInit:
  case FenceType::Wgmma:
    return 4;
  case FenceType::ProxySharedCta:
    return 8;
  case FenceType::ProxySharedCluster:
    return 9;
  case FenceType::ProxyGlobal:
    return 12;
  case FenceType::ProxyAll:
    return 16;
  case FenceType::TensormapRelease:
  case FenceType::TensormapAcquire:
    return 32;
  }
  return 0;
}

static constexpr uint64_t mostExecutions = uint64_t(1) << 32;

static uint64_t tripsOf(Operation *op) {
  constexpr uint64_t unknown = 16;
  if (isa<scf::WhileOp>(op))
    return unknown;
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return 1;
  std::optional<APInt> trips = loop.getStaticTripCount();
  return trips ? std::clamp<uint64_t>(trips->getLimitedValue(), 1, 1 << 16)
               : unknown;
}

static uint64_t executionsOf(Operation *op, unsigned calls) {
  uint64_t times = 1;
  for (Operation *at = op->getParentOp(); at; at = at->getParentOp()) {
    times = std::min(times * tripsOf(at), mostExecutions);
    auto function = dyn_cast<func::FuncOp>(at);
    if (!function || calls == 0)
      continue;
    uint64_t callers = 0;
    function->getParentOp()->walk([&](func::CallOp call) {
      if (call.getCallee() == function.getSymName())
        callers += executionsOf(call, calls - 1);
    });
    return std::min(times * std::max<uint64_t>(callers, 1), mostExecutions);
  }
  return times;
}

uint64_t titan::executionsOf(Operation *op) { return ::executionsOf(op, 8); }

//===----------------------------------------------------------------------===//
// Fences as operations and as text
//===----------------------------------------------------------------------===//

static ProxySpace spaceOf(FenceType type) {
  switch (type) {
  case FenceType::ProxySharedCta:
    return ProxySpace::SharedCta;
  case FenceType::ProxySharedCluster:
    return ProxySpace::SharedCluster;
  case FenceType::ProxyGlobal:
    return ProxySpace::Global;
  default:
    return ProxySpace::All;
  }
}

static Operation *createFence(OpBuilder &b, Location loc, FenceType type,
                              Value map) {
  switch (type) {
  case FenceType::MbarrierInit:
    return FenceMbarrierInitOp::create(b, loc);
  case FenceType::Wgmma:
    return MmaFenceOp::create(b, loc);
  case FenceType::TensormapRelease:
    return FenceTensormapReleaseOp::create(b, loc, MemoryScope::Gpu);
  case FenceType::TensormapAcquire:
    return FenceTensormapAcquireOp::create(b, loc, map, MemoryScope::Gpu);
  default:
    return FenceProxyAsyncOp::create(b, loc, spaceOf(type));
  }
}

void FenceInsertion::insert() const {
  OpBuilder b(before);
  createFence(b, before->getLoc(), type, map);
}

std::string FenceInsertion::text() const {
  OpBuilder b(before->getContext());
  Operation *fence = createFence(b, before->getLoc(), type, map);
  std::string text = fence->getName().getStringRef().str();
  fence->destroy();
  llvm::raw_string_ostream os(text);
  switch (type) {
  case FenceType::MbarrierInit:
  case FenceType::Wgmma:
    break;
  case FenceType::TensormapRelease:
    os << " " << stringifyMemoryScope(MemoryScope::Gpu);
    break;
  case FenceType::TensormapAcquire:
    os << " " << nameOf(map) << " " << stringifyMemoryScope(MemoryScope::Gpu)
       << " : " << map.getType();
    break;
  default:
    os << " " << stringifyProxySpace(spaceOf(type));
  }
  return text;
}

std::optional<FenceType> titan::fenceTypeOf(Operation *op) {
  auto hardware = dyn_cast<HardwareEffectsInterface>(op);
  if (!hardware)
    return std::nullopt;
  effect::EffectList effects;
  hardware.getHardwareEffects(effects);
  if (effects.size() != 1)
    return std::nullopt;
  auto *fence = std::get_if<effect::Fence>(&effects[0].what);
  if (!fence)
    return std::nullopt;
  switch (fence->kind) {
  case effect::Fence::ProxyAsync:
    switch (fence->space) {
    case FenceSpace::SharedCta:
      return FenceType::ProxySharedCta;
    case FenceSpace::SharedCluster:
      return FenceType::ProxySharedCluster;
    case FenceSpace::Global:
      return FenceType::ProxyGlobal;
    case FenceSpace::All:
      return FenceType::ProxyAll;
    }
    return std::nullopt;
  case effect::Fence::MbarrierInit:
    return FenceType::MbarrierInit;
  case effect::Fence::Wgmma:
    return FenceType::Wgmma;
  case effect::Fence::TensormapRelease:
    return FenceType::TensormapRelease;
  case effect::Fence::TensormapAcquire:
    return FenceType::TensormapAcquire;
  default:
    return std::nullopt;
  }
}

std::vector<Operation *> titan::fencesOf(KernelOp kernel) {
  std::vector<Operation *> fences;
  eachTextOf(kernel, [&](Region &body) {
    body.walk([&](Operation *op) {
      if (fenceTypeOf(op))
        fences.push_back(op);
    });
  });
  return fences;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

void titan::eachTextOf(KernelOp kernel,
                       llvm::function_ref<void(Region &body)> each) {
  auto module = kernel->getParentOfType<ModuleOp>();
  llvm::SetVector<Operation *> list;
  auto add = [&](Operation *from) {
    from->walk([&](func::CallOp call) {
      if (auto function = module.lookupSymbol<func::FuncOp>(call.getCallee()))
        list.insert(function);
    });
  };
  add(kernel);
  for (size_t i = 0; i < list.size(); ++i)
    add(list[i]);
  each(kernel.getBody());
  for (Operation *function : list)
    each(cast<func::FuncOp>(function).getBody());
}

/// Whether the kernel's target has proxies, and fences for them.
static bool hasFences(KernelOp kernel) {
  OpBuilder b(kernel.getContext());
  auto fence =
      FenceProxyAsyncOp::create(b, kernel.getLoc(), ProxySpace::SharedCta);
  bool has = llvm::is_contained(
      cast<HardwareEffectsInterface>(fence.getOperation()).getTargets(),
      StringRef(targetOf(kernel).name));
  fence->erase();
  return has;
}

/// Before which operations a fence may go.
static std::vector<Operation *> placesOf(KernelOp kernel) {
  std::vector<Operation *> places;
  if (!hasFences(kernel))
    return places;
  auto visit = [&](Region &body) {
    auto blocks = [&](Region &region) {
      for (Block &block : region) {
        auto acts = [](Operation &op) {
          return !op.hasTrait<OpTrait::IsTerminator>() &&
                 !isMemoryEffectFree(&op);
        };
        // Nothing happens there: a fence would be all that does.
        if (llvm::none_of(block, acts))
          continue;
        for (Operation &op : block)
          if (op.hasTrait<OpTrait::IsTerminator>() || acts(op))
            places.push_back(&op);
      }
    };
    blocks(body);
    body.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto loop = dyn_cast<scf::WhileOp>(op))
        blocks(loop.getAfter());
      else if (isa<scf::ForOp, scf::IfOp, ElectOp, PartitionOp>(op))
        for (Region &region : op->getRegions())
          blocks(region);
    });
  };
  eachTextOf(kernel, visit);
  return places;
}

OwningOpRef<ModuleOp>
titan::expandedForCheck(KernelOp kernel,
                        llvm::function_ref<void(IRMapping &)> change) {
  auto module = kernel->getParentOfType<ModuleOp>();
  IRMapping mapping;
  OwningOpRef<ModuleOp> clone = cast<ModuleOp>(module->clone(mapping));
  Operation *own = mapping.lookup(kernel.getOperation());
  own->removeAttr("titan.fences");
  for (KernelOp other : llvm::make_early_inc_range(clone->getOps<KernelOp>()))
    if (other != own)
      other.erase();
  if (change)
    change(mapping);
  PassManager passes(kernel.getContext());
  passes.addPass(createInline());
  passes.addNestedPass<KernelOp>(createDealTickets());
  buildExpandPasses(passes, /*assertIndices=*/true);
  if (failed(passes.run(*clone)))
    return {};
  return clone;
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

namespace {
class Planner {
public:
  Planner(KernelOp kernel, const CheckOptions &options)
      : kernel(kernel), options(options), places(placesOf(kernel)),
        dominance(kernel->getParentOp()), plan{.refusedAt = kernel.getLoc()} {}

  FailureOr<FencePlan> run() {
    static constexpr unsigned mostChecks = 64;
    while (plan.checks < mostChecks) {
      FenceNeeds found(options.strictness);
      if (failed(check(found)))
        return failure();
      size_t before = needs.size();
      for (const FenceNeed &need : found.all())
        if (!add(need))
          return refuse("no place of the text can hold the fence that " +
                            Twine("'") + std::string(codeInfo(need.code).code) +
                            "' asks for",
                        need.second);
      if (needs.size() == before)
        break;
      auto choice = cheapestHittingSet(costs, needs);
      if (!choice)
        break;
      // Of one place in the order of their types: a release, then an acquire.
      chosen = choice->chosen;
      llvm::sort(chosen, [&](unsigned a, unsigned b) {
        return Less()(elements[a], elements[b]);
      });
      plan.cost = choice->cost;
      plan.exact &= choice->exact;
    }
    for (unsigned number : chosen) {
      auto [place, type, map] = elements[number];
      plan.fences.push_back({places[place], type, map, *whyOf(number)});
    }
    plan.needs = needs.size();
    for (const Finding &finding : plan.report.findings)
      if (finding.severity == Severity::Error && !finding.ofCounts)
        return refuse(plan.stillSays(finding), finding.loc);
    return std::move(plan);
  }

private:
  /// A fence at a place; of a map.
  using Element = std::tuple<unsigned, FenceType, Value>;
  struct Less {
    bool operator()(const Element &a, const Element &b) const {
      auto key = [](const Element &e) {
        return std::tuple(std::get<0>(e), std::get<1>(e),
                          std::get<2>(e).getAsOpaquePointer());
      };
      return key(a) < key(b);
    }
  };

  FailureOr<FencePlan> refuse(const Twine &why, Location at) {
    plan.refusal = why.str();
    plan.refusedAt = at;
    return std::move(plan);
  }

  LogicalResult check(FenceNeeds &found) {
    ++plan.checks;
    OwningOpRef<ModuleOp> clone = expandedForCheck(kernel, [&](IRMapping &to) {
      for (auto [number, op] : llvm::enumerate(places)) {
        OpBuilder b(to.lookup(op));
        auto put = [&](bool releases) {
          for (unsigned fence : chosen)
            if (auto [at, type, map] = elements[fence];
                at == number &&
                (type == FenceType::TensormapRelease) == releases)
              createFence(b, op->getLoc(), type,
                          map ? to.lookup(map) : Value());
        };
        // An acquire may stand where the release does, behind it.
        put(true);
        Operation *place =
            FenceProxyAsyncOp::create(b, op->getLoc(), ProxySpace::SharedCta);
        place->setAttr(FenceNeeds::placeName, b.getI64IntegerAttr(number));
        put(false);
      }
    });
    if (!clone)
      return failure();
    CheckOptions asked = options;
    asked.fences = &found;
    plan.report = titan::check(*clone->getOps<KernelOp>().begin(), asked);
    return success();
  }

  /// The map that the operation behind a need's last place uses.
  Value mapOf(const FenceNeed &need) {
    for (Value operand : places[need.last]->getOperands())
      if (isa<TensorMapType>(operand.getType()))
        return operand;
    return {};
  }

  /// False: nothing can meet it.
  bool add(const FenceNeed &need) {
    std::vector<unsigned> list;
    // Of places that cost the same the last one is chosen: of the fence behind an
    // initialisation the nearest to it, before others are told of the barrier.
    std::vector<FenceOption> options(need.options.begin(), need.options.end());
    if (llvm::any_of(options, [](const FenceOption &option) {
          return option.type == FenceType::MbarrierInit;
        }))
      std::reverse(options.begin(), options.end());
    for (const FenceOption &option : options) {
      Element element{option.place, option.type, Value()};
      if (option.type == FenceType::TensormapAcquire) {
        Value map = mapOf(need);
        if (!map || !dominance.properlyDominates(map, places[option.place]))
          continue;
        std::get<2>(element) = map;
      }
      auto [found, fresh] = numbers.try_emplace(element, elements.size());
      if (fresh) {
        elements.push_back(element);
        costs.push_back(fenceCost(option.type) *
                        executionsOf(places[option.place]));
      }
      // What is there already has not met it.
      if (!llvm::is_contained(chosen, found->second))
        list.push_back(found->second);
    }
    if (list.empty())
      return false;
    needs.push_back(std::move(list));
    asked.push_back(need);
    return true;
  }

  const FenceNeed *whyOf(unsigned element) const {
    for (auto [list, need] : llvm::zip(needs, asked))
      if (llvm::is_contained(list, element))
        return &need;
    return nullptr;
  }

  KernelOp kernel;
  CheckOptions options;
  std::vector<Operation *> places;
  DominanceInfo dominance;
  FencePlan plan;
  std::vector<Element> elements;
  std::map<Element, unsigned, Less> numbers;
  std::vector<uint64_t> costs;
  std::vector<std::vector<unsigned>> needs;
  std::vector<FenceNeed> asked;
  std::vector<unsigned> chosen;
};
} // namespace

std::string FencePlan::stillSays(const Finding &finding) const {
  return "with " + std::to_string(fences.size()) +
         " fences put in the checker still says " +
         std::string(codeInfo(finding.code).code) + ": " + finding.message;
}

FailureOr<FencePlan> titan::planFences(KernelOp kernel,
                                       const CheckOptions &options) {
  return Planner(kernel, options).run();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct InsertFencesPass : titan::impl::InsertFencesBase<InsertFencesPass> {
  using InsertFencesBase::InsertFencesBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      Attribute wish = kernel->getAttr("titan.fences");
      if (!wish && !all)
        continue;
      auto text = dyn_cast_or_null<StringAttr>(wish);
      if (wish && (!text || text.getValue() != "auto")) {
        kernel.emitOpError(
            "[fences-auto] titan.fences is \"auto\", or is left out");
        return signalPassFailure();
      }
      FailureOr<FencePlan> plan = planFences(kernel, CheckOptions());
      if (failed(plan))
        return signalPassFailure();
      if (!plan->refusal.empty()) {
        emitError(plan->refusedAt) << "[fences-not-enough] " << plan->refusal;
        return signalPassFailure();
      }
      for (const FenceInsertion &fence : plan->fences)
        fence.insert();
      kernel->removeAttr("titan.fences");
    }
  }
};
} // namespace
