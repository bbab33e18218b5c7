//===- Pitches.cpp - strides that are arguments ---------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor of one dimension may stand for one of more, whose strides are
// arguments: Triton's programs have no others. As rows of a tensor's own do not
// overlap (Strides.cpp), those do not: of such a stride, and of all that
// a tensor has together, values are taken under which fewest places meet, and
// the verdict says so. What meets under all of them is found.
//
// A stride is an argument that is multiplied, added and put into the place of an
// access, and nothing else: neither compared, nor divided, nor stored. One of
// which a launch check says more than its sign or a factor is what that says, no
// less: there the launch is searched as for any other argument.
//
//===----------------------------------------------------------------------===//
#include "Interpreter.h"
#include "Sharing.h"

#include "Bounds.h"
#include "Uses.h"

#include "titan/Dialect/Titan/SharedMemory.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

/// Whether all that becomes of a number is a place in tensors of one dimension,
/// which go into `tensors`, by a product.
static bool isStride(BlockArgument argument, llvm::SetVector<Value> &tensors) {
  bool multiplied = false;
  auto visit = [&](OpOperand &use, SmallVectorImpl<Value> &next) {
    Operation *op = use.getOwner();
    unsigned number = use.getOperandNumber();
    if (auto hardware = dyn_cast<HardwareEffectsInterface>(op)) {
      auto accesses = accessesAt(hardware, use.get());
      for (const effect::Access &access : accesses) {
        auto type = dyn_cast<GlobalType>(access.bytes.object.getType());
        if (!type || type.getRank() != 1)
          return false;
        tensors.insert(access.bytes.object);
      }
      return !accesses.empty();
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      BlockArgument carried = loop.getTiedLoopRegionIterArg(&use);
      if (carried)
        next.append({carried, loop.getTiedLoopResult(&use)});
      return static_cast<bool>(carried);
    }
    if (isa<scf::YieldOp>(op)) {
      Operation *parent = op->getParentOp();
      if (auto loop = dyn_cast<scf::ForOp>(parent))
        next.push_back(loop.getRegionIterArgs()[number]);
      else if (!isa<scf::IfOp>(parent))
        return false;
      next.push_back(parent->getResult(number));
      return true;
    }
    multiplied |= isa<arith::MulIOp>(op);
    bool through =
        isa<arith::MulIOp, arith::AddIOp, arith::SubIOp, arith::ExtSIOp,
            arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
            arith::IndexCastUIOp, TileOpInterface>(op) ||
        (isa<arith::SelectOp, arith::ShLIOp>(op) &&
         number == (isa<arith::SelectOp>(op) ? std::max(number, 1u) : 0));
    if (through)
      next.push_back(op->getResult(0));
    return through;
  };
  return walkUses(argument, visit) && multiplied;
}

/// Whether a requirement says of a parameter, which it is about alone, no more than
/// its sign or a factor.
static bool saysLittle(const Symbols &symbols, Number requirement) {
  const Symbols::Node &node = symbols.node(requirement.symbol);
  if (node.code != Arith::Cmp)
    return false;
  auto constant = [](Number n) { return !n.symbol; };
  auto code = [&](Number n) { return symbols.node(n.symbol).code; };
  for (auto [a, b] : {std::pair(node.a, node.b), std::pair(node.b, node.a)}) {
    while (a.symbol && (code(a) == Arith::Cast || code(a) == Arith::CastU))
      a = symbols.node(a.symbol).a;
    if (!constant(b) || !a.symbol)
      continue;
    if (code(a) == Arith::None)
      return std::abs(b.value) <= 1;
    if (code(a) == Arith::RemS || code(a) == Arith::RemU)
      return true;
  }
  return false;
}

void Instantiator::Impl::findPitches() {
  // What the launch computes of an argument says what it is.
  auto saidMore = [&](uint32_t parameter) {
    std::vector<uint32_t> inside;
    for (Number extent : grid)
      symbols.collect(extent, inside);
    for (auto &[symbol, other] : pinned) {
      symbols.collect(other, inside);
      inside.push_back(symbols.parameterOf(symbol));
    }
    for (Number requirement : requirements) {
      std::vector<uint32_t> own;
      symbols.collect(requirement, own);
      if (own.size() != 1 || !saysLittle(symbols, requirement))
        llvm::append_range(inside, own);
    }
    return llvm::is_contained(inside, parameter);
  };
  llvm::MapVector<Value, SmallVector<uint32_t>> byTensor;
  for (BlockArgument argument : kernel.getBody().front().getArguments()) {
    auto number = launchNumbers.find(kernel.getLaunchValue(argument));
    if (number == launchNumbers.end() || !number->second.symbol)
      continue;
    const Symbols::Node &node = symbols.node(number->second.symbol);
    if (node.code != Arith::None ||
        parameters[node.predicate].kind != Parameter::Scalar ||
        saidMore(node.predicate))
      continue;
    llvm::SetVector<Value> tensors;
    if (!isStride(argument, tensors))
      continue;
    for (Value tensor : tensors)
      if (writtenTensors.contains(tensor))
        byTensor[tensor].push_back(node.predicate);
  }
  // (Launches are tried with one value of each.)
  for (auto &[tensor, strides] : byTensor)
    for (uint32_t parameter : strides)
      parameters[parameter].initial =
          fitted(parameter, parameters[parameter].initial);
  for (auto &[tensor, strides] : byTensor)
    for (auto [position, parameter] : llvm::enumerate(strides)) {
      auto [found, fresh] = pitches.try_emplace(parameter);
      found->second.tensors.push_back(titan::nameOf(tensor));
      // Outermost first, as a rule.
      found->second.outside =
          std::max<unsigned>(found->second.outside, position);
      found->second.inside = std::max<unsigned>(found->second.inside,
                                                strides.size() - 1 - position);
    }
}

void Instantiator::Impl::noteStride(const CompiledOp &op) {
  for (unsigned i : {0, 1}) {
    Value factor = sameForAll(op.op->getOperand(i));
    const Val &by = values[op.in[1 - i]];
    if (!factor || value(factor).kind != Val::Int)
      continue;
    uint32_t symbol = value(factor).number.symbol;
    while (symbol && (symbols.node(symbol).code == Arith::Cast ||
                      symbols.node(symbol).code == Arith::CastU))
      symbol = symbols.node(symbol).a.symbol;
    if (!symbol || symbols.node(symbol).code != Arith::None)
      continue;
    auto pitch = pitches.find(symbols.parameterOf(symbol));
    if (pitch == pitches.end())
      continue;
    auto note = [&](int64_t number) {
      pitch->second.largest = std::max(pitch->second.largest, std::abs(number));
    };
    if (by.kind == Val::Int)
      note(by.number.value);
    else if (by.kind == Val::Tensor && seenTiles.insert({symbol, by.id}).second)
      llvm::for_each(tensors[by.id], note);
  }
}

bool Instantiator::Impl::setPitches(size_t which) {
  auto oldValues = parameterValues;
  const bool close = which >= pitchKinds;
  which %= pitchKinds;
  const unsigned bits = bound::argumentPitchBits[which / pitchOrders];
  const bool reversed = which % 2, unit = which % pitchOrders < 2;
  auto placeOf = [&](const Pitch &pitch) {
    return reversed ? pitch.outside : pitch.inside;
  };
  // Of those that lie within it, each as long as it is where they are close.
  auto strideAt = [&](unsigned place) -> std::optional<int64_t> {
    int64_t stride = unit ? int64_t(1) << bits : 1;
    for (unsigned within = 0; within < place; ++within) {
      int64_t length = close ? 1 : int64_t(1) << bits;
      for (auto &[parameter, pitch] : pitches)
        if (close && placeOf(pitch) == within)
          length = std::max(length, pitch.largest + 1);
      if (llvm::MulOverflow(stride, length, stride) || stride >> 31)
        return std::nullopt;
    }
    return stride;
  };
  bool good = !close || unit || which < pitchOrders; // (Else as of other bits.)
  for (auto &[parameter, pitch] : pitches) {
    std::optional<int64_t> stride =
        good ? strideAt(placeOf(pitch)) : std::nullopt;
    good = stride.has_value();
    if (good)
      setParameter(parameter, fitted(parameter, *stride));
  }
  for (size_t i = 0; good && i < requirements.size(); ++i)
    good = met({Goal::Require, i});
  if (!good)
    parameterValues = std::move(oldValues);
  return good;
}

std::unique_ptr<Program> Instantiator::Impl::runApart() {
  if (pitches.empty())
    return runAll();
  const Program blank = *program;
  const auto toldBefore = told;
  const size_t known = self.problems.size();
  std::vector<Problem> failed;
  std::unique_ptr<Program> best;
  std::set<Sharing::Met> fewest;
  size_t first = pitch;
  // (The first one again, when it is known how long rows are.)
  for (size_t i = 0; i <= 2 * pitchKinds; ++i) {
    size_t which = (first + i) % (2 * pitchKinds);
    if (!setPitches(which))
      continue;
    program = std::make_unique<Program>(blank);
    std::unique_ptr<Program> made = runAll();
    if (!made) {
      // Too large for the type that indices have, perhaps.
      bool large = self.problems.size() > known &&
                   llvm::all_of(llvm::drop_begin(self.problems, known),
                                [](const Problem &problem) {
                                  return problem.code == Code::OutOfBounds;
                                });
      if (!large)
        return nullptr;
      if (failed.empty())
        failed.assign(self.problems.begin() + known, self.problems.end());
      self.problems.resize(known, Problem{});
      told = toldBefore;
      continue;
    }
    auto met = Sharing::meetingsOf(*made, self.footprints, effort);
    if (!best || met.size() < fewest.size()) {
      best = std::move(made);
      fewest = std::move(met);
      pitch = which;
    }
    // What none keeps apart once is not asked about again.
    if (spent() || llvm::all_of(fewest, [&](const Sharing::Met &each) {
          return unavoidable.contains(each);
        }))
      break;
  }
  if (!best)
    llvm::append_range(self.problems, failed);
  unavoidable.insert(fewest.begin(), fewest.end());
  return best;
}

std::vector<std::string> Instantiator::pitches() const {
  std::vector<std::string> result;
  for (auto &[parameter, pitch] : impl->pitches) {
    std::string name = impl->nameOfParameter(impl->parameters[parameter]);
    result.push_back("rows of " + llvm::join(pitch.tensors, ", ") +
                     " with stride " + name +
                     " do not overlap (instead, titan.require can bound " +
                     name + ", and each launch is checked)");
  }
  return result;
}
