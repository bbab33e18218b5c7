//===- Replay.cpp - a run that shows a finding ----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Replay.h"
#include "Arguments.h"

#include "titan/Analysis/TriedLaunches.h"
#include "titan/Dialect/Titan/InitialValues.h"
#include "titan/Driver/Pipelines.h"
#include "titan/Driver/Session.h"
#include "titan/Runtime/File.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <chrono>

using namespace mlir;
using namespace titan;

/// From the plainest to the strangest.
static constexpr const char *schedules[] = {
    "eager",    "lazy",     "random:1", "skew:0",   "skew:3",
    "random:2", "random:3", "skew:6",   "random:4", "random:5",
    "skew:1",   "skew:2",   "random:6", "random:7"};
/// A search for a run ends.
static constexpr double mostSeconds = 30;
/// Small ones, and ones whose loops run long.
static constexpr size_t mostLaunches = 12;
/// Of one warp: what is stuck, or spins, is given up.
static constexpr uint64_t mostSteps = 1 << 22;

/// The flags of a launch; none: data of some argument cannot be made.
static std::optional<RunCommand> flagsOf(KernelOp kernel,
                                         const TriedLaunch &launch) {
  RunCommand run;
  run.kernel = kernel.getSymName().str();
  run.multiprocessors = launch.multiprocessors;
  for (auto [i, argument] : llvm::enumerate(launch.arguments)) {
    std::string name =
        cast<StringAttr>(kernel.getArgNames()[i]).getValue().str();
    Type type = kernel.getLaunch().getArgument(i).getType();
    auto tensor = dyn_cast<GlobalType>(type);
    if (!tensor) {
      run.scalars.push_back(name + "=" +
                            std::to_string(argument.scalar.value_or(1)));
      continue;
    }
    auto element = getDType(tensor.getElementType());
    if (!element)
      return std::nullopt;
    std::string shape;
    for (int64_t size : argument.shape)
      shape += (shape.empty() ? "" : "x") + std::to_string(size);
    run.shapes.push_back(name + "=" + shape);
    // Integers are flags and counters, which begin at 0 where nothing is said.
    run.args.push_back(
        name + "=" +
        (runtime::isFloat(*element)
             ? "ints:" + std::to_string(i + 1)
             : "fill:" +
                   std::to_string(getInitialValue(kernel, i).value_or(0))));
  }
  return run;
}

static int64_t lineOf(Location loc) {
  auto at = loc->findInstanceOf<FileLineColLoc>();
  return at ? at.getLine() : 0;
}

/// The first error of a run; none: it goes well, or cannot be made.
static std::optional<Finding>
firstError(Session &session, KernelOp written, KernelOp expanded,
           const RunCommand &run,
           llvm::function_ref<bool(const Finding &)> same) {
#ifdef TITAN_HAS_SIMULATOR
  auto arguments = makeArguments(session, written, run);
  auto schedule = parseRunSchedule(run.schedule);
  if (!arguments || !schedule)
    return std::nullopt;
  SimulatorOptions how;
  how.schedule = *schedule;
  how.multiprocessors = arguments->multiprocessors;
  how.maxSteps = mostSteps;
  std::vector<SimulatorArgument> simulated;
  for (HostArgument &argument : arguments->arguments)
    simulated.push_back(argument.forSimulator());
  SimulatorReport report = simulate(expanded, simulated, how);
  // These sizes the launch itself refuses: that shows nothing of the program, unless
  // the first operation is what is to be shown.
  if (!report.operations && llvm::none_of(report.findings, same))
    return std::nullopt;
  // Nor does data that breaks what the kernel assumes of it.
  for (const Finding &finding : report.findings)
    if (finding.code == Code::AssumeFailed)
      return std::nullopt;
  for (Finding &finding : report.findings)
    if (finding.severity == Severity::Error &&
        finding.code != Code::NotSupportedYet)
      return std::move(finding);
#endif
  return std::nullopt;
}

std::optional<llvm::json::Object> titan::findReplay(StringRef text,
                                                    StringRef kernelName,
                                                    Code code, int64_t line) {
  auto start = std::chrono::steady_clock::now();
  Session session("run", /*json=*/true);
  session.setQuiet();
  OwningOpRef<ModuleOp> module =
      session.parse("-", llvm::MemoryBuffer::getMemBufferCopy(text, "replay"));
  if (!module)
    return std::nullopt;
  OwningOpRef<ModuleOp> expanded = module->clone(), checked = module->clone();
  PassManager toRun(&session.getContext()), toCheck(&session.getContext());
  buildRunPipeline(toRun);
  buildCheckPipeline(toCheck);
  if (failed(toRun.run(*expanded)) || failed(toCheck.run(*checked)))
    return std::nullopt;
  auto kernel = module->lookupSymbol<KernelOp>(kernelName);
  std::vector<RunCommand> launches;
  if (kernel->hasAttr("titan.example")) {
    RunCommand example;
    example.kernel = kernelName.str();
    launches.push_back(example);
  }
  auto add = [&](const std::vector<TriedLaunch> &list) {
    const size_t most = launches.size() + mostLaunches;
    for (const TriedLaunch &launch : list)
      if (auto flags = flagsOf(kernel, launch); flags && launches.size() < most)
        launches.push_back(*flags);
  };
  auto search = checked->lookupSymbol<KernelOp>(kernelName);
  add(triedLaunches(search));
  add(longLaunches(search));

  std::optional<llvm::json::Object> other;
  for (const char *schedule : schedules)
    for (RunCommand &run : launches) {
      std::chrono::duration<double> took =
          std::chrono::steady_clock::now() - start;
      if (took.count() > mostSeconds)
        return other;
      run.schedule = schedule;
      auto isSame = [&](const Finding &finding) {
        return finding.code == code && lineOf(finding.loc) == line;
      };
      auto error =
          firstError(session, kernel,
                     expanded->lookupSymbol<KernelOp>(kernelName), run, isSame);
      if (!error)
        continue;
      const bool same = isSame(*error);
      if (other && !same)
        continue;
      llvm::json::Object found{
          {"kernel", run.kernel},
          {"schedule", run.schedule},
          {"shows",
           jsonText(llvm::formatv("line {0}: [{1}] {2}", lineOf(error->loc),
                                  StringRef(codeInfo(error->code).code),
                                  error->message)
                        .str())}};
      if (run.multiprocessors >= 0)
        found["sms"] = run.multiprocessors;
      for (auto [name, list] :
           {std::pair("shape", &run.shapes), std::pair("arg", &run.args),
            std::pair("scalar", &run.scalars)})
        if (!list->empty())
          found[name] = jsonTexts(*list);
      if (same)
        return found;
      other = std::move(found);
    }
  return other;
}

std::optional<RunCommand> titan::readReplay(Session &session,
                                            RunCommand options) {
  auto refuse = [&](const Twine &why) {
    session.fail(Code::ReplayInvalid, options.replay + ": " + why,
                 "give a file that titan check --replay-out has written");
    return std::nullopt;
  };
  auto text = readText(options.replay);
  if (!text) {
    session.fail(text.error());
    return std::nullopt;
  }
  auto value = parseJson((*text)->getBuffer());
  if (!value)
    return refuse(llvm::toString(value.takeError()));
  const llvm::json::Object *replay = value->getAsObject();
  auto kernel = replay ? replay->getString("kernel") : std::nullopt;
  auto schedule = replay ? replay->getString("schedule") : std::nullopt;
  if (!kernel || !schedule)
    return refuse("this names no kernel and schedule");
  options.kernel = kernel->str();
  options.schedule = schedule->str();
  if (auto sms = replay->getInteger("sms"))
    options.multiprocessors = *sms;
  for (auto [name, list] :
       {std::pair("shape", &options.shapes), std::pair("arg", &options.args),
        std::pair("scalar", &options.scalars)}) {
    const llvm::json::Value *given = replay->get(name);
    if (!given)
      continue;
    if (!given->getAsArray())
      return refuse("'" + Twine(name) + "' is no list");
    for (const llvm::json::Value &each : *given->getAsArray()) {
      if (!each.getAsString())
        return refuse("'" + Twine(name) + "' is no list of NAME=VALUE");
      list->push_back(each.getAsString()->str());
    }
  }
  return options;
}
