//===- TitanOps.td - all operations, a file a family -----------*- tablegen -*-===//
#ifndef TITAN_DIALECT_TITAN_OPS_TD
#define TITAN_DIALECT_TITAN_OPS_TD

include "titan/Dialect/Titan/KernelOps.td"
include "titan/Dialect/Titan/MemoryOps.td"
include "titan/Dialect/Titan/TileOps.td"
include "titan/Dialect/Titan/BarrierOps.td"
include "titan/Dialect/Titan/TmaOps.td"
include "titan/Dialect/Titan/CopyOps.td"
include "titan/Dialect/Titan/MmaOps.td"
include "titan/Dialect/Titan/PipeOps.td"
include "titan/Dialect/Titan/TensormapOps.td"
include "titan/Dialect/Titan/TmemOps.td"
include "titan/Dialect/Titan/Tcgen05Ops.td"
include "titan/Dialect/Titan/AmdOps.td"

#endif
