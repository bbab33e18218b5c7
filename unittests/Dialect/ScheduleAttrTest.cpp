//===- ScheduleAttrTest.cpp - #titan.schedule made in C++ -----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Dialect/Titan/Titan.h"
#include "titan/Domain/TmaScheduleText.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace titan;

namespace {

class ScheduleAttribute : public testing::Test {
protected:
  ScheduleAttribute() { context.loadDialect<TitanDialect>(); }

  /// What making an attribute says, or "".
  template <typename From> std::string refusal(const From &from) {
    std::string said;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      said += diagnostic.str();
      return success();
    });
    Location loc = UnknownLoc::get(&context);
    auto error = [&] { return emitError(loc); };
    EXPECT_EQ(!ScheduleAttr::getChecked(error, &context, from), !said.empty());
    // Without a place it is refused in the same way.
    std::string checked = std::exchange(said, "");
    EXPECT_EQ(!ScheduleAttr::get(&context, from), !said.empty());
    EXPECT_EQ(said, checked);
    return checked;
  }
  std::string refusal(const char *text) { return refusal(StringRef(text)); }

  MLIRContext context;
};

/// Whatever its lines, spaces and comments: one attribute, and that of the
/// parser.
TEST_F(ScheduleAttribute, LaidOut) {
  auto made = ScheduleAttr::get(&context, "tensor M  x K // names\n"
                                          "Mo,Mi=split( M,0128 )\nbulk Mi ,K");
  ASSERT_TRUE(made);
  EXPECT_EQ(made.getText(), "tensor M x K Mo, Mi = split(M, 128) bulk Mi, K");
  EXPECT_EQ(made, parseAttribute("#titan.schedule<tensor M x K\n"
                                 "  Mo, Mi = split(M,\n 0x80) // 128\n"
                                 "  bulk Mi, K>",
                                 &context));
}

/// Malformed text makes no attribute.
TEST_F(ScheduleAttribute, Malformed) {
  EXPECT_EQ(refusal("tensor M x K bulk K"), "");
  EXPECT_EQ(refusal("tensor M x K\nMo, Mi = split(N, 128)"),
            "[parse-error] there is no domain 'N', column 29 of "
            "`tensor M x K Mo, Mi = split(N, 128)`");
  EXPECT_EQ(refusal("tensor M x K bulk"),
            "[parse-error] expected a name at the end, column 18 of "
            "`tensor M x K bulk`");
  EXPECT_EQ(refusal(""), "[parse-error] there is no tensor, column 1 of ``");
  EXPECT_EQ(refusal("tensor M x K A, B = split(K, K % 4) bulk B"),
            "[parse-error] extents in the IR have + - * / ceildiv at '%', "
            "column 32 of `tensor M x K A, B = split(K, K % 4) bulk B`");
  EXPECT_EQ(refusal("tensor M x K | bulk K").substr(0, 14), "[parse-error] ");
  EXPECT_EQ(refusal("tensor M A, B = split(M, 0)").substr(0, 40),
            "[domain-invalid] domain M is split by 0,");
}

/// A schedule is the attribute of its text.
TEST_F(ScheduleAttribute, OfASchedule) {
  TmaSchedule s;
  DomainId m = s.graph.root(Expr::symbol("M", 8), "M"),
           k = s.graph.root(64, "K");
  s.global = {{m, 256}, {k, 4}};
  auto [mo, mi] = *s.graph.splitInner(m, 128);
  s.graph.rename(mo, "Mo");
  s.graph.rename(mi, "Mi");
  s.bulk = {mi, k};
  s.tailIsPadding = true;
  EXPECT_EQ(refusal(s), "");
  EXPECT_EQ(ScheduleAttr::get(&context, s),
            parseAttribute("#titan.schedule<size M multiple 8 tensor M x K "
                           "Mo, Mi = split(M, 128) bulk Mi, K padded>",
                           &context));
  s.graph.rename(mo, "M.o");
  EXPECT_EQ(refusal(s),
            "[schedule-text] no text in the IR says this schedule: the name "
            "'M.o' of domain 2 is not made of letters, digits and underscores "
            "behind a letter or underscore");
}

} // namespace
