//===- Options.h - The command lines of the programs ------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TESTS_HARDWARE_TMA_OPTIONS_H
#define TITAN_TESTS_HARDWARE_TMA_OPTIONS_H

#include "Pool.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace titan::hw {

struct Options {
  PoolOptions pool;
  size_t cases = 20000;
  uint64_t seed = 1;
  std::string json; ///< File for the counts; empty: none.
  std::string only; ///< Questions: the groups to ask, "47"; empty: all.
};

/// --cases N --seed N --jobs N --mock --json FILE --only LETTERS
/// --seconds N. Ends the program on others.
inline Options parseOptions(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string flag = argv[i];
    if (flag == "--mock") {
      options.pool.mock = true;
      continue;
    }
    if (i + 1 == argc ||
        (flag != "--cases" && flag != "--seed" && flag != "--jobs" &&
         flag != "--json" && flag != "--only" && flag != "--seconds")) {
      std::fprintf(stderr,
                   "usage: %s [--cases N] [--seed N] [--jobs N] [--json FILE] "
                   "[--only LETTERS] [--seconds N] [--mock]\n",
                   argv[0]);
      std::exit(2);
    }
    std::string value = argv[++i];
    if (flag == "--cases")
      options.cases = std::stoull(value);
    else if (flag == "--seed")
      options.seed = std::stoull(value);
    else if (flag == "--jobs")
      options.pool.jobs = std::stoi(value);
    else if (flag == "--seconds")
      options.pool.seconds = static_cast<unsigned>(std::stoul(value));
    else if (flag == "--only")
      options.only = value;
    else
      options.json = value;
  }
  return options;
}

/// The device's name, asked in a process of its own.
inline std::string deviceName(const PoolOptions &options) {
  SharedArray<char> text(256);
  forAll(1, options, [&](Device &device, size_t) {
    std::snprintf(&text[0], 256, "%s", device.name().c_str());
    return true;
  });
  return &text[0];
}

} // namespace titan::hw

#endif // TITAN_TESTS_HARDWARE_TMA_OPTIONS_H
