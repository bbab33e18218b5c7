//===- ExecutionTable.h - how operations are executed -----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The simulator knows no operation by itself. A family tells of each of its
// operations two functions, which stand together in one file:
//
//   compile   once a kernel: the operation becomes instructions, whose operands
//             are numbers of slots (ProgramCompiler.h)
//   execute   once each time that a warp comes to an instruction (Machine.h)
//
// An operation without an entry is [not-supported-yet]. Hazards need no
// function: they follow from the operation's effects (Effects.h).
//
// An example, as a plug-in outside of the tree has it: `demo.twice %x` yields
// 2 * %x.
//
//   static Step twice(Agent &agent, const Inst &inst) {
//     agent.scalars[inst.dst] = 2 * agent.scalars[inst.a];
//     return Step::Next;
//   }
//
//   void registerDemo(titan::sim::ExecutionTable &table) {
//     table.add<demo::TwiceOp>([](Compiler &compiler, demo::TwiceOp op) {
//       uint32_t a = compiler.scalar(op.getX()),
//                dst = compiler.scalar(op.getResult());
//       Inst &inst = compiler.emit(twice, op);
//       inst.a = a;
//       inst.dst = dst;
//     });
//   }
//
// An operation that implements HardwareEffectsInterface is one of hardware: it
// returns Step::Ran where it was executed; Step::Blocked, having changed
// nothing, where it has to wait, and is executed again when something has
// happened; Step::Failed after a finding (Machine::find). It reads and writes
// memory through `agent.view`, a lane at a time, so that each thread sees what
// the memory model lets it see, and so that what it touches can be held against
// what its effects declare.
//
//   static Step store(Agent &agent, const Inst &inst) {
//     SharedPlace place = SharedPlace::decode(agent.scalars[inst.a]);
//     Cta *owner = agent.resolve(inst, place);
//     if (!owner)
//       return Step::Failed;
//     agent.view.write(owner->shared, /*lane=*/0, place.address, 4, bytes);
//     return Step::Ran;
//   }
//
// The tool calls a plug-in's function with ExecutionTable::get() before the
// first kernel is compiled.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_SIMULATOR_EXECUTIONTABLE_H
#define TITAN_SIMULATOR_EXECUTIONTABLE_H

#include "titan/Simulator/Machine.h"
#include "titan/Simulator/ProgramCompiler.h"

#include "llvm/ADT/StringMap.h"

#include <functional>

namespace titan::sim {

class ExecutionTable {
public:
  using Compile = std::function<void(Compiler &, mlir::Operation *)>;

  /// The table of this process, with the families of this library.
  static ExecutionTable &get();

  /// How the operation of that name ("titan.mbarrier.init") is compiled. A
  /// second entry takes the place of the first.
  void add(llvm::StringRef name, Compile compile) {
    entries[name] = std::move(compile);
  }
  /// The same, of operation classes: `compile` is called with a Compiler & and
  /// the operation.
  template <typename... Ops, typename Function> void add(Function compile) {
    (add(Ops::getOperationName(),
         [compile](Compiler &compiler, mlir::Operation *op) {
           compile(compiler, mlir::cast<Ops>(op));
         }),
     ...);
  }
  /// Operations that leave nothing to be executed.
  template <typename... Ops> void addNothing() {
    (add(Ops::getOperationName(), [](Compiler &, mlir::Operation *) {}), ...);
  }

  /// Null: the operation cannot be simulated.
  const Compile *lookup(llvm::StringRef name) const {
    auto found = entries.find(name);
    return found == entries.end() ? nullptr : &found->second;
  }

private:
  llvm::StringMap<Compile> entries;
};

/// `a` and `b` combined, as reductions and scans of tiles do.
uint64_t combineElements(ReduceKind kind, ElementType type, uint64_t a,
                         uint64_t b);

/// A barrier of so many threads of the CTA, at which all lanes of a warp wait.
void compileNamedBarrier(Compiler &compiler, mlir::Operation *op, int64_t id,
                         int64_t threads);

// The families of this library, one file each.
void registerKernel(ExecutionTable &table);
void registerScalars(ExecutionTable &table);
void registerTiles(ExecutionTable &table);
void registerExchange(ExecutionTable &table);
void registerMemory(ExecutionTable &table);
void registerBarriers(ExecutionTable &table);
void registerTma(ExecutionTable &table);
void registerMma(ExecutionTable &table);
void registerMmaSync(ExecutionTable &table);
void registerAsyncCopy(ExecutionTable &table);
void registerAsyncStore(ExecutionTable &table);
void registerBulk(ExecutionTable &table);
void registerTensormap(ExecutionTable &table);
void registerGrid(ExecutionTable &table);
void registerInlinePtx(ExecutionTable &table);
void registerAmd(ExecutionTable &table);

} // namespace titan::sim

#endif
