//===- Agent.h - a program of the grid, and the table of what operations do -*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is compiled once into steps: for each operation the function that
// executes it, the numbers of its operands and results, the bodies of its
// regions. An agent runs the steps for one program of the grid after another.
// Families of operations register their functions in one table (Table.cpp); no
// place switches over operations.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_SIMULATOR_TRITON_AGENT_H
#define TITAN_SIMULATOR_TRITON_AGENT_H

#include "Memory.h"
#include "Tile.h"

#include "llvm/ADT/StringMap.h"

#include <mutex>

namespace titan::tt {

class Agent;
struct Body;

struct Step {
  void (*run)(Agent &agent, const Step &step) = nullptr;
  mlir::Operation *op = nullptr;
  llvm::SmallVector<uint32_t, 4> in, out;
  /// Regions, and what a call calls.
  llvm::SmallVector<Body *, 2> bodies;
  /// Successors, as numbers of blocks of the same body.
  llvm::SmallVector<uint32_t, 2> successors;
  /// Of a check of hints: how long runs are known to be, along each dimension.
  llvm::SmallVector<int64_t, 2> runs;
  /// Elements and kind of the first result.
  int64_t count = 0;
  Kind kind = Kind::I32;
};

struct BlockSteps {
  std::vector<uint32_t> arguments;
  std::vector<Step> steps;
};

/// A region: its blocks, the first is the entry.
struct Body {
  std::vector<BlockSteps> blocks;
  /// Values from outside of a region that its operations use.
  std::vector<uint32_t> captured;
  /// Its operations neither touch memory nor wait: what they make depends on values
  /// alone.
  bool pure = false;
  /// One path of element-wise operations: many elements can take it at once.
  bool straight = false;
};

using Execute = void (*)(Agent &, const Step &);
using Table = llvm::StringMap<Execute>;
const Table &getTable();
void addControl(Table &table);
void addElementwise(Table &table);
void addConversions(Table &table);
void addShapes(Table &table);
void addRegions(Table &table);
void addProducts(Table &table);
void addAccesses(Table &table);
void addAtomics(Table &table);
void addBlocks(Table &table);

/// What all agents of a run share.
struct World {
  FuncOp kernel;
  RunOptions options;
  std::unique_ptr<Memory> memory;
  std::vector<std::unique_ptr<Body>> bodies;
  Body *entry = nullptr;
  /// Where an agent keeps each value.
  llvm::DenseMap<mlir::Value, uint32_t> slots;
  bool turns = false;

  std::mutex mutex; ///< Of what follows.
  std::vector<std::pair<uint64_t, Finding>> findings;
  std::vector<std::pair<uint64_t, std::string>> printed;
  std::atomic<bool> stop = false;
  std::atomic<uint64_t> done = 0; ///< Programs.

  /// Where programs take turns: gives way to another agent at an atomic.
  /// `changed`: memory has changed since this one's last turn.
  void (*giveWay)(World &, Agent &) = nullptr;
  void *scheduler = nullptr;
  /// What release has published at an address.
  llvm::DenseMap<uint64_t, Clocks> published;
  /// The program whose atomic changed an address last.
  llvm::DenseMap<uint64_t, uint32_t> changedBy;
};

/// Compiles a function and those that it calls; false, and a finding, where an
/// operation cannot be executed.
bool compile(World &world);

/// Leaves a program that has gone wrong.
struct Stopped {};

class Agent {
public:
  explicit Agent(World &world) : world(world), tiles(world.slots.size()) {}

  /// Runs one program of the grid.
  void run(uint32_t program, llvm::ArrayRef<Tile> arguments);
  /// Runs a body to its terminator, whose operands are then in `yielded`.
  void run(const Body &body, llvm::ArrayRef<Tile> arguments);

  Tile &operator[](uint32_t slot) { return tiles[slot]; }
  Tile &in(const Step &step, unsigned i = 0) { return tiles[step.in[i]]; }
  Tile &out(const Step &step, unsigned i = 0) { return tiles[step.out[i]]; }
  /// A tile for the first result.
  Tile &make(const Step &step) {
    return tiles[step.out[0]] = Tile(step.kind, step.count * lanes);
  }
  /// The number that a scalar holds; refuses an undefined one. `what` it is for.
  int64_t getScalar(const Step &step, unsigned i, llvm::StringRef what);

  /// Files a finding and ends this program.
  /// `element`: of the tensor of operands that it concerns; the values that led
  /// to these operands there are told.
  [[noreturn]] void fail(const Step &step, Code code, std::string message,
                         std::string fix = {}, int64_t element = -1,
                         unsigned operands = ~0u);
  void touch(const Step &step, uint64_t address, unsigned size, Access access,
             uint32_t lane, bool scalar, int64_t element,
             const void *value = nullptr);

  /// What the results of a step depend on, of which operands do on `access` and
  /// `since` (Tile); `before`: accesses that there had been before it.
  void follow(const Step &step, uint64_t before, uint64_t access,
              uint64_t since);

  std::string describe(uint32_t program) const;
  /// "x_ptr[1024]": what the program calls a place in memory.
  std::string describePlace(uint64_t address, unsigned size);

  World &world;
  std::array<int64_t, 3> id = {0, 0, 0};
  Actor actor;
  Clocks seen;
  std::vector<Tile> yielded;
  uint32_t nextBlock = 0;
  uint64_t steps = 0, total = 0;
  unsigned depth = 0;
  /// Elements that take the path of a region of scalars at once.
  int64_t lanes = 1;
  uint64_t order = 0; ///< Of what it prints.
  /// Accesses of elements so far, and up to which one the last epoch that a
  /// reduction began has them behind it.
  uint64_t accesses = 0, ordered = 0;
  /// Since its last turn: whether an atomic has changed memory.
  bool changed = false;
  std::vector<Tile> tiles;
  const Step *at = nullptr; ///< The last step begun.
  /// Where it takes turns: the place of the atomic that is next.
  uint64_t waitsFor = 0;
  unsigned waitsSize = 0;
};

/// What is wrong with sizes and strides (in elements of `size` bytes) of a
/// descriptor, as a tensor map of TMA asks for them (cuTensorMapEncodeTiled).
std::optional<Finding> findWrongDescriptor(mlir::Location loc,
                                           const std::string &name,
                                           llvm::ArrayRef<int64_t> shape,
                                           llvm::ArrayRef<int64_t> strides,
                                           unsigned size);

/// tt.load and tt.store of block pointers.
void loadBlock(Agent &agent, const Step &step);
void storeBlock(Agent &agent, const Step &step);

/// What an atomic writes for element i of `value`, given what was there.
void combineElements(RMWOp what, const Tile &old, const Tile &value, int64_t i,
                     uint8_t *next);

/// Or-s the marks of the operands into the result's.
void joinMarks(Agent &agent, const Step &step);
/// The Python line of an operation: the innermost place that is no callee's.
mlir::Location placeOf(mlir::Operation *op);
/// "i = 5", "(2, 7)": an element of a tensor.
std::string indexText(mlir::Type type, int64_t element);
/// " of element [2, 7]", with "of" for `relation`; nothing of a scalar.
std::string elementText(llvm::StringRef relation, mlir::Type type,
                        int64_t element);
/// Whether an access is what make_ttir has made of one through a block pointer: its
/// addresses have its own place, where those of a program have theirs.
bool wasBlock(mlir::Operation *access);
/// "where offsets[52] = 2100, n = 2000": the named values from which these
/// operands of a step were computed at an element.
std::string valuesText(Agent &agent, const Step &step, int64_t element,
                       unsigned operands);
/// What to do about an integer that wrapped around on the way to these operands
/// of a step at an element; nothing: none did.
std::optional<std::string> wrappedText(Agent &agent, const Step &step,
                                       int64_t element, unsigned operands);

} // namespace titan::tt

#endif
