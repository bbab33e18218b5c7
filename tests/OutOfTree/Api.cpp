//===- Api.cpp - TITAN as a library ---------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `api FILE` parses a kernel of one tensor of 64 floats, checks it, simulates
// it and compiles it to PTX, through the headers that TITAN installs.
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/Checker.h"
#include "titan/Conversion/Compile.h"
#include "titan/Driver/Pipelines.h"
#include "titan/Driver/Session.h"
#include "titan/Simulator/Simulator.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace titan;

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "api FILE\n";
    return BadInput;
  }
  Session session("api", /*json=*/false);
  auto module = session.parse(argv[1]);
  if (!module)
    return BadInput;
  mlir::PassManager passes(&session.getContext());
  buildExpandPipeline(passes);
  KernelOp kernel = session.findKernel(*module, "");
  if (!kernel || failed(passes.run(*module)))
    return BadInput;

  CheckReport checked = check(kernel, {});
  for (const Finding &finding : checked.findings)
    session.report(finding);
  llvm::outs() << (checked.accepted() ? "accepted" : "refused") << "\n";
  if (!checked.accepted())
    return session.finish(Findings, "");

  std::vector<float> data(64, 0.0f);
  SimulatorArgument tensor;
  tensor.data = reinterpret_cast<std::byte *>(data.data());
  tensor.bytes = data.size() * sizeof(float);
  tensor.shape = {64};
  tensor.strides = {1};
  SimulatorReport run = simulate(kernel, tensor, {});
  for (const Finding &finding : run.findings)
    session.report(finding);
  float sum = 0;
  for (float x : data)
    sum += x;
  llvm::outs() << "sum " << sum << "\n";
  if (!run.good())
    return session.finish(Findings, "");

  CompileOptions options;
  options.emit = Emit::PTX;
  if (failed(compile(*module, options, llvm::outs())))
    return session.finish(Findings, "");
  return session.finish(Good, "");
}
