//===- Telling.h - one finding a cause and place ----------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What has been collected (Report.h) is told once a code and place of the text,
// without what follows from something else that is told; what somebody trusts
// (titan.trusted) as a note.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_FINDINGS_TELLING_H
#define TITAN_LIB_ANALYSIS_FINDINGS_TELLING_H

#include "Report.h"

namespace titan::checker {

/// A code that somebody accepts at an operation.
struct Trust {
  mlir::Operation *op;
  const CodeInfo *code;
  std::string reason;
  bool used = false;
};

std::vector<Trust> trusts(KernelOp kernel, Report &report);

/// Who accepts the finding; null: nobody.
Trust *trustOf(std::vector<Trust> &trusted, const Raw &raw);

/// The findings as they are told: one a code and place, consequences left out.
void tell(Report &report, std::vector<Trust> &trusted,
          const CheckOptions &options, CheckReport &result);

} // namespace titan::checker

#endif
