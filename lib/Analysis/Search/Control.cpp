//===- Control.cpp - loops, branches, partitions --------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Interpreter.h"

#include "Bounds.h"
#include "Recurrences.h"

#include "titan/Analysis/Assertion.h"
#include "titan/Dialect/Titan/SharedMemory.h"
#include "titan/Target/LoopCounter.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

void Instantiator::Impl::wishForNoStep(const CompiledOp &op, Number step) {
  if (!step.symbol || ofCta(step) || ofPromised(step) ||
      ranges.of(step).low > 0)
    return;
  const unsigned bits =
      bitsOf(cast<scf::ForOp>(op.op).getInductionVar().getType());
  registerChoice(
      {.op = op.op,
       .kind = Choice::Branch,
       .upper = {0,
                 symbols.apply(Arith::Cmp, unsigned(arith::CmpIPredicate::sle),
                               bits, 1, step, {}, {})},
       .error = true});
}

/// What to say of a loop's bounds, so that its counter fits.
static std::string boundOfLoop(scf::ForOp loop, int64_t lower, int64_t step) {
  const std::string wider = "count by index, or by a wider integer "
                            "(arith.extsi of the bounds and the step)";
  const unsigned bits = bitsOf(loop.getInductionVar().getType());
  if (loop.getUnsignedCmp() || lower < 0 ||
      matchPattern(loop.getUpperBound(), m_Constant()))
    return wider;
  return "bound it: " + nameOf(loop.getUpperBound()) +
         " <= N, by titan.require in the launch region, or by titan.assume "
         "where it is loaded, with N as small as launches allow and at most " +
         std::to_string(llvm::maxIntN(bits) - step + 1) + "; or " + wider;
}

bool Instantiator::Impl::executeFor(const CompiledOp &op, Lanes lanes,
                                    uint32_t iteration) {
  const Val lower = values[op.in[0]], upper = values[op.in[1]],
            step = values[op.in[2]];
  const CompiledBlock &block = op.regions[0];
  // From titan-deal-tickets.
  if (auto why = op.op->getAttrOfType<StringAttr>("titan.undealt"))
    if (llvm::none_of(self.gaps,
                      [&](const Problem &gap) { return gap.op == op.op; }))
      self.gaps.push_back(
          {Code::Undecided, op.op,
           "which numbers this loop runs by is not followed: " +
               why.getValue().str(),
           "a pipe whose slots hold the letters, places that follow "
           "from the number alone, or a kernel that is proved",
           /*ofCounts=*/true});
  if (lower.kind != Val::Int || upper.kind != Val::Int ||
      step.kind != Val::Int) {
    if (!op.hasEffects) {
      for (uint32_t result : op.out)
        values[result] = Val();
      return true;
    }
    bool revealed = lower.revealed || upper.revealed || step.revealed;
    problem(Code::Undecided, op.op,
            Twine("how often this loop runs depends on ") +
                (revealed ? "the schedule" : "data"));
    return false;
  }
  bool symbolic =
      lower.number.symbol || upper.number.symbol || step.number.symbol;
  bool varies = lower.iter || upper.iter || step.iter;
  if (varies && op.hasEffects &&
      llvm::any_of(ArrayRef<Number>{lower.number, upper.number, step.number},
                   [&](Number n) { return ofPromised(n); }))
    decidedByData(op);
  wishForNoStep(op, step.number);
  std::optional<size_t> choice;
  if (symbolic &&
      (!varies ||
       !llvm::all_of(ArrayRef<Number>{lower.number, upper.number, step.number},
                     [&](Number n) { return ownedByLoops(n); })))
    choice = registerChoice({.op = op.op,
                             .kind = Choice::Loop,
                             .lower = lower.number,
                             .upper = upper.number,
                             .step = step.number});
  if (choice) {
    if (!varies && loops[*choice].empty())
      findKinks(*choice);
    loops[*choice].insert(op.op);
    for (size_t kink : kinks[*choice])
      if (auto side =
              symbols.value(choices[kink].upper, parameterValues, cta()))
        cover(kink, *side);
  }
  varies |= symbolic;
  auto [states, fresh] = carriedStates.try_emplace(op.op);
  if (fresh)
    states->second = statesOf(cast<scf::ForOp>(op.op));
  const SmallVector<unsigned> stateful = states->second;
  if (std::string why = stepProblem(step.number.value); !why.empty()) {
    // (A launch that nobody means, perhaps: what admits it is to say so.)
    problem(Code::Undecided, op.op, why + launchSuffix(),
            "say in the launch region, by titan.require, that the step is 1 or "
            "more; bound the factors of which a product leaves its bits");
    return false;
  }
  if (cast<scf::ForOp>(op.op).getUnsignedCmp() &&
      std::min(lower.number.value, upper.number.value) < 0) {
    problem(Code::Undecided, op.op,
            "the bounds of this loop are compared as unsigned numbers, and one "
            "has the highest bit",
            "say in the launch region, by titan.require, that the bounds are 0 "
            "or more; or compare by slt");
    return false;
  }
  if (std::string why = counterOverflow(
          lower.number.value, upper.number.value, step.number.value,
          bitsOf(cast<scf::ForOp>(op.op).getInductionVar().getType()),
          cast<scf::ForOp>(op.op).getUnsignedCmp());
      !why.empty()) {
    problem(Code::LoopOverflow, op.op, why + launchSuffix(),
            boundOfLoop(cast<scf::ForOp>(op.op), lower.number.value,
                        step.number.value));
    return false;
  }
  if (varies)
    open.insert(op.op);
  else
    settled.insert(op.op);
  // Each iteration executes at least the operations of its block.
  const int64_t each = block.ops.size() - 1; // the terminator is not counted
  if (upper.number.value > lower.number.value && each > 0 &&
      (uint64_t(upper.number.value) - uint64_t(lower.number.value)) /
              uint64_t(step.number.value) >
          uint64_t((bound::mostSteps - steps) / each)) {
    giveUp(op.op);
    return false;
  }
  SmallVector<Val> carried;
  for (unsigned i = 3; i < op.in.size(); ++i)
    carried.push_back(values[op.in[i]]);
  int64_t index = 0;
  for (int64_t at = lower.number.value; at < upper.number.value;
       at += step.number.value, ++index) {
    uint32_t here = 0;
    if (op.hasEffects) {
      here = program->iterations.size();
      uint64_t state = 0;
      for (unsigned at : stateful)
        if (carried[at].kind == Val::Int)
          state = llvm::hash_combine(state, carried[at].number.value);
      program->iterations.push_back({iteration, index, state});
    }
    uint32_t symbol = 0;
    if (lower.number.symbol || step.number.symbol) {
      Number product{step.number.value * index, 0};
      product.symbol =
          symbols.apply(Arith::Mul, 0, 64, 64, step.number, {index, 0}, {});
      symbol = symbols.apply(Arith::Add, 0, 64, 64, lower.number, product, {});
    }
    values[block.arguments[0]] = Val::integer({at, symbol}, varies);
    for (auto [argument, val] :
         llvm::zip(llvm::drop_begin(block.arguments), carried))
      values[argument] = val;
    SmallVector<Val> next;
    if (!execute(block, lanes, here, &next))
      return false;
    for (auto [before, after] : llvm::zip(carried, next))
      after.iter |= varies && !before.same(after);
    carried = std::move(next);
  }
  if (choice)
    cover(*choice, index);
  for (auto [result, val] : llvm::zip(op.out, carried))
    values[result] = val;
  return true;
}

/// The operation that brings what a value depends on, from memory or a barrier;
/// null: none is near.
static Operation *sourceOf(Value value) {
  SmallVector<Value> list{value};
  llvm::DenseSet<Value> seen{value};
  auto add = [&](Value next) {
    if (seen.insert(next).second)
      list.push_back(next);
  };
  for (size_t i = 0; i < list.size() && i < size_t(bound::sourceDepth); ++i) {
    Operation *op = list[i].getDefiningOp();
    if (op && isa<HardwareEffectsInterface>(op))
      return op;
    if (op) {
      llvm::for_each(op->getOperands(), add);
      continue;
    }
    auto argument = cast<BlockArgument>(list[i]);
    auto loop = dyn_cast<scf::WhileOp>(argument.getOwner()->getParentOp());
    if (!loop)
      continue;
    unsigned n = argument.getArgNumber();
    if (argument.getOwner() == loop.getAfterBody()) {
      add(loop.getConditionOp().getArgs()[n]);
    } else {
      add(loop.getYieldOp().getOperand(n));
      add(loop.getInits()[n]);
    }
  }
  return nullptr;
}

/// The access of memory that an operation is; none: it has others, or none.
static std::optional<effect::Access> accessOf(Operation *op) {
  effect::EffectList effects;
  cast<HardwareEffectsInterface>(op).getHardwareEffects(effects);
  std::optional<effect::Access> only;
  for (const effect::Effect &effect : effects)
    if (auto *access = std::get_if<effect::Access>(&effect.what)) {
      if (only)
        return std::nullopt;
      only = *access;
    }
  return only;
}

/// Whether it is no place: of an operation on memory, a number that it takes there.
static bool isNumber(Value value) {
  return value.getType().isIntOrFloat() ||
         isa<RankedTensorType>(value.getType());
}

/// What one thread reads for all, and hands on in shared memory, it has got by an
/// operation before: of a read within `loop` from there, that one.
static Operation *handedOn(Operation *source, scf::WhileOp loop) {
  auto read = accessOf(source);
  if (!read || read->kind != AccessKind::Read ||
      !isa<SharedType>(read->bytes.object.getType()))
    return source;
  loop->walk([&](HardwareEffectsInterface op) {
    auto write = accessOf(op);
    if (!write || write->kind != AccessKind::Write ||
        write->bytes.object != read->bytes.object)
      return WalkResult::advance();
    for (Value value : op->getOperands())
      if (Operation *before = isNumber(value) ? sourceOf(value) : nullptr) {
        source = before;
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return source;
}

/// " (add)" of an atomic; empty: it is none. A compare and swap takes two numbers.
static std::string kindOf(Operation *op) {
  auto access = accessOf(op);
  if (!access || access->kind != AccessKind::Reduction)
    return {};
  std::string kind = stringifyAtomicOp(access->reduction->op).str();
  bool swaps = access->reduction->op == AtomicOp::Exch &&
               llvm::count_if(op->getOperands(), isNumber) > 1;
  return " (" + kind + (swaps ? " where)" : ")");
}

/// Whether a loop does nothing but read global memory, by `source`, and ask whether
/// it goes on.
static bool polls(scf::WhileOp loop, Operation *source) {
  effect::EffectList effects;
  cast<HardwareEffectsInterface>(source).getHardwareEffects(effects);
  for (const effect::Effect &effect : effects)
    if (auto *access = std::get_if<effect::Access>(&effect.what);
        access && !isa<GlobalType>(access->bytes.object.getType()))
      return false;
  return !loop->walk([&](HardwareEffectsInterface op) {
                return op == source ? WalkResult::advance()
                                    : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// A loop of which nobody knows how often it runs: on what that depends, and what
/// would let it be known.
static std::pair<std::string, std::string> unknownLoop(scf::WhileOp loop,
                                                       const Val &condition) {
  std::string message = "how often this loop runs depends on " +
                        condition.dependsOn().str(),
              fix;
  Operation *source = sourceOf(loop.getConditionOp().getCondition());
  if (!source)
    return {message, fix};
  source = handedOn(source, loop);
  message +=
      ", by '" + source->getName().getStringRef().str() + "'" + kindOf(source);
  // From titan-deal-tickets.
  if (auto why = loop->getAttrOfType<StringAttr>("titan.undealt"))
    message += "; its numbers are not dealt out in turn: " + why.str();
  effect::EffectList effects;
  cast<HardwareEffectsInterface>(source).getHardwareEffects(effects);
  for (const effect::Effect &effect : effects)
    if (std::holds_alternative<effect::WaitBarrier>(effect.what))
      fix =
          "a loop that asks the barrier and does nothing else is a wait; what "
          "it does meanwhile, do before it waits, or behind";
    else if (auto *access = std::get_if<effect::Access>(&effect.what);
             access && access->kind == AccessKind::Read && polls(loop, source))
      fix = "wait by titan.flag.wait for the value that ends the loop: the "
            "checker knows that wait, and which signals it is behind";
    else if (access)
      fix = "numbers that an atom add of 1 brings, posted as the only ones in "
            "the slots of a pipe, are dealt out in turn where each loop that "
            "reads them runs while its number is below a bound (arith.cmpi "
            "slt, ult; docs/memory-model.md, MM-121)";
  return {message, fix};
}

bool Instantiator::Impl::executeWhile(const CompiledOp &op, Lanes lanes,
                                      uint32_t iteration) {
  const CompiledBlock &before = op.regions[0], &after = op.regions[1];
  SmallVector<Val> carried;
  for (uint32_t operand : op.in)
    carried.push_back(values[operand]);
  for (int64_t index = 0;; ++index) {
    uint32_t here = 0;
    if (op.hasEffects) {
      here = program->iterations.size();
      uint64_t state = 0;
      for (const Val &val : carried)
        if (val.kind == Val::Int)
          state = llvm::hash_combine(state, val.number.value);
      program->iterations.push_back({iteration, index, state});
    }
    for (auto [argument, val] : llvm::zip(before.arguments, carried))
      values[argument] = val;
    // The condition, then what goes on.
    SmallVector<Val> next;
    if (!execute(before, lanes, here, &next))
      return false;
    const Val condition = next.front();
    if (condition.kind != Val::Int || condition.number.symbol) {
      if (!op.hasEffects) {
        for (uint32_t result : op.out)
          values[result] = Val();
        return true;
      }
      if (condition.kind == Val::Int) {
        // From titan-counted-loops.
        auto why = op.op->getAttrOfType<StringAttr>("titan.uncounted");
        // What it goes on by may be brought by memory: a ticket, say.
        std::string brought =
            unknownLoop(cast<scf::WhileOp>(op.op), condition).second;
        problem(Code::Undecided, op.op,
                "how often this loop runs the launch decides, and it is not "
                "known to count by steps" +
                    (why ? ": " + why.str() : std::string()),
                brought.empty()
                    ? "write an scf.for, or a loop whose condition is "
                      "arith.cmpi slt (or ult) of a counter, which each "
                      "iteration raises by the same step, and a bound"
                    : brought);
      } else {
        auto [message, fix] = unknownLoop(cast<scf::WhileOp>(op.op), condition);
        problem(Code::Undecided, op.op, message, fix);
      }
      return false;
    }
    next.erase(next.begin());
    if (!condition.number.value) {
      for (auto [result, val] : llvm::zip(op.out, next))
        values[result] = val;
      return true;
    }
    for (auto [argument, val] : llvm::zip(after.arguments, next))
      values[argument] = val;
    carried.clear();
    if (!execute(after, lanes, here, &carried))
      return false;
    if (!countStep(op.op))
      return false;
  }
}

void Instantiator::Impl::decidesSide(const CompiledOp &op,
                                     const Val &condition) {
  if (condition.number.symbol &&
      !(condition.iter && ownedByLoops(condition.number)))
    cover(registerChoice(
              {.op = op.op, .kind = Choice::Branch, .upper = condition.number}),
          condition.number.value);
  else if (condition.iter) {
    Sides &seen = sides[op.op];
    seen.taken |= condition.number.value ? 1 : 2;
    if (seen.taken != 3)
      compared(op.op->getOperand(0), seen.differences);
  }
}

void Instantiator::Impl::compared(Value condition,
                                  std::set<int64_t> &differences) {
  Operation *op = condition.getDefiningOp();
  if (auto cmp = dyn_cast_or_null<arith::CmpIOp>(op)) {
    const Val &a = value(cmp.getLhs()), &b = value(cmp.getRhs());
    if (a.kind == Val::Int && b.kind == Val::Int)
      differences.insert(a.number.value - b.number.value);
  } else if (isa_and_nonnull<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op)) {
    for (Value operand : op->getOperands())
      compared(operand, differences);
  }
}

bool Instantiator::Impl::executeIf(const CompiledOp &op, Lanes lanes,
                                   uint32_t iteration) {
  const Val condition = values[op.in[0]];
  if (condition.kind != Val::Int) {
    if (op.hasEffects) {
      problem(Code::Undecided, op.op,
              Twine("whether this branch is taken depends on ") +
                  (condition.revealed ? "the schedule" : "data"));
      return false;
    }
    for (uint32_t result : op.out)
      values[result] = Val();
    return true;
  }
  if (op.hasEffects && condition.iter && ofPromised(condition.number))
    decidedByData(op);
  if (op.hasEffects || !op.out.empty())
    decidesSide(op, condition);
  (condition.number.symbol || condition.iter ? open : settled).insert(op.op);
  const CompiledBlock &block = op.regions[condition.number.value ? 0 : 1];
  // There what is compared is so, too, where data decides it.
  SmallVector<std::pair<Value, Val>> before;
  if (condition.number.value && !promisedValues.empty()) {
    for (Value each : operandsOfCondition(op.op->getOperand(0)))
      before.push_back({each, value(each)});
    believeTrue(op.op->getOperand(0));
  }
  SmallVector<Val> yields;
  if (!execute(block, lanes, iteration, &yields))
    return false;
  for (auto &[each, val] : before)
    value(each) = val;
  for (auto [result, val] : llvm::zip(op.out, yields)) {
    values[result] = val;
    values[result].iter |= condition.iter;
  }
  return true;
}

bool Instantiator::Impl::executeElect(const CompiledOp &op, Lanes lanes,
                                      uint32_t iteration) {
  auto elect = cast<ElectOp>(op.op);
  auto none = [&](uint32_t result) {
    Val val;
    val.kind = Val::Token;
    val.foreign = true;
    values[result] = val;
  };
  if (auto warp = elect.getWarp();
      warp && static_cast<int64_t>(*warp) != regionWarp) {
    for (uint32_t result : op.out)
      none(result);
    return true;
  }
  SmallVector<Val> yields;
  if (!execute(op.regions[0], Elected, iteration, &yields))
    return false;
  for (auto [result, val] : llvm::zip(op.out, yields)) {
    values[result] = val;
    if (val.kind == Val::Token)
      values[result].second = 0; // to the other lanes it is none
  }
  return true;
}

bool Instantiator::Impl::executeSpecialize(const CompiledOp &op, Lanes lanes) {
  auto specialize = cast<WarpSpecializeOp>(op.op);
  for (auto [partition, block] :
       llvm::zip(specialize.getBody().getOps<PartitionOp>(), op.regions)) {
    int64_t first = specialize.getFirstWarp(partition);
    int64_t rank = info().warp - first;
    if (rank < 0 || rank >= static_cast<int64_t>(partition.getWarps()))
      continue;
    AgentInfo &who = program->agents[agent];
    who.partition = who.partitions++ ? "" : partition.getName().str();
    who.warpInPartition = rank;
    regionWarp = rank;
    regionWarps = partition.getWarps();
    if (!execute(block, lanes, 0, nullptr))
      return false;
    regionWarp = info().warp;
    regionWarps = program->warps;
  }
  return true;
}
