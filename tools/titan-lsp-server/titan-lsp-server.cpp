//===- titan-lsp-server.cpp - titan IR in an editor -----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Driver/Session.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/CrashRecoveryContext.h"

using namespace titan;

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registerAllTitanDialects(registry);
  // What an editor sends goes to MLIR's parser as it is, and the parser
  // recurses: the stack has room for a hundred thousand brackets within each
  // other (it is memory only where it is used), and what is deeper still ends
  // in a coded error.
  int code = Good;
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext context;
  if (context.RunSafelyOnThread(
          [&] {
            if (failed(mlir::MlirLspServerMain(argc, argv, registry)))
              code = Findings;
          },
          1u << 30))
    return code;
  const CodeInfo &info = codeInfo(Code::InternalError);
  llvm::errs() << "titan-lsp-server: error: the document cannot be read  ["
               << info.code << "]\n  fix: " << info.fix << "\n";
  return BadInput;
}
