//===- ExprTest.cpp - Launch expressions ----------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Runtime/Expr.h"
#include "TestPackage.h"

#include <gtest/gtest.h>

using namespace titan;
using namespace titan::runtime;

namespace {

const int64_t dimsA[] = {300, 72}, stridesA[] = {80, 1};
const int64_t dimsB[] = {264, 72}, stridesB[] = {72, 1};
const int64_t dimsD[] = {300, 264}, stridesD[] = {264, 1};
const std::vector<Argument> arguments = {
    Argument::tensor(0x7f0000000010, DType::BF16, dimsA, stridesA),
    Argument::tensor(0x7f0000001000, DType::BF16, dimsB, stridesB),
    Argument::tensor(0x7f0000002000, DType::F32, dimsD, stridesD),
    Argument::floating(DType::F32, 1.5),
    Argument::integer(DType::I32, -3),
};
const DeviceProperties device = {132, 9, 0, 232448, 52428800, 66};

/// Parses an expression as the grid of the test kernel.
runtime::Result<Expr> parse(const std::string &text) {
  auto m = nlohmann::json::parse(gemmManifest);
  m["kernels"][0]["grid"][0] = nlohmann::json::parse(text);
  auto manifest = parseManifest(m.dump(), "");
  if (!manifest)
    return manifest.error();
  return manifest->kernels[0].grid[0];
}

int64_t value(const std::string &text) {
  auto e = parse(text);
  if (!e) {
    ADD_FAILURE() << text << ": " << e.error().text();
    return 0;
  }
  auto v = e->evaluate(arguments, device, "place");
  if (!v) {
    ADD_FAILURE() << text << ": " << v.error().text();
    return 0;
  }
  return *v;
}

std::string failure(const std::string &text) {
  auto e = parse(text);
  if (!e)
    return e.error().code;
  auto v = e->evaluate(arguments, device, "place");
  return v ? "ok" : v.error().code;
}

std::string op(const char *name, int64_t x, int64_t y) {
  return std::string("[\"") + name + "\", " + std::to_string(x) + ", " +
         std::to_string(y) + "]";
}

TEST(Expr, Leaves) {
  EXPECT_EQ(value("7"), 7);
  EXPECT_EQ(value("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(value("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(value("{\"dim\": [\"A\", 0]}"), 300);
  EXPECT_EQ(value("{\"stride\": [\"A\", 0]}"), 80);
  EXPECT_EQ(value("{\"ptr\": \"A\"}"), 0x7f0000000010);
  EXPECT_EQ(value("{\"scalar\": \"splits\"}"), -3);
  EXPECT_EQ(value("{\"bits\": \"alpha\"}"), 0x3FC00000);
  EXPECT_EQ(value("{\"device\": \"multiprocessor_count\"}"), 132);
  EXPECT_EQ(value("{\"device\": \"max_active_clusters\"}"), 66);
  for (int i = 0; i < numDeviceProperties; ++i) {
    const auto p = static_cast<DeviceProperty>(i);
    EXPECT_EQ(parseDeviceProperty(propertyName(p)), p);
  }
}

TEST(Expr, DivisionsAgreeWithTheirDefinition) {
  for (int64_t x = -20; x <= 20; ++x)
    for (int64_t y = -6; y <= 6; ++y) {
      if (y == 0)
        continue;
      const int64_t down = value(op("floordiv", x, y));
      const int64_t up = value(op("ceildiv", x, y));
      const int64_t rest = value(op("mod", x, y));
      // down <= x / y < down + 1, written without division.
      const int64_t s = y > 0 ? 1 : -1;
      EXPECT_LE(down * y * s, x * s);
      EXPECT_GT((down + 1) * y * s, x * s);
      EXPECT_GE(up * y * s, x * s);
      EXPECT_LT((up - 1) * y * s, x * s);
      EXPECT_EQ(rest, x - y * down);
    }
}

TEST(Expr, Operators) {
  EXPECT_EQ(value(op("add", 3, -5)), -2);
  EXPECT_EQ(value(op("sub", 3, -5)), 8);
  EXPECT_EQ(value(op("mul", 3, -5)), -15);
  EXPECT_EQ(value(op("min", 3, -5)), -5);
  EXPECT_EQ(value(op("max", 3, -5)), 3);
  EXPECT_EQ(value(op("eq", 3, 3)), 1);
  EXPECT_EQ(value(op("ne", 3, 3)), 0);
  EXPECT_EQ(value(op("lt", 3, 3)), 0);
  EXPECT_EQ(value(op("le", 3, 3)), 1);
  EXPECT_EQ(value(op("and", 2, -1)), 1);
  EXPECT_EQ(value(op("and", 2, 0)), 0);
  EXPECT_EQ(value(op("or", 0, 7)), 1);
  EXPECT_EQ(value(op("or", 0, 0)), 0);
  EXPECT_EQ(value("[\"select\", 5, 10, 20]"), 10);
  EXPECT_EQ(value("[\"select\", 0, 10, 20]"), 20);
}

TEST(Expr, DivAndRemRoundTowardZero) {
  for (int64_t x = -20; x <= 20; ++x)
    for (int64_t y = -6; y <= 6; ++y)
      if (y != 0) {
        EXPECT_EQ(value(op("div", x, y)), x / y);
        EXPECT_EQ(value(op("rem", x, y)), x % y);
      }
  EXPECT_EQ(value(op("rem", INT64_MIN, -1)), 0);
  EXPECT_EQ(failure(op("div", INT64_MIN, -1)), "launch-overflow");
  EXPECT_EQ(failure(op("div", 1, 0)), "launch-division");
  EXPECT_EQ(failure(op("rem", 1, 0)), "launch-division");
}

TEST(Expr, UnsignedComparisonsTakeNegativeNumbersForLargeOnes) {
  const int64_t rising[] = {0, 1, INT64_MAX, INT64_MIN, -2, -1};
  for (size_t x = 0; x < std::size(rising); ++x)
    for (size_t y = 0; y < std::size(rising); ++y) {
      EXPECT_EQ(value(op("ult", rising[x], rising[y])), x < y);
      EXPECT_EQ(value(op("ule", rising[x], rising[y])), x <= y);
    }
}

TEST(Expr, WithinKeepsANumberOrRefusesIt) {
  EXPECT_EQ(value("[\"within\", -3, -3, 5]"), -3);
  EXPECT_EQ(value("[\"within\", 5, -3, 5]"), 5);
  EXPECT_EQ(failure("[\"within\", -4, -3, 5]"), "launch-overflow");
  EXPECT_EQ(failure("[\"within\", 6, -3, 5]"), "launch-overflow");
  EXPECT_EQ(failure("[\"within\", 6, -3]"), "manifest-invalid");
}

TEST(Expr, OverflowAndZeroAreErrors) {
  EXPECT_EQ(failure(op("add", INT64_MAX, 1)), "launch-overflow");
  EXPECT_EQ(failure(op("add", INT64_MIN, -1)), "launch-overflow");
  EXPECT_EQ(failure(op("sub", INT64_MIN, 1)), "launch-overflow");
  EXPECT_EQ(failure(op("mul", INT64_MIN, -1)), "launch-overflow");
  EXPECT_EQ(failure(op("mul", int64_t{1} << 32, int64_t{1} << 31)),
            "launch-overflow");
  EXPECT_EQ(failure(op("floordiv", INT64_MIN, -1)), "launch-overflow");
  EXPECT_EQ(failure(op("ceildiv", INT64_MIN, -1)), "launch-overflow");
  EXPECT_EQ(value(op("mod", INT64_MIN, -1)), 0);
  EXPECT_EQ(value(op("floordiv", INT64_MIN + 1, -1)), INT64_MAX);
  for (const char *name : {"floordiv", "ceildiv", "mod"})
    EXPECT_EQ(failure(op(name, 4, 0)), "launch-division");
  // The first failure is the one reported, also where it decides a select.
  EXPECT_EQ(failure("[\"select\", [\"mod\", 1, 0], 1, [\"add\", "
                    "9223372036854775807, 1]]"),
            "launch-division");
  EXPECT_EQ(failure("[\"eq\", [\"mod\", 1, 0], 0]"), "launch-division");
}

TEST(Expr, WhatIsNotNeededIsNotEvaluated) {
  const std::string bad = "[\"mod\", 1, 0]";
  EXPECT_EQ(value("[\"and\", 0, " + bad + "]"), 0);
  EXPECT_EQ(value("[\"or\", 1, " + bad + "]"), 1);
  EXPECT_EQ(value("[\"select\", 1, 5, " + bad + "]"), 5);
  EXPECT_EQ(value("[\"select\", 0, " + bad + ", 6]"), 6);
  EXPECT_EQ(failure("[\"and\", " + bad + ", 0]"), "launch-division");
}

TEST(Expr, Malformed) {
  for (const char *bad : {"\"A\"",
                          "null",
                          "1.5",
                          "1e3",
                          "true",
                          "[]",
                          "[\"add\"]",
                          "[\"add\", 1]",
                          "[\"add\", 1, 2, 3]",
                          "[\"select\", 1, 2]",
                          "[\"pow\", 1, 2]",
                          "[1, 2, 3]",
                          "{}",
                          "{\"dim\": \"A\"}",
                          "{\"dim\": [\"A\"]}",
                          "{\"dim\": [\"A\", 2]}",
                          "{\"dim\": [\"A\", -1]}",
                          "{\"dim\": [\"X\", 0]}",
                          "{\"dim\": [\"alpha\", 0]}",
                          "{\"scalar\": \"alpha\"}",
                          "{\"scalar\": \"A\"}",
                          "{\"bits\": \"splits\"}",
                          "{\"bits\": \"A\"}",
                          "{\"ptr\": \"splits\"}",
                          "{\"device\": \"speed\"}",
                          "{\"dim\": [\"A\", 0], \"ptr\": \"A\"}",
                          "{\"tid\": 0}",
                          "9223372036854775808",
                          "-9223372036854775809"})
    EXPECT_EQ(failure(bad), "manifest-invalid") << bad;
}

TEST(Expr, BitsOfFloats) {
  // As numbers of the float's width: a negative float's are negative.
  auto e = parse("{\"bits\": \"alpha\"}");
  ASSERT_TRUE(e);
  const std::string names[] = {"A", "B", "D", "alpha", "splits"};
  EXPECT_EQ(e->text(names), "bits(alpha)");
  for (auto [type, bits] : {std::pair(DType::F64, int64_t(0xBFF8000000000000)),
                            {DType::F32, int32_t(0xBFC00000)},
                            {DType::F16, int16_t(0xBE00)},
                            {DType::BF16, int16_t(0xBFC0)},
                            {DType::F8E4M3FN, int8_t(0xBC)},
                            {DType::F8E5M2, int8_t(0xBE)}}) {
    auto with = arguments;
    with[3] = Argument::floating(type, -1.5);
    auto v = e->evaluate(with, device, "place");
    ASSERT_TRUE(v);
    EXPECT_EQ(*v, bits) << name(type);
  }
}

TEST(Expr, SizeLimits) {
  std::string deep = "1";
  for (int i = 0; i < Expr::maxDepth; ++i)
    deep = "[\"add\", 1, " + deep + "]";
  EXPECT_EQ(value(deep), Expr::maxDepth + 1);
  for (int i = 0; i < 10000; ++i)
    deep = "[\"add\", 1, " + deep + "]";
  EXPECT_EQ(failure(deep), "manifest-invalid");
  std::string wide = "1";
  for (int i = 0; i < 13; ++i)
    wide = "[\"add\", " + wide + ", " + wide + "]";
  EXPECT_EQ(failure(wide), "manifest-invalid");
}

TEST(Expr, Text) {
  const std::vector<std::string> names{"A", "B", "D", "alpha", "splits"};
  EXPECT_EQ(parse("[\"ceildiv\", {\"dim\": [\"A\", 0]}, 128]")->text(names),
            "ceildiv(A.dim0, 128)");
  EXPECT_EQ(parse("[\"select\", {\"scalar\": \"splits\"}, {\"ptr\": \"B\"}, "
                  "{\"device\": \"l2_cache_size\"}]")
                ->text(names),
            "select(splits, B.ptr, l2_cache_size)");
}

TEST(Argument, Constructors) {
  EXPECT_EQ(Argument::integer(DType::I8, -1).bits, 0xFFu);
  EXPECT_EQ(Argument::integer(DType::F32, 2).bits, 0x40000000u);
  EXPECT_EQ(Argument::floating(DType::BF16, 1.5).bits, 0x3FC0u);
  const int64_t dims[] = {2, 0, 5};
  const Argument a = Argument::dense(16, DType::F32, dims);
  EXPECT_EQ(a.strides[0], 5); // An empty dimension counts as one.
  EXPECT_EQ(a.strides[1], 5);
  EXPECT_EQ(a.strides[2], 1);
  const std::vector<int64_t> many(12, 1);
  EXPECT_GT(Argument::dense(16, DType::F32, many).rank, maxRank);
}

} // namespace
