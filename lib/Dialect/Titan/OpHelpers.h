//===- OpHelpers.h - what the verifiers and effect lists share --*- C++ -*-===//
#ifndef TITAN_DIALECT_TITAN_OPHELPERS_H
#define TITAN_DIALECT_TITAN_OPHELPERS_H

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

/// A register tile has a layout that fits its shape.
inline mlir::LogicalResult verifyTileType(mlir::Operation *op,
                                          mlir::RankedTensorType tile) {
  Result<Layout> layout = getTileLayout(tile);
  if (!layout)
    return op->emitOpError("[") << layout.problem().code << "] " << tile << ": "
                                << layout.problem().message;
  return mlir::success();
}

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

inline effect::Footprint objectOf(mlir::Value object, mlir::Value index = {}) {
  effect::Footprint bytes;
  bytes.kind = effect::Footprint::Object;
  bytes.object = object;
  bytes.index = index;
  return bytes;
}

} // namespace titan

#endif
