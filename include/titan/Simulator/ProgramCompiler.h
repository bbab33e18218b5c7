//===- ProgramCompiler.h - from a kernel's body to instructions -----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks a kernel's body once and writes a Program: values become slots, regions
// become jumps, types become tables that are made once each.
//
// How an operation is compiled its family says (ExecutionTable.h). What cannot
// be simulated is a problem at its operation; the walk goes on, so that all of
// them are found.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_SIMULATOR_PROGRAMCOMPILER_H
#define TITAN_SIMULATOR_PROGRAMCOMPILER_H

#include "titan/Simulator/Program.h"

#include <map>

namespace titan::sim {

/// One kernel.
class Compiler {
public:
  Compiler(KernelOp kernel, Program &program, std::vector<Finding> &problems)
      : kernel(kernel), p(program), problems(problems) {}

  void run();

  //===--------------------------------------------------------------------===//
  // Helpers
  //===--------------------------------------------------------------------===//

  void problem(mlir::Operation *op, Code code, const llvm::Twine &message,
               std::string fix = {}) {
    problems.push_back({code,
                        Severity::Error,
                        message.str(),
                        op->getLoc(),
                        {},
                        {},
                        std::move(fix)});
  }
  void unsupported(mlir::Operation *op, const llvm::Twine &why = "") {
    problem(op, Code::NotSupportedYet,
            "'" + op->getName().getStringRef() + "' cannot be simulated yet" +
                why);
  }

  SlotOf slot(mlir::Value value) {
    auto [entry, isNew] = p.slots.try_emplace(value);
    if (!isNew)
      return entry->second;
    SlotOf result;
    bool inflight = mlir::isa<InFlightType>(value.getType());
    bool tile = mlir::isa<mlir::RankedTensorType>(value.getType());
    if (!tile) {
      result.scalar = p.scalars.size();
      p.scalars.push_back(0);
    }
    if (tile || inflight) {
      result.ref = p.refs.size();
      p.refs.push_back(nullptr);
    }
    return p.slots[value] = result;
  }
  uint32_t scalar(mlir::Value value) {
    return value ? slot(value).scalar : none;
  }
  uint32_t ref(mlir::Value value) { return value ? slot(value).ref : none; }

  /// Appends an instruction. The reference ends with the next one.
  Inst &emit(Execute run, mlir::Operation *origin) {
    Inst inst{};
    inst.run = run;
    inst.hardware = mlir::isa<HardwareEffectsInterface>(origin);
    inst.origin = origin;
    inst.loop = loop;
    p.code.push_back(inst);
    return p.code.back();
  }
  static void setOrder(Inst &inst, MemorySem sem, MemoryScope scope) {
    inst.sem = static_cast<uint8_t>(sem);
    inst.scope = static_cast<uint8_t>(scope);
  }
  uint32_t here() const { return p.code.size(); }

  void setList(Inst &inst, mlir::ValueRange values, bool refs = false) {
    std::vector<uint32_t> found;
    for (mlir::Value value : values)
      found.push_back(refs ? ref(value) : scalar(value));
    inst.list = p.lists.size();
    inst.count = found.size();
    p.lists.insert(p.lists.end(), found.begin(), found.end());
  }

  /// Moves all at once; a null source clears the destination (Kernel.cpp).
  void moves(mlir::Operation *origin, mlir::ValueRange to,
             llvm::ArrayRef<mlir::Value> from);

  const WarpRegion &region() const { return p.regions[currentRegion]; }

  //===--------------------------------------------------------------------===//
  // Tables
  //===--------------------------------------------------------------------===//

  /// The table of a tile type; null (and a problem) where it has none.
  const TileTable *tileTable(mlir::Operation *op, mlir::Type type);
  uint32_t indexOf(const TileTable *table) const {
    for (uint32_t i = 0; i < p.tiles.size(); ++i)
      if (p.tiles[i].get() == table)
        return i;
    llvm_unreachable("a table of another program");
  }
  std::optional<uint32_t> access(mlir::Operation *op,
                                 mlir::RankedTensorType tile, SharedType view);
  std::optional<uint32_t> viewTable(mlir::Operation *op, SharedType type);
  std::optional<ElementType> elementType(mlir::Operation *op, mlir::Type type);

  //===--------------------------------------------------------------------===//
  // Operations
  //===--------------------------------------------------------------------===//

  void block(mlir::Block &body);
  void operation(mlir::Operation &op);
  /// Buffers and barriers get their addresses.
  void allocate();
  /// The barrier's slots, in c, d and imm2; see Agent::barrier.
  void barrierOperands(Inst &inst, mlir::Value barrier, mlir::Value index);

  KernelOp kernel;
  Program &p;
  std::vector<Finding> &problems;
  uint32_t loop = none;
  size_t currentRegion = 0;
  std::map<std::pair<const void *, const void *>, uint32_t> accessCache;
  std::map<const void *, uint32_t> viewCache;
  std::map<const void *, const TileTable *> tileCache;
};

} // namespace titan::sim

#endif
