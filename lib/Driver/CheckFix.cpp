//===- CheckFix.cpp - titan check --fix -----------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In rounds: what is misspelt becomes the word that is nearest to it; the edits
// that errors bring are made; where nothing but fences is missing, they are put
// in (titan/Transforms/InsertFences.h). A round after which an error that it was
// to mend is still there is taken back, and is the last one.
//
//===----------------------------------------------------------------------===//
#include "Commands.h"
#include "TextEdits.h"
#include "titan/Driver/Verdict.h"

#include "titan/Driver/Pipelines.h"
#include "titan/Transforms/InsertFences.h"

#include "mlir/Pass/PassManager.h"

#include <set>

using namespace mlir;
using namespace titan;

namespace {
/// An error by its code and line.
using Mistake = std::pair<std::string, unsigned>;

/// One look at a text, of which nothing is printed.
class Look {
public:
  Look(StringRef text, const CheckCommand &command);

  std::set<Mistake> errors;
  std::vector<TextEdit> edits;
  /// What each edit is, for people, and the errors that it is to mend.
  std::vector<std::string> said;
  std::set<Mistake> mended;

private:
  void add(TextEdit edit, const Twine &what, StringRef code, Location loc);
  void spell(StringRef text, const Diagnostic &diagnostic);
  void fences(StringRef text, ModuleOp module, const CheckCommand &command);
};
} // namespace

static unsigned lineOf(Location loc) {
  auto at = loc->findInstanceOf<FileLineColLoc>();
  return at ? at.getLine() : 0;
}

void Look::add(TextEdit edit, const Twine &what, StringRef code, Location loc) {
  // Two errors may have one cause.
  for (const TextEdit &other : edits)
    if (other.offset == edit.offset && other.text == edit.text)
      return;
  said.push_back(("line " + Twine(edit.line) + ": " + what).str());
  mended.insert({code.str(), lineOf(loc)});
  edits.push_back(std::move(edit));
}

/// "... 'titan.tma.laod' ... did you mean titan.tma.load?", where that word
/// stands in the text once.
void Look::spell(StringRef text, const Diagnostic &diagnostic) {
  std::string message = diagnostic.str();
  for (const Diagnostic &note : diagnostic.getNotes())
    message += "\n" + note.str();
  message += " " + didYouMean(message, *diagnostic.getLocation().getContext());
  auto [before, after] = StringRef(message).split("did you mean ");
  StringRef near = after.take_while(
      [](char c) { return llvm::isAlnum(c) || c == '.' || c == '_'; });
  StringRef word = before.split('\'').second.split('\'').first;
  if (near.empty() || word.empty())
    return;
  auto part = [&](size_t at) {
    return at < text.size() &&
           (llvm::isAlnum(text[at]) || text[at] == '.' || text[at] == '_');
  };
  size_t found = StringRef::npos;
  for (size_t at = text.find(word); at != StringRef::npos;
       at = text.find(word, at + 1)) {
    if ((at && part(at - 1)) || part(at + word.size()))
      continue;
    if (found != StringRef::npos)
      return;
    found = at;
  }
  if (found == StringRef::npos)
    return;
  unsigned line = text.take_front(found).count('\n') + 1;
  add({found, line, near.str(), word.size()}, word + " becomes " + near,
      "misspelt", diagnostic.getLocation());
}

/// The fences that are all that is missing.
void Look::fences(StringRef text, ModuleOp module,
                  const CheckCommand &command) {
  CheckOptions options;
  options.strictness = command.strictness;
  options.undecided = command.strictness.severityOf(Code::Undecided);
  options.searchSteps = command.searchSteps;
  for (auto kernel : module.getOps<KernelOp>()) {
    if (!command.kernel.empty() && kernel.getSymName() != command.kernel)
      continue;
    FailureOr<FencePlan> plan = planFences(kernel, options);
    if (failed(plan) || !plan->refusal.empty())
      continue;
    for (const FenceInsertion &fence : plan->fences) {
      std::string line = fence.text();
      auto edit = lineBefore(text, fence.before, line);
      if (edit && !(fence.map && line.find(" %") == std::string::npos))
        add(std::move(*edit), "before it: " + line,
            codeInfo(fence.why.code).code, fence.why.second);
      fence.insert();
    }
  }
}

Look::Look(StringRef text, const CheckCommand &command) {
  Session session("check", /*json=*/true);
  ScopedDiagnosticHandler quiet(
      &session.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
          errors.insert({"misspelt", lineOf(diagnostic.getLocation())});
          spell(text, diagnostic);
        }
        return success();
      });
  OwningOpRef<ModuleOp> module =
      session.parse(command.file, llvm::MemoryBuffer::getMemBufferCopy(text));
  if (!module || !edits.empty())
    return;
  errors.clear();
  OwningOpRef<ModuleOp> written = module->clone();
  PassManager passes(&session.getContext());
  buildCheckPipeline(passes);
  if (failed(passes.run(*module)))
    return;
  for (auto kernel : module->getOps<KernelOp>()) {
    if (!command.kernel.empty() && kernel.getSymName() != command.kernel)
      continue;
    KernelVerdict verdict = judge(kernel, {.strictness = command.strictness,
                                           .searchSteps = command.searchSteps,
                                           .proofSeconds = 0});
    for (const Finding &finding : verdict.search.findings) {
      if (finding.severity != Severity::Error)
        continue;
      StringRef code(codeInfo(finding.code).code);
      errors.insert({code.str(), lineOf(finding.loc)});
      for (const FindingEdit &each : finding.edits)
        if (auto edit = replacement(text, each))
          add(std::move(*edit), each.from + " becomes " + each.to, code,
              finding.loc);
    }
  }
  if (edits.empty() && !errors.empty())
    fences(text, *written, command);
}

Mended titan::mend(std::string text, const CheckCommand &command) {
  static constexpr int mostRounds = 8;
  Mended result{std::move(text), {}};
  auto look = std::make_unique<Look>(result.text, command);
  for (int round = 0; round < mostRounds && !look->edits.empty(); ++round) {
    std::string changed = applied(result.text, look->edits);
    auto next = std::make_unique<Look>(changed, command);
    // Lines move where some are put in: then fewer errors are enough.
    bool lines = llvm::any_of(
        look->edits, [](const TextEdit &edit) { return edit.erased == 0; });
    bool better = lines ? next->errors.size() < look->errors.size()
                        : llvm::none_of(
                              look->mended,
                              [&](const Mistake &error) {
                                return next->errors.contains(error);
                              });
    if (!better)
      break;
    result.text = std::move(changed);
    llvm::append_range(result.edits, look->said);
    look = std::move(next);
  }
  return result;
}
