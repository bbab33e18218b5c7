//===- Numbers.h - the values of a run, for the resolver --------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What effects are expressions over, as one agent has computed it.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_SIMULATOR_NUMBERS_H
#define TITAN_SIMULATOR_NUMBERS_H

#include "titan/Effects/Resolver.h"
#include "titan/Simulator/Machine.h"

namespace titan::sim {

class Numbers : public effect::Environment {
public:
  /// Memories of a run: the window of shared memory, and global memory.
  enum MemoryNumber : uint32_t { SharedWindow, GlobalMemory };

  explicit Numbers(const Agent &agent)
      : Numbers(agent, agent.scalars, agent.refs) {}
  Numbers(const Agent &agent, llvm::ArrayRef<uint64_t> scalars,
          llvm::ArrayRef<Ref> refs)
      : agent(agent), scalars(scalars), refs(refs) {}

  uint64_t bits(mlir::Value value) const {
    return scalars[agent.program.slots.lookup(value).scalar];
  }
  /// Of an effect's expression.
  int64_t number(const effect::Expr &expr) const {
    return expr.isConstant()
               ? expr.offset
               : expr.scale * static_cast<int64_t>(bits(expr.value)) +
                     expr.offset;
  }
  const Tile *tile(mlir::Value value) const {
    return static_cast<const Tile *>(
        refs[agent.program.slots.lookup(value).ref].get());
  }
  MapPlace map(mlir::Value value) const {
    return MapPlace::decode(bits(value));
  }
  /// The kernel's argument that a tensor is, or that a map leads to.
  unsigned argument(mlir::Value tensorOrMap) const;

  std::optional<int64_t> scalar(mlir::Value value, Role, unsigned) override {
    return static_cast<int64_t>(bits(value));
  }
  bool knowsViews() const override { return true; }
  std::optional<effect::Place> place(mlir::Value memory) override;
  std::optional<int64_t> element(mlir::Value tile, int64_t lane,
                                 const effect::Shape::Held &held) override;
  std::optional<effect::Grid> grid(mlir::Value tensorOrMap) override;

private:
  const Agent &agent;
  llvm::ArrayRef<uint64_t> scalars;
  llvm::ArrayRef<Ref> refs;
};

} // namespace titan::sim

#endif
