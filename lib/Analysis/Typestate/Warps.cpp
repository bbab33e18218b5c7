//===- Warps.cpp - warps that do the same, walked once --------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warps of one partition and one warpgroup that no text tells apart (titan.elect by
// number, titan.warp_id) execute the same, begin with the same, and no rule asks for
// a warp's number: what is so of one of them is so of each, with the names of the two
// exchanged. The first of them is walked. Others see all of them:
//
//   where its part of a tile lies is asked of each (Place)
//   a barrier tells what each knows of its own groups, fences and rounds
//   what is written down of the first is, behind the walk, of each (nameOthers)
//
//===----------------------------------------------------------------------===//
#include "Walk.h"

#include "titan/Target/Target.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;

void Walk::findAlike() {
  const int64_t warps = kernelWarps(), group = proof.target.warpsPerWarpgroup;
  // What tells each warp apart: its partitions, its own number (which is negative).
  std::vector<std::vector<int64_t>> kinds(warps);
  int64_t partitions = 0;
  bool apart = proof.shared.eachWarp;
  proof.kernel.getBody().walk([&](Operation *op) {
    apart |= isa<WarpIdOp>(op);
    auto specialize = dyn_cast<WarpSpecializeOp>(op);
    if (!specialize)
      return;
    for (auto partition : specialize.getBody().getOps<PartitionOp>()) {
      ++partitions;
      const int64_t first = specialize.getFirstWarp(partition),
                    end = first + static_cast<int64_t>(partition.getWarps());
      for (int64_t warp = first; warp < std::min(end, warps); ++warp)
        kinds[warp].push_back(partitions);
    }
  });
  proof.kernel.getBody().walk([&](ElectOp elect) {
    auto number = elect.getWarp();
    if (!number)
      return;
    int64_t warp = *number;
    if (auto partition = elect->getParentOfType<PartitionOp>())
      warp += partition->getParentOfType<WarpSpecializeOp>().getFirstWarp(
          partition);
    if (warp >= 0 && warp < warps)
      kinds[warp].push_back(-1 - warp);
  });
  firstAlike.resize(ranks * warps);
  for (int rank = 0; rank < ranks; ++rank)
    for (int64_t warp = 0; warp < warps; ++warp) {
      // Those that are alike stand side by side.
      const bool same = !apart && warp > 0 && kinds[warp - 1] == kinds[warp] &&
                        (!group || warp % group);
      const int64_t own = rank * warps + warp;
      firstAlike[own] = same ? firstAlike[own - 1] : own;
    }
}

Walk::Who Walk::whoAre(int64_t first, int64_t warps) const {
  Who who;
  for (int64_t warp = first; warp < first + warps; ++warp) {
    who.warps.push_back(warp);
    if (firstAlike[warp] == warp)
      who.walked.push_back(warp);
  }
  return who;
}

std::vector<int> Walk::othersLike(int warp) const {
  std::vector<int> others;
  for (size_t other = warp + 1;
       other < firstAlike.size() && firstAlike[other] == warp; ++other)
    others.push_back(other);
  return others;
}

ObjectId Walk::asOf(ObjectId object, int warp, int other) {
  Object own = proof.objects[object];
  // (A product's reads are its warpgroup's.)
  if ((own.kind == Object::Read &&
       own.id == static_cast<int64_t>(Mechanism::MmaGroup)) ||
      (own.warp != warp && own.warp != other))
    return object;
  own.warp = own.warp == warp ? other : warp;
  return proof.object(own);
}

void Walk::learnOfAlike(State &state, Knowledge &knows, int warp,
                        const Knowledge &own) {
  for (int other : othersLike(warp))
    for (auto &[object, bound] : own)
      if (proof.objects[object].warp == warp)
        if (const ObjectId its = asOf(object, warp, other); its != object)
          learn(state, knows, its, bound);
}

void Walk::nameOthers() {
  if (llvm::equal(firstAlike, llvm::seq<int>(0, firstAlike.size())))
    return;
  // Of many records it is the same. (The keys keep what they are of.)
  std::map<std::pair<const void *, int>, std::pair<Knowledge, Knowledge>> known;
  auto named = [&](Knowledge &knows, int warp, int other) {
    auto [found, fresh] = known.try_emplace({knows.identity(), other});
    if (fresh) {
      std::vector<Knowledge::Entry> entries;
      bool same = true;
      for (auto &[object, bound] : knows) {
        entries.emplace_back(asOf(object, warp, other), bound);
        same &= entries.back().first == object;
      }
      found->second.first = found->second.second = knows;
      if (!same) {
        llvm::sort(entries, llvm::less_first());
        Knowledge &its = found->second.second;
        its.clear();
        for (auto &[object, bound] : entries)
          its.append(object, bound);
      }
    }
    knows = found->second.second;
  };

  // Accesses: where each of them is now.
  std::vector<Access> accesses;
  std::vector<size_t> places(proof.accesses.size());
  for (auto [i, access] : llvm::enumerate(proof.accesses)) {
    places[i] = accesses.size();
    // (Who writes global memory, of many, is not told.)
    const bool one = access.effect && !access.shape && !access.exchanged;
    std::vector<Access> others;
    if (!one)
      for (int other : othersLike(access.warp)) {
        Access &its = others.emplace_back(access);
        its.warp = other;
        named(its.knows, access.warp, other);
        named(its.atFence, access.warp, other);
        named(its.sees, access.warp, other);
        for (Release &release : its.releases)
          release.object = asOf(release.object, access.warp, other);
        if (auto own = placesOfOthers.find({i, other});
            own != placesOfOthers.end())
          static_cast<Place &>(its) = own->second;
      }
    accesses.push_back(std::move(access));
    llvm::append_range(accesses, std::move(others));
  }
  proof.accesses = std::move(accesses);

  // What one warp does at one operation stays together.
  auto spread = [&](auto &list, auto rename) {
    std::decay_t<decltype(list)> all;
    for (size_t i = 0, end = 0; i < list.size(); i = end) {
      const int warp = list[i].warp;
      for (end = i; end < list.size() && list[end].op == list[i].op &&
                    list[end].sequence == list[i].sequence &&
                    list[end].warp == warp;)
        ++end;
      all.insert(all.end(), list.begin() + i, list.begin() + end);
      for (int other : othersLike(warp))
        for (size_t k = i; k < end; ++k) {
          auto &its = all.emplace_back(list[k]);
          its.warp = other;
          its.object = asOf(its.object, warp, other);
          rename(its, warp, other);
        }
    }
    list = std::move(all);
  };
  spread(proof.signals, [&](Signal &signal, int warp, int other) {
    named(signal.knows, warp, other);
    named(signal.sees, warp, other);
  });
  for (Wait &wait : proof.waits)
    if (wait.mark < places.size())
      wait.mark = places[wait.mark];
  spread(proof.waits, [&](Wait &wait, int warp, int other) {
    // (They stand side by side. Of barriers of threads there are none.)
    if (proof.objects[wait.object].kind == Object::Ring)
      wait.mark += other - warp;
  });
  for (int warp = 0; warp < static_cast<int>(firstAlike.size()); ++warp)
    if (int first = firstAlike[warp]; first != warp) {
      Totals &totals = proof.totals[warp] = proof.totals[first];
      for (Knowledge &knows : totals.knows)
        named(knows, first, warp);
    }
}
