//===- Sharing.cpp - what clusters share through global memory ------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Sharing.h"

#include "Bounds.h"

#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;
using namespace titan;
using namespace titan::checker;

namespace {
/// What one operation of one cluster touches of a root.
struct Touch {
  Operation *op;
  int cluster;
  bool write, flag;
  uint32_t footprint;
  auto operator<=>(const Touch &) const = default;
};
} // namespace

/// Calls `pair` for all two of whom one writes, and whose bounds meet. False: the
/// effort was used up before.
static bool
forPairs(std::vector<Touch> touches, const Footprints &footprints,
         Effort &effort,
         llvm::function_ref<void(const Touch &, const Touch &)> pair) {
  auto boundsOf = [&](const Touch &touch) -> const FootprintData & {
    return footprints[touch.footprint];
  };
  // Those of boxes are elements, and say nothing beside bytes.
  auto boxed = [&](const Touch &touch) { return !boundsOf(touch).low.empty(); };
  const bool alike =
      llvm::all_of(touches, boxed) || llvm::none_of(touches, boxed);
  llvm::stable_sort(touches, [&](const Touch &x, const Touch &y) {
    return boundsOf(x).begin < boundsOf(y).begin;
  });
  std::vector<const Touch *> open; // Those that begin before, and end behind.
  for (const Touch &x : touches) {
    effort.spend(Work::Pair, open.size());
    if (effort.usedUp())
      return false;
    if (alike)
      llvm::erase_if(open, [&](const Touch *y) {
        return boundsOf(*y).end <= boundsOf(x).begin;
      });
    for (const Touch *y : open)
      if (x.write || y->write)
        pair(x, *y);
    open.push_back(&x);
  }
  return true;
}

/// What a program touches of tensors that it writes, by root; those that do not
/// write go into `readers`.
static std::map<uint32_t, std::set<Touch>>
touchesOf(const Program &program, const Footprints &footprints,
          llvm::SetVector<Operation *> *readers = nullptr) {
  std::map<uint32_t, std::set<Touch>> touched;
  for (auto [agent, code] : llvm::enumerate(program.programs))
    for (const Event &event : code.events)
      for (uint32_t i = 0; i < event.count; ++i) {
        const Action &action = code.actions[event.first + i];
        bool flag = action.kind == Action::WaitFlag;
        if (action.kind != Action::Access && !flag)
          continue;
        uint32_t root = footprints[action.object].root;
        if (root < program.sharedRoots || !program.written[root])
          continue;
        bool write =
            !flag && std::get<effect::Access>(action.effect->what).kind !=
                         AccessKind::Read;
        touched[root].insert({event.op, program.agents[agent].cluster, write,
                              flag, action.object});
        if (readers && !write)
          readers->insert(event.op);
      }
  return touched;
}

std::set<Sharing::Met> Sharing::meetingsOf(const Program &program,
                                           Footprints &footprints,
                                           Effort &effort) {
  std::set<Met> met;
  for (auto &[root, touches] : touchesOf(program, footprints))
    if (!forPairs({touches.begin(), touches.end()}, footprints, effort,
                  [&](const Touch &x, const Touch &y) {
                    Met each{std::min(x.op, y.op), std::max(x.op, y.op),
                             x.cluster != y.cluster};
                    if (!met.contains(each) &&
                        footprints.intersect(x.footprint, y.footprint))
                      met.insert(each);
                  }))
      break;
  return met;
}

bool Sharing::add(const Program &program, Footprints &footprints) {
  bool fresh = false;
  for (const AgentProgram &code : program.programs)
    for (const Event &event : code.events)
      fresh |= ops.insert(event.op).second;
  const auto touched = touchesOf(program, footprints, &readers);
  // By cluster and pair of operations: whom it meets.
  std::map<int, std::map<std::pair<Operation *, Operation *>, std::set<int>>>
      met;
  for (auto &[root, touches] : touched) {
    if (!forPairs({touches.begin(), touches.end()}, footprints, effort,
                  [&](const Touch &x, const Touch &y) {
                    bool apart = x.cluster != y.cluster;
                    // A read of one's own writes is no communication.
                    const Touch *reader = !x.write   ? &x
                                          : !y.write ? &y
                                                     : nullptr;
                    if (!footprints.intersect(x.footprint, y.footprint))
                      return;
                    meetings.insert({x.op, y.op, apart});
                    meetings.insert({y.op, x.op, apart});
                    met[x.cluster][{x.op, y.op}].insert(y.cluster);
                    met[y.cluster][{y.op, x.op}].insert(x.cluster);
                    if (reader && (apart || !reader->flag))
                      explained.insert(reader->op);
                  }))
      return false;
  }
  for (auto &[cluster, pairs] : met) {
    std::vector<Meeting> part;
    for (auto &[pair, others] : pairs) {
      bool own = others.erase(cluster);
      if (own)
        part.push_back({pair.first, pair.second, 0});
      if (!others.empty())
        part.push_back(
            {pair.first, pair.second, std::min<size_t>(2, others.size())});
    }
    fresh |= parts.insert(std::move(part)).second;
  }
  return fresh;
}

std::vector<Operation *> Sharing::unexplained() const {
  std::vector<Operation *> result;
  for (Operation *op : readers)
    if (!explained.contains(op))
      result.push_back(op);
  return result;
}

//===----------------------------------------------------------------------===//
// Clusters and iterations that no program has had
//===----------------------------------------------------------------------===//

/// What one execution of an operation touches, cluster by cluster or iteration
/// by iteration: a box (or bytes, as one of one dimension) that moves by a
/// step.
struct Sharing::Place {
  Operation *op;
  uint32_t root;
  bool write, box;
  std::vector<int64_t> low, step, extent;
  auto operator<=>(const Place &) const = default;
};

namespace {
/// Numbers of clusters or iterations, [low, high].
struct Line {
  int64_t low, high;

  /// Those c with least < at + step * c < most.
  void keep(int64_t at, int64_t step, int64_t least, int64_t most) {
    if (step < 0)
      return keep(-at, -step, -most, -least);
    if (step == 0) {
      if (at <= least || at >= most)
        high = low - 1;
      return;
    }
    low = std::max(low, llvm::divideFloorSigned(least - at, step) + 1);
    high = std::min(high, llvm::divideCeilSigned(most - at, step) - 1);
  }
};

/// Who executes something, and as which one of `count`.
struct Turn {
  size_t who, number;
};
} // namespace

/// The places of a program's accesses to tensors that are written; those that
/// do not move by a step are left out.
template <typename Place, typename TurnOf>
static std::vector<Place> placesOf(const Program &program,
                                   const Footprints &footprints, size_t count,
                                   TurnOf turnOf) {
  struct Seen {
    bool write;
    std::vector<uint32_t> footprints; // By number.
  };
  std::map<std::tuple<Operation *, size_t, size_t>, Seen> seen;
  std::map<std::tuple<Operation *, size_t, size_t>, size_t> times;
  for (auto [agent, code] : llvm::enumerate(program.programs))
    for (const Event &event : code.events) {
      std::optional<Turn> turn = turnOf(agent, event);
      for (uint32_t i = 0; turn && i < event.count; ++i) {
        const Action &action = code.actions[event.first + i];
        if (action.kind != Action::Access)
          continue;
        uint32_t root = footprints[action.object].root;
        if (root < program.sharedRoots || !program.written[root])
          continue;
        size_t time = times[{event.op, turn->who, turn->number}]++;
        Seen &place = seen[{event.op, turn->who, time}];
        place.write = std::get<effect::Access>(action.effect->what).kind !=
                      AccessKind::Read;
        if (place.footprints.size() == turn->number)
          place.footprints.push_back(action.object);
      }
    }
  std::set<Place> places;
  for (auto &[key, each] : seen) {
    if (each.footprints.size() != count)
      continue;
    const FootprintData &first = footprints[each.footprints[0]];
    Place place{std::get<0>(key),
                first.root,
                each.write,
                !first.low.empty(),
                {},
                {},
                {}};
    auto lowOf = [&](size_t number) {
      const FootprintData &data = footprints[each.footprints[number]];
      return place.box ? data.low : std::vector<int64_t>{data.begin};
    };
    place.low = lowOf(0);
    place.extent.assign(place.low.size(), 0);
    bool good = true;
    for (size_t c = 0; good && c < count; ++c) {
      const FootprintData &data = footprints[each.footprints[c]];
      std::vector<int64_t> low = lowOf(c);
      good = data.root == place.root && data.low.empty() != place.box &&
             low.size() == place.low.size();
      for (size_t d = 0; good && d < low.size(); ++d) {
        // Boxes that the tensor's end cuts off are smaller.
        int64_t high = place.box ? data.high[d] : data.end;
        place.extent[d] = std::max(place.extent[d], high - low[d]);
        if (c == 1)
          place.step.push_back(low[d] - place.low[d]);
        good = c < 2 ||
               low[d] == place.low[d] + static_cast<int64_t>(c) * place.step[d];
      }
    }
    if (good)
      places.insert(std::move(place));
  }
  return {places.begin(), places.end()};
}

/// Those of `most` numbers, of which `had` are known: pairs of one number, or
/// of two; `apart`: these are clusters.
std::vector<Sharing::PossibleConflict>
Sharing::meet(const std::vector<Place> &places, int64_t had, int64_t most,
              int64_t mostApart, bool apart) const {
  std::map<std::tuple<Operation *, Operation *, bool>, int64_t> found;
  int64_t work = 0;
  for (size_t i = 0; i < places.size(); ++i)
    for (size_t j = 0; j <= i; ++j) {
      const Place &x = places[i], &y = places[j];
      if (x.root != y.root || (!x.write && !y.write) || x.box != y.box ||
          x.low.size() != y.low.size())
        continue;
      auto note = [&](bool apart, int64_t last) {
        if (meetings.contains({x.op, y.op, apart}))
          return;
        auto [it, fresh] = found.try_emplace({x.op, y.op, apart}, last);
        it->second = std::min(it->second, last);
      };
      // Of y from the place of x under the same number. What moves alike lies as
      // under the numbers that are known, whose bytes were compared one by one
      // (here a place is all from its first byte to its last one).
      Line own{had, x.step == y.step ? had - 1 : most - 1};
      for (size_t d = 0; d < x.low.size(); ++d)
        own.keep(y.low[d] - x.low[d], y.step[d] - x.step[d], -y.extent[d],
                 x.extent[d]);
      if (i != j && own.low <= own.high)
        note(false, own.low);
      for (int64_t c = 0; c < mostApart; ++c) {
        if (++work >= bound::mostPairs) {
          cut = true;
          break;
        }
        Line other{c < had ? had : 0, mostApart - 1};
        for (size_t d = 0; d < x.low.size(); ++d) {
          int64_t at = x.low[d] + c * x.step[d];
          other.keep(y.low[d] - at, y.step[d], -y.extent[d], x.extent[d]);
        }
        if (other.low == c)
          ++other.low;
        if (other.low <= other.high)
          note(apart, std::max(other.low, c));
      }
    }
  std::vector<PossibleConflict> result;
  for (auto &[pair, last] : found)
    result.push_back(
        {std::get<0>(pair), std::get<1>(pair), std::get<2>(pair), last});
  llvm::stable_sort(result,
                    [](const PossibleConflict &a, const PossibleConflict &b) {
                      return a.last < b.last;
                    });
  return result;
}

std::vector<Sharing::PossibleConflict>
Sharing::possibleConflicts(const Program &program, const Footprints &footprints,
                           int64_t most, int64_t mostApart) const {
  const int64_t had = program.clusters;
  if (had < 3 || most <= had)
    return {};
  const size_t each = program.agents.size() / had;
  return meet(placesOf<Place>(program, footprints, had,
                              [&](size_t agent, const Event &) {
                                return std::optional(
                                    Turn{agent % each, agent / each});
                              }),
              had, most, mostApart, /*apart=*/true);
}

std::vector<Sharing::PossibleConflict>
Sharing::possibleConflicts(const Program &program, const Footprints &footprints,
                           ArrayRef<Operation *> loops, int64_t count,
                           int64_t most) const {
  if (count < 3 || most <= count)
    return {};
  auto turnOf = [&](size_t agent, const Event &event) -> std::optional<Turn> {
    if (program.agents[agent].cluster != 0)
      return std::nullopt;
    uint32_t at = event.iteration;
    for (Operation *op = event.op->getParentOp(); op && at;
         op = op->getParentOp()) {
      if (!isa<scf::ForOp>(op))
        continue;
      if (llvm::is_contained(loops, op))
        return Turn{agent, static_cast<size_t>(program.iterations[at].index)};
      at = program.iterations[at].parent;
    }
    return std::nullopt;
  };
  return meet(placesOf<Place>(program, footprints, count, turnOf), count, most,
              most, /*apart=*/false);
}
