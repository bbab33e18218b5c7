//===- Walk.h - warps that execute the same text, together ------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop is walked as
//
//   first body     t = 0, from the state before the loop
//   slopes         t = 1, 2: how each number of the state grows an iteration
//   head           each number e = e1 + d (t - 1), a guess
//   pending        a later body, for the accesses that the next one releases
//   later body     from the head at t; its end must be the head at t + 1
//
// and its end is the head at t = count. What of the head does not hold at the end
// of the later body is dropped (knowledge) or stops the proof (counters).
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_TYPESTATE_WALK_H
#define TITAN_LIB_ANALYSIS_TYPESTATE_WALK_H

#include "Typestate.h"

namespace titan::typestate {

/// Atoms of the walk, in terms of another iteration; none: not expressible.
using Iterations = Table<Atom, std::optional<Polynomial>>;

/// An access that later uses of its thread still release.
struct Pending {
  size_t access;
  /// In terms of the access' own iteration.
  Iterations toOwn;
  /// Releases from here on are there under these (of its own iteration).
  Facts when;
  /// A lane that all lanes of the access are before.
  bool held[2] = {};
  bool fenced = false;
  /// A lane that all its lanes' fences are before.
  bool fencesHeld[2] = {};
  /// A wait: a fence before products stands behind it.
  bool beforeProducts = false;
  /// From before the loop that is walked.
  bool before = false;
  /// How many back edges it has passed.
  int age = 0;
  /// Asynchronous: its group, in terms of the walk. A wait: that of a product that shows,
  /// when it is over, that this is, too.
  std::optional<std::pair<ObjectId, Polynomial>> group;
  /// The sides that it is from before of, from the outermost on: what comes after it
  /// there does so only if it does on both (Walk::both).
  std::vector<int> sides;

  /// All lanes have met, behind it.
  void hold() {
    for (int lane : {elected, others}) {
      held[lane] = true;
      fencesHeld[lane] = fenced;
    }
  }
};

struct WarpState {
  /// (At the last fence before products; of tensor memory, behind signals.)
  Knowledge knows[2], atFence[2], atProduct[2], sees[2];
  /// Uses so far: waits and arrivals of rings, by lane; rounds and groups.
  Counters waits[2], arrivals[2], next;
  /// Of the arrivals, those that it has left to others (turns).
  Counters skipped[2];
  /// Bytes expected for the arrival to come, and for the last one.
  std::map<ObjectId, std::pair<int64_t, int64_t>> bytes[2];
  /// Groups of copies that each lane has waited for, of its own: what a barrier of
  /// the lanes will tell all of them.
  Knowledge waited;
  /// Issued, and in no group yet.
  std::set<std::pair<Mechanism, int>> unbound;
  std::vector<Pending> pending;
  bool productFence = false;
};

struct State {
  llvm::DenseMap<mlir::Value, Value> values;
  /// Tiles in registers: whether a wgmma.fence has come after their values.
  llvm::DenseMap<mlir::Value, bool> tiles;
  std::map<int, WarpState> warps;
  Facts facts;
  Path path;
};

/// Whether something in it is to be shown.
bool matters(mlir::Operation *op);

/// The number of the counter that titan-deal-tickets has dealt out, of which this is.
std::optional<int64_t> counterOf(mlir::Operation *op);

/// Where in a table a value stands.
std::optional<Polynomial> placeIn(const std::vector<int64_t> &table,
                                  const Value &value);

/// Whether a value is computed from the iteration of a loop, or what it carries.
bool dependsOnBody(mlir::Value value, mlir::Operation *loop);

/// How many of the last iterations of a loop are walked for themselves: copies that
/// are issued ahead end so many before the loop does.
inline constexpr int mostPeeled = 3;

/// n - D of the ring is known to be over.
bool pinned(Proof &proof, mlir::Operation *op, const State &state,
            const WarpState &warp, int lane, ObjectId object,
            const Polynomial &use, const char *what);

/// Adds a use that comes after an access, unless one there says as much.
void addRelease(std::vector<Release> &releases, Release release);

class Walk {
public:
  Walk(Proof &proof, bool enforce) : proof(proof), enforce(enforce) {
    proof.kernel.getBody().walk([&](AssumeOp op) { promises.push_back(op); });
  }
  bool run();

private:
  /// Who executes.
  struct Who {
    std::vector<int> warps;
    /// Of those that do the same the first one.
    std::vector<int> walked;
    Lanes lanes = AllLanes;
  };
  enum class Mode {
    Slope,   ///< nothing is written down
    Pending, ///< accesses
    Final    ///< all
  };

  // Warps that do the same (Warps.cpp)
  /// Of each warp the first one that does the same.
  std::vector<int> firstAlike;
  void findAlike();
  /// All lanes of so many warps.
  Who whoAre(int64_t first, int64_t warps) const;
  /// The others that do the same as this one, the first of them.
  std::vector<int> othersLike(int warp) const;
  /// With the two exchanged.
  ObjectId asOf(ObjectId object, int warp, int other);
  /// What those that do the same as `warp` know of what is theirs alone, where it knows
  /// `own`.
  void learnOfAlike(State &state, Knowledge &knows, int warp,
                    const Knowledge &own);
  /// Where accesses of those lie, by the number of the first one's.
  std::map<std::pair<size_t, int>, Place> placesOfOthers;
  /// Writes down of all that is alike what was written down of the first.
  void nameOthers();

  bool block(mlir::Block &block, State &state, const Who &who,
             std::vector<Value> *yields);
  bool operation(mlir::Operation &op, State &state, const Who &who);
  Value elements(TileOpInterface op, State &state);
  /// What an operation without effects asks of its operands.
  bool defined(mlir::Operation &op, State &state);
  /// Of an element of a tile.
  Polynomial coordinate(mlir::RankedTensorType tile, int64_t dimension,
                        Facts &facts);
  /// An iteration of a loop: where that asks for cases of what the iteration is
  /// (Stop::within), once for each.
  bool body(mlir::Operation *loop, State &state, const Who &who,
            std::vector<Value> *yields);
  /// Asks for such: an iteration that these values are computed from decides them.
  /// False: none does.
  bool sidesOfBody(mlir::Operation *op, const State &state,
                   llvm::ArrayRef<mlir::Value> values, Stop::Sides sides);
  /// The two sides of something, which have to agree in all but what they touch: what
  /// holds on each is known there. `all`: and what is known at the end of both, behind
  /// them.
  bool both(mlir::Operation *op, State &state, const Facts &yes,
            const Facts &no, const Stop::Sides &sides, bool all,
            llvm::function_ref<bool(bool, State &, std::vector<Value> &)> walk,
            llvm::function_ref<bool(const char *)> differ,
            std::vector<Value> &yields);
  bool loop(mlir::Operation *op, State &state, const Who &who);
  bool asksForSides(mlir::Operation *op, State &state, const Polynomial &lower,
                    const Polynomial &upper);
  /// Stops where a value that the operation needs, a bound or bytes, is one of two
  /// numbers, to look at each; `how` says so.
  bool chooses(mlir::Operation *op, mlir::Value value, const char *how,
               State &state);
  /// The value; of one that goes round the number that it is here, as facts say.
  Value chosen(mlir::Value value, State &state);
  Polynomial count(State &state, const Polynomial &lower,
                   const Polynomial &upper, const Polynomial &step);
  bool iterations(mlir::Operation *op, State &state, const Who &who,
                  const Polynomial &lower, const Polynomial &upper,
                  const Polynomial &step, const Polynomial &count,
                  std::vector<Value> &carried);
  /// Which of the numbers that a state and what is carried begin with are 1 or more, or
  /// 0 or more, as far as the state's facts say so: added to others.
  static void keepSigns(const State &state, llvm::ArrayRef<Value> values,
                        Facts &facts);
  /// No wgmma.fence has come after these values.
  static void hideTiles(State &state, mlir::ValueRange values);
  bool branch(mlir::Operation *op, State &state, const Who &who);
  /// A branch that the number of the warp decides.
  bool branchOfWarps(mlir::Operation *op, State &state, const Who &who);
  /// What the value is in this warp.
  Value ofWarp(mlir::Value value, int warp, State &state);
  bool elect(mlir::Operation *op, State &state, const Who &who);
  bool specialize(mlir::Operation *op, State &state, const Who &who);
  /// A warp's thread is over.
  bool end(State &state, int warp);

  // Effects (Perform.cpp)
  /// What tells the end of a copy, by warp and by CTA that it writes.
  using Phases = std::map<std::pair<int, int>, Release>;
  bool hardware(mlir::Operation *op, State &state, const Who &who);
  struct Ring {
    ObjectId object;
    Value slot;
  };
  std::optional<Ring> ringOf(mlir::Operation *op, State &state,
                             const effect::BarrierRef &ref);
  /// The same of another CTA.
  ObjectId ofCta(ObjectId ring, int cta);
  /// A multicast goes to all CTAs of the cluster.
  bool toAll(const effect::CtaSet &ctas, State &state);
  /// Whether slot is use mod the ring's slots.
  bool isSlotOf(State &state, const Ring &ring, const Polynomial &use);
  /// Later uses that the slot may be of: who takes turns leaves some out.
  std::vector<Polynomial> laterUses(State &state, const Ring &ring,
                                    const Polynomial &use);
  /// Nothing of the ring happens between what was executed since its use `from`
  /// and `use`.
  void skipTo(ObjectId ring, const Polynomial &from, const Polynomial &use);
  bool access(mlir::Operation *op, unsigned number,
              const effect::Access &effect, State &state, const Who &who,
              const Phases &phases);
  /// The peer whose memory it is has: a round of the cluster's barrier.
  bool started(const Access &access, State &state);
  bool locate(Access &access, const effect::Access &effect, State &state,
              int rank);
  /// A place that moves with iterations lies inside of its slot, or buffer.
  bool locateRun(Access &access, State &state);
  /// `zeros`: rows behind the tensor's end are read as such.
  bool insideTensor(mlir::Operation *op, const effect::Footprint &bytes,
                    State &state, bool zeros);
  bool startsInside(mlir::Operation *op, const effect::Footprint &bytes,
                    State &state);
  /// `alone`: one warp executes it.
  bool locateGlobal(Access &access, const effect::Access &effect, State &state,
                    bool alone);
  /// Coordinates of a map are of 32 bits: shown, or an assumption.
  void assumeCoordinates(const effect::Footprint &bytes, State &state);
  bool arrive(mlir::Operation *op, const effect::Arrive &arrive, State &state,
              const Who &who);
  bool expect(mlir::Operation *op, const effect::ExpectTx &expect, State &state,
              const Who &who);
  bool complete(mlir::Operation *op, const effect::CompleteTx &complete,
                State &state, const Who &who, Phases &phases);
  bool wait(mlir::Operation *op, const effect::WaitBarrier &wait, State &state,
            const Who &who);
  bool waitGroup(mlir::Operation *op, const effect::WaitGroup &wait,
                 State &state, const Who &who);
  bool commit(mlir::Operation *op, const effect::CommitGroup &commit,
              State &state, const Who &who);
  bool threadBarrier(mlir::Operation *op, const effect::ThreadBarrier &barrier,
                     State &state, const Who &who);
  bool meet(mlir::Operation *op, const effect::ThreadBarrier &barrier,
            State &state, const Who &who);
  bool clusterBarrier(mlir::Operation *op, const effect::ThreadBarrier &barrier,
                      State &state, const Who &who);
  bool fence(mlir::Operation *op, const effect::Fence &fence, State &state,
             const Who &who);
  bool registers(mlir::Operation *op, const effect::Registers &registers,
                 State &state, const Who &who);
  bool dependency(const effect::GridDependency &dependency, State &state,
                  const Who &who);
  /// In a kernel that is launched programmatically: who touches this tensor, or map of
  /// one, has waited for the grids before (MM-85), unless none of them writes it.
  bool behindGrids(mlir::Operation *op, mlir::Value memory, AccessKind kind,
                   State &state, const Who &who);
  // Flags in global memory (Flags.cpp)
  /// Who signals or waits is one whom the proof follows; which flag it is.
  std::optional<FlagEvent> flagEvent(mlir::Operation *op,
                                     const effect::Footprint &flag, bool wait,
                                     Scope scope, State &state, const Who &who);
  bool signalFlag(mlir::Operation *op, const effect::Access &effect,
                  State &state, const Who &who);
  bool waitFlag(mlir::Operation *op, const effect::WaitFlag &wait, State &state,
                const Who &who);
  // Tensor memory (TensorMemory.cpp)
  bool commitProducts(mlir::Operation *op, const effect::Arrive &arrive,
                      State &state, const Who &who);
  bool columns(mlir::Operation *op, const effect::Lifetime &life, State &state,
               const Who &who);
  void fenceCells(State &state, const Who &who, bool before);
  /// Something that later uses of its thread come behind.
  void pend(size_t access, State &state, int warp, Iterations own,
            std::optional<std::pair<ObjectId, Polynomial>> group = {});
  /// The iterations that the walk is in, in terms of themselves.
  static Iterations iterationsHere(const State &state);
  // Numbers from a counter (Tickets.cpp)
  /// A loop that has been dealt: its bounds, of how many numbers the CTA gets.
  bool ticketLoop(mlir::Operation *op, int64_t counter, State &state,
                  Polynomial &lower, Polynomial &upper, Polynomial &step);
  /// The index-th number of this CTA.
  Value ticket(int64_t counter, const Polynomial &index, State &state);
  /// The one that names no work.
  Value lastTicket(mlir::Operation *op, int64_t counter, State &state);
  bool takeTicket(mlir::Operation *op, int64_t counter,
                  const effect::Access &effect, State &state, const Who &who);
  /// Which letter an access is to; false: the proof stops.
  bool letter(Access &access, State &state); ///< Letters.cpp
  // What tensors hold (Contents.cpp)
  /// Integers that are loaded from a tensor which the kernel does not write: what
  /// stands at one place is one number.
  Value contents(mlir::Operation *op, State &state);
  /// What data promises (titan.assume), as facts from here on.
  void assumeContents(AssumeOp given, State &state);
  /// The same of promises that say this or that (arith.ori), where `facts` refute one
  /// of the two: added to them, at an operation behind the promise.
  void addPromised(mlir::Operation *op, State &state, Facts &facts);
  void addPromised(mlir::Value condition, mlir::Operation *op, State &state,
                   Facts &facts);
  /// Whether a condition holds at an operation, of a tile for each element; none: that
  /// is not known.
  std::optional<bool> holds(mlir::Value condition, mlir::Operation *op,
                            State &state, const Facts &facts);
  /// Where each CTA says it of its own element and the next one, of all of them.
  void noteRising(AssumeOp given, const Comparison &comparison);
  // What is counted at its issue (Counters.cpp)
  /// The plain stores of a warp that raise a counter, too (MM-111).
  ObjectId stores(Mechanism counter, int warp);
  /// Counts what the operation issues, and does not commit by itself.
  void countIssued(mlir::Operation *op, State &state, const Who &who);
  /// The instruction, or the operation, that ends an access of this one.
  Polynomial lastIssued(mlir::Operation *op, Mechanism mechanism,
                        const WarpState &w, ObjectId counter);
  bool commitCounter(mlir::Operation *op, const effect::CommitGroup &commit,
                     State &state, const Who &who);
  bool waitCounter(mlir::Operation *op, const effect::WaitGroup &wait,
                   State &state, const Who &who);
  bool counterFlight(mlir::Operation *op, const effect::Registers &registers,
                     Mechanism counter, State &state, const Who &who);
  bool lifetime(mlir::Operation *op, const effect::Lifetime &life, State &state,
                const Who &who);
  bool usable(mlir::Operation *op, ObjectId ring, const Who &who, bool async);

  void learn(State &state, Knowledge &knows, ObjectId object,
             const Polynomial &bound);
  /// All that another one knows.
  void learn(State &state, Knowledge &knows, const Knowledge &more);
  bool knowsUse(State &state, const Knowledge &knows, ObjectId object,
                const Polynomial &use);
  /// In memory and execution order.
  void learnBoth(State &state, int warp, int lane, ObjectId object,
                 const Polynomial &bound) {
    learn(state, state.warps[warp].knows[lane], object, bound);
    if (proof.seesApart)
      learn(state, state.warps[warp].sees[lane], object, bound);
  }
  /// That use of an object is over, and what its signals tell.
  /// The use of a counted ring that bytes of a copy are of.
  std::optional<Polynomial> countedUse(mlir::Operation *op, State &state,
                                       int warp, const Ring &ring);
  void observe(State &state, int warp, int lane, ObjectId object,
               const Polynomial &use);
  /// What two lanes, or warps, both know.
  Knowledge common(State &state, const Knowledge &a, const Knowledge &b);
  /// `after`: an arrival behind work of this kind, which nothing else is before.
  void release(State &state, int warp, Lanes lanes, ObjectId object,
               const Polynomial &use,
               std::optional<Mechanism> after = std::nullopt);
  /// A use of an object at the walk's place in terms of an access' own iterations; none:
  /// not expressible.
  std::optional<Polynomial> inTermsOf(const Pending &pending,
                                      const Polynomial &use);
  struct InTerms {
    Polynomial use; ///< 0: nothing was asked yet
    Iterations toOwn;
    std::optional<Polynomial> own;
  };
  /// What was asked lately, by hash.
  std::vector<InTerms> inTerms = std::vector<InTerms>(256);
  /// The same of what another warp of its warpgroup has waited for, and of its products'
  /// reads, where the products are known to be over: they are the warpgroup's (MM-71).
  void releaseProducts(State &state, int warp, Lanes lanes, ObjectId object,
                       const Polynomial &use);
  size_t record(Access access, unsigned number);
  ObjectId groups(Mechanism mechanism, int warp, int lane);
  ObjectId reads(Mechanism mechanism, int warp, int lane);
  ObjectId warpObject(int warp);

  // Loops (Loops.cpp, Iterations.cpp, Heads.cpp, Machines.cpp)
  struct Machine {
    std::vector<unsigned> arguments; ///< of the loop, by number
    std::vector<std::vector<int64_t>> tables;
    Polynomial at; ///< steps made before the loop
    /// The tables begin with the loop's second iteration: the first one's values come
    /// no more.
    bool begun = false;
  };
  /// One for each group of what a loop carries that goes round together.
  std::vector<Machine> machines(mlir::Operation *op, std::vector<Value> &in,
                                const Facts &facts);
  /// Those arguments of a body that are computed from arguments alone, and from which.
  using Needs = std::map<unsigned, std::set<unsigned>>;
  std::optional<Machine> machine(mlir::Block *body, Needs needs,
                                 std::vector<Value> &in, const Facts &facts);
  /// A loop at its iteration t.
  struct Turn {
    mlir::Operation *op;
    const Polynomial &lower, &step, &count;
    Atom atom;
    const Polynomial &t;
    bool bent; ///< a loop inside runs more often each time
    llvm::ArrayRef<Machine> machines;
    /// What is added is a function of t (Sums.cpp); y2, and the second state, are those
    /// behind an iteration t that follows the first one at once.
    bool sums = false;
  };
  /// What was e1, e2, e3 behind the first iterations, as it is at t.
  Polynomial curve(const Turn &turn, const Polynomial &e1, const Polynomial &e2,
                   const std::optional<Polynomial> &e3);
  /// A table that states have in common, as it is at t.
  Counters line(const Turn &turn, const Counters &first, const Counters &second,
                const Counters *third, bool counter);
  std::vector<Value> lines(const Turn &turn, State &first,
                           llvm::ArrayRef<Value> y1, llvm::ArrayRef<Value> y2,
                           llvm::ArrayRef<Value> y3);
  void guessCycles(const Turn &turn, const State &state, const Facts &inside,
                   llvm::ArrayRef<Value> y1, llvm::ArrayRef<Value> y2,
                   std::vector<Value> &carried);
  std::vector<Pending> aged(const Turn &turn, const WarpState &from,
                            bool ofFirst);
  std::vector<Pending> left(const Turn &turn, const WarpState &from,
                            bool ofFirst);
  /// What a body computes by arithmetic alone, of its arguments at some iteration.
  Value computed(mlir::Value value, mlir::Block *body,
                 llvm::function_ref<Value(unsigned)> argument,
                 const llvm::DenseMap<mlir::Value, Value> &values,
                 Facts &facts);
  /// The same; what has been computed is kept.
  Value computed(mlir::Value value, mlir::Block *body,
                 llvm::function_ref<Value(unsigned)> argument,
                 const llvm::DenseMap<mlir::Value, Value> &values, Facts &facts,
                 llvm::DenseMap<mlir::Value, Value> &known);
  llvm::ArrayRef<std::vector<int64_t>>
  rounds(mlir::Block *body, const std::vector<unsigned> &carried,
         std::vector<int64_t> state);
  class Numbers;
  /// The head at iteration t; with a third one, where what an iteration adds grows
  /// by as much each time.
  std::optional<State> head(const Turn &turn, const State &first,
                            const State &second, const State *third);
  void substitute(State &state, Atom atom, const Polynomial &by);
  bool sameNumbers(mlir::Operation *op, State &end, State &head, bool &changed,
                   State &guess);

  Proof &proof;
  bool enforce;
  llvm::SmallVector<AssumeOp> promises; ///< all of the kernel's
  Mode mode = Mode::Final;
  /// What an iteration adds is looked for: which slots it takes is not asked, and
  /// parities answer as they did (`answered`: for the number of the wait, or for the use
  /// a round before it).
  bool guessing = false;
  std::map<mlir::Operation *, bool> answered;
  /// Of each pair of sides that the walk is in, what comes after accesses of before, by
  /// access and the sides that it is from before of beside these.
  using OfSides =
      std::map<std::pair<size_t, std::vector<int>>, std::vector<Release>>;
  std::vector<OfSides> ofSides;
  /// Where that is written down of one that is from before of these sides.
  std::vector<Release> &releasesOf(size_t access, std::vector<int> sides);
  std::set<Polynomial> added; ///< By this loop, as functions of Atoms::each().
  uint64_t sequence = 0;
  unsigned groupNumber = 0;
  int64_t firstWarp = 0, regionWarps = 0;
  int rank = 0, ranks = 1; ///< of CTAs in the cluster
  int64_t kernelWarps() { return proof.kernel.getWarps(); }
  /// Since the last arrival at the cluster's barrier something was done to a
  /// peer.
  bool remote = false;
  unsigned phase = 0; ///< before, in, behind partitions
  std::shared_ptr<const Stamp> stamp;
  /// Of this iteration.
  std::vector<std::shared_ptr<Stamp>> stamps;
  struct Life {
    int warp;
    /// Fenced; in the past of all threads of the CTA; both.
    bool fenced = false, initFenced = false, told = false, published = false;
    /// To the cluster: since its barrier's arrival, wait.
    bool sent = false, sentAway = false, everywhere = false;
    /// The cluster's round that has told peers.
    Polynomial round;
  };
  /// Who gets a CTA's columns of tensor memory, and how many at most from now on.
  struct Allocator {
    int warp;
    int64_t columns = std::numeric_limits<int64_t>::max();
  };
  std::map<int, Allocator> allocators;
  /// Of barriers: that round, of each CTA.
  std::map<void *, std::map<int, Polynomial>> toldPeers;
  std::map<ObjectId, Life> lives;
  std::map<std::tuple<mlir::Operation *, unsigned, int, std::string>, size_t>
      recorded;
  std::vector<size_t> touched;
  /// Rings that CTAs fill for each other, and what their uses expect.
  std::set<void *> multicast;
  std::map<void *, std::set<int64_t>> expectedBytes;
  /// Global tensors that the kernel writes; those that it reads, too; flags.
  std::set<void *> written, exchanged, flagged;
  /// How often loops go round that the walk is in.
  std::map<mlir::Operation *, Polynomial> trips;
  /// Named barriers of exactly the warps that execute their text, and others.
  std::map<std::pair<int, int64_t>, std::vector<int>> namedUsers;
  std::map<std::pair<int, int64_t>, int64_t> namedThreads;
};

/// Whether use `use` is below what is known, or below 0: over from the start.
bool isOver(const Facts &facts, const Knowledge &knows, ObjectId object,
            const Polynomial &use);

} // namespace titan::typestate

#endif
