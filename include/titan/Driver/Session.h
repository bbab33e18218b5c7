//===- Session.h - one run of a command: input, diagnostics, report -------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A session owns the MLIR context and the text of the input file. It sees every
// diagnostic on its way to the terminal, so that each ends in a code of
// Target/Codes.def with its rule and fix, whoever emitted it: MLIR's parser (no
// code: `parse-error`), a verifier (its own code, else `verify-error`), a pass,
// checker or simulator. With `--json` the same findings make one JSON object on
// stdout; the readable form goes to stderr in either case.
//
// Input is checked before the parser sees it: a file that is missing, a folder,
// binary, or nested deeper than any program, is a coded error.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DRIVER_SESSION_H
#define TITAN_DRIVER_SESSION_H

#include "titan/Analysis/Finding.h"
#include "titan/Dialect/Titan/Titan.h"
#include "titan/Driver/Driver.h"
#include "titan/Runtime/Error.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>
#include <optional>
#include <set>
#include <string>

namespace titan {

/// All dialects that a file of titan IR may use, those of plug-ins included.
void registerAllTitanDialects(mlir::DialectRegistry &registry);

/// What is wrong with a text before any parser sees it: `offset` in bytes.
struct TextProblem {
  size_t offset;
  std::string message;
};

/// Refuses what no parser should see: binary files, and brackets nested deeper
/// than its recursion has stack for. Nothing if the text is fit to be parsed.
std::optional<TextProblem> findTextProblem(llvm::StringRef text);

/// JSON of others, unless findTextProblem has something to say of it: its parser
/// goes by recursion, too.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

/// Reads a program or a schedule, "-" for stdin, of at most 256 MiB. Errors:
/// file-not-found.
runtime::Result<std::unique_ptr<llvm::MemoryBuffer>>
readText(llvm::StringRef path);

/// What a user wrote, for a report: JSON holds UTF-8 alone.
llvm::json::Value jsonText(llvm::StringRef text);
llvm::json::Array jsonTexts(llvm::ArrayRef<std::string> texts);

/// Of the parser's words on an unknown operation: "did you mean titan.tma.load?";
/// or nothing.
std::string didYouMean(llvm::StringRef message, mlir::MLIRContext &context);

class Session {
public:
  /// `command` is the subcommand's name (may be empty), `json` whether to print
  /// JSON.
  Session(llvm::StringRef command, bool json);
  ~Session();
  Session(const Session &) = delete;

  /// Reads, parses and verifies a file ("-": standard input). SSA names are
  /// kept as locations (NameLoc), so that messages speak of %full and not of
  /// %17. Null, and a finding, where that fails.
  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef file);
  /// The same of a file that has been read (readText).
  mlir::OwningOpRef<mlir::ModuleOp>
  parse(llvm::StringRef file, std::unique_ptr<llvm::MemoryBuffer> buffer);

  /// Names the input of a command that reads it by itself.
  void setFile(llvm::StringRef path) { input = path.str(); }

  /// The kernel called `name`, or the only one. Null, and a finding
  /// (`no-kernel`), if there is none or no single one.
  KernelOp findKernel(mlir::ModuleOp module, llvm::StringRef name);

  /// A finding that has no place in the input: files, flags, tools.
  void fail(Code code, const llvm::Twine &message, llvm::StringRef fix = {},
            mlir::Location *loc = nullptr);
  /// The same, of the runtime's.
  void fail(const runtime::Error &error);

  /// Whether `path` may be written (`flag` names the output): not the input, no
  /// folder, and no output of this run already. False, and a finding, if not.
  bool claimOutput(llvm::StringRef flag, llvm::StringRef path);

  /// Emits a finding, with its rule and fix.
  void report(const Finding &finding);

  /// Files a finding with those of the JSON object, and prints nothing.
  void file(const Finding &finding) { file(toJson(finding)); }
  void file(llvm::json::Value finding) {
    findings.push_back(std::move(finding));
  }
  const llvm::json::Array &getFindings() const { return findings; }

  /// Errors seen so far.
  unsigned getNumErrors() const { return numErrors; }
  unsigned getNumWarnings() const { return numWarnings; }

  /// Fields of the JSON object beside "command", "findings" and "verdict".
  llvm::json::Object result;

  /// Diagnostics are filed, and not printed.
  void setQuiet() { quiet = true; }

  /// finish() prints SARIF 2.1.0 (Sarif.h).
  void setSarif() { json = sarif = true; }

  /// From here on an error without code gets `code` (default: verify-error).
  void setDefaultCode(Code code) { defaultCode = code; }

  /// Ends the session: prints the JSON object, or `verdict` on stdout where it
  /// is not empty. Returns `code`, or the exit status that the findings ask for
  /// (Target/ExitStatus.h) if that is larger.
  int finish(int code, llvm::StringRef verdict);

  mlir::MLIRContext &getContext() { return context; }
  const llvm::SourceMgr &getSources() const { return sources; }

private:
  mlir::LogicalResult handle(mlir::Diagnostic &diagnostic);
  /// Emits a finding, an error or a warning, that has no place in the input.
  void reportWithoutPlace(const Finding &finding);
  /// What the table of codes says of any COMMAND, of this one.
  std::string here(std::string_view text) const;

  std::string command;
  bool json, sarif = false, quiet = false;
  std::string input;
  llvm::json::Array findings;
  unsigned numErrors = 0, numWarnings = 0;
  int status = Good;
  std::set<std::string> outputs;
  Code defaultCode = Code::VerifyError;
  bool reporting = false;
  mlir::ModuleOp verified; ///< While its verifiers run; else null.
  llvm::SourceMgr sources;
  mlir::MLIRContext context;
  std::unique_ptr<mlir::SourceMgrDiagnosticHandler> printer;
  std::unique_ptr<mlir::ScopedDiagnosticHandler> coder;
};

/// Flags that print SSA values by the names that the file gave them.
mlir::OpPrintingFlags namedFlags();

} // namespace titan

#endif
