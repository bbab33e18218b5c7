//===- Commands.h - the subcommands of titan --------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DRIVER_COMMANDS_H
#define TITAN_DRIVER_COMMANDS_H

#include "titan/Driver/Session.h"
#include "titan/Target/Codes.h"
#include "titan/Target/Target.h"

#include <string>
#include <vector>

namespace titan::kernels {
struct GemmOptions;
} // namespace titan::kernels

namespace titan {

struct TritonToTitanOptions;

/// What every command reads.
struct Command {
  std::string file, kernel;
  bool json = false;
};

/// How Triton's programs become kernels (TritonToTitan.h).
struct TritonCommand {
  bool given = false; ///< One of them is.
  int64_t warps = 4, ctas = 1, stages = 3;
  std::optional<int64_t> registers; ///< The most of a thread (maxnreg).
  bool fusion = true; ///< Of products and sums (enable_fp_fusion).
  std::vector<std::string> launchChecks;
};
/// 0: kernels can be made as it says, `options` of that; else the exit code, and the
/// session knows why.
int readOptions(Session &session, const TritonCommand &command,
                TritonToTitanOptions &options);
/// 0: none of these flags is given; else the exit code, and the session knows that
/// the file has no Triton program.
int checkNoTriton(Session &session, const TritonCommand &command);
/// 0: what there is of them in the module has become kernels; else the exit code,
/// and the session knows.
int convertTriton(Session &session, mlir::ModuleOp module,
                  const TritonCommand &command);

struct CheckCommand : Command {
  TritonCommand triton;
  Strictness strictness;
  /// "proved" or "searched": what exit status 0 takes.
  std::string require = "searched";
  /// What the proof of a kernel may take; 0: none is made.
  double proofSeconds = 30;
  /// As of CheckOptions.
  std::optional<uint64_t> searchSteps;
  bool sarif = false; ///< In place of JSON.
  bool draw = false; ///< The order of each finding's events, below the verdict.
  /// Change the file where that is mechanical, then check it.
  bool fix = false;
  /// Put fences in, report what orders nothing; instead of a verdict.
  bool insertFences = false, redundant = false;
  std::string output; ///< Of the program with its fences; empty: stdout.
  std::string replay; ///< A run that shows what is refused; empty: none.
};
int runCheck(const CheckCommand &options);
/// titan check --fix (CheckFix.cpp): the text, as far as edits of findings and
/// fences mend it, and what was done, a line each.
struct Mended {
  std::string text;
  std::vector<std::string> edits;
  /// How many errors the text had before.
  unsigned errors = 0;
  /// An edit that was not made, since a kernel that is right would not be, by it.
  std::string spoilt;
};
Mended mend(std::string text, const CheckCommand &command);
/// titan check --insert-fences, --redundant (CheckFences.cpp); `only`: or null,
/// all kernels.
int insertFences(Session &session, mlir::ModuleOp module, KernelOp only,
                 const CheckCommand &command);
int reportRedundant(Session &session, mlir::ModuleOp module, KernelOp only,
                    const CheckCommand &command);

struct ExplainCommand : Command {
  std::string topic, svg;
  std::string target;             ///< Empty: not given.
  std::vector<std::string> sizes; ///< NAME=N each.
  bool expand = true;
  TritonCommand triton;
};
int runExplain(const ExplainCommand &options);
/// What follows titan explain, a line each, for titan explain --help.
extern const char *const explainTopics;
/// titan explain layout (ExplainLayout.cpp).
int explainLayout(const ExplainCommand &options);
/// titan explain copy, titan explain product (ExplainCopy.cpp).
int explainDispatch(const ExplainCommand &options);
/// titan explain stages (ExplainStages.cpp).
int explainStages(const ExplainCommand &options);
/// Of a variant of copies or products, or of a predicate of theirs, what the table
/// says; empty: there is none of that name.
std::string explainVariant(llvm::StringRef name);
/// A rule of the memory model ("MM-34"), and the codes that cite it; none: there is
/// no such rule.
std::optional<std::string> explainRule(llvm::StringRef rule);

struct RunCommand : Command {
  TritonCommand triton; ///< Changes nothing that a program computes.
  Strictness strictness;
  /// NAME=VALUE each.
  std::vector<std::string> args, shapes, sizes, rowStrides, scalars, outs;
  std::vector<std::string> memories; ///< ADDRESS=FILE.npy each.
  std::string schedule = "eager", approx = "exact", trace, grid;
  std::string replay; ///< A file of flags (Replay.h); empty: none.
  bool hazards = true, reference = true;
  /// Negative: the example's, else 8.
  int64_t multiprocessors = -1;
  uint64_t maxSteps = 0;
};
int runRun(const RunCommand &options);
/// Whether the module holds Triton's functions, and a run of one.
bool isTritonModule(mlir::ModuleOp module);
/// The fix where a topic of titan explain is of kernels, and the file has a program
/// of Triton.
inline constexpr llvm::StringLiteral tritonInstead =
    "titan explain stages FILE shows what becomes of it; titan compile "
    "--emit=titan FILE -o KERNEL.mlir writes its kernel: ask of that";
int runTriton(Session &session, mlir::ModuleOp module,
              const RunCommand &options);

struct CompileCommand : Command {
  TritonCommand triton;
  Strictness strictness;
  bool check = true;       ///< First, and what is refused is not compiled.
  double proofSeconds = 0; ///< As of CheckCommand.
  std::optional<uint64_t> searchSteps; ///< As of CheckOptions.
  bool proveCounts = false;            ///< As of JudgeOptions.
  std::string target{defaultTarget().name}, output, emit = "package";
  std::string header; ///< Of C++, which launches; empty: none is written.
};
int runCompile(const CompileCommand &options);

struct InspectCommand : Command {
  std::string header; ///< As of CompileCommand.
};
int runInspect(const InspectCommand &options);

struct GenerateCommand {
  std::string what, output;
  /// Flags that were given, without dashes, and their values.
  std::vector<std::pair<std::string, std::string>> options;
  bool json = false;
};
int runGenerate(const GenerateCommand &options);
/// The kernel's text, or why no kernel has these options. None: an option cannot
/// be read, and the session knows.
std::optional<Result<std::string>>
generateKernel(Session &session, const GenerateCommand &command);
/// The options that `titan generate gemm` makes its kernel of: as they are given,
/// and for the rest as the model picks. None: as of generateKernel.
std::optional<kernels::GemmOptions> resolveGemm(Session &session,
                                                const GenerateCommand &command);
/// Why the kernel `what`, gemm or attention, has no option of this name; none: it has.
std::optional<Problem> findUnknownOption(llvm::StringRef what,
                                         llvm::StringRef name);

/// titan bench (Bench.cpp): `output` is a folder.
struct BenchCommand : GenerateCommand {
  std::vector<std::string> sweeps; ///< NAME=VALUE,VALUE,... each.
  bool check = true;               ///< As of CompileCommand.
  unsigned jobs = 0;               ///< Compiled at a time; 0: as cores.
};
int runBench(const BenchCommand &options);

} // namespace titan

#endif
