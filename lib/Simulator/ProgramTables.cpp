//===- ProgramTables.cpp - tables of tiles, views and products ------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ProgramCompiler.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace titan;
using namespace titan::sim;

const TileTable *Compiler::tileTable(Operation *op, mlir::Type type) {
  auto tile = cast<RankedTensorType>(type);
  auto known = tileCache.find(tile.getAsOpaquePointer());
  const TileTable *table = nullptr;
  if (known != tileCache.end()) {
    table = known->second;
  } else {
    if (auto element = typeOf(tile.getElementType());
        !element || bitsOf(*element) > 32) {
      std::string text;
      llvm::raw_string_ostream(text) << tile.getElementType();
      unsupported(op, ": tiles of " + text);
      return nullptr;
    }
    Result<Layout> layout = getTileLayout(tile);
    if (!layout) {
      const CodeInfo *info = lookupCode(layout.problem().code);
      problem(op, info ? info->id : Code::LayoutInvalid,
              layout.problem().message);
      return nullptr;
    }
    if (layout->lanes() != laneCount) {
      unsupported(op,
                  llvm::formatv(": a layout of {0} lanes", layout->lanes()));
      return nullptr;
    }
    auto made = std::make_unique<TileTable>();
    made->registers = layout->registers();
    made->warps = layout->warps();
    made->shape.assign(tile.getShape().begin(), tile.getShape().end());
    std::vector<int64_t> elements = layout->elementTable();
    made->element.resize(elements.size());
    made->owner.resize(elements.size());
    std::vector<bool> seen(tile.getNumElements());
    size_t from = 0;
    for (uint32_t warp = 0; warp < made->warps; ++warp)
      for (uint32_t lane = 0; lane < laneCount; ++lane)
        for (uint32_t reg = 0; reg < made->registers; ++reg, ++from) {
          size_t to = (size_t(warp) * made->registers + reg) * laneCount + lane;
          made->element[to] = elements[from];
          made->owner[to] = !seen[elements[from]];
          seen[elements[from]] = true;
        }
    table = made.get();
    p.tiles.push_back(std::move(made));
    tileCache[tile.getAsOpaquePointer()] = table;
  }
  if (table->warps > region().warps || region().warps % table->warps) {
    problem(op, Code::LayoutMismatch,
            llvm::formatv("the tile's layout is for {0} warps, {1} has {2}",
                          table->warps, region().name, region().warps));
    return nullptr;
  }
  return table;
}

std::optional<uint32_t> Compiler::viewTable(Operation *op, SharedType type) {
  type = SharedType::get(type.getContext(), type.getShape(),
                         type.getElementType(), type.getSwizzle(), 1, false);
  auto [entry, isNew] =
      viewCache.try_emplace(type.getAsOpaquePointer(), p.views.size());
  if (!isNew)
    return entry->second;
  auto table = std::make_unique<ViewTable>();
  table->bytes = type.getElementBytes();
  table->viewBytes = type.getTileBytes();
  table->shape.assign(type.getShape().begin(), type.getShape().end());
  int64_t elements = type.getTileBytes() / table->bytes;
  SmallVector<int64_t> coords(type.getRank(), 0);
  table->offset.reserve(elements);
  for (int64_t i = 0; i < elements; ++i) {
    table->offset.push_back(type.getByteOffset(coords));
    for (int d = type.getRank() - 1; d >= 0; --d) {
      if (++coords[d] < type.getShape()[d])
        break;
      coords[d] = 0;
    }
  }
  p.views.push_back(std::move(table));
  return entry->second;
}

std::optional<uint32_t> Compiler::access(Operation *op, RankedTensorType tile,
                                         SharedType view) {
  const TileTable *table = tileTable(op, tile);
  auto viewIndex = viewTable(op, view);
  if (!table || !viewIndex)
    return std::nullopt;
  const ViewTable *offsets = p.views[*viewIndex].get();
  auto [entry, isNew] =
      accessCache.try_emplace({table, offsets}, p.accesses.size());
  if (!isNew)
    return entry->second;
  auto made = std::make_unique<TileAccess>();
  made->tile = table;
  made->bytes = offsets->bytes;
  made->viewBytes = offsets->viewBytes;
  made->type = *typeOf(tile.getElementType());
  made->offset.reserve(table->element.size());
  for (uint32_t element : table->element)
    made->offset.push_back(offsets->offset[element]);
  p.accesses.push_back(std::move(made));
  return entry->second;
}

std::optional<uint32_t> Compiler::mmaTable(MmaOp op) {
  auto accType = op.getType().getTensor();
  const TileTable *acc = tileTable(op, accType);
  auto aType = dyn_cast<SharedType>(op.getA().getType());
  auto aTile = dyn_cast<RankedTensorType>(op.getA().getType());
  const TileTable *registers = aTile ? tileTable(op, aTile) : nullptr;
  auto a = aType ? viewTable(op, aType) : std::nullopt;
  auto b = viewTable(op, op.getB().getType());
  if (!acc || !b || (aType ? !a : !registers))
    return std::nullopt;
  if (acc->warps % 4 || region().firstWarp % 4) {
    problem(op, Code::PartitionShape,
            llvm::formatv("a product is a warpgroup's: its accumulator is laid "
                          "out for {0} warps",
                          acc->warps));
    return std::nullopt;
  }
  auto table = std::make_unique<MmaTable>();
  table->acc = acc;
  table->a = a ? p.views[*a].get() : nullptr;
  table->registers = registers;
  table->b = p.views[*b].get();
  table->transposeA = op.getTransposeA();
  table->transposeB = op.getTransposeB();
  table->type = *typeOf(op.getB().getType().getElementType());
  table->m = accType.getShape()[0];
  table->n = accType.getShape()[1];
  table->k = op.getB().getType().getShape()[!op.getTransposeB()];
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
  p.products.push_back(std::move(table));
  return p.products.size() - 1;
}

std::optional<ElementType> Compiler::elementType(Operation *op,
                                                 mlir::Type type) {
  mlir::Type element = type;
  if (auto tile = dyn_cast<RankedTensorType>(type))
    element = tile.getElementType();
  auto found = typeOf(element);
  if (!found || (isa<RankedTensorType>(type) && bitsOf(*found) > 32)) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    unsupported(op, " on " + text);
    return std::nullopt;
  }
  return found;
}
