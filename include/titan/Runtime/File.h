//===- File.h - Whole files, read and written -------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every file that a tool of TITAN writes - packages, PTX, arrays, traces - goes
// through writeFile: so no reader sees half a file, a full disk is an error and
// leaves nothing behind, and what is no regular file stays what it is.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_RUNTIME_FILE_H
#define TITAN_RUNTIME_FILE_H

#include "titan/Runtime/Error.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace titan::runtime {

/// Reads a whole file, which may be a device or a FIFO, of at most `maxBytes`
/// (an array of 4 GiB and its header). Errors: file-not-found.
Result<std::vector<uint8_t>> readFile(const std::string &path,
                                      uint64_t maxBytes = (uint64_t{1} << 32) +
                                                          65536);

/// Writes a whole file. A regular file, or one that does not exist yet, is
/// written beside itself and renamed; symbolic links are followed to what they
/// name, and stay. A device or a FIFO is written directly. After an error there
/// is what there was before. Errors: file-write.
Status writeFile(const std::string &path, std::span<const uint8_t> bytes);
Status writeFile(const std::string &path, std::string_view text);

} // namespace titan::runtime

#endif // TITAN_RUNTIME_FILE_H
