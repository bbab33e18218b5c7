//===- Kernel.cpp - functions, partitions, control flow -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "KernelLowering.h"

#include "titan/Dialect/Titan/SharedMemory.h"
#include "titan/Target/Target.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace titan;

KernelLowering::KernelLowering(KernelOp kernel, ModuleOp target)
    : kernel(kernel), target(target), groups(kernel),
      b(kernel.getLoc(), kernel.getContext()) {
  warpsHere = kernel.getWarps();
}

FailureOr<LoweredKernel> KernelLowering::run() {
  // A name that PTX takes, and that nothing else in the module has.
  for (char c : kernel.getSymName())
    lowered.entry += llvm::isAlnum(c) || c == '_' ? c : '_';
  if (llvm::isDigit(lowered.entry.front()))
    lowered.entry.insert(0, "_");
  while (target.lookupSymbol(lowered.entry))
    lowered.entry += "_";
  if (failed(allocateShared()) || failed(makeFunction()) ||
      failed(block(kernel.getBody().front())))
    return failure();
  return std::move(lowered);
}

FailureOr<LoweredKernel> titan::lowerKernelToNVVM(KernelOp kernel,
                                                  ModuleOp target) {
  return KernelLowering(kernel, target).run();
}

InFlightDiagnostic KernelLowering::unsupported(Operation *op,
                                               const Twine &what) {
  InFlightDiagnostic diagnostic = op->emitError("[not-supported-yet] ");
  diagnostic << what << " has no lowering for sm_90a yet (docs/status.md)";
  return diagnostic;
}

//===----------------------------------------------------------------------===//
// Building blocks
//===----------------------------------------------------------------------===//

Value KernelLowering::i32(int64_t constant) {
  return arith::ConstantIntOp::create(b, b.getI32Type(), constant);
}
Value KernelLowering::i64(int64_t constant) {
  return arith::ConstantIntOp::create(b, b.getI64Type(), constant);
}
Value KernelLowering::i1(bool constant) {
  return arith::ConstantIntOp::create(b, b.getI1Type(), constant);
}
Value KernelLowering::add(Value x, Value y) {
  return b.createOrFold<arith::AddIOp>(x, y);
}
Value KernelLowering::mul(Value x, int64_t factor) {
  return b.createOrFold<arith::MulIOp>(
      x, arith::ConstantOp::create(b, b.getIntegerAttr(x.getType(), factor)));
}

static Value toInteger(ImplicitLocOpBuilder &b, Value integer, unsigned width) {
  Type wanted = b.getIntegerType(width);
  if (integer.getType() == wanted)
    return integer;
  if (integer.getType().isIndex())
    return b.createOrFold<arith::IndexCastOp>(wanted, integer);
  if (integer.getType().getIntOrFloatBitWidth() > width)
    return b.createOrFold<arith::TruncIOp>(wanted, integer);
  return b.createOrFold<arith::ExtSIOp>(wanted, integer);
}
Value KernelLowering::toI32(Value integer) { return toInteger(b, integer, 32); }
Value KernelLowering::toI64(Value integer) { return toInteger(b, integer, 64); }

Value KernelLowering::ptx(Type result, StringRef text, StringRef constraints,
                          ValueRange operands) {
  auto op = LLVM::InlineAsmOp::create(
      b, result ? TypeRange(result) : TypeRange(), operands, text, constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      ArrayAttr());
  return result ? op.getResult(0) : Value();
}
void KernelLowering::ptx(StringRef text, StringRef constraints,
                         ValueRange operands) {
  ptx(Type(), text, constraints, operands);
}

Value KernelLowering::lane() { return laneValue; }
Value KernelLowering::warp() { return partitionWarp; }

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::allocateShared() {
  int64_t limit = targetInfo(TargetId::Sm90a).sharedBytesPerCta;
  llvm::json::Array buffers;
  for (const SharedAllocation &each : layOutShared(kernel, limit)) {
    if (each.end() > limit)
      return each.op->emitError("[shared-memory-limit] with this allocation "
                                "the kernel takes ")
             << each.end() << " bytes of shared memory; a CTA of sm_90a has "
             << limit << ": use fewer slots or smaller tiles";
    sharedOffsets[each.op->getResult(0)] = each.offset;
    lowered.sharedBytes = each.end();
    if (auto loc = each.op->getLoc()->findInstanceOf<FileLineColLoc>())
      buffers.push_back(llvm::json::Object{
          {"kind", isa<MBarrierAllocOp>(each.op) ? "mbarrier" : "shared"},
          {"line", static_cast<int64_t>(loc.getLine())},
          {"offset", each.offset},
          {"bytes", each.bytes}});
  }
  lowered.info["shared"] = std::move(buffers);
  return success();
}

//===----------------------------------------------------------------------===//
// The function and its parameters
//===----------------------------------------------------------------------===//

namespace {
/// What of a global tensor the body uses.
struct GlobalUse {
  bool pointer = false;
  SmallVector<bool> sizes, strides;
};
} // namespace

LogicalResult KernelLowering::makeFunction() {
  MLIRContext *context = b.getContext();
  Type i64Type = b.getI64Type();
  Type globalPointer = LLVM::LLVMPointerType::get(context, 1);
  Type genericPointer = LLVM::LLVMPointerType::get(context);

  // Pass what the body uses and nothing else.
  llvm::DenseMap<Value, GlobalUse> uses;
  for (BlockArgument argument : kernel.getKernelArguments()) {
    auto global = dyn_cast<GlobalType>(argument.getType());
    if (!global)
      continue;
    GlobalUse &use = uses[argument];
    use.sizes.assign(global.getRank(), false);
    use.strides.assign(global.getRank(), false);
    for (Operation *user : argument.getUsers()) {
      if (auto dim = dyn_cast<DimOp>(user)) {
        use.sizes[dim.getDimension()] = true;
        continue;
      }
      use.pointer = true;
      for (unsigned d = 0; d + 1 < global.getRank(); ++d)
        use.strides[d] = true;
    }
  }

  struct Parameter {
    Type type;
    DictionaryAttr attributes;
  };
  SmallVector<Parameter> parameters;
  auto add = [&](Type type, llvm::json::Object how, DictionaryAttr attributes) {
    parameters.push_back({type, attributes});
    lowered.parameters.push_back(std::move(how));
  };
  auto names = kernel.getArgNames();
  for (auto [argument, nameAttribute] :
       llvm::zip(kernel.getKernelArguments(), names)) {
    std::string name = cast<StringAttr>(nameAttribute).getValue().str();
    auto global = dyn_cast<GlobalType>(argument.getType());
    if (!global) {
      if (!argument.use_empty())
        add(argument.getType(), llvm::json::Object{{"scalar", name}}, {});
      continue;
    }
    GlobalUse &use = uses[argument];
    if (use.pointer)
      add(globalPointer, llvm::json::Object{{"pointer", name}}, {});
    for (unsigned d = 0; d < global.getRank(); ++d) {
      if (use.sizes[d] && ShapedType::isDynamic(global.getShape()[d]))
        add(i64Type,
            llvm::json::Object{
                {"value",
                 llvm::json::Object{{"dim", llvm::json::Array{name, d}}}},
                {"type", "i64"}},
            {});
      if (use.strides[d] && ShapedType::isDynamic(global.getStrides()[d]))
        add(i64Type,
            llvm::json::Object{
                {"value",
                 llvm::json::Object{{"stride", llvm::json::Array{name, d}}}},
                {"type", "i64"}},
            {});
    }
  }
  for (auto [argument, nameAttribute] :
       llvm::zip(kernel.getLaunchArguments(), kernel.getLaunchNames())) {
    Type type = argument.getType();
    std::string name = cast<StringAttr>(nameAttribute).getValue().str();
    if (isa<TensorMapType>(type)) {
      auto words = LLVM::LLVMArrayType::get(i64Type, 16);
      add(genericPointer, llvm::json::Object{{"tensor_map", name}},
          b.getDictionaryAttr(
              {b.getNamedAttr("llvm.byval", TypeAttr::get(words)),
               b.getNamedAttr("llvm.align", b.getI64IntegerAttr(64)),
               b.getNamedAttr(NVVM::NVVMDialect::getGridConstantAttrName(),
                              b.getUnitAttr())}));
      continue;
    }
    if (!type.isIndex() && !type.isInteger(32) && !type.isInteger(64))
      return unsupported(kernel, "a launch value of type " +
                                     llvm::formatv("{0}", type).str());
    FailureOr<llvm::json::Value> expression =
        makeLaunchExpression(kernel.getLaunchValue(argument));
    if (failed(expression))
      return failure();
    Type passed = type.isInteger(32) ? type : i64Type;
    add(passed,
        llvm::json::Object{{"value", std::move(*expression)},
                           {"type", type.isInteger(32) ? "i32" : "i64"}},
        {});
  }

  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  for (Parameter &parameter : parameters) {
    types.push_back(parameter.type);
    attributes.push_back(parameter.attributes ? parameter.attributes
                                              : b.getDictionaryAttr({}));
  }
  int32_t threads = kernel.getWarps() * 32;
  SmallVector<NamedAttribute> properties{
      b.getNamedAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                     b.getUnitAttr()),
      b.getNamedAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                     b.getDenseI32ArrayAttr({threads, 1, 1})),
      b.getNamedAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                     b.getI32IntegerAttr(1))};
  if (auto registers = kernel.getRegisters())
    properties.push_back(b.getNamedAttr(NVVM::NVVMDialect::getMaxnregAttrName(),
                                        b.getI32IntegerAttr(*registers)));
  if (kernel.getClusterSize() > 1) {
    auto shape = kernel.getClusterShape();
    properties.push_back(b.getNamedAttr(
        NVVM::NVVMDialect::getClusterDimAttrName(),
        b.getDenseI32ArrayAttr({static_cast<int32_t>(shape[0]),
                                static_cast<int32_t>(shape[1]),
                                static_cast<int32_t>(shape[2])})));
  }

  b.setInsertionPointToEnd(target.getBody());
  // One window of dynamic shared memory, whose size the launch gives.
  StringRef sharedName = "titan_shared";
  auto sharedGlobal = target.lookupSymbol<LLVM::GlobalOp>(sharedName);
  if (!sharedGlobal)
    sharedGlobal = LLVM::GlobalOp::create(
        b, LLVM::LLVMArrayType::get(b.getI8Type(), 0), /*isConstant=*/false,
        LLVM::Linkage::External, sharedName, Attribute(), /*alignment=*/1024,
        /*addrSpace=*/3);
  function = LLVM::LLVMFuncOp::create(
      b, lowered.entry,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types),
      LLVM::Linkage::External, /*dsoLocal=*/false, LLVM::CConv::C,
      SymbolRefAttr(), properties, attributes);
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);

  // Parameters, in the same order as above.
  unsigned next = 0;
  auto index = [&](Value value) -> Value {
    return arith::IndexCastOp::create(b, b.getIndexType(), value);
  };
  auto constantIndex = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  for (BlockArgument argument : kernel.getKernelArguments()) {
    auto type = dyn_cast<GlobalType>(argument.getType());
    if (!type) {
      if (!argument.use_empty())
        set(argument, entry->getArgument(next++));
      continue;
    }
    GlobalUse &use = uses[argument];
    Global &global = globals[argument];
    if (use.pointer)
      global.pointer = entry->getArgument(next++);
    for (unsigned d = 0; d < type.getRank(); ++d) {
      Value size, stride;
      if (use.sizes[d])
        size = ShapedType::isDynamic(type.getShape()[d])
                   ? index(entry->getArgument(next++))
                   : constantIndex(type.getShape()[d]);
      if (use.strides[d])
        stride = ShapedType::isDynamic(type.getStrides()[d])
                     ? index(entry->getArgument(next++))
                     : constantIndex(type.getStrides()[d]);
      if (d + 1 == type.getRank())
        stride = constantIndex(1);
      global.sizes.push_back(size);
      global.strides.push_back(stride);
    }
  }
  for (BlockArgument argument : kernel.getLaunchArguments()) {
    Value value = entry->getArgument(next++);
    if (argument.getType().isIndex())
      value = index(value);
    set(argument, value);
    // The engine reads the descriptor through a cache of its own.
    if (isa<TensorMapType>(argument.getType()) &&
        llvm::any_of(argument.getUsers(), [](Operation *user) {
          return isa<TmaLoadOp, TmaStoreOp, TmaReduceOp>(user);
        }))
      ptx("prefetch.tensormap [$0];", "l", value);
  }

  // Who am I. The shuffle tells ptxas that a warp's threads agree.
  Value thread = NVVM::ThreadIdXOp::create(b, b.getI32Type());
  laneValue = arith::AndIOp::create(b, thread, i32(31));
  ctaWarp = NVVM::ShflOp::create(
      b, b.getI32Type(), i32(-1), arith::ShRUIOp::create(b, thread, i32(5)),
      i32(0), i32(31), NVVM::ShflKind::idx, UnitAttr());
  partitionWarp = ctaWarp;
  if (lowered.sharedBytes)
    sharedBase = LLVM::PtrToIntOp::create(
        b, b.getI32Type(), LLVM::AddressOfOp::create(b, sharedGlobal));
  return success();
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::block(Block &body) {
  for (Operation &op : body) {
    b.setLoc(op.getLoc());
    if (failed(operation(op)))
      return failure();
  }
  return success();
}

LogicalResult KernelLowering::operation(Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case<scf::ForOp>([&](auto o) { return forLoop(o); })
      .Case<scf::WhileOp>([&](auto o) { return whileLoop(o); })
      .Case<scf::IfOp>([&](auto o) { return ifElse(o); })
      .Case<scf::YieldOp>([&](scf::YieldOp o) {
        scf::YieldOp::create(b, getAll(o.getOperands()));
        return success();
      })
      .Case<scf::ConditionOp>([&](scf::ConditionOp o) {
        scf::ConditionOp::create(b, get1(o.getCondition()),
                                 getAll(o.getArgs()));
        return success();
      })
      .Case<WarpSpecializeOp>([&](auto o) { return warpSpecialize(o); })
      .Case<ElectOp>([&](auto o) { return elect(o); })
      .Case<YieldOp>([&](auto) { return success(); })
      .Case<ReturnOp>([&](auto) {
        LLVM::ReturnOp::create(b, ValueRange());
        return success();
      })
      .Case<PrintOp>([&](auto o) { return print(o); })
      .Case<AssertOp>([&](auto o) { return assertion(o); })
      .Case<CtaIdOp>([&](CtaIdOp o) {
        Type t = b.getI32Type();
        Value id = o.getDimension() == 0
                       ? NVVM::BlockIdXOp::create(b, t).getResult()
                   : o.getDimension() == 1
                       ? NVVM::BlockIdYOp::create(b, t).getResult()
                       : NVVM::BlockIdZOp::create(b, t).getResult();
        set(o,
            arith::IndexCastUIOp::create(b, b.getIndexType(), id).getResult());
        return success();
      })
      .Case<NumCtasOp>([&](NumCtasOp o) {
        Type t = b.getI32Type();
        Value n = o.getDimension() == 0
                      ? NVVM::GridDimXOp::create(b, t).getResult()
                  : o.getDimension() == 1
                      ? NVVM::GridDimYOp::create(b, t).getResult()
                      : NVVM::GridDimZOp::create(b, t).getResult();
        set(o,
            arith::IndexCastUIOp::create(b, b.getIndexType(), n).getResult());
        return success();
      })
      .Case<ClusterRankOp>([&](ClusterRankOp o) {
        set(o, NVVM::ClusterId::create(b, b.getI32Type()).getResult());
        return success();
      })
      .Case<WarpIdOp>([&](WarpIdOp o) {
        set(o, partitionWarp);
        return success();
      })
      .Case<DimOp>([&](DimOp o) {
        set(o, globals[o.getTensor()].sizes[o.getDimension()]);
        return success();
      })
      .Case<SharedAllocOp, MBarrierAllocOp>([&](Operation *o) {
        Value memory = o->getResult(0);
        set(memory, add(sharedBase, i32(sharedOffsets[memory])));
        return success();
      })
      .Case<SharedSlotOp>([&](auto o) { return sharedSlot(o); })
      .Case<SharedViewOp>([&](auto o) { return sharedView(o); })
      .Case<MapRankOp>([&](auto o) { return mapRank(o); })
      .Case<SharedStoreOp>([&](auto o) { return sharedStore(o); })
      .Case<SharedLoadOp>([&](auto o) { return sharedLoad(o); })
      .Case<GlobalLoadOp>([&](auto o) { return globalLoad(o); })
      .Case<GlobalStoreOp>([&](auto o) { return globalStore(o); })
      .Case<LdOp>([&](auto o) { return ld(o); })
      .Case<StOp>([&](auto o) { return st(o); })
      .Case<AtomOp>([&](auto o) { return atom(o); })
      .Case<FlagWaitOp>([&](auto o) { return flagWait(o); })
      .Case<FlagSignalOp>([&](auto o) { return flagSignal(o); })
      .Case<TmaLoadOp>([&](auto o) { return tmaLoad(o); })
      .Case<TmaStoreOp>([&](auto o) { return tmaStore(o); })
      .Case<TmaReduceOp>([&](auto o) { return tmaReduce(o); })
      .Case<BulkCommitOp>([&](BulkCommitOp o) {
        NVVM::CpAsyncBulkCommitGroupOp::create(b);
        set(o.getToken(), {});
        return success();
      })
      .Case<BulkWaitOp>([&](auto o) { return bulkWait(o); })
      .Case<BulkWaitGroupOp>([&](BulkWaitGroupOp o) {
        NVVM::CpAsyncBulkWaitGroupOp::create(
            b, static_cast<uint32_t>(o.getPending()),
            o.getRead() ? b.getUnitAttr() : UnitAttr());
        return success();
      })
      .Case<TokenNoneOp>([&](TokenNoneOp o) {
        set(o, {});
        return success();
      })
      .Case<MmaOp>([&](auto o) { return mma(o); })
      .Case<MmaResultOp>([&](auto o) { return mmaResult(o); })
      .Case<MmaWaitOp>([&](auto o) { return mmaWait(o); })
      .Case<InFlightNoneOp>([&](InFlightNoneOp o) {
        auto types = convert(o, o.getType());
        if (failed(types))
          return failure();
        Value zero =
            arith::ConstantOp::create(b, b.getZeroAttr(types->front()));
        set(o, SmallVector<Value>(types->size(), zero));
        return success();
      })
      .Case<InFlightStartOp>([&](InFlightStartOp o) {
        set(o, get(o.getTile()));
        return success();
      })
      .Case<MmaFenceOp>([&](auto) {
        NVVM::WgmmaFenceAlignedOp::create(b);
        return success();
      })
      .Case<MmaCommitOp>([&](MmaCommitOp o) {
        NVVM::WgmmaGroupSyncAlignedOp::create(b);
        set(o.getToken(), {});
        return success();
      })
      .Case<MmaWaitGroupOp>([&](MmaWaitGroupOp o) {
        NVVM::WgmmaWaitGroupSyncOp::create(
            b, static_cast<uint64_t>(o.getPending()));
        return success();
      })
      .Case<SplatOp>([&](auto o) { return splat(o); })
      .Case<CoordinateOp>([&](auto o) { return coordinate(o); })
      .Case<ExtractOp>([&](auto o) { return extract(o); })
      .Case<ReduceOp>([&](auto o) { return reduce(o); })
      .Case<BroadcastOp>([&](auto o) { return broadcast(o); })
      .Default([&](Operation *o) {
        if (isa<arith::ArithDialect, math::MathDialect>(o->getDialect()))
          return elementwise(*o);
        if (o->getName().getStringRef().starts_with("titan.pipe."))
          return LogicalResult(
              o->emitError("[not-supported-yet] pipes are expanded before the "
                           "lowering: run titan-expand-pipes"));
        if (o->getName().getStringRef().starts_with("titan.tensormap."))
          return tensormapOperation(*o);
        return barrierOperation(*o);
      });
}

FailureOr<SmallVector<Type>> KernelLowering::convert(Operation *op, Type type) {
  SmallVector<Type> types;
  if (auto inflight = dyn_cast<InFlightType>(type))
    type = inflight.getTensor();
  if (auto tile = dyn_cast<RankedTensorType>(type)) {
    Result<Layout> layout = getTileLayout(tile);
    if (!layout)
      return op->emitError("[")
                 << layout.problem().code << "] " << layout.problem().message,
             failure();
    if (layout->warps() > warpsHere || layout->lanes() != 32)
      return op->emitError("[layout-mismatch] ")
                 << tile << " is spread over " << layout->warps()
                 << " warps of " << layout->lanes() << " lanes; " << warpsHere
                 << " warps of 32 execute this",
             failure();
    types.assign(layout->registers(), tile.getElementType());
    return types;
  }
  if (isa<SharedType, MBarrierType>(type))
    types.push_back(b.getI32Type());
  else if (isa<TensorMapType>(type))
    types.push_back(LLVM::LLVMPointerType::get(b.getContext()));
  else if (isa<PhaseType>(type))
    types.push_back(b.getI64Type());
  else if (type.isIntOrIndexOrFloat())
    types.push_back(type);
  else if (!isa<TokenType>(type))
    return unsupported(op,
                       "a value of type " + llvm::formatv("{0}", type).str());
  return types;
}

FailureOr<KernelLowering::Converted>
KernelLowering::convertAll(Operation *op, TypeRange types) {
  Converted all;
  for (Type type : types) {
    auto converted = convert(op, type);
    if (failed(converted))
      return failure();
    all.counts.push_back(converted->size());
    llvm::append_range(all.types, *converted);
  }
  return all;
}

void KernelLowering::deal(ValueRange targets, ValueRange scalars,
                          ArrayRef<size_t> counts) {
  size_t position = 0;
  for (auto [target, count] : llvm::zip(targets, counts)) {
    set(target, scalars.slice(position, count));
    position += count;
  }
}

LogicalResult KernelLowering::forLoop(scf::ForOp op) {
  auto types = convertAll(op, op.getResultTypes());
  if (failed(types))
    return failure();
  auto loop =
      scf::ForOp::create(b, get1(op.getLowerBound()), get1(op.getUpperBound()),
                         get1(op.getStep()), getAll(op.getInitArgs()));
  loop.setUnsignedCmp(op.getUnsignedCmp());
  if (!loop.getBody()->empty())
    loop.getBody()->back().erase();
  set(op.getInductionVar(), loop.getInductionVar());
  deal(op.getRegionIterArgs(), loop.getRegionIterArgs(), types->counts);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    if (failed(block(*op.getBody())))
      return failure();
  }
  deal(op.getResults(), loop.getResults(), types->counts);
  return success();
}

LogicalResult KernelLowering::whileLoop(scf::WhileOp op) {
  auto results = convertAll(op, op.getResultTypes());
  if (failed(results))
    return failure();
  auto inits = convertAll(op, op.getInits().getTypes());
  if (failed(inits))
    return failure();
  auto loop = scf::WhileOp::create(b, results->types, getAll(op.getInits()));
  OpBuilder::InsertionGuard guard(b);
  Block *before =
      b.createBlock(&loop.getBefore(), {}, inits->types,
                    SmallVector<Location>(inits->types.size(), op.getLoc()));
  deal(op.getBeforeArguments(), before->getArguments(), inits->counts);
  if (failed(block(*op.getBeforeBody())))
    return failure();
  Block *after =
      b.createBlock(&loop.getAfter(), {}, results->types,
                    SmallVector<Location>(results->types.size(), op.getLoc()));
  deal(op.getAfterArguments(), after->getArguments(), results->counts);
  if (failed(block(*op.getAfterBody())))
    return failure();
  deal(op.getResults(), loop.getResults(), results->counts);
  return success();
}

LogicalResult KernelLowering::ifElse(scf::IfOp op) {
  auto types = convertAll(op, op.getResultTypes());
  if (failed(types))
    return failure();
  bool withElse = op.elseBlock() != nullptr;
  auto branch = scf::IfOp::create(b, TypeRange(types->types),
                                  get1(op.getCondition()), withElse);
  for (bool yes : {true, false}) {
    if (!yes && !withElse)
      break;
    OpBuilder::InsertionGuard guard(b);
    Block *body = yes ? branch.thenBlock() : branch.elseBlock();
    if (!body->empty())
      body->back().erase();
    b.setInsertionPointToEnd(body);
    if (failed(block(yes ? *op.thenBlock() : *op.elseBlock())))
      return failure();
  }
  deal(op.getResults(), branch.getResults(), types->counts);
  return success();
}

//===----------------------------------------------------------------------===//
// Partitions
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::warpSpecialize(WarpSpecializeOp op) {
  int64_t launchRegisters = kernel.getRegisters().value_or(0);
  llvm::json::Array infos;
  OpBuilder::InsertionGuard guard(b);
  for (auto partition : op.getBody().getOps<PartitionOp>()) {
    b.setLoc(partition.getLoc());
    int64_t first = op.getFirstWarp(partition);
    int64_t warps = partition.getWarps(), padded = partition.getPaddedWarps();
    infos.push_back(llvm::json::Object{{"name", partition.getName()},
                                       {"first_warp", first},
                                       {"warps", warps}});
    // One chain: if (warp < end of the first) ... else if ...
    Value mine = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, ctaWarp,
                                       i32(first + padded));
    if (first) {
      Value after = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, ctaWarp,
                                          i32(first));
      mine = arith::AndIOp::create(b, mine, after);
    }
    auto branch = scf::IfOp::create(b, TypeRange(), mine, /*else=*/true);
    b.setInsertionPointToStart(branch.thenBlock());
    if (auto registers = partition.getRegisters()) {
      if (!launchRegisters)
        return partition.emitError(
            "[setmaxnreg-operand] a register budget needs the kernel's "
            "registers(N) at launch (PTX ISA, setmaxnreg)");
      auto wanted = static_cast<int64_t>(*registers);
      if (wanted != launchRegisters)
        NVVM::SetMaxRegisterOp::create(
            b, static_cast<uint32_t>(wanted),
            wanted > launchRegisters ? NVVM::SetMaxRegisterAction::increase
                                     : NVVM::SetMaxRegisterAction::decrease);
    }
    if (warps < padded) {
      Value working = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                            ctaWarp, i32(first + warps));
      auto inner = scf::IfOp::create(b, TypeRange(), working, /*else=*/false);
      b.setInsertionPointToStart(inner.thenBlock());
    }
    partitionWarp =
        first ? arith::SubIOp::create(b, ctaWarp, i32(first)).getResult()
              : ctaWarp;
    warpsHere = warps;
    firstWarpHere = first;
    if (failed(block(partition.getBody().front())))
      return failure();
    b.setInsertionPointToStart(branch.elseBlock());
  }
  partitionWarp = ctaWarp;
  warpsHere = kernel.getWarps();
  firstWarpHere = 0;
  lowered.info["partitions"] = std::move(infos);
  return success();
}

LogicalResult KernelLowering::elect(ElectOp op) {
  for (Value result : op.getResults()) {
    if (!isa<TokenType>(result.getType()))
      return unsupported(op, "an elect that hands on more than tokens");
    set(result, {});
  }
  OpBuilder::InsertionGuard guard(b);
  if (auto warp = op.getWarp()) {
    Value mine =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, partitionWarp,
                              i32(static_cast<int64_t>(*warp)));
    auto branch = scf::IfOp::create(b, TypeRange(), mine, /*else=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  Value elected = NVVM::ElectSyncOp::create(b, b.getI1Type(), Value());
  auto branch = scf::IfOp::create(b, TypeRange(), elected, /*else=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  return block(op.getBody().front());
}

//===----------------------------------------------------------------------===//
// print, assert
//===----------------------------------------------------------------------===//

void KernelLowering::callPrintf(StringRef format, ValueRange scalars) {
  MLIRContext *context = b.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  auto printer = target.lookupSymbol<LLVM::LLVMFuncOp>("vprintf");
  OpBuilder::InsertPoint here = b.saveInsertionPoint();
  b.setInsertionPointToStart(target.getBody());
  if (!printer)
    printer = LLVM::LLVMFuncOp::create(
        b, "vprintf",
        LLVM::LLVMFunctionType::get(b.getI32Type(), {pointer, pointer}));
  std::string text = format.str();
  text.push_back('\0');
  auto global = LLVM::GlobalOp::create(
      b, LLVM::LLVMArrayType::get(b.getI8Type(), text.size()),
      /*isConstant=*/true, LLVM::Linkage::Internal,
      (lowered.entry + "_format" + Twine(formats++)).str(),
      b.getStringAttr(text), /*alignment=*/1, /*addrSpace=*/1);
  Value frame;
  auto frameType = LLVM::LLVMStructType::getLiteral(
      context, SmallVector<Type>(scalars.getTypes()));
  b.setInsertionPointToStart(&function.getBody().front());
  if (!scalars.empty())
    frame = LLVM::AllocaOp::create(b, pointer, frameType, i32(1));
  b.restoreInsertionPoint(here);
  if (!frame)
    frame = LLVM::ZeroOp::create(b, pointer);
  for (auto [i, scalar] : llvm::enumerate(scalars)) {
    Value place =
        LLVM::GEPOp::create(b, pointer, frameType, frame,
                            ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(i)});
    LLVM::StoreOp::create(b, scalar, place);
  }
  Value text0 = LLVM::AddrSpaceCastOp::create(
      b, pointer, LLVM::AddressOfOp::create(b, global));
  LLVM::CallOp::create(b, printer, ValueRange{text0, frame});
}

static std::string escapePercent(StringRef text) {
  std::string out;
  for (char c : text) {
    out.push_back(c);
    if (c == '%')
      out.push_back('%');
  }
  return out;
}

LogicalResult KernelLowering::print(PrintOp op) {
  std::string format = escapePercent(op.getMessage());
  Values scalars;
  for (Value value : op.getValues()) {
    Type type = value.getType();
    if (!type.isIntOrIndexOrFloat())
      return unsupported(op, "printing a value of type " +
                                 llvm::formatv("{0}", type).str());
    Value scalar = get1(value);
    if (isa<FloatType>(type)) { // varargs take doubles
      if (!type.isF64())
        scalar = arith::ExtFOp::create(b, b.getF64Type(), scalar);
      format += " %g";
    } else if (type.isIndex() || type.getIntOrFloatBitWidth() > 32) {
      scalar = toI64(scalar);
      format += " %lld";
    } else {
      scalar =
          type.isInteger(1)
              ? arith::ExtUIOp::create(b, b.getI32Type(), scalar).getResult()
              : toI32(scalar);
      format += " %d";
    }
    scalars.push_back(scalar);
  }
  format += "\n";
  OpBuilder::InsertionGuard guard(b);
  if (!op->getParentOfType<ElectOp>()) {
    Value first =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, laneValue, i32(0));
    auto branch = scf::IfOp::create(b, TypeRange(), first, /*else=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  callPrintf(format, scalars);
  return success();
}

LogicalResult KernelLowering::assertion(AssertOp op) {
  std::string place;
  if (auto loc = op.getLoc()->findInstanceOf<FileLineColLoc>())
    place = (loc.getFilename().getValue() + ":" + Twine(loc.getLine()) + ": ")
                .str();
  OpBuilder::InsertionGuard guard(b);
  Value broken = arith::XOrIOp::create(b, get1(op.getCondition()), i1(true));
  auto branch = scf::IfOp::create(b, TypeRange(), broken, /*else=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  callPrintf(escapePercent(place) + "assertion failed: " +
                 escapePercent(op.getMessage()) + " [assert-failed]\n",
             {});
  ptx("trap;", "~{memory}", {});
  return success();
}
