//===- Causes.h - is a bug told once, and where it is? ----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One cause, one finding, the cause first. Of a mutant the cause is known: the
// operation that was changed. So the findings of each refused mutant are
// counted, and the first of them is compared with it:
//
//   at       it stands where the change is
//   names    another of its places is there
//   partner  it stands at, or names, an operation of the same barrier, of the same
//            groups, barrier of threads or memory, or one beside the change
//   fix      its fix names the operation, which is not where it should be
//   no       none of these
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TOOLS_TITAN_MUTATE_CAUSES_H
#define TITAN_TOOLS_TITAN_MUTATE_CAUSES_H

#include "titan/Analysis/Checker.h"
#include "titan/Transforms/Mutate.h"

#include <mutex>

namespace titan {

class CauseTable {
public:
  /// `kernel` is the one without a bug. Prints a line, if `verbose`.
  void add(KernelOp kernel, size_t number, const Mutation &mutation,
           const CheckReport &report, bool verbose);
  /// The table by class.
  void print() const;

private:
  enum First { At, Names, Partner, Fix, No };
  static constexpr int firsts = No + 1;
  static const char *const words[firsts];
  struct Row {
    int refused = 0;
    /// With one finding, two, and more.
    int findings[3] = {};
    int first[firsts] = {};
  };
  static First firstOf(KernelOp kernel, const Mutation &mutation,
                       const Finding &finding);

  std::mutex mutex;
  Row rows[mutationClasses];
};

} // namespace titan

#endif
