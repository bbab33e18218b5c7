//===- TritonOps.td - the operations, one family a file ----*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TRITON_OPS_TD
#define TITAN_DIALECT_TRITON_OPS_TD

include "titan/Dialect/Triton/DescriptorOps.td"
include "titan/Dialect/Triton/ElementwiseOps.td"
include "titan/Dialect/Triton/MemoryOps.td"
include "titan/Dialect/Triton/PointerOps.td"
include "titan/Dialect/Triton/ProductOps.td"
include "titan/Dialect/Triton/ProgramOps.td"
include "titan/Dialect/Triton/RegionOps.td"
include "titan/Dialect/Triton/ShapeOps.td"

#endif
