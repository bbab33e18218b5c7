//===- TensorMaps.cpp - tensor maps: the type, and how one is made --------===//
//
// The IR counts dimensions outermost first, tensor maps innermost first. The
// rules for their fields are lib/Domain's (validate), here and at the launch.
//
//===----------------------------------------------------------------------===//
#include "OpHelpers.h"
#include "titan/Domain/TensorMap.h"

using namespace mlir;
using namespace titan;

StringRef titan::getTmaTypeName(Type elementType, bool isSigned) {
  if (elementType.isBF16())
    return "bf16";
  if (elementType.isF16())
    return "f16";
  if (elementType.isF32())
    return "f32";
  if (elementType.isF64())
    return "f64";
  // 8-bit floats are moved as bytes.
  switch (elementType.getIntOrFloatBitWidth()) {
  case 8:
    return "u8";
  case 16:
    return isa<IntegerType>(elementType) ? "u16" : "";
  case 32:
    return "s32";
  case 64:
    return isSigned ? "s64" : "u64";
  default:
    return "";
  }
}

StringRef titan::getTmaTypeName(TensorMapOp op) {
  bool isSigned = false;
  auto kernel = cast<KernelOp>(op->getParentOp());
  for (BlockArgument argument : kernel.getLaunchArguments())
    if (kernel.getLaunchValue(argument) == op.getResult())
      for (Operation *user : argument.getUsers())
        if (auto reduce = dyn_cast<TmaReduceOp>(user))
          isSigned |= isSignedTma(reduce.getOp());
  return getTmaTypeName(op.getType().getElementType(), isSigned);
}

bool titan::hasTmaReduction(AtomicOp op, StringRef tmaType) {
  StringRef name = stringifyAtomicOp(op);
  return hasTmaReduction(std::string_view(name.data(), name.size()),
                         std::string_view(tmaType.data(), tmaType.size()));
}

static TensorMap fieldsOf(ArrayRef<int64_t> shape, int64_t swizzle,
                          ArrayRef<int64_t> elementStrides, StringRef tmaType) {
  TensorMap map;
  map.rank = shape.size();
  map.type = findTmaType({tmaType.data(), tmaType.size()});
  map.swizzle =
      findTmaSwizzle(swizzle ? std::to_string(swizzle) + "B" : "none");
  for (int d = 0; d < map.rank; ++d) {
    map.box[d] = shape[map.rank - 1 - d];
    map.elementStrides[d] = elementStrides[map.rank - 1 - d];
  }
  return map;
}

TensorMap titan::getTensorMapFields(TensorMapType type, StringRef tmaType) {
  return fieldsOf(type.getShape(), type.getSwizzle(), type.getElementStrides(),
                  tmaType);
}

//===----------------------------------------------------------------------===//
// The type
//===----------------------------------------------------------------------===//

SmallVector<int64_t> TensorMapType::getTileShape() const {
  SmallVector<int64_t> shape;
  for (auto [box, stride] : llvm::zip(getShape(), getElementStrides()))
    shape.push_back(llvm::divideCeil(box, stride));
  return shape;
}

int64_t TensorMapType::getBoxBytes() const {
  int64_t bytes = ::titan::getElementBytes(getElementType());
  for (int64_t size : getTileShape())
    bytes *= size;
  return bytes;
}

static std::string describe(const TmaViolation &violation) {
  std::string_view code = codeInfo(violation.code).code;
  return "[" + std::string(code) + "] " + violation.field + ": " +
         violation.message +
         " (cuTensorMapEncodeTiled; dimension 0 is the innermost)";
}

LogicalResult
titan::verifyTensorMapType(function_ref<InFlightDiagnostic()> emitError,
                           ArrayRef<int64_t> shape, Type elementType,
                           int64_t swizzle, ArrayRef<int64_t> elementStrides) {
  if (shape.size() > TensorMap::maxRank)
    return emitError() << "[tma-rank] a tensor map has 1 to 5 dimensions "
                          "(cuTensorMapEncodeTiled)";
  if (elementStrides.size() != shape.size())
    return emitError() << "[tma-element-stride] " << shape.size()
                       << " dimensions need as many element strides, not "
                       << elementStrides.size();
  if (elementStrides.back() != 1)
    return emitError() << "[tma-element-stride] the innermost element stride "
                          "is "
                       << elementStrides.back()
                       << ": the hardware takes it for 1 (measured)";
  StringRef tmaType = getTmaTypeName(elementType);
  if (tmaType.empty())
    return emitError() << "[tma-map-type] no tensor map has elements of "
                       << elementType;
  for (int64_t value : elementStrides)
    if (value < 1 || value > INT32_MAX)
      return emitError() << "[tma-element-stride] an element stride is 1 to 8, "
                            "not "
                         << value;
  TmaUnknown unknown{.address = true, .dims = 0xff, .strides = 0xff};
  for (const TmaViolation &violation :
       validate(fieldsOf(shape, swizzle, elementStrides, tmaType),
                targetInfo(TargetId::Sm90a), unknown))
    return emitError() << describe(violation);
  return success();
}

//===----------------------------------------------------------------------===//
// The operation
//===----------------------------------------------------------------------===//

/// Bytes from the first element to the last, where all is known.
static std::optional<int64_t> spanOf(ArrayRef<std::optional<int64_t>> dims,
                                     ArrayRef<std::optional<int64_t>> strides,
                                     int64_t elementBytes) {
  int64_t bytes = elementBytes;
  for (auto [d, dim] : llvm::enumerate(dims)) {
    std::optional<int64_t> stride =
        d < strides.size() ? strides[d] : std::optional(elementBytes);
    int64_t part;
    if (!dim || !stride || llvm::MulOverflow(*dim - 1, *stride, part) ||
        llvm::AddOverflow(bytes, part, bytes))
      return std::nullopt;
  }
  return bytes;
}

LogicalResult TensorMapOp::verify() {
  TensorMapType type = getType();
  GlobalType tensor = getTensor().getType();
  if (!isa<BlockArgument>(getTensor()))
    return emitOpError(
        "[tma-tensor] a tensor map is made over an argument of the kernel");
  if (type.getElementType() != tensor.getElementType())
    return emitOpError("[tma-map-type] the box is ")
           << type << ", the tensor " << tensor << ": element types must agree";
  unsigned rank = type.getRank();
  if (isView()) {
    if (getDims().size() != rank || getByteStrides().size() + 1 != rank)
      return emitOpError("[tma-map-type] a map of rank ")
             << rank << " has as many dims, not " << getDims().size()
             << ", and byte strides for all of them but the innermost, not "
             << getByteStrides().size();
  } else if (rank != tensor.getRank()) {
    return emitOpError("[tma-map-type] the box is ")
           << type << ", the tensor " << tensor
           << ": ranks must agree, or dims and byte_strides be given";
  }
  if (!llvm::is_contained({0, 64, 128, 256}, getL2Promotion()))
    return emitOpError(
        "[tma-l2-promotion] L2 promotion is 0, 64, 128 or 256 bytes");

  // What is known of sizes and strides, outermost first.
  int64_t bytes = ::titan::getElementBytes(tensor.getElementType());
  SmallVector<std::optional<int64_t>> dims, strides, sizes, pitches;
  auto known = [](int64_t value) {
    return ShapedType::isDynamic(value) ? std::nullopt : std::optional(value);
  };
  for (int64_t size : tensor.getShape())
    sizes.push_back(known(size));
  for (int64_t stride : tensor.getStrides().drop_back())
    pitches.push_back(ShapedType::isDynamic(stride)
                          ? std::nullopt
                          : std::optional(stride * bytes));
  for (Value value : getDims())
    dims.push_back(getConstant(value));
  for (Value value : getByteStrides())
    strides.push_back(getConstant(value));
  if (!isView()) {
    dims = sizes;
    strides = pitches;
  }
  TensorMap map =
      getTensorMapFields(type, getTmaTypeName(type.getElementType()));
  map.nanFill = getFill() == OobFill::NaN;
  TmaUnknown unknown{.address = true};
  for (unsigned d = 0; d < rank; ++d) {
    unsigned at = rank - 1 - d;
    map.dims[at] = dims[d].value_or(1);
    if (!dims[d])
      unknown.dims |= 1 << at;
    if (d + 1 == rank)
      continue;
    map.strides[at - 1] = strides[d].value_or(0);
    if (!strides[d])
      unknown.strides |= 1 << at;
  }
  for (const TmaViolation &violation :
       validate(map, targetInfo(TargetId::Sm90a), unknown))
    return emitOpError(describe(violation));
  auto span = spanOf(dims, strides, bytes),
       whole = spanOf(sizes, pitches, bytes);
  if (isView() && span && whole && *span > *whole)
    return emitOpError("[tma-view-range] the map spans ")
           << *span << " bytes, its tensor " << *whole;
  return success();
}
