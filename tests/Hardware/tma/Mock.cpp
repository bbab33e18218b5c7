//===- Mock.cpp - The function in the place of hardware -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiled copies go through the 128 bytes. What the function refuses is a fault
// with code 1; so the programs run without a GPU and are tested themselves.
//
//===----------------------------------------------------------------------===//
#include "Cases.h"

#include <cstdio>

using namespace titan;
using namespace titan::hw;

namespace {

class Mock : public Device {
public:
  std::string name() const override { return "mock"; }
  uint32_t sharedBase() const override { return 1024; }
  uint64_t globalBase() const override { return uint64_t(1) << 40; }

  int encode(const TensorMap &map, TmaDescriptor &bits) override {
    bits = encodeDescriptor(map);
    return !validate(map, targetInfo(TargetId::Sm90a)).empty();
  }

  Outcome run(const Job &job, Memory &memory) override {
    Outcome outcome;
    TensorMap map = job.map;
    if (job.bits) {
      map = *decodeDescriptor(*job.bits);
    } else {
      TmaDescriptor bits;
      if ((outcome.error = encode(map, bits))) {
        outcome.refused = true;
        return outcome;
      }
      if (map.mode != TmaMode::Im2colWide)
        map = *decodeDescriptor(bits);
    }
    Prediction said = predict(map, job.copy, *this, memory);
    if (said.problem) {
      std::fprintf(stderr, "mock: %s: %s\n", said.problem->code.c_str(),
                   said.problem->message.c_str());
      outcome.error = 1;
      return outcome;
    }
    bool load = job.copy.direction == TmaDirection::Load;
    outcome.raw = load ? said.transaction : 0;
    outcome.counted = !load || said.transaction == job.expect;
    return outcome;
  }

  int replace(TmaDescriptor &bits, const std::vector<Replace> &steps) override {
    for (const Replace &step : steps)
      replaceField(bits, step.field, step.ordinal, step.value);
    return 0;
  }

  Bulk bulk(uint32_t bytes) override {
    int64_t moved = (bytes >> 4) % 65536 * 16;
    return {0, moved, moved};
  }
};

} // namespace

std::unique_ptr<Device> titan::hw::openMock() {
  return std::make_unique<Mock>();
}
