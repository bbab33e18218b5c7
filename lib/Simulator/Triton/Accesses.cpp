//===- Accesses.cpp - loads and stores through pointers -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Agent.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace titan::tt;
using titan::Code, titan::Finding;

static std::string hex(uint64_t value) {
  return "0x" + llvm::utohexstr(value, /*LowerCase=*/true);
}

std::string Agent::describePlace(uint64_t address, unsigned size) {
  int64_t offset = 0;
  const Object *object = world.memory->find(address, offset);
  if (!object)
    return "address " + hex(address);
  offset -= object->origin;
  if (offset % size)
    return object->name + " at byte " + std::to_string(offset);
  return object->name + "[" + std::to_string(offset / int64_t{size}) + "]";
}

/// What keeps accesses of this operation inside of their object.
static std::string outsideFix(Operation *op) {
  Type type = op->getOperand(0).getType();
  if (isa<TensorDescType>(type))
    return "give the descriptor the shape and strides of the tensor in memory";
  auto pointer = dyn_cast<PointerType>(type);
  size_t rank = 0, checked = 0;
  if (pointer && isa<RankedTensorType>(pointer.getPointee())) {
    rank = cast<RankedTensorType>(pointer.getPointee()).getRank();
    if (auto load = dyn_cast<LoadOp>(op))
      checked = load.getBoundaryCheck().size();
    else if (auto store = dyn_cast<StoreOp>(op))
      checked = store.getBoundaryCheck().size();
  } else if (wasBlock(op)) { // (A check would have become a mask.)
    rank = cast<RankedTensorType>(type).getRank();
  } else {
    return "mask what lies outside: offsets < n";
  }
  if (checked == rank)
    return "give tl.make_block_ptr the shape and strides of the tensor in "
           "memory";
  std::string dimensions;
  for (size_t d = 0; d < rank; ++d)
    dimensions += (d ? ", " : "") + std::to_string(d);
  return "boundary_check=(" + dimensions + (rank == 1 ? ",)" : ")") +
         " of the dimensions along which a block goes on behind the tensor";
}

/// What orders or separates accesses of several programs.
static std::string raceFix(FuncOp kernel) {
  Operation *relaxed = nullptr;
  kernel->getParentOfType<ModuleOp>().walk([&](Operation *op) {
    auto change = dyn_cast<AtomicRMWOp>(op);
    auto exchange = dyn_cast<AtomicCASOp>(op);
    if ((change && change.getSem() == MemSemantic::Relaxed) ||
        (exchange && exchange.getSem() == MemSemantic::Relaxed)) {
      relaxed = op;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  std::string fix = "let programs write disjoint places, or use tl.atomic_add; "
                    "a lock needs tl.debug_barrier() before it is released";
  if (!relaxed)
    return fix;
  auto at = placeOf(relaxed)->findInstanceOf<FileLineColLoc>();
  return "the atomic" +
         (at ? " of line " + std::to_string(at.getLine()) : std::string()) +
         R"( is relaxed and orders nothing: sem="release" or "acq_rel" where a )"
         R"(program lets others go on, sem="acquire" where one waits; else )" +
         fix;
}

/// Another element whose store goes to the same bytes; nothing: none does.
static std::optional<int64_t> findTwin(Agent &agent, const Step &step,
                                       int64_t element) {
  if (!isa<StoreOp>(step.op) ||
      !isa<RankedTensorType>(step.op->getOperand(0).getType()))
    return std::nullopt;
  const Tile &pointers = agent.in(step, 0);
  const uint64_t *addresses = pointers.as<uint64_t>();
  const Tile *mask =
      step.op->getNumOperands() > 2 ? &agent.in(step, 2) : nullptr;
  for (int64_t i = 0; i < pointers.count; ++i)
    if (i != element && addresses[i] == addresses[element] &&
        (!mask || mask->as<uint8_t>()[i]))
      return i;
  return std::nullopt;
}

void Agent::touch(const Step &step, uint64_t address, unsigned size,
                  Access access, uint32_t lane, bool scalar, int64_t element,
                  const void *value) {
  ++accesses;
  int64_t offset = 0;
  Object *object = world.memory->find(address, offset);
  // Its name, and which element of the tensor that is.
  auto place = [&] {
    std::string text = describePlace(address, size);
    Type type =
        step.op->getNumOperands() ? step.op->getOperand(0).getType() : Type();
    if (type && isa<RankedTensorType>(type))
      text += " (element " + indexText(type, element) + " of the tensor)";
    return text;
  };
  // Pointer and mask, not what is stored.
  const unsigned led =
      isa<DescriptorLoadOp, DescriptorGatherOp>(step.op) ? ~0u
      : isa<DescriptorStoreOp, DescriptorScatterOp, DescriptorReduceOp>(step.op)
          ? ~2u
      : access == Access::Read ? 3
                               : 5;
  const char *does = access == Access::Read    ? " reads "
                     : access == Access::Write ? " writes "
                                               : " changes ";
  // Before where it lies.
  if (address % size)
    fail(step, Code::Misaligned,
         std::string(does + 1) + place() + ", " + std::to_string(size) +
             " bytes at an address that is no multiple of that",
         "offsets are in elements of the pointer's type", element, led);
  if (!object || !object->data || offset < 0 ||
      static_cast<uint64_t>(offset) + size > object->bytes)
    fail(step, Code::OutOfBounds,
         std::string(does + 1) + place() +
             (object
                  ? object->data
                        ? ", which has " +
                              std::to_string((object->bytes - object->origin) /
                                             size) +
                              " elements of " + std::to_string(size) + " bytes"
                        : ", which is no memory"
                  : ", which belongs to no argument"),
         wrappedText(*this, step, element, led).value_or(outsideFix(step.op)),
         element, led);
  std::byte *at = object->data + offset;
  bool same = value && std::memcmp(at, value, size) == 0;
  Actor who = actor;
  if (scalar) // By the thread that performs scalar atomics, too.
    --who.clock;
  Fault fault =
      world.memory->touch(*object, offset, size, access, lane, who, same);
  switch (fault.kind) {
  case Fault::Unwritten:
    fail(step, Code::UndefinedRead,
         std::string(does + 1) + place() + ", which nobody has written",
         "initialise " + object->name + " before the launch, or write it first",
         element, led);
  case Fault::Race: {
    std::string message = std::string(does + 1) + place();
    bool own = fault.other == static_cast<int64_t>(actor.program);
    if (own)
      message += std::string(", which another element of the same program ") +
                 (fault.otherWrote ? "writes" : "reads") +
                 ": nothing orders the two";
    else
      message +=
          std::string(", which ") +
          (fault.other < 0 ? "several other programs" : describe(fault.other)) +
          (fault.otherWrote ? " wrote" : " read") + ": nothing orders the two";
    if (auto twin = own && fault.otherWrote ? findTwin(*this, step, element)
                                            : std::nullopt)
      fail(step, Code::Race, message,
           "elements " +
               indexText(step.op->getOperand(0).getType(),
                         std::min(*twin, element)) +
               " and " +
               indexText(step.op->getOperand(0).getType(),
                         std::max(*twin, element)) +
               " of one store go to one place: let each have its own, mask all "
               "but one, or use an atomic",
           element, led);
    fail(step, Code::Race, message,
         own ? "tl.debug_barrier() between them, or let each element touch its "
               "own place"
             : raceFix(world.kernel),
         element, led);
  }
  default:
    break;
  }
}

/// Whether element i is to be accessed; refuses an undefined mask or address.
static bool isActive(Agent &agent, const Step &step, Tile &pointers, Tile *mask,
                     int64_t i) {
  Type type = step.op->getOperand(0).getType();
  if (mask) {
    if (mask->isUndefined(i))
      agent.fail(step, Code::UndefinedRead,
                 "the mask" + elementText("of", type, i) +
                     " is undefined: " + causeText(mask->mark(i)),
                 "compute masks from defined values alone", i);
    if (!mask->as<uint8_t>()[i])
      return false;
  }
  if (pointers.isUndefined(i))
    agent.fail(step, Code::UndefinedRead,
               "the address" + elementText("of", type, i) +
                   " is undefined: " + causeText(pointers.mark(i)),
               causeFix(pointers.mark(i)), i);
  return true;
}

static void addPointer(Agent &agent, const Step &step) {
  Tile &pointers = agent.in(step, 0), &offsets = agent.in(step, 1);
  Type pointee = cast<PointerType>(getElementTypeOrSelf(step.op->getOperand(0)))
                     .getPointee();
  std::optional<Kind> kind = kindOf(pointee);
  const int64_t size = kind ? bytesOf(*kind) : 1;
  Tile &out = agent.make(step);
  withInteger(offsets.kind, [&](auto zero) {
    using T = decltype(zero);
    const T *by = offsets.as<T>();
    for (int64_t i = 0; i < out.count; ++i)
      out.as<uint64_t>()[i] = pointers.as<uint64_t>()[i] +
                              static_cast<uint64_t>(int64_t{by[i]} * size);
  });
  joinMarks(agent, step);
}

static void load(Agent &agent, const Step &step) {
  auto op = cast<LoadOp>(step.op);
  Tile &pointers = agent.in(step);
  if (pointers.kind == Kind::Block)
    return loadBlock(agent, step);
  if (op.getIsVolatile() && agent.world.giveWay) {
    agent.waitsFor = pointers.as<uint64_t>()[0];
    agent.waitsSize = bytesOf(step.kind);
    agent.world.giveWay(agent.world, agent);
  }
  Tile *mask = op.getMask() ? &agent.in(step, 1) : nullptr;
  Tile *other = op.getOther() ? &agent.in(step, 2) : nullptr;
  Type type = op.getPtr().getType();
  const unsigned size = bytesOf(step.kind);
  const bool scalar = !isa<RankedTensorType>(type);
  Tile out(step.kind, step.count);
  for (int64_t i = 0; i < out.count; ++i) {
    uint8_t *to = out.bytes.data() + i * size;
    if (isActive(agent, step, pointers, mask, i)) {
      uint64_t address = pointers.as<uint64_t>()[i];
      agent.touch(step, address, size, Access::Read, laneOf(shapeOf(type), i),
                  scalar, i);
      int64_t offset;
      Object *object = agent.world.memory->find(address, offset);
      std::memcpy(to, object->data + offset, size);
      if (step.kind == Kind::I1)
        *to &= 1;
    } else if (other) {
      std::memcpy(to, other->bytes.data() + i * size, size);
      if (other->isUndefined(i))
        out.makeMarks()[i] = other->mark(i);
    } else {
      std::memset(to, 0, size);
      out.makeMarks()[i] = MaskedLanes;
    }
  }
  agent.out(step) = std::move(out);
}

static void store(Agent &agent, const Step &step) {
  auto op = cast<StoreOp>(step.op);
  Tile &pointers = agent.in(step, 0);
  if (pointers.kind == Kind::Block)
    return storeBlock(agent, step);
  Tile &value = agent.in(step, 1);
  Tile *mask = op.getMask() ? &agent.in(step, 2) : nullptr;
  Type type = op.getPtr().getType();
  const unsigned size = bytesOf(value.kind);
  const bool scalar = !isa<RankedTensorType>(type);
  for (int64_t i = 0; i < value.count; ++i) {
    if (!isActive(agent, step, pointers, mask, i))
      continue;
    if (value.isUndefined(i))
      agent.fail(step, Code::UndefinedRead,
                 "writes an undefined value" + elementText("at", type, i) +
                     ": " + causeText(value.mark(i)),
                 causeFix(value.mark(i)), i, /*operands=*/2);
    uint64_t address = pointers.as<uint64_t>()[i];
    const uint8_t *from = value.bytes.data() + i * size;
    agent.touch(step, address, size, Access::Write, laneOf(shapeOf(type), i),
                scalar, i, from);
    int64_t offset;
    Object *object = agent.world.memory->find(address, offset);
    std::memcpy(object->data + offset, from, size);
  }
}

void titan::tt::addAccesses(Table &table) {
  table["tt.addptr"] = addPointer;
  table["tt.load"] = load;
  table["tt.store"] = store;
}
