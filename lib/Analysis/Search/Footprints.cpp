//===- Footprints.cpp - regions in an iteration ---------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lib/Effects resolves; here stands what values are in an iteration, which of
// them must be known and lie where, and which footprints are one.
//
// Boxes of a map over the tensor's own sizes and strides are kept as boxes:
// their coordinates are compared, whatever the strides are. A map with sizes
// and strides of its own is another grid over the same bytes, so that its boxes
// are turned into bytes; so are the pixels of im2col maps and the slices of
// interleaved ones.
//
//===----------------------------------------------------------------------===//
#include "../Alignment.h"
#include "Interpreter.h"

#include "titan/Dialect/Titan/SharedMemory.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;
using namespace titan::effect;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

class Instantiator::Impl::Values : public Environment {
public:
  explicit Values(Impl &impl) : impl(impl) {}

  std::optional<int64_t> scalar(Value value, Role, unsigned) override {
    const Val &val = impl.value(value);
    if (val.kind != Val::Int)
      return std::nullopt;
    return val.number.value;
  }
  bool knowsViews() const override { return true; }
  std::optional<Place> place(Value memory) override {
    const Val &val = impl.value(memory);
    if (val.kind != Val::View)
      return std::nullopt;
    return Place{val.id, val.second, val.cta};
  }
  std::optional<int64_t> element(Value tile, int64_t,
                                 const Shape::Held &held) override {
    // One after the other, of a few tiles in turn.
    auto known = llvm::find_if(
        tiles, [&](const auto &each) { return each.first == tile; });
    if (known == tiles.end()) {
      const Val &val = impl.value(tile);
      tiles.push_back(
          {tile, val.kind == Val::Tensor ? &impl.tensors[val.id] : nullptr});
      known = std::prev(tiles.end());
    }
    if (!known->second)
      return std::nullopt;
    return (*known->second)[held.element];
  }
  /// Under the sizes of this launch; a tensor ends where its type says, or
  /// nowhere: what depends on the launch is a launch's business.
  std::optional<Grid> grid(Value object) override {
    auto root = impl.globalRoot(object);
    if (!root)
      return std::nullopt;
    Grid grid;
    grid.origin = {*root, 0, -1};
    if (isa<TensorMapType>(object.getType()))
      if (TensorMapOp map = getTensorMapOp(object);
          map && (map.isView() || isPixels(map.getType()))) {
        MapNumbers numbers = impl.numbersOf(map, *root);
        grid.sizes.assign(numbers.sizes.begin(), numbers.sizes.end());
        grid.strides.assign(numbers.strides.begin(), numbers.strides.end());
        if (isPixels(map.getType()))
          grid.map = fieldsOf(map, numbers);
        return grid;
      }
    if (isa<TensorMapType>(object.getType()) &&
        object.getDefiningOp<ViewOpInterface>()) {
      grid.sizes = impl.mapAt(object).sizes;
      llvm::append_range(grid.strides, impl.globalStrides(*root));
      return grid;
    }
    auto type = cast<GlobalType>(impl.program->roots[*root].getType());
    for (int64_t size : type.getShape())
      grid.sizes.push_back(ShapedType::isDynamic(size) ? -1 : size);
    llvm::append_range(grid.strides, impl.globalStrides(*root));
    return grid;
  }

  static bool isPixels(TensorMapType type) {
    return type.isIm2col() || type.getInterleave();
  }
  /// What the map says, but address and strides; the swizzle moves nothing in
  /// global memory.
  static TensorMap fieldsOf(TensorMapOp map, const MapNumbers &numbers) {
    TensorMap fields = getTensorMapFields(map.getType(), getTmaTypeName(map));
    fields.swizzle = findTmaSwizzle("none");
    size_t rank = map.getType().getRank();
    for (size_t d = 0; d < rank; ++d)
      fields.dims[d] = numbers.sizes[rank - 1 - d];
    return fields;
  }

private:
  Impl &impl;
  /// The elements of those that were asked about; null: not known.
  SmallVector<std::pair<Value, const std::vector<int64_t> *>, 4> tiles;
};

Instantiator::Impl::MapNumbers Instantiator::Impl::numbersOf(TensorMapOp map,
                                                             uint32_t root) {
  MapNumbers numbers;
  std::vector<int64_t> pitches = globalStrides(root);
  if (map.isView()) {
    for (Value value : map.getDims())
      numbers.dims.push_back(launchNumbers.lookup(value));
    unsigned tensor = root - program->sharedRoots;
    int64_t bytes = getElementBytes(
        cast<GlobalType>(program->roots[root].getType()).getElementType());
    // A stride of the tensor's own that sizes decide.
    auto isPacked = [&](Number stride) {
      return llvm::any_of(packed, [&](auto dimension) {
        Number own = strideNumber(tensor, dimension.second);
        return dimension.first == tensor &&
               stride.symbol ==
                   symbols.apply(Arith::Mul, 0, 64, 64, own, {bytes, 0}, {});
      });
    };
    for (Value value : map.getByteStrides()) {
      Number stride = launchNumbers.lookup(value);
      numbers.decided |= stride.symbol != 0 && !isPacked(stride);
      numbers.strides.push_back(here(stride).number.value);
    }
    numbers.strides.push_back(map.getType().getUnitBytes());
  } else {
    // Of interleaved maps all but the dimension within a slice.
    for (unsigned d = 0; d < map.getType().getRank(); ++d) {
      numbers.dims.push_back(sizeNumber(root - program->sharedRoots, d));
      numbers.strides.push_back(pitches[d]);
    }
  }
  for (Number size : numbers.dims)
    numbers.sizes.push_back(here(size).number.value);
  return numbers;
}

//===----------------------------------------------------------------------===//
// Footprints, each once
//===----------------------------------------------------------------------===//

/// What the rest of the checker keeps of an access.
static FootprintData dataOf(const Touched &touched) {
  FootprintData data;
  data.root = touched.place.memory;
  if (const std::optional<Box> &box = touched.box) {
    data.low.assign(box->low.begin(), box->low.end());
    data.high.assign(box->high.begin(), box->high.end());
    data.steps.assign(box->steps.begin(), box->steps.end());
    data.strides.assign(box->strides.begin(), box->strides.end());
    return data;
  }
  data.bytes = touched.bytes().shifted(touched.place.offset);
  for (const ByteSet &lane : touched.lanes())
    data.lanes.push_back(lane.shifted(touched.place.offset));
  return data;
}

const MemoryRegion &Instantiator::Impl::regionOf(const Footprint &footprint,
                                                 AccessKind kind) {
  auto [found, fresh] = regions.try_emplace({&footprint, regionWarp});
  if (fresh)
    found->second = resolver.resolve(footprint, kind, regionWarp);
  return found->second;
}

static int64_t keyOf(const void *pointer) {
  return static_cast<int64_t>(reinterpret_cast<intptr_t>(pointer));
}

std::optional<uint32_t>
Instantiator::Impl::footprintOf(const CompiledOp &op,
                                const MemoryRegion &region,
                                std::optional<Mechanism> mechanism) {
  switch (region.shape->kind) {
  case Shape::Element:
    return elementFootprint(op, region);
  case Shape::Elements:
    return elementsFootprint(op, region);
  case Shape::Box:
  case Shape::Pixels:
    return isa<GlobalType>(region.footprint.object.getType())
               ? runFootprint(op, region, mechanism)
               : boxFootprint(op, region);
  case Shape::Bytes:
  case Shape::Lanes:
  case Shape::Cells:
    break;
  }
  Value memory = region.footprint.object;
  const Val &view = value(memory);
  if (view.kind != Val::View) {
    problem(Code::Undecided, op.op,
            Twine(isa<TensorMemoryType>(memory.getType())
                      ? "which columns of tensor memory are meant"
                  : isa<TensorMapType>(memory.getType())
                      ? "which tensor map is meant"
                      : "which slot of shared memory is meant") +
                (isa<TensorMemoryType>(memory.getType()) ? " depend on "
                                                         : " depends on ") +
                view.dependsOn());
    return std::nullopt;
  }
  std::vector<int64_t> key = {keyOf(region.shape), view.id, view.second};
  auto [found, fresh] = footprintIds.try_emplace(std::move(key), 0);
  if (fresh) {
    Values values(*this);
    found->second =
        self.footprints.add(dataOf(*resolver.evaluate(region, values)));
  }
  return found->second;
}

std::optional<uint32_t>
Instantiator::Impl::elementFootprint(const CompiledOp &op,
                                     const MemoryRegion &region) {
  const Footprint &bytes = region.footprint;
  for (Value coord : bytes.coords)
    if (const Val &val = value(coord); val.kind != Val::Int) {
      problem(Code::Undecided, op.op,
              "the index depends on " + val.dependsOn());
      return std::nullopt;
    }
  auto shared = dyn_cast<SharedType>(bytes.object.getType());
  if (shared) {
    if (const Val &view = value(bytes.object); view.kind != Val::View) {
      problem(Code::Undecided, op.op,
              "which slot of shared memory is meant depends on " +
                  view.dependsOn());
      return std::nullopt;
    }
    for (auto [coord, extent] : llvm::zip(bytes.coords, shared.getShape()))
      if (!decides(op, value(coord), 0, extent - 1, "the index"))
        return std::nullopt;
  } else {
    if (!globalRoot(bytes.object)) {
      problem(Code::Undecided, op.op, "which tensor is meant is not known");
      return std::nullopt;
    }
    ArrayRef<int64_t> shape =
        cast<GlobalType>(bytes.object.getType()).getShape();
    for (auto [d, coord] : llvm::enumerate(bytes.coords)) {
      const Number &at = value(coord).number;
      // What depends on the launch is a launch's business.
      if (at.value < 0 || (!at.symbol && !ShapedType::isDynamic(shape[d]) &&
                           at.value >= shape[d])) {
        problem(Code::OutOfBounds, op.op,
                "index " + Twine(at.value) + " of dimension " + Twine(d) +
                    " of " + titan::nameOf(bytes.object),
                ShapedType::isDynamic(shape[d])
                    ? Twine("indices count from 0")
                    : "indices of dimension " + Twine(d) + " count from 0 to " +
                          Twine(shape[d] - 1));
        return std::nullopt;
      }
    }
  }
  Values values(*this);
  auto touched = resolver.evaluate(region, values);
  if (shared && touched->outside) {
    const auto &outside = *touched->outside;
    std::string name = titan::nameOf(bytes.object);
    problem(Code::OutOfBounds, op.op,
            "index " + Twine(outside.index) + " of dimension " +
                Twine(outside.dimension) + " of " + name + ", which has " +
                Twine(outside.size) + " elements",
            "indices of dimension " + Twine(outside.dimension) + " of " + name +
                " count from 0 to " + Twine(outside.size - 1));
    return std::nullopt;
  }
  std::vector<int64_t> key = {keyOf(touched->shape), touched->place.memory,
                              touched->place.offset};
  auto [found, fresh] = footprintIds.try_emplace(std::move(key), 0);
  if (fresh)
    found->second = self.footprints.add(dataOf(*touched));
  return found->second;
}

bool Instantiator::Impl::checkChunks(
    const CompiledOp &op, const Footprint &bytes,
    ArrayRef<const std::vector<int64_t> *> coords,
    const std::vector<int64_t> *mask) {
  // Consecutive registers are consecutive elements of the tile's rows.
  int64_t elements = bytes.tile.getNumElements();
  for (int64_t first = 0; first < elements; first += bytes.chunk) {
    if (mask && !(*mask)[first]) {
      for (int64_t i = 1; i < bytes.chunk; ++i)
        if ((*mask)[first + i]) {
          problem(Code::CpAsyncChunk, op.op,
                  "in a chunk of " + Twine(bytes.chunk) +
                      " elements the mask is false for the first and true for "
                      "number " +
                      Twine(i));
          return false;
        }
      continue;
    }
    for (int64_t i = 1; i < bytes.chunk; ++i) {
      if (mask && !(*mask)[first + i]) {
        for (int64_t j = i + 1; j < bytes.chunk; ++j)
          if ((*mask)[first + j]) {
            problem(Code::CpAsyncChunk, op.op,
                    "in a chunk of " + Twine(bytes.chunk) +
                        " elements the mask is false for number " + Twine(i) +
                        " and true for number " + Twine(j));
            return false;
          }
        break;
      }
      for (size_t d = 0; d < coords.size(); ++d) {
        int64_t wanted = (*coords[d])[first] + (d + 1 == coords.size() ? i : 0);
        if ((*coords[d])[first + i] != wanted) {
          problem(Code::CpAsyncChunk, op.op,
                  "element " + Twine(i) + " of a chunk of " +
                      Twine(bytes.chunk) + " has index " +
                      Twine((*coords[d])[first + i]) + " of dimension " +
                      Twine(d) + ", and that of a row's next would be " +
                      Twine(wanted));
          return false;
        }
      }
    }
    if (int64_t start = coords.back()->at(first); start % bytes.chunk) {
      problem(Code::CpAsyncChunk, op.op,
              "a chunk of " + Twine(bytes.chunk) +
                  " elements begins at index " + Twine(start) +
                  " of the last dimension: its address is no "
                  "multiple of its bytes");
      return false;
    }
  }
  return true;
}

std::optional<uint32_t>
Instantiator::Impl::elementsFootprint(const CompiledOp &op,
                                      const MemoryRegion &region) {
  const Footprint &bytes = region.footprint;
  auto root = globalRoot(bytes.object);
  if (!root) {
    problem(Code::Undecided, op.op, "which tensor is meant is not known");
    return std::nullopt;
  }
  std::vector<int64_t> key = {keyOf(region.shape), *root, bytes.chunk};
  SmallVector<const std::vector<int64_t> *, 4> coords;
  for (Value coord : bytes.coords) {
    const Val &val = value(coord);
    if (val.kind != Val::Tensor) {
      // Where nobody writes, nobody is met.
      if (val.kind == Val::Unknown && !val.revealed &&
          region.kind == AccessKind::Read &&
          !writtenTensors.contains(program->roots[*root])) {
        gap(op.op,
            "whether elements whose indices are data lie in " +
                titan::nameOf(bytes.object),
            /*settled=*/true,
            "say by titan.assume between which bounds the indices lie, and the "
            "proof follows it; or mask by a comparison with the size; or "
            "accept with titan.trusted {code, reason}; or "
            "--undecided=warning");
        FootprintData data;
        data.root = *root;
        return self.footprints.add(std::move(data));
      }
      problem(Code::Undecided, op.op,
              "the indices depend on " + val.dependsOn());
      return std::nullopt;
    }
    coords.push_back(&tensors[val.id]);
    key.push_back(val.id);
  }
  // What is read at most, where the mask is not known.
  bool masked = bytes.mask != nullptr;
  if (masked) {
    const Val &val = value(bytes.mask);
    masked = val.kind == Val::Tensor;
    if (masked) {
      key.push_back(val.id);
    } else if (region.kind != AccessKind::Read) {
      problem(Code::Undecided, op.op, "the mask depends on " + val.dependsOn());
      return std::nullopt;
    }
  }
  llvm::append_range(key, globalStrides(*root));
  auto [found, fresh] = footprintIds.try_emplace(std::move(key), 0);
  if (!fresh)
    return found->second;
  if (bytes.chunk > 1 && (masked || !bytes.mask) &&
      !checkChunks(op, bytes, coords,
                   masked ? &tensors[value(bytes.mask).id] : nullptr))
    return std::nullopt;
  Values values(*this);
  MemoryRegion most = region;
  if (!masked)
    most.footprint.mask = {};
  auto touched = resolver.evaluate(most, values);
  if (auto outside = touched->outside; outside && (!bytes.mask || masked)) {
    problem(Code::OutOfBounds, op.op,
            "index " + Twine(outside->index) + " of dimension " +
                Twine(outside->dimension) + " of " +
                titan::nameOf(bytes.object) + ", which has " +
                Twine(outside->size) + " elements");
    return std::nullopt;
  }
  return found->second = self.footprints.add(dataOf(*touched));
}

//===----------------------------------------------------------------------===//
// Bulk copies
//===----------------------------------------------------------------------===//

std::optional<uint32_t>
Instantiator::Impl::runFootprint(const CompiledOp &op,
                                 const MemoryRegion &region,
                                 std::optional<Mechanism> mechanism) {
  const Footprint &bytes = region.footprint;
  // Of buffer instructions rows behind the end are out of the buffer's range: they
  // read zeros (CDNA3 ISA, "Range checking"). Else nothing is clipped.
  const bool ranged =
      mechanism && mechanismInfo(*mechanism).engine == Engine::VectorMemory;
  auto root = globalRoot(bytes.object);
  if (!root) {
    problem(Code::Undecided, op.op, "which tensor is meant is not known");
    return std::nullopt;
  }
  ArrayRef<int64_t> shape =
      cast<GlobalType>(program->roots[*root].getType()).getShape();
  for (auto [d, coord] : llvm::enumerate(bytes.coords)) {
    const Val &val = value(coord);
    if (val.kind != Val::Int) {
      problem(Code::Undecided, op.op,
              "coordinate " + Twine(d) + " depends on " + val.dependsOn());
      return std::nullopt;
    }
    // What depends on the launch is a launch's business.
    int64_t low = val.number.value, high = low + bytes.extents[d];
    if (low < 0 || (!(ranged && d == 0) && !val.number.symbol &&
                    !ShapedType::isDynamic(shape[d]) && high > shape[d])) {
      problem(Code::OutOfBounds, op.op,
              "elements " + Twine(low) + " to " + Twine(high - 1) +
                  " of dimension " + Twine(d) + " leave the tensor");
      return std::nullopt;
    }
    if (d + 1 < bytes.coords.size())
      continue;
    int64_t unit = startUnit(bytes, mechanism);
    if (low % unit) {
      problem(ranged ? Code::Misaligned : Code::BulkAlignment, op.op,
              "the innermost coordinate is " + Twine(low) +
                  ", no multiple of " + Twine(unit) + " elements (" +
                  Twine(unit * region.shape->elementBytes) + " bytes)");
      return std::nullopt;
    }
  }
  Values values(*this);
  auto touched = resolver.evaluate(region, values);
  std::vector<int64_t> key = {'r', *root, region.shape->elementBytes};
  llvm::append_range(key, touched->box->low);
  llvm::append_range(key, touched->box->high);
  llvm::append_range(key, touched->box->strides);
  auto [found, fresh] = footprintIds.try_emplace(std::move(key), 0);
  if (fresh)
    found->second = self.footprints.add(dataOf(*touched));
  return found->second;
}

//===----------------------------------------------------------------------===//
// Tensor copies
//===----------------------------------------------------------------------===//

std::optional<uint32_t>
Instantiator::Impl::boxFootprint(const CompiledOp &op,
                                 const MemoryRegion &region) {
  const Footprint &bytes = region.footprint;
  int64_t unit = startUnit(bytes, std::nullopt);
  if (const Val &start = value(bytes.coords.back());
      start.kind == Val::Int && start.number.value % unit) {
    problem(Code::TmaCoordinateAlignment, op.op,
            "coordinate 0, the innermost, is " + Twine(start.number.value) +
                ", no multiple of " + Twine(unit) + " elements (16 bytes)");
    return std::nullopt;
  }
  auto root = globalRoot(bytes.object);
  if (!root) {
    problem(Code::Undecided, op.op,
            "which tensor this map was made over is not known");
    return std::nullopt;
  }
  TensorMapOp map = getTensorMapOp(bytes.object);
  if (region.shape->kind == Shape::Pixels)
    return pixelFootprint(op, region, map, *root);
  for (auto [d, coord] : llvm::enumerate(bytes.coords)) {
    const Val &val = value(coord);
    if (val.kind != Val::Int) {
      problem(Code::Undecided, op.op,
              "coordinate " + Twine(d) + " depends on " + val.dependsOn());
      return std::nullopt;
    }
    if (region.kind != AccessKind::Read && val.number.value < 0) {
      problem(Code::TmaStoreNegative, op.op,
              "coordinate " + Twine(d) + " of what is written is " +
                  Twine(val.number.value));
      return std::nullopt;
    }
  }
  Values values(*this);
  auto touched = resolver.evaluate(region, values);
  Box &box = *touched->box;
  // Of the chunk that a store ends with (S3) nothing behind the last element
  // inside is looked at.
  box.chunk = 1;
  if (bytes.object.getDefiningOp<ViewOpInterface>())
    for (auto [d, by] : llvm::enumerate(mapAt(bytes.object).origin)) {
      box.low[d] += by;
      box.high[d] += by;
    }
  bool ownGrid = map && map.isView();
  std::vector<int64_t> key = {ownGrid ? 'w' : 'b', *root,
                              region.shape->elementBytes};
  llvm::append_range(key, box.steps);
  llvm::append_range(key, box.low);
  llvm::append_range(key, box.high);
  llvm::append_range(key, box.strides);
  auto [found, fresh] = footprintIds.try_emplace(std::move(key), 0);
  if (!fresh)
    return found->second;
  FootprintData data;
  data.root = *root;
  if (!ownGrid) {
    data = dataOf(*touched);
  } else if (writtenTensors.contains(program->roots[*root])) {
    // A tensor that nobody writes needs no bytes.
    needPitches(op, map, numbersOf(map, *root), *root);
    data.bytes = box.bytes();
  }
  return found->second = self.footprints.add(std::move(data));
}

std::optional<uint32_t>
Instantiator::Impl::pixelFootprint(const CompiledOp &op,
                                   const MemoryRegion &region, TensorMapOp map,
                                   uint32_t root) {
  const Footprint &bytes = region.footprint;
  const TargetInfo &target = targetWith(Feature::Tma);
  TensorMapType type = map.getType();
  MapNumbers numbers = numbersOf(map, root);
  size_t rank = type.getRank();
  std::vector<int64_t> key = {'p', root, static_cast<int64_t>(region.kind)};
  key.push_back(keyOf(type.getAsOpaquePointer()));
  llvm::append_range(key, numbers.sizes);
  llvm::append_range(key, numbers.strides);

  // The copy, dimension 0 innermost.
  TmaUnknown unknown{.address = true, .strides = 0xff, .shared = true};
  TensorMap fields = Values::fieldsOf(map, numbers);
  for (size_t d = 0; d < rank; ++d)
    if (numbers.dims[rank - 1 - d].symbol)
      unknown.dims |= 1 << d;
  TmaCopy copy;
  std::vector<int64_t> surely; // Offsets, those that the launch decides good.
  if (region.kind != AccessKind::Read)
    copy.direction = TmaDirection::Store;
  for (auto [values, to, what] :
       {std::tuple{&bytes.coords, &copy.coords, "coordinate "},
        std::tuple{&bytes.offsets, &copy.im2colOffsets, "offset "}})
    for (size_t i = values->size(); i-- > 0;) {
      const Val &val = value((*values)[i]);
      if (val.kind != Val::Int) {
        problem(Code::Undecided, op.op,
                what + Twine(i) + " depends on " + val.dependsOn());
        return std::nullopt;
      }
      bool decided = val.number.symbol != 0; // By the launch.
      if (decided && to == &copy.coords)
        unknown.coords |= 1 << to->size();
      if (to == &copy.im2colOffsets)
        surely.push_back(decided ? 0 : val.number.value);
      to->push_back(val.number.value);
      key.push_back(val.number.value);
    }
  std::swap(copy.im2colOffsets, surely);
  std::vector<TmaViolation> broken =
      validateCopy(fields, copy, target, unknown);
  std::swap(copy.im2colOffsets, surely);
  // In numbers, where this launch may have the map at all.
  TmaUnknown bytesOnly{.address = true, .strides = 0xff, .shared = true};
  bool decided = broken.empty();
  if (decided && validate(fields, target, bytesOnly).empty())
    broken = validateCopy(fields, copy, target, bytesOnly);
  if (!broken.empty()) {
    problem(broken.front().code, op.op,
            broken.front().field + ": " + broken.front().message +
                (decided ? ", in one of the launches looked at" + launchSuffix()
                         : ""),
            broken.front().fix);
    return std::nullopt;
  }
  auto [found, fresh] = footprintIds.try_emplace(key, 0);
  if (!fresh)
    return found->second;
  FootprintData data;
  data.root = root;
  if (writtenTensors.contains(program->roots[root])) {
    needPitches(op, map, numbers, root);
    Values values(*this);
    if (auto touched = resolver.evaluate(region, values))
      data = dataOf(*touched);
    else
      gap(op.op, "which pixels a copy touches, where the sizes of the launch "
                 "that is looked at are none that its map may have, or it "
                 "starts outside of its bounding box");
  }
  return found->second = self.footprints.add(std::move(data));
}
