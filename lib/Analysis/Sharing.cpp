//===- Sharing.cpp - what clusters share through global memory ------------===//
#include "Sharing.h"

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

bool Sharing::add(const Program &program, Footprints &footprints) {
  bool fresh = false;
  std::map<uint32_t, std::set<Touch>> touched; // by root
  for (auto [agent, code] : llvm::enumerate(program.programs))
    for (const Event &event : code.events) {
      fresh |= ops.insert(event.op).second;
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
        if (!write)
          readers.insert(event.op);
      }
    }
  // By cluster and pair of operations: whom it meets.
  std::map<int, std::map<std::pair<Operation *, Operation *>, std::set<int>>>
      met;
  for (auto &[root, touches] : touched) {
    std::vector<Touch> list(touches.begin(), touches.end());
    for (size_t i = 0; i < list.size(); ++i)
      for (size_t j = 0; j < i; ++j) {
        const Touch &x = list[i], &y = list[j];
        if (!x.write && !y.write)
          continue;
        bool apart = x.cluster != y.cluster;
        // A read of one's own writes is no communication.
        const Touch *reader = !x.write ? &x : !y.write ? &y : nullptr;
        bool tells = reader && (apart || !reader->flag) &&
                     !explained.contains(reader->op);
        if (!footprints.intersect(x.footprint, y.footprint))
          continue;
        meetings.insert({x.op, y.op, apart});
        meetings.insert({y.op, x.op, apart});
        met[x.cluster][{x.op, y.op}].insert(y.cluster);
        met[y.cluster][{y.op, x.op}].insert(x.cluster);
        if (tells)
          explained.insert(reader->op);
      }
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
// Clusters that no program has had
//===----------------------------------------------------------------------===//

namespace {
/// What one execution of an operation touches, cluster by cluster: a box (or
/// bytes, as one of one dimension) that moves by a step.
struct Place {
  Operation *op;
  uint32_t root;
  bool write, box;
  std::vector<int64_t> low, step, extent;
  auto operator<=>(const Place &) const = default;
};

/// Numbers of clusters, [low, high].
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
} // namespace

/// The places of a program's accesses to tensors that are written; those that
/// do not move by a step are left out.
static std::vector<Place> placesOf(const Program &program,
                                   const Footprints &footprints) {
  struct Seen {
    bool write;
    std::vector<uint32_t> footprints; // By cluster.
  };
  std::map<std::pair<Operation *, size_t>, Seen> seen;
  std::map<std::pair<Operation *, int>, size_t> counts;
  for (auto [agent, code] : llvm::enumerate(program.programs))
    for (const Event &event : code.events)
      for (uint32_t i = 0; i < event.count; ++i) {
        const Action &action = code.actions[event.first + i];
        if (action.kind != Action::Access)
          continue;
        uint32_t root = footprints[action.object].root;
        if (root < program.sharedRoots || !program.written[root])
          continue;
        int cluster = program.agents[agent].cluster;
        size_t number = counts[{event.op, cluster}]++;
        Seen &place = seen[{event.op, number}];
        place.write = std::get<effect::Access>(action.effect->what).kind !=
                      AccessKind::Read;
        if (place.footprints.size() == static_cast<size_t>(cluster))
          place.footprints.push_back(action.object);
      }
  std::set<Place> places;
  for (auto &[key, each] : seen) {
    if (each.footprints.size() != static_cast<size_t>(program.clusters))
      continue;
    const FootprintData &first = footprints[each.footprints[0]];
    Place place{key.first, first.root, each.write, !first.low.empty(),
                {},        {},         {}};
    auto lowOf = [&](size_t cluster) {
      const FootprintData &data = footprints[each.footprints[cluster]];
      return place.box ? data.low : std::vector<int64_t>{data.begin};
    };
    place.low = lowOf(0);
    place.extent.assign(place.low.size(), 0);
    bool good = true;
    for (size_t c = 0; good && c < each.footprints.size(); ++c) {
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

std::vector<Sharing::Suspect> Sharing::suspects(const Program &program,
                                                const Footprints &footprints,
                                                int64_t most,
                                                int64_t mostApart) const {
  const int64_t had = program.clusters;
  if (had < 3 || most <= had)
    return {};
  std::vector<Place> places = placesOf(program, footprints);
  std::map<std::tuple<Operation *, Operation *, bool>, int64_t> found;
  int64_t work = 0;
  for (size_t i = 0; i < places.size(); ++i)
    for (size_t j = 0; j <= i; ++j) {
      const Place &x = places[i], &y = places[j];
      if (x.root != y.root || (!x.write && !y.write) || x.box != y.box ||
          x.low.size() != y.low.size())
        continue;
      auto note = [&](bool apart, int64_t cluster) {
        if (meetings.contains({x.op, y.op, apart}))
          return;
        auto [it, fresh] = found.try_emplace({x.op, y.op, apart}, cluster);
        it->second = std::min(it->second, cluster);
      };
      // Of y in cluster c from the place of x in the same one.
      Line own{had, most - 1};
      for (size_t d = 0; d < x.low.size(); ++d)
        own.keep(y.low[d] - x.low[d], y.step[d] - x.step[d], -y.extent[d],
                 x.extent[d]);
      if (i != j && own.low <= own.high)
        note(false, own.low);
      static constexpr int64_t mostWork = 2'000'000;
      for (int64_t c = 0; c < mostApart && ++work < mostWork; ++c) {
        Line other{0, mostApart - 1};
        for (size_t d = 0; d < x.low.size(); ++d) {
          int64_t at = x.low[d] + c * x.step[d];
          other.keep(y.low[d] - at, y.step[d], -y.extent[d], x.extent[d]);
        }
        // Not itself, and not two that the program has had.
        for (int64_t low = std::max(other.low, c < had ? had : 0);
             low <= other.high; ++low)
          if (low != c) {
            note(true, std::max(low, c));
            break;
          }
      }
    }
  std::vector<Suspect> result;
  for (auto &[pair, cluster] : found)
    result.push_back(
        {std::get<0>(pair), std::get<1>(pair), std::get<2>(pair), cluster});
  llvm::stable_sort(result, [](const Suspect &a, const Suspect &b) {
    return a.cluster < b.cluster;
  });
  return result;
}
