//===- Python.cpp - Calls from Python without ctypes ----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Runtime/Manifest.h"
#include "titan/Runtime/titan_python.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

using titan::runtime::maxArguments;
using titan::runtime::maxRank;

namespace {

titan_python python;

/// Numbers for kinds of tensors, in the order in which they are seen.
class Kinds {
public:
  /// A new number where there is no memory to remember it.
  int64_t numberOf(std::span<const int64_t> words) noexcept try {
    std::lock_guard lock(mutex);
    if (auto it = numbers.find(words); it != numbers.end())
      return it->second;
    // Sizes may never come again; a number never does.
    if (numbers.size() >= capacity)
      numbers.clear();
    return numbers.emplace(Words(words.begin(), words.end()), newNumber())
        .first->second;
  } catch (...) {
    return newNumber();
  }
  int64_t newNumber() { return ++last; }

private:
  static constexpr size_t capacity = 1 << 14;
  using Words = std::vector<int64_t>;
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::span<const int64_t> words) const {
      uint64_t hash = words.size();
      for (int64_t word : words) {
        hash = (hash ^ static_cast<uint64_t>(word)) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 32;
      }
      return hash;
    }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(std::span<const int64_t> a,
                    std::span<const int64_t> b) const {
      return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }
  };
  std::mutex mutex;
  std::unordered_map<Words, int64_t, Hash, Equal> numbers;
  std::atomic<int64_t> last = 0;
};

/// Where the tensors lie whose kind a thread asked last. A launch names its
/// tensors while they live, so one that is found here is the same.
struct Addresses {
  std::array<void *, maxArguments> tensors;
  std::array<uint64_t, maxArguments> at;
  size_t count = 0;
};
thread_local Addresses addresses;

} // namespace

void titan_python_init(const titan_python *functions) { python = *functions; }

static uint64_t addressOf(const titan_dltensor &t) {
  return reinterpret_cast<uint64_t>(t.data) + t.byte_offset;
}

/// Writes what tells kinds of tensors apart; how many words, or nothing for what
/// no kernel takes.
static std::optional<size_t> describe(std::span<void *const> objects,
                                      int64_t *words) {
  Addresses &seen = addresses;
  seen.count = 0;
  int64_t *at = words;
  for (void *object : objects) {
    if (object == python.none) {
      *at++ = -1;
      continue;
    }
    titan_dltensor t{};
    if (python.look(object, &t) < 0) {
      python.forget_exception();
      return std::nullopt;
    }
    if (t.ndim < 0 || t.ndim > maxRank)
      return std::nullopt;
    seen.tensors[seen.count] = object;
    seen.at[seen.count++] = addressOf(t);
    *at++ = t.ndim | (t.strides ? 0 : 256);
    *at++ = t.code | t.bits << 8 | static_cast<int64_t>(t.lanes) << 16;
    *at++ = static_cast<int64_t>(t.device_type) << 32 |
            static_cast<uint32_t>(t.device_id);
    at = std::copy_n(t.shape, t.ndim, at);
    if (t.strides)
      at = std::copy_n(t.strides, t.ndim, at);
  }
  return at - words;
}

static bool isPlain(void *object) {
  if (object == python.none)
    return true;
  void *type = python.type_of(object);
  python.release(type); // The object keeps it.
  return type == python.plain[0] || type == python.plain[1];
}

void *titan_python_kind(void *, void *const *objects, ptrdiff_t count) {
  static Kinds kinds;
  int64_t words[maxArguments * (3 + 2 * maxRank)];
  std::optional<size_t> used;
  if (count <= static_cast<ptrdiff_t>(maxArguments))
    used = describe({objects, static_cast<size_t>(count)}, words);
  const int64_t number =
      used ? kinds.numberOf({words, *used}) : kinds.newNumber();
  return python.from_address(reinterpret_cast<void *>(number));
}

void *titan_python_plain_kind(void *self, void *const *objects,
                              ptrdiff_t count) {
  if (!std::all_of(objects, objects + count, isPlain))
    return python.from_address(nullptr);
  return titan_python_kind(self, objects, count);
}

/// Where a tensor lies, or a number; false: there is an exception.
static bool wordOf(void *object, bool isTensor, uint64_t &word) {
  if (!isTensor) {
    word = python.as_word(object);
    return word != ~0ull || !python.exception();
  }
  if (object == python.none) {
    word = 0;
    return true;
  }
  const Addresses &seen = addresses;
  const auto begin = seen.tensors.begin(), end = begin + seen.count;
  if (auto it = std::find(begin, end, object); it != end) {
    word = seen.at[static_cast<size_t>(it - begin)];
    return true;
  }
  titan_dltensor t{};
  if (python.look(object, &t) < 0) // It is no number either: Python says so.
    return !python.exception() && wordOf(object, /*isTensor=*/false, word);
  word = addressOf(t);
  return true;
}

void *titan_python_launch(void *self, void *const *objects, ptrdiff_t count) {
  uint64_t words[maxArguments + 2], tensors = 0;
  // Without a stream, or with more values than there is room for: refused.
  const bool fits = count > 1 && count <= std::ssize(words);
  const auto values = fits ? static_cast<size_t>(count - 2) : 0;
  if (fits && !wordOf(objects[0], /*isTensor=*/false, tensors))
    return nullptr;
  for (size_t i = 0; fits && i <= values; ++i)
    if (!wordOf(objects[i + 1], /*isTensor=*/i < std::min(tensors, values),
                words[i]))
      return nullptr;
  auto *sequence = static_cast<titan_sequence *>(python.as_address(self));
  // The driver waits where its queue is full: other threads go on.
  void *thread = python.release_lock();
  titan_error *error = titan_sequence_launch(
      sequence, words, values,
      fits ? reinterpret_cast<void *>(words[values]) : nullptr);
  python.take_lock(thread);
  return python.from_address(error);
}
