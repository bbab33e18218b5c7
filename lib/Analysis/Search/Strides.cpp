//===- Strides.cpp - strides that only the launch knows -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Footprints are compared under one stride of each dimension: so far apart that
// no row meets the next, or, where the launch asks for it by an equality, as
// packed as sizes have them. Where one stride does not show what others do, the
// checker says so (needPitches).
//
//===----------------------------------------------------------------------===//
#include "Interpreter.h"

#include "Bounds.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

Number Instantiator::Impl::strideNumber(unsigned tensor, unsigned dimension) {
  auto type =
      cast<GlobalType>(kernel.getLaunch().getArgument(tensor).getType());
  if (int64_t known = type.getStrides()[dimension];
      !ShapedType::isDynamic(known))
    return {known, 0};
  unsigned rank = type.getRank(), inner = rank - 1 - dimension;
  if (packed.contains({tensor, dimension})) {
    Number size = sizeNumber(tensor, dimension + 1),
           next = strideNumber(tensor, dimension + 1);
    uint32_t symbol = symbols.apply(Arith::Mul, 0, 64, 64, next, size, {});
    return {symbol ? 0 : next.value * size.value, symbol};
  }
  return {int64_t(1) << inner *
                            bound::pitchBits[std::min<unsigned>(rank, 4) - 1],
          0};
}

/// titan.stride, perhaps times a constant.
static StrideOp strideOf(Value value) {
  if (auto product = value.getDefiningOp<arith::MulIOp>()) {
    if (getConstantIntValue(product.getRhs()))
      return strideOf(product.getLhs());
    if (getConstantIntValue(product.getLhs()))
      return strideOf(product.getRhs());
  }
  return value.getDefiningOp<StrideOp>();
}

void Instantiator::Impl::findEqualStrides(Value condition,
                                          SmallVectorImpl<StrideOp> &strides) {
  // One side is the stride, the other says nothing of it.
  auto equal = [&](Value a, Value b) {
    for (auto [side, other] : {std::pair(a, b), std::pair(b, a)}) {
      StrideOp stride = strideOf(side);
      llvm::SetVector<Operation *> slice;
      BackwardSliceOptions options;
      options.inclusive = true;
      if (stride && succeeded(getBackwardSlice(other, &slice, options)) &&
          llvm::none_of(slice, [&](Operation *op) {
            auto same = dyn_cast<StrideOp>(op);
            return same && same.getTensor() == stride.getTensor() &&
                   same.getDimension() == stride.getDimension();
          }))
        strides.push_back(stride);
    }
  };
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    findEqualStrides(both.getLhs(), strides);
    findEqualStrides(both.getRhs(), strides);
    return;
  }
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return;
  if (compare.getPredicate() == arith::CmpIPredicate::eq)
    return equal(compare.getLhs(), compare.getRhs());
  // As titan-lower-copies writes it: -max(a - b, b - a) >= 0.
  auto negated = compare.getLhs().getDefiningOp<arith::MulIOp>();
  auto most = negated ? negated.getLhs().getDefiningOp<arith::MaxSIOp>()
                      : arith::MaxSIOp();
  if (compare.getPredicate() != arith::CmpIPredicate::sge || !most ||
      getConstantIntValue(compare.getRhs()) != 0 ||
      getConstantIntValue(negated.getRhs()) != -1)
    return;
  auto there = most.getLhs().getDefiningOp<arith::SubIOp>(),
       back = most.getRhs().getDefiningOp<arith::SubIOp>();
  if (there && back &&
      launchNumbers.lookup(there.getLhs()) ==
          launchNumbers.lookup(back.getRhs()) &&
      launchNumbers.lookup(there.getRhs()) ==
          launchNumbers.lookup(back.getLhs()))
    equal(there.getLhs(), there.getRhs());
}

bool Instantiator::Impl::findPacked() {
  auto before = packed;
  for (auto require : kernel.getLaunch().front().getOps<RequireOp>()) {
    auto broken = [&] {
      auto number = launchNumbers.find(require.getCondition());
      return number != launchNumbers.end() &&
             symbols.value(number->second, parameterValues, 0) == 0;
    };
    SmallVector<StrideOp> strides;
    if (broken())
      findEqualStrides(require.getCondition(), strides);
    // Either the dimension is packed, or all that lie within it are, too.
    for (bool all : {false, true})
      for (StrideOp stride : strides) {
        auto tensor = dyn_cast<BlockArgument>(stride.getTensor());
        if (!tensor || !broken())
          continue;
        unsigned d = stride.getDimension(),
                 end = all ? stride.getTensor().getType().getRank() - 1 : d + 1;
        auto known = packed;
        for (unsigned inner = d; inner < end; ++inner)
          packed.insert({tensor.getArgNumber(), inner});
        readRegion();
        if (broken()) {
          packed = known;
          readRegion();
        }
      }
  }
  return packed != before;
}

std::vector<int64_t> Instantiator::Impl::globalStrides(uint32_t root) {
  unsigned tensor = root - program->sharedRoots;
  auto type = cast<GlobalType>(program->roots[root].getType());
  int64_t bytes = getElementBytes(type.getElementType());
  std::vector<int64_t> strides;
  for (unsigned d = 0; d < type.getRank(); ++d)
    strides.push_back(
        symbols.value(strideNumber(tensor, d), parameterValues, 0).value_or(0) *
        bytes);
  return strides;
}

/// Bytes that boxes have under one stride they have under every one that the
/// launch may give a dimension if what the map reaches within one index of that
/// dimension is no more than what the tensor has there: then indices are the
/// same or not, whatever the stride is.
void Instantiator::Impl::needPitches(const CompiledOp &op, TensorMapOp map,
                                     const MapNumbers &numbers, uint32_t root) {
  unsigned tensor = root - program->sharedRoots;
  auto type = cast<GlobalType>(program->roots[root].getType());
  std::vector<int64_t> pitches = globalStrides(root);
  unsigned rank = pitches.size();
  // How far the map goes along each dimension of the tensor.
  std::vector<uint64_t> reach(rank, 0);
  bool apart = true;
  for (auto [size, stride] : llvm::zip(numbers.sizes, numbers.strides)) {
    int64_t rest = size > 1 ? stride : 0;
    for (unsigned d = 0; d < rank; ++d) {
      reach[d] = llvm::SaturatingMultiplyAdd<uint64_t>(
          std::max<int64_t>(size - 1, 0), rest / pitches[d], reach[d]);
      rest %= pitches[d];
    }
    apart &= rest == 0;
  }
  bool open = false; // The launch decides the stride of some dimension.
  uint64_t within = map.getType().getUnitBytes(),
           has = getElementBytes(type.getElementType());
  for (unsigned d = rank; d-- > 0;) {
    if (ShapedType::isDynamic(type.getStrides()[d]) &&
        !packed.contains({tensor, d})) {
      open = true;
      apart &= within <= has;
    }
    within =
        llvm::SaturatingMultiplyAdd<uint64_t>(reach[d], pitches[d], within);
    int64_t size = here(sizeNumber(tensor, d)).number.value;
    has = llvm::SaturatingMultiplyAdd<uint64_t>(size - 1, pitches[d], has);
  }
  if (open && (numbers.decided || !apart))
    gap(op.op, "how a tensor map with strides that are not computed from the "
               "tensor's (titan.stride), or that goes past the size of a "
               "dimension, lies in a tensor whose strides only the launch "
               "knows");
}
