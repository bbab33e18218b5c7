//===- Conformance.cpp - what is touched against what is declared ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Conformance.h"

#include "titan/Layout/SharedImage.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace mlir;
using namespace titan;
using namespace titan::sim;

void Conformance::begin(Agent &agent, const Inst &inst) {
  recorder.entries.clear();
  scalars = agent.scalars;
  refs = agent.refs;
  machine.global.recorder = &recorder;
  for (auto &cta : agent.cta.cluster.ctas)
    cta->shared.recorder = &recorder;
}

/// Adds the access's bytes; false where they cannot be said.
bool Conformance::declared(Agent &agent, const Inst &inst,
                           const effect::Access &access,
                           std::map<const Memory *, Bytes> &to) {
  const Program &program = machine.program;
  const effect::Footprint &footprint = access.bytes;
  auto scalar = [&](Value value) {
    return scalars[program.slots.lookup(value).scalar];
  };
  auto add = [&](const Memory &memory, const ByteSet &bytes) {
    Bytes &here = to[&memory];
    if (access.kind != AccessKind::Write)
      here.read = here.read.unite(bytes);
    if (access.kind != AccessKind::Read)
      here.written = here.written.unite(bytes);
  };
  auto elementAt = [&](Value tensor, ArrayRef<int64_t> index) {
    const SimulatorArgument &argument = machine.arguments[scalar(tensor)];
    int64_t bytes = titan::getElementBytes(
        cast<GlobalType>(tensor.getType()).getElementType());
    int64_t at = reinterpret_cast<int64_t>(argument.data);
    for (size_t d = 0; d < index.size(); ++d)
      at += index[d] * argument.strides[d] * bytes;
    return ByteSet(at, at + bytes);
  };
  auto shared = [&](const SharedPlace &place) -> Memory & {
    return place.rank ? agent.cta.cluster.ctas[*place.rank]->shared
                      : agent.cta.shared;
  };
  switch (footprint.kind) {
  case effect::Footprint::View: {
    SharedImage image = cast<SharedType>(footprint.object.getType()).getImage();
    SharedPlace place = SharedPlace::decode(scalar(footprint.object));
    ByteSet bytes = image.bytes(place.address);
    if (footprint.ctas.kind != effect::CtaSet::Mask) {
      add(shared(place), bytes);
      return true;
    }
    uint64_t mask = scalar(footprint.ctas.value);
    for (auto &cta : agent.cta.cluster.ctas)
      if (mask >> cta->rank & 1)
        add(cta->shared, bytes);
    return true;
  }
  case effect::Footprint::Tile: {
    SharedImage image = cast<SharedType>(footprint.object.getType()).getImage();
    auto layout = getTileLayout(footprint.tile);
    SharedPlace place = SharedPlace::decode(scalar(footprint.object));
    if (!layout || layout->rank() != 2 || agent.regionWarp >= layout->warps())
      return false;
    // What several hold, its owner writes.
    if (access.kind != AccessKind::Read && !layout->isInjective())
      return false;
    add(shared(place),
        bytesOfWarp(*layout, agent.regionWarp, image, place.address));
    return true;
  }
  case effect::Footprint::Elements: {
    auto tile = [&](Value value) {
      return static_cast<const Tile *>(
          refs[program.slots.lookup(value).ref].get());
    };
    auto layout = getTileLayout(footprint.tile);
    if (!layout || (access.kind != AccessKind::Read && !layout->isInjective()))
      return false;
    ByteSet bytes;
    size_t elements = layout->registers() * laneCount;
    std::vector<ByteSet::Interval> parts;
    for (size_t i = 0; i < elements; ++i) {
      if (footprint.mask && !(tile(footprint.mask)->data[i] & 1))
        continue;
      SmallVector<int64_t> index;
      for (Value coordinate : footprint.coords)
        index.push_back(static_cast<int32_t>(tile(coordinate)->data[i]));
      ByteSet element = elementAt(footprint.object, index);
      for (auto part : element.intervals())
        parts.push_back(part);
    }
    add(machine.global, ByteSet::of(std::move(parts)));
    return true;
  }
  case effect::Footprint::Scalar: {
    SmallVector<int64_t> index;
    for (Value coordinate : footprint.coords)
      index.push_back(static_cast<int64_t>(scalar(coordinate)));
    if (isa<GlobalType>(footprint.object.getType())) {
      add(machine.global, elementAt(footprint.object, index));
      return true;
    }
    auto type = cast<SharedType>(footprint.object.getType());
    SharedPlace place = SharedPlace::decode(scalar(footprint.object));
    int64_t at = place.address + type.getByteOffset(index);
    add(shared(place), ByteSet(at, at + type.getElementBytes()));
    return true;
  }
  case effect::Footprint::Box: {
    MapPlace place = MapPlace::decode(scalar(footprint.object));
    std::optional<TensorMap> found;
    if (place.kind == MapPlace::Parameter)
      found = machine.launch.maps[place.at].map;
    else
      found =
          decodeDescriptor(*reinterpret_cast<const TmaDescriptor *>(place.at));
    if (!found)
      return false;
    const TensorMap &map = *found;
    // Pixels and slices: the function's bytes.
    if (map.mode != TmaMode::Tiled || map.interleave != TmaInterleave::None) {
      TmaCopy copy;
      copy.direction = access.kind == AccessKind::Read ? TmaDirection::Load
                       : access.kind == AccessKind::Write
                           ? TmaDirection::Store
                           : TmaDirection::Reduce;
      if (auto reduce = dyn_cast<TmaReduceOp>(inst.origin))
        copy.reduction = stringifyAtomicOp(reduce.getOp()).str();
      for (Value coordinate : llvm::reverse(footprint.coords))
        copy.coords.push_back(static_cast<int64_t>(scalar(coordinate)));
      for (Value offset : llvm::reverse(footprint.offsets))
        copy.im2colOffsets.push_back(static_cast<int64_t>(scalar(offset)));
      auto transfer = TmaTransfer::make(map, copy, targetInfo(TargetId::Sm90a));
      if (!transfer)
        return false;
      add(machine.global, transfer->globalBytes());
      return true;
    }
    int64_t bytes = titan::getElementBytes(
        cast<TensorMapType>(footprint.object.getType()).getElementType());
    // Indices of the elements inside, outermost dimension first.
    size_t rank = footprint.coords.size();
    SmallVector<SmallVector<int64_t>> inside(rank);
    for (size_t d = 0; d < rank; ++d) {
      int64_t from = static_cast<int64_t>(scalar(footprint.coords[d]));
      int64_t step = footprint.steps.empty() ? 1 : footprint.steps[d];
      for (int64_t i = 0; i < footprint.extents[d]; i += step)
        if (from + i >= 0 &&
            from + i < static_cast<int64_t>(map.dims[rank - 1 - d]))
          inside[d].push_back(from + i);
      if (inside[d].empty())
        return true; // All of it outside.
    }
    std::vector<ByteSet::Interval> parts;
    for (SmallVector<size_t> at(rank);;) {
      int64_t begin = static_cast<int64_t>(map.address);
      for (size_t d = 0; d + 1 < rank; ++d)
        begin +=
            inside[d][at[d]] * static_cast<int64_t>(map.strides[rank - 2 - d]);
      int64_t first = begin + inside.back().front() * bytes,
              last = begin + (inside.back().back() + 1) * bytes;
      // A store writes whole chunks of 16 bytes (facts-tma.md S3).
      if (access.kind != AccessKind::Read)
        last = (last + 15) / 16 * 16;
      parts.push_back({first, last});
      int d = static_cast<int>(rank) - 2;
      for (; d >= 0; --d) {
        if (++at[d] < inside[d].size())
          break;
        at[d] = 0;
      }
      if (d < 0)
        break;
    }
    add(machine.global, ByteSet::of(std::move(parts)));
    return true;
  }
  case effect::Footprint::Object: {
    // Barriers and maps of the launch are no bytes here.
    if (!isa<TensorMapType>(footprint.object.getType()))
      return true;
    MapPlace place = MapPlace::decode(scalar(footprint.object));
    ByteSet bytes(place.at, place.at + std::tuple_size_v<TmaDescriptor>);
    if (place.kind != MapPlace::Parameter)
      add(place.kind == MapPlace::Shared ? agent.cta.shared : machine.global,
          bytes);
    return true;
  }
  default:
    return false;
  }
}

void Conformance::end(Agent &agent, const Inst &inst, bool executed) {
  machine.global.recorder = nullptr;
  for (auto &cta : agent.cta.cluster.ctas)
    cta->shared.recorder = nullptr;
  auto op = dyn_cast<HardwareEffectsInterface>(inst.origin);
  if (!op || !executed)
    return;
  // A product's operands are read when the last of its warps has come.
  if (isa<MmaOp>(inst.origin) && recorder.entries.empty())
    return;
  effect::EffectList list;
  op.getHardwareEffects(list);
  std::map<const Memory *, Bytes> expected, found;
  for (const effect::Effect &each : list)
    if (auto *access = std::get_if<effect::Access>(&each.what))
      if (!declared(agent, inst, *access, expected))
        return;
  for (const effect::Effect &each : list)
    if (std::holds_alternative<effect::WaitFlag>(each.what))
      return; // Polls its flag.
  std::map<const Memory *, std::pair<std::vector<ByteSet::Interval>,
                                     std::vector<ByteSet::Interval>>>
      parts;
  for (const Recorder::Entry &entry : recorder.entries) {
    auto &here = parts[entry.memory];
    (entry.write ? here.second : here.first)
        .push_back({static_cast<int64_t>(entry.address),
                    static_cast<int64_t>(entry.address + entry.bytes)});
  }
  for (auto &[memory, both] : parts)
    found[memory] = {ByteSet::of(both.first), ByteSet::of(both.second)};
  for (auto &[memory, bytes] : expected)
    found.try_emplace(memory);
  ++machine.compared;
  // A copy whose box is partly outside reads less of its buffer than all.
  bool clipped = isa<TmaStoreOp, TmaReduceOp>(inst.origin);
  for (auto &[memory, touched] : found) {
    const Bytes &said = expected[memory];
    auto compare = [&](const ByteSet &is, const ByteSet &should,
                       const char *what, bool all) {
      ByteSet more = is.subtract(should), less = should.subtract(is);
      if (more.empty() && (!all || less.empty()))
        return;
      machine.find(
          Code::EffectMismatch,
          llvm::formatv("'{0}' {1} {2} bytes that it does not declare, "
                        "and leaves {3} that it does: {4}",
                        inst.origin->getName().getStringRef(), what,
                        more.bytes(), less.bytes(), agent.who(inst)),
          inst.origin, &agent);
    };
    compare(touched.read, said.read, "reads", !(clipped && memory->isShared()));
    compare(touched.written, said.written, "writes", true);
  }
}
