//===- ToolTest.cpp - titan-launch: options, images, guards ---------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The session, and the whole tool, are run in tests/Runtime.
//
//===----------------------------------------------------------------------===//

#include "TestPackage.h"

#include "Options.h"
#include "Tensors.h"

#include "titan/Runtime/Npy.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace titan;
using namespace titan::runtime;
using namespace titan::runtime::launch;

namespace {

runtime::Result<Options> parseWords(std::vector<const char *> words) {
  return parseOptions(words);
}

std::string codeOf(std::vector<const char *> words) {
  auto r = parseOptions(words);
  return r ? "ok" : r.error().code;
}

TEST(Options, All) {
  auto o = parseWords({"p.titanpkg",
                       "--kernel",
                       "gemm",
                       "--arg",
                       "A=random:1,shape=128x64,rowstride=80,offset=8",
                       "--arg=B=b,1.npy",
                       "--shape",
                       "D=2x3",
                       "--shape=M=7",
                       "--scalar",
                       "alpha=1.5",
                       "--out",
                       "D=d.npy",
                       "--bench=3",
                       "--warmup",
                       "0",
                       "--timeout",
                       "2.5",
                       "--json",
                       "--device=1",
                       "--flops",
                       "1e9",
                       "--property",
                       "multiprocessor_count=7"});
  ASSERT_TRUE(o) << o.error().text();
  EXPECT_EQ(o->package, "p.titanpkg");
  EXPECT_EQ(o->kernel, "gemm");
  const TensorOption &a = o->tensors.at("A");
  EXPECT_EQ(a.generator, (Generator{Fill::Random, 1}));
  EXPECT_EQ(a.shape, (std::vector<int64_t>{128, 64}));
  EXPECT_EQ(a.rowStride, 80);
  EXPECT_EQ(a.offset, 8);
  EXPECT_EQ(o->tensors.at("B").file, "b,1.npy");
  EXPECT_EQ(o->shapes.at("D"), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(o->shapes.at("M"), (std::vector<int64_t>{7}));
  EXPECT_EQ(o->scalars.at("alpha"), "1.5");
  EXPECT_EQ(o->outputs.at("D"), "d.npy");
  EXPECT_TRUE(o->bench);
  EXPECT_EQ(o->rounds, 3);
  EXPECT_EQ(o->warmup, 0);
  EXPECT_EQ(o->timeout, 2.5);
  EXPECT_TRUE(o->json);
  EXPECT_EQ(o->device, 1);
  EXPECT_EQ(o->flops, 1e9);
  EXPECT_EQ(o->properties[0], 7);
  // --bench does not take the next word.
  EXPECT_EQ(parseWords({"--bench", "p"})->package, "p");
}

TEST(Options, Refused) {
  for (std::vector<const char *> words : std::vector<std::vector<const char *>>{
           {},
           {"a", "b"},
           {"p", "--nonsense"},
           {"p", "-x"},
           {"p", "--kernel"},
           {"p", "--list=1"},
           {"p", "--arg", "A"},
           {"p", "--arg", "=zeros"},
           {"p", "--arg", "A="},
           {"p", "--arg", "A=random"},
           {"p", "--arg", "A=random:x"},
           {"p", "--arg", "A=file.bin"},
           {"p", "--arg", "A=zeros,shape=2y3"},
           {"p", "--arg", "A=zeros,shape=-2"},
           {"p", "--arg", "A=zeros,shape=1x1x1x1x1x1x1x1x1"},
           {"p", "--arg", "A=zeros,size=3"},
           {"p", "--arg", "A=zeros,offset=4096"},
           {"p", "--arg", "A=zeros,rowstride=x"},
           {"p", "--arg", "A=zeros", "--arg", "A=zeros"},
           {"p", "--shape", "A=x"},
           {"p", "--shape", "A=99999999999999999999"},
           {"p", "--scalar", "alpha"},
           {"p", "--scalar", "alpha="},
           {"p", "--out", "D"},
           {"p", "--bench=0"},
           {"p", "--bench=x"},
           {"p", "--warmup", "-1"},
           {"p", "--timeout", "0"},
           {"p", "--timeout", "nan"},
           {"p", "--timeout", "inf"},
           {"p", "--timeout", "1s"},
           {"p", "--device", "-1"},
           {"p", "--property", "speed=1"},
           {"--pack", "m.json"},
           {"--pack", "m.json", "-o", "x", "y"}}) {
    EXPECT_EQ(codeOf(words), "bad-argument")
        << (words.empty() ? "(none)" : words.back());
  }
}

class Resolve : public testing::Test {
protected:
  void SetUp() override {
    auto m = parseManifest(gemmManifest, "x");
    ASSERT_TRUE(m);
    kernel = m->kernels[0];
  }

  /// The resolved arguments; on an error, its code is in `code`.
  std::vector<HostArgument> resolve(std::vector<const char *> words) {
    words.insert(words.begin(),
                 {"p", "--scalar", "alpha=1", "--scalar", "splits=1"});
    auto o = parseOptions(words);
    if (!o) {
      ADD_FAILURE() << o.error().text();
      return {};
    }
    auto r = resolveArguments(kernel, *o, files);
    code = r ? "ok" : r.error().code;
    if (!r) {
      text = r.error().text();
      return {};
    }
    return *r;
  }

  KernelSpec kernel;
  std::vector<std::vector<uint8_t>> files;
  std::string code, text;
};

TEST_F(Resolve, NamesCarryShapes) {
  auto a = resolve({"--arg", "A=random:1", "--arg", "B=ints:2", "--shape",
                    "M=129", "--shape", "N=264", "--shape", "K=72"});
  ASSERT_EQ(code, "ok") << text;
  EXPECT_EQ(a[0].value.dims[0], 129);
  EXPECT_EQ(a[0].value.dims[1], 72);
  EXPECT_EQ(a[1].value.dims[0], 264);
  EXPECT_EQ(a[2].value.dims[0], 129);
  EXPECT_EQ(a[2].value.dims[1], 264);
  EXPECT_EQ(a[2].value.strides[0], 264);
  EXPECT_EQ(a[2].generator.fill, Fill::Poison);
  EXPECT_EQ(a[2].extent, 129 * 264 * 4);
  EXPECT_EQ(a[3].value.bits, 0x3f800000u);
  // The same from two of the shapes.
  a = resolve(
      {"--arg", "A=random:1,shape=129x72", "--arg", "B=ints:2,shape=264x72"});
  ASSERT_EQ(code, "ok") << text;
  EXPECT_EQ(a[2].value.dims[0], 129);
  EXPECT_EQ(a[2].value.dims[1], 264);
}

TEST_F(Resolve, Refused) {
  auto refused = [&](std::vector<const char *> words) {
    resolve(words);
    return code;
  };
  const char *a = "A=zeros,shape=4x8", *b = "B=zeros,shape=6x8";
  EXPECT_EQ(refused({"--arg", a, "--arg", b}), "ok") << text;
  EXPECT_EQ(refused({"--arg", a}), "argument-shape"); // N
  EXPECT_NE(text.find("(N) is not known"), std::string::npos) << text;
  EXPECT_EQ(refused({"--arg", a, "--shape", "B=6x8"}), "argument-missing");
  EXPECT_EQ(refused({"--arg", a, "--arg", b, "--arg", "X=zeros"}),
            "argument-unknown");
  EXPECT_EQ(refused({"--arg", a, "--arg", b, "--arg", "alpha=zeros"}),
            "argument-unknown");
  EXPECT_EQ(refused({"--arg", a, "--arg", b, "--out", "X=x.npy"}),
            "argument-unknown");
  EXPECT_EQ(refused({"--arg", a, "--arg", b, "--scalar", "A=1"}),
            "argument-unknown");
  EXPECT_EQ(refused({"--arg", a, "--arg", b, "--shape", "X=1"}),
            "argument-unknown");
  EXPECT_EQ(refused({"--arg", a, "--arg", b, "--shape", "A=4x9"}),
            "argument-shape");
  EXPECT_EQ(refused({"--arg", "A=zeros,shape=4", "--arg", b}),
            "argument-shape");
  EXPECT_EQ(refused({"--arg", "A=no-such-file.npy", "--arg", b}),
            "file-not-found");
  EXPECT_EQ(refused({"--arg", "A=zeros,shape=4x8,rowstride=7", "--arg", b}),
            "bad-argument");
  EXPECT_EQ(refused({"--arg", "A=zeros,shape=99999999999x8", "--arg", b}),
            "out-of-memory");
  EXPECT_EQ(
      refused({"--arg", "A=zeros,shape=9223372036854775807x8", "--arg", b}),
      "out-of-memory");
  EXPECT_EQ(refused({"--arg", "A=zeros,shape=0x9223372036854775807", "--arg",
                     "B=zeros,shape=0x9223372036854775807"}),
            "ok");
}

TEST_F(Resolve, Scalars) {
  auto value = [&](const char *splits) {
    Options o = *parseWords({"p", "--arg", "A=zeros,shape=4x8", "--arg",
                             "B=zeros,shape=6x8", "--scalar", "alpha=0.1"});
    o.scalars["splits"] = splits;
    auto r = resolveArguments(kernel, o, files);
    code = r ? "ok" : r.error().code;
    return r ? (*r)[4].value.bits : 0;
  };
  EXPECT_EQ(value("2147483647"), 0x7fffffffu);
  EXPECT_EQ(value("-1"), 0xffffffffu);
  for (const char *bad : {"2147483648", "-2147483649", "1.5", "", "x", "1 "}) {
    value(bad);
    EXPECT_EQ(code, "bad-argument") << bad;
  }
}

TEST_F(Resolve, Files) {
  const std::string path = testing::TempDir() + "titan-tool-test-" +
                           std::to_string(getpid()) + ".npy";
  const int64_t shape[] = {2, 3};
  std::vector<uint8_t> data(12);
  for (int i = 0; i < 12; ++i)
    data[i] = static_cast<uint8_t>(i + 1);
  ASSERT_TRUE(writeNpy(path, DType::BF16, shape, data));
  const std::string arg = "A=" + path + ",rowstride=5";
  auto a = resolve({"--arg", arg.c_str(), "--arg", "B=zeros,shape=4x3"});
  ASSERT_EQ(code, "ok") << text;
  EXPECT_EQ(a[0].value.dims[1], 3);
  EXPECT_EQ(a[0].value.strides[0], 5);
  EXPECT_EQ(a[0].extent, 16);
  const auto image = makeImage(a[0], files[0]);
  EXPECT_EQ(image.size(), 2u * guardBytes + 16);
  EXPECT_EQ(image[guardBytes], 1);
  EXPECT_EQ(image[guardBytes + 10], 7);
  EXPECT_EQ(gather(a[0], image), data);
  // Another type than the kernel's.
  ASSERT_TRUE(writeNpy(path, DType::F16, shape, data));
  resolve({"--arg", arg.c_str(), "--arg", "B=zeros,shape=4x3"});
  EXPECT_EQ(code, "argument-shape");
  std::remove(path.c_str());
}

TEST_F(Resolve, EveryByteIsGuarded) {
  auto a = resolve({"--arg", "A=ints:1,shape=3x4,rowstride=6,offset=2", "--arg",
                    "B=zeros,shape=5x4", "--arg",
                    "D=random:1,rowstride=7,offset=12"});
  ASSERT_EQ(code, "ok") << text;
  for (const HostArgument &h : {a[0], a[2]}) {
    const auto before = makeImage(h, {});
    EXPECT_TRUE(checkImage(h, before, before, "gemm"));
    const int64_t size = sizeInBytes(h.value.type);
    for (int64_t i = 0; i < h.imageBytes(); ++i) {
      auto after = before;
      after[i] ^= 0x10;
      const int64_t at = i - h.base();
      const bool element = at >= 0 && at < h.extent &&
                           at / size % h.value.strides[0] < h.value.dims[1];
      auto ok = checkImage(h, before, after, "gemm");
      // D may be written, A is only read.
      EXPECT_EQ(static_cast<bool>(ok), element && h.name == "D")
          << h.name << " " << i;
    }
  }
  // The message says where.
  const HostArgument &d = a[2];
  const auto before = makeImage(d, {});
  auto say = [&](int64_t byte) {
    auto after = before;
    after[d.base() + byte] ^= 1;
    return checkImage(d, before, after, "gemm").error().message;
  };
  EXPECT_NE(say(-3).find("3 bytes before"), std::string::npos);
  EXPECT_NE(say(d.extent).find("0 bytes behind"), std::string::npos);
  EXPECT_NE(say(20).find("byte 20, between two rows"), std::string::npos);
}

TEST_F(Resolve, TailsOfPaddedMapsAreNoGuards) {
  TensorMapSpec map;
  map.argument = 2;
  map.padded = true;
  kernel.tensorMaps.push_back(map);
  // Rows of 10 elements of 4 bytes, 40 of 64 bytes: 8 behind each are free.
  auto a = resolve({"--arg", "A=zeros,shape=3x8", "--arg", "B=zeros,shape=10x8",
                    "--arg", "D=random:1,rowstride=16"});
  ASSERT_EQ(code, "ok") << text;
  EXPECT_FALSE(a[0].tailsFree);
  EXPECT_FALSE(a[1].tailsFree);
  const HostArgument &d = a[2];
  ASSERT_EQ(d.value.dims[1] * sizeInBytes(d.value.type), 40);
  const auto before = makeImage(d, {});
  for (int64_t i = 0; i < d.imageBytes(); ++i) {
    auto after = before;
    after[i] ^= 0x10;
    const int64_t at = i - d.base();
    const bool free = at >= 0 && at < 2 * 64 + 48 && at % 64 < 48;
    EXPECT_EQ(static_cast<bool>(checkImage(d, before, after, "gemm")), free)
        << at;
  }
}

TEST_F(Resolve, DataDoesNotDependOnStrides) {
  auto dense = resolve(
      {"--arg", "A=random:5,shape=7x9", "--arg", "B=random:5,shape=7x9"});
  ASSERT_EQ(code, "ok") << text;
  const auto one = gather(dense[0], makeImage(dense[0], {}));
  EXPECT_EQ(one, gather(dense[1], makeImage(dense[1], {})));
  auto padded = resolve({"--arg", "A=random:5,shape=7x9,rowstride=16,offset=6",
                         "--arg", "B=zeros,shape=7x9"});
  EXPECT_EQ(one, gather(padded[0], makeImage(padded[0], {})));
  std::vector<uint8_t> expected(7 * 9 * 2);
  generate({Fill::Random, 5}, DType::BF16, 0, 63, expected.data());
  EXPECT_EQ(one, expected);
}

TEST_F(Resolve, LargeImagesAreMadeInPieces) {
  auto a = resolve(
      {"--arg", "A=random:5,shape=700x900", "--arg", "B=zeros,shape=8x900"});
  std::vector<uint8_t> expected(700 * 900 * 2);
  generate({Fill::Random, 5}, DType::BF16, 0, 700 * 900, expected.data());
  EXPECT_EQ(gather(a[0], makeImage(a[0], {})), expected);
}

TEST_F(Resolve, ColumnMajorAndUntouched) {
  kernel.arguments[0].strides = {1, dynamic};
  auto a =
      resolve({"--arg", "A=ints:1,shape=3x4", "--arg", "B=zeros,shape=5x4"});
  ASSERT_EQ(code, "ok") << text;
  EXPECT_EQ(a[0].value.strides[0], 1);
  EXPECT_EQ(a[0].value.strides[1], 3);
  EXPECT_EQ(a[0].extent, 24);
  const auto before = makeImage(a[2], {});
  auto after = before;
  for (int i = 0; i < 7; ++i) // elements 0 .. 6 of 15
    after[a[2].base() + 4 * i] = 0;
  const Untouched u = countUntouched(a[2], before, after);
  EXPECT_EQ(u.total, 15);
  EXPECT_EQ(u.count, 8);
  EXPECT_EQ(u.first, 7);
}

} // namespace
