//===- Pieces.cpp - pieces of what is computed from ids -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A quotient, a remainder or a minimum of a CTA's id is one piece after the
// other, in each of which it goes on by one step. Launches that show one piece
// alone do not show what CTAs of two of them have in common: it is noted which
// ones have been seen, of places and of what is waited for.
//
//===----------------------------------------------------------------------===//
#include "Interpreter.h"

#include "Bounds.h"
#include "Uses.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

/// Whether a place in global memory is computed from it.
static bool reachesGlobal(Value value) {
  return !walkUses(value, [](OpOperand &use, SmallVectorImpl<Value> &next) {
    Operation *op = use.getOwner();
    unsigned number = use.getOperandNumber();
    if (auto hardware = dyn_cast<HardwareEffectsInterface>(op))
      return llvm::all_of(
          accessesAt(hardware, use.get()), [](const effect::Access &access) {
            return isa<SharedType>(access.bytes.object.getType());
          });
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (BlockArgument carried = loop.getTiedLoopRegionIterArg(&use))
        next.append({carried, loop.getTiedLoopResult(&use)});
      else
        next.push_back(loop.getInductionVar());
      return true;
    }
    if (op->hasTrait<OpTrait::IsTerminator>()) {
      Operation *parent = op->getParentOp();
      if (number < parent->getNumResults())
        next.push_back(parent->getResult(number));
      if (auto loop = dyn_cast<scf::ForOp>(parent))
        next.push_back(loop.getRegionIterArgs()[number]);
      return true;
    }
    next.append(op->result_begin(), op->result_end());
    return true;
  });
}

void Instantiator::Impl::notePiece(const CompiledOp &op, const Val &first,
                                   const Val &second) {
  Number a = first.number, b = second.number;
  if (!a.symbol && !b.symbol)
    return;
  if (!a.symbol)
    std::swap(a, b);
  bool constant = !b.symbol && b.value > 0;
  int64_t width = 0;
  std::optional<int64_t> piece;
  switch (op.code) {
  case Arith::DivU:
  case Arith::DivS:
  case Arith::FloorDivS:
  case Arith::CeilDivU:
  case Arith::CeilDivS:
  case Arith::RemU:
  case Arith::RemS:
    if (constant && first.number.symbol)
      width = b.value;
    break;
  case Arith::ShrU:
  case Arith::ShrS:
    if (constant && b.value < bound::factorBits && first.number.symbol)
      width = int64_t(1) << b.value;
    break;
  case Arith::Shl:
    // Shifted out of its bits it begins again; and so it does in fewer of them.
    if (constant && b.value < op.bits &&
        op.bits - b.value < bound::factorBits && first.number.symbol)
      width = int64_t(1) << (op.bits - b.value);
    if (width > bound::farthestCluster)
      width = 0;
    break;
  case Arith::Cast:
    // (32 bits hold ids, and what indices computed from them are made of.)
    if (op.bits < std::min(op.operandBits, 32u))
      width = int64_t(1) << op.bits;
    break;
  case Arith::And:
  case Arith::Or:
  case Arith::Xor:
    if (constant && op.bits > 1)
      width = int64_t(1) << std::min(llvm::bit_width<uint64_t>(b.value), 40);
    break;
  case Arith::MinU:
  case Arith::MinS:
  case Arith::MaxU:
  case Arith::MaxS:
    if (constant) {
      width = b.value + 1;
      piece = a.value > b.value;
    }
    break;
  case Arith::Add:
    // id * c + other: the next row begins where the other comes to c.
    for (auto [x, y] : {std::pair(a, b), std::pair(b, a)})
      if (x.symbol && y.symbol) {
        const Symbols::Node &product = symbols.node(x.symbol);
        if (product.code == Arith::Mul && !product.b.symbol &&
            product.b.value > 1 && ofCta(x) && ofCta(y) &&
            !(symbols.parametersOf(x) & symbols.parametersOf(y))) {
          width = product.b.value;
          a = y;
        }
      }
    break;
  default:
    break;
  }
  if (width < 2 || !ofCta(a))
    return;
  Bounds range = ranges.of({0, a.symbol});
  if (range.low >= 0 && range.low / width == range.high / width)
    return;
  auto [known, fresh] = pieces.try_emplace(op.op);
  if (fresh)
    known->second.places = reachesGlobal(op.op->getResult(0));
  // The rows of a sum meet only where there are two.
  bool plane = launch->grid[0] > 1 && launch->grid[1] * launch->grid[2] > 1;
  if (!known->second.places || (op.code == Arith::Add && !plane))
    return;
  known->second.seen.insert(piece.value_or(a.value / width));
}

void Instantiator::Impl::noteAmount(const CompiledOp &op, Number amount) {
  SmallVector<Number> rest = {amount};
  llvm::DenseSet<uint32_t> seen;
  while (!rest.empty()) {
    Number at = rest.pop_back_val();
    if (!at.symbol || !seen.insert(at.symbol).second)
      continue;
    const Symbols::Node node = symbols.node(at.symbol);
    if (node.code == Arith::None)
      continue;
    llvm::append_range(rest, ArrayRef<Number>{node.a, node.b, node.c});
    const Bounds range = ranges.of({0, node.a.symbol});
    std::optional<int64_t> piece;
    auto a = symbols.value(node.a, parameterValues, cta()),
         b = symbols.value(node.b, parameterValues, cta());
    if (!a || !b)
      continue;
    switch (node.code) {
    case Arith::DivU:
    case Arith::DivS:
    case Arith::FloorDivS:
    case Arith::CeilDivU:
    case Arith::CeilDivS:
    case Arith::RemU:
    case Arith::RemS:
      // All of the first piece, where the divisor is a constant.
      if (*b > 1 && (node.b.symbol || !node.a.symbol || range.low < 0 ||
                     range.low / *b != range.high / *b))
        piece = llvm::divideFloorSigned(*a, *b);
      break;
    case Arith::MinU:
    case Arith::MinS:
    case Arith::MaxU:
    case Arith::MaxS:
      if (node.b.symbol || (range.low <= *b && *b < range.high))
        piece = *a > *b;
      break;
    default:
      break;
    }
    if (piece)
      amountPieces[{op.op, at.symbol}].insert(*piece);
  }
}

std::vector<Operation *> Instantiator::oneAmount() const {
  std::vector<Operation *> result;
  for (auto &[key, seen] : impl->amountPieces)
    if (seen.size() < 2 && !llvm::is_contained(result, key.first))
      result.push_back(key.first);
  return result;
}

size_t Instantiator::amountPieces() const {
  size_t all = 0;
  for (auto &[_, seen] : impl->amountPieces)
    all += seen.size();
  return all;
}

std::vector<Operation *> Instantiator::onePiece() const {
  std::vector<Operation *> result;
  for (auto &[op, pieces] : impl->pieces)
    if (pieces.places && pieces.seen.size() < 2)
      result.push_back(op);
  return result;
}
