//===- Layouts.h - where the tensors of a Triton program lie ----*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor either has a home, the layout in which its elements come to be (loaded,
// reduced, carried round a loop, computed from such), or none: what is computed
// from numbers, ranges and constants, and what repeats another tensor along a
// dimension, is made in each layout in which it is wanted.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_CONVERSION_TRITONTOTITAN_LAYOUTS_H
#define TITAN_LIB_CONVERSION_TRITONTOTITAN_LAYOUTS_H

#include "titan/Analysis/Triton/AxisInfo.h"
#include "titan/Conversion/TritonToTitan.h"
#include "titan/Dialect/Titan/Titan.h"
#include "titan/Dialect/Triton/Triton.h"

#include <map>

namespace titan {

/// What a loop adds, each time, to all elements of its iteration argument `i`, a
/// tensor of integers or pointers: a tensor of one number. Null: it does something
/// else. Such a tensor is what goes in, and a number that the loop carries.
mlir::Value getAdvance(mlir::scf::ForOp loop, unsigned i);

/// Whether mma.sync computes a product; else threads do, element by element.
bool isByFragments(tt::DotOp op);

class TensorLayouts {
public:
  TensorLayouts(tt::FuncOp function, const TritonToTitanOptions &options);

  /// Null: the tensor is made wherever it is wanted.
  mlir::Attribute home(mlir::Value tensor) const {
    return homes.lookup(tensor);
  }
  /// Where an access to memory, or an operand of an operation that takes tensors
  /// as they are, is best. What a home of a result has been made of stays.
  mlir::Attribute of(mlir::Operation *op) const;
  /// A layout for a tensor of this shape: that of accesses to such tensors.
  mlir::Attribute forShape(llvm::ArrayRef<int64_t> shape) const;

  /// How many places side by side along dimension d, from multiples of it on, have
  /// one result of a quotient of integers: of runs of copies, or of a run that is not
  /// negative as long as it does not wrap.
  int64_t copies(mlir::Operation *op, unsigned d) const;

  /// How many elements side by side a load moves at once, at most 16 bytes, its mask
  /// alike for all of them, and along which dimension.
  std::pair<int64_t, int> accessRun(tt::LoadOp op) const;

  /// Bytes of which a pointer is known to be a multiple, a power of two up to 4096.
  int64_t alignment(mlir::Value pointer) const;

  /// Both operands one above the other.
  static llvm::SmallVector<int64_t> shapeOfCat(tt::CatOp op);
  /// `layout`, of a tile of that shape, without dimension `axis`.
  static mlir::Attribute without(mlir::Attribute layout,
                                 llvm::ArrayRef<int64_t> shape, int64_t axis);
  /// `layout`, of a tile of that shape, with dimension d of the result being
  /// order[d].
  static mlir::FailureOr<mlir::Attribute>
  permuted(mlir::Operation *at, mlir::Attribute layout,
           llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> order);
  /// `layout` for the same elements under another shape.
  static mlir::FailureOr<mlir::Attribute> reshaped(mlir::Operation *at,
                                                   mlir::Attribute layout,
                                                   llvm::ArrayRef<int64_t> from,
                                                   llvm::ArrayRef<int64_t> to);

private:
  using Shape = std::vector<int64_t>;
  /// Dimensions, fastest first.
  using Order = std::vector<int>;

  void visit(mlir::Operation *op);
  void setHome(mlir::Value value, mlir::Attribute layout);
  /// of(op), from now on, which the homes of its results are made of: an operand that
  /// a branch or a loop yields may come by a home later.
  mlir::Attribute taken(mlir::Operation *op);
  Order orderOf(mlir::Value pointer) const;
  /// Of the sums of a product: the fragments of mma.sync.
  mlir::Attribute fragments(tt::DotOp op) const;
  /// The same where threads multiply elements.
  mlir::Attribute squares(tt::DotOp op) const;
  mlir::Attribute blocked(const Shape &shape, const Order &order,
                          int64_t elements) const;

  mlir::MLIRContext *context;
  TritonToTitanOptions options;
  AxisInfos infos;
  /// Elements of a thread, of accesses of one shape and order.
  std::map<std::pair<Shape, Order>, int64_t> widths;
  /// The order of the first access of a shape.
  std::map<Shape, Order> orders;
  llvm::DenseMap<mlir::Value, mlir::Attribute> homes;
  llvm::DenseMap<mlir::Operation *, mlir::Attribute> operandLayouts;
  bool changed = false;
};

} // namespace titan

#endif
