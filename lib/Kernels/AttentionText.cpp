//===- AttentionText.cpp - attention around its loops --------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "AttentionText.h"
#include "Model.h"
#include "titan/Kernels/Polynomials.h"

#include <vector>

using namespace titan::kernels;

AttentionText::AttentionText(const AttentionOptions &options) : o(options) {
  int64_t groups = o.warpgroups();
  w.set("kernel", o.name);
  w.set("in", std::string(toString(o.element)));
  w.set("size", o.size);
  w.set("rows", o.rows);
  w.set("keys", o.keys);
  w.set("tail", o.tail);
  // Of a packed tensor no dimension is the batch's.
  w.set("rowsAre", o.ragged ? "?x?" : "?x?x?");
  w.set("one", o.ragged ? "" : "1x");
  w.set("ofBatch", o.ragged ? "" : "%batch, ");
  w.set("depth", o.depth());
  w.set("groups", groups);
  // Of the tile's blocks a warpgroup works on all.
  w.set("firstOwn", "c0");
  w.set("second", "c1");
  // With the next tile's queries beside them Q's slots and barriers are there twice; O's memory is there once.
  w.set("slotsQ", o.ahead ? 2 * groups : groups);
  w.set("ringO", o.ahead ? "!ringO" : "!ringQ");
  w.set("barQ", o.ahead ? "!barsQ" : "!bar");
  w.set("queryBytes", 64 * o.size * bytesOf(o.element));
  w.set("warps", 4 + 4 * groups);
  bool asks = asksForGrowth();
  w.set("whereGrows", asks ? ", where %grows says that it does" : "");
  w.set("andGrows", asks ? ", %grows" : "");
  blocksAre(false);
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

!global = !titan.global<${rowsAre}x${size}x$in>
!mapQ   = !titan.tensor_map<${one}64x1x64x$in, swizzle = 128>
!mapKV  = !titan.tensor_map<${one}${keys}x1x64x$in, swizzle = 128>
!ringQ  = !titan.shared<64x${size}x$in, swizzle = 128, slots = $slotsQ>
!ringKV = !titan.shared<${keys}x${size}x$in, swizzle = 128, slots = $depth>
!q      = !titan.shared<64x${size}x$in, swizzle = 128>
!kv     = !titan.shared<${keys}x${size}x$in, swizzle = 128>)");
  if (halves() > 1)
    w.text(R"(
!q64    = !titan.shared<64x64x$in, swizzle = 128>
!kv64   = !titan.shared<${keys}x64x$in, swizzle = 128>)");
  if (o.tail)
    tailTypes();
  if (o.ahead)
    w.text(R"(
!ringO  = !titan.shared<64x${size}x$in, swizzle = 128, slots = $groups>
!barsQ  = !titan.mbarrier<2>)");
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
  if (o.ahead)
    letterTypes();
  if (o.lse)
    w.text(R"(
!sums   = !titan.global<${rowsAre}xf32>
!rowIs  = tensor<64xi32, #row>)");
  if (o.ragged) {
    w.text(R"(
!starts = !titan.global<?xi32>
!outIs  = tensor<64x${size}xi32, #acc>
!outMask = tensor<64x${size}xi1, #acc>)");
    if (!o.lse)
      w.text("!rowIs  = tensor<64xi32, #row>");
  }
  w.text("\n\n");
}

/// The pages of a block, each by loads of its own.
void AttentionText::pieces() {
  if (halves() > 1)
    w.text("%half = arith.constant 64 : index");
  for (int64_t piece = 0; piece < o.pagesOfBlock(); ++piece)
    for (int64_t half = 0; half < halves(); ++half) {
      w.set("piece", piece);
      w.set("side", half ? "right" : "left");
      w.set("down", piece * o.keys / o.pagesOfBlock());
      w.set("across", 64 * half);
      w.set("column", half ? "half" : "zero");
      w.text(R"(
%$side$piece = titan.shared.view %slot [$down, $across] : !kv -> !kv64
titan.tma.load %map[%page$piece, %key, %head, %$column], %$side$piece, %full[%stage : index]$once : !mapKV, !kv64, !bars)");
    }
}

/// %weights, 2^%exponents.
void AttentionText::powers() {
  if (!o.polynomial) {
    w.text("%weights = math.exp2 %exponents fastmath<afn> : !scores${t}");
    return;
  }
  w.set("each", o.polynomial);
  auto number = [&](const char *name, float value) {
    w.set("name", name);
    w.set("value", toLiteral(value));
    w.text("%$name = arith.constant dense<$value> : !scores${t}");
  };
  w.text(R"(
// Of $each groups of eight columns, which registers have, one's powers are computed by multiply-adds:
// 2^x = 2^n * 2^r, n the whole number next to x, and 2^n by the bits of its exponent.)");
  number("rounder", exp2Rounder);
  number("lowest", -127);
  number("e0", exp2Fraction[0]);
  number("e1", exp2Fraction[1]);
  number("e2", exp2Fraction[2]);
  number("e3", exp2Fraction[3]);
  w.text(R"(
%mantissa = arith.constant dense<23> : !where${t}
%bounded = arith.maximumf %exponents, %lowest : !scores${t}
%rounded = arith.addf %bounded, %rounder : !scores${t}
%whole = arith.subf %rounded, %rounder : !scores${t}
%r = arith.subf %bounded, %whole : !scores${t}
%p2 = math.fma %e3, %r, %e2 : !scores${t}
%p1 = math.fma %p2, %r, %e1 : !scores${t}
%p0 = math.fma %p1, %r, %e0 : !scores${t}
%bits = titan.bitcast %p0 : !scores${t} -> !where${t}
%count = titan.bitcast %rounded : !scores${t} -> !where${t}
%exponent = arith.shli %count, %mantissa : !where${t}
%power = arith.addi %bits, %exponent : !where${t}
%byProducts = titan.bitcast %power : !where${t} -> !scores${t}
%byUnit = math.exp2 %exponents fastmath<afn> : !scores${t}
%wide = arith.constant dense<8> : !where${t}
%each = arith.constant dense<$each> : !where${t}
%first = arith.constant dense<0> : !where${t}
%column = titan.coordinate 1 : !where${t}
%columns8 = arith.divui %column, %wide : !where${t}
%turn = arith.remui %columns8, %each : !where${t}
%isTurn = arith.cmpi eq, %turn, %first : !where${t}
%weights = arith.select %isTurn, %byProducts, %byUnit : !mask${t}, !scores${t})");
}

/// In a launch region: 0 times what is masked is no number, as is what overflows, and a negative one makes the least
/// score the largest.
void AttentionText::requireScale() {
  w.text(R"(
// As f32's bits, of which infinity's are 2139095040.
%scaleBits = arith.bitcast %scale : f32 to i32
%isPositive = arith.cmpi sgt, %scaleBits, %i0 : i32
titan.require %isPositive, "launch-check", "the scale is positive"
%isFinite = arith.cmpi slt, %scaleBits, %i2139095040 : i32
titan.require %isFinite, "launch-check", "the scale is finite")");
}

void AttentionText::functions() {
  std::string from = o.ragged ? "" : "%batch: index, ";
  if (o.pagesOfBlock() > 1) {
    from.clear();
    for (int64_t i = 0; i < o.pagesOfBlock(); ++i)
      from += "%page" + std::to_string(i) + ": index, ";
  }
  w.set("fillFrom", from);
  w.set("once", o.decode ? " cache(evict_first)" : "");
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
)");
  fill();
  weights();
  if (!o.tail)
    return;
  blocksAre(true);
  fill();
  weights();
  blocksAre(false);
}

/// What brings a block of K or V.
void AttentionText::fill() {
  w.text(R"(

// Keys or values$ofTail from %key on, once the use of the slot before this one is over.
func.func private @fill${t}(%map: !mapKV${t}, %ring: !ringKV, %full: !bars, %empty: !bars, %use: index, $fillFrom%key: index, %head: index) {
%zero = arith.constant 0 : index
%depth = arith.constant $depth : index
%bytes = arith.constant $blockBytes : i32
%stage = arith.remui %use, %depth : index
%next = arith.addi %use, %depth : index
%free = func.call @parity(%next) : (index) -> i32
titan.mbarrier.wait %empty[%stage : index] parity(%free) : !bars
titan.mbarrier.arrive_expect_tx %full[%stage : index], %bytes : !bars
%slot = titan.shared.slot %ring[%stage : index] : !ringKV -> !kv)");
  reuseSlot("slot", w.fill("${t}"));
  if (o.pagesOfBlock() > 1)
    pieces();
  else if (halves() == 1)
    w.text("titan.tma.load %map[${ofBatch}%key, %head, %zero], %slot${t}, "
           "%full[%stage : index]$once : !mapKV${t}, !kv${t}, !bars");
  else
    w.text(R"(
%half = arith.constant 64 : index
%left = titan.shared.view %slot${t} [0, 0] : !kv${t} -> !kv64${t}
%right = titan.shared.view %slot${t} [0, 64] : !kv${t} -> !kv64${t}
titan.tma.load %map[${ofBatch}%key, %head, %zero], %left, %full[%stage : index]$once : !mapKV${t}, !kv64${t}, !bars
titan.tma.load %map[${ofBatch}%key, %head, %half], %right, %full[%stage : index]$once : !mapKV${t}, !kv64${t}, !bars)");
  w.text(R"(
return
}
)");
}

/// From a block's scores to its weights.
void AttentionText::weights() {
  w.text(R"(

// What a block's scores weigh: 2^(factor * (score - maximum of the row so far)). Each thread adds up its own; it
// has two columns of eight. And how much less what was added up before weighs now$whereGrows.
func.func private @weights${t}(%scores: !scores${t}, %max: !row, %factor: f32) -> ($weights) {
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%panels = arith.constant $panels : index
%minus = arith.negf %factor : f32
%factors = titan.splat %factor : f32 -> !scores${t}
%rowFactors = titan.splat %factor : f32 -> !row
%rowMinus = titan.splat %minus : f32 -> !row
%panel0 = titan.panel %scores[%c0] : !scores${t} -> !part
%highest = scf.for %j = %c1 to %panels step %c1 iter_args(%sofar = %panel0) -> (!part) {
%panel = titan.panel %scores[%j] : !scores${t} -> !part
%higher = arith.maximumf %sofar, %panel : !part
scf.yield %higher : !part
} {titan.unroll}
%top = titan.reduce max %highest : !part -> !row
%largest = arith.maximumf %max, %top : !row)");
  w.set("max1", "largest");
  if (*o.rescale == Rescale::Conditional) {
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
  } else if (asksForGrowth()) {
    w.text(R"(
%grew = arith.cmpf ogt, %largest, %max : !row
%grows = titan.any %grew : !rowMask)");
  }
  // A narrow block may have no key.
  if (masksRows() || !w.fill("${t}").empty())
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
%shifts = titan.broadcast %shift : !row -> !scores${t}
%exponents = math.fma %scores, %factors, %shifts : !scores${t})");
  powers();
  w.text(R"(
%sum0 = titan.panel %weights[%c0] : !scores${t} -> !part
%sum = scf.for %j = %c1 to %panels step %c1 iter_args(%sofar = %sum0) -> (!part) {
%panel = titan.panel %weights[%j] : !scores${t} -> !part
%more = arith.addf %sofar, %panel : !part
scf.yield %more : !part
} {titan.unroll}
%drop = math.fma %max, %rowFactors, %shift : !row
%decay = math.exp2 %drop fastmath<afn> : !row
%probs = arith.truncf %weights : !scores${t} to !probs${t}
return %probs, %sum, %$max1, %decay$andGrows : $weights
}
)");
}

/// In a launch region: what a tensor's size is called, and what it has to be.
void AttentionText::requireSize(std::string name, std::string tensor,
                                std::string type, int64_t dimension,
                                std::string value, std::string words) {
  w.set("name", std::move(name));
  w.set("tensor", std::move(tensor));
  w.set("type", std::move(type));
  w.set("dimension", dimension);
  w.set("value", std::move(value));
  w.set("words", std::move(words));
  w.text(R"(
%$name = titan.dim %$tensor, $dimension : $type
%is_$name = arith.cmpi eq, %$name, %$value : index
titan.require %is_$name, "launch-check", "$words")");
}

void AttentionText::launch() {
  w.set("target", std::string(builtFor().name));
  w.set("lseArgument", o.lse ? ", %LSE: !sums" : "");
  w.set("windowArgument", o.window ? ", %window: i32" : "");
  w.set("startsArgument",
        o.ragged ? ", %cu_seqlens_q: !starts, %cu_seqlens_k: !starts" : "");
  w.set("longestArgument", o.ragged ? ", %longest: i32" : "");
  w.set("windowValue", o.window ? ", window = 90 : i32" : "");
  if (o.ragged) {
    w.set("lseValue", o.lse ? ", LSE = \"HxN\"" : "");
    // Of a whole tile and part of one, and of whole blocks and part of one: all of
    // the text is executed.
    const int64_t sequences = 3, queries = o.rows + 6, keys = 2 * o.keys + 12;
    w.set("starts", sequences + 1);
    w.set("queriesOfEach", queries);
    w.set("keysOfEach", keys);
    w.set("queriesOfAll", sequences * queries);
    w.set("keysOfAll", sequences * keys);
    w.set(
        "example",
        w.fill(
            R"(sizes = {C = $starts, H = 2, G = 1, N = $queriesOfAll, S = $keysOfAll}, multiprocessor_count = 3,
                 Q = "NxHx$size random:1", K = "SxGx$size random:2", V = "SxGx$size random:3",
                 O = "NxHx$size"$lseValue, cu_seqlens_q = "C steps:$queriesOfEach", cu_seqlens_k = "C steps:$keysOfEach",
                 longest = $queriesOfEach : i32, scale = 0.09 : f32$windowValue)"));
  } else {
    w.set("lseValue", o.lse ? ", LSE = \"BxHxN\"" : "");
    w.set(
        "example",
        w.fill(
            R"(sizes = {B = 2, H = 2, G = 1, N = 200, S = 390}, multiprocessor_count = 3,
                 Q = "BxNxHx$size random:1", K = "BxSxGx$size random:2", V = "BxSxGx$size random:3",
                 O = "BxNxHx$size"$lseValue, scale = 0.09 : f32$windowValue)"));
  }
  w.set("programmatic", *o.programmatic ? " titan.programmatic = []," : "");
  w.text(R"(
titan.kernel @$kernel(%Q: !global, %K: !global, %V: !global, %O: !global$lseArgument$startsArgument, %scale: f32$longestArgument$windowArgument) warps($warps)$launchRegisters attributes {
titan.target = "$target",$programmatic
titan.example = {$example},
titan.reference = @${kernel}_reference)");
  w.text("} launch {");
  w.beginRegion();
  if (o.ragged)
    w.text(R"(
%starts = titan.dim %cu_seqlens_q, 0 : !starts
%batches = arith.subi %starts, %c1 : index
%several0 = arith.cmpi ugt, %starts, %c1 : index
titan.require %several0, "launch-zero-dim", "attention of no sequence"
%rowsQ = titan.dim %Q, 0 : !global
%heads = titan.dim %Q, 1 : !global
%rowsK = titan.dim %K, 0 : !global
%headsK = titan.dim %K, 1 : !global
// Of a sequence in the mean, for the bands below.
%keys = arith.ceildivui %rowsK, %batches : index
%positive = arith.cmpi sgt, %longest, %i0 : i32
titan.require %positive, "launch-zero-dim", "the longest sequence has no queries"
%queries = arith.index_cast %longest : i32 to index
// Rows and heads are counted in 32 bits, sums of two of them too.
%few = arith.cmpi ule, %queries, %c536870912 : index
titan.require %few, "launch-check", "the longest sequence has no more than 2^29 queries"
%fewQ = arith.cmpi ule, %rowsQ, %c536870912 : index
titan.require %fewQ, "launch-check", "Q has no more than 2^29 rows"
%fewK = arith.cmpi ule, %rowsK, %c536870912 : index
titan.require %fewK, "launch-check", "K has no more than 2^29 rows"
%fewHeads = arith.cmpi ule, %heads, %c536870912 : index
titan.require %fewHeads, "launch-check", "Q has no more than 2^29 heads")");
  else
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
  if (o.ragged) {
    checks = {
        {"startsK", "cu_seqlens_k", "!starts", 0, "starts",
         "cu_seqlens_q and cu_seqlens_k are as long"},
        {"rowsV", "V", "!global", 0, "rowsK", "V has a row for each key"},
        {"rowsO", "O", "!global", 0, "rowsQ", "O has a row for each query"},
        {"headsV", "V", "!global", 1, "headsK", "K and V have as many heads"},
        {"headsO", "O", "!global", 1, "heads", "Q and O have as many heads"}};
    if (o.lse) {
      checks.push_back({"headsL", "LSE", "!sums", 0, "heads",
                        "Q and LSE have as many heads"});
      checks.push_back({"queriesL", "LSE", "!sums", 1, "rowsQ",
                        "LSE has an element for each query"});
    }
  }
  for (const Check &check : checks) {
    requireSize(check.name, check.tensor, check.type, check.dimension,
                check.value, check.words);
  }
  w.text(R"(
%some = arith.cmpi uge, %keys, %c1 : index
titan.require %some, "launch-zero-dim", "attention over no keys"
%several = arith.cmpi uge, %headsK, %c1 : index
titan.require %several, "launch-zero-dim", "K and V without heads"
%group = arith.divui %heads, %headsK : index
%served = arith.muli %group, %headsK : index
%is_served = arith.cmpi eq, %served, %heads : index
titan.require %is_served, "launch-check", "each head of K serves as many heads of Q")");
  // Ragged, titan check's search loses its way in what these add: titan.ops alone refuses such a scale (docs/status.md).
  if (!o.ragged)
    requireScale();
  if (o.lse && !o.ragged)
    w.text(R"(
%few_queries = arith.cmpi ule, %queries, %c1073741824 : index
titan.require %few_queries, "launch-check", "at most 2^30 queries: the numbers of LSE's rows have 32 bits")");
  w.text(o.pack ? R"(
// Units of 64 rows, of all the queries that a head of K serves, and tiles of those.
%units = arith.ceildivui %queries, %c64 : index
%groupUnits = arith.muli %group, %units : index
%rowBlocks = arith.ceildivui %groupUnits, %c$groups : index
%allHeads = arith.muli %batches, %headsK : index)"
                : R"(
%rowBlocks = arith.ceildivui %queries, %c$rows : index
%allHeads = arith.muli %batches, %heads : index)");
  w.text(R"(
%mapQ = titan.tensor_map %Q : !global -> !mapQ
%mapK = titan.tensor_map %K : !global -> !mapKV
%mapV = titan.tensor_map %V : !global -> !mapKV
%mapO = titan.tensor_map %O : !global -> !mapQ)");
  if (o.tail)
    w.text(R"(
%mapKTail = titan.tensor_map %K : !global -> !mapKVTail
%mapVTail = titan.tensor_map %V : !global -> !mapKVTail)");
  if (o.ragged)
    w.text("%lastHead = arith.subi %allHeads, %c1 : index");
  LaunchArguments handed;
  handed.pass("mapQ", "!mapQ");
  handed.pass("mapK", "!mapKV");
  handed.pass("mapV", "!mapKV");
  if (o.tail) {
    handed.pass("mapKTail", "!mapKVTail");
    handed.pass("mapVTail", "!mapKVTail");
  }
  handed.pass("mapO", "!mapQ");
  auto pass = [&](const char *name) { handed.pass(name, "index"); };
  if (masksRows()) {
    w.text(R"(
// As many heads at a time as have their keys and values in some $bandMiB MB of the L2 cache, bands of one size.
%bytes = arith.muli %keys, %c$headBytes : index
%fit = arith.divui %c$bandBytes, %bytes : index)");
    if (o.ahead)
      w.text(R"(
%oneK = arith.maxui %fit, %c1 : index
%one = arith.muli %oneK, %group : index)");
    else
      w.text("%one = arith.maxui %fit, %c1 : index");
    w.text(R"(
%bands = arith.ceildivui %allHeads, %one : index
%band = arith.ceildivui %allHeads, %bands : index
%banded = arith.muli %bands, %band : index
%tiles = arith.muli %banded, %rowBlocks : index)");
  } else {
    w.text("%tiles = arith.muli %allHeads, %rowBlocks : index");
  }
  if (o.ahead)
    w.text(R"(
%numbers = arith.addi %queries, %tiles : index
%few_numbers = arith.cmpi ule, %numbers, %c536870912 : index
titan.require %few_numbers, "launch-check", "at most 2^29 rows and tiles: what letters say of them has 32 bits")");
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
    w.set("mostKeys", o.ragged ? "rowsK" : "keys");
    w.text(R"(
%no = arith.constant 0 : i32
%ahead = arith.cmpi sge, %window, %no : i32
titan.require %ahead, "launch-check", "a window of no negative number of keys"
%windowKeys = arith.index_cast %window : i32 to index
%span = arith.minui %windowKeys, %$mostKeys : index)");
    pass("span");
  }
  pass("rowBlocks");
  pass(o.pack ? "headsK" : "heads");
  pass("group");
  if (o.pack)
    pass("units");
  if (o.tail) {
    countWhole();
    pass("blocks");
    pass("whole");
  } else if (!masksRows()) {
    w.text("%blocks = arith.ceildivui %keys, %c$keys : index");
    pass("blocks");
  }
  if (o.ragged) {
    pass("lastHead");
  } else {
    if (o.lse || masksRows())
      pass("queries");
    pass("keys");
  }
  handed.write(w);
}

/// The barriers of the rings of K and V.
void AttentionText::allocateRings() {
  w.text(R"(
%fullK = titan.mbarrier.alloc : !bars
%fullV = titan.mbarrier.alloc : !bars
%emptyK = titan.mbarrier.alloc : !bars
%emptyV = titan.mbarrier.alloc : !bars)");
}

void AttentionText::initRings() {
  w.text(R"(
titan.mbarrier.init %fullK count(1) : !bars
titan.mbarrier.init %fullV count(1) : !bars
titan.mbarrier.init %emptyK count($releases) : !bars
titan.mbarrier.init %emptyV count($releases) : !bars)");
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
    w.text("%out = titan.shared.alloc : $ringO");
  if (o.ahead)
    w.text("%letters = titan.shared.alloc : !letters");
  allocateRings();
  for (int64_t group = 0; group < o.warpgroups(); ++group) {
    w.set("g", group);
    w.text("%fullQ$g = titan.mbarrier.alloc : $barQ");
    if (o.persistent)
      w.text("%emptyQ$g = titan.mbarrier.alloc : $barQ");
  }
  w.text("titan.elect warp(0) {");
  initRings();
  w.set("readers", own ? 4 : 1);
  for (int64_t group = 0; group < o.warpgroups(); ++group) {
    w.set("g", group);
    w.text("titan.mbarrier.init %fullQ$g count(1) : $barQ");
    if (o.persistent)
      w.text("titan.mbarrier.init %emptyQ$g count($readers) : $barQ");
  }
  w.text(R"(
titan.fence.mbarrier_init
})");
  if (*o.programmatic)
    w.text(R"(
// What is read and written may be the kernel's before this one in the stream.
titan.griddepcontrol.wait
titan.griddepcontrol.launch_dependents)");
  w.text(R"(
titan.cta_sync

titan.warp_specialize {)");
  o.ahead ? loadAhead() : load();
  for (int64_t group = 0; group < o.warpgroups(); ++group)
    o.ahead ? attendAhead(group) : attend(group);
  w.text(R"(
}
titan.return)");
  w.declare();
  w.text("}");
}

std::string AttentionText::write() {
  w.set("bandMiB", bandMiB(o.ahead));
  w.set("bandBytes", bandBytes(o.ahead));
  w.set("headBytes", 2 * o.size * bytesOf(o.element));
  w.set("shapes",
        w.fill(o.ragged ? R"(Q and O are rows x heads x $size,
// K and V rows x heads x $size, $in; sums in f32. cu_seqlens_q and cu_seqlens_k say where
// each sequence's rows begin; a tile has rows of one.)"
                        : R"(Q and O are batch x queries x heads x $size,
// K and V batch x keys x heads x $size, $in; sums in f32.)"));
  w.set("sees", o.causal && o.window ? ", causal, in a window"
                : o.causal           ? ", causal"
                : o.window           ? ", in a window"
                                     : "");
  w.text(R"(
// O = softmax(scale * Q K^T) V$sees: $shapes
//
// A warp loads; each of $groups warpgroups has 64 rows of queries, and goes through
// the keys in blocks of $keys, $depth of which are there or on their way. While its
// product of a block's weights and V runs, it has the next block's scores.)");
  if (*o.turns)
    w.text(R"(
// The warpgroups take turns at the tensor cores: who has issued its products
// arrives at the next one's barrier, and computes weights while those run.)");
  if (o.tail)
    w.text(R"(
// The keys behind the last whole block come first, in a block of $tail.)");
  if (o.pack)
    w.text(R"(
// A warpgroup's 64 rows are of any of the heads that share a head of K.)");
  if (o.ahead)
    w.text(R"(
// A tile's first scores are computed beside the last product of the tile before
// it. The one that loads says in a letter, beside Q, which tile that is.)");
  w.text("\n\n");
  types();
  functions();
  if (o.ahead)
    placeFunctions();
  launch();
  body();
  w.text("\n\n");
  reference();
  return w.take();
}
