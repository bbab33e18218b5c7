//===- NpyTest.cpp - NumPy files ------------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Runtime/Npy.h"

#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace titan;
using namespace titan::runtime;

namespace {

std::vector<uint8_t> npy(const std::string &header, size_t dataBytes,
                         int major = 1) {
  std::vector<uint8_t> out{
      0x93, 'N', 'U', 'M', 'P', 'Y', static_cast<uint8_t>(major), 0};
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    out.push_back(static_cast<uint8_t>(header.size() >> (8 * i)));
  out.insert(out.end(), header.begin(), header.end());
  for (size_t i = 0; i < dataBytes; ++i)
    out.push_back(static_cast<uint8_t>(i));
  return out;
}

std::string codeOf(const runtime::Result<NpyArray> &r) {
  return r ? "ok" : r.error().code;
}

TEST(Npy, RoundTripOfEveryType) {
  for (int type = 0; type < numDTypes; ++type)
    for (const std::vector<int64_t> &shape :
         {std::vector<int64_t>{}, {5}, {2, 3}, {2, 0, 3}, {1, 2, 3, 4, 5}}) {
      const auto t = static_cast<DType>(type);
      int64_t bytes = sizeInBytes(t);
      for (int64_t d : shape)
        bytes *= d;
      std::vector<uint8_t> data(bytes);
      for (int64_t i = 0; i < bytes; ++i)
        data[i] = static_cast<uint8_t>(i * 7);
      const auto file = formatNpy(t, shape, data);
      EXPECT_EQ((file.size() - data.size()) % 64, 0u);
      auto array = parseNpy(file, "x.npy");
      ASSERT_TRUE(array) << array.error().text();
      EXPECT_EQ(array->shape, shape);
      EXPECT_EQ(array->bytes, data);
      EXPECT_TRUE(checkNpyType(*array, t, "x.npy"));
    }
}

TEST(Npy, TheBytesNumPyWrites) {
  // numpy.save of numpy.arange(6, dtype='<u2').reshape(2, 3).
  const std::string text =
      "{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3), }";
  std::string header = text + std::string(117 - text.size(), ' ') + "\n";
  auto file = npy(header, 12);
  EXPECT_EQ(file.size() - 12, 128u);
  auto array = parseNpy(file, "x.npy");
  ASSERT_TRUE(array) << array.error().text();
  EXPECT_EQ(array->descr, "<u2");
  EXPECT_EQ(array->shape, (std::vector<int64_t>{2, 3}));
  EXPECT_TRUE(checkNpyType(*array, DType::BF16, ""));
  EXPECT_TRUE(checkNpyType(*array, DType::I16, ""));
  EXPECT_FALSE(checkNpyType(*array, DType::F16, ""));
  EXPECT_FALSE(checkNpyType(*array, DType::F32, ""));
}

TEST(Npy, VersionsAndSpellings) {
  const std::string h =
      "{'descr': '|V2', 'fortran_order': False, 'shape': (3,)}";
  for (int major : {1, 2, 3})
    EXPECT_EQ(codeOf(parseNpy(npy(h, 6, major), "")), "ok");
  EXPECT_EQ(codeOf(parseNpy(npy(h, 6, 4), "")), "npy-format");
  EXPECT_EQ(codeOf(parseNpy(npy("{\"shape\":(),\"descr\":\"<f4\","
                                "\"fortran_order\":True}\n",
                                4),
                            "")),
            "ok");
}

TEST(Npy, Refusals) {
  auto head = [](const char *descr, const char *order, const char *shape) {
    return std::string("{'descr': '") + descr + "', 'fortran_order': " + order +
           ", 'shape': " + shape + "}";
  };
  auto code = [&](const std::string &h, size_t bytes) {
    return codeOf(parseNpy(npy(h, bytes), "x.npy"));
  };
  EXPECT_EQ(code(head("<f4", "False", "(2, 2)"), 16), "ok");
  EXPECT_EQ(code(head("<f4", "False", "(2, 2)"), 15), "npy-format");
  EXPECT_EQ(code(head("<f4", "False", "(2, 2)"), 17), "npy-format");
  EXPECT_EQ(code(head("<f4", "True", "(2, 2)"), 16), "npy-format");
  EXPECT_EQ(code(head(">f4", "False", "(2, 2)"), 16), "npy-format");
  EXPECT_EQ(code(head("<c8", "False", "(2, 2)"), 32), "npy-format");
  EXPECT_EQ(code(head("<U4", "False", "(2,)"), 32), "npy-format");
  EXPECT_EQ(code(head("", "False", "(2,)"), 32), "npy-format");
  EXPECT_EQ(code(head("<f4", "False", "(-2, 2)"), 16), "npy-format");
  EXPECT_EQ(code(head("<f4", "False", "(2 2)"), 16), "npy-format");
  EXPECT_EQ(code(head("<f4", "False", "(2, 2"), 16), "npy-format");
  EXPECT_EQ(code(head("<f4", "Maybe", "(2, 2)"), 16), "npy-format");
  EXPECT_EQ(code(head("<f4", "False", "(4294967296, 4294967296)"), 16),
            "npy-format");
  EXPECT_EQ(code(head("<f4", "False", "(9223372036854775807, 9, 0)"), 0), "ok");
  EXPECT_EQ(code(head("<f4", "False", "(99999999999999999999,)"), 0),
            "npy-format");
  EXPECT_EQ(code("{'descr': '<f4', 'shape': (1,)}", 4), "npy-format");
  EXPECT_EQ(code("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, "
                 "'shape': (1,)}",
                 4),
            "npy-format");
  EXPECT_EQ(code("", 4), "npy-format");
  EXPECT_EQ(codeOf(parseNpy({}, "x.npy")), "npy-format");
  EXPECT_EQ(codeOf(readNpy("/nonexistent/x.npy")), "file-not-found");
  EXPECT_EQ(codeOf(readNpy("/")), "file-not-found");
}

TEST(Npy, EveryTruncationIsRefused) {
  const std::vector<int64_t> shape{3};
  const std::vector<uint8_t> data(12, 1);
  const auto file = formatNpy(DType::F32, shape, data);
  for (size_t n = 0; n < file.size(); ++n) {
    // A buffer of exactly n bytes, so that a sanitizer sees any over-read.
    const std::vector<uint8_t> cut(file.begin(), file.begin() + n);
    auto r = parseNpy(cut, "x.npy");
    ASSERT_FALSE(r) << n;
    EXPECT_FALSE(r.error().fix.empty());
    EXPECT_FALSE(r.error().rule.empty());
  }
}

TEST(Npy, EveryChangedByteIsReadOrRefused) {
  const std::vector<int64_t> shape{3};
  const auto file = formatNpy(DType::F32, shape, std::vector<uint8_t>(12, 1));
  for (size_t i = 0; i < file.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      auto changed = file;
      changed[i] ^= static_cast<uint8_t>(1 << bit);
      auto r = parseNpy(changed, "x.npy");
      if (r) {
        EXPECT_EQ(r->bytes.size(), 12u);
      }
    }
}

TEST(Npy, Files) {
  const std::string path =
      testing::TempDir() + "titan-npy-test-" + std::to_string(getpid());
  const std::vector<int64_t> shape{2};
  const std::vector<uint8_t> data{1, 2, 3, 4};
  ASSERT_TRUE(writeNpy(path, DType::BF16, shape, data));
  auto back = readNpy(path);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->bytes, data);
  std::remove(path.c_str());
  EXPECT_EQ(
      writeNpy("/nonexistent/x.npy", DType::BF16, shape, data).error().code,
      "file-write");
}

TEST(Error, Text) {
  const Error e = makeError(Code::FileNotFound, "cannot", "x.npy", "look");
  EXPECT_EQ(e.text(), "error: [file-not-found] cannot\n  at: x.npy\n"
                      "  rule: The file exists and can be read. (titan COMMAND "
                      "--help)\n"
                      "  fix: look\n");
  EXPECT_EQ(makeError(Code::FileNotFound, "", "").fix, "check the path");
}

} // namespace
