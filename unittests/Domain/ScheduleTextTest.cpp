//===- ScheduleTextTest.cpp - Schedules as text ---------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ScheduleGenerator.h"
#include "titan/Domain/TmaScheduleText.h"

#include <gtest/gtest.h>
#include <random>

using namespace titan;

namespace {

std::string codeOf(const std::string &text) {
  auto s = parseSchedule(text);
  return s ? "" : s.problem().code + ": " + s.problem().message;
}

TEST(ScheduleText, TheHeadersExample) {
  auto s = parseSchedule(R"(
    size K multiple 8
    tensor bf16 M{M} x K{K}          // roots
    Mo, Mi = split(M, 128)
    Ko, Ki = split(K, inner 64)
    B = merge(Mo, Ko)
    bulk Mi, Ki
    shared Mi, Ki
    map M, K
    load strong NaN
    swizzle 128B
    align 2048
    traffic worth
  )");
  ASSERT_TRUE(bool(s)) << s.problem().message;
  EXPECT_EQ(s->graph.str(),
            "Mo{M ceildiv 128}, Mi{128} = split(M{M}, inner 128)\n"
            "Ko{K ceildiv 64}, Ki{64} = split(K{K}, inner 64)\n"
            "B{M ceildiv 128*(K ceildiv 64)} = merge(Mo{M ceildiv 128}, "
            "Ko{K ceildiv 64})\n");
  EXPECT_EQ(s->global[0].stride.str(), "K*2");
  EXPECT_TRUE(s->global[1].stride.is(2));
  EXPECT_EQ(s->bulk, (std::vector<DomainId>{3, 5}));
  EXPECT_EQ(s->shared, (std::vector<DomainId>{3, 5}));
  EXPECT_EQ(s->tmaDomain, (std::vector<DomainId>{0, 1}));
  EXPECT_EQ(s->wanted, Correctness::Strong);
  EXPECT_TRUE(s->nanFill);
  EXPECT_EQ(s->swizzle->name, "128B");
  EXPECT_EQ(s->sharedAlignment, 2048);
  EXPECT_EQ(s->traffic, TmaTraffic::Worth);
  auto low = lowerSchedule(*s, targetInfo(TargetId::Sm90a));
  ASSERT_TRUE(bool(low)) << low.problem().message;
  EXPECT_EQ(low->coords[0].str(), "b % (K ceildiv 64)*64");
  EXPECT_EQ(low->level, 1);
  // A stride that the launch gives, and sizes that are known to divide.
  s = parseSchedule("size ld multiple 8\n"
                    "tensor f16 A{7}:ld*2 x B{(3 + 1)*8 - 16}\n"
                    "X = resize(A, -1, 2)\n"
                    "C, D = split(B, outer 2)\n"
                    "bulk X, D\nstore padded"); // Line ends say nothing.
  ASSERT_TRUE(bool(s)) << s.problem().message;
  EXPECT_EQ(s->global[0].stride.divisor(), 16);
  EXPECT_TRUE(s->graph[1].extent.is(16));
  EXPECT_EQ(s->direction, TmaDirection::Store);
  EXPECT_TRUE(s->tailIsPadding);
}

TEST(ScheduleText, Refusals) {
  const std::string t = "tensor u32 A{8} x B{4}\n";
  auto syntax = [](const std::string &why) { return "parse-error: " + why; };
  EXPECT_EQ(codeOf(""), syntax("line 1, column 1: there is no tensor"));
  EXPECT_EQ(codeOf("tensor u33 A{8}"),
            syntax("line 1, column 8: there is no element type 'u33'"));
  EXPECT_EQ(codeOf(t + "C, D = split(E, 2)"),
            syntax("line 2, column 14: there is no domain 'E'"));
  EXPECT_EQ(codeOf(t + "C = split(A, 2)"),
            syntax("line 2, column 5: split makes 2 domains, not 1"));
  EXPECT_EQ(codeOf(t + "C, A = split(A, 2)"),
            syntax("line 2, column 4: domain A is defined twice: on line 1 "
                   "already"));
  EXPECT_EQ(codeOf(t + "C, D = split(A, 2) x"),
            syntax("line 2, column 20: there is no statement 'x'"));
  EXPECT_EQ(codeOf(t + "C = turn(A, 2)"),
            syntax("line 2, column 5: there is no expression 'turn'"));
  EXPECT_EQ(codeOf(t + "C, D = window(A, 3, step 2)"),
            syntax("line 2, column 21: a window has a stride and a dilation "
                   "at 'step'"));
  EXPECT_EQ(codeOf(t + "C, D = window(A, 3, dilation 4)"),
            "domain-invalid: line 2, column 1: a window of 9 elements does not "
            "fit into "
            "domain A{8}");
  EXPECT_EQ(codeOf(t + "C, D = split(A, 0)"),
            "domain-invalid: line 2, column 1: domain A is split by 0");
  EXPECT_EQ(codeOf(t + "swizzle 127B"),
            syntax("line 2, column 9: there is no swizzle '127B'"));
  EXPECT_EQ(codeOf(t + t), syntax("line 2, column 1: there is one tensor"));
  EXPECT_EQ(codeOf("tensor u32 A{99999999999999999999}"),
            syntax("line 1, column 14: expected a number of at most 2^40 at "
                   "'99999999999999999999'"));
  std::string deep = "tensor u32 A{" + std::string(100, '(') + "1";
  EXPECT_EQ(codeOf(deep).substr(0, 66),
            syntax("line 1, column 79: more than 64 parentheses in one an"));
  std::string wide = "tensor u32 A{1";
  for (int k = 0; k < 400; ++k)
    wide += " + N";
  EXPECT_EQ(codeOf(wide + "}").substr(0, 56),
            syntax("line 1, column 1040: an extent of more than 512 words")
                .substr(0, 56));
  std::string many = "tensor u32 A0{8} x B{4}\n";
  for (int k = 0; k < 300; ++k)
    many += "A" + std::to_string(k + 1) + " = resize(A" + std::to_string(k) +
            ", 1, -1)\n";
  auto large = parseSchedule(many + "bulk B");
  ASSERT_TRUE(bool(large));
  auto tooLarge = lowerSchedule(*large, targetInfo(TargetId::Sm90a));
  ASSERT_FALSE(bool(tooLarge));
  EXPECT_EQ(tooLarge.problem().code, "domain-invalid");
  // An index and a size of one name.
  auto s = parseSchedule("tensor u32 N{n} x B{4}\nbulk B");
  ASSERT_TRUE(bool(s));
  auto low = lowerSchedule(*s, targetInfo(TargetId::Sm90a));
  ASSERT_FALSE(bool(low));
  EXPECT_EQ(low.problem().code, "domain-invalid");
}

/// What would be ignored, or contradicts what was said, is refused where it is.
TEST(ScheduleText, OneOfEach) {
  const std::string t = "tensor u32 A{A} x B{4}\nC, D = split(A, F)\nbulk B\n";
  auto syntax = [](const std::string &why) { return "parse-error: " + why; };
  EXPECT_EQ(codeOf("size A multiple 8\nsize F multiple 2\n" + t), "");
  EXPECT_EQ(codeOf("size N multiple 8\n" + t),
            syntax("line 1, column 6: there is no size N: nothing is computed "
                   "from it"));
  EXPECT_EQ(codeOf("size A multiple 8\nsize A multiple 4\n" + t),
            syntax("line 2, column 6: a second statement of size A"));
  for (std::string name : {"A", "F"})
    EXPECT_EQ(codeOf(t + "size " + name + " multiple 8\npadded"),
              syntax("line 4, column 6: size " + name +
                     " comes after what is computed from it: say it before"));
  std::string already = syntax("line 5, column 1: the schedule is a load, a "
                               "store or a reduction already");
  EXPECT_EQ(codeOf(t + "load strong\nload weak"), already + " at 'load'");
  EXPECT_EQ(codeOf(t + "load strong NaN\nstore"), already + " at 'store'");
  EXPECT_EQ(codeOf(t + "store\nreduce add"), already + " at 'reduce'");
  for (std::string one : {"swizzle 64B", "align 512", "traffic save", "padded",
                          "shared B", "map A, B"})
    EXPECT_EQ(codeOf(t + one + "\n" + one),
              syntax("line 5, column 1: a second statement of " +
                     one.substr(0, one.find(' ')) +
                     ": the schedule has one already"));
  EXPECT_EQ(codeOf(t + "bulk D, B"),
            syntax("line 4, column 9: domain B is named twice"));
  // The IR's form: what the type says and what the schedule claims.
  TmaTensor tensor{findTmaType("u32"), {{12, 16}, {4, 4}}};
  auto claim = [&](const std::string &text) {
    auto s = parseSchedule(text + " tensor A x B bulk B", tensor);
    return s ? "" : s.problem().code + ": " + s.problem().message;
  };
  EXPECT_EQ(claim("size A multiple 6"), "");
  EXPECT_EQ(claim("size A multiple 8"),
            "domain-invalid: size A is 12, no multiple of 8");
  EXPECT_EQ(claim("size C multiple 8"),
            syntax("there is no size C: nothing is computed from it"));
  auto problem = findSyntaxProblem("tensor A x B bulk B size A multiple 8");
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->place.token, 7u);
}

/// A misspelt word is told where it stands, with what it was meant to be.
TEST(ScheduleText, Misspelt) {
  const std::string head = "tensor f32 M{100} x N{104}\n"
                           "Mo, Mi = split(M, 48)\n"
                           "No, Ni = split(N, 8)\n";
  auto told = [](const std::string &text) {
    auto s = parseSchedule(text);
    return s ? ""
             : s.problem().message + "; " +
                   s.problem().fix.substr(0, s.problem().fix.find("? ") + 1);
  };
  auto fixOf = [](const std::string &text) {
    auto s = parseSchedule(text);
    return s ? "" : s.problem().fix;
  };
  // Commas.
  EXPECT_EQ(told(head + "bulk Mi Ni\nload strong"),
            "line 4, column 9: a comma is missing between 'Mi' and 'Ni'; ");
  EXPECT_EQ(fixOf(head + "bulk Mi Ni\nload strong"), "write Mi, Ni");
  EXPECT_EQ(told(head + "Nx Ny = split(Ni, 2)"),
            "line 4, column 4: a comma is missing between 'Nx' and 'Ny'; ");
  EXPECT_EQ(told(head + "nonsense\nNx, Ny = split(Ni, 2)"),
            "line 4, column 1: there is no statement 'nonsense'; ");
  // Words of statements.
  EXPECT_EQ(told(head + "bulk Mi, Ni\nload Strong\nswizle 128B"),
            "line 5, column 6: there is no statement 'Strong'; did you mean "
            "strong?");
  EXPECT_EQ(fixOf(head + "load strong zero"),
            "the statement before takes NaN; statements begin with size, "
            "tensor, bulk, shared, map, traffic, padded, load, store, reduce, "
            "swizzle and align, or define domains: X, Y = split(Z, 4)");
  EXPECT_EQ(told(head + "bulk Mi, Ni\npaded\nstore"),
            "line 5, column 1: there is no statement 'paded'; did you mean "
            "padded?");
  EXPECT_EQ(told(head + "bulk Mi, Ni\npaded\nA, B = split(Mo, 2)"),
            "line 5, column 1: there is no statement 'paded'; did you mean "
            "padded?");
  EXPECT_EQ(told(head + "{"),
            "line 4, column 1: expected a statement at '{'; ");
  EXPECT_EQ(told(head + "traffic svae"),
            "line 4, column 9: there is no traffic 'svae'; ");
  EXPECT_EQ(told(head + "traffic sav"),
            "line 4, column 9: there is no traffic 'sav'; did you mean save?");
  EXPECT_EQ(told(head + "swizzle 128"),
            "line 4, column 9: there is no swizzle '128'; did you mean 128B?");
  EXPECT_EQ(told(head + "reduce plus"),
            "line 4, column 8: there is no reduction 'plus'; ");
  EXPECT_EQ(fixOf(head + "reduce plus"),
            "there are add, min, max, inc, dec, and, or and xor");
  // Definitions: the expression, and a name that there is.
  EXPECT_EQ(told("tensor f32 M{M}\nMo, Mi = splt(M, 48)"),
            "line 2, column 10: there is no expression 'splt'; did you mean "
            "split?");
  EXPECT_EQ(fixOf("tensor f32 M{M}\nMo, Mi = splt(M, 48)"),
            "did you mean split? there are split, merge, resize, swizzle and "
            "window");
  EXPECT_EQ(
      told(head + "  No, Nj = split(Ni, 2)"),
      "line 4, column 3: domain No is defined twice: on line 3 already; ");
  EXPECT_EQ(
      told(head + "Nj, Mo = split(Ni, 2)"),
      "line 4, column 5: domain Mo is defined twice: on line 2 already; ");
  EXPECT_EQ(
      told("tensor f32 M{8} x M{9}"),
      "line 1, column 19: domain M is defined twice: on line 1 already; ");
  EXPECT_EQ(fixOf(head + "bulk Mj"), "there are M, Mi, Mo, N, Ni and No");
  // Types: the IR's integers have other names.
  EXPECT_EQ(told("tensor f33 M{M}"),
            "line 1, column 8: there is no element type 'f33'; did you mean "
            "f32?");
  for (auto [type, here] : {std::pair("i8", "u8"), std::pair("i16", "u16"),
                            std::pair("i32", "s32"), std::pair("i64", "s64")})
    EXPECT_EQ(fixOf("tensor " + std::string(type) + " M{M}"),
              "the IR's " + std::string(type) + " is " + here +
                  " here; there are u8, u16, u32, s32, u64, s64, f16, f32, "
                  "f64, bf16, tf32, b4x16, b4x16_p64 and b6x16_p32");
  // Behind the last token.
  EXPECT_EQ(told(head + "reduce"),
            "line 4, column 7: expected a name at the end; ");
}

/// The place apart from the message, and those of the domains.
TEST(ScheduleText, Places) {
  TmaTextPlaces places;
  auto s = parseSchedule("tensor f32 M{M} // all\n\n  Mo, Mi = split(M, 8)\n"
                         "bulk Mj",
                         &places);
  ASSERT_FALSE(bool(s));
  EXPECT_EQ(s.problem().message, "there is no domain 'Mj'");
  auto text = [](TmaTextPlace place) {
    return std::to_string(place.line) + ":" + std::to_string(place.column);
  };
  EXPECT_EQ(text(places.problem), "4:6");
  ASSERT_EQ(places.domains.size(), 3u);
  EXPECT_EQ(text(places.domains["M"]), "1:12");
  EXPECT_EQ(text(places.domains["Mo"]), "3:3");
  EXPECT_EQ(text(places.domains["Mi"]), "3:7");
}

/// Where a problem of the lowering stands.
TEST(ScheduleText, PlacesOfProblems) {
  auto place = [](const std::string &text) -> std::string {
    TmaTextPlaces places;
    auto s = parseSchedule(text, &places);
    if (!s)
      return s.problem().message;
    auto low = lowerSchedule(*s, targetInfo(TargetId::Sm90a));
    if (low)
      return "lowered";
    auto found = places.find(low.problem());
    return low.problem().code + " " +
           (found ? std::to_string(found->line) + ":" +
                        std::to_string(found->column)
                  : "nowhere");
  };
  const std::string tile = "tensor f32 M{100} x N{104}\n"
                           "Mo, Mi = split(M, 7)\n"
                           "No, Ni = split(N, 8)\n";
  EXPECT_EQ(place(tile + "bulk Mi, Ni"), "lowered");
  // By the domain that it names, the statement, the field of the map.
  EXPECT_EQ(place(tile + "  Ma, Mb = split(Mi, 3)\nbulk Mb, Ni"),
            "tma-schedule 4:3");
  EXPECT_EQ(place(tile + "load weak bulk M, Ni"), "domain-invalid 4:11");
  EXPECT_EQ(place(tile + "bulk Mi, Ni\nshared Ni, Mi"), "tma-shared-tile 5:1");
  EXPECT_EQ(place("// rows of 408 bytes\ntensor f32 M{100} x N{102}\nbulk M"),
            "tma-stride-alignment 2:1");
  EXPECT_EQ(place(tile + "Nx, Ny = split(Ni, 2) bulk Mi, Ny"),
            "tma-box-bytes 4:23");
  EXPECT_EQ(place(tile + "bulk Mi, Ni\nalign 100"), "tma-shared-alignment 5:1");
  EXPECT_EQ(place("tensor f32 M{8}\n"), "domain-invalid nowhere");
  // Two loops of one index, of which the second is told.
  EXPECT_EQ(place("tensor f32 M{64} x K{64}\nA, b = split(M, 8)\n"
                  "a, c = split(K, 8)\nbulk b, c"),
            "domain-invalid 3:1");
}

/// A file's beginning tells schedules from IR.
TEST(ScheduleText, Beginnings) {
  auto kind = [](const std::string &text) {
    auto schedule = beginsAsSchedule(text);
    return !schedule ? '?' : *schedule ? 's' : 'i';
  };
  for (const char *text : {"tensor f32 M{M}", "// IR?\nsize M multiple 8",
                           "A, B = split(M, 2)", "A = resize(M, 0, 1)"})
    EXPECT_EQ(kind(text), 's') << text;
  for (const char *text :
       {"#tile = #titan.schedule<tensor M>", "!x = !titan.global<8xf32>",
        "// tensor\ntitan.kernel @k", "func.func @f()", "module {", "{"})
    EXPECT_EQ(kind(text), 'i') << text;
  for (const char *text : {"", "// tensor", "tensr f32 M{M}"})
    EXPECT_EQ(kind(text), '?') << text;
}

/// Whatever the text, the end is a schedule or a coded problem.
TEST(ScheduleText, AnythingAtAll) {
  const char *pieces[] = {
      "tensor", "u32", "A",       "B",     "{",      "}",     "8",     "N",
      " x ",    ":",   "\n",      ",",     "=",      "split", "merge", "(",
      ")",      "-",   "resize",  "bulk",  "shared", "map",   "load",  "*",
      "outer",  "0",   "swizzle", "256",   "/",      "%",     "f32",   "x",
      "strong", "NaN", "size",    "reduce"};
  std::mt19937 random(3);
  int read = 0, lowered = 0;
  for (int n = 0; n < 20000; ++n) {
    std::string text = n % 2 ? "tensor u32 A{8} x B{4}\nbulk B\n" : "";
    for (unsigned k = random() % 12; k-- > 0;)
      text += std::string(pieces[random() % std::size(pieces)]) +
              (random() % 3 ? " " : "");
    TmaTextPlaces places;
    auto s = parseSchedule(text, &places);
    EXPECT_LE(places.problem.line,
              1 + std::count(text.begin(), text.end(), '\n'))
        << text;
    EXPECT_LE(places.problem.column, static_cast<int>(text.size()) + 1) << text;
    if (auto inIR = findSyntaxProblem(text))
      EXPECT_LE(inIR->place.offset, text.size()) << text;
    if (!s)
      continue;
    ++read;
    lowered += bool(lowerSchedule(*s, targetInfo(TargetId::Sm90a)));
  }
  EXPECT_GT(read, 500);
  EXPECT_GT(lowered, 300);
}

std::string written(const TmaSchedule &s) {
  auto text = writeSchedule(s);
  return text ? *text : text.problem().code + ": " + text.problem().message;
}

/// Written in the IR's form and read again: the same graph, the same lists.
TEST(ScheduleText, RandomSchedulesComeBack) {
  int same = 0;
  int64_t sizes = 0, maps = 0;
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    ScheduleGenerator gen(seed, /*wide=*/seed % 2 == 0,
                          /*symbols=*/seed % 3 == 0);
    gen.make();
    TmaSchedule &s = gen.s;
    sizes += s.graph.str().find("{N") != std::string::npos;
    maps += !s.tmaDomain.empty();
    TmaTensor tensor{s.type, {}};
    for (const TmaGlobalDim &dim : s.global)
      tensor.dims.push_back(
          {s.graph[dim.domain].extent.constant(), dim.stride});
    std::string text = written(s);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + text);
    auto back = parseSchedule(text, tensor);
    ASSERT_TRUE(bool(back)) << back.problem().message;
    EXPECT_EQ(back->graph.str(), s.graph.str());
    auto names = [](const TmaSchedule &of) {
      std::string all;
      for (const auto *list : {&of.bulk, &of.shared, &of.tmaDomain})
        for (DomainId id : *list)
          all += of.graph[id].name + (id == list->back() ? ";" : ",");
      for (const TmaGlobalDim &dim : of.global)
        all += of.graph[dim.domain].name + ":" + dim.stride.str() + " ";
      return all;
    };
    EXPECT_EQ(names(*back), names(s));
    EXPECT_EQ(back->traffic, s.traffic);
    EXPECT_EQ(back->tailIsPadding, s.tailIsPadding);
    EXPECT_EQ(written(*back), text);
    same += !HasFailure();
  }
  EXPECT_EQ(same, 2000);
  EXPECT_GT(sizes, 100);
  EXPECT_GT(maps, 100);
}

TmaTensor twoDims() {
  return {findTmaType("f32"), {{std::nullopt, 256}, {64, 4}}};
}

/// Sizes that the launch gives, and what equivalences leave.
TEST(ScheduleText, SizesAndRewrittenGraphs) {
  std::string text = "size M multiple 8 tensor M x K Mo, Mi = split(M, 8) "
                     "Mp, Mq = split(Mo, outer M / 16) bulk Mi, K padded";
  auto s = parseSchedule(text, twoDims());
  ASSERT_TRUE(bool(s)) << s.problem().message;
  EXPECT_EQ(written(*s), text);
  auto back = parseSchedule(written(*s), twoDims());
  ASSERT_TRUE(bool(back)) << written(*s) << back.problem().message;
  EXPECT_EQ(back->graph.str(), s->graph.str());
  EXPECT_EQ(back->graph[0].extent.divisor(), 8);
  // A rotation leaves the lower split's domains with greater numbers.
  auto split = parseSchedule(
      "tensor M x K A, B = split(K, 4) C, D = split(A, 4) bulk B, D",
      twoDims());
  ASSERT_TRUE(bool(split));
  DomainGraph before = split->graph;
  ASSERT_TRUE(split->graph.rotateRight(split->global[1].domain));
  EXPECT_EQ(written(*split), "tensor M x K C, A = split(K, 16) "
                             "D, B = split(A, 4) bulk B, D");
  back = parseSchedule(written(*split), twoDims());
  ASSERT_TRUE(bool(back)) << written(*split) << back.problem().message;
  EXPECT_EQ(back->graph.str(), split->graph.str());
  // Removed expressions are not written.
  auto merged = parseSchedule(
      "tensor M x K A = merge(M, K) B, C = split(A, 64) bulk C", twoDims());
  ASSERT_TRUE(bool(merged));
  ASSERT_TRUE(merged->graph.removeMergeSplit(2));
  merged->bulk = {merged->global[1].domain};
  EXPECT_EQ(written(*merged), "tensor M x K bulk K");
}

/// What text does not say is refused, with what it is.
TEST(ScheduleText, WhatNoTextSays) {
  auto unsayable = [](const std::string &why) {
    return "schedule-text: no text in the IR says this schedule: " + why;
  };
  auto make = [] {
    return *parseSchedule("tensor M x K A, B = split(K, 4) bulk B", twoDims());
  };
  TmaSchedule s = make();
  DomainGraph &g = s.graph;
  g.rename(2, "K.box");
  EXPECT_EQ(written(s), unsayable("the name 'K.box' of domain 2 is not made of "
                                  "letters, digits and underscores behind a "
                                  "letter or underscore"));
  for (std::string name : {"", "2nd", "a b", "a$", "//", "-"}) {
    g.rename(2, name);
    EXPECT_EQ(written(s).substr(0, 57), unsayable("the n").substr(0, 57));
  }
  g.rename(2, "B");
  EXPECT_EQ(written(s), unsayable("two domains have the name B"));
  // Words of the grammar at the beginning of an expression.
  for (std::string word : {"tensor", "bulk", "shared", "map", "size", "padded",
                           "traffic", "load", "swizzle"}) {
    g.rename(2, word);
    EXPECT_EQ(written(s).substr(0, 14), "schedule-text:") << word;
  }
  // Elsewhere they are names.
  g.rename(2, "A");
  g.rename(3, "bulk");
  EXPECT_EQ(written(s), "tensor M x K A, bulk = split(K, 4) bulk bulk");
  // Dimensions.
  s = make();
  s.global.pop_back();
  EXPECT_EQ(written(s), unsayable("the root K is no dimension of the tensor"));
  s.global.push_back({2, 4});
  EXPECT_EQ(written(s), unsayable("domain 2 is a dimension of the tensor, but "
                                  "no root"));
  s = make();
  s.bulk.push_back(17);
  EXPECT_EQ(written(s),
            unsayable("its `bulk` names domain 17, which is not there"));
  EXPECT_EQ(written(TmaSchedule()).substr(0, 14), "schedule-text:");
  // Sizes.
  auto sized = [](const Expr &rows, const Expr &by) {
    TmaSchedule of;
    DomainId m = of.graph.root(rows, "M"), k = of.graph.root(4, "K");
    of.global = {{m, 16}, {k, 4}};
    of.bulk = {k};
    EXPECT_TRUE(bool(of.graph.splitInner(m, by)));
    return written(of);
  };
  Expr m = Expr::symbol("M");
  EXPECT_EQ(sized(m, m / 4), "tensor M x K I2, I3 = split(M, M / 4) bulk K");
  EXPECT_EQ(sized(Expr::symbol("N"), 4),
            unsayable("the extent N of dimension M is neither a number nor the "
                      "size M"));
  EXPECT_EQ(sized(m * 2, 4), unsayable("the extent M*2 of dimension M is "
                                       "neither a number nor the size M"));
  for (const Expr &factor :
       {m % 4, min(m, 4), Expr::symbol("N"), m * -1, Expr::symbol("M", 8)})
    EXPECT_EQ(sized(m, factor).substr(0, 14), "schedule-text:") << factor.str();
  Expr large = m;
  for (int k = 0; k < 300; ++k)
    large = large + m;
  EXPECT_EQ(sized(m, large).substr(0, 14), "schedule-text:");
  for (int k = 0; k < 100; ++k)
    large = large * large;
  EXPECT_EQ(sized(m, large).substr(0, 14), "domain-invalid");
}

/// What is wrong whatever the tensor is, with its place.
TEST(ScheduleText, SyntaxProblems) {
  auto found = [](const std::string &text) -> std::string {
    auto problem = findSyntaxProblem(text);
    if (!problem)
      return "";
    return problem->problem.code + ": " + problem->problem.message + " [" +
           std::to_string(problem->place.token) + ", " +
           std::to_string(problem->place.offset) + "]";
  };
  EXPECT_EQ(found("tensor M x K A, B = split(K, 4) bulk B"), "");
  EXPECT_EQ(found("tensor M x K A, B = split(N, 4)"),
            "parse-error: there is no domain 'N' [10, 26]");
  EXPECT_EQ(found(""), "parse-error: there is no tensor [0, 0]");
  EXPECT_EQ(found("padded"), "parse-error: there is no tensor [1, 6]");
  EXPECT_EQ(found("tensor M x K A, B = split(K, K % 4)"),
            "parse-error: extents in the IR have + - * / ceildiv at '%' "
            "[13, 31]");
  EXPECT_EQ(found("size N multiple 4 tensor M"),
            "parse-error: there is no size N: nothing is computed from it "
            "[1, 5]");
  EXPECT_EQ(found("tensor M bulk M, M"),
            "parse-error: domain M is named twice [5, 17]");
  // A file's statements, and what says the same in the IR.
  auto fixOf = [](const std::string &text) {
    auto problem = findSyntaxProblem(text);
    return problem ? problem->problem.fix : "";
  };
  EXPECT_EQ(found("tensor f32 M{M} x N{N} bulk N"),
            "parse-error: the tensor's type and sizes are the operand's, and "
            "not said in the IR at 'f32' [1, 7]");
  for (std::string it :
       {"f32 M{M} x N{N} bulk N", "M{2*M} x N{8} bulk N", "f32 M x N bulk N"})
    EXPECT_EQ(fixOf("tensor " + it),
              "write its dimensions' names: tensor M x N")
        << it;
  EXPECT_EQ(found("tensor x x y bulk y"), "");
  EXPECT_EQ(found("tensor M bulk M swizzle 128 B"),
            "parse-error: the type of the shared buffer says the swizzle at "
            "'swizzle' [4, 16]");
  EXPECT_EQ(found("tensor M bulk M load strong"),
            "parse-error: the copy's operands say whether it is a load or a "
            "store at 'load' [4, 16]");
  for (auto [it, fix] :
       {std::pair("load", "leave it out"), std::pair("store", "leave it out"),
        std::pair("load strong", "leave it out here, and write strong behind "
                                 "schedule(...)"),
        std::pair("load strong NaN", "leave it out here, and write strong "
                                     "fill(nan) behind schedule(...)"),
        std::pair("reduce max", "leave it out here, and write reduce(max) "
                                "behind schedule(...)")})
    EXPECT_EQ(fixOf("tensor M bulk M " + std::string(it)), fix);
  EXPECT_EQ(fixOf("tensor M bulk M bulks"),
            "did you mean bulk? statements begin with size, tensor, bulk, "
            "shared, map, traffic and padded, or define domains: X, Y = "
            "split(Z, 4)");
  EXPECT_EQ(found("tensor M x K A, B = splt(K, 4)"),
            "parse-error: there is no expression 'splt' [8, 20]");
  EXPECT_EQ(found("tensor M x K A, M = split(K, 4)"),
            "parse-error: domain M is defined twice [6, 16]");
  // Of domains, too, as far as the tensor does not matter.
  EXPECT_EQ(found("tensor M A, B = split(M, 0)"),
            "domain-invalid: domain M is split by 0 [2, 9]");
  EXPECT_EQ(found("tensor M A, B = split(M, 4) C = resize(M, 0, 1)"),
            "domain-invalid: domain M is used already [12, 28]");
  EXPECT_EQ(found("tensor M A, B = split(M, 4) C, D = window(B, 5)"),
            "domain-invalid: a window of 5 elements does not fit into domain "
            "B{4} [12, 28]");
  EXPECT_EQ(found("tensor M x K A, B = swizzle(M, K) C = merge(A, B) bulk K"),
            "");
  EXPECT_EQ(found("tensor M x K A, B = swizzle(M, K) C = merge(A, M)"),
            "domain-invalid: domain M is used already [14, 34]");
  EXPECT_EQ(found("tensor M x K A, B = split(M, 8) C, D = split(K, 4) "
                  "E, F = swizzle(B, D)"),
            "domain-invalid: the swizzle of B{8} and D{4}: the second extent "
            "is a known power of two, the first known and not larger [24, "
            "51]");
}

TEST(ScheduleText, LaidOut) {
  EXPECT_EQ(layOutSchedule(" tensor  M\tx K // roots\n  A,B=split( K,008 )\n"
                           "C = resize(A,-1, 0)D,E = split(C, K*( 2+M )-00)"),
            "tensor M x K A, B = split(K, 8) C = resize(A, -1, 0) D, E = "
            "split(C, K * (2 + M) - 0)");
  EXPECT_EQ(layOutSchedule(""), "");
}

} // namespace
