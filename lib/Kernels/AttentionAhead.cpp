//===- AttentionAhead.cpp - tile after tile, without a gap ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile's first scores are computed beside the last product of the tile before it, as those of any other block
// are beside the product of the block before:
//
//   Q K0 | Q K1, W0 V | ... | Q' K0', Wn V | Q' K1', W0' V' | ...
//                                            O of the first tile leaves
//
// So the tensor cores have no gap where a tile begins. The warp that loads works out each round's tile, and says it
// in a letter beside Q; there are two of both. (A warpgroup that divides by itself is slower, without a mask, too.) Behind a
// CTA's last tile comes one that is not there: a block of zeros, whose scores nobody uses.
//
// Names of values end in F where they are of a CTA's first tile, in N where they are of the next one.
//
//===----------------------------------------------------------------------===//
#include "AttentionText.h"

using namespace titan::kernels;

/// What a letter says of a tile, in the order of AttentionText::Said.
static const char *const said[] = {"row", "blocks", "batch", "head", "any"};

void AttentionText::letterTypes() {
  w.set("said", int64_t(std::size(said)));
  w.text(R"(
// The tile's first row, its blocks, its batch, its head there, and its head of all.
!letters = !titan.shared<${said}xi32, slots = 2>
!letter = !titan.shared<${said}xi32>)");
}

/// What partitions share of the tiles' order.
void AttentionText::placeFunctions() {
  if (!masksRows()) {
    w.text(R"(
// Of a tile: its head of all, and its first row.
func.func private @place(%tile: index, %rowBlocks: index) -> (index, index) {)");
    w.beginRegion();
    w.text(R"(
%any = arith.divui %tile, %rowBlocks : index
%down = arith.remui %tile, %rowBlocks : index
%row = arith.muli %down, %c$rows : index
return %any, %row : index, index)");
    w.declare();
    w.text("}\n");
    return;
  }
  w.text(R"(
// The tile that a CTA has in a round: even rounds go up, odd ones down, so that who has the longest
// of one has the shortest of the next.
func.func private @tileOf(%round: index, %cta: index, %ctas: index) -> index {)");
  w.beginRegion();
  w.text(R"(
%done = arith.muli %round, %ctas : index
%odd = arith.remui %round, %c2 : index
%lastCta = arith.subi %ctas, %c1 : index
%mirrored = arith.subi %lastCta, %cta : index
%isOdd = arith.cmpi eq, %odd, %c1 : index
%at = arith.select %isOdd, %mirrored, %cta : index
%tile = arith.addi %done, %at : index
return %tile : index)");
  w.declare();
  w.text(R"(
}

// Of a tile: its head of all, its first row, and its blocks.
func.func private @place(%tile: index, %rowBlocks: index, %band: index, %allHeads: index, %queries: index, %keys: index) -> (index, index, index) {)");
  w.beginRegion();
  tileOrder();
  w.text("%row = arith.muli %down, %c$rows : index");
  tileKeys();
  w.text("return %any, %row, %allBlocks : index, index, index");
  w.declare();
  w.text("}\n");
  if (!*o.skip)
    return;
  w.text(R"(
// The first blocks of a tile that 64 of its rows, from %row on, see nothing of.
func.func private @unseen(%row: index, %blocks: index, %queries: index, %keys: index) -> index {)");
  w.beginRegion();
  w.text(R"(
%rowKeys = arith.addi %row, %keys : index
%least = arith.addi %queries, %c1 : index
%back = arith.subi %blocks, %c1 : index)");
  w.set("endIs", "keys");
  unseenBlocks();
  w.text("return %unseen : index");
  w.declare();
  w.text("}\n");
}

/// Of the tile of %$round: %any, %row and, with a mask, %blocks.
void AttentionText::placeOf(const char *round) {
  w.set("round", round);
  if (masksRows())
    w.text(R"(
%tile = func.call @tileOf(%$round, %first, %ctas) : (index, index, index) -> index
%any, %row, %blocks = func.call @place(%tile, %rowBlocks, %band, %allHeads, %queries, %keys) : (index, index, index, index, index, index) -> (index, index, index))");
  else
    w.text(R"(
%before = arith.muli %$round, %ctas : index
%tile = arith.addi %before, %first : index
%any, %row = func.call @place(%tile, %rowBlocks) : (index, index) -> (index, index))");
}

/// The rounds in which this CTA has a tile.
void AttentionText::rounds() {
  w.text("%fullRounds = arith.divui %tiles, %ctas : index");
  if (masksRows())
    w.text("%lastTile = func.call @tileOf(%fullRounds, %first, %ctas) : "
           "(index, index, index) -> index");
  else
    w.text(R"(
%inFull = arith.muli %fullRounds, %ctas : index
%lastTile = arith.addi %inFull, %first : index)");
  w.text(R"(
%hasLast = arith.cmpi ult, %lastTile, %tiles : index
%oneMore = arith.addi %fullRounds, %c1 : index
%rounds = arith.select %hasLast, %oneMore, %fullRounds : index)");
}

/// %letter$s, which lies in stage %stageQ$s.
void AttentionText::letter(const char *suffix) {
  w.set("s", suffix);
  w.text("%letter$s = titan.shared.slot %letters[%stageQ$s : index] : !letters "
         "-> !letter");
}

/// What %letter$s says of `what`, each with `as` behind its name.
void AttentionText::readLetter(const char *suffix, const char *as,
                               std::initializer_list<Said> what) {
  w.set("s", suffix);
  w.set("as", as);
  for (Said which : what) {
    w.set("i", which);
    w.set("said", said[which]);
    w.text(R"(
%said$i$as = titan.ld %letter$s[%c$i] : !letter -> i32
%$said$as = arith.index_cast %said$i$as : i32 to index)");
  }
}

void AttentionText::loadAhead() {
  w.text(R"(
titan.partition "load" warps(1)$loadRegisters {
titan.elect {)");
  rounds();
  w.text(R"(
%allRounds = arith.addi %rounds, %c1 : index
%loaded = scf.for %round = %c0 to %allRounds step %c1 iter_args(%base = %c0) -> (index) {
%isTile = arith.cmpi ult, %round, %rounds : index)");
  placeOf("round");
  w.text(R"(
%batch = arith.divui %any, %heads : index
%head = arith.remui %any, %heads : index
%headK = arith.divui %head, %group : index
%wanted = arith.select %isTile, %blocks, %c1 : index
%stageQ = arith.remui %round, %c2 : index
%half = arith.divui %round, %c2 : index
%nextHalf = arith.addi %half, %c1 : index
%odd = arith.remui %nextHalf, %c2 : index
%free = arith.index_cast %odd : index to i32
%slots = arith.muli %stageQ, %c$groups : index)");
  for (int64_t group = 0; group < o.warpgroups(); ++group) {
    w.set("g", group);
    w.text("titan.mbarrier.wait %emptyQ$g[%stageQ : index] parity(%free) : "
           "!barsQ");
  }
  letter("");
  for (size_t which = 0; which < std::size(said); ++which) {
    w.set("i", int64_t(which));
    w.set("said", which == Blocks ? "wanted" : said[which]);
    w.text(R"(
%${said}32 = arith.index_cast %$said : index to i32
titan.st %${said}32, %letter[%c$i] : i32, !letter)");
  }
  for (int64_t group = 0; group < o.warpgroups(); ++group) {
    w.set("g", group);
    w.set("down", 64 * group);
    w.text(R"(
%row$g = arith.addi %row, %c$down : index
%slot$g = arith.addi %slots, %c$g : index
%q$g = titan.shared.slot %q[%slot$g : index] : !ringQ -> !q
titan.mbarrier.arrive_expect_tx %fullQ$g[%stageQ : index], %i$queryBytes : !barsQ)");
    if (halves() == 1)
      w.text("titan.tma.load %mapQ[%batch, %row$g, %head, %c0], %q$g, "
             "%fullQ$g[%stageQ : index] : !mapQ, !q, !barsQ");
    else
      w.text(R"(
%left$g = titan.shared.view %q$g [0, 0] : !q -> !q64
%right$g = titan.shared.view %q$g [0, 64] : !q -> !q64
titan.tma.load %mapQ[%batch, %row$g, %head, %c0], %left$g, %fullQ$g[%stageQ : index] : !mapQ, !q64, !barsQ
titan.tma.load %mapQ[%batch, %row$g, %head, %c64], %right$g, %fullQ$g[%stageQ : index] : !mapQ, !q64, !barsQ)");
  }
  w.text(R"(
%newest = arith.subi %wanted, %c1 : index
scf.for %j = %c0 to %wanted step %c1 {
%use = arith.addi %base, %j : index
%block = arith.subi %newest, %j : index
%key = arith.muli %block, %c$keys : index
func.call @fill(%mapK, %k, %fullK, %emptyK, %use, %batch, %key, %headK) : (!mapKV, !ringKV, !bars, !bars, index, index, index, index) -> ()
scf.if %isTile {
func.call @fill(%mapV, %v, %fullV, %emptyV, %use, %batch, %key, %headK) : (!mapKV, !ringKV, !bars, !bars, index, index, index, index) -> ()
}
}
%nextBase = arith.addi %base, %wanted : index
scf.yield %nextBase : index
}
}
})");
}

/// The first scores, %raw$s, of the tile of %$round, whose blocks begin with use %base$s; with `last` beside the
/// last product of the tile before it.
void AttentionText::scoresAhead(int64_t group, const char *suffix,
                                const char *round, bool last) {
  w.set("s", suffix);
  w.set("round", round);
  w.text(R"(
%stageQ$s = arith.remui %$round, %c2 : index
%half$s = arith.divui %$round, %c2 : index
%odd$s = arith.remui %half$s, %c2 : index
%parityQ$s = arith.index_cast %odd$s : index to i32
%slots$s = arith.muli %stageQ$s, %c$groups : index
%slot$s = arith.addi %slots$s, %c$g : index
titan.mbarrier.wait %fullQ$g[%stageQ$s : index] parity(%parityQ$s) : !barsQ)");
  if (nameOwnBlocks(group)) {
    letter(suffix);
    readLetter(suffix, suffix, {Row, Blocks});
    w.set("down", 64 * group);
    w.text(R"(
%rowg$s = arith.addi %row$s, %c$down : index
%unseen$s = func.call @unseen(%rowg$s, %blocks$s, %queries, %keys) : (index, index, index, index) -> index
%firstUse$s = arith.addi %base$s, %unseen$s : index)");
    passBlocks(suffix, w.fill("base$s").c_str());
    w.set("firstUse", w.fill("firstUse$s"));
  } else {
    w.set("firstUse", w.fill("base$s"));
  }
  w.text(R"(
%stage$s = arith.remui %$firstUse, %c$depth : index
%parity$s = func.call @parity(%$firstUse) : (index) -> i32
titan.mbarrier.wait %fullK[%stage$s : index] parity(%parity$s) : !bars)");
  if (*o.turns)
    takeTurn();
  w.text(R"(
%q$s = titan.shared.slot %q[%slot$s : index] : !ringQ -> !q
%k$s = titan.shared.slot %k[%stage$s : index] : !ringKV -> !kv
titan.mma.fence
%s$s = titan.mma %q$s, %k$s, %noScores : !q, !kv, !scoresFlight -> !scoresFlight
%g$s = titan.mma.commit : !group)");
  if (last)
    issueLast();
  if (*o.turns)
    passTurn();
  w.set("s", suffix);
  w.text("%raw$s = titan.mma.result %s$s after(%g$s : !group) : "
         "!scoresFlight -> !scores");
  release("K", w.fill("stage$s").c_str());
}

void AttentionText::attendAhead(int64_t group) {
  beginAttend(group);
  rounds();
  w.text("%baseF = arith.constant 0 : index");
  scoresAhead(group, "F", "c0", false);
  w.text(R"(
%done:3 = scf.for %round = %c0 to %rounds step %c1
    iter_args(%base = %c0, %raw0 = %rawF, %pending = %noStore) -> (index, !scores, !bulk) {
%stageQ = arith.remui %round, %c2 : index)");
  letter("");
  if (masksRows())
    readLetter("", "", {Row, Blocks});
  w.text(R"(
%newest = arith.subi %blocks, %c1 : index
%back = arith.subi %blocks, %c1 : index)");
  bool below = nameOwnBlocks(group);
  if (masksRows()) {
    w.set("down", 64 * group);
    w.text("%rowg = arith.addi %row, %c$down : index");
    rowsSee();
  }
  if (below) {
    w.text("%unseen = func.call @unseen(%rowg, %blocks, %queries, %keys) : "
           "(index, index, index, index) -> index");
    ownOfUnseen();
  }
  if (masksFirst())
    wholeBlocks();
  w.text(R"(
%key0 = arith.muli %$newestOwn, %c$keys : index
%slots = arith.muli %stageQ, %c$groups : index
%slot = arith.addi %slots, %c$g : index
%qg = titan.shared.slot %q[%slot : index] : !ringQ -> !q)");
  firstWeights();
  allBlocks();
  w.text(R"(
// The next tile's first block, and the product of this one's last.
%nextRound = arith.addi %round, %c1 : index
%baseN = arith.addi %base, %blocks : index)");
  scoresAhead(group, "N", "nextRound", true);
  endLast();
  readLetter("", "O", {Row});
  readLetter("", "", {Batch, Head, Any});
  w.set("down", 64 * group);
  w.set("ownRow", "rowOut");
  w.text(R"(
%rowOut = arith.addi %rowO, %c$down : index
// Q and the letter have been read.
titan.syncwarp
titan.elect {
titan.mbarrier.arrive %emptyQ$g[%stageQ : index] : !barsQ
})");
  output(group);
  w.text(R"(
scf.yield %baseN, %rawN, %store : index, !scores, !bulk
})");
  w.set("last", 2);
  endAttend(group);
}
