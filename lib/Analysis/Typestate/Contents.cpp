//===- Contents.cpp - what tensors hold, and titan.assume says of it ------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element of a tensor that the kernel does not write is an atom: "contents" of
// the tensor at a place. titan.assume adds facts of it, as a branch taken does. That
// each CTA's element is no greater than the next one, of all CTAs, says that they
// do not fall, however far apart:
//
//   T[c] <= T[c + 1] for all c     T[c + 1] <= T[c'] for c < c'
//
//===----------------------------------------------------------------------===//
#include "Orders.h"
#include "Walk.h"

#include "titan/Dialect/Titan/Contents.h"
#include "titan/Dialect/Titan/SharedMemory.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;
using TValue = titan::typestate::Value;
using MValue = mlir::Value;
using Kind = TValue::Kind;

TValue Walk::contents(Operation *op, State &state) {
  unsigned bits =
      checker::bitsOf(getElementTypeOrSelf(op->getResult(0).getType()));
  const effect::EffectList &effects = proof.effectsOf(op);
  auto *access = effects.size() == 1
                     ? std::get_if<effect::Access>(&effects.begin()->what)
                     : nullptr;
  if (bits < 2 || !access || access->kind != AccessKind::Read ||
      access->sem != effect::Sem::Weak || access->mechanism)
    return TValue();
  const effect::Footprint &bytes = access->bytes;
  auto tensor = dyn_cast<BlockArgument>(bytes.object);
  if (!tensor || !isa<GlobalType>(tensor.getType()) ||
      (bytes.kind != effect::Footprint::Scalar &&
       bytes.kind != effect::Footprint::Elements))
    return TValue();
  MValue root = proof.kernel.getKernelArguments()[tensor.getArgNumber()];
  if (written.contains(root.getAsOpaquePointer()))
    return TValue();
  std::vector<Polynomial> place;
  for (MValue coord : bytes.coords) {
    auto p =
        proof.arithmetic.polynomialOf(state.values.lookup(coord), state.facts);
    if (!p)
      return TValue();
    place.push_back(*p);
  }
  // Under a mask: that, or 0.
  std::string kind = "contents";
  if (bytes.mask) {
    const TValue mask = state.values.lookup(bytes.mask);
    if (mask.kind != Kind::Condition && mask.constant() != 1)
      return TValue();
    for (const Comparison &comparison : mask.all) {
      kind = "masked contents";
      place.push_back(comparison.polynomial);
      place.push_back(Polynomial(int64_t(comparison.kind)));
    }
  }
  Polynomial number = Polynomial::atom(
      proof.atoms.atom(kind, root.getAsOpaquePointer(), std::move(place)));
  int64_t limit = bits < 64 ? int64_t(1) << (bits - 1) : 0;
  if (limit) {
    state.facts.atLeast(number, -limit);
    state.facts.atLeast(limit - 1, number);
  }
  return TValue::of(number);
}

bool typestate::hasLatePromise(Proof &proof) {
  bool waits = false, late = false;
  proof.kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    late |= waits && isa<AssumeOp>(op);
    waits |= isa<scf::WhileOp>(op); // It may poll.
    if (isa<HardwareEffectsInterface>(op))
      for (const effect::Effect &each : proof.effectsOf(op))
        waits |= !std::holds_alternative<effect::Access>(each.what) &&
                 !std::holds_alternative<effect::Lifetime>(each.what) &&
                 !std::holds_alternative<effect::Fence>(each.what) &&
                 !std::holds_alternative<effect::Registers>(each.what);
  });
  return late;
}

void Walk::assumeContents(AssumeOp given, State &state) {
  const TValue holds = proof.arithmetic.conditionOf(
      state.values.lookup(given.getCondition()), state.facts, /*fact=*/true);
  for (const Comparison &comparison : holds.all) {
    assume(state.facts, comparison);
    noteRising(given, comparison);
  }
  if (holds.constant() == 0)
    state.facts.addNonnegative(-1);
  proof.assumptions.insert(given.getMessage().str() + inLine(given.getLoc()));
}

/// Whether `first` has been executed wherever `then` is, of what both can name.
static bool isBehind(Operation *then, Operation *first) {
  Operation *beside = first->getBlock()->findAncestorOpInBlock(*then);
  return beside && first != beside && first->isBeforeInBlock(beside);
}

std::optional<bool> Walk::holds(MValue condition, Operation *op, State &state,
                                const Facts &facts) {
  if (auto known = decide(facts, state.values.lookup(condition)))
    return known;
  if (llvm::any_of(promises, [&](AssumeOp given) {
        return given.getCondition() == condition && isBehind(op, given);
      }))
    return true;
  Operation *made = condition.getDefiningOp();
  if (MValue tile = tileOfVote(condition))
    return holds(tile, op, state, facts) == false ? std::optional(false)
                                                  : std::nullopt;
  if (isa_and_nonnull<arith::XOrIOp>(made) &&
      matchPattern(made->getOperand(1), m_One())) {
    auto other = holds(made->getOperand(0), op, state, facts);
    return other ? std::optional(!*other) : std::nullopt;
  }
  if (!isa_and_nonnull<arith::AndIOp, arith::OrIOp>(made))
    return std::nullopt;
  // What one side decides, or both.
  const bool alone = isa<arith::OrIOp>(made);
  auto left = holds(made->getOperand(0), op, state, facts),
       right = holds(made->getOperand(1), op, state, facts);
  if (left == alone || right == alone)
    return alone;
  return left && right ? std::optional(!alone) : std::nullopt;
}

void Walk::addPromised(MValue condition, Operation *op, State &state,
                       Facts &facts) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    addPromised(both.getLhs(), op, state, facts);
    return addPromised(both.getRhs(), op, state, facts);
  }
  if (auto either = condition.getDefiningOp<arith::OrIOp>()) {
    if (holds(either.getRhs(), op, state, facts) == false)
      addPromised(either.getLhs(), op, state, facts);
    else if (holds(either.getLhs(), op, state, facts) == false)
      addPromised(either.getRhs(), op, state, facts);
    return;
  }
  const TValue holds = proof.arithmetic.conditionOf(
      state.values.lookup(condition), facts, /*fact=*/true);
  for (const Comparison &comparison : holds.all)
    assume(facts, comparison);
}

void Walk::addPromised(Operation *op, State &state, Facts &facts) {
  for (AssumeOp given : promises)
    if (isBehind(op, given))
      addPromised(given.getCondition(), op, state, facts);
}

namespace {
/// Which numbers a number of the CTA's takes, over all CTAs of the grid.
class Taken {
public:
  /// Along one dimension of the grid.
  Taken(Proof &proof, Atom cta)
      : proof(proof), cta(cta),
        ctas(proof.grid[*proof.atoms.operands(cta)[0].constant()]) {}

  /// Polynomials, each linear in v, such that p is v in some CTA where they are all 0
  /// or more; none: not known.
  std::optional<std::vector<Polynomial>> where(Polynomial p,
                                               Polynomial v) const {
    v = v - Polynomial(p.constantTerm());
    p = p - Polynomial(p.constantTerm());
    if (auto count = firstOf(p, cta, ctas))
      return std::vector{v, *count - 1 - v};
    const auto only = p.atoms();
    if (only.size() != 1 || p != Polynomial::atom(only[0]))
      return std::nullopt;
    const std::string kind = proof.atoms.kind(only[0]);
    const std::vector<Polynomial> of = proof.atoms.operands(only[0]);
    // It is v where what is divided is v times the divisor.
    if (kind == "quotient")
      return isPositive(of[1]) ? where(of[0], v * of[1]) : std::nullopt;
    if (kind != "minimum")
      return std::nullopt;
    for (unsigned bound : {0, 1})
      if (!varies(of[bound]))
        if (auto found = where(of[1 - bound], v)) {
          found->push_back(of[bound] - v);
          return found;
        }
    return std::nullopt;
  }

private:
  /// n where p takes all of 0, ..., n - 1 while the atom `from` does so of 0, ..., count
  /// - 1, and of the CTA's is computed from that alone.
  std::optional<Polynomial> firstOf(const Polynomial &p, Atom from,
                                    const Polynomial &count) const {
    if (p == Polynomial::atom(from))
      return count;
    for (Atom a : p.atoms()) {
      const std::string kind = proof.atoms.kind(a);
      const std::vector<Polynomial> of = proof.atoms.operands(a);
      if (kind == "quotient" && p == Polynomial::atom(a) && isPositive(of[1]))
        if (auto count_ = firstOf(of[0], from, count))
          return over(*count_, of[1]);
      // Digits: x = b y + r takes all pairs of y and r < b, of so many times b numbers.
      if (kind == "remainder" && of[0] == Polynomial::atom(from) &&
          isPositive(of[1])) {
        auto above = over(count, of[1]),
             higher = over(p - Polynomial::atom(a), of[1]);
        if (!above || !higher)
          continue;
        const Atom y = proof.atoms.atom("quotient", nullptr, of);
        if (auto found = firstOf(*higher, y, *above))
          return *found * of[1];
      }
    }
    return std::nullopt;
  }
  /// In all CTAs the same.
  bool varies(const Polynomial &p) const {
    return proof.dependsOnCta(p) || proof.varies(p);
  }
  bool isPositive(const Polynomial &p) const {
    return !varies(p) && proof.launch.provesAtLeast(p, 1);
  }

  Proof &proof;
  Atom cta;
  Polynomial ctas;
};
} // namespace

/// Which element, in what is known of those that do not fall.
static Polynomial placeOf(Proof &proof) {
  return Polynomial::atom(proof.atoms.atom("place"));
}

void Walk::noteRising(AssumeOp given, const Comparison &comparison) {
  // All CTAs execute it, and each one as itself.
  for (Operation *op = given->getParentOp(); op != proof.kernel;
       op = op->getParentOp())
    if (!isa<ElectOp, PartitionOp, WarpSpecializeOp>(op))
      return;
  const Polynomial &p = comparison.polynomial;
  auto atoms = p.atoms();
  if (comparison.kind != Comparison::AtLeast || ranks != 1 ||
      atoms.size() != 2 || p.constantTerm() > 0)
    return;
  for (auto [next, here] :
       {std::pair(atoms[0], atoms[1]), std::pair(atoms[1], atoms[0])}) {
    if (p != Polynomial::atom(next) - Polynomial::atom(here) +
                 Polynomial(p.constantTerm()) ||
        proof.atoms.kind(next) != "contents" ||
        proof.atoms.kind(here) != "contents" ||
        proof.atoms.object(next) != proof.atoms.object(here) ||
        proof.atoms.operands(here).size() != 1)
      continue;
    const Polynomial at = proof.atoms.operands(here)[0];
    if (proof.atoms.operands(next)[0] != at + 1)
      continue;
    for (size_t d = 0; d < proof.grid.size(); ++d) {
      const Atom cta =
          proof.atoms.atom("cta", nullptr, {Polynomial(int64_t(d))});
      auto where = Taken(proof, cta).where(at, placeOf(proof));
      if (!where)
        continue;
      Proof::Rising found{proof.atoms.object(here), std::move(*where)};
      if (!llvm::is_contained(proof.rising, found))
        proof.rising.push_back(std::move(found));
    }
  }
}

std::optional<Atom> typestate::nextElement(Proof &proof, Atom element) {
  const void *tensor = proof.atoms.object(element);
  if (proof.atoms.kind(element) != "contents" ||
      llvm::none_of(proof.rising, [&](const Proof::Rising &known) {
        return known.tensor == tensor;
      }))
    return std::nullopt;
  return proof.atoms.atom("contents", tensor,
                          {proof.atoms.operands(element)[0] + 1});
}

void typestate::addRising(Proof &proof, const Access &x, const Access &y,
                          const Facts &all, std::vector<Clause> &clauses) {
  static constexpr size_t mostElements = 4;
  for (const Proof::Rising &tensor : proof.rising) {
    auto elements = [&](const Access &access) {
      std::set<Atom> found;
      auto add = [&](const Polynomial &p) {
        for (Atom a : p.atoms())
          if (proof.atoms.kind(a) == "contents" &&
              proof.atoms.object(a) == tensor.tensor &&
              found.size() < mostElements)
            found.insert(a);
      };
      // Those that tell the place, and where their rows end; or any that are known.
      for (const Polynomial &p : access.coordinates)
        add(p);
      if (found.empty())
        for (const Polynomial &p : access.facts.nonnegative)
          add(p);
      else
        for (Atom a : std::set<Atom>(found))
          found.insert(*nextElement(proof, a));
      return found;
    };
    for (Atom a : elements(x))
      for (Atom b : elements(y)) {
        const Polynomial here = proof.atoms.operands(a)[0],
                         there = other(proof,
                                       Polynomial(proof.atoms.operands(b)[0]),
                                       Instance::Cta),
                         mine = Polynomial::atom(a),
                         theirs =
                             other(proof, Polynomial::atom(b), Instance::Cta);
        if (mine == theirs)
          continue;
        // The lower element is no greater, where all from it up to the other one are
        // no greater than the next: that is asked of the first and the last of those.
        auto inOrder = [&](const Polynomial &low, const Polynomial &ofLow,
                           const Polynomial &high, const Polynomial &ofHigh) {
          Facts order;
          order.atLeast(high, low + 1);
          Facts known = all;
          known.add(order);
          const Atom place = placeOf(proof).atoms()[0];
          if (llvm::all_of(tensor.where, [&](const Polynomial &where) {
                return known.provesAtLeast(where.substitute(place, low), 0) &&
                       known.provesAtLeast(where.substitute(place, high - 1),
                                           0);
              }))
            order.atLeast(ofHigh, ofLow);
          return order;
        };
        Facts at;
        at.equal(here, there);
        at.equal(mine, theirs);
        const Facts before = inOrder(here, mine, there, theirs),
                    behind = inOrder(there, theirs, here, mine);
        clauses.push_back({before, at, behind});
      }
  }
}
