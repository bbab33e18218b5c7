//===- LaunchManifest.cpp - what a launch computes and checks -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The launch region as the manifest of docs/package.md, whose numbers are signed:
// the launch refuses negative operands of unsigned arithmetic, and overflow.
//
//===----------------------------------------------------------------------===//
#include "titan/Conversion/TitanToLLVM.h"
#include "titan/Dialect/Titan/ArgumentAlignment.h"
#include "titan/Dialect/Titan/InitialValues.h"
#include "titan/Runtime/Expr.h"
#include "titan/Target/Codes.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace titan;
namespace json = llvm::json;

using Expression = FailureOr<json::Value>;

/// The name of the kernel's argument that a value of the launch region is.
static std::string argumentName(Value value) {
  auto argument = cast<BlockArgument>(value);
  auto kernel = cast<KernelOp>(argument.getOwner()->getParentOp());
  return cast<StringAttr>(kernel.getArgNames()[argument.getArgNumber()])
      .getValue()
      .str();
}

namespace {
/// A value of the launch region as an expression.
struct Written {
  json::Value text;
  bool natural = false; ///< Never negative.
  int depth = 0;        ///< Of operators, one in another.
};

/// Writes values out, operands and all: shared ones as often as they are used.
/// Every number is what arith says, as a signed one, or the launch is refused
/// (`within`), as titan run refuses it (lib/Simulator/Launch.cpp).
class Writer {
public:
  /// Fails with a diagnostic, or where it is too large.
  FailureOr<Written> write(Value value);
  bool isTooLarge() const { return nodes > runtime::Expr::maxNodes; }

private:
  FailureOr<Written> writeLeaf(Operation *op);
  FailureOr<Written> writeCast(Operation *op, bool isUnsigned);
  FailureOr<Written> writeComparison(arith::CmpIOp op);
  FailureOr<Written> writeArithmetic(Operation *op);
  FailureOr<Written> unsupported(Operation *op);
  FailureOr<SmallVector<Written, 3>> writeOperands(Operation *op,
                                                   bool isUnsigned);
  Written call(StringRef name, MutableArrayRef<Written> operands, bool natural);
  Written within(Written x, int64_t low, int64_t high);
  /// In the range of a type's signed numbers.
  Written fitting(Written x, Type type);
  /// What unsigned arithmetic takes for the number that it is.
  Written naturalOf(Written x) {
    return x.natural ? std::move(x) : within(std::move(x), 0, INT64_MAX);
  }

  size_t nodes = 0;
};
} // namespace

/// 0 for the types that a launch does not compute with.
static unsigned widthOf(Type type) {
  if (type.isIndex())
    return 64;
  for (unsigned width : {1, 8, 16, 32, 64})
    if (type.isSignlessInteger(width))
      return width;
  return 0;
}

FailureOr<Written> Writer::unsupported(Operation *op) {
  return op->emitError("[not-supported-yet] ")
             << op->getName()
             << " in a launch region has no form in a package's manifest "
                "(docs/package.md, expressions)",
         failure();
}

Written Writer::call(StringRef name, MutableArrayRef<Written> operands,
                     bool natural) {
  Written result{json::Array{name}, natural, 0};
  for (Written &operand : operands) {
    result.text.getAsArray()->push_back(std::move(operand.text));
    result.depth = std::max(result.depth, operand.depth);
  }
  ++result.depth;
  return result;
}

Written Writer::within(Written x, int64_t low, int64_t high) {
  nodes += 3;
  Written all[] = {std::move(x), {low}, {high}};
  return call("within", all, low >= 0);
}

Written Writer::fitting(Written x, Type type) {
  unsigned width = widthOf(type);
  if (width == 64)
    return x;
  bool natural = x.natural;
  Written result =
      within(std::move(x), llvm::minIntN(width), llvm::maxIntN(width));
  result.natural = natural;
  return result;
}

FailureOr<SmallVector<Written, 3>> Writer::writeOperands(Operation *op,
                                                         bool isUnsigned) {
  SmallVector<Written, 3> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<Written> written = write(operand);
    if (failed(written))
      return failure();
    operands.push_back(isUnsigned ? naturalOf(std::move(*written))
                                  : std::move(*written));
  }
  return operands;
}

FailureOr<Written> Writer::writeComparison(arith::CmpIOp op) {
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = op.getPredicate();
  bool equality = predicate == Predicate::eq || predicate == Predicate::ne,
       isUnsigned = predicate >= Predicate::ult;
  // A signed i1 is 0 or -1.
  if (!equality && !isUnsigned && op.getLhs().getType().isInteger(1))
    return unsupported(op);
  // As unsigned numbers signed ones of a type compare as theirs of 64 bits do.
  auto operands = writeOperands(op, false);
  if (failed(operands))
    return failure();
  bool natural = (*operands)[0].natural && (*operands)[1].natural;
  StringRef name;
  switch (predicate) {
  case Predicate::eq:
    name = "eq";
    break;
  case Predicate::ne:
    name = "ne";
    break;
  case Predicate::sgt:
  case Predicate::ugt:
    std::swap((*operands)[0], (*operands)[1]);
    [[fallthrough]];
  case Predicate::slt:
  case Predicate::ult:
    name = isUnsigned && !natural ? "ult" : "lt";
    break;
  case Predicate::sge:
  case Predicate::uge:
    std::swap((*operands)[0], (*operands)[1]);
    [[fallthrough]];
  case Predicate::sle:
  case Predicate::ule:
    name = isUnsigned && !natural ? "ule" : "le";
    break;
  }
  return call(name, *operands, true);
}

/// An i1 counts as 0 or 1 here, as 0 or -1 where its sign is extended.
FailureOr<Written> Writer::writeCast(Operation *op, bool isUnsigned) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  if (to.isInteger(1))
    return unsupported(op);
  auto operands = writeOperands(op, isUnsigned);
  if (failed(operands))
    return failure();
  Written &x = operands->front();
  if (from.isInteger(1) && !isUnsigned) {
    ++nodes;
    Written all[] = {{0}, std::move(x)};
    return call("sub", all, false);
  }
  return widthOf(to) < widthOf(from) ? fitting(std::move(x), to) : std::move(x);
}

FailureOr<Written> Writer::writeLeaf(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto integer = dyn_cast<IntegerAttr>(constant.getValue());
    if (!integer)
      return unsupported(op);
    int64_t number = integer.getType().isInteger(1)
                         ? static_cast<int64_t>(!integer.getValue().isZero())
                         : integer.getValue().getSExtValue();
    return Written{number, number >= 0};
  }
  if (auto dim = dyn_cast<DimOp>(op)) {
    int64_t size = dim.getTensor().getType().getShape()[dim.getDimension()];
    if (!ShapedType::isDynamic(size))
      return Written{size, true};
    return Written{
        json::Object{
            {"dim", json::Array{argumentName(dim.getTensor()),
                                static_cast<int64_t>(dim.getDimension())}}},
        true};
  }
  if (auto stride = dyn_cast<StrideOp>(op)) {
    int64_t d = stride.getDimension(),
            size = stride.getTensor().getType().getStrides()[d];
    if (!ShapedType::isDynamic(size))
      return Written{size, size >= 0};
    // That of a dimension of one element may be anything.
    return Written{json::Object{
        {"stride", json::Array{argumentName(stride.getTensor()), d}}}};
  }
  auto property = cast<DevicePropertyOp>(op);
  return Written{json::Object{{"device", property.getName()}}, true};
}

FailureOr<Written> Writer::writeArithmetic(Operation *op) {
  bool isUnsigned = isa<arith::DivUIOp, arith::CeilDivUIOp, arith::RemUIOp,
                        arith::MinUIOp, arith::MaxUIOp>(op),
       ofTruth = isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op),
       ofAny = isa<arith::SelectOp, arith::MinUIOp, arith::MaxUIOp>(op);
  bool truth =
      op->getNumResults() == 1 && op->getResult(0).getType().isInteger(1);
  if (truth ? !ofTruth && !ofAny : ofTruth)
    return unsupported(op);
  auto written = writeOperands(op, isUnsigned);
  if (failed(written))
    return failure();
  SmallVector<Written, 3> &x = *written;
  Type type = op->getResult(0).getType();
  bool natural =
      llvm::all_of(x, [](const Written &each) { return each.natural; });
  // Quotients of numbers that are not negative are no larger than these.
  auto quotient = [&](StringRef name) {
    Written result = call(name, x, natural);
    return natural ? std::move(result) : fitting(std::move(result), type);
  };
  return llvm::TypeSwitch<Operation *, FailureOr<Written>>(op)
      .Case<arith::AddIOp>(
          [&](auto) { return fitting(call("add", x, natural), type); })
      .Case<arith::SubIOp>(
          [&](auto) { return fitting(call("sub", x, false), type); })
      .Case<arith::MulIOp>(
          [&](auto) { return fitting(call("mul", x, natural), type); })
      .Case<arith::DivUIOp, arith::FloorDivSIOp>(
          [&](auto) { return quotient("floordiv"); })
      .Case<arith::DivSIOp>(
          [&](auto) { return quotient(natural ? "floordiv" : "div"); })
      .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>(
          [&](auto) { return quotient("ceildiv"); })
      .Case<arith::RemUIOp>([&](auto) { return call("mod", x, true); })
      .Case<arith::RemSIOp>([&](auto) {
        return call(natural ? "mod" : "rem", x, natural || x[0].natural);
      })
      .Case<arith::MinUIOp, arith::MinSIOp>(
          [&](auto) { return call("min", x, natural); })
      .Case<arith::MaxUIOp, arith::MaxSIOp>(
          [&](auto) { return call("max", x, x[0].natural || x[1].natural); })
      .Case<arith::SelectOp>([&](auto) { return call("select", x, natural); })
      .Case<arith::AndIOp>([&](auto) { return call("and", x, true); })
      .Case<arith::OrIOp>([&](auto) { return call("or", x, true); })
      .Case<arith::XOrIOp>([&](auto) { return call("ne", x, true); })
      .Default([&](auto) { return unsupported(op); });
}

FailureOr<Written> Writer::write(Value value) {
  ++nodes;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Written scalar{json::Object{{"scalar", argumentName(argument)}}};
    if (!argument.getType().isInteger(1))
      return scalar;
    // The low bit of a byte (addArgument).
    nodes += 2;
    Written all[] = {std::move(scalar), {2}};
    return call("mod", all, true);
  }
  Operation *op = value.getDefiningOp();
  if (isTooLarge())
    return failure();
  // Of a float: how it compares with others, the sign aside, and which it is.
  if (auto cast = dyn_cast<arith::BitcastOp>(op))
    if (auto argument = dyn_cast<BlockArgument>(cast.getIn());
        argument && isa<FloatType>(argument.getType()))
      return Written{json::Object{{"bits", argumentName(argument)}}};
  for (Type type : op->getOperandTypes())
    if (!widthOf(type) && !isa<GlobalType>(type))
      return unsupported(op);
  if (!widthOf(value.getType()))
    return unsupported(op);
  if (isa<arith::ConstantOp, DimOp, StrideOp, DevicePropertyOp>(op))
    return writeLeaf(op);
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(op))
    return writeCast(op, false);
  if (isa<arith::IndexCastUIOp, arith::ExtUIOp>(op))
    return writeCast(op, true);
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return writeComparison(compare);
  return writeArithmetic(op);
}

Expression titan::makeLaunchExpression(Value value) {
  Writer writer;
  FailureOr<Written> written = writer.write(value);
  auto refuse = [&](size_t limit, StringRef what) {
    Operation *op = value.getDefiningOp();
    return op->emitError("[not-supported-yet] ")
               << op->getName() << " takes more than " << limit << ' ' << what
               << " (docs/package.md, expressions)",
           failure();
  };
  if (writer.isTooLarge())
    return refuse(runtime::Expr::maxNodes,
                  "nodes of a package's manifest, which writes a number out "
                  "wherever it is used");
  if (failed(written))
    return failure();
  if (written->depth > runtime::Expr::maxDepth)
    return refuse(runtime::Expr::maxDepth,
                  "operators one in another, and a package's manifest has no "
                  "more");
  return std::move(written->text);
}

static json::Object makeCheck(json::Value condition, Code code,
                              const Twine &message, json::Array values) {
  const CodeInfo &info = codeInfo(code);
  return json::Object{{"nonzero", std::move(condition)},
                      {"code", StringRef(info.code.data(), info.code.size())},
                      {"message", message.str()},
                      {"values", std::move(values)},
                      {"rule", StringRef(info.rule.data(), info.rule.size())},
                      {"fix", StringRef(info.fix.data(), info.fix.size())}};
}

/// The name of a type in the manifest; integers without sign.
static std::string typeName(Type type) {
  return llvm::formatv("{0}", type).str();
}

/// Bytes from the first element to the last; innermost dimension first, which
/// counts units of so many bytes.
static json::Value spanOf(ArrayRef<json::Value> dims,
                          ArrayRef<json::Value> strides, int64_t bytes) {
  json::Value span = json::Array{"mul", dims.front(), bytes};
  for (auto [dim, stride] : llvm::zip(dims.drop_front(), strides))
    span = json::Array{"add", span,
                       json::Array{"mul", json::Array{"sub", dim, 1}, stride}};
  return span;
}

namespace {
/// The sizes of a tensor or of a map over it, innermost first, and the strides
/// in bytes of all dimensions but the innermost.
struct MapShape {
  using Values = SmallVector<json::Value>;
  Values dims, strides;
};

/// What becomes of a kernel's launch region, part by part.
class ManifestKernel {
public:
  explicit ManifestKernel(KernelOp kernel)
      : kernel(kernel), launch(kernel.getLaunchOp()) {}

  FailureOr<json::Object> make(LoweredKernel lowered);

private:
  void findAccesses();
  void addArgument(BlockArgument argument, const std::string &name);
  LogicalResult addRequirement(RequireOp require);
  LogicalResult addGrid();
  FailureOr<MapShape> shapeOf(TensorMapOp made);
  void checkStores(TensorMapOp made, const MapShape &shape);
  LogicalResult addMap(TensorMapOp made, StringRef name);

  KernelOp kernel;
  LaunchOp launch;
  json::Array arguments, grid, maps, checks;
  llvm::DenseMap<Value, std::pair<bool, bool>> access; // read, written
};
} // namespace

/// What the body does to each argument's memory.
void ManifestKernel::findAccesses() {
  auto touch = [&](const effect::Footprint &bytes, bool reads, bool writes) {
    // A box lies in the tensor of its map, a map in the array that it is of.
    bool ofMap = isa<TensorMapType>(bytes.object.getType());
    Value tensor = ofMap && bytes.kind == effect::Footprint::Box
                       ? getMappedTensor(bytes.object)
                       : getRoot(bytes.object);
    auto argument = dyn_cast_or_null<BlockArgument>(tensor);
    if (!argument || !isa<GlobalType>(argument.getType()))
      return;
    if (argument.getParentRegion() == &kernel.getBody())
      tensor = kernel.getLaunchValue(argument);
    access[tensor].first |= reads;
    access[tensor].second |= writes;
  };
  kernel.getBody().walk([&](HardwareEffectsInterface op) {
    effect::EffectList effects;
    op.getHardwareEffects(effects);
    for (const effect::Effect &effect : effects)
      if (auto *each = std::get_if<effect::Access>(&effect.what))
        touch(each->bytes, each->kind != AccessKind::Write,
              each->kind != AccessKind::Read);
      else if (auto *wait = std::get_if<effect::WaitFlag>(&effect.what))
        touch(wait->flag, true, false);
  });
}

void ManifestKernel::addArgument(BlockArgument argument,
                                 const std::string &name) {
  auto global = dyn_cast<GlobalType>(argument.getType());
  if (!global) {
    // A bit is handed over as a byte, which is how PTX has it as a parameter.
    bool bit = argument.getType().isInteger(1);
    arguments.push_back(
        json::Object{{"name", name},
                     {"kind", "scalar"},
                     {"type", bit ? "i8" : typeName(argument.getType())}});
    return;
  }
  json::Array shape, strides;
  auto number = [](int64_t n) {
    return ShapedType::isDynamic(n) ? json::Value(nullptr) : json::Value(n);
  };
  for (unsigned d = 0; d < global.getRank(); ++d) {
    shape.push_back(number(global.getShape()[d]));
    strides.push_back(number(global.getStrides()[d]));
    if (ShapedType::isDynamic(global.getShape()[d])) {
      json::Value size =
          json::Object{{"dim", json::Array{name, static_cast<int64_t>(d)}}};
      checks.push_back(
          makeCheck(json::Array{"lt", 0, size}, Code::LaunchZeroDim,
                    "dimension " + Twine(d) + " of " + name + " is {0}",
                    json::Array{size}));
    }
  }
  auto [read, written] = access.lookup(argument);
  arguments.push_back(json::Object{
      {"name", name},
      {"kind", "tensor"},
      {"type", typeName(global.getElementType())},
      {"shape", std::move(shape)},
      {"strides", std::move(strides)},
      {"alignment", getArgumentAlignment(kernel, argument.getArgNumber())},
      {"access", written && !read ? "write"
                 : written        ? "readwrite"
                                  : "read"}});
  if (auto initial = getInitialValue(kernel, argument.getArgNumber()))
    (*arguments.back().getAsObject())["initial"] = *initial;
}

LogicalResult ManifestKernel::addRequirement(RequireOp require) {
  auto condition = makeLaunchExpression(require.getCondition());
  if (failed(condition))
    return failure();
  std::string message;
  for (char c : require.getMessage()) // braces would name values
    message += c == '{' ? '(' : c == '}' ? ')' : c;
  // {0} .. {9}
  json::Array values;
  for (const LaunchInput &input : getLaunchInputs(require.getCondition())) {
    auto value = makeLaunchExpression(input.value);
    if (failed(value))
      return failure();
    if (values.size() == 10)
      break;
    message += (values.empty() ? " (" : ", ") + input.name + " is {" +
               std::to_string(values.size()) + "}";
    values.push_back(std::move(*value));
  }
  if (!values.empty())
    message += ")";
  json::Object check{{"nonzero", std::move(*condition)},
                     {"code", require.getCode()},
                     {"message", message},
                     {"values", std::move(values)}};
  if (const CodeInfo *info =
          lookupCode({require.getCode().data(), require.getCode().size()})) {
    check["rule"] = StringRef(info->rule.data(), info->rule.size());
    check["fix"] = StringRef(info->fix.data(), info->fix.size());
  }
  if (auto fix = require.getFix())
    check["fix"] = *fix;
  checks.push_back(std::move(check));
  return success();
}

LogicalResult ManifestKernel::addGrid() {
  for (Value extent : launch.getGrid()) {
    auto expression = makeLaunchExpression(extent);
    if (failed(expression))
      return failure();
    grid.push_back(std::move(*expression));
  }
  while (grid.size() < 3)
    grid.push_back(1);
  return success();
}

static MapShape shapeOfTensor(TensorMapOp made) {
  GlobalType tensor = made.getTensor().getType();
  std::string argument = argumentName(made.getTensor());
  int64_t bytes = getElementBytes(tensor.getElementType());
  MapShape shape;
  for (int64_t d = tensor.getRank(); d-- > 0;) {
    int64_t size = tensor.getShape()[d], stride = tensor.getStrides()[d];
    shape.dims.push_back(
        ShapedType::isDynamic(size)
            ? json::Value(json::Object{{"dim", json::Array{argument, d}}})
            : json::Value(size));
    if (d + 1 == tensor.getRank())
      continue;
    shape.strides.push_back(
        ShapedType::isDynamic(stride)
            ? json::Value(json::Array{
                  "mul", json::Object{{"stride", json::Array{argument, d}}},
                  bytes})
            : json::Value(stride * bytes));
  }
  return shape;
}

/// Expressions of operands, innermost first.
static LogicalResult addReversed(MapShape::Values &to, OperandRange from) {
  for (Value operand : llvm::reverse(from)) {
    Expression expression = makeLaunchExpression(operand);
    if (failed(expression))
      return failure();
    to.push_back(std::move(*expression));
  }
  return success();
}

FailureOr<MapShape> ManifestKernel::shapeOf(TensorMapOp made) {
  TensorMapType type = made.getType();
  std::string argument = argumentName(made.getTensor());
  int64_t bytes = getElementBytes(made.getTensor().getType().getElementType());
  MapShape tensor = shapeOfTensor(made), shape;
  if (!made.isView()) {
    shape = tensor;
    // The innermost dimension is within a slice, and slices follow one
    // another.
    if (int64_t slice = type.getInterleave()) {
      json::Value pitch = shape.strides.front();
      shape.dims.erase(shape.dims.begin());
      shape.strides.erase(shape.strides.begin());
      checks.push_back(
          makeCheck(json::Array{"eq", pitch, slice}, Code::TmaInterleave,
                    "slices of " + Twine(slice) + " bytes of " + argument +
                        " follow one another along W, and are {0} apart",
                    json::Array{pitch}));
    }
  } else {
    if (failed(addReversed(shape.dims, made.getDims())) ||
        failed(addReversed(shape.strides, made.getByteStrides())))
      return failure();
    json::Value span = spanOf(shape.dims, shape.strides, type.getUnitBytes()),
                whole = spanOf(tensor.dims, tensor.strides, bytes);
    checks.push_back(makeCheck(json::Array{"le", span, whole},
                               Code::TmaViewRange,
                               "a tensor map over " + argument +
                                   " spans {0} bytes, and the tensor {1}",
                               json::Array{span, whole}));
  }
  return shape;
}

/// PTX ISA, "Restriction on Tensor Copy instructions": stores write whole
/// chunks of 16 bytes.
void ManifestKernel::checkStores(TensorMapOp made, const MapShape &shape) {
  TensorMapType type = made.getType();
  std::string argument = argumentName(made.getTensor());
  int64_t bytes = getElementBytes(made.getTensor().getType().getElementType());
  if (isStoredThrough(made) && !made.getPadded() && !type.getInterleave()) {
    json::Value row = json::Array{"mul", shape.dims.front(), bytes};
    checks.push_back(makeCheck(
        json::Array{"eq", json::Array{"mod", row, 16}, 0}, Code::TmaStoreTail,
        "rows of " + argument +
            " take {0} bytes, which is no multiple of 16, and are stored by "
            "TMA",
        json::Array{row}));
  }
}

LogicalResult ManifestKernel::addMap(TensorMapOp made, StringRef name) {
  FailureOr<MapShape> found = shapeOf(made);
  if (failed(found))
    return failure();
  const MapShape &shape = *found;
  checkStores(made, shape);
  TensorMapType type = made.getType();
  int64_t swizzle = type.getSwizzle(), promotion = made.getL2Promotion();
  json::Object map{
      {"name", name},
      {"argument", argumentName(made.getTensor())},
      {"type", getTmaTypeName(made)},
      {"swizzle", swizzle ? std::to_string(swizzle) + "B" : "none"},
      {"l2_promotion", promotion ? std::to_string(promotion) + "B" : "none"},
      {"fill", made.getFill() == OobFill::NaN ? "nan" : "zero"},
      {"dims", json::Array(shape.dims)},
      {"byte_strides", json::Array(shape.strides)}};
  if (type.isIm2col())
    map["im2col"] =
        json::Object{{"pixels", type.getShape()[0]},
                     {"channels", type.getShape()[1]},
                     {"lower", json::Array(llvm::reverse(type.getLower()))},
                     {"upper", json::Array(llvm::reverse(type.getUpper()))}};
  else
    map["box"] = json::Array(llvm::reverse(type.getShape()));
  if (made.getPadded())
    map["padded"] = true;
  if (int64_t slice = type.getInterleave())
    map["interleave"] = std::to_string(slice) + "B";
  if (llvm::any_of(type.getElementStrides(),
                   [](int64_t stride) { return stride != 1; }))
    map["element_strides"] =
        json::Array(llvm::reverse(type.getElementStrides()));
  maps.push_back(std::move(map));
  return success();
}

FailureOr<json::Object> ManifestKernel::make(LoweredKernel lowered) {
  findAccesses();
  for (auto [argument, name] :
       llvm::zip(kernel.getLaunch().getArguments(), kernel.getArgNames()))
    addArgument(argument, cast<StringAttr>(name).getValue().str());
  for (auto require : kernel.getLaunch().front().getOps<RequireOp>())
    if (failed(addRequirement(require)))
      return failure();
  if (failed(addGrid()))
    return failure();
  for (auto [value, name] :
       llvm::zip(launch.getValues(), kernel.getLaunchNames()))
    if (isa<TensorMapType>(value.getType()) &&
        failed(addMap(value.getDefiningOp<TensorMapOp>(),
                      cast<StringAttr>(name).getValue())))
      return failure();

  // Several maps of a tensor ask the same of it.
  json::Array once;
  for (json::Value &check : checks)
    if (!llvm::is_contained(once, check))
      once.push_back(std::move(check));

  auto cluster = kernel.getClusterShape();
  json::Object result{
      {"name", kernel.getSymName()},
      {"entry", lowered.entry},
      {"arguments", std::move(arguments)},
      {"grid", std::move(grid)},
      {"cluster", json::Array{cluster[0], cluster[1], cluster[2]}},
      {"block", lowered.threads},
      {"shared_memory", json::Object{{"dynamic", lowered.sharedBytes}}},
      {"tensor_maps", std::move(maps)},
      {"parameters", std::move(lowered.parameters)},
      {"checks", std::move(once)},
      {"info", std::move(lowered.info)}};
  if (auto registers = kernel.getRegisters())
    result["registers"] = static_cast<int64_t>(*registers);
  if (kernel->hasAttr("titan.programmatic"))
    result["programmatic"] = true;
  return result;
}

FailureOr<json::Object> titan::makeManifestKernel(KernelOp kernel,
                                                  LoweredKernel lowered) {
  return ManifestKernel(kernel).make(std::move(lowered));
}
