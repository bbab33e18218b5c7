//===- Verdict.cpp - proved, searched, undecided or refused ---------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Driver/Verdict.h"

#include "titan/Driver/Pipelines.h"
#include "titan/Driver/Session.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/thread.h"
#include "llvm/Support/xxhash.h"

#include <atomic>
#include <mutex>

using namespace mlir;
using namespace titan;

StringRef titan::toString(Verdict verdict) {
  switch (verdict) {
  case Verdict::Refused:
    return "refused";
  case Verdict::Undecided:
    return "undecided";
  case Verdict::Searched:
    return "searched";
  case Verdict::Proved:
    return "proved";
  }
  return "";
}

static KernelVerdict
searched(KernelOp kernel, const JudgeOptions &options,
         std::function<void(const std::vector<Finding> &)> progress = {}) {
  KernelVerdict result{.kernel = kernel};
  CheckOptions how;
  how.strictness = options.strictness;
  how.undecided = options.strictness.severityOf(Code::Undecided);
  how.searchSteps = options.searchSteps;
  how.progress = std::move(progress);
  result.search = check(kernel, how);
  return result;
}

static bool ofCounts(const Finding &finding) { return finding.ofCounts; }

/// What is proved is so without any order of memory by what is so narrow (MM-62).
static bool ofScope(const Finding &finding) {
  return finding.code == Code::ScopeTooNarrow;
}

/// What the search does not refuse may be right for every size; so may be what it
/// has not refused, but for counts that it has not looked at.
static bool mayBeProved(const CheckReport &search) {
  return llvm::none_of(search.findings, [](const Finding &finding) {
    return finding.severity == Severity::Error && !ofCounts(finding);
  });
}

/// `proofOf` makes the proof, in so many seconds.
static void addProof(KernelVerdict &result, const JudgeOptions &options,
                     llvm::function_ref<ProofReport(double)> proofOf) {
  if (!mayBeProved(result.search)) {
    if (options.proofSeconds <= 0)
      return;
    // When a mistake is mended a proof is asked about the counts.
    if (llvm::any_of(result.search.findings, [](const Finding &finding) {
          return finding.severity == Severity::Error &&
                 finding.code != Code::Undecided;
        }))
      result.search.undecided -=
          std::erase_if(result.search.findings, ofCounts);
    else
      result.stopped.emplace().reason =
          "no proof is made where more than counts is undecided";
    return;
  }
  ProofReport &proof = result.proof.emplace();
  double seconds = options.proofSeconds;
  if (options.proveCounts && llvm::any_of(result.search.findings, ofCounts))
    seconds = std::numeric_limits<double>::infinity();
  if (seconds > 0) {
    proof = proofOf(seconds);
  } else {
    proof.reason = "no proof was asked for";
    proof.goOn = "without --proof=off";
  }
  if (proof.proved) {
    result.search.undecided -= std::erase_if(result.search.findings, ofCounts);
    std::erase_if(result.search.findings, ofScope);
  }
  // A finding that is none by --FLAG=..., or trusted, is no part of a proof.
  if (proof.proved &&
      (!result.search.findings.empty() || result.search.silenced)) {
    proof.proved = false;
    proof.reason = "what is told above is accepted, not proved";
    proof.stoppedAt = result.kernel;
  }
  if (!result.search.accepted()) {
    if (seconds > 0 && !proof.proved)
      result.stopped = std::move(result.proof);
    return result.proof.reset();
  }
  result.verdict = proof.proved              ? Verdict::Proved
                   : result.search.undecided ? Verdict::Undecided
                                             : Verdict::Searched;
}

/// Steps of a search (some seconds) after which a proof is asked for first: what is
/// proved needs no more of them than execute all of the text.
static constexpr uint64_t stepsBeforeProof = 500'000'000;

KernelVerdict titan::judge(KernelOp kernel, const JudgeOptions &options) {
  auto begins = [&](StringRef phase) {
    if (options.begins)
      options.begins(phase);
  };
  std::optional<ProofReport> proof;
  auto proofOf = [&](double seconds) {
    if (!proof) {
      begins("proof");
      proof = prove(kernel, Judgement::None, seconds);
    }
    return *proof;
  };
  KernelVerdict result;
  const bool proofFirst = options.proofSeconds > 0 && !options.searchSteps;
  if (proofFirst) {
    JudgeOptions few = options;
    few.searchSteps = stepsBeforeProof;
    begins("search");
    result = searched(kernel, few);
    addProof(result, few, proofOf);
  }
  if (!proofFirst ||
      (result.search.usedUp && result.verdict != Verdict::Proved)) {
    begins(proofFirst ? "search to its end" : "search");
    result = searched(kernel, options);
    addProof(result, options, proofOf);
  }
  if (options.requireProof)
    if (auto finding = result.notProved(Severity::Error)) {
      result.search.findings.push_back(*finding);
      result.verdict = Verdict::Refused;
    }
  for (const Finding &finding : result.search.findings) {
    result.errors += finding.severity == Severity::Error;
    result.warnings += finding.severity == Severity::Warning;
  }
  return result;
}

/// What would let the proof go on.
static std::string whatHelps(const ProofReport &proof) {
  if (!proof.goOn.empty())
    return proof.goOn;
  if (proof.rules.empty())
    return "docs/checker.md: Outside says what is not followed, Idioms has "
           "forms that are proved";
  StringRef first = StringRef(proof.rules).take_until([](char c) {
    return c == ',' || c == ' ';
  });
  return ("titan explain " + first +
          " says what is asked; docs/checker.md, Idioms, has forms of which it "
          "is shown")
      .str();
}

std::optional<Finding> KernelVerdict::notProved(Severity severity) const {
  if (!proof || proof->proved)
    return std::nullopt;
  Operation *at = proof->stoppedAt ? proof->stoppedAt : kernel;
  return Finding{
      .code = severity == Severity::Error ? Code::Undecided : Code::NotProved,
      .severity = severity,
      .message = "not proved: " + proof->reason +
                 (proof->rules.empty() ? "" : " (" + proof->rules + ")"),
      .loc = at->getLoc(),
      .fix = whatHelps(*proof)};
}

/// Whether the kernel is proved, as a line. `title`: of one that is not.
static std::string describe(const ProofReport &proof, StringRef title) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (proof.proved) {
    os << "\n  proved, for every size that the launch admits";
    if (!proof.assumptions.empty())
      os << "; assumed: " << llvm::join(proof.assumptions, "; ");
    return text;
  }
  os << "\n  " << title << ": ";
  if (proof.stoppedAt)
    if (auto at = proof.stoppedAt->getLoc()->findInstanceOf<FileLineColLoc>())
      os << "line " << at.getLine() << ": ";
  os << proof.reason << " (" << whatHelps(proof) << ")";
  return text;
}

static llvm::json::Object proofJson(const ProofReport &proof, Verdict verdict) {
  llvm::json::Object json{{"systems", static_cast<int64_t>(proof.systems)},
                          {"verdict", toString(verdict)},
                          {"seconds", proof.seconds}};
  if (proof.proved) {
    json["assumptions"] = jsonTexts(proof.assumptions);
    return json;
  }
  json["reason"] = jsonText(proof.reason);
  if (!proof.rules.empty())
    json["rules"] = proof.rules;
  if (proof.stoppedAt)
    if (auto at = proof.stoppedAt->getLoc()->findInstanceOf<FileLineColLoc>()) {
      json["line"] = static_cast<int64_t>(at.getLine());
      json["column"] = static_cast<int64_t>(at.getColumn());
    }
  json["fix"] = jsonText(whatHelps(proof));
  return json;
}

std::string KernelVerdict::text() const {
  bool onlyUndecided =
      llvm::all_of(search.findings, [](const Finding &finding) {
        return finding.severity != Severity::Error ||
               finding.code == Code::Undecided;
      });
  bool good = errors == 0;
  StringRef word =
      good && !looked() ? "undecided"
      : good          ? (search.undecided ? "accepted but for what is undecided"
                                          : "accepted")
      : onlyUndecided ? "cannot decide"
                      : "refused";
  std::string text = llvm::formatv(
      "@{0}: {1}: {2} error{3}, {4} warning{5}; {6} events in {7:F1} ms",
      KernelOp(kernel).getSymName(), word, errors, errors == 1 ? "" : "s",
      warnings, warnings == 1 ? "" : "s", search.events, search.seconds * 1e3);
  if (const auto &made = proof ? proof : stopped; made && made->seconds > 0)
    text += llvm::formatv(", proof in {0:F1} ms", made->seconds * 1e3);
  if (!looked())
    text += "\n  nothing was executed: the kernel was not checked";
  // All of them are in the JSON.
  if (!search.counts.empty())
    text += "\n  trip counts checked: " +
            llvm::join(llvm::ArrayRef(search.counts).take_front(4), "; ");
  if (search.counts.size() > 4)
    text += "; ... (" + std::to_string(search.counts.size()) + " in all)";
  if (!search.launches.empty())
    text += "\n  whole launches checked: " + llvm::join(search.launches, "; ");
  if (!search.skipped.empty())
    text += "\n  not looked at: " + llvm::join(search.skipped, "; ");
  // (What is proved is so whatever they are.)
  if (looked() && !search.assumed.empty() && !(proof && proof->proved))
    text += "\n  assumed: " + llvm::join(search.assumed, "; ");
  if (proof)
    text += describe(*proof, looked() ? "searched, not proved" : "not proved");
  // It would have been enough.
  if (stopped)
    text += describe(*stopped, "nor is it proved");
  return text;
}

llvm::json::Object KernelVerdict::json() const {
  // A finding there, which people read in the verdict.
  const bool fileNotProved =
      verdict != Verdict::Refused && notProved(Severity::Warning);
  llvm::json::Object json{{"kernel", jsonText(KernelOp(kernel).getSymName())},
                          {"verdict", toString(verdict)},
                          {"errors", errors},
                          {"warnings", warnings + (fileNotProved ? 1 : 0)},
                          {"undecided", search.undecided},
                          {"counts", jsonTexts(search.counts)},
                          {"periods", jsonTexts(search.periods)},
                          {"launches", jsonTexts(search.launches)},
                          {"skipped", jsonTexts(search.skipped)},
                          {"assumed", jsonTexts(search.assumed)},
                          {"events", static_cast<int64_t>(search.events)},
                          {"seconds", search.seconds}};
  if (const auto &made = proof ? proof : stopped;
      made && (proof || made->seconds > 0))
    json["proof"] = proofJson(*made, verdict);
  return json;
}

//===----------------------------------------------------------------------===//
// Of a text
//===----------------------------------------------------------------------===//

/// Of a thread that searches or proves.
static constexpr unsigned stackBytes = 64u << 20;

/// What the verdict on a kernel hangs on, its lines included. The passes have made
/// the kernel stand for itself; the module says for which target it is, say.
static std::string digestOf(ModuleOp module, KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto flags = OpPrintingFlags().enableDebugInfo().useLocalScope();
  os << module->getAttrDictionary() << "\n";
  kernel->print(os, flags);
  llvm::XXH128_hash_t hash =
      llvm::xxh3_128bits(llvm::arrayRefFromStringRef(text));
  return llvm::formatv("{0:x16}{1:x16}", hash.high64, hash.low64);
}

namespace {
/// A text's kernels, of each of which a search and a proof look at the same time.
class TextJudge {
public:
  TextJudge(const JudgeOptions &options, const TextListener &listener,
            llvm::json::Array ofText)
      : options(options), listener(listener), ofText(std::move(ofText)) {}

  void judge(ModuleOp module);

private:
  struct Kernel {
    std::string digest;
    KernelVerdict verdict;
    /// The proof has a text of its own.
    KernelOp copy;
    bool searched = false;
    /// The search has: no proof is asked for.
    std::atomic<bool> refused = false;
    std::optional<ProofReport> proof;
    /// What is said of it: by the search, and at the end.
    llvm::json::Array found, concluded;
  };

  void search(Kernel &kernel);
  void prove(Kernel &kernel);
  /// Says what both have come to, once they have.
  void conclude(Kernel &kernel);
  static void setFound(Kernel &kernel, ArrayRef<Finding> findings);
  void tell();

  const JudgeOptions &options;
  const TextListener &listener;
  const llvm::json::Array ofText;
  std::vector<std::unique_ptr<Kernel>> kernels;
  /// Held while anything of the above changes, and is told.
  std::mutex telling;
};
} // namespace

void TextJudge::tell() {
  llvm::json::Array all = ofText;
  for (auto part : {&Kernel::found, &Kernel::concluded})
    for (const auto &kernel : kernels)
      llvm::append_range(all, (*kernel).*part);
  listener.tell(all);
}

void TextJudge::setFound(Kernel &kernel, ArrayRef<Finding> findings) {
  kernel.found.clear();
  for (const Finding &finding : findings)
    kernel.found.push_back(toJson(finding));
}

void TextJudge::search(Kernel &kernel) {
  KernelVerdict verdict =
      searched(kernel.verdict.kernel, options, [&](ArrayRef<Finding> findings) {
        std::lock_guard<std::mutex> guard(telling);
        setFound(kernel, findings);
        tell();
      });
  std::lock_guard<std::mutex> guard(telling);
  kernel.verdict = std::move(verdict);
  kernel.searched = true;
  kernel.refused = !mayBeProved(kernel.verdict.search);
  setFound(kernel, kernel.verdict.search.findings);
  tell();
  conclude(kernel);
}

void TextJudge::prove(Kernel &kernel) {
  if (kernel.refused)
    return;
  ProofReport proof = titan::prove(kernel.copy, Judgement::None,
                                   options.proofSeconds, &kernel.refused);
  std::lock_guard<std::mutex> guard(telling);
  if (kernel.refused)
    return;
  kernel.proof = std::move(proof);
  conclude(kernel);
}

void TextJudge::conclude(Kernel &kernel) {
  if (!kernel.searched || (!kernel.proof && !kernel.refused))
    return;
  KernelVerdict &verdict = kernel.verdict;
  addProof(verdict, options, [&](double) { return *kernel.proof; });
  setFound(kernel, verdict.search.findings);
  if (auto finding = verdict.notProved(Severity::Warning))
    kernel.concluded.push_back(toJson(*finding));
  if (auto at = verdict.kernel.getLoc()->findInstanceOf<FileLineColLoc>();
      at && verdict.verdict == Verdict::Proved)
    kernel.concluded.push_back(llvm::json::Object{
        {"severity", "note"},
        {"message",
         jsonText(
             "@" + verdict.kernel.getSymName().str() + ": " +
             StringRef(describe(*verdict.proof, /*title=*/"")).trim().str())},
        {"line", at.getLine()},
        {"column", at.getColumn()}});
  tell();
  listener.conclude(kernel.digest, kernel.found, kernel.concluded);
}

void TextJudge::judge(ModuleOp module) {
  auto ofModule = llvm::to_vector(module.getOps<KernelOp>());
  // First the last one that begins before that line.
  auto first =
      std::find_if(ofModule.rbegin(), ofModule.rend(), [&](KernelOp kernel) {
        auto at = kernel.getLoc()->findInstanceOf<FileLineColLoc>();
        return at && at.getLine() <= options.lineFirst;
      });
  if (first != ofModule.rend())
    std::rotate(ofModule.begin(), first.base() - 1, ofModule.end());

  OwningOpRef<ModuleOp> copies = module.clone();
  std::vector<Kernel *> open;
  for (KernelOp op : ofModule) {
    Kernel &kernel = *kernels.emplace_back(std::make_unique<Kernel>());
    kernel.digest = digestOf(module, op);
    kernel.verdict.kernel = op;
    kernel.copy = copies->lookupSymbol<KernelOp>(op.getSymName());
    if (!listener.recall(kernel.digest, kernel.found, kernel.concluded))
      open.push_back(&kernel);
  }
  tell();

  // What is found comes before what is proved, where there are few processors.
  std::vector<std::function<void()>> tasks;
  for (Kernel *kernel : open)
    tasks.push_back([=, this] { search(*kernel); });
  for (Kernel *kernel : open)
    tasks.push_back([=, this] { prove(*kernel); });
  module.getContext()->enableMultithreading();
  std::atomic<size_t> next = 0;
  std::vector<llvm::thread> workers;
  const size_t processors = llvm::hardware_concurrency().compute_thread_count();
  while (workers.size() < std::min(processors, tasks.size()))
    workers.emplace_back(std::optional<unsigned>(stackBytes), [&] {
      for (size_t i; (i = next++) < tasks.size();)
        llvm::CrashRecoveryContext().RunSafely(tasks[i]);
    });
  for (llvm::thread &worker : workers)
    worker.join();
  module.getContext()->disableMultithreading();
}

void titan::judgeText(StringRef name, StringRef text,
                      const JudgeOptions &options,
                      const TextListener &listener) {
  Session session("check", /*json=*/true);
  session.setQuiet();
  OwningOpRef<ModuleOp> module =
      session.parse(name, llvm::MemoryBuffer::getMemBufferCopy(text, name));
  PassManager passes(&session.getContext());
  buildCheckPipeline(passes);
  if (!module || failed(passes.run(*module)))
    return listener.tell(session.getFindings());
  TextJudge(options, listener, session.getFindings()).judge(*module);
}
