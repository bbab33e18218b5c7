//===- OpHelpers.h - what the verifiers and effect lists share --*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TITAN_OPHELPERS_H
#define TITAN_DIALECT_TITAN_OPHELPERS_H

#include "titan/Dialect/Titan/KernelTarget.h"
#include "titan/Dialect/Titan/Titan.h"

#include "mlir/IR/Matchers.h"

namespace titan {

/// The integer that a value is known to be.
inline std::optional<int64_t> getConstant(mlir::Value value) {
  llvm::APInt constant;
  if (value && mlir::matchPattern(value, mlir::m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

/// The error, with the fix of this case.
inline mlir::InFlightDiagnostic withFix(mlir::InFlightDiagnostic error,
                                        const llvm::Twine &fix) {
  error.attachNote() << "fix: " << fix;
  return error;
}

/// Slots that count from 0.
inline std::string fixOfSlots(int64_t slots) {
  return "slots count from 0 to " + std::to_string(slots - 1) +
         ": take the index modulo " + std::to_string(slots);
}

/// Whether a flag (null: there is none) may be true.
inline bool mayBeTrue(mlir::Value flag) {
  return flag && getConstant(flag).value_or(1) != 0;
}

/// Whether a reduction leaves what it is given zeros for.
inline bool isZeroNeutral(AtomicOp op) {
  return llvm::is_contained({AtomicOp::Add, AtomicOp::Or, AtomicOp::Xor}, op);
}

/// Allocations stand in the kernel's body itself, outside of partitions, loops
/// and branches: they live as long as the kernel.
inline mlir::LogicalResult verifyAtKernelTop(mlir::Operation *op) {
  auto kernel = llvm::dyn_cast_or_null<KernelOp>(op->getParentOp());
  if (!kernel || op->getParentRegion() != &kernel.getBody())
    return op->emitOpError(
        "[alloc-place] stands in a kernel's body, outside of partitions, loops "
        "and branches: it lives as long as the kernel");
  return mlir::success();
}

/// The PTX name of a matrix operand's element type ("tf32" of f32, "s8" of i8);
/// empty if it has none.
llvm::StringRef getMmaOperandName(mlir::Type type, bool isUnsigned = false);
/// The same of an accumulator's ("s32" of i32).
llvm::StringRef getMmaAccumulatorName(mlir::Type type);

/// What the rules of tensor maps say of a map's type.
mlir::LogicalResult
verifyTensorMapType(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                    llvm::ArrayRef<int64_t> shape, mlir::Type elementType,
                    int64_t swizzle, llvm::ArrayRef<int64_t> elementStrides,
                    int64_t interleave, llvm::ArrayRef<int64_t> lower,
                    llvm::ArrayRef<int64_t> upper);

/// A broken rule as the text of an error: "[code] field: message (source;
/// dimension 0 is the innermost)".
std::string describe(const TmaViolation &violation, const char *source);

/// Whether a map through which this reduction goes tells signed integers.
inline bool isSignedTma(AtomicOp op) {
  return op == AtomicOp::Min || op == AtomicOp::Max;
}
/// By which operation `op` reduces into the tensor of a map, if it does.
std::optional<AtomicOp> getReductionThrough(mlir::Operation *op,
                                            mlir::Value map);
/// Whether a reduction goes through maps of a type (Target/Tma.h).
bool hasTmaReduction(AtomicOp op, llvm::StringRef tmaType);

/// A register tile has a layout that fits its shape.
inline mlir::LogicalResult verifyTileType(mlir::Operation *op,
                                          mlir::RankedTensorType tile) {
  Result<Layout> layout = getTileLayout(tile);
  if (layout)
    return mlir::success();
  mlir::InFlightDiagnostic error = op->emitOpError("[")
                                   << layout.problem().code << "] " << tile
                                   << ": " << layout.problem().message;
  if (!layout.problem().fix.empty())
    error.attachNote() << "fix: " << layout.problem().fix;
  return error;
}

/// D = A * B^T + C in register tiles: D is of C's type; M x K, N x K, M x N.
mlir::LogicalResult verifyProductShapes(mlir::Operation *op,
                                        mlir::RankedTensorType a,
                                        mlir::RankedTensorType b,
                                        mlir::RankedTensorType c,
                                        mlir::RankedTensorType d);

/// A tile, the tensor whose elements it holds, its index tensors and its mask
/// (or null) agree.
mlir::LogicalResult verifyElements(mlir::Operation *op,
                                   mlir::RankedTensorType tile,
                                   GlobalType tensor, mlir::ValueRange indices,
                                   mlir::Value mask);

/// The rank that a view of a peer's memory, or its barrier, was mapped to; null
/// where it is not known.
inline mlir::Value getMappedRank(mlir::Value memory) {
  while (memory) {
    auto op = memory.getDefiningOp<ViewOpInterface>();
    if (!op)
      break;
    effect::View view = op.getView();
    if (view.rank)
      return view.rank;
    memory = view.source;
  }
  return {};
}

/// What is written to `target` and what completes on `barrier` are one CTA's,
/// and that is reached by titan.map_rank.
mlir::LogicalResult verifyPeer(mlir::Operation *op,
                               mlir::TypedValue<SharedType> target,
                               mlir::TypedValue<MBarrierType> barrier,
                               mlir::Value index);

/// Whether reductions into shared memory have the operation for the type.
bool hasSharedReduction(AtomicOp op, mlir::Type type);

/// Of titan.assume: `: tensor<...>`, or nothing for an i1.
mlir::ParseResult parseConditionType(mlir::OpAsmParser &parser,
                                     mlir::Type &type);
void printConditionType(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                        mlir::Type type);

/// The directive `custom<Loops>`: `at(Mo = %row, Ko = %k)`, where it is there.
mlir::ParseResult parseLoops(
    mlir::OpAsmParser &parser, mlir::ArrayAttr &names,
    llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &indices);
void printLoops(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                mlir::ArrayAttr names, mlir::ValueRange indices);
/// The directive `custom<CopyWords>`: what stands behind a copy's schedule.
mlir::ParseResult parseCopyWords(mlir::OpAsmParser &parser,
                                 mlir::UnitAttr &weak, mlir::UnitAttr &strong,
                                 OobFillAttr &fill, CachePolicyAttr &cache);
void printCopyWords(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                    mlir::UnitAttr weak, mlir::UnitAttr strong,
                    OobFillAttr fill, CachePolicyAttr cache);
/// The directive `custom<As>`: `as #titan.layout<...>`, where it is there.
mlir::ParseResult parseAs(mlir::OpAsmParser &parser, LayoutTextAttr &layout);
void printAs(mlir::OpAsmPrinter &printer, mlir::Operation *op,
             LayoutTextAttr layout);
/// The directive `custom<Read>`: the word, where it is there. No other one may
/// stand there: a sign follows.
mlir::ParseResult parseRead(mlir::OpAsmParser &parser, mlir::UnitAttr &read);
void printRead(mlir::OpAsmPrinter &printer, mlir::Operation *op,
               mlir::UnitAttr read);

inline effect::Sem toSem(MemorySem sem) {
  return static_cast<effect::Sem>(static_cast<int>(sem));
}
/// MemoryScope counts from cta = 1.
inline Scope toScope(MemoryScope scope) {
  return static_cast<Scope>(static_cast<int>(scope) - 1);
}

inline effect::Footprint viewOf(mlir::Value buffer) {
  effect::Footprint bytes;
  bytes.kind = effect::Footprint::View;
  bytes.object = buffer;
  return bytes;
}

inline effect::Footprint tileOf(mlir::Value memory,
                                mlir::RankedTensorType tile) {
  effect::Footprint bytes;
  bytes.kind = effect::Footprint::Tile;
  bytes.object = memory;
  bytes.tile = tile;
  return bytes;
}

/// One element a (thread, register) of `tile`, by index tensors, under a mask;
/// `chunk` registers at a time.
inline effect::Footprint elementsOf(mlir::Value tensor,
                                    mlir::RankedTensorType tile,
                                    mlir::ValueRange indices, mlir::Value mask,
                                    int64_t chunk = 1) {
  effect::Footprint bytes;
  bytes.chunk = chunk;
  bytes.kind = effect::Footprint::Elements;
  bytes.object = tensor;
  bytes.tile = tile;
  bytes.coords.assign(indices.begin(), indices.end());
  bytes.mask = mask;
  return bytes;
}

inline effect::Footprint objectOf(mlir::Value object, mlir::Value index = {}) {
  effect::Footprint bytes;
  bytes.kind = effect::Footprint::Object;
  bytes.object = object;
  bytes.index = index;
  return bytes;
}

/// The barrier of an operation: the own CTA's, or that of the rank that its
/// view names (titan.map_rank).
inline effect::BarrierRef barrierOf(mlir::Value barrier, mlir::Value index) {
  effect::BarrierRef ref{barrier, index, {}};
  if (auto view = barrier.getDefiningOp<ViewOpInterface>())
    if (mlir::Value rank = view.getView().rank)
      ref.ctas = {effect::CtaSet::Rank, rank};
  return ref;
}

/// A barrier and the slot of its ring.
mlir::LogicalResult verifySlot(mlir::Operation *op,
                               mlir::TypedValue<MBarrierType> barrier,
                               mlir::Value index, bool allSlots = false);

/// The id and the threads of a named barrier are there on the target.
mlir::LogicalResult verifyNamed(mlir::Operation *op, int64_t id,
                                int64_t threads);

/// What goes between warps (`crosses` says why; empty: nothing does) has a scratch
/// of so many elements, and its barrier is one.
mlir::LogicalResult
verifyExchange(mlir::Operation *op, mlir::RankedTensorType tile,
               mlir::Value scratch, std::optional<uint64_t> barrier,
               std::optional<uint64_t> threads, int64_t elements,
               const std::string &crosses);
/// Lanes hand elements to one another: no thread does that by itself, so it
/// stands in no titan.elect.
mlir::LogicalResult verifyWholeWarp(mlir::Operation *op);
/// Elements of that type can be combined.
mlir::LogicalResult verifyCombine(mlir::Operation *op, ReduceKind kind,
                                  mlir::Type type);

/// A token of the family's own kind.
mlir::LogicalResult verifyToken(mlir::Operation *op, TokenType token,
                                TokenKind kind);

/// Tiles in flight and the register tiles that they become.
inline mlir::LogicalResult verifyArrivals(mlir::Operation *op,
                                          mlir::ValueRange loads,
                                          mlir::ValueRange tiles) {
  if (loads.size() != tiles.size())
    return op->emitOpError("[mma-accumulator] ")
           << loads.size() << " tiles in flight become " << tiles.size();
  for (auto [load, tile] : llvm::zip(loads, tiles))
    if (llvm::cast<InFlightType>(load.getType()).getTensor() != tile.getType())
      return op->emitOpError("[mma-accumulator] ")
             << load.getType() << " becomes "
             << llvm::cast<InFlightType>(load.getType()).getTensor() << ", not "
             << tile.getType();
  return mlir::success();
}

} // namespace titan

#endif
