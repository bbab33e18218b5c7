//===- KernelLowering.cpp - a kernel becomes a function -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Conversion/LaunchRanges.h"
#include "titan/Conversion/LoweringTable.h"

#include "titan/Dialect/Titan/SharedMemory.h"
#include "titan/Dialect/Titan/TileWarps.h"
#include "titan/Layout/Evaluate.h"
#include "titan/Target/Target.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace titan;

KernelLowering::KernelLowering(KernelOp kernel, ModuleOp module,
                               Emitter &emitter)
    : b(kernel.getLoc(), kernel.getContext()), kernel(kernel), module(module),
      emitter(emitter), target(emitter.target), groups(kernel), zeros(kernel),
      warpsHere(kernel.getWarps()) {
  lowered.threads = kernel.getWarps() * target.warpWidth;
}

FailureOr<LoweredKernel> KernelLowering::run() {
  // A name that PTX takes, and that nothing else in the module has.
  for (char c : kernel.getSymName())
    lowered.entry += llvm::isAlnum(c) || c == '_' ? c : '_';
  if (llvm::isDigit(lowered.entry.front()))
    lowered.entry.insert(0, "_");
  // These two mean something else in PTX.
  while (module.lookupSymbol(lowered.entry) || lowered.entry == "_" ||
         lowered.entry == "WARP_SZ")
    lowered.entry += "_";
  if (failed(allocateShared()) || failed(makeFunction()) ||
      failed(block(kernel.getBody().front())))
    return failure();
  return std::move(lowered);
}

FailureOr<LoweredKernel> titan::lowerKernel(KernelOp kernel, ModuleOp module,
                                            Emitter &emitter) {
  return KernelLowering(kernel, module, emitter).run();
}

InFlightDiagnostic KernelLowering::unsupported(Operation *op,
                                               const Twine &what) {
  InFlightDiagnostic diagnostic = op->emitError("[not-supported-yet] ");
  diagnostic << what << " has no lowering for " << StringRef(target.name)
             << " yet (docs/status.md)";
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
  return inlinePtx(b, result, text, constraints, operands);
}
void KernelLowering::ptx(StringRef text, StringRef constraints,
                         ValueRange operands) {
  ptx(Type(), text, constraints, operands);
}

Value KernelLowering::cachePolicy(CachePolicyAttr policy) {
  FloatAttr fraction = policy.getFraction();
  if (!fraction && !policy.getSecondary())
    return i64(cacheWord(policy.getPrimary()));
  Value &word = policies[policy];
  if (word)
    return word;
  std::string text = "createpolicy.fractional.L2::" +
                     stringifyL2Priority(policy.getPrimary()).str();
  if (auto secondary = policy.getSecondary())
    text += ".L2::" + stringifyL2Priority(*secondary).str();
  text += ".b64 $0";
  if (fraction)
    text += llvm::formatv(", 0f{0:X-8}",
                          fraction.getValue().bitcastToAPInt().getZExtValue());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&function.getBody().front());
  return word = ptx(b.getI64Type(), text + ";", "=l", {});
}

Value KernelLowering::sharedAddress(Value allocation) {
  return add(sharedBase, i32(sharedOffsets[allocation]));
}

Value KernelLowering::mbarrierAddress(Value barrier, Value index) {
  Value address = get1(barrier);
  if (index)
    address = add(address, mul(toI32(get1(index)), 8));
  return address;
}

Value KernelLowering::pack(Value low, Value high) {
  auto type = VectorType::get(2, low.getType());
  Value pair = LLVM::PoisonOp::create(b, type);
  pair = LLVM::InsertElementOp::create(b, pair, low, i32(0));
  pair = LLVM::InsertElementOp::create(b, pair, high, i32(1));
  return LLVM::BitcastOp::create(b, b.getI32Type(), pair);
}

SmallVector<Value> KernelLowering::packed(ValueRange elements) {
  int64_t bits = elements.front().getType().getIntOrFloatBitWidth();
  Values words;
  for (size_t i = 0; i < elements.size(); i += 32 / bits) {
    if (bits == 16) {
      words.push_back(pack(elements[i], elements[i + 1]));
      continue;
    }
    Type integer = b.getIntegerType(bits);
    auto asInteger = [&](Value v) -> Value {
      return v.getType() == integer ? v
                                    : arith::BitcastOp::create(b, integer, v);
    };
    if (bits == 32) {
      words.push_back(asInteger(elements[i]));
      continue;
    }
    Value word = LLVM::PoisonOp::create(b, VectorType::get(4, integer));
    for (int64_t j = 0; j < 4; ++j)
      word = LLVM::InsertElementOp::create(b, word, asInteger(elements[i + j]),
                                           i32(j));
    words.push_back(LLVM::BitcastOp::create(b, b.getI32Type(), word));
  }
  return words;
}

SmallVector<Value> KernelLowering::unpacked(ValueRange words, Type element) {
  Values elements;
  for (Value word : words) {
    Value pair = LLVM::BitcastOp::create(b, VectorType::get(2, element), word);
    for (int half : {0, 1})
      elements.push_back(LLVM::ExtractElementOp::create(b, pair, i32(half)));
  }
  return elements;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::allocateShared() {
  int64_t limit = target.sharedBytesPerCta;
  llvm::json::Array buffers;
  for (const SharedAllocation &each : layOutShared(kernel, limit)) {
    if (each.end() > limit)
      return each.op->emitError("[shared-memory-limit] with this allocation "
                                "the kernel takes ")
             << each.end() << " bytes of shared memory; a CTA of "
             << StringRef(target.name) << " has " << limit
             << ": use fewer slots or smaller tiles";
    sharedOffsets[each.op->getResult(0)] = each.offset;
    lowered.sharedBytes = each.end();
    if (auto loc = each.op->getLoc()->findInstanceOf<FileLineColLoc>())
      buffers.push_back(llvm::json::Object{
          {"kind", isa<MBarrierType>(each.op->getResult(0).getType())
                       ? "mbarrier"
                       : "shared"},
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

/// Whether an engine reads the tensor map for the operation.
static bool readsDescriptor(Operation *op, Value map) {
  auto hardware = dyn_cast<HardwareEffectsInterface>(op);
  if (!hardware)
    return false;
  effect::EffectList effects;
  hardware.getHardwareEffects(effects);
  return llvm::any_of(effects, [&](const effect::Effect &each) {
    auto *access = std::get_if<effect::Access>(&each.what);
    return access && access->proxy == Proxy::Tensormap &&
           access->bytes.kind == effect::Footprint::Object &&
           access->bytes.object == map;
  });
}

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

  LaunchRanges ranges(kernel);
  auto rangeAttributes =
      [&](std::optional<ConstantIntRanges> range) -> DictionaryAttr {
    if (!range || range->smin().getBitWidth() != 64 ||
        (range->smin().isMinSignedValue() &&
         range->smax().isMaxSignedValue()) ||
        range->smin().sgt(range->smax())) // no launch satisfies its checks
      return {};
    return b.getDictionaryAttr(
        b.getNamedAttr(LLVM::LLVMDialect::getRangeAttrName(),
                       LLVM::ConstantRangeAttr::get(context, range->smin(),
                                                    range->smax() + 1)));
  };

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
            rangeAttributes(ranges.ofSize(argument, d)));
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
      add(genericPointer, llvm::json::Object{{"tensor_map", name}},
          emitter.mapAttributes(b));
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
        rangeAttributes(ranges.of(kernel.getLaunchValue(argument))));
  }

  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  for (Parameter &parameter : parameters) {
    types.push_back(parameter.type);
    attributes.push_back(parameter.attributes ? parameter.attributes
                                              : b.getDictionaryAttr({}));
  }
  b.setInsertionPointToEnd(module.getBody());
  // One window of dynamic shared memory, whose size the launch gives.
  StringRef sharedName = "titan_shared";
  auto sharedGlobal = module.lookupSymbol<LLVM::GlobalOp>(sharedName);
  if (!sharedGlobal)
    sharedGlobal = LLVM::GlobalOp::create(
        b, LLVM::LLVMArrayType::get(b.getI8Type(), 0), /*isConstant=*/false,
        LLVM::Linkage::External, sharedName, Attribute(), /*alignment=*/1024,
        /*addrSpace=*/3);
  function = LLVM::LLVMFuncOp::create(
      b, lowered.entry,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types),
      LLVM::Linkage::External, /*dsoLocal=*/false, LLVM::CConv::C,
      SymbolRefAttr(), emitter.kernelAttributes(b, kernel), attributes);
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
        llvm::any_of(argument.getUsers(), [&](Operation *user) {
          return readsDescriptor(user, argument);
        }))
      engineMaps.push_back(value);
  }

  Value thread = emitter.threadOfCta(b);
  laneValue = arith::AndIOp::create(b, thread, i32(target.warpWidth - 1));
  // Not that it is below the number of warps: sums that have no bit in common would
  // be bitwise ors, of which LLVM takes no product apart, and which it does not add
  // to an address.
  constexpr int64_t below = 1 << 16;
  ctaWarp = emitter.uniform(
      b,
      arith::ShRUIOp::create(b, thread, i32(llvm::Log2_64(target.warpWidth))),
      below);
  partitionWarp = ctaWarp;
  if (lowered.sharedBytes)
    sharedBase = LLVM::PtrToIntOp::create(
        b, b.getI32Type(), LLVM::AddressOfOp::create(b, sharedGlobal));
  placePrefetch();
  return success();
}

//===----------------------------------------------------------------------===//
// Prefetching tensor maps: once a CTA
//===----------------------------------------------------------------------===//
// By one warp: prefetch.tensormap is one instruction of a warp (UTMACCTL.PF, of the
// uniform datapath). A branch to one of its threads makes it no fewer, and ptxas
// then keeps the branch around the barriers' inits, which are of that datapath, too.

/// The first block of the kernel that is one warp's, if no engine reads a map before
/// it: where barriers are initialised, most of the time.
static ElectOp firstElect(KernelOp kernel) {
  for (Operation &op : kernel.getBody().front()) {
    auto elect = dyn_cast<ElectOp>(op);
    if (elect && elect.getWarp())
      return elect;
    WalkResult reads = op.walk([&](Operation *inner) {
      return llvm::any_of(inner->getOperands(),
                          [&](Value operand) {
                            return isa<TensorMapType>(operand.getType()) &&
                                   readsDescriptor(inner, operand);
                          })
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (reads.wasInterrupted())
      return {};
  }
  return {};
}

void KernelLowering::placePrefetch() {
  if (engineMaps.empty())
    return;
  OpBuilder::InsertionGuard guard(b);
  if (kernel.getWarps() > 1) {
    prefetcher = firstElect(kernel);
    if (prefetcher)
      return;
    Value first =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, ctaWarp, i32(0));
    auto branch = scf::IfOp::create(b, TypeRange(), first, /*else=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  emitter.prefetchMaps(b, engineMaps);
}

void KernelLowering::enter(ElectOp elect) {
  if (elect == prefetcher)
    emitter.prefetchMaps(b, engineMaps);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::block(Block &body) {
  const LoweringTable &table = LoweringTable::get();
  for (Operation &op : body) {
    b.setLoc(op.getLoc());
    const LoweringTable::Lower *lower = table.lookup(op.getName());
    if (!lower)
      return unsupported(&op, Twine(op.getName().getStringRef()));
    if (auto misfit = refuseWarps(&op, warpsHere, target.warpWidth)) {
      InFlightDiagnostic error = op.emitError("[");
      error << misfit->code << "] " << misfit->message;
      error.attachNote() << "fix: " << misfit->fix;
      return error;
    }
    if (failed((*lower)(*this, &op)))
      return failure();
    for (Value result : op.getResults())
      if (!values.contains(result) && !globals.contains(result))
        return op.emitError("[internal-error] the lowering of ")
               << op.getName() << " says nothing of a result";
  }
  return success();
}

LogicalResult KernelLowering::blockOf(int64_t warps, Value rank, Block &body) {
  int64_t warpsBefore = std::exchange(warpsHere, warps);
  Value rankBefore = std::exchange(partitionWarp, rank);
  LogicalResult result = block(body);
  warpsHere = warpsBefore;
  partitionWarp = rankBefore;
  return result;
}

FailureOr<SmallVector<Type>> KernelLowering::convert(Operation *op, Type type) {
  SmallVector<Type> types;
  auto inflight = dyn_cast<InFlightType>(type);
  if (inflight)
    type = inflight.getTensor();
  if (auto tile = dyn_cast<RankedTensorType>(type)) {
    Result<Layout> layout = getTileLayout(tile);
    if (!layout)
      return op->emitError("[")
                 << layout.problem().code << "] " << layout.problem().message,
             failure();
    types.assign(layout->registers(), tile.getElementType());
    // Registers of the hardware, which nobody may take apart.
    if (inflight && tile.getElementTypeBitWidth() == 16)
      types.assign(layout->registers() / 2, b.getI32Type());
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

/// The elements of a tile that is carried in pairs; null: it is not.
static Type pairedElement(Type type, size_t scalars) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile || scalars % 2 ||
      !isa<Float16Type, BFloat16Type>(tile.getElementType()))
    return {};
  return tile.getElementType();
}

FailureOr<KernelLowering::Converted>
KernelLowering::convertCarried(Operation *op, TypeRange types) {
  Converted all;
  for (Type type : types) {
    auto converted = convert(op, type);
    if (failed(converted))
      return failure();
    if (pairedElement(type, converted->size()))
      converted->assign(converted->size() / 2, b.getI32Type());
    all.counts.push_back(converted->size());
    llvm::append_range(all.types, *converted);
  }
  return all;
}

SmallVector<Value> KernelLowering::getCarried(ValueRange list) {
  Values all;
  for (Value value : list) {
    Values scalars = get(value);
    llvm::append_range(all, pairedElement(value.getType(), scalars.size())
                                ? packed(scalars)
                                : scalars);
  }
  return all;
}

void KernelLowering::dealCarried(ValueRange targets, ValueRange scalars,
                                 ArrayRef<size_t> counts) {
  size_t position = 0;
  for (auto [target, count] : llvm::zip(targets, counts)) {
    ValueRange own = scalars.slice(position, count);
    Type element = pairedElement(target.getType(), 2 * count);
    bool words = count && own.front().getType().isInteger(32);
    set(target, element && words ? unpacked(own, element) : Values(own));
    position += count;
  }
}

void KernelLowering::deal(ValueRange targets, ValueRange scalars,
                          ArrayRef<size_t> counts) {
  size_t position = 0;
  for (auto [target, count] : llvm::zip(targets, counts)) {
    set(target, scalars.slice(position, count));
    position += count;
  }
}

namespace {
/// Numbers of bytes, i32.
struct ByteArithmetic {
  using Value = mlir::Value;
  KernelLowering &kl;
  template <typename Op> Value make(Value x, Value y) {
    return kl.b.createOrFold<Op>(x, y);
  }
  Value constant(int64_t value) { return kl.i32(value); }
  Value add(Value x, Value y) { return make<arith::AddIOp>(x, y); }
  Value exclusiveOr(Value x, Value y) { return make<arith::XOrIOp>(x, y); }
  Value times(Value x, int64_t y) { return make<arith::MulIOp>(x, kl.i32(y)); }
  Value over(Value x, int64_t y) { return make<arith::DivUIOp>(x, kl.i32(y)); }
  Value rest(Value x, int64_t y) { return make<arith::RemUIOp>(x, kl.i32(y)); }
  Value masked(Value x, int64_t y) { return make<arith::AndIOp>(x, kl.i32(y)); }
  Value down(Value x, int64_t bits) {
    return make<arith::ShRUIOp>(x, kl.i32(bits));
  }
};
} // namespace

Value KernelLowering::elementAddress(Value memory, ValueRange indices) {
  if (auto shared = dyn_cast<SharedType>(memory.getType())) {
    SmallVector<Value> coords;
    for (Value index : indices)
      coords.push_back(toI32(index));
    ByteArithmetic bytes{*this};
    Value offset = evaluate(shared.getLayout(), {coords.data(), coords.size()},
                            /*unit=*/1, bytes);
    return add(get1(memory), offset);
  }
  const Global &global = globals[memory];
  Value offset;
  for (auto [d, index] : llvm::enumerate(indices)) {
    Value part = toI64(index);
    if (d + 1 < indices.size())
      part = arith::MulIOp::create(b, part, toI64(global.strides[d]));
    offset = offset ? add(offset, part) : part;
  }
  int64_t bytes =
      getElementBytes(cast<GlobalType>(memory.getType()).getElementType());
  Value address = LLVM::PtrToIntOp::create(b, b.getI64Type(), global.pointer);
  return offset ? add(address, mul(offset, bytes)) : address;
}

Emitter::Access KernelLowering::elementAccess(Value memory,
                                              ValueRange indices) {
  Emitter::Access access;
  if (auto shared = dyn_cast<SharedType>(memory.getType()))
    access.space =
        shared.getCluster() ? MemorySpace::SharedPeer : MemorySpace::SharedOwn;
  // index = x + constant, none of which is negative where an element is: the
  // constant is part of the instruction.
  Value index = indices.size() == 1 ? indices.front() : Value();
  if (auto cast = index ? index.getDefiningOp<arith::IndexCastOp>()
                        : arith::IndexCastOp())
    index = cast.getIn();
  auto sum = index ? index.getDefiningOp<arith::AddIOp>() : arith::AddIOp();
  APInt constant;
  if (isa<GlobalType>(memory.getType()) && sum &&
      matchPattern(sum.getRhs(), m_ConstantInt(&constant)) &&
      !constant.isNegative()) {
    int64_t bytes =
        getElementBytes(cast<GlobalType>(memory.getType()).getElementType());
    access.address = add(elementAddress(memory, sum.getLhs()),
                         i64(constant.getSExtValue() * bytes));
    return access;
  }
  access.address = elementAddress(memory, indices);
  return access;
}
