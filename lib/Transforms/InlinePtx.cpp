//===- InlinePtx.cpp - texts of PTX by their references -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No CPU executes PTX. What a `pure` text computes a function of the module may
// say, of single elements; `titan run` executes that function's operations in the
// text's place, on tiles where the text works on tiles.
//
//===----------------------------------------------------------------------===//
#include "titan/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

namespace titan {
#define GEN_PASS_DEF_REFERENCEPTX
#include "titan/Transforms/Passes.h.inc"
} // namespace titan

using namespace mlir;
using namespace titan;

namespace {
struct ReferencePtxPass : titan::impl::ReferencePtxBase<ReferencePtxPass> {
  void runOnOperation() override {
    SmallVector<InlinePtxOp> texts;
    for (auto kernel : getOperation().getOps<KernelOp>())
      kernel.walk([&](InlinePtxOp op) {
        if (op.getReference())
          texts.push_back(op);
      });
    for (InlinePtxOp op : texts)
      if (failed(compute(op)))
        return signalPassFailure();
  }

private:
  LogicalResult compute(InlinePtxOp op) {
    auto fail = [&](const Twine &message, Operation *at = nullptr) {
      InFlightDiagnostic error = op.emitError("[inline-ptx-reference] @")
                                 << *op.getReference() << ": " << message;
      if (at)
        error.attachNote(at->getLoc()) << "here";
      return error;
    };
    auto function =
        getOperation().lookupSymbol<func::FuncOp>(*op.getReference());
    if (!function)
      return fail("there is no such func.func in the module");
    if (function.isExternal() || !llvm::hasSingleElement(function.getBody()))
      return fail("has one block", function);
    auto elements = [](TypeRange types) {
      return llvm::map_to_vector(
          types, [](Type type) { return getElementTypeOrSelf(type); });
    };
    if (function.getFunctionType() !=
        FunctionType::get(&getContext(), elements(op.getOperandTypes()),
                          elements(op.getResultTypes())))
      return fail("takes and returns the types of the text's elements",
                  function);

    RankedTensorType tile = op.getTileType();
    auto typeOf = [&](Type element) -> Type {
      return tile ? tile.clone(element) : element;
    };
    OpBuilder b(op);
    IRMapping values;
    for (auto [argument, operand] :
         llvm::zip(function.getArguments(), op.getOperands())) {
      Value value = operand;
      if (tile && !isa<RankedTensorType>(value.getType()))
        value = SplatOp::create(b, op.getLoc(), typeOf(value.getType()), value);
      values.map(argument, value);
    }
    for (Operation &inner : function.getBody().front().without_terminator()) {
      bool elementwise =
          isa<arith::ArithDialect, math::MathDialect>(inner.getDialect());
      if (!elementwise || inner.getNumRegions())
        return fail("holds what is not element-wise arith or math", &inner);
      Location loc = CallSiteLoc::get(inner.getLoc(), op.getLoc());
      if (auto constant = dyn_cast<arith::ConstantOp>(inner);
          constant && tile) {
        auto dense = DenseElementsAttr::get(
            cast<ShapedType>(typeOf(constant.getType())), constant.getValue());
        values.map(constant.getResult(),
                   arith::ConstantOp::create(b, loc, dense).getResult());
        continue;
      }
      Operation *copy = b.clone(inner, values);
      copy->setLoc(loc);
      for (OpResult result : copy->getResults())
        result.setType(typeOf(result.getType()));
    }
    Operation *end = function.getBody().front().getTerminator();
    for (auto [result, returned] :
         llvm::zip(op.getResults(), end->getOperands()))
      result.replaceAllUsesWith(values.lookup(returned));
    op.erase();
    return success();
  }
};
} // namespace
