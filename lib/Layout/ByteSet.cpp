//===- ByteSet.cpp - Sets of bytes as intervals ---------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Layout/ByteSet.h"

#include <algorithm>

using namespace titan;

ByteSet ByteSet::of(std::vector<Interval> intervals) {
  std::sort(
      intervals.begin(), intervals.end(),
      [](const Interval &x, const Interval &y) { return x.begin < y.begin; });
  ByteSet set;
  for (const Interval &i : intervals) {
    if (i.begin >= i.end)
      continue;
    if (!set.list.empty() && i.begin <= set.list.back().end)
      set.list.back().end = std::max(set.list.back().end, i.end);
    else
      set.list.push_back(i);
  }
  return set;
}

void ByteSet::add(int64_t begin, int64_t end) {
  if (begin >= end)
    return;
  // The intervals that overlap or meet the new one are replaced by their union.
  auto first = std::lower_bound(
      list.begin(), list.end(), begin,
      [](const Interval &i, int64_t value) { return i.end < value; });
  auto last = first;
  while (last != list.end() && last->begin <= end) {
    begin = std::min(begin, last->begin);
    end = std::max(end, last->end);
    ++last;
  }
  if (first == last) {
    list.insert(first, {begin, end});
    return;
  }
  *first = {begin, end};
  list.erase(first + 1, last);
}

ByteSet ByteSet::unite(const ByteSet &other) const {
  std::vector<Interval> all = list;
  all.insert(all.end(), other.list.begin(), other.list.end());
  return of(std::move(all));
}

ByteSet ByteSet::intersect(const ByteSet &other) const {
  ByteSet result;
  for (size_t i = 0, j = 0; i < list.size() && j < other.list.size();) {
    int64_t begin = std::max(list[i].begin, other.list[j].begin);
    int64_t end = std::min(list[i].end, other.list[j].end);
    if (begin < end)
      result.list.push_back({begin, end});
    if (list[i].end < other.list[j].end)
      ++i;
    else
      ++j;
  }
  return result;
}

ByteSet ByteSet::subtract(const ByteSet &other) const {
  ByteSet result;
  size_t j = 0;
  for (Interval left : list) {
    while (j < other.list.size() && other.list[j].end <= left.begin)
      ++j;
    for (size_t k = j; k < other.list.size() && other.list[k].begin < left.end;
         ++k) {
      if (other.list[k].begin > left.begin)
        result.list.push_back({left.begin, other.list[k].begin});
      left.begin = other.list[k].end;
      if (left.begin >= left.end)
        break;
    }
    if (left.begin < left.end)
      result.list.push_back(left);
  }
  return result;
}

bool ByteSet::intersects(const ByteSet &other) const {
  for (size_t i = 0, j = 0; i < list.size() && j < other.list.size();) {
    if (std::max(list[i].begin, other.list[j].begin) <
        std::min(list[i].end, other.list[j].end))
      return true;
    if (list[i].end < other.list[j].end)
      ++i;
    else
      ++j;
  }
  return false;
}

bool ByteSet::contains(int64_t byte) const {
  return contains(ByteSet(byte, byte + 1));
}

bool ByteSet::contains(const ByteSet &other) const {
  size_t i = 0;
  for (const Interval &o : other.list) {
    while (i < list.size() && list[i].end < o.end)
      ++i;
    if (i == list.size() || list[i].begin > o.begin)
      return false;
  }
  return true;
}

ByteSet ByteSet::shifted(int64_t distance) const {
  ByteSet result = *this;
  for (Interval &i : result.list) {
    i.begin += distance;
    i.end += distance;
  }
  return result;
}

int64_t ByteSet::bytes() const {
  int64_t sum = 0;
  for (const Interval &i : list)
    sum += i.end - i.begin;
  return sum;
}

std::string ByteSet::str() const {
  std::string text;
  for (const Interval &i : list)
    text += (text.empty() ? "[" : " [") + std::to_string(i.begin) + ", " +
            std::to_string(i.end) + ")";
  return text;
}
