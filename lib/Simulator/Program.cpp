//===- Program.cpp - translates a kernel's body ---------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Simulator/ExecutionTable.h"

#include "titan/Dialect/Titan/SharedMemory.h"
#include "titan/Target/Target.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace titan;
using namespace titan::sim;

ExecutionTable &ExecutionTable::get() {
  static ExecutionTable table = [] {
    ExecutionTable made;
    registerKernel(made);
    registerScalars(made);
    registerTiles(made);
    registerExchange(made);
    registerMemory(made);
    registerBarriers(made);
    registerTma(made);
    registerMma(made);
    registerMmaSync(made);
    registerAsyncCopy(made);
    registerAsyncStore(made);
    registerBulk(made);
    registerTensormap(made);
    registerGrid(made);
    registerInlinePtx(made);
    registerAmd(made);
    return made;
  }();
  return table;
}

void Compiler::allocate() {
  int64_t limit = p.target->sharedBytesPerCta;
  for (const SharedAllocation &each : layOutShared(kernel, limit)) {
    if (each.end() > limit) {
      problem(
          each.op, Code::SharedMemoryLimit,
          llvm::formatv("with this allocation the kernel takes {0} bytes of "
                        "shared memory; a CTA has {1}",
                        each.end(), limit));
      return;
    }
    // Address 0 is left free, as on the hardware.
    uint32_t address = 1024 + static_cast<uint32_t>(each.offset);
    p.sharedBytes = address + each.bytes;
    Value memory = each.op->getResult(0);
    p.scalars[scalar(memory)] =
        isa<TensorMapType>(memory.getType())
            ? MapPlace{MapPlace::Shared, address}.encode()
            : address;
    p.allocations.push_back({address, static_cast<uint32_t>(each.bytes),
                             isa<MBarrierType>(memory.getType()), each.op});
  }
}

void Compiler::block(Block &block) {
  for (Operation &op : block)
    if (!isa<scf::YieldOp, scf::ConditionOp, YieldOp>(op))
      operation(op);
}

void Compiler::operation(Operation &op) {
  const auto *compile =
      ExecutionTable::get().lookup(op.getName().getStringRef());
  if (compile)
    return (*compile)(*this, &op);
  unsupported(&op);
}

/// The kernel's target, or the first on which all of its operations exist.
static const TargetInfo &targetOf(KernelOp kernel) {
  for (Operation *at = kernel; at; at = at->getParentOp())
    if (auto name = at->getAttrOfType<StringAttr>("titan.target"))
      if (const TargetInfo *target =
              lookupTarget(std::string_view(name.getValue())))
        return *target;
  for (const TargetInfo &target : allTargets()) {
    WalkResult result = kernel.getBody().walk([&](Operation *op) {
      auto hardware = dyn_cast<HardwareEffectsInterface>(op);
      bool exists = !hardware || llvm::is_contained(hardware.getTargets(),
                                                    StringRef(target.name));
      return exists ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (!result.wasInterrupted())
      return target;
  }
  return defaultTarget();
}

void Compiler::run() {
  p.target = &targetOf(kernel);
  p.lanes = p.target->warpWidth;
  p.warps = kernel.getWarps();
  p.cluster = kernel.getClusterShape();
  p.clusterSize = kernel.getClusterSize();
  p.launchRegisters =
      kernel.getRegisters() ? static_cast<int64_t>(*kernel.getRegisters()) : 0;
  WarpRegion cta;
  cta.name = "the CTA";
  cta.warps = cta.padded = p.warps;
  p.regions.push_back(cta);
  for (BlockArgument argument : kernel.getBody().getArguments())
    slot(argument);
  allocate();
  block(kernel.getBody().front());
}

std::unique_ptr<Program> Program::compile(KernelOp kernel,
                                          std::vector<Finding> &problems) {
  auto program = std::make_unique<Program>();
  size_t before = problems.size();
  Compiler(kernel, *program, problems).run();
  return problems.size() == before ? std::move(program) : nullptr;
}
