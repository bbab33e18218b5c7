//===- Run.cpp - titan run ------------------------------------------------===//
#include "Commands.h"

using namespace mlir;
using namespace titan;

int titan::runRun(const RunCommand &options) {
  Session session("run", options.json);
  OwningOpRef<ModuleOp> module = session.parse(options.file);
  if (!module || !session.findKernel(*module, options.kernel))
    return session.finish(BadInput, "");
  session.fail(Code::NotSupportedYet, "this build has no simulator");
  return session.finish(Findings, "");
}
