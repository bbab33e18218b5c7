//===- Alignment.cpp - where tensor copies begin --------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Alignment.h"

#include "titan/Analysis/TrailingZeros.h"
#include "titan/Target/Target.h"

#include "llvm/Support/MathExtras.h"

#include <optional>

using namespace mlir;
using namespace titan;
using namespace titan::checker;

int64_t checker::startUnit(const effect::Footprint &box,
                           std::optional<Mechanism> mechanism) {
  // Bulk copies of a tensor itself; of gfx942 words of 4 bytes.
  if (auto tensor = dyn_cast<GlobalType>(box.object.getType())) {
    int64_t bytes =
        mechanism && mechanismInfo(*mechanism).engine == Engine::VectorMemory
            ? 4
            : targetWith(Feature::BulkCopy).bulkAlignment;
    return std::max<int64_t>(1,
                             bytes / getElementBytes(tensor.getElementType()));
  }
  auto map = dyn_cast<TensorMapType>(box.object.getType());
  // Slices of channels are 16 or 32 bytes.
  if (!map || map.getInterleave())
    return 1;
  return std::max<int64_t>(1, 16 / getElementBytes(map.getElementType()));
}

SmallVector<std::pair<Operation *, int64_t>>
checker::findUnprovedStarts(KernelOp kernel) {
  SmallVector<std::pair<Operation *, int64_t>> unproved;
  TrailingZeros zeros(kernel, /*believe=*/true);
  kernel.getBody().walk([&](HardwareEffectsInterface op) {
    effect::EffectList effects;
    op.getHardwareEffects(effects);
    for (const effect::Effect &effect : effects) {
      auto *access = std::get_if<effect::Access>(&effect.what);
      if (!access || access->bytes.kind != effect::Footprint::Box)
        continue;
      int64_t unit = startUnit(access->bytes, access->mechanism);
      if (zeros.of(access->bytes.coords.back()) < llvm::Log2_64(unit))
        unproved.push_back({op, unit});
    }
  });
  return unproved;
}
