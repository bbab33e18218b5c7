//===- InlinePtx.cpp - instructions that TITAN does not have --------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Conversion/LoweringTable.h"

using namespace mlir;
using namespace titan;

/// The constraints of all results and operands.
static std::string constraintsOf(InlinePtxOp op) {
  SmallVector<std::string> list;
  for (Type type : op.getResultTypes())
    list.push_back({'=', InlinePtxOp::getConstraint(type)});
  for (Type type : op.getOperandTypes())
    list.push_back({InlinePtxOp::getConstraint(type)});
  if (!op.getPure())
    list.push_back("~{memory}");
  return llvm::join(list, ",");
}

/// One execution of the text, on scalars. An index is 64 bits there.
static Values execute(KernelLowering &kl, InlinePtxOp op, Values operands,
                      ArrayRef<Type> wanted) {
  Type i64 = kl.b.getI64Type();
  for (Value &operand : operands)
    if (operand.getType().isIndex())
      operand = arith::IndexCastOp::create(kl.b, i64, operand);
  SmallVector<Type> results(wanted);
  for (Type &result : results)
    if (result.isIndex())
      result = i64;
  SmallVector<Type, 1> type;
  if (results.size() == 1)
    type.push_back(results.front());
  else if (!results.empty())
    type.push_back(LLVM::LLVMStructType::getLiteral(op.getContext(), results));
  auto text = LLVM::InlineAsmOp::create(
      kl.b, type, operands, op.getText(), constraintsOf(op),
      /*has_side_effects=*/!op.getPure(), /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
      ArrayAttr());
  Values out(text->getResults().begin(), text->getResults().end());
  if (results.size() > 1) {
    out.clear();
    for (size_t i = 0; i < results.size(); ++i)
      out.push_back(LLVM::ExtractValueOp::create(kl.b, text->getResult(0), i));
  }
  for (auto [value, type] : llvm::zip(out, wanted))
    if (type.isIndex())
      value = arith::IndexCastOp::create(kl.b, type, value);
  return out;
}

static LogicalResult inlinePtxOp(KernelLowering &kl, InlinePtxOp op) {
  SmallVector<Values> operands;
  for (Value operand : op.getOperands())
    operands.push_back(isa<GlobalType>(operand.getType())
                           ? Values{kl.global(operand).pointer}
                           : kl.get(operand));
  auto types = kl.convertAll(op, op.getResultTypes());
  if (failed(types))
    return failure();
  // Scalars of each result are alike.
  SmallVector<Type> scalars;
  size_t first = 0;
  for (size_t count : types->counts) {
    scalars.push_back(types->types[first]);
    first += count;
  }
  RankedTensorType tile = op.getTileType();
  int64_t count = tile ? getTileLayout(tile)->registers() : 1;
  SmallVector<Values> results(op.getNumResults());
  for (int64_t r = 0; r < count; ++r) {
    Values in;
    for (auto [operand, list] : llvm::zip(op.getOperands(), operands))
      in.push_back(list[isa<RankedTensorType>(operand.getType()) ? r : 0]);
    for (auto [list, value] : llvm::zip(results, execute(kl, op, in, scalars)))
      list.push_back(value);
  }
  for (auto [result, list] : llvm::zip(op.getResults(), results))
    kl.set(result, list);
  return success();
}

void titan::populateInlinePtxLowerings(LoweringTable &table) {
  table.add<InlinePtxOp>(inlinePtxOp);
}
