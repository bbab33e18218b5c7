//===- Product.h - which instructions multiply ------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// titan.product says what is multiplied. The variants:
//
//   variant    A, B                     sums                  by
//   wgmma      A shared or registers,   #titan.wgmma          warpgroups
//              B shared
//   mma_sync   shared or registers      #titan.mma_sync       warps
//
// Neither converts layouts in silence: who holds which sums says how they come to be.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DISPATCH_PRODUCT_H
#define TITAN_DISPATCH_PRODUCT_H

#include "titan/Dispatch/Copy.h"

namespace titan::dispatch {

/// A product, as variants see it.
struct ProductRequest {
  ProductOp op;
  const TargetInfo *target = nullptr;
  Memory from = Memory::Shared, to = Memory::Registers; ///< A, D.
  Issuers issuers;
};

using ProductVariant = Variant<ProductRequest>;
class ProductVariants : public VariantTable<ProductRequest> {
public:
  /// The table of this process, with the variants of this library.
  static ProductVariants &get();
};

/// Of all products, in the order of the text; changes nothing.
std::vector<std::pair<mlir::Operation *, Decision>>
decideProducts(KernelOp kernel);
/// Puts each product's variant in its place; errors for those that have none.
mlir::LogicalResult lowerProducts(KernelOp kernel);

} // namespace titan::dispatch

#endif
