//===- Triton.cpp - Triton's layout encodings as layouts ------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Layout/Triton.h"

#include "LayoutParts.h"

#include <algorithm>
#include <bit>

using namespace titan;
using namespace titan::triton;

static std::optional<Problem> checkShape(const Numbers &shape) {
  if (shape.empty() || shape.size() > size_t(Coord::maxRank))
    return illegal("a tensor of rank " + std::to_string(shape.size()));
  for (int64_t extent : shape)
    if (!isPowerOfTwo(extent))
      return illegal("an extent of " + std::to_string(extent) +
                     ": Triton's are powers of two");
  return std::nullopt;
}

static std::optional<Problem> checkOrder(const std::vector<int> &order,
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
// Registers
//===----------------------------------------------------------------------===//

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
  std::vector<Axis> axes = tensor.axes();
  for (size_t a = 0; a < axes.size(); ++a) {
    std::vector<Digit> kept;
    for (const Digit &digit : tensor.axes()[a].digits) {
      if (digit.extent > 1 && !isPowerOfTwo(digit.extent))
        return illegal("an axis of " + std::to_string(digit.extent) +
                       " steps: Triton's are powers of two");
      // A bit at a time: steps past the extent wrap to where they started.
      for (int64_t v = 1; v < digit.extent; v *= 2) {
        Digit bit{2, digit.dim, digit.stride * v};
        if (digit.isExclusive()) {
          bit = Digit::xors(2, digit.image);
          bool moves = false;
          for (int d = 0; d < rank; ++d) {
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
        // Registers that would repeat an element are left out.
        if (a != 0 || !bit.isReplica())
          appendDigit(kept, bit);
      }
    }
    axes[a].digits = std::move(kept);
  }
  for (int i = 0; i < rank; ++i) {
    int d = order.empty() ? rank - 1 - i : order[i];
    if (int64_t extent = tensor.dims()[d].extent; extent < shape[d])
      appendDigit(axes[0].digits, {shape[d] / extent, d, extent});
  }
  return Layout::make(std::move(axes), namedDims(shape));
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

Result<Layout> titan::triton::toLayout(const Blocked &encoding,
                                       const Numbers &shape) {
  size_t rank = shape.size();
  if (auto problem = checkShape(shape))
    return *problem;
  if (auto problem = checkOrder(encoding.order, rank))
    return *problem;
  // Each level is a box of the boxes below it.
  std::vector<std::vector<Digit>> axes;
  Numbers reach(rank, 1);
  for (const Numbers *level :
       {&encoding.sizePerThread, &encoding.threadsPerWarp,
        &encoding.warpsPerCta}) {
    if (level->size() != rank)
      return illegal("blocked: a level has " + std::to_string(level->size()) +
                     " numbers for " + std::to_string(rank) + " dimensions");
    axes.emplace_back();
    for (int d : encoding.order) {
      int64_t count = (*level)[d];
      if (!isPowerOfTwo(count) || count > sizeLimit / reach[d])
        return illegal("blocked: " + std::to_string(count) +
                       " along dimension " + std::to_string(d));
      axes.back().push_back({count, d, reach[d]});
      reach[d] *= count;
    }
  }
  Result<Layout> threads = Layout::tile(reach, axes[0], axes[1], axes[2]);
  if (!threads)
    return threads;
  Result<Layout> tile = triton::wrapped(
      *threads, shapePerCta(shape, encoding.cga), encoding.order);
  if (!tile)
    return tile;
  return overCtas(*tile, encoding.cga);
}

Result<Layout> titan::triton::toLayout(const Linear &encoding,
                                       const Numbers &shape) {
  if (auto problem = checkShape(shape))
    return *problem;
  std::vector<Axis> axes;
  auto add = [&](const char *name,
                 const std::vector<Numbers> &images) -> std::optional<Problem> {
    Axis axis{name, {}};
    for (const Numbers &image : images) {
      if (image.size() != shape.size())
        return illegal("linear: an image of " + std::to_string(image.size()) +
                       " numbers");
      axis.digits.push_back(Digit::xors(2, image));
    }
    axes.push_back(std::move(axis));
    return std::nullopt;
  };
  for (auto problem :
       {add("reg", encoding.registers), add("lane", encoding.lanes),
        add("warp", encoding.warps)})
    if (problem)
      return *problem;
  if (!encoding.blocks.empty())
    if (auto problem = add("cta", encoding.blocks))
      return *problem;
  Result<Layout> result = Layout::make(std::move(axes), namedDims(shape));
  return result ? Result<Layout>(result->canonical()) : result;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Coordinates -> elements, the dimensions in `order` one outside of the other.
static Result<Layout> contiguous(const Numbers &shape,
                                 const std::vector<int> &order) {
  if (auto problem = checkShape(shape))
    return *problem;
  if (auto problem = checkOrder(order, shape.size()))
    return *problem;
  std::vector<Axis> axes;
  for (const Dim &dim : namedDims(shape))
    axes.push_back({dim.name, {}});
  int64_t stride = 1;
  for (int d : order) {
    axes[d].digits.push_back({shape[d], 0, stride});
    stride *= shape[d];
  }
  return Layout::make(std::move(axes), {{"e", stride}});
}

Result<Layout> titan::triton::toLayout(const SwizzledShared &encoding,
                                       const Numbers &shape) {
  Result<Layout> plain = contiguous(shape, encoding.order);
  if (!plain)
    return plain;
  if (!isPowerOfTwo(encoding.vec) || !isPowerOfTwo(encoding.perPhase) ||
      !isPowerOfTwo(encoding.maxPhase))
    return illegal("swizzled_shared: vec, perPhase and maxPhase are powers of "
                   "two");
  if (shape.size() < 2)
    return plain;
  int64_t columns = shape[encoding.order[0]], rows = shape[encoding.order[1]];
  // Bit i of the phase is bit i + log2(perPhase) of the row; it changes bit
  // i + log2(vec) of the column, if there is one.
  std::vector<BitLinear::Term> terms;
  int row = std::countr_zero(static_cast<uint64_t>(columns));
  for (int64_t phase = 1, i = 0; phase < encoding.maxPhase; phase *= 2, ++i)
    if (phase * encoding.vec < columns && phase * encoding.perPhase < rows)
      terms.push_back(
          {static_cast<uint8_t>(
               std::countr_zero(static_cast<uint64_t>(encoding.vec * phase))),
           static_cast<uint8_t>(row + std::countr_zero(static_cast<uint64_t>(
                                          encoding.perPhase * phase)))});
  return Layout::make(plain->axes(), plain->dims(), {},
                      BitLinear(std::move(terms)));
}

Result<Layout> titan::triton::toLayout(const PaddedShared &encoding,
                                       const Numbers &shape) {
  Result<Layout> plain = contiguous(shape, encoding.order);
  if (!plain)
    return plain;
  int64_t size = plain->dims()[0].extent;
  if (!isPowerOfTwo(encoding.interval) || encoding.padding < 0 ||
      encoding.padding > sizeLimit / size)
    return illegal("padded_shared: intervals are powers of two");
  int64_t interval = std::min(encoding.interval, size);
  int64_t pitch = interval + encoding.padding, count = size / interval;
  Result<Layout> spread =
      Layout::make({{"e", {{interval, 0, 1}, {count, 0, pitch}}}},
                   {{"e", (count - 1) * pitch + interval}});
  return spread ? plain->then(*spread) : spread;
}

Result<Layout> titan::triton::toLayout(const NvmmaShared &encoding,
                                       const Numbers &shape) {
  if (shape.size() != 2)
    return illegal("nvmma_shared of two dimensions");
  if (auto problem = checkShape(shape))
    return *problem;
  Swizzle mode = Swizzle::None;
  while (mode != Swizzle::Span128 &&
         swizzleSpan(mode) < encoding.swizzlingByteWidth)
    mode = static_cast<Swizzle>(static_cast<int>(mode) + 1);
  if (encoding.swizzlingByteWidth != 0 &&
      swizzleSpan(mode) != encoding.swizzlingByteWidth)
    return illegal("nvmma_shared: a swizzle of " +
                   std::to_string(encoding.swizzlingByteWidth) + " bytes");
  if (encoding.elementBitWidth % 8 != 0)
    return illegal("nvmma_shared: elements of whole bytes");
  bool t = encoding.transposed;
  Result<SharedImage> image = SharedImage::make(
      shape[t], shape[!t], encoding.elementBitWidth / 8, mode);
  if (!image)
    return image.problem();
  Result<Layout> layout = image->layout();
  if (!layout || !t)
    return layout;
  return Layout::make(
      {{"r", layout->axes()[1].digits}, {"c", layout->axes()[0].digits}},
      layout->dims(), layout->offset(), layout->bits());
}
