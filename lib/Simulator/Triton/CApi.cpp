//===- CApi.cpp - Triton programs on the CPU, in C ------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/Diagnosed.h"
#include "titan/Simulator/Triton/Triton.h"
#include "titan/Simulator/Triton/titan-simulator.h"
#include "titan/Target/Target.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace mlir;
using titan::Code, titan::Finding;
namespace tt = titan::tt;

namespace {
/// A text that was read, with the context of its own.
struct SimulatedProgram {
  SimulatedProgram() {
    DialectRegistry registry;
    registry.insert<arith::ArithDialect, cf::ControlFlowDialect,
                    gpu::GPUDialect, LLVM::LLVMDialect, math::MathDialect,
                    scf::SCFDialect, tt::TritonDialect, ub::UBDialect>();
    context.appendDialectRegistry(registry);
    context.disableMultithreading();
    context.printOpOnDiagnostic(false); // Who reads it has Python.
  }
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};
} // namespace

static char *copyOut(llvm::json::Value value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << value;
  return strdup(text.c_str());
}

static llvm::json::Value reportOf(ArrayRef<Finding> findings) {
  llvm::json::Array all;
  for (const Finding &finding : findings)
    all.push_back(toJson(finding));
  return llvm::json::Object{{"findings", std::move(all)}};
}

void *titan_simulator_read(const char *text, size_t size, char **report) {
  auto program = std::make_unique<SimulatedProgram>();
  std::vector<Finding> findings;
  ScopedDiagnosticHandler handler(&program->context, [&](Diagnostic &found) {
    findings.push_back(findingOf(found, Code::ParseError));
    return success();
  });
  program->module = parseSourceString<ModuleOp>(
      StringRef(text, size), ParserConfig(&program->context), "<ttir>");
  if (program->module)
    return program.release();
  *report = copyOut(reportOf(findings));
  return nullptr;
}

void titan_simulator_release(void *program) {
  delete static_cast<SimulatedProgram *>(program);
}

int32_t titan_simulator_takes_turns(void *program) {
  return tt::takesTurns(*static_cast<SimulatedProgram *>(program)->module);
}

int32_t titan_simulator_run(void *opaque, const char *name,
                            const titan_simulator_object *objects,
                            size_t object_count,
                            const titan_simulator_argument *arguments,
                            size_t argument_count,
                            const titan_simulator_options *options,
                            char **report) {
  auto &program = *static_cast<SimulatedProgram *>(opaque);
  auto refuse = [&](Code code, const Twine &message, StringRef fix = "") {
    Finding finding{.code = code,
                    .message = message.str(),
                    .loc = program.module->getLoc(),
                    .fix = fix.str()};
    *report = copyOut(reportOf(finding));
    return 1;
  };
  auto kernel = program.module->lookupSymbol<tt::FuncOp>(name);
  if (!kernel || kernel.isExternal())
    return refuse(Code::NoKernel, Twine("there is no function @") + name);
  if (kernel.getNumArguments() != argument_count)
    return refuse(Code::ArgumentMissing, Twine("@") + name + " has " +
                                             Twine(kernel.getNumArguments()) +
                                             " arguments, not " +
                                             Twine(argument_count));
  std::vector<tt::RunObject> memory;
  for (size_t i = 0; i < object_count; ++i) {
    const titan_simulator_object &from = objects[i];
    tt::RunObject &to = memory.emplace_back();
    to.name = from.name;
    to.origin = from.origin;
    to.data = static_cast<std::byte *>(from.data);
    to.bytes = from.bytes;
    to.hasAddress = from.address;
    if (from.poisoned)
      to.poison = from.seed;
    to.map = from.written;
    to.shared = from.shared;
  }
  std::vector<tt::RunArgument> given;
  for (size_t i = 0; i < argument_count; ++i) {
    const titan_simulator_argument &from = arguments[i];
    Type type = kernel.getArgumentTypes()[i];
    auto descriptor = dyn_cast<tt::TensorDescType>(type);
    bool fits = from.kind == titan_simulator_descriptor
                    ? descriptor && from.object >= 0 &&
                          from.rank == descriptor.getBlock().getRank()
                : from.kind == titan_simulator_pointer
                    ? isa<tt::PointerType>(type)
                    : type.isIntOrFloat();
    if (!fits || from.object >= static_cast<int64_t>(object_count))
      return refuse(Code::ArgumentShape,
                    "argument " + Twine(i) + " of @" + name +
                        " is given something of another kind");
    tt::RunArgument &to = given.emplace_back();
    to.object = from.kind == titan_simulator_scalar ? -1 : from.object;
    to.offset = from.offset;
    to.scalar = from.bits;
    if (descriptor) {
      to.shape.assign(from.shape, from.shape + from.rank);
      to.strides.assign(from.strides, from.strides + from.rank);
      to.nan = from.nan;
    }
  }
  tt::RunOptions run;
  uint64_t programs = 1;
  for (auto [axis, size] : llvm::enumerate(run.grid)) {
    const int64_t from = options->grid[axis];
    const titan::TargetInfo &device = titan::defaultTarget();
    if (from < 0 || from > (axis ? device.maxGridYZ : device.maxGridX))
      return refuse(Code::BadArgument,
                    "a grid of " + Twine(from) + " programs along " +
                        Twine("xyz"[axis]),
                    "along x there are 0 to 2^31 - 1, along y and z to 65535");
    if ((programs *= from) > (1 << 24) - 2)
      return refuse(Code::BadArgument,
                    "the grid has more than 2^24 - 2 programs",
                    "simulate smaller tensors");
    size = from;
  }
  auto turns = tt::parseTurns(options->schedule);
  if (!turns)
    return refuse(Code::BadArgument,
                  Twine("'") + options->schedule + "' is no schedule",
                  "TITAN_SCHEDULE is eager, lazy or random:SEED");
  run.turns = *turns;
  run.threads = options->threads;
  run.warps = options->warps;
  if (options->max_steps)
    run.maxSteps = options->max_steps;
  bool drawn = false;
  if (options->progress)
    run.progress = [&](uint64_t done) {
      drawn = true;
      llvm::errs() << "\r\033[K@" << name << ": " << done << " of " << programs
                   << " programs";
    };
  run.cancel = [options] { return options->cancel && *options->cancel; };
  auto start = std::chrono::steady_clock::now();
  tt::RunReport result;
  if (programs)
    result = tt::simulate(kernel, memory, given, run);
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  if (drawn)
    llvm::errs() << "\r\033[K";
  llvm::json::Value object = reportOf(result.findings);
  llvm::json::Array printed;
  for (const std::string &line : result.printed)
    printed.push_back(llvm::json::fixUTF8(line));
  llvm::json::Object &fields = *object.getAsObject();
  fields["printed"] = std::move(printed);
  fields["programs"] = static_cast<int64_t>(result.programs);
  fields["operations"] = static_cast<int64_t>(result.operations);
  fields["seconds"] = seconds.count();
  *report = copyOut(std::move(object));
  return !result.findings.empty();
}

void titan_simulator_poison(void *data, uint64_t bytes, uint64_t seed) {
  tt::fillPoison(static_cast<std::byte *>(data), bytes, seed);
}

char *titan_simulator_codes(void) {
  llvm::json::Array codes;
  for (const titan::CodeInfo &info : titan::allCodes())
    codes.push_back(std::string(info.code));
  return copyOut(std::move(codes));
}

void titan_simulator_free(char *report) { free(report); }
