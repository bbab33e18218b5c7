//===- GemmMainLoop.cpp - a GEMM's loads and products ----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "GemmText.h"

using namespace titan::kernels;

/// Group %z: where it begins and what it has, and this CTA's first tile of it,
/// %mine; %dealt tiles came before.
void GemmText::group() {
  w.text(R"(
%zNext = arith.addi %z, %c1 : index
%begin32 = titan.ld %offsets[%z] : !offsets -> i32
%end32 = titan.ld %offsets[%zNext] : !offsets -> i32
%low = arith.cmpi sge, %begin32, %i0 : i32
%atMost = arith.cmpi sle, %end32, %rows32 : i32
%rising = arith.cmpi sge, %end32, %begin32 : i32
%between = arith.andi %low, %atMost : i1
%valid = arith.andi %between, %rising : i1
titan.assume %valid, "the rows of a group lie in A, and end where they begin or behind"
%height32 = arith.subi %end32, %begin32 : i32
%begin = arith.index_cast %begin32 : i32 to index
%height = arith.index_cast %height32 : i32 to index
%tilesM = arith.ceildivui %height, %c$spanM : index
%tiles = arith.muli %tilesM, %tilesN : index
%dealt1 = arith.addi %dealt, %tiles : index
// Tiles of all groups are dealt out in turn: this CTA's first of these.
%before0 = arith.remui %dealt, %ctas : index
%ahead0 = arith.addi %first, %ctas : index
%wait0 = arith.subi %ahead0, %before0 : index
%mine = arith.remui %wait0, %ctas : index)");
}

/// Where the CTA has a tile of the group, the map of D begins and ends with it.
void GemmText::editMap() {
  w.text(R"(
%some = arith.cmpi ult, %mine, %tiles : index
%edits = arith.andi %some, %isStorer : i1
scf.if %edits {
titan.elect {
titan.bulk.wait %pending0 read : !bulk
titan.tensormap.replace_address %edit, %D[%begin, %c0] : !mapD, !result
titan.tensormap.replace_dim %edit, 0, %height32 : !mapD
}
titan.syncwarp
titan.tensormap.cp_fenceproxy %edit, %groupD gpu : !mapD, !mapD
titan.fence.tensormap_acquire %groupD gpu : !mapD
})");
}

/// Piece %piece of what the CTA has to do: %tile, behind %skipped steps of its K
/// %count steps; `counts`: and %base, the CTA's steps before it.
void GemmText::piece(bool counts) {
  w.set("names",
        counts ? "%tile, %skipped, %count, %base" : "%tile, %skipped, %count");
  w.set("types", counts ? "index, index, index, index" : "index, index, index");
  w.set("andBase", counts ? ", %passed" : "");
  w.text(R"(
%isCut = arith.cmpi ult, %piece, %cuts : index
$names = scf.if %isCut -> ($types) {
// The share's last tile comes first: nobody waits for long for its sums.
%nextCut = arith.subi %lastCut, %piece : index
%cut = arith.subi %nextCut, %c1 : index
%cutBegin = arith.muli %cut, %steps : index
%cutEnd = arith.muli %nextCut, %steps : index
%from = arith.maxui %shareBegin, %cutBegin : index
%to = arith.minui %shareEnd, %cutEnd : index
%left = arith.subi %from, %cutBegin : index
%length = arith.subi %to, %from : index
%inPart = arith.addi %wholeTiles, %cut : index)");
  if (counts)
    w.text("%passed = arith.subi %shareEnd, %to : index");
  w.text(R"(
scf.yield %inPart, %left, %length$andBase : $types
} else {
%wave = arith.subi %piece, %cuts : index
%inWave = arith.muli %wave, %ctas : index
%whole = arith.addi %inWave, %first : index)");
  if (counts)
    w.text(R"(
%inWaves = arith.muli %wave, %steps : index
%passed = arith.addi %shareSteps, %inWaves : index)");
  w.text(R"(
scf.yield %whole, %c0, %steps$andBase : $types
})");
}

/// The corner of a tile: %m, %n, and in front of them the batch %z.
void GemmText::coordinates() {
  w.set("tile", "tile");
  if (isStacked()) {
    w.set("tile", "inBatch");
    w.text(R"(
%z = arith.divui %tile, %tilesEach : index
%inBatch = arith.remui %tile, %tilesEach : index)");
  }
  if (isGrouped())
    w.text(R"(
// Column by column: the CTAs that run at a time share B.
%tn = arith.divui %tile, %tilesM : index
%tm = arith.remui %tile, %tilesM : index
%inGroup = arith.muli %tm, %c$spanM : index
%m = arith.addi %begin, %inGroup : index)");
  else if (o.band > 1)
    w.text(R"(
%band = arith.divui %$tile, %bandTiles : index
%inBand = arith.remui %$tile, %bandTiles : index
%top = arith.muli %band, %bandRows : index
%below = arith.subi %tilesM, %top : index
%high = arith.minui %below, %bandRows : index
%down = arith.remui %inBand, %high : index
%tn = arith.divui %inBand, %high : index
%tm = arith.addi %top, %down : index)");
  else
    w.text(R"(
%tm = arith.divui %$tile, %tilesN : index
%tn = arith.remui %$tile, %tilesN : index)");
  auto corner = [&](char axis, char upper, int64_t span, int64_t ctas) {
    w.set("x", std::string(1, axis));
    w.set("X", std::string(1, upper));
    w.set("span", span);
    if (ctas == 1)
      w.text("%$x = arith.muli %t$x, %c$span : index");
    else
      w.text(R"(
%corner$X = arith.muli %t$x, %c$span : index
%$x = arith.addi %corner$X, %own$X : index)");
  };
  if (!isGrouped())
    corner('m', 'M', o.spanM(), o.clusterM);
  corner('n', 'N', o.spanN(), o.clusterN);
}

/// Where an operand's tile begins, in the order in which it is stored.
static std::string corner(const GemmOperand &x, std::string rows,
                          std::string k = "%k") {
  return (x.stacked ? "%z, " : "") +
         (x.transposed ? k + ", " + rows : rows + ", " + k);
}
static std::string corner(const GemmOperand &x) {
  return corner(x, std::string("%") + x.coordinate);
}

/// Into %slotA or %slotB: its boxes, those of this CTA alone where it is
/// shared.
void GemmText::loadTile(const GemmOperand &x) {
  w.set("X", std::string(1, x.name));
  w.set("x", std::string(1, x.coordinate));
  w.set("cache", cacheOf(x));
  if (x.pieces() == 1 && boxes(x) == 1) {
    w.set("corner", corner(x));
    w.text("titan.tma.load %map$X[$corner], %slot$X, %full[%stage : "
           "index]$cache : !map$X, !tile$X, !bars");
    return;
  }
  w.set("multicast", x.parts > 1 ? " multicast(%everyone)" : "");
  for (int64_t piece = 0; piece < x.pieces(); ++piece) {
    int64_t first = piece * x.tile / x.pieces();
    w.set("part", piece);
    w.set("first", first);
    if (x.parts > 1)
      w.text("scf.if %is$part {");
    // The gate's rows, and the others; or a part of the tile.
    std::string row = std::string("%") + x.coordinate;
    if (x.halves > 1) {
      row = piece ? "%up" : row;
    } else if (x.parts > 1) {
      w.text("%row = arith.addi %$x, %c$first : index");
      row = "%row";
    }
    w.set("row", row);
    for (int64_t box = 0; box < boxes(x); ++box) {
      int64_t at = o.rowElements() * box;
      w.set("at", at);
      w.set("box", std::to_string(piece * boxes(x) + box));
      w.set("moved", x.transposed ? row : "%k");
      w.set("place", x.transposed ? "0, " + std::to_string(first + at)
                                  : w.fill("$first, $at"));
      std::string moved = w.fill("$moved");
      if (box) {
        moved = w.fill("%at$X$box");
        w.text("%at$X$box = arith.addi $moved, %c$at : index");
      }
      w.set("corner", x.transposed ? corner(x, moved) : corner(x, row, moved));
      w.text(R"(
%box$X$box = titan.shared.view %slot$X [$place] : !tile$X -> !part$X
titan.tma.load %map$X[$corner], %box$X$box, %full[%stage : index]$multicast$cache : !map$X, !part$X, !bars)");
    }
    if (x.parts > 1)
      w.text("}");
  }
}

/// Of an operand that threads copy: its rows and columns in the tile, and where they
/// end.
void GemmText::copySetup(const GemmOperand &x) {
  w.set("X", std::string(1, x.name));
  w.set("down", x.transposed ? "length" : x.name == 'A' ? "height" : "width");
  w.set("across", !x.transposed   ? "length"
                  : x.name == 'A' ? "height"
                                  : "width");
  w.text(R"(
%rowIn$X = titan.coordinate 0 : !where$X
%columnIn$X = titan.coordinate 1 : !where$X
%down${X}32 = arith.index_cast %$down : index to i32
%across${X}32 = arith.index_cast %$across : index to i32
%rowsOf$X = titan.splat %down${X}32 : i32 -> !where$X
%columnsOf$X = titan.splat %across${X}32 : i32 -> !where$X)");
}

/// Into the slot: the tile, some rows of the swizzle at a time, and zeros where it
/// goes past the operand.
void GemmText::copyTile(const GemmOperand &x) {
  w.set("X", std::string(1, x.name));
  std::string rows(1, x.coordinate);
  w.set("top", x.transposed ? "k" : rows);
  w.set("side", x.transposed ? rows : "k");
  // Boxes of a row's width lie one behind the other.
  int64_t down = copiedRows(x),
          perBox = (x.transposed ? o.tileK : x.tile) / down;
  w.set("copiedRows", down);
  w.set("perBox", perBox);
  w.set("perSlot", perBox * boxes(x));
  w.text(R"(
%first$X = arith.muli %stage, %c$perSlot : index
scf.for %part = %c0 to %c$perSlot step %c1 {
%inBox = arith.remui %part, %c$perBox : index
%box = arith.divui %part, %c$perBox : index
%below0 = arith.muli %inBox, %c$copiedRows : index
%beside = arith.muli %box, %c$rowK : index
%row = arith.addi %$top, %below0 : index
%column = arith.addi %$side, %beside : index
%row32 = arith.index_cast %row : index to i32
%column32 = arith.index_cast %column : index to i32
%rowBase = titan.splat %row32 : i32 -> !where$X
%columnBase = titan.splat %column32 : i32 -> !where$X
%i = arith.addi %rowBase, %rowIn$X : !where$X
%j = arith.addi %columnBase, %columnIn$X : !where$X
%above = arith.cmpi slt, %i, %rowsOf$X : !where$X
%before = arith.cmpi slt, %j, %columnsOf$X : !where$X
%inside = arith.andi %above, %before : !bits$X
%place = arith.addi %first$X, %part : index
%into = titan.shared.slot %parts$X[%place : index] : !parts$X -> !part$X)");
  w.set("batchOf", "");
  w.set("batchType", "");
  if (x.stacked) {
    w.text(R"(
%batch32 = arith.index_cast %z : index to i32
%batch = titan.splat %batch32 : i32 -> !where$X)");
    w.set("batchOf", "%batch, ");
    w.set("batchType", w.fill("!where$X, "));
  }
  w.set("globalX", w.fill(x.name == 'A' ? "!global" : "$typeB"));
  if (o.rowBytes == 2)
    w.text(R"(
%copied = titan.global.load %$X[$batchOf%i, %j] mask(%inside : !bits$X) : $globalX, $batchType!where$X, !where$X -> !copied$X
titan.shared.store %copied, %into : !copied$X, !part$X)");
  else
    w.text(R"(
titan.cp_async %$X[$batchOf%i, %j] mask(%inside : !bits$X), %into bytes($rowBytes) : $globalX, $batchType!where$X, !where$X -> !part$X)");
  w.text("}");
}

void GemmText::load() {
  w.set("whereK", w.fill(splits() || cuts()
                             ? "%part = arith.addi %skipped, %step : index\n"
                               "%k = arith.muli %part, %c$tileK : index"
                             : "%k = arith.muli %step, %c$tileK : index"));
  w.set("each", cuts() ? "%piece = %c0 to %pieces step %c1"
                       : "%tile = %first to %tiles step %ctas");
  w.set("steps", cuts() ? "count" : "steps");
  w.set("trusted", cuts() ? " {titan.trusted = #busy}" : "");
  w.set("loaders", o.copiesByThreads() ? 4 : 1);
  w.text("titan.partition \"load\" warps($loaders)$loadRegisters {");
  if (o.copiesByThreads()) {
    copySetup(a);
    copySetup(b);
  }
  if (usesPipe()) {
    if (isGrouped()) {
      w.text("%all = scf.for %z = %c0 to %groups step %c1 iter_args(%dealt = "
             "%c0) -> (index) {");
      group();
      w.text("scf.for %tile = %mine to %tiles step %ctas {");
    } else {
      w.text("scf.for $each {");
    }
    if (cuts())
      piece(/*counts=*/false);
    coordinates();
    w.set("cornerA", corner(a));
    w.set("cornerB", corner(b));
    w.set("cache", cacheOf(b));
    w.text(R"(
scf.for %step = %c0 to %$steps step %c1 {
$whereK
%slot = titan.pipe.acquire %ab : !titan.pipe<$depth>
titan.pipe.load %mapA[$cornerA] -> %slot["a"] : !mapA
titan.pipe.load %mapB[$cornerB] -> %slot["b"]$cache : !mapB
titan.pipe.commit %slot
}
}$trusted)");
    if (isGrouped())
      w.text(R"(
scf.yield %dealt1 : index
})");
    w.text("}");
    return;
  }
  if (!o.copiesByThreads())
    w.text("titan.elect {");
  if (isGrouped()) {
    w.text(R"(
%all:2 = scf.for %z = %c0 to %groups step %c1 iter_args(%dealt = %c0, %base0 = %c0) -> (index, index) {)");
    group();
    w.text(R"(
%uses = scf.for %tile = %mine to %tiles step %ctas iter_args(%base = %base0) -> (index) {)");
  } else {
    w.text(R"(
%uses = scf.for $each iter_args(%base = %c0) -> (index) {)");
  }
  if (cuts())
    piece(/*counts=*/false);
  coordinates();
  if (o.gate)
    w.text("%up = arith.addi %n, %width : index");
  w.text(R"(
scf.for %step = %c0 to %$steps step %c1 {
%use = arith.addi %base, %step : index
%stage = arith.remui %use, %c$depth : index
%round = arith.divui %use, %c$depth : index
%next = arith.addi %round, %c1 : index
%odd = arith.remui %next, %c2 : index
%parity = arith.index_cast %odd : index to i32
$whereK
titan.mbarrier.wait %empty[%stage : index] parity(%parity) : !bars)");
  if (o.copiesByThreads()) {
    copyTile(a);
    copyTile(b);
    w.text(o.rowBytes == 2
               ? "titan.fence.proxy_async shared_cta\n"
                 "titan.mbarrier.arrive %full[%stage : index] : !bars"
               : "titan.cp_async.mbarrier_arrive %full[%stage : "
                 "index] noinc : !bars");
  } else {
    w.text(R"(
titan.mbarrier.arrive_expect_tx %full[%stage : index], %i$bytes : !bars
%slotA = titan.shared.slot %a[%stage : index] : !ringA -> !tileA
%slotB = titan.shared.slot %b[%stage : index] : !ringB -> !tileB)");
    loadTile(a);
    loadTile(b);
  }
  w.text(R"(
}
%after = arith.addi %base, %$steps : index
scf.yield %after : index
}$trusted)");
  if (isGrouped())
    w.text(R"(
scf.yield %dealt1, %uses : index, index
})");
  w.text(o.copiesByThreads() ? "}" : "}\n}");
}

/// A stage is empty as far as this warpgroup is concerned. A product that one warp
/// has seen the end of is over for all four (MM-71), so one arrives; but where
/// CTAs wait for each other, a pair was faster with arrivals of all.
void GemmText::release(std::string_view stage) {
  w.set("stage", std::string(stage));
  if (o.cluster() == 1) {
    for (int64_t group = 0; group < o.warpgroupsPerTile(); ++group) {
      w.set("warp", 4 * group);
      w.text(R"(
titan.elect warp($warp) {
titan.mbarrier.arrive %empty[$stage : index] : !bars
})");
    }
    return;
  }
  w.text(R"(
// Not at cluster scope: there a release is a fence of all that the warp has ever
// written, which takes as long as the products; so the wait is not, either.
titan.elect {)");
  for (int64_t rank = 0; rank < o.cluster(); ++rank) {
    w.set("rank", rank);
    w.text("titan.mbarrier.arrive %empty$rank[$stage : index] {titan.trusted = "
           "#narrow} : !remote");
  }
  w.text("}");
}

/// The slot of this step, once it is full.
void GemmText::takeSlot() {
  if (usesPipe())
    w.text(R"(
%slot = titan.pipe.wait %ab : !titan.pipe<$depth>
%slotA = titan.pipe.buffer %slot["a"] : !tileA
%slotB = titan.pipe.buffer %slot["b"] : !tileB)");
  if (!usesPipe())
    w.text(R"(
%use = arith.addi %base, %step : index
%stage = arith.remui %use, %c$depth : index
%round = arith.divui %use, %c$depth : index
%odd = arith.remui %round, %c2 : index
%parity = arith.index_cast %odd : index to i32
titan.mbarrier.wait %full[%stage : index] parity(%parity) : !bars
%slotA = titan.shared.slot %a[%stage : index] : !ringA -> !tileA
%slotB = titan.shared.slot %b[%stage : index] : !ringB -> !tileB)");
  if (o.copiesByThreads() && o.rowBytes > 2)
    w.text(R"(
// What cp.async has brought is there; the products read it through another proxy.
titan.fence.proxy_async shared_cta)");
}

/// All steps of a tile, up to the issue of the last product; or, promoted, to
/// the sums (%result).
void GemmText::products() {
  w.set("mma", w.fill("titan.mma %slot$left$transposeLeft, "
                      "%slot$right$transposeRight"));
  if (o.promote) {
    w.text(R"(
%result = scf.for %step = %c0 to %$steps step %c1 iter_args(%sum = %nothing) -> (!sums) {)");
    takeSlot();
    w.text(R"(
titan.mma.fence
%product = $mma, %none : !tile$left, !tile$right, !flight -> !flight
%group = titan.mma.commit : !group
%partial = titan.mma.result %product after(%group : !group) : !flight -> !sums)");
    if (usesPipe())
      w.text("titan.pipe.release %slot");
    else
      release("%stage");
    w.text(R"(
%sum1 = arith.addf %sum, %partial : !sums
scf.yield %sum1 : !sums
})");
    return;
  }
  w.set("slotType", usesPipe() ? "!titan.slot" : "index");
  w.set("none", usesPipe() ? "%noSlot" : "%c0");
  if (usesPipe())
    w.text(R"(
%noGroup = titan.token.none : !group
%noSlot = titan.token.none : !titan.slot)");
  w.text(R"(
%r:3 = scf.for %step = %c0 to %$steps step %c1
    iter_args(%sum = %none, %group = %noGroup, %last = $none) -> (!flight, !group, $slotType) {)");
  takeSlot();
  w.text(R"(
titan.mma.fence
%more = arith.cmpi ne, %step, %c0 : index
%sum1 = $mma, %sum accumulate(%more) : !tile$left, !tile$right, !flight -> !flight
%group1 = titan.mma.commit : !group
// The product before this one is done: its slot is free.
titan.mma.wait %group : !group)");
  if (usesPipe()) {
    w.text(R"(
titan.pipe.release %last
scf.yield %sum1, %group1, %slot : !flight, !group, !titan.slot
})");
    return;
  }
  w.text("scf.if %more {");
  release("%last");
  w.text(R"(
}
scf.yield %sum1, %group1, %stage : !flight, !group, index
})");
}

void GemmText::multiply(const GemmConsumer &consumer) {
  w.set("partition", consumer.name);
  w.set("partWarps", 4 * o.warpgroupsPerTile());
  w.set("barrier", consumer.barrier);
  w.set("threads", 128 * o.warpgroupsPerTile());
  w.set("start", consumer.turn == 1 ? "second" : "first");
  w.set("stride", pingpong() ? "stride" : "ctas");
  w.set("each", cuts() ? std::string("%piece = %c") +
                             (consumer.turn == 1 ? "1" : "0") +
                             " to %pieces step %c" + (pingpong() ? "2" : "1")
                       : w.fill("%tile = %$start to %tiles step %$stride"));
  w.text(R"(
titan.partition "$partition" warps($partWarps)$multiplyRegisters {
%none = titan.inflight.none : !flight)");
  for (int64_t rank = 0; o.cluster() > 1 && rank < o.cluster(); ++rank) {
    w.set("rank", rank);
    w.text("%empty$rank = titan.map_rank %empty, %i$rank : !bars -> !remote");
  }
  if (o.promote)
    w.text(R"(
%nought = arith.constant 0.0 : f32
%nothing = titan.splat %nought : f32 -> !sums)");
  else if (!usesPipe())
    w.text("%noGroup = titan.token.none : !group");
  epilogueSetup();
  // What the loop over tiles carries: uses of the ring so far (ping-pong: tiles
  // of the CTA), and the stores of the tile before.
  std::string names, inits, carried, yielded;
  auto carry = [&](const char *name, const char *init, const char *type,
                   const char *next) {
    const char *comma = carried.empty() ? "" : ", ";
    inits += comma + std::string(name) + " = " + init;
    carried += std::string(comma) + type;
    yielded += std::string(comma) + next;
  };
  if ((pingpong() && !cuts()) || splits())
    carry("%i", consumer.turn == 1 ? "%c1" : "%c0", "index", "%later");
  if (!pingpong() && !usesPipe())
    carry("%base", "%c0", "index", "%uses");
  if (!masksStores())
    carry("%pending", "%noStore", "!bulk", "$newest");
  int64_t count = std::ranges::count(inits, '=');
  if (isGrouped()) {
    // From group to group: what the tiles carry, and the tiles dealt out.
    std::string begun, comma = count ? ", " : "";
    auto outer = [&](const char *name, const char *init) {
      std::string own = std::string(name) + "0";
      if (size_t at = inits.find(std::string(name) + " = "); at != inits.npos) {
        begun += (begun.empty() ? "" : ", ") + own + " = " + init;
        inits.replace(at,
                      std::string(name).size() + 3 + std::string(init).size(),
                      std::string(name) + " = " + own);
      }
    };
    outer("%base", "%c0");
    outer("%pending", "%noStore");
    w.set("begun", begun + comma + "%dealt = %c0");
    w.set("types", carried + comma + "index");
    w.set("results", count ? ":" + std::to_string(count + 1) : "");
    if (editsMap())
      w.text(R"(
%warp = titan.warp_id
%isStorer = arith.cmpi eq, %warp, %i0 : i32
scf.if %isStorer {
titan.tensormap.copy %mapD, %edit : !mapD, !mapD
titan.syncwarp
})");
    w.text("%all$results = scf.for %z = %c0 to %groups step %c1 "
           "iter_args($begun) -> ($types) {");
    group();
    if (needsRows())
      w.text("%heights = titan.splat %end32 : i32 -> !where");
    if (editsMap())
      editMap();
    w.set("each", "%tile = %mine to %tiles step %ctas");
  }
  w.set("inits", inits);
  w.set("carried", carried);
  w.set("ends", count > 1 ? "%end:" + std::to_string(count) : "%end");
  std::string end = isGrouped() ? "%all" : "%end";
  w.set("lastStores",
        count + isGrouped() > 1 ? end + "#" + std::to_string(count - 1) : end);
  if (count)
    w.text("$ends = scf.for $each iter_args($inits) -> ($carried) {");
  else
    w.text("scf.for $each {");
  if (cuts())
    piece(/*counts=*/pingpong());
  coordinates();
  w.text("");
  if (pingpong()) {
    w.set("mine", 2 + consumer.turn);
    w.set("other", 3 - consumer.turn);
    if (!cuts())
      w.text("%base = arith.muli %i, %steps : index");
    w.set("isLater", cuts() ? "arith.cmpi ne, %piece, %c0 : index"
                            : "arith.cmpi ne, %tile, %first : index");
    if (consumer.turn == 0)
      w.text(R"(
// Its turn at the tensor cores; the first one is free.
%notFirst = $isLater
scf.if %notFirst {
titan.barrier.sync $mine threads(256)
})");
    else
      w.text(R"(
// Its turn at the tensor cores.
titan.barrier.sync $mine threads(256))");
  }
  products();
  w.set("following", cuts() ? "arith.addi %piece, %c1 : index"
                            : "arith.addi %tile, %ctas : index");
  w.set("all", cuts() ? "pieces" : "tiles");
  if (pingpong())
    w.text(R"(
// All are issued: the other warpgroup's turn, if it has a tile left.
%following = $following
%another = arith.cmpi ult, %following, %$all : index
scf.if %another {
titan.barrier.arrive $other threads(256)
})");
  if (!o.promote) {
    w.text("%result = titan.mma.result %r#0 : !flight -> !sums");
    if (usesPipe())
      w.text("titan.pipe.release %r#2");
    else
      release("%r#2");
  }
  if (!usesPipe() && !pingpong())
    w.text("%uses = arith.addi %base, %$steps : index");
  w.text("");
  w.set("sums", "result");
  if (cuts())
    awaitParts(consumer);
  epilogue(consumer);
  if (cuts() && consumer.lends())
    lendParts();
  if (splits())
    exchanged();
  if ((pingpong() && !cuts()) || splits())
    w.text(pingpong() ? "%later = arith.addi %i, %c2 : index"
                      : "%later = arith.addi %i, %c1 : index");
  if (count) {
    w.set("yielded", w.fill(yielded));
    w.text("scf.yield $yielded : $carried");
  }
  w.set("trusted",
        cuts() && consumer.turn == 0 ? " {titan.trusted = #busy}" : "");
  w.text("}$trusted");
  if (isGrouped()) {
    std::string ends;
    for (int64_t i = 0; i < count; ++i)
      ends += (count > 1 ? "%end#" + std::to_string(i) : "%end") + ", ";
    w.set("yielded", ends + "%dealt1");
    w.text(R"(
scf.yield $yielded : $types
})");
  }
  if (!masksStores())
    w.text(R"(
titan.elect warp(0) {
titan.bulk.wait $lastStores read : !bulk
})");
  w.text("}");
}
