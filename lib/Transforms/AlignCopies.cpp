//===- AlignCopies.cpp - where bulk copies and cp.async begin -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bulk copy begins at a multiple of 16 bytes in global memory, a cp.async of N
// bytes at one of N; elsewhere it faults. Of the address,
//
//     base + (index 0) * (stride 0) * bytes + ... + (last index) * bytes
//
// what only the launch knows becomes a check of the launch:
//
//     base      titan.alignment of the argument, raised (argument-alignment)
//     stride    of a dimension whose index may be odd: titan.require
//
// The last index is the program's: titan check asks for it (Analysis/Alignment.h).
// What the program requires itself, and what a tensor map of the tensor promises,
// is not asked for again (TrailingZeros.h).
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/TrailingZeros.h"
#include "titan/Dialect/Titan/ArgumentAlignment.h"
#include "titan/Target/Target.h"
#include "titan/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

namespace titan {
#define GEN_PASS_DEF_ALIGNCOPIES
#include "titan/Transforms/Passes.h.inc"
} // namespace titan

using namespace mlir;
using namespace titan;

/// What a copy asks of the addresses in global memory at which its pieces begin.
namespace {
struct Asks {
  int64_t bytes = 1; ///< A multiple of so many.
  StringRef code;
};
} // namespace

static Asks askedBy(const effect::Access &access) {
  if (!access.bytes.object || !access.mechanism)
    return {};
  auto tensor = dyn_cast<GlobalType>(access.bytes.object.getType());
  if (!tensor)
    return {};
  if (access.bytes.kind == effect::Footprint::Box &&
      mechanismInfo(*access.mechanism).engine == Engine::VectorMemory)
    return {4, "misaligned"};
  if (access.bytes.kind == effect::Footprint::Box)
    return {targetWith(Feature::BulkCopy).bulkAlignment, "bulk-alignment"};
  if (access.bytes.kind == effect::Footprint::Elements &&
      *access.mechanism == Mechanism::AsyncGroup)
    return {access.bytes.chunk * getElementBytes(tensor.getElementType()),
            "cp-async-chunk"};
  return {};
}

namespace {
struct AlignCopiesPass : titan::impl::AlignCopiesBase<AlignCopiesPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    TrailingZeros zeros(kernel);
    // By argument; by argument and dimension: elements, for which code, where.
    llvm::MapVector<unsigned, int64_t> bases;
    llvm::MapVector<std::pair<unsigned, unsigned>,
                    std::tuple<int64_t, StringRef, Location>>
        strides;
    kernel.getBody().walk([&](HardwareEffectsInterface op) {
      effect::EffectList effects;
      op.getHardwareEffects(effects);
      for (const effect::Effect &effect : effects) {
        auto *access = std::get_if<effect::Access>(&effect.what);
        Asks asks = access ? askedBy(*access) : Asks();
        if (asks.bytes == 1)
          continue;
        auto argument = dyn_cast<BlockArgument>(access->bytes.object);
        if (!argument ||
            argument.getOwner()->getParentOp() != kernel.getOperation())
          continue;
        unsigned number = argument.getArgNumber();
        bases[number] = std::max(bases[number], asks.bytes);
        auto tensor = cast<GlobalType>(argument.getType());
        unsigned wanted = llvm::Log2_64(asks.bytes),
                 bytes =
                     llvm::Log2_64(getElementBytes(tensor.getElementType()));
        for (unsigned d = 0; d + 1 < tensor.getRank(); ++d) {
          // Of an index tensor each element may be any.
          Value index = access->bytes.coords[d];
          unsigned known = bytes + (isa<RankedTensorType>(index.getType())
                                        ? 0
                                        : std::min(zeros.of(index), 32u));
          if (!ShapedType::isDynamic(tensor.getStrides()[d]) ||
              known + zeros.ofStride(argument, d) >= wanted)
            continue;
          int64_t needed = int64_t(1) << (wanted - known);
          auto &found =
              strides.try_emplace({number, d}, 0, asks.code, op.getLoc())
                  .first->second;
          if (needed > std::get<0>(found))
            found = {needed, asks.code, op.getLoc()};
        }
      }
    });
    for (auto [number, bytes] : bases)
      raiseAlignment(kernel, number, bytes);
    for (auto &[place, asks] : strides)
      require(place.first, place.second, std::get<0>(asks), std::get<1>(asks),
              std::get<2>(asks));
  }

  /// The stride is a multiple of so many elements.
  void require(unsigned number, unsigned dimension, int64_t elements,
               StringRef code, Location loc) {
    KernelOp kernel = getOperation();
    OpBuilder at(kernel.getLaunchOp());
    ImplicitLocOpBuilder b(loc, at);
    Value left = arith::RemUIOp::create(
        b,
        StrideOp::create(b, kernel.getLaunch().getArgument(number), dimension),
        arith::ConstantIndexOp::create(b, elements));
    Value good = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, left,
                                       arith::ConstantIndexOp::create(b, 0));
    StringRef name = cast<StringAttr>(kernel.getArgNames()[number]).getValue();
    std::string stride = ("stride of dimension " + Twine(dimension)).str();
    RequireOp::create(b, good, code,
                      (name + ": the " + stride +
                       ", along which copies begin, is a multiple of " +
                       Twine(elements) + " elements")
                          .str(),
                      b.getStringAttr("pad the rows of " + name + ": its " +
                                      stride + " is to be a multiple of " +
                                      Twine(elements) + " elements"));
  }
};
} // namespace
