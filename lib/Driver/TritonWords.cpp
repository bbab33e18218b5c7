//===- TritonWords.cpp - verdicts on Triton programs, in their words ------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is checked of a Triton program is the kernel that it has become: findings,
// fixes and verdicts speak of titan IR, of which its author has written nothing.
// Here is all that is said otherwise where the program came from Triton; what a
// code's fix is there, TritonFixes.h says.
//
//===----------------------------------------------------------------------===//
#include "titan/Driver/Verdict.h"

#include "titan/Target/TritonFixes.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace titan;

namespace {
struct Words {
  StringRef ofTitan, ofTriton;
};
} // namespace

/// Of a loop that asks memory whether it goes on, by an atomic as of a lock.
static constexpr llvm::StringLiteral spins =
    "what other programs write decides that: run the program under "
    "TITAN=simulate, or its text by titan run, in several schedules "
    "(TITAN_SCHEDULE, --schedule: eager, lazy, random:SEED), which find a wait "
    "that never ends; and accept it here by --undecided=warning";

/// Of whole phrases first: one may hold the words of another.
static constexpr Words words[] = {
    // Bounds.
    {", by titan.require in the launch region, or by titan.assume where it is "
     "loaded",
     ")"},
    {"bound it: ", "bound it by tl.assume("},
    {"count by index, or by a wider integer (arith.extsi of the bounds and the "
     "step)",
     "count in 64 bits (.to(tl.int64))"},
    {"bound the factors of which a product leaves its bits",
     "bound the factors of which a product leaves its bits, as by "
     "tl.assume(tl.num_programs(0) <= 65536)"},
    {"give the loop a known period, a static depth or stride",
     "let the bounds of the loop follow from arguments and program ids, and be "
     "close (tl.assume(hi <= N))"},
    // Where to say what.
    {"in the launch region, by titan.require,",
     "of arguments by tl.assume, or by --launch-check,"},
    {"titan.require in the launch region", "tl.assume or --launch-check"},
    {"titan.require", "tl.assume or --launch-check"},
    {"say by titan.assume",
     "say by tl.assume of one number, or by tl.device_assert (with debug=True) "
     "of one or of a tensor,"},
    {"titan.assume says", "tl.assume or tl.device_assert says"},
    {"titan.assert", "tl.device_assert"},
    {"accept with titan.trusted {code, reason}; or --undecided=warning",
     "accept it by --undecided=warning, and run the program under "
     "TITAN=simulate, which looks at the data that it has"},
    // Loops that wait.
    {"numbers that an atom add of 1 brings, posted as the only ones in the "
     "slots of a pipe, are dealt out in turn where each loop that reads them "
     "runs while its number is below a bound (arith.cmpi slt, ult; "
     "docs/memory-model.md, MM-121)",
     spins},
    {"wait by titan.flag.wait for the value that ends the loop: the checker "
     "knows that wait, and which signals it is behind",
     spins},
    // Who does what.
    {"give each lane an element of its own",
     "give each element of the tensor a place of its own"},
    {"'titan.global.load'", "tl.load"},
    {"'titan.ld'", "tl.load"},
    {"'titan.cp_async'", "the copy ahead of a tl.load (num_stages)"},
    {"'titan.global.store'", "tl.store"},
    {"'titan.st'", "tl.store"},
    {"'titan.global.atom'", "an atomic of tl"},
    {"'titan.atom' (exch where)", "tl.atomic_cas"},
    {"'titan.atom' (exch)", "tl.atomic_xchg"},
    {"'titan.atom' (add)", "tl.atomic_add"},
    {"'titan.atom' (and)", "tl.atomic_and"},
    {"'titan.atom' (or)", "tl.atomic_or"},
    {"'titan.atom' (xor)", "tl.atomic_xor"},
    {"'titan.atom'", "an atomic of tl"},
    {"a CTA id", "a program id"},
    {"CTA", "program"},
};

static void say(std::string &text) {
  for (const auto &[here, there] : words)
    for (size_t at = 0; (at = text.find(here, at)) != std::string::npos;
         at += there.size())
      text.replace(at, here.size(), there);
}

/// Fixes name variables as Python does.
static void sayFix(std::string &fix) {
  say(fix);
  std::string plain;
  for (size_t i = 0; i < fix.size(); ++i)
    if (fix[i] != '%' || i + 1 == fix.size() ||
        !(llvm::isAlpha(fix[i + 1]) || fix[i + 1] == '_'))
      plain += fix[i];
  fix = std::move(plain);
}

static void sayFor(Finding &finding) {
  if (finding.fix.empty())
    finding.fix = tritonFix(finding.code);
  sayFix(finding.fix);
  say(finding.message);
  for (FindingPlace &place : finding.others)
    say(place.what);
  llvm::for_each(finding.events, say);
}

void KernelVerdict::sayForTriton() {
  llvm::for_each(search.findings, sayFor);
  for (auto *lines : {&search.counts, &search.periods, &search.launches,
                      &search.skipped, &search.assumed})
    llvm::for_each(*lines, say);
  std::optional<ProofReport> &proof = this->proof ? this->proof : stopped;
  if (!proof)
    return;
  // Of a loop's copies into the slots of a ring.
  StringRef reason = proof->reason;
  if (proof->goOn.empty() && reason.contains("not shown to be in order") &&
      reason.contains("'titan.cp_async'"))
    proof->goOn = "num_stages=1, of the loop by tl.range, copies nothing ahead";
  say(proof->reason);
  sayFix(proof->goOn);
  llvm::for_each(proof->assumptions, say);
}
