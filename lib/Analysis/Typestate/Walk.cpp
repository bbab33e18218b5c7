//===- Walk.cpp - warps that execute the same text, together --------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Walk.h"
#include "Orders.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;
using TValue = titan::typestate::Value;
using MValue = mlir::Value;
using Kind = TValue::Kind;

bool Proof::walk(bool enforce) {
  accesses.clear();
  signals.clear();
  waits.clear();
  flags.clear();
  totals.clear();
  atEnd = launch;
  promisesLate = hasLatePromise(*this);
  counts.clear();
  multicast.clear();
  trips.clear();
  summed.clear();
  pending.reset();
  return Walk(*this, enforce).run();
}

/// A copy into the CTA's own memory of which it tells a barrier of a peer.
static bool tellsPeer(Proof &proof, Operation *op,
                      const effect::CompleteTx &done) {
  if (!effect::baseOf(done.barrier.barrier).rank)
    return false;
  return llvm::all_of(proof.effectsOf(op), [](const effect::Effect &effect) {
    auto *access = std::get_if<effect::Access>(&effect.what);
    return !access || access->kind == AccessKind::Read ||
           (access->mechanism == Mechanism::Phase &&
            access->bytes.ctas.kind == effect::CtaSet::Own &&
            !effect::baseOf(access->bytes.object).rank);
  });
}

bool Walk::run() {
  KernelOp kernel = proof.kernel;
  kernel.getBody().walk([&](HardwareEffectsInterface op) {
    bool run = llvm::any_of(op->getOperands(), [](MValue operand) {
      auto view = operand.getDefiningOp<ViewOpInterface>();
      return view && view.getView().alignment != 0;
    });
    for (const effect::Effect &effect : proof.effectsOf(op)) {
      if (auto *done = std::get_if<effect::CompleteTx>(&effect.what)) {
        effect::Base base = effect::baseOf(done->barrier.barrier);
        auto kind = done->barrier.ctas.kind;
        // Multicasts of all CTAs alike count for one another (checkMulticast); in
        // branches that is so where they are not counted.
        bool some =
            kind == effect::CtaSet::Mask && op->getParentOfType<scf::IfOp>();
        if (tellsPeer(proof, op, *done))
          proof.shares.try_emplace(base.root.getAsOpaquePointer(), 0);
        else if (base.rank || run || kind == effect::CtaSet::Rank ||
                 (some &&
                  !proof.shared.alike.contains(base.root.getAsOpaquePointer())))
          proof.counted.insert(base.root.getAsOpaquePointer());
      }
      auto rootOf = [&](MValue object) -> void * {
        if (isa<TensorMapType>(object.getType()))
          object = getMappedTensor(object);
        auto argument = dyn_cast_or_null<BlockArgument>(object);
        return argument && isa<GlobalType>(argument.getType())
                   ? kernel.getKernelArguments()[argument.getArgNumber()]
                         .getAsOpaquePointer()
                   : nullptr;
      };
      if (auto *access = std::get_if<effect::Access>(&effect.what))
        if (void *root = access->bytes.kind == effect::Footprint::Object
                             ? nullptr // a map, and not what it is of
                             : rootOf(access->bytes.object))
          (access->kind == AccessKind::Read ? exchanged : written).insert(root);
      if (auto *wait = std::get_if<effect::WaitFlag>(&effect.what))
        flagged.insert(rootOf(wait->flag.object));
    }
  });
  std::erase_if(exchanged, [&](void *root) { return !written.contains(root); });
  // What comes in several ways is counted use by use.
  for (void *ring : proof.counted)
    proof.shares.erase(ring);
  auto shape = kernel.getClusterShape();
  ranks = kernel.getClusterSize();
  proof.seesApart = ranks > 1;
  kernel.getBody().walk([&](HardwareEffectsInterface op) {
    auto note = [&](const effect::BarrierRef &barrier, Scope scope,
                    bool peers) {
      if (ranks > 1 && scope < Scope::Cluster && peers &&
          proof.without != Judgement::ClusterScope)
        proof.narrow.insert(
            effect::baseOf(barrier.barrier).root.getAsOpaquePointer());
    };
    for (const effect::Effect &effect : proof.effectsOf(op)) {
      if (auto *arrive = std::get_if<effect::Arrive>(&effect.what)) {
        proof.seesApart |= arrive->after.has_value();
        note(arrive->barrier, arrive->scope,
             effect::baseOf(arrive->barrier.barrier).rank ||
                 arrive->barrier.ctas.kind != effect::CtaSet::Own);
      }
      if (auto *wait = std::get_if<effect::WaitBarrier>(&effect.what))
        note(wait->barrier, wait->scope, true);
    }
  });
  findAlike();
  // Whether each CTA waits for the last round of the cluster's barrier.
  bool waited = true;
  const ObjectId cluster = proof.object(Object{Object::Cluster});
  for (rank = 0; rank < ranks; ++rank) {
    State state;
    state.facts = proof.launch;
    for (auto &[value, what] : proof.launchValues)
      state.values[value] = what;
    std::array<int64_t, 3> place = {rank % shape[0], rank / shape[0] % shape[1],
                                    rank / shape[0] / shape[1]};
    kernel.getBody().walk([&](CtaIdOp id) {
      int64_t d = id.getDimension();
      TValue &value = state.values[id.getResult()];
      if (shape[d] > 1)
        value = TValue::of(value.number * Polynomial(shape[d]) +
                           Polynomial(place[d]));
    });
    firstWarp = rank * kernelWarps();
    regionWarps = kernelWarps();
    groupNumber = 1000 * rank;
    phase = 0;
    remote = false;
    lives.clear();
    const Who who = whoAre(firstWarp, regionWarps);
    for (int warp : who.walked)
      state.warps[warp];
    if (!block(kernel.getBody().front(), state, who, nullptr))
      return false;
    if (!proof.promisesLate)
      proof.atEnd.add(state.facts);
    for (auto &[ring, life] : lives)
      if (life.everywhere)
        toldPeers[proof.objects[ring].barrier.getAsOpaquePointer()][rank] =
            life.round;
    for (int warp : who.walked)
      if (!end(state, warp))
        return false;
    for (int warp : who.walked)
      waited &= state.warps[warp].waits[elected][cluster] ==
                state.warps[warp].next[cluster];
    if (remote && proof.without != Judgement::Stays)
      return proof.stop("a CTA may end while a peer still writes or arrives "
                        "there",
                        kernel, "titan.cluster.arrive and .wait at the end");
  }
  nameOthers();
  // Who signals a peer has followed its own initialisation (usable): the peer's is
  // the same.
  for (const Signal &signal : proof.signals) {
    const Object &ring = proof.objects[signal.object];
    const int own = proof.ctaOf(signal.warp);
    if (ring.kind != Object::Ring || ring.cta == own ||
        proof.without == Judgement::PeerInit)
      continue;
    auto &told = toldPeers[ring.barrier.getAsOpaquePointer()];
    if (!told.contains(own) || !told.contains(ring.cta) ||
        told[own] != told[ring.cta])
      return proof.stop("the CTAs of the cluster do not initialise this "
                        "barrier alike",
                        signal.op);
  }
  // Who is signalled by a peer, or whose memory one touches, stays until that has
  // arrived.
  if (!waited && proof.without != Judgement::Stays) {
    for (const Access &access : proof.accesses)
      if (access.shape && access.cta != proof.ctaOf(access.warp))
        return proof.stop("a CTA may end while a peer still reads or writes "
                          "its memory",
                          access.op, "titan.cluster.wait at the end");
    for (const Signal &signal : proof.signals)
      if (proof.objects[signal.object].kind == Object::Ring &&
          proof.objects[signal.object].cta != proof.ctaOf(signal.warp))
        return proof.stop("a CTA may end while a peer still writes or arrives "
                          "there",
                          kernel, "titan.cluster.wait at the end");
  }
  for (void *ring : multicast)
    proof.multicast[ring] = expectedBytes[ring];
  for (auto &[ring, bytes] : proof.shares) {
    if (expectedBytes[ring].size() != 1)
      return proof.stop("CTAs fill a ring together, of which not all uses "
                        "expect the same bytes",
                        kernel);
    bytes = *expectedBytes[ring].begin();
  }
  return true;
}

bool Walk::end(State &state, int warp) {
  WarpState &w = state.warps[warp];
  Operation *op = proof.kernel;
  if (!w.unbound.empty() && proof.without != Judgement::Ends)
    return proof.stop("warp " + std::to_string(warp) +
                          " ends with copies or products in no group",
                      op);
  Totals &totals = proof.totals[warp];
  for (int lane : {elected, others}) {
    totals.signals[lane] = w.arrivals[lane];
    totals.skipped[lane] = w.skipped[lane];
    for (auto &[object, count] : w.next)
      if (proof.objects[object].kind == Object::Named ||
          proof.objects[object].kind == Object::Cluster)
        totals.signals[lane][object] = count;
    totals.knows[lane] = w.knows[lane];
    for (auto &[ring, bytes] : w.bytes[lane])
      if ((bytes.first || bytes.second) && proof.without != Judgement::Expects)
        return proof.stop(
            "bytes are expected that no copy of the thread brings", op);
  }
  for (auto &[object, count] : w.next) {
    const Object &o = proof.objects[object];
    if (o.kind != Object::Groups)
      continue;
    auto mechanism = static_cast<Mechanism>(o.id);
    const MechanismInfo &info = mechanismInfo(mechanism);
    if (info.atExit == Discharge::Nothing || proof.without == Judgement::Ends)
      continue;
    ObjectId over = info.atExit == Discharge::SourcesRead
                        ? reads(mechanism, warp, elected)
                        : object;
    if (!knowsUse(state, w.knows[elected], over, count - Polynomial(1)))
      return proof.stop("not all of its " + std::string(info.name) +
                            "s are shown to be waited for when warp " +
                            std::to_string(warp) + " ends",
                        op);
  }
  return true;
}

bool Walk::block(Block &block, State &state, const Who &who,
                 std::vector<TValue> *yields) {
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      if (yields)
        for (MValue operand : op.getOperands())
          yields->push_back(state.values.lookup(operand));
      return true;
    }
    if (!operation(op, state, who))
      return false;
  }
  return true;
}

Polynomial Walk::coordinate(RankedTensorType tile, int64_t dimension,
                            Facts &facts) {
  std::vector<Polynomial> shape = {dimension};
  for (int64_t size : tile.getShape())
    shape.push_back(size);
  Polynomial atom = Polynomial::atom(proof.atoms.atom(
      "coordinate", tile.getEncoding().getAsOpaquePointer(), shape));
  facts.atLeast(atom, 0);
  facts.atLeast(tile.getDimSize(dimension) - 1, atom);
  return atom;
}

/// The coordinates of a tile's elements along a dimension.
static std::vector<int64_t> coordinatesOf(RankedTensorType tile,
                                          int64_t dimension) {
  int64_t inner = 1;
  for (int64_t size : tile.getShape().drop_front(dimension + 1))
    inner *= size;
  std::vector<int64_t> elements(tile.getNumElements());
  for (auto [i, element] : llvm::enumerate(elements))
    element = static_cast<int64_t>(i) / inner % tile.getDimSize(dimension);
  return elements;
}

/// The dimension whose coordinate each element of the tile is.
static std::optional<int64_t> coordinateOf(ArrayRef<int64_t> elements,
                                           RankedTensorType type) {
  for (int64_t d = type.getRank() - 1; d >= 0; --d)
    if (elements == ArrayRef(coordinatesOf(type, d)))
      return d;
  return std::nullopt;
}

/// A tile whose elements are all the operand, or the operand's at some of their
/// coordinates, or each its coordinate.
TValue Walk::elements(TileOpInterface op, State &state) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || !checker::bitsOf(type.getElementType()))
    return TValue();
  if (op->getNumOperands() == 1 &&
      checker::bitsOf(op->getOperand(0).getType())) {
    for (int64_t number : {0, 1}) {
      std::vector<int64_t> elements = op.getElements({ArrayRef(number)});
      if (elements.empty() || elements[0] != number ||
          !llvm::all_equal(elements))
        return TValue();
    }
    return state.values.lookup(op->getOperand(0));
  }
  auto from = op->getNumOperands() == 1
                  ? dyn_cast<RankedTensorType>(op->getOperand(0).getType())
                  : RankedTensorType();
  if (from && (!checker::bitsOf(from.getElementType()) ||
               (from.getShape() == type.getShape() &&
                from.getEncoding() == type.getEncoding())))
    return TValue();
  if (!from && op->getNumOperands())
    return TValue();
  auto [known, fresh] = proof.shared.coordinates.try_emplace(op);
  if (fresh && !from)
    known->second = {coordinateOf(op.getElements({}), type)};
  else if (fresh)
    for (int64_t d = 0; d < from.getRank(); ++d)
      known->second.push_back(
          coordinateOf(op.getElements({coordinatesOf(from, d)}), type));
  if (llvm::is_contained(known->second, std::nullopt))
    return TValue();
  if (!from)
    return TValue::of(coordinate(type, *known->second[0], state.facts));
  TValue value = state.values.lookup(op->getOperand(0));
  if (value.kind != Kind::Number && value.kind != Kind::Condition)
    return TValue();
  for (auto [d, at] : llvm::enumerate(known->second))
    value = value.substitute(proof.atoms,
                             coordinate(from, d, state.facts).atoms()[0],
                             coordinate(type, *at, state.facts), state.facts);
  return value;
}

/// Operations that have no result for some operands, or ask something of them.
static bool mayHaveNoResult(Operation *op) {
  checker::Arith code = checker::classify(op).first;
  return checker::divides(code) || checker::shifts(code) ||
         isa<arith::FPToSIOp, arith::FPToUIOp>(op) ||
         !isa<arith::ArithDialect, math::MathDialect, scf::SCFDialect,
              TitanDialect>(op->getDialect()) ||
         (isa<TitanDialect>(op->getDialect()) && !op->getNumRegions() &&
          !op->hasTrait<Total>() &&
          !isa<HardwareEffectsInterface, AssertOp, AssumeOp, ViewOpInterface,
               AllocOpInterface, CtaIdOp, NumCtasOp, ClusterRankOp, WarpIdOp,
               DimOp, PrintOp>(op) &&
          !op->hasTrait<OpTrait::IsTerminator>());
}

bool Walk::defined(Operation &op, State &state) {
  if (mode != Mode::Final || !enforce || !mayHaveNoResult(&op))
    return true;
  auto polynomial = [&](MValue value) {
    return proof.arithmetic.polynomialOf(state.values.lookup(value),
                                         state.facts);
  };
  if (auto chosen = dyn_cast<RegisterIndexOpInterface>(&op)) {
    auto p = polynomial(chosen.getRegisterIndex());
    return (p && state.facts.provesAtLeast(*p, 0) &&
            state.facts.provesAtLeast(chosen.getRegisterChoices() - 1, *p)) ||
           proof.stop("the panel is not shown to be one of the tile's", &op,
                      "titan.require that bounds it");
  }
  bool shift = checker::shifts(checker::classify(&op).first);
  if (!shift && !isa<arith::ArithDialect>(op.getDialect()))
    return proof.stop("what this asks of its operands is not followed by the "
                      "proof yet",
                      &op);
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    return proof.stop("numbers that an integer does not hold have no result "
                      "here: data is not followed",
                      &op);
  auto p = polynomial(op.getOperand(1));
  unsigned bits =
      checker::bitsOf(getElementTypeOrSelf(op.getResult(0).getType()));
  if (shift)
    return (p && state.facts.provesAtLeast(*p, 0) &&
            state.facts.provesAtLeast(int64_t(bits) - 1, *p)) ||
           proof.stop(
               "by how much this shifts is not shown to be less than its "
               "bits",
               &op, "titan.require that bounds it");
  return (p && state.facts.provesAtLeast(*p, 1)) ||
         proof.stop("the divisor is not shown to be positive", &op,
                    "titan.require in the launch region that it is");
}

bool typestate::matters(Operation *op) {
  return op
      ->walk([](Operation *inside) {
        return isa<HardwareEffectsInterface, AssertOp>(inside) ||
                       mayHaveNoResult(inside) || isa<scf::WhileOp>(inside)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

void Walk::hideTiles(State &state, ValueRange values) {
  for (MValue value : values)
    if (isa<RankedTensorType>(value.getType()))
      state.tiles[value] = false;
}

bool Walk::operation(Operation &op, State &state, const Who &who) {
  hideTiles(state, op.getResults());
  if (!defined(op, state))
    return false;
  if (isa<scf::ForOp>(op))
    return loop(&op, state, who);
  if (isa<scf::IfOp>(op))
    return branch(&op, state, who);
  if (isa<ElectOp>(op))
    return elect(&op, state, who);
  if (isa<WarpSpecializeOp>(op))
    return specialize(&op, state, who);
  if (op.getNumRegions() && matters(&op))
    return proof.stop("what this executes is not followed by the proof yet",
                      &op);
  if (isa<HardwareEffectsInterface>(op))
    return hardware(&op, state, who);
  if (auto check = dyn_cast<AssertOp>(op)) {
    if (mode != Mode::Final || !enforce ||
        holds(check.getCondition(), &op, state, state.facts) == true)
      return true;
    return proof.stop("this assertion is not shown to hold", &op,
                      "titan.require in the launch region that implies it");
  }
  if (auto given = dyn_cast<AssumeOp>(op)) {
    assumeContents(given, state);
    return true;
  }
  // What does anything to memory or threads lists it as effects.
  if (!isPure(&op) && !isa<TitanDialect, arith::ArithDialect>(op.getDialect()))
    return proof.stop("what this does is not followed by the proof yet", &op);
  if (op.getNumResults() != 1)
    return true;
  MValue result = op.getResult(0);
  if (state.values.contains(result) && isa<CtaIdOp, NumCtasOp, DimOp>(op))
    return true;
  TValue value;
  if (auto counter = counterOf(&op)) {
    value = lastTicket(&op, *counter, state);
  } else if (isa<TokenType>(result.getType()) && !op.getNumOperands()) {
    value.kind = Kind::Token;
    value.none = true;
  } else if (isa<InFlightType>(result.getType()) && !op.getNumOperands()) {
    value.kind = Kind::Flight;
    value.none = true;
  } else if (auto tile = dyn_cast<TileOpInterface>(op)) {
    value = elements(tile, state);
  } else if (isa<ClusterRankOp>(op)) {
    value = TValue::of(rank);
  } else {
    SmallVector<TValue, 3> operands;
    for (MValue operand : op.getOperands())
      operands.push_back(state.values.lookup(operand));
    value = proof.arithmetic.compute(&op, operands, state.facts);
  }
  state.values[result] = value;
  return true;
}

bool Walk::elect(Operation *op, State &state, const Who &who) {
  auto elect = cast<ElectOp>(op);
  Who inside = who;
  inside.lanes = static_cast<Lanes>(who.lanes & Elected);
  if (!inside.lanes)
    return true;
  int warp = -1;
  if (auto number = elect.getWarp()) {
    warp = firstWarp + *number;
    if (!llvm::is_contained(who.warps, warp))
      return true;
    inside.warps = inside.walked = {warp};
  }
  std::vector<TValue> yields;
  if (!block(elect.getBody().front(), state, inside, &yields))
    return false;
  for (auto [result, value] : llvm::zip(op->getResults(), yields)) {
    if (value.kind == Kind::Token && !value.none && warp >= 0)
      value.warp = warp;
    state.values[result] = value;
  }
  return true;
}

bool Walk::specialize(Operation *op, State &state, const Who &who) {
  auto specialize = cast<WarpSpecializeOp>(op);
  if (who.lanes != AllLanes || !state.path.empty())
    return proof.stop("partitions in loops or branches are not followed", op);
  unsigned nextPhase = phase + 1;
  for (auto partition : specialize.getBody().getOps<PartitionOp>()) {
    // How many registers its warps have is the search's.
    if (auto effects = dyn_cast<HardwareEffectsInterface>(*partition)) {
      for (const effect::Effect &effect : proof.effectsOf(effects))
        if (auto *budget = std::get_if<effect::Registers>(&effect.what);
            !budget || budget->kind != effect::Registers::Budget)
          return proof.stop("what this does is not followed by the proof yet",
                            effects);
      proof.reached.insert(effects);
    }
    ++groupNumber;
    phase = nextPhase;
    stamps.clear();
    firstWarp = rank * kernelWarps() + specialize.getFirstWarp(partition);
    regionWarps = partition.getWarps();
    const Who inside = whoAre(firstWarp, regionWarps);
    // Of other warps nothing is asked there, but for products of their warpgroups.
    State own = state;
    auto groupOf = [&](int64_t warp) {
      return (warp - rank * kernelWarps()) /
             std::max<int64_t>(proof.target.warpsPerWarpgroup, 1);
    };
    std::erase_if(own.warps, [&](const auto &entry) {
      return llvm::none_of(inside.walked, [&](int warp) {
        return groupOf(warp) == groupOf(entry.first);
      });
    });
    if (!block(partition.getBody().front(), own, inside, nullptr))
      return false;
    for (int warp : inside.walked)
      state.warps[warp] = own.warps[warp];
    if (!proof.promisesLate)
      proof.atEnd.add(own.facts);
  }
  firstWarp = rank * kernelWarps();
  regionWarps = kernelWarps();
  groupNumber = 1000 * rank;
  phase = nextPhase + 1;
  stamps.clear();
  return true;
}

bool typestate::dependsOnBody(MValue value, Operation *loop) {
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<MValue> stack = {value};
  while (!stack.empty()) {
    MValue next = stack.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (argument.getOwner()->getParentOp() == loop)
        return true;
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (loop->isProperAncestor(op) && seen.insert(op).second)
      llvm::append_range(stack, op->getOperands());
  }
  return false;
}

/// Whether the value is computed from one that an operation of this kind yields.
template <typename Op> static bool computedOf(MValue value, int depth = 0) {
  Operation *op = value.getDefiningOp();
  return op && depth < 16 &&
         (isa<Op>(op) || (isa<arith::ArithDialect>(op->getDialect()) &&
                          llvm::any_of(
                              op->getOperands(),
                              [&](MValue operand) {
                                return computedOf<Op>(operand, depth + 1);
                              })));
}

TValue Walk::ofWarp(MValue value, int warp, State &state) {
  Operation *op = value.getDefiningOp();
  if (!computedOf<WarpIdOp>(value))
    return state.values.lookup(value);
  if (isa<WarpIdOp>(op))
    return TValue::of(warp - (op->getParentOfType<PartitionOp>()
                                  ? firstWarp
                                  : rank * kernelWarps()));
  SmallVector<TValue, 3> operands;
  for (MValue operand : op->getOperands())
    operands.push_back(ofWarp(operand, warp, state));
  return proof.arithmetic.compute(op, operands, state.facts);
}

/// Each warp takes its own side, where none of them signals or waits.
bool Walk::branchOfWarps(Operation *op, State &state, const Who &who) {
  auto branch = cast<scf::IfOp>(op);
  bool quiet = true;
  branch->walk([&](HardwareEffectsInterface inside) {
    for (const effect::Effect &effect : proof.effectsOf(inside))
      quiet &= std::holds_alternative<effect::Access>(effect.what) ||
               std::holds_alternative<effect::Lifetime>(effect.what) ||
               std::holds_alternative<effect::Fence>(effect.what);
  });
  // (In a kernel that asks for a warp's number each is walked.)
  Who sides[2] = {{{}, {}, who.lanes}, {{}, {}, who.lanes}};
  for (int warp : who.warps) {
    const TValue condition = proof.arithmetic.conditionOf(
        ofWarp(branch.getCondition(), warp, state), state.facts);
    auto side = decide(state.facts, condition);
    if (!side || !quiet)
      return proof.stop(side ? "warps that signal or wait on one side of a "
                               "branch are not followed"
                             : "what decides this branch is not followed",
                        op);
    sides[*side].warps.push_back(warp);
    sides[*side].walked.push_back(warp);
  }
  for (bool side : {true, false}) {
    Region &region = side ? branch.getThenRegion() : branch.getElseRegion();
    if (!region.empty() && !sides[side].warps.empty() &&
        !block(region.front(), state, sides[side], nullptr))
      return false;
  }
  for (MValue result : op->getResults())
    state.values[result] = TValue();
  return true;
}

/// Whether all that the branch does is to store to global memory, at once: who signals,
/// waits or reads does not depend on the side.
static bool onlyStores(Proof &proof, Operation *branch) {
  return !branch
              ->walk([&](HardwareEffectsInterface op) {
                for (const effect::Effect &effect : proof.effectsOf(op)) {
                  auto *access = std::get_if<effect::Access>(&effect.what);
                  if (!access || access->kind != AccessKind::Write ||
                      access->mechanism ||
                      !isa<GlobalType>(access->bytes.object.getType()))
                    return WalkResult::interrupt();
                }
                return WalkResult::advance();
              })
              .wasInterrupted();
}

bool Walk::branch(Operation *op, State &state, const Who &who) {
  auto branch = cast<scf::IfOp>(op);
  const TValue condition = proof.arithmetic.conditionOf(
      state.values.lookup(branch.getCondition()), state.facts);
  auto take = [&](bool side) {
    std::vector<TValue> yields;
    Region &region = side ? branch.getThenRegion() : branch.getElseRegion();
    if (!region.empty() && !block(region.front(), state, who, &yields))
      return false;
    for (auto [result, value] : llvm::zip(op->getResults(), yields))
      state.values[result] = value;
    return true;
  };
  if (auto side = decide(state.facts, condition))
    return take(*side);
  bool effects = matters(op);
  if (effects && proof.sums && condition.kind == Kind::Condition &&
      !onlyStores(proof, op))
    for (const Comparison &comparison : condition.all)
      if (comparison.kind == Comparison::AtLeast &&
          !proof.varies(comparison.polynomial) &&
          !decide(state.facts, comparison) &&
          sidesOfBody(op, state, branch.getCondition(),
                      {comparison.polynomial}))
        return false;
  if (effects && computedOf<WarpIdOp>(branch.getCondition()))
    return branchOfWarps(op, state, who);
  // (Of stores alone both sides are walked, as facts of each: no case of all that is.)
  // (Two numbers of which it is not known which one is greater: that first.)
  if (condition.kind == Kind::Condition &&
      (condition.all.size() > 1 ||
       condition.all[0].kind == Comparison::Differs || !onlyStores(proof, op)))
    for (const Comparison &comparison : condition.all)
      if (!proof.varies(comparison.polynomial) && effects &&
          !decide(state.facts, comparison)) {
        // The last iteration alone may differ, and the CTA decide of that.
        if (proof.dependsOnCta(comparison.polynomial))
          for (const Step &step : llvm::reverse(state.path))
            if (step.side < 0 && !step.last && !proof.peels(step.op) &&
                dependsOnBody(branch.getCondition(), step.op)) {
              proof.stop("what decides this branch is not followed", op);
              proof.stopped->peel = step.op;
              return false;
            }
        proof.stopped = Stop{"a branch that the launch decides", op, "",
                             comparison.polynomial};
        return false;
      }
  if (condition.kind != Kind::Condition || condition.all.size() != 1 ||
      condition.all[0].kind == Comparison::Differs) {
    if (!effects) {
      for (MValue result : op->getResults())
        state.values[result] = TValue();
      return true;
    }
    return proof.stop("what decides this branch is not followed", op);
  }
  // Both sides, which have to agree in all but what they touch.
  Comparison yes = condition.all[0], no = yes;
  if (yes.kind == Comparison::AtLeast)
    no.polynomial = Polynomial(-1) - yes.polynomial;
  Facts taken, left;
  assume(taken, yes);
  if (yes.kind == Comparison::AtLeast)
    assume(left, no);
  std::vector<TValue> results;
  // Perhaps it is the last iterations alone that differ.
  auto differ = [&](const char *how) {
    if (yes.kind == Comparison::AtLeast && effects &&
        sidesOfBody(op, state, branch.getCondition(), {yes.polynomial}))
      return false;
    proof.stop(how, op);
    for (const Step &step : llvm::reverse(state.path))
      for (Atom a : step.iteration.atoms())
        if (condition.all[0].polynomial.contains(a) && !step.last &&
            proof.peels(step.op) < mostPeeled) {
          proof.stopped->peel = step.op;
          return false;
        }
    return false;
  };
  auto side = [&](bool then, State &in, std::vector<TValue> &yields) {
    Region &region = then ? branch.getThenRegion() : branch.getElseRegion();
    return region.empty() || block(region.front(), in, who, &yields);
  };
  if (!both(op, state, taken, left,
            yes.kind == Comparison::AtLeast ? Stop::Sides{yes.polynomial}
                                            : Stop::Sides{},
            /*all=*/false, side, differ, results))
    return false;
  for (auto [result, value] : llvm::zip(op->getResults(), results))
    state.values[result] = value;
  return true;
}
