//===- Resolve.cpp - effects with numbers in them -------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Interpreter.h"

#include "Bounds.h"

#include "titan/Analysis/Fixes.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;
using namespace titan::effect;

/// All of what a value names.
static Footprint wholeOf(Value memory) {
  Footprint bytes;
  bytes.object = memory;
  return bytes;
}

bool Instantiator::Impl::hardware(const CompiledOp &op, Lanes lanes,
                                  uint32_t iteration) {
  AgentProgram &into = program->programs[agent];
  Event event{op.op, static_cast<uint32_t>(into.actions.size()),
              0,     iteration,
              lanes, op.effects->cardinality};
  for (uint32_t result : op.out)
    values[result] = Val();
  if (lanes != AllLanes && op.effects->cardinality == Cardinality::Warpgroup) {
    problem(Code::IssueCardinality, op.op,
            Twine("'") + op.op->getName().getStringRef() +
                "' is executed by one lane of " +
                program->describe(agent, iteration, AllLanes) +
                ", and takes the whole warpgroup",
            "take it out of titan.elect: all four warps of the warpgroup "
            "issue it together");
    return false;
  }
  for (const Effect &effect : op.effects->list)
    if (!resolve(op, effect, lanes))
      return false;
  editMap(op);
  event.count = into.actions.size() - event.first;
  if (!onePeer(op, ArrayRef(into.actions).slice(event.first, event.count)))
    return false;
  into.events.push_back(event);
  loadData(op);
  if (!launch || ++events <= bound::launchEvents)
    return true;
  self.tooLong = true;
  return false;
}

bool Instantiator::Impl::onePeer(const CompiledOp &op,
                                 ArrayRef<Action> actions) {
  for (const Action &write : actions) {
    auto *access = std::get_if<Access>(&write.effect->what);
    if (!access || access->mechanism != Mechanism::Phase ||
        access->kind == AccessKind::Read || value(access->bytes.object).cta < 0)
      continue;
    for (const Action &signal : actions)
      if (signal.kind == Action::CompleteTx && signal.ctas != write.ctas) {
        problem(Code::PeerPlace, op.op,
                "what is written is in CTA " +
                    Twine(llvm::countr_zero(write.ctas)) +
                    " of the cluster, and the barrier that counts it in CTA " +
                    Twine(llvm::countr_zero(signal.ctas)));
        return false;
      }
  }
  return true;
}

/// Whether a value is only stored, as it is, or an address, of which nobody follows
/// where it leads: nothing is decided by it here.
static bool isOnlyStored(Value value) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (user->getNumResults() == 1 && getAddressAlignment(user->getResult(0)))
      return true;
    auto hardware = dyn_cast<HardwareEffectsInterface>(user);
    if (!hardware || user->getNumResults())
      return false;
    effect::EffectList effects;
    hardware.getHardwareEffects(effects);
    auto *access = effects.size() == 1
                       ? std::get_if<Access>(&effects.begin()->what)
                       : nullptr;
    return access && access->kind == AccessKind::Write &&
           access->bytes.kind == Footprint::Scalar &&
           !llvm::is_contained(access->bytes.coords, value);
  });
}

void Instantiator::Impl::loadData(const CompiledOp &op) {
  if (op.out.size() != 1 || op.effects->list.size() != 1 ||
      !bitsOf(op.op->getResult(0).getType()) ||
      isOnlyStored(op.op->getResult(0)))
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
    element = element * bound::dataPitch + value(coord).number.value;
  std::string name =
      cast<StringAttr>(kernel.getArgNames()[*argument]).getValue().str();
  // Bounds of groups, say: they grow.
  bool promised = promisedValues.contains(op.op->getResult(0));
  const void *key = kernel.getKernelArguments()[*argument].getAsOpaquePointer();
  const int which = -1 - static_cast<int>(element);
  values[op.out[0]] = here(parameterNumber(
      key, which,
      {.kind = Parameter::Data,
       .name = name,
       .tensor = *argument,
       .range = Bounds::ofBits(bitsOf(op.op->getResult(0).getType())),
       .initial = dataAt(*argument, element, promised),
       .element = element}));
  parameters[symbols.parameterOf(symbols.find(key, which))].promised |=
      promised;
  if (!promised)
    gap(op.op,
        "what %" + name + " holds (its elements are taken to be 0, " +
            Twine(bound::dataApart) + ", " + Twine(2 * bound::dataApart) +
            ", ...)",
        /*settled=*/true,
        "say by titan.assume what data promises of the elements that are "
        "loaded; or let what they decide follow from constants, sizes, "
        "arguments, ids and loop counters; or accept with titan.trusted {code, "
        "reason}; or --undecided=warning");
}

std::optional<int64_t>
Instantiator::Impl::evaluateExpr(const CompiledOp &op,
                                 const effect::Expr &expr) {
  if (expr.isConstant())
    return expr.offset;
  const Val &val = value(expr.value);
  if (val.kind != Val::Int) {
    problem(Code::Undecided, op.op,
            "a count or a number of bytes depends on " + val.dependsOn());
    return std::nullopt;
  }
  // Of a number that is chosen by the launch, what chooses it decides, as of a branch.
  Val chosen = val;
  while (uint32_t symbol = chosen.number.symbol) {
    const Symbols::Node node = symbols.node(symbol);
    if (node.code == Arith::Cast || node.code == Arith::CastU) {
      chosen.number.symbol = node.a.symbol;
      continue;
    }
    auto side = node.code == Arith::Select
                    ? symbols.value(node.a, parameterValues, cta())
                    : std::nullopt;
    if (!side)
      break;
    if (!(val.iter && ownedByLoops(node.a)))
      cover(registerChoice(
                {.op = op.op, .kind = Choice::Branch, .upper = node.a}),
            *side);
    chosen.number.symbol = (*side ? node.b : node.c).symbol;
  }
  Bounds range = ranges.of(chosen.number);
  if (range.high - range.low > bound::mostCounts || range.high < range.low) {
    if (chosen.number.symbol) {
      problem(Code::Undecided, op.op,
              Twine("a count or a number of bytes is computed from '") +
                  nameOf({chosen.number}) +
                  "', and has too many values to try them all");
      return std::nullopt;
    }
  } else if (!decides(op, chosen, range.low, range.high, "a count"))
    return std::nullopt;
  return expr.scale * val.number.value + expr.offset;
}

std::optional<int64_t>
Instantiator::Impl::evaluateBytes(const CompiledOp &op,
                                  const effect::Expr &expr) {
  auto bytes = evaluateExpr(op, expr);
  if (!bytes || *bytes >= 0)
    return bytes;
  problem(Code::BarrierRange, op.op,
          "the bytes that this tells a barrier are " + Twine(*bytes) +
              launchSuffix());
  return std::nullopt;
}

std::optional<uint32_t>
Instantiator::Impl::ctasOf(const CompiledOp &op, const CtaSet &set, int rank) {
  if (set.kind == CtaSet::Own) {
    if (set.peer && (rank < 0 || rank == info().rank)) {
      problem(Code::PeerPlace, op.op,
              "the destination is the executing CTA's own, rank " +
                  Twine(info().rank) + " of the cluster");
      return std::nullopt;
    }
    return 1u << (rank < 0 ? info().rank : rank);
  }
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
                Twine(program->clusterSize) + " CTAs",
            set.kind == CtaSet::Rank
                ? "ranks count from 0 to " + Twine(program->clusterSize - 1)
                : "a mask has bit r for the CTA of rank r: it is 1 to " +
                      Twine((int64_t(1) << program->clusterSize) - 1));
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
                " barriers",
            "slots count from 0 to " + Twine(slots - 1) +
                ": take the index modulo " + Twine(slots));
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
    auto bytes = evaluateBytes(op, expect->bytes);
    if (!bytes || !resolveBarrier(op, expect->barrier, action))
      return false;
    action.amount = *bytes;
  } else if (auto *complete = std::get_if<effect::CompleteTx>(&effect.what)) {
    action.kind = Action::CompleteTx;
    auto bytes = evaluateBytes(op, complete->bytes);
    if (!bytes || !resolveBarrier(op, complete->barrier, action))
      return false;
    action.amount = *bytes;
    if (complete->tile) {
      // Of this warp's lanes together; one beyond the layout's owns nothing.
      int64_t elements = resolver.ownedElements(complete->tile, regionWarp);
      if (!elements)
        return true;
      action.amount *= elements;
    }
  } else if (auto *commit = std::get_if<CommitGroup>(&effect.what)) {
    action.kind = Action::Commit;
    auto &count = commits[static_cast<unsigned>(commit->mechanism)];
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
      Footprint object = wholeOf(fence->object);
      object.kind = Footprint::Object;
      auto id = footprintOf(
          op, resolver.resolve(object, AccessKind::Read, regionWarp));
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
    auto id = footprintOf(op, regionOf(wait->flag, AccessKind::Read));
    const Val &least = value(wait->value);
    if (!id)
      return false;
    if (least.kind != Val::Int) {
      problem(Code::Undecided, op.op,
              "the value waited for depends on " + least.dependsOn());
      return false;
    }
    if (launch || whole)
      noteAmount(op, least.number);
    action.object = *id;
    action.amount = least.number.value;
  } else if (auto *grid = std::get_if<GridDependency>(&effect.what)) {
    if (grid->kind == GridDependency::LaunchDependents)
      return true;
    action.kind = Action::GridWait;
  } else if (std::holds_alternative<Opaque>(effect.what)) {
    gap(op.op, "what a text of PTX does that is opaque");
    return true;
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
  if (registers.from) {
    const Val &before = value(registers.from);
    if (before.kind != Val::Flight) {
      problem(Code::Undecided, op.op,
              "which product these registers are of depends on " +
                  before.dependsOn());
      return false;
    }
    action.object = before.id;
  }
  if (registers.adds && !action.object) {
    const Val &adds = value(registers.adds);
    if (adds.kind != Val::Int)
      gap(op.op, "a product of which data or the schedule decides whether it "
                 "adds to registers that hold nothing");
    else if (adds.number.value) {
      problem(Code::UndefinedRead, op.op,
              "this product adds to registers that hold nothing yet",
              accumulateFix);
      return false;
    }
  }
  if (registers.kind == Registers::Arrived && registers.from &&
      !action.object) {
    problem(Code::UndefinedRead, op.op,
            "no product has written these registers: they hold nothing" +
                launchSuffix(),
            "begin with titan.inflight.start of a tile of zeros, or let "
            "titan.require see to it that a product comes");
    return false;
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
  if (isa<TensorMapType>(object.getType()))
    object = getMappedTensor(object);
  auto argument = dyn_cast_or_null<BlockArgument>(object);
  if (!argument ||
      argument.getArgNumber() >= kernel.getKernelArguments().size())
    return std::nullopt;
  Block *owner = argument.getOwner();
  if (owner != &kernel.getBody().front() &&
      owner != &kernel.getLaunch().front())
    return std::nullopt;
  return argument.getArgNumber();
}

std::optional<uint32_t> Instantiator::Impl::globalRoot(Value object) {
  if (auto argument = globalArgument(object))
    return program->sharedRoots + *argument;
  return std::nullopt;
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
    auto id = footprintOf(op, resolver.resolve(wholeOf(life.memory),
                                               AccessKind::Write, regionWarp));
    if (!id)
      return false;
    action.object = *id;
    program->written[self.footprints[*id].root] = true;
  }
  program->programs[agent].actions.push_back(action);
  return true;
}

bool Instantiator::Impl::resolveAccess(const CompiledOp &op,
                                       const Effect &effect) {
  const auto &access = std::get<Access>(effect.what);
  const Footprint &bytes = access.bytes;
  Action action{Action::Access, &effect};
  action.ctas = 0; // global memory
  // Barriers have rules of their own (MM-50 to MM-61), and a tensor map that was
  // made at launch never changes (MM-92).
  if (bytes.kind == Footprint::Object &&
      (isa<MBarrierType>(bytes.object.getType()) ||
       getTensorMapOp(bytes.object)))
    return true;
  if (isa<GlobalType>(bytes.object.getType()) && !globalRoot(bytes.object)) {
    gap(op.op, "which memory an access by an address touches",
        /*settled=*/false,
        "let the tensor be an argument; or accept with titan.trusted {code, "
        "reason}; or --undecided=warning");
    return true;
  }
  if (bytes.kind == Footprint::View &&
      isa<GlobalType>(bytes.object.getType())) {
    gap(op.op, "which elements of a tensor a text of PTX touches");
    return true;
  }
  // A map in memory begins where it was last told to.
  if (bytes.kind == Footprint::Box &&
      bytes.object.getDefiningOp<ViewOpInterface>()) {
    auto root = globalRoot(bytes.object);
    // A tensor that nobody writes needs no bytes.
    if (root && !writtenTensors.contains(program->roots[*root]))
      return true;
    EditedMap map = mapAt(bytes.object);
    if (!root || !map.known || map.root != *root) {
      gap(op.op, "which part of a tensor copies through a changed map touch",
          /*settled=*/false,
          "let the warp that copies through a map change it itself: its "
          "tensor, "
          "the coordinates of its first element and its sizes by constants, "
          "sizes, arguments, ids, loop counters and elements of which "
          "titan.assume says something, its strides not at all; or accept with "
          "titan.trusted {code, reason}; or --undecided=warning");
      return true;
    }
  }
  std::optional<uint32_t> id =
      footprintOf(op, regionOf(bytes, access.kind), access.mechanism);
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
