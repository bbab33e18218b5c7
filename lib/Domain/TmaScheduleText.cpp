//===- TmaScheduleText.cpp - Schedules as text ----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Domain/TmaScheduleText.h"

#include "titan/Target/NearestWord.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <span>

using namespace titan;

namespace {
/// The text as tokens: names (with digits and underscores), numbers, single
/// characters. The first thing that is wrong stays.
class Tokens {
public:
  explicit Tokens(std::string_view text) {
    int line = 1;
    size_t lineStart = 0;
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
        ++at;
        if (c == '\n') {
          ++line;
          lineStart = at;
        }
        continue;
      }
      size_t end = at + 1;
      while (is(c) && end < text.size() && is(text[end]))
        ++end;
      tokens.push_back({std::string(text.substr(at, end - at)),
                        at,
                        {line, static_cast<int>(at - lineStart) + 1}});
      at = end;
    }
    length = text.size();
  }

  struct Token {
    std::string text;
    size_t offset; // In the text.
    TmaTextPlace place;
  };
  const std::vector<Token> &all() const { return tokens; }

  bool done() const { return failed || next == tokens.size(); }
  size_t position() const { return next; }
  /// Whether it comes next, or `ahead` tokens later.
  bool sees(std::string_view token, size_t ahead = 0) const {
    return peek(ahead) == token;
  }
  bool seesName(size_t ahead = 0) const {
    std::string_view text = peek(ahead);
    return !text.empty() && (isAlpha(text[0]) || text[0] == '_');
  }
  /// The text of a token to come; empty where there is none.
  std::string_view peek(size_t ahead = 0) const {
    size_t k = next + ahead;
    return failed || k >= tokens.size() ? std::string_view()
                                        : std::string_view(tokens[k].text);
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
    if (!seesName()) {
      fail("expected a name");
      return "";
    }
    return tokens[next++].text;
  }
  /// Any word or number: "128B".
  std::string word() {
    if (!seesNumber() && (done() || !isAlpha(tokens[next].text[0]))) {
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
  void fail(const std::string &why, const std::string &fix = "") {
    report({"parse-error",
            why + (next < tokens.size() ? " at '" + tokens[next].text + "'"
                                        : " at the end"),
            fix},
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
  /// Where a token is; behind the last one, where that ends.
  TmaTextPlace placeOf(size_t token) const {
    if (token < tokens.size() || tokens.empty())
      return tokens.empty() ? TmaTextPlace() : tokens[token].place;
    TmaTextPlace place = tokens.back().place;
    place.column += static_cast<int>(tokens.back().text.size());
    return place;
  }

private:
  static bool isAlpha(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
  }

  void report(const Problem &p, size_t token) {
    if (failed)
      return;
    failed = true;
    wrong = token;
    problem = p;
  }

  std::vector<Token> tokens;
  size_t next = 0, wrong = 0, length = 0;
};

using Words = std::span<const std::string_view>;

/// What statements begin with that are no definitions; the last ones stand in
/// files only.
constexpr std::string_view statements[] = {
    "size",   "tensor", "bulk",  "shared", "map",     "traffic",
    "padded", "load",   "store", "reduce", "swizzle", "align"};
constexpr size_t statementsInIR = 7;
constexpr std::string_view expressions[] = {"split", "merge", "resize",
                                            "swizzle", "window"};

bool isOneOf(std::string_view word, Words words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// "a, b and c".
std::string listOf(Words words) {
  std::string text;
  for (size_t k = 0; k < words.size(); ++k)
    text += (k == 0                  ? ""
             : k + 1 == words.size() ? " and "
                                     : ", ") +
            std::string(words[k]);
  return text;
}

/// "did you mean split? ", where one of the words is near.
std::string guess(std::string_view word, Words words) {
  std::string_view near = nearestWord(word, words);
  return near.empty() ? "" : "did you mean " + std::string(near) + "? ";
}

Problem syntax(const std::string &why, const std::string &fix = "") {
  return {"parse-error", why, fix};
}

/// A word that is none of those that there are.
Problem noSuch(const std::string &what, const std::string &word, Words words) {
  return syntax("there is no " + what + " '" + word + "'",
                guess(word, words) + "there are " + listOf(words));
}

/// The rows of a table by their names, as far as text says them.
template <typename Rows, typename Name>
std::vector<std::string_view> namesOf(const Rows &rows, Name name) {
  std::vector<std::string_view> names;
  for (const auto &row : rows)
    if ((row.*name).find('.') == std::string_view::npos)
      names.push_back(row.*name);
  return names;
}

class Parser {
public:
  /// Of a tensor by its names, where `byName`: `given` has its sizes; null: its
  /// sizes are symbols.
  Parser(std::string_view text, bool byName, const TmaTensor *given)
      : in(text), byName(byName), given(given) {}

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
  TmaTextPlaces places() const {
    TmaTextPlaces where;
    where.problem = in.placeOf(place().token);
    for (const auto &[name, domain] : ids)
      where.domains.emplace(name, in.placeOf(domain.token));
    for (const auto &[word, token] : firsts)
      where.statements.emplace(word, in.placeOf(token));
    return where;
  }

private:
  void statement() {
    Words taken = std::exchange(open, {});
    bool listed = std::exchange(inList, false);
    firsts.emplace(in.peek(), in.position());
    if (in.take("tensor"))
      return tensor();
    if (in.take("bulk"))
      return list(s.bulk, &s.tileExtent);
    if (in.take("shared")) {
      once("shared");
      return list(s.shared, &s.ring);
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
      static constexpr std::string_view ways[] = {"ignore", "save", "worth"};
      std::string how = in.name();
      auto way = std::find(std::begin(ways), std::end(ways), how);
      if (way == std::end(ways))
        in.refuse(noSuch("traffic", how, ways));
      else
        s.traffic = static_cast<TmaTraffic>(way - std::begin(ways));
      return;
    }
    for (std::string_view word : Words(statements).subspan(statementsInIR))
      if (in.sees(word))
        return byName ? elsewhere() : operation();
    if (in.sees("=", 1) || in.sees(",", 1))
      return expression();
    unknown(taken, listed);
  }

  /// No statement begins so. `taken`: what the last one could have had beside;
  /// `listed`: it was a list.
  void unknown(Words taken, bool listed) {
    size_t token = in.position();
    Words known(statements, byName ? statementsInIR : std::size(statements));
    std::string all = "statements begin with " + listOf(known) +
                      ", or define domains: X, Y = split(Z, 4)";
    if (!in.seesName())
      return in.fail("expected a statement", all);
    std::string word(in.peek());
    auto comma = [&](const std::string &a, const std::string &b, size_t at) {
      in.refuse(syntax("a comma is missing between '" + a + "' and '" + b + "'",
                       "write " + a + ", " + b),
                at);
    };
    if (listed && ids.count(word))
      return comma(in.all()[token - 1].text, word, token);
    std::vector<std::string_view> words(taken.begin(), taken.end());
    words.insert(words.end(), std::begin(statements), std::end(statements));
    std::string near = guess(word, words);
    if (near.empty() && in.seesName(1) &&
        (in.sees("=", 2) || in.sees(",", 2)) &&
        in.placeOf(token).line == in.placeOf(token + 1).line)
      return comma(word, std::string(in.peek(1)), token + 1);
    if (!taken.empty())
      all = "the statement before takes " + listOf(taken) + "; " + all;
    in.refuse(syntax("there is no statement '" + word + "'", near + all),
              token);
  }

  /// What a file says, and in the IR the operation and its types.
  void elsewhere() {
    std::string second(in.peek(1));
    if (in.sees("swizzle"))
      return in.fail("the type of the shared buffer says the swizzle",
                     "leave it out here, and let the buffer's type say it: "
                     "!titan.shared<128x64xbf16, swizzle = 128>");
    if (in.sees("align"))
      return in.fail("the type of the shared buffer says its alignment",
                     "leave it out");
    if (in.sees("reduce"))
      return in.fail("the copy's operation says that it reduces",
                     "leave it out here, and write reduce(" +
                         (in.seesName(1) ? second : "add") +
                         ") behind schedule(...)");
    std::string demand = second == "strong" && in.sees("NaN", 2)
                             ? "strong fill(nan)"
                         : second == "strong" || second == "weak" ? second
                                                                  : "";
    in.fail("the copy's operands say whether it is a load or a store",
            demand.empty() ? "leave it out"
                           : "leave it out here, and write " + demand +
                                 " behind schedule(...)");
  }

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
    if (!in.failed && of < 1)
      in.refuse(syntax("a size is a multiple of at least 1"));
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
      static constexpr std::string_view demands[] = {"weak", "strong"};
      static constexpr std::string_view fills[] = {"NaN"};
      if (in.take("strong")) {
        s.wanted = Correctness::Strong;
        s.nanFill = in.take("NaN");
        open = s.nanFill ? Words() : fills;
      } else if (!in.take("weak")) {
        open = demands;
      }
    } else if (in.take("store")) {
      s.direction = TmaDirection::Store;
    } else if (in.take("reduce")) {
      s.direction = TmaDirection::Reduce;
      s.reduction = in.name();
      auto names = namesOf(tmaReductions(), &TmaReduction::op);
      if (!isOneOf(s.reduction, names))
        in.refuse(noSuch("reduction", s.reduction, names));
    } else if (in.take("swizzle")) {
      once("swizzle");
      std::string name = in.word();
      if (const TmaSwizzle *swizzle = findTmaSwizzle(name))
        s.swizzle = swizzle, s.swizzleNamed = true;
      else
        in.refuse(
            noSuch("swizzle", name, namesOf(tmaSwizzles(), &TmaSwizzle::name)));
    } else if (in.take("align")) {
      once("align");
      s.sharedAlignment = in.integer();
    }
  }

  void tensor() {
    if (!s.global.empty())
      return in.refuse(syntax("there is one tensor"));
    if (given) {
      s.type = given->type;
    } else if (!byName) {
      std::string type = in.name();
      s.type = findTmaType(type);
      if (!s.type) {
        s.type = &tmaTypes()[0];
        return in.refuse(noType(type));
      }
    }
    bool typed = in.seesName(1) && (in.sees("{", 2) || in.sees("x", 2));
    if (byName && (in.sees("{", 1) || (typed && !in.sees("x", 1))))
      return in.fail("the tensor's type and sizes are the operand's, and not "
                     "said in the IR",
                     "write its dimensions' names: " + dimensionNames(typed));
    std::vector<std::optional<Expr>> strides;
    do {
      size_t token = in.position();
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
      define(s.graph.root(extent), name, token);
      if (auto problem = s.graph.checkExtents())
        in.refuse(*problem, token);
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

  static Problem noType(const std::string &type) {
    auto names = namesOf(tmaTypes(), &TmaType::name);
    Problem problem = noSuch("element type", type, names);
    if (type.empty() || type[0] != 'i')
      return problem;
    // The IR's integers have no sign.
    for (const char *sign : {"s", "u"})
      if (findTmaType(sign + type.substr(1))) {
        problem.fix = "the IR's " + type + " is " + sign + type.substr(1) +
                      " here; there are " + listOf(names);
        break;
      }
    return problem;
  }

  /// Of a tensor as files have it: "tensor M x N". `k`: tokens before the
  /// first name.
  std::string dimensionNames(size_t k) const {
    std::string text;
    while (true) {
      text += (text.empty() ? "tensor " : " x ") + std::string(in.peek(k++));
      if (in.sees("{", k))
        while (!in.peek(k).empty() && !in.sees("}", k++)) {
        }
      if (in.sees(":", k))
        return "tensor M x N";
      if (!in.sees("x", k++))
        return text;
    }
  }

  void expression() {
    size_t start = in.position();
    std::vector<std::string> names = {in.name()};
    while (in.take(","))
      names.push_back(in.name());
    // Names and commas take turns.
    auto token = [&](size_t k) { return start + 2 * k; };
    in.expect("=");
    std::string what = in.name();
    if (in.failed)
      return;
    if (!isOneOf(what, expressions))
      return in.refuse(noSuch("expression", what, expressions));
    bool two = what == "split" || what == "swizzle" || what == "window";
    size_t results = two ? 2 : 1;
    if (names.size() != results)
      return in.refuse(syntax(what + " makes " + std::to_string(results) +
                              (results == 1 ? " domain" : " domains") +
                              ", not " + std::to_string(names.size())));
    in.expect("(");
    DomainId from = domain();
    in.expect(",");
    if (in.failed)
      return;
    auto pair = [&](const Result<std::pair<DomainId, DomainId>> &made) {
      if (!made)
        return in.refuse(made.problem(), start);
      define(made->first, names[0], token(0));
      define(made->second, names[1], token(1));
    };
    auto one = [&](const Result<DomainId> &made) {
      if (!made)
        return in.refuse(made.problem(), start);
      define(*made, names[0], token(0));
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
      pair(swizzleUnknown(from, other));
    } else {
      pair(s.graph.swizzle(from, other));
    }
  }

  /// Two domains of the same extents, as of a swizzle.
  Result<std::pair<DomainId, DomainId>> swizzleUnknown(DomainId x, DomainId y) {
    auto a = s.graph.resize(x, 0, 0), b = s.graph.resize(y, 0, 0);
    if (!a || !b)
      return a ? b.problem() : a.problem();
    return std::pair(*a, *b);
  }

  /// `token`: where its name stands.
  void define(DomainId id, const std::string &name, size_t token) {
    auto [it, isNew] = ids.emplace(name, Domain{id, token});
    if (!isNew) {
      int line = in.placeOf(it->second.token).line;
      in.refuse(syntax("domain " + name + " is defined twice" +
                           (byName ? ""
                                   : ": on line " + std::to_string(line) +
                                         " already"),
                       "each domain has a name of its own"),
                token);
    }
    s.graph.rename(id, name);
  }
  DomainId domain() {
    size_t place = in.position();
    std::string name = in.name();
    auto it = ids.find(name);
    if (it != ids.end())
      return it->second.id;
    std::vector<std::string_view> names;
    for (const auto &[other, domain] : ids)
      names.push_back(other);
    Problem problem = noSuch("domain", name, names);
    if (names.size() > 16)
      problem.fix = guess(name, names);
    else if (names.empty())
      problem.fix = "the tensor comes first";
    in.refuse(problem, place);
    return 0;
  }
  /// With `held`: "Mi{64}", the elements or tiles that are held of it.
  void list(std::vector<DomainId> &to,
            std::map<DomainId, int64_t> *held = nullptr) {
    inList = true;
    do {
      DomainId id = domain();
      if (!in.failed && std::count(to.begin(), to.end(), id))
        in.refuse(syntax("domain " + s.graph[id].name + " is named twice"));
      to.push_back(id);
      if (held && !in.failed && in.take("{")) {
        size_t token = in.position();
        int64_t number = in.integer();
        if (!in.failed && number < 1)
          in.refuse(syntax("at least 1 is held"), token);
        in.expect("}");
        (*held)[id] = number;
      }
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
    if (byName && (it == ids.end() || s.graph[it->second.id].producer >= 0))
      in.refuse(syntax("'" + name + "' is no dimension of the tensor"), place);
    return byName && !in.failed ? s.graph[it->second.id].extent : symbol(name);
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
  struct Domain {
    DomainId id;
    size_t token; // Of its name, where it is defined.
  };
  std::map<std::string, Domain> ids;
  struct Size {
    int64_t multiple;
    size_t token; // Where it is said.
  };
  std::map<std::string, Size> sizes;
  std::set<std::string> used;           // Names of sizes that were read.
  std::set<std::string> said;           // Statements of which there is one.
  std::map<std::string, size_t> firsts; // Of the statements' words, tokens.
  size_t first = 0;                     // Of the extent that is being read.
  // Of the last statement: what else it takes; whether it is a list.
  Words open;
  bool inList = false;
};
} // namespace

Result<TmaSchedule> titan::parseSchedule(std::string_view text,
                                         TmaTextPlaces *places) {
  Parser parser(text, /*byName=*/false, nullptr);
  auto schedule = parser.parse();
  TmaTextPlaces where = parser.places();
  if (places)
    *places = std::move(where);
  else if (!schedule)
    return Problem{schedule.problem().code,
                   "line " + std::to_string(where.problem.line) + ", column " +
                       std::to_string(where.problem.column) + ": " +
                       schedule.problem().message,
                   schedule.problem().fix};
  return schedule;
}

Result<TmaSchedule> titan::parseSchedule(std::string_view text,
                                         const TmaTensor &tensor) {
  return Parser(text, /*byName=*/true, &tensor).parse();
}

std::optional<TmaTextPlace> TmaTextPlaces::find(const Problem &p) const {
  auto statement = [&](std::string_view word) -> std::optional<TmaTextPlace> {
    auto it = statements.find(std::string(word));
    return it == statements.end() ? std::nullopt : std::optional(it->second);
  };
  if (auto order = statement("shared"); order && p.code == "tma-shared-tile")
    return order;
  Tokens message(p.message);
  if (isOneOf(message.peek(), ::statements))
    return statement(message.peek());
  // "Mi{8}", and what a lowering makes of it, "Mi.tile.box{2}".
  const auto &words = message.all();
  for (size_t k = 0; k + 1 < words.size(); ++k) {
    size_t brace = k + 1;
    while (brace + 1 < words.size() && words[brace].text == ".")
      brace += 2;
    if (auto it = domains.find(words[k].text);
        it != domains.end() && brace < words.size() && words[brace].text == "{")
      return it->second;
  }
  static constexpr std::pair<std::string_view, std::string_view> fields[] = {
      {"boxDim", "bulk"},       {"elementStrides", "bulk"},
      {"globalDim", "tensor"},  {"globalStrides", "tensor"},
      {"tensorRank", "tensor"}, {"tensorDataType", "tensor"},
      {"swizzle", "swizzle"},   {"redOp", "reduce"},
      {"dstMem", "align"}};
  for (auto [field, word] : fields)
    if (message.sees(field))
      return statement(word);
  return std::nullopt;
}

std::optional<bool> titan::beginsAsSchedule(std::string_view text) {
  Tokens tokens(text);
  if (tokens.done())
    return std::nullopt;
  if (tokens.sees("=", 1) || tokens.sees(",", 1))
    return tokens.seesName();
  if (!tokens.seesName() || tokens.sees(".", 1) || tokens.sees("module"))
    return false;
  if (isOneOf(tokens.peek(), statements))
    return true;
  return std::nullopt;
}

bool titan::isScheduleName(std::string_view name) {
  Tokens tokens(name);
  return tokens.name() == name && !name.empty();
}

std::string titan::layOutSchedule(std::string_view text) {
  std::string out, last, before; // The last tokens.
  Tokens tokens(text);
  for (const Tokens::Token &token : tokens.all()) {
    std::string_view word = token.text;
    if (std::isdigit(static_cast<unsigned char>(word[0])))
      word.remove_prefix(
          std::min(word.find_first_not_of('0'), word.size() - 1));
    bool sign = last == "-" && (before == "," || before == "(");
    bool call = last == "split" || last == "merge" || last == "resize" ||
                last == "swizzle" || last == "window";
    bool tight = out.empty() || sign || last == "(" || word == "," ||
                 word == ")" || (word == "(" && call) || word == "{" ||
                 last == "{" || word == "}";
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
