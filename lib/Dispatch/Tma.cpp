//===- Tma.cpp - copies by schedule into tensor copies --------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lib/Domain decides (TmaSchedule.h); this variant writes it down. Of
//
//     titan.copy_async %X at(Mo = %m, Ko = %k) to %tile signals %full
//     schedule(#s)
//
// the launch region gets what schedules promise of sizes, then the tensor map and
// what else the launch has to check, once for all copies that want the same, and
// the body
//
//   loads                                    stores
//     mbarrier.expect_tx %full, bytes
//     tma.load %map[...], %tile, %full         tma.store %tile, %map[...]
//
// for each box of the tile (a view of the buffer; a tile that equal boxes do
// not divide has two maps or four). Where there is a predicate
//
//     scf.if %predicate {                      scf.if %predicate {
//       tma.load %map[...]                       tma.store ...
//     } else {                                 }
//       tma.load %map[outside]
//     }
//
// An else branch that fills copies as many bytes, so that the expectation
// stands before the branch; a weak load without an else branch expects its
// bytes inside. im2col: `tma.load %map[...] offsets[...]`, outside with 0.
// Divisions are Euclidean (Expr.h): where the dividend cannot be negative they
// are the unsigned ones.
//
//===----------------------------------------------------------------------===//
#include "Building.h"

#include "titan/Dispatch/Copy.h"

#include "titan/Dialect/Titan/CopyAsync.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace titan;
using Index = titan::Expr; // There is an effect::Expr, too.

//===----------------------------------------------------------------------===//
// Expressions as arith
//===----------------------------------------------------------------------===//

/// Whether the value is at least 0 where all symbols are. Divisors are extents,
/// and above 0.
static bool isNonNegative(const Index &e) {
  switch (e.kind()) {
  case Index::Kind::Constant:
    return *e.constant() >= 0;
  case Index::Kind::Symbol:
  case Index::Kind::Mod:
    return true;
  case Index::Kind::Max:
    return isNonNegative(e.lhs()) || isNonNegative(e.rhs());
  case Index::Kind::Div:
  case Index::Kind::CeilDiv:
    return isNonNegative(e.lhs());
  default:
    return isNonNegative(e.lhs()) && isNonNegative(e.rhs());
  }
}

namespace {
/// Writes expressions, of type index.
struct Writer {
  OpBuilder &b;
  Location loc;
  llvm::function_ref<Value(OpBuilder &, const std::string &)> symbol;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  template <typename Op> Value binary(const Index &x, const Index &y) {
    Value left = (*this)(x), right = (*this)(y);
    return b.createOrFold<Op>(loc, left, right);
  }
  Value operator()(const Index &e) {
    switch (e.kind()) {
    case Index::Kind::Constant:
      return constant(*e.constant());
    case Index::Kind::Symbol:
      return symbol(b, e.name());
    case Index::Kind::Add:
      if (auto c = e.rhs().constant(); c && *c < 0 && *c != INT64_MIN)
        return binary<arith::SubIOp>(e.lhs(), -*c);
      if (e.rhs().kind() == Index::Kind::Mul && e.rhs().rhs().is(-1))
        return binary<arith::SubIOp>(e.lhs(), e.rhs().lhs());
      return binary<arith::AddIOp>(e.lhs(), e.rhs());
    case Index::Kind::Mul:
      return binary<arith::MulIOp>(e.lhs(), e.rhs());
    case Index::Kind::Div:
      return isNonNegative(e) ? binary<arith::DivUIOp>(e.lhs(), e.rhs())
                              : binary<arith::FloorDivSIOp>(e.lhs(), e.rhs());
    case Index::Kind::Mod:
      if (isNonNegative(e.lhs()))
        return binary<arith::RemUIOp>(e.lhs(), e.rhs());
      return (*this)(e.lhs() - e.lhs() / e.rhs() * e.rhs());
    case Index::Kind::CeilDiv:
      return isNonNegative(e) ? binary<arith::CeilDivUIOp>(e.lhs(), e.rhs())
                              : binary<arith::CeilDivSIOp>(e.lhs(), e.rhs());
    case Index::Kind::Xor:
      return binary<arith::XOrIOp>(e.lhs(), e.rhs());
    case Index::Kind::Min:
      return binary<arith::MinSIOp>(e.lhs(), e.rhs());
    case Index::Kind::Max:
      return binary<arith::MaxSIOp>(e.lhs(), e.rhs());
    }
    llvm_unreachable("all kinds of expressions");
  }
};
} // namespace

/// The greatest value that an index, which is at least 0, is known to have.
static std::optional<int64_t> greatestOf(Value value, int depth = 0) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  if (depth == 8)
    return std::nullopt;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || loop.getInductionVar() != argument)
      return std::nullopt;
    auto end = greatestOf(loop.getUpperBound(), depth + 1);
    return end ? std::optional(*end - 1) : std::nullopt;
  }
  Operation *op = value.getDefiningOp();
  auto operand = [&](unsigned i) {
    return greatestOf(op->getOperand(i), depth + 1);
  };
  if (isa<arith::RemUIOp>(op))
    if (auto divisor = operand(1))
      return *divisor - 1;
  if (isa<arith::AddIOp, arith::MulIOp>(op)) {
    auto a = operand(0), b = operand(1);
    int64_t result;
    if (a && b && *a >= 0 && *b >= 0 &&
        !(isa<arith::AddIOp>(op) ? llvm::AddOverflow(*a, *b, result)
                                 : llvm::MulOverflow(*a, *b, result)))
      return result;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Boxes of a tile
//===----------------------------------------------------------------------===//

/// Elements [start, start + count) of a row-major array as a part of it:
/// appends offsets and sizes; false where they are none.
static bool partOf(ArrayRef<int64_t> shape, int64_t start, int64_t count,
                   SmallVectorImpl<int64_t> &offsets,
                   SmallVectorImpl<int64_t> &sizes) {
  offsets.assign(shape.size(), 0);
  sizes.assign(shape.size(), 1);
  bool cut = false;
  for (size_t d = shape.size(); d-- > 0;) {
    int64_t size = shape[d];
    bool whole = !cut && count % size == 0 && start % size == 0;
    sizes[d] = whole ? size : cut ? 1 : count;
    offsets[d] = start % size;
    if (!whole && !cut) {
      if (offsets[d] + count > size)
        return false;
      cut = true;
    }
    count = whole ? count / size : 1;
    start /= size;
  }
  return count == 1 && start == 0;
}

/// The part of the buffer at a byte offset that holds `elements`.
static FailureOr<Value> boxOf(OpBuilder &b, Location loc,
                              TypedValue<SharedType> buffer, int64_t byte,
                              int64_t elements) {
  SharedType type = buffer.getType();
  int64_t size = type.getElementBytes();
  if (byte == 0 && elements * size == type.getTileBytes())
    return Value(buffer);
  SmallVector<int64_t> offsets, sizes;
  if (int64_t span = type.getSwizzle()) {
    // A panel, or some of its rows.
    int64_t panel =
        type.getTileBytes() / (type.getShape().back() * size) * span;
    if (elements * size % span != 0 ||
        !partOf(type.getShape().drop_back(), byte % panel / span,
                elements * size / span, offsets, sizes))
      return failure();
    offsets.push_back(byte / panel * (span / size));
    sizes.push_back(span / size);
  } else if (!partOf(type.getShape(), byte / size, elements, offsets, sizes)) {
    return failure();
  }
  auto part = SharedType::get(b.getContext(), sizes, type.getElementType(),
                              type.getSwizzle(), 1, false);
  if (byte % part.getAlignment() != 0)
    return failure();
  return Value(SharedViewOp::create(b, loc, part, buffer, offsets));
}

//===----------------------------------------------------------------------===//
// A kernel's copies
//===----------------------------------------------------------------------===//

namespace {
class Lowerer {
public:
  Lowerer(KernelOp kernel, bool assertIndices)
      : assertIndices(assertIndices), kernel(kernel) {}
  LogicalResult lower(CopyAsyncOp copy, const CopyLowering &lowering);
  /// Launch checks: what schedules promise of sizes (`size N multiple M`), which
  /// the other checks and the maps build on, or all the others.
  void check(CopyAsyncOp copy, const CopyLowering &lowering, bool promises);

private:
  /// A size or stride of the copy's tensor in the launch region.
  Value launchValue(OpBuilder &b, CopyAsyncOp copy, const TmaSchedule &schedule,
                    const std::string &symbol);
  Value mapFor(CopyAsyncOp copy, const TmaSchedule &s, const TmaLowering &low);
  LogicalResult box(OpBuilder &b, CopyAsyncOp copy, const TmaLowering &low,
                    Value map, Writer &write);

  bool assertIndices;
  KernelOp kernel;
  std::map<std::string, Value> maps; ///< By all of their parameters.
  llvm::StringSet<> checks;
};
} // namespace

/// More boxes than this are a schedule that should be another one.
static constexpr int64_t maxBoxes = 256;

Value Lowerer::launchValue(OpBuilder &b, CopyAsyncOp copy,
                           const TmaSchedule &schedule,
                           const std::string &symbol) {
  auto argument = cast<BlockArgument>(copy.getTensor());
  Value tensor = kernel.getLaunch().getArgument(argument.getArgNumber());
  for (auto [d, dim] : llvm::enumerate(schedule.global)) {
    const std::string &name = schedule.graph[dim.domain].name;
    if (symbol == name)
      return DimOp::create(b, copy.getLoc(), tensor, d);
    if (symbol == strideSymbol(name))
      return StrideOp::create(b, copy.getLoc(), tensor, d);
  }
  llvm_unreachable("a symbol that is none of the tensor's");
}

Value Lowerer::mapFor(CopyAsyncOp copy, const TmaSchedule &s,
                      const TmaLowering &low) {
  auto argument = cast<BlockArgument>(copy.getTensor());
  GlobalType tensor = copy.getTensor().getType();
  SmallVector<int64_t> shape(low.box.rbegin(), low.box.rend()),
      steps(low.elementStrides.rbegin(), low.elementStrides.rend()), lower,
      upper;
  if (low.mode == TmaMode::Im2col) {
    shape = {low.im2col.pixels, low.im2col.channels};
    for (size_t d = low.im2colOffsets.size(); d-- > 0;) {
      lower.push_back(low.im2col.lower[d]);
      upper.push_back(low.im2col.upper[d]);
    }
  }
  OpBuilder b(kernel.getLaunchOp());
  Location loc = copy.getLoc();
  // Whose dimensions are they?
  size_t rank = low.dims.size();
  bool own = rank == s.global.size();
  for (size_t k = 0; own && k < rank; ++k) {
    const TmaGlobalDim &dim = s.global[rank - 1 - k];
    own = low.dims[k].same(s.graph[dim.domain].extent) &&
          (k == 0 || low.strides[k - 1].same(dim.stride));
  }
  auto type =
      TensorMapType::get(kernel.getContext(), shape, tensor.getElementType(),
                         copy.getBuffer().getType().getSwizzle(), steps,
                         /*interleave=*/0, lower, upper);
  bool padded = !copy.isLoad() && s.tailIsPadding;
  std::string key;
  llvm::raw_string_ostream os(key);
  os << argument.getArgNumber() << ' ' << type << ' ' << low.nanFill << ' '
     << StringRef(low.type->name) << ' ' << padded;
  for (const Index &e : low.dims)
    os << ' ' << e.str();
  for (const Index &e : low.strides)
    os << ' ' << e.str();
  Value &known = maps[key];
  if (known)
    return known;
  Value over = kernel.getLaunch().getArgument(argument.getArgNumber());
  SmallVector<Value> dims, strides;
  if (!own) {
    auto symbol = [&](OpBuilder &b, const std::string &name) {
      return launchValue(b, copy, s, name);
    };
    Writer write{b, loc, symbol};
    for (const Index &e : llvm::reverse(low.dims))
      dims.push_back(write(e));
    for (const Index &e : llvm::reverse(low.strides))
      strides.push_back(write(e));
  }
  auto map = TensorMapOp::create(b, loc, type, over, dims, strides,
                                 low.nanFill ? OobFill::NaN : OobFill::Zero,
                                 /*l2_promotion=*/128, padded);

  // Passed to the body, under a name that is free.
  SmallVector<Attribute> names(kernel.getLaunchNames().getAsRange<Attribute>());
  auto taken = [&](StringRef name) {
    auto is = [&](Attribute each) {
      return cast<StringAttr>(each).getValue() == name;
    };
    return llvm::any_of(names, is) || llvm::any_of(kernel.getArgNames(), is);
  };
  std::string base =
      cast<StringAttr>(kernel.getArgNames()[argument.getArgNumber()])
          .getValue()
          .str();
  std::string name = base + "_map";
  for (int n = 1; taken(name); ++n)
    name = base + "_map" + std::to_string(n);
  names.push_back(b.getStringAttr(name));
  kernel.setLaunchNamesAttr(b.getArrayAttr(names));
  kernel.getLaunchOp().getValuesMutable().append(map.getResult());
  known = kernel.getBody().addArgument(
      type, NameLoc::get(b.getStringAttr(name), loc));
  return known;
}

/// The encoder's own rules are the map's.
void Lowerer::check(CopyAsyncOp copy, const CopyLowering &lowering,
                    bool promises) {
  const TmaSchedule &s = lowering.schedule;
  Location loc = copy.getLoc();
  OpBuilder b(kernel.getLaunchOp());
  auto symbol = [&](OpBuilder &b, const std::string &name) {
    return launchValue(b, copy, s, name);
  };
  Writer write{b, loc, symbol};
  unsigned argument = cast<BlockArgument>(copy.getTensor()).getArgNumber();
  StringRef tensor =
      cast<StringAttr>(kernel.getArgNames()[argument]).getValue();
  auto require = [&](const Index &atLeastZero, StringRef code,
                     const Twine &message, const std::string &fix = {}) {
    std::string text = (tensor + ": " + message).str();
    if (!checks
             .insert((Twine(argument) + " " + code + " " + atLeastZero.str() +
                      " " + text)
                         .str())
             .second)
      return;
    Value good = b.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::sge, write(atLeastZero), write.constant(0));
    RequireOp::create(b, loc, good, code, text,
                      fix.empty() ? StringAttr() : b.getStringAttr(fix));
  };
  for (const LaunchCheck &each : lowering.low.checks) {
    if ((each.code == Code::LaunchCheck) != promises)
      continue;
    if (llvm::is_contained({Code::TmaBaseAlignment, Code::TmaDimRange,
                            Code::TmaStrideAlignment, Code::TmaStrideRange,
                            Code::TmaIm2col}, // Bounding boxes.
                           each.code))
      continue;
    std::string_view code = codeInfo(each.code).code;
    require(each.atLeastZero, code,
            (each.field.empty() ? "" : each.field + ": ") + each.message +
                each.example,
            each.fix);
  }
}

/// Whether the copy itself tells its barrier of bytes: of a multicast each CTA
/// tells its own.
static bool expects(CopyAsyncOp copy) {
  return copy.isLoad() && !copy.getMulticast() && !copy.getPrefetch();
}

/// Tells the copy's barrier of bytes.
static void expect(OpBuilder &b, CopyAsyncOp copy, int64_t bytes) {
  auto op = MBarrierExpectTxOp::create(
      b, copy.getLoc(), copy.getBarrier(), copy.getIndex(),
      arith::ConstantIntOp::create(b, copy.getLoc(), bytes, 32));
  op->setDiscardableAttr(ofCopyAsync, b.getUnitAttr());
}

/// One box: `low` has numbers for the loops of boxes.
LogicalResult Lowerer::box(OpBuilder &b, CopyAsyncOp copy,
                           const TmaLowering &low, Value map, Writer &write) {
  Location loc = copy.getLoc();
  auto byte = low.sharedOffset.constant();
  auto type = cast<TensorMapType>(map.getType());
  FailureOr<Value> part = failure();
  if (byte)
    part = boxOf(b, loc, copy.getBuffer(), *byte,
                 type.getBoxBytes() /
                     copy.getBuffer().getType().getElementBytes());
  if (failed(part))
    return copy.emitOpError("[not-supported-yet] a box at byte ")
           << low.sharedOffset.str()
           << " of the buffer, which is no view of it (titan.shared.view)";
  auto emit = [&](OpBuilder &b, ValueRange coords, ValueRange offsets) {
    if (copy.getPrefetch())
      TmaPrefetchOp::create(b, loc, map, coords, offsets, copy.getCacheAttr());
    else if (copy.isLoad())
      TmaLoadOp::create(b, loc, map, coords, offsets, *part, copy.getBarrier(),
                        copy.getIndex(), copy.getMulticast(),
                        /*pair=*/UnitAttr(), copy.getCacheAttr());
    else if (auto reduce = copy.getReduce())
      TmaReduceOp::create(b, loc, *reduce, *part, map, coords,
                          copy.getCacheAttr());
    else
      TmaStoreOp::create(b, loc, *part, map, coords, copy.getCacheAttr());
  };
  auto emitInside = [&](OpBuilder &b) {
    Writer here{b, loc, write.symbol};
    if (expects(copy) && low.otherwise == TmaElse::Skip)
      expect(b, copy, low.thenBytes);
    SmallVector<Value> coords, offsets;
    for (const Index &e : llvm::reverse(low.coords))
      coords.push_back(here(e));
    for (const Index &e : llvm::reverse(low.im2colOffsets))
      offsets.push_back(here(e));
    emit(b, coords, offsets);
  };
  auto emitOutside = [&](OpBuilder &b) {
    Writer here{b, loc, write.symbol};
    SmallVector<Value> coords, offsets;
    for (int64_t x : llvm::reverse(low.outside))
      coords.push_back(here.constant(x));
    for (size_t d = 0; d < low.im2colOffsets.size(); ++d)
      offsets.push_back(here.constant(0));
    emit(b, coords, offsets);
  };
  Value holds;
  for (const TmaBound &bound : low.predicate) {
    // 0 <= index < extent.
    bool natural = isNonNegative(bound.index);
    Value index = write(bound.index), extent = write(bound.extent);
    Value test = b.createOrFold<arith::CmpIOp>(
        loc, natural ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult,
        index, extent);
    holds = holds ? b.createOrFold<arith::AndIOp>(loc, holds, test) : test;
  }
  bool fills = low.otherwise == TmaElse::Fill && !copy.getPrefetch();
  if (!holds || matchPattern(holds, m_One())) {
    emitInside(b);
  } else if (matchPattern(holds, m_Zero())) {
    if (fills)
      emitOutside(b);
  } else {
    auto branch = scf::IfOp::create(b, loc, holds, /*withElse=*/fills);
    OpBuilder then = branch.getThenBodyBuilder();
    emitInside(then);
    if (fills) {
      OpBuilder otherwise = branch.getElseBodyBuilder();
      emitOutside(otherwise);
    }
  }
  return success();
}

LogicalResult Lowerer::lower(CopyAsyncOp copy, const CopyLowering &lowering) {
  const TmaLowering &low = lowering.low;
  if (low.boxesOfTile() > maxBoxes)
    return copy.emitOpError("[not-supported-yet] a tile of more than ")
           << maxBoxes << " boxes";
  std::vector<const TmaLowering *> parts = low.parts();
  SmallVector<Value> maps;
  for (const TmaLowering *part : parts)
    maps.push_back(mapFor(copy, lowering.schedule, *part));
  check(copy, lowering, /*promises=*/false);

  // Indices: values, and numbers where they are known.
  OpBuilder b(copy);
  Location loc = copy.getLoc();
  llvm::StringMap<Value> indices;
  Index::Bindings known, greatest;
  for (const TmaLoop &loop : low.loops)
    for (auto [name, value] : llvm::zip(copy.getLoops(), copy.getIndices())) {
      if (cast<StringAttr>(name).getValue() !=
          StringRef(low.graph[loop.domain].name))
        continue;
      indices[loop.index] = value;
      APInt number;
      if (matchPattern(value, m_ConstantInt(&number)))
        known[loop.index] = number.getSExtValue();
      else if (auto most = greatestOf(value))
        greatest[loop.index] = *most;
    }
  auto symbol = [&](OpBuilder &b, const std::string &name) -> Value {
    if (Value index = indices.lookup(name))
      return index;
    for (auto [d, dim] : llvm::enumerate(lowering.schedule.global))
      if (name == lowering.schedule.graph[dim.domain].name)
        return DimOp::create(b, loc, copy.getTensor(), d);
    llvm_unreachable("a symbol that is neither a loop nor a size");
  };
  Writer write{b, loc, symbol};
  if (assertIndices)
    for (const TmaLoop &loop : low.loops) {
      Value index = indices.lookup(loop.index);
      auto most = greatest.find(loop.index), number = known.find(loop.index);
      auto extent = loop.extent.constant();
      if (!index ||
          (extent && ((most != greatest.end() && most->second < *extent) ||
                      number != known.end())))
        continue;
      Value below = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                          index, write(loop.extent));
      AssertOp::create(b, loc, below,
                       "the index of loop " + low.graph.str(loop.domain) +
                           " is at least 0 and below its extent");
    }
  // Each box, and its map.
  std::vector<std::pair<TmaLowering, Value>> boxes;
  for (auto [part, map] : llvm::zip(parts, maps)) {
    std::vector<std::pair<std::string, int64_t>> loops;
    int64_t count = 1;
    for (const TmaLoop &loop : part->loops)
      if (loop.ofBoxes) {
        loops.emplace_back(loop.index, loop.extent.constant().value_or(1));
        count *= loops.back().second;
      }
    for (int64_t n = 0; n < count; ++n) {
      Index::Bindings at = known;
      int64_t left = n;
      for (auto &[name, extent] : llvm::reverse(loops)) {
        at[name] = left % extent;
        left /= extent;
      }
      boxes.emplace_back(part->fixed(at, greatest), map);
    }
  }
  // A box that may be skipped is expected where it is copied.
  int64_t sure = 0;
  for (const auto &[one, map] : boxes)
    if (one.otherwise != TmaElse::Skip)
      sure += one.thenBytes;
  if (copy.getMulticast() && sure != copy.getBuffer().getType().getTileBytes())
    return copy.emitOpError(
        "[not-supported-yet] a multicast of a tile that may "
        "be left out, which nobody can expect");
  if (sure > 0 && expects(copy))
    expect(b, copy, sure);
  for (const auto &[one, map] : boxes)
    if (failed(box(b, copy, one, map, write)))
      return failure();
  copy.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// The variant
//===----------------------------------------------------------------------===//

namespace {
/// What one copy needs hangs on the others.
struct TmaCopies {
  explicit TmaCopies(dispatch::CopyDispatch &of)
      : lowerer(of.kernel, of.assertIndices) {
    for (LoweredCopy &each : lowerCopies(of.kernel))
      lowerings.emplace(each.copy, std::move(each.lowering));
  }
  Lowerer lowerer;
  std::map<Operation *, Result<CopyLowering>> lowerings;
};
} // namespace

static Result<dispatch::Plan> planTma(const dispatch::CopyRequest &request) {
  auto &copies = request.kernel->state<TmaCopies>();
  auto copy = cast<CopyAsyncOp>(request.op);
  const Result<CopyLowering> &lowering = copies.lowerings.at(copy);
  if (!lowering)
    return lowering.problem();
  dispatch::Plan plan;
  int64_t boxes = std::max<int64_t>(1, lowering->low.boxesOfTile());
  plan.cost = {.instructions = boxes,
               .bytes = copy.getBuffer().getType().getTileBytes() / boxes};
  SmallVector<dispatch::SharedAccess> accesses;
  dispatch::addSharedAccesses(copy, accesses);
  plan.cost.fences = dispatch::proxyFences(copy, accesses);
  plan.prepare = [&copies, &lowering, copy] {
    copies.lowerer.check(copy, *lowering, /*promises=*/true);
  };
  plan.build = [&copies, &lowering, copy] {
    return copies.lowerer.lower(copy, *lowering);
  };
  return plan;
}

void dispatch::registerTma(CopyVariants &table) {
  table.add({.name = "tma",
             .directions = {{Memory::Global, Memory::Shared},
                            {Memory::Shared, Memory::Global}},
             .priority = 20,
             .when = {isBySchedule()},
             .plan = planTma});
}
