//===- AttentionReference.cpp - what attention should compute -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "AttentionText.h"

using namespace titan::kernels;

/// In f64, row by row: the scores' maximum first, then the sums. The error that
/// is allowed: O is rounded, and so is each weight; each score has an error of
/// 2^-18 of the magnitudes that make it, which the exponential passes on.
void AttentionText::reference() {
  w.set("unit", o.element == Element::BF16 ? "0.00390625" : "0.0009765625");
  w.set("least", o.element == Element::BF16 ? "0.0" : "5.9604644775390625e-08");
  std::string more;
  if (o.lse)
    more += w.fill(", %LSE: memref<${rowsAre}xf64> {titan.expected = \"LSE\"}, "
                   "%boundLSE: memref<${rowsAre}xf64> {titan.bound = \"LSE\"}");
  more += ", %scale: f32 {titan.input = \"scale\"}";
  if (o.window)
    more += ", %window: i32 {titan.input = \"window\"}";
  w.set("more", more);
  w.set(
      "startsInput",
      o.ragged
          ? ",\n    %startsQ: memref<?xi32> {titan.input = \"cu_seqlens_q\"}, "
            "%startsK: memref<?xi32> {titan.input = \"cu_seqlens_k\"}"
          : "");
  w.text(R"(
// What it should compute, in f64, and the error allowed: a rounding of the result and
// of each weight, and 2^-18 of the magnitudes that are added to each score.
func.func private @${kernel}_reference(
    %Q: memref<${rowsAre}x${size}x$in> {titan.input = "Q"}, %K: memref<${rowsAre}x${size}x$in> {titan.input = "K"},
    %V: memref<${rowsAre}x${size}x$in> {titan.input = "V"}$startsInput,
    %O: memref<${rowsAre}x${size}xf64> {titan.expected = "O"}, %bound: memref<${rowsAre}x${size}xf64> {titan.bound = "O"}$more) {)");
  w.beginRegion();
  referenceConstants();
  if (o.ragged)
    w.text(R"(
%starts = memref.dim %startsQ, %c0 : memref<?xi32>
%batches = arith.subi %starts, %c1 : index
%heads = memref.dim %Q, %c1 : memref<?x?x${size}x$in>
%mostKeys = memref.dim %K, %c0 : memref<?x?x${size}x$in>
%headsK = memref.dim %K, %c1 : memref<?x?x${size}x$in>)");
  else
    w.text(R"(
%batches = memref.dim %Q, %c0 : memref<?x?x?x${size}x$in>
%queries = memref.dim %Q, %c1 : memref<?x?x?x${size}x$in>
%heads = memref.dim %Q, %c2 : memref<?x?x?x${size}x$in>
%keys = memref.dim %K, %c1 : memref<?x?x?x${size}x$in>
%mostKeys = arith.addi %keys, %c0 : index
%headsK = memref.dim %K, %c2 : memref<?x?x?x${size}x$in>)");
  w.text(R"(
%group = arith.divui %heads, %headsK : index
%scale64 = arith.extf %scale : f32 to f64
%size = arith.constant $size : index)");
  if (o.window)
    w.text("%span = arith.index_cast %window : i32 to index");
  w.text(R"(
%scores = memref.alloc(%mostKeys) : memref<?xf64>
%masses = memref.alloc(%mostKeys) : memref<?xf64>
scf.for %b = %c0 to %batches step %c1 {)");
  if (o.ragged)
    w.text(R"(
%next = arith.addi %b, %c1 : index
%beginQ = memref.load %startsQ[%b] : memref<?xi32>
%endQ = memref.load %startsQ[%next] : memref<?xi32>
%beginK = memref.load %startsK[%b] : memref<?xi32>
%endK = memref.load %startsK[%next] : memref<?xi32>
%queries32 = arith.subi %endQ, %beginQ : i32
%keys32 = arith.subi %endK, %beginK : i32
%queries = arith.index_cast %queries32 : i32 to index
%keys = arith.index_cast %keys32 : i32 to index
%rowQ = arith.index_cast %beginQ : i32 to index
%rowK = arith.index_cast %beginK : i32 to index)");
  w.text(R"(
scf.for %h = %c0 to %heads step %c1 {
%g = arith.divui %h, %group : index
scf.for %i = %c0 to %queries step %c1 {)");
  if (o.ragged)
    w.text("%row = arith.addi %rowQ, %i : index");
  // The keys that row i sees: from %from up to %to.
  if (o.causal)
    w.text(R"(
%moved = arith.addi %i, %keys : index
%beyond = arith.addi %moved, %c1 : index
%behind = arith.maxui %beyond, %queries : index
%to = arith.subi %behind, %queries : index)");
  else
    w.text("%to = arith.addi %keys, %c0 : index");
  if (o.window)
    w.text(R"(
%diagonal = arith.addi %i, %keys : index
%before = arith.addi %queries, %span : index
%inside = arith.maxui %diagonal, %before : index
%from = arith.subi %inside, %before : index)");
  else
    w.text("%from = arith.addi %c0, %c0 : index");
  std::string dims = o.ragged ? "?x?" : "?x?x?";
  w.set("locate", o.ragged ? "\n%rowOfKey = arith.addi %rowK, %s : index" : "");
  w.set("queryAt", o.ragged ? "%row, %h" : "%b, %i, %h");
  w.set("queryRow", dims);
  w.set("keyAt", o.ragged ? "%rowOfKey, %g" : "%b, %s, %g");
  w.set("keyRow", dims);
  w.set("outAt", w.fill("$queryAt"));
  w.set("outRow", dims);
  w.set("outName", "O");
  w.set("sumAt", o.ragged ? "%h, %row" : "%b, %h, %i");
  w.set("sumRow", dims);
  referenceRow(o.lse);
  w.text(R"(
}
}
})");
  endReference();
}

void AttentionText::referenceConstants() {
  w.text(R"(
%zero = arith.constant 0.0 : f64
%one = arith.constant 1.0 : f64
%unit = arith.constant $unit : f64
%least = arith.constant $least : f64
%e18 = arith.constant 3.814697265625e-06 : f64
%infinity = arith.constant 0xFFF0000000000000 : f64)");
}

void AttentionText::endReference() {
  w.text(R"(
memref.dealloc %scores : memref<?xf64>
memref.dealloc %masses : memref<?xf64>
return)");
  w.declare();
  w.text("}");
}

/// Row %i of head %h and batch %b, the keys from %from up to %to: what it should be, and the error that is allowed.
/// $locate finds where key %s is, $keyAt; the results stand in $outAt and $sumAt.
void AttentionText::referenceRow(bool lse) {
  w.text(R"(
%max = scf.for %s = %from to %to step %c1 iter_args(%sofar = %infinity) -> (f64) {$locate
%dot:2 = scf.for %d = %c0 to %size step %c1 iter_args(%sum = %zero, %mass = %zero) -> (f64, f64) {
%q = memref.load %Q[$queryAt, %d] : memref<${queryRow}x${size}x$in>
%k = memref.load %K[$keyAt, %d] : memref<${keyRow}x${size}x$in>
%q32 = arith.extf %q : $in to f32
%k32 = arith.extf %k : $in to f32
%q64 = arith.extf %q32 : f32 to f64
%k64 = arith.extf %k32 : f32 to f64
%p = arith.mulf %q64, %k64 : f64
%m = math.absf %p : f64
%sum1 = arith.addf %sum, %p : f64
%mass1 = arith.addf %mass, %m : f64
scf.yield %sum1, %mass1 : f64, f64
}
%score = arith.mulf %dot#0, %scale64 : f64
%scaled = arith.mulf %dot#1, %scale64 : f64
%size1 = math.absf %scaled : f64
%mass = arith.addf %size1, %one : f64
memref.store %score, %scores[%s] : memref<?xf64>
memref.store %mass, %masses[%s] : memref<?xf64>
%higher = arith.maximumf %sofar, %score : f64
scf.yield %higher : f64
}
%total:2 = scf.for %s = %from to %to step %c1 iter_args(%sum = %zero, %mass = %zero) -> (f64, f64) {
%score = memref.load %scores[%s] : memref<?xf64>
%below = arith.subf %score, %max : f64
%weight = math.exp %below : f64
memref.store %weight, %scores[%s] : memref<?xf64>
%m = memref.load %masses[%s] : memref<?xf64>
%weighted = arith.mulf %weight, %m : f64
%sum1 = arith.addf %sum, %weight : f64
%mass1 = arith.addf %mass, %weighted : f64
scf.yield %sum1, %mass1 : f64, f64
}
%empty = arith.cmpf oeq, %total#0, %zero : f64
%sum = arith.select %empty, %one, %total#0 : f64
scf.for %d = %c0 to %size step %c1 {
%r:4 = scf.for %s = %from to %to step %c1 iter_args(%o = %zero, %a = %zero, %e = %zero, %n = %zero) -> (f64, f64, f64, f64) {$locate
%weight = memref.load %scores[%s] : memref<?xf64>
%m = memref.load %masses[%s] : memref<?xf64>
%v = memref.load %V[$keyAt, %d] : memref<${keyRow}x${size}x$in>
%v32 = arith.extf %v : $in to f32
%v64 = arith.extf %v32 : f32 to f64
%size1 = math.absf %v64 : f64
%p = arith.mulf %weight, %v64 : f64
%q = arith.mulf %weight, %size1 : f64
%t = arith.mulf %q, %m : f64
%o1 = arith.addf %o, %p : f64
%a1 = arith.addf %a, %q : f64
%e1 = arith.addf %e, %t : f64
%n1 = arith.addf %n, %size1 : f64
scf.yield %o1, %a1, %e1, %n1 : f64, f64, f64, f64
}
%value = arith.divf %r#0, %sum : f64
memref.store %value, %$outName[$outAt, %d] : memref<${outRow}x${size}xf64>
%large = math.absf %value : f64
%mean = arith.divf %r#1, %sum : f64
%both = arith.addf %large, %mean : f64
%rounding = arith.mulf %both, %unit : f64
%spread = arith.divf %r#2, %sum : f64
%meanMass1 = arith.divf %total#1, %sum : f64
%shared = arith.mulf %large, %meanMass1 : f64
%wrong = arith.addf %spread, %shared : f64
%scoring = arith.mulf %wrong, %e18 : f64
%flushed = arith.mulf %r#3, %least : f64
%known = arith.addf %rounding, %scoring : f64
%error = arith.addf %known, %flushed : f64
memref.store %error, %bound[$outAt, %d] : memref<${outRow}x${size}xf64>
})");
  if (lse) {
    w.text(R"(
%log = math.log %sum : f64
%lse0 = arith.addf %max, %log : f64
%lse = arith.select %empty, %infinity, %lse0 : f64
%magnitude = math.absf %lse0 : f64
%meanMass = arith.divf %total#1, %sum : f64
%all = arith.addf %magnitude, %meanMass : f64)");
    w.text(o.polynomial ? R"(
// Powers by a polynomial are within 2^-13 of their size, and so is their sum.
%scored = arith.mulf %all, %e18 : f64
%powers = arith.constant 1.220703125e-04 : f64
%errorLSE0 = arith.addf %scored, %powers : f64)"
                        : R"(
%errorLSE0 = arith.mulf %all, %e18 : f64)");
    w.text(R"(
%errorLSE = arith.select %empty, %zero, %errorLSE0 : f64
memref.store %lse, %LSE[$sumAt] : memref<${sumRow}xf64>
memref.store %errorLSE, %boundLSE[$sumAt] : memref<${sumRow}xf64>)");
  }
}
