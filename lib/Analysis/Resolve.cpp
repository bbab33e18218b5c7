//===- Resolve.cpp - effects with numbers in them -------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Interpreter.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;
using namespace titan::effect;

bool Instantiator::Impl::hardware(const CompiledOp &op, Lanes lanes,
                                  uint32_t iteration) {
  AgentProgram &into = program->programs[agent];
  Event event{op.op, static_cast<uint32_t>(into.actions.size()),
              0,     iteration,
              lanes, op.effects->cardinality};
  for (uint32_t result : op.out)
    values[result] = Val();
  for (const Effect &effect : op.effects->list)
    if (!resolve(op, effect, lanes))
      return false;
  event.count = into.actions.size() - event.first;
  into.events.push_back(event);
  loadData(op);
  return true;
}

void Instantiator::Impl::loadData(const CompiledOp &op) {
  if (op.out.size() != 1 || op.effects->list.size() != 1 ||
      !bitsOf(op.op->getResult(0).getType()))
    return;
  auto *access = std::get_if<Access>(&op.effects->list[0].what);
  if (!access || access->kind != AccessKind::Read ||
      access->bytes.kind != Footprint::Scalar)
    return;
  auto argument = globalArgument(access->bytes.object);
  if (!argument ||
      writtenTensors.contains(kernel.getKernelArguments()[*argument]))
    return;
  // Which element: rows of a pitch that no index of a small case reaches.
  int64_t element = 0;
  for (Value coord : access->bytes.coords)
    element = element * 1024 + value(coord).number.value;
  std::string name =
      cast<StringAttr>(kernel.getArgNames()[*argument]).getValue().str();
  // Bounds of groups, say: they grow.
  values[op.out[0]] = here(leafNumber(
      kernel.getKernelArguments()[*argument].getAsOpaquePointer(),
      -1 - static_cast<int>(element),
      {.kind = Leaf::Data,
       .name = name,
       .tensor = *argument,
       .range = Bounds::ofBits(bitsOf(op.op->getResult(0).getType())),
       .initial = 200 * element}));
  gap(op.op, "what %" + name +
                 " holds (its elements are taken to be 0, 200, 400, ...)");
}

std::optional<int64_t> Instantiator::Impl::evaluateExpr(const CompiledOp &op,
                                                        const Expr &expr) {
  if (expr.isConstant())
    return expr.offset;
  const Val &val = value(expr.value);
  if (val.kind != Val::Int) {
    problem(Code::Undecided, op.op,
            "a count or a number of bytes depends on " + val.dependsOn());
    return std::nullopt;
  }
  Bounds range = ranges.of(val.number);
  if (range.high - range.low > 16 || range.high < range.low) {
    if (val.number.symbol) {
      problem(Code::Undecided, op.op,
              Twine("a count or a number of bytes is computed from '") +
                  nameOf({val.number}) +
                  "', and has too many values to try them all");
      return std::nullopt;
    }
  } else if (!decides(op, val, range.low, range.high, "a count"))
    return std::nullopt;
  return expr.scale * val.number.value + expr.offset;
}

std::optional<uint32_t>
Instantiator::Impl::ctasOf(const CompiledOp &op, const CtaSet &set, int rank) {
  if (set.kind == CtaSet::Own)
    return 1u << (rank < 0 ? info().rank : rank);
  if (set.kind == CtaSet::Pair)
    return 1u << info().rank | 1u << (info().rank ^ 1);
  const Val &val = value(set.value);
  if (val.kind != Val::Int) {
    problem(Code::Undecided, op.op,
            "which CTAs are meant depends on " + val.dependsOn());
    return std::nullopt;
  }
  int64_t last = set.kind == CtaSet::Rank
                     ? program->clusterSize - 1
                     : (int64_t(1) << program->clusterSize) - 1;
  if (!decides(op, val, set.kind == CtaSet::Rank ? 0 : 1, last,
               "which CTAs are meant"))
    return std::nullopt;
  uint64_t mask = set.kind == CtaSet::Rank
                      ? uint64_t(1) << (val.number.value & 63)
                      : static_cast<uint64_t>(val.number.value) & 0xffff;
  if (!mask || mask >> program->clusterSize) {
    problem(Code::OutOfBounds, op.op,
            Twine(set.kind == CtaSet::Rank ? "rank " : "the mask ") +
                Twine(val.number.value) + " leaves the cluster of " +
                Twine(program->clusterSize) + " CTAs");
    return std::nullopt;
  }
  return static_cast<uint32_t>(mask);
}

bool Instantiator::Impl::resolveBarrier(const CompiledOp &op,
                                        const BarrierRef &ref, Action &action) {
  const Val &barrier = value(ref.barrier);
  if (barrier.kind != Val::Barrier) {
    problem(Code::Undecided, op.op, "which barrier is meant is not known");
    return false;
  }
  int64_t slot = 0;
  if (ref.index) {
    const Val &index = value(ref.index);
    if (index.kind != Val::Int) {
      problem(Code::Undecided, op.op,
              "which slot of the barriers is meant depends on " +
                  index.dependsOn());
      return false;
    }
    if (!decides(op, index, 0,
                 cast<MBarrierType>(ref.barrier.getType()).getSlots() - 1,
                 "which slot of the barriers is meant"))
      return false;
    slot = index.number.value;
  }
  int64_t slots = cast<MBarrierType>(ref.barrier.getType()).getSlots();
  if (slot < 0 || slot >= slots) {
    problem(Code::OutOfBounds, op.op,
            "slot " + Twine(slot) + " of a ring of " + Twine(slots) +
                " barriers");
    return false;
  }
  action.object = barrier.id + slot;
  auto ctas = ctasOf(op, ref.ctas, barrier.cta);
  if (!ctas)
    return false;
  action.ctas = *ctas;
  return true;
}

bool Instantiator::Impl::resolve(const CompiledOp &op, const Effect &effect,
                                 Lanes lanes) {
  std::vector<Action> &actions = program->programs[agent].actions;
  Action action{Action::Fence, &effect};
  action.ctas = 1u << info().rank;

  if (std::holds_alternative<Access>(effect.what))
    return resolveAccess(op, effect);

  if (auto *arrive = std::get_if<effect::Arrive>(&effect.what)) {
    action.kind = Action::Arrive;
    auto count = evaluateExpr(op, arrive->count);
    if (!count || !resolveBarrier(op, arrive->barrier, action))
      return false;
    action.amount = *count;
    action.extra = -1;
    if (arrive->state) {
      action.extra = program->states++;
      Val &state = value(arrive->state);
      state.kind = Val::State;
      state.id = action.extra;
    }
  } else if (auto *expect = std::get_if<effect::ExpectTx>(&effect.what)) {
    action.kind = Action::ExpectTx;
    auto bytes = evaluateExpr(op, expect->bytes);
    if (!bytes || !resolveBarrier(op, expect->barrier, action))
      return false;
    action.amount = *bytes;
  } else if (auto *complete = std::get_if<effect::CompleteTx>(&effect.what)) {
    action.kind = Action::CompleteTx;
    auto bytes = evaluateExpr(op, complete->bytes);
    if (!bytes || !resolveBarrier(op, complete->barrier, action))
      return false;
    action.amount = *bytes;
  } else if (auto *commit = std::get_if<CommitGroup>(&effect.what)) {
    action.kind = Action::Commit;
    int64_t *count = commits[static_cast<unsigned>(commit->mechanism)];
    if (lanes & Elected)
      ++count[0];
    if (lanes & Others)
      ++count[1];
    if (commit->token) {
      Val &token = value(commit->token);
      token.kind = Val::Token;
      token.number.value = lanes & Elected ? count[0] : 0;
      token.second = lanes & Others ? count[1] : 0;
    }
  } else if (auto *wait = std::get_if<effect::WaitGroup>(&effect.what)) {
    action.kind = Action::WaitGroup;
    action.object = 0;
    if (wait->mechanism == Mechanism::LgkmCount && wait->pending.value_or(0)) {
      problem(Code::Undecided, op.op,
              "how many instructions an access to LDS takes is the code "
              "generator's choice: lgkmcnt(0) alone is followed");
      return false;
    }
    if (wait->token) {
      const Val &token = value(wait->token);
      if (token.kind != Val::Token) {
        problem(Code::Undecided, op.op,
                "which group is waited for is not known");
        return false;
      }
      action.amount = token.number.value;
      action.extra = token.second;
      // Bit 0: a token of another warp's thread; bit 1: of this one.
      action.object = token.foreign ? 1 : 0;
      if (!token.foreign &&
          !((lanes & Elected && token.number.value) ||
            (lanes & Others && token.second)) &&
          (token.number.value || token.second))
        action.object = 1;
      if ((lanes & Elected && token.number.value) ||
          (lanes & Others && token.second))
        action.object = 2;
    }
  } else if (auto *wait = std::get_if<effect::WaitBarrier>(&effect.what)) {
    action.kind = Action::WaitBarrier;
    if (!resolveBarrier(op, wait->barrier, action))
      return false;
    action.amount = -1;
    if (!wait->blocking) {
      // It orders nothing that a program could rely on unseen.
      action.kind = Action::Poll;
    } else if (wait->state) {
      const Val &state = value(wait->state);
      if (state.kind != Val::State) {
        problem(Code::Undecided, op.op,
                "which state is waited for is not known");
        return false;
      }
      action.extra = state.id;
    } else {
      const Val &parity = value(wait->parity);
      if (parity.kind != Val::Int) {
        problem(Code::Undecided, op.op,
                "the parity depends on " + parity.dependsOn());
        return false;
      }
      if (!decides(op, parity, 0, 1, "the parity"))
        return false;
      if (parity.number.value != 0 && parity.number.value != 1) {
        problem(Code::PhaseParity, op.op,
                "the parity is " + Twine(parity.number.value) +
                    ", neither 0 nor 1");
        return false;
      }
      action.amount = parity.number.value;
    }
  } else if (auto *barrier = std::get_if<effect::ThreadBarrier>(&effect.what)) {
    action.kind = Action::ThreadBarrier;
    auto id = evaluateExpr(op, barrier->id);
    if (!id)
      return false;
    action.amount = *id;
    if (barrier->kind == effect::ThreadBarrier::Named &&
        (*id < 0 || *id > 15)) {
      problem(Code::NamedBarrier, op.op,
              "named barriers are 0 to 15, not " + Twine(*id));
      return false;
    }
  } else if (auto *fence = std::get_if<effect::Fence>(&effect.what)) {
    action.kind = Action::Fence;
    action.amount = steps;
    // A map that the launch made never changes (MM-92).
    if (fence->object && !getTensorMapOp(fence->object)) {
      auto id = mapFootprint(op, fence->object);
      if (!id)
        return false;
      action.object = *id;
      action.extra = 1;
    }
  } else if (auto *life = std::get_if<Lifetime>(&effect.what)) {
    if (life->kind != Lifetime::Init && life->kind != Lifetime::Inval)
      return resolveLifetime(op, *life, action);
    action.kind = life->kind == Lifetime::Init ? Action::Init : Action::Inval;
    auto count = evaluateExpr(op, life->count);
    if (!count)
      return false;
    action.amount = *count;
    if (!resolveBarrier(op, life->barrier, action))
      return false;
    // Without an index: every slot of the ring.
    int64_t slots =
        life->barrier.index
            ? 1
            : cast<MBarrierType>(life->barrier.barrier.getType()).getSlots();
    for (int64_t slot = 1; slot < slots; ++slot) {
      Action more = action;
      more.object += slot;
      actions.push_back(more);
    }
  } else if (auto *registers = std::get_if<Registers>(&effect.what)) {
    // Loads of tensor memory and of LDS need no fence among registers.
    bool product = true;
    for (const Effect &other : op.effects->list) {
      if (auto *access = std::get_if<Access>(&other.what))
        product &= access->mechanism == Mechanism::MmaGroup;
      if (auto *wait = std::get_if<effect::WaitGroup>(&other.what))
        product &= wait->mechanism == Mechanism::MmaGroup;
    }
    if (!product)
      return true;
    if (registers->kind == Registers::Budget)
      return true;
    if (!resolveRegisters(op, *registers, action))
      return false;
  } else if (auto *reveals = std::get_if<Reveals>(&effect.what)) {
    value(reveals->value).revealed = true;
    return true;
  } else if (auto *wait = std::get_if<effect::WaitFlag>(&effect.what)) {
    action.kind = Action::WaitFlag;
    auto id = scalarFootprint(op, wait->flag);
    const Val &least = value(wait->value);
    if (!id)
      return false;
    if (least.kind != Val::Int) {
      problem(Code::Undecided, op.op,
              "the value waited for depends on " + least.dependsOn());
      return false;
    }
    action.object = *id;
    action.amount = least.number.value;
  }
  actions.push_back(action);
  return true;
}

bool Instantiator::Impl::resolveRegisters(const CompiledOp &op,
                                          const Registers &registers,
                                          Action &action) {
  if (registers.kind == Registers::Borrow) {
    action.kind = Action::Borrow;
    action.amount = value(registers.value).defined;
    return true;
  }
  action.kind = registers.kind == Registers::InFlight ? Action::InFlight
                                                      : Action::Arrived;
  action.object = 0;
  for (Value operand : op.op->getOperands()) {
    if (!isa<InFlightType>(operand.getType()))
      continue;
    const Val &before = value(operand);
    if (before.kind != Val::Flight) {
      problem(Code::Undecided, op.op,
              "which product these registers are of depends on " +
                  before.dependsOn());
      return false;
    }
    action.object = before.id;
  }
  if (auto mma = dyn_cast<MmaOp>(op.op);
      mma && mma.getAccumulate() && !action.object) {
    const Val &adds = value(mma.getAccumulate());
    if (adds.kind != Val::Int)
      gap(op.op, "a product of which data or the schedule decides whether it "
                 "adds to registers that hold nothing");
    else if (adds.number.value) {
      problem(Code::UndefinedRead, op.op,
              "this product adds to registers that hold nothing yet");
      return false;
    }
  }
  if (registers.kind == Registers::InFlight) {
    Val &result = value(registers.value);
    result.kind = Val::Flight;
    result.id = ++flights;
    action.amount = result.id;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

std::optional<uint32_t> Instantiator::Impl::globalArgument(Value object) {
  if (auto at = object.getDefiningOp<TensormapAtOp>())
    object = at.getTensor();
  if (isa<TensorMapType>(object.getType())) {
    TensorMapOp map = getTensorMapOp(object);
    auto argument = map ? dyn_cast<BlockArgument>(map.getTensor()) : nullptr;
    if (!argument)
      return std::nullopt;
    return argument.getArgNumber();
  }
  auto argument = dyn_cast<BlockArgument>(object);
  if (!argument || argument.getOwner() != &kernel.getBody().front() ||
      argument.getArgNumber() >= kernel.getKernelArguments().size())
    return std::nullopt;
  return argument.getArgNumber();
}

std::optional<uint32_t> Instantiator::Impl::globalRoot(Value object) {
  if (auto argument = globalArgument(object))
    return program->sharedRoots + *argument;
  return std::nullopt;
}

std::optional<uint32_t> Instantiator::Impl::mapFootprint(const CompiledOp &op,
                                                         Value map) {
  const Val &view = value(map);
  if (view.kind != Val::View) {
    problem(Code::Undecided, op.op,
            "which tensor map is meant depends on " + view.dependsOn());
    return std::nullopt;
  }
  std::vector<int64_t> key = {'m', view.id, view.second};
  auto [found, fresh] = footprintIds.try_emplace(key, 0);
  if (fresh) {
    FootprintData data;
    data.root = view.id;
    data.bytes = ByteSet(view.second, view.second + 128);
    found->second = self.footprints.add(std::move(data));
  }
  return found->second;
}

std::optional<uint32_t>
Instantiator::Impl::cellsFootprint(const CompiledOp &op,
                                   const Footprint &bytes) {
  const Val &view = value(bytes.object);
  if (view.kind != Val::View) {
    problem(Code::Undecided, op.op,
            "which columns of tensor memory are meant depends on " +
                view.dependsOn());
    return std::nullopt;
  }
  auto type = cast<TensorMemoryType>(bytes.object.getType());
  int64_t columns = type.getSlots() * type.getColumns();
  // A warp's loads and stores reach its own window (MM-104); a tile of 64 rows
  // is taken to lie in all lanes.
  bool window = bytes.kind == Footprint::Tile;
  int64_t lane = window ? 32 * (regionWarp % 4) : 0;
  FootprintData data;
  data.root = view.id;
  data.low = {lane, view.second};
  data.high = {lane + (window ? 32 : 128), view.second + columns};
  std::vector<int64_t> key = {'c', view.id, lane, window, view.second, columns};
  auto [found, fresh] = footprintIds.try_emplace(key, 0);
  if (fresh) {
    data.strides = {2048, 4}; // 512 columns of 32 bits.
    found->second = self.footprints.add(std::move(data));
  }
  return found->second;
}

bool Instantiator::Impl::resolveLifetime(const CompiledOp &op,
                                         const Lifetime &life, Action action) {
  action.kind = life.kind == Lifetime::Alloc  ? Action::AllocCells
                : life.kind == Lifetime::Free ? Action::FreeCells
                                              : Action::Relinquish;
  // Of one CTA, or of a pair together.
  auto ctas = ctasOf(op, life.barrier.ctas, -1);
  if (!ctas)
    return false;
  action.ctas = *ctas;
  if (life.memory) {
    Footprint whole;
    whole.object = life.memory;
    auto id = cellsFootprint(op, whole);
    if (!id)
      return false;
    action.object = *id;
    program->written[self.footprints[*id].root] = true;
  }
  program->programs[agent].actions.push_back(action);
  return true;
}

const std::vector<std::vector<int64_t>> &
Instantiator::Impl::elementsOf(RankedTensorType tile, const Layout &layout,
                               int64_t warp, bool ownersOnly) {
  auto [found, fresh] =
      tileElements.try_emplace({tile.getAsOpaquePointer(), warp, ownersOnly});
  if (!fresh)
    return found->second;
  bool replicated = layout.replication() != 1;
  for (int64_t lane = 0; lane < layout.lanes(); ++lane) {
    std::vector<int64_t> &mine = found->second.emplace_back();
    for (int64_t reg = 0; reg < layout.registers(); ++reg) {
      Coord inputs{reg, lane, warp};
      if (ownersOnly && replicated && !layout.isOwner(inputs))
        continue;
      int64_t element = 0;
      Coord at = layout.apply(inputs);
      for (int d = 0; d < at.size(); ++d)
        element = element * tile.getDimSize(d) + at[d];
      mine.push_back(element);
    }
  }
  return found->second;
}

/// The bytes that each lane of a warp touches, where `offset` says where an
/// element lies (none: not touched).
static FootprintData
laneFootprint(uint32_t root, const std::vector<std::vector<int64_t>> &elements,
              int64_t elementBytes,
              llvm::function_ref<std::optional<int64_t>(int64_t)> offset) {
  FootprintData data;
  data.root = root;
  std::vector<ByteSet::Interval> all;
  for (const std::vector<int64_t> &lane : elements) {
    std::vector<ByteSet::Interval> mine;
    for (int64_t element : lane)
      if (auto at = offset(element))
        mine.push_back({*at, *at + elementBytes});
    data.lanes.push_back(ByteSet::of(mine));
    const auto &joined = data.lanes.back().intervals();
    all.insert(all.end(), joined.begin(), joined.end());
  }
  data.bytes = ByteSet::of(std::move(all));
  return data;
}

std::optional<uint32_t>
Instantiator::Impl::tileFootprint(const CompiledOp &op, const Effect &effect) {
  const auto &access = std::get<Access>(effect.what);
  const Val &view = value(access.bytes.object);
  if (view.kind != Val::View) {
    problem(Code::Undecided, op.op,
            "which slot of shared memory is meant depends on " +
                view.dependsOn());
    return std::nullopt;
  }
  bool write = access.kind != AccessKind::Read;
  std::vector<int64_t> key = {
      't',
      view.id,
      view.second,
      regionWarp,
      write,
      reinterpret_cast<int64_t>(access.bytes.tile.getAsOpaquePointer()),
      reinterpret_cast<int64_t>(
          access.bytes.object.getType().getAsOpaquePointer())};
  auto [found, fresh] = footprintIds.try_emplace(key, 0);
  if (!fresh)
    return found->second;
  FootprintData data;
  data.root = view.id;
  if (Result<Layout> layout = getTileLayout(access.bytes.tile)) {
    // A warp beyond the layout's holds copies of what warp w mod n holds.
    int64_t warps = layout->warps();
    if (!write || regionWarp < warps) {
      auto type = cast<SharedType>(access.bytes.object.getType());
      Layout image = type.getLayout();
      Coord coords(static_cast<int>(type.getRank()));
      ArrayRef<int64_t> shape = access.bytes.tile.getShape();
      data = laneFootprint(
          view.id,
          elementsOf(access.bytes.tile, *layout, regionWarp % warps, write),
          type.getElementBytes(),
          [&](int64_t element) -> std::optional<int64_t> {
            for (int64_t d = coords.size() - 1; d >= 0; --d) {
              coords[d] = element % shape[d];
              element /= shape[d];
            }
            return view.second + image.apply(coords)[0];
          });
    }
  }
  found->second = self.footprints.add(std::move(data));
  return found->second;
}

std::optional<uint32_t>
Instantiator::Impl::elementsFootprint(const CompiledOp &op,
                                      const Effect &effect) {
  const auto &access = std::get<Access>(effect.what);
  const Footprint &bytes = access.bytes;
  auto root = globalRoot(bytes.object);
  if (!root) {
    problem(Code::Undecided, op.op, "which tensor is meant is not known");
    return std::nullopt;
  }
  // A tensor that nobody writes needs no bytes.
  bool write = access.kind != AccessKind::Read;
  std::vector<int64_t> key = {
      'e', *root, regionWarp, write,
      reinterpret_cast<int64_t>(bytes.tile.getAsOpaquePointer())};
  SmallVector<const std::vector<int64_t> *, 4> coords;
  for (Value coord : bytes.coords) {
    const Val &val = value(coord);
    if (val.kind != Val::Tensor) {
      problem(Code::Undecided, op.op,
              "the indices depend on " + val.dependsOn());
      return std::nullopt;
    }
    coords.push_back(&tensors[val.id]);
    key.push_back(val.id);
  }
  const std::vector<int64_t> *mask = nullptr;
  if (bytes.mask) {
    const Val &val = value(bytes.mask);
    if (val.kind == Val::Tensor) {
      mask = &tensors[val.id];
      key.push_back(val.id);
    } else if (write) {
      problem(Code::Undecided, op.op, "the mask depends on " + val.dependsOn());
      return std::nullopt;
    }
  }
  std::vector<int64_t> strides = globalStrides(*root);
  llvm::append_range(key, strides);
  auto [found, fresh] = footprintIds.try_emplace(key, 0);
  if (!fresh)
    return found->second;
  FootprintData data;
  data.root = *root;
  ArrayRef<int64_t> shape =
      cast<GlobalType>(program->roots[*root].getType()).getShape();
  std::optional<std::pair<size_t, int64_t>> outside;
  if (Result<Layout> layout = getTileLayout(bytes.tile)) {
    int64_t warps = layout->warps();
    if (!write || regionWarp < warps)
      data = laneFootprint(
          *root, elementsOf(bytes.tile, *layout, regionWarp % warps, write),
          getElementBytes(bytes.tile.getElementType()),
          [&](int64_t index) -> std::optional<int64_t> {
            if (mask && !(*mask)[index])
              return std::nullopt;
            int64_t offset = 0;
            for (size_t d = 0; d < strides.size(); ++d) {
              int64_t at = (*coords[d])[index];
              if (!ShapedType::isDynamic(shape[d]) &&
                  (at < 0 || at >= shape[d]))
                outside = {d, at};
              offset += at * strides[d];
            }
            return offset;
          });
  }
  if (outside && (!bytes.mask || mask)) {
    problem(Code::OutOfBounds, op.op,
            "index " + Twine(outside->second) + " of dimension " +
                Twine(outside->first) + ", which has " +
                Twine(shape[outside->first]) + " elements");
    return std::nullopt;
  }
  found->second = self.footprints.add(std::move(data));
  return found->second;
}

std::optional<uint32_t>
Instantiator::Impl::scalarFootprint(const CompiledOp &op,
                                    const Footprint &bytes) {
  std::vector<int64_t> coords;
  for (Value coord : bytes.coords) {
    const Val &val = value(coord);
    if (val.kind != Val::Int) {
      problem(Code::Undecided, op.op,
              "the index depends on " + val.dependsOn());
      return std::nullopt;
    }
    coords.push_back(val.number.value);
  }
  FootprintData data;
  int64_t offset = 0, size = 0;
  if (auto type = dyn_cast<SharedType>(bytes.object.getType())) {
    const Val &view = value(bytes.object);
    if (view.kind != Val::View) {
      problem(Code::Undecided, op.op,
              "which slot of shared memory is meant depends on " +
                  view.dependsOn());
      return std::nullopt;
    }
    for (auto [coord, extent] : llvm::zip(bytes.coords, type.getShape()))
      if (!decides(op, value(coord), 0, extent - 1, "the index"))
        return std::nullopt;
    for (auto [coord, extent] : llvm::zip(coords, type.getShape()))
      if (coord < 0 || coord >= extent) {
        problem(Code::OutOfBounds, op.op,
                "index " + Twine(coord) + " of " + Twine(extent));
        return std::nullopt;
      }
    data.root = view.id;
    offset = view.second + type.getByteOffset(coords);
    size = type.getElementBytes();
  } else {
    auto root = globalRoot(bytes.object);
    if (!root) {
      problem(Code::Undecided, op.op, "which tensor is meant is not known");
      return std::nullopt;
    }
    data.root = *root;
    ArrayRef<int64_t> shape =
        cast<GlobalType>(program->roots[*root].getType()).getShape();
    for (auto [d, coord] : llvm::enumerate(bytes.coords)) {
      const Number &at = value(coord).number;
      // What depends on the launch is a launch's business.
      if (at.value < 0 || (!at.symbol && !ShapedType::isDynamic(shape[d]) &&
                           at.value >= shape[d])) {
        problem(Code::OutOfBounds, op.op,
                "index " + Twine(at.value) + " of dimension " + Twine(d));
        return std::nullopt;
      }
    }
    std::vector<int64_t> strides = globalStrides(*root);
    for (auto [coord, stride] : llvm::zip(coords, strides))
      offset += coord * stride;
    size = strides.back();
  }
  std::vector<int64_t> key = {'v', data.root, offset, size};
  auto [found, fresh] = footprintIds.try_emplace(key, 0);
  if (fresh) {
    data.bytes = ByteSet(offset, offset + size);
    found->second = self.footprints.add(std::move(data));
  }
  return found->second;
}

bool Instantiator::Impl::resolveAccess(const CompiledOp &op,
                                       const Effect &effect) {
  const auto &access = std::get<Access>(effect.what);
  const Footprint &bytes = access.bytes;
  Action action{Action::Access, &effect};
  action.ctas = 0; // global memory
  std::optional<uint32_t> id;
  if (isa<TensorMemoryType>(bytes.object.getType()))
    id = cellsFootprint(op, bytes);
  else
    switch (bytes.kind) {
    case Footprint::Object:
      // Barriers have rules of their own (MM-50 to MM-61), and a tensor map
      // that was made at launch never changes (MM-92).
      if (isa<MBarrierType>(bytes.object.getType()) ||
          getTensorMapOp(bytes.object))
        return true;
      id = mapFootprint(op, bytes.object);
      break;
    case Footprint::Box:
      // A map in memory begins where it was last told to.
      if (bytes.object.getDefiningOp<TensormapAtOp>()) {
        auto argument = globalArgument(bytes.object);
        if (!argument ||
            writtenTensors.contains(kernel.getKernelArguments()[*argument]))
          gap(op.op,
              "which part of a tensor copies through a changed map touch");
        return true;
      }
      id = boxFootprint(op, access);
      break;
    case Footprint::Elements:
      id = elementsFootprint(op, effect);
      break;
    case Footprint::Tile:
      id = tileFootprint(op, effect);
      break;
    case Footprint::View: {
      const Val &view = value(bytes.object);
      auto type = cast<SharedType>(bytes.object.getType());
      if (view.kind != Val::View) {
        problem(Code::Undecided, op.op,
                "which slot of shared memory is meant depends on " +
                    view.dependsOn());
        return false;
      }
      int64_t size = type.getSlots() == 1
                         ? type.getTileBytes()
                         : type.getSlots() * type.getSlotBytes();
      std::vector<int64_t> key = {'v', view.id, view.second, size};
      auto [found, fresh] = footprintIds.try_emplace(key, 0);
      if (fresh) {
        FootprintData data;
        data.root = view.id;
        data.bytes = ByteSet(view.second, view.second + size);
        found->second = self.footprints.add(std::move(data));
      }
      id = found->second;
      break;
    }
    case Footprint::Scalar:
      id = scalarFootprint(op, bytes);
      break;
    }
  if (!id)
    return false;
  action.object = *id;
  action.amount = 0;
  if (access.added)
    if (const Val &added = value(access.added); added.kind == Val::Int)
      action.amount = added.number.value;
  uint32_t root = self.footprints[*id].root;
  if (access.kind != AccessKind::Read)
    program->written[root] = true;
  if (root < program->sharedRoots) {
    auto ctas = ctasOf(op, bytes.ctas, value(bytes.object).cta);
    if (!ctas)
      return false;
    action.ctas = *ctas;
  }
  program->programs[agent].actions.push_back(action);
  return true;
}
