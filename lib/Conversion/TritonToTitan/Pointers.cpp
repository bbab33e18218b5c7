//===- Pointers.cpp - which memory a pointer leads to ---------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pointer is an argument and an offset. One that is made of a number begins a
// tensor of its own, of which no size is known.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

using namespace mlir;
using namespace titan;

Type ProgramConversion::elementOfMemory(tt::PointerType pointer) {
  Type element = pointer.getPointee();
  if (element.isInteger(1))
    return b.getI8Type(); // As memory holds it.
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  bool some = bits == 8 || bits == 16 || bits == 32 || bits == 64;
  return !pointer.isBlock() && pointer.getAddressSpace() == 1 && some ? element
                                                                      : Type();
}

//===----------------------------------------------------------------------===//
// Where a pointer comes from
//===----------------------------------------------------------------------===//

using Origins = llvm::DenseMap<Value, Value>;

/// The argument that a pointer points into, or the number that is the address of
/// its memory as tt.int_to_ptr makes a pointer of it; null: it is not known.
static Value originOf(Value pointer, Origins &known);
static Value findOrigin(Value pointer, Origins &known) {
  if (auto argument = dyn_cast<BlockArgument>(pointer)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<tt::FuncOp>(parent))
      return argument;
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      return originOf(loop.getTiedLoopInit(argument)->get(), known);
    auto loop = dyn_cast<scf::WhileOp>(parent);
    unsigned number = argument.getArgNumber();
    return !loop ? Value()
           : argument.getOwner() == loop.getBeforeBody()
               ? originOf(loop.getInits()[number], known)
               : originOf(loop.getConditionOp().getArgs()[number], known);
  }
  Operation *op = pointer.getDefiningOp();
  unsigned number = cast<OpResult>(pointer).getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return originOf(loop.getInitArgs()[number], known);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return originOf(loop.getConditionOp().getArgs()[number], known);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Value one = originOf(branch.thenYield().getOperand(number), known),
          other = originOf(branch.elseYield().getOperand(number), known);
    return one == other ? one : Value();
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    Value one = originOf(select.getTrueValue(), known),
          other = originOf(select.getFalseValue(), known);
    return one == other ? one : Value();
  }
  if (isa<tt::IntToPtrOp>(op))
    return pointer;
  if (isa<tt::AddPtrOp, tt::SplatOp, tt::UnsplatOp, tt::BroadcastOp,
          tt::ExpandDimsOp, tt::ReshapeOp, tt::TransOp, tt::BitcastOp>(op) &&
      isa<tt::PointerType>(getElementTypeOrSelf(op->getOperand(0).getType())))
    return originOf(op->getOperand(0), known);
  return {};
}

static Value originOf(Value pointer, Origins &known) {
  auto [found, fresh] = known.try_emplace(pointer);
  if (!fresh)
    return found->second; // Null round a loop: what goes in decides.
  Value origin = findOrigin(pointer, known);
  return known[pointer] = origin;
}

static Value originOf(Value pointer) {
  Origins known;
  return originOf(pointer, known);
}

bool ProgramConversion::isByAddress(Value pointer) {
  Value origin = originOf(pointer);
  return origin && !isa<BlockArgument>(origin);
}

Value ProgramConversion::base(Operation *at, Value pointer) {
  Value origin = originOf(pointer);
  if (auto argument = dyn_cast_or_null<BlockArgument>(origin))
    return kernel.getBody().getArgument(argument.getArgNumber());
  if (origin && origin.getParentRegion()->isAncestor(at->getParentRegion()))
    return atAddress.lookup(origin);
  unsupported(at, origin
                      ? "a pointer that a loop makes of a number, behind the "
                        "loop"
                      : "a pointer that is not one argument or number, and an "
                        "offset: it is loaded, or chosen among several");
  return {};
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

static LogicalResult convertIntToPtr(ProgramConversion &c, tt::IntToPtrOp op) {
  auto pointer = dyn_cast<tt::PointerType>(op.getType());
  if (!pointer)
    return c.unsupported(op, "a tensor of pointers that are made of numbers; "
                             "of one number, and offsets, there is one");
  Type element = c.elementOfMemory(pointer);
  if (!element)
    return c.unsupported(op, "a pointer made of a number: memory of such "
                             "elements");
  auto type =
      GlobalType::get(c.b.getContext(), {ShapedType::kDynamic}, element, {1});
  int64_t alignment = c.layouts.alignment(op.getResult());
  c.setBase(op.getResult(),
            TensorAtOp::create(c.b, type, c.scalar(op.getSrc()),
                               alignment > getElementBytes(element)
                                   ? c.b.getI64IntegerAttr(alignment)
                                   : IntegerAttr()));
  c.set(op.getResult(), c.constant(c.b.getI32Type(), 0));
  return success();
}

/// The address of element `offset` (an i32, or a tile) of what a pointer points into.
static Value addressAt(ProgramConversion &c, Value memory, Value offset) {
  Type element = cast<GlobalType>(memory.getType()).getElementType();
  Value base = AddressOfOp::create(c.b, c.b.getI64Type(), memory),
        bytes = c.constant(c.b.getI64Type(), getElementBytes(element));
  Type type = c.b.getI64Type();
  if (auto tile = dyn_cast<RankedTensorType>(offset.getType())) {
    type = tile.clone(type);
    base = titan::SplatOp::create(c.b, type, base);
    bytes = titan::SplatOp::create(c.b, type, bytes);
  }
  Value wide = arith::ExtSIOp::create(c.b, type, offset);
  return arith::AddIOp::create(c.b, base,
                               arith::MulIOp::create(c.b, wide, bytes));
}

static LogicalResult convertPtrToInt(ProgramConversion &c, tt::PtrToIntOp op) {
  Value memory = c.base(op, op.getSrc());
  if (!memory)
    return failure();
  c.set(op.getResult(), addressAt(c, memory, c.scalar(op.getSrc())));
  return success();
}

static FailureOr<Value> makePtrToInt(ProgramConversion &c, tt::PtrToIntOp op,
                                     const View &view) {
  Value memory = c.base(op, op.getSrc());
  if (!memory)
    return failure();
  auto offsets = c.tile(op.getSrc(), view.of(c.b.getI32Type()));
  if (failed(offsets))
    return failure();
  return addressAt(c, memory, *offsets);
}

void titan::populateTritonPointers(TritonToTitanTable &table) {
  table.convert<tt::IntToPtrOp>(convertIntToPtr);
  table.convert<tt::PtrToIntOp>(convertPtrToInt);
  table.make<tt::PtrToIntOp>(makePtrToInt);
}
