//===- Descriptors.cpp - blocks of tensors by descriptors -----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A descriptor is an argument, sizes and strides, and no value of the kernel: each
// access is one of the threads, at the places of its block that lie in the tensor.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

using namespace mlir;
using namespace titan;

Value ProgramConversion::asI32(Value number) {
  Type type = b.getI32Type();
  return number.getType() == type ? number
                                  : arith::TruncIOp::create(b, type, number);
}

static LogicalResult makeDescriptor(ProgramConversion &c,
                                    tt::MakeTensorDescOp op) {
  // Triton asks for it, too; accesses are made of the strides before.
  if (!matchPattern(op.getStrides().back(), m_One()))
    return c.unsupported(op, "a descriptor whose last stride is not the "
                             "constant 1");
  Descriptor descriptor;
  descriptor.memory = c.base(op, op.getBase());
  if (!descriptor.memory)
    return failure();
  descriptor.offset = c.scalar(op.getBase());
  for (Value size : op.getShape())
    descriptor.shape.push_back(c.scalar(size));
  for (Value stride : op.getStrides().drop_back())
    descriptor.strides.push_back(c.asI32(c.scalar(stride)));
  descriptor.fillsNaN = op.getPadding() == tt::PaddingOption::NaN;
  c.descriptors[op.getResult()] = std::move(descriptor);
  return success();
}

namespace {
/// The places of a block, and which of them lie in the tensor.
struct BlockPlaces {
  Descriptor descriptor;
  Value offsets, inside;
};
} // namespace

/// `rows`: of a gather, the row of each element; null: they follow each other from
/// the first index on.
static FailureOr<BlockPlaces> placesOf(ProgramConversion &c, Operation *op,
                                       Value value, ValueRange indices,
                                       RankedTensorType type, Value rows = {}) {
  auto found = c.descriptors.find(value);
  if (found == c.descriptors.end())
    return c.unsupported(op, "a descriptor that a loop carries or a branch "
                             "chooses");
  BlockPlaces places{found->second, {}, {}};
  const Descriptor &descriptor = places.descriptor;
  if (static_cast<size_t>(type.getRank()) != descriptor.shape.size())
    return c.unsupported(op, "a block of another rank than the tensor's");
  ImplicitLocOpBuilder &b = c.b;
  auto at = RankedTensorType::get(type.getShape(), b.getI32Type(),
                                  type.getEncoding());
  auto all = [&](Value scalar) -> Value {
    return titan::SplatOp::create(b, at, scalar);
  };
  Value first = descriptor.offset, along;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    Value place;
    bool last = d + 1 == type.getRank();
    if (d == 0 && rows) {
      place = rows;
    } else {
      Value index = c.scalar(indices[d]);
      Value here = CoordinateOp::create(b, at, b.getI64IntegerAttr(d));
      place = arith::AddIOp::create(b, all(index), here);
    }
    // One comparison for both ends.
    Value in = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, place,
                                     all(descriptor.shape[d]));
    places.inside =
        places.inside ? arith::AndIOp::create(b, places.inside, in) : in;
    Value part =
        last ? place
             : arith::MulIOp::create(b, place, all(descriptor.strides[d]));
    along = along ? arith::AddIOp::create(b, along, part) : part;
  }
  places.offsets = arith::AddIOp::create(b, all(first), along);
  return places;
}

static FailureOr<Value> loadBlock(ProgramConversion &c, Operation *op,
                                  const BlockPlaces &places,
                                  RankedTensorType type) {
  auto load = GlobalLoadOp::create(
      c.b, type, places.descriptor.memory, places.offsets, places.inside,
      CacheOperatorAttr(), L1PriorityAttr(), IntegerAttr(), nullptr);
  markAhead(c, op, places.descriptor.memory, load);
  Value loaded = load;
  if (!places.descriptor.fillsNaN)
    return loaded;
  auto real = cast<FloatType>(type.getElementType());
  Value fill = arith::ConstantOp::create(
      c.b,
      DenseElementsAttr::get(type, APFloat::getNaN(real.getFloatSemantics())));
  return Value(arith::SelectOp::create(c.b, places.inside, loaded, fill));
}

/// The operation's result is what is at the places.
static LogicalResult setLoaded(ProgramConversion &c, Operation *op,
                               FailureOr<BlockPlaces> places,
                               RankedTensorType type) {
  if (failed(places))
    return failure();
  auto loaded = loadBlock(c, op, *places, type);
  if (failed(loaded))
    return failure();
  c.set(op->getResult(0), *loaded);
  return success();
}

static LogicalResult storeBlock(ProgramConversion &c, Value value,
                                FailureOr<BlockPlaces> places) {
  if (failed(places))
    return failure();
  GlobalStoreOp::create(c.b, value, places->descriptor.memory, places->offsets,
                        places->inside, CacheOperatorAttr(), L1PriorityAttr(),
                        nullptr);
  return success();
}

static LogicalResult convertBlockLoad(ProgramConversion &c,
                                      tt::DescriptorLoadOp op) {
  RankedTensorType type = c.typeOf(op.getResult(), c.layouts.of(op));
  return setLoaded(c, op, placesOf(c, op, op.getDesc(), op.getIndices(), type),
                   type);
}

static LogicalResult convertBlockStore(ProgramConversion &c,
                                       tt::DescriptorStoreOp op) {
  auto value = c.tile(op.getSrc(), c.layouts.of(op));
  if (failed(value))
    return failure();
  return storeBlock(c, *value,
                    placesOf(c, op, op.getDesc(), op.getIndices(),
                             cast<RankedTensorType>(value->getType())));
}

/// The word of titan IR; none: there is no word.
static std::optional<AtomicOp> reductionOf(tt::DescriptorReduceKind kind,
                                           bool isUnsigned) {
  switch (kind) {
  case tt::DescriptorReduceKind::Add:
    return AtomicOp::Add;
  case tt::DescriptorReduceKind::Min:
    return isUnsigned ? AtomicOp::MinU : AtomicOp::Min;
  case tt::DescriptorReduceKind::Max:
    return isUnsigned ? AtomicOp::MaxU : AtomicOp::Max;
  case tt::DescriptorReduceKind::And:
    return AtomicOp::And;
  case tt::DescriptorReduceKind::Or:
    return AtomicOp::Or;
  case tt::DescriptorReduceKind::Xor:
    return AtomicOp::Xor;
  case tt::DescriptorReduceKind::None:
  case tt::DescriptorReduceKind::Inc:
  case tt::DescriptorReduceKind::Dec:
    return std::nullopt;
  }
  llvm_unreachable("all are above");
}

static LogicalResult convertBlockReduce(ProgramConversion &c,
                                        tt::DescriptorReduceOp op) {
  auto block = cast<tt::TensorDescType>(op.getDesc().getType()).getBlock();
  auto word =
      reductionOf(op.getKind(), block.getElementType().isUnsignedInteger());
  if (!word)
    return c.unsupported(op, "this reduction of such elements");
  auto value = c.tile(op.getSrc(), c.layouts.of(op));
  if (failed(value))
    return failure();
  auto places = placesOf(c, op, op.getDesc(), op.getIndices(),
                         cast<RankedTensorType>(value->getType()));
  if (failed(places))
    return failure();
  GlobalAtomOp::create(c.b, Type(), *word, *value, places->descriptor.memory,
                       places->offsets, places->inside, MemorySem::Relaxed,
                       MemoryScope::Gpu);
  return success();
}

/// Rows of a matrix: their numbers for each element of the block, its columns from
/// one index on.
template <typename Op>
static FailureOr<BlockPlaces> rowPlaces(ProgramConversion &c, Op op,
                                        RankedTensorType type) {
  auto rows =
      c.tile(op.getXOffsets(),
             View(RankedTensorType::get(type.getShape(), c.b.getI32Type(),
                                        type.getEncoding()),
                  {0}));
  if (failed(rows))
    return failure();
  Value column = op.getYOffset();
  return placesOf(c, op, op.getDesc(), ValueRange({column, column}), type,
                  *rows);
}

static LogicalResult convertRowGather(ProgramConversion &c,
                                      tt::DescriptorGatherOp op) {
  RankedTensorType type = c.typeOf(op.getResult(), c.layouts.of(op));
  return setLoaded(c, op, rowPlaces(c, op, type), type);
}

static LogicalResult convertRowScatter(ProgramConversion &c,
                                       tt::DescriptorScatterOp op) {
  auto value = c.tile(op.getSrc(), c.layouts.of(op));
  if (failed(value))
    return failure();
  return storeBlock(c, *value,
                    rowPlaces(c, op, cast<RankedTensorType>(value->getType())));
}

void titan::populateTritonDescriptors(TritonToTitanTable &table) {
  table.convert<tt::MakeTensorDescOp>(makeDescriptor);
  table.convert<tt::DescriptorLoadOp>(convertBlockLoad);
  table.convert<tt::DescriptorStoreOp>(convertBlockStore);
  table.convert<tt::DescriptorReduceOp>(convertBlockReduce);
  table.convert<tt::DescriptorGatherOp>(convertRowGather);
  table.convert<tt::DescriptorScatterOp>(convertRowScatter);
}
