//===- NarrowIndices.cpp - 32 bits where ranges prove them ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Transforms/Passes.h"

#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace titan {
#define GEN_PASS_DEF_NARROWINDICES
#include "titan/Transforms/Passes.h.inc"
} // namespace titan

using namespace mlir;
using namespace titan;
using dataflow::IntegerValueRangeLattice;

namespace {

/// Integer ranges in which a function's parameters have those they say.
class ParameterRanges : public dataflow::IntegerRangeAnalysis {
public:
  using IntegerRangeAnalysis::IntegerRangeAnalysis;

  void setToEntryState(IntegerValueRangeLattice *lattice) override {
    auto argument = dyn_cast<BlockArgument>(lattice->getAnchor());
    auto function =
        argument
            ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp())
            : FunctionOpInterface();
    if (function && argument.getOwner()->isEntryBlock())
      if (auto range = function.getArgAttrOfType<LLVM::ConstantRangeAttr>(
              argument.getArgNumber(), LLVM::LLVMDialect::getRangeAttrName())) {
        // From `lower` to below `upper`, neither wrapping around.
        propagateIfChanged(lattice,
                           lattice->join(ConstantIntRanges::fromSigned(
                               range.getLower(), range.getUpper() - 1)));
        return;
      }
    IntegerRangeAnalysis::setToEntryState(lattice);
  }
};

struct NarrowIndices : titan::impl::NarrowIndicesBase<NarrowIndices> {
  void runOnOperation() override;
};

} // namespace

/// The greatest value, of an index that is never negative; none: it may be.
static std::optional<uint64_t> greatest(const DataFlowSolver &solver,
                                        Value value) {
  auto *lattice = solver.lookupState<IntegerValueRangeLattice>(value);
  if (!lattice || lattice->getValue().isUninitialized())
    return std::nullopt;
  const ConstantIntRanges &range = lattice->getValue().getValue();
  if (range.smin().isNegative())
    return std::nullopt;
  return range.umax().getZExtValue();
}

/// Whether no value of the counter, nor the one that ends the loop, needs more than
/// 32 bits.
static bool fits(const DataFlowSolver &solver, scf::ForOp loop) {
  if (!loop.getInductionVar().getType().isIndex())
    return false;
  auto lower = greatest(solver, loop.getLowerBound()),
       upper = greatest(solver, loop.getUpperBound()),
       step = greatest(solver, loop.getStep());
  // (The step stays positive as a signed number.)
  return lower && upper && step && *lower <= UINT32_MAX &&
         *upper <= UINT32_MAX && *step <= INT32_MAX &&
         *upper + *step <= UINT32_MAX;
}

/// The same loop, whose counter is an i32.
static void narrow(IRRewriter &rewriter, scf::ForOp loop) {
  rewriter.setInsertionPoint(loop);
  Type i32 = rewriter.getI32Type();
  auto low = [&](Value value) -> Value {
    return arith::IndexCastUIOp::create(rewriter, loop.getLoc(), i32, value);
  };
  auto narrowed = scf::ForOp::create(
      rewriter, loop.getLoc(), low(loop.getLowerBound()),
      low(loop.getUpperBound()), low(loop.getStep()), loop.getInitArgs(),
      /*bodyBuilder=*/nullptr, /*unsignedCmp=*/true);
  narrowed->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Block *body = narrowed.getBody();
  if (!body->empty())
    rewriter.eraseOp(body->getTerminator());
  rewriter.setInsertionPointToStart(body);
  SmallVector<Value> arguments{arith::IndexCastUIOp::create(
      rewriter, loop.getLoc(), rewriter.getIndexType(),
      narrowed.getInductionVar())};
  llvm::append_range(arguments, narrowed.getRegionIterArgs());
  rewriter.mergeBlocks(loop.getBody(), body, arguments);
  rewriter.replaceOp(loop, narrowed.getResults());
}

void NarrowIndices::runOnOperation() {
  DataFlowSolver solver;
  dataflow::loadBaselineAnalyses(solver);
  solver.load<ParameterRanges>();
  if (failed(solver.initializeAndRun(getOperation())))
    return signalPassFailure();
  SmallVector<scf::ForOp> loops;
  getOperation()->walk([&](scf::ForOp loop) {
    if (fits(solver, loop))
      loops.push_back(loop);
  });
  IRRewriter rewriter(&getContext());
  for (scf::ForOp loop : loops)
    narrow(rewriter, loop);
}
