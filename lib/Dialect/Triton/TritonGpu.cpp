//===- TritonGpu.cpp - Triton's layout encodings, read and printed --------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Dialect/Triton/TritonGpu.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace titan::ttg;
using titan::triton::Encoding;

#include "titan/Dialect/Triton/TritonGpuDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "titan/Dialect/Triton/TritonGpuAttributes.cpp.inc"

namespace {
/// The aliases that Triton gives: #blocked, #linear, #mma, #shared.
struct Aliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attribute, raw_ostream &os) const final {
    auto encoding = dyn_cast<EncodingAttr>(attribute);
    if (!encoding || encoding.getParent())
      return AliasResult::NoAlias;
    StringRef kind = encoding.getText().drop_front(strlen("#ttg."));
    kind = kind.take_until([](char c) { return c == '<'; });
    if (kind.contains("shared"))
      kind = "shared";
    else if (kind == "nvidia_mma" || kind == "amd_mfma")
      kind = "mma";
    os << kind;
    return AliasResult::FinalAlias;
  }
};
} // namespace

void TritonGpuDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "titan/Dialect/Triton/TritonGpuAttributes.cpp.inc"
      >();
  addInterfaces<Aliases>();
}

/// The words up to the '>' that ends the attribute, an encoding within spelled
/// out: the rest of the grammar is Encoding::parse's.
static LogicalResult readText(AsmParser &parser, std::string &text,
                              EncodingAttr &parent) {
  StringRef word;
  if (parser.parseKeyword(&word) || parser.parseLess())
    return failure();
  text = ("#ttg." + word + "<").str();
  while (failed(parser.parseOptionalGreater())) {
    int64_t number;
    Attribute inner;
    if (succeeded(parser.parseOptionalLBrace()))
      text += '{';
    else if (succeeded(parser.parseOptionalRBrace()))
      text += '}';
    else if (succeeded(parser.parseOptionalLSquare()))
      text += '[';
    else if (succeeded(parser.parseOptionalRSquare()))
      text += ']';
    else if (succeeded(parser.parseOptionalComma()))
      text += ',';
    else if (succeeded(parser.parseOptionalEqual()))
      text += '=';
    else if (succeeded(parser.parseOptionalColon()))
      text += ':';
    else if (succeeded(parser.parseOptionalPlus()))
      text += '+';
    else if (succeeded(parser.parseOptionalKeyword(&word)))
      text += (word + " ").str();
    else if (OptionalParseResult read = parser.parseOptionalInteger(number);
             read.has_value()) {
      if (failed(*read))
        return failure();
      text += std::to_string(number);
    } else {
      SMLoc at = parser.getCurrentLocation();
      if (parser.parseAttribute(inner))
        return failure();
      if (parent || !(parent = dyn_cast<EncodingAttr>(inner)))
        return parser.emitError(at, "[layout-syntax] expected one encoding as "
                                    "the parent of this one");
      text += parent.getText();
    }
  }
  text += '>';
  return success();
}

Attribute TritonGpuDialect::parseAttribute(DialectAsmParser &parser,
                                           Type) const {
  SMLoc at = parser.getCurrentLocation();
  std::string text;
  EncodingAttr parent;
  if (failed(readText(parser, text, parent)))
    return {};
  auto read = Encoding::parse(text);
  if (!read) {
    parser.emitError(at) << '[' << read.problem().code << "] "
                         << read.problem().message;
    return {};
  }
  return EncodingAttr::get(getContext(), read->str(), parent);
}

void TritonGpuDialect::printAttribute(Attribute attribute,
                                      DialectAsmPrinter &printer) const {
  auto encoding = cast<EncodingAttr>(attribute);
  StringRef text = encoding.getText().drop_front(strlen("#ttg."));
  auto parent = cast_or_null<EncodingAttr>(encoding.getParent());
  if (!parent) {
    printer << text;
    return;
  }
  auto [before, after] = text.split(parent.getText());
  printer << before;
  printer.printAttribute(parent);
  printer << after;
}

LogicalResult EncodingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   StringRef text, Attribute parent) {
  auto read = Encoding::parse(text);
  if (!read)
    return emitError() << '[' << read.problem().code << "] "
                       << read.problem().message;
  auto of = dyn_cast_or_null<EncodingAttr>(parent);
  if (bool(read->parent()) != bool(of) ||
      (of && read->parent()->str() != of.getText()))
    return emitError() << "[layout-syntax] another parent than the text's";
  return success();
}

Encoding EncodingAttr::getEncoding() const {
  return *Encoding::parse(getText());
}

LogicalResult EncodingAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type,
    function_ref<InFlightDiagnostic()> emitError) const {
  Encoding encoding = getEncoding();
  if (encoding.isShared())
    return emitError() << "[layout-instruction] the encoding of a tensor says "
                          "which thread holds an element; this one is of "
                          "shared memory";
  if (ShapedType::isDynamicShape(shape))
    return success();
  auto layout = encoding.layout(shape.vec());
  if (!layout)
    return emitError() << '[' << layout.problem().code << "] "
                       << layout.problem().message;
  return success();
}
