//===- Bulk.cpp - bulk copies between global and shared memory ------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread copies a region that is one run of bytes at once (rows that the
// tensor's type packs, taken whole), and any other one row by row. 64 x 32
// elements of two bytes, of rows of a stride that the launch knows:
//
//     mbarrier.expect_tx %full, 4096             // loads
//     scf.for %i = 0 to 64 {
//       %to = titan.shared.run %tile[32 %i]
//       titan.bulk.load %A[%row + %i, %k], %to, %full
//     }
//
// A multicast tells no barrier what to expect: each CTA that gets the bytes tells its
// own.
//
// Nothing is clipped: the region lies in the tensor. Where rows begin has to be
// a multiple of 16 bytes: by the address (titan.alignment), strides and offsets,
// as far as the program tells. What only the launch knows is checked there: strides,
// and where a region ends that all CTAs copy, in loops too (LaunchBounds.h).
//
//===----------------------------------------------------------------------===//
#include "Building.h"
#include "LaunchBounds.h"

#include "titan/Dialect/Titan/CopyAsync.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace titan;
using namespace titan::dispatch;

/// PTX ISA, cp.async.bulk: addresses and sizes are multiples of this.
static constexpr int64_t bulkUnit = 16;

namespace {
/// The rows of a region.
struct Rows {
  /// Dimensions of the tensor that a loop counts, outermost first; the others
  /// lie in a row.
  unsigned loops = 0;
  int64_t elements = 1; ///< Of a row.
  int64_t count = 1;    ///< Rows.
  /// Dimensions whose stride the launch has to check.
  SmallVector<unsigned> strides;
};
} // namespace

static const CopyPlace &tensorOf(const CopyRequest &request) {
  return request.from == Memory::Global ? request.places->source
                                        : request.places->target;
}
static const CopyPlace &tileOf(const CopyRequest &request) {
  return request.from == Memory::Global ? request.places->target
                                        : request.places->source;
}

static Result<Rows> rowsOf(const CopyRequest &request) {
  const CopyPlaces &places = *request.places;
  const CopyPlace &tensor = tensorOf(request);
  auto type = cast<GlobalType>(tensor.memory.getType());
  SmallVector<int64_t> extents = places.extentsIn(tensor);
  int64_t bytes = getElementBytes(places.elementType);
  unsigned width = llvm::Log2_64(bytes);
  Rows rows;
  // One run: inside of the outermost extent above 1 all is taken whole.
  bool packed = true, cut = false;
  for (unsigned d = type.getRank(); d-- > 0;) {
    packed &=
        extents[d] == 1 || (!cut && type.getStrides()[d] == rows.elements);
    cut |= extents[d] != type.getShape()[d];
    rows.elements *= extents[d];
    std::optional<int64_t> at = 0;
    if (!tensor.offsets.empty())
      at = constantOf(tensor.offsets[d]);
    if (at && !ShapedType::isDynamic(type.getShape()[d]) &&
        *at + extents[d] > type.getShape()[d])
      return Problem{
          "", "along dimension " + std::to_string(d) + " the region ends at " +
                  std::to_string(*at + extents[d]) + ", behind the " +
                  std::to_string(type.getShape()[d]) +
                  " elements that there are: bulk copies are not "
                  "clipped"};
  }
  if (!packed) {
    rows.loops = type.getRank() - 1;
    rows.elements = extents.back();
    rows.count = places.elements() / rows.elements;
  }
  if (rows.elements * bytes % bulkUnit)
    return Problem{"", "a row of the region is " +
                           std::to_string(rows.elements * bytes) +
                           " bytes, no multiple of 16"};
  TrailingZeros &zeros = request.kernel->zeros();
  auto begins = [&](unsigned trailing) {
    return int64_t(1) << std::min(trailing, 10u);
  };
  if (begins(zeros.ofAddress(tensor.memory)) % bulkUnit)
    return Problem{"", "the tensor is not known to begin at a multiple of 16 "
                       "bytes: titan.alignment says so"};
  for (unsigned d = 0; d < type.getRank(); ++d) {
    bool moves = extents[d] > 1 && d < rows.loops;
    Value offset = tensor.offsets.empty() ? Value() : tensor.offsets[d];
    unsigned at = offset ? zeros.of(offset) : TrailingZeros::all;
    if (at == TrailingZeros::all && !moves)
      continue;
    unsigned stride = zeros.ofStride(tensor.memory, d);
    if (begins(stride + width) % bulkUnit == 0)
      continue;
    if (d + 1 < type.getRank() && ShapedType::isDynamic(type.getStrides()[d])) {
      rows.strides.push_back(d);
      continue;
    }
    if (moves || begins(std::min(at, 32u) + stride + width) % bulkUnit)
      return Problem{"", "along dimension " + std::to_string(d) +
                             " rows are not known to begin at multiples of 16 "
                             "bytes"};
  }
  return rows;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

/// A stride that only the launch knows is checked there.
static void requireRows(const CopyRequest &request, const Rows &rows) {
  KernelOp kernel = request.getKernel();
  Location loc = request.op->getLoc();
  int64_t bytes = getElementBytes(request.places->elementType);
  OpBuilder b(kernel.getLaunchOp());
  auto argument = dyn_cast<BlockArgument>(tensorOf(request).memory);
  auto number = [&](int64_t n) -> Value {
    return arith::ConstantIndexOp::create(b, loc, n);
  };
  for (unsigned d : rows.strides) {
    Value given = kernel.getLaunch().getArgument(argument.getArgNumber());
    Value left = arith::RemUIOp::create(
        b, loc, StrideOp::create(b, loc, given, d), number(bulkUnit / bytes));
    Value good = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, left,
                                       number(0));
    std::string name =
        cast<StringAttr>(kernel.getArgNames()[argument.getArgNumber()])
            .getValue()
            .str();
    RequireOp::create(
        b, loc, good, "bulk-alignment",
        name + ": rows begin at multiples of 16 bytes along dimension " +
            std::to_string(d),
        b.getStringAttr("pad the rows of " + name +
                        ": strides that are multiples of " +
                        std::to_string(bulkUnit / bytes) +
                        " elements; or copy by all threads, titan.copy or "
                        "cp.async"));
  }
}

/// Where in the tensor the region ends that only the launch knows is checked there:
/// of copies that each CTA makes, in each round of the loops around them.
static void requireInside(const CopyRequest &request) {
  KernelOp kernel = request.getKernel();
  const CopyPlace &tensor = tensorOf(request);
  auto argument = dyn_cast<BlockArgument>(tensor.memory);
  Value given = argument ? kernel.getLaunchValue(argument) : Value();
  if (!given)
    return;
  OpBuilder b(kernel.getLaunchOp());
  Location loc = request.op->getLoc();
  LaunchNumbers numbers(kernel, b, loc);
  if (!numbers.enter(request.op))
    return;
  SmallVector<int64_t> extents = request.places->extentsIn(tensor);
  for (auto [d, size] : llvm::enumerate(tensor.shape)) {
    Value offset = tensor.offsets.empty() ? Value() : tensor.offsets[d];
    if (!ShapedType::isDynamic(size) && (!offset || constantOf(offset)))
      continue; // rowsOf() knows.
    StringRef name =
        cast<StringAttr>(kernel.getArgNames()[argument.getArgNumber()])
            .getValue();
    numbers.require(
        offset, 0,
        numbers.make<arith::SubIOp>(DimOp::create(b, loc, given, d),
                                    numbers.constant(extents[d])),
        "out-of-bounds",
        name + ": what CTAs copy lies inside of dimension " + Twine(d) +
            ": bulk copies are not clipped",
        "pad " + name + " to whole tiles along dimension " + Twine(d) +
            "; or copy by titan.copy, by cp.async or by a schedule, which are "
            "clipped");
  }
}

static Value buildBulk(const CopyRequest &request, const Rows &rows,
                       OpBuilder &b) {
  const CopyPlaces &places = *request.places;
  const CopyPlace &tensor = tensorOf(request), &tile = tileOf(request);
  bool load = request.from == Memory::Global;
  Location loc = request.op->getLoc();
  auto number = [&](int64_t n) -> Value {
    return arith::ConstantIndexOp::create(b, loc, n);
  };
  if (load && !request.multicast) {
    auto expect = MBarrierExpectTxOp::create(
        b, loc, request.barrier, request.index,
        arith::ConstantIntOp::create(b, loc, places.bytes(), 32));
    expect->setDiscardableAttr(ofCopyAsync, b.getUnitAttr());
  }
  SmallVector<int64_t> extents = places.extentsIn(tensor);
  SmallVector<Value> coords;
  Value row; // Its number.
  for (unsigned d = 0; d < extents.size(); ++d) {
    Value at = tensor.offsets.empty() ? number(0) : tensor.offsets[d];
    if (d < rows.loops && extents[d] > 1) {
      auto loop =
          scf::ForOp::create(b, loc, number(0), number(extents[d]), number(1));
      b.setInsertionPointToStart(loop.getBody());
      Value i = loop.getInductionVar();
      at = b.createOrFold<arith::AddIOp>(loc, at, i);
      row = row ? arith::AddIOp::create(
                      b, loc,
                      arith::MulIOp::create(b, loc, row, number(extents[d])), i)
                      .getResult()
                : i;
    }
    coords.push_back(at);
  }
  Value part = tile.memory;
  if (row)
    part = SharedRunOp::create(
        b, loc,
        SharedType::get(b.getContext(), rows.elements, places.elementType,
                        /*swizzle=*/0, /*slots=*/1, /*cluster=*/false),
        part, arith::MulIOp::create(b, loc, row, number(rows.elements)));
  if (load)
    BulkLoadOp::create(b, loc, tensor.memory, coords, part, request.barrier,
                       request.index, request.multicast, request.cache);
  else if (request.reduce)
    BulkReduceOp::create(b, loc, *request.reduce, part, tensor.memory, coords,
                         request.cache);
  else
    BulkStoreOp::create(b, loc, part, tensor.memory, coords, request.cache);
  return Value();
}

//===----------------------------------------------------------------------===//
// The variant
//===----------------------------------------------------------------------===//

static std::optional<std::string>
completesElsewhere(const CopyRequest &request) {
  bool load = request.from == Memory::Global;
  if (load && !request.barrier)
    return "no barrier: a bulk load completes on an mbarrier, signals %full";
  if (!load && request.barrier)
    return "a bulk store completes in the thread's bulk group "
           "(titan.bulk.commit), and signals nothing";
  if (request.rank)
    return "between global memory and a peer there are no bulk copies";
  if (load && request.reduce)
    return "reductions go to global memory, or to a peer";
  if (!load && request.multicast)
    return "multicast is of loads";
  return std::nullopt;
}

static std::optional<std::string> isPartOrSwizzled(const CopyRequest &request) {
  const CopyPlace &tile = tileOf(request);
  if (tile.relaid || cast<SharedType>(tile.memory.getType()).getSwizzle())
    return "bytes go as they are, to rows one after another: a swizzle or "
           "another layout wants a schedule, or threads";
  if (!tile.offsets.empty() || tile.shape != request.places->extents)
    return "a region of the buffer: copy to a titan.shared.view";
  return std::nullopt;
}

static Result<Plan> planBulk(const CopyRequest &request) {
  auto rows = rowsOf(request);
  if (!rows)
    return rows.problem();
  Cost cost{.instructions = rows->count,
            .bytes = request.places->bytes() / rows->count};
  return planOf(
      request.op, cost,
      [request, rows = *rows](OpBuilder &b) {
        return buildBulk(request, rows, b);
      },
      [request, rows = *rows] {
        requireRows(request, rows);
        requireInside(request);
      });
}

void dispatch::registerBulk(CopyVariants &table) {
  table.add(
      {.name = "bulk",
       .directions = {{Memory::Global, Memory::Shared},
                      {Memory::Shared, Memory::Global}},
       .needs = {Feature::BulkCopy},
       .priority = 10,
       .when = {isBetweenPlaces(),
                isAsynchronous(true),
                singleThread(),
                takesWords({.reduce = true, .multicast = true, .cache = true}),
                {"completion", completesElsewhere},
                {"whole_tile", isPartOrSwizzled}},
       .plan = planBulk});
}
