//===- PipeEnds.h - what titan-expand-pipes has made of a pipe --*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pipe becomes two rings of mbarriers; a program that has pipes has no parities,
// arrivals and counts. As metadata of the rings' locations they say so, and
// findings speak of the pipe's operations:
//
//   ring         who arrives             who waits
//   %pipe.full   titan.pipe.commit       titan.pipe.wait
//   %pipe.empty  titan.pipe.release      titan.pipe.acquire
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TITAN_PIPEENDS_H
#define TITAN_DIALECT_TITAN_PIPEENDS_H

#include "titan/Dialect/Titan/Titan.h"

namespace titan {

struct PipeEnd {
  std::string pipe;       ///< Its name in the text, without the '%'.
  bool full = false;      ///< %pipe.full; else %pipe.empty.
  bool exclusive = false; ///< Each slot is one consumer's.
  bool own = false;       ///< The producer is the only consumer, too.
  bool order = false;     ///< Without buffers: titan.pipe.signal arrives.

  mlir::Location mark(mlir::Location loc) const;
  /// Of a location that mark() made; nothing else has any.
  static std::optional<PipeEnd> of(mlir::Location loc);
};

} // namespace titan

#endif
