//===- PtxStatements.h - What inline PTX means to a compiler ----*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiler reads no asm statement. What it may do with one it is told:
//
//   effect   volatile   clobbers memory   it may be
//   Pure     no         no                merged, hoisted, sunk, dropped
//   Reads    no         yes, for reading  the same, between writes
//   Acts     yes        no                nothing; memory moves across it
//   Orders   yes        yes               nothing; memory stays on its side
//
// Convergent: no pass may copy it into branches or make it depend on more
// conditions. So is all that stays where it is, and what a whole warp executes
// together.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TARGET_PTXSTATEMENTS_H
#define TITAN_TARGET_PTXSTATEMENTS_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace titan {

enum class PtxEffect : uint8_t { Pure, Reads, Acts, Orders };
std::string_view toString(PtxEffect effect);

/// One instruction, or all whose names begin so up to a dot.
struct PtxStatement {
  std::string_view instruction;
  PtxEffect effect;
  bool convergent;
  std::string_view why;
};
std::span<const PtxStatement> allPtxStatements();

/// Of all instructions of a text together: the strongest effect. What no row
/// names orders, and is convergent.
struct PtxMeaning {
  PtxEffect effect = PtxEffect::Pure;
  bool convergent = false;
};
PtxMeaning meaningOf(std::string_view text);

/// The table, as docs/lowering.md has it.
std::string printPtxStatements();

} // namespace titan

#endif // TITAN_TARGET_PTXSTATEMENTS_H
