//===- OperationReference.cpp - the reference of all operations -----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OperationReference.h"
#include "ReferenceWriter.h"
#include "TypeReference.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/AsmState.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace titan;

static const OperationInfo operations[] = {
#include "TitanOps.reference.inc"
};

ArrayRef<OperationInfo> titan::allOperations() { return operations; }

const OperationInfo *titan::lookupOperation(StringRef name) {
  const auto *found = llvm::find_if(
      operations, [&](const OperationInfo &info) { return info.name == name; });
  return found == std::end(operations) ? nullptr : found;
}

static const AttributeInfo attributes[] = {
#define TITAN_ATTRIBUTE(NAME, HOLDER, SUMMARY, DESCRIPTION, EXAMPLE)           \
  {NAME, HOLDER, SUMMARY, DESCRIPTION, EXAMPLE},
#include "titan/Dialect/Titan/Attributes.def"
};

ArrayRef<AttributeInfo> titan::allAttributes() { return attributes; }

const AttributeInfo *titan::lookupAttribute(StringRef name) {
  const auto *found = llvm::find_if(
      attributes, [&](const AttributeInfo &info) { return info.name == name; });
  return found == std::end(attributes) ? nullptr : found;
}

//===----------------------------------------------------------------------===//
// Examples
//===----------------------------------------------------------------------===//

namespace {
/// A text of examples, as it was parsed.
struct Corpus {
  std::unique_ptr<Session> session;
  OwningOpRef<ModuleOp> module;
  std::string name;
  SmallVector<StringRef> lines;
  /// Names of types and attributes, `!tile = ...`, in the order of the text.
  SmallVector<std::pair<StringRef, StringRef>> aliases;
};

struct Example {
  const Corpus *corpus = nullptr;
  Operation *op = nullptr;
  /// Without the names that it uses.
  std::string text;
};
} // namespace

struct OperationReference::Impl {
  std::vector<std::unique_ptr<Corpus>> corpora;
  llvm::StringMap<Example> examples;
};

/// Lines from one on, `count` of them; without comments.
static std::string statement(const Corpus &corpus, unsigned line,
                             unsigned count) {
  std::string text;
  StringRef first = corpus.lines[line - 1];
  size_t indent = first.size() - first.ltrim().size();
  for (StringRef each : ArrayRef(corpus.lines).slice(line - 1, count))
    if (!each.ltrim().starts_with("//"))
      text += (text.empty() ? "" : "\n") +
              each.drop_front(std::min(indent, each.size())).str();
  return text;
}

/// Of the operations of a text, by line and column: how many lines they have.
static std::map<std::pair<unsigned, unsigned>, unsigned>
countLines(StringRef text, MLIRContext &context) {
  llvm::SourceMgr sources;
  unsigned file = sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(text), llvm::SMLoc());
  AsmParserState state;
  Block block;
  std::map<std::pair<unsigned, unsigned>, unsigned> counts;
  if (failed(parseAsmSourceFile(sources, &block, &context, &state)))
    return counts;
  for (auto &each : state.getOpDefs()) {
    auto begin = sources.getLineAndColumn(each.scopeLoc.Start, file);
    // The end is where the next token begins.
    StringRef whole(each.scopeLoc.Start.getPointer(),
                    each.scopeLoc.End.getPointer() -
                        each.scopeLoc.Start.getPointer());
    counts[begin] = whole.rtrim().count('\n') + 1;
  }
  return counts;
}

/// Whether a text uses the name of a type or attribute ("!tile").
static bool uses(StringRef text, StringRef alias) {
  for (size_t at = text.find(alias); at != StringRef::npos;
       at = text.find(alias, at + 1)) {
    char next = at + alias.size() < text.size() ? text[at + alias.size()] : ' ';
    if (!llvm::isAlnum(next) && next != '_' && next != '.' && next != '$')
      return true;
  }
  return false;
}

/// An example and, before it, the names that it uses and those that they use.
static std::string withAliases(const Example &example) {
  std::string all = example.text, before;
  for (auto [name, definition] : llvm::reverse(example.corpus->aliases))
    if (uses(all, name)) {
      all += definition;
      before = definition.str() + "\n" + before;
    }
  return before + example.text;
}

/// The texts of tests/Dialect/syntax*.mlir.
static const std::pair<const char *, const char *> texts[] = {
#include "Syntax.inc"
};

OperationReference::OperationReference() : impl(std::make_unique<Impl>()) {
  for (auto [name, text] : texts) {
    auto corpus = std::make_unique<Corpus>();
    corpus->name = name;
    corpus->session = std::make_unique<Session>("explain", /*json=*/false);
    corpus->module = corpus->session->parse(
        name, llvm::MemoryBuffer::getMemBuffer(text, name));
    // They are tests, and part of the program: they parse.
    assert(corpus->module && "an example of tests/Dialect does not parse");
    StringRef(text).split(corpus->lines, '\n');
    auto counts = countLines(text, corpus->session->getContext());
    for (StringRef line : corpus->lines)
      if (line.starts_with("!") || line.starts_with("#"))
        if (auto [alias, rest] = line.split(" ="); !rest.empty())
          corpus->aliases.emplace_back(alias.rtrim(), line);
    corpus->module->walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto loc = op->getLoc()->findInstanceOf<FileLineColLoc>();
      if (!isa_and_nonnull<TitanDialect>(op->getDialect()) || !loc)
        return;
      Example &example = impl->examples[op->getName().getStringRef()];
      std::string text = statement(*corpus, loc.getLine(),
                                   counts.at({loc.getLine(), loc.getColumn()}));
      if (!example.op ||
          StringRef(text).count('\n') < StringRef(example.text).count('\n'))
        example = {corpus.get(), op, std::move(text)};
    });
    impl->corpora.push_back(std::move(corpus));
  }
}

OperationReference::~OperationReference() = default;

std::vector<StringRef> OperationReference::missing() const {
  std::vector<StringRef> names;
  for (const OperationInfo &info : operations)
    if (!impl->examples.count(info.name))
      names.push_back(info.name);
  return names;
}

//===----------------------------------------------------------------------===//
// Text and Markdown
//===----------------------------------------------------------------------===//

static std::string describe(const OperationPart &part) {
  if (part.what == "unit attribute")
    return "a word that stands there or not";
  StringRef what = part.what;
  what.consume_front("variadic of ");
  std::string text = what.str();
  if (part.variadic)
    text += ", any number";
  if (!part.initial.empty())
    text += "; " + part.initial.str() + " if absent";
  else if (part.optional)
    text += ", may be absent";
  return text;
}

static void write(raw_ostream &os, const OperationInfo &info,
                  const Example *example, bool markdown) {
  ReferenceWriter out(os, markdown);
  out.title(info.name, info.summary);
  if (!info.syntax.empty()) {
    out.heading("Syntax");
    out.block((info.name + " " + info.syntax).str());
  }
  out.prose(info.description);
  size_t width = 0;
  for (const OperationPart &part : info.parts)
    width = std::max(width, part.name.size());
  for (auto [kind, title] : {std::pair(OperationPart::Operand, "Operands"),
                             std::pair(OperationPart::Attribute, "Attributes"),
                             std::pair(OperationPart::Result, "Results")}) {
    auto these = llvm::make_filter_range(
        info.parts,
        [kind = kind](const OperationPart &part) { return part.kind == kind; });
    if (these.empty())
      continue;
    out.heading(title);
    for (const OperationPart &part : these)
      out.item(part.name, describe(part), width);
    out.endItems();
  }
  if (!example)
    return;
  auto hardware = dyn_cast<HardwareEffectsInterface>(example->op);
  out.fact("Targets",
           hardware ? llvm::join(hardware.getTargets(), ", ") : "all");
  if (hardware)
    out.fact("Issued by", effect::stringify(hardware.getCardinality()));
  out.heading("Example (tests/Dialect/" + example->corpus->name + ")");
  out.code(withAliases(*example));
  if (!hardware)
    return;
  effect::EffectList effects;
  hardware.getHardwareEffects(effects);
  AsmState state(example->op->getParentOfType<KernelOp>(), namedFlags());
  std::string lines;
  llvm::raw_string_ostream all(lines);
  for (const effect::Effect &each : effects) {
    effect::printEffect(each, all, state);
    all << '\n';
  }
  out.heading("Effects of the example");
  out.block(lines.empty() ? "none" : StringRef(lines).rtrim());
}

static void write(raw_ostream &os, const AttributeInfo &info, bool markdown) {
  ReferenceWriter out(os, markdown);
  out.title(info.name, info.summary);
  out.fact("Stands on", info.holder);
  out.prose(info.description);
  out.heading("Example");
  out.code(info.example);
}

std::string OperationReference::explain(const OperationInfo &info) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto found = impl->examples.find(info.name);
  write(os, info, found == impl->examples.end() ? nullptr : &found->second,
        /*markdown=*/false);
  return text;
}

std::string titan::explainAttribute(const AttributeInfo &info) {
  std::string text;
  llvm::raw_string_ostream os(text);
  write(os, info, /*markdown=*/false);
  return text;
}

std::vector<std::pair<std::string, std::string>>
OperationReference::pages() const {
  const char *note =
      "<!-- printed by titan explain reference FOLDER: edit the .td files, "
      "tests/Dialect/syntax*.mlir or "
      "include/titan/Dialect/Titan/Attributes.def -->\n\n";
  auto cell = [](StringRef text) {
    std::string escaped = text.str();
    for (size_t at = 0; (at = escaped.find('|', at)) != std::string::npos;
         at += 2)
      escaped.insert(at, "\\");
    return escaped;
  };
  auto title = [](StringRef text) {
    return (Twine(llvm::toUpper(text[0])) + text.drop_front()).str();
  };
  std::vector<std::pair<std::string, std::string>> result;
  std::string index =
      "# Reference of all operations, types and attributes\n\n" +
      std::string(note) + "`titan explain titan.tma.load` prints the same.\n";
  std::string page;
  StringRef family;
  auto begin = [&](StringRef name, StringRef what) {
    result.emplace_back(name.lower() + ".md",
                        "# " + title(what) + "\n\n" + note);
    index += "\n## [" + title(what) + "](" + name.lower() +
             ".md)\n\n| | |\n|---|---|\n";
  };
  auto row = [&](StringRef name, StringRef summary) {
    index += ("| `" + name + "` | " + cell(summary) + " |\n").str();
  };
  for (const OperationInfo &info : operations) {
    if (info.family != family)
      begin(info.family, info.familyTitle);
    family = info.family;
    row(info.name, info.summary);
    llvm::raw_string_ostream os(result.back().second);
    auto found = impl->examples.find(info.name);
    write(os, info, found == impl->examples.end() ? nullptr : &found->second,
          /*markdown=*/true);
  }
  begin("types", "types, layouts and other attributes in types");
  for (const TypeInfo &info : allTypes()) {
    row(info.name, info.summary);
    result.back().second += typeSection(info);
  }
  begin("attributes", "attributes that programs carry");
  llvm::raw_string_ostream os(result.back().second);
  for (const AttributeInfo &info : attributes) {
    row(info.name, info.summary);
    write(os, info, /*markdown=*/true);
  }
  result.emplace_back("README.md", std::move(index));
  for (auto &[name, text] : result)
    text = StringRef(text).rtrim().str() + "\n";
  return result;
}
