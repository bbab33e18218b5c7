//===- Conflicts.h - pairs of accesses that need an order -------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each allocation of each CTA, and each global tensor: the accesses so far
// that a later one could still conflict with. A new access is compared with
// those whose bytes it meets; for each conflicting pair the proxy table says
// what must stand between them, and the clocks say what does.
//
// An access is forgotten when a later one stands for it: an ordered write of
// all its bytes, or the next access of the same lanes, kind, strength and
// bytes. A pair that is good without order (both strong, or parts of one
// reduction) forgets nothing: what comes after the second need not come after
// the first.
//
// Shared memory starts as poison (MM-3): a read of bytes that no access before
// it has written is an error. Whether that write is ordered before the read is
// the question of the pair.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_SEARCH_CONFLICTS_H
#define TITAN_LIB_ANALYSIS_SEARCH_CONFLICTS_H

#include "../Findings/Report.h"
#include "Clock.h"
#include "Effort.h"

#include "llvm/ADT/DenseSet.h"

#include <functional>

namespace titan::checker {

/// When an asynchronous access is over: a number of the clock reaches a value.
struct Until {
  uint32_t number, value;
};

struct AccessRecord {
  uint32_t agent;
  Lanes lanes;
  uint32_t tick;
  AccessKind kind;
  Proxy proxy;
  effect::Sem sem;
  Scope scope;
  uint32_t footprint;
  const Event *event;
  /// Null: tensor memory that is got or given back.
  const effect::Access *effect = nullptr;
  std::optional<Mechanism> mechanism;
  /// All of them (the source of a multicast is read when the copy is complete
  /// in every CTA, MM-61).
  llvm::SmallVector<Until, 1> sourceRead, done;
  /// When the whole operation is over, where it has a second mechanism: loads
  /// whose map's read a bulk group tells (MM-91), copies of threads that an
  /// mbarrier tracks (MM-60).
  llvm::SmallVector<Until, 1> whole;
  /// gfx942, plain stores: when the wave has waited for them (MM-111).
  std::optional<Until> counted;
  /// Seen from the acting thread.
  MemorySpace space;
  int cta; ///< whose shared memory; -1: global
  /// By a warp as one (tensormap.cp_fenceproxy.sync.aligned): its lanes need
  /// not be told.
  bool warpWide = false;
  /// Tensor memory: got by both CTAs of a pair together.
  bool pair = false;
  /// ... the cells that the product sums into, of which this is an access.
  std::optional<uint32_t> accumulator;
};

/// What the access' thread knows when it acts, a lane class each; unset for
/// classes that take no part.
struct View {
  const Clock *clock[2] = {};
  /// The clock without wgmma's exception (MM-72); the same for others.
  const Clock *unfenced[2] = {};
  /// Its own proxy fences: when, and what it knew then; by space.
  const BySpace<uint32_t> *ownFence = nullptr;
  const BySpace<Clock> *fenceClock = nullptr;
  /// Its own groups of copies that each lane has waited for: of a class of many
  /// lanes each knows its own (MM-65); by lane class.
  const uint32_t *ownCopies = nullptr;
  /// At its last acquire of the tensor map that it reads.
  const Clock *mapAcquired = nullptr;
  /// At its last tcgen05.fence::after.
  const Clock *cellsAfter = nullptr;
};

class Conflicts {
public:
  Conflicts(const Program &program, Footprints &footprints, Report &report,
            Effort &effort)
      : program(program), footprints(footprints), report(report),
        effort(effort), roots(program.sharedRoots * program.ctas() +
                              program.roots.size() - program.sharedRoots) {}
  void setShape(const ClockShape &s) { shape = s; }

  void add(AccessRecord access, const View &view);

  /// A wait that is to blame for a pair, by a more telling code.
  struct Cause {
    Code code;
    mlir::Operation *op;
    std::string fix;
  };
  /// Called for a pair whose completion was not observed: a wait with the wrong
  /// parity, say, or by a wrong count.
  std::function<std::optional<Cause>(const AccessRecord &first,
                                     const AccessRecord &second)>
      cause;
  /// Called for an access and a copy that meets it, which signals a phase: the
  /// access' own wait for the copy, if that has returned before its phase.
  std::function<std::optional<Cause>(const AccessRecord &access,
                                     const AccessRecord &copy)>
      returnedEarly;
  /// Called for a read and a copy into it, in no order: the fix where nothing but
  /// copies fills that memory, and the reader has not waited for one.
  std::function<std::string(const AccessRecord &read, const AccessRecord &copy)>
      notWaited;
  /// What a flag holds at the launch.
  std::function<int64_t(uint32_t footprint)> flagAtLaunch;
  /// Whether the warp of the first one waits for its group, which is each thread's own:
  /// before the second one, if that is the warp's, too.
  std::function<bool(const AccessRecord &first, const AccessRecord &second)>
      waitedItself;
  /// By what an access' warp waits for its group before it meets other warps; null:
  /// it does not.
  std::function<const Event *(const AccessRecord &access)> ownWait;
  /// Called for a read of bytes that nothing has written yet; true: it is told by
  /// what is to blame for that.
  std::function<bool(const AccessRecord &read)> tooEarly;
  /// Called for a map that one CTA has written and another one reads, where
  /// release and acquire order the two: are their scopes wide enough?
  std::function<void(const AccessRecord &first, const AccessRecord &second,
                     const View &view)>
      checkMapScopes;

  /// Two accesses in order but for a fence, FenceNeeds.h.
  struct Missing {
    const AccessRecord &x, &y;
    const View &view;
    ProxyFence fence;
    Code code;
    /// wgmma.fence alone is missing: whether these clocks put X before Y.
    std::function<bool(const Clock *const *)> orderedBy;
  };
  /// Called for each of them, in each iteration, where somebody asks.
  std::function<void(const Missing &)> missing;

  /// All accesses still remembered, for the checks at the end.
  template <typename F> void each(F f) const {
    for (const Root &root : roots) {
      for (const AccessRecord &access : root.reads)
        f(access);
      for (const AccessRecord &access : root.writes)
        f(access);
    }
  }
  /// X's lanes all happen before what a clock stands for.
  bool before(const AccessRecord &x, const Clock &clock) const;
  static bool reached(const llvm::SmallVector<Until, 1> &until,
                      const Clock &clock);
  const ClockShape &clockShape() const { return shape; }

private:
  struct Root {
    std::vector<AccessRecord> reads, writes;
    /// Shared memory: all bytes written so far, and footprints known to lie
    /// within them.
    ByteSet written;
    llvm::DenseSet<uint32_t> defined;
  };
  void checkDefined(Root &root, const AccessRecord &access);
  enum class Order {
    Before,  ///< X is before Y.
    Neither, ///< It is not, and need not be.
    Bad      ///< Reported.
  };
  Order check(const AccessRecord &x, const AccessRecord &y, const View &view);
  Order checkCells(const AccessRecord &x, const AccessRecord &y,
                   const View &view);
  void tellWait(const Cause &wait, const AccessRecord &x,
                const AccessRecord &y);
  /// Of this pair: the places of a fence that stands, and is of no use there;
  /// and what to do.
  struct Advice {
    std::string what, fix;
    std::vector<std::pair<mlir::Operation *, std::string>> places;
  };
  void tell(Code code, const AccessRecord &x, const AccessRecord &y,
            const Requirement &requirement, Advice advice);
  /// The same, X being the first one whatever the run shows.
  void tellPair(Code code, const AccessRecord &x, const AccessRecord &y,
                const Requirement &requirement, Advice advice);
  /// Whether X is of a later iteration than Y, of a loop that their warps execute.
  bool isAhead(const AccessRecord &x, const AccessRecord &y) const;
  /// A proxy fence on the wrong side, by the wrong thread, of the wrong space;
  /// none: there is no such fence (Fences/Sides.cpp).
  std::optional<Advice> wrongSide(const AccessRecord &x,
                                  const AccessRecord &y) const;
  std::string describe(const AccessRecord &access) const;
  std::string describeBeside(const AccessRecord &x,
                             const AccessRecord &y) const;
  std::string fixOfElect(const AccessRecord &x, const AccessRecord &y) const;
  std::string fixOfGroup(const AccessRecord &x, const AccessRecord &y) const;
  std::string fixOfFlag(const AccessRecord &x, const AccessRecord &y) const;
  std::string fixOfCtas(const AccessRecord &x, const AccessRecord &y) const;

  const Program &program;
  Footprints &footprints;
  Report &report;
  Effort &effort;
  ClockShape shape;
  std::vector<Root> roots;
};

} // namespace titan::checker

#endif
