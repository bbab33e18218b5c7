//===- LaunchCacheTest.cpp - Launches after the first ---------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include "TestPackage.h"
#include "titan/Runtime/Runtime.h"
#include "titan/Runtime/titan.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <new>
#include <random>

using namespace titan;
using namespace titan::runtime;

// Allocations of this thread.
static thread_local size_t allocated;

void *operator new(size_t size) {
  ++allocated;
  if (void *memory = std::malloc(size ? size : 1))
    return memory;
  throw std::bad_alloc();
}
void *operator new[](size_t size) { return operator new(size); }
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, size_t) noexcept { std::free(memory); }

namespace {

/// The test GEMM with a check that reads an address: D lies before B.
std::string manifest() {
  return patched(R"([{"op": "add", "path": "/kernels/0/checks/-", "value":
    {"nonzero": ["lt", {"ptr": "D"}, {"ptr": "B"}], "code": "launch-check",
     "message": "D is at {0}", "values": [{"ptr": "D"}],
     "rule": "D lies before B", "fix": "swap them"}}])");
}

/// A launch as numbers: M, N, K, the rows of A apart, what is added to the
/// addresses of A, B and D, splits.
struct Sample {
  int64_t m = 256, n = 256, k = 64, stride = 64;
  uint64_t a = 0, b = 0, d = 0;
  int32_t splits = 2;
  float alpha = 1;

  std::vector<Argument> arguments() const {
    const int64_t strides[] = {stride, 1};
    return {Argument::tensor(0x7f0000010000 + a, DType::BF16, std::vector{m, k},
                             strides),
            Argument::dense(0x7f0000500000 + b, DType::BF16, std::vector{n, k}),
            Argument::dense(d == 1 ? 0 : 0x7f0000300000 + d, DType::F32,
                            std::vector{m, n}),
            Argument::floating(DType::F32, alpha),
            Argument::integer(DType::I32, splits)};
  }
};

class Cached : public testing::Test {
protected:
  void SetUp() override {
    fake::reset();
    driver = fake::makeDriver();
    package = open();
  }
  std::unique_ptr<Package> open() {
    auto file = writePackage(manifest(), gemmBlobs());
    EXPECT_TRUE(file) << file.error().text();
    return std::move(*Package::parse(*file, "gemm.titanpkg", &driver));
  }

  /// All that can be seen of a launch.
  static std::string launch(Package &package, const Sample &sample) {
    auto ok = (*package.kernel(""))->launch(sample.arguments(), nullptr);
    if (!ok)
      return ok.error().text();
    return seen;
  }
  static inline std::string seen;

  /// Writes what the driver is given into `seen`: the maps by the address and
  /// size that the fake encoder leaves in them.
  static void record(const fake::Launch &l) {
    seen = "grid " + std::to_string(l.config.gridDimX);
    const size_t sizes[] = {128, 128, 8, 4, 8, 4, 4};
    for (size_t i = 0; i < std::size(sizes); ++i) {
      uint64_t word = 0;
      std::memcpy(&word, l.parameters[i], std::min<size_t>(sizes[i], 8));
      seen += " " + std::to_string(word);
    }
  }

  Driver driver;
  std::unique_ptr<Package> package;
};

TEST_F(Cached, AnyOrderOfLaunchesIsAsTheFirst) {
  fake::state.onLaunch = record;
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  auto pick = [&](auto... values) {
    const int64_t list[] = {static_cast<int64_t>(values)...};
    return list[random() % sizeof...(values)];
  };
  size_t good = 0, bad = 0;
  for (int i = 0; i < 300; ++i) {
    Sample s;
    s.m = pick(256, 256, 128, 1, 0);
    s.n = pick(256, 256, 264, 255);
    s.stride = pick(64, 64, 64, 72, 68, -8, int64_t{1} << 60);
    s.a = static_cast<uint64_t>(
        pick(0, 0, 0, 4096, 16, 8, INT64_MAX - 0x7f0000010000));
    s.b = static_cast<uint64_t>(pick(0, 0, 0, 256, 8));
    s.d = static_cast<uint64_t>(pick(0, 0, 0, 64, 1, 0x400000));
    s.splits = static_cast<int32_t>(pick(2, 2, 2, 8, 9));
    s.alpha = static_cast<float>(pick(1, 2));
    const std::string warm = launch(*package, s), cold = launch(*open(), s);
    ASSERT_EQ(warm, cold) << "launch " << i;
    ++(warm.starts_with("grid") ? good : bad);
  }
  EXPECT_GT(good, 5u); // 14 of 600 draws had 20 at most.
  EXPECT_GT(bad, 20u);
}

TEST_F(Cached, MoreShapesThanFit) {
  fake::state.onLaunch = record;
  for (int turn = 0; turn < 2; ++turn)
    for (size_t i = 0; i < 2 * LaunchCache::capacity; ++i) {
      Sample s;
      s.m = 128 * static_cast<int64_t>(i + 1);
      ASSERT_TRUE(launch(*package, s)
                      .starts_with("grid " + std::to_string(std::min<int64_t>(
                                                 132, 2 * s.m / 128))));
    }
}

TEST_F(Cached, ADeviceHasItsOwn) {
  fake::state.onLaunch = record;
  Sample s;
  s.m = s.n = 8192;
  EXPECT_TRUE(launch(*package, s).starts_with("grid 132 "));
  fake::state.context = 2;
  fake::state.deviceAttributes[cuda::multiprocessorCount] = 78;
  EXPECT_TRUE(launch(*package, s).starts_with("grid 78 "));
  fake::state.context = 1;
  EXPECT_TRUE(launch(*package, s).starts_with("grid 132 "));
}

// By the C interface, with a driver that keeps nothing.
TEST_F(Cached, AllocatesNothing) {
  auto *kernel = reinterpret_cast<titan_kernel *>(*package->kernel(""));
  ASSERT_EQ(titan_kernel_load(kernel), nullptr);
  driver.ctxGetCurrent = [](cuda::Context *context) {
    *context = reinterpret_cast<cuda::Context>(4096);
    return 0;
  };
  driver.ctxGetId = [](cuda::Context, unsigned long long *id) {
    *id = 1;
    return 0;
  };
  driver.tensorMapEncodeTiled = [](cuda::TensorMap *, int, uint32_t, void *,
                                   const uint64_t *, const uint64_t *,
                                   const uint32_t *, const uint32_t *, int, int,
                                   int, int) { return 0; };
  static int launches;
  launches = 0;
  driver.launchKernelEx = [](const cuda::LaunchConfig *, cuda::Function,
                             void **, void **) {
    ++launches;
    return 0;
  };
  for (int i = 0; i < 200; ++i) {
    // The same; other addresses; another shape; each of them often.
    const int64_t m = 128 * (1 + i % 40), a[] = {m, 64}, b[] = {256, 64},
                  d[] = {m, 256};
    const uint64_t at = 0x7f0000000000 + 4096 * (uint64_t(i) % 100);
    const titan_argument arguments[] = {
        {1, TITAN_BF16, 2, 0, at, a, nullptr},
        {1, TITAN_BF16, 2, 0, at + (1 << 30), b, nullptr},
        {1, TITAN_F32, 2, 0, at + (1 << 20), d, nullptr},
        {0, TITAN_F32, 0, 0, 0x3f800000, nullptr, nullptr},
        {0, TITAN_I32, 0, 0, 1, nullptr, nullptr}};
    const size_t before = allocated;
    titan_error *error = titan_kernel_launch(kernel, arguments, 5, nullptr);
    ASSERT_EQ(error, nullptr) << titan_error_text(error);
    ASSERT_EQ(allocated, before) << "launch " << i;
  }
  EXPECT_EQ(launches, 200);

  // Two launches prepared once; the second one's A lies behind the first one's.
  static std::vector<uint64_t> mapped;
  mapped.clear();
  driver.tensorMapEncodeTiled = [](cuda::TensorMap *, int, uint32_t,
                                   void *address, const uint64_t *,
                                   const uint64_t *, const uint32_t *,
                                   const uint32_t *, int, int, int, int) {
    mapped.push_back(reinterpret_cast<uint64_t>(address));
    return 0;
  };
  const int64_t a[] = {128, 64}, d[] = {128, 128};
  titan_argument arguments[] = {{1, TITAN_BF16, 2, 0, 0, a, nullptr},
                                {1, TITAN_BF16, 2, 0, 0, a, nullptr},
                                {1, TITAN_F32, 2, 0, 0, d, nullptr},
                                {0, TITAN_F32, 0, 0, 0, nullptr, nullptr},
                                {0, TITAN_I32, 0, 0, 0, nullptr, nullptr}};
  const uint32_t places[] = {0, 1, 2, 3, 4};
  titan_sequence *sequence = nullptr;
  ASSERT_EQ(titan_sequence_create(&sequence), nullptr);
  ASSERT_EQ(titan_sequence_add(sequence, kernel, arguments, places, 5),
            nullptr);
  arguments[0].bits = 1 << 16;
  ASSERT_EQ(titan_sequence_add(sequence, kernel, arguments, places, 5),
            nullptr);
  mapped.reserve(64);
  const uint64_t values[] = {1 << 24, 1 << 27, 1 << 26, 0x3f800000, 1};
  for (int i = 0; i < 2; ++i) {
    const size_t before = allocated;
    titan_error *error = titan_sequence_launch(sequence, values, 5, nullptr);
    ASSERT_EQ(error, nullptr) << titan_error_text(error);
    EXPECT_EQ(allocated, before);
  }
  EXPECT_EQ(launches, 204);
  EXPECT_EQ(std::ranges::count(mapped, 1 << 24), 1);
  EXPECT_EQ(std::ranges::count(mapped, (1 << 24) + (1 << 16)), 1);
  titan_sequence_release(sequence);
}

} // namespace
