//===- Correctness.cpp - What a copy needs, and who checks it -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Domain/Correctness.h"

#include <algorithm>
#include <numeric>

using namespace titan;

//===----------------------------------------------------------------------===//
// Rules, now or at launch
//===----------------------------------------------------------------------===//

Tri LaunchCheck::holds(const Expr::Bindings &bindings) const {
  auto value = atLeastZero.evaluate(bindings);
  return value ? triOf(*value >= 0) : Tri::Unknown;
}

void Requirements::atLeastZero(Code code, const Expr &value, std::string field,
                               std::string message, std::string fix) {
  auto known = value.constant();
  if (value.isUndefined() || (known && *known < 0)) // No launch mends it.
    errors.push_back(
        {code, std::move(field), std::move(message), std::move(fix)});
  else if (!known)
    checks.push_back(
        {code, value, std::move(field), std::move(message), std::move(fix)});
}

void Requirements::multiple(Code code, const Expr &value, int64_t factor,
                            std::string field, std::string message,
                            std::string fix) {
  if (isMultiple(value, factor) != Tri::Yes)
    atLeastZero(code, Expr(0) - value % Expr(factor), std::move(field),
                std::move(message), std::move(fix));
}

namespace {
/// Takes a coordinate apart into terms.
struct AlignmentProof {
  int64_t unit; // Elements.
  const IsIndex &isIndex;
  Expr launchPart = 0;               // The terms without an index.
  std::vector<Expr> launchFactors;   // Have to be multiples of the unit.
  std::map<std::string, Expr> steps; // By index: what it is multiplied by.
  std::optional<Expr> unknown;

  void visit(const Expr &e) {
    if (!e.mentions(isIndex)) {
      launchPart = launchPart + e;
      return;
    }
    if (isMultiple(e, unit) == Tri::Yes)
      return;
    switch (e.kind()) {
    case Expr::Kind::Add:
      visit(e.lhs());
      visit(e.rhs());
      return;
    case Expr::Kind::Symbol:
      add(e.name(), 1);
      return;
    case Expr::Kind::Mul: {
      Expr fixed = 1, moving = 1;
      split(e, fixed, moving);
      if (!fixed.constant())
        launchFactors.push_back(fixed);
      else if (moving.kind() == Expr::Kind::Symbol)
        add(moving.name(), fixed);
      else
        unknown = e;
      return;
    }
    default:
      unknown = e;
    }
  }

  void add(const std::string &index, const Expr &step) {
    steps[index] = steps[index] + step;
  }

  /// A product's factors without and with indices.
  void split(const Expr &e, Expr &fixed, Expr &moving) const {
    if (!e.mentions(isIndex)) {
      fixed = fixed * e;
    } else if (e.kind() == Expr::Kind::Mul) {
      split(e.lhs(), fixed, moving);
      split(e.rhs(), fixed, moving);
    } else {
      moving = moving * e;
    }
  }
};
} // namespace

void titan::requireAlignedCoordinate(const Expr &coordinate,
                                     const TmaType &type,
                                     const TargetInfo &target,
                                     const IsIndex &isIndex,
                                     Requirements &requirements) {
  bool padded = type.driver >= 14;
  int64_t bits = 8 * target.tmaCoordinateBytesMultiple;
  int64_t unit = padded ? 128 : bits / std::gcd<int64_t>(bits, type.bits);
  Code code = padded ? Code::TmaCoordinatePacked : Code::TmaCoordinateAlignment;
  std::string rule = " is no multiple of " + std::to_string(unit) +
                     " elements of " + std::string(type.name);
  AlignmentProof proof{unit, isIndex};
  proof.visit(coordinate);
  const char *field = "tensorCoords[0]";
  for (const auto &[index, step] : proof.steps)
    if (isMultiple(step, unit) != Tri::Yes) {
      requirements.errors.push_back(
          {code, field,
           "coordinate " + coordinate.str() + ": the step of " + index + ", " +
               step.str() + "," + rule,
           "split so that " + index + " steps by a multiple of " +
               std::to_string(unit)});
      return;
    }
  if (proof.unknown)
    requirements.errors.push_back(
        {Code::Undecided, field,
         "cannot decide whether coordinate " + coordinate.str() +
             " is a multiple of " + std::to_string(unit) + " elements of " +
             std::string(type.name) + ": " + proof.unknown->str()});
  auto multiple = [&](const Expr &e) {
    requirements.multiple(
        code, e, unit, field, e.str() + rule,
        e.constant()
            ? "let resizes of the innermost dimension add or "
              "leave out a multiple of " +
                  std::to_string(unit) + " elements before the first, not " +
                  Expr(0 - e).str()
            : "let " + e.str() + " be a multiple of " + std::to_string(unit));
  };
  for (const Expr &factor : proof.launchFactors)
    multiple(factor);
  multiple(proof.launchPart);
}

//===----------------------------------------------------------------------===//
// Theorem 1
//===----------------------------------------------------------------------===//

void titan::requireWeakStore(const TmaStoreFacts &facts,
                             Requirements &requirements) {
  for (size_t d = 0; d < facts.leastStarts.size(); ++d)
    requirements.atLeastZero(Code::TmaStoreNegative, facts.leastStarts[d],
                             "tensorCoords[" + std::to_string(d) + "]",
                             "a store starts at coordinate " +
                                 facts.leastStarts[d].str());
  int64_t chunk = 128 / std::gcd<int64_t>(128, facts.elementBits);
  if (!facts.tailIsPadding)
    requirements.multiple(
        Code::TmaStoreTail, facts.innerExtent * Expr(facts.elementBits), 128,
        "globalDim[0]",
        "rows of " + facts.innerExtent.str() + " elements of " +
            std::to_string(facts.elementBits) +
            " bits: the last chunk of 16 bytes is written past the row's end",
        (facts.innerExtent.constant()
             ? "store rows of a multiple of " + std::to_string(chunk) +
                   " elements"
             : "let " + facts.innerExtent.str() + " be a multiple of " +
                   std::to_string(chunk)) +
            ", or say `padded` in the schedule, where what stands behind each "
            "row is free");
}

namespace {
/// Looks for two elements that share a byte.
struct OverlapSearch {
  using Wide = __int128; // Strides have 40 bits, extents 33.
  struct Dim {
    size_t number;
    Wide stride, most; // Of a difference of two indices.
  };
  std::vector<Dim> dims; // By stride, largest first.
  Wide element;
  std::vector<int64_t> apart = {}; // By number: the difference found.
  int64_t steps = 1 << 16;

  /// Of the dimensions from k on; those before are `sum` bytes apart.
  bool find(size_t k, Wide sum, bool differ) {
    if (--steps < 0)
      return false;
    if (k == dims.size())
      return differ && sum < element && -sum < element;
    const Dim &d = dims[k];
    Wide rest = element - 1; // What the others make up for.
    for (size_t j = k + 1; j < dims.size(); ++j)
      rest += dims[j].stride * dims[j].most;
    // The first one that differs goes up.
    Wide from = differ ? -d.most : 0, to = d.most;
    if (d.stride > 0) {
      from = std::max(from, -((sum + rest) / d.stride) - 1);
      to = std::min(to, (rest - sum) / d.stride + 1);
    } else if (!differ) {
      from = to = 1;
    }
    for (Wide x = from; x <= to && steps >= 0; ++x) {
      Wide at = sum + x * d.stride;
      if (at > rest || -at > rest)
        continue;
      apart[d.number] = static_cast<int64_t>(x);
      if (find(k + 1, at, differ || x != 0))
        return true;
    }
    apart[d.number] = 0;
    return false;
  }
};
} // namespace

/// Whether strides are those of a tensor without overlaps, as it is written:
/// each at least the one before times its extent.
static bool surelyNests(const std::vector<TmaStoreDim> &dims, int64_t element) {
  Expr covered = element;
  for (size_t k = dims.size(); k-- > 0;) {
    const TmaStoreDim &d = dims[k];
    if (d.extent.is(1))
      continue;
    auto more = (d.stride - covered).constant();
    if (areEqual(d.stride, covered) != Tri::Yes && !(more && *more >= 0))
      return false;
    covered = d.stride * d.extent;
  }
  return true;
}

void titan::requireDisjointElements(const std::vector<TmaStoreDim> &dims,
                                    int64_t elementBytes,
                                    Requirements &requirements) {
  if (surelyNests(dims, elementBytes))
    return;
  OverlapSearch search{{}, elementBytes};
  search.apart.assign(dims.size(), 0);
  bool known = true;
  for (size_t k = 0; k < dims.size(); ++k) {
    auto n = dims[k].extent.constant(), stride = dims[k].stride.constant();
    if (stride && *stride < 0)
      return; // The map's rule.
    if (n && stride && *n > 1)
      search.dims.push_back({k, *stride, *n - 1});
    known = known && n && (stride || *n == 1);
  }
  std::stable_sort(
      search.dims.begin(), search.dims.end(),
      [](const auto &a, const auto &b) { return a.stride > b.stride; });
  auto text = [](const TmaStoreDim &d) {
    return d.name + " (stride " + d.stride.str() + " bytes)";
  };
  if (search.find(0, 0, false)) {
    std::string places;
    for (size_t k = 0; k < dims.size(); ++k)
      if (int64_t x = search.apart[k])
        places += (places.empty() ? "" : ", ") + std::to_string(x) + " along " +
                  text(dims[k]);
    requirements.errors.push_back({Code::TmaStoreOverlap, "globalStrides",
                                   "two elements share bytes, the second one " +
                                       places + " from the first"});
    return;
  }
  if (known && search.steps >= 0)
    return;
  std::string unknown = "whether two elements share bytes cannot be decided: "
                        "strides do not nest";
  if (known) {
    requirements.errors.push_back({Code::Undecided, "globalStrides", unknown});
    return;
  }
  for (size_t k = 0; k + 1 < dims.size(); ++k) {
    const TmaStoreDim &d = dims[k];
    if (d.extent.is(1))
      continue;
    Expr spanned = dims.back().extent * elementBytes;
    for (size_t j = 0; j + 1 < dims.size(); ++j) {
      const TmaStoreDim &other = dims[j];
      if (j == k || other.extent.is(1))
        continue;
      Expr less = min(1, max(0, d.stride - other.stride + 1)); // Or as large.
      spanned = spanned + (other.extent - 1) * other.stride * less;
    }
    Expr margin = d.stride - spanned;
    if (auto n = d.extent.constant(); !n || *n < 2)
      margin = max(Expr(1) - d.extent, margin);
    auto value = margin.constant();
    requirements.atLeastZero(
        value && *value < 0 ? Code::Undecided : Code::TmaStoreOverlap, margin,
        "globalStrides",
        value ? unknown
              : text(d) + " is less than the " + spanned.str() +
                    " bytes that the dimensions of smaller strides span: "
                    "elements share bytes");
  }
}

//===----------------------------------------------------------------------===//
// Which correctness is wanted
//===----------------------------------------------------------------------===//

static const char *nameOf(TileFill fill) {
  return fill == TileFill::Zero  ? "zero"
         : fill == TileFill::NaN ? "NaN"
                                 : "a value that is neither zero nor NaN";
}

Result<WantedCorrectness>
titan::wantedCorrectness(const std::vector<TileUse> &uses,
                         const TileHoles &holes,
                         const CorrectnessDemand &demand) {
  const TileUse *needs = nullptr, *other = nullptr;
  int rank = static_cast<int>(holes.dimensions.size()), dimension = 0;
  auto holesAt = [&](int d) {
    return d == rank ? holes.loops : holes.dimensions[d];
  };
  auto differs = [&](const std::string &a, TileFill x, const std::string &b,
                     TileFill y) {
    return Problem{"tma-fill-value", a + " wants holes to be " + nameOf(x) +
                                         ", " + b + " wants " + nameOf(y)};
  };
  for (const TileUse &use : uses)
    for (int d : use.reduced) {
      if (d < 0 || d > rank)
        return Problem{"domain-invalid", use.name + " reduces dimension " +
                                             std::to_string(d) + " of " +
                                             std::to_string(rank)};
      if (holesAt(d) == Tri::No)
        continue;
      // The first; but one that no fill serves before others, and holes that
      // are there before those that may be.
      bool refused = use.neutral == TileFill::Other,
           was = needs && needs->neutral == TileFill::Other;
      if (!needs || refused > was ||
          (refused == was && use.neutral == needs->neutral &&
           holesAt(d) == Tri::Yes && holesAt(dimension) != Tri::Yes)) {
        needs = &use;
        dimension = d;
      } else if (needs->neutral != use.neutral) {
        other = &use;
      }
    }
  WantedCorrectness wanted;
  TileFill fill = demand.fill.value_or(needs ? needs->neutral : TileFill::Zero);
  std::string reach;
  if (needs)
    reach =
        needs->name + " takes " +
        (dimension == rank ? "tiles of the loops around it"
                           : "elements along dimension " +
                                 std::to_string(dimension) + " of the tile") +
        " together, and some of them " +
        (holesAt(dimension) == Tri::Unknown ? "may be holes" : "are holes");
  if (demand.level == Correctness::Weak) {
    wanted.why = "weak: asked for";
    if (needs)
      wanted.why += ", though " + reach;
  } else {
    bool strong = needs || demand.level == Correctness::Strong;
    if (strong && needs && needs->neutral == TileFill::Other)
      return Problem{"tma-fill-value", needs->name + " wants holes to be " +
                                           nameOf(TileFill::Other) +
                                           "; TMA fills with zero or NaN" +
                                           needs->otherwise};
    if (needs && other)
      return differs(needs->name, needs->neutral, other->name, other->neutral);
    if (demand.fill && needs && *demand.fill != needs->neutral)
      return differs("the attribute", *demand.fill, needs->name,
                     needs->neutral);
    wanted.level = strong ? Correctness::Strong : Correctness::Weak;
    wanted.why = needs    ? "strong: " + reach + ", in which only " +
                                nameOf(fill) + " leaves its result right"
                 : strong ? "strong: asked for"
                          : "weak: no hole reaches an unpredicated reduction";
    if (strong && fill == TileFill::Other)
      return Problem{"tma-fill-value", "the attribute wants holes to be " +
                                           std::string(nameOf(fill)) +
                                           "; TMA fills with zero or NaN"};
  }
  wanted.nanFill = fill == TileFill::NaN;
  return wanted;
}
