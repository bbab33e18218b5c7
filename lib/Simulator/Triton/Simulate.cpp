//===- Simulate.cpp - the grid: programs in parallel, or in turns ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Agent.h"

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
  Scheduler(World &world, ArrayRef<Tile> arguments, uint32_t programs)
      : world(world), arguments(arguments), programs(programs),
        seats(std::min<uint64_t>(programs, world.options.resident)),
        random(world.options.turns.seed) {}

  void run() {
    const unsigned count = seats.size();
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < count; ++i)
      threads.emplace_back([this, i] { work(i); });
    {
      std::lock_guard lock(mutex);
      current = 0;
    }
    seats.front().wake.notify_one();
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
    std::condition_variable wake;
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
    seats[me].wake.wait(lock, [&] { return current == me; });
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
    seats[current].wake.notify_one();
  }

  /// "program (1, 0, 0) waits here, at lock_ptr[0], which holds 1; program (0, 0, 0)
  /// wrote that last".
  std::string describeWait(Agent &agent) {
    std::string text = agent.describe(agent.actor.program) + " waits here";
    if (!agent.waitsSize) // In a loop of plain loads.
      return text;
    text += ", at " + agent.describePlace(agent.waitsFor, agent.waitsSize);
    int64_t offset;
    Object *object = world.memory->find(agent.waitsFor, offset);
    if (!object || !object->data || offset < 0 ||
        static_cast<uint64_t>(offset) + agent.waitsSize > object->bytes)
      return text;
    int64_t value = 0;
    std::memcpy(&value, object->data + offset, agent.waitsSize);
    text += ", which holds " + std::to_string(value);
    if (auto by = world.changedBy.find(agent.waitsFor);
        by != world.changedBy.end())
      text += "; " + agent.describe(by->second) + " changed it last";
    return text;
  }

  /// Whether everybody waits: then nobody will change what they wait for.
  void findHang(Agent &agent, std::unique_lock<std::mutex> &lock) {
    unsigned waiting = 0;
    for (Seat &seat : seats)
      if (!seat.done && seat.idle < maxIdle / 2)
        return;
    Finding finding{.code = Code::Deadlock,
                    .message = agent.describe(agent.actor.program) +
                               ": waits for what no program does",
                    .loc = placeOf(agent.at->op),
                    .fix = "see which value each waits for, and who writes it; "
                           "programs that are not resident have not begun"};
    for (Seat &seat : seats)
      if (!seat.done && seat.agent && seat.waitsAt && waiting++ < 8)
        finding.others.push_back(
            {placeOf(seat.waitsAt->op), describeWait(*seat.agent)});
    if (next < programs)
      finding.events.push_back("not begun: " + std::to_string(programs - next) +
                               " of the grid's " + std::to_string(programs) +
                               "; resident: " + std::to_string(seats.size()));
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
        ++world.done;
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
  const uint32_t programs;
  std::mutex mutex;
  std::vector<Seat> seats;
  unsigned current = -1;
  uint32_t next = 0;
  std::mt19937_64 random;

public:
  uint64_t operations = 0;
};
} // namespace

/// Bytes of the smallest element that the kernel's module accesses.
static unsigned findUnit(ModuleOp module) {
  unsigned unit = 8;
  auto consider = [&](Type element) {
    if (auto kind = kindOf(element); kind && *kind != Kind::Block)
      unit = std::min(unit, bytesOf(*kind));
  };
  module.walk([&](Operation *op) {
    for (Value value : op->getOperands()) {
      if (auto descriptor = dyn_cast<TensorDescType>(value.getType()))
        consider(descriptor.getBlock().getElementType());
      else if (auto pointer =
                   dyn_cast<PointerType>(getElementTypeOrSelf(value.getType())))
        consider(getElementTypeOrSelf(pointer.getPointee()));
    }
  });
  return unit;
}

bool titan::tt::takesTurns(ModuleOp module) {
  return module
      .walk([&](Operation *op) {
        auto load = dyn_cast<LoadOp>(op);
        return isa<AtomicRMWOp, AtomicCASOp, DescriptorReduceOp>(op) ||
                       (load && load.getIsVolatile())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

std::optional<Turns> titan::tt::parseTurns(StringRef title) {
  Turns turns;
  if (title == "lazy") {
    turns.kind = Turns::Adversarial;
  } else if (title.consume_front("random:")) {
    turns.kind = Turns::Random;
    if (title.getAsInteger(10, turns.seed))
      return std::nullopt;
  } else if (title != "eager") {
    return std::nullopt;
  }
  return turns;
}

namespace {
/// Looks at a run from another thread: tells what is done, and gives it up where
/// it is asked to.
class Watcher {
public:
  explicit Watcher(World &world) : world(world) {
    if (world.options.progress || world.options.cancel)
      thread = std::thread([this] { watch(); });
  }
  ~Watcher() {
    if (!thread.joinable())
      return;
    {
      std::lock_guard lock(mutex);
      over = true;
    }
    wake.notify_one();
    thread.join();
  }

private:
  void watch() {
    std::unique_lock lock(mutex);
    for (unsigned ticks = 0; !over; ++ticks) {
      wake.wait_for(lock, std::chrono::milliseconds(100));
      if (world.options.cancel && world.options.cancel())
        world.stop = true;
      if (world.options.progress && !over && ticks >= 10 && ticks % 2 == 0)
        world.options.progress(world.done);
    }
  }

  World &world;
  std::mutex mutex;
  std::condition_variable wake;
  bool over = false;
  std::thread thread;
};
} // namespace

/// What a kernel is called with: a scalar, an address, or the numbers of a
/// descriptor (Blocks.cpp).
static Tile makeArgument(const RunArgument &argument, Kind kind) {
  uint64_t base = argument.object < 0
                      ? argument.scalar
                      : Memory::getBase(argument.object) + argument.offset;
  if (kind != Kind::Block) {
    Tile tile(kind, 1);
    std::memcpy(tile.bytes.data(), &base, bytesOf(kind));
    return tile;
  }
  const size_t rank = argument.shape.size();
  Tile tile(kind, 2 + 3 * rank);
  int64_t *numbers = tile.as<int64_t>();
  numbers[0] = static_cast<int64_t>(base);
  numbers[1] = argument.nan ? 2 : 1;
  for (size_t d = 0; d < rank; ++d) {
    numbers[2 + d] = argument.shape[d];
    numbers[2 + rank + d] = argument.strides[d];
    numbers[2 + 2 * rank + d] = 0;
  }
  return tile;
}

RunReport titan::tt::simulate(FuncOp kernel, ArrayRef<RunObject> objects,
                              ArrayRef<RunArgument> arguments,
                              const RunOptions &options) {
  World world;
  world.kernel = kernel;
  world.options = options;
  auto module = kernel->getParentOfType<ModuleOp>();
  world.turns = takesTurns(module);
  const uint64_t programs = options.grid[0] * options.grid[1] * options.grid[2];
  RunReport report;
  report.programs = programs;
  auto finish = [&] {
    if (world.memory)
      world.memory->keepWritten(objects);
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
  for (auto [i, argument] : llvm::enumerate(arguments))
    if (auto type = dyn_cast<TensorDescType>(kernel.getArgumentTypes()[i])) {
      auto kind = kindOf(type.getBlock().getElementType());
      auto wrong = findWrongDescriptor(
          kernel.getLoc(), "the descriptor " + objects[argument.object].name,
          argument.shape, argument.strides, bytesOf(*kind));
      if (!wrong && argument.offset % 16)
        wrong = Finding{.code = Code::Misaligned,
                        .message = "the tensor of the descriptor " +
                                   objects[argument.object].name +
                                   " begins at byte " +
                                   std::to_string(argument.offset) +
                                   " of its memory, at no multiple of 16",
                        .loc = kernel.getLoc(),
                        .fix = "begin it at a multiple of 16 bytes"};
      if (!wrong)
        continue;
      world.findings.emplace_back(0, std::move(*wrong));
      report.programs = 0;
      return finish();
    }
  if (!compile(world))
    return finish();
  world.memory =
      std::make_unique<Memory>(objects, findUnit(module), world.turns);

  std::vector<Tile> tiles;
  for (auto [argument, type] :
       llvm::zip_equal(arguments, kernel.getArgumentTypes()))
    tiles.push_back(makeArgument(argument, *kindOf(type)));
  Watcher watcher(world);
  if (world.turns) {
    Scheduler scheduler(world, tiles, programs);
    world.scheduler = &scheduler;
    world.giveWay = Scheduler::giveWay;
    scheduler.run();
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
      for (uint64_t program; !world.stop && (program = next++) < programs;) {
        agent.run(program, own);
        ++world.done;
      }
    } catch (Stopped) {
    }
    operations += agent.total;
  };
  if (threads == 1) {
    work();
  } else {
    // What threads ask the context for is then locked.
    MLIRContext *context = kernel.getContext();
    const bool wasThreaded = context->isMultithreadingEnabled();
    context->disableMultithreading(false);
    std::vector<std::thread> others;
    for (unsigned i = 0; i < threads; ++i)
      others.emplace_back(work);
    for (std::thread &other : others)
      other.join();
    context->disableMultithreading(!wasThreaded);
  }
  report.operations = operations;
  return finish();
}
