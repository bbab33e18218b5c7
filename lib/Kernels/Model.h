//===- Model.h - what the models of kernels share ---------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_KERNELS_MODEL_H
#define TITAN_LIB_KERNELS_MODEL_H

#include <cstdint>

namespace titan::kernels {

inline int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

} // namespace titan::kernels

#endif
