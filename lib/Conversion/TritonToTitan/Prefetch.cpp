//===- Prefetch.cpp - loads of a loop that are issued ahead ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load that stands in a loop is waited for in the round that wants it. Where its
// addresses are known rounds before, num_stages - 1 rounds ahead threads copy what
// they would load to shared memory (cp.async), past their registers, and the round
// that wants it reads it from there: a product's operand at once in its fragments.
//
//   before                                 after, num_stages = 3
//
//                                          copy round 0 -> ring[0]; commit
//                                          copy round 1 -> ring[1]; commit
//   for i in 0 .. n:                       for i in 0 .. n:
//                                            wait_group 1      round i is there
//                                            cta_sync          for all threads
//                                            copy round i + 2 -> ring[(i + 2) mod 3]
//                                            commit
//     x = global.load p + i * step           x = shared.load ring[i mod 3]
//     y = mma_sync(convert_layout x, ..)     y = mma_sync(x, ..)
//                                          wait_group 0; cta_sync
//
// One barrier a round does for both: behind it all have round i, and nobody reads
// round i - 1 any more, whose slot is filled next. Without it, where each thread reads
// what it has copied itself, in the layout of the copy. Each round commits one group,
// an empty copy behind the last round, too, so that the number of wait_group is the
// same in all of them: the mask of a copy is false where its round does not come. Such
// a copy reads nothing, and its addresses may be any.
//
// What is known ahead: what the loop counter, values of before the loop, and values
// that the loop carries and that are made of such in turn, give by operations without
// effects. These are repeated for the rounds before the loop, and in it for the round
// that is copied; what they take of the loop's values it carries twice. An address
// that is loaded is not known ahead.
//
// A copy comes before what the rounds between do. It stays a load if the loop stores to
// its argument, has an atomic (which may tell that another program has stored), or an
// assertion (behind which it may be that nothing is to be read). Other arguments are
// other memory, as for the barriers between warps (Barriers.cpp).
//
// Rings take what is left of a CTA's shared memory: else fewer stages. Loops that
// come one after the other take turns in it: the barrier behind each is for that.
//
// What becomes of each load of a loop, and why, is a remark at its line (MLIR's
// Remarks.h), of the category triton-to-titan: titan explain stages prints them, and
// titan-opt --triton-to-titan --remark-format=emitRemark
// --remarks-filter=triton-to-titan.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "titan/Dialect/Titan/SharedMemory.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace titan;

/// Of a titan.global.load, until it has become a copy: num_stages, the bytes that a
/// thread copies at once, and the dimension along which they lie.
static constexpr StringLiteral aheadAttr = "titan.ahead";

/// The copies of as many rounds, less one, stand before a loop, written out.
static constexpr int64_t maxStages = 16;

//===----------------------------------------------------------------------===//
// What is told of them
//===----------------------------------------------------------------------===//

static constexpr auto remarkOpts =
    remark::RemarkOpts::name("prefetch").category("triton-to-titan");

static void tellStays(Location loc, Value memory, const Twine &why) {
  remark::missed(loc, remarkOpts)
      << "a load of " + nameOf(memory) + " stays a load: " + why.str();
}

static std::string bytesText(int64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

//===----------------------------------------------------------------------===//
// Which loads
//===----------------------------------------------------------------------===//

/// Whether a product takes, in the block of `op`, what is computed of its result.
static bool feedsDot(Operation *op) {
  SetVector<Operation *> reached;
  reached.insert(op);
  for (size_t i = 0; i < reached.size(); ++i)
    for (Operation *user : reached[i]->getUsers()) {
      if (isa<tt::DotOp>(user))
        return true;
      if (user->getBlock() == op->getBlock())
        reached.insert(user);
    }
  return false;
}

void titan::markAhead(ProgramConversion &c, Operation *op, Value memory,
                      GlobalLoadOp load) {
  auto inner = op->getParentOfType<LoopLikeOpInterface>();
  if (!inner)
    return;
  auto stays = [&](const Twine &why) { tellStays(op->getLoc(), memory, why); };
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  if (!loop)
    return stays(isa<scf::ForOp>(inner) ? "it is in a branch of its loop"
                                        : "its loop has no counter");
  auto own = loop->getAttrOfType<IntegerAttr>("tt.num_stages");
  int64_t stages = own ? own.getInt() : c.options.stages;
  if (stages < 2)
    return stays("num_stages is " + Twine(stages));
  // As in Triton: of a loop that says nothing itself, what products take.
  if (!own && !feedsDot(op))
    return stays("no tl.dot of its loop takes it, and the loop does not say "
                 "num_stages itself (tl.range)");
  if (!load)
    return stays("it is of one element");
  auto access = dyn_cast<tt::LoadOp>(op);
  if (!access)
    return stays("it goes by a descriptor");
  if (!isa<BlockArgument>(memory)) // It may be what its loop stores to.
    return stays("it goes by an address that is a number");
  if (load.getCop() && *load.getCop() == CacheOperator::DoNotCache)
    return stays("cache_modifier \".cv\" has each round read memory anew");
  auto [elements, dimension] = c.layouts.accessRun(access);
  auto type = cast<RankedTensorType>(load.getType());
  int64_t run = std::min(elements, getTileLayout(type)->alignedRun(dimension));
  int64_t size = std::max<int64_t>(type.getElementTypeBitWidth() / 8, 1);
  int64_t bytes = llvm::bit_floor<uint64_t>(std::min<int64_t>(run * size, 16));
  if (bytes < 4)
    return stays("a thread has " + bytesText(bytes) +
                 " that are known to lie side by side, aligned, under one mask "
                 "(tl.multiple_of, arguments that are multiples of 16), and a "
                 "copy moves 4, 8 or 16");
  load->setAttr(aheadAttr,
                c.b.getDenseI64ArrayAttr({stages, bytes, dimension}));
}

bool titan::isCopiedAhead(Value tile) {
  auto load = tile ? tile.getDefiningOp<GlobalLoadOp>() : nullptr;
  return load && load->hasAttr(aheadAttr);
}

namespace {
/// A load that becomes a copy.
struct Copy {
  GlobalLoadOp load;
  int64_t bytes;
  /// Of the load, fastest last: dimensions of the buffer.
  SmallVector<int64_t> order;
  SharedType ring;
  int64_t at = 0; ///< Bytes, where the ring begins.
  /// Conversions that become reads, and what they read of the load's tensor.
  SmallVector<std::pair<ConvertLayoutOp, RankedTensorType>> reads;
};

class LoopPrefetch {
public:
  LoopPrefetch(ProgramConversion &c, scf::ForOp loop) : c(c), loop(loop) {}

  /// What can be copied ahead, into rings in bytes `begin` to `limit` of shared memory.
  /// Nothing: the loop stays as it is.
  void plan(int64_t begin, int64_t limit);
  bool empty() const { return copies.empty(); }
  /// Bytes, where the last ring ends.
  int64_t end() const { return last; }
  /// `memory`: where the rings are.
  LogicalResult rewrite(Value memory);
  /// Behind the loop: the rings are free.
  CtaSyncOp free;

private:
  bool isKnownAhead(Value value);
  /// Why a load does not go ahead; empty: it may.
  std::string whyStays(GlobalLoadOp load);
  std::string whyNoneGoes();
  void findReads(Copy &copy);
  FailureOr<RankedTensorType> ringTile(const Copy &copy, RankedTensorType type);
  /// Repeats what the addresses take, with these values of the loop.
  void repeat(IRMapping &values);
  LogicalResult copy(IRMapping &values, Value comes, Value slot);
  FailureOr<Value> read(const Copy &copy, Value slot, RankedTensorType type);
  std::optional<int64_t> start();
  Value comes(int64_t number, Value counter = {});

  ProgramConversion &c;
  scf::ForOp loop;
  SmallVector<Copy> copies;
  int64_t stages = 0, last = 0;
  /// What addresses take: operations of the loop, and what it carries.
  llvm::SmallPtrSet<Operation *, 16> slice;
  llvm::SmallSetVector<unsigned, 4> carried;
  /// What the last value that is not known ahead takes.
  Operation *unknown = nullptr;
  /// Threads read what other ones have copied.
  bool exchanges = false;
  SmallVector<Value> rings;
};
} // namespace

/// Whether it has a result whatever its operands are: it is done for rounds that do not
/// come. Tiles are computed so that it is (Elementwise.cpp).
static bool hasResult(Operation *op) {
  if (isa<RankedTensorType>(op->getResult(0).getType()))
    return true;
  APInt places;
  if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op))
    return matchPattern(op->getOperand(1), m_ConstantInt(&places)) &&
           places.ult(places.getBitWidth());
  return !isa<arith::FPToSIOp, arith::FPToUIOp>(op);
}

/// With all that it is made of, in `slice` and `carried`.
bool LoopPrefetch::isKnownAhead(Value value) {
  if (loop.isDefinedOutsideOfLoop(value) || value == loop.getInductionVar())
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != loop.getBody())
      return false;
    unsigned number = argument.getArgNumber() - 1;
    return !carried.insert(number) ||
           isKnownAhead(loop.getYieldedValues()[number]);
  }
  Operation *op = value.getDefiningOp();
  if (op->getBlock() != loop.getBody() || op->getNumRegions() || !isPure(op) ||
      !hasResult(op)) {
    unknown = op;
    return false;
  }
  return !slice.insert(op).second ||
         llvm::all_of(op->getOperands(),
                      [&](Value each) { return isKnownAhead(each); });
}

std::string LoopPrefetch::whyStays(GlobalLoadOp load) {
  std::string why;
  loop.walk([&](Operation *op) {
    auto isIn = [&](const Twine &what) {
      why = ("its loop has " + what + inLine(op->getLoc())).str();
      return WalkResult::interrupt();
    };
    if (isa<titan::AssertOp>(op))
      return isIn("an assertion");
    if (isa<GlobalAtomOp, AtomOp>(op))
      return isIn("an atomic");
    auto effects = dyn_cast<HardwareEffectsInterface>(op);
    if (!effects || isa<CtaSyncOp>(op))
      return WalkResult::advance();
    effect::EffectList list;
    effects.getHardwareEffects(list);
    for (const effect::Effect &each : list) {
      auto *access = std::get_if<effect::Access>(&each.what);
      if (!access)
        return isIn("'" + op->getName().getStringRef() + "'");
      if (access->kind == AccessKind::Read)
        continue;
      Value root = getRoot(access->bytes.object);
      if (root == load.getTensor())
        return isIn("a store to " + nameOf(load.getTensor()));
      if (isa<GlobalType>(root.getType()) && !isa<BlockArgument>(root))
        return isIn("a store by an address that is a number");
    }
    return WalkResult::advance();
  });
  if (!why.empty())
    return why;
  auto sliceBefore = slice;
  auto carriedBefore = carried;
  bool addresses = llvm::all_of(load.getIndices(),
                                [&](Value each) { return isKnownAhead(each); });
  if (addresses && (!load.getMask() || isKnownAhead(load.getMask())))
    return {};
  slice = std::move(sliceBefore);
  carried = std::move(carriedBefore);
  std::string what = addresses ? "its mask" : "its address";
  return what + " takes " + quoted(unknown) +
         (isPure(unknown) && !unknown->getNumRegions()
              ? ", which has no result for some numbers"
              : ", which only its round knows");
}

std::string LoopPrefetch::whyNoneGoes() {
  APInt step;
  if (matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return step.isStrictlyPositive() ? "" : "its loop's step is not positive";
  // Of a step that only the run knows, so many must be numbers of 64 bits.
  Type type = loop.getStep().getType();
  return type.isInteger() && type.getIntOrFloatBitWidth() <= 32
             ? ""
             : "its loop's counter is of 64 bits, and the step is no constant";
}

void LoopPrefetch::plan(int64_t begin, int64_t limit) {
  std::string none = whyNoneGoes();
  for (auto load : loop.getBody()->getOps<GlobalLoadOp>()) {
    auto ahead = load->getAttrOfType<DenseI64ArrayAttr>(aheadAttr);
    if (!ahead)
      continue;
    std::string why = none.empty() ? whyStays(load) : none;
    if (!why.empty()) {
      tellStays(load.getLoc(), load.getTensor(), why);
      continue;
    }
    Copy copy{load, ahead[1], {}, {}};
    auto type = cast<RankedTensorType>(load.getType());
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (d != ahead[2])
        copy.order.push_back(d);
    copy.order.push_back(ahead[2]);
    stages = std::max(stages, ahead[0]);
    copies.push_back(std::move(copy));
  }
  int64_t asked = stages;
  stages = std::min(stages, maxStages);
  std::string most = "at most " + std::to_string(maxStages) + " are made";
  // So many rounds are to be numbers of the counter, too.
  APInt step;
  bool known = matchPattern(loop.getStep(), m_ConstantInt(&step));
  unsigned width = isa<IndexType>(loop.getStep().getType())
                       ? 64
                       : loop.getStep().getType().getIntOrFloatBitWidth();
  auto fits = [&] {
    int64_t further;
    return !llvm::MulOverflow(step.getSExtValue(), stages, further) &&
           !llvm::AddOverflow(further, start().value_or(0), further) &&
           llvm::isIntN(width, further);
  };
  for (; known && stages > 1 && !fits(); --stages)
    most = "more would leave the counter's type";
  for (; stages > 1; --stages) {
    last = begin;
    for (Copy &copy : copies) {
      auto type = cast<RankedTensorType>(copy.load.getType());
      SmallVector<int64_t> shape;
      for (int64_t d : copy.order)
        shape.push_back(type.getDimSize(d));
      int64_t row = shape.back() * type.getElementTypeBitWidth() / 8;
      int64_t swizzle =
          shape.size() > 1 && row >= 32 ? std::min<int64_t>(row, 128) : 0;
      copy.ring =
          SharedType::get(c.b.getContext(), shape, type.getElementType(),
                          swizzle, stages, false);
      copy.at = last;
      last += llvm::alignTo(copy.ring.getSlotBytes() * stages, 1024);
    }
    if (last <= limit)
      break;
    most = "shared memory has " + bytesText(limit - begin) + " left";
  }
  for (const Copy &copy : copies) {
    GlobalLoadOp load = copy.load;
    if (stages < 2) {
      tellStays(load.getLoc(), load.getTensor(),
                "2 slots for each copy of its loop are too many: " + most);
      continue;
    }
    int64_t rounds = stages - 1;
    remark::passed(load.getLoc(), remarkOpts)
        << "a load of " + nameOf(load.getTensor()) + " is copied " +
               std::to_string(rounds) + (rounds == 1 ? " round" : " rounds") +
               " ahead, into " + std::to_string(stages) + " slots of " +
               bytesText(copy.ring.getSlotBytes()) + ", " +
               bytesText(copy.bytes) + " at once" +
               (stages < asked ? " (num_stages is " + std::to_string(asked) +
                                     "; " + most + ")"
                               : "");
  }
  if (stages < 2)
    copies.clear();
  for (Copy &copy : copies) {
    findReads(copy);
    auto layout = getTileLayout(copy.load.getType());
    exchanges |= !copy.reads.empty() || !layout->isInjective() ||
                 layout->warps() < static_cast<int64_t>(c.kernel.getWarps());
  }
}

/// A tile as the buffer has it.
FailureOr<RankedTensorType> LoopPrefetch::ringTile(const Copy &copy,
                                                   RankedTensorType type) {
  if (llvm::is_sorted(copy.order))
    return type;
  auto layout = TensorLayouts::permuted(loop, type.getEncoding(),
                                        type.getShape(), copy.order);
  if (failed(layout))
    return failure();
  return RankedTensorType::get(copy.ring.getShape(), type.getElementType(),
                               *layout);
}

void LoopPrefetch::repeat(IRMapping &values) {
  for (Operation &op : *loop.getBody())
    if (slice.contains(&op))
      c.b.clone(op, values);
}

/// The copies of one round, as one group. They read nothing if it does not come.
LogicalResult LoopPrefetch::copy(IRMapping &values, Value comes, Value slot) {
  Location before = c.b.getLoc();
  for (auto [copy, ring] : llvm::zip(copies, rings)) {
    c.b.setLoc(copy.load.getLoc());
    SmallVector<Value> indices;
    for (Value each : copy.load.getIndices()) {
      auto index = c.permute(values.lookupOrDefault(each), copy.order);
      if (failed(index))
        return failure();
      indices.push_back(*index);
    }
    auto bits = cast<RankedTensorType>(indices.front().getType())
                    .clone(c.b.getI1Type());
    Value mask = SplatOp::create(c.b, bits, comes);
    if (Value own = copy.load.getMask()) {
      auto turned = c.permute(values.lookupOrDefault(own), copy.order);
      if (failed(turned))
        return failure();
      mask = arith::AndIOp::create(c.b, mask, *turned);
    }
    Value to = SharedSlotOp::create(c.b, copy.ring.getSlotType(), ring, slot);
    CpAsyncOp::create(c.b, copy.load.getTensor(), indices, mask, to, copy.bytes,
                      copy.bytes == 16);
  }
  c.b.setLoc(before);
  CpAsyncCommitOp::create(c.b,
                          TokenType::get(c.b.getContext(), TokenKind::Async));
  return success();
}

/// A tile of the load's tensor, of the round whose slot it is.
FailureOr<Value> LoopPrefetch::read(const Copy &copy, Value slot,
                                    RankedTensorType type) {
  auto tile = ringTile(copy, type);
  if (failed(tile))
    return failure();
  Value ring = rings[&copy - copies.data()];
  Value memory = SharedSlotOp::create(c.b, copy.ring.getSlotType(), ring, slot);
  return c.relabel(SharedLoadOp::create(c.b, *tile, memory), type);
}

/// The order in which dimensions of `from` are those of `to`, by the same registers;
/// empty: they are other elements.
static SmallVector<int> orderOf(RankedTensorType from, RankedTensorType to) {
  if (from.getRank() != to.getRank())
    return {};
  auto source = getTileLayout(from), target = getTileLayout(to);
  auto order = llvm::to_vector(llvm::seq<int>(0, from.getRank()));
  do {
    auto turned = source->permuted({order.begin(), order.end()});
    if (turned && turned->sameFunction(*target))
      return order;
  } while (std::next_permutation(order.begin(), order.end()));
  return {};
}

/// The exchanges that the load goes on into, its dimensions in whatever order.
void LoopPrefetch::findReads(Copy &copy) {
  SmallVector<std::pair<Value, SmallVector<int>>> values{
      {copy.load.getResult(),
       llvm::to_vector(llvm::seq<int>(0, copy.ring.getRank()))}};
  while (!values.empty()) {
    auto [value, order] = values.pop_back_val();
    auto type = cast<RankedTensorType>(value.getType());
    for (Operation *user : value.getUsers()) {
      if (user->getBlock() != loop.getBody())
        continue;
      if (auto turn = dyn_cast<RelabelOp>(user)) {
        SmallVector<int> next = orderOf(type, turn.getType());
        for (int &d : next)
          d = order[d];
        if (!next.empty())
          values.push_back({turn.getResult(), next});
      }
      auto convert = dyn_cast<ConvertLayoutOp>(user);
      if (!convert || !convert.getScratch())
        continue;
      SmallVector<int64_t> back(order.size()), shape(order.size());
      RankedTensorType to = convert.getType();
      for (auto [d, mine] : llvm::enumerate(order)) {
        back[mine] = static_cast<int64_t>(d);
        shape[mine] = to.getDimSize(d);
      }
      FailureOr<Attribute> layout = to.getEncoding();
      if (!llvm::is_sorted(back))
        layout = TensorLayouts::permuted(user, *layout, to.getShape(), back);
      if (succeeded(layout))
        copy.reads.push_back(
            {convert,
             RankedTensorType::get(shape, to.getElementType(), *layout)});
    }
  }
}

/// Where the counter starts, if that is a constant that is not negative, and its step
/// is one, too.
std::optional<int64_t> LoopPrefetch::start() {
  APInt step, first;
  if (loop.getUnsignedCmp() ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) ||
      !matchPattern(loop.getLowerBound(), m_ConstantInt(&first)) ||
      first.isNegative() || first.getActiveBits() > 31)
    return std::nullopt;
  return first.getSExtValue();
}

/// Whether round `number` comes, before the loop; in it, with the counter of a round
/// that does, the round that is so many further.
Value LoopPrefetch::comes(int64_t number, Value counter) {
  ImplicitLocOpBuilder &b = c.b;
  auto less = [&](Value x, Value y, bool isUnsigned) -> Value {
    return arith::CmpIOp::create(
        b, isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt,
        x, y);
  };
  Value end = loop.getUpperBound(), first = loop.getLowerBound();
  Type type = end.getType();
  APInt step;
  bool known = matchPattern(loop.getStep(), m_ConstantInt(&step));
  int64_t further = known ? step.getSExtValue() * number : 0;
  if (auto from = start()) {
    if (!counter)
      return less(c.constant(type, *from + further), end, false);
    // The bound is more than 0, so that this is a number of its type.
    return less(counter,
                arith::SubIOp::create(b, end, c.constant(type, further)),
                false);
  }
  // Of two, the first less than the second, the difference is one without a sign.
  Value left = arith::SubIOp::create(b, end, counter ? counter : first), most;
  if (known) {
    most = c.constant(type, further);
  } else {
    left = arith::ExtUIOp::create(b, b.getI64Type(), left);
    most = arith::MulIOp::create(
        b, arith::ExtUIOp::create(b, b.getI64Type(), loop.getStep()),
        c.constant(b.getI64Type(), number));
  }
  Value is = less(most, left, true);
  return counter ? is
                 : arith::AndIOp::create(
                       b, is, less(first, end, loop.getUnsignedCmp()));
}

LogicalResult LoopPrefetch::rewrite(Value memory) {
  ImplicitLocOpBuilder &b = c.b;
  b.setInsertionPoint(loop);
  b.setLoc(loop.getLoc());
  for (Copy &copy : copies)
    rings.push_back(SharedReuseOp::create(b, copy.ring, memory, copy.at));

  // The rounds before the loop.
  Value counter = loop.getLowerBound();
  Type type = counter.getType(), i32 = b.getI32Type();
  // There may be more rounds than i32 counts, whose slots go on as before.
  Type numbers =
      type.isInteger() && type.getIntOrFloatBitWidth() > 32 ? type : i32;
  SmallVector<Value> ahead;
  for (unsigned number : carried)
    ahead.push_back(loop.getInitArgs()[number]);
  /// What the addresses take of the round behind the one of `values`.
  auto advance = [&](IRMapping &values) {
    ahead.clear();
    for (unsigned number : carried)
      ahead.push_back(values.lookupOrDefault(loop.getYieldedValues()[number]));
  };
  auto valuesOf = [&](Value counter, ValueRange of) {
    IRMapping values;
    values.map(loop.getInductionVar(), counter);
    for (auto [number, value] : llvm::zip(carried, of))
      values.map(loop.getRegionIterArg(number), value);
    return values;
  };
  for (int64_t round = 0; round + 1 < stages; ++round) {
    if (round > 0)
      counter = arith::AddIOp::create(b, counter, loop.getStep());
    IRMapping values = valuesOf(counter, ahead);
    repeat(values);
    if (failed(copy(values, comes(round), c.constant(i32, round))))
      return failure();
    advance(values);
  }

  // The loop carries what addresses take once more, and the number of its round.
  SmallVector<Value> inits(loop.getInitArgs());
  llvm::append_range(inits, ahead);
  bool counts = matchPattern(loop.getLowerBound(), m_Zero()) &&
                matchPattern(loop.getStep(), m_One());
  if (!counts)
    inits.push_back(c.constant(numbers, 0));
  auto now = scf::ForOp::create(b, loop.getLowerBound(), loop.getUpperBound(),
                                loop.getStep(), inits, /*bodyBuilder=*/nullptr,
                                loop.getUnsignedCmp());
  now->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Block *body = now.getBody();
  if (body->mightHaveTerminator())
    body->getTerminator()->erase();
  unsigned old = loop.getNumRegionIterArgs();
  Value round = counts ? now.getInductionVar() : now.getRegionIterArgs().back();
  b.setInsertionPointToStart(body);
  auto number = [&](int64_t n) { return c.constant(round.getType(), n); };
  auto slotOf = [&](Value round) -> Value {
    Value slot = arith::RemUIOp::create(b, round, number(stages));
    if (isa<IndexType>(slot.getType()) || slot.getType() == i32)
      return slot;
    if (slot.getType().getIntOrFloatBitWidth() > 32)
      return arith::TruncIOp::create(b, i32, slot);
    return arith::ExtUIOp::create(b, i32, slot);
  };
  CpAsyncWaitGroupOp::create(b, stages - 2);
  if (exchanges)
    CtaSyncOp::create(b);
  IRMapping values =
      valuesOf(arith::AddIOp::create(
                   b, now.getInductionVar(),
                   arith::MulIOp::create(
                       b, loop.getStep(),
                       c.constant(loop.getStep().getType(), stages - 1))),
               now.getRegionIterArgs().slice(old, carried.size()));
  repeat(values);
  Value next = slotOf(arith::AddIOp::create(b, round, number(stages - 1)));
  if (failed(copy(values, comes(stages - 1, now.getInductionVar()), next)))
    return failure();
  advance(values);
  Value slot = slotOf(round);
  body->getOperations().splice(body->end(), loop.getBody()->getOperations());
  for (auto [before, after] :
       llvm::zip(loop.getBody()->getArguments(), body->getArguments()))
    before.replaceAllUsesWith(after);
  for (auto [before, after] : llvm::zip(loop.getResults(), now.getResults()))
    before.replaceAllUsesWith(after);
  auto yield = cast<scf::YieldOp>(body->getTerminator());
  b.setInsertionPoint(yield);
  if (!counts)
    ahead.push_back(arith::AddIOp::create(b, round, number(1)));
  yield.getResultsMutable().append(ahead);
  b.setInsertionPointAfter(now);
  CpAsyncWaitGroupOp::create(b, 0);
  free = CtaSyncOp::create(b);
  loop.erase();
  loop = now;

  for (Copy &copy : copies) {
    for (auto [convert, type] : copy.reads) {
      b.setInsertionPoint(convert);
      b.setLoc(convert.getLoc());
      auto tile = read(copy, slot, type);
      if (failed(tile))
        return failure();
      convert.replaceAllUsesWith(c.relabel(*tile, convert.getType()));
      Operation *source = convert.getOperand(0).getDefiningOp();
      convert.erase();
      while (source != copy.load && source->use_empty()) {
        Operation *unused = source;
        source = source->getOperand(0).getDefiningOp();
        unused->erase();
      }
    }
    if (!copy.load->use_empty()) {
      b.setInsertionPoint(copy.load);
      b.setLoc(copy.load.getLoc());
      auto tile = read(copy, slot, cast<RankedTensorType>(copy.load.getType()));
      if (failed(tile))
        return failure();
      copy.load.replaceAllUsesWith(*tile);
    }
    copy.load.erase();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// All loops
//===----------------------------------------------------------------------===//

static SharedType ringsType(MLIRContext *context, int64_t bytes) {
  return SharedType::get(context, {bytes / 128, 128},
                         IntegerType::get(context, 8), /*swizzle=*/128, 1,
                         false);
}

/// Where a view of shared memory ends, in bytes of it.
static int64_t endOf(SharedReuseOp view) {
  return static_cast<int64_t>(view.getAt()) +
         view.getResult().getType().getTileBytes();
}

/// Views of the pool of which `is` says of each use, by what of `block` it is
/// within, that it is there.
static SmallVector<SharedReuseOp>
viewsWhere(SharedAllocOp pool, Block &block,
           llvm::function_ref<bool(Operation *)> is) {
  SmallVector<SharedReuseOp> views;
  for (Operation *user : pool->getUsers())
    if (auto view = dyn_cast<SharedReuseOp>(user))
      if (llvm::all_of(view->getUsers(), [&](Operation *op) {
            return is(block.findAncestorOpInBlock(*op));
          }))
        views.push_back(view);
  return views;
}

/// Moves what exchanges in front of `first` and behind `last` go through from the
/// pool to `memory`, whose copies take `bytes`, each where that takes fewer in
/// all. Whether it has, of those in front and of those behind.
static std::pair<bool, bool> shareMemory(SharedAllocOp &pool,
                                         SharedAllocOp memory, int64_t bytes,
                                         Operation *first, Operation *last) {
  if (!pool)
    return {false, false};
  Block &block = *last->getBlock();
  SmallVector<SharedReuseOp> front = viewsWhere(
      pool, block, [&](Operation *op) { return op->isBeforeInBlock(first); });
  SmallVector<SharedReuseOp> behind = viewsWhere(
      pool, block, [&](Operation *op) { return last->isBeforeInBlock(op); });
  int64_t ofFront = 0, ofBehind = 0, rest = 0;
  for (Operation *user : pool->getUsers()) {
    auto view = cast<SharedReuseOp>(user);
    int64_t &end = llvm::is_contained(front, view)    ? ofFront
                   : llvm::is_contained(behind, view) ? ofBehind
                                                      : rest;
    end = std::max(end, endOf(view));
  }
  // The fewest bytes, and of as many the fewest barriers.
  int64_t rings = 0, least = std::numeric_limits<int64_t>::max(), left = 0;
  std::pair<bool, bool> shares{false, false};
  for (auto [f, b] : {std::pair(false, false), std::pair(false, true),
                      std::pair(true, false), std::pair(true, true)}) {
    if ((f && front.empty()) || (b && behind.empty()))
      continue;
    int64_t within = std::max(f ? ofFront : 0, b ? ofBehind : 0);
    int64_t shared = std::max<int64_t>(bytes, llvm::alignTo(within, 1024));
    int64_t others = std::max({rest, f ? 0 : ofFront, b ? 0 : ofBehind});
    if (shared + others >= least)
      continue;
    least = shared + others;
    std::tie(rings, left, shares) = std::tuple(shared, others, std::pair(f, b));
  }
  MLIRContext *context = pool.getContext();
  memory.getResult().setType(ringsType(context, rings));
  if (shares.first)
    for (SharedReuseOp view : front)
      view.getSourceMutable().assign(memory);
  if (shares.second)
    for (SharedReuseOp view : behind)
      view.getSourceMutable().assign(memory);
  if (left) {
    pool.getResult().setType(poolType(context, left));
  } else {
    pool->erase();
    pool = {};
  }
  return shares;
}

LogicalResult titan::prefetchLoads(ProgramConversion &c, SharedAllocOp &pool) {
  struct Planned {
    scf::ForOp loop;
    LoopPrefetch prefetch;
    int64_t end;
  };
  std::vector<Planned> all;
  int64_t used = 0;
  if (pool)
    for (Operation *user : pool->getUsers())
      used = std::max(used, endOf(cast<SharedReuseOp>(user)));
  int64_t limit = defaultTarget().sharedBytesPerCta - llvm::alignTo(used, 1024);
  int64_t bytes = 0;
  c.kernel.getBody().walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    // Rings of loops around it are in use.
    int64_t at = 0;
    for (const Planned &other : all)
      if (other.loop->isProperAncestor(loop))
        at = std::max(at, other.end);
    LoopPrefetch prefetch(c, loop);
    prefetch.plan(at, limit);
    if (prefetch.empty())
      return;
    all.push_back({loop, std::move(prefetch), prefetch.end()});
    bytes = std::max(bytes, all.back().end);
  });
  c.kernel.walk([](GlobalLoadOp load) { load->removeAttr(aheadAttr); });
  if (all.empty())
    return success();
  OpBuilder::InsertionGuard guard(c.b);
  c.b.setInsertionPointToStart(&c.kernel.getBody().front());
  c.b.setLoc(c.kernel.getLoc());
  auto memory = SharedAllocOp::create(c.b, ringsType(c.b.getContext(), bytes));
  // Others come to the memory behind a loop, or the loop itself does so again.
  SmallVector<bool> reused;
  for (auto [i, each] : llvm::enumerate(all)) {
    scf::ForOp loop = each.loop;
    reused.push_back(loop->getParentOfType<LoopLikeOpInterface>() ||
                     llvm::any_of(ArrayRef(all).drop_front(i + 1),
                                  [&](const Planned &other) {
                                    return !loop->isAncestor(other.loop);
                                  }));
  }
  for (Planned &each : all)
    if (failed(each.prefetch.rewrite(memory)))
      return failure();
  // What only the loads took.
  c.kernel.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op) && !isa<SharedAllocOp>(op))
      op->erase();
  });
  Block &body = c.kernel.getBody().front();
  // Where copies begin: the first use of a ring.
  Operation *first = nullptr;
  for (Operation *ring : memory->getUsers())
    for (Operation *user : ring->getUsers()) {
      Operation *op = body.findAncestorOpInBlock(*user);
      if (!first || op->isBeforeInBlock(first))
        first = op;
    }
  auto [front, behind] = shareMemory(
      pool, memory, bytes, first,
      body.findAncestorOpInBlock(*all.back().prefetch.free.getOperation()));
  if (front) {
    c.b.setInsertionPoint(first);
    CtaSyncOp::create(c.b, first->getLoc());
  }
  for (auto [each, again] : llvm::zip(all, reused))
    if (!again && !behind)
      each.prefetch.free->erase();
  return success();
}
