//===- LayoutTable.cpp - One object for one layout ------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Layout/LayoutTable.h"

#include <memory>
#include <mutex>
#include <unordered_map>

using namespace titan;

/// The text of the canonical form is the key; the shape is written out, since
/// the text leaves out what it implies.
static const Layout *intern(const Layout &layout) {
  static std::mutex mutex;
  static std::unordered_map<std::string, std::unique_ptr<const Layout>> table;
  Layout canonical = layout.canonical();
  std::string key = canonical.str();
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<const Layout> &slot = table[key];
  if (!slot)
    slot = std::make_unique<const Layout>(std::move(canonical));
  return slot.get();
}

InternedLayout::InternedLayout(const Layout &layout) : object(intern(layout)) {}
