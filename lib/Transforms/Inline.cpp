//===- Inline.cpp - functions go where they are called --------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function of the module is text that kernels share: it goes where it is
// called before anything looks, so that checker, simulator and lowering know no
// calls. MLIR's inliner copies the body; which calls there are is found here,
// since a kernel is not itself callable. An operation that came from a function
// has the location callsite("where it stands" at "where it was called").
//
//===----------------------------------------------------------------------===//
#include "titan/Transforms/Passes.h"

#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Inliner.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/SetVector.h"

namespace titan {
#define GEN_PASS_DEF_INLINE
#include "titan/Transforms/Passes.h.inc"
} // namespace titan

using namespace mlir;
using namespace titan;

namespace {
/// Operations that the calls of one kernel may bring: who asks for more has
/// written an exponential.
constexpr int64_t maxOperations = 1 << 18;

struct InlinePass : titan::impl::InlineBase<InlinePass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<func::FuncDialect>();
    func::registerInlinerExtension(registry);
  }

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      llvm::SetVector<func::FuncOp> path;
      operations = 0;
      if (failed(inlineCalls(kernel, path)))
        return signalPassFailure();
    }
  }

private:
  int64_t operations = 0;

  /// Inlines the calls in `op`, innermost functions first; `path` leads to it.
  LogicalResult inlineCalls(Operation *op,
                            llvm::SetVector<func::FuncOp> &path) {
    SmallVector<func::CallOp> calls;
    op->walk([&](func::CallOp call) { calls.push_back(call); });
    for (func::CallOp call : calls)
      if (failed(inlineOne(call, path)))
        return failure();
    return success();
  }

  LogicalResult inlineOne(func::CallOp call,
                          llvm::SetVector<func::FuncOp> &path) {
    auto function = getOperation().lookupSymbol<func::FuncOp>(call.getCallee());
    if (path.contains(function)) {
      InFlightDiagnostic error = call.emitError("[function-recursion] @")
                                 << call.getCallee() << " calls itself";
      if (path.back() != function)
        error << ", through @" << func::FuncOp(path.back()).getSymName();
      error.attachNote(function.getLoc()) << "the function";
      return error;
    }
    auto unfit = [&](const Twine &why) {
      InFlightDiagnostic error = call.emitError("[function-body] @")
                                 << call.getCallee() << " " << why;
      error.attachNote(function.getLoc()) << "the function";
      return error;
    };
    if (function.isExternal())
      return unfit("has no body");
    if (!llvm::hasSingleElement(function.getBody()))
      return unfit("has several blocks");
    function.walk([&](Operation *) { ++operations; });
    if (operations > maxOperations)
      return unfit("and the functions before it bring more than " +
                   Twine(maxOperations) + " operations");

    // What is inlined stands between the call and what follows it.
    Operation *before = call->getPrevNode();
    Block *block = call->getBlock();
    Operation *after = call->getNextNode();
    InlinerInterface interface(&getContext());
    if (failed(inlineCall(interface, config.getCloneCallback(), call, function,
                          &function.getBody())))
      return unfit("cannot be inlined here");
    call.erase();
    path.insert(function);
    SmallVector<Operation *> inlined;
    for (Operation *at = before ? before->getNextNode() : &block->front();
         at != after; at = at->getNextNode())
      inlined.push_back(at);
    for (Operation *at : inlined)
      if (failed(inlineCalls(at, path)))
        return failure();
    path.pop_back();
    return success();
  }

  InlinerConfig config;
};
} // namespace
