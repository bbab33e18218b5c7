//===- Copy.h - bulk copies between global and shared memory ----*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Through a tensor map, what TMA makes of it (Domain/Tma.h); without one, a run
// of bytes.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_SIMULATOR_COPY_H
#define TITAN_SIMULATOR_COPY_H

#include "titan/Domain/Tma.h"
#include "titan/Simulator/Machine.h"

namespace titan::sim {

struct Copy : Work {
  Copy(Agent &agent, const Inst &inst, TmaDirection direction);

  bool isLoad() const { return what.direction == TmaDirection::Load; }
  void read(Machine &machine) override;
  void write(Machine &machine) override;
  bool isOver(bool sourcesOnly, bool views) const override;
  bool readsFrom(uint64_t begin, uint64_t bytes) const override;
  void settle(Machine &machine) override;

  /// Makes the transfer from what the map is now, as the copy sees it; false,
  /// and a finding, where that is no map, or the copy breaks a rule.
  bool readMap(Machine &machine);
  bool isInMemory() const { return !run && map.kind != MapPlace::Parameter; }

  template <typename F> void forEachRun(F each) const {
    if (run)
      each(*run);
    else
      transfer->forEachRun(each);
  }
  /// What a run does to the bytes of its destination (TmaTransfer::move).
  void move(const TmaRun &run, llvm::ArrayRef<uint8_t> source,
            llvm::MutableArrayRef<uint8_t> destination) const;
  int64_t imageBytes() const {
    return run ? run->bytes : transfer->imageBytes();
  }
  int64_t transactionBytes() const {
    return run ? run->bytes : transfer->transactionBytes();
  }

  std::optional<TmaTransfer> transfer;
  /// Without a map.
  std::optional<TmaRun> run;
  /// Of which its reduction is.
  const TmaType *type = nullptr;
  TmaCopy what;
  unsigned tensor = 0;
  MapPlace map;
  /// Maps in memory: the bytes that `transfer` was made from; and, with views,
  /// those that the tensormap proxy saw as they were.
  TmaDescriptor mapBits{};
  std::vector<OldByte> oldMap;
  bool mapRead = false;
  /// Loads: the barrier's address, in each target.
  uint32_t barrier = 0;
  /// The bytes of shared memory: of the source, or at each target.
  uint32_t shared = 0;
  /// Stores: what was read, run by run.
  std::vector<uint8_t> data;

private:
  void load(Machine &machine);
  void store(Machine &machine);
};

/// Tells that the work reads bytes of its CTA's shared memory that it cannot see.
void findUnwritten(Machine &machine, const Work &work, uint32_t where);

/// Issues it; `copy->shared` says where in the CTA's shared memory.
Step issueCopy(std::shared_ptr<Copy> copy);

} // namespace titan::sim

#endif
