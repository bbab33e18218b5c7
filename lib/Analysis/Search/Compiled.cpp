//===- Compiled.cpp - a kernel's body, ready for interpretation -----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Compiled.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

CompiledBlock Compiler::compile(Block &block) {
  CompiledBlock result;
  for (Value argument : block.getArguments())
    result.arguments.push_back(number(argument));
  for (Operation &op : block)
    result.ops.push_back(compile(op));
  return result;
}

CompiledOp Compiler::compile(Operation &op) {
  using Kind = CompiledOp::Kind;
  CompiledOp result;
  result.op = &op;
  for (Value operand : op.getOperands())
    result.in.push_back(number(operand));
  for (Value value : op.getResults())
    result.out.push_back(number(value));
  bool tensor = op.getNumResults() == 1 &&
                isa<RankedTensorType>(op.getResult(0).getType());

  APInt constant;
  if (op.getNumResults() == 1 && matchPattern(&op, m_ConstantInt(&constant)) &&
      !tensor && constant.getBitWidth() <= 64) {
    result.kind = Kind::Constant;
    result.number = constant.getBitWidth() == 1 ? constant.getZExtValue()
                                                : constant.getSExtValue();
    return result;
  }
  std::tie(result.code, result.predicate) = classify(&op);
  if (result.code != Arith::None) {
    Type from = op.getOperand(op.getNumOperands() - 1).getType(),
         to = op.getResult(0).getType();
    result.operandBits = bitsOf(getElementTypeOrSelf(from));
    result.bits = bitsOf(getElementTypeOrSelf(to));
    if (result.code == Arith::Select && !tensor)
      result.kind = Kind::Arithmetic; // of slots and barriers, too: no bits
    else if (!result.operandBits || !result.bits)
      result.kind = Kind::Opaque;
    else
      result.kind = tensor ? Kind::TensorArithmetic : Kind::Arithmetic;
    return result;
  }
  if (isa<arith::ConstantOp>(op) && tensor) {
    result.kind = Kind::TensorConstant;
    return result;
  }
  if (op.getNumRegions()) {
    if (isa<scf::ForOp>(op))
      result.kind = Kind::For;
    else if (isa<scf::WhileOp>(op))
      result.kind = Kind::While;
    else if (isa<scf::IfOp>(op))
      result.kind = Kind::If;
    else if (isa<ElectOp>(op))
      result.kind = Kind::Elect;
    else if (isa<WarpSpecializeOp>(op))
      result.kind = Kind::WarpSpecialize;
    else
      // scf.parallel, say: how often, by whom, and in which order?
      result.kind = Kind::Unsupported, result.hasEffects = true;
    for (Region &region : op.getRegions()) {
      // Partitions stand alone in the one block of a warp_specialize, and are
      // compiled as its regions.
      if (isa<WarpSpecializeOp>(op)) {
        for (auto partition : region.front().getOps<PartitionOp>())
          result.regions.push_back(compile(partition.getBody().front()));
        continue;
      }
      if (region.empty())
        result.regions.emplace_back();
      else
        result.regions.push_back(compile(region.front()));
      // Blocks beyond the first are not followed: who knows what they do?
      if (region.getBlocks().size() > 1)
        result.kind = Kind::Unsupported, result.hasEffects = true;
    }
    for (const CompiledBlock &region : result.regions)
      for (const CompiledOp &inner : region.ops)
        result.hasEffects |= inner.hasEffects;
    return result;
  }
  if (op.hasTrait<OpTrait::IsTerminator>()) {
    result.kind = Kind::Terminator;
    return result;
  }
  if (auto hardware = dyn_cast<HardwareEffectsInterface>(op)) {
    result.kind = Kind::Hardware;
    result.hasEffects = true;
    result.effects = std::make_shared<OpEffects>();
    hardware.getHardwareEffects(result.effects->list);
    result.effects->cardinality = hardware.getCardinality();
    result.effects->edit = getMapEdit(&op);
    return result;
  }
  if (auto tile = dyn_cast<TileOpInterface>(op)) {
    result.kind = Kind::Places;
    result.keepsRegisters = tile.keepsRegisters();
  } else if (isa<CtaIdOp>(op))
    result.kind = Kind::CtaId;
  else if (isa<NumCtasOp>(op))
    result.kind = Kind::NumCtas;
  else if (isa<ClusterRankOp>(op))
    result.kind = Kind::ClusterRank;
  else if (isa<WarpIdOp>(op))
    result.kind = Kind::WarpId;
  else if (isa<DimOp>(op))
    result.kind = Kind::Dim;
  else if (auto view = dyn_cast<ViewOpInterface>(op)) {
    result.kind = Kind::View;
    result.view = std::make_shared<effect::View>(view.getView());
  } else if (isa<AllocOpInterface>(op))
    result.kind = isa<MBarrierType>(op.getResult(0).getType())
                      ? Kind::BarrierAlloc
                      : Kind::Alloc;
  else if (isa<NoneOpInterface>(op))
    result.kind = Kind::None;
  else if (isa<AssertOp>(op))
    result.kind = Kind::Assert;
  else if (isa<AssumeOp>(op) && op.getOperand(0).getType().isInteger(1))
    result.kind = Kind::Assume;
  else if (!isa<TitanDialect, arith::ArithDialect>(op.getDialect()) &&
           !isPure(&op))
    // A call, say: who knows what it does?
    result.kind = Kind::Unsupported, result.hasEffects = true;
  return result;
}
