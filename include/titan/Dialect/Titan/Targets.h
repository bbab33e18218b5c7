//===- Targets.h - where an operation exists --------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation's definition says which feature of a target it needs, and nothing
// else says where it exists:
//
//   def Titan_MmaOp : Titan_HwOp<"mma", Titan_Needs<"Wgmma">> { ... }
//
// Where one form of an operation exists on fewer, the definition declares its
// own getTargets(), which hides the trait's (titan.tma.load).
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TITAN_TARGETS_H
#define TITAN_DIALECT_TITAN_TARGETS_H

#include "titan/Target/Target.h"

#include "mlir/IR/OpDefinition.h"

#include "llvm/ADT/SmallVector.h"

namespace titan {

/// The trait that Titan_Needs<"..."> of a definition becomes; of no feature, it
/// is that of what exists everywhere.
template <Feature... features> struct Needs {
  /// Of the targets that have all of them.
  static llvm::ArrayRef<llvm::StringRef> names() {
    static const auto list = [] {
      llvm::SmallVector<llvm::StringRef> names;
      for (const TargetInfo &target : allTargets())
        if ((target.has(features) && ...))
          names.push_back(target.name);
      return names;
    }();
    return list;
  }

  template <typename ConcreteOp>
  class Impl : public mlir::OpTrait::TraitBase<ConcreteOp, Impl> {
  public:
    llvm::ArrayRef<llvm::StringRef> getTargets() { return names(); }
  };
};

/// The trait Titan_Total.
template <typename ConcreteOp>
class Total : public mlir::OpTrait::TraitBase<ConcreteOp, Total> {};

} // namespace titan

#endif
