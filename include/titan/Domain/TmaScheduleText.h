//===- TmaScheduleText.h - Schedules as text --------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schedules are written as the papers write them, a statement after the other.
// docs/language.md, "Schedules", has the grammar, of files as of the IR:
//
//     size K multiple 8
//     tensor bf16 M{M} x K{K}
//     Mo, Mi = split(M, 128)
//     Ko, Ki = split(K, 64)
//     bulk Mi, Ki
//     load strong
//
// In the IR (#titan.schedule) the tensor is given by its dimensions' names,
// `tensor M x K`, and its sizes are their names; the copy, the swizzle and the
// alignment are the operation's and its types'.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DOMAIN_TMASCHEDULETEXT_H
#define TITAN_DOMAIN_TMASCHEDULETEXT_H

#include "titan/Domain/TmaSchedule.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace titan {

/// Line and column (bytes), from 1.
struct TmaTextPlace {
  int line = 1, column = 1;
};
/// Where things stand in the text of a schedule.
struct TmaTextPlaces {
  TmaTextPlace problem;
  std::map<std::string, TmaTextPlace> domains; ///< Their definitions.
  /// The first one of each word: "bulk".
  std::map<std::string, TmaTextPlace> statements;

  /// What a problem of the lowering is about, by what its message names: the
  /// statement, the first domain, or the statement that the field of the map
  /// comes from. None: it does not tell.
  std::optional<TmaTextPlace> find(const Problem &problem) const;
};

/// Reads a schedule. Problems: parse-error, or domain-invalid. Their messages
/// begin with the place, "line 2, column 5: ", unless `places` takes it.
Result<TmaSchedule> parseSchedule(std::string_view text,
                                  TmaTextPlaces *places = nullptr);

/// What a tensor is known to be, outermost dimension first.
struct TmaTensor {
  struct Dim {
    std::optional<int64_t> extent; ///< None: the dimension's name is a symbol.
    Expr stride;                   ///< Bytes from one index to the next.
  };
  const TmaType *type;
  std::vector<Dim> dims;
};

/// Reads the IR's form: a schedule of `tensor` by its dimensions' names.
/// Problems: parse-error, or domain-invalid.
Result<TmaSchedule> parseSchedule(std::string_view text,
                                  const TmaTensor &tensor);

/// The IR's form of a schedule, laid out: parseSchedule of it, with the
/// schedule's own extents and strides as the tensor, gives the schedule again,
/// without what the operation and its types say, and without the order of
/// loops (`at` tells them by their names). Problems: those of checkExtents;
/// schedule-text where no text says it. What it takes: names that the grammar
/// has, each domain one of its own; a dimension's extent is a number or a size
/// of its name; factors are of numbers and these sizes.
Result<std::string> writeSchedule(const TmaSchedule &schedule);

/// The IR's form with the same tokens, in the one way in which they are kept:
/// one line, single spaces, no comments. Any text will do.
std::string layOutSchedule(std::string_view text);

/// Whether a file's text begins as a schedule does, with a statement; false: as
/// IR does, with a sign, `module` or an operation's name that has a dot. None:
/// it does not tell.
std::optional<bool> beginsAsSchedule(std::string_view text);

/// Whether the grammar has the name: letters, digits and underscores, no digit
/// first.
bool isScheduleName(std::string_view name);

/// What is wrong with the IR's form whatever the tensor is.
struct TmaSyntaxProblem {
  struct Place {
    size_t token;  ///< From 0.
    size_t offset; ///< Bytes from the text's start.
  };
  Problem problem; ///< As parseSchedule's.
  Place place;
};
std::optional<TmaSyntaxProblem> findSyntaxProblem(std::string_view text);

} // namespace titan

#endif // TITAN_DOMAIN_TMASCHEDULETEXT_H
