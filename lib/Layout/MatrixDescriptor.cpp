//===- MatrixDescriptor.cpp - Operands in shared memory -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Layout/MatrixDescriptor.h"

#include "LayoutParts.h"

using namespace titan;

static Problem noDescriptor(const std::string &why) {
  return {"mma-operand",
          "no matrix descriptor says where this operand is: " + why};
}

/// Axes mn and k into bytes.
static Result<Layout> operandLayout(std::vector<Digit> mn, std::vector<Digit> k,
                                    int64_t bytes, BitLinear bits = {}) {
  return Layout::make({{"mn", std::move(mn)}, {"k", std::move(k)}},
                      {{"b", bytes}}, {0}, std::move(bits));
}

namespace {
/// A canonical layout before its swizzle, as digits; 0 strides are to be found.
struct Canonical {
  std::vector<Digit> mn, k;
};
} // namespace

static Canonical canonicalOf(bool mnMajor, Swizzle mode, int64_t element,
                             int64_t rows, int64_t depth, int64_t leading,
                             int64_t stride) {
  int64_t unit = 16 / element; // T
  int64_t span = swizzleSpan(mode);
  bool none = mode == Swizzle::None;
  if (!mnMajor) {
    Canonical c{{{8, 0, span}, {rows / 8, 0, stride}}, {{depth, 0, element}}};
    if (none)
      c.k = {{unit, 0, element}, {depth / unit, 0, leading}};
    return c;
  }
  Canonical c{{}, {{8, 0, span}, {depth / 8, 0, none ? leading : stride}}};
  int64_t across = std::min(span / element, rows);
  if (none)
    across = unit;
  c.mn = {{across, 0, element}, {rows / across, 0, none ? stride : leading}};
  return c;
}

Result<MatrixDescriptor> MatrixDescriptor::make(const Layout &operand,
                                                int64_t element, int64_t rows) {
  if (operand.axes().size() != 2 || operand.rank() != 1)
    return noDescriptor("it is no function of (mn, k) into bytes");
  if (element != 1 && element != 2 && element != 4)
    return noDescriptor("elements of " + std::to_string(element) + " bytes");
  int64_t depth = 32 / element;
  int64_t mnSize = operand.axes()[0].size(), kSize = operand.axes()[1].size();
  if (rows < 8 || rows % 8 != 0 || mnSize % rows != 0)
    return noDescriptor(std::to_string(mnSize) +
                        " rows of M or N are no multiple " +
                        "of the instruction's " + std::to_string(rows));
  if (kSize % depth != 0)
    return noDescriptor("K of " + std::to_string(kSize) +
                        " elements is no multiple of the instruction's " +
                        std::to_string(depth));
  if (operand.offset()[0] != 0)
    return noDescriptor("it starts at an offset");

  std::string reasons;
  for (Swizzle mode :
       {Swizzle::None, Swizzle::Span32, Swizzle::Span64, Swizzle::Span128}) {
    // Without the swizzle, which is its own inverse, a sum of digits is left.
    int64_t size = operand.dims()[0].extent, period = swizzlePeriod(mode);
    size = (size + period - 1) / period * period;
    Result<Layout> wide = Layout::make(operand.axes(), {{"b", size}},
                                       operand.offset(), operand.bits());
    if (!wide)
      return wide.problem();
    Result<Layout> swizzled = Layout::make(
        {{"b", {{size, 0, 1}}}}, {{"b", size}}, {0}, swizzleBits(mode));
    if (!swizzled)
      return swizzled.problem();
    Result<Layout> plain = wide->bits() == swizzled->bits()
                               ? operandLayout(operand.axes()[0].digits,
                                               operand.axes()[1].digits, size)
                               : wide->then(*swizzled);
    if (!plain || !plain->isSum())
      continue;
    auto byteOf = [&](int64_t mn, int64_t k) {
      return plain->apply({mn, k})[0];
    };
    int64_t unit = 16 / element, span = swizzleSpan(mode);
    for (bool mnMajor : {false, true}) {
      std::string name =
          std::string(mnMajor ? "MN" : "K") + "-major, " +
          (mode == Swizzle::None ? "no swizzle"
                                 : std::to_string(span) + "-byte swizzle");
      // A span of M or N is whole instructions, or an instruction whole spans.
      bool none = mode == Swizzle::None;
      int64_t across = none ? unit : span / element;
      if (mnMajor &&
          (element != 2 || (rows % across != 0 && across % rows != 0)))
        continue;
      // The strides are where the second group of each kind begins; where there
      // is none, the field is not used.
      auto at = [&](int64_t mn, int64_t k, int64_t otherwise) {
        return mn < mnSize && k < kSize ? byteOf(mn, k) : otherwise;
      };
      int64_t leading = 16, stride = 8 * span;
      if (!mnMajor) {
        stride = rows > 8 ? at(8, 0, stride) : stride;
        if (none)
          leading = at(0, unit, size);
      } else {
        (none ? stride : leading) = at(across, 0, size);
        (none ? leading : stride) = at(0, 8, size);
      }
      Canonical c =
          canonicalOf(mnMajor, mode, element, rows, depth, leading, stride);
      Result<Layout> tile = operandLayout(c.mn, c.k, size);
      if (!tile)
        continue;
      // Instructions' tiles side by side.
      Result<Layout> inside =
          Layout::make({{"mn", {{rows, 0, 1}}}, {"k", {{depth, 1, 1}}}},
                       {{"mn", mnSize}, {"k", kSize}});
      Result<Layout> steps = Layout::make({{"mn", {{mnSize / rows, 0, rows}}},
                                           {"k", {{kSize / depth, 1, depth}}}},
                                          {{"mn", mnSize}, {"k", kSize}});
      if (!inside || !steps)
        return inside ? steps.problem() : inside.problem();
      Result<Layout> here = inside->then(*plain), starts = steps->then(*plain);
      if (!here || !starts || !here->sameFunction(*tile)) {
        reasons += " not " + name + ";";
        continue;
      }
      for (int a : {0, 1}) {
        std::vector<Digit> &digits = a == 0 ? c.mn : c.k;
        const std::vector<Digit> &more = starts->axes()[a].digits;
        digits.insert(digits.end(), more.begin(), more.end());
      }
      Result<Layout> whole = operandLayout(c.mn, c.k, size);
      if (!whole || !whole->sameFunction(*plain)) {
        reasons += " not " + name + " for each instruction;";
        continue;
      }
      auto fits = [](int64_t bytes) {
        return bytes % 16 == 0 && bytes < int64_t(1) << 18;
      };
      if (!fits(leading) || !fits(stride))
        return noDescriptor("strides of " + std::to_string(leading) + " and " +
                            std::to_string(stride) +
                            " bytes; they are multiples of 16 below 2^18");
      MatrixDescriptor result;
      result.mnMajor = mnMajor;
      result.mode = mode;
      result.leading = leading;
      result.stride = stride;
      result.rowStep = rows;
      result.kStep = depth;
      result.starts = std::move(*starts);
      // As the hardware reads it.
      result.canonical =
          *Layout::make(tile->axes(), tile->dims(), {0}, swizzleBits(mode));
      return result;
    }
  }
  return noDescriptor(reasons.empty()
                          ? "its swizzle is none of 32, 64, 128 bytes"
                          : "it is" + reasons.substr(0, reasons.size() - 1));
}

Result<MatrixDescriptor> MatrixDescriptor::make(const SharedImage &image,
                                                bool transposed, int64_t rows) {
  Result<Layout> layout = image.layout();
  if (!layout)
    return layout.problem();
  std::vector<Axis> axes = layout->axes();
  if (transposed)
    std::swap(axes[0], axes[1]);
  axes[0].name = "mn";
  axes[1].name = "k";
  Result<Layout> operand =
      Layout::make(axes, layout->dims(), layout->offset(), layout->bits());
  if (!operand)
    return operand.problem();
  return make(*operand, image.elementBytes(), rows);
}

Layout MatrixDescriptor::rowStarts() const {
  Layout first = *starts.restricted(1, 0);
  return *Layout::make({first.axes()[0]}, first.dims(), first.offset(),
                       first.bits());
}

uint64_t MatrixDescriptor::encode(int64_t address, DescriptorFormat format,
                                  int64_t patternStart) const {
  auto field = [](int64_t bytes) {
    return static_cast<uint64_t>(bytes & 0x3FFFF) >> 4;
  };
  uint64_t base = patternStart % swizzlePeriod(mode) == 0
                      ? 0
                      : static_cast<uint64_t>(patternStart >> 7) & 7;
  uint64_t result =
      field(address) | field(leading) << 16 | field(stride) << 32 | base << 49;
  // 128, 64, 32 bytes are 1, 2, 3; tcgen05 has a bit below.
  uint64_t code = mode == Swizzle::None ? 0 : 4 - static_cast<uint64_t>(mode);
  result |= code << 62;
  if (format == DescriptorFormat::Tcgen05)
    result |= uint64_t(1) << 46;
  return result;
}
