//===- KernelOps.cpp - kernels, partitions, elect -------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OpHelpers.h"
#include "titan/Dialect/Titan/ArgumentAlignment.h"
#include "titan/Dialect/Titan/Contents.h"
#include "titan/Dialect/Titan/Example.h"
#include "titan/Dialect/Titan/InitialValues.h"
#include "titan/Target/Codes.h"
#include "titan/Target/LoopCounter.h"
#include "titan/Target/NearestWord.h"
#include "titan/Target/Target.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace titan;
using namespace titan::effect;

//===----------------------------------------------------------------------===//
// Kernel: syntax
//===----------------------------------------------------------------------===//

/// `(%name: type, ...)`; the names are kept, for the command line and messages.
static ParseResult
parseArguments(OpAsmParser &parser,
               SmallVectorImpl<OpAsmParser::Argument> &arguments,
               SmallVectorImpl<Attribute> &names) {
  size_t first = arguments.size();
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren,
                               /*allowType=*/true))
    return failure();
  for (auto &argument : llvm::drop_begin(arguments, first))
    names.push_back(
        parser.getBuilder().getStringAttr(argument.ssaName.name.drop_front()));
  return success();
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &b = parser.getBuilder();
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Attribute> argNames, launchNames, argTypes;
  int64_t warps = 0;
  if (parser.parseSymbolName(name, "sym_name", result.attributes) ||
      parseArguments(parser, arguments, argNames))
    return failure();
  for (auto &argument : arguments)
    argTypes.push_back(TypeAttr::get(argument.type));
  if (parser.parseKeyword("warps") || parser.parseLParen() ||
      parser.parseInteger(warps) || parser.parseRParen())
    return failure();
  result.addAttribute("warps", b.getI64IntegerAttr(warps));
  if (succeeded(parser.parseOptionalKeyword("registers"))) {
    int64_t registers = 0;
    if (parser.parseLParen() || parser.parseInteger(registers) ||
        parser.parseRParen())
      return failure();
    result.addAttribute("registers", b.getI64IntegerAttr(registers));
  }
  if (succeeded(parser.parseOptionalKeyword("cluster"))) {
    SmallVector<int64_t> cluster;
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
          return parser.parseInteger(cluster.emplace_back());
        }))
      return failure();
    result.addAttribute("cluster", b.getDenseI64ArrayAttr(cluster));
  }
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  Region *launch = result.addRegion(), *body = result.addRegion();
  if (parser.parseKeyword("launch") || parser.parseRegion(*launch, arguments) ||
      parser.parseKeyword("body"))
    return failure();
  SmallVector<OpAsmParser::Argument> all(arguments);
  if (parseArguments(parser, all, launchNames))
    return failure();
  for (auto &value : llvm::drop_begin(all, arguments.size()))
    if (llvm::is_contained(argNames,
                           b.getStringAttr(value.ssaName.name.drop_front())))
      return parser.emitError(value.ssaName.location)
             << value.ssaName.name
             << " is an argument of the kernel, which the body sees as it is: "
                "its own list names the values of titan.launch alone";
  if (parser.parseRegion(*body, all))
    return failure();
  result.addAttribute("arg_types", b.getArrayAttr(argTypes));
  result.addAttribute("arg_names", b.getArrayAttr(argNames));
  result.addAttribute("launch_names", b.getArrayAttr(launchNames));
  return success();
}

void KernelOp::print(OpAsmPrinter &printer) {
  auto printArguments = [&](Block::BlockArgListType arguments) {
    printer << '(';
    llvm::interleaveComma(arguments, printer, [&](BlockArgument argument) {
      printer.printRegionArgument(argument);
    });
    printer << ')';
  };
  printer << ' ';
  printer.printSymbolName(getSymName());
  printArguments(getLaunch().getArguments());
  printer << " warps(" << getWarps() << ')';
  if (auto registers = getRegisters())
    printer << " registers(" << *registers << ')';
  if (auto cluster = getCluster()) {
    printer << " cluster(";
    llvm::interleaveComma(*cluster, printer);
    printer << ')';
  }
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {"sym_name", "arg_types", "arg_names",
                            "launch_names", "warps", "registers", "cluster"});
  printer << " launch ";
  printer.printRegion(getLaunch(), /*printEntryBlockArgs=*/false);
  printer << " body";
  printArguments(getLaunchArguments());
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

void KernelOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  SmallVector<Attribute> names(getArgNames().begin(), getArgNames().end());
  if (&region == &getBody())
    names.append(getLaunchNames().begin(), getLaunchNames().end());
  for (auto [argument, name] : llvm::zip(region.getArguments(), names))
    setName(argument, cast<StringAttr>(name).getValue());
}

//===----------------------------------------------------------------------===//
// Kernel: rules
//===----------------------------------------------------------------------===//

const TargetInfo &titan::targetOf(Operation *op,
                                  std::optional<Feature> feature) {
  for (; op; op = op->getParentOp())
    if (auto name = op->getAttrOfType<StringAttr>("titan.target"))
      if (const TargetInfo *target =
              lookupTarget(std::string_view(name.getValue())))
        if (!feature || target->has(*feature))
          return *target;
  return feature ? targetWith(*feature) : defaultTarget();
}

/// A package carries the name.
static LogicalResult verifyName(KernelOp kernel) {
  constexpr size_t most = 1024; // docs/package.md
  StringRef name = kernel.getSymName();
  bool printable =
      llvm::all_of(name, [](char c) { return c > ' ' && c < 127; });
  if (printable && !name.empty() && name.size() <= most)
    return success();
  std::string shown;
  llvm::raw_string_ostream os(shown);
  llvm::printEscapedString(name.take_front(64), os);
  return withFix(kernel.emitOpError("[invalid-op] \"")
                     << shown << (name.size() > 64 ? "..." : "")
                     << "\" is no name of a kernel: one is 1 to " << most
                     << " printable ASCII characters without spaces",
                 "use letters, digits and _");
}

LogicalResult KernelOp::verify() {
  if (failed(verifyName(*this)))
    return failure();
  const TargetInfo &device = targetOf(*this);
  int64_t mostWarps = device.maxThreadsPerCta / device.warpWidth;
  if (auto warps = static_cast<int64_t>(getWarps());
      warps < 1 || warps > mostWarps)
    return emitOpError("[thread-limit] a CTA has 1 to ")
           << mostWarps << " warps (" << device.maxThreadsPerCta
           << " threads), not " << warps;
  if (auto registers = getRegisters())
    if (*registers < 16 || *registers > 255 || *registers % 8)
      return withFix(
          emitOpError("[register-budget] registers a thread at launch: a "
                      "multiple of 8 from 16 to 248, not ")
              << static_cast<int64_t>(*registers),
          "give registers(N) with N a multiple of 8 from 16 to 248, or leave "
          "it out");
  auto cluster = getClusterShape();
  for (int64_t size : cluster)
    if (size < 1 || size > 8)
      return emitOpError(
                 "[cluster-limit] the sizes of a cluster are 1 to 8, not ")
             << size;
  if ((getCluster() && getCluster()->size() > 3) || getClusterSize() > 8)
    return emitOpError("[cluster-limit] a cluster has at most 3 dimensions and "
                       "8 CTAs (the portable "
                       "size, CUDA programming guide, Thread Block Clusters)");
  if (getArgNames().size() != getArgTypes().size())
    return emitOpError("[kernel-arguments] every argument has a name");
  llvm::StringSet<> names;
  for (Attribute name : getArgNames())
    if (!names.insert(cast<StringAttr>(name).getValue()).second)
      return emitOpError("[kernel-arguments] two arguments are called ")
             << name;
  if (Attribute programmatic = (*this)->getAttr("titan.programmatic")) {
    auto settled = dyn_cast<ArrayAttr>(programmatic);
    if (!settled)
      return emitOpError("[kernel-arguments] titan.programmatic is a list of "
                         "the names of tensors that no earlier grid writes: "
                         "[\"W\"], or []");
    for (Attribute name : settled)
      if (!llvm::is_contained(getArgNames(), name))
        return emitOpError("[kernel-arguments] titan.programmatic names ")
               << name << ", which is no argument";
  }
  for (Attribute type : getArgTypes()) {
    Type t = cast<TypeAttr>(type).getValue();
    if (!isa<GlobalType>(t) && !t.isIntOrFloat())
      return emitOpError("[kernel-arguments] an argument is a global tensor, "
                         "an integer or a "
                         "float, not ")
             << t;
  }
  if (failed(readExample(*this)))
    return failure();
  if (failed(verifyInitialValues(*this)))
    return failure();
  return verifyArgumentAlignment(*this);
}

/// Each argument of a reference says which of the kernel's it is of.
static LogicalResult verifyRoles(KernelOp kernel,
                                 FunctionOpInterface reference) {
  SmallVector<std::string_view> names;
  for (Attribute name : kernel.getArgNames())
    names.push_back(cast<StringAttr>(name).getValue());
  auto refuse = [&](Location place) {
    return emitError(place) << "[reference-invalid] @" << reference.getName()
                            << ", a reference, ";
  };
  if (reference.isExternal())
    return refuse(reference.getLoc()) << "has no body";
  if (reference.getNumResults())
    return withFix(refuse(reference.getLoc())
                       << "returns " << reference.getNumResults()
                       << " values: it writes what is expected into memrefs",
                   "make each result an argument {titan.expected = \"NAME\"}");
  Operation *foreign = nullptr;
  reference.getFunctionBody().walk([&](Operation *op) {
    if (!foreign && isa<TitanDialect>(op->getDialect()))
      foreign = op;
  });
  if (foreign)
    return withFix(refuse(foreign->getLoc())
                       << "runs on the host, where there is no '"
                       << foreign->getName() << "'",
                   "compute with arith, math, scf, memref and linalg there");
  static constexpr StringRef roles[] = {"titan.input", "titan.expected",
                                        "titan.bound"};
  for (unsigned i = 0; i < reference.getNumArguments(); ++i) {
    unsigned given = llvm::count_if(roles, [&](StringRef role) {
      return reference.getArgAttrOfType<StringAttr>(i, role) != nullptr;
    });
    if (given != 1)
      return withFix(refuse(reference.getArgument(i).getLoc())
                         << "has an argument, number " << i << ", with "
                         << (given ? "several" : "none")
                         << " of titan.input, titan.expected and titan.bound",
                     "say which argument of the kernel it is of, and whether "
                     "it is what goes in or what is expected: {titan.input = "
                     "\"NAME\"}");
    for (StringRef role : roles) {
      auto name = reference.getArgAttrOfType<StringAttr>(i, role);
      if (!name || llvm::is_contained(names, std::string_view(name.getValue())))
        continue;
      InFlightDiagnostic error = emitError(reference.getArgument(i).getLoc())
                                 << "[reference-invalid] " << role << " = "
                                 << name << ": @" << kernel.getSymName()
                                 << " has no argument '" << name.getValue()
                                 << "'";
      std::string_view near =
          nearestWord(std::string_view(name.getValue()), names);
      Diagnostic &fix = error.attachNote() << "fix: ";
      if (!near.empty())
        fix << "did you mean " << near << "? ";
      fix << (names.empty() ? "there are none" : "there are ");
      llvm::interleaveComma(names, fix,
                            [&](std::string_view each) { fix << each; });
      return error;
    }
  }
  return success();
}

LogicalResult KernelOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Attribute reference = (*this)->getDiscardableAttr("titan.reference");
  if (!reference)
    return success();
  auto symbol = dyn_cast<FlatSymbolRefAttr>(reference);
  if (!symbol)
    return emitError("[reference-invalid] titan.reference is @NAME");
  Operation *found = symbols.lookupNearestSymbolFrom(*this, symbol);
  if (auto function = dyn_cast_or_null<FunctionOpInterface>(found))
    return verifyRoles(*this, function);
  InFlightDiagnostic error =
      emitError("[reference-invalid] there is no function @")
      << symbol.getValue();
  SmallVector<std::string_view> names;
  for (Operation &op : *(*this)->getBlock())
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      names.push_back(function.getName());
  std::string_view near =
      nearestWord(std::string_view(symbol.getValue()), names);
  if (near.empty())
    error.attachNote() << "fix: name a func.func of this file, or leave it out";
  else
    error.attachNote() << "fix: did you mean @" << near << "?";
  return error;
}

static constexpr StringRef alignmentName = "titan.alignment";

int64_t titan::getArgumentAlignment(KernelOp kernel, unsigned argument) {
  auto tensor = cast<GlobalType>(
      cast<TypeAttr>(kernel.getArgTypes()[argument]).getValue());
  int64_t bytes = getElementBytes(tensor.getElementType());
  if (auto all = kernel->getAttrOfType<DictionaryAttr>(alignmentName))
    if (auto asked = all.getAs<IntegerAttr>(
            cast<StringAttr>(kernel.getArgNames()[argument])))
      return std::max(bytes, asked.getInt());
  return bytes;
}

void titan::raiseAlignment(KernelOp kernel, unsigned argument, int64_t bytes) {
  if (getArgumentAlignment(kernel, argument) >= bytes)
    return;
  NamedAttrList all(kernel->getAttrOfType<DictionaryAttr>(alignmentName));
  Builder b(kernel.getContext());
  all.set(cast<StringAttr>(kernel.getArgNames()[argument]),
          b.getI64IntegerAttr(bytes));
  kernel->setAttr(alignmentName, all.getDictionary(kernel.getContext()));
}

LogicalResult titan::verifyArgumentAlignment(KernelOp kernel) {
  Attribute given = kernel->getAttr(alignmentName);
  if (!given)
    return success();
  auto all = dyn_cast<DictionaryAttr>(given);
  if (!all)
    return kernel.emitOpError("[kernel-alignment] `titan.alignment` lists "
                              "tensors and bytes: {A = 16}");
  for (NamedAttribute each : all) {
    auto names = kernel.getArgNames();
    auto name = llvm::find(names, Attribute(each.getName()));
    if (name == names.end() ||
        !isa<GlobalType>(
            cast<TypeAttr>(kernel.getArgTypes()[name - names.begin()])
                .getValue()))
      return kernel.emitOpError("[kernel-alignment] no tensor is called ")
             << each.getName();
    auto bytes = dyn_cast<IntegerAttr>(each.getValue());
    if (!bytes || bytes.getInt() < 1 || bytes.getInt() > 4096 ||
        !llvm::isPowerOf2_64(static_cast<uint64_t>(bytes.getInt())))
      return kernel.emitOpError("[kernel-alignment] ")
             << each.getName() << ": a power of two up to 4096, not "
             << each.getValue();
  }
  return success();
}

/// Where constants say how a loop counts; before any rewriting computes how often it
/// runs.
static LogicalResult verifyCounter(scf::ForOp loop) {
  APInt lower, upper, step;
  if (!matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return success();
  if (std::string why = stepProblem(step.getSExtValue()); !why.empty())
    return withFix(
        loop.emitOpError("[invalid-op] ") << why,
        "count up by a positive number, and compute from the counter "
        "what goes down (upper - 1 - i)");
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)))
    return success();
  std::string why = counterOverflow(lower.getSExtValue(), upper.getSExtValue(),
                                    step.getSExtValue(), lower.getBitWidth(),
                                    loop.getUnsignedCmp());
  if (why.empty())
    return success();
  return loop.emitOpError("[loop-overflow] ") << why;
}

/// Whether kernels compute with it: a number, or a tile of numbers. The simulator and
/// the lowering know just these.
static bool isOfKernels(Type type) {
  if (auto tile = dyn_cast<RankedTensorType>(type))
    return !(tile.hasStaticShape() && tile.getNumElements() == 0) &&
           isOfKernels(tile.getElementType());
  if (type.isSignlessInteger())
    return llvm::is_contained({1, 8, 16, 32, 64}, type.getIntOrFloatBitWidth());
  return isa<IndexType, Float16Type, BFloat16Type, Float32Type, Float64Type,
             Float8E4M3FNType, Float8E5M2Type>(type);
}

static LogicalResult verifyOfKernels(Operation *op, TypeRange types) {
  for (Type type : types)
    if (!isa<TitanDialect>(type.getDialect()) && !isOfKernels(type))
      return withFix(
          op->emitOpError("[not-supported-yet] a kernel has no values "
                          "of type ")
              << type
              << ": numbers are index, integers of 1, 8, 16, 32 and "
                 "64 bits, f16, bf16, f32, f64, f8E4M3FN and "
                 "f8E5M2; a tile has an element",
          "take the next wider of these; or, of several numbers, a "
          "tile with a layout");
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  auto check = [&](Region &region, ArrayRef<Type> types,
                   StringRef what) -> LogicalResult {
    if (region.getArgumentTypes() != TypeRange(types))
      return emitOpError("[kernel-arguments] the ")
             << what << "'s arguments have other types";
    return success();
  };
  SmallVector<Type> types;
  for (Attribute type : getArgTypes())
    types.push_back(cast<TypeAttr>(type).getValue());
  if (failed(verifyOfKernels(*this, types)) ||
      failed(check(getLaunch(), types, "launch region")))
    return failure();
  auto launch =
      dyn_cast_or_null<LaunchOp>(getLaunch().front().mightHaveTerminator()
                                     ? getLaunch().front().getTerminator()
                                     : nullptr);
  if (!launch)
    return emitOpError(
        "[kernel-launch] the launch region ends with titan.launch");
  if (!getBody().front().mightHaveTerminator() ||
      !isa<ReturnOp>(getBody().front().getTerminator()))
    return emitOpError("[kernel-return] the body ends with titan.return");
  llvm::append_range(types, launch.getValues().getTypes());
  if (getLaunchNames().size() != launch.getValues().size())
    return emitOpError("[kernel-arguments] titan.launch passes ")
           << launch.getValues().size() << " values, the body names "
           << getLaunchNames().size();
  if (failed(check(getBody(), types, "body")))
    return failure();

  // The launch region runs on the host: scalar arithmetic, maps, requirements.
  for (Operation &op : getLaunch().front()) {
    if (failed(verifyOfKernels(&op, op.getResultTypes())))
      return failure();
    bool scalar = isa<arith::ArithDialect>(op.getDialect()) &&
                  llvm::all_of(op.getResultTypes(),
                               [](Type t) { return t.isIntOrIndexOrFloat(); });
    if (!scalar && !isa<DimOp, StrideOp, DevicePropertyOp, RequireOp,
                        TensorMapOp, LaunchOp>(op))
      return op.emitOpError(
          "[launch-operation] does not belong in a launch region: scalar "
          "arith, "
          "titan.dim, titan.stride, titan.device_property, titan.tensor_map, "
          "titan.require "
          "and titan.launch do");
    if (auto require = dyn_cast<RequireOp>(op)) {
      std::string_view code(require.getCode());
      if (lookupCode(code))
        continue;
      InFlightDiagnostic error = op.emitOpError("[unknown-code] there is no "
                                                "code '")
                                 << require.getCode() << "'";
      if (const CodeInfo *near = nearestCode(code))
        return withFix(std::move(error),
                       "did you mean " + Twine(StringRef(near->code)) + "?");
      return withFix(
          std::move(error),
          "take \"launch-check\", or another of titan explain codes");
    }
  }
  const TargetInfo *target = nullptr;
  for (Operation *at = *this; at && !target; at = at->getParentOp())
    if (auto name = at->getAttrOfType<StringAttr>("titan.target")) {
      target = lookupTarget(std::string_view(name.getValue()));
      if (!target) {
        InFlightDiagnostic error = at->emitError("[unknown-target] '");
        error << name.getValue() << "': targets are ";
        ArrayRef<TargetInfo> known = allTargets();
        for (const TargetInfo &each : known.drop_back())
          error << StringRef(each.name)
                << (&each + 1 == &known.back() ? " and " : ", ");
        return error << StringRef(known.back().name);
      }
    }
  WalkResult result = getBody().walk([&](Operation *op) {
    auto hardware = dyn_cast<HardwareEffectsInterface>(op);
    if (target && hardware &&
        !llvm::is_contained(hardware.getTargets(), StringRef(target->name))) {
      op->emitOpError("[wrong-target] does not exist on ")
          << StringRef(target->name) << ", the kernel's target; it exists on "
          << llvm::join(hardware.getTargets(), ", ");
      return WalkResult::interrupt();
    }
    if (failed(verifyOfKernels(op, op->getResultTypes())))
      return WalkResult::interrupt();
    if (isa<TensorMapOp, RequireOp, StrideOp, DevicePropertyOp>(op)) {
      op->emitOpError("[launch-operation] belongs in the launch region");
      return WalkResult::interrupt();
    }
    // The launch and its values are verified above.
    for (Value operand : op->getOperands()) {
      TensorMapOp map = isa<TensorMapType>(operand.getType())
                            ? getTensorMapOp(operand)
                            : nullptr;
      auto reduction =
          map ? getReductionThrough(op, operand) : std::optional<AtomicOp>();
      if (reduction && !hasTmaReduction(*reduction, getTmaTypeName(map))) {
        op->emitOpError("[tma-reduce-type] '")
            << stringifyAtomicOp(*reduction)
            << "' takes unsigned numbers, and min or max go through the same "
               "map of "
            << map.getType().getElementType()
            << ", which is signed: make two maps";
        return WalkResult::interrupt();
      }
    }
    if (auto loop = dyn_cast<scf::ForOp>(op);
        loop && failed(verifyCounter(loop)))
      return WalkResult::interrupt();
    if (isa<WarpSpecializeOp>(op) && op->getParentRegion() != &getBody()) {
      withFix(op->emitOpError(
                  "[partition-shape] stands in the kernel's body itself"),
              "partitions do not nest: make its partitions ones of the outer "
              "titan.warp_specialize");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LaunchOp KernelOp::getLaunchOp() {
  return cast<LaunchOp>(getLaunch().front().getTerminator());
}

std::array<int64_t, 3> KernelOp::getClusterShape() {
  std::array<int64_t, 3> shape{1, 1, 1};
  if (auto cluster = getCluster())
    for (size_t i = 0; i < std::min<size_t>(3, cluster->size()); ++i)
      shape[i] = (*cluster)[i];
  return shape;
}

int64_t KernelOp::getClusterSize() {
  auto shape = getClusterShape();
  return shape[0] * shape[1] * shape[2];
}

Value KernelOp::getLaunchValue(BlockArgument bodyArgument) {
  if (bodyArgument.getOwner() != &getBody().front())
    return {};
  unsigned number = bodyArgument.getArgNumber(), own = getArgTypes().size();
  if (number < own)
    return getLaunch().getArgument(number);
  return getLaunchOp().getValues()[number - own];
}

LogicalResult LaunchOp::verify() {
  if (getGrid().empty() || getGrid().size() > 3)
    return withFix(
        emitOpError("[launch-grid] a grid has 1 to 3 dimensions, not ")
            << getGrid().size(),
        getGrid().empty() ? "give its extents: titan.launch grid(%ctas)"
                          : "fold the further dimensions into x");
  for (Type type : getValues().getTypes())
    if (!type.isIntOrIndexOrFloat() && !isa<TensorMapType>(type))
      return emitOpError("[launch-value] a value passed to the kernel is a "
                         "scalar or a tensor map, "
                         "not ")
             << type;
  auto kernel = (*this)->getParentOfType<KernelOp>();
  const TargetInfo &device = targetOf(kernel);
  std::array<int64_t, 3> cluster = kernel.getClusterShape();
  for (auto [d, extent] : llvm::enumerate(getGrid())) {
    APInt constant;
    if (!matchPattern(extent, m_ConstantInt(&constant)))
      continue;
    int64_t ctas = constant.getSExtValue(),
            most = d == 0 ? device.maxGridX : device.maxGridYZ;
    if (ctas < 1)
      return withFix(emitOpError("[launch-zero-dim] dimension ")
                         << d << " of the grid is " << ctas,
                     "a grid has at least one CTA in each dimension");
    if (most != TargetInfo::absent && ctas > most)
      return emitOpError("[launch-grid] dimension ")
             << d << " of the grid is " << ctas << ", at most " << most;
    if (ctas % cluster[d])
      return emitOpError("[cluster-limit] dimension ")
             << d << " of the grid is " << ctas
             << ", no multiple of the cluster's " << cluster[d];
  }
  return success();
}

static LogicalResult verifyDimension(Operation *op, GlobalType tensor,
                                     uint64_t dimension) {
  if (dimension >= tensor.getRank())
    return op->emitOpError("[tile-dimension] dimension ")
           << static_cast<int64_t>(dimension) << " of a tensor of rank "
           << tensor.getRank();
  return success();
}
LogicalResult DimOp::verify() {
  return verifyDimension(*this, getTensor().getType(), getDimension());
}
LogicalResult StrideOp::verify() {
  return verifyDimension(*this, getTensor().getType(), getDimension());
}

LogicalResult DevicePropertyOp::verify() {
  if (getName() != "multiprocessor_count")
    return emitOpError("[device-property] unknown property '")
           << getName() << "'; there is multiprocessor_count";
  return success();
}

static LogicalResult verifyDimension(Operation *op, uint64_t dimension) {
  if (dimension > 2)
    return op->emitOpError(
        "[grid-dimension] dimensions are 0 (x), 1 (y) and 2 (z)");
  return success();
}
LogicalResult CtaIdOp::verify() {
  return verifyDimension(*this, getDimension());
}
LogicalResult NumCtasOp::verify() {
  return verifyDimension(*this, getDimension());
}

//===----------------------------------------------------------------------===//
// Partitions
//===----------------------------------------------------------------------===//

bool PartitionOp::needsWarpgroups() {
  if (getRegisters())
    return true;
  return getBody()
      .walk([](HardwareEffectsInterface op) {
        return op.getCardinality() == Cardinality::Warpgroup
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Warpgroups are the same on all targets that have them.
static int64_t warpsPerWarpgroup(Operation *op) {
  return targetOf(op, Feature::Warpgroups).warpsPerWarpgroup;
}

int64_t PartitionOp::getPaddedWarps() {
  int64_t warps = getWarps();
  return needsWarpgroups() ? llvm::alignTo(warps, warpsPerWarpgroup(*this))
                           : warps;
}

LogicalResult PartitionOp::verify() {
  if (getWarps() < 1)
    return withFix(
        emitOpError("[partition-shape] a partition has at least one warp"),
        "write warps(n) with n of 1 or more");
  if (auto registers = getRegisters())
    if (*registers < 24 || *registers > 256 || *registers % 8)
      return withFix(
          emitOpError("[setmaxnreg-operand] setmaxnreg takes a multiple of 8 "
                      "from 24 to 256, not ")
              << static_cast<int64_t>(*registers) << " (PTX ISA, setmaxnreg)",
          "give registers(N) with N a multiple of 8 from 24 to 256");
  return success();
}

void PartitionOp::getHardwareEffects(EffectList &effects) {
  if (auto registers = getRegisters())
    effects.add(Registers{.kind = Registers::Budget,
                          .count = static_cast<int64_t>(*registers)},
                "PTX ISA, setmaxnreg");
}
Cardinality PartitionOp::getCardinality() { return Cardinality::Tile; }

int64_t WarpSpecializeOp::getFirstWarp(PartitionOp partition) {
  int64_t next = 0;
  for (auto each : getBody().getOps<PartitionOp>()) {
    if (each.needsWarpgroups())
      next = llvm::alignTo(next, warpsPerWarpgroup(*this));
    if (each == partition)
      return next;
    next += each.getPaddedWarps();
  }
  llvm_unreachable("a partition of another warp_specialize");
}

int64_t WarpSpecializeOp::getTotalWarps() {
  int64_t next = 0;
  for (auto each : getBody().getOps<PartitionOp>()) {
    if (each.needsWarpgroups())
      next = llvm::alignTo(next, warpsPerWarpgroup(*this));
    next += each.getPaddedWarps();
  }
  return next;
}

LogicalResult WarpSpecializeOp::verifyRegions() {
  llvm::StringSet<> names;
  for (Operation &op : getBody().front()) {
    auto partition = dyn_cast<PartitionOp>(op);
    if (!partition)
      return withFix(
          op.emitOpError("[partition-shape] only titan.partition stands in a "
                         "warp_specialize"),
          "put it into a partition, or before the titan.warp_specialize");
    if (!names.insert(partition.getName()).second)
      return withFix(
          partition.emitOpError("[partition-shape] two partitions are called '")
              << partition.getName() << "'",
          "give each a name of its own; or make them one, of the "
          "warps of both");
  }
  if (names.empty())
    return withFix(emitOpError("[partition-shape] there is no partition"),
                   "write titan.partition \"name\" warps(n) { ... } in it");
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (kernel && getTotalWarps() > static_cast<int64_t>(kernel.getWarps())) {
    InFlightDiagnostic error =
        emitOpError("[partition-shape] the partitions take ")
        << getTotalWarps() << " warps (padded to warpgroups), the kernel has "
        << kernel.getWarps();
    // In the order that takes the fewest: whole warpgroups first.
    int64_t least = 0;
    std::string first;
    for (auto each : getBody().getOps<PartitionOp>()) {
      least += each.getPaddedWarps();
      if (each.needsWarpgroups())
        first += (first.empty() ? "\"" : ", \"") + each.getName().str() + "\"";
    }
    Diagnostic &note = error.attachNote();
    note << "fix: write warps(" << getTotalWarps() << ") on the kernel";
    if (least < getTotalWarps())
      note << ", or put " << first
           << ", of whole warpgroups, before the other partitions: then they "
              "take "
           << least;
    return error;
  }
  if (!kernel || !kernel.getRegisters())
    return success();
  // setmaxnreg has the same rules on all targets that have it.
  int64_t launch = *kernel.getRegisters(), wanted = 0, held = 0;
  SmallVector<WarpBudget> budgets;
  for (auto partition : getBody().getOps<PartitionOp>())
    if (auto registers = partition.getRegisters()) {
      int64_t warps = partition.getPaddedWarps();
      budgets.push_back({warps, static_cast<int64_t>(*registers)});
      wanted += warps * *registers;
      held += warps * launch;
    }
  if (checkRegisterBudgets(targetOf(*this, Feature::Setmaxnreg), launch,
                           budgets) == Code::RegisterBudget)
    return emitOpError("[register-budget] the partitions want ")
           << wanted << " registers (warps times registers a thread), more "
           << "than the " << held << " that their warps have at launch: the "
           << "last setmaxnreg would wait for ever (PTX ISA, setmaxnreg)";
  return success();
}

//===----------------------------------------------------------------------===//
// Assume
//===----------------------------------------------------------------------===//

bool titan::isOfContents(Value value) {
  SmallVector<Value> rest = {value};
  llvm::SmallPtrSet<void *, 16> seen;
  auto add = [&](ValueRange values) {
    for (Value each : values)
      if (seen.insert(each.getAsOpaquePointer()).second)
        rest.push_back(each);
  };
  while (!rest.empty()) {
    Value at = rest.pop_back_val();
    auto argument = dyn_cast<BlockArgument>(at);
    Operation *op =
        argument ? argument.getOwner()->getParentOp() : at.getDefiningOp();
    if (argument && isa<FunctionOpInterface>(op))
      return true;
    if (auto hardware = dyn_cast<HardwareEffectsInterface>(op)) {
      EffectList effects;
      hardware.getHardwareEffects(effects);
      for (const Effect &each : effects)
        if (auto *access = std::get_if<Access>(&each.what);
            access && access->kind == AccessKind::Read)
          return true;
      continue;
    }
    if (isa<KernelOp>(op))
      continue;
    add(op->getOperands());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (block.mightHaveTerminator())
          add(block.getTerminator()->getOperands());
  }
  return false;
}

ParseResult titan::parseConditionType(OpAsmParser &parser, Type &type) {
  type = parser.getBuilder().getI1Type();
  return failed(parser.parseOptionalColon()) ? success()
                                             : parser.parseType(type);
}

void titan::printConditionType(OpAsmPrinter &printer, Operation *, Type type) {
  if (!type.isInteger(1))
    printer << " : " << type;
}

LogicalResult AssumeOp::verify() {
  if (auto tile = dyn_cast<RankedTensorType>(getCondition().getType())) {
    if (!tile.getElementType().isInteger(1))
      return emitOpError("[tile-element-type] the tile holds ")
             << tile.getElementType() << ", not i1";
    if (failed(verifyTileType(*this, tile)))
      return failure();
  }
  if (isOfContents(getCondition()))
    return success();
  InFlightDiagnostic error =
      emitOpError("[assume-contents] no element that is loaded is among what "
                  "the condition is computed from");
  error.attachNote() << "fix: of sizes and arguments say it in the launch "
                        "region, by titan.require; of what the kernel "
                        "computes, by titan.assert";
  return error;
}

//===----------------------------------------------------------------------===//
// Elect
//===----------------------------------------------------------------------===//

LogicalResult ElectOp::verify() {
  auto yield = dyn_cast<YieldOp>(getBody().front().back());
  if (!yield)
    return emitOpError("[elect-yield] ends in titan.yield, not in ")
           << getBody().front().back().getName();
  if (yield.getOperandTypes() != getResultTypes())
    return emitOpError(
        "[elect-yield] yields other types than the elect's results");
  if (auto warp = getWarp()) {
    int64_t warps = 0;
    if (auto partition = (*this)->getParentOfType<PartitionOp>())
      warps = partition.getWarps();
    else if (auto kernel = (*this)->getParentOfType<KernelOp>())
      warps = kernel.getWarps();
    else // of a function: known where it is called
      warps = static_cast<int64_t>(*warp) + 1;
    if (static_cast<int64_t>(*warp) < 0 || static_cast<int64_t>(*warp) >= warps)
      return emitOpError("[elect-warp] warp ")
             << static_cast<int64_t>(*warp) << " of " << warps << " warps";
  }
  if ((*this)->getParentOfType<ElectOp>())
    return emitOpError("[elect-nested] one thread cannot elect again");
  return success();
}
