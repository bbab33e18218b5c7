//===- HazardState.h - clocks, records, shadow memory -----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_SIMULATOR_HAZARDSTATE_H
#define TITAN_SIMULATOR_HAZARDSTATE_H

#include "Hazards.h"
#include "Numbers.h"

#include <array>

namespace titan::sim {

/// Stands for all lanes of a class.
inline constexpr uint8_t allLanes = 255;
/// Stands for the whole warp, in events of its lane 0's class: one value stored
/// by all lanes to one place, which each of them has written itself.
inline constexpr uint8_t wholeWarp = 254;
/// Observations: each lane of the class, and of what it has issued itself.
inline constexpr uint8_t eachLane = 253;

/// Something that happened at one thread (or all threads) of a class.
struct HbEvent {
  uint32_t number = 0; ///< The class: 2 * warp, + 1 for the other lanes.
  uint32_t clock = 0;
  uint8_t lane = allLanes;
};

/// One thread class of one warp.
struct ThreadClass {
  uint32_t number = 0;
  uint32_t now = 1;
  Clock known;
  /// Clocks that a proxy fence ended, by the space it covers; and those of
  /// fence.mbarrier_init.
  BySpace<std::vector<uint32_t>> fences;
  std::vector<uint32_t> initFences;
  /// What was known at the last proxy fence of each space.
  BySpace<Clock> atFence;
  /// Releases to the tensormap proxy; and for each map, by its address, the
  /// last acquire and what was known then.
  struct MapRelease {
    uint32_t clock;
    Scope scope;
    uint32_t site;
  };
  struct MapAcquire {
    Clock known;
    Scope scope;
    const Inst *inst;
  };
  std::vector<MapRelease> mapReleases;
  std::map<uint64_t, MapAcquire> mapAcquires;
  /// What the last release fence found, any and of the cluster's scope or
  /// wider; what relaxed reads have met.
  Clock released, releasedWide, pending;
  Scope releasedScope = Scope::Cta;
  /// The arrivals among the latter, and the waits' scopes.
  struct Relaxed {
    Scope scope, wait;
    uint32_t site;
  };
  std::vector<Relaxed> pendingFrom;
  /// Operations whose completion relaxed waits have met.
  std::vector<uint32_t> pendingOps;
  /// Times at which the wave has waited for its plain stores, where it counts
  /// them (MM-111).
  std::map<Mechanism, std::vector<uint32_t>> storeWaits;
  /// What wgmma may rely on: known at the last wgmma.fence, and the clock that
  /// the fence ended.
  Clock product;
  uint32_t productNow = 0;
};

/// What threads have issued through one mechanism, by AsyncOp.
struct Pending {
  /// In no group yet.
  std::vector<uint32_t> unbound;
  std::vector<std::vector<uint32_t>> groups;
  /// Groups below have been waited for: their sources, all of them; and those
  /// that an arrival has followed.
  size_t read = 0, done = 0, followed = 0;
};

struct WarpState {
  ThreadClass classes[2];
  uint32_t cta = 0; ///< Its CTA's number.
  /// By mechanism, and class of threads; of mechanisms that the warp waits for
  /// as one, the first of the two.
  std::map<std::pair<Mechanism, int>, Pending> pending;
  /// Operations of its warpgroup that it has issued, in order.
  std::vector<uint32_t> groupOps;
  /// A wgmma.fence since the program had the registers of an accumulator.
  bool registersFenced = false;
  /// The last tile that was made before that.
  uint64_t tilesFenced = 0;
  mlir::Operation *lastRegisters = nullptr;
  /// It has come to the barrier of threads at which it waits.
  bool arrived = false;
  /// Initialisations of barriers that it knows by way of a relaxed cluster
  /// barrier: class -> clock of the fence.
  std::map<uint32_t, uint32_t> initKnown;
  /// Its last wait on each barrier: how many phases were over, and whether it
  /// had seen all of them before.
  struct Wait {
    const Inst *inst = nullptr;
    uint64_t phases = 0;
    bool stale = false;
  };
  std::map<const MBarrier *, Wait> lastWait;
};

/// Where an access or arrival was made, for messages.
struct Site {
  const Inst *inst;
  std::string who;
};

/// An asynchronous operation.
struct AsyncOp {
  std::vector<HbEvent> read, done; ///< Observations.
  uint32_t site = 0;
  Mechanism mechanism = Mechanism::Phase;
  /// A barrier tells, too, that the whole operation is complete.
  bool signalled = false;
  /// A multicast's writes, an operation for each CTA: it is done when all are.
  std::vector<uint32_t> parts;
  /// An arrival that comes when this one is done, or none.
  uint32_t before = none;
  /// The barriers that it signals, and the phase of each at issue.
  std::vector<std::pair<const MBarrier *, uint64_t>> signals;
  /// The wait by number that left its group pending.
  const Inst *leftBy = nullptr;
};

struct Record {
  HbEvent at;
  uint32_t op = none; ///< Of ops, when asynchronous.
  uint32_t site = 0, next = none;
  uint16_t mask = 0;
  AccessKind kind;
  Proxy proxy;
  effect::Sem sem;
  Scope scope;
  uint32_t cta; ///< Number of the CTA whose thread it was.
  /// Bytes that a thread touches at once; 0: that is not said.
  uint16_t width;
};

/// A thread, or the threads together, that make an access.
struct Actor {
  const ThreadClass *thread;
  const Clock *known;
  uint8_t lane;
};

/// An access to be checked and recorded.
struct Access {
  llvm::SmallVector<Actor, 2> actors;
  Agent *agent;
  const Inst *inst;
  Record record;
  MemorySpace space;
  /// The read of a map: what its thread has acquired of it.
  const ThreadClass::MapAcquire *acquired = nullptr;
  /// The last operation found to be before this access.
  uint32_t goodOp = none;
};

/// Of each 16 bytes of a memory the first of a list of records, or none.
class ShadowMemory {
public:
  uint32_t &at(uint64_t chunk) {
    if (chunk / pageChunks != lastNumber || !last) {
      lastNumber = chunk / pageChunks;
      std::unique_ptr<Page> &page = pages[lastNumber];
      if (!page) {
        page = std::make_unique<Page>();
        page->fill(none);
      }
      last = page.get();
    }
    return (*last)[chunk % pageChunks];
  }
  template <typename Visit> void forEach(Visit &&visit) {
    for (auto &[number, page] : pages)
      for (uint32_t head : *page)
        visit(head);
  }

private:
  static constexpr uint64_t pageChunks = 256;
  using Page = std::array<uint32_t, pageChunks>;
  llvm::DenseMap<uint64_t, std::unique_ptr<Page>> pages;
  uint64_t lastNumber = 0;
  Page *last = nullptr;
};

struct BarrierClock {
  uint64_t phase = 0;
  struct Phase {
    Clock clock;
    std::vector<uint32_t> ops;
    struct Release {
      Scope scope;
      uint32_t cta;
      uint32_t site;
    };
    std::vector<Release> releases;
    std::vector<HbEvent> observers;
    /// Who makes the phase wait for more, and where; who has arrived, whatever
    /// that releases.
    struct Expect {
      HbEvent event;
      const Inst *inst;
      bool bytes; ///< Else an arrival, when copies are done.
    };
    std::vector<Expect> expects;
    std::map<uint32_t, uint32_t> arrived;
  } current, last;
  HbEvent init;
  uint32_t initSite = 0, initCta = 0;
  std::set<uint32_t> seenBy;
  /// Last use by each class of threads, copies apart; and the end of the life
  /// before.
  std::map<uint32_t, std::pair<HbEvent, const Inst *>> uses;
  HbEvent inval;
  uint32_t invalSite = none;
};

struct Location {
  Clock released;
  Scope scope = Scope::Cta;
  uint32_t cta = 0, site = 0; ///< Of the last release.
};

/// What is known of an instruction before it is executed.
struct Plan {
  effect::EffectList effects;
  effect::Cardinality cardinality = effect::Cardinality::EveryThread;
  /// It may block: what it does, it does when it has waited.
  bool waits = false;
  /// It completes bytes by copies of its own; through the async proxy.
  bool copies = false, byAsyncProxy = false;
  std::optional<effect::Reduction> reduction;
  /// Of each effect that is an access, by warp of the region.
  std::vector<std::vector<std::optional<effect::MemoryRegion>>> regions;
};

struct Hazards::State {
  explicit State(Machine &machine);

  WarpState &of(const Agent &agent) { return warps[agent.number]; }
  uint32_t site(const Agent &agent, const Inst &inst);
  const Site &siteAt(uint32_t index) const { return sites[index]; }
  static MemorySpace spaceOf(const Cta *memory, const Cta &cta) {
    return !memory          ? MemorySpace::Global
           : memory == &cta ? MemorySpace::SharedOwn
                            : MemorySpace::SharedPeer;
  }

  // Clocks.
  Clock publish(Agent &agent, LaneMask lanes);
  void acquire(Agent &agent, LaneMask lanes, const Clock &clock);
  void eventsOf(Agent &agent, LaneMask lanes, std::vector<HbEvent> &to);
  static bool knows(const Actor &actor, const HbEvent &event);
  static bool allKnow(const Access &y, const HbEvent &event);
  /// Of events of an asynchronous access by X's lane.
  static bool allKnowOne(const Access &y, const std::vector<HbEvent> &events,
                         const Record &x);

  // Shadow memory.
  void touch(const Memory &memory, uint64_t address, uint64_t bytes, Access &y);
  enum class Order {
    Before,  ///< X is before Y.
    Neither, ///< It is not, and need not be.
    Bad      ///< Reported.
  };
  Order check(const Record &x, Access &y);
  bool isDone(const Access &y, const AsyncOp &op, const Record &x) const;
  bool isSameReduction(const Record &x, const Access &y);
  bool standsFor(const Access &y, const Record &x);
  bool fenced(const Record &x, const Access &y, ProxyFence fence);
  /// The same for one of Y's threads, of what was over at that event.
  bool fencedSince(const HbEvent &event, const Access &y, const Actor &actor,
                   ProxyFence fence);
  /// MM-90: X's thread has released the map, and Y's has acquired that.
  bool mapAcquired(const Record &x, const Access &y);
  bool storesWaited(const Record &x, const Access &y);
  Relation relation(const Record &x, const Access &y) const;
  void tell(Code code, const Record &x, const Access &y,
            const llvm::Twine &message);
  /// Reports the wait that was to observe X and did not, if there is one.
  bool tellCause(const Record &x, const Access &y);
  Access make(Agent &agent, const Inst &inst, const effect::Access &effect,
              const Cta *memory);
  const Plan &planOf(const Inst &inst);
  const effect::MemoryRegion &regionOf(const Inst &inst, size_t effect,
                                       const effect::Access &access,
                                       unsigned warp);

  // Effects. An Issue is the asynchronous work of one execution.
  struct Issue;
  bool mayIssue(const Agent &agent, const Plan &plan) const;
  void perform(Agent &agent, const Inst &inst, const Plan &plan);
  void access(Issue &issue, size_t number, const effect::Access &effect);
  void touchAs(Issue &issue, const effect::Access &effect,
               const effect::Touched &touched, Cta *owner,
               const ThreadClass::MapAcquire *acquired);
  /// What an access with an order synchronises with at a location, and what it
  /// lets out there.
  using Key = std::pair<uint64_t, uint64_t>;
  void acquireAt(Agent &agent, const Inst &inst, Key key,
                 const effect::Access &effect);
  void releaseAt(Agent &agent, const Inst &inst, Key key,
                 const effect::Access &effect);
  void needRegisters(Agent &agent, const Inst &inst, const Plan &plan);
  void arrive(Agent &agent, const Inst &inst, Cta &owner, MBarrier &barrier,
              const effect::Arrive &arrive);
  void expect(Agent &agent, const Inst &inst, MBarrier &barrier, bool bytes);
  /// What the threads have pending is over when the arrival comes.
  void follow(Agent &agent, const Inst &inst, MBarrier &barrier,
              Mechanism mechanism);
  void init(Agent &agent, const Inst &inst, MBarrier &barrier);
  void invalidate(Agent &agent, const Inst &inst, MBarrier &barrier);
  void use(Agent &agent, const Inst &inst, MBarrier &barrier);
  void waited(Agent &agent, const Inst &inst, MBarrier &barrier,
              const effect::WaitBarrier &wait);
  void waited(Agent &agent, const Inst &inst, const effect::WaitGroup &wait);
  /// The wave has waited for the plain stores that the counter counts; a release
  /// does so by itself (MM-113).
  void waitStores(Agent &agent, Mechanism counter);
  void waitAllStores(Agent &agent) {
    waitStores(agent, Mechanism::VmCount);
    waitStores(agent, Mechanism::LgkmCount);
  }
  void threadBarrier(Agent &agent, const effect::ThreadBarrier &barrier,
                     bool arrives, bool passes);
  void fence(Agent &agent, const Inst &inst, const effect::Fence &fence);
  void commit(Agent &agent, const effect::CommitGroup &commit);

  /// Calls visit(owner, barrier) for each that is there and live, one in each
  /// CTA of the set; `whole`: all slots of a ring without an index.
  template <typename Visit>
  void forEachBarrier(Agent &agent, const effect::BarrierRef &ref, bool whole,
                      Visit &&visit);
  /// Calls visit(pending, events) for the pending work that the acting threads
  /// commit and wait for.
  template <typename Visit>
  void forEachPending(Agent &agent, Mechanism mechanism, Visit &&visit);

  // Barriers.
  BarrierClock &clockOf(MBarrier &barrier);
  void needInit(Agent &agent, const Inst &inst, Cta &owner, MBarrier &barrier,
                bool byAsync);
  /// Reports two CTAs that synchronise with a scope that does not hold both.
  void checkScope(Scope release, Scope acquire, uint32_t site, Agent &agent,
                  const Inst &inst);
  /// What an address leads into may be written as another tensor.
  bool isWritten(unsigned tensor) const {
    return tensor >= written.size() || written[tensor];
  }

  Machine &machine;
  std::unordered_map<uint32_t, WarpState> warps;
  std::vector<Site> sites;
  std::vector<AsyncOp> ops;
  std::unordered_map<const Memory *, ShadowMemory> shadow;
  std::vector<Record> records;
  uint32_t freeRecord = none;
  std::unordered_map<const MBarrier *, BarrierClock> barriers;
  /// Of each CTA, by number: what reads its shared memory until a barrier
  /// tells, which may be a peer's.
  std::unordered_map<uint64_t, std::vector<uint32_t>> sources;
  /// What has been released at a barrier of threads in one of its rounds; of
  /// those before the last few nothing is needed any more.
  struct Round {
    uint64_t number = ~uint64_t(0);
    Clock clock;
    /// Initialisations of barriers (a cluster's): class -> clock of the fence.
    std::map<uint32_t, uint32_t> inits;
  };
  struct Rounds {
    Round last[4];
    Round &operator[](uint64_t number) {
      Round &round = last[number % 4];
      if (round.number != number)
        round = {number, {}, {}};
      return round;
    }
  };
  std::map<std::pair<uint64_t, int64_t>, Rounds> named;
  std::unordered_map<const Cluster *, Rounds> clusters;
  /// By CTA (its number plus one; 0: global memory) and address.
  std::map<Key, Location> locations;
  /// Of each instruction, when it has been asked for.
  std::vector<std::unique_ptr<Plan>> plans;
  effect::Resolver resolver;
  std::vector<bool> written;
  const Agent *siteAgent = nullptr;
  const Inst *siteInst = nullptr;
  uint64_t siteTime = 0;
};

template <typename Visit>
void Hazards::State::forEachBarrier(Agent &agent, const effect::BarrierRef &ref,
                                    bool whole, Visit &&visit) {
  Numbers numbers(agent);
  int64_t slots = mlir::cast<MBarrierType>(ref.barrier.getType()).getSlots();
  int64_t first = ref.index ? static_cast<int64_t>(numbers.bits(ref.index)) : 0;
  int64_t last = ref.index || !whole ? first + 1 : slots;
  if (first < 0 || last > slots)
    return;
  SharedPlace place = SharedPlace::decode(numbers.bits(ref.barrier));
  auto ctas = resolver.evaluate(
      ref.ctas, static_cast<int>(place.rank.value_or(agent.cta.rank)), numbers);
  if (!ctas)
    return;
  for (auto &owner : agent.cta.cluster.ctas) {
    if (!(*ctas >> owner->rank & 1) ||
        (owner.get() != &agent.cta && owner->running == 0))
      continue;
    for (int64_t slot = first; slot < last; ++slot) {
      auto found = owner->barriers.find(place.address + 8 * slot);
      if (found != owner->barriers.end() &&
          found->second.state == MBarrier::Live)
        visit(*owner, found->second);
    }
  }
}

template <typename Visit>
void Hazards::State::forEachPending(Agent &agent, Mechanism mechanism,
                                    Visit &&visit) {
  WarpState &warp = of(agent);
  std::vector<HbEvent> events;
  if (mechanismInfo(mechanism).waiter != Waiter::CommittingThread) {
    eventsOf(agent, everyLane, events);
    visit(warp.pending[{mechanism, 0}], events);
    return;
  }
  for (int c = 0; c < 2; ++c) {
    if (!(c == 0 ? agent.lanes() & 1 : agent.lanes() >> 1))
      continue;
    const ThreadClass &thread = warp.classes[c];
    HbEvent event{thread.number, thread.now, eachLane};
    visit(warp.pending[{mechanism, c}], event);
  }
}

} // namespace titan::sim

#endif
