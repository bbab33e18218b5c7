//===- GridOps.td - grids that depend on one another -------*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Grids of one stream run one after the other, unless the later one is launched
// programmatically (titan.programmatic): then its CTAs may begin while the earlier
// grid still runs, and wait for it themselves.
//
//   the earlier grid                      the later one
//   ----------------                      -------------
//   ...                                   barriers, tables, what nobody writes
//   titan.griddepcontrol.launch_dependents
//   ... (its last stores)                 titan.griddepcontrol.wait
//   end                                   reads what the earlier one wrote
//
// The wait returns when the earlier grids have ended and their memory operations
// are visible; when dependents were launched says nothing of memory (MM-85).
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_GRID_OPS_TD
#define TITAN_DIALECT_GRID_OPS_TD

include "titan/Dialect/Titan/TitanBase.td"

def Titan_GridDepWaitOp : Titan_HwOp<"griddepcontrol.wait", Titan_Needs<"GridDependency">> {
  let summary = "waits until the grids before this one have ended and their memory is visible";
  let description = [{
    Each thread that executes it waits by itself; others learn of it by what orders
    them behind it. In a kernel that is not launched programmatically it returns at
    once: no grid before it is in flight.
  }];
  let assemblyFormat = "attr-dict";
}

def Titan_GridDepLaunchOp : Titan_HwOp<"griddepcontrol.launch_dependents", Titan_Needs<"GridDependency">> {
  let summary = "grids that depend on this one may begin, once every CTA has said so or ended";
  let description = [{
    A further one in the same CTA does nothing more. What this grid writes, dependents
    see behind their titan.griddepcontrol.wait alone, which waits for its end.
  }];
  let assemblyFormat = "attr-dict";
}

#endif
