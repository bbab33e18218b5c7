//===- Vectors.cpp - copies through the registers of all threads ----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread loads its elements and stores them. Between memories the variant
// says which are its own (Partition), of a register tile the tile's layout:
//
//   global <-> shared        32 accesses of 16 bytes a thread each way, of 128 x 64
//                            elements of two bytes, by one warp
//   a peer's -> shared       a pull: the reader loads from the peer's memory
//   shared -> shared         within the CTA
//   global <-> registers     as many elements an access as lie together on both sides
//   shared <-> registers     the same; ldmatrix and stmatrix instead, where the layout
//                            is made of their matrices
//
// A tile of more than `most` bytes a thread goes in parts, rows after rows. Where
// the tensor may end within the region a mask says so: what lies outside is zero, or
// is not stored.
//
//===----------------------------------------------------------------------===//
#include "Building.h"

#include "titan/Dialect/Titan/CopyAsync.h"
#include "titan/Layout/Access.h"

using namespace mlir;
using namespace titan;
using namespace titan::dispatch;

/// Bytes that one access of a thread moves at most, and that a thread holds at
/// most of a part.
static constexpr int64_t widestAccess = 16, mostHeld = 128;

/// Half of the registers that a thread can have; a matrix instruction fills 4 (x4).
static constexpr int64_t manyRegisters = 128;

static int64_t threadsOf(const CopyRequest &request) {
  return request.issuers.warps * request.target->warpWidth;
}

/// What only the launch knows of the places.
static void requireLaunch(const CopyRequest &request) {
  requireRank(request);
  for (const CopyPlace *place :
       {&request.places->source, &request.places->target})
    if (!place->isShared() && !place->registers)
      requireSizes(request, *place);
}

//===----------------------------------------------------------------------===//
// Between memories
//===----------------------------------------------------------------------===//

namespace {
/// A tile in parts, and how threads share one.
struct Parts {
  Partition partition;
  int64_t count = 1;
};
} // namespace

/// Of a tile in shared memory; rows of the other side begin at multiples of
/// `aligned` bytes.
static Result<Parts> partsOf(const CopyRequest &request, SharedType tile,
                             int64_t aligned) {
  int64_t bytes = tile.getElementBytes();
  int64_t lanes = request.target->warpWidth, warps = request.issuers.warps;
  int64_t vector = std::max<int64_t>(1, aligned / bytes);
  MLIRContext *context = tile.getContext();
  ArrayRef<int64_t> shape = tile.getShape();
  auto whole = partitionOf(context, shape, vector, lanes, warps);
  if (!whole)
    return whole.problem();
  Parts parts{std::move(*whole), 1};
  // Parts of rows, that begin where tiles may.
  int64_t rows = shape.front(), size = tile.getTileBytes();
  if (shape.size() > 1 &&
      (!tile.getSwizzle() || shape.back() * bytes <= tile.getSwizzle()))
    for (int64_t count = 2;
         parts.partition.registers * bytes > mostHeld && count <= rows;
         ++count) {
      if (rows % count || size / count % tile.getAlignment())
        continue;
      SmallVector<int64_t> part(shape);
      part.front() = rows / count;
      auto smaller = partitionOf(context, part, vector, lanes, warps);
      if (!smaller)
        return smaller.problem();
      parts = {std::move(*smaller), count};
    }
  if (int64_t held = parts.partition.registers * bytes; held > 4 * mostHeld)
    return Problem{"",
                   "each thread would hold " + std::to_string(held) +
                       " bytes at once: let more warps copy, or copy parts"};
  return parts;
}

/// The type of the region of a buffer.
static SharedType regionType(const CopyPlace &place, const CopyPlaces &places) {
  auto type = cast<SharedType>(place.memory.getType());
  return SharedType::get(type.getContext(), places.extentsIn(place),
                         type.getElementType(), type.getSwizzle(), 1,
                         type.getCluster());
}

/// Part `part` of a tile.
static Value partOf(OpBuilder &b, Location loc, Value tile, const Parts &parts,
                    int64_t part) {
  if (parts.count == 1)
    return tile;
  auto type = cast<SharedType>(tile.getType());
  SmallVector<int64_t> offsets(type.getRank(), 0);
  offsets.front() = part * parts.partition.shape.front();
  return SharedViewOp::create(
      b, loc,
      SharedType::get(b.getContext(), parts.partition.shape,
                      type.getElementType(), type.getSwizzle(), 1,
                      type.getCluster()),
      tile, offsets);
}

static Value buildBetweenMemories(const CopyRequest &request,
                                  const Parts &parts, OpBuilder &b) {
  const CopyPlaces &places = *request.places;
  Location loc = request.op->getLoc();
  Value from, to;
  if (places.source.isShared())
    from = viewOf(b, loc, places.source, places, request.rank);
  if (places.target.isShared())
    to = viewOf(b, loc, places.target, places);
  auto registers = parts.partition.of(places.elementType);
  for (int64_t part = 0; part < parts.count; ++part) {
    int64_t first = part * parts.partition.shape.front();
    Elements of;
    if (!from || !to)
      of = elementsOf(b, loc, places, from ? places.target : places.source,
                      registers, first);
    // Views of both sides have one shape, but for outer dimensions of 1.
    Value source = from ? partOf(b, loc, from, parts, part) : Value();
    Value target = to ? partOf(b, loc, to, parts, part) : Value();
    Value loaded =
        from ? SharedLoadOp::create(b, loc, registers, source, UnitAttr())
                   .getResult()
             : GlobalLoadOp::create(b, loc, registers, places.source.memory,
                                    of.indices, of.mask, CacheOperatorAttr(),
                                    L1PriorityAttr(), IntegerAttr(),
                                    CachePolicyAttr())
                   .getResult();
    if (to)
      SharedStoreOp::create(b, loc, loaded, target, UnitAttr());
    else
      GlobalStoreOp::create(b, loc, loaded, places.target.memory, of.indices,
                            of.mask, CacheOperatorAttr(), L1PriorityAttr(),
                            CachePolicyAttr());
  }
  return Value();
}

static Result<Plan> planBetweenMemories(const CopyRequest &request) {
  const CopyPlaces &places = *request.places;
  int64_t aligned = widestAccess;
  for (const CopyPlace *place : {&places.source, &places.target})
    if (!place->isShared()) {
      if (auto reason = isTooLong(*place))
        return Problem{"", *reason};
      aligned = alignedIn(request, *place);
    } else if (auto reason = isNoView(*place)) {
      return Problem{"", *reason};
    }
  const CopyPlace &tile =
      places.target.isShared() ? places.target : places.source;
  auto parts = partsOf(request, regionType(tile, places), aligned);
  if (!parts)
    return parts.problem();
  const Partition &of = parts->partition;
  Cost cost{.instructions = 2 * parts->count * of.registers / of.vector,
            .bytes = threadsOf(request) * of.vector *
                     getElementBytes(places.elementType),
            .threads = threadsOf(request)};
  return planOf(
      request.op, cost,
      [request, parts = *parts](OpBuilder &b) {
        return buildBetweenMemories(request, parts, b);
      },
      [request] { requireLaunch(request); });
}

//===----------------------------------------------------------------------===//
// To and from registers
//===----------------------------------------------------------------------===//

static const CopyPlace &registersOf(const CopyRequest &request) {
  return request.from == Memory::Registers ? request.places->source
                                           : request.places->target;
}
static const CopyPlace &memoryOf(const CopyRequest &request) {
  return request.from == Memory::Registers ? request.places->target
                                           : request.places->source;
}
static Layout tileLayoutOf(const CopyRequest &request) {
  return *getTileLayout(
      cast<RankedTensorType>(registersOf(request).memory.getType()));
}

/// The layout is that of the warps that execute the copy.
static std::optional<std::string> isOfOtherWarps(const CopyRequest &request) {
  for (const CopyPlace *place :
       {&request.places->source, &request.places->target}) {
    if (!place->registers)
      continue;
    int64_t warps =
        getTileLayout(cast<RankedTensorType>(place->memory.getType()))->warps();
    if (request.issuers.warps % warps)
      return "the tile's layout is of " + std::to_string(warps) +
             " warps, and " + request.issuers.str() + " execute it";
  }
  return std::nullopt;
}

namespace {
/// Accesses to shared memory: of a warp, its wavefronts, and those of all warps.
struct SharedAccesses {
  int64_t instructions = 0, wavefronts = 0, allWavefronts = 0, warps = 1;
};
} // namespace

/// Cycles that moving a tile takes, each warp its part. Measured on an H200, a hundred
/// tiles in a loop (benchmarks/dispatch_costs.py): shared memory serves a
/// wavefront a cycle; a warp takes
///
///            vectors                              matrices
///   loads    7 an access, or 2 a wavefront and    2 a wavefront and
///            18 or 5.5 an access - 16             32 or 15 an access
///   stores   4 an access                          2 + 12 an access
///
/// (of what stands by `or` the more), and all warps together 1.5 a load of vectors
/// where what they load fits into registers.
///
/// Around ldmatrix and stmatrix the lanes of a warp wait for one another: where a tile
/// fills half of the registers of eight warps' threads, what has to go to local memory
/// then takes a quarter more.
static int64_t cyclesOf(bool load, bool matrix, const SharedAccesses &of) {
  int64_t each = of.instructions, own = matrix ? 2 + 12 * each : 4 * each;
  if (load)
    own = std::max(matrix ? 0 : 7 * each,
                   2 * of.wavefronts +
                       (matrix ? std::max<int64_t>(32, 15 * each)
                               : std::max<int64_t>(18, 11 * each / 2 - 16)));
  if (load && !matrix && each < manyRegisters)
    own = std::max(own, 3 * each * of.warps / 2);
  int64_t cycles = std::max(own, of.allWavefronts);
  if (load && matrix && 4 * each >= manyRegisters)
    cycles += of.warps < 8 ? 0 : cycles / 4;
  else if (load && matrix && each > 4)
    ++cycles; // Where both wait for shared memory alike: vectors.
  return cycles;
}

/// By loads and stores of elements that the tile's layout names: of shared
/// memory, `matrix` those of matrices, or of global memory.
static Result<Plan> planRegisters(const CopyRequest &request, Cost cost,
                                  bool matrix) {
  cost.threads = threadsOf(request);
  return planOf(
      request.op, cost,
      [request, matrix](OpBuilder &b) -> Value {
        const CopyPlaces &places = *request.places;
        Location loc = request.op->getLoc();
        const CopyPlace &memory = memoryOf(request);
        Value tile = registersOf(request).memory;
        auto type = cast<RankedTensorType>(tile.getType());
        bool load = request.from != Memory::Registers;
        if (memory.isShared()) {
          Value view = viewOf(b, loc, memory, places, request.rank);
          Operation *access;
          Value result;
          if (load) {
            auto op = SharedLoadOp::create(b, loc, type, view, matrix);
            access = op;
            result = op;
          } else {
            access = SharedStoreOp::create(b, loc, tile, view, matrix);
          }
          if (!matrix)
            access->setDiscardableAttr(byVectors, b.getUnitAttr());
          return result;
        }
        Elements of = elementsOf(b, loc, places, memory, type);
        if (load)
          return GlobalLoadOp::create(b, loc, type, memory.memory, of.indices,
                                      of.mask, CacheOperatorAttr(),
                                      L1PriorityAttr(), IntegerAttr(),
                                      CachePolicyAttr());
        GlobalStoreOp::create(b, loc, tile, memory.memory, of.indices, of.mask,
                              CacheOperatorAttr(), L1PriorityAttr(),
                              CachePolicyAttr());
        return Value();
      },
      [request] { requireLaunch(request); });
}

static Result<Plan> planVectors(const CopyRequest &request) {
  if (request.from != Memory::Registers && request.to != Memory::Registers)
    return planBetweenMemories(request);
  const CopyPlaces &places = *request.places;
  const CopyPlace &memory = memoryOf(request);
  Layout layout = tileLayoutOf(request);
  int64_t bytes = getElementBytes(places.elementType), width;
  bool load = request.to == Memory::Registers;
  std::optional<int64_t> cycles;
  if (memory.isShared()) {
    if (auto reason = isNoView(memory))
      return Problem{"", *reason};
    Layout image = regionType(memory, places).getLayout();
    width = vectorBytes(layout, image, bytes);
    SharedAccesses accesses{layout.registers() * bytes / width, 0, 0,
                            layout.warps()};
    if (auto access = accessCost(layout, image, bytes)) {
      accesses.wavefronts = access->wavefronts;
      accesses.allWavefronts = access->wavefronts * layout.warps();
    }
    cycles = cyclesOf(load, /*matrix=*/false, accesses);
  } else {
    if (auto reason = isTooLong(memory))
      return Problem{"", *reason};
    int64_t together = layout.alignedRun(layout.rank() - 1);
    width =
        std::max(bytes, powerOf(together * bytes, alignedIn(request, memory)));
  }
  return planRegisters(request,
                       {.instructions = layout.registers() * bytes / width,
                        .bytes = threadsOf(request) * width,
                        .cycles = cycles},
                       /*matrix=*/false);
}

/// ldmatrix, stmatrix.
static Result<Plan> planMatrices(const CopyRequest &request) {
  const CopyPlaces &places = *request.places;
  const CopyPlace &memory = memoryOf(request);
  if (auto reason = isNoView(memory))
    return Problem{"", *reason};
  Layout layout = tileLayoutOf(request);
  if (layout.rank() != 2 || getElementBytes(places.elementType) != 2)
    return Problem{"", "tiles of two dimensions of elements of 16 bits"};
  bool store = request.from == Memory::Registers;
  auto free = layout.freeInputs();
  if (store && (!free || !free->empty()))
    return Problem{"", "several threads hold one element, and stmatrix stores "
                       "what each lane has"};
  Layout image = regionType(memory, places).getLayout();
  auto plan = MatrixPlan::make(layout, image, /*trans=*/false);
  if (!plan)
    plan = MatrixPlan::make(layout, image, /*trans=*/true);
  if (!plan)
    return Problem{"", plan.problem().message};
  SharedAccesses accesses{plan->instructions(), 0, 0, layout.warps()};
  for (int64_t warp = 0; warp < layout.warps(); ++warp) {
    int64_t wavefronts = 0;
    for (int64_t n = 0; n < plan->instructions(); ++n)
      wavefronts += plan->wavefronts(n, warp);
    accesses.wavefronts = std::max(accesses.wavefronts, wavefronts);
    accesses.allWavefronts += wavefronts;
  }
  return planRegisters(
      request,
      {.instructions = plan->instructions(),
       .bytes = plan->registers() * 2 * layout.lanes() * layout.warps(),
       .cycles = cyclesOf(!store, /*matrix=*/true, accesses)},
      /*matrix=*/true);
}

//===----------------------------------------------------------------------===//
// The variants
//===----------------------------------------------------------------------===//

static std::optional<std::string> isFarAway(const CopyRequest &request) {
  return request.rank ? leavesCluster(request) : std::nullopt;
}
static std::optional<std::string> isOfPeer(const CopyRequest &request) {
  if (request.rank)
    return "ldmatrix reads the CTA's own shared memory";
  return std::nullopt;
}

void dispatch::registerVectors(CopyVariants &table) {
  table.add({.name = "vectors",
             .directions = {{Memory::Global, Memory::Shared},
                            {Memory::Shared, Memory::Global},
                            {Memory::Shared, Memory::Shared},
                            {Memory::Global, Memory::Registers},
                            {Memory::Registers, Memory::Global},
                            {Memory::Shared, Memory::Registers},
                            {Memory::Registers, Memory::Shared}},
             .when = {isBetweenPlaces(),
                      isAsynchronous(false),
                      allThreads(),
                      {"rank_in_cluster", isFarAway},
                      staysApart(),
                      {"own_warps", isOfOtherWarps}},
             .plan = planVectors});
  table.add({.name = "ldmatrix",
             .directions = {{Memory::Shared, Memory::Registers}},
             .needs = {Feature::MatrixLoadStore},
             .priority = 1,
             .when = {allThreads(),
                      {"own_cta", isOfPeer},
                      {"own_warps", isOfOtherWarps}},
             .plan = planMatrices});
  table.add({.name = "stmatrix",
             .directions = {{Memory::Registers, Memory::Shared}},
             .needs = {Feature::MatrixLoadStore},
             .priority = 1,
             .when = {allThreads(), {"own_warps", isOfOtherWarps}},
             .plan = planMatrices});
}
