//===- Views.h - who knows of which write, with hazards off -----*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With hazards off a bug must show by itself. So every byte of memory carries
// the *event* that wrote it, and what it held before; and every thread has a
// clock of the events that it knows. Where a reader does not know a byte's
// event, nothing orders the two: the read may yield the new value or the one
// before, and the schedule picks (`Views::showsOld`). A program in which
// everything is ordered never notices.
//
//   source         its times                      who learns of them
//   thread class   rise at releases and fences    who acquires what it released
//   mbarrier       its phases                     who waits, with acquire: what
//                                                 its copies wrote is there
//   map queue      a warp's published maps        that warp, at once
//   stream         what a thread class, or a      those threads, by waiting for
//                  warp, has issued by one        groups; mbarriers that track
//                  mechanism (Work.h); reads      them, for who waits there
//                  and writes apart, where
//                  waits tell them apart
//
// A thread class is lane 0 of a warp (the elected thread), or all its other
// lanes: what one of them learns the other knows after a syncwarp only.
//
// Synchronisation carries clocks: an arrive with release joins its thread's
// clock into the barrier's phase, a wait with acquire joins the phase's into
// its thread's. A relaxed arrive carries only what a fence before it has
// released, a relaxed wait teaches nothing until a fence.acquire.
//
// For the async proxy an event of the generic proxy counts as known from the
// fence.proxy.async on that its own thread executed after it. Without one, it
// never sees it.
//
// The tensormap proxy sees of a map in memory what the copying thread has
// acquired: events that were known at its last fence.tensormap_acquire of the
// map, and that their own thread had released by then. Of others it keeps what
// was there before.
//
// Scopes that are too narrow are taken for wide ones, as deployed practice has
// it (MM-42), unless scope-too-narrow is an error: then nothing goes from CTA
// to CTA by a release or an acquire of the CTA's scope. (Of tensor maps all
// scopes are wide.)
//
// Nothing here looks at effects or at the proxy table, and nothing is shared
// with Hazards.h but the container Clock.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_SIMULATOR_VIEWS_H
#define TITAN_SIMULATOR_VIEWS_H

#include "titan/Simulator/Clock.h"
#include "titan/Simulator/Simulator.h"
#include "titan/Target/Mechanisms.h"

#include "llvm/ADT/SmallVector.h"

#include <map>
#include <memory>

namespace titan::sim {

struct Agent;
class Memory;
struct Cta;
struct Cluster;
struct MBarrier;
struct NamedBarrier;

/// Some lanes of a warp: bit i is lane i.
using LaneMask = uint64_t;
inline constexpr LaneMask everyLane = ~LaneMask(0);

/// Index of a write's event; 0: before the kernel.
using EventId = uint32_t;

/// What the arrivals of a phase have released: those of the barrier's own CTA,
/// and those of its peers.
struct PhaseClock {
  Clock own, peers;
};

/// What the threads of one class know and have done.
struct Knowledge {
  uint32_t number = 0; ///< The source that they are.
  uint32_t now = 1;    ///< The time that their next events get.
  Clock known;
  /// What relaxed reads have met, for the next fence.acquire.
  Clock pending;
  /// What was known at the last fence.release of any scope, and of one that
  /// reaches beyond the CTA.
  Clock released, releasedWide;
  /// What was known at the last wgmma.fence.
  Clock product;
  /// Times at which proxy fences were executed, by the space they cover.
  BySpace<std::vector<uint32_t>> fences;
  /// Times of releases to the tensormap proxy; and what was known when a map,
  /// by address, was acquired.
  std::vector<uint32_t> mapReleases;
  std::map<uint64_t, Clock> acquiredMaps;
  /// The event of writes now, by space, and the time it was made for.
  BySpace<EventId> current;
  BySpace<uint32_t> currentTime;
};

struct WarpKnowledge {
  Knowledge classes[2];
  /// Sources: the maps that it has published, of which there are `published`;
  /// its streams, of mechanisms that came up.
  uint32_t maps = 0, published = 0;
  struct Streams {
    uint32_t read = 0, write = 0;
  };
  std::map<std::pair<Mechanism, int>, Streams> streams;
};

class Views;

/// Threads that look at memory together: they see what each of them knows.
class Viewer {
public:
  Viewer(Views &views, Proxy proxy);
  Viewer(Views &views, Proxy proxy, const Clock &known) : Viewer(views, proxy) {
    add(known);
  }
  /// The clock must outlive the viewer.
  void add(const Clock &known) { clocks.push_back(&known); }
  /// Strong accesses see each other without knowing.
  Viewer &strong() {
    isStrong = true;
    return *this;
  }

  bool knows(EventId event) const;
  bool knows(uint32_t source, uint32_t time) const;
  /// Whether each of them knows that time of one of the sources.
  bool knowsOne(llvm::ArrayRef<uint32_t> sources, uint32_t time) const;
  /// Whether they do not know the event, and the schedule shows them what was
  /// there before.
  bool missesAndSeesOld(EventId event);

private:
  Views &views;
  Proxy proxy;
  bool isStrong = false;
  uint64_t salt;
  llvm::SmallVector<const Clock *, 8> clocks;
  EventId last = 0;
  bool lastOld = false;
};

/// A byte that a thread still sees as it was when its operation was issued.
struct OldByte {
  uint64_t address;
  uint8_t byte, poison;
};

class Views {
public:
  /// `narrow`: scopes that are too narrow order nothing.
  Views(const Schedule &schedule, bool narrow)
      : schedule(schedule), narrow(narrow) {}

  void start(Cluster &cluster);
  void end(Cluster &cluster);
  static WarpKnowledge &of(Agent &agent);

  // Events.
  EventId generic(Knowledge &thread, MemorySpace space);
  EventId strong(Knowledge &thread, MemorySpace space);
  EventId async(uint32_t source, uint32_t time);
  /// A warp writes a map and releases it.
  EventId publishMap(WarpKnowledge &warp);
  /// Whether the thread class has fenced its event for the async proxy.
  bool isFenced(EventId event) const;

  // Clocks. `lanes` says which classes act.
  Clock publish(Agent &agent, LaneMask lanes);
  void acquire(Agent &agent, LaneMask lanes, const Clock &clock);
  /// The sources of what a class of the warp's threads (where these wait
  /// together: the warp) has issued by the mechanism.
  const WarpKnowledge::Streams &stream(Agent &agent, Mechanism mechanism,
                                       int threadClass);
  /// The acting threads have waited for what the stream holds up to that number.
  void learn(Agent &agent, Mechanism mechanism, uint64_t upTo,
             bool sourcesOnly);

  // Synchronisation.
  void init(Cta &cta, MBarrier &barrier);
  void arrive(Agent &agent, Cta &owner, MBarrier &barrier, bool release,
              MemoryScope scope);
  void phaseCompleted(MBarrier &barrier);
  void waited(Agent &agent, MBarrier &barrier, bool acquire, MemoryScope scope);
  void syncWarp(Agent &agent);
  void arriveNamed(Agent &agent, NamedBarrier &barrier, bool last);
  void waitNamed(Agent &agent, NamedBarrier &barrier, uint64_t round);
  void arriveCluster(Agent &agent, bool relaxed);
  void waitCluster(Agent &agent, uint64_t round);
  void fence(Agent &agent, MemorySem sem, MemoryScope scope);
  void fenceProxyAsync(Agent &agent, FenceSpace space);
  void fenceProducts(Agent &agent);
  void releaseMaps(Agent &agent);
  void acquireMap(Agent &agent, uint64_t address);
  /// The bytes of the map there that a copy of the elected thread sees as they
  /// were.
  void oldMap(Agent &agent, uint64_t address, Memory &memory,
              std::vector<OldByte> &to);
  /// A strong access of a location: `key` is its CTA's number plus one (0:
  /// global memory) and its address. First what it reads, then what it writes.
  using Location = std::pair<uint64_t, uint64_t>;
  void readLocation(Agent &agent, Location key, bool acquire,
                    MemoryScope scope);
  void writeLocation(Agent &agent, Location key, bool release, bool continues,
                     MemoryScope scope);

  /// What a read sees of a write that nothing orders before it: eager runs show
  /// the old value, lazy ones the new, random ones toss a coin for each pair.
  bool showsOld(EventId event, uint64_t salt) const;

private:
  friend class Viewer;
  struct Event {
    uint32_t source, time;
    Proxy proxy;
    bool strong;
    MemorySpace space;
  };

  Schedule schedule;
  bool narrow;
  std::vector<Event> events{{}};
  /// By source; null for what is no thread class.
  std::vector<const Knowledge *> threads;
  std::vector<std::unique_ptr<WarpKnowledge>> warps;
  uint64_t viewers = 0;
  struct ClusterRounds {
    Clock gathering[2];
  };
  std::map<const Cluster *, ClusterRounds> clusters;
  struct Released {
    Clock clock;
    MemoryScope scope = MemoryScope::Cta;
    uint64_t cta = 0; ///< Number of the CTA that wrote last.
  };
  std::map<Location, Released> locations;
  /// A source of the CTA, for a barrier or a stream.
  uint32_t newSource(const Cta &cta);
  /// Those that are left of the CTA's.
  std::map<const Cta *, std::pair<uint32_t, uint32_t>> freeSources;
};

} // namespace titan::sim

#endif
