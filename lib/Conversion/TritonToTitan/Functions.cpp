//===- Functions.cpp - functions of math and of libdevice -----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What PTX has no instruction for, or one that is too rough, is written out in
// arith and math, in f32: a polynomial where the function is nearly a line, and
// elsewhere one of the instructions, or the function of a smaller argument.
// Coefficients are minimax fits; the largest error, in units of the last place, is
// beside each name, measured with exact instructions (of ex2 and rsqrt it is
// theirs in addition: docs/hardware-facts.md):
//
//   tanh     1.6     x + x^3 P(x^2) below 0.55, above 1 - 2 / (e^(2 |x|) + 1)
//   asin     2.2     x + x^3 P(x^2) to 0.5, above pi/2 - 2 asin(sqrt((1 - |x|) / 2))
//   acos     1.3     pi/2 - asin(x), or by the same root
//   atan     1.5     of |x| or 1 / |x|
//   log1p    0.9     of a number between -1/4 and 1/2, and an exponent; from
//                    1.5 * 2^126 on the instruction for the logarithm
//   expm1    4.4     x + x^2 P(x) below 0.5, above e^x - 1
//   sinh     3.9     x + x^3 P(x^2) below 1, above from e^|x|
//   exp10    0.5     2^(x log2 10) in f64, as rounded as a power in f64 is
//   sin, cos 2.5     of what is left of multiples of pi/2, which are taken off in
//                    f64; from 2^50 on, where its digits do not reach, from a
//                    product with as many bits of 2/pi (Payne and Hanek, 1983),
//                    which only warps with such numbers compute
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "titan/Conversion/TitanToLLVM.h"

using namespace mlir;
using namespace titan;

namespace {
/// Floats, or tiles of them, of one type: f32 but for what exp10 computes in f64.
class Formula {
public:
  Formula(ProgramConversion &c, Type type) : c(c), b(c.b), type(type) {}

  Value number(double value) { return number(type, value); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  Value divide(Value x, Value y) {
    return arith::DivFOp::create(b, x, y, arith::FastMathFlags::afn);
  }
  /// Where y is at least 1: 0 for one of which the reciprocal is no normal number.
  Value divideByLarge(Value x, Value y) {
    return arith::DivFOp::create(
        b, x, y, arith::FastMathFlags::afn | arith::FastMathFlags::arcp);
  }
  Value root(Value x) {
    return math::SqrtOp::create(b, x, arith::FastMathFlags::afn);
  }
  Value exp2(Value x) { return math::Exp2Op::create(b, x); }
  /// Where neither x nor the power is a number below 2^-126 that counts.
  Value exp2OfNormal(Value x) {
    return math::Exp2Op::create(b, x, arith::FastMathFlags::afn);
  }
  Value exp(Value x) { return math::ExpOp::create(b, x); }
  Value magnitude(Value x) { return math::AbsFOp::create(b, x); }
  Value withSign(Value x, Value sign) {
    return math::CopySignOp::create(b, x, sign);
  }
  Value choose(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value less(Value x, double y) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, number(y));
  }
  /// c[0] + c[1] x + ...
  Value polynomial(Value x, ArrayRef<double> c) {
    Value sum = number(c.back());
    for (double next : llvm::reverse(c.drop_back()))
      sum = fma(sum, x, number(next));
    return sum;
  }
  /// x + x^3 P(x^2)
  Value odd(Value x, Value square, ArrayRef<double> c) {
    return fma(mul(x, square), polynomial(square, c), x);
  }

  Value tanh(Value x);
  Value asin(Value x);
  Value acos(Value x);
  Value atan(Value x);
  Value log1p(Value x);
  Value expm1(Value x);
  Value sinh(Value x);
  Value cosh(Value x);
  Value exp10(Value x);
  Value circle(Value x, bool cosine);

private:
  ReducedAngle reduce(Value x);
  /// Of numbers of at least 2^27 whose bits, without the sign, are `size`.
  ReducedAngle reduceLarge(Value x, Value size);
  Value longer(int64_t value) {
    return constant(as(b.getI64Type()), b.getI64IntegerAttr(value));
  }
  Type as(Type element) const {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile ? Type(tile.clone(element)) : element;
  }
  Value constant(Type of, TypedAttr value) {
    if (auto tile = dyn_cast<RankedTensorType>(of))
      return arith::ConstantOp::create(b, DenseElementsAttr::get(tile, value));
    return arith::ConstantOp::create(b, value);
  }
  Value number(Type of, double value) {
    return constant(of, b.getFloatAttr(getElementTypeOrSelf(of), value));
  }
  Value integer(uint32_t value) {
    return constant(as(b.getI32Type()),
                    b.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  struct Arc {
    Value small, value, wide;
  };
  Arc arc(Value x);

  ProgramConversion &c;
  ImplicitLocOpBuilder &b;
  Type type;
};
} // namespace

constexpr double pi = 3.14159265358979323846, log2e = 1.4426950408889634;

Value Formula::tanh(Value x) {
  Value size = magnitude(x);
  Value low = odd(size, mul(x, x),
                  {-0x1.55554ap-2, 0x1.110cb2p-3, -0x1.b91370p-5, 0x1.58827ep-6,
                   -0x1.96cf20p-8});
  Value power = exp2OfNormal(mul(size, number(2 * log2e)));
  Value high = sub(number(1), divideByLarge(number(2), add(power, number(1))));
  return withSign(choose(less(size, 0.55), low, high), x);
}

/// asin of |x|, where it is `small`, or of the root of (1 - |x|) / 2.
Formula::Arc Formula::arc(Value x) {
  Value size = magnitude(x), half = number(0.5);
  Value small = less(size, 0.5);
  Value square = choose(small, mul(x, x), fma(number(-0.5), size, half));
  Value value = odd(choose(small, size, root(square)), square,
                    {0x1.55554cp-3, 0x1.33388ep-4, 0x1.6cac3cp-5, 0x1.04a65ap-5,
                     0x1.d7f216p-7, 0x1.33bbd6p-5});
  return {small, value, add(value, value)};
}

Value Formula::asin(Value x) {
  Arc angle = arc(x);
  return withSign(
      choose(angle.small, angle.value, sub(number(pi / 2), angle.wide)), x);
}

Value Formula::acos(Value x) {
  Arc angle = arc(x);
  Value near = sub(number(pi / 2), withSign(angle.value, x));
  Value far = choose(less(x, 0), sub(number(pi), angle.wide), angle.wide);
  return choose(angle.small, near, far);
}

Value Formula::atan(Value x) {
  Value size = magnitude(x);
  Value inside =
      arith::CmpFOp::create(b, arith::CmpFPredicate::ULE, size, number(1));
  Value z = choose(inside, size, divide(number(1), size));
  Value angle = odd(z, mul(z, z),
                    {-0x1.55554p-2, 0x1.999276p-3, -0x1.2426f6p-3,
                     0x1.c0d268p-4, -0x1.58dc1cp-4, 0x1.dd0d98p-5,
                     -0x1.01ae44p-5, 0x1.6a8cd8p-7, -0x1.def9d8p-10});
  return withSign(choose(inside, angle, sub(number(pi / 2), angle)), x);
}

/// 1 + x = 2^k (1 + m), m from -1/4 to 1/2.
Value Formula::log1p(Value x) {
  Type bits = as(b.getI32Type());
  Value sum = add(x, number(1));
  Value k = arith::AndIOp::create(
      b,
      arith::SubIOp::create(b, arith::BitcastOp::create(b, bits, sum),
                            integer(0x3f400000)),
      integer(0xff800000));
  Value scale = arith::BitcastOp::create(
      b, type, arith::SubIOp::create(b, integer(0x3f800000), k));
  Value m = fma(x, scale, sub(scale, number(1)));
  Value result = fma(
      mul(m, m),
      polynomial(m, {-0x1.fffffep-2, 0x1.55555ap-2, -0x1.0000ccp-2,
                     0x1.9998f4p-3, -0x1.5509bp-3, 0x1.242b18p-3, -0x1.04eadp-3,
                     0x1.e315fp-4, -0x1.7afde4p-4, 0x1.39c944p-5}),
      m);
  Value exponent = arith::SIToFPOp::create(
      b, type, arith::ShRSIOp::create(b, k, integer(23)));
  result = fma(exponent, number(0.69314718055994531), result);
  // The instruction for what has no logarithm, for -1, and from 1.5 * 2^126 on, where
  // the scale is no number any more: bits of a sum between them are below those of it.
  Value one = integer(1);
  Value plain = arith::CmpIOp::create(
      b, arith::CmpIPredicate::ult,
      arith::SubIOp::create(b, arith::BitcastOp::create(b, bits, sum), one),
      integer(0x7ec00000 - 1));
  return choose(plain, result,
                math::LogOp::create(b, sum, arith::FastMathFlags::afn));
}

Value Formula::expm1(Value x) {
  Value low =
      fma(mul(x, x),
          polynomial(x, {0x1.000002p-1, 0x1.555558p-3, 0x1.55528p-5,
                         0x1.110eecp-7, 0x1.6eef98p-10, 0x1.a34206p-13}),
          x);
  return choose(less(magnitude(x), 0.5), low, sub(exp(x), number(1)));
}

Value Formula::sinh(Value x) {
  Value size = magnitude(x);
  Value low = odd(size, mul(x, x),
                  {0x1.555556p-3, 0x1.11111p-7, 0x1.a01a26p-13, 0x1.71cc2cp-19,
                   0x1.b6996p-26});
  // e^|x| / 2 at once: twice as much may be infinite.
  Value power = exp2(fma(size, number(log2e), number(-1)));
  Value high = sub(power, divide(number(0.25), power));
  return withSign(choose(less(size, 1), low, high), x);
}

Value Formula::cosh(Value x) {
  Value power = exp2(fma(magnitude(x), number(log2e), number(-1)));
  return add(power, divide(number(0.25), power));
}

Value Formula::exp10(Value x) {
  // From 64 and from -64 on it is what it is there.
  x = arith::MaximumFOp::create(b, arith::MinimumFOp::create(b, x, number(64)),
                                number(-64));
  Formula wide(c, as(b.getF64Type()));
  Value exact = arith::ExtFOp::create(b, wide.type, x);
  // log2 10, and what its f64 leaves of it.
  Value log = wide.number(0x1.a934f0979a371p+1);
  Value whole = math::RoundEvenOp::create(b, wide.mul(exact, log));
  Value rest = wide.fma(exact, log, arith::NegFOp::create(b, whole));
  rest = wide.fma(exact, wide.number(0x1.7f2495fb7fa6dp-53), rest);
  // (ln 2)^k / k!
  Value power = wide.polynomial(
      rest,
      {1, 0x1.62e42fefa39efp-1, 0x1.ebfbdff82c58fp-3, 0x1.c6b08d704a0cp-5,
       0x1.3b2ab6fba4e77p-7, 0x1.5d87fe78a6731p-10, 0x1.430912f86c787p-13,
       0x1.ffcbfc588b0c7p-17, 0x1.62c0223a5c824p-20, 0x1.b5253d395e7c4p-24,
       0x1.e4cf5158b8ecap-28, 0x1.e8cac7351bb25p-32, 0x1.c3bd650fc2986p-36,
       0x1.816193166d0f9p-40});
  // 2^whole, by the last bits of the sum with 3 * 2^51 as its exponent.
  Value bits = arith::BitcastOp::create(b, as(b.getI64Type()),
                                        wide.add(whole, wide.number(0x1.8p52)));
  Value scale = arith::ShLIOp::create(
      b, arith::AddIOp::create(b, bits, longer(1023)), longer(52));
  return arith::TruncFOp::create(
      b, type, wide.mul(power, arith::BitcastOp::create(b, wide.type, scale)));
}

/// 2/pi * 2^224, the upper word first.
static constexpr uint64_t twoOverPi[] = {0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                         0xf534ddc0, 0xdb629599, 0x3c439041,
                                         0xfe5163ab};

/// x is m 2^e, m an integer below 2^24. Bits of 2/pi that make multiples of 4 with it
/// are left out: 96 bits behind them, times m, modulo 2^64 above the lower 32 of the
/// product, are the quadrant and 62 bits behind it; at least 31 of these count.
ReducedAngle Formula::reduceLarge(Value x, Value size) {
  Type i64 = as(b.getI64Type()), bits = as(b.getI32Type());
  auto wide = [&](Value value) -> Value {
    return arith::ExtUIOp::create(b, i64, value);
  };
  auto both = [&](Value value, uint32_t mask) -> Value {
    return arith::AndIOp::create(b, value, integer(mask));
  };
  // Of exponents that are no such number's, any.
  Value first =
      both(arith::SubIOp::create(
               b, arith::ShRUIOp::create(b, size, integer(23)), integer(152)),
           127);
  auto is = [&](uint32_t bit) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, both(first, bit),
                                 integer(0));
  };
  Value odd = is(32), upper = is(64);
  auto words = [&](unsigned from) {
    auto pair = [&](unsigned i) {
      return longer(
          static_cast<int64_t>(twoOverPi[i] << 32 | twoOverPi[i + 1]));
    };
    return choose(upper, choose(odd, pair(from + 3), pair(from + 2)),
                  choose(odd, pair(from + 1), pair(from)));
  };
  Value high = words(0), low = words(2), by = wide(both(first, 31));
  high = arith::OrIOp::create(
      b, arith::ShLIOp::create(b, high, by),
      arith::ShRUIOp::create(b, arith::ShRUIOp::create(b, low, longer(1)),
                             arith::SubIOp::create(b, longer(63), by)));
  low =
      arith::ShRUIOp::create(b, arith::ShLIOp::create(b, low, by), longer(32));
  Value m =
      wide(arith::OrIOp::create(b, both(size, 0x7fffff), integer(0x800000)));
  Value product = arith::AddIOp::create(
      b, arith::MulIOp::create(b, m, high),
      arith::ShRUIOp::create(b, arith::MulIOp::create(b, m, low), longer(32)));
  product =
      choose(less(x, 0), arith::SubIOp::create(b, longer(0), product), product);
  Value quadrant = arith::TruncIOp::create(
      b, bits,
      arith::ShRUIOp::create(
          b, arith::AddIOp::create(b, product, longer(int64_t(1) << 61)),
          longer(62)));
  // The bits behind the quadrant as a number from -1/2 to 1/2.
  Type exact = as(b.getF64Type());
  Value part = arith::SIToFPOp::create(
      b, exact, arith::ShLIOp::create(b, product, longer(2)));
  Value rest = arith::TruncFOp::create(
      b, type, arith::MulFOp::create(b, part, number(exact, pi / 2 * 0x1p-64)));
  return {rest, quadrant};
}

ReducedAngle Formula::reduce(Value x) {
  Type wide = as(b.getF64Type()), bits = as(b.getI32Type());
  Value exact = arith::ExtFOp::create(b, wide, x);
  Value turns = math::RoundEvenOp::create(
      b, arith::MulFOp::create(b, exact, number(wide, 2 / pi)));
  Value rest = exact;
  for (double part : {-0x1.921fb54442d18p+0, -0x1.1a62633145c07p-54})
    rest = math::FmaOp::create(b, turns, number(wide, part), rest);
  // A quadrant is the turns' last two bits: those of the sum with 3 * 2^51.
  Value shifted = arith::AddFOp::create(b, turns, number(wide, 0x1.8p52));
  Type i64 = as(b.getI64Type());
  Value quadrant = arith::TruncIOp::create(
      b, bits, arith::BitcastOp::create(b, i64, shifted));
  Value r = arith::TruncFOp::create(b, type, rest);
  // From 2^50 on, but for infinities and what is no number.
  auto sizeOf = [&](Value of) -> Value {
    return arith::AndIOp::create(b, arith::BitcastOp::create(b, bits, of),
                                 integer(0x7fffffff));
  };
  auto isLarge = [&](Value size) -> Value {
    return arith::CmpIOp::create(
        b, arith::CmpIPredicate::ult,
        arith::SubIOp::create(b, size, integer(177 << 23)), integer(78 << 23));
  };
  Value large = isLarge(sizeOf(x));
  // Such a number takes the place of its rest, which is none, across the branch, so
  // that no registers are kept for it: no rest is large.
  r = choose(large, x, r);
  Value any = isa<RankedTensorType>(type)
                  ? Value(AnyOp::create(b, b.getI1Type(), large))
                  : large;
  auto branch = scf::IfOp::create(b, TypeRange{type, bits}, any,
                                  /*withElseRegion=*/true);
  branch->setAttr(oneByOne, b.getUnitAttr());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value size = sizeOf(r);
    Value large = isLarge(size);
    ReducedAngle angle = reduceLarge(r, size);
    scf::YieldOp::create(b,
                         ValueRange{choose(large, angle.rest, r),
                                    choose(large, angle.quadrant, quadrant)});
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, ValueRange{r, quadrant});
  }
  return {branch.getResult(0), branch.getResult(1)};
}

/// Whether what `op` yields may be used where `b` builds.
static bool isAvailable(OpBuilder &b, Operation *op) {
  Block *block = op->getBlock();
  if (block == b.getInsertionBlock())
    return b.getInsertionPoint() == block->end() ||
           op->isBeforeInBlock(&*b.getInsertionPoint());
  Operation *around =
      block->findAncestorOpInBlock(*b.getInsertionBlock()->getParentOp());
  return around && op->isBeforeInBlock(around);
}

Value Formula::circle(Value x, bool cosine) {
  // Sine and cosine of one number share it: LLVM does not make one branch of two.
  ReducedAngle &angle = c.angles[x];
  if (!angle.rest || !isAvailable(b, angle.rest.getDefiningOp()))
    angle = reduce(x);
  auto [r, quadrant] = angle;
  Value square = mul(r, r);
  Value sine =
      odd(r, square,
          {-0x1.555556p-3, 0x1.111108p-7, -0x1.a00f68p-13, 0x1.6ccbb2p-19});
  Value cosineOf = fma(mul(square, square),
                       polynomial(square, {0x1.555556p-5, -0x1.6c16b8p-10,
                                           0x1.a010f4p-16, -0x1.242170p-22}),
                       fma(square, number(-0.5), number(1)));
  auto bit = [&](Value of, uint32_t which) -> Value {
    Value kept = arith::AndIOp::create(b, of, integer(which));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, kept, integer(0));
  };
  if (cosine)
    quadrant = arith::AddIOp::create(b, quadrant, integer(1));
  Value result = choose(bit(quadrant, 1), cosineOf, sine);
  return choose(bit(quadrant, 2), arith::NegFOp::create(b, result), result);
}

Value titan::writeOutFunction(ProgramConversion &c, StringRef name, Value x) {
  Type type = x.getType();
  if (!getElementTypeOrSelf(type).isF32())
    return {};
  using Make = Value (*)(Formula &, Value);
  static constexpr std::pair<StringLiteral, Make> functions[] = {
      {"tanh", [](Formula &f, Value x) { return f.tanh(x); }},
      {"asin", [](Formula &f, Value x) { return f.asin(x); }},
      {"acos", [](Formula &f, Value x) { return f.acos(x); }},
      {"atan", [](Formula &f, Value x) { return f.atan(x); }},
      {"log1p", [](Formula &f, Value x) { return f.log1p(x); }},
      {"expm1", [](Formula &f, Value x) { return f.expm1(x); }},
      {"sinh", [](Formula &f, Value x) { return f.sinh(x); }},
      {"cosh", [](Formula &f, Value x) { return f.cosh(x); }},
      {"exp10", [](Formula &f, Value x) { return f.exp10(x); }},
      {"sin", [](Formula &f, Value x) { return f.circle(x, false); }},
      {"cos", [](Formula &f, Value x) { return f.circle(x, true); }}};
  Formula formula(c, type);
  for (auto [each, make] : functions)
    if (each == name)
      return make(formula, x);
  return {};
}
