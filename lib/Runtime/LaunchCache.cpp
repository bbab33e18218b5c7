//===- LaunchCache.cpp - What one launch leaves to the next ---------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Runtime/LaunchCache.h"

#include <algorithm>

using namespace titan;
using namespace titan::runtime;

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 32;
}

/// The entry that is free, or was not used for longest.
template <typename Entries> static auto &oldestOf(Entries &&entries) {
  return *std::min_element(
      entries.begin(), entries.end(),
      [](const auto &a, const auto &b) { return a.lastUse < b.lastUse; });
}

//===----------------------------------------------------------------------===//
// LaunchCache
//===----------------------------------------------------------------------===//

LaunchCache::LaunchCache(const KernelSpec &kernel) : kernel(kernel) {
  // Whether `e` reads an address; notes the scalars that it reads.
  auto readsAddress = [&](const Expr &e) {
    bool found = false;
    for (const Expr::Node &n : e.nodes) {
      found |= n.op == ExprOp::Pointer;
      if (n.op == ExprOp::Scalar)
        scalarsRead.set(n.argument);
    }
    return found;
  };
  for (const CheckSpec &c : kernel.checks)
    if (readsAddress(c.nonzero))
      ofAddress.push_back(&c);
  for (const Expr &e : kernel.grid)
    enabled &= !readsAddress(e);
  for (const TensorMapSpec &m : kernel.tensorMaps) {
    for (const Expr &e : m.dims)
      enabled &= !readsAddress(e);
    for (const Expr &e : m.byteStrides)
      enabled &= !readsAddress(e);
  }
  for (const ParameterSpec &p : kernel.parameters)
    if (p.kind == ParameterSpec::Value)
      enabled &= !readsAddress(p.value);
  if (!enabled)
    return;

  size_t words = scalarsRead.count();
  for (const ArgumentSpec &a : kernel.arguments)
    words += 2 * a.shape.size();
  entries.resize(capacity);
  for (Entry &e : entries) {
    e.key.resize(words);
    e.values.resize(kernel.parameters.size());
    e.extents.resize(kernel.arguments.size());
    e.maps.resize(kernel.tensorMaps.size());
  }
}

/// Visits the words that tell launches apart until one is refused; false then,
/// or where the arguments are not of the kernel's kinds.
template <typename Visit>
bool LaunchCache::visitKey(std::span<const Argument> arguments,
                           Visit visit) const {
  if (arguments.size() != kernel.arguments.size())
    return false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument &a = arguments[i];
    const ArgumentSpec &s = kernel.arguments[i];
    if (a.isTensor != s.isTensor || a.type != s.type)
      return false;
    if (!a.isTensor) {
      if (scalarsRead[i] && !visit(static_cast<int64_t>(a.bits)))
        return false;
      continue;
    }
    if (a.rank != static_cast<int>(s.shape.size()))
      return false;
    for (int d = 0; d < a.rank; ++d)
      if (!visit(a.dims[d]) || !visit(a.strides[d]))
        return false;
  }
  return true;
}

bool LaunchCache::addressesFit(std::span<const Argument> arguments,
                               const DeviceProperties &device,
                               const Entry &entry) const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument &a = arguments[i];
    if (a.isTensor &&
        (a.bits == 0 || a.bits > INT64_MAX ||
         entry.extents[i] > INT64_MAX - static_cast<int64_t>(a.bits) ||
         a.bits % kernel.arguments[i].alignment))
      return false;
  }
  for (const CheckSpec *c : ofAddress) {
    auto value = c->nonzero.evaluate(arguments, device, {});
    if (!value || *value == 0)
      return false;
  }
  return true;
}

bool LaunchCache::find(std::span<const Argument> arguments,
                       const DeviceProperties &device, LaunchPlan &out) {
  uint64_t hash = 0;
  if (!enabled || !visitKey(arguments, [&](int64_t word) {
        hash = mix(hash, static_cast<uint64_t>(word));
        return true;
      }))
    return false;
  std::lock_guard lock(mutex);
  for (Entry &e : entries) {
    if (!e.lastUse || e.hash != hash)
      continue;
    auto word = e.key.begin();
    if (!visitKey(arguments, [&](int64_t w) { return w == *word++; }))
      continue;
    if (!addressesFit(arguments, device, e))
      return false;
    e.lastUse = ++clock;
    out.grid = e.grid;
    std::copy(e.values.begin(), e.values.end(), out.values.begin());
    for (size_t i = 0; i < e.maps.size(); ++i) {
      out.maps[i] = e.maps[i];
      out.maps[i].address = arguments[kernel.tensorMaps[i].argument].bits;
    }
    return true;
  }
  return false;
}

void LaunchCache::insert(std::span<const Argument> arguments,
                         const LaunchPlan &plan) {
  if (!enabled)
    return;
  std::lock_guard lock(mutex);
  Entry &e = oldestOf(entries);
  e.lastUse = ++clock;
  e.hash = 0;
  auto word = e.key.begin();
  visitKey(arguments, [&](int64_t w) {
    e.hash = mix(e.hash, static_cast<uint64_t>(w));
    *word++ = w;
    return true;
  });
  e.grid = plan.grid;
  std::copy_n(plan.values.begin(), e.values.size(), e.values.begin());
  std::copy_n(plan.maps.begin(), e.maps.size(), e.maps.begin());
  for (size_t i = 0; i < arguments.size(); ++i)
    e.extents[i] = arguments[i].extent().value_or(INT64_MAX);
}

//===----------------------------------------------------------------------===//
// TensorMapCache
//===----------------------------------------------------------------------===//

std::span<TensorMapCache::Entry, TensorMapCache::ways>
TensorMapCache::setOf(uint16_t index, const TensorMapFields &fields) {
  const uint64_t hash =
      mix(mix(index, fields.address), static_cast<uint64_t>(fields.dims[0]));
  return std::span<Entry, ways>(&entries[hash % (capacity / ways) * ways],
                                ways);
}

bool TensorMapCache::find(uint16_t index, const TensorMapFields &fields,
                          cuda::TensorMap &out) {
  std::lock_guard lock(mutex);
  for (Entry &e : setOf(index, fields))
    if (e.lastUse && e.index == index && e.fields == fields) {
      e.lastUse = ++clock;
      out = e.map;
      return true;
    }
  return false;
}

void TensorMapCache::insert(uint16_t index, const TensorMapFields &fields,
                            const cuda::TensorMap &map) {
  std::lock_guard lock(mutex);
  Entry &oldest = oldestOf(setOf(index, fields));
  oldest.lastUse = ++clock;
  oldest.index = index;
  oldest.fields = fields;
  oldest.map = map;
}
