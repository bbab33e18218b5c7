//===- Defined.cpp - each read is covered by writes before it -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Orders.h"

#include <deque>
#include <numeric>

using namespace mlir;
using namespace titan;
using namespace titan::typestate;

static bool startsWith(ArrayRef<Step> path, ArrayRef<Step> prefix) {
  if (prefix.size() > path.size())
    return false;
  for (size_t i = 0; i < prefix.size(); ++i)
    if (!(path[i] == prefix[i]))
      return false;
  return true;
}

/// Which slot p is modulo the slots, where that is one number.
static std::optional<int64_t> slotOf(const Polynomial &p, int64_t slots) {
  int64_t c = p.constantTerm();
  if (p.isLost() || !(p - Polynomial(c)).dividedBy(slots))
    return std::nullopt;
  return (c % slots + slots) % slots;
}

/// Wherever the second path is, the first one comes, too: its loops' first iterations
/// alone are beyond it. (A loop is walked where it runs at all.)
static bool isCertain(const Path &path, const Path &within) {
  return startsWith(path, within) &&
         std::all_of(path.begin() + within.size(), path.end(),
                     [](const Step &step) {
                       return step.side < 0 && !step.last &&
                              step.iteration.constant() == 0;
                     });
}

bool Proof::checkDefined() {
  if (without == Judgement::Defined)
    return true;
  std::vector<std::optional<ByteSet>> roots(accesses.size());
  for (size_t i = 0; i < accesses.size(); ++i)
    if (accesses[i].shape)
      roots[i] = accesses[i].fromRoot();
  // Of what many read, and of writes of the same bytes by one warp, it is asked once.
  auto whatOf = [](const Access &x) {
    return std::tuple(x.root.getAsOpaquePointer(), x.cta, x.warp, x.slots,
                      x.stride, x.offset, x.shape, x.mechanism);
  };
  std::map<std::tuple<decltype(whatOf(accesses[0])), ObjectId, int64_t,
                      std::optional<int64_t>>,
           std::optional<std::vector<const Signal *>>>
      lacking;
  // In each use, or in each that this one may be, as the reader's facts have it.
  auto writtenInEachUse = [&](const Access &x, ObjectId object, int64_t times,
                              std::optional<int64_t> ahead,
                              const Polynomial &use, const Facts &facts) {
    auto [known, fresh] =
        lacking.try_emplace({whatOf(x), object, times, ahead});
    if (fresh)
      known->second = usesWithout(x, object, times, ahead);
    return known->second &&
           llvm::all_of(*known->second, [&](const Signal *signal) {
             Facts both = facts;
             both.add(other(*this, signal->facts));
             both.equal(other(*this, signal->use), use);
             return contradict(*this, both, {});
           });
  };
  // Of tensor memory each warp's window for itself.
  std::vector<std::pair<const Access *, const std::optional<ByteSet> *>> reads;
  std::deque<Access> windows;
  const int64_t window =
      target.tmemLanes / std::max<int64_t>(target.warpsPerWarpgroup, 1);
  for (const Access &read : accesses) {
    if (!read.effect || !read.shape || read.kind != AccessKind::Read)
      continue;
    const std::optional<ByteSet> *root = &roots[&read - accesses.data()];
    if (!read.ofCells())
      reads.emplace_back(&read, root);
    for (int64_t lane = read.firstLane; lane < read.lastLane; lane += window) {
      windows.push_back(read);
      windows.back().firstLane = lane;
      windows.back().lastLane = lane + window;
      reads.emplace_back(&windows.back(), root);
    }
  }
  for (auto [read, ofRoot] : reads) {
    const Access &y = *read;
    Facts facts = launch;
    facts.add(y.facts);
    auto needed = y.touched();
    // Of one that lies in its slot at most all of that.
    if (!needed && y.slots)
      needed = ByteSet(0, y.stride);
    if (!needed)
      return stop("which bytes this reads, of all its iterations, is not "
                  "counted",
                  y.op);
    ByteSet missing = *needed;
    auto root = *ofRoot;
    // Of branches of which both sides are walked: what both write. (Each CTA of a
    // cluster takes its own.)
    std::map<std::pair<Operation *, int>, ByteSet> sides[2];
    for (const Access &x : accesses) {
      if (missing.empty())
        break;
      if (!x.effect || !x.effect->surely || !x.shape ||
          x.kind != AccessKind::Write || x.root != y.root || x.cta != y.cta ||
          x.firstLane > y.firstLane || x.lastLane < y.lastLane)
        continue;
      ArrayRef<Step> certain = x.path;
      Operation *branch = nullptr;
      int side = 0;
      // (What is of the side that y is of, too, comes wherever y does.)
      if (!certain.empty() && certain.back().side >= 0 &&
          !startsWith(y.path, certain)) {
        branch = certain.back().op;
        side = certain.back().side;
        certain = certain.drop_back();
      }
      bool covers = false, eachUse = false;
      // What is executed once, or whose bytes its use counts, is over where a use
      // behind it is known to be.
      if (auto &bytes = roots[&x - accesses.data()]; bytes && root)
        for (const Release &release : x.releases) {
          auto known = y.knows.find(release.object);
          bool once = instances(x.path) &&
                      (!x.mechanism || (x.mechanism == Mechanism::Phase &&
                                        isCounted(release.object)));
          if (once && release.use.constant() && release.when.empty() &&
              known != y.knows.end() &&
              facts.provesAtLeast(known->second, release.use + 1)) {
            root = root->subtract(*bytes);
            if (!x.slots && !y.slots)
              missing = missing.subtract(*bytes);
          }
        }
      if (!x.run.constant() || x.slots != y.slots || x.stride != y.stride)
        continue;
      const ByteSet bytes = x.shape->bytes.shifted(x.offset);
      if (!bytes.intersects(missing))
        continue;
      bool same = !x.slots;
      if (x.slots)
        if (auto turns = (x.slot - y.slot).constant())
          same = *turns % x.slots == 0;
      // Whether one of these says that it is before.
      auto isKnown = [&] {
        return llvm::any_of(x.releases, [&](const Release &release) {
          auto known = y.knows.find(release.object);
          return release.when.empty() && known != y.knows.end() &&
                 facts.provesAtLeast(known->second, release.use + 1);
        });
      };
      if (startsWith(y.path, certain) && x.sequence < y.sequence &&
          (x.group == y.group ||
           (x.group % 1000 == 0 && ctaOf(x.warp) == ctaOf(y.warp)))) {
        // In the same iteration: behind a release, its own thread's, or one that
        // their engine has before it.
        covers = isKnown() || inOrder(x, y) || inPipeline(*this, x, y) ||
                 (!x.mechanism && x.warp == y.warp && x.lanes == y.lanes &&
                  !lanesMeet(*this, x, y));
        const Polynomial apart = x.slot - y.slot;
        if (covers && !same && !apart.constant())
          for (int64_t turn = -2; !same && turn <= 2; ++turn)
            same = facts.provesEqual(apart, turn * x.slots);
        covers &= same;
      } else if (x.mechanism == Mechanism::Phase ||
                 x.mechanism == Mechanism::AsyncGroup ||
                 x.mechanism == Mechanism::TensorCore || !x.mechanism) {
        // By a use that comes after it: there is such a write in each use (the
        // bytes of each arrival's use are all brought by the thread that expects
        // them).
        for (const Release &release : x.releases) {
          std::optional<int64_t> ahead;
          int64_t factor = 1;
          auto known = y.knows.find(release.object);
          if (known == y.knows.end())
            continue;
          // The use whose slot is this one; of one slot each use, and where it is
          // a number in each.
          Polynomial use = known->second - 1;
          if (auto at = x.slot.constant(); x.slots > 1 && same && at)
            eachUse |= facts.provesAtLeast(use, 0) &&
                       writtenInEachUse(x, release.object, 0, at, use, facts);
          if (x.slots > 1 && !eachUse) {
            // The slot is so many times the use, and so far on, modulo the slots.
            int64_t times = 1;
            for (; times <= x.slots && !ahead; ++times)
              ahead = (x.slot - release.use * Polynomial(times)).constant();
            --times;
            if (ahead) {
              auto found = (y.slot - Polynomial(*ahead)).dividedBy(times);
              if (!found)
                continue;
              use = *found;
              // The last such use that is known.
              int64_t turn = x.slots / std::gcd(times, x.slots);
              auto more = (known->second - 1 - use).constant();
              for (int64_t d = -4; !more && d <= 4; ++d)
                if (facts.provesEqual(known->second - 1 - use, d))
                  more = d;
              if (more)
                use += Polynomial(*more - ((*more % turn) + turn) % turn);
            } else {
              // Of uses that are written out, all of them in one iteration.
              times = 1;
              ahead = slotOf(x.slot - release.use, x.slots);
              auto back =
                  ahead ? slotOf(known->second - 1 + *ahead - y.slot, x.slots)
                        : std::nullopt;
              if (!back)
                continue;
              use = known->second - 1 - *back;
            }
            factor = times;
          }
          eachUse |=
              facts.provesAtLeast(use, 0) &&
              facts.provesAtLeast(known->second, use + 1) &&
              writtenInEachUse(x, release.object, factor, ahead, use, facts);
          covers |= eachUse;
        }
      }
      if (!covers)
        continue;
      if (branch && !eachUse)
        sides[side][{branch, ctaOf(x.warp)}] =
            sides[side][{branch, ctaOf(x.warp)}].unite(bytes);
      else
        missing = missing.subtract(bytes);
    }
    for (auto &[branch, bytes] : sides[0])
      if (auto found = sides[1].find(branch); found != sides[1].end())
        missing = missing.subtract(bytes.intersect(found->second));
    if (!missing.empty() && (!root || !root->empty()) && !writtenAhead(y))
      return stop("not all bytes of this read are shown to have been written "
                  "before",
                  y.op);
  }
  return true;
}

/// The arrivals of its warp before which there is not this write, or copy, to the
/// slot that is so many ahead of the use: a body of the walk that arrives, and does
/// not write; none: nothing is known of the uses. (It hangs on what checkDefined's
/// `whatOf` says of the write.)
std::optional<std::vector<const Signal *>>
Proof::usesWithout(const Access &x, ObjectId object, int64_t times,
                   std::optional<int64_t> ahead) {
  // A copy to a peer is one of the use of its thread's own ring: where the CTAs
  // fill each other's alike (checkMulticast).
  Object own = objects[object];
  if (isCounted(object) && x.mechanism && own.cta != ctaOf(x.warp) &&
      without != Judgement::PeerCopies)
    return std::nullopt;
  if (own.kind == Object::Ring && x.mechanism && !isShared(object))
    own.cta = ctaOf(x.warp);
  ObjectId arrivals = this->object(own);
  // Not of each use, where it leaves some to others.
  if (turned.contains(arrivals))
    for (int lane : {elected, others})
      if (totals[x.warp].skipped[lane].contains(arrivals))
        return std::nullopt;
  bool any = false;
  std::vector<const Signal *> result;
  const auto kind = own.kind == Object::Groups ? Signal::Commit
                    : isShared(object) && ctaOf(x.warp) != own.cta
                        ? Signal::Complete
                        : Signal::Arrive;
  // Its warp's writes of these bytes.
  std::vector<const Access *> writes;
  for (const Access &other : accesses)
    if (other.effect && other.shape && other.kind == AccessKind::Write &&
        other.root == x.root && other.cta == x.cta && other.slots == x.slots &&
        other.stride == x.stride && other.warp == x.warp &&
        other.run.constant() &&
        x.shape->bytes
            .subtract(other.shape->bytes.shifted(other.offset - x.offset))
            .empty())
      writes.push_back(&other);
  for (const Signal &signal : signals) {
    if (signal.kind != kind || signal.object != arrivals ||
        signal.warp != x.warp)
      continue;
    any = true;
    const bool found = llvm::any_of(writes, [&](const Access *other) {
      return llvm::any_of(other->releases,
                          [&](const Release &release) {
                            return release.object == object &&
                                   release.use == signal.use &&
                                   release.when.empty();
                          }) &&
             isCertain(other->path, signal.path) &&
             (!ahead || slotOf(other->slot - signal.use * Polynomial(times) -
                                   Polynomial(*ahead),
                               std::max<int64_t>(x.slots, 1)) == 0);
    });
    if (!found)
      result.push_back(&signal);
  }
  if (!any)
    return std::nullopt;
  return result;
}
