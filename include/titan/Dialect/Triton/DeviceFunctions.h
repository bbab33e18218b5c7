//===- DeviceFunctions.h - functions of libdevice by name -------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `__nv_sinf` is the sine of an f32, `__nv_sin` that of an f64; `__nv_isnanf` and
// `__nv_isnand` say of one whether it is no number. The names are those of NVIDIA's
// libdevice User's Guide, which gives each its operands.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TRITON_DEVICEFUNCTIONS_H
#define TITAN_DIALECT_TRITON_DEVICEFUNCTIONS_H

#include "titan/Dialect/Triton/Triton.h"

#include <optional>
#include <string>

namespace titan::tt {

/// One that the simulator runs.
struct DeviceFunction {
  /// Without `__nv_` and what says which type it is of: "sin", "isnan", "fma_rn".
  llvm::StringRef name;
  unsigned operands = 1; ///< All of one type.
  bool isDouble = false; ///< f64; else f32.
  bool isTest = false;   ///< Yields an i32, not 0 where it is true.
};

/// By its symbol; none: it is not known.
std::optional<DeviceFunction> findDeviceFunction(llvm::StringRef symbol);

/// What a call of a known function does not fit: number and types of its operands,
/// the type of its result. Empty: it fits, or the function is not known.
std::string checkDeviceCall(ExternElementwiseOp call);

} // namespace titan::tt

#endif
