//===- Relay.h - findings beside what MLIR's server says --------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's language server parses and verifies; nothing in it can be asked for
// more. So it runs in a process of its own, and what an editor and it say to one
// another passes here:
//
//   editor -> server   texts of documents are kept (the server is made to ask
//                      for whole texts)
//   server -> editor   diagnostics of a text go on at once; with them, each time
//                      that it has found more, what a checker says of that text
//
// A checker is a process, too: it is given a text, and says what the search finds
// as it goes on, and what the proof's end was. When that text changes it is
// killed, wherever it is; and a text of which it makes nothing at all, or that is
// too much for it, takes nothing else with it. One runs at a time, of the text
// that was changed last. What it has concluded of a kernel is told to the next one:
// a kernel that did not change is not checked again.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TOOLS_LSP_RELAY_H
#define TITAN_TOOLS_LSP_RELAY_H

namespace titan {

/// The flag by which this program runs as a checker.
inline constexpr const char *checkerFlag = "--as-checker";

/// A checker: reads from standard input a line of JSON and a text,
///
///   {"line": 17, "concluded": {DIGEST: {"found": [...], "concluded": [...]}}}
///
/// and writes a line of JSON each time that more is known (Verdict.h): of the text
/// {"findings": [...]}, and when nothing more will be said of a kernel
/// {"kernel": DIGEST, "found": [...], "concluded": [...]}. The kernel with that
/// line is looked at first; those of which something was concluded, not at all.
int runChecker();

/// Relays between an editor (standard input and output) and a server (the ends
/// of two pipes), until the server closes its output.
void relay(int toServer, int fromServer);

} // namespace titan

#endif
