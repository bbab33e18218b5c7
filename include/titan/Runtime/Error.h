//===- Error.h - Coded errors of the runtime --------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An error is a lesson: a stable code, what is wrong here, the rule with its
// source, the place, and the fix. The codes and their rules are one list,
// Codes.def; the place and the fix belong to the occurrence. A launch check
// that a compiler wrote into a package carries a code of its own.
//
// No function of this library throws; each that can fail returns Result<T>.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_RUNTIME_ERROR_H
#define TITAN_RUNTIME_ERROR_H

#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace titan::runtime {

/// The runtime's own codes.
enum class Code {
#define TITAN_RUNTIME_CODE(ID, TEXT, RULE) ID,
#include "titan/Runtime/Codes.def"
};

/// The code as it is printed ("npy-truncated").
std::string_view codeText(Code code);
/// The rule behind a code, with its source.
std::string_view codeRule(Code code);

/// One error.
struct Error {
  std::string code;    ///< Kebab-case and stable.
  std::string message; ///< What is wrong, with the values seen.
  std::string rule;    ///< The rule and its source.
  std::string place;   ///< File, kernel, argument, ...; empty if there is none.
  std::string fix;     ///< What to do about it.

  /// The readable form, one line each, ending in a newline:
  ///   error: [code] message
  ///     at: place
  ///     rule: ...
  ///     fix: ...
  std::string text() const;
};

/// An error with one of the runtime's own codes.
Error makeError(Code code, std::string message, std::string place,
                std::string fix);

/// A value or an error.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }
  T &operator*() { return std::get<0>(state); }
  const T &operator*() const { return std::get<0>(state); }
  T *operator->() { return &std::get<0>(state); }
  const T *operator->() const { return &std::get<0>(state); }
  Error &error() { return std::get<1>(state); }
  const Error &error() const { return std::get<1>(state); }

private:
  std::variant<T, Error> state;
};

/// Success or an error.
template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Error error) : state(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }
  Error &error() { return std::get<1>(state); }
  const Error &error() const { return std::get<1>(state); }

private:
  std::variant<std::monostate, Error> state;
};

using Status = Result<void>;

} // namespace titan::runtime

#endif // TITAN_RUNTIME_ERROR_H
