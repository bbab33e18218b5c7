//===- Values.cpp - from which values an access was computed --------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The front end gives each value the name of the variable that it is assigned to.
// From a pointer or a mask backwards, through what works element by element or
// moves elements, each name is told once with its value at that element: the first
// met is the last assigned.
//
//===----------------------------------------------------------------------===//
#include "Agent.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"

#include <deque>

using namespace mlir;
using namespace titan::tt;

/// Names told of one access, and values looked at.
static constexpr unsigned maxNames = 8, maxValues = 256;

namespace {
/// A variable of the program, and where it is assigned.
struct Variable {
  StringRef name;
  FileLineColLoc at;
};
} // namespace

/// The variable in whose assignment something stands; no name: there is none, or
/// it is one of Triton's own functions.
static Variable assignedAt(Location loc) {
  Variable found;
  while (true) {
    if (auto name = dyn_cast<NameLoc>(loc)) {
      found.name = name.getName();
      loc = name.getChildLoc();
    } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
      // (A variable of who calls is the result, not what it is made of.)
      found.name = {};
      loc = call.getCallee();
    } else {
      break;
    }
  }
  found.at = dyn_cast<FileLineColLoc>(loc);
  if (found.at &&
      found.at.getFilename().getValue().contains("/triton/language/"))
    found.name = {};
  return found;
}

/// What an argument of a block is called: a function's as it is, a loop's counter
/// after its line where the program's name for it is lost (make_ttir drops some,
/// and MLIR prints such as %arg6).
static std::string nameOf(BlockArgument argument) {
  StringRef name = assignedAt(argument.getLoc()).name, number = name;
  Operation *owner = argument.getOwner()->getParentOp();
  bool printed =
      name.empty() || (number.consume_front("arg") && !number.empty() &&
                       llvm::all_of(number, llvm::isDigit));
  if (isa<FuncOp>(owner) || !printed)
    return name.str();
  auto loop = dyn_cast<scf::ForOp>(owner);
  if (!loop || argument != loop.getInductionVar())
    return {};
  FileLineColLoc at = assignedAt(loop.getLoc()).at;
  return at ? "the counter of line " + std::to_string(at.getLine())
            : std::string();
}

/// The variable that a value was assigned to; empty: none. The front end names
/// all of an assignment after its variable, in `v = tl.load(p, mask=i < n)` the
/// mask, too: what goes into something of the same assignment is not the
/// variable. Each part of it begins on the line where the whole does, or later.
static std::string variableOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return nameOf(argument);
  if (value.getDefiningOp<arith::ConstantOp>())
    return {};
  Variable own = assignedAt(value.getLoc());
  if (own.name.empty() || !own.at)
    return own.name.str();
  for (Operation *user : value.getUsers()) {
    Variable other = assignedAt(user->getLoc());
    if (other.name == own.name && other.at &&
        other.at.getFilename() == own.at.getFilename() &&
        other.at.getLine() <= own.at.getLine())
      return {};
  }
  return own.name.str();
}

/// The element of an operand that element `e` of the result comes from; nothing
/// where several do.
static std::optional<int64_t> follow(Operation *op, Value operand, int64_t e) {
  Type from = operand.getType();
  if (!isa<RankedTensorType>(from))
    return 0;
  if (op->hasTrait<OpTrait::Elementwise>() ||
      isa<AddPtrOp, ExpandDimsOp, ReshapeOp>(op))
    return countOf(from) == countOf(op->getResult(0).getType())
               ? std::optional(e)
               : std::nullopt;
  if (isa<UnsplatOp>(op))
    return 0;
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0).getType());
  auto trans = dyn_cast<TransOp>(op);
  if (!isa<BroadcastOp>(op) && !trans)
    return std::nullopt;
  SmallVector<int64_t> index(shape.size());
  for (int64_t d = shape.size() - 1; d >= 0; --d) {
    index[d] = e % shape[d];
    e /= shape[d];
  }
  SmallVector<int64_t> at(shape.size());
  for (size_t d = 0; d < shape.size(); ++d)
    if (trans)
      at[trans.getOrder()[d]] = index[d];
    else
      at[d] = shapeOf(from)[d] == 1 ? 0 : index[d];
  int64_t element = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    element = element * shapeOf(from)[d] + at[d];
  return element;
}

/// Goes back over what led to operands of a step at an element, breadth first:
/// `look(value, its tile, its element)` says whether to go on.
static void
goBack(Agent &agent, const Step &step, int64_t element, unsigned operands,
       llvm::function_ref<bool(Value, const Tile &, int64_t)> look) {
  std::deque<std::pair<Value, int64_t>> next;
  for (auto [i, value] : llvm::enumerate(step.op->getOperands()))
    if (operands >> std::min<size_t>(i, 31) & 1)
      next.emplace_back(value,
                        isa<RankedTensorType>(value.getType()) ? element : 0);
  llvm::DenseSet<Value> seen;
  while (!next.empty() && seen.size() < maxValues) {
    auto [value, e] = next.front();
    next.pop_front();
    if (!seen.insert(value).second)
      continue;
    auto slot = agent.world.slots.find(value);
    if (slot == agent.world.slots.end())
      continue;
    if (!look(value, agent[slot->second], e))
      return;
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumRegions())
      continue;
    if (op->getNumResults() == 1)
      for (Value operand : op->getOperands())
        if (auto from = isa<SplatOp>(op) ? 0 : follow(op, operand, e))
          next.emplace_back(operand, *from);
  }
}

bool titan::tt::wasBlock(Operation *access) {
  if (!isa<LoadOp, StoreOp>(access))
    return false;
  auto address = access->getOperand(0).getDefiningOp<AddPtrOp>();
  return address && isa<RankedTensorType>(address.getType()) &&
         address.getLoc() == access->getLoc() &&
         !isa<UnknownLoc>(access->getLoc());
}

std::string titan::tt::valuesText(Agent &agent, const Step &step,
                                  int64_t element, unsigned operands) {
  llvm::StringSet<> told;
  std::string text;
  llvm::raw_string_ostream os(text);
  const bool block = wasBlock(step.op);
  goBack(agent, step, element, operands,
         [&](Value value, const Tile &tile, int64_t e) {
           std::string name = variableOf(value);
           // A part of a block pointer, which has the pointer's name.
           if (block && value.getDefiningOp() &&
               llvm::any_of(value.getUsers(), [&](Operation *user) {
                 return user->getLoc() == step.op->getLoc();
               }))
             name.clear();
           // An index that was loaded, and that no variable holds.
           if (auto load = value.getDefiningOp<LoadOp>();
               name.empty() && load && !isFloat(tile.kind))
             if (auto at = assignedAt(load.getLoc()).at)
               name = "what line " + std::to_string(at.getLine()) + " loads";
           if (name.empty() || tile.kind == Kind::Ptr ||
               tile.kind == Kind::Block || e >= tile.count ||
               !told.insert(name).second)
             return true;
           os << (told.size() == 1 ? "where " : ", ") << name
              << indexText(value.getType(), e) << " = ";
           if (tile.isUndefined(e))
             os << "undefined";
           else if (tile.kind == Kind::I1)
             os << (tile.getInteger(e) ? "true" : "false");
           else if (isFloat(tile.kind))
             os << llvm::format("%g", tile.getFloat(e));
           else
             os << tile.getInteger(e);
           return told.size() < maxNames;
         });
  return text;
}

std::optional<std::string> titan::tt::wrappedText(Agent &agent,
                                                  const Step &step,
                                                  int64_t element,
                                                  unsigned operands) {
  std::optional<std::string> text;
  goBack(agent, step, element, operands,
         [&](Value value, const Tile &tile, int64_t e) {
           Operation *op = value.getDefiningOp();
           if (!op || !isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) ||
               !getElementTypeOrSelf(value.getType()).isInteger(32))
             return true;
           int64_t sides[2];
           for (unsigned i : {0u, 1u}) {
             auto slot = agent.world.slots.find(op->getOperand(i));
             if (slot == agent.world.slots.end())
               return true;
             const Tile &side = agent[slot->second];
             if (e >= side.count || side.isUndefined(e))
               return true;
             sides[i] = side.getInteger(e);
           }
           const int64_t exact = isa<arith::AddIOp>(op)   ? sides[0] + sides[1]
                                 : isa<arith::SubIOp>(op) ? sides[0] - sides[1]
                                                          : sides[0] * sides[1];
           if (exact == tile.getInteger(e) || e >= tile.count)
             return true;
           const char *sign = isa<arith::AddIOp>(op)   ? " + "
                              : isa<arith::SubIOp>(op) ? " - "
                                                       : " * ";
           std::string name = variableOf(value);
           text = (name.empty() ? "" : name + " = ") +
                  std::to_string(sides[0]) + sign + std::to_string(sides[1]) +
                  " wrapped around to " + std::to_string(tile.getInteger(e)) +
                  " in 32 bits: compute it in 64, x.to(tl.int64)";
           return false;
         });
  return text;
}
