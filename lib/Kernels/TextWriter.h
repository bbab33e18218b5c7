//===- TextWriter.h - text of titan IR from templates -----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builders write text, not operations: what they make is read by people, with
// names and comments. A template is a piece of IR in which $name (or ${name})
// stands for a value; lines are indented by the braces they are in.
//
//   writer.set("depth", 4);
//   writer.text(R"(
//   %stage = arith.remui %use, %c$depth : index
//   )");
//
// Constants need no declaration: %c4 is an index, %i4 an i32, and declare()
// writes those that a part of the text uses.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_KERNELS_TEXTWRITER_H
#define TITAN_LIB_KERNELS_TEXTWRITER_H

#include "titan/Layout/Result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace titan::kernels {

/// A name that no kernel can have.
std::optional<Problem> checkKernelName(std::string_view name);

/// The text of the kernel `name`, or a Problem: one of its own functions is called so.
Result<std::string> withoutNamesake(std::string text, std::string_view name);

class TextWriter {
public:
  void set(std::string name, std::string value) {
    values[std::move(name)] = std::move(value);
  }
  void set(std::string name, int64_t value) {
    set(std::move(name), std::to_string(value));
  }
  /// Appends a template.
  void text(std::string_view block);
  /// $names replaced, no more.
  std::string fill(std::string_view block) const;

  /// From here on constants are collected; declare() puts them here.
  void beginRegion() { region = out.size(), regionDepth = depth; }
  void declare();

  std::string take() { return std::move(out); }

private:
  std::string out;
  std::map<std::string, std::string, std::less<>> values;
  size_t region = 0;
  int64_t depth = 0, regionDepth = 0;
};

/// What a launch hands to its kernel.
class LaunchArguments {
public:
  /// %name, which the kernel calls %seen (the same where that is empty).
  void pass(std::string_view name, std::string_view type,
            std::string_view seen = {});
  /// The end of a launch, on %`grid` CTAs, and the beginning of its body.
  void write(TextWriter &writer, std::string_view grid = "grid") const;

private:
  std::string values, types, parameters;
};

} // namespace titan::kernels

#endif
