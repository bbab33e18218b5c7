//===- Print.cpp - The tables as Markdown ---------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Target/Approximations.h"
#include "titan/Target/Mechanisms.h"
#include "titan/Target/Mma.h"
#include "titan/Target/ProxyTable.h"
#include "titan/Target/Target.h"
#include "titan/Target/Tma.h"

#include <bit>

namespace titan {
namespace {

/// Appends a row of a Markdown table; a bar inside a cell is escaped.
void row(std::string &out, std::initializer_list<std::string_view> cells) {
  out += '|';
  for (std::string_view cell : cells) {
    out += ' ';
    for (char c : cell) {
      if (c == '|')
        out += '\\';
      out += c;
    }
    out += " |";
  }
  out += '\n';
}

void head(std::string &out, std::initializer_list<std::string_view> cells) {
  row(out, cells);
  out += '|';
  for (size_t i = 0; i < cells.size(); ++i)
    out += "---|";
  out += '\n';
}

std::string number(int64_t value) {
  return value == TargetInfo::absent ? "—" : std::to_string(value);
}

std::string_view yes(bool b) { return b ? "yes" : "—"; }

std::string_view toString(Waiter waiter) {
  switch (waiter) {
  case Waiter::AnyThreadOfCta:
    return "any thread of the barrier's CTA";
  case Waiter::CommittingThread:
    return "the thread that committed";
  case Waiter::IssuingWarpgroup:
    return "the issuing warpgroup";
  case Waiter::IssuingWarp:
    return "the issuing warp";
  case Waiter::NobodyDirectly:
    return "whoever waits for the phase it was bound to";
  }
  return "";
}

std::string_view toString(Discharge discharge) {
  switch (discharge) {
  case Discharge::Nothing:
    return "nothing";
  case Discharge::SourcesRead:
    return "sources read";
  case Discharge::Done:
    return "done";
  }
  return "";
}

std::string_view toString(PairCondition condition) {
  switch (condition) {
  case PairCondition::Always:
    return "always";
  case PairCondition::SameAccumulatorAndShape:
    return "same accumulator registers and shape";
  case PairCondition::SameAccumulatorShapeKind:
    return "same accumulator, shape, kind and cta_group";
  case PairCondition::SameCtaGroup:
    return "same cta_group";
  case PairCondition::SameCtaGroupAndShape4x256b:
    return "same cta_group, cp of shape 4x256b";
  }
  return "";
}

/// "a[6:4] ^= a[9:7]".
std::string xorText(uint32_t mask, uint32_t shift) {
  if (!mask)
    return "";
  unsigned low = std::countr_zero(mask);
  unsigned high = 31 - std::countl_zero(mask);
  auto bits = [](unsigned h, unsigned l) {
    std::string text = "a[" + std::to_string(h);
    if (h != l)
      text += ":" + std::to_string(l);
    return text + "]";
  };
  return bits(high, low) + " ^= " + bits(high + shift, low + shift);
}

void printLimits(std::string &out) {
  out += "## Targets\n\n";
  head(out, {"target", "vendor", "chips", "compute capability"});
  for (const TargetInfo &target : allTargets())
    row(out, {target.name, target.vendor, target.chips,
              target.computeMajor ? std::to_string(target.computeMajor) + "." +
                                        std::to_string(target.computeMinor)
                                  : std::string("—")});
  out += "\n## What exists\n\n";
  head(out, {"mechanism", "sm_90a", "sm_100a", "gfx942", "source"});
  for (const FeatureInfo &feature : allFeatures())
    row(out, {feature.name, yes(feature.has[0]), yes(feature.has[1]),
              yes(feature.has[2]), feature.source});
  out += "\n## Limits\n\n";
  head(out, {"limit", "what", "unit", "sm_90a", "sm_100a", "gfx942", "source"});
  for (const LimitInfo &limit : allLimits())
    row(out,
        {"`" + std::string(limit.name) + "`", limit.what, limit.unit,
         number(targetInfo(TargetId::Sm90a).*limit.member),
         number(targetInfo(TargetId::Sm100a).*limit.member),
         number(targetInfo(TargetId::Gfx942).*limit.member), limit.source});
  out += "\nRegisters a thread of a CTA that has an SM for itself at launch "
         "(the fullest quarter of the\nregister file decides):\n\n";
  head(out, {"warps", "sm_90a, sm_100a"});
  for (int64_t warps : {4, 8, 9, 12, 13, 16, 17, 20, 24, 32})
    row(out, {std::to_string(warps),
              number(launchRegisters(targetInfo(TargetId::Sm90a), warps))});
}

std::string_view toString(InOrder order) {
  switch (order) {
  case InOrder::Nothing:
    return "nothing";
  case InOrder::Pairs:
    return "the pairs below";
  case InOrder::Everything:
    return "everything";
  }
  return "";
}

void printCompletion(std::string &out) {
  out += "\n## Completion mechanisms\n\nA wait on a token of a mechanism that "
         "completes in order waits for every older token of\nits class and "
         "agent, too.\n\n";
  head(out, {"mechanism", "bound by", "waited for by", "who may wait",
             "in order", "form for sources read", "over at exit",
             "done before it is published", "rule", "source"});
  for (const MechanismInfo &info : mechanisms())
    row(out, {info.name, info.commit.empty() ? "—" : info.commit, info.wait,
              toString(info.waiter), yes(info.completesInOrder),
              yes(info.hasReadWait), toString(info.atExit),
              yes(info.doneBeforePublishing), info.rule, info.source});
  out += "\n## Engines\n\nWhat an engine keeps in order of itself, of what one "
         "thread (wgmma: one warpgroup;\ngfx942: one wave) has issued.\n\n";
  head(out, {"engine", "completes by", "in order", "rule", "source"});
  for (const EngineInfo &engine : engines()) {
    std::string by;
    for (const MechanismInfo &info : mechanisms())
      if (info.engine == engine.engine)
        by += (by.empty() ? "" : ", ") + std::string(info.name);
    row(out, {engine.name, by.empty() ? "at issue" : by,
              toString(engine.inOrder), engine.rule, engine.source});
  }
  out += "\n## Pairs that run in order without a wait\n\nOf one thread (wgmma: "
         "one warpgroup; gfx942: one wave). Every other pair is unordered.\n\n";
  head(out, {"first", "then", "if", "source"});
  for (const OrderedPair &pair : orderedPairs())
    row(out, {toString(pair.first), toString(pair.second),
              toString(pair.condition), pair.source});
}

void printMma(std::string &out) {
  out += "\n## Matrix instructions\n\nExtents in elements; tcgen05 with two "
         "CTAs: M over the pair.\n\n";
  head(out, {"family", "kind", "A", "B", "accumulator", "M", "N", "K", "CTAs",
             "transposed A, B", "source"});
  for (const MmaShape &shape : allMmaShapes()) {
    std::string n = std::to_string(shape.nMin);
    if (shape.nMax != shape.nMin)
      n += " to " + std::to_string(shape.nMax) + " step " +
           std::to_string(shape.nStep);
    row(out, {toString(shape.family), shape.kind, shape.a,
              shape.b.empty() ? "as A" : shape.b, shape.d,
              std::to_string(shape.m), n, std::to_string(shape.k),
              std::to_string(shape.ctas), yes(shape.transpose), shape.source});
  }
}

void printTma(std::string &out) {
  out += "\n## TMA: element types\n\n";
  head(out, {"type", "CUtensorMapDataType", ".elemtype", "bits", "NaN fill",
             "sm_90a", "source"});
  for (const TmaType &type : tmaTypes())
    row(out,
        {type.name, std::to_string(type.driver), std::to_string(type.replace),
         std::to_string(type.bits), yes(type.nanFill),
         yes(type.existsOn(targetInfo(TargetId::Sm90a))), type.source});
  out += "\n## TMA: swizzles\n\nThe XOR is on bits of the absolute "
         "shared-memory address `a`.\n\n";
  head(out,
       {"mode", "CUtensorMapSwizzle", ".swizzle_mode", ".swizzle_atomicity",
        "span", "atom", "period", "function", "sm_90a", "source"});
  for (const TmaSwizzle &swizzle : tmaSwizzles()) {
    std::string function = xorText(swizzle.mask, swizzle.shift);
    std::string second = xorText(swizzle.mask2, swizzle.shift2);
    if (!second.empty())
      function += ", " + second;
    if (swizzle.loadOnly)
      function += " (loads only)";
    if (swizzle.storeOnly)
      function += " (stores only)";
    row(out,
        {swizzle.name, std::to_string(swizzle.driver),
         std::to_string(swizzle.replaceMode),
         std::to_string(swizzle.replaceAtomicity),
         swizzle.span ? std::to_string(swizzle.span) + " bytes"
                      : std::string("any"),
         std::to_string(swizzle.atom) + " bytes",
         std::to_string(swizzle.period) + " bytes",
         function.empty() ? "identity" : function,
         yes(swizzle.existsOn(targetInfo(TargetId::Sm90a))), swizzle.source});
  }
  out += "\n## TMA: reductions\n\n";
  head(out, {"operation", "element types", "source"});
  for (const TmaReduction &reduction : tmaReductions())
    row(out, {reduction.op, reduction.types, reduction.source});
}

void printApproximations(std::string &out) {
  out +=
      "\n## Approximations\n\nThe largest error of an instruction: relative "
      "to the exact result, absolute, or in units of the last place. `titan "
      "run --approx` moves\nresults within it. What math's functions become, "
      "in f32, follows; f16 and bf16 are computed in f32 and rounded.\n\n";
  head(out, {"instruction", "operands", "error", "source"});
  auto bound = [](double value) -> std::string {
    double pi = value / 3.14159265358979323846;
    if (value > 1e30 || value < -1e30)
      return value < 0 ? "−∞" : "∞";
    if (pi == static_cast<int>(pi))
      return std::to_string(static_cast<int>(pi)) + "π";
    return value > 1.5 ? "2" : value > 0.25 ? "0.5" : "0";
  };
  for (const ErrorBound &each : errorBounds())
    row(out,
        {"`" + std::string(each.instruction) + "`",
         bound(each.low) + " to " + bound(each.high),
         std::string(each.text) +
             (each.kind == ErrorBound::Relative   ? " of the result"
              : each.kind == ErrorBound::Absolute ? " absolute"
                                                  : ""),
         each.source.empty() ? "polynomials and `ex2.approx.f32`: "
                               "lib/Conversion/TitanToLLVM/Elementwise.cpp"
                             : "PTX \"" + std::string(each.source) + "\""});
  out += "\n";
  head(out, {"function", "becomes"});
  for (const ApproximateFunction &each : approximateFunctions()) {
    auto constant = [](double value) -> std::string {
      return value > 1 ? "log2(e)" : value > 0.5 ? "ln(2)" : "log10(2)";
    };
    row(out,
        {"`math." + std::string(each.name) + "` x",
         std::string(each.after == 1 ? "" : constant(each.after) + " · ") +
             "`" + std::string(each.instruction) + "` of " +
             (each.before == 1 ? "" : constant(each.before) + " · ") + "x"});
  }
  row(out,
      {"`arith.divf` x, y `fastmath<afn>`",
       "`" + std::string(approximateDivision().instruction) + "` of x, y"});
  row(out, {"`math.sqrt` x `fastmath<afn>`",
            "`" + std::string(approximateRoot().instruction) + "` of x"});
}

} // namespace

std::string printHardwareFacts() {
  std::string out =
      "# Hardware facts\n\n"
      "Printed from the tables of lib/Target, and compared with them by a "
      "test; do not edit. After a\nchange of a table: `TITAN_UPDATE_DOCS=1 "
      "build/bin/TitanTargetTests`.\n\n";
  printLimits(out);
  printCompletion(out);
  out += "\n## What orders two accesses\n\nThe rows are explained in "
         "docs/memory-model.md.\n\n";
  out += printProxyTable();
  printMma(out);
  printApproximations(out);
  printTma(out);
  return out;
}

std::string printCodes() {
  std::string out =
      "# Codes\n\n"
      "Every refusal has one of these codes. `titan explain CODE` says more. "
      "Printed from\ninclude/titan/Target/Codes.def, and compared with it by "
      "a test; do not edit. Rules MM-… are those\nof docs/memory-model.md.\n\n";
  head(out, {"code", "what", "level", "rule", "fix", "source"});
  for (const CodeInfo &info : allCodes()) {
    std::string level(titan::toString(info.severity));
    if (info.strictSeverity != info.severity)
      level += ", strict " + std::string(titan::toString(info.strictSeverity));
    if (!info.flag.empty())
      level += " (`--" + std::string(info.flag) + "`)";
    row(out, {"`" + std::string(info.code) + "`", info.title, level, info.rule,
              info.fix, info.source});
  }
  return out;
}

} // namespace titan
