//===- Driver.cpp - the command line --------------------------------------===//
#include "titan/Driver/Driver.h"

#include "Commands.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/CrashRecoveryContext.h"

using namespace titan;
namespace cl = llvm::cl;

static const char *overview =
    R"(GPU tile programs in which asynchronous data movement is typed.

  titan run FILE       run a kernel without a GPU, every hazard caught, and
                       compare it with the reference in the same file
  titan check FILE     is it free of races and hangs, whatever the schedule?
  titan compile FILE   a package for titan-launch, or PTX
  titan explain CODE   what a refusal means; effects, tma, targets, codes

titan COMMAND --help lists the options of a command.
Exit codes: 0 good; 1 the program is refused; 2 flags, files or IR that cannot
be used.
)";

static void printVersion(llvm::raw_ostream &os) {
  os << "titan " << TITAN_VERSION << " (LLVM " << TITAN_LLVM_VERSION << ")\n";
}

namespace {
cl::SubCommand runSub("run", "simulate a kernel, compare with its reference");
cl::SubCommand checkSub("check", "races, proxies, phases, deadlocks");
cl::SubCommand compileSub("compile", "a package, PTX, LLVM IR");
cl::SubCommand
    explainSub("explain",
               "CODE | codes | effects FILE | targets | facts | proxies");

cl::OptionCategory category("titan options");

cl::opt<std::string> runFile(cl::Positional, cl::desc("FILE"), cl::init(""),
                             cl::sub(runSub), cl::cat(category));
cl::opt<std::string> checkFile(cl::Positional, cl::desc("FILE"), cl::init(""),
                               cl::sub(checkSub), cl::cat(category));
cl::opt<std::string> compileFile(cl::Positional, cl::desc("FILE"), cl::init(""),
                                 cl::sub(compileSub), cl::cat(category));
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
                            cl::sub(explainSub), cl::cat(category));
cl::opt<bool> json("json", cl::desc("Print one JSON object on stdout"),
                   cl::sub(runSub), cl::sub(checkSub), cl::sub(compileSub),
                   cl::sub(explainSub), cl::cat(category));
cl::opt<std::string>
    strict("strict", cl::ValueOptional, cl::value_desc("on|off"),
           cl::init("normal"),
           cl::desc("Report what the ISA's letter does not give (MM-4); off: "
                    "experiments"),
           cl::sub(runSub), cl::sub(checkSub), cl::cat(category));

// titan run.
cl::list<std::string>
    args("arg",
         cl::desc("An argument: NAME=FILE.npy, random:SEED, ints:SEED, zeros, "
                  "poison, or a number for a scalar"),
         cl::value_desc("NAME=VALUE"), cl::sub(runSub), cl::cat(category));
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
cl::list<std::string> outs("out",
                           cl::desc("Write an argument after the run, as .npy"),
                           cl::value_desc("NAME=FILE.npy"), cl::sub(runSub),
                           cl::cat(category));
cl::opt<std::string> schedule(
    "schedule",
    cl::desc("When pending work is done: eager, lazy, random:SEED (eager)"),
    cl::init("eager"), cl::sub(runSub), cl::cat(category));
cl::opt<std::string> hazards(
    "hazards",
    cl::desc("on: by happens-before; off: separate views of memory, where a "
             "bug shows as wrong data, poison or a hang (on)"),
    cl::value_desc("on|off"), cl::init("on"), cl::sub(runSub),
    cl::cat(category));
cl::opt<int64_t> multiprocessors(
    "sms", cl::desc("Multiprocessors of the simulated device (the example's)"),
    cl::init(-1), cl::sub(runSub), cl::cat(category));
cl::opt<uint64_t>
    maxSteps("max-steps",
             cl::desc("Give up after this many operations of one warp (2^33)"),
             cl::init(0), cl::sub(runSub), cl::cat(category));
cl::opt<std::string> trace("trace", cl::desc("Write a Chrome trace"),
                           cl::value_desc("FILE"), cl::sub(runSub),
                           cl::cat(category));
cl::opt<bool> noReference("no-reference",
                          cl::desc("Do not compare with the reference"),
                          cl::sub(runSub), cl::cat(category));

// titan compile.
cl::opt<std::string> target("target", cl::desc("sm_90a (the default), sm_100a"),
                            cl::init("sm_90a"), cl::sub(compileSub),
                            cl::cat(category));
cl::opt<std::string> output("o", cl::desc("Output file; - is stdout"),
                            cl::value_desc("FILE"), cl::sub(compileSub),
                            cl::cat(category));
cl::opt<std::string>
    emitKind("emit", cl::desc("titan, llvm, ptx, cubin or package (package)"),
             cl::init("package"), cl::sub(compileSub), cl::cat(category));

// titan explain.
cl::opt<bool> noExpand("no-expand",
                       cl::desc("effects: list pipes as written, unexpanded"),
                       cl::sub(explainSub), cl::cat(category));
cl::list<std::string> explainSizes("size",
                                   cl::desc("tma: a size of the launch: M=129"),
                                   cl::value_desc("NAME=N"),
                                   cl::sub(explainSub), cl::cat(category));
cl::opt<std::string> svg("svg", cl::desc("tma: write the picture, as SVG"),
                         cl::value_desc("OUT"), cl::sub(explainSub),
                         cl::cat(category));
cl::opt<std::string>
    explainTarget("target", cl::desc("tma: sm_90a (the default), sm_100a"),
                  cl::init("sm_90a"), cl::sub(explainSub), cl::cat(category));
} // namespace

/// One option for each flag of the table of codes: --war=error,
/// --undecided=warn.
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
            cl::value_desc("error|warn|note|off"), cl::sub(checkSub),
            cl::sub(runSub), cl::cat(category)));
  }
  return flags;
}

static int usage(llvm::StringRef message) {
  const CodeInfo &info = codeInfo(Code::BadArgument);
  llvm::errs() << "titan: error: " << message << "  [" << info.code
               << "]\n  fix: titan --help, titan COMMAND --help\n";
  return BadInput;
}

/// --strict and the flags of severities; an error message if one is wrong.
static std::string readStrictness(Strictness &strictness,
                                  const SeverityFlags &flags) {
  if (strict == "" || strict == "on")
    strictness.level = Strictness::Level::Strict;
  else if (strict == "off")
    strictness.level = Strictness::Level::Off;
  else if (strict != "normal")
    return "--strict is on, off or normal, not '" + strict + "'";
  for (const auto &[name, option] : flags) {
    if (!option->getNumOccurrences())
      continue;
    std::optional<Severity> severity = parseSeverity(option->getValue());
    if (!severity)
      return "--" + name + " is error, warn, note or off, not '" +
             option->getValue() + "'";
    strictness.set(name, *severity);
  }
  return {};
}

static int dispatch(int argc, char **argv) {
  auto flags = makeSeverityFlags();
  cl::SetVersionPrinter(printVersion);
  cl::HideUnrelatedOptions(category);
  for (cl::SubCommand *sub : {&runSub, &checkSub, &compileSub, &explainSub})
    cl::HideUnrelatedOptions(category, *sub);

  std::string problems;
  llvm::raw_string_ostream errors(problems);
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &errors)) {
    llvm::StringRef text = llvm::StringRef(errors.str()).rtrim();
    return usage(text.starts_with("titan: ") ? text.drop_front(7) : text);
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
    return file.empty() ? std::string("titan ") + argv[1] + " needs a FILE"
                        : read(command, file);
  };
  if (checkSub) {
    CheckCommand command;
    if (std::string bad = readFile(command, checkFile); !bad.empty())
      return usage(bad);
    return runCheck(command);
  }
  if (runSub) {
    RunCommand command;
    if (std::string bad = readFile(command, runFile); !bad.empty())
      return usage(bad);
    command.args = args;
    command.shapes = shapes;
    command.sizes = sizes;
    command.rowStrides = rowStrides;
    command.scalars = scalars;
    command.outs = outs;
    command.schedule = schedule;
    command.trace = trace;
    if (hazards != "on" && hazards != "off")
      return usage("--hazards is on or off, not '" + hazards + "'");
    command.hazards = hazards == "on";
    command.reference = !noReference;
    command.multiprocessors = multiprocessors;
    if (multiprocessors.getNumOccurrences() &&
        (multiprocessors < 1 || multiprocessors > 1 << 20))
      return usage("--sms is a number from 1 to 1048576");
    command.maxSteps = maxSteps;
    return runRun(command);
  }
  if (compileSub) {
    CompileCommand command;
    if (std::string bad = readFile(command, compileFile); !bad.empty())
      return usage(bad);
    command.target = target;
    command.output = output;
    command.emit = emitKind;
    return runCompile(command);
  }
  if (explainSub) {
    ExplainCommand command;
    read(command, explainFile);
    command.topic = topic;
    command.expand = !noExpand;
    command.sizes = explainSizes;
    command.svg = svg;
    command.target = explainTarget;
    return runExplain(command);
  }
  return usage("which command? run, check, compile or explain");
}

int titan::driverMain(int argc, char **argv) {
  // cl::opt takes an unknown word for a positional argument; name it instead.
  if (argc < 2) {
    llvm::errs() << overview;
    return BadInput;
  }
  llvm::StringRef command = argv[1];
  if (!command.starts_with("-") &&
      !llvm::is_contained({"run", "check", "compile", "explain"}, command))
    return usage("unknown command '" + command.str() +
                 "'; there are run, check, compile and explain");

#if defined(__SANITIZE_ADDRESS__) ||                                           \
    (defined(__has_feature) && __has_feature(address_sanitizer))
  return dispatch(argc, argv);
#else
  // The last net: whatever the input does to TITAN or to LLVM ends in a coded
  // error. The thread's stack is large, since MLIR's parser and printer
  // recurse.
  int code = BadInput;
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext context;
  context.DumpStackAndCleanupOnFailure = true;
  if (!context.RunSafelyOnThread([&] { code = dispatch(argc, argv); },
                                 64u << 20)) {
    const CodeInfo &info = codeInfo(Code::InternalError);
    llvm::errs() << "titan: error: internal error  [" << info.code
                 << "]\n  fix: " << info.fix << "\n";
    return BadInput;
  }
  return code;
#endif
}
