//===- TitanOps.td - all operations, a file a family -------*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TITAN_OPS_TD
#define TITAN_DIALECT_TITAN_OPS_TD

include "titan/Dialect/Titan/KernelOps.td"
include "titan/Dialect/Titan/MemoryOps.td"
include "titan/Dialect/Titan/TileOps.td"
include "titan/Dialect/Titan/ExchangeOps.td"
include "titan/Dialect/Titan/BarrierOps.td"
include "titan/Dialect/Titan/TmaOps.td"
include "titan/Dialect/Titan/AsyncCopyOps.td"
include "titan/Dialect/Titan/AsyncStoreOps.td"
include "titan/Dialect/Titan/BulkOps.td"
include "titan/Dialect/Titan/CopyOps.td"
include "titan/Dialect/Titan/MmaOps.td"
include "titan/Dialect/Titan/MmaSyncOps.td"
include "titan/Dialect/Titan/PipeOps.td"
include "titan/Dialect/Titan/TensormapOps.td"
include "titan/Dialect/Titan/TmemOps.td"
include "titan/Dialect/Titan/Tcgen05Ops.td"
include "titan/Dialect/Titan/GridOps.td"
include "titan/Dialect/Titan/InlinePtxOps.td"
include "titan/Dialect/Titan/AmdOps.td"

#endif
