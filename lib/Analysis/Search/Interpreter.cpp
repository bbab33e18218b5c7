//===- Interpreter.cpp - agents, operations, scalars ----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Interpreter.h"

#include "../Resources.h"
#include "Bounds.h"
#include "Recurrences.h"

#include "titan/Analysis/Assertion.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

Instantiator::Impl::Impl(KernelOp kernel, Effort &effort, Instantiator &self)
    : kernel(kernel), self(self), effort(effort),
      ranges(
          symbols, [this](uint32_t number) { return parameters[number].range; },
          [this](uint32_t number) -> std::optional<Number> {
            if (parameters[number].kind != Parameter::CtaId)
              return std::nullopt;
            return grid[parameters[number].dimension];
          }) {
  body = compiler.compile(kernel.getBody().front());
  tensors.emplace_back(); // id 0: none
  kernel.getBody().walk([&](HardwareEffectsInterface op) {
    effect::EffectList effects;
    op.getHardwareEffects(effects);
    for (const effect::Effect &effect : effects)
      if (auto *access = std::get_if<effect::Access>(&effect.what);
          access && access->kind != AccessKind::Read)
        // (A map that is written is not the tensor that it leads into.)
        if (auto argument =
                globalArgument(access->bytes.kind == effect::Footprint::Object
                                   ? getRoot(access->bytes.object)
                                   : access->bytes.object))
          writtenTensors.insert(kernel.getKernelArguments()[*argument]);
  });
  findPromised();
  Region &launch = kernel.getLaunch();
  mapped.resize(launch.getNumArguments());
  for (auto map : launch.getOps<TensorMapOp>())
    if (auto argument = dyn_cast<BlockArgument>(map.getTensor()))
      mapped[argument.getArgNumber()] = true;
  readLaunch();
  findPitches();
}

Instantiator::Instantiator(KernelOp kernel, Effort &effort)
    : impl(std::make_unique<Impl>(kernel, effort, *this)) {}
Instantiator::~Instantiator() = default;

void Instantiator::Impl::problem(Code code, Operation *op, const Twine &message,
                                 const Twine &fix) {
  if (told.insert({code, op}).second)
    self.problems.push_back({code, op, message.str(), fix.str()});
}

std::string Instantiator::Impl::launchSuffix() const {
  std::string launch = describeLaunch();
  return launch.empty() ? "" : " (" + launch + ")";
}

void Instantiator::Impl::gap(Operation *op, const Twine &what, bool settled,
                             const Twine &fix) {
  std::string text = what.str();
  if (gapsTold.insert(text).second)
    self.gaps.push_back({Code::Undecided, op,
                         "the checker does not follow " + text +
                             "; the rest of the kernel is checked",
                         fix.str(), settled});
}

//===----------------------------------------------------------------------===//
// All agents
//===----------------------------------------------------------------------===//

std::unique_ptr<Program> checker::emptyProgram(KernelOp kernel, int clusters) {
  auto program = std::make_unique<Program>();
  program->clusters = clusters;
  program->clusterSize = kernel.getClusterSize();
  program->warps = kernel.getWarps();
  const TargetInfo &target = targetInfo(targetOf(kernel));
  program->lanes = target.warpWidth;
  if (target.has(Feature::Warpgroups))
    program->warpgroup = target.warpsPerWarpgroup;
  for (int cta = 0; cta < program->ctas(); ++cta)
    for (int warp = 0; warp < program->warps; ++warp) {
      AgentInfo info;
      info.cta = cta;
      info.cluster = cta / program->clusterSize;
      info.rank = cta % program->clusterSize;
      info.warp = warp;
      program->agents.push_back(info);
    }
  program->programs.resize(program->agents.size());
  for (Operation &op : kernel.getBody().front())
    if (isa<AllocOpInterface>(op) &&
        !isa<MBarrierType>(op.getResult(0).getType()))
      program->roots.push_back(op.getResult(0));
  program->sharedRoots = program->roots.size();
  for (Value argument : kernel.getKernelArguments())
    program->roots.push_back(argument);
  program->written.resize(program->roots.size());
  program->settled.resize(program->roots.size());
  if (auto settled = kernel->getAttrOfType<ArrayAttr>("titan.programmatic")) {
    program->programmatic = true;
    for (auto [i, name] : llvm::enumerate(kernel.getArgNames()))
      program->settled[program->sharedRoots + i] =
          llvm::is_contained(settled, name);
  }
  for (auto alloc : kernel.getBody().front().getOps<AllocOpInterface>())
    if (auto ring = dyn_cast<MBarrierType>(alloc->getResult(0).getType()))
      for (int64_t slot = 0; slot < ring.getSlots(); ++slot)
        program->barriers.push_back({alloc->getResult(0), slot});
  return program;
}

std::unique_ptr<Program> Instantiator::instantiate(ArrayRef<int64_t> wanted,
                                                   int beside, int clusters,
                                                   bool whole) {
  impl->beside = beside;
  impl->whole = whole;
  auto set = [&] {
    impl->program = emptyProgram(impl->kernel, clusters);
    // All CTAs there are, if they are as few as these.
    int64_t ctas = 1;
    for (Number extent : impl->grid)
      ctas *=
          extent.symbol ? std::numeric_limits<int32_t>::max() : extent.value;
    impl->program->all = whole || ctas <= impl->program->ctas();
    return impl->solve(wanted);
  };
  return impl->runPromised(set, [&] { return impl->runApart(); });
}

std::unique_ptr<Program> Instantiator::instantiate(const SmallLaunch &launch) {
  impl->launch = &launch;
  impl->masks.clear();
  impl->seenTiles.clear();
  tooLong = false;
  llvm::scope_exit leave([&] { impl->launch = nullptr; });
  impl->whole = false;
  auto set = [&] {
    impl->program = emptyProgram(impl->kernel, launch.clusters);
    impl->program->all = true;
    for (size_t i = 0; i < Impl::patterns; ++i) {
      impl->pattern = (impl->firstPattern + i) % Impl::patterns;
      impl->resetParameters(false);
      if (impl->keepPromises())
        return true;
    }
    return false;
  };
  return impl->runPromised(set, [&] { return impl->runApart(); });
}

std::vector<std::unique_ptr<Program>>
Instantiator::instantiateAtBounds(const SmallLaunch &launch) {
  std::vector<std::unique_ptr<Program>> result;
  llvm::scope_exit leave([&] { impl->apart.reset(); });
  for (size_t i = 0;
       i < impl->parameters.size() && i < launch.parameters.size(); ++i)
    if (impl->parameters[i].boundsData) {
      impl->apart = launch.parameters[i];
      if (auto program = instantiate(launch))
        result.push_back(std::move(program));
    }
  return result;
}

bool Instantiator::turned() const { return impl->firstPattern != 0; }

std::unique_ptr<Program> Instantiator::longRun(size_t loop, int64_t count) {
  impl->beside = 0;
  impl->whole = false;
  auto set = [&] {
    impl->program = emptyProgram(impl->kernel, 1);
    std::vector<int64_t> wanted;
    for (const Choice &choice : impl->choices)
      wanted.push_back(choice.loop() ? 1 : any);
    wanted[loop] = count;
    if (impl->solve(wanted))
      return true;
    wanted.assign(wanted.size(), any);
    wanted[loop] = count;
    return impl->solve(wanted);
  };
  auto sides = impl->sides;
  auto result = impl->runPromised(
      set,
      [&]() -> std::unique_ptr<Program> {
        return impl->runAgents() ? std::move(impl->program) : nullptr;
      },
      /*steady=*/true);
  impl->sides = std::move(sides);
  return result;
}

bool Instantiator::Impl::runAgents() {
  reached.assign(choices.size(), {});
  editors.clear();
  events = 0;
  for (uint32_t which = 0; which < program->agents.size(); ++which)
    if (!run(which))
      return false;
  return true;
}

std::unique_ptr<Program> Instantiator::Impl::runAll() {
  program->resident = allResident();
  if (!runAgents())
    return nullptr;
  for (auto [all, some] : llvm::zip(covered, reached))
    all.insert(some.begin(), some.end());
  return std::move(program);
}

const std::vector<Choice> &Instantiator::survey() {
  impl->whole = false;
  // Each run finds at least one more choice, or nothing is left to be found.
  for (int round = 0; round < bound::surveyWalks && problems.empty(); ++round) {
    impl->program = emptyProgram(impl->kernel, 1);
    size_t known = impl->choices.size();
    std::vector<int64_t> wanted;
    for (const Choice &choice : impl->choices)
      wanted.push_back(choice.kind == Choice::Value ? any : 1);
    if (!impl->solve(wanted, true) && !impl->solve({}, true))
      break;
    impl->broken = false;
    impl->editors.clear();
    for (uint32_t agent = 0; agent < impl->program->agents.size(); ++agent)
      if (!impl->run(agent))
        break;
    if (impl->choices.size() == known && !impl->broken)
      break;
  }
  return impl->choices;
}

std::vector<int64_t> Instantiator::ringDepths() const {
  std::vector<int64_t> depths;
  impl->kernel.getBody().walk([&](Operation *op) {
    // Memory, or a part of it, that becomes a ring.
    for (Type made : op->getResultTypes())
      TypeSwitch<Type>(made).Case<MBarrierType, SharedType>(
          [&](auto ring) { depths.push_back(ring.getSlots()); });
  });
  return depths;
}

bool Instantiator::Impl::run(uint32_t which) {
  agent = which;
  values.assign(compiler.values(), Val());
  regionWarp = info().warp;
  regionWarps = program->warps;
  steps = 0;
  commits = {};
  flights = 0;
  maps.clear();
  // The kernel's arguments and what the launch passes.
  for (BlockArgument argument : kernel.getBody().front().getArguments()) {
    Val &val = value(argument);
    if (!bitsOf(argument.getType()))
      continue;
    auto number = launchNumbers.find(kernel.getLaunchValue(argument));
    if (number != launchNumbers.end())
      val = here(number->second);
  }
  return execute(body, AllLanes, 0, nullptr);
}

//===----------------------------------------------------------------------===//
// Blocks and operations
//===----------------------------------------------------------------------===//

bool Instantiator::Impl::spent() {
  effort.spend(Work::Evaluation, symbols.evaluations() - evaluated);
  evaluated = symbols.evaluations();
  return effort.usedUp();
}

bool Instantiator::Impl::countStep(Operation *op) {
  effort.spend(Work::Operation);
  if (spent())
    return false;
  if (++steps <= bound::mostSteps)
    return true;
  giveUp(op);
  return false;
}

/// What is executed here is too long to be looked at. Shorter runs are; whether these
/// stand for all is a question of counts.
void Instantiator::Impl::giveUp(Operation *op) {
  if (launch) {
    self.tooLong = true;
  } else if (!self.gaveUp) {
    self.gaveUp = true;
    self.gaps.push_back(
        {Code::Undecided, op,
         "one warp executes more than " + std::to_string(bound::mostSteps) +
             " operations: the loops are too long to be unrolled",
         /*fix=*/{}, /*ofCounts=*/true});
  }
}

bool Instantiator::Impl::execute(const CompiledBlock &block, Lanes lanes,
                                 uint32_t iteration,
                                 SmallVectorImpl<Val> *yields) {
  for (const CompiledOp &op : block.ops) {
    if (op.kind == CompiledOp::Terminator) {
      if (yields)
        for (uint32_t operand : op.in)
          yields->push_back(values[operand]);
      return true;
    }
    if (!countStep(op.op))
      return false;
    if (!execute(op, lanes, iteration))
      return false;
    if (op.out.size() == 1 && op.regions.empty() &&
        isa<RankedTensorType>(op.op->getResult(0).getType()))
      // Part of a tile is there when the tile is.
      values[op.out[0]].defined =
          op.keepsRegisters ? values[op.in[0]].defined : steps;
  }
  return true;
}

bool Instantiator::Impl::executeView(const CompiledOp &op) {
  const effect::View &view = *op.view;
  Val val;
  if (!view.source) {
    // Of no known pipe.
  } else if (!isa<GlobalType>(view.source.getType())) {
    val = value(view.source);
  } else if (auto root = globalRoot(view.source)) {
    val.kind = Val::View;
    val.id = *root;
  }
  if (view.rank) {
    const Val &rank = value(view.rank);
    if (rank.kind != Val::Int) {
      values[op.out[0]] = Val();
      return true;
    }
    if (!decides(op, rank, 0, program->clusterSize - 1, "which CTA is meant"))
      return false;
    if (rank.number.value < 0 || rank.number.value >= program->clusterSize) {
      problem(
          Code::OutOfBounds, op.op,
          "rank " + Twine(rank.number.value) + " of a cluster of " +
              Twine(program->clusterSize) + " CTAs",
          program->clusterSize == 1
              ? Twine(
                    "write cluster(2, 1, 1) on the kernel, or as many CTAs as "
                    "it is for")
              : "ranks count from 0 to " + Twine(program->clusterSize - 1) +
                    ", as titan.cluster_rank does" +
                    (program->clusterSize == 2 ? ": the other one is that xor 1"
                                               : ""));
      return false;
    }
    val.cta = rank.number.value;
  }
  if (val.kind == Val::View)
    val.second += view.offset;
  if (view.index) {
    const Val &index = value(view.index);
    if (val.kind != Val::View || index.kind != Val::Int) {
      val = Val();
      val.revealed = index.revealed;
    } else if (!checkIndex(op, view, index)) {
      return false;
    } else {
      val.second += index.number.value * view.stride;
    }
  }
  values[op.out[0]] = val;
  return true;
}

void Instantiator::Impl::wishForNoResult(const CompiledOp &op, Number of,
                                         Number by) {
  using P = arith::CmpIPredicate;
  const bool division = divides(op.code);
  Number limit{division ? 0 : int64_t(op.bits), 0};
  const int64_t least = llvm::minIntN(op.bits);
  if (division && !by.symbol &&
      !evaluate(op.code, 0, op.bits, op.bits, least, by.value, 0)) {
    limit.value = least;
    by = of;
  }
  if (!by.symbol || ofCta(by) || ofPromised(by))
    return;
  registerChoice(
      {.op = op.op,
       .kind = Choice::Branch,
       .upper = {0,
                 symbols.apply(Arith::Cmp, unsigned(division ? P::eq : P::uge),
                               op.bits, 1, by, limit, {})},
       .error = true});
}

bool Instantiator::Impl::checkIndex(const CompiledOp &op,
                                    const effect::View &view,
                                    const Val &index) {
  auto from = dyn_cast<TensorMemoryType>(view.source.getType());
  int64_t at = index.number.value;
  if (view.slots) {
    if (!decides(op, index, 0, view.slots - 1,
                 from ? "which slot of tensor memory is meant"
                      : "which slot of shared memory is meant"))
      return false;
    if (at >= 0 && at < view.slots)
      return true;
    problem(Code::OutOfBounds, op.op,
            "slot " + Twine(at) + " of a ring of " + Twine(view.slots),
            "slots count from 0 to " + Twine(view.slots - 1) +
                ": take the index modulo " + Twine(view.slots));
    return false;
  }
  if (auto run = dyn_cast<SharedType>(view.source.getType());
      run && view.alignment) {
    int64_t room =
        run.getTileBytes() -
        cast<SharedType>(op.op->getResult(0).getType()).getTileBytes();
    if (!decides(op, index, 0, room / view.stride,
                 "where in its buffer a run begins"))
      return false;
    int64_t byte = at * view.stride;
    if (byte < 0 || byte > room)
      problem(Code::OutOfBounds, op.op,
              "a run from element " + Twine(at) + " on, of a buffer of " +
                  Twine(run.getTileBytes() / view.stride) +
                  ", in which the last one begins at " +
                  Twine(room / view.stride),
              "let the run begin at 0 to " + Twine(room / view.stride));
    else if (byte % view.alignment)
      problem(Code::BulkAlignment, op.op,
              "the run begins at byte " + Twine(byte) + ", no multiple of " +
                  Twine(view.alignment));
    else
      return true;
    return false;
  }
  if (!from)
    return true;
  // Columns of 32 bits of a tile.
  int64_t columns =
      cast<TensorMemoryType>(op.op->getResult(0).getType()).getColumns();
  if (!decides(op, index, 0, (from.getColumns() - columns) * 4 / view.stride,
               "which columns of tensor memory are meant"))
    return false;
  int64_t bytes = at * view.stride;
  if (bytes >= 0 && bytes % 4 == 0 && bytes / 4 + columns <= from.getColumns())
    return true;
  problem(Code::OutOfBounds, op.op,
          Twine(columns) + " columns from element column " + Twine(at) +
              " on, of " + Twine(from.getColumns()));
  return false;
}

bool Instantiator::Impl::execute(const CompiledOp &op, Lanes lanes,
                                 uint32_t iteration) {
  using Kind = CompiledOp::Kind;
  auto set = [&](Val val) { values[op.out[0]] = val; };
  auto in = [&](unsigned i) -> const Val & { return values[op.in[i]]; };
  switch (op.kind) {
  case Kind::Constant:
    set(Val::integer({op.number, 0}));
    return true;
  case Kind::Arithmetic: {
    // select of anything by a known condition
    const Val &a = in(0);
    const Val &b = in(op.in.size() > 1 ? 1 : 0);
    const Val &c = in(op.in.size() > 2 ? 2 : 0);
    Val result;
    if (op.code == Arith::Select && a.kind == Val::Int &&
        (a.number.symbol == 0 || !op.bits)) {
      // Of two slots or barriers one is taken: a branch.
      decidesSide(op, a);
      result = a.number.value ? b : c;
      result.iter |= a.iter;
      set(result);
      return true;
    }
    if (launch && a.kind == Val::Int && b.kind == Val::Int)
      notePiece(op, a, b);
    if (op.code == Arith::Mul && !pitches.empty())
      noteStride(op);
    if (b.kind == Val::Int && (divides(op.code) || shifts(op.code)))
      wishForNoResult(op, a.number, b.number);
    if (a.kind == Val::Int && b.kind == Val::Int && c.kind == Val::Int) {
      if (auto number =
              evaluate(op.code, op.predicate, op.operandBits, op.bits,
                       a.number.value, b.number.value, c.number.value)) {
        result = Val::integer(
            {*number, symbols.apply(op.code, op.predicate, op.operandBits,
                                    op.bits, a.number, b.number, c.number)},
            a.iter || b.iter || c.iter);
        set(result);
        return true;
      }
      if (divides(op.code) || shifts(op.code)) {
        // (A launch that nobody means, perhaps: what admits it is to say so.)
        problem(a.number.symbol || b.number.symbol ? Code::Undecided
                                                   : Code::InvalidOp,
                op.op,
                Twine("'") + op.op->getName().getStringRef() + "' of " +
                    Twine(a.number.value) + " and " + Twine(b.number.value) +
                    " has no result, by " +
                    program->describe(agent, iteration, lanes) + launchSuffix(),
                Twine("say in the launch region, by titan.require, that ") +
                    (divides(op.code)
                         ? Twine(b.number.value
                                     ? "the least number is not divided by -1"
                                     : "the divisor is not 0")
                         : "the shift is 0 to " + Twine(op.bits - 1)));
        return false;
      }
    }
    result.revealed = a.revealed || b.revealed || c.revealed;
    set(result);
    return true;
  }
  case Kind::TensorArithmetic:
    if (launch && op.code == Arith::Cmp)
      noteMask(op);
    if (op.code == Arith::Mul && !pitches.empty())
      noteStride(op);
    [[fallthrough]];
  case Kind::TensorConstant:
  case Kind::Places:
    computeTensor(op);
    return true;
  case Kind::CtaId:
  case Kind::NumCtas: {
    set(here(op.kind == Kind::CtaId
                 ? ctaIdNumber(cast<CtaIdOp>(op.op).getDimension())
                 : grid[cast<NumCtasOp>(op.op).getDimension()]));
    return true;
  }
  case Kind::ClusterRank:
    set(Val::integer({info().rank, 0}));
    return true;
  case Kind::WarpId:
    set(Val::integer({regionWarp, 0}));
    return true;
  case Kind::Dim: {
    auto dim = cast<DimOp>(op.op);
    set(here(sizeNumber(cast<BlockArgument>(dim.getTensor()).getArgNumber(),
                        dim.getDimension())));
    return true;
  }
  case Kind::Alloc: {
    Val val;
    val.kind = Val::View;
    for (auto [i, root] : llvm::enumerate(program->roots))
      if (root == op.op->getResult(0))
        val.id = i;
    set(val);
    return true;
  }
  case Kind::BarrierAlloc: {
    Val val;
    val.kind = Val::Barrier;
    for (uint32_t i = program->barriers.size(); i-- > 0;)
      if (program->barriers[i].first == op.op->getResult(0))
        val.id = i;
    set(val);
    return true;
  }
  case Kind::View:
    return executeView(op);
  case Kind::Assert:
    if (const Val &holds = in(0);
        holds.kind == Val::Int && holds.number.value == 0) {
      auto assertion = cast<AssertOp>(op.op);
      FalseCondition why = describeFalse(
          assertion.getCondition(), [&](Value v) -> std::optional<int64_t> {
            const Val &val = value(v);
            if (val.kind != Val::Int)
              return std::nullopt;
            return val.number.value;
          });
      problem(Code::AssertFailed, op.op,
              "in one of the launches looked at this does not hold: " +
                  assertion.getMessage() + ": " + why.is + ", by " +
                  program->describe(agent, iteration, lanes) + launchSuffix(),
              why.fix());
      return false;
    }
    return true;
  case Kind::Assume:
    return believe(op);
  case Kind::None: {
    Val val;
    val.kind = isa<InFlightType>(op.op->getResult(0).getType()) ? Val::Flight
                                                                : Val::Token;
    set(val);
    return true;
  }
  case Kind::For:
    return executeFor(op, lanes, iteration);
  case Kind::While:
    return executeWhile(op, lanes, iteration);
  case Kind::If:
    return executeIf(op, lanes, iteration);
  case Kind::Elect:
    return executeElect(op, lanes, iteration);
  case Kind::WarpSpecialize:
    return executeSpecialize(op, lanes);
  case Kind::Hardware:
    return hardware(op, lanes, iteration);
  case Kind::Unsupported:
    if (op.hasEffects) {
      problem(Code::Undecided, op.op,
              "the checker does not follow '" +
                  op.op->getName().getStringRef() + "'");
      return false;
    }
    [[fallthrough]];
  case Kind::Opaque:
  case Kind::Terminator:
    for (uint32_t result : op.out)
      values[result] = Val();
    return true;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Tensors of integers
//===----------------------------------------------------------------------===//

uint32_t
Instantiator::Impl::tensor(const TensorKey &key,
                           llvm::function_ref<std::vector<int64_t>()> make) {
  auto [found, fresh] = tensorIds.try_emplace(key, 0);
  if (!fresh)
    return found->second;
  std::vector<int64_t> made = make();
  size_t hash = llvm::hash_combine_range(made);
  for (auto [it, end] = tensorsByHash.equal_range(hash); it != end; ++it)
    if (tensors[it->second] == made)
      return found->second = it->second;
  tensors.push_back(std::move(made));
  found->second = tensors.size() - 1;
  tensorsByHash.emplace(hash, found->second);
  return found->second;
}

void Instantiator::Impl::computeTensor(const CompiledOp &op) {
  using Kind = CompiledOp::Kind;
  Val &result = values[op.out[0]];
  result = Val();
  auto type = cast<RankedTensorType>(op.op->getResult(0).getType());
  unsigned bits = bitsOf(type.getElementType());
  if (!bits)
    return;
  TensorKey key{static_cast<int>(op.code),
                op.predicate,
                op.operandBits,
                bits,
                type.getAsOpaquePointer(),
                0,
                0,
                0};
  size_t size = type.getNumElements();
  auto done = [&](uint32_t id) {
    result.kind = Val::Tensor;
    result.id = id;
  };
  switch (op.kind) {
  case Kind::TensorConstant: {
    auto dense = dyn_cast<DenseIntElementsAttr>(
        cast<arith::ConstantOp>(op.op).getValue());
    if (!dense)
      return;
    key.what = -2;
    key.type = op.op;
    return done(tensor(key, [&] {
      std::vector<int64_t> data;
      for (const APInt &element : dense.getValues<APInt>())
        data.push_back(bits == 1 ? element.getZExtValue()
                                 : element.getSExtValue());
      return data;
    }));
  }
  default:
    break;
  }
  // Element-wise (a scalar operand is the condition of a select), or by places.
  SmallVector<Val, 3> in;
  for (uint32_t operand : op.in) {
    in.push_back(values[operand]);
    if (in.back().kind != Val::Tensor && in.back().kind != Val::Int)
      return;
  }
  if (in.size() > 3)
    return;
  int64_t ids[3] = {};
  for (auto [i, val] : llvm::enumerate(in))
    ids[i] = val.kind == Val::Tensor ? val.id : -1 - val.number.value;
  key.a = ids[0], key.b = ids[1], key.c = ids[2];
  if (op.kind == Kind::Places) {
    key.what = -1;
    key.type = op.op;
    return done(tensor(key, [&] {
      SmallVector<ArrayRef<int64_t>, 3> elements;
      for (const Val &val : in)
        elements.push_back(val.kind == Val::Tensor
                               ? ArrayRef<int64_t>(tensors[val.id])
                               : ArrayRef<int64_t>(val.number.value));
      return cast<TileOpInterface>(op.op).getElements(elements);
    }));
  }
  bool defined = true;
  uint32_t id = tensor(key, [&] {
    std::vector<int64_t> data(size);
    auto at = [&](unsigned operand, size_t i) -> int64_t {
      if (operand >= in.size())
        return 0;
      return in[operand].kind == Val::Tensor ? tensors[in[operand].id][i]
                                             : in[operand].number.value;
    };
    for (size_t i = 0; i < size; ++i) {
      auto element = evaluate(op.code, op.predicate, op.operandBits, bits,
                              at(0, i), at(1, i), at(2, i));
      if (!element)
        return std::vector<int64_t>();
      data[i] = *element;
    }
    return data;
  });
  defined = !tensors[id].empty();
  if (defined)
    done(id);
}
