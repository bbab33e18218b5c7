//===- Result.h - A value, or a coded problem -------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The floors that know nothing of LLVM (Layout, Domain) report a refusal as a
// value. A Problem carries a stable code, which the floors above turn into a
// diagnostic, and one sentence that says what is wrong, with the numbers in
// it, and what would be right.
//
//   Result<Layout> layout = Layout::parse(text);
//   if (!layout)
//     return report(layout.problem().code, layout.problem().message);
//   use(*layout);
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LAYOUT_RESULT_H
#define TITAN_LAYOUT_RESULT_H

#include <string>
#include <utility>
#include <variant>

namespace titan {

/// A refusal: a stable kebab-case code, a sentence for people, and what to do
/// in this case (empty: the code's general fix).
struct Problem {
  std::string code;
  std::string message;
  std::string fix = {};
};

/// Either a T or the Problem that kept it from being made.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : content(std::in_place_index<0>, std::move(value)) {}
  Result(Problem problem)
      : content(std::in_place_index<1>, std::move(problem)) {}

  explicit operator bool() const { return content.index() == 0; }

  /// The value; only where the result converts to true.
  T &operator*() & { return std::get<0>(content); }
  const T &operator*() const & { return std::get<0>(content); }
  T &&operator*() && { return std::get<0>(std::move(content)); }
  T *operator->() { return &std::get<0>(content); }
  const T *operator->() const { return &std::get<0>(content); }

  /// The refusal; only where the result converts to false.
  const Problem &problem() const { return std::get<1>(content); }

private:
  std::variant<T, Problem> content;
};

} // namespace titan

#endif // TITAN_LAYOUT_RESULT_H
