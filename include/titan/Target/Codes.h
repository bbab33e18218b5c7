//===- Codes.h - The stable codes of every refusal --------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A refusal is a lesson: it has a stable code, the rule that was broken, where
// the rule comes from, and what to do. The codes stand in one table (Codes.def)
// that verifiers, checker, simulator, compiler, runtime and `titan explain
// CODE` read; a message anywhere in TITAN carries `[code]`, and every such code
// has a row here. A code once published is never renamed and never reused.
//
// This header needs neither LLVM nor MLIR: the runtime uses it, too.
//
//===----------------------------------------------------------------------===//

#ifndef TITAN_TARGET_CODES_H
#define TITAN_TARGET_CODES_H

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace titan {

/// What a finding does to the exit status. Only `Error` makes a tool fail.
enum class Severity : uint8_t {
  Ignored, ///< Not printed at all.
  Note,    ///< Printed; exit 0.
  Warning, ///< Printed; exit 0.
  Error,   ///< Printed; exit 1.
};

/// "ignored", "note", "warning" or "error".
std::string_view toString(Severity severity);

/// Every code, as an enumerator: `Code::ProxyFenceMissing` is
/// `proxy-fence-missing`.
enum class Code : uint16_t {
#define TITAN_CODE(ID, NAME, DEFAULT, STRICT, FLAG, SOURCE, TITLE, RULE, FIX,  \
                   LESSON)                                                     \
  ID,
#include "titan/Target/Codes.def"
};

/// One row of the table.
struct CodeInfo {
  Code id;
  std::string_view code;   ///< Stable kebab-case name, printed as `[code]`.
  Severity severity;       ///< Without any flag.
  Severity strictSeverity; ///< Under `--strict`.
  std::string_view flag;   ///< Option that sets it alone: "war" is
                           ///< `--war=error|warning|note|off`; empty if none.
  std::string_view source; ///< Rules of docs/memory-model.md ("MM-31"), or a
                           ///< section of the PTX ISA, the driver API, ...
  std::string_view title;  ///< A few words.
  std::string_view rule;   ///< The rule, one sentence.
  std::string_view fix;    ///< What to do, one sentence.
  std::string_view lesson; ///< The paragraph of `titan explain CODE`.
};

/// All codes, in the order of the table.
std::span<const CodeInfo> allCodes();

/// The row of a code.
const CodeInfo &codeInfo(Code code);

/// The row of a code's name; null if there is no such code.
const CodeInfo *lookupCode(std::string_view name);

/// The existing code whose name is nearest to a misspelt one (by edit
/// distance); null when nothing is near.
const CodeInfo *nearestCode(std::string_view name);

/// The strictness of a run: the flags `--strict` and `--FLAG=SEVERITY`.
/// MM-4 of docs/memory-model.md.
class Strictness {
public:
  enum class Level : uint8_t {
    Off,    ///< `--strict=off`: for experiments; fences are cumulative (MM-45).
    Normal, ///< The default: deployed practice is accepted.
    Strict, ///< `--strict`: what the ISA's letter does not give is reported.
  };

  Level level = Level::Normal;

  /// Sets one flag of `CodeInfo::flag` (such as "war"). False when no code has
  /// that flag.
  bool set(std::string_view flag, Severity severity);

  /// The severity of a code under these flags.
  Severity severityOf(Code code) const;

private:
  std::map<std::string, Severity, std::less<>> flags;
};

/// Reads "error", "warning" ("warn"), "note", "off" ("ignored").
std::optional<Severity> parseSeverity(std::string_view text);

/// The text of `titan explain CODE`: title, rule, source, fix, lesson, and the
/// flags that change its severity. Lines are wrapped at `width` characters.
std::string explainCode(const CodeInfo &info, unsigned width = 80);

} // namespace titan

#endif // TITAN_TARGET_CODES_H
