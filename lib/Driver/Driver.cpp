//===- Driver.cpp - the command line --------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Driver/Driver.h"
#include "titan/Driver/Plugin.h"
#include "titan/Target/NearestWord.h"

#include "Commands.h"
#include "TritonFlags.h"
#include "Words.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace titan;
namespace cl = llvm::cl;

static const char *overview =
    R"(GPU tile programs in which asynchronous data movement is typed.

  titan run FILE       run a kernel without a GPU, every hazard caught, and
                       compare it with the reference in the same file
  titan check FILE     is it free of races and hangs, whatever the schedule?
  titan compile FILE   a package for titan-launch, or PTX
  titan inspect PKG    what a package holds, and what its launches need
  titan generate WHAT  gemm or attention, from parameters to titan IR
  titan bench WHAT     variants of one, compiled to be measured on a GPU
  titan explain WHAT   a refusal's code, an operation, a type; of a FILE: copy,
                       product, effects, layout, tma, stages

titan COMMAND --help lists the options of a command.
Exit codes: 0 good; 1 the program is refused, or its result is wrong; 2 what was
given cannot be used (flags, files, text that is no titan IR, arguments), an
output cannot be written, or TITAN itself fails.
)";

static void printVersion(llvm::raw_ostream &os) {
  os << "titan " << TITAN_VERSION << " (LLVM " << TITAN_LLVM_VERSION << ")\n";
}

namespace {
struct Subcommand : cl::SubCommand {
  using cl::SubCommand::SubCommand;
  using cl::SubCommand::unregisterSubCommand;
};
Subcommand runSub("run", "simulate a kernel, compare with its reference");
Subcommand checkSub("check", "races, proxies, phases, deadlocks");
Subcommand compileSub("compile", "a package, PTX, LLVM IR");
Subcommand inspectSub("inspect",
                      "a package: kernels, parameters, checks, resources");
Subcommand generateSub("generate", "a kernel from parameters: gemm, attention");
Subcommand benchSub("bench", "variants of a generated kernel, to be measured");
Subcommand explainSub("explain",
                      "a code, a rule, an operation, a type; what a FILE's "
                      "copies, products, effects and layouts are");

Subcommand *const subcommands[] = {&runSub,     &checkSub,    &compileSub,
                                   &inspectSub, &generateSub, &benchSub,
                                   &explainSub};

cl::OptionCategory category("titan options");

cl::opt<std::string> runFile(cl::Positional, cl::desc("FILE"), cl::init(""),
                             cl::sub(runSub), cl::cat(category));
cl::opt<std::string> checkFile(cl::Positional, cl::desc("FILE"), cl::init(""),
                               cl::sub(checkSub), cl::cat(category));
cl::opt<std::string> compileFile(cl::Positional, cl::desc("FILE"), cl::init(""),
                                 cl::sub(compileSub), cl::cat(category));
cl::opt<std::string> inspectFile(cl::Positional, cl::desc("PKG"), cl::init(""),
                                 cl::sub(inspectSub), cl::cat(category));
cl::opt<std::string> topic(cl::Positional, cl::desc("TOPIC"), cl::init(""),
                           cl::sub(explainSub), cl::cat(category));
cl::opt<std::string> explainFile(cl::Positional, cl::desc("[FILE]"),
                                 cl::init(""), cl::sub(explainSub),
                                 cl::cat(category));

// Options of several commands.
cl::opt<std::string> kernel("kernel",
                            cl::desc("The kernel, where the file has several"),
                            cl::value_desc("name"), cl::sub(runSub),
                            cl::sub(checkSub), cl::sub(compileSub),
                            cl::sub(inspectSub), cl::sub(explainSub),
                            cl::cat(category));
cl::list<std::string>
    plugins("load-plugin",
            cl::desc("A shared library with more operations (Plugin.h)"),
            cl::value_desc("FILE"), cl::sub(runSub), cl::sub(checkSub),
            cl::sub(compileSub), cl::sub(explainSub), cl::cat(category));
cl::opt<bool> json("json", cl::desc("Print one JSON object on stdout"),
                   cl::sub(runSub), cl::sub(checkSub), cl::sub(compileSub),
                   cl::sub(inspectSub), cl::sub(generateSub), cl::sub(benchSub),
                   cl::sub(explainSub), cl::cat(category));
cl::opt<std::string>
    strict("strict", cl::ValueOptional, cl::value_desc("on|off"),
           cl::desc("Report what the ISA's letter does not give (MM-4); off: "
                    "experiments"),
           cl::sub(runSub), cl::sub(checkSub), cl::sub(compileSub),
           cl::cat(category));
cl::opt<std::string>
    proof("proof",
          cl::desc("How long the proof of a kernel may take; off: none (titan "
                   "check: 30; titan compile: off, but where the search cannot "
                   "decide)"),
          cl::value_desc("SECONDS|off"), cl::sub(checkSub), cl::sub(compileSub),
          cl::cat(category));

cl::opt<std::string> searchSteps(
    "search-steps",
    cl::desc("How much the search of a kernel may do (titan explain search: "
             "searchSteps); off: all that it comes to"),
    cl::value_desc("N|off"), cl::sub(checkSub), cl::sub(compileSub),
    cl::cat(category));

// titan check.
cl::opt<std::string>
    require("require",
            cl::desc("What exit status 0 takes: a proof for every size, or a "
                     "search that finds nothing (searched)"),
            cl::value_desc("proved|searched"), cl::init("searched"),
            cl::sub(checkSub), cl::cat(category));

cl::opt<bool> insertFencesFlag(
    "insert-fences",
    cl::desc(
        "Print the program with the fences that it lacks (docs/fences.md)"),
    cl::sub(checkSub), cl::cat(category));
cl::opt<bool> fixFlag("fix",
                      cl::desc("Change the file (or -o) where the fix is "
                               "mechanical, and check it again"),
                      cl::sub(checkSub), cl::cat(category));
cl::opt<bool> sarifFlag("sarif",
                        cl::desc("Print the findings as SARIF 2.1.0 on stdout"),
                        cl::sub(checkSub), cl::cat(category));
cl::opt<bool> drawFlag("draw",
                       cl::desc("Draw the order of events of what is found, a "
                                "column for each who takes part"),
                       cl::sub(checkSub), cl::cat(category));
cl::opt<bool> redundantFlag("redundant",
                            cl::desc("Report fences and waits that order "
                                     "nothing (docs/fences.md)"),
                            cl::sub(checkSub), cl::cat(category));

cl::opt<std::string> replayOut(
    "replay-out",
    cl::desc("Of what is refused: write a launch and a schedule that show it"),
    cl::value_desc("FILE"), cl::sub(checkSub), cl::cat(category));

// titan run.
cl::list<std::string> args("arg",
                           cl::desc("An argument: NAME=FILE.npy, random:SEED, "
                                    "ints:SEED, steps:N, fill:N, zeros, "
                                    "poison, or a number for a scalar"),
                           cl::value_desc("NAME=VALUE"), cl::sub(runSub),
                           cl::cat(category));
cl::list<std::string> shapes("shape",
                             cl::desc("A tensor's shape in elements: A=64x128"),
                             cl::value_desc("NAME=MxK"), cl::sub(runSub),
                             cl::cat(category));
cl::list<std::string>
    sizes("size", cl::desc("A size named in the kernel's titan.example: M=129"),
          cl::value_desc("NAME=N"), cl::sub(runSub), cl::cat(category));
cl::list<std::string>
    rowStrides("rowstride",
               cl::desc("Elements from one row of a tensor to the next"),
               cl::value_desc("NAME=N"), cl::sub(runSub), cl::cat(category));
cl::list<std::string> scalars("scalar",
                              cl::desc("A scalar argument: alpha=1.5"),
                              cl::value_desc("NAME=VALUE"), cl::sub(runSub),
                              cl::cat(category));
cl::list<std::string>
    memories("memory",
             cl::desc("Memory that the kernel finds at an address which is a "
                      "number (titan.tensor_at): 0x10000=FILE.npy; --out "
                      "0x10000=FILE.npy writes it after the run"),
             cl::value_desc("ADDRESS=FILE.npy"), cl::sub(runSub),
             cl::cat(category));
cl::list<std::string> outs("out",
                           cl::desc("Write an argument after the run, as .npy"),
                           cl::value_desc("NAME=FILE.npy"), cl::sub(runSub),
                           cl::cat(category));
cl::opt<std::string> schedule(
    "schedule",
    cl::desc("When pending work is done: eager, lazy, random:SEED; skew:SEED: "
             "one warp as far as it goes, then the next (eager)"),
    cl::init("eager"), cl::sub(runSub), cl::cat(category));
cl::opt<std::string>
    replay("replay",
           cl::desc("The launch and the schedule of titan check --replay-out"),
           cl::value_desc("FILE"), cl::sub(runSub), cl::cat(category));
cl::opt<std::string> approx(
    "approx",
    cl::desc("What becomes of results that PTX approximates, within its bounds "
             "(titan explain facts): exact, high, low, random:SEED (exact)"),
    cl::init("exact"), cl::sub(runSub), cl::cat(category));
cl::opt<std::string> hazards(
    "hazards",
    cl::desc("on: by happens-before; off: separate views of memory, where a "
             "bug shows as wrong data, poison or a hang (on)"),
    cl::value_desc("on|off"), cl::init("on"), cl::sub(runSub),
    cl::cat(category));
cl::opt<std::string> grid("grid",
                          cl::desc("Triton: programs of the grid: 64 or 4,2,1"),
                          cl::value_desc("X,Y,Z"), cl::sub(runSub),
                          cl::cat(category));
// Numbers are read here: the library would report a bad one by itself.
cl::opt<std::string> multiprocessors(
    "sms", cl::desc("Multiprocessors of the simulated device (the example's)"),
    cl::value_desc("N"), cl::sub(runSub), cl::cat(category));
cl::opt<std::string>
    maxSteps("max-steps",
             cl::desc("Give up after this many operations of one warp (2^33)"),
             cl::value_desc("N"), cl::sub(runSub), cl::cat(category));
cl::opt<std::string> trace("trace", cl::desc("Write a Chrome trace"),
                           cl::value_desc("FILE"), cl::sub(runSub),
                           cl::cat(category));
cl::opt<bool> noReference("no-reference",
                          cl::desc("Do not compare with the reference"),
                          cl::sub(runSub), cl::cat(category));

TritonFlags triton(runSub, checkSub, compileSub, explainSub, category);

// titan compile.
cl::opt<std::string> target("target",
                            cl::desc("sm_90a, the only one with code so far"),
                            cl::init(std::string(defaultTarget().name)),
                            cl::sub(compileSub), cl::cat(category));
cl::opt<std::string>
    output("o",
           cl::desc("Output file (bench: folder); - is stdout. Without it "
                    "text goes to stdout, a package or cubin beside "
                    "the input"),
           cl::value_desc("FILE"), cl::sub(compileSub), cl::sub(generateSub),
           cl::sub(checkSub), cl::sub(benchSub), cl::cat(category));
cl::opt<std::string>
    checkFirst("check",
               cl::desc("What is refused is not compiled (on); what is "
                        "undecided is a warning"),
               cl::value_desc("on|off"), cl::init("on"), cl::sub(compileSub),
               cl::sub(benchSub), cl::cat(category));
cl::opt<std::string>
    emitKind("emit",
             cl::desc("titan, llvm, ptx, cubin, manifest or package (package)"),
             cl::init("package"), cl::sub(compileSub), cl::cat(category));
cl::opt<std::string>
    emitHeader("emit-header",
               cl::desc("Write a C++ header, too, that launches the package"),
               cl::value_desc("FILE"), cl::sub(compileSub), cl::sub(inspectSub),
               cl::cat(category));

// titan generate. What is not given the model picks (with --shape), or it is
// the default of titan/Kernels/Gemm.h. Options of attention alone say so.
cl::opt<std::string> generated(cl::Positional, cl::desc("gemm|attention"),
                               cl::init(""), cl::sub(generateSub),
                               cl::sub(benchSub), cl::cat(category));
struct GenerateOption : cl::opt<std::string> {
  GenerateOption(llvm::StringRef name, llvm::StringRef value,
                 llvm::StringRef text)
      : cl::opt<std::string>(name, cl::desc(text), cl::value_desc(value),
                             cl::sub(generateSub), cl::sub(benchSub),
                             cl::cat(category)) {}
};
GenerateOption
    shape("shape", "MxNxK",
          "The model picks what is not given, for this shape (bench: what is "
          "measured); attention: batches x queries x keys x heads x heads of "
          "K"),
    tile("tile", "MxNxK",
         "What a CTA computes at a time (128x256x64); attention: rows of "
         "queries x keys of a block (128x176)"),
    stages("stages", "N",
           "Pieces of A and B, of K and V on their way (as many as fit)"),
    buffers("buffers", "N",
            "Buffers that D's tile leaves through (2; 1 where stores are "
            "hidden)"),
    panel("panel", "N",
          "Columns of D that leave at once, at most (128 bytes of a row); with "
          "--swap rows of D, by TMA (elements, one by one)"),
    rowBytes("row-bytes", "16|8|4|2",
             "Bytes that rows of A and B begin at multiples of; below 16 "
             "threads copy and store, where TMA cannot (16)"),
    cluster("cluster", "MxN", "CTAs that share B (2x1) or A (1x2) (1x1)"),
    consumers("consumers", "cooperative|pingpong", "Who multiplies a tile"),
    band("band", "N", "Rows of tiles in a band of the tiles' order (8)"),
    swap("swap", "on|off", "D^T = B * A^T, for small M (off)"),
    split("split", "N", "CTAs of a cluster that share a tile's K (1)"),
    streamK("stream-k", "on|off|auto",
            "Whole tiles in waves, and the steps of K of the rest in even "
            "shares; auto: where the model finds it faster (off)"),
    programmatic("programmatic", "on|off",
                 "Begin while the kernel before it in the stream ends (off; "
                 "attention: decode does)"),
    once("once", "on|off",
         "B leaves the L2 cache first: its boxes are read by one CTA, or by "
         "several at a time (off)"),
    promote(
        "promote", "on|off",
        "Each stage's products are added to the sums in f32, and not by the "
        "tensor cores (off)"),
    batch(
        "batch", "none|equal|grouped",
        "Of A, B and D there are several (equal); or A and D have the rows of "
        "several, which begin where an argument says (grouped) (none)"),
    batches("batches", "N",
            "How many of them, of --shape each, the model reckons with (1)"),
    gate("gate", "on|off",
         "B has twice D's columns; the activation of the first half is "
         "multiplied by the second (off)"),
    input("input", "bf16|f16|e4m3|e5m2",
          "Elements of A and B; attention: bf16 or f16 (bf16)"),
    outputType("output", "bf16|f16|f32", "Elements of D and C (bf16)"),
    layout("layout", "nt|nn|tt|tn",
           "How A and B are stored: A n (MxK) or t (KxM), B t (NxK) or n (KxN) "
           "(nt)"),
    epilogueTerms("epilogue", "alpha,beta,bias",
                  "What is applied to the sums (nothing)"),
    activation("activation", "none|relu|gelu|gelu-tanh|silu",
               "The function at the end (none)"),
    kernelName("name", "NAME", "The kernel's name (gemm, attention)"),
    headSize("head-size", "64|128", "attention: columns of a head (128)"),
    causal("causal", "on|off",
           "attention: a row sees the keys up to its own place (off)"),
    window("window", "on|off",
           "attention: and no more before that than an argument says (off)"),
    lse("lse", "on|off", "attention: the logarithms of the sums go out (off)"),
    ragged("ragged", "on|off",
           "attention: sequences of many lengths, packed along the rows, begin "
           "where cu_seqlens say (off)"),
    decode("decode", "on|off",
           "attention: few queries, all keys dealt out evenly; two kernels "
           "(off)"),
    page("page", "N",
         "attention, decode: K and V are in pages of so many keys, which a "
         "table names (0: contiguous)"),
    turns(
        "turns", "on|off",
        "attention: the warpgroups take turns at the tensor cores (three, and "
        "two at size 128)"),
    rescale(
        "rescale", "always|growing|conditional",
        "attention: the sums are scaled down for each block, where a maximum "
        "grew, or where it grew much (always with turns, else growing)"),
    persistent("persistent", "on|off",
               "attention: a CTA computes tile after tile (off)"),
    ahead("ahead", "on|off",
          "attention, persistent: a tile's first scores are computed beside "
          "the last product of the tile before it (off)"),
    tail("tail", "N",
         "attention: keys of a tile's first block, for those behind the last "
         "whole one (0: as the others)"),
    pack("pack", "on|off",
         "attention: a tile's rows are of several of the heads that share a "
         "head of K (off)"),
    polynomial(
        "exp2", "N",
        "attention: of N groups of eight columns one's powers of two by a "
        "polynomial (0: none)"),
    skip(
        "skip", "on|off",
        "attention, causal: a warpgroup leaves out the blocks of its tile that "
        "only the rows below its own see (of 192 rows of size 64)");

// titan bench.
cl::list<std::string>
    sweeps("sweep",
           cl::desc("An option of titan generate, and the values to try: "
                    "tile=128x256x64,128x192x64; all combinations of several"),
           cl::value_desc("NAME=V,V,..."), cl::sub(benchSub),
           cl::cat(category));
cl::opt<std::string>
    jobs("jobs", cl::desc("Compiled at a time (as many as there are cores)"),
         cl::value_desc("N"), cl::sub(benchSub), cl::cat(category));

// titan explain.
cl::opt<bool> noExpand("no-expand",
                       cl::desc("effects: list pipes as written, unexpanded"),
                       cl::sub(explainSub), cl::cat(category));
cl::list<std::string> explainSizes("size",
                                   cl::desc("tma: a size of the launch: M=129"),
                                   cl::value_desc("NAME=N"),
                                   cl::sub(explainSub), cl::cat(category));
cl::opt<std::string> svg("svg",
                         cl::desc("tma, layout: write the picture, as SVG"),
                         cl::value_desc("OUT"), cl::sub(explainSub),
                         cl::cat(category));
cl::opt<std::string>
    explainTarget("target",
                  cl::desc("tma, of a schedule: sm_90a (the default), sm_100a"),
                  cl::init(""), cl::sub(explainSub), cl::cat(category));
} // namespace

/// One option for each flag of the table of codes: --war=error,
/// --undecided=warning.
using SeverityFlags =
    std::vector<std::pair<std::string, std::unique_ptr<cl::opt<std::string>>>>;

static SeverityFlags makeSeverityFlags() {
  SeverityFlags flags;
  for (const CodeInfo &info : allCodes()) {
    if (info.flag.empty() || llvm::any_of(flags, [&](const auto &flag) {
          return flag.first == info.flag;
        }))
      continue;
    std::string name(info.flag);
    flags.emplace_back(
        name,
        std::make_unique<cl::opt<std::string>>(
            llvm::StringRef(info.flag.data(), info.flag.size()),
            cl::desc(llvm::StringRef(info.title.data(), info.title.size())),
            cl::value_desc("error|warning|note|off"), cl::sub(checkSub),
            cl::sub(runSub), cl::sub(compileSub), cl::cat(category)));
  }
  return flags;
}

/// The command of the command line, and whether it asks for JSON: known even
/// where the rest of it cannot be read.
static std::string commandName;
static bool wantsJson = false;

/// A report of one finding that has no place in any file.
static int refuse(Code code, const llvm::Twine &message, llvm::StringRef fix) {
  Session session(commandName, wantsJson);
  session.fail(code, message, fix);
  return session.finish(BadInput, "");
}

static int usage(const llvm::Twine &message, llvm::StringRef fix = {}) {
  std::string help = commandName.empty()
                         ? "see titan --help"
                         : "see titan " + commandName + " --help";
  return refuse(Code::BadArgument, message,
                fix.empty() ? llvm::StringRef(help) : fix);
}

static int unreadable(llvm::StringRef text) {
  auto [message, fix] = describeUnreadable(text);
  return usage(message, fix);
}

/// A flag of titan explain that is given to a topic which has no use for it; an
/// error message, or nothing.
static std::string findUseless(llvm::StringRef topic) {
  auto of = [&](const cl::Option &flag, llvm::ArrayRef<llvm::StringRef> its) {
    return flag.getNumOccurrences() && !llvm::is_contained(its, topic)
               ? "--" + flag.ArgStr.str() + ": only titan explain " +
                     llvm::join(its, " and ") +
                     (its.size() > 1 ? " take it" : " takes it")
               : std::string();
  };
  for (const std::string &bad :
       {of(noExpand, {"effects"}), of(explainSizes, {"tma"}),
        of(svg, {"tma", "layout"}), of(explainTarget, {"tma"})})
    if (!bad.empty())
      return bad;
  for (const cl::Option *flag : triton.all())
    if (std::string bad = of(*flag, {"stages"}); !bad.empty())
      return bad;
  return {};
}

/// --strict and the flags of severities; an error message if one is wrong.
static std::string readStrictness(Strictness &strictness,
                                  const SeverityFlags &flags) {
  if (strict.getNumOccurrences()) {
    if (strict == "" || strict == "on")
      strictness.level = Strictness::Level::Strict;
    else if (strict == "off")
      strictness.level = Strictness::Level::Off;
    else
      return "--strict is on or off, not '" + strict + "'";
  }
  for (const auto &[name, option] : flags) {
    if (!option->getNumOccurrences())
      continue;
    std::optional<Severity> severity = parseSeverity(option->getValue());
    if (!severity)
      return "--" + name + " is error, warning, note or off, not '" +
             option->getValue() + "'";
    strictness.set(name, *severity);
  }
  return {};
}

/// --search-steps; an error message if it is wrong.
static std::string readSearch(std::optional<uint64_t> &steps) {
  if (!searchSteps.getNumOccurrences())
    return {};
  uint64_t number = std::numeric_limits<int64_t>::max();
  if (searchSteps != "off" &&
      (llvm::StringRef(searchSteps).getAsInteger(10, number) || !number ||
       number > uint64_t(std::numeric_limits<int64_t>::max())))
    return "--search-steps is a number of steps, or off, not '" + searchSteps +
           "'";
  steps = number;
  return {};
}

/// --proof; an error message if it is wrong.
static std::string readProof(double &seconds) {
  if (!proof.getNumOccurrences()) // What the command does by itself.
    return {};
  if (proof == "off") {
    seconds = 0;
    return {};
  }
  if (!llvm::StringRef(proof).getAsDouble(seconds) && seconds > 0 &&
      seconds <= 1e6)
    return {};
  return "--proof is a number of seconds, or off, not '" + proof + "'";
}

/// Runs the tool that takes plug-ins with the words of this one's command
/// line, in its place. Returns where that fails.
static int runPluginHost(const char *name, char **argv) {
  llvm::SmallString<128> path(
      llvm::sys::fs::getMainExecutable(argv[0], nullptr));
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, name);
  // (Its name may lead back here.)
  constexpr const char *mark = "TITAN_PLUGIN_HOST";
  if (std::getenv(mark))
    return usage("--load-plugin: " + path + " takes none itself",
                 std::string("install ") + name + " beside titan");
  setenv(mark, "1", 1);
  execv(path.c_str(), argv);
  return usage("--load-plugin: " + path + ": " + std::strerror(errno),
               std::string("install ") + name + " beside titan");
}

static int runSubcommand(int argc, char **argv, const char *pluginHost) {
  auto flags = makeSeverityFlags();
  cl::SetVersionPrinter(printVersion);
  cl::HideUnrelatedOptions(category);
  for (Subcommand *sub : subcommands)
    cl::HideUnrelatedOptions(category, *sub);

  // A command's help begins with the command, and ends with what flags do not
  // say.
  std::string more;
  if (explainSub.getName() == llvm::StringRef(commandName))
    more = std::string("\nTOPICS:\n\n") + explainTopics;
  if (!commandName.empty())
    more += "\ntitan --help lists the commands and the exit codes.\n";
  cl::extrahelp moreHelp(more);

  std::string problems;
  llvm::raw_string_ostream errors(problems);
  // Messages speak of titan, wherever it lies.
  std::vector<const char *> words(argv, argv + argc);
  words[0] = "titan";
  if (std::string bad = findMisread(commandName, words); !bad.empty())
    return unreadable(bad);
  if (!cl::ParseCommandLineOptions(
          argc, words.data(), commandName.empty() ? overview : "", &errors))
    return unreadable(errors.str());
  if (std::string bad = findCareless(words); !bad.empty())
    return usage(bad);
  if (!plugins.empty() && *pluginHost)
    return runPluginHost(pluginHost, argv);
  for (const std::string &file : plugins)
    if (llvm::Error error = loadPlugin(file)) {
      int code = usage("--load-plugin: " + llvm::toString(std::move(error)),
                       "name a shared library that was built against this "
                       "TITAN (include/titan/Driver/Plugin.h)");
      llvm::outs().flush();
      std::_Exit(code); // Plugin.h says why.
    }

  // What commands share; an error message if it is wrong.
  auto read = [&](auto &command, const cl::opt<std::string> &file) {
    command.file = file;
    command.kernel = kernel;
    command.json = json;
    if constexpr (requires { command.strictness; })
      return readStrictness(command.strictness, flags);
    return std::string();
  };
  auto readFile = [&](auto &command, const cl::opt<std::string> &file) {
    return file.empty() ? "titan " + commandName + " needs a FILE"
                        : read(command, file);
  };
  if (checkSub) {
    CheckCommand command;
    if (std::string bad = readFile(command, checkFile); !bad.empty())
      return usage(bad);
    command.require = require;
    if (require != "proved" && require != "searched")
      return usage("--require is proved or searched, not '" + require + "'");
    if (std::string bad = readProof(command.proofSeconds); !bad.empty())
      return usage(bad);
    if (std::string bad = readSearch(command.searchSteps); !bad.empty())
      return usage(bad);
    if (std::string bad = triton.read(command.triton); !bad.empty())
      return usage(bad);
    if (redundantFlag &&
        (insertFencesFlag || fixFlag || require.getNumOccurrences() > 0))
      return usage("--redundant is a question of its own, beside "
                   "--insert-fences, --fix and --require",
                   "ask one at a time");
    if (fixFlag && insertFencesFlag)
      return usage("--fix puts fences in, too", "leave the other one out");
    if (json && sarifFlag)
      return usage("--json and --sarif are two forms of one report",
                   "give one of them");
    if (output.getNumOccurrences() && !insertFencesFlag && !fixFlag)
      return usage("-o: titan check writes no file but with --insert-fences "
                   "and --fix");
    command.fix = fixFlag;
    command.sarif = sarifFlag;
    command.insertFences = insertFencesFlag;
    command.redundant = redundantFlag;
    command.draw = drawFlag;
    if (drawFlag && (json || sarifFlag || insertFencesFlag || redundantFlag))
      return usage("--draw is for people, and of findings",
                   "leave the other flag out: --json lists the events");
    command.output = output;
    command.replay = replayOut;
    if (!replayOut.empty() && (insertFencesFlag || redundantFlag || fixFlag))
      return usage("--replay-out goes with no flag that changes the file, nor "
                   "with --redundant");
    return runCheck(command);
  }
  if (runSub) {
    RunCommand command;
    if (std::string bad = readFile(command, runFile); !bad.empty())
      return usage(bad);
    if (std::string bad = triton.read(command.triton); !bad.empty())
      return usage(bad);
    command.args = args;
    command.shapes = shapes;
    command.sizes = sizes;
    command.rowStrides = rowStrides;
    command.scalars = scalars;
    command.memories = memories;
    command.outs = outs;
    command.schedule = schedule;
    command.replay = replay;
    if (!replay.empty() &&
        (schedule.getNumOccurrences() || multiprocessors.getNumOccurrences() ||
         !command.args.empty() || !command.shapes.empty() ||
         !command.sizes.empty() || !command.scalars.empty() ||
         !command.rowStrides.empty() || !command.memories.empty() ||
         !command.kernel.empty()))
      return usage("--replay says the kernel, its arguments and the schedule");
    command.approx = approx;
    command.grid = grid;
    command.trace = trace;
    if (hazards != "on" && hazards != "off")
      return usage("--hazards is on or off, not '" + hazards + "'");
    command.hazards = hazards == "on";
    command.reference = !noReference;
    uint64_t sms;
    if (std::string bad = readCount(multiprocessors, 1 << 20, sms);
        !bad.empty())
      return usage(bad);
    command.multiprocessors = sms ? static_cast<int64_t>(sms) : -1;
    if (std::string bad = readCount(maxSteps, UINT64_MAX, command.maxSteps);
        !bad.empty())
      return usage(bad);
    return runRun(command);
  }
  if (compileSub) {
    CompileCommand command;
    command.strictness.set("undecided", Severity::Warning);
    if (std::string bad = readFile(command, compileFile); !bad.empty())
      return usage(bad);
    if (checkFirst != "on" && checkFirst != "off")
      return usage("--check is on or off, not '" + checkFirst + "'");
    if (std::string bad = readProof(command.proofSeconds); !bad.empty())
      return usage(bad);
    if (std::string bad = readSearch(command.searchSteps); !bad.empty())
      return usage(bad);
    if (std::string bad = triton.read(command.triton); !bad.empty())
      return usage(bad);
    command.proveCounts = !proof.getNumOccurrences();
    command.check = checkFirst == "on";
    command.target = target;
    command.output = output;
    command.emit = emitKind;
    command.header = emitHeader;
    return runCompile(command);
  }
  if (inspectSub) {
    InspectCommand command;
    if (std::string bad = readFile(command, inspectFile); !bad.empty())
      return usage(bad, "name a package: titan compile makes them");
    command.header = emitHeader;
    return runInspect(command);
  }
  auto readOptions = [&](GenerateCommand &command) {
    command.what = generated;
    command.output = output;
    command.json = json;
    for (GenerateOption *option :
         {&shape,      &tile,   &stages,        &buffers,    &cluster,
          &consumers,  &band,   &swap,          &split,      &programmatic,
          &promote,    &batch,  &batches,       &gate,       &input,
          &outputType, &layout, &epilogueTerms, &activation, &kernelName,
          &headSize,   &causal, &window,        &lse,        &ragged,
          &decode,     &page,   &turns,         &rescale,    &persistent,
          &streamK,    &ahead,  &skip,          &panel,      &rowBytes,
          &polynomial, &once,   &tail,          &pack})
      if (option->getNumOccurrences())
        command.options.emplace_back(option->ArgStr.str(), option->getValue());
  };
  if (generateSub) {
    GenerateCommand command;
    readOptions(command);
    return runGenerate(command);
  }
  if (benchSub) {
    BenchCommand command;
    readOptions(command);
    command.sweeps = sweeps;
    if (checkFirst != "on" && checkFirst != "off")
      return usage("--check is on or off, not '" + checkFirst + "'");
    command.check = checkFirst == "on";
    uint64_t most;
    if (std::string bad = readCount(jobs, 1024, most); !bad.empty())
      return usage(bad);
    command.jobs = static_cast<unsigned>(most);
    return runBench(command);
  }
  if (explainSub) {
    ExplainCommand command;
    read(command, explainFile);
    if (std::string bad = findUseless(topic); !bad.empty())
      return usage(bad, "leave it out");
    command.topic = topic;
    command.expand = !noExpand;
    command.sizes = explainSizes;
    command.svg = svg;
    command.target = explainTarget;
    if (std::string bad = triton.read(command.triton); !bad.empty())
      return usage(bad);
    return runExplain(command);
  }
  return usage(
      "which command?",
      "there are run, check, compile, inspect, generate, bench and explain");
}

/// What is still to be written goes out before LLVM's streams end, which would
/// end the process in their own words where it cannot.
static void closeOutput() {
  llvm::outs().flush();
  std::error_code error = llvm::outs().error();
  if (!error)
    return;
  llvm::outs().clear_error();
  const CodeInfo &info = codeInfo(Code::FileWrite);
  llvm::errs() << "titan: error: standard output: " << error.message() << "  ["
               << info.code << "]\n  rule (" << info.source
               << "): " << info.rule << "\n  fix: " << info.fix << "\n";
  _exit(BadInput);
}

/// A compilation lives for some ten milliseconds, of which the kernel would take
/// two to hand out pages one by one: one heap, which grows in steps of 64 MiB
/// (of addresses) and of large pages, and does not shrink.
static void prepareHeap() {
  constexpr size_t step = 64u << 20, page = 2u << 20;
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_TOP_PAD, step);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  // More than is left of what the heap has; volatile, or it would be left out.
  auto *begin = static_cast<char *>(sbrk(0));
  void *volatile more = std::malloc(256u << 10);
  std::free(more);
  auto *end = static_cast<char *>(sbrk(0));
  uintptr_t from = llvm::alignTo(reinterpret_cast<uintptr_t>(begin), page);
  if (auto to = reinterpret_cast<uintptr_t>(end); from < to)
    madvise(reinterpret_cast<void *>(from), to - from, MADV_HUGEPAGE);
}

void titan::dropCommands() {
  for (Subcommand *sub : subcommands)
    sub->unregisterSubCommand();
}

int titan::driverMain(int argc, char **argv, const char *pluginHost) {
  llvm::outs();
  std::atexit(closeOutput);
  std::at_quick_exit(closeOutput);
  // cl::opt takes an unknown word for a positional argument; name it instead.
  if (argc < 2) {
    llvm::errs() << overview;
    return BadInput;
  }
  llvm::StringRef command = argv[1];
  if (!command.starts_with("-"))
    commandName = command;
  for (int i = 1; i < argc && llvm::StringRef(argv[i]) != "--"; ++i)
    wantsJson |= llvm::StringRef(argv[i]).ltrim('-') == "json";
  const std::string_view commands[] = {
      "run", "check", "compile", "inspect", "generate", "bench", "explain"};
  if (!command.starts_with("-") &&
      !llvm::is_contained(commands, std::string_view(command))) {
    commandName.clear();
    std::string_view near = nearestWord(std::string_view(command), commands);
    return usage("unknown command '" + command + "'",
                 (near.empty() ? std::string()
                               : "did you mean " + std::string(near) + "? ") +
                     "there are run, check, compile, inspect, generate, bench "
                     "and explain");
  }
  if (command == "compile")
    prepareHeap();

#if defined(__SANITIZE_ADDRESS__) ||                                           \
    (defined(__has_feature) && __has_feature(address_sanitizer))
  return runSubcommand(argc, argv, pluginHost);
#else
  // The last net: whatever the input does to TITAN or to LLVM ends in a coded
  // error. The thread's stack is large, since MLIR's parser and printer
  // recurse.
  int code = BadInput;
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext context;
  context.DumpStackAndCleanupOnFailure = true;
  if (!context.RunSafelyOnThread(
          [&] { code = runSubcommand(argc, argv, pluginHost); }, 64u << 20))
    return refuse(Code::InternalError, "internal error", "");
  return code;
#endif
}
