//===- Launch.cpp - the launch region, on the host ------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Simulator/Machine.h"

#include "titan/Dialect/Titan/InitialValues.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace titan;
using namespace titan::sim;

namespace {

class Evaluator {
public:
  Evaluator(KernelOp kernel, ArrayRef<SimulatorArgument> arguments,
            const SimulatorOptions &options, std::vector<Finding> &findings)
      : kernel(kernel), arguments(arguments), options(options),
        findings(findings) {}

  std::optional<Launch> run();

private:
  static Finding error(Operation *op, Code code, const Twine &message) {
    return {code, Severity::Error, message.str(), op->getLoc(), {}, {}, {}};
  }
  bool bad(Operation *op, Code code, const Twine &message) {
    findings.push_back(error(op, code, message));
    return false;
  }
  bool checkArguments();
  bool checkContents(unsigned number, GlobalType tensor);
  bool checkGrid(LaunchOp op);
  bool operation(Operation &op);
  bool arithmetic(Operation &op);
  bool tensorMap(TensorMapOp op);
  const Finding *failureOf(Operation &op);

  KernelOp kernel;
  ArrayRef<SimulatorArgument> arguments;
  const SimulatorOptions &options;
  std::vector<Finding> &findings;
  llvm::DenseMap<Value, uint64_t> values;
  /// Values that there are none of: errors of what needs them.
  llvm::DenseMap<Value, Finding> failures;
  Launch launch;
};

} // namespace

/// Shapes and strides are those of the kernel's types, and lie within the
/// memory that the caller gives.
bool Evaluator::checkArguments() {
  ArrayAttr types = kernel.getArgTypes(), names = kernel.getArgNames();
  if (arguments.size() != types.size())
    return bad(kernel, Code::ArgumentMissing,
               llvm::formatv("the kernel has {0} arguments, {1} are given",
                             types.size(), arguments.size()));
  for (auto [i, attribute] : llvm::enumerate(types)) {
    Value value = kernel.getLaunch().getArgument(i);
    mlir::Type type = cast<TypeAttr>(attribute).getValue();
    StringRef name = cast<StringAttr>(names[i]).getValue();
    const SimulatorArgument &argument = arguments[i];
    auto tensor = dyn_cast<GlobalType>(type);
    if (!tensor) {
      auto known = typeOf(type);
      if (!known)
        return bad(kernel, Code::NotSupportedYet,
                   "the type of argument '" + name +
                       "' cannot be simulated yet");
      values[value] = canonical(*known, argument.scalar);
      continue;
    }
    values[value] = i;
    if (argument.shape.size() != tensor.getRank() ||
        argument.strides.size() != tensor.getRank() || !argument.data)
      return bad(kernel, Code::ArgumentShape,
                 llvm::formatv("'{0}' has {1} dimensions, {2} are given", name,
                               tensor.getRank(), argument.shape.size()));
    uint64_t last = 0;
    for (size_t d = 0; d < tensor.getRank(); ++d) {
      int64_t size = argument.shape[d], stride = argument.strides[d];
      if (size < 1)
        return bad(
            kernel, Code::LaunchZeroDim,
            llvm::formatv("dimension {0} of '{1}' is {2}", d, name, size));
      if ((!ShapedType::isDynamic(tensor.getShape()[d]) &&
           tensor.getShape()[d] != size) ||
          (!ShapedType::isDynamic(tensor.getStrides()[d]) &&
           tensor.getStrides()[d] != stride) ||
          stride < 0)
        return bad(kernel, Code::ArgumentShape,
                   llvm::formatv("dimension {0} of '{1}' has size {2} and "
                                 "stride {3}, which its type does not allow",
                                 d, name, size, stride));
      last += uint64_t(size - 1) * stride;
    }
    if ((last + 1) * titan::getElementBytes(tensor.getElementType()) >
        argument.bytes)
      return bad(kernel, Code::ArgumentShape,
                 llvm::formatv("'{0}' reaches to element {1}, beyond its {2} "
                               "bytes",
                               name, last, argument.bytes));
    if (!checkContents(i, tensor))
      return false;
  }
  return true;
}

/// Each element is what titan.initial says.
bool Evaluator::checkContents(unsigned number, GlobalType tensor) {
  auto initial = getInitialValue(kernel, number);
  if (!initial)
    return true;
  const SimulatorArgument &argument = arguments[number];
  uint64_t bytes = titan::getElementBytes(tensor.getElementType());
  llvm::SmallVector<int64_t> index(tensor.getRank(), 0);
  for (;;) {
    uint64_t at = 0;
    for (auto [i, stride] : llvm::zip(index, argument.strides))
      at += i * stride;
    // Little endian, as the host is that simulates.
    if (std::memcmp(argument.data + at * bytes, &*initial, bytes)) {
      std::string place;
      for (int64_t i : index)
        place += (place.empty() ? "" : ", ") + std::to_string(i);
      int64_t is = 0;
      std::memcpy(&is, argument.data + at * bytes, bytes);
      is = llvm::SignExtend64(is, 8 * bytes);
      return bad(kernel, Code::InitialValue,
                 llvm::formatv(
                     "element [{0}] of '{1}' is {2} at the launch, and "
                     "begins with {3}",
                     place,
                     cast<StringAttr>(kernel.getArgNames()[number]).getValue(),
                     is, *initial));
    }
    int64_t d = static_cast<int64_t>(index.size()) - 1;
    while (d >= 0 && ++index[d] == argument.shape[d])
      index[d--] = 0;
    if (d < 0)
      return true;
  }
}

/// Bytes from the first element to the last, strides in bytes.
static unsigned __int128 spanOf(ArrayRef<uint64_t> dims,
                                ArrayRef<uint64_t> strides) {
  unsigned __int128 bytes = strides.back();
  for (auto [dim, stride] : llvm::zip(dims, strides))
    bytes += static_cast<unsigned __int128>(dim - 1) * stride;
  return bytes;
}

bool Evaluator::tensorMap(TensorMapOp op) {
  unsigned number = values.lookup(op.getTensor());
  const SimulatorArgument &argument = arguments[number];
  TensorMapType type = op.getType();
  uint64_t bytes = titan::getElementBytes(type.getElementType()),
           slice = type.getInterleave();
  llvm::SmallVector<uint64_t> sizes(argument.shape.begin(),
                                    argument.shape.end()),
      pitches;
  for (int64_t stride : argument.strides)
    pitches.push_back(stride * bytes);
  llvm::SmallVector<uint64_t> dims = sizes, strides = pitches;
  if (op.isView()) {
    dims.clear();
    strides.clear();
    for (Value dim : op.getDims())
      dims.push_back(values.lookup(dim));
    for (Value stride : op.getByteStrides())
      strides.push_back(values.lookup(stride));
    strides.push_back(type.getUnitBytes());
  } else if (slice) {
    dims.pop_back();
    strides.pop_back();
    if (strides.back() != slice)
      return bad(op, Code::TmaInterleave,
                 llvm::formatv("slices of {0} bytes follow one another along "
                               "W, and the tensor's are {1} bytes apart",
                               slice, strides.back()));
  }
  TensorMap map = getTensorMapFields(type, getTmaTypeName(op));
  map.address = reinterpret_cast<uint64_t>(argument.data);
  // Ours are outermost first, the driver's innermost first.
  for (int d = 0; d < map.rank; ++d) {
    map.dims[d] = dims[map.rank - 1 - d];
    if (d > 0)
      map.strides[d - 1] = strides[map.rank - 1 - d];
  }
  map.nanFill = op.getFill() == OobFill::NaN;
  map.l2Promotion = op.getL2Promotion();
  for (const TmaViolation &violation :
       validate(map, targetWith(Feature::Tma))) {
    bad(op, violation.code, violation.field + ": " + violation.message);
    findings.back().fix = violation.fix;
  }
  // As in a package (LaunchManifest.cpp).
  if (int64_t tail =
          isStoredThrough(op) && !op.getPadded() ? storeTailBytes(map) : 0) {
    bad(op, Code::TmaStoreTail,
        llvm::formatv("rows of {0} bytes, which is no multiple of 16, are "
                      "stored by TMA: {1} bytes behind each are overwritten",
                      map.dims[0] * bytes, tail));
    findings.back().fix =
        "pad the rows of the output and say so (`padded` in the schedule, or "
        "titan.tensor_map ... {padded} : ...), or store the tail without TMA";
  }
  if (findings.empty())
    if (auto span = spanOf(dims, strides), whole = spanOf(sizes, pitches);
        span > whole)
      bad(op, Code::TmaViewRange,
          llvm::formatv("the map spans {0} bytes, its tensor {1}",
                        static_cast<uint64_t>(span),
                        static_cast<uint64_t>(whole)));
  values[op.getResult()] = launch.maps.size();
  launch.maps.push_back({map, number, op});
  return findings.empty();
}

/// Whether the number that an operation gives is none of its type's, or one of its
/// operands none that it counts as: in the launch region all numbers are signed
/// ones, as in a package's expressions (LaunchManifest.cpp).
static bool overflows(Operation &op, uint64_t a, uint64_t b) {
  auto widthOf = [](mlir::Type type) {
    return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  };
  unsigned from = widthOf(op.getOperand(0).getType()),
           to = widthOf(op.getResult(0).getType());
  // A carry of i1 is what one wants of it, and it has no sign.
  if (from == 1 || to == 1)
    return false;
  auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
  if (isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp, arith::MinUIOp,
          arith::MaxUIOp, arith::ExtUIOp, arith::IndexCastUIOp>(op))
    if (x < 0 || (op.getNumOperands() > 1 && y < 0))
      return true;
  if (isa<arith::TruncIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return to < from && !llvm::isIntN(to, x);
  if (isa<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(op))
    return y == -1 && x == llvm::minIntN(to);
  bool overflow = false;
  APInt left = APInt(64, a).sextOrTrunc(to),
        right = APInt(64, b).sextOrTrunc(to);
  if (isa<arith::AddIOp>(op))
    (void)left.sadd_ov(right, overflow);
  else if (isa<arith::SubIOp>(op))
    (void)left.ssub_ov(right, overflow);
  else if (isa<arith::MulIOp>(op))
    (void)left.smul_ov(right, overflow);
  return overflow;
}

/// The error of an operand that there is no value of. and, or and select need no
/// more than what they take, as in a package, so that a condition can guard a
/// division.
const Finding *Evaluator::failureOf(Operation &op) {
  auto of = [&](Value value) -> const Finding * {
    auto found = failures.find(value);
    return found == failures.end() ? nullptr : &found->second;
  };
  if (op.getNumOperands() == 0)
    return nullptr;
  if (const Finding *first = of(op.getOperand(0)))
    return first;
  bool known = values.lookup(op.getOperand(0)) & 1;
  if (isa<arith::SelectOp>(op))
    return of(op.getOperand(known ? 1 : 2));
  if (op.getOperand(0).getType().isInteger(1) &&
      ((isa<arith::AndIOp>(op) && !known) || (isa<arith::OrIOp>(op) && known)))
    return nullptr;
  for (Value operand : op.getOperands().drop_front())
    if (const Finding *failure = of(operand))
      return failure;
  return nullptr;
}

bool Evaluator::operation(Operation &op) {
  if (const Finding *failure = failureOf(op)) {
    if (isa<RequireOp, TensorMapOp, LaunchOp>(op)) {
      findings.push_back(*failure);
      return false;
    }
    Finding same = *failure;
    for (Value result : op.getResults())
      failures.try_emplace(result, same);
    return true;
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto type = typeOf(constant.getType());
    if (!type)
      return bad(&op, Code::NotSupportedYet,
                 "a constant of this type cannot be simulated yet");
    if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
      values[constant.getResult()] =
          number.getValue().bitcastToAPInt().getZExtValue();
    else
      values[constant.getResult()] = canonical(
          *type,
          cast<IntegerAttr>(constant.getValue()).getValue().getSExtValue());
    return true;
  }
  if (auto dim = dyn_cast<DimOp>(op)) {
    values[dim.getResult()] =
        arguments[values.lookup(dim.getTensor())].shape[dim.getDimension()];
    return true;
  }
  if (auto stride = dyn_cast<StrideOp>(op)) {
    values[stride.getResult()] = arguments[values.lookup(stride.getTensor())]
                                     .strides[stride.getDimension()];
    return true;
  }
  if (auto property = dyn_cast<DevicePropertyOp>(op)) {
    values[property.getResult()] = options.multiprocessors;
    return true;
  }
  if (auto require = dyn_cast<RequireOp>(op)) {
    if (values.lookup(require.getCondition()) & 1)
      return true;
    const CodeInfo *info =
        lookupCode({require.getCode().data(), require.getCode().size()});
    std::string message = require.getMessage().str();
    const char *separator = " (";
    for (const LaunchInput &input : getLaunchInputs(require.getCondition())) {
      message +=
          llvm::formatv("{0}{1} is {2}", separator, input.name,
                        static_cast<int64_t>(values.lookup(input.value)));
      separator = ", ";
    }
    if (*separator == ',')
      message += ")";
    bad(&op, info ? info->id : Code::LaunchCheck, message);
    findings.back().fix = require.getFix().value_or("").str();
    return false;
  }
  if (auto map = dyn_cast<TensorMapOp>(op))
    return tensorMap(map);
  if (isa<LaunchOp>(op))
    return checkGrid(cast<LaunchOp>(op));
  return arithmetic(op);
}

bool Evaluator::arithmetic(Operation &op) {
  auto what = findElt(op.getName().getStringRef());
  auto in = op.getNumOperands()
                ? typeOf(op.getOperand(op.getNumOperands() - 1).getType())
                : std::nullopt;
  auto out = op.getNumResults() == 1 ? typeOf(op.getResult(0).getType())
                                     : std::nullopt;
  if (!what || !in || !out)
    return bad(&op, Code::NotSupportedYet,
               "'" + op.getName().getStringRef() +
                   "' cannot be simulated yet in a launch region");
  EltOp elt{*what, *in, *out, 0};
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    elt.predicate = static_cast<uint8_t>(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    elt.predicate = static_cast<uint8_t>(compare.getPredicate());
  uint64_t operands[3] = {};
  for (unsigned i = 0; i < op.getNumOperands(); ++i)
    operands[i] = values.lookup(op.getOperand(i));
  auto numbers = [&] {
    std::string text = std::to_string(static_cast<int64_t>(operands[0]));
    if (op.getNumOperands() > 1)
      text += " and " + std::to_string(static_cast<int64_t>(operands[1]));
    return text;
  };
  mlir::Value result = op.getResult(0);
  // No matter what the number is: INT_MIN, too.
  if (isa<arith::RemSIOp>(op) && *in != ElementType::I1 &&
      static_cast<int64_t>(operands[1]) == -1)
    values[result] = 0;
  else if (overflows(op, operands[0], operands[1]))
    failures.try_emplace(
        result, error(&op, Code::LaunchOverflow,
                      llvm::formatv(
                          "'{0}' of {1}: no number of its type, or a negative "
                          "one that counts as unsigned",
                          op.getName().getStringRef(), numbers())
                          .str()));
  else if (auto number = evaluate(elt, operands[0], operands[1], operands[2]))
    values[result] = *number;
  else
    failures.try_emplace(
        result, error(&op, Code::LaunchDivision,
                      llvm::formatv("'{0}' of {1} has no result",
                                    op.getName().getStringRef(), numbers())
                          .str()));
  return true;
}

bool Evaluator::checkGrid(LaunchOp op) {
  static const int64_t limits[] = {(int64_t(1) << 31) - 1, 65535, 65535};
  auto cluster = kernel.getClusterShape();
  for (auto [d, extent] : llvm::enumerate(op.getGrid()))
    launch.grid[d] = static_cast<int64_t>(values.lookup(extent));
  for (int d = 0; d < 3; ++d) {
    if (launch.grid[d] < 1)
      return bad(
          op, Code::LaunchZeroDim,
          llvm::formatv("the grid's dimension {0} is {1}", d, launch.grid[d]));
    if (launch.grid[d] > limits[d])
      return bad(op, Code::LaunchGrid,
                 llvm::formatv("the grid's dimension {0} is {1}, at most {2}",
                               d, launch.grid[d], limits[d]));
    if (launch.grid[d] % cluster[d])
      return bad(
          op, Code::ClusterLimit,
          llvm::formatv("the grid's dimension {0} is {1}, no multiple of "
                        "the cluster's {2}",
                        d, launch.grid[d], cluster[d]));
  }
  for (Value value : op.getValues())
    launch.values.push_back(values.lookup(value));
  return true;
}

std::optional<Launch> Evaluator::run() {
  if (!checkArguments())
    return std::nullopt;
  for (Operation &op : kernel.getLaunch().front())
    if (!operation(op))
      return std::nullopt;
  return std::move(launch);
}

std::optional<Launch> titan::sim::evaluateLaunch(
    KernelOp kernel, ArrayRef<SimulatorArgument> arguments,
    const SimulatorOptions &options, std::vector<Finding> &findings) {
  return Evaluator(kernel, arguments, options, findings).run();
}
