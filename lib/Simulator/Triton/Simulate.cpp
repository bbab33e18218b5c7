//===- Simulate.cpp - the grid: programs in parallel, or in turns ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Agent.h"

#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/Threading.h"

#include <condition_variable>
#include <random>
#include <thread>

using namespace mlir;
using namespace titan::tt;
using titan::Code, titan::Finding;

namespace {
/// Turns that a program may take in atomics without any memory changing before
/// it counts as waiting.
constexpr unsigned maxIdle = 2000;

/// Lets one agent run at a time. Each resident program has a thread; whoever
/// comes to an atomic hands the turn on.
class Scheduler {
public:
  Scheduler(World &world, ArrayRef<Tile> arguments)
      : world(world), arguments(arguments), random(world.options.turns.seed) {}

  void run(uint32_t programs) {
    this->programs = programs;
    unsigned count = std::min<uint64_t>(programs, world.options.resident);
    seats.resize(count);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < count; ++i)
      threads.emplace_back([this, i] { work(i); });
    {
      std::lock_guard lock(mutex);
      current = 0;
    }
    wake.notify_all();
    for (std::thread &thread : threads)
      thread.join();
  }

  static void giveWay(World &world, Agent &agent) {
    auto &self = *static_cast<Scheduler *>(world.scheduler);
    std::unique_lock lock(self.mutex);
    unsigned me = self.current;
    Seat &seat = self.seats[me];
    seat.agent = &agent;
    seat.waitsAt = agent.at;
    if (std::exchange(agent.changed, false))
      self.reset();
    else if (++seat.idle > maxIdle)
      self.findHang(agent, lock);
    self.pass(me);
    self.wait(me, lock);
    if (world.stop)
      throw Stopped();
  }

private:
  struct Seat {
    Agent *agent = nullptr;
    const Step *waitsAt = nullptr;
    unsigned idle = 0;
    bool done = false;
  };

  void reset() {
    for (Seat &seat : seats)
      seat.idle = 0;
  }

  void wait(unsigned me, std::unique_lock<std::mutex> &lock) {
    wake.wait(lock, [&] { return current == me; });
  }

  /// Chooses who goes on after `me`.
  void pass(unsigned me) {
    SmallVector<unsigned> ready;
    for (unsigned i = 1; i <= seats.size(); ++i)
      if (unsigned next = (me + i) % seats.size(); !seats[next].done)
        ready.push_back(next);
    if (ready.empty())
      return;
    switch (world.options.turns.kind) {
    case Turns::Fair:
      current = ready.front();
      break;
    case Turns::Random:
      current = ready[random() % ready.size()];
      break;
    case Turns::Adversarial: // The last one that does not only wait.
      current = *std::max_element(
          ready.begin(), ready.end(), [&](unsigned a, unsigned b) {
            bool idleA = seats[a].idle > 8, idleB = seats[b].idle > 8;
            return idleA != idleB ? idleA
                   : idleA        ? seats[a].idle > seats[b].idle
                                  : a < b;
          });
      break;
    }
    wake.notify_all();
  }

  /// Whether everybody waits: then nobody will change what they wait for.
  void findHang(Agent &agent, std::unique_lock<std::mutex> &lock) {
    unsigned waiting = 0;
    for (Seat &seat : seats)
      if (!seat.done && seat.idle < maxIdle / 2)
        return;
    Finding finding{.code = Code::Deadlock,
                    .message = agent.describe(agent.actor.program) +
                               ": waits in an atomic for what no program does",
                    .loc = placeOf(agent.at->op),
                    .fix = "see which value each waits for, and who writes it; "
                           "programs that are not resident have not begun"};
    for (Seat &seat : seats)
      if (!seat.done && seat.agent && seat.waitsAt && waiting++ < 8)
        finding.others.push_back(
            {placeOf(seat.waitsAt->op),
             seat.agent->describe(seat.agent->actor.program) + " waits here"});
    if (next < programs)
      finding.events.push_back(std::to_string(programs - next) +
                               " programs have not begun: " +
                               std::to_string(seats.size()) + " are resident");
    {
      std::lock_guard guard(world.mutex);
      world.findings.emplace_back(agent.actor.program, std::move(finding));
    }
    world.stop = true;
    pass(current);
    lock.unlock();
    throw Stopped();
  }

  void work(unsigned me) {
    Agent agent(world);
    std::vector<Tile> own;
    for (const Tile &argument : arguments) { // Bytes of this thread.
      Tile &tile = own.emplace_back(argument.kind, argument.count);
      std::memcpy(tile.bytes.data(), argument.bytes.data(),
                  argument.count * bytesOf(argument.kind));
    }
    std::unique_lock lock(mutex);
    wait(me, lock);
    seats[me].agent = &agent;
    while (next < programs && !world.stop) {
      uint32_t program = next++;
      seats[me].waitsAt = nullptr;
      lock.unlock();
      try {
        agent.run(program, own);
        lock.lock();
        reset();
      } catch (Stopped) {
        if (!lock.owns_lock())
          lock.lock();
        // The turn may be another's already.
        if (current != me)
          wait(me, lock);
      }
    }
    operations += agent.total;
    seats[me].done = true;
    pass(me);
  }

  World &world;
  ArrayRef<Tile> arguments;
  std::mutex mutex;
  std::condition_variable wake;
  std::vector<Seat> seats;
  unsigned current = -1;
  uint32_t next = 0, programs = 0;
  std::mt19937_64 random;

public:
  uint64_t operations = 0;
};
} // namespace

/// Bytes of the smallest element that the kernel's module accesses.
static unsigned findUnit(ModuleOp module) {
  unsigned unit = 8;
  auto consider = [&](Type type) {
    if (auto pointer = dyn_cast<PointerType>(getElementTypeOrSelf(type)))
      if (auto kind = kindOf(pointer.getPointee()))
        unit = std::min(unit, *kind == Kind::Block ? unit : bytesOf(*kind));
    if (auto pointer = dyn_cast<PointerType>(type);
        pointer && pointer.isBlock())
      unit = std::min(
          unit,
          bytesOf(*kindOf(
              cast<RankedTensorType>(pointer.getPointee()).getElementType())));
  };
  module.walk([&](Operation *op) {
    for (Value value : op->getOperands())
      consider(value.getType());
  });
  return unit;
}

RunReport titan::tt::simulate(FuncOp kernel, ArrayRef<RunArgument> arguments,
                              const RunOptions &options) {
  World world;
  world.kernel = kernel;
  world.options = options;
  auto module = kernel->getParentOfType<ModuleOp>();
  module.walk([&](Operation *op) {
    auto load = dyn_cast<LoadOp>(op);
    world.turns |=
        isa<AtomicRMWOp, AtomicCASOp>(op) || (load && load.getIsVolatile());
  });
  const uint64_t programs = options.grid[0] * options.grid[1] * options.grid[2];
  RunReport report;
  report.programs = programs;
  auto finish = [&] {
    llvm::stable_sort(world.findings,
                      [](auto &a, auto &b) { return a.first < b.first; });
    for (auto &[program, finding] : world.findings)
      report.findings.push_back(std::move(finding));
    llvm::stable_sort(world.printed,
                      [](auto &a, auto &b) { return a.first < b.first; });
    for (auto &[order, line] : world.printed)
      report.printed.push_back(std::move(line));
    return std::move(report);
  };
  if (!compile(world))
    return finish();
  world.memory =
      std::make_unique<Memory>(arguments, findUnit(module), world.turns);

  std::vector<Tile> tiles;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    Kind kind = *kindOf(kernel.getArgumentTypes()[i]);
    Tile &tile = tiles.emplace_back(kind, 1);
    uint64_t bits = argument.data ? Memory::getBase(i) : argument.scalar;
    std::memcpy(tile.bytes.data(), &bits, bytesOf(kind));
  }
  if (world.turns) {
    Scheduler scheduler(world, tiles);
    world.scheduler = &scheduler;
    world.giveWay = Scheduler::giveWay;
    scheduler.run(programs);
    report.operations = scheduler.operations;
    return finish();
  }
  unsigned threads = options.threads
                         ? options.threads
                         : llvm::hardware_concurrency().compute_thread_count();
  threads = std::max<uint64_t>(1, std::min<uint64_t>(threads, programs));
  std::atomic<uint64_t> next = 0, operations = 0;
  auto work = [&] {
    Agent agent(world);
    std::vector<Tile> own;
    for (const Tile &argument : tiles) {
      Tile &tile = own.emplace_back(argument.kind, argument.count);
      std::memcpy(tile.bytes.data(), argument.bytes.data(),
                  argument.count * bytesOf(argument.kind));
    }
    try {
      for (uint64_t program; !world.stop && (program = next++) < programs;)
        agent.run(program, own);
    } catch (Stopped) {
    }
    operations += agent.total;
  };
  // What threads ask the context for is then locked.
  MLIRContext *context = kernel.getContext();
  const bool wasThreaded = context->isMultithreadingEnabled();
  context->disableMultithreading(false);
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(threads));
  for (unsigned i = 0; i < threads; ++i)
    pool.async(work);
  pool.wait();
  context->disableMultithreading(!wasThreaded);
  report.operations = operations;
  return finish();
}
