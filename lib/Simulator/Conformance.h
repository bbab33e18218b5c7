//===- Conformance.h - what is touched against what is declared -----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation's effect list is what checker and compiler believe of it. Nobody
// has to: here what the simulator's function of an operation has done is
// compared with what its effects declare.
//
//   bytes      read and written: all of them where the effect says 'surely', no
//              others in any case
//   mbarriers  arrivals, bytes expected and completed, phases waited for
//   groups     committed, waited for: cp.async, bulk, wgmma
//   barriers of threads
//              how many threads have come to which, and which the warp has passed;
//              what it released there, and what it learnt
//   fences     proxy, memory, mbarrier_init, tensormap, wgmma: what the threads
//              have released, acquired or published by them
//   the rest   releases and acquires nothing
//
// What memory order does is seen with hazards off alone: it is what Views.h keeps
// of each thread.
//
// Under the eager schedule, so that what an operation does asynchronously
// happens while it is executed. The declared bytes are computed from the types
// and layouts (Effects/Resolver.h), not from the tables that the simulator's
// functions use.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_SIMULATOR_CONFORMANCE_H
#define TITAN_SIMULATOR_CONFORMANCE_H

#include "titan/Effects/Resolver.h"
#include "titan/Simulator/Machine.h"

#include <array>
#include <map>

namespace titan::sim {

class Conformance {
public:
  explicit Conformance(Machine &machine) : machine(machine) {}
  void begin(Agent &agent, const Inst &inst);
  /// Compares; `executed` false: the operation waits, and is begun again.
  void end(Agent &agent, const Inst &inst, bool executed);

private:
  struct Bytes {
    ByteSet read, written;
    /// Those among them that need not be touched.
    ByteSet perhaps;
  };
  /// What an agent has of groups and of fences.
  struct Counts {
    /// By mechanism: groups committed, and those waited for.
    struct Groups {
      size_t made = 0, read = 0, done = 0;
      bool operator==(const Groups &) const = default;
    };
    std::vector<Groups> groups;
    BySpace<size_t> proxyFences;
    size_t mapReleases = 0;
    explicit Counts(const Agent &agent);
    Counts() = default;
  };
  /// Barriers of threads and memory order, before an operation and behind it.
  struct Order {
    std::vector<std::pair<uint64_t, int64_t>> named; ///< Round, threads.
    std::pair<uint64_t, unsigned> cluster;
    bool clusterArrived = false, productFence = false;
    /// Of the barriers that the warp has initialised: seen by the async proxy.
    size_t publishedBarriers = 0;
    struct Class {
      uint32_t now = 0;
      Clock known, released, product;
      std::map<uint64_t, Clock> acquiredMaps;
    };
    std::array<Class, 2> classes;
    explicit Order(const Agent &agent);
    Order() = default;
  };
  /// Of an operation that waits, what it has done in all its attempts.
  struct Arrivals {
    std::vector<int64_t> named;
    int64_t cluster = 0;
    /// What the threads knew when they came.
    std::array<Clock, 2> known;
    bool published = false;
  };
  void mismatch(Agent &agent, const Inst &inst, const llvm::Twine &what);
  /// Adds the access's bytes; false where they cannot be said.
  bool declared(Agent &agent, const effect::Access &access,
                std::map<const Memory *, Bytes> &to);
  void compareBytes(Agent &agent, const Inst &inst,
                    const effect::EffectList &list);
  void compareBarriers(Agent &agent, const Inst &inst,
                       const effect::EffectList &list,
                       effect::Cardinality cardinality);
  void compareGroups(Agent &agent, const Inst &inst,
                     const effect::EffectList &list);
  /// ConformanceOrder.cpp
  void noteArrivals(Agent &agent);
  void compareThreadBarriers(Agent &agent, const Inst &inst,
                             const effect::EffectList &list);
  void compareOrder(Agent &agent, const Inst &inst,
                    const effect::EffectList &list);

  Machine &machine;
  effect::Resolver resolver;
  Recorder recorder;
  /// Operands at the beginning: a destination may be an operand's slot.
  std::vector<uint64_t> scalars;
  std::vector<Ref> refs;
  Counts before;
  Order order;
  std::map<const Agent *, Arrivals> arrivals;
};

} // namespace titan::sim

#endif
