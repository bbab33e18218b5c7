//===- Elementwise.cpp - arith, math and tt's own, element by element -----===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// arith and math are the same operations on tiles. One of tt says in `Same` what
// it is of them, given its operands as scalars or as tiles of one layout.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "titan/Dialect/Triton/DeviceFunctions.h"
#include "titan/Layout/Rows.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace titan;

/// What an operation of tt is, of these operands; null, and an error: nothing.
using Same =
    llvm::function_ref<Value(ProgramConversion &, ValueRange, Type result)>;

static FailureOr<SmallVector<Value>> tilesOf(ProgramConversion &c,
                                             Operation *op, const View &view) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType())) {
      operands.push_back(c.scalar(operand));
      continue;
    }
    auto tile = c.tile(operand, view.of(c.elementOf(operand.getType())));
    if (failed(tile))
      return failure();
    operands.push_back(*tile);
  }
  return operands;
}

/// Triton's GPU compiler fuses products and sums of floats (enable_fp_fusion); its
/// division and its square root, but for tt.precise_divf and tt.precise_sqrt, are
/// div.full and sqrt.approx.
static void addFastMath(ProgramConversion &c, Operation *op) {
  using Flags = arith::FastMathFlags;
  Flags flags =
      isa<arith::DivFOp, math::SqrtOp>(op) ? Flags::afn
      : c.options.fusion && isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op)
          ? Flags::contract
          : Flags::none;
  auto interface = dyn_cast<arith::ArithFastMathInterface>(op);
  if (!interface || flags == Flags::none)
    return;
  flags = flags | interface.getFastMathFlagsAttr().getValue();
  op->setAttr(interface.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(c.b.getContext(), flags));
}

Operation *titan::repeatOperation(ProgramConversion &c, Operation *op,
                                  ValueRange operands, TypeRange results) {
  OperationState state(c.b.getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(results);
  for (NamedAttribute each : op->getAttrs())
    if (!each.getName().strref().starts_with("tt."))
      state.addAttribute(each.getName(), each.getValue());
  Operation *made = c.b.create(state);
  addFastMath(c, made);
  return made;
}

/// `number` as a scalar or tile of that type.
static Value constantLike(ProgramConversion &c, Type type, TypedAttr number) {
  if (auto tile = dyn_cast<RankedTensorType>(type))
    return arith::ConstantOp::create(c.b, DenseElementsAttr::get(tile, number));
  return arith::ConstantOp::create(c.b, number);
}

static bool isConstant(Value value) {
  return matchPattern(value, m_Constant());
}

/// Masked elements hold anything, and come by quotients and shifts, too. Those that
/// have no result are made others: a divisor of 0, or of -1 under the least number, is
/// 1, and a shift is taken modulo the width.
static void makeTotal(ProgramConversion &c, Operation *op,
                      SmallVector<Value> &operands) {
  if (op->getNumOperands() != 2 || isConstant(operands[1]))
    return;
  Type type = operands[1].getType();
  auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  if (!element)
    return;
  auto constant = [&](const APInt &of) {
    return constantLike(c, type, c.b.getIntegerAttr(element, of));
  };
  unsigned width = element.getWidth();
  if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op)) {
    // Widths are powers of two.
    operands[1] = arith::AndIOp::create(c.b, operands[1],
                                        constant(APInt(width, width - 1)));
    return;
  }
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp, arith::FloorDivSIOp,
                      arith::CeilDivSIOp>(op);
  if (!isSigned && !isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op))
    return;
  auto equal = [&](Value value, const APInt &number) {
    return Value(arith::CmpIOp::create(c.b, arith::CmpIPredicate::eq, value,
                                       constant(number)));
  };
  Value bad = equal(operands[1], APInt(width, 0));
  if (isSigned)
    bad = arith::OrIOp::create(
        c.b, bad,
        arith::AndIOp::create(
            c.b, equal(operands[0], APInt::getSignedMinValue(width)),
            equal(operands[1], APInt::getAllOnes(width))));
  operands[1] =
      arith::SelectOp::create(c.b, bad, constant(APInt(width, 1)), operands[1]);
}

/// A float as an integer: the nearest one where it does not fit, 0 for a NaN. The
/// operation itself has no result there.
static Value toInteger(ProgramConversion &c, Operation *op, Value value,
                       Type type) {
  Type reals = value.getType();
  auto real = cast<FloatType>(getElementTypeOrSelf(reals));
  auto integer = cast<IntegerType>(getElementTypeOrSelf(type));
  unsigned width = integer.getWidth();
  bool isSigned = isa<arith::FPToSIOp>(op);
  // Numbers between -2^(w - 1) - 1 and 2^(w - 1), or between -1 and 2^w, fit; where
  // the lower one is no float, the one above it is the least that fits.
  const llvm::fltSemantics &semantics = real.getFloatSemantics();
  auto power = [&](unsigned exponent) {
    return scalbn(APFloat::getOne(semantics), static_cast<int>(exponent),
                  APFloat::rmNearestTiesToEven);
  };
  APFloat least = isSigned ? power(width - 1) : APFloat::getZero(semantics);
  least.changeSign();
  APFloat lower = least;
  bool isFloat =
      lower.subtract(APFloat::getOne(semantics),
                     APFloat::rmNearestTiesToEven) == APFloat::opOK &&
      lower < least;
  // No number of the format is below an infinity.
  bool open = isFloat || least.isInfinity();
  using Predicate = arith::CmpFPredicate;
  auto compare = [&](Predicate predicate, const APFloat &bound) -> Value {
    return arith::CmpFOp::create(
        c.b, predicate, value,
        constantLike(c, reals, c.b.getFloatAttr(real, bound)));
  };
  Value low =
      compare(open ? Predicate::OLE : Predicate::OLT, isFloat ? lower : least);
  Value high = compare(Predicate::OGE, power(width - isSigned));
  Value fits = arith::AndIOp::create(
      c.b,
      compare(open ? Predicate::OGT : Predicate::OGE, isFloat ? lower : least),
      compare(Predicate::OLT, power(width - isSigned)));
  Value zero = constantLike(c, reals, c.b.getFloatAttr(real, 0));
  Value safe = arith::SelectOp::create(c.b, fits, value, zero);
  Value number = repeatOperation(c, op, safe, type)->getResult(0);
  auto constant = [&](const APInt &of) {
    return constantLike(c, type, c.b.getIntegerAttr(integer, of));
  };
  number = arith::SelectOp::create(
      c.b, low,
      constant(isSigned ? APInt::getSignedMinValue(width) : APInt(width, 0)),
      number);
  return arith::SelectOp::create(c.b, high,
                                 constant(isSigned
                                              ? APInt::getSignedMaxValue(width)
                                              : APInt::getMaxValue(width)),
                                 number);
}

/// A constant of these elements.
static Value constantOf(ProgramConversion &c, arith::ConstantOp op,
                        const View &view) {
  RankedTensorType type = view.type;
  auto elements = cast<DenseElementsAttr>(op.getValue());
  if (elements.isSplat())
    return arith::ConstantOp::create(
        c.b, DenseElementsAttr::get(type, elements.getSplatValue<Attribute>()));
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getType()).getShape();
  auto values = elements.getValues<Attribute>();
  SmallVector<Attribute> all;
  SmallVector<int64_t> place(type.getRank());
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    int64_t rest = i, at = 0;
    for (int64_t d = type.getRank(); d-- > 0; rest /= type.getDimSize(d))
      place[d] = rest % type.getDimSize(d);
    for (auto [extent, d] : llvm::zip(shape, view.dims))
      at = at * extent + (extent == 1 ? 0 : place[d]);
    all.push_back(values[at]);
  }
  return arith::ConstantOp::create(c.b, DenseElementsAttr::get(type, all));
}

/// A quotient of which a thread has several copies side by side: one of them, and no
/// data moves. Null: it has none.
static FailureOr<Value> makeOnce(ProgramConversion &c, Operation *op,
                                 ArrayRef<Value> operands, const View &view) {
  Result<Layout> layout = getTileLayout(view.type);
  if (!layout)
    return Value();
  for (auto [from, to] : llvm::enumerate(view.dims)) {
    int64_t extent = view.type.getDimSize(to);
    int dim = static_cast<int>(to);
    for (int64_t count = std::min(c.layouts.copies(op, from), extent);
         count > 1; count /= 2) {
      SmallVector<int64_t> shape(view.type.getShape());
      shape[dim] /= count;
      shape.insert(shape.begin() + dim + 1, count);
      auto cut = layout->canonical().reshaped({shape.begin(), shape.end()});
      auto digits = cut ? digitsAlong(*cut, dim + 1)
                        : Result<std::vector<RowDigit>>(cut.problem());
      if (!digits || llvm::any_of(*digits, [](const RowDigit &digit) {
            return digit.axis != 0;
          }))
        continue;
      SmallVector<int64_t> offsets(shape.size(), 0), thin(shape);
      thin[dim + 1] = 1;
      auto part = cut->slice({offsets.begin(), offsets.end()},
                             {thin.begin(), thin.end()});
      if (!part)
        continue;
      auto as = [&](ArrayRef<int64_t> extents, const Layout &of, Type element) {
        return RankedTensorType::get(
            extents, element, LayoutTextAttr::get(op->getContext(), of.str()));
      };
      SmallVector<Value> firsts;
      for (Value operand : operands) {
        Type element = getElementTypeOrSelf(operand.getType());
        Value whole = c.relabel(operand, as(shape, *cut, element));
        firsts.push_back(ExtractOp::create(c.b, as(thin, part->layout, element),
                                           whole, offsets));
      }
      Type element = view.type.getElementType();
      RankedTensorType whole = as(shape, *cut, element),
                       row = ProgramConversion::without(whole, dim + 1);
      makeTotal(c, op, firsts);
      Value one =
          repeatOperation(c, op, firsts, Type(as(thin, part->layout, element)))
              ->getResult(0);
      auto all = c.repeat(c.relabel(one, row), whole, dim + 1);
      if (failed(all))
        return failure();
      return c.relabel(*all, view.type);
    }
  }
  return Value();
}

FailureOr<Value> titan::makeElementwise(ProgramConversion &c, Operation *op,
                                        const View &view) {
  auto operands = tilesOf(c, op, view);
  if (failed(operands))
    return failure();
  if (auto once = makeOnce(c, op, *operands, view); failed(once) || *once)
    return once;
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    return toInteger(c, op, operands->front(), view.type);
  makeTotal(c, op, *operands);
  return repeatOperation(c, op, *operands, Type(view.type))->getResult(0);
}

LogicalResult titan::convertElementwise(ProgramConversion &c, Operation *op) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      return c.unsupported(op, Twine("'") + op->getName().getStringRef() +
                                   "' of several results, on tensors");
    else
      operands.push_back(c.scalar(operand));
  SmallVector<Type> types;
  for (Value result : op->getResults())
    types.push_back(c.elementOf(result.getType()));
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op)) {
    c.set(op->getResult(0), toInteger(c, op, operands[0], types[0]));
    return success();
  }
  Operation *now = repeatOperation(c, op, operands, types);
  for (auto [old, result] : llvm::zip(op->getResults(), now->getResults()))
    c.set(old, result);
  return success();
}

//===----------------------------------------------------------------------===//
// tt's own
//===----------------------------------------------------------------------===//

template <typename Op, typename Function>
static void addElementwise(TritonToTitanTable &table, Function same) {
  table.convert<Op>([same](ProgramConversion &c, Op op) -> LogicalResult {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(c.scalar(operand));
    Value result = same(c, op, ValueRange(operands),
                        c.elementOf(op->getResult(0).getType()));
    if (!result)
      return failure();
    c.set(op->getResult(0), result);
    return success();
  });
  table.make<Op>([same](ProgramConversion &c, Op op,
                        const View &view) -> FailureOr<Value> {
    auto operands = tilesOf(c, op, view);
    if (failed(operands))
      return failure();
    Value result = same(c, op, ValueRange(*operands), Type(view.type));
    if (!result)
      return failure();
    return result;
  });
}

/// f32 is between all other floats.
static Value floatTo(ProgramConversion &c, Value value, Type type) {
  auto width = [](Type of) {
    return getElementTypeOrSelf(of).getIntOrFloatBitWidth();
  };
  Type from = value.getType();
  if (from == type)
    return value;
  if (width(from) < width(type))
    return arith::ExtFOp::create(c.b, type, value);
  if (width(from) > width(type))
    return arith::TruncFOp::create(c.b, type, value);
  auto tile = dyn_cast<RankedTensorType>(type);
  Type middle = c.b.getF32Type();
  if (tile)
    middle = RankedTensorType::get(tile.getShape(), middle, tile.getEncoding());
  return floatTo(c, floatTo(c, value, middle), type);
}

static Value convertFloat(ProgramConversion &c, tt::FpToFpOp op, ValueRange in,
                          Type type) {
  Value nearest = floatTo(c, in[0], type);
  if (op.getRounding() != tt::RoundingMode::TowardZero)
    return nearest;
  // Where that is away from zero, the neighbour that is not: the bits before it.
  auto as = [&](Type element) -> Type {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile ? Type(tile.clone(element)) : element;
  };
  Type bits = as(
      c.b.getIntegerType(getElementTypeOrSelf(type).getIntOrFloatBitWidth()));
  Value back = floatTo(c, nearest, in[0].getType());
  Value away = arith::CmpFOp::create(c.b, arith::CmpFPredicate::OGT,
                                     math::AbsFOp::create(c.b, back),
                                     math::AbsFOp::create(c.b, in[0]));
  Value one =
      constantLike(c, bits, c.b.getIntegerAttr(getElementTypeOrSelf(bits), 1));
  Value before = arith::SubIOp::create(
      c.b, arith::BitcastOp::create(c.b, bits, nearest), one);
  return arith::SelectOp::create(
      c.b, away, arith::BitcastOp::create(c.b, type, before), nearest);
}

static Value clamp(ProgramConversion &c, tt::ClampFOp op, ValueRange in, Type) {
  if (op.getPropagateNan() == tt::PropagateNan::All)
    return arith::MinimumFOp::create(
        c.b, arith::MaximumFOp::create(c.b, in[0], in[1]), in[2]);
  return arith::MinNumFOp::create(
      c.b, arith::MaxNumFOp::create(c.b, in[0], in[1]), in[2]);
}

/// The bits of a float, or of a tensor of them, as integers.
static Value bitsOf(ProgramConversion &c, Value x) {
  Type type = x.getType();
  Type bits =
      c.b.getIntegerType(getElementTypeOrSelf(type).getIntOrFloatBitWidth());
  if (auto tile = dyn_cast<RankedTensorType>(type))
    bits = tile.clone(bits);
  return arith::BitcastOp::create(c.b, bits, x);
}

static Value integerLike(ProgramConversion &c, Type type, int64_t value) {
  return constantLike(c, type,
                      c.b.getIntegerAttr(getElementTypeOrSelf(type), value));
}

/// The number next to x on the way to y: of numbers of one sign, larger ones have
/// larger bits.
static Value nextAfter(ProgramConversion &c, Value x, Value y) {
  using arith::CmpFPredicate;
  Type type = x.getType();
  Value from = bitsOf(c, x), to = bitsOf(c, y);
  Type bits = from.getType();
  unsigned width = getElementTypeOrSelf(bits).getIntOrFloatBitWidth();
  auto compare = [&](CmpFPredicate predicate, Value a, Value b) -> Value {
    return arith::CmpFOp::create(c.b, predicate, a, b);
  };
  Value zero =
      constantLike(c, type, c.b.getFloatAttr(getElementTypeOrSelf(type), 0));
  Value one = integerLike(c, bits, 1);
  // Away from 0 where y is above a positive x, or below a negative one.
  Value away = arith::CmpIOp::create(c.b, arith::CmpIPredicate::eq,
                                     compare(CmpFPredicate::OLT, x, y),
                                     compare(CmpFPredicate::OGT, x, zero));
  Value next =
      arith::SelectOp::create(c.b, away, arith::AddIOp::create(c.b, from, one),
                              arith::SubIOp::create(c.b, from, one));
  Value sign = arith::AndIOp::create(
      c.b, to, integerLike(c, bits, int64_t(-1) << (width - 1)));
  next = arith::SelectOp::create(c.b, compare(CmpFPredicate::OEQ, x, zero),
                                 arith::OrIOp::create(c.b, sign, one), next);
  Value result =
      arith::SelectOp::create(c.b, compare(CmpFPredicate::OEQ, x, y), y,
                              arith::BitcastOp::create(c.b, type, next));
  return arith::SelectOp::create(c.b, compare(CmpFPredicate::UNO, x, y),
                                 arith::AddFOp::create(c.b, x, y), result);
}

/// isnan and its kin: an i32.
static Value classify(ProgramConversion &c, StringRef name, Value x,
                      Type type) {
  Type reals = x.getType();
  auto real = cast<FloatType>(getElementTypeOrSelf(reals));
  auto test = [&](arith::CmpFPredicate predicate, Value value, Value bound) {
    return Value(arith::ExtUIOp::create(
        c.b, type, arith::CmpFOp::create(c.b, predicate, value, bound)));
  };
  Value infinity = constantLike(
      c, reals,
      c.b.getFloatAttr(real, APFloat::getInf(real.getFloatSemantics())));
  if (name.starts_with("signbit")) {
    Value bits = bitsOf(c, x);
    Value sign = arith::ShRUIOp::create(
        c.b, bits, integerLike(c, bits.getType(), real.getWidth() - 1));
    return sign.getType() == type
               ? sign
               : arith::TruncIOp::create(c.b, type, sign).getResult();
  }
  if (name.starts_with("isnan"))
    return test(arith::CmpFPredicate::UNO, x, x);
  Value size = math::AbsFOp::create(c.b, x);
  return name.starts_with("isinf")
             ? test(arith::CmpFPredicate::OEQ, size, infinity)
             : test(arith::CmpFPredicate::OLT, size, infinity);
}

/// Functions of libdevice: those that are operations of math or of arith, and those
/// that are written out.
static Value deviceFunction(ProgramConversion &c, tt::ExternElementwiseOp op,
                            ValueRange in, Type type) {
  if (std::string problem = tt::checkDeviceCall(op); !problem.empty()) {
    op.emitError("[tt-type] ") << problem;
    return {};
  }
  StringRef name = op.getSymbol();
  name.consume_front("__nv_");
  auto function = tt::findDeviceFunction(op.getSymbol());
  if (function && function->isTest)
    return classify(c, name, in[0], type);
  if (function && function->name == "nextafter")
    return nextAfter(c, in[0], in[1]);
  if (getElementTypeOrSelf(type).isF32())
    name.consume_back("f");
  if (Value result = writeOutFunction(c, name, in[0]))
    return result;
  auto word = llvm::StringSwitch<StringRef>(name)
                  .Cases({"rint", "nearbyint"}, "math.roundeven")
                  .Case("fabs", "math.absf")
                  .Case("floor", "math.floor")
                  .Case("ceil", "math.ceil")
                  .Case("trunc", "math.trunc")
                  .Case("round", "math.round")
                  .Case("sqrt", "math.sqrt")
                  .Case("rsqrt", "math.rsqrt")
                  .Cases({"exp", "fast_exp"}, "math.exp")
                  .Case("exp2", "math.exp2")
                  .Cases({"log", "fast_log"}, "math.log")
                  .Cases({"log2", "fast_log2"}, "math.log2")
                  .Cases({"log10", "fast_log10"}, "math.log10")
                  .Case("erf", "math.erf")
                  .Case("fast_sin", "math.sin")
                  .Case("fast_cos", "math.cos")
                  .Cases({"fma", "fma_rn", "fmaf_rn"}, "math.fma")
                  .Case("fmax", "arith.maxnumf")
                  .Case("fmin", "arith.minnumf")
                  .Cases({"fdiv_rn", "ddiv_rn"}, "arith.divf")
                  .Case("copysign", "math.copysign")
                  .Default("");
  if (word.empty() || !isa<FloatType>(getElementTypeOrSelf(type))) {
    c.unsupported(op, "the device function " + op.getSymbol());
    return {};
  }
  OperationState state(c.b.getLoc(), word);
  state.addOperands(in);
  state.addTypes(type);
  return c.b.create(state)->getResult(0);
}

/// An operation of math whose instruction is missing or too rough: written out in
/// f32.
template <typename Op>
static void addFunction(TritonToTitanTable &table, StringRef name) {
  addElementwise<Op>(
      table,
      [name](ProgramConversion &c, Op op, ValueRange in, Type type) -> Value {
        Value result = writeOutFunction(c, name, in[0]);
        return result ? result : repeatOperation(c, op, in, type)->getResult(0);
      });
}

static Value multiplyHigh(ProgramConversion &c, tt::MulhiUIOp, ValueRange in,
                          Type) {
  return arith::MulUIExtendedOp::create(c.b, in[0], in[1]).getHigh();
}

/// Of pointers nothing changes: what an access reads is told there.
static Value sameBits(ProgramConversion &c, tt::BitcastOp, ValueRange in,
                      Type type) {
  return in[0].getType() == type
             ? in[0]
             : arith::BitcastOp::create(c.b, type, in[0]).getResult();
}

/// The low 32 bits, of sums, differences and products by those of their operands: so what runs on in 32 bits is
/// seen to run on, and what was widened before is not widened at all.
static Value lowBits(ProgramConversion &c, Value wide, Type type) {
  Operation *op = wide.getDefiningOp();
  if (isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(op) &&
      op->getOperand(0).getType() == type)
    return op->getOperand(0);
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op)) {
    Value left = lowBits(c, op->getOperand(0), type);
    Value right = lowBits(c, op->getOperand(1), type);
    if (isa<arith::AddIOp>(op))
      return c.b.createOrFold<arith::AddIOp>(left, right);
    if (isa<arith::SubIOp>(op))
      return c.b.createOrFold<arith::SubIOp>(left, right);
    return c.b.createOrFold<arith::MulIOp>(left, right);
  }
  if (auto splat = dyn_cast_or_null<titan::SplatOp>(op))
    return titan::SplatOp::create(
        c.b, type, lowBits(c, splat.getOperand(), getElementTypeOrSelf(type)));
  return c.b.createOrFold<arith::TruncIOp>(type, wide);
}

/// Whether it is a constant of 32 bits, or was of no more before it was extended.
static bool isOf32Bits(Value offset) {
  while (Operation *op = offset.getDefiningOp()) {
    if (isa<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp>(op)) {
      offset = op->getOperand(0);
      continue;
    }
    APInt constant;
    SplatElementsAttr splat;
    if (matchPattern(offset, m_Constant(&splat)) &&
        isa<IntegerType>(splat.getElementType()))
      constant = splat.getSplatValue<APInt>();
    else if (!matchPattern(offset, m_ConstantInt(&constant)))
      return isa<arith::ExtSIOp>(op) &&
             getElementTypeOrSelf(op->getOperand(0).getType())
                     .getIntOrFloatBitWidth() <= 32;
    return constant.isSignedIntN(32);
  }
  return false;
}

/// An offset is right modulo 2^32 (titan/Conversion/TritonToTitan.h).
static Value addOffset(ProgramConversion &c, tt::AddPtrOp op, ValueRange in,
                       Type type) {
  Value offset = in[1];
  unsigned width =
      getElementTypeOrSelf(offset.getType()).getIntOrFloatBitWidth();
  if (width > 32 && c.isByAddress(op.getPtr()) && !isOf32Bits(op.getOffset()))
    return c.unsupported(op, "an offset of 64 bits from a pointer that is made "
                             "of a number, of which no launch checks how far "
                             "its memory goes: add it to the number, or let "
                             "it be of 32 bits"),
           Value();
  if (width > 32)
    offset = lowBits(c, offset, type);
  else if (width < 32)
    offset = arith::ExtSIOp::create(c.b, type, offset);
  return c.b.createOrFold<arith::AddIOp>(in[0], offset);
}

void titan::populateTritonElementwise(TritonToTitanTable &table) {
  table.convert<arith::ConstantOp>(
      [](ProgramConversion &c, arith::ConstantOp op) {
        c.set(op.getResult(), arith::ConstantOp::create(c.b, op.getValue()));
        return success();
      });
  table.make<arith::ConstantOp>(constantOf);
  addElementwise<tt::FpToFpOp>(table, convertFloat);
  addElementwise<tt::ClampFOp>(table, clamp);
  addElementwise<tt::ExternElementwiseOp>(table, deviceFunction);
  addFunction<math::SinOp>(table, "sin");
  addFunction<math::CosOp>(table, "cos");
  addElementwise<tt::MulhiUIOp>(table, multiplyHigh);
  addElementwise<tt::BitcastOp>(table, sameBits);
  addElementwise<tt::AddPtrOp>(table, addOffset);
  addElementwise<tt::PreciseSqrtOp>(
      table,
      [](ProgramConversion &c, tt::PreciseSqrtOp, ValueRange in,
         Type) -> Value { return math::SqrtOp::create(c.b, in[0]); });
  addElementwise<tt::PreciseDivFOp>(
      table,
      [](ProgramConversion &c, tt::PreciseDivFOp, ValueRange in,
         Type) -> Value { return arith::DivFOp::create(c.b, in[0], in[1]); });
}
