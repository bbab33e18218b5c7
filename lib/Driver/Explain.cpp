//===- Explain.cpp - titan explain ----------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Commands.h"
#include "OperationReference.h"
#include "TypeReference.h"

#include "titan/Analysis/SearchBounds.h"
#include "titan/Dialect/Titan/CopyAsync.h"
#include "titan/Domain/TmaExplain.h"
#include "titan/Domain/TmaScheduleText.h"
#include "titan/Driver/Pipelines.h"
#include "titan/Runtime/File.h"
#include "titan/Target/NearestWord.h"
#include "titan/Target/ProxyTable.h"
#include "titan/Target/Target.h"
#include "titan/Transforms/Passes.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>

using namespace mlir;
using namespace titan;

static StringRef ref(std::string_view text) {
  return StringRef(text.data(), text.size());
}

//===----------------------------------------------------------------------===//
// titan explain effects FILE
//===----------------------------------------------------------------------===//

namespace {
/// Lists the effects of a kernel, an operation at a time, in the order of the
/// text. Everything printed is a function of the file's contents: tests
/// compare it.
class EffectPrinter {
public:
  EffectPrinter(KernelOp kernel, raw_ostream &os)
      : os(os), state(kernel, namedFlags()) {
    os << "kernel @" << kernel.getSymName() << ": " << kernel.getWarps()
       << " warps";
    if (kernel.getClusterSize() > 1)
      os << ", clusters of " << kernel.getClusterSize() << " CTAs";
    os << '\n';
    region(kernel.getBody(), 1);
  }

  unsigned getNumOperations() const { return operations; }
  unsigned getNumEffects() const { return count; }

private:
  raw_ostream &indent(unsigned depth) { return os.indent(2 * depth); }

  void values(ValueRange range) {
    llvm::interleaveComma(
        range, os, [&](Value value) { value.printAsOperand(os, state); });
  }

  /// The line of the file: "57: ".
  void place(Operation *op) {
    if (auto loc = op->getLoc()->findInstanceOf<FileLineColLoc>())
      os << loc.getLine() << ": ";
  }

  void region(Region &region, unsigned depth) {
    for (Block &block : region)
      for (Operation &op : block)
        operation(&op, depth);
  }

  /// What encloses operations says who executes them, and how often.
  bool header(Operation *op, unsigned depth) {
    if (auto partition = dyn_cast<PartitionOp>(op)) {
      place(op);
      os << "partition " << partition.getName() << ": " << partition.getWarps()
         << (partition.getWarps() == 1 ? " warp" : " warps");
    } else if (auto elect = dyn_cast<ElectOp>(op)) {
      place(op);
      os << "elect: one thread of ";
      if (auto warp = elect.getWarp())
        os << "warp " << *warp;
      else
        os << "each warp";
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      place(op);
      os << "for ";
      loop.getInductionVar().printAsOperand(os, state);
      os << " from ";
      loop.getLowerBound().printAsOperand(os, state);
      os << " to ";
      loop.getUpperBound().printAsOperand(os, state);
      os << " step ";
      loop.getStep().printAsOperand(os, state);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      place(op);
      os << "if ";
      branch.getCondition().printAsOperand(os, state);
    } else {
      return false;
    }
    return true;
  }

  void operation(Operation *op, unsigned depth) {
    auto hardware = dyn_cast<HardwareEffectsInterface>(op);
    if (!hardware && op->getNumRegions() == 0)
      return;
    effect::EffectList effects;
    if (hardware)
      hardware.getHardwareEffects(effects);
    unsigned inner = depth;
    if (op->getNumRegions() == 0) {
      indent(depth);
      place(op);
      if (op->getNumResults()) {
        values(op->getResults());
        os << " = ";
      }
      os << op->getName().getStringRef() << ", "
         << effect::stringify(hardware.getCardinality()) << '\n';
      ++operations;
    } else if (!isa<WarpSpecializeOp>(op)) {
      indent(depth);
      if (!header(op, depth)) {
        place(op);
        os << op->getName().getStringRef();
      }
      os << '\n';
      operations += hardware ? 1 : 0;
      ++inner;
    }
    for (const effect::Effect &each : effects) {
      indent(depth + 2);
      effect::printEffect(each, os, state);
      os << '\n';
      ++count;
    }
    for (auto [i, child] : llvm::enumerate(op->getRegions())) {
      if (i && !child.empty() && isa<scf::IfOp>(op))
        indent(depth) << "else\n";
      region(child, inner);
    }
  }

  raw_ostream &os;
  AsmState state;
  unsigned operations = 0, count = 0;
};
} // namespace

static int explainEffects(const ExplainCommand &options) {
  Session session("explain", options.json);
  if (options.file.empty()) {
    session.fail(Code::BadArgument, "titan explain effects needs a FILE");
    return session.finish(BadInput, "");
  }
  OwningOpRef<ModuleOp> module = session.parse(options.file);
  if (!module)
    return session.finish(BadInput, "");
  // Without --kernel, all of them.
  if (!options.kernel.empty() || module->getOps<KernelOp>().empty())
    if (!session.findKernel(*module, options.kernel))
      return session.finish(BadInput, "");
  if (options.expand) {
    session.setDefaultCode(Code::InternalError);
    PassManager passes(&session.getContext());
    buildExpandPipeline(passes);
    if (failed(passes.run(*module)))
      return session.finish(Findings, "");
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto kernel : module->getOps<KernelOp>()) {
    if (!options.kernel.empty() && kernel.getSymName() != options.kernel)
      continue;
    EffectPrinter printer(kernel, os);
    os << printer.getNumOperations() << " operations, "
       << printer.getNumEffects() << " effects\n";
  }
  return session.finish(Good, StringRef(text).rtrim());
}

//===----------------------------------------------------------------------===//
// titan explain tma FILE
//===----------------------------------------------------------------------===//

/// Lowerings and what they are of.
using Lowerings = std::vector<std::pair<std::string, TmaLowering>>;

/// The schedule that a text is (TmaScheduleText.h); an exit code.
static int readSchedule(Session &session, const ExplainCommand &options,
                        const llvm::MemoryBuffer &text, Lowerings &lowerings) {
  auto problem = [&](const Problem &p, int exit,
                     std::optional<TmaTextPlace> place = std::nullopt) {
    Location loc = UnknownLoc::get(&session.getContext());
    if (place)
      loc =
          FileLineColLoc::get(&session.getContext(), text.getBufferIdentifier(),
                              place->line, place->column);
    session.fail(lookupCode(p.code)->id, p.message, p.fix,
                 place ? &loc : nullptr);
    return exit;
  };
  if (!options.kernel.empty()) {
    session.fail(Code::BadArgument,
                 "--kernel @" + options.kernel + ": " + options.file +
                     " is a schedule, and has no kernels",
                 "leave out --kernel, or name a file of kernels");
    return BadInput;
  }
  const TargetInfo *target =
      options.target.empty() ? &defaultTarget() : lookupTarget(options.target);
  if (!target) {
    session.fail(Code::UnknownTarget,
                 "there is no target '" + options.target + "'");
    return BadInput;
  }
  session.setFile(options.file);
  TmaTextPlaces places;
  auto schedule = parseSchedule(std::string_view(text.getBuffer()), &places);
  if (!schedule)
    return problem(schedule.problem(), BadInput, places.problem);
  auto lowered = lowerSchedule(*schedule, *target);
  if (!lowered)
    return problem(lowered.problem(), Findings, places.find(lowered.problem()));
  lowerings.emplace_back("", std::move(*lowered));
  return Good;
}

/// The copies by schedule of a file of IR, each for its kernel's target.
static int readCopies(Session &session, const ExplainCommand &options,
                      std::unique_ptr<llvm::MemoryBuffer> text,
                      Lowerings &lowerings) {
  if (!options.target.empty()) {
    session.fail(Code::BadArgument,
                 "--target: kernels in a file of IR say theirs (titan.target)",
                 "leave it out");
    return BadInput;
  }
  OwningOpRef<ModuleOp> module = session.parse(options.file, std::move(text));
  if (!module)
    return BadInput;
  if ((!options.kernel.empty() || isTritonModule(*module)) &&
      !session.findKernel(*module, options.kernel))
    return BadInput;
  // Copies into pipes become copies into slots of rings.
  PassManager pm(module->getContext());
  pm.addNestedPass<KernelOp>(createExpandPipes());
  if (failed(pm.run(*module)))
    return BadInput;
  int exit = Good;
  for (auto kernel : module->getOps<KernelOp>()) {
    if (!options.kernel.empty() && kernel.getSymName() != options.kernel)
      continue;
    AsmState state(kernel, namedFlags());
    for (auto &[copy, lowered] : lowerCopies(kernel)) {
      if (!lowered) {
        (void)emitProblem(copy, lowered.problem());
        exit = Findings;
        continue;
      }
      std::string title;
      llvm::raw_string_ostream os(title);
      os << "kernel @" << kernel.getSymName() << ", ";
      if (auto loc = copy->getLoc()->findInstanceOf<FileLineColLoc>())
        os << "line " << loc.getLine() << ": ";
      copy.getSource().printAsOperand(os, state);
      os << " to ";
      copy.getTarget().printAsOperand(os, state);
      if (copy.isLoad())
        os << "; " << lowered->wanted.why;
      lowerings.emplace_back(std::move(title), std::move(lowered->low));
    }
  }
  if (lowerings.empty() && exit == Good) {
    session.fail(Code::BadArgument,
                 options.file + ": there is no titan.copy_async",
                 "titan explain effects FILE says what the operations do that "
                 "are there");
    return BadInput;
  }
  return exit;
}

/// Whether something of a lowering is computed from a size.
static bool mentions(const TmaLowering &low, const std::string &size) {
  auto is = [&](const std::string &name) { return name == size; };
  auto in = [&](const titan::Expr &e) { return e.mentions(is); };
  for (DomainId id = 0; id < low.graph.size(); ++id)
    if (in(low.graph[id].extent))
      return true;
  return llvm::any_of(low.dims, in) || llvm::any_of(low.strides, in) ||
         llvm::any_of(low.checks, [&](const LaunchCheck &check) {
           return in(check.atLeastZero);
         });
}

static int explainTma(const ExplainCommand &options) {
  Session session("explain", options.json);
  auto bad = [&](Code code, const Twine &message) {
    session.fail(code, message.str());
    return session.finish(BadInput, "");
  };
  if (options.file.empty())
    return bad(Code::BadArgument, "titan explain tma needs a FILE");
  titan::Expr::Bindings sizes;
  for (StringRef text : options.sizes) {
    auto [name, number] = text.split('=');
    int64_t value;
    if (name.empty() || number.getAsInteger(10, value) || value < 1)
      return bad(Code::BadArgument,
                 "--size is NAME=N with N in 1 .. " +
                     Twine(std::numeric_limits<int64_t>::max()) + ", not '" +
                     text + "'");
    if (sizes.count(name.str()))
      return bad(Code::BadArgument,
                 "--size: " + name + " is given a second time");
    sizes[name.str()] = value;
  }
  auto input = readText(options.file);
  if (!input) {
    session.setFile(options.file);
    session.fail(input.error());
    return session.finish(BadInput, "");
  }
  // What is no text is no schedule. Where the beginning does not tell, the name does.
  StringRef given = (*input)->getBuffer();
  bool isSchedule = !findTextProblem(given) &&
                    beginsAsSchedule(std::string_view(given))
                        .value_or(!StringRef(options.file).ends_with(".mlir"));
  Lowerings lowerings;
  int exit = isSchedule
                 ? readSchedule(session, options, **input, lowerings)
                 : readCopies(session, options, std::move(*input), lowerings);
  if (exit != Good)
    return session.finish(exit, "");
  for (const auto &[name, value] : sizes)
    if (llvm::none_of(lowerings, [&](const auto &each) {
          return mentions(each.second, name);
        }))
      return bad(Code::BadArgument, "--size: there is no size " + name);
  if (!options.svg.empty()) {
    if (!session.claimOutput("--svg", options.svg))
      return session.finish(BadInput, "");
    std::string picture = lowerings.front().first.empty()
                              ? drawLowering(lowerings.front().second, sizes)
                              : drawLowerings(lowerings, sizes);
    if (options.svg == "-") {
      llvm::outs() << picture;
    } else if (auto written = runtime::writeFile(options.svg, picture);
               !written) {
      session.fail(written.error());
      return session.finish(BadInput, "");
    }
  }
  std::string text;
  for (const auto &[title, low] : lowerings) {
    for (const TmaViolation &broken : low.brokenChecks(sizes))
      session.fail(broken.code,
                   (title.empty() ? "" : title + ": ") +
                       (broken.field.empty() ? "" : broken.field + ": ") +
                       broken.message,
                   broken.fix);
    text += (text.empty() ? "" : "\n") + (title.empty() ? "" : title + "\n") +
            explainLowering(low, sizes);
  }
  return session.finish(Good, StringRef(text).rtrim());
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static std::string listCodes() {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const CodeInfo &info : allCodes())
    os << llvm::left_justify(ref(info.code), 30) << ref(info.title) << '\n';
  return text;
}

static std::string listTargets() {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const TargetInfo &target : allTargets()) {
    os << ref(target.name) << " (" << ref(target.vendor) << " "
       << ref(target.chips) << ")\n";
    for (const LimitInfo &limit : allLimits())
      if (int64_t value = target.*limit.member; value != TargetInfo::absent)
        os << "  " << llvm::left_justify(ref(limit.what), 52) << ' ' << value
           << ' ' << ref(limit.unit) << "  [" << ref(limit.source) << "]\n";
    os << "  features:";
    for (const FeatureInfo &feature : allFeatures())
      if (target.has(feature.feature))
        os << ' ' << ref(feature.name);
    os << '\n';
  }
  return text;
}

/// Names and summaries, a line each.
template <typename... Tables>
static std::string listSummaries(const Tables &...tables) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto list = [&](const auto &table) {
    for (const auto &info : table)
      os << llvm::left_justify(info.name, 40) << info.summary << '\n';
  };
  (list(tables), ...);
  return text;
}

/// The pages of docs/reference, into a folder.
static int writeReference(const ExplainCommand &options) {
  Session session("explain", options.json);
  if (options.file.empty()) {
    session.fail(Code::BadArgument, "titan explain reference needs a FOLDER");
    return session.finish(BadInput, "");
  }
  if (std::error_code error = llvm::sys::fs::create_directories(options.file)) {
    session.fail(Code::FileWrite, options.file + ": " + error.message());
    return session.finish(BadInput, "");
  }
  for (const auto &[name, text] : OperationReference().pages())
    if (auto written = runtime::writeFile(options.file + "/" + name, text);
        !written) {
      session.fail(written.error());
      return session.finish(BadInput, "");
    }
  return session.finish(Good, "");
}

//===----------------------------------------------------------------------===//
// titan explain TOPIC
//===----------------------------------------------------------------------===//

const char *const titan::explainTopics =
    R"(  CODE               a refusal: what is wrong, the rule, the fix
  codes              all codes
  MM-34              a rule of the memory model, and the codes that cite it
  titan.tma.load     an operation, or an attribute that programs carry
  operations         all of them
  '!titan.shared'    a type; '#titan.wgmma': a layout, or another attribute
  types              all of them
  copy FILE          how each titan.copy is done, and why not otherwise
  product FILE       the same of each titan.product
  dsmem              a variant of these, or what one asks for (single_thread)
  effects FILE       what each operation does to memory, barriers and groups
  layout FILE        who holds what; FILE has kernels, or a type or a layout alone
  tma FILE           map, coordinates, launch checks of each copy by schedule; FILE
                     has kernels, or a schedule alone: how it begins tells
  stages FILE        a Triton program after each step: tt, layouts, titan, LLVM, PTX
  targets            their limits and features
  facts              what is known of the hardware, with its sources
  proxies            which fence orders which proxies
  search             how far titan check looks, and what it says there
  reference FOLDER   writes the pages of docs/reference
)";

int titan::runExplain(const ExplainCommand &options) {
  StringRef topic = options.topic;
  if (topic == "effects")
    return explainEffects(options);
  if (topic == "tma")
    return explainTma(options);
  if (topic == "layout")
    return explainLayout(options);
  if (topic == "copy" || topic == "product")
    return explainDispatch(options);
  if (topic == "stages")
    return explainStages(options);
  if (topic == "reference" && options.kernel.empty())
    return writeReference(options);
  Session session("explain", options.json);
  if (!options.file.empty() || !options.kernel.empty()) {
    session.fail(
        Code::BadArgument,
        options.kernel.empty()
            ? "only titan explain copy, product, effects, layout, tma, stages "
              "and reference take a file"
            : "only titan explain copy, product, effects, layout and tma take "
              "a "
              "kernel",
        "leave out what follows '" + topic.str() + "'");
    return session.finish(BadInput, "");
  }
  auto print = [&](std::string text) {
    return session.finish(Good, StringRef(text).rtrim());
  };
  if (topic == "codes")
    return print(listCodes());
  if (topic == "operations")
    return print(listSummaries(allOperations(), allAttributes()));
  if (const OperationInfo *info = lookupOperation(topic))
    return print(OperationReference().explain(*info));
  if (const AttributeInfo *info = lookupAttribute(topic))
    return print(explainAttribute(*info));
  if (topic == "types")
    return print(listSummaries(allTypes()));
  if (const TypeInfo *info = lookupType(topic))
    return print(explainType(*info));
  if (topic == "targets")
    return print(listTargets());
  if (topic == "facts")
    return print(printHardwareFacts());
  if (topic == "proxies")
    return print(printProxyTable());
  if (topic == "search")
    return print(printSearchBounds());
  if (topic.empty()) {
    session.fail(
        Code::BadArgument, "titan explain needs a TOPIC",
        "a code, a rule (MM-34), an operation, a type, copy FILE, ...: titan "
        "explain --help lists the topics");
    return session.finish(BadInput, "");
  }
  StringRef name = topic;
  if (name.consume_front("["))
    name.consume_back("]");
  if (const CodeInfo *info = lookupCode(std::string_view(name)))
    return print(explainCode(*info));
  if (std::string text = explainVariant(name); !text.empty())
    return print(std::move(text));
  if (name.starts_with_insensitive("mm-")) {
    if (std::optional<std::string> text = explainRule(name))
      return print(*text);
    session.fail(Code::UnknownCode,
                 "the memory model has no rule '" + topic + "'",
                 "docs/memory-model.md lists them");
    return session.finish(BadInput, "");
  }
  if (topic.starts_with("!") || topic.starts_with("#")) {
    std::string fix = "titan explain types lists them";
    if (const TypeInfo *near = nearestType(topic))
      fix = "did you mean " + near->name.str() + "? " + fix;
    session.fail(Code::UnknownOperation,
                 "there is no type or attribute '" + topic + "'", fix);
    return session.finish(BadInput, "");
  }
  if (topic.starts_with("titan.")) {
    // What it may have been meant to be: `titan.shared` lacks a sign.
    std::vector<std::string_view> names;
    auto add = [&](const auto &infos) {
      for (const auto &info : infos)
        names.emplace_back(info.name.data(), info.name.size());
    };
    add(allTypes());
    add(allOperations());
    add(allAttributes());
    std::string_view near = nearestWord(std::string_view(topic), names);
    session.fail(Code::UnknownOperation,
                 "there is no operation or attribute '" + topic + "'",
                 near.empty() ? ""
                              : "did you mean " + std::string(near) +
                                    "? titan explain operations lists them");
    return session.finish(BadInput, "");
  }
  if (topic.starts_with("tt.")) {
    session.fail(Code::UnknownOperation,
                 "'" + topic + "' is an operation of Triton's IR, not titan's",
                 "docs/triton.md, Operations, lists these and what each "
                 "becomes; titan explain stages FILE.ttir shows that of a "
                 "program");
    return session.finish(BadInput, "");
  }
  std::string near;
  if (const CodeInfo *info = nearestCode(std::string_view(name)))
    near = info->code;
  // A name without what it begins with: `mma`, `pipe.create`, `wgmma`.
  for (const char *sign : {"#", "!", ""})
    if (std::string whole = (sign + ("titan." + name)).str();
        lookupOperation(whole) || lookupAttribute(whole) || lookupType(whole))
      near = whole;
  std::string fix = "titan explain codes lists them";
  if (!near.empty())
    fix = "did you mean " + near + "? " + fix;
  session.fail(Code::UnknownCode, "there is no code '" + topic + "'", fix);
  return session.finish(BadInput, "");
}
