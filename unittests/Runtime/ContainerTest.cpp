//===- ContainerTest.cpp - The bytes of a package -------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Runtime/Container.h"
#include "TestPackage.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace titan;
using namespace titan::runtime;

namespace {

Container sample() {
  return {"{\"a\": 1}",
          {{"first", {1, 2, 3}}, {"empty", {}}, {"last", {4, 5, 6, 7, 8}}}};
}

std::vector<uint8_t> sampleFile() {
  auto file = packContainer(sample());
  EXPECT_TRUE(file);
  return *file;
}

/// The code of reading a copy that is exactly as long as the file, so that a
/// sanitizer sees any over-read.
std::string codeOf(std::vector<uint8_t> file) {
  file.shrink_to_fit();
  auto r = parseContainer(file, "x.titanpkg");
  if (r)
    return "ok";
  EXPECT_EQ(r.error().place, "x.titanpkg");
  EXPECT_FALSE(r.error().rule.empty());
  EXPECT_FALSE(r.error().fix.empty());
  return r.error().code;
}

/// Makes the checksum right again after a change.
void seal(std::vector<uint8_t> &file) {
  const uint32_t sum = crc32(std::span(file).subspan(16));
  std::memcpy(&file[12], &sum, 4);
}

TEST(Container, Crc32KnownAnswer) {
  const std::string text = "123456789";
  EXPECT_EQ(crc32({reinterpret_cast<const uint8_t *>(text.data()), 9}),
            0xCBF43926u);
  EXPECT_EQ(crc32({}), 0u);
}

TEST(Container, RoundTrip) {
  auto c = parseContainer(sampleFile(), "");
  ASSERT_TRUE(c) << c.error().text();
  EXPECT_EQ(c->manifest, sample().manifest);
  ASSERT_EQ(c->blobs.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(c->blobs[i].name, sample().blobs[i].name);
    EXPECT_EQ(c->blobs[i].bytes, sample().blobs[i].bytes);
  }
  EXPECT_EQ(c->find("last")->bytes.size(), 5u);
  EXPECT_EQ(c->find("other"), nullptr);
  EXPECT_EQ(codeOf(*packContainer({"", {}})), "ok");
}

TEST(Container, TheBytesAsDocumented) {
  const auto file = sampleFile();
  EXPECT_EQ(std::memcmp(file.data(), "TITANPKG\1\0\0\0", 12), 0);
  auto u64 = [&](size_t at) {
    uint64_t v;
    std::memcpy(&v, &file[at], 8);
    return v;
  };
  EXPECT_EQ(u64(16), file.size());
  EXPECT_EQ(u64(24), 8u);        // manifest
  EXPECT_EQ(u64(32), 3u);        // blobs, and zero
  EXPECT_EQ(u64(40 + 32), 192u); // 40 + 3 * 48 + 8
  EXPECT_EQ(u64(40 + 40), 3u);
  EXPECT_EQ(u64(88 + 32), 208u);
  EXPECT_EQ(u64(136 + 32), 208u);
  EXPECT_EQ(file.size(), 213u);
  EXPECT_EQ(file[192], 1);
}

TEST(Container, EveryTruncationIsRefused) {
  const auto file = sampleFile();
  for (size_t n = 0; n < file.size(); ++n) {
    const std::string code = codeOf({file.begin(), file.begin() + n});
    EXPECT_EQ(code, n == 0 ? "package-invalid" : "package-truncated") << n;
  }
  auto longer = file;
  longer.push_back(0);
  EXPECT_EQ(codeOf(longer), "package-invalid");
}

TEST(Container, EveryBitFlipIsRefused) {
  const auto file = sampleFile();
  for (size_t i = 0; i < file.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      auto changed = file;
      changed[i] ^= static_cast<uint8_t>(1 << bit);
      const std::string code = codeOf(changed);
      EXPECT_NE(code, "ok") << i;
      if (i < 8)
        EXPECT_EQ(code, "package-invalid");
      else if (i < 12)
        EXPECT_EQ(code, "package-version");
      else if (i >= 24 || i < 16)
        EXPECT_EQ(code, "package-checksum");
    }
}

TEST(Container, EveryBitFlipWithARightChecksumIsReadSafely) {
  // As a careless writer, or an attacker, would make it: no over-read, and what
  // is read lies within the file.
  const auto file = sampleFile();
  for (size_t i = 16; i < file.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      auto changed = file;
      changed[i] ^= static_cast<uint8_t>(1 << bit);
      seal(changed);
      auto r = parseContainer(changed, "");
      if (!r)
        continue;
      size_t total = r->manifest.size();
      for (const Blob &b : r->blobs)
        total += b.bytes.size();
      EXPECT_LE(total, changed.size());
    }
}

TEST(Container, SealedNonsense) {
  auto change = [](size_t at, uint64_t value, size_t bytes) {
    auto file = sampleFile();
    std::memcpy(&file[at], &value, bytes);
    seal(file);
    return codeOf(file);
  };
  EXPECT_EQ(change(24, UINT64_MAX, 8), "package-invalid"); // manifest size
  EXPECT_EQ(change(24, 200, 8), "package-invalid");
  EXPECT_EQ(change(32, UINT32_MAX, 4), "package-invalid"); // blobs
  EXPECT_EQ(change(32, 4, 4), "package-invalid");
  EXPECT_EQ(change(32, 2, 4), "package-invalid");
  EXPECT_EQ(change(40 + 32, 176, 8), "package-invalid"); // into the table
  EXPECT_EQ(change(40 + 32, UINT64_MAX, 8), "package-invalid");
  EXPECT_EQ(change(40 + 40, UINT64_MAX - 100, 8), "package-invalid");
  EXPECT_EQ(change(40, 0, 1), "package-invalid");        // name begins with 0
  EXPECT_EQ(change(40 + 31, 'x', 1), "package-invalid"); // name not ended
  EXPECT_EQ(change(196, 1, 1), "package-invalid");       // padding
  EXPECT_EQ(change(16, 1, 8), "package-invalid");        // file size
}

TEST(Container, BlobNames) {
  auto code = [](std::vector<Blob> blobs) {
    auto r = packContainer({"{}", std::move(blobs)});
    return r ? "ok" : r.error().code;
  };
  EXPECT_EQ(code({{"", {}}}), "package-blob");
  EXPECT_EQ(code({{"a", {}}, {"a", {}}}), "package-blob");
  EXPECT_EQ(code({{std::string(31, 'x'), {}}}), "ok");
  EXPECT_EQ(code({{std::string(32, 'x'), {}}}), "package-blob");
  EXPECT_EQ(code({{std::string("a\0b", 3), {}}}), "package-blob");
  EXPECT_EQ(code(std::vector<Blob>(257, {"a", {}})), "package-blob");
}

TEST(Container, WritePackage) {
  auto file = writePackage(gemmManifest, gemmBlobs());
  ASSERT_TRUE(file) << file.error().text();
  auto c = parseContainer(*file, "");
  ASSERT_TRUE(c);
  EXPECT_EQ(c->manifest, gemmManifest);
  auto blobs = gemmBlobs();
  blobs.pop_back();
  EXPECT_EQ(writePackage(gemmManifest, blobs).error().code, "package-blob");
  blobs = gemmBlobs();
  blobs.push_back({"more", {}});
  EXPECT_EQ(writePackage(gemmManifest, blobs).error().code, "package-blob");
  EXPECT_EQ(writePackage("{", gemmBlobs()).error().code, "manifest-invalid");
}

} // namespace
