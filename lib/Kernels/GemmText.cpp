//===- GemmText.cpp - a GEMM around its loops ------------------------------===//
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
  // A warp that reads where groups begin, or finds its share, has more to keep.
  bool reckons = isGrouped() || cuts();
  w.set("loadRegisters", groups == 1 ? ""
                         : groups == 2
                             ? reckons ? " registers(40)" : " registers(24)"
                         : reckons ? " registers(56)"
                                   : " registers(32)");
  w.set("multiplyRegisters",
        groups == 1   ? ""
        : groups == 2 ? reckons ? " registers(232)" : " registers(240)"
        : reckons     ? " registers(152)"
                      : " registers(160)");
  // Who copies element by element has addresses and masks to keep.
  if (o.copiesByThreads() && groups > 1) {
    w.set("loadRegisters", groups == 2 ? " registers(72)" : " registers(80)");
    w.set("multiplyRegisters",
          groups == 2 ? " registers(216)" : " registers(144)");
  }
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
  if (cuts()) {
    w.text(R"(
#busy   = {code = "undecided",
           reason = "there are as many steps as CTAs, so that each has one"}
#back   = {code = "undecided",
           reason = "nobody else waits for the flag, and who has waited for all that is added puts it back"})");
  }
  w.text(R"(

!global = !titan.global<${many}?x?x$in>
!result = !titan.global<${many}?x?x$out>)");
  if (isGrouped())
    w.text(R"(
!stack  = !titan.global<?x?x?x$in>
!offsets = !titan.global<?xi32>)");
  if (editsMap())
    w.text("!maps   = !titan.global<?x128xi8>");
  if (cuts()) {
    w.set("pageElements", o.rows() * o.columns());
    w.text(R"(
!pages  = !titan.global<?x${rows}x${columns}xf32, strides = [$pageElements, $columns, 1]>
!flags  = !titan.global<?xi32>)");
  }
  for (const GemmOperand &x : {a, b}) {
    w.set("X", std::string(1, x.name));
    w.set("one", x.stacked ? "1x" : "");
    std::string tile = std::to_string(x.tile), k = std::to_string(o.tileK);
    w.set("box", (x.transposed ? k : std::to_string(x.tile / x.pieces())) +
                     w.fill("x$rowK"));
    w.set("shape", x.transposed ? k + "x" + tile : tile + "x" + k);
    if (!o.copiesByThreads())
      w.text("!map$X   = !titan.tensor_map<${one}${box}x$in, swizzle = 128>");
    w.text(R"(
!ring$X  = !titan.shared<${shape}x$in, swizzle = 128, slots = $depth>
!tile$X  = !titan.shared<${shape}x$in, swizzle = 128>)");
    if (o.copiesByThreads()) {
      // Threads side by side along a row of the swizzle.
      int64_t chunk = o.rowBytes / bytesOf(o.input);
      int64_t across = std::min<int64_t>(32, o.rowElements() / chunk);
      w.set("chunk", chunk);
      w.set("lanesDown", 32 / across);
      w.set("lanesAcross", across);
      w.set("copied", std::to_string(copiedRows(x)) + w.fill("x$rowK"));
      w.set("copies",
            o.depth() * x.tile * o.tileK / (copiedRows(x) * o.rowElements()));
      w.text(R"(
#load$X  = #titan.blocked<elements = [1, $chunk], lanes = [$lanesDown, $lanesAcross], warps = [4, 1]>
!parts$X = !titan.shared<${copied}x$in, swizzle = 128, slots = $copies>
!part$X  = !titan.shared<${copied}x$in, swizzle = 128>
!where$X = tensor<${copied}xi32, #load$X>
!bits$X  = tensor<${copied}xi1, #load$X>)");
      if (o.rowBytes == 2)
        w.text("!copied$X = tensor<${copied}x$in, #load$X>");
    }
    if (!o.copiesByThreads() && (x.pieces() > 1 || boxes(x) > 1))
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
  add(cuts(), ", %pages: !pages, %flags: !flags",
      ", pages = \"4x${rows}x$columns zeros\", flags = \"4\"");
  w.set("rowsB", o.gate ? "NB" : "N");
  w.set("Zx", isStacked() ? "Zx" : "");
  w.set("ZBx", o.batch != Batch::None ? "Zx" : "");
  w.set("arguments", arguments);
  w.set("values", w.fill(example));
  w.set("shapeA", o.transposedA ? "KxM" : "MxK");
  w.set("shapeB", w.fill(o.transposedB ? "Kx$rowsB" : "${rowsB}xK"));
  w.set("target", std::string(builtFor().name));
  w.set("copiedBytes", o.rowBytes);
  w.set(
      "programmatic",
      w.fill(o.copiesByThreads() && o.rowBytes > 2
                 ? " titan.alignment = {A = $copiedBytes, B = $copiedBytes},"
                 : "") +
          std::string(o.programmatic ? " titan.programmatic = []," : "") +
          (cuts()
               ? " titan.initial = {flags = 0}, titan.alignment = {pages = 16},"
               : ""));
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
  // Where columns of B lie beside each other the others begin in a row's middle.
  if (o.gate && o.transposedB) {
    w.set("units", 16 / bytesOf(o.input));
    w.text(R"(
%beside = arith.remui %n, %c$units : index
%isUnit = arith.cmpi eq, %beside, %c0 : index
titan.require %isUnit, "launch-check", "the second half of B's columns begins at a multiple of 16 bytes")");
  }
  if (!o.gate)
    w.text(R"(
%is_nB = arith.cmpi eq, %nB, %n : index
titan.require %is_nB, "launch-check", "D has a column for each row of B")");
  w.text(R"(
titan.require %is_kB, "launch-check", "A and B have the same K"
titan.require %is_mD, "launch-check", "D has a row for each of A's")");
  if (o.copiesByThreads()) {
    // Of tensor maps that is known.
    w.text(R"(
%someM = arith.cmpi uge, %m, %c1 : index
%someN = arith.cmpi uge, %n, %c1 : index
%someK = arith.cmpi uge, %k, %c1 : index
titan.require %someM, "launch-zero-dim", "A has no rows"
titan.require %someN, "launch-zero-dim", "B has no rows"
titan.require %someK, "launch-zero-dim", "products over no K"
%fewM = arith.cmpi ule, %m, %c1073741824 : index
%fewN = arith.cmpi ule, %n, %c1073741824 : index
%fewK = arith.cmpi ule, %k, %c1073741824 : index
titan.require %fewM, "launch-check", "A has no more than 2^30 rows"
titan.require %fewN, "launch-check", "B has no more than 2^30 rows"
titan.require %fewK, "launch-check", "K is no more than 2^30")");
  }
  if (o.copiesByThreads() && o.rowBytes > 2) {
    w.set("chunk", o.rowBytes / bytesOf(o.input));
    w.set("strideOf", ahead);
    w.text(R"(
%strideA = titan.stride %A, $strideOf : !global
%strideB = titan.stride %B, $strideOf : $typeB
%restA = arith.remui %strideA, %c$chunk : index
%restB = arith.remui %strideB, %c$chunk : index
%wholeA = arith.cmpi eq, %restA, %c0 : index
%wholeB = arith.cmpi eq, %restB, %c0 : index
titan.require %wholeA, "launch-check", "A's rows begin at multiples of $copiedBytes bytes"
titan.require %wholeB, "launch-check", "B's rows begin at multiples of $copiedBytes bytes")");
    if (isStacked())
      w.text(R"(
%apartA = titan.stride %A, 0 : !global
%apartB = titan.stride %B, 0 : $typeB
%restApartA = arith.remui %apartA, %c$chunk : index
%restApartB = arith.remui %apartB, %c$chunk : index
%wholeApartA = arith.cmpi eq, %restApartA, %c0 : index
%wholeApartB = arith.cmpi eq, %restApartB, %c0 : index
titan.require %wholeApartA, "launch-check", "A's batches begin at multiples of $copiedBytes bytes"
titan.require %wholeApartB, "launch-check", "B's batches begin at multiples of $copiedBytes bytes")");
  }
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
  if (needsHeight())
    w.text(R"(
%few_rows = arith.cmpi ule, %m, %c1073741824 : index
titan.require %few_rows, "launch-check", "at most 2^30 rows: their numbers have 32 bits")");
  if (needsWidth())
    w.text(R"(
%few_columns = arith.cmpi ule, %n, %c1073741824 : index
titan.require %few_columns, "launch-check", "at most 2^30 columns: their numbers have 32 bits")");
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
  } else if (cuts()) {
    w.text(R"(
// Waves of whole tiles; the steps of those that are left are shared out evenly.
%allSteps = arith.muli %tiles, %steps : index)");
    if (o.cluster() > 1)
      w.text(R"(
%pairs = arith.divui %sms, %c$cluster : index
%room = arith.maxui %pairs, %c1 : index
%sharers = arith.minui %allSteps, %room : index
%grid = arith.muli %sharers, %c$cluster : index)");
    else
      w.text("%grid = arith.minui %allSteps, %sms : index");
    w.set("sharers", o.cluster() > 1 ? "sharers" : "grid");
    w.text(R"(
%pageCount = titan.dim %pages, 0 : !pages
%isPages = arith.cmpi uge, %pageCount, %grid : index
titan.require %isPages, "launch-check", "pages has a page for each CTA: as many as there are multiprocessors are enough"
%flagCount = titan.dim %flags, 0 : !flags
%isFlagged = arith.cmpi uge, %flagCount, %grid : index
titan.require %isFlagged, "launch-check", "flags has an element for each CTA: as many as there are multiprocessors are enough"
%full = arith.divui %tiles, %$sharers : index
%over = arith.remui %tiles, %$sharers : index
%even = arith.cmpi eq, %over, %c0 : index
%atLeast1 = arith.maxui %full, %c1 : index
%fewer = arith.subi %atLeast1, %c1 : index
%waves = arith.select %even, %full, %fewer : index)");
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
  if (!o.copiesByThreads()) {
    handed.pass("mapA", "!mapA");
    handed.pass("mapB", "!mapB");
    w.text(R"(
// Wider requests to the L2 cache cost more than they bring where rows of A or B
// begin anywhere.
%mapA = titan.tensor_map %A : !global -> !mapA
%mapB = titan.tensor_map %B : $typeB -> !mapB)");
  }
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
  if (cuts())
    handed.pass("waves", "index");
  // The body has coordinates %m and %n of its own.
  if (needsHeight())
    handed.pass("m", "index", "height");
  if (needsWidth())
    handed.pass("n", "index", "width");
  if (o.copiesByThreads())
    handed.pass("k", "index", "length");
  handed.write(w, isGrouped() ? "sms" : "grid");
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
  w.set("whose", o.cluster() > 1 ? "the cluster's" : "this CTA's");
  if (cuts())
    w.text(R"(
// The steps of the tiles behind all waves lie on one line; $whose share of it
// has parts of the tiles from %firstCut to before %lastCut.
%wholeTiles = arith.muli %waves, %ctas : index
%cutTiles = arith.subi %tiles, %wholeTiles : index
%line = arith.muli %cutTiles, %steps : index
%nextCta = arith.addi %first, %c1 : index
%shares = arith.muli %first, %line : index
%nextShares = arith.muli %nextCta, %line : index
%shareBegin = arith.divui %shares, %ctas : index
%shareEnd = arith.divui %nextShares, %ctas : index
%firstCut = arith.divui %shareBegin, %steps : index
%lastCut = arith.ceildivui %shareEnd, %steps : index
%cuts = arith.subi %lastCut, %firstCut : index
%pieces = arith.addi %cuts, %waves : index)");
  if (cuts() && pingpong())
    w.text("%shareSteps = arith.subi %shareEnd, %shareBegin : index");
  if (!cuts() && pingpong())
    w.text(R"(
%second = arith.addi %first, %ctas : index
%stride = arith.muli %ctas, %c2 : index)");
  w.text(R"(

%a = titan.shared.alloc : !ringA
%b = titan.shared.alloc : !ringB)");
  if (o.copiesByThreads())
    w.text(R"(
%partsA = titan.shared.reuse %a : !ringA -> !partsA
%partsB = titan.shared.reuse %b : !ringB -> !partsB)");
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
// The peers must have their barriers before anything is sent to them; the fence has
// released these, and nothing else.
titan.cluster.arrive relaxed
titan.cluster.wait)");
  }
  if (usesPipe()) {
    w.text(R"(
%ab = titan.pipe.create "load" -> ["multiply"] buffers ["a", "b"](%a, %b : !ringA, !ringB) : !titan.pipe<$depth>)");
  } else {
    // Of threads that copy each says that its part is there.
    w.set("fills", o.copiesByThreads() ? 128 : 1);
    w.set("releases",
          o.warpgroupsPerTile() * (o.cluster() > 1 ? 4 * o.cluster() : 1));
    w.text(R"(
%full = titan.mbarrier.alloc : !bars
%empty = titan.mbarrier.alloc : !bars
titan.elect warp(0) {
titan.mbarrier.init %full count($fills) : !bars
titan.mbarrier.init %empty count($releases) : !bars
titan.fence.mbarrier_init
})");
    if (o.cluster() > 1)
      w.text(R"(
// The peers must have their barriers before anything is sent to them; the fence has
// released these, and nothing else.
titan.cluster.arrive relaxed
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
  w.set("ofBias", o.bias ? "; bias in f32" : "");
  const char *rowsB = o.gate ? "2N" : "N";
  w.set("rowsB", rowsB);
  w.set("storedB", w.fill(o.transposedB ? "K x $rowsB" : "$rowsB x K"));
  w.text(R"(
// D = $headline: A is $storedA, B is $storedB, D is M x N,
// $in in, $out out, f32 sums$ofBias.)");
  if (o.gate) {
    w.set("lies", o.transposedB ? "left of" : "above");
    w.text(o.bias ? "// B is G $lies U, and bias is g, and behind it u."
                  : "// B is G $lies U.");
  }
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
  if (o.copiesByThreads()) {
    w.set("rowBytes", o.rowBytes);
    w.text(o.rowBytes == 2 ? "// Rows begin anywhere: A and B are copied by "
                             "threads, and D is stored "
                             "by them, element by element."
                           : "// Rows begin at multiples of $rowBytes bytes: A "
                             "and B are copied by "
                             "threads, so many at a time;\n"
                             "// D is stored element by element.");
  }
  if (o.swap)
    w.text("// The instruction's rows are columns of D: D^T = B * A^T.");
  if (pingpong())
    w.text(R"(
// Two warpgroups take turns at the tensor cores: one multiplies the CTA's tiles
// 0, 2, 4, ..., the other 1, 3, 5, ..., and while one stores, the other
// multiplies. Step s of the CTA's tile i is use i * steps + s of the ring,
// whoever consumes it.)");
  else
    w.text(std::string(o.copiesByThreads() ? "// Four warps copy; "
                                           : "// A warp loads; ") +
           (o.warpgroupsPerTile() == 1
                ? "a warpgroup multiplies a tile."
                : "$groups warpgroups multiply a tile together."));
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
  if (cuts())
    w.text(R"(
// Stream-K: as many waves of whole tiles as leave more than one tile, and no more than
// two, a CTA. The steps of what is left are dealt out evenly, and come first: who has
// a tile's last ones adds up what lower CTAs have of its sums: each begins with
// that, waits for nobody, and has a page of `pages` for it. `flags` counts for each
// CTA the pages that it reads; it holds zeros before a launch and behind it.)");
  if (o.promote)
    w.text(R"(
// A stage's products start from nothing, and are added to the sums in f32.)");
  w.text("");
  types();
  launch();
  body();
  w.text("");
  if (beginsPanelsInTurn()) {
    sameFunction();
    w.text("");
  }
  reference();
  return w.take();
}
