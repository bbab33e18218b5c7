//===- Memory.cpp - shared and global memory, as each proxy sees it -------===//
#include "Memory.h"

#include <algorithm>
#include <cstring>

using namespace titan;
using namespace titan::sim;

Memory::Memory(size_t bytes, bool views) : views(views) {
  // What poison looks like where somebody uses it all the same.
  storage.assign(std::max<size_t>(bytes, 16), 0xCB);
  valid.assign(storage.size(), 0);
}

bool Memory::readAsync(uint64_t address, size_t bytes, uint8_t *data,
                       uint8_t *poison) {
  record(false, address, bytes);
  std::memcpy(data, at(address), bytes);
  if (!views || staleForAsync.empty()) {
    if (storage.empty()) {
      if (poison)
        std::memset(poison, 0, bytes);
      return true;
    }
    bool good = !std::memchr(valid.data() + address, 0, bytes);
    if (poison)
      for (size_t i = 0; i < bytes; ++i)
        poison[i] = !valid[address + i];
    return good;
  }
  bool good = true;
  for (size_t i = 0; i < bytes; ++i) {
    uint64_t a = address + i;
    bool bad = isPoison(a);
    auto stale = staleForAsync.find(a / 16);
    if (stale != staleForAsync.end() && stale->second.mask >> a % 16 & 1) {
      data[i] = stale->second.data[a % 16];
      bad = stale->second.poison[a % 16];
    }
    if (poison)
      poison[i] = bad;
    good &= !bad;
  }
  return good;
}

void Memory::writeAsync(uint64_t address, llvm::ArrayRef<uint8_t> data,
                        uint64_t copy) {
  record(true, address, data.size());
  if (views)
    for (size_t i = 0; i < data.size(); ++i) {
      uint64_t a = address + i;
      uint16_t bit = uint16_t(1) << a % 16;
      StaleForGeneric &stale = staleForGeneric[a / 16];
      if (!(stale.mask & bit)) {
        stale.data[a % 16] = *at(a);
        stale.poison[a % 16] = isPoison(a);
        stale.mask |= bit;
      }
      stale.copy[a % 16] = copy;
      std::vector<uint64_t> &chunks = chunksOfCopy[copy];
      if (chunks.empty() || chunks.back() != a / 16)
        chunks.push_back(a / 16);
      auto other = staleForAsync.find(a / 16);
      if (other != staleForAsync.end())
        other->second.mask &= ~bit;
    }
  std::memcpy(at(address), data.data(), data.size());
  if (!storage.empty())
    std::memset(valid.data() + address, 1, data.size());
}

void Memory::observed(uint64_t copy) {
  auto found = chunksOfCopy.find(copy);
  if (found == chunksOfCopy.end())
    return;
  for (uint64_t chunk : found->second) {
    auto stale = staleForGeneric.find(chunk);
    if (stale == staleForGeneric.end())
      continue;
    for (int i = 0; i < 16; ++i)
      if (stale->second.mask >> i & 1 && stale->second.copy[i] == copy)
        stale->second.mask &= ~(1 << i);
    if (!stale->second.mask)
      staleForGeneric.erase(stale);
  }
  chunksOfCopy.erase(found);
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

bool ThreadView::read(Memory &memory, unsigned lane, uint64_t address,
                      size_t bytes, uint8_t *data, uint8_t *poison) {
  memory.record(false, address, bytes);
  bool good = true;
  Buffer *own = nullptr;
  if (views)
    own = &buffer(memory);
  for (size_t i = 0; i < bytes; ++i) {
    uint64_t a = address + i;
    uint8_t byte = *memory.at(a);
    bool bad = memory.isPoison(a);
    if (views) {
      uint16_t bit = uint16_t(1) << a % 16;
      auto stale = memory.staleForGeneric.find(a / 16);
      if (stale != memory.staleForGeneric.end() && stale->second.mask & bit) {
        byte = stale->second.data[a % 16];
        bad = stale->second.poison[a % 16];
      }
      auto chunk = own->chunks.find(a / 16);
      if (chunk != own->chunks.end() && chunk->second.mask & bit &&
          (chunk->second.lane[a % 16] == lane || chunk->second.seen & bit)) {
        byte = chunk->second.data[a % 16];
        bad = chunk->second.poison[a % 16];
      }
    }
    data[i] = byte;
    if (poison)
      poison[i] = bad;
    good &= !bad;
  }
  return good;
}

void ThreadView::write(Memory &memory, unsigned lane, uint64_t address,
                       size_t bytes, const uint8_t *data,
                       const uint8_t *poison) {
  memory.record(true, address, bytes);
  for (size_t i = 0; i < bytes; ++i) {
    uint64_t a = address + i;
    bool bad = poison && poison[i];
    if (!views) {
      memory.set(a, data[i], bad);
      continue;
    }
    Chunk &chunk = buffer(memory).chunks[a / 16];
    uint16_t bit = uint16_t(1) << a % 16;
    chunk.data[a % 16] = data[i];
    chunk.poison[a % 16] = bad;
    chunk.lane[a % 16] = lane;
    chunk.mask |= bit;
    chunk.fenced &= ~bit;
    chunk.seen &= ~bit;
  }
}

void ThreadView::writeThrough(Memory &memory, unsigned lane, uint64_t address,
                              size_t bytes, const uint8_t *data) {
  memory.record(true, address, bytes);
  for (size_t i = 0; i < bytes; ++i) {
    if (!views)
      memory.set(address + i, data[i], false);
    else
      perform(buffer(memory), address + i, lane, data[i], false, false);
  }
}

/// A generic write reaches memory.
void ThreadView::perform(Buffer &buffer, uint64_t address, unsigned lane,
                         uint8_t byte, bool poison, bool fenced) {
  Memory &memory = *buffer.memory;
  uint16_t bit = uint16_t(1) << address % 16;
  if (fenced) {
    auto stale = memory.staleForAsync.find(address / 16);
    if (stale != memory.staleForAsync.end())
      stale->second.mask &= ~bit;
  } else {
    auto &stale = memory.staleForAsync[address / 16];
    if (!(stale.mask & bit)) {
      stale.data[address % 16] = *memory.at(address);
      stale.poison[address % 16] = memory.isPoison(address);
      stale.mask |= bit;
    }
    stale.writer[address % 16] = number * 32 + lane;
    if (buffer.unfenced.empty() || buffer.unfenced.back() != address / 16)
      buffer.unfenced.push_back(address / 16);
  }
  auto other = memory.staleForGeneric.find(address / 16);
  if (other != memory.staleForGeneric.end())
    other->second.mask &= ~bit;
  memory.set(address, byte, poison);
}

template <typename Select> void ThreadView::drain(Select &&select) {
  for (Buffer &buffer : buffers) {
    std::vector<uint64_t> empty;
    for (auto &[number, chunk] : buffer.chunks) {
      for (int i = 0; i < 16; ++i) {
        if (!(chunk.mask >> i & 1) || !select(chunk, i))
          continue;
        perform(buffer, number * 16 + i, chunk.lane[i], chunk.data[i],
                chunk.poison[i], chunk.fenced >> i & 1);
        chunk.mask &= ~(1 << i);
      }
      if (!chunk.mask)
        empty.push_back(number);
    }
    for (uint64_t number : empty)
      buffer.chunks.erase(number);
  }
}

void ThreadView::release(uint32_t lanes) {
  if (views)
    drain([&](const Chunk &chunk, int i) {
      return (lanes >> chunk.lane[i] & 1) || (chunk.seen >> i & 1);
    });
}

void ThreadView::beforeAsync(uint32_t lanes) {
  if (views)
    drain([&](const Chunk &chunk, int i) {
      return (lanes >> chunk.lane[i] & 1) && (chunk.fenced >> i & 1);
    });
}

void ThreadView::syncWarp() {
  if (!views)
    return;
  for (Buffer &buffer : buffers)
    for (auto &[number, chunk] : buffer.chunks)
      chunk.seen |= chunk.mask;
}

/// PTX ISA, fence.proxy: the state space that the fence names. Said here once
/// more: this mode shares nothing with the proxy table.
static bool covers(FenceSpace space, const Memory &memory, const Memory *own) {
  if (space == FenceSpace::All)
    return true;
  if (space == FenceSpace::Global)
    return !memory.isShared();
  return memory.isShared() &&
         (space == FenceSpace::SharedCluster || &memory == own);
}

void ThreadView::fenceProxyAsync(uint32_t lanes, FenceSpace space,
                                 const Memory *own) {
  if (!views)
    return;
  for (Buffer &buffer : buffers) {
    if (!covers(space, *buffer.memory, own))
      continue;
    for (auto &[number, chunk] : buffer.chunks)
      for (int i = 0; i < 16; ++i)
        if (chunk.mask >> i & 1 && lanes >> chunk.lane[i] & 1)
          chunk.fenced |= 1 << i;
    std::vector<uint64_t> left;
    for (uint64_t number : buffer.unfenced) {
      auto stale = buffer.memory->staleForAsync.find(number);
      if (stale == buffer.memory->staleForAsync.end())
        continue;
      bool waits = false;
      for (int i = 0; i < 16; ++i) {
        uint32_t writer = stale->second.writer[i];
        if (!(stale->second.mask >> i & 1) || writer / 32 != this->number)
          continue;
        if (lanes >> writer % 32 & 1)
          stale->second.mask &= ~(1 << i);
        else
          waits = true;
      }
      if (!stale->second.mask)
        buffer.memory->staleForAsync.erase(stale);
      if (waits)
        left.push_back(number);
    }
    std::sort(left.begin(), left.end());
    left.erase(std::unique(left.begin(), left.end()), left.end());
    buffer.unfenced = std::move(left);
  }
}
