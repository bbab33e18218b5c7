//===- TextWriter.cpp - text of titan IR from templates -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TextWriter.h"
#include "titan/Kernels/Polynomials.h"

#include <algorithm>
#include <cassert>
#include <cctype>
#include <charconv>
#include <set>

using namespace titan::kernels;

static bool isWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::optional<titan::Problem>
titan::kernels::checkKernelName(std::string_view name) {
  if (!name.empty() && std::ranges::all_of(name, isWord) &&
      !std::isdigit(static_cast<unsigned char>(name[0])))
    return std::nullopt;
  return Problem{"bad-argument",
                 "a kernel cannot be called '" + std::string(name) + "'",
                 "letters, digits and _, no digit first"};
}

titan::Result<std::string>
titan::kernels::withoutNamesake(std::string text, std::string_view name) {
  std::string own = "func.func private @" + std::string(name) + "(";
  if (text.find(own) == std::string::npos)
    return text;
  return Problem{"bad-argument",
                 "a function of the kernel's is called '" + std::string(name) +
                     "', too",
                 "another --name"};
}

std::string titan::kernels::toLiteral(float value) {
  // A fraction always has its point.
  char text[32];
  auto end = std::to_chars(text, text + sizeof text, value,
                           std::chars_format::scientific, 8);
  return {text, end.ptr};
}

std::string TextWriter::fill(std::string_view block) const {
  std::string result;
  for (size_t i = 0; i < block.size();) {
    if (block[i] != '$') {
      result += block[i++];
      continue;
    }
    bool braces = block.substr(i + 1).starts_with('{');
    size_t begin = i + 1 + braces, end = begin;
    while (end < block.size() && isWord(block[end]))
      ++end;
    auto found = values.find(block.substr(begin, end - begin));
    assert(found != values.end() && "a template names a value that is not set");
    result += found->second;
    i = end + braces;
  }
  return result;
}

void TextWriter::text(std::string_view block) {
  std::string filled = fill(block);
  if (filled.starts_with('\n'))
    filled.erase(0, 1);
  for (size_t at = 0; at < filled.size();) {
    size_t end = filled.find('\n', at);
    end = end == std::string::npos ? filled.size() : end;
    std::string_view line(filled.data() + at, end - at);
    at = end + 1;
    if (!line.empty())
      out.append(2 * (depth - line.starts_with('}')), ' ').append(line);
    out += '\n';
    depth += std::ranges::count(line, '{') - std::ranges::count(line, '}');
  }
}

void TextWriter::declare() {
  std::set<int64_t> indices, words;
  for (size_t i = region; i + 2 < out.size(); ++i) {
    if (out[i] != '%' || (out[i + 1] != 'c' && out[i + 1] != 'i'))
      continue;
    size_t end = i + 2;
    while (end < out.size() &&
           std::isdigit(static_cast<unsigned char>(out[end])))
      ++end;
    if (end > i + 2 && (end == out.size() || !isWord(out[end])))
      (out[i + 1] == 'c' ? indices : words)
          .insert(std::stoll(out.substr(i + 2, end - i - 2)));
  }
  std::string lines, indent(2 * regionDepth, ' ');
  auto add = [&](char kind, int64_t value, const char *type) {
    std::string number = std::to_string(value);
    lines += indent + "%" + kind + number + " = arith.constant " + number +
             " : " + type + "\n";
  };
  for (int64_t value : indices)
    add('c', value, "index");
  for (int64_t value : words)
    add('i', value, "i32");
  out.insert(region, lines);
}

void LaunchArguments::pass(std::string_view name, std::string_view type,
                           std::string_view seen) {
  const char *comma = values.empty() ? "" : ", ";
  ((values += comma) += '%') += name;
  (types += comma) += type;
  ((((parameters += comma) += '%') += seen.empty() ? name : seen) += ": ") +=
      type;
}

void LaunchArguments::write(TextWriter &writer, std::string_view grid) const {
  writer.set("ctasOfGrid", std::string(grid));
  writer.set("passed", values);
  writer.set("passedTypes", types);
  writer.set("parameters", parameters);
  writer.text("titan.launch grid(%$ctasOfGrid) with($passed : $passedTypes)");
  writer.declare();
  writer.text("} body($parameters) {");
}
