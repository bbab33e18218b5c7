//===- Triton.cpp - Triton's layout encodings as layouts ------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Layout/Triton.h"

#include "LayoutParts.h"
#include "TritonParts.h"

#include <algorithm>
#include <bit>

using namespace titan;
using namespace titan::triton;

std::optional<Problem> titan::triton::checkShape(const Numbers &shape) {
  if (shape.empty() || shape.size() > size_t(Coord::maxRank))
    return illegal("a tensor of rank " + std::to_string(shape.size()));
  for (int64_t extent : shape)
    if (!isPowerOfTwo(extent))
      return illegal("an extent of " + std::to_string(extent) +
                     ": Triton's are powers of two");
  return std::nullopt;
}

std::optional<Problem> titan::triton::checkOrder(const std::vector<int> &order,
                                                 size_t rank) {
  std::vector<int> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  bool good = sorted.size() == rank;
  for (size_t d = 0; good && d < rank; ++d)
    good = sorted[d] == static_cast<int>(d);
  if (good)
    return std::nullopt;
  return illegal("the order is no permutation of the dimensions");
}

//===----------------------------------------------------------------------===//
// Wrap-around
//===----------------------------------------------------------------------===//

/// Appends the steps of `digit` over a tensor of `shape`, a bit at a time: those
/// past an extent lead to where they started.
static std::optional<Problem>
wrapDigit(const Digit &digit, const Numbers &shape, std::vector<Digit> &to) {
  if (digit.extent > 1 && !isPowerOfTwo(digit.extent))
    return illegal("an axis of " + std::to_string(digit.extent) +
                   " steps: Triton's are powers of two");
  for (int64_t v = 1; v < digit.extent; v *= 2) {
    Digit bit{2, digit.dim, digit.stride * v};
    if (digit.isExclusive()) {
      bit = Digit::xors(2, digit.image);
      bool moves = false;
      for (size_t d = 0; d < shape.size(); ++d) {
        bit.image[d] = bit.image[d] * v % shape[d];
        moves = moves || bit.image[d] != 0;
      }
      if (!moves)
        bit = {2, Digit::replica, 0};
    } else if (digit.isSum()) {
      if (!isPowerOfTwo(bit.stride))
        return illegal("a step of " + std::to_string(bit.stride) +
                       ": Triton's are powers of two");
      if (bit.stride >= shape[digit.dim])
        bit = {2, Digit::replica, 0};
    }
    appendDigit(to, bit);
  }
  return std::nullopt;
}

/// Without the registers that repeat what others hold by a digit of their own.
static Result<Layout> withoutCopies(const Layout &layout) {
  std::vector<Axis> axes = layout.axes();
  std::erase_if(axes[0].digits, [](const Digit &d) { return d.isReplica(); });
  return Layout::make(std::move(axes), layout.dims(), layout.offset(),
                      layout.bits());
}

Result<Layout> titan::triton::wrapped(const Layout &threads,
                                      const Numbers &shape,
                                      const std::vector<int> &order) {
  if (auto problem = checkShape(shape))
    return *problem;
  if (!order.empty())
    if (auto problem = checkOrder(order, shape.size()))
      return *problem;
  int rank = static_cast<int>(shape.size());
  Layout tensor = threads.canonical();
  if (tensor.rank() != rank || !tensor.isTile() || !tensor.bits().isIdentity())
    return illegal("threads in another rank than the tensor's");
  if (auto problem = checkShape(tensor.shape()))
    return *problem;
  std::vector<Axis> axes;
  for (const Axis &axis : tensor.axes()) {
    axes.push_back({axis.name, {}});
    for (const Digit &digit : axis.digits)
      if (auto problem = wrapDigit(digit, shape, axes.back().digits))
        return *problem;
  }
  for (int i = 0; i < rank; ++i) {
    int d = order.empty() ? rank - 1 - i : order[i];
    if (int64_t extent = tensor.dims()[d].extent; extent < shape[d])
      appendDigit(axes[0].digits, {shape[d] / extent, d, extent});
  }
  return Layout::make(std::move(axes), namedDims(shape));
}

//===----------------------------------------------------------------------===//
// CTAs
//===----------------------------------------------------------------------===//

std::optional<Problem> titan::triton::clipCga(Cga &cga, const Numbers &shape) {
  for (Numbers &step : cga) {
    if (step.size() != shape.size())
      return illegal("a CTA's step in another rank than the tensor's");
    for (size_t d = 0; d < shape.size(); ++d)
      step[d] = step[d] < shape[d] ? step[d] : 0;
  }
  return std::nullopt;
}

Numbers titan::triton::shapePerCta(const Numbers &shape, const Cga &cga) {
  Numbers result = shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t reach = 0;
    for (const Numbers &step : cga)
      if (d < step.size())
        reach |= step[d];
    int64_t ctas = int64_t(1) << std::bit_width(static_cast<uint64_t>(reach));
    result[d] = std::max<int64_t>(shape[d] / ctas, 1);
  }
  return result;
}

Result<Layout> titan::triton::overCtas(const Layout &tile, const Cga &cga) {
  if (!tile.isTile() || tile.ctas() != 1)
    return illegal("the tile of one CTA is wanted");
  if (cga.empty())
    return tile;
  size_t rank = static_cast<size_t>(tile.rank());
  Numbers shape = tile.shape(), reach(rank, 0);
  for (const Numbers &step : cga) {
    if (step.size() != rank)
      return illegal("a CTA's step in another rank than the tile's");
    for (size_t d = 0; d < rank; ++d) {
      if (step[d] < 0 || step[d] > 64)
        return illegal("a CTA's step of " + std::to_string(step[d]) + " tiles");
      reach[d] |= step[d];
    }
  }
  Axis ctas{"cta", {}};
  for (const Numbers &step : cga) {
    std::vector<int64_t> image(rank, 0);
    for (size_t d = 0; d < rank; ++d)
      image[d] = step[d] * shape[d];
    ctas.digits.push_back(Digit::xors(2, image));
  }
  for (size_t d = 0; d < rank; ++d)
    shape[d] *= int64_t(1) << std::bit_width(static_cast<uint64_t>(reach[d]));
  std::vector<Axis> axes = {tile.axes()[0], tile.axes()[1], tile.axes()[2],
                            std::move(ctas)};
  Result<Layout> result = Layout::make(std::move(axes), namedDims(shape),
                                       tile.offset(), tile.bits());
  return result ? Result<Layout>(result->canonical()) : result;
}

//===----------------------------------------------------------------------===//
// Walks
//===----------------------------------------------------------------------===//

namespace {
/// T, made digit by digit: each goes on along its dimension where the one before
/// it ended.
class Walk {
public:
  enum Axis { Reg, Lane, Warp };

  explicit Walk(size_t rank) : reach(rank, 1), held(rank) {}

  /// `count` steps along dimension d.
  void step(Axis axis, int d, int64_t count) {
    if (!good(count, reach[d]))
      return;
    axes[axis].push_back({count, d, reach[d]});
    reach[d] *= count;
  }
  /// `count` values that hold the same.
  void copies(Axis axis, int64_t count) {
    if (good(count, 1))
      axes[axis].push_back({count, Digit::replica, 0});
  }
  /// A box, its dimensions in `order`; along `same` all hold the same.
  void box(Axis axis, const Numbers &counts, const std::vector<int> &order,
           int same = -1) {
    for (int d : order)
      d == same ? copies(axis, counts[d]) : step(axis, d, counts[d]);
  }
  /// `count` registers along d that come behind all others but those in which
  /// T goes on along d.
  void later(int d, int64_t count) {
    if (!good(count, reach[d]))
      return;
    held[d] = {count, d, reach[d]};
    reach[d] *= count;
  }

  /// Laid over a tensor cut into CTAs; further registers in `order`, along
  /// dimension `whole` as many as if the tensor were not cut.
  Result<Layout> over(const Numbers &shape, Cga cga,
                      const std::vector<int> &order, int whole = -1);

private:
  bool good(int64_t count, int64_t of) {
    if (isPowerOfTwo(count) && count <= sizeLimit / of)
      return true;
    wrong = count;
    return false;
  }

  std::vector<Digit> axes[3];
  Numbers reach;
  std::vector<Digit> held;
  std::optional<int64_t> wrong;
};
} // namespace

Result<Layout> Walk::over(const Numbers &shape, Cga cga,
                          const std::vector<int> &order, int whole) {
  if (wrong)
    return illegal("a level of " + std::to_string(*wrong) +
                   ": Triton's are powers of two");
  if (auto problem = checkShape(shape))
    return *problem;
  if (auto problem = clipCga(cga, shape))
    return *problem;
  Numbers part = shapePerCta(shape, cga);
  std::vector<titan::Axis> wrap = {{"reg", {}}, {"lane", {}}, {"warp", {}}};
  auto add = [&](size_t axis, const Digit &digit) {
    return wrapDigit(digit, part, wrap[axis].digits);
  };
  for (size_t a = 0; a < 3; ++a)
    for (const Digit &digit : axes[a])
      if (auto problem = add(a, digit))
        return *problem;
  for (int d : order) {
    if (auto problem = add(0, held[d]))
      return *problem;
    if (int64_t extent = (d == whole ? shape : part)[d]; reach[d] < extent)
      if (auto problem = add(0, {extent / reach[d], d, reach[d]}))
        return *problem;
  }
  Result<Layout> tile = Layout::make(std::move(wrap), namedDims(part));
  return tile ? overCtas(*tile, cga) : tile;
}

/// Dimensions, the last first; with `turned`, the one before the last first.
static std::vector<int> lastFirst(size_t rank, bool turned = false) {
  std::vector<int> order(rank);
  for (size_t d = 0; d < rank; ++d)
    order[d] = static_cast<int>(rank - 1 - d);
  if (turned && rank > 1)
    std::swap(order[0], order[1]);
  return order;
}

static std::optional<Problem> checkLevel(const char *name, const Numbers &level,
                                         size_t rank) {
  if (level.size() == rank)
    return std::nullopt;
  return illegal(std::string(name) + " of " + std::to_string(level.size()) +
                 " numbers for " + std::to_string(rank) + " dimensions");
}

Result<Layout> titan::triton::toLayout(const Blocked &e, const Numbers &shape) {
  size_t rank = shape.size();
  if (auto problem = checkOrder(e.order, rank))
    return *problem;
  for (auto problem : {checkLevel("sizePerThread", e.sizePerThread, rank),
                       checkLevel("threadsPerWarp", e.threadsPerWarp, rank),
                       checkLevel("warpsPerCTA", e.warpsPerCta, rank)})
    if (problem)
      return *problem;
  Walk walk(rank);
  walk.box(Walk::Reg, e.sizePerThread, e.order);
  walk.box(Walk::Lane, e.threadsPerWarp, e.order);
  walk.box(Walk::Warp, e.warpsPerCta, e.order);
  return walk.over(shape, e.cga, e.order);
}

Result<Layout> titan::triton::toLayout(const Linear &e, const Numbers &shape) {
  if (auto problem = checkShape(shape))
    return *problem;
  // T's own shape, and the dimensions in the order in which registers walk.
  size_t rank = shape.size();
  Numbers own(rank, 1);
  std::vector<Axis> axes;
  const std::pair<const char *, const Bases *> all[] = {{"reg", &e.registers},
                                                        {"lane", &e.lanes},
                                                        {"warp", &e.warps},
                                                        {"cta", &e.blocks}};
  for (auto [name, images] : all) {
    Axis axis{name, {}};
    for (const Numbers &image : *images) {
      if (auto problem = checkLevel("an image", image, rank))
        return *problem;
      for (size_t d = 0; d < rank; ++d) {
        if (image[d] < 0 || image[d] >= sizeLimit)
          return illegal("an image of " + std::to_string(image[d]));
        while (own[d] <= image[d])
          own[d] *= 2;
      }
      axis.digits.push_back(Digit::xors(2, image));
    }
    if (name != std::string_view("cta") || !images->empty())
      axes.push_back(std::move(axis));
  }
  std::vector<int> order;
  auto walked = [&](int d) {
    if (std::find(order.begin(), order.end(), d) == order.end())
      order.push_back(d);
  };
  for (const Numbers &image : e.registers)
    for (size_t d = 0; d < rank; ++d)
      if (image[d] != 0) {
        walked(static_cast<int>(d));
        break;
      }
  for (int d : lastFirst(rank))
    walked(d);
  Result<Layout> threads = Layout::make(std::move(axes), namedDims(own));
  if (!threads)
    return threads;
  if (!threads->isSurjective())
    return illegal("the images do not lead to all elements of their shape");
  Result<Layout> tile = triton::wrapped(*threads, shape, order);
  if (!tile)
    return tile;
  // Only registers that the wrap-around makes copies are left out.
  bool cut = false;
  for (size_t d = 0; d < rank; ++d)
    cut = cut || own[d] > shape[d];
  return cut ? withoutCopies(*tile) : tile;
}

Result<Layout> titan::triton::toLayout(const Slice &e, const Numbers &shape) {
  if (!e.parent || e.dim < 0 || size_t(e.dim) > shape.size())
    return illegal("a slice along dimension " + std::to_string(e.dim) +
                   " that its parent does not have");
  Numbers whole = shape;
  whole.insert(whole.begin() + e.dim, 1);
  Result<Layout> parent = e.parent->layout(whole);
  if (!parent)
    return parent;
  if (!parent->isTile())
    return illegal("a slice of an encoding of shared memory");
  Result<Layout> left = parent->withoutDim(e.dim);
  return left ? withoutCopies(*left) : left;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// m, n of a product's dimensions; k of an operand takes the other one's place.
static int rowOf(size_t rank) { return static_cast<int>(rank) - 2; }
static int columnOf(size_t rank) { return static_cast<int>(rank) - 1; }

static std::optional<Problem> checkNvidiaMma(const NvidiaMma &e, size_t rank) {
  size_t numbers = e.versionMajor == 3 ? 3 : rank;
  if ((e.versionMajor != 2 && e.versionMajor != 3) || rank < 2 ||
      (e.versionMajor == 3 && rank != 2))
    return illegal("nvidia_mma of version " + std::to_string(e.versionMajor) +
                   " in " + std::to_string(rank) +
                   " dimensions: 2 (mma.sync) has two or three, 3 (wgmma) two");
  if (auto problem = checkLevel("warpsPerCTA", e.warpsPerCta, rank))
    return problem;
  return checkLevel("instrShape", e.instrShape, numbers);
}

Result<Layout> titan::triton::toLayout(const NvidiaMma &e,
                                       const Numbers &shape) {
  size_t rank = shape.size();
  if (auto problem = checkNvidiaMma(e, rank))
    return *problem;
  bool wgmma = e.versionMajor == 3;
  int r = rowOf(rank), c = columnOf(rank);
  int64_t m = e.instrShape[wgmma ? 0 : r], n = e.instrShape[wgmma ? 1 : c];
  Walk walk(rank);
  walk.step(Walk::Reg, c, 2);
  walk.step(Walk::Lane, c, 4);
  walk.step(Walk::Lane, r, 8);
  walk.step(Walk::Reg, r, m / 8);
  walk.step(Walk::Reg, c, n / 8);
  walk.box(Walk::Warp, e.warpsPerCta, lastFirst(rank, wgmma));
  return walk.over(shape, e.cga, lastFirst(rank));
}

static std::optional<Problem> checkMfma(const AmdMfma &e, size_t rank) {
  if (rank < 2 || rank > 3 || e.instrShape.size() != 3)
    return illegal("amd_mfma has two or three dimensions, and m, n, k");
  int64_t m = e.instrShape[0], n = e.instrShape[1];
  if (!((m == 32 && n == 32) || (m == 16 && n == 16) || (m == 64 && n == 4) ||
        (m == 4 && n == 64)))
    return illegal("amd_mfma of " + std::to_string(m) + " x " +
                   std::to_string(n));
  if (!e.tilesPerWarp.empty())
    if (auto problem = checkLevel("tilesPerWarp", e.tilesPerWarp, rank))
      return problem;
  return checkLevel("warpsPerCTA", e.warpsPerCta, rank);
}

/// A wave of CDNA.
static constexpr int64_t waveLanes = 64;

Result<Layout> titan::triton::toLayout(const AmdMfma &e, const Numbers &shape) {
  size_t rank = shape.size();
  if (auto problem = checkMfma(e, rank))
    return *problem;
  int r = rowOf(rank), c = columnOf(rank);
  int along = e.isTransposed ? c : r, across = e.isTransposed ? r : c;
  int64_t length = e.instrShape[e.isTransposed ? 1 : 0];
  int64_t lanes = e.instrShape[e.isTransposed ? 0 : 1];
  int64_t height = e.elementBitWidth == 64 ? 1 : 4;
  Walk walk(rank);
  walk.step(Walk::Reg, along, height);
  walk.step(Walk::Lane, across, lanes);
  walk.step(Walk::Lane, along, waveLanes / lanes);
  walk.step(Walk::Reg, along,
            std::max<int64_t>(length / (height * (waveLanes / lanes)), 1));
  if (!e.tilesPerWarp.empty())
    for (int d : lastFirst(rank))
      walk.later(d, e.tilesPerWarp[d]);
  walk.box(Walk::Warp, e.warpsPerCta, lastFirst(rank));
  // Triton counts the registers along n over all CTAs.
  return walk.over(shape, e.cga, lastFirst(rank), c);
}

Result<Layout> titan::triton::toLayout(const DotOperand &e,
                                       const Numbers &shape) {
  size_t rank = shape.size();
  if (!e.parent || rank < 2 || (e.opIdx != 0 && e.opIdx != 1))
    return illegal("dot_op is operand 0 or 1 of a product");
  int k = e.opIdx == 0 ? columnOf(rank) : rowOf(rank);
  int other = e.opIdx == 0 ? rowOf(rank) : columnOf(rank);
  std::vector<int> kFirst = lastFirst(rank, e.opIdx == 1);
  // CTAs along k hold the same operand.
  auto copied = [&](Cga cga) {
    for (Numbers &step : cga)
      if (step.size() == rank)
        step[k] = 0;
    return cga;
  };
  Walk walk(rank);
  if (auto *mma = std::get_if<NvidiaMma>(&e.parent->get())) {
    if (auto problem = checkNvidiaMma(*mma, rank))
      return *problem;
    bool wgmma = mma->versionMajor == 3;
    if (wgmma && e.opIdx == 1)
      return illegal("wgmma takes operand 1 from shared memory");
    walk.step(Walk::Reg, k, e.kWidth);
    walk.step(Walk::Lane, k, 4);
    walk.step(Walk::Lane, other, 8);
    if (e.opIdx == 0)
      walk.step(Walk::Reg, other, 2);
    walk.step(Walk::Reg, k, 2);
    walk.box(Walk::Warp, mma->warpsPerCta, lastFirst(rank, wgmma), k);
    return walk.over(shape, copied(mma->cga), kFirst);
  }
  if (auto *mfma = std::get_if<AmdMfma>(&e.parent->get())) {
    if (auto problem = checkMfma(*mfma, rank))
      return *problem;
    int64_t lanes = mfma->instrShape[e.opIdx];
    walk.step(Walk::Reg, k, e.kWidth);
    walk.step(Walk::Lane, other, lanes);
    walk.step(Walk::Lane, k, waveLanes / lanes);
    // The side of 64 has no lanes left for k: the instruction's 16 steps are
    // registers.
    if (lanes == waveLanes)
      walk.step(Walk::Reg, k, 16);
    if (!mfma->tilesPerWarp.empty())
      for (int d : lastFirst(rank))
        if (d != k)
          walk.later(d, mfma->tilesPerWarp[d]);
    walk.box(Walk::Warp, mfma->warpsPerCta, lastFirst(rank), k);
    // Triton cuts the operand as the result, along k, too, and counts the
    // registers along k over all CTAs.
    return walk.over(shape, mfma->cga, kFirst, k);
  }
  if (auto *blocked = std::get_if<Blocked>(&e.parent->get())) {
    if (auto problem = checkOrder(blocked->order, rank))
      return *problem;
    Numbers values = blocked->sizePerThread;
    for (auto problem :
         {checkLevel("sizePerThread", values, rank),
          checkLevel("threadsPerWarp", blocked->threadsPerWarp, rank),
          checkLevel("warpsPerCTA", blocked->warpsPerCta, rank)})
      if (problem)
        return *problem;
    values[k] = shape[k];
    walk.box(Walk::Reg, values, blocked->order);
    walk.box(Walk::Lane, blocked->threadsPerWarp, blocked->order, k);
    walk.box(Walk::Warp, blocked->warpsPerCta, blocked->order, k);
    return walk.over(shape, copied(blocked->cga), blocked->order);
  }
  return illegal("dot_op of an encoding that no product has");
}
