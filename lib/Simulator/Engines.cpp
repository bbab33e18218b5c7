//===- Engines.cpp - what was issued and is not complete ------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Trace.h"
#include "titan/Simulator/Machine.h"

#include <algorithm>

using namespace mlir;
using namespace titan;
using namespace titan::sim;

void titan::sim::restore(ArrayRef<OldByte> old, uint64_t address, size_t bytes,
                         uint8_t *data, uint8_t *poison) {
  auto first = llvm::lower_bound(
      old, address, [](const OldByte &a, uint64_t b) { return a.address < b; });
  for (; first != old.end() && first->address < address + bytes; ++first) {
    data[first->address - address] = first->byte;
    poison[first->address - address] = first->poison;
  }
}

void Machine::issue(CopyRef copy) {
  copy->issued = events;
  Work item{copy, copy->cta, nullptr, 0};
  ++copy->cta->cluster.pendingWork;
  if (options.schedule.kind == Schedule::Eager) {
    while (!stop && !perform(item))
      ;
    --copy->cta->cluster.pendingWork;
    return;
  }
  work.push_back(std::move(item));
}

void Machine::issue(Cta &cta, Warpgroup &group, uint64_t number) {
  Work item{nullptr, &cta, &group, number};
  ++cta.cluster.pendingWork;
  if (options.schedule.kind == Schedule::Eager) {
    perform(item);
    --cta.cluster.pendingWork;
    return;
  }
  work.push_back(std::move(item));
}

bool Machine::ready(const Work &item) const {
  return !item.group || item.group->done >= item.product;
}

bool Machine::settle(Cta &cta, uint64_t begin, uint64_t bytes,
                     const Viewer &writer) {
  bool toCome = false;
  auto overlaps = [&](uint64_t from, uint64_t size) {
    return from < begin + bytes && begin < from + size;
  };
  for (size_t g = 0; g < cta.warpgroups.size(); ++g) {
    Warpgroup &group = cta.warpgroups[g];
    uint32_t sources[4];
    if (group.products.empty())
      continue;
    for (unsigned warp = 0; warp < 4; ++warp)
      sources[warp] = cta.agents[4 * g + warp]->knowledge->products;
    uint64_t over = group.done;
    for (uint64_t number = group.done;
         number < group.firstNumber + group.products.size(); ++number) {
      const Product &product = group.products[number - group.firstNumber];
      const MmaTable &table = *program.products[product.inst->table];
      if (product.joined != 15 ||
          (!overlaps(product.b, table.b.viewBytes) &&
           (!table.a || !overlaps(product.a, table.a->viewBytes))))
        continue;
      if (writer.knowsOne(sources, number + 1))
        over = number + 1;
      else
        toCome = true;
    }
    multiplyUpTo(cta, group, over);
  }
  std::erase_if(cta.stores,
                [](const CopyRef &copy) { return copy->sourceRead; });
  for (const CopyRef &copy : cta.stores) {
    if (!overlaps(copy->shared, copy->imageBytes()))
      continue;
    // Of copies to a peer its barrier tells, when they are done.
    if (!copy->act &&
        writer.knows(copy->agent->knowledge->bulkReads, copy->group))
      readSource(*copy);
    else
      toCome = true;
  }
  return toCome;
}

bool Machine::perform(Work &item) {
  ++events;
  if (item.group) {
    if (item.group->done == item.product)
      multiply(*item.cta, *item.group);
    return true;
  }
  Copy &copy = *item.copy;
  if (copy.act) {
    if (!copy.act(copy))
      return false;
    copy.sourceRead = copy.done = true;
  } else if (copy.isLoad()) {
    load(copy);
    copy.sourceRead = copy.done = true;
  } else if (!copy.sourceRead) {
    readSource(copy);
  } else {
    writeDestination(copy);
    copy.done = true;
  }
  if (trace && copy.done)
    trace->copy(copy, events);
  return copy.done;
}
