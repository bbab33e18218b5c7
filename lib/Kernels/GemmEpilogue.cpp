//===- GemmEpilogue.cpp - what a GEMM does with a tile's sums -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "GemmText.h"
#include "titan/Kernels/Polynomials.h"

#include <numbers>

using namespace titan::kernels;

/// From here on the text is that of these panels.
void GemmText::setPanels(const GemmPanels &panels) {
  std::string tail =
      panels.first ? std::to_string(panels.width) : std::string();
  w.set("tail", tail);
  w.set("width", panels.width);
  w.set("typeZ", isStacked() ? "!where" + tail + ", " : "");
  w.set("typeZB", o.batch != Batch::None ? "!where" + tail + ", " : "");
}

void GemmText::epilogueTypes() {
  w.set("buffers", o.panelBuffers());
  if (cuts())
    w.text("!places = tensor<${rows}x${columns}xi32, #acc>");
  w.set("one", isStacked() ? "1x" : "");
  if (o.bias)
    w.text("!vector = !titan.global<${manyB}?xf32>");
  const std::vector<GemmPanels> all = o.panels();
  if (all.size() > 1) {
    w.set("wide", all.front().count * all.front().width);
    w.text("!wide   = tensor<${rows}x${wide}xf32, #acc>");
  }
  for (const GemmPanels &panels : all) {
    setPanels(panels);
    w.set("swizzle", panels.width * bytesOf(o.output));
    w.text("!panel$tail  = tensor<${rows}x${width}xf32, #acc>");
    if (o.output != Element::F32)
      w.text("!narrow$tail = tensor<${rows}x${width}x$out, #acc>");
    if (needsColumns())
      w.text(R"(
!where$tail  = tensor<${rows}x${width}xi32, #acc>
!mask$tail   = tensor<${rows}x${width}xi1, #acc>)");
    if (masksStores())
      continue;
    w.set("shape", w.fill("${rows}x${width}"));
    w.set("box", w.fill("$shape"));
    if (o.turnsPanels()) {
      w.set("swizzle", 128);
      w.set("shape", w.fill("${width}x${rows}"));
      w.set("box", w.fill("${width}x") + std::to_string(o.rows() / boxesOfD()));
      // The accumulators' layout (PTX ISA, wgmma's D), rows and columns exchanged.
      int64_t each = 64 * o.warpgroupsPerTile();
      auto digit = [](int64_t count, const char *axis, int64_t stride) {
        return count > 1 ? ", " + std::to_string(count) + "*" + axis +
                               std::to_string(stride)
                         : std::string();
      };
      w.set("blocks", digit(panels.width / 8, "r", 8));
      w.set("again", digit(o.rows() / each, "c", each));
      w.set("partWarps", 4 * o.warpgroupsPerTile());
      w.text(R"(
#turned$tail = #titan.layout<"reg: 2*r1, 2*c8$blocks$again; lane: 4*r2, 8*c1; warp: $partWarps*c16">
!turned$tail = tensor<${shape}x$out, #turned$tail>)");
      if (boxesOfD() > 1)
        w.text("!partD$tail  = !titan.shared<${box}x$out, swizzle = 128>");
    }
    w.text("!mapD$tail   = !titan.tensor_map<${one}${box}x$out, "
           "swizzle = $swizzle>");
    if (!panels.first)
      w.text("!ringD  = !titan.shared<${shape}x$out, swizzle = "
             "$swizzle, slots = $buffers>");
    w.text("!tileD$tail  = !titan.shared<${shape}x$out, swizzle = "
           "$swizzle>");
  }
  if (!masksStores())
    w.text("!bulk   = !titan.token<bulk>");
}

/// -2 sqrt(2 / pi) / ln 2: gelu-tanh's power of two at 0 hangs on x so.
constexpr float geluSlope = -2 * std::numbers::sqrt2_v<float> *
                            std::numbers::inv_sqrtpi_v<float> *
                            std::numbers::log2e_v<float>;

/// What is the same for all tiles.
void GemmText::epilogueSetup() {
  if (!masksStores())
    w.text("%noStore = titan.token.none : !bulk");
  std::vector<std::pair<std::string, std::string>> numbers;
  switch (o.activation) {
  case Activation::None:
    break;
  case Activation::ReLU:
    numbers = {{"zero", "0.0"}};
    break;
  case Activation::GELU:
    numbers = {{"zero", "0.0"}, {"far", toLiteral(geluFarthest)}};
    for (size_t power = 0; power < geluTail.size(); ++power)
      numbers.push_back(
          {"tail" + std::to_string(power), toLiteral(geluTail[power])});
    break;
  case Activation::GELUTanh:
    numbers = {{"one", "1.0"},
               {"slope", toLiteral(geluSlope)},
               {"bend", toLiteral(0.044715f * geluSlope)}};
    break;
  case Activation::SiLU:
    numbers = {{"one", "1.0"},
               {"slope", toLiteral(-std::numbers::log2e_v<float>)}};
    break;
  }
  for (const auto &[name, value] : numbers) {
    w.set("name", name);
    w.set("value", value);
    w.text("%$name = arith.constant $value : f32");
  }
  if (needsHeight())
    w.text("%height32 = arith.index_cast %height : index to i32");
  if (needsColumns())
    w.text("%width32 = arith.index_cast %width : index to i32");
  if (cuts())
    w.text(R"(
%rowIn = titan.coordinate 0 : !places
%columnIn = titan.coordinate 1 : !places)");
  for (const GemmPanels &panels : o.panels()) {
    setPanels(panels);
    if (o.alpha)
      w.text("%factor$tail = titan.splat %alpha : f32 -> !panel$tail");
    if (o.beta)
      w.text("%share$tail = titan.splat %beta : f32 -> !panel$tail");
    for (const auto &[name, value] : numbers) {
      if (name == "slope" && beginsPanelsInTurn())
        continue;
      w.set("name", name);
      w.text("%${name}s$tail = titan.splat %$name : f32 -> !panel$tail");
    }
    if (needsHeight())
      w.text("%heights$tail = titan.splat %height32 : i32 -> !where$tail");
    if (needsColumns())
      w.text("%widths$tail = titan.splat %width32 : i32 -> !where$tail");
  }
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
%corner$tile = titan.splat %base$tile : i32 -> !where$tail
%own$tile = titan.coordinate $dimension : !where$tail
%$tile = arith.addi %corner$tile, %own$tile : !where$tail)");
  };
  if (needsRows()) {
    index("I", o.swap ? "at" : "m", o.swap);
    w.text("%above = arith.cmpi slt, %I, %heights$tail : !where$tail");
  }
  if (needsColumns()) {
    index("J", o.swap ? "n" : "at", !o.swap);
    w.text("%before = arith.cmpi slt, %J, %widths$tail : !where$tail");
  }
  if (needsRows())
    w.text("%inside = arith.andi %above, %before : !mask$tail");
  if ((isStacked() && needsColumns()) || (isGrouped() && o.bias))
    w.text(R"(
%z32 = arith.index_cast %z : index to i32
%Z = titan.splat %z32 : i32 -> !where$tail)");
  std::string value = activation(term("panel", "J", ""));
  if (o.gate) {
    w.text("%panelUp = titan.panel %$sums[%jUp] : !sums -> !panel$tail");
    if (o.bias)
      w.text("%JUp = arith.addi %J, %widths$tail : !where$tail");
    w.set("other", term("panelUp", "JUp", "Up"));
    w.set("value", value);
    w.text("%gated = arith.mulf %$value, %$other : !panel$tail");
    value = "gated";
  }
  if (o.output != Element::F32) {
    w.set("value", value);
    w.text("%rounded = arith.truncf %$value : !panel$tail to !narrow$tail");
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
    next("scaled",
         "%scaled$suffix = arith.mulf %$value, %factor$tail : !panel$tail");
  if (o.beta) {
    w.set("stored", o.output == Element::F32 ? "old" : "stored");
    w.set("storedType",
          w.fill(o.output == Element::F32 ? "!panel$tail" : "!narrow$tail"));
    w.text(R"(
%$stored = titan.global.load %C[$Z%I, %J] mask(%inside : !mask$tail) : !result, $typeZ!where$tail, !where$tail -> $storedType)");
    if (o.output != Element::F32)
      w.text("%old = arith.extf %stored : !narrow$tail to !panel$tail");
    next("blended", R"(
%part = arith.mulf %old, %share$tail : !panel$tail
%blended = arith.addf %$value, %part : !panel$tail)");
  }
  if (o.bias)
    next("biased", R"(
%added$suffix = titan.global.load %bias[$ZB%$entry] mask(%before : !mask$tail) : !vector, $typeZB!where$tail -> !panel$tail
%biased$suffix = arith.addf %$value, %added$suffix : !panel$tail)");
  return value;
}

std::string GemmText::activation(std::string value) {
  w.set("value", value);
  switch (o.activation) {
  case Activation::None:
    return value;
  case Activation::ReLU:
    w.text("%active = arith.maximumf %$value, %zeros$tail : !panel$tail");
    break;
  case Activation::GELU:
    w.text(R"(
// x * Phi(x) = max(x, 0) - t * Phi(-t), of t = |x|; log2 Phi(-t) by a polynomial.
%size = math.absf %$value : !panel$tail
%t = arith.minimumf %size, %fars$tail : !panel$tail)");
    for (int64_t power = geluTail.size() - 2; power >= 0; --power) {
      bool isFirst = power + 2 == int64_t(geluTail.size());
      w.set("power", power);
      w.set("sum", (isFirst ? "tail" : "log") + std::to_string(power + 1) +
                       w.fill(isFirst ? "s$tail" : ""));
      w.text(
          "%log$power = math.fma %$sum, %t, %tail${power}s$tail : !panel$tail");
    }
    w.text(R"(
%phi = math.exp2 %log0 fastmath<afn> : !panel$tail
%less = arith.negf %t : !panel$tail
%positive = arith.maximumf %$value, %zeros$tail : !panel$tail
%active = math.fma %less, %phi, %positive : !panel$tail)");
    break;
  case Activation::GELUTanh:
    w.set("slopes", w.fill("slopes$tail"));
    if (beginsPanelsInTurn()) {
      w.set("slopes", "slopesHere");
      w.set("register", "$0");
      w.set("constant", "$1");
      w.text(R"(
// ptxas would begin with all panels' arithmetic at once, which takes more registers than
// there are. So each panel has the slope from where it stands: which lanes are active there
// nobody knows before, and the smaller one of that and 0 is 0.
%slopeHere = titan.inline_ptx "{ .reg .b32 lanes, zero; activemask.b32 lanes; min.u32 zero, lanes, 0; or.b32 $register, $constant, zero; }"(%slope, %j) pure reference(@${kernel}_same) : (f32, index) -> f32
%slopesHere = titan.splat %slopeHere : f32 -> !panel$tail)");
    }
    w.text(R"(
// x / 2 * (1 + tanh(y)) = x / (1 + 2^(-2 y / ln 2)), of y = sqrt(2 / pi) * (x + 0.044715 * x^3)
%square = arith.mulf %$value, %$value : !panel$tail
%lever = math.fma %square, %bends$tail, %$slopes : !panel$tail
%inner = arith.mulf %$value, %lever : !panel$tail
%power = math.exp2 %inner fastmath<afn> : !panel$tail
%below1 = arith.addf %power, %ones$tail : !panel$tail
%active = arith.divf %$value, %below1 fastmath<afn,arcp> : !panel$tail)");
    break;
  case Activation::SiLU:
    w.text(R"(
// x / (1 + 2^(-x / ln 2))
%negative = arith.mulf %$value, %slopes$tail : !panel$tail
%power = math.exp2 %negative fastmath<afn> : !panel$tail
%below1 = arith.addf %power, %ones$tail : !panel$tail
%active = arith.divf %$value, %below1 fastmath<afn,arcp> : !panel$tail)");
    break;
  }
  return "active";
}

/// What the text of PTX in activation() computes; each panel has another %j, so that no
/// two are one.
void GemmText::sameFunction() {
  w.text(R"(
func.func private @${kernel}_same(%x: f32, %panel: index) -> f32 {
return %x : f32
})");
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

/// Where the tile's end is here its epilogue comes next, behind what lower CTAs have
/// of its sums: %summed has that of their pages, too, each read as a whole, so that
/// all of it is on its way at once.
void GemmText::awaitParts(const GemmConsumer &consumer) {
  w.set("self", o.cluster() > 1 ? "cta" : "first");
  if (consumer.lends()) {
    w.set("ends", masksStores() ? "" : "%lastStore = ");
    w.set("stores", masksStores() ? "" : " -> (!bulk)");
    w.text(R"(
%stop = arith.addi %skipped, %count : index
%endsHere = arith.cmpi eq, %stop, %steps : index
${ends}scf.if %endsHere$stores {)");
  }
  w.text(R"(
%helped = arith.cmpi ne, %skipped, %c0 : index
%lowest = scf.if %helped -> (index) {
// Step s of the line is CTA c's, c * line / ctas <= s.
%tileBegin = arith.subi %shareBegin, %skipped : index
%nextStep = arith.addi %tileBegin, %c1 : index
%scaled = arith.muli %nextStep, %ctas : index
%below1 = arith.subi %scaled, %c1 : index
%begunBy = arith.divui %below1, %line : index
%helpers = arith.subi %first, %begunBy : index
%helpers32 = arith.index_cast %helpers : index to i32
%back = arith.subi %i0, %helpers32 : i32
// One thread sees that all are there; the barrier hands it on. The flag is left as
// it was found.
titan.elect warp(0) {
titan.flag.wait %flags[%$self], %helpers32 {titan.trusted = #back} : !flags
titan.flag.signal %flags[%$self], %back : !flags
}
titan.barrier.sync $barrier threads($threads)
scf.yield %begunBy : index
} else {
scf.yield %first : index
}
%summed = scf.for %helper = %lowest to %first step %c1 iter_args(%some = %result) -> (!sums) {)");
  if (o.cluster() > 1)
    w.text(R"(
%helping0 = arith.muli %helper, %c$cluster : index
%helping = arith.addi %helping0, %rank : index)");
  w.set("helping", o.cluster() > 1 ? "helping" : "helper");
  w.text(R"(
%helper32 = arith.index_cast %$helping : index to i32
%page = titan.splat %helper32 : i32 -> !places
%lent = titan.global.load %pages[%page, %rowIn, %columnIn] : !pages, !places, !places, !places -> !sums
%more = arith.addf %some, %lent : !sums
scf.yield %more : !sums
})");
  w.set("sums", "summed");
}

/// Else its sums go to the CTA's page, and whoever has the tile's end counts them.
void GemmText::lendParts() {
  if (!masksStores())
    w.text("scf.yield $newest : !bulk");
  w.text(R"(
} else {
%ownPage = arith.index_cast %$self : index to i32
%page = titan.splat %ownPage : i32 -> !places
titan.global.store %result, %pages[%page, %rowIn, %columnIn] : !sums, !pages, !places, !places, !places)");
  w.set("ender", o.cluster() > 1 ? "endingCluster" : "endedBy");
  w.text(R"(
%missing = arith.subi %steps, %stop : index
%tileEnd = arith.addi %shareEnd, %missing : index
%scaled = arith.muli %tileEnd, %ctas : index
%below1 = arith.subi %scaled, %c1 : index
%$ender = arith.divui %below1, %line : index)");
  if (o.cluster() > 1)
    w.text(R"(
%ofRank0 = arith.muli %endingCluster, %c$cluster : index
%endedBy = arith.addi %ofRank0, %rank : index)");
  w.text(R"(
// All threads have stored before one of them says so.
titan.barrier.sync $barrier threads($threads)
titan.elect warp(0) {
titan.flag.signal %flags[%endedBy], %i1 : !flags
})");
  if (!masksStores()) {
    w.text("scf.yield %pending : !bulk");
    w.set("newest", "%lastStore");
  }
  w.text("}");
}

/// %panel, sums of the columns from %column on: the j-th panel of those that
/// this CTA stores.
void GemmText::panel() {
  if (!splits()) {
    w.text("%column = arith.muli %j, %c$width : index");
    w.text(!w.fill("$tail").empty()
               ? "%panel = titan.extract %$sums [0, $at] : !sums -> !panel$tail"
           : o.panels().size() > 1
               ? "%panel = titan.panel %wide[%j] : !wide -> !panel"
               : "%panel = titan.panel %$sums[%j] : !sums -> !panel");
    if (o.gate)
      w.text("%jUp = arith.addi %j, %c$panels : index");
    return;
  }
  w.text(R"(
%round = arith.muli %j, %c$split : index
%own = arith.addi %round, %rank : index
%column = arith.muli %own, %c$width : index
%mine0 = titan.panel %result[%round] : !sums -> !panel$tail
%places = arith.muli %j, %c$others : index)");
  for (int64_t rank = 1; rank < o.split; ++rank) {
    w.set("rank", rank);
    w.set("before", rank - 1);
    w.text(R"(
%at$rank = arith.addi %round, %c$rank : index
%of$rank = titan.panel %result[%at$rank] : !sums -> !panel$tail
%mine$rank = arith.select %is$rank, %of$rank, %mine$before : !panel$tail)");
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
%part$part = titan.shared.load %place$part : !partX -> !panel$tail
%$next = arith.addf %$sum, %part$part : !panel$tail)");
  }
}

void GemmText::epilogue(const GemmConsumer &consumer) {
  const std::vector<GemmPanels> all = o.panels();
  setPanels(all.front());
  if (splits())
    exchange();
  w.set("panels", all.front().count);
  w.set("values", o.output == Element::F32 ? "!panel" : "!narrow");
  if (masksStores()) {
    // Few elements, not in D's order, or rows that TMA does not store: each goes by
    // itself.
    w.set("axis", o.swap ? "m" : "n");
    w.text(R"(
scf.for %j = %c0 to %c$panels step %c1 {)");
    panel();
    w.text("%at = arith.addi %$axis, %column : index");
    panelValue();
    w.text(R"(
titan.global.store %$value, %D[$Z%I, %J] mask(%inside : !mask) : $values, !result, $typeZ!where, !where
} {titan.unroll})");
    return;
  }
  w.set("matrix", o.output == Element::F32 ? "" : " matrix");
  std::string widths;
  for (const GemmPanels &panels : all) {
    if (!widths.empty())
      widths += panels.first == all.back().first ? " and " : ", ";
    widths +=
        panels.count == 1 && panels.first
            ? "one"
            : std::to_string(panels.count) + (panels.first ? "" : " panels");
    widths += " of " + std::to_string(panels.width) +
              (panels.first ? ""
               : o.swap     ? " rows"
                            : " columns");
  }
  w.set("widths", widths);
  w.set("places", o.panelBuffers() > 1
                      ? std::to_string(o.panelBuffers()) + " buffers"
                      : std::string("one buffer"));
  w.text(R"(
// $widths leave through $places, which the tile before has left.
titan.elect warp(0) {
titan.bulk.wait %pending read : !bulk
})");
  if (all.size() > 1)
    w.text("%wide = titan.extract %$sums [0, 0] : !sums -> !wide");
  std::vector<std::string> stores(o.panelBuffers(), "%noStore");
  for (const GemmPanels &panels : all)
    storePanels(consumer, panels, stores);
  w.set("newest", stores.back());
}

/// Panels of one width. `stores`: of each buffer the last store out of it, the
/// oldest first.
void GemmText::storePanels(const GemmConsumer &consumer,
                           const GemmPanels &panels,
                           std::vector<std::string> &stores) {
  int64_t buffers = o.panelBuffers();
  setPanels(panels);
  w.set("ring", ringOfD(consumer));
  w.set("values",
        w.fill(o.output == Element::F32 ? "!panel$tail" : "!narrow$tail"));
  std::string inits, shifted, tokens;
  for (int64_t i = 0; i < buffers; ++i) {
    std::string comma = i ? ", " : "";
    inits += comma + "%store" + std::to_string(i) + " = " + stores[i];
    shifted += comma + (i + 1 < buffers ? "%store" + std::to_string(i + 1)
                                        : std::string("%store"));
    tokens += comma + "!bulk";
  }
  w.set("inits", inits);
  w.set("shifted", shifted);
  w.set("tokens", tokens);
  std::string name = w.fill("%stores$tail");
  for (int64_t i = 0; i < buffers; ++i)
    stores[i] = buffers > 1 ? name + "#" + std::to_string(i) : name;
  w.set("stores", buffers > 1 ? name + ":" + std::to_string(buffers) : name);
  w.set("at", panels.first * panels.width);
  w.set("firstPanel", panels.first);
  w.set("endPanel", panels.first + panels.count);
  w.text(R"(
$stores = scf.for %j = %c$firstPanel to %c$endPanel step %c1 iter_args($inits) -> ($tokens) {)");
  panel();
  w.set("axis", o.swap ? "m" : "n");
  w.text("%at = arith.addi %$axis, %column : index");
  panelValue();
  if (o.turnsPanels()) {
    w.text("%turned = titan.relabel %$value : $values -> !turned$tail");
    w.set("value", "turned");
    w.set("values", w.fill("!turned$tail"));
  }
  if (panels.first) {
    w.set("buffer", nameOfTail(consumer, panels));
  } else {
    w.set("buffer", "buffer");
    if (buffers > 1)
      w.text(R"(
%turn = arith.remui %j, %c$buffers : index
%buffer = titan.shared.slot %$ring[%turn : index] : !ringD -> !tileD)");
    else
      w.text(
          "%buffer = titan.shared.slot %$ring[%c0 : index] : !ringD -> !tileD");
  }
  w.set("mapOfD", w.fill(editsMap() ? "groupD" : "mapD$tail"));
  w.text(R"(
titan.elect warp(0) {
titan.bulk.wait %store0 read : !bulk
}
titan.barrier.sync $barrier threads($threads)
titan.shared.store %$value, %$buffer$matrix : $values, !tileD$tail
titan.fence.proxy_async shared_cta
titan.barrier.sync $barrier threads($threads)
%store = titan.elect warp(0) -> !bulk {)");
  storePanel();
  w.text(R"(
%bulk = titan.bulk.commit : !bulk
titan.yield %bulk : !bulk
}
scf.yield $shifted : $tokens
} {titan.unroll})");
}

/// From %$buffer to D: one box, or those that lie side by side in a panel of rows.
void GemmText::storePanel() {
  if (!o.turnsPanels()) {
    w.text("titan.tma.store %$buffer, %$mapOfD[$z%$rowD, %at] : !tileD$tail, "
           "!mapD$tail");
    return;
  }
  w.set("row", isGrouped() ? "row" : "at");
  if (isGrouped())
    w.text("%row = arith.addi %$rowD, %column : index");
  if (boxesOfD() == 1) {
    w.text("titan.tma.store %$buffer, %$mapOfD[$z%$row, %n] : !tileD$tail, "
           "!mapD$tail");
    return;
  }
  for (int64_t box = 0; box < boxesOfD(); ++box) {
    w.set("box", box);
    w.set("at", box * (o.rows() / boxesOfD()));
    w.set("columnOfBox", box ? w.fill("n$box") : "n");
    if (box)
      w.text("%n$box = arith.addi %n, %c$at : index");
    w.text(R"(
%box$box = titan.shared.view %$buffer [0, $at] : !tileD$tail -> !partD$tail
titan.tma.store %box$box, %$mapOfD[$z%$row, %$columnOfBox] : !partD$tail, !mapD$tail)");
  }
}

std::string GemmText::ringOfD(const GemmConsumer &consumer) const {
  return consumer.turn < 0 ? "d" : "d" + std::to_string(consumer.turn);
}

/// Of narrower panels each has the beginning of a buffer by a name of its own.
std::string GemmText::nameOfTail(const GemmConsumer &consumer,
                                 const GemmPanels &panels) const {
  return ringOfD(consumer) + "w" + std::to_string(panels.width);
}

/// The buffers that D leaves through.
void GemmText::allocatePanels(const GemmConsumer &consumer) {
  w.set("ring", ringOfD(consumer));
  w.text("%$ring = titan.shared.alloc : !ringD");
  int64_t begun = 0, bytes = o.rows() * o.panelWidth() * bytesOf(o.output);
  for (const GemmPanels &panels : o.panels()) {
    if (panels.first) {
      setPanels(panels);
      w.set("buffer", nameOfTail(consumer, panels));
      int64_t at = begun % o.panelBuffers() * bytes;
      w.set("at", at ? " at(" + std::to_string(at) + ")" : std::string());
      w.text("%$buffer = titan.shared.reuse %$ring$at : !ringD -> !tileD$tail");
    }
    begun += panels.count;
  }
}
