//===- Memory.cpp - shared and global memory, as each thread sees it ------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Simulator/Memory.h"
#include "titan/Simulator/Machine.h"

#include <algorithm>
#include <cstring>

using namespace titan;
using namespace titan::sim;

Memory::Memory(size_t bytes, bool views) : views(views) {
  // What poison looks like where somebody uses it all the same.
  storage.assign(std::max<size_t>(bytes, 16), 0xCB);
  valid.assign(storage.size(), 0);
}

Memory::Shadow *Memory::shadowOf(uint64_t address, size_t &at, bool make) {
  uint64_t page = isShared() ? 0 : address / pageBytes;
  at = isShared() ? address : address % pageBytes;
  if (page == lastPage)
    return lastShadow;
  auto found = shadows.find(page);
  if (found == shadows.end()) {
    if (!make)
      return nullptr;
    found = shadows
                .try_emplace(page, std::make_unique<Shadow>(
                                       isShared() ? storage.size() : pageBytes))
                .first;
  }
  lastPage = page;
  return lastShadow = found->second.get();
}

/// Bytes that one event wrote: `at` from the first one asked for, `index` in the
/// shadow.
struct Memory::Run {
  size_t at, index, bytes;
};

template <typename Visit>
void Memory::forEachRun(uint64_t address, size_t bytes, bool make,
                        Visit &&visit) {
  for (size_t i = 0, index; i < bytes;) {
    Shadow *shadow = shadowOf(address + i, index, make);
    size_t end =
        isShared() ? bytes : std::min<size_t>(bytes, i + pageBytes - index);
    if (!shadow) {
      i = end;
      continue;
    }
    while (i < end) {
      const EventId *first = &shadow->event[index], *last = first + (end - i);
      // Most often they are all of one event.
      const EventId *other =
          std::memcmp(first, first + 1, (end - i - 1) * sizeof *first)
              ? std::find_if(first, last,
                             [&](EventId id) { return id != *first; })
              : last;
      size_t run = other - first;
      visit(*shadow, Run{i, index, run});
      i += run;
      index += run;
    }
  }
}

/// Whether each is not: valid from poison, poison from valid.
static void flip(uint8_t *to, const uint8_t *from, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    to[i] = !from[i];
}

bool Memory::read(uint64_t address, size_t bytes, uint8_t *data,
                  uint8_t *poison, Viewer *viewer) {
  record(false, address, bytes);
  std::memcpy(data, at(address), bytes);
  bool good = true;
  if (!isShared()) {
    if (poison)
      std::memset(poison, 0, bytes);
  } else {
    good = !std::memchr(valid.data() + address, 0, bytes);
    if (poison)
      flip(poison, valid.data() + address, bytes);
  }
  if (!viewer)
    return good;
  bool any = false;
  forEachRun(address, bytes, false, [&](Shadow &shadow, Run run) {
    if (!viewer->missesAndSeesOld(shadow.event[run.index]))
      return;
    any = true;
    std::memcpy(data + run.at, &shadow.before[run.index], run.bytes);
    const uint8_t *bad = &shadow.poisonBefore[run.index];
    if (poison)
      std::memcpy(poison + run.at, bad, run.bytes);
    good &= !std::memchr(bad, 1, run.bytes);
  });
  if (!any || !isShared() || poison == nullptr)
    return good;
  return !std::memchr(poison, 1, bytes);
}

void Memory::oldBytes(uint64_t address, size_t bytes, Viewer &viewer,
                      std::vector<OldByte> &to) {
  forEachRun(address, bytes, false, [&](Shadow &shadow, Run run) {
    if (viewer.missesAndSeesOld(shadow.event[run.index]))
      for (size_t i = 0; i < run.bytes; ++i)
        to.push_back({address + run.at + i, shadow.before[run.index + i],
                      shadow.poisonBefore[run.index + i]});
  });
}

void Memory::write(uint64_t address, size_t bytes, const uint8_t *data,
                   const uint8_t *poison, EventId event, Viewer *writer,
                   bool wins) {
  record(true, address, bytes);
  if (views)
    return apply(address, bytes, data, poison, event, *writer, wins);
  std::memcpy(at(address), data, bytes);
  if (!isShared())
    return;
  if (poison)
    flip(valid.data() + address, poison, bytes);
  else
    std::memset(valid.data() + address, 1, bytes);
}

void Memory::apply(uint64_t address, size_t bytes, const uint8_t *data,
                   const uint8_t *poison, EventId event, Viewer &writer,
                   bool wins) {
  forEachRun(address, bytes, true, [&](Shadow &shadow, Run run) {
    uint64_t a = address + run.at;
    EventId old = shadow.event[run.index];
    bool loses = !wins && writer.missesAndSeesOld(old);
    if (old != event) {
      std::fill_n(&shadow.event[run.index], run.bytes, event);
      std::memcpy(&shadow.before[run.index], at(a), run.bytes);
      if (isShared())
        flip(&shadow.poisonBefore[run.index], valid.data() + a, run.bytes);
    }
    if (loses)
      return;
    std::memcpy(at(a), data + run.at, run.bytes);
    if (!isShared())
      return;
    if (poison)
      flip(valid.data() + a, poison + run.at, run.bytes);
    else
      std::memset(valid.data() + a, 1, run.bytes);
  });
  if (!tiles.empty())
    changeLoaded(address, bytes, writer);
}

//===----------------------------------------------------------------------===//
// Loaded tiles
//===----------------------------------------------------------------------===//

void Memory::loaded(llvm::IntrusiveRefCntPtr<Tile> tile,
                    const TileAccess &access, size_t begin, uint64_t base,
                    const WarpKnowledge &reader) {
  std::erase_if(tiles, [](const LoadedTile &each) {
    return each.tile->used || each.tile->UseCount() == 1;
  });
  LoadedTile made{std::move(tile), &access, begin, base, {}, {}};
  for (int c = 0; c < 2; ++c) {
    made.sources[c] = reader.classes[c].number;
    made.times[c] = reader.classes[c].now;
  }
  tiles.push_back(std::move(made));
}

/// The write has been made by somebody who may not know of the loads.
void Memory::changeLoaded(uint64_t address, size_t bytes, Viewer &writer) {
  for (LoadedTile &each : tiles) {
    if (each.tile->used || address >= each.base + each.access->viewBytes ||
        each.base >= address + bytes)
      continue;
    bool open[2];
    for (int c = 0; c < 2; ++c)
      open[c] = !writer.knows(each.sources[c], each.times[c]);
    if (!open[0] && !open[1])
      continue;
    Tile &tile = *each.tile;
    for (size_t i = 0; i < tile.data.size(); ++i) {
      uint64_t from = each.base + each.access->offset[each.begin + i];
      if (!open[i % each.access->tile->lanes != 0] || from < address ||
          from + each.access->bytes > address + bytes)
        continue;
      uint64_t bits = 0;
      std::memcpy(&bits, at(from), each.access->bytes);
      tile.data[i] = canonical(each.access->type, bits);
    }
  }
}

//===----------------------------------------------------------------------===//
// ThreadView
//===----------------------------------------------------------------------===//

ThreadView::Buffer &ThreadView::buffer(Memory &memory) {
  for (Buffer &buffer : buffers)
    if (buffer.memory == &memory)
      return buffer;
  Buffer &made = buffers.emplace_back();
  made.memory = &memory;
  return made;
}

Knowledge &ThreadView::knowledge(unsigned lane) const {
  return agent.knowledge->classes[lane != 0];
}

MemorySpace ThreadView::spaceOf(const Memory &memory) const {
  return !memory.isShared()             ? MemorySpace::Global
         : &memory == &agent.cta.shared ? MemorySpace::SharedOwn
                                        : MemorySpace::SharedPeer;
}

bool ThreadView::read(Memory &memory, unsigned lane, uint64_t address,
                      size_t bytes, uint8_t *data, uint8_t *poison,
                      bool strong) {
  if (!views)
    return memory.read(address, bytes, data, poison);
  uint8_t bad[8];
  if (!poison)
    poison = bad;
  Viewer viewer(*views, Proxy::Generic, knowledge(lane).known);
  if (strong)
    viewer.strong();
  bool good = memory.read(address, bytes, data, poison, &viewer);
  Buffer &own = buffer(memory);
  if (own.chunks.empty())
    return good;
  good = true;
  for (size_t i = 0; i < bytes; ++i) {
    uint64_t a = address + i;
    uint16_t bit = uint16_t(1) << a % 16;
    auto chunk = own.chunks.find(a / 16);
    if (chunk != own.chunks.end() && chunk->second.mask & bit &&
        (chunk->second.lane[a % 16] == lane || chunk->second.seen & bit)) {
      data[i] = chunk->second.data[a % 16];
      poison[i] = chunk->second.poison[a % 16];
    }
    good &= !poison[i];
  }
  return good;
}

void ThreadView::write(Memory &memory, unsigned lane, uint64_t address,
                       size_t bytes, const uint8_t *data, const uint8_t *poison,
                       bool through) {
  if (!views)
    return memory.write(address, bytes, data, poison);
  memory.record(true, address, bytes);
  Knowledge &thread = knowledge(lane);
  EventId event = views->generic(thread, spaceOf(memory));
  if (through) {
    forget(memory, address, bytes);
    Viewer writer(*views, Proxy::Generic, thread.known);
    return memory.apply(address, bytes, data, poison, event, writer, false);
  }
  Buffer &own = buffer(memory);
  for (size_t i = 0; i < bytes; ++i) {
    uint64_t a = address + i;
    Chunk &chunk = own.chunks[a / 16];
    uint16_t bit = uint16_t(1) << a % 16;
    chunk.data[a % 16] = data[i];
    chunk.poison[a % 16] = poison && poison[i];
    chunk.lane[a % 16] = lane;
    chunk.event[a % 16] = event;
    chunk.mask |= bit;
    chunk.seen &= ~bit;
  }
}

void ThreadView::writeStrong(Memory &memory, unsigned lane, uint64_t address,
                             size_t bytes, const uint8_t *data) {
  if (!views)
    return memory.write(address, bytes, data);
  memory.record(true, address, bytes);
  forget(memory, address, bytes);
  Knowledge &thread = knowledge(lane);
  Viewer writer(*views, Proxy::Generic, thread.known);
  memory.apply(address, bytes, data, nullptr,
               views->strong(thread, spaceOf(memory)), writer, /*wins=*/true);
}

void ThreadView::publishMap(Memory &memory, uint64_t address, size_t bytes,
                            const uint8_t *data) {
  if (!views)
    return memory.write(address, bytes, data);
  memory.record(true, address, bytes);
  forget(memory, address, bytes);
  Viewer writer(*views, Proxy::Generic, knowledge(0).known);
  writer.add(knowledge(1).known);
  memory.apply(address, bytes, data, nullptr,
               views->publishMap(*agent.knowledge), writer, false);
}

/// What the warp has in its buffer of these bytes is overwritten.
void ThreadView::forget(Memory &memory, uint64_t address, size_t bytes) {
  Buffer &own = buffer(memory);
  if (own.chunks.empty())
    return;
  for (uint64_t a = address; a < address + bytes; ++a) {
    auto chunk = own.chunks.find(a / 16);
    if (chunk == own.chunks.end())
      continue;
    chunk->second.mask &= ~(uint16_t(1) << a % 16);
    if (!chunk->second.mask)
      own.chunks.erase(chunk);
  }
}

template <typename Select>
void ThreadView::drain(Select &&select, std::optional<MemorySpace> space) {
  for (Buffer &buffer : buffers) {
    if (buffer.chunks.empty() || (space && spaceOf(*buffer.memory) != *space))
      continue;
    Viewer writers[2] = {
        {*views, Proxy::Generic, knowledge(0).known},
        {*views, Proxy::Generic, knowledge(1).known},
    };
    std::vector<uint64_t> empty;
    for (auto &[number, chunk] : buffer.chunks) {
      for (int i = 0; i < 16;) {
        if (!(chunk.mask >> i & 1) || !select(chunk, i)) {
          ++i;
          continue;
        }
        int end = i;
        do
          chunk.mask &= ~(1 << end++);
        while (end < 16 && chunk.mask >> end & 1 && select(chunk, end) &&
               chunk.event[end] == chunk.event[i]);
        buffer.memory->apply(number * 16 + i, end - i, chunk.data + i,
                             chunk.poison + i, chunk.event[i],
                             writers[chunk.lane[i] != 0], false);
        i = end;
      }
      if (!chunk.mask)
        empty.push_back(number);
    }
    for (uint64_t number : empty)
      buffer.chunks.erase(number);
  }
}

void ThreadView::release(LaneMask lanes) {
  if (views)
    drain([&](const Chunk &chunk, int i) {
      return (lanes >> chunk.lane[i] & 1) || (chunk.seen >> i & 1);
    });
}

void ThreadView::release(LaneMask lanes, MemorySpace space) {
  if (views)
    drain(
        [&](const Chunk &chunk, int i) {
          return (lanes >> chunk.lane[i] & 1) || (chunk.seen >> i & 1);
        },
        space);
}

void ThreadView::beforeAsync(LaneMask lanes) {
  if (views)
    drain([&](const Chunk &chunk, int i) {
      return ((lanes >> chunk.lane[i] & 1) || (chunk.seen >> i & 1)) &&
             views->isFenced(chunk.event[i]);
    });
}

void ThreadView::syncWarp() {
  if (!views)
    return;
  for (Buffer &buffer : buffers)
    for (auto &[number, chunk] : buffer.chunks)
      chunk.seen |= chunk.mask;
}
