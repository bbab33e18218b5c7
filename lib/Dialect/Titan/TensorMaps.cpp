//===- TensorMaps.cpp - tensor maps: the type, and how one is made --------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
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
        if (auto reduction = getReductionThrough(user, argument))
          isSigned |= isSignedTma(*reduction);
  return getTmaTypeName(op.getType().getElementType(), isSigned);
}

bool titan::hasTmaReduction(AtomicOp op, StringRef tmaType) {
  StringRef name = stringifyAtomicOp(op);
  return hasTmaReduction(std::string_view(name.data(), name.size()),
                         std::string_view(tmaType.data(), tmaType.size()));
}

static TensorMap fieldsOf(ArrayRef<int64_t> shape, int64_t swizzle,
                          ArrayRef<int64_t> elementStrides, int64_t interleave,
                          ArrayRef<int64_t> lower, ArrayRef<int64_t> upper,
                          StringRef tmaType) {
  TensorMap map;
  map.rank = elementStrides.size();
  map.type = findTmaType({tmaType.data(), tmaType.size()});
  map.swizzle =
      findTmaSwizzle(swizzle ? std::to_string(swizzle) + "B" : "none");
  map.interleave = static_cast<TmaInterleave>(interleave / 16);
  llvm::copy(llvm::reverse(elementStrides), map.elementStrides.begin());
  if (lower.empty()) {
    llvm::copy(llvm::reverse(shape), map.box.begin());
    return map;
  }
  map.mode = TmaMode::Im2col;
  map.im2col.pixels = shape[0];
  map.im2col.channels = shape[1];
  llvm::copy(llvm::reverse(lower), map.im2col.lower.begin());
  llvm::copy(llvm::reverse(upper), map.im2col.upper.begin());
  return map;
}

TensorMap titan::getTensorMapFields(TensorMapType type, StringRef tmaType) {
  return fieldsOf(type.getShape(), type.getSwizzle(), type.getElementStrides(),
                  type.getInterleave(), type.getLower(), type.getUpper(),
                  tmaType);
}

//===----------------------------------------------------------------------===//
// The type
//===----------------------------------------------------------------------===//

int64_t TensorMapType::getUnitBytes() const {
  return getInterleave() ? getInterleave()
                         : ::titan::getElementBytes(getElementType());
}

SmallVector<int64_t> TensorMapType::getTileShape() const {
  if (isIm2col())
    return SmallVector<int64_t>(getShape());
  SmallVector<int64_t> shape;
  for (auto [box, stride] : llvm::zip(getShape(), getElementStrides()))
    shape.push_back(llvm::divideCeil(box, stride));
  if (getInterleave())
    shape.push_back(getInterleave() /
                    ::titan::getElementBytes(getElementType()));
  return shape;
}

int64_t TensorMapType::getBoxBytes() const {
  int64_t bytes = ::titan::getElementBytes(getElementType());
  for (int64_t size : getTileShape())
    bytes *= size;
  return bytes;
}

std::string titan::describe(const TmaViolation &violation, const char *source) {
  std::string_view code = codeInfo(violation.code).code;
  return "[" + std::string(code) + "] " + violation.field + ": " +
         violation.message + " (" + source + "; dimension 0 is the innermost)";
}

static const char *encoderOf(bool im2col) {
  return im2col ? "cuTensorMapEncodeIm2col" : "cuTensorMapEncodeTiled";
}

/// The rules of what only the IR's way of writing a map can break.
static LogicalResult verifyForm(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<int64_t> shape, Type elementType,
                                ArrayRef<int64_t> elementStrides,
                                int64_t interleave, ArrayRef<int64_t> lower,
                                ArrayRef<int64_t> upper) {
  bool im2col = !lower.empty() || !upper.empty();
  if (!llvm::is_contained({0, 16, 32}, interleave))
    return emitError() << "[tma-interleave] slices have 16 or 32 bytes, not "
                       << interleave;
  if (im2col && shape.size() != 2)
    return emitError() << "[tma-im2col] the shape of an im2col map is pixels x "
                          "channels: 2 sizes, not "
                       << shape.size();
  if (lower.size() != upper.size())
    return emitError() << "[tma-im2col] " << lower.size()
                       << " lower corners and " << upper.size()
                       << " upper ones: one of each for each of D, H, W";
  for (ArrayRef<int64_t> corners : {lower, upper})
    for (int64_t corner : corners)
      if (corner != static_cast<int32_t>(corner))
        return emitError() << "[tma-im2col] a corner of " << corner;
  size_t rank = im2col ? lower.size() + 2 : shape.size();
  if (rank > TensorMap::maxRank)
    return emitError() << "[tma-rank] a tensor map has 1 to 5 dimensions ("
                       << encoderOf(im2col) << ")";
  if (elementStrides.size() != rank)
    return emitError() << "[tma-element-stride] " << rank
                       << " dimensions need as many element strides, not "
                       << elementStrides.size();
  for (int64_t value : elementStrides)
    if (value < 1 || value > INT32_MAX)
      return emitError() << "[tma-element-stride] an element stride is 1 to 8, "
                            "not "
                         << value;
  if (!interleave) {
    if (elementStrides.back() != 1)
      return emitError() << "[tma-element-stride] the innermost element stride "
                            "is "
                         << elementStrides.back()
                         << ": the hardware takes it for 1 (measured)";
    return success();
  }
  if (rank < 3)
    return success(); // validate says so.
  // Measured: one slice is moved whatever box and element stride say.
  if (elementStrides[1] != 1 || (!im2col && shape[1] != 1))
    return emitError() << "[tma-interleave] dimension 1, slices of channels, "
                          "has a box of "
                       << (im2col ? 1 : shape[1]) << " and element stride "
                       << elementStrides[1]
                       << ": a copy moves one slice (measured)";
  if (int64_t bytes = getElementBytes(elementType) * shape[1];
      im2col && bytes != interleave)
    return emitError() << "[tma-interleave] " << shape[1] << " channels are "
                       << bytes << " bytes, a slice has " << interleave;
  return success();
}

LogicalResult titan::verifyTensorMapType(
    function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
    Type elementType, int64_t swizzle, ArrayRef<int64_t> elementStrides,
    int64_t interleave, ArrayRef<int64_t> lower, ArrayRef<int64_t> upper) {
  if (failed(verifyForm(emitError, shape, elementType, elementStrides,
                        interleave, lower, upper)))
    return failure();
  StringRef tmaType = getTmaTypeName(elementType);
  if (tmaType.empty())
    return emitError() << "[tma-map-type] no tensor map has elements of "
                       << elementType;
  TmaUnknown unknown{.address = true, .dims = 0xff, .strides = 0xff};
  for (const TmaViolation &violation :
       validate(fieldsOf(shape, swizzle, elementStrides, interleave, lower,
                         upper, tmaType),
                targetWith(Feature::Tma), unknown))
    return emitError() << describe(violation, encoderOf(!lower.empty()));
  return success();
}

//===----------------------------------------------------------------------===//
// The operation
//===----------------------------------------------------------------------===//

/// Bytes from the first element to the last, where all is known. The innermost
/// dimension counts units of so many bytes.
static std::optional<int64_t> spanOf(ArrayRef<std::optional<int64_t>> dims,
                                     ArrayRef<std::optional<int64_t>> strides,
                                     int64_t unitBytes) {
  int64_t bytes = unitBytes;
  for (auto [d, dim] : llvm::enumerate(dims)) {
    std::optional<int64_t> stride =
        d < strides.size() ? strides[d] : std::optional(unitBytes);
    int64_t part;
    if (!dim || !stride || llvm::MulOverflow(*dim - 1, *stride, part) ||
        llvm::AddOverflow(bytes, part, bytes))
      return std::nullopt;
  }
  return bytes;
}

/// The tensor's innermost dimension is a slice, and along W slices follow one
/// another. (Where only the launch knows their stride, it is checked there.)
static LogicalResult verifySlices(TensorMapOp op) {
  GlobalType tensor = op.getTensor().getType();
  int64_t slice = op.getType().getTileShape().back();
  int64_t stride = tensor.getStrides()[tensor.getRank() - 2];
  if (tensor.getShape().back() != slice)
    return op.emitOpError("[tma-interleave] the tensor ")
           << tensor << " ends in slices of channels, of " << slice
           << " elements";
  if (!ShapedType::isDynamic(stride) && stride != slice)
    return op.emitOpError("[tma-interleave] slices of ")
           << slice << " elements follow one another along W, and the tensor's "
           << "stride there is " << stride;
  return success();
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
  } else if (rank + (type.getInterleave() != 0) != tensor.getRank()) {
    return emitOpError("[tma-map-type] the box is ")
           << type << ", the tensor " << tensor << ": ranks must agree"
           << (type.getInterleave() ? ", and a slice be a dimension more" : "")
           << ", or dims and byte_strides be given";
  }
  if (type.getInterleave() && !isView())
    if (failed(verifySlices(*this)))
      return failure();
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
    if (type.getInterleave()) {
      dims.pop_back();
      strides.pop_back();
    }
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
       validate(map, targetOf(*this, Feature::Tma), unknown))
    return emitOpError(describe(violation, encoderOf(type.isIm2col())));
  auto span = spanOf(dims, strides, type.getUnitBytes()),
       whole = spanOf(sizes, pitches, bytes);
  if (isView() && span && whole && *span > *whole)
    return emitOpError("[tma-view-range] the map spans ")
           << *span << " bytes, its tensor " << *whole;
  return success();
}

bool titan::isStoredThrough(TensorMapOp map) {
  return map->getParentOfType<KernelOp>()
      .getBody()
      .walk([&](HardwareEffectsInterface op) {
        effect::EffectList effects;
        op.getHardwareEffects(effects);
        for (const effect::Effect &each : effects)
          if (auto *access = std::get_if<effect::Access>(&each.what);
              access && access->kind != AccessKind::Read &&
              access->bytes.kind == effect::Footprint::Box &&
              getTensorMapOp(access->bytes.object) == map)
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

std::optional<AtomicOp> titan::getReductionThrough(Operation *op, Value map) {
  auto hardware = dyn_cast<HardwareEffectsInterface>(op);
  if (!hardware)
    return std::nullopt;
  effect::EffectList effects;
  hardware.getHardwareEffects(effects);
  for (const effect::Effect &each : effects)
    if (auto *access = std::get_if<effect::Access>(&each.what);
        access && access->reduction &&
        access->bytes.kind == effect::Footprint::Box &&
        access->bytes.object == map)
      return access->reduction->op;
  return std::nullopt;
}
