//===- Tensors.h - Arguments on the host, with guards -----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the options and the kernel's declaration to the bytes that go to the
// GPU. A tensor is an image in host memory:
//
//   guard (4096 bytes) | offset | first element ... last element | guard (4096)
//
// Every byte of the image that belongs to no element (the guards, and the gaps
// between padded rows) holds a pattern; after the launch those bytes, and the
// elements of a tensor that the kernel only reads, must be unchanged. Tails
// that a `padded` tensor map gives away may be anything.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TOOLS_LAUNCH_TENSORS_H
#define TITAN_TOOLS_LAUNCH_TENSORS_H

#include "Options.h"

#include "titan/Runtime/Manifest.h"

#include <cstdint>
#include <string>
#include <vector>

namespace titan::runtime::launch {

inline constexpr int64_t guardBytes = 4096; ///< On each side.

/// One kernel argument, ready to be uploaded.
struct HostArgument {
  std::string name;
  Argument value; ///< A tensor's address is not set yet.
  Access access = Access::ReadWrite;
  Generator generator;    ///< Where it was generated: for the report.
  std::string file;       ///< Where it was read from.
  int64_t offset = 0;     ///< Bytes between the front guard and the base.
  int64_t extent = 0;     ///< Bytes from the first element's first byte to the
                          ///< last element's last.
  std::string outputFile; ///< Empty: not written.
  /// The rest of a row's last 16 bytes is nobody's (TensorMapSpec::padded), and
  /// no guard.
  bool tailsFree = false;

  /// Bytes of the whole image.
  int64_t imageBytes() const { return 2 * guardBytes + offset + extent; }
  /// Bytes from the image's start to the first element.
  int64_t base() const { return guardBytes + offset; }
};

/// Resolves every argument of the kernel: shapes from files, options, static
/// and named dimensions; strides; scalars. Reads the .npy files' contents into
/// `files` (one an argument, empty where there is none). Errors:
/// argument-missing, argument-unknown, argument-shape, bad-argument,
/// out-of-memory, and those of readNpy.
Result<std::vector<HostArgument>>
resolveArguments(const KernelSpec &kernel, const Options &options,
                 std::vector<std::vector<uint8_t>> &files);

/// The image of a tensor: guards, gaps and elements. `file` holds the elements
/// densely where they come from a file. Uses several threads.
std::vector<uint8_t> makeImage(const HostArgument &argument,
                               const std::vector<uint8_t> &file);

/// Compares the image that came back with the one that went out. Error:
/// guard-overwritten, with the first place and the number of bytes.
Status checkImage(const HostArgument &argument,
                  const std::vector<uint8_t> &before,
                  const std::vector<uint8_t> &after, const std::string &kernel);

/// The elements of an image, dense and row-major.
std::vector<uint8_t> gather(const HostArgument &argument,
                            const std::vector<uint8_t> &image);

/// How many elements of `after` still hold what `before` does, and the first
/// such element's row-major index (-1: none). For the report of a hang.
struct Untouched {
  int64_t count = 0, total = 0, first = -1;
};
Untouched countUntouched(const HostArgument &argument,
                         const std::vector<uint8_t> &before,
                         const std::vector<uint8_t> &after);

} // namespace titan::runtime::launch

#endif // TITAN_TOOLS_LAUNCH_TENSORS_H
