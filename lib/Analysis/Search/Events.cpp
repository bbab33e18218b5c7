//===- Events.cpp - footprints, and events in words -----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/Events.h"

#include "llvm/ADT/STLExtras.h"

using namespace titan;
using namespace titan::checker;

//===----------------------------------------------------------------------===//
// Footprints
//===----------------------------------------------------------------------===//

uint32_t Footprints::add(FootprintData data) {
  if (!data.low.empty()) {
    data.begin = data.low[0];
    data.end = data.high[0];
  } else if (!data.bytes.empty()) {
    data.begin = data.bytes.intervals().front().begin;
    data.end = data.bytes.intervals().back().end;
  }
  list.push_back(std::make_unique<FootprintData>(std::move(data)));
  return list.size() - 1;
}

const ByteSet &Footprints::bytesOf(uint32_t id) {
  FootprintData &data = *list[id];
  if (data.low.empty() || !data.bytes.empty())
    return data.bytes;
  // A box: one interval for each row of the innermost dimension.
  const std::vector<int64_t> &stride = data.strides;
  size_t rank = data.low.size();
  std::vector<int64_t> at = data.low;
  std::vector<ByteSet::Interval> rows;
  for (size_t d = 0; d < rank; ++d)
    if (data.low[d] >= data.high[d])
      return data.bytes;
  // The innermost step is 1: a map has no other.
  for (;;) {
    int64_t start = 0;
    for (size_t d = 0; d < rank; ++d)
      start += at[d] * stride[d];
    rows.push_back({start, start + (data.high[rank - 1] - data.low[rank - 1]) *
                                       stride[rank - 1]});
    int d = static_cast<int>(rank) - 2;
    for (; d >= 0; --d) {
      at[d] += data.steps.empty() ? 1 : data.steps[d];
      if (at[d] < data.high[d])
        break;
      at[d] = data.low[d];
    }
    if (d < 0)
      break;
  }
  data.bytes = ByteSet::of(std::move(rows));
  return data.bytes;
}

/// Whether an element of y's dimension d lies on x's, or all of them do.
static bool stepsMeet(const FootprintData &x, const FootprintData &y, size_t d,
                      bool all) {
  int64_t step = x.steps.empty() ? 1 : x.steps[d];
  for (int64_t at = y.low[d]; at < y.high[d];
       at += y.steps.empty() ? 1 : y.steps[d])
    if (bool on =
            at >= x.low[d] && at < x.high[d] && (at - x.low[d]) % step == 0;
        on != all)
      return on;
  return all;
}

bool Footprints::intersect(uint32_t a, uint32_t b) {
  const FootprintData &x = *list[a], &y = *list[b];
  // A warp that writes no part of a tile has no bytes, nor has a box that lies
  // outside of the tensor as a whole.
  if (a == b && x.low.empty())
    return !x.bytes.empty();
  if (!x.low.empty() && !y.low.empty()) {
    bool strided = !x.steps.empty() || !y.steps.empty();
    for (size_t d = 0; d < x.low.size(); ++d)
      // (What is empty may lie within the other: the next group's.)
      if (x.low[d] >= y.high[d] || y.low[d] >= x.high[d] ||
          x.low[d] >= x.high[d] || y.low[d] >= y.high[d] ||
          (strided && !stepsMeet(x, y, d, /*all=*/false)))
        return false;
    return true;
  }
  if (x.low.empty() && y.low.empty() && (x.begin >= y.end || y.begin >= x.end))
    return false;
  auto [known, fresh] = meets.try_emplace(std::minmax(a, b), false);
  if (fresh) {
    bool result = bytesOf(a).intersects(bytesOf(b));
    meets[std::minmax(a, b)] = result;
    return result;
  }
  return known->second;
}

bool Footprints::covers(uint32_t a, uint32_t b) {
  if (a == b)
    return true;
  const FootprintData &x = *list[a], &y = *list[b];
  if (!x.low.empty() && !y.low.empty()) {
    for (size_t d = 0; d < x.low.size(); ++d)
      if (x.steps.empty() ? x.low[d] > y.low[d] || x.high[d] < y.high[d]
                          : !stepsMeet(x, y, d, /*all=*/true))
        return false;
    return true;
  }
  if (x.low.empty() && y.low.empty() && (x.begin > y.begin || x.end < y.end))
    return false;
  auto [known, fresh] = contains.try_emplace({a, b}, false);
  if (fresh) {
    bool result = bytesOf(a).contains(bytesOf(b));
    contains[{a, b}] = result;
    return result;
  }
  return known->second;
}

bool Footprints::lanesMeet(uint32_t a, uint32_t b) {
  const FootprintData &x = *list[a], &y = *list[b];
  if (x.lanes.empty() || y.lanes.empty())
    return true;
  auto [known, fresh] = lanes.try_emplace({a, b}, false);
  if (!fresh)
    return known->second;
  bool result = false;
  for (size_t i = 0; i < x.lanes.size() && !result; ++i)
    for (size_t j = 0; j < y.lanes.size() && !result; ++j)
      result = i != j && x.lanes[i].intersects(y.lanes[j]);
  lanes[{a, b}] = result;
  return result;
}

//===----------------------------------------------------------------------===//
// In words
//===----------------------------------------------------------------------===//

int64_t Program::times(const Event &event, effect::By by) const {
  if (by == effect::By::Together)
    return 1;
  return (event.lanes & Elected ? 1 : 0) +
         (event.lanes & Others ? lanes - 1 : 0);
}

uint64_t Program::events() const {
  uint64_t sum = 0;
  for (const AgentProgram &program : programs)
    sum += program.events.size();
  return sum;
}

std::string Program::describe(uint32_t iteration) const {
  std::vector<int64_t> indices;
  for (uint32_t i = iteration; i != 0; i = iterations[i].parent)
    indices.push_back(iterations[i].index);
  if (indices.empty())
    return "";
  std::string text = indices.size() == 1 ? "iteration " : "iterations ";
  for (size_t i = indices.size(); i-- > 0;)
    text += std::to_string(indices[i]) + (i ? "/" : "");
  return text;
}

std::string Program::describe(uint32_t agent, uint32_t iteration,
                              Lanes lanes) const {
  const AgentInfo &info = agents[agent];
  std::string text;
  if (ctas() > 1)
    text = "CTA " + std::to_string(info.cta) + ", ";
  if (!info.partition.empty())
    text += "partition " + info.partition + ", warp " +
            std::to_string(info.warpInPartition);
  else
    text += "warp " + std::to_string(info.warp);
  if (lanes == Elected)
    text += ", elected lane";
  if (iteration)
    text += ", " + describe(iteration);
  return text;
}
