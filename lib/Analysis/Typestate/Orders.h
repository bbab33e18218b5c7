//===- Orders.h - questions about two iterations ----------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// X(v) is before Y(w) where a use that X releases is one that Y knows:
// use(v) < knows(w). For a pair of texts the question is whether facts about
// v and w, that their bytes meet, and that neither is before the other,
// contradict each other. What speaks of w has atoms of its own (t').
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_TYPESTATE_ORDERS_H
#define TITAN_LIB_ANALYSIS_TYPESTATE_ORDERS_H

#include "Typestate.h"

namespace titan::typestate {

/// One of these holds.
using Clause = std::vector<Facts>;

/// Whether nothing satisfies the facts and one case of each clause.
bool contradict(Proof &proof, Facts facts, std::vector<Clause> clauses);

/// That sums up to x, which is none below 1 and none above their `count`, are no less
/// than their terms.
void addSums(Atoms &atoms, llvm::ArrayRef<Proof::Summed> summed,
             const Polynomial &x, Facts &facts);
/// Of each two sums of what loops add, by which of them is longer (Sums.cpp).
void addSumsOfTwo(Proof &proof, const Facts &facts,
                  std::vector<Clause> &clauses);

/// No integers make it 0, since its coefficients have a divisor that the constant does
/// not have: 4 t - 4 t' + 1.
bool neverZero(const Polynomial &p);

/// What the other instance differs in: iterations; coordinates of elements, too; ids
/// of CTAs, too.
enum class Instance : uint8_t { Iteration, Element, Cta };

/// The same for another instance.
Polynomial other(Proof &proof, const Polynomial &p,
                 Instance of = Instance::Iteration);
Facts other(Proof &proof, const Facts &facts,
            Instance of = Instance::Iteration);

/// Adds what quotients of the one instance have to do with those of the other one, of
/// what is known of both.
void relateInstances(Proof &proof, Facts &facts, Instance of);

/// That two instances of one text differ in an iteration (or in a CTA's id).
Clause different(Proof &proof, const std::vector<Atom> &atoms);

/// By the sign of what a factor that stays the same is multiplied with in p.
Clause bySign(Proof &proof, const Polynomial &p);
/// Whether a titan.assume stands behind what may wait.
bool hasLatePromise(Proof &proof);
/// The element behind this one, of a tensor whose elements do not fall.
std::optional<Atom> nextElement(Proof &proof, Atom element);
/// Elements of tensors that do not fall, of X's instance and of Y's: the one of the
/// greater place is as great.
void addRising(Proof &proof, const Access &x, const Access &y, const Facts &all,
               std::vector<Clause> &clauses);

/// Of numbers that CTAs take from a counter: two are the same one only of one CTA, and
/// one of its iterations.
void addTickets(Proof &proof, const Access &x, const Access &y, Instance of,
                std::vector<Clause> &clauses);

/// That none of X's releases is known to be over; `fenced`: those behind a fence
/// of X's threads. `own`: X speaks of the first instance, else of the other.
void notBefore(Proof &proof, const Access &x, const Knowledge &knows, bool own,
               bool fenced, std::vector<Clause> &clauses);

/// Two sides of a branch, which is where the paths part: how many steps are there
/// up to it, the branch included; 0: they are none.
size_t sidesApart(const Path &x, const Path &y);

/// The atoms of a path's iterations.
std::vector<Atom> iterationsOf(const Path &path);

/// Whether two instances of accesses to global memory do not meet: of one CTA, or of
/// two (which differ, where `differ`).
bool apartInGlobal(Proof &proof, const Access &x, const Access &y,
                   const Facts &launch, Instance of, bool differ);

/// Whether two different lanes meet in the bytes of two accesses, warps' being alike.
bool lanesMeet(Proof &proof, const Access &x, const Access &y);

/// Whether their engine keeps the two in order, whoever of the warp's lanes they are
/// of (MM-47).
bool inOrder(const Access &x, const Access &y);

} // namespace titan::typestate

#endif
