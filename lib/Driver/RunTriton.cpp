//===- RunTriton.cpp - titan run of a Triton program ----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   titan run softmax.ttir --grid 64 --shape in_ptr=64x1000
//     --arg in_ptr=random:1 --shape out_ptr=64x1000 --arg out_ptr=poison
//     --scalar n_cols=1000 --out out_ptr=out.npy
//
// Arguments are named as in the text (%in_ptr). A pointer takes a file or a
// generator and a shape, a scalar a number; a descriptor what a pointer takes, and
// its sizes and strides, which are arguments of their own, follow from the shape. Locations of the text give the
// place in the Python source to what goes wrong.
//
//===----------------------------------------------------------------------===//
#include "Arguments.h"

#include "titan/Runtime/Data.h"
#include "titan/Runtime/Npy.h"
#include "titan/Simulator/Triton/Triton.h"
#include "titan/Target/Target.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"

#include <chrono>

using namespace mlir;
using namespace titan;

namespace {
/// What one argument is given, and the memory it gets.
struct Given {
  std::string name;
  Type type;
  std::optional<runtime::DType> element; ///< Of what a pointer points to.
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;
  bool filled = false, written = true;
  std::optional<uint64_t> scalar;
  /// A size or stride of the descriptor that is argument `descriptor`: its sizes
  /// come first.
  int descriptor = -1;
  unsigned part = 0;
};
} // namespace

/// The name that the text gives an argument; else arg0, arg1, ...
static std::string nameOf(BlockArgument argument) {
  if (auto name = argument.getLoc()->findInstanceOf<NameLoc>())
    return name.getName().str();
  return "arg" + std::to_string(argument.getArgNumber());
}

/// What arrays call the elements of memory that a pointer or descriptor is of.
static std::optional<runtime::DType> elementOf(Type type) {
  auto descriptor = dyn_cast<tt::TensorDescType>(type);
  Type pointee = descriptor ? descriptor.getBlock().getElementType()
                            : cast<tt::PointerType>(type).getPointee();
  if (auto integer = dyn_cast<IntegerType>(pointee)) // ui8 lies as i8 does.
    pointee = IntegerType::get(type.getContext(), integer.getWidth());
  if (pointee.isInteger(1))
    return runtime::DType::I8;
  if (isa<tt::PointerType>(pointee))
    return runtime::DType::I64;
  std::string name;
  llvm::raw_string_ostream os(name);
  pointee.print(os);
  return runtime::parseDType(name);
}

static bool readShape(StringRef text, std::vector<int64_t> &shape) {
  SmallVector<StringRef> parts;
  text.split(parts, 'x');
  int64_t count = 1;
  for (StringRef part : parts) {
    int64_t size;
    if (part.getAsInteger(10, size) || size < 0 || size > int64_t{1} << 32)
      return false;
    shape.push_back(size);
    if ((count *= size) > int64_t{1} << 32)
      return false;
  }
  return true;
}

/// "4", "4,2", "4,2,1".
static bool readGrid(StringRef text, std::array<int64_t, 3> &grid) {
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  if (parts.size() > 3)
    return false;
  const TargetInfo &device = defaultTarget();
  int64_t programs = 1;
  for (auto [i, part] : llvm::enumerate(parts))
    if (part.trim().getAsInteger(10, grid[i]) || grid[i] < 1 ||
        grid[i] > (i ? device.maxGridYZ : device.maxGridX) ||
        (programs *= grid[i]) > (1 << 24) - 2)
      return false;
  return true;
}

/// The kernel: the one public function with a body, or the one of that name.
static tt::FuncOp findTritonKernel(Session &session, ModuleOp module,
                                   const RunCommand &options) {
  StringRef name = options.kernel;
  tt::FuncOp found;
  unsigned count = 0;
  std::string names;
  for (auto function : module.getOps<tt::FuncOp>()) {
    if (function.isExternal())
      continue;
    if (function.isPublic())
      names += (names.empty() ? "" : ", ") + function.getSymName().str();
    if (name.empty() ? !function.isPublic() : function.getSymName() != name)
      continue;
    ++count;
    found = function;
  }
  if (count == 1)
    return found;
  session.fail(Code::NoKernel,
               Twine(options.file) + ": has " + Twine(count) +
                   (name.empty() ? " public functions with a body"
                                 : " functions @" + name.str()),
               names.empty() ? "" : "name one with --kernel: " + names);
  return {};
}

/// Splits NAME=VALUE, and finds the argument; a finding if there is none.
static Given *find(Session &session, std::vector<Given> &all, StringRef flag,
                   StringRef text, StringRef &value) {
  auto [name, rest] = text.split('=');
  value = rest;
  for (Given &given : all)
    if (given.name == name)
      return &given;
  std::string names;
  for (Given &given : all)
    names += (names.empty() ? "" : ", ") + given.name;
  session.fail(Code::ArgumentUnknown,
               "--" + flag + ": the kernel has no argument " + name,
               "it has " + names);
  return nullptr;
}

/// Fills the arguments from the command line; false, and a finding.
static bool fill(Session &session, std::vector<Given> &all,
                 const RunCommand &options) {
  StringRef value;
  for (const std::string &text : options.shapes) {
    Given *given = find(session, all, "shape", text, value);
    if (!given)
      return false;
    given->shape.clear();
    if (!given->element || !readShape(value, given->shape)) {
      session.fail(Code::BadArgument,
                   "--shape " + text + ": no shape of memory",
                   "sizes in elements, of a pointer: NAME=64x128");
      return false;
    }
  }
  /// Each with the flag that gives it.
  std::vector<std::pair<std::string, StringRef>> scalars;
  for (const std::string &text : options.scalars)
    scalars.emplace_back(text, "scalar");
  for (const std::string &text : options.args) {
    Given *given = find(session, all, "arg", text, value);
    if (!given)
      return false;
    if (!given->element) {
      scalars.emplace_back(text, "arg");
      continue;
    }
    given->filled = true;
    auto generator = runtime::parseGenerator(value.str());
    if (!generator) {
      if (!value.ends_with(".npy") && !llvm::sys::fs::exists(value)) {
        session.fail(Code::BadArgument,
                     "--arg " + text + ": '" + value +
                         "' is neither a generator nor an .npy file",
                     "use random:SEED, ints:SEED, steps:N, fill:N, zeros, "
                     "poison or FILE.npy");
        return false;
      }
      auto array = runtime::readNpy(value.str());
      if (!array) {
        session.fail(array.error());
        return false;
      }
      if (auto fits =
              runtime::checkNpyType(*array, *given->element, given->name);
          !fits) {
        session.fail(fits.error());
        return false;
      }
      given->shape = array->shape;
      given->bytes = std::move(array->bytes);
      continue;
    }
    if (given->shape.empty()) {
      session.fail(Code::ArgumentShape, given->name + ": has no shape",
                   "--shape " + given->name + "=1024");
      return false;
    }
    if (!runtime::supports(*generator, *given->element)) {
      session.fail(Code::BadArgument,
                   "--arg " + text + ": no values of that kind for " +
                       std::string(runtime::name(*given->element)));
      return false;
    }
    int64_t count = 1;
    for (int64_t size : given->shape)
      count *= size;
    given->bytes.resize(count * runtime::sizeInBytes(*given->element));
    runtime::generate(*generator, *given->element, 0, count,
                      given->bytes.data());
    given->written = generator->fill != runtime::Fill::Poison;
  }
  for (const auto &[text, flag] : scalars) {
    Given *given = find(session, all, flag, text, value);
    if (!given)
      return false;
    if (given->element) {
      session.fail(Code::BadArgument,
                   "--scalar " + text + ": " + given->name + " is no scalar",
                   "--arg " + given->name + "=random:1");
      return false;
    }
    auto bits = readScalar(given->type, value);
    if (given->scalar || !bits) {
      session.fail(Code::BadArgument,
                   "--" + flag + " " + text + ": " +
                       (given->scalar ? given->name + " is given twice"
                                      : bits.problem().message),
                   given->scalar ? "" : bits.problem().fix);
      return false;
    }
    given->scalar = *bits;
  }
  for (Given &given : all)
    if (given.descriptor >= 0)
      continue;
    else if (given.element ? !given.filled : !given.scalar) {
      session.fail(Code::ArgumentMissing,
                   given.name + (given.shape.empty() ? ": is not given"
                                                     : ": has no data"),
                   given.element ? (given.shape.empty()
                                        ? "--shape " + given.name + "=1024 "
                                        : std::string()) +
                                       "--arg " + given.name + "=random:1"
                                 : "--scalar " + given.name + "=1");
      return false;
    }
  return true;
}

/// Whether the values are what the front end was told of them.
static bool checkHints(Session &session, tt::FuncOp kernel,
                       const std::vector<Given> &all) {
  for (auto [i, given] : llvm::enumerate(all)) {
    auto divides = kernel.getArgAttrOfType<IntegerAttr>(i, "tt.divisibility");
    if (!divides || !given.scalar || *given.scalar % divides.getInt() == 0)
      continue;
    session.fail(Code::BadArgument,
                 given.name + " = " + Twine(*given.scalar) +
                     " is no multiple of " + Twine(divides.getInt()) +
                     ", for which the kernel was specialised",
                 "take a text of the kernel that was made for such values");
    return false;
  }
  return true;
}

/// The strides of a shape in row-major order.
static std::vector<int64_t> stridesOf(ArrayRef<int64_t> shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  return strides;
}

/// Gives sizes and strides of descriptors what follows from their shapes.
static bool fillDescriptors(Session &session, std::vector<Given> &all) {
  for (Given &given : all) {
    if (auto descriptor = dyn_cast<tt::TensorDescType>(given.type)) {
      if (given.shape.size() == descriptor.getBlock().getShape().size())
        continue;
      session.fail(Code::ArgumentShape,
                   given.name + ": is a descriptor of " +
                       Twine(descriptor.getBlock().getRank()) +
                       " dimensions, and is given " + Twine(given.shape.size()),
                   "--shape " + given.name + "=64x128");
      return false;
    }
    if (given.descriptor < 0)
      continue;
    ArrayRef<int64_t> shape = all[given.descriptor].shape;
    given.scalar = given.part < shape.size()
                       ? shape[given.part]
                       : stridesOf(shape)[given.part - shape.size()];
  }
  return true;
}

/// Whether all flags that are given have a meaning here; else a finding.
static bool checkFlags(Session &session, const RunCommand &options) {
  std::string severity;
  if (options.strictness.level != Strictness::Level::Normal)
    severity = "--strict";
  else
    for (const CodeInfo &info : allCodes())
      if (!info.flag.empty() && options.strictness.severityOf(info.id) !=
                                    Strictness().severityOf(info.id))
        severity = "--" + std::string(info.flag);
  const std::pair<bool, std::string> flags[] = {
      {!options.trace.empty(), "--trace"},
      {!options.hazards, "--hazards=off"},
      {options.approx != "exact", "--approx"},
      {!options.rowStrides.empty(), "--rowstride"},
      {!options.sizes.empty(), "--size"},
      {options.multiprocessors >= 0, "--sms"},
      {!severity.empty(), severity},
  };
  for (const auto &[given, flag] : flags) {
    if (!given)
      continue;
    session.fail(Code::NotSupportedYet,
                 Twine(flag) +
                     " is of kernels of titan IR, and this is a program of "
                     "Triton's",
                 "leave it out, or run its kernel (titan compile "
                 "--emit=titan)");
    return false;
  }
  return true;
}

/// The axes along which a kernel, and what it calls, asks for its place or for how
/// many there are: "x, y".
static std::string axesOf(tt::FuncOp kernel) {
  bool asked[3] = {};
  llvm::SetVector<tt::FuncOp> functions;
  functions.insert(kernel);
  for (size_t i = 0; i < functions.size(); ++i)
    tt::FuncOp(functions[i]).walk([&](Operation *op) {
      if (auto id = dyn_cast<tt::GetProgramIdOp>(op))
        asked[static_cast<int>(id.getAxis())] = true;
      else if (auto number = dyn_cast<tt::GetNumProgramsOp>(op))
        asked[static_cast<int>(number.getAxis())] = true;
      else if (auto call = dyn_cast<tt::CallOp>(op))
        if (auto callee = SymbolTable::lookupNearestSymbolFrom<tt::FuncOp>(
                call, call.getCalleeAttr()))
          functions.insert(callee);
    });
  std::string axes;
  for (int axis = 0; axis < 3; ++axis)
    if (asked[axis])
      axes += (axes.empty() ? "" : ", ") + std::string(1, "xyz"[axis]);
  return axes;
}

bool titan::isTritonModule(ModuleOp module) {
  return !module.getOps<tt::FuncOp>().empty();
}

int titan::runTriton(Session &session, ModuleOp module,
                     const RunCommand &options) {
  tt::FuncOp kernel = findTritonKernel(session, module, options);
  if (!kernel)
    return session.finish(BadInput, "");
  std::vector<Given> all;
  int descriptor = -1;
  unsigned parts = 0; // Of that descriptor, which are still to come.
  for (BlockArgument argument : kernel.getArguments()) {
    Given &given = all.emplace_back();
    given.name = nameOf(argument);
    given.type = argument.getType();
    auto block = dyn_cast<tt::TensorDescType>(given.type);
    bool pointer = block || isa<tt::PointerType>(given.type);
    if (pointer)
      given.element = elementOf(given.type);
    if (block) {
      descriptor = static_cast<int>(all.size()) - 1;
      parts = 2 * block.getBlock().getRank();
    } else if (parts) {
      given.descriptor = descriptor;
      given.part = 2 * cast<tt::TensorDescType>(all[descriptor].type)
                           .getBlock()
                           .getRank() -
                   parts--;
    }
    if (pointer ? !given.element : !given.type.isIntOrFloat()) {
      session.fail(Code::NotSupportedYet,
                   "the argument " + given.name +
                       " is not given on the command "
                       "line yet: memory of a type that arrays do not have");
      return session.finish(BadInput, "");
    }
  }
  if (!checkFlags(session, options))
    return session.finish(BadInput, "");
  tt::RunOptions run;
  run.maxSteps = options.maxSteps ? options.maxSteps : run.maxSteps;
  if (!readGrid(options.grid.empty() ? "1" : StringRef(options.grid),
                run.grid)) {
    const TargetInfo &device = defaultTarget();
    session.fail(Code::BadArgument,
                 "--grid " + Twine(options.grid) +
                     ": one to three numbers of programs, along x at most " +
                     Twine(device.maxGridX) + ", along y and z " +
                     Twine(device.maxGridYZ) + ", 2^24 - 2 in all",
                 "--grid 64, --grid 4,2 or --grid 4,2,1");
    return session.finish(BadInput, "");
  }
  // One after another, each from the same memory.
  SmallVector<StringRef> schedules;
  StringRef(options.schedule).split(schedules, ',');
  if (!llvm::all_of(schedules, [](StringRef title) {
        return tt::parseTurns(title).has_value();
      })) {
    session.fail(Code::BadArgument,
                 "--schedule " + Twine(options.schedule) +
                     ": no schedule of programs",
                 "--schedule is eager, lazy or random:SEED, or a list of these "
                 "(eager,lazy); skew:SEED is of the warps of a kernel of titan "
                 "IR");
    return session.finish(BadInput, "");
  }
  if (!options.memories.empty()) {
    session.fail(Code::NotSupportedYet,
                 "--memory is of kernels of titan IR, and this is a program",
                 "run its kernel (titan compile --emit=titan), or the Python "
                 "program under TITAN=simulate");
    return session.finish(BadInput, "");
  }
  if (!fill(session, all, options) || !fillDescriptors(session, all) ||
      !checkHints(session, kernel, all))
    return session.finish(BadInput, "");

  for (const std::string &text : options.outs) {
    StringRef path;
    Given *given = find(session, all, "out", text, path);
    if (!given)
      return session.finish(BadInput, "");
    if (given->element)
      continue;
    session.fail(Code::BadArgument,
                 "--out " + Twine(text) + ": " + given->name +
                     " is a scalar, which no kernel changes",
                 "name an argument that is memory");
    return session.finish(BadInput, "");
  }

  std::vector<tt::RunObject> objects;
  std::vector<tt::RunArgument> arguments;
  for (Given &given : all) {
    tt::RunArgument &argument = arguments.emplace_back();
    argument.scalar = given.scalar.value_or(0);
    if (given.element) {
      given.bytes.reserve(1); // An object of no bytes has a place, too.
      argument.object = objects.size();
      tt::RunObject &object = objects.emplace_back();
      object.name = given.name;
      object.data = reinterpret_cast<std::byte *>(given.bytes.data());
      object.bytes = given.bytes.size();
      object.written = given.written;
      if (isa<tt::TensorDescType>(given.type)) {
        argument.shape = given.shape;
        argument.strides = stridesOf(given.shape);
      }
    }
  }
  const bool bar =
      !options.json && llvm::sys::Process::StandardErrIsDisplayed();
  if (bar)
    run.progress = [&](uint64_t done) {
      llvm::errs() << "\r\033[K@" << kernel.getSymName() << ": " << done
                   << " of " << run.grid[0] * run.grid[1] * run.grid[2]
                   << " programs";
    };
  auto start = std::chrono::steady_clock::now();
  std::vector<std::vector<uint8_t>> before;
  if (schedules.size() > 1)
    for (const Given &given : all)
      before.push_back(given.bytes);
  tt::RunReport report;
  StringRef refusedIn;
  for (auto [i, title] : llvm::enumerate(schedules)) {
    for (auto [given, bytes] : llvm::zip(all, before))
      llvm::copy(bytes, given.bytes.begin()); // Where the objects point to.
    run.turns = *tt::parseTurns(title);
    const uint64_t operations = report.operations;
    report = tt::simulate(kernel, objects, arguments, run);
    report.operations += operations;
    for (const std::string &line : report.printed)
      (options.json ? llvm::errs() : llvm::outs()) << line << "\n";
    if (report.findings.empty())
      continue;
    if (schedules.size() > 1)
      refusedIn = title;
    break;
  }
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  if (bar)
    llvm::errs() << "\r\033[K";
  for (const Finding &finding : report.findings)
    session.report(finding);

  for (const std::string &text : options.outs) {
    StringRef path;
    Given *given = find(session, all, "out", text, path);
    if (auto written = runtime::writeNpy(path.str(), *given->element,
                                         given->shape, given->bytes);
        !written)
      session.fail(written.error());
  }
  session.result["programs"] = static_cast<int64_t>(report.programs);
  session.result["operations"] = static_cast<int64_t>(report.operations);
  std::string verdict;
  llvm::raw_string_ostream os(verdict);
  os << "@" << kernel.getSymName() << ": "
     << (report.findings.empty() ? "ran" : "refused") << " (" << report.programs
     << " programs, " << report.operations << " operations, "
     << llvm::format("%.2f", seconds.count()) << " s)";
  if (!refusedIn.empty())
    os << "\n  --schedule " << refusedIn << " finds it";
  else if (schedules.size() > 1)
    os << ", in each of " << schedules.size() << " schedules";
  if (std::string axes = axesOf(kernel); options.grid.empty() && !axes.empty())
    os << "\n  one program, as --grid is not given; it asks for its place "
          "along "
       << axes;
  return session.finish(report.findings.empty() ? Good : Findings, verdict);
}
