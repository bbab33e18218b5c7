//===- TritonGpu.h - Triton's layout encodings as attributes ----*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TRITON_TRITONGPU_H
#define TITAN_DIALECT_TRITON_TRITONGPU_H

#include "titan/Layout/Triton.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/TensorEncoding.h"

#include "titan/Dialect/Triton/TritonGpuDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "titan/Dialect/Triton/TritonGpuAttributes.h.inc"

#endif
