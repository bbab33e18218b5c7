//===- Elementwise.cpp - arith and math, of scalars and of tiles ----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element-wise operations are done register by register. Most are upstream's,
// which LLVM's NVPTX target selects by itself; the others are here:
//
//   what                           becomes
//   ----                           -------
//   exp, log, sin, tanh, ...       an approximation (Target/Approximations.h),
//                                  in f32
//   clampf, is..., sincos          other operations
//   f32 to f16, bf16               in pairs: cvt.rn.bf16x2.f32 fills both halves
//                                  of one 32-bit register, as stmatrix takes them
//   fp8                            cvt.rn.satfinite.e4m3x2.f32 and its kin
//   comparisons                    one for registers in which it is known to be
//                                  the same (GlobalMemory.h)
//   constant tiles                 a scalar a register, or a table in constant
//                                  memory
//
//===----------------------------------------------------------------------===//
#include "GlobalMemory.h"

#include "titan/Conversion/LoweringTable.h"
#include "titan/Target/Approximations.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace titan;

static bool isFp8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

static Value constant(KernelLowering &kl, Type type, double value) {
  return arith::ConstantOp::create(kl.b, kl.b.getFloatAttr(type, value));
}

//===----------------------------------------------------------------------===//
// math
//===----------------------------------------------------------------------===//

static bool hasFlag(Operation *op, arith::FastMathFlags flag) {
  auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
  return flags && arith::bitEnumContainsAny(
                      flags.getFastMathFlagsAttr().getValue(), flag);
}

static bool isApproximate(Operation *op) {
  return hasFlag(op, arith::FastMathFlags::afn);
}

/// A function that PTX approximates in f32.
static Value approximate(KernelLowering &kl, const ApproximateFunction &f,
                         bool flush, Value x) {
  Type type = x.getType(), f32 = kl.b.getF32Type();
  if (type != f32)
    x = arith::ExtFOp::create(kl.b, f32, x);
  if (f.before != 1)
    x = arith::MulFOp::create(kl.b, x, constant(kl, f32, f.before));
  std::string instruction(flush ? f.flushing : f.instruction);
  x = kl.ptx(f32, instruction + " $0, $1;", "=f,f", x);
  if (f.after != 1)
    x = arith::MulFOp::create(kl.b, x, constant(kl, f32, f.after));
  return type == f32 ? x : arith::TruncFOp::create(kl.b, type, x);
}

/// erf, written out: |x| P(x^2) below 0.92, and 1 - 2^Q(|x|) above. Coefficients
/// are minimax fits; it is within 2.8 ulp (every third f32 was tried), whatever 2^y does
/// within its own bound (docs/hardware-facts.md, Approximations).
static Value errorFunction(KernelLowering &kl, Value x) {
  Type type = x.getType(), f32 = kl.b.getF32Type();
  if (type != f32)
    x = arith::ExtFOp::create(kl.b, f32, x);
  auto number = [&](double value) { return constant(kl, f32, value); };
  auto polynomial = [&](Value x, ArrayRef<double> c) {
    Value sum = number(c.back());
    for (double next : llvm::reverse(c.drop_back()))
      sum = math::FmaOp::create(kl.b, sum, x, number(next));
    return sum;
  };
  Value size = math::AbsFOp::create(kl.b, x);
  Value square = arith::MulFOp::create(kl.b, x, x);
  Value low = arith::MulFOp::create(
      kl.b, size,
      polynomial(square,
                 {0x1.20dd76p+0, -0x1.812744p-2, 0x1.ce2e34p-4, -0x1.b8122ap-6,
                  0x1.54ea68p-8, -0x1.ab6eb6p-11, 0x1.60bcccp-14}));
  // From 4 on it is 1.
  Value most = arith::MinimumFOp::create(kl.b, size, number(4));
  Value rest =
      polynomial(most, {0x1.d0242ap-13, -0x1.a11ec4p+0, -0x1.d408e8p-1,
                        -0x1.3ed2eap-3, 0x1.25419ep-5, -0x1.7b7b2cp-8,
                        0x1.2319dp-11, -0x1.2ac0dap-16, -0x1.004c1p-20});
  Value power =
      approximate(kl, *findApproximateFunction("exp2"), /*flush=*/true, rest);
  Value high = arith::SubFOp::create(kl.b, number(1), power);
  Value isLow = arith::CmpFOp::create(kl.b, arith::CmpFPredicate::OLT, size,
                                      number(0.92));
  Value value = arith::SelectOp::create(kl.b, isLow, low, high);
  value = math::CopySignOp::create(kl.b, value, x);
  return type == f32 ? value : arith::TruncFOp::create(kl.b, type, value);
}

/// `reciprocal`, fastmath<arcp>: a product by the reciprocal, which is 0 where that is
/// below 2^-126.
static Value divideApproximately(KernelLowering &kl, Value x, Value y,
                                 bool reciprocal) {
  Type type = x.getType(), f32 = kl.b.getF32Type();
  if (type != f32) {
    x = arith::ExtFOp::create(kl.b, f32, x);
    y = arith::ExtFOp::create(kl.b, f32, y);
  }
  if (reciprocal) {
    y = kl.ptx(f32, "rcp.approx.ftz.f32 $0, $1;", "=f,f", y);
    Value product =
        arith::MulFOp::create(kl.b, x, y, arith::FastMathFlags::contract);
    return type == f32 ? product : arith::TruncFOp::create(kl.b, type, product);
  }
  std::string instruction(approximateDivision().instruction);
  Value quotient = kl.ptx(f32, instruction + " $0, $1, $2;", "=f,f,f", {x, y});
  return type == f32 ? quotient : arith::TruncFOp::create(kl.b, type, quotient);
}

/// Comparisons of the magnitude, which no NaN passes.
static Value classify(KernelLowering &kl, Operation *op, Value x) {
  auto type = cast<FloatType>(x.getType());
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  auto number = [&](const APFloat &value) -> Value {
    return arith::ConstantOp::create(kl.b, FloatAttr::get(type, value));
  };
  auto compare = [&](arith::CmpFPredicate predicate, Value a,
                     Value b) -> Value {
    return arith::CmpFOp::create(kl.b, predicate, a, b);
  };
  if (isa<math::IsNaNOp>(op))
    return compare(arith::CmpFPredicate::UNO, x, x);
  Value magnitude = math::AbsFOp::create(kl.b, x);
  Value infinity = number(APFloat::getInf(semantics));
  if (isa<math::IsInfOp>(op))
    return compare(arith::CmpFPredicate::OEQ, magnitude, infinity);
  Value finite = compare(arith::CmpFPredicate::OLT, magnitude, infinity);
  if (isa<math::IsFiniteOp>(op))
    return finite;
  Value least = number(APFloat::getSmallestNormalized(semantics));
  return arith::AndIOp::create(
      kl.b, finite, compare(arith::CmpFPredicate::OGE, magnitude, least));
}

/// The results of one operation on scalars.
static FailureOr<Values> mathScalar(KernelLowering &kl, Operation *op,
                                    ValueRange operands) {
  StringRef name = op->getName().getStringRef();
  Value x = operands.front();
  Type type = x.getType();
  if (isa<math::IsNaNOp, math::IsInfOp, math::IsFiniteOp, math::IsNormalOp>(op))
    return Values{classify(kl, op, x)};
  if (isa<math::ClampFOp>(op))
    return Values{arith::MinimumFOp::create(
        kl.b, arith::MaximumFOp::create(kl.b, x, operands[1]), operands[2])};
  if (isa<math::SqrtOp>(op) && isApproximate(op) && !type.isF64())
    return Values{approximate(kl, approximateRoot(), /*flush=*/true, x)};
  // What LLVM's NVPTX target selects by itself.
  if (isa<math::AbsFOp, math::AbsIOp, math::CopySignOp, math::FmaOp,
          math::FloorOp, math::CeilOp, math::TruncOp, math::RoundOp,
          math::RoundEvenOp, math::SqrtOp, math::CountLeadingZerosOp,
          math::CountTrailingZerosOp, math::CtPopOp>(op)) {
    Operation *copy = kl.b.create(op->getLoc(), op->getName().getIdentifier(),
                                  operands, TypeRange(type), op->getAttrs());
    return Values{copy->getResult(0)};
  }
  SmallVector<StringRef, 2> functions = {name.drop_front(strlen("math."))};
  if (isa<math::SincosOp>(op))
    functions = {"sin", "cos"};
  Values results;
  for (StringRef each : functions) {
    const ApproximateFunction *f =
        findApproximateFunction(std::string_view(each));
    if (!f)
      return kl.unsupported(op, Twine(name) +
                                    ", for which PTX has no instruction and "
                                    "TITAN no expansion,");
    if (type.isF64())
      return kl.unsupported(op, Twine(name) + " on f64, whose instruction " +
                                    StringRef(f->instruction) + " is f32's,");
    if (each == "erf") {
      results.push_back(errorFunction(kl, x));
      continue;
    }
    bool flush = !f->flushing.empty() && isApproximate(op);
    results.push_back(approximate(kl, *f, flush, x));
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static Value insertPair(KernelLowering &kl, Value low, Value high) {
  Value pair = LLVM::PoisonOp::create(kl.b, VectorType::get(2, low.getType()));
  pair = LLVM::InsertElementOp::create(kl.b, pair, low, kl.i32(0));
  return LLVM::InsertElementOp::create(kl.b, pair, high, kl.i32(1));
}

static void extractPair(KernelLowering &kl, Value pair, Values &results) {
  results.push_back(LLVM::ExtractElementOp::create(kl.b, pair, kl.i32(0)));
  results.push_back(LLVM::ExtractElementOp::create(kl.b, pair, kl.i32(1)));
}

static bool isE4M3(Type type) { return isa<Float8E4M3FNType>(type); }

/// Two numbers at a time: PTX converts fp8 in pairs. The second operand of the
/// instruction is the lower half.
static LogicalResult toFp8(KernelLowering &kl, Operation *op, Type to,
                           Value low, Value high, Values &results) {
  StringRef name = isE4M3(to) ? "e4m3x2" : "e5m2x2";
  Type from = low.getType(), i16 = kl.b.getI16Type();
  Value packed;
  if (from.isF16()) {
    Value pair = LLVM::BitcastOp::create(kl.b, kl.b.getI32Type(),
                                         insertPair(kl, low, high));
    packed = kl.ptx(i16, ("cvt.rn.satfinite." + name + ".f16x2 $0, $1;").str(),
                    "=h,r", pair);
  } else {
    for (Value *each : {&low, &high})
      if (from.isBF16())
        *each = arith::ExtFOp::create(kl.b, kl.b.getF32Type(), *each);
    if (!low.getType().isF32())
      return kl.unsupported(
          op, llvm::formatv("a conversion of {0} to {1}", from, to).str());
    packed =
        kl.ptx(i16, ("cvt.rn.satfinite." + name + ".f32 $0, $1, $2;").str(),
               "=h,f,f", {high, low});
  }
  Type bytes = VectorType::get(2, kl.b.getI8Type());
  Values halves;
  extractPair(kl, LLVM::BitcastOp::create(kl.b, bytes, packed), halves);
  for (Value half : halves)
    results.push_back(arith::BitcastOp::create(kl.b, to, half));
  return success();
}

static LogicalResult fromFp8(KernelLowering &kl, Operation *op, Type to,
                             Value low, Value high, Values &results) {
  StringRef name = isE4M3(low.getType()) ? "e4m3x2" : "e5m2x2";
  if (!to.isF16() && !to.isBF16() && !to.isF32())
    return kl.unsupported(
        op,
        llvm::formatv("a conversion of {0} to {1}", low.getType(), to).str());
  Type i8 = kl.b.getI8Type();
  Value pair = insertPair(kl, arith::BitcastOp::create(kl.b, i8, low),
                          arith::BitcastOp::create(kl.b, i8, high));
  Value word = kl.ptx(
      kl.b.getI32Type(), ("cvt.rn.f16x2." + name + " $0, $1;").str(), "=r,h",
      LLVM::BitcastOp::create(kl.b, kl.b.getI16Type(), pair).getResult());
  Values halves;
  extractPair(kl,
              LLVM::BitcastOp::create(
                  kl.b, VectorType::get(2, kl.b.getF16Type()), word),
              halves);
  for (Value half : halves) {
    if (!to.isF16())
      half = arith::ExtFOp::create(kl.b, kl.b.getF32Type(), half);
    if (to.isBF16())
      half = arith::TruncFOp::create(kl.b, to, half);
    results.push_back(half);
  }
  return success();
}

/// Conversions that are made in pairs; none: this is not one.
static std::optional<LogicalResult> convertPairs(KernelLowering &kl,
                                                 Operation *op, Type to,
                                                 const Values &from,
                                                 Values &results) {
  if (!isa<arith::TruncFOp, arith::ExtFOp>(op))
    return std::nullopt;
  Type type = from.front().getType();
  bool fp8 = isFp8(type) || isFp8(to);
  bool narrow = type.isF32() && (to.isBF16() || to.isF16()) &&
                from.size() % 2 == 0 &&
                isa<RankedTensorType>(op->getResult(0).getType());
  if (!fp8 && !narrow)
    return std::nullopt;
  for (size_t r = 0; r < from.size(); r += 2) {
    Value low = from[r], high = r + 1 < from.size() ? from[r + 1] : low;
    if (narrow) {
      // No fptrunc: LLVM would move it behind the phi of a loop, which then
      // carries f32.
      StringRef name =
          to.isBF16() ? "llvm.nvvm.ff2bf16x2.rn" : "llvm.nvvm.ff2f16x2.rn";
      auto packed = LLVM::CallIntrinsicOp::create(kl.b, VectorType::get(2, to),
                                                  kl.b.getStringAttr(name),
                                                  ValueRange{high, low});
      extractPair(kl, packed.getResult(0), results);
      continue;
    }
    if (failed(isFp8(to) ? toFp8(kl, op, to, low, high, results)
                         : fromFp8(kl, op, to, low, high, results)))
      return failure();
  }
  results.truncate(from.size());
  return success();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Elements of different values: each register one constant where all threads
/// hold the same, else a table in constant memory, [warp][lane][register].
static LogicalResult denseTile(KernelLowering &kl, arith::ConstantOp op,
                               DenseElementsAttr dense) {
  auto tile = cast<RankedTensorType>(op.getType());
  Layout layout = *getTileLayout(tile);
  std::vector<int64_t> elements = layout.elementTable();
  SmallVector<Attribute> all(dense.getValues<Attribute>());
  int64_t registers = layout.registers(), lanes = layout.lanes();
  Values results;
  bool same = true;
  for (size_t i = registers; i < elements.size() && same; ++i)
    same = all[elements[i]] == all[elements[i % registers]];
  if (same) {
    for (int64_t r = 0; r < registers; ++r)
      results.push_back(
          arith::ConstantOp::create(kl.b, cast<TypedAttr>(all[elements[r]])));
    kl.set(op, results);
    return success();
  }
  Type element = tile.getElementType();
  if (isFp8(element) || element.isInteger(1) || element.isIndex())
    return kl.unsupported(op, "a constant tile of " +
                                  llvm::formatv("{0}", element).str() +
                                  " whose threads hold different values");
  SmallVector<Attribute> held;
  for (int64_t e : elements)
    held.push_back(all[e]);
  auto table = DenseElementsAttr::get(
      RankedTensorType::get(static_cast<int64_t>(held.size()), element), held);
  std::string name;
  for (unsigned i = 0; kl.module.lookupSymbol(
           name = kl.kernel.getSymName().str() + "_tile" + std::to_string(i));
       ++i)
    ;
  {
    OpBuilder::InsertionGuard guard(kl.b);
    kl.b.setInsertionPointToStart(kl.module.getBody());
    LLVM::GlobalOp::create(
        kl.b, LLVM::LLVMArrayType::get(element, held.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal, name, table,
        /*alignment=*/16,
        static_cast<unsigned>(NVVM::NVVMMemorySpace::Constant));
  }
  Type pointer = LLVM::LLVMPointerType::get(
      op.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::Constant));
  Value base = LLVM::AddressOfOp::create(kl.b, pointer, name);
  Value warp = kl.warp();
  if (layout.warps() < kl.warps())
    warp = arith::RemUIOp::create(kl.b, warp, kl.i32(layout.warps()));
  Value first =
      kl.add(kl.mul(warp, lanes * registers), kl.mul(kl.lane(), registers));
  for (int64_t r = 0; r < registers; ++r) {
    Value at = LLVM::GEPOp::create(kl.b, pointer, element, base,
                                   ValueRange{kl.add(first, kl.i32(r))});
    results.push_back(LLVM::LoadOp::create(kl.b, element, at));
  }
  kl.set(op, results);
  return success();
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

/// Upstream's operation on scalars of these types.
static Operation *copyOn(KernelLowering &kl, Operation *op, ValueRange operands,
                         TypeRange types) {
  return kl.b.create(op->getLoc(), op->getName().getIdentifier(), operands,
                     types, op->getAttrs());
}

/// In every thread a register's coordinate is the first one's, c, and a constant k. c + k <= limit is compared as
/// k <= limit - c: k is part of the instruction then, where c + k would have a register for each k, all through
/// the loop around it. c is below the tile's extent, so that nothing is lost where the limit is as little as it
/// takes for the difference not to overflow.
static void compareConstants(KernelLowering &kl, arith::CmpIOp compare,
                             MutableArrayRef<Values> operands) {
  Layout layout = *getTileLayout(cast<RankedTensorType>(compare.getType()));
  auto found = comparedCoordinate(kl, compare, layout);
  if (!found)
    return;
  Values &own = operands[found->operand],
         &limits = operands[1 - found->operand];
  Value first = own.front();
  Value least = kl.i32(static_cast<int32_t>(
      std::numeric_limits<int32_t>::min() + layout.shape()[found->dimension]));
  for (auto [r, above] : llvm::enumerate(found->above)) {
    limits[r] = arith::SubIOp::create(
        kl.b, arith::MaxSIOp::create(kl.b, limits[r], least), first);
    own[r] = kl.i32(static_cast<int32_t>(above));
  }
}

static LogicalResult elementwise(KernelLowering &kl, Operation *op) {
  if (op->getNumResults() == 0 || op->getNumRegions())
    return kl.unsupported(op, Twine(op->getName().getStringRef()));
  Type resultType = op->getResult(0).getType();
  auto tile = dyn_cast<RankedTensorType>(resultType);
  // A select between tokens, buffers or barriers: choose what stands for them.
  Type element = tile ? tile.getElementType() : resultType;

  auto types = kl.convertAll(op, op->getResultTypes());
  if (failed(types))
    return failure();
  size_t count = types->counts.front();

  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (!tile) {
      kl.set(constant, kl.b.clone(*op)->getResults());
      return success();
    }
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!dense)
      return kl.unsupported(op, "a constant tile that is not dense<...>");
    if (!dense.isSplat())
      return denseTile(kl, constant, dense);
    Value scalar = arith::ConstantOp::create(
        kl.b, cast<TypedAttr>(dense.getSplatValue<Attribute>()));
    kl.set(constant, Values(count, scalar));
    return success();
  }
  // What loads its operand has seen to it.
  if (isa<arith::SelectOp>(op) && kl.isKnown(op->getResult(0)))
    return success();
  if (isa<arith::RemFOp, arith::ScalingExtFOp, arith::ScalingTruncFOp>(op))
    return kl.unsupported(op, Twine(op->getName().getStringRef()));

  SmallVector<Values> operands;
  for (Value operand : op->getOperands()) {
    Values scalars = kl.get(operand);
    if (scalars.size() == 1 && count != 1)
      scalars.assign(count,
                     Value(scalars.front())); // select's scalar condition
    if (scalars.size() != count)
      return kl.unsupported(op,
                            "an operation between tiles of different layouts");
    operands.push_back(std::move(scalars));
  }

  SmallVector<Values> results(op->getNumResults());
  if (auto paired =
          convertPairs(kl, op, element, operands.front(), results.front())) {
    if (failed(*paired))
      return failure();
    kl.set(op->getResult(0), results.front());
    return success();
  }
  bool fp8 =
      isFp8(element) || llvm::any_of(op->getOperandTypes(), [](Type type) {
        return isFp8(getElementTypeOrSelf(type));
      });
  if (fp8 && !isa<arith::BitcastOp, arith::SelectOp>(op))
    return kl.unsupported(op, Twine(op->getName().getStringRef()) +
                                  " on fp8: convert to f16 or f32");
  SmallVector<Type> scalarTypes;
  size_t first = 0;
  for (size_t each : types->counts) {
    scalarTypes.push_back(types->types[first]);
    first += each;
  }
  SmallVector<int64_t> same;
  if (auto compare = dyn_cast<arith::CmpIOp>(op);
      compare && tile && count > 1) {
    same = sameComparisons(kl, compare, *getTileLayout(tile));
    compareConstants(kl, compare, operands);
  }
  for (size_t r = 0; r < count; ++r) {
    if (!same.empty() && static_cast<size_t>(same[r]) != r) {
      results.front().push_back(Value(results.front()[same[r]]));
      continue;
    }
    Values scalars;
    for (Values &operand : operands)
      scalars.push_back(operand[r]);
    Values made;
    if (isa<math::MathDialect>(op->getDialect())) {
      auto one = mathScalar(kl, op, scalars);
      if (failed(one))
        return failure();
      made = *one;
    } else if (isa<arith::DivFOp>(op) && isApproximate(op) &&
               !element.isF64()) {
      made = {divideApproximately(kl, scalars[0], scalars[1],
                                  hasFlag(op, arith::FastMathFlags::arcp))};
    } else {
      made = copyOn(kl, op, scalars, scalarTypes)->getResults();
    }
    for (auto [list, value] : llvm::zip(results, made))
      list.push_back(value);
  }
  for (auto [result, list] : llvm::zip(op->getResults(), results))
    kl.set(result, list);
  return success();
}

void titan::populateElementwiseLowerings(LoweringTable &table) {
  for (StringRef dialect : {arith::ArithDialect::getDialectNamespace(),
                            math::MathDialect::getDialectNamespace()})
    table.add(dialect, elementwise);
}
