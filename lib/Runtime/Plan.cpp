//===- Plan.cpp - From arguments to what is launched ----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The half of a launch that needs no GPU: are these the kernel's arguments, and
// what grid, tensor maps and parameters do they give? Strings are only made
// once something is wrong.
//
//===----------------------------------------------------------------------===//

#include "titan/Runtime/Runtime.h"

using namespace titan;
using namespace titan::runtime;

namespace {

std::string kernelPlace(const KernelSpec &k) {
  return "kernel '" + k.name + "'";
}

std::string argumentPlace(const KernelSpec &k, size_t index) {
  return kernelPlace(k) + ", argument '" + k.arguments[index].name + "'";
}

/// Checks one tensor against its declaration.
Status checkTensor(const KernelSpec &k, size_t index, const Argument &a) {
  const ArgumentSpec &s = k.arguments[index];
  auto shapeError = [&](std::string message, std::string fix = {}) {
    return makeError(Code::ArgumentShape, std::move(message),
                     argumentPlace(k, index), std::move(fix));
  };
  const int rank = static_cast<int>(s.shape.size());
  if (a.rank != rank)
    return shapeError("the tensor has " + std::to_string(a.rank) +
                      " dimensions, the kernel takes " + std::to_string(rank));
  bool empty = false;
  for (int d = 0; d < rank; ++d) {
    const std::string dim = "dimension " + std::to_string(d);
    if (a.dims[d] < 0)
      return shapeError(dim + " has size " + std::to_string(a.dims[d]));
    if (s.shape[d] != dynamic && a.dims[d] != s.shape[d])
      return shapeError(dim + " has size " + std::to_string(a.dims[d]) +
                        ", the kernel was compiled for " +
                        std::to_string(s.shape[d]));
    // The stride of a dimension of one element is never used.
    if (a.dims[d] <= 1) {
      empty |= a.dims[d] == 0;
      continue;
    }
    if (a.strides[d] < 0)
      return shapeError(dim + " has stride " + std::to_string(a.strides[d]),
                        "pass strides that are not negative");
    if (s.strides[d] != dynamic && a.strides[d] != s.strides[d])
      return shapeError(
          dim + " has stride " + std::to_string(a.strides[d]) +
              ", the kernel was compiled for " + std::to_string(s.strides[d]),
          s.strides[d] == 1 ? "pass a tensor whose dimension " +
                                  std::to_string(d) + " is contiguous"
                            : "");
  }
  // The last byte of the tensor must have an address.
  const std::optional<int64_t> extent = a.extent();
  int64_t end;
  if (!extent || a.bits > INT64_MAX ||
      __builtin_add_overflow(static_cast<int64_t>(a.bits), *extent, &end))
    return makeError(Code::LaunchOverflow,
                     "the tensor does not fit into 64-bit addresses",
                     argumentPlace(k, index));
  if (empty)
    return {};
  if (a.bits == 0)
    return makeError(Code::ArgumentAlignment, "the base address is null",
                     argumentPlace(k, index));
  if (a.bits % s.alignment)
    return makeError(
        Code::ArgumentAlignment,
        "the base address is " + std::to_string(a.bits % s.alignment) +
            " bytes past a multiple of " + std::to_string(s.alignment),
        argumentPlace(k, index));
  return {};
}

/// The message of a check with its values in place of {0}, {1}, ...
std::string fillIn(const CheckSpec &c, std::span<const Argument> arguments,
                   const DeviceProperties &device) {
  std::string out;
  for (size_t i = 0; i < c.message.size(); ++i) {
    const size_t n = i + 2 < c.message.size() && c.message[i] == '{' &&
                             c.message[i + 2] == '}'
                         ? static_cast<size_t>(c.message[i + 1] - '0')
                         : SIZE_MAX;
    if (n >= c.values.size()) {
      out += c.message[i];
      continue;
    }
    auto value = c.values[n].evaluate(arguments, device, "");
    out += value ? std::to_string(*value) : "(" + value.error().message + ")";
    i += 2;
  }
  return out;
}

/// Evaluates `e`; the place of an error is the kernel and `what`.
Status evaluate(const Expr &e, std::span<const Argument> arguments,
                const DeviceProperties &device, const KernelSpec &k,
                const char *what, int64_t &out) {
  auto value = e.evaluate(arguments, device, {});
  if (!value) {
    value.error().place =
        kernelPlace(k) + ", " + what + " " + e.text(k.argumentNames);
    return std::move(value.error());
  }
  out = *value;
  return {};
}

} // namespace

Status Kernel::checkArguments(std::span<const Argument> arguments) const {
  const KernelSpec &k = kernelSpec;
  if (arguments.size() != k.arguments.size())
    return makeError(arguments.size() < k.arguments.size()
                         ? Code::ArgumentMissing
                         : Code::ArgumentUnknown,
                     std::to_string(arguments.size()) +
                         " arguments given, the kernel takes " +
                         std::to_string(k.arguments.size()),
                     kernelPlace(k), "pass one value for each argument");
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ArgumentSpec &s = k.arguments[i];
    const Argument &a = arguments[i];
    if (a.isTensor != s.isTensor)
      return makeError(Code::ArgumentShape,
                       s.isTensor ? "a scalar was passed for a tensor"
                                  : "a tensor was passed for a scalar",
                       argumentPlace(k, i));
    if (a.type != s.type)
      return makeError(Code::ArgumentShape,
                       "the element type is " + std::string(name(a.type)) +
                           ", the kernel takes " + std::string(name(s.type)),
                       argumentPlace(k, i));
    if (s.isTensor)
      if (auto ok = checkTensor(k, i, a); !ok)
        return ok;
  }
  for (const SameDim &p : k.sameDims) {
    const int64_t size = arguments[p.argument].dims[p.dim];
    const int64_t first = arguments[p.firstArgument].dims[p.firstDim];
    if (size != first)
      return makeError(
          Code::ArgumentShape,
          k.arguments[p.argument].dimNames[p.dim] + " is " +
              std::to_string(size) + " here (dimension " +
              std::to_string(p.dim) + ") and " + std::to_string(first) +
              " in argument '" + k.arguments[p.firstArgument].name +
              "' (dimension " + std::to_string(p.firstDim) + ")",
          argumentPlace(k, p.argument), "pass tensors of matching sizes");
  }
  return {};
}

Status Kernel::checkContents(std::span<const Argument> arguments,
                             std::span<const uint8_t *const> host) const {
  const KernelSpec &k = kernelSpec;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ArgumentSpec &s = k.arguments[i];
    const Argument &a = arguments[i];
    if (!s.initial || a.extent().value_or(0) == 0)
      continue;
    const size_t size = static_cast<size_t>(sizeInBytes(a.type));
    std::array<int64_t, maxRank> index{};
    for (int d = 0; d >= 0;) {
      int64_t at = 0;
      for (d = 0; d < a.rank; ++d)
        at += index[d] * a.strides[d];
      const uint8_t *element = host[i] + at * static_cast<int64_t>(size);
      if (std::memcmp(element, &*s.initial, size)) { // Little endian.
        int64_t is = element[size - 1] & 0x80 ? -1 : 0;
        std::memcpy(&is, element, size);
        std::string place;
        for (d = 0; d < a.rank; ++d)
          place += (d ? ", " : "") + std::to_string(index[d]);
        return makeError(Code::InitialValue,
                         "element [" + place + "] is " + std::to_string(is) +
                             ", and the kernel begins with " +
                             std::to_string(*s.initial),
                         argumentPlace(k, i));
      }
      for (d = a.rank - 1; d >= 0 && ++index[d] == a.dims[d]; --d)
        index[d] = 0;
    }
  }
  return {};
}

Status Kernel::plan(std::span<const Argument> arguments,
                    const DeviceProperties &device, LaunchPlan &out) const {
  const KernelSpec &k = kernelSpec;
  int64_t value;
  for (const CheckSpec &c : k.checks) {
    if (auto ok = evaluate(c.nonzero, arguments, device, k, "check", value);
        !ok)
      return ok;
    if (value == 0) {
      Error e;
      e.code = c.code;
      e.message = fillIn(c, arguments, device);
      e.place = kernelPlace(k);
      const CodeInfo *info = lookupCode(c.code);
      e.rule = !c.rule.empty() ? c.rule
               : info ? std::string(info->rule) + " (" +
                            std::string(info->source) + ")"
                      : c.nonzero.text(k.argumentNames) + " must not be 0";
      e.fix = !c.fix.empty() ? c.fix
              : info         ? std::string(info->fix)
                             : "pass arguments that satisfy the rule";
      return e;
    }
  }

  const TargetInfo &target = *package.manifest().target;
  const int64_t maxGrid[3] = {target.maxGridX, target.maxGridYZ,
                              target.maxGridYZ};
  for (int d = 0; d < 3; ++d) {
    if (auto ok =
            evaluate(k.grid[d], arguments, device, k, "grid", out.grid[d]);
        !ok)
      return ok;
    const std::string_view axis = std::string_view("xyz").substr(d, 1);
    auto fail = [&](Code code, const std::string &what) {
      return makeError(code,
                       "the grid has " + std::to_string(out.grid[d]) +
                           " CTAs in " + std::string(axis) + what,
                       kernelPlace(k));
    };
    if (out.grid[d] < 1)
      return fail(Code::LaunchZeroDim, "");
    if (out.grid[d] > maxGrid[d])
      return fail(Code::LaunchGrid,
                  "; at most " + std::to_string(maxGrid[d]) + " are possible");
    if (out.grid[d] % k.cluster[d])
      return fail(Code::LaunchGrid, ", no multiple of the cluster's " +
                                        std::to_string(k.cluster[d]));
  }

  for (size_t i = 0; i < k.tensorMaps.size(); ++i) {
    const TensorMapSpec &m = k.tensorMaps[i];
    TensorMapFields &f = out.maps[i];
    f = {};
    f.address = arguments[m.argument].bits;
    for (int d = 0; d < m.format.rank; ++d) {
      if (auto ok = evaluate(m.dims[d], arguments, device, k,
                             "tensor map dimension", f.dims[d]);
          !ok)
        return ok;
      if (d == 0)
        continue;
      if (auto ok = evaluate(m.byteStrides[d - 1], arguments, device, k,
                             "tensor map stride", f.byteStrides[d - 1]);
          !ok)
        return ok;
    }
    if (auto ok = checkFields(target, m.format, f); !ok) {
      ok.error().place =
          argumentPlace(k, m.argument) + ", tensor map '" + m.name + "'";
      return ok;
    }
  }

  for (size_t i = 0; i < k.parameters.size(); ++i) {
    const ParameterSpec &p = k.parameters[i];
    out.values[i] = 0;
    if (p.kind != ParameterSpec::Value)
      continue;
    if (auto ok =
            evaluate(p.value, arguments, device, k, "parameter", out.values[i]);
        !ok)
      return ok;
    if (p.type == DType::I32 &&
        out.values[i] != static_cast<int32_t>(out.values[i]))
      return makeError(Code::LaunchOverflow,
                       p.value.text(k.argumentNames) + " is " +
                           std::to_string(out.values[i]) +
                           ", the kernel takes it in 32 bits",
                       kernelPlace(k) + ", parameter " + std::to_string(i));
  }
  return {};
}
