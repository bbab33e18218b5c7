//===- TitanDialect.cpp - registration, and questions about views ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OpHelpers.h"
#include "TileLimits.h"
#include "titan/Dialect/Titan/CopyPlaces.h"
#include "titan/Dialect/Titan/Titan.h"
#include "titan/Target/NearestWord.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace titan;

#include "titan/Dialect/Titan/TitanAttrInterfaces.cpp.inc"
#include "titan/Dialect/Titan/TitanDialect.cpp.inc"
#include "titan/Dialect/Titan/TitanEnums.cpp.inc"
#include "titan/Dialect/Titan/TitanOpInterfaces.cpp.inc"

namespace {
/// Functions of the module may hold anything, and go where they are called
/// (titan-inline).
struct TitanInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void TitanDialect::initialize() {
  addInterfaces<TitanInlinerInterface>();
  registerTypes();
  registerAttributes();
  registerTitanDialectOperations(this); // OpShard.cpp.in
  registerCopyFlow(*getContext());
}

//===----------------------------------------------------------------------===//
// Attributes whose names begin with titan. (Attributes.def)
//===----------------------------------------------------------------------===//

/// What an attribute stands on, in the words of Attributes.def; empty where passes
/// write it, nothing where there is no such attribute.
static std::optional<StringRef> getHolder(StringRef name) {
#define TITAN_ATTRIBUTE(NAME, HOLDER, SUMMARY, DESCRIPTION, EXAMPLE)           \
  if (name == NAME)                                                            \
    return StringRef(HOLDER);
#define TITAN_PASS_ATTRIBUTE(NAME)                                             \
  if (name == NAME)                                                            \
    return StringRef();
#include "titan/Dialect/Titan/Attributes.def"
  return std::nullopt;
}

static LogicalResult refuseUnknown(Operation *op, StringRef name) {
  static const std::string_view names[] = {
#define TITAN_ATTRIBUTE(NAME, HOLDER, SUMMARY, DESCRIPTION, EXAMPLE) NAME,
#include "titan/Dialect/Titan/Attributes.def"
  };
  InFlightDiagnostic error = op->emitError("[attribute-place] there is no "
                                           "attribute '")
                             << name << "'";
  if (std::string_view near = nearestWord(name, names); !near.empty())
    error << "; did you mean " << near << "?";
  return error;
}

LogicalResult TitanDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  StringRef name = attribute.getName();
  std::optional<StringRef> holder = getHolder(name);
  if (!holder)
    return refuseUnknown(op, name);
  StringRef here = op->getName().getStringRef();
  auto [first, second] = holder->split(" or ");
  bool any = holder->empty() || *holder == "an operation of a kernel";
  if (any || first == here || second == here ||
      (*holder == "a reference" && here == "func.func"))
    return success();
  return op->emitError("[attribute-place] '")
         << name << "' stands on " << *holder << ", not on " << here;
}

LogicalResult TitanDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                     unsigned,
                                                     NamedAttribute attribute) {
  StringRef name = attribute.getName();
  std::optional<StringRef> holder = getHolder(name);
  if (!holder)
    return refuseUnknown(op, name);
  if (*holder == "an argument of a reference")
    return success();
  return op->emitError("[attribute-place] '")
         << name << "' stands on " << *holder << ", not on an argument";
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

int64_t titan::getElementBytes(Type elementType) {
  if (elementType.isIndex())
    return 8;
  return (elementType.getIntOrFloatBitWidth() + 7) / 8;
}

Value titan::getRoot(Value memory, bool *cluster) {
  while (auto op = memory.getDefiningOp<ViewOpInterface>()) {
    effect::View view = op.getView();
    if (!view.source)
      break;
    if (view.rank && cluster)
      *cluster = true;
    memory = view.source;
  }
  return memory;
}

TensorMapOp titan::getTensorMapOp(Value mapInBody) {
  if (auto argument = dyn_cast<BlockArgument>(mapInBody))
    if (auto kernel = dyn_cast<KernelOp>(argument.getOwner()->getParentOp()))
      if (Value value = kernel.getLaunchValue(argument))
        return value.getDefiningOp<TensorMapOp>();
  return mapInBody.getDefiningOp<TensorMapOp>();
}

llvm::SmallVector<LaunchInput> titan::getLaunchInputs(Value value) {
  auto nameOf = [](Value argument) {
    auto kernel = cast<KernelOp>(argument.getParentRegion()->getParentOp());
    unsigned number = cast<BlockArgument>(argument).getArgNumber();
    return cast<StringAttr>(kernel.getArgNames()[number]).getValue();
  };
  llvm::SmallVector<LaunchInput> inputs;
  llvm::StringSet<> names;
  llvm::SmallVector<Value> rest = {value};
  llvm::DenseSet<Value> seen;
  while (!rest.empty()) {
    Value at = rest.pop_back_val();
    if (!seen.insert(at).second)
      continue;
    Operation *op = at.getDefiningOp();
    std::string name;
    if (!op)
      name = nameOf(at).str();
    else if (auto dim = dyn_cast<DimOp>(op))
      name = (nameOf(dim.getTensor()) + "[" + Twine(dim.getDimension()) + "]")
                 .str();
    else if (auto stride = dyn_cast<StrideOp>(op))
      name = (nameOf(stride.getTensor()) + ".stride[" +
              Twine(stride.getDimension()) + "]")
                 .str();
    else if (auto property = dyn_cast<DevicePropertyOp>(op))
      name = property.getName().str();
    else // The first operand is next.
      for (Value operand : llvm::reverse(op->getOperands()))
        rest.push_back(operand);
    bool isFloat = isa<FloatType>(at.getType()); // Its bits would say little.
    if (!name.empty() && !isFloat && names.insert(name).second)
      inputs.push_back({std::move(name), at});
  }
  return inputs;
}

Result<Layout> titan::getTileLayout(RankedTensorType tile) {
  auto encoding = dyn_cast_or_null<LayoutAttrInterface>(tile.getEncoding());
  if (!encoding)
    return Problem{
        "tile-without-layout",
        "the register tile has no layout: give the tensor an encoding "
        "such as #titan.blocked<...> or #titan.wgmma<...>"};
  int64_t elements = 1;
  for (int64_t size : tile.getShape())
    if (size < 1 || size > maxTileElements ||
        (elements *= size) > maxTileElements)
      return Problem{"tile-shape",
                     "the sizes of a register tile are static, and it has 1 to "
                     "2^24 elements",
                     "use static sizes whose product is at most 2^24"};
  return encoding.getLayout(tile.getShape());
}
