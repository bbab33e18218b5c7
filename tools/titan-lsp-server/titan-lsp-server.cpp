//===- titan-lsp-server.cpp - titan IR in an editor -----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Relay.h"

#include "titan/Driver/Driver.h"
#include "titan/Driver/Session.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/CrashRecoveryContext.h"

#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using llvm::StringRef;
using namespace titan;

/// MLIR's server.
static int serve(int argc, char **argv) {
  dropCommands();
  mlir::DialectRegistry registry;
  registerAllTitanDialects(registry);
  // The last net: whatever an editor sends ends in a coded error. MLIR's parser
  // recurses (the relay keeps from it what is nested too deep).
  int code = Good;
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext context;
  if (context.RunSafelyOnThread(
          [&] {
            if (failed(mlir::MlirLspServerMain(argc, argv, registry)))
              code = Findings;
          },
          64u << 20))
    return code;
  const CodeInfo &info = codeInfo(Code::InternalError);
  llvm::errs() << "titan-lsp-server: error: the document cannot be read  ["
               << info.code << "]\n  fix: " << info.fix << "\n";
  return BadInput;
}

int main(int argc, char **argv) {
  if (argc == 2 && StringRef(argv[1]) == checkerFlag)
    return runChecker();
  int toServer[2], fromServer[2];
  // With flags (--lit-test, --help) it speaks for itself.
  if (argc > 1 || pipe2(toServer, O_CLOEXEC) || pipe2(fromServer, O_CLOEXEC))
    return serve(argc, argv);
  pid_t server = fork();
  if (server < 0)
    return serve(argc, argv);
  if (server == 0) {
    // Not longer than who relays.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(toServer[0], 0);
    dup2(fromServer[1], 1);
    for (int file : {toServer[0], toServer[1], fromServer[0], fromServer[1]})
      close(file);
    return serve(argc, argv);
  }
  close(toServer[0]);
  close(fromServer[1]);
  signal(SIGPIPE, SIG_IGN);
  relay(toServer[1], fromServer[0]);
  int status = 0;
  waitpid(server, &status, 0);
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : BadInput;
  // A thread still reads what the editor says.
  _exit(code);
}
