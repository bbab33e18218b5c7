//===- Targets.h - where an operation exists --------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation's definition says on which targets it exists, and nothing else
// does:
//
//   def Titan_MmaOp : Titan_HwOp<"mma", Titan_Hopper> { ... }
//
// Where one form of an operation exists on fewer, the definition declares its
// own getTargets(), which hides the trait's (titan.tma.load).
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TITAN_TARGETS_H
#define TITAN_DIALECT_TITAN_TARGETS_H

#include "titan/Target/Target.h"

#include "mlir/IR/OpDefinition.h"

namespace titan {

/// The trait that Titan_ExistsOn<[...]> of a definition becomes.
template <TargetId... targets> struct ExistsOn {
  static llvm::ArrayRef<llvm::StringRef> names() {
    static const llvm::StringRef list[] = {targetInfo(targets).name...};
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
