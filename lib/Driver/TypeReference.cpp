//===- TypeReference.cpp - the reference of types and attributes ----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TypeReference.h"
#include "ReferenceWriter.h"

#include "titan/Target/NearestWord.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace titan;

static const TypeInfo types[] = {
#include "TitanTypes.reference.inc"
};

ArrayRef<TypeInfo> titan::allTypes() { return types; }

/// The name in a text: "#titan.wgmma" of "#titan.wgmma<2, 1>".
static std::string nameIn(StringRef text) {
  auto [name, rest] = text.split('<');
  // `#titan<sem acquire>` is #titan.sem.
  if (name == "#titan" || name == "!titan")
    return (name + "." + rest.take_while([](char c) {
             return llvm::isAlnum(c) || c == '_';
           }))
        .str();
  return name.str();
}

const TypeInfo *titan::lookupType(StringRef text) {
  std::string name = nameIn(text);
  const auto *found = llvm::find_if(
      types, [&](const TypeInfo &info) { return info.name == name; });
  return found == std::end(types) ? nullptr : found;
}

const TypeInfo *titan::nearestType(StringRef text) {
  // By what differs: all begin alike.
  auto mnemonic = [](StringRef name) {
    return std::string_view(name.split('.').second);
  };
  std::vector<std::string_view> mnemonics;
  for (const TypeInfo &info : types)
    mnemonics.push_back(mnemonic(info.name));
  std::string name = nameIn(text);
  std::string_view near = nearestWord(mnemonic(name), mnemonics);
  const auto *found = llvm::find_if(
      types, [&](const TypeInfo &info) { return mnemonic(info.name) == near; });
  return near.empty() || found == std::end(types) ? nullptr : found;
}

std::optional<std::vector<ExampleName>>
titan::definedByExamples(const TypeInfo &info, MLIRContext &context) {
  std::vector<ExampleName> names;
  for (const std::string &text : findExamples(info.description)) {
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text),
                               llvm::SMLoc());
    AsmParserState state;
    Block block;
    if (failed(parseAsmSourceFile(sources, &block, &context, &state)))
      return std::nullopt;
    std::vector<std::pair<const char *, ExampleName>> here;
    for (auto &each : state.getTypeAliasDefs())
      here.push_back({each.definition.loc.Start.getPointer(),
                      {("!" + each.name).str(), each.value, {}}});
    for (auto &each : state.getAttributeAliasDefs())
      here.push_back({each.definition.loc.Start.getPointer(),
                      {("#" + each.name).str(), {}, each.value}});
    llvm::sort(here, llvm::less_first());
    for (auto &each : here)
      names.push_back(std::move(each.second));
  }
  return names;
}

static std::string write(const TypeInfo &info, bool markdown) {
  std::string text;
  llvm::raw_string_ostream os(text);
  ReferenceWriter out(os, markdown);
  out.title(info.name, info.summary);
  out.heading("Syntax");
  out.block(info.syntax);
  size_t width = 0;
  for (const TypeParameter &parameter : info.parameters)
    width = std::max(width, parameter.name.size());
  if (width) {
    out.heading("Parameters");
    for (const TypeParameter &parameter : info.parameters)
      out.item(parameter.name,
               (parameter.what +
                (parameter.words.empty() ? "" : ": " + parameter.words))
                   .str(),
               width);
    out.endItems();
  }
  out.heading(findExamples(info.description).size() == 1 ? "Example"
                                                         : "Examples");
  out.prose(info.description);

  // Of tensors, who holds which element.
  Session session("explain", /*json=*/false);
  auto names = definedByExamples(info, session.getContext());
  assert(names && "an example of a type does not parse");
  std::vector<std::pair<std::string, std::string>> layouts;
  for (const ExampleName &each : *names)
    if (auto tile = dyn_cast_or_null<RankedTensorType>(each.type))
      if (auto encoding =
              dyn_cast_or_null<LayoutAttrInterface>(tile.getEncoding()))
        if (Result<Layout> layout = encoding.getLayout(tile.getShape()))
          layouts.emplace_back(each.name, layout->str());
  if (!layouts.empty()) {
    out.heading("Layout of the example (docs/layouts.md)");
    for (const auto &[name, layout] : layouts)
      out.item(name, markdown ? "`" + layout + "`" : layout, name.size());
    out.endItems();
  }
  return text;
}

std::string titan::explainType(const TypeInfo &info) {
  return write(info, /*markdown=*/false);
}

std::string titan::typeSection(const TypeInfo &info) {
  return write(info, /*markdown=*/true);
}
