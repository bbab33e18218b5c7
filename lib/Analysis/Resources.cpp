//===- Resources.cpp - what a CTA has -------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Resources.h"

#include "titan/Dialect/Titan/SharedMemory.h"
#include "titan/Dialect/Titan/TileWarps.h"
#include "titan/Target/Target.h"

#include <set>

using namespace mlir;
using namespace titan;
using namespace titan::checker;

/// MM-75: the budgets of all warps fit into what the CTA has at launch.
static void checkBudgets(KernelOp kernel, Report &report) {
  std::optional<uint64_t> atLaunch = kernel.getRegisters();
  kernel.getBody().walk([&](WarpSpecializeOp specialize) {
    int64_t sum = 0, budgeted = 0;
    Operation *last = nullptr;
    std::string terms;
    for (auto partition : specialize.getBody().getOps<PartitionOp>()) {
      effect::EffectList effects;
      partition.getHardwareEffects(effects);
      for (const effect::Effect &effect : effects)
        if (auto *registers = std::get_if<effect::Registers>(&effect.what);
            registers && registers->kind == effect::Registers::Budget) {
          int64_t warps = partition.getPaddedWarps();
          sum += warps * registers->count;
          budgeted += warps;
          terms += (terms.empty() ? "" : " + ") + std::to_string(warps) +
                   " x " + std::to_string(registers->count);
          if (atLaunch && registers->count > static_cast<int64_t>(*atLaunch))
            last = partition;
        }
    }
    if (!budgeted || !atLaunch)
      return;
    int64_t rest = static_cast<int64_t>(kernel.getWarps()) - budgeted;
    if (rest > 0) {
      sum += rest * static_cast<int64_t>(*atLaunch);
      terms += " + " + std::to_string(rest) + " x " +
               std::to_string(*atLaunch) + " (warps without a budget)";
    }
    int64_t pool = static_cast<int64_t>(kernel.getWarps() * *atLaunch);
    if (sum > pool)
      report.add(Code::RegisterBudget, last ? last : specialize.getOperation(),
                 kernel,
                 Twine("the budgets need ") + terms + " = " + Twine(sum) +
                     " registers a lane, and the launch gives " +
                     Twine(static_cast<int64_t>(kernel.getWarps())) + " x " +
                     Twine(static_cast<int64_t>(*atLaunch)) + " = " +
                     Twine(pool) + ": setmaxnreg waits for ever");
  });
}

TargetId checker::targetOf(Operation *op) {
  Operation *top = op;
  for (; op; op = op->getParentOp())
    if (auto name = op->getAttrOfType<StringAttr>("titan.target"))
      if (const TargetInfo *info = lookupTarget(
              std::string_view(name.getValue().data(), name.getValue().size())))
        return info->id;
  // Else the first one that has all of its operations.
  for (const TargetInfo &info : allTargets()) {
    auto lacks = [&](HardwareEffectsInterface op) {
      return llvm::is_contained(op.getTargets(), StringRef(info.name))
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    };
    if (!top->walk(lacks).wasInterrupted())
      return info.id;
  }
  return defaultTarget().id;
}

static void checkSharedMemory(KernelOp kernel, Report &report) {
  int64_t limit = targetInfo(targetOf(kernel)).sharedBytesPerCta;
  auto list = layOutShared(kernel, limit);
  if (!list.empty() && list.back().end() > limit)
    report.add(Code::SharedMemoryLimit, list.back().op, kernel,
               Twine("with this allocation the kernel takes ") +
                   Twine(list.back().end()) +
                   " bytes of shared memory; a CTA has " + Twine(limit));
}

/// Each misfit is told once, at the first operation that has it.
static void checkLayouts(Operation *parent, int64_t warps, int64_t lanes,
                         Report &report, std::set<std::string> &told) {
  for (Region &region : parent->getRegions())
    for (Operation &op : region.getOps()) {
      if (auto problem = refuseWarps(&op, warps, lanes);
          problem && told.insert(problem->message).second) {
        Report::Stop stop(report);
        if (Finding *finding = report.add(Code::LayoutMismatch, &op, nullptr,
                                          problem->message))
          finding->fix = problem->fix;
      }
      auto partition = dyn_cast<PartitionOp>(op);
      checkLayouts(
          &op, partition ? static_cast<int64_t>(partition.getWarps()) : warps,
          lanes, report, told);
    }
}

void checker::checkResources(KernelOp kernel, Report &report) {
  checkBudgets(kernel, report);
  checkSharedMemory(kernel, report);
  std::set<std::string> told;
  checkLayouts(kernel, kernel.getWarps(),
               targetInfo(targetOf(kernel)).warpWidth, report, told);
}
