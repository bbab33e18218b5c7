//===- Machine.h - CTAs, warps, engines, and who goes next ------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of a run. Each warp of each resident CTA is an Agent; what they have
// issued and is not complete is Work (Work.h). A schedule decides which of them
// does the next step:
//
//   eager   work is done as soon as it is issued; agents run in turn
//   lazy    work is done, oldest step first, only when no agent can go on
//   random  a seed chooses among agents and work, step by step
//
// A store has two steps: its source is read, its destination is written. An
// asynchronous operation reads its source when its step comes, not at issue: a
// source overwritten too early shows.
//
// With hazards off sources are read as late as the rules allow: a wait for
// products, or for groups whose sources have been read, does not make them
// read. A tensor map in memory is one of a copy's sources. They are read when
// somebody who knows of that wait overwrites them (settle), when the registers
// are used, or as the schedule likes. Who overwrites them without knowing
// changes what they read.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_SIMULATOR_MACHINE_H
#define TITAN_SIMULATOR_MACHINE_H

#include "titan/Domain/Tma.h"
#include "titan/Simulator/Memory.h"
#include "titan/Simulator/Program.h"
#include "titan/Simulator/Simulator.h"
#include "titan/Simulator/Work.h"

#include <list>
#include <set>
#include <unordered_map>

namespace titan::sim {

class Machine;
class Hazards;
class Conformance;
class Trace;
struct Agent;
struct Copy;
struct Cta;
struct Cluster;

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// An mbarrier object. PTX ISA, mbarrier: phases, pending arrivals, tx-count.
struct MBarrier {
  enum State { Unset, Live, Dead } state = Unset;
  /// Number of the current phase; its parity is what waits name.
  uint64_t phase = 0;
  int64_t expected = 0, pending = 0, transactions = 0;
  mlir::Operation *init = nullptr, *lastArrive = nullptr;
  uint32_t initWarp = 0;
  /// Views: whether other threads, and the async proxy, see the init.
  bool published = true, publishedAsync = true;
  /// Copies that completed in the current and in the last phase.
  std::vector<uint64_t> copies, lastCopies;
  uint64_t address = 0;
  /// Views: its source, what the arrivals of this phase have released, and what
  /// a wait for the last one acquires.
  uint32_t source = 0;
  PhaseClock gathering, complete;
};

/// A named barrier of a CTA, or barrier 0.
struct NamedBarrier {
  int64_t threads = 0, count = 0;
  uint64_t round = 0;
  uint32_t warps = 0; ///< Those that have come this round.
  mlir::Operation *first = nullptr;
  /// Views: what this round's threads have released, and that of rounds before.
  Clock gathering, complete[4];
};

//===----------------------------------------------------------------------===//
// Agents
//===----------------------------------------------------------------------===//

struct Agent {
  Agent(Machine &machine, Cta &cta, unsigned warp);

  /// Executes up to and including the next hardware operation.
  Step step();

  /// "partition load, warp 0, iteration 3 (CTA 2)".
  std::string who(const Inst &inst) const;
  /// What it waits for, for the report of a deadlock.
  Waits waits();
  const Inst &current() const { return program.code[pc]; }

  Machine &machine;
  Cta &cta;
  const Program &program;
  unsigned warp;       ///< Rank in the CTA.
  uint32_t number;     ///< Unique in the run.
  unsigned region = 0; ///< Index of program.regions.
  unsigned regionWarp; ///< Rank in it.
  bool idle = false;   ///< Padding of a partition.
  bool elected = false, done = false, polling = false;
  uint32_t pc = 0;
  /// An operation of two parts (arrive, then wait) has done the first.
  bool arrived = false;
  uint64_t round = 0; ///< Of the barrier it waits at.
  uint64_t blockedAt = ~uint64_t(0);
  uint64_t steps = 0;
  int64_t registers = 0;
  bool clusterArrived = false;
  uint64_t clusterRound = 0;

  std::vector<uint64_t> scalars;
  std::vector<Ref> refs;
  std::vector<uint64_t> iterations; ///< Of each loop.
  ThreadView view;
  WarpKnowledge *knowledge = nullptr; ///< Views.

  /// By mechanism.
  std::vector<Stream> streams;
  /// Views: a wgmma.fence since accumulators were used as registers; results
  /// that nobody may have looked at.
  bool productFence = false;
  std::vector<llvm::IntrusiveRefCntPtr<Tile>> results;
  /// Views: barriers that this warp has initialised.
  std::vector<uint32_t> newBarriers;

  LaneMask lanes() const { return elected ? 1 : everyLane; }
  Stream &stream(Mechanism mechanism) {
    return streams[static_cast<size_t>(mechanism)];
  }
  const Stream &stream(Mechanism mechanism) const {
    return streams[static_cast<size_t>(mechanism)];
  }

  //===--------------------------------------------------------------------===//
  // What execution functions of several families need
  //===--------------------------------------------------------------------===//

  const Tile *tile(uint32_t slot) const {
    auto *found = static_cast<Tile *>(refs[slot].get());
    if (found)
      use(*found);
    return found;
  }
  static void use(Tile &tile) {
    tile.used = true;
    if (tile.late)
      std::exchange(tile.late, nullptr)(tile);
  }
  /// False, and a finding, where an element of the tile was never written.
  bool usePoison(const Inst &inst, const Tile *tile);
  /// The mask (or none) and the tiles of indices of an access to a tensor, at
  /// `inst.c` and in its list; nothing after a finding (poison).
  struct ElementPlaces {
    const Tile *mask;
    llvm::SmallVector<const Tile *, 5> indices;
  };
  std::optional<ElementPlaces> elementPlaces(const Inst &inst);
  /// False, and a finding, where the whole warp executes what is for one
  /// thread; or one thread what is for the warp.
  bool oneThread(const Inst &inst);
  bool wholeWarp(const Inst &inst);
  /// The CTA of a shared place; null (and a finding) where it has exited.
  Cta *resolve(const Inst &inst, SharedPlace place);
  /// The address of an element of the view in slot `inst.a`, or of a kernel's
  /// argument; false (and a finding) where there is none.
  bool sharedElement(const Inst &inst, Cta *&owner, uint64_t &address);
  bool globalElement(const Inst &inst, unsigned tensor,
                     llvm::ArrayRef<int64_t> index, uint64_t &address,
                     unsigned bytes);
  /// The mbarrier in slots `inst.c` and `inst.d`; null (and a finding) where
  /// there is none, or where it is not live as far as this thread sees.
  MBarrier *barrier(const Inst &inst, Cta *&owner);
  bool needLive(const Inst &inst, MBarrier &barrier, Cta &owner);
  /// The piece of work joins the stream of the mechanism.
  void join(WorkRef work, Mechanism mechanism);
  /// Waits for the stream's groups up to that number.
  Step waitForGroups(Mechanism mechanism, size_t upTo,
                     bool sourcesOnly = false);
  /// Views: this thread, or warp, will write there; see Machine::settle.
  bool readsToCome(Cta &owner, uint64_t address, uint64_t bytes);
  /// The same of tensor maps in global memory.
  bool mapReadsToCome(uint64_t address, uint64_t bytes);
  /// The kernel's end.
  Step exit(const Inst &inst);

private:
  bool advance(); // Up to a hardware operation.
};

//===----------------------------------------------------------------------===//
// CTAs
//===----------------------------------------------------------------------===//

struct Cta {
  Cta(Machine &machine, Cluster &cluster, std::array<int64_t, 3> id,
      unsigned rank);

  Machine &machine;
  Cluster &cluster;
  std::array<int64_t, 3> id;
  unsigned rank; ///< In the cluster.
  uint64_t number;
  Memory shared;
  std::unordered_map<uint32_t, MBarrier> barriers;
  std::vector<NamedBarrier> named; ///< By id, as many as the target has.
  std::vector<std::unique_ptr<Agent>> agents;
  /// By engine, and the issuer's first warp.
  std::map<std::pair<Engine, unsigned>, Queue> queues;
  unsigned running = 0; ///< Warps that have not returned.
  int64_t freeRegisters = 0;
  /// What fills this CTA's shared memory, by id, whose completion nobody has
  /// observed.
  std::unordered_map<uint64_t, WorkRef> unobserved;
  /// Views: what may not have read its sources, here.
  std::vector<WorkRef> readers;
};

struct Cluster {
  std::vector<std::unique_ptr<Cta>> ctas;
  uint64_t round = 0;   ///< Of the cluster's barrier.
  unsigned arrived = 0; ///< Warps, this round.
  unsigned running = 0;
  uint64_t pendingWork = 0; ///< Pieces of work that are not complete.
};

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

/// What the launch region computed.
struct Launch {
  std::array<int64_t, 3> grid{1, 1, 1};
  std::vector<uint64_t> values; ///< Of the body's launch arguments.
  struct Map {
    TensorMap map;
    unsigned tensor; ///< Index of the argument.
    TensorMapOp op;
  };
  std::vector<Map> maps;
};

/// Evaluates the launch region; none, and findings, where it is refused.
std::optional<Launch>
evaluateLaunch(KernelOp kernel, llvm::ArrayRef<SimulatorArgument> arguments,
               const SimulatorOptions &options, std::vector<Finding> &findings);

class Machine {
public:
  Machine(KernelOp kernel, const Program &program, const Launch &launch,
          llvm::ArrayRef<SimulatorArgument> arguments,
          const SimulatorOptions &options, SimulatorReport &report);
  ~Machine();

  void run();

  /// Adds a finding at the operation, unless it is one that has been reported;
  /// `fatal`: the run ends if it is an error. titan.trusted at `op` or
  /// `otherOp` makes it a note. `fix`: for this case; empty: the code's.
  void find(Code code, const llvm::Twine &message, mlir::Operation *op,
            const Agent *agent, bool fatal = true,
            std::vector<FindingPlace> others = {},
            std::vector<std::string> events = {},
            mlir::Operation *otherOp = nullptr, std::string fix = "");
  bool failed() const { return stop; }
  /// The agent can do nothing more, and what stopped it was no error (it is
  /// trusted): the run ends without a verdict.
  void giveUp(const Agent &agent);

  //===--------------------------------------------------------------------===//
  // Addresses (MemoryAccess.cpp)
  //===--------------------------------------------------------------------===//

  /// The number, among the arguments, of the tensor of elements of so many bytes
  /// that begins at an address, and ends where the memory does in which it lies;
  /// without elements where it lies in none.
  unsigned tensorAt(uint64_t address, unsigned bytes);
  /// The address that the kernel takes for a tensor's.
  uint64_t addressOf(unsigned tensor) const;

  //===--------------------------------------------------------------------===//
  // Engines (Engines.cpp)
  //===--------------------------------------------------------------------===//

  void issue(WorkRef work);
  /// One step of a piece of work; true when it is complete.
  bool perform(Work &work);
  /// Its sources are read, if they have not been.
  void readSource(Work &work);
  void complete(Work &work);
  /// Pieces of the queue up to that number, all issued, are done.
  void completeUpTo(Queue &queue, uint64_t number);
  /// Views: somebody will write [begin, begin + bytes) of the CTA's shared
  /// memory. Reads by asynchronous operations that are over as far as the
  /// writer knows are made now; true where others are to come.
  bool settle(Cta &cta, uint64_t begin, uint64_t bytes, const Viewer &writer);
  /// Views: as settle(), for maps that lie in [begin, begin + bytes) of global
  /// memory.
  bool settleMaps(uint64_t begin, uint64_t bytes, const Viewer &writer);

  //===--------------------------------------------------------------------===//
  // Barriers (Barriers.cpp)
  //===--------------------------------------------------------------------===//

  /// `count` arrivals, or `bytes` of transactions more (negative: completed).
  void arrive(MBarrier &barrier, int64_t count, mlir::Operation *op,
              const Agent *agent);
  void transact(MBarrier &barrier, int64_t bytes, mlir::Operation *op,
                const Agent *agent);
  void completePhaseIfDone(MBarrier &barrier);
  /// A wait on the barrier's last phase has returned true.
  void observePhase(Cta &cta, MBarrier &barrier);
  /// Views: a release of the agent lets others see the barriers it initialised.
  void publishBarriers(Agent &agent);
  std::string nameOf(const Cta &cta, const MBarrier &barrier) const;
  /// The buffer that an address of shared memory lies in: "%tile".
  std::string nameAt(uint32_t address) const;
  /// What the first of those who wait for ever lacks, and whether another one
  /// may still bring it.
  std::string fixOfDeadlock(Agent &first) const;
  /// What to do about a read of it that finds nothing written, or nothing that
  /// the reader can see.
  std::string fixOfUnwritten(uint32_t address) const;
  std::string stateOf(const MBarrier &barrier) const;

  KernelOp kernel;
  const Program &program;
  const Launch &launch;
  /// Those of the kernel, `own` of them, what there is beside them, and tensors
  /// that addresses have made.
  std::vector<SimulatorArgument> arguments;
  const size_t own;
  const SimulatorOptions &options;
  /// What becomes of approximations; a random mode goes on from here.
  Approximate approximate = options.approximate;
  SimulatorReport &report;
  std::unique_ptr<Views> views; ///< Hazards off.
  Memory global;
  std::unique_ptr<Hazards> hazards;
  std::unique_ptr<Trace> trace;
  std::unique_ptr<Conformance> conformance;
  /// How often each operation has been compared with its effects.
  llvm::DenseMap<mlir::OperationName, uint64_t> compared;
  /// What happens to barriers, while an operation is compared.
  Recorder *recorder = nullptr;
  /// Rises with whatever may let a blocked agent go on.
  uint64_t events = 0;
  uint64_t nextWork = 1;
  /// Views: copies through maps in memory that may not have been read.
  std::vector<std::shared_ptr<Copy>> mapReads;
  uint32_t nextAgent = 0;
  uint64_t nextCta = 0;

private:
  bool outstandingAt(Cta &cta, const Inst &inst);
  friend struct Agent;
  void startClusters();
  void retire();
  void deadlock();
  bool stepAgents();
  bool stepFirst();
  void stepRandom();
  bool stepWork(size_t index);
  uint64_t random();
  bool ready(const Work &work) const;
  int rank(const Work &work) const;
  unsigned weight(const Agent &agent) const;

  std::map<std::pair<uint64_t, unsigned>, unsigned> tensorsAt;
  const size_t given; ///< Arguments, and what there is beside them.
  std::vector<std::unique_ptr<Cluster>> resident;
  std::vector<Agent *> agents;
  std::list<WorkRef> work;
  int64_t nextCluster = 0, clusters = 0;
  std::array<int64_t, 3> clusterGrid{1, 1, 1};
  bool stop = false, stuck = false, polled = false;
  std::vector<Agent *> candidates;
  uint64_t rng = 0;
  unsigned engineWeight = 4, burst = 1;
  /// What agents differ in: nothing, their partition, or each.
  enum class Speeds { Same, ByPartition, ByWarp } speeds = Speeds::Same;
  /// The code, the operation of the text (unrolled loops have several at one
  /// place), and the other place; or the code, and the words in which it is
  /// trusted.
  std::set<std::tuple<int, const void *, const void *, std::string>> reported;
};

/// What some bytes held as far as the reader knew takes the place of what was
/// read of [address, address + bytes).
void restore(llvm::ArrayRef<OldByte> old, uint64_t address, size_t bytes,
             uint8_t *data, uint8_t *poison);

/// The live barrier of an instruction that writes to `target`, whose barrier it
/// is; with `peer`, another CTA than the agent's. Null after a finding.
MBarrier *peerBarrier(Agent &agent, const Inst &inst, Cta *target, bool peer);
/// Bytes of the copy complete on the barrier of a CTA that it writes, in whose
/// phase it was issued.
void completeAt(Machine &machine, Work &copy, Cta &target, MBarrier &barrier,
                uint64_t phase, int64_t bytes);
/// What a reduction of a signed integer of 4 or 8 bytes leaves in shared memory.
uint64_t reduceWord(AtomicOp op, unsigned bytes, uint64_t old, uint64_t value);

/// "file.mlir:12:3".
std::string placeOf(mlir::Location loc);

} // namespace titan::sim

#endif
