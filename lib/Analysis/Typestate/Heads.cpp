//===- Heads.cpp - what a loop carries, at a later iteration --------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Walk.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;
using TValue = titan::typestate::Value;
using MValue = mlir::Value;
using Kind = TValue::Kind;

/// What was e1, e2 behind the first two iterations, and e3 behind the third one, as
/// it is at t: e1 + d (t - 1), and, where each adds s more than the one before,
/// s (0 + 1 + ... + (t - 2)).
Polynomial Walk::curve(const Turn &turn, const Polynomial &e1,
                       const Polynomial &e2,
                       const std::optional<Polynomial> &e3) {
  Atoms &atoms = proof.atoms;
  Polynomial more = e2 - e1;
  if (turn.sums && proof.varies(more)) {
    // Computed anew each time: what the iteration before has left.
    if (atoms.substitute(e2, turn.atom, 0, nullptr) == e1)
      return atoms.substitute(e2, turn.atom, turn.t - 1, nullptr);
    // What is computed anew each time, and was so in the iteration before: it is left
    // once, and its like of the first iteration is not.
    Polynomial anew, before;
    for (auto &[monomial, coefficient] : more.monomials()) {
      Polynomial one = coefficient;
      for (Atom a : monomial)
        one = one * Polynomial::atom(a);
      const Polynomial earlier =
          atoms.substitute(one, turn.atom, turn.t - 1, nullptr);
      if (earlier == one || earlier.monomials().size() != 1)
        continue;
      const auto &[like, times] = earlier.monomials()[0];
      if (llvm::any_of(more.monomials(), [&](const auto &other) {
            return other.first == like && other.second == -times;
          })) {
        anew += one;
        before += earlier;
      }
    }
    const Polynomial since =
        before - atoms.substitute(anew, turn.atom, 0, nullptr);
    more = more - anew + before;
    if (!proof.varies(more))
      return e1 + since + more * (turn.t - 1);
    Polynomial term = atoms.substitute(more, turn.atom, atoms.each(), nullptr);
    // (Of this iteration alone.)
    if (!atoms.dependsOn(more, [&](Atom a) {
          const std::string &kind = atoms.kind(a);
          return kind == "sum" || kind == "copy" || kind == "coordinate" ||
                 kind == "each" || (kind == "iteration" && a != turn.atom);
        })) {
      added.insert(term);
      return e1 + since + atoms.sum(turn.t, term);
    }
  }
  Polynomial result = e1 + more * (turn.t - 1);
  if (e3 && !turn.sums)
    if (Polynomial faster = *e3 - e2 - more; faster != Polynomial())
      result += faster * atoms.triangle(turn.t - 1, nullptr);
  return result;
}

Counters Walk::line(const Turn &turn, const Counters &first,
                    const Counters &second, const Counters *third,
                    bool counter) {
  Counters result;
  auto at = [](const Counters &table, ObjectId key) {
    auto found = table.find(key);
    return found == table.end() ? Polynomial() : found->second;
  };
  for (auto &[key, e2] : second) {
    // (What was not known is that all uses below 0 are over.)
    if (auto number = e2.constant();
        !counter && !first.contains(key) && number && *number <= 0)
      continue;
    result.append(key,
                  curve(turn, at(first, key), e2,
                        third ? std::optional(at(*third, key)) : std::nullopt));
  }
  return result;
}

std::optional<State> Walk::head(const Turn &turn, const State &first,
                                const State &second, const State *third) {
  Operation *op = turn.op;
  State result = first;
  // Those of many warps and lanes are the same.
  std::map<std::tuple<const void *, const void *, const void *, bool>, Counters>
      lines;
  auto lineOf = [&](const Counters &a, const Counters &b, const Counters *c,
                    bool counter) -> const Counters & {
    auto [found, fresh] = lines.try_emplace(
        {a.identity(), b.identity(), c ? c->identity() : nullptr, counter});
    if (fresh)
      found->second = line(turn, a, b, c, counter);
    return found->second;
  };
  for (auto &[warp, w] : result.warps) {
    const WarpState &a = first.warps.at(warp), &b = second.warps.at(warp),
                    *c = third ? &third->warps.at(warp) : nullptr;
    for (int lane : {elected, others}) {
      auto each = [&](Counters(WarpState::*list)[2], bool counter) {
        (w.*list)[lane] = lineOf((a.*list)[lane], (b.*list)[lane],
                                 c ? &(c->*list)[lane] : nullptr, counter);
      };
      for (auto list : {&WarpState::knows, &WarpState::sees,
                        &WarpState::atFence, &WarpState::atProduct})
        each(list, false);
      for (auto list :
           {&WarpState::waits, &WarpState::arrivals, &WarpState::skipped})
        each(list, true);
      if (a.bytes[lane] != b.bytes[lane]) {
        proof.stop("bytes are expected in one iteration and copied in another",
                   op);
        return std::nullopt;
      }
    }
    w.next = lineOf(a.next, b.next, c ? &c->next : nullptr, true);
    w.productFence = a.productFence && b.productFence;
    if (a.unbound != b.unbound) {
      proof.stop("what an iteration issues is committed in another one", op);
      return std::nullopt;
    }
    w.pending.clear();
    w.waited.clear();
  }
  return result;
}

void Walk::substitute(State &state, Atom atom, const Polynomial &by) {
  // Those of many warps are the same.
  scalars::PolynomialTable known;
  // (The keys keep what they are of, so that no other one gets its place.)
  std::map<const void *, std::pair<Counters, Counters>> tables;
  auto table = [&](Counters &numbers) {
    auto [same, fresh] = tables.try_emplace(numbers.identity());
    if (!fresh) {
      numbers = same->second.second;
      return;
    }
    same->second.first = numbers;
    numbers.forEach([&](ObjectId, Polynomial &p) {
      auto [found, fresh] = known.try_emplace(p);
      if (fresh)
        found->second = proof.atoms.substitute(p, atom, by, &state.facts);
      p = found->second;
    });
    same->second.second = numbers;
  };
  for (auto &[warp, w] : state.warps) {
    for (int lane : {elected, others}) {
      table(w.knows[lane]);
      table(w.sees[lane]);
      table(w.atFence[lane]);
      table(w.atProduct[lane]);
      table(w.waits[lane]);
      table(w.arrivals[lane]);
      table(w.skipped[lane]);
    }
    table(w.next);
  }
}

bool Walk::sameNumbers(Operation *op, State &end, State &next, bool &changed,
                       State &guess) {
  // What does not hold any more; of many warps and lanes it is the same.
  std::map<std::pair<const void *, const void *>, std::vector<ObjectId>>
      dropped;
  for (auto &[warp, w] : next.warps) {
    WarpState &e = end.warps[warp], &g = guess.warps[warp];
    for (int lane : {elected, others}) {
      auto within = [&](const Counters &a, const Counters &b) {
        for (auto &[key, p] : b) {
          auto found = a.find(key);
          if (!end.facts.provesEqual(
                  found == a.end() ? Polynomial() : found->second, p))
            return false;
        }
        return true;
      };
      auto counters = [&](const Counters &a, const Counters &b) {
        return a == b || (within(a, b) && within(b, a));
      };
      if (proof.without == Judgement::Iterations)
        continue;
      if (!counters(e.waits[lane], w.waits[lane]) ||
          !counters(e.arrivals[lane], w.arrivals[lane]) ||
          !counters(e.skipped[lane], w.skipped[lane]) ||
          !counters(e.next, w.next))
        return proof.stop("the uses of each iteration are not shown to be as "
                          "many as those of "
                          "the one before",
                          op);
      for (auto [known, wanted, kept] :
           {std::tuple(&e.knows[lane], &w.knows[lane], &g.knows[lane]),
            std::tuple(&e.sees[lane], &w.sees[lane], &g.sees[lane]),
            std::tuple(&e.atFence[lane], &w.atFence[lane], &g.atFence[lane]),
            std::tuple(&e.atProduct[lane], &w.atProduct[lane],
                       &g.atProduct[lane])}) {
        auto [gone, fresh] =
            dropped.try_emplace({known->identity(), wanted->identity()});
        if (fresh)
          for (auto &[object, bound] : *wanted) {
            auto found = known->find(object);
            if (found == known->end() ||
                (found->second != bound &&
                 !end.facts.provesAtLeast(found->second, bound)))
              gone->second.push_back(object);
          }
        for (ObjectId object : gone->second) {
          kept->erase(object);
          changed = true;
        }
      }
      if (e.bytes[lane] != w.bytes[lane])
        return proof.stop(
            "bytes are expected in one iteration and copied in another", op);
    }
    if (e.unbound != w.unbound)
      return proof.stop("what an iteration issues is committed in another one",
                        op);
    if (g.productFence && !e.productFence) {
      g.productFence = false;
      changed = true;
    }
  }
  return true;
}

/// Whether waiting for the group of `value` is no more than is known already, if
/// `value` is taken for group `number`.
static bool standsFor(Proof &proof, const State &state, const TValue &value,
                      const Polynomial &number,
                      function_ref<ObjectId(Mechanism, int, int)> groups,
                      function_ref<ObjectId(Mechanism, int, int)> reads,
                      TokenKind kind) {
  // Of copies each lane has its own.
  if (kind == TokenKind::Async)
    return false;
  if (!value.none)
    return state.facts.provesEqual(value.number, number);
  if (state.facts.provesAtLeast(-1, number))
    return true;
  Mechanism mechanism = kind == TokenKind::Mma       ? Mechanism::MmaGroup
                        : kind == TokenKind::Counter ? Mechanism::VmCount
                                                     : Mechanism::BulkGroup;
  for (auto &[warp, w] : state.warps)
    for (int lane : {elected, others})
      for (ObjectId object : {groups(mechanism, warp, elected),
                              reads(mechanism, warp, elected)}) {
        // Only those who have groups at all.
        if (!w.next.contains(groups(mechanism, warp, elected)))
          continue;
        if (mechanism == Mechanism::BulkGroup && lane == others)
          continue;
        auto found = w.knows[lane].find(object);
        if (found == w.knows[lane].end() ||
            !state.facts.provesAtLeast(found->second, number + 1))
          return false;
      }
  return true;
}

std::optional<Polynomial> typestate::placeIn(const std::vector<int64_t> &table,
                                             const TValue &value) {
  int64_t size = table.size();
  auto constant = value.constant();
  if (value.kind == Kind::Cycle || constant)
    for (int64_t k = 0; k < size; ++k)
      if (constant ? table[k] == *constant : rotated(table, k) == value.table)
        return (constant ? Polynomial() : value.number) + Polynomial(k);
  return std::nullopt;
}

TValue Walk::computed(MValue value, Block *body,
                      function_ref<TValue(unsigned)> argument,
                      const llvm::DenseMap<MValue, TValue> &values,
                      Facts &facts) {
  llvm::DenseMap<MValue, TValue> known;
  return computed(value, body, argument, values, facts, known);
}

TValue Walk::computed(MValue value, Block *body,
                      function_ref<TValue(unsigned)> argument,
                      const llvm::DenseMap<MValue, TValue> &values,
                      Facts &facts, llvm::DenseMap<MValue, TValue> &known) {
  if (auto of = dyn_cast<BlockArgument>(value); of && of.getOwner() == body)
    return argument(of.getArgNumber());
  if (!body->getParentOp()->isAncestor(value.getParentBlock()->getParentOp()))
    return values.lookup(value);
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != body)
    return TValue();
  // (Uses that are written out one after the other share what they are computed from.)
  auto of = [&](MValue other) {
    if (auto found = known.find(other); found != known.end())
      return found->second;
    TValue result = computed(other, body, argument, values, facts, known);
    known[other] = result;
    return result;
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    // What its last iteration yields, as far as that hangs on its number.
    auto lower = of(loop.getLowerBound()).constant(),
         upper = of(loop.getUpperBound()).constant(),
         step = of(loop.getStep()).constant();
    if (!lower || !upper || !step || *step < 1 || *upper <= *lower ||
        (loop.getUnsignedCmp() && *lower < 0))
      return TValue();
    const int64_t steps = (*upper - *lower - 1) / *step;
    auto inside = [&](unsigned number) -> TValue {
      if (!number)
        return TValue::of(*lower + steps * *step);
      // What grows by a constant.
      auto sum =
          loop.getYieldedValues()[number - 1].getDefiningOp<arith::AddIOp>();
      const TValue first = of(loop.getInitArgs()[number - 1]);
      if (!sum || sum.getLhs() != loop.getRegionIterArgs()[number - 1] ||
          first.kind != Kind::Number)
        return TValue();
      auto by = of(sum.getRhs()).constant();
      return by ? TValue::of(first.number + Polynomial(*by) * Polynomial(steps))
                : TValue();
    };
    // (What it takes from this body is this body's.)
    llvm::DenseMap<MValue, TValue> outer = values;
    loop.getBody()->walk([&](Operation *each) {
      for (MValue operand : each->getOperands())
        if (operand.getParentBlock() == body)
          outer[operand] = of(operand);
    });
    return computed(
        loop.getYieldedValues()[cast<OpResult>(value).getResultNumber()],
        loop.getBody(), inside, outer, facts);
  }
  if (checker::classify(op).first == checker::Arith::None &&
      !op->hasTrait<OpTrait::ConstantLike>())
    return TValue();
  SmallVector<TValue, 3> operands;
  for (MValue operand : op->getOperands())
    operands.push_back(of(operand));
  return proof.arithmetic.compute(op, operands, facts);
}

/// What the loop carries at a later iteration, as a line through the first ones' values.
std::vector<TValue> Walk::lines(const Turn &turn, State &first,
                                ArrayRef<TValue> y1, ArrayRef<TValue> y2,
                                ArrayRef<TValue> y3) {
  auto loop = cast<scf::ForOp>(turn.op);
  std::vector<TValue> carried(y1.size());
  for (unsigned i = 0; i < y1.size(); ++i) {
    const TValue &a = y1[i], &b = y2[i];
    TValue &v = carried[i];
    auto at = [&](auto of) {
      return curve(turn, of(a), of(b),
                   turn.bent ? std::optional(of(y3[i])) : std::nullopt);
    };
    if (a.kind == Kind::Number && b.kind == Kind::Number &&
        (!turn.bent || y3[i].kind == Kind::Number))
      v = TValue::of(at([](const TValue &value) { return value.number; }));
    else if (a.kind == Kind::Flight && b.kind == Kind::Flight && !a.none &&
             !b.none) {
      v = a;
      v.number = curve(turn, a.number, b.number, std::nullopt);
    } else if (a.kind == Kind::Token && b.kind == Kind::Token) {
      const TValue &c = y3[i];
      if (a.none && b.none && c.none)
        v = a;
      else if (c.kind == Kind::Token && !b.none && !c.none) {
        if (turn.sums && (proof.varies(b.number) || proof.varies(c.number)))
          continue;
        v = b;
        v.number = b.number + (c.number - b.number) * (turn.t - 2);
        Polynomial first1 = b.number + (c.number - b.number) * Polynomial(-1);
        if (!standsFor(
                proof, first, a, first1,
                [&](Mechanism m, int w, int l) { return groups(m, w, l); },
                [&](Mechanism m, int w, int l) { return reads(m, w, l); },
                cast<TokenType>(loop.getRegionIterArgs()[i].getType())
                    .getKind()))
          v = TValue();
      }
    } else if (a.kind == Kind::Cycle || b.kind == Kind::Cycle) {
      // At the same table, so many steps further on each iteration.
      const TValue &table = a.kind == Kind::Cycle ? a : b;
      auto p1 = placeIn(table.table, a), p2 = placeIn(table.table, b);
      if (p1 && p2 && (!turn.bent || placeIn(table.table, y3[i])))
        v = TValue::cycle(at([&](const TValue &value) {
                            return *placeIn(table.table, value);
                          }),
                          table.table);
    } else if (a == b)
      v = a;
  }
  return carried;
}

/// Of two constants the line is a guess among many. What the body computes of its
/// iteration and of tables, the iteration before has computed: a slot to be freed late.
void Walk::guessCycles(const Turn &turn, const State &state,
                       const Facts &inside, ArrayRef<TValue> y1,
                       ArrayRef<TValue> y2, std::vector<TValue> &carried) {
  Block &body = *cast<scf::ForOp>(turn.op).getBody();
  for (unsigned i = 0; i < y1.size(); ++i) {
    if (!y1[i].constant() || !y2[i].constant() || y1[i] == y2[i])
      continue;
    Facts facts = inside;
    auto before = [&](unsigned number) -> TValue {
      if (!number)
        return TValue::of(turn.lower + (turn.t - 1) * turn.step);
      for (const Machine &machine : turn.machines)
        if (auto at = llvm::find(machine.arguments, number - 1);
            at != machine.arguments.end() && !machine.begun)
          return TValue::cycle(machine.at + turn.t - 1,
                               machine.tables[at - machine.arguments.begin()]);
      const TValue &counted = carried[number - 1];
      return counted.kind == Kind::Number && number - 1 != i
                 ? counted.substitute(proof.atoms, turn.atom, turn.t - 1, facts)
                 : TValue();
    };
    TValue value = computed(body.getTerminator()->getOperand(i), &body, before,
                            state.values, facts);
    if (value.kind == Kind::Cycle &&
        value.substitute(proof.atoms, turn.atom, 1, facts) == y1[i])
      carried[i] = value;
  }
}
