//===- Tickets.cpp - numbers that CTAs take from a counter ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What titan-deal-tickets has dealt out (titan.dealt), for every way to deal it. Of
// a counter that nothing but additions of 1 touch, and of a bound:
//
//   taken(cta)        how many numbers below the bound the CTA gets: any number
//   ticket(cta, i)    the i-th of them: begin <= ticket < bound for i < taken,
//                     ticket >= bound for i = taken, which is the CTA's last one
//   ticket(cta, i) = ticket(cta', i') only where cta = cta' and i = i'
//
// So that no number wraps round: a CTA takes one number that names no work, and no
// more, so that the last number of all is below begin or bound, whichever is
// greater, and so many CTAs.
//
// The loops run by what letters say (Letters.cpp).
//
//===----------------------------------------------------------------------===//
#include "Orders.h"
#include "Walk.h"

#include "titan/Dialect/Titan/InitialValues.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;
using TValue = titan::typestate::Value;
using MValue = mlir::Value;

std::optional<int64_t> typestate::counterOf(Operation *op) {
  auto counter = op->getAttrOfType<IntegerAttr>("titan.dealt");
  return counter ? std::optional(counter.getInt()) : std::nullopt;
}

/// This CTA's, of all dimensions.
static std::vector<Polynomial> ids(Proof &proof) {
  std::vector<Polynomial> result;
  for (size_t d = 0; d < proof.grid.size(); ++d)
    result.push_back(Polynomial::atom(
        proof.atoms.atom("cta", nullptr, {Polynomial(int64_t(d))})));
  return result;
}

bool Walk::ticketLoop(Operation *op, int64_t counter, State &state,
                      Polynomial &lower, Polynomial &upper, Polynomial &step) {
  if (!state.path.empty() || ranks > 1)
    return proof.stop("numbers that are taken in a loop of loops, or by a "
                      "cluster, are not followed by the proof yet",
                      op);
  auto [known, fresh] = proof.tickets.try_emplace(counter);
  Tickets &tickets = known->second;
  if (fresh) {
    if (proof.varies(upper) || proof.dependsOnCta(upper))
      return proof.stop("the bound of these numbers is not one of the launch",
                        op);
    // (As an unsigned number it would be a large one.)
    if (!proof.launch.provesAtLeast(upper, 0))
      return proof.stop("the bound of these numbers is not shown to be 0 or "
                        "more",
                        op, "titan.require in the launch region that it is");
    tickets.bound = upper;
    std::vector<Polynomial> operands = ids(proof);
    operands.push_back(counter);
    tickets.taken = Polynomial::atom(
        proof.atoms.atom("tickets", nullptr, std::move(operands), "taken"));
    proof.launch.atLeast(tickets.taken, 0);
  } else if (tickets.bound != upper &&
             !proof.launch.provesEqual(tickets.bound, upper) &&
             proof.without != Judgement::TicketBounds) {
    return proof.stop("loops end by different bounds of one counter's numbers",
                      op);
  }
  state.facts.atLeast(tickets.taken, 0);
  lower = 0;
  upper = tickets.taken;
  step = 1;
  return true;
}

TValue Walk::ticket(int64_t counter, const Polynomial &index, State &state) {
  const Tickets &tickets = proof.tickets[counter];
  proof.shared.tickets = true;
  std::vector<Polynomial> operands = ids(proof);
  operands.push_back(counter);
  operands.push_back(index);
  Polynomial number = Polynomial::atom(
      proof.atoms.atom("ticket", nullptr, std::move(operands)));
  state.facts.atLeast(number, 0);
  if (index == tickets.taken)
    state.facts.atLeast(number, tickets.bound);
  else
    state.facts.atLeast(tickets.bound - 1, number);
  return TValue::of(number);
}

TValue Walk::lastTicket(Operation *op, int64_t counter, State &state) {
  if (!proof.tickets.contains(counter))
    return TValue();
  TValue result = ticket(counter, proof.tickets[counter].taken, state);
  // (It is of the counter's type, whose bits takeTicket looks at.)
  state.facts.atLeast(std::numeric_limits<int32_t>::max(), result.number);
  return result;
}

bool Walk::takeTicket(Operation *op, int64_t counter,
                      const effect::Access &effect, State &state,
                      const Who &who) {
  const effect::Footprint &bytes = effect.bytes;
  auto tensor = dyn_cast<BlockArgument>(bytes.object);
  auto found = proof.tickets.find(counter);
  if (!tensor || found == proof.tickets.end() || ranks > 1)
    return proof.stop("where this takes its number is not followed", op);
  if (who.lanes != Elected || who.warps.size() != 1)
    return proof.stop("several threads take numbers", op,
                      "titan.elect warp(0)");
  if (effect.scope < Scope::Gpu && proof.without != Judgement::FlagScope)
    return proof.stop("these numbers are of this CTA alone", op, "scope(gpu)");
  if (!effect.added || state.values.lookup(effect.added).constant() != 1)
    return proof.stop("numbers that rise by more than 1 are not followed", op);
  Tickets &tickets = found->second;
  if (tickets.warp >= 0 && tickets.warp != who.warps[0])
    return proof.stop("two threads take this counter's numbers", op);
  tickets.warp = who.warps[0];
  if (mode != Mode::Final)
    return true;
  for (auto [d, coord] : llvm::enumerate(bytes.coords)) {
    auto p =
        proof.arithmetic.polynomialOf(state.values.lookup(coord), state.facts);
    Polynomial size = proof.sizeOf(tensor, d, state.facts);
    if (!p || !state.facts.provesAtLeast(*p, 0) ||
        !state.facts.provesAtLeast(size - 1, *p))
      return proof.stop("this counter is not shown to be one of the tensor's",
                        op, "titan.require of how many there are");
  }
  auto begin = getInitialValue(proof.kernel, tensor.getArgNumber());
  if (!begin || *begin < 0)
    return proof.stop("what this counter holds at the launch is not said, or "
                      "is below 0",
                      op, "titan.initial");
  proof.assumptions.insert("tensors do not overlap, nor do the rows of one");
  // No number wraps round.
  Polynomial ctas = 1;
  for (const Polynomial &extent : proof.grid)
    ctas = ctas * extent;
  const int64_t most = std::numeric_limits<int32_t>::max();
  if (!cast<GlobalType>(tensor.getType()).getElementType().isInteger(32))
    return proof.stop("counters of other than 32 bits are not followed", op);
  for (const Polynomial &last : {tickets.bound, Polynomial(*begin)})
    if (proof.without != Judgement::TicketWraps &&
        !proof.launch.provesAtLeast(most, last + ctas - 1))
      return proof.stop("the counter is not shown to hold as many numbers as "
                        "there are tiles and CTAs",
                        op,
                        "titan.require in the launch region that bounds the "
                        "tiles");
  return true;
}

void typestate::addTickets(Proof &proof, const Access &x, const Access &y,
                           Instance of, std::vector<Clause> &clauses) {
  if (!proof.shared.tickets)
    return;
  // Those that places are computed from.
  auto numbers = [&](const Access &access) {
    std::set<Atom> found, seen;
    std::vector<Atom> stack;
    for (const Polynomial &p : access.coordinates)
      llvm::append_range(stack, p.atoms());
    while (!stack.empty()) {
      Atom a = stack.back();
      stack.pop_back();
      if (!seen.insert(a).second)
        continue;
      if (proof.atoms.kind(a) == "ticket") {
        found.insert(a);
        continue;
      }
      for (const Polynomial &p : proof.atoms.operands(a))
        llvm::append_range(stack, p.atoms());
    }
    return found;
  };
  for (Atom a : numbers(x))
    for (Atom b : numbers(y)) {
      const std::vector<Polynomial> &here = proof.atoms.operands(a),
                                    &there = proof.atoms.operands(b);
      const size_t ids = here.size() - 2;
      if (here.size() != there.size() || here[ids] != there[ids])
        continue;
      Facts less, same, more;
      const Polynomial mine = Polynomial::atom(a),
                       theirs = other(proof, Polynomial::atom(b), of);
      less.atLeast(theirs, mine + 1);
      more.atLeast(mine, theirs + 1);
      same.equal(mine, theirs);
      for (size_t i = 0; i < here.size(); ++i)
        same.equal(here[i], other(proof, Polynomial(there[i]), of));
      clauses.push_back({less, same, more});
    }
}
