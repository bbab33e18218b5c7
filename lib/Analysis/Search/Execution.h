//===- Execution.h - one canonical run, and the order it shows --*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The events of all warps are executed once, under one schedule, with clocks
// (Clock.h). Under every other schedule the order relation is the same,
// provided that each arrival is pinned to its phase (MM-120); so the run checks
// that, too, and where it holds, one run speaks for all.
//
// A phase completes in the model as late as possible: when somebody waits for
// the barrier, or arrives at it.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_SEARCH_EXECUTION_H
#define TITAN_LIB_ANALYSIS_SEARCH_EXECUTION_H

#include "../Findings/Report.h"
#include "Clock.h"
#include "Conflicts.h"

#include "titan/Dialect/Titan/PipeEnds.h"

#include "llvm/ADT/BitVector.h"

#include <map>
#include <memory>
#include <optional>

namespace titan::checker {

class Execution {
public:
  /// With `cumulativeFences`, MM-45 does not hold (--strict=off).
  Execution(const Program &program, Footprints &footprints, Report &report,
            Effort &effort, bool cumulativeFences = false);
  /// Runs to the end, or to a deadlock, or to an error that leaves no sense in
  /// going on, or until the effort is used up.
  void run();

private:
  //===--------------------------------------------------------------------===//
  // Barriers
  //===--------------------------------------------------------------------===//

  /// An arrival, expectation or completion in the current phase.
  struct Contribution {
    enum Kind : uint8_t { Arrive, Expect, Complete, Track } kind;
    uint32_t agent;
    Lanes lanes;
    uint32_t tick;
    const Event *event;
    int64_t amount;
    Scope scope;
  };
  struct PhaseWait {
    uint32_t agent;
    Lanes lanes;
    uint32_t tick;
    const Event *event;
    int64_t phase;
    bool again; ///< The operation was answered for this phase before, too.
  };
  struct Barrier {
    bool live = false;
    /// Who initialised it, when.
    uint32_t initAgent = 0, initTick = 0;
    Lanes initLanes = Elected;
    const Event *initEvent = nullptr;
    std::vector<uint8_t> initChecked; ///< agent: bits of lanes; 4: async
    int64_t expected = 0, pending = 0, tx = 0;
    /// What mbarrier.init said, and what this phase began with; `expected` is of
    /// the next one (arrive_drop).
    int64_t count = 0, ofPhase = 0;
    /// Phases completed, and how many of them in earlier lives: a barrier that
    /// is initialised again counts from 0 (MM-52).
    uint32_t phase = 0, base = 0;
    int64_t phaseOfLife() const { return int64_t(phase) - base; }
    /// Last use by each lane class of each agent, copies apart (2 * agent +
    /// lane), and who ended its last life, when.
    std::vector<uint32_t> used;
    std::vector<const Event *> usedBy;
    const Event *invalEvent = nullptr;
    uint32_t invalAgent = 0, invalTick = 0;
    Lanes invalLanes = Elected;
    /// What the arrivals of the current and of the last phase released.
    Clock current, last;
    std::vector<Contribution> contributions, lastContributions;
    std::vector<PhaseWait> waits;
  };
  struct NamedBarrier {
    int64_t threads = 0; ///< of the round; 0: nobody has come
    int64_t come = 0;
    uint32_t round = 0;
    Clock clock;
    struct Participant {
      uint32_t agent;
      bool sync;
      const Event *event;
    };
    std::vector<Participant> participants;
    std::vector<uint32_t> before; ///< who synced in the round before
  };
  struct ClusterBarrier {
    uint32_t round = 0;
    int64_t come = 0;
    Clock clock, last;
    std::vector<bool> arrived;
  };

  //===--------------------------------------------------------------------===//
  // Agents
  //===--------------------------------------------------------------------===//

  struct Stream {
    uint32_t id;                     ///< in the clock
    uint32_t commits;                ///< by this agent and lane class
    std::vector<const Event *> open; ///< not in a group yet
    /// The first operation of each group.
    std::vector<const Event *> groups;
    /// Counters: by how much each group raises it.
    std::vector<int64_t> raises;
    /// The last hand-written wait that left groups pending, and which was the
    /// last one it covered.
    const Event *numbered = nullptr;
    uint32_t numberedAt = 0;
    /// How many groups there were then, and its tick in the clock.
    uint32_t numberedOf = 0, numberedTick = 0;
  };
  struct Agent {
    uint32_t next = 0;       ///< event
    uint32_t nextAction = 0; ///< in it
    bool begun = false;      ///< the event's tick has been counted
    bool arrived = false;    ///< at the barrier it now waits for
    bool done = false, lost = false;
    uint32_t tick = 0;
    Clock clock[2];
    /// Of its own accesses: last covering fence.
    BySpace<uint32_t> ownFence[2];
    uint32_t ownInit[2] = {};
    /// The clock at the last covering fence of this thread.
    BySpace<Clock> fenceClock[2];
    /// What the last release fence released, for relaxed arrivals after it.
    Clock releaseFence[2];
    Scope releaseScope[2] = {Scope::Cta, Scope::Cta};
    /// What relaxed waits have seen, for an acquire fence after them.
    Clock relaxedSeen[2];
    /// The arrivals of other CTAs among that, their scopes, and the wait's.
    struct Relaxed {
      uint32_t agent;
      const Event *arrival;
      Scope scope, wait;
    };
    std::vector<Relaxed> relaxedFrom[2];
    /// Writes of tensor maps released, and the clock at the last acquire of
    /// each map (by footprint).
    uint32_t ownMapRelease[2] = {};
    struct MapFence {
      const Event *event;
      uint32_t tick;
      Scope scope;
      Clock acquired;
    };
    std::vector<MapFence> mapReleases[2];
    std::map<uint32_t, MapFence> mapAcquired[2];
    /// Copies of threads (cp.async): the groups that each lane has waited for,
    /// and those that it has fenced since (a class of many lanes does not know
    /// of one another's); the arrivals of mbarriers that track them.
    uint32_t ownCopies[2] = {}, ownCopiesFenced[2] = {}, copyArrivals[2] = {};
    /// Groups committed before the last of those arrivals.
    uint32_t copiesTracked[2] = {};
    /// Tensor memory: the last waits, what stood before the last
    /// tcgen05.fence::before, and the clock at the last ::after.
    uint32_t ownCells[2][5] = {};
    Clock cellsAfter[2];
    /// At the last wgmma.fence.
    Clock productClock[2];
    bool productFence = false;
    int64_t productFenceAt = 0; ///< in steps of the warp
    const Event *lastRegisters = nullptr;
    /// Accumulators by number: which group the product is of, and which product
    /// took the registers over.
    struct Flight {
      uint32_t group = 0;
      const Event *issued = nullptr, *taken = nullptr;
    };
    std::vector<Flight> flights = {{}};
    uint32_t productsWaited = 0; ///< groups, by this warp itself
    /// What is over and past at the last wgmma.fence, at that before the last
    /// product, and at that before the last product of each group (MM-71).
    std::shared_ptr<const Clock> overAtFence, overAtProduct;
    std::vector<std::shared_ptr<const Clock>> overAtGroup;
    std::map<std::pair<Mechanism, int>, Stream> streams;
    uint32_t clusterRound = 0; ///< rounds waited for
    bool clusterArrived = false;
    /// Last wait on each barrier: which phase it was answered for, and whether
    /// it told this thread anything new.
    struct LastWait {
      const Event *event;
      int64_t phase;
      bool fresh;
      uint32_t tick;
      /// The same operation was answered for this phase the last time, too.
      bool again;
    };
    std::map<uint32_t, LastWait> lastWait;
    /// What it knew after each of its waits (FenceNeeds.h).
    struct Learned {
      uint32_t tick;
      Clock clock[2];
    };
    std::vector<Learned> learned;
  };

  bool runAgent(uint32_t agent);
  /// False: blocked (or lost).
  bool perform(uint32_t agent, const Event &event, const Action &action,
               uint32_t actionIndex);
  void cardinality(uint32_t agent, const Event &event);
  void warpgroups();
  void inFlight(uint32_t agent, const Event &event, const Action &action);
  void arrived(uint32_t agent, const Event &event, const Action &action);
  /// Checks that registers in flight are still those of that number.
  bool kept(uint32_t agent, const Event &event, uint32_t number);
  /// Whether X's own warp, another than Y's, waits for it before it tells
  /// anybody anything.
  bool waitsInTime(const AccessRecord &x, const AccessRecord &y) const;
  /// By what X's warp waits for its group before `end`, an event of that warp; and,
  /// unless `passesBarriers`, before it meets other warps. Null: it does not.
  const Event *waitsForGroup(const AccessRecord &x, const Event *end,
                             bool passesBarriers) const;

  void access(uint32_t agent, const Event &event, const Action &action);
  /// MM-85: memory that earlier grids may write, before the wait for them.
  void afterEarlierGrids(uint32_t a, const Event &event,
                         const effect::Access &access, uint32_t root);
  /// Waits for earlier grids, by lane class.
  struct GridWait {
    uint32_t agent;
    int lane;
    uint32_t tick;
  };
  std::vector<GridWait> gridWaits;
  void arrive(uint32_t agent, const Event &event, const Action &action);
  void expect(uint32_t agent, const Event &event, const Action &action);
  void complete(uint32_t agent, const Event &event, const Action &action);
  /// Whether an event's bytes are those of a copy, and come when that is done.
  bool copies(uint32_t agent, const Event &event) const;
  /// After a contribution of bytes: whether the barrier's transaction count can
  /// leave its range under some schedule (MM-50).
  void checkRange(uint32_t agent, const Event &event, uint32_t barrier);
  void commit(uint32_t agent, const Event &event, const Action &action);
  bool waitGroup(uint32_t agent, const Event &event, const Action &action);
  /// The warps [first, second) of an agent's warpgroup.
  std::pair<uint32_t, uint32_t> warpgroupOf(uint32_t agent) const;
  void signalFlag(uint32_t agent, const Event &event, const Action &action);
  bool waitFlag(uint32_t agent, const Event &event, const Action &action);
  struct Flag;
  struct Signal;
  static int64_t mostWithout(const Flag &flag, uint32_t agent,
                             const Event &wait, const Signal &signal);
  bool waitBarrier(uint32_t agent, const Event &event, const Action &action);
  bool threadBarrier(uint32_t agent, const Event &event, const Action &action);
  /// Tensor memory (TensorMemory.cpp). False: a pair's other CTA has not come.
  /// An allocation or its end, as a write of all its cells.
  void writeCells(uint32_t agent, const Event &event, const Action &action,
                  bool pair);
  bool allocCells(uint32_t agent, const Event &event, const Action &action);
  /// Checks the size of an allocation against those before it (MM-105).
  void checkColumns(uint32_t agent, const Event &event, int64_t columns);
  void freeCells(uint32_t agent, const Event &event, const Action &action);
  void accessCells(uint32_t agent, const Event &event, const Action &action,
                   AccessRecord record, const View &view);
  void waitCells(uint32_t agent, const Event &event, Mechanism mechanism);
  void fenceCells(uint32_t agent, const Event &event, bool before);
  void endOfCells();
  bool namedBarrier(uint32_t agent, const Event &event, const Action &action);
  bool clusterBarrier(uint32_t agent, const Event &event, const Action &action);
  /// Arrivals and waits of two CTAs name a scope that includes both (MM-42).
  static std::string fixOfScope(Scope release, mlir::Operation *arrival,
                                Scope acquire, mlir::Operation *wait);
  void checkScope(Scope release, Scope acquire, uint32_t first, uint32_t second,
                  const Event &arrival, const Event &wait);
  void fence(uint32_t agent, const Event &event, const Action &action);
  /// Release and acquire of a map by two CTAs name a scope that includes both.
  void checkMapScopes(const AccessRecord &x, const AccessRecord &y,
                      const View &view);
  void init(uint32_t agent, const Event &event, const Action &action);
  void invalidate(uint32_t agent, const Event &event, uint32_t barrier);
  /// X by these lanes of an agent is before all lanes of an event of another.
  bool isBefore(uint32_t first, Lanes lanes, uint32_t tick, uint32_t agent,
                const Event &event) const;

  /// Completes the current phase if nothing is missing.
  void settle(uint32_t barrier);
  /// Checks that the barrier may be used here; false: it may not at all.
  bool usable(uint32_t agent, const Event &event, uint32_t barrier, bool async);
  /// Checks that a contribution to the current phase is pinned to it.
  void pinned(uint32_t agent, const Event &event, uint32_t barrier,
              const char *what, bool completes = false);
  void overArrival(uint32_t agent, const Event &event, uint32_t barrier,
                   int64_t amount);
  /// Reports a copy whose phase was over before it, since fewer bytes are
  /// expected than the copies of its thread bring. The run ends there.
  bool expectsTooFew(uint32_t agent, const Event &copy, uint32_t barrier);
  /// Reports a titan.copy_async whose thread has arrived before it, so that the
  /// phase can complete without its bytes. The run ends there.
  bool arrivedBefore(uint32_t agent, const Event &copy, uint32_t barrier);
  /// The wait before an access that was answered before any phase of the
  /// barrier, or a second time for one, where a copy that meets the access
  /// completes the next phase: the wait was meant for that. The run ends there.
  std::optional<Conflicts::Cause> returnedEarly(const AccessRecord &access,
                                                const AccessRecord &copy);
  /// The same of a read of what a copy is going to write that has not been
  /// issued. True: that is told.
  bool waitedTooEarly(const AccessRecord &read);

  /// What these lanes have just done themselves, in execution order (MM-15).
  void addPresent(uint32_t agent, Lanes lanes, Clock &to) const;
  /// What a release by these lanes hands over.
  const Clock &released(uint32_t agent, Lanes lanes);
  void acquire(uint32_t agent, Lanes lanes, const Clock &clock);
  /// What a relaxed arrival by these lanes hands over: what release fences of
  /// at least this scope have released before it (MM-21), and which phases are
  /// over (MM-15).
  /// The scope that it names, with that of the fence.
  Scope arriveRelaxed(uint32_t agent, Lanes lanes, Scope least, Scope named,
                      Clock &to);
  Stream &stream(uint32_t agent, Mechanism mechanism, int lane);
  /// Numbers those of mechanisms that the program uses, as their rows say: one a
  /// class of lanes, or one a warpgroup, its first warp's.
  void numberStreams();
  uint32_t streamId(uint32_t agent, Mechanism mechanism, int lane) const;
  /// gfx942, plain stores: the number that says up to which of its events a
  /// wave has waited for them (VmCount: global memory, LgkmCount: LDS).
  uint32_t storesOver(uint32_t agent, Mechanism counter) const;
  /// The wave waits for all of them.
  void waitStores(uint32_t agent, Mechanism counter);
  /// The number that says up to which of its cp.async.mbarrier.arrive a thread's
  /// copies are done.
  uint32_t copyArrivals(uint32_t agent, int lane) const {
    return shape.done(streamsPerAgent * agent + copyArrivalStreams + lane);
  }
  /// Of an agent: its first stream of a mechanism, and the ones of storesOver;
  /// none: the program does not use it.
  std::vector<std::optional<uint32_t>> streams, stores;
  uint32_t copyArrivalStreams = 0, streamsPerAgent = 0;

  uint32_t slot(int cta, uint32_t local) const {
    return cta * program.barriers.size() + local;
  }
  int ctaOf(uint32_t agent) const { return program.agents[agent].cta; }
  /// Of the barrier with that id, of the agent's CTA, in `named`.
  uint32_t namedIndex(uint32_t agent, int64_t id) const {
    return target->namedBarriers * ctaOf(agent) + id;
  }
  int ctaAt(uint32_t agent, int rank) const {
    return program.agents[agent].cluster * program.clusterSize + rank;
  }
  template <typename F>
  void eachCta(uint32_t agent, const Action &action, F each) const {
    for (int rank = 0; rank < program.clusterSize; ++rank)
      if (action.ctas >> rank & 1)
        each(ctaAt(agent, rank));
  }

  //===--------------------------------------------------------------------===//
  // Nobody can go on (Deadlock.cpp)
  //===--------------------------------------------------------------------===//

  void deadlock();
  /// What a wait that never returns says of itself.
  std::string describeWait(uint32_t agent, const Event &event,
                           const Action &action) const;
  const Action &current(uint32_t agent) const;
  /// Reports a wait by parity for a phase later than the next one.
  bool waitsTooLate(uint32_t agent, const Event &event, const Action &action);
  /// Reports a phase of which some is there. True: no more is ever made.
  bool missesArrivals(uint32_t agent, const Event &event, const Action &action);
  /// The first agent that has an arrival at the barrier ahead of it, or bytes where
  /// only these are missing.
  std::optional<uint32_t> signaller(uint32_t barrier) const;
  /// Whether an action is at that barrier.
  bool isAt(uint32_t agent, const Action &action, uint32_t barrier) const;
  /// Whether somebody has copies ahead of it that complete on the barrier's present
  /// phase.
  bool bytesAreToCome(uint32_t barrier) const;

  //===--------------------------------------------------------------------===//
  // Fixes (Findings/Fixes.h): what to change, with names and numbers
  //===--------------------------------------------------------------------===//

  // CountFixes.cpp.

  /// How many arrivals at a barrier an operation makes each time, by all that
  /// execute it; the most that one makes, and all of them together.
  int64_t arrivalsOf(mlir::Operation *op, uint32_t barrier) const;
  std::pair<int64_t, int64_t> arrivalsAt(uint32_t barrier) const;
  /// All operations that arrive at barriers, with (at least) these lanes.
  llvm::SetVector<mlir::Operation *> arrivalOps(Lanes by = Lanes{}) const;
  /// Where one operation arrives more often than the barrier counts: the finding
  /// that was added last is of that.
  void lastMayBeMismatch(uint32_t barrier);
  /// Warps of which all lanes arrive, more than the barrier counts; 0: none.
  int64_t warpsOfLanes(uint32_t barrier) const;
  /// Arrivals by all lanes where one of each warp is counted.
  std::optional<std::string> fixOfLanes(uint32_t barrier) const;
  /// Arrivals of copies that the phase is to have beside those that are counted,
  /// where nobody else arrives.
  std::optional<std::string> fixOfUncounted(uint32_t barrier) const;
  /// A phase gets this many arrivals, and the barrier's count is another.
  std::string fixOfCount(uint32_t barrier, int64_t arrivals) const;
  /// The same, as an edit of where the barrier is initialised.
  void editCount(Finding &finding, uint32_t barrier, int64_t arrivals) const;
  /// The same, if that is what fixOfCause says.
  void editCause(Finding &finding, uint32_t barrier) const;
  /// What makes phases go by that nobody has meant: more arrivals than are
  /// counted, or a wait that is answered twice for one phase.
  std::optional<std::string> fixOfCause(uint32_t barrier) const;
  /// The arrival at a barrier that a thread makes before a titan.copy_async
  /// that signals it, if it makes all of its arrivals there too early: the
  /// first before its first copy, and none behind its last.
  const Event *arrivalBefore(uint32_t agent, const Event &copy,
                             uint32_t barrier) const;
  /// An arrival before a titan.copy_async that belongs behind it.
  static std::string fixOfOrder(const Event &arrival);
  /// Bytes that are expected by hand beside a titan.copy_async, which expects
  /// its own.
  std::optional<std::string> fixOfBytes(uint32_t barrier,
                                        const Contribution &expect) const;
  /// Bytes of a multicast that leaves the barrier's CTA out.
  std::optional<std::string> fixOfMask(uint32_t barrier) const;
  /// Of a pipe, what its loads bring, by how many CTAs.
  std::optional<std::string>
  fixOfSenders(uint32_t barrier, const std::vector<Contribution> &copies) const;

  // SlotFixes.cpp.

  /// A wait for another phase than the next, which is number `seen`.
  std::string fixOfParity(uint32_t barrier, uint32_t seen) const;
  /// The same of a pipe, whose text has no parities.
  static std::string fixOfUse(const PipeEnd &end, int64_t phase);
  /// The parity of a wait that fixOfParity is told of.
  void editParity(Finding &finding, mlir::Operation *wait, int64_t parity,
                  uint32_t barrier, uint32_t seen) const;
  /// The numbers of the loops' iterations, the outermost first: two agents', that do
  /// one thing together, have iterations of their own.
  std::vector<int64_t> indicesOf(uint32_t iteration) const;
  /// Bytes of several uses of one phase, each of which brings what it expects.
  std::optional<std::string> fixOfBytesOfUses(uint32_t barrier) const;
  /// The first wait of the program for a barrier; null: there is none.
  const Event *waitFor(uint32_t barrier) const;
  /// A copy that signals this barrier, where its thread has expected its bytes, in
  /// this iteration, at another one; or the other way round. Where they are expected
  /// and waited for is added to the finding.
  std::optional<std::string> fixOfOtherBarrier(uint32_t barrier,
                                               Finding &finding) const;
  /// A copy that is of the barrier's next use, since its thread waits for nothing
  /// that tells of those who wait for this one.
  std::optional<std::string> fixOfNextUse(uint32_t barrier,
                                          const Contribution &copy) const;
  /// Of a ring, a slot at which nobody arrives, though it is waited for.
  std::optional<std::string> fixOfStraySlot(uint32_t barrier) const;
  /// A copy into another slot of a ring than that of the barrier which it signals,
  /// or a read of another slot than that of the barrier waited for.
  std::string fixOfSlots(const AccessRecord &read,
                         const AccessRecord &copy) const;

  // Fixes.cpp.

  /// Of a constant that this operation alone takes, as its parity or bytes.
  static void editConstant(Finding &finding, mlir::Operation *op, int64_t from,
                           int64_t to);
  /// Fix and edit where a phase of barrier `b` expects other bytes than the
  /// `brought`: `more` than it does (or fewer, below 0), of which `expect` is to have
  /// them. Where phases may differ, it is a fix of this one.
  void expectOther(Finding &finding, uint32_t b, const Contribution &expect,
                   int64_t more, int64_t brought) const;
  /// The pipe whose barrier it is, if it is one's.
  std::optional<PipeEnd> pipeEnd(uint32_t barrier) const;
  /// A pipe's slot, or turn, that nobody brings to whom it is waited for.
  static std::string fixOfIdlePipe(const PipeEnd &end);
  /// An arrival that somebody made in the phase before, and does not make again.
  std::optional<std::string> fixOfMissing(uint32_t barrier,
                                          uint32_t waiter) const;
  /// A barrier that nobody waits for, at which somebody arrives who has waited for
  /// this one.
  std::optional<uint32_t> unheardOf(uint32_t barrier) const;
  /// A signal that can fall into the phase before.
  std::string fixOfSignal(uint32_t barrier) const;
  /// A wait that can come when the phase after its own is over.
  std::string fixOfLateWait(uint32_t barrier, const Event &wait) const;
  /// Of a read and a copy of a barrier's phase, in no order, where nothing but such
  /// copies writes these bytes, and nobody of the reader's CTA has waited.
  std::string fixOfNoWait(const AccessRecord &read,
                          const AccessRecord &copy) const;
  /// Waits that never return, the first of them this agent's.
  std::string fixOfDeadlock(uint32_t agent) const;

  //===--------------------------------------------------------------------===//
  // Fences that are missing (Fences/Needs.cpp), where report.fences asks
  //===--------------------------------------------------------------------===//

  /// The places that a lane class of an agent has passed between two ticks.
  void placesBetween(
      uint32_t agent, int lane, uint32_t after, uint32_t before,
      llvm::function_ref<void(unsigned place, const Event &)> each) const;
  /// After an event: keeps what a wait has told.
  void remember(uint32_t agent, const Event &event);
  /// Behind which tick the agent's clocks say what `known` asks.
  uint32_t
  knownSince(uint32_t agent,
             llvm::function_ref<bool(const Clock *const *)> known) const;
  void missingFence(const Conflicts::Missing &missing);
  /// A map in memory that was never acquired.
  void missingAcquire(uint32_t agent, int lane, const Event &event);
  /// wgmma.fence after the last access to registers, or after the step at which
  /// those of A got their values.
  void missingProductFence(uint32_t agent, const Event &event,
                           mlir::Operation *other, int64_t defined = -1);
  void missingInitFence(uint32_t agent, int lane, const Event &event,
                        const Barrier &barrier, bool peer);

  //===--------------------------------------------------------------------===//
  // Ends (Obligations.cpp)
  //===--------------------------------------------------------------------===//

  void endOfAgent(uint32_t agent);
  void endOfAll();
  void badBytes(uint32_t barrier);
  std::string barrierName(uint32_t barrier) const;
  /// The ring of barriers, as the CTA allocates it, and which of its slots.
  std::pair<mlir::Value, int64_t> slotOfRing(uint32_t barrier) const;
  int64_t slotsOf(uint32_t barrier) const {
    return cast<MBarrierType>(slotOfRing(barrier).first.getType()).getSlots();
  }
  std::string who(uint32_t agent, const Event &event) const {
    return program.describe(agent, event.iteration, event.lanes);
  }

  bool cumulativeFences;
  const Program &program;
  Footprints &footprints;
  Report &report;
  Effort &effort;
  ClockShape shape;
  /// Flags in global memory, by footprint: who adds what, in all of the
  /// program, and what has been added so far.
  struct Signal {
    uint32_t agent;
    int64_t amount;
    Clock clock;
    Scope scope;
    const Event *event;
  };
  /// What an agent does at a flag: adds, or waits for a value.
  struct FlagStep {
    const Event *event;
    bool waits;
    int64_t amount;
    /// Nothing that it adds later comes before this wait returns.
    bool gates = true;
  };
  struct Flag {
    std::map<uint32_t, int64_t> total; ///< by agent
    std::map<uint32_t, std::vector<FlagStep>> steps;
    std::vector<Signal> signals;
    int64_t initial = 0; ///< titan.initial.
    int64_t value = 0;
    /// Whether `total`, `steps` and `changed` have been found.
    bool summed = false;
    /// Who changes it otherwise than by adding.
    const Event *changed = nullptr;
  };
  std::map<uint32_t, Flag> flags;
  Flag &flagOf(uint32_t object);
  int64_t flagAtLaunch(uint32_t object) const;
  std::vector<Agent> agents;
  std::vector<Barrier> barriers;
  std::vector<NamedBarrier> named;
  std::vector<ClusterBarrier> clusterBarriers;
  /// Tensor memory, by CTA and root: who got it, and whether it was given back.
  struct CellBlock {
    const Event *got = nullptr, *freed = nullptr;
    uint32_t agent = 0, tick = 0, freer = 0, freedTick = 0;
    int64_t columns = 0;
    std::map<int64_t, llvm::BitVector> written; ///< columns, by window of lanes
  };
  std::map<std::pair<int, uint32_t>, CellBlock> cellBlocks;
  /// All that a CTA has allocated so far.
  std::map<int, std::vector<CellBlock>> allocations;
  /// Reads of cells that nothing has written are errors.
  void checkWritten(uint32_t agent, const Event &event, const Action &action,
                    CellBlock &block);
  /// By CTA: who gave up the right to allocate.
  std::map<int, const Event *> relinquished;
  Conflicts conflicts;
  Clock scratch;
  bool aborted = false;
  const TargetInfo *target = &allTargets().front();
};

} // namespace titan::checker

#endif
