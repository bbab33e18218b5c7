//===- Compile.cpp - titan compile ----------------------------------------===//
#include "Commands.h"

using namespace mlir;
using namespace titan;

int titan::runCompile(const CompileCommand &options) {
  Session session("compile", options.json);
  OwningOpRef<ModuleOp> module = session.parse(options.file);
  if (!module || !session.findKernel(*module, options.kernel))
    return session.finish(BadInput, "");
  session.fail(Code::NotSupportedYet, "this build has no code generator");
  return session.finish(Findings, "");
}
