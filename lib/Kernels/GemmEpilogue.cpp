//===- GemmEpilogue.cpp - what a GEMM does with a tile's sums -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "GemmText.h"

using namespace titan::kernels;

void GemmText::epilogueTypes() {
  w.set("width", o.panelWidth());
  w.set("swizzle", o.panelWidth() * bytesOf(o.output));
  w.set("buffers", o.panelBuffers());
  w.text("!panel  = tensor<${rows}x${width}xf32, #acc>");
  if (o.output != Element::F32)
    w.text("!narrow = tensor<${rows}x${width}x$out, #acc>");
  if (o.bias)
    w.text("!vector = !titan.global<?xf32>");
  if (needsColumns())
    w.text(R"(
!where  = tensor<${rows}x${width}xi32, #acc>
!mask   = tensor<${rows}x${width}xi1, #acc>)");
  if (!masksStores())
    w.text(R"(
!mapD   = !titan.tensor_map<${rows}x${width}x$out, swizzle = $swizzle>
!ringD  = !titan.shared<${rows}x${width}x$out, swizzle = $swizzle, slots = $buffers>
!tileD  = !titan.shared<${rows}x${width}x$out, swizzle = $swizzle>
!bulk   = !titan.token<bulk>)");
}

/// What is the same for all tiles.
void GemmText::epilogueSetup() {
  if (!masksStores())
    w.text("%noStore = titan.token.none : !bulk");
  if (o.alpha)
    w.text("%factor = titan.splat %alpha : f32 -> !panel");
  if (o.beta)
    w.text("%share = titan.splat %beta : f32 -> !panel");
  auto tile = [&](const char *name, const char *value) {
    w.set("name", name);
    w.set("value", value);
    w.text(R"(
%$name = arith.constant $value : f32
%${name}s = titan.splat %$name : f32 -> !panel)");
  };
  switch (o.activation) {
  case Activation::None:
    break;
  case Activation::ReLU:
    tile("zero", "0.0");
    break;
  case Activation::GELUTanh:
    tile("one", "1.0");
    tile("halve", "0.5");
    tile("cubic", "0.044715");
    tile("root", "0.797884583");
    break;
  case Activation::SiLU:
    tile("one", "1.0");
    tile("negation", "-1.0");
    break;
  }
  if (needsRows())
    w.text(R"(
%height32 = arith.index_cast %height : index to i32
%heights = titan.splat %height32 : i32 -> !where)");
  if (needsColumns())
    w.text(R"(
%width32 = arith.index_cast %width : index to i32
%widths = titan.splat %width32 : i32 -> !where)");
}

/// From %panel, the sums of a panel whose corner is (%m, %n) or moved by
/// %column, to %$value in D's type; and %i, %j, %inside where they are needed.
void GemmText::panelValue() {
  auto index = [&](const char *tile, const char *base, int64_t dimension) {
    w.set("tile", tile);
    w.set("base", base);
    w.set("dimension", dimension);
    w.text(R"(
%base$tile = arith.index_cast %$base : index to i32
%corner$tile = titan.splat %base$tile : i32 -> !where
%own$tile = titan.coordinate $dimension : !where
%$tile = arith.addi %corner$tile, %own$tile : !where)");
  };
  if (needsRows()) {
    index("I", o.swap ? "at" : "m", o.swap);
    w.text("%above = arith.cmpi slt, %I, %heights : !where");
  }
  if (needsColumns()) {
    index("J", o.swap ? "n" : "at", !o.swap);
    w.text("%before = arith.cmpi slt, %J, %widths : !where");
  }
  if (needsRows())
    w.text("%inside = arith.andi %above, %before : !mask");
  std::string value = "panel";
  auto next = [&](const char *name, std::string_view block) {
    w.set("value", value);
    w.text(block);
    value = name;
  };
  if (o.alpha)
    next("scaled", "%scaled = arith.mulf %$value, %factor : !panel");
  if (o.beta) {
    if (o.output == Element::F32)
      w.text("%old = titan.global.load %C[%I, %J] mask(%inside : !mask) : "
             "!result, !where, !where -> !panel");
    else
      w.text(R"(
%stored = titan.global.load %C[%I, %J] mask(%inside : !mask) : !result, !where, !where -> !narrow
%old = arith.extf %stored : !narrow to !panel)");
    next("blended", R"(
%part = arith.mulf %old, %share : !panel
%blended = arith.addf %$value, %part : !panel)");
  }
  if (o.bias)
    next("biased", R"(
%added = titan.global.load %bias[%J] mask(%before : !mask) : !vector, !where -> !panel
%biased = arith.addf %$value, %added : !panel)");
  switch (o.activation) {
  case Activation::None:
    break;
  case Activation::ReLU:
    next("active", "%active = arith.maximumf %$value, %zeros : !panel");
    break;
  case Activation::GELUTanh:
    next("active", R"(
// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
%square = arith.mulf %$value, %$value : !panel
%bend = arith.mulf %square, %cubics : !panel
%slope = arith.addf %bend, %ones : !panel
%lever = arith.mulf %$value, %roots : !panel
%inner = arith.mulf %lever, %slope : !panel
%tanh = math.tanh %inner : !panel
%gate = arith.addf %tanh, %ones : !panel
%half = arith.mulf %$value, %halves : !panel
%active = arith.mulf %half, %gate : !panel)");
    break;
  case Activation::SiLU:
    next("active", R"(
// x / (1 + exp(-x))
%negative = arith.mulf %$value, %negations : !panel
%power = math.exp %negative : !panel
%below1 = arith.addf %power, %ones : !panel
%active = arith.divf %$value, %below1 : !panel)");
    break;
  }
  if (o.output != Element::F32)
    next("rounded", "%rounded = arith.truncf %$value : !panel to !narrow");
  w.set("value", value);
}

/// Arrives on the others' barrier of this name.
void GemmText::tellPeers(std::string_view barrier) {
  w.set("bar", std::string(barrier));
  for (int64_t peer = 1; peer < o.split; ++peer) {
    w.set("peer", peer);
    w.text(R"(
%ahead$peer = arith.addi %rank, %c$peer : index
%peer$peer = arith.remui %ahead$peer, %c$split : index
%rank$peer = arith.index_cast %peer$peer : index to i32
%$bar$peer = titan.map_rank %$bar, %rank$peer : !bar -> !far
titan.mbarrier.arrive %$bar$peer scope(cluster) : !far)");
  }
}

/// The panels that other CTAs store, to them.
void GemmText::exchange() {
  w.set("all", o.columns() / o.panelWidth());
  w.text(R"(
// Panel j is rank j mod $split's, which has a place for each other rank's part of it.
%again = arith.addi %i, %c1 : index
%even = arith.remui %i, %c2 : index
%uneven = arith.remui %again, %c2 : index
%parityGot = arith.index_cast %even : index to i32
%parityClear = arith.index_cast %uneven : index to i32
%notFirst = arith.cmpi ne, %tile, %first : index
scf.if %notFirst {
titan.mbarrier.wait %clear parity(%parityClear) scope(cluster) : !bar
}
scf.for %j = %c0 to %c$all step %c1 {
%owner = arith.remui %j, %c$split : index
%theirs = arith.cmpi ne, %owner, %rank : index
scf.if %theirs {
%sent = titan.panel %result[%j] : !sums -> !panel
%owner32 = arith.index_cast %owner : index to i32
%round = arith.divui %j, %c$split : index
%places = arith.muli %round, %c$others : index
%ahead = arith.addi %rank, %c$others : index
%distance = arith.subi %ahead, %owner : index
%place = arith.remui %distance, %c$split : index
%index = arith.addi %places, %place : index
%here = titan.shared.slot %x[%index : index] : !ringX -> !partX
%there = titan.map_rank %here, %owner32 : !partX -> !peerX
titan.shared.store %sent, %there : !panel, !peerX
}
} {titan.unroll}
// All warps' parts are there: one thread says so, and releases them all.
titan.barrier.sync $barrier threads($threads)
titan.elect warp(0) {)");
  tellPeers("got");
  w.text(R"(
}
titan.mbarrier.wait %got parity(%parityGot) scope(cluster) : !bar)");
}

/// The places for the parts of the next tile are free.
void GemmText::exchanged() {
  w.text(R"(
%next = arith.addi %tile, %ctas : index
%another = arith.cmpi ult, %next, %tiles : index
scf.if %another {)");
  if (masksStores()) // Else the stores' barriers stand behind all reads.
    w.text("titan.barrier.sync $barrier threads($threads)");
  w.text(R"(
titan.elect warp(0) {)");
  tellPeers("clear");
  w.text(R"(
}
})");
}

/// %panel, sums of the columns from %column on: the j-th panel of those that
/// this CTA stores.
void GemmText::panel() {
  if (!splits()) {
    w.text(R"(
%panel = titan.panel %result[%j] : !sums -> !panel
%column = arith.muli %j, %c$width : index)");
    return;
  }
  w.text(R"(
%round = arith.muli %j, %c$split : index
%own = arith.addi %round, %rank : index
%column = arith.muli %own, %c$width : index
%mine0 = titan.panel %result[%round] : !sums -> !panel
%places = arith.muli %j, %c$others : index)");
  for (int64_t rank = 1; rank < o.split; ++rank) {
    w.set("rank", rank);
    w.set("before", rank - 1);
    w.text(R"(
%at$rank = arith.addi %round, %c$rank : index
%of$rank = titan.panel %result[%at$rank] : !sums -> !panel
%mine$rank = arith.select %is$rank, %of$rank, %mine$before : !panel)");
  }
  std::string sum = w.fill("mine$rank");
  for (int64_t part = 0; part < o.split - 1; ++part) {
    w.set("part", part);
    w.set("sum", sum);
    sum = part + 2 == o.split ? "panel" : w.fill("sum$part");
    w.set("next", sum);
    w.text(R"(
%index$part = arith.addi %places, %c$part : index
%place$part = titan.shared.slot %x[%index$part : index] : !ringX -> !partX
%part$part = titan.shared.load %place$part : !partX -> !panel
%$next = arith.addf %$sum, %part$part : !panel)");
  }
}

void GemmText::epilogue(const GemmConsumer &consumer) {
  int64_t buffers = o.panelBuffers();
  w.set("panels", o.columns() / o.panelWidth() / o.split);
  w.set("barrier", consumer.barrier);
  w.set("threads", 128 * o.warpgroupsPerTile());
  if (splits())
    exchange();
  w.set("values", o.output == Element::F32 ? "!panel" : "!narrow");
  if (o.swap) {
    // Few elements, and not in D's order: each goes by itself.
    w.text(R"(
scf.for %j = %c0 to %c$panels step %c1 {)");
    panel();
    w.text("%at = arith.addi %m, %column : index");
    panelValue();
    w.text(R"(
titan.global.store %$value, %D[%I, %J] mask(%inside : !mask) : $values, !result, !where, !where
} {titan.unroll})");
    return;
  }
  w.set("ring", consumer.turn < 0 ? "d" : "d" + std::to_string(consumer.turn));
  w.set("matrix", o.output == Element::F32 ? "" : " matrix");
  std::string inits, shifted, tokens;
  for (int64_t i = 0; i < buffers; ++i) {
    std::string comma = i ? ", " : "";
    inits += comma + "%store" + std::to_string(i) + " = %noStore";
    shifted += comma + (i + 1 < buffers ? "%store" + std::to_string(i + 1)
                                        : std::string("%store"));
    tokens += comma + "!bulk";
  }
  w.set("inits", inits);
  w.set("shifted", shifted);
  w.set("tokens", tokens);
  w.set("stores",
        buffers > 1 ? "%stores:" + std::to_string(buffers) : "%stores");
  w.set("newest",
        buffers > 1 ? "%stores#" + std::to_string(buffers - 1) : "%stores");
  w.text(R"(
// $panels panels of $width columns leave through $buffers buffers, which the tile before
// has left.
titan.elect warp(0) {
titan.bulk.wait %pending read : !bulk
}
$stores = scf.for %j = %c0 to %c$panels step %c1 iter_args($inits) -> ($tokens) {)");
  panel();
  w.text("%at = arith.addi %n, %column : index");
  panelValue();
  if (o.panelBuffers() > 1)
    w.text(R"(
%turn = arith.remui %j, %c$buffers : index
%buffer = titan.shared.slot %$ring[%turn : index] : !ringD -> !tileD)");
  else
    w.text(
        "%buffer = titan.shared.slot %$ring[%c0 : index] : !ringD -> !tileD");
  w.text(R"(
titan.elect warp(0) {
titan.bulk.wait %store0 read : !bulk
}
titan.barrier.sync $barrier threads($threads)
titan.shared.store %$value, %buffer$matrix : $values, !tileD
titan.fence.proxy_async shared_cta
titan.barrier.sync $barrier threads($threads)
%store = titan.elect warp(0) -> !bulk {
titan.tma.store %buffer, %mapD[%m, %at] : !tileD, !mapD
%bulk = titan.bulk.commit : !bulk
titan.yield %bulk : !bulk
}
scf.yield $shifted : $tokens
} {titan.unroll})");
}

/// The function that says what the kernel should compute, in f64, and the error
/// allowed: a rounding of the result and 2^-20 of the sum of the magnitudes.
void GemmText::reference() {
  std::string arguments;
  auto add = [&](const char *argument) { arguments += argument; };
  if (o.alpha)
    add("%alpha: f32 {titan.input = \"alpha\"}, ");
  if (o.beta)
    add("%C: memref<?x?x$out> {titan.input = \"C\"}, %beta: f32 {titan.input = "
        "\"beta\"}, ");
  if (o.bias)
    add("%bias: memref<?xf32> {titan.input = \"bias\"}, ");
  w.set("more", w.fill(arguments));
  // Where the result is exact for small integers, nothing is allowed there.
  bool exact =
      o.activation == Activation::None || o.activation == Activation::ReLU;
  w.set("exact", exact ? " attributes {titan.exact}" : "");
  w.set("unit", o.output == Element::BF16  ? "0.00390625"
                : o.output == Element::F16 ? "0.0009765625"
                                           : "9.5367431640625e-07");
  w.set("mapOfA", o.transposedA ? "(k, m)" : "(m, k)");
  w.set("mapOfB", o.transposedB ? "(k, n)" : "(n, k)");
  w.text(R"(
// What it should compute, in f64, and the error allowed: a rounding of the
// result, and 2^-20 of the magnitudes that are added.
func.func private @${kernel}_reference(
    %A: memref<?x?x$in> {titan.input = "A"}, %B: memref<?x?x$in> {titan.input = "B"}, $more
    %D: memref<?x?xf64> {titan.expected = "D"}, %bound: memref<?x?xf64> {titan.bound = "D"})$exact {
%zero = arith.constant 0.0 : f64
%unit = arith.constant $unit : f64
%e20 = arith.constant 9.5367431640625e-07 : f64)");
  if (o.alpha)
    w.text("%factor = arith.extf %alpha : f32 to f64");
  if (o.beta)
    w.text("%share = arith.extf %beta : f32 to f64");
  w.text(R"(
linalg.fill ins(%zero : f64) outs(%D : memref<?x?xf64>)
linalg.fill ins(%zero : f64) outs(%bound : memref<?x?xf64>)
linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> $mapOfA>, affine_map<(m, n, k) -> $mapOfB>,
                     affine_map<(m, n, k) -> (m, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%A, %B : memref<?x?x$in>, memref<?x?x$in>) outs(%D, %bound : memref<?x?xf64>, memref<?x?xf64>) {
^bb0(%a: $in, %b: $in, %sum: f64, %magnitude: f64):
  %a32 = arith.extf %a : $in to f32
  %b32 = arith.extf %b : $in to f32
  %x = arith.extf %a32 : f32 to f64
  %y = arith.extf %b32 : f32 to f64
  %p = arith.mulf %x, %y : f64
  %q = math.absf %p : f64
  %s = arith.addf %sum, %p : f64
  %t = arith.addf %magnitude, %q : f64
  linalg.yield %s, %t : f64, f64
})");
  std::string maps, names, types, blocks;
  auto input = [&](const char *map, const char *name, std::string type,
                   const char *block, std::string element) {
    std::string comma = names.empty() ? "" : ", ";
    maps += std::string("affine_map<(m, n) -> ") + map + ">, ";
    names += comma + name;
    types += comma + type;
    blocks += std::string(block) + ": " + element + ", ";
  };
  std::string out(toString(o.output));
  if (o.beta)
    input("(m, n)", "%C", "memref<?x?x" + out + ">", "%c", out);
  if (o.bias)
    input("(n)", "%bias", "memref<?xf32>", "%b", "f32");
  w.set("maps", maps);
  w.set("ins", names.empty() ? "" : "ins(" + names + " : " + types + ") ");
  w.set("blocks", blocks);
  w.text(R"(
linalg.generic {
    indexing_maps = [${maps}affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
    iterator_types = ["parallel", "parallel"]}
    ${ins}outs(%D, %bound : memref<?x?xf64>, memref<?x?xf64>) {
^bb0($blocks%sum: f64, %magnitude: f64):)");
  std::string value = "sum", mass = "magnitude";
  if (o.alpha) {
    w.text(R"(
  %scaled = arith.mulf %factor, %sum : f64
  %products = arith.mulf %factor, %magnitude : f64
  %scaledMass = math.absf %products : f64)");
    value = "scaled", mass = "scaledMass";
  }
  if (o.beta) {
    w.set("value", value);
    w.set("mass", mass);
    if (o.output != Element::F32)
      w.text(R"(
  %c32 = arith.extf %c : $out to f32
  %c64 = arith.extf %c32 : f32 to f64)");
    else
      w.text("  %c64 = arith.extf %c : f32 to f64");
    w.text(R"(
  %part = arith.mulf %share, %c64 : f64
  %partMass = math.absf %part : f64
  %blended = arith.addf %$value, %part : f64
  %blendedMass = arith.addf %$mass, %partMass : f64)");
    value = "blended", mass = "blendedMass";
  }
  if (o.bias) {
    w.set("value", value);
    w.set("mass", mass);
    w.text(R"(
  %b64 = arith.extf %b : f32 to f64
  %bMass = math.absf %b64 : f64
  %biased = arith.addf %$value, %b64 : f64
  %biasedMass = arith.addf %$mass, %bMass : f64)");
    value = "biased", mass = "biasedMass";
  }
  w.set("value", value);
  w.set("mass", mass);
  switch (o.activation) {
  case Activation::None:
    break;
  case Activation::ReLU:
    w.text("  %active = arith.maximumf %$value, %zero : f64");
    value = "active";
    break;
  case Activation::GELUTanh:
    w.text(R"(
  %one = arith.constant 1.0 : f64
  %two = arith.constant 0.5 : f64
  %cubic = arith.constant 0.044715 : f64
  %root = arith.constant 0.7978845608028654 : f64
  %square = arith.mulf %$value, %$value : f64
  %bend = arith.mulf %square, %cubic : f64
  %slope = arith.addf %bend, %one : f64
  %lever = arith.mulf %$value, %root : f64
  %inner = arith.mulf %lever, %slope : f64
  %tanh = math.tanh %inner : f64
  %gate = arith.addf %tanh, %one : f64
  %half = arith.mulf %$value, %two : f64
  %active = arith.mulf %half, %gate : f64)");
    value = "active";
    break;
  case Activation::SiLU:
    w.text(R"(
  %one = arith.constant 1.0 : f64
  %negative = arith.negf %$value : f64
  %power = math.exp %negative : f64
  %below = arith.addf %power, %one : f64
  %active = arith.divf %$value, %below : f64)");
    value = "active";
    break;
  }
  w.set("result", value);
  w.text(R"(
  %size = math.absf %$result : f64
  %rounding = arith.mulf %size, %unit : f64
  %summing = arith.mulf %$mass, %e20 : f64)");
  if (exact) {
    w.text("  %error = arith.addf %rounding, %summing : f64");
  } else {
    // tanh.approx is good to 2^-11 of its result, ex2.approx to 2 ulp.
    bool gelu = o.activation == Activation::GELUTanh;
    w.set("approximate", gelu ? "4.8828125e-04" : "9.5367431640625e-07");
    w.set("unitName", gelu ? "tanh.approx is good to 2^-11"
                           : "ex2.approx is good to a few ulp");
    w.text(R"(
  // Its slope is below 1.13; $unitName.
  %steep = arith.constant 1.13 : f64
  %e11 = arith.constant $approximate : f64
  %bent = arith.mulf %summing, %steep : f64
  %input = math.absf %$value : f64
  %approximate = arith.mulf %input, %e11 : f64
  %known = arith.addf %rounding, %bent : f64
  %error = arith.addf %known, %approximate : f64)");
  }
  w.text(R"(
  linalg.yield %$result, %error : f64, f64
}
return
})");
}
