//===- TitanTypes.cpp - syntax and rules of the types ---------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OpHelpers.h"
#include "TileLimits.h"
#include "titan/Dialect/Titan/Titan.h"
#include "titan/Layout/SharedImage.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace titan;

#define GET_TYPEDEF_CLASSES
#include "titan/Dialect/Titan/TitanTypes.cpp.inc"

void TitanDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "titan/Dialect/Titan/TitanTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Syntax: SHAPExELEMENT (`,` key (`=` value)?)*
//===----------------------------------------------------------------------===//

namespace {
/// `128x64xbf16`
ParseResult parseShaped(AsmParser &parser, SmallVectorImpl<int64_t> &shape,
                        Type &elementType, bool allowDynamic) {
  return failure(parser.parseDimensionList(shape, allowDynamic) ||
                 parser.parseType(elementType));
}

void printShaped(AsmPrinter &printer, ArrayRef<int64_t> shape,
                 Type elementType) {
  for (int64_t size : shape) {
    if (ShapedType::isDynamic(size))
      printer << '?';
    else
      printer << size;
    printer << 'x';
  }
  printer << elementType;
}

/// The options of a memory type, each at most once.
struct Options {
  int64_t swizzle = 0, slots = 1, interleave = 0;
  bool cluster = false;
  SmallVector<int64_t> elementStrides, lower, upper;
};

ParseResult parseOptions(AsmParser &parser, Options &options,
                         ArrayRef<StringRef> allowed) {
  SmallVector<StringRef> seen;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef key;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key))
      return failure();
    if (!llvm::is_contained(allowed, key))
      return parser.emitError(loc)
             << "unknown option '" << key << "'; there are "
             << llvm::join(allowed, ", ");
    if (llvm::is_contained(seen, key))
      return parser.emitError(loc) << "option '" << key << "' given twice";
    seen.push_back(key);
    if (key == "cluster") {
      options.cluster = true;
      continue;
    }
    if (parser.parseEqual())
      return failure();
    auto *list = llvm::StringSwitch<SmallVector<int64_t> *>(key)
                     .Case("element_strides", &options.elementStrides)
                     .Case("lower", &options.lower)
                     .Case("upper", &options.upper)
                     .Default(nullptr);
    if (list) {
      loc = parser.getCurrentLocation();
      if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
            return parser.parseInteger(list->emplace_back());
          }))
        return failure();
      if (list->empty())
        return parser.emitError(loc)
               << "'" << key << "' has one number for each dimension";
      continue;
    }
    if (parser.parseInteger(key == "swizzle"      ? options.swizzle
                            : key == "interleave" ? options.interleave
                                                  : options.slots))
      return failure();
  }
  return success();
}

LogicalResult verifyTile(function_ref<InFlightDiagnostic()> emitError,
                         ArrayRef<int64_t> shape, Type elementType) {
  if (shape.empty())
    return emitError() << "a tile has at least one dimension";
  int64_t elements = 1;
  for (int64_t size : shape) {
    if (size < 1 || ShapedType::isDynamic(size))
      return emitError() << "the sizes of a tile are static and at least 1";
    if (size > maxTileElements || (elements *= size) > maxTileElements)
      return emitError() << "a tile of more than 2^24 elements";
  }
  if (!elementType.isIntOrFloat())
    return emitError() << "the element type is an integer or a float, not "
                       << elementType;
  unsigned bits = elementType.getIntOrFloatBitWidth();
  if (bits % 8 || bits > 64)
    return emitError() << "elements of 8, 16, 32 or 64 bits, not " << bits;
  return success();
}

LogicalResult verifySwizzle(function_ref<InFlightDiagnostic()> emitError,
                            int64_t swizzle) {
  if (!llvm::is_contained({0, 32, 64, 128}, swizzle))
    return emitError() << "swizzle is 0, 32, 64 or 128 bytes, not " << swizzle
                       << " (PTX ISA, Swizzling modes)";
  return success();
}
} // namespace

//===----------------------------------------------------------------------===//
// Types without parameters
//===----------------------------------------------------------------------===//

template <typename T> static Type parsePlain(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalLess()))
    return T::get(parser.getContext());
  InFlightDiagnostic error = parser.emitError(loc)
                             << "'!" << T::name << "' has no parameters";
  error.attachNote() << "fix: write !" << T::name;
  return {};
}

Type PhaseType::parse(AsmParser &parser) {
  return parsePlain<PhaseType>(parser);
}
void PhaseType::print(AsmPrinter &) const {}

Type SlotType::parse(AsmParser &parser) { return parsePlain<SlotType>(parser); }
void SlotType::print(AsmPrinter &) const {}

//===----------------------------------------------------------------------===//
// Global
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> defaultStrides(size_t rank) {
  SmallVector<int64_t> strides(rank, ShapedType::kDynamic);
  if (rank)
    strides.back() = 1;
  return strides;
}

Type GlobalType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  if (parser.parseLess() ||
      parseShaped(parser, shape, elementType, /*allowDynamic=*/true))
    return {};
  SmallVector<int64_t> strides = defaultStrides(shape.size());
  if (succeeded(parser.parseOptionalComma())) {
    strides.clear();
    if (parser.parseKeyword("strides") || parser.parseEqual() ||
        parser.parseCommaSeparatedList(
            AsmParser::Delimiter::Square, [&]() -> ParseResult {
              if (succeeded(parser.parseOptionalQuestion())) {
                strides.push_back(ShapedType::kDynamic);
                return success();
              }
              return parser.parseInteger(strides.emplace_back());
            }))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<GlobalType>(parser.getContext(), shape, elementType,
                                       strides);
}

void GlobalType::print(AsmPrinter &printer) const {
  printer << '<';
  printShaped(printer, getShape(), getElementType());
  if (getStrides() != ArrayRef<int64_t>(defaultStrides(getRank()))) {
    printer << ", strides = [";
    llvm::interleaveComma(getStrides(), printer, [&](int64_t stride) {
      if (ShapedType::isDynamic(stride))
        printer << '?';
      else
        printer << stride;
    });
    printer << ']';
  }
  printer << '>';
}

LogicalResult GlobalType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType,
                                 ArrayRef<int64_t> strides) {
  if (shape.empty() || shape.size() > 5)
    return emitError() << "a global tensor has 1 to 5 dimensions, not "
                       << shape.size();
  for (int64_t size : shape)
    if (!ShapedType::isDynamic(size) && size < 1)
      return emitError() << "the sizes of a global tensor are at least 1";
  if (strides.size() != shape.size())
    return emitError() << shape.size()
                       << " dimensions need as many strides, not "
                       << strides.size();
  if (strides.back() != 1)
    return emitError() << "the innermost stride is 1 element";
  for (int64_t stride : strides)
    if (!ShapedType::isDynamic(stride) && stride < 0)
      return emitError() << "strides are not negative";
  if (!elementType.isIntOrFloat() || elementType.getIntOrFloatBitWidth() % 8 ||
      elementType.getIntOrFloatBitWidth() > 64)
    return emitError()
           << "elements of 8, 16, 32 or 64 bits, integer or float; not "
           << elementType;
  return success();
}

//===----------------------------------------------------------------------===//
// Shared
//===----------------------------------------------------------------------===//

Type SharedType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  Options options;
  if (parser.parseLess() || parseShaped(parser, shape, elementType, false) ||
      parseOptions(parser, options, {"swizzle", "slots", "cluster"}) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<SharedType>(parser.getContext(), shape, elementType,
                                       options.swizzle, options.slots,
                                       options.cluster);
}

void SharedType::print(AsmPrinter &printer) const {
  printer << '<';
  printShaped(printer, getShape(), getElementType());
  if (getSwizzle())
    printer << ", swizzle = " << getSwizzle();
  if (getSlots() != 1)
    printer << ", slots = " << getSlots();
  if (getCluster())
    printer << ", cluster";
  printer << '>';
}

/// How a tile's rows (all dimensions but the innermost) lie in shared memory.
static Result<SharedImage> makeImage(ArrayRef<int64_t> shape, Type elementType,
                                     int64_t swizzle) {
  int64_t rows = 1;
  for (int64_t size : shape.drop_back())
    rows *= size;
  Swizzle mode = Swizzle::None;
  while (swizzle > swizzleSpan(mode))
    mode = static_cast<Swizzle>(static_cast<int>(mode) + 1);
  return SharedImage::make(rows, shape.back(),
                           ::titan::getElementBytes(elementType), mode);
}

LogicalResult SharedType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType,
                                 int64_t swizzle, int64_t slots, bool cluster) {
  if (failed(verifyTile(emitError, shape, elementType)) ||
      failed(verifySwizzle(emitError, swizzle)))
    return failure();
  if (slots < 1 || slots > 4096)
    return emitError() << "a ring has 1 to 4096 slots, not " << slots;
  if (shape.size() > size_t(Coord::maxRank))
    return emitError() << "[tile-shape] a shared tile has at most "
                       << Coord::maxRank << " dimensions, not " << shape.size();
  // The layout allows rows narrower than the span, with gaps; tiles have none.
  int64_t rowBytes = shape.back() * ::titan::getElementBytes(elementType);
  if (rowBytes < swizzle)
    return emitError() << "rows of " << rowBytes
                       << " bytes do not fill the swizzle's span of " << swizzle
                       << " bytes: use a narrower swizzle";
  if (auto image = makeImage(shape, elementType, swizzle); !image)
    return emitError() << image.problem().message
                       << (swizzle ? ": use a narrower swizzle, or rows that "
                                     "are a multiple of its span"
                                   : "");
  return success();
}

int64_t SharedType::getElementBytes() const {
  return ::titan::getElementBytes(getElementType());
}

int64_t SharedType::getTileBytes() const {
  int64_t bytes = getElementBytes();
  for (int64_t size : getShape())
    bytes *= size;
  return bytes;
}

int64_t SharedType::getAlignment() const {
  return std::max<int64_t>(128, 8 * getSwizzle());
}

int64_t SharedType::getSlotBytes() const {
  return llvm::alignTo(getTileBytes(), getAlignment());
}

SharedType SharedType::getSlotType() const {
  return get(getContext(), getShape(), getElementType(), getSwizzle(), 1,
             getCluster());
}

SharedImage SharedType::getImage() const {
  return *makeImage(getShape(), getElementType(), getSwizzle());
}

::titan::Layout SharedType::getLayout() const {
  ::titan::Layout rows = *getImage().layout();
  // The axis of rows, cut into the dimensions that they count.
  std::vector<Axis> axes;
  int64_t weight = getImage().rows();
  for (auto [d, size] : llvm::enumerate(getShape().drop_back())) {
    weight /= size;
    axes.push_back({std::string("row_") + static_cast<char>('a' + d),
                    {{size, 0, weight * getImage().pitchBytes()}}});
  }
  axes.push_back(rows.axes()[1]);
  return *::titan::Layout::make(std::move(axes), rows.dims(), rows.offset(),
                                rows.bits());
}

int64_t SharedType::getByteOffset(ArrayRef<int64_t> coords) const {
  int64_t row = 0;
  for (auto [size, at] : llvm::zip(getShape().drop_back(), coords))
    row = row * size + at;
  return getImage().address(0, row, coords.back());
}

//===----------------------------------------------------------------------===//
// Tensor memory
//===----------------------------------------------------------------------===//

Type TensorMemoryType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  Options options;
  if (parser.parseLess() || parseShaped(parser, shape, elementType, false) ||
      parseOptions(parser, options, {"slots"}) || parser.parseGreater())
    return {};
  return parser.getChecked<TensorMemoryType>(parser.getContext(), shape,
                                             elementType, options.slots);
}

void TensorMemoryType::print(AsmPrinter &printer) const {
  printer << '<';
  printShaped(printer, getShape(), getElementType());
  if (getSlots() != 1)
    printer << ", slots = " << getSlots();
  printer << '>';
}

int64_t TensorMemoryType::getColumns() const {
  return llvm::divideCeil(
      getShape().back() * ::titan::getElementBytes(getElementType()), 4);
}

LogicalResult
TensorMemoryType::verify(function_ref<InFlightDiagnostic()> emitError,
                         ArrayRef<int64_t> shape, Type elementType,
                         int64_t slots) {
  if (failed(verifyTile(emitError, shape, elementType)))
    return failure();
  if (shape.size() != 2 || (shape[0] != 64 && shape[0] != 128))
    return emitError() << "tensor memory holds tiles of 64 or 128 rows (lanes)";
  int64_t columns =
      slots *
      llvm::divideCeil(shape[1] * ::titan::getElementBytes(elementType), 4);
  if (slots < 1 || columns > 512)
    return emitError() << "[tmem-alloc] " << columns
                       << " columns of 32 bits; tensor memory has 512";
  return success();
}

//===----------------------------------------------------------------------===//
// MBarrier
//===----------------------------------------------------------------------===//

Type MBarrierType::parse(AsmParser &parser) {
  int64_t slots = 1;
  bool cluster = false;
  if (succeeded(parser.parseOptionalLess())) {
    if (succeeded(parser.parseOptionalKeyword("cluster"))) {
      cluster = true;
    } else {
      if (parser.parseInteger(slots))
        return {};
      if (succeeded(parser.parseOptionalComma())) {
        if (parser.parseKeyword("cluster"))
          return {};
        cluster = true;
      }
    }
    if (parser.parseGreater())
      return {};
  }
  return parser.getChecked<MBarrierType>(parser.getContext(), slots, cluster);
}

void MBarrierType::print(AsmPrinter &printer) const {
  if (getSlots() == 1 && !getCluster())
    return;
  printer << '<' << getSlots() << (getCluster() ? ", cluster>" : ">");
}

LogicalResult MBarrierType::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t slots, bool cluster) {
  if (slots < 1 || slots > 4096)
    return emitError() << "a ring has 1 to 4096 barriers, not " << slots;
  return success();
}

//===----------------------------------------------------------------------===//
// Tensor map
//===----------------------------------------------------------------------===//

Type TensorMapType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  Options options;
  if (parser.parseLess())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  bool im2col = succeeded(parser.parseOptionalKeyword("im2col"));
  if (parseShaped(parser, shape, elementType, false) ||
      parseOptions(
          parser, options,
          {"lower", "upper", "element_strides", "interleave", "swizzle"}) ||
      parser.parseGreater())
    return {};
  if (im2col == (options.lower.empty() && options.upper.empty())) {
    parser.emitError(loc) << "[tma-im2col] 'im2col' goes with the corners of a "
                             "bounding box, 'lower' and 'upper'";
    return {};
  }
  if (options.elementStrides.empty())
    options.elementStrides.assign(
        im2col ? options.lower.size() + 2 : shape.size(), 1);
  return parser.getChecked<TensorMapType>(
      parser.getContext(), shape, elementType, options.swizzle,
      options.elementStrides, options.interleave, options.lower, options.upper);
}

void TensorMapType::print(AsmPrinter &printer) const {
  auto list = [&](StringRef name, ArrayRef<int64_t> values) {
    printer << ", " << name << " = [";
    llvm::interleaveComma(values, printer);
    printer << ']';
  };
  printer << (isIm2col() ? "<im2col " : "<");
  printShaped(printer, getShape(), getElementType());
  if (isIm2col()) {
    list("lower", getLower());
    list("upper", getUpper());
  }
  if (llvm::any_of(getElementStrides(), [](int64_t s) { return s != 1; }))
    list("element_strides", getElementStrides());
  if (getInterleave())
    printer << ", interleave = " << getInterleave();
  if (getSwizzle())
    printer << ", swizzle = " << getSwizzle();
  printer << '>';
}

LogicalResult TensorMapType::verify(
    function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
    Type elementType, int64_t swizzle, ArrayRef<int64_t> elementStrides,
    int64_t interleave, ArrayRef<int64_t> lower, ArrayRef<int64_t> upper) {
  if (failed(verifyTile(emitError, shape, elementType)) ||
      failed(verifySwizzle(emitError, swizzle)))
    return failure();
  return verifyTensorMapType(emitError, shape, elementType, swizzle,
                             elementStrides, interleave, lower, upper);
}
