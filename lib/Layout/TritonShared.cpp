//===- TritonShared.cpp - Triton's encodings of shared memory -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LayoutParts.h"
#include "TritonParts.h"

#include <algorithm>

using namespace titan;
using namespace titan::triton;

/// Which element lies at each offset, from the images of the offset's bits, and
/// of the CTA's, over the whole tensor: turned round, coordinates -> offset.
static Result<Layout> byOffset(const Bases &offset, const Bases &block,
                               const Numbers &shape) {
  if (auto problem = checkShape(shape))
    return *problem;
  std::vector<Axis> axes = {{"e", {}}, {"block", {}}};
  for (auto [axis, images] : {std::pair(0, &offset), std::pair(1, &block)})
    for (const Numbers &image : *images) {
      if (image.size() != shape.size())
        return illegal("an image of " + std::to_string(image.size()) +
                       " numbers for " + std::to_string(shape.size()) +
                       " dimensions");
      for (size_t d = 0; d < shape.size(); ++d)
        if (image[d] < 0 || image[d] >= shape[d])
          return illegal("an image at " + std::to_string(image[d]) +
                         " of an extent of " + std::to_string(shape[d]));
      axes[axis].digits.push_back(Digit::xors(2, image));
    }
  if (block.empty())
    axes.pop_back();
  Result<Layout> elements = Layout::make(std::move(axes), namedDims(shape));
  if (!elements)
    return elements;
  Layout form = elements->canonical();
  if (!form.isSurjective())
    return illegal("the offsets do not hold every element of the shape");
  return form.inverse();
}

/// A part of the tensor that grows: the images of the offset's bits within one
/// CTA's part.
namespace {
struct CtaPart {
  Bases offset = {};
  Numbers reach;

  explicit CtaPart(size_t rank) : reach(rank, 1) {}
  /// On along dimension d, to `extent`.
  void grow(int d, int64_t extent) {
    for (; reach[d] < extent; reach[d] *= 2) {
      offset.emplace_back(reach.size(), 0);
      offset.back()[d] = reach[d];
    }
  }
};
} // namespace

/// Each CTA's part in its own shared memory.
static Result<Layout> overMemories(const CtaPart &part, const Cga &cga,
                                   const Numbers &shape) {
  Bases block = cga;
  for (Numbers &step : block)
    for (size_t d = 0; d < shape.size(); ++d)
      step[d] *= part.reach[d];
  return byOffset(part.offset, block, shape);
}

Result<Layout> titan::triton::toLayout(const SwizzledShared &e,
                                       const Numbers &shape) {
  if (auto problem = checkShape(shape))
    return *problem;
  if (auto problem = checkOrder(e.order, shape.size()))
    return *problem;
  for (int64_t number : {e.vec, e.perPhase, e.maxPhase})
    if (!isPowerOfTwo(number) || number > 1 << 20)
      return illegal("swizzled_shared: vec, perPhase and maxPhase are powers "
                     "of two, at most 2^20");
  Cga cga = e.cga;
  if (auto problem = clipCga(cga, shape))
    return *problem;
  Numbers extents = shapePerCta(shape, cga);
  CtaPart part(shape.size());
  for (int d : e.order)
    part.grow(d, extents[d]);
  if (shape.size() > 1) {
    // A row's number moves the chunks of its columns.
    int column = e.order[0], row = e.order[1];
    for (Numbers &image : part.offset)
      image[column] ^=
          image[row] / e.perPhase % e.maxPhase * e.vec % extents[column];
  }
  return overMemories(part, cga, shape);
}

Result<Layout> titan::triton::toLayout(const PaddedShared &e,
                                       const Numbers &shape) {
  Bases offset = e.offset;
  if (!e.order.empty()) {
    if (e.shape != shape)
      return illegal("padded_shared of another shape than the tensor's");
    if (auto problem = checkShape(shape))
      return *problem;
    if (auto problem = checkOrder(e.order, shape.size()))
      return *problem;
    CtaPart part(shape.size());
    for (int d : e.order)
      part.grow(d, shape[d]);
    offset = part.offset;
  }
  Result<Layout> plain = byOffset(offset, e.block, shape);
  if (!plain)
    return plain;
  // Bit b of the offset is followed by the padding of 2^b elements.
  Axis spread{"e", {}};
  int64_t last = 0;
  for (int64_t v = 1; v < plain->dims()[0].extent; v *= 2) {
    int64_t step = v;
    for (const PaddedShared::Pad &pad : e.pads) {
      if (!isPowerOfTwo(pad.interval) || pad.padding < 0 ||
          pad.padding > sizeLimit / (v + 1))
        return illegal("padded_shared: intervals are powers of two");
      step += v / pad.interval * pad.padding;
    }
    spread.digits.push_back({2, 0, step});
    last += step;
  }
  std::vector<Axis> axes = {std::move(spread)};
  std::vector<Dim> dims = {{"e", last + 1}};
  if (plain->rank() == 2) {
    axes.push_back({"block", {{plain->dims()[1].extent, 1, 1}}});
    dims.push_back({"block", plain->dims()[1].extent});
  }
  Result<Layout> padded = Layout::make(std::move(axes), std::move(dims));
  return padded ? plain->then(*padded) : padded;
}

/// TMA's boxes end there.
static constexpr int64_t boxLimit = 256;
/// The rows of a swizzle's pattern, and the bytes of its chunks.
static constexpr int64_t patternRows = 8, chunkBytes = 16;

Result<Layout> titan::triton::toLayout(const NvmmaShared &e,
                                       const Numbers &shape) {
  if (auto problem = checkShape(shape))
    return *problem;
  int64_t bytes = e.elementBitWidth / 8, width = e.swizzlingByteWidth;
  if (e.elementBitWidth % 8 != 0 || !isPowerOfTwo(bytes) || bytes > 8)
    return illegal("nvmma_shared of elements of " +
                   std::to_string(e.elementBitWidth) + " bits");
  if (width != 0 && width != 32 && width != 64 && width != 128)
    return illegal("nvmma_shared: a swizzle of " + std::to_string(width) +
                   " bytes");
  if (e.fp4Padded && width != 128)
    return illegal("nvmma_shared: fp4Padded with a swizzle of 128 bytes");
  if (shape.size() != static_cast<size_t>(e.rank))
    return illegal("nvmma_shared of rank " + std::to_string(e.rank) +
                   " for a tensor of rank " + std::to_string(shape.size()));
  if (e.transposed && e.rank != 2)
    return illegal("nvmma_shared: transposed has two dimensions");
  Cga cga = e.cga;
  if (auto problem = clipCga(cga, shape))
    return *problem;
  Numbers extents = shapePerCta(shape, cga);
  // The dimensions, fastest first.
  std::vector<int> order;
  for (int d = e.rank - 1; d >= 0; --d)
    order.push_back(d);
  if (e.transposed && width != 0)
    std::rotate(order.begin(), order.end() - 1, order.end());
  int fast = order[0];
  CtaPart part(shape.size());
  if (width == 0) {
    for (int d : order)
      part.grow(d, std::min(extents[d], boxLimit));
  } else {
    int64_t chunk = chunkBytes / bytes, span = width / bytes;
    int64_t rows = 1;
    for (int d : order)
      rows *= d == fast ? 1 : std::min(extents[d], boxLimit);
    if (extents[fast] * (e.fp4Padded ? 2 : 1) < span || rows < patternRows)
      return illegal("nvmma_shared: a part of a CTA that is smaller than the " +
                     std::to_string(width) + " bytes of " +
                     std::to_string(patternRows) + " rows of its swizzle");
    for (int64_t at = 1; at < span; at *= 2)
      if (e.fp4Padded && at == chunk / 2)
        part.offset.emplace_back(shape.size(), 0);
      else
        part.grow(fast, part.reach[fast] * 2);
    size_t first = part.offset.size();
    for (int d : order)
      if (d != fast)
        part.grow(d, std::min(extents[d], boxLimit));
    // The pattern's rows: of three bits, the last ones with a narrower swizzle.
    int64_t unit = e.fp4Padded ? chunk / 2 : chunk,
            phase = patternRows * chunkBytes / width;
    for (int64_t row = 1, i = 0; row < patternRows; row *= 2, ++i)
      part.offset[first + i][fast] ^= row / phase * unit;
  }
  for (int d = 0; d < e.rank; ++d)
    part.grow(d, extents[d]);
  return overMemories(part, cga, shape);
}

Result<Layout> titan::triton::toLayout(const SharedLinear &e,
                                       const Numbers &shape) {
  return byOffset(e.offset, e.block, shape);
}
