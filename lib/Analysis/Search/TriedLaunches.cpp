//===- TriedLaunches.cpp - small launches, to look at whole ---------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Analysis/TriedLaunches.h"

#include "Bounds.h"
#include "Interpreter.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

TriedLaunch Instantiator::describe(const SmallLaunch &launch) const {
  TriedLaunch result;
  KernelOp kernel = impl->kernel;
  Symbols::Values values;
  for (int64_t value : launch.parameters)
    values.push_back({value});
  values.resize(impl->parameters.size(), {0});
  // Those that titan.require makes equal to others have their numbers.
  auto valueOf = [&](size_t parameter) {
    for (auto &[symbol, other] : impl->pinned)
      if (impl->symbols.parameterOf(symbol) == parameter)
        return impl->symbols.value(impl->unpinned(other), values, 0)
            .value_or(values[parameter][0]);
    return values[parameter][0];
  };
  for (BlockArgument argument : kernel.getLaunch().getArguments()) {
    TriedLaunch::Argument &made = result.arguments.emplace_back();
    auto type = dyn_cast<GlobalType>(argument.getType());
    if (!type) {
      if (auto known = impl->launchNumbers.find(argument);
          known != impl->launchNumbers.end())
        made.scalar = impl->symbols.value(known->second, values, 0);
      continue;
    }
    // A size that the launch does not ask for is a tile's or two.
    for (int64_t size : type.getShape())
      made.shape.push_back(ShapedType::isDynamic(size) ? bound::replayExtent
                                                       : size);
  }
  for (auto [number, parameter] : llvm::enumerate(impl->parameters)) {
    if (parameter.kind == Impl::Parameter::Size)
      result.arguments[parameter.tensor].shape[parameter.dimension] =
          valueOf(number);
    if (parameter.kind == Impl::Parameter::Multiprocessors)
      result.multiprocessors = valueOf(number);
  }
  return result;
}

std::optional<SmallLaunch> Instantiator::longLaunch(size_t loop,
                                                    int64_t count) {
  impl->beside = 0;
  impl->whole = true;
  impl->program = emptyProgram(impl->kernel, 1);
  std::vector<int64_t> wanted(impl->choices.size(), any);
  wanted[loop] = count;
  const bool found = impl->solve(wanted);
  impl->whole = false;
  if (!found)
    return std::nullopt;
  SmallLaunch result;
  for (const std::vector<int64_t> &values : impl->parameterValues)
    result.parameters.push_back(values[0]);
  return result;
}

std::vector<TriedLaunch> titan::longLaunches(KernelOp kernel) {
  Effort effort(bound::searchSteps);
  Instantiator instantiator(kernel, effort);
  std::vector<TriedLaunch> result;
  for (auto [number, choice] : llvm::enumerate(instantiator.survey()))
    if (choice.loop())
      if (auto launch =
              instantiator.longLaunch(number, 2 * bound::restsOfPeriod + 1))
        result.push_back(instantiator.describe(*launch));
  return result;
}

std::vector<TriedLaunch> titan::triedLaunches(KernelOp kernel) {
  Effort effort(bound::searchSteps);
  Instantiator instantiator(kernel, effort);
  instantiator.survey();
  std::vector<TriedLaunch> result;
  for (auto [least, most] :
       {std::pair(int64_t(1), bound::smallLaunch),
        std::pair(bound::smallLaunch + 1, bound::largerLaunch)})
    for (const SmallLaunch &launch : instantiator.launches(least, most))
      result.push_back(instantiator.describe(launch));
  return result;
}
