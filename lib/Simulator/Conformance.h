//===- Conformance.h - what is touched against what is declared -----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation's effect list is what checker and compiler believe of it. Nobody
// has to: here the bytes that the simulator's function of an operation has read
// and written are compared with the bytes that its effects declare, all of them
// where they say 'surely', no others in any case. Under the eager schedule, so
// that an asynchronous operation's accesses happen while it is executed.
//
// The declared bytes are computed from the types and layouts (lib/Layout), not
// from the tables that the simulator's functions use.
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
  bool declared(Agent &agent, const effect::Access &access,
                std::map<const Memory *, Bytes> &to);

  Machine &machine;
  effect::Resolver resolver;
  Recorder recorder;
  /// Operands at the beginning: a destination may be an operand's slot.
  std::vector<uint64_t> scalars;
  std::vector<Ref> refs;
};

} // namespace titan::sim

#endif
