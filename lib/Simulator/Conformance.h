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
//   groups     committed, waited for
//   fences     which of them the threads have executed since (hazards off: that
//              is what Views.h keeps of them)
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
  };
  /// What an agent has of groups and of fences.
  struct Counts {
    /// By mechanism: groups committed, and those waited for.
    struct Groups {
      size_t made = 0, read = 0, done = 0;
      bool operator==(const Groups &) const = default;
    };
    std::vector<Groups> groups;
    size_t proxyFences[3] = {}, mapReleases = 0;
    explicit Counts(const Agent &agent);
    Counts() = default;
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

  Machine &machine;
  effect::Resolver resolver;
  Recorder recorder;
  /// Operands at the beginning: a destination may be an operand's slot.
  std::vector<uint64_t> scalars;
  std::vector<Ref> refs;
  Counts before;
};

} // namespace titan::sim

#endif
