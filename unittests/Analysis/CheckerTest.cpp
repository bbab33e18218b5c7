//===- CheckerTest.cpp - verdicts about small kernels ---------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/Checker.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace titan;

namespace {

CheckReport checkText(std::string text, CheckOptions options = CheckOptions()) {
  MLIRContext context;
  context.loadDialect<TitanDialect, arith::ArithDialect, scf::SCFDialect>();
  auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
  EXPECT_TRUE(module) << text;
  if (!module)
    return {};
  CheckReport report = check(*module->getOps<KernelOp>().begin(), options);
  // Locations die with the context.
  for (Finding &finding : report.findings)
    finding.others.clear();
  return report;
}

/// The codes of all errors, in order of the text.
std::vector<std::string> errors(const CheckReport &report) {
  std::vector<std::string> codes;
  for (const Finding &finding : report.findings)
    if (finding.severity == Severity::Error)
      codes.emplace_back(codeInfo(finding.code).code);
  llvm::sort(codes);
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  return codes;
}
using Codes = std::vector<std::string>;

std::string replaced(std::string text, StringRef from, StringRef to) {
  size_t at = text.find(from.str());
  EXPECT_NE(at, std::string::npos) << from.str();
  if (at != std::string::npos)
    text.replace(at, from.size(), to.str());
  return text;
}

//===----------------------------------------------------------------------===//
// Choices of CTAs
//===----------------------------------------------------------------------===//

/// As many CTAs as there are parts; the first one reads what the last one
/// wrote.
const char *const gather = R"(
titan.kernel @gather(%parts: !titan.global<?xf32>, %flags: !titan.global<1xi32>)
    warps(1) launch {
  %n = titan.dim %parts, 0 : !titan.global<?xf32>
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %n, %sms : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %ctas = titan.num_ctas 0
  %last = arith.subi %ctas, %c1 : index
  %others = arith.index_cast %last : index to i32
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect {
      titan.flag.wait %flags[%c0], %others : !titan.global<1xi32>
      %x = titan.ld %parts[%last] : !titan.global<?xf32> -> f32
    }
  } else {
    titan.elect {
      titan.st %f1, %parts[%cta] : f32, !titan.global<?xf32>
      titan.flag.signal %flags[%c0], %i1 : !titan.global<1xi32>
    }
  }
  titan.return
}
)";

TEST(ChoicesOfCtas, WholeLaunchesAreLookedAt) {
  CheckReport report = checkText(gather);
  EXPECT_EQ(errors(report), Codes{});
  // Each CTA does two things, and grids of one to four are looked at, and of as
  // many CTAs as may wait for one another (MM-26).
  EXPECT_EQ(report.events, 2u * (1 + 2 + 3 + 4 + 64));
}

TEST(ChoicesOfCtas, WriterAndReaderMeet) {
  EXPECT_EQ(
      errors(checkText(replaced(
          gather, "titan.flag.wait %flags[%c0], %others : !titan.global<1xi32>",
          ""))),
      Codes{"race"});
  // One signal of several is not enough for the last CTA's; and a CTA that is
  // alone gets none.
  EXPECT_EQ(errors(checkText(
                replaced(gather, "%flags[%c0], %others", "%flags[%c0], %i1"))),
            (Codes{"deadlock", "race"}));
  // A relaxed addition releases nothing.
  EXPECT_EQ(
      errors(checkText(replaced(
          gather, "titan.flag.signal %flags[%c0], %i1 : !titan.global<1xi32>",
          "%o = titan.atom add %i1, %flags[%c0] : i32, !titan.global<1xi32> "
          "-> i32"))),
      Codes{"race"});
}

TEST(ChoicesOfCtas, WhatNobodyWasSeenToWriteIsUndecided) {
  // The part of a CTA that no small launch has.
  std::string far = replaced(gather, "%first = ", R"(
  %c100 = arith.constant 100 : index
  %distant = arith.addi %cta, %c100 : index
  %first = )");
  EXPECT_EQ(
      errors(checkText(replaced(far, "%parts[%last]", "%parts[%distant]"))),
      Codes{"undecided"});
}

TEST(ChoicesOfCtas, WhatConstantsNeverReachIsLeftOut) {
  EXPECT_EQ(errors(checkText(
                replaced(gather, "%first = arith.cmpi eq, %cta, %c0 : index",
                         "%first = arith.constant true"))),
            Codes{"deadlock"});
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

/// One warp arrives, another waits and answers.
const char *const toAndFro = R"(
titan.kernel @phases(%often: i32) warps(2) launch {
  %c1 = arith.constant 1 : index
  %rounds = arith.index_cast %often : i32 to index
  titan.launch grid(%c1) with(%rounds : index)
} body(%rounds: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %to = titan.mbarrier.alloc : !titan.mbarrier
  %fro = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect warp(0) {
    titan.mbarrier.init %to count(1) : !titan.mbarrier
    titan.mbarrier.init %fro count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "caller" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %rounds step %c1 {
          %odd = arith.remui %i, %c2 : index
          %parity = arith.index_cast %odd : index to i32
          titan.mbarrier.arrive %to : !titan.mbarrier
          titan.mbarrier.wait %fro parity(%parity) : !titan.mbarrier
        }
      }
    }
    titan.partition "answerer" warps(1) {
      titan.elect {
        scf.for %i = %c0 to %rounds step %c1 {
          %odd = arith.remui %i, %c2 : index
          %parity = arith.index_cast %odd : index to i32
          titan.mbarrier.wait %to parity(%parity) : !titan.mbarrier
          titan.mbarrier.arrive %fro : !titan.mbarrier
        }
      }
    }
  }
  titan.return
}
)";

TEST(Phases, Pinned) {
  CheckReport report = checkText(toAndFro);
  EXPECT_EQ(errors(report), Codes{});
  EXPECT_EQ(report.periods, std::vector<std::string>{"rounds 2"});
}

TEST(Phases, AnArrivalMayFallIntoAnother) {
  Codes codes = errors(checkText(replaced(
      toAndFro, "titan.mbarrier.wait %fro parity(%parity) : !titan.mbarrier",
      "")));
  EXPECT_TRUE(llvm::is_contained(codes, "barrier-unobserved") ||
              llvm::is_contained(codes, "phase-ambiguous"))
      << codes.size();
}

TEST(Phases, NobodyArrives) {
  EXPECT_TRUE(llvm::is_contained(
      errors(checkText(replaced(
          toAndFro, "titan.mbarrier.arrive %fro : !titan.mbarrier", ""))),
      "deadlock"));
}

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

/// Four warps store, a fifth one's thread fences and issues the copy.
const char *const foreignFence = R"(
titan.kernel @fence(%D: !titan.global<?x64xbf16>) warps(4) launch {
  %c1 = arith.constant 1 : index
  %map = titan.tensor_map %D : !titan.global<?x64xbf16> -> !titan.tensor_map<64x64xbf16, swizzle = 128>
  titan.launch grid(%c1) with(%map : !titan.tensor_map<64x64xbf16, swizzle = 128>)
} body(%map: !titan.tensor_map<64x64xbf16, swizzle = 128>) {
  %c0 = arith.constant 0 : index
  %f1 = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !titan.shared<64x64xbf16, swizzle = 128>
  %v = titan.splat %f1 : bf16 -> tensor<64x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>
  titan.shared.store %v, %buf : tensor<64x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>>, !titan.shared<64x64xbf16, swizzle = 128>
  titan.cta_sync
  titan.elect warp(0) {
    titan.fence.proxy_async shared_cta
    titan.tma.store %buf, %map[%c0, %c0] : !titan.shared<64x64xbf16, swizzle = 128>, !titan.tensor_map<64x64xbf16, swizzle = 128>
    %g = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %g read : !titan.token<bulk>
  }
  titan.return
}
)";

/// MM-45: a fence covers its own thread's accesses; --strict=off drops that.
TEST(Findings, StrictnessOff) {
  EXPECT_EQ(errors(checkText(foreignFence)), Codes{"proxy-fence-missing"});
  CheckOptions off;
  off.strictness.level = Strictness::Level::Off;
  EXPECT_EQ(errors(checkText(foreignFence, off)), Codes{});
  // Without any fence it is wrong all the same.
  EXPECT_EQ(errors(checkText(replaced(foreignFence,
                                      "titan.fence.proxy_async shared_cta", ""),
                             off)),
            Codes{"proxy-fence-missing"});
}

/// One finding for all warps that show it.
TEST(Findings, OneForAllWarps) {
  // Every warp stores without a barrier before the others' stores.
  CheckReport report = checkText(
      replaced(foreignFence, "titan.cta_sync",
               "titan.st %f1, %buf[%c0, %c0] : bf16, "
               "!titan.shared<64x64xbf16, swizzle = 128>\n titan.cta_sync"));
  int races = 0;
  bool listed = false;
  for (const Finding &finding : report.findings) {
    races += finding.code == Code::Race;
    for (const std::string &event : finding.events)
      listed |= event.find("so it is for warps ") == 0;
  }
  EXPECT_EQ(races, 1);
  EXPECT_TRUE(listed);
}

} // namespace
