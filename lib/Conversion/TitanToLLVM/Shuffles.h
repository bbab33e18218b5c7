//===- Shuffles.h - values from another lane of the warp --------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shuffle moves 32 bits. Narrower values go several in a word, wider ones in two.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_CONVERSION_SHUFFLES_H
#define TITAN_LIB_CONVERSION_SHUFFLES_H

#include "titan/Conversion/KernelLowering.h"

namespace titan {

/// Where each lane's word comes from: lane ^ `xors`, or a lane that was computed.
struct Sender {
  mlir::Value lane;
  int64_t xors = 0;
};

/// All of `values`, of one type, from one lane: as many in a word as fit.
Values shuffle(KernelLowering &kl, mlir::ValueRange values,
               const Sender &sender);

} // namespace titan

#endif
