//===- Waiting.h - a sign of life from what takes long ----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DRIVER_WAITING_H
#define TITAN_DRIVER_WAITING_H

#include "llvm/ADT/StringRef.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace titan {

/// While it lives, and after two seconds, a line on standard error says what is being
/// done, and for how many seconds, where a terminal shows it; it is gone in the end.
class Waiting {
public:
  /// `name`: of the kernel, say. Not `shown`: nothing is printed, to no terminal
  /// either way.
  Waiting(llvm::StringRef name, bool shown);
  ~Waiting();
  Waiting(const Waiting &) = delete;

  void begins(llvm::StringRef phase);

private:
  void print();

  const std::string name;
  std::string phase;
  bool over = false, printed = false;
  std::mutex changing;
  std::condition_variable ended;
  std::thread clock;
};

} // namespace titan

#endif
