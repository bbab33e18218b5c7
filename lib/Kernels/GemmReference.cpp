//===- GemmReference.cpp - what a GEMM should compute ---------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "GemmText.h"

using namespace titan::kernels;

/// The function that says what the kernel should compute, in f64, and the error
/// allowed: a rounding of the result, and what summing the products may lose of
/// the sum of their magnitudes.
void GemmText::reference() {
  w.set("memIn", w.fill("memref<${many}?x?x$in>"));
  w.set("memB", w.fill("memref<${manyB}?x?x$in>"));
  w.set("memOut", w.fill("memref<${many}?x?x$out>"));
  w.set("memSum", w.fill("memref<${many}?x?xf64>"));
  w.set("memBias", w.fill("memref<${manyB}?xf32>"));
  std::string arguments;
  if (isGrouped())
    arguments += "%offsets: memref<?xi32> {titan.input = \"offsets\"}, ";
  if (o.alpha)
    arguments += "%alpha: f32 {titan.input = \"alpha\"}, ";
  if (o.beta)
    arguments += "%C: $memOut {titan.input = \"C\"}, "
                 "%beta: f32 {titan.input = \"beta\"}, ";
  if (o.bias)
    arguments += "%bias: $memBias {titan.input = \"bias\"}, ";
  if (cuts())
    arguments += "%pages: memref<?x${rows}x${columns}xf64> {titan.expected = "
                 "\"pages\"}, %lent: memref<?x${rows}x${columns}xf64> "
                 "{titan.bound = \"pages\"}, %flags: memref<?xi32> "
                 "{titan.expected = \"flags\"},";
  w.set("more", w.fill(arguments));
  // Where the result is exact for small integers, nothing is allowed there.
  w.set("exact", isExact() ? " attributes {titan.exact}" : "");
  w.set("unit", o.output == Element::BF16  ? "0.00390625"
                : o.output == Element::F16 ? "0.0009765625"
                                           : "9.5367431640625e-07");
  if (o.isFp8()) {
    w.set("between", o.promote ? "a stage's" : "K's");
    w.text(R"(
// What it should compute, in f64, and the error allowed: a rounding of the
// result, and of the magnitudes that are added 34 * 2^-13 for each of $between
// instructions of K = 32: each cuts off less than 2^-13 of its largest term from each
// of its 33 terms, and as much of their sum.)");
  } else {
    w.text(R"(
// What it should compute, in f64, and the error allowed: a rounding of the
// result, and 2^-20 of the magnitudes that are added.)");
  }
  w.text(R"(
func.func private @${kernel}_reference(
    %A: $memIn {titan.input = "A"}, %B: $memB {titan.input = "B"}, $more
    %D: $memSum {titan.expected = "D"}, %bound: $memSum {titan.bound = "D"})$exact {)");
  w.beginRegion();
  w.text(R"(
%zero = arith.constant 0.0 : f64
%unit = arith.constant $unit : f64)");
  if (!o.isFp8()) {
    w.text("%lost = arith.constant 9.5367431640625e-07 : f64");
  } else if (o.promote) {
    w.set("lost", std::to_string(34.0 / 8192 * double(o.tileK) / 32));
    w.text("%lost = arith.constant $lost : f64");
  } else {
    w.text(R"(
%cut = arith.constant 0.004150390625 : f64
%k = memref.dim %A, %c$depthOfA : $memIn
%instructions = arith.ceildivui %k, %c32 : index
%instructions32 = arith.index_cast %instructions : index to i32
%instructions64 = arith.uitofp %instructions32 : i32 to f64
%lost = arith.mulf %cut, %instructions64 : f64)");
  }
  if (o.alpha)
    w.text("%factor = arith.extf %alpha : f32 to f64");
  if (o.beta)
    w.text("%share = arith.extf %beta : f32 to f64");
  w.text(R"(
linalg.fill ins(%zero : f64) outs(%D : $memSum)
linalg.fill ins(%zero : f64) outs(%bound : $memSum))");
  if (cuts())
    w.text(R"(
// What the pages hold behind a launch is nobody's; flags are as before.
%anything = arith.constant 1.0e300 : f64
linalg.fill ins(%zero : f64) outs(%pages : memref<?x${rows}x${columns}xf64>)
linalg.fill ins(%anything : f64) outs(%lent : memref<?x${rows}x${columns}xf64>)
linalg.fill ins(%i0 : i32) outs(%flags : memref<?xi32>))");
  GemmViews views{.a = {"%A", w.fill("$memIn")},
                  .b = {"%B", w.fill("$memB")},
                  .d = {"%D", w.fill("$memSum")},
                  .bound = {"%bound", w.fill("$memSum")},
                  .c = {"%C", w.fill("$memOut")},
                  .bias = {"%bias", w.fill("$memBias")}};
  if (isGrouped())
    eachGroup(std::move(views));
  else
    referenceOf(views);
  if (o.gate)
    w.text(R"(
memref.dealloc %up : $memSum
memref.dealloc %upBound : $memSum)");
  w.text("return");
  w.declare();
  w.text("}");
}

void GemmText::referenceOf(GemmViews &views) {
  if (o.gate && !isGrouped())
    halve(views);
  referenceSums(views.a, views.b, views.d, views.bound);
  if (o.gate)
    referenceSums(views.a, views.bUp, views.up, views.upBound);
  referenceValue(views);
}

/// The same of each group's rows, with its part of B and of bias.
void GemmText::eachGroup(GemmViews views) {
  w.text(R"(
%groups = memref.dim %B, %c0 : $memB
%kOf = memref.dim %B, %c$depthOfB : $memB
%n = memref.dim %D, %c1 : $memSum)");
  if (o.gate)
    w.text(R"(
%m = memref.dim %D, %c0 : $memSum
%up = memref.alloc(%m, %n) : $memSum
%upBound = memref.alloc(%m, %n) : $memSum
linalg.fill ins(%zero : f64) outs(%up : $memSum)
linalg.fill ins(%zero : f64) outs(%upBound : $memSum))");
  w.text(R"(
scf.for %g = %c0 to %groups step %c1 {
%next = arith.addi %g, %c1 : index
%begin32 = memref.load %offsets[%g] : memref<?xi32>
%end32 = memref.load %offsets[%next] : memref<?xi32>
%begin = arith.index_cast %begin32 : i32 to index
%end = arith.index_cast %end32 : i32 to index
%height = arith.subi %end, %begin : index)");
  auto view = [&](GemmView &of, const char *name, std::string place,
                  std::string sizes, bool ranked) {
    w.set("whole", of.name);
    w.set("wholeType", of.type);
    w.set("place", w.fill(place));
    w.set("sizesOfView", w.fill(sizes));
    bool matrix = sizes.find(", ") != std::string::npos;
    w.set("ones", matrix ? "1, 1" : "1");
    if (ranked) {
      w.set("place", w.fill("%g, $place"));
      w.set("sizesOfView", w.fill("1, $sizesOfView"));
      w.set("ones", w.fill("1, $ones"));
    }
    std::string element = of.type.substr(of.type.rfind('x') + 1);
    element.pop_back();
    std::string type = (matrix ? "memref<?x?x" + element + ", strided<[?, 1]"
                               : "memref<?x" + element + ", strided<[1]") +
                       ", offset: ?>>";
    w.set("viewType", type);
    w.set("name", name);
    w.text("$name = memref.subview $whole[$place] [$sizesOfView] [$ones] : "
           "$wholeType to $viewType");
    of = {name, type};
  };
  const char *rows = "%begin, 0", *sizes = "%height, %n";
  const char *sizesB = o.transposedB ? "%kOf, %n" : "%n, %kOf";
  views.bUp = views.b;
  views.biasUp = views.bias;
  view(views.a, "%ofA", o.transposedA ? "0, %begin" : rows,
       o.transposedA ? "%kOf, %height" : "%height, %kOf", false);
  view(views.b, "%ofB", "0, 0", sizesB, true);
  view(views.d, "%ofD", rows, sizes, false);
  view(views.bound, "%ofBound", rows, sizes, false);
  if (o.beta)
    view(views.c, "%ofC", rows, sizes, false);
  if (o.bias)
    view(views.bias, "%ofBias", "0", "%n", true);
  if (o.gate) {
    views.up = {"%up", w.fill("$memSum")};
    views.upBound = {"%upBound", w.fill("$memSum")};
    view(views.bUp, "%ofBUp", o.transposedB ? "0, %n" : "%n, 0", sizesB, true);
    view(views.up, "%ofUp", rows, sizes, false);
    view(views.upBound, "%ofUpBound", rows, sizes, false);
    if (o.bias)
      view(views.biasUp, "%ofBiasUp", "%n", "%n", true);
  }
  referenceOf(views);
  w.text("}");
}

/// The gate's half of B and of bias, and the other; and room for the latter's
/// sums.
void GemmText::halve(GemmViews &views) {
  w.set("D", views.d.name);
  w.set("typeD", views.d.type);
  w.text(R"(
%m = memref.dim $D, %c$rowsOfD : $typeD
%n = memref.dim $D, %c$columnsOfD : $typeD
%kOf = memref.dim %B, %c$depthOfB : $memB)");
  if (isStacked())
    w.text("%batches = memref.dim $D, %c0 : $typeD");
  w.set("first", isStacked() ? "0, " : "");
  w.set("all", isStacked() ? "%batches, " : "");
  w.set("unit", isStacked() ? "1, " : "");
  w.set("sizesB", o.transposedB ? "%kOf, %n" : "%n, %kOf");
  w.set("placeB", o.transposedB ? "0, %n" : "%n, 0");
  w.set("stridesB", isStacked() ? "?, ?, 1" : "?, 1");
  w.set("viewB", w.fill("memref<${many}?x?x$in, strided<[$stridesB]"));
  views.bUp = {"%U", w.fill("$viewB, offset: ?>>")};
  views.b = {"%G", w.fill("$viewB>>")};
  views.up = {"%up", w.fill("$memSum")};
  views.upBound = {"%upBound", w.fill("$memSum")};
  w.text(R"(
%G = memref.subview %B[${first}0, 0] [${all}$sizesB] [${unit}1, 1] : $memB to $viewB>>
%U = memref.subview %B[${first}$placeB] [${all}$sizesB] [${unit}1, 1] : $memB to $viewB, offset: ?>>
%up = memref.alloc(${all}%m, %n) : $memSum
%upBound = memref.alloc(${all}%m, %n) : $memSum
linalg.fill ins(%zero : f64) outs(%up : $memSum)
linalg.fill ins(%zero : f64) outs(%upBound : $memSum))");
  if (!o.bias)
    return;
  w.set("viewBias", w.fill(isStacked() ? "memref<?x?xf32, strided<[?, 1]"
                                       : "memref<?xf32, strided<[1]"));
  views.bias = {"%g", w.fill("$viewBias>>")};
  views.biasUp = {"%u", w.fill("$viewBias, offset: ?>>")};
  w.text(R"(
%g = memref.subview %bias[${first}0] [${all}%n] [${unit}1] : $memBias to $viewBias>>
%u = memref.subview %bias[${first}%n] [${all}%n] [${unit}1] : $memBias to $viewBias, offset: ?>>)");
}

/// All products into `sums`, and their magnitudes into `masses`.
void GemmText::referenceSums(const GemmView &A, const GemmView &B,
                             const GemmView &sums, const GemmView &masses) {
  w.set("mapOfA", o.transposedA ? "k, m" : "m, k");
  w.set("mapOfB", o.transposedB ? "k, n" : "n, k");
  w.set("batch", isStacked() ? "z, " : "");
  w.set("parallel", isStacked() ? "\"parallel\", " : "");
  w.set("A", A.name);
  w.set("B", B.name);
  w.set("typeA", A.type);
  w.set("typeB", B.type);
  w.set("sums", sums.name);
  w.set("masses", masses.name);
  w.set("typeSums", sums.type);
  w.set("typeMasses", masses.type);
  w.text(R"(
linalg.generic {
    indexing_maps = [affine_map<(${batch}m, n, k) -> ($batch$mapOfA)>, affine_map<(${batch}m, n, k) -> ($batch$mapOfB)>,
                     affine_map<(${batch}m, n, k) -> (${batch}m, n)>, affine_map<(${batch}m, n, k) -> (${batch}m, n)>],
    iterator_types = [$parallel"parallel", "parallel", "reduction"]}
    ins($A, $B : $typeA, $typeB) outs($sums, $masses : $typeSums, $typeMasses) {
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
}

/// From sums and magnitudes, in place, to what D should hold and the error
/// allowed.
void GemmText::referenceValue(const GemmViews &views) {
  std::string maps, names, types, blocks;
  auto input = [&](const char *map, const GemmView &view, const char *block,
                   std::string element) {
    std::string comma = names.empty() ? "" : ", ";
    maps += w.fill(std::string("affine_map<(${batch}m, n) -> (${batch}") + map +
                   ")>, ");
    names += comma + view.name;
    types += comma + view.type;
    blocks += std::string(block) + ": " + element + ", ";
  };
  if (o.beta)
    input("m, n", views.c, "%c", std::string(toString(o.output)));
  if (o.bias)
    input("n", views.bias, "%b", "f32");
  if (o.gate) {
    if (o.bias)
      input("n", views.biasUp, "%bUp", "f32");
    input("m, n", views.up, "%sumUp", "f64");
    input("m, n", views.upBound, "%magnitudeUp", "f64");
  }
  w.set("maps", maps);
  w.set("ins", names.empty() ? "" : "ins(" + names + " : " + types + ") ");
  w.set("blocks", blocks);
  w.set("D", views.d.name);
  w.set("bound", views.bound.name);
  w.set("typeD", views.d.type);
  w.set("typeBound", views.bound.type);
  w.text(R"(
linalg.generic {
    indexing_maps = [${maps}affine_map<(${batch}m, n) -> (${batch}m, n)>, affine_map<(${batch}m, n) -> (${batch}m, n)>],
    iterator_types = [$parallel"parallel", "parallel"]}
    ${ins}outs($D, $bound : $typeD, $typeBound) {
^bb0($blocks%sum: f64, %magnitude: f64):)");
  referenceTerm("");
  w.set("error", "summing");
  referenceActivation();
  if (o.gate) {
    std::string active = w.fill("$value"), error = w.fill("$error");
    referenceTerm("Up");
    w.set("active", active);
    w.set("error", error);
    w.text(R"(
  %gated = arith.mulf %$active, %$value : f64
  %sizeOfGate = math.absf %$active : f64
  %sizeOfUp = math.absf %$value : f64
  %wrongUp = arith.mulf %sizeOfGate, %summingUp : f64
  %wrongGate = arith.mulf %sizeOfUp, %$error : f64
  %wrongBoth = arith.mulf %$error, %summingUp : f64
  %wrongEach = arith.addf %wrongUp, %wrongGate : f64
  %wrong = arith.addf %wrongEach, %wrongBoth : f64)");
    w.set("value", "gated");
    w.set("error", "wrong");
  }
  w.text(R"(
  %size = math.absf %$value : f64
  %rounding = arith.mulf %size, %unit : f64
  %allowed = arith.addf %rounding, %$error : f64
  linalg.yield %$value, %allowed : f64, f64
})");
}

/// %$value, of a sum; and what summing may lose, %summing.
void GemmText::referenceTerm(const char *suffix) {
  w.set("s", suffix);
  w.set("value", w.fill("sum$s"));
  w.set("mass", w.fill("magnitude$s"));
  auto next = [&](const char *value, const char *mass) {
    w.set("value", w.fill(std::string(value) + "$s"));
    w.set("mass", w.fill(std::string(mass) + "$s"));
  };
  if (o.alpha) {
    w.text(R"(
  %scaled$s = arith.mulf %factor, %$value : f64
  %products$s = arith.mulf %factor, %$mass : f64
  %scaledMass$s = math.absf %products$s : f64)");
    next("scaled", "scaledMass");
  }
  if (o.beta) {
    if (o.output != Element::F32)
      w.text(R"(
  %old32 = arith.extf %c : $out to f32
  %old64 = arith.extf %old32 : f32 to f64)");
    else
      w.text("  %old64 = arith.extf %c : f32 to f64");
    w.text(R"(
  %part = arith.mulf %share, %old64 : f64
  %partMass = math.absf %part : f64
  %blended = arith.addf %$value, %part : f64
  %blendedMass = arith.addf %$mass, %partMass : f64)");
    next("blended", "blendedMass");
  }
  if (o.bias) {
    w.text(R"(
  %b64$s = arith.extf %b$s : f32 to f64
  %bMass$s = math.absf %b64$s : f64
  %biased$s = arith.addf %$value, %b64$s : f64
  %biasedMass$s = arith.addf %$mass, %bMass$s : f64)");
    next("biased", "biasedMass");
  }
  w.text("  %summing$s = arith.mulf %$mass, %lost : f64");
}

/// The activation of %$value, and its error of an argument that is wrong by
/// %summing.
void GemmText::referenceActivation() {
  w.set("input", w.fill("$value"));
  switch (o.activation) {
  case Activation::None:
    return;
  case Activation::ReLU:
    w.text("  %active = arith.maximumf %$value, %zero : f64");
    w.set("value", "active");
    return;
  case Activation::GELU:
    w.text(R"(
  %one = arith.constant 1.0 : f64
  %two = arith.constant 0.5 : f64
  %root = arith.constant 0.70710678118654752 : f64
  %inner = arith.mulf %$value, %root : f64
  %erf = math.erf %inner : f64
  %gate = arith.addf %erf, %one : f64
  %half = arith.mulf %$value, %two : f64
  %active = arith.mulf %half, %gate : f64)");
    w.set("approximate", "9.5367431640625e-07");
    w.set("unitName", "what it is multiplied by is good to 2^-21");
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
    w.set("approximate", "9.5367431640625e-07");
    w.set("unitName", "ex2.approx is good to a few ulp");
    break;
  case Activation::SiLU:
    w.text(R"(
  %one = arith.constant 1.0 : f64
  %negative = arith.negf %$value : f64
  %power = math.exp %negative : f64
  %below = arith.addf %power, %one : f64
  %active = arith.divf %$value, %below : f64)");
    w.set("approximate", "9.5367431640625e-07");
    w.set("unitName", "ex2.approx is good to a few ulp");
    break;
  }
  w.text(R"(
  // Its slope is below 1.13; $unitName.
  %steep = arith.constant 1.13 : f64
  %unsure = arith.constant $approximate : f64
  %bent = arith.mulf %summing, %steep : f64
  %input = math.absf %$input : f64
  %approximate = arith.mulf %input, %unsure : f64
  %error = arith.addf %bent, %approximate : f64)");
  w.set("value", "active");
  w.set("error", "error");
}
