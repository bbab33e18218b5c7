//===- CopyUses.cpp - what the holes of a copied tile reach ---------------===//
//
// A data flow analysis over the values that hold the tile: its buffer and views
// of it, register tiles loaded from them, tiles in flight, tensor memory, and
// what operations make of those. Each value carries, for each of its dimensions
// (a *lane*; one more stands for the loops around the tile),
//
//   source    which dimension of the copy's buffer its holes come from;
//   content   what stands in them if the copy fills its own with zero: a
//             constant, which MLIR's folders compute; else whether it is
//             finite;
//
// and one origin, the value that fixed where the holes are: tiles of one origin
// have them in the same places, the tiles of two loads, or of two iterations,
// do not, unless the copies' indices say that they do (changesAt).
//
//   %x = titan.shared.load %tile            0 along K
//   %y = arith.addf %x, %ones               1 along K
//   %m = titan.broadcast (titan.reduce add %x)        no holes along K
//   %z = arith.subf %x, %m                  finite along K
//   %w = arith.select %inside, %y, %zeros   0 along K: a predicate
//   %v = arith.select %inside, %y, %ninf    no holes: the program has filled
//   them %t = arith.addf %sofar, %x              two origins: a reduction
//
// First the sources are propagated until nothing changes, then, with what is
// tracked known, the contents (from "not known yet" up, so that a loop which
// adds zeros to zeros is found to do so), then each user tells what it reduces.
//
//===----------------------------------------------------------------------===//
#include "OpHelpers.h"
#include "titan/Dialect/Titan/CopyAsync.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>
#include <numeric>
#include <set>

using namespace mlir;
using namespace titan;

using Names = std::vector<std::string>;

static bool meet(const Names &a, const Names &b) {
  return llvm::any_of(
      a, [&](const std::string &name) { return llvm::is_contained(b, name); });
}

/// Which dimensions of a buffer have holes: those of the tile's domains that
/// share steps of the row-major order with it. `roots`: the dimensions of the
/// tensor that each comes from.
static TileHoles holesOf(SharedType buffer, const TmaLowering &low,
                         std::vector<Names> &roots) {
  TileHoles holes{std::vector<Tri>(buffer.getRank(), Tri::No), low.loopHoles};
  roots.assign(buffer.getRank(), {});
  int64_t step = 1;
  for (size_t d = buffer.getRank(); d-- > 0;) {
    int64_t end = step * buffer.getShape()[d], inner = 1;
    for (size_t k = low.tile.size(); k-- > 0;) {
      const TmaTileDomain &domain = low.tile[k];
      int64_t outer = inner * domain.extent;
      if (inner < end && outer > step && end > step && outer > inner) {
        if (holes.dimensions[d] != Tri::Yes && domain.holes != Tri::No)
          holes.dimensions[d] = domain.holes;
        llvm::append_range(roots[d], domain.roots);
      }
      inner = outer;
    }
    step = end;
  }
  return holes;
}

namespace {
/// What stands in the holes along a lane.
struct Content {
  enum Kind : uint8_t { Unknown, Constant, Finite, Any } kind = Unknown;
  TypedAttr value = {};         ///< Constant: an element.
  Operation *spoiler = nullptr; ///< Which made it other than zero.

  bool isZero() const {
    if (auto real = dyn_cast_or_null<FloatAttr>(value))
      return real.getValue().isZero();
    auto integer = dyn_cast_or_null<IntegerAttr>(value);
    return integer && integer.getValue().isZero();
  }
  bool isFinite() const {
    auto real = dyn_cast_or_null<FloatAttr>(value);
    return kind != Any && (!real || real.getValue().isFinite());
  }
  bool operator==(const Content &other) const {
    return kind == other.kind && value == other.value;
  }
  static Content of(Attribute element) {
    auto typed = dyn_cast_or_null<TypedAttr>(element);
    return typed && isa<FloatAttr, IntegerAttr>(typed)
               ? Content{Constant, typed}
               : Content{Any};
  }
  /// Either of both.
  Content join(const Content &other) const {
    if (kind == Unknown)
      return other;
    if (other.kind == Unknown || *this == other)
      return *this;
    return {isFinite() && other.isFinite() ? Finite : Any,
            {},
            spoiler ? spoiler : other.spoiler};
  }
};

/// None, any dimension, or one.
constexpr int none = -2, any = -1;

struct Lane {
  int source = none;
  Content content = {};
};

struct Tracked {
  SmallVector<Lane, 3> lanes; ///< By dimension; the last: the loops.
  Value origin = {};
  /// What it holds comes from several iterations of the loops from this depth
  /// on (the outermost is 1).
  int depth = INT_MAX;
};

class Uses {
public:
  Uses(CopyAsyncOp copy, const TmaLowering &low, KernelCopies &copies)
      : kernel(copy->getParentOfType<KernelOp>()), copies(copies), copy(copy),
        low(low), holes(holesOf(copy.getBuffer().getType(), low, roots)) {}

  CopyUses run();

private:
  enum Step { Sources, Contents, Report };

  // Values.
  static int rankOf(Value value);
  const Tracked *find(Value value) const {
    auto it = tracked.find(value);
    return it == tracked.end() ? nullptr : &it->second;
  }
  void set(Value value, Tracked next);
  /// `from` as a value of another type or rank.
  Tracked as(Value value, Tracked from) const;
  void pass(Value from, Value to, bool newPlaces = false);
  /// Memory that `to` is a view of holds what `from` does.
  void store(Operation *op, const Tracked &from, Value to);
  /// The value that all elements have; null: none.
  TypedAttr constantOf(Value value);
  llvm::SmallSet<int, 4> placesOf(Value condition, int loops);

  // Operations.
  void visit(Operation *op);
  void visitRegions(Operation *op);
  void visitElementwise(Operation *op);
  void visitSelect(arith::SelectOp op);
  void visitReduce(ReduceOp op);
  template <typename Op>
  void visitProduct(Op op, Value d, Value result, bool accumulates);
  void visitUnknown(Operation *op);
  Content evaluate(Operation *op, ArrayRef<Content> operands,
                   llvm::function_ref<Content(Value)> of);
  OpFoldResult fold(Operation *op, ArrayRef<Attribute> operands);

  // Reductions.
  enum Neutral {
    Zero, ///< Adds up what is in the tile.
    Sums, ///< Adds a tile to others: it may be sums of its own with other data.
    Other
  };
  bool isZero(const Tracked &value, int lane) const;
  int changesAt(int source);
  void use(Operation *op, StringRef name, const Tracked &value,
           ArrayRef<int> lanes, Neutral neutral);
  /// `depth`: of what the tile is joined with; holes that are in the same
  /// places there change nothing.
  void useAll(Operation *op, StringRef name, const Tracked &value,
              Neutral neutral, int depth = 0) {
    SmallVector<int> lanes;
    if (step != Report)
      return;
    for (auto [i, lane] : llvm::enumerate(value.lanes))
      if (lane.source != none &&
          (depth == 0 || changesAt(lane.source) >= depth))
        lanes.push_back(int(i));
    use(op, name, value, lanes, neutral);
  }

  KernelOp kernel;
  KernelCopies &copies;
  CopyAsyncOp copy;
  const TmaLowering &low;
  std::vector<Names> roots; ///< By dimension of the buffer.
  TileHoles holes;
  std::map<int, int> changes;    ///< Of changesAt.
  llvm::SetVector<Value> memory; ///< The copy's.
  Step step = Sources;
  llvm::MapVector<Value, Tracked> tracked;
  llvm::SetVector<Operation *> work;
  llvm::DenseMap<Value, TypedAttr> constants;
  llvm::DenseMap<Operation *, RegionBranchInverseSuccessorMapping> flows;
  std::vector<TileUse> uses;
};
} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// -1: holds no tile.
int Uses::rankOf(Value value) {
  return llvm::TypeSwitch<Type, int>(value.getType())
      .Case<SharedType, TensorMemoryType>(
          [](auto type) { return static_cast<int>(type.getShape().size()); })
      .Case([](RankedTensorType type) { return int(type.getRank()); })
      .Case([](InFlightType type) { return int(type.getTensor().getRank()); })
      .Default(-1);
}

static Type elementOf(Value value) {
  return llvm::TypeSwitch<Type, Type>(value.getType())
      .Case<SharedType, TensorMemoryType, RankedTensorType>(
          [](auto type) { return type.getElementType(); })
      .Case([](InFlightType type) { return type.getTensor().getElementType(); })
      .Default([](Type type) { return type; });
}

static TypedAttr zeroOf(Value value) {
  return Builder(value.getContext()).getZeroAttr(elementOf(value));
}

/// Loops around an operation.
static int depthOf(Operation *op) {
  int depth = 0;
  for (op = op->getParentOp(); op; op = op->getParentOp())
    depth += isa<LoopLikeOpInterface>(op);
  return depth;
}

/// The depth of what is computed anew where an operation stands.
static int placeIn(Operation *op) { return std::max(1, depthOf(op)); }

/// The depth of the innermost loop with which a value changes.
static int changeOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    op = cast<BlockArgument>(value).getOwner()->getParentOp();
    return depthOf(op) + isa<LoopLikeOpInterface>(op);
  }
  if (op->getNumRegions() || !isMemoryEffectFree(op))
    return depthOf(op);
  int depth = 0;
  for (Value operand : op->getOperands())
    depth = std::max(depth, changeOf(operand));
  return depth;
}

static bool hasHoles(const Tracked &value) {
  return llvm::any_of(value.lanes,
                      [](const Lane &lane) { return lane.source != none; });
}

void Uses::set(Value value, Tracked next) {
  if (rankOf(value) < 0 || (!hasHoles(next) && !tracked.count(value)))
    return;
  auto [it, fresh] = tracked.try_emplace(value);
  Tracked &old = it->second;
  bool changed = fresh || old.origin != next.origin;
  if (fresh)
    old.lanes.resize(rankOf(value) + 1);
  old.origin = next.origin;
  changed |= next.depth < old.depth;
  old.depth = std::min(old.depth, next.depth);
  for (auto [lane, more] : llvm::zip(old.lanes, next.lanes)) {
    int source = lane.source == none ? more.source
                 : more.source == none || more.source == lane.source
                     ? lane.source
                     : any;
    changed |= source != lane.source;
    lane.source = source;
    if (step != Contents || more.source == none)
      continue;
    Content content = lane.content.join(more.content);
    changed |= !(content == lane.content);
    lane.content = content;
  }
  if (changed)
    for (Operation *user : value.getUsers())
      work.insert(user);
}

Tracked Uses::as(Value value, Tracked from) const {
  size_t size = rankOf(value) + 1;
  if (from.lanes.size() != size) {
    // The dimensions are others: holes may be anywhere.
    Lane all;
    for (const Lane &lane : ArrayRef(from.lanes).drop_back())
      if (lane.source != none)
        all = {any, all.content.join(lane.content)};
    Lane loops = from.lanes.back();
    from.lanes.assign(size - 1, all);
    from.lanes.push_back(loops);
  }
  // Zero has no bits in any type.
  TypedAttr zero = zeroOf(value);
  for (Lane &lane : from.lanes)
    if (Content &c = lane.content;
        c.value && (!zero || c.value.getType() != zero.getType()))
      c = zero && c.isZero() ? Content::of(zero)
                             : Content{Content::Any, {}, c.spoiler};
  return from;
}

void Uses::pass(Value from, Value to, bool newPlaces) {
  const Tracked *value = find(from);
  if (!value || rankOf(to) < 0)
    return;
  Tracked next = as(to, *value);
  if (newPlaces) {
    next.origin = to;
    next.depth = std::min(next.depth, placeIn(to.getDefiningOp()));
  }
  set(to, std::move(next));
}

/// Whether all that `memory` may be is found.
static bool allocationsOf(Value memory, llvm::SetVector<Value> &found,
                          llvm::DenseSet<Value> &seen) {
  memory = getRoot(memory);
  if (!seen.insert(memory).second)
    return true;
  Operation *op = memory.getDefiningOp();
  auto all = [&](auto &&values) {
    bool good = !values.empty();
    for (Value value : values)
      good &= allocationsOf(value, found, seen);
    return good;
  };
  if (isa_and_nonnull<SharedAllocOp, TmemAllocOp>(op))
    return found.insert(memory), true;
  if (auto buffer = dyn_cast_or_null<PipeBufferOp>(op)) {
    SmallVector<Value> buffers;
    op->getParentOfType<KernelOp>().getBody().walk([&](PipeCreateOp pipe) {
      for (auto [name, each] : llvm::zip(pipe.getNames(), pipe.getBuffers()))
        if (name == buffer.getNameAttr())
          buffers.push_back(each);
    });
    return all(buffers);
  }
  if (!op)
    op = cast<BlockArgument>(memory).getOwner()->getParentOp();
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
    RegionBranchInverseSuccessorMapping flow;
    branch.getSuccessorInputOperandMapping(flow);
    return all(llvm::map_to_vector(
        flow.lookup(memory), [](OpOperand *each) { return each->get(); }));
  }
  return false;
}

void Uses::store(Operation *op, const Tracked &from, Value to) {
  llvm::SetVector<Value> into;
  llvm::DenseSet<Value> seen;
  if (!allocationsOf(to, into, seen))
    useAll(op, op->getName().getStringRef(), from, Other);
  for (Value each : into) {
    Tracked next = as(each, from);
    next.depth = 1;
    set(each, std::move(next));
  }
}

TypedAttr Uses::constantOf(Value value) {
  if (auto it = constants.find(value); it != constants.end())
    return it->second;
  Operation *op = value.getDefiningOp();
  Attribute attribute;
  TypedAttr element;
  if (!op || op->getNumRegions()) {
  } else if (matchPattern(value, m_Constant(&attribute))) {
    auto splat = dyn_cast<SplatElementsAttr>(attribute);
    element = dyn_cast<TypedAttr>(splat ? splat.getSplatValue<Attribute>()
                                        : attribute);
    if (element && isa<ShapedType>(element.getType()))
      element = {};
  } else if (isa<InFlightNoneOp>(op)) {
    element = zeroOf(value);
  } else if (isa<SplatOp, BroadcastOp, ExtractOp, PanelOp, InFlightStartOp>(
                 op)) {
    element = constantOf(op->getOperand(0));
  } else if (op->hasTrait<OpTrait::Elementwise>() && op->getNumOperands()) {
    auto of = [&](Value each) {
      TypedAttr constant = constantOf(each);
      return constant ? Content::of(constant) : Content{Content::Any};
    };
    element =
        evaluate(op, llvm::map_to_vector(op->getOperands(), of), of).value;
  }
  return constants[value] = element;
}

/// The lanes that a condition tells apart, where it is a predicate: made of
/// coordinates and of scalars, and of no data.
llvm::SmallSet<int, 4> Uses::placesOf(Value condition, int loops) {
  llvm::SmallSet<int, 4> places;
  llvm::SetVector<Value> values;
  values.insert(condition);
  for (size_t i = 0; i < values.size(); ++i) {
    Value value = values[i];
    Operation *op = value.getDefiningOp();
    if (tracked.count(value) || (!op && rankOf(value) >= 0) ||
        (op && (op->getNumRegions() || !isMemoryEffectFree(op))))
      return {};
    if (auto coordinate = dyn_cast_or_null<CoordinateOp>(op)) {
      places.insert(static_cast<int>(coordinate.getDimension()));
      places.insert(loops);
    }
    if (op)
      values.insert_range(op->getOperands());
  }
  return places;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Whether zeros stand in the holes along a lane, and in those of others that
/// come from the same dimensions of the tensor: such holes are no whole lines.
bool Uses::isZero(const Tracked &value, int lane) const {
  int source = value.lanes[lane].source, loops = roots.size();
  for (auto [i, other] : llvm::enumerate(value.lanes)) {
    if (other.source == none)
      continue;
    bool same = int(i) == lane || source == any || other.source == any ||
                (source != loops && other.source != loops &&
                 meet(roots[source], roots[other.source]));
    if (same && !other.content.isZero())
      return false;
  }
  return true;
}

/// The depth of the innermost loop with which the places of holes change: that
/// of the indices which the copy gives its schedule's loops over the same
/// dimensions. INT_MAX where another copy to the same memory gives others.
/// Loops of partitions correspond by depth.
int Uses::changesAt(int source) {
  auto [it, fresh] = changes.try_emplace(source, 0);
  if (!fresh)
    return it->second;
  Names tile;
  for (const Names &names : roots)
    llvm::append_range(tile, names);
  auto moves = [&](StringRef name) {
    for (const TmaLoop &loop : low.loops)
      if (name == StringRef(low.graph[loop.domain].name))
        return source == any ||
               (source == int(roots.size())
                    ? llvm::any_of(loop.roots,
                                   [&](const std::string &root) {
                                     return !llvm::is_contained(tile, root);
                                   })
                    : meet(loop.roots, roots[source]));
    return true;
  };
  auto indexOf = [](CopyAsyncOp each, Attribute loop) -> Value {
    for (auto [name, index] : llvm::zip(each.getLoops(), each.getIndices()))
      if (name == loop)
        return index;
    return {};
  };
  int depth = 0;
  for (auto [name, index] : llvm::zip(copy.getLoops(), copy.getIndices()))
    if (moves(cast<StringAttr>(name).getValue()))
      depth = std::max(depth, changeOf(index));
  for (auto &[other, to, known] : copies.loads) {
    if (depth == INT_MAX)
      break;
    if (other == copy || (known && llvm::none_of(to, [&](Value each) {
                            return memory.contains(each);
                          })))
      continue;
    if (other.getSchedule() != copy.getSchedule())
      depth = INT_MAX;
    for (auto [name, index] : llvm::zip(copy.getLoops(), copy.getIndices())) {
      if (!moves(cast<StringAttr>(name).getValue()))
        continue;
      Value there = indexOf(other, name);
      auto a = getConstant(index), b = getConstant(there);
      if (index != there && (!a || a != b))
        depth = INT_MAX;
    }
  }
  return changes[source] = depth;
}

static std::string placeOf(Operation *op) {
  std::string text = op->getName().getStringRef().str();
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
    text += " (line " + std::to_string(place.getLine()) + ")";
  return text;
}

void Uses::use(Operation *op, StringRef name, const Tracked &value,
               ArrayRef<int> lanes, Neutral neutral) {
  if (step != Report)
    return;
  TileUse use{name.str(), {}};
  std::set<int> reduced;
  Operation *spoiler = nullptr;
  bool good = neutral != Other;
  int loops = static_cast<int>(roots.size());
  for (int lane : lanes) {
    const auto &[source, content] = value.lanes[lane];
    if (source == none)
      continue;
    for (int d = 0; d <= loops; ++d)
      if (source == any || source == d)
        reduced.insert(d);
    if (isZero(value, lane) ||
        (neutral == Sums && content.isFinite() && !content.spoiler))
      continue;
    good = false;
    for (const Lane &each : value.lanes)
      if (!spoiler)
        spoiler = each.content.spoiler;
  }
  if (reduced.empty())
    return;
  use.reduced.assign(reduced.begin(), reduced.end());
  if (!good) {
    use.neutral = TileFill::Other;
    use.otherwise =
        ": zero changes the result, as " +
        (neutral == Other ? placeOf(op) + " is no sum"
         : spoiler        ? placeOf(spoiler) + " makes something else of it"
                          : "other values stand in the same places") +
        "; put the neutral value into the holes (arith.select by "
        "titan.coordinate), or write `weak`";
  }
  if (!llvm::any_of(uses, [&](const TileUse &other) {
        return other.name == use.name && other.reduced == use.reduced &&
               other.otherwise == use.otherwise;
      }))
    uses.push_back(std::move(use));
}

//===----------------------------------------------------------------------===//
// Element-wise operations
//===----------------------------------------------------------------------===//

/// The operation folded with constants for some operands. Folders may change
/// the operation in place: that is undone.
OpFoldResult Uses::fold(Operation *op, ArrayRef<Attribute> operands) {
  SmallVector<Value> before(op->getOperands());
  DictionaryAttr attributes = op->getAttrDictionary();
  SmallVector<OpFoldResult> results;
  bool folded = succeeded(op->fold(operands, results));
  if (!llvm::equal(before, op->getOperands()))
    op->setOperands(before);
  if (op->getAttrDictionary() != attributes)
    op->setAttrs(attributes);
  return folded && results.size() == 1 ? results.front() : OpFoldResult();
}

/// One element of the result, of elements of the operands.
Content Uses::evaluate(Operation *op, ArrayRef<Content> operands,
                       llvm::function_ref<Content(Value)> of) {
  auto product = [&](const Content &a, const Content &b) {
    if ((a.isZero() && b.isFinite()) || (b.isZero() && a.isFinite()))
      return Content::of(zeroOf(op->getResult(0)));
    return Content{a.isFinite() && b.isFinite() ? Content::Finite
                                                : Content::Any};
  };
  SmallVector<Attribute> constants;
  for (auto [value, content] : llvm::zip(op->getOperands(), operands)) {
    Attribute constant = content.value;
    // cmpf folds elements, the others splats.
    if (auto shaped = dyn_cast<ShapedType>(value.getType());
        shaped && constant && !isa<arith::CmpFOp>(op) &&
        content.value.getType() == elementOf(value))
      constant = DenseElementsAttr::get(shaped, constant);
    constants.push_back(constant);
  }
  OpFoldResult folded = fold(op, constants);
  if (auto attribute = dyn_cast_if_present<Attribute>(folded)) {
    auto splat = dyn_cast<SplatElementsAttr>(attribute);
    return Content::of(splat ? splat.getSplatValue<Attribute>() : attribute);
  }
  if (auto value = dyn_cast_if_present<Value>(folded))
    return of(value);
  if (isa<arith::MulFOp, arith::MulIOp, arith::AndIOp>(op))
    return product(operands[0], operands[1]);
  if (isa<math::FmaOp>(op)) {
    Content left = product(operands[0], operands[1]);
    if (left.isZero() && operands[2].isZero())
      return left;
    return {left.isFinite() && operands[2].isFinite() ? Content::Finite
                                                      : Content::Any};
  }
  if (isa<arith::SelectOp>(op))
    return operands[1].join(operands[2]);
  bool finite =
      isa<arith::AddFOp, arith::SubFOp, arith::AddIOp, arith::SubIOp,
          arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
          arith::MinNumFOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
          arith::MinUIOp, arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp,
          arith::TruncFOp, arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp,
          arith::CmpFOp, arith::CmpIOp, arith::OrIOp, arith::XOrIOp,
          math::AbsFOp, math::AbsIOp>(op);
  return {finite && llvm::all_of(operands,
                                 [](const Content &c) { return c.isFinite(); })
              ? Content::Finite
              : Content::Any};
}

void Uses::visitElementwise(Operation *op) {
  Value result = op->getResult(0);
  int rank = rankOf(result);
  Value origin;
  bool mixed = false, carried = false;
  int depth = INT_MAX;
  for (Value operand : op->getOperands())
    if (const Tracked *value = find(operand)) {
      mixed |= origin && value->origin != origin;
      origin = value->origin;
      carried |= isa<BlockArgument>(origin);
      depth = std::min(depth, value->depth);
    }
  if (mixed)
    depth = std::min(depth, placeIn(op));
  bool sum =
      isa<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp>(op);
  bool product = isa<arith::MulFOp, arith::MulIOp, arith::AndIOp>(op);
  if (mixed)
    for (Value operand : op->getOperands())
      if (const Tracked *value = find(operand))
        useAll(op, op->getName().getStringRef(), *value,
               sum                   ? Sums
               : product && !carried ? Zero
                                     : Other,
               depth);
  Tracked next;
  next.origin = mixed ? result : origin;
  next.depth = depth;
  for (int lane = 0; lane <= rank; ++lane) {
    auto of = [&](Value each) {
      const Tracked *value = find(each);
      if (value && value->lanes[lane].source != none)
        return value->lanes[lane].content;
      TypedAttr constant = value ? TypedAttr() : constantOf(each);
      return constant ? Content::of(constant) : Content{Content::Finite};
    };
    Lane made;
    SmallVector<Content> operands;
    Operation *spoiler = nullptr;
    bool zeros = true, known = true;
    for (Value operand : op->getOperands()) {
      Content content = operands.emplace_back(of(operand));
      const Tracked *value = find(operand);
      if (!value || value->lanes[lane].source == none)
        continue;
      int source = value->lanes[lane].source;
      made.source = made.source == none || made.source == source ? source : any;
      known &= content.kind != Content::Unknown;
      zeros &= content.isZero();
      if (!spoiler)
        spoiler = content.spoiler;
    }
    if (made.source != none && known && step != Sources) {
      made.content = mixed && !sum && !product ? Content{Content::Any}
                                               : evaluate(op, operands, of);
      if (!made.content.isZero())
        made.content.spoiler = zeros ? op : spoiler;
    }
    next.lanes.push_back(made);
  }
  set(result, std::move(next));
}

/// A predicate puts the program's own constant into holes.
void Uses::visitSelect(arith::SelectOp op) {
  for (auto [tile, other] :
       {std::pair(op.getTrueValue(), op.getFalseValue()),
        std::pair(op.getFalseValue(), op.getTrueValue())}) {
    const Tracked *value = find(tile);
    TypedAttr constant = find(other) ? TypedAttr() : constantOf(other);
    if (!value || !constant)
      continue;
    auto places = placesOf(op.getCondition(), rankOf(tile));
    if (places.empty())
      continue;
    Content content = Content::of(constant);
    Tracked next = *value;
    for (auto [i, lane] : llvm::enumerate(next.lanes)) {
      if (lane.source == none)
        continue;
      if (!places.contains(int(i)))
        lane.content = lane.content.join(content);
      else if (content.isZero())
        lane.content = content;
      else
        lane = Lane();
    }
    return set(op.getResult(), std::move(next));
  }
  visitElementwise(op);
}

//===----------------------------------------------------------------------===//
// Reductions and products
//===----------------------------------------------------------------------===//

void Uses::visitReduce(ReduceOp op) {
  Tracked next = *find(op.getTile());
  int last = static_cast<int>(next.lanes.size()) - 2;
  bool sum = op.getKind() == ReduceKind::Add;
  use(op, ("titan.reduce " + stringifyReduceKind(op.getKind())).str(), next,
      {last}, sum ? Zero : Other);
  next.lanes[last] = Lane();
  if (rankOf(op.getResult()) == last)
    next.lanes.erase(next.lanes.begin() + last);
  for (Lane &lane : next.lanes)
    if (Content &c = lane.content; sum && c.value && !c.isZero())
      c = {c.isFinite() ? Content::Finite : Content::Any, {}, c.spoiler};
  set(op.getResult(), std::move(next));
}

/// Of products D = A * B^T: A is used along K; what its rows hold, and those of
/// B, D holds along its rows and columns. One that accumulates adds up tiles.
template <typename Op>
void Uses::visitProduct(Op op, Value d, Value result, bool accumulates) {
  StringRef name = op->getName().getStringRef();
  Tracked next;
  next.lanes.resize(3);
  next.origin = result;
  const Tracked *sums = accumulates ? find(d) : nullptr;
  next.depth = placeIn(op);
  for (Value each : {Value(op.getA()), Value(op.getB()), d})
    if (const Tracked *value = find(each))
      next.depth = std::min(next.depth, value->depth);
  TypedAttr constant = accumulates && !sums ? constantOf(d) : zeroOf(d);
  Content before = constant ? Content::of(constant) : Content{Content::Finite};
  auto sum = [&](const Content &a, const Content &b) {
    if (b.kind == Content::Unknown ||
        (a.kind == Content::Unknown && d != result))
      return Content();
    if (a.kind == Content::Unknown || (a.isZero() && b.isZero()))
      return b; // In memory the first product finds nothing.
    return Content{a.isFinite() && b.isFinite() ? Content::Finite
                                                : Content::Any,
                   {},
                   a.spoiler ? a.spoiler : b.spoiler};
  };
  // What the product adds at each lane, where it is tracked.
  std::array<Lane, 3> added;
  auto operand = [&](Value from, bool transposed, int to) {
    const Tracked *value = find(from);
    if (!value)
      return;
    use(op, name, *value, {transposed ? 0 : 1}, Zero);
    if (accumulates)
      useAll(op, name, *value, Zero, next.depth);
    for (auto [lane, at] : {std::pair(transposed ? 1 : 0, to), {2, 2}}) {
      const auto &[source, content] = value->lanes[lane];
      if (source == none)
        continue;
      Content more = content;
      if (more.isZero())
        more = Content::of(zeroOf(d));
      else if (more.kind != Content::Unknown)
        more = {more.isFinite() ? Content::Finite : Content::Any,
                {},
                more.spoiler ? more.spoiler : op.getOperation()};
      added[at].source =
          added[at].source == none || added[at].source == source ? source : any;
      added[at].content = added[at].content.join(more);
    }
  };
  operand(op.getA(), op.getTransposeA(), 0);
  operand(op.getB(), op.getTransposeB(), 1);
  if (sums)
    useAll(op, name, *sums, Sums, next.depth);
  for (int at = 0; at < 3; ++at) {
    Lane old = sums ? sums->lanes[at] : Lane();
    const Lane &more = added[at];
    if (old.source == none && more.source == none)
      continue;
    Lane &out = next.lanes[at];
    out.source = old.source == none          ? more.source
                 : more.source == none       ? old.source
                 : more.source == old.source ? old.source
                                             : any;
    out.content =
        sum(old.source == none ? before : old.content,
            more.source == none ? Content{Content::Finite} : more.content);
  }
  set(result, as(result, std::move(next)));
}

static bool mayAccumulate(Value flag) {
  return flag && getConstant(flag).value_or(1) != 0;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void Uses::visitUnknown(Operation *op) {
  for (Value operand : op->getOperands())
    if (const Tracked *value = find(operand)) {
      useAll(op, op->getName().getStringRef(), *value, Zero);
      for (Value result : op->getResults()) {
        if (rankOf(result) < 0)
          continue;
        Tracked next;
        next.lanes.assign(rankOf(result) + 1, {any, {Content::Any, {}, op}});
        next.origin = result;
        set(result, std::move(next));
      }
    }
}

/// Values that control flow carries: each is any of those given for it.
void Uses::visitRegions(Operation *op) {
  auto branch = cast<RegionBranchOpInterface>(op);
  auto [it, fresh] = flows.try_emplace(op);
  if (fresh)
    branch.getSuccessorInputOperandMapping(it->second);
  for (auto &[input, operands] : it->second) {
    if (!llvm::any_of(operands,
                      [&](OpOperand *each) { return find(each->get()); }))
      continue;
    for (OpOperand *each : operands) {
      Tracked next;
      if (const Tracked *value = find(each->get()))
        next = *value;
      else
        next.lanes.resize(rankOf(input) + 1);
      // What holds no tile is a value of its own at the others' holes.
      if (const Tracked *now = find(input); now && step == Contents)
        for (auto [lane, known] : llvm::zip(next.lanes, now->lanes))
          if (lane.source == none && known.source != none) {
            TypedAttr constant =
                find(each->get()) ? TypedAttr() : constantOf(each->get());
            lane = {known.source, constant ? Content::of(constant)
                                           : Content{Content::Finite}};
          }
      next.origin = input;
      if (isa<LoopLikeOpInterface>(op))
        next.depth = std::min(next.depth, depthOf(op) + 1);
      set(input, std::move(next));
    }
  }
}

void Uses::visit(Operation *op) {
  Operation *parent = op->getParentOp();
  if (isa<RegionBranchOpInterface>(op))
    return visitRegions(op);
  if (op->hasTrait<OpTrait::IsTerminator>()) {
    if (isa<RegionBranchOpInterface>(parent))
      return visitRegions(parent);
    if (isa<ElectOp>(parent))
      for (auto [from, to] : llvm::zip(op->getOperands(), parent->getResults()))
        pass(from, to);
    return;
  }
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return visitSelect(select);
  if (op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1)
    return visitElementwise(op);

  // What is written to memory is what it holds.
  auto write = [&](Value tile, Value memory) {
    if (const Tracked *value = find(tile))
      store(op, Tracked(*value), memory);
  };
  auto neutralOf = [](AtomicOp reduction) {
    return llvm::is_contained({AtomicOp::Add, AtomicOp::Or, AtomicOp::Xor},
                              reduction)
               ? Zero
               : Other;
  };
  StringRef name = op->getName().getStringRef();
  llvm::TypeSwitch<Operation *>(op)
      .Case<SharedSlotOp, SharedViewOp, MapRankOp, TmemSlotOp, TmemViewOp,
            InFlightStartOp>(
          [&](auto) { pass(op->getOperand(0), op->getResult(0)); })
      .Case<SharedLoadOp, TmemLoadOp, ExtractOp, PanelOp>(
          [&](auto) { pass(op->getOperand(0), op->getResult(0), true); })
      .Case([&](MmaResultOp result) {
        pass(result.getAcc(), result.getResult());
      })
      .Case([&](TmemWaitLoadOp wait) {
        for (auto [load, tile] : llvm::zip(wait.getLoads(), wait.getTiles()))
          pass(load, tile);
      })
      .Case([&](BroadcastOp broadcast) {
        Tracked next = *find(broadcast.getTile());
        next.lanes.insert(next.lanes.end() - 1, Lane());
        set(broadcast.getResult(), std::move(next));
      })
      .Case([&](ReduceOp reduce) { visitReduce(reduce); })
      .Case<SharedStoreOp>(
          [&](auto put) { write(put.getTile(), put.getBuffer()); })
      .Case<TmemStoreOp>(
          [&](auto put) { write(put.getTile(), put.getMemory()); })
      .Case([&](MmaOp mma) {
        visitProduct(mma, mma.getAcc(), mma.getResult(),
                     mayAccumulate(mma.getAccumulate()));
      })
      .Case([&](Tcgen05MmaOp mma) {
        // Sums that begin with what somebody stored have no zeros in them.
        llvm::SetVector<Value> memory;
        llvm::DenseSet<Value> seen;
        bool known = allocationsOf(mma.getD(), memory, seen);
        kernel.getBody().walk([&](TmemStoreOp put) {
          llvm::SetVector<Value> to;
          llvm::DenseSet<Value> seen;
          known &=
              allocationsOf(put.getMemory(), to, seen) &&
              llvm::none_of(to, [&](Value v) { return memory.contains(v); });
        });
        bool accumulates = mayAccumulate(mma.getAccumulate());
        for (Value each : memory)
          visitProduct(mma, each, each, accumulates);
        if (!known && accumulates)
          for (Value each : memory)
            if (const Tracked *sums = find(each)) {
              Tracked next = *sums;
              for (Lane &lane : next.lanes)
                lane.content = {Content::Finite, {}, op};
              set(each, std::move(next));
            }
      })
      .Case([&](TmaReduceOp reduce) {
        useAll(op, (name + " " + stringifyAtomicOp(reduce.getOp())).str(),
               *find(reduce.getBuffer()), neutralOf(reduce.getOp()));
      })
      .Case([&](CopyAsyncOp copy) {
        if (auto reduce = copy.getReduce())
          useAll(op, (name + " reduce " + stringifyAtomicOp(*reduce)).str(),
                 *find(copy.getBuffer()), neutralOf(*reduce));
      })
      .Case([&](PipeCreateOp pipe) {
        for (auto [key, buffer] : llvm::zip(pipe.getNames(), pipe.getBuffers()))
          if (find(buffer))
            kernel.getBody().walk(
                [&, key = key, buffer = buffer](PipeBufferOp at) {
                  if (at.getNameAttr() == key)
                    pass(buffer, at.getResult());
                });
      })
      .Case<GlobalStoreOp, GlobalLoadOp>([&](auto access) {
        // Where a mask by places decides, indices in holes count for nothing.
        Value mask = access.getMask();
        bool loads = isa<GlobalLoadOp>(op);
        Tracked next;
        for (Value index : access.getIndices()) {
          const Tracked *value = find(index);
          if (!value)
            continue;
          next = *value;
          if (mask)
            for (int lane : placesOf(mask, rankOf(index)))
              next.lanes[lane] = Lane();
          useAll(op, name, next, loads || (mask && find(mask)) ? Zero : Other);
        }
        if (const Tracked *value = mask ? find(mask) : nullptr) {
          useAll(op, name, *value, Zero);
          if (next.lanes.empty())
            next = *value;
        }
        if (!loads || next.lanes.empty())
          return;
        next.origin = op->getResult(0);
        for (Lane &lane : next.lanes)
          lane.content = {Content::Finite, {}, op};
        set(op->getResult(0), std::move(next));
      })
      // Into memory that is tracked, and out of the kernel's hands.
      .Case<TmaLoadOp, TmaStoreOp, StOp>([](auto) {})
      .Default([&](Operation *other) { visitUnknown(other); });
}

CopyUses Uses::run() {
  Value buffer = copy.getBuffer();
  Tracked tile;
  int rank = static_cast<int>(holes.dimensions.size());
  for (int d = 0; d <= rank; ++d) {
    Tri has = d < rank ? holes.dimensions[d] : holes.loops;
    tile.lanes.push_back(
        {has == Tri::No ? none : d, Content::of(zeroOf(buffer))});
  }
  if (!hasHoles(tile))
    return {{}, std::move(holes)};
  llvm::DenseSet<Value> seen;
  bool known = allocationsOf(buffer, memory, seen);
  if (!known) {
    std::vector<int> all(rank + 1);
    std::iota(all.begin(), all.end(), 0);
    uses.push_back({"a buffer of unknown origin", std::move(all)});
  }
  // What follows is the same for all copies that are alike.
  KernelCopies::Key key = KernelCopies::keyOf(copy);
  key.push_back(reinterpret_cast<const void *>(intptr_t(known)));
  for (Value each : memory)
    key.push_back(each.getAsOpaquePointer());
  for (int source = any; source <= rank; ++source)
    key.push_back(reinterpret_cast<const void *>(
        static_cast<intptr_t>(changesAt(source))));
  if (auto found = copies.uses.find(key); found != copies.uses.end())
    return found->second;
  for (Step now : {Sources, Contents}) {
    step = now;
    for (Value each : memory)
      set(each, as(each, tile));
    for (auto &[value, _] : tracked)
      work.insert_range(value.getUsers());
    while (!work.empty())
      visit(work.pop_back_val());
  }
  step = Report;
  llvm::SetVector<Operation *> users;
  for (auto &[value, _] : tracked)
    users.insert_range(value.getUsers());
  for (Operation *user : users)
    visit(user);
  return copies.uses[key] = {std::move(uses), std::move(holes)};
}

CopyUses titan::usesOf(CopyAsyncOp copy, const TmaLowering &low,
                       KernelCopies &kernel) {
  return Uses(copy, low, kernel).run();
}

KernelCopies::KernelCopies(KernelOp kernel) {
  kernel.getBody().walk([&](CopyAsyncOp copy) {
    if (!copy.isLoad())
      return;
    Load load{copy, {}, false};
    llvm::DenseSet<Value> seen;
    load.known = allocationsOf(copy.getBuffer(), load.memory, seen);
    loads.push_back(std::move(load));
  });
}
