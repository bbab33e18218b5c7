//===- Work.h - what was issued and is not complete -------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies, stores to a peer, products, arrivals that follow them: an operation
// issues a piece of work and goes on, and its engine completes it later. From
// issue to completion all pieces are alike:
//
//   issue    joins the stream of its mechanism; a commit makes a group of what
//            has joined, and waits name groups
//   read     its sources have been read
//   write    its destination is written, and whoever waits is told
//
// How, the rows of Target/Mechanisms.h say:
//
//   column                 what follows here
//   EngineInfo::inOrder    not Nothing: pieces of one issuer are done in the
//                          order of issue (Queue)
//   binding                Issue: each piece is a group; else commits form them
//   waiter                 CommittingThread: streams are the thread's, else the
//                          warp's
//   hasReadWait            read and write are two steps of the schedule
//   atExit                 what is over when the CTA exits
//
// What a piece reads and writes its family says: a class derived from Work, with
// two functions.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_SIMULATOR_WORK_H
#define TITAN_SIMULATOR_WORK_H

#include "titan/Simulator/Program.h"
#include "titan/Simulator/Views.h"
#include "titan/Target/Mechanisms.h"

#include <deque>

namespace titan::sim {

class Machine;
struct Queue;

struct Work {
  Work(Agent &agent, const Inst &inst, Mechanism mechanism);
  virtual ~Work();

  /// False: it follows others that are not done.
  virtual bool isReady() const { return true; }
  /// The two completion points, each once, in this order.
  virtual void read(Machine &) {}
  virtual void write(Machine &machine) = 0;

  /// Whether a wait for it returns; `views`: see Machine::settle.
  virtual bool isOver(bool sourcesOnly, bool /*views*/) const {
    return sourcesOnly ? sourceRead : done;
  }
  /// Whether it has a source in [begin, begin + bytes) of its CTA's shared
  /// memory.
  virtual bool readsFrom(uint64_t /*begin*/, uint64_t /*bytes*/) const {
    return false;
  }
  /// Views: whether the writer knows that its sources have been read.
  virtual bool isKnownRead(Machine &machine, const Viewer &writer) const;
  /// Views: its sources are read now.
  virtual void settle(Machine &machine);

  uint64_t id;
  const Inst *inst;
  Agent *agent;
  Cta *cta;
  Mechanism mechanism;
  Engine engine;
  /// Which of its stream it is, from 1.
  uint64_t number = 0;
  uint64_t issued = 0;
  bool sourceRead = false, done = false;
  /// It brings data to shared memory; else it reads what lies there, or in
  /// registers.
  bool fills = true;
  /// Of an engine that keeps order.
  Queue *queue = nullptr;
  /// The CTAs written, and the phase of each one's barrier at issue.
  std::vector<std::pair<Cta *, uint64_t>> targets;
  /// Views: what the issuing thread knew, and what the sources held as far as
  /// it did.
  Clock known;
  std::vector<OldByte> old;
};
using WorkRef = std::shared_ptr<Work>;

/// What an engine keeps in order, of one issuer: a warpgroup, or a warp.
struct Queue {
  std::deque<WorkRef> pieces;
  uint64_t first = 0; ///< Those before pieces.front().
  uint64_t done = 0;  ///< Pieces numbered up to here are done.

  uint64_t size() const { return first + pieces.size(); }
  Work &operator[](uint64_t number) const {
    return *pieces[number - 1 - first];
  }
};

/// What a warp has issued through one mechanism.
struct Stream {
  struct Group {
    std::vector<WorkRef> work;
    uint64_t last; ///< Number of the last piece, of this group or before.
  };
  uint64_t issued = 0;
  std::vector<WorkRef> open; ///< In no group.
  std::vector<Group> groups;
  size_t read = 0, done = 0; ///< Groups that waits have covered.

  /// Number of the last piece in so many groups.
  uint64_t lastOf(size_t count) const {
    return count ? groups[count - 1].last : 0;
  }
};

class Compiler;

/// Operations that commit and wait, of any mechanism. `byWarp`: all lanes
/// execute them.
void compileCommit(Compiler &compiler, mlir::Operation *op, Mechanism mechanism,
                   mlir::Value token, bool byWarp);
/// Up to the token's group; or, where that is null, until at most `pending`
/// groups are left.
Inst &compileWait(Compiler &compiler, mlir::Operation *op, Mechanism mechanism,
                  mlir::Value token, int64_t pending, bool byWarp,
                  bool sourcesOnly = false);

} // namespace titan::sim

#endif
