//===- Interpreter.h - the state of an instantiation ------------*- C++ -*-===//
//
// Interpreter.cpp walks control and computes values; Resolve.cpp turns effects
// into actions; Choices.cpp finds and solves the choices.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_INTERPRETER_H
#define TITAN_LIB_ANALYSIS_INTERPRETER_H

#include "Compiled.h"
#include "Instantiate.h"

#include <set>

namespace titan::checker {

/// What the interpreter knows of a value.
struct Val {
  enum Kind : uint8_t {
    Unknown, ///< data, or dependent on the schedule
    Int,     ///< number
    Tensor,  ///< id of an integer tensor
    View,    ///< shared memory: root, byte offset, rank of the CTA or -1 (own)
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

  static Val integer(Number number, bool iter = false) {
    Val v;
    v.kind = Int;
    v.number = number;
    v.iter = iter;
    return v;
  }
};

struct Instantiator::Impl {
  Impl(KernelOp kernel, Instantiator &self);

  mutable KernelOp kernel;
  Instantiator &self;
  Compiler compiler;
  CompiledBlock body;
  Symbols symbols;

  //===--------------------------------------------------------------------===//
  // Choices (Choices.cpp)
  //===--------------------------------------------------------------------===//

  struct Leaf {
    enum Kind { Size, Scalar, Flag, CtaId, NumCtas } kind;
    std::string name;
    int dimension = 0;
    unsigned tensor = 0;  ///< Size: the argument's number
    mlir::Value launched; ///< Scalar, Flag: in the launch region
  };
  std::vector<Leaf> leaves;
  Symbols::Values leafValues; ///< [leaf][cta]
  std::vector<Choice> choices;
  std::vector<int64_t> counts; ///< what the current run chose
  bool surveying = false, restart = false;
  /// The whole launch that is instantiated; null: sizes are chosen.
  const SmallLaunch *launch = nullptr;

  uint32_t leafSymbol(const void *key, int dimension, Leaf leaf);
  void resetLeaves();
  int64_t defaultValue(uint32_t leaf) const;
  int64_t leafValue(uint32_t leaf, int cta) const;
  int64_t launchedValue(uint32_t leaf) const;
  /// Gives the leaves values for these choices.
  bool solveAll(llvm::ArrayRef<int64_t> wanted);
  bool solve(const Choice &choice, int64_t wanted);
  std::optional<int64_t> outcome(const Choice &choice) const;
  /// Whether any launch makes this loop run zero times (Launch.cpp).
  bool canBeZero(const Choice &choice);
  /// Dynamic sizes that the launch region or the body asks for, by tensor
  /// (argument of the launch region) and dimension.
  std::vector<std::pair<mlir::Value, int64_t>> dynamicSizes() const;
  /// CTAs of the grid along x, y, z where that is the same for every launch.
  std::optional<int64_t> fixedGrid[3];
  void findGrid();
  /// Along which dimension a second cluster lies; -1: there is only one.
  int secondCluster() const;
  /// Registers a loop or branch on sizes while surveying. True: run again.
  bool registerChoice(Choice choice);

  //===--------------------------------------------------------------------===//
  // The run of one agent (Interpreter.cpp)
  //===--------------------------------------------------------------------===//

  std::unique_ptr<Program> program;
  std::vector<Val> values;
  uint32_t agent = 0;
  int regionWarp = 0, regionWarps = 1;
  int64_t loopDepth = 0, steps = 0;
  /// Groups committed so far: [mechanism][lane class].
  int64_t commits[16][2] = {};
  /// Accumulators in flight so far.
  uint32_t flights = 0;
  std::set<std::pair<Code, mlir::Operation *>> told;
  std::set<llvm::StringRef> gapsTold;

  bool run(uint32_t agent);
  void problem(Code code, mlir::Operation *op, const llvm::Twine &message);
  /// Leaves an effect out; `what` names the kind, and is told of once.
  void gap(mlir::Operation *op, const char *what);
  /// False: give up on this agent.
  bool execute(const CompiledBlock &block, Lanes lanes, uint32_t iteration,
               llvm::SmallVectorImpl<Val> *yields);
  bool execute(const CompiledOp &op, Lanes lanes, uint32_t iteration);
  bool executeFor(const CompiledOp &op, Lanes lanes, uint32_t iteration);
  bool executeIf(const CompiledOp &op, Lanes lanes, uint32_t iteration);
  bool executeElect(const CompiledOp &op, Lanes lanes, uint32_t iteration);
  bool executeSpecialize(const CompiledOp &op, Lanes lanes);
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
    int what; ///< Arith, or -1 splat, -2 coordinate, -3 extract, -4 constant
    unsigned predicate, operandBits, bits;
    const void *type; ///< of the result (extract, constant: the operation)
    int64_t a, b, c;
    auto operator<=>(const TensorKey &) const = default;
  };
  std::map<TensorKey, uint32_t> tensorIds;
  std::vector<std::vector<int64_t>> tensors;
  uint32_t tensor(const TensorKey &key,
                  llvm::function_ref<std::vector<int64_t>()> make);

  //===--------------------------------------------------------------------===//
  // Effects (Resolve.cpp)
  //===--------------------------------------------------------------------===//

  llvm::DenseMap<mlir::Value, uint32_t> rootIds;
  llvm::DenseMap<mlir::Value, uint32_t> barrierBase;
  std::map<std::vector<int64_t>, uint32_t> footprintIds;

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
  std::optional<uint32_t> tileFootprint(const CompiledOp &op,
                                        const effect::Effect &effect);
  std::optional<uint32_t> elementsFootprint(const CompiledOp &op,
                                            const effect::Effect &effect);
  std::optional<uint32_t> scalarFootprint(const CompiledOp &op,
                                          const effect::Footprint &bytes);
  std::optional<uint32_t> boxFootprint(const CompiledOp &op,
                                       const effect::Access &access);
  std::optional<uint32_t> globalRoot(mlir::Value object);
  std::vector<int64_t> globalStrides(uint32_t root);
};

} // namespace titan::checker

#endif
