//===- Hazards.h - happens-before, and what it must contain -----*- C++ -*-===//
#ifndef TITAN_SIMULATOR_HAZARDS_H
#define TITAN_SIMULATOR_HAZARDS_H

#include "Machine.h"

namespace titan::sim {
class Hazards {
public:
  static std::unique_ptr<Hazards> create(Machine &machine) { return nullptr; }
  void start(Cluster &cluster) {}
  void end(Cluster &cluster) {}
  void init(Agent &agent, const Inst &inst, MBarrier &barrier) {}
  void barrier(Agent &agent, const Inst &inst, Cta &owner, MBarrier &barrier) {}
  void waited(Agent &agent, const Inst &inst, Cta &owner, MBarrier &barrier) {}
  void syncWarp(Agent &agent) {}
  void arriveNamed(Agent &agent, const Inst &inst, NamedBarrier &barrier) {}
  void waitNamed(Agent &agent, const Inst &inst, uint64_t round) {}
  void arriveCluster(Agent &agent, const Inst &inst) {}
  void waitCluster(Agent &agent, const Inst &inst, uint64_t round) {}
  void fence(Agent &agent, const Inst &inst) {}
  void tileAccess(Agent &agent, const Inst &inst, Cta &owner, uint32_t base) {}
  void elements(Agent &agent, const Inst &inst, unsigned tensor,
                llvm::ArrayRef<std::pair<uint64_t, uint8_t>> touched,
                unsigned bytes) {}
  void scalar(Agent &agent, const Inst &inst, Cta *owner, unsigned tensor,
              uint64_t address, unsigned bytes) {}
  void copy(Agent &agent, const Inst &inst, Copy &copy) {}
  void bulkWaited(Agent &agent, const Inst &inst, size_t upTo) {}
  void joinProduct(Agent &agent, const Inst &inst, Warpgroup &group,
                   uint64_t number) {}
  void product(Agent &agent, const Inst &inst, Warpgroup &group,
               uint64_t number) {}
  void productsWaited(Agent &agent, const Inst &inst, uint64_t upTo) {}
};
} // namespace titan::sim

#endif
