//===- Container.cpp - The bytes of a .titanpkg file ----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Runtime/Container.h"

#include <algorithm>
#include <array>
#include <cstring>

using namespace titan;
using namespace titan::runtime;

namespace {

constexpr uint64_t headerSize = 40;
constexpr uint64_t tableEntrySize = 48;
constexpr uint64_t blobAlignment = 16;

constexpr uint64_t alignUp(uint64_t x) {
  return (x + blobAlignment - 1) / blobAlignment * blobAlignment;
}

/// A little-endian number at `offset`, which the caller has checked.
template <typename T> T get(std::span<const uint8_t> file, uint64_t offset) {
  T value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

template <typename T> void put(std::vector<uint8_t> &file, uint64_t at, T v) {
  std::memcpy(file.data() + at, &v, sizeof v);
}

constexpr std::array<uint32_t, 256> crcTable = [] {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit)
      c = (c >> 1) ^ (c & 1 ? 0xEDB88320u : 0);
    table[i] = c;
  }
  return table;
}();

constexpr const char *compileAgain =
    "compile the kernel again with `titan compile`, or copy the file again";

} // namespace

uint32_t titan::runtime::crc32(std::span<const uint8_t> bytes) {
  uint32_t c = 0xFFFFFFFFu;
  for (uint8_t byte : bytes)
    c = (c >> 8) ^ crcTable[(c ^ byte) & 0xFF];
  return ~c;
}

const Blob *Container::find(std::string_view name) const {
  for (const Blob &b : blobs)
    if (b.name == name)
      return &b;
  return nullptr;
}

runtime::Result<std::vector<uint8_t>>
titan::runtime::packContainer(const Container &container) {
  if (container.blobs.size() > maxBlobs)
    return makeError(Code::PackageBlob,
                     std::to_string(container.blobs.size()) +
                         " blobs in one package",
                     "", "write several packages");
  for (const Blob &b : container.blobs)
    if (b.name.empty() || b.name.size() > maxBlobNameLength ||
        b.name.find('\0') != std::string::npos || container.find(b.name) != &b)
      return makeError(Code::PackageBlob,
                       "blob name '" + b.name + "' cannot be stored", "",
                       "give each blob a short name of its own");

  uint64_t at = headerSize + tableEntrySize * container.blobs.size();
  const uint64_t manifestAt = at;
  at += container.manifest.size();
  std::vector<uint64_t> offsets;
  for (const Blob &b : container.blobs) {
    at = alignUp(at);
    offsets.push_back(at);
    at += b.bytes.size();
  }

  std::vector<uint8_t> file(at);
  std::copy(packageMagic.begin(), packageMagic.end(), file.begin());
  put(file, 8, containerVersion);
  put(file, 16, at);
  put(file, 24, static_cast<uint64_t>(container.manifest.size()));
  put(file, 32, static_cast<uint32_t>(container.blobs.size()));
  for (size_t i = 0; i < container.blobs.size(); ++i) {
    const Blob &b = container.blobs[i];
    const uint64_t entry = headerSize + tableEntrySize * i;
    std::copy(b.name.begin(), b.name.end(), file.begin() + entry);
    put(file, entry + 32, offsets[i]);
    put(file, entry + 40, static_cast<uint64_t>(b.bytes.size()));
    std::copy(b.bytes.begin(), b.bytes.end(), file.begin() + offsets[i]);
  }
  std::copy(container.manifest.begin(), container.manifest.end(),
            file.begin() + manifestAt);
  put(file, 12, crc32(std::span(file).subspan(16)));
  return file;
}

runtime::Result<Container>
titan::runtime::parseContainer(std::span<const uint8_t> file,
                               const std::string &place) {
  auto fail = [&](Code code, std::string message) {
    return makeError(code, std::move(message), place, compileAgain);
  };
  const size_t magicSeen = std::min(file.size(), packageMagic.size());
  if (file.empty() ||
      std::memcmp(file.data(), packageMagic.data(), magicSeen) != 0)
    return fail(Code::PackageInvalid, "this is not a TITAN package");
  if (file.size() < headerSize)
    return fail(
        Code::PackageTruncated,
        "the file ends within its header: " + std::to_string(file.size()) +
            " of " + std::to_string(headerSize) + " bytes");
  if (uint32_t version = get<uint32_t>(file, 8); version != containerVersion)
    return makeError(Code::PackageVersion,
                     "container version " + std::to_string(version) +
                         "; this runtime reads version " +
                         std::to_string(containerVersion),
                     place,
                     "compile the kernel with the compiler that belongs to "
                     "this runtime, or update the runtime");
  const auto size = get<uint64_t>(file, 16);
  if (file.size() < size)
    return fail(Code::PackageTruncated,
                "the file has " + std::to_string(file.size()) + " of " +
                    std::to_string(size) + " bytes");
  if (file.size() > size)
    return fail(Code::PackageInvalid, std::to_string(file.size() - size) +
                                          " bytes follow the package's end");
  if (crc32(file.subspan(16)) != get<uint32_t>(file, 12))
    return fail(Code::PackageChecksum, "the file's bytes have changed since "
                                       "it was written");

  // From here on the file is what some writer wrote; it must still be laid out
  // as said.
  auto layout = [&](const std::string &what) {
    return fail(Code::PackageInvalid, what);
  };
  const auto manifestSize = get<uint64_t>(file, 24);
  const auto numBlobs = get<uint32_t>(file, 32);
  if (numBlobs > maxBlobs || get<uint32_t>(file, 36) != 0)
    return layout("the header's fields are out of range");
  const uint64_t manifestAt = headerSize + tableEntrySize * numBlobs;
  if (manifestAt > size || size - manifestAt < manifestSize)
    return layout("the manifest does not lie within the file");

  Container out;
  const auto manifest = file.subspan(manifestAt, manifestSize);
  out.manifest.assign(manifest.begin(), manifest.end());
  uint64_t at = manifestAt + manifestSize;
  for (uint32_t i = 0; i < numBlobs; ++i) {
    const auto entry =
        file.subspan(headerSize + tableEntrySize * i, tableEntrySize);
    const auto field = entry.first(maxBlobNameLength + 1);
    const auto end = std::find(field.begin(), field.end(), 0);
    const bool padded =
        end != field.end() &&
        std::all_of(end, field.end(), [](uint8_t c) { return c == 0; });
    Blob blob{std::string(field.begin(), end), {}};
    if (!padded || blob.name.empty() || out.find(blob.name))
      return layout("blob " + std::to_string(i) + " has no proper name");
    const auto offset = get<uint64_t>(entry, 32);
    const auto blobSize = get<uint64_t>(entry, 40);
    if (offset != alignUp(at) || offset > size || size - offset < blobSize)
      return layout("blob '" + blob.name + "' does not lie where it must");
    for (; at < offset; ++at)
      if (file[at] != 0)
        return layout("the bytes before blob '" + blob.name + "' are not zero");
    const auto bytes = file.subspan(offset, blobSize);
    blob.bytes.assign(bytes.begin(), bytes.end());
    at = offset + blobSize;
    out.blobs.push_back(std::move(blob));
  }
  if (at != size)
    return layout("bytes follow the last blob");
  return out;
}
