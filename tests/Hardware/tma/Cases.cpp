//===- Cases.cpp - Random copies, and what they should do -----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Cases.h"

#include <cstring>
#include <sstream>

using namespace titan;
using namespace titan::hw;

static const TargetInfo &h200 = targetInfo(TargetId::Sm90a);
static constexpr int64_t guard = 1024;

//===----------------------------------------------------------------------===//
// Random copies
//===----------------------------------------------------------------------===//

/// Bytes of shared memory that an image may take: mostly few.
static int64_t imageLimit(Random &random) {
  int64_t of100 = random.between(0, 99);
  return of100 < 85   ? 4096
         : of100 < 97 ? 32 * 1024
                      : int64_t(Device::mostShared) - 8192;
}

/// Direction, type, operation.
static void chooseOperation(Random &random, Job &job) {
  TmaCopy &copy = job.copy;
  int64_t of10 = random.between(0, 9);
  copy.direction = of10 < 5   ? TmaDirection::Load
                   : of10 < 7 ? TmaDirection::Store
                              : TmaDirection::Reduce;
  if (copy.direction != TmaDirection::Reduce) {
    job.map.type = &tmaTypes()[random.between(0, 12)];
    return;
  }
  const TmaReduction *row;
  do {
    row = &tmaReductions()[random.between(0, tmaReductions().size() - 1)];
    job.map.type = &tmaTypes()[random.between(0, 12)];
  } while (!hasTmaReduction(row->op, job.map.type->name));
  copy.reduction = row->op;
}

/// Extents, strides and coordinates of the dimensions from `first` on; n[d] is
/// how far the box reaches. `below`: bytes of the dimensions under them.
static void chooseTensor(Random &random, Job &job, int first, int64_t below,
                         int64_t align, const int64_t *n) {
  TensorMap &map = job.map;
  bool load = job.copy.direction == TmaDirection::Load;
  // Strides that overlap, cross or stand still are legal; a store would race
  // with itself.
  bool free = load && random.oneIn(4);
  for (int d = first; d < map.rank; ++d) {
    map.dims[d] = random.between(1, n[d] + 3);
    int64_t units = (below + align - 1) / align;
    map.strides[d - 1] = align * (free ? random.between(0, units + 3)
                                       : units + random.between(0, 3));
    below = static_cast<int64_t>(map.strides[d - 1] * map.dims[d]);
    // The tensor may be larger than memory: only what is touched exists.
    if ((free || d == map.rank - 1) && random.oneIn(6))
      map.dims[d] = random.pick<uint64_t>(
          {uint64_t(1) << 31, 0x7FFFFFFF, 0x40000000, 65536});
    int64_t x = random.between(load ? -n[d] - 2 : 0, n[d] + 3);
    if (random.oneIn(40))
      x = load ? random.pick<int64_t>({INT32_MIN, INT32_MIN + 1, -65536,
                                       INT32_MAX, INT32_MAX - 3, 1 << 30})
               : random.pick<int64_t>({INT32_MAX, INT32_MAX - 1, 1 << 30});
    job.copy.coords.push_back(x);
  }
}

/// Dimension 0 of a tensor without interleave.
static void chooseInner(Random &random, Job &job, int64_t bytes) {
  int64_t element = job.map.type->bits / 8, unit = 16 / element;
  bool load = job.copy.direction == TmaDirection::Load;
  int64_t chunks = bytes / 16;
  job.map.dims[0] = random.between(1, bytes / element + 2 * unit + 3);
  int64_t x = random.between(load ? -chunks - 2 : 0, chunks + 2);
  if (random.oneIn(40))
    x = load ? random.pick<int64_t>({INT32_MIN / unit, INT32_MAX / unit})
             : INT32_MAX / unit;
  job.copy.coords.push_back(x * unit);
}

static void makeTiled(Random &random, Job &job) {
  TensorMap &map = job.map;
  map.rank = static_cast<int>(random.between(1, 5));
  map.swizzle = &tmaSwizzles()[random.between(0, 3)];
  int64_t element = map.type->bits / 8;
  int64_t most = map.swizzle->span ? map.swizzle->span : 256 * element;
  int64_t inner = 16 * random.between(1, std::min<int64_t>(most, 512) / 16);
  if (random.oneIn(20))
    inner = most;
  map.box[0] = static_cast<uint32_t>(inner / element);
  map.elementStrides[0] = static_cast<uint32_t>(random.between(1, 8));
  int64_t pitch = map.swizzle->span ? map.swizzle->span : inner;
  int64_t left = std::max<int64_t>(imageLimit(random) / pitch, 1);
  int64_t n[5] = {};
  bool strided = random.oneIn(2);
  for (int d = 1; d < map.rank; ++d) {
    int64_t es = strided ? random.between(1, 8) : 1;
    int64_t rows = random.between(
        1, std::min({left, 256 / es, random.oneIn(4) ? int64_t(256) : 6}));
    left /= rows;
    map.elementStrides[d] = static_cast<uint32_t>(es);
    map.box[d] = static_cast<uint32_t>(rows * es - random.between(0, es - 1));
    n[d] = map.box[d];
  }
  chooseInner(random, job, inner);
  chooseTensor(random, job, 1, static_cast<int64_t>(map.dims[0]) * element, 16,
               n);
}

static void makeIm2col(Random &random, Job &job) {
  TensorMap &map = job.map;
  TmaIm2col &m = map.im2col;
  bool load = job.copy.direction == TmaDirection::Load;
  map.mode = TmaMode::Im2col;
  map.rank = static_cast<int>(random.between(3, 5));
  map.swizzle = &tmaSwizzles()[random.between(0, 3)];
  if (random.oneIn(5))
    map.interleave = TmaInterleave(random.between(1, 2));
  bool slices = map.interleave != TmaInterleave::None;
  int64_t element = map.type->bits / 8;
  int64_t slice = 16 * static_cast<int64_t>(map.interleave);
  int64_t most = map.swizzle->span ? map.swizzle->span : 256 * element;
  int64_t inner = 16 * random.between(1, std::min<int64_t>(most, 512) / 16);
  m.channels = static_cast<uint32_t>(inner / element);
  int64_t pitch = slices              ? slice
                  : map.swizzle->span ? map.swizzle->span
                                      : inner;
  m.pixels = static_cast<uint32_t>(random.between(
      1, std::clamp<int64_t>(imageLimit(random) / pitch, 1, 1024)));
  map.elementStrides[0] = static_cast<uint32_t>(random.between(1, 8));
  int64_t below = slice;
  if (!slices) {
    chooseInner(random, job, inner);
    below = static_cast<int64_t>(map.dims[0]) * element;
  }
  int first = slices ? 0 : 1; // The dimension of W.
  int bits = map.rank == 3 ? 15 : map.rank == 4 ? 7 : 4;
  int64_t align = slices ? slice : 16;
  for (int d = first; d < map.rank; ++d) {
    if (d > 0)
      map.strides[d - 1] = static_cast<uint64_t>(
          (below + align - 1) / align * align + align * random.between(0, 2));
    map.dims[d] = static_cast<uint64_t>(random.between(1, 9));
    map.elementStrides[d] =
        static_cast<uint32_t>(random.oneIn(2) ? 1 : random.between(1, 8));
    below = static_cast<int64_t>((d > 0 ? map.strides[d - 1] : slice) *
                                 map.dims[d]);
    int64_t dim = static_cast<int64_t>(map.dims[d]);
    int k = d - first;
    if (k >= map.rank - 2) { // N, and the slices of C.
      job.copy.coords.push_back(random.between(load ? -2 : 0, dim + 1));
      continue;
    }
    int64_t most = (int64_t(1) << bits) - 1;
    int64_t low = load
                      ? random.between(-std::min<int64_t>(most + 1, 6), dim + 1)
                      : random.between(0, dim - 1);
    int64_t high = random.between(low, load ? dim + 5 : dim - 1);
    if (load && random.oneIn(10))
      low = -most - 1;
    m.lower[k] = static_cast<int32_t>(std::min(low, most));
    m.upper[k] = static_cast<int32_t>(std::min(high - (dim - 1), most));
    low = m.lower[k];
    high = dim - 1 + m.upper[k];
    job.copy.coords.push_back(random.between(low, std::max(low, high)));
    int64_t offset = map.rank == 3 ? 65535 : map.rank == 4 ? 255 : 31;
    if (load)
      job.copy.im2colOffsets.push_back(
          random.between(0, random.oneIn(10) ? offset : 4));
  }
}

static void makeInterleaved(Random &random, Job &job) {
  TensorMap &map = job.map;
  bool load = job.copy.direction == TmaDirection::Load;
  map.rank = static_cast<int>(random.between(3, 5));
  map.interleave = TmaInterleave(random.between(1, 2));
  map.swizzle = &tmaSwizzles()[random.between(0, 3)];
  int64_t slice = 16 * static_cast<int64_t>(map.interleave),
          unit = 16 / (map.type->bits / 8);
  int64_t left = std::max<int64_t>(imageLimit(random) / slice, 1);
  int64_t n[5] = {};
  bool strided = random.oneIn(2);
  for (int d = 0; d < map.rank; ++d) {
    int64_t es = strided ? random.between(1, 8) : 1;
    int64_t rows = random.between(
        1, std::min({left, 256 / es, random.oneIn(4) ? int64_t(256) : 8}));
    if (d == map.rank - 2) // Moves one slice whatever it says.
      rows = random.between(1, 3);
    int64_t box = rows * es - random.between(0, es - 1);
    if (d == 0) // In bytes of elements, strange as it is.
      box = std::min((box + unit - 1) / unit * unit, 256 / unit * unit);
    rows = (box + es - 1) / es;
    if (d != map.rank - 2)
      left = std::max<int64_t>(left / rows, 1);
    map.elementStrides[d] = static_cast<uint32_t>(es);
    map.box[d] = static_cast<uint32_t>(box);
    n[d] = box;
  }
  map.dims[0] = static_cast<uint64_t>(random.between(1, n[0] + 3));
  job.copy.coords.push_back(random.between(load ? -n[0] - 2 : 0, n[0] + 3));
  chooseTensor(random, job, 1, static_cast<int64_t>(map.dims[0]) * slice, slice,
               n);
}

Case titan::hw::makeCase(Random &random, Kind kind, const Device &device) {
  while (true) {
    Case made{kind, {}, 0, 0};
    Job &job = made.job;
    chooseOperation(random, job);
    int64_t at = 128 * random.between(1, 16);
    job.map.address = device.globalBase() + guard +
                      32 * static_cast<uint64_t>(random.between(0, 4));
    if (kind != Kind::Interleaved && random.oneIn(2))
      job.map.address += 16;
    job.copy.shared = device.sharedBase() + at;
    job.mapInGlobal = random.oneIn(2);
    job.count = random.oneIn(16) ? Count::OneMore : Count::Exact;
    if (kind == Kind::Tiled)
      makeTiled(random, job);
    else if (kind == Kind::Im2col)
      makeIm2col(random, job);
    else
      makeInterleaved(random, job);
    job.map.nanFill = job.map.type->nanFill && random.oneIn(2);
    // One map in four is made by encodeDescriptor instead of the driver.
    if (job.map.mode == TmaMode::Tiled && random.oneIn(4))
      job.bits = encodeDescriptor(job.map);
    auto transfer = TmaTransfer::make(job.map, job.copy, h200);
    if (!transfer)
      continue;
    job.expect = static_cast<uint32_t>(transfer->transactionBytes());
    made.shared = (at + transfer->imageBytes() + guard + 127) / 128 * 128;
    int64_t end = static_cast<int64_t>(job.map.address - device.globalBase());
    int64_t begin = end;
    ByteSet touched = transfer->globalBytes();
    for (const ByteSet::Interval &part : touched.intervals()) {
      begin = std::min(begin,
                       part.begin - static_cast<int64_t>(device.globalBase()));
      end = std::max(end, part.end - static_cast<int64_t>(device.globalBase()));
    }
    made.global = static_cast<size_t>((end + guard + 127) / 128 * 128);
    if (made.shared <= Device::mostShared && begin >= guard && end >= begin &&
        end + guard + 128 <= int64_t(Device::mostGlobal))
      return made;
  }
}

void titan::hw::fill(Random &random, const TmaType &type,
                     std::vector<uint8_t> &bytes) {
  for (size_t i = 0; i < bytes.size(); i += 8) {
    uint64_t word = random.bits();
    std::memcpy(&bytes[i], &word, std::min<size_t>(8, bytes.size() - i));
  }
  int exponent = type.name == "bf16" ? 8
                 : type.bits == 16   ? 5
                 : type.bits == 64   ? 11
                                     : 8;
  if (!type.nanFill)
    return;
  // Of four elements one has an exponent of all ones or of zeros or 1 or 2.
  size_t element = type.bits / 8;
  int mantissa = type.bits - 1 - exponent;
  for (size_t i = 0; i + element <= bytes.size(); i += element) {
    uint64_t choice = random.bits();
    if (choice % 4 != 0)
      continue;
    uint64_t value = 0;
    std::memcpy(&value, &bytes[i], element);
    uint64_t mask = ((uint64_t(1) << exponent) - 1) << mantissa;
    uint64_t fraction = (uint64_t(1) << mantissa) - 1;
    choice /= 4;
    value = choice % 2 ? value | mask
                       : (value & ~mask) | (choice / 2 % 3) << mantissa;
    if (choice / 8 % 3 == 0)
      value &= ~fraction;
    if (choice / 32 % 4 == 0)
      value = (value & ~fraction) | (choice / 128 % 4);
    std::memcpy(&bytes[i], &value, element);
  }
}

//===----------------------------------------------------------------------===//
// Predictions
//===----------------------------------------------------------------------===//

Prediction titan::hw::predict(const TensorMap &map, const TmaCopy &copy,
                              const Device &device, Memory &memory) {
  Prediction result;
  auto transfer = TmaTransfer::make(map, copy, h200);
  if (!transfer) {
    result.problem = transfer.problem();
    return result;
  }
  result.transaction = transfer->transactionBytes();
  result.problem = apply(*transfer, {memory.shared, device.sharedBase()},
                         {memory.global, device.globalBase()});
  return result;
}

std::string titan::hw::describe(const TensorMap &map, const TmaCopy &copy,
                                const Device &device) {
  std::ostringstream text;
  auto list = [&](const char *name, const auto &values, int count) {
    text << " " << name << "=";
    for (int i = 0; i < count; ++i)
      text << (i ? "," : "") << values[i];
  };
  const char *directions[] = {"load", "store", ""};
  text << (map.mode == TmaMode::Tiled ? "tiled " : "im2col ")
       << directions[static_cast<int>(copy.direction)] << copy.reduction
       << " rank=" << map.rank << " type=" << map.type->name
       << " swizzle=" << map.swizzle->name
       << " interleave=" << static_cast<int>(map.interleave) * 16
       << " nan=" << map.nanFill << " address=+"
       << static_cast<int64_t>(map.address - device.globalBase());
  int rank = std::clamp(map.rank, 1, 5);
  list("dims", map.dims, rank);
  list("strides", map.strides, rank - 1);
  list("es", map.elementStrides, rank);
  if (map.mode == TmaMode::Tiled) {
    list("box", map.box, rank);
  } else {
    text << " channels=" << map.im2col.channels
         << " pixels=" << map.im2col.pixels;
    list("lower", map.im2col.lower, rank - 2);
    list("upper", map.im2col.upper, rank - 2);
    list("offsets", copy.im2colOffsets,
         static_cast<int>(copy.im2colOffsets.size()));
  }
  list("coords", copy.coords, static_cast<int>(copy.coords.size()));
  text << " shared=" << copy.shared;
  return text.str();
}
