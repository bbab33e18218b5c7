//===- Conversion.cpp - one Triton program on its way to titan IR ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "titan/Dialect/Titan/ArgumentAlignment.h"
#include "titan/Layout/Conversion.h"

#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace titan;

ProgramConversion::ProgramConversion(tt::FuncOp function,
                                     const TritonToTitanOptions &options)
    : options(options), b(function.getLoc(), function.getContext()),
      layouts(function, options), function(function) {}

InFlightDiagnostic ProgramConversion::unsupported(Operation *op,
                                                  const Twine &what) {
  InFlightDiagnostic error = op->emitError("[not-supported-yet] ");
  error << what;
  return error;
}

const TritonToTitanTable &TritonToTitanTable::get() {
  static const TritonToTitanTable table = [] {
    TritonToTitanTable families;
    populateTritonProgram(families);
    populateTritonElementwise(families);
    populateTritonMemory(families);
    populateTritonPointers(families);
    populateTritonDescriptors(families);
    populateTritonProducts(families);
    populateTritonShapes(families);
    populateTritonRegions(families);
    return families;
  }();
  return table;
}

//===----------------------------------------------------------------------===//
// The kernel and its launch
//===----------------------------------------------------------------------===//

/// The name that the text gives an argument; those behind a descriptor are its sizes
/// and strides.
static std::string nameOfArgument(BlockArgument argument) {
  int64_t number = argument.getArgNumber();
  for (int64_t back = 1; back <= number; ++back) {
    BlockArgument before = argument.getOwner()->getArgument(number - back);
    auto descriptor = dyn_cast<tt::TensorDescType>(before.getType());
    if (!descriptor)
      continue;
    int64_t rank = descriptor.getBlock().getRank();
    if (back <= 2 * rank)
      return nameOfArgument(before) +
             (back <= rank ? "_size_" + std::to_string(back - 1)
                           : "_stride_" + std::to_string(back - 1 - rank));
    break;
  }
  if (auto name = argument.getLoc()->findInstanceOf<NameLoc>())
    return name.getName().str();
  return "arg" + std::to_string(argument.getArgNumber());
}

static constexpr StringRef gridNames[] = {"grid_x", "grid_y", "grid_z"};

LogicalResult ProgramConversion::makeKernel() {
  if (function.getBody().getBlocks().size() != 1)
    return unsupported(function, "branches that are no scf.if and no loop");
  SmallVector<Attribute> types, names;
  SmallVector<Type> plain;
  SmallVector<Location> locs;
  llvm::StringSet<> taken;
  NamedAttrList alignment;
  auto add = [&](StringRef name, Type type, Location loc) {
    std::string one = name.str();
    while (!taken.insert(one).second)
      one += "_";
    names.push_back(b.getStringAttr(one));
    types.push_back(TypeAttr::get(type));
    plain.push_back(type);
    locs.push_back(loc);
    return names.size() - 1;
  };
  for (BlockArgument argument : function.getArguments()) {
    Type type = argument.getType();
    if (auto descriptor = dyn_cast<tt::TensorDescType>(type))
      type = tt::PointerType::get(
          b.getContext(), descriptor.getSignlessBlock().getElementType(), 1);
    if (auto pointer = dyn_cast<tt::PointerType>(type)) {
      Type element = elementOfMemory(pointer);
      if (!element)
        return unsupported(function, "argument " + nameOfArgument(argument) +
                                         ": memory of such elements");
      type =
          GlobalType::get(b.getContext(), {ShapedType::kDynamic}, element, {1});
    } else if (!type.isIntOrFloat()) {
      return unsupported(function, "argument " + nameOfArgument(argument) +
                                       " is neither a pointer nor a number");
    }
    size_t number = add(nameOfArgument(argument), type, argument.getLoc());
    auto divides = function.getArgAttrOfType<IntegerAttr>(
        argument.getArgNumber(), "tt.divisibility");
    if (isa<tt::TensorDescType>(argument.getType())) // As TMA asks for.
      alignment.set(cast<StringAttr>(names[number]), b.getI64IntegerAttr(16));
    else if (divides && isa<GlobalType>(type))
      alignment.set(
          cast<StringAttr>(names[number]),
          b.getI64IntegerAttr(std::min<int64_t>(divides.getInt(), 4096)));
  }
  // Programs along an axis that nobody asks for would all do the same, unless what an
  // atomic finds says which is which: a lock, a counter that deals out work.
  function.walk([&](Operation *op) {
    if (isa<tt::AtomicRMWOp, tt::AtomicCASOp>(op))
      axes[0] = true;
    if (auto id = dyn_cast<tt::GetProgramIdOp>(op))
      axes[static_cast<int>(id.getAxis())] = true;
    if (auto count = dyn_cast<tt::GetNumProgramsOp>(op))
      axes[static_cast<int>(count.getAxis())] = true;
  });
  for (auto [axis, name] : llvm::enumerate(gridNames))
    if (axes[axis])
      add(name, b.getI32Type(), function.getLoc());

  b.setInsertionPoint(function);
  OperationState state(function.getLoc(), KernelOp::getOperationName());
  state.addAttribute("sym_name", function.getSymNameAttr());
  state.addAttribute("arg_types", b.getArrayAttr(types));
  state.addAttribute("arg_names", b.getArrayAttr(names));
  state.addAttribute("launch_names", b.getArrayAttr({}));
  state.addAttribute("warps", b.getI64IntegerAttr(options.warps));
  if (options.registers)
    state.addAttribute("registers", b.getI64IntegerAttr(*options.registers));
  if (!alignment.empty())
    state.addAttribute("titan.alignment",
                       alignment.getDictionary(b.getContext()));
  for (int region = 0; region < 2; ++region)
    state.addRegion()->emplaceBlock().addArguments(plain, locs);
  kernel = cast<KernelOp>(b.create(state));
  makeLaunch();
  for (const std::string &check : options.launchChecks)
    if (failed(requireAtLaunch(check)))
      return failure();
  return success();
}

void ProgramConversion::makeLaunch() {
  OpBuilder::InsertionGuard guard(b);
  Block &launch = kernel.getLaunch().front();
  b.setInsertionPointToStart(&launch);
  auto require = [&](Value condition, const Twine &message, const Twine &fix) {
    RequireOp::create(b, condition, b.getStringAttr("launch-check"),
                      b.getStringAttr(message), b.getStringAttr(fix));
  };
  for (BlockArgument argument : function.getArguments()) {
    Value now = launch.getArgument(argument.getArgNumber());
    std::string name = nameOfArgument(argument);
    if (isa<GlobalType>(now.getType())) {
      Value size =
          DimOp::create(b, b.getIndexType(), now, b.getI64IntegerAttr(0));
      Value most = constant(b.getIndexType(), 0x7fffffff);
      require(arith::CmpIOp::create(b, arith::CmpIPredicate::ule, size, most),
              name + " has at most 2^31 - 1 elements",
              "pass a part of the tensor");
      continue;
    }
    auto divides = function.getArgAttrOfType<IntegerAttr>(
        argument.getArgNumber(), "tt.divisibility");
    if (!divides || !now.getType().isInteger())
      continue;
    Value rest = arith::RemSIOp::create(
        b, now, constant(now.getType(), divides.getInt()));
    require(arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rest,
                                  constant(now.getType(), 0)),
            name + " is a multiple of " + Twine(divides.getInt()) +
                ", for which the kernel was specialised",
            "take a text of the kernel that was made for such values");
  }
  SmallVector<Value> grid;
  unsigned next = function.getNumArguments();
  for (bool asked : axes)
    grid.push_back(asked ? arith::IndexCastOp::create(
                               b, b.getIndexType(), launch.getArgument(next++))
                         : constant(b.getIndexType(), 1));
  LaunchOp::create(b, grid, ValueRange());
}

SharedType titan::poolType(MLIRContext *context, int64_t bytes) {
  return SharedType::get(context, {bytes}, IntegerType::get(context, 8), 0, 1,
                         false);
}

LogicalResult ProgramConversion::run() {
  if (failed(makeKernel()))
    return failure();
  Block &body = kernel.getBody().front();
  b.setInsertionPointToStart(&body);
  for (BlockArgument argument : function.getArguments()) {
    Value now = body.getArgument(argument.getArgNumber());
    scalars[argument] =
        isa<GlobalType>(now.getType()) ? constant(b.getI32Type(), 0) : now;
  }
  // Sizes and strides of a descriptor are the arguments behind it.
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<tt::TensorDescType>(argument.getType());
    if (!type)
      continue;
    int64_t rank = type.getBlock().getRank(),
            next = argument.getArgNumber() + 1;
    if (next + 2 * rank > function.getNumArguments())
      return unsupported(function, "a descriptor without its sizes");
    Descriptor descriptor{body.getArgument(argument.getArgNumber()),
                          scalars[argument],
                          {},
                          {},
                          false};
    for (int64_t d = 0; d < rank; ++d)
      descriptor.shape.push_back(asI32(body.getArgument(next + d)));
    for (int64_t d = 0; d + 1 < rank; ++d)
      descriptor.strides.push_back(asI32(body.getArgument(next + rank + d)));
    descriptors[argument] = std::move(descriptor);
  }
  if (failed(convertBlock(function.getBody().front())))
    return failure();
  b.setLoc(function.getBody().front().getTerminator()->getLoc());
  titan::ReturnOp::create(b);
  for (Operation *mark : marks)
    mark->erase();
  // Offsets into arguments that nothing goes by, and the like.
  kernel.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
  if (pool)
    pool.getResult().setType(poolType(b.getContext(), poolBytes));
  if (failed(prefetchLoads(*this, pool)))
    return failure();
  separateTouches(kernel);
  return success();
}

LogicalResult ProgramConversion::convertBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(convert(&op)))
      return failure();
  return success();
}

LogicalResult ProgramConversion::convert(Operation *op) {
  b.setLoc(op->getLoc());
  const TritonToTitanTable &table = TritonToTitanTable::get();
  const auto *convert = table.findConvert(op);
  const auto *make = table.findMake(op);
  bool elementwise = !make && !convert &&
                     op->hasTrait<OpTrait::Elementwise>() &&
                     !isa<tt::TritonDialect>(op->getDialect());
  bool tensor = op->getNumResults() == 1 &&
                isa<RankedTensorType>(op->getResult(0).getType());
  if (tensor && (make || elementwise)) {
    Value result = op->getResult(0);
    places[result] = mark();
    // Without a home it is made where it is wanted.
    Attribute home = layouts.home(result);
    return success(!home || succeeded(tile(result, home)));
  }
  LogicalResult done =
      convert ? (*convert)(*this, op)
      : elementwise
          ? convertElementwise(*this, op)
          : unsupported(op, Twine("'") + op->getName().getStringRef() +
                                "' in titan IR");
  if (failed(done))
    return failure();
  for (Value result : op->getResults())
    if (isa<RankedTensorType>(result.getType()))
      places[result] = mark();
  return success();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Operation *ProgramConversion::mark() {
  marks.push_back(arith::ConstantOp::create(b, b.getBoolAttr(false)));
  return marks.back();
}

void ProgramConversion::enter(Block::BlockArgListType old, Block *block) {
  b.setInsertionPointToStart(block);
  for (auto [before, now] : llvm::zip(old, block->getArguments())) {
    if (!derived.contains(before))
      set(before, now);
    if (isa<RankedTensorType>(before.getType()))
      places[before] = mark();
  }
}

Type ProgramConversion::elementOf(Type type) const {
  Type element = getElementTypeOrSelf(type);
  return isa<tt::PointerType>(element)
             ? IntegerType::get(element.getContext(), 32)
             : element;
}

RankedTensorType ProgramConversion::typeOf(Value old, Attribute layout) const {
  auto type = cast<RankedTensorType>(old.getType());
  return RankedTensorType::get(type.getShape(), elementOf(type), layout);
}

Attribute ProgramConversion::layoutOf(Value old) const {
  Attribute home = layouts.home(old);
  return home ? home
              : layouts.forShape(
                    cast<RankedTensorType>(old.getType()).getShape());
}

Value ProgramConversion::scalar(Value old) const {
  Value now = scalars.lookup(old);
  assert(now && "operations come in order");
  return now;
}

FailureOr<Value> ProgramConversion::value(Value old) {
  if (isa<RankedTensorType>(old.getType()))
    return tile(old, layoutOf(old));
  return scalar(old);
}

void ProgramConversion::set(Value old, Value now) {
  if (isa<RankedTensorType>(old.getType()))
    tiles[old][key(View(cast<RankedTensorType>(now.getType())))] = now;
  else
    scalars[old] = now;
}

Value ProgramConversion::find(Value old, const View &view) const {
  auto views = tiles.find(old);
  if (views == tiles.end())
    return {};
  auto found = views->second.find(key(view));
  return found == views->second.end() ? Value() : found->second;
}

FailureOr<Value> ProgramConversion::tile(Value old, const View &view) {
  if (Value before = find(old, view))
    return before;
  OpBuilder::InsertionGuard guard(b);
  Location loc = b.getLoc();
  b.setInsertionPoint(places.lookup(old));
  b.setLoc(old.getLoc());
  Attribute home = layouts.home(old);
  View own = home ? View(typeOf(old, home)) : view;
  FailureOr<Value> now;
  if (auto found = derived.find(old); found != derived.end()) {
    auto [from, number] = found->second;
    now = tile(from, view);
    if (succeeded(now))
      now = Value(arith::AddIOp::create(
          b, *now, titan::SplatOp::create(b, view.type, number)));
  } else if (Operation *op = old.getDefiningOp();
             op && ((own.type == view.type && own.dims == view.dims) ||
                    isCheaperAnew(old, view))) {
    const auto *make = TritonToTitanTable::get().findMake(op);
    b.setLoc(op->getLoc());
    now = make ? (*make)(*this, op, view) : makeElementwise(*this, op, view);
  } else {
    now = tile(old, own);
    // The dimensions that stay, in the order of the view; others come back
    // repeated.
    SmallVector<int64_t> kept;
    for (int64_t d = own.type.getRank(); succeeded(now) && d-- > 0;)
      if (own.type.getDimSize(d) == view.type.getDimSize(view.dims[d]))
        kept.insert(kept.begin(), view.dims[d]);
      else
        now = relabel(*now, without(cast<RankedTensorType>(now->getType()), d));
    SmallVector<int64_t> order =
        llvm::to_vector(llvm::seq<int64_t>(0, kept.size()));
    llvm::sort(order, [&](int64_t x, int64_t y) { return kept[x] < kept[y]; });
    if (succeeded(now) && !llvm::is_sorted(order))
      now = permute(*now, order);
    SmallVector<std::pair<RankedTensorType, int64_t>> whole;
    RankedTensorType row = view.type;
    for (int64_t d = view.type.getRank(); d-- > 0;)
      if (!llvm::is_contained(kept, d)) {
        whole.push_back({row, d});
        row = without(row, d);
      }
    if (succeeded(now))
      now = convertLayout(*now, row);
    for (auto [to, d] : llvm::reverse(whole))
      if (succeeded(now))
        now = repeat(*now, to, d);
  }
  b.setLoc(loc);
  if (failed(now))
    return failure();
  assert(now->getType() == view.type && "made in another layout");
  return tiles[old][key(view)] = *now;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Value ProgramConversion::constant(Type type, int64_t number) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, number));
}

RankedTensorType ProgramConversion::without(RankedTensorType type,
                                            int64_t axis) {
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  return RankedTensorType::get(
      shape, type.getElementType(),
      TensorLayouts::without(type.getEncoding(), type.getShape(), axis));
}

Value ProgramConversion::relabel(Value tile, RankedTensorType type) {
  return tile.getType() == type ? tile : RelabelOp::create(b, type, tile);
}

FailureOr<Value> ProgramConversion::reshape(Value tile, RankedTensorType type) {
  auto from = cast<RankedTensorType>(tile.getType());
  if (from == type)
    return tile;
  auto source = getTileLayout(from), target = getTileLayout(type);
  if (source && from.getShape() != type.getShape())
    source = source->reshaped(type.getShape().vec());
  for (auto *layout : {&source, &target})
    if (!*layout)
      return emitError(b.getLoc(), "[")
                 << layout->problem().code << "] " << layout->problem().message,
             failure();
  if (!source->sameFunction(*target))
    return emitError(b.getLoc(), "[layout-mismatch] the registers of ")
               << from << " hold other elements of " << type,
           failure();
  return relabel(tile, type);
}

FailureOr<RankedTensorType>
ProgramConversion::permutedType(RankedTensorType type,
                                ArrayRef<int64_t> order) {
  if (llvm::is_sorted(order))
    return type;
  SmallVector<int64_t> shape;
  for (int64_t d : order)
    shape.push_back(type.getDimSize(d));
  auto layout = TensorLayouts::permuted(kernel, type.getEncoding(),
                                        type.getShape(), order);
  if (failed(layout))
    return failure();
  return RankedTensorType::get(shape, type.getElementType(), *layout);
}

FailureOr<Value> ProgramConversion::permute(Value tile,
                                            ArrayRef<int64_t> order) {
  auto type = permutedType(cast<RankedTensorType>(tile.getType()), order);
  if (failed(type))
    return failure();
  return relabel(tile, *type);
}

/// All dimensions, `axis` the last.
static SmallVector<int64_t> orderWithLast(int64_t rank, int64_t axis) {
  SmallVector<int64_t> order;
  for (int64_t d = 0; d < rank; ++d)
    if (d != axis)
      order.push_back(d);
  order.push_back(axis);
  return order;
}

FailureOr<Value> ProgramConversion::withLast(Value tile, int64_t axis) {
  return permute(
      tile,
      orderWithLast(cast<RankedTensorType>(tile.getType()).getRank(), axis));
}

FailureOr<Value> ProgramConversion::repeat(Value row, RankedTensorType type,
                                           int64_t axis) {
  auto moved = permutedType(type, orderWithLast(type.getRank(), axis));
  if (failed(moved))
    return failure();
  return relabel(BroadcastOp::create(b, *moved, row), type);
}

FailureOr<Value> ProgramConversion::convertLayout(Value tile,
                                                  RankedTensorType type) {
  auto from = cast<RankedTensorType>(tile.getType());
  if (from == type)
    return tile;
  auto source = getTileLayout(from), target = getTileLayout(type);
  for (auto *layout : {&source, &target})
    if (!*layout)
      return emitError(b.getLoc(), "[")
                 << layout->problem().code << "] " << layout->problem().message,
             failure();
  Type element = type.getElementType();
  Value memory;
  if (!ConversionPlan::make(*source, *target)) {
    // A bit has no place in memory.
    if (element.isInteger(1)) {
      auto byte = [&](RankedTensorType of) {
        return RankedTensorType::get(of.getShape(), b.getI8Type(),
                                     of.getEncoding());
      };
      auto wide = convertLayout(arith::ExtUIOp::create(b, byte(from), tile),
                                byte(type));
      if (failed(wide))
        return failure();
      return Value(arith::TruncIOp::create(b, type, *wide));
    }
    memory = scratch(element, type.getNumElements());
  }
  return Value(ConvertLayoutOp::create(b, type, tile, memory, IntegerAttr(),
                                       IntegerAttr()));
}

//===----------------------------------------------------------------------===//
// Shared memory for exchanges
//===----------------------------------------------------------------------===//

Value ProgramConversion::scratch(Type element, ArrayRef<int64_t> shape,
                                 int64_t at) {
  OpBuilder::InsertionGuard guard(b);
  Location before = b.getLoc();
  b.setLoc(function.getLoc());
  auto type = SharedType::get(b.getContext(), shape, element, 0, 1, false);
  poolBytes = std::max(poolBytes, at + type.getTileBytes());
  if (!pool) {
    b.setInsertionPointToStart(&kernel.getBody().front());
    pool = SharedAllocOp::create(b, poolType(b.getContext(), poolBytes));
  }
  b.setInsertionPointAfter(pool);
  Value memory = SharedReuseOp::create(b, type, pool, at);
  b.setLoc(before);
  return memory;
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

namespace {
/// Behind a loop that never ends a function returns, which it never does.
struct ToRegions : ControlFlowToSCFTransformation {
  FailureOr<Operation *> createUnreachableTerminator(Location loc, OpBuilder &b,
                                                     Region &region) override {
    auto function = cast<tt::FuncOp>(region.getParentOp());
    SmallVector<Value> any;
    for (Type type : function.getResultTypes())
      any.push_back(ub::PoisonOp::create(b, loc, type));
    return tt::ReturnOp::create(b, loc, any).getOperation();
  }
};
} // namespace

/// An scf.if for each case, the next one in its else.
static void chooseByIfs(scf::IndexSwitchOp op) {
  Location loc = op.getLoc();
  OpBuilder b(op);
  SmallVector<Value> chosen;
  for (auto [value, region] : llvm::zip(op.getCases(), op.getCaseRegions())) {
    Value is =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, op.getArg(),
                              arith::ConstantIndexOp::create(b, loc, value));
    auto choice =
        scf::IfOp::create(b, loc, op.getResultTypes(), is,
                          /*addThenBlock=*/false, /*addElseBlock=*/false);
    choice.getThenRegion().takeBody(region);
    if (b.getInsertionBlock() == op->getBlock())
      chosen = choice.getResults();
    else
      scf::YieldOp::create(b, loc, choice.getResults());
    b.createBlock(&choice.getElseRegion());
  }
  if (b.getInsertionBlock() == op->getBlock()) { // There is no case.
    Block &only = op.getDefaultBlock();
    chosen = llvm::to_vector(only.getTerminator()->getOperands());
    only.getTerminator()->erase();
    op->getBlock()->getOperations().splice(op->getIterator(),
                                           only.getOperations());
  } else {
    b.getInsertionBlock()->getParent()->takeBody(op.getDefaultRegion());
  }
  op.replaceAllUsesWith(chosen);
  op.erase();
}

/// Branches between blocks, early returns, become scf.if and loops.
static LogicalResult liftBranches(tt::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  (void)eraseUnreachableBlocks(rewriter, function->getRegions());
  ToRegions transformation;
  DominanceInfo dominance(function);
  if (failed(transformCFGToSCF(function.getBody(), transformation, dominance)))
    return failure();
  function.walk<WalkOrder::PostOrder>(
      [](scf::IndexSwitchOp op) { chooseByIfs(op); });
  return success();
}

/// Puts the functions that `function` calls where it calls them. `within`: those
/// that are on their way.
static LogicalResult inlineCalls(tt::FuncOp function, ModuleOp module,
                                 llvm::SetVector<Operation *> &within) {
  if (!within.insert(function))
    return function.emitError("[function-recursion] calls itself");
  SmallVector<tt::CallOp> calls;
  function.walk([&](tt::CallOp call) { calls.push_back(call); });
  for (tt::CallOp call : calls) {
    auto callee = module.lookupSymbol<tt::FuncOp>(call.getCallee());
    if (!callee || callee.isExternal())
      return call.emitError("[not-supported-yet] a call of a function without "
                            "a body");
    if (failed(inlineCalls(callee, module, within)))
      return failure();
    Block &body = callee.getBody().front();
    if (callee.getBody().getBlocks().size() != 1)
      return callee.emitError("[not-supported-yet] branches that are no scf.if "
                              "and no loop");
    IRMapping values;
    values.map(body.getArguments(), call.getOperands());
    OpBuilder b(call);
    for (Operation &op : body.without_terminator())
      b.clone(op, values)->walk([&](Operation *now) {
        now->setLoc(CallSiteLoc::get(now->getLoc(), call.getLoc()));
      });
    for (auto [result, value] :
         llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(values.lookup(value));
    call.erase();
  }
  within.remove(function);
  return success();
}

/// `convert` for each public function, without branches and calls.
static LogicalResult
forEachProgram(ModuleOp module, const TritonToTitanOptions &options,
               llvm::function_ref<LogicalResult(tt::FuncOp)> convert) {
  SmallVector<tt::FuncOp> functions(module.getOps<tt::FuncOp>());
  for (tt::FuncOp function : functions)
    if (!function.isExternal() && failed(liftBranches(function)))
      return failure();
  for (tt::FuncOp function : functions) {
    if (function.isExternal() || !function.isPublic())
      continue;
    llvm::SetVector<Operation *> within;
    if (failed(inlineCalls(function, module, within)) ||
        failed(flattenDeepTensors(function)))
      return failure();
    keepReductionsLocal(function, options);
    if (failed(convert(function)))
      return failure();
  }
  return success();
}

LogicalResult titan::convertTritonToTitan(ModuleOp module,
                                          const TritonToTitanOptions &options) {
  if (failed(forEachProgram(module, options, [&](tt::FuncOp function) {
        return ProgramConversion(function, options).run();
      })))
    return failure();
  for (tt::FuncOp function :
       llvm::make_early_inc_range(module.getOps<tt::FuncOp>()))
    function.erase();
  return success();
}

LogicalResult
titan::localizeTritonReductions(ModuleOp module,
                                const TritonToTitanOptions &options) {
  return forEachProgram(module, options, [](tt::FuncOp) { return success(); });
}

LogicalResult
titan::annotateTritonLayouts(ModuleOp module,
                             const TritonToTitanOptions &options) {
  return forEachProgram(module, options, [&](tt::FuncOp function) {
    TensorLayouts layouts(function, options);
    function.walk([&](Operation *op) {
      SmallVector<Attribute> homes;
      for (Value result : op->getResults())
        if (isa<RankedTensorType>(result.getType())) {
          Attribute home = layouts.home(result);
          homes.push_back(home ? home
                               : StringAttr::get(op->getContext(),
                                                 "wherever it is wanted"));
        }
      bool any = llvm::any_of(
          homes, [](Attribute each) { return !isa<StringAttr>(each); });
      if (any)
        op->setAttr("layout", homes.size() == 1
                                  ? homes.front()
                                  : ArrayAttr::get(op->getContext(), homes));
    });
    return success();
  });
}

namespace {
struct TritonToTitan : PassWrapper<TritonToTitan, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TritonToTitan)

  TritonToTitan() = default;
  TritonToTitan(const TritonToTitan &other) : PassWrapper(other) {}
  TritonToTitan(const TritonToTitanOptions &options) {
    warps = options.warps;
    stages = options.stages;
    registers = options.registers.value_or(0);
    fusion = options.fusion;
    launchChecks = options.launchChecks;
  }

  StringRef getArgument() const final { return "triton-to-titan"; }
  StringRef getDescription() const final {
    return "Triton's programs become kernels: layouts, tensors of memory, "
           "exchanges between threads";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<TitanDialect, arith::ArithDialect, scf::SCFDialect>();
  }
  void runOnOperation() final {
    TritonToTitanOptions options;
    options.warps = warps;
    options.stages = stages;
    if (registers)
      options.registers = registers;
    options.fusion = fusion;
    options.launchChecks = {launchChecks.begin(), launchChecks.end()};
    if (failed(convertTritonToTitan(getOperation(), options)))
      signalPassFailure();
  }

  Option<int64_t> warps{*this, "num-warps", llvm::cl::init(4),
                        llvm::cl::desc("Warps of a program")};
  Option<int64_t> stages{
      *this, "num-stages", llvm::cl::init(3),
      llvm::cl::desc("Rounds that are under way at once of a loop that does "
                     "not say it itself, if products take what it loads; 0 or "
                     "1: one after the other")};
  Option<int64_t> registers{
      *this, "maxnreg", llvm::cl::init(0),
      llvm::cl::desc("The most registers of a thread, by eights; 0: as many as "
                     "ptxas takes")};
  Option<bool> fusion{
      *this, "fp-fusion", llvm::cl::init(true),
      llvm::cl::desc("Products and sums of floats may be one operation")};
  ListOption<std::string> launchChecks{
      *this, "launch-check",
      llvm::cl::desc("Conditions on arguments, which each launch is checked "
                     "against")};
};

struct TritonThreadLocality
    : PassWrapper<TritonThreadLocality, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TritonThreadLocality)

  TritonThreadLocality() = default;
  TritonThreadLocality(const TritonThreadLocality &other)
      : PassWrapper(other) {}

  StringRef getArgument() const final { return "triton-thread-locality"; }
  StringRef getDescription() const final {
    return "Reductions that a loop accumulates: each thread's own in the loop, "
           "between threads behind it";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    // Layouts are titan's.
    registry.insert<TitanDialect, arith::ArithDialect, scf::SCFDialect>();
  }
  void runOnOperation() final {
    TritonToTitanOptions options;
    options.warps = warps;
    if (failed(localizeTritonReductions(getOperation(), options)))
      signalPassFailure();
  }

  Option<int64_t> warps{*this, "num-warps", llvm::cl::init(4),
                        llvm::cl::desc("Warps of a program")};
};
} // namespace

void titan::registerTritonThreadLocalityPass() {
  PassRegistration<TritonThreadLocality>();
}

std::unique_ptr<Pass>
titan::createTritonToTitanPass(const TritonToTitanOptions &options) {
  return std::make_unique<TritonToTitan>(options);
}

void titan::registerTritonToTitanPass() { PassRegistration<TritonToTitan>(); }
