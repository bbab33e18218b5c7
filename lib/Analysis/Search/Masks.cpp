//===- Masks.cpp - launches that let masks through ------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An argument that bounds the elements of tiles (a mask's `i < n`) may be
// any number, and those that are tried are small: one CTA alone stores, whatever
// the tiles of the others have in common with its own. A launch that has been
// looked at tells which elements were compared to such an argument; so one like
// it, whose argument is above all of them, shows whom its CTAs meet.
//
//===----------------------------------------------------------------------===//
#include "Interpreter.h"

#include "Bounds.h"
#include "Uses.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

void Instantiator::Impl::noteMask(const CompiledOp &op) {
  using P = arith::CmpIPredicate;
  const auto predicate = static_cast<P>(op.predicate);
  const bool below = predicate == P::slt || predicate == P::sle ||
                     predicate == P::ult || predicate == P::ule;
  if (!below && (predicate == P::eq || predicate == P::ne))
    return;
  const Val &tile = values[op.in[below ? 0 : 1]];
  Value bound = sameForAll(op.op->getOperand(below ? 1 : 0));
  if (!bound || tile.kind != Val::Tensor)
    return;
  const Val &number = value(bound);
  if (number.kind != Val::Int || !number.number.symbol ||
      !seenTiles.insert({number.number.symbol, tile.id}).second)
    return;
  auto [least, most] =
      std::minmax_element(tensors[tile.id].begin(), tensors[tile.id].end());
  auto [known, fresh] =
      masks.try_emplace(number.number.symbol, Bounds{*least, *most});
  if (!fresh && *most > known->second.high)
    known->second = {*least, *most};
}

bool Instantiator::Impl::raise(Number bound, int64_t above,
                               llvm::SmallVectorImpl<uint32_t> &raised) {
  std::vector<uint32_t> inside, ofGrid;
  symbols.collect(bound, inside);
  for (Number extent : grid)
    symbols.collect(extent, ofGrid);
  for (uint32_t parameter : inside) {
    if (parameters[parameter].kind != Parameter::Scalar ||
        pitches.contains(parameter) || llvm::is_contained(ofGrid, parameter))
      continue;
    const int64_t old = parameterValues[parameter][0];
    auto valueAt = [&](int64_t value) {
      setParameter(parameter, value);
      return symbols.value(bound, parameterValues, 0)
          .value_or(std::numeric_limits<int64_t>::min());
    };
    const int64_t before = valueAt(old);
    if (before > above)
      return false;
    // The least that is enough; else as large as the elements, where the number
    // grows with it at all.
    int64_t low = old, enough = bound::largestForValue;
    while (low + 1 < enough) {
      int64_t middle = low + (enough - low) / 2;
      (valueAt(middle) > above ? enough : low) = middle;
    }
    if (valueAt(enough) <= above)
      enough = above + 1;
    enough =
        fitted(parameter, std::min(enough, parameters[parameter].range.high),
               /*next=*/true);
    if (enough > old && parameters[parameter].range.contains(enough) &&
        valueAt(enough) > before) {
      raised.push_back(parameter);
      return true;
    }
    setParameter(parameter, old);
  }
  return false;
}

std::vector<SmallLaunch> Instantiator::unmasked(const SmallLaunch &from) const {
  std::vector<SmallLaunch> result;
  for (bool all : {true, false}) {
    impl->program = emptyProgram(impl->kernel, 1);
    impl->launch = &from;
    impl->resetParameters(false);
    impl->launch = nullptr;
    llvm::SmallVector<uint32_t> raised;
    for (auto [symbol, elements] : impl->masks) {
      if (elements.high < 0 || elements.high >= bound::largestForValue)
        continue;
      const auto before = impl->parameterValues;
      const size_t known = raised.size();
      if (impl->raise({0, symbol},
                      all ? elements.high
                          : elements.low + (elements.high - elements.low) / 2,
                      raised) &&
          !impl->admitted() &&
          !(impl->tighten(/*kept=*/raised) && impl->admitted())) {
        impl->parameterValues = before;
        raised.truncate(known);
      }
    }
    // Other sizes are not 0: of nothing all CTAs have the same.
    for (auto [number, parameter] : llvm::enumerate(impl->parameters)) {
      if (raised.empty() || parameter.kind != Impl::Parameter::Scalar ||
          impl->parameterValues[number][0] != 0 ||
          llvm::is_contained(raised, number) || impl->pitches.contains(number))
        continue;
      impl->setParameter(number, impl->fitted(number, 1, /*next=*/true));
      if (!impl->admitted())
        impl->setParameter(number, 0);
    }
    SmallLaunch launch = from;
    for (auto [number, value] : llvm::enumerate(launch.parameters))
      if (impl->parameters[number].kind <= Impl::Parameter::Scalar)
        value = impl->parameterValues[number][0];
    if (raised.empty() ||
        !impl->unmaskedLaunches.insert(launch.parameters).second)
      continue;
    launch.name = impl->nameOf(launch);
    result.push_back(std::move(launch));
  }
  return result;
}
