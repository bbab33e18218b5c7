//===- Options.h - The command line of titan-launch -------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the words of the command line ask for. Reading them needs neither the
// package nor a GPU; whether the names exist is found out later.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TOOLS_LAUNCH_OPTIONS_H
#define TITAN_TOOLS_LAUNCH_OPTIONS_H

#include "titan/Runtime/Data.h"
#include "titan/Runtime/Error.h"
#include "titan/Runtime/Expr.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace titan::runtime::launch {

/// --arg NAME=SOURCE[,shape=MxN][,rowstride=N][,offset=BYTES]
struct TensorOption {
  std::optional<Generator> generator; ///< Where SOURCE is a generator,
  std::string file;                   ///< or else the .npy file.
  std::vector<int64_t> shape;         ///< In elements; empty: not given.
  std::optional<int64_t> rowStride;   ///< In elements, of dimension rank - 2.
  int64_t offset = 0; ///< Of the base from a 256-byte boundary, in bytes.
};

struct Options {
  enum Mode { Launch, DryRun, List, Pack, Help, Version };
  Mode mode = Launch;
  std::string package;
  std::string kernel; ///< Empty: the only one.
  std::map<std::string, TensorOption> tensors;
  std::map<std::string, std::vector<int64_t>> shapes; ///< --shape
  std::map<std::string, std::string> scalars;         ///< --scalar
  std::map<std::string, std::string> outputs;         ///< --out
  bool bench = false;
  int64_t rounds = 15;
  int64_t warmup = 3;  ///< Launches before the first round.
  double timeout = 60; ///< Seconds, of each wait for the GPU.
  int64_t device = 0;  ///< Ordinal.
  bool json = false;
  std::optional<double> flops; ///< Operations of one launch.
  /// For --dry-run: the device assumed; an H200 unless --property says else.
  DeviceProperties properties = {132, 9, 0, 232448, 52428800, 132};
  // --pack
  std::string manifest, packageOut;
  std::map<std::string, std::string> blobs; ///< Name to file.
};

/// The text of --help.
extern const char *const usage;

/// Reads the command line without the program's name. Errors: bad-argument.
Result<Options> parseOptions(std::span<const char *const> words);

} // namespace titan::runtime::launch

#endif // TITAN_TOOLS_LAUNCH_OPTIONS_H
