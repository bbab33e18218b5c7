//===- Overlap.cpp - copies within one buffer -----------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy from shared memory to shared memory of the same CTA loads and stores
// piece after piece: where both regions share bytes it would load what it has
// stored. Two places of one allocation, of 8 rows each:
//
//     %t[0, 0]  and %t[8, 0]        apart: rows 0 to 7, and 8 to 15
//     %t[%i, 0] and %t[%i + 8, 0]   apart, whatever %i is
//     %t[0, 0]  and %t[1, 0]        share rows 1 to 7
//     slots %i and %j of a ring     apart, or one tile, which stays as it is
//     %t[%i, 0] and %t[%j, 0]       not known: declined, too
//
// Of peers' memory, too, where both may be of one CTA: 1 - rank in a cluster of two
// is another's than rank, a loop's counter may be anyone's.
//
//===----------------------------------------------------------------------===//
#include "Building.h"

#include "titan/Dialect/Titan/Effects.h"
#include "titan/Layout/ByteSet.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace titan;
using namespace titan::dispatch;

namespace {
/// Where a buffer begins: `offset` bytes and as many strides as each index says
/// behind the beginning of `base`.
struct Beginning {
  Value base;
  Value rank; ///< whose memory it is; null: the CTA's own
  int64_t offset = 0;
  struct Term {
    Value index;
    int64_t stride, slots;
    bool operator==(const Term &) const = default;
  };
  SmallVector<Term> terms;
};
enum class Sharing { None, Same, Some, Unknown };
} // namespace

/// The value in the CTA of rank `own`; null: other things decide it.
static Attribute valueIn(Value value, int64_t own,
                         DenseMap<Value, Attribute> &known) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  auto compute = [&]() -> Attribute {
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumResults() != 1)
      return {};
    if (isa<ClusterRankOp>(op))
      return IntegerAttr::get(value.getType(), own);
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands())
      operands.push_back(valueIn(operand, own, known));
    SmallVector<OpFoldResult> results;
    if (llvm::is_contained(operands, Attribute()) ||
        failed(op->fold(operands, results)) || results.size() != 1)
      return {};
    if (auto operand = dyn_cast<Value>(results.front()))
      return known.lookup(operand);
    return cast<Attribute>(results.front());
  };
  return known[value] = compute();
}

/// Whether two ranks may be one; null: the CTA's own.
static bool mayBeOne(Value a, Value b, int64_t clusterSize) {
  if (a == b)
    return true;
  for (int64_t own = 0; own < clusterSize; ++own) {
    DenseMap<Value, Attribute> known;
    auto number = [&](Value rank) -> std::optional<int64_t> {
      if (!rank)
        return own;
      auto of = dyn_cast_or_null<IntegerAttr>(valueIn(rank, own, known));
      return of ? std::optional(of.getInt()) : std::nullopt;
    };
    auto x = number(a), y = number(b);
    if (!x || !y || x == y)
      return true;
  }
  return false;
}

static Beginning beginningOf(Value memory, Value rank) {
  Beginning at;
  at.rank = rank;
  while (auto view = memory.getDefiningOp<ViewOpInterface>()) {
    effect::View of = view.getView();
    if (!of.source)
      break;
    if (of.rank)
      at.rank = of.rank;
    at.offset += of.offset;
    if (auto number = constantOf(of.index))
      at.offset += *number * of.stride;
    else if (of.index)
      at.terms.push_back({of.index, of.stride, of.slots});
    memory = of.source;
  }
  at.base = memory;
  return at;
}

/// The numbers of bytes from one beginning to the other that there may be; none:
/// not known.
static std::optional<SmallVector<int64_t>> distances(Beginning from,
                                                     Beginning to) {
  for (size_t n = 0; n < from.terms.size();)
    if (auto *same = llvm::find(to.terms, from.terms[n]);
        same != to.terms.end()) {
      to.terms.erase(same);
      from.terms.erase(from.terms.begin() + n);
    } else {
      ++n;
    }
  SmallVector<int64_t> list{to.offset - from.offset};
  for (Beginning *side : {&from, &to})
    for (const Beginning::Term &term : side->terms) {
      if (!term.slots || list.size() * term.slots > 4096)
        return std::nullopt;
      SmallVector<int64_t> all;
      for (int64_t distance : list)
        for (int64_t slot = 0; slot < term.slots; ++slot)
          all.push_back(distance + (side == &to ? slot : -slot) * term.stride);
      list = std::move(all);
    }
  return list;
}

/// "%i + 8": %i and 8; a constant: null and itself.
static std::pair<Value, int64_t> sumOf(Value value) {
  int64_t constant = 0;
  while (value) {
    if (auto number = constantOf(value))
      return {Value(), constant + *number};
    auto sum = value.getDefiningOp<arith::AddIOp>();
    if (!sum)
      break;
    if (auto right = constantOf(sum.getRhs())) {
      constant += *right;
      value = sum.getLhs();
    } else if (auto left = constantOf(sum.getLhs())) {
      constant += *left;
      value = sum.getRhs();
    } else {
      break;
    }
  }
  return {value, constant};
}

/// Of two regions of one buffer, in one layout that sends no two elements to one
/// byte.
static Sharing inOneLayout(const CopyPlaces &places) {
  if (places.source.offsets.empty() && places.target.offsets.empty())
    return Sharing::Same;
  bool known = true, same = true;
  SmallVector<int64_t> extents = places.extentsIn(places.source);
  for (auto [d, extent] : llvm::enumerate(extents)) {
    auto offset = [d = d](const CopyPlace &place) {
      return sumOf(place.offsets.empty() ? Value() : place.offsets[d]);
    };
    auto [from, low] = offset(places.source);
    auto [to, high] = offset(places.target);
    if (from != to) {
      known = same = false;
      continue;
    }
    if (std::abs(high - low) >= extent)
      return Sharing::None;
    same &= high == low;
  }
  return same ? Sharing::Same : known ? Sharing::Some : Sharing::Unknown;
}

/// The bytes of a region; all of the buffer's, and that they are more, where only
/// the program knows where it begins.
static std::pair<ByteSet, bool> bytesOf(const CopyPlaces &places,
                                        const CopyPlace &place) {
  SmallVector<int64_t> first;
  for (Value offset : place.offsets) {
    auto known = constantOf(offset);
    if (!known)
      return {
          ByteSet(0, cast<SharedType>(place.memory.getType()).getTileBytes()),
          true};
    first.push_back(*known);
  }
  SmallVector<int64_t> extents = places.extentsIn(place);
  first.resize(extents.size(), 0);
  int64_t bytes = getElementBytes(places.elementType);
  std::vector<ByteSet::Interval> intervals;
  for (int64_t n = 0, count = places.elements(); n < count; ++n) {
    Coord at(static_cast<int>(first.size()));
    int64_t rest = n;
    for (size_t d = extents.size(); d-- > 0; rest /= extents[d])
      at[d] = first[d] + rest % extents[d];
    int64_t begin = place.layout->apply(at)[0];
    intervals.push_back({begin, begin + bytes});
  }
  return {ByteSet::of(std::move(intervals)), false};
}

static Sharing sharingOf(const CopyRequest &request) {
  const CopyPlaces &places = *request.places;
  const CopyPlace &source = places.source, &target = places.target;
  // A copy from a peer: its rank is the source's.
  Beginning from = beginningOf(source.memory, request.rank),
            to = beginningOf(target.memory, Value());
  if (from.base != to.base ||
      !mayBeOne(from.rank, to.rank, request.getKernel().getClusterSize()))
    return Sharing::None;
  auto apart = distances(from, to);
  if (!apart)
    return Sharing::Unknown;
  bool alike = source.shape == target.shape && *source.layout == *target.layout;
  Sharing worst = Sharing::None;
  std::optional<std::pair<ByteSet, bool>> read, written;
  for (int64_t distance : *apart) {
    Sharing here = Sharing::None;
    if (alike && distance == 0 && source.layout->isInjective()) {
      here = inOneLayout(places);
    } else {
      if (!read) {
        read = bytesOf(places, source);
        written = bytesOf(places, target);
      }
      if (read->first.intersects(written->first.shifted(distance)))
        here =
            read->second || written->second ? Sharing::Unknown : Sharing::Some;
    }
    if (here == Sharing::Some && apart->size() > 1)
      here = Sharing::Unknown;
    worst = std::max(worst, here);
  }
  return worst;
}

CopyPredicate dispatch::staysApart() {
  return {"apart",
          [](const CopyRequest &request) -> std::optional<std::string> {
            const CopyPlaces &places = *request.places;
            if (!places.source.isShared() || !places.target.isShared())
              return std::nullopt;
            Sharing sharing = sharingOf(request);
            if (sharing == Sharing::None || sharing == Sharing::Same)
              return std::nullopt;
            return std::string("source and target ") +
                   (sharing == Sharing::Some
                        ? "share bytes of one buffer"
                        : "lie in one buffer, and may share bytes") +
                   (request.rank ? ", and both may be of one CTA" : "") +
                   ": what is stored would be loaded again; copy to registers, "
                   "wait for all threads, and copy on";
          }};
}
