//===- RingPrograms.h - all small programs of two agents --------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two warps, each with some operations before, in and behind a loop, over two
// synchronising objects and one ring of tiles:
//
//   a b      arrive at object 0, 1        x y   wait, by the parity of its use
//   f        fill: expect and copy, 0     X Y   wait, by the other one (credit)
//   w r      write, read the next tile    s t   sync at object 0, 1; S T arrive
//   F        fence of the async proxy           (named barriers)
//
//   "|fXw|"  "|xrA|":  before | in | behind the loop
//
// Each operation takes the number of those of its kind that its warp has made:
// slot n mod D, parity n div D. What a program does is said twice: as titan IR,
// for the proof, and by an explorer that shares no code with it, which looks at
// every interleaving of the warps and of the copies under way.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_UNITTESTS_ANALYSIS_RINGPROGRAMS_H
#define TITAN_UNITTESTS_ANALYSIS_RINGPROGRAMS_H

#include <array>
#include <cstdint>
#include <string>

namespace titan::test {

/// Of named barriers, not of mbarriers.
inline bool isNamed(char c) {
  return c == 's' || c == 'S' || c == 't' || c == 'T';
}
/// The synchronising object of a letter that has one: 0 or 1.
inline int objectOf(char c) {
  return c == 'b' || c == 'y' || c == 'Y' || c == 't' || c == 'T';
}

struct RingProgram {
  /// Of each warp: before, in, behind the loop.
  std::array<std::array<std::string, 3>, 2> text;
  /// The first iteration of each warp's loop: 0, or 1 where it runs once less.
  std::array<int, 2> lower = {0, 0};
  std::array<int, 2> depth = {1, 1}; ///< of the objects; tiles: of object 0
  /// Operations of the loops that the first, or the last, iteration leaves out
  /// (each stands once in its loop; both loops begin at 0).
  std::array<std::string, 2> notFirst, notLast;
  std::string print() const;
};

/// Where nothing goes wrong it is empty. `trips` iterations (less `lower`).
/// Without hazards nobody is told of a race or of a phase that is another one:
/// wrong is then a deadlock, a read that gives one thing or another, and tiles
/// that hold one thing or another at the end.
std::string explore(const RingProgram &program, int trips, bool hazards = true);

/// As titan IR; the number of iterations is a size of a tensor, at least 1.
std::string toText(const RingProgram &program);

} // namespace titan::test

#endif
