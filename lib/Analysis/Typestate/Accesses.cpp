//===- Accesses.cpp - where accesses lie, and what comes after them -------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Walk.h"

#include "titan/Domain/TensorMap.h"
#include "titan/Target/Target.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;
using TValue = titan::typestate::Value;
using MValue = mlir::Value;
using Kind = TValue::Kind;

bool Walk::started(const Access &access, State &state) {
  remote = true;
  const WarpState &w = state.warps[access.warp];
  auto waited = w.waits[elected].find(proof.object(Object{Object::Cluster}));
  return (access.cta < ranks && waited != w.waits[elected].end() &&
          state.facts.provesAtLeast(waited->second, 1)) ||
         proof.stop("the peer is not shown to have started: no barrier of "
                    "the cluster stands between",
                    access.op);
}

/// Of a column of tensor memory in one lane (PTX ISA, Tensor Memory: 32 bits).
static constexpr int64_t bytesOfColumn = 4;

bool Walk::locate(Access &access, const effect::Access &effect, State &state,
                  int rank) {
  effect::MemoryRegion region =
      proof.shared.resolver.resolve(effect.bytes, effect.kind, rank);
  if (effect.bytes.ctas.kind != effect::CtaSet::Own &&
      effect.mechanism != Mechanism::Phase &&
      !(effect.mechanism == Mechanism::TensorCore &&
        effect.bytes.ctas.kind == effect::CtaSet::Pair))
    return proof.stop("memory of peer CTAs is not followed by the proof yet",
                      access.op);
  if (region.base.rank) {
    auto peer = state.values.lookup(region.base.rank).constant();
    if (!peer || *peer < 0 || *peer >= ranks)
      return proof.stop("which CTA's memory this is, is not followed",
                        access.op);
    access.cta = *peer;
    // Its CTA has started: a round of the cluster's barrier.
    if (access.cta != this->rank && !started(access, state))
      return false;
  }
  if (region.shape && region.shape->kind == effect::Shape::Cells) {
    access.firstLane = region.shape->firstLane;
    access.lastLane = region.shape->lastLane;
    int64_t bytes = region.shape->columns * bytesOfColumn;
    effect::Shape &lane = proof.scalars[bytes];
    lane.bytes = ByteSet(0, bytes);
    region.shape = &lane;
  }
  int64_t within = 0;
  auto shared = dyn_cast<SharedType>(effect.bytes.object.getType());
  if (region.shape && region.shape->kind == effect::Shape::Element && shared) {
    // One element, at numbers that are known or, of rows that no swizzle
    // mixes, at polynomials.
    SmallVector<int64_t, 4> at(shared.getShape().size(), 0), step = at;
    for (auto [d, coord] : llvm::enumerate(effect.bytes.coords)) {
      auto p = proof.arithmetic.polynomialOf(state.values.lookup(coord),
                                             access.facts);
      if (!p || !access.facts.provesAtLeast(*p, 0) ||
          !access.facts.provesAtLeast(shared.getShape()[d] - 1, *p))
        return proof.stop("which element this is, is not followed", access.op);
      if (auto number = p->constant()) {
        at[d] = *number;
        continue;
      }
      if (shared.getSwizzle())
        return proof.stop("which element this is, is not followed", access.op);
      step[d] = 1;
      access.run += *p * Polynomial(shared.getByteOffset(step));
      step[d] = 0;
    }
    within = shared.getByteOffset(at);
    effect::Shape &shape = proof.scalars[region.shape->elementBytes];
    shape.bytes = ByteSet(0, region.shape->elementBytes);
    region.shape = &shape;
  }
  if (!region.shape || (region.shape->kind != effect::Shape::Bytes &&
                        region.shape->kind != effect::Shape::Lanes))
    return proof.stop("places of this kind are not followed by the proof yet",
                      access.op);
  access.root = region.base.root;
  access.shape = region.shape;
  access.offset = region.base.offset.constant + within;
  if (!access.root.getDefiningOp())
    return proof.stop("which memory this names is not followed", access.op);
  for (const effect::Affine::Term &term : region.base.offset.terms) {
    const TValue value = state.values.lookup(term.value);
    const effect::Base::Slot *ring = nullptr;
    for (const effect::Base::Slot &slot : region.base.slots)
      if (slot.index == term.value && slot.stride == term.scale)
        ring = &slot;
    auto constant = value.constant();
    if (!ring || access.slots) {
      auto place = proof.arithmetic.polynomialOf(value, access.facts);
      if (constant)
        access.offset += *constant * term.scale;
      else if (!place || region.shape->kind != effect::Shape::Bytes)
        return proof.stop("where in its buffer this is, is not followed",
                          access.op);
      else
        access.run += *place * Polynomial(term.scale);
      continue;
    }
    access.slots = ring->slots;
    access.stride = ring->stride;
    bool inside = false;
    if (constant) {
      access.slot = *constant;
      inside = *constant >= 0 && *constant < ring->slots;
    } else if (value.kind == Kind::Cycle) {
      // A number modulo the slots, or so many times that and so far on.
      int64_t size = value.table.size(), slots = ring->slots,
              times =
                  ((value.table[1] - value.table[0]) % slots + slots) % slots;
      bool ramp = times * size % slots == 0;
      for (int64_t i = 0; ramp && i < size; ++i)
        ramp = value.table[i] >= 0 && value.table[i] < slots &&
               value.table[i] == (value.table[0] + i * times) % slots;
      if (!ramp)
        return proof.stop("the slot is not a number modulo the slots",
                          access.op);
      access.slot =
          value.number * Polynomial(times) + Polynomial(value.table[0]);
      inside = true;
    } else if (value.kind == Kind::Number) {
      access.slot = value.number;
      inside = state.facts.provesAtLeast(value.number, 0) &&
               state.facts.provesAtLeast(ring->slots - 1, value.number);
    }
    if (!inside)
      return proof.stop("the slot is not shown to be one of the ring's",
                        access.op,
                        "a remainder by the number of slots, or titan.require");
  }
  bool moves =
      !access.run.constant() || (access.mechanism == Mechanism::Phase &&
                                 access.slots && !access.slot.constant());
  return !moves || locateRun(access, state);
}

/// Iterations of which each one's run is looked at.
static constexpr int64_t mostInstances = 1 << 14;

/// A polynomial at numbers of iterations, none of which is negative; none where other
/// things are in it.
static std::optional<int64_t> evaluate(const Atoms &atoms, const Polynomial &p,
                                       const std::map<Atom, int64_t> &numbers) {
  auto result = p.substitute([&](Atom a) -> std::optional<Polynomial> {
    if (auto found = numbers.find(a); found != numbers.end())
      return Polynomial(found->second);
    const std::string &kind = atoms.kind(a);
    std::vector<int64_t> in;
    for (const Polynomial &operand : atoms.operands(a)) {
      auto number = evaluate(atoms, operand, numbers);
      if (!number)
        return std::nullopt;
      in.push_back(*number);
    }
    if (in.size() < 2 || in[0] < 0 || in[1] < 0)
      return std::nullopt;
    if (kind == arith::XOrIOp::getOperationName())
      return Polynomial(in[0] ^ in[1]);
    if (kind == arith::OrIOp::getOperationName())
      return Polynomial(in[0] | in[1]);
    if (kind == arith::AndIOp::getOperationName())
      return Polynomial(in[0] & in[1]);
    // (Of whatever width: the number is not negative.)
    if (StringRef(kind).starts_with(arith::ShRUIOp::getOperationName()) &&
        in[1] < 63)
      return Polynomial(in[0] >> in[1]);
    // A table's entries stand behind the place in it.
    if (kind == "cycle")
      return Polynomial(in[in[0] % (in.size() - 1) + 1]);
    if (in[1] && (kind == "quotient" || kind == "remainder"))
      return Polynomial(kind == "quotient" ? in[0] / in[1] : in[0] % in[1]);
    return std::nullopt;
  });
  return result.constant();
}

bool Walk::locateRun(Access &access, State &state) {
  int64_t limit = access.stride;
  if (!access.slots) {
    auto type = dyn_cast<SharedType>(access.root.getType());
    limit = !type                  ? 0
            : type.getSlots() == 1 ? type.getTileBytes()
                                   : type.getSlots() * type.getSlotBytes();
    if (auto cells = dyn_cast<TensorMemoryType>(access.root.getType()))
      limit = cells.getSlots() * cells.getColumns() * bytesOfColumn;
  }
  Polynomial at = access.run + Polynomial(access.offset);
  if (access.ofCells() && !at.dividedBy(bytesOfColumn))
    return proof.stop("these columns are not shown to begin at one", access.op);
  auto own = access.shape->bytes.intervals();
  if (own.size() != 1)
    return proof.stop("places of this kind are not followed by the proof yet",
                      access.op);
  // Each iteration's place, where all of them can be looked at.
  std::vector<std::pair<Atom, int64_t>> loops;
  int64_t instances = 1;
  bool counted = true;
  for (const Step &step : access.path)
    for (Atom a : step.iteration.atoms()) {
      auto trips = proof.trips.find(step.op);
      counted &= !step.last && trips != proof.trips.end() && trips->second;
      if (!counted)
        continue;
      loops.emplace_back(a, *trips->second);
      instances *= std::max<int64_t>(*trips->second - 1, 0);
      counted &= instances <= mostInstances;
    }
  std::vector<ByteSet::Interval> runs, whole;
  std::map<Atom, int64_t> numbers;
  bool inside = true;
  for (int64_t n = 0; counted && n < instances; ++n) {
    int64_t rest = n;
    for (auto [atom, trips] : loops) {
      numbers[atom] = rest % (trips - 1) + 1;
      rest /= trips - 1;
    }
    auto place = evaluate(proof.atoms, at, numbers),
         slot = evaluate(proof.atoms, access.slot, numbers);
    counted = place && slot;
    if (!counted)
      break;
    ByteSet::Interval bytes = {*place + own[0].begin, *place + own[0].end};
    inside &= bytes.begin >= 0 && bytes.end <= limit;
    runs.push_back(bytes);
    int64_t slots = std::max<int64_t>(access.slots, 1),
            from = (*slot % slots + slots) % slots * access.stride;
    whole.push_back({bytes.begin + from, bytes.end + from});
  }
  if (counted) {
    access.runs = ByteSet::of(std::move(runs));
    access.whole = ByteSet::of(std::move(whole));
    access.apart =
        access.whole->bytes() == instances * (own[0].end - own[0].begin);
  } else if (!access.run.constant()) {
    inside = access.facts.provesAtLeast(at + Polynomial(own[0].begin), 0) &&
             access.facts.provesAtLeast(limit, at + Polynomial(own[0].end));
  }
  return inside || proof.stop("this run is not shown to lie inside of its "
                              "buffer",
                              access.op, "titan.require of what the sizes are");
}

bool Walk::locateGlobal(Access &access, const effect::Access &effect,
                        State &state, bool alone) {
  const effect::Footprint &bytes = effect.bytes;
  auto polynomial = [&](MValue value) {
    return proof.arithmetic.polynomialOf(state.values.lookup(value),
                                         access.facts);
  };
  if (bytes.kind == effect::Footprint::Box) {
    access.map = dyn_cast_or_null<TensorMapOp>(getTensorMapOp(bytes.object));
    if (access.map ? access.map.getType().isIm2col() ||
                         access.map.getType().getInterleave()
                   : isa<TensorMapType>(bytes.object.getType()))
      return proof.stop("writes through this map are not followed by the proof "
                        "yet",
                        access.op);
    if (!bytes.steps.empty() || !bytes.offsets.empty())
      return proof.stop("boxes with steps or pixels are not followed by the "
                        "proof yet",
                        access.op);
    access.extents.assign(bytes.extents.begin(), bytes.extents.end());
    for (MValue coord : bytes.coords) {
      auto p = polynomial(coord);
      if (!p)
        return proof.stop(
            "coordinate " + std::to_string(access.coordinates.size()) +
                " of what is written is not a polynomial of sizes, ids and "
                "iterations",
            access.op);
      Facts facts = access.facts;
      if (!facts.provesAtLeast(*p, 0))
        return proof.stop(
            "coordinate " + std::to_string(access.coordinates.size()) +
                " of what is written is not shown to be 0 or more",
            access.op,
            "titan.require, or a branch, that keeps it from being negative");
      access.coordinates.push_back(*p);
    }
    return true;
  }
  if (bytes.kind != effect::Footprint::Elements &&
      bytes.kind != effect::Footprint::Scalar)
    return proof.stop("accesses of this kind are not followed by the proof yet",
                      access.op);
  if (bytes.kind == effect::Footprint::Scalar &&
      effect.kind != AccessKind::Read && (!alone || access.lanes != Elected))
    return proof.stop("several threads write this element", access.op,
                      "titan.elect warp(0)");
  if (bytes.mask) {
    const TValue mask = state.values.lookup(bytes.mask);
    if (mask.kind != Kind::Condition && mask.constant() != 1)
      return proof.stop("which elements this touches is not followed",
                        access.op);
    for (const Comparison &comparison : mask.all)
      assume(access.facts, comparison);
    addPromised(access.op, state, access.facts);
  }
  auto tensor = dyn_cast<BlockArgument>(bytes.object);
  if (!tensor)
    return proof.stop("which tensor this touches is not followed", access.op);
  if (auto tile = bytes.coords.empty()
                      ? RankedTensorType()
                      : dyn_cast<RankedTensorType>(bytes.coords[0].getType()))
    for (int64_t d = 0; d < tile.getRank(); ++d)
      for (Atom a : coordinate(tile, d, access.facts).atoms())
        access.element.push_back(a);
  for (auto [d, coord] : llvm::enumerate(bytes.coords)) {
    auto p = polynomial(coord);
    if (!p)
      return proof.stop("which elements this touches is not a polynomial of "
                        "sizes, ids, iterations and coordinates",
                        access.op);
    Facts facts = access.facts;
    Polynomial size = proof.sizeOf(tensor, d, facts);
    if (proof.without != Judgement::Inside &&
        (!facts.provesAtLeast(*p, 0) || !facts.provesAtLeast(size - 1, *p)))
      return proof.stop("index " + std::to_string(d) +
                            " is not shown to lie inside of the tensor",
                        access.op,
                        "a mask that compares it with the size, or "
                        "titan.require of what the sizes are");
    access.coordinates.push_back(*p);
    access.extents.push_back(1);
  }
  return true;
}

/// Nothing clips a bulk copy: its box lies in the tensor.
bool Walk::insideTensor(Operation *op, const effect::Footprint &bytes,
                        State &state, bool zeros) {
  auto tensor = dyn_cast<BlockArgument>(bytes.object);
  if (!tensor || !bytes.steps.empty() || !bytes.offsets.empty())
    return proof.stop("where this copies is not followed by the proof yet", op);
  Facts known = state.facts;
  proof.addEithers(known);
  for (auto [d, coord] : llvm::enumerate(bytes.coords)) {
    Facts facts = known;
    auto p = proof.arithmetic.polynomialOf(state.values.lookup(coord), facts);
    Polynomial size = proof.sizeOf(tensor, d, facts);
    if (proof.without == Judgement::Inside)
      continue;
    if (!p || !facts.provesAtLeast(*p, 0) ||
        (!(zeros && d == 0) &&
         !facts.provesAtLeast(size, *p + Polynomial(bytes.extents[d]))))
      return proof.stop("dimension " + std::to_string(d) +
                            " of what this copies is not shown to lie inside "
                            "of the tensor",
                        op, "titan.require of what the sizes are");
  }
  return true;
}

void Walk::assumeCoordinates(const effect::Footprint &bytes, State &state) {
  const char *assumed =
      "coordinates of tensor maps fit into 32 bits (sizes up to 2^31)";
  if (proof.assumptions.contains(assumed))
    return;
  for (MValue coord : bytes.coords) {
    Facts facts = state.facts;
    auto p = proof.arithmetic.polynomialOf(state.values.lookup(coord), facts);
    if (!p || !facts.provesAtLeast((int64_t(1) << 31) - 1, *p) ||
        !facts.provesAtLeast(*p, -(int64_t(1) << 31)))
      proof.assumptions.insert(assumed);
  }
}

/// A load through an im2col map starts in its bounding box.
bool Walk::startsInside(Operation *op, const effect::Footprint &bytes,
                        State &state) {
  auto map = dyn_cast_or_null<TensorMapOp>(getTensorMapOp(bytes.object));
  if (map && !map.getType().isIm2col())
    return true;
  auto stop = [&] {
    return proof.stop("this copy is not shown to start in the bounding box of "
                      "its map",
                      op);
  };
  if (!map || map.getType().getInterleave())
    return stop();
  Facts facts = state.facts;
  auto polynomial = [&](MValue value) {
    return proof.arithmetic.polynomialOf(state.values.lookup(value), facts);
  };
  // Rows and columns stand between images and channels.
  ArrayRef<int64_t> lower = map.getType().getLower(),
                    upper = map.getType().getUpper();
  for (size_t d = 0; d < lower.size(); ++d) {
    auto at = polynomial(bytes.coords[d + 1]);
    std::optional<Polynomial> size;
    if (map.isView())
      size = polynomial(map.getDims()[d + 1]);
    else
      size = proof.sizeOf(cast<BlockArgument>(map.getTensor()), d + 1, facts);
    if (!at || !size || !facts.provesAtLeast(*at, lower[d]) ||
        !facts.provesAtLeast(*size - 1 + Polynomial(upper[d]), *at))
      return stop();
  }
  int64_t most = maxIm2colOffset(map.getType().getRank());
  for (MValue offset : bytes.offsets) {
    auto p = polynomial(offset);
    if (!p || !facts.provesAtLeast(*p, 0) || !facts.provesAtLeast(most, *p))
      return stop();
  }
  return true;
}

/// One thread holds each element of the tile.
static bool heldOnce(RankedTensorType tile) {
  if (!tile)
    return false;
  auto layout = getTileLayout(tile);
  return layout && layout->replication() == 1;
}

bool Walk::access(Operation *op, unsigned number, const effect::Access &effect,
                  State &state, const Who &who, const Phases &phases) {
  const effect::Footprint &bytes = effect.bytes;
  // Barriers have rules of their own, and maps of the launch never change.
  if (bytes.kind == effect::Footprint::Object &&
      (isa<MBarrierType>(bytes.object.getType()) ||
       getTensorMapOp(bytes.object)))
    return true;
  // A product that does not add does not read its sums.
  if (effect.when &&
      decide(state.facts, state.values.lookup(effect.when)) == false)
    return true;
  if (!behindGrids(op, bytes.object, effect.kind, state, who))
    return false;
  MValue named = bytes.object;
  if (isa<TensorMapType>(named.getType()))
    named = getMappedTensor(named);
  if (auto counter = counterOf(op);
      counter && effect.kind == AccessKind::Reduction)
    return takeTicket(op, *counter, effect, state, who);
  if (auto tensor = dyn_cast_or_null<BlockArgument>(named);
      tensor && isa<GlobalType>(tensor.getType()) &&
      flagged.contains(proof.kernel.getKernelArguments()[tensor.getArgNumber()]
                           .getAsOpaquePointer()))
    return signalFlag(op, effect, state, who);
  if (mode == Mode::Slope) {
    if (effect.mechanism == Mechanism::TensorCore)
      for (int warp : who.walked)
        state.warps[warp].unbound.insert({*effect.mechanism, elected});
    if (effect.mechanism && effect.kind != AccessKind::Read &&
        effect.mechanism == Mechanism::AsyncGroup)
      for (int warp : who.walked)
        state.warps[warp].unbound.insert({*effect.mechanism, elected});
    if (effect.mechanism == Mechanism::BulkGroup ||
        effect.mechanism == Mechanism::MmaGroup)
      for (int warp : who.walked)
        state.warps[warp].unbound.insert({*effect.mechanism, elected});
    return true;
  }
  MValue memory = bytes.object;
  bool global =
      isa<GlobalType>(memory.getType()) || isa<TensorMapType>(memory.getType());
  // Reductions by bulk copies are writes that do not conflict with their like.
  if (effect.sem != effect::Sem::Weak ||
      (effect.reduction &&
       !(global && effect.mechanism == Mechanism::BulkGroup)))
    return proof.stop("strong accesses and reductions are not followed by the "
                      "proof yet",
                      op);
  if (global) {
    MValue tensor =
        isa<TensorMapType>(memory.getType()) ? getMappedTensor(memory) : memory;
    auto argument = dyn_cast_or_null<BlockArgument>(tensor);
    if (!argument)
      return proof.stop("which tensor this touches is not followed", op);
    // Under a mask that holds nowhere nothing is touched.
    if (bytes.mask && !effect.mechanism &&
        state.values.lookup(bytes.mask).constant() == 0)
      return true;
    bool box = bytes.kind == effect::Footprint::Box;
    unsigned position = argument.getArgNumber();
    MValue root = proof.kernel.getKernelArguments()[position];
    bool shared = written.contains(root.getAsOpaquePointer());
    bool exchange = exchanged.contains(root.getAsOpaquePointer());
    if (exchange &&
        (box || effect.mechanism || effect.proxy != Proxy::Generic ||
         storeCounter(proof.target, MemorySpace::Global) ||
         (bytes.kind == effect::Footprint::Elements && !heldOnce(bytes.tile))))
      return proof.stop("copies to and from a tensor that the kernel reads and "
                        "writes are not followed by the proof yet",
                        op);
    Access access;
    access.op = op;
    access.effect = &effect;
    access.warp = who.warps[0];
    access.lanes = who.lanes;
    access.kind = effect.kind;
    access.proxy = effect.proxy;
    access.mechanism = effect.mechanism;
    access.reduction = effect.reduction;
    access.root = root;
    access.facts = state.facts;
    access.path = state.path;
    // Copies leave out what lies outside; who writes, matters.
    if (box && !(isa<TensorMapType>(memory.getType())
                     ? shared || startsInside(op, bytes, state)
                     : insideTensor(op, bytes, state,
                                    effect.engine() == Engine::VectorMemory)))
      return false;
    if (box && isa<TensorMapType>(memory.getType()) && mode == Mode::Final &&
        enforce)
      assumeCoordinates(bytes, state);
    if (shared || !box)
      if (!locateGlobal(access, effect, state, who.warps.size() == 1))
        return false;
    if (shared) {
      if (effect.mechanism && effect.mechanism != Mechanism::BulkGroup)
        return proof.stop("this write is not followed by the proof yet", op);
      if (enforce && exchange) {
        // Each warp's own, with what comes after it.
        access.exchanged = true;
        for (int warp : who.walked) {
          Access mine = access;
          const WarpState &w = state.warps[warp];
          mine.warp = warp;
          mine.cta = rank;
          mine.knows = who.lanes == AllLanes
                           ? common(state, w.knows[elected], w.knows[others])
                           : w.knows[who.lanes & Elected ? elected : others];
          pend(record(std::move(mine), number), state, warp,
               iterationsHere(state));
        }
      } else if (enforce)
        record(std::move(access), number);
      if (effect.mechanism)
        for (int warp : who.walked)
          state.warps[warp].unbound.insert({*effect.mechanism, elected});
    }
    return true;
  }
  if (!isa<SharedType, TensorMemoryType>(memory.getType()))
    return proof.stop("memory of this kind is not followed by the proof yet",
                      op);
  if (effect.mechanism && effect.mechanism != Mechanism::Phase &&
      effect.mechanism != Mechanism::BulkGroup &&
      effect.mechanism != Mechanism::MmaGroup &&
      !(effect.mechanism == Mechanism::TensorCore && who.lanes == Elected) &&
      !((effect.mechanism == Mechanism::AsyncGroup ||
         countedAtIssue(*effect.mechanism)) &&
        who.lanes == AllLanes))
    return proof.stop("asynchronous accesses of this kind are not followed by "
                      "the proof yet",
                      op);
  const Iterations own = iterationsHere(state); // (One for all warps.)
  for (int warp : who.walked) {
    WarpState &w = state.warps[warp];
    Access access;
    access.op = op;
    access.effect = &effect;
    access.warp = warp;
    access.lanes = who.lanes;
    access.kind = effect.kind;
    access.proxy = effect.proxy;
    access.mechanism = effect.mechanism;
    access.facts = state.facts;
    access.path = state.path;
    access.cta = rank;
    if (!letter(access, state))
      return false;
    // Each warp has its own part.
    std::vector<std::pair<int, Place>> parts;
    if (enforce)
      for (int other : othersLike(warp)) {
        Access its = access;
        if (!locate(its, effect, state, other - firstWarp))
          return false;
        parts.emplace_back(other, its);
      }
    if (!locate(access, effect, state, warp - firstWarp))
      return false;
    bool product = effect.mechanism == Mechanism::MmaGroup;
    const Knowledge *knows = product ? w.atProduct : w.knows;
    const Knowledge *atFence = access.ofCells() ? w.atProduct : w.atFence;
    if (!enforce) {
      // What it knows is not asked yet.
    } else if (who.lanes == AllLanes) {
      access.knows = common(state, knows[elected], knows[others]);
      access.atFence = common(state, atFence[elected], atFence[others]);
    } else {
      int lane = who.lanes & Elected ? elected : others;
      access.knows = knows[lane];
      access.atFence = atFence[lane];
      if (!proof.narrow.empty() && effect.mechanism == Mechanism::Phase)
        access.sees = w.sees[lane];
    }
    std::optional<std::pair<ObjectId, Polynomial>> group;
    if (effect.mechanism == Mechanism::Phase) {
      bool any = false;
      for (auto &[place, phase] : phases)
        if (place.first == warp) {
          any = true;
          // A copy to a peer reads its own CTA's memory.
          if (effect.kind == AccessKind::Read)
            access.cta = rank;
          else if (effect::baseOf(memory).rank && access.cta != place.second)
            return proof.stop("this copies to one CTA and tells another one",
                              op);
          else
            access.cta = place.second;
          if (effect.bytes.ctas.peer && access.cta == rank)
            return proof.stop("this copy to a peer goes to its own CTA", op);
          if (!enforce)
            continue;
          size_t index = record(access, number);
          addRelease(proof.accesses[index].releases, phase);
        }
      if (!any)
        return proof.stop("what tells the end of this copy is not followed",
                          op);
      continue;
    }
    if (effect.mechanism == Mechanism::TensorCore) {
      // (Of a pair's product each CTA's part.)
      w.unbound.insert({*effect.mechanism, elected});
      if (effect.bytes.ctas.kind == effect::CtaSet::Pair) {
        Access peer = access;
        peer.cta = rank ^ 1;
        if (!started(peer, state))
          return false;
        if (enforce)
          pend(record(std::move(peer), number), state, warp, own);
      }
    } else if (effect.mechanism) {
      ObjectId stream = groups(*effect.mechanism, warp, elected);
      bool counted = countedAtIssue(*effect.mechanism);
      Polynomial last = counted ? lastIssued(op, *effect.mechanism, w, stream)
                                : w.next[stream];
      ObjectId over = effect.kind == AccessKind::Read
                          ? reads(*effect.mechanism, warp, elected)
                          : stream;
      group = {over, last};
      if (!counted)
        w.unbound.insert({*effect.mechanism, elected});
    } else if (auto counter =
                   storeCounter(proof.target, MemorySpace::SharedOwn);
               counter && effect.kind != AccessKind::Read &&
               proof.without != Judgement::PlainStores) {
      ObjectId plain = stores(*counter, warp);
      group = {plain, w.next[plain] - 1};
    }
    if (!enforce)
      continue;
    size_t index = record(std::move(access), number);
    for (auto &[other, part] : parts)
      placesOfOthers[{index, other}] = std::move(part);
    if (group)
      addRelease(proof.accesses[index].releases,
                 {group->first, group->second, false, {}});
    pend(index, state, warp, own, group);
  }
  return true;
}
