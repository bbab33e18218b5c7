//===- Launch.cpp - what a launch says, as facts --------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Typestate.h"

using namespace mlir;
using namespace titan;
using namespace titan::typestate;
using TValue = titan::typestate::Value;
using MValue = mlir::Value;

Polynomial Proof::sizeOf(BlockArgument tensor, int64_t dimension,
                         Facts &facts) {
  auto type = cast<GlobalType>(tensor.getType());
  if (int64_t size = type.getShape()[dimension]; !ShapedType::isDynamic(size))
    return size;
  std::string name =
      cast<StringAttr>(kernel.getArgNames()[tensor.getArgNumber()])
          .getValue()
          .str() +
      "[" + std::to_string(dimension) + "]";
  Atom atom = atoms.atom(
      "size", kernel.getOperation(),
      {Polynomial(tensor.getArgNumber()), Polynomial(dimension)}, name);
  auto same = sameSizes.find(atom);
  Polynomial size =
      same == sameSizes.end() ? Polynomial::atom(atom) : same->second;
  facts.atLeast(size, 0);
  return size;
}

bool Proof::keepsApart(TensorMapOp map) {
  if (!map.isView())
    return true;
  // Rows of the tensor do not overlap: each stride spans what lies within it.
  auto tensor = cast<BlockArgument>(map.getTensor());
  auto type = cast<GlobalType>(tensor.getType());
  Facts facts = launch;
  auto stride = [&](int64_t d) {
    return d + 1 == type.getRank()
               ? Polynomial(1)
               : Polynomial::atom(atoms.atom(
                     "stride", kernel.getOperation(),
                     {Polynomial(tensor.getArgNumber()), Polynomial(d)}));
  };
  for (int64_t d = 0; d + 1 < type.getRank(); ++d)
    facts.atLeast(stride(d), sizeOf(tensor, d + 1, facts) * stride(d + 1));
  // So do those of the view.
  std::vector<Polynomial> strides, sizes;
  for (MValue value : map.getByteStrides())
    if (auto p = arithmetic.polynomialOf(launchValues.lookup(value), facts))
      strides.push_back(*p);
  strides.push_back(getElementBytes(type.getElementType()));
  for (MValue value : map.getDims())
    if (auto p = arithmetic.polynomialOf(launchValues.lookup(value), facts))
      sizes.push_back(*p);
  if (strides.size() != sizes.size() ||
      static_cast<int64_t>(sizes.size()) != map.getType().getRank() ||
      map.getType().getInterleave())
    return false;
  for (size_t d = 0; d + 1 < sizes.size(); ++d)
    if (!facts.provesAtLeast(strides[d], sizes[d + 1] * strides[d + 1]))
      return false;
  return true;
}

void Proof::noteSame(const Comparison &comparison) {
  Polynomial::TermList terms = comparison.polynomial.monomials();
  if (comparison.kind != Comparison::Equal || terms.size() != 2 ||
      terms[0].second != -terms[1].second ||
      (terms[0].second != 1 && terms[0].second != -1))
    return;
  for (auto &[monomial, coefficient] : terms)
    if (monomial.size() != 1 || atoms.kind(monomial[0]) != "size")
      return;
  // The first one stands for both, and for all that the second one stands for.
  auto first = [&](Atom a) {
    auto same = sameSizes.find(a);
    return same == sameSizes.end() ? a : same->second.atoms()[0];
  };
  Atom a = first(terms[0].first[0]), b = first(terms[1].first[0]);
  if (a == b)
    return;
  if (b < a)
    std::swap(a, b);
  for (auto &[other, by] : sameSizes)
    if (by.atoms()[0] == b)
      by = Polynomial::atom(a);
  sameSizes[b] = Polynomial::atom(a);
}

void Proof::addEithers(Facts &facts) {
  for (MValue left : eithers)
    while (left) {
      auto either = left.getDefiningOp<arith::OrIOp>();
      if (!either) {
        const TValue holds = arithmetic.conditionOf(launchValues.lookup(left),
                                                    facts, /*fact=*/true);
        for (const Comparison &comparison : holds.all)
          assume(facts, comparison);
        break;
      }
      auto isFalse = [&](MValue side) {
        return decide(facts, launchValues.lookup(side)) == false;
      };
      left = isFalse(either.getRhs())   ? either.getLhs()
             : isFalse(either.getLhs()) ? either.getRhs()
                                        : MValue();
    }
}

bool Proof::readLaunch() {
  Block &region = kernel.getLaunch().front();
  auto &values = launchValues;
  auto argument = [&](BlockArgument value) {
    unsigned bits = checker::bitsOf(value.getType());
    if (!bits || bits == 1)
      return TValue();
    Polynomial atom = Polynomial::atom(atoms.atom(
        "argument", kernel.getOperation(), {Polynomial(value.getArgNumber())},
        cast<StringAttr>(kernel.getArgNames()[value.getArgNumber()])
            .getValue()
            .str()));
    if (bits < 64) {
      launch.atLeast(atom, -(int64_t(1) << (bits - 1)));
      launch.atLeast((int64_t(1) << (bits - 1)) - 1, atom);
    }
    return TValue::of(atom);
  };
  for (BlockArgument value : region.getArguments())
    values[value] = argument(value);
  for (BlockArgument value : kernel.getKernelArguments())
    values[value] = argument(value);
  for (Operation &op : region) {
    if (auto dim = dyn_cast<DimOp>(op)) {
      values[dim.getResult()] = TValue::of(sizeOf(
          cast<BlockArgument>(dim.getTensor()), dim.getDimension(), launch));
      continue;
    }
    if (auto stride = dyn_cast<StrideOp>(op)) {
      Polynomial atom = Polynomial::atom(atoms.atom(
          "stride", kernel.getOperation(),
          {Polynomial(cast<BlockArgument>(stride.getTensor()).getArgNumber()),
           Polynomial(stride.getDimension())}));
      launch.atLeast(atom, 0);
      values[stride.getResult()] = TValue::of(atom);
      continue;
    }
    if (isa<DevicePropertyOp>(op)) {
      Polynomial atom = Polynomial::atom(
          atoms.atom("property", op.getAttrDictionary().getAsOpaquePointer(),
                     {}, "multiprocessors"));
      launch.atLeast(atom, 1);
      values[op.getResult(0)] = TValue::of(atom);
      multiprocessors = atom;
      continue;
    }
    if (auto require = dyn_cast<RequireOp>(op)) {
      const TValue condition =
          arithmetic.conditionOf(values.lookup(require.getCondition()), launch,
                                 /*fact=*/true);
      for (const Comparison &comparison : condition.all) {
        assume(launch, comparison);
        noteSame(comparison);
      }
      if (condition.constant() == 0)
        launch.addNonnegative(-1);
      if (require.getCondition().getDefiningOp<arith::OrIOp>())
        eithers.push_back(require.getCondition());
      continue;
    }
    if (auto map = dyn_cast<TensorMapOp>(op)) {
      // The encoder takes no extent of 0 (launch-zero-dim), and 2^32 at most.
      constexpr int64_t most = int64_t(1) << 32;
      for (MValue extent : map.getDims())
        if (auto p = arithmetic.polynomialOf(values.lookup(extent), launch)) {
          launch.atLeast(*p, 1);
          launch.atLeast(most, *p);
        }
      auto tensor = dyn_cast<BlockArgument>(map.getTensor());
      if (tensor && !map.isView())
        for (int64_t d = 0; d < cast<GlobalType>(tensor.getType()).getRank();
             ++d) {
          Polynomial size = sizeOf(tensor, d, launch);
          launch.atLeast(size, 1);
          launch.atLeast(most, size);
        }
      continue;
    }
    if (op.getNumRegions() || op.getNumResults() != 1)
      continue;
    SmallVector<TValue, 3> operands;
    for (MValue operand : op.getOperands())
      operands.push_back(values.lookup(operand));
    values[op.getResult(0)] = arithmetic.compute(&op, operands, launch);
  }
  // Sizes that are required to be equal are one.
  if (!sameSizes.empty()) {
    auto by = [&](Atom a) -> std::optional<Polynomial> {
      auto same = sameSizes.find(a);
      return same == sameSizes.end() ? std::nullopt
                                     : std::optional(same->second);
    };
    Facts facts;
    for (const Polynomial &p : launch.nonnegative)
      facts.addNonnegative(atoms.substitute(p, by, &facts));
    for (const Polynomial &p : launch.zero)
      facts.addZero(atoms.substitute(p, by, &facts));
    launch = std::move(facts);
    for (auto &[value, what] : values) {
      what.number = atoms.substitute(what.number, by, &launch);
      for (Comparison &comparison : what.all)
        comparison.polynomial =
            atoms.substitute(comparison.polynomial, by, &launch);
    }
  }
  LaunchOp end = kernel.getLaunchOp();
  for (auto [inside, value] :
       llvm::zip(kernel.getLaunchArguments(), end.getValues()))
    values[inside] = values.lookup(value);
  // Quotients that are not 0, now that all is known: 320 q >= 1 says q >= 1.
  for (Atom a = 0, all = atoms.size(); a < all; ++a)
    if (Polynomial q = Polynomial::atom(a);
        atoms.kind(a) == "quotient" && launch.provesAtLeast(q, 1))
      launch.atLeast(q, 1);
  static const char *axes[] = {"x", "y", "z"};
  for (auto [d, extent] : llvm::enumerate(end.getGrid())) {
    auto count = arithmetic.polynomialOf(values.lookup(extent), launch);
    if (!count)
      return stop("the grid is not a polynomial of sizes", end);
    Polynomial id =
        Polynomial::atom(atoms.atom("cta", nullptr, {Polynomial(int64_t(d))},
                                    std::string("cta.") + axes[d]));
    // Of clusters: the number of the cluster, of which there are whole ones.
    int64_t size = kernel.getClusterShape()[d];
    grid.push_back(*count);
    launch.atLeast(*count, 1);
    if (auto most = d == 0 ? target.maxGridX : target.maxGridYZ;
        most != TargetInfo::absent)
      launch.atLeast(most, *count);
    launch.atLeast(id, 0);
    launch.atLeast(*count - Polynomial(size), id * Polynomial(size));
  }
  kernel.getBody().walk([&](Operation *op) {
    if (auto id = dyn_cast<CtaIdOp>(op)) {
      bool within = id.getDimension() < end.getGrid().size();
      values[id.getResult()] = TValue::of(
          within
              ? Polynomial::atom(atoms.atom(
                    "cta", nullptr, {Polynomial(int64_t(id.getDimension()))}))
              : Polynomial());
    } else if (auto count = dyn_cast<NumCtasOp>(op)) {
      bool within = count.getDimension() < end.getGrid().size();
      values[count.getResult()] =
          within ? values.lookup(end.getGrid()[count.getDimension()])
                 : TValue::of(1);
    } else if (auto dim = dyn_cast<DimOp>(op)) {
      if (auto tensor = dyn_cast<BlockArgument>(dim.getTensor()))
        values[dim.getResult()] =
            TValue::of(sizeOf(tensor, dim.getDimension(), launch));
    }
  });
  return true;
}
