//===- Blocks.cpp - block pointers and descriptors ------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of the kind Block holds the numbers [base, padding, shape..., strides...,
// offsets...]; padding 2 reads as NaN. Strides are in elements.
//
//===----------------------------------------------------------------------===//
#include "Agent.h"

using namespace mlir;
using namespace titan::tt;
using titan::Code, titan::Finding;

namespace {
struct BlockView {
  explicit BlockView(const Tile &tile)
      : numbers(tile.as<int64_t>()), rank((tile.count - 2) / 3) {}
  int64_t base() const { return numbers[0]; }
  bool isNaN() const { return numbers[1] == 2; }
  int64_t shape(int64_t d) const { return numbers[2 + d]; }
  int64_t stride(int64_t d) const { return numbers[2 + rank + d]; }
  int64_t &offset(int64_t d) const { return numbers[2 + 2 * rank + d]; }
  int64_t *numbers;
  int64_t rank;
};
} // namespace

static void make(Agent &agent, const Step &step, unsigned rank, int64_t padding,
                 bool hasOffsets) {
  Tile tile(Kind::Block, 2 + 3 * rank);
  int64_t *numbers = tile.as<int64_t>();
  numbers[0] = agent.getScalar(step, 0, "the base");
  numbers[1] = padding;
  for (unsigned i = 0; i < 3 * rank; ++i)
    numbers[2 + i] =
        i < 2 * rank || hasOffsets
            ? agent.getScalar(step, 1 + i, "a size, stride or offset")
            : 0;
  agent.out(step) = std::move(tile);
}

static void makeBlock(Agent &agent, const Step &step) {
  make(agent, step, cast<MakeTensorPtrOp>(step.op).getOrder().size(), 1, true);
}

std::optional<Finding> titan::tt::findWrongDescriptor(Location loc,
                                                      const std::string &name,
                                                      ArrayRef<int64_t> shape,
                                                      ArrayRef<int64_t> strides,
                                                      unsigned size) {
  auto wrong = [&](Code code, std::string message, std::string fix) {
    return Finding{.code = code,
                   .message = std::move(message),
                   .loc = loc,
                   .fix = std::move(fix)};
  };
  for (auto [d, extent] : llvm::enumerate(shape))
    if (extent < 0 || strides[d] < 0)
      return wrong(Code::InvalidOp,
                   "dimension " + std::to_string(d) + " of " + name +
                       " has size " + std::to_string(extent) + " and stride " +
                       std::to_string(strides[d]) + ": neither may be negative",
                   "give the sizes and strides of a tensor in memory");
  if (strides.back() != 1)
    return wrong(Code::InvalidOp,
                 "the last stride of " + name + " is " +
                     std::to_string(strides.back()) +
                     ": elements along it lie beside each other",
                 "put the dimension whose stride is 1 last");
  for (auto [d, stride] : llvm::enumerate(strides.drop_back()))
    if (stride * size % 16)
      return wrong(Code::Misaligned,
                   "stride " + std::to_string(stride) + " of dimension " +
                       std::to_string(d) + " of " + name + ", " +
                       std::to_string(stride * size) +
                       " bytes, is no multiple of 16 bytes",
                   "pad the rows");
  return std::nullopt;
}

static void makeDescriptor(Agent &agent, const Step &step) {
  auto op = cast<MakeTensorDescOp>(step.op);
  make(agent, step, op.getShape().size(), static_cast<int64_t>(op.getPadding()),
       false);
  BlockView view(agent.out(step));
  Type element = op.getBase().getType().getPointee();
  const unsigned size = bytesOf(*kindOf(element));
  if (auto wrong = findWrongDescriptor(
          op.getLoc(), "the descriptor", ArrayRef(view.numbers + 2, view.rank),
          ArrayRef(view.numbers + 2 + view.rank, view.rank), size))
    agent.fail(step, wrong->code, wrong->message, wrong->fix);
  if (view.base() % 16)
    agent.fail(step, Code::Misaligned,
               "the descriptor's tensor begins at " +
                   agent.describePlace(view.base(), size) +
                   ", at no multiple of 16 bytes",
               "begin it at a multiple of 16 bytes", 0, /*operands=*/1);
}

static void advance(Agent &agent, const Step &step) {
  Tile &from = agent.in(step);
  Tile tile(Kind::Block, from.count);
  std::memcpy(tile.bytes.data(), from.bytes.data(), from.count * 8);
  BlockView view(tile);
  for (int64_t d = 0; d < view.rank; ++d) // 32-bit, as the offsets are.
    view.offset(d) = static_cast<int32_t>(
        view.offset(d) + agent.getScalar(step, 1 + d, "an offset"));
  agent.out(step) = std::move(tile);
}

/// Calls `body(element, address or nothing)` for each element of a block of this
/// shape; nothing where it lies outside of a checked dimension.
template <typename Body>
static void forEach(const BlockView &view, ArrayRef<int64_t> block,
                    unsigned checked, unsigned size, ArrayRef<int64_t> offsets,
                    Body body) {
  SmallVector<int64_t, 5> index(block.size(), 0);
  int64_t count = 1;
  for (int64_t extent : block)
    count *= extent;
  for (int64_t i = 0; i < count; ++i) {
    bool inside = true;
    int64_t at = 0;
    for (int64_t d = 0; d < view.rank; ++d) {
      int64_t x = offsets[d] + index[d];
      inside &= !(checked >> d & 1) || (x >= 0 && x < view.shape(d));
      at += x * view.stride(d);
    }
    body(i, inside ? std::optional<uint64_t>(view.base() + at * size)
                   : std::nullopt);
    for (int64_t d = static_cast<int64_t>(block.size()) - 1;
         d >= 0 && ++index[d] == block[d]; --d)
      index[d] = 0;
  }
}

static void pad(Tile &out, int64_t i, bool isNaN) {
  if (isNaN && isFloat(out.kind))
    out.setFloat(i, std::numeric_limits<double>::quiet_NaN());
  else
    std::memset(out.bytes.data() + i * bytesOf(out.kind), 0, bytesOf(out.kind));
}

static void read(Agent &agent, const Step &step, const BlockView &view,
                 ArrayRef<int64_t> block, unsigned checked,
                 ArrayRef<int64_t> offsets, bool isNaN) {
  Tile out(step.kind, step.count);
  const unsigned size = bytesOf(out.kind);
  forEach(view, block, checked, size, offsets,
          [&](int64_t i, std::optional<uint64_t> address) {
            if (!address)
              return pad(out, i, isNaN);
            agent.touch(step, *address, size, Access::Read, laneOfBlock(i),
                        false, i);
            int64_t offset;
            Object *object = agent.world.memory->find(*address, offset);
            std::memcpy(out.bytes.data() + i * size, object->data + offset,
                        size);
          });
  agent.out(step) = std::move(out);
}

static void write(Agent &agent, const Step &step, const BlockView &view,
                  ArrayRef<int64_t> block, unsigned checked,
                  ArrayRef<int64_t> offsets, const Tile &value) {
  const unsigned size = bytesOf(value.kind);
  forEach(view, block, checked, size, offsets,
          [&](int64_t i, std::optional<uint64_t> address) {
            if (!address)
              return;
            if (value.isUndefined(i))
              agent.fail(step, Code::UndefinedRead,
                         "writes an undefined value at element " +
                             std::to_string(i) +
                             " of the block: " + causeText(value.mark(i)),
                         causeFix(value.mark(i)));
            const uint8_t *from = value.bytes.data() + i * size;
            agent.touch(step, *address, size, Access::Write, laneOfBlock(i),
                        false, i, from);
            int64_t offset;
            Object *object = agent.world.memory->find(*address, offset);
            std::memcpy(object->data + offset, from, size);
          });
}

static unsigned maskOf(ArrayRef<int32_t> dimensions) {
  unsigned mask = 0;
  for (int32_t d : dimensions)
    mask |= 1u << d;
  return mask;
}

static SmallVector<int64_t> offsetsOf(const BlockView &view) {
  SmallVector<int64_t> offsets;
  for (int64_t d = 0; d < view.rank; ++d)
    offsets.push_back(view.offset(d));
  return offsets;
}

void titan::tt::loadBlock(Agent &agent, const Step &step) {
  auto op = cast<LoadOp>(step.op);
  Tile tile = agent.in(step);
  BlockView view(tile);
  read(agent, step, view, shapeOf(op.getType()), maskOf(op.getBoundaryCheck()),
       offsetsOf(view), op.getPadding() == PaddingOption::NaN);
}

void titan::tt::storeBlock(Agent &agent, const Step &step) {
  auto op = cast<StoreOp>(step.op);
  Tile tile = agent.in(step, 0), value = agent.in(step, 1);
  BlockView view(tile);
  write(agent, step, view, shapeOf(op.getValue().getType()),
        maskOf(op.getBoundaryCheck()), offsetsOf(view), value);
}

static SmallVector<int64_t> indicesOf(Agent &agent, const Step &step,
                                      unsigned first, unsigned rank) {
  SmallVector<int64_t> indices;
  for (unsigned d = 0; d < rank; ++d)
    indices.push_back(agent.getScalar(step, first + d, "an index"));
  return indices;
}

static void loadDescriptor(Agent &agent, const Step &step) {
  auto op = cast<DescriptorLoadOp>(step.op);
  Tile tile = agent.in(step);
  BlockView view(tile);
  read(agent, step, view, op.getDesc().getType().getBlock().getShape(), ~0u,
       indicesOf(agent, step, 1, view.rank), view.isNaN());
}

static void storeDescriptor(Agent &agent, const Step &step) {
  auto op = cast<DescriptorStoreOp>(step.op);
  Tile tile = agent.in(step, 0), value = agent.in(step, 1);
  BlockView view(tile);
  write(agent, step, view, op.getDesc().getType().getBlock().getShape(), ~0u,
        indicesOf(agent, step, 2, view.rank), value);
}

/// Each element is an atomic of its own, relaxed.
static void reduceDescriptor(Agent &agent, const Step &step) {
  auto op = cast<DescriptorReduceOp>(step.op);
  Tile tile = agent.in(step, 0), value = agent.in(step, 1);
  BlockView view(tile);
  SmallVector<int64_t> indices = indicesOf(agent, step, 2, view.rank);
  if (agent.world.giveWay) {
    agent.waitsFor = view.base();
    agent.waitsSize = bytesOf(value.kind);
    agent.world.giveWay(agent.world, agent);
  }
  const bool real = isFloat(value.kind), isUnsigned = op.getDesc()
                                                          .getType()
                                                          .getBlock()
                                                          .getElementType()
                                                          .isUnsignedInteger();
  RMWOp what;
  switch (op.getKind()) {
  case DescriptorReduceKind::Add:
    what = real ? RMWOp::FAdd : RMWOp::Add;
    break;
  case DescriptorReduceKind::Min:
    what = isUnsigned ? RMWOp::UMin : RMWOp::Min;
    break;
  case DescriptorReduceKind::Max:
    what = isUnsigned ? RMWOp::UMax : RMWOp::Max;
    break;
  case DescriptorReduceKind::And:
    what = RMWOp::And;
    break;
  case DescriptorReduceKind::Or:
    what = RMWOp::Or;
    break;
  case DescriptorReduceKind::Xor:
    what = RMWOp::Xor;
    break;
  default:
    agent.fail(step, Code::NotSupportedYet,
               "inc and dec of a descriptor are not simulated",
               "docs/triton.md lists what is simulated");
  }
  const unsigned size = bytesOf(value.kind);
  Tile old(value.kind, value.count);
  forEach(view, op.getDesc().getType().getBlock().getShape(), ~0u, size,
          indices, [&](int64_t i, std::optional<uint64_t> address) {
            if (!address)
              return;
            if (value.isUndefined(i))
              agent.fail(step, Code::UndefinedRead,
                         "writes an undefined value at element " +
                             std::to_string(i) +
                             " of the block: " + causeText(value.mark(i)),
                         causeFix(value.mark(i)));
            agent.touch(step, *address, size, Access::Atomic, laneOfBlock(i),
                        false, i);
            int64_t offset;
            Object *object = agent.world.memory->find(*address, offset);
            std::byte *at = object->data + offset;
            uint8_t next[8];
            std::memcpy(old.bytes.data() + i * size, at, size);
            combineElements(what, old, value, i, next);
            agent.changed |= std::memcmp(at, next, size) != 0;
            std::memcpy(at, next, size);
          });
}

static void gatherDescriptor(Agent &agent, const Step &step) {
  auto op = cast<DescriptorGatherOp>(step.op);
  Tile tile = agent.in(step, 0), rows = agent.in(step, 1);
  BlockView view(tile);
  int64_t column = agent.getScalar(step, 2, "the column");
  Tile out(step.kind, step.count);
  const int64_t width = shapeOf(op.getType())[1], size = bytesOf(out.kind);
  for (int64_t r = 0; r < rows.count; ++r) {
    Step one = step;
    one.count = width;
    read(agent, one, view, {1, width}, ~0u, {rows.getInteger(r), column},
         view.isNaN());
    std::memcpy(out.bytes.data() + r * width * size,
                agent.out(step).bytes.data(), width * size);
  }
  agent.out(step) = std::move(out);
}

static void scatterDescriptor(Agent &agent, const Step &step) {
  auto op = cast<DescriptorScatterOp>(step.op);
  Tile tile = agent.in(step, 0), rows = agent.in(step, 1),
       from = agent.in(step, 3);
  BlockView view(tile);
  int64_t column = agent.getScalar(step, 2, "the column");
  const int64_t width = shapeOf(op.getSrc().getType())[1],
                size = bytesOf(from.kind);
  for (int64_t r = 0; r < rows.count; ++r) {
    Tile row(from.kind, width);
    std::memcpy(row.bytes.data(), from.bytes.data() + r * width * size,
                width * size);
    if (from.undefined)
      std::memcpy(row.makeMarks(), from.undefined.data() + r * width, width);
    write(agent, step, view, {1, width}, ~0u, {rows.getInteger(r), column},
          row);
  }
}

void titan::tt::addBlocks(Table &table) {
  table["tt.make_tensor_ptr"] = makeBlock;
  table["tt.advance"] = advance;
  table["tt.make_tensor_descriptor"] = makeDescriptor;
  table["tt.descriptor_load"] = loadDescriptor;
  table["tt.descriptor_store"] = storeDescriptor;
  table["tt.descriptor_reduce"] = reduceDescriptor;
  table["tt.descriptor_gather"] = gatherDescriptor;
  table["tt.descriptor_scatter"] = scatterDescriptor;
}
