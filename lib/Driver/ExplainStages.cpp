//===- ExplainStages.cpp - titan explain stages ---------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// titan explain stages FILE prints a Triton program after each step of its way to
// PTX, each under a comment that says what the step decides, with how many operations
// of each kind it ends, and what it remarks of single lines of the source. With --json
// it is in "stages".
//
//===----------------------------------------------------------------------===//
#include "Commands.h"

#include "titan/Dialect/Triton/Triton.h"
#include "titan/Driver/Pipelines.h"
#include "titan/Driver/Session.h"
#include "titan/Target/ExitStatus.h"

#ifdef TITAN_HAS_CODEGEN
#include "titan/Conversion/Compile.h"
#include "titan/Conversion/TritonToTitan.h"
#endif

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace mlir;
using namespace titan;

#ifdef TITAN_HAS_CODEGEN
namespace {
struct Remark {
  std::string file, message;
  unsigned line = 0, column = 0;
};

struct Stage {
  std::string name, what, counts, text;
  std::vector<Remark> remarks;
};

/// Takes what passes remark, at the place in the source.
class Remarks final : public remark::detail::MLIRRemarkStreamerBase {
public:
  Remarks(std::vector<Remark> &all) : all(all) {}
  void streamOptimizationRemark(const remark::detail::Remark &of) override {
    Remark &one = all.emplace_back();
    if (auto place = of.getLocation()->findInstanceOf<FileLineColLoc>()) {
      one.file = llvm::sys::path::filename(place.getFilename().strref());
      one.line = place.getLine();
      one.column = place.getColumn();
    }
    for (const remark::detail::Remark::Arg &part : of.getArgs())
      one.message += part.val;
  }

private:
  std::vector<Remark> &all;
};
} // namespace

/// What convertTritonToTitan remarks, in the order of the source.
static LogicalResult convertTelling(ModuleOp module,
                                    const TritonToTitanOptions &options,
                                    std::vector<Remark> &remarks) {
  MLIRContext &context = *module.getContext();
  if (failed(remark::enableOptimizationRemarks(
          context, std::make_unique<Remarks>(remarks),
          std::make_unique<remark::RemarkEmittingPolicyAll>(),
          {.passed = "triton-to-titan", .missed = "triton-to-titan"})))
    return failure();
  LogicalResult converted = convertTritonToTitan(module, options);
  context.setRemarkEngine(nullptr);
  llvm::stable_sort(remarks, [](const Remark &x, const Remark &y) {
    return std::tie(x.file, x.line, x.column) <
           std::tie(y.file, y.line, y.column);
  });
  return converted;
}

static std::string join(const std::map<std::string, int> &counts) {
  std::string text;
  for (auto &[word, count] : counts)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + word;
  return text;
}

/// How often each operation of tt or titan occurs that does something.
static std::string countOperations(ModuleOp module) {
  std::map<std::string, int> counts;
  module.walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef();
    bool ours = name.starts_with("tt.") || name.starts_with("titan.");
    bool moves = op->getNumOperands() > 0 || !isMemoryEffectFree(op);
    if (ours && moves && !op->hasTrait<OpTrait::IsTerminator>() &&
        !op->hasTrait<OpTrait::IsIsolatedFromAbove>())
      ++counts[name.str()];
  });
  return join(counts);
}

/// The same of PTX: memory, matrices, and what threads wait by.
static std::string countInstructions(StringRef ptx) {
  std::map<std::string, int> counts;
  for (StringRef line : llvm::split(ptx, '\n')) {
    line = line.trim();
    if (line.consume_front("@"))
      line = line.split(' ').second;
    StringRef word =
        line.take_until([](char c) { return c == ' ' || c == '\t'; });
    for (StringRef head :
         {"ld.global", "st.global", "ld.shared", "st.shared", "atom.", "mma.",
          "ldmatrix", "stmatrix", "barrier.", "shfl."})
      if (word.starts_with(head))
        ++counts[word.rtrim(";").str()];
  }
  return join(counts);
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os, namedFlags());
  return text;
}

static FailureOr<std::string> emit(ModuleOp module, Emit what) {
  CompileOptions how;
  how.emit = what;
  std::string text;
  llvm::raw_string_ostream os(text);
  if (failed(compile(module, how, os)))
    return failure();
  return text;
}

static LogicalResult makeStages(ModuleOp module,
                                const TritonToTitanOptions &options,
                                SmallVectorImpl<Stage> &stages) {
  stages.push_back({"tt", "the program, as Triton's make_ttir leaves it",
                    countOperations(module), print(module)});
  {
    OwningOpRef<ModuleOp> copy = module.clone();
    if (failed(annotateTritonLayouts(*copy, options)))
      return failure();
    stages.push_back(
        {"layouts",
         "calls and early returns are gone; what a loop accumulates is reduced "
         "by each thread in it, between threads behind it; `layout` says where "
         "a tensor's "
         "elements come to be: as many consecutive ones a thread as contiguity "
         "and divisibility allow. Tensors without one are made wherever they "
         "are "
         "wanted",
         "", print(*copy)});
  }
  OwningOpRef<ModuleOp> kernels = module.clone();
  std::vector<Remark> remarks;
  if (failed(convertTelling(*kernels, options, remarks)))
    return failure();
  stages.push_back(
      {"titan",
       "kernels: pointers are an argument and an offset; what each launch is "
       "checked for; conversions where layouts meet, exchanges between warps "
       "through shared memory, a barrier where the program's order is one "
       "between warps; loads of loops that are copied num_stages - 1 rounds "
       "ahead",
       countOperations(*kernels), print(*kernels), std::move(remarks)});
  {
    OwningOpRef<ModuleOp> copy = kernels->clone();
    PassManager passes(module.getContext());
    buildExpandPipeline(passes);
    if (failed(passes.run(*copy)))
      return failure();
    stages.push_back({"expanded",
                      "exchanges are stores, a barrier and loads, at places "
                      "without bank conflicts",
                      countOperations(*copy), print(*copy)});
  }
  auto llvm = emit(*kernels, Emit::LLVM), ptx = emit(*kernels, Emit::PTX);
  if (failed(llvm) || failed(ptx))
    return failure();
  stages.push_back({"llvm",
                    "a register of each thread for each element that it holds; "
                    "accesses as wide as is known to be right, with one mask; "
                    "optimised",
                    "", *llvm});
  stages.push_back(
      {"ptx", "what ptxas assembles", countInstructions(*ptx), *ptx});
  return success();
}
#endif

int titan::explainStages(const ExplainCommand &options) {
  Session session("explain", options.json);
  if (options.file.empty()) {
    session.fail(Code::BadArgument, "titan explain stages needs a FILE");
    return session.finish(BadInput, "");
  }
  OwningOpRef<ModuleOp> module = session.parse(options.file);
  if (!module)
    return session.finish(BadInput, "");
  if (!isTritonModule(*module)) {
    session.fail(
        Code::BadArgument,
        "titan explain stages is of Triton's programs, and the file has "
        "none",
        "of kernels, titan compile --emit=titan, llvm or ptx prints what "
        "they become");
    return session.finish(BadInput, "");
  }
#ifdef TITAN_HAS_CODEGEN
  session.setDefaultCode(Code::InternalError);
  DialectRegistry registry;
  registerCompileDialects(registry);
  session.getContext().appendDialectRegistry(registry);
  session.getContext().loadAllAvailableDialects();
  TritonToTitanOptions how;
  if (int code = readOptions(session, options.triton, how))
    return session.finish(code, "");
  SmallVector<Stage> stages;
  bool good = succeeded(makeStages(*module, how, stages));
  std::string text;
  llvm::json::Array all;
  for (auto [i, stage] : llvm::enumerate(stages)) {
    text += "// ---- " + std::to_string(i + 1) + ". " + stage.name + ": " +
            stage.what + "\n";
    if (!stage.counts.empty())
      text += "//      " + stage.counts + "\n";
    llvm::json::Array remarks;
    for (const Remark &remark : stage.remarks) {
      text += "//      " + remark.file + ":" + std::to_string(remark.line) +
              ": " + remark.message + "\n";
      remarks.push_back(llvm::json::Object{{"file", jsonText(remark.file)},
                                           {"line", remark.line},
                                           {"column", remark.column},
                                           {"message", remark.message}});
    }
    text += stage.text + "\n";
    all.push_back(llvm::json::Object{{"name", stage.name},
                                     {"what", stage.what},
                                     {"counts", stage.counts},
                                     {"remarks", std::move(remarks)},
                                     {"text", jsonText(stage.text)}});
  }
  session.result["stages"] = std::move(all);
  return session.finish(good ? Good : Findings, StringRef(text).rtrim());
#else
  session.fail(Code::NotSupportedYet, "this build has no code generator");
  return session.finish(Findings, "");
#endif
}
