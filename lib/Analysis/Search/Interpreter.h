//===- Interpreter.h - the state of an instantiation ------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interpreter.cpp runs the agents and computes values, Control.cpp walks loops,
// branches and partitions; Resolve.cpp turns effects into actions, Maps.cpp
// follows tensor maps that are changed; Choices.cpp finds and solves the choices.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_SEARCH_INTERPRETER_H
#define TITAN_LIB_ANALYSIS_SEARCH_INTERPRETER_H

#include "Bounds.h"
#include "Compiled.h"
#include "Instantiate.h"
#include "Ranges.h"
#include "Sharing.h"

#include "titan/Effects/Resolver.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/MapVector.h"

#include <array>
#include <set>
#include <unordered_map>

namespace titan::checker {

/// What the interpreter knows of a value.
struct Val {
  enum Kind : uint8_t {
    Unknown, ///< data, or dependent on the schedule
    Int,     ///< number
    Tensor,  ///< id of an integer tensor
    View,    ///< root, byte offset (tensor memory: in a lane), rank of the CTA
             ///< or -1 (own)
    Barrier, ///< ring of barriers: first slot (id), rank of the CTA or -1
    Token,   ///< groups (from 1; 0: none) of the elected lane and the others
    State,   ///< id of an arrive's state
    Flight,  ///< registers in flight: their number (id; 0: none)
  } kind = Unknown;
  /// Varies with the iteration.
  bool iter = false;
  /// A token of another warp's elect: here it is none.
  bool foreign = false;
  /// The value depends on the schedule (Reveals), not on data.
  bool revealed = false;
  int cta = -1;
  uint32_t id = 0;
  Number number;
  int64_t second = 0;
  /// A register tile: after how many steps its registers had it.
  int64_t defined = 0;

  /// What a value that is not known depends on, in words.
  llvm::StringRef dependsOn() const {
    return revealed ? "the schedule" : "data";
  }
  /// The same value, by the same expression.
  bool same(const Val &other) const {
    return std::tie(kind, foreign, cta, id, number, second) ==
           std::tie(other.kind, other.foreign, other.cta, other.id,
                    other.number, other.second);
  }
  static Val integer(Number number, bool iter = false) {
    Val v;
    v.kind = Int;
    v.number = number;
    v.iter = iter;
    return v;
  }
};

/// A program in which nothing happens.
std::unique_ptr<Program> emptyProgram(KernelOp kernel, int clusters);

struct Instantiator::Impl {
  Impl(KernelOp kernel, Effort &effort, Instantiator &self);

  mutable KernelOp kernel;
  /// Of each argument of the launch: whether a tensor map is of it.
  std::vector<bool> mapped;
  Instantiator &self;
  Effort &effort;
  Compiler compiler;
  CompiledBlock body;
  Symbols symbols;

  //===--------------------------------------------------------------------===//
  // What a launch passes (Launch.cpp)
  //===--------------------------------------------------------------------===//

  /// What a launch may vary, the id of a CTA, and what a tensor holds that the
  /// kernel does not write: where titan.assume says something of it, it varies
  /// as arguments do; else it is what it is, and no launch is searched over it.
  struct Parameter {
    enum Kind { Size, Scalar, Multiprocessors, CtaId, Data } kind;
    std::string name;
    int dimension = 0;
    unsigned tensor = 0; ///< Size, Data: the argument's number
    Bounds range;
    int64_t initial = 0;
    int64_t element = 0;   ///< Data: its number in the tensor
    bool promised = false; ///< Data: titan.assume says something of it
    /// Scalar: titan.assume compares data with it, as it does with sizes.
    bool boundsData = false;
  };
  std::vector<Parameter> parameters;
  Symbols::Values parameterValues; ///< [parameter][cta]
  /// Values of the launch region, and what it asks for.
  llvm::DenseMap<mlir::Value, Number> launchNumbers;
  std::vector<Number> requirements;
  std::vector<RequireOp> requireOps; ///< Those of `requirements`.
  Number grid[3] = {{1, 0}, {1, 0}, {1, 0}};
  /// Parameters that titan.require makes equal to a number, by symbol.
  std::map<uint32_t, Number> pinned;
  /// Dimensions (argument, dimension) that the launch requires to lie without
  /// gaps: schedules merge them, say.
  std::set<std::pair<unsigned, unsigned>> packed;
  mutable Ranges ranges;
  /// Names of launch values, by symbol.
  std::map<uint32_t, std::string> names;
  /// Constants of the launch region and of the choices.
  std::vector<int64_t> constants;

  void readLaunch();
  void readRegion();
  /// What a requirement says of single parameters; `computed`: which of them is equal
  /// to what others make.
  void narrow(Number condition, bool computed = false);
  Number parameterNumber(const void *key, int dimension, Parameter parameter);
  Number unpinned(Number number) const;
  Number sizeNumber(unsigned tensor, int64_t dimension);
  /// In elements. Where the launch decides it: a pitch that no coordinate of a
  /// small case reaches, or the next dimension's stride times its size, if the
  /// dimension is packed.
  Number strideNumber(unsigned tensor, unsigned dimension);
  /// Finds dimensions that requirements want packed: by an equality that only
  /// packed strides meet. True if there are more.
  bool findPacked();
  /// Strides that a condition says are equal to something.
  void findEqualStrides(mlir::Value condition,
                        llvm::SmallVectorImpl<StrideOp> &strides);
  Number ctaIdNumber(int dimension);
  /// The most CTAs along a dimension of a grid of the kernel's target.
  int64_t mostCtas(int dimension) const;
  /// Whether all CTAs of any grid run at once, one on each multiprocessor.
  bool allResident();
  /// All requirements hold, and the grid has the CTAs that are looked at.
  bool admitted() const;
  /// A value of a parameter that meets what is required of this parameter alone: the one
  /// that is given, or a constant of what it does not meet times it (of a
  /// multiple, say); where that does not meet it, either, the one that is given.
  /// `next`: not below it, and as little above it as the constant lets.
  int64_t fitted(uint32_t parameter, int64_t value, bool next = false) const;
  /// Parameters that may be varied, and what is tried of each; and goes through the
  /// combinations, or so many at random: `look` finds the parameters set.
  using Varied = std::vector<std::pair<uint32_t, std::vector<int64_t>>>;
  Varied variedParameters(int64_t most, bool fit) const;
  /// Arguments that a launch check compares with others become as large or small
  /// as it lets them: rows beside each other, say; but for those that are kept.
  /// False: nothing changes.
  bool tighten(llvm::ArrayRef<uint32_t> kept = {});
  void vary(const Varied &varied, llvm::function_ref<void(bool tight)> look);
  /// "A[0]", "n", and "A[0] is 200, n is 5" of the launch that is looked at.
  std::string nameOfParameter(const Parameter &parameter) const;
  std::string describeLaunch() const;
  /// Whether it is a size or argument that launches vary: neither a stride nor
  /// what others decide.
  bool isVaried(uint32_t parameter) const;
  /// "2 CTAs: A[0] is 200, n is 5".
  std::string nameOf(const SmallLaunch &launch) const;
  /// The launch that the parameters make, without a name; none: the launch region
  /// refuses it, or its grid is too large to be looked at whole.
  std::optional<SmallLaunch> launchOfParameters() const;

  //===--------------------------------------------------------------------===//
  // Numbers that bound elements of tiles (Masks.cpp)
  //===--------------------------------------------------------------------===//

  /// Of the whole launch that was looked at last: numbers to which it compares
  /// tiles whose elements a larger one lets through, by symbol, and the elements of
  /// the tile that goes farthest.
  std::map<uint32_t, Bounds> masks;
  void noteMask(const CompiledOp &op);
  /// Symbols and the tiles that they have been seen with in this launch.
  std::set<std::pair<uint32_t, uint32_t>> seenTiles;
  /// Makes an argument in the number so large that the number is above another,
  /// or grows towards it. False: none, or it is so already.
  bool raise(Number bound, int64_t above,
             llvm::SmallVectorImpl<uint32_t> &raised);
  /// Parameters of the launches that unmasked() has told.
  std::set<std::vector<int64_t>> unmaskedLaunches;

  //===--------------------------------------------------------------------===//
  // Strides that are arguments (Pitches.cpp)
  //===--------------------------------------------------------------------===//

  /// Of a stride: the tensors that the kernel writes and that have it, and how
  /// many of their strides stand before and behind it, at most.
  struct Pitch {
    std::vector<std::string> tensors;
    unsigned outside = 0, inside = 0;
    /// The largest number by which it has been multiplied.
    int64_t largest = 0;
  };
  std::map<uint32_t, Pitch> pitches; ///< By parameter.
  /// Which values they have: one of argumentPitchBits, in one of four orders (the
  /// first argument is the largest or the smallest, and something lies within the
  /// smallest or it is 1); and then, of each, as close as rows of so many as have
  /// been seen can lie.
  size_t pitch = 0;
  static constexpr size_t pitchOrders = 4;
  static constexpr size_t pitchKinds =
      pitchOrders * std::size(bound::argumentPitchBits);
  /// Of a product: by what a stride is multiplied.
  void noteStride(const CompiledOp &op);
  /// What has met under all values of them.
  std::set<Sharing::Met> unavoidable;
  void findPitches();
  /// False: they are too large, or a launch check refuses them.
  bool setPitches(size_t which);
  /// runAll() under those values of them under which fewest operations meet.
  std::unique_ptr<Program> runApart();

  //===--------------------------------------------------------------------===//
  // Choices (Choices.cpp)
  //===--------------------------------------------------------------------===//

  std::vector<Choice> choices;
  std::vector<std::set<int64_t>> covered;                ///< of each choice
  std::vector<llvm::SetVector<mlir::Operation *>> loops; ///< of each choice
  /// Of a loop: what decides on which side of a minimum, a comparison or a
  /// remainder in its bounds a launch is.
  std::vector<std::vector<size_t>> kinks;
  /// Outcomes reached by the program under construction.
  std::vector<std::set<int64_t>> reached;
  using ChoiceKey = std::tuple<int, Number, Number, Number>;
  std::map<ChoiceKey, size_t> choiceNumbers;
  /// Of branches that vary with the iteration: sides taken, and the differences
  /// that the comparisons of their conditions have seen.
  struct Sides {
    unsigned taken = 0;
    std::set<int64_t> differences;
  };
  llvm::MapVector<mlir::Operation *, Sides> sides;
  /// Of operations that compute with the id of a CTA otherwise than by sums and
  /// products: which of their pieces (quotients, sides) have come up.
  struct Pieces {
    std::set<int64_t> seen;
    /// A place in global memory is computed from it.
    bool places = false;
  };
  llvm::MapVector<mlir::Operation *, Pieces> pieces;
  void notePiece(const CompiledOp &op, const Val &a, const Val &b);
  /// Of values that are waited for: of each quotient, minimum or the like in it,
  /// by the wait and the symbol, the pieces that have come up in whole launches.
  llvm::MapVector<std::pair<mlir::Operation *, uint32_t>, std::set<int64_t>>
      amountPieces;
  void noteAmount(const CompiledOp &op, Number amount);
  /// Whether a parameter of the number is such a one.
  bool anyParameter(Number number,
                    llvm::function_ref<bool(const Parameter &)> is) const;
  bool ofCta(Number number) const;
  /// Which kinds of leaves a number is computed from; kept for each symbol.
  enum Kinds : uint8_t {
    OfCta = 1,          ///< The id of a CTA.
    LaunchedBeyond = 2, ///< Sizes and arguments from number `beyond` on,
  };
  static constexpr unsigned beyond = 63; ///< whose bit is one (parametersOf).
  unsigned kindsOf(Number number) const;
  mutable std::vector<uint8_t> kinds;
  /// Whether a product of two sizes is part of it.
  bool multipliesSizes(Number number) const;
  /// The first cluster looked at, along x, y, z.
  int64_t origin[3] = {0, 0, 0};
  /// Along which dimension the next ones lie.
  int beside = 0;
  /// There are no other CTAs than those looked at.
  bool whole = false;
  /// The whole launch that is instantiated; null: sizes are chosen.
  const SmallLaunch *launch = nullptr;

  /// Something that has to hold of a launch.
  struct Goal {
    enum { Choose, Require, Grid, Promise } kind;
    size_t index; ///< choice, requirement, dimension of the grid, promise
    int64_t wanted = 1;
  };
  void resetParameters(bool small);
  void setParameter(uint32_t parameter, int64_t value);
  int64_t placeOf(int dimension, int cta) const;
  std::optional<int64_t> outcome(const Choice &choice, int cta) const;
  bool met(const Goal &goal) const;
  std::vector<int64_t> candidates(const Goal &goal, uint32_t parameter);
  /// The parameters that decide whether a goal is met, a bit each.
  uint64_t parametersOf(const Goal &goal) const;
  /// `blame`: the parameters of what was not met on the way; values of others are
  /// not gone through for it.
  bool reach(llvm::ArrayRef<Goal> goals, size_t at, int &budget,
             uint64_t &blame);
  /// Finds a launch with these outcomes and gives the parameters its values; small
  /// ones first where loops are left to chance.
  bool solve(llvm::ArrayRef<int64_t> wanted, bool chance = false);
  /// The number of a choice, which is made if there is none yet.
  size_t registerChoice(Choice choice);
  /// Makes the choices by which the count of a loop is not proportional to
  /// sizes.
  void findKinks(size_t loop);
  void cover(size_t choice, int64_t outcome);
  /// Whether a number that varies with the iteration depends on something that
  /// no loop's bounds do.
  bool ownedByLoops(Number number) const;
  uint64_t owned = 0;
  std::string nameOf(std::initializer_list<Number> numbers) const;
  bool impossible(const Choice &choice, int64_t outcome) const;
  /// Notes that the value decides something where [low, high] is right.
  /// False: too many values.
  bool decides(const CompiledOp &op, const Val &val, int64_t low, int64_t high,
               llvm::StringRef what);
  void decidesSide(const CompiledOp &op, const Val &condition);
  void compared(mlir::Value condition, std::set<int64_t> &differences);

  //===--------------------------------------------------------------------===//
  // What data promises (Promises.cpp)
  //===--------------------------------------------------------------------===//

  /// Values that are loaded and of which titan.assume says something.
  llvm::DenseSet<mlir::Value> promisedValues;
  /// Arguments of the kernel that they are loaded from.
  llvm::DenseSet<unsigned> promisedTensors;
  /// Conditions that came up in this launch, each once, by symbol.
  std::vector<Number> promises;
  llvm::DenseSet<uint32_t> promised;
  /// What the elements of such tensors are taken to be (bound::promisedApart, then
  /// promisedGroups and promisedAlike), and what the next launch begins with.
  size_t pattern = 0, firstPattern = 0;
  static constexpr size_t patterns = std::size(bound::promisedApart) + 2;
  int64_t promisedData(int64_t element) const;
  /// The same of any element of a tensor: what the launch says, first of all.
  int64_t dataAt(unsigned tensor, int64_t element, bool promised) const;
  /// So far from one element to the next, whatever the pattern.
  std::optional<int64_t> apart;
  /// The run has met one that is false: there is no such launch.
  bool broken = false;
  void findPromised();
  /// titan.assume: false where data breaks it.
  bool believe(const CompiledOp &op);
  /// What a condition that is true says of the numbers in it.
  void believeTrue(mlir::Value condition);
  /// Of a whole launch: changes what breaks a promise, data alone. False: it finds
  /// none that keeps them all.
  bool keepPromises();
  /// Whether data of which something is promised is part of it.
  bool ofPromised(Number number) const;
  /// Data of which titan.assume says something decides anew in each iteration
  /// of a loop: no count stands for all, and what was looked at is told.
  void decidedByData(const CompiledOp &op);
  /// Gives the parameters values by `set`, and runs, until no promise is broken.
  /// `steady`: elements grow by as much each. Null: not found.
  std::unique_ptr<Program>
  runPromised(llvm::function_ref<bool()> set,
              llvm::function_ref<std::unique_ptr<Program>()> run,
              bool steady = false);

  //===--------------------------------------------------------------------===//
  // The run of one agent (Interpreter.cpp, Control.cpp)
  //===--------------------------------------------------------------------===//

  std::unique_ptr<Program> program;
  std::vector<Val> values;
  uint32_t agent = 0;
  int regionWarp = 0, regionWarps = 1;
  int64_t steps = 0;
  int64_t events = 0; ///< Of the agents so far.
  /// Groups committed so far: [mechanism][lane class].
  std::array<std::array<int64_t, 2>, 16> commits{};
  /// Positions of a loop's carried numbers that are no counters.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned>> carriedStates;
  /// Accumulators in flight so far.
  uint32_t flights = 0;
  std::set<std::pair<Code, mlir::Operation *>> told;
  std::set<std::string> gapsTold;

  /// Loops and branches by how the way into them was decided when they were come
  /// to: by sizes, arguments or iterations; by constants and the ids of warps alone.
  llvm::DenseSet<mlir::Operation *> open, settled;

  /// Whether the effort is used up, with what evaluating numbers has cost.
  bool spent();
  uint64_t evaluated = 0;

  bool runAgents();
  /// The events of all agents, by which the outcomes reached are covered.
  std::unique_ptr<Program> runAll();
  bool run(uint32_t agent);
  /// A number, for the CTA of this agent.
  Val here(Number number) const {
    if (auto known = symbols.value(number, parameterValues, cta()))
      return Val::integer({*known, number.symbol});
    return Val();
  }
  void problem(Code code, mlir::Operation *op, const llvm::Twine &message,
               const llvm::Twine &fix = "");
  /// " (A[0] is 200)": the launch that is looked at; empty: nothing varies.
  std::string launchSuffix() const;
  /// Parameters an effect out; `what` names the kind, and is told of once.
  /// `settled`: by a proof.
  void gap(mlir::Operation *op, const llvm::Twine &what, bool settled = false,
           const llvm::Twine &fix = "");
  /// False: give up on this agent.
  /// False, and told: the agent has executed too many operations.
  bool countStep(mlir::Operation *op);
  void giveUp(mlir::Operation *op);
  bool execute(const CompiledBlock &block, Lanes lanes, uint32_t iteration,
               llvm::SmallVectorImpl<Val> *yields);
  bool execute(const CompiledOp &op, Lanes lanes, uint32_t iteration);
  bool executeFor(const CompiledOp &op, Lanes lanes, uint32_t iteration);
  bool executeWhile(const CompiledOp &op, Lanes lanes, uint32_t iteration);
  bool executeIf(const CompiledOp &op, Lanes lanes, uint32_t iteration);
  bool executeElect(const CompiledOp &op, Lanes lanes, uint32_t iteration);
  bool executeSpecialize(const CompiledOp &op, Lanes lanes);
  bool executeView(const CompiledOp &op);
  /// A launch shall be looked for that lets a division or shift `of` one number `by`
  /// another have no result.
  void wishForNoResult(const CompiledOp &op, Number of, Number by);
  /// The same, of a loop that goes by this step: that it is not positive.
  void wishForNoStep(const CompiledOp &op, Number step);
  bool checkIndex(const CompiledOp &op, const effect::View &view,
                  const Val &index);
  void computeTensor(const CompiledOp &op);

  Val &value(mlir::Value v) { return values[compiler.number(v)]; }
  const AgentInfo &info() const { return program->agents[agent]; }
  int cta() const { return info().cta; }
  Val number(const CompiledOp &op, int64_t value, uint32_t symbol = 0) {
    return Val::integer({value, symbol});
  }

  //===--------------------------------------------------------------------===//
  // Tensors of integers, each once
  //===--------------------------------------------------------------------===//

  struct TensorKey {
    int what; ///< Arith, or -1 by places, -2 constant
    unsigned predicate, operandBits, bits;
    const void *type; ///< of the result (what < 0: the operation)
    int64_t a, b, c;
    bool operator==(const TensorKey &) const = default;
    struct Hash {
      size_t operator()(const TensorKey &key) const {
        return llvm::hash_combine(key.what, key.predicate, key.operandBits,
                                  key.bits, key.type, key.a, key.b, key.c);
      }
    };
  };
  std::unordered_map<TensorKey, uint32_t, TensorKey::Hash> tensorIds;
  std::unordered_multimap<size_t, uint32_t> tensorsByHash;
  std::vector<std::vector<int64_t>> tensors;
  uint32_t tensor(const TensorKey &key,
                  llvm::function_ref<std::vector<int64_t>()> make);

  //===--------------------------------------------------------------------===//
  // Effects (Resolve.cpp)
  //===--------------------------------------------------------------------===//

  effect::Resolver resolver;
  /// Of each footprint of the kernel, as each warp of its region touches it.
  struct Hash {
    template <typename... T>
    size_t operator()(const std::pair<T...> &pair) const {
      return llvm::hash_value(pair);
    }
    size_t operator()(const std::vector<int64_t> &key) const {
      return llvm::hash_combine_range(key);
    }
  };
  std::unordered_map<std::pair<const effect::Footprint *, int>,
                     effect::MemoryRegion, Hash>
      regions;
  std::unordered_map<std::vector<int64_t>, uint32_t, Hash> footprintIds;

  bool hardware(const CompiledOp &op, Lanes lanes, uint32_t iteration);
  bool resolve(const CompiledOp &op, const effect::Effect &effect, Lanes lanes);
  bool resolveAccess(const CompiledOp &op, const effect::Effect &effect);
  bool resolveRegisters(const CompiledOp &op,
                        const effect::Registers &registers, Action &action);
  bool resolveBarrier(const CompiledOp &op, const effect::BarrierRef &ref,
                      Action &action);
  std::optional<uint32_t> ctasOf(const CompiledOp &op,
                                 const effect::CtaSet &set, int rank);
  std::optional<int64_t> evaluateExpr(const CompiledOp &op,
                                      const effect::Expr &expr);
  /// The same of bytes that a barrier counts, which are 0 or more.
  std::optional<int64_t> evaluateBytes(const CompiledOp &op,
                                       const effect::Expr &expr);
  /// What values are in this iteration, for the resolver (Footprints.cpp).
  class Values;
  /// `footprint` is an effect's own: its region is kept.
  const effect::MemoryRegion &regionOf(const effect::Footprint &footprint,
                                       AccessKind kind);
  /// The number of the footprint that a region is now; none: a problem has been
  /// told.
  std::optional<uint32_t>
  footprintOf(const CompiledOp &op, const effect::MemoryRegion &region,
              std::optional<Mechanism> mechanism = std::nullopt);
  std::optional<uint32_t> elementFootprint(const CompiledOp &op,
                                           const effect::MemoryRegion &region);
  std::optional<uint32_t> elementsFootprint(const CompiledOp &op,
                                            const effect::MemoryRegion &region);
  /// Chunks of registers that are one access each: their indices and mask.
  bool checkChunks(const CompiledOp &op, const effect::Footprint &bytes,
                   llvm::ArrayRef<const std::vector<int64_t> *> coords,
                   const std::vector<int64_t> *mask);
  /// A box of a tensor that no map describes.
  std::optional<uint32_t> runFootprint(const CompiledOp &op,
                                       const effect::MemoryRegion &region,
                                       std::optional<Mechanism> mechanism);
  std::optional<uint32_t> boxFootprint(const CompiledOp &op,
                                       const effect::MemoryRegion &region);
  /// A copy through an im2col or interleaved map, as bytes.
  std::optional<uint32_t> pixelFootprint(const CompiledOp &op,
                                         const effect::MemoryRegion &region,
                                         TensorMapOp map, uint32_t root);
  /// A map's sizes and strides (bytes, the innermost one's unit included),
  /// outermost first.
  struct MapNumbers {
    std::vector<Number> dims;
    std::vector<int64_t> sizes, strides; ///< Under this launch.
    bool decided = false;                ///< The launch decides some stride.
  };
  MapNumbers numbersOf(TensorMapOp map, uint32_t root);
  void needPitches(const CompiledOp &op, TensorMapOp map,
                   const MapNumbers &numbers, uint32_t root);

  //===--------------------------------------------------------------------===//
  // Tensor maps in memory (Maps.cpp)
  //===--------------------------------------------------------------------===//

  /// What a map says, by what was last done to it. Outermost dimension first.
  struct EditedMap {
    bool known = false; ///< Strides are the tensor's, all else is as below.
    uint32_t root = 0;  ///< The tensor that it leads into.
    llvm::SmallVector<int64_t, 5> origin; ///< Of its first element, there.
    llvm::SmallVector<int64_t, 5> sizes;  ///< -1: as a launch's map, no end.
  };
  /// Where a map lies: memory, byte, and of shared memory the CTA.
  using MapPlace = std::tuple<uint32_t, int64_t, int>;
  /// As this agent has left them, and which agent it was of all.
  std::map<MapPlace, EditedMap> maps;
  std::map<MapPlace, uint32_t> editors;
  std::optional<MapPlace> placeOfMap(mlir::Value map);
  /// What a map that is copied from, or copied through, says.
  EditedMap mapAt(mlir::Value map);
  /// What an operation does to maps.
  void editMap(const CompiledOp &op);

  /// The argument of the kernel that a tensor is, or that a tensor map is over.
  std::optional<uint32_t> globalArgument(mlir::Value object);
  std::optional<uint32_t> globalRoot(mlir::Value object);
  bool resolveLifetime(const CompiledOp &op, const effect::Lifetime &life,
                       Action action);
  /// The value of a load from a tensor that the kernel does not write: unknown,
  /// but the same for all who read that element.
  void loadData(const CompiledOp &op);
  /// What an operation writes to a peer and the barrier that counts it are one
  /// CTA's.
  bool onePeer(const CompiledOp &op, llvm::ArrayRef<Action> actions);
  /// Arguments of the kernel that some operation writes.
  llvm::DenseSet<mlir::Value> writtenTensors;
  /// In bytes, under this launch.
  std::vector<int64_t> globalStrides(uint32_t root);
};

} // namespace titan::checker

#endif
