//===- Conversion.cpp - A tile from one register layout to another --------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Layout/Conversion.h"

#include "BitForm.h"
#include "LayoutParts.h"

#include <algorithm>
#include <bit>
#include <map>

using namespace titan;

bool ThreadBits::isZero() const {
  auto zero = [](int64_t image) { return image == 0; };
  return std::all_of(lanes.begin(), lanes.end(), zero) &&
         std::all_of(warps.begin(), warps.end(), zero);
}

//===----------------------------------------------------------------------===//
// Within a warp
//===----------------------------------------------------------------------===//

bool ConversionPlan::stays(const Move &move) const {
  for (size_t b = 0; b < source.lanes.size(); ++b)
    if (source.lanes[b] != int64_t(1) << b)
      return false;
  for (int64_t image : source.warps)
    if (image != 0)
      return false;
  return move.lanes == 0;
}

bool ConversionPlan::isRenaming() const {
  return before.isZero() && after.isZero() && turns == 1 &&
         std::all_of(moves.begin(), moves.end(),
                     [&](const Move &move) { return stays(move); });
}

std::vector<std::vector<size_t>> ConversionPlan::words(int64_t count) const {
  std::vector<std::vector<size_t>> list;
  std::map<std::pair<int64_t, int64_t>, size_t> open;
  for (size_t m = 0; m < moves.size(); ++m) {
    if (stays(moves[m]))
      continue;
    auto [entry, isNew] = open.try_emplace({moves[m].turn, moves[m].lanes}, 0);
    if (isNew || static_cast<int64_t>(list[entry->second].size()) == count) {
      entry->second = list.size();
      list.emplace_back();
    }
    list[entry->second].push_back(m);
  }
  return list;
}

int64_t ConversionPlan::shuffles(int64_t elementBytes) const {
  int64_t inWord = std::max<int64_t>(1, 4 / elementBytes);
  return static_cast<int64_t>(words(inWord).size() * from.size()) *
         std::max<int64_t>(1, elementBytes / 4);
}

/// Registers alone, of layouts that need not be bitwise.
static std::optional<ConversionPlan> renaming(const Layout &from,
                                              const Layout &to) {
  if (from.lanes() != to.lanes() || from.warps() != to.warps())
    return std::nullopt;
  std::map<std::string, int64_t> registers;
  for (int64_t r = 0; r < from.registers(); ++r) {
    Result<Layout> one = from.restricted(0, r);
    if (!one)
      return std::nullopt;
    registers.try_emplace(one->str(), r);
  }
  ConversionPlan plan;
  for (int64_t r = 0; r < to.registers(); ++r) {
    Result<Layout> one = to.restricted(0, r);
    if (!one)
      return std::nullopt;
    auto found = registers.find(one->str());
    if (found == registers.end())
      return std::nullopt;
    plan.to.push_back({static_cast<int64_t>(plan.from.size()), 0});
    plan.from.push_back({found->second});
  }
  for (int64_t bit = 1; bit < from.lanes(); bit *= 2)
    plan.source.lanes.push_back(bit);
  plan.moves.push_back({0, 0, 0, 0});
  return plan;
}

namespace {
/// A place in the source, as one number: bits of the register's number below,
/// bits of the lane above.
constexpr int laneBit = 32;
uint64_t laneOf(uint64_t place) { return place >> laneBit; }
uint64_t numberOf(uint64_t place) {
  return place & ((uint64_t(1) << laneBit) - 1);
}

/// What a layout does, axis by axis.
struct TileBits {
  std::vector<uint64_t> registers, lanes, warps; // images of bits
  std::vector<int64_t> weights;                  // of register bits
  std::vector<BitForm::Piece> odd;               // of registers
  uint64_t constant = 0;

  static std::optional<TileBits> of(const Layout &layout, bool warpsToo) {
    std::optional<BitForm> form = BitForm::of(layout);
    if (!form)
      return std::nullopt;
    TileBits bits;
    bits.constant = form->constant;
    for (const BitForm::Piece &piece : form->pieces) {
      if (piece.axis >= 2 && !warpsToo)
        continue;
      if (piece.axis == 3)
        return std::nullopt;
      if (piece.axis == 0 && !piece.isBit()) {
        bits.odd.push_back(piece);
        continue;
      }
      if (!piece.isBit())
        return std::nullopt;
      if (piece.axis == 0) {
        bits.registers.push_back(piece.image);
        bits.weights.push_back(piece.weight);
        continue;
      }
      auto &list = piece.axis == 1 ? bits.lanes : bits.warps;
      // In normal form, all bits of an axis are there, in order.
      list.push_back(piece.image);
    }
    return bits;
  }

  /// The register of a number, of value `odds[i]` of each odd piece.
  int64_t registerOf(uint64_t number, const std::vector<int64_t> &odds) const {
    int64_t value = 0;
    for (size_t b = 0; b < weights.size(); ++b)
      value += number >> b & 1 ? weights[b] : 0;
    for (size_t i = 0; i < odd.size(); ++i)
      value += odds[i] * odd[i].weight;
    return value;
  }
  /// The inverse.
  uint64_t numberOf(int64_t value, std::vector<int64_t> &odds) const {
    uint64_t number = 0;
    for (size_t b = 0; b < weights.size(); ++b)
      number |= static_cast<uint64_t>(value / weights[b] % 2) << b;
    odds.clear();
    for (const BitForm::Piece &piece : odd)
      odds.push_back(value / piece.weight % piece.extent);
    return number;
  }
};

/// Odd digits that step along the tile, by where they step: the same ones in
/// both layouts, in whatever order. For each of `to` the one of `from`, or -1: a
/// replica.
std::optional<std::vector<int>>
matchOdd(const std::vector<BitForm::Piece> &to,
         const std::vector<BitForm::Piece> &from) {
  std::vector<int> list;
  size_t matched = 0;
  for (const BitForm::Piece &piece : to) {
    int found = -1;
    for (size_t i = 0; i < from.size(); ++i)
      if (piece.dim >= 0 && from[i].dim == piece.dim &&
          from[i].stride == piece.stride && from[i].extent == piece.extent)
        found = static_cast<int>(i);
    if (piece.dim >= 0 && found < 0)
      return std::nullopt;
    matched += found >= 0;
    list.push_back(found);
  }
  for (const BitForm::Piece &piece : from)
    matched -= piece.dim >= 0;
  if (matched != 0)
    return std::nullopt;
  return list;
}
} // namespace

Result<ConversionPlan> ConversionPlan::make(const Layout &from,
                                            const Layout &to) {
  if (!from.isTile() || !to.isTile() || from.shape() != to.shape())
    return layoutMismatch("two register tiles of one shape");
  if (from.lanes() != to.lanes() || from.ctas() != to.ctas())
    return layoutMismatch("the layouts are for other numbers of lanes or CTAs");
  // Warps, and CTAs, that hold the same part in both need not be looked at.
  bool sameWarps = from.axes().size() == to.axes().size();
  for (size_t a = 2; sameWarps && a < from.axes().size(); ++a)
    sameWarps = from.axes()[a].digits == to.axes()[a].digits;
  sameWarps &= from.bits().isIdentity() && to.bits().isIdentity();
  std::optional<TileBits> source = TileBits::of(from, !sameWarps),
                          target = TileBits::of(to, !sameWarps);
  std::optional<std::vector<int>> odd;
  if (source && target)
    odd = matchOdd(target->odd, source->odd);
  if (!odd) {
    if (std::optional<ConversionPlan> plan = renaming(from, to))
      return *plan;
    return layoutMismatch(
        "the digits of the two layouts are no matter of bits, and "
        "no registers of one hold what those of the other do");
  }
  size_t warpBits = std::max(source->warps.size(), target->warps.size());
  source->warps.resize(warpBits);
  target->warps.resize(warpBits);

  // Where is an element? And which places hold the same?
  BitSolver solver;
  std::vector<uint64_t> again;
  auto addPlace = [&](uint64_t image, uint64_t place) {
    auto [rest, same] = solver.reduce(image, place);
    if (rest == 0)
      again.push_back(same);
    else
      solver.add(image, place);
  };
  for (size_t b = 0; b < source->registers.size(); ++b)
    addPlace(source->registers[b], uint64_t(1) << b);
  for (size_t b = 0; b < source->lanes.size(); ++b)
    addPlace(source->lanes[b], uint64_t(1) << (laneBit + b));
  auto find = [&](uint64_t image) { return solver.solve(image); };

  std::optional<uint64_t> constant = find(source->constant ^ target->constant);
  std::vector<uint64_t> lanes, warps, registers;
  bool good = constant.has_value();
  auto findAll = [&](const std::vector<uint64_t> &images,
                     std::vector<uint64_t> &places) {
    for (uint64_t image : images) {
      std::optional<uint64_t> place = find(image);
      good &= place.has_value();
      places.push_back(place.value_or(0));
    }
  };
  findAll(target->registers, registers);
  findAll(target->lanes, lanes);
  for (size_t b = 0; b < warpBits; ++b) {
    std::optional<uint64_t> place = find(source->warps[b] ^ target->warps[b]);
    good &= place.has_value();
    warps.push_back(place.value_or(0));
  }
  if (!good)
    return layoutMismatch("a warp needs elements that other warps hold");

  // Registers of the result that hold what others do are those others.
  ConversionPlan plan;
  BitSolver kept;
  std::vector<uint64_t> numbers; // of each register bit: slots
  std::vector<uint64_t> slotPlaces;
  for (size_t b = 0; b < registers.size(); ++b) {
    // By elements: places may differ where elements do not.
    if (std::optional<uint64_t> known = kept.solve(target->registers[b])) {
      numbers.push_back(*known);
      continue;
    }
    numbers.push_back(uint64_t(1) << slotPlaces.size());
    kept.add(target->registers[b], numbers.back());
    slotPlaces.push_back(registers[b]);
  }

  // What may be added to the source of a lane: slots (M), other holders.
  std::vector<uint64_t> choices = slotPlaces;
  choices.insert(choices.end(), again.begin(), again.end());
  size_t laneBits = lanes.size();
  std::vector<uint64_t> after(laneBits);
  auto choose = [&](size_t lane, uint64_t which) {
    for (size_t i = 0; i < choices.size(); ++i)
      if (which >> i & 1) {
        lanes[lane] ^= choices[i];
        if (i < slotPlaces.size())
          after[lane] ^= uint64_t(1) << i;
      }
  };
  BitSolver byLane;
  for (size_t i = choices.size(); i-- > 0;)
    byLane.add(laneOf(choices[i]), uint64_t(1) << i);
  // Every lane by itself, where that can be.
  std::vector<uint64_t> home;
  for (size_t b = 0; b < laneBits; ++b)
    if (std::optional<uint64_t> which =
            byLane.solve(laneOf(lanes[b]) ^ uint64_t(1) << b))
      home.push_back(*which);
  std::vector<size_t> turnLanes;
  std::vector<uint64_t> turnNumbers;
  BitSolver used; // lanes -> numbers
  if (home.size() == laneBits) {
    for (size_t b = 0; b < laneBits; ++b) {
      choose(b, home[b]);
      used.add(laneOf(lanes[b]), numberOf(lanes[b]));
    }
  } else {
    std::vector<size_t> rest;
    for (size_t b = 0; b < laneBits; ++b) {
      if (!used.add(laneOf(lanes[b]), numberOf(lanes[b])))
        rest.push_back(b);
    }
    for (size_t b : rest) {
      auto [lane, number] = used.reduce(laneOf(lanes[b]), numberOf(lanes[b]));
      if (lane == 0 && number == 0)
        continue; // It wants what another lane wants.
      // What another one wants as another slot, or from another holder; else
      // from a lane that nothing comes from yet.
      bool done = false;
      for (bool other : {false, true})
        for (size_t i = 0; i < choices.size() && !done; ++i) {
          uint64_t moved = lanes[b] ^ choices[i];
          auto rest = used.reduce(laneOf(moved), numberOf(moved));
          done = other ? rest.first != 0 : rest.first == 0 && rest.second == 0;
          if (!done)
            continue;
          choose(b, uint64_t(1) << i);
          used.add(laneOf(moved), numberOf(moved));
        }
      if (done)
        continue;
      turnLanes.push_back(b);
      turnNumbers.push_back(number);
    }
  }

  // Warps, too, by slots or other holders rather than by other lanes.
  std::vector<uint64_t> afterWarps(warpBits);
  for (size_t b = 0; b < warpBits; ++b)
    if (std::optional<uint64_t> which = byLane.solve(laneOf(warps[b])))
      for (size_t i = 0; i < choices.size(); ++i)
        if (*which >> i & 1) {
          warps[b] ^= choices[i];
          if (i < slotPlaces.size())
            afterWarps[b] ^= uint64_t(1) << i;
        }

  // The number that a lane sends, where it sends to the lanes that are used.
  auto numberFor = [&](uint64_t lane) { return used.reduce(lane, 0).second; };
  for (size_t b = 0; b < laneBits; ++b) {
    plan.before.lanes.push_back(
        static_cast<int64_t>(numberFor(uint64_t(1) << b)));
    plan.source.lanes.push_back(static_cast<int64_t>(laneOf(lanes[b])));
    plan.after.lanes.push_back(static_cast<int64_t>(after[b]));
    plan.turn.lanes.push_back(0);
  }
  for (size_t b = 0; b < warpBits; ++b) {
    plan.before.warps.push_back(
        static_cast<int64_t>(numberOf(warps[b]) ^ numberFor(laneOf(warps[b]))));
    plan.source.warps.push_back(static_cast<int64_t>(laneOf(warps[b])));
    plan.after.warps.push_back(static_cast<int64_t>(afterWarps[b]));
  }
  for (size_t t = 0; t < turnLanes.size(); ++t)
    plan.turn.lanes[turnLanes[t]] = int64_t(1) << t;
  plan.slots = int64_t(1) << slotPlaces.size();
  plan.turns = int64_t(1) << turnLanes.size();
  BitSolver holders; // lanes to which another holder leads
  for (uint64_t place : again)
    holders.add(laneOf(place), numberOf(place));
  for (int64_t t = 0; t < plan.turns; ++t)
    for (int64_t q = 0; q < plan.slots; ++q) {
      uint64_t place = *constant;
      for (size_t b = 0; b < slotPlaces.size(); ++b)
        place ^= q >> b & 1 ? slotPlaces[b] : 0;
      auto [lane, number] = holders.reduce(laneOf(place), numberOf(place));
      number ^= numberFor(lane);
      for (size_t b = 0; b < turnLanes.size(); ++b)
        number ^= t >> b & 1 ? turnNumbers[b] : 0;
      plan.moves.push_back(
          {q, t, static_cast<int64_t>(number), static_cast<int64_t>(lane)});
    }

  // Registers of numbers, part by part: the values of the odd digits.
  std::vector<std::vector<int64_t>> parts = {
      std::vector<int64_t>(source->odd.size(), 0)};
  for (size_t i = 0; i < source->odd.size(); ++i)
    if (source->odd[i].dim >= 0)
      for (size_t k = 0, e = parts.size(); k < e; ++k)
        for (int64_t v = 1; v < source->odd[i].extent; ++v) {
          parts.push_back(parts[k]);
          parts.back()[i] = v;
        }
  for (const std::vector<int64_t> &odds : parts) {
    plan.from.emplace_back();
    for (uint64_t n = 0; n < uint64_t(1) << source->weights.size(); ++n)
      plan.from.back().push_back(source->registerOf(n, odds));
  }
  for (int64_t r = 0; r < to.registers(); ++r) {
    std::vector<int64_t> odds, wanted(source->odd.size(), 0);
    uint64_t bits = target->numberOf(r, odds), number = 0;
    for (size_t b = 0; b < numbers.size(); ++b)
      number ^= bits >> b & 1 ? numbers[b] : 0;
    for (size_t i = 0; i < odds.size(); ++i)
      if ((*odd)[i] >= 0)
        wanted[(*odd)[i]] = odds[i];
    plan.to.push_back(
        {std::find(parts.begin(), parts.end(), wanted) - parts.begin(),
         static_cast<int64_t>(number)});
  }
  return plan;
}

//===----------------------------------------------------------------------===//
// Between warps
//===----------------------------------------------------------------------===//

namespace {
/// Vectors of bits that are independent, and which vectors they make.
struct Space {
  std::vector<uint64_t> basis;
  BitSolver solver;

  bool add(uint64_t vector) {
    if (!solver.add(vector, 0))
      return false;
    basis.push_back(vector);
    return true;
  }
  bool contains(uint64_t vector) const {
    return solver.reduce(vector, 0).first == 0;
  }
  size_t size() const { return basis.size(); }
};

Space intersection(const Space &a, const Space &b) {
  // What of b is a sum of a's, and of which.
  BitSolver solver;
  for (uint64_t vector : a.basis)
    solver.add(vector, vector);
  Space both;
  for (uint64_t vector : b.basis) {
    auto [rest, ofA] = solver.reduce(vector, 0);
    if (rest == 0)
      both.add(ofA);
    else
      solver.add(vector, 0);
  }
  return both;
}

/// Vectors of `of` that make all of it, together with `part`.
std::vector<uint64_t> complement(const std::vector<uint64_t> &of, Space part) {
  std::vector<uint64_t> list;
  for (uint64_t vector : of)
    if (part.add(vector))
      list.push_back(vector);
  return list;
}

/// The layout of these images; `at` makes coordinates of one.
Result<Layout> fromBits(const std::vector<uint64_t> (&images)[3],
                        const std::vector<Digit> &odd, std::vector<Dim> dims,
                        uint64_t constant,
                        const std::function<Coord(uint64_t)> &at) {
  std::vector<Axis> axes = {{"reg", {}}, {"lane", {}}, {"warp", {}}};
  for (int a = 0; a < 3; ++a)
    for (uint64_t image : images[a]) {
      Coord step = at(image);
      axes[a].digits.push_back(Digit::xors(2, {step.begin(), step.end()}));
    }
  axes[0].digits.insert(axes[0].digits.end(), odd.begin(), odd.end());
  Coord start = at(constant);
  Result<Layout> layout = Layout::make(std::move(axes), std::move(dims),
                                       {start.begin(), start.end()});
  if (!layout)
    return layout;
  return layout->canonical();
}
} // namespace

Result<ScratchPlan> ScratchPlan::make(const Layout &from, const Layout &to,
                                      int64_t elementBytes) {
  if (!from.isTile() || !to.isTile() || from.shape() != to.shape() ||
      from.ctas() != 1 || to.ctas() != 1)
    return layoutMismatch("two register tiles of one shape, each of one CTA");
  std::vector<Dim> line = {{"i", from.elements()}};

  auto rowMajor = [&]() -> Result<ScratchPlan> {
    std::vector<Axis> axes;
    int64_t stride = from.elements();
    for (const Dim &dim : from.dims()) {
      stride /= dim.extent;
      axes.push_back({dim.name, {{dim.extent, 0, stride}}});
    }
    Result<Layout> rows = Layout::make(axes, line);
    if (!rows)
      return rows.problem();
    Result<Layout> stores = from.then(*rows), loads = to.then(*rows);
    if (!stores || !loads)
      return (stores ? loads : stores).problem();
    return ScratchPlan{from, to, *stores, *loads};
  };

  std::optional<TileBits> a = TileBits::of(from, true),
                          b = TileBits::of(to, true);
  std::optional<BitForm> form = BitForm::of(from), other = BitForm::of(to);
  std::optional<std::vector<int>> odd;
  if (a && b)
    odd = matchOdd(b->odd, a->odd);
  if (!odd || form->oddBits != other->oddBits)
    return rowMajor();
  std::vector<uint64_t> units;
  for (int bit = 0; bit < form->bits(); ++bit)
    if (!(form->oddBits >> bit & 1))
      units.push_back(uint64_t(1) << bit);
  size_t n = units.size();
  int64_t all = int64_t(1) << n;
  for (const BitForm::Piece &piece : a->odd)
    all *= piece.dim >= 0 ? piece.extent : 1;
  if (all != from.elements())
    return rowMajor();

  // V: what a store and a load move at once.
  Space registersA, registersB;
  for (uint64_t image : a->registers)
    registersA.add(image);
  for (uint64_t image : b->registers)
    registersB.add(image);
  std::vector<uint64_t> common = intersection(registersA, registersB).basis;
  std::sort(common.begin(), common.end());
  // All threads start at a vector's beginning: V has nothing of what lanes and
  // warps tell, and `inside`, the part along V, is 0 there.
  Space threads;
  for (const TileBits *bits : {&*a, &*b})
    for (const auto *list : {&bits->lanes, &bits->warps})
      for (uint64_t image : *list)
        threads.add(image);
  Space words, beside = threads;
  for (uint64_t vector : common)
    if (elementBytes << (words.size() + 1) <= 16 && beside.add(vector))
      words.add(vector);
  BitSolver along;
  for (uint64_t vector : threads.basis)
    along.add(vector, 0);
  for (uint64_t vector : words.basis)
    along.add(vector, vector);
  for (uint64_t vector : units)
    along.add(vector, 0);
  auto outside = [&](uint64_t image) { return image ^ *along.solve(image); };
  size_t v = words.size();
  int64_t width = elementBytes << v;

  // What lanes served together hold, and as much more as there is room for.
  size_t together = width >= 16 ? 3 : width == 8 ? 4 : 5;
  size_t size = std::min(n, v + together);
  auto served = [&](const TileBits &bits) {
    Space space = words;
    for (size_t l = 0; l < std::min(together, bits.lanes.size()); ++l)
      space.add(bits.lanes[l]);
    for (const auto *more : {&bits.lanes, &bits.warps, &bits.registers,
                             const_cast<const std::vector<uint64_t> *>(&units)})
      for (uint64_t image : *more)
        if (space.size() < size)
          space.add(image);
    return space;
  };
  Space p = served(*a), q = served(*b), both = intersection(p, q), sum = p;
  for (uint64_t vector : q.basis)
    sum.add(vector);
  std::vector<uint64_t> c = complement(units, sum),
                        e = complement(p.basis, both),
                        f = complement(q.basis, both);
  for (size_t i = 0; i < e.size(); ++i)
    c.push_back(e[i] ^ f[i]);

  // Places: V, what fills a word, banks, rows.
  size_t fill = 0;
  while (fill < c.size() && width << fill < 4)
    ++fill;
  std::vector<uint64_t> order(c.begin(), c.begin() + fill);
  for (uint64_t vector : complement(p.basis, words))
    order.push_back(vector);
  order.insert(order.end(), c.begin() + fill, c.end());
  for (uint64_t &vector : order)
    vector = outside(vector);
  order.insert(order.begin(), words.basis.begin(), words.basis.end());
  BitSolver places;
  for (size_t i = 0; i < order.size(); ++i)
    places.add(order[i], uint64_t(1) << i);
  auto place = [&](uint64_t image) { return *places.solve(image); };

  // Registers: V first, then the others that tell elements apart.
  auto make = [&](const TileBits &bits, Layout &tile,
                  Layout &inScratch) -> std::optional<Problem> {
    std::vector<uint64_t> images[3] = {words.basis, bits.lanes, bits.warps};
    for (uint64_t image : complement(bits.registers, words))
      images[0].push_back(outside(image));
    uint64_t constant = outside(bits.constant);
    std::vector<Digit> steps, stepsInScratch;
    int64_t stride = int64_t(1) << n;
    // In the order of `from`.
    for (const BitForm::Piece &piece : a->odd) {
      if (piece.dim < 0)
        continue;
      steps.push_back({piece.extent, piece.dim, piece.stride});
      stepsInScratch.push_back({piece.extent, 0, stride});
      stride *= piece.extent;
    }
    Result<Layout> made =
        fromBits(images, steps, from.dims(), constant,
                 [&](uint64_t image) { return form->unpack(image); });
    if (!made)
      return made.problem();
    tile = *made;
    for (std::vector<uint64_t> &list : images)
      for (uint64_t &image : list)
        image = place(image);
    made = fromBits(
        images, stepsInScratch, line, place(constant),
        [&](uint64_t image) { return Coord{static_cast<int64_t>(image)}; });
    if (!made)
      return made.problem();
    inScratch = *made;
    return std::nullopt;
  };
  ScratchPlan plan;
  plan.vector = int64_t(1) << v;
  plan.swizzled = true;
  if (auto problem = make(*a, plan.stored, plan.storePlaces))
    return *problem;
  if (auto problem = make(*b, plan.loaded, plan.loadPlaces))
    return *problem;
  return plan;
}
