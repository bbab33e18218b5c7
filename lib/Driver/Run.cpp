//===- Run.cpp - titan run ------------------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Commands.h"
#include "Reference.h"
#include "Replay.h"

#include "titan/Driver/Pipelines.h"
#include "titan/Runtime/Npy.h"
#include "titan/Simulator/Simulator.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace mlir;
using namespace titan;

//===----------------------------------------------------------------------===//
// Comparing with the reference
//===----------------------------------------------------------------------===//

namespace {
/// An output against what it should be.
struct Comparison {
  uint64_t elements = 0, wrong = 0;
  int64_t first = -1, worst = -1;
  /// Absolute, over all elements, from the reference's value as it is before it
  /// is rounded to the element's type.
  double largestError = 0;
  /// Of what is allowed: the bound, or what rounding takes where that is more.
  double largestShare = 0;
};
} // namespace

/// Row-major index to coordinates: "[3, 17]".
static std::string coordinates(const HostArgument &argument, int64_t index) {
  std::vector<int64_t> at(argument.shape.size());
  for (int64_t d = at.size() - 1; d >= 0; --d) {
    at[d] = index % argument.shape[d];
    index /= argument.shape[d];
  }
  std::string text = "[";
  for (auto [d, each] : llvm::enumerate(at))
    text += (d ? ", " : "") + std::to_string(each);
  return text + "]";
}

static Comparison compare(const Expected &expected,
                          const std::vector<uint8_t> &got) {
  const HostArgument &argument = *expected.argument;
  const int64_t size = runtime::sizeInBytes(argument.type);
  Comparison result;
  result.elements = expected.values.size();
  double worstShare = -1;
  for (size_t i = 0; i < expected.values.size(); ++i) {
    const uint8_t *bytes = got.data() + i * size;
    double value = runtime::load(argument.type, bytes);
    double want = expected.values[i];
    uint8_t rounded[8] = {};
    runtime::store(argument.type, want, rounded);
    bool equal = std::memcmp(rounded, bytes, size) == 0;
    double error = std::abs(value - want);
    double allowed = expected.bounds.empty() ? 0 : expected.bounds[i];
    bool measured = std::isfinite(error) && std::isfinite(allowed);
    // Infinities and NaNs agree with nothing but themselves: neither is a
    // number near another one, and a bound that is none allows nothing.
    bool good = equal || (std::isnan(value) && std::isnan(want)) ||
                (!expected.bounds.empty() && measured && error <= allowed);
    if (equal && measured)
      allowed = std::max(allowed, error);
    double share = measured && allowed > 0 ? error / allowed
                   : good ? 0
                          : std::numeric_limits<double>::infinity();
    if (std::isfinite(error))
      result.largestError = std::max(result.largestError, error);
    if (good) {
      result.largestShare = std::max(result.largestShare, share);
      continue;
    }
    if (result.wrong++ == 0)
      result.first = i;
    if (share > worstShare) {
      worstShare = share;
      result.worst = i;
    }
  }
  return result;
}

/// A number in as few digits as asked for.
static std::string digits(double value, int count) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*g", count, value);
  return text;
}

static std::string describe(const Expected &expected,
                            const std::vector<uint8_t> &got, int64_t i) {
  const HostArgument &argument = *expected.argument;
  double value = runtime::load(
      argument.type, got.data() + i * runtime::sizeInBytes(argument.type));
  std::string text = argument.name + coordinates(argument, i) + " is " +
                     digits(value, 9) + ", the reference is " +
                     digits(expected.values[i], 9);
  if (!expected.bounds.empty())
    text += ", allowed error " + digits(expected.bounds[i], 3) +
            (std::isfinite(expected.bounds[i]) ? "" : " (no bound)");
  else
    text += ", and no error is allowed";
  return text;
}

//===----------------------------------------------------------------------===//
// One kernel
//===----------------------------------------------------------------------===//

namespace {
class Runner {
public:
  Runner(Session &session, const RunCommand &options)
      : session(session), options(options) {}

  /// One kernel, from arguments to verdict; an ExitCode.
  int run(ModuleOp module, KernelOp kernel, const SimulatorOptions &simulator);

  std::string verdict;
  llvm::json::Array kernels;

private:
  /// False: a finding.
  bool verify(KernelOp kernel, Reference &reference, HostArguments &arguments,
              llvm::json::Object &object);
  bool checkGuards(KernelOp kernel, HostArguments &arguments);

  Session &session;
  const RunCommand &options;
};
} // namespace

bool Runner::checkGuards(KernelOp kernel, HostArguments &arguments) {
  bool good = true;
  llvm::StringSet<> tailsFree;
  for (auto map : kernel.getLaunch().front().getOps<TensorMapOp>())
    if (auto tensor = dyn_cast<BlockArgument>(map.getTensor());
        tensor && map.getPadded())
      tailsFree.insert(
          cast<StringAttr>(kernel.getArgNames()[tensor.getArgNumber()])
              .getValue());
  for (HostArgument &argument : arguments.arguments)
    if (argument.tensor)
      if (auto at = argument.findOverwrittenGuard(
              tailsFree.contains(argument.name))) {
        Location loc = kernel.getLoc();
        session.fail(Code::GuardOverwritten,
                     "the kernel wrote at byte " + Twine(*at) +
                         " from the first element of " + argument.name +
                         ", where none of its elements lies",
                     {}, &loc);
        good = false;
      }
  return good;
}

namespace {
/// Says now and then that the reference still runs: nothing can end it, and it
/// may never end.
class Watch {
public:
  explicit Watch(std::string name)
      : thread([this, name = std::move(name)] {
          std::unique_lock lock(mutex);
          for (int minutes = 1; !over.wait_for(lock, std::chrono::minutes(1),
                                               [this] { return done; });
               ++minutes)
            llvm::errs() << "titan run: note: the reference of @" << name
                         << " has run for " << minutes
                         << " min; --no-reference leaves it out\n";
        }) {}
  ~Watch() {
    {
      std::lock_guard lock(mutex);
      done = true;
    }
    over.notify_one();
    thread.join();
  }

private:
  std::mutex mutex;
  std::condition_variable over;
  bool done = false;
  std::thread thread;
};
} // namespace

bool Runner::verify(KernelOp kernel, Reference &reference,
                    HostArguments &arguments, llvm::json::Object &object) {
  auto outputs = [&] {
    Watch watch(kernel.getSymName().str());
    return reference.run(session, arguments);
  }();
  if (!outputs)
    return false;
  bool good = true;
  llvm::json::Array compared;
  for (const Expected &expected : *outputs) {
    const HostArgument &argument = *expected.argument;
    std::vector<uint8_t> got = argument.gather();
    Comparison result = compare(expected, got);
    std::string shape;
    for (int64_t size : argument.shape)
      shape += std::to_string(size) + "x";
    shape += std::string(runtime::name(argument.type));
    if (result.wrong) {
      Location loc = kernel.getLoc();
      std::string message =
          llvm::formatv("{0} of {1} elements of {2} are wrong: {3}",
                        result.wrong, result.elements, argument.name,
                        describe(expected, got, result.first));
      if (result.worst != result.first)
        message += "; worst: " + describe(expected, got, result.worst);
      if (options.approx == "exact")
        session.fail(Code::ReferenceMismatch, message, {}, &loc);
      else
        session.fail(Code::ReferenceMismatch,
                     message + "; with --approx=" + options.approx +
                         " approximations of PTX lie elsewhere within their "
                         "bounds",
                     "where the run with --approx=exact is right, allow by "
                     "titan.bound what the instructions' bounds add up to "
                     "(titan explain facts)",
                     &loc);
      good = false;
    } else if (expected.bounds.empty()) {
      verdict += llvm::formatv("\n  {0} ({1}): {2} elements equal to the "
                               "reference, bit for bit",
                               argument.name, shape, result.elements);
    } else {
      verdict += llvm::formatv(
          "\n  {0} ({1}): {2} elements agree with the reference; largest "
          "error {3} from the unrounded one, at most {4}% of what is allowed",
          argument.name, shape, result.elements, digits(result.largestError, 3),
          static_cast<int>(std::ceil(result.largestShare * 100)));
    }
    compared.push_back(
        llvm::json::Object{{"name", jsonText(argument.name)},
                           {"elements", static_cast<int64_t>(result.elements)},
                           {"wrong", static_cast<int64_t>(result.wrong)},
                           {"exact", expected.bounds.empty()},
                           {"largest_error", result.largestError},
                           {"largest_share", result.largestShare}});
  }
  // What is an input alone is left as it was; of memory that addresses lead to no
  // reference says anything.
  for (HostArgument &argument : arguments.arguments) {
    bool output = llvm::any_of(*outputs, [&](const Expected &each) {
      return each.argument == &argument;
    });
    if (!argument.tensor || argument.isMemory || output || argument.holdsMaps ||
        argument.gather() == argument.initial)
      continue;
    Location loc = kernel.getLoc();
    session.fail(Code::ReferenceMismatch,
                 "the kernel changed " + argument.name +
                     ", which its reference does not",
                 "let the reference fill it (an argument titan.expected = \"" +
                     argument.name +
                     "\"), with a titan.bound where its value hangs on the "
                     "schedule, as a work counter's does; or do not write it",
                 &loc);
    good = false;
  }
  object["outputs"] = std::move(compared);
  return good;
}

int Runner::run(ModuleOp module, KernelOp kernel,
                const SimulatorOptions &given) {
  std::string name = kernel.getSymName().str();
  std::unique_ptr<Reference> reference;
  if (options.reference && hasReference(kernel)) {
    reference = Reference::compile(session, module, kernel);
    if (!reference)
      return Findings;
  }
  auto arguments = makeArguments(session, kernel, options);
  if (!arguments)
    return Findings;

  session.setDefaultCode(Code::InternalError);
  PassManager passes(&session.getContext());
  buildRunPipeline(passes);
  if (failed(passes.run(module)))
    return Findings;

  SimulatorOptions simulatorOptions = given;
  simulatorOptions.multiprocessors = arguments->multiprocessors;
  bool bar = !options.json && llvm::sys::Process::StandardErrIsDisplayed();
  auto started = std::chrono::steady_clock::now();
  auto last = started;
  if (bar)
    simulatorOptions.progress = [&](int64_t done, int64_t all) {
      auto now = std::chrono::steady_clock::now();
      if (now - last < std::chrono::milliseconds(100) && done != all)
        return;
      last = now;
      llvm::errs() << "\r\033[K@" << name << ": " << done << " of " << all
                   << " CTAs";
    };
  std::vector<SimulatorArgument> simulated;
  for (HostArgument &argument : arguments->arguments)
    simulated.push_back(argument.forSimulator());

#ifdef TITAN_HAS_SIMULATOR
  SimulatorReport report = simulate(kernel, simulated, simulatorOptions);
#else
  SimulatorReport report;
  report.findings.push_back({.code = Code::NotSupportedYet,
                             .message = "this build has no simulator",
                             .loc = kernel.getLoc()});
#endif
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started)
          .count();
  if (bar)
    llvm::errs() << "\r\033[K";

  bool good = true;
  for (const Finding &finding : report.findings) {
    session.report(finding);
    // A trace that cannot be written refuses nothing.
    good &=
        finding.severity != Severity::Error || finding.code == Code::FileWrite;
  }
  for (const std::string &line : report.state)
    llvm::errs() << "  " << line << "\n";
  if (!options.json)
    for (const std::string &line : report.printed)
      llvm::outs() << line << "\n";

  llvm::json::Object object{
      {"kernel", jsonText(name)},
      {"schedule", jsonText(options.schedule)},
      {"approx", jsonText(options.approx)},
      {"seconds", seconds},
      {"operations", static_cast<int64_t>(report.operations)},
      {"copies", static_cast<int64_t>(report.copies)},
      {"products", static_cast<int64_t>(report.products)},
      {"printed", jsonTexts(report.printed)},
      {"state", jsonTexts(report.state)}};
  size_t before = verdict.size();
  std::string head = (verdict.empty() ? "@" : "\n@") + name + ": ";
  std::string work = llvm::formatv(
      "{0} operations, {1} copies, {2} products; schedule {3}, {4:F2} s",
      report.operations, report.copies, report.products, options.schedule,
      seconds);
  if (options.approx != "exact")
    work += ", approximations " + options.approx;
  bool compared = false;
  if (good) {
    good = checkGuards(kernel, *arguments);
    if (reference) {
      compared = true;
      good &= verify(kernel, *reference, *arguments, object);
    }
  }
  std::string result = !good      ? "refused"
                       : compared ? "verified"
                                  : "ran, not compared with a reference";
  if (!good)
    verdict.resize(before);
  verdict.insert(before, head + result + " (" + work + ")");
  if (!good && StringRef(options.schedule).starts_with("random"))
    verdict += "\n  --schedule " + options.schedule + " replays it";

  // Outputs of a refused run are written, too: they are what one looks at.
  for (const std::string &text : options.outs) {
    auto [argumentName, path] = StringRef(text).split('=');
    HostArgument &argument = *arguments->find(argumentName);
    if (!argument.tensor) {
      session.fail(Code::BadArgument, "--out: " + argumentName + " is a scalar",
                   "name a tensor of the kernel");
      continue;
    }
    auto written = runtime::writeNpy(path.str(), argument.type, argument.shape,
                                     argument.gather());
    if (!written)
      session.fail(written.error());
  }
  object["verdict"] = result;
  kernels.push_back(std::move(object));
  return good ? Good : Findings;
}

//===----------------------------------------------------------------------===//
// titan run
//===----------------------------------------------------------------------===//

std::optional<Schedule> titan::parseRunSchedule(StringRef text) {
  if (text == "eager")
    return Schedule{Schedule::Eager, 0};
  if (text == "lazy")
    return Schedule{Schedule::Lazy, 0};
  Schedule schedule{Schedule::Random, 0};
  if (text.consume_front("random:") && !text.getAsInteger(10, schedule.seed))
    return schedule;
  schedule.kind = Schedule::Skew;
  if (text.consume_front("skew:") && !text.getAsInteger(10, schedule.seed))
    return schedule;
  return std::nullopt;
}

/// exact, high, low, random:SEED.
static std::optional<sim::Approximate> parseApproximate(StringRef text) {
  using sim::Approximate;
  if (text == "exact")
    return Approximate{};
  if (text == "high")
    return Approximate{Approximate::High};
  if (text == "low")
    return Approximate{Approximate::Low};
  Approximate random{Approximate::Random};
  if (text.consume_front("random:") && !text.getAsInteger(10, random.seed))
    return random;
  return std::nullopt;
}

int titan::runRun(const RunCommand &given) {
  Session session("run", given.json);
  RunCommand options = given;
  if (!options.replay.empty()) {
    auto replayed = readReplay(session, options);
    if (!replayed)
      return session.finish(BadInput, "");
    options = *replayed;
  }
  SimulatorOptions simulator;
  auto approximate = parseApproximate(options.approx);
  if (!approximate) {
    session.fail(Code::BadArgument, "--approx: '" + Twine(options.approx) + "'",
                 "--approx is exact, high, low or random:SEED");
    return session.finish(BadInput, "");
  }
  simulator.approximate = *approximate;
  simulator.hazards = options.hazards;
  simulator.strictness = options.strictness;
  simulator.traceFile = options.trace;
  if (options.maxSteps)
    simulator.maxSteps = options.maxSteps;

  OwningOpRef<ModuleOp> module = session.parse(options.file);
  if (!module)
    return session.finish(BadInput, "");

  for (const std::string &text : options.outs)
    if (!session.claimOutput("--out", StringRef(text).split('=').second))
      return session.finish(BadInput, "");
  if (isTritonModule(*module))
    return runTriton(session, *module, options);
  auto schedule = parseRunSchedule(options.schedule);
  if (!schedule) {
    session.fail(options.replay.empty() ? Code::BadArgument
                                        : Code::ReplayInvalid,
                 "'" + Twine(options.schedule) + "' is no schedule",
                 "--schedule is eager, lazy, random:SEED or skew:SEED");
    return session.finish(BadInput, "");
  }
  simulator.schedule = *schedule;
  if (int code = checkNoTriton(session, options.triton))
    return session.finish(code, "");
  if (!options.grid.empty()) {
    session.fail(Code::BadArgument,
                 "--grid is of Triton's programs, and the file has none",
                 "leave it out: a kernel's launch region computes its grid");
    return session.finish(BadInput, "");
  }
  if (!options.trace.empty() && !session.claimOutput("--trace", options.trace))
    return session.finish(BadInput, "");

  // Without --kernel, and without a word on arguments: every example.
  std::vector<std::string> names;
  bool plain = options.kernel.empty() && options.args.empty() &&
               options.shapes.empty() && options.scalars.empty() &&
               options.rowStrides.empty() && options.outs.empty() &&
               options.memories.empty() && options.sizes.empty() &&
               options.trace.empty();
  if (plain)
    for (auto kernel : module->getOps<KernelOp>())
      if (kernel->hasAttr("titan.example"))
        names.push_back(kernel.getSymName().str());
  if (names.empty()) {
    KernelOp kernel = session.findKernel(*module, options.kernel);
    if (!kernel)
      return session.finish(BadInput, "");
    names.push_back(kernel.getSymName().str());
  }

  Runner runner(session, options);
  int code = Good;
  for (const std::string &name : names) {
    OwningOpRef<ModuleOp> copy = module->clone();
    code = std::max(
        code, runner.run(*copy, copy->lookupSymbol<KernelOp>(name), simulator));
  }
  session.result["kernels"] = std::move(runner.kernels);
  return session.finish(code, runner.verdict);
}
