//===- ReferenceFloats.cpp - fp8 numbers in a reference -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM has no fp8. Its bits, moved to where an f16 has them, are an f16:
//
//              byte            f16                    is the number times
//   f8E5M2     s eeeee mm      s eeeee mm00000000     1
//   f8E4M3FN   s eeee mmm      s 0eeee mmm0000000     2^-8 (biases 15 and 7)
//
// numbers without a leading 1 included. S.1111.111 alone is a NaN of f8E4M3FN.
//
//===----------------------------------------------------------------------===//
#include "ReferenceFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace {

bool isFp8(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }

void widen(arith::ExtFOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Type i8 = b.getI8Type(), i16 = b.getI16Type(), f16 = b.getF16Type(),
       f32 = b.getF32Type();
  auto bits = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, i16, value);
  };
  auto number = [&](double value) -> Value {
    return arith::ConstantFloatOp::create(b, cast<FloatType>(f32),
                                          APFloat(static_cast<float>(value)));
  };
  auto asNumber = [&](Value moved) -> Value {
    Value half = arith::BitcastOp::create(b, f16, moved);
    return arith::ExtFOp::create(b, f32, half);
  };
  Value byte = arith::BitcastOp::create(b, i8, op.getIn());
  byte = arith::ExtUIOp::create(b, i16, byte);
  Value result;
  if (isa<Float8E5M2Type>(op.getIn().getType())) {
    result = asNumber(arith::ShLIOp::create(b, byte, bits(8)));
  } else {
    Value rest = arith::AndIOp::create(b, byte, bits(0x7f));
    Value sign = arith::AndIOp::create(b, byte, bits(0x80));
    sign = arith::ShLIOp::create(b, sign, bits(8));
    Value moved = arith::ShLIOp::create(b, rest, bits(7));
    Value small = asNumber(arith::OrIOp::create(b, sign, moved));
    Value isNan =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rest, bits(0x7f));
    result = arith::SelectOp::create(
        b, isNan, number(std::numeric_limits<double>::quiet_NaN()),
        arith::MulFOp::create(b, small, number(256)));
  }
  // Exact in each of them.
  unsigned width = cast<FloatType>(op.getType()).getWidth();
  if (width > 32)
    result = arith::ExtFOp::create(b, op.getType(), result);
  else if (width < 32)
    result = arith::TruncFOp::create(b, op.getType(), result);
  op.replaceAllUsesWith(result);
  op.erase();
}

struct ExpandFp8 : PassWrapper<ExpandFp8, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandFp8)

  StringRef getArgument() const override { return "titan-expand-fp8"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect>();
  }

  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (!isa_and_present<arith::ArithDialect, math::MathDialect>(
              op->getDialect()) ||
          isa<arith::BitcastOp, arith::SelectOp, arith::ConstantOp>(op))
        return;
      auto extend = dyn_cast<arith::ExtFOp>(op);
      if (extend && isFp8(extend.getIn().getType())) {
        widen(extend);
        return;
      }
      if (!llvm::any_of(op->getOperandTypes(), isFp8) &&
          !llvm::any_of(op->getResultTypes(), isFp8))
        return;
      op->emitError() << "a reference computes no '" << op->getName()
                      << "' of fp8: widen by arith.extf, compute in f32 or "
                         "f64, and expect that: it is rounded to the tensor's "
                         "type when it is compared";
      signalPassFailure();
    });
  }
};

} // namespace

std::unique_ptr<Pass> titan::createExpandFp8Pass() {
  return std::make_unique<ExpandFp8>();
}
