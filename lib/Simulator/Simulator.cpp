//===- Simulator.cpp - the grid, and who goes next ------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Simulator/Simulator.h"
#include "Conformance.h"
#include "Hazards.h"
#include "Trace.h"
#include "titan/Simulator/Machine.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace mlir;
using namespace titan;
using namespace titan::sim;

std::string titan::sim::placeOf(mlir::Location loc) {
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    return llvm::formatv(
        "{0}:{1}:{2}",
        file.getFilename().getValue().rsplit('/').second.empty()
            ? file.getFilename().getValue()
            : file.getFilename().getValue().rsplit('/').second,
        file.getLine(), file.getColumn());
  return "an unknown place";
}

bool SimulatorReport::good() const {
  return llvm::none_of(findings, [](const Finding &finding) {
    return finding.severity == Severity::Error;
  });
}

//===----------------------------------------------------------------------===//
// CTAs
//===----------------------------------------------------------------------===//

Cta::Cta(Machine &machine, Cluster &cluster, std::array<int64_t, 3> id,
         unsigned rank)
    : machine(machine), cluster(cluster), id(id), rank(rank),
      number(machine.nextCta++),
      shared(machine.program.sharedBytes, machine.views != nullptr),
      named(machine.program.target->namedBarriers),
      running(machine.program.warps) {
  for (unsigned warp = 0; warp < machine.program.warps; ++warp)
    agents.push_back(std::make_unique<Agent>(machine, *this, warp));
  cluster.running += running;
}

Machine::Machine(KernelOp kernel, const Program &program, const Launch &launch,
                 ArrayRef<SimulatorArgument> arguments,
                 const SimulatorOptions &options, SimulatorReport &report)
    : kernel(kernel), program(program), launch(launch), arguments(arguments),
      own(kernel.getArgTypes().size()), options(options), report(report),
      views(options.hazards
                ? nullptr
                : std::make_unique<Views>(
                      options.schedule,
                      options.strictness.severityOf(Code::ScopeTooNarrow) ==
                          Severity::Error)),
      global(views != nullptr), given(arguments.size()) {
  clusters = 1;
  for (int d = 0; d < 3; ++d) {
    clusterGrid[d] = launch.grid[d] / program.cluster[d];
    clusters *= clusterGrid[d];
  }
  if (options.hazards)
    hazards = Hazards::create(*this);
  if (!options.traceFile.empty())
    trace = std::make_unique<Trace>(options.traceFile);
  if (options.compareEffects)
    conformance = std::make_unique<Conformance>(*this);
  rng = options.schedule.seed;
  if (options.schedule.kind == Schedule::Random) {
    // Seeds differ in how fast the engines are against the warps, in how long a
    // warp runs before another one does, and in how fast warps are.
    static const unsigned weights[] = {1, 4, 16, 64};
    static const unsigned bursts[] = {1, 4, 32};
    engineWeight = weights[random() % 4];
    burst = bursts[random() % 3];
    speeds = static_cast<Speeds>(random() % 3);
  }
}

Machine::~Machine() = default;

/// SplitMix64.
uint64_t Machine::random() {
  uint64_t z = rng += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

void Machine::startClusters() {
  size_t room = std::max<int64_t>(
      1, options.multiprocessors / std::max<int64_t>(1, program.clusterSize));
  while (nextCluster < clusters && resident.size() < room) {
    auto cluster = std::make_unique<Cluster>();
    int64_t number = nextCluster++;
    std::array<int64_t, 3> at{number % clusterGrid[0],
                              number / clusterGrid[0] % clusterGrid[1],
                              number / clusterGrid[0] / clusterGrid[1]};
    for (int64_t rank = 0; rank < program.clusterSize; ++rank) {
      std::array<int64_t, 3> in{rank % program.cluster[0],
                                rank / program.cluster[0] % program.cluster[1],
                                rank / program.cluster[0] / program.cluster[1]};
      for (int d = 0; d < 3; ++d)
        in[d] += at[d] * program.cluster[d];
      cluster->ctas.push_back(std::make_unique<Cta>(*this, *cluster, in, rank));
      for (auto &agent : cluster->ctas.back()->agents)
        agents.push_back(agent.get());
    }
    if (views)
      views->start(*cluster);
    if (hazards)
      hazards->start(*cluster);
    resident.push_back(std::move(cluster));
    ++events;
  }
}

/// Clusters whose warps have returned and whose work is complete make room.
void Machine::retire() {
  bool any = false;
  for (auto &cluster : resident)
    any |= cluster->running == 0 && cluster->pendingWork == 0;
  if (!any)
    return;
  auto ended = [](const Cluster &cluster) {
    return cluster.running == 0 && cluster.pendingWork == 0;
  };
  llvm::erase_if(agents,
                 [&](Agent *agent) { return ended(agent->cta.cluster); });
  for (auto &cluster : resident) {
    if (views && ended(*cluster))
      views->end(*cluster);
    if (hazards && ended(*cluster))
      hazards->end(*cluster);
  }
  llvm::erase_if(resident, [&](auto &cluster) { return ended(*cluster); });
  startClusters();
  if (options.progress)
    options.progress((nextCluster - int64_t(resident.size())) *
                         program.clusterSize,
                     clusters * program.clusterSize);
}

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

void Machine::find(Code code, const Twine &message, Operation *op,
                   const Agent *agent, bool fatal,
                   std::vector<FindingPlace> others,
                   std::vector<std::string> lines, Operation *otherOp,
                   std::string fix) {
  Severity severity = options.strictness.severityOf(code);
  if (severity == Severity::Ignored)
    return;
  std::string where =
      others.empty() ? std::string() : placeOf(others.front().loc);
  Location loc = op->getLoc();
  if (!reported
           .insert({static_cast<int>(code), op->getName().getAsOpaquePointer(),
                    loc->findInstanceOf<FileLineColLoc>()
                        ? loc.getAsOpaquePointer()
                        : op,
                    where})
           .second)
    return;
  for (Operation *each : {op, otherOp}) {
    auto trusted =
        each ? each->getAttrOfType<DictionaryAttr>("titan.trusted") : nullptr;
    auto accepted = trusted ? trusted.getAs<StringAttr>("code") : nullptr;
    if (!accepted || accepted.str() != codeInfo(code).code)
      continue;
    // Told once for the words.
    if (!reported
             .insert({static_cast<int>(code), trusted.getAsOpaquePointer(),
                      nullptr, ""})
             .second)
      return;
    severity = Severity::Note;
    auto reason = trusted.getAs<StringAttr>("reason");
    fix = "trusted: " + (reason ? reason.getValue().str() : "");
  }
  report.findings.push_back({code, severity, message.str(), loc,
                             std::move(others), std::move(lines), fix});
  if (fatal && severity == Severity::Error)
    stop = true;
  // Hazards are reported and the run goes on, but not for ever.
  if (report.findings.size() >= 50)
    stop = true;
}

void Machine::giveUp(const Agent &agent) {
  const Inst &inst = agent.current();
  report.findings.push_back(
      {Code::Undecided,
       Severity::Error,
       "nothing is known of how the program goes on after what is trusted "
       "here: " +
           agent.who(inst),
       inst.origin->getLoc(),
       {},
       {},
       {}});
  stop = true;
}

//===----------------------------------------------------------------------===//
// Exit
//===----------------------------------------------------------------------===//

/// Work that still uses the CTA's memory as its last warp returns.
bool Machine::outstandingAt(Cta &cta, const Inst &inst) {
  for (const WorkRef &item : work) {
    bool own = item->cta == &cta, uses = false;
    switch (mechanismInfo(item->mechanism).atExit) {
    case Discharge::Nothing:
      break;
    case Discharge::SourcesRead:
      uses = own && !item->sourceRead;
      break;
    case Discharge::Done:
      uses = own && !item->done;
      break;
    }
    for (auto &[target, phase] : item->targets)
      uses |= target == &cta && !item->done;
    if (!uses)
      continue;
    std::string who = item->agent->who(*item->inst);
    find(own ? Code::ExitWithWork : Code::ClusterExit,
         own ? "still under way when the CTA exits: " + who
             : "the CTA has exited while a copy of a peer into its shared "
               "memory is under way: " +
                   who,
         item->inst->origin, item->agent, true,
         {{inst.origin->getLoc(), "the kernel's end"}});
    return true;
  }
  return false;
}

Step Agent::exit(const Inst &inst) {
  if (machine.hazards)
    machine.hazards->exit(*this, inst);
  view.release(everyLane);
  machine.publishBarriers(*this);
  // What waits have covered is over.
  if (machine.views)
    for (const Stream &stream : streams)
      for (size_t i = 0; i < stream.read; ++i)
        for (const WorkRef &work : stream.groups[i].work)
          if (!work->done)
            work->settle(machine);
  done = true;
  ++machine.events;
  --cta.cluster.running;
  if (clusterArrived)
    --cta.cluster.arrived;
  // Those that have exited are waited for no longer.
  if (cta.cluster.running && cta.cluster.arrived == cta.cluster.running) {
    cta.cluster.arrived = 0;
    ++cta.cluster.round;
  }
  if (--cta.running == 0) {
    if (machine.outstandingAt(cta, inst))
      return Step::Failed;
    if (machine.hazards)
      for (auto &[id, copy] : cta.unobserved)
        machine.find(Code::ExitWithWork,
                     "no wait observes that the copy is complete before the "
                     "CTA exits: " +
                         copy->agent->who(*copy->inst),
                     copy->inst->origin, copy->agent, false,
                     {{inst.origin->getLoc(), "the kernel's end"}});
    cta.unobserved.clear();
    for (auto &[address, barrier] : cta.barriers)
      if (barrier.state == MBarrier::Live && barrier.transactions != 0)
        machine.find(Code::BarrierBytes,
                     llvm::formatv("{0} ends with {1} bytes {2}: {3}",
                                   machine.nameOf(cta, barrier),
                                   std::abs(barrier.transactions),
                                   barrier.transactions < 0
                                       ? "copied that no phase expects"
                                       : "expected that no copy brings",
                                   machine.stateOf(barrier)),
                     barrier.init, this, false,
                     {{inst.origin->getLoc(), "the kernel's end"}});
  }
  return Step::Done;
}

//===----------------------------------------------------------------------===//
// Deadlock
//===----------------------------------------------------------------------===//

Waits Agent::waits() {
  const Inst &inst = current();
  if (inst.waits)
    return inst.waits(*this, inst);
  return {.what = inst.origin->getName().getStringRef().str()};
}

std::string Machine::fixOfDeadlock(Agent &first) const {
  std::string file = "FILE", lacks, rest = ", and nobody is left to bring them";
  Operation *place = first.current().origin;
  if (auto loc = place->getLoc()->findInstanceOf<FileLineColLoc>())
    file = loc.getFilename().str();
  for (Agent *agent : agents) {
    if (agent->done || &agent->cta.cluster != &first.cta.cluster)
      continue;
    // A phase that has all but its bytes is the cause.
    if (lacks.empty())
      if (Waits waits = agent->waits(); waits.bytes)
        lacks = waits.lacks;
    if (agent->current().origin != place)
      rest = ", and those who could bring them wait, too: let one of them "
             "signal before it waits";
  }
  if (!lacks.empty())
    rest.clear();
  else
    lacks = first.waits().lacks;
  if (lacks.empty())
    return "";
  return lacks + rest + "; 'titan check " + file +
         "' follows the cause, and its fix says what to change";
}

void Machine::deadlock() {
  Agent *first = nullptr;
  std::vector<FindingPlace> others;
  std::set<Operation *> places;
  for (Agent *agent : agents) {
    if (agent->done)
      continue;
    if (!first || (!first->waits().cause && agent->waits().cause))
      first = agent;
  }
  if (!first) {
    find(Code::InternalError, "nothing can go on, and nobody waits", kernel,
         nullptr);
    return;
  }
  for (Agent *agent : agents) {
    if (agent->done)
      continue;
    const Inst &inst = agent->current();
    report.state.push_back(llvm::formatv(
        "{0} at {1} ({2}) waits for {3}", agent->who(inst),
        placeOf(inst.origin->getLoc()), inst.origin->getName().getStringRef(),
        agent->waits().what));
    if (inst.origin != first->current().origin &&
        places.insert(inst.origin).second)
      others.push_back(
          {inst.origin->getLoc(),
           agent->who(inst) + " waits here for " + agent->waits().what});
  }
  for (auto &cluster : resident)
    for (auto &cta : cluster->ctas) {
      std::vector<const MBarrier *> barriers;
      for (auto &[address, barrier] : cta->barriers)
        if (barrier.state != MBarrier::Unset)
          barriers.push_back(&barrier);
      llvm::sort(barriers,
                 [](auto *a, auto *b) { return a->address < b->address; });
      for (const MBarrier *barrier : barriers)
        report.state.push_back(llvm::formatv("CTA {0}: {1}: {2}", cta->id[0],
                                             nameOf(*cta, *barrier),
                                             stateOf(*barrier)));
    }
  const Inst &inst = first->current();
  find(Code::Deadlock,
       llvm::formatv("{0} waits for ever for {1}", first->who(inst),
                     first->waits().what),
       inst.origin, first, true, std::move(others), {}, nullptr,
       fixOfDeadlock(*first));
  if (!stop)
    giveUp(*first);
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

/// Every agent in turn, as far as it goes. False: none could do anything.
bool Machine::stepAgents() {
  bool any = false;
  for (size_t i = 0; i < agents.size() && !stop; ++i) {
    Agent &agent = *agents[i];
    // A warp that polls in a loop must not keep the others from running.
    for (int polls = 0; polls < 4;) {
      if (agent.done || agent.blockedAt == events || stop)
        break;
      uint64_t begin = events;
      Step step = agent.step();
      if (step == Step::Blocked) {
        agent.blockedAt = events;
        break;
      }
      if (step == Step::Polled) {
        ++polls;
        agent.blockedAt = events;
        // Alone it would never be asked again.
        if (agent.polling && polls == 1)
          polled = true;
        break;
      }
      if (trace && step == Step::Ran)
        trace->operation(agent, program.code[agent.pc - 1], begin, events);
      any = true;
    }
  }
  return any;
}

/// The first agent, by a rank that the seed gives, that can go on: one step.
bool Machine::stepFirst() {
  Agent *first = nullptr;
  uint64_t least = 0;
  for (Agent *agent : agents) {
    if (agent->done || agent->blockedAt == events)
      continue;
    uint64_t rank = agent->number + options.schedule.seed / 2 * 977 + 1;
    rank *= 0x9e3779b97f4a7c15;
    rank = (rank ^ (rank >> 29)) * 0xbf58476d1ce4e5b9;
    if (!first || rank < least) {
      first = agent;
      least = rank;
    }
  }
  if (!first)
    return false;
  uint64_t begin = events;
  Step step = first->step();
  if (step == Step::Blocked || step == Step::Polled)
    first->blockedAt = events;
  // Alone it would never be asked again.
  if (step == Step::Polled)
    polled = true;
  if (trace && step == Step::Ran)
    trace->operation(*first, program.code[first->pc - 1], begin, events);
  return true;
}

bool Machine::stepWork(size_t index) {
  auto item = std::next(work.begin(), index);
  if (!ready(**item))
    return false;
  if (perform(**item)) {
    --(*item)->cta->cluster.pendingWork;
    work.erase(item);
  }
  return true;
}

/// How much the schedule favours an agent: 4, if all are the same.
unsigned Machine::weight(const Agent &agent) const {
  if (speeds == Speeds::Same)
    return 4;
  static const unsigned weights[] = {1, 4, 64};
  uint64_t z = speeds == Speeds::ByPartition ? agent.region : agent.number;
  z = (z + options.schedule.seed * 31 + 1) * 0x9e3779b97f4a7c15;
  return weights[(z >> 32) % 3];
}

/// With views, what reads sources or registers comes last when nothing else can
/// go on, and what brings data first.
int Machine::rank(const Work &item) const {
  return !views || item.fills ? 0 : item.sourceRead ? 1 : 2;
}

void Machine::stepRandom() {
  candidates.clear();
  for (Agent *agent : agents)
    if (!agent->done && agent->blockedAt != events)
      candidates.push_back(agent);
  size_t pending = work.size();
  if (candidates.empty() && pending == 0) {
    stuck = true;
    return;
  }
  // An agent has its weight, a piece of work engineWeight.
  uint64_t agentsWeigh = 0;
  for (Agent *agent : candidates)
    agentsWeigh += weight(*agent);
  uint64_t pick = random() % (agentsWeigh + pending * engineWeight);
  if (pick < agentsWeigh) {
    size_t chosen = 0;
    for (; pick >= weight(*candidates[chosen]); ++chosen)
      pick -= weight(*candidates[chosen]);
    Agent &agent = *candidates[chosen];
    for (unsigned i = 0; i < burst && !stop; ++i) {
      uint64_t begin = events;
      Step step = agent.step();
      if (step == Step::Blocked || step == Step::Polled)
        agent.blockedAt = events;
      if (step == Step::Polled)
        polled = true;
      if (trace && step == Step::Ran)
        trace->operation(agent, program.code[agent.pc - 1], begin, events);
      if (step != Step::Ran)
        break;
    }
    return;
  }
  size_t index = (pick - agentsWeigh) / engineWeight;
  // What an engine keeps in order: take the oldest piece.
  const Work &item = **std::next(work.begin(), index);
  if (!ready(item))
    for (size_t i = 0; i < index; ++i)
      if (const Work &other = **std::next(work.begin(), i);
          ready(other) && other.queue == item.queue)
        index = i;
  stepWork(index);
}

void Machine::run() {
  startClusters();
  while (!stop && !resident.empty()) {
    stuck = false;
    if (options.schedule.kind == Schedule::Random) {
      stepRandom();
    } else if (!(options.schedule.kind == Schedule::Skew ? stepFirst()
                                                         : stepAgents()) &&
               !stop) {
      stuck = true;
      for (int least = 0; least < 3; ++least)
        for (size_t i = 0; i < work.size() && stuck; ++i)
          if (rank(**std::next(work.begin(), i)) <= least)
            stuck = !stepWork(i);
    }
    if (stop)
      break;
    bool waiting =
        llvm::any_of(agents, [](Agent *agent) { return !agent->done; });
    if (stuck && waiting) {
      if (!polled)
        return deadlock();
      // Somebody polls: it may do something else with a 'not yet'.
      polled = false;
      ++events;
    }
    retire();
  }
}

std::string titan::stringify(const Schedule &schedule) {
  switch (schedule.kind) {
  case Schedule::Eager:
    return "eager";
  case Schedule::Lazy:
    return "lazy";
  case Schedule::Random:
    return "random:" + std::to_string(schedule.seed);
  case Schedule::Skew:
    return "skew:" + std::to_string(schedule.seed);
  }
  llvm_unreachable("schedule");
}

SimulatorReport titan::simulate(KernelOp kernel,
                                MutableArrayRef<SimulatorArgument> arguments,
                                const SimulatorOptions &options) {
  SimulatorReport report;
  auto launch =
      evaluateLaunch(kernel,
                     arguments.take_front(std::min(
                         arguments.size(), kernel.getArgTypes().size())),
                     options, report.findings);
  if (!launch)
    return report;
  auto program = Program::compile(kernel, report.findings);
  if (!program)
    return report;
  Machine machine(kernel, *program, *launch, arguments, options, report);
  machine.run();
  for (auto [name, times] : machine.compared)
    report.compared[name.getStringRef().str()] = times;
  if (machine.trace)
    if (auto problem = machine.trace->write())
      report.findings.push_back({Code::FileWrite,
                                 Severity::Error,
                                 *problem,
                                 UnknownLoc::get(kernel.getContext()),
                                 {},
                                 {},
                                 {}});
  return report;
}
