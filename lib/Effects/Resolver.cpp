//===- Resolver.cpp - from a footprint to bytes ---------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Effects/Resolver.h"

#include "titan/Target/Target.h"

using namespace mlir;
using namespace titan;
using namespace titan::effect;

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

void Affine::add(Value value, int64_t scale) {
  for (Term &term : terms)
    if (term.value == value) {
      term.scale += scale;
      return;
    }
  terms.push_back({value, scale});
}

Base effect::baseOf(Value memory) {
  SmallVector<View, 4> chain;
  while (auto op = memory.getDefiningOp<ViewOpInterface>()) {
    View view = op.getView();
    if (!view.source)
      break;
    memory = view.source;
    chain.push_back(view);
  }
  Base base;
  base.root = memory;
  for (const View &view : llvm::reverse(chain)) {
    base.offset.constant += view.offset;
    if (view.index)
      base.offset.add(view.index, view.stride);
    if (view.slots)
      base.slots.push_back({view.index, view.stride, view.slots});
    if (view.rank)
      base.rank = view.rank;
  }
  return base;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

Shape &Resolver::shapeAt(const Key &key, bool &fresh) {
  auto [found, made] = shapes.try_emplace(key);
  fresh = made;
  if (made)
    found->second = std::make_unique<Shape>();
  return *found->second;
}

const Shape *Resolver::rangeShape(int64_t bytes) {
  bool fresh;
  Shape &shape = shapeAt({Shape::Bytes, nullptr, nullptr, bytes, 0}, fresh);
  if (fresh)
    shape.bytes = ByteSet(0, bytes);
  return &shape;
}

const Shape *Resolver::cellsShape(int64_t columns, int64_t first,
                                  int64_t last) {
  bool fresh;
  int64_t lanes = first << 32 | last;
  Shape &shape =
      shapeAt({Shape::Cells, nullptr, nullptr, columns, lanes}, fresh);
  shape.kind = Shape::Cells;
  shape.columns = columns;
  shape.firstLane = first;
  shape.lastLane = last;
  return &shape;
}

const Shape *Resolver::plainShape(Shape::Kind kind, int64_t elementBytes) {
  bool fresh;
  Shape &shape = shapeAt({kind, nullptr, nullptr, elementBytes, 0}, fresh);
  shape.kind = kind;
  shape.elementBytes = elementBytes;
  return &shape;
}

const Shape *Resolver::elementsShape(RankedTensorType tile, bool write,
                                     int64_t warp) {
  Result<Layout> layout = getTileLayout(tile);
  bool here = layout && (!write || warp < layout->warps());
  int64_t part = here ? warp % layout->warps() : -1;
  bool fresh;
  Shape &shape = shapeAt(
      {Shape::Elements, tile.getAsOpaquePointer(), nullptr, write, part},
      fresh);
  if (!fresh)
    return &shape;
  shape.kind = Shape::Elements;
  shape.elementBytes = titan::getElementBytes(tile.getElementType());
  if (!here)
    return &shape;
  bool owners = write && layout->replication() != 1;
  for (int64_t lane = 0; lane < layout->lanes(); ++lane) {
    std::vector<Shape::Held> &mine = shape.held.emplace_back();
    for (int64_t reg = 0; reg < layout->registers(); ++reg) {
      Coord inputs{reg, lane, part};
      if (owners && !layout->isOwner(inputs))
        continue;
      int64_t element = 0;
      Coord at = layout->apply(inputs);
      for (int d = 0; d < at.size(); ++d)
        element = element * tile.getDimSize(d) + at[d];
      mine.push_back({reg, element});
    }
  }
  return &shape;
}

int64_t Resolver::ownedElements(RankedTensorType tile, int64_t warp) {
  int64_t count = 0;
  for (const std::vector<Shape::Held> &lane :
       elementsShape(tile, /*write=*/true, warp)->held)
    count += lane.size();
  return count;
}

/// Fills `lanes` and their union from the places of what each lane holds; none:
/// not touched.
static void
fillLanes(Shape &shape, ArrayRef<std::vector<Shape::Held>> held, int64_t bytes,
          function_ref<std::optional<int64_t>(int64_t, const Shape::Held &)>
              placeOf) {
  std::vector<ByteSet::Interval> all;
  for (auto [lane, mine] : llvm::enumerate(held)) {
    std::vector<ByteSet::Interval> parts;
    for (const Shape::Held &each : mine)
      if (auto at = placeOf(lane, each))
        parts.push_back({*at, *at + bytes});
    shape.lanes.push_back(ByteSet::of(std::move(parts)));
    llvm::append_range(all, shape.lanes.back().intervals());
  }
  shape.bytes = ByteSet::of(std::move(all));
}

const Shape *Resolver::tileShape(RankedTensorType tile, SharedType shared,
                                 bool write, int64_t warp) {
  const Shape *elements = elementsShape(tile, write, warp);
  bool fresh;
  Shape &shape = shapeAt(
      {Shape::Lanes, elements, shared.getAsOpaquePointer(), 0, 0}, fresh);
  if (!fresh)
    return &shape;
  shape.kind = Shape::Lanes;
  shape.elementBytes = shared.getElementBytes();
  ArrayRef<int64_t> extents = tile.getShape();
  Layout image = shared.getLayout();
  Coord coords(static_cast<int>(extents.size()));
  fillLanes(shape, elements->held, shape.elementBytes,
            [&](int64_t, const Shape::Held &held) -> std::optional<int64_t> {
              int64_t element = held.element;
              for (int64_t d = coords.size() - 1; d >= 0; --d) {
                coords[d] = element % extents[d];
                element /= extents[d];
              }
              return image.apply(coords)[0];
            });
  return &shape;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

MemoryRegion Resolver::resolve(const Footprint &footprint, AccessKind kind,
                               int64_t warp) {
  MemoryRegion region;
  region.footprint = footprint;
  region.kind = kind;
  region.base = baseOf(footprint.object);
  bool write = kind != AccessKind::Read;
  Type type = footprint.object.getType();
  if (auto cells = dyn_cast<TensorMemoryType>(type)) {
    // A warp's loads and stores reach its own window (MM-104); a tile of 64
    // rows is taken to lie in all lanes.
    const TargetInfo &target = targetWith(Feature::Tcgen05);
    int64_t windows = target.warpsPerWarpgroup,
            window = target.tmemLanes / windows;
    bool all = footprint.kind != Footprint::Tile;
    int64_t first = all ? 0 : window * (warp % windows);
    region.shape = cellsShape(cells.getSlots() * cells.getColumns(), first,
                              all ? target.tmemLanes : first + window);
    return region;
  }
  auto shared = dyn_cast<SharedType>(type);
  switch (footprint.kind) {
  case Footprint::View:
    region.shape = rangeShape(shared.getSlots() == 1
                                  ? shared.getTileBytes()
                                  : shared.getSlots() * shared.getSlotBytes());
    break;
  case Footprint::Tile:
    region.shape = tileShape(footprint.tile, shared, write, warp);
    break;
  case Footprint::Object: {
    const TargetInfo &target = targetWith(Feature::Mbarriers);
    if (auto ring = dyn_cast<MBarrierType>(type)) {
      region.shape = rangeShape(target.mbarrierBytes);
      if (footprint.index) {
        region.base.offset.add(footprint.index, target.mbarrierBytes);
        region.base.slots.push_back(
            {footprint.index, target.mbarrierBytes, ring.getSlots()});
      }
    } else {
      region.shape = rangeShape(target.tmaMapBytes);
    }
    break;
  }
  case Footprint::Scalar:
    region.shape = plainShape(
        Shape::Element, shared ? shared.getElementBytes()
                               : titan::getElementBytes(
                                     cast<GlobalType>(type).getElementType()));
    break;
  case Footprint::Elements:
    region.shape = elementsShape(footprint.tile, write, warp);
    break;
  case Footprint::Box: {
    auto map = dyn_cast<TensorMapType>(type);
    Type element =
        map ? map.getElementType() : cast<GlobalType>(type).getElementType();
    bool pixels = map && (map.isIm2col() || map.getInterleave());
    region.shape = plainShape(pixels ? Shape::Pixels : Shape::Box,
                              pixels ? map.getUnitBytes()
                                     : titan::getElementBytes(element));
    if (map && write)
      region.chunk = targetWith(Feature::Tma).tmaStoreChunk;
    break;
  }
  }
  return region;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Environment::~Environment() = default;

std::optional<Place> Resolver::evaluate(const Base &base,
                                        Environment &environment) {
  std::optional<Place> place = environment.place(base.root);
  if (!place)
    return std::nullopt;
  unsigned number = 0;
  auto offset = base.offset.evaluate<int64_t>([&](Value value) {
    return environment.scalar(value, Environment::Role::Index, number++);
  });
  if (!offset)
    return std::nullopt;
  place->offset += *offset;
  if (base.rank) {
    auto rank = environment.scalar(base.rank, Environment::Role::Rank, 0);
    if (!rank)
      return std::nullopt;
    place->rank = static_cast<int>(*rank);
  }
  return place;
}

std::optional<uint32_t> Resolver::evaluate(const CtaSet &ctas, int rank,
                                           Environment &environment) {
  switch (ctas.kind) {
  case CtaSet::Own:
    return 1u << rank;
  case CtaSet::Pair:
    return 1u << rank | 1u << (rank ^ 1);
  case CtaSet::Rank:
  case CtaSet::Mask:
    break;
  }
  auto value = environment.scalar(ctas.value, Environment::Role::Ctas, 0);
  if (!value)
    return std::nullopt;
  if (ctas.kind == CtaSet::Mask)
    return static_cast<uint32_t>(*value) & 0xffff;
  return *value < 0 || *value > 31 ? 0 : 1u << *value;
}

bool Box::empty() const {
  for (auto [from, to] : llvm::zip(low, high))
    if (from >= to)
      return true;
  return false;
}

ByteSet Box::bytes() const {
  if (empty())
    return {};
  size_t rank = low.size();
  auto stepOf = [&](size_t d) { return steps.empty() ? 1 : steps[d]; };
  // Along the innermost dimension: all that lies together at once.
  std::vector<ByteSet::Interval> row;
  int64_t inner = strides.back(), step = stepOf(rank - 1);
  auto rounded = [&](int64_t begin, int64_t end) {
    return begin + static_cast<int64_t>(llvm::alignTo(end - begin, chunk));
  };
  if (inner == elementBytes && step == 1) {
    int64_t begin = low.back() * inner, end = high.back() * inner;
    row.push_back({begin, rounded(begin, end)});
  } else {
    for (int64_t i = low.back(); i < high.back(); i += step)
      row.push_back({i * inner, rounded(i * inner, i * inner + elementBytes)});
  }
  std::vector<ByteSet::Interval> parts;
  SmallVector<int64_t, 5> at(low);
  for (;;) {
    int64_t begin = 0;
    for (size_t d = 0; d + 1 < rank; ++d)
      begin += at[d] * strides[d];
    for (ByteSet::Interval each : row)
      parts.push_back({begin + each.begin, begin + each.end});
    int d = static_cast<int>(rank) - 2;
    for (; d >= 0; --d) {
      if ((at[d] += stepOf(d)) < high[d])
        break;
      at[d] = low[d];
    }
    if (d < 0)
      return ByteSet::of(std::move(parts));
  }
}

ByteSet Touched::bytes() const {
  if (box)
    return box->bytes();
  return own ? own->bytes : shape->bytes;
}

void Touched::forEach(function_ref<void(int, int64_t, int64_t)> visit) const {
  auto all = [&](int lane, const ByteSet &bytes) {
    for (ByteSet::Interval each : bytes.intervals())
      visit(lane, place.offset + each.begin, place.offset + each.end);
  };
  if (!byLane())
    return all(-1, bytes());
  for (auto [lane, bytes] : llvm::enumerate(lanes()))
    all(static_cast<int>(lane), bytes);
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

namespace {
/// A piece of a copy that lies together: its indices, dimension 0 first, which
/// is in bytes.
struct Pixels {
  std::array<int64_t, TensorMap::maxRank> at{};
  int64_t bytes = 0;
};
} // namespace

/// The pieces that a copy moves inside of the tensor; none where it breaks a
/// rule. What they are does not depend on the strides (those of the checker are
/// too large for a map), so that of each dimension in turn the stride shows the
/// indices.
static std::optional<std::vector<Pixels>> pixelsOf(TensorMap map,
                                                   const TmaCopy &copy) {
  constexpr int64_t stride = 32; // Any map's alignment.
  std::vector<Pixels> pieces;
  map.address = 0;
  for (int d = 0; d < map.rank; ++d) {
    map.strides.fill(0);
    if (d > 0)
      map.strides[d - 1] = stride;
    auto transfer = TmaTransfer::make(map, copy, targetWith(Feature::Tma));
    if (!transfer)
      return std::nullopt;
    size_t i = 0;
    transfer->forEachRun([&](const TmaRun &run) {
      if (run.fill)
        return;
      if (d == 0)
        pieces.push_back({{static_cast<int64_t>(run.global)}, run.bytes});
      else
        pieces[i].at[d] =
            (static_cast<int64_t>(run.global) - pieces[i].at[0]) / stride;
      ++i;
    });
  }
  return pieces;
}

/// The bytes of the pixels, from the grid's origin on.
static std::optional<ByteSet> pixelBytes(const Grid &grid, const TmaCopy &copy,
                                         int64_t unit) {
  auto pixels = pixelsOf(*grid.map, copy);
  if (!pixels)
    return std::nullopt;
  size_t rank = grid.strides.size();
  std::vector<ByteSet::Interval> runs;
  for (const Pixels &run : *pixels) {
    int64_t begin = run.at[0] / unit * grid.strides.back() + run.at[0] % unit;
    for (size_t d = 1; d < rank; ++d)
      begin += run.at[d] * grid.strides[rank - 1 - d];
    runs.push_back({begin, begin + run.bytes});
  }
  return ByteSet::of(std::move(runs));
}

std::optional<Touched> Resolver::evaluate(const MemoryRegion &region,
                                          Environment &environment) {
  using Role = Environment::Role;
  const Footprint &footprint = region.footprint;
  const Shape &shape = *region.shape;
  Touched touched;
  touched.shape = &shape;
  auto ofBase = [&] {
    // The place of the object itself, where the environment has kept it.
    Base base = region.base;
    if (environment.knowsViews()) {
      base = Base();
      base.root = footprint.object;
      if (footprint.index)
        base.offset.add(footprint.index,
                        targetWith(Feature::Mbarriers).mbarrierBytes);
    }
    auto place = evaluate(base, environment);
    if (place)
      touched.place = *place;
    return place.has_value();
  };
  auto bytesOf = [&](ByteSet bytes) {
    auto made = std::make_shared<Shape>();
    made->bytes = std::move(bytes);
    touched.own = std::move(made);
  };
  auto gridOf = [&]() -> std::optional<Grid> {
    std::optional<Grid> grid = environment.grid(footprint.object);
    if (grid)
      touched.place = grid->origin;
    return grid;
  };
  auto scalars = [&](ValueRange values, Role role) {
    SmallVector<int64_t, 5> numbers;
    for (auto [d, value] : llvm::enumerate(values)) {
      auto number = environment.scalar(value, role, d);
      if (!number)
        break;
      numbers.push_back(*number);
    }
    return numbers;
  };
  auto look = [&](const Grid &grid, size_t d, int64_t index) {
    if (grid.sizes[d] >= 0 && (index < 0 || index >= grid.sizes[d]))
      touched.outside = {static_cast<unsigned>(d), index, grid.sizes[d]};
  };

  switch (shape.kind) {
  case Shape::Bytes:
  case Shape::Lanes:
    if (!ofBase())
      return std::nullopt;
    return touched;
  case Shape::Cells: {
    if (!ofBase())
      return std::nullopt;
    // Lanes one below the other, each with all columns of 4 bytes.
    int64_t lane = 4 * targetWith(Feature::Tcgen05).tmemColumns;
    int64_t column = touched.place.offset / 4;
    touched.box = Box{{shape.firstLane, column},
                      {shape.lastLane, column + shape.columns},
                      {},
                      {lane, 4},
                      4};
    touched.place.offset = 0;
    return touched;
  }
  case Shape::Element: {
    auto coords = scalars(footprint.coords, Role::Coordinate);
    if (coords.size() != footprint.coords.size())
      return std::nullopt;
    int64_t offset = 0;
    if (auto shared = dyn_cast<SharedType>(footprint.object.getType())) {
      if (!ofBase())
        return std::nullopt;
      for (auto [d, size] : llvm::enumerate(shared.getShape()))
        if (coords[d] < 0 || coords[d] >= size) {
          touched.outside = {static_cast<unsigned>(d), coords[d], size};
          return touched;
        }
      offset = shared.getByteOffset(coords);
    } else {
      auto grid = gridOf();
      if (!grid)
        return std::nullopt;
      for (size_t d = 0; d < coords.size(); ++d) {
        look(*grid, d, coords[d]);
        offset += coords[d] * grid->strides[d];
      }
    }
    touched.place.offset += offset;
    touched.shape = rangeShape(shape.elementBytes);
    return touched;
  }
  case Shape::Elements: {
    auto grid = gridOf();
    if (!grid)
      return std::nullopt;
    bool known = true;
    auto made = std::make_shared<Shape>();
    fillLanes(
        *made, shape.held, shape.elementBytes,
        [&](int64_t lane, const Shape::Held &held) -> std::optional<int64_t> {
          if (footprint.mask) {
            auto set = environment.element(footprint.mask, lane, held);
            known &= set.has_value();
            if (!set || !(*set & 1))
              return std::nullopt;
          }
          int64_t offset = 0;
          for (auto [d, tile] : llvm::enumerate(footprint.coords)) {
            auto index = environment.element(tile, lane, held);
            known &= index.has_value();
            if (!index)
              return std::nullopt;
            look(*grid, d, *index);
            offset += *index * grid->strides[d];
          }
          return offset;
        });
    if (!known)
      return std::nullopt;
    touched.own = std::move(made);
    return touched;
  }
  case Shape::Box: {
    auto grid = gridOf();
    auto coords = scalars(footprint.coords, Role::Coordinate);
    if (!grid || coords.size() != footprint.coords.size())
      return std::nullopt;
    Box box;
    box.elementBytes = shape.elementBytes;
    box.chunk = region.chunk;
    box.steps.assign(footprint.steps.begin(), footprint.steps.end());
    box.strides = grid->strides;
    for (auto [d, low] : llvm::enumerate(coords)) {
      int64_t high = low + footprint.extents[d];
      if (low < 0) // The first element inside.
        low = box.steps.empty() ? 0 : low + llvm::alignTo(-low, box.steps[d]);
      if (grid->sizes[d] >= 0)
        high = std::min(high, grid->sizes[d]);
      box.low.push_back(low);
      box.high.push_back(std::max(low, high));
    }
    touched.box = std::move(box);
    return touched;
  }
  case Shape::Pixels: {
    auto grid = gridOf();
    TmaCopy copy;
    auto coords = scalars(footprint.coords, Role::Coordinate),
         offsets = scalars(footprint.offsets, Role::Offset);
    if (!grid || coords.size() != footprint.coords.size() ||
        offsets.size() != footprint.offsets.size())
      return std::nullopt;
    // Dimension 0 is the innermost.
    copy.coords.assign(coords.rbegin(), coords.rend());
    copy.im2colOffsets.assign(offsets.rbegin(), offsets.rend());
    if (region.kind != AccessKind::Read)
      copy.direction = TmaDirection::Store;
    auto bytes = pixelBytes(*grid, copy, shape.elementBytes);
    if (!bytes)
      return std::nullopt;
    bytesOf(std::move(*bytes));
    return touched;
  }
  }
  llvm_unreachable("a shape is one of these");
}
