//===- DeviceFunctions.cpp - functions of libdevice by name ---------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Dialect/Triton/DeviceFunctions.h"

using namespace mlir;
using namespace titan::tt;

namespace {
/// What a function's names are made of.
enum Suffix : uint8_t {
  Letter,  ///< sinf, and sin of f64
  Letters, ///< isnanf, and isnand
  Single,  ///< fast_sinf alone
};
struct Row {
  llvm::StringLiteral name;
  unsigned operands;
  Suffix suffix = Letter;
  bool isTest = false;
};
} // namespace

static constexpr Row rows[] = {{"acos", 1},
                               {"acosh", 1},
                               {"asin", 1},
                               {"asinh", 1},
                               {"atan", 1},
                               {"atan2", 2},
                               {"atanh", 1},
                               {"cbrt", 1},
                               {"ceil", 1},
                               {"copysign", 2},
                               {"cos", 1},
                               {"cosh", 1},
                               {"erf", 1},
                               {"erfc", 1},
                               {"exp", 1},
                               {"exp10", 1},
                               {"exp2", 1},
                               {"expm1", 1},
                               {"fabs", 1},
                               {"fdim", 2},
                               {"floor", 1},
                               {"fma", 3},
                               {"fmax", 2},
                               {"fmin", 2},
                               {"fmod", 2},
                               {"hypot", 2},
                               {"lgamma", 1},
                               {"log", 1},
                               {"log10", 1},
                               {"log1p", 1},
                               {"log2", 1},
                               {"nearbyint", 1},
                               {"nextafter", 2},
                               {"pow", 2},
                               {"rint", 1},
                               {"round", 1},
                               {"rsqrt", 1},
                               {"sin", 1},
                               {"sinh", 1},
                               {"sqrt", 1},
                               {"tan", 1},
                               {"tanh", 1},
                               {"tgamma", 1},
                               {"trunc", 1},
                               {"fast_cos", 1, Single},
                               {"fast_exp", 1, Single},
                               {"fast_log", 1, Single},
                               {"fast_log10", 1, Single},
                               {"fast_log2", 1, Single},
                               {"fast_sin", 1, Single},
                               {"isnan", 1, Letters, true},
                               {"isinf", 1, Letters, true},
                               {"signbit", 1, Letters, true}};

/// Names that are made otherwise.
static constexpr std::pair<llvm::StringLiteral, DeviceFunction> others[] = {
    {"finitef", {"isfinite", 1, false, true}},
    {"isfinited", {"isfinite", 1, true, true}},
    {"fmaf_rn", {"fma", 3, false}},
    {"fma_rn", {"fma", 3, true}},
    {"fdiv_rn", {"div", 2, false}},
    {"ddiv_rn", {"div", 2, true}}};

std::optional<DeviceFunction>
titan::tt::findDeviceFunction(llvm::StringRef symbol) {
  symbol.consume_front("__nv_");
  for (const auto &[name, function] : others)
    if (symbol == name)
      return function;
  for (const Row &row : rows) {
    llvm::StringRef suffix = symbol;
    if (!suffix.consume_front(row.name))
      continue;
    bool isSingle = suffix == "f",
         isDouble = suffix == (row.suffix == Letter ? "" : "d") &&
                    row.suffix != Single;
    if (isSingle || isDouble)
      return DeviceFunction{row.name, row.operands, isDouble, row.isTest};
  }
  return std::nullopt;
}

std::string titan::tt::checkDeviceCall(ExternElementwiseOp call) {
  std::optional<DeviceFunction> function = findDeviceFunction(call.getSymbol());
  if (!function)
    return {};
  auto is = [](Type type, bool isDouble) {
    Type element = getElementTypeOrSelf(type);
    return isDouble ? element.isF64() : element.isF32();
  };
  bool fits = call->getNumOperands() == function->operands &&
              llvm::all_of(call->getOperandTypes(), [&](Type type) {
                return is(type, function->isDouble);
              });
  fits &= function->isTest ? getElementTypeOrSelf(call.getType()).isInteger(32)
                           : is(call.getType(), function->isDouble);
  if (fits)
    return {};
  std::string type = function->isDouble ? "f64" : "f32";
  return call.getSymbol().str() + " takes " +
         std::to_string(function->operands) + " " + type + " and yields " +
         (function->isTest ? "i32" : type);
}
