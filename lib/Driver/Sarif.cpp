//===- Sarif.cpp - findings for other tools -------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Sarif.h"
#include "TextEdits.h"

#include "titan/Driver/Session.h"

#include <map>

namespace json = llvm::json;
using namespace mlir;
using namespace titan;

static json::Object messageOf(StringRef text) {
  return json::Object{{"text", text}};
}

/// A URI reference: what is no plain letter of one is a percent and two digits.
static std::string uriOf(StringRef path) {
  std::string uri;
  for (unsigned char c : path)
    if (llvm::isAlnum(c) || StringRef("/.-_~").contains(c))
      uri += c;
    else
      uri += "%" + llvm::utohexstr(c, /*LowerCase=*/false, /*Width=*/2);
  return uri;
}

static json::Object artifactOf(StringRef path) {
  return json::Object{{"uri", uriOf(path)}};
}

/// Where a finding, a place or an edit is; none: nowhere in a file.
static std::optional<json::Object> physicalOf(const json::Object &of) {
  auto file = of.getString("file");
  auto line = of.getInteger("line");
  if (!file || !line || *line < 1)
    return std::nullopt;
  json::Object region{{"startLine", *line}};
  if (auto column = of.getInteger("column"); column && *column > 0)
    region["startColumn"] = *column;
  return json::Object{{"artifactLocation", artifactOf(*file)},
                      {"region", std::move(region)}};
}

static std::optional<json::Object> locationOf(const json::Object &of) {
  auto place = physicalOf(of);
  if (!place)
    return std::nullopt;
  return json::Object{{"physicalLocation", std::move(*place)}};
}

/// The edits of a finding, where their letters are found in the file's text.
static std::optional<json::Object> sarifFix(const json::Object &finding,
                                            StringRef file, StringRef text) {
  const json::Array *edits = finding.getArray("edits");
  if (!edits)
    return std::nullopt;
  json::Array replacements;
  for (const json::Value &value : *edits) {
    const json::Object &edit = *value.getAsObject();
    int64_t line = edit.getInteger("line").value_or(0);
    int64_t column = edit.getInteger("column").value_or(0);
    StringRef from = edit.getString("from").value_or("");
    if (edit.getString("file") != file || line < 1 || column < 1)
      return std::nullopt;
    auto at = findEdited(text, line, column, from);
    if (!at)
      return std::nullopt;
    StringRef before = text.take_front(*at);
    line = static_cast<int64_t>(before.count('\n')) + 1;
    int64_t first = static_cast<int64_t>(*at - (before.rfind('\n') + 1)) + 1;
    replacements.push_back(json::Object{
        {"deletedRegion",
         json::Object{
             {"startLine", line},
             {"startColumn", first},
             {"endLine", line},
             {"endColumn", first + static_cast<int64_t>(from.size())}}},
        {"insertedContent",
         json::Object{{"text", edit.getString("to").value_or("")}}}});
  }
  return json::Object{
      {"description", messageOf(finding.getString("fix").value_or(""))},
      {"artifactChanges",
       json::Array{json::Object{{"artifactLocation", artifactOf(file)},
                                {"replacements", std::move(replacements)}}}}};
}

json::Value titan::toSarif(const json::Array &findings, StringRef file,
                           StringRef text, int exit) {
  json::Array rules, results;
  std::map<std::string, int64_t, std::less<>> indices;
  for (const json::Value &value : findings) {
    const json::Object &finding = *value.getAsObject();
    StringRef severity = finding.getString("severity").value_or("note");
    StringRef code = finding.getString("code").value_or("");
    json::Object result{
        {"level",
         severity == "error" || severity == "warning" ? severity : "note"},
        {"message", messageOf(finding.getString("message").value_or(""))}};
    if (!code.empty()) {
      auto [at, fresh] =
          indices.try_emplace(code.str(), static_cast<int64_t>(indices.size()));
      if (fresh)
        rules.push_back(json::Object{
            {"id", code},
            {"shortDescription",
             messageOf(finding.getString("rule").value_or(""))},
            {"help", messageOf(finding.getString("source").value_or(""))}});
      result["ruleId"] = code;
      result["ruleIndex"] = int64_t(at->second);
    }
    if (auto place = locationOf(finding))
      result["locations"] = json::Array{std::move(*place)};
    else if (!file.empty())
      result["locations"] = json::Array{
          json::Object{{"physicalLocation",
                        json::Object{{"artifactLocation", artifactOf(file)}}}}};
    json::Array related;
    if (const json::Array *places = finding.getArray("places"))
      for (const json::Value &place : *places)
        if (auto where = locationOf(*place.getAsObject())) {
          (*where)["message"] =
              messageOf(place.getAsObject()->getString("what").value_or(""));
          related.push_back(std::move(*where));
        }
    if (!related.empty())
      result["relatedLocations"] = std::move(related);
    if (auto fix = sarifFix(finding, file, text))
      result["fixes"] = json::Array{std::move(*fix)};
    json::Object more;
    if (auto fix = finding.getString("fix"))
      more["fix"] = fix->str();
    if (const json::Array *events = finding.getArray("events");
        events && !events->empty())
      more["events"] = json::Array(*events);
    if (!more.empty())
      result["properties"] = std::move(more);
    results.push_back(std::move(result));
  }
  json::Object driver{{"name", "titan"},
                      {"version", TITAN_VERSION},
                      {"rules", std::move(rules)}};
  json::Object run{
      {"tool", json::Object{{"driver", std::move(driver)}}},
      {"invocations",
       json::Array{json::Object{{"executionSuccessful", exit != BadInput},
                                {"exitCode", exit}}}},
      {"results", std::move(results)}};
  return json::Object{
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs", json::Array{std::move(run)}}};
}
