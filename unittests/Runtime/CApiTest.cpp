//===- CApiTest.cpp - The C interface -------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPackage.h"
#include "titan/Runtime/titan.h"

#include <gtest/gtest.h>

using namespace titan::runtime;

namespace {

/// Takes an error's code and releases it.
std::string codeOf(titan_error *e) {
  if (!e)
    return "ok";
  std::string code = titan_error_code(e);
  EXPECT_NE(std::string(titan_error_text(e))
                .find("error: [" + code + "] " + titan_error_message(e)),
            std::string::npos);
  EXPECT_STRNE(titan_error_rule(e), "");
  EXPECT_STRNE(titan_error_fix(e), "");
  EXPECT_NE(titan_error_place(e), nullptr);
  titan_error_release(e);
  return code;
}

TEST(CApi, PackagesAndKernels) {
  EXPECT_EQ(titan_abi_version(), TITAN_ABI_VERSION);
  const auto file = *writePackage(gemmManifest, gemmBlobs());
  titan_package *package = nullptr;
  ASSERT_EQ(codeOf(titan_package_parse(file.data(), file.size(), &package)),
            "ok");
  EXPECT_EQ(titan_package_kernel_count(package), 1u);
  EXPECT_STREQ(titan_package_kernel_name(package, 0), "gemm");
  EXPECT_EQ(titan_package_kernel_name(package, 1), nullptr);
  titan_kernel *kernel = nullptr;
  EXPECT_EQ(codeOf(titan_package_kernel(package, "x", &kernel)), "no-kernel");
  EXPECT_EQ(kernel, nullptr);
  ASSERT_EQ(codeOf(titan_package_kernel(package, nullptr, &kernel)), "ok");
  ASSERT_EQ(codeOf(titan_package_kernel(package, "gemm", &kernel)), "ok");
  EXPECT_EQ(titan_kernel_argument_count(kernel), 5u);
  EXPECT_STREQ(titan_kernel_argument_name(kernel, 2), "D");
  EXPECT_EQ(titan_kernel_argument_dtype(kernel, 2), TITAN_F32);
  EXPECT_EQ(titan_kernel_argument_rank(kernel, 2), 2);
  EXPECT_EQ(titan_kernel_argument_rank(kernel, 3), -1);
  EXPECT_EQ(titan_kernel_argument_name(kernel, 5), nullptr);
  EXPECT_EQ(titan_kernel_argument_dtype(kernel, 5), -1);

  const int64_t a[] = {128, 64}, d[] = {128, 128}, rows[] = {64, 1};
  titan_argument args[5] = {
      {1, TITAN_BF16, 2, 0, 4096, a, rows},
      {1, TITAN_BF16, 2, 0, 4096, a, nullptr},
      {1, TITAN_F32, 2, 0, 4096, d, nullptr},
      {0, TITAN_F32, 0, 0, 0x3f800000, nullptr, nullptr},
      {0, TITAN_I32, 0, 0, 1, nullptr, nullptr},
  };
  EXPECT_EQ(codeOf(titan_kernel_check(kernel, args, 5)), "ok");
  EXPECT_EQ(codeOf(titan_kernel_check(kernel, args, 4)), "argument-missing");
  EXPECT_EQ(codeOf(titan_kernel_check(kernel, args, 65)), "argument-unknown");
  EXPECT_EQ(codeOf(titan_kernel_check(kernel, nullptr, 5)), "bad-argument");
  EXPECT_EQ(codeOf(titan_kernel_check(nullptr, args, 5)), "bad-argument");
  args[0].dtype = 99;
  EXPECT_EQ(codeOf(titan_kernel_check(kernel, args, 5)), "bad-argument");
  args[0].dtype = TITAN_BF16;
  args[0].rank = 9;
  EXPECT_EQ(codeOf(titan_kernel_check(kernel, args, 5)), "bad-argument");
  args[0].rank = -1;
  EXPECT_EQ(codeOf(titan_kernel_launch(kernel, args, 5, nullptr)),
            "bad-argument");
  args[0].rank = 2;
  args[0].dims = nullptr;
  EXPECT_EQ(codeOf(titan_kernel_check(kernel, args, 5)), "bad-argument");

  // Sequences: what is wrong when they are made, and when they are launched.
  const uint32_t places[] = {0, 1, 2, 3, 4};
  titan_sequence *sequence = nullptr;
  EXPECT_EQ(codeOf(titan_sequence_create(nullptr)), "bad-argument");
  ASSERT_EQ(codeOf(titan_sequence_create(&sequence)), "ok");
  EXPECT_EQ(codeOf(titan_sequence_add(sequence, kernel, args, places, 5)),
            "bad-argument");
  args[0].dims = a;
  EXPECT_EQ(codeOf(titan_sequence_add(nullptr, kernel, args, places, 5)),
            "bad-argument");
  EXPECT_EQ(codeOf(titan_sequence_add(sequence, nullptr, args, places, 5)),
            "bad-argument");
  EXPECT_EQ(codeOf(titan_sequence_add(sequence, kernel, args, nullptr, 5)),
            "bad-argument");
  EXPECT_EQ(codeOf(titan_sequence_add(sequence, kernel, args, places, 65)),
            "argument-unknown");
  const uint64_t values[] = {0, 0, 0, 0, 0};
  EXPECT_EQ(codeOf(titan_sequence_launch(sequence, nullptr, 0, nullptr)), "ok");
  ASSERT_EQ(codeOf(titan_sequence_add(sequence, kernel, args, places, 4)),
            "ok");
  EXPECT_EQ(codeOf(titan_sequence_launch(sequence, values, 3, nullptr)),
            "bad-argument");
  EXPECT_EQ(codeOf(titan_sequence_launch(nullptr, values, 4, nullptr)),
            "bad-argument");
  EXPECT_EQ(codeOf(titan_sequence_launch(sequence, values, 5, nullptr)),
            "argument-missing");
  titan_sequence_release(sequence);
  titan_package_release(package);
}

TEST(CApi, BadInput) {
  titan_package *package = reinterpret_cast<titan_package *>(1);
  EXPECT_EQ(codeOf(titan_package_read("/nonexistent.titanpkg", &package)),
            "file-not-found");
  EXPECT_EQ(package, nullptr);
  EXPECT_EQ(codeOf(titan_package_read(nullptr, &package)), "bad-argument");
  EXPECT_EQ(codeOf(titan_package_read("x", nullptr)), "bad-argument");
  EXPECT_EQ(codeOf(titan_package_parse("x", 1, &package)), "package-invalid");
  EXPECT_EQ(codeOf(titan_package_parse(nullptr, 0, &package)),
            "package-invalid");
  EXPECT_EQ(codeOf(titan_package_parse(nullptr, 1, &package)), "bad-argument");
  EXPECT_EQ(codeOf(titan_kernel_load(nullptr)), "bad-argument");
  titan_package_release(nullptr);
  titan_error_release(nullptr);
}

} // namespace
