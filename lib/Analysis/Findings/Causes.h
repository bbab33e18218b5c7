//===- Causes.h - what follows from what ------------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One cause shows in many runs, in each by what comes first there: a barrier
// that is given too few bytes by a copy that nobody waits for, by phases that
// arrivals fall into or not, at last by waits that do not return. Whoever mends
// the one mends all. So of what is found about one ring (barriers and memory
// that are used together) the cause is told, first:
//
//   counts   bytes, arrivals, threads or slots that do not match: the cause of
//            whatever is found about phases and order
//   first    else what was found first; of two accesses without an order the
//            later one in the text of their thread, or the read, is told
//
// and what follows from it is left out: other phases of the ring, accesses that
// its phases would order, and what is never waited for; of everything, that
// somebody stands somewhere for ever. Fences, indices and the like follow from
// nothing. A finding that is trusted, or no error, is nobody's cause.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_FINDINGS_CAUSES_H
#define TITAN_LIB_ANALYSIS_FINDINGS_CAUSES_H

#include "Report.h"

namespace titan::checker {

/// The findings in the order in which they are told, without what follows from
/// one of them for which `stands` (an error, not trusted).
std::vector<Raw *> findCauses(const Report &report,
                              llvm::function_ref<bool(const Raw &)> stands);

/// Where two accesses have no order, and one of them stands behind the arrival by
/// which its thread gives the slot up: says so in the fix, if there is none.
void nameEarlySignal(const Raw &raw, Finding &finding);

/// Where all lanes of a warp do one of two accesses that have no order, and the
/// arrival that tells of it is one lane's, with nothing between that orders the
/// lanes: says so in the fix, if there is none.
void nameLooseLanes(const Raw &raw, Finding &finding);

/// Where two accesses have no order, and a wait or an arrival of their ring, or
/// one of the cluster's barrier, is relaxed: names it, and says so in the fix.
void nameRelaxed(const Raw &raw, Finding &finding);

} // namespace titan::checker

#endif
