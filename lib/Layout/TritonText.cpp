//===- TritonText.cpp - The text of Triton's encodings --------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   encoding := '#ttg.' name '<' pads? '{' field (',' field)* '}' (',' field)* '>'
//   pads     := '[' number ':+' number (',' number ':+' number)* ']'
//   field    := name '=' (number | 'true' | 'false' | list | encoding)
//   list     := '[' (number | list) (',' ...)* ']'
//
//===----------------------------------------------------------------------===//
#include "LayoutParts.h"
#include "TritonParts.h"

#include <cctype>

using namespace titan;
using namespace titan::triton;

namespace {
/// What stands behind a name.
using FieldValue = std::variant<int64_t, bool, Numbers, Bases, EncodingRef>;

class EncodingParser {
public:
  explicit EncodingParser(std::string_view text) : text(text) {}

  Result<Encoding> run() {
    std::optional<Encoding> made = encoding(0);
    if (made && (space(), pos < text.size()))
      made = fail("the end");
    if (made)
      return *made;
    return *problem;
  }

private:
  struct Field {
    std::string name;
    FieldValue value;
    bool used = false;
  };

  std::nullopt_t fail(const std::string &what) {
    if (!problem)
      problem = {"layout-syntax", "expected " + what + " at character " +
                                      std::to_string(pos + 1) + " of `" +
                                      std::string(text.substr(0, 200)) + "`"};
    return std::nullopt;
  }
  void space() {
    while (pos < text.size() && std::isspace((unsigned char)text[pos]))
      ++pos;
  }
  bool eat(std::string_view token) {
    space();
    if (text.substr(pos, token.size()) != token)
      return false;
    pos += token.size();
    return true;
  }
  bool want(std::string_view token) {
    if (eat(token))
      return true;
    fail("'" + std::string(token) + "'");
    return false;
  }
  std::string name() {
    space();
    size_t start = pos;
    while (pos < text.size() &&
           (std::isalnum((unsigned char)text[pos]) || text[pos] == '_'))
      ++pos;
    return std::string(text.substr(start, pos - start));
  }
  std::optional<int64_t> number() {
    space();
    int64_t value = 0;
    size_t start = pos;
    for (; pos < text.size() && std::isdigit((unsigned char)text[pos]); ++pos)
      if ((value = value * 10 + (text[pos] - '0')) > sizeLimit)
        return fail("a number below 2^40");
    if (pos == start)
      return fail("a number");
    return value;
  }
  std::optional<Numbers> numbers() {
    Numbers list;
    if (!want("["))
      return std::nullopt;
    if (eat("]"))
      return list;
    do {
      std::optional<int64_t> value = number();
      if (!value)
        return std::nullopt;
      list.push_back(*value);
    } while (eat(","));
    return want("]") ? std::optional(list) : std::nullopt;
  }
  std::optional<FieldValue> value(int depth) {
    space();
    if (pos < text.size() && text[pos] == '#') {
      std::optional<Encoding> inner = encoding(depth + 1);
      if (!inner)
        return std::nullopt;
      return std::make_shared<const Encoding>(std::move(*inner));
    }
    if (eat("true"))
      return true;
    if (eat("false"))
      return false;
    if (pos < text.size() && text[pos] == '[') {
      size_t start = pos;
      ++pos;
      space();
      bool nested = pos < text.size() && text[pos] == '[';
      if (!nested) {
        pos = start;
        std::optional<Numbers> list = numbers();
        return list ? std::optional<FieldValue>(*list) : std::nullopt;
      }
      Bases lists;
      do {
        std::optional<Numbers> list = numbers();
        if (!list)
          return std::nullopt;
        lists.push_back(std::move(*list));
      } while (eat(","));
      return want("]") ? std::optional<FieldValue>(lists) : std::nullopt;
    }
    std::optional<int64_t> simple = number();
    return simple ? std::optional<FieldValue>(*simple) : std::nullopt;
  }
  bool field(int depth) {
    Field made{name(), {}};
    if (made.name.empty()) {
      fail("a name");
      return false;
    }
    if (!want("="))
      return false;
    std::optional<FieldValue> content = value(depth);
    if (!content)
      return false;
    made.value = std::move(*content);
    for (const Field &other : fields)
      if (other.name == made.name) {
        fail("each name once");
        return false;
      }
    fields.push_back(std::move(made));
    return true;
  }

  /// The field of that name into `to`; false: it is missing and `needed`, or of
  /// another kind.
  template <typename T> bool get(const char *name, T &to, bool needed = true) {
    for (Field &field : fields)
      if (field.name == name) {
        field.used = true;
        if (auto *found = std::get_if<Numbers>(&field.value)) {
          if constexpr (std::is_same_v<T, std::vector<int>>) {
            to.clear();
            for (int64_t n : *found)
              to.push_back(static_cast<int>(std::min<int64_t>(n, 1 << 20)));
            return true;
          }
          if constexpr (std::is_same_v<T, Bases>)
            if (found->empty()) {
              to.clear();
              return true;
            }
        }
        if constexpr (std::is_same_v<T, int>) {
          if (auto *found = std::get_if<int64_t>(&field.value)) {
            to = static_cast<int>(std::min<int64_t>(*found, 1 << 20));
            return true;
          }
        } else if constexpr (!std::is_same_v<T, std::vector<int>>) {
          if (auto *found = std::get_if<T>(&field.value)) {
            to = *found;
            return true;
          }
        }
        fail(std::string("another value of ") + name);
        return false;
      }
    if (needed)
      fail(std::string(name) + " = ...");
    return !needed;
  }

  std::optional<Encoding> encoding(int depth);
  std::optional<Encoding::Kind> build(const std::string &kind);

  std::string_view text;
  size_t pos = 0;
  std::vector<Field> fields;
  std::vector<PaddedShared::Pad> pads;
  std::optional<Problem> problem;
};

std::optional<Encoding> EncodingParser::encoding(int depth) {
  if (depth > Coord::maxRank)
    return fail("an encoding of fewer encodings");
  if (!want("#ttg."))
    return std::nullopt;
  std::string kind = name();
  // Those of an encoding around this one wait.
  std::vector<Field> outer = std::move(fields);
  fields.clear();
  pads.clear();
  if (!want("<"))
    return std::nullopt;
  if (kind == "padded_shared") {
    if (!want("["))
      return std::nullopt;
    do {
      std::optional<int64_t> interval = number();
      if (!interval || !want(":+"))
        return std::nullopt;
      std::optional<int64_t> padding = number();
      if (!padding)
        return std::nullopt;
      pads.push_back({*interval, *padding});
    } while (eat(","));
    if (!want("]"))
      return std::nullopt;
  }
  if (!want("{"))
    return std::nullopt;
  if (!eat("}")) {
    do
      if (!field(depth))
        return std::nullopt;
    while (eat(","));
    if (!want("}"))
      return std::nullopt;
  }
  while (eat(","))
    if (!field(depth))
      return std::nullopt;
  if (!want(">"))
    return std::nullopt;
  std::optional<Encoding::Kind> made = build(kind);
  if (!made)
    return std::nullopt;
  for (const Field &field : fields)
    if (!field.used)
      return fail("no " + field.name + " in " + kind);
  fields = std::move(outer);
  return Encoding(std::move(*made));
}

std::optional<Encoding::Kind> EncodingParser::build(const std::string &kind) {
  auto when = [](bool read, auto &e) {
    return read ? std::optional<Encoding::Kind>(e) : std::nullopt;
  };
  if (kind == "blocked") {
    Blocked e;
    return when(get("sizePerThread", e.sizePerThread) &&
                    get("threadsPerWarp", e.threadsPerWarp) &&
                    get("warpsPerCTA", e.warpsPerCta) &&
                    get("order", e.order) && get("CGALayout", e.cga, false),
                e);
  }
  if (kind == "linear") {
    Linear e;
    return when(get("register", e.registers) && get("lane", e.lanes) &&
                    get("warp", e.warps) && get("block", e.blocks),
                e);
  }
  if (kind == "slice") {
    Slice e;
    return when(get("dim", e.dim) && get("parent", e.parent), e);
  }
  if (kind == "nvidia_mma") {
    NvidiaMma e;
    return when(get("versionMajor", e.versionMajor) &&
                    get("versionMinor", e.versionMinor) &&
                    get("warpsPerCTA", e.warpsPerCta) &&
                    get("CGALayout", e.cga, false) &&
                    get("instrShape", e.instrShape),
                e);
  }
  if (kind == "amd_mfma") {
    AmdMfma e;
    return when(get("version", e.version) &&
                    get("warpsPerCTA", e.warpsPerCta) &&
                    get("instrShape", e.instrShape) &&
                    get("isTransposed", e.isTransposed) &&
                    get("CGALayout", e.cga, false) &&
                    get("tilesPerWarp", e.tilesPerWarp, false) &&
                    get("elementBitWidth", e.elementBitWidth, false),
                e);
  }
  if (kind == "dot_op") {
    DotOperand e;
    return when(get("opIdx", e.opIdx) && get("parent", e.parent) &&
                    get("kWidth", e.kWidth, false),
                e);
  }
  if (kind == "swizzled_shared") {
    SwizzledShared e;
    return when(get("vec", e.vec) && get("perPhase", e.perPhase) &&
                    get("maxPhase", e.maxPhase) && get("order", e.order) &&
                    get("CGALayout", e.cga, false),
                e);
  }
  if (kind == "padded_shared") {
    PaddedShared e{pads};
    bool read = get("order", e.order, false) &&
                get("shape", e.shape, !e.order.empty()) &&
                get("offset", e.offset, e.order.empty()) &&
                get("block", e.block, false);
    return when(read, e);
  }
  if (kind == "nvmma_shared") {
    NvmmaShared e;
    bool read = get("swizzlingByteWidth", e.swizzlingByteWidth) &&
                get("transposed", e.transposed) &&
                get("elementBitWidth", e.elementBitWidth) &&
                get("fp4Padded", e.fp4Padded, false) &&
                get("CGALayout", e.cga, false);
    if (!e.cga.empty())
      e.rank = static_cast<int>(e.cga[0].size());
    return when(read && get("rank", e.rank, false), e);
  }
  if (kind == "shared_linear") {
    SharedLinear e;
    return when(get("offset", e.offset) && get("block", e.block, false) &&
                    get("alignment", e.alignment),
                e);
  }
  return fail("an encoding of Triton's (blocked, linear, slice, nvidia_mma, "
              "amd_mfma, dot_op, swizzled_shared, padded_shared, nvmma_shared, "
              "shared_linear) instead of '" +
              kind + "'");
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// `name = value, name = value`.
class EncodingPrinter {
public:
  template <typename T>
  EncodingPrinter &field(const char *name, const T &value) {
    out += (out.empty() ? "" : ", ") + std::string(name) + " = ";
    print(value);
    return *this;
  }
  /// One that stands only if it holds something else than what is usual.
  template <typename T>
  EncodingPrinter &unless(bool usual, const char *name, const T &value) {
    return usual ? *this : field(name, value);
  }
  std::string out;

private:
  void print(bool value) { out += value ? "true" : "false"; }
  void print(int value) { out += std::to_string(value); }
  void print(int64_t value) { out += std::to_string(value); }
  void print(const EncodingRef &value) {
    out += value ? value->str() : std::string();
  }
  template <typename T> void print(const std::vector<T> &list) {
    out += '[';
    for (size_t i = 0; i < list.size(); ++i) {
      out += i == 0 ? "" : ", ";
      print(list[i]);
    }
    out += ']';
  }
};

std::string textOf(const Blocked &e) {
  return "blocked<{" +
         EncodingPrinter()
             .field("sizePerThread", e.sizePerThread)
             .field("threadsPerWarp", e.threadsPerWarp)
             .field("warpsPerCTA", e.warpsPerCta)
             .field("order", e.order)
             .unless(e.cga.empty(), "CGALayout", e.cga)
             .out +
         "}>";
}
std::string textOf(const Linear &e) {
  return "linear<{" +
         EncodingPrinter()
             .field("register", e.registers)
             .field("lane", e.lanes)
             .field("warp", e.warps)
             .field("block", e.blocks)
             .out +
         "}>";
}
std::string textOf(const Slice &e) {
  return "slice<{" +
         EncodingPrinter().field("dim", e.dim).field("parent", e.parent).out +
         "}>";
}
std::string textOf(const NvidiaMma &e) {
  return "nvidia_mma<{" +
         EncodingPrinter()
             .field("versionMajor", e.versionMajor)
             .field("versionMinor", e.versionMinor)
             .field("warpsPerCTA", e.warpsPerCta)
             .unless(e.cga.empty(), "CGALayout", e.cga)
             .field("instrShape", e.instrShape)
             .out +
         "}>";
}
std::string textOf(const AmdMfma &e) {
  return "amd_mfma<{" +
         EncodingPrinter()
             .field("version", e.version)
             .field("warpsPerCTA", e.warpsPerCta)
             .field("instrShape", e.instrShape)
             .field("isTransposed", e.isTransposed)
             .unless(e.cga.empty(), "CGALayout", e.cga)
             .unless(e.tilesPerWarp.empty(), "tilesPerWarp", e.tilesPerWarp)
             .unless(e.elementBitWidth == 32, "elementBitWidth",
                     e.elementBitWidth)
             .out +
         "}>";
}
std::string textOf(const DotOperand &e) {
  return "dot_op<{" +
         EncodingPrinter()
             .field("opIdx", e.opIdx)
             .field("parent", e.parent)
             .unless(e.kWidth == 0, "kWidth", e.kWidth)
             .out +
         "}>";
}
std::string textOf(const SwizzledShared &e) {
  return "swizzled_shared<{" +
         EncodingPrinter()
             .field("vec", e.vec)
             .field("perPhase", e.perPhase)
             .field("maxPhase", e.maxPhase)
             .field("order", e.order)
             .unless(e.cga.empty(), "CGALayout", e.cga)
             .out +
         "}>";
}
std::string textOf(const PaddedShared &e) {
  std::string pads;
  for (const PaddedShared::Pad &pad : e.pads)
    pads += (pads.empty() ? "" : ", ") + std::to_string(pad.interval) + ":+" +
            std::to_string(pad.padding);
  EncodingPrinter printer;
  if (e.order.empty())
    printer.field("offset", e.offset).field("block", e.block);
  else
    printer.field("order", e.order).field("shape", e.shape);
  return "padded_shared<[" + pads + "] {" + printer.out + "}>";
}
std::string textOf(const NvmmaShared &e) {
  return "nvmma_shared<{" +
         EncodingPrinter()
             .field("swizzlingByteWidth", e.swizzlingByteWidth)
             .field("transposed", e.transposed)
             .field("elementBitWidth", e.elementBitWidth)
             .unless(!e.fp4Padded, "fp4Padded", e.fp4Padded)
             .unless(e.cga.empty(), "CGALayout", e.cga)
             .unless(e.rank == 2 || !e.cga.empty(), "rank", e.rank)
             .out +
         "}>";
}
std::string textOf(const SharedLinear &e) {
  return "shared_linear<{" +
         EncodingPrinter()
             .field("offset", e.offset)
             .unless(e.block.empty(), "block", e.block)
             .out +
         "}, alignment = " + std::to_string(e.alignment) + ">";
}
} // namespace

Result<Encoding> Encoding::parse(std::string_view text) {
  return EncodingParser(text).run();
}

std::string Encoding::str() const {
  return "#ttg." + std::visit([](const auto &e) { return textOf(e); }, kind);
}

EncodingRef Encoding::parent() const {
  if (auto *slice = std::get_if<Slice>(&kind))
    return slice->parent;
  if (auto *operand = std::get_if<DotOperand>(&kind))
    return operand->parent;
  return nullptr;
}

bool Encoding::isShared() const {
  return std::holds_alternative<SwizzledShared>(kind) ||
         std::holds_alternative<PaddedShared>(kind) ||
         std::holds_alternative<NvmmaShared>(kind) ||
         std::holds_alternative<SharedLinear>(kind);
}

namespace {
int rankOf(const Bases &a, const Bases &b = {}, const Bases &c = {}) {
  for (const Bases *bases : {&a, &b, &c})
    if (!bases->empty())
      return static_cast<int>(bases->front().size());
  return 0;
}
int rankOf(const Blocked &e) { return static_cast<int>(e.order.size()); }
int rankOf(const Linear &e) { return rankOf(e.registers, e.lanes, e.warps); }
int rankOf(const Slice &e) { return e.parent ? e.parent->rank() - 1 : 0; }
int rankOf(const NvidiaMma &e) {
  return static_cast<int>(e.warpsPerCta.size());
}
int rankOf(const AmdMfma &e) { return static_cast<int>(e.warpsPerCta.size()); }
int rankOf(const DotOperand &e) { return e.parent ? e.parent->rank() : 0; }
int rankOf(const SwizzledShared &e) { return static_cast<int>(e.order.size()); }
int rankOf(const PaddedShared &e) {
  return e.order.empty() ? rankOf(e.offset) : static_cast<int>(e.order.size());
}
int rankOf(const NvmmaShared &e) { return e.rank; }
int rankOf(const SharedLinear &e) { return rankOf(e.offset); }
} // namespace

int Encoding::rank() const {
  return std::visit([](const auto &e) { return rankOf(e); }, kind);
}

Result<Layout> Encoding::layout(const Numbers &shape) const {
  return std::visit([&](const auto &e) { return toLayout(e, shape); }, kind);
}
