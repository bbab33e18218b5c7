//===- AttentionMainLoop.cpp - attention's partitions --------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "AttentionText.h"
#include "Model.h"

using namespace titan::kernels;

static const char *const partitions[] = {"first", "second", "third"};

/// Of %tile: %batch, %head, %headK, %row; with a mask the tile's %blocks and
/// %newest, the block that is the first to be worked on.
void AttentionText::coordinates() {
  if (o.pack) {
    packedTile();
    if (!o.tail)
      w.text("%newest = arith.subi %blocks, %c1 : index");
    return;
  }
  if (masksRows())
    tileOrder();
  else
    w.text(R"(
%any = arith.divui %tile, %rowBlocks : index
%down = arith.remui %tile, %rowBlocks : index)");
  w.set("anyHead", o.ragged ? "anyThere" : "any");
  if (o.ragged)
    w.text("%anyThere = arith.minui %any, %lastHead : index");
  w.text(R"(
%batch = arith.divui %$anyHead, %heads : index
%head = arith.remui %$anyHead, %heads : index
%headK = arith.divui %head, %group : index
%row = arith.muli %down, %c$rows : index)");
  if (o.tail)
    return;
  if (!masksRows()) {
    w.text("%newest = arith.subi %blocks, %c1 : index");
    return;
  }
  if (o.ragged)
    sequence();
  tileKeys();
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

/// With a mask, of %tile: %any, its head of all, and %down, its rows.
void AttentionText::tileOrder() {
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
}

/// With a mask, of the rows from %row on of head %any: %allBlocks, those up to the last that they see.
void AttentionText::tileKeys() {
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
  // Of what is not there one block is worked on, and nothing written.
  if (o.ragged)
    w.text(R"(
// One block, of a head that is not there, or of rows behind the sequence's last.
%isHead = arith.cmpi ult, %any, %allHeads : index
%isRow = arith.cmpi ult, %row, %queries : index
%isTile = arith.andi %isHead, %isRow : i1
%end = arith.select %isTile, %there, %c1 : index
%endOrOne = arith.maxui %end, %c1 : index
%allBlocks = arith.ceildivui %endOrOne, %c$keys : index)");
  else
    w.text(R"(
%behind = arith.subi %allHeads, %any : index
%isHead = arith.maxsi %behind, %c0 : index
%keysOfHead = arith.muli %isHead, %there : index
%least1 = arith.maxsi %keysOfHead, %c1 : index
%end = arith.minui %there, %least1 : index
%allBlocks = arith.ceildivui %end, %c$keys : index)");
}

/// Of %batch: %queries and %keys, and where they begin, %rowQ and %rowK.
void AttentionText::sequence() {
  w.text(R"(
%nextBatch = arith.addi %batch, %c1 : index
%beginQ = titan.ld %cu_seqlens_q[%batch] : !starts -> i32
%endQ = titan.ld %cu_seqlens_q[%nextBatch] : !starts -> i32
%beginK = titan.ld %cu_seqlens_k[%batch] : !starts -> i32
%endK = titan.ld %cu_seqlens_k[%nextBatch] : !starts -> i32
%rowQ = arith.index_cast %beginQ : i32 to index
%rowK = arith.index_cast %beginK : i32 to index
%lowQ = arith.cmpi sge, %beginQ, %i0 : i32
%risesQ = arith.cmpi sle, %beginQ, %endQ : i32
%insideQ = arith.cmpi sle, %endQ, %rowsOfQ : i32
%lowK = arith.cmpi sge, %beginK, %i0 : i32
%risesK = arith.cmpi sle, %beginK, %endK : i32
%insideK = arith.cmpi sle, %endK, %rowsOfK : i32
%rightQ0 = arith.andi %lowQ, %risesQ : i1
%rightQ = arith.andi %rightQ0, %insideQ : i1
%rightK0 = arith.andi %lowK, %risesK : i1
%rightK = arith.andi %rightK0, %insideK : i1
titan.assume %rightQ, "sequences lie one behind the other in Q"
titan.assume %rightK, "the sequences' keys lie one behind the other in K"
%queries32 = arith.subi %endQ, %beginQ : i32
%keys32 = arith.subi %endK, %beginK : i32
%shortQ = arith.cmpi sle, %queries32, %longest : i32
titan.assume %shortQ, "no sequence is longer than the longest"
%queries = arith.index_cast %queries32 : i32 to index
%keys = arith.index_cast %keys32 : i32 to index)");
}

/// %base, the blocks of the CTA's tiles so far.
void AttentionText::blocksBefore() {
  if (!o.persistent)
    w.text("%base = arith.constant 0 : index");
  else if (!countsBlocks())
    w.text("%base = arith.muli %i, %blocks : index");
}

/// Rows of Q and K, for what the starts of sequences promise.
void AttentionText::totals() {
  w.text(R"(
%allRowsQ = titan.dim %Q, 0 : !global
%rowsOfQ = arith.index_cast %allRowsQ : index to i32
%allRowsK = titan.dim %K, 0 : !global
%rowsOfK = arith.index_cast %allRowsK : index to i32)");
}

void AttentionText::loadBlocks() {
  w.text(R"(
scf.for %j = %c0 to %blocks step %c1 {
%use = arith.addi %base, %j : index
%block = arith.subi %newest, %j : index
%key = arith.muli %block, %c$keys : index)");
  w.set("keyIs", o.ragged ? "keyOfAll" : "key");
  w.set("batchType", o.ragged ? "" : "index, ");
  if (o.ragged)
    w.text("%keyOfAll = arith.addi %rowK, %key : index");
  w.text(R"(
func.call @fill(%mapK, %k, %fullK, %emptyK, %use, ${ofBatch}%$keyIs, %headK) : (!mapKV, !ringKV, !bars, !bars, index, ${batchType}index, index) -> ()
func.call @fill(%mapV, %v, %fullV, %emptyV, %use, ${ofBatch}%$keyIs, %headK) : (!mapKV, !ringKV, !bars, !bars, index, ${batchType}index, index) -> ()
})");
}

void AttentionText::load() {
  w.text(R"(
titan.partition "load" warps(1)$loadRegisters {
titan.elect {)");
  if (o.ragged)
    totals();
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
  w.set("firstRow", o.ragged ? "rowOfAll" : "row");
  if (o.ragged)
    w.text("%rowOfAll = arith.addi %rowQ, %row : index");
  for (int64_t group = 0; group < o.warpgroups(); ++group) {
    w.set("g", group);
    w.set("down", 64 * group);
    if (o.persistent)
      w.text("titan.mbarrier.wait %emptyQ$g parity(%free) : !bar");
    w.set("headQ", o.pack ? w.fill("head$g") : "head");
    if (o.pack)
      packedRows(w.fill("head$g"), w.fill("row$g"));
    else
      w.text("%row$g = arith.addi %$firstRow, %c$down : index");
    w.text(R"(
%q$g = titan.shared.slot %q[%c$g : index] : !ringQ -> !q
titan.mbarrier.arrive_expect_tx %fullQ$g, %i$queryBytes : !bar)");
    if (halves() == 1)
      w.text("titan.tma.load %mapQ[${ofBatch}%row$g, %$headQ, %c0], %q$g, "
             "%fullQ$g : !mapQ, !q, !bar");
    else
      w.text(R"(
%left$g = titan.shared.view %q$g [0, 0] : !q -> !q64
%right$g = titan.shared.view %q$g [0, 64] : !q -> !q64
titan.tma.load %mapQ[${ofBatch}%row$g, %$headQ, %c0], %left$g, %fullQ$g : !mapQ, !q64, !bar
titan.tma.load %mapQ[${ofBatch}%row$g, %$headQ, %c64], %right$g, %fullQ$g : !mapQ, !q64, !bar)");
  }
  if (o.tail)
    loadTail();
  else
    loadBlocks();
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

/// Waits until the warpgroup before has issued its products.
void AttentionText::takeTurn() {
  w.text("titan.barrier.sync $ownTurn threads(256)");
}

/// All products of this turn are issued.
void AttentionText::passTurn() {
  w.text("titan.barrier.arrive $nextTurn threads(256)");
}

/// From %raw, the scores of a block from %key on, to %$seen: what the row does not
/// see weighs nothing.
/// Of the first block: the last keys may not be there.
void AttentionText::keysPastEnd() {
  w.text(R"(
// Keys past the end weigh nothing.
%rest = arith.subi %keys, %key0 : index
%rest32 = arith.index_cast %rest : index to i32
%limits = titan.splat %rest32 : i32 -> !where${t}
%present = arith.cmpi slt, %column, %limits : !where${t}
%seen0 = arith.select %present, %raw0, %infinity : !mask${t}, !scores${t})");
}

void AttentionText::mask(bool first) {
  w.set("s", first ? "0" : "");
  w.set("seen", first ? "seen0" : "seen");
  if (!o.causal && !o.window) {
    // The last block alone may have keys that there are not.
    if (!first) {
      w.set("seen", "raw");
      return;
    }
    keysPastEnd();
    return;
  }
  if (masksFirst()) {
    w.text(R"(
// The diagonal, in columns of this block: row r sees column r + %ahead, and no key past the end.
%ahead$s = arith.subi %rowsAhead, %key$s : index
%ahead32$s = arith.index_cast %ahead$s : index to i32
%aheads$s = titan.splat %ahead32$s : i32 -> !where
%diagonals$s = arith.addi %rowIs, %aheads$s : !where
%past$s = arith.cmpi sle, %column, %diagonals$s : !where
%seen$s = arith.select %past$s, %raw$s, %infinity : !mask, !scores)");
    return;
  }
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

/// The blocks from %first up to %last, each with the product of the block before it; %results is what they leave.
void AttentionText::blocks(const char *results, const char *first,
                           const char *last, const char *before, bool masked) {
  w.set("results", results);
  w.set("firstBlock", first);
  w.set("lastBlock", last);
  w.set("before", before);
  w.text(R"(
%$results:4 = scf.for %j = %$firstBlock to %$lastBlock step %c1
    iter_args($before) -> (!probs, !row, !part, !outFlight) {)");
  w.set("x", "");
  w.set("max", "max");
  w.set("sum", "sum");
  w.set("stageV", "stageV");
  blockProducts();
  blockWeights(masked);
  w.text(R"(
scf.yield %probs1, %max1, %sum1, %acc2 : !probs, !row, !part, !outFlight
}
)");
}

/// A block's scores, and beside them the product of the weights of the block before: %s in group %gs, %acc1 in
/// group %go.
void AttentionText::blockProducts() {
  w.text(R"(
%use = arith.addi %base, %j : index
%useV = arith.subi %use, %c1 : index
%stage = arith.remui %use, %c$depth : index
%stageV = arith.remui %useV, %c$depth : index
%parity = func.call @parity(%use) : (index) -> i32
%parityV = func.call @parity(%useV) : (index) -> i32
titan.mbarrier.wait %fullK[%stage : index] parity(%parity) : !bars)");
  if (*o.turns)
    takeTurn();
  // A narrow block's product is before all of these.
  w.set("accumulates", o.tail ? "arith.constant true"
                              : w.fill("arith.cmpi ne, %j, %$second : index"));
  w.text(R"(
%kj = titan.shared.slot %k[%stage : index] : !ringKV -> !kv
titan.mma.fence
%s = titan.mma %qg, %kj, %noScores : !q, !kv, !scoresFlight -> !scoresFlight
%gs = titan.mma.commit : !group
titan.mbarrier.wait %fullV[%stageV : index] parity(%parityV) : !bars
%vj = titan.shared.slot %v[%stageV : index] : !ringKV -> !kv
%more = $accumulates
titan.mma.fence
%acc1 = titan.mma %probs, %vj transpose_b, %acc accumulate(%more) : !probs, !kv, !outFlight -> !outFlight
%go = titan.mma.commit : !group)");
  if (*o.turns)
    passTurn();
}

/// %o, the sums with the product of the block before.
void AttentionText::sumsBefore() {
  w.text(R"(

%o${x} = titan.mma.result %acc1${x} after(%go${x} : !group) : !outFlight -> !out)");
  release("V", w.fill("$stageV").c_str());
}

/// From those to %probs1, %max1, %sum1, %acc2; $x is behind each name.
void AttentionText::blockWeights(bool masked) {
  // The first whole block: the narrow one's product is taken already.
  bool behindTail = masked && o.tail;
  w.text(R"(
// The product of the block before goes on under the weights of this one.
%raw${x} = titan.mma.result %s${x} after(%gs${x} : !group) : !scoresFlight -> !scores)");
  release("K", w.fill("stage${x}").c_str());
  if (behindTail) {
    maskWhole();
  } else if (masked) {
    w.text(R"(
%block = arith.subi %newest, %j : index
%key = arith.muli %block, %c$keys : index)");
    mask(false);
  } else {
    w.set("seen", w.fill("raw${x}"));
  }
  w.text(R"(
%probs1${x}, %here${x}, %max1${x}, %decay${x}$andGrows = func.call @weights(%$seen, %$max, %factor) : (!scores, !row, f32) -> ($weights)
%partDecay${x} = titan.broadcast %decay${x} : !row -> !part
%kept${x} = arith.mulf %$sum, %partDecay${x} : !part
%sum1${x} = arith.addf %kept${x}, %here${x} : !part)");
  if (!behindTail)
    sumsBefore();
  if (asksForGrowth())
    w.text(R"(
%o1${x} = scf.if %grows${x} -> (!out) {
%decays${x} = titan.broadcast %decay${x} : !row -> !out
%less${x} = arith.mulf %o${x}, %decays${x} : !out
scf.yield %less${x} : !out
} else {
scf.yield %o${x} : !out
})");
  else
    w.text(R"(
%decays${x} = titan.broadcast %decay${x} : !row -> !out
%o1${x} = arith.mulf %o${x}, %decays${x} : !out)");
  w.text("%acc2${x} = titan.inflight.start %o1${x} : !out -> !outFlight");
}

/// From K's first block, which is there, to its weights.
void AttentionText::firstScores() {
  if (*o.turns) {
    w.text("// Its turn at the tensor cores.");
    takeTurn();
  }
  w.text(R"(
%k0 = titan.shared.slot %k[%stage0 : index] : !ringKV -> !kv)");
  reuseSlot("k0", w.fill("${t}"));
  w.text(R"(
titan.mma.fence
%s0 = titan.mma %qg, %k0${t}, %noScores${t} : !q, !kv${t}, !scoresFlight${t} -> !scoresFlight${t}
%g0 = titan.mma.commit : !group)");
  if (*o.turns)
    passTurn();
  w.text("%raw0 = titan.mma.result %s0 after(%g0 : !group) : "
         "!scoresFlight${t} -> !scores${t}");
  release("K", "stage0");
  firstWeights();
}

/// From %raw0 to the first block's weights.
void AttentionText::firstWeights() {
  mask(true);
  w.text(R"(
%probs0, %sum0, %max0, %decay0$firstGrows = func.call @weights${t}(%$seen, %none, %factor) : (!scores${t}, !row, f32) -> ($weights)
)");
}

/// The product of the last block's weights, and the sums: %on and %total.
void AttentionText::lastProduct() {
  w.text("// The product of the last block.");
  issueLast();
  endLast();
}

/// In flight as %accn, group %gn.
void AttentionText::issueLast() {
  // The narrow block's product is before it.
  w.set("accumulates",
        o.tail ? "arith.constant true"
               : w.fill("arith.cmpi ne, %back, %$firstOwn : index"));
  w.text(R"(
%lastUse = arith.addi %base, %back : index
%lastStage = arith.remui %lastUse, %c$depth : index
%lastParity = func.call @parity(%lastUse) : (index) -> i32
titan.mbarrier.wait %fullV[%lastStage : index] parity(%lastParity) : !bars
%vn = titan.shared.slot %v[%lastStage : index] : !ringKV -> !kv
%accumulates = $accumulates
titan.mma.fence
%accn = titan.mma %r#0, %vn transpose_b, %r#3 accumulate(%accumulates) : !probs, !kv, !outFlight -> !outFlight
%gn = titan.mma.commit : !group)");
}

/// What issueLast() has in flight: %on, and %total.
void AttentionText::endLast() {
  w.text(R"(
%total = titan.reduce add %r#2 : !part -> !row
%on = titan.mma.result %accn after(%gn : !group) : !outFlight -> !out)");
  release("V", "lastStage");
}

/// What scores become weights by.
void AttentionText::weightConstants() {
  w.text(R"(
// The weights are powers of two.
%log2e = arith.constant 1.44269504 : f32
%factor = arith.mulf %scale, %log2e : f32
%minus = arith.constant 0xFF800000 : f32
%infinity = titan.splat %minus : f32 -> !scores${t}
%none = titan.splat %minus : f32 -> !row
%column = titan.coordinate 1 : !where${t})");
}

/// Of the tile's blocks the warpgroup works on those from $firstOwn on, of which those from %whole on need no
/// mask; what only the rows below see goes by.
void AttentionText::ownBlocks(int64_t group) {
  bool below = nameOwnBlocks(group);
  w.set("firstUse", below ? "firstUse" : "base");
  w.text("%back = arith.subi %blocks, %c1 : index");
  if (!masksFirst())
    return;
  if (below) {
    w.set("endIs", o.ragged ? "endOrOne" : "end");
    unseenBlocks();
    ownOfUnseen();
    w.text("%firstUse = arith.addi %base, %unseen : index");
  }
  wholeBlocks();
  if (below)
    passBlocks("", "base");
}

/// What the warpgroup's first block is called, the one behind it, and the first one's number; whether there are
/// rows below its own that see more.
bool AttentionText::nameOwnBlocks(int64_t group) {
  bool below = *o.skip && group + 1 < o.warpgroups();
  w.set("firstOwn", below ? "unseen" : "c0");
  w.set("second", below ? "second" : "c1");
  w.set("newestOwn", below ? "newestOwn" : "newest");
  return below;
}

/// From %unseen to what nameOwnBlocks() names.
void AttentionText::ownOfUnseen() {
  w.text(R"(
%second = arith.addi %unseen, %c1 : index
%newestOwn = arith.subi %newest, %unseen : index)");
}

/// The tile's first blocks, which the rows from %rowKeys - %keys on do not see: %unseen.
void AttentionText::unseenBlocks() {
  w.text(R"(
// The last keys of the tile are seen by the rows below these alone.
%belowOwn = arith.addi %rowKeys, %c64 : index
%leastOwn = arith.maxui %belowOwn, %least : index
%reachOwn = arith.subi %leastOwn, %queries : index
%endOwn = arith.minui %reachOwn, %$endIs : index
%blocksOwn = arith.ceildivui %endOwn, %c$keys : index
%above = arith.subi %blocks, %blocksOwn : index
%someAbove = arith.maxsi %above, %c0 : index
%unseen = arith.minui %someAbove, %back : index)");
}

/// From which block on no mask is needed: %whole.
void AttentionText::wholeBlocks() {
  if (!*o.skip) {
    // The diagonal of the tile's rows goes through so many blocks at most.
    w.set("masked", 1 + ceilDiv(o.rows - 1, o.keys));
    w.text(R"(
// Behind the first $masked blocks the rows see all of a block.
%masked = arith.constant $masked : index
%whole = arith.minui %blocks, %masked : index)");
    return;
  }
  // Rows behind the last one may see too much: they are not written.
  w.text(R"(
// What the first row sees all of needs no mask.
%seesMost = arith.maxui %sees, %queries : index
%seenKeys = arith.subi %seesMost, %queries : index
%seenBlocks = arith.divui %seenKeys, %c$keys : index
%behindFirst = arith.subi %back, %$firstOwn : index
%unmasked = arith.minui %seenBlocks, %behindFirst : index
%whole = arith.subi %blocks, %unmasked : index)");
}

/// The first %unseen$s blocks of the tile that begins with use %$base go by.
void AttentionText::passBlocks(const char *suffix, const char *base) {
  w.set("s", suffix);
  w.set("firstOf", base);
  w.text(R"(
scf.for %j = %c0 to %unseen$s step %c1 {
%use = arith.addi %$firstOf, %j : index
%stage = arith.remui %use, %c$depth : index
%parity = func.call @parity(%use) : (index) -> i32
titan.mbarrier.wait %fullK[%stage : index] parity(%parity) : !bars)");
  if (*o.turns) {
    takeTurn();
    passTurn();
  }
  release("K", "stage");
  w.text("titan.mbarrier.wait %fullV[%stage : index] parity(%parity) : !bars");
  release("V", "stage");
  w.text("}");
}

/// What a warpgroup's partition begins with.
void AttentionText::beginAttend(int64_t group) {
  int64_t groups = o.warpgroups();
  bool turns = *o.turns;
  w.set("partition", partitions[group]);
  w.set("ownRow", "rowg");
  w.set("g", group);
  w.set("inside", 1 + group);
  w.set("firstGrows", asksForGrowth() ? ", %grows0" : "");
  w.set("ownTurn", 1 + groups + group);
  w.set("nextTurn", 1 + groups + (group + 1) % groups);
  w.text(R"(
titan.partition "$partition" warps(4)$attendRegisters {
%noScores = titan.inflight.none : !scoresFlight
%noSums = titan.inflight.none : !outFlight)");
  if (o.tail)
    w.text("%noScoresTail = titan.inflight.none : !scoresFlightTail");
  if (o.persistent && o.ownOutput())
    w.text("%noStore = titan.token.none : !bulk");
  // What is masked are the first blocks.
  blocksAre(o.tail);
  weightConstants();
  blocksAre(false);
  if (o.causal || o.window)
    w.text("%rowIs = titan.coordinate 0 : !where");
  if (o.ragged)
    totals();
  if (turns && group + 1 == groups) {
    w.text("// The first turn is free.");
    passTurn();
  }
}

/// What it ends with: turns and stores that are left.
void AttentionText::endAttend(int64_t group) {
  if (*o.turns && group == 0) {
    w.text("// The last turn that was passed.");
    takeTurn();
  }
  if (o.persistent && o.ownOutput())
    w.text(R"(
titan.elect warp(0) {
titan.bulk.wait %done#$last read : !bulk
})");
  w.text("}");
}

/// What the rows from %rowg on see.
void AttentionText::rowsSee() {
  w.text(R"(
// What the first row sees, and what the last one does not see any more.
%rowKeys = arith.addi %rowg, %keys : index
%sees = arith.addi %rowKeys, %c1 : index
%rowsAhead = arith.subi %rowKeys, %queries : index)");
}

/// All blocks behind the first one; %r is what they leave.
void AttentionText::allBlocks() {
  const char *block0 =
      "%probs = %probs0, %max = %max0, %sum = %sum0, %acc = %noSums";
  if (masksFirst()) {
    blocks("m", w.fill("$second").c_str(), "whole", block0, true);
    blocks("r", "whole", "blocks",
           "%probs = %m#0, %max = %m#1, %sum = %m#2, %acc = %m#3", false);
  } else {
    blocks("r", "c1", "blocks", block0, o.window);
  }
}

void AttentionText::attend(int64_t group) {
  beginAttend(group);
  w.text("%qg = titan.shared.slot %q[%c$g : index] : !ringQ -> !q");
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
  if (o.pack)
    packedRows("head", "rowg");
  else
    w.text("%rowg = arith.addi %row, %c$down : index");
  if (o.causal || o.window)
    rowsSee();
  if (o.window)
    w.text(R"(
%beforeAll = arith.addi %queries, %span : index
%lastDiagonal = arith.addi %rowKeys, %c63 : index)");
  blocksBefore();
  ownBlocks(group);
  if (o.tail)
    w.text("%key0 = arith.muli %whole, %c$keys : index");
  else
    w.text("%key0 = arith.muli %$newestOwn, %c$keys : index");
  w.text(R"(
%stage0 = arith.remui %$firstUse, %c$depth : index
%parity0 = func.call @parity(%$firstUse) : (index) -> i32
%oddTile = arith.remui %i, %c2 : index
%parityQ = arith.index_cast %oddTile : index to i32

// Block 0: Q K^T alone.
titan.mbarrier.wait %fullQ$g parity(%parityQ) : !bar
titan.mbarrier.wait %fullK[%stage0 : index] parity(%parity0) : !bars)");
  if (o.tail) {
    tailAndBlocks();
  } else {
    firstScores();
    allBlocks();
    if (carriesStore)
      w.text(R"(
// Q has been read.
titan.elect {
titan.mbarrier.arrive %emptyQ$g : !bar
})");
    lastProduct();
  }
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
  endAttend(group);
}

/// From %total to what the sums are multiplied by, $inverse.
void AttentionText::finite() {
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
}

/// From %on and %total to O.
void AttentionText::output(int64_t group) {
  bool own = o.persistent && o.ownOutput();
  finite();
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
%lse = math.fma %r#1, %scales, %logs : !row)");
  if (o.lse && !o.ragged)
    w.text("%queries32 = arith.index_cast %queries : index to i32");
  if (o.lse || o.ragged)
    w.text(R"(
%row32 = arith.index_cast %$ownRow : index to i32
%rowBase = titan.splat %row32 : i32 -> !rowIs
%rowIn = titan.coordinate 0 : !rowIs
%rowAt = arith.addi %rowBase, %rowIn : !rowIs
%rowEnd = titan.splat %queries32 : i32 -> !rowIs
%inRow = arith.cmpi slt, %rowAt, %rowEnd : !rowIs
%head32 = arith.index_cast %head : index to i32
%headAt = titan.splat %head32 : i32 -> !rowIs)");
  if (o.ragged)
    w.text(R"(
%sequenceAt = titan.splat %beginQ : i32 -> !rowIs
%rowOfQ = arith.addi %sequenceAt, %rowAt : !rowIs)");
  if (o.lse && o.ragged)
    w.text(R"(
$ifHead
titan.global.store %lse, %LSE[%headAt, %rowOfQ] mask(%inRow : !rowMask) : !row, !sums, !rowIs, !rowIs
$endHead)");
  else if (o.lse)
    w.text(R"(
%batch32 = arith.index_cast %batch : index to i32
%batchAt = titan.splat %batch32 : i32 -> !rowIs
$ifHead
titan.global.store %lse, %LSE[%batchAt, %headAt, %rowAt] mask(%inRow : !rowMask) : !row, !sums, !rowIs, !rowIs, !rowIs
$endHead)");
  w.set("buffer", own ? "og" : "qg");
  if (own)
    w.text(R"(
%og = titan.shared.slot %out[%c$g : index] : $ringO -> !q
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
  w.set("firstRow", o.ragged ? "rowOfO" : w.fill("$ownRow"));
  if (o.ragged)
    w.text(R"(
// Of the rows behind the sequence's last nothing is written: they are another one's.
%rowOfO = arith.addi %rowQ, %$ownRow : index
%rowsEnd = arith.addi %$ownRow, %c64 : index
%isThere = arith.cmpi ult, %any, %allHeads : index
%isInside = arith.cmpi ule, %rowsEnd, %queries : index
%crosses = arith.cmpi ugt, %rowsEnd, %queries : index
%isWhole = arith.andi %isInside, %isThere : i1
%isPart = arith.andi %crosses, %isThere : i1)");
  w.text(own ? "%store = titan.elect warp(0) -> !bulk {"
             : "titan.elect warp(0) {");
  if (o.ragged)
    w.text("scf.if %isWhole {");
  if (halves() == 1)
    w.text(
        "titan.tma.store %$buffer, %mapO[${ofBatch}%$firstRow, %head, %c0] : "
        "!q, !mapQ");
  else
    w.text(R"(
%outLeft = titan.shared.view %$buffer [0, 0] : !q -> !q64
%outRight = titan.shared.view %$buffer [0, 64] : !q -> !q64
titan.tma.store %outLeft, %mapO[${ofBatch}%$firstRow, %head, %c0] : !q64, !mapQ
titan.tma.store %outRight, %mapO[${ofBatch}%$firstRow, %head, %c64] : !q64, !mapQ)");
  if (o.ragged)
    w.text("}");
  w.text("%bulk = titan.bulk.commit : !bulk");
  if (own)
    w.text("titan.yield %bulk : !bulk");
  else
    w.text("titan.bulk.wait %bulk read : !bulk");
  if (o.persistent && !own)
    w.text("titan.mbarrier.arrive %emptyQ$g : !bar");
  w.text("}");
  if (o.ragged)
    w.text(R"(
scf.if %isPart {
%outColumn = titan.coordinate 1 : !outIs
%outRow = titan.broadcast %rowOfQ : !rowIs -> !outIs
%outHead = titan.splat %head32 : i32 -> !outIs
%isOut = titan.broadcast %inRow : !rowMask -> !outMask
titan.global.store %rounded, %O[%outRow, %outHead, %outColumn] mask(%isOut : !outMask) : !out16, !global, !outIs, !outIs, !outIs
})");
}
