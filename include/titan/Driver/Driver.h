//===- Driver.h - the titan command -----------------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `titan COMMAND FILE [options]`. Every command reads a file of titan IR the
// same way (Session.h), runs one of the readable pass lists (Pipelines.h), and
// ends with one of three exit codes.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DRIVER_DRIVER_H
#define TITAN_DRIVER_DRIVER_H

namespace titan {

/// How every command of the driver ends.
enum ExitCode : int {
  Good = 0,     ///< Accepted, verified, written.
  Findings = 1, ///< The program is refused: a finding, a wrong result.
  BadInput = 2, ///< Flags, files or IR that cannot be used.
};

/// Runs the command line; returns the exit code. Never throws, never exits.
/// `pluginHost`: the tool, beside this one, that takes plug-ins where this one
/// cannot; it is run in its place where --load-plugin is given. Empty: this one
/// loads them.
int driverMain(int argc, char **argv, const char *pluginHost = "");

/// For a tool of this library that has no commands: LLVM's command line would list
/// titan's as its own, and take `check FILE` for one of them, with no input.
void dropCommands();

} // namespace titan

#endif
