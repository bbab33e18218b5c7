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
#include "KernelLowering.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace titan;

Value KernelLowering::sharedMapAddress(Operation *op, Value map) {
  auto alloc = map.getDefiningOp<TensormapAllocOp>();
  if (!alloc) {
    unsupported(op, "a tensor map in shared memory that is not named directly "
                    "by its titan.tensormap.alloc");
    return {};
  }
  return add(sharedBase, i32(sharedOffsets[map]));
}

LogicalResult KernelLowering::tensormapOperation(Operation &op) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto replace = [&](Value map, StringRef field, StringRef type,
                     StringRef ordinal, StringRef constraint,
                     Value value) -> LogicalResult {
    Value address = sharedMapAddress(&op, map);
    if (!address)
      return failure();
    ptx(("tensormap.replace.tile." + field + ".shared::cta.b1024." + type +
         " [$0], " + ordinal + "$1;")
            .str(),
        ("r," + constraint + ",~{memory}").str(), {address, value});
    return success();
  };
  auto ordinal = [](Value map, uint64_t dimension) {
    return cast<TensorMapType>(map.getType()).getRank() - 1 - dimension;
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<TensormapAllocOp>([&](TensormapAllocOp o) {
        Value shared = LLVM::IntToPtrOp::create(
            b, LLVM::LLVMPointerType::get(b.getContext(), 3),
            add(sharedBase, i32(sharedOffsets[o.getResult()])));
        set(o.getResult(),
            LLVM::AddrSpaceCastOp::create(b, pointer, shared).getResult());
        return success();
      })
      .Case<TensormapAtOp>([&](TensormapAtOp o) {
        // A global address is the same number in the generic window.
        Value zero = arith::ConstantIndexOp::create(b, 0);
        Value address =
            elementAddress(o.getArray(), {get1(o.getIndex()), zero});
        set(o.getResult(),
            LLVM::IntToPtrOp::create(b, pointer, address).getResult());
        return success();
      })
      .Case<TensormapCopyOp>([&](TensormapCopyOp o) {
        Value offset = toI64(b.createOrFold<arith::MulIOp>(lane(), i32(4)));
        auto at = [&](Value map) {
          return add(LLVM::PtrToIntOp::create(b, b.getI64Type(), get1(map)),
                     offset);
        };
        Value word = ptx(b.getI32Type(), "ld.b32 $0, [$1];", "=r,l,~{memory}",
                         at(o.getSource()));
        ptx("st.b32 [$0], $1;", "l,r,~{memory}", {at(o.getMap()), word});
        return success();
      })
      .Case<TensormapReplaceAddressOp>([&](TensormapReplaceAddressOp o) {
        return replace(o.getMap(), "global_address", "b64", "", "l",
                       elementAddress(o.getTensor(), getAll(o.getCoords())));
      })
      .Case<TensormapReplaceDimOp>([&](TensormapReplaceDimOp o) {
        return replace(o.getMap(), "global_dim", "b32",
                       std::to_string(ordinal(o.getMap(), o.getDimension())) +
                           ", ",
                       "r", get1(o.getSize()));
      })
      .Case<TensormapReplaceStrideOp>([&](TensormapReplaceStrideOp o) {
        uint64_t dimension = ordinal(o.getMap(), o.getDimension());
        if (!dimension)
          return LogicalResult(
              o.emitError("[tma-replace] the innermost dimension has no stride "
                          "in a tensor map (PTX ISA, tensormap.replace)"));
        return replace(o.getMap(), "global_stride", "b64",
                       std::to_string(dimension - 1) + ", ", "l",
                       get1(o.getStride()));
      })
      .Case<TensormapCpFenceproxyOp>([&](TensormapCpFenceproxyOp o) {
        Value source = sharedMapAddress(o, o.getSource());
        if (!source)
          return failure();
        ptx(("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic."
             "release." +
             stringifyMemoryScope(o.getScope()) +
             ".sync.aligned [$0], [$1], 128;")
                .str(),
            "l,r,~{memory}", {get1(o.getMap()), source});
        return success();
      })
      .Default([&](Operation *o) {
        return unsupported(o, Twine(o->getName().getStringRef()));
      });
}
