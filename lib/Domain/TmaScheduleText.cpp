//===- TmaScheduleText.cpp - Schedules as text ----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Domain/TmaScheduleText.h"

#include <cctype>
#include <map>

using namespace titan;

namespace {
/// One line as tokens: names (with digits and underscores), numbers, single
/// characters. The first thing that is wrong stays.
class Line {
public:
  Line(std::string_view text, int number) : number(number) {
    for (size_t at = 0; at < text.size();) {
      char c = text[at];
      auto is = [&](char x) {
        return std::isalnum(static_cast<unsigned char>(x)) || x == '_';
      };
      if (c == '/' && text.substr(at, 2) == "//")
        break;
      if (std::isspace(static_cast<unsigned char>(c))) {
        ++at;
        continue;
      }
      size_t end = at + 1;
      while (is(c) && end < text.size() && is(text[end]))
        ++end;
      tokens.emplace_back(text.substr(at, end - at));
      at = end;
    }
    if (tokens.size() > 512)
      fail("a line of more than 512 words and signs");
  }

  bool empty() const { return tokens.empty(); }
  bool done() const { return failed || next == tokens.size(); }
  bool sees(std::string_view token) const {
    return !done() && tokens[next] == token;
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
    if (done() || std::isdigit(static_cast<unsigned char>(tokens[next][0])) ||
        !(std::isalpha(static_cast<unsigned char>(tokens[next][0])) ||
          tokens[next][0] == '_')) {
      fail("expected a name");
      return "";
    }
    return tokens[next++];
  }
  /// Any word or number: "128B".
  std::string word() {
    if (done() || !std::isalnum(static_cast<unsigned char>(tokens[next][0]))) {
      fail("expected a word");
      return "";
    }
    return tokens[next++];
  }
  bool seesNumber() const {
    return !done() && std::isdigit(static_cast<unsigned char>(tokens[next][0]));
  }
  /// A number, perhaps negative, of at most 2^40.
  int64_t integer() {
    bool negative = take("-");
    if (!seesNumber()) {
      fail("expected a number");
      return 0;
    }
    int64_t value = 0;
    for (char c : tokens[next]) {
      if (!std::isdigit(static_cast<unsigned char>(c)) || value > int64_t(1)
                                                                      << 40) {
        fail("expected a number of at most 2^40");
        return 0;
      }
      value = value * 10 + (c - '0');
    }
    ++next;
    return negative ? -value : value;
  }
  void fail(const std::string &why) {
    if (failed)
      return;
    failed = true;
    problem = {"parse-error",
               "line " + std::to_string(number) + ": " + why +
                   (next < tokens.size() ? " at '" + tokens[next] + "'"
                                         : " at the end of the line")};
  }
  /// A problem that the graph has with what was read.
  void refuse(const Problem &p) {
    if (!failed)
      problem = {p.code, "line " + std::to_string(number) + ": " + p.message};
    failed = true;
  }

  bool failed = false;
  Problem problem;

private:
  std::vector<std::string> tokens;
  size_t next = 0;
  int number;
};

class Parser {
public:
  Result<TmaSchedule> parse(std::string_view text) {
    int number = 0;
    for (size_t at = 0; at <= text.size(); ++number) {
      size_t end = std::min(text.find('\n', at), text.size());
      Line line(text.substr(at, end - at), number + 1);
      at = end + 1;
      if (line.empty())
        continue;
      if (!line.failed)
        statement(line);
      if (!line.done())
        line.fail("expected the end of the line");
      if (line.failed)
        return line.problem;
    }
    if (s.global.empty())
      return Problem{"parse-error", "there is no tensor"};
    return std::move(s);
  }

private:
  void statement(Line &line) {
    if (line.take("tensor"))
      return tensor(line);
    if (line.take("bulk"))
      return list(line, s.bulk);
    if (line.take("shared"))
      return list(line, s.shared);
    if (line.take("map"))
      return list(line, s.tmaDomain);
    if (line.take("size")) {
      std::string name = line.name();
      line.expect("multiple");
      int64_t of = line.integer();
      if (of < 1)
        line.fail("a size is a multiple of at least 1");
      multiples[name] = of;
      return;
    }
    if (line.take("load")) {
      s.direction = TmaDirection::Load;
      if (line.take("strong")) {
        s.wanted = Correctness::Strong;
        s.nanFill = line.take("NaN");
      } else {
        line.take("weak");
      }
      return;
    }
    if (line.take("store")) {
      s.direction = TmaDirection::Store;
      s.tailIsPadding = line.take("padded");
      return;
    }
    if (line.take("reduce")) {
      s.direction = TmaDirection::Reduce;
      s.reduction = line.name();
      s.tailIsPadding = line.take("padded");
      return;
    }
    if (line.take("swizzle")) {
      std::string name = line.word();
      if (const TmaSwizzle *swizzle = findTmaSwizzle(name))
        s.swizzle = swizzle;
      else
        line.fail("there is no swizzle '" + name + "'");
      return;
    }
    if (line.take("align")) {
      s.sharedAlignment = line.integer();
      return;
    }
    if (line.take("traffic")) {
      std::string how = line.name();
      if (how == "ignore")
        s.traffic = TmaTraffic::Ignore;
      else if (how == "save")
        s.traffic = TmaTraffic::Save;
      else if (how == "worth")
        s.traffic = TmaTraffic::Worth;
      else
        line.fail("traffic is ignore, save or worth");
      return;
    }
    expression(line);
  }

  void tensor(Line &line) {
    if (!s.global.empty())
      return line.fail("there is one tensor");
    std::string type = line.name();
    s.type = findTmaType(type);
    if (!s.type) {
      s.type = &tmaTypes()[0];
      return line.fail("there is no element type '" + type + "'");
    }
    std::vector<std::optional<Expr>> strides;
    do {
      std::string name = line.name();
      line.expect("{");
      Expr extent = sum(line, 0);
      line.expect("}");
      define(line, s.graph.root(extent), name);
      strides.push_back(line.take(":") ? std::optional(sum(line, 0))
                                       : std::nullopt);
      s.global.push_back({s.graph.size() - 1, 0});
    } while (!line.failed && line.take("x"));
    Expr stride = std::max(s.type->bits / 8, 1);
    for (size_t k = s.global.size(); k-- > 0;) {
      s.global[k].stride = strides[k].value_or(stride);
      stride = s.global[k].stride * s.graph[s.global[k].domain].extent;
    }
  }

  void expression(Line &line) {
    std::vector<std::string> names = {line.name()};
    while (line.take(","))
      names.push_back(line.name());
    line.expect("=");
    std::string what = line.name();
    line.expect("(");
    DomainId in = domain(line);
    line.expect(",");
    if (line.failed)
      return;
    size_t results = what == "split" || what == "swizzle" ? 2 : 1;
    if (what != "split" && what != "swizzle" && what != "merge" &&
        what != "resize")
      return line.fail("there are split, merge, resize and swizzle, not '" +
                       what + "'");
    if (names.size() != results)
      return line.fail(what + " makes " + std::to_string(results) +
                       (results == 1 ? " domain" : " domains"));
    auto pair = [&](const Result<std::pair<DomainId, DomainId>> &made) {
      if (!made)
        return line.refuse(made.problem());
      define(line, made->first, names[0]);
      define(line, made->second, names[1]);
    };
    auto one = [&](const Result<DomainId> &made) {
      if (!made)
        return line.refuse(made.problem());
      define(line, *made, names[0]);
    };
    if (what == "split") {
      bool outer = line.take("outer");
      if (!outer)
        line.take("inner");
      Expr factor = sum(line, 0);
      line.expect(")");
      if (!line.failed)
        pair(outer ? s.graph.splitOuter(in, factor)
                   : s.graph.splitInner(in, factor));
      return;
    }
    if (what == "resize") {
      int64_t left = line.integer();
      line.expect(",");
      int64_t right = line.integer();
      line.expect(")");
      if (!line.failed)
        one(s.graph.resize(in, left, right));
      return;
    }
    DomainId other = domain(line);
    line.expect(")");
    if (line.failed)
      return;
    if (what == "merge")
      one(s.graph.merge(in, other));
    else
      pair(s.graph.swizzle(in, other));
  }

  void define(Line &line, DomainId id, const std::string &name) {
    if (!ids.emplace(name, id).second)
      line.fail("domain " + name + " is defined twice");
    s.graph.rename(id, name);
  }
  DomainId domain(Line &line) {
    std::string name = line.name();
    auto it = ids.find(name);
    if (it != ids.end())
      return it->second;
    line.fail("there is no domain '" + name + "'");
    return 0;
  }
  void list(Line &line, std::vector<DomainId> &to) {
    do
      to.push_back(domain(line));
    while (!line.failed && line.take(","));
  }

  // Extents.
  static constexpr int maxDepth = 64;
  Expr sum(Line &line, int depth) {
    Expr e = product(line, depth);
    while (!line.failed)
      if (line.take("+"))
        e = e + product(line, depth);
      else if (line.take("-"))
        e = e - product(line, depth);
      else
        break;
    return e;
  }
  Expr product(Line &line, int depth) {
    Expr e = factor(line, depth);
    while (!line.failed)
      if (line.take("*"))
        e = e * factor(line, depth);
      else if (line.take("/"))
        e = e / factor(line, depth);
      else if (line.take("%"))
        e = e % factor(line, depth);
      else if (line.take("ceildiv"))
        e = ceilDiv(e, factor(line, depth));
      else
        break;
    return e;
  }
  Expr factor(Line &line, int depth) {
    if (line.take("(")) {
      if (depth == maxDepth) {
        line.fail("more than 64 parentheses in one another");
        return 0;
      }
      Expr e = sum(line, depth + 1);
      line.expect(")");
      return e;
    }
    if (line.seesNumber())
      return line.integer();
    std::string name = line.name();
    auto it = multiples.find(name);
    return Expr::symbol(name, it == multiples.end() ? 1 : it->second);
  }

  TmaSchedule s;
  std::map<std::string, DomainId> ids;
  std::map<std::string, int64_t> multiples;
};
} // namespace

Result<TmaSchedule> titan::parseSchedule(std::string_view text) {
  return Parser().parse(text);
}
