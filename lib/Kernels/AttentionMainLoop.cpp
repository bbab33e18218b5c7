//===- AttentionMainLoop.cpp - attention's types, launch and loops --------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "AttentionText.h"

#include <vector>

using namespace titan::kernels;

static const char *const partitions[] = {"first", "second", "third"};

AttentionText::AttentionText(const AttentionOptions &options) : o(options) {
  int64_t groups = o.warpgroups();
  w.set("kernel", o.name);
  w.set("in", std::string(toString(o.element)));
  w.set("size", o.size);
  w.set("rows", o.rows);
  w.set("keys", o.keys);
  w.set("depth", o.depth());
  w.set("groups", groups);
  w.set("panels", o.keys / 8);
  w.set("blockBytes", o.blockBytes());
  w.set("queryBytes", 64 * o.size * bytesOf(o.element));
  w.set("warps", 4 + 4 * groups);
  w.set("releases", 4 * groups);
  w.set("launchRegisters", groups == 1   ? ""
                           : groups == 2 ? " registers(168)"
                                         : " registers(128)");
  w.set("loadRegisters", groups == 1   ? ""
                         : groups == 2 ? " registers(24)"
                                       : " registers(32)");
  w.set("attendRegisters", groups == 1   ? ""
                           : groups == 2 ? " registers(240)"
                                         : " registers(160)");
}

void AttentionText::types() {
  w.text(R"(
#acc    = #titan.wgmma<1, 1>
#row    = #titan.slice<1, #acc>

!global = !titan.global<?x?x?x${size}x$in>
!mapQ   = !titan.tensor_map<1x64x1x64x$in, swizzle = 128>
!mapKV  = !titan.tensor_map<1x${keys}x1x64x$in, swizzle = 128>
!ringQ  = !titan.shared<64x${size}x$in, swizzle = 128, slots = $groups>
!ringKV = !titan.shared<${keys}x${size}x$in, swizzle = 128, slots = $depth>
!q      = !titan.shared<64x${size}x$in, swizzle = 128>
!kv     = !titan.shared<${keys}x${size}x$in, swizzle = 128>)");
  if (halves() > 1)
    w.text(R"(
!q64    = !titan.shared<64x64x$in, swizzle = 128>
!kv64   = !titan.shared<${keys}x64x$in, swizzle = 128>)");
  w.text(R"(
!bar    = !titan.mbarrier
!bars   = !titan.mbarrier<$depth>
!scores = tensor<64x${keys}xf32, #acc>
!probs  = tensor<64x${keys}x$in, #acc>
!part   = tensor<64x8xf32, #acc>
!row    = tensor<64xf32, #row>
!rowMask = tensor<64xi1, #row>
!out    = tensor<64x${size}xf32, #acc>
!out16  = tensor<64x${size}x$in, #acc>
!where  = tensor<64x${keys}xi32, #acc>
!mask   = tensor<64x${keys}xi1, #acc>
!scoresFlight = !titan.inflight<tensor<64x${keys}xf32, #acc>>
!outFlight = !titan.inflight<tensor<64x${size}xf32, #acc>>
!group  = !titan.token<mma>
!bulk   = !titan.token<bulk>)");
  if (o.lse)
    w.text(R"(
!sums   = !titan.global<?x?x?xf32>
!rowIs  = tensor<64xi32, #row>)");
  w.text("\n\n");
}

void AttentionText::functions() {
  w.text(R"(
// Use n of a ring of $depth is in round n div $depth: even and odd ones alternate.
func.func private @parity(%use: index) -> i32 {
%two = arith.constant 2 : index
%depth = arith.constant $depth : index
%round = arith.divui %use, %depth : index
%odd = arith.remui %round, %two : index
%parity = arith.index_cast %odd : index to i32
return %parity : i32
}

// A barrier without slots: use n is phase n.
func.func private @odd(%use: index) -> i32 {
%two = arith.constant 2 : index
%odd = arith.remui %use, %two : index
%parity = arith.index_cast %odd : index to i32
return %parity : i32
}

// Keys or values from %key on, once the use of the slot before this one is over.
func.func private @fill(%map: !mapKV, %ring: !ringKV, %full: !bars, %empty: !bars, %use: index, %batch: index, %key: index, %head: index) {
%zero = arith.constant 0 : index
%depth = arith.constant $depth : index
%bytes = arith.constant $blockBytes : i32
%stage = arith.remui %use, %depth : index
%next = arith.addi %use, %depth : index
%free = func.call @parity(%next) : (index) -> i32
titan.mbarrier.wait %empty[%stage : index] parity(%free) : !bars
titan.mbarrier.arrive_expect_tx %full[%stage : index], %bytes : !bars
%slot = titan.shared.slot %ring[%stage : index] : !ringKV -> !kv)");
  if (halves() == 1)
    w.text("titan.tma.load %map[%batch, %key, %head, %zero], %slot, "
           "%full[%stage : index] : !mapKV, !kv, !bars");
  else
    w.text(R"(
%half = arith.constant 64 : index
%left = titan.shared.view %slot [0, 0] : !kv -> !kv64
%right = titan.shared.view %slot [0, 64] : !kv -> !kv64
titan.tma.load %map[%batch, %key, %head, %zero], %left, %full[%stage : index] : !mapKV, !kv64, !bars
titan.tma.load %map[%batch, %key, %head, %half], %right, %full[%stage : index] : !mapKV, !kv64, !bars)");
  w.text(R"(
return
}

// What a block's scores weigh: 2^(factor * (score - maximum of the row so far)). Each thread adds up its own; it
// has two columns of eight. And how much less what was added up before weighs now, where %grows says that it does.
func.func private @weights(%scores: !scores, %max: !row, %factor: f32) -> (!probs, !part, !row, !row, i1) {
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%panels = arith.constant $panels : index
%minus = arith.negf %factor : f32
%factors = titan.splat %factor : f32 -> !scores
%rowFactors = titan.splat %factor : f32 -> !row
%rowMinus = titan.splat %minus : f32 -> !row
%panel0 = titan.panel %scores[%c0] : !scores -> !part
%highest = scf.for %j = %c1 to %panels step %c1 iter_args(%sofar = %panel0) -> (!part) {
%panel = titan.panel %scores[%j] : !scores -> !part
%higher = arith.maximumf %sofar, %panel : !part
scf.yield %higher : !part
} {titan.unroll}
%top = titan.reduce max %highest : !part -> !row
%largest = arith.maximumf %max, %top : !row)");
  w.set("max1", "largest");
  if (o.rescale == Rescale::Conditional) {
    w.text(R"(
// As long as no weight of the warp's rows is above 2^8, the maxima stay as they are.
%eight = arith.constant 8.0 : f32
%eights = titan.splat %eight : f32 -> !row
%bound = math.fma %max, %rowFactors, %eights : !row
%reached = arith.mulf %largest, %rowFactors : !row
%grew = arith.cmpf ogt, %reached, %bound : !row
%grows = titan.any %grew : !rowMask
%used = arith.select %grows, %largest, %max : !row)");
    w.set("max1", "used");
  } else {
    w.text(R"(
%grew = arith.cmpf ogt, %largest, %max : !row
%grows = titan.any %grew : !rowMask)");
  }
  if (masksRows())
    w.text(R"(
// A row without any key so far: nothing is subtracted from minus infinity.
%infinity = arith.constant 0xFF800000 : f32
%nothing = arith.constant 0.0 : f32
%infinities = titan.splat %infinity : f32 -> !row
%nothings = titan.splat %nothing : f32 -> !row
%empty = arith.cmpf oeq, %$max1, %infinities : !row
%product = arith.mulf %$max1, %rowMinus : !row
%shift = arith.select %empty, %nothings, %product : !rowMask, !row)");
  else
    w.text("%shift = arith.mulf %$max1, %rowMinus : !row");
  w.text(R"(
%shifts = titan.broadcast %shift : !row -> !scores
%exponents = math.fma %scores, %factors, %shifts : !scores
%weights = math.exp2 %exponents fastmath<afn> : !scores
%sum0 = titan.panel %weights[%c0] : !scores -> !part
%sum = scf.for %j = %c1 to %panels step %c1 iter_args(%sofar = %sum0) -> (!part) {
%panel = titan.panel %weights[%j] : !scores -> !part
%more = arith.addf %sofar, %panel : !part
scf.yield %more : !part
} {titan.unroll}
%drop = math.fma %max, %rowFactors, %shift : !row
%decay = math.exp2 %drop fastmath<afn> : !row
%probs = arith.truncf %weights : !scores to !probs
return %probs, %sum, %$max1, %decay, %grows : !probs, !part, !row, !row, i1
}
)");
}

void AttentionText::launch() {
  w.set("lseArgument", o.lse ? ", %LSE: !sums" : "");
  w.set("windowArgument", o.window ? ", %window: i32" : "");
  w.set("lseValue", o.lse ? ", LSE = \"BxHxN\"" : "");
  w.set("windowValue", o.window ? ", window = 90 : i32" : "");
  w.text(R"(
titan.kernel @$kernel(%Q: !global, %K: !global, %V: !global, %O: !global$lseArgument, %scale: f32$windowArgument) warps($warps)$launchRegisters attributes {
titan.target = "sm_90a",
titan.example = {sizes = {B = 2, H = 2, G = 1, N = 200, S = 390}, multiprocessor_count = 3,
                 Q = "BxNxHx$size random:1", K = "BxSxGx$size random:2", V = "BxSxGx$size random:3",
                 O = "BxNxHx$size"$lseValue, scale = 0.09 : f32$windowValue},
titan.reference = @${kernel}_reference)");
  w.text("} launch {");
  w.beginRegion();
  w.text(R"(
%batches = titan.dim %Q, 0 : !global
%queries = titan.dim %Q, 1 : !global
%heads = titan.dim %Q, 2 : !global
%keys = titan.dim %K, 1 : !global
%headsK = titan.dim %K, 2 : !global)");
  // {tensor, dimension, what it has to be, its words}
  struct Check {
    const char *name, *tensor, *type;
    int64_t dimension;
    const char *value, *words;
  };
  std::vector<Check> checks = {
      {"batchesK", "K", "!global", 0, "batches",
       "Q and K have as many batches"},
      {"batchesV", "V", "!global", 0, "batches",
       "Q and V have as many batches"},
      {"batchesO", "O", "!global", 0, "batches",
       "Q and O have as many batches"},
      {"keysV", "V", "!global", 1, "keys", "V has a row for each key"},
      {"queriesO", "O", "!global", 1, "queries", "O has a row for each query"},
      {"headsV", "V", "!global", 2, "headsK", "K and V have as many heads"},
      {"headsO", "O", "!global", 2, "heads", "Q and O have as many heads"}};
  if (o.lse) {
    checks.push_back({"batchesL", "LSE", "!sums", 0, "batches",
                      "Q and LSE have as many batches"});
    checks.push_back(
        {"headsL", "LSE", "!sums", 1, "heads", "Q and LSE have as many heads"});
    checks.push_back({"queriesL", "LSE", "!sums", 2, "queries",
                      "LSE has an element for each query"});
  }
  for (const Check &check : checks) {
    w.set("name", check.name);
    w.set("tensor", check.tensor);
    w.set("type", check.type);
    w.set("dimension", check.dimension);
    w.set("value", check.value);
    w.set("words", check.words);
    w.text(R"(
%$name = titan.dim %$tensor, $dimension : $type
%is_$name = arith.cmpi eq, %$name, %$value : index
titan.require %is_$name, "launch-check", "$words")");
  }
  w.text(R"(
%some = arith.cmpi uge, %keys, %c1 : index
titan.require %some, "launch-zero-dim", "attention over no keys"
%several = arith.cmpi uge, %headsK, %c1 : index
titan.require %several, "launch-zero-dim", "K and V without heads"
%group = arith.divui %heads, %headsK : index
%served = arith.muli %group, %headsK : index
%is_served = arith.cmpi eq, %served, %heads : index
titan.require %is_served, "launch-check", "each head of K serves as many heads of Q"
%rowBlocks = arith.ceildivui %queries, %c$rows : index
%allHeads = arith.muli %batches, %heads : index
%mapQ = titan.tensor_map %Q : !global -> !mapQ
%mapK = titan.tensor_map %K : !global -> !mapKV
%mapV = titan.tensor_map %V : !global -> !mapKV
%mapO = titan.tensor_map %O : !global -> !mapQ)");
  std::string passed = "%mapQ, %mapK, %mapV, %mapO",
              types = "!mapQ, !mapKV, !mapKV, !mapQ",
              seen = "%mapQ: !mapQ, %mapK: !mapKV, %mapV: !mapKV, %mapO: !mapQ";
  auto pass = [&](const char *name) {
    passed += std::string(", %") + name;
    types += ", index";
    seen += std::string(", %") + name + ": index";
  };
  if (masksRows()) {
    w.text(R"(
// As many heads at a time as have their keys and values in some 32 MB of the L2 cache, bands of one size.
%bytes = arith.muli %keys, %c$headBytes : index
%fit = arith.divui %c33554432, %bytes : index
%one = arith.maxui %fit, %c1 : index
%bands = arith.ceildivui %allHeads, %one : index
%band = arith.ceildivui %allHeads, %bands : index
%banded = arith.muli %bands, %band : index
%tiles = arith.muli %banded, %rowBlocks : index)");
  } else {
    w.text("%tiles = arith.muli %allHeads, %rowBlocks : index");
  }
  if (o.persistent) {
    w.text(R"(
%sms = titan.device_property "multiprocessor_count"
%grid = arith.minui %tiles, %sms : index)");
    pass("tiles");
  } else {
    w.text("%grid = arith.addi %tiles, %c0 : index");
  }
  if (masksRows()) {
    pass("allHeads");
    pass("band");
  }
  if (o.window) {
    w.text(R"(
%no = arith.constant 0 : i32
%ahead = arith.cmpi sge, %window, %no : i32
titan.require %ahead, "launch-check", "a window of no negative number of keys"
%windowKeys = arith.index_cast %window : i32 to index
%span = arith.minui %windowKeys, %keys : index)");
    pass("span");
  }
  pass("rowBlocks");
  pass("heads");
  pass("group");
  if (!masksRows()) {
    w.text("%blocks = arith.ceildivui %keys, %c$keys : index");
    pass("blocks");
  }
  if (o.lse || masksRows())
    pass("queries");
  pass("keys");
  w.set("passed", passed);
  w.set("passedTypes", types);
  w.set("seen", seen);
  w.text("titan.launch grid(%grid) with($passed : $passedTypes)");
  w.declare();
  w.text("} body($seen) {");
}

/// Of %tile: %batch, %head, %headK, %row; with a mask the tile's %blocks and
/// %newest, the block that is the first to be worked on.
void AttentionText::coordinates() {
  if (masksRows())
    w.text(R"(
// The heads of a band, then its rows, the longest first, then the next band; of the last band heads may not be there.
%across = arith.remui %tile, %band : index
%bandTile = arith.divui %tile, %band : index
%up = arith.remui %bandTile, %rowBlocks : index
%bandIs = arith.divui %bandTile, %rowBlocks : index
%skipped = arith.muli %bandIs, %band : index
%any = arith.addi %skipped, %across : index
%lastRows = arith.subi %rowBlocks, %c1 : index
%down = arith.subi %lastRows, %up : index)");
  else
    w.text(R"(
%any = arith.divui %tile, %rowBlocks : index
%down = arith.remui %tile, %rowBlocks : index)");
  w.text(R"(
%batch = arith.divui %any, %heads : index
%head = arith.remui %any, %heads : index
%headK = arith.divui %head, %group : index
%row = arith.muli %down, %c$rows : index)");
  if (!masksRows()) {
    w.text("%newest = arith.subi %blocks, %c1 : index");
    return;
  }
  w.text(R"(
// The rows of the tile see the keys from %begin up to %end.)");
  if (o.causal)
    w.text(R"(
%below = arith.addi %row, %c$rows : index
%moved = arith.addi %below, %keys : index
%least = arith.addi %queries, %c1 : index
%atLeast = arith.maxui %moved, %least : index
%reach = arith.subi %atLeast, %queries : index
%there = arith.minui %reach, %keys : index)");
  else
    w.text("%there = arith.addi %keys, %c0 : index");
  // Of a head that is not there one block is worked on, and nothing written.
  w.text(R"(
%behind = arith.subi %allHeads, %any : index
%isHead = arith.maxsi %behind, %c0 : index
%keysOfHead = arith.muli %isHead, %there : index
%least1 = arith.maxsi %keysOfHead, %c1 : index
%end = arith.minui %there, %least1 : index
%allBlocks = arith.ceildivui %end, %c$keys : index)");
  w.text("%newest = arith.subi %allBlocks, %c1 : index");
  if (o.window)
    w.text(R"(
%diagonal = arith.addi %row, %keys : index
%before = arith.addi %queries, %span : index
%inside = arith.maxui %diagonal, %before : index
%begin = arith.subi %inside, %before : index
%wanted = arith.divui %begin, %c$keys : index
%oldest = arith.minui %wanted, %newest : index
%blocks = arith.subi %allBlocks, %oldest : index)");
  else
    w.text("%blocks = arith.addi %allBlocks, %c0 : index");
}

/// %base, the blocks of the CTA's tiles so far.
void AttentionText::blocksBefore() {
  if (!o.persistent)
    w.text("%base = arith.constant 0 : index");
  else if (!countsBlocks())
    w.text("%base = arith.muli %i, %blocks : index");
}

void AttentionText::load() {
  w.text(R"(
titan.partition "load" warps(1)$loadRegisters {
titan.elect {)");
  if (countsBlocks())
    w.text("%tilesDone:2 = scf.for %tile = %first to %tiles step %ctas "
           "iter_args(%i = %c0, %base = %c0) -> (index, index) {");
  else if (o.persistent)
    w.text("%tilesDone = scf.for %tile = %first to %tiles step %ctas "
           "iter_args(%i = %c0) -> (index) {");
  else
    w.text("%i = arith.constant 0 : index");
  coordinates();
  blocksBefore();
  if (o.persistent)
    w.text(R"(
%nextTile = arith.addi %i, %c1 : index
%odd = arith.remui %nextTile, %c2 : index
%free = arith.index_cast %odd : index to i32)");
  for (int64_t group = 0; group < o.warpgroups(); ++group) {
    w.set("g", group);
    w.set("down", 64 * group);
    if (o.persistent)
      w.text("titan.mbarrier.wait %emptyQ$g parity(%free) : !bar");
    w.text(R"(
%row$g = arith.addi %row, %c$down : index
%q$g = titan.shared.slot %q[%c$g : index] : !ringQ -> !q
titan.mbarrier.arrive_expect_tx %fullQ$g, %i$queryBytes : !bar)");
    if (halves() == 1)
      w.text("titan.tma.load %mapQ[%batch, %row$g, %head, %c0], %q$g, "
             "%fullQ$g : !mapQ, !q, !bar");
    else
      w.text(R"(
%left$g = titan.shared.view %q$g [0, 0] : !q -> !q64
%right$g = titan.shared.view %q$g [0, 64] : !q -> !q64
titan.tma.load %mapQ[%batch, %row$g, %head, %c0], %left$g, %fullQ$g : !mapQ, !q64, !bar
titan.tma.load %mapQ[%batch, %row$g, %head, %c64], %right$g, %fullQ$g : !mapQ, !q64, !bar)");
  }
  w.text(R"(
scf.for %j = %c0 to %blocks step %c1 {
%use = arith.addi %base, %j : index
%block = arith.subi %newest, %j : index
%key = arith.muli %block, %c$keys : index
func.call @fill(%mapK, %k, %fullK, %emptyK, %use, %batch, %key, %headK) : (!mapKV, !ringKV, !bars, !bars, index, index, index, index) -> ()
func.call @fill(%mapV, %v, %fullV, %emptyV, %use, %batch, %key, %headK) : (!mapKV, !ringKV, !bars, !bars, index, index, index, index) -> ()
})");
  if (countsBlocks())
    w.text(R"(
%nextBase = arith.addi %base, %blocks : index
scf.yield %nextTile, %nextBase : index, index
})");
  else if (o.persistent)
    w.text(R"(
scf.yield %nextTile : index
})");
  w.text(R"(
}
})");
}

/// A slot is empty as far as this warp is concerned.
void AttentionText::release(const char *ring, const char *stage) {
  w.set("ring", ring);
  w.set("at", stage);
  w.text(R"(
titan.elect {
titan.mbarrier.arrive %empty$ring[%$at : index] : !bars
})");
}

/// All products of this turn are issued.
void AttentionText::passTurn() {
  w.text(R"(
titan.elect {
titan.mbarrier.arrive %turn$next : !bar
})");
}

/// From %raw, the scores of a block from %key on, to %t: what the row does not
/// see weighs nothing.
void AttentionText::mask(bool first) {
  w.set("s", first ? "0" : "");
  if (!masksRows()) {
    // The last block alone may have keys that there are not.
    if (!first) {
      w.set("masked", "raw");
      return;
    }
    w.set("masked", "seen0");
    w.text(R"(
// Keys past the end weigh nothing.
%rest = arith.subi %keys, %key0 : index
%rest32 = arith.index_cast %rest : index to i32
%limits = titan.splat %rest32 : i32 -> !where
%present = arith.cmpi slt, %column, %limits : !where
%seen0 = arith.select %present, %raw0, %infinity : !mask, !scores)");
    return;
  }
  w.set("masked", first ? "seen0" : "seen");
  // Row r of the warpgroup sees a column c from low + r up to high + r, and
  // those that there are.
  w.text(R"(
%blockEnd$s = arith.addi %key$s, %c$keys : index)");
  std::string conditions;
  auto need = [&](const char *name) {
    if (conditions.empty()) {
      conditions = name;
      return;
    }
    w.set("one", conditions);
    w.set("other", name);
    conditions = std::string("or") + name;
    w.text("%or$other$s = arith.ori %$one$s, %$other$s : i1");
  };
  w.text("%ragged$s = arith.cmpi ugt, %blockEnd$s, %keys : index");
  need("ragged");
  if (o.causal) {
    w.text(R"(
%ends$s = arith.addi %blockEnd$s, %queries : index
%above$s = arith.cmpi ugt, %ends$s, %sees : index)");
    need("above");
  }
  if (o.window) {
    w.text(R"(
%begins$s = arith.addi %key$s, %beforeAll : index
%outside$s = arith.cmpi ult, %begins$s, %lastDiagonal : index)");
    need("outside");
  }
  w.set("condition", conditions);
  w.text(R"(
%seen$s = scf.if %$condition$s -> (!scores) {
%rest = arith.subi %keys, %key$s : index
%rest32 = arith.index_cast %rest : index to i32
%limits = titan.splat %rest32 : i32 -> !where
%present = arith.cmpi slt, %column, %limits : !where)");
  std::string visible = "present";
  auto both = [&](const char *name) {
    w.set("one", visible);
    w.set("other", name);
    visible = std::string("and") + name;
    w.text("%and$other = arith.andi %$one, %$other : !mask");
  };
  w.text(R"(
// The diagonal, in columns of this block: row r sees column r + %ahead.
%ahead = arith.subi %rowsAhead, %key$s : index
%ahead32 = arith.index_cast %ahead : index to i32
%aheads = titan.splat %ahead32 : i32 -> !where
%diagonals = arith.addi %rowIs, %aheads : !where)");
  if (o.causal) {
    w.text("%past = arith.cmpi sle, %column, %diagonals : !where");
    both("past");
  }
  if (o.window) {
    w.text(R"(
%window32 = arith.index_cast %span : index to i32
%windows = titan.splat %window32 : i32 -> !where
%ownEnd = arith.addi %column, %windows : !where
%near = arith.cmpi sge, %ownEnd, %diagonals : !where)");
    both("near");
  }
  w.set("visible", visible);
  w.text(R"(
%some = arith.select %$visible, %raw$s, %infinity : !mask, !scores
scf.yield %some : !scores
} else {
scf.yield %raw$s : !scores
})");
}

void AttentionText::attend(int64_t group) {
  int64_t groups = o.warpgroups();
  w.set("partition", partitions[group]);
  w.set("g", group);
  w.set("inside", 1 + group);
  w.text(R"(
titan.partition "$partition" warps(4)$attendRegisters {
%noScores = titan.inflight.none : !scoresFlight
%noSums = titan.inflight.none : !outFlight)");
  if (o.persistent && o.ownOutput())
    w.text("%noStore = titan.token.none : !bulk");
  w.text(R"(
// The weights are powers of two.
%log2e = arith.constant 1.44269504 : f32
%factor = arith.mulf %scale, %log2e : f32
%minus = arith.constant 0xFF800000 : f32
%infinity = titan.splat %minus : f32 -> !scores
%none = titan.splat %minus : f32 -> !row
%column = titan.coordinate 1 : !where
%qg = titan.shared.slot %q[%c$g : index] : !ringQ -> !q)");
  if (masksRows())
    w.text("%rowIs = titan.coordinate 0 : !where");
  bool carriesStore = o.persistent && o.ownOutput();
  if (o.persistent) {
    int count = 1 + countsBlocks() + carriesStore;
    w.set("ends", count > 1 ? "%done:" + std::to_string(count) : "%done");
    w.set("inits", std::string("%i = %c0") +
                       (countsBlocks() ? ", %base = %c0" : "") +
                       (carriesStore ? ", %pending = %noStore" : ""));
    w.set("carried", std::string("index") + (countsBlocks() ? ", index" : "") +
                         (carriesStore ? ", !bulk" : ""));
    w.text("$ends = scf.for %tile = %first to %tiles step %ctas "
           "iter_args($inits) -> ($carried) {");
  } else {
    w.text("%i = arith.constant 0 : index");
  }
  coordinates();
  w.set("down", 64 * group);
  w.text(R"(
%rowg = arith.addi %row, %c$down : index
%key0 = arith.muli %newest, %c$keys : index)");
  if (masksRows())
    w.text(R"(
// What the first row sees, and what the last one does not see any more.
%rowKeys = arith.addi %rowg, %keys : index
%sees = arith.addi %rowKeys, %c1 : index
%rowsAhead = arith.subi %rowKeys, %queries : index)");
  if (o.window)
    w.text(R"(
%beforeAll = arith.addi %queries, %span : index
%lastDiagonal = arith.addi %rowKeys, %c63 : index)");
  blocksBefore();
  w.text(R"(
%stage0 = arith.remui %base, %c$depth : index
%parity0 = func.call @parity(%base) : (index) -> i32
%oddTile = arith.remui %i, %c2 : index
%parityQ = arith.index_cast %oddTile : index to i32

// Block 0: Q K^T alone.
titan.mbarrier.wait %fullQ$g parity(%parityQ) : !bar
titan.mbarrier.wait %fullK[%stage0 : index] parity(%parity0) : !bars)");
  bool turns = *o.turns;
  w.set("ahead", group == 0 ? 2 : 1);
  w.set("next", (group + 1) % groups);
  if (turns)
    w.text(group == 0 ? R"(
// Its turn at the tensor cores; the first one is free.
%turnUse0 = arith.addi %base, %c1 : index
%turn0use = func.call @odd(%turnUse0) : (index) -> i32
titan.mbarrier.wait %turn0 parity(%turn0use) : !bar)"
                      : R"(
// Its turn at the tensor cores.
%turn0use = func.call @odd(%base) : (index) -> i32
titan.mbarrier.wait %turn$g parity(%turn0use) : !bar)");
  w.text(R"(
%k0 = titan.shared.slot %k[%stage0 : index] : !ringKV -> !kv
titan.mma.fence
%s0 = titan.mma %qg, %k0, %noScores : !q, !kv, !scoresFlight -> !scoresFlight
%g0 = titan.mma.commit : !group)");
  if (turns)
    passTurn();
  w.text("%raw0 = titan.mma.result %s0 after(%g0 : !group) : !scoresFlight -> "
         "!scores");
  release("K", "stage0");
  mask(true);
  w.text(R"(
%probs0, %sum0, %max0, %decay0, %grows0 = func.call @weights(%$masked, %none, %factor) : (!scores, !row, f32) -> (!probs, !part, !row, !row, i1)
%back = arith.subi %blocks, %c1 : index

%r:4 = scf.for %j = %c1 to %blocks step %c1
    iter_args(%probs = %probs0, %max = %max0, %sum = %sum0, %acc = %noSums) -> (!probs, !row, !part, !outFlight) {
%use = arith.addi %base, %j : index
%useV = arith.subi %use, %c1 : index
%stage = arith.remui %use, %c$depth : index
%stageV = arith.remui %useV, %c$depth : index
%parity = func.call @parity(%use) : (index) -> i32
%parityV = func.call @parity(%useV) : (index) -> i32
titan.mbarrier.wait %fullK[%stage : index] parity(%parity) : !bars)");
  if (turns)
    w.text(group == 0 ? R"(
%turnUse = arith.addi %use, %c1 : index
%turn = func.call @odd(%turnUse) : (index) -> i32
titan.mbarrier.wait %turn0 parity(%turn) : !bar)"
                      : R"(
%turn = func.call @odd(%use) : (index) -> i32
titan.mbarrier.wait %turn$g parity(%turn) : !bar)");
  w.text(R"(
%kj = titan.shared.slot %k[%stage : index] : !ringKV -> !kv
titan.mma.fence
%s = titan.mma %qg, %kj, %noScores : !q, !kv, !scoresFlight -> !scoresFlight
%gs = titan.mma.commit : !group
titan.mbarrier.wait %fullV[%stageV : index] parity(%parityV) : !bars
%vj = titan.shared.slot %v[%stageV : index] : !ringKV -> !kv
%more = arith.cmpi ne, %j, %c1 : index
titan.mma.fence
%acc1 = titan.mma %probs, %vj transpose_b, %acc accumulate(%more) : !probs, !kv, !outFlight -> !outFlight
%go = titan.mma.commit : !group)");
  if (turns)
    passTurn();
  w.text(R"(
// The product of the block before goes on under the weights of this one.
%raw = titan.mma.result %s after(%gs : !group) : !scoresFlight -> !scores)");
  release("K", "stage");
  if (masksRows())
    w.text(R"(
%block = arith.subi %newest, %j : index
%key = arith.muli %block, %c$keys : index)");
  mask(false);
  w.text(R"(
%probs1, %here, %max1, %decay, %grows = func.call @weights(%$masked, %max, %factor) : (!scores, !row, f32) -> (!probs, !part, !row, !row, i1)
%partDecay = titan.broadcast %decay : !row -> !part
%kept = arith.mulf %sum, %partDecay : !part
%sum1 = arith.addf %kept, %here : !part

%o = titan.mma.result %acc1 after(%go : !group) : !outFlight -> !out)");
  release("V", "stageV");
  w.text(R"(
%o1 = scf.if %grows -> (!out) {
%decays = titan.broadcast %decay : !row -> !out
%less = arith.mulf %o, %decays : !out
scf.yield %less : !out
} else {
scf.yield %o : !out
}
%acc2 = titan.inflight.start %o1 : !out -> !outFlight
scf.yield %probs1, %max1, %sum1, %acc2 : !probs, !row, !part, !outFlight
}
)");
  bool early = o.persistent && o.ownOutput();
  if (early)
    w.text(R"(
// Q has been read.
titan.elect {
titan.mbarrier.arrive %emptyQ$g : !bar
})");
  w.text(R"(
// The product of the last block.
%lastUse = arith.addi %base, %back : index
%lastStage = arith.remui %lastUse, %c$depth : index
%lastParity = func.call @parity(%lastUse) : (index) -> i32
titan.mbarrier.wait %fullV[%lastStage : index] parity(%lastParity) : !bars
%vn = titan.shared.slot %v[%lastStage : index] : !ringKV -> !kv
%accumulates = arith.cmpi ne, %back, %c0 : index
titan.mma.fence
%accn = titan.mma %r#0, %vn transpose_b, %r#3 accumulate(%accumulates) : !probs, !kv, !outFlight -> !outFlight
%gn = titan.mma.commit : !group
%total = titan.reduce add %r#2 : !part -> !row
%on = titan.mma.result %accn after(%gn : !group) : !outFlight -> !out)");
  release("V", "lastStage");
  output(group);
  if (o.persistent) {
    w.set("yielded", std::string("%later") +
                         (countsBlocks() ? ", %laterBase" : "") +
                         (carriesStore ? ", %store" : ""));
    if (countsBlocks())
      w.text("%laterBase = arith.addi %base, %blocks : index");
    w.text(R"(
%later = arith.addi %i, %c1 : index
scf.yield $yielded : $carried
})");
  }
  w.set("last", countsBlocks() ? 2 : 1);
  if (carriesStore)
    w.text(R"(
titan.elect warp(0) {
titan.bulk.wait %done#$last read : !bulk
})");
  w.text("}");
}

/// From %on and %total to O.
void AttentionText::output(int64_t group) {
  bool own = o.persistent && o.ownOutput();
  w.text(R"(

%ones = arith.constant 1.0 : f32
%one = titan.splat %ones : f32 -> !row
%inverse = arith.divf %one, %total : !row)");
  w.set("inverse", "inverse");
  if (masksRows()) {
    w.text(R"(
// A row that sees no key is zero.
%zeros = arith.constant 0.0 : f32
%zero = titan.splat %zeros : f32 -> !row
%seesNone = arith.cmpf oeq, %total, %zero : !row
%finite = arith.select %seesNone, %zero, %inverse : !rowMask, !row)");
    w.set("inverse", "finite");
  }
  w.text(R"(
%inverses = titan.broadcast %$inverse : !row -> !out
%result = arith.mulf %on, %inverses : !out
%rounded = arith.truncf %result : !out to !out16)");
  w.set("ifHead", masksRows() ? "%ofHead = arith.cmpi ult, %any, %allHeads : "
                                "index\nscf.if %ofHead {"
                              : "");
  w.set("endHead", masksRows() ? "}" : "");
  if (o.lse)
    w.text(R"(
// scale * maximum + log(sum), by one lane of those that have the row.
%logs = math.log %total : !row
%scales = titan.splat %scale : f32 -> !row
%lse = math.fma %r#1, %scales, %logs : !row
%row32 = arith.index_cast %rowg : index to i32
%rowBase = titan.splat %row32 : i32 -> !rowIs
%rowIn = titan.coordinate 0 : !rowIs
%rowAt = arith.addi %rowBase, %rowIn : !rowIs
%queries32 = arith.index_cast %queries : index to i32
%rowEnd = titan.splat %queries32 : i32 -> !rowIs
%isRow = arith.cmpi slt, %rowAt, %rowEnd : !rowIs
%batch32 = arith.index_cast %batch : index to i32
%head32 = arith.index_cast %head : index to i32
%batchAt = titan.splat %batch32 : i32 -> !rowIs
%headAt = titan.splat %head32 : i32 -> !rowIs
$ifHead
titan.global.store %lse, %LSE[%batchAt, %headAt, %rowAt] mask(%isRow : !rowMask) : !row, !sums, !rowIs, !rowIs, !rowIs
$endHead)");
  w.set("buffer", own ? "og" : "qg");
  if (own)
    w.text(R"(
%og = titan.shared.slot %out[%c$g : index] : !ringQ -> !q
// The tile before has left.
titan.elect warp(0) {
titan.bulk.wait %pending read : !bulk
})");
  else
    w.text(
        "// Once all four warps have read the queries, O takes their place.");
  w.text(R"(
titan.barrier.sync $inside threads(128)
titan.shared.store %rounded, %$buffer matrix : !out16, !q
titan.fence.proxy_async shared_cta
titan.barrier.sync $inside threads(128))");
  w.text(own ? "%store = titan.elect warp(0) -> !bulk {"
             : "titan.elect warp(0) {");
  if (halves() == 1)
    w.text("titan.tma.store %$buffer, %mapO[%batch, %rowg, %head, %c0] : !q, "
           "!mapQ");
  else
    w.text(R"(
%outLeft = titan.shared.view %$buffer [0, 0] : !q -> !q64
%outRight = titan.shared.view %$buffer [0, 64] : !q -> !q64
titan.tma.store %outLeft, %mapO[%batch, %rowg, %head, %c0] : !q64, !mapQ
titan.tma.store %outRight, %mapO[%batch, %rowg, %head, %c64] : !q64, !mapQ)");
  w.text("%bulk = titan.bulk.commit : !bulk");
  if (own)
    w.text("titan.yield %bulk : !bulk");
  else
    w.text("titan.bulk.wait %bulk read : !bulk");
  if (o.persistent && !own)
    w.text("titan.mbarrier.arrive %emptyQ$g : !bar");
  w.text("}");
}

void AttentionText::body() {
  w.beginRegion();
  if (o.persistent)
    w.text(R"(
%first = titan.cta_id 0
%ctas = titan.num_ctas 0)");
  else
    w.text("%tile = titan.cta_id 0");
  w.text(R"(
%q = titan.shared.alloc : !ringQ
%k = titan.shared.alloc : !ringKV
%v = titan.shared.alloc : !ringKV)");
  bool own = o.persistent && o.ownOutput();
  if (own)
    w.text("%out = titan.shared.alloc : !ringQ");
  w.text(R"(
%fullK = titan.mbarrier.alloc : !bars
%fullV = titan.mbarrier.alloc : !bars
%emptyK = titan.mbarrier.alloc : !bars
%emptyV = titan.mbarrier.alloc : !bars)");
  for (int64_t group = 0; group < o.warpgroups(); ++group) {
    w.set("g", group);
    w.text("%fullQ$g = titan.mbarrier.alloc : !bar");
    if (o.persistent)
      w.text("%emptyQ$g = titan.mbarrier.alloc : !bar");
    if (*o.turns)
      w.text("%turn$g = titan.mbarrier.alloc : !bar");
  }
  w.text(R"(
titan.elect warp(0) {
titan.mbarrier.init %fullK count(1) : !bars
titan.mbarrier.init %fullV count(1) : !bars
titan.mbarrier.init %emptyK count($releases) : !bars
titan.mbarrier.init %emptyV count($releases) : !bars)");
  w.set("readers", own ? 4 : 1);
  for (int64_t group = 0; group < o.warpgroups(); ++group) {
    w.set("g", group);
    w.text("titan.mbarrier.init %fullQ$g count(1) : !bar");
    if (o.persistent)
      w.text("titan.mbarrier.init %emptyQ$g count($readers) : !bar");
    if (*o.turns)
      w.text("titan.mbarrier.init %turn$g count(4) : !bar");
  }
  w.text(R"(
titan.fence.mbarrier_init
}
titan.cta_sync

titan.warp_specialize {)");
  load();
  for (int64_t group = 0; group < o.warpgroups(); ++group)
    attend(group);
  w.text(R"(
}
titan.return)");
  w.declare();
  w.text("}");
}

std::string AttentionText::write() {
  w.set("headBytes", 2 * o.size * bytesOf(o.element));
  w.set("sees", o.causal && o.window ? ", causal, in a window"
                : o.causal           ? ", causal"
                : o.window           ? ", in a window"
                                     : "");
  w.text(R"(
// O = softmax(scale * Q K^T) V$sees: Q and O are batch x queries x heads x $size,
// K and V batch x keys x heads x $size, $in; sums in f32.
//
// A warp loads; each of $groups warpgroups has 64 rows of queries, and goes through
// the keys in blocks of $keys, $depth of which are there or on their way. While its
// product of a block's weights and V runs, it has the next block's scores.)");
  if (*o.turns)
    w.text(R"(
// The warpgroups take turns at the tensor cores: who has issued its products
// arrives at the next one's barrier, and computes weights while those run. Turn
// n of a warpgroup is phase n of its barrier, n counting blocks.)");
  w.text("\n\n");
  types();
  functions();
  launch();
  body();
  w.text("\n\n");
  reference();
  return w.take();
}
