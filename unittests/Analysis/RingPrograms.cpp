//===- RingPrograms.cpp - all small programs of two agents ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RingPrograms.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

using namespace titan::test;

namespace {
bool isArrival(char c) { return c == 'a' || c == 'b' || c == 'f'; }
bool isWait(char c) { return c == 'x' || c == 'X' || c == 'y' || c == 'Y'; }
bool isTouch(char c) { return c == 'w' || c == 'r'; }
/// Operations that are numbered together.
char family(char c) {
  if (isArrival(c))
    return objectOf(c) ? 'b' : 'a';
  if (isWait(c))
    return objectOf(c) ? 'y' : 'x';
  if (isNamed(c))
    return objectOf(c) ? 't' : 's';
  return isTouch(c) ? 'w' : c;
}
} // namespace

std::string RingProgram::print() const {
  std::string result;
  for (int agent : {0, 1}) {
    result += text[agent][0] + "|" + std::to_string(lower[agent]) + ":";
    for (char c : text[agent][1]) {
      if (notFirst[agent].find(c) != std::string::npos)
        result += '>';
      if (notLast[agent].find(c) != std::string::npos)
        result += '<';
      result += c;
    }
    result += "|" + text[agent][2] + "  ";
  }
  return result + "depths " + std::to_string(depth[0]) + " " +
         std::to_string(depth[1]);
}

//===----------------------------------------------------------------------===//
// Every interleaving
//===----------------------------------------------------------------------===//

namespace {
/// What is ordered before: so many steps of each warp, and these fills.
struct Clock {
  std::array<uint8_t, 2> steps = {0, 0};
  uint32_t fills = 0;
  void join(const Clock &other) {
    for (int i : {0, 1})
      steps[i] = std::max(steps[i], other.steps[i]);
    fills |= other.fills;
  }
  auto operator<=>(const Clock &) const = default;
};
/// A phase of a slot of a barrier: what is still missing, and what its signals
/// carry.
struct Slot {
  uint8_t phases = 0;
  int8_t arrivals = 0, copies = 0;
  Clock open, done;
  auto operator<=>(const Slot &) const = default;
};
struct Tile {
  bool written = false;
  /// The last write: of a warp (at a step), or of a fill.
  int8_t writer = -1;
  uint8_t step = 0;
  std::array<uint8_t, 2> reads = {0, 0};
  auto operator<=>(const Tile &) const = default;
};
struct Round {
  uint8_t number = 0, arrived = 0;
  Clock open, done;
  auto operator<=>(const Round &) const = default;
};
struct State {
  std::array<uint8_t, 2> at = {0, 0};
  std::array<bool, 2> inside = {false, false}; ///< waits for a round
  std::array<std::vector<Slot>, 2> slots;
  std::array<Round, 2> rounds;
  std::vector<Tile> tiles;
  std::array<Clock, 2> clocks;
  uint32_t issued = 0, landed = 0;
  auto operator<=>(const State &) const = default;
};
/// An operation, as it is executed.
struct Event {
  char what;
  int number;
};

class Explorer {
public:
  Explorer(const RingProgram &program, int trips, bool hazards)
      : program(program), hazards(hazards) {
    for (int agent : {0, 1}) {
      std::map<char, int> made;
      std::set<int> mine;
      auto list = [&](const std::string &text) {
        for (char c : text)
          events[agent].push_back({c, made[family(c)]++});
      };
      list(program.text[agent][0]);
      for (int i = program.lower[agent]; i < trips; ++i) {
        std::string body;
        for (char c : program.text[agent][1])
          if ((i > 0 || program.notFirst[agent].find(c) == std::string::npos) &&
              (i < trips - 1 ||
               program.notLast[agent].find(c) == std::string::npos))
            body += c;
        list(body);
      }
      list(program.text[agent][2]);
      for (const std::string &part : program.text[agent])
        for (char c : part)
          if (isArrival(c) && mine.insert(objectOf(c)).second)
            ++expected[objectOf(c)];
    }
  }

  std::string run() {
    State state;
    for (int object : {0, 1})
      for (int i = 0; i < program.depth[object]; ++i) {
        Slot slot;
        slot.arrivals = expected[object];
        state.slots[object].push_back(slot);
      }
    state.tiles.resize(program.depth[0]);
    visit(state);
    return wrong;
  }

private:
  void fail(const std::string &what) {
    if (wrong.empty())
      wrong = what;
  }
  /// Of what shows in no run.
  void hazard(const std::string &what) {
    if (hazards)
      fail(what);
  }
  void close(int object, Slot &slot) {
    if (slot.arrivals || slot.copies)
      return;
    ++slot.phases;
    slot.done = slot.open;
    slot.open = Clock();
    slot.arrivals = expected[object];
  }
  static void fill(Tile &tile, int number) {
    tile = Tile();
    tile.written = true;
    tile.writer = 2 + number;
  }
  bool orderedAfterWrite(const Tile &tile, const Clock &clock) {
    if (!tile.written || tile.writer < 0)
      return true;
    return tile.writer < 2 ? clock.steps[tile.writer] >= tile.step
                           : (clock.fills >> (tile.writer - 2) & 1);
  }
  /// Copies under way to this tile, of which the clock knows nothing.
  bool meetsFill(const State &state, int tile, const Clock &clock) {
    for (const Event &event : events[0])
      if (event.what == 'f' && event.number % program.depth[0] == tile &&
          (state.issued >> event.number & 1) &&
          !(clock.fills >> event.number & 1))
        return true;
    return false;
  }

  /// One step of a warp; false: it cannot go on now.
  bool step(State &state, int agent) {
    const Event &event = events[agent][state.at[agent]];
    Clock &clock = state.clocks[agent];
    char c = event.what;
    int object = objectOf(c);
    if (isNamed(c)) {
      Round &round = state.rounds[object];
      if (state.inside[agent]) {
        if (round.number <= event.number)
          return false;
        clock.join(round.done);
        state.inside[agent] = false;
        ++state.at[agent];
        return true;
      }
      ++clock.steps[agent];
      round.open.join(clock);
      if (round.number != event.number)
        hazard("a warp comes to another round of a named barrier");
      if (++round.arrived == 2) {
        round.done = round.open;
        round.open = Clock();
        round.arrived = 0;
        ++round.number;
      }
      if (c == 's' || c == 't')
        state.inside[agent] = true;
      else
        ++state.at[agent];
      return true;
    }
    if (isWait(c)) {
      Slot &slot = state.slots[object][event.number % program.depth[object]];
      bool credit = c == 'X' || c == 'Y';
      int parity = (event.number / program.depth[object] + credit) % 2;
      // The phase that is open has parity phases mod 2.
      if (slot.phases % 2 == parity)
        return false;
      // Of which phase it speaks: its number's, or the one before that.
      int phase = event.number / program.depth[object] - credit;
      if (slot.phases != phase + 1)
        hazard("a wait is answered for another phase");
      clock.join(slot.done);
      ++state.at[agent];
      return true;
    }
    if (isArrival(c)) {
      int number = event.number % program.depth[object];
      Slot &slot = state.slots[object][number];
      ++clock.steps[agent];
      if (slot.phases != event.number / program.depth[object])
        hazard("a signal falls into another phase");
      if (slot.arrivals == 0)
        fail("one arrival too many");
      else
        --slot.arrivals;
      if (c == 'f') {
        Tile &tile = state.tiles[number];
        if (!orderedAfterWrite(tile, clock) || meetsFill(state, number, clock))
          hazard("a copy writes what is not over");
        for (int other : {0, 1})
          if (tile.reads[other] > clock.steps[other])
            hazard("a copy writes what is read");
        state.issued |= 1u << event.number;
        if (hazards)
          fill(tile, event.number);
        ++slot.copies;
      }
      slot.open.join(clock);
      close(object, slot);
      ++state.at[agent];
      return true;
    }
    if (isTouch(c)) {
      int number = event.number % program.depth[0];
      Tile &tile = state.tiles[number];
      ++clock.steps[agent];
      if (!orderedAfterWrite(tile, clock) || meetsFill(state, number, clock))
        hazard("a race with a write");
      if (c == 'r') {
        if (!tile.written)
          fail("a read of what nobody wrote");
        if (hazards)
          tile.reads[agent] = clock.steps[agent];
        else if (!saw.try_emplace({agent, state.at[agent]}, tile).second &&
                 saw[{agent, state.at[agent]}] != tile)
          fail("a read gives one thing or another");
      } else {
        for (int other : {0, 1})
          if (other != agent && tile.reads[other] > clock.steps[other])
            hazard("a race with a read");
        tile = Tile();
        tile.written = true;
        tile.writer = agent;
        tile.step = hazards ? clock.steps[agent] : state.at[agent];
      }
    }
    ++state.at[agent];
    return true;
  }

  /// What is ordered makes no difference to what happens.
  static void forget(State &state) {
    state.clocks = {};
    for (auto &slots : state.slots)
      for (Slot &slot : slots)
        slot.open = slot.done = Clock();
    for (Round &round : state.rounds)
      round.open = round.done = Clock();
  }
  void visit(const State &from) {
    std::vector<State> stack = {from};
    std::set<State> seen = {from};
    while (!stack.empty() && wrong.empty()) {
      State state = std::move(stack.back());
      stack.pop_back();
      bool moved = false;
      auto go = [&](State next) {
        moved = true;
        if (!hazards)
          forget(next);
        if (seen.insert(next).second)
          stack.push_back(std::move(next));
      };
      for (int agent : {0, 1})
        if (state.at[agent] < events[agent].size()) {
          State next = state;
          if (step(next, agent))
            go(std::move(next));
        }
      for (const Event &event : events[0])
        if (event.what == 'f' && (state.issued >> event.number & 1) &&
            !(state.landed >> event.number & 1)) {
          State next = state;
          next.landed |= 1u << event.number;
          Slot &slot = next.slots[0][event.number % program.depth[0]];
          if (slot.phases != event.number / program.depth[0])
            hazard("bytes fall into another phase");
          if (!hazards)
            fill(next.tiles[event.number % program.depth[0]], event.number);
          slot.open.fills |= 1u << event.number;
          --slot.copies;
          close(0, slot);
          go(std::move(next));
        }
      if (moved)
        continue;
      for (int agent : {0, 1})
        if (state.at[agent] < events[agent].size())
          fail("a deadlock");
      if (!hazards && last.value_or(state.tiles) != state.tiles)
        fail("tiles hold one thing or another at the end");
      last = state.tiles;
    }
  }

  const RingProgram &program;
  std::array<std::vector<Event>, 2> events;
  std::array<int, 2> expected = {0, 0};
  const bool hazards;
  std::string wrong;
  /// Without hazards: what a read of an agent, at a place, and the tiles at the
  /// end, were first.
  std::map<std::pair<int, int>, Tile> saw;
  std::optional<std::vector<Tile>> last;
};
} // namespace

std::string titan::test::explore(const RingProgram &program, int trips,
                                 bool hazards) {
  return Explorer(program, trips, hazards).run();
}

//===----------------------------------------------------------------------===//
// As titan IR
//===----------------------------------------------------------------------===//

std::string titan::test::toText(const RingProgram &program) {
  std::ostringstream os;
  int expected[2] = {0, 0};
  for (int agent : {0, 1}) {
    std::set<int> mine;
    for (const std::string &part : program.text[agent])
      for (char c : part)
        if (isArrival(c) && mine.insert(objectOf(c)).second)
          expected[objectOf(c)] += c == 'f' ? 1 : 32;
  }
  os << R"(
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!ring = !titan.shared<8x64xbf16, swizzle = 128, slots = )"
     << program.depth[0] << R"(>
!regs = tensor<8x64xbf16, #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>>
titan.kernel @program(%X: !global) warps(2) attributes {titan.target = "sm_90a"} launch {
  %one = arith.constant 1 : index
  %n = titan.dim %X, 0 : !global
  %map = titan.tensor_map %X : !global -> !map
  titan.launch grid(%one) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bytes = arith.constant 1024 : i32
  %value = arith.constant 1.0 : bf16
  %tiles = titan.shared.alloc : !ring
)";
  for (int object : {0, 1})
    os << "  %o" << object << " = titan.mbarrier.alloc : !titan.mbarrier<"
       << program.depth[object] << ">\n  %d" << object << " = arith.constant "
       << program.depth[object] << " : index\n";
  os << "  %two = arith.constant 2 : index\n  titan.elect warp(0) {\n";
  for (int object : {0, 1})
    if (expected[object])
      os << "    titan.mbarrier.init %o" << object << " count("
         << expected[object] << ") : !titan.mbarrier<" << program.depth[object]
         << ">\n";
  os << "    titan.fence.mbarrier_init\n  }\n  titan.cta_sync\n"
        "  titan.warp_specialize {\n";
  int names = 0;
  for (int agent : {0, 1}) {
    os << "  titan.partition \"" << (agent ? "b" : "a") << "\" warps(1) {\n"
       << "  %v = titan.splat %value : bf16 -> !regs\n"
       << "  %first = arith.constant " << program.lower[agent] << " : index\n"
       << "  %trips = arith.subi %n, %first : index\n";
    std::map<char, int> before, each;
    for (char c : program.text[agent][0])
      ++before[family(c)];
    for (char c : program.text[agent][1])
      ++each[family(c)];
    for (int part : {0, 1, 2}) {
      if (part == 1 && program.text[agent][1].empty())
        continue;
      if (part == 1)
        os << "  scf.for %i = %first to %n step %c1 {\n"
           << "  %t = arith.subi %i, %first : index\n";
      std::map<char, int> made;
      for (char c : program.text[agent][part]) {
        char kind = family(c);
        int own = made[kind]++, object = objectOf(c);
        std::string id = std::to_string(names++);
        // Its number.
        int constant = own + (part ? before[kind] : 0);
        bool skipsFirst = program.notFirst[agent].find(c) != std::string::npos,
             skipsLast = program.notLast[agent].find(c) != std::string::npos;
        if (part == 1 && skipsFirst)
          --constant;
        for (char other : program.text[agent][1])
          if (part == 2 && family(other) == kind &&
              (program.notFirst[agent].find(other) != std::string::npos ||
               program.notLast[agent].find(other) != std::string::npos))
            --constant;
        if (part == 1 && skipsFirst)
          os << "  %when" << id << " = arith.cmpi ugt, %i, %c0 : index\n"
             << "  scf.if %when" << id << " {\n";
        if (part == 1 && skipsLast)
          os << "  %next" << id << " = arith.addi %i, %c1 : index\n"
             << "  %when" << id << " = arith.cmpi ult, %next" << id
             << ", %n : index\n  scf.if %when" << id << " {\n";
        os << "  %k" << id << " = arith.constant " << constant << " : index\n";
        if (part && each[kind]) {
          os << "  %m" << id << " = arith.constant " << each[kind]
             << " : index\n  %p" << id << " = arith.muli "
             << (part == 1 ? "%t" : "%trips") << ", %m" << id
             << " : index\n  %u" << id << " = arith.addi %p" << id << ", %k"
             << id << " : index\n";
        } else
          os << "  %u" << id << " = arith.addi %k" << id << ", %c0 : index\n";
        std::string depth = "%d" + std::to_string(isTouch(c) ? 0 : object);
        std::string type =
            "!titan.mbarrier<" + std::to_string(program.depth[object]) + ">";
        os << "  %s" << id << " = arith.remui %u" << id << ", " << depth
           << " : index\n";
        std::string barrier =
            "%o" + std::to_string(object) + "[%s" + id + " : index]";
        if (isWait(c)) {
          os << "  %q" << id << " = arith.divui %u" << id << ", " << depth
             << " : index\n";
          std::string quotient = "%q" + id;
          if (c == 'X' || c == 'Y') {
            os << "  %x" << id << " = arith.addi %q" << id << ", %c1 : index\n";
            quotient = "%x" + id;
          }
          os << "  %h" << id << " = arith.remui " << quotient
             << ", %two : index\n  %g" << id << " = arith.index_cast %h" << id
             << " : index to i32\n  titan.mbarrier.wait " << barrier
             << " parity(%g" << id << ") : " << type << "\n";
        } else if (c == 'a' || c == 'b') {
          os << "  titan.mbarrier.arrive " << barrier << " : " << type << "\n";
        } else if (isNamed(c)) {
          os << "  titan.barrier." << (c == 's' || c == 't' ? "sync" : "arrive")
             << " " << 1 + object << " threads(64)\n";
        } else if (c == 'F') {
          os << "  titan.fence.proxy_async shared_cta\n";
        } else {
          os << "  %l" << id << " = titan.shared.slot %tiles[%s" << id
             << " : index] : !ring -> !tile\n";
          if (c == 'r')
            os << "  %r" << id << " = titan.shared.load %l" << id
               << " : !tile -> !regs\n";
          else if (c == 'w')
            os << "  titan.shared.store %v, %l" << id << " : !regs, !tile\n";
          else
            os << "  titan.elect {\n    titan.mbarrier.arrive_expect_tx "
               << barrier << ", %bytes : " << type
               << "\n    titan.tma.load %map[%c0, %c0], %l" << id << ", "
               << barrier << " : !map, !tile, " << type << "\n  }\n";
        }
        if (part == 1 && (skipsFirst || skipsLast))
          os << "  }\n";
      }
      if (part == 1)
        os << "  }\n";
    }
    os << "  }\n";
  }
  os << "  }\n  titan.return\n}\n";
  return os.str();
}
