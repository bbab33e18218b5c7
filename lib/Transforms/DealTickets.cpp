//===- DealTickets.cpp - work taken from a counter ------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CTAs that take their work from a counter while they run: one warp of each asks
// (`titan.atom add`) and posts the answer in a mailbox, a pipe whose slots hold one
// number, or a ring of shared memory; all warps that read it work on that number, and
// end with the first one that names no work.
//
//   schedule                            multiply
//   scf.while (%more = true) {          scf.while {
//     scf.condition(%more)                %slot = titan.pipe.wait %mail
//   } do {                                %t = titan.ld ...
//     %t = titan.atom add 1, %counter     titan.pipe.release %slot
//     titan.st %t to a slot of %mail      scf.condition(%t < %tiles) %t
//     scf.yield %t < %tiles             } do { ... }
//   }
//
// Who gets which number the schedule decides, and the checker cannot follow it. But no
// two answers are the same, they rise, and all that a CTA does follows from how many
// of them name work, and which. So the checker looks at one way to deal them: in turn.
// CTA c gets c, c + CTAs, c + 2 CTAs, ..., and loops become what they then are,
//
//   scf.for %t = %cta to %tiles step %ctas { before; after }; before
//
// by sizes of which it chooses, as it does of any loop, how often they run. What asks,
// posts and reads, and each such loop and the number behind it, has the counter's number
// (`titan.dealt`): the proof takes the numbers for what they are (Typestate/Tickets.cpp).
//
// That is enough only where nothing but how many there are decides what a CTA waits
// for: dealt in turn, two even numbers in a row may never come. So numbers may
// lead to places in global memory and to what is stored, and to nothing else; a
// loop of others keeps its counter, and gets the reason why (`titan.undealt`). Of a pipe
// the n-th letter that is read is the n-th that was posted. Of a ring with barriers
// of its own only the proof shows that: its loops are dealt, and get that reason.
//
// Letters that no counter is behind are followed first (FollowLetters.h).
//
//===----------------------------------------------------------------------===//
#include "FollowLetters.h"

#include "titan/Dialect/Titan/InitialValues.h"
#include "titan/Dialect/Titan/Letters.h"
#include "titan/Transforms/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

namespace titan {
#define GEN_PASS_DEF_DEALTICKETS
#include "titan/Transforms/Passes.h.inc"
} // namespace titan

using namespace mlir;
using namespace titan;

static constexpr StringRef dealt = "titan.dealt", undealt = "titan.undealt";

namespace {
/// A loop that runs while its letter is below a bound.
struct LetterLoop {
  scf::WhileOp loop;
  Operation
      *letter; ///< The atom, or the ld: an operation of the loop's regions.
  Value bound; ///< From outside of the loop.
  bool first;  ///< It begins without a letter, and asks for one.
};
} // namespace

/// The pipe whose slot a buffer is of, and which of its buffers, or the ring; null:
/// of none.
static std::pair<Value, StringRef> mailboxOf(Value memory) {
  Value ring = memory;
  if (auto slot = ring.getDefiningOp<SharedSlotOp>())
    ring = slot.getRing();
  if (ring.getDefiningOp<SharedAllocOp>())
    return {isMailbox(ring) ? ring : Value(), StringRef()};
  auto buffer = memory.getDefiningOp<PipeBufferOp>();
  Operation *slot = buffer ? buffer.getSlot().getDefiningOp() : nullptr;
  if (!slot || !isa<PipeAcquireOp, PipeWaitOp>(slot))
    return {};
  return {slot->getOperand(0), buffer.getName()};
}

/// The bound that a condition compares the letter with; null: it is another one.
static Value boundOf(Value condition, Value letter, scf::WhileOp loop) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getLhs() != letter ||
      !llvm::is_contained(
          {arith::CmpIPredicate::slt, arith::CmpIPredicate::ult},
          compare.getPredicate()))
    return {};
  return loop.isDefinedOutsideOfLoop(compare.getRhs()) ? compare.getRhs()
                                                       : Value();
}

static std::optional<LetterLoop> letterLoop(Operation *letter) {
  auto loop = dyn_cast<scf::WhileOp>(letter->getParentOp());
  if (!loop)
    return std::nullopt;
  Value number = letter->getResult(0),
        condition = loop.getConditionOp().getCondition();
  if (letter->getBlock() == loop.getBeforeBody()) {
    if (Value bound = boundOf(condition, number, loop))
      return LetterLoop{loop, letter, bound, false};
    return std::nullopt;
  }
  auto argument = dyn_cast<BlockArgument>(condition);
  APInt constant;
  if (!argument || argument.getOwner() != loop.getBeforeBody() ||
      !matchPattern(loop.getInits()[argument.getArgNumber()],
                    m_ConstantInt(&constant)) ||
      constant.isZero())
    return std::nullopt;
  if (Value bound = boundOf(
          loop.getYieldOp()->getOperand(argument.getArgNumber()), number, loop))
    return LetterLoop{loop, letter, bound, true};
  return std::nullopt;
}

/// Loops that run by the answers of one counter; none: something of them is not
/// what the file's comment says.
static SmallVector<LetterLoop> loopsOf(KernelOp kernel, AtomOp atom) {
  APInt one;
  if (atom.getOp() != AtomicOp::Add ||
      !isa<GlobalType>(atom.getMemory().getType()) ||
      !matchPattern(atom.getValue(), m_ConstantInt(&one)) || !one.isOne() ||
      !llvm::all_of(atom.getIndices(), [](Value index) {
        return matchPattern(index, m_Constant());
      }))
    return {};
  // Nobody else touches the counter, and answers go to one mailbox.
  for (Operation *user : atom.getMemory().getUsers())
    if (user != atom && !isa<DimOp>(user))
      return {};
  std::pair<Value, StringRef> mailbox;
  Operation *posted = nullptr;
  for (Operation *user : atom->getUsers()) {
    auto store = dyn_cast<StOp>(user);
    if (store && (posted || store.getValue() != atom.getResult()))
      return {};
    if (store) {
      posted = store;
      mailbox = mailboxOf(store.getMemory());
    }
  }
  auto asks = letterLoop(atom);
  if (!mailbox.first || !asks)
    return {};
  SmallVector<LetterLoop> loops{*asks};
  bool known = true;
  kernel.getBody().walk([&](Operation *op) {
    if (auto store = dyn_cast<StOp>(op);
        store && store != posted && mailboxOf(store.getMemory()) == mailbox)
      known = false;
    auto load = dyn_cast<LdOp>(op);
    if (!load || mailboxOf(load.getMemory()) != mailbox)
      return;
    auto reads = letterLoop(load);
    known &= reads && llvm::none_of(loops, [&](const LetterLoop &other) {
               return other.loop->isAncestor(reads->loop) ||
                      reads->loop->isAncestor(other.loop);
             });
    if (reads)
      loops.push_back(*reads);
  });
  return known ? loops : SmallVector<LetterLoop>();
}

/// Where an operation reads a value that says more than a place in global memory, or
/// what is stored there.
static bool decidesBy(Operation *op, Value value) {
  if (auto load = dyn_cast<PipeLoadOp>(op))
    return load.getPart() == value || load.getMulticast() == value;
  auto hardware = dyn_cast<HardwareEffectsInterface>(op);
  if (!hardware)
    return true;
  effect::EffectList effects;
  hardware.getHardwareEffects(effects);
  for (const effect::Effect &effect : effects) {
    if (std::holds_alternative<effect::Reveals>(effect.what))
      continue;
    if (auto *done = std::get_if<effect::CompleteTx>(&effect.what)) {
      if (llvm::is_contained({done->barrier.index, done->barrier.ctas.value,
                              done->bytes.value},
                             value))
        return true;
      continue;
    }
    auto *access = std::get_if<effect::Access>(&effect.what);
    if (!access)
      return true;
    const effect::Footprint &bytes = access->bytes;
    if (bytes.index == value || bytes.ctas.value == value)
      return true;
    if (!llvm::is_contained(bytes.coords, value))
      continue;
    bool ordered =
        access->sem != effect::Sem::Weak && access->sem != effect::Sem::Relaxed;
    if (ordered || isa<SharedType>(bytes.object.getType()))
      return true;
  }
  return false;
}

/// What follows from the numbers of these loops, and is more than that; null:
/// nothing. In `computed`, what is computed from them.
static Operation *decidedBy(ArrayRef<LetterLoop> loops,
                            SmallVectorImpl<Operation *> &computed) {
  SmallVector<Value> list;
  llvm::DenseSet<Value> seen;
  auto add = [&](Value value) {
    if (seen.insert(value).second)
      list.push_back(value);
  };
  auto addAll = [&](ValueRange values) { llvm::for_each(values, add); };
  for (const LetterLoop &each : loops)
    add(each.letter->getResult(0));
  for (size_t i = 0; i < list.size(); ++i)
    for (OpOperand &use : list[i].getUses()) {
      Operation *op = use.getOwner(), *parent = op->getParentOp();
      unsigned n = use.getOperandNumber();
      // The loop's own question, which decides how many there are.
      if (auto compare = dyn_cast<arith::CmpIOp>(op);
          compare && llvm::any_of(loops, [&](const LetterLoop &each) {
            return each.letter->getResult(0) == compare.getLhs() &&
                   each.bound == compare.getRhs() &&
                   llvm::all_of(compare->getUsers(), [&](Operation *user) {
                     return user->hasTrait<OpTrait::IsTerminator>() &&
                            user->getParentOp() == each.loop;
                   });
          }))
        continue;
      if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
        if (n == 0)
          return op;
        auto loop = cast<scf::WhileOp>(parent);
        add(loop.getAfterArguments()[n - 1]);
        add(loop.getResult(n - 1));
      } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
        if (n < loop.getNumControlOperands())
          return op;
        add(loop.getRegionIterArg(n - loop.getNumControlOperands()));
        add(loop.getResult(n - loop.getNumControlOperands()));
      } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
        add(loop.getBeforeArguments()[n]);
      } else if (op->hasTrait<OpTrait::IsTerminator>()) {
        if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
          add(loop.getBeforeArguments()[n]);
        } else {
          if (auto loop = dyn_cast<scf::ForOp>(parent))
            add(loop.getRegionIterArg(n));
          if (n < parent->getNumResults())
            add(parent->getResult(n));
        }
      } else if (isMemoryEffectFree(op) && !op->getNumRegions() &&
                 !isa<ViewOpInterface>(op)) {
        computed.push_back(op);
        addAll(op->getResults());
      } else if (decidesBy(op, use.get())) {
        return op;
      }
    }
  return nullptr;
}

/// The regions of one loop, copied with a number for the letter.
namespace {
struct Rotated {
  ImplicitLocOpBuilder &b;
  const LetterLoop &from;

  /// Copies a region's block; what its terminator hands on.
  SmallVector<Value> copy(Block *block, ValueRange arguments, Value number) {
    IRMapping map;
    map.map(block->getArguments(), arguments);
    for (Operation &op : block->without_terminator()) {
      b.clone(op, map);
      if (&op != from.letter)
        continue;
      Type type = op.getResult(0).getType();
      map.map(op.getResult(0),
              type.isIndex()
                  ? number
                  : arith::IndexCastOp::create(b, op.getLoc(), type, number)
                        .getResult());
    }
    SmallVector<Value> results;
    for (Value operand : block->getTerminator()->getOperands())
      results.push_back(map.lookupOrDefault(operand));
    return results;
  }
  /// Without the condition.
  SmallVector<Value> before(ValueRange arguments, Value number) {
    scf::WhileOp loop = from.loop;
    SmallVector<Value> results = copy(loop.getBeforeBody(), arguments, number);
    results.erase(results.begin());
    return results;
  }
  SmallVector<Value> after(ValueRange arguments, Value number) {
    scf::WhileOp loop = from.loop;
    return copy(loop.getAfterBody(), arguments, number);
  }
};
} // namespace

static void deal(const LetterLoop &letters, Attribute counter,
                 StringAttr unless) {
  scf::WhileOp loop = letters.loop;
  letters.letter->setAttr(dealt, counter);
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  Value lower = CtaIdOp::create(b, b.getIndexType(), uint64_t(0)),
        step = NumCtasOp::create(b, b.getIndexType(), uint64_t(0)),
        bound = letters.bound;
  if (auto cast = bound.getDefiningOp<arith::IndexCastOp>();
      cast && cast.getIn().getType().isIndex())
    bound = cast.getIn();
  if (!bound.getType().isIndex())
    bound = arith::IndexCastOp::create(b, b.getIndexType(), bound);
  Rotated rotated{b, letters};
  auto counted = scf::ForOp::create(b, lower, bound, step, loop.getInits());
  counted->setAttr(dealt, counter);
  if (unless)
    counted->setAttr(undealt, unless);
  {
    OpBuilder::InsertionGuard guard(b);
    if (loop.getInits().empty())
      counted.getBody()->getTerminator()->erase();
    b.setInsertionPointToStart(counted.getBody());
    Value number = counted.getInductionVar();
    SmallVector<Value> between =
        rotated.before(counted.getRegionIterArgs(), number);
    scf::YieldOp::create(b, rotated.after(between, number));
  }
  // The first letter that names no work: lower, and as many steps as there were.
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value steps = arith::CeilDivSIOp::create(
      b,
      arith::MaxSIOp::create(b, arith::SubIOp::create(b, bound, lower), zero),
      step);
  Value last =
      arith::AddIOp::create(b, lower, arith::MulIOp::create(b, steps, step));
  last.getDefiningOp()->setAttr(dealt, counter);
  SmallVector<Value> results = rotated.before(counted.getResults(), last);
  if (letters.first)
    results = rotated.before(rotated.after(results, last), last);
  loop->replaceAllUsesWith(results);
  loop->erase();
}

/// The CTA's id, how many there are, and what is computed from them.
static bool saysWhichCta(Value value, KernelOp kernel) {
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  if (failed(getBackwardSlice(value, &slice, options)))
    return true;
  auto isGrid = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == &kernel.getBody().front() &&
           kernel.getLaunchValue(argument) == kernel.getLaunchOp().getGrid()[0];
  };
  return isGrid(value) || llvm::any_of(slice, [&](Operation *op) {
           return isa<CtaIdOp, NumCtasOp>(op) ||
                  llvm::any_of(op->getOperands(), isGrid);
         });
}

/// What only the proof shows of letters, and of what is `computed` from them; null:
/// nothing.
static StringAttr whatIsLeft(KernelOp kernel, StOp posted,
                             ArrayRef<LetterLoop> loops,
                             ArrayRef<Operation *> computed) {
  auto reason = [&](const char *text) {
    return StringAttr::get(posted.getContext(), text);
  };
  auto counter = dyn_cast<BlockArgument>(
      posted.getValue().getDefiningOp<AtomOp>().getMemory());
  if (counter && counter.getOwner() == &kernel.getBody().front() &&
      getInitialValue(kernel, counter.getArgNumber()).value_or(0) < 0)
    return reason("the numbers begin below 0, by titan.initial, and not with "
                  "the ids of CTAs");
  Value mailbox = mailboxOf(posted.getMemory()).first;
  if (isa<SharedType>(mailbox.getType()))
    return reason("that each letter is read in its turn, the barriers of its "
                  "mailbox say, which is no pipe");
  // Dealt in turn, c + k ctas names the CTA that has it: `number mod ctas` is c.
  for (Operation *op : computed)
    for (Value operand : op->getOperands())
      if (saysWhichCta(operand, kernel))
        return reason(
            "what is computed from a number and from the CTA's id, or "
            "from how many CTAs there are, is as dealt in turn in no "
            "other order");
  // Who goes round the pipe may write over a letter.
  auto pipe = mailbox.getDefiningOp<PipeCreateOp>();
  if (!pipe || !llvm::all_of(pipe.getBuffers(), [&](Value buffer) {
        return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
          return user == pipe.getOperation();
        });
      }))
    return reason("the pipe's letters are touched by others than the pipe");
  auto numbers = [](ValueRange indices) {
    SmallVector<std::optional<int64_t>> result;
    for (Value index : indices)
      result.push_back(getConstantIntValue(index));
    return result;
  };
  auto inPart = [](Value memory) {
    return bool(memory.getDefiningOp<PipeBufferOp>().getPart());
  };
  auto there = numbers(posted.getIndices());
  for (const LetterLoop &each : loops)
    if (auto read = dyn_cast<LdOp>(each.letter);
        read && (numbers(read.getIndices()) != there ||
                 llvm::is_contained(there, std::nullopt) ||
                 inPart(read.getMemory()) || inPart(posted.getMemory())))
      return reason("a letter is not read where it was posted in its slot");
  return {};
}

/// "'scf.if' (12:5) depends on the number (4:9) itself".
static StringAttr reasonOf(Operation *decided, Operation *letter) {
  auto placeOf = [](Operation *op) -> std::string {
    auto at = op->getLoc()->findInstanceOf<FileLineColLoc>();
    return at ? " (" + std::to_string(at.getLine()) + ":" +
                    std::to_string(at.getColumn()) + ")"
              : "";
  };
  return StringAttr::get(decided->getContext(),
                         "'" + decided->getName().getStringRef() + "'" +
                             placeOf(decided) + " depends on the number" +
                             placeOf(letter) +
                             " itself, and not only on how many there are");
}

namespace {
struct DealTicketsPass : titan::impl::DealTicketsBase<DealTicketsPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    // What this pass says nobody else does.
    kernel.getBody().walk([](Operation *op) { op->removeAttr(dealt); });
    followLetters(kernel);
    LaunchOp launch = kernel.getLaunchOp();
    if (kernel.getClusterSize() > 1 || launch.getGrid().size() != 1)
      return;
    // Dealing copies operations: the kernel is looked at anew behind each.
    int64_t counters = 0;
    for (bool again = true; again;) {
      again =
          kernel.getBody()
              .walk([&](AtomOp atom) {
                SmallVector<LetterLoop> loops = loopsOf(kernel, atom);
                SmallVector<Operation *> computed;
                if (Operation *decided = decidedBy(loops, computed)) {
                  for (const LetterLoop &each : loops)
                    each.loop->setAttr(undealt, reasonOf(decided, each.letter));
                  return WalkResult::advance();
                }
                auto counter =
                    IntegerAttr::get(IndexType::get(&getContext()), counters);
                StringAttr unless;
                for (Operation *user : atom->getUsers())
                  if (auto store = dyn_cast<StOp>(user);
                      store && !loops.empty()) {
                    store->setAttr(dealt, counter);
                    unless = whatIsLeft(kernel, store, loops, computed);
                  }
                for (const LetterLoop &each : loops)
                  deal(each, counter, unless);
                counters += !loops.empty();
                return loops.empty() ? WalkResult::advance()
                                     : WalkResult::interrupt();
              })
              .wasInterrupted();
    }
  }
};
} // namespace
