//===- Layouts.cpp - where the tensors of a Triton program lie ------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Layouts.h"

#include "titan/Layout/Triton.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace titan;

/// The tensor of pointers that an access goes by; null: it is none.
static Value pointersOf(Operation *op) {
  Value pointer;
  if (auto load = dyn_cast<tt::LoadOp>(op))
    pointer = load.getPtr();
  else if (auto store = dyn_cast<tt::StoreOp>(op))
    pointer = store.getPtr();
  else if (auto atomic = dyn_cast<tt::AtomicRMWOp>(op))
    pointer = atomic.getPtr();
  return pointer && isa<RankedTensorType>(pointer.getType()) ? pointer
                                                             : Value();
}

/// The block of an access by a descriptor; null: it is none.
static Value blockOf(Operation *op) {
  if (isa<tt::DescriptorLoadOp, tt::DescriptorGatherOp>(op))
    return op->getResult(0);
  if (auto store = dyn_cast<tt::DescriptorStoreOp>(op))
    return store.getSrc();
  if (auto reduce = dyn_cast<tt::DescriptorReduceOp>(op))
    return reduce.getSrc();
  if (auto scatter = dyn_cast<tt::DescriptorScatterOp>(op))
    return scatter.getSrc();
  return {};
}

static std::vector<int64_t> shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape().vec();
}

Value titan::getAdvance(scf::ForOp loop, unsigned i) {
  BlockArgument argument = loop.getRegionIterArg(i);
  Operation *op = loop.getYieldedValues()[i].getDefiningOp();
  if (!isa<RankedTensorType>(argument.getType()) ||
      !isa_and_nonnull<tt::AddPtrOp, arith::AddIOp>(op))
    return {};
  Value step = op->getOperand(op->getOperand(0) == argument ? 1 : 0);
  if (op->getOperand(0) != argument && op->getOperand(1) != argument)
    return {};
  SplatElementsAttr constant;
  return step.getDefiningOp<tt::SplatOp>() ||
                 matchPattern(step, m_Constant(&constant))
             ? step
             : Value();
}

/// Arguments and results of a loop that are what went in and a number.
static bool isAdvanced(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument.getArgNumber() > 0 &&
           getAdvance(loop, argument.getArgNumber() - 1);
  }
  auto loop = value.getDefiningOp<scf::ForOp>();
  return loop && getAdvance(loop, cast<OpResult>(value).getResultNumber());
}

/// The last dimension first.
static std::vector<int> rowMajor(size_t rank) {
  std::vector<int> order(rank);
  for (size_t d = 0; d < rank; ++d)
    order[d] = static_cast<int>(rank - 1 - d);
  return order;
}

TensorLayouts::TensorLayouts(tt::FuncOp function,
                             const TritonToTitanOptions &options)
    : context(function.getContext()), options(options), infos(function) {
  // As many elements a thread as an access can move at once, but no more than let
  // those of a warp lie side by side for every other access: 16 bytes for what
  // writes, of which each instruction is to fill its sectors, and 32, a sector, for
  // what reads, which finds the rest of it in the cache.
  int64_t threads = options.warps * options.lanes;
  std::map<std::pair<Shape, Order>, int64_t> limits;
  function.walk([&](Operation *op) {
    Value pointers = pointersOf(op), block = blockOf(op);
    Value tensor = pointers ? pointers : block;
    if (!tensor)
      return;
    auto type = cast<RankedTensorType>(tensor.getType());
    Shape shape = shapeOf(tensor);
    Order order = pointers ? orderOf(pointers) : rowMajor(shape.size());
    Type element = type.getElementType();
    if (auto pointer = dyn_cast<tt::PointerType>(element))
      element = pointer.getPointee();
    int64_t bytes = std::max<int64_t>(
        isa<tt::PointerType>(element) ? 8 : element.getIntOrFloatBitWidth() / 8,
        1);
    int64_t most = pointers ? infos.accessElements(pointers, {}, order[0])
                            : std::min(16 / bytes, shape.back());
    int64_t &width = widths[{shape, order}];
    width = std::max({width, int64_t{1}, most});
    orders.try_emplace(shape, order);
    bool reads =
        isa<tt::LoadOp, tt::DescriptorLoadOp, tt::DescriptorGatherOp>(op);
    if (most > 1) {
      int64_t &limit =
          limits.try_emplace({shape, order}, INT64_MAX).first->second;
      limit = std::min(limit, (reads ? 32 : 16) / bytes);
    }
  });
  for (auto &[access, width] : widths) {
    int64_t elements = 1;
    for (int64_t extent : access.first)
      elements *= extent;
    if (auto limit = limits.find(access); limit != limits.end())
      width = std::min(width, limit->second);
    width = std::clamp<int64_t>(elements / threads, 1, width);
  }
  // Homes only come to be, so that this ends.
  auto settle = [&] {
    do {
      changed = false;
      function.walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
    } while (changed);
  };
  settle();
  // What a loop carries and nothing says.
  function.walk([&](Operation *op) {
    if (isa<tt::FuncOp>(op))
      return;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          if (isa<RankedTensorType>(argument.getType()) && !home(argument) &&
              !isAdvanced(argument))
            setHome(argument, forShape(shapeOf(argument)));
    if (op->getNumRegions())
      for (Value result : op->getResults())
        if (isa<RankedTensorType>(result.getType()) && !home(result) &&
            !isAdvanced(result))
          setHome(result, forShape(shapeOf(result)));
  });
  settle();
}

void TensorLayouts::setHome(Value value, Attribute layout) {
  if (layout && isa<RankedTensorType>(value.getType()) &&
      homes.try_emplace(value, layout).second)
    changed = true;
}

Attribute TensorLayouts::taken(Operation *op) {
  return operandLayouts.try_emplace(op, of(op)).first->second;
}

SmallVector<int64_t> TensorLayouts::shapeOfCat(tt::CatOp op) {
  SmallVector<int64_t> shape{2};
  llvm::append_range(shape, shapeOf(op.getLhs()));
  return shape;
}

Attribute TensorLayouts::of(Operation *op) const {
  Value pointers = pointersOf(op), block = blockOf(op);
  if (Value tensor = pointers ? pointers : block) {
    // A value that a thread has one element of is stored from where it is.
    Value stored;
    if (auto store = dyn_cast<tt::StoreOp>(op))
      stored = store.getValue();
    else if (op->getNumResults() == 0)
      stored = block;
    if (stored && home(stored) &&
        cast<RankedTensorType>(stored.getType()).getNumElements() <=
            options.warps * options.lanes)
      return home(stored);
    Shape shape = shapeOf(tensor);
    Order order = pointers ? orderOf(pointers) : rowMajor(shape.size());
    return blocked(shape, order, widths.at({shape, order}));
  }
  if (Attribute layout = operandLayouts.lookup(op))
    return layout;
  Value source = op->getOperand(0);
  if (isa<tt::SplitOp>(op)) { // Both halves in one thread.
    Shape shape = shapeOf(source);
    return blocked(shape, rowMajor(shape.size()), 2);
  }
  Attribute layout = home(source);
  return layout ? layout : forShape(shapeOf(source));
}

Attribute TensorLayouts::forShape(ArrayRef<int64_t> shape) const {
  Shape key = shape.vec();
  Order order = rowMajor(shape.size());
  if (auto found = orders.find(key); found != orders.end())
    order = found->second;
  auto width = widths.find({key, order});
  return blocked(key, order, width == widths.end() ? 1 : width->second);
}

TensorLayouts::Order TensorLayouts::orderOf(Value pointer) const {
  AxisInfo info = infos.of(pointer);
  int rank = static_cast<int>(shapeOf(pointer).size());
  Order order = rowMajor(rank);
  if (static_cast<int>(info.rank()) == rank)
    llvm::sort(order, [&](int x, int y) {
      return std::pair(info.contiguity[x], x) >
             std::pair(info.contiguity[y], y);
    });
  return order;
}

std::pair<int64_t, int> TensorLayouts::accessRun(tt::LoadOp op) const {
  int dimension = orderOf(op.getPtr()).front();
  return {infos.accessElements(op.getPtr(), op.getMask(), dimension),
          dimension};
}

int64_t TensorLayouts::alignment(Value pointer) const {
  AxisInfo info = infos.of(pointer);
  return info.rank()
             ? int64_t(1) << std::min<unsigned>(info.divisibility[0], 12)
             : 1;
}

/// Whether a number is made of ranges, program ids and counters of loops so that it
/// is negative only if it wraps.
static bool isOffset(const AxisInfos &infos, Value value) {
  if (infos.of(value).nonNegative)
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    APInt step;
    return loop && argument == loop.getInductionVar() &&
           matchPattern(loop.getStep(), m_ConstantInt(&step)) &&
           step.isStrictlyPositive() && isOffset(infos, loop.getLowerBound());
  }
  Operation *op = value.getDefiningOp();
  return isa<tt::GetProgramIdOp>(op) ||
         (isa<tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, arith::AddIOp,
              arith::MulIOp, arith::ExtSIOp>(op) &&
          llvm::all_of(op->getOperands(),
                       [&](Value each) { return isOffset(infos, each); }));
}

int64_t TensorLayouts::copies(Operation *op, unsigned d) const {
  if (!isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return 1;
  AxisInfo result = infos.of(op->getResult(0)),
           left = infos.of(op->getOperand(0)),
           right = infos.of(op->getOperand(1));
  if (d >= result.rank() || d >= left.rank() || d >= right.rank())
    return 1;
  unsigned both = std::min(left.constancy[d], right.constancy[d]);
  if (isa<arith::DivUIOp>(op) || isOffset(infos, op->getOperand(0)))
    both = std::max<unsigned>(both, result.constancy[d]);
  return int64_t(1) << both;
}

/// Along the fastest dimension first: the elements of a thread, then lanes, then
/// warps; what is left over of them goes along the slowest one.
Attribute TensorLayouts::blocked(const Shape &shape, const Order &order,
                                 int64_t width) const {
  size_t rank = shape.size();
  SmallVector<int64_t> elements(rank, 1), lanes(rank, 1), warps(rank, 1);
  elements[order[0]] = width;
  int64_t lanesLeft = options.lanes, warpsLeft = options.warps;
  for (int d : order) {
    bool last = d == order.back();
    int64_t blocks = std::max<int64_t>(shape[d] / elements[d], 1);
    lanes[d] = last ? lanesLeft : std::min(lanesLeft, blocks);
    lanesLeft /= lanes[d];
    warps[d] =
        last ? warpsLeft
             : std::min(warpsLeft, std::max<int64_t>(blocks / lanes[d], 1));
    warpsLeft /= warps[d];
  }
  if (llvm::is_sorted(order, std::greater<>()))
    return BlockedAttr::get(context, elements, lanes, warps);
  triton::Blocked encoding{triton::Numbers(elements.begin(), elements.end()),
                           triton::Numbers(lanes.begin(), lanes.end()),
                           triton::Numbers(warps.begin(), warps.end()), order};
  auto layout = triton::toLayout(encoding, shape);
  assert(layout && "extents are powers of two");
  return LayoutTextAttr::get(context, layout->str());
}

/// Whether a product's operand, or another product's, is made of sums.
static bool isChained(tt::DotOp op) {
  auto fromDot = [](Value operand) {
    SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.omitBlockArguments = true;
    (void)getBackwardSlice(operand, &slice, options);
    return llvm::any_of(slice, llvm::IsaPred<tt::DotOp>);
  };
  bool chained = false;
  op->getParentOfType<tt::FuncOp>().walk([&](tt::DotOp each) {
    chained |= fromDot(each.getA()) || fromDot(each.getB());
  });
  return chained;
}

/// Warps one above the other where sums go on into another product, so that their
/// rows lie in one warp each; else as square as may be.
Attribute TensorLayouts::fragments(tt::DotOp op) const {
  auto shape = cast<RankedTensorType>(op.getD().getType()).getShape();
  int64_t rows = 1, columns = 1;
  bool chained = isChained(op);
  int64_t m = shape[shape.size() - 2] / 16, n = shape.back() / 8;
  while (rows * columns < options.warps) {
    bool tall = 2 * rows <= m, wide = 2 * columns <= n;
    if (!tall && !wide)
      break; // Further warps do the same.
    if (tall && (!wide || chained || m / rows >= n / columns / 2))
      rows *= 2;
    else
      columns *= 2;
  }
  return MmaSyncAttr::get(context, rows, columns);
}

/// Of a thread, and of a warp's lanes, as square as may be: they take the fewest rows
/// and columns of operands.
Attribute TensorLayouts::squares(tt::DotOp op) const {
  Shape shape = shapeOf(op.getD());
  size_t rank = shape.size(), m = rank - 2, n = rank - 1;
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  SmallVector<int64_t> elements(rank, 1), lanes(rank, 1), warps(rank, 1);
  /// Cuts `all`, a power of two, into factors for rows and columns, the larger one
  /// for columns, as far as their `most` go; what is left over goes to `rest`.
  auto share = [&](int64_t all, SmallVector<int64_t> &to, int64_t mostRows,
                   int64_t mostColumns, size_t rest) {
    int64_t side = 1;
    while (side * side < all)
      side *= 2;
    to[n] = std::min(side, mostColumns);
    to[m] = std::min(all / to[n], mostRows);
    to[n] = std::min(all / to[m], mostColumns);
    to[rest] *= all / (to[m] * to[n]);
  };
  auto left = [&](size_t d) {
    return std::max<int64_t>(shape[d] / (elements[d] * lanes[d]), 1);
  };
  share(std::clamp<int64_t>(count / (options.lanes * options.warps), 1,
                            shape[m] * shape[n]),
        elements, shape[m], shape[n], m);
  share(options.lanes, lanes, left(m), left(n), m);
  share(options.warps, warps, left(m), left(n), 0);
  return BlockedAttr::get(context, elements, lanes, warps);
}

//===----------------------------------------------------------------------===//
// Homes
//===----------------------------------------------------------------------===//

static FailureOr<Layout> layoutOf(Operation *at, Attribute layout,
                                  ArrayRef<int64_t> shape) {
  auto found = cast<LayoutAttrInterface>(layout).getLayout(shape);
  if (found)
    return *found;
  return at->emitError("[")
             << found.problem().code << "] " << found.problem().message,
         failure();
}

void TensorLayouts::visit(Operation *op) {
  if (op->getNumResults() == 1 && (pointersOf(op) || blockOf(op)))
    return setHome(op->getResult(0), of(op));
  if (auto reduce = dyn_cast<tt::ReduceOp>(op)) {
    Attribute layout = taken(op);
    for (Value result : op->getResults())
      setHome(result,
              without(layout, shapeOf(op->getOperand(0)), reduce.getAxis()));
    return;
  }
  if (isa<tt::ScanOp>(op)) {
    for (Value result : op->getResults())
      setHome(result, taken(op));
    return;
  }
  if (auto split = dyn_cast<tt::SplitOp>(op)) {
    for (Value half : op->getResults())
      setHome(half, SliceAttr::get(context, shapeOf(half).size(), of(op)));
    return;
  }
  if (auto join = dyn_cast<tt::JoinOp>(op)) {
    // Both halves in the thread that has them.
    Attribute layout =
        home(join.getLhs()) ? home(join.getLhs()) : home(join.getRhs());
    if (!layout)
      return;
    auto found = layoutOf(op, layout, shapeOf(join.getLhs()));
    if (failed(found))
      return;
    if (auto both = found->joined(2))
      setHome(join.getResult(), LayoutTextAttr::get(context, both->str()));
    return;
  }
  if (isa<tt::HistogramOp>(op))
    return setHome(op->getResult(0), forShape(shapeOf(op->getResult(0))));
  if (isa<tt::GatherOp>(op))
    return setHome(op->getResult(0), taken(op));
  if (auto cat = dyn_cast<tt::CatOp>(op)) {
    SmallVector<int64_t> shape = shapeOfCat(cat);
    if (auto layout =
            reshaped(op, forShape(shape), shape, shapeOf(cat.getResult()));
        succeeded(layout))
      setHome(cat.getResult(), *layout);
    return;
  }
  if (auto dot = dyn_cast<tt::DotOp>(op))
    return setHome(dot.getD(),
                   isByFragments(dot) ? fragments(dot) : squares(dot));
  if (auto trans = dyn_cast<tt::TransOp>(op)) {
    if (Attribute layout = home(trans.getSrc())) {
      SmallVector<int64_t> order(trans.getOrder().begin(),
                                 trans.getOrder().end());
      if (auto turned = permuted(op, layout, shapeOf(trans.getSrc()), order);
          succeeded(turned))
        setHome(trans.getResult(), *turned);
    }
    return;
  }
  if (auto reshape = dyn_cast<tt::ReshapeOp>(op)) {
    if (auto other = reshaped(op, taken(op), shapeOf(reshape.getSrc()),
                              shapeOf(reshape.getResult()));
        succeeded(other))
      setHome(reshape.getResult(), *other);
    return;
  }
  if (op->hasTrait<OpTrait::Elementwise>()) {
    for (Value result : op->getResults())
      for (Value operand : op->getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          setHome(result, home(operand));
    return;
  }
  auto agree = [&](Value one, Value other) {
    if (!isa<RankedTensorType>(one.getType()))
      return;
    setHome(one, home(other));
  };
  // At the end of its body what a loop yields has a home, which operations behind it are
  // to find.
  auto loop = isa<scf::YieldOp>(op) ? dyn_cast<scf::ForOp>(op->getParentOp())
                                    : dyn_cast<scf::ForOp>(op);
  if (loop) {
    for (auto [argument, init, yielded, result] :
         llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs(),
                   loop.getYieldedValues(), loop.getResults())) {
      if (isAdvanced(argument))
        continue;
      // What repeats has been computed, what goes in often is a constant.
      agree(argument, yielded);
      agree(argument, init);
      agree(result, argument);
    }
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (auto [argument, init, yielded] :
         llvm::zip(loop.getBeforeArguments(), loop.getInits(),
                   loop.getYieldOp().getOperands())) {
      agree(argument, yielded);
      agree(argument, init);
    }
    for (auto [argument, passed, result] :
         llvm::zip(loop.getAfterArguments(), loop.getConditionOp().getArgs(),
                   loop.getResults())) {
      agree(argument, passed);
      agree(result, argument);
    }
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (OpResult result : branch.getResults()) {
      agree(result, branch.thenYield().getOperand(result.getResultNumber()));
      agree(result, branch.elseYield().getOperand(result.getResultNumber()));
    }
  }
}

//===----------------------------------------------------------------------===//
// The same registers under other coordinates
//===----------------------------------------------------------------------===//

static FailureOr<Attribute> named(Operation *at, const Result<Layout> &layout) {
  if (layout)
    return Attribute(LayoutTextAttr::get(at->getContext(), layout->str()));
  return at->emitError("[")
             << layout.problem().code << "] " << layout.problem().message,
         failure();
}

/// A slice of a slice is spelled out: to find what it is takes as many steps as
/// there are extents, for each of them.
Attribute TensorLayouts::without(Attribute layout, ArrayRef<int64_t> shape,
                                 int64_t axis) {
  if (shape.size() > 1 && isa<SliceAttr, LayoutTextAttr>(layout))
    if (auto whole = cast<LayoutAttrInterface>(layout).getLayout(shape))
      if (auto part = whole->withoutDim(static_cast<int>(axis)))
        return LayoutTextAttr::get(layout.getContext(), part->str());
  return SliceAttr::get(layout.getContext(), axis, layout);
}

FailureOr<Attribute> TensorLayouts::permuted(Operation *at, Attribute layout,
                                             ArrayRef<int64_t> shape,
                                             ArrayRef<int64_t> order) {
  auto found = layoutOf(at, layout, shape);
  if (failed(found))
    return failure();
  return named(at, found->permuted({order.begin(), order.end()}));
}

FailureOr<Attribute> TensorLayouts::reshaped(Operation *at, Attribute layout,
                                             ArrayRef<int64_t> from,
                                             ArrayRef<int64_t> to) {
  auto found = layoutOf(at, layout, from);
  if (failed(found))
    return failure();
  return named(at, found->reshaped(to.vec()));
}
