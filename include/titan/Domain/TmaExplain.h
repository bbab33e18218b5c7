//===- TmaExplain.h - Schedules as text and pictures ------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What lowerSchedule decided, for people: the domains, the dimensions of the
// map, the level and why, the code around the instruction, the launch checks,
// and each tile as it stands in shared memory:
//
//     #  a valid element
//     .  a hole with the fill value
//     !  a hole with data of the tensor (level 2 and 3, weak)
//     _  not copied: what stood there before
//
// Figure 2 of the note (Theorems.h), twelve rows in boxes of two:
//
//     i4=0 i7=0  ##    i4=0 i7=1  ##    i4=0 i7=2  !!    i4=0 i7=3  !!
//     i4=1 i7=0  ##    ...
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DOMAIN_TMAEXPLAIN_H
#define TITAN_DOMAIN_TMAEXPLAIN_H

#include "titan/Domain/TmaSchedule.h"

namespace titan {

/// One execution of the instruction.
struct TmaTilePicture {
  std::string where; ///< "i4=0 i7=2".
  std::string cells; ///< In the order of the image, one character an element.
  int64_t row = 1;   ///< Elements of a row: of the innermost dimension.
};

/// Every execution under these values of the launch, as the lowering does it
/// (without `rest`).
/// The problem (bad-argument): a size is missing; more than `most` elements.
Result<std::vector<TmaTilePicture>>
picturesOf(const TmaLowering &low, const Expr::Bindings &launch = {},
           int64_t most = 65536);

/// All of it as text, part by part; with sizes, whether each launch check
/// holds. Pictures are left out, with a line that says why, where there are
/// none to be had (a size is missing), and where each row's elements are alike
/// (the innermost dimension whole) one character stands for a row. Where more
/// than `most` elements are to be drawn, there is one picture of each kind and
/// the number of those like it; rows that repeat are one row and a number. Of
/// very many tiles (2^17 elements) those at the first two indices and the last
/// of each loop are looked at, and a line says so.
std::string explainLowering(const TmaLowering &low,
                            const Expr::Bindings &launch = {},
                            int64_t most = 4096);

/// The domain graph and the same pictures as an SVG document.
std::string drawLowering(const TmaLowering &low,
                         const Expr::Bindings &launch = {},
                         int64_t most = 16384);
/// Several, each below its title.
std::string
drawLowerings(const std::vector<std::pair<std::string, TmaLowering>> &all,
              const Expr::Bindings &launch = {}, int64_t most = 16384);

} // namespace titan

#endif // TITAN_DOMAIN_TMAEXPLAIN_H
