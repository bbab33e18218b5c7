//===- PrintAxisInfo.cpp - tells what is known of a program's values ------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PrintAxisInfo.h"

#include "titan/Analysis/Triton/AxisInfo.h"
#include "titan/Dialect/Triton/Triton.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace titan;

namespace {
/// A remark at each value that is an integer, a pointer, or a tensor of them, and
/// at each load and store.
struct PrintAxisInfo : PassWrapper<PrintAxisInfo, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintAxisInfo)

  PrintAxisInfo() = default;
  PrintAxisInfo(const PrintAxisInfo &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "print-axis-info"; }
  StringRef getDescription() const final {
    return "Tells contiguity, divisibility and constancy of Triton's values, "
           "and how many elements their loads and stores move at once";
  }

  void runOnOperation() final {
    AxisInfos infos(getOperation(), !strict);
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            tell(op, argument, infos);
      for (Value result : op->getResults())
        tell(op, result, infos);
      if (auto load = dyn_cast<tt::LoadOp>(op))
        tellAccess(load, load.getPtr(), load.getMask(), infos);
      if (auto store = dyn_cast<tt::StoreOp>(op))
        tellAccess(store, store.getPtr(), store.getMask(), infos);
    });
    markAllAnalysesPreserved();
  }

  Option<bool> strict{
      *this, "strict",
      llvm::cl::desc("Assume nothing of signs and of wrapping")};
  Option<bool> accesses{*this, "accesses",
                        llvm::cl::desc("Loads and stores alone")};

private:
  void tell(Operation *op, Value value, const AxisInfos &infos) {
    Type element = getElementTypeOrSelf(value.getType());
    if (accesses || !(element.isIntOrIndex() || isa<tt::PointerType>(element)))
      return;
    std::string text;
    llvm::raw_string_ostream os(text);
    infos.of(value).print(os);
    InFlightDiagnostic remark = emitRemark(op->getLoc());
    if (auto argument = dyn_cast<BlockArgument>(value))
      remark << "argument " << argument.getArgNumber() << ": ";
    remark << text;
    if (isa<OpResult>(value) && infos.assumes(op))
      remark << ", assuming its operand not negative or not wrapping";
  }

  void tellAccess(Operation *op, Value pointer, Value mask,
                  const AxisInfos &infos) {
    auto tensor = dyn_cast<RankedTensorType>(pointer.getType());
    if (!tensor)
      return;
    InFlightDiagnostic remark = emitRemark(op->getLoc())
                                << op->getName().stripDialect()
                                << " moves at once";
    for (int dim = 0; dim < tensor.getRank(); ++dim)
      remark << (dim ? ", " : " ") << infos.accessElements(pointer, mask, dim)
             << " (" << infos.accessElements(pointer, {}, dim)
             << " without its mask)";
  }
};
} // namespace

void titan::registerPrintAxisInfo() { PassRegistration<PrintAxisInfo>(); }
