//===- Expr.cpp - Integer expressions evaluated at launch -----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Runtime/Expr.h"

#include <algorithm>

using namespace titan;
using namespace titan::runtime;

Argument Argument::tensor(uint64_t address, DType type,
                          std::span<const int64_t> dims,
                          std::span<const int64_t> strides) {
  Argument a;
  a.isTensor = true;
  a.type = type;
  a.rank = static_cast<int>(std::min<size_t>(dims.size(), maxRank + 1));
  a.bits = address;
  for (size_t d = 0; d < std::min<size_t>(dims.size(), maxRank); ++d) {
    a.dims[d] = dims[d];
    a.strides[d] = d < strides.size() ? strides[d] : 0;
  }
  return a;
}

Argument Argument::dense(uint64_t address, DType type,
                         std::span<const int64_t> dims) {
  Argument a = tensor(address, type, dims, {});
  int64_t stride = 1;
  for (int d = std::min(a.rank, maxRank) - 1; d >= 0; --d) {
    a.strides[d] = stride;
    // An overflow is refused as tensor-extent when the argument is checked.
    if (__builtin_mul_overflow(stride, std::max<int64_t>(a.dims[d], 1),
                               &stride))
      stride = INT64_MAX;
  }
  return a;
}

Argument Argument::integer(DType type, int64_t value) {
  Argument a;
  a.type = type;
  if (isFloat(type))
    store(type, static_cast<double>(value), &a.bits);
  else
    std::memcpy(&a.bits, &value, sizeInBytes(type));
  return a;
}

Argument Argument::floating(DType type, double value) {
  Argument a;
  a.type = type;
  store(type, value, &a.bits);
  return a;
}

std::optional<int64_t> Argument::extent() const {
  int64_t extent = sizeInBytes(type);
  for (int d = 0; d < rank; ++d) {
    int64_t step;
    // The stride of a dimension of one element is never used.
    if (dims[d] > 1 &&
        (__builtin_mul_overflow(dims[d] - 1, strides[d], &step) ||
         __builtin_mul_overflow(step, sizeInBytes(type), &step) ||
         __builtin_add_overflow(extent, step, &extent)))
      return std::nullopt;
  }
  return extent;
}

static constexpr std::string_view propertyNames[numDeviceProperties] = {
    "multiprocessor_count",
    "compute_capability_major",
    "compute_capability_minor",
    "max_shared_memory_per_block_optin",
    "l2_cache_size",
    "max_active_clusters"};

std::string_view titan::runtime::propertyName(DeviceProperty p) {
  return propertyNames[static_cast<int>(p)];
}

std::optional<DeviceProperty>
titan::runtime::parseDeviceProperty(std::string_view name) {
  for (int i = 0; i < numDeviceProperties; ++i)
    if (propertyNames[i] == name)
      return static_cast<DeviceProperty>(i);
  return std::nullopt;
}

std::string_view titan::runtime::operatorName(ExprOp op) {
  switch (op) {
  case ExprOp::Add:
    return "add";
  case ExprOp::Sub:
    return "sub";
  case ExprOp::Mul:
    return "mul";
  case ExprOp::FloorDiv:
    return "floordiv";
  case ExprOp::CeilDiv:
    return "ceildiv";
  case ExprOp::Mod:
    return "mod";
  case ExprOp::Min:
    return "min";
  case ExprOp::Max:
    return "max";
  case ExprOp::Eq:
    return "eq";
  case ExprOp::Ne:
    return "ne";
  case ExprOp::Lt:
    return "lt";
  case ExprOp::Le:
    return "le";
  case ExprOp::And:
    return "and";
  case ExprOp::Or:
    return "or";
  case ExprOp::Div:
    return "div";
  case ExprOp::Rem:
    return "rem";
  case ExprOp::ULt:
    return "ult";
  case ExprOp::ULe:
    return "ule";
  case ExprOp::Select:
    return "select";
  case ExprOp::Within:
    return "within";
  default:
    return {};
  }
}

std::optional<ExprOp> titan::runtime::parseOperator(std::string_view name) {
  for (int op = static_cast<int>(ExprOp::Add);
       op <= static_cast<int>(ExprOp::Within); ++op)
    if (operatorName(static_cast<ExprOp>(op)) == name)
      return static_cast<ExprOp>(op);
  return std::nullopt;
}

int titan::runtime::operandCount(ExprOp op) {
  return op == ExprOp::Select || op == ExprOp::Within ? 3 : 2;
}

std::optional<int64_t> Expr::constant() const {
  if (nodes.size() == 1 && nodes[0].op == ExprOp::Constant)
    return nodes[0].value;
  return std::nullopt;
}

namespace {

enum class Failure { None, Overflow, DivisionByZero };

/// Evaluates one expression; the first failure ends it.
struct Evaluator {
  const Expr &expr;
  std::span<const Argument> arguments;
  const DeviceProperties &device;
  Failure failure = Failure::None;
  ExprOp failedOp = ExprOp::Constant;
  int64_t left = 0, right = 0; ///< The operands that failed.
  int64_t bound = 0;           ///< Within: the upper one.

  int64_t fail(Failure why, ExprOp op, int64_t x, int64_t y) {
    if (failure == Failure::None) {
      failure = why;
      failedOp = op;
      left = x;
      right = y;
    }
    return 0;
  }

  /// x / y rounded as the operator says, or the rest.
  int64_t divide(ExprOp op, int64_t x, int64_t y) {
    if (y == 0)
      return fail(Failure::DivisionByZero, op, x, y);
    if (y == -1) {
      if (op == ExprOp::Mod || op == ExprOp::Rem)
        return 0;
      int64_t negated;
      if (__builtin_sub_overflow(int64_t{0}, x, &negated))
        return fail(Failure::Overflow, op, x, y);
      return negated;
    }
    const int64_t quotient = x / y, rest = x % y;
    const bool sameSign = (x < 0) == (y < 0);
    if (op == ExprOp::Div)
      return quotient;
    if (op == ExprOp::Rem)
      return rest;
    if (op == ExprOp::CeilDiv)
      return quotient + (rest != 0 && sameSign);
    if (op == ExprOp::Mod)
      return rest != 0 && !sameSign ? rest + y : rest;
    return quotient - (rest != 0 && !sameSign);
  }

  int64_t eval(size_t index) {
    const Expr::Node &n = expr.nodes[index];
    switch (n.op) {
    case ExprOp::Constant:
      return n.value;
    case ExprOp::Dim:
      return arguments[n.argument].dims[n.dim];
    case ExprOp::Stride:
      return arguments[n.argument].strides[n.dim];
    case ExprOp::Pointer:
      return static_cast<int64_t>(arguments[n.argument].bits);
    case ExprOp::Scalar: {
      const Argument &a = arguments[n.argument];
      switch (a.type) {
      case DType::I8:
      case DType::F8E4M3FN:
      case DType::F8E5M2:
        return static_cast<int8_t>(a.bits);
      case DType::I16:
      case DType::F16:
      case DType::BF16:
        return static_cast<int16_t>(a.bits);
      case DType::I32:
      case DType::F32:
      case DType::TF32:
        return static_cast<int32_t>(a.bits);
      default:
        return static_cast<int64_t>(a.bits);
      }
    }
    case ExprOp::Device:
      return device[n.value];
    case ExprOp::Select:
      return eval(n.operands[eval(n.operands[0]) != 0 ? 1 : 2]);
    case ExprOp::And:
      return eval(n.operands[0]) != 0 && eval(n.operands[1]) != 0;
    case ExprOp::Or:
      return eval(n.operands[0]) != 0 || eval(n.operands[1]) != 0;
    default:
      break;
    }
    const int64_t x = eval(n.operands[0]);
    const int64_t y = eval(n.operands[1]);
    if (failure != Failure::None)
      return 0;
    int64_t result = 0;
    bool overflow = false;
    switch (n.op) {
    case ExprOp::Add:
      overflow = __builtin_add_overflow(x, y, &result);
      break;
    case ExprOp::Sub:
      overflow = __builtin_sub_overflow(x, y, &result);
      break;
    case ExprOp::Mul:
      overflow = __builtin_mul_overflow(x, y, &result);
      break;
    case ExprOp::FloorDiv:
    case ExprOp::CeilDiv:
    case ExprOp::Mod:
    case ExprOp::Div:
    case ExprOp::Rem:
      return divide(n.op, x, y);
    case ExprOp::Within: {
      const int64_t high = eval(n.operands[2]);
      if (failure != Failure::None || (y <= x && x <= high))
        return x;
      bound = high;
      return fail(Failure::Overflow, n.op, x, y);
    }
    case ExprOp::Min:
      return std::min(x, y);
    case ExprOp::Max:
      return std::max(x, y);
    case ExprOp::Eq:
      return x == y;
    case ExprOp::Ne:
      return x != y;
    case ExprOp::Lt:
      return x < y;
    case ExprOp::ULt:
      return static_cast<uint64_t>(x) < static_cast<uint64_t>(y);
    case ExprOp::ULe:
      return static_cast<uint64_t>(x) <= static_cast<uint64_t>(y);
    default: // Le; the rest went above.
      return x <= y;
    }
    return overflow ? fail(Failure::Overflow, n.op, x, y) : result;
  }
};

} // namespace

runtime::Result<int64_t> Expr::evaluate(std::span<const Argument> arguments,
                                        const DeviceProperties &device,
                                        std::string_view place) const {
  Evaluator e{*this, arguments, device};
  const int64_t value = e.eval(nodes.size() - 1);
  if (e.failure == Failure::None)
    return value;
  const std::string what = std::string(operatorName(e.failedOp)) + "(" +
                           std::to_string(e.left) + ", " +
                           std::to_string(e.right) + ")";
  if (e.failure == Failure::DivisionByZero)
    return makeError(Code::LaunchDivision, what + " divides by zero",
                     std::string(place),
                     "pass arguments whose sizes and scalars are not 0");
  if (e.failedOp == ExprOp::Within)
    return makeError(Code::LaunchOverflow,
                     std::to_string(e.left) + " is not within " +
                         std::to_string(e.right) + " to " +
                         std::to_string(e.bound),
                     std::string(place),
                     "pass sizes and scalars whose numbers fit their types and "
                     "are not negative where they count as unsigned");
  return makeError(Code::LaunchOverflow, what + " does not fit in 64 bits",
                   std::string(place), "pass smaller sizes and strides");
}

static std::string nodeText(const Expr &e, size_t index,
                            std::span<const std::string> names) {
  const Expr::Node &n = e.nodes[index];
  auto argument = [&] {
    return n.argument < names.size() ? names[n.argument]
                                     : "arg" + std::to_string(n.argument);
  };
  switch (n.op) {
  case ExprOp::Constant:
    return std::to_string(n.value);
  case ExprOp::Dim:
    return argument() + ".dim" + std::to_string(n.dim);
  case ExprOp::Stride:
    return argument() + ".stride" + std::to_string(n.dim);
  case ExprOp::Pointer:
    return argument() + ".ptr";
  case ExprOp::Scalar:
    return n.value ? "bits(" + argument() + ")" : argument();
  case ExprOp::Device:
    return std::string(propertyName(static_cast<DeviceProperty>(n.value)));
  default:
    break;
  }
  std::string out = std::string(operatorName(n.op)) + "(";
  for (int i = 0; i < operandCount(n.op); ++i)
    out += (i ? ", " : "") + nodeText(e, n.operands[i], names);
  return out + ")";
}

std::string Expr::text(std::span<const std::string> argumentNames) const {
  return nodes.empty() ? "" : nodeText(*this, nodes.size() - 1, argumentNames);
}
