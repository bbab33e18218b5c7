//===- ExpandPipes.h - the expander of pipes --------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ExpandPipes.cpp (which rewrites) and PipeUses.cpp (which looks first:
// which pipe a slot is of, how many arrive, how many bytes) share.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_TRANSFORMS_EXPANDPIPES_H
#define TITAN_LIB_TRANSFORMS_EXPANDPIPES_H

#include "titan/Dialect/Titan/Titan.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace titan::pipes {
using namespace mlir;

/// Which end of a pipe a partition is.
enum class Role { Produce, Consume };

/// A pipe and its barriers.
struct Pipe {
  PipeCreateOp create;
  Value full, empty;
  int64_t depth;

  /// Arrivals that make a slot full, or empty again; 0 until known.
  int64_t fills = 0, releases = 0;

  /// Turns: what is full is a turn, and nothing comes back.
  bool isOrder() { return create.isOrder(); }
  /// One partition fills the slots and stores them by bulk groups: it has the
  /// groups and a barrier of its threads, and needs no mbarriers.
  bool isLocal() {
    return create.getRelease() == PipeRelease::BulkRead &&
           create.getConsumers().size() == 1 &&
           cast<StringAttr>(create.getConsumers()[0]).getValue() ==
               create.getProducer();
  }
  /// Slots are filled by, and released to, all CTAs of the cluster.
  bool isShared() {
    return create.getRelease() == PipeRelease::MulticastArrive;
  }
  /// Of what arrives at its barriers.
  MemoryScope scope() {
    return isShared() ? MemoryScope::Cluster : MemoryScope::Cta;
  }
};

using End = std::pair<Pipe *, Role>;

/// Whether the operation uses a slot: of the pipe's buffers, or to hand it on.
inline bool isSlotUse(Operation *op) {
  return isa<PipeBufferOp, PipeReleaseOp, PipeCommitOp, PipeLoadOp,
             PipeCopyAsyncOp>(op);
}

/// The slot that a use names; it may have become a stage (i32) already.
Value slotOf(Operation *op);

/// Where a partition stands in a ring.
struct Position {
  Value stage, parity;
};
using Positions = llvm::MapVector<End, Position>;

/// A ring of one barrier takes no index.
inline Value indexOf(Pipe *pipe, Value stage) {
  return pipe->depth == 1 ? Value() : stage;
}

/// What fills a slot of transactions.
struct Fill {
  int64_t bytes = 0;   ///< Of pipe.load.
  bool copies = false; ///< pipe.copy_async, each of which tells its own bytes.
};

class Expander {
public:
  explicit Expander(KernelOp kernel) : kernel(kernel) {}

  LogicalResult run();

private:
  LogicalResult trace(Value slot, Pipe *&pipe, bool &mayBeNone,
                      DenseSet<Value> &visited);
  LogicalResult findPipes();
  LogicalResult checkEnds(WarpSpecializeOp specialize);
  LogicalResult checkRoles(PartitionOp partition);
  LogicalResult countFills();
  LogicalResult countReleases();
  void createBarriers(WarpSpecializeOp specialize);
  LogicalResult expandPartition(PartitionOp partition);
  LogicalResult expandBlock(Block &block, Positions &positions);
  LogicalResult expandFor(scf::ForOp loop, Positions &positions);
  LogicalResult expandWhile(scf::WhileOp loop, Positions &positions);
  LogicalResult expandIf(scf::IfOp branch, Positions &positions);
  LogicalResult expandElect(ElectOp elect, Positions &positions);
  LogicalResult expandStep(Operation *op, Pipe *pipe, Role role,
                           Positions &positions);
  LogicalResult expandTry(Operation *op, Pipe *pipe, Role role,
                          Positions &positions);
  LogicalResult expandSkip(PipeSkipOp op, Positions &positions);
  LogicalResult expandUse(Operation *op);
  LogicalResult expandRelease(PipeReleaseOp op);
  LogicalResult acquire(PipeAcquireOp op, Pipe *pipe, Position position,
                        Value flipped);
  LogicalResult acquireLocally(PipeAcquireOp op, Pipe *pipe);
  Value buffer(Operation *op, Pipe *pipe, Value slot, StringRef name,
               Value part);
  LogicalResult findFill(PipeAcquireOp acquire, Fill &fill);
  std::optional<int64_t> sendersOf(PipeLoadOp load);

  /// The end of a pipe that an operation steps along, if it does.
  std::optional<End> stepOf(Operation *op);
  /// The ends of pipes that operations below `op` step along.
  llvm::SetVector<End> stepsBelow(Operation *op);
  Value constant(OpBuilder &b, Location loc, int32_t value);
  /// All threads of the partition meet; `pipe` chooses the barrier.
  LogicalResult meet(OpBuilder &b, Operation *at, Pipe *pipe);
  /// One thread of each warp that executes `at` arrives at the slot's barrier;
  /// `fence`: every thread orders its accesses before the async proxy's.
  void arrive(OpBuilder &b, Operation *at, Pipe *pipe, Value ring, Value slot,
              bool fence);
  /// The ring `empty` of each CTA of the cluster.
  ArrayRef<Value> emptyOfCluster(Pipe *pipe);
  /// Runs `make` inside an elect of one thread, unless one thread runs already.
  void byOneThread(OpBuilder &b, Operation *at, bool ofPartition,
                   llvm::function_ref<void(OpBuilder &)> make);

  KernelOp kernel;
  std::vector<std::unique_ptr<Pipe>> pipes;
  DenseMap<Value, Pipe *> pipeOf; ///< Of pipe.create results.
  /// What a use of a slot is a use of; found before anything is rewritten.
  struct Use {
    Pipe *pipe;
    bool mayBeNone;
  };
  DenseMap<Operation *, Use> uses;
  /// Where slots of a pipe are accessed through the generic proxy, and where
  /// through the async proxy.
  DenseSet<std::pair<Pipe *, Operation *>> genericUses, asyncUses;
  /// The named barriers of pipes that meet, and the rings of peers in this
  /// partition.
  DenseMap<Pipe *, int64_t> meetings;
  DenseMap<Pipe *, SmallVector<Value>> peers;
  /// Commits that arrive, because copies by schedule fill their slots.
  DenseSet<Operation *> arriving;
  PartitionOp partition;
};

} // namespace titan::pipes

#endif
