//===- Draw.cpp - the order of a finding's events, drawn ------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Draw.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace titan;
using llvm::StringRef;

namespace {
/// "partition load, warp 0, elected lane, iteration 2: 'titan.tma.load'".
struct DrawnEvent {
  size_t column = 0;
  std::string iteration, what;
};
} // namespace

/// Whether that is somebody: a CTA, a partition or a warp.
static bool isAgent(StringRef who) {
  return who.starts_with("CTA ") || who.starts_with("partition ") ||
         who.starts_with("warp ") || who.starts_with("warps ") ||
         who.starts_with("wave ") || who.starts_with("the CTA");
}

std::string titan::drawEvents(const Finding &finding) {
  std::vector<std::string> columns;
  std::vector<DrawnEvent> events;
  llvm::SmallVector<StringRef> footers;
  for (StringRef line : finding.events) {
    auto [who, what] = line.split(": ");
    if (what.empty() || !isAgent(who)) {
      footers.push_back(line);
      continue;
    }
    DrawnEvent event;
    llvm::SmallVector<StringRef> words;
    who.split(words, ", ");
    llvm::erase_if(words, [&](StringRef word) {
      bool is = word.starts_with("iteration");
      if (is)
        event.iteration = word.str();
      return is;
    });
    std::string column = llvm::join(words, ", ");
    auto found = llvm::find(columns, column);
    event.column = found - columns.begin();
    if (found == columns.end())
      columns.push_back(column);
    event.what = what.str();
    events.push_back(std::move(event));
  }
  if (events.empty())
    return {};
  std::vector<size_t> widths;
  for (const std::string &column : columns)
    widths.push_back(column.size());
  for (const DrawnEvent &event : events)
    for (const std::string *text : {&event.iteration, &event.what})
      widths[event.column] = std::max(widths[event.column], text->size());

  std::string text;
  auto row = [&](size_t only, StringRef cell) {
    std::string line = " ";
    for (size_t i = 0; i < columns.size(); ++i) {
      std::string here = i == only ? cell.str() : "";
      here.resize(widths[i], ' ');
      line += (i ? " | " : " ") + here;
    }
    text += StringRef(line).rtrim().str() + "\n";
  };
  std::string head = " ", rule = " ";
  for (size_t i = 0; i < columns.size(); ++i) {
    std::string name = columns[i];
    name.resize(widths[i], ' ');
    head += (i ? " | " : " ") + name;
    rule += (i ? "-+-" : " ") + std::string(widths[i], '-');
  }
  auto at = finding.loc->findInstanceOf<mlir::FileLineColLoc>();
  text += "\n  ";
  if (at)
    text += "line " + std::to_string(at.getLine()) + ": ";
  text += "[" + std::string(codeInfo(finding.code).code) + "]\n";
  text += StringRef(head).rtrim().str() + "\n" + rule + "\n";
  for (const DrawnEvent &event : events) {
    if (!event.iteration.empty())
      row(event.column, event.iteration);
    row(event.column, event.what);
  }
  for (StringRef footer : footers)
    text += "  " + footer.str() + "\n";
  return StringRef(text).rtrim('\n').str();
}
