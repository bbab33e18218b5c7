//===- Python.cpp - Calls from Python without ctypes ----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Runtime/Manifest.h"
#include "titan/Runtime/titan_python.h"

#include <algorithm>
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

} // namespace

void titan_python_init(const titan_python *functions) { python = *functions; }

/// Writes what tells kinds of tensors apart; how many words, or nothing for what
/// no kernel takes.
static std::optional<size_t> describe(std::span<void *const> objects,
                                      int64_t *words) {
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

void *titan_python_launch(void *self, void *const *numbers, ptrdiff_t count) {
  uint64_t words[maxArguments + 1];
  // Without a stream, or with more values than there is room for: refused.
  const bool fits = count > 0 && count <= std::ssize(words);
  const auto values = fits ? static_cast<size_t>(count - 1) : 0;
  for (size_t i = 0; fits && i <= values; ++i) {
    words[i] = python.as_word(numbers[i]);
    if (words[i] == ~0ull && python.exception())
      return nullptr;
  }
  auto *sequence = static_cast<titan_sequence *>(python.as_address(self));
  // The driver waits where its queue is full: other threads go on.
  void *thread = python.release_lock();
  titan_error *error = titan_sequence_launch(
      sequence, words, values,
      fits ? reinterpret_cast<void *>(words[values]) : nullptr);
  python.take_lock(thread);
  return python.from_address(error);
}
