//===- Finding.cpp - findings as diagnostics and as JSON ------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/Finding.h"

#include "titan/Analysis/Diagnosed.h"
#include "titan/Dialect/Titan/CopyAsync.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace titan;

/// The finding in the terms of the copies whose operations it names: the
/// copies, and what each goes through until it is done.
static Finding ofCopies(Finding finding) {
  std::vector<std::pair<Location, CopyStates>> copies;
  auto look = [&](Location loc) {
    if (auto states = CopyStates::of(loc);
        states && llvm::none_of(copies, [&](const auto &known) {
          return known.first == loc;
        }))
      copies.emplace_back(loc, std::move(*states));
  };
  look(finding.loc);
  for (const FindingPlace &place : finding.others)
    look(place.loc);
  auto say = [&](std::string &text) {
    for (const auto &[loc, states] : copies)
      for (const std::string &name : states.becomes)
        for (bool quoted : {true, false}) {
          std::string old = quoted ? "'" + name + "'" : name + " at ";
          std::string now =
              quoted ? "'" + states.copy + "' (" + states.variant + ")"
                     : states.copy + " (" + states.variant + ") at ";
          for (size_t at = 0; (at = text.find(old, at)) != std::string::npos;
               at += now.size())
            text.replace(at, old.size(), now);
        }
  };
  say(finding.message);
  say(finding.fix);
  for (std::string &event : finding.events)
    say(event);
  for (FindingPlace &place : finding.others)
    say(place.what);
  for (auto &[loc, states] : copies)
    if (!states.done.empty())
      finding.others.push_back(
          {loc, states.copy + " (" + states.variant +
                    ") is issued here; its source has been read " +
                    (states.read == states.done ? "" : states.read + "; ") +
                    (states.read == states.done ? "and " : "") + "it is done " +
                    states.done});
  return finding;
}

void titan::emit(const Finding &found) {
  if (found.severity == Severity::Ignored)
    return;
  Finding finding = ofCopies(found);
  const CodeInfo &info = codeInfo(finding.code);
  InFlightDiagnostic diagnostic =
      finding.severity == Severity::Error     ? emitError(finding.loc)
      : finding.severity == Severity::Warning ? emitWarning(finding.loc)
                                              : emitRemark(finding.loc);
  diagnostic << "[" << info.code << "] " << finding.message;
  for (const FindingPlace &place : finding.others)
    diagnostic.attachNote(place.loc) << place.what;
  std::string rest;
  for (const std::string &event : finding.events)
    rest += "\n  " + event;
  if (!rest.empty())
    diagnostic.attachNote(finding.loc) << "the order of events:" << rest;
  diagnostic.attachNote(finding.loc)
      << "rule (" << info.source << "): " << info.rule << "\nfix: "
      << (finding.fix.empty() ? std::string(info.fix) : finding.fix);
}

/// What a program or its user wrote: JSON holds UTF-8 alone.
static std::string text(StringRef text) { return llvm::json::fixUTF8(text); }

static void addPlace(llvm::json::Object &object, Location loc) {
  if (auto file = loc->findInstanceOf<FileLineColLoc>()) {
    object["file"] = text(file.getFilename());
    object["line"] = file.getLine();
    object["column"] = file.getColumn();
  }
}

llvm::json::Value titan::toJson(const Finding &found) {
  Finding finding = ofCopies(found);
  const CodeInfo &info = codeInfo(finding.code);
  llvm::json::Object object{
      {"code", std::string(info.code)},
      {"severity", std::string(toString(finding.severity))},
      {"message", text(finding.message)},
      {"rule", std::string(info.rule)},
      {"source", std::string(info.source)},
      {"fix", finding.fix.empty() ? std::string(info.fix) : text(finding.fix)}};
  addPlace(object, finding.loc);
  llvm::json::Array places;
  for (const FindingPlace &place : finding.others) {
    llvm::json::Object other{{"what", text(place.what)}};
    addPlace(other, place.loc);
    places.push_back(std::move(other));
  }
  object["places"] = std::move(places);
  llvm::json::Array events;
  for (const std::string &event : finding.events)
    events.push_back(text(event));
  object["events"] = std::move(events);
  llvm::json::Array edits;
  for (const FindingEdit &edit : finding.edits) {
    llvm::json::Object change{{"from", text(edit.from)}, {"to", text(edit.to)}};
    addPlace(change, edit.loc);
    edits.push_back(std::move(change));
  }
  if (!edits.empty())
    object["edits"] = std::move(edits);
  return object;
}

const CodeInfo *titan::codeIn(StringRef message) {
  for (size_t at = message.find('['); at != StringRef::npos;
       at = message.find('[', at + 1)) {
    size_t end = message.find(']', at);
    if (end == StringRef::npos)
      return nullptr;
    if (const CodeInfo *info =
            lookupCode(std::string_view(message.slice(at + 1, end))))
      return info;
  }
  return nullptr;
}

std::string titan::withoutCode(StringRef message, const CodeInfo *info) {
  if (!info)
    return message.str();
  auto [before, after] = message.split(
      ("[" + StringRef(info->code.data(), info->code.size()) + "]").str());
  return (before.rtrim().str() +
          (before.trim().empty() || after.trim().empty() ? "" : " ") +
          after.trim().str());
}

Finding titan::findingOf(Diagnostic &error, Code otherwise) {
  const std::string message = error.str();
  const CodeInfo *info = codeIn(message);
  Finding finding{.code = info ? info->id : otherwise,
                  .message = withoutCode(message, info),
                  .loc = error.getLocation()};
  for (Diagnostic &note : error.getNotes()) {
    std::string what = note.str();
    if (StringRef fix = what; fix.consume_front("fix: "))
      finding.fix = fix.str();
    else
      finding.others.push_back({note.getLocation(), std::move(what)});
  }
  return finding;
}
