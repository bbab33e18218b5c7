//===- Memory.cpp - shared and global memory, registers, scalars ----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Conversion/LoweringTable.h"
#include "titan/Layout/Access.h"

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
      buffer.getCluster() || layout.registers() % 2 || layout.lanes() != 32)
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
  int64_t warps = std::max<int64_t>(layout.warps(), kl.warps());
  if (registers % 2 || layout.lanes() != 32)
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
  SmallVector<LaneFunction> offsets;
  for (int64_t n = 0; n < plan->instructions(); ++n)
    offsets.push_back([&plan, n](int64_t l, int64_t w) {
      return plan->addresses(n).coords(0, l, w)[0];
    });
  Value base = store ? kl.get1(cast<SharedStoreOp>(op).getBuffer())
                     : kl.get1(cast<SharedLoadOp>(op).getBuffer());
  auto addresses =
      kl.sharedAddresses(op, base, buffer.getAlignment(), offsets, warps);
  if (failed(addresses))
    return failure();

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
      kl.ptx(instruction + "[$0], {" + list + "};", constraints + ",~{memory}",
             operands);
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
                       constraints + "r,~{memory}", address);
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

namespace {
/// Accesses of a tile to its image: vectors of `width` registers that lie side
/// by side in memory.
struct Accesses {
  int64_t width = 1;
  SmallVector<int64_t> registers; // the first one of each access
  SmallVector<LaneFunction> offsets;
};
} // namespace

static Accesses planAccesses(const Layout &layout, SharedType buffer) {
  Accesses plan;
  int64_t bytes = buffer.getElementBytes();
  Layout image = buffer.getLayout();
  plan.width = vectorBytes(layout, image, bytes) / bytes;
  for (int64_t r = 0; r < layout.registers(); r += plan.width) {
    plan.registers.push_back(r);
    plan.offsets.push_back([&layout, image, r](int64_t l, int64_t w) {
      return image.apply(layout.coords(r, l, w))[0];
    });
  }
  return plan;
}

/// What LLVM's loads and stores move: fp8 as bytes.
static Type storageOf(Type element) {
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8)
    return IntegerType::get(element.getContext(), 8);
  return element;
}
static Value recast(ImplicitLocOpBuilder &b, Value value, Type type) {
  return value.getType() == type ? value
                                 : arith::BitcastOp::create(b, type, value);
}

static LogicalResult sharedStore(KernelLowering &kl, SharedStoreOp op) {
  SharedType buffer = op.getBuffer().getType();
  Layout layout = *getTileLayout(op.getTile().getType());
  if (op.getMatrix() || prefersMatrices(kl, layout, buffer, /*store=*/true))
    return sharedMatrix(kl, op, buffer, op.getTile().getType(), /*store=*/true);
  int64_t warps = std::max<int64_t>(layout.warps(), kl.warps());
  Accesses plan = planAccesses(layout, buffer);
  auto owner = kl.ownerPredicate(op, layout);
  if (failed(owner))
    return failure();
  auto addresses = kl.sharedAddresses(
      op, kl.get1(op.getBuffer()), buffer.getAlignment(), plan.offsets, warps);
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
  for (auto [r, address] : llvm::zip(plan.registers, *addresses)) {
    // Several registers may hold one element: the first is enough.
    if (!layout.isOwner({r, 0, 0}))
      continue;
    Value value = elements[r];
    if (plan.width > 1) {
      value =
          LLVM::PoisonOp::create(kl.b, VectorType::get(plan.width, element));
      for (int64_t i = 0; i < plan.width; ++i)
        value = LLVM::InsertElementOp::create(kl.b, value, elements[r + i],
                                              kl.i32(i));
    }
    LLVM::StoreOp::create(
        kl.b, value, LLVM::IntToPtrOp::create(kl.b, pointer, address),
        static_cast<unsigned>(plan.width * buffer.getElementBytes()));
  }
  return success();
}

static LogicalResult sharedLoad(KernelLowering &kl, SharedLoadOp op) {
  SharedType buffer = op.getBuffer().getType();
  Layout layout = *getTileLayout(op.getType());
  if (op.getMatrix() || prefersMatrices(kl, layout, buffer, /*store=*/false))
    return sharedMatrix(kl, op, buffer, op.getType(), /*store=*/false);
  int64_t warps = std::max<int64_t>(layout.warps(), kl.warps());
  Accesses plan = planAccesses(layout, buffer);
  auto addresses = kl.sharedAddresses(
      op, kl.get1(op.getBuffer()), buffer.getAlignment(), plan.offsets, warps);
  if (failed(addresses))
    return failure();
  Type element = storageOf(op.getType().getElementType());
  Type pointer = LLVM::LLVMPointerType::get(kl.b.getContext(),
                                            buffer.getCluster() ? 7 : 3);
  Values results;
  for (Value address : *addresses) {
    Type loaded =
        plan.width > 1 ? Type(VectorType::get(plan.width, element)) : element;
    Value value = LLVM::LoadOp::create(
        kl.b, loaded, LLVM::IntToPtrOp::create(kl.b, pointer, address),
        static_cast<unsigned>(plan.width * buffer.getElementBytes()));
    if (plan.width == 1)
      results.push_back(value);
    else
      for (int64_t i = 0; i < plan.width; ++i)
        results.push_back(
            LLVM::ExtractElementOp::create(kl.b, value, kl.i32(i)));
  }
  for (Value &each : results)
    each = recast(kl.b, each, op.getType().getElementType());
  kl.set(op.getResult(), results);
  return success();
}

//===----------------------------------------------------------------------===//
// Elements in global memory
//===----------------------------------------------------------------------===//

namespace {
/// How a scalar type stands in inline PTX: 8-bit values travel in 32-bit
/// registers, floats of 16 bits as their bits.
struct RegisterForm {
  int64_t bits; // in memory
  const char *constraint;
  Type type; // of the operand
};
} // namespace

static RegisterForm formOf(ImplicitLocOpBuilder &b, Type type) {
  int64_t bits = 8 * getElementBytes(type);
  if (bits == 64)
    return {64, "l", b.getI64Type()};
  if (bits == 16)
    return {16, "h", b.getI16Type()};
  return {bits, "r", b.getI32Type()};
}

static Value toForm(ImplicitLocOpBuilder &b, Value value, RegisterForm form) {
  Type type = value.getType();
  if (isa<FloatType>(type)) {
    Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
    value = arith::BitcastOp::create(b, bits, value);
  }
  if (value.getType() != form.type)
    value = arith::ExtUIOp::create(b, form.type, value);
  return value;
}

static Value fromForm(ImplicitLocOpBuilder &b, Value value, Type type) {
  Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  if (value.getType() != bits)
    value = arith::TruncIOp::create(b, bits, value);
  if (isa<FloatType>(type))
    value = arith::BitcastOp::create(b, type, value);
  return value;
}

/// ".L1::no_allocate.L2::cache_hint.L2::128B": what ld.global and st.global say
/// of the caches; the policy itself is an operand.
template <typename Op> static std::string cacheQualifiers(Op op) {
  std::string text;
  if (auto cop = op.getCop())
    text += "." + stringifyCacheOperator(*cop).str();
  if (auto l1 = op.getL1())
    text += ".L1::" + stringifyL1Priority(*l1).str();
  if (op.getCache())
    text += ".L2::cache_hint";
  if constexpr (std::is_same_v<Op, GlobalLoadOp>)
    if (auto bytes = op.getPrefetch())
      text += ".L2::" + std::to_string(*bytes) + "B";
  return text;
}

static LogicalResult globalLoad(KernelLowering &kl, GlobalLoadOp op) {
  Type element = op.getType().getElementType();
  RegisterForm form = formOf(kl.b, element);
  SmallVector<Values> indices;
  for (Value index : op.getIndices())
    indices.push_back(kl.get(index));
  Values mask = op.getMask() ? kl.get(op.getMask()) : Values();
  Values results;
  std::string suffix = std::to_string(form.bits);
  std::string load = "ld.global" + cacheQualifiers(op) +
                     (form.bits == 8 ? ".u" : ".b") + suffix + " $0, [$1]";
  // The policy comes last of the operands.
  Value policy = op.getCache() ? kl.i64(cacheWord(*op.getCache())) : Value();
  auto with = [&](Values operands, std::string constraints) {
    if (policy) {
      operands.push_back(policy);
      constraints += ",l";
    }
    return std::pair(operands, constraints + ",~{memory}");
  };
  for (size_t r = 0; r < indices.front().size(); ++r) {
    Values at;
    for (Values &index : indices)
      at.push_back(index[r]);
    Value address = kl.elementAddress(op.getTensor(), at);
    Value bits;
    if (mask.empty()) {
      auto [operands, constraints] =
          with({address}, std::string("=") + form.constraint + ",l");
      bits = kl.ptx(form.type, load + (policy ? ", $2;" : ";"), constraints,
                    operands);
    } else {
      Value active = arith::ExtUIOp::create(kl.b, kl.b.getI32Type(), mask[r]);
      std::string width = form.bits == 8 ? "32" : suffix;
      auto [operands, constraints] =
          with({address, active}, std::string("=&") + form.constraint + ",l,r");
      bits = kl.ptx(form.type,
                    "{\n\t.reg .pred active;\n\tsetp.ne.b32 active, $2, 0;\n\t"
                    "mov.b" +
                        width + " $0, 0;\n\t@active " + load +
                        (policy ? ", $3;\n\t}" : ";\n\t}"),
                    constraints, operands);
    }
    results.push_back(fromForm(kl.b, bits, element));
  }
  kl.set(op.getResult(), results);
  return success();
}

static LogicalResult globalStore(KernelLowering &kl, GlobalStoreOp op) {
  RankedTensorType tile = op.getTile().getType();
  Layout layout = *getTileLayout(tile);
  auto owner = kl.ownerPredicate(op, layout);
  if (failed(owner))
    return failure();
  RegisterForm form = formOf(kl.b, tile.getElementType());
  SmallVector<Values> indices;
  for (Value index : op.getIndices())
    indices.push_back(kl.get(index));
  Values elements = kl.get(op.getTile());
  Values mask = op.getMask() ? kl.get(op.getMask()) : Values();
  std::string store = "st.global" + cacheQualifiers(op) +
                      (form.bits == 8 ? ".u" : ".b") +
                      std::to_string(form.bits) + " [$0], $1";
  Value policy = op.getCache() ? kl.i64(cacheWord(*op.getCache())) : Value();
  for (size_t r = 0; r < elements.size(); ++r) {
    if (!layout.isOwner({static_cast<int64_t>(r), 0, 0}))
      continue;
    Values at;
    for (Values &index : indices)
      at.push_back(index[r]);
    Value address = kl.elementAddress(op.getTensor(), at);
    Value bits = toForm(kl.b, elements[r], form);
    Value active = mask.empty() ? Value() : mask[r];
    if (*owner)
      active = active ? arith::AndIOp::create(kl.b, active, *owner).getResult()
                      : *owner;
    Values operands{address, bits};
    std::string constraints = std::string("l,") + form.constraint;
    std::string text = store + (policy ? ", $2;" : ";");
    if (policy) {
      operands.push_back(policy);
      constraints += ",l";
    }
    if (active) {
      text = "{\n\t.reg .pred active;\n\tsetp.ne.b32 active, $" +
             std::to_string(operands.size()) + ", 0;\n\t@active " + text +
             "\n\t}";
      operands.push_back(
          arith::ExtUIOp::create(kl.b, kl.b.getI32Type(), active));
      constraints += ",r";
    }
    kl.ptx(text, constraints + ",~{memory}", operands);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

static std::string spaceOf(Value memory) {
  auto shared = dyn_cast<SharedType>(memory.getType());
  if (!shared)
    return ".global";
  return shared.getCluster() ? ".shared::cluster" : ".shared::cta";
}
static const char *addressConstraint(Value memory) {
  return isa<SharedType>(memory.getType()) ? "r" : "l";
}
static std::string order(MemorySem sem, MemoryScope scope) {
  if (sem == MemorySem::Weak)
    return ".weak";
  return ("." + stringifyMemorySem(sem) + "." + stringifyMemoryScope(scope))
      .str();
}
static LogicalResult checkScalarMemory(Operation *op, Value memory) {
  auto shared = dyn_cast<SharedType>(memory.getType());
  if (shared && shared.getSwizzle())
    return op->emitError("[not-supported-yet] single elements of a swizzled "
                         "tile have no lowering for sm_90a yet");
  return success();
}

static LogicalResult ld(KernelLowering &kl, LdOp op) {
  if (failed(checkScalarMemory(op, op.getMemory())))
    return failure();
  RegisterForm form = formOf(kl.b, op.getType());
  MemorySem sem = op.getSem();
  if (sem == MemorySem::SeqCst) {
    kl.ptx(("fence.sc." + stringifyMemoryScope(op.getScope()) + ";").str(),
           "~{memory}", {});
    sem = MemorySem::Acquire;
  }
  Value bits =
      kl.ptx(form.type,
             "ld" + order(sem, op.getScope()) + spaceOf(op.getMemory()) +
                 (form.bits == 8 ? ".u" : ".b") + std::to_string(form.bits) +
                 " $0, [$1];",
             std::string("=") + form.constraint + "," +
                 addressConstraint(op.getMemory()) + ",~{memory}",
             kl.elementAddress(op.getMemory(), kl.getAll(op.getIndices())));
  kl.set(op.getResult(), fromForm(kl.b, bits, op.getType()));
  return success();
}

static LogicalResult st(KernelLowering &kl, StOp op) {
  if (failed(checkScalarMemory(op, op.getMemory())))
    return failure();
  RegisterForm form = formOf(kl.b, op.getValue().getType());
  MemorySem sem = op.getSem();
  if (sem == MemorySem::SeqCst) {
    kl.ptx(("fence.sc." + stringifyMemoryScope(op.getScope()) + ";").str(),
           "~{memory}", {});
    sem = MemorySem::Release;
  }
  kl.ptx("st" + order(sem, op.getScope()) + spaceOf(op.getMemory()) +
             (form.bits == 8 ? ".u" : ".b") + std::to_string(form.bits) +
             " [$0], $1;",
         std::string(addressConstraint(op.getMemory())) + "," +
             form.constraint + ",~{memory}",
         {kl.elementAddress(op.getMemory(), kl.getAll(op.getIndices())),
          toForm(kl.b, kl.get1(op.getValue()), form)});
  return success();
}

static LogicalResult atom(KernelLowering &kl, AtomOp op) {
  if (failed(checkScalarMemory(op, op.getMemory())))
    return failure();
  Type type = op.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  bool isFloat = isa<FloatType>(type);
  if (bits != 32 && bits != 64)
    return kl.unsupported(op, "an atomic operation on " +
                                  llvm::formatv("{0}", type).str());
  std::string suffix = std::to_string(bits);
  switch (op.getOp()) {
  case AtomicOp::Add:
    suffix = (isFloat ? ".f" : ".u") + suffix;
    break;
  case AtomicOp::Min:
  case AtomicOp::Max:
    if (isFloat)
      return kl.unsupported(op, "an atomic minimum or maximum of floats");
    suffix = ".s" + suffix;
    break;
  case AtomicOp::Exch:
    suffix = ".b" + suffix;
    break;
  case AtomicOp::And:
  case AtomicOp::Or:
  case AtomicOp::Xor:
    if (isFloat)
      return kl.unsupported(op, "a bitwise atomic operation on floats");
    suffix = ".b" + suffix;
    break;
  }
  RegisterForm form = formOf(kl.b, type);
  MemorySem sem = op.getSem();
  if (sem == MemorySem::Weak)
    sem = MemorySem::Relaxed;
  if (sem == MemorySem::SeqCst) {
    kl.ptx(("fence.sc." + stringifyMemoryScope(op.getScope()) + ";").str(),
           "~{memory}", {});
    sem = MemorySem::AcqRel;
  }
  std::string operand = form.constraint;
  Value value = toForm(kl.b, kl.get1(op.getValue()), form);
  if (isFloat) { // add.f32 wants a float register
    operand = bits == 32 ? "f" : "d";
    value = kl.get1(op.getValue());
  }
  Value old = kl.ptx(
      isFloat ? type : form.type,
      "atom" + order(sem, op.getScope()) + spaceOf(op.getMemory()) + "." +
          stringifyAtomicOp(op.getOp()).str() + suffix + " $0, [$1], $2;",
      "=" + operand + "," + addressConstraint(op.getMemory()) + "," + operand +
          ",~{memory}",
      {kl.elementAddress(op.getMemory(), kl.getAll(op.getIndices())), value});
  kl.set(op.getResult(), isFloat ? old : fromForm(kl.b, old, type));
  return success();
}

static LogicalResult flagWait(KernelLowering &kl, FlagWaitOp op) {
  std::string scope = stringifyMemoryScope(op.getScope()).str();
  kl.ptx("{\n\t.reg .pred done;\n\t.reg .b32 flag;\nflag_${:uid}:\n\t"
         "ld.acquire." +
             scope +
             ".global.b32 flag, [$0];\n\t"
             "setp.ge.s32 done, flag, $1;\n\t@!done bra flag_${:uid};\n\t}",
         "l,r,~{memory}",
         {kl.elementAddress(op.getFlags(), kl.getAll(op.getIndices())),
          kl.get1(op.getValue())});
  return success();
}

static LogicalResult flagSignal(KernelLowering &kl, FlagSignalOp op) {
  std::string scope = stringifyMemoryScope(op.getScope()).str();
  kl.ptx("red.release." + scope + ".global.add.u32 [$0], $1;", "l,r,~{memory}",
         {kl.elementAddress(op.getFlags(), kl.getAll(op.getIndices())),
          kl.get1(op.getValue())});
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
  table.add<SharedStoreOp>(sharedStore);
  table.add<SharedLoadOp>(sharedLoad);
  table.add<GlobalLoadOp>(globalLoad);
  table.add<GlobalStoreOp>(globalStore);
  table.add<LdOp>(ld);
  table.add<StOp>(st);
  table.add<AtomOp>(atom);
  table.add<FlagWaitOp>(flagWait);
  table.add<FlagSignalOp>(flagSignal);
}
