//===- Memory.cpp - loads, stores and atomics through pointers ------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An access of a tensor of pointers is one of an argument at a tile of offsets. Of
// a scalar, every warp loads, and one thread of the program stores.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace titan;

/// Hints of an access, as PTX has them.
struct Hints {
  CacheOperatorAttr cop;
  L1PriorityAttr l1;
};

template <typename Op> static Hints tritonHints(Op op) {
  MLIRContext *context = op.getContext();
  auto cop = [&](CacheOperator which) {
    return CacheOperatorAttr::get(context, which);
  };
  Hints hints;
  switch (op.getCache()) {
  case tt::CacheModifier::None:
    break;
  case tt::CacheModifier::CA:
    hints.cop = cop(CacheOperator::CacheAll);
    break;
  case tt::CacheModifier::CG:
    hints.cop = cop(CacheOperator::CacheGlobal);
    break;
  case tt::CacheModifier::WB:
    hints.cop = cop(CacheOperator::WriteBack);
    break;
  case tt::CacheModifier::CS:
    hints.cop = cop(CacheOperator::Streaming);
    break;
  case tt::CacheModifier::WT:
    hints.cop = cop(CacheOperator::WriteThrough);
    break;
  case tt::CacheModifier::CV:
    hints.cop = cop(CacheOperator::DoNotCache);
    break;
  }
  // The two exclude each other.
  if (!hints.cop && op.getEvict() == tt::EvictionPolicy::First)
    hints.l1 = L1PriorityAttr::get(context, L1Priority::EvictFirst);
  if (!hints.cop && op.getEvict() == tt::EvictionPolicy::Last)
    hints.l1 = L1PriorityAttr::get(context, L1Priority::EvictLast);
  return hints;
}

/// Elements of memory as elements of a tensor, or the other way round.
static FailureOr<Value> asElements(ProgramConversion &c, Operation *op,
                                   Value value, Type element) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == element)
    return value;
  if (from.getIntOrFloatBitWidth() != element.getIntOrFloatBitWidth())
    return c.unsupported(op, "a pointer to elements of another width than the "
                             "argument's");
  Type type = element;
  if (auto tile = dyn_cast<RankedTensorType>(value.getType()))
    type = tile.clone(element);
  return Value(arith::BitcastOp::create(c.b, type, value));
}

/// The index of one element.
static Value elementIndex(ProgramConversion &c, Value pointer) {
  return arith::IndexCastOp::create(c.b, c.b.getIndexType(), c.scalar(pointer));
}

/// What zeros in memory's place are; a constant that is not zero, and what only
/// the run knows, is none.
static bool isZero(Value other) {
  Attribute value;
  if (!matchPattern(other, m_Constant(&value)))
    return false;
  if (auto elements = dyn_cast<SplatElementsAttr>(value))
    value = elements.getSplatValue<Attribute>();
  if (auto number = dyn_cast<FloatAttr>(value))
    return number.getValue().isPosZero();
  auto number = dyn_cast<IntegerAttr>(value);
  return number && number.getValue().isZero();
}

static LogicalResult loadScalar(ProgramConversion &c, tt::LoadOp op,
                                Value memory) {
  markAhead(c, op, memory, {});
  Type element = cast<GlobalType>(memory.getType()).getElementType();
  auto load = [&] {
    return LdOp::create(c.b, element, memory, elementIndex(c, op.getPtr()),
                        MemorySem::Weak, MemoryScope::Cta)
        .getResult();
  };
  Type type = c.elementOf(op.getType());
  FailureOr<Value> value;
  if (!op.getMask()) {
    value = asElements(c, op, load(), type);
  } else {
    auto branch = scf::IfOp::create(c.b, type, c.scalar(op.getMask()), true);
    OpBuilder::InsertionGuard guard(c.b);
    c.b.setInsertionPointToStart(branch.thenBlock());
    auto loaded = asElements(c, op, load(), type);
    if (failed(loaded))
      return failure();
    scf::YieldOp::create(c.b, *loaded);
    c.b.setInsertionPointToStart(branch.elseBlock());
    Value other = op.getOther()
                      ? c.scalar(op.getOther())
                      : arith::ConstantOp::create(c.b, c.b.getZeroAttr(type));
    scf::YieldOp::create(c.b, other);
    value = branch.getResult(0);
  }
  if (failed(value))
    return failure();
  c.set(op.getResult(), *value);
  return success();
}

static LogicalResult convertLoad(ProgramConversion &c, tt::LoadOp op) {
  if (auto pointer = dyn_cast<tt::PointerType>(op.getPtr().getType());
      pointer && pointer.isBlock())
    return c.unsupported(op, "a load by a block pointer");
  if (op.getIsVolatile())
    return c.unsupported(op, "a volatile load");
  if (isa<tt::PointerType>(getElementTypeOrSelf(op.getType())))
    return c.unsupported(op, "pointers in memory");
  Value memory = c.base(op, op.getPtr());
  if (!memory)
    return failure();
  auto tensor = dyn_cast<RankedTensorType>(op.getPtr().getType());
  if (!tensor)
    return loadScalar(c, op, memory);
  Attribute layout = c.layouts.of(op);
  auto offsets = c.tile(op.getPtr(), layout);
  FailureOr<Value> mask =
      op.getMask() ? c.tile(op.getMask(), layout) : FailureOr<Value>(Value());
  if (failed(offsets) || failed(mask))
    return failure();
  RankedTensorType type = c.typeOf(op.getResult(), layout);
  Type element = cast<GlobalType>(memory.getType()).getElementType();
  Hints hints = tritonHints(op);
  auto loaded =
      GlobalLoadOp::create(c.b, type.clone(element), memory, *offsets, *mask,
                           hints.cop, hints.l1, IntegerAttr(), nullptr);
  markAhead(c, op, memory, loaded);
  auto value = asElements(c, op, loaded, type.getElementType());
  if (failed(value))
    return failure();
  if (*mask && op.getOther() && !isZero(op.getOther())) {
    auto other = c.tile(op.getOther(), layout);
    if (failed(other))
      return failure();
    value = Value(arith::SelectOp::create(c.b, *mask, *value, *other));
  }
  c.set(op.getResult(), *value);
  return success();
}

/// `build` for one thread of the program, where `mask`, or null, is true.
static void byOneThread(ProgramConversion &c, Value mask,
                        llvm::function_ref<void()> build) {
  OpBuilder::InsertionGuard guard(c.b);
  if (mask) {
    auto branch =
        scf::IfOp::create(c.b, c.scalar(mask), /*withElseRegion=*/false);
    c.b.setInsertionPointToStart(branch.thenBlock());
  }
  auto elect = ElectOp::create(c.b, TypeRange(), c.b.getI64IntegerAttr(0));
  if (elect.getBody().empty())
    ElectOp::ensureTerminator(elect.getBody(), c.b, c.b.getLoc());
  c.b.setInsertionPointToStart(&elect.getBody().front());
  build();
}

static LogicalResult convertStore(ProgramConversion &c, tt::StoreOp op) {
  if (auto pointer = dyn_cast<tt::PointerType>(op.getPtr().getType());
      pointer && pointer.isBlock())
    return c.unsupported(op, "a store by a block pointer");
  if (isa<tt::PointerType>(getElementTypeOrSelf(op.getValue().getType())))
    return c.unsupported(op, "pointers in memory");
  Value memory = c.base(op, op.getPtr());
  if (!memory)
    return failure();
  Type element = cast<GlobalType>(memory.getType()).getElementType();
  if (!isa<RankedTensorType>(op.getPtr().getType())) {
    auto value = asElements(c, op, c.scalar(op.getValue()), element);
    if (failed(value))
      return failure();
    Value index = elementIndex(c, op.getPtr());
    byOneThread(c, op.getMask(), [&] {
      StOp::create(c.b, *value, memory, index, MemorySem::Weak,
                   MemoryScope::Cta);
    });
    return success();
  }
  Attribute layout = c.layouts.of(op);
  auto offsets = c.tile(op.getPtr(), layout);
  auto value = c.tile(op.getValue(), layout);
  FailureOr<Value> mask =
      op.getMask() ? c.tile(op.getMask(), layout) : FailureOr<Value>(Value());
  if (failed(offsets) || failed(value) || failed(mask))
    return failure();
  value = asElements(c, op, *value, element);
  if (failed(value))
    return failure();
  Hints hints = tritonHints(op);
  GlobalStoreOp::create(c.b, *value, memory, *offsets, *mask, hints.cop,
                        hints.l1, nullptr);
  return success();
}

/// The word of titan IR.
static AtomicOp atomicOf(tt::RMWOp op) {
  switch (op) {
  case tt::RMWOp::And:
    return AtomicOp::And;
  case tt::RMWOp::Or:
    return AtomicOp::Or;
  case tt::RMWOp::Xor:
    return AtomicOp::Xor;
  case tt::RMWOp::Add:
  case tt::RMWOp::FAdd:
    return AtomicOp::Add;
  case tt::RMWOp::Max:
    return AtomicOp::Max;
  case tt::RMWOp::Min:
    return AtomicOp::Min;
  case tt::RMWOp::Exchange:
    return AtomicOp::Exch;
  case tt::RMWOp::UMax:
    return AtomicOp::MaxU;
  case tt::RMWOp::UMin:
    return AtomicOp::MinU;
  }
  llvm_unreachable("all are above");
}

static MemorySem toTitan(tt::MemSemantic sem) {
  return sem == tt::MemSemantic::Relaxed   ? MemorySem::Relaxed
         : sem == tt::MemSemantic::Acquire ? MemorySem::Acquire
         : sem == tt::MemSemantic::Release ? MemorySem::Release
                                           : MemorySem::AcqRel;
}

static MemoryScope toTitan(tt::MemScope scope) {
  return scope == tt::MemScope::CTA   ? MemoryScope::Cta
         : scope == tt::MemScope::GPU ? MemoryScope::Gpu
                                      : MemoryScope::Sys;
}

/// Whether an atomic of `value` is one of the argument's elements: those of its type,
/// or floats of which it changes the bits.
static LogicalResult checkAtomicElement(ProgramConversion &c, Operation *op,
                                        Value memory, Type value) {
  Type element = cast<GlobalType>(memory.getType()).getElementType();
  if (element == value ||
      (value.isInteger() && isa<FloatType>(element) &&
       value.getIntOrFloatBitWidth() == element.getIntOrFloatBitWidth()))
    return success();
  return c.unsupported(op, "an atomic on other elements than the argument's");
}

/// Of one element, by one thread of the program, which hands on what it finds.
/// `expected`: null, or what an exchange compares.
static LogicalResult oneAtomic(ProgramConversion &c, Operation *op,
                               AtomicOp word, Value pointer, Value value,
                               Value expected, Value mask, MemorySem sem,
                               MemoryScope scope) {
  Value memory = c.base(op, pointer);
  Type element = c.elementOf(value.getType());
  if (!memory || failed(checkAtomicElement(c, op, memory, element)))
    return failure();
  bool used = !op->getResult(0).use_empty();
  if (mask && matchPattern(mask, m_One()))
    mask = {};
  Value number = c.scalar(value), index = elementIndex(c, pointer);
  Value compared = expected ? c.scalar(expected) : Value();
  Value found = used ? c.scratch(element, 1) : Value();
  Value first = c.b.createOrFold<arith::ConstantIndexOp>(0);
  byOneThread(c, used ? Value() : mask, [&] {
    auto perform = [&]() -> Value {
      return AtomOp::create(c.b, element, word, number, compared, memory, index,
                            sem, scope);
    };
    if (!used)
      return (void)perform();
    Value old;
    if (!mask) {
      old = perform();
    } else { // Where the mask is false, what it finds is 0.
      auto branch = scf::IfOp::create(c.b, element, c.scalar(mask), true);
      OpBuilder::InsertionGuard guard(c.b);
      c.b.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(c.b, perform());
      c.b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(
          c.b, Value(arith::ConstantOp::create(c.b, c.b.getZeroAttr(element))));
      old = branch.getResult(0);
    }
    StOp::create(c.b, old, found, first, MemorySem::Weak, MemoryScope::Cta);
  });
  if (used)
    c.set(op->getResult(0), LdOp::create(c.b, element, found, first,
                                         MemorySem::Weak, MemoryScope::Cta));
  return success();
}

static LogicalResult convertSwap(ProgramConversion &c, tt::AtomicCASOp op) {
  if (isa<RankedTensorType>(op.getPtr().getType()))
    return c.unsupported(op, "a compare and swap of a tensor's elements");
  return oneAtomic(c, op, AtomicOp::Exch, op.getPtr(), op.getVal(), op.getCmp(),
                   Value(), toTitan(op.getSem()), toTitan(op.getScope()));
}

static LogicalResult convertAtomic(ProgramConversion &c, tt::AtomicRMWOp op) {
  AtomicOp word = atomicOf(op.getAtomicRmwOp());
  MemorySem sem = toTitan(op.getSem());
  MemoryScope scope = toTitan(op.getScope());
  if (!isa<RankedTensorType>(op.getPtr().getType()))
    return oneAtomic(c, op, word, op.getPtr(), op.getVal(), Value(),
                     op.getMask(), sem, scope);
  Value memory = c.base(op, op.getPtr());
  if (!memory || failed(checkAtomicElement(c, op, memory,
                                           getElementTypeOrSelf(op.getVal()))))
    return failure();
  bool used = !op.getResult().use_empty();
  RankedTensorType type = c.typeOf(op.getResult(), c.layouts.of(op));
  View view(type);
  // Of fewer elements than threads all threads have copies, and one does the
  // operation: copies are rows here, and the first row does.
  bool isRow = used && !getTileLayout(type)->isInjective();
  if (isRow) {
    int64_t threads = c.options.warps * c.options.lanes;
    if (type.getNumElements() >= threads)
      return c.unsupported(op, "what an atomic finds of whose elements threads "
                               "have copies");
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin(), threads / type.getNumElements());
    view = View(RankedTensorType::get(shape, type.getElementType(),
                                      c.layouts.forShape(shape)),
                llvm::to_vector(llvm::seq<int64_t>(1, shape.size())));
  }
  auto offsets = c.tile(op.getPtr(), view.of(c.b.getI32Type()));
  auto value = c.tile(op.getVal(), view);
  FailureOr<Value> mask = op.getMask()
                              ? c.tile(op.getMask(), view.of(c.b.getI1Type()))
                              : FailureOr<Value>(Value());
  if (failed(offsets) || failed(value) || failed(mask))
    return failure();
  if (isRow) {
    RankedTensorType places = view.type.clone(c.b.getI32Type());
    Value first = arith::CmpIOp::create(
        c.b, arith::CmpIPredicate::eq,
        CoordinateOp::create(c.b, places, c.b.getI64IntegerAttr(0)),
        arith::ConstantOp::create(
            c.b, DenseElementsAttr::get(places, c.b.getI32IntegerAttr(0))));
    mask = *mask ? Value(arith::AndIOp::create(c.b, *mask, first)) : first;
  }
  auto atom = GlobalAtomOp::create(c.b, used ? Type(view.type) : Type(), word,
                                   *value, memory, *offsets, *mask, sem, scope);
  if (!used)
    return success();
  Value found = atom.getResult();
  if (isRow) { // The others' are 0.
    auto bits = [&](RankedTensorType of) {
      return of.clone(c.b.getIntegerType(of.getElementTypeBitWidth()));
    };
    auto as = [&](Value tile, RankedTensorType to) -> Value {
      return tile.getType() == to ? tile
                                  : arith::BitcastOp::create(c.b, to, tile);
    };
    auto all =
        reduceAlong(c, op, as(found, bits(view.type)), 0, ReduceKind::Or);
    if (failed(all))
      return failure();
    auto now = c.convertLayout(*all, bits(type));
    if (failed(now))
      return failure();
    found = as(*now, type);
  }
  c.set(op.getResult(), found);
  return success();
}

static LogicalResult convertBarrier(ProgramConversion &c, gpu::BarrierOp op) {
  CtaSyncOp::create(c.b);
  return success();
}

void titan::populateTritonMemory(TritonToTitanTable &table) {
  table.convert<tt::LoadOp>(convertLoad);
  table.convert<tt::StoreOp>(convertStore);
  table.convert<tt::AtomicRMWOp>(convertAtomic);
  table.convert<tt::AtomicCASOp>(convertSwap);
  table.convert<gpu::BarrierOp>(convertBarrier);
}
