//===- LaunchTest.cpp - Launches against a fake driver --------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include "TestPackage.h"
#include "titan/Runtime/Runtime.h"

#include <gtest/gtest.h>
#include <thread>

using namespace titan;
using namespace titan::runtime;

namespace {

constexpr uint64_t addressA = 0x7f0000010000, addressB = 0x7f0000020000,
                   addressD = 0x7f0000030000;

/// The arguments of the test GEMM for a size; leading strides in elements.
std::vector<Argument> gemmArguments(int64_t m, int64_t n, int64_t k) {
  return {Argument::dense(addressA, DType::BF16, std::vector{m, k}),
          Argument::dense(addressB, DType::BF16, std::vector{n, k}),
          Argument::dense(addressD, DType::F32, std::vector{m, n}),
          Argument::floating(DType::F32, 1.5),
          Argument::integer(DType::I32, 2)};
}

class Launch : public testing::Test {
protected:
  void SetUp() override {
    fake::reset();
    driver = fake::makeDriver();
    open(gemmManifest);
  }

  void open(const std::string &manifest) {
    auto file = writePackage(manifest, gemmBlobs());
    ASSERT_TRUE(file) << file.error().text();
    auto p = Package::parse(*file, "gemm.titanpkg", &driver);
    ASSERT_TRUE(p) << p.error().text();
    package = std::move(*p);
    kernel = *package->kernel("gemm");
  }

  /// The code of a launch's error, "ok" if there is none.
  std::string launch(const std::vector<Argument> &arguments) {
    auto ok = kernel->launch(arguments, stream);
    if (ok)
      return "ok";
    text = ok.error().text();
    EXPECT_FALSE(ok.error().message.empty()) << text;
    EXPECT_FALSE(ok.error().rule.empty()) << text;
    EXPECT_FALSE(ok.error().place.empty()) << text;
    EXPECT_FALSE(ok.error().fix.empty()) << text;
    return ok.error().code;
  }

  const cuda::Stream stream = reinterpret_cast<cuda::Stream>(0x5eed);
  Driver driver;
  std::unique_ptr<Package> package;
  Kernel *kernel = nullptr;
  std::string text; ///< Of the last error.
};

TEST_F(Launch, WhatTheDriverIsGiven) {
  static uint8_t map[128];
  static uint64_t pointer;
  static int32_t m, splits;
  static int64_t stride;
  static float alpha;
  fake::state.onLaunch = [](const fake::Launch &l) {
    std::memcpy(map, l.parameters[1], sizeof map);
    std::memcpy(&pointer, l.parameters[2], 8);
    std::memcpy(&m, l.parameters[3], 4);
    std::memcpy(&stride, l.parameters[4], 8);
    std::memcpy(&alpha, l.parameters[5], 4);
    std::memcpy(&splits, l.parameters[6], 4);
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(reinterpret_cast<uint64_t>(l.parameters[i]) % 64, 0u);
  };
  ASSERT_EQ(launch(gemmArguments(129, 264, 72)), "ok") << text;

  const fake::Launch &l = fake::state.launch;
  EXPECT_EQ(l.config.gridDimX, 6u); // 2 * 3 tiles
  EXPECT_EQ(l.config.gridDimY, 1u);
  EXPECT_EQ(l.config.gridDimZ, 1u);
  EXPECT_EQ(l.config.blockDimX, 384u);
  EXPECT_EQ(l.config.blockDimY, 1u);
  EXPECT_EQ(l.config.sharedMemBytes, 200000u);
  EXPECT_EQ(l.config.stream, stream);
  EXPECT_EQ(l.attributes.size(), 0u);
  EXPECT_EQ(pointer, addressD);
  EXPECT_EQ(m, 129);
  EXPECT_EQ(stride, 264);
  EXPECT_EQ(alpha, 1.5f);
  EXPECT_EQ(splits, 2);
  uint64_t word;
  std::memcpy(&word, map + 120, 8);
  EXPECT_EQ(word, addressB + 72);

  ASSERT_EQ(fake::state.encodes.size(), 2u);
  const fake::Encode &e = fake::state.encodes[0];
  EXPECT_EQ(e.type, 9); // bf16
  EXPECT_EQ(e.address, addressA);
  EXPECT_EQ(e.dims, (std::vector<uint64_t>{72, 129}));
  EXPECT_EQ(e.byteStrides, (std::vector<uint64_t>{144}));
  EXPECT_EQ(e.box, (std::vector<uint32_t>{64, 128}));
  EXPECT_EQ(e.elementStrides, (std::vector<uint32_t>{1, 1}));
  EXPECT_EQ(e.interleave, 0);
  EXPECT_EQ(e.swizzle, 3);
  EXPECT_EQ(e.l2Promotion, 2);
  EXPECT_EQ(e.fill, 0);
  EXPECT_TRUE(e.aligned);
  EXPECT_EQ(fake::state.encodes[1].l2Promotion, 0);

  // The cubin is taken, the entry found, shared memory allowed.
  EXPECT_EQ(fake::state.image.substr(1, 3), "ELF");
  EXPECT_EQ(fake::state.entry, "gemm_entry");
  EXPECT_EQ(fake::state
                .functionAttributesSet[cuda::functionMaxDynamicSharedSizeBytes],
            200000);
}

TEST_F(Launch, MoreTilesThanMultiprocessors) {
  ASSERT_EQ(launch(gemmArguments(8192, 8192, 8192)), "ok") << text;
  EXPECT_EQ(fake::state.launch.config.gridDimX, 132u);
}

TEST_F(Launch, TheLaunchPathMakesOneCall) {
  ASSERT_EQ(launch(gemmArguments(256, 256, 64)), "ok") << text;
  fake::state.calls.clear();
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(launch(gemmArguments(256, 256, 64)), "ok") << text;
  // No allocation, no copy, no synchronisation, no encoding: everything that
  // is called, three times over.
  const std::vector<std::string> once{"cuCtxGetCurrent", "cuCtxGetId",
                                      "cuLaunchKernelEx"};
  std::vector<std::string> expected;
  for (int i = 0; i < 3; ++i)
    expected.insert(expected.end(), once.begin(), once.end());
  EXPECT_EQ(fake::state.calls, expected);
  // Another shape: two encodings more, still nothing else.
  fake::state.calls.clear();
  ASSERT_EQ(launch(gemmArguments(256, 256, 128)), "ok") << text;
  EXPECT_EQ(fake::state.calls,
            (std::vector<std::string>{
                "cuCtxGetCurrent", "cuCtxGetId", "cuTensorMapEncodeTiled",
                "cuTensorMapEncodeTiled", "cuLaunchKernelEx"}));
}

TEST_F(Launch, TheMapCacheIsBoundedAndKeepsTheLatest) {
  auto withBase = [&](int i) {
    auto a = gemmArguments(256, 256, 64);
    a[0].bits += 4096 * static_cast<uint64_t>(i);
    return a;
  };
  for (int i = 0; i < 200; ++i)
    ASSERT_EQ(launch(withBase(i)), "ok") << text;
  // B's map was used in every launch and is still there.
  EXPECT_EQ(fake::state.encodes.size(), 201u);
  ASSERT_EQ(launch(withBase(199)), "ok");
  EXPECT_EQ(fake::state.encodes.size(), 201u);
  ASSERT_EQ(launch(withBase(0)), "ok");
  EXPECT_EQ(fake::state.encodes.size(), 202u);
  // The map that was replaced is not handed out for another address.
  EXPECT_EQ(fake::state.encodes.back().address, addressA);
}

TEST_F(Launch, CapturedOnlyOnceLoaded) {
  fake::state.capturing = 1;
  EXPECT_EQ(launch(gemmArguments(256, 256, 64)), "launch-capture");
  EXPECT_EQ(fake::state.count("cuModuleLoadDataEx"), 0u);
  fake::state.capturing = 0;
  ASSERT_TRUE(kernel->load());
  fake::state.capturing = 1;
  EXPECT_EQ(launch(gemmArguments(256, 256, 64)), "ok") << text;
  // A capture elsewhere makes the question itself an error (906).
  open(gemmManifest);
  fake::state.capturing = 0;
  fake::state.failures["cuStreamIsCapturing"] = 906;
  EXPECT_EQ(launch(gemmArguments(256, 256, 64)), "launch-capture");
  fake::state.failures["cuStreamIsCapturing"] = 400;
  EXPECT_EQ(launch(gemmArguments(256, 256, 64)), "launch-failed");
}

TEST_F(Launch, OverlapIsAnAttribute) {
  open(patched(R"([
    {"op": "add", "path": "/kernels/0/programmatic", "value": true}])"));
  ASSERT_EQ(launch(gemmArguments(256, 256, 64)), "ok") << text;
  ASSERT_EQ(fake::state.launch.attributes.size(), 1u);
  EXPECT_EQ(fake::state.launch.attributes[0].id, 6);
  EXPECT_EQ(
      fake::state.launch.attributes[0].value.programmaticStreamSerialization,
      1);
  // Beside a cluster it is the second one.
  open(patched(R"([
    {"op": "add", "path": "/kernels/0/programmatic", "value": true},
    {"op": "replace", "path": "/kernels/0/cluster", "value": [2, 1, 1]},
    {"op": "replace", "path": "/kernels/0/grid", "value": [8, 4, 1]}])"));
  ASSERT_EQ(launch(gemmArguments(256, 256, 64)), "ok") << text;
  ASSERT_EQ(fake::state.launch.attributes.size(), 2u);
  EXPECT_EQ(fake::state.launch.attributes[0].id, 4);
  EXPECT_EQ(fake::state.launch.attributes[1].id, 6);
}

TEST_F(Launch, ClustersAreAnAttribute) {
  open(patched(R"([
    {"op": "replace", "path": "/kernels/0/cluster", "value": [2, 1, 1]},
    {"op": "replace", "path": "/kernels/0/grid/0",
     "value": ["mul", 2, {"device": "max_active_clusters"}]}])"));
  fake::state.occupancy = 60;
  ASSERT_EQ(launch(gemmArguments(256, 256, 64)), "ok") << text;
  EXPECT_EQ(fake::state.launch.config.gridDimX, 120u);
  ASSERT_EQ(fake::state.launch.attributes.size(), 1u);
  const auto &a = fake::state.launch.attributes[0];
  EXPECT_EQ(a.id, 4);
  EXPECT_EQ(a.value.clusterDim.x, 2u);
  EXPECT_EQ(a.value.clusterDim.y, 1u);
  EXPECT_EQ(a.value.clusterDim.z, 1u);
  EXPECT_EQ(fake::state.functionAttributesSet.count(
                cuda::functionNonPortableClusterSizeAllowed),
            0u);
  open(patched(R"([
    {"op": "replace", "path": "/kernels/0/cluster", "value": [4, 4, 1]},
    {"op": "replace", "path": "/kernels/0/grid", "value": [8, 4, 1]}])"));
  ASSERT_EQ(launch(gemmArguments(256, 256, 64)), "ok") << text;
  EXPECT_EQ(
      fake::state
          .functionAttributesSet[cuda::functionNonPortableClusterSizeAllowed],
      1);
}

TEST_F(Launch, GridRange) {
  auto grid = [&](const char *value) {
    open(patched(
        (std::string(R"([{"op":"replace","path":"/kernels/0/grid","value":)") +
         value + "}]")
            .c_str()));
    return launch(gemmArguments(256, 256, 64));
  };
  EXPECT_EQ(grid("[0, 1, 1]"), "launch-zero-dim");
  EXPECT_EQ(grid("[1, 1, -3]"), "launch-zero-dim");
  EXPECT_EQ(grid("[2147483647, 65535, 65535]"), "ok");
  EXPECT_EQ(grid("[2147483648, 1, 1]"), "launch-grid");
  EXPECT_EQ(grid("[1, 65536, 1]"), "launch-grid");
  EXPECT_EQ(grid("[[\"floordiv\", 1, 0], 1, 1]"), "launch-division");
  EXPECT_NE(text.find("floordiv(1, 0)"), std::string::npos) << text;
  open(patched(R"([
    {"op": "replace", "path": "/kernels/0/cluster", "value": [2, 1, 1]},
    {"op": "replace", "path": "/kernels/0/grid", "value": [5, 1, 1]}])"));
  EXPECT_EQ(launch(gemmArguments(256, 256, 64)), "launch-grid");
}

TEST_F(Launch, ArgumentErrors) {
  const auto good = gemmArguments(256, 256, 64);
  auto code = [&](auto change) {
    auto a = good;
    change(a);
    return launch(a);
  };
  using Args = std::vector<Argument>;
  EXPECT_EQ(code([](Args &a) { a.pop_back(); }), "argument-missing");
  EXPECT_EQ(code([](Args &a) { a.push_back(a[0]); }), "argument-unknown");
  EXPECT_EQ(code([](Args &a) { std::swap(a[0], a[3]); }), "argument-shape");
  EXPECT_EQ(code([](Args &a) { a[0].type = DType::F16; }), "argument-shape");
  EXPECT_NE(text.find("f16"), std::string::npos);
  EXPECT_NE(text.find("argument 'A'"), std::string::npos);
  EXPECT_EQ(code([](Args &a) { a[0].rank = 3; }), "argument-shape");
  EXPECT_EQ(code([](Args &a) { a[0].rank = maxRank + 1; }), "argument-shape");
  EXPECT_EQ(code([](Args &a) { a[0].dims[0] = -1; }), "argument-shape");
  EXPECT_EQ(code([](Args &a) { a[1].dims[1] = 65; }), "argument-shape");
  EXPECT_NE(text.find("K is 65"), std::string::npos) << text;
  EXPECT_EQ(code([](Args &a) { a[2].dims[0] = 128; }), "argument-shape");
  EXPECT_EQ(code([](Args &a) { a[0].strides[1] = 2; }), "argument-shape");
  EXPECT_NE(text.find("contiguous"), std::string::npos) << text;
  EXPECT_EQ(code([](Args &a) { a[0].strides[0] = -64; }), "argument-shape");
  EXPECT_EQ(code([](Args &a) { a[0].bits = 0; }), "argument-alignment");
  EXPECT_EQ(code([](Args &a) { a[0].bits += 8; }), "argument-alignment");
  EXPECT_EQ(code([](Args &a) { a[2].bits += 2; }), "argument-alignment");
  EXPECT_EQ(code([](Args &a) { a[0].strides[0] = INT64_MAX / 100; }),
            "launch-overflow");
  EXPECT_EQ(code([](Args &a) { a[0].bits = UINT64_MAX - 15; }),
            "launch-overflow");
  EXPECT_EQ(code([](Args &a) { a[0].dims[0] = a[2].dims[0] = INT64_MAX; }),
            "launch-overflow");
  // None of these came near the driver.
  EXPECT_TRUE(fake::state.calls.empty());

  // B: its declared alignment is 2, so the tensor map's rule is what stops it.
  EXPECT_EQ(code([](Args &a) { a[1].bits += 8; }), "tma-base-alignment");
  EXPECT_NE(text.find("tensor map 'B.load'"), std::string::npos) << text;
  EXPECT_EQ(code([](Args &a) { a[1].strides[0] = 68; }),
            "tma-stride-alignment");
  EXPECT_EQ(code([](Args &a) { a[1].strides[0] = int64_t{1} << 39; }),
            "tma-stride-range");
  EXPECT_EQ(fake::state.count("cuTensorMapEncodeTiled"), 0u);
  EXPECT_EQ(fake::state.count("cuLaunchKernelEx"), 0u);
}

TEST_F(Launch, Im2colMaps) {
  // N images of 6 x 6 pixels of 64 channels, an interleaved map beside it.
  open(patched(R"([
    {"op": "remove", "path": "/kernels/0/tensor_maps/0/box"},
    {"op": "remove", "path": "/kernels/0/tensor_maps/0/element_strides"},
    {"op": "replace", "path": "/kernels/0/tensor_maps/0/dims",
     "value": [64, 6, {"dim": ["A", 0]}, 2]},
    {"op": "replace", "path": "/kernels/0/tensor_maps/0/byte_strides",
     "value": [128, 768, 4608]},
    {"op": "add", "path": "/kernels/0/tensor_maps/0/im2col",
     "value": {"pixels": 32, "channels": 64, "lower": [-1, 0],
               "upper": [-2, -3]}},
    {"op": "replace", "path": "/kernels/0/tensor_maps/1/box",
     "value": [16, 1, 2]},
    {"op": "add", "path": "/kernels/0/tensor_maps/1/interleave",
     "value": "32B"},
    {"op": "replace", "path": "/kernels/0/tensor_maps/1/dims",
     "value": [5, 2, 3]},
    {"op": "replace", "path": "/kernels/0/tensor_maps/1/byte_strides",
     "value": [160, 320]}])"));
  ASSERT_EQ(launch(gemmArguments(6, 8, 64)), "ok") << text;
  ASSERT_EQ(fake::state.encodes.size(), 2u);
  const fake::Encode &e = fake::state.encodes[0];
  EXPECT_EQ(fake::state.count("cuTensorMapEncodeIm2col"), 1u);
  EXPECT_EQ(e.type, 9); // bf16
  EXPECT_EQ(e.address, addressA);
  EXPECT_EQ(e.dims, (std::vector<uint64_t>{64, 6, 6, 2}));
  EXPECT_EQ(e.byteStrides, (std::vector<uint64_t>{128, 768, 4608}));
  EXPECT_EQ(e.lower, (std::vector<int>{-1, 0})); // W first
  EXPECT_EQ(e.upper, (std::vector<int>{-2, -3}));
  EXPECT_EQ(e.channels, 64u);
  EXPECT_EQ(e.pixels, 32u);
  EXPECT_EQ(e.elementStrides, (std::vector<uint32_t>{1, 1, 1, 1}));
  EXPECT_EQ(e.swizzle, 3);
  EXPECT_EQ(e.l2Promotion, 2);
  EXPECT_TRUE(e.aligned);
  EXPECT_EQ(fake::state.encodes[1].interleave, 2);

  // The box is empty where there are three rows, which only the launch knows.
  EXPECT_EQ(launch(gemmArguments(3, 8, 64)), "tma-im2col");
  EXPECT_EQ(fake::state.count("cuTensorMapEncodeIm2col"), 1u);
}

TEST_F(Launch, EmptyAndSingleDimensions) {
  EXPECT_EQ(launch(gemmArguments(0, 256, 64)), "launch-zero-dim");
  EXPECT_EQ(launch(gemmArguments(256, 256, 0)), "tma-dim-range");
  EXPECT_EQ(launch(gemmArguments(1, 8, 8)), "ok") << text;
  // The stride of a dimension of one element does not matter to a static 1.
  auto a = gemmArguments(1, 8, 1);
  a[0].strides[1] = 77;
  a[0].strides[0] = a[1].strides[0] = 8;
  EXPECT_EQ(launch(a), "ok") << text;
}

TEST_F(Launch, LaunchChecks) {
  EXPECT_EQ(launch(gemmArguments(256, 255, 64)), "tma-store-tail");
  EXPECT_NE(text.find("rows of D take 1020 bytes"), std::string::npos) << text;
  EXPECT_NE(text.find("fix: pad D"), std::string::npos) << text;
  auto a = gemmArguments(256, 256, 64);
  a[4] = Argument::integer(DType::I32, -1);
  EXPECT_EQ(launch(a), "splits-range");
  EXPECT_NE(text.find("splits is -1"), std::string::npos) << text;
  // A check without a rule of its own shows its condition.
  EXPECT_NE(text.find("and(lt(0, splits), le(splits, 8))"), std::string::npos)
      << text;
  a[4] = Argument::integer(DType::I32, 9);
  EXPECT_EQ(launch(a), "splits-range");
  EXPECT_EQ(fake::state.count("cuLaunchKernelEx"), 0u);
}

TEST_F(Launch, ParametersMustFitTheirType) {
  open(patched(R"([{"op": "replace", "path": "/kernels/0/parameters/3/value",
    "value": ["mul", {"dim": ["A", 0]}, 4294967296]}])"));
  EXPECT_EQ(launch(gemmArguments(256, 256, 64)), "launch-overflow");
}

TEST_F(Launch, DriverFailures) {
  const auto good = gemmArguments(256, 256, 64);
  struct Case {
    const char *symbol;
    cuda::Result result;
    const char *code;
  };
  for (Case c :
       {Case{"cuCtxGetCurrent", 3, "driver-error"},
        {"cuCtxGetId", 201, "driver-error"},
        {"cuCtxGetDevice", 201, "driver-error"},
        {"cuDeviceGetAttribute", 1, "driver-error"},
        {"cuModuleLoadDataEx", 218, "jit-failed"},
        {"cuModuleGetFunction", 500, "jit-failed"},
        {"cuFuncGetAttribute", 1, "driver-error"},
        {"cuFuncSetAttribute", 1, "driver-error"},
        {"cuOccupancyMaxActiveBlocksPerMultiprocessor", 1, "driver-error"},
        {"cuTensorMapEncodeTiled", 1, "tma-encode"},
        {"cuLaunchKernelEx", 701, "launch-failed"},
        {"cuLaunchKernelEx", 700, "kernel-fault"},
        {"cuLaunchKernelEx", 719, "kernel-fault"}}) {
    open(gemmManifest);
    fake::state.failures = {{c.symbol, c.result}};
    EXPECT_EQ(launch(good), c.code) << c.symbol;
    EXPECT_NE(text.find("CUDA_ERROR_FAKE (" + std::to_string(c.result) + ")"),
              std::string::npos)
        << text;
    // The failure is not remembered.
    fake::state.failures.clear();
    EXPECT_EQ(launch(good), "ok") << c.symbol << text;
  }
  open(gemmManifest);
  fake::state.context = 0;
  EXPECT_EQ(launch(good), "driver-error");
  EXPECT_NE(text.find("no CUDA context"), std::string::npos);
}

TEST_F(Launch, JitLogIsPartOfTheError) {
  fake::state.failures["cuModuleLoadDataEx"] = 218;
  fake::state.jitLog = "ptxas line 7; syntax error\n";
  EXPECT_EQ(launch(gemmArguments(256, 256, 64)), "jit-failed");
  EXPECT_NE(text.find("ptxas line 7; syntax error"), std::string::npos) << text;
}

TEST_F(Launch, CodeForTheDevice) {
  const auto good = gemmArguments(256, 256, 64);
  // sm_90a code runs on 9.0 alone.
  fake::state.deviceAttributes[cuda::computeCapabilityMajor] = 10;
  EXPECT_EQ(launch(good), "device-mismatch");
  EXPECT_NE(text.find("capability 10.0"), std::string::npos) << text;
  EXPECT_NE(text.find("cubin for sm_90a, PTX for sm_90a"), std::string::npos);
  EXPECT_EQ(fake::state.count("cuModuleLoadDataEx"), 0u);
  fake::state.deviceAttributes[cuda::computeCapabilityMajor] = 8;
  EXPECT_EQ(launch(good), "device-mismatch");
  // PTX without a suffix runs on later devices, a cubin does not.
  open(patched(R"([
    {"op": "replace", "path": "/code/0/arch", "value": "sm_90"},
    {"op": "replace", "path": "/code/1/arch", "value": "sm_90"}])"));
  fake::state.deviceAttributes[cuda::computeCapabilityMajor] = 10;
  EXPECT_EQ(launch(good), "ok") << text;
  EXPECT_EQ(fake::state.image, ".version");
}

TEST_F(Launch, ResourcesOfTheDevice) {
  fake::state.deviceAttributes[cuda::maxSharedMemoryPerBlockOptin] = 166912;
  EXPECT_EQ(launch(gemmArguments(256, 256, 64)), "device-mismatch");
  fake::state.deviceAttributes[cuda::maxSharedMemoryPerBlockOptin] = 232448;
  fake::state.occupancy = 0;
  EXPECT_EQ(launch(gemmArguments(256, 256, 64)), "launch-failed");
  EXPECT_NE(text.find("168 registers"), std::string::npos) << text;
}

TEST_F(Launch, EachContextHasItsCode) {
  const auto good = gemmArguments(256, 256, 64);
  ASSERT_EQ(launch(good), "ok");
  const auto first = fake::state.launch.function;
  fake::state.context = 2;
  ASSERT_EQ(launch(good), "ok");
  EXPECT_NE(fake::state.launch.function, first);
  EXPECT_EQ(fake::state.count("cuModuleLoadDataEx"), 2u);
  fake::state.context = 1;
  ASSERT_EQ(launch(good), "ok");
  EXPECT_EQ(fake::state.launch.function, first);
  EXPECT_EQ(fake::state.count("cuModuleLoadDataEx"), 2u);
  // Destruction unloads in the current context, and touches no other.
  package.reset();
  EXPECT_EQ(fake::state.count("cuModuleUnload"), 1u);
}

TEST_F(Launch, SeveralKernelsShareAModule) {
  open(patched(R"([
    {"op": "copy", "from": "/kernels/0", "path": "/kernels/1"},
    {"op": "replace", "path": "/kernels/1/name", "value": "other"}])"));
  EXPECT_FALSE(package->kernel(""));
  EXPECT_EQ(package->kernel("").error().code, "no-kernel");
  EXPECT_EQ(package->kernel("third").error().code, "no-kernel");
  for (const char *name : {"gemm", "other"})
    ASSERT_TRUE(
        (*package->kernel(name))->launch(gemmArguments(256, 256, 64), stream));
  EXPECT_EQ(fake::state.count("cuModuleLoadDataEx"), 1u);
  EXPECT_EQ(fake::state.count("cuModuleGetFunction"), 2u);
}

TEST_F(Launch, ManyThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> failed = 0;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        auto a = gemmArguments(256, 256, 64);
        a[0].bits += 4096 * static_cast<uint64_t>((i * 7 + t) % 90);
        failed += !kernel->launch(a, stream);
      }
    });
  for (std::thread &t : threads)
    t.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(fake::state.count("cuModuleLoadDataEx"), 1u);
  EXPECT_EQ(fake::state.count("cuLaunchKernelEx"), 800u);
}

TEST(Driver, AbsentOrUnfit) {
  auto r = openDriver("libtitan-no-such-driver.so.1");
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, "no-gpu");
  r = openDriver("libc.so.6"); // A library that is no driver.
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, "no-gpu");
  EXPECT_NE(r.error().message.find("has no function cu"), std::string::npos);
}

} // namespace
