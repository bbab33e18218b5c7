//===- Mma.cpp - products of warpgroups -----------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Trace.h"
#include "titan/Dialect/Titan/Products.h"
#include "titan/Simulator/ExecutionTable.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cstring>

using namespace mlir;
using namespace titan;
using namespace titan::sim;

/// With views a product that has been issued may be done later; see
/// Machine::settle.
static bool areComplete(Agent &agent, uint64_t upTo) {
  const Warpgroup &group = agent.cta.warpgroups[agent.warp / 4];
  if (!agent.machine.views || group.done >= upTo)
    return group.done >= upTo;
  return group.firstNumber + group.products.size() >= upTo &&
         group.products[upTo - 1 - group.firstNumber].joined == 15;
}

/// A wait for products up to that number has returned.
static void observe(Agent &agent, uint64_t upTo) {
  if (agent.machine.views)
    agent.machine.views->learn(agent, everyLane, agent.knowledge->products,
                               upTo);
  agent.productsObserved = std::max(agent.productsObserved, upTo);
}

/// Products in the warp's groups up to that number.
static uint64_t productsOf(const Agent &agent, size_t groups) {
  return groups ? agent.productGroups[groups - 1] : 0;
}

static Step bad(Agent &agent, const Inst &inst, Code code,
                const Twine &message) {
  agent.machine.find(code, message + ": " + agent.who(inst), inst.origin,
                     &agent);
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

static Step mma(Agent &agent, const Inst &inst) {
  if (!agent.wholeWarp(inst))
    return Step::Failed;
  Warpgroup &group = agent.cta.warpgroups[agent.warp / 4];
  const MmaTable &table = *agent.program.products[inst.table];
  llvm::IntrusiveRefCntPtr<Accumulator> acc;
  bool more = inst.d != none && (agent.scalars[inst.d] & 1);
  if (!agent.refs[inst.c]) {
    if (more)
      return bad(agent, inst, Code::UndefinedRead,
                 "adds to an accumulator that holds nothing yet");
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
  uint64_t number = agent.products++;
  uint32_t place = inst.flag ? 0 : static_cast<uint32_t>(agent.scalars[inst.a]);
  agent.lastProduct = &inst;
  acc->lastProduct = agent.products;
  size_t at = number - group.firstNumber;
  if (at == group.products.size()) {
    Product made;
    made.inst = &inst;
    made.a = place;
    made.b = static_cast<uint32_t>(agent.scalars[inst.b]);
    made.accumulate = more;
    made.agent = &agent;
    group.products.push_back(made);
  }
  Product &product = group.products[at];
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
  product.joined |= 1u << agent.warp % 4;
  product.acc[agent.warp % 4] = acc;
  if (!agent.productFence)
    product.unfenced |= 1u << agent.warp % 4;
  if (inst.flag) {
    if (!agent.usePoison(inst, agent.tile(inst.a)))
      return Step::Failed;
    product.registers[agent.warp % 4] = agent.refs[inst.a];
  }
  if (product.joined == 15) {
    product.issued = agent.machine.events;
    for (unsigned i = 0; i < 4; ++i)
      agent.cta.agents[agent.warp / 4 * 4 + i]->view.beforeAsync(everyLane);
    if (agent.machine.views)
      agent.machine.lookAtOperands(agent.cta, product, agent.warp / 4 * 4);
    ++agent.machine.report.products;
    agent.machine.issue(agent.cta, group, number);
  }
  return agent.machine.failed() ? Step::Failed : Step::Ran;
}

static Step mmaCommit(Agent &agent, const Inst &inst) {
  if (!agent.wholeWarp(inst))
    return Step::Failed;
  agent.productGroups.push_back(agent.products);
  agent.scalars[inst.dst] = agent.productGroups.size();
  return Step::Ran;
}

static Step waitForProducts(Agent &agent, const Inst &inst, size_t groups) {
  if (!agent.wholeWarp(inst))
    return Step::Failed;
  uint64_t number = productsOf(agent, groups);
  if (!areComplete(agent, number))
    return Step::Blocked;
  observe(agent, number);
  return Step::Ran;
}

static Step mmaWait(Agent &agent, const Inst &inst) {
  return waitForProducts(agent, inst, agent.scalars[inst.a]);
}

static Step mmaWaitGroup(Agent &agent, const Inst &inst) {
  size_t groups = agent.productGroups.size();
  return waitForProducts(agent, inst,
                         groups - std::min<size_t>(groups, inst.imm));
}

static Step mmaResult(Agent &agent, const Inst &inst) {
  size_t groups =
      inst.b == none ? agent.productGroups.size() : agent.scalars[inst.b];
  if (Step step = waitForProducts(agent, inst, groups); step != Step::Ran)
    return step;
  uint64_t number = productsOf(agent, groups);
  agent.productFence = false;
  llvm::IntrusiveRefCntPtr<Accumulator> acc(
      static_cast<Accumulator *>(agent.refs[inst.a].get()));
  if (acc && agent.scalars[inst.d] != acc->version)
    return bad(agent, inst, Code::InflightUse,
               "the accumulator has been handed to another product since");
  if (acc && acc->lastProduct > std::max(number, agent.productsObserved))
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
        agent.machine.multiplyUpTo(
            agent.cta, agent.cta.warpgroups[agent.warp / 4], number);
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
  const Warpgroup &group = agent.cta.warpgroups[agent.warp / 4];
  Waits waits{.what = llvm::formatv("products: {0} are complete", group.done)};
  if (!group.products.empty() && group.products.front().joined != 15) {
    waits.what += "; not issued by warp";
    for (unsigned i = 0; i < 4; ++i)
      if (!(group.products.front().joined >> i & 1))
        waits.what += " " + std::to_string(agent.warp / 4 * 4 + i);
  }
  return waits;
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
void Machine::lookAtOperands(Cta &cta, Product &product, unsigned firstWarp) {
  Viewer viewer(*views, Proxy::Async);
  for (unsigned warp = 0; warp < 4; ++warp)
    for (Knowledge &thread : cta.agents[firstWarp + warp]->knowledge->classes)
      viewer.add(thread.product);
  const MmaTable &table = *program.products[product.inst->table];
  if (table.a)
    cta.shared.oldBytes(product.a, table.a->viewBytes, viewer, product.old);
  cta.shared.oldBytes(product.b, table.b.viewBytes, viewer, product.old);
  llvm::sort(product.old, [](const OldByte &a, const OldByte &b) {
    return a.address < b.address;
  });
}

void Machine::multiplyUpTo(Cta &cta, Warpgroup &group, uint64_t number) {
  while (group.done < number && !stop)
    multiply(cta, group);
}

/// One wgmma, or the row of them that make up a titan.mma: what they compute is
/// Target/MmaSum.h's.
void Machine::multiply(Cta &cta, Warpgroup &group) {
  size_t at = group.done - group.firstNumber;
  Product &product = group.products[at];
  const Inst &inst = *product.inst;
  const MmaTable &table = *program.products[inst.table];
  const WarpRegion &region = program.regions[product.agent->region];
  size_t index = (product.agent->warp - region.firstWarp) / 4;
  const MmaTable::Group &part = table.groups[index % table.groups.size()];
  std::vector<uint32_t> a, b;
  std::optional<uint32_t> unwritten;
  if (table.registers) {
    // Each warp has the rows of its part of D.
    a.resize(table.m * table.k);
    const TileTable &tile = *table.registers;
    for (int warp = 0; warp < 4; ++warp) {
      const auto &from = static_cast<Tile &>(*product.registers[warp]).data;
      const uint32_t *element =
          &tile.element[(index * 4 + warp) % tile.warps * tile.perWarp()];
      for (size_t i = 0; i < from.size(); ++i)
        a[element[i]] = from[i];
    }
  } else if (!readOperand(cta.shared, product.a, *table.a, product.old, a)) {
    unwritten = product.a;
  }
  if (!readOperand(cta.shared, product.b, table.b, product.old, b) &&
      !unwritten)
    unwritten = product.b;
  if (unwritten) {
    find(Code::UndefinedRead,
         llvm::formatv("'{0}' reads {1}, which was never written, or is not "
                       "visible to the async proxy: {2}",
                       inst.origin->getName().getStringRef(),
                       nameAt(*unwritten), product.agent->who(inst)),
         inst.origin, product.agent, true, {}, {}, nullptr,
         fixOfUnwritten(*unwritten));
    return;
  }
  size_t rows = part.rows.size(), columns = part.columns.size();
  std::vector<uint32_t> sums(rows * columns);
  if (product.accumulate)
    for (int warp = 0; warp < 4; ++warp) {
      Accumulator &acc = *product.acc[warp];
      for (size_t i = 0; i < part.place[warp].size(); ++i) {
        if (acc.poison[i]) {
          find(Code::UndefinedRead,
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
  for (int warp = 0; warp < 4; ++warp) {
    Accumulator &acc = *product.acc[warp];
    for (size_t i = 0; i < part.place[warp].size(); ++i) {
      acc.data[i] = sums[part.place[warp][i]];
      // PTX ISA, wgmma.fence: without it, what the registers hold is undefined.
      acc.poison[i] = views && product.unfenced >> warp & 1;
    }
    --acc.pending;
  }
  product.done = true;
  if (trace)
    trace->product(product, cta, events);
  ++group.done;
  while (!group.products.empty() && group.products.front().done) {
    group.products.pop_front();
    ++group.firstNumber;
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
  if (acc->warps % 4 || c.region().firstWarp % 4) {
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
  table->how = getProduct(op);
  table->m = accType.getShape()[0];
  table->n = accType.getShape()[1];
  table->k = table->b.offset.size() / table->n;
  for (uint32_t group = 0; group < acc->warps / 4; ++group) {
    MmaTable::Group &made = table->groups.emplace_back();
    std::vector<uint32_t> rowAt(table->m, none), columnAt(table->n, none);
    auto begin = acc->element.begin() + size_t(group) * 4 * acc->perWarp();
    for (auto it = begin; it != begin + 4 * acc->perWarp(); ++it) {
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
    for (int warp = 0; warp < 4; ++warp)
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
    Inst &inst = c.emit(mmaCommit, op);
    inst.dst = c.scalar(op.getToken());
  });
  table.add<MmaWaitOp>([](Compiler &c, MmaWaitOp op) {
    Inst &inst = c.emit(mmaWait, op);
    inst.waits = waitsForProducts;
    inst.a = c.scalar(op.getToken());
  });
  table.add<MmaWaitGroupOp>([](Compiler &c, MmaWaitGroupOp op) {
    Inst &inst = c.emit(mmaWaitGroup, op);
    inst.waits = waitsForProducts;
    inst.imm = op.getPending();
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
