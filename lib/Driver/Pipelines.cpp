//===- Pipelines.cpp - each pipeline one readable list of passes ----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Driver/Pipelines.h"

#include "ReferenceFloats.h"
#include "ReferenceLoops.h"

#ifdef TITAN_HAS_TRANSFORMS
#include "titan/Transforms/CutIndices.h"
#include "titan/Transforms/Passes.h"
#endif

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

// One pass of Linalg's; the header of all takes five seconds to compile.
namespace mlir {
#define GEN_PASS_DECL_CONVERTLINALGTOLOOPSPASS
#include "mlir/Dialect/Linalg/Passes.h.inc"
} // namespace mlir

using namespace mlir;

void titan::buildExpandPipeline(OpPassManager &pm) {
#ifdef TITAN_HAS_TRANSFORMS
  buildExpandPasses(pm, /*assertIndices=*/true);
#endif
}

void titan::buildCheckPipeline(OpPassManager &pm) {
#ifdef TITAN_HAS_TRANSFORMS
  // Letters are those of pipes: before these become barriers.
  pm.addPass(createInsertFences());
  pm.addPass(createInsertWaits());
  pm.addPass(createInline());
  pm.addNestedPass<KernelOp>(createDealTickets());
#endif
  buildExpandPipeline(pm);
}

void titan::buildRunPipeline(OpPassManager &pm) {
  buildExpandPipeline(pm);
#ifdef TITAN_HAS_TRANSFORMS
  pm.addPass(createReferencePtx());
#endif
}

void titan::buildReferencePipeline(OpPassManager &pm) {
  // Shapes that do not fit together stop the reference, in words.
  pm.addPass(createGenerateRuntimeVerificationPass());
  pm.addNestedPass<func::FuncOp>(createJamReductionsPass());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
#ifdef TITAN_HAS_TRANSFORMS
  pm.addNestedPass<func::FuncOp>(createCutIndices());
#endif
  pm.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createExpandFp8Pass());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  expand.includeF8E8M0 = true;
  expand.includeF4E2M1 = true;
  pm.addPass(arith::createArithExpandOpsPass(expand));
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}
