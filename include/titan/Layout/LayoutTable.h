//===- LayoutTable.h - One object for one layout ----------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compilers ask for the same few layouts over and over: as keys of tables, to
// compare them, to look at their digits. An InternedLayout is a pointer to the
// one object that its function has, so that comparing and hashing cost nothing:
//
//     reg: 2*c1, 2*c2; lane: 32*r1   \
//     reg: 4*c1; lane: 4*r1, 8*r4    -+->  reg: 4*c1; lane: 32*r1
//     reg: 2*^c1, 2*c2; lane: 32*r1  /
//
// Sums and bitwise layouts (Layout.h) have one object a function; of others,
// which no algebra takes either, two texts of one function may be two objects.
// Names of axes and dimensions count. The table is the process's, safe for
// threads, and never forgets.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LAYOUT_LAYOUTTABLE_H
#define TITAN_LAYOUT_LAYOUTTABLE_H

#include "titan/Layout/Layout.h"

namespace titan {

class InternedLayout {
public:
  explicit InternedLayout(const Layout &layout);

  const Layout &operator*() const { return *object; }
  const Layout *operator->() const { return object; }
  bool operator==(const InternedLayout &) const = default;
  std::size_t hash() const { return std::hash<const void *>()(object); }

private:
  const Layout *object;
};

} // namespace titan

template <> struct std::hash<titan::InternedLayout> {
  std::size_t operator()(const titan::InternedLayout &layout) const {
    return layout.hash();
  }
};

#endif // TITAN_LAYOUT_LAYOUTTABLE_H
