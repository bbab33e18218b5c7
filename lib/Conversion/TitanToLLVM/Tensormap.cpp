//===- Tensormap.cpp - tensor maps edited on the device -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, tensormap.replace and tensormap.cp_fenceproxy. Dimensions count from
// the innermost there; the stride of the innermost is not stored, so that the
// ordinal of a stride is one less than that of its dimension.
//
//===----------------------------------------------------------------------===//
#include "titan/Conversion/LoweringTable.h"

using namespace mlir;
using namespace titan;

static Type genericPointer(KernelLowering &kl) {
  return LLVM::LLVMPointerType::get(kl.b.getContext());
}

static Value sharedMapAddress(KernelLowering &kl, Operation *op, Value map) {
  auto alloc = map.getDefiningOp<TensormapAllocOp>();
  if (!alloc) {
    kl.unsupported(op,
                   "a tensor map in shared memory that is not named directly "
                   "by its titan.tensormap.alloc");
    return {};
  }
  return kl.sharedAddress(map);
}

static LogicalResult emitReplace(KernelLowering &kl, Operation *op, Value map,
                                 const Twine &field, StringRef ordinal,
                                 StringRef constraint, Value value) {
  Value address = sharedMapAddress(kl, op, map);
  if (!address)
    return failure();
  kl.ptx(
      ("tensormap.replace.tile." + field + " [$0], " + ordinal + "$1;").str(),
      ("r," + constraint).str(), {address, value});
  return success();
}

/// Which dimension of `map` that is, counted from the innermost.
static int64_t ordinal(Value map, uint64_t dimension) {
  return cast<TensorMapType>(map.getType()).getRank() - 1 - dimension;
}

void titan::populateTensormapLowerings(LoweringTable &table) {
  table.add<TensormapAllocOp>([](KernelLowering &kl, TensormapAllocOp o) {
    Value shared = LLVM::IntToPtrOp::create(
        kl.b, LLVM::LLVMPointerType::get(kl.b.getContext(), 3),
        kl.sharedAddress(o.getResult()));
    kl.set(o.getResult(),
           LLVM::AddrSpaceCastOp::create(kl.b, genericPointer(kl), shared)
               .getResult());
    return success();
  });
  table.add<TensormapAtOp>([](KernelLowering &kl, TensormapAtOp o) {
    // A global address is the same number in the generic window.
    Value zero = arith::ConstantIndexOp::create(kl.b, 0);
    Value address =
        kl.elementAddress(o.getArray(), {kl.get1(o.getIndex()), zero});
    kl.set(o.getResult(),
           LLVM::IntToPtrOp::create(kl.b, genericPointer(kl), address)
               .getResult());
    return success();
  });
  table.add<TensormapCopyOp>([](KernelLowering &kl, TensormapCopyOp o) {
    Value offset =
        kl.toI64(kl.b.createOrFold<arith::MulIOp>(kl.lane(), kl.i32(4)));
    auto at = [&](Value map) {
      return kl.add(
          LLVM::PtrToIntOp::create(kl.b, kl.b.getI64Type(), kl.get1(map)),
          offset);
    };
    Value word = kl.ptx(kl.b.getI32Type(), "ld.b32 $0, [$1];", "=r,l",
                        at(o.getSource()));
    kl.ptx("st.b32 [$0], $1;", "l,r", {at(o.getMap()), word});
    return success();
  });
  table.add<TensormapReplaceAddressOp>(
      [](KernelLowering &kl, TensormapReplaceAddressOp o) {
        return emitReplace(
            kl, o, o.getMap(), "global_address.shared::cta.b1024.b64", "", "l",
            kl.elementAddress(o.getTensor(), kl.getAll(o.getCoords())));
      });
  table.add<TensormapReplaceDimOp>([](KernelLowering &kl,
                                      TensormapReplaceDimOp o) {
    return emitReplace(kl, o, o.getMap(), "global_dim.shared::cta.b1024.b32",
                       std::to_string(ordinal(o.getMap(), o.getDimension())) +
                           ", ",
                       "r", kl.get1(o.getSize()));
  });
  table.add<TensormapReplaceStrideOp>([](KernelLowering &kl,
                                         TensormapReplaceStrideOp o) {
    uint64_t dimension = ordinal(o.getMap(), o.getDimension());
    if (!dimension)
      return LogicalResult(
          o.emitError("[tma-replace] the innermost dimension has no stride "
                      "in a tensor map (PTX ISA, tensormap.replace)"));
    return emitReplace(kl, o, o.getMap(), "global_stride.shared::cta.b1024.b64",
                       std::to_string(dimension - 1) + ", ", "l",
                       kl.get1(o.getStride()));
  });
  table.add<TensormapCpFenceproxyOp>(
      [](KernelLowering &kl, TensormapCpFenceproxyOp o) {
        Value source = sharedMapAddress(kl, o, o.getSource());
        if (!source)
          return failure();
        kl.ptx(("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic."
                "release." +
                stringifyMemoryScope(o.getScope()) +
                ".sync.aligned [$0], [$1], 128;")
                   .str(),
               "l,r", {kl.get1(o.getMap()), source});
        return success();
      });
}
