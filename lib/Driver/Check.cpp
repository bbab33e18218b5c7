//===- Check.cpp - titan check --------------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Arguments.h"
#include "Commands.h"
#include "Draw.h"
#include "Replay.h"
#include "titan/Driver/Verdict.h"
#include "titan/Driver/Waiting.h"

#include "titan/Analysis/SearchBounds.h"
#include "titan/Driver/Pipelines.h"
#include "titan/Runtime/File.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace titan;

/// Whether titan check --fix writes the program there.
static bool toStdout(const CheckCommand &options) {
  return (options.output.empty() ? options.file : options.output) == "-";
}

/// titan check --fix: the module is that of the text as it is written. An exit
/// status where nothing can be written; `said`: what was done.
static std::optional<int> fixFile(Session &session, const CheckCommand &options,
                                  OwningOpRef<ModuleOp> &module,
                                  std::string &said) {
  auto buffer = readText(options.file);
  if (!buffer) {
    session.fail(buffer.error());
    return BadInput;
  }
  // In place, unless -o names another file.
  std::string output = options.output.empty() ? options.file : options.output;
  if (output != options.file && !session.claimOutput("-o", output))
    return BadInput;
  StringRef before = (*buffer)->getBuffer();
  Mended mended = mend(before.str(), options);
  bool text = toStdout(options);
  if (text && !options.json && !options.sarif)
    llvm::outs() << mended.text;
  if (!text && (mended.text != before || output != options.file))
    if (auto written = runtime::writeFile(output, StringRef(mended.text));
        !written) {
      session.fail(written.error());
      return BadInput;
    }
  if (text)
    session.result["text"] = jsonText(mended.text);
  session.result["edits"] = jsonTexts(mended.edits);
  module =
      session.parse(options.file, llvm::MemoryBuffer::getMemBufferCopy(
                                      mended.text, text ? "<stdin>" : output));
  if (!mended.edits.empty())
    said = output + ": " + std::to_string(mended.edits.size()) +
           (mended.edits.size() == 1 ? " edit" : " edits");
  else if (module && isTritonModule(*module))
    said = "nothing was changed: Triton made this text; what is to be changed "
           "is the program in Python";
  else if (!mended.errors)
    said = "nothing was changed: nothing is refused";
  else
    said = "nothing was changed: no mechanical edit is known that takes an "
           "error away without bringing another";
  for (const std::string &edit : mended.edits)
    said += "\n  " + edit;
  if (!mended.spoilt.empty())
    said += "\n  not made: " + mended.spoilt;
  said += "\n";
  return std::nullopt;
}

/// --replay-out, of the first error: what was written, or why nothing was.
static std::string writeReplay(Session &session, StringRef path,
                               const KernelVerdict &verdict) {
  auto error = llvm::find_if(verdict.search.findings, [](const Finding &each) {
    return each.severity == Severity::Error && each.code != Code::Undecided;
  });
  if (error == verdict.search.findings.end())
    return "";
  auto at = error->loc->findInstanceOf<FileLineColLoc>();
  const llvm::MemoryBuffer *text = session.getSources().getMemoryBuffer(1);
  auto found =
      findReplay(text->getBuffer(), KernelOp(verdict.kernel).getSymName(),
                 error->code, at ? at.getLine() : 0);
  if (!found)
    return "\n  no run was found that shows it: sizes are chosen, and "
           "schedules "
           "tried";
  std::string shows = found->getString("shows").value_or("").str();
  std::string run =
      llvm::formatv("{0:2}\n", llvm::json::Value(std::move(*found)));
  if (auto written = runtime::writeFile(path.str(), StringRef(run)); !written) {
    session.fail(written.error());
    return "";
  }
  return ("\n  titan run " + text->getBufferIdentifier() + " --replay=" + path +
          " shows " + shows)
      .str();
}

/// How far the search goes, by name.
static llvm::json::Object boundsJson() {
  llvm::json::Object bounds;
  for (const SearchBound &bound : searchBounds())
    bounds[bound.name] = bound.values.size() == 1
                             ? llvm::json::Value(bound.values[0])
                             : llvm::json::Array(bound.values);
  return bounds;
}

int titan::runCheck(const CheckCommand &options) {
  Session session("check", options.json);
  if (options.sarif)
    session.setSarif();
  OwningOpRef<ModuleOp> module;
  std::string mended;
  if (options.fix) {
    std::optional<int> code = fixFile(session, options, module, mended);
    if (code)
      return session.finish(*code, "");
  } else {
    module = session.parse(options.file);
  }
  // Where --fix writes the program to standard output, that is the program's.
  auto finish = [&](int code, StringRef text) {
    if (!options.fix || !toStdout(options) || options.json || options.sarif)
      return session.finish(code, text);
    llvm::errs() << text << "\n";
    return session.finish(code, "");
  };
  if (!module || (!options.replay.empty() &&
                  !session.claimOutput("--replay-out", options.replay)))
    return finish(BadInput, StringRef(mended).rtrim());
  const bool triton = isTritonModule(*module);
  if (triton && !options.replay.empty()) {
    session.fail(Code::NotSupportedYet, "--replay-out of a Triton program",
                 "titan run FILE with --arg and --grid shows it; or write the "
                 "kernel, by titan compile --emit=titan, and check that");
    return session.finish(BadInput, "");
  }
  if (int code = convertTriton(session, *module, options.triton))
    return session.finish(code, "");
  // Without --kernel, all of them.
  KernelOp only;
  if (!options.kernel.empty() || module->getOps<KernelOp>().empty()) {
    only = session.findKernel(*module, options.kernel);
    if (!only)
      return session.finish(BadInput, "");
  }

  session.setDefaultCode(Code::InternalError);
  if (options.insertFences)
    return insertFences(session, *module, only, options);
  if (options.redundant)
    return reportRedundant(session, *module, only, options);
  PassManager passes(&session.getContext());
  passes.enableVerifier(true);
  buildCheckPipeline(passes);
  if (failed(passes.run(*module)))
    return finish(Findings, StringRef(mended).rtrim());

  JudgeOptions judging{.strictness = options.strictness,
                       .searchSteps = options.searchSteps,
                       .proofSeconds = options.proofSeconds,
                       .requireProof = options.require == "proved"};
  std::string verdicts, shows;
  bool accepted = true;
  llvm::json::Array kernels;
  for (auto kernel : module->getOps<KernelOp>()) {
    if (only && kernel != only)
      continue;
    KernelVerdict verdict = [&] {
      Waiting waiting("@" + kernel.getSymName().str(),
                      !options.json && !options.sarif);
      judging.begins = [&](StringRef phase) { waiting.begins(phase); };
      return judge(kernel, judging);
    }();
    if (triton)
      verdict.sayForTriton();
    if (auto finding = refusedExample(kernel)) {
      verdict.search.findings.push_back(std::move(*finding));
      ++verdict.warnings;
    }
    for (const Finding &finding : verdict.search.findings)
      session.report(finding);
    // People read it in the verdict.
    if (auto finding = verdict.notProved(Severity::Warning);
        finding && !judging.requireProof)
      session.file(*finding);
    accepted &= verdict.verdict == Verdict::Proved ||
                (verdict.verdict != Verdict::Refused && verdict.looked());
    if (!options.replay.empty() && shows.empty())
      shows = writeReplay(session, options.replay, verdict);
    verdicts += (verdicts.empty() ? "" : "\n") + verdict.text();
    if (options.draw)
      for (const Finding &finding : verdict.search.findings)
        verdicts += drawEvents(finding);
    kernels.push_back(verdict.json());
  }
  session.result["kernels"] = std::move(kernels);
  session.result["bounds"] = boundsJson();
  return finish(accepted ? Good : Findings, mended + verdicts + shows);
}
