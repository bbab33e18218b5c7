//===- ProgramTables.cpp - tables of tiles and views -------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Dialect/Titan/TileWarps.h"
#include "titan/Simulator/ProgramCompiler.h"

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
    if (!typeOf(tile.getElementType())) {
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
    if (auto misfit = refuseLanes(layout->lanes(), p.lanes)) {
      problem(op, Code::LayoutMismatch, misfit->message, misfit->fix);
      return nullptr;
    }
    auto made = std::make_unique<TileTable>();
    made->registers = layout->registers();
    made->lanes = layout->lanes();
    made->warps = layout->warps();
    made->shape.assign(tile.getShape().begin(), tile.getShape().end());
    std::vector<int64_t> elements = layout->elementTable();
    made->element.resize(elements.size());
    made->owner.resize(elements.size());
    std::vector<bool> seen(tile.getNumElements());
    size_t from = 0;
    for (uint32_t warp = 0; warp < made->warps; ++warp)
      for (uint32_t lane = 0; lane < p.lanes; ++lane)
        for (uint32_t reg = 0; reg < made->registers; ++reg, ++from) {
          size_t to = (size_t(warp) * made->registers + reg) * p.lanes + lane;
          made->element[to] = elements[from];
          made->owner[to] = !seen[elements[from]];
          seen[elements[from]] = true;
        }
    table = made.get();
    p.tiles.push_back(std::move(made));
    tileCache[tile.getAsOpaquePointer()] = table;
  }
  if (auto misfit = refuseWarps(table->warps, region().warps)) {
    problem(op, Code::LayoutMismatch, misfit->message, misfit->fix);
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
  Layout layout = type.getLayout();
  Coord coords(static_cast<int>(type.getRank()));
  table->offset.reserve(elements);
  for (int64_t i = 0; i < elements; ++i) {
    table->offset.push_back(layout.apply(coords)[0]);
    for (int d = static_cast<int>(type.getRank()) - 1; d >= 0; --d) {
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

std::optional<ElementType> Compiler::elementType(Operation *op,
                                                 mlir::Type type) {
  mlir::Type element = type;
  if (auto tile = dyn_cast<RankedTensorType>(type))
    element = tile.getElementType();
  auto found = typeOf(element);
  if (!found) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    unsupported(op, " on " + text);
    return std::nullopt;
  }
  return found;
}
