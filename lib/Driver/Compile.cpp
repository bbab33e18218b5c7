//===- Compile.cpp - titan compile ----------------------------------------===//
#include "Commands.h"

#ifdef TITAN_HAS_CODEGEN
#include "titan/Conversion/Compile.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#endif

using namespace mlir;
using namespace titan;

int titan::runCompile(const CompileCommand &options) {
  Session session("compile", options.json);
  OwningOpRef<ModuleOp> module = session.parse(options.file);
  if (!module)
    return session.finish(BadInput, "");
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
  auto emit = llvm::StringSwitch<std::optional<Emit>>(options.emit)
                  .Case("titan", Emit::Titan)
                  .Case("llvm", Emit::LLVM)
                  .Case("ptx", Emit::PTX)
                  .Case("cubin", Emit::Cubin)
                  .Case("package", Emit::Package)
                  .Default(std::nullopt);
  if (!emit) {
    session.fail(Code::BadArgument, "--emit=" + options.emit +
                                        ": there are titan, llvm, ptx, cubin "
                                        "and package");
    return session.finish(BadInput, "");
  }
  how.emit = *emit;
  std::string log;
  how.assemblerLog = &log;
  std::string output = options.output;
  if (output.empty()) {
    bool binary = *emit == Emit::Package || *emit == Emit::Cubin;
    output = !binary ? "-"
                     : (llvm::StringRef(options.file).rsplit('.').first +
                        (*emit == Emit::Cubin ? ".cubin" : ".titanpkg"))
                           .str();
  }
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  if (failed(compile(*module, how, stream)))
    return session.finish(Findings, "");
  if (output == "-" && options.json) {
    session.result["text"] = llvm::json::fixUTF8(bytes);
  } else if (llvm::Error error = llvm::writeToOutput(
                 output, [&](llvm::raw_ostream &file) -> llvm::Error {
                   file << bytes;
                   return llvm::Error::success();
                 })) {
    // Written beside the file and renamed: nobody sees half of it.
    session.fail(Code::FileWrite,
                 output + ": " + llvm::toString(std::move(error)));
    return session.finish(BadInput, "");
  }
  session.result["output"] = output;
  session.result["assembler"] = log;
  return session.finish(0, output == "-"
                               ? std::string()
                               : output + ": " + std::to_string(bytes.size()) +
                                     " bytes for " + options.target);
#else
  session.fail(Code::NotSupportedYet, "this build has no code generator");
  return session.finish(Findings, "");
#endif
}
