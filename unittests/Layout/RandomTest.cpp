//===- RandomTest.cpp - Random layouts against enumeration ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every question and every operation, on random layouts, against a table of the
// function that is computed here, from the definition. Four kinds:
//
//   Sums     digits of any extents and strides, overlapping, with offsets
//   Nested   sums whose digits nest, of any extents, with replicas and gaps
//   Bits     powers of two; steps by exclusive or in any dimensions, and bits
//   Mixed    Nested with Bits in the low bits of each dimension
//
// What the table "What holds where" of Layout.h promises must not be refused.
// Layout n is made from seed + n alone:
//
//   TITAN_SEED=<its seed> TITAN_CASES=1 build/bin/TitanLayoutTests \
//     --gtest_filter='Random.*'
//
// 1,000 layouts; 100,000 with TITAN_TEST_FULL (./test --full).
//
//===----------------------------------------------------------------------===//
#include "Cases.h"

#include "titan/Layout/LayoutTable.h"

#include <gtest/gtest.h>
#include <iostream>
#include <map>
#include <random>
#include <set>

using namespace titan;

namespace titan {
static void PrintTo(const Coord &at, std::ostream *os) {
  *os << '(';
  for (int d = 0; d < at.size(); ++d)
    *os << (d ? ", " : "") << at[d];
  *os << ')';
}
} // namespace titan

namespace {

enum Kind { Sums, Nested, Bits, Mixed };

/// The function by its definition.
Coord reference(const Layout &layout, const Coord &in) {
  Coord at(layout.rank()), xors(layout.rank());
  for (int d = 0; d < layout.rank(); ++d)
    at[d] = layout.offset()[d];
  for (size_t a = 0; a < layout.axes().size(); ++a) {
    int64_t rest = in[static_cast<int>(a)];
    for (const Digit &digit : layout.axes()[a].digits) {
      int64_t v = rest % digit.extent;
      rest /= digit.extent;
      if (digit.dim >= 0)
        at[digit.dim] += v * digit.stride;
      for (size_t d = 0; d < digit.image.size(); ++d)
        for (int k = 0; k < 40; ++k)
          if (v >> k & 1)
            xors[static_cast<int>(d)] ^= digit.image[d] << k;
    }
  }
  for (int d = 0; d < layout.rank(); ++d)
    at[d] ^= xors[d];
  Coord out = at;
  for (BitLinear::Term t : layout.bits().terms())
    if (at[t.fromDim] >> t.from & 1)
      out[t.toDim] ^= int64_t(1) << t.to;
  return out;
}

/// All values of these sizes, the first fastest.
std::vector<Coord> allOf(const std::vector<int64_t> &sizes) {
  std::vector<Coord> all;
  Coord at(static_cast<int>(sizes.size()));
  for (;;) {
    all.push_back(at);
    size_t a = 0;
    while (a < sizes.size() && ++at[static_cast<int>(a)] == sizes[a])
      at[static_cast<int>(a++)] = 0;
    if (a == sizes.size())
      return all;
  }
}
std::vector<int64_t> sizesOf(const Layout &layout) {
  std::vector<int64_t> sizes;
  for (const Axis &axis : layout.axes())
    sizes.push_back(axis.size());
  return sizes;
}
std::vector<Coord> inputsOf(const Layout &layout) {
  return allOf(sizesOf(layout));
}
std::vector<Coord> tableOf(const Layout &layout) {
  std::vector<Coord> table;
  for (const Coord &in : inputsOf(layout))
    table.push_back(reference(layout, in));
  return table;
}
int64_t rowMajor(const std::vector<int64_t> &shape, const Coord &at) {
  int64_t index = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    index = index * shape[d] + at[static_cast<int>(d)];
  return index;
}

class Maker {
public:
  explicit Maker(uint64_t seed) : random(seed) {
    kind = static_cast<Kind>(below(4));
    tile = below(2);
    axisCount =
        tile ? 3 + static_cast<int>(below(2)) : 1 + static_cast<int>(below(3));
    rank = 1 + static_cast<int>(below(3));
  }
  int64_t below(int64_t n) { return static_cast<int64_t>(random() % n); }

  /// Another layout of the same kind, axes and rank.
  Layout make() {
    std::vector<Axis> axes;
    static const char *const names[] = {"reg", "lane", "warp", "cta"};
    static const char *const others[] = {"u", "v", "w"};
    for (int a = 0; a < axisCount; ++a)
      axes.push_back({tile ? names[a] : others[a], {}});
    std::vector<int64_t> extent(rank, 1), offset(rank, 0);
    auto someExtent = [&] { return kind == Bits ? 2 : 2 + below(3); };
    int64_t size = 1;
    // Digits in random places of random axes.
    auto place = [&](Digit digit) {
      if (size * digit.extent > 128)
        return;
      size *= digit.extent;
      std::vector<Digit> &digits = axes[below(axisCount)].digits;
      digits.insert(digits.begin() + below(digits.size() + 1),
                    std::move(digit));
    };
    int64_t count = below(7);
    if (kind == Sums) {
      for (; count > 0; --count) {
        Digit d{someExtent(), static_cast<int>(below(rank + 1)) - 1, below(6)};
        if (d.dim >= 0)
          extent[d.dim] += (d.extent - 1) * d.stride;
        place(d);
      }
      for (int64_t d = 0; d < rank; ++d) {
        offset[d] = below(4) ? 0 : below(4);
        extent[d] += offset[d] + (below(3) ? 0 : below(3));
      }
      return finish(axes, extent, offset, {});
    }
    // Bits: the low bits of each dimension.
    std::vector<int> bits(rank, 0);
    std::vector<BitLinear::Term> terms;
    if (kind == Bits || kind == Mixed) {
      for (int d = 0; d < rank; ++d)
        bits[d] = static_cast<int>(below(3));
      std::vector<Digit> digits;
      for (int d = 0; d < rank; ++d)
        for (int b = 0; b < bits[d]; ++b)
          if (below(4))
            digits.push_back({2, d, int64_t(1) << b});
      for (int64_t k = below(4); k > 0; --k) {
        std::vector<int64_t> image;
        for (int d = 0; d < rank; ++d)
          image.push_back(below(int64_t(1) << bits[d]));
        digits.push_back(Digit::xors(2, image));
      }
      for (Digit &digit : digits)
        if (below(8))
          place(digit);
      for (int64_t k = below(2) * below(4); k > 0; --k) {
        int to = static_cast<int>(below(rank)),
            from = static_cast<int>(below(rank));
        if (bits[to] && bits[from])
          terms.push_back({static_cast<uint8_t>(below(bits[to])),
                           static_cast<uint8_t>(below(bits[from])),
                           static_cast<uint8_t>(to),
                           static_cast<uint8_t>(from)});
      }
      for (int d = 0; d < rank; ++d)
        extent[d] <<= bits[d];
    }
    // Nested: each digit outside of those before it, or a gap, or a replica.
    for (; count > 0 && kind != Bits; --count) {
      int64_t e = someExtent();
      if (below(5) == 0) {
        place({e, Digit::replica, 0});
        continue;
      }
      int d = static_cast<int>(below(rank));
      // An odd part comes last, so that bits stay bits.
      if (kind == Mixed && !isBitExtent(extent[d]))
        continue;
      if (below(6)) {
        int64_t before = size;
        place({e, d, extent[d]});
        if (size == before)
          continue;
      }
      extent[d] *= e;
    }
    // A constant, where nothing steps along its bits by a sum.
    if (kind == Bits && below(3) == 0) {
      std::vector<int64_t> used(rank, 0);
      for (const Axis &axis : axes)
        for (const Digit &digit : axis.digits)
          if (digit.dim >= 0)
            used[digit.dim] |= digit.stride;
      for (int d = 0; d < rank; ++d)
        offset[d] = below(extent[d]) & ~used[d];
    }
    return finish(axes, extent, offset, terms);
  }

  Kind kind;
  int axisCount, rank;
  bool tile;

private:
  static bool isBitExtent(int64_t n) { return (n & (n - 1)) == 0; }

  Layout finish(const std::vector<Axis> &axes,
                const std::vector<int64_t> &extents,
                const std::vector<int64_t> &offset,
                const std::vector<BitLinear::Term> &terms) {
    static const char *const names[3][3] = {{"i"}, {"r", "c"}, {"i", "j", "k"}};
    std::vector<Dim> dims;
    for (int d = 0; d < rank; ++d)
      dims.push_back({names[rank - 1][d], extents[d]});
    auto layout = Layout::make(axes, dims, offset, BitLinear(terms));
    EXPECT_TRUE(bool(layout)) << layout.problem().message;
    return layout ? *layout : Layout();
  }

  std::mt19937_64 random;
};

/// What was asked, and how often there was no layout to say the answer.
std::map<std::string, std::pair<int64_t, int64_t>> tally;

/// Counts; a refusal must be layout-algebra, and none where `promised`.
template <typename T>
bool made(const char *what, const Result<T> &result, bool promised,
          const std::string &subject) {
  auto &[asked, refused] = tally[what];
  ++asked;
  if (result)
    return true;
  ++refused;
  EXPECT_EQ(result.problem().code, "layout-algebra")
      << what << " " << subject << ": " << result.problem().message;
  EXPECT_FALSE(promised) << what << " " << subject << ": "
                         << result.problem().message;
  return false;
}

/// Whether odd digits stand outside of the bits of each axis.
bool bitsFirst(const Layout &layout) {
  for (const Axis &axis : layout.axes()) {
    int64_t weight = 1;
    for (const Digit &digit : axis.digits) {
      if (digit.extent % 2 == 0 && (weight & (weight - 1)) != 0)
        return false;
      weight *= digit.extent;
    }
  }
  return true;
}

void checkQuestions(const Layout &layout, bool promised, Maker &maker) {
  std::vector<Coord> inputs = inputsOf(layout), table = tableOf(layout);
  std::map<Coord, std::vector<Coord>> holders;
  for (size_t i = 0; i < inputs.size(); ++i) {
    ASSERT_EQ(layout.apply(inputs[i]), table[i]);
    for (int d = 0; d < layout.rank(); ++d)
      ASSERT_LT(table[i][d], layout.shape()[d]);
    holders[table[i]].push_back(inputs[i]);
  }
  std::string text = layout.str();
  auto again = Layout::parse(text);
  ASSERT_TRUE(bool(again)) << again.problem().message;
  ASSERT_EQ(tableOf(*again), table);
  ASSERT_EQ(again->str(), text);
  ASSERT_EQ(again->dims(), layout.dims());
  ASSERT_EQ(sizesOf(*again), sizesOf(layout));
  Layout canonical = layout.canonical();
  ASSERT_EQ(tableOf(canonical), table) << canonical.str();
  ASSERT_EQ(canonical.canonical(), canonical) << canonical.str();
  ASSERT_TRUE(InternedLayout(layout) == InternedLayout(canonical));

  // Holders and owners; the free inputs say the same.
  auto free = layout.freeInputs();
  made("freeInputs", free, promised, text);
  bool injective = true, same = true;
  for (auto &[at, list] : holders) {
    injective = injective && list.size() == 1;
    same = same && list.size() == holders.begin()->second.size();
    ASSERT_EQ(layout.holders(at), list);
    for (size_t k = 0; k < list.size(); ++k) {
      ASSERT_EQ(layout.isOwner(list[k]), k == 0);
      if (free) {
        bool zero = true;
        for (const DigitPlace &p : *free)
          zero = zero && list[k][p.index] / p.weight % p.extent == 0;
        ASSERT_EQ(zero, k == 0);
      }
    }
  }
  int64_t elements = layout.elements();
  bool surjective = static_cast<int64_t>(holders.size()) == elements;
  ASSERT_EQ(layout.isInjective(), injective);
  ASSERT_EQ(layout.isSurjective(), surjective);
  ASSERT_EQ(layout.replication().has_value(), same);
  if (same)
    ASSERT_EQ(*layout.replication(),
              static_cast<int64_t>(holders.begin()->second.size()));

  // Free outputs: with them, everything is held, each element by one of them.
  auto missing = layout.freeOutputs();
  if (made("freeOutputs", missing, false, text)) {
    std::vector<int64_t> extents;
    for (const DigitPlace &p : *missing)
      extents.push_back(p.extent);
    std::set<Coord> reached;
    int64_t sums = 0;
    for (const Coord &v : allOf(extents))
      for (auto &[at, list] : holders) {
        Coord sum = at;
        for (size_t p = 0; p < missing->size(); ++p) {
          int64_t step = v[static_cast<int>(p)] * (*missing)[p].weight;
          if (layout.isSum())
            sum[(*missing)[p].index] += step;
          else
            sum[(*missing)[p].index] ^= step;
        }
        ++sums;
        reached.insert(sum);
      }
    ASSERT_EQ(sums, elements);
    ASSERT_EQ(static_cast<int64_t>(reached.size()), elements);
  }

  // Inverses.
  auto back = layout.inverse();
  bool invertible = promised && (layout.isSum() || bitsFirst(layout));
  if (surjective ? made("inverse", back, invertible, text) : bool(back)) {
    ASSERT_TRUE(surjective);
    for (auto &[at, list] : holders)
      ASSERT_EQ(reference(*back, at), list.front()) << back->str();
  }
  auto pseudo = layout.pseudoInverse();
  if (made("pseudoInverse", pseudo,
           promised && layout.isSum() == false && maker.kind == Bits, text)) {
    for (auto &[at, list] : holders)
      ASSERT_EQ(reference(*pseudo, at), list.front()) << pseudo->str();
    for (const Coord &at : inputsOf(*pseudo)) {
      Coord in = reference(*pseudo, at);
      for (size_t a = 0; a < layout.axes().size(); ++a)
        ASSERT_LT(in[static_cast<int>(a)], layout.axes()[a].size());
    }
  }

  // Runs along axis 0.
  for (int d = 0; d < layout.rank(); ++d) {
    int64_t aligned = layout.alignedRun(d), run = layout.contiguousRun(d);
    int64_t registers = layout.axes()[0].size();
    ASSERT_EQ(registers % aligned, 0);
    for (size_t i = 0; i < inputs.size(); ++i) {
      int64_t within = inputs[i][0] % aligned;
      Coord want = table[i - within];
      ASSERT_EQ(want[d] % aligned, 0);
      want[d] += within;
      ASSERT_EQ(table[i], want);
    }
    for (int64_t r = 0; r < run; ++r) {
      Coord want = table[0];
      want[d] += r;
      ASSERT_EQ(table[r], want);
    }
  }
}

void checkForms(const Layout &layout, bool promised, Maker &maker) {
  std::string text = layout.str();
  std::vector<Coord> inputs = inputsOf(layout), table = tableOf(layout);
  // One value of one axis.
  int axis = static_cast<int>(maker.below(layout.axes().size()));
  int64_t value = maker.below(layout.axes()[axis].size());
  auto part = layout.restricted(axis, value);
  if (made("restricted", part, promised || layout.isSum(), text))
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i][axis] == value) {
        Coord in = inputs[i];
        in[axis] = 0;
        ASSERT_EQ(reference(*part, in), table[i]) << part->str();
      }
  // Without a dimension: the same elements, and what is held is held.
  int dim = static_cast<int>(maker.below(layout.rank()));
  auto less = layout.withoutDim(dim);
  if (made("withoutDim", less, promised || layout.isSum(), text)) {
    std::map<Coord, std::set<Coord>> want, got;
    auto others = [](Coord in) {
      in[0] = 0;
      return in;
    };
    for (size_t i = 0; i < inputs.size(); ++i) {
      Coord at(layout.rank() - 1);
      for (int d = 0; d < at.size(); ++d)
        at[d] = table[i][d < dim ? d : d + 1];
      want[others(inputs[i])].insert(at);
    }
    for (const Coord &in : inputsOf(*less))
      got[others(in)].insert(reference(*less, in));
    ASSERT_EQ(got, want) << less->str();
  }
  // Dimensions in another order.
  std::vector<int> order;
  for (int d = 0; d < layout.rank(); ++d)
    order.insert(order.begin() + maker.below(d + 1), d);
  auto turned = layout.permuted(order);
  ASSERT_TRUE(bool(turned));
  for (size_t i = 0; i < inputs.size(); ++i)
    for (int d = 0; d < layout.rank(); ++d)
      ASSERT_EQ(reference(*turned, inputs[i])[d], table[i][order[d]]);
  // Another shape of the same elements.
  std::vector<int64_t> shape;
  int64_t left = layout.elements();
  while (left > 1 && shape.size() < 3) {
    int64_t e = 1 + maker.below(left);
    while (left % e != 0)
      ++e;
    shape.push_back(e);
    left /= e;
  }
  shape.push_back(left);
  auto reshaped = layout.reshaped(shape);
  if (made("reshaped", reshaped, maker.kind == Bits, text))
    for (size_t i = 0; i < inputs.size(); ++i)
      ASSERT_EQ(rowMajor(shape, reference(*reshaped, inputs[i])),
                rowMajor(layout.shape(), table[i]));
  // The inputs cut anew.
  std::vector<std::pair<std::string, int64_t>> axes;
  left = layout.size();
  while (left > 1 && axes.size() < 3) {
    int64_t e = 1 + maker.below(left);
    while (left % e != 0)
      ++e;
    axes.push_back({std::string(1, static_cast<char>('p' + axes.size())), e});
    left /= e;
  }
  axes.push_back({"z", left});
  auto cut = layout.withAxes(axes);
  if (made("withAxes", cut, maker.kind == Bits, text)) {
    ASSERT_EQ(tableOf(*cut), table);
    // Where the elements of one are in the other.
    auto over = layout.over(*cut);
    if (made("over itself", over, maker.kind == Bits,
             text + " over " + cut->str()))
      for (size_t i = 0; i < inputs.size(); ++i) {
        Coord at = reference(*over, inputs[i]);
        ASSERT_EQ(reference(*cut, at), table[i]) << over->str();
        ASSERT_TRUE(cut->isOwner(at)) << over->str();
      }
  }
  // Joined and split again.
  int64_t count = 1 + maker.below(4);
  auto joined = layout.joined(count);
  ASSERT_TRUE(bool(joined)) << joined.problem().message;
  std::vector<Coord> both = inputsOf(*joined);
  for (const Coord &in : both) {
    Coord inside = in;
    inside[0] /= count;
    Coord at = reference(layout, inside), got = reference(*joined, in);
    for (int d = 0; d < layout.rank(); ++d)
      ASSERT_EQ(got[d], at[d]);
    ASSERT_EQ(got[layout.rank()], in[0] % count);
  }
  auto split = joined->split();
  if (split || layout.isSum() || promised) {
    ASSERT_TRUE(bool(split)) << split.problem().message;
    ASSERT_EQ(static_cast<int64_t>(split->registers.size()), count);
    for (const Coord &in : inputsOf(split->layout))
      for (int64_t k = 0; k < count; ++k) {
        Coord from = in;
        from[0] = split->registers[k][in[0]];
        Coord at = reference(*joined, from), got = reference(split->layout, in);
        ASSERT_EQ(at[layout.rank()], k);
        for (int d = 0; d < layout.rank(); ++d)
          ASSERT_EQ(got[d], at[d]);
      }
  }
}

void checkPairs(const Layout &x, const Layout &y, Maker &maker) {
  std::string text = x.str() + "  and  " + y.str();
  bool bits = maker.kind == Bits;
  std::vector<Coord> inputs = inputsOf(x), table = tableOf(x);
  // Equality: against another, and against another text of the same function.
  ASSERT_EQ(x.sameFunction(y), sizesOf(x) == sizesOf(y) &&
                                   x.shape() == y.shape() &&
                                   table == tableOf(y));
  ASSERT_TRUE(x.sameFunction(x.canonical()));

  // A layout of y's places in x's shape, which may step less far.
  auto shaped = Layout::make(y.axes(), x.dims(), y.offset(), y.bits());
  if (shaped) {
    std::vector<Coord> otherInputs = inputsOf(*shaped),
                       other = tableOf(*shaped);
    std::map<Coord, Coord> owner;
    for (size_t i = otherInputs.size(); i-- > 0;) {
      auto [at, isNew] = owner.try_emplace(other[i], otherInputs[i]);
      if (!isNew)
        at->second = otherInputs[i];
    }
    bool held = true;
    for (const Coord &at : table)
      held = held && owner.count(at);
    auto over = x.over(*shaped);
    if (held ? made("over", over, bits, text) : bool(over)) {
      ASSERT_TRUE(held);
      for (size_t i = 0; i < inputs.size(); ++i)
        ASSERT_EQ(reference(*over, inputs[i]), owner[table[i]]) << over->str();
    }
    // Side by side.
    std::vector<Axis> renamed;
    for (size_t a = 0; a < shaped->axes().size(); ++a)
      renamed.push_back({std::string("other_") + static_cast<char>('a' + a),
                         shaped->axes()[a].digits});
    std::vector<Axis> plain;
    for (size_t a = 0; a < x.axes().size(); ++a)
      plain.push_back({std::string("one_") + static_cast<char>('a' + a),
                       x.axes()[a].digits});
    Layout one = *Layout::make(plain, x.dims(), x.offset(), x.bits());
    Layout two = *Layout::make(renamed, x.dims(), y.offset(), y.bits());
    auto sum = one.concatAxes(two);
    bool add = one.isSum() && two.isSum(); // which may leave the shape
    if (sum || (bits && !add)) {
      ASSERT_TRUE(bool(sum)) << sum.problem().message;
      for (size_t i = 0; i < inputs.size(); ++i)
        for (size_t k = 0; k < otherInputs.size(); k += 3) {
          Coord in(static_cast<int>(inputs[i].size() + otherInputs[k].size()));
          for (int a = 0; a < in.size(); ++a)
            in[a] = a < inputs[i].size() ? inputs[i][a]
                                         : otherInputs[k][a - inputs[i].size()];
          Coord want = table[i];
          for (int d = 0; d < want.size(); ++d)
            want[d] = add ? want[d] + other[k][d] : want[d] ^ other[k][d];
          ASSERT_EQ(reference(*sum, in), want) << sum->str();
        }
    }
  }
  // Both dimensions, of y with x's sizes of axes where they can be cut so.
  std::vector<std::pair<std::string, int64_t>> axes;
  for (const Axis &axis : x.axes())
    axes.push_back({axis.name, axis.size()});
  if (x.size() == y.size())
    if (auto cut = y.withAxes(axes)) {
      auto both = x.concatDims(*cut);
      if (made("concatDims", both, bits, text))
        for (const Coord &in : inputs) {
          Coord at = reference(*both, in), a = reference(x, in),
                b = reference(*cut, in);
          for (int d = 0; d < at.size(); ++d)
            ASSERT_EQ(at[d], d < a.size() ? a[d] : b[d - a.size()])
                << both->str();
        }
    }

  // Repetition and quotient.
  if (x.size() * y.size() <= 4096) {
    auto whole = x.repeat(y);
    bool plain = true;
    for (const Layout *each : {&x, &y}) {
      Layout canonical = each->canonical();
      for (int64_t o : canonical.offset())
        plain = plain && o == 0;
    }
    if (made("repeat", whole, plain && bits, text)) {
      for (const Coord &in : inputsOf(*whole)) {
        Coord a = in, o = in;
        for (size_t k = 0; k < x.axes().size(); ++k) {
          int i = static_cast<int>(k);
          a[i] = in[i] % x.axes()[k].size();
          o[i] = in[i] / x.axes()[k].size();
        }
        Coord want = reference(y, o), inside = reference(x, a);
        for (int d = 0; d < x.rank(); ++d)
          want[d] = want[d] * x.shape()[d] + inside[d];
        ASSERT_EQ(reference(*whole, in), want) << whole->str();
      }
      auto quotient = whole->divide(x);
      if (made("divide", quotient, bits || whole->isSum(),
               whole->str() + " by " + x.str()))
        ASSERT_EQ(tableOf(*quotient), tableOf(y)) << quotient->str();
    }
    auto guess = x.divide(y);
    if (guess) {
      auto product = y.repeat(*guess);
      ASSERT_TRUE(bool(product));
      ASSERT_TRUE(product->sameFunction(x));
    }
  }
}

/// First x, then a layout whose axes are x's dimensions.
void checkThen(const Layout &x, Maker &maker) {
  std::vector<Axis> axes;
  std::vector<Dim> dims;
  std::vector<int64_t> weight(1, 1);
  static const char *const names[] = {"x", "y"};
  int rank = 1 + static_cast<int>(maker.below(2));
  std::vector<int64_t> extent(rank, 1);
  bool xors = maker.kind == Bits && maker.below(2);
  bool bits = true;
  for (int d = 0; d < x.rank(); ++d) {
    Axis axis{x.dims()[d].name, {}};
    int64_t left = x.dims()[d].extent;
    while (left > 1) {
      int64_t e = 2;
      while (left % e != 0)
        ++e;
      if (maker.below(3) == 0)
        e = left;
      left /= e;
      int to = static_cast<int>(maker.below(rank));
      if (xors && (e & (e - 1)) == 0) {
        std::vector<int64_t> image;
        for (int k = 0; k < rank; ++k)
          image.push_back(maker.below(8));
        axis.digits.push_back(Digit::xors(e, image));
      } else if (maker.below(8) == 0) {
        axis.digits.push_back({e, Digit::replica, 0});
      } else {
        axis.digits.push_back({e, to, extent[to]});
        extent[to] *= e;
      }
    }
    axes.push_back(axis);
  }
  for (int d = 0; d < rank; ++d)
    dims.push_back(
        {names[d], xors ? std::max<int64_t>(extent[d], 1024) : extent[d]});
  bits = maker.kind == Bits;
  auto y = Layout::make(axes, dims);
  ASSERT_TRUE(bool(y)) << y.problem().message;
  auto both = x.then(*y);
  if (!made("then", both, bits, x.str() + "  then  " + y->str()))
    return;
  for (const Coord &in : inputsOf(x))
    ASSERT_EQ(reference(*both, in), reference(*y, reference(x, in)))
        << both->str();
}

TEST(Random, AgainstEnumeration) {
  uint64_t seed = fromEnvironment("TITAN_SEED", 20261122);
  uint64_t cases = fromEnvironment(
      "TITAN_CASES", std::getenv("TITAN_TEST_FULL") ? 100000 : 1000);
  std::cout << "seeds " << seed << " to " << seed + cases - 1 << '\n';
  for (uint64_t n = seed; n < seed + cases; ++n) {
    Maker maker(n);
    Layout x = maker.make(), y = maker.make();
    SCOPED_TRACE("TITAN_SEED=" + std::to_string(n) + ": " + x.str() +
                 "  and  " + y.str());
    bool promised = maker.kind != Sums;
    checkQuestions(x, promised, maker);
    checkForms(x, promised, maker);
    checkPairs(x, y, maker);
    checkThen(x, maker);
    if (HasFailure())
      return;
  }
  // Refusals stay the exception.
  for (const auto &[what, counts] : tally) {
    std::cout << what << ": " << counts.first << ", refused " << counts.second
              << '\n';
    EXPECT_LT(counts.second * 2, counts.first) << what;
  }
}

} // namespace
