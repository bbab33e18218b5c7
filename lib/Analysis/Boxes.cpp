//===- Boxes.cpp - which bytes of a tensor a tensor copy touches ----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Boxes of a map over the tensor's own sizes and strides are kept as boxes:
// their coordinates are compared, whatever the strides are. A map with sizes
// and strides of its own is another grid over the same bytes, so that its boxes
// are turned into bytes. So are the pixels of an im2col map and slices of
// channels, which lib/Domain finds.
//
//===----------------------------------------------------------------------===//
#include "Alignment.h"
#include "Interpreter.h"

#include "titan/Domain/Tma.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;
using namespace titan::effect;

std::optional<uint32_t> Instantiator::Impl::boxFootprint(const CompiledOp &op,
                                                         const Access &access) {
  const Footprint &bytes = access.bytes;
  if (const Val &start = value(bytes.coords.back());
      start.kind == Val::Int && start.number.value % startUnit(op.op)) {
    problem(Code::TmaCoordinateAlignment, op.op,
            "coordinate 0, the innermost, is " + Twine(start.number.value) +
                ", no multiple of " + Twine(startUnit(op.op)) +
                " elements (16 bytes)");
    return std::nullopt;
  }
  auto root = globalRoot(bytes.object);
  if (!root) {
    problem(Code::Undecided, op.op,
            "which tensor this map was made over is not known");
    return std::nullopt;
  }
  if (TensorMapOp map = getTensorMapOp(bytes.object)) {
    if (map.getType().isIm2col() || map.getType().getInterleave())
      return pixelFootprint(op, access, map, *root);
    if (map.isView())
      return viewFootprint(op, access, map, *root);
  }
  ArrayRef<int64_t> shape =
      cast<GlobalType>(program->roots[*root].getType()).getShape();
  FootprintData data;
  data.root = *root;
  data.steps.assign(bytes.steps.begin(), bytes.steps.end());
  std::vector<int64_t> key = {'b', *root};
  llvm::append_range(key, data.steps);
  for (auto [d, coord] : llvm::enumerate(bytes.coords)) {
    const Val &val = value(coord);
    if (val.kind != Val::Int) {
      problem(Code::Undecided, op.op,
              "coordinate " + Twine(d) + " depends on " + val.dependsOn());
      return std::nullopt;
    }
    if (access.kind != AccessKind::Read && val.number.value < 0) {
      problem(Code::TmaStoreNegative, op.op,
              "coordinate " + Twine(d) + " of what is written is " +
                  Twine(val.number.value));
      return std::nullopt;
    }
    int64_t low = val.number.value, high = low + bytes.extents[d];
    if (low < 0) // The first element inside.
      low = bytes.steps.empty() ? 0 : low + llvm::alignTo(-low, bytes.steps[d]);
    if (!ShapedType::isDynamic(shape[d]))
      high = std::min(high, shape[d]);
    data.low.push_back(low);
    data.high.push_back(std::max(low, high));
    key.push_back(low);
    key.push_back(data.high.back());
  }
  data.strides = globalStrides(*root);
  llvm::append_range(key, data.strides);
  auto [found, fresh] = footprintIds.try_emplace(key, 0);
  if (fresh)
    found->second = self.footprints.add(std::move(data));
  return found->second;
}

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

std::optional<uint32_t> Instantiator::Impl::viewFootprint(const CompiledOp &op,
                                                          const Access &access,
                                                          TensorMapOp map,
                                                          uint32_t root) {
  const Footprint &bytes = access.bytes;
  auto type = cast<GlobalType>(program->roots[root].getType());
  int64_t element = getElementBytes(type.getElementType());
  size_t rank = bytes.coords.size();
  // Under the sizes of this launch.
  MapNumbers numbers = numbersOf(map, root);
  const std::vector<int64_t> &dims = numbers.sizes, &strides = numbers.strides;
  std::vector<int64_t> key = {'w', root};
  llvm::append_range(key, dims);
  llvm::append_range(key, strides);
  std::vector<std::vector<int64_t>> inside(rank);
  for (size_t d = 0; d < rank; ++d) {
    const Val &val = value(bytes.coords[d]);
    if (val.kind != Val::Int) {
      problem(Code::Undecided, op.op,
              "coordinate " + Twine(d) + " depends on " + val.dependsOn());
      return std::nullopt;
    }
    int64_t from = val.number.value;
    if (access.kind != AccessKind::Read && from < 0) {
      problem(Code::TmaStoreNegative, op.op,
              "coordinate " + Twine(d) + " of what is written is " +
                  Twine(from));
      return std::nullopt;
    }
    int64_t step = bytes.steps.empty() ? 1 : bytes.steps[d];
    llvm::append_values(key, from, bytes.extents[d], step);
    for (int64_t i = 0; i < bytes.extents[d]; i += step)
      if (from + i >= 0 && from + i < dims[d])
        inside[d].push_back(from + i);
  }
  Value tensor = kernel.getKernelArguments()[root - program->sharedRoots];
  auto [found, fresh] = footprintIds.try_emplace(key, 0);
  if (!fresh)
    return found->second;
  FootprintData data;
  data.root = root;
  // A tensor that nobody writes needs no bytes.
  if (writtenTensors.contains(tensor)) {
    needPitches(op, map, numbers, root);
    std::vector<ByteSet::Interval> rows;
    bool any = llvm::none_of(inside, [](auto &list) { return list.empty(); });
    for (std::vector<size_t> at(rank); any;) {
      int64_t start = 0;
      for (size_t d = 0; d + 1 < rank; ++d)
        start += inside[d][at[d]] * strides[d];
      rows.push_back({start + inside.back().front() * element,
                      start + (inside.back().back() + 1) * element});
      int d = static_cast<int>(rank) - 2;
      for (; d >= 0; --d) {
        if (++at[d] < inside[d].size())
          break;
        at[d] = 0;
      }
      any = d >= 0;
    }
    data.bytes = ByteSet::of(std::move(rows));
  }
  return found->second = self.footprints.add(std::move(data));
}

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
  for (int d = 0; d < map.rank; ++d) {
    map.strides.fill(0);
    if (d > 0)
      map.strides[d - 1] = stride;
    auto transfer = TmaTransfer::make(map, copy, targetInfo(TargetId::Sm90a));
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

std::optional<uint32_t> Instantiator::Impl::pixelFootprint(const CompiledOp &op,
                                                           const Access &access,
                                                           TensorMapOp map,
                                                           uint32_t root) {
  const TargetInfo &target = targetInfo(TargetId::Sm90a);
  const Footprint &bytes = access.bytes;
  TensorMapType type = map.getType();
  MapNumbers numbers = numbersOf(map, root);
  size_t rank = type.getRank();
  std::vector<int64_t> key = {'p', root, static_cast<int64_t>(access.kind)};
  key.push_back(static_cast<int64_t>(
      reinterpret_cast<intptr_t>(type.getAsOpaquePointer())));
  llvm::append_range(key, numbers.sizes);
  llvm::append_range(key, numbers.strides);

  // The copy, dimension 0 innermost.
  TmaUnknown unknown{.address = true, .strides = 0xff, .shared = true};
  TensorMap fields = getTensorMapFields(type, getTmaTypeName(map));
  fields.swizzle = findTmaSwizzle("none");
  for (size_t d = 0; d < rank; ++d) {
    fields.dims[d] = numbers.sizes[rank - 1 - d];
    if (numbers.dims[rank - 1 - d].symbol)
      unknown.dims |= 1 << d;
  }
  TmaCopy copy;
  std::vector<int64_t> surely; // Offsets, those that the launch decides good.
  if (access.kind != AccessKind::Read)
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
  Value tensor = kernel.getKernelArguments()[root - program->sharedRoots];
  if (writtenTensors.contains(tensor)) {
    needPitches(op, map, numbers, root);
    if (auto pixels = pixelsOf(fields, copy)) {
      int64_t unit = type.getUnitBytes();
      std::vector<ByteSet::Interval> runs;
      for (const Pixels &run : *pixels) {
        int64_t begin =
            run.at[0] / unit * numbers.strides.back() + run.at[0] % unit;
        for (size_t d = 1; d < rank; ++d)
          begin += run.at[d] * numbers.strides[rank - 1 - d];
        runs.push_back({begin, begin + run.bytes});
      }
      data.bytes = ByteSet::of(std::move(runs));
    } else {
      gap(op.op, "which pixels a copy touches, where the sizes of the launch "
                 "that is looked at are none that its map may have, or it "
                 "starts outside of its bounding box");
    }
  }
  return found->second = self.footprints.add(std::move(data));
}
