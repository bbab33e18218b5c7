//===- Hazards.h - happens-before, and what it must contain -----*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two accesses to a byte, one of them a write, must be ordered, and by more
// than luck: this run's schedule shows one order, another's would show the
// other. So the order is taken from synchronisation alone (MM-20), as vector
// clocks:
//
//   thread class   lane 0 of a warp (the elected thread), or its other lanes.
//                  Each has a clock of its own, and knows of each other class
//                  the last clock whose events come before its own.
//   release        what a class knows goes to a barrier; its own clock advances
//   acquire        what a barrier has gathered is known from here on
//
// An event (class c, clock t) is before thread y if y knows t of c. Lanes of
// one class are different threads: a record keeps its lane, and within a class
// another lane's access is known only up to the last syncwarp or barrier.
//
// An asynchronous access is recorded at its issue. It is over for whoever knows
// an *observation* of its end: an event of a thread whose wait has returned.
//
// What a pair needs beyond an order (completion, a proxy fence) is asked of
// Target/ProxyTable.h. A fence is an event, too: it ends a clock, so that
// "fenced after the access" is a comparison of clocks.
//
// Of operations nothing is known here but their effects, and the bytes that
// Effects/Resolver.h makes of them:
//
//   before it is executed     Access, Arrive, ExpectTx, CompleteTx, Inval
//   after it                  what it has waited for (WaitBarrier, WaitFlag,
//                             WaitGroup, ThreadBarrier), what it orders (Fence,
//                             CommitGroup), Registers, Init
//
// What an operation does asynchronously joins the pending class of its
// mechanism: of the threads that issue it, or of their warp, as the mechanism's
// row says who may wait (Target/Mechanisms.h). A commit makes a group of what
// is pending, an arrival or complete_tx binds it to a barrier's phase. Where
// each thread waits for what it has issued itself (cp.async), an observation is
// of each lane, and of its own part (eachLane).
//
// Shadow memory: for every 16 bytes a list of records, each with the bytes it
// speaks of.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_SIMULATOR_HAZARDS_H
#define TITAN_SIMULATOR_HAZARDS_H

#include "titan/Simulator/Clock.h"
#include "titan/Simulator/Machine.h"

#include <map>
#include <unordered_map>

namespace titan::sim {

class Hazards {
public:
  static std::unique_ptr<Hazards> create(Machine &machine);
  ~Hazards();

  void start(Cluster &cluster);
  void end(Cluster &cluster);

  /// Called round every execution of a hardware operation, with what came of
  /// it. What cannot be resolved the operation itself refuses.
  void before(Agent &agent, const Inst &inst);
  void after(Agent &agent, const Inst &inst, Step step);
  /// The warp returns: what it has not waited for.
  void exit(Agent &agent, const Inst &inst);

  struct State;

private:
  explicit Hazards(Machine &machine);
  std::unique_ptr<State> state;
};
} // namespace titan::sim

#endif
