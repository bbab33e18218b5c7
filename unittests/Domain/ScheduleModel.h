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

#include <cstring>
#include <gtest/gtest.h>

namespace titan {

/// A schedule with constant extents, and the points that it visits. Elements
/// are 32 bits.
class ScheduleModel {
public:
  /// `tile`: the bulk leaves in the order of the image, outermost first.
  ScheduleModel(const TmaSchedule &s, std::vector<DomainId> tile)
      : s(s), tile(std::move(tile)) {
    const DomainGraph &g = s.graph;
    for (DomainId id = 0; id < g.size(); ++id)
      extent.push_back(*g[id].extent.constant());
    for (DomainId id : g.leaves())
      if (std::find(s.bulk.begin(), s.bulk.end(), id) == s.bulk.end())
        loops.push_back(id);
    for (const TmaGlobalDim &d : s.global)
      bytes += *d.stride.constant() * (extent[d.domain] - 1);
    bytes = (bytes + 4 + 63) / 64 * 64;
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

  /// By definition: no tile holds both a valid element and a hole with data.
  bool achievable() {
    do {
      bool valid = false, data = false;
      do {
        follow();
        bool isHole = hole();
        valid = valid || !isHole || padding();
        data = data || (isHole && inTensor());
      } while (step(tile));
      if (valid && data) {
        std::fill(at.begin(), at.end(), 0);
        return false;
      }
    } while (step(loops));
    return true;
  }

  /// Whether a tile with a valid element starts before the tensor.
  bool startsBefore() {
    do {
      bool before = false, valid = false;
      follow();
      for (const TmaGlobalDim &d : s.global)
        before = before || at[d.domain] < 0;
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

  TmaSchedule s;
  std::vector<DomainId> tile, loops;
  std::vector<int64_t> extent, at;
  int64_t bytes = 0; // From the tensor's first byte to behind its last.
  // Of run().
  int64_t transfers = 0, outside = 0, skipped = 0, holesWithData = 0,
          zeroHoles = 0; // Of weak loads, elements.

  static constexpr int64_t globalBase = 1 << 20, sharedBase = 1 << 16;
  static constexpr uint32_t canary = 0xCDCDCDCD, garbage = 0xABABABAB;

  /// Executes the lowering and compares with the points. Loads: each valid
  /// point has its element, with strong correctness each hole is zero, bytes
  /// counted are those expected. Stores: each valid element is written, nothing
  /// else of the tensor and of what lies around it.
  void run(const TmaLowering &low, const TargetInfo &target,
           Expr::Bindings values = {}) {
    values["address"] = globalBase;
    for (const LaunchCheck &check : low.checks)
      ASSERT_EQ(check.holds(values), Tri::Yes) << check.message;
    auto map = low.tensorMap(values);
    ASSERT_TRUE(map);
    bool load = s.direction == TmaDirection::Load;
    std::vector<uint32_t> global(bytes / 4 + 16, canary);
    auto word = [&](int64_t offset) -> uint32_t & {
      return global[offset / 4];
    };
    // Each element tells its offset.
    std::fill(at.begin(), at.end(), 0);
    std::vector<DomainId> roots;
    for (const TmaGlobalDim &d : s.global)
      roots.push_back(d.domain);
    do
      word(offset()) = 0x1000000 + static_cast<uint32_t>(offset());
    while (step(roots));
    std::vector<uint32_t> want = global;
    std::fill(at.begin(), at.end(), 0);

    std::vector<TmaLoop> boxes;
    for (const TmaLoop &loop : low.loops)
      if (loop.ofBoxes)
        boxes.push_back(loop);
    int64_t words = low.imageBytes / 4, pad = 64;
    std::vector<uint32_t> shared(low.bufferBytes / 4 + 2 * pad);
    auto sharedWord = [&](int64_t address) -> uint32_t & {
      return shared.at(static_cast<size_t>((address - sharedBase) / 4 + pad));
    };
    do {
      // The tile's place in the buffer.
      int64_t place = 0;
      std::vector<int64_t> leavesAt = at;
      follow();
      for (DomainId id : s.shared)
        if (std::find(s.bulk.begin(), s.bulk.end(), id) == s.bulk.end())
          place = place * extent[id] + at[id];
      place *= words;
      at = leavesAt;
      std::fill(shared.begin(), shared.end(), canary);
      if (!load) {
        int64_t k = 0;
        do {
          follow();
          uint32_t &staged = sharedWord(imageAddress(place * 4, k++));
          staged =
              hole() ? garbage : 0x2000000 + static_cast<uint32_t>(offset());
          if (!hole())
            want[offset() / 4] = staged;
        } while (step(tile));
        at = leavesAt;
      }
      for (DomainId id : loops)
        values[lower(s.graph[id].name)] = at[id];
      std::vector<int64_t> box(boxes.size(), 0);
      while (true) {
        for (size_t k = 0; k < boxes.size(); ++k)
          values[boxes[k].index] = box[k];
        auto copy = low.copyAt(values, sharedBase);
        if (copy) {
          auto transfer = TmaTransfer::make(*map, *copy, target);
          ASSERT_TRUE(bool(transfer)) << transfer.problem().message;
          ++transfers;
          bool isOutside = !low.outside.empty() && copy->coords == low.outside;
          outside += isOutside;
          if (load)
            ASSERT_EQ(transfer->transactionBytes(),
                      isOutside ? low.elseBytes : low.thenBytes);
          transfer->forEachRun([&](const TmaRun &run) {
            for (int64_t b = 0; b < run.bytes; b += 4) {
              int64_t g = static_cast<int64_t>(run.global) + b - globalBase;
              if (load)
                sharedWord(run.shared + b) = run.fill ? 0 : word(g);
              else if (g < bytes)
                word(g) = sharedWord(run.shared + b);
            }
          });
        } else {
          ++skipped;
          ASSERT_EQ(low.otherwise, TmaElse::Skip);
          ASSERT_EQ(low.elseBytes, 0);
        }
        size_t k = box.size();
        while (k-- > 0 && ++box[k] == *boxes[k].extent.evaluate(values))
          box[k] = 0;
        if (k == static_cast<size_t>(-1))
          break;
      }
      if (load) {
        int64_t k = 0;
        at = leavesAt;
        do {
          follow();
          uint32_t &got = sharedWord(imageAddress(place * 4, k++));
          if (!hole())
            ASSERT_EQ(got, 0x1000000 + static_cast<uint32_t>(offset()));
          else if (s.wanted == Correctness::Strong || padding())
            ASSERT_EQ(got, 0u) << "a hole";
          else if (got == 0)
            ++zeroHoles;
          else
            holesWithData += got != canary;
          got = canary;
        } while (step(tile));
        for (uint32_t w : shared)
          ASSERT_EQ(w, canary) << "outside of the tile";
        at = leavesAt;
      }
    } while (step(loops));
    if (!load)
      compareStored(global, want);
  }

private:
  /// The address of the tile's element k, by the rows and panels of the
  /// swizzle.
  int64_t imageAddress(int64_t place, int64_t k) const {
    if (s.swizzle->span == 0)
      return sharedBase + place + k * 4;
    int64_t inner = extent[tile.back()], span = s.swizzle->span / 4;
    int64_t row = k / inner, column = k % inner, all = 1;
    for (DomainId id : tile)
      all *= extent[id];
    int64_t panel = column / span;
    int64_t a = sharedBase + place +
                (panel * (all / inner) + row) * s.swizzle->span +
                column % span * 4;
    return s.swizzle->apply(static_cast<uint32_t>(a));
  }
  static std::string lower(std::string name) {
    for (char &c : name)
      c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name;
  }
  /// Rows may be written to the next 16 bytes where the schedule allows it.
  void compareStored(const std::vector<uint32_t> &got,
                     std::vector<uint32_t> &want) {
    for (size_t k = 0; k < want.size(); ++k)
      if (got[k] != want[k]) {
        ASSERT_TRUE(s.tailIsPadding && want[k] == canary) << "word " << k;
      }
  }
};

} // namespace titan

#endif // TITAN_UNITTESTS_DOMAIN_SCHEDULEMODEL_H
