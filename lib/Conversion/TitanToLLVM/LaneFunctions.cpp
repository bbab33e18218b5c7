//===- LaneFunctions.cpp - values that lane and warp determine ------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a thread's elements are is a function of its lane and warp, which the
// layout's algebra gives as terms (titan/Layout/LaneTerms.h). Here they become
// instructions: the first register's by masks, shifts and products, each further
// one's by one exclusive or or one constant, where that is all that differs.
//
//===----------------------------------------------------------------------===//
#include "titan/Conversion/KernelLowering.h"
#include "titan/Layout/Access.h"
#include "titan/Layout/LaneTerms.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace titan;

/// input / weight % extent * factor. `inputs`: values that the input takes;
/// `mask`: whether it has bits above those.
static Value emitTerm(KernelLowering &kl, const LaneTerm &term, Value input,
                      int64_t inputs, bool mask) {
  bool last = term.weight * term.extent >= inputs;
  bool bits = llvm::isPowerOf2_64(term.weight) &&
              (last || llvm::isPowerOf2_64(term.extent));
  if (!bits) {
    Value value = input;
    if (term.weight > 1)
      value = arith::DivUIOp::create(kl.b, value, kl.i32(term.weight));
    if (!last)
      value = arith::RemUIOp::create(kl.b, value, kl.i32(term.extent));
    return kl.mul(value, term.factor);
  }
  int shift = llvm::Log2_64(term.weight);
  if (mask || !last || shift)
    input = arith::AndIOp::create(
        kl.b, input,
        kl.i32((int64_t(llvm::PowerOf2Ceil(term.extent)) - 1) << shift));
  if (!llvm::isPowerOf2_64(term.factor)) {
    if (shift)
      input = arith::ShRUIOp::create(kl.b, input, kl.i32(shift));
    return arith::MulIOp::create(kl.b, input, kl.i32(term.factor));
  }
  int up = static_cast<int>(llvm::Log2_64(term.factor)) - shift;
  if (up > 0)
    return arith::ShLIOp::create(kl.b, input, kl.i32(up));
  if (up < 0)
    return arith::ShRUIOp::create(kl.b, input, kl.i32(-up));
  return input;
}

std::optional<Value> KernelLowering::laneFunction(const Layout &layout) {
  Result<LaneTerms> terms = laneTerms(layout);
  if (!terms)
    return std::nullopt;
  Value result;
  int64_t used = 0;
  auto join = [&](Value value, int64_t bits) {
    if (!result)
      result = value;
    else if (terms->exclusive && (used & bits))
      result = arith::XOrIOp::create(b, result, value);
    else
      result = arith::AddIOp::create(b, result, value);
    used |= bits;
  };
  for (const LaneTerm &term : terms->terms) {
    bool ofWarp = term.axis == 2;
    // The warp's rank has no further bits; a lane's are taken out of it even
    // where all count, which says so to LLVM.
    Value part = emitTerm(*this, term, ofWarp ? warp() : lane(),
                          ofWarp ? warps() : layout.lanes(), !ofWarp);
    join(part, (int64_t(llvm::PowerOf2Ceil(term.extent)) - 1) * term.factor);
  }
  if (!result)
    return i32((*terms)(0, 0));
  if (terms->origin)
    join(i32(terms->origin), terms->origin);
  Value sum = result;
  for (LaneFold fold : terms->folds)
    result = arith::XOrIOp::create(
        b, result,
        arith::ShRUIOp::create(b, arith::AndIOp::create(b, sum, i32(fold.mask)),
                               i32(fold.down)));
  return result;
}

FailureOr<SmallVector<Value>>
KernelLowering::laneFunctions(Operation *op, ArrayRef<Layout> layouts,
                              Value base, int64_t alignment) {
  Values all;
  // The first values that later ones are a fixed step away from.
  SmallVector<std::pair<size_t, Value>> anchors;
  for (size_t i = 0; i < layouts.size(); ++i) {
    Value value;
    for (auto [k, anchor] : anchors) {
      std::optional<LaneStep> step =
          laneStep(layouts[k], layouts[i], alignment);
      if (!step)
        continue;
      value = anchor;
      if (step->xors) {
        value = arith::XOrIOp::create(b, value, i32(step->xors));
        // Equal exclusive ors at another distance share it.
        value = add(value, i32(step->adds));
        anchors.push_back({i, value});
      } else {
        value = add(value, i32(step->adds));
      }
      break;
    }
    if (!value) {
      std::optional<Value> start = laneFunction(layouts[i]);
      if (!start)
        return unsupported(op,
                           "a tile whose digits overlap under exclusive or");
      value = base ? add(base, *start) : *start;
      anchors.push_back({i, value});
    }
    all.push_back(value);
  }
  return all;
}

FailureOr<SmallVector<Value>>
KernelLowering::tileAddresses(Operation *op, const Layout &tile,
                              TypedValue<SharedType> buffer, int64_t step) {
  Result<std::vector<Layout>> bytes =
      registerBytes(tile, buffer.getType().getLayout(), step);
  if (!bytes)
    return unsupported(op, "a tile in shared memory where " +
                               bytes.problem().message);
  return laneFunctions(op, *bytes, get1(buffer),
                       buffer.getType().getAlignment());
}

FailureOr<Value> KernelLowering::ownerPredicate(Operation *op,
                                                const Layout &layout) {
  Value predicate;
  if (layout.lanes() != target.warpWidth)
    return unsupported(op, "a layout of " + Twine(layout.lanes()) + " lanes");
  Result<std::vector<DigitPlace>> free = layout.freeInputs();
  if (!free)
    return unsupported(op,
                       "owners in a layout where " + free.problem().message);
  for (const DigitPlace &place : *free) {
    if (place.index == 0)
      continue; // registers: their users ask isOwner
    Value input = place.index == 1 ? lane() : warp();
    Value value = arith::RemUIOp::create(
        b, arith::DivUIOp::create(b, input, i32(place.weight)),
        i32(place.extent));
    Value zero =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, value, i32(0));
    predicate = predicate
                    ? arith::AndIOp::create(b, predicate, zero).getResult()
                    : zero;
  }
  if (layout.warps() < warpsHere) {
    Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, warp(),
                                         i32(layout.warps()));
    predicate = predicate
                    ? arith::AndIOp::create(b, predicate, inside).getResult()
                    : inside;
  }
  return predicate;
}
