//===- TritonFixes.cpp - fixes for who writes Triton ----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Target/TritonFixes.h"

std::string_view titan::tritonFix(Code code) {
  switch (code) {
  case Code::Race:
    return "within one program, put tl.debug_barrier() between the two; let "
           "several programs write elements of their own, add up by "
           "tl.atomic_add, or hand on what they write by atomics that release "
           "and acquire (sem=\"acq_rel\"), or from one launch to the next";
  case Code::Undecided:
    return "let what the message names follow from constants, arguments, "
           "program ids and loop counters; or accept it by "
           "--undecided=warning, and run the program under TITAN=simulate, "
           "which looks at the data that it has";
  case Code::UndefinedRead:
    return "give tl.load an other=..., or mask what uses its masked elements; "
           "or write the memory first";
  case Code::OutOfBounds:
    return "mask the access (mask=offsets < n), or pass a larger tensor, or "
           "fewer programs";
  case Code::Misaligned:
    return "pass a tensor that begins at a multiple of its element's size (of "
           "a descriptor, of 16 bytes)";
  case Code::AssertFailed:
    return "pass arguments and data of which the assertion is true; or mask "
           "what must not run there; or correct the computation, or the "
           "assertion";
  case Code::LoopOverflow:
    return "bound the loop by tl.assume(hi <= N); or count in 64 bits "
           "(hi.to(tl.int64))";
  default:
    return codeInfo(code).fix;
  }
}
