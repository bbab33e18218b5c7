//===- Memory.cpp - shared memory, registers, scalars ---------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "GlobalMemory.h"

#include "titan/Conversion/LoweringTable.h"
#include "titan/Dialect/Titan/CopyAsync.h"
#include "titan/Layout/Access.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace titan;

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static LogicalResult sharedSlot(KernelLowering &kl, SharedSlotOp op) {
  Value offset = kl.mul(kl.toI32(kl.get1(op.getIndex())),
                        op.getRing().getType().getSlotBytes());
  kl.set(op, kl.add(kl.get1(op.getRing()), offset));
  return success();
}

/// Of a view at a fixed offset.
template <typename Op>
static LogicalResult sharedView(KernelLowering &kl, Op op) {
  kl.set(op, kl.add(kl.get1(op.getSource()), kl.i32(op.getView().offset)));
  return success();
}

static LogicalResult mapRank(KernelLowering &kl, MapRankOp op) {
  kl.set(op,
         kl.ptx(kl.b.getI32Type(), "mapa.shared::cluster.u32 $0, $1, $2;",
                "=r,r,r", {kl.get1(op.getSource()), kl.get1(op.getRank())}));
  return success();
}

//===----------------------------------------------------------------------===//
// Register tiles <-> shared memory
//===----------------------------------------------------------------------===//

/// By rows, else by columns (.trans).
static Result<MatrixPlan> planMatrices(const Layout &layout,
                                       const Layout &image) {
  Result<MatrixPlan> plan = MatrixPlan::make(layout, image, /*trans=*/false);
  return plan ? plan : MatrixPlan::make(layout, image, /*trans=*/true);
}

/// Whether stmatrix or ldmatrix moves the tile in fewer instructions than
/// vectors do, and in no more wavefronts.
static bool prefersMatrices(KernelLowering &kl, const Layout &layout,
                            SharedType buffer, bool store) {
  if (layout.rank() != 2 || buffer.getElementBytes() != 2 ||
      buffer.getCluster() || layout.registers() % 2 ||
      layout.lanes() != kl.target.warpWidth)
    return false;
  // They store what every lane has, whoever owns it.
  Result<std::vector<DigitPlace>> free = layout.freeInputs();
  if (!free || (store && (!free->empty() || layout.warps() < kl.warps())))
    return false;
  Layout image = buffer.getLayout();
  Result<MatrixPlan> plan = planMatrices(layout, image);
  if (!plan)
    return false;
  Result<AccessCost> vectors =
      accessCost(layout, image, buffer.getElementBytes());
  if (!vectors || plan->instructions() >= vectors->accesses)
    return false;
  int64_t most = 0;
  for (int64_t warp = 0; warp < layout.warps(); ++warp) {
    int64_t wavefronts = 0;
    for (int64_t n = 0; n < plan->instructions(); ++n)
      wavefronts += plan->wavefronts(n, warp);
    most = std::max(most, wavefronts);
  }
  return most <= vectors->wavefronts;
}

static bool usesMatrices(KernelLowering &kl, Operation *op) {
  if (op->hasAttr(byVectors))
    return false;
  if (auto store = dyn_cast<SharedStoreOp>(op))
    return store.getMatrix() ||
           prefersMatrices(kl, *getTileLayout(store.getTile().getType()),
                           store.getBuffer().getType(), /*store=*/true);
  if (auto load = dyn_cast<SharedLoadOp>(op))
    return load.getMatrix() ||
           prefersMatrices(kl, *getTileLayout(load.getType()),
                           load.getBuffer().getType(), /*store=*/false);
  return false;
}

//===----------------------------------------------------------------------===//
// Matrices and the order of lanes (MM-16)
//===----------------------------------------------------------------------===//

/// The effects of an operation; none: it touches no memory and no barrier.
static std::optional<effect::EffectList> effectsOf(Operation *op) {
  auto hardware = dyn_cast<HardwareEffectsInterface>(op);
  if (!hardware)
    return std::nullopt;
  effect::EffectList effects;
  hardware.getHardwareEffects(effects);
  return effects;
}

/// Whether threads of the kernel write that memory through the generic proxy, or
/// by cp.async, whose groups each thread waits for by itself: copies that signal a
/// barrier do not tell a lane from the other ones of its row.
static bool isWrittenByThreads(KernelLowering &kl, Value memory) {
  Value root = getRoot(memory);
  WalkResult result = kl.kernel.getBody().walk([&](Operation *op) {
    auto effects = effectsOf(op);
    if (!effects)
      return WalkResult::advance();
    for (const effect::Effect &effect : *effects) {
      if (std::holds_alternative<effect::Opaque>(effect.what))
        return WalkResult::interrupt();
      auto *access = std::get_if<effect::Access>(&effect.what);
      if (!access || access->kind == AccessKind::Read ||
          (access->proxy != Proxy::Generic &&
           access->mechanism != Mechanism::AsyncGroup) ||
          !access->bytes.object ||
          !isa<SharedType>(access->bytes.object.getType()))
        continue;
      Value written = getRoot(access->bytes.object);
      if (written == root || !written.getDefiningOp<SharedAllocOp>())
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return result.wasInterrupted() || !root.getDefiningOp<SharedAllocOp>();
}

/// Whether lanes do the tile's accesses for one another, and somebody could see.
static bool ordersLanes(KernelLowering &kl, Operation *op) {
  if (!usesMatrices(kl, op))
    return false;
  auto load = dyn_cast<SharedLoadOp>(op);
  return !load || isWrittenByThreads(kl, load.getBuffer());
}

/// Whether a lane may do this while others access the allocation `root` for it:
/// fences, which every lane executes, and weak accesses of other memory.
static bool passesLanes(const effect::Effect &effect, Value root) {
  auto *access = std::get_if<effect::Access>(&effect.what);
  if (!access)
    return std::holds_alternative<effect::Fence>(effect.what);
  Value object = access->bytes.object;
  if (!object || access->mechanism || access->sem != effect::Sem::Weak)
    return false;
  Value other = getRoot(object);
  return isa<GlobalType>(object.getType()) ||
         (other != root && other.getDefiningOp<SharedAllocOp>() &&
          root.getDefiningOp<SharedAllocOp>());
}

/// Whether the lanes of the warp meet at a barrier between the operation and what
/// touches its memory next, or (`before`) has touched it last; or nothing does.
static bool lanesMeet(KernelLowering &kl, Operation *op, bool before) {
  auto store = dyn_cast<SharedStoreOp>(op);
  Value root =
      getRoot(store ? store.getBuffer() : cast<SharedLoadOp>(op).getBuffer());
  auto next = [&](Operation *at) {
    return before ? at->getPrevNode() : at->getNextNode();
  };
  for (Operation *at = next(op); at; at = next(at)) {
    if (isa<ReturnOp>(at))
      return true;
    if (at->getNumRegions() || at->hasTrait<OpTrait::IsTerminator>())
      return false;
    // A barrier stands behind it.
    if (before && ordersLanes(kl, at) && !lanesMeet(kl, at, /*before=*/false))
      return true;
    auto effects = effectsOf(at);
    if (!effects)
      continue;
    for (const effect::Effect &effect : *effects) {
      auto *barrier = std::get_if<effect::ThreadBarrier>(&effect.what);
      if (barrier && barrier->role == effect::ThreadBarrier::Sync)
        return true;
      if (!passesLanes(effect, root))
        return false;
    }
  }
  return before && op->getParentOp() == kl.kernel;
}

static void syncLanes(KernelLowering &kl) {
  NVVM::SyncWarpOp::create(kl.b, kl.i32(-1));
}

/// stmatrix / ldmatrix: each 8 x 8 matrix is a pair of registers of each lane;
/// lane i gives the address of row i % 8 of matrix i / 8.
static LogicalResult sharedMatrix(KernelLowering &kl, Operation *op,
                                  SharedType buffer, RankedTensorType tile,
                                  bool store) {
  Layout layout = *getTileLayout(tile);
  if (tile.getRank() != 2 || buffer.getElementBytes() != 2)
    return kl.unsupported(op,
                          "`matrix` on tiles that are not two-dimensional with "
                          "elements of 16 bits");
  int64_t registers = layout.registers();
  if (registers % 2 || layout.lanes() != kl.target.warpWidth)
    return op->emitError(
        "[layout-mismatch] stmatrix and ldmatrix move pairs of "
        "elements a lane (PTX ISA)");
  Layout image = buffer.getLayout();
  Result<MatrixPlan> plan = planMatrices(layout, image);
  if (!plan)
    return op->emitError(
        "[layout-mismatch] the tile's layout is not made of the 8 x 8 "
        "matrices that stmatrix and ldmatrix move (PTX ISA); leave `matrix` "
        "out");
  bool transposed = plan->trans();
  int64_t count = plan->count();
  SmallVector<Layout> offsets;
  for (int64_t n = 0; n < plan->instructions(); ++n)
    offsets.push_back(plan->addresses(n));
  Value base = store ? kl.get1(cast<SharedStoreOp>(op).getBuffer())
                     : kl.get1(cast<SharedLoadOp>(op).getBuffer());
  auto addresses = kl.laneFunctions(op, offsets, base, buffer.getAlignment());
  if (failed(addresses))
    return failure();
  bool orders = ordersLanes(kl, op);
  if (orders && !lanesMeet(kl, op, /*before=*/true))
    syncLanes(kl);
  llvm::scope_exit behind([&] {
    if (orders && !lanesMeet(kl, op, /*before=*/false))
      syncLanes(kl);
  });

  std::string instruction = std::string(store ? "stmatrix" : "ldmatrix") +
                            ".sync.aligned.m8n8.x" + std::to_string(count) +
                            (transposed ? ".trans" : "") + ".shared.b16 ";
  Values results;
  if (store) {
    Values elements = kl.get(cast<SharedStoreOp>(op).getTile());
    std::string list, constraints = "r";
    for (int64_t i = 0; i < count; ++i) {
      list += (i ? ", $" : "$") + std::to_string(i + 1);
      constraints += ",r";
    }
    for (auto [g, address] : llvm::enumerate(*addresses)) {
      Values operands{address};
      for (int64_t i = 0; i < count; ++i) {
        size_t r = g * 2 * count + 2 * i;
        operands.push_back(kl.pack(elements[r], elements[r + 1]));
      }
      kl.ptx(instruction + "[$0], {" + list + "};", constraints, operands);
    }
    return success();
  }
  std::string list, constraints;
  for (int64_t i = 0; i < count; ++i) {
    list += (i ? ", $" : "$") + std::to_string(i);
    constraints += "=r,";
  }
  Type word = kl.b.getI32Type(), element = tile.getElementType();
  Type loaded = count == 1
                    ? word
                    : LLVM::LLVMStructType::getLiteral(
                          kl.b.getContext(), SmallVector<Type>(count, word));
  for (Value address : *addresses) {
    Value all = kl.ptx(loaded,
                       instruction + "{" + list + "}, [$" +
                           std::to_string(count) + "];",
                       constraints + "r", address);
    for (int64_t i = 0; i < count; ++i) {
      Value bits = count == 1
                       ? all
                       : LLVM::ExtractValueOp::create(kl.b, all, i).getResult();
      Value pair =
          LLVM::BitcastOp::create(kl.b, VectorType::get(2, element), bits);
      for (int half : {0, 1})
        results.push_back(
            LLVM::ExtractElementOp::create(kl.b, pair, kl.i32(half)));
    }
  }
  kl.set(cast<SharedLoadOp>(op).getResult(), results);
  return success();
}

/// What LLVM's loads and stores move: fp8 and truth values as bytes.
static Type storageOf(Type element) {
  return element.getIntOrFloatBitWidth() <= 8
             ? IntegerType::get(element.getContext(), 8)
             : element;
}
static Value recast(ImplicitLocOpBuilder &b, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (value.getType().isInteger(1))
    return arith::ExtUIOp::create(b, type, value);
  if (type.isInteger(1))
    return arith::TruncIOp::create(b, type, value);
  return arith::BitcastOp::create(b, type, value);
}

static LogicalResult sharedStore(KernelLowering &kl, SharedStoreOp op) {
  SharedType buffer = op.getBuffer().getType();
  Layout layout = *getTileLayout(op.getTile().getType());
  if (usesMatrices(kl, op))
    return sharedMatrix(kl, op, buffer, op.getTile().getType(), /*store=*/true);
  auto owner = kl.ownerPredicate(op, layout);
  if (failed(owner))
    return failure();
  // Vectors of registers that lie side by side in memory.
  int64_t width =
      vectorBytes(layout, buffer.getLayout(), buffer.getElementBytes()) /
      buffer.getElementBytes();
  auto addresses = kl.tileAddresses(op, layout, op.getBuffer(), width);
  if (failed(addresses))
    return failure();
  OpBuilder::InsertionGuard guard(kl.b);
  if (*owner) {
    auto branch = scf::IfOp::create(kl.b, TypeRange(), *owner, /*else=*/false);
    kl.b.setInsertionPointToStart(branch.thenBlock());
  }
  Type element = storageOf(op.getTile().getType().getElementType());
  Values elements = kl.get(op.getTile());
  for (Value &each : elements)
    each = recast(kl.b, each, element);
  Type pointer = LLVM::LLVMPointerType::get(kl.b.getContext(),
                                            buffer.getCluster() ? 7 : 3);
  for (auto [n, address] : llvm::enumerate(*addresses)) {
    int64_t r = static_cast<int64_t>(n) * width;
    // Several registers may hold one element: the first is enough.
    if (!layout.isOwner({r, 0, 0}))
      continue;
    Value value = elements[r];
    if (width > 1) {
      value = LLVM::PoisonOp::create(kl.b, VectorType::get(width, element));
      for (int64_t i = 0; i < width; ++i)
        value = LLVM::InsertElementOp::create(kl.b, value, elements[r + i],
                                              kl.i32(i));
    }
    LLVM::StoreOp::create(
        kl.b, value, LLVM::IntToPtrOp::create(kl.b, pointer, address),
        static_cast<unsigned>(width * buffer.getElementBytes()));
  }
  return success();
}

static LogicalResult sharedLoad(KernelLowering &kl, SharedLoadOp op) {
  SharedType buffer = op.getBuffer().getType();
  Layout layout = *getTileLayout(op.getType());
  if (usesMatrices(kl, op))
    return sharedMatrix(kl, op, buffer, op.getType(), /*store=*/false);
  // Vectors of registers that lie side by side in memory.
  int64_t width =
      vectorBytes(layout, buffer.getLayout(), buffer.getElementBytes()) /
      buffer.getElementBytes();
  auto addresses = kl.tileAddresses(op, layout, op.getBuffer(), width);
  if (failed(addresses))
    return failure();
  Type element = storageOf(op.getType().getElementType());
  Type pointer = LLVM::LLVMPointerType::get(kl.b.getContext(),
                                            buffer.getCluster() ? 7 : 3);
  Values results;
  for (Value address : *addresses) {
    Type loaded = width > 1 ? Type(VectorType::get(width, element)) : element;
    Value value = LLVM::LoadOp::create(
        kl.b, loaded, LLVM::IntToPtrOp::create(kl.b, pointer, address),
        static_cast<unsigned>(width * buffer.getElementBytes()));
    if (width == 1)
      results.push_back(value);
    else
      for (int64_t i = 0; i < width; ++i)
        results.push_back(
            LLVM::ExtractElementOp::create(kl.b, value, kl.i32(i)));
  }
  for (Value &each : results)
    each = recast(kl.b, each, op.getType().getElementType());
  kl.set(op.getResult(), results);
  return success();
}

//===----------------------------------------------------------------------===//
// Register tiles <-> global memory
//===----------------------------------------------------------------------===//

/// Weak; the order among them is nobody's.
template <typename Op>
static Emitter::Access globalAccessOf(KernelLowering &kl, Op op) {
  Emitter::Access access;
  access.ordered = false;
  access.cop = op.getCop();
  access.l1 = op.getL1();
  if (auto cache = op.getCacheAttr())
    access.policy = kl.cachePolicy(cache);
  return access;
}

/// The only use of a masked load, if that is a select by its mask of what it loads and
/// of one constant, which the load can yield itself; null: it has other uses.
static arith::SelectOp selectOfOther(GlobalLoadOp load) {
  Value loaded = load.getResult();
  if (!load.getMask() || !loaded.hasOneUse())
    return {};
  auto select = dyn_cast<arith::SelectOp>(*loaded.user_begin());
  SplatElementsAttr other;
  return select && select.getCondition() == load.getMask() &&
                 select.getTrueValue() == loaded &&
                 matchPattern(select.getFalseValue(), m_Constant(&other))
             ? select
             : arith::SelectOp();
}

static LogicalResult globalLoad(KernelLowering &kl, GlobalLoadOp op) {
  Type element = op.getType().getElementType();
  Layout layout = *getTileLayout(op.getType());
  Values mask = op.getMask() ? kl.get(op.getMask()) : Values();
  Emitter::Access access = globalAccessOf(kl, op);
  access.prefetch = op.getPrefetch();
  arith::SelectOp select = selectOfOther(op);
  if (select) {
    DenseElementsAttr other;
    matchPattern(select.getFalseValue(), m_Constant(&other));
    Attribute value = other.getSplatValue<Attribute>();
    APInt bits = isa<FloatAttr>(value)
                     ? cast<FloatAttr>(value).getValue().bitcastToAPInt()
                     : cast<IntegerAttr>(value).getValue();
    access.other = bits.getZExtValue();
  }
  Values results(layout.registers());
  for (const GlobalAccess &group : planGlobalAccesses(
           kl, op.getTensor(), op.getIndices(), op.getMask(), layout,
           [](int64_t) { return true; }, /*once=*/true)) {
    access.address = group.address;
    access.mask = mask.empty() ? Value() : mask[group.first];
    Type storage = storageOf(element);
    if (group.count == 1) {
      Value one = recast(kl.b, kl.emitter.load(kl.b, storage, access), element);
      for (int64_t i = 0; i <= group.same; ++i)
        results[group.first + i] = one;
      continue;
    }
    Value all =
        kl.emitter.load(kl.b, VectorType::get(group.count, storage), access);
    for (int64_t i = 0; i < group.count; ++i)
      results[group.first + i] = recast(
          kl.b, LLVM::ExtractElementOp::create(kl.b, all, kl.i32(i)), element);
  }
  kl.set(op.getResult(), results);
  if (select)
    kl.set(select.getResult(), results);
  return success();
}

static LogicalResult globalStore(KernelLowering &kl, GlobalStoreOp op) {
  RankedTensorType tile = op.getTile().getType();
  Layout layout = *getTileLayout(tile);
  auto owner = kl.ownerPredicate(op, layout);
  if (failed(owner))
    return failure();
  Type storage = storageOf(tile.getElementType());
  Values elements = kl.get(op.getTile());
  Values mask = op.getMask() ? kl.get(op.getMask()) : Values();
  Emitter::Access access = globalAccessOf(kl, op);
  // Several registers may hold one element: the first is enough.
  for (const GlobalAccess &group : planGlobalAccesses(
           kl, op.getTensor(), op.getIndices(), op.getMask(), layout,
           [&](int64_t r) { return layout.isOwner({r, 0, 0}); })) {
    access.address = group.address;
    access.mask = mask.empty() ? Value() : mask[group.first];
    if (*owner)
      access.mask =
          access.mask
              ? arith::AndIOp::create(kl.b, access.mask, *owner).getResult()
              : *owner;
    Value value = recast(kl.b, elements[group.first], storage);
    if (group.count > 1) {
      Value all = LLVM::PoisonOp::create(
          kl.b, VectorType::get(group.count, value.getType()));
      for (int64_t i = 0; i < group.count; ++i)
        all = LLVM::InsertElementOp::create(
            kl.b, all, recast(kl.b, elements[group.first + i], storage),
            kl.i32(i));
      value = all;
    }
    kl.emitter.store(kl.b, value, access);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

/// The access of an operation to one element.
template <typename Op>
static Emitter::Access accessOf(KernelLowering &kl, Op op) {
  Emitter::Access access =
      kl.elementAccess(op.getMemory(), kl.getAll(op.getIndices()));
  access.sem = op.getSem();
  access.scope = op.getScope();
  return access;
}

static LogicalResult ld(KernelLowering &kl, LdOp op) {
  kl.set(op.getResult(), kl.emitter.load(kl.b, op.getType(), accessOf(kl, op)));
  return success();
}

static LogicalResult st(KernelLowering &kl, StOp op) {
  kl.emitter.store(kl.b, kl.get1(op.getValue()), accessOf(kl, op));
  return success();
}

/// Whether atomics of that kind are done on such elements.
static LogicalResult checkAtomic(KernelLowering &kl, Operation *op,
                                 AtomicOp kind, Type type) {
  unsigned bits = type.getIntOrFloatBitWidth();
  bool isFloat = isa<FloatType>(type);
  bool half = isFloat && bits == 16 && kind == AtomicOp::Add;
  if (bits != 32 && bits != 64 && !half)
    return kl.unsupported(op, "an atomic operation on " +
                                  llvm::formatv("{0}", type).str());
  if (isFloat && (kind == AtomicOp::Min || kind == AtomicOp::Max))
    return kl.unsupported(op, "an atomic minimum or maximum of floats");
  if (isFloat && kind != AtomicOp::Add && kind != AtomicOp::Exch)
    return kl.unsupported(op, "a bitwise atomic operation on floats");
  return success();
}

static LogicalResult atom(KernelLowering &kl, AtomOp op) {
  if (failed(checkAtomic(kl, op, op.getOp(), op.getType())))
    return failure();
  kl.set(
      op.getResult(),
      kl.emitter.atomic(kl.b, op.getOp(), kl.get1(op.getValue()),
                        op.getExpected() ? kl.get1(op.getExpected()) : Value(),
                        accessOf(kl, op)));
  return success();
}

static LogicalResult globalAtom(KernelLowering &kl, GlobalAtomOp op) {
  RankedTensorType tile = op.getTile().getType();
  Layout layout = *getTileLayout(tile);
  auto owner = kl.ownerPredicate(op, layout);
  if (failed(owner) ||
      failed(checkAtomic(kl, op, op.getOp(), tile.getElementType())))
    return failure();
  if (*owner && op.getResult())
    return kl.unsupported(op, "old values for warps that repeat a tile");
  Type element = tile.getElementType();
  Values elements = kl.get(op.getTile());
  Values mask = op.getMask() ? kl.get(op.getMask()) : Values();
  SmallVector<GlobalAccess> groups = planGlobalAccesses(
      kl, op.getTensor(), op.getIndices(), op.getMask(), layout,
      [&](int64_t r) { return layout.isOwner({r, 0, 0}); });
  // Floats that lie side by side are added by one instruction.
  bool together = op.getOp() == AtomicOp::Add && element.isF32();
  Emitter::Access access;
  access.sem = op.getSem();
  access.scope = op.getScope();
  // Elements have no order among themselves: one fence before all of them, and one
  // behind.
  bool several = groups.size() > 1 ||
                 (!together && groups.size() == 1 && groups.front().count > 1);
  bool fences = several && (access.sem == MemorySem::Acquire ||
                            access.sem == MemorySem::Release ||
                            access.sem == MemorySem::AcqRel);
  auto fence = [&](MemorySem one) {
    if (fences && (op.getSem() == one || op.getSem() == MemorySem::AcqRel))
      kl.emitter.fence(kl.b, op.getScope());
  };
  if (fences)
    access.sem = MemorySem::Relaxed;
  fence(MemorySem::Release);
  Value zero = arith::ConstantOp::create(kl.b, kl.b.getZeroAttr(element));
  Values results(layout.registers(), zero);
  for (const GlobalAccess &group : groups) {
    Value active = mask.empty() ? Value() : mask[group.first];
    if (*owner)
      active = active ? arith::AndIOp::create(kl.b, active, *owner).getResult()
                      : *owner;
    auto once = [&] {
      Values olds;
      int64_t width = together ? group.count : 1;
      for (int64_t first = 0; first < group.count; first += width) {
        access.address = first
                             ? kl.add(group.address,
                                      kl.i64(first * getElementBytes(element)))
                             : group.address;
        Value value = elements[group.first + first];
        if (width > 1) {
          value = LLVM::PoisonOp::create(kl.b, VectorType::get(width, element));
          for (int64_t i = 0; i < width; ++i)
            value = LLVM::InsertElementOp::create(
                kl.b, value, elements[group.first + i], kl.i32(i));
        }
        Value old = kl.emitter.atomic(kl.b, op.getOp(), value, Value(), access);
        for (int64_t i = 0; i < width; ++i)
          olds.push_back(
              width > 1 ? LLVM::ExtractElementOp::create(kl.b, old, kl.i32(i))
                              .getResult()
                        : old);
      }
      return olds;
    };
    Values olds;
    if (!active) {
      olds = once();
    } else {
      auto branch = scf::IfOp::create(
          kl.b, SmallVector<Type>(group.count, element), active,
          /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(kl.b);
      kl.b.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(kl.b, once());
      kl.b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(kl.b, Values(group.count, zero));
      olds.assign(branch.getResults().begin(), branch.getResults().end());
    }
    llvm::copy(olds, results.begin() + group.first);
  }
  fence(MemorySem::Acquire);
  if (op.getResult())
    kl.set(op.getResult(), results);
  return success();
}

/// The access to a flag, an i32 in global memory.
template <typename Op>
static Emitter::Access flagOf(KernelLowering &kl, Op op, MemorySem sem) {
  Emitter::Access access =
      kl.elementAccess(op.getFlags(), kl.getAll(op.getIndices()));
  access.sem = sem;
  access.scope = op.getScope();
  return access;
}

static LogicalResult flagWait(KernelLowering &kl, FlagWaitOp op) {
  Emitter::Access flag = flagOf(kl, op, MemorySem::Acquire);
  kl.emitter.waitAtLeast(kl.b, kl.get1(op.getValue()), flag);
  return success();
}

static LogicalResult flagSignal(KernelLowering &kl, FlagSignalOp op) {
  Emitter::Access flag = flagOf(kl, op, MemorySem::Release);
  kl.emitter.addTo(kl.b, kl.get1(op.getValue()), flag);
  return success();
}

static LogicalResult tensorAt(KernelLowering &kl, TensorAtOp op) {
  kl.setGlobal(op, {LLVM::IntToPtrOp::create(
                        kl.b, LLVM::LLVMPointerType::get(op.getContext(), 1),
                        kl.get1(op.getAddress())),
                    {Value()},
                    {arith::ConstantIndexOp::create(kl.b, 1)}});
  return success();
}

static LogicalResult addressOf(KernelLowering &kl, AddressOfOp op) {
  kl.set(op, LLVM::PtrToIntOp::create(kl.b, kl.b.getI64Type(),
                                      kl.global(op.getTensor()).pointer)
                 .getResult());
  return success();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

void titan::populateMemoryLowerings(LoweringTable &table) {
  table.add<SharedAllocOp>([](KernelLowering &kl, SharedAllocOp o) {
    kl.set(o, kl.sharedAddress(o));
    return success();
  });
  table.add<SharedSlotOp>(sharedSlot);
  table.add<SharedViewOp>(sharedView<SharedViewOp>);
  table.add<SharedReuseOp>(sharedView<SharedReuseOp>);
  table.add<MapRankOp>(mapRank);
  table.add<TensorAtOp>(tensorAt);
  table.add<AddressOfOp>(addressOf);
  table.add<SharedStoreOp>(sharedStore);
  table.add<SharedLoadOp>(sharedLoad);
  table.add<GlobalLoadOp>(globalLoad);
  table.add<GlobalStoreOp>(globalStore);
  table.add<GlobalAtomOp>(globalAtom);
  table.add<LdOp>(ld);
  table.add<StOp>(st);
  table.add<AtomOp>(atom);
  table.add<FlagWaitOp>(flagWait);
  table.add<FlagSignalOp>(flagSignal);
}
