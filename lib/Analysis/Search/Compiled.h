//===- Compiled.h - a kernel's body, ready for interpretation ---*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interpreter runs each operation thousands of times (warps x iterations x
// trip counts), so what depends on the operation alone is found once: its kind,
// the numbers of its operands and results in the table of values, its effects.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_ANALYSIS_SEARCH_COMPILED_H
#define TITAN_LIB_ANALYSIS_SEARCH_COMPILED_H

#include "../Scalars.h"

#include "titan/Dialect/Titan/MapEdits.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <optional>
#include <vector>

namespace titan::checker {

struct OpEffects {
  effect::EffectList list;
  effect::Cardinality cardinality;
  /// What it does to a tensor map in memory.
  std::optional<MapEdit> edit;
};

struct CompiledBlock;

struct CompiledOp {
  enum Kind : uint8_t {
    Constant,
    Arithmetic,
    TensorArithmetic,
    TensorConstant,
    Places, ///< TileOpInterface
    CtaId,
    NumCtas,
    ClusterRank,
    WarpId,
    Dim,
    View,
    Alloc,
    BarrierAlloc,
    None, ///< NoneOpInterface
    Assert,
    Assume, ///< Of a scalar.
    For,
    While,
    If,
    Elect,
    WarpSpecialize,
    Terminator,
    Hardware,
    Opaque,
    Unsupported,
  } kind = Opaque;
  mlir::Operation *op = nullptr;
  Arith code = Arith::None;
  unsigned predicate = 0, operandBits = 0, bits = 0;
  int64_t number = 0;
  llvm::SmallVector<uint32_t, 4> in, out;
  std::vector<CompiledBlock> regions;
  std::shared_ptr<OpEffects> effects;
  std::shared_ptr<const effect::View> view; ///< Of a View.
  bool keepsRegisters = false;              ///< Of Places.
  /// Some operation inside has effects.
  bool hasEffects = false;
};

struct CompiledBlock {
  llvm::SmallVector<uint32_t, 4> arguments;
  std::vector<CompiledOp> ops;
};

/// Numbers the values of a kernel's body and compiles it.
class Compiler {
public:
  CompiledBlock compile(mlir::Block &block);
  uint32_t number(mlir::Value value) {
    return numbers.try_emplace(value, numbers.size()).first->second;
  }
  size_t values() const { return numbers.size(); }

private:
  CompiledOp compile(mlir::Operation &op);
  llvm::DenseMap<mlir::Value, uint32_t> numbers;
};

} // namespace titan::checker

#endif
