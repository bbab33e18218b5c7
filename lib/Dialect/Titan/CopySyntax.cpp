//===- CopySyntax.cpp - how copies and schedules are written --------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OpHelpers.h"
#include "titan/Dialect/Titan/CopyAsync.h"
#include "titan/Domain/TmaScheduleText.h"
#include "titan/Target/NearestWord.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace titan;

//===----------------------------------------------------------------------===//
// #titan.schedule<...>: MLIR's tokens, lib/Domain's grammar
//===----------------------------------------------------------------------===//

/// The next token as text; nothing where there is none that a schedule has.
static std::optional<std::string> parseToken(AsmParser &parser) {
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word)))
    return word.str();
  APInt number;
  using Punctuation = ParseResult (AsmParser::*)();
  static const std::pair<Punctuation, const char *> signs[] = {
      {&AsmParser::parseOptionalComma, ","},
      {&AsmParser::parseOptionalEqual, "="},
      {&AsmParser::parseOptionalLParen, "("},
      {&AsmParser::parseOptionalRParen, ")"},
      {&AsmParser::parseOptionalLBrace, "{"},
      {&AsmParser::parseOptionalRBrace, "}"},
      {&AsmParser::parseOptionalColon, ":"},
      {&AsmParser::parseOptionalMinus, "-"},
      {&AsmParser::parseOptionalPlus, "+"},
      {&AsmParser::parseOptionalStar, "*"},
      {&AsmParser::parseOptionalSlash, "/"}};
  for (auto [take, sign] : signs)
    if (succeeded((parser.*take)()))
      return sign;
  OptionalParseResult parsed = parser.parseOptionalInteger(number);
  if (!parsed.has_value() || failed(*parsed))
    return std::nullopt;
  llvm::SmallString<16> digits;
  number.toStringUnsigned(digits);
  return digits.str().str();
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  std::string text;
  SmallVector<SMLoc> places;
  while (true) {
    places.push_back(parser.getCurrentLocation());
    if (succeeded(parser.parseOptionalGreater()))
      break;
    std::optional<std::string> token = parseToken(parser);
    if (!token || token->find_first_of(".$") != std::string::npos) {
      parser.emitError(places.back(),
                       "expected a name, a number or a sign of a schedule, or "
                       "'>' at its end");
      return {};
    }
    text += " " + *token;
  }
  if (auto found = findSyntaxProblem(text)) {
    InFlightDiagnostic error = parser.emitError(
        places[std::min(found->place.token, places.size() - 1)]);
    error << '[' << found->problem.code << "] " << found->problem.message;
    if (!found->problem.fix.empty())
      error.attachNote() << "fix: " << found->problem.fix;
    return {};
  }
  return get(parser.getContext(), text);
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  printer << '<' << getText() << '>';
}

//===----------------------------------------------------------------------===//
// titan.copy_async: syntax
//===----------------------------------------------------------------------===//

/// `at(Mo = %row, Ko = %k)`, where it is there.
static ParseResult
parseAt(OpAsmParser &parser, SmallVectorImpl<Attribute> &names,
        SmallVectorImpl<OpAsmParser::UnresolvedOperand> &indices) {
  SMLoc place = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword("at")))
    return success();
  if (!names.empty())
    return parser.emitError(place, "one `at`, behind the tensor");
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Paren, [&]() -> ParseResult {
        StringRef name;
        SMLoc loop = parser.getCurrentLocation();
        if (failed(parser.parseOptionalKeyword(&name)))
          return parser.emitError(
              loop,
              "expected the name of a loop of the schedule: at(Mo = %row)");
        if (parser.parseEqual() || parser.parseOperand(indices.emplace_back()))
          return failure();
        names.push_back(parser.getBuilder().getStringAttr(name));
        return success();
      });
}

ParseResult
titan::parseLoops(OpAsmParser &parser, ArrayAttr &names,
                  SmallVectorImpl<OpAsmParser::UnresolvedOperand> &indices) {
  SmallVector<Attribute> words;
  if (parseAt(parser, words, indices))
    return failure();
  names = parser.getBuilder().getArrayAttr(words);
  return success();
}

void titan::printLoops(OpAsmPrinter &printer, Operation *, ArrayAttr names,
                       ValueRange indices) {
  if (names.empty())
    return;
  printer << "at(";
  llvm::interleaveComma(llvm::zip(names, indices), printer, [&](auto each) {
    printer << cast<StringAttr>(std::get<0>(each)).getValue() << " = "
            << std::get<1>(each);
  });
  printer << ')';
}

/// Whether a copy takes an enum's word: there is no exchange among the
/// reductions of tensor copies.
template <typename Enum> static bool takesWord(Enum value) {
  if constexpr (std::is_same_v<Enum, AtomicOp>)
    return llvm::any_of(tmaReductions(), [&](const TmaReduction &row) {
      return stringifyEnum(value) == StringRef(row.op);
    });
  return true;
}

/// `keyword(word)`, an enum's word, where it is there.
template <typename Attr, typename Enum>
static ParseResult parseWord(OpAsmParser &parser, StringRef keyword,
                             NamedAttrList &attributes) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  StringRef word;
  if (parser.parseLParen())
    return failure();
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<Enum> value = symbolizeEnum<Enum>(word);
  if (!value || !takesWord(*value)) {
    InFlightDiagnostic error = parser.emitError(place);
    error << "'" << word << "' is no word of `" << keyword << "`:";
    for (int i = 0; !stringifyEnum(Enum(i)).empty(); ++i)
      if (takesWord(Enum(i)))
        error << (i ? ", " : " ") << stringifyEnum(Enum(i));
    return error;
  }
  attributes.append(keyword, Attr::get(parser.getContext(), *value));
  return parser.parseRParen();
}

/// `cache(evict_first)`, where it is there.
static ParseResult parseCache(OpAsmParser &parser, NamedAttrList &attributes) {
  if (failed(parser.parseOptionalKeyword("cache")))
    return success();
  if (parser.parseLParen())
    return failure();
  Attribute policy = CachePolicyAttr::parse(parser, Type());
  if (!policy)
    return failure();
  attributes.append("cache", policy);
  return parser.parseRParen();
}

/// What stands behind a copy's schedule; no other words.
static ParseResult parseWords(OpAsmParser &parser, bool reduces,
                              NamedAttrList &attributes) {
  for (StringRef word : {"weak", "strong"})
    if (succeeded(parser.parseOptionalKeyword(word)))
      attributes.append(word, parser.getBuilder().getUnitAttr());
  if (parseWord<OobFillAttr, OobFill>(parser, "fill", attributes) ||
      (reduces &&
       parseWord<AtomicOpAttr, AtomicOp>(parser, "reduce", attributes)) ||
      parseCache(parser, attributes))
    return failure();
  SMLoc place = parser.getCurrentLocation();
  StringRef word;
  if (reduces && succeeded(parser.parseOptionalKeyword("dispatch"))) {
    StringAttr variant;
    return ParseResult(
        failure(parser.parseLParen() ||
                parser.parseAttribute(variant, "dispatch", attributes) ||
                parser.parseRParen()));
  }
  if (failed(parser.parseOptionalKeyword(&word)))
    return success();
  if (reduces && word == "signals")
    return parser.emitError(place)
           << "[copy-form] `signals` stands behind the target, before "
              "`schedule`";
  if (reduces && word == "as") {
    InFlightDiagnostic error = parser.emitError(place)
                               << "[copy-form] `as` stands behind an operand "
                                  "and its offsets, before `extents`";
    error.attachNote() << "fix: write %tile[%i, %j] as #titan.layout<...> "
                          "extents [96, 8]";
    return error;
  }
  SmallVector<std::string_view> words = {"weak", "strong", "fill", "cache"};
  if (reduces)
    words.append({"reduce", "dispatch"});
  bool known = llvm::is_contained(words, std::string_view(word));
  InFlightDiagnostic error = parser.emitError(place);
  if (known)
    error << "`" << word << "` stands too late, or twice";
  else
    error << "'" << word << "' is no word of a copy";
  StringRef near = nearestWord(std::string_view(word), words);
  Diagnostic &fix = error.attachNote() << "fix: ";
  if (!known && !near.empty())
    fix << "did you mean " << near << "? ";
  fix << "behind schedule(...) stand, in this order, weak or strong, "
         "fill(zero) or fill(nan), "
      << (reduces ? "reduce(add), " : "") << "cache(evict_first)"
      << (reduces ? ", dispatch(\"tma\")" : "");
  return error;
}

ParseResult titan::parseCopyWords(OpAsmParser &parser, UnitAttr &weak,
                                  UnitAttr &strong, OobFillAttr &fill,
                                  CachePolicyAttr &cache) {
  NamedAttrList words;
  if (parseWords(parser, /*reduces=*/false, words))
    return failure();
  weak = dyn_cast_or_null<UnitAttr>(words.get("weak"));
  strong = dyn_cast_or_null<UnitAttr>(words.get("strong"));
  fill = dyn_cast_or_null<OobFillAttr>(words.get("fill"));
  cache = dyn_cast_or_null<CachePolicyAttr>(words.get("cache"));
  return success();
}

void titan::printCopyWords(OpAsmPrinter &printer, Operation *, UnitAttr weak,
                           UnitAttr strong, OobFillAttr fill,
                           CachePolicyAttr cache) {
  if (weak)
    printer << " weak";
  if (strong)
    printer << " strong";
  if (fill)
    printer << " fill(" << stringifyOobFill(fill.getValue()) << ')';
  if (cache) {
    printer << " cache(";
    printer.printStrippedAttrOrType(cache);
    printer << ')';
  }
}

ParseResult titan::parseAs(OpAsmParser &parser, LayoutTextAttr &layout) {
  if (failed(parser.parseOptionalKeyword("as")))
    return success();
  return parser.parseAttribute(layout);
}

void titan::printAs(OpAsmPrinter &printer, Operation *, LayoutTextAttr layout) {
  if (layout)
    printer << " as " << layout;
}

/// `[%i, %j] as #titan.layout<...>`, where they are there.
static ParseResult
parsePlace(OpAsmParser &parser,
           SmallVectorImpl<OpAsmParser::UnresolvedOperand> &offsets,
           StringRef name, NamedAttrList &attributes) {
  LayoutTextAttr layout;
  if (parser.parseOperandList(offsets, AsmParser::Delimiter::OptionalSquare) ||
      parseAs(parser, layout))
    return failure();
  if (layout)
    attributes.append(name, layout);
  return success();
}

/// `filter(%r, %s)`, where it is there.
static ParseResult
parseFilter(OpAsmParser &parser,
            SmallVectorImpl<OpAsmParser::UnresolvedOperand> &filter) {
  if (failed(parser.parseOptionalKeyword("filter")))
    return success();
  return parser.parseOperandList(filter, AsmParser::Delimiter::Paren);
}

ParseResult CopyAsyncOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &b = parser.getBuilder();
  OpAsmParser::UnresolvedOperand source, target, barrier, slot, rank, multicast;
  SmallVector<OpAsmParser::UnresolvedOperand> indices, sourceOffsets,
      targetOffsets, filter;
  SmallVector<Attribute> names;
  bool signals = false, indexed = false;
  Type slotType;
  ScheduleAttr schedule;
  if (parser.parseOperand(source) ||
      parsePlace(parser, sourceOffsets, "sourceLayout", result.attributes) ||
      parseAt(parser, names, indices) || parseFilter(parser, filter) ||
      parser.parseKeyword("to") || parser.parseOperand(target) ||
      parsePlace(parser, targetOffsets, "targetLayout", result.attributes) ||
      parseAt(parser, names, indices))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("extents"))) {
    auto extents = dyn_cast_or_null<DenseI64ArrayAttr>(
        DenseI64ArrayAttr::parse(parser, Type()));
    if (!extents)
      return failure();
    result.addAttribute("extents", extents);
  }
  bool ranked = succeeded(parser.parseOptionalKeyword("rank"));
  if (ranked && (parser.parseLParen() || parser.parseOperand(rank) ||
                 parser.parseRParen()))
    return failure();
  bool multicasts = succeeded(parser.parseOptionalKeyword("multicast"));
  if (multicasts && (parser.parseLParen() || parser.parseOperand(multicast) ||
                     parser.parseRParen()))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("signals"))) {
    signals = true;
    SMLoc place = parser.getCurrentLocation();
    OptionalParseResult named = parser.parseOptionalOperand(barrier);
    if (!named.has_value())
      return parser.emitError(place)
             << "[copy-form] `signals` names the mbarrier that the copy "
                "completes on: signals %full";
    if (failed(*named))
      return failure();
    if (succeeded(parser.parseOptionalLSquare())) {
      indexed = true;
      if (parser.parseOperand(slot) || parser.parseColonType(slotType) ||
          parser.parseRSquare())
        return failure();
    }
  }
  if (succeeded(parser.parseOptionalKeyword("prefetch")))
    result.addAttribute("prefetch", b.getUnitAttr());
  if (succeeded(parser.parseOptionalKeyword("schedule")) &&
      (parser.parseLParen() ||
       parser.parseAttribute(schedule, "schedule", result.attributes) ||
       parser.parseRParen()))
    return failure();
  SmallVector<Type, 3> types;
  SMLoc place;
  if (parseWords(parser, /*reduces=*/true, result.attributes) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.getCurrentLocation(&place) || parser.parseColonTypeList(types))
    return failure();
  if (types.size() == 3 && !signals)
    return parser.emitError(place)
           << "[copy-form] three types, and no mbarrier: a copy to shared "
              "memory names the one that it completes on behind its target, "
              "signals %full";
  if (types.size() != 2 + size_t(signals))
    return parser.emitError(place)
           << types.size() << " types: expected those of "
           << (signals ? "source, target and barrier" : "source and target");
  result.addAttribute("loops", b.getArrayAttr(names));
  auto count = [](const auto &list) {
    return static_cast<int32_t>(list.size());
  };
  const int32_t sizes[] = {1,
                           1,
                           count(indices),
                           signals,
                           indexed,
                           count(sourceOffsets),
                           count(targetOffsets),
                           ranked,
                           count(filter),
                           multicasts};
  llvm::copy(
      sizes,
      result.getOrAddProperties<Properties>().operandSegmentSizes.begin());
  if (parser.resolveOperand(source, types[0], result.operands) ||
      parser.resolveOperand(target, types[1], result.operands) ||
      parser.resolveOperands(indices, b.getIndexType(), result.operands) ||
      (signals && parser.resolveOperand(barrier, types[2], result.operands)) ||
      (indexed && parser.resolveOperand(slot, slotType, result.operands)) ||
      parser.resolveOperands(sourceOffsets, b.getIndexType(),
                             result.operands) ||
      parser.resolveOperands(targetOffsets, b.getIndexType(),
                             result.operands) ||
      (ranked &&
       parser.resolveOperand(rank, b.getI32Type(), result.operands)) ||
      parser.resolveOperands(filter, b.getIndexType(), result.operands) ||
      (multicasts &&
       parser.resolveOperand(multicast, b.getI16Type(), result.operands)))
    return failure();
  return success();
}

void CopyAsyncOp::print(OpAsmPrinter &printer) {
  auto operand = [&](Value value, OperandRange offsets, LayoutTextAttr layout) {
    printer << value;
    if (!offsets.empty())
      printer << '[' << offsets << ']';
    printAs(printer, *this, layout);
    if (!isa<GlobalType>(value.getType()) || getLoops().empty())
      return;
    printer << ' ';
    printLoops(printer, *this, getLoops(), getIndices());
  };
  printer << ' ';
  operand(getSource(), getSourceOffsets(), getSourceLayoutAttr());
  if (!getFilter().empty())
    printer << " filter(" << getFilter() << ')';
  printer << " to ";
  operand(getTarget(), getTargetOffsets(), getTargetLayoutAttr());
  if (auto extents = getExtentsAttr()) {
    printer << " extents ";
    extents.print(printer);
  }
  if (getRank())
    printer << " rank(" << getRank() << ')';
  if (getMulticast())
    printer << " multicast(" << getMulticast() << ')';
  if (getBarrier()) {
    printer << " signals " << getBarrier();
    if (getIndex())
      printer << '[' << getIndex() << " : " << getIndex().getType() << ']';
  }
  if (getPrefetch())
    printer << " prefetch";
  if (isBySchedule())
    printer << " schedule(" << getScheduleAttr() << ')';
  if (getWeak())
    printer << " weak";
  if (getStrong())
    printer << " strong";
  if (auto fill = getFill())
    printer << " fill(" << stringifyOobFill(*fill) << ')';
  if (auto reduce = getReduce())
    printer << " reduce(" << stringifyAtomicOp(*reduce) << ')';
  if (auto cache = getCacheAttr()) {
    printer << " cache(";
    printer.printStrippedAttrOrType(cache);
    printer << ')';
  }
  if (auto variant = getDispatchAttr())
    printer << " dispatch(" << variant << ')';
  printer.printOptionalAttrDict(
      (*this)->getAttrs(), {"operandSegmentSizes", "loops", "schedule", "weak",
                            "strong", "fill", "reduce", "cache", "sourceLayout",
                            "targetLayout", "extents", "dispatch", "prefetch"});
  printer << " : " << getSource().getType() << ", " << getTarget().getType();
  if (getBarrier())
    printer << ", " << getBarrier().getType();
}
