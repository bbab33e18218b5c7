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
// in (titan/Transforms/InsertFences.h), for those that stand at the wrong place.
// What one round shows the next may mend. Kept is the last text with fewer errors
// than the one kept before, and with none that this one had not, in any kernel of the
// file: they share functions; where all edits of a round together come to no such
// text, each is tried by itself.
//
//===----------------------------------------------------------------------===//
#include "Commands.h"
#include "TextEdits.h"
#include "titan/Driver/Verdict.h"

#include "titan/Driver/Pipelines.h"
#include "titan/Transforms/InsertFences.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

using namespace mlir;
using namespace titan;

namespace {
/// Of a kernel, or of the file: "".
struct Mistake {
  std::string kernel, code;
  unsigned line;
  auto operator<=>(const Mistake &) const = default;
};
/// How often each is there.
using Mistakes = std::map<Mistake, unsigned>;

/// One look at a text, of which nothing is printed.
class Look {
public:
  Look(StringRef text, const CheckCommand &command);

  Mistakes errors;
  /// Nothing was checked for an error before that.
  bool misspelt = false;
  std::vector<TextEdit> edits;
  /// What each edit is, for people.
  std::vector<std::string> said;

private:
  void add(TextEdit edit, const Twine &what);
  void spell(StringRef text, const Diagnostic &diagnostic);
  void fences(StringRef text, ModuleOp module, const CheckCommand &command);

  /// Lines that errors of missing fences name.
  std::set<unsigned> misplaced;
};
} // namespace

static unsigned lineOf(Location loc) {
  auto at = loc->findInstanceOf<FileLineColLoc>();
  return at ? at.getLine() : 0;
}

void Look::add(TextEdit edit, const Twine &what) {
  // Two errors may have one cause.
  for (const TextEdit &other : edits)
    if (other.offset == edit.offset && other.text == edit.text)
      return;
  said.push_back(("line " + Twine(edit.line) + ": " + what).str());
  edits.push_back(std::move(edit));
}

/// The line of one of a kernel's fences, where nothing else stands in it.
static std::optional<TextEdit> fenceLine(StringRef text, KernelOp kernel,
                                         unsigned line) {
  if (llvm::none_of(fencesOf(kernel), [&](Operation *fence) {
        return lineOf(fence->getLoc()) == line;
      }))
    return std::nullopt;
  size_t begin = 0;
  for (unsigned n = 1; n < line && begin < text.size(); ++n)
    begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
  StringRef own = text.drop_front(begin);
  own = own.take_front(std::min(own.find('\n'), own.size() - 1) + 1);
  if (!own.trim().starts_with("titan.") || own.contains('}'))
    return std::nullopt;
  return TextEdit{begin, line, "", own.size()};
}

/// "... 'titan.tma.laod' ... did you mean titan.tma.load?", where that word
/// stands once in the text, or in the line that is meant.
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
  SmallVector<size_t> all, here;
  const unsigned meant = lineOf(diagnostic.getLocation());
  auto lineAt = [&](size_t at) -> unsigned {
    return text.take_front(at).count('\n') + 1;
  };
  for (size_t at = text.find(word); at != StringRef::npos;
       at = text.find(word, at + 1)) {
    if ((at && part(at - 1)) || part(at + word.size()))
      continue;
    all.push_back(at);
    if (lineAt(at) == meant)
      here.push_back(at);
  }
  if (all.size() != 1 && here.size() != 1)
    return;
  size_t found = all.size() == 1 ? all.front() : here.front();
  unsigned line = lineAt(found);
  add({found, line, near.str(), word.size()}, word + " becomes " + near);
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
        add(std::move(*edit), "before it: " + line);
    }
    // What was written in place of them.
    for (unsigned line : misplaced)
      if (auto edit = fenceLine(text, kernel, line); edit && !edits.empty())
        add(std::move(*edit),
            StringRef(text).substr(edit->offset, edit->erased).trim() +
                " goes");
    for (const FenceInsertion &fence : plan->fences)
      fence.insert();
  }
}

Look::Look(StringRef text, const CheckCommand &command) {
  Session session("check", /*json=*/true);
  ScopedDiagnosticHandler quiet(
      &session.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
          misspelt = true;
          ++errors[{"", "misspelt", lineOf(diagnostic.getLocation())}];
          spell(text, diagnostic);
        }
        return success();
      });
  OwningOpRef<ModuleOp> module =
      session.parse(command.file, llvm::MemoryBuffer::getMemBufferCopy(text));
  if (!module || !edits.empty())
    return;
  errors.clear();
  misspelt = false;
  OwningOpRef<ModuleOp> written = module->clone();
  PassManager passes(&session.getContext());
  buildCheckPipeline(passes);
  if (failed(passes.run(*module)))
    return;
  for (auto kernel : module->getOps<KernelOp>()) {
    const bool asked =
        command.kernel.empty() || kernel.getSymName() == command.kernel;
    KernelVerdict verdict = judge(kernel, {.strictness = command.strictness,
                                           .searchSteps = command.searchSteps,
                                           .proofSeconds = 0});
    for (const Finding &finding : verdict.search.findings) {
      if (finding.severity != Severity::Error)
        continue;
      ++errors[{kernel.getSymName().str(),
                std::string(codeInfo(finding.code).code), lineOf(finding.loc)}];
      if (!asked)
        continue;
      if (finding.code == Code::ProxyFenceMissing)
        for (const FindingPlace &place : finding.others)
          misplaced.insert(lineOf(place.loc));
      for (const FindingEdit &each : finding.edits)
        if (auto edit = replacement(text, each))
          add(std::move(*edit), each.from + " becomes " + each.to);
    }
  }
  if (edits.empty() && !errors.empty())
    fences(text, *written, command);
}

/// Errors, where their lines are in a text that has been changed.
static Mistakes moved(const Mistakes &errors, StringRef text,
                      ArrayRef<TextEdit> edits) {
  Mistakes result;
  for (auto &[error, times] : errors) {
    int64_t line = error.line;
    for (const TextEdit &edit : edits) {
      StringRef erased = text.substr(edit.offset, edit.erased);
      if (edit.line < error.line || (edit.line == error.line && erased.empty()))
        line += StringRef(edit.text).count('\n') - int64_t(erased.count('\n'));
    }
    result[{error.kernel, error.code, unsigned(line)}] += times;
  }
  return result;
}

static unsigned count(const Mistakes &errors) {
  unsigned sum = 0;
  for (auto &[error, times] : errors)
    sum += times;
  return sum;
}

/// Whether a text with errors `now` has fewer than one that has `before`, at its own
/// lines, and none that this one has not.
static bool isBetter(const Mistakes &now, const Mistakes &before) {
  return count(now) < count(before) &&
         llvm::all_of(
             now,
             [&](const auto &error) {
               auto known = before.find(error.first);
               return known != before.end() && error.second <= known->second;
             });
}

/// The same, where the one before is perhaps misspelt: of that no other errors are
/// known.
static bool isBetter(const Look &now, const Mistakes &before, bool misspelt) {
  if (!misspelt)
    return isBetter(now.errors, before);
  return !now.misspelt || llvm::none_of(now.errors, [&](const auto &error) {
    return before.contains(error.first);
  });
}

Mended titan::mend(std::string text, const CheckCommand &command) {
  static constexpr int mostRounds = 8;
  static constexpr size_t mostAlone = 8;
  Mended kept{std::move(text), {}, 0, ""};
  auto look = std::make_shared<Look>(kept.text, command);
  kept.errors = count(look->errors);
  // What makes a better text but for a kernel that was right: told, and not made.
  auto spoils = [&](const Look &now, const Mistakes &before) -> std::string {
    if (look->misspelt)
      return "";
    Mistakes rest = now.errors, others;
    for (const auto &[error, times] : now.errors)
      if (!error.kernel.empty() &&
          llvm::none_of(before, [&](const auto &known) {
            return known.first.kernel == error.kernel;
          })) {
        others[error] = times;
        rest.erase(error);
      }
    if (others.empty() || !isBetter(rest, before))
      return "";
    const Mistake &first = others.begin()->first;
    return ", which would make @" + first.kernel + " wrong: [" + first.code +
           "]";
  };
  // True: a better text is kept. Of the first round all edits, or one.
  auto rounds = [&](std::optional<size_t> alone) {
    Mended now = kept;
    std::shared_ptr<Look> at = look;
    Mistakes before = look->errors;
    std::set<std::string> seen{now.text};
    for (int round = 0; round < mostRounds && !at->edits.empty(); ++round) {
      std::vector<TextEdit> edits = at->edits;
      std::vector<std::string> said = at->said;
      if (alone && round == 0) {
        edits = {edits[*alone]};
        said = {said[*alone]};
      }
      before = moved(before, now.text, edits);
      now.text = applied(now.text, std::move(edits));
      llvm::append_range(now.edits, said);
      if (!seen.insert(now.text).second)
        return false;
      at = std::make_shared<Look>(now.text, command);
      if (!isBetter(*at, before, look->misspelt)) {
        if (std::string why = spoils(*at, before); !why.empty())
          kept.spoilt = llvm::join(now.edits, "; ") + why;
        continue;
      }
      kept = std::move(now);
      kept.spoilt.clear();
      look = std::move(at);
      return true;
    }
    return false;
  };
  for (bool more = true; more && !look->edits.empty();) {
    more = rounds(std::nullopt);
    const size_t each =
        look->edits.size() > 1 ? std::min(look->edits.size(), mostAlone) : 0;
    for (size_t i = 0; !more && i < each; ++i)
      more = rounds(i);
  }
  return kept;
}
