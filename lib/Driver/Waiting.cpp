//===- Waiting.cpp - a sign of life from what takes long ------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Driver/Waiting.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace titan;
using namespace std::chrono_literals;

Waiting::Waiting(llvm::StringRef name, bool shown) : name(name.str()) {
  if (shown && llvm::sys::Process::StandardErrIsDisplayed())
    clock = std::thread([this] { print(); });
}

Waiting::~Waiting() {
  if (!clock.joinable())
    return;
  {
    std::lock_guard<std::mutex> guard(changing);
    over = true;
  }
  ended.notify_one();
  clock.join();
  if (printed)
    llvm::errs() << "\r\033[K";
}

void Waiting::begins(llvm::StringRef next) {
  std::lock_guard<std::mutex> guard(changing);
  phase = next.str();
}

void Waiting::print() {
  const auto started = std::chrono::steady_clock::now();
  std::unique_lock<std::mutex> guard(changing);
  for (auto next = started + 2s;
       !ended.wait_until(guard, next, [this] { return over; }); next += 1s) {
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(
        std::chrono::steady_clock::now() - started);
    llvm::errs() << "\r\033[K" << name << ": " << phase << ", "
                 << seconds.count() << " s";
    printed = true;
  }
}
