//===- Approximations.cpp - what PTX computes approximately ---------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Target/Approximations.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace titan;

namespace {
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double pi = 3.14159265358979323846;
constexpr double log2e = 1.4426950408889634, ln2 = 0.6931471805599453;
/// Of the smallest positive f32, and next to 0.5 and 2.
constexpr double least = 0x1p-149;

// PTX ISA 8.7, "Floating Point Instructions".
const ErrorBound bounds[] = {
    {"ex2.approx.f32", -inf, inf, ErrorBound::Ulp, 2.5,
     "2 ulp of the rounded result", "ex2"},
    {"lg2.approx.f32", 0x1.000002p-1, 0x1.fffffep+0, ErrorBound::Absolute,
     0x1p-22, "2^-22", "lg2"},
    {"lg2.approx.f32", least, inf, ErrorBound::Relative, 0x1p-22, "2^-22",
     "lg2"},
    {"sin.approx.f32", -2 * pi, 2 * pi, ErrorBound::Absolute,
     6.743495761743046e-7, "2^-20.5", "sin"},
    {"sin.approx.f32", -100 * pi, 100 * pi, ErrorBound::Absolute,
     3.7571545817410796e-5, "2^-14.7", "sin"},
    {"cos.approx.f32", -2 * pi, 2 * pi, ErrorBound::Absolute, 7.1279e-7,
     "2^-20.42 (measured: tests/Hardware/approx; PTX: 2^-20.5)", "cos"},
    {"cos.approx.f32", -100 * pi, 100 * pi, ErrorBound::Absolute,
     3.7571545817410796e-5, "2^-14.7", "cos"},
    {"tanh.approx.f32", -inf, inf, ErrorBound::Relative, 0x1p-11, "2^-11",
     "tanh"},
    {"rsqrt.approx.f32", least, inf, ErrorBound::Relative, 1.277653530283325e-7,
     "2^-22.9", "rsqrt"},
    {"sqrt.approx.f32", least, inf, ErrorBound::Relative, 0x1p-23, "2^-23",
     "sqrt"},
    {"rcp.approx.f32", -inf, inf, ErrorBound::Ulp, 1, "1 ulp", "rcp"},
    {"erf", -inf, inf, ErrorBound::Ulp, 3, "3 ulp", ""},
    {"div.full.f32", -inf, inf, ErrorBound::Ulp, 2, "2 ulp", "div"},
};

const ApproximateFunction functions[] = {
    {"exp2", "ex2.approx.f32", 1, 1, "ex2.approx.ftz.f32"},
    {"exp", "ex2.approx.f32", log2e},
    {"log2", "lg2.approx.f32", 1, 1, "lg2.approx.ftz.f32"},
    {"log", "lg2.approx.f32", 1, ln2, "lg2.approx.ftz.f32"},
    {"log10", "lg2.approx.f32", 1, 0.30102999566398120},
    {"sin", "sin.approx.f32"},
    {"cos", "cos.approx.f32"},
    {"tanh", "tanh.approx.f32"},
    {"rsqrt", "rsqrt.approx.f32"},
    {"erf", "erf"},
};

/// The distance of neighbouring f32 numbers at `value`.
double ulp(double value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::ldexp(1.0, std::max(exponent - 24, -149));
}
} // namespace

std::span<const ErrorBound> titan::errorBounds() { return bounds; }

std::span<const ApproximateFunction> titan::approximateFunctions() {
  return functions;
}

const ApproximateFunction &titan::approximateDivision() {
  static constexpr ApproximateFunction division = {"divf", "div.full.f32"};
  return division;
}

const ApproximateFunction &titan::approximateRoot() {
  static constexpr ApproximateFunction root = {"sqrt", "sqrt.approx.f32", 1, 1,
                                               "sqrt.approx.ftz.f32"};
  return root;
}

const ApproximateFunction *
titan::findApproximateFunction(std::string_view name) {
  for (const ApproximateFunction &function : functions)
    if (function.name == name)
      return &function;
  return nullptr;
}

std::optional<double> titan::errorBound(const ApproximateFunction &function,
                                        double x, double value) {
  double operand = x * function.before, own = value / function.after;
  for (const ErrorBound &row : bounds) {
    if (row.instruction != function.instruction || !(operand >= row.low) ||
        !(operand <= row.high))
      continue;
    double error = row.kind == ErrorBound::Absolute ? row.bound
                   : row.kind == ErrorBound::Relative
                       ? row.bound * std::fabs(own)
                       : row.bound * ulp(own);
    // The product before rounds, and so does its constant: 2^-24 each. (It is
    // ex2's, whose slope is ln 2 times its value.)
    if (function.before != 1)
      error += std::fabs(own) * ln2 * std::fabs(operand) * 0x1p-23;
    // So do the one behind and its constant.
    if (function.after != 1)
      error = (error + std::fabs(own) * 0x1p-23) * std::fabs(function.after);
    return error;
  }
  return std::nullopt;
}
