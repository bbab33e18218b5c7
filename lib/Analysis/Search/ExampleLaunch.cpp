//===- ExampleLaunch.cpp - the launch that titan.example says -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who wrote a kernel says by titan.example what it is run on: small sizes, and data,
// that come to all of its text. What no launch made of tried sizes executes, this
// one may.
//
//===----------------------------------------------------------------------===//
#include "Interpreter.h"

#include "Bounds.h"

#include "titan/Dialect/Titan/Example.h"
#include "titan/Runtime/Data.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

/// Of each dimension; empty: the example does not say.
static std::vector<int64_t> shapeOf(const Example &example,
                                    const Example::Argument &argument) {
  std::vector<int64_t> shape;
  if (argument.shape)
    for (StringRef word : llvm::split(*argument.shape, 'x'))
      shape.push_back(example.sizeOf(word));
  return shape;
}

/// An element of a tensor of integers; none: its data is a file's, or none is said.
static std::optional<int64_t> elementOf(const Example::Argument &argument,
                                        Type type, int64_t index) {
  auto generator =
      argument.value ? runtime::parseGenerator(*argument.value) : std::nullopt;
  auto element = dyn_cast<IntegerType>(type);
  if (!generator || !element || element.getWidth() % 8 ||
      element.getWidth() > 64)
    return std::nullopt;
  auto stored = runtime::parseDType("i" + std::to_string(element.getWidth()));
  if (!stored)
    return std::nullopt;
  uint64_t bits = 0; // Little endian.
  runtime::generate(*generator, *stored, index, 1, &bits);
  return llvm::SignExtend64(bits, element.getWidth());
}

std::optional<SmallLaunch> Instantiator::exampleLaunch() const {
  KernelOp kernel = impl->kernel;
  if (!kernel->getDiscardableAttr("titan.example"))
    return std::nullopt;
  FailureOr<Example> read = readExample(kernel);
  if (failed(read)) // The verifier has said so.
    return std::nullopt;
  auto example = std::make_shared<Example>(std::move(*read));
  impl->program = emptyProgram(kernel, 1);
  impl->whole = false;
  impl->resetParameters(false);
  std::vector<std::vector<int64_t>> shapes;
  for (auto [number, argument] :
       llvm::enumerate(kernel.getLaunch().getArguments())) {
    const Example::Argument &said =
        example
            ->arguments[cast<StringAttr>(kernel.getArgNames()[number]).str()];
    shapes.push_back(shapeOf(*example, said));
    auto known = impl->launchNumbers.find(argument);
    auto value = dyn_cast_or_null<IntegerAttr>(said.scalar);
    if (!value || known == impl->launchNumbers.end())
      continue;
    // (One that titan.require makes equal to others follows from them.)
    const uint32_t symbol = known->second.symbol;
    if (symbol && impl->symbols.node(symbol).code == Arith::None)
      impl->setParameter(impl->symbols.parameterOf(symbol),
                         value.getType().isInteger(1)
                             ? value.getValue().getZExtValue()
                             : value.getValue().getSExtValue());
  }
  for (auto [number, parameter] : llvm::enumerate(impl->parameters)) {
    if (parameter.kind == Impl::Parameter::Size &&
        !shapes[parameter.tensor].empty())
      impl->setParameter(number, shapes[parameter.tensor][parameter.dimension]);
    if (parameter.kind == Impl::Parameter::Multiprocessors &&
        example->multiprocessors)
      impl->setParameter(number, *example->multiprocessors);
  }
  std::optional<SmallLaunch> launch = impl->launchOfParameters();
  if (!launch || launch->clusters > bound::farthestCluster)
    return std::nullopt;
  launch->name = "of titan.example, " + impl->nameOf(*launch);
  launch->data = [kernel, example, shapes](
                     unsigned tensor, int64_t place) -> std::optional<int64_t> {
    KernelOp of = kernel;
    auto type = cast<GlobalType>(of.getLaunch().getArgument(tensor).getType());
    // From rows of bound::dataPitch to those that there are.
    int64_t index = 0, below = 1;
    for (int64_t d = type.getRank(); d-- > 0; place /= bound::dataPitch) {
      index += (d ? place % bound::dataPitch : place) * below;
      below *= shapes[tensor].empty() ? type.getShape()[d] : shapes[tensor][d];
    }
    return elementOf(
        example->arguments
            .find(cast<StringAttr>(of.getArgNames()[tensor]).getValue())
            ->second,
        type.getElementType(), index);
  };
  return launch;
}
