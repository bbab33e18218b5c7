//===- Corners.h - the sizes at which a kernel's loops turn -----*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is proved is proved for every size. Where it is wrong, that shows where
// a loop does not run, runs once, or runs once more or less than its ring has
// slots, and at the edge of a tile: beside the constants that a size meets. A
// gemm whose K goes by steps of 64 through a ring of 4 slots, and whose M and N
// go by tiles of 128, has
//
//   K = 0              no launch takes it (launch-zero-dim)
//   K = 1              one step
//   K = 63, 65         around the constant that K meets
//   K = 192, 256, 257  depth - 1, depth, depth + 1 steps, the last one ragged
//   K = 579            large: more than twice through the ring, and ragged
//
// with M and N as they are; then M, then N; then all of them at 0, at 1, below
// and above their greatest constants, and at more than twice that. (Steps
// are taken to be as long as the greatest constant, and nothing is above 1,027. No
// tensor has more than 200,000 elements but by rounding: the greatest of the other
// sizes are halved where it has, and then the corner's own.)
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TOOLS_TITAN_MUTATE_CORNERS_H
#define TITAN_TOOLS_TITAN_MUTATE_CORNERS_H

#include "titan/Dialect/Titan/Titan.h"

#include <string>
#include <vector>

namespace titan {

/// A launch of a kernel: some of the sizes that its titan.example names, each
/// with a number of elements.
using Corner = std::vector<std::pair<std::string, int64_t>>;

/// The corners of a kernel, each once; none where its titan.example names no
/// size. A launch may refuse some of them. `sizes`: "M=72", in place of those of
/// titan.example, where a corner does not say another.
std::vector<Corner> cornersOf(KernelOp kernel,
                              llvm::ArrayRef<std::string> sizes);

/// The corner with each number as a multiple of `multiple`: what is below the
/// next constant stays below it. (Rows of a tensor map are multiples of 16
/// bytes.)
Corner rounded(const Corner &corner, int64_t multiple);

/// "M=8,N=72".
std::string stringify(const Corner &corner);

} // namespace titan

#endif
