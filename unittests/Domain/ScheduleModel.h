//===- ScheduleModel.h - Schedules executed on bytes ------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a schedule means, by walking over its points with arithmetic of its own,
// and what its lowering does, by TmaTransfer on an image of bytes.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_UNITTESTS_DOMAIN_SCHEDULEMODEL_H
#define TITAN_UNITTESTS_DOMAIN_SCHEDULEMODEL_H

#include "titan/Domain/Tma.h"
#include "titan/Domain/TmaSchedule.h"

#include <array>
#include <cstring>
#include <gtest/gtest.h>

namespace titan {

/// The code of a refusal; empty for a schedule that can be lowered.
inline std::string codeOf(const Result<TmaLowering> &low) {
  return low ? "" : low.problem().code;
}

/// A schedule with constant extents and strides, and the points that it visits.
class ScheduleModel {
public:
  /// `tile`: the bulk leaves in the order of the image, outermost first.
  ScheduleModel(const TmaSchedule &s, std::vector<DomainId> tile)
      : s(s), tile(std::move(tile)), element(s.type->bits / 8) {
    const DomainGraph &g = s.graph;
    for (DomainId id = 0; id < g.size(); ++id)
      extent.push_back(*g[id].extent.constant());
    for (DomainId id : g.leaves())
      if (std::find(s.bulk.begin(), s.bulk.end(), id) == s.bulk.end())
        loops.push_back(id);
    for (const TmaGlobalDim &d : s.global)
      bytes += *d.stride.constant() * (extent[d.domain] - 1);
    bytes = (bytes + element + 63) / 64 * 64;
    at.assign(extent.size(), 0);
  }

  /// Indices of all domains from those of the leaves, towards the roots.
  void follow() {
    const auto &exprs = s.graph.exprs();
    for (size_t k = exprs.size(); k-- > 0;) {
      const DomainExpr &e = exprs[k];
      DomainId a = e.in[0], b = e.in[1], p = e.out[0], q = e.out[1];
      switch (e.kind) {
      case DomainExpr::Kind::Split:
        at[a] = at[p] * extent[q] + at[q];
        break;
      case DomainExpr::Kind::Merge:
        at[a] = euclidDiv(at[p], extent[b]);
        at[b] = euclidMod(at[p], extent[b]);
        break;
      case DomainExpr::Kind::Resize:
        at[a] = at[p] - e.left;
        break;
      case DomainExpr::Kind::Swizzle:
        at[a] = at[p];
        at[b] = at[q] ^ at[p];
        break;
      case DomainExpr::Kind::Window:
        at[a] = at[p] * e.stride + at[q] * e.dilation;
        break;
      }
    }
  }
  bool hole() const {
    for (size_t id = 0; id < at.size(); ++id)
      if (at[id] < 0 || at[id] >= extent[id])
        return true;
    return false;
  }
  /// Whether the point is an element that windows slide over but that a resize
  /// added: its value is the fill, whatever the correctness is.
  bool padding() const {
    bool slides = false;
    std::vector<bool> resized(at.size(), false);
    for (const DomainExpr &e : s.graph.exprs()) {
      slides = slides || e.kind == DomainExpr::Kind::Window;
      resized[e.in[0]] = e.kind == DomainExpr::Kind::Resize;
    }
    if (!slides)
      return false;
    for (size_t id = 0; id < at.size(); ++id)
      if (!resized[id] && (at[id] < 0 || at[id] >= extent[id]))
        return false;
    return !inTensor();
  }
  /// Whether the element lies in the tensor, hole or not.
  bool inTensor() const {
    for (const TmaGlobalDim &d : s.global)
      if (at[d.domain] < 0 || at[d.domain] >= extent[d.domain])
        return false;
    return true;
  }
  int64_t offset() const {
    int64_t sum = 0;
    for (const TmaGlobalDim &d : s.global)
      sum += at[d.domain] * *d.stride.constant();
    return sum;
  }
  /// Steps the indices of `ids`, the last one fastest; false: from the start.
  bool step(const std::vector<DomainId> &ids) {
    for (size_t k = ids.size(); k-- > 0;) {
      if (++at[ids[k]] < extent[ids[k]])
        return true;
      at[ids[k]] = 0;
    }
    return false;
  }

  /// By definition: no tile holds both a valid element and a hole with data. A
  /// hole has data where all of `map`, the dimensions of the map, are in
  /// bounds.
  bool achievable(const std::vector<DomainId> &map) {
    auto data = [&] {
      return std::all_of(map.begin(), map.end(), [&](DomainId id) {
        return at[id] >= 0 && at[id] < extent[id];
      });
    };
    do {
      bool someValid = false, someData = false;
      do {
        follow();
        bool isHole = hole(), valid = !isHole || padding();
        someValid = someValid || valid;
        someData = someData || (isHole && data());
      } while (step(tile) && !(someValid && someData));
      if (someValid && someData) {
        std::fill(at.begin(), at.end(), 0);
        return false;
      }
    } while (step(loops));
    return true;
  }
  /// Of the map that is the tensor.
  bool achievable() {
    std::vector<DomainId> map;
    for (const TmaGlobalDim &d : s.global)
      map.push_back(d.domain);
    return achievable(map);
  }

  /// Whether a tile starts where the innermost coordinate is no multiple of 16
  /// bytes.
  bool misaligned() {
    bool some = false;
    do {
      follow();
      some = some || at[s.global.back().domain] * element % 16 != 0;
    } while (step(loops));
    return some;
  }

  /// Whether a tile with a valid element starts at a negative coordinate of a map
  /// of these dimensions.
  bool startsBefore(const std::vector<DomainId> &map) {
    do {
      bool before = false, valid = false;
      follow();
      for (DomainId id : map)
        before = before || at[id] < 0;
      do {
        follow();
        valid = valid || (before && !hole());
      } while (step(tile));
      if (valid) {
        std::fill(at.begin(), at.end(), 0);
        return true;
      }
    } while (step(loops));
    return false;
  }
  /// Of the map that is the tensor.
  bool startsBefore() {
    std::vector<DomainId> map;
    for (const TmaGlobalDim &d : s.global)
      map.push_back(d.domain);
    return startsBefore(map);
  }

  TmaSchedule s;
  std::vector<DomainId> tile, loops;
  int64_t element; // Bytes.
  std::vector<int64_t> extent, at;
  int64_t bytes = 0; // From the tensor's first byte to behind its last.
  // Of run().
  int64_t transfers = 0, outside = 0, skipped = 0, holesWithData = 0,
          zeroHoles = 0; // Of weak loads, elements.

  static constexpr int64_t globalBase = 1 << 20, sharedBase = 1 << 16;
  static constexpr uint8_t canary = 0xCD, garbage = 0xD7;

  /// What byte `offset` of the tensor holds, and what a store puts there: never
  /// zero, canary or garbage.
  static uint8_t before(int64_t offset) {
    return static_cast<uint8_t>(1 +
                                (uint64_t(offset) * 2654435761u >> 13) % 197);
  }
  static uint8_t after(int64_t offset) {
    return static_cast<uint8_t>(before(offset) % 197 + 1);
  }

  /// Executes the lowering and compares with the points. Loads: each valid
  /// point has its element, with strong correctness each hole is zero, bytes
  /// counted are those expected. Stores: each valid element is written, nothing
  /// else of the tensor and of what lies around it.
  void run(const TmaLowering &low, const TargetInfo &target,
           Expr::Bindings values = {}) {
    values[tmaAddressSymbol] = globalBase;
    for (const LaunchCheck &check : low.checks)
      ASSERT_EQ(check.holds(values), Tri::Yes) << check.message;
    bool load = s.direction == TmaDirection::Load;
    std::vector<uint8_t> global(static_cast<size_t>(bytes) + 64, canary);
    // Each element tells its offset.
    std::fill(at.begin(), at.end(), 0);
    std::vector<DomainId> roots;
    for (const TmaGlobalDim &d : s.global)
      roots.push_back(d.domain);
    do
      for (int64_t b = 0, o = offset(); b < element; ++b)
        global[o + b] = before(o + b);
    while (step(roots));
    std::vector<uint8_t> want = global;
    std::fill(at.begin(), at.end(), 0);

    constexpr int64_t pad = 256;
    std::vector<uint8_t> shared(low.bufferBytes + 2 * pad);
    auto image = [&](int64_t address, int64_t count) -> uint8_t * {
      int64_t from = address - sharedBase + pad;
      EXPECT_TRUE(from >= 0 &&
                  from + count <= static_cast<int64_t>(shared.size()))
          << "outside of the buffer";
      return shared.data() + from;
    };
    do {
      // The tile's place in the buffer.
      int64_t place = 0;
      std::vector<int64_t> leavesAt = at;
      follow();
      for (DomainId id : s.shared)
        if (std::find(s.bulk.begin(), s.bulk.end(), id) == s.bulk.end())
          place = s.ring.count(id)
                      ? place * s.ring.at(id) + at[id] % s.ring.at(id)
                      : place * extent[id] + at[id];
      place *= low.imageBytes;
      at = leavesAt;
      std::fill(shared.begin(), shared.end(), canary);
      if (!load) {
        int64_t k = 0;
        do {
          follow();
          uint8_t *staged = image(imageAddress(place, k++), element);
          bool isHole = hole();
          for (int64_t b = 0, o = offset(); b < element; ++b) {
            staged[b] = isHole ? garbage : after(o + b);
            if (!isHole)
              want[o + b] = staged[b];
          }
        } while (step(tile));
        at = leavesAt;
      }
      for (DomainId id : loops)
        values[lower(s.graph[id].name)] = at[id];
      int64_t boxesSeen = 0;
      for (const TmaLowering *part : low.parts()) {
        auto map = part->tensorMap(values);
        ASSERT_TRUE(map);
        std::vector<TmaLoop> boxes;
        for (const TmaLoop &loop : part->loops)
          if (loop.ofBoxes)
            boxes.push_back(loop);
        std::vector<int64_t> box(boxes.size(), 0);
        while (true) {
          for (size_t k = 0; k < boxes.size(); ++k)
            values[boxes[k].index] = box[k];
          ++boxesSeen;
          auto copy = part->copyAt(values, sharedBase);
          if (copy) {
            auto transfer = TmaTransfer::make(*map, *copy, target);
            ASSERT_TRUE(bool(transfer)) << transfer.problem().message;
            ++transfers;
            bool isOutside =
                !part->outside.empty() && copy->coords == part->outside;
            outside += isOutside;
            if (load)
              ASSERT_EQ(transfer->transactionBytes(),
                        isOutside ? part->elseBytes : part->thenBytes);
            transfer->forEachRun([&](const TmaRun &run) {
              int64_t g = static_cast<int64_t>(run.global) - globalBase;
              auto count = static_cast<size_t>(run.bytes);
              uint8_t *to = image(run.shared, run.bytes);
              if (load && run.fill)
                std::memset(to, 0, count);
              else if (load)
                std::memcpy(to, global.data() + g, count);
              else
                std::memcpy(global.data() + g, to, count);
            });
          } else {
            ++skipped;
            ASSERT_EQ(part->otherwise, TmaElse::Skip);
            ASSERT_EQ(part->elseBytes, 0);
          }
          size_t k = box.size();
          while (k-- > 0 && ++box[k] == *boxes[k].extent.evaluate(values))
            box[k] = 0;
          if (k == static_cast<size_t>(-1))
            break;
        }
      }
      ASSERT_EQ(boxesSeen, low.boxesOfTile());
      if (load) {
        int64_t k = 0;
        at = leavesAt;
        const std::array<uint8_t, 16> zero = {};
        do {
          follow();
          uint8_t *got = image(imageAddress(place, k++), element);
          if (!hole()) {
            for (int64_t b = 0, o = offset(); b < element; ++b)
              ASSERT_EQ(got[b], before(o + b)) << "byte " << o + b;
          } else {
            bool isZero = std::memcmp(got, zero.data(), element) == 0;
            if (s.wanted == Correctness::Strong || padding())
              ASSERT_TRUE(isZero) << "a hole";
            else if (isZero)
              ++zeroHoles;
            else
              holesWithData += *got != canary;
          }
          std::fill(got, got + element, canary);
        } while (step(tile));
        ASSERT_EQ(std::count(shared.begin(), shared.end(), canary),
                  static_cast<int64_t>(shared.size()))
            << "outside of the tile";
        at = leavesAt;
      }
    } while (step(loops));
    // Rows may be written to the next 16 bytes where the schedule allows it.
    for (size_t k = 0; !load && k < want.size(); ++k)
      if (global[k] != want[k])
        ASSERT_TRUE(s.tailIsPadding && want[k] == canary) << "byte " << k;
  }

private:
  /// The address of the tile's element k, by the rows and panels of the
  /// swizzle.
  int64_t imageAddress(int64_t place, int64_t k) const {
    if (s.swizzle->span == 0)
      return sharedBase + place + k * element;
    int64_t inner = extent[tile.back()], span = s.swizzle->span / element;
    int64_t row = k / inner, column = k % inner, all = 1;
    for (DomainId id : tile)
      all *= extent[id];
    int64_t panel = column / span;
    int64_t a = sharedBase + place +
                (panel * (all / inner) + row) * s.swizzle->span +
                column % span * element;
    return s.swizzle->apply(static_cast<uint32_t>(a));
  }
  static std::string lower(std::string name) {
    for (char &c : name)
      c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name;
  }
};

/// What is told of a launch that breaks tma-strong: there is a tile that mixes
/// exactly then, and the check has an example whatever the sizes are.
inline void expectTold(const TmaLowering &low, const Expr::Bindings &launch) {
  bool strong = false;
  for (const LaunchCheck &check : low.checks) {
    if (check.code != Code::TmaStrong || check.holds(launch) != Tri::No)
      continue;
    strong = true;
    EXPECT_NE(check.example, "") << check.atLeastZero.str();
  }
  auto told = low.mixedTile(launch);
  EXPECT_EQ(told.has_value(), strong)
      << low.graph.str() << (told ? *told : std::string());
  for (const TmaViolation &broken : low.brokenChecks(launch))
    if (broken.code == Code::TmaStrong && told)
      EXPECT_TRUE(broken.message.ends_with(*told)) << broken.message;
}

} // namespace titan

#endif // TITAN_UNITTESTS_DOMAIN_SCHEDULEMODEL_H
