//===- LinearSystem.cpp - do linear facts contradict each other? ----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LinearSystem.h"

#include "mlir/Analysis/Presburger/IntegerRelation.h"
#include "mlir/Analysis/Presburger/Simplex.h"

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>

using namespace titan::scalars;
using llvm::ArrayRef;
using llvm::MutableArrayRef;

namespace {
enum class Verdict : uint8_t { Yes, No, Unknown };

template <typename Number> Number divisorOf(Number a, Number b) {
  if (a < 0)
    a = -a;
  if (b < 0)
    b = -b;
  while (b) {
    Number rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// Numbers that are divided have a positive counterpart.
template <typename Number> constexpr Number lowest() {
  return Number(1) << (sizeof(Number) * 8 - 1);
}

/// Numbers of 256 bits, where the compiler has them: mlir::presburger::Simplex, with
/// memory of its own for each number, takes more than ten times as long for the same.
#if defined(__clang__) && __BITINT_MAXWIDTH__ >= 256
#define TITAN_HAS_LONG
using Long = _BitInt(256);

unsigned bitsOf(Long a) {
  using Unsigned = unsigned _BitInt(256);
  return 256 - __builtin_clzg(Unsigned(a < 0 ? -a : a), 256);
}
#endif

/// Whether the product, or difference, does not fit.
template <typename Number> bool multiply(Number a, Number b, Number &result) {
#ifdef TITAN_HAS_LONG
  if constexpr (std::is_same_v<Number, Long>) {
    if (bitsOf(a) + bitsOf(b) > 255)
      return true;
    result = a * b;
    return false;
  } else
#endif
    return __builtin_mul_overflow(a, b, &result);
}
template <typename Number> bool subtract(Number a, Number b, Number &result) {
#ifdef TITAN_HAS_LONG
  if constexpr (std::is_same_v<Number, Long>) {
    if (bitsOf(a) > 254 || bitsOf(b) > 254)
      return true;
    result = a - b;
    return false;
  } else
#endif
    return __builtin_sub_overflow(a, b, &result);
}

template <typename Number> class Matrix {
public:
  explicit Matrix(size_t stride) : stride(stride) {}
  Number *operator[](size_t i) { return numbers.data() + i * stride; }
  const Number *operator[](size_t i) const {
    return numbers.data() + i * stride;
  }
  size_t size() const { return numbers.size() / stride; }
  template <typename Other> void append(const Other *row, size_t rows = 1) {
    numbers.insert(numbers.end(), row, row + rows * stride);
  }
  void resize(size_t rows) { numbers.resize(rows * stride); }

  size_t stride;
  std::vector<Number> numbers;
};

/// What a row says by itself.
enum class Alone { Nothing, Never, Something };

/// Divides by the divisor of all but the constant.
Alone tighten(MutableArrayRef<int64_t> row, bool equation) {
  int64_t divisor = 0;
  for (int64_t number : row.drop_back()) {
    if (number == lowest<int64_t>())
      return Alone::Something;
    if (number)
      divisor = divisorOf(divisor, number);
    if (divisor == 1)
      return Alone::Something;
  }
  int64_t &c = row.back();
  if (divisor == 0)
    return (equation ? c != 0 : c < 0) ? Alone::Never : Alone::Nothing;
  if (equation && c % divisor)
    return Alone::Never;
  bool down = c % divisor < 0;
  for (int64_t &number : row)
    number /= divisor;
  c -= down;
  return Alone::Something;
}

/// Rows of slacks, which are 0 or more each: a1 s1 + ... + an sn + c is a slack,
/// too. Two of them may change places.
template <typename Number> class Tableau {
public:
  Tableau(const Matrix<int64_t> &least, const Matrix<int64_t> &asked)
      : width(least.stride - 1), base(least.size()), rows(least.stride),
        state(base, State::Active) {
    rows.numbers.reserve((base + asked.size()) * rows.stride);
    rows.append(least.numbers.data(), base);
    rows.append(asked.numbers.data(), asked.size());
    state.resize(rows.size(), State::Asked);
    for (size_t j = 0; j < width; ++j)
      columnName.push_back(j);
    for (size_t i = 0; i < rows.size(); ++i)
      rowName.push_back(width + i);
  }

  /// Of the rows without those that are asked; of a yes, `used` are the rows that
  /// contradict each other.
  Verdict solve(std::vector<uint32_t> &used) {
    if (!makeSlacks())
      return Verdict::Unknown;
    dropFree();
    dropGone();
    return restore(used);
  }

  /// Of the row that is asked and the others, which do not contradict each other.
  Verdict ask(size_t which, std::vector<uint32_t> &used) const {
    auto found = std::ranges::find(rowName, width + base + which);
    size_t row = found - rowName.begin();
    // (A row of those is never exchanged.)
    if (found == rowName.end() || constant(row) >= 0)
      return Verdict::No;
    if (!raising(row)) {
      addRows(row, used);
      return Verdict::Yes;
    }
    Tableau other = *this;
    std::ranges::replace(other.state, State::Asked, State::Gone);
    other.state[row] = State::Active;
    return other.restore(used);
  }

private:
  enum class State : uint8_t { Active, Asked, Gone };

  const Number &constant(size_t row) const { return rows[row][width]; }

  /// Unknowns become slacks.
  bool makeSlacks() {
    // By their bounds. (A bound of a row that has been divided is a whole number.)
    constexpr int none = -1;
    std::vector<int> lower(width, none), upper(width, none);
    for (size_t i = 0; i < base; ++i) {
      size_t x = width, count = 0;
      for (size_t j = 0; j < width && count < 2; ++j)
        if (rows[i][j]) {
          x = j;
          ++count;
        }
      if (count != 1)
        continue;
      int &best = rows[i][x] > 0 ? lower[x] : upper[x];
      if (best != none)
        state[constant(i) < constant(best) ? best : i] = State::Gone;
      if (best == none || constant(i) < constant(best))
        best = i;
    }
    for (size_t x = 0; x < width; ++x)
      if (int bound = lower[x] != none ? lower[x] : upper[x]; bound != none)
        if (!exchange(bound, x))
          return false;
    // By the shortest row that has them.
    for (size_t x = 0; x < width; ++x) {
      if (lower[x] != none || upper[x] != none)
        continue;
      size_t shortest = rows.size(), least = width + 1;
      bool minus = false, plus = false;
      for (size_t i = 0; i < rows.size(); ++i) {
        if (state[i] == State::Gone || !rows[i][x])
          continue;
        (rows[i][x] > 0 ? plus : minus) = true;
        size_t size = width - std::count(rows[i], rows[i] + width, Number(0));
        if (state[i] == State::Active && size < least) {
          shortest = i;
          least = size;
        }
      }
      if (plus && minus && shortest != rows.size()) {
        if (!exchange(shortest, x))
          return false;
        continue;
      }
      // It has what value these rows like.
      for (size_t i = 0; i < rows.size(); ++i)
        if (rows[i][x])
          state[i] = State::Gone;
    }
    return true;
  }

  /// The row's unknown becomes a slack, and the row says nothing more.
  bool exchange(size_t row, size_t x) {
    state[row] = State::Gone;
    return pivot(row, x);
  }

  /// Rows of a slack that can raise them, and lowers none.
  void dropFree() {
    // How many rows each slack lowers.
    std::vector<uint32_t> lowers(width);
    for (size_t i = 0; i < rows.size(); ++i)
      for (size_t j = 0; j < width && state[i] != State::Gone; ++j)
        lowers[j] += rows[i][j] < 0;
    std::vector<uint32_t> free;
    for (size_t j = 0; j < width; ++j)
      if (!lowers[j])
        free.push_back(j);
    while (!free.empty()) {
      const uint32_t slack = free.back();
      free.pop_back();
      for (size_t i = 0; i < rows.size(); ++i) {
        if (state[i] == State::Gone || rows[i][slack] <= 0)
          continue;
        state[i] = State::Gone;
        for (size_t j = 0; j < width; ++j)
          if (rows[i][j] < 0 && --lowers[j] == 0)
            free.push_back(j);
      }
    }
  }

  /// Rows that say nothing any more.
  void dropGone() {
    size_t size = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (state[i] == State::Gone)
        continue;
      if (size != i) {
        std::copy(rows[i], rows[i] + rows.stride, rows[size]);
        state[size] = state[i];
        rowName[size] = rowName[i];
      }
      ++size;
    }
    rows.resize(size);
    state.resize(size);
    rowName.resize(size);
  }

  /// The row and those whose slacks lower it, which are 0 or more.
  void addRows(size_t row, std::vector<uint32_t> &used) const {
    used.push_back(rowName[row] - width);
    for (size_t j = 0; j < width; ++j)
      if (rows[row][j] != 0)
        used.push_back(columnName[j] - width);
  }

  /// How many slacks raise the row.
  size_t raising(size_t row) const {
    size_t count = 0;
    for (size_t j = 0; j < width; ++j)
      count += rows[row][j] > 0;
    return count;
  }

  /// Makes constants 0 or more, by exchanges: of the row with the fewest slacks
  /// that raise it; after many, by the least names, which comes to an end (Bland).
  Verdict restore(std::vector<uint32_t> &used) {
    for (unsigned count = 0; count < mostExchanges; ++count) {
      const bool byName = count > mostExchanges / 4;
      size_t row = rows.size(), fewest = 0;
      for (size_t i = 0; i < rows.size(); ++i) {
        if (state[i] != State::Active || constant(i) >= 0)
          continue;
        size_t raise = raising(i);
        if (raise == 0) {
          addRows(i, used);
          return Verdict::Yes;
        }
        if (row == rows.size() ||
            (byName ? rowName[i] < rowName[row] : raise < fewest)) {
          row = i;
          fewest = raise;
        }
      }
      if (row == rows.size())
        return Verdict::No;
      size_t column = width;
      for (size_t j = 0; j < width; ++j)
        if (rows[row][j] > 0 &&
            (column == width || (byName ? columnName[j] < columnName[column]
                                        : rows[row][j] < rows[row][column])))
          column = j;
      if (!pivot(row, column))
        return Verdict::Unknown;
    }
    return Verdict::Unknown;
  }

  /// The row's slack and the column's change places. Whether all fits.
  bool pivot(size_t row, size_t column) {
    Number *by = rows[row];
    const Number p = by[column];
    llvm::SmallVector<uint32_t, 64> others;
    for (size_t j = 0; j <= width; ++j)
      if (by[j] != 0) {
        if (by[j] == lowest<Number>())
          return false;
        if (j != column)
          others.push_back(j);
      }
    const bool minus = p < 0;
    const Number size = minus ? -p : p;
    for (size_t i = 0; i < rows.size(); ++i) {
      Number *numbers = rows[i];
      if (i == row || state[i] == State::Gone || !numbers[column])
        continue;
      if (numbers[column] == lowest<Number>())
        return false;
      // size x = s - rest, or rest - s; this row is multiplied by size.
      Number factor = minus ? -numbers[column] : numbers[column], scale = size;
      if (size != 1) {
        const Number common = divisorOf(size, factor);
        scale /= common;
        factor /= common;
      }
      numbers[column] = 0;
      if (scale != 1)
        for (size_t j = 0; j <= width; ++j)
          if (numbers[j] && multiply(numbers[j], scale, numbers[j]))
            return false;
      numbers[column] = factor;
      for (uint32_t j : others) {
        Number product;
        if (multiply(factor, by[j], product) ||
            subtract(numbers[j], product, numbers[j]))
          return false;
      }
      if (scale != 1)
        shorten(numbers);
    }
    // The row itself is the column's slack now.
    if (!minus)
      for (uint32_t j : others)
        by[j] = -by[j];
    by[column] = minus ? -1 : 1;
    std::swap(rowName[row], columnName[column]);
    return true;
  }

  void shorten(Number *row) const {
    Number divisor = 0;
    for (size_t j = 0; j <= width; ++j) {
      if (row[j] == lowest<Number>())
        return;
      if (row[j])
        divisor = divisorOf(divisor, row[j]);
      if (divisor == 1)
        return;
    }
    for (size_t j = 0; divisor && j <= width; ++j)
      row[j] /= divisor;
  }

  static constexpr unsigned mostExchanges = 2000;
  size_t width, base;
  Matrix<Number> rows;
  std::vector<State> state;
  std::vector<uint32_t> rowName, columnName;
};

/// All rows of a question.
struct Decision {
  size_t width;
  Matrix<int64_t> equal, least, asked;
  std::vector<Reasons> whyEqual, whyLeast, whyAsked;
  std::vector<Alone> alone; ///< of those asked
  Reasons never;            ///< where something never holds

  MutableArrayRef<int64_t> row(Matrix<int64_t> &of, size_t i) {
    return {of[i], of.stride};
  }

  /// Unknowns that an equation gives by the others are put in everywhere, a
  /// product as any other: then what is left can be divided. Whether something
  /// cannot be.
  bool putIn() {
    for (size_t k = 0; k < equal.size(); ++k) {
      MutableArrayRef<int64_t> by = row(equal, k);
      Alone alone = tighten(by, true);
      if (alone == Alone::Never) {
        never = whyEqual[k];
        return true;
      }
      if (alone == Alone::Nothing)
        continue;
      // Of numbers that do not fit it stays as it is.
      auto all = [&](auto change) {
        for (bool really : {false, true})
          for (auto *list : {&equal, &least, &asked})
            for (size_t i = 0; i < list->size(); ++i)
              if (!change(row(*list, i), really))
                return false;
        return true;
      };
      // Of 3 x - 3 y = 4 z the unknown is u = x - y - z: 3 u = z (the integers are
      // the same, and the smallest coefficient is smaller).
      size_t pivot = smallest(by);
      while (by[pivot] != 1 && by[pivot] != -1) {
        const llvm::SmallVector<int64_t, 64> old(by.begin(), by.end());
        if (!all([&](MutableArrayRef<int64_t> into, bool really) {
              return reduce(old, pivot, into, really);
            }))
          break;
        pivot = smallest(by);
      }
      if (by[pivot] != 1 && by[pivot] != -1)
        continue;
      const Reasons why = whyEqual[k];
      auto note = [&](Matrix<int64_t> &list, std::vector<Reasons> &whys) {
        for (size_t i = 0; i < list.size(); ++i)
          if (list[i][pivot])
            whys[i] |= why;
      };
      note(equal, whyEqual);
      note(least, whyLeast);
      note(asked, whyAsked);
      llvm::SmallVector<uint32_t, 64> places;
      for (size_t i = 0; i < by.size(); ++i)
        if (by[i])
          places.push_back(i);
      if (all([&](MutableArrayRef<int64_t> into, bool really) {
            return into.data() == by.data() ||
                   put(by, places, pivot, into, really);
          }))
        std::ranges::fill(by, 0);
    }
    return false;
  }

  /// The unknown of the smallest coefficient.
  static size_t smallest(ArrayRef<int64_t> row) {
    size_t best = 0;
    for (size_t i = 0; i + 1 < row.size(); ++i)
      if (row[i] && (!row[best] || sizeOf(row[i]) < sizeOf(row[best])))
        best = i;
    return best;
  }
  static uint64_t sizeOf(int64_t number) {
    return number < 0 ? 0 - uint64_t(number) : number;
  }

  /// The pivot's unknown, and so often each other one as its coefficient has that of
  /// the pivot, is the unknown instead. Whether the numbers fit.
  static bool reduce(ArrayRef<int64_t> by, size_t pivot,
                     MutableArrayRef<int64_t> into, bool change) {
    const int64_t unit = by[pivot], times = into[pivot];
    for (size_t i = 0; times && i + 1 < by.size(); ++i) {
      if (i == pivot || !by[i])
        continue;
      int64_t product = 0, sum = 0;
      if (by[i] == lowest<int64_t>() ||
          __builtin_mul_overflow(by[i] / unit, times, &product) ||
          __builtin_sub_overflow(into[i], product, &sum))
        return false;
      if (change)
        into[i] = sum;
    }
    return true;
  }

  /// Whether the numbers fit. `places`: where `by` is not 0.
  static bool put(ArrayRef<int64_t> by, ArrayRef<uint32_t> places, size_t pivot,
                  MutableArrayRef<int64_t> into, bool change) {
    if (!into[pivot])
      return true;
    int64_t times = 0;
    if (__builtin_mul_overflow(into[pivot], -by[pivot], &times))
      return false;
    for (uint32_t i : places) {
      int64_t product = 0, sum = 0;
      if (__builtin_mul_overflow(times, by[i], &product) ||
          __builtin_add_overflow(into[i], product, &sum))
        return false;
      if (change)
        into[i] = sum;
    }
    return true;
  }

  /// Puts equations in, and those that two rows are: p >= 0 and -p >= 0. Then no
  /// equations are left. Whether something never holds.
  bool prepare() {
    do {
      if (putIn() || tightenAll())
        return true;
    } while (findEquations());
    for (size_t i = 0; i < equal.size(); ++i) {
      MutableArrayRef<int64_t> equation = row(equal, i);
      Alone alone = tighten(equation, true);
      if (alone == Alone::Never) {
        never = whyEqual[i];
        return true;
      }
      if (alone == Alone::Nothing)
        continue;
      least.append(equation.data());
      whyLeast.push_back(whyEqual[i]);
      if (llvm::is_contained(equation, lowest<int64_t>()))
        continue;
      for (int64_t &number : equation)
        number = -number;
      least.append(equation.data());
      whyLeast.push_back(whyEqual[i]);
    }
    for (size_t i = 0; i < asked.size(); ++i)
      alone.push_back(tighten(row(asked, i), false));
    return false;
  }

  /// Rows that say something; whether one never holds.
  bool tightenAll() {
    size_t size = 0;
    for (size_t i = 0; i < least.size(); ++i) {
      Alone alone = tighten(row(least, i), false);
      if (alone == Alone::Never) {
        never = whyLeast[i];
        return true;
      }
      if (alone == Alone::Something && size++ != i) {
        std::ranges::copy(row(least, i), least[size - 1]);
        whyLeast[size - 1] = whyLeast[i];
      }
    }
    least.resize(size);
    whyLeast.resize(size);
    return false;
  }

  /// Whether there were any.
  bool findEquations() {
    // By a hash that a row and its opposite share.
    std::vector<std::pair<uint64_t, uint32_t>> keys;
    for (size_t i = 0; i < least.size(); ++i) {
      uint64_t hash = 0, sign = 0;
      for (size_t j = 0; j <= width; ++j)
        if (uint64_t number = least[i][j]) {
          if (!sign)
            sign = least[i][j] < 0 ? -1 : 1;
          hash = (hash ^ (number * sign + j)) * 0x9e3779b97f4a7c15u;
        }
      keys.emplace_back(hash, i);
    }
    std::ranges::sort(keys);
    std::vector<bool> gone(least.size());
    bool any = false;
    for (size_t i = 0; i + 1 < keys.size(); ++i)
      for (size_t k = i + 1; k < keys.size() && keys[k].first == keys[i].first;
           ++k) {
        size_t one = keys[i].second, other = keys[k].second;
        if (gone[one] || gone[other] ||
            !std::equal(least[one], least[one] + width + 1, least[other],
                        [](int64_t x, int64_t y) {
                          return x != lowest<int64_t>() && y == -x;
                        }))
          continue;
        equal.append(least[one]);
        whyEqual.push_back(whyLeast[one] | whyLeast[other]);
        gone[one] = gone[other] = any = true;
      }
    size_t size = 0;
    for (size_t i = 0; any && i < least.size(); ++i)
      if (!gone[i] && size++ != i) {
        std::ranges::copy(row(least, i), least[size - 1]);
        whyLeast[size - 1] = whyLeast[i];
      }
    if (any) {
      least.resize(size);
      whyLeast.resize(size);
    }
    return any;
  }

  /// By numbers of any length.
  bool isEmpty(const int64_t *more = nullptr) {
    using namespace mlir::presburger;
    IntegerPolyhedron set(PresburgerSpace::getSetSpace(width));
    for (size_t i = 0; i < least.size(); ++i)
      set.addInequality(row(least, i));
    if (more)
      set.addInequality(ArrayRef(more, width + 1));
    return Simplex(set).isEmpty();
  }

  /// What these rows come from.
  Reasons whyOf(ArrayRef<uint32_t> rows) const {
    Reasons result;
    for (uint32_t row : rows)
      result |= row < whyLeast.size() ? whyLeast[row]
                                      : whyAsked[row - whyLeast.size()];
    return result;
  }
  Reasons whyAll() const {
    Reasons result;
    for (const Reasons &why : whyLeast)
      result |= why;
    return result;
  }

  /// Of all rows; else of each question. Where the numbers do not fit, it is
  /// unknown.
  template <typename Number>
  Verdict solve(std::vector<Verdict> &each, Reasons &why,
                std::vector<Reasons> &whys) {
    Tableau<Number> tableau(least, asked);
    std::vector<uint32_t> used;
    Verdict all = tableau.solve(used);
    why = whyOf(used);
    if (all != Verdict::No)
      return all;
    for (size_t i = 0; i < asked.size(); ++i)
      if (each[i] == Verdict::Unknown) {
        used.clear();
        each[i] = tableau.ask(i, used);
        whys[i] = whyOf(used);
      }
    return std::ranges::find(each, Verdict::Unknown) == each.end()
               ? Verdict::No
               : Verdict::Unknown;
  }
};
} // namespace

LinearSystem::Answer LinearSystem::solve(std::vector<Answer> *answers) const {
  auto matrix = [&](const Rows &rows) {
    Matrix<int64_t> result(width + 1);
    result.numbers = rows.numbers;
    return result;
  };
  const Rows none;
  const Rows &asked = answers ? this->asked : none;
  Decision of{width,     matrix(equal), matrix(least), matrix(asked),
              equal.why, least.why,     asked.why,     {},
              {}};
  if (of.prepare())
    return {true, of.never};
  std::vector<Verdict> each;
  for (Alone alone : of.alone)
    each.push_back(alone == Alone::Never       ? Verdict::Yes
                   : alone == Alone::Something ? Verdict::Unknown
                                               : Verdict::No);
  Reasons why;
  std::vector<Reasons> whys = of.whyAsked;
  Verdict all = of.solve<int64_t>(each, why, whys);
  if (all == Verdict::Unknown)
    all = of.solve<__int128>(each, why, whys);
#ifdef TITAN_HAS_LONG
  if (all == Verdict::Unknown)
    all = of.solve<Long>(each, why, whys);
#endif
  if (all == Verdict::Yes)
    return {true, why};
  if (all == Verdict::Unknown && of.isEmpty())
    return {true, of.whyAll()};
  if (answers) {
    answers->clear();
    for (size_t i = 0; i < each.size(); ++i) {
      if (each[i] == Verdict::Unknown && of.isEmpty(of.asked[i])) {
        each[i] = Verdict::Yes;
        whys[i] = of.whyAll() | of.whyAsked[i];
      }
      answers->push_back({each[i] == Verdict::Yes, whys[i]});
    }
  }
  return {};
}
