//===- HittingSet.h - one of each, at least cost ----------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some things, each with a cost, and needs, each a list of things of which one
// has to be chosen: what is the cheapest choice? For intervals on a line a
// sweep would do; on structured control flow the lists are intervals of paths,
// and it is the hitting set problem, NP-hard, and small. So:
//
//   1. a need that contains another one is met by it;
//   2. a thing whose needs another one meets, too, at no higher cost, is left out;
//   3. a need with one thing left chooses it; again from 1;
//   4. what remains is searched: branch on the shortest need, bounded by the
//      cheapest things of needs that have none in common.
//
// Of equal cost, things with larger numbers are taken.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TRANSFORMS_HITTINGSET_H
#define TITAN_TRANSFORMS_HITTINGSET_H

#include <cstdint>
#include <optional>
#include <vector>

namespace titan {

struct HittingSet {
  std::vector<unsigned> chosen; ///< sorted
  uint64_t cost = 0;
  /// False: the search ended early, and a cheaper choice may exist.
  bool exact = true;
};

/// `needs`: lists of indices into `costs`, which are positive. None: a need is
/// empty.
std::optional<HittingSet>
cheapestHittingSet(const std::vector<uint64_t> &costs,
                   std::vector<std::vector<unsigned>> needs,
                   uint64_t mostSteps = 1 << 20);

} // namespace titan

#endif
