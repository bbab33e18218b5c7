//===- GemmMainLoop.cpp - a GEMM's types, launch, loads and products ------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "GemmText.h"

#include <algorithm>

using namespace titan::kernels;

GemmText::GemmText(const GemmOptions &options)
    : o(options), a{.name = 'A',
                    .coordinate = 'm',
                    .transposed = o.transposedA,
                    .tile = o.tileM,
                    .parts = o.clusterN,
                    .stacked = isStacked()},
      b{.name = 'B',
        .coordinate = 'n',
        .transposed = o.transposedB,
        .tile = o.tileN,
        .parts = o.clusterM,
        .halves = o.gate ? 2 : 1,
        .stacked = o.batch != Batch::None} {
  w.set("kernel", o.name);
  w.set("in", std::string(toString(o.input)));
  w.set("out", std::string(toString(o.output)));
  w.set("tileM", o.tileM);
  w.set("tileN", o.tileN);
  w.set("tileK", o.tileK);
  w.set("depth", o.depth());
  w.set("rows", o.rows());
  w.set("columns", o.columns());
  w.set("groups", o.warpgroupsPerTile());
  w.set("ownN", o.spanN() / o.clusterN);
  w.set("cluster", o.ctas());
  w.set("split", o.split);
  w.set("band", o.band);
  w.set("bytes", o.stageBytes());
  w.set("rowK", o.rowElements());
  // What is in front of a batch's: its dimension, its number, and what a tile of
  // indices in front of D's has.
  w.set("many", isStacked() ? "?x" : "");
  w.set("manyB", o.batch != Batch::None ? "?x" : "");
  w.set("z", isStacked() ? "%z, " : "");
  w.set("Z", isStacked() ? "%Z, " : "");
  // And bias is the group's.
  w.set("ZB", o.batch != Batch::None ? "%Z, " : "");
  w.set("rowD", isGrouped() ? "inGroup" : "m");
  w.set("typeB", isGrouped() ? "!stack" : "!global");
  // Registers: what the launch gives, dealt out again.
  int64_t groups = o.warpgroups();
  w.set("warps", 4 + 4 * groups);
  w.set("launchRegisters", groups == 1   ? ""
                           : groups == 2 ? " registers(168)"
                                         : " registers(128)");
  // A warp that reads where groups begin has more to keep.
  w.set("loadRegisters", groups == 1 ? ""
                         : groups == 2
                             ? isGrouped() ? " registers(40)" : " registers(24)"
                         : isGrouped() ? " registers(56)"
                                       : " registers(32)");
  w.set("multiplyRegisters",
        groups == 1   ? ""
        : groups == 2 ? isGrouped() ? " registers(232)" : " registers(240)"
        : isGrouped() ? " registers(152)"
                      : " registers(160)");
  // The instruction's operands: its rows are D's, or with swap D's columns.
  w.set("left", o.swap ? "B" : "A");
  w.set("right", o.swap ? "A" : "B");
  w.set("transposeLeft",
        (o.swap ? o.transposedB : o.transposedA) ? " transpose_a" : "");
  w.set("transposeRight",
        (o.swap ? o.transposedA : o.transposedB) ? " transpose_b" : "");
}

void GemmText::types() {
  w.text(R"(
#acc    = #titan.wgmma<$groups, 1>)");
  if (o.cluster() > 1)
    w.text(R"(
#narrow = {code = "scope-too-narrow",
           reason = "the slot was read by wgmma, which is done, and TMA writes it next"})");
  w.text(R"(

!global = !titan.global<${many}?x?x$in>
!result = !titan.global<${many}?x?x$out>)");
  if (isGrouped())
    w.text(R"(
!stack  = !titan.global<?x?x?x$in>
!offsets = !titan.global<?xi32>)");
  if (editsMap())
    w.text("!maps   = !titan.global<?x128xi8>");
  for (const GemmOperand &x : {a, b}) {
    w.set("X", std::string(1, x.name));
    w.set("one", x.stacked ? "1x" : "");
    std::string tile = std::to_string(x.tile), k = std::to_string(o.tileK);
    w.set("box", (x.transposed ? k : std::to_string(x.tile / x.pieces())) +
                     w.fill("x$rowK"));
    w.set("shape", x.transposed ? k + "x" + tile : tile + "x" + k);
    w.text(R"(
!map$X   = !titan.tensor_map<${one}${box}x$in, swizzle = 128>
!ring$X  = !titan.shared<${shape}x$in, swizzle = 128, slots = $depth>
!tile$X  = !titan.shared<${shape}x$in, swizzle = 128>)");
    if (x.pieces() > 1 || boxes(x) > 1)
      w.text(R"(
!part$X  = !titan.shared<${box}x$in, swizzle = 128>)");
  }
  if (splits()) {
    w.set("parts", o.collectedPanels());
    w.set("rowBytes", std::min<int64_t>(128, 4 * o.panelWidth()));
    w.set("width", o.panelWidth());
    w.text(R"(
!ringX  = !titan.shared<${rows}x${width}xf32, swizzle = $rowBytes, slots = $parts>
!partX  = !titan.shared<${rows}x${width}xf32, swizzle = $rowBytes>
!peerX  = !titan.shared<${rows}x${width}xf32, swizzle = $rowBytes, cluster>
!bar    = !titan.mbarrier
!far    = !titan.mbarrier<cluster>)");
  }
  if (!usesPipe())
    w.text("!bars   = !titan.mbarrier<$depth>");
  if (o.cluster() > 1)
    w.text("!remote = !titan.mbarrier<$depth, cluster>");
  w.text(R"(
!sums   = tensor<${rows}x${columns}xf32, #acc>
!flight = !titan.inflight<tensor<${rows}x${columns}xf32, #acc>>
!group  = !titan.token<mma>)");
  epilogueTypes();
  w.text("");
}

void GemmText::launch() {
  std::string arguments = w.fill("%A: !global, %B: $typeB, "), example;
  auto add = [&](bool there, const char *argument, const char *value) {
    if (there)
      arguments += argument, example += value;
  };
  add(o.beta, "%C: !result, ", ", C = \"${Zx}MxN random:3\"");
  arguments += "%D: !result";
  add(o.alpha, ", %alpha: f32", ", alpha = 0.5 : f32");
  add(o.beta, ", %beta: f32", ", beta = -2.0 : f32");
  add(isGrouped(), ", %offsets: !offsets", ", offsets = \"4 steps:104\"");
  add(editsMap(), ", %maps: !maps", ", maps = \"4x128\"");
  add(o.bias, ", %bias: !vector", ", bias = \"${ZBx}$rowsB random:4\"");
  w.set("rowsB", o.gate ? "NB" : "N");
  w.set("Zx", isStacked() ? "Zx" : "");
  w.set("ZBx", o.batch != Batch::None ? "Zx" : "");
  w.set("arguments", arguments);
  w.set("values", w.fill(example));
  w.set("shapeA", o.transposedA ? "KxM" : "MxK");
  w.set("shapeB", w.fill(o.transposedB ? "Kx$rowsB" : "${rowsB}xK"));
  w.set("target", std::string(builtFor().name));
  w.set("programmatic", o.programmatic ? " titan.programmatic = []," : "");
  w.set("clusterAttr", w.fill(o.ctas() > 1 ? " cluster($cluster)" : ""));
  // Dimensions, behind the batch's.
  int64_t ahead = isStacked(), aheadB = o.batch != Batch::None;
  w.set("rowsOfA", ahead + o.transposedA);
  w.set("rowsOfB", aheadB + o.transposedB);
  w.set("depthOfA", ahead + !o.transposedA);
  w.set("depthOfB", aheadB + !o.transposedB);
  w.set("entriesOfBias", aheadB);
  w.set("rowsOfD", ahead);
  w.set("columnsOfD", ahead + 1);
  w.set("spanM", o.spanM());
  w.set("spanN", o.spanN());
  w.set("exampleK", o.isFp8() ? 400 : 200);
  w.set("sizes", isGrouped()   ? o.gate ? "Z = 3, M = 312, N = 136, NB = 272"
                                        : "Z = 3, M = 312, N = 264"
                 : isStacked() ? o.gate ? "Z = 3, M = 104, N = 136, NB = 272"
                                        : "Z = 3, M = 104, N = 136"
                 : o.gate      ? "M = 304, N = 264, NB = 528"
                               : "M = 304, N = 520");
  w.text(R"(
titan.kernel @$kernel($arguments) warps($warps)$launchRegisters$clusterAttr attributes {
titan.target = "$target",$programmatic
titan.example = {sizes = {$sizes, K = $exampleK}, multiprocessor_count = 4,
                 A = "$Zx$shapeA random:1", B = "$ZBx$shapeB random:2", D = "${Zx}MxN"$values},
titan.reference = @${kernel}_reference)");
  w.text("} launch {");
  w.beginRegion();
  w.text(R"(
%m = titan.dim %A, $rowsOfA : !global
%nB = titan.dim %B, $rowsOfB : $typeB
%k = titan.dim %A, $depthOfA : !global
%kB = titan.dim %B, $depthOfB : $typeB
%mD = titan.dim %D, $rowsOfD : !result
%n = titan.dim %D, $columnsOfD : !result
%is_kB = arith.cmpi eq, %kB, %k : index
%is_mD = arith.cmpi eq, %mD, %m : index)");
  if (o.gate)
    w.text(R"(
%bothB = arith.muli %n, %c2 : index
%is_nB = arith.cmpi eq, %nB, %bothB : index
titan.require %is_nB, "launch-check", "B has two rows for each column of D: the gate's, and behind all of those the others")");
  else
    w.text(R"(
%is_nB = arith.cmpi eq, %nB, %n : index
titan.require %is_nB, "launch-check", "D has a column for each row of B")");
  w.text(R"(
titan.require %is_kB, "launch-check", "A and B have the same K"
titan.require %is_mD, "launch-check", "D has a row for each of A's")");
  if (isStacked())
    w.text(R"(
%batches = titan.dim %D, 0 : !result
%batchesA = titan.dim %A, 0 : !global
%batchesB = titan.dim %B, 0 : !global
%is_batchesA = arith.cmpi eq, %batchesA, %batches : index
%is_batchesB = arith.cmpi eq, %batchesB, %batches : index
titan.require %is_batchesA, "launch-check", "A has as many batches as D"
titan.require %is_batchesB, "launch-check", "B has as many batches as D")");
  if (o.beta)
    w.text(R"(
%mC = titan.dim %C, $rowsOfD : !result
%nC = titan.dim %C, $columnsOfD : !result
%is_mC = arith.cmpi eq, %mC, %m : index
%is_nC = arith.cmpi eq, %nC, %n : index
titan.require %is_mC, "launch-check", "C has as many rows as D"
titan.require %is_nC, "launch-check", "C has as many columns as D")");
  if (o.beta && isStacked())
    w.text(R"(
%batchesC = titan.dim %C, 0 : !result
%is_batchesC = arith.cmpi eq, %batchesC, %batches : index
titan.require %is_batchesC, "launch-check", "C has as many batches as D")");
  if (o.bias)
    w.text(R"(
%entries = titan.dim %bias, $entriesOfBias : !vector
%is_bias = arith.cmpi eq, %entries, %nB : index
titan.require %is_bias, "launch-check", "bias has one entry for each row of B")");
  if (isGrouped())
    w.text(R"(
%batches = titan.dim %B, 0 : !stack
%bounds = titan.dim %offsets, 0 : !offsets
%ends = arith.addi %batches, %c1 : index
%is_bounds = arith.cmpi eq, %bounds, %ends : index
titan.require %is_bounds, "launch-check", "offsets has the first row of each of B's groups, and the end"
%few = arith.cmpi ule, %m, %c2147483647 : index
titan.require %few, "launch-check", "A has fewer than 2^31 rows")");
  if (o.bias && o.batch != Batch::None)
    w.text(R"(
%biases = titan.dim %bias, 0 : !vector
%is_biases = arith.cmpi eq, %biases, %batches : index
titan.require %is_biases, "launch-check", "bias has as many rows as there are batches or groups")");
  w.set("partK", o.split * o.tileK);
  if (splits())
    w.text(R"(
// The steps of each part of K; what the last ones have behind K is zeros.)");
  w.set("countTiles", isGrouped() ? "// Groups have tiles of their own: how "
                                    "many, only the device knows."
                      : isStacked()
                          ? "%tilesEach = arith.muli %tilesM, %tilesN : index\n"
                            "%tiles = arith.muli %tilesEach, %batches : index"
                          : "%tiles = arith.muli %tilesM, %tilesN : index");
  if (!isGrouped())
    w.text("%tilesM = arith.ceildivui %m, %c$spanM : index");
  w.text(R"(
%tilesN = arith.ceildivui %n, %c$spanN : index
%steps = arith.ceildivui %k, %c$partK : index
$countTiles
%sms = titan.device_property "multiprocessor_count")");
  if (editsMap())
    w.text(R"(
%places = titan.dim %maps, 0 : !maps
%enough = arith.cmpi uge, %places, %sms : index
titan.require %enough, "launch-check", "maps has a row for each multiprocessor")");
  if (isGrouped()) {
    // How many tiles there are only the device knows.
  } else if (o.ctas() == 1) {
    w.text("%grid = arith.minui %tiles, %sms : index");
  } else {
    if (o.ctas() > 2)
      w.text(R"(
// Clusters of $cluster lie in groups of multiprocessors, some of which have too few
// left: one that is too many would begin when the first are done.
%seven = arith.muli %sms, %c7 : index
%whole = arith.divui %seven, %c8 : index
%pairs = arith.divui %whole, %c$cluster : index)");
    else
      w.text("%pairs = arith.divui %sms, %c$cluster : index");
    w.text(R"(
%room = arith.maxui %pairs, %c1 : index
%clusters = arith.minui %tiles, %room : index
%grid = arith.muli %clusters, %c$cluster : index)");
  }
  LaunchArguments handed;
  handed.pass("mapA", "!mapA");
  handed.pass("mapB", "!mapB");
  w.text(R"(
// Wider requests to the L2 cache cost more than they bring where rows of A or B
// begin anywhere.
%mapA = titan.tensor_map %A : !global -> !mapA
%mapB = titan.tensor_map %B : $typeB -> !mapB)");
  if (!masksStores()) {
    for (const GemmPanels &panels : o.panels()) {
      setPanels(panels);
      w.text("%mapD$tail = titan.tensor_map %D : !result -> !mapD$tail");
      handed.pass(w.fill("mapD$tail"), w.fill("!mapD$tail"));
    }
  }
  if (isGrouped()) {
    handed.pass("batches", "index", "groups");
    handed.pass("tilesN", "index");
  } else if (o.band > 1) {
    w.text(R"(
%bandRows = arith.minui %tilesM, %c$band : index
%bandTiles = arith.muli %tilesN, %bandRows : index)");
    handed.pass("tilesM", "index");
    handed.pass("bandRows", "index");
    handed.pass("bandTiles", "index");
  } else {
    handed.pass("tilesN", "index");
  }
  if (isStacked())
    handed.pass("tilesEach", "index");
  if (!isGrouped())
    handed.pass("tiles", "index");
  handed.pass("steps", "index");
  // The body has coordinates %m and %n of its own.
  if (needsHeight())
    handed.pass("m", "index", "height");
  if (needsWidth())
    handed.pass("n", "index", "width");
  handed.write(w, isGrouped() ? "sms" : "grid");
}

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
  if (x.pieces() == 1 && boxes(x) == 1) {
    w.set("corner", corner(x));
    w.text("titan.tma.load %map$X[$corner], %slot$X, %full[%stage : index] : "
           "!map$X, !tile$X, !bars");
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
titan.tma.load %map$X[$corner], %box$X$box, %full[%stage : index]$multicast : !map$X, !part$X, !bars)");
    }
    if (x.parts > 1)
      w.text("}");
  }
}

void GemmText::load() {
  w.set("whereK",
        w.fill(splits() ? "%part = arith.addi %skipped, %step : index\n"
                          "%k = arith.muli %part, %c$tileK : index"
                        : "%k = arith.muli %step, %c$tileK : index"));
  w.text("titan.partition \"load\" warps(1)$loadRegisters {");
  if (usesPipe()) {
    if (isGrouped()) {
      w.text("%all = scf.for %z = %c0 to %groups step %c1 iter_args(%dealt = "
             "%c0) -> (index) {");
      group();
      w.text("scf.for %tile = %mine to %tiles step %ctas {");
    } else {
      w.text("scf.for %tile = %first to %tiles step %ctas {");
    }
    coordinates();
    w.set("cornerA", corner(a));
    w.set("cornerB", corner(b));
    w.text(R"(
scf.for %step = %c0 to %steps step %c1 {
$whereK
%slot = titan.pipe.acquire %ab : !titan.pipe<$depth>
titan.pipe.load %mapA[$cornerA] -> %slot["a"] : !mapA
titan.pipe.load %mapB[$cornerB] -> %slot["b"] : !mapB
titan.pipe.commit %slot
}
})");
    if (isGrouped())
      w.text(R"(
scf.yield %dealt1 : index
})");
    w.text("}");
    return;
  }
  w.text("titan.elect {");
  if (isGrouped()) {
    w.text(R"(
%all:2 = scf.for %z = %c0 to %groups step %c1 iter_args(%dealt = %c0, %base0 = %c0) -> (index, index) {)");
    group();
    w.text(R"(
%uses = scf.for %tile = %mine to %tiles step %ctas iter_args(%base = %base0) -> (index) {)");
  } else {
    w.text(R"(
%uses = scf.for %tile = %first to %tiles step %ctas iter_args(%base = %c0) -> (index) {)");
  }
  coordinates();
  if (o.gate)
    w.text("%up = arith.addi %n, %width : index");
  w.text(R"(
scf.for %step = %c0 to %steps step %c1 {
%use = arith.addi %base, %step : index
%stage = arith.remui %use, %c$depth : index
%round = arith.divui %use, %c$depth : index
%next = arith.addi %round, %c1 : index
%odd = arith.remui %next, %c2 : index
%parity = arith.index_cast %odd : index to i32
$whereK
titan.mbarrier.wait %empty[%stage : index] parity(%parity) : !bars
titan.mbarrier.arrive_expect_tx %full[%stage : index], %i$bytes : !bars
%slotA = titan.shared.slot %a[%stage : index] : !ringA -> !tileA
%slotB = titan.shared.slot %b[%stage : index] : !ringB -> !tileB)");
  loadTile(a);
  loadTile(b);
  w.text(R"(
}
%after = arith.addi %base, %steps : index
scf.yield %after : index
})");
  if (isGrouped())
    w.text(R"(
scf.yield %dealt1, %uses : index, index
})");
  w.text(R"(
}
})");
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
  else
    w.text(R"(
%use = arith.addi %base, %step : index
%stage = arith.remui %use, %c$depth : index
%round = arith.divui %use, %c$depth : index
%odd = arith.remui %round, %c2 : index
%parity = arith.index_cast %odd : index to i32
titan.mbarrier.wait %full[%stage : index] parity(%parity) : !bars
%slotA = titan.shared.slot %a[%stage : index] : !ringA -> !tileA
%slotB = titan.shared.slot %b[%stage : index] : !ringB -> !tileB)");
}

/// All steps of a tile, up to the issue of the last product; or, promoted, to
/// the sums (%result).
void GemmText::products() {
  w.set("mma", w.fill("titan.mma %slot$left$transposeLeft, "
                      "%slot$right$transposeRight"));
  if (o.promote) {
    w.text(R"(
%result = scf.for %step = %c0 to %steps step %c1 iter_args(%sum = %nothing) -> (!sums) {)");
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
%r:3 = scf.for %step = %c0 to %steps step %c1
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
  w.set("start", consumer.turn == 1 ? "second" : "first");
  w.set("stride", pingpong() ? "stride" : "ctas");
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
  if (pingpong() || splits())
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
    w.set("start", "mine");
  }
  w.set("inits", inits);
  w.set("carried", carried);
  w.set("ends", count > 1 ? "%end:" + std::to_string(count) : "%end");
  std::string end = isGrouped() ? "%all" : "%end";
  w.set("lastStores",
        count + isGrouped() > 1 ? end + "#" + std::to_string(count - 1) : end);
  if (count)
    w.text("$ends = scf.for %tile = %$start to %tiles step %$stride "
           "iter_args($inits) -> ($carried) {");
  else
    w.text("scf.for %tile = %$start to %tiles step %$stride {");
  coordinates();
  w.text("");
  if (pingpong()) {
    w.set("mine", 2 + consumer.turn);
    w.set("other", 3 - consumer.turn);
    w.text("%base = arith.muli %i, %steps : index");
    if (consumer.turn == 0)
      w.text(R"(
// Its turn at the tensor cores; the first one is free.
%notFirst = arith.cmpi ne, %tile, %first : index
scf.if %notFirst {
titan.barrier.sync $mine threads(256)
})");
    else
      w.text(R"(
// Its turn at the tensor cores.
titan.barrier.sync $mine threads(256))");
  }
  products();
  if (pingpong())
    w.text(R"(
// All are issued: the other warpgroup's turn, if it has a tile left.
%following = arith.addi %tile, %ctas : index
%another = arith.cmpi ult, %following, %tiles : index
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
    w.text("%uses = arith.addi %base, %steps : index");
  w.text("");
  epilogue(consumer);
  if (splits())
    exchanged();
  if (pingpong() || splits())
    w.text(pingpong() ? "%later = arith.addi %i, %c2 : index"
                      : "%later = arith.addi %i, %c1 : index");
  if (count) {
    w.set("yielded", w.fill(yielded));
    w.text("scf.yield $yielded : $carried");
  }
  w.text("}");
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

void GemmText::body() {
  w.beginRegion();
  if (o.ctas() == 1) {
    w.text(R"(
%first = titan.cta_id 0
%ctas = titan.num_ctas 0)");
  } else {
    w.text(R"(
// A cluster goes from tile to tile as one; its CTAs have parts of it.
%cta = titan.cta_id 0
%allCtas = titan.num_ctas 0
%first = arith.divui %cta, %c$cluster : index
%ctas = arith.divui %allCtas, %c$cluster : index
%rank32 = titan.cluster_rank
%rank = arith.index_cast %rank32 : i32 to index)");
    for (int64_t rank = splits(); rank < o.ctas(); ++rank) {
      w.set("rank", rank);
      w.text("%is$rank = arith.cmpi eq, %rank, %c$rank : index");
    }
    w.set("everyone", (int64_t(1) << o.cluster()) - 1);
    if (splits())
      w.text("%skipped = arith.muli %rank, %steps : index");
    else
      w.text("%everyone = arith.constant $everyone : i16");
    if (o.cluster() > 1)
      w.text(o.clusterM > 1 ? "%ownM = arith.muli %rank, %c$tileM : index"
                            : "%ownN = arith.muli %rank, %c$ownN : index");
  }
  if (isGrouped())
    w.text(R"(
%rows = titan.dim %A, $rowsOfA : !global
%rows32 = arith.index_cast %rows : index to i32)");
  if (pingpong())
    w.text(R"(
%second = arith.addi %first, %ctas : index
%stride = arith.muli %ctas, %c2 : index)");
  w.text(R"(

%a = titan.shared.alloc : !ringA
%b = titan.shared.alloc : !ringB)");
  if (!masksStores()) {
    for (const GemmConsumer &consumer : consumers())
      allocatePanels(consumer);
  }
  if (editsMap())
    w.text(R"(
%edit = titan.tensormap.alloc : !mapD
%groupD = titan.tensormap.at %maps[%first] over %D : !maps, !result -> !mapD)");
  if (splits()) {
    w.set("others", o.split - 1);
    w.text(R"(
%x = titan.shared.alloc : !ringX
%got = titan.mbarrier.alloc : !bar
%clear = titan.mbarrier.alloc : !bar
titan.elect warp(0) {
titan.mbarrier.init %got count($others) : !bar
titan.mbarrier.init %clear count($others) : !bar
titan.fence.mbarrier_init
}
// The peers must have their barriers before anything is sent to them.
titan.cluster.arrive
titan.cluster.wait)");
  }
  if (usesPipe()) {
    w.text(R"(
%ab = titan.pipe.create "load" -> ["multiply"] buffers ["a", "b"](%a, %b : !ringA, !ringB) : !titan.pipe<$depth>)");
  } else {
    w.set("releases",
          o.warpgroupsPerTile() * (o.cluster() > 1 ? 4 * o.cluster() : 1));
    w.text(R"(
%full = titan.mbarrier.alloc : !bars
%empty = titan.mbarrier.alloc : !bars
titan.elect warp(0) {
titan.mbarrier.init %full count(1) : !bars
titan.mbarrier.init %empty count($releases) : !bars
titan.fence.mbarrier_init
})");
    if (o.cluster() > 1)
      w.text(R"(
// The peers must have their barriers before anything is sent to them.
titan.cluster.arrive
titan.cluster.wait)");
    else
      w.text("titan.cta_sync");
  }
  if (o.programmatic)
    w.text(R"(
// What is read and written may be the kernel's before this one in the stream. The
// next one's blocks may come in as this one's leave; it waits in turn.
titan.griddepcontrol.wait
titan.griddepcontrol.launch_dependents)");
  w.text(R"(

titan.warp_specialize {)");
  load();
  for (const GemmConsumer &consumer : consumers())
    multiply(consumer);
  w.text("}");
  // With K split, a CTA has got all that is sent to it before it leaves.
  if (o.cluster() > 1)
    w.text(R"(

// No CTA leaves while a peer may still multicast to it or arrive at it.
titan.cluster.arrive
titan.cluster.wait)");
  w.text("titan.return");
  w.declare();
  w.text("}");
}

static std::string headline(const GemmOptions &o) {
  std::string text = o.alpha ? "alpha * " : "";
  text += "A * B^T";
  if (o.beta)
    text += " + beta * C";
  if (o.bias)
    text += " + bias";
  auto active = [&](const std::string &value) {
    return o.activation == Activation::None
               ? value
               : std::string(toString(o.activation)) + "(" + value + ")";
  };
  if (!o.gate)
    return active(text);
  std::string scale = o.alpha ? "alpha * " : "";
  auto half = [&](char matrix, char entries) {
    return scale + "A * " + matrix + "^T" +
           (o.bias ? std::string(" + ") + entries : "");
  };
  return active(half('G', 'g')) + " * (" + half('U', 'u') + ")";
}

std::string GemmText::write() {
  w.set("headline", headline(o));
  w.set("ends",
        editsMap() ? "for each group the map of D is changed, to end with it.\n"
                     "// Each CTA has a map of its own, a row of `maps`."
                   : "elements are masked.");
  w.set("storedA", o.transposedA ? "K x M" : "M x K");
  const char *rowsB = o.gate ? "2N" : "N";
  w.set("rowsB", rowsB);
  w.set("storedB", w.fill(o.transposedB ? "K x $rowsB" : "$rowsB x K"));
  w.text(R"(
// D = $headline: A is $storedA, B is $storedB, D is M x N,
// $in in, $out out, f32 sums.)");
  if (o.gate)
    w.text(o.bias ? "// B is G above U, and bias is g, and behind it u."
                  : "// B is G above U.");
  if (isGrouped())
    w.text(R"(
// A and D have the rows of several groups, from offsets[g] to offsets[g + 1], and B
// and bias have a matrix and a row for each. A tile reads rows of the next group,
// and stores none: $ends)");
  if (isStacked())
    w.text("// All have one dimension more, the batch's, outermost; tiles go "
           "through batch after batch.");
  w.text(R"(
//
// Tiles of $tileM x $tileN of D, $depth stages of $tileK of K.)");
  if (o.swap)
    w.text("// The instruction's rows are columns of D: D^T = B * A^T.");
  if (pingpong())
    w.text(R"(
// Two warpgroups take turns at the tensor cores: one multiplies the CTA's tiles
// 0, 2, 4, ..., the other 1, 3, 5, ..., and while one stores, the other
// multiplies. Step s of the CTA's tile i is use i * steps + s of the ring,
// whoever consumes it.)");
  else
    w.text("// A warp loads; $groups warpgroups multiply a tile together.");
  if (o.cluster() > 1) {
    w.set("shared", o.clusterM > 1 ? "B" : "A");
    w.set("lie", o.clusterM > 1 ? "one above the other" : "side by side");
    w.text(R"(
// The $cluster CTAs of a cluster lie $lie and share $shared: each loads
// a part of it and multicasts that to all.)");
  }
  if (splits())
    w.text(R"(
// The $cluster CTAs of a cluster share a tile's K. Each collects some panels of the
// tile from the others and stores their sum.)");
  if (o.band > 1 && !isGrouped())
    w.text(R"(
// Tiles come in bands of $band rows of tiles, column by column in a band, so
// that what runs at a time has few panels of A and B.)");
  if (o.promote)
    w.text(R"(
// A stage's products start from nothing, and are added to the sums in f32.)");
  w.text("");
  types();
  launch();
  body();
  w.text("");
  reference();
  return w.take();
}
