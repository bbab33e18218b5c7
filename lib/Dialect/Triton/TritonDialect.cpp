//===- TritonDialect.cpp - registration, types, sizes ---------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Dialect/Triton/Triton.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace titan::tt;

#include "titan/Dialect/Triton/TritonDialect.cpp.inc"
#include "titan/Dialect/Triton/TritonEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "titan/Dialect/Triton/TritonTypes.cpp.inc"

namespace {
/// Functions are inlined into kernels unless they say noinline; regions of
/// scalars take everything.
struct Inliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *call, Operation *callable, bool) const final {
    auto noinline = callable->getAttrOfType<BoolAttr>("noinline");
    return !noinline || !noinline.getValue();
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  void handleTerminator(Operation *op, Block *next) const final {
    if (auto exit = dyn_cast<ReturnOp>(op)) {
      OpBuilder builder(op);
      cf::BranchOp::create(builder, op->getLoc(), next, exit.getSrcs());
      op->erase();
    }
  }
  void handleTerminator(Operation *op, ValueRange values) const final {
    for (auto [from, to] : llvm::zip(values, op->getOperands()))
      from.replaceAllUsesWith(to);
  }
};
} // namespace

void TritonDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "titan/Dialect/Triton/TritonTypes.cpp.inc"
      >();
}

void TritonDialect::initialize() {
  registerTypes();
  registerTritonDialectOperations(this); // OpShard.cpp.in
  addInterfaces<Inliner>();
}

Operation *TritonDialect::materializeConstant(OpBuilder &builder,
                                              Attribute value, Type type,
                                              Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

//===----------------------------------------------------------------------===//
// Attributes that any operation or argument may carry
//===----------------------------------------------------------------------===//

/// What the front end knows of an argument or a value: powers of two, one
/// number, or one for each dimension of `type` (null: it is of no single value).
static LogicalResult verifyHint(Operation *op, NamedAttribute attribute,
                                Type type) {
  StringRef name = attribute.getName();
  if (!llvm::is_contained({"tt.divisibility", "tt.contiguity", "tt.constancy"},
                          name))
    return success();
  auto wrong = [&] {
    return op->emitOpError("[tt-attribute] ")
           << name << " is one positive i32, or a dense of them, not "
           << attribute.getValue();
  };
  if (auto number = dyn_cast<IntegerAttr>(attribute.getValue()))
    return number.getType().isSignlessInteger(32) && number.getInt() > 0
               ? success()
               : wrong();
  auto dense = dyn_cast<DenseIntElementsAttr>(attribute.getValue());
  if (!dense || dense.getType().getRank() > 1 ||
      !dense.getElementType().isSignlessInteger(32))
    return wrong();
  for (APInt number : dense.getValues<APInt>())
    if (!number.isStrictlyPositive())
      return wrong();
  auto tensor = dyn_cast_or_null<RankedTensorType>(type);
  int64_t rank = tensor ? std::max<int64_t>(tensor.getRank(), 1) : 1;
  if (type && dense.getNumElements() != rank)
    return op->emitOpError("[tt-attribute] ")
           << name << " has " << dense.getNumElements() << " numbers, and "
           << type << " takes " << rank;
  return success();
}

/// How many rounds of a loop are under way at once.
static LogicalResult verifyStages(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() != "tt.num_stages")
    return success();
  auto number = dyn_cast<IntegerAttr>(attribute.getValue());
  if (number && number.getType().isSignlessInteger(32) && number.getInt() >= 0)
    return success();
  InFlightDiagnostic error = op->emitOpError("[tt-attribute] num_stages is an "
                                             "i32 that is not negative, not ")
                             << attribute.getValue();
  error.attachNote() << "fix: say how many rounds are under way at once; 0 or "
                        "1: no load is copied ahead";
  return error;
}

LogicalResult TritonDialect::verifyOperationAttribute(Operation *op,
                                                      NamedAttribute named) {
  if (failed(verifyStages(op, named)))
    return failure();
  return verifyHint(op, named,
                    op->getNumResults() == 1 ? op->getResult(0).getType()
                                             : Type());
}

LogicalResult TritonDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                      unsigned argument,
                                                      NamedAttribute named) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  return verifyHint(op, named,
                    function ? function.getArgumentTypes()[argument] : Type());
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type PointerType::parse(AsmParser &parser) {
  SMLoc at = parser.getCurrentLocation();
  Type pointee;
  int space = 1;
  if (parser.parseLess() || parser.parseType(pointee) ||
      (succeeded(parser.parseOptionalComma()) && parser.parseInteger(space)) ||
      parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(at); }, parser.getContext(),
                    pointee, space);
}

void PointerType::print(AsmPrinter &printer) const {
  printer << '<' << getPointee();
  if (getAddressSpace() != 1)
    printer << ", " << getAddressSpace();
  printer << '>';
}

LogicalResult PointerType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  Type pointee, int) {
  if (auto block = dyn_cast<RankedTensorType>(pointee)) {
    if (!block.hasStaticShape() || block.getRank() == 0)
      return emitError() << "[tt-shape] a block has a static shape of rank 1 "
                            "or more, not "
                         << block;
    return success();
  }
  if (isa<IntegerType, FloatType, PointerType>(pointee))
    return success();
  return emitError() << "[tt-type] a pointer points to a number, a pointer or "
                        "a block, not to "
                     << pointee;
}

Type TensorDescType::parse(AsmParser &parser) {
  SMLoc at = parser.getCurrentLocation();
  RankedTensorType block;
  if (parser.parseLess() || parser.parseType(block) || parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(at); }, parser.getContext(),
                    block);
}

void TensorDescType::print(AsmPrinter &printer) const {
  printer << '<' << getBlock() << '>';
}

LogicalResult
TensorDescType::verify(function_ref<InFlightDiagnostic()> emitError,
                       RankedTensorType block) {
  if (!block.hasStaticShape() || block.getRank() == 0 ||
      !block.getElementType().isIntOrFloat())
    return emitError() << "[tt-descriptor] a descriptor's block has a static "
                          "shape of rank 1 or more, and numbers, not "
                       << block;
  return success();
}

RankedTensorType TensorDescType::getSignlessBlock() const {
  RankedTensorType block = getBlock();
  if (auto integer = dyn_cast<IntegerType>(block.getElementType()))
    return block.clone(IntegerType::get(getContext(), integer.getWidth()));
  return block;
}

Type titan::tt::getPointee(Type type) {
  auto pointer = dyn_cast<PointerType>(getElementTypeOrSelf(type));
  if (!pointer)
    return type;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(pointer.getPointee());
  return pointer.getPointee();
}

Type titan::tt::getMaskType(Type type) {
  Type bit = IntegerType::get(type.getContext(), 1);
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? Type(tensor.clone(bit)) : bit;
}

Type titan::tt::getElementPointer(Type blockPointer) {
  auto pointer = dyn_cast<PointerType>(blockPointer);
  if (!pointer)
    return blockPointer;
  return PointerType::get(blockPointer.getContext(),
                          getElementTypeOrSelf(pointer.getPointee()),
                          pointer.getAddressSpace());
}

LogicalResult titan::tt::verifyTensorSizes(Operation *op) {
  auto check = [&](Type type) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return success();
    if (!tensor.hasStaticShape())
      return op->emitOpError("[tt-shape] ")
             << tensor << " has a shape that is not static";
    int64_t count = 1;
    for (int64_t size : tensor.getShape())
      if (size > maxTensorElements || (count *= size) > maxTensorElements)
        return op->emitOpError("[tt-shape] ")
               << tensor << " has more than 2^20 elements";
    if (!llvm::isPowerOf2_64(count))
      return op->emitOpError("[tt-shape] ")
             << tensor << " has " << count
             << " elements, which is no power of two";
    return success();
  };
  for (Type type : op->getOperandTypes())
    if (failed(check(type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(check(type)))
      return failure();
  return success();
}
