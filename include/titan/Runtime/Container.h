//===- Container.h - The bytes of a .titanpkg file --------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A package is one file: a manifest (JSON, see Manifest.h) and named blobs
// (PTX, cubins). This is its outer shell, version 1. All numbers are
// little-endian; offsets and sizes are in bytes from the start of the file.
//
//   offset  size  what
//        0     8  "TITANPKG"
//        8     4  container version, 1
//       12     4  CRC-32 (that of zlib and IEEE 802.3) of bytes 16 .. file size
//       16     8  file size
//       24     8  manifest size
//       32     4  number of blobs B, at most maxBlobs
//       36     4  zero
//       40  48 B  blob table: name (32 bytes, zero-padded, not empty, unique),
//                 offset (8), size (8)
//    40+48B       the manifest, UTF-8
//       ...       the blobs in the table's order, each at the next multiple of
//                 16, zeros between
//
// There is exactly one way to lay a package out, and the reader accepts no
// other; so a changed byte is either caught by the checksum or by the layout.
// The checksum guards against damage, not against malice: code in a package
// runs on the GPU with the caller's rights.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_RUNTIME_CONTAINER_H
#define TITAN_RUNTIME_CONTAINER_H

#include "titan/Runtime/Error.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace titan::runtime {

inline constexpr std::string_view packageMagic =
    "TITANPKG"; ///< Its first bytes.
inline constexpr uint32_t containerVersion = 1;
inline constexpr uint32_t maxBlobs = 256;
inline constexpr size_t maxBlobNameLength = 31; ///< In bytes.

/// A named piece of a package.
struct Blob {
  std::string name;
  std::vector<uint8_t> bytes;
};

/// The two halves of a package.
struct Container {
  std::string manifest; ///< JSON text.
  std::vector<Blob> blobs;

  /// The blob of this name, or null.
  const Blob *find(std::string_view name) const;
};

/// The file's bytes for a manifest and blobs, without a look into the manifest
/// (writePackage in Manifest.h checks it first).
/// Errors: package-blob.
Result<std::vector<uint8_t>> packContainer(const Container &container);

/// Reads the bytes of a package; `place` names it in errors. Never reads past
/// `file`. Errors: package-invalid, package-version, package-truncated,
/// package-checksum.
Result<Container> parseContainer(std::span<const uint8_t> file,
                                 const std::string &place);

/// CRC-32 as zlib computes it.
uint32_t crc32(std::span<const uint8_t> bytes);

} // namespace titan::runtime

#endif // TITAN_RUNTIME_CONTAINER_H
