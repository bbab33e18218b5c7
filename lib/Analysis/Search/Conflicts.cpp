//===- Conflicts.cpp - pairs of accesses that need an order ---------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Conflicts.h"

#include "titan/Dialect/Titan/SharedMemory.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

bool Conflicts::before(const AccessRecord &x, const Clock &clock) const {
  unsigned before = 0;
  for (int lane : {electedClass, othersClass})
    if (clock[shape.time(x.agent, lane)] >= x.tick)
      before |= 1 << lane;
  return x.warpWide ? before & x.lanes : (x.lanes & ~before) == 0;
}

bool Conflicts::reached(const llvm::SmallVector<Until, 1> &until,
                        const Clock &clock) {
  return !until.empty() && llvm::all_of(until, [&](const Until &u) {
    return clock[u.number] >= u.value;
  });
}

static bool sameReduction(const AccessRecord &x, const AccessRecord &y) {
  return x.kind == AccessKind::Reduction && y.kind == AccessKind::Reduction &&
         x.proxy == y.proxy && x.effect && y.effect &&
         x.effect->reduction == y.effect->reduction;
}

/// The type of the elements of a global tensor of which each thread touches one at
/// a time; null: it touches more at once, or something else.
static Type elementOf(const AccessRecord &x) {
  if (!x.effect)
    return nullptr;
  const effect::Footprint &bytes = x.effect->bytes;
  auto tensor = dyn_cast<GlobalType>(bytes.object.getType());
  const bool single =
      bytes.kind == effect::Footprint::Scalar ||
      (bytes.kind == effect::Footprint::Elements && bytes.chunk == 1);
  return tensor && single ? tensor.getElementType() : nullptr;
}

/// Whether two accesses that meet are of the same locations where they do: none
/// touches a part of what another one touches at once.
static bool sameLocations(const AccessRecord &x, const AccessRecord &y) {
  if (x.footprint == y.footprint)
    return true;
  Type element = elementOf(x);
  return element && element == elementOf(y);
}

/// Both strong, on the same locations, each scope including the other (MM-13).
static bool morallyStrong(const AccessRecord &x, const AccessRecord &y,
                          bool sameCta, bool sameCluster) {
  auto strong = [](effect::Sem sem) { return sem != effect::Sem::Weak; };
  Scope least = sameCta       ? Scope::Cta
                : sameCluster ? Scope::Cluster
                              : Scope::Gpu;
  return x.proxy == Proxy::Generic && y.proxy == Proxy::Generic &&
         strong(x.sem) && strong(y.sem) && sameLocations(x, y) &&
         x.scope >= least && y.scope >= least;
}

namespace {
struct Failure {
  Code code;
  std::string what;
  std::string fix = {};
};

/// One pair, under the clocks of the second access.
struct Judge {
  const ClockShape &shape;
  Footprints &footprints;
  const Conflicts &conflicts;
  const AccessRecord &x, &y;
  const View &view;
  const Clock *const *clocks;
  const Requirement &required;
  Relation relation;

  bool takesPart(const AccessRecord &access, int lane) const {
    return access.lanes >> lane & 1;
  }
  /// Lane class c of X before lane class d of Y.
  bool ordered(int c, int d) const {
    if (clocks[d]->operator[](shape.time(x.agent, c)) >= x.tick)
      return true;
    if (x.agent != y.agent)
      return false;
    if (x.warpWide)
      return true;
    if (c == d && c == electedClass)
      return true; // one thread: program order
    // Each lane after itself; do different lanes meet?
    return x.lanes == y.lanes &&
           !footprints.lanesMeet(x.footprint, y.footprint);
  }
  bool ordered() const {
    for (int d : {electedClass, othersClass})
      if (takesPart(y, d) && !ofX([&](int c) { return ordered(c, d); }))
        return false;
    return true;
  }
  /// For all lane classes of X; for one, if the warp has acted as one.
  template <typename F> bool ofX(F holds) const {
    unsigned lanes = 0;
    for (int c : {electedClass, othersClass})
      if (takesPart(x, c) && holds(c))
        lanes |= 1 << c;
    return x.warpWide ? lanes != 0 : lanes == x.lanes;
  }
  /// Whether Y's thread knows that X's wave has waited for its stores. The wave
  /// itself need not, but for loads to LDS over them (MM-112).
  bool counted() const {
    if (!x.counted || (x.agent == y.agent &&
                       !(y.mechanism == Mechanism::VmCount && y.cta >= 0)))
      return true;
    for (int d : {electedClass, othersClass})
      if (takesPart(y, d) && (*clocks[d])[x.counted->number] < x.counted->value)
        return false;
    return true;
  }
  bool observed(bool source) const {
    for (int d : {electedClass, othersClass})
      if (takesPart(y, d) &&
          !Conflicts::reached(source ? x.sourceRead : x.done, *clocks[d]) &&
          !Conflicts::reached(x.whole, *clocks[d]) && !ownCopies(d))
        return false;
    return true;
  }
  /// Each lane of Y has waited itself for what it alone copied, and touches
  /// nothing else of X.
  bool ownCopies(int d) const {
    return x.mechanism == Mechanism::AsyncGroup && x.agent == y.agent &&
           view.ownCopies && x.lanes == y.lanes && x.lanes == AllLanes &&
           view.ownCopies[d] >= x.done[d].value &&
           !footprints.lanesMeet(x.footprint, y.footprint);
  }
  /// X's own thread has fenced after X, on the path to lane class d.
  bool fencedByFirst(int d) const {
    for (int c : {electedClass, othersClass}) {
      if (!takesPart(x, c))
        continue;
      if (clocks[d]->operator[](shape.fence(x.agent, c, x.space)) > x.tick)
        continue;
      if (x.agent == y.agent && c == d && view.ownFence[c][x.space] > x.tick)
        continue;
      return false;
    }
    return true;
  }
  /// The release of X is known where Y's thread acquired the map (MM-90). It
  /// orders the two by itself.
  bool mapAcquired() const {
    return view.mapAcquired && ofX([&](int c) {
             return (*view.mapAcquired)[shape.mapRelease(x.agent, c)] >= x.tick;
           });
  }
  /// Y's thread has fenced, knowing X, before Y.
  bool fencedBySecond(int d, bool source) const {
    const Clock &then = view.fenceClock[d][y.space];
    if (then.empty())
      return false;
    if (x.mechanism)
      return Conflicts::reached(source ? x.sourceRead : x.done, then) ||
             Conflicts::reached(x.whole, then);
    return conflicts.before(x, then);
  }
  bool fencedByObserver(int d) const {
    auto fenced = [&](const llvm::SmallVector<Until, 1> &until) {
      return !until.empty() && llvm::all_of(until, [&](const Until &u) {
        return (*clocks[d])[shape.fenced(u.number)] >= u.value;
      });
    };
    return fenced(x.done) || fenced(x.whole) || fencedBySecond(d, false);
  }

  std::optional<Failure> operator()() const {
    bool map = required.fence == ProxyFence::TensormapReleaseAcquire;
    if (map && !x.mechanism) {
      if (mapAcquired())
        return std::nullopt;
      return Failure{x.agent == y.agent || ordered() ? required.ifNoFence
                                                     : Code::Race,
                     "fence.proxy.tensormap has not released it there and "
                     "acquired it here"};
    }
    if (x.mechanism) {
      if (required.completion != Completion::None &&
          !observed(required.completion == Completion::SourceRead)) {
        // A thread's own copy, for which it waits, and another CTA hears of nothing.
        if (*x.mechanism == Mechanism::AsyncGroup &&
            relation == Relation::OtherCta && !ordered() &&
            conflicts.waitedItself && conflicts.waitedItself(x, y))
          return Failure{Code::Race, "nothing orders the two"};
        // With no path from the issue either, still: completion is what the
        // program has to wait for.
        Code code = required.ifNotComplete;
        if ((*x.mechanism == Mechanism::MmaGroup ||
             *x.mechanism == Mechanism::TensorCore) &&
            x.kind == AccessKind::Read)
          code = Code::MmaSlotReuse;
        // wait_group.read tells of the sources alone (MM-66).
        if (x.kind == AccessKind::Write && !x.sourceRead.empty() &&
            observed(true))
          return Failure{code,
                         "the wait before it is for the copy's sources alone "
                         "(read), not for its writes",
                         "wait for the copy's group without read"};
        return Failure{code, "its completion has not been observed"};
      }
    } else if (!ordered()) {
      return Failure{Code::Race, "nothing orders the two"};
    } else if (!counted()) {
      return Failure{Code::LdsCounterMissing,
                     "its wave has not waited for it (s_waitcnt)"};
    }
    if (required.fence == ProxyFence::None)
      return std::nullopt;
    for (int d : {electedClass, othersClass}) {
      if (!takesPart(y, d))
        continue;
      bool good = false;
      switch (required.fence) {
      case ProxyFence::None:
        good = true;
        break;
      case ProxyFence::ByFirst:
        good = fencedByFirst(d);
        break;
      case ProxyFence::ByEither:
        good = (!x.mechanism && fencedByFirst(d)) || fencedBySecond(d, true);
        break;
      case ProxyFence::ByObserver:
        good = fencedByObserver(d);
        break;
      case ProxyFence::TensormapReleaseAcquire:
        good = mapAcquired();
        break;
      }
      if (!good)
        return Failure{required.ifNoFence,
                       "no fence.proxy.async stands where it is needed"};
    }
    return std::nullopt;
  }
};
} // namespace

static StringRef verb(AccessKind kind, bool past) {
  switch (kind) {
  case AccessKind::Read:
    return "reads";
  case AccessKind::Write:
    return past ? "wrote" : "writes";
  case AccessKind::Reduction:
    return past ? "updated" : "updates";
  }
  return "";
}

static StringRef proxyName(Proxy proxy) { return effect::stringify(proxy); }

std::string Conflicts::describe(const AccessRecord &access) const {
  return program.describe(access.agent, access.event->iteration, access.lanes);
}

/// X is under way when Y, which stands behind the wait, meets it.
void Conflicts::tellWait(const Cause &wait, const AccessRecord &x,
                         const AccessRecord &y) {
  Operation *first = x.event->op, *second = y.event->op;
  if (Finding *finding = report.add(
          wait.code, wait.op, first,
          wait.code == Code::PhaseParity
              ? Twine("this wait returns before the phase that '") +
                    first->getName().getStringRef() +
                    "' completes: its parity is that of another phase, and '" +
                    second->getName().getStringRef() +
                    "' meets the copy under way"
              : Twine("this wait leaves the group of '") +
                    first->getName().getStringRef() + "' pending, and '" +
                    second->getName().getStringRef() +
                    "' meets it under way")) {
    finding->others.push_back(
        {first->getLoc(), "issued here by " + describe(x)});
    finding->others.push_back(
        {second->getLoc(), "accessed here by " + describe(y)});
    finding->fix = wait.fix;
  }
}

/// One text that a thread of each of several warps executes: what they write is the
/// same, and one of them is meant.
std::string Conflicts::fixOfElect(const AccessRecord &x,
                                  const AccessRecord &y) const {
  Operation *op = y.event->op;
  auto elect = op->getParentOfType<ElectOp>();
  const AgentInfo &first = program.agents[x.agent],
                  &second = program.agents[y.agent];
  if (op != x.event->op || x.agent == y.agent || x.kind != y.kind ||
      first.cta != second.cta || first.partition != second.partition ||
      !elect || elect.getWarp())
    return "";
  // X's warp does it in Y's iteration, too (each warp has its own numbers of them).
  const AgentProgram &other = program.programs[x.agent];
  std::string when = program.describe(y.event->iteration);
  if (llvm::none_of(other.events, [&](const Event &event) {
        if (event.op != op || program.describe(event.iteration) != when)
          return false;
        for (uint32_t i = 0; i < event.count; ++i)
          if (const Action &action = other.actions[event.first + i];
              action.kind == Action::Access && action.object == y.footprint)
            return true;
        return false;
      }))
    return "";
  int64_t warps = llvm::count_if(program.agents, [&](const AgentInfo &agent) {
    return agent.cta == first.cta && agent.partition == first.partition;
  });
  return "a thread of each of " + std::to_string(warps) +
         " warps does this, to the same bytes: write titan.elect warp(0) for "
         "the titan.elect around it";
}

/// Between CTAs: X's thread adds to a flag too early, or without releasing what it
/// did; or Y's waits for less than shows it, or for no flag to which X's adds.
std::string Conflicts::fixOfFlag(const AccessRecord &x,
                                 const AccessRecord &y) const {
  if (x.agent == y.agent)
    return "";
  auto each = [&](uint32_t agent, auto visit) {
    const AgentProgram &code = program.programs[agent];
    for (const Event &event : code.events)
      for (const Action &action :
           ArrayRef(code.actions).slice(event.first, event.count))
        visit(event, action);
  };
  auto nameOfFlag = [&](uint32_t object) {
    return nameOf(program.roots[footprints[object].root]);
  };
  auto cta = [&](uint32_t agent) {
    return "CTA " + std::to_string(program.agents[agent].cta);
  };
  // The flags that are waited for before Y, and the most that is waited for.
  llvm::MapVector<uint32_t, std::pair<int64_t, const Event *>> waits;
  each(y.agent, [&](const Event &event, const Action &action) {
    if (&event >= y.event || action.kind != Action::WaitFlag)
      return;
    auto [known, fresh] =
        waits.try_emplace(action.object, action.amount, &event);
    if (!fresh && known->second.first < action.amount)
      known->second = {action.amount, &event};
  });
  // What X's thread adds, and waits for, before X and behind it.
  const Event *before = nullptr, *behind = nullptr, *any = nullptr;
  const Event *waitsItself = nullptr, *observes = nullptr;
  uint32_t flag = 0, anyFlag = 0;
  bool released = false;
  each(x.agent, [&](const Event &event, const Action &action) {
    if (action.kind == Action::WaitFlag && &event < x.event)
      waitsItself = &event;
    if (action.kind == Action::WaitGroup && &event > x.event && !observes)
      observes = &event;
    if (action.kind != Action::Access)
      return;
    const auto &access = std::get<effect::Access>(action.effect->what);
    if (!access.added)
      return;
    const bool releases = access.sem != effect::Sem::Relaxed &&
                          access.sem != effect::Sem::Acquire;
    if (&event > x.event && releases && !any) {
      any = &event;
      anyFlag = action.object;
    }
    if (!waits.contains(action.object))
      return;
    flag = action.object;
    (&event < x.event ? before : behind) = &event;
    released |= &event > x.event && releases;
  });
  if (behind && !released)
    return "let " + quoted(behind->op) +
           " release what comes before it: sem(release) scope(gpu), or "
           "titan.flag.signal";
  // A copy is done when its group has been waited for.
  if (behind && x.mechanism && (!observes || observes > behind))
    return "move " + quoted(behind->op) + ", which tells " + cta(y.agent) +
           " that it is done, behind the wait for " + quoted(x.event->op) +
           " (of its group, without `read`)";
  if (behind) {
    // All that is added, in this launch, and what of it is X's thread's.
    int64_t all = flagAtLaunch(flag), own = 0;
    const int64_t begin = all;
    for (uint32_t a = 0; a < program.agents.size(); ++a)
      each(a, [&](const Event &event, const Action &action) {
        if (action.kind != Action::Access || action.object != flag)
          return;
        const auto &access = std::get<effect::Access>(action.effect->what);
        if (!access.added || action.amount <= 0)
          return;
        const int64_t amount = action.amount * program.times(event, access.by);
        all += amount;
        own += a == x.agent ? amount : 0;
      });
    auto [least, wait] = waits[flag];
    if (least <= all - own)
      return quoted(wait->op) + " returns when " + nameOfFlag(flag) + " is " +
             std::to_string(least) +
             ", which it can be without the signal of " + cta(x.agent) +
             ": of this launch it begins with " + std::to_string(begin) +
             ", and all signals bring it to " + std::to_string(all) +
             "; wait for that";
    return "";
  }
  // (Of what several CTAs write alike fixOfCtas tells.)
  const bool alike = x.event->op == y.event->op;
  // What has to come behind a wait of its own cannot come before that signal.
  if (before && waitsItself && waitsItself > before)
    return alike ? ""
                 : "let the CTAs meet once more between the two: each adds to "
                   "a second "
                   "flag behind " +
                       quoted(x.event->op) + ", and waits for it before " +
                       quoted(y.event->op) +
                       "; or write another tensor than the one that is read";
  if (before && x.mechanism)
    return "move " + quoted(before->op) + ", which tells " + cta(y.agent) +
           " that it is done, behind the wait for " + quoted(x.event->op) +
           " (of its group, without `read`)";
  if (before)
    return "move '" + x.event->op->getName().getStringRef().str() +
           "' before '" + before->op->getName().getStringRef().str() +
           "', which tells the CTA that waits for the flag that it is done";
  if (any && !alike &&
      program.agents[x.agent].cta != program.agents[y.agent].cta)
    return "let " + cta(y.agent) + " wait, before " + quoted(y.event->op) +
           ", for what " + cta(x.agent) + " adds to " + nameOfFlag(anyFlag) +
           " behind it by " + quoted(any->op) + " (titan.flag.wait)";
  return "";
}

/// Two CTAs of a grid write one place: no barrier is between them.
std::string Conflicts::fixOfCtas(const AccessRecord &x,
                                 const AccessRecord &y) const {
  const AgentInfo &first = program.agents[x.agent],
                  &second = program.agents[y.agent];
  Value memory = program.roots[footprints[y.footprint].root];
  if (x.event->op != y.event->op || x.kind != AccessKind::Write ||
      y.kind != AccessKind::Write || first.cta == second.cta ||
      !isa<GlobalType>(memory.getType()))
    return "";
  return "let each CTA write a part of its own of " + nameOf(memory) +
         ": CTAs " + std::to_string(std::min(first.cta, second.cta)) + " and " +
         std::to_string(std::max(first.cta, second.cta)) +
         " write the same elements, so that what one writes is larger than the "
         "step from one CTA to the next, or the step leaves a CTA id out; what "
         "several CTAs add up is a reduction";
}

/// What a thread's group has under way is touched before its wait.
std::string Conflicts::fixOfGroup(const AccessRecord &x,
                                  const AccessRecord &y) const {
  if (!x.mechanism ||
      program.agents[x.agent].cta != program.agents[y.agent].cta)
    return "";
  const MechanismInfo &info = mechanismInfo(*x.mechanism);
  if (info.commit.empty() || info.pending == Pending::Cells)
    return "";
  // (Each thread waits for its own: what others have copied it does not know of.)
  const bool own = x.agent == y.agent && !(y.lanes & ~x.lanes) &&
                   !(waitedItself && waitedItself(x, y));
  if (const Event *wait = own || !ownWait ? nullptr : ownWait(x))
    return "put a barrier between " + quoted(wait->op) +
           ", by which its thread knows that the copy is over, and " +
           quoted(y.event->op) +
           (isAhead(y, x) ? " of the next iteration" : "");
  return "let the thread that issues '" +
         x.event->op->getName().getStringRef().str() +
         "' wait for its group (" + std::string(info.wait) +
         (info.hasReadWait && x.kind == AccessKind::Read ? ", sources read"
                                                         : "") +
         (own ? ") before '" : "), and put a barrier between that wait and '") +
         y.event->op->getName().getStringRef().str() + "'";
}

/// Who does Y, which is in no order with X: of one warp's lanes, another one.
std::string Conflicts::describeBeside(const AccessRecord &x,
                                      const AccessRecord &y) const {
  bool lanes = x.agent == y.agent && !x.mechanism && y.lanes & Others;
  return describe(y) + (lanes ? ", another lane" : "");
}

bool Conflicts::isAhead(const AccessRecord &x, const AccessRecord &y) const {
  const AgentInfo &one = program.agents[x.agent],
                  &other = program.agents[y.agent];
  if (x.agent == y.agent || one.cta != other.cta ||
      one.partition != other.partition)
    return false;
  // The loops around each, and their iterations, the innermost first.
  auto around = [&](const AccessRecord &access) {
    std::vector<std::pair<Operation *, int64_t>> loops;
    uint32_t i = access.event->iteration;
    for (Operation *op = access.event->op->getParentOp();
         op && !isa<KernelOp>(op); op = op->getParentOp())
      if (isa<LoopLikeOpInterface>(op) && i) {
        loops.emplace_back(op, program.iterations[i].index);
        i = program.iterations[i].parent;
      }
    return loops;
  };
  auto xs = around(x), ys = around(y);
  for (; !xs.empty() && !ys.empty() && xs.back().first == ys.back().first;
       xs.pop_back(), ys.pop_back())
    if (xs.back().second != ys.back().second)
      return xs.back().second > ys.back().second;
  return false;
}

void Conflicts::tell(Code code, const AccessRecord &x, const AccessRecord &y,
                     const Requirement &required, Advice advice) {
  std::string &what = advice.what;
  Operation *second = y.event->op;
  if ((code == Code::Race || code == Code::MmaSlotReuse) && returnedEarly &&
      y.mechanism == Mechanism::Phase)
    if (auto wait = returnedEarly(x, y)) {
      Report::Stop stop(report);
      return tellWait(*wait, y, x);
    }
  if (code == Code::CompletionNotObserved || code == Code::AsyncUnordered ||
      code == Code::Race || code == Code::TmemWaitMissing)
    if (cause && x.mechanism)
      if (auto better = cause(x, y)) {
        if (better->op == second) {
          // Told of the same two places.
          code = better->code;
          if (code == Code::Race)
            what = "nothing orders the two";
        } else {
          tellWait(*better, x, y);
          return;
        }
      }
  // What the warp that is behind does in a loop comes first.
  if (code == Code::Race && !x.mechanism && isAhead(x, y)) {
    const Requirement turned = titan::required(
        {y.kind, y.proxy}, {x.kind, x.proxy}, Relation::SameCta);
    if (!y.mechanism || turned.completion == Completion::None)
      return tellPair(Code::Race, y, x, turned, {"nothing orders the two"});
    return tellPair(turned.ifNotComplete, y, x, turned,
                    {"its completion has not been observed"});
  }
  tellPair(code, x, y, required, std::move(advice));
}

void Conflicts::tellPair(Code code, const AccessRecord &x,
                         const AccessRecord &y, const Requirement &required,
                         Advice advice) {
  Operation *first = x.event->op, *second = y.event->op;
  if (report.known(code, second, first))
    return;
  const FootprintData &bytes = footprints[y.footprint];
  Type type = program.roots[bytes.root].getType();
  std::string where = isa<TensorMemoryType>(type)   ? "tensor memory"
                      : isa<TensorMapType>(type)    ? "a tensor map"
                      : y.proxy == Proxy::Tensormap ? "a tensor map"
                      : isa<GlobalType>(type)       ? "global memory"
                                                    : "shared memory";
  Finding *finding = report.add(
      code, second, first,
      Twine("'") + second->getName().getStringRef() + "' " +
          verb(y.kind, false) + " " + where + " through the " +
          proxyName(y.proxy) + " proxy that '" +
          first->getName().getStringRef() + "' " + verb(x.kind, true) +
          (x.proxy != y.proxy
               ? Twine(" through the ") + proxyName(x.proxy) + " proxy"
               : Twine("")) +
          ", and " + advice.what);
  if (!finding)
    return;
  std::string other = x.kind == AccessKind::Read    ? "read here by "
                      : x.kind == AccessKind::Write ? "written here by "
                                                    : "updated here by ";
  finding->others.push_back({first->getLoc(), other + describe(x)});
  finding->events.push_back(describe(x) + ": '" +
                            first->getName().getStringRef().str() + "'" +
                            (x.mechanism ? " is issued" : ""));
  finding->events.push_back(
      (code == Code::Race ? describeBeside(x, y) : describe(y)) + ": '" +
      second->getName().getStringRef().str() + "'");
  // A race lacks any order, whatever the proxies.
  if (required.row && code != Code::Race)
    finding->events.push_back(
        "what is missing: row " + std::to_string(required.row) +
        " of the proxy table, rule " + std::string(required.rule));
  for (auto &[op, place] : advice.places)
    finding->others.push_back({op->getLoc(), std::move(place)});
  finding->fix = std::move(advice.fix);
  if (code == Code::Race && finding->fix.empty() && notWaited)
    finding->fix = notWaited(x, y);
  if (code == Code::CompletionNotObserved && finding->fix.empty() && notWaited)
    finding->fix = notWaited(y, x);
  if (finding->fix.empty())
    finding->fix = fixOfElect(x, y);
  if (finding->fix.empty() && isa<GlobalType>(type) &&
      (code == Code::Race || code == Code::CompletionNotObserved))
    finding->fix = fixOfFlag(x, y);
  if (finding->fix.empty())
    finding->fix = fixOfCtas(x, y);
  if (finding->fix.empty() &&
      (code == Code::CompletionNotObserved || code == Code::Race))
    finding->fix = fixOfGroup(x, y);
  const AgentInfo &one = program.agents[x.agent],
                  &two = program.agents[y.agent];
  if (finding->fix.empty() && code == Code::Race && one.cta != two.cta &&
      one.cluster == two.cluster && !isa<GlobalType>(type))
    finding->fix = "let the CTAs meet at the cluster's barrier "
                   "(titan.cluster.arrive, titan.cluster.wait), or one signal "
                   "the other's mbarrier, between '" +
                   first->getName().getStringRef().str() + "' and '" +
                   second->getName().getStringRef().str() + "'";
}

/// Whether Y, which is after X, stands for both: whoever must come after X must
/// come after Y, too. All that touches the bytes must come after a plain write;
/// an atomic or a reduction speaks for its like alone.
static bool standsFor(const AccessRecord &y, const AccessRecord &x,
                      bool sameCta) {
  bool strong = y.sem != effect::Sem::Weak;
  if (y.kind == AccessKind::Write && !strong)
    return true;
  return x.kind == y.kind && x.proxy == y.proxy && sameCta &&
         (x.sem != effect::Sem::Weak) == strong && x.scope >= y.scope &&
         x.footprint == y.footprint &&
         (x.kind != AccessKind::Reduction || sameReduction(x, y));
}

/// The next of the same kind by the same lanes: of one thread, or of one
/// thread's groups, which complete in order.
static bool isNext(const AccessRecord &y, const AccessRecord &x) {
  auto same = [](const Until &a, const Until &b) {
    return a.number == b.number;
  };
  return x.agent == y.agent && x.lanes == y.lanes && x.kind == y.kind &&
         x.proxy == y.proxy && x.mechanism == y.mechanism && x.sem == y.sem &&
         x.scope == y.scope && x.footprint == y.footprint &&
         x.accumulator == y.accumulator && llvm::equal(x.done, y.done, same) &&
         llvm::equal(x.whole, y.whole, same);
}

Conflicts::Order Conflicts::check(const AccessRecord &x, const AccessRecord &y,
                                  const View &view) {
  bool sameCta = program.agents[x.agent].cta == program.agents[y.agent].cta;
  bool sameCluster =
      program.agents[x.agent].cluster == program.agents[y.agent].cluster;
  if (x.proxy == Proxy::TensorMemory)
    return checkCells(x, y, view);
  // LDS instructions of one wave execute in order (orderedPairs()).
  if (x.agent == y.agent && x.mechanism == Mechanism::LgkmCount &&
      y.mechanism == Mechanism::LgkmCount)
    return Order::Before;
  Relation relation = x.agent == y.agent && (x.lanes & y.lanes)
                          ? Relation::SameThread
                      : sameCta ? Relation::SameCta
                                : Relation::OtherCta;
  Requirement needed = required({x.kind, x.proxy}, {y.kind, y.proxy}, relation);
  Judge judge{shape, footprints, *this,  x,       y,
              view,  view.clock, needed, relation};
  if (!conflict({x.kind, x.proxy}, {y.kind, y.proxy}, sameReduction(x, y)) ||
      morallyStrong(x, y, sameCta, sameCluster))
    return (x.mechanism ? judge.observed(false) : judge.ordered())
               ? Order::Before
               : Order::Neither;
  auto failure = judge();
  if (!failure) {
    if (needed.fence == ProxyFence::TensormapReleaseAcquire && !sameCta &&
        checkMapScopes)
      checkMapScopes(x, y, view);
    if (needed.advice &&
        !report.known(*needed.advice, y.event->op, x.event->op)) {
      bool fenced = *needed.advice == Code::ReaderFenceMissing;
      for (int d : {electedClass, othersClass})
        if (fenced && judge.takesPart(y, d))
          fenced = judge.fencedBySecond(d, true);
      if (!fenced)
        tell(*needed.advice, x, y, needed,
             {"the two are of different CTAs, which the ISA's letter does not "
              "order"});
    }
    return Order::Before;
  }
  Judge unfenced{shape, footprints,    *this,  x,       y,
                 view,  view.unfenced, needed, relation};
  if (view.unfenced[0] != view.clock[0] && !unfenced()) {
    if (missing)
      missing({x, y, view, needed.fence, Code::MmaFence,
               [&](const Clock *const *clocks) {
                 return !Judge{shape, footprints, *this,  x,       y,
                               view,  clocks,     needed, relation}();
               }});
    if (Finding *finding = report.add(
            Code::MmaFence, y.event->op, x.event->op,
            "no wgmma.fence stands between the wait that makes the operands "
            "ready and this product"))
      finding->others.push_back(
          {x.event->op->getLoc(), "written here by " + describe(x)});
    return Order::Bad;
  }
  if (missing && needed.fence != ProxyFence::None &&
      failure->code == needed.ifNoFence)
    missing({x, y, view, needed.fence, failure->code, {}});
  Advice advice{failure->what, failure->fix};
  if (needed.fence == ProxyFence::ByFirst &&
      failure->code == needed.ifNoFence &&
      !report.known(failure->code, y.event->op, x.event->op))
    if (auto side = wrongSide(x, y))
      advice = std::move(*side);
  tell(failure->code, x, y, needed, std::move(advice));
  return Order::Bad;
}

void Conflicts::checkDefined(Root &root, const AccessRecord &access) {
  const ByteSet &bytes = footprints[access.footprint].bytes;
  if (access.kind != AccessKind::Write &&
      !root.defined.contains(access.footprint)) {
    ByteSet poison = bytes.subtract(root.written);
    if (!poison.empty() && !(tooEarly && tooEarly(access))) {
      std::string name =
          nameOf(program.roots[footprints[access.footprint].root]);
      if (Finding *finding = report.add(
              Code::UndefinedRead, access.event->op, nullptr,
              Twine("'") + access.event->op->getName().getStringRef() +
                  "' reads " + Twine(bytes.bytes()) + " bytes of " + name +
                  " (shared memory), of which nothing has written " +
                  Twine(poison.bytes()) + ", the first at its byte " +
                  Twine(poison.intervals().front().begin) + ": " +
                  describe(access)))
        finding->fix = "copy or store to these bytes of " + name + " before '" +
                       access.event->op->getName().getStringRef().str() +
                       "' reads them";
    }
  }
  if (root.defined.insert(access.footprint).second)
    root.written = root.written.unite(bytes);
}

void Conflicts::add(AccessRecord access, const View &view) {
  const FootprintData &bytes = footprints[access.footprint];
  bool shared = bytes.root < program.sharedRoots;
  if (!shared && !program.written[bytes.root])
    return;
  Root &root = roots[shared ? access.cta * program.sharedRoots + bytes.root
                            : program.ctas() * program.sharedRoots +
                                  bytes.root - program.sharedRoots];
  if (shared)
    checkDefined(root, access);
  if (!program.written[bytes.root])
    return;
  bool write = access.kind != AccessKind::Read;
  // Many lanes of one warp writing one place: they race with each other.
  if (access.kind == AccessKind::Write && access.lanes & Others &&
      access.sem == effect::Sem::Weak && !access.mechanism &&
      !bytes.bytes.empty() &&
      footprints.lanesMeet(access.footprint, access.footprint) &&
      (access.event->cardinality == effect::Cardinality::EveryThread ||
       access.event->cardinality == effect::Cardinality::Tile))
    if (Finding *finding = report.add(
            Code::Race, access.event->op, access.event->op,
            bytes.lanes.empty()
                ? "every lane of the warp writes the same place, in no order"
                : "lanes of one warp write the same element, in no order"))
      finding->fix = bytes.lanes.empty()
                         ? "put the store under titan.elect"
                         : "give each lane an element of its own";

  auto pass = [&](std::vector<AccessRecord> &list) {
    size_t kept = 0;
    effort.spend(Work::Pair, list.size());
    for (size_t i = 0; i < list.size(); ++i) {
      AccessRecord &x = list[i];
      bool forget = false;
      if (footprints.intersect(x.footprint, access.footprint)) {
        bool sameCta =
            program.agents[x.agent].cta == program.agents[access.agent].cta;
        Order order = check(x, access, view);
        forget =
            (order == Order::Before && write && standsFor(access, x, sameCta) &&
             footprints.covers(access.footprint, x.footprint)) ||
            (order != Order::Bad && isNext(access, x));
      }
      if (!forget) {
        if (kept != i)
          list[kept] = std::move(list[i]);
        ++kept;
      }
    }
    list.resize(kept, access);
  };
  pass(root.writes);
  if (write)
    pass(root.reads);
  else {
    // Reads do not conflict with reads.
    for (AccessRecord &x : root.reads)
      if (isNext(access, x)) {
        x = std::move(access);
        return;
      }
  }
  (write ? root.writes : root.reads).push_back(std::move(access));
}
