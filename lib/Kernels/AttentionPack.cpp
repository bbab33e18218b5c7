//===- AttentionPack.cpp - tiles of several heads -------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `pack`: a tile's warpgroups have 64 rows each, of any heads that one head of K serves, so that only a group of
// heads, and not each head, has a tile that is not full.
//
//===----------------------------------------------------------------------===//
#include "AttentionText.h"

using namespace titan::kernels;

/// Of %tile: %batch, %headK, and %unit, the first of its warpgroups' units of 64 rows.
void AttentionText::packedTile() {
  w.text(R"(
%anyK = arith.divui %tile, %rowBlocks : index
%down = arith.remui %tile, %rowBlocks : index
%batch = arith.divui %anyK, %headsK : index
%headK = arith.remui %anyK, %headsK : index
%unit = arith.muli %down, %c$groups : index
%firstHead = arith.muli %headK, %group : index
%lastHead = arith.subi %group, %c1 : index)");
}

/// Of warpgroup $g: its head, and where its rows begin.
void AttentionText::packedRows(const std::string &head,
                               const std::string &row) {
  w.set("headIs", head);
  w.set("rowIs", row);
  w.text(R"(
// Behind the last head's rows are rows that there are not.
%unit$g = arith.addi %unit, %c$g : index
%any$g = arith.divui %unit$g, %units : index
%in$g = arith.minui %any$g, %lastHead : index
%above$g = arith.muli %in$g, %units : index
%down$g = arith.subi %unit$g, %above$g : index
%$headIs = arith.addi %firstHead, %in$g : index
%$rowIs = arith.muli %down$g, %c64 : index)");
}
