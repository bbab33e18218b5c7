//===- DecodeCombine.cpp - the parts of a decoded tile, added up ----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "AttentionText.h"

#include <tuple>

using namespace titan::kernels;

/// A warp adds up the parts of one row of O, 24 loads under way at a time: their
/// maximum first, and then what each weighs, which hangs on none of the others.
void DecodeText::combine() {
  w.set("lseArgument", o.lse ? ", %LSE: !sums" : "");
  w.set("lseValue", o.lse ? ", LSE = \"BxGxHxN\"" : "");
  w.set("sizesKV", o.page ? "" : "S = 390, ");
  w.set("shapeK", w.fill(o.page ? "1x${page}xGx$size" : "BxSxGx$size"));
  w.text(R"(
// O from its parts: each weighs what its CTA weighed. Of K the sizes count alone.
titan.kernel @${kernel}_combine(%Parts: !parts, %Logs: !logs, %K: !global, %O: !rows$lseArgument, %ctas: i32$longestArgument) warps(1) attributes {
titan.target = "$target", titan.programmatic = [], titan.alignment = {Parts = 16, O = 8},
titan.example = {sizes = {B = 2, G = 1, H = 3, N = 2, ${sizesKV}P = 5},
                 Parts = "Px64x$size random:1", Logs = "Px64 random:2", K = "$shapeK zeros",
                 O = "BxNxGxHx$size"$lseValue, ctas = 3 : i32$longestValue},
titan.reference = @${kernel}_combine_reference)");
  w.text("} launch {");
  w.beginRegion();
  shape("O", false);
  if (o.lse)
    for (auto [dimension, name, value] : {std::tuple(0, "batchesL", "batches"),
                                          {1, "headsL", "headsK"},
                                          {2, "groupL", "group"},
                                          {3, "queriesL", "queries"}})
      requireSize(name, "LSE", "!sums", dimension, value,
                  "LSE is batches x heads x group x queries of O");
  shares();
  w.text(R"(
%rows = arith.minui %pairs, %c64 : index)");
  LaunchArguments handed;
  for (const char *name : {"perTile", "lastOfTile", "share", "rowBlocks",
                           "headsK", "group", "pairs"})
    handed.pass(name, "index");
  handed.write(w, "rows, %tiles");
  w.beginRegion();
  w.text(R"(
%row = titan.cta_id 0
%tile = titan.cta_id 1)");
  placeOfTile();
  w.text(R"(
%pair0 = arith.muli %rowBlock, %c64 : index
%pair = arith.addi %pair0, %row : index
%isPair = arith.cmpi ult, %pair, %pairs : index
%query = arith.divui %pair, %group : index
%member = arith.remui %pair, %group : index
// The first CTA that has blocks of the tile, and how many do.
%begin = arith.muli %tile, %perTile : index
%first = arith.divui %begin, %share : index
%before = arith.remui %begin, %share : index
%span = arith.addi %before, %lastOfTile : index
%more = arith.divui %span, %share : index
%parts = arith.addi %more, %c1 : index
%firstSlot = arith.addi %tile, %first : index
%minus = arith.constant 0xFF800000 : f32
%nothing = arith.constant 0.0 : f32
%unit = arith.constant 1.0 : f32
%infinity = titan.splat %minus : f32 -> !one
%zero = titan.splat %nothing : f32 -> !one
%ones = titan.splat %unit : f32 -> !one
%zeros = titan.splat %nothing : f32 -> !line
%row32 = arith.index_cast %row : index to i32
%rowAt = titan.splat %row32 : i32 -> !lineIs
%rowOf = titan.splat %row32 : i32 -> !oneIs
%column = titan.coordinate 1 : !lineIs
titan.griddepcontrol.wait
titan.griddepcontrol.launch_dependents
%r:3 = scf.for %at = %c0 to %parts step %c24 iter_args(%max = %infinity, %sum = %zero, %acc = %zeros) -> (!one, !one, !line) {
%larger = scf.for %i = %c0 to %c24 step %c1 iter_args(%maxI = %max) -> (!one) {
%part = arith.addi %at, %i : index
%isPart = arith.cmpi ult, %part, %parts : index
%slot = arith.addi %firstSlot, %part : index
%slot32 = arith.index_cast %slot : index to i32
%slotOf = titan.splat %slot32 : i32 -> !oneIs
%there = titan.splat %isPart : i1 -> !oneMask
%read = titan.global.load %Logs[%slotOf, %rowOf] mask(%there : !oneMask) : !logs, !oneIs, !oneIs -> !one
%log = arith.select %there, %read, %infinity : !oneMask, !one
%top = arith.maximumf %maxI, %log : !one
scf.yield %top : !one
} {titan.unroll}
// Without any key so far: nothing is subtracted from minus infinity.
%none = arith.cmpf oeq, %larger, %infinity : !one
%down = arith.negf %larger : !one
%shift = arith.select %none, %zero, %down : !oneMask, !one
%drop = arith.addf %max, %shift : !one
%decay = math.exp2 %drop : !one
%sumKept = arith.mulf %sum, %decay : !one
%decays = titan.broadcast %decay : !one -> !line
%kept = arith.mulf %acc, %decays : !line
%s:2 = scf.for %i = %c0 to %c24 step %c1 iter_args(%sumI = %sumKept, %accI = %kept) -> (!one, !line) {
%part = arith.addi %at, %i : index
%isPart = arith.cmpi ult, %part, %parts : index
%slot = arith.addi %firstSlot, %part : index
%slot32 = arith.index_cast %slot : index to i32
%slotAt = titan.splat %slot32 : i32 -> !lineIs
%slotOf = titan.splat %slot32 : i32 -> !oneIs
%there = titan.splat %isPart : i1 -> !oneMask
%thereAt = titan.splat %isPart : i1 -> !lineMask
%sums = titan.global.load %Parts[%slotAt, %rowAt, %column] mask(%thereAt : !lineMask) : !parts, !lineIs, !lineIs, !lineIs -> !line
%read = titan.global.load %Logs[%slotOf, %rowOf] mask(%there : !oneMask) : !logs, !oneIs, !oneIs -> !one
%log = arith.select %there, %read, %infinity : !oneMask, !one
%exponent = arith.addf %log, %shift : !one
%weight = math.exp2 %exponent : !one
%sum1 = arith.addf %sumI, %weight : !one
%weights = titan.broadcast %weight : !one -> !line
%acc1 = math.fma %sums, %weights, %accI : !line
scf.yield %sum1, %acc1 : !one, !line
} {titan.unroll}
scf.yield %larger, %s#0, %s#1 : !one, !one, !line
} {titan.trusted = {code = "undecided", reason = "reads alone, whatever the number of parts"}}
// A row that sees no key is zero.
%empty = arith.cmpf oeq, %r#1, %zero : !one
%divisor = arith.select %empty, %ones, %r#1 : !oneMask, !one
%inverse = arith.divf %ones, %divisor : !one
%inverses = titan.broadcast %inverse : !one -> !line
%result = arith.mulf %r#2, %inverses : !line
%rounded = arith.truncf %result : !line to !line16
%batch32 = arith.index_cast %batch : index to i32
%query32 = arith.index_cast %query : index to i32
%head32 = arith.index_cast %headK : index to i32
%member32 = arith.index_cast %member : index to i32
%batchAt = titan.splat %batch32 : i32 -> !lineIs
%queryAt = titan.splat %query32 : i32 -> !lineIs
%headAt = titan.splat %head32 : i32 -> !lineIs
%memberAt = titan.splat %member32 : i32 -> !lineIs
%isLine = titan.splat %isPair : i1 -> !lineMask
titan.global.store %rounded, %O[%batchAt, %queryAt, %headAt, %memberAt, %column] mask(%isLine : !lineMask) : !line16, !rows, !lineIs, !lineIs, !lineIs, !lineIs, !lineIs)");
  if (o.lse)
    w.text(R"(
%log2 = math.log2 %r#1 : !one
%bits = arith.addf %r#0, %log2 : !one
%ln2 = arith.constant 0.693147182 : f32
%ln2s = titan.splat %ln2 : f32 -> !one
%lse = arith.mulf %bits, %ln2s : !one
%batchOf = titan.splat %batch32 : i32 -> !oneIs
%queryOf = titan.splat %query32 : i32 -> !oneIs
%headOf = titan.splat %head32 : i32 -> !oneIs
%memberOf = titan.splat %member32 : i32 -> !oneIs
%isOne = titan.splat %isPair : i1 -> !oneMask
titan.global.store %lse, %LSE[%batchOf, %headOf, %memberOf, %queryOf] mask(%isOne : !oneMask) : !one, !sums, !oneIs, !oneIs, !oneIs, !oneIs)");
  w.text("titan.return");
  w.declare();
  w.text("}");
}

/// Sizes and shares, as the launches have them: `parts` names a tensor with a row for each query, and its element.
static const char *const counts = R"(
%batches = memref.dim %$tensor, %c0 : memref<?x?x?x?x${size}x$type>
%queries = memref.dim %$tensor, %c1 : memref<?x?x?x?x${size}x$type>
%headsK = memref.dim %$tensor, %c2 : memref<?x?x?x?x${size}x$type>
%group = memref.dim %$tensor, %c3 : memref<?x?x?x?x${size}x$type>
$longest
%pairs = arith.muli %queries, %group : index
%rowBlocks = arith.ceildivui %pairs, %c64 : index
%tilesOfHead = arith.muli %batches, %rowBlocks : index
%tiles = arith.muli %tilesOfHead, %headsK : index)";

void DecodeText::referenceParts() {
  w.set("unit", o.element == Element::BF16 ? "0.00390625" : "0.0009765625");
  w.set("least", o.element == Element::BF16 ? "0.0" : "5.9604644775390625e-08");
  w.set("longest",
        o.page
            ? "%keys = arith.index_cast %longest : i32 to index"
            : w.fill("%keys = memref.dim %K, %c1 : memref<?x?x?x${size}x$in>"));
  w.set("longestInput",
        o.page ? ", %longest: i32 {titan.input = \"longest\"}" : "");
  w.set("pagesInput",
        o.page ? ", %table: memref<?x?xi32> {titan.input = \"table\"}, "
                 "%lengths: memref<?xi32> {titan.input = \"lengths\"}"
               : "");
  w.set("tensor", "Q");
  w.set("type", w.fill("$in"));
  w.set("partType", "f64");
  w.text(R"(
// What the parts should be, in f64, and the error allowed: a rounding of each weight, and 2^-18 of
// the magnitudes that are added to each score.
func.func private @${kernel}_reference(
    %Q: memref<?x?x?x?x${size}x$in> {titan.input = "Q"}, %K: memref<?x?x?x${size}x$in> {titan.input = "K"},
    %V: memref<?x?x?x${size}x$in> {titan.input = "V"}$pagesInput,
    %Parts: memref<?x64x${size}xf64> {titan.expected = "Parts"}, %bound: memref<?x64x${size}xf64> {titan.bound = "Parts"},
    %LSE: memref<?x64xf64> {titan.expected = "Logs"}, %boundLSE: memref<?x64xf64> {titan.bound = "Logs"},
    %ctas: i32 {titan.input = "ctas"}, %scale: f32 {titan.input = "scale"}$longestInput) {)");
  w.beginRegion();
  w.text(w.fill(counts));
  w.text(dealing);
  referenceConstants();
  w.text(R"(
%log2e = arith.constant 1.4426950408889634 : f64
%grid = arith.ceildivui %allBlocks, %share : index
%scale64 = arith.extf %scale : f32 to f64
%size = arith.constant $size : index
%slots = memref.dim %Parts, %c0 : memref<?x64x${size}xf64>
%scores = memref.alloc(%keys) : memref<?xf64>
%masses = memref.alloc(%keys) : memref<?xf64>
// What no CTA has stays as it is: zero.
scf.for %slot = %c0 to %slots step %c1 {
scf.for %line = %c0 to %c64 step %c1 {
memref.store %zero, %LSE[%slot, %line] : memref<?x64xf64>
memref.store %zero, %boundLSE[%slot, %line] : memref<?x64xf64>
scf.for %d = %c0 to %size step %c1 {
memref.store %zero, %Parts[%slot, %line, %d] : memref<?x64x${size}xf64>
memref.store %zero, %bound[%slot, %line, %d] : memref<?x64x${size}xf64>
}
}
}
scf.for %tile = %c0 to %tiles step %c1 {
%any = arith.divui %tile, %rowBlocks : index
%rowBlock = arith.remui %tile, %rowBlocks : index
%b = arith.divui %any, %headsK : index
%g = arith.remui %any, %headsK : index
%begin = arith.muli %tile, %perTile : index
%behind = arith.addi %begin, %perTile : index
scf.for %cta = %c0 to %grid step %c1 {
%first = arith.muli %cta, %share : index
%after = arith.addi %first, %share : index
%low = arith.maxui %first, %begin : index
%high = arith.minui %after, %behind : index
%has = arith.cmpi ult, %low, %high : index
scf.if %has {
%slot = arith.addi %tile, %cta : index
%fromBlock = arith.subi %low, %begin : index
%toBlock = arith.subi %high, %begin : index
%fromKey = arith.muli %fromBlock, %c$keys : index
%toKey = arith.muli %toBlock, %c$keys : index)");
  if (o.page)
    w.text(R"(
%length = memref.load %lengths[%b] : memref<?xi32>
%there = arith.index_cast %length : i32 to index)");
  else
    w.text("%there = arith.addi %keys, %c0 : index");
  w.text(R"(
%pair0 = arith.muli %rowBlock, %c64 : index
scf.for %line = %c0 to %c64 step %c1 {
%pair = arith.addi %pair0, %line : index
%isPair = arith.cmpi ult, %pair, %pairs : index
scf.if %isPair {
%i = arith.divui %pair, %group : index
%member = arith.remui %pair, %group : index)");
  if (o.causal)
    w.text(R"(
%moved = arith.addi %i, %there : index
%beyond = arith.addi %moved, %c1 : index
%least1 = arith.maxui %beyond, %queries : index
%sees = arith.subi %least1, %queries : index)");
  else
    w.text("%sees = arith.addi %there, %c0 : index");
  w.text(R"(
%from = arith.minui %fromKey, %sees : index
%to = arith.minui %toKey, %sees : index)");
  if (o.page)
    w.set("locate", w.fill(R"(
%cPage = arith.constant $page : index
%column = arith.divui %s, %cPage : index
%in = arith.remui %s, %cPage : index
%page32 = memref.load %table[%b, %column] : memref<?x?xi32>
%page = arith.index_cast %page32 : i32 to index)"));
  else
    w.set("locate", "");
  w.set("queryAt", "%b, %i, %g, %member");
  w.set("queryRow", "?x?x?x?");
  w.set("keyRow", "?x?x?");
  w.set("keyAt", o.page ? "%page, %in, %g" : "%b, %s, %g");
  w.set("outAt", "%slot, %line");
  w.set("outRow", "?x64");
  w.set("outName", "Parts");
  w.set("sumAt", "%slot, %line");
  w.set("sumRow", "?x64");
  referenceRow(true);
  w.text(R"(
// To base 2.
%natural = memref.load %LSE[%slot, %line] : memref<?x64xf64>
%naturalBound = memref.load %boundLSE[%slot, %line] : memref<?x64xf64>
%bits = arith.mulf %natural, %log2e : f64
%bitsBound = arith.mulf %naturalBound, %log2e : f64
memref.store %bits, %LSE[%slot, %line] : memref<?x64xf64>
memref.store %bitsBound, %boundLSE[%slot, %line] : memref<?x64xf64>
}
}
}
}
})");
  endReference();
}

void DecodeText::referenceCombine() {
  w.set("tensor", "O");
  w.set("type", "f64");
  w.set("partType", "f32");
  w.set("lseOutputs",
        o.lse ? ",\n    %LSE: memref<?x?x?x?xf64> {titan.expected = \"LSE\"}, "
                "%boundLSE: memref<?x?x?x?xf64> {titan.bound = \"LSE\"}"
              : "");
  w.text(R"(
// The weighted sums of the parts, in f64; allowed: a rounding of the result, and 2^-18 of the magnitudes.
func.func private @${kernel}_combine_reference(
    %Parts: memref<?x64x${size}xf32> {titan.input = "Parts"}, %Logs: memref<?x64xf32> {titan.input = "Logs"},
    %K: memref<?x?x?x${size}x$in> {titan.input = "K"},
    %O: memref<?x?x?x?x${size}xf64> {titan.expected = "O"}, %bound: memref<?x?x?x?x${size}xf64> {titan.bound = "O"}$lseOutputs,
    %ctas: i32 {titan.input = "ctas"}$longestInput) {)");
  w.beginRegion();
  w.text(w.fill(counts));
  w.text(dealing);
  w.text(R"(
%zero = arith.constant 0.0 : f64
%one = arith.constant 1.0 : f64
%unit = arith.constant $unit : f64
%e18 = arith.constant 3.814697265625e-06 : f64
%infinity = arith.constant 0xFFF0000000000000 : f64
%ln2 = arith.constant 0.69314718055994529 : f64
%size = arith.constant $size : index
scf.for %b = %c0 to %batches step %c1 {
scf.for %i = %c0 to %queries step %c1 {
scf.for %g = %c0 to %headsK step %c1 {
scf.for %member = %c0 to %group step %c1 {
%pair0 = arith.muli %i, %group : index
%pair = arith.addi %pair0, %member : index
%rowBlock = arith.divui %pair, %c64 : index
%r = arith.remui %pair, %c64 : index
%headBase = arith.muli %b, %headsK : index
%any = arith.addi %headBase, %g : index
%tile0 = arith.muli %any, %rowBlocks : index
%tile = arith.addi %tile0, %rowBlock : index
%begin = arith.muli %tile, %perTile : index
%behind = arith.addi %begin, %perTile : index
%lastBlock = arith.subi %behind, %c1 : index
%first = arith.divui %begin, %share : index
%last = arith.divui %lastBlock, %share : index
%end = arith.addi %last, %c1 : index
%max = scf.for %cta = %first to %end step %c1 iter_args(%sofar = %infinity) -> (f64) {
%slot = arith.addi %tile, %cta : index
%log32 = memref.load %Logs[%slot, %r] : memref<?x64xf32>
%log = arith.extf %log32 : f32 to f64
%larger = arith.maximumf %sofar, %log : f64
scf.yield %larger : f64
}
%none = arith.cmpf oeq, %max, %infinity : f64
%top = arith.select %none, %zero, %max : f64
%total = scf.for %cta = %first to %end step %c1 iter_args(%sum = %zero) -> (f64) {
%slot = arith.addi %tile, %cta : index
%log32 = memref.load %Logs[%slot, %r] : memref<?x64xf32>
%log = arith.extf %log32 : f32 to f64
%below = arith.subf %log, %top : f64
%weight = math.exp2 %below : f64
%sum1 = arith.addf %sum, %weight : f64
scf.yield %sum1 : f64
}
%divisor = arith.select %none, %one, %total : f64
scf.for %d = %c0 to %size step %c1 {
%sums:2 = scf.for %cta = %first to %end step %c1 iter_args(%o = %zero, %a = %zero) -> (f64, f64) {
%slot = arith.addi %tile, %cta : index
%log32 = memref.load %Logs[%slot, %r] : memref<?x64xf32>
%log = arith.extf %log32 : f32 to f64
%below = arith.subf %log, %top : f64
%weight = math.exp2 %below : f64
%part32 = memref.load %Parts[%slot, %r, %d] : memref<?x64x${size}xf32>
%part = arith.extf %part32 : f32 to f64
%weighted = arith.mulf %part, %weight : f64
%size1 = math.absf %weighted : f64
%o1 = arith.addf %o, %weighted : f64
%a1 = arith.addf %a, %size1 : f64
scf.yield %o1, %a1 : f64, f64
}
%value = arith.divf %sums#0, %divisor : f64
%mean = arith.divf %sums#1, %divisor : f64
%large = math.absf %value : f64
%rounding = arith.mulf %large, %unit : f64
%summing = arith.mulf %mean, %e18 : f64
%error = arith.addf %rounding, %summing : f64
memref.store %value, %O[%b, %i, %g, %member, %d] : memref<?x?x?x?x${size}xf64>
memref.store %error, %bound[%b, %i, %g, %member, %d] : memref<?x?x?x?x${size}xf64>
})");
  if (o.lse)
    w.text(R"(
%log = math.log2 %total : f64
%bits = arith.addf %max, %log : f64
%lse = arith.mulf %bits, %ln2 : f64
%magnitude = math.absf %max : f64
%larger = arith.addf %magnitude, %one : f64
%allowed = arith.mulf %larger, %e18 : f64
%errorLSE = arith.select %none, %zero, %allowed : f64
memref.store %lse, %LSE[%b, %g, %member, %i] : memref<?x?x?x?xf64>
memref.store %errorLSE, %boundLSE[%b, %g, %member, %i] : memref<?x?x?x?xf64>)");
  w.text(R"(
}
}
}
}
return)");
  w.declare();
  w.text("}");
}
