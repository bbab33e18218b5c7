//===- AttentionTail.cpp - narrow first blocks ----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `tail`: keys behind the last whole block would have a block of their own, most of which is products of nothing:
// 4096 keys are 25 blocks of 160 and 96 keys. A tile's first block is a narrow one instead, of `tail` keys, in the same
// slot under another type:
//
//   Q T | Q K0, Wt V | Q K1, W0 V | ...
//
// Which keys there are is asked of the narrow block, and of the first whole one, where others are left than fit the
// narrow one: that has no key at all then. There is always a whole block.
//
// Names of types, functions and values of narrow blocks end in Tail; $t is that ending where a template is for both.
//
//===----------------------------------------------------------------------===//
#include "AttentionText.h"

using namespace titan::kernels;

/// What templates say of blocks is of narrow ones, or of the others.
void AttentionText::blocksAre(bool tail) {
  int64_t keys = tail ? o.tail : o.keys;
  w.set("t", tail ? "Tail" : "");
  w.set("ofTail", tail ? ", of a narrow block," : "");
  w.set("panels", keys / 8);
  w.set("blockBytes", keys * o.size * bytesOf(o.element));
  w.set("weights", std::string("!probs") + (tail ? "Tail" : "") +
                       ", !part, !row, !row" + (asksForGrowth() ? ", i1" : ""));
}

/// %slot, a slot of K or V, as a block whose types end in `ending`.
void AttentionText::reuseSlot(const std::string &slot,
                              const std::string &ending) {
  if (ending.empty())
    return;
  w.set("ending", ending);
  w.text("%" + slot + "$ending = titan.shared.reuse %" + slot +
         " : !kv -> !kv$ending");
}

void AttentionText::tailTypes() {
  w.text(R"(
// Of the narrow blocks.
!mapKVTail = !titan.tensor_map<${one}${tail}x1x64x$in, swizzle = 128>
!kvTail = !titan.shared<${tail}x${size}x$in, swizzle = 128>)");
  if (halves() > 1)
    w.text("!kv64Tail = !titan.shared<${tail}x64x$in, swizzle = 128>");
  w.text(R"(
!scoresTail = tensor<64x${tail}xf32, #acc>
!probsTail = tensor<64x${tail}x$in, #acc>
!whereTail = tensor<64x${tail}xi32, #acc>
!maskTail = tensor<64x${tail}xi1, #acc>
!scoresFlightTail = !titan.inflight<tensor<64x${tail}xf32, #acc>>)");
}

/// At the launch: %whole blocks beside the narrow one, and %blocks with it.
void AttentionText::countWhole() {
  w.set("more", o.keys - o.tail);
  w.text(R"(
// A narrow block, and whole ones before its keys, one at least.
%moved = arith.addi %keys, %c$more : index
%wanted = arith.ceildivui %moved, %c$keys : index
%blocks = arith.maxui %wanted, %c2 : index
%whole = arith.subi %blocks, %c1 : index)");
}

/// The narrow block, use %base, and then the others.
void AttentionText::loadTail() {
  w.text(R"(
%keyTail = arith.muli %whole, %c$keys : index
func.call @fillTail(%mapKTail, %k, %fullK, %emptyK, %base, %batch, %keyTail, %headK) : (!mapKVTail, !ringKV, !bars, !bars, index, index, index, index) -> ()
func.call @fillTail(%mapVTail, %v, %fullV, %emptyV, %base, %batch, %keyTail, %headK) : (!mapKVTail, !ringKV, !bars, !bars, index, index, index, index) -> ()
scf.for %j = %c1 to %blocks step %c1 {
%use = arith.addi %base, %j : index
%block = arith.subi %whole, %j : index
%key = arith.muli %block, %c$keys : index
func.call @fill(%mapK, %k, %fullK, %emptyK, %use, %batch, %key, %headK) : (!mapKV, !ringKV, !bars, !bars, index, index, index, index) -> ()
func.call @fill(%mapV, %v, %fullV, %emptyV, %use, %batch, %key, %headK) : (!mapKV, !ringKV, !bars, !bars, index, index, index, index) -> ()
})");
}

/// From %rawW, the first whole block's scores, to %seenW: keys past the end weigh nothing.
void AttentionText::maskWhole() {
  w.set("seen", "seenW");
  w.text(R"(
%wholeColumn = titan.coordinate 1 : !where
%wholeInfinity = titan.splat %minus : f32 -> !scores
%wholeRest = arith.addi %rest, %c$keys : index
%wholeRest32 = arith.index_cast %wholeRest : index to i32
%wholeLimits = titan.splat %wholeRest32 : i32 -> !where
%wholePresent = arith.cmpi slt, %wholeColumn, %wholeLimits : !where
%seenW = arith.select %wholePresent, %rawW, %wholeInfinity : !mask, !scores)");
}

/// All of a tile: %on and %total.
void AttentionText::tailAndBlocks() {
  blocksAre(true);
  firstScores();
  blocksAre(false);
  w.text(R"(
// The narrow block's product, and the scores of the first whole one: of both there are too many registers for them to
// be in flight under its weights.
%useW = arith.addi %base, %c1 : index
%stageW = arith.remui %useW, %c$depth : index
%parityW = func.call @parity(%useW) : (index) -> i32
titan.mbarrier.wait %fullV[%stage0 : index] parity(%parity0) : !bars
titan.mbarrier.wait %fullK[%stageW : index] parity(%parityW) : !bars)");
  if (*o.turns)
    takeTurn();
  w.text("%vt = titan.shared.slot %v[%stage0 : index] : !ringKV -> !kv");
  reuseSlot("vt", "Tail");
  w.text(R"(
titan.mma.fence
%acc1W = titan.mma %probs0, %vtTail transpose_b, %noSums : !probsTail, !kvTail, !outFlight -> !outFlight
%goW = titan.mma.commit : !group
%kW = titan.shared.slot %k[%stageW : index] : !ringKV -> !kv
%sW = titan.mma %qg, %kW, %noScores : !q, !kv, !scoresFlight -> !scoresFlight
%gsW = titan.mma.commit : !group)");
  if (*o.turns)
    passTurn();
  w.set("x", "W");
  w.set("max", "max0");
  w.set("sum", "sum0");
  w.set("stageV", "stage0");
  w.set("andGrows", asksForGrowth() ? ", %growsW" : "");
  sumsBefore();
  blockWeights(true);
  w.set("andGrows", asksForGrowth() ? ", %grows" : "");
  blocks("r", "c2", "blocks",
         "%probs = %probs1W, %max = %max1W, %sum = %sum1W, %acc = %acc2W",
         false);
  lastProduct();
}
