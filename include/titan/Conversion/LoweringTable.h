//===- LoweringTable.h - how operations become instructions -----*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lowering knows no operation by itself. A family tells of each of its
// operations one function, which builds what the operation is in the function
// that its kernel becomes; all of a family stand in one file. An operation
// without an entry is [not-supported-yet].
//
// An example, as a plug-in outside of the tree has it: `demo.twice %x` yields
// 2 * %x.
//
//   static LogicalResult twice(KernelLowering &kl, demo::TwiceOp op) {
//     Value x = kl.get1(op.getX());
//     kl.set(op.getResult(), kl.add(x, x));
//     return success();
//   }
//
//   void populateDemoLowerings(titan::LoweringTable &table) {
//     table.add<demo::TwiceOp>(twice);
//   }
//
// A plug-in's function is called with LoweringTable::get() before the first
// kernel is compiled (Plugin.h).
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_CONVERSION_LOWERINGTABLE_H
#define TITAN_CONVERSION_LOWERINGTABLE_H

#include "titan/Conversion/KernelLowering.h"

#include "llvm/ADT/StringMap.h"

#include <functional>

namespace titan {

class LoweringTable {
public:
  using Lower =
      std::function<mlir::LogicalResult(KernelLowering &, mlir::Operation *)>;

  /// The table of this process, with the families of this library.
  static LoweringTable &get();

  /// How the operation of that name ("titan.mbarrier.init"), or each operation
  /// of the dialect of that name ("arith"), is lowered. A second entry takes
  /// the place of the first; an operation's goes before its dialect's.
  void add(llvm::StringRef name, Lower lower) {
    entries[name] = std::move(lower);
  }
  /// The same, of operation classes: `lower` is called with a KernelLowering &
  /// and the operation.
  template <typename... Ops, typename Function> void add(Function lower) {
    (add(Ops::getOperationName(),
         [lower](KernelLowering &kl, mlir::Operation *op) {
           return mlir::LogicalResult(lower(kl, mlir::cast<Ops>(op)));
         }),
     ...);
  }

  /// Null: the operation has no lowering.
  const Lower *lookup(mlir::OperationName name) const {
    auto found = entries.find(name.getStringRef());
    if (found == entries.end())
      found = entries.find(name.getDialectNamespace());
    return found == entries.end() ? nullptr : &found->second;
  }

private:
  llvm::StringMap<Lower> entries;
};

// The families of this library, one file each.
void populateKernelLowerings(LoweringTable &table);
void populateTileLowerings(LoweringTable &table);
void populateElementwiseLowerings(LoweringTable &table);
void populateExchangeLowerings(LoweringTable &table);
void populateMemoryLowerings(LoweringTable &table);
void populateBarrierLowerings(LoweringTable &table);
void populatePipeLowerings(LoweringTable &table);
void populateTmaLowerings(LoweringTable &table);
void populateAsyncCopyLowerings(LoweringTable &table);
void populateAsyncStoreLowerings(LoweringTable &table);
void populateBulkLowerings(LoweringTable &table);
void populateTensormapLowerings(LoweringTable &table);
void populateGridLowerings(LoweringTable &table);
void populateInlinePtxLowerings(LoweringTable &table);
void populateMmaLowerings(LoweringTable &table);
void populateMmaSyncLowerings(LoweringTable &table);

} // namespace titan

#endif
