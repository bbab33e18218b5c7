//===- InitialValues.cpp - what tensors hold at the launch ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Dialect/Titan/InitialValues.h"

#include "titan/Dialect/Titan/Effects.h"

using namespace mlir;
using namespace titan;

static constexpr StringRef attributeName = "titan.initial";

std::optional<int64_t> titan::getInitialValue(KernelOp kernel,
                                              unsigned argument) {
  if (auto all = kernel->getAttrOfType<DictionaryAttr>(attributeName))
    if (auto value = all.getAs<IntegerAttr>(
            cast<StringAttr>(kernel.getArgNames()[argument])))
      return value.getValue().getSExtValue();
  // A flag starts at 0 (MM-26).
  Value tensor = kernel.getBody().getArgument(argument);
  WalkResult waits = kernel.getBody().walk([&](HardwareEffectsInterface op) {
    effect::EffectList effects;
    op.getHardwareEffects(effects);
    for (const effect::Effect &each : effects)
      if (auto *wait = std::get_if<effect::WaitFlag>(&each.what);
          wait && wait->flag.object == tensor)
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return waits.wasInterrupted() ? std::optional<int64_t>(0) : std::nullopt;
}

LogicalResult titan::verifyInitialValues(KernelOp kernel) {
  Attribute given = kernel->getAttr(attributeName);
  if (!given)
    return success();
  auto all = dyn_cast<DictionaryAttr>(given);
  if (!all)
    return kernel.emitOpError("[kernel-initial] `titan.initial` lists "
                              "tensors and numbers: {flags = 0}");
  for (NamedAttribute each : all) {
    auto names = kernel.getArgNames();
    auto name = llvm::find(names, Attribute(each.getName()));
    auto tensor =
        name == names.end()
            ? GlobalType()
            : dyn_cast<GlobalType>(
                  cast<TypeAttr>(kernel.getArgTypes()[name - names.begin()])
                      .getValue());
    auto element =
        tensor ? dyn_cast<IntegerType>(tensor.getElementType()) : IntegerType();
    if (!element)
      return kernel.emitOpError("[kernel-initial] no tensor of integers is "
                                "called ")
             << each.getName();
    auto value = dyn_cast<IntegerAttr>(each.getValue());
    if (!value || !value.getType().isSignlessInteger() ||
        value.getType().isInteger(1) ||
        !value.getValue().isSignedIntN(std::min(64u, element.getWidth())))
      return kernel.emitOpError("[kernel-initial] ")
             << each.getName() << ": a number of " << element << ", not "
             << each.getValue();
  }
  return success();
}
