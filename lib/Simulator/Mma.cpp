//===- Mma.cpp - products of warpgroups -----------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/Fixes.h"
#include "titan/Dialect/Titan/Products.h"
#include "titan/Simulator/ExecutionTable.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cstring>

using namespace mlir;
using namespace titan;
using namespace titan::sim;

namespace {
/// A matrix product of a warpgroup; its warps come to it one by one.
struct Product : Work {
  Product(Agent &agent, const Inst &inst, Queue &of)
      : Work(agent, inst, Mechanism::MmaGroup),
        acc(agent.program.target->warpsPerWarpgroup), registers(acc.size()) {
    fills = false;
    queue = &of;
  }

  /// All of its warps have come: it is issued.
  bool isWhole() const { return joined == (1u << acc.size()) - 1; }
  bool readsFrom(uint64_t begin, uint64_t bytes) const override;
  bool isKnownRead(Machine &machine, const Viewer &writer) const override;
  /// With views a product that has been issued may be done later; see
  /// Machine::settle.
  bool isOver(bool, bool views) const override {
    return done || (views && isWhole());
  }
  void settle(Machine &machine) override {
    machine.completeUpTo(*queue, number);
  }
  void write(Machine &machine) override;
  void lookAtOperands(Machine &machine);

  const MmaTable &table() const {
    return *agent->program.products[inst->table];
  }
  unsigned warps() const { return acc.size(); }
  unsigned firstWarp() const { return agent->warp / warps() * warps(); }

  unsigned joined = 0; ///< Mask of warps.
  /// By warp of the group.
  std::vector<llvm::IntrusiveRefCntPtr<Accumulator>> acc;
  uint32_t a = 0, b = 0;
  std::vector<Ref> registers; ///< A, where it is in registers.
  bool accumulate = false;
  /// Views: the warps (mask) without a wgmma.fence since their registers were
  /// used.
  unsigned unfenced = 0;
};
} // namespace

static Step bad(Agent &agent, const Inst &inst, Code code, const Twine &message,
                StringRef fix = {}) {
  agent.machine.find(code, message + ": " + agent.who(inst), inst.origin,
                     &agent, /*fatal=*/true, {}, {}, nullptr, fix.str());
  return Step::Failed;
}

static Step inflightStart(Agent &agent, const Inst &inst) {
  if (!agent.wholeWarp(inst))
    return Step::Failed;
  const Tile *from = agent.tile(inst.a);
  if (!agent.usePoison(inst, from))
    return Step::Failed;
  auto *acc = new Accumulator(from->data.size());
  for (size_t i = 0; i < from->data.size(); ++i) {
    acc->data[i] = from->data[i];
    acc->poison[i] = 0;
  }
  agent.refs[inst.dst] = acc;
  agent.scalars[inst.d] = acc->version;
  agent.productFence = false;
  return Step::Ran;
}

static Step mmaFence(Agent &agent, const Inst &inst) {
  if (!agent.wholeWarp(inst))
    return Step::Failed;
  agent.productFence = true;
  if (agent.machine.views)
    agent.machine.views->fenceProducts(agent);
  return Step::Ran;
}

/// The products of the agent's warpgroup.
static Queue &queueOf(Agent &agent) {
  return agent.cta.queues[{
      Engine::Wgmma, agent.warp / agent.program.target->warpsPerWarpgroup}];
}

static Step mma(Agent &agent, const Inst &inst) {
  if (!agent.wholeWarp(inst))
    return Step::Failed;
  const MmaTable &table = *agent.program.products[inst.table];
  llvm::IntrusiveRefCntPtr<Accumulator> acc;
  bool more = inst.d != none && (agent.scalars[inst.d] & 1);
  if (!agent.refs[inst.c]) {
    if (more)
      return bad(agent, inst, Code::UndefinedRead,
                 "adds to an accumulator that holds nothing yet",
                 accumulateFix);
    acc = new Accumulator(table.acc->perWarp());
  } else {
    acc = static_cast<Accumulator *>(agent.refs[inst.c].get());
    // Its registers are about to change.
    for (auto &result : agent.results)
      agent.use(*result);
    agent.results.clear();
    if (agent.scalars[inst.imm] != acc->version)
      return bad(agent, inst, Code::InflightUse,
                 "the accumulator has been handed to another product since");
  }
  ++acc->version;
  ++acc->pending;
  agent.refs[inst.dst] = acc;
  agent.scalars[inst.imm2] = acc->version;
  // The warps of the group come to their products in one order.
  Queue &queue = queueOf(agent);
  uint64_t number = agent.stream(Mechanism::MmaGroup).issued + 1;
  uint32_t place = inst.flag ? 0 : static_cast<uint32_t>(agent.scalars[inst.a]);
  acc->lastProduct = number;
  if (number > queue.size()) {
    auto made = std::make_shared<Product>(agent, inst, queue);
    made->a = place;
    made->b = static_cast<uint32_t>(agent.scalars[inst.b]);
    made->accumulate = more;
    queue.pieces.push_back(made);
  }
  auto shared =
      std::static_pointer_cast<Product>(queue.pieces[number - 1 - queue.first]);
  Product &product = *shared;
  if (product.inst != &inst || product.a != place ||
      product.b != static_cast<uint32_t>(agent.scalars[inst.b]) ||
      product.accumulate != more) {
    agent.machine.find(
        Code::SyncDivergent,
        "the warps of a warpgroup issue different products: " + agent.who(inst),
        inst.origin, &agent, true,
        {{product.inst->origin->getLoc(),
          "issued here by " + product.agent->who(*product.inst)}});
    return Step::Failed;
  }
  agent.join(shared, Mechanism::MmaGroup);
  unsigned rank = agent.warp - product.firstWarp();
  product.joined |= 1u << rank;
  product.acc[rank] = acc;
  if (!agent.productFence)
    product.unfenced |= 1u << rank;
  if (inst.flag) {
    if (!agent.usePoison(inst, agent.tile(inst.a)))
      return Step::Failed;
    product.registers[rank] = agent.refs[inst.a];
  }
  if (product.isWhole()) {
    for (unsigned i = 0; i < product.warps(); ++i)
      agent.cta.agents[product.firstWarp() + i]->view.beforeAsync(everyLane);
    if (agent.machine.views) {
      product.lookAtOperands(agent.machine);
      agent.cta.readers.push_back(shared);
    }
    ++agent.machine.report.products;
    agent.machine.issue(shared);
  }
  return agent.machine.failed() ? Step::Failed : Step::Ran;
}

static Step mmaResult(Agent &agent, const Inst &inst) {
  if (!agent.wholeWarp(inst))
    return Step::Failed;
  Stream &stream = agent.stream(Mechanism::MmaGroup);
  size_t groups = inst.b == none ? stream.groups.size() : agent.scalars[inst.b];
  if (Step step = agent.waitForGroups(Mechanism::MmaGroup, groups);
      step != Step::Ran)
    return step;
  uint64_t number = stream.lastOf(groups);
  agent.productFence = false;
  llvm::IntrusiveRefCntPtr<Accumulator> acc(
      static_cast<Accumulator *>(agent.refs[inst.a].get()));
  if (acc && agent.scalars[inst.d] != acc->version)
    return bad(agent, inst, Code::InflightUse,
               "the accumulator has been handed to another product since");
  if (acc && acc->lastProduct > stream.lastOf(stream.done))
    return bad(agent, inst, Code::InflightUse,
               "the last product of the accumulator is in no group that this "
               "wait covers");
  auto *result = new Tile(inst.imm);
  Ref hold(result);
  if (!acc) {
    result->poison.assign(result->data.size(), 1);
  } else {
    result->late = [&agent, acc, number](Tile &tile) {
      if (agent.machine.views)
        agent.machine.completeUpTo(queueOf(agent), number);
      for (size_t i = 0; i < acc->data.size(); ++i)
        tile.data[i] = acc->data[i];
      if (llvm::is_contained(acc->poison, 1))
        tile.poison = acc->poison;
    };
    if (agent.machine.views) {
      std::erase_if(agent.results, [](auto &each) { return !each->late; });
      agent.results.push_back(result);
    } else {
      agent.use(*result);
    }
  }
  agent.refs[inst.dst] = hold;
  return Step::Ran;
}

static Waits waitsForProducts(Agent &agent, const Inst &) {
  const Queue &queue = queueOf(agent);
  Waits waits{.what = llvm::formatv("products: {0} are complete", queue.done)};
  if (queue.pieces.empty())
    return waits;
  const auto &next = static_cast<Product &>(*queue.pieces.front());
  if (!next.isWhole()) {
    waits.what += "; not issued by warp";
    for (unsigned i = 0; i < next.warps(); ++i)
      if (!(next.joined >> i & 1))
        waits.what += " " + std::to_string(next.firstWarp() + i);
  }
  return waits;
}

bool Product::readsFrom(uint64_t begin, uint64_t bytes) const {
  auto overlaps = [&](uint64_t from, uint64_t size) {
    return from < begin + bytes && begin < from + size;
  };
  return overlaps(b, table().b.viewBytes) ||
         (table().a && overlaps(a, table().a->viewBytes));
}

bool Product::isKnownRead(Machine &machine, const Viewer &writer) const {
  llvm::SmallVector<uint32_t, 4> sources(warps());
  for (unsigned i = 0; i < warps(); ++i)
    sources[i] =
        machine.views->stream(*cta->agents[firstWarp() + i], mechanism, 0).read;
  return writer.knowsOne(sources, number);
}

//===----------------------------------------------------------------------===//
// The tensor core
//===----------------------------------------------------------------------===//

/// The elements of a shared operand as bits, as the async proxy sees them.
static bool readOperand(Memory &memory, uint32_t base, const MatrixTable &table,
                        ArrayRef<OldByte> old, std::vector<uint32_t> &out) {
  std::vector<uint8_t> bytes(table.viewBytes), poison(table.viewBytes);
  bool good = memory.read(base, table.viewBytes, bytes.data(), poison.data());
  if (!old.empty()) {
    restore(old, base, table.viewBytes, bytes.data(), poison.data());
    good = !llvm::is_contained(poison, 1);
  }
  out.assign(table.offset.size(), 0);
  for (size_t i = 0; i < out.size(); ++i)
    std::memcpy(&out[i], &bytes[table.offset[i]], table.bytes);
  return good;
}

/// What the operands hold as far as the warps of the group knew at their last
/// wgmma.fence.
void Product::lookAtOperands(Machine &machine) {
  Viewer viewer(*machine.views, Proxy::Async);
  for (unsigned i = 0; i < warps(); ++i)
    for (Knowledge &thread : cta->agents[firstWarp() + i]->knowledge->classes)
      viewer.add(thread.product);
  if (table().a)
    cta->shared.oldBytes(a, table().a->viewBytes, viewer, old);
  cta->shared.oldBytes(b, table().b.viewBytes, viewer, old);
  llvm::sort(old, [](const OldByte &a, const OldByte &b) {
    return a.address < b.address;
  });
}

/// One wgmma, or the row of them that make up a titan.mma: what they compute is
/// Target/MmaSum.h's.
void Product::write(Machine &machine) {
  Product &product = *this;
  const Inst &inst = *product.inst;
  const MmaTable &table = product.table();
  const WarpRegion &region = machine.program.regions[agent->region];
  size_t index = (agent->warp - region.firstWarp) / warps();
  const MmaTable::Group &part = table.groups[index % table.groups.size()];
  std::vector<uint32_t> a, b;
  std::optional<uint32_t> unwritten;
  if (table.registers) {
    // Each warp has the rows of its part of D.
    a.resize(table.m * table.k);
    const TileTable &tile = *table.registers;
    for (unsigned warp = 0; warp < warps(); ++warp) {
      const auto &from = static_cast<Tile &>(*product.registers[warp]).data;
      const uint32_t *element =
          &tile.element[(index * warps() + warp) % tile.warps * tile.perWarp()];
      for (size_t i = 0; i < from.size(); ++i)
        a[element[i]] = from[i];
    }
  } else if (!readOperand(cta->shared, product.a, *table.a, product.old, a)) {
    unwritten = product.a;
  }
  if (!readOperand(cta->shared, product.b, table.b, product.old, b) &&
      !unwritten)
    unwritten = product.b;
  if (unwritten) {
    machine.find(
        Code::UndefinedRead,
        llvm::formatv("'{0}' reads {1}, which was never written, or is not "
                      "visible to the async proxy: {2}",
                      inst.origin->getName().getStringRef(),
                      machine.nameAt(*unwritten), product.agent->who(inst)),
        inst.origin, product.agent, true, {}, {}, nullptr,
        machine.fixOfUnwritten(*unwritten));
    return;
  }
  size_t rows = part.rows.size(), columns = part.columns.size();
  std::vector<uint32_t> sums(rows * columns);
  if (product.accumulate)
    for (unsigned warp = 0; warp < warps(); ++warp) {
      Accumulator &acc = *product.acc[warp];
      for (size_t i = 0; i < part.place[warp].size(); ++i) {
        if (acc.poison[i]) {
          machine.find(
              Code::UndefinedRead,
              "adds to an accumulator that was never written, or whose "
              "registers no wgmma.fence has handed over: " +
                  product.agent->who(inst),
              inst.origin, product.agent);
          return;
        }
        sums[part.place[warp][i]] = acc.data[i];
      }
    }
  // The rows and columns of this warpgroup.
  auto pick = [&](std::vector<uint32_t> &from, ArrayRef<uint32_t> lines,
                  int64_t all) {
    if (static_cast<int64_t>(lines.size()) == all)
      return;
    std::vector<uint32_t> some;
    some.reserve(lines.size() * table.k);
    for (uint32_t line : lines)
      some.insert(some.end(), from.begin() + line * table.k,
                  from.begin() + (line + 1) * table.k);
    from = std::move(some);
  };
  pick(a, part.rows, table.m);
  pick(b, part.columns, table.n);
  table.how.multiply(rows, columns, table.k, a.data(), b.data(), sums.data());
  for (unsigned warp = 0; warp < warps(); ++warp) {
    Accumulator &acc = *product.acc[warp];
    for (size_t i = 0; i < part.place[warp].size(); ++i) {
      acc.data[i] = sums[part.place[warp][i]];
      // PTX ISA, wgmma.fence: without it, what the registers hold is undefined.
      acc.poison[i] = machine.views && product.unfenced >> warp & 1;
    }
    --acc.pending;
  }
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// Where element (mn, k) of an operand stands in its view: two dimensions, or
/// three, the columns of 16 bytes outermost.
static std::optional<MatrixTable>
matrixTable(Compiler &c, Operation *op, SharedType type, bool transposed) {
  auto index = c.viewTable(op, type);
  if (!index)
    return std::nullopt;
  const ViewTable &view = *c.p.views[*index];
  ArrayRef<int64_t> shape = type.getShape();
  int64_t down = shape[shape.size() - 2], inner = shape.back();
  int64_t across = inner * (shape.size() == 3 ? shape[0] : 1);
  MatrixTable table;
  table.bytes = view.bytes;
  table.viewBytes = view.viewBytes;
  table.offset.resize(view.offset.size());
  for (int64_t row = 0; row < down; ++row)
    for (int64_t column = 0; column < across; ++column)
      table.offset[transposed ? column * down + row : row * across + column] =
          view.offset[(column / inner * down + row) * inner + column % inner];
  return table;
}

static std::optional<uint32_t> mmaTable(Compiler &c, MmaOp op) {
  auto accType = op.getType().getTensor();
  const TileTable *acc = c.tileTable(op, accType);
  auto aType = dyn_cast<SharedType>(op.getA().getType());
  auto aTile = dyn_cast<RankedTensorType>(op.getA().getType());
  const TileTable *registers = aTile ? c.tileTable(op, aTile) : nullptr;
  auto a = aType ? matrixTable(c, op, aType, op.getTransposeA()) : std::nullopt;
  auto b = matrixTable(c, op, op.getB().getType(), op.getTransposeB());
  if (!acc || !b || (aType ? !a : !registers))
    return std::nullopt;
  unsigned warps = c.p.target->warpsPerWarpgroup;
  if (acc->warps % warps || c.region().firstWarp % warps) {
    c.problem(
        op, Code::PartitionShape,
        llvm::formatv("a product is a warpgroup's: its accumulator is laid "
                      "out for {0} warps",
                      acc->warps));
    return std::nullopt;
  }
  auto table = std::make_unique<MmaTable>();
  table->acc = acc;
  table->a = std::move(a);
  table->registers = registers;
  table->b = std::move(*b);
  table->how = getWarpgroupProduct(op);
  table->m = accType.getShape()[0];
  table->n = accType.getShape()[1];
  table->k = table->b.offset.size() / table->n;
  for (uint32_t group = 0; group < acc->warps / warps; ++group) {
    MmaTable::Group &made = table->groups.emplace_back();
    std::vector<uint32_t> rowAt(table->m, none), columnAt(table->n, none);
    auto begin = acc->element.begin() + size_t(group) * warps * acc->perWarp();
    for (auto it = begin; it != begin + warps * acc->perWarp(); ++it) {
      rowAt[*it / table->n] = 0;
      columnAt[*it % table->n] = 0;
    }
    auto number = [](std::vector<uint32_t> &at, std::vector<uint32_t> &list) {
      for (uint32_t i = 0; i < at.size(); ++i)
        if (at[i] == 0) {
          at[i] = list.size();
          list.push_back(i);
        }
    };
    number(rowAt, made.rows);
    number(columnAt, made.columns);
    made.place.resize(warps);
    for (unsigned warp = 0; warp < warps; ++warp)
      for (uint32_t i = 0; i < acc->perWarp(); ++i) {
        uint32_t element = begin[warp * acc->perWarp() + i];
        made.place[warp].push_back(rowAt[element / table->n] *
                                       made.columns.size() +
                                   columnAt[element % table->n]);
      }
  }
  c.p.products.push_back(std::move(table));
  return c.p.products.size() - 1;
}

static void compileMma(Compiler &c, MmaOp op) {
  auto table = mmaTable(c, op);
  if (!table)
    return;
  SlotOf acc = c.slot(op.getAcc()), dst = c.slot(op.getResult());
  bool inRegisters = isa<RankedTensorType>(op.getA().getType());
  Inst &inst = c.emit(mma, op);
  inst.flag = inRegisters;
  inst.table = *table;
  inst.a = inRegisters ? c.ref(op.getA()) : c.scalar(op.getA());
  inst.b = c.scalar(op.getB());
  inst.c = acc.ref;
  inst.d = c.scalar(op.getAccumulate());
  inst.dst = dst.ref;
  inst.imm = acc.scalar;
  inst.imm2 = dst.scalar;
}

void titan::sim::registerMma(ExecutionTable &table) {
  table.add<InFlightNoneOp>([](Compiler &c, InFlightNoneOp op) {
    c.slot(op.getResult()); // A null reference: no registers yet.
  });
  table.add<InFlightStartOp>([](Compiler &c, InFlightStartOp op) {
    if (!c.tileTable(op, op.getTile().getType()))
      return;
    SlotOf dst = c.slot(op.getResult());
    Inst &inst = c.emit(inflightStart, op);
    inst.a = c.ref(op.getTile());
    inst.dst = dst.ref;
    inst.d = dst.scalar;
  });
  table.add<MmaOp>(compileMma);
  table.add<MmaFenceOp>(
      [](Compiler &c, MmaFenceOp op) { c.emit(mmaFence, op); });
  table.add<MmaCommitOp>([](Compiler &c, MmaCommitOp op) {
    compileCommit(c, op, Mechanism::MmaGroup, op.getToken(), /*byWarp=*/true);
  });
  table.add<MmaWaitOp>([](Compiler &c, MmaWaitOp op) {
    compileWait(c, op, Mechanism::MmaGroup, op.getToken(), 0, /*byWarp=*/true)
        .waits = waitsForProducts;
  });
  table.add<MmaWaitGroupOp>([](Compiler &c, MmaWaitGroupOp op) {
    compileWait(c, op, Mechanism::MmaGroup, nullptr, op.getPending(),
                /*byWarp=*/true)
        .waits = waitsForProducts;
  });
  table.add<MmaResultOp>([](Compiler &c, MmaResultOp op) {
    const TileTable *table = c.tileTable(op, op.getType());
    if (!table)
      return;
    SlotOf acc = c.slot(op.getAcc());
    Inst &inst = c.emit(mmaResult, op);
    inst.waits = waitsForProducts;
    inst.b = c.scalar(op.getAfter());
    inst.imm = table->perWarp();
    inst.a = acc.ref;
    inst.d = acc.scalar;
    inst.dst = c.ref(op.getResult());
  });
}
