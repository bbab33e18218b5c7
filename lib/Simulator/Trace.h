//===- Trace.h - a run as a Chrome trace ------------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The trace-event format of chrome://tracing and Perfetto: a process a CTA, a
// thread a warp, and one more for each engine. Time is the
// simulator's count of events, shown as microseconds: an order, no duration.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_SIMULATOR_TRACE_H
#define TITAN_SIMULATOR_TRACE_H

#include "titan/Simulator/Machine.h"

namespace titan::sim {

class Trace {
public:
  explicit Trace(std::string path) : path(std::move(path)) {}

  void operation(const Agent &agent, const Inst &inst, uint64_t begin,
                 uint64_t end);
  void work(const Work &work, uint64_t end);
  /// Writes the file; the message of what went wrong.
  std::optional<std::string> write();

private:
  struct Event {
    std::string name, place;
    uint64_t cta, thread, begin, end;
  };
  std::string path;
  std::vector<Event> events;
  std::map<std::pair<uint64_t, uint64_t>, std::string> threads;
};

} // namespace titan::sim

#endif
