//===- TmaModel.h - One element at a time: what TMA tests compare with ----===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_UNITTESTS_DOMAIN_TMAMODEL_H
#define TITAN_UNITTESTS_DOMAIN_TMAMODEL_H

#include "titan/Domain/Tma.h"

#include <gtest/gtest.h>

namespace titan {

/// Bit k of an address.
inline int64_t bit(int64_t a, int k) { return (a >> k) & 1; }

/// docs/tma-facts.md 2.2, bit by bit.
inline int64_t swizzled(int mode, int64_t a) {
  auto flip = [&](int64_t value, int to, int from) {
    return value ^ (bit(a, from) << to);
  };
  switch (mode) {
  case 1:
    return flip(a, 4, 7);
  case 2:
    return flip(flip(a, 4, 7), 5, 8);
  case 3:
    return flip(flip(flip(a, 4, 7), 5, 8), 6, 9);
  case 4:
    return flip(flip(a, 5, 7), 6, 8);
  case 5:
    return flip(flip(flip(a, 5, 7), 6, 8), 3, 7);
  case 6:
    return flip(a, 6, 7);
  default:
    return a;
  }
}

/// What stands at a byte: nothing, a fill byte, or the byte of the other side.
struct Source {
  enum { Untouched, Fill, Data } kind = Untouched;
  int64_t at = 0; // Address on the other side, or the fill byte.
  bool operator==(const Source &) const = default;
};

/// The model. `bytes` are the destination's, from address `origin` on.
struct Model {
  int64_t origin = 0;
  std::vector<Source> bytes;
  int64_t transaction = 0;

  void write(int64_t address, Source source) {
    ASSERT_GE(address, origin);
    ASSERT_LT(address, origin + static_cast<int64_t>(bytes.size()));
    Source &slot = bytes[address - origin];
    ASSERT_EQ(slot.kind, Source::Untouched) << "written twice";
    slot = source;
  }
};

/// Executes a transfer on bytes, each with a value of its address, and compares
/// the destination with the model. Copies that change values are left out.
inline void expectApplied(const TmaTransfer &transfer, const Model &want) {
  bool load = transfer.direction() == TmaDirection::Load;
  int64_t low = INT64_MAX, high = INT64_MIN;
  for (const Source &s : want.bytes)
    if (s.kind == Source::Data) {
      low = std::min(low, s.at);
      high = std::max(high, s.at + 1);
    }
  if (transfer.rounds() || transfer.direction() == TmaDirection::Reduce ||
      low >= high || high - low > 1 << 20)
    return;
  auto value = [](int64_t address) {
    return static_cast<uint8_t>(uint64_t(address) * 0x9E3779B97F4A7C15u >> 56);
  };
  std::vector<uint8_t> from(high - low), to(want.bytes.size(), 0xCD);
  for (int64_t at = low; at < high; ++at)
    from[at - low] = value(at);
  TmaMemory source{from, static_cast<uint64_t>(low)},
      target{to, static_cast<uint64_t>(want.origin)};
  auto problem =
      load ? apply(transfer, target, source) : apply(transfer, source, target);
  ASSERT_FALSE(problem) << problem->message;
  for (size_t k = 0; k < to.size(); ++k) {
    const Source &s = want.bytes[k];
    ASSERT_EQ(to[k], s.kind == Source::Data   ? value(s.at)
                     : s.kind == Source::Fill ? static_cast<uint8_t>(s.at)
                                              : 0xCD)
        << "byte " << want.origin + static_cast<int64_t>(k);
  }
  // One byte less of the source, and nothing is moved.
  source.bytes = source.bytes.first(from.size() - 1);
  std::vector<uint8_t> before = to;
  problem =
      load ? apply(transfer, target, source) : apply(transfer, source, target);
  ASSERT_TRUE(problem);
  ASSERT_EQ(problem->code, "out-of-bounds");
  ASSERT_EQ(to, before);
}

/// Holds the function to the model.
inline void expectModel(const TensorMap &map, const TmaCopy &copy,
                        const TargetInfo &target, const Model &want) {
  auto transfer = TmaTransfer::make(map, copy, target);
  ASSERT_TRUE(bool(transfer)) << transfer.problem().message;
  Model got;
  got.origin = want.origin;
  got.bytes.resize(want.bytes.size());
  bool load = copy.direction == TmaDirection::Load;
  uint16_t pattern = transfer->fillPattern();
  int64_t moved = 0;
  transfer->forEachRun([&](const TmaRun &run) {
    ASSERT_GE(run.bytes, 1);
    ASSERT_EQ(run.sharedBytes, run.bytes);
    for (int64_t b = 0; b < run.bytes; ++b, ++moved) {
      int64_t shared = run.shared + b,
              global = static_cast<int64_t>(run.global) + b;
      if (load)
        got.write(shared, run.fill
                              ? Source{Source::Fill, shared % 2 ? pattern >> 8
                                                                : pattern & 255}
                              : Source{Source::Data, global});
      else
        got.write(global, {Source::Data, shared});
    }
  });
  ASSERT_EQ(transfer->transactionBytes(), want.transaction);
  if (load) {
    ASSERT_EQ(moved, want.transaction);
    ASSERT_EQ(transfer->sharedBytes().bytes(), moved);
  }
  if (got.bytes != want.bytes)
    for (size_t k = 0; k < got.bytes.size(); ++k)
      ASSERT_EQ(got.bytes[k], want.bytes[k])
          << "byte " << got.origin + static_cast<int64_t>(k) << " kind "
          << got.bytes[k].kind << " at " << got.bytes[k].at << ", want kind "
          << want.bytes[k].kind << " at " << want.bytes[k].at;
  // The sets are those of the model.
  ByteSet shared, global;
  for (size_t k = 0; k < want.bytes.size(); ++k) {
    int64_t here = want.origin + static_cast<int64_t>(k);
    const Source &s = want.bytes[k];
    if (s.kind == Source::Untouched)
      continue;
    (load ? shared : global).add(here, here + 1);
    if (s.kind == Source::Data)
      (load ? global : shared).add(s.at, s.at + 1);
  }
  ASSERT_EQ(transfer->sharedBytes(), shared);
  ASSERT_EQ(transfer->globalBytes(), global);
  expectApplied(*transfer, want);
}

} // namespace titan

#endif // TITAN_UNITTESTS_DOMAIN_TMAMODEL_H
