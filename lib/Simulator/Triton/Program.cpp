//===- Program.cpp - kernels as steps; calls, loops, branches -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Agent.h"

#include "titan/Analysis/Triton/AxisInfo.h"
#include "titan/Dialect/Triton/DeviceFunctions.h"
#include "titan/Target/LoopCounter.h"
#include "titan/Target/TritonFixes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace titan::tt;
using titan::Code, titan::Finding;

const Table &titan::tt::getTable() {
  static const Table table = [] {
    Table table;
    addControl(table);
    addElementwise(table);
    addConversions(table);
    addShapes(table);
    addRegions(table);
    addProducts(table);
    addAccesses(table);
    addAtomics(table);
    addBlocks(table);
    return table;
  }();
  return table;
}

bool titan::tt::isSimulated(StringRef name) {
  return getTable().contains(name);
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static constexpr StringLiteral hintNames[] = {"tt.divisibility",
                                              "tt.contiguity", "tt.constancy"};
static void checkHints(Agent &agent, const Step &step);

namespace {
class Compiler {
public:
  explicit Compiler(World &world) : world(world) {}

  /// The body of a region, made on the first use of a function.
  Body *compile(Region &region) {
    auto [it, isNew] = bodies.try_emplace(&region, nullptr);
    if (!isNew)
      return it->second;
    Body *body = world.bodies.emplace_back(std::make_unique<Body>()).get();
    bodies[&region] = body;
    llvm::DenseMap<Block *, uint32_t> numbers;
    for (Block &block : region)
      numbers.try_emplace(&block, numbers.size());
    body->blocks.resize(numbers.size());
    for (Block &block : region) {
      BlockSteps &steps = body->blocks[numbers[&block]];
      for (BlockArgument argument : block.getArguments())
        steps.arguments.push_back(slotOf(argument));
    }
    for (Block &block : region)
      for (Operation &op : block) {
        if (!good)
          return body;
        Step step = make(op);
        for (Block *successor : op.getSuccessors())
          step.successors.push_back(numbers[successor]);
        std::vector<Step> &steps = body->blocks[numbers[&block]].steps;
        Step hints = hintsOf(step);
        steps.push_back(std::move(step));
        if (hints.run)
          steps.push_back(std::move(hints));
      }
    body->pure = llvm::all_of(region.getOps(), [](Operation &op) {
      return op.hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(&op);
    });
    SetVector<Value> captured;
    getUsedValuesDefinedAbove(region, captured);
    for (Value value : captured)
      body->captured.push_back(slotOf(value));
    // Blocks behind a return are not reached.
    const std::vector<Step> &steps = body->blocks.front().steps;
    body->straight = llvm::all_of(steps, [](const Step &step) {
      if (isa<CallOp>(step.op))
        return step.bodies.size() == 1 && step.bodies[0]->straight;
      return step.successors.empty() && step.bodies.empty() &&
             (step.op->hasTrait<OpTrait::IsTerminator>() ||
              step.op->hasTrait<OpTrait::Elementwise>() ||
              isa<arith::ConstantOp>(step.op));
    });
    return body;
  }

  bool good = true;

private:
  uint32_t slotOf(Value value) {
    return world.slots.try_emplace(value, world.slots.size()).first->second;
  }

  void refuse(Operation &op, Code code, const Twine &message,
              StringRef fix = "") {
    good = false;
    world.findings.emplace_back(0, Finding{.code = code,
                                           .message = message.str(),
                                           .loc = placeOf(&op),
                                           .fix = fix.str()});
  }

  /// The step that holds a result against what the front end says of it
  /// (tl.multiple_of, tl.max_contiguous, tl.max_constancy); none: it says nothing.
  Step hintsOf(const Step &of) {
    Step step;
    if (of.op->getNumResults() == 1 &&
        llvm::any_of(hintNames,
                     [&](StringRef name) { return of.op->hasAttr(name); })) {
      step.run = checkHints;
      step.op = of.op;
      step.in = of.out;
      // What a kernel is compiled from.
      if (!infos)
        infos = std::make_unique<titan::AxisInfos>(
            world.kernel->getParentOfType<ModuleOp>());
      for (unsigned exponent : infos->of(of.op->getResult(0)).contiguity)
        step.runs.push_back(int64_t{1} << exponent);
    }
    return step;
  }

  Step make(Operation &op) {
    Step step;
    step.op = &op;
    StringRef name = op.getName().getStringRef();
    step.run = getTable().lookup(name);
    if (isa<ElementwiseInlineAsmOp>(op)) {
      refuse(op, Code::TtInlinePtx, "this is PTX in a string");
      return step;
    }
    if (!step.run) {
      refuse(op, Code::NotSupportedYet, name + " is not simulated",
             "docs/triton.md lists what is simulated");
      return step;
    }
    if (auto call = dyn_cast<ExternElementwiseOp>(op))
      if (std::string problem = checkDeviceCall(call); !problem.empty()) {
        refuse(op, Code::TtType, problem, "call it with these");
        return step;
      }
    for (Value value : op.getOperands())
      step.in.push_back(slotOf(value));
    for (Value value : op.getResults()) {
      std::optional<Kind> kind = kindOf(value.getType());
      if (!kind) {
        refuse(op, Code::NotSupportedYet,
               name + " yields a type that is not simulated",
               "docs/triton.md lists what is simulated");
        return step;
      }
      if (step.out.empty()) {
        step.kind = *kind;
        step.count = countOf(value.getType());
      }
      step.out.push_back(slotOf(value));
    }
    for (Region &region : op.getRegions())
      step.bodies.push_back(region.empty() ? nullptr : compile(region));
    if (auto call = dyn_cast<CallOp>(op)) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<FuncOp>(
          &op, call.getCalleeAttr());
      if (!callee || callee.isExternal())
        refuse(op, Code::NotSupportedYet, "a function without a body is called",
               "docs/triton.md lists what is simulated");
      else
        step.bodies.push_back(compile(callee.getBody()));
    }
    return step;
  }

  World &world;
  llvm::DenseMap<Region *, Body *> bodies;
  std::unique_ptr<titan::AxisInfos> infos;
};
} // namespace

bool titan::tt::compile(World &world) {
  Compiler compiler(world);
  world.entry = compiler.compile(world.kernel.getBody());
  return compiler.good;
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

void Agent::run(uint32_t program, ArrayRef<Tile> arguments) {
  const auto &grid = world.options.grid;
  id = {program % grid[0], program / grid[0] % grid[1],
        program / (grid[0] * grid[1])};
  actor = Actor{
      .program = program, .clock = 1, .seen = world.turns ? &seen : nullptr};
  seen.clear();
  steps = order = accesses = ordered = 0;
  depth = 0;
  lanes = 1;
  auto count = llvm::make_scope_exit([&] { total += steps; });
  run(*world.entry, arguments);
}

/// Whether two lists of values are the same, bit for bit.
static bool isSame(ArrayRef<Tile> some, ArrayRef<Tile> others) {
  return llvm::equal(some, others, [](const Tile &a, const Tile &b) {
    auto equal = [](const Buffer &x, const Buffer &y, size_t bytes) {
      return bool(x) == bool(y) &&
             (!x || std::memcmp(x.data(), y.data(), bytes) == 0);
    };
    return a.kind == b.kind && a.count == b.count &&
           equal(a.bytes, b.bytes, a.count * bytesOf(a.kind)) &&
           equal(a.undefined, b.undefined, a.count);
  });
}

static constexpr const char *unchanging =
    "a round of this loop changes nothing: it never ends";
static constexpr const char *unchangingFix =
    "let its condition depend on what a round changes";

// A scalar is known to all threads. Where it is a reduction of a tensor that each of
// several warps has loaded a part of, no thread has it before a barrier that each one
// comes to after its part of the load, and so after all that the program accesses
// before that load. What does not depend on the scalar may be done before the
// barrier; and what stands between the load and the reduction, behind it, as the
// reduction touches no memory and may be moved.
void Agent::follow(const Step &step, uint64_t before, uint64_t access,
                   uint64_t since) {
  const uint64_t threads = 32 * uint64_t{world.options.warps};
  if (isa<ReduceOp>(step.op) &&
      !isa<RankedTensorType>(step.op->getResult(0).getType())) {
    const uint64_t count = countOf(step.op->getOperand(0).getType());
    if (world.options.warps > 1 && count >= threads && access != 0 &&
        access == accesses) {
      if (ordered != access) {
        ordered = access;
        ++actor.epoch;
      }
      since = actor.epoch;
    }
    access = 0;
  } else if (isa<LoadOp>(step.op) && in(step).kind != Kind::Block &&
             accesses != before &&
             static_cast<uint64_t>(step.count) >= threads) {
    access = accesses;
  }
  for (uint32_t slot : step.out) {
    tiles[slot].access = std::max(tiles[slot].access, access);
    tiles[slot].since = std::max(tiles[slot].since, since);
  }
}

void Agent::run(const Body &body, ArrayRef<Tile> arguments) {
  const BlockSteps *block = &body.blocks.front();
  // Of a pure body: a block that is entered with all values as they were some time
  // before goes the same way again.
  const BlockSteps *seen = nullptr;
  std::vector<Tile> before, all;
  uint64_t branches = 0;
  for (auto [slot, tile] : llvm::zip(block->arguments, arguments))
    tiles[slot] = tile;
  for (;;) {
    for (const Step &step : block->steps) {
      at = &step;
      const uint64_t before = accesses;
      uint64_t access = 0, since = 0;
      for (uint32_t slot : step.in) {
        access = std::max(access, tiles[slot].access);
        since = std::max(since, tiles[slot].since);
      }
      actor.since = since;
      step.run(*this, step);
      if (!step.out.empty())
        follow(step, before, access, since);
    }
    if ((steps += block->steps.size()) > world.options.maxSteps)
      fail(block->steps.back(), Code::StepLimit,
           "this program has executed " + std::to_string(steps) +
               " operations, and gives up");
    if (world.stop)
      throw Stopped();
    const Step &end = block->steps.back();
    if (end.successors.empty())
      return;
    block = &body.blocks[end.successors[nextBlock]];
    std::vector<Tile> values = std::move(yielded);
    if (body.pure) {
      if (block == seen && isSame(values, before) && isSame(tiles, all))
        fail(end, Code::StepLimit, unchanging, unchangingFix);
      if (llvm::isPowerOf2_64(++branches)) {
        seen = block;
        before = values;
        all = tiles;
      }
    }
    for (auto [slot, tile] : llvm::zip(block->arguments, values))
      tiles[slot] = tile;
  }
}

Location titan::tt::placeOf(Operation *op) {
  // A call site's place is its callee's; the user's line is the caller's.
  Location loc = op->getLoc();
  for (;;) {
    if (auto call = dyn_cast<CallSiteLoc>(loc))
      loc = call.getCaller();
    else if (auto name = dyn_cast<NameLoc>(loc))
      loc = name.getChildLoc();
    else
      return loc;
  }
}

std::string titan::tt::elementText(StringRef relation, Type type,
                                   int64_t element) {
  if (shapeOf(type).empty())
    return "";
  return (" " + relation + " element " + indexText(type, element)).str();
}

std::string titan::tt::indexText(Type type, int64_t element) {
  ArrayRef<int64_t> shape = shapeOf(type);
  if (shape.empty())
    return "";
  SmallVector<int64_t> index(shape.size());
  for (int64_t d = shape.size() - 1; d >= 0; --d) {
    index[d] = element % shape[d];
    element /= shape[d];
  }
  return "[" +
         llvm::join(llvm::map_range(
                        index, [](int64_t i) { return std::to_string(i); }),
                    ", ") +
         "]";
}

std::string Agent::describe(uint32_t program) const {
  const auto &grid = world.options.grid;
  return "program (" + std::to_string(program % grid[0]) + ", " +
         std::to_string(program / grid[0] % grid[1]) + ", " +
         std::to_string(program / (grid[0] * grid[1])) + ")";
}

void Agent::fail(const Step &step, Code code, std::string message,
                 std::string fix, int64_t element, unsigned operands) {
  Finding finding{.code = code,
                  .message = describe(actor.program) + ": " + message,
                  .loc = placeOf(step.op),
                  .fix = fix.empty() ? std::string(titan::tritonFix(code))
                                     : std::move(fix)};
  if (element >= 0)
    if (std::string values = valuesText(*this, step, element, operands);
        !values.empty())
      finding.others.push_back({finding.loc, values});
  // Who called the function in which it happened.
  for (Location loc = step.op->getLoc();;) {
    if (auto name = dyn_cast<NameLoc>(loc))
      loc = name.getChildLoc();
    else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
      finding.others.push_back(
          {call.getCallee(), "in the function called here"});
      loc = call.getCaller();
    } else
      break;
  }
  {
    std::lock_guard lock(world.mutex);
    world.findings.emplace_back(actor.program, std::move(finding));
  }
  world.stop = true;
  throw Stopped();
}

int64_t Agent::getScalar(const Step &step, unsigned i, StringRef what) {
  Tile &tile = in(step, i);
  if (tile.isUndefined(0))
    fail(step, Code::UndefinedRead,
         what.str() + " is undefined: " + causeText(tile.mark(0)),
         causeFix(tile.mark(0)));
  return tile.getInteger(0);
}

void titan::tt::joinMarks(Agent &agent, const Step &step) {
  for (uint32_t out : step.out)
    for (uint32_t in : step.in) {
      const Tile &from = agent[in];
      Tile &to = agent[out];
      if (!from.undefined || from.count != to.count)
        continue;
      if (!to.undefined) { // Shared until it is changed.
        to.undefined = from.undefined;
        continue;
      }
      Buffer joined(to.count);
      for (int64_t i = 0; i < to.count; ++i)
        joined.data()[i] = to.undefined.data()[i] | from.undefined.data()[i];
      to.undefined = joined;
    }
}

//===----------------------------------------------------------------------===//
// Calls, loops, branches, the grid
//===----------------------------------------------------------------------===//

static std::vector<Tile> operandsFrom(Agent &agent, const Step &step,
                                      unsigned first, unsigned count = -1) {
  std::vector<Tile> values;
  for (unsigned i = first; i < step.in.size() && i - first < count; ++i)
    values.push_back(agent[step.in[i]]);
  return values;
}

static void yield(Agent &agent, const Step &step) {
  agent.yielded = operandsFrom(agent, step, 0);
}

static void takeResults(Agent &agent, const Step &step) {
  for (auto [slot, tile] : llvm::zip(step.out, agent.yielded))
    agent[slot] = std::move(tile);
  agent.yielded.clear();
}

static void runFor(Agent &agent, const Step &step) {
  Kind kind = agent.in(step, 0).kind;
  const unsigned width = 8 * bytesOf(kind);
  const bool isUnsigned = cast<scf::ForOp>(step.op).getUnsignedCmp();
  const int64_t bounds[] = {
      agent.getScalar(step, 0, "the lower bound of the loop"),
      agent.getScalar(step, 1, "the upper bound of the loop"),
      agent.getScalar(step, 2, "the step of the loop")};
  // Wider than the counter, so that nothing wraps here.
  auto number = [&](int64_t value) {
    return isUnsigned && value < 0 ? value + (__int128(1) << width)
                                   : __int128(value);
  };
  const __int128 low = number(bounds[0]), high = number(bounds[1]),
                 by = bounds[2];
  if (std::string why = titan::stepProblem(bounds[2]); !why.empty())
    agent.fail(step, Code::InvalidOp, why);
  if (std::string why = titan::counterOverflow(bounds[0], bounds[1], bounds[2],
                                               width, isUnsigned);
      !why.empty())
    agent.fail(step, Code::LoopOverflow, why,
               "count in a wider type, or end the loop earlier");
  std::vector<Tile> values = operandsFrom(agent, step, 3);
  for (__int128 i = low; i < high; i += by) {
    std::vector<Tile> arguments;
    Tile &index = arguments.emplace_back(kind, 1);
    index.setInteger(0, static_cast<int64_t>(i));
    for (Tile &value : values)
      arguments.push_back(std::move(value));
    values.clear();
    agent.run(*step.bodies[0], arguments);
    values = std::move(agent.yielded);
  }
  agent.yielded = std::move(values);
  takeResults(agent, step);
}

static void runIf(Agent &agent, const Step &step) {
  bool taken = agent.getScalar(step, 0, "the condition");
  if (Body *body = step.bodies[taken ? 0 : 1])
    agent.run(*body, {});
  takeResults(agent, step);
}

static void runSwitch(Agent &agent, const Step &step) {
  const int64_t value = agent.getScalar(step, 0, "the case");
  auto cases = cast<scf::IndexSwitchOp>(step.op).getCases();
  // The first region is for all other numbers.
  const auto *found = llvm::find(cases, value);
  agent.run(*step.bodies[found == cases.end() ? 0 : found - cases.begin() + 1],
            {});
  takeResults(agent, step);
}

/// Rounds of a loop after which a program gives way: it may wait for what another
/// writes, by loads that are no atomics.
static constexpr unsigned roundsOfTurn = 256;

/// Rounds without a change after which a loop that only reads memory counts as
/// endless: what another program may write there, nothing orders.
static constexpr unsigned roundsOfSame = 1 << 16;

static bool onlyReads(Operation *op) {
  auto effects = getEffectsRecursively(op);
  return effects && llvm::all_of(*effects, [](const auto &each) {
           return isa<MemoryEffects::Read>(each.getEffect());
         });
}

static void runWhile(Agent &agent, const Step &step) {
  std::vector<Tile> values = operandsFrom(agent, step, 0);
  unsigned same = 0; // Looks in a row that saw a round change nothing.
  for (unsigned round = 1;; ++round) {
    // Of values alone, a round that changes none is the last one's again.
    const bool looks = round % roundsOfTurn == 0 && onlyReads(step.op);
    std::vector<Tile> before = looks ? values : std::vector<Tile>();
    if (round % roundsOfTurn == 0 && agent.world.giveWay) {
      agent.waitsSize = 0;
      agent.world.giveWay(agent.world, agent);
    }
    agent.run(*step.bodies[0], values);
    values = std::move(agent.yielded);
    if (!agent.nextBlock)
      break;
    agent.run(*step.bodies[1], values);
    values = std::move(agent.yielded);
    if (!looks)
      continue;
    same = isSame(before, values) ? same + 1 : 0;
    if (same && isMemoryEffectFree(step.op))
      agent.fail(step, Code::StepLimit, unchanging, unchangingFix);
    if (same * roundsOfTurn == roundsOfSame && !agent.world.giveWay)
      agent.fail(step, Code::StepLimit,
                 "a round of this loop changes nothing, and what it loads has "
                 "stayed the same for " +
                     std::to_string(roundsOfSame) + " rounds",
                 "let its condition depend on what a round changes; what "
                 "another program writes is waited for by atomics");
  }
  agent.yielded = std::move(values);
  takeResults(agent, step);
}

/// scf.condition says in nextBlock whether the loop goes on.
static void runCondition(Agent &agent, const Step &step) {
  agent.nextBlock = agent.getScalar(step, 0, "the condition of the loop") != 0;
  agent.yielded = operandsFrom(agent, step, 1);
}

static void runBranch(Agent &agent, const Step &step) {
  agent.nextBlock = 0;
  agent.yielded = operandsFrom(agent, step, 0);
}

static void runCondBranch(Agent &agent, const Step &step) {
  auto op = cast<cf::CondBranchOp>(step.op);
  bool taken = agent.getScalar(step, 0, "the condition") != 0;
  unsigned count = op.getTrueDestOperands().size();
  agent.nextBlock = taken ? 0 : 1;
  agent.yielded = taken ? operandsFrom(agent, step, 1, count)
                        : operandsFrom(agent, step, 1 + count);
}

static void runCall(Agent &agent, const Step &step) {
  if (++agent.depth > 64)
    agent.fail(step, Code::StepLimit, "calls are nested more than 64 deep");
  std::vector<Tile> arguments = operandsFrom(agent, step, 0);
  // The callee's values are the caller's where it calls itself.
  agent.run(*step.bodies[0], arguments);
  --agent.depth;
  takeResults(agent, step);
}

static void runProgramId(Agent &agent, const Step &step) {
  auto axis = cast<GetProgramIdOp>(step.op).getAxis();
  agent.make(step).setInteger(0, agent.id[static_cast<int>(axis)]);
}

static void runNumPrograms(Agent &agent, const Step &step) {
  auto axis = cast<GetNumProgramsOp>(step.op).getAxis();
  agent.make(step).setInteger(0,
                              agent.world.options.grid[static_cast<int>(axis)]);
}

static void runBarrier(Agent &agent, const Step &) {
  agent.actor.barrier = ++agent.actor.epoch;
  ++agent.actor.clock;
}

static void runAssume(Agent &agent, const Step &step) {
  if (!agent.getScalar(step, 0, "what is assumed"))
    agent.fail(step, Code::AssertFailed, "what tl.assume says is false",
               "assume only what holds for every launch");
}

/// Calls `bad(before, at)` for elements beside each other along dimension `dim`,
/// before an element -1, and fails at the first one for which it says so.
template <typename Bad>
static void checkAlong(Agent &agent, const Step &step, size_t dim,
                       const Twine &hint, Bad bad) {
  const Tile &tile = agent.in(step);
  Type type = step.op->getResult(0).getType();
  ArrayRef<int64_t> shape = shapeOf(type);
  int64_t inner =
      shape.empty() ? 1 : llvm::product_of(shape.drop_front(dim + 1));
  for (int64_t i = 0; i < tile.count; ++i) {
    int64_t at = shape.empty() ? 0 : i / inner % shape[dim];
    int64_t before = at ? i - inner : -1;
    if (tile.isUndefined(i) || (before >= 0 && tile.isUndefined(before)) ||
        !bad(before, i, at))
      continue;
    std::string message = hint.str() + " says is false: ";
    for (int64_t each : {before, i})
      if (each >= 0)
        message +=
            (shape.empty() ? "it is "
                           : "element " + indexText(type, each) + " is ") +
            std::to_string(tile.getInteger(each)) + (each == i ? "" : ", ");
    agent.fail(step, Code::AssertFailed, message,
               "say of a value only what holds for every launch");
  }
}

/// Elements are numbers, or addresses: those of pointers walk by their size, and
/// divisibility is in bytes.
static void checkHints(Agent &agent, const Step &step) {
  const Tile &tile = agent.in(step);
  Type type = step.op->getResult(0).getType();
  int64_t walk = 1;
  if (auto pointer = dyn_cast<PointerType>(getElementTypeOrSelf(type))) {
    std::optional<Kind> kind = kindOf(pointer.getPointee());
    if (!kind) // Of a block.
      return;
    walk = bytesOf(*kind);
  } else if (!getElementTypeOrSelf(type).isInteger()) {
    return;
  }
  auto value = [&](int64_t i) { return tile.getInteger(i); };
  const size_t rank = std::max<size_t>(shapeOf(type).size(), 1);
  auto hint = [&](StringRef name, size_t dim) -> int64_t {
    Attribute given = step.op->getAttr(name);
    if (auto number = dyn_cast_or_null<IntegerAttr>(given))
      return number.getInt();
    auto dense = dyn_cast_or_null<DenseIntElementsAttr>(given);
    return dense ? dense.getValues<APInt>()[dim].getSExtValue() : 1;
  };
  for (size_t dim = 0; dim < rank; ++dim) {
    const bool shaped = !shapeOf(type).empty();
    if (int64_t by = hint(hintNames[1], dim); shaped && by > 1)
      checkAlong(agent, step, dim, "what tl.max_contiguous(" + Twine(by) + ")",
                 [&](int64_t before, int64_t i, int64_t at) {
                   return at % by && value(i) != value(before) + walk;
                 });
    if (int64_t by = hint(hintNames[0], dim); by > 1)
      // Of each run that the compiler knows of the first one.
      checkAlong(agent, step, dim, "what tl.multiple_of(" + Twine(by) + ")",
                 [&](int64_t, int64_t i, int64_t at) {
                   return at % step.runs[dim] == 0 && value(i) % by != 0;
                 });
    if (int64_t by = hint(hintNames[2], dim); shaped && by > 1)
      checkAlong(agent, step, dim, "what tl.max_constancy(" + Twine(by) + ")",
                 [&](int64_t before, int64_t i, int64_t at) {
                   return at % by && value(i) != value(before);
                 });
  }
}

static void runAssert(Agent &agent, const Step &step) {
  Tile &condition = agent.in(step);
  auto op = cast<AssertOp>(step.op);
  for (int64_t i = 0; i < condition.count; ++i) {
    if (condition.isUndefined(i) || condition.getInteger(i))
      continue;
    agent.fail(
        step, Code::AssertFailed,
        op.getMessage().str() +
            (condition.count > 1
                 ? "," + elementText("at", op.getCondition().getType(), i)
                 : ""),
        /*fix=*/{}, i);
  }
}

static void runPrint(Agent &agent, const Step &step) {
  auto op = cast<PrintOp>(step.op);
  std::string text =
      agent.describe(agent.actor.program) + ":" + op.getPrefix().str();
  llvm::raw_string_ostream os(text);
  constexpr int64_t most = 64; // Elements of one tensor.
  for (auto [i, value] : llvm::enumerate(op.getArgs())) {
    Tile &tile = agent.in(step, i);
    for (int64_t e = 0; e < std::min(tile.count, most); ++e) {
      os << ' ';
      if (tile.isUndefined(e))
        os << "undefined";
      else if (isFloat(tile.kind))
        os << llvm::format("%g", tile.getFloat(e));
      else if (op.getHex())
        os << llvm::format_hex(tile.getInteger(e), 2 + 2 * bytesOf(tile.kind));
      else
        os << tile.getInteger(e);
    }
    if (tile.count > most)
      os << " ...";
  }
  std::lock_guard lock(agent.world.mutex);
  agent.world.printed.emplace_back(
      (uint64_t{agent.actor.program} << 32) | agent.order++, os.str());
}

static void runConstant(Agent &agent, const Step &step) {
  Tile &tile = agent.make(step);
  Attribute value = cast<arith::ConstantOp>(step.op).getValue();
  const size_t size = bytesOf(tile.kind);
  auto setReal = [&](int64_t i, const APFloat &real) {
    uint64_t bits = real.bitcastToAPInt().getZExtValue();
    std::memcpy(tile.bytes.data() + i * size, &bits, size);
  };
  auto setInteger = [&](int64_t i, const APInt &bits) {
    tile.setInteger(i, bits.getBitWidth() == 1 ? bits.getZExtValue()
                                               : bits.getSExtValue());
  };
  // By numbers, not by attributes: those would be made, and uniqued.
  if (auto dense = dyn_cast<DenseElementsAttr>(value);
      dense && !dense.isSplat()) {
    int64_t i = 0;
    if (isFloat(tile.kind))
      for (const APFloat &real : dense.getValues<APFloat>())
        setReal(i++, real);
    else
      for (const APInt &bits : dense.getValues<APInt>())
        setInteger(i++, bits);
    return;
  } else if (dense) {
    if (isFloat(tile.kind))
      setReal(0, dense.getSplatValue<APFloat>());
    else
      setInteger(0, dense.getSplatValue<APInt>());
  } else if (auto real = dyn_cast<FloatAttr>(value)) {
    setReal(0, real.getValue());
  } else {
    setInteger(0, cast<IntegerAttr>(value).getValue());
  }
  for (int64_t i = 1; i < tile.count; ++i)
    std::memcpy(tile.bytes.data() + i * size, tile.bytes.data(), size);
}

static void runPoison(Agent &agent, const Step &step) {
  Tile &tile = agent.make(step);
  std::memset(tile.bytes.data(), 0, tile.count * bytesOf(tile.kind));
  std::memset(tile.makeMarks(), Poison, tile.count);
}

void titan::tt::addControl(Table &table) {
  for (StringRef name : {"scf.yield", "tt.return", "tt.reduce.return",
                         "tt.scan.return", "tt.map_elementwise.return"})
    table[name] = yield;
  table["scf.for"] = runFor;
  table["scf.if"] = runIf;
  table["scf.index_switch"] = runSwitch;
  table["scf.while"] = runWhile;
  table["scf.condition"] = runCondition;
  table["cf.br"] = runBranch;
  table["cf.cond_br"] = runCondBranch;
  table["tt.func"] = yield;
  table["tt.call"] = runCall;
  table["tt.get_program_id"] = runProgramId;
  table["tt.get_num_programs"] = runNumPrograms;
  table["gpu.barrier"] = runBarrier;
  table["llvm.intr.assume"] = runAssume;
  table["tt.assert"] = runAssert;
  table["tt.print"] = runPrint;
  table["arith.constant"] = runConstant;
  table["ub.poison"] = runPoison;
}
