//===- Events.h - what the warps of a kernel do, one after another --------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The seam of the checker. On one side stands the kernel, whose events are
// expressions over loop variables and sequence numbers (Effects.h); on the
// other the order relation and the verdicts. A `Program` is one instantiation
// between them: every loop has been given a trip count, every index a number,
// and what is left is a list of events for each warp:
//
//   warp 0:  wait empty[0] parity 1 | expect full[0] 49152, arrive | TMA ...
//   warp 4:  wait full[0] parity 0  | wgmma.fence | mma reads a[0], b[0] ...
//
// Nothing here knows the operations, only their effects. A proof for any trip
// count would put another producer of events in the place of Search/Instantiate.h and
// keep the rest.
//
// Who acts: an agent is a warp. Its lanes are two classes: the elected lane
// (always the same one, MM-12) and the others. Program order holds within a
// lane; between lanes of one warp only what orders them (MM-14).
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_ANALYSIS_EVENTS_H
#define TITAN_ANALYSIS_EVENTS_H

#include "titan/Dialect/Titan/Titan.h"
#include "titan/Layout/ByteSet.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <string>
#include <vector>

namespace titan::checker {

/// A mask of lane classes.
enum Lanes : uint8_t { Elected = 1, Others = 2, AllLanes = 3 };

/// The bytes that one event touches of one allocation or tensor.
struct FootprintData {
  /// Index into Program::roots.
  uint32_t root = 0;
  /// Byte offsets from the start of the root. Strides of global
  /// tensors that the launch decides are lib/Analysis/Search/Strides.cpp's.
  ByteSet bytes;
  /// A box of a global tensor, [low, high) in elements a dimension, or of the
  /// lanes and columns of tensor memory; `bytes` is then empty until somebody
  /// needs it. Of each dimension one element in `steps` is touched, from `low`
  /// on (empty: all).
  std::vector<int64_t> low, high, steps;
  /// Of a box: how far apart the elements of a dimension are, in bytes.
  std::vector<int64_t> strides;
  /// Bytes a lane, where every lane has its own part; else empty: every thread
  /// that acts touches all of them.
  std::vector<ByteSet> lanes;
  /// Bounds of `bytes`, or of the box's outermost dimension.
  int64_t begin = 0, end = 0;
};

/// All footprints that have come up, each once, and which of them meet.
class Footprints {
public:
  uint32_t add(FootprintData data);
  const FootprintData &operator[](uint32_t id) const { return *list[id]; }
  size_t size() const { return list.size(); }
  /// Both of one root.
  bool intersect(uint32_t a, uint32_t b);
  bool covers(uint32_t a, uint32_t b);
  /// Whether two different lanes of one warp meet in them.
  bool lanesMeet(uint32_t a, uint32_t b);

private:
  const ByteSet &bytesOf(uint32_t id);
  std::vector<std::unique_ptr<FootprintData>> list;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, bool> meets, contains, lanes;
};

/// One effect with numbers in it.
struct Action {
  enum Kind : uint8_t {
    Access,        ///< object: footprint; ctas: whose shared memory
    Arrive,        ///< object: barrier slot; amount: count a thread; ctas
    ExpectTx,      ///< object: barrier slot; amount: bytes; ctas
    CompleteTx,    ///< object: barrier slot; amount: bytes; ctas
    Commit,        ///< a group of `mechanism()`
    WaitGroup,     ///< amount, extra: groups (from 1) that the elected lane and
                   ///< the others wait for; 0: none. pending >= 0: a number
    WaitFlag,      ///< object: footprint; amount: the value waited for
    WaitBarrier,   ///< object: barrier slot; amount: parity, or -1 and extra is
                   ///< the number of a state
    Poll,          ///< object: barrier slot; a look that orders nothing
    ThreadBarrier, ///< amount: named barrier's id
    Fence,      ///< amount: when; object: footprint of the tensor map acquired;
                ///< extra: there is one
    Init,       ///< object: barrier slot; amount: expected arrivals
    Inval,      ///< object: barrier slot
    AllocCells, ///< tensor memory; object: footprint; ctas
    FreeCells,  ///< object: footprint; ctas
    Relinquish,
    InFlight, ///< registers of an asynchronous product; object: the number of
              ///< the accumulator that goes on in it (0: none), amount: of this
    Borrow,   ///< registers that a product reads; amount: when they got it
    Arrived,  ///< object: the registers of that number are ordinary again
    GridWait, ///< griddepcontrol.wait
  } kind;
  /// The effect's other fields; lives as long as the Instantiator.
  const effect::Effect *effect = nullptr;
  uint32_t object = 0;
  /// Ranks in the cluster, a bit each.
  uint32_t ctas = 1;
  int64_t amount = 0;
  int64_t extra = 0;
};

/// One operation, executed once by the lanes of one warp.
struct Event {
  mlir::Operation *op;
  /// Its actions: [first, first + count) of the agent's program.
  uint32_t first, count;
  /// Index into Program::iterations; 0: in no loop.
  uint32_t iteration;
  Lanes lanes;
  effect::Cardinality cardinality;
};

struct AgentProgram {
  std::vector<Event> events;
  std::vector<Action> actions;
};

struct AgentInfo {
  /// Index among the CTAs looked at, its cluster, and its rank in that.
  int cta = 0, cluster = 0, rank = 0;
  /// Rank of the warp in the CTA.
  int warp = 0;
  /// Name and rank there; empty: outside of partitions (idle), or in several,
  /// one after the other.
  std::string partition;
  int warpInPartition = 0;
  unsigned partitions = 0;
};

/// A point of the iteration space: the iteration of a loop, inside that of the
/// loop around it.
struct Iteration {
  uint32_t parent = 0;
  int64_t index = 0;
  /// A hash of the carried numbers that are no counters (Recurrences.h).
  uint64_t state = 0;
};

struct Program {
  int clusters = 1, clusterSize = 1, warps = 1;
  /// Lanes of a warp (wave) of the kernel's target, and warps of a warpgroup (1:
  /// there are none).
  int64_t lanes = 0;
  int warpgroup = 1;
  std::vector<AgentInfo> agents;
  std::vector<AgentProgram> programs;
  std::vector<Iteration> iterations = {{}};
  /// Slots of all barriers of one CTA: allocation and slot.
  std::vector<std::pair<mlir::Value, int64_t>> barriers;
  /// Allocations of one CTA (in shared and in tensor memory, tensor maps), then
  /// the kernel's arguments.
  std::vector<mlir::Value> roots;
  uint32_t sharedRoots = 0;
  /// Numbers of states that arrives yield.
  uint32_t states = 0;
  /// Roots that some event writes; the others need no bookkeeping.
  std::vector<bool> written;

  /// Earlier grids may still run (titan.programmatic), and have written the
  /// roots that `settled` does not name.
  bool programmatic = false;
  std::vector<bool> settled;

  /// No other CTAs than these are in any grid.
  bool all = false;
  /// No grid has more CTAs than the device has multiprocessors.
  bool resident = false;
  int ctas() const { return clusters * clusterSize; }
  uint64_t events() const;
  /// How often one execution performs an effect: once for each of the threads
  /// that act, or once.
  int64_t times(const Event &event, effect::By by) const;
  /// "iteration 3", "iterations 1, 3 (outermost first)", or "".
  std::string describe(uint32_t iteration) const;
  /// "partition multiply, warp 3, iteration 1".
  std::string describe(uint32_t agent, uint32_t iteration, Lanes lanes) const;
};

} // namespace titan::checker

#endif
