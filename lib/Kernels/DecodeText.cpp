//===- DecodeText.cpp - attention of few queries over many keys -----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tile t has %perTile blocks of keys, and block n of all is block n mod %perTile
// of tile n div %perTile. CTA c works on blocks from c * %share on: with parts of
// its own of as many tiles as these are in. Going on by a block is going on by a
// tile, or by a CTA, or neither, or both: so row t + c of Parts is its own.
//
// A CTA that has a tile's end and the next one's beginning takes longer than its
// blocks do, by some 256 keys. So where CTAs with one tile each have no more than so
// many keys more, each has one: %perTile is then a multiple of %share, and the last
// of these blocks may not be there.
//
//===----------------------------------------------------------------------===//
#include "AttentionText.h"
#include "Model.h"

#include <algorithm>

using namespace titan::kernels;

/// %perTile and %share from %keys, %tiles and %ctas: in a launch, and in what references compute.
const char *const DecodeText::dealing = R"(
%wanted = arith.index_cast %ctas : i32 to index
%blocksOfTile = arith.ceildivui %keys, %c$keys : index
%evenAll = arith.muli %tiles, %blocksOfTile : index
%evenShare = arith.ceildivui %evenAll, %wanted : index
%splits = arith.divui %wanted, %tiles : index
%splits1 = arith.maxui %splits, %c1 : index
%ownShare = arith.ceildivui %blocksOfTile, %splits1 : index
%ownCtas = arith.ceildivui %blocksOfTile, %ownShare : index
%ownBlocks = arith.muli %ownCtas, %ownShare : index
%tileEnds = arith.addi %evenShare, %c$tileEnd : index
%isShort = arith.cmpi ule, %ownShare, %tileEnds : index
%isOne = arith.cmpi uge, %splits, %c1 : index
%own = arith.andi %isShort, %isOne : i1
%perTile = arith.select %own, %ownBlocks, %blocksOfTile : index
%share = arith.select %own, %ownShare, %evenShare : index
%allBlocks = arith.muli %tiles, %perTile : index)";

void DecodeText::types() {
  w.text(R"(
#acc    = #titan.wgmma<1, 1>
#row    = #titan.slice<1, #acc>
#line   = #titan.blocked<elements = [1, $lineElements], lanes = [1, 32], warps = [1, 1]>

!rows   = !titan.global<?x?x?x?x${size}x$in>
!global = !titan.global<?x?x?x${size}x$in>
!parts  = !titan.global<?x64x${size}xf32>
!logs   = !titan.global<?x64xf32>)");
  if (o.page)
    w.text(R"(
!table  = !titan.global<?x?xi32>
!lengths = !titan.global<?xi32>)");
  w.text(R"(
!mapKV  = !titan.tensor_map<1x${pieceKeys}x1x64x$in, swizzle = 128>
!ringKV = !titan.shared<${keys}x${size}x$in, swizzle = 128, slots = $depth>
!kv     = !titan.shared<${keys}x${size}x$in, swizzle = 128>)");
  if (halves() > 1 || o.pagesOfBlock() > 1)
    w.text("!kv64   = !titan.shared<${pieceKeys}x64x$in, swizzle = 128>");
  w.text(R"(
!bars   = !titan.mbarrier<$depth>
!q      = tensor<64x${size}x$in, #acc>
!scores = tensor<64x${keys}xf32, #acc>
!probs  = tensor<64x${keys}x$in, #acc>
!part   = tensor<64x8xf32, #acc>
!row    = tensor<64xf32, #row>
!rowIs  = tensor<64xi32, #row>
!rowMask = tensor<64xi1, #row>
!out    = tensor<64x${size}xf32, #acc>
!outIs  = tensor<64x${size}xi32, #acc>
!outMask = tensor<64x${size}xi1, #acc>
!where  = tensor<64x${keys}xi32, #acc>
!mask   = tensor<64x${keys}xi1, #acc>
!scoresFlight = !titan.inflight<tensor<64x${keys}xf32, #acc>>
!outFlight = !titan.inflight<tensor<64x${size}xf32, #acc>>
!group  = !titan.token<mma>
!line   = tensor<1x${size}xf32, #line>
!line16 = tensor<1x${size}x$in, #line>
!lineIs = tensor<1x${size}xi32, #line>
!lineMask = tensor<1x${size}xi1, #line>
!one    = tensor<1xf32, #titan.slice<1, #line>>
!oneIs  = tensor<1xi32, #titan.slice<1, #line>>
!oneMask = tensor<1xi1, #titan.slice<1, #line>>)");
  if (o.lse)
    w.text("!sums   = !titan.global<?x?x?x?xf32>");
  w.text("\n\n");
}

/// In a launch region: %tiles, %perTile, %share and %grid, from %batches, %queries, %headsK, %group and %keys.
void DecodeText::shares() {
  w.text(R"(
%pairs = arith.muli %queries, %group : index
%rowBlocks = arith.ceildivui %pairs, %c64 : index
%tilesOfHead = arith.muli %batches, %rowBlocks : index
%tiles = arith.muli %tilesOfHead, %headsK : index
// Each CTA has as many blocks, but for the last.
%few = arith.cmpi sgt, %ctas, %i0 : i32
titan.require %few, "launch-zero-dim", "attention by no CTAs"
)");
  w.text(dealing);
  w.text(R"(
%grid = arith.ceildivui %allBlocks, %share : index
%lastOfAll = arith.subi %allBlocks, %c1 : index
%lastOfShare = arith.subi %share, %c1 : index
%lastCta = arith.divui %lastOfAll, %share : index
%lastOfRest = arith.remui %lastOfAll, %share : index
%lastOfTile = arith.subi %perTile, %c1 : index
%needed = arith.addi %tiles, %grid : index
%slots = titan.dim %Parts, 0 : !parts
%enough = arith.cmpi uge, %slots, %needed : index
titan.require %enough, "launch-check", "Parts has a row for each tile (64 queries of heads with one head of K) and for each CTA"
%slotsLogs = titan.dim %Logs, 0 : !logs
%enoughLogs = arith.cmpi uge, %slotsLogs, %needed : index
titan.require %enoughLogs, "launch-check", "Logs has a row for each tile and for each CTA")");
}

/// What both launches begin with; `first`: the tensor with a row for each query.
void DecodeText::shape(const char *first, bool parts) {
  w.set("first", first);
  w.text(R"(
%batches = titan.dim %$first, 0 : !rows
%queries = titan.dim %$first, 1 : !rows
%headsK = titan.dim %$first, 2 : !rows
%group = titan.dim %$first, 3 : !rows)");
  auto same = [&](const char *name, const char *tensor, const char *type,
                  int dimension, const char *value, const char *words) {
    requireSize(name, tensor, type, dimension, w.fill(value), w.fill(words));
  };
  if (o.page) {
    w.text(R"(
%positive = arith.cmpi sgt, %longest, %i0 : i32
titan.require %positive, "launch-zero-dim", "attention over no keys"
%keys = arith.index_cast %longest : i32 to index)");
    if (parts) {
      same("pageK", "K", "!global", 1, "c$page", "a page of K has $page keys");
      same("pageV", "V", "!global", 1, "c$page", "a page of V has $page keys");
      w.text("%pages = titan.dim %K, 0 : !global");
      same("pagesV", "V", "!global", 0, "pages", "K and V have as many pages");
      same("batchesT", "table", "!table", 0, "batches",
           "table has a row for each batch");
      same("batchesN", "lengths", "!lengths", 0, "batches",
           "lengths has an element for each batch");
      w.text(R"(
%columns = titan.dim %table, 1 : !table
%reach = arith.muli %columns, %c$page : index
%reaches = arith.cmpi uge, %reach, %keys : index
titan.require %reaches, "launch-check", "a row of table has the pages of the longest batch")");
    }
  } else {
    w.text("%keys = titan.dim %K, 1 : !global");
    same("batchesK", "K", "!global", 0, "batches",
         "$first and K have as many batches");
    if (parts) {
      same("batchesV", "V", "!global", 0, "batches",
           "Q and V have as many batches");
      same("keysV", "V", "!global", 1, "keys", "V has a row for each key");
    }
    w.text(R"(
%some = arith.cmpi uge, %keys, %c1 : index
titan.require %some, "launch-zero-dim", "attention over no keys")");
  }
  same("headsOfK", "K", "!global", 2, "headsK",
       "K has the heads that $first has groups");
  if (parts)
    same("headsV", "V", "!global", 2, "headsK",
         "V has the heads that Q has groups");
}

void DecodeText::launchParts() {
  w.text(R"(
titan.kernel @$kernel(%Q: !rows, %K: !global, %V: !global$pagesArguments, %Parts: !parts, %Logs: !logs, %ctas: i32, %scale: f32$longestArgument) warps(8) attributes {
titan.target = "$target", titan.programmatic = [], titan.alignment = {Q = 16, Parts = 16},
titan.example = {sizes = {B = 2, G = 1, H = 3, N = 2, $sizes, P = 5},
                 Q = "BxNxGxHx$size random:1", $dataKV,
                 Parts = "Px64x$size zeros", Logs = "Px64 zeros", ctas = 3 : i32, scale = 0.09 : f32$longestValue},
titan.reference = @${kernel}_reference)");
  w.text("} launch {");
  w.beginRegion();
  shape("Q", true);
  shares();
  requireScale();
  w.text(R"(
%mapK = titan.tensor_map %K : !global -> !mapKV
%mapV = titan.tensor_map %V : !global -> !mapKV)");
  LaunchArguments handed;
  handed.pass("mapK", "!mapKV");
  handed.pass("mapV", "!mapKV");
  for (const char *name :
       {"perTile", "share", "lastOfShare", "lastOfRest", "lastCta", "rowBlocks",
        "headsK", "group", "queries", "pairs"})
    handed.pass(name, "index");
  if (!o.page)
    handed.pass("keys", "index");
  handed.write(w);
}

/// Of %tile: %batch, %headK and %rowBlock.
void DecodeText::placeOfTile() {
  w.text(R"(
%any = arith.divui %tile, %rowBlocks : index
%rowBlock = arith.remui %tile, %rowBlocks : index
%batch = arith.divui %any, %headsK : index
%headK = arith.remui %any, %headsK : index)");
}

/// Of %tile its place, and this CTA's %blocks of it, %newest the last of them.
void DecodeText::segment() {
  placeOfTile();
  w.text(R"(
// This CTA has the tile's blocks from %from up to %until.
%begin = arith.muli %tile, %perTile : index
%behind = arith.addi %begin, %perTile : index
%low = arith.maxui %first, %begin : index
%high = arith.minui %end, %behind : index
%from = arith.subi %low, %begin : index
%until = arith.subi %high, %begin : index)");
  if (o.page)
    w.text(R"(
%length = titan.ld %lengths[%batch] : !lengths -> i32
%known = arith.cmpi sge, %length, %i0 : i32
%short = arith.cmpi sle, %length, %longest : i32
%right = arith.andi %known, %short : i1
titan.assume %right, "lengths are not negative, and no longer than the longest"
%keys = arith.index_cast %length : i32 to index)");
  w.text(R"(
// Behind the last key nothing is to be done; one block is worked on at least.
%held = arith.ceildivui %keys, %c$keys : index
%next = arith.addi %from, %c1 : index
%least = arith.maxui %held, %next : index
%to = arith.minui %until, %least : index
%blocks = arith.subi %to, %from : index
%newest = arith.subi %to, %c1 : index)");
}

/// Not where keys are as a table says, which the grid before may write. And of
/// size 64 the warpgroup is the limit: the instruction alone, wherever it stands,
/// has ptxas hold the products' descriptors in other registers, 16 moves a block.
bool DecodeText::prefetches() const { return !o.page && o.size == 128; }

/// The first tile's first blocks, twice what the rings hold, to the L2 cache while
/// the grid before ends. What that one still writes L2 has, too, before this loads.
void DecodeText::prefetch() {
  w.set("early", 2 * o.depth());
  w.text(R"(
// What the rings hold twice comes to L2 while the grid before this one ends: nothing is read of it here.
%tile = arith.addi %firstTile, %c0 : index)");
  segment();
  w.text(R"(
%early = arith.minui %blocks, %c$early : index
%zero = arith.constant 0 : index
%half = arith.constant 64 : index
scf.for %j = %c0 to %early step %c1 {
%block = arith.subi %newest, %j : index
%key = arith.muli %block, %c$keys : index
titan.tma.prefetch %mapK[%batch, %key, %headK, %zero] : !mapKV
titan.tma.prefetch %mapK[%batch, %key, %headK, %half] : !mapKV
titan.tma.prefetch %mapV[%batch, %key, %headK, %zero] : !mapKV
titan.tma.prefetch %mapV[%batch, %key, %headK, %half] : !mapKV
} {titan.trusted = {code = "undecided", reason = "brings bytes to L2, however many"}})");
}

void DecodeText::load() {
  w.text(R"(
titan.partition "load" warps(1) {
titan.elect {)");
  if (o.page)
    w.text(R"(
%pages = titan.dim %K, 0 : !global
%pages32 = arith.index_cast %pages : index to i32)");
  w.text(R"(
%done = scf.for %n = %c0 to %myTiles step %c1 iter_args(%base = %c0) -> (index) {
%tile = arith.addi %firstTile, %n : index)");
  segment();
  if (o.page)
    w.text(R"(
%some = arith.maxui %keys, %c1 : index
%lastKey = arith.subi %some, %c1 : index
%lastPage = arith.divui %lastKey, %c$page : index)");
  w.text(R"(
scf.for %j = %c0 to %blocks step %c1 {
%use = arith.addi %base, %j : index
%block = arith.subi %newest, %j : index)");
  if (!o.page || o.page > o.keys)
    w.text("%key = arith.muli %block, %c$keys : index");
  std::string pages;
  if (o.page) {
    // Where a page is no larger than a block, blocks begin with one.
    if (o.page > o.keys)
      w.text(R"(
%column = arith.divui %key, %c$page : index
%in = arith.remui %key, %c$page : index)");
    else if (o.page < o.keys)
      w.text("%column = arith.muli %block, %c$pagesOfBlock : index");
    w.set("column", o.page == o.keys ? "block" : "column");
    for (int64_t i = 0; i < o.pagesOfBlock(); ++i) {
      w.set("i", i);
      w.text(R"(
%column$i = arith.addi %$column, %c$i : index
%held$i = arith.minui %column$i, %lastPage : index
%page32_$i = titan.ld %table[%batch, %held$i] : !table -> i32
%isPage$i = arith.cmpi ult, %page32_$i, %pages32 : i32
titan.assume %isPage$i, "the pages of a table are there"
%page$i = arith.index_cast %page32_$i : i32 to index)");
      pages += (i ? ", %page" : "%page") + std::to_string(i);
    }
  }
  w.set("at", !o.page           ? "%batch, %key"
              : o.page > o.keys ? pages + ", %in"
                                : pages + ", %c0");
  w.text(R"(
func.call @fill(%mapK, %k, %fullK, %emptyK, %use, $at, %headK) : (!mapKV, !ringKV, !bars, !bars, index, $pageTypes, index, index) -> ()
func.call @fill(%mapV, %v, %fullV, %emptyV, %use, $at, %headK) : (!mapKV, !ringKV, !bars, !bars, index, $pageTypes, index, index) -> ()
}
%later = arith.addi %base, %blocks : index
scf.yield %later : index
} {titan.trusted = {code = "undecided", reason = "a CTA has at least one block, and so part of a tile"}}
}
})");
}

void DecodeText::mask(bool first) {
  w.set("s", first ? "0" : "");
  w.set("seen", first ? "seen0" : "seen");
  if (!o.causal) {
    keysPastEnd();
    return;
  }
  w.text(R"(
// What a row sees: keys up to its query's own place.
%ahead$s = arith.subi %rowsAhead, %key$s : index
%ahead32$s = arith.index_cast %ahead$s : index to i32
%aheads$s = titan.splat %ahead32$s : i32 -> !rowIs
%limit$s = arith.addi %query, %aheads$s : !rowIs
%limits$s = titan.broadcast %limit$s : !rowIs -> !where
%present$s = arith.cmpi slt, %column, %limits$s : !where
%seen$s = arith.select %present$s, %raw$s, %infinity : !mask, !scores)");
}

void DecodeText::attend() {
  w.set("firstGrows", asksForGrowth() ? ", %grows0" : "");
  w.text(R"(
titan.partition "attend" warps(4) {
%noScores = titan.inflight.none : !scoresFlight
%noSums = titan.inflight.none : !outFlight)");
  weightConstants();
  w.text(R"(
%rowIn = titan.coordinate 0 : !rowIs
%outColumn = titan.coordinate 1 : !outIs
%group32 = arith.index_cast %group : index to i32
%groups = titan.splat %group32 : i32 -> !rowIs
%pairs32 = arith.index_cast %pairs : index to i32
%pairEnd = titan.splat %pairs32 : i32 -> !rowIs
%done = scf.for %n = %c0 to %myTiles step %c1 iter_args(%base = %c0) -> (index) {
%tile = arith.addi %firstTile, %n : index)");
  segment();
  w.text(R"(
%key0 = arith.muli %newest, %c$keys : index
// Row r of the tile is a query and one of the heads that head %headK serves.
%pair0 = arith.muli %rowBlock, %c64 : index
%pair32 = arith.index_cast %pair0 : index to i32
%pairBase = titan.splat %pair32 : i32 -> !rowIs
%pair = arith.addi %pairBase, %rowIn : !rowIs
%query = arith.divui %pair, %groups : !rowIs
%member = arith.remui %pair, %groups : !rowIs
%isPair = arith.cmpi slt, %pair, %pairEnd : !rowIs
%batch32 = arith.index_cast %batch : index to i32
%batchAt = titan.splat %batch32 : i32 -> !outIs
%queryAt = titan.broadcast %query : !rowIs -> !outIs
%head32 = arith.index_cast %headK : index to i32
%headAt = titan.splat %head32 : i32 -> !outIs
%memberAt = titan.broadcast %member : !rowIs -> !outIs
%isOut = titan.broadcast %isPair : !rowMask -> !outMask
%qg = titan.global.load %Q[%batchAt, %queryAt, %headAt, %memberAt, %outColumn] mask(%isOut : !outMask) : !rows, !outIs, !outIs, !outIs, !outIs, !outIs -> !q)");
  if (o.causal)
    w.text(R"(
%keysAhead = arith.addi %keys, %c1 : index
%rowsAhead = arith.subi %keysAhead, %queries : index)");
  w.text(R"(
%stage0 = arith.remui %base, %c$depth : index
%parity0 = func.call @parity(%base) : (index) -> i32
%back = arith.subi %blocks, %c1 : index

// Block 0: Q K^T alone.
titan.mbarrier.wait %fullK[%stage0 : index] parity(%parity0) : !bars)");
  firstScores();
  blocks("r", "c1", "blocks",
         "%probs = %probs0, %max = %max0, %sum = %sum0, %acc = %noSums",
         o.causal);
  lastProduct();
  store();
  w.text(R"(
%later = arith.addi %base, %blocks : index
scf.yield %later : index
}
})");
}

/// From %on, %total and the maxima to this CTA's part of the tile.
void DecodeText::store() {
  finite();
  w.text(R"(
%inverses = titan.broadcast %$inverse : !row -> !out
%result = arith.mulf %on, %inverses : !out
// The logarithm of the sum of 2^(factor * score).
%logs = math.log2 %total : !row
%factors = titan.splat %factor : f32 -> !row
%log = math.fma %r#1, %factors, %logs : !row
%slot = arith.addi %tile, %cta : index
%slot32 = arith.index_cast %slot : index to i32
%slotAt = titan.splat %slot32 : i32 -> !outIs
%slotOf = titan.splat %slot32 : i32 -> !rowIs
%rowAt = titan.broadcast %rowIn : !rowIs -> !outIs
titan.global.store %result, %Parts[%slotAt, %rowAt, %outColumn] mask(%isOut : !outMask) : !out, !parts, !outIs, !outIs, !outIs
titan.global.store %log, %Logs[%slotOf, %rowIn] mask(%isPair : !rowMask) : !row, !logs, !rowIs, !rowIs)");
}

std::string DecodeText::write() {
  w.set("target", std::string(builtFor().name));
  w.set("lineElements", o.size / 32);
  w.set("page", o.page);
  w.set("tileEnd", 256 / o.keys);
  w.set("pagesOfBlock", o.pagesOfBlock());
  w.set("pieceKeys", o.keys / o.pagesOfBlock());
  w.set("pagesOrBatch", o.page ? "page" : "batch");
  w.set("releases", 4);
  w.set("pagesArguments", o.page ? ", %table: !table, %lengths: !lengths" : "");
  w.set("longestArgument", o.page ? ", %longest: i32" : "");
  w.set("longestValue", o.page ? ", longest = 390 : i32" : "");
  std::string pageTypes = "index";
  for (int64_t i = 1; i < o.pagesOfBlock(); ++i)
    pageTypes += ", index";
  w.set("pageTypes", pageTypes);
  w.set("columns", o.page ? ceilDiv(390, o.page) : 0);
  w.set("pool", o.page ? 2 * ceilDiv(390, o.page) : 0);
  w.set("sizes", w.fill(o.page ? "T = $columns, L = $pool" : "S = 390"));
  w.set(
      "dataKV",
      w.fill(
          o.page
              ? R"(K = "Lx${page}xGx$size random:2", V = "Lx${page}xGx$size random:3",
                 table = "BxT steps:1", lengths = "B fill:300")"
              : R"(K = "BxSxGx$size random:2", V = "BxSxGx$size random:3")"));
  w.set("sees", o.causal ? ", causal" : "");
  w.set("pagesOf", w.fill(o.page ? "\n// The keys of a batch are in pages of "
                                   "$page, which a row of table names."
                                 : ""));
  w.text(R"(
// O = softmax(scale * Q K^T) V$sees, for few queries: Q and O are batch x queries x heads x group x $size, as
// many queries' heads in a group as one head of K and V serves, ${pagesOrBatch} x keys x heads x $size, $in; sums in f32.$pagesOf
//
// The rows of a tile are the queries of the heads that one head of K serves. All tiles'
// blocks of $keys keys are dealt out evenly: CTA c leaves its part of tile t in row t + c
// of Parts, and the logarithm (to base 2) of what it weighs in Logs; @${kernel}_combine adds up.
//
// A warp loads, $depth blocks ahead; a warpgroup multiplies. While its product of a block's
// weights and V runs, it has the next block's scores.)");
  w.text("\n\n");
  types();
  functions();
  launchParts();
  w.beginRegion();
  w.text(R"(
%cta = titan.cta_id 0
%first = arith.muli %cta, %share : index
%firstTile = arith.divui %first, %perTile : index
// Behind its first block it has %others, up to %end, in so many tiles.
%isLast = arith.cmpi eq, %cta, %lastCta : index
%others = arith.select %isLast, %lastOfRest, %lastOfShare : index
%after = arith.addi %first, %others : index
%end = arith.addi %after, %c1 : index
%before = arith.remui %first, %perTile : index
%span = arith.addi %before, %others : index
%moreTiles = arith.divui %span, %perTile : index
%myTiles = arith.addi %moreTiles, %c1 : index
%k = titan.shared.alloc : !ringKV
%v = titan.shared.alloc : !ringKV)");
  allocateRings();
  w.text("titan.elect warp(0) {");
  initRings();
  w.text("titan.fence.mbarrier_init");
  if (prefetches())
    prefetch();
  w.text(R"(
}
// The sums of the launch before are read, and what it computes is there.
titan.griddepcontrol.wait
titan.griddepcontrol.launch_dependents
titan.cta_sync

titan.warp_specialize {)");
  load();
  attend();
  w.text(R"(
}
titan.return)");
  w.declare();
  w.text("}");
  w.text("\n\n");
  combine();
  w.text("\n\n");
  referenceParts();
  w.text("\n\n");
  referenceCombine();
  return w.take();
}
