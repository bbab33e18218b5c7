//===- Error.h - Coded errors of the runtime --------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An error is a lesson: a stable code, what is wrong here, the rule with its
// source, the place, and the fix. Codes and rules are rows of the project's one
// table (titan/Target/Codes.def); the message and the place belong to the
// occurrence, the fix may. A launch check that a compiler wrote into a package
// carries its own code.
//
// No function of this library throws; each that can fail returns Result<T>.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_RUNTIME_ERROR_H
#define TITAN_RUNTIME_ERROR_H

#include "titan/Target/Codes.h"

#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace titan::runtime {

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

/// An error with the rule of `code`, and with its fix where `fix` is empty.
Error makeError(Code code, std::string message, std::string place,
                std::string fix = {});

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
