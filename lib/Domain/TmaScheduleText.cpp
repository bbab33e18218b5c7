//===- TmaScheduleText.cpp - Schedules as text ----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Domain/TmaScheduleText.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

using namespace titan;

namespace {
/// The text as tokens: names (with digits and underscores), numbers, single
/// characters. The first thing that is wrong stays.
class Tokens {
public:
  /// `lines`: problems name the line that they are in.
  Tokens(std::string_view text, bool lines) : lines(lines) {
    int line = 1;
    for (size_t at = 0; at < text.size();) {
      char c = text[at];
      auto is = [&](char x) {
        return std::isalnum(static_cast<unsigned char>(x)) || x == '_';
      };
      if (c == '/' && text.substr(at, 2) == "//") {
        at = std::min(text.find('\n', at), text.size());
        continue;
      }
      if (std::isspace(static_cast<unsigned char>(c))) {
        line += c == '\n';
        ++at;
        continue;
      }
      size_t end = at + 1;
      while (is(c) && end < text.size() && is(text[end]))
        ++end;
      tokens.push_back({std::string(text.substr(at, end - at)), line, at});
      at = end;
    }
    length = text.size();
  }

  struct Token {
    std::string text;
    int line;
    size_t offset; // In the text.
  };
  const std::vector<Token> &all() const { return tokens; }

  bool done() const { return failed || next == tokens.size(); }
  size_t position() const { return next; }
  bool sees(std::string_view token) const {
    return !done() && tokens[next].text == token;
  }
  bool take(std::string_view token) {
    if (!sees(token))
      return false;
    ++next;
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token))
      fail("expected '" + std::string(token) + "'");
  }
  /// A name that begins with a letter or underscore.
  std::string name() {
    if (done() || !(isAlpha() || tokens[next].text[0] == '_')) {
      fail("expected a name");
      return "";
    }
    return tokens[next++].text;
  }
  /// Any word or number: "128B".
  std::string word() {
    if (!seesNumber() && (done() || !isAlpha())) {
      fail("expected a word");
      return "";
    }
    return tokens[next++].text;
  }
  bool seesNumber() const {
    return !done() &&
           std::isdigit(static_cast<unsigned char>(tokens[next].text[0]));
  }
  /// A number, perhaps negative, of at most 2^40.
  int64_t integer() {
    bool negative = take("-");
    if (!seesNumber()) {
      fail("expected a number");
      return 0;
    }
    int64_t value = 0;
    for (char c : tokens[next].text) {
      bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
      value = digit ? value * 10 + (c - '0') : INT64_MAX;
      if (value > int64_t(1) << 40) {
        fail("expected a number of at most 2^40");
        return 0;
      }
    }
    ++next;
    return negative ? -value : value;
  }
  /// What comes next is wrong.
  void fail(const std::string &why) {
    report({"parse-error",
            why + (next < tokens.size() ? " at '" + tokens[next].text + "'"
                                        : " at the end")},
           next);
  }
  /// What was read last is wrong, or what was read at `token`.
  void refuse(const Problem &p) { report(p, next == 0 ? 0 : next - 1); }
  void refuse(const Problem &p, size_t token) { report(p, token); }

  bool failed = false;
  Problem problem;
  /// Where the problem is; without one, where the text ends.
  TmaSyntaxProblem::Place place() const {
    size_t token = failed ? wrong : tokens.size();
    return {token, token < tokens.size() ? tokens[token].offset : length};
  }

private:
  bool isAlpha() const {
    return std::isalpha(static_cast<unsigned char>(tokens[next].text[0])) != 0;
  }

  void report(const Problem &p, size_t token) {
    if (failed)
      return;
    failed = true;
    wrong = token;
    int line = tokens.empty()          ? 1
               : token < tokens.size() ? tokens[token].line
                                       : tokens.back().line;
    problem = {p.code, lines ? "line " + std::to_string(line) + ": " + p.message
                             : p.message};
  }

  std::vector<Token> tokens;
  size_t next = 0, wrong = 0, length = 0;
  bool lines;
};

class Parser {
public:
  /// Of a tensor by its names, where `byName`: `given` has its sizes; null: its
  /// sizes are symbols.
  Parser(std::string_view text, bool byName, const TmaTensor *given)
      : in(text, !byName), byName(byName), given(given) {}

  Result<TmaSchedule> parse() {
    while (!in.done())
      statement();
    for (const auto &[name, size] : sizes)
      if (!used.count(name))
        in.refuse(syntax("there is no size " + name +
                         ": nothing is computed from it"),
                  size.token);
    if (in.failed)
      return in.problem;
    if (s.global.empty())
      return Problem{"parse-error", "there is no tensor"};
    return std::move(s);
  }
  TmaSyntaxProblem::Place place() const { return in.place(); }

private:
  void statement() {
    if (in.take("tensor"))
      return tensor();
    if (in.take("bulk"))
      return list(s.bulk);
    if (in.take("shared")) {
      once("shared");
      return list(s.shared);
    }
    if (in.take("map")) {
      once("map");
      return list(s.tmaDomain);
    }
    if (in.take("size"))
      return size();
    if (in.take("padded")) {
      once("padded");
      s.tailIsPadding = true;
      return;
    }
    if (in.take("traffic")) {
      once("traffic");
      std::string how = in.name();
      if (how == "ignore")
        s.traffic = TmaTraffic::Ignore;
      else if (how == "save")
        s.traffic = TmaTraffic::Save;
      else if (how == "worth")
        s.traffic = TmaTraffic::Worth;
      else
        in.fail("traffic is ignore, save or worth");
      return;
    }
    for (const char *word : {"load", "store", "reduce", "swizzle", "align"})
      if (in.sees(word))
        return byName ? in.fail("the copy's operation says it") : operation();
    expression();
  }

  static Problem syntax(const std::string &why) { return {"parse-error", why}; }

  /// Of some statements there is one.
  void once(const std::string &what) {
    if (!said.insert(what).second)
      in.refuse(syntax("a second statement of " + what +
                       ": the schedule has one already"));
  }

  void size() {
    size_t token = in.position();
    std::string name = in.name();
    in.expect("multiple");
    int64_t of = in.integer();
    if (of < 1)
      in.fail("a size is a multiple of at least 1");
    if (in.failed)
      return;
    if (used.count(name))
      in.refuse(syntax("size " + name +
                       " comes after what is computed from "
                       "it: say it before"),
                token);
    else if (!sizes.emplace(name, Size{of, token}).second)
      in.refuse(syntax("a second statement of size " + name), token);
  }

  /// What the IR says in the operation and its types.
  void operation() {
    bool copy = in.sees("load") || in.sees("store") || in.sees("reduce");
    if (copy && !said.insert("the copy").second)
      return in.fail("the schedule is a load, a store or a reduction already");
    if (in.take("load")) {
      s.direction = TmaDirection::Load;
      if (in.take("strong")) {
        s.wanted = Correctness::Strong;
        s.nanFill = in.take("NaN");
      } else {
        in.take("weak");
      }
    } else if (in.take("store")) {
      s.direction = TmaDirection::Store;
    } else if (in.take("reduce")) {
      s.direction = TmaDirection::Reduce;
      s.reduction = in.name();
    } else if (in.take("swizzle")) {
      once("swizzle");
      std::string name = in.word();
      if (const TmaSwizzle *swizzle = findTmaSwizzle(name))
        s.swizzle = swizzle, s.swizzleNamed = true;
      else
        in.fail("there is no swizzle '" + name + "'");
    } else if (in.take("align")) {
      once("align");
      s.sharedAlignment = in.integer();
    }
  }

  void tensor() {
    if (!s.global.empty())
      return in.fail("there is one tensor");
    if (given) {
      s.type = given->type;
    } else if (!byName) {
      std::string type = in.name();
      s.type = findTmaType(type);
      if (!s.type) {
        s.type = &tmaTypes()[0];
        return in.fail("there is no element type '" + type + "'");
      }
    }
    std::vector<std::optional<Expr>> strides;
    do {
      std::string name = in.name();
      Expr extent = 0;
      size_t k = s.global.size();
      if (!byName) {
        in.expect("{");
        extent = this->extent();
        in.expect("}");
      } else if (given && k < given->dims.size() && given->dims[k].extent) {
        extent = *given->dims[k].extent;
        auto it = sizes.find(name);
        if (isMultiple(extent, it == sizes.end() ? 1 : it->second.multiple) ==
            Tri::No)
          in.refuse({"domain-invalid", "size " + name + " is " + extent.str() +
                                           ", no multiple of " +
                                           std::to_string(it->second.multiple)},
                    it->second.token);
        used.insert(name);
      } else {
        extent = symbol(name);
      }
      define(s.graph.root(extent), name);
      if (auto problem = s.graph.checkExtents())
        in.refuse(*problem);
      strides.push_back(!byName && in.take(":") ? std::optional(this->extent())
                                                : std::nullopt);
      s.global.push_back({s.graph.size() - 1, 0});
    } while (!in.failed && in.take("x"));
    if (given && given->dims.size() != s.global.size())
      in.refuse({"domain-invalid", "the schedule names " +
                                       std::to_string(s.global.size()) +
                                       " dimensions of a tensor that has " +
                                       std::to_string(given->dims.size())});
    if (in.failed)
      return;
    Expr stride = std::max(s.type->bits / 8, 1);
    for (size_t k = s.global.size(); k-- > 0;) {
      s.global[k].stride =
          given ? given->dims[k].stride : strides[k].value_or(stride);
      stride = s.global[k].stride * s.graph[s.global[k].domain].extent;
    }
  }

  void expression() {
    size_t start = in.position();
    std::vector<std::string> names = {in.name()};
    while (in.take(","))
      names.push_back(in.name());
    in.expect("=");
    std::string what = in.name();
    in.expect("(");
    DomainId from = domain();
    in.expect(",");
    if (in.failed)
      return;
    bool two = what == "split" || what == "swizzle" || what == "window";
    if (!two && what != "merge" && what != "resize")
      return in.fail("there are split, merge, resize, swizzle and window, not "
                     "'" +
                     what + "'");
    size_t results = two ? 2 : 1;
    if (names.size() != results)
      return in.fail(what + " makes " + std::to_string(results) +
                     (results == 1 ? " domain" : " domains"));
    auto pair = [&](const Result<std::pair<DomainId, DomainId>> &made) {
      if (!made)
        return in.refuse(made.problem(), start);
      define(made->first, names[0]);
      define(made->second, names[1]);
    };
    auto one = [&](const Result<DomainId> &made) {
      if (!made)
        return in.refuse(made.problem(), start);
      define(*made, names[0]);
    };
    if (what == "split") {
      bool outer = in.take("outer");
      if (!outer)
        in.take("inner");
      Expr factor = extent();
      in.expect(")");
      if (!in.failed)
        pair(outer ? s.graph.splitOuter(from, factor)
                   : s.graph.splitInner(from, factor));
      return;
    }
    if (what == "resize") {
      int64_t left = in.integer();
      in.expect(",");
      int64_t right = in.integer();
      in.expect(")");
      if (!in.failed)
        one(s.graph.resize(from, left, right));
      return;
    }
    if (what == "window") {
      int64_t filter = in.integer(), stride = 1, dilation = 1;
      while (!in.failed && in.take(",")) {
        if (in.take("stride"))
          stride = in.integer();
        else if (in.take("dilation"))
          dilation = in.integer();
        else
          in.fail("a window has a stride and a dilation");
      }
      in.expect(")");
      if (!in.failed)
        pair(s.graph.window(from, filter, stride, dilation));
      return;
    }
    DomainId other = domain();
    in.expect(")");
    if (in.failed)
      return;
    bool unknown =
        byName && !given &&
        !(s.graph[from].extent.constant() && s.graph[other].extent.constant());
    if (what == "merge") {
      one(s.graph.merge(from, other));
    } else if (unknown && from != other) {
      // What its extents have to be, the tensor says.
      one(s.graph.resize(from, 0, 0));
      std::swap(names[0], names[1]);
      one(s.graph.resize(other, 0, 0));
    } else {
      pair(s.graph.swizzle(from, other));
    }
  }

  void define(DomainId id, const std::string &name) {
    if (!ids.emplace(name, id).second)
      in.fail("domain " + name + " is defined twice");
    s.graph.rename(id, name);
  }
  DomainId domain() {
    size_t place = in.position();
    std::string name = in.name();
    auto it = ids.find(name);
    if (it != ids.end())
      return it->second;
    in.refuse(syntax("there is no domain '" + name + "'"), place);
    return 0;
  }
  void list(std::vector<DomainId> &to) {
    do {
      DomainId id = domain();
      if (!in.failed && std::count(to.begin(), to.end(), id))
        in.refuse(syntax("domain " + s.graph[id].name + " is named twice"));
      to.push_back(id);
    } while (!in.failed && in.take(","));
  }

  // Extents.
  static constexpr int maxDepth = 64;
  static constexpr size_t maxWords = 512; // Of an extent.
  Expr extent() {
    first = in.position();
    return sum(0);
  }
  /// Another operand of an extent that is not too long yet.
  bool more() {
    if (in.position() - first > maxWords)
      in.fail("an extent of more than " + std::to_string(maxWords) +
              " words and signs");
    return !in.failed;
  }
  Expr sum(int depth) {
    Expr e = product(depth);
    while (more())
      if (in.take("+"))
        e = e + product(depth);
      else if (in.take("-"))
        e = e - product(depth);
      else
        break;
    return e;
  }
  Expr product(int depth) {
    Expr e = factor(depth);
    while (more())
      if (in.take("*"))
        e = e * factor(depth);
      else if (in.take("/"))
        e = e / factor(depth);
      else if (byName && in.sees("%"))
        in.fail("extents in the IR have + - * / ceildiv");
      else if (in.take("%"))
        e = e % factor(depth);
      else if (in.take("ceildiv"))
        e = ceilDiv(e, factor(depth));
      else
        break;
    return e;
  }
  Expr factor(int depth) {
    if (in.take("(")) {
      if (depth == maxDepth) {
        in.fail("more than 64 parentheses in one another");
        return 0;
      }
      Expr e = sum(depth + 1);
      in.expect(")");
      return e;
    }
    if (in.seesNumber())
      return in.integer();
    size_t place = in.position();
    std::string name = in.name();
    // By name there are the tensor's own sizes only.
    auto it = ids.find(name);
    if (byName && (it == ids.end() || s.graph[it->second].producer >= 0))
      in.refuse(syntax("'" + name + "' is no dimension of the tensor"), place);
    return byName && !in.failed ? s.graph[it->second].extent : symbol(name);
  }
  Expr symbol(const std::string &name) {
    used.insert(name);
    auto it = sizes.find(name);
    return Expr::symbol(name, it == sizes.end() ? 1 : it->second.multiple);
  }

  Tokens in;
  bool byName;
  const TmaTensor *given;
  TmaSchedule s;
  std::map<std::string, DomainId> ids;
  struct Size {
    int64_t multiple;
    size_t token; // Where it is said.
  };
  std::map<std::string, Size> sizes;
  std::set<std::string> used; // Names of sizes that were read.
  std::set<std::string> said; // Statements of which there is one.
  size_t first = 0;           // Of the extent that is being read.
};
} // namespace

Result<TmaSchedule> titan::parseSchedule(std::string_view text) {
  return Parser(text, /*byName=*/false, nullptr).parse();
}

Result<TmaSchedule> titan::parseSchedule(std::string_view text,
                                         const TmaTensor &tensor) {
  return Parser(text, /*byName=*/true, &tensor).parse();
}

bool titan::isScheduleName(std::string_view name) {
  Tokens tokens(name, /*lines=*/false);
  return tokens.name() == name && !name.empty();
}

std::string titan::layOutSchedule(std::string_view text) {
  std::string out, last, before; // The last tokens.
  Tokens tokens(text, /*lines=*/false);
  for (const Tokens::Token &token : tokens.all()) {
    std::string_view word = token.text;
    if (std::isdigit(static_cast<unsigned char>(word[0])))
      word.remove_prefix(
          std::min(word.find_first_not_of('0'), word.size() - 1));
    bool sign = last == "-" && (before == "," || before == "(");
    bool call = last == "split" || last == "merge" || last == "resize" ||
                last == "swizzle" || last == "window";
    bool tight = out.empty() || sign || last == "(" || word == "," ||
                 word == ")" || (word == "(" && call);
    out += (tight ? "" : " ") + std::string(word);
    before = std::exchange(last, word);
  }
  return out;
}

std::optional<TmaSyntaxProblem>
titan::findSyntaxProblem(std::string_view text) {
  Parser parser(text, /*byName=*/true, nullptr);
  auto schedule = parser.parse();
  if (schedule)
    return std::nullopt;
  return TmaSyntaxProblem{schedule.problem(), parser.place()};
}
