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
//   thread class   lane 0 of a warp (the elected thread), or its lanes 1..31.
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
// Target/ProxyTable.h; what an operation accesses, of its effects. A fence is
// an event, too: it ends a clock, so that "fenced after the access" is a
// comparison of clocks.
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

  // Synchronisation. Called before the operation's own effect, except waits.
  void init(Agent &agent, const Inst &inst, MBarrier &barrier);
  void barrier(Agent &agent, const Inst &inst, Cta &owner, MBarrier &barrier);
  void waited(Agent &agent, const Inst &inst, Cta &owner, MBarrier &barrier);
  void syncWarp(Agent &agent);
  void arriveNamed(Agent &agent, const Inst &inst, NamedBarrier &barrier);
  void waitNamed(Agent &agent, const Inst &inst, uint64_t round);
  void arriveCluster(Agent &agent, const Inst &inst);
  void waitCluster(Agent &agent, const Inst &inst, uint64_t round);
  void fence(Agent &agent, const Inst &inst);

  // Accesses.
  void tileAccess(Agent &agent, const Inst &inst, Cta &owner, uint32_t base);
  void elements(Agent &agent, const Inst &inst, unsigned tensor,
                llvm::ArrayRef<std::pair<uint64_t, uint8_t>> touched,
                unsigned bytes);
  void scalar(Agent &agent, const Inst &inst, Cta *owner, unsigned tensor,
              uint64_t address, unsigned bytes);
  /// An operation that reads or writes tensor maps in memory.
  void maps(Agent &agent, const Inst &inst);
  void copy(Agent &agent, const Inst &inst, Copy &copy);
  void bulkWaited(Agent &agent, const Inst &inst, size_t upTo);
  void joinProduct(Agent &agent, const Inst &inst, Warpgroup &group,
                   uint64_t number);
  void registersUsed(Agent &agent, const Inst &inst);
  void productsWaited(Agent &agent, const Inst &inst, uint64_t upTo);

  struct State;

private:
  explicit Hazards(Machine &machine);
  void use(Agent &agent, const Inst &inst, MBarrier &barrier);
  void invalidate(Agent &agent, const Inst &inst, MBarrier &barrier);
  std::unique_ptr<State> state;
};
} // namespace titan::sim

#endif
