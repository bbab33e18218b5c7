//===- Table.h - numbers by object, shared by copies ------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A small map, sorted by key, whose copies share it until one of them is changed:
// what each warp knows is copied at every loop and into every access, and mostly
// stays the same. One thread's. A reference into it is for a change at once: it
// does not outlive a copy.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_TYPESTATE_TABLE_H
#define TITAN_LIB_ANALYSIS_TYPESTATE_TABLE_H

#include "titan/Analysis/Scalars/Recycled.h"

#include "llvm/ADT/IntrusiveRefCntPtr.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace titan::typestate {

template <typename Key, typename Value> class Table {
public:
  using Entry = std::pair<Key, Value>;
  using const_iterator = const Entry *;

  const_iterator begin() const { return data ? data->entries.data() : nullptr; }
  const_iterator end() const { return begin() + size(); }
  size_t size() const { return data ? data->entries.size() : 0; }
  bool empty() const { return size() == 0; }
  const_iterator find(const Key &key) const {
    const_iterator place = lower(key);
    return place != end() && place->first == key ? place : end();
  }
  bool contains(const Key &key) const { return find(key) != end(); }
  bool operator==(const Table &other) const {
    return data == other.data ||
           std::equal(begin(), end(), other.begin(), other.end());
  }
  /// The same for copies that have not been changed.
  const void *identity() const { return data.get(); }

  Value &operator[](const Key &key) {
    size_t place = lower(key) - begin();
    std::vector<Entry> &entries = own();
    if (place == entries.size() || entries[place].first != key)
      entries.emplace(entries.begin() + place, key, Value());
    return entries[place].second;
  }
  void erase(const Key &key) {
    if (const_iterator place = find(key); place != end()) {
      size_t at = place - begin();
      own().erase(data->entries.begin() + at);
    }
  }
  void clear() { data.reset(); }
  /// Of keys in order.
  void append(const Key &key, Value value) {
    own().emplace_back(key, std::move(value));
  }
  /// `change` is given each key and its value, to be changed.
  template <typename Change> void forEach(Change change) {
    if (data)
      for (auto &[key, value] : own())
        change(key, value);
  }

private:
  struct Data : llvm::RefCountedBase<Data>, scalars::Recycled<Data> {
    std::vector<Entry> entries;
  };
  const_iterator lower(const Key &key) const {
    return std::lower_bound(
        begin(), end(), key,
        [](const Entry &entry, const Key &key) { return entry.first < key; });
  }
  std::vector<Entry> &own() {
    if (!data)
      data = llvm::makeIntrusiveRefCnt<Data>();
    else if (data->UseCount() > 1)
      data = llvm::makeIntrusiveRefCnt<Data>(*data);
    return data->entries;
  }
  llvm::IntrusiveRefCntPtr<Data> data;
};

} // namespace titan::typestate

#endif
