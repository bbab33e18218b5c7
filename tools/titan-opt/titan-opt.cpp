//===- titan-opt.cpp - MLIR's opt with the titan dialect and passes -------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PrintAxisInfo.h"
#include "titan/Conversion/TritonToTitan.h"
#include "titan/Driver/Driver.h"
#include "titan/Driver/Plugin.h"
#include "titan/Driver/Session.h"
#include "titan/Transforms/Passes.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/ToolOutputFile.h"

#include <cstdlib>
#include <unistd.h>

using namespace titan;

/// A refusal of this tool's own; the rest are MLIR's.
static int refuse(Code code, const llvm::Twine &message) {
  const CodeInfo &info = codeInfo(code);
  llvm::errs() << "titan-opt: error: " << message << "  [" << info.code
               << "]\n  rule (" << info.source << "): " << info.rule
               << "\n  fix: " << info.fix << "\n";
  return BadInput;
}

/// LLVM's last word, where a stream cannot be written among others.
static void giveUp(void *, const char *reason, bool) {
  refuse(llvm::StringRef(reason).starts_with("IO failure")
             ? Code::FileWrite
             : Code::InternalError,
         reason);
  llvm::sys::RunInterruptHandlers(); // Removes what is half written.
  _exit(BadInput);
}

static llvm::cl::list<std::string>
    plugins("load-plugin",
            llvm::cl::desc("A shared library with more operations (Plugin.h)"),
            llvm::cl::value_desc("FILE"));

int main(int argc, char **argv) {
  llvm::install_fatal_error_handler(giveUp);
  dropCommands();
  mlir::DialectRegistry registry;
  registerAllTitanDialects(registry);
  mlir::registerTransformsPasses();
  registerTitanTransformsPasses();
  registerPrintAxisInfo();
  registerTritonThreadLocalityPass();
  registerTritonToTitanPass();
  auto [inputName, outputName] = mlir::registerAndParseCLIOptions(
      argc, argv, "TITAN modular optimizer driver\n", registry);
  for (const std::string &file : plugins)
    if (llvm::Error error = loadPlugin(file))
      std::_Exit(refuse( // Plugin.h says why.
          Code::BadArgument,
          "--load-plugin: " + llvm::toString(std::move(error))));
  registerPlugins(registry);
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(
        mlir::MlirOptMain(argc, argv, inputName, outputName, registry));

  // As the driver does, before MLIR's parser sees the text.
  auto input = readText(inputName);
  if (!input)
    return refuse(Code::FileNotFound, inputName + ": " + input.error().message);
  if (!(*input)->getBuffer().starts_with("ML\xEFR"))
    if (auto problem = findTextProblem((*input)->getBuffer()))
      return refuse(Code::ParseError, inputName + ": " + problem->message);

  std::error_code error;
  llvm::ToolOutputFile output(outputName, error, llvm::sys::fs::OpenFlags{});
  if (error)
    return refuse(Code::FileWrite, outputName + ": " + error.message());
  bool good = succeeded(
      mlir::MlirOptMain(output.os(), std::move(*input), registry, config));
  output.os().flush();
  if (std::error_code error = output.os().error()) {
    output.os().clear_error();
    return refuse(Code::FileWrite, outputName + ": " + error.message());
  }
  if (!good)
    return Findings;
  output.keep();
  return Good;
}
