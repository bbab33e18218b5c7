//===- Knowledge.cpp - objects, what is known of them, records ------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Walk.h"

#include "titan/Dialect/Titan/SharedMemory.h"
#include "titan/Target/Target.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;
using TValue = titan::typestate::Value;
using MValue = mlir::Value;
using Kind = TValue::Kind;

ObjectId Proof::object(Object object) {
  auto [found, fresh] =
      shared.objectIds.try_emplace(object.key(), objects.size());
  if (fresh)
    objects.push_back(object);
  return found->second;
}

std::string Proof::name(ObjectId object) const {
  const Object &o = objects[object];
  switch (o.kind) {
  case Object::Ring:
  case Object::Peers: {
    Location loc = o.barrier.getLoc();
    std::string text = "the barrier " + nameOf(o.barrier);
    return loc->findInstanceOf<NameLoc>() ? text + inLine(loc) : text;
  }
  case Object::Named:
    return "named barrier " + std::to_string(o.id);
  case Object::Cluster:
    return "the cluster's barrier";
  case Object::Warp:
    return "the barriers of warp " + std::to_string(o.warp);
  case Object::Fence:
    return "the proxy fences of warp " + std::to_string(o.warp);
  case Object::Groups:
  case Object::Read:
    return "the groups of warp " + std::to_string(o.warp);
  case Object::Signalled:
  case Object::Awaited:
    return "a flag";
  case Object::Grids:
    return "the grids before this one";
  }
  return "";
}

std::string Proof::nameInLaunch(const Polynomial &p) const {
  std::string first;
  for (auto &[value, what] : launchValues)
    if (what.kind == Kind::Number && what.number == p)
      if (auto name = value.getLoc()->findInstanceOf<NameLoc>())
        if (std::string text = "%" + name.getName().str();
            first.empty() || text < first)
          first = text;
  return first;
}

std::string Proof::print(const Polynomial &p) const {
  return p.print([&](Atom atom) -> std::string {
    const std::string &kind = atoms.kind(atom);
    const std::vector<Polynomial> &of = atoms.operands(atom);
    if (kind == "iteration") {
      auto *loop =
          static_cast<Operation *>(const_cast<void *>(atoms.object(atom)));
      auto at = loop->getLoc()->findInstanceOf<FileLineColLoc>();
      return at ? "iteration(line " + std::to_string(at.getLine()) + ")"
                : "iteration";
    }
    if (std::string written = nameInLaunch(Polynomial::atom(atom));
        !written.empty())
      return written;
    // (An operand of a quotient and the like stands in brackets of its own.)
    auto operand = [&](size_t i) {
      std::string text = print(of[i]);
      return of[i].monomials().size() > 1 ? "(" + text + ")" : text;
    };
    if ((kind == "quotient" || kind == "remainder") && of.size() == 2)
      return "(" + operand(0) + (kind == "quotient" ? " div " : " mod ") +
             operand(1) + ")";
    // How often a loop goes round: from, to, by.
    if (kind == "count" && of.size() == 3) {
      std::string length = print(of[1] - of[0]);
      return of[2] == Polynomial(1)
                 ? "(" + length + ")"
                 : "ceildiv(" + length + ", " + print(of[2]) + ")";
    }
    if (kind == "stride" && of.size() == 2)
      if (auto argument = of[0].constant(), dimension = of[1].constant();
          argument && dimension)
        return "stride(%" +
               cast<StringAttr>(KernelOp(kernel).getArgNames()[*argument])
                   .str() +
               ", " + std::to_string(*dimension) + ")";
    if (kind == "copy" && of.size() == 1)
      return print(of[0]) + "'";
    if (!atoms.name(atom).empty())
      return atoms.name(atom);
    std::string text =
        kind == "contents"
            ? nameOf(MValue::getFromOpaquePointer(atoms.object(atom)))
            : kind;
    for (size_t i = 0; i < of.size(); ++i)
      text += (i ? ", " : "(") + print(of[i]);
    return of.empty() ? text : text + ")";
  });
}

const effect::EffectList &Proof::effectsOf(Operation *op) {
  auto &list = shared.effects[op];
  if (!list) {
    list = std::make_unique<effect::EffectList>();
    cast<HardwareEffectsInterface>(op).getHardwareEffects(*list);
  }
  return *list;
}

ObjectId Walk::groups(Mechanism mechanism, int warp, int lane) {
  Object object{Object::Groups};
  object.id = static_cast<int64_t>(mechanism);
  object.warp = warp;
  object.lane = lane;
  return proof.object(object);
}
ObjectId Walk::reads(Mechanism mechanism, int warp, int lane) {
  Object object{Object::Read};
  object.id = static_cast<int64_t>(mechanism);
  object.warp = warp;
  // A product is its warpgroup's: one of its warps observes it for all (MM-71).
  if (mechanism == Mechanism::MmaGroup)
    object.warp -= warp % kernelWarps() % proof.target.warpsPerWarpgroup;
  object.lane = lane;
  return proof.object(object);
}
ObjectId Walk::warpObject(int warp) {
  Object object{Object::Warp};
  object.warp = warp;
  return proof.object(object);
}

bool typestate::isOver(const Facts &facts, const Knowledge &knows,
                       ObjectId object, const Polynomial &use) {
  auto found = knows.find(object);
  if (found == knows.end() || found->second == 0)
    return facts.provesAtLeast(-1, use);
  if (facts.provesAtLeast(found->second, use + 1))
    return true;
  Facts open;
  open.atLeast(use, found->second);
  open.atLeast(use, 0);
  return facts.contradict(open);
}

void Walk::learn(State &state, Knowledge &knows, ObjectId object,
                 const Polynomial &bound) {
  auto found = knows.find(object);
  if (found != knows.end()) {
    auto constant = bound.numberMore(found->second);
    if (constant ? *constant <= 0
                 : !state.facts.provesAtLeast(bound, found->second))
      return;
  }
  knows[object] = bound;
}

void Walk::learn(State &state, Knowledge &knows, const Knowledge &more) {
  if (knows.empty()) {
    knows = more;
    return;
  }
  if (knows.identity() == more.identity())
    return;
  // (Mostly the two are the same but for a few: those alone are looked at.)
  llvm::SmallVector<const Knowledge::Entry *, 8> fresh;
  const Knowledge known = knows;
  auto at = known.begin();
  for (const Knowledge::Entry &entry : more) {
    while (at != known.end() && at->first < entry.first)
      ++at;
    if (at == known.end() || at->first != entry.first ||
        at->second != entry.second)
      fresh.push_back(&entry);
  }
  for (const Knowledge::Entry *entry : fresh)
    learn(state, knows, entry->first, entry->second);
}

bool Walk::knowsUse(State &state, const Knowledge &knows, ObjectId object,
                    const Polynomial &use) {
  return isOver(state.facts, knows, object, use);
}

Knowledge Walk::common(State &state, const Knowledge &a, const Knowledge &b) {
  if (a == b)
    return a;
  Knowledge both;
  for (auto &[object, bound] : a) {
    auto other = b.find(object);
    if (other == b.end())
      continue;
    if (bound == other->second ||
        state.facts.provesAtLeast(other->second, bound))
      both[object] = bound;
    else if (state.facts.provesAtLeast(bound, other->second))
      both[object] = other->second;
  }
  return both;
}

size_t Walk::record(Access access, unsigned number) {
  std::string key;
  for (const Step &step : access.path)
    key += step.side >= 0 ? std::to_string(step.side)
           : step.last    ? "e" + std::to_string(step.last)
                          : std::string(step.iteration.constant() ? "f" : "l");
  auto [found, fresh] = recorded.try_emplace(
      {access.op, number, (access.warp * 4 + access.lanes) * 16 + access.cta,
       key},
      proof.accesses.size());
  access.sequence = sequence;
  access.number = number;
  // Which spaces the last fence before it named is not followed.
  if (access.cta != rank && !access.ofCells())
    access.atFence.clear();
  access.group = groupNumber;
  if (fresh)
    proof.accesses.push_back(std::move(access));
  else {
    access.releases = std::move(proof.accesses[found->second].releases);
    proof.accesses[found->second] = std::move(access);
  }
  touched.push_back(found->second);
  return found->second;
}

Iterations Walk::iterationsHere(const State &state) {
  Iterations own;
  for (const Step &step : state.path)
    for (Atom a : step.iteration.atoms())
      own[a] = Polynomial::atom(a);
  return own;
}

void Walk::pend(size_t access, State &state, int warp, Iterations own,
                std::optional<std::pair<ObjectId, Polynomial>> group) {
  Pending pending;
  pending.access = access;
  pending.group = std::move(group);
  pending.toOwn = std::move(own);
  const Access &what = proof.accesses[access];
  if (what.effect && what.lanes == Elected)
    pending.held[elected] = true;
  state.warps[warp].pending.push_back(std::move(pending));
}

/// Whether a use of the object comes after the access already, always.
static bool isReleased(ArrayRef<Release> releases, ObjectId object,
                       bool fenced) {
  return llvm::any_of(releases, [&](const Release &other) {
    return other.object == object && (other.fenced || !fenced) &&
           other.when.empty();
  });
}

/// Whether A's use is there and over wherever B's is: it is an earlier one of the same
/// object.
static bool saysMore(const Release &a, const Release &b) {
  if (a.object != b.object || (b.fenced && !a.fenced) ||
      !(a.when.empty() || a.when == b.when))
    return false;
  auto later = b.use.numberMore(a.use);
  return later && *later >= 0;
}

/// Whether it is said already. (Of a long body, in which uses come in order, that of
/// all but the first one of an object is.)
static bool says(ArrayRef<Release> releases, const Release &release) {
  return llvm::any_of(
      releases, [&](const Release &other) { return saysMore(other, release); });
}

void typestate::addRelease(std::vector<Release> &releases, Release release) {
  if (!says(releases, release))
    releases.push_back(std::move(release));
}

std::vector<Release> &Walk::releasesOf(size_t access, std::vector<int> sides) {
  if (sides.empty())
    return proof.accesses[access].releases;
  const int last = sides.back();
  sides.pop_back();
  return ofSides[last][{access, std::move(sides)}];
}

std::optional<Polynomial> Walk::inTermsOf(const Pending &pending,
                                          const Polynomial &use) {
  if (use.atoms().empty())
    return use;
  // (Each warp asks what its neighbours asked.)
  size_t hash = use.hash();
  for (auto &[atom, own] : pending.toOwn)
    hash = (hash ^ atom ^ (own ? own->hash() : 1)) * 0x9e3779b97f4a7c15u;
  InTerms &last = inTerms[(hash >> 32) % inTerms.size()];
  if (last.use == use && last.toOwn == pending.toOwn)
    return last.own;
  bool expressible = true;
  Polynomial own = proof.atoms.substitute(
      use,
      [&](Atom a) -> std::optional<Polynomial> {
        auto found = pending.toOwn.find(a);
        if (found == pending.toOwn.end()) {
          // An iteration that began after it.
          expressible &= proof.atoms.kind(a) != "iteration";
          return std::nullopt;
        }
        expressible &= found->second.has_value();
        return found->second;
      },
      nullptr);
  last = {use, pending.toOwn, expressible ? std::optional(own) : std::nullopt};
  return last.own;
}

void Walk::release(State &state, int warp, Lanes lanes, ObjectId object,
                   const Polynomial &use, std::optional<Mechanism> after) {
  if (mode == Mode::Slope || !enforce)
    return;
  // Many are of one group.
  std::vector<std::pair<std::pair<ObjectId, Polynomial>, bool>> over;
  // And of one iteration: what the use is in terms of theirs.
  std::vector<std::pair<const Iterations *, std::optional<Polynomial>>> owns;
  auto isGroupOver = [&](const std::pair<ObjectId, Polynomial> &group) {
    auto known = llvm::find_if(
        over, [&](const auto &each) { return each.first == group; });
    if (known != over.end())
      return known->second;
    bool good = false;
    for (int lane : {elected, others})
      good = good || ((lanes >> lane & 1) &&
                      knowsUse(state, state.warps[warp].knows[lane],
                               group.first, group.second));
    over.emplace_back(group, good);
    return good;
  };
  for (Pending &pending : state.warps[warp].pending) {
    Access &access = proof.accesses[pending.access];
    bool good = false, byGroup = false;
    if (after &&
        (proof.without != Judgement::AsyncTells || access.mechanism == after)) {
      // Behind each lane's copies, and, of what only is in execution order, waits.
      good = access.mechanism == after || (!access.effect && !access.mechanism);
    } else if (access.mechanism == Mechanism::TensorCore) {
      // Commits alone tell of products.
    } else if (access.effect && pending.group) {
      good = byGroup = true;
    } else {
      // A warp passes its waits together: one of its lanes is enough.
      good = access.effect ? (access.lanes & ~lanes) == 0
                           : (access.lanes & lanes) != 0;
      for (int lane : {elected, others})
        good |= (lanes >> lane & 1) && pending.held[lane];
    }
    if (!good)
      continue;
    // Each of its lanes signals behind its own fence, or one that knows of all.
    bool fenced = (access.lanes & ~lanes) == 0;
    for (int lane : {elected, others})
      fenced |= (lanes >> lane & 1) && pending.fencesHeld[lane];
    fenced &= pending.fenced;
    // A commit has the first half of tcgen05.fence (MM-102).
    fenced |= after == Mechanism::TensorCore && access.mechanism == after;
    std::vector<Release> &releases = releasesOf(pending.access, pending.sides);
    if (isReleased(releases, object, fenced))
      continue;
    auto own = llvm::find_if(
        owns, [&](const auto &each) { return *each.first == pending.toOwn; });
    if (own == owns.end()) {
      owns.emplace_back(&pending.toOwn, inTermsOf(pending, use));
      own = std::prev(owns.end());
    }
    if (!own->second)
      continue;
    Release release{object, *own->second, fenced, pending.when};
    // (Whether its group is over takes longest to see.)
    if (!says(releases, release) && (!byGroup || isGroupOver(*pending.group)))
      releases.push_back(std::move(release));
  }
}

void Walk::releaseProducts(State &state, int warp, Lanes lanes, ObjectId object,
                           const Polynomial &use) {
  const int64_t group = proof.target.warpsPerWarpgroup;
  const ObjectId over = reads(Mechanism::MmaGroup, warp, elected);
  if (mode == Mode::Slope || !enforce || !group)
    return;
  auto isOver = [&](const Polynomial &product) {
    return llvm::any_of(ArrayRef({elected, others}), [&](int lane) {
      return (lanes >> lane & 1) &&
             knowsUse(state, state.warps[warp].knows[lane], over, product);
    });
  };
  const int first = warp - warp % kernelWarps() % group;
  for (int other = first; other < first + group; ++other) {
    auto its = state.warps.find(other);
    if (other == warp || its == state.warps.end())
      continue;
    for (const Pending &pending : its->second.pending) {
      std::vector<Release> &releases =
          releasesOf(pending.access, pending.sides);
      if (!pending.group || pending.group->first != over ||
          isReleased(releases, object, false))
        continue;
      auto own = inTermsOf(pending, use);
      if (own && isOver(pending.group->second))
        addRelease(releases, {object, *own, false, pending.when});
    }
  }
}
