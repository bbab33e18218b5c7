//===- Compile.cpp - titan compile ----------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Commands.h"
#include "PackageHeader.h"

#include "titan/Conversion/TritonToTitan.h"
#include "titan/Driver/Pipelines.h"
#include "titan/Driver/Verdict.h"
#include "titan/Driver/Waiting.h"

#include "mlir/Pass/PassManager.h"

#ifdef TITAN_HAS_CODEGEN
#include "titan/Conversion/Compile.h"
#include "titan/Runtime/File.h"
#include "titan/Runtime/Runtime.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#endif

using namespace mlir;
using namespace titan;

/// Says of each kernel what titan check says, and files it for the manifest;
/// false: one of them is refused. The module stays as it is. `triton`: it was
/// one of Triton's.
static bool checkKernels(Session &session, ModuleOp module, bool triton,
                         const CompileCommand &options, std::string &verdicts,
                         CompileOptions &how) {
  OwningOpRef<ModuleOp> copy = module.clone();
  session.setDefaultCode(Code::InternalError);
  PassManager passes(&session.getContext());
  buildCheckPipeline(passes);
  if (failed(passes.run(*copy)))
    return false;
  session.setDefaultCode(Code::CodegenFailed);
  bool good = true;
  llvm::json::Array kernels;
  for (auto kernel : copy->getOps<KernelOp>()) {
    KernelVerdict verdict = [&] {
      Waiting waiting("@" + kernel.getSymName().str(), !options.json);
      return judge(kernel,
                   {.strictness = options.strictness,
                    .searchSteps = options.searchSteps,
                    .proofSeconds = options.proofSeconds,
                    .proveCounts = options.proveCounts,
                    .begins = [&](StringRef phase) { waiting.begins(phase); }});
    }();
    if (triton)
      verdict.sayForTriton();
    for (const Finding &finding : verdict.search.findings)
      session.report(finding);
    if (options.proofSeconds > 0)
      if (auto finding = verdict.notProved(Severity::Warning))
        session.file(*finding);
    good &= verdict.verdict != Verdict::Refused;
    kernels.push_back(verdict.json());
    std::string name = kernel.getSymName().str();
    how.verified[name] = toString(verdict.verdict).str();
    verdicts += "\n@" + name + ": " + how.verified[name];
  }
  session.result["kernels"] = std::move(kernels);
  return good;
}

int titan::checkNoTriton(Session &session, const TritonCommand &command) {
  if (!command.given)
    return Good;
  session.fail(
      Code::BadArgument,
      "--num-warps, --num-ctas, --num-stages, --maxnreg, --fp-fusion and "
      "--launch-check are of Triton's programs, and the file has none",
      "leave them out: a kernel has its own warps, and titan.require");
  return BadInput;
}

int titan::readOptions(Session &session, const TritonCommand &command,
                       TritonToTitanOptions &options) {
  if (command.ctas != 1) {
    session.fail(Code::NotSupportedYet,
                 "--num-ctas " + std::to_string(command.ctas) +
                     ": a program is one CTA in titan IR so far",
                 "leave it out");
    return Findings;
  }
  options.warps = command.warps;
  options.stages = command.stages;
  options.registers = command.registers;
  options.fusion = command.fusion;
  options.launchChecks = command.launchChecks;
  return Good;
}

int titan::convertTriton(Session &session, ModuleOp module,
                         const TritonCommand &command) {
  if (!isTritonModule(module))
    return checkNoTriton(session, command);
  TritonToTitanOptions options;
  if (int code = readOptions(session, command, options))
    return code;
#ifdef TITAN_HAS_CODEGEN
  session.setDefaultCode(Code::InternalError);
  PassManager passes(&session.getContext());
  passes.addPass(createTritonToTitanPass(options));
  if (failed(passes.run(module)))
    return Findings;
  return Good;
#else
  session.fail(Code::NotSupportedYet, "this build has no code generator");
  return Findings;
#endif
}

int titan::runCompile(const CompileCommand &options) {
  // It stays to the end of the process, which is near: taking the context apart
  // takes longer than leaving it.
  static Session &session = *new Session("compile", options.json);
  OwningOpRef<ModuleOp> module = session.parse(options.file);
  if (!module)
    return session.finish(BadInput, "");
  const bool triton = isTritonModule(*module);
  if (int code = convertTriton(session, *module, options.triton))
    return session.finish(code, "");
#ifdef TITAN_HAS_CODEGEN
  // All kernels of the file, or the one that is asked for.
  if (!options.kernel.empty() || module->getOps<KernelOp>().empty()) {
    KernelOp kernel = session.findKernel(*module, options.kernel);
    if (!kernel)
      return session.finish(BadInput, "");
    for (KernelOp other :
         llvm::make_early_inc_range(module->getOps<KernelOp>()))
      if (other != kernel)
        other->erase();
  }
  session.setDefaultCode(Code::CodegenFailed);
  CompileOptions how;
  how.target = options.target;
  // A third of the time for a product without pipelining (tutorial 03); of the
  // committed texts it changes the number of instructions by at most 2 %.
  how.strengthReduction = !triton;
  auto emit = llvm::StringSwitch<std::optional<Emit>>(options.emit)
                  .Case("titan", Emit::Titan)
                  .Case("llvm", Emit::LLVM)
                  .Case("ptx", Emit::PTX)
                  .Case("cubin", Emit::Cubin)
                  .Case("manifest", Emit::Manifest)
                  .Case("package", Emit::Package)
                  .Default(std::nullopt);
  if (!emit) {
    session.fail(Code::BadArgument, "--emit=" + options.emit,
                 options.emit == "sass"
                     ? "write --emit=cubin, and print its instructions by "
                       "cuobjdump -sass or nvdisasm"
                     : "there are titan, llvm, ptx, cubin, manifest and "
                       "package");
    return session.finish(BadInput, "");
  }
  how.emit = *emit;
  std::string log;
  how.assemblerLog = &log;
  // Text goes to stdout, the rest beside the input, with its name.
  bool binary = *emit == Emit::Package || *emit == Emit::Cubin;
  llvm::SmallString<128> output(options.output);
  if (output.empty() && binary && options.file == "-") {
    session.fail(Code::BadArgument,
                 "what comes from standard input has no name to go by",
                 "name the output with -o FILE");
    return session.finish(BadInput, "");
  }
  if (output.empty() && binary) {
    output = options.file;
    llvm::sys::path::replace_extension(
        output, *emit == Emit::Cubin ? "cubin" : "titanpkg");
  } else if (output.empty()) {
    output = "-";
  }
  if (!options.header.empty() && *emit != Emit::Package) {
    session.fail(Code::BadArgument,
                 "--emit-header: --emit=" + options.emit + " makes no package",
                 "leave one of them out");
    return session.finish(BadInput, "");
  }
  if (!options.header.empty() && output == "-") {
    session.fail(Code::BadArgument,
                 "--emit-header: the package has no name for the header to "
                 "open it by",
                 "name the package with -o FILE");
    return session.finish(BadInput, "");
  }
  if (output == "-" && binary && options.json) {
    session.fail(Code::BadArgument,
                 "--json -o -: --emit=" + options.emit + " makes no text",
                 "name a file with -o, or leave out --json");
    return session.finish(BadInput, "");
  }
  if (!session.claimOutput("-o", output))
    return session.finish(BadInput, "");
  // titan and llvm are to look at, not to launch.
  std::string verdicts;
  if (options.check && *emit != Emit::Titan && *emit != Emit::LLVM &&
      !checkKernels(session, *module, triton, options, verdicts, how))
    return session.finish(Findings, "");
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  if (failed(compile(*module, how, stream)))
    return session.finish(Findings, "");
  if (output == "-" && options.json) {
    session.result["text"] = jsonText(bytes);
  } else if (output == "-") {
    llvm::outs() << bytes;
  } else if (auto written =
                 runtime::writeFile(output.str().str(), StringRef(bytes));
             !written) {
    session.fail(written.error());
    return session.finish(BadInput, "");
  }
  if (!options.header.empty()) {
    auto package = runtime::Package::parse(llvm::arrayRefFromStringRef(bytes),
                                           output.str().str());
    if (!package) {
      session.fail(package.error());
      return session.finish(Findings, "");
    }
    if (!writeHeader(session, (*package)->manifest(), output, options.header))
      return session.finish(BadInput, "");
    session.result["header"] = jsonText(options.header);
  }
  session.result["output"] = jsonText(output);
  session.result["assembler"] = jsonText(log);
  return session.finish(0, output == "-"
                               ? std::string()
                               : (output + ": " + Twine(bytes.size()) +
                                  " bytes for " + options.target + verdicts)
                                     .str());
#else
  session.fail(Code::NotSupportedYet, "this build has no code generator");
  return session.finish(Findings, "");
#endif
}
