//===- TmaCandidate.cpp - A candidate and its limits ----------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TmaCandidate.h"

#include <algorithm>
#include <cctype>

using namespace titan;
using namespace titan::tma;

std::string titan::tma::indexName(std::string name) {
  for (char &c : name)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

//===----------------------------------------------------------------------===//
// Bounds of expressions
//===----------------------------------------------------------------------===//

Bounds titan::tma::rangeOf(const Expr &e,
                           const std::map<std::string, Expr> &most) {
  if (e.kind() == Expr::Kind::Constant)
    return {e, e};
  if (e.kind() == Expr::Kind::Symbol) {
    auto it = most.find(e.name());
    return it == most.end() ? Bounds{e, e} : Bounds{0, it->second};
  }
  Bounds a = rangeOf(e.lhs(), most), b = rangeOf(e.rhs(), most);
  auto negative = [](const Expr &x) {
    auto c = x.constant();
    return c && *c < 0;
  };
  switch (e.kind()) {
  case Expr::Kind::Add:
    return {a.least + b.least, a.most + b.most};
  case Expr::Kind::Mul:
    if (negative(b.least))
      return {a.most * b.least, a.least * b.most};
    return {a.least * b.least, a.most * b.most};
  case Expr::Kind::Div: // 0 / x is 0 where it has a value.
    return {a.least.is(0) ? Expr(0) : a.least / e.rhs(), a.most / e.rhs()};
  case Expr::Kind::CeilDiv:
    return {a.least.is(0) ? Expr(0) : ceilDiv(a.least, e.rhs()),
            ceilDiv(a.most, e.rhs())};
  case Expr::Kind::Mod:
    return {0, e.rhs() - 1};
  case Expr::Kind::Xor: {
    // Below the sum; of negative numbers above minus twice the lower one.
    bool below = negative(a.least) || negative(b.least);
    return {below ? min(a.least, b.least) * 2 : Expr(0), a.most + b.most};
  }
  case Expr::Kind::Min:
    return {min(a.least, b.least), min(a.most, b.most)};
  default:
    return {max(a.least, b.least), max(a.most, b.most)};
  }
}

bool titan::tma::isSure(const TmaBound &b,
                        const std::map<std::string, Expr> &most) {
  Bounds range = rangeOf(b.index, most);
  auto least = range.least.constant(),
       n = (b.extent - 1 - range.most).constant();
  return least && *least >= 0 && n && *n >= 0;
}

//===----------------------------------------------------------------------===//
// A candidate
//===----------------------------------------------------------------------===//

Lowering::Lowering(const Work &work, const TargetInfo &target)
    : work(work), s(work.s), g(work.s.graph), target(target) {
  DomainIndices known(g.size());
  for (DomainId id : g.leaves()) {
    if (work.classes[id] == Class::Tile || g[id].extent.is(1) ||
        work.single.count(id)) {
      known[id] = 0;
      continue;
    }
    TmaLoop loop{id, indexName(g[id].name), g[id].extent,
                 work.ofBoxes.count(id) > 0};
    known[id] = Expr::symbol(loop.index);
    most.emplace(loop.index, loop.extent - 1);
    loops.push_back(std::move(loop));
  }
  index = g.indices(std::move(known));
  cutLoops =
      std::any_of(g.exprs().begin(), g.exprs().end(), [&](const DomainExpr &e) {
        return !e.removed && (e.left < 0 || e.right < 0) &&
               work.classes[e.in[0]] == Class::Loop;
      });
}

Candidate Lowering::lower(std::vector<Dim> dims, Requirements needs, int merges,
                          const std::optional<Im2col> &im2col) const {
  Candidate c;
  c.needs = std::move(needs);
  c.merges = merges;
  c.pieces = cutTile(dims, g, s, target);
  c.dims = std::move(dims);
  TmaLowering &low = c.low;
  low.graph = g;
  low.loops = loops;
  low.type = s.type;
  low.swizzle = s.swizzle;
  low.address = s.address;
  low.nanFill = s.nanFill;
  low.direction = s.direction;
  low.reduction = s.reduction;
  for (size_t k = c.dims.size(); k-- > 0;)
    low.dimensions.push_back(c.dims[k].record);
  if (im2col)
    addPixels(c, *im2col);
  else
    addBoxes(c);
  low.thenBytes = s.type->bits / 8;
  for (int64_t take : c.pieces.taken)
    low.thenBytes *= take;
  low.sharedOffset = work.sharedStart;
  for (const SharedLoop &loop : work.offsets) {
    Expr at = *index[loop.domain];
    low.sharedOffset =
        low.sharedOffset + (loop.ring ? at % loop.ring : at) * loop.bytes;
  }
  low.imageBytes = work.imageBytes ? work.imageBytes : c.pieces.imageBytes;
  low.bufferBytes = work.bufferBytes ? work.bufferBytes : low.imageBytes;
  limits(c);
  // What is no map has no level: that it is none has been said.
  if (low.dims.size() <= TensorMap::maxRank)
    decide(c);
  return c;
}

void Lowering::addBoxes(Candidate &c) const {
  TmaLowering &low = c.low;
  for (size_t k = c.dims.size(); k-- > 0;) {
    const Dim &d = c.dims[k];
    low.dims.push_back(d.record.size);
    if (k + 1 < c.dims.size())
      low.strides.push_back(d.record.stride);
    int64_t take = c.pieces.taken[k],
            e = take == 1 ? 1 : d.record.elementStride;
    int64_t box = take == d.record.tile && d.record.box <= target.tmaMaxBox
                      ? d.record.box
                      : take * e;
    if (e > 1 && box > target.tmaMaxBox)
      box = (take - 1) * e + 1;
    low.box.push_back(static_cast<uint32_t>(take == 1 ? 1 : box));
    low.elementStrides.push_back(
        static_cast<uint32_t>(std::min<int64_t>(e, 1 << 20)));
    low.coords.push_back(linear(d));
  }
}

/// The limits of the map and of the instruction: errors and launch checks.
void Lowering::limits(Candidate &c) const {
  TmaLowering &low = c.low;
  Requirements &r = c.needs;
  int rank = static_cast<int>(low.dims.size());
  if (rank > target.tmaMaxRank) {
    r.errors.push_back({Code::TmaRank, "tensorRank",
                        "the schedule needs " + number(rank) +
                            " dimensions; a map has at most " +
                            number(target.tmaMaxRank)});
    return;
  }
  if (!c.pieces.problem.empty())
    r.errors.push_back({Code::TmaSchedule, "boxDim", c.pieces.problem});
  const TmaDimension &inner = low.dimensions[0];
  if (!inner.stride.is(s.type->bits / 8))
    r.errors.push_back({Code::TmaSchedule, "globalStrides",
                        "the innermost dimension " +
                            g.str(inner.domains.back()) + " has a stride of " +
                            inner.stride.str() + " bytes, not that of " +
                            std::string(s.type->name)});
  if (inner.tile > 1 && inner.elementStride > 1)
    r.errors.push_back({Code::TmaElementStride, "elementStrides[0]",
                        "an element stride of " + number(inner.elementStride) +
                            " along the innermost dimension, where the "
                            "hardware has none"});
  TensorMap map;
  TmaUnknown unknown;
  map.mode = low.mode;
  map.im2col = low.im2col;
  map.rank = rank;
  map.type = s.type;
  map.swizzle = s.swizzle;
  map.nanFill = s.nanFill;
  auto address = s.address.constant();
  unknown.address = !address;
  map.address = static_cast<uint64_t>(address.value_or(0));
  r.multiple(Code::TmaBaseAlignment, address ? Expr(0) : s.address,
             target.tmaBaseAlignment, "globalAddress",
             "the address is no multiple of " +
                 number(target.tmaBaseAlignment));
  for (int d = 0; d < rank; ++d) {
    std::string at = "[" + number(d) + "]";
    if (low.mode == TmaMode::Tiled)
      map.box[d] = low.box[d];
    map.elementStrides[d] = low.elementStrides[d];
    if (auto n = low.dims[d].constant()) {
      map.dims[d] = static_cast<uint64_t>(*n);
    } else {
      unknown.dims |= 1 << d;
      std::string size = low.dims[d].str(), largest = number(target.tmaMaxDim),
                  text = size + " is not in 1 .. " + largest;
      r.atLeastZero(Code::TmaDimRange, low.dims[d] - 1, "globalDim" + at, text);
      r.atLeastZero(Code::TmaDimRange, Expr(target.tmaMaxDim) - low.dims[d],
                    "globalDim" + at, text,
                    "keep " + size + " at most " + largest);
    }
    if (d == 0)
      continue;
    Expr stride = low.strides[d - 1];
    std::string field = "globalStrides[" + number(d - 1) + "]";
    if (auto n = stride.constant()) {
      map.strides[d - 1] = static_cast<uint64_t>(*n);
    } else {
      unknown.strides |= 1 << d;
      r.multiple(Code::TmaStrideAlignment, stride, target.tmaStrideAlignment,
                 field,
                 stride.str() + " is no multiple of " +
                     number(target.tmaStrideAlignment));
      r.atLeastZero(Code::TmaStrideRange,
                    min(stride, Expr(target.tmaMaxStride) - stride), field,
                    stride.str() + " is not in 0 .. 2^40 - 16");
    }
  }
  for (TmaViolation &v : validate(map, target, unknown))
    r.errors.push_back(std::move(v));

  TmaCopy copy;
  copy.direction = s.direction;
  copy.reduction = s.reduction;
  copy.coords.assign(rank, 0);
  copy.im2colOffsets.assign(low.im2colOffsets.size(), 0);
  unknown.coords = 0xff;
  unknown.shared = true;
  for (TmaViolation &v : validateCopy(map, copy, target, unknown))
    r.errors.push_back(std::move(v));
  IsIndex isIndex = [&](const std::string &name) {
    return most.count(name) > 0;
  };
  requireAlignedCoordinate(low.coords[0], *s.type, target, isIndex, r);
  for (int d = 0; d < rank; ++d) {
    Bounds range = rangeOf(low.coords[d], most);
    std::string text = low.coords[d].str() + " does not fit 32 bits",
                field = "tensorCoords[" + number(d) + "]";
    r.atLeastZero(Code::OutOfBounds, Expr(INT32_MAX) - range.most, field, text);
    r.atLeastZero(Code::OutOfBounds, range.least - Expr(INT32_MIN), field,
                  text);
  }
  if (low.mode == TmaMode::Im2col)
    im2colLimits(c);

  // The buffer: offsets have to keep what the base is aligned to.
  int64_t align = target.tmaSharedAlignment;
  int64_t period = s.swizzle->span ? s.swizzle->period : 1;
  if (s.sharedAlignment % align != 0)
    r.errors.push_back({Code::TmaSharedAlignment, "dstMem",
                        "the buffer is aligned to " +
                            number(s.sharedAlignment) + " bytes, not " +
                            number(align)});
  if (s.sharedAlignment % period != 0)
    r.errors.push_back({Code::TmaSwizzlePhase, "dstMem",
                        "the buffer is aligned to " +
                            number(s.sharedAlignment) + " bytes; swizzle " +
                            std::string(s.swizzle->name) + " has period " +
                            number(period)});
  for (const SharedLoop &loop : work.offsets) {
    bool boxes = work.ofBoxes.count(loop.domain) > 0;
    std::string text = std::string(boxes ? "boxes" : "tiles") + " of loop " +
                       g.str(loop.domain) + " are " + number(loop.bytes) +
                       " bytes apart, ";
    if (loop.bytes % align != 0)
      r.errors.push_back({Code::TmaSharedAlignment, "dstMem",
                          text + "no multiple of " + number(align)});
    if (!boxes && loop.bytes % period != 0)
      r.errors.push_back({Code::TmaSwizzlePhase, "dstMem",
                          text + "no multiple of the period " + number(period) +
                              " of swizzle " + std::string(s.swizzle->name)});
  }
}
