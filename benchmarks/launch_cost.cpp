//===- launch_cost.cpp - What a launch costs on the host ------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches a package of `titan generate gemm` through the C interface many
// times, and prints what a call costs above the driver's cuLaunchKernelEx, in
// nanoseconds: of rounds of 500 launches the fastest, and the median.
//
//   same       the same tensors again and again
//   rotating   eight sets of tensors of one shape in turns
//   fresh      tensors at addresses that no launch has seen
//   shapes     sixteen shapes in turns
//
//   g++ -O2 -std=c++20 -Iinclude -Ibuild/include benchmarks/launch_cost.cpp -o launch_cost
//       build/lib/{Runtime/libTitanRuntime,Domain/libTitanDomain,Layout/libTitanLayout,Target/libTitanTarget}.a -ldl
//   ./launch_cost gemm.titanpkg [launches] [--launch] [--json]
//
// --json prints one JSON object instead: nanoseconds of each round, sorted.
//
// The kernel is not run: the launch stops at a stand-in for cuLaunchKernelEx,
// whose time does not count; --launch calls the driver's and takes its time
// away. Without a GPU: TITAN_CUDA_LIBRARY=build/lib/libtitan-fake-cuda.so.
//
//===----------------------------------------------------------------------===//

#include "titan/Runtime/Runtime.h"
#include "titan/Runtime/titan.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

using namespace titan::runtime;

using Clock = std::chrono::steady_clock;
static const Driver *real;
static double inDriver; ///< Nanoseconds, of the round.

static double since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

/// A call's arguments; the launch may read them until it returns.
struct Call {
  int64_t dims[3][2];
  titan_argument arguments[3] = {};

  Call(int64_t m, int64_t n, int64_t k, uint64_t address) {
    const int64_t sizes[3][2] = {{m, k}, {n, k}, {m, n}};
    std::memcpy(dims, sizes, sizeof dims);
    for (int i = 0; i < 3; ++i)
      arguments[i] = {1,       TITAN_BF16, 2, 0, address + (uint64_t(i) << 30),
                      nullptr, nullptr};
  }
  void launch(titan_kernel *kernel) {
    for (int i = 0; i < 3; ++i)
      arguments[i].dims = dims[i];
    if (titan_error *e = titan_kernel_launch(kernel, arguments, 3, nullptr)) {
      std::fputs(titan_error_text(e), stderr);
      std::exit(1);
    }
  }
};

int main(int argc, char **argv) {
  const auto flag = [&](const char *name) {
    char **end = std::remove_if(argv + 1, argv + argc, [&](const char *word) {
      return !std::strcmp(word, name);
    });
    return std::exchange(argc, int(end - argv)) != argc;
  };
  const bool launches = flag("--launch"), json = flag("--json");
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr,
                 "launch_cost PACKAGE [LAUNCHES] [--launch] [--json]\n");
    return 2;
  }
  const size_t count = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 100000;
  auto opened = openDriver();
  if (!opened) {
    std::fputs(opened.error().text().c_str(), stderr);
    return 1;
  }
  real = *opened;
  Driver driver = *real;
  driver.launchKernelEx = [](const cuda::LaunchConfig *, cuda::Function,
                             void **, void **) { return 0; };
  if (launches)
    driver.launchKernelEx = [](const cuda::LaunchConfig *config,
                               cuda::Function function, void **parameters,
                               void **extra) {
      const auto start = Clock::now();
      const cuda::Result r =
          real->launchKernelEx(config, function, parameters, extra);
      inDriver += since(start);
      return r;
    };
  cuda::Context context = nullptr;
  if (real->devicePrimaryCtxRetain(&context, 0) || real->ctxSetCurrent(context))
    return 1;
  // Tensors that a kernel may really use: the smaller shapes lie within.
  cuda::Pointer memory = uint64_t{1} << 40;
  if (launches && real->memAlloc(&memory, (size_t{3} << 30) + (1 << 28)))
    return 1;
  auto package = Package::read(argv[1], &driver);
  if (!package) {
    std::fputs(package.error().text().c_str(), stderr);
    return 1;
  }
  auto *kernel = reinterpret_cast<titan_kernel *>(*(*package)->kernel(""));

  struct Case {
    const char *name;
    std::vector<Call> calls;
  } cases[] = {{"same", {}}, {"rotating", {}}, {"fresh", {}}, {"shapes", {}}};
  cases[0].calls.emplace_back(256, 256, 256, memory);
  for (int i = 0; i < 8; ++i)
    cases[1].calls.emplace_back(256, 256, 256, memory + (uint64_t(i) << 20));
  for (int i = 0; i < 4096; ++i)
    cases[2].calls.emplace_back(256, 256, 256, memory + (uint64_t(i) << 12));
  for (int i = 0; i < 16; ++i)
    cases[3].calls.emplace_back(256 + 8 * i, 256, 256, memory);
  const char *before = "{";
  for (Case &c : cases) {
    std::vector<double> rounds;
    size_t next = 0;
    for (size_t round = 0; round <= count / 500; ++round) {
      inDriver = 0;
      const auto start = Clock::now();
      for (int i = 0; i < 500; ++i)
        c.calls[next++ % c.calls.size()].launch(kernel);
      if (round) // The first loads the code.
        rounds.push_back((since(start) - inDriver) / 500);
    }
    std::sort(rounds.begin(), rounds.end());
    if (!json) {
      std::printf("%-9s %6.0f ns, median %6.0f\n", c.name, rounds.front(),
                  rounds[rounds.size() / 2]);
      continue;
    }
    std::printf("%s\n \"%s\": [", std::exchange(before, ","), c.name);
    for (size_t i = 0; i < rounds.size(); ++i)
      std::printf("%s%.1f", i ? ", " : "", rounds[i]);
    std::printf("]");
  }
  if (json)
    std::puts("\n}");
  return 0;
}
