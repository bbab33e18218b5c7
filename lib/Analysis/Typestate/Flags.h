//===- Flags.h - signals of flags, and waits for them -----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a CTA does with flags is written down as events (FlagEvent): of each text
// that of the first iteration of its loop, and that of a later one. FlagEvents.cpp
// does so, and says what an event is in an iteration that somebody knows of;
// FlagNeeds.cpp finds which signals a wait needs, and Flags.cpp asks about the events
// of two CTAs.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_TYPESTATE_FLAGS_H
#define TITAN_LIB_ANALYSIS_TYPESTATE_FLAGS_H

#include "Typestate.h"

namespace titan::typestate {

/// What an event is at some iteration of its loop.
struct Performed {
  const FlagEvent *event;
  std::vector<Polynomial> element;
  Polynomial value;
  std::vector<Polynomial> gates;
  Facts facts;
};

/// The event of this text in iteration `at`, which somebody in `within` comes behind,
/// or before.
std::optional<Performed> performedAt(Proof &proof, const FlagCase &of,
                                     ObjectId text, const Polynomial &at,
                                     const Path &within, const Facts &facts);

/// The path is the other one, or leads on from there.
bool isWithin(const Path &path, const Path &prefix);
/// A branch decides.
bool hasSides(const Path &path);
/// Executed by each CTA of the case: no branch decides, and loops are in their first
/// iteration, or one of their last.
bool isExecuted(const Path &path);
/// Two elements of a tensor are one.
bool sameFlag(const Facts &facts, llvm::ArrayRef<Polynomial> a,
              llvm::ArrayRef<Polynomial> b);

} // namespace titan::typestate

#endif
