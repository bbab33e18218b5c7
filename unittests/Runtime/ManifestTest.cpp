//===- ManifestTest.cpp - The manifest's schema ---------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPackage.h"

#include <gtest/gtest.h>

using namespace titan;
using namespace titan::runtime;

namespace {

TEST(Manifest, ReadsEveryField) {
  auto m = parseManifest(gemmManifest, "x");
  ASSERT_TRUE(m) << m.error().text();
  EXPECT_EQ(m->compiler, "titan test");
  EXPECT_EQ(m->target->name, "sm_90a");
  ASSERT_EQ(m->code.size(), 2u);
  EXPECT_EQ(m->code[0].kind, CodeSpec::Cubin);
  EXPECT_EQ(m->code[1].blob, "gemm.ptx");
  ASSERT_EQ(m->kernels.size(), 1u);
  const KernelSpec &k = m->kernels[0];
  EXPECT_EQ(m->findKernel("gemm"), &k);
  EXPECT_EQ(m->findKernel("other"), nullptr);
  EXPECT_EQ(k.entry, "gemm_entry");
  ASSERT_EQ(k.arguments.size(), 5u);
  EXPECT_EQ(k.arguments[0].alignment, 16);
  EXPECT_EQ(k.arguments[1].alignment, 2);
  EXPECT_EQ(k.arguments[0].shape, (std::vector<int64_t>{dynamic, dynamic}));
  EXPECT_EQ(k.arguments[0].dimNames, (std::vector<std::string>{"M", "K"}));
  EXPECT_EQ(k.arguments[0].strides, (std::vector<int64_t>{dynamic, 1}));
  EXPECT_EQ(k.arguments[2].access, Access::Write);
  EXPECT_FALSE(k.arguments[3].isTensor);
  EXPECT_EQ(k.block, 384);
  EXPECT_EQ(k.registers, 168);
  EXPECT_EQ(k.dynamicShared, 200000);
  EXPECT_EQ(k.staticShared, 64);
  ASSERT_EQ(k.tensorMaps.size(), 2u);
  EXPECT_EQ(k.tensorMaps[0].format.swizzle->name, "128B");
  EXPECT_EQ(k.tensorMaps[0].format.l2Promotion, 128);
  EXPECT_EQ(k.tensorMaps[1].format.elementStrides[1], 1u);
  ASSERT_EQ(k.parameters.size(), 7u);
  // 0, 128: maps; 256: pointer; 264: i32; 272: i64; 280: f32; 284: i32.
  const size_t offsets[] = {0, 128, 256, 264, 272, 280, 284};
  for (size_t i = 0; i < 7; ++i)
    EXPECT_EQ(k.parameters[i].offset, offsets[i]) << i;
  EXPECT_EQ(k.checks.size(), 2u);
  EXPECT_FALSE(k.flops.empty());
}

TEST(Manifest, Refusals) {
  struct Case {
    const char *patch, *code, *message;
  };
  const Case cases[] = {
      {R"([{"op":"replace","path":"/format","value":2}])", "package-version",
       "format 2"},
      {R"([{"op":"remove","path":"/format"}])", "manifest-invalid",
       "format: missing"},
      {R"([{"op":"add","path":"/formats","value":2}])", "manifest-invalid",
       "unknown field 'formats'"},
      {R"([{"op":"remove","path":"/kernels/0"}])", "manifest-invalid",
       "no kernel"},
      {R"([{"op":"copy","from":"/kernels/0","path":"/kernels/1"}])",
       "manifest-invalid", "second kernel"},
      {R"([{"op":"replace","path":"/code","value":[]}])", "manifest-invalid",
       "no code"},
      {R"([{"op":"replace","path":"/code/0/arch","value":"hopper"}])",
       "manifest-invalid", "code[0].arch"},
      {R"([{"op":"replace","path":"/code/0/kind","value":"fatbin"}])",
       "manifest-invalid", "code[0].kind"},
      {R"([{"op":"replace","path":"/kernels/0/block","value":0}])",
       "manifest-invalid", "kernels[0].block"},
      {R"([{"op":"replace","path":"/kernels/0/block","value":1025}])",
       "manifest-invalid", "1 to 1024"},
      {R"([{"op":"replace","path":"/kernels/0/block","value":"384"}])",
       "manifest-invalid", "kernels[0].block"},
      {R"([{"op":"replace","path":"/kernels/0/block","value":1e300}])",
       "manifest-invalid", "kernels[0].block"},
      {R"([{"op":"replace","path":"/kernels/0/entry","value":""}])",
       "manifest-invalid", "expected a name"},
      {R"([{"op":"replace","path":"/kernels/0/grid","value":[1,1]}])",
       "manifest-invalid", "expected 3 elements"},
      {R"([{"op":"replace","path":"/kernels/0/cluster","value":[4,4,2]}])",
       "manifest-invalid", "16 CTAs"},
      {R"([{"op":"replace","path":"/kernels/0/arguments/1/name","value":"A"}])",
       "manifest-invalid", "second argument"},
      {R"([{"op":"replace","path":"/kernels/0/arguments/0/type","value":"bfloat"}])",
       "manifest-invalid", "'bfloat' is not an element type"},
      {R"([{"op":"replace","path":"/kernels/0/arguments/0/kind","value":"x"}])",
       "manifest-invalid", "tensor or scalar"},
      {R"([{"op":"replace","path":"/kernels/0/arguments/0/strides","value":[1]}])",
       "manifest-invalid", "arguments[0].strides"},
      {R"([{"op":"replace","path":"/kernels/0/arguments/0/shape","value":[1,2,3,4,5,6,7,8,9]}])",
       "manifest-invalid", "more than 8"},
      {R"([{"op":"replace","path":"/kernels/0/arguments/0/alignment","value":24}])",
       "manifest-invalid", "power of two"},
      {R"([{"op":"add","path":"/kernels/0/arguments/0/initial","value":0}])",
       "manifest-invalid", "a tensor of floats has none"},
      {R"([{"op":"add","path":"/kernels/0/arguments/3/shape","value":[]}])",
       "manifest-invalid", "a scalar has none"},
      {R"([{"op":"replace","path":"/kernels/0/parameters/0","value":{"pointer":"alpha"}}])",
       "manifest-invalid", "not a tensor argument"},
      {R"([{"op":"replace","path":"/kernels/0/parameters/0","value":{"scalar":"A"}}])",
       "manifest-invalid", "not a scalar argument"},
      {R"([{"op":"replace","path":"/kernels/0/parameters/0","value":{"tensor_map":"C"}}])",
       "manifest-invalid", "not a tensor map"},
      {R"([{"op":"replace","path":"/kernels/0/parameters/0","value":{}}])",
       "manifest-invalid", "one of pointer"},
      {R"([{"op":"replace","path":"/kernels/0/parameters/3/type","value":"i8"}])",
       "manifest-invalid", "i32 or i64"},
      {R"([{"op":"add","path":"/kernels/0/parameters/2/type","value":"i64"}])",
       "manifest-invalid", "type of its own"},
      {R"([{"op":"replace","path":"/kernels/0/checks/0/values","value":[]}])",
       "manifest-invalid", "names a value"},
      {R"([{"op":"replace","path":"/kernels/0/tensor_maps/1/name","value":"A.load"}])",
       "manifest-invalid", "second tensor map"},
      {R"([{"op":"replace","path":"/kernels/0/tensor_maps/0/dims","value":[1]}])",
       "manifest-invalid", "dims"},
      {R"([{"op":"replace","path":"/kernels/0/tensor_maps/0/swizzle","value":"96B"}])",
       "manifest-invalid", "'96B' is not a swizzle"},
      {R"([{"op":"replace","path":"/kernels/0/tensor_maps/0/box","value":[]}])",
       "manifest-invalid", "element_strides"},
      {R"([{"op":"replace","path":"/kernels/0/tensor_maps/1/box","value":[64,257]}])",
       "tma-box-range", "257"},
      {R"([{"op":"replace","path":"/kernels/0/tensor_maps/1/box","value":[64,0]}])",
       "tma-box-range", "extent 0"},
      {R"([{"op":"replace","path":"/kernels/0/tensor_maps/1/box","value":[4,8]}])",
       "tma-box-bytes", "8 bytes"},
      {R"([{"op":"replace","path":"/kernels/0/tensor_maps/1/box","value":[128,8]}])",
       "tma-box-swizzle", "spans 128"},
      {R"([{"op":"add","path":"/kernels/0/tensor_maps/1/element_strides","value":[1,9]}])",
       "tma-element-stride", "stride 9"},
      {R"([{"op":"add","path":"/kernels/0/tensor_maps/1/interleave","value":"16B"}])",
       "tma-rank", "rank 2"},
      {R"([{"op":"add","path":"/kernels/0/tensor_maps/1/im2col","value":{"pixels":1,"channels":64,"lower":[],"upper":[]}}])",
       "manifest-invalid", "both box and im2col"},
      {R"([{"op":"remove","path":"/kernels/0/tensor_maps/1/box"},
           {"op":"add","path":"/kernels/0/tensor_maps/1/im2col","value":{"pixels":1,"channels":64,"lower":[],"upper":[]}}])",
       "tma-rank", "rank 2"},
      {R"([{"op":"remove","path":"/kernels/0/tensor_maps/1/box"},
           {"op":"add","path":"/kernels/0/tensor_maps/1/im2col","value":{"pixels":1,"channels":64,"lower":[1],"upper":[]}}])",
       "manifest-invalid", "im2col.upper"},
      {R"([{"op":"remove","path":"/kernels/0/tensor_maps/1/box"},
           {"op":"replace","path":"/kernels/0/tensor_maps/1/dims","value":[64,8,8]},
           {"op":"replace","path":"/kernels/0/tensor_maps/1/byte_strides","value":[128,1024]},
           {"op":"add","path":"/kernels/0/tensor_maps/1/im2col","value":{"pixels":1,"channels":64,"lower":[-32769],"upper":[0]}}])",
       "tma-im2col", "corner -32769"},
      {R"([{"op":"replace","path":"/kernels/0/tensor_maps/1/swizzle","value":"128B_atom_32B"}])",
       "tma-swizzle-target", "sm_90a"},
      {R"([{"op":"replace","path":"/kernels/0/tensor_maps/1/type","value":"b4x16"}])",
       "tma-swizzle-target", "b4x16"},
      {R"([{"op":"replace","path":"/target","value":"sm_100a"},
           {"op":"replace","path":"/kernels/0/tensor_maps/1/type","value":"b4x16"}])",
       "manifest-invalid", "packed"},
      {R"([{"op":"replace","path":"/target","value":"sm_75"}])",
       "manifest-invalid", "not a target"},
      {R"([{"op":"replace","path":"/target","value":"gfx942"}])",
       "manifest-invalid", "NVIDIA"},
      {R"([{"op":"replace","path":"/kernels/0/tensor_maps/1/type","value":"u16"},
           {"op":"add","path":"/kernels/0/tensor_maps/1/fill","value":"nan"}])",
       "tma-fill-type", "u16"},
      {R"([{"op":"add","path":"/kernels/0/tensor_maps/1/padded","value":1}])",
       "manifest-invalid", "expected true or false"},
  };
  for (const Case &c : cases) {
    auto m = parseManifest(patched(c.patch), "x.titanpkg");
    ASSERT_FALSE(m) << c.patch;
    EXPECT_EQ(m.error().code, c.code) << c.patch;
    EXPECT_NE(m.error().text().find(c.message), std::string::npos)
        << c.patch << "\n"
        << m.error().text();
    EXPECT_NE(m.error().place.find("x.titanpkg"), std::string::npos);
    EXPECT_FALSE(m.error().fix.empty());
  }
}

TEST(Manifest, Accepted) {
  for (
      const char *patch : {
          R"([{"op":"replace","path":"/kernels/0/arguments/0/shape","value":[128,null]}])",
          R"([{"op":"remove","path":"/kernels/0/checks"}])",
          R"([{"op":"remove","path":"/kernels/0/shared_memory"}])",
          R"([{"op":"remove","path":"/kernels/0/flops"}])",
          R"([{"op":"replace","path":"/kernels/0/cluster","value":[2,8,1]}])",
          R"([{"op":"replace","path":"/kernels/0/tensor_maps/1/box","value":[8,256]}])",
      }) {
    auto m = parseManifest(patched(patch), "x");
    EXPECT_TRUE(m) << patch << m.error().text();
  }
}

TEST(Manifest, TooManyParameterBytes) {
  auto m = nlohmann::json::parse(gemmManifest);
  auto &parameters = m["kernels"][0]["parameters"];
  for (int i = 0; i < 40; ++i)
    parameters.push_back({{"tensor_map", "A.load"}});
  auto r = parseManifest(m.dump(), "x");
  ASSERT_FALSE(r);
  EXPECT_NE(r.error().message.find("4096 bytes"), std::string::npos);
}

TEST(Manifest, EveryTruncationIsRefused) {
  const std::string text = gemmManifest;
  for (size_t n = 0; n < text.size(); ++n)
    EXPECT_FALSE(parseManifest(text.substr(0, n), "x")) << n;
  for (const char *bad :
       {"", "null", "[]", "1", "\"x\"", "{}", "{\"format\":1}", "\xff\xfe",
        "{\"format\": 99999999999999999999}"})
    EXPECT_FALSE(parseManifest(bad, "x")) << bad;
  EXPECT_FALSE(parseManifest(std::string(1 << 20, '['), "x"));
}

/// All paths of a JSON value.
void paths(const nlohmann::json &v, const std::string &at,
           std::vector<std::string> &out) {
  if (v.is_object())
    for (auto it = v.begin(); it != v.end(); ++it)
      paths(it.value(), at + "/" + it.key(), out);
  else if (v.is_array())
    for (size_t i = 0; i < v.size(); ++i)
      paths(v[i], at + "/" + std::to_string(i), out);
  if (!at.empty())
    out.push_back(at);
}

TEST(Manifest, EveryReplacedOrMissingValueIsReadOrRefused) {
  const auto original = nlohmann::json::parse(gemmManifest);
  std::vector<std::string> all;
  paths(original, "", all);
  EXPECT_GT(all.size(), 100u);
  for (const std::string &path : all) {
    for (const char *value : {"null", "[]", "{}", "-1", "\"\"", "1e99",
                              "18446744073709551615", "[[]]", "true"}) {
      auto m = original;
      m[nlohmann::json::json_pointer(path)] = nlohmann::json::parse(value);
      auto r = parseManifest(m.dump(), "x");
      if (!r) {
        EXPECT_FALSE(r.error().code.empty());
      }
    }
    auto removed = original.patch(
        nlohmann::json::array({{{"op", "remove"}, {"path", path}}}));
    auto r = parseManifest(removed.dump(), "x");
    if (!r) {
      EXPECT_FALSE(r.error().code.empty());
    }
  }
}

TEST(Architecture, ParseAndMatch) {
  const Architecture a = *parseArchitecture("sm_90a");
  EXPECT_EQ(a.major, 9);
  EXPECT_EQ(a.minor, 0);
  EXPECT_EQ(a.suffix, 'a');
  EXPECT_EQ(parseArchitecture("sm_103")->major, 10);
  EXPECT_EQ(parseArchitecture("sm_103")->minor, 3);
  for (const char *bad : {"", "sm_", "sm_9", "sm_a", "compute_90", "sm_90b",
                          "sm_9000", "90a", "sm_-1", "sm_90aa"})
    EXPECT_FALSE(parseArchitecture(bad)) << bad;
  EXPECT_TRUE(runsPtx(a, 9, 0));
  EXPECT_FALSE(runsPtx(a, 10, 0));
  EXPECT_FALSE(runsPtx(a, 8, 0));
  EXPECT_TRUE(runsPtx(*parseArchitecture("sm_90"), 10, 0));
  EXPECT_FALSE(runsPtx(*parseArchitecture("sm_90"), 8, 9));
  EXPECT_TRUE(runsPtx(*parseArchitecture("sm_100f"), 10, 3));
  EXPECT_FALSE(runsPtx(*parseArchitecture("sm_100f"), 11, 0));
  EXPECT_TRUE(runsCubin(a, 9, 0));
  EXPECT_FALSE(runsCubin(*parseArchitecture("sm_80"), 9, 0));
  EXPECT_TRUE(runsCubin(*parseArchitecture("sm_80"), 8, 6));
}

TEST(TensorMap, LaunchFields) {
  TensorMapFormat f;
  const TargetInfo &target = targetInfo(TargetId::Sm90a);
  f.type = findTmaType("bf16");
  f.rank = 3;
  f.box = {64, 8, 2};
  f.elementStrides = {1, 1, 1};
  f.swizzle = findTmaSwizzle("128B");
  ASSERT_TRUE(checkFormat(target, f, ""));
  const TensorMapFields good{4096, {100, 200, 300}, {208, 416000}};
  ASSERT_TRUE(checkFields(target, f, good));
  auto code = [&](auto change) {
    TensorMapFields v = good;
    change(v);
    auto r = checkFields(target, f, v);
    return r ? "ok" : r.error().code;
  };
  using F = TensorMapFields;
  EXPECT_EQ(code([](F &v) { v.address = 4104; }), "tma-base-alignment");
  EXPECT_EQ(code([](F &v) { v.address = 4112; }), "ok");
  EXPECT_EQ(code([](F &v) { v.dims[2] = 0; }), "tma-dim-range");
  EXPECT_EQ(code([](F &v) { v.dims[2] = int64_t{1} << 31; }), "ok");
  EXPECT_EQ(code([](F &v) { v.dims[2] = (int64_t{1} << 31) + 1; }),
            "tma-dim-range");
  EXPECT_EQ(code([](F &v) { v.byteStrides[0] = 200; }), "tma-stride-alignment");
  EXPECT_EQ(code([](F &v) { v.byteStrides[0] = 0; }), "ok");
  EXPECT_EQ(code([](F &v) { v.byteStrides[1] = -16; }), "tma-stride-range");
  EXPECT_EQ(code([](F &v) { v.byteStrides[1] = (int64_t{1} << 40) - 16; }),
            "ok");
  EXPECT_EQ(code([](F &v) { v.byteStrides[1] = int64_t{1} << 40; }),
            "tma-stride-range");
  // What lies beyond the rank does not matter.
  EXPECT_EQ(code([](F &v) { v.dims[3] = -1, v.byteStrides[2] = 3; }), "ok");
  // Interleave 32B wants multiples of 32.
  f.interleave = titan::TmaInterleave::B32;
  ASSERT_TRUE(checkFormat(target, f, ""));
  EXPECT_EQ(checkFormat(targetInfo(TargetId::Sm100a), f, "").error().code,
            "tma-interleave");
  f.box = {64, 58, 32};
  EXPECT_EQ(checkFormat(target, f, "").error().code, "tma-box-range");
  f.box = {64, 57, 32};
  f.swizzle = findTmaSwizzle("32B");
  ASSERT_TRUE(checkFormat(target, f, ""));
  EXPECT_EQ(code([](F &v) { v.address = 4112; }), "tma-base-alignment");
  EXPECT_EQ(code([](F &) {}), "tma-stride-alignment");
}

} // namespace
