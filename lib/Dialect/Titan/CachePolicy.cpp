//===- CachePolicy.cpp - how L2 treats an access --------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// #titan<cache evict_last, fraction = 0.5, secondary = evict_first>; operations
// have it between parentheses: cache(evict_last, fraction = 0.5).
//
//===----------------------------------------------------------------------===//
#include "titan/Dialect/Titan/Titan.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace titan;

static FailureOr<L2Priority> parsePriority(AsmParser &parser) {
  StringRef word;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  if (std::optional<L2Priority> priority = symbolizeL2Priority(word))
    return *priority;
  InFlightDiagnostic error = parser.emitError(place);
  error << "'" << word << "' is no word of `cache`:";
  for (int i = 0; !stringifyL2Priority(L2Priority(i)).empty(); ++i)
    error << (i ? ", " : " ") << stringifyL2Priority(L2Priority(i));
  return error;
}

Attribute CachePolicyAttr::parse(AsmParser &parser, Type) {
  SMLoc begin = parser.getCurrentLocation();
  FailureOr<L2Priority> primary = parsePriority(parser);
  if (failed(primary))
    return {};
  FloatAttr fraction;
  std::optional<L2Priority> secondary;
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc place = parser.getCurrentLocation();
    StringRef word;
    if (parser.parseKeyword(&word))
      return {};
    if (word == "fraction" && !fraction && !secondary) {
      double value;
      if (parser.parseEqual() || parser.parseFloat(value))
        return {};
      fraction = parser.getBuilder().getF32FloatAttr(value);
    } else if (word == "secondary" && !secondary) {
      if (parser.parseEqual())
        return {};
      FailureOr<L2Priority> priority = parsePriority(parser);
      if (failed(priority))
        return {};
      secondary = *priority;
    } else {
      parser.emitError(place)
          << "behind the priority stand, in this order, fraction = 0.5, "
             "secondary = evict_first; not '"
          << word << "'";
      return {};
    }
  }
  return parser.getChecked<CachePolicyAttr>(begin, parser.getContext(),
                                            *primary, fraction, secondary);
}

void CachePolicyAttr::print(AsmPrinter &printer) const {
  printer << stringifyL2Priority(getPrimary());
  if (getFraction()) {
    printer << ", fraction = ";
    printer.printFloat(getFraction().getValue());
  }
  if (getSecondary())
    printer << ", secondary = " << stringifyL2Priority(*getSecondary());
}

LogicalResult
CachePolicyAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        L2Priority, FloatAttr fraction,
                        std::optional<L2Priority> secondary) {
  if (fraction) {
    if (!fraction.getType().isF32())
      return emitError() << "[cache-policy] the fraction is an f32, no "
                         << fraction.getType();
    float value = fraction.getValue().convertToFloat();
    if (!(value > 0 && value <= 1)) {
      InFlightDiagnostic error =
          emitError() << "[cache-policy] fraction " << value
                      << ": a policy is of more than none of the accesses, and "
                         "at most of all: above 0, up to 1";
      error.attachNote() << "fix: "
                         << (value > 1 ? "leave the fraction out: all accesses "
                                         "have the priority then"
                                       : "leave the policy out");
      return error;
    }
  }
  if (secondary && *secondary != L2Priority::EvictFirst &&
      *secondary != L2Priority::EvictUnchanged) {
    InFlightDiagnostic error = emitError()
                               << "[cache-policy] secondary priority "
                               << stringifyL2Priority(*secondary)
                               << ": it is evict_first or evict_unchanged";
    if (fraction)
      error.attachNote()
          << "fix: leave it out: evict_unchanged; or let "
          << stringifyL2Priority(*secondary)
          << " be the primary priority, of the other part of the accesses";
    return error;
  }
  return success();
}
