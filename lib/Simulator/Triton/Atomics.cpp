//===- Atomics.cpp - atomics, and what they order -------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An atomic of a scalar is performed by one thread, and a barrier follows it. Release
// publishes what the program did up to its last barrier, and what scalars did;
// acquire takes what was published at that address.
//
//===----------------------------------------------------------------------===//
#include "Agent.h"

#include <cmath>

using namespace mlir;
using namespace titan::tt;
using titan::Code, titan::Finding;

static int64_t combine(RMWOp what, Kind kind, int64_t old, int64_t value) {
  uint64_t mask =
      bitsOf(kind) == 64 ? ~uint64_t{0} : (uint64_t{1} << bitsOf(kind)) - 1;
  uint64_t a = static_cast<uint64_t>(old) & mask,
           b = static_cast<uint64_t>(value) & mask;
  switch (what) {
  case RMWOp::And:
    return old & value;
  case RMWOp::Or:
    return old | value;
  case RMWOp::Xor:
    return old ^ value;
  case RMWOp::Add:
  case RMWOp::FAdd:
    return static_cast<int64_t>(a + b);
  case RMWOp::Max:
    return std::max(old, value);
  case RMWOp::Min:
    return std::min(old, value);
  case RMWOp::UMax:
    return a > b ? old : value;
  case RMWOp::UMin:
    return a < b ? old : value;
  case RMWOp::Exchange:
    return value;
  }
  return value;
}

void titan::tt::combineElements(RMWOp what, const Tile &old, const Tile &value,
                                int64_t i, uint8_t *next) {
  Tile result(value.kind, 1);
  if (what == RMWOp::FAdd && value.kind == Kind::F32)
    result.as<float>()[0] = old.as<float>()[i] + value.as<float>()[i];
  else if (what == RMWOp::FAdd)
    result.setFloat(0, old.getFloat(i) + value.getFloat(i));
  else if (isFloat(value.kind) && what != RMWOp::Exchange)
    result.setFloat(0, what == RMWOp::Max
                           ? std::fmax(old.getFloat(i), value.getFloat(i))
                           : std::fmin(old.getFloat(i), value.getFloat(i)));
  else if (isFloat(value.kind)) // The bits.
    std::memcpy(result.bytes.data(),
                value.bytes.data() + i * bytesOf(value.kind),
                bytesOf(value.kind));
  else
    result.setInteger(
        0, combine(what, value.kind, old.getInteger(i), value.getInteger(i)));
  std::memcpy(next, result.bytes.data(), bytesOf(value.kind));
}

/// One atomic of a tensor or scalar: `change` yields what element i writes, given
/// what was there; false: nothing.
template <typename Change>
static void perform(Agent &agent, const Step &step, Tile *mask, MemSemantic sem,
                    MemScope scope, bool wants, Change change) {
  Tile pointers = agent.in(step, 0);
  if (agent.world.giveWay) {
    agent.waitsFor = pointers.as<uint64_t>()[0];
    agent.waitsSize = bytesOf(step.kind);
    agent.world.giveWay(agent.world, agent);
  }
  Type type = step.op->getOperand(0).getType();
  const bool scalar = !isa<RankedTensorType>(type);
  const bool acquires =
      sem == MemSemantic::Acquire || sem == MemSemantic::AcqRel;
  const bool releases =
      sem == MemSemantic::Release || sem == MemSemantic::AcqRel;
  const unsigned size = bytesOf(step.kind);
  Tile out(step.kind, step.count);
  bool changed = false;
  for (int64_t i = 0; i < out.count; ++i) {
    uint8_t *to = out.bytes.data() + i * size;
    if (mask && mask->isUndefined(i))
      agent.fail(step, Code::UndefinedRead,
                 "the mask" + elementText("of", type, i) +
                     " is undefined: " + causeText(mask->mark(i)),
                 "compute masks from defined values alone", i);
    if (mask && !mask->as<uint8_t>()[i]) {
      std::memset(to, 0, size);
      out.makeMarks()[i] = MaskedLanes;
      continue;
    }
    if (pointers.isUndefined(i))
      agent.fail(step, Code::UndefinedRead,
                 "the address" + elementText("of", type, i) +
                     " is undefined: " + causeText(pointers.mark(i)),
                 causeFix(pointers.mark(i)), i);
    uint64_t address = pointers.as<uint64_t>()[i];
    agent.touch(step, address, size,
                scope == MemScope::CTA ? Access::AtomicCTA : Access::Atomic,
                laneOf(shapeOf(type), i), scalar, i);
    int64_t offset;
    Object *object = agent.world.memory->find(address, offset);
    std::byte *at = object->data + offset;
    std::memcpy(to, at, size);
    uint8_t next[8];
    if (change(out, i, next)) {
      if (agent.world.turns && std::memcmp(at, next, size) != 0) {
        changed = true;
        agent.world.changedBy[address] = agent.actor.program;
      }
      std::memcpy(at, next, size);
    }
    if (!agent.world.turns || scope == MemScope::CTA)
      continue;
    Clocks &published = agent.world.published[address];
    if (acquires)
      for (auto [program, clock] : published) {
        uint32_t &known = agent.seen[program];
        known = std::max(known, clock);
      }
    if (releases) {
      for (auto [program, clock] : agent.seen) {
        uint32_t &known = published[program];
        known = std::max(known, clock);
      }
      uint32_t &mine = published[agent.actor.program];
      mine = std::max(mine, agent.actor.clock - 1);
    }
  }
  agent.changed |= changed;
  if (scalar && wants) {
    agent.actor.barrier = ++agent.actor.epoch;
    ++agent.actor.clock;
  }
  if (!step.out.empty())
    agent.out(step) = std::move(out);
}

static void readModifyWrite(Agent &agent, const Step &step) {
  auto op = cast<AtomicRMWOp>(step.op);
  Tile value = agent.in(step, 1);
  Tile *mask = op.getMask() ? &agent.in(step, 2) : nullptr;
  const RMWOp what = op.getAtomicRmwOp();
  perform(agent, step, mask, op.getSem(), op.getScope(),
          !op.getResult().use_empty(),
          [&](Tile &old, int64_t i, uint8_t *next) {
            if (value.isUndefined(i))
              agent.fail(step, Code::UndefinedRead,
                         "an undefined value reaches memory" +
                             elementText("at", op.getVal().getType(), i) +
                             ": " + causeText(value.mark(i)),
                         causeFix(value.mark(i)), i);
            combineElements(what, old, value, i, next);
            return true;
          });
}

static void compareAndSwap(Agent &agent, const Step &step) {
  auto op = cast<AtomicCASOp>(step.op);
  Tile expected = agent.in(step, 1), value = agent.in(step, 2);
  const unsigned size = bytesOf(value.kind);
  perform(agent, step, nullptr, op.getSem(), op.getScope(),
          !op.getResult().use_empty(),
          [&](Tile &old, int64_t i, uint8_t *next) {
            if (value.isUndefined(i) || expected.isUndefined(i))
              agent.fail(step, Code::UndefinedRead,
                         "an operand of the compare and swap is undefined: " +
                             causeText(value.mark(i) | expected.mark(i)),
                         causeFix(value.mark(i) | expected.mark(i)));
            if (std::memcmp(old.bytes.data() + i * size,
                            expected.bytes.data() + i * size, size) != 0)
              return false;
            std::memcpy(next, value.bytes.data() + i * size, size);
            return true;
          });
}

void titan::tt::addAtomics(Table &table) {
  table["tt.atomic_rmw"] = readModifyWrite;
  table["tt.atomic_cas"] = compareAndSwap;
}
