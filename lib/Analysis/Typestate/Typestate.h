//===- Typestate.h - the walk of the proof, and what it writes down -*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walk.cpp walks the text once for each body that differs: a loop's first
// iteration (t = 0) and a later one (t, 1 <= t < count). Warps that execute the
// same text are walked together. It writes down
//
//   accesses   what is touched, in terms of the iteration; what its thread knows
//              there; which uses of which objects come after it (releases)
//   signals    arrivals, bytes, rounds: the use, and what the signaller knows
//   waits      the use
//
// and Orders.cpp, Counts.cpp ask about pairs of them, in two iterations each.
//
// An object's uses are numbered 0, 1, 2, ...:
//
//   Ring          the n-th phases of an mbarrier ring, in turn: slot n mod D
//   Named         rounds of a named barrier
//   Cluster       rounds of the cluster's barrier
//   Warp          rounds of a warp's syncwarp, and of all wider barriers
//   Fence         proxy fences of a warp's elected lane
//   Groups, Read  groups of a thread (products: of a warp); complete, or read
//   Signalled, Awaited  a text that signals a flag, or waits for one: use n is that
//                 of iteration n of its loop
//   Grids         the grids before this one in the stream: use 0 is all of them
//   Peers         arrivals of peers at a narrow ring, by its uses
//
// The CTAs of a cluster execute one text: it is walked once for each, with the
// rank as a number. Their warps are numbered on, and memory, rings and named
// barriers are each CTA's own. A ring is narrow if a peer's arrival there releases to
// its own CTA, or a wait acquires from it: what peers did is then before what comes
// next in execution order alone, which is enough for what is asynchronous (MM-62).
//
// `knows[object] = k` says: all uses below k are complete, and what they stand
// for is ordered before what comes next. `sees[object] = k`: all uses below k are
// complete, in execution order alone (MM-15): that bytes of a peer's copy have
// come shows what its thread has waited for before, and orders no memory; so do
// arrivals behind a thread's copies, and those of peers at narrow rings. (Else
// `knows` is enough.)
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_TYPESTATE_TYPESTATE_H
#define TITAN_LIB_ANALYSIS_TYPESTATE_TYPESTATE_H

#include "Table.h"
#include "Values.h"

#include "../Resources.h"
#include "titan/Analysis/Typestate/Prove.h"
#include "titan/Effects/Resolver.h"

#include "llvm/ADT/DenseMap.h"

#include <unordered_map>

namespace titan::typestate {

/// Counted at its issue: a group for each instruction, or operation.
inline bool countedAtIssue(Mechanism mechanism) {
  return mechanismInfo(mechanism).binding == Binding::Issue;
}

/// Lanes of a warp: the elected one, the others.
enum Lanes : uint8_t { Elected = 1, Others = 2, AllLanes = 3 };
inline constexpr int elected = 0, others = 1;

struct Object {
  enum Kind : uint8_t {
    Ring,
    Named,
    Cluster,
    Warp,
    Fence,
    Groups,
    Read,
    Signalled,
    Awaited,
    Grids,
    Peers
  } kind;
  /// Ring: the allocation. Named: none.
  mlir::Value barrier;
  int64_t id = 0; ///< Named: the barrier's; Groups, Read: the mechanism
  mlir::Operation *text = nullptr; ///< Signalled, Awaited
  int warp = -1;                   ///< Warp, Fence, Groups, Read
  int lane = 0;                    ///< Groups, Read
  int cta = 0; ///< Ring, Named, Peers: rank of the CTA whose it is
  int64_t slots = 1;
  auto key() const {
    return std::tuple(kind, barrier.getAsOpaquePointer(), id, text, warp, lane,
                      cta);
  }
};
using ObjectId = uint32_t;

/// What a thread knows.
using Knowledge = Table<ObjectId, Polynomial>;
/// How often something was done to each.
using Counters = Table<ObjectId, Polynomial>;

/// Where a walk is: loops with their iteration (0, or an atom), and sides of
/// branches that are walked both.
struct Step {
  mlir::Operation *op;
  Polynomial iteration; ///< loop
  int side = -1;        ///< branch: 0 then, 1 else
  int last = 0; ///< loop: the how many-th last iteration, walked for itself
  bool operator==(const Step &) const = default;
};
using Path = std::vector<Step>;

/// A use that comes after an access in its thread, in terms of the access' own
/// iteration.
struct Release {
  ObjectId object;
  Polynomial use;
  bool fenced = false;
  /// Where there is such a use.
  Facts when;
};

/// What is posted in a mailbox, or read there (Letters.cpp).
struct Letter {
  /// A number that was taken from a counter, and from which one; or which element of
  /// which mailbox that is (letterAttribute).
  bool taken = false;
  int64_t of = 0;
  Polynomial number;
  /// Of a post: the numbers of all its letters, from the first one to below the second.
  std::optional<std::pair<Polynomial, Polynomial>> all;
};

/// Where an access lies. Of the warps that execute a text each has its own part.
struct Place {
  /// Memory: root, byte offset; of a ring: slot `slot` mod `slots`, `stride`
  /// bytes each (slots 0: none).
  mlir::Value root;
  int cta = 0; ///< shared memory: the rank of the CTA whose it is
  int64_t offset = 0;
  /// Of a run (titan.shared.run) whose place iterations decide: bytes beyond the offset.
  Polynomial run;
  /// Of loops that go round a known number of times: what all instances touch together,
  /// from the offset's origin, and from the root; whether no two of them meet.
  std::optional<ByteSet> runs, whole;
  bool apart = false;
  Polynomial slot;
  int64_t slots = 0, stride = 0;
  const effect::Shape *shape = nullptr;
  /// Of tensor memory: lanes [first, last), of which the bytes are those of each
  /// one (0, 0: other memory).
  int64_t firstLane = 0, lastLane = 0;
  bool ofCells() const { return lastLane != 0; }
  /// The bytes of all its instances, in a ring those of the slot; none where they are
  /// not known.
  std::optional<ByteSet> touched() const {
    if (run.constant())
      return shape->bytes.shifted(offset);
    return runs;
  }
  /// The same from the root on.
  std::optional<ByteSet> fromRoot() const {
    if (whole || !run.constant())
      return whole;
    auto number = slot.constant();
    if (slots && !number)
      return std::nullopt;
    return shape->bytes.shifted(
        offset + (slots ? (*number % slots + slots) % slots * stride : 0));
  }
};

/// One access (or a wait, as something that others have to come after).
struct Access : Place {
  mlir::Operation *op = nullptr;
  const effect::Access *effect = nullptr; ///< null: a wait
  int warp = 0;
  Lanes lanes = AllLanes;
  AccessKind kind = AccessKind::Read;
  Proxy proxy = Proxy::Generic;
  std::optional<Mechanism> mechanism;
  std::optional<effect::Reduction> reduction;
  /// Whether it gets columns of tensor memory, or gives them back.
  std::optional<effect::Lifetime::Kind> life;
  /// Global memory: coordinates and extents, in the map's dimensions, or those of
  /// an element (whose mask has become facts).
  TensorMapOp map;
  std::vector<Polynomial> coordinates;
  std::vector<int64_t> extents;
  /// Which element of its tile that is.
  std::vector<Atom> element;
  /// Of a tensor that the kernel reads and writes (Flags.cpp).
  bool exchanged = false;
  std::optional<Letter> letter;

  Facts facts; ///< of its iteration
  /// Of an access that stands for those of several cases: of each.
  std::vector<Facts> inCases;
  Path path;
  uint64_t sequence = 0; ///< in the walk
  unsigned number = 0;   ///< among the effects of its operation
  unsigned group = 0;    ///< which warps were walked together
  Knowledge knows, atFence;
  Knowledge sees; ///< Of a copy, where rings are narrow.
  std::vector<Release> releases;
};

/// When a text is executed: how often the first warp of those that execute it
/// together has waited for and arrived at rings and named barriers before; before, in and behind
/// partitions.
struct Stamp {
  unsigned phase = 0;
  Counters waits, arrivals;
};

struct Signal {
  /// Commit: of a group of copies.
  enum Kind : uint8_t { Arrive, Expect, Complete, Commit } kind;
  ObjectId object;
  mlir::Operation *op;
  int warp;
  int lane;
  Polynomial use;
  int64_t amount;
  Facts facts;
  Path path;
  uint64_t sequence;
  unsigned group;
  Knowledge knows;
  std::shared_ptr<const Stamp> stamp;
  Knowledge sees;
  /// An arrival behind what its thread has issued of these, whenever that is over
  /// (MM-60, MM-104).
  std::optional<Mechanism> after;
};

struct Wait {
  ObjectId object;
  mlir::Operation *op;
  int warp;
  Lanes lanes;
  Polynomial use;
  Facts facts;
  Path path;
  uint64_t sequence;
  unsigned group;
  size_t mark; ///< among the accesses
  std::shared_ptr<const Stamp> stamp;
  /// By lane, the use that its next arrival at the object is of.
  Polynomial arrivals[2] = {};
};

/// A signal of a flag in global memory, or a wait for one (Flags.cpp).
struct FlagEvent {
  mlir::Operation *op;
  bool wait;
  ObjectId object;
  mlir::Value root; ///< the kernel's argument
  std::vector<Polynomial> element;
  /// What is added, or waited for.
  Polynomial value;
  /// Of its loop, and how often that goes round (0, and 1: none).
  Polynomial iteration, trips;
  int warp;
  Facts facts;
  Path path;
  uint64_t sequence;
  Knowledge knows;
  /// Signals: which values of this flag its thread has waited for before.
  std::vector<Polynomial> gates;
};

/// What a CTA does with flags, and with tensors that the kernel reads and writes, in
/// one case of what the launch and the CTA decide.
struct FlagCase {
  Facts launch;
  std::vector<FlagEvent> events;
  std::vector<Access> accesses;
};

/// What every signal of a use tells of another object: knows >= times use + ahead.
struct Export {
  Polynomial times, ahead;
  bool operator==(const Export &) const = default;
};
using Exports = std::map<ObjectId, std::map<ObjectId, std::vector<Export>>>;

/// How often a thread has signalled when it ends.
struct Totals {
  /// The use after its last one, and how many before that it has left to others.
  Counters signals[2], skipped[2];
  Knowledge knows[2];
};

/// Numbers that CTAs take from a counter (Tickets.cpp).
struct Tickets {
  Polynomial bound; ///< From there on a number names no work.
  Polynomial taken; ///< How many below it this CTA gets.
  int warp = -1;    ///< That takes them.
};

/// What attempts share.
struct Shared {
  Atoms atoms;
  std::vector<Object> objects;
  std::map<decltype(Object().key()), ObjectId> objectIds;
  /// Facts and clauses, and whether they contradict each other: warps ask what
  /// their neighbours asked, and cases what the one before asked.
  using Contradiction =
      std::tuple<Facts, std::vector<std::vector<Facts>>, bool>;
  std::unordered_multimap<size_t, Contradiction> contradictions;
  /// What a polynomial is of the other of two instances (Orders.h), by which.
  scalars::PolynomialTable counterparts[3];
  /// What signals tell in the case before, and rings that are taken in turns.
  struct Told {
    Exports exports, seen;
    std::set<ObjectId> turned;
  };
  std::optional<Told> told;
  effect::Resolver resolver;
  /// Of effects, by operation: what accesses point into.
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<effect::EffectList>>
      effects;
  /// Of operations whose elements are each its coordinate: of which dimension; and
  /// of those that take a tile's elements: of each of its dimensions, at which
  /// coordinate of the result (none: they are something else).
  llvm::DenseMap<mlir::Operation *,
                 llvm::SmallVector<std::optional<int64_t>, 1>>
      coordinates;
  std::set<std::string> assumptions;
  std::set<mlir::Operation *> reached;
  /// What tcgen05.alloc and dealloc do to the columns (MM-105).
  std::map<mlir::Operation *, effect::Access> columns;
  /// Of cases that the CTA decides.
  std::vector<Access> global;
  std::vector<FlagCase> flags;
  /// Warps that do the same are walked one by one. (tests)
  bool eachWarp = false;
  /// Barriers of which multicasts in branches are taken for alike: iterations decide
  /// which use they are of.
  std::set<void *> alike;
  /// There are numbers from counters.
  bool tickets = false;
  /// A loop inside of another one runs as often as that one's iteration says, or bytes
  /// are expected as it says.
  bool bent = false;
  /// Of loops: from which numbers of which arguments their machines repeat,
  /// and the numbers until then (none: they do not).
  std::map<std::tuple<mlir::Operation *, std::vector<unsigned>,
                      std::vector<int64_t>>,
           std::vector<std::vector<int64_t>>>
      machines;
  /// Of what the bodies of loops yield: from which of their arguments it is computed
  /// alone (none: from others, too).
  llvm::DenseMap<std::pair<mlir::Block *, unsigned>,
                 std::optional<std::set<unsigned>>>
      yieldedFrom;
};

struct Stop {
  std::string reason;
  mlir::Operation *op = nullptr;
  std::string goOn;
  /// Look at both sides of this instead: it is 0 or more, or it is not.
  std::optional<Polynomial> split;
  /// Walk one more of the last iterations of this loop for itself instead.
  mlir::Operation *peel = nullptr;
  /// Take multicasts of the CTAs to this barrier for alike instead.
  void *alike = nullptr;
  /// Of docs/memory-model.md, what was asked: "MM-53, MM-55"; empty: none.
  const char *rules = "";
  /// Walk an iteration of this loop by these cases.
  mlir::Operation *within = nullptr;
  struct Sides {
    /// It is 0 or more, or it is not.
    Polynomial p = {};
    /// Where that decides it, the least of two numbers, and which one that is.
    Polynomial least = {}, if0 = {}, ifLess = {};
  } sides = {};
};

/// All that is shared by the parts of one attempt.
struct Proof {
  Proof(KernelOp kernel, Shared &shared)
      : kernel(kernel), target(targetInfo(checker::targetOf(kernel))),
        lanes(target.warpWidth), shared(shared), atoms(shared.atoms) {}
  KernelOp kernel;
  const TargetInfo &target;
  Judgement without = Judgement::None; ///< (tests)
  int64_t lanes;                       ///< Of a warp.
  Shared &shared;
  Atoms &atoms;
  /// The most that each warp has expected of one phase of a ring, in bytes.
  std::map<ObjectId, std::map<int, int64_t>> mostExpected;
  std::set<std::string> assumptions;
  Arithmetic arithmetic{atoms, assumptions};
  /// What the launch says, and this case.
  Facts launch;
  llvm::DenseMap<mlir::Value, Value> launchValues;

  std::vector<Object> &objects{shared.objects};
  ObjectId object(Object object);
  std::string name(ObjectId object) const;
  /// The name of such a number in the launch region; empty: it has none there.
  std::string nameInLaunch(const Polynomial &p) const;
  /// With the source's names, and what has none described: "(%columns mod 2)",
  /// "iteration(line 54)".
  std::string print(const Polynomial &p) const;

  /// Whether lanes of two shapes meet, so many bytes apart.
  std::map<std::tuple<const effect::Shape *, const effect::Shape *, int64_t>,
           bool>
      meeting;

  Exports exports, seen; ///< in memory order; in execution order
  /// Signals that tell more in execution order are possible.
  bool seesApart = false;
  /// Shapes of scalars, and of a lane's columns, by their bytes.
  std::map<int64_t, effect::Shape> scalars;
  /// Rings and barriers of which somebody leaves uses to others (turns), and
  /// whether who comes to its turn is believed to know what was before.
  std::set<ObjectId> turned;
  bool trust = false;
  /// Of a warp, lane and ring of several slots: whether it waits for the use of its
  /// count (false), for that of a round before (true), or for both.
  std::map<std::tuple<int, int, ObjectId>, std::set<bool>> waitsFor;
  std::vector<Access> accesses;
  std::vector<Signal> signals;
  std::vector<Wait> waits;
  std::vector<FlagEvent> flags;
  std::map<int, Totals> totals; ///< by warp
  /// CTAs along each dimension; multiprocessors, where the launch asks for them.
  std::vector<Polynomial> grid;
  std::optional<Polynomial> multiprocessors;
  Facts atEnd; ///< of what partitions have computed when they end
  /// Some promise of data is behind a wait: that the wait returns must not rest on it, so
  /// that atEnd has nothing but the launch.
  bool promisesLate = false;
  std::map<ObjectId, int64_t> counts; ///< expected arrivals of rings
  /// Rings that CTAs fill for each other: bytes that their uses expect, all that
  /// came up.
  std::map<void *, std::set<int64_t>> multicast;
  /// Rings whose bytes come from peers, or run by run, and are counted use by use
  /// (checkBytes).
  std::set<void *> counted;
  /// Rings of one CTA whose bytes all CTAs of a cluster bring, into their own memory
  /// (checkShares): what each use expects.
  std::map<void *, int64_t> shares;
  bool isShared(ObjectId ring) const {
    return objects[ring].kind == Object::Ring &&
           shares.contains(objects[ring].barrier.getAsOpaquePointer());
  }
  /// Barriers that are narrow rings (MM-62).
  std::set<void *> narrow;
  bool isNarrow(ObjectId ring) const {
    return objects[ring].kind == Object::Ring &&
           narrow.contains(objects[ring].barrier.getAsOpaquePointer());
  }
  /// What its peers' arrivals are of.
  ObjectId peersOf(ObjectId ring) {
    Object peers = objects[ring];
    peers.kind = Object::Peers;
    return object(peers);
  }
  bool isCounted(ObjectId ring) const {
    return objects[ring].kind == Object::Ring &&
           counted.contains(objects[ring].barrier.getAsOpaquePointer());
  }
  /// How often loops go round, where that is one number.
  std::map<mlir::Operation *, std::optional<int64_t>> trips;
  /// How many instances a path has; none: that is not known, or a branch decides.
  std::optional<int64_t> instances(const Path &path) const;

  /// Operations that some launch may execute: the facts there do not contradict
  /// each other.
  std::set<mlir::Operation *> reached;

  /// How many of a loop's last iterations are walked for themselves.
  std::map<mlir::Operation *, int> peeled;
  int peels(mlir::Operation *loop) const {
    auto found = peeled.find(loop);
    return found == peeled.end() ? 0 : found->second;
  }

  /// What loops add that run differently often in each iteration are sums (Sums.cpp),
  /// and iterations are walked by cases.
  bool sums = false;
  /// f(1), ..., f(count - 1) are each `least` or more, a number that is 0 or 1; f is a
  /// polynomial of Atoms::each(), of the launch and of the CTA.
  struct Summed {
    Polynomial f, count;
    int64_t least;
  };
  std::vector<Summed> summed;
  /// Of iterations that are walked by cases, by loop and path: of what.
  std::map<std::pair<mlir::Operation *, std::string>, Stop::Sides> sidesOf;

  std::optional<Stop> stopped;
  /// What a walk has not shown; it goes on, since what is told may not be found yet.
  std::optional<Stop> pending;
  /// Exports were taken from another case.
  bool borrowed = false;
  /// What is being asked (docs/checker.md's judgements), for who stops.
  const char *rules = "";
  bool stop(std::string reason, mlir::Operation *op, std::string goOn = "") {
    if (!stopped)
      stopped = Stop{.reason = std::move(reason),
                     .op = op,
                     .goOn = std::move(goOn),
                     .rules = rules};
    return false;
  }
  /// The rank of the CTA of a warp.
  int ctaOf(int warp) { return warp / kernel.getWarps(); }
  /// What the launch and the CTA do not decide.
  bool varies(const Polynomial &p) {
    return atoms.dependsOn(p, [&](Atom a) {
      return atoms.kind(a) == "iteration" || atoms.kind(a) == "coordinate";
    });
  }
  bool dependsOnCta(const Polynomial &p) {
    return atoms.dependsOn(p, [&](Atom a) { return atoms.kind(a) == "cta"; });
  }
  const effect::EffectList &effectsOf(mlir::Operation *op);
  /// A size of an argument: one atom for launch region and body.
  Polynomial sizeOf(mlir::BlockArgument tensor, int64_t dimension,
                    Facts &facts);
  /// Whether different coordinates of a map's view are different places.
  bool keepsApart(TensorMapOp map);

  bool readLaunch(); ///< Launch.cpp
  /// Sizes that titan.require says to be equal to others.
  std::map<Atom, Polynomial> sameSizes;
  void noteSame(const Comparison &comparison);
  /// What titan.require says to be true: this or that, at least.
  llvm::SmallVector<mlir::Value> eithers;
  /// Adds what is left of these where the facts rule the others out.
  void addEithers(Facts &facts);
  /// Tensors of which titan.assume says that element v is no greater than the next
  /// one, for all v of which these, linear in the atom "place", are 0 or more.
  struct Rising {
    const void *tensor;
    std::vector<Polynomial> where;
    bool operator==(const Rising &) const = default;
  };
  std::vector<Rising> rising;
  /// By the counter's number (titan.dealt).
  std::map<int64_t, Tickets> tickets;
  /// Walk.cpp. Writes down what signals tell; what is to be shown, accesses, waits and
  /// what comes after them only if `enforce`.
  bool walk(bool enforce);
  /// What signals tell, which is found by walking: true if it was found.
  bool findExports(); ///< Counts.cpp
  /// What they tell of what they are told, as far as one sees without walking.
  static void close(Exports &exports);
  void collectExports(); ///< Counts.cpp
  /// Of what signals know, or see.
  Exports told(bool inExecution);
  using Thread = std::pair<int, int>; ///< warp, lane
  std::map<Thread, std::vector<const Signal *>>
  signallers(ObjectId object) const;
  /// Threads that signal the same uses of an object that is taken in turns.
  std::vector<std::vector<Thread>> turns(ObjectId object) const;
  /// Nothing satisfies the facts, by the sign of what sizes in p are multiplied with.
  bool contradictBySign(const Facts &facts, const Polynomial &p);
  bool checkTurns(ObjectId ring, Polynomial &uses, mlir::Operation *&last);
  bool checkCounts(); ///< Counts.cpp
  /// Of a counted ring each use gets the bytes that it expects.
  bool checkBytes(ObjectId ring, const Polynomial &uses); ///< Bytes.cpp
  /// Of a ring that the CTAs fill together each brings as much.
  bool checkShares(); ///< Bytes.cpp
  /// Copies to peers have read their source when their CTA ends.
  bool checkSources(); ///< Bytes.cpp
  /// Columns of tensor memory are got, used, given back, and nothing is under way
  /// when the CTA ends.
  bool checkCells(); ///< TensorMemory.cpp
  /// That none of what ends X (fenced, where the two are of different threads)
  /// is known where Y is issued.
  void notBeforeCells(const Access &x, const Access &y, bool own,
                      std::vector<std::vector<Facts>> &clauses);
  bool checkDeadlock(); ///< Deadlock.cpp
  bool checkOrders();   ///< Orders.cpp
  /// The letters that are read are those that the numbers were posted in.
  bool checkLetters(); ///< Letters.cpp
  bool checkDefined(); ///< Defined.cpp
  /// All that a counter counts are so many instructions.
  bool countsInstructions(Mechanism counter); ///< Counters.cpp
  /// What of this read no earlier iteration is shown to have written.
  bool writtenAhead(const Access &y); ///< Counters.cpp
  /// The CTAs of a cluster fill each other's rings alike.
  bool checkMulticast(); ///< Counts.cpp
  std::optional<std::vector<const Signal *>>
  usesWithout(const Access &x, ObjectId object, int64_t times,
              std::optional<int64_t> ahead); ///< Defined.cpp
  /// Orders.cpp. Writes of one CTA, of two, or of all.
  enum class Ctas { One, Two, All };
  bool checkGlobal(const std::vector<Access> &accesses, const Facts &launch,
                   Ctas who);
  /// Flags.cpp. Takes what the walk has written down of flags, and of tensors that
  /// are read and written.
  FlagCase takeFlags();
  /// Accesses of one CTA to such a tensor are in order.
  bool checkExchanged(const FlagCase &own);
  /// Those of two CTAs are, by flags, for which nobody waits for ever. All cases of
  /// a launch.
  bool checkFlags(llvm::MutableArrayRef<FlagCase> cases, const Facts &launch);
};

/// X, then Y, of one thread: their engine has them in this order (MM-47).
bool inPipeline(Proof &proof, const Access &x, const Access &y);

} // namespace titan::typestate

#endif
