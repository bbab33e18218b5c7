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
  w.set("one", isStacked() ? "1x" : "");
  w.text("!panel  = tensor<${rows}x${width}xf32, #acc>");
  if (o.output != Element::F32)
    w.text("!narrow = tensor<${rows}x${width}x$out, #acc>");
  if (o.bias)
    w.text("!vector = !titan.global<${manyB}?xf32>");
  if (needsColumns())
    w.text(R"(
!where  = tensor<${rows}x${width}xi32, #acc>
!mask   = tensor<${rows}x${width}xi1, #acc>)");
  if (!masksStores())
    w.text(R"(
!mapD   = !titan.tensor_map<${one}${rows}x${width}x$out, swizzle = $swizzle>
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
  case Activation::GELU:
    tile("one", "1.0");
    tile("halve", "0.5");
    tile("root", "0.707106769");
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
  if (needsHeight())
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
  if ((isStacked() && needsColumns()) || (isGrouped() && o.bias))
    w.text(R"(
%z32 = arith.index_cast %z : index to i32
%Z = titan.splat %z32 : i32 -> !where)");
  std::string value = activation(term("panel", "J", ""));
  if (o.gate) {
    w.text("%panelUp = titan.panel %result[%jUp] : !sums -> !panel");
    if (o.bias)
      w.text("%JUp = arith.addi %J, %widths : !where");
    w.set("other", term("panelUp", "JUp", "Up"));
    w.set("value", value);
    w.text("%gated = arith.mulf %$value, %$other : !panel");
    value = "gated";
  }
  if (o.output != Element::F32) {
    w.set("value", value);
    w.text("%rounded = arith.truncf %$value : !panel to !narrow");
    value = "rounded";
  }
  w.set("value", value);
}

/// alpha, beta and bias to a panel of sums, whose entries of bias are those of
/// %$column; `suffix` tells names apart. The name of what comes out.
std::string GemmText::term(std::string value, const char *column,
                           const char *suffix) {
  w.set("suffix", suffix);
  w.set("entry", column);
  auto next = [&](const char *name, std::string_view block) {
    w.set("value", value);
    w.text(block);
    value = w.fill(std::string(name) + "$suffix");
  };
  if (o.alpha)
    next("scaled", "%scaled$suffix = arith.mulf %$value, %factor : !panel");
  if (o.beta) {
    w.set("stored", o.output == Element::F32 ? "old" : "stored");
    w.set("storedType", o.output == Element::F32 ? "!panel" : "!narrow");
    w.text(R"(
%$stored = titan.global.load %C[$Z%I, %J] mask(%inside : !mask) : !result, $typeZ!where, !where -> $storedType)");
    if (o.output != Element::F32)
      w.text("%old = arith.extf %stored : !narrow to !panel");
    next("blended", R"(
%part = arith.mulf %old, %share : !panel
%blended = arith.addf %$value, %part : !panel)");
  }
  if (o.bias)
    next("biased", R"(
%added$suffix = titan.global.load %bias[$ZB%$entry] mask(%before : !mask) : !vector, $typeZB!where -> !panel
%biased$suffix = arith.addf %$value, %added$suffix : !panel)");
  return value;
}

std::string GemmText::activation(std::string value) {
  w.set("value", value);
  switch (o.activation) {
  case Activation::None:
    return value;
  case Activation::ReLU:
    w.text("%active = arith.maximumf %$value, %zeros : !panel");
    break;
  case Activation::GELU:
    w.text(R"(
// x / 2 * (1 + erf(x / sqrt(2)))
%inner = arith.mulf %$value, %roots : !panel
%erf = math.erf %inner : !panel
%gate = arith.addf %erf, %ones : !panel
%half = arith.mulf %$value, %halves : !panel
%active = arith.mulf %half, %gate : !panel)");
    break;
  case Activation::GELUTanh:
    w.text(R"(
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
    w.text(R"(
// x / (1 + exp(-x))
%negative = arith.mulf %$value, %negations : !panel
%power = math.exp %negative : !panel
%below1 = arith.addf %power, %ones : !panel
%active = arith.divf %$value, %below1 : !panel)");
    break;
  }
  return "active";
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
  w.set("all", o.columnsOut() / o.panelWidth());
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
    if (o.gate)
      w.text("%jUp = arith.addi %j, %c$panels : index");
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
  w.set("panels", o.columnsOut() / o.panelWidth() / o.split);
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
titan.global.store %$value, %D[$Z%I, %J] mask(%inside : !mask) : $values, !result, $typeZ!where, !where
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
titan.tma.store %buffer, %$mapOfD[$z%$rowD, %at] : !tileD, !mapD
%bulk = titan.bulk.commit : !bulk
titan.yield %bulk : !bulk
}
scf.yield $shifted : $tokens
} {titan.unroll})");
}
