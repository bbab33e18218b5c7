//===- NVVMEmitter.cpp - NVIDIA's GPUs ------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's nvvm operations where they say what is meant, inline PTX where
// they do not (the PTX ISA's order, scope and predicate of a scalar access).
//
//===----------------------------------------------------------------------===//
#include "titan/Conversion/Emitter.h"

#include "titan/Target/PtxStatements.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace titan;

Value titan::inlinePtx(ImplicitLocOpBuilder &b, Type result, StringRef text,
                       StringRef constraints, ValueRange operands) {
  PtxEffect effect = meaningOf(text).effect;
  std::string all = constraints.str();
  if (effect == PtxEffect::Reads || effect == PtxEffect::Orders)
    all += all.empty() ? "~{memory}" : ",~{memory}";
  // An asm operation of MLIR has all effects or none. One that reads has all
  // until it is LLVM's (Compile.cpp), marked by a flag that means nothing here.
  auto op = LLVM::InlineAsmOp::create(
      b, result ? TypeRange(result) : TypeRange(), operands, text, all,
      /*has_side_effects=*/effect != PtxEffect::Pure,
      /*is_align_stack=*/effect == PtxEffect::Reads,
      LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      ArrayAttr());
  return result ? op.getResult(0) : Value();
}

int64_t titan::cacheWord(L2Priority priority) {
  switch (priority) {
  case L2Priority::EvictNormal:
    return 0x1000000000000000;
  case L2Priority::EvictFirst:
    return 0x12F0000000000000;
  case L2Priority::EvictLast:
    return 0x14F0000000000000;
  case L2Priority::EvictUnchanged:
    return 0x10F0000000000000;
  }
  llvm_unreachable("all priorities are above");
}

namespace {

Value constant(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIntOp::create(b, b.getI32Type(), value);
}

/// How a value stands in inline PTX: in one register or several of 16, 32 or 64
/// bits; 8-bit values travel in 32 bits.
struct RegisterForm {
  int64_t bits; // of each part, in memory
  int64_t parts;
  const char *constraint;
  Type type; // of the operands

  /// The suffix of a load or store.
  std::string suffix() const {
    return (parts > 1 ? ".v" + std::to_string(parts) : std::string()) +
           (bits == 8 ? ".u" : ".b") + std::to_string(bits);
  }
  /// "$2", or "{$2, $3}".
  std::string list(size_t first) const {
    std::string text;
    for (int64_t i = 0; i < parts; ++i)
      text += (i ? ", $" : "$") + std::to_string(first + i);
    return parts > 1 ? "{" + text + "}" : text;
  }
  std::string constraints(StringRef prefix) const {
    std::string text;
    for (int64_t i = 0; i < parts; ++i)
      text += (i ? "," : "") + prefix.str() + constraint;
    return text;
  }
};

int64_t memoryBytes(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * getElementBytes(vector.getElementType());
  return getElementBytes(type);
}

RegisterForm formOf(ImplicitLocOpBuilder &b, Type type) {
  int64_t bits = 8 * getElementBytes(getElementTypeOrSelf(type)),
          all = 8 * memoryBytes(type);
  if (bits < 32)
    bits = std::min<int64_t>(all, 32);
  int64_t parts = all / bits;
  if (bits == 64)
    return {64, parts, "l", b.getI64Type()};
  if (bits == 16)
    return {16, parts, "h", b.getI16Type()};
  return {bits, parts, "r", b.getI32Type()};
}

/// The registers of a value.
SmallVector<Value> toForm(ImplicitLocOpBuilder &b, Value value,
                          const RegisterForm &form) {
  Type type = value.getType();
  if (isa<VectorType>(type)) {
    value = LLVM::BitcastOp::create(
        b,
        VectorType::get(form.parts,
                        b.getIntegerType(static_cast<unsigned>(form.bits))),
        value);
    SmallVector<Value> parts;
    for (int64_t i = 0; i < form.parts; ++i)
      parts.push_back(LLVM::ExtractElementOp::create(b, value, constant(b, i)));
    return parts;
  }
  if (isa<FloatType>(type)) {
    Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
    value = arith::BitcastOp::create(b, bits, value);
  }
  if (value.getType() != form.type)
    value = arith::ExtUIOp::create(b, form.type, value);
  return {value};
}

Value fromForm(ImplicitLocOpBuilder &b, Value value, Type type,
               const RegisterForm &form) {
  if (isa<VectorType>(type)) {
    auto words = VectorType::get(
        form.parts, b.getIntegerType(static_cast<unsigned>(form.bits)));
    Value all = LLVM::PoisonOp::create(b, words);
    for (int64_t i = 0; i < form.parts; ++i) {
      Value part = form.parts == 1
                       ? value
                       : LLVM::ExtractValueOp::create(b, value, i).getResult();
      all = LLVM::InsertElementOp::create(b, all, part, constant(b, i));
    }
    return LLVM::BitcastOp::create(b, type, all);
  }
  Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  if (value.getType() != bits)
    value = arith::TruncIOp::create(b, bits, value);
  if (isa<FloatType>(type))
    value = arith::BitcastOp::create(b, type, value);
  return value;
}

class NVVMEmitter : public Emitter {
public:
  explicit NVVMEmitter(const TargetInfo &target) : Emitter(target) {}

  Machine machine() const override {
    return {"nvptx64-nvidia-cuda", target.name, "+ptx86"};
  }

  //===--------------------------------------------------------------------===//
  // The kernel's function
  //===--------------------------------------------------------------------===//

  SmallVector<NamedAttribute> kernelAttributes(OpBuilder &b,
                                               KernelOp kernel) override {
    using Names = NVVM::NVVMDialect;
    auto threads = static_cast<int32_t>(kernel.getWarps() * target.warpWidth);
    SmallVector<NamedAttribute> attributes{
        b.getNamedAttr(Names::getKernelFuncAttrName(), b.getUnitAttr()),
        b.getNamedAttr(Names::getReqntidAttrName(),
                       b.getDenseI32ArrayAttr({threads, 1, 1}))};
    // Where the kernel does not say, ptxas weighs registers against the CTAs
    // that a multiprocessor then holds. (.minnctapersm 1 tells it that one is
    // enough.) CTAs of one warp are bounded by their own number, 32 of Hopper's
    // 64 warps, so there it need not weigh.
    auto registers = kernel.getRegisters();
    if (registers || kernel.getWarps() == 1)
      attributes.push_back(
          b.getNamedAttr(Names::getMinctasmAttrName(), b.getI32IntegerAttr(1)));
    if (registers)
      attributes.push_back(b.getNamedAttr(Names::getMaxnregAttrName(),
                                          b.getI32IntegerAttr(*registers)));
    if (kernel.getClusterSize() > 1) {
      auto shape = kernel.getClusterShape();
      attributes.push_back(b.getNamedAttr(
          Names::getClusterDimAttrName(),
          b.getDenseI32ArrayAttr({static_cast<int32_t>(shape[0]),
                                  static_cast<int32_t>(shape[1]),
                                  static_cast<int32_t>(shape[2])})));
    }
    return attributes;
  }

  DictionaryAttr mapAttributes(OpBuilder &b) override {
    auto words =
        LLVM::LLVMArrayType::get(b.getI64Type(), target.tmaMapBytes / 8);
    return b.getDictionaryAttr(
        {b.getNamedAttr("llvm.byval", TypeAttr::get(words)),
         b.getNamedAttr("llvm.align", b.getI64IntegerAttr(64)),
         b.getNamedAttr(NVVM::NVVMDialect::getGridConstantAttrName(),
                        b.getUnitAttr())});
  }

  void prefetchMaps(Builder &b, ValueRange maps) override {
    for (Value map : maps)
      inlinePtx(b, {}, "prefetch.tensormap [$0];", "l", map);
  }

  //===--------------------------------------------------------------------===//
  // Threads
  //===--------------------------------------------------------------------===//

  Value threadOfCta(Builder &b) override {
    return NVVM::ThreadIdXOp::create(b, b.getI32Type());
  }
  /// From `first`, so many CTAs as a grid has at most.
  LLVM::ConstantRangeAttr ctas(Builder &b, unsigned dimension, int64_t first) {
    int64_t most = dimension ? target.maxGridYZ : target.maxGridX;
    return LLVM::ConstantRangeAttr::get(b.getContext(), APInt(32, first),
                                        APInt(32, first + most));
  }
  Value ctaId(Builder &b, unsigned dimension) override {
    Type type = b.getI32Type();
    LLVM::ConstantRangeAttr range = ctas(b, dimension, 0);
    switch (dimension) {
    case 0:
      return NVVM::BlockIdXOp::create(b, type, range);
    case 1:
      return NVVM::BlockIdYOp::create(b, type, range);
    default:
      return NVVM::BlockIdZOp::create(b, type, range);
    }
  }
  Value numCtas(Builder &b, unsigned dimension) override {
    Type type = b.getI32Type();
    LLVM::ConstantRangeAttr range = ctas(b, dimension, 1);
    switch (dimension) {
    case 0:
      return NVVM::GridDimXOp::create(b, type, range);
    case 1:
      return NVVM::GridDimYOp::create(b, type, range);
    default:
      return NVVM::GridDimZOp::create(b, type, range);
    }
  }
  Value clusterRank(Builder &b) override {
    return NVVM::ClusterId::create(b, b.getI32Type());
  }
  Value uniform(Builder &b, Value agreed, int64_t below) override {
    auto range = LLVM::ConstantRangeAttr::get(
        b.getContext(), APInt(32, 0), APInt(32, static_cast<uint64_t>(below)));
    auto shuffle = LLVM::CallIntrinsicOp::create(
        b, agreed.getType(), b.getStringAttr("llvm.nvvm.shfl.sync.idx.i32"),
        ValueRange{constant(b, -1), agreed, constant(b, 0),
                   constant(b, target.warpWidth - 1)});
    shuffle.setResAttrsAttr(b.getArrayAttr(b.getDictionaryAttr(
        b.getNamedAttr(LLVM::LLVMDialect::getRangeAttrName(), range))));
    return shuffle.getResult(0);
  }
  Value exchange(Builder &b, Value value, int64_t distance) override {
    return NVVM::ShflOp::create(
        b, value.getType(), constant(b, -1), value, constant(b, distance),
        constant(b, target.warpWidth - 1), NVVM::ShflKind::bfly, UnitAttr());
  }
  Value fromLane(Builder &b, Value value, Value lane) override {
    return NVVM::ShflOp::create(b, value.getType(), constant(b, -1), value,
                                lane, constant(b, target.warpWidth - 1),
                                NVVM::ShflKind::idx, UnitAttr());
  }
  Value any(Builder &b, Value own) override {
    return NVVM::VoteSyncOp::create(b, b.getI1Type(), constant(b, -1), own,
                                    NVVM::VoteSyncKind::any);
  }
  Value ballot(Builder &b, Value own) override {
    return NVVM::VoteSyncOp::create(b, b.getI32Type(), constant(b, -1), own,
                                    NVVM::VoteSyncKind::ballot);
  }
  Value elect(Builder &b) override {
    return NVVM::ElectSyncOp::create(b, b.getI1Type(), Value());
  }
  void setRegisters(Builder &b, int64_t before, int64_t after) override {
    NVVM::SetMaxRegisterOp::create(b, static_cast<uint32_t>(after),
                                   after > before
                                       ? NVVM::SetMaxRegisterAction::increase
                                       : NVVM::SetMaxRegisterAction::decrease);
  }

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  Value load(Builder &b, Type type, const Access &access) override {
    if (isPlain(access, type))
      return LLVM::LoadOp::create(b, type, makePointer(b, access),
                                  static_cast<unsigned>(memoryBytes(type)));
    RegisterForm form = formOf(b, type);
    Type result =
        form.parts == 1
            ? form.type
            : LLVM::LLVMStructType::getLiteral(
                  b.getContext(), SmallVector<Type>(form.parts, form.type));
    size_t next = form.parts; // the operands come behind the results
    std::string address = "[$" + std::to_string(next++) + "]", tail;
    SmallVector<Value> operands{access.address};
    std::string constraints = pointer(access);
    std::string instruction = "ld" + order(b, access, MemorySem::Acquire) +
                              hints(access) + form.suffix() + " " +
                              form.list(0) + ", " + address;
    if (access.mask) {
      operands.push_back(
          arith::ExtUIOp::create(b, b.getI32Type(), access.mask));
      constraints += ",r";
    }
    size_t mask = next;
    appendPolicy(access, next + operands.size() - 1, instruction, operands,
                 constraints);
    if (!access.mask)
      return fromForm(b,
                      inlinePtx(b, result, instruction + ";",
                                form.constraints("=") + "," + constraints,
                                operands),
                      type, form);
    std::string width =
        std::to_string(std::max<int64_t>(form.bits, form.bits == 8 ? 32 : 0));
    // Narrow elements fill a register side by side.
    uint64_t pattern = access.other;
    for (unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
         bits < static_cast<uint64_t>(form.bits); bits *= 2)
      pattern |= pattern << bits;
    std::string others;
    for (int64_t i = 0; i < form.parts; ++i)
      others += "mov.b" + width + " $" + std::to_string(i) + ", " +
                (pattern ? "0x" + llvm::utohexstr(pattern) : "0") + ";\n\t";
    return fromForm(
        b,
        inlinePtx(b, result,
                  "{\n\t.reg .pred active;\n\tsetp.ne.b32 active, $" +
                      std::to_string(mask) + ", 0;\n\t" + others + "@active " +
                      instruction + ";\n\t}",
                  form.constraints("=&") + "," + constraints, operands),
        type, form);
  }

  void store(Builder &b, Value value, const Access &access) override {
    Type type = value.getType();
    if (isPlain(access, type)) {
      LLVM::StoreOp::create(b, value, makePointer(b, access),
                            static_cast<unsigned>(memoryBytes(type)));
      return;
    }
    RegisterForm form = formOf(b, type);
    std::string constraints = pointer(access) + "," + form.constraints("");
    std::string instruction = "st" + order(b, access, MemorySem::Release) +
                              hints(access) + form.suffix() + " [$0], " +
                              form.list(1);
    SmallVector<Value> operands{access.address};
    llvm::append_range(operands, toForm(b, value, form));
    size_t mask = operands.size();
    if (access.mask) {
      operands.push_back(
          arith::ExtUIOp::create(b, b.getI32Type(), access.mask));
      constraints += ",r";
    }
    appendPolicy(access, operands.size(), instruction, operands, constraints);
    instruction += ";";
    if (access.mask)
      instruction = "{\n\t.reg .pred active;\n\tsetp.ne.b32 active, $" +
                    std::to_string(mask) + ", 0;\n\t@active " + instruction +
                    "\n\t}";
    inlinePtx(b, {}, instruction, constraints, operands);
  }

  Value atomic(Builder &b, AtomicOp kind, Value value, Value expected,
               const Access &access) override {
    Type type = value.getType();
    Type number = getElementTypeOrSelf(type);
    std::string bits = std::to_string(number.getIntOrFloatBitWidth());
    bool adds = isa<FloatType>(number) && kind == AtomicOp::Add;
    // An addition of f32 or f64 wants a float's register.
    bool isFloat = adds && bits != "16";
    auto [word, suffix] = [&]() -> std::pair<std::string, std::string> {
      switch (kind) {
      case AtomicOp::Add:
        return {"add", !adds             ? ".u"
                       : isFloat         ? ".f"
                       : number.isBF16() ? ".noftz.bf"
                                         : ".noftz.f"};
      case AtomicOp::Min:
      case AtomicOp::Max:
        return {stringifyAtomicOp(kind).str(), ".s"};
      case AtomicOp::MinU:
        return {"min", ".u"};
      case AtomicOp::MaxU:
        return {"max", ".u"};
      case AtomicOp::Exch:
      case AtomicOp::And:
      case AtomicOp::Or:
      case AtomicOp::Xor:
        return {stringifyAtomicOp(kind).str(), ".b"};
      }
      llvm_unreachable("all are above");
    }();
    Access strong = access;
    if (strong.sem == MemorySem::Weak)
      strong.sem = MemorySem::Relaxed;
    std::string head = "atom" + order(b, strong, MemorySem::AcqRel) + ".";
    std::string instruction = head + word + suffix + bits;
    if (auto vector = dyn_cast<VectorType>(type)) {
      int64_t count = vector.getNumElements();
      Type element = vector.getElementType();
      std::string results, addends, constraints, wanted;
      SmallVector<Value> operands{access.address};
      for (int64_t i = 0; i < count; ++i) {
        std::string comma = i ? ", " : "";
        results += comma + "$" + std::to_string(i);
        addends += comma + "$" + std::to_string(count + 1 + i);
        constraints += "=f,";
        wanted += ",f";
        operands.push_back(
            LLVM::ExtractElementOp::create(b, value, constant(b, i)));
      }
      Value old =
          inlinePtx(b,
                    LLVM::LLVMStructType::getLiteral(
                        b.getContext(), SmallVector<Type>(count, element)),
                    head + "add.v" + std::to_string(count) + suffix + bits +
                        " {" + results + "}, [$" + std::to_string(count) +
                        "], {" + addends + "};",
                    constraints + pointer(access) + wanted, operands);
      Value all = LLVM::PoisonOp::create(b, type);
      for (int64_t i = 0; i < count; ++i)
        all = LLVM::InsertElementOp::create(
            b, all, LLVM::ExtractValueOp::create(b, old, i), constant(b, i));
      return all;
    }
    RegisterForm form = formOf(b, type);
    if (expected) {
      std::string c = form.constraint;
      return fromForm(
          b,
          inlinePtx(b, form.type, head + "cas.b" + bits + " $0, [$1], $2, $3;",
                    "=" + c + "," + pointer(access) + "," + c + "," + c,
                    {access.address, toForm(b, expected, form).front(),
                     toForm(b, value, form).front()}),
          type, form);
    }
    std::string operand = !isFloat ? form.constraint : bits == "32" ? "f" : "d";
    Value old = inlinePtx(
        b, isFloat ? type : form.type, instruction + " $0, [$1], $2;",
        "=" + operand + "," + pointer(access) + "," + operand,
        {access.address, isFloat ? value : toForm(b, value, form).front()});
    return isFloat ? old : fromForm(b, old, type, form);
  }

  void fence(Builder &b, MemoryScope scope) override {
    inlinePtx(b, {}, "fence.acq_rel." + stringifyMemoryScope(scope).str() + ";",
              "", {});
  }

  void waitAtLeast(Builder &b, Value value, const Access &access) override {
    inlinePtx(b, {},
              "{\n\t.reg .pred done;\n\t.reg .b32 flag;\nflag_${:uid}:\n\t"
              "ld" +
                  order(b, access, MemorySem::Acquire) +
                  ".b32 flag, [$0];\n\t"
                  "setp.ge.s32 done, flag, $1;\n\t@!done bra "
                  "flag_${:uid};\n\t}",
              pointer(access) + ",r", {access.address, value});
  }

  void addTo(Builder &b, Value value, const Access &access) override {
    inlinePtx(b, {},
              "red" + order(b, access, MemorySem::Release) +
                  ".add.u32 [$0], $1;",
              pointer(access) + ",r", {access.address, value});
  }

  //===--------------------------------------------------------------------===//
  // The host
  //===--------------------------------------------------------------------===//

  /// vprintf takes a format and the values in a frame.
  void print(Builder &b, LLVM::LLVMFuncOp function, StringRef format,
             ValueRange values) override {
    MLIRContext *context = b.getContext();
    auto module = function->getParentOfType<ModuleOp>();
    Type generic = LLVM::LLVMPointerType::get(context);
    auto printer = module.lookupSymbol<LLVM::LLVMFuncOp>("vprintf");
    std::string name;
    for (unsigned n = 0; name.empty() || module.lookupSymbol(name); ++n)
      name = function.getSymName().str() + "_format" + std::to_string(n);
    OpBuilder::InsertPoint here = b.saveInsertionPoint();
    b.setInsertionPointToStart(module.getBody());
    if (!printer)
      printer = LLVM::LLVMFuncOp::create(
          b, "vprintf",
          LLVM::LLVMFunctionType::get(b.getI32Type(), {generic, generic}));
    std::string text = format.str();
    text.push_back('\0');
    auto global = LLVM::GlobalOp::create(
        b, LLVM::LLVMArrayType::get(b.getI8Type(), text.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal, name,
        b.getStringAttr(text), /*alignment=*/1, /*addrSpace=*/1);
    Value frame;
    auto frameType = LLVM::LLVMStructType::getLiteral(
        context, SmallVector<Type>(values.getTypes()));
    b.setInsertionPointToStart(&function.getBody().front());
    if (!values.empty())
      frame = LLVM::AllocaOp::create(b, generic, frameType, constant(b, 1));
    b.restoreInsertionPoint(here);
    if (!frame)
      frame = LLVM::ZeroOp::create(b, generic);
    for (auto [i, value] : llvm::enumerate(values)) {
      Value place = LLVM::GEPOp::create(
          b, generic, frameType, frame,
          ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(i)});
      LLVM::StoreOp::create(b, value, place);
    }
    Value start = LLVM::AddrSpaceCastOp::create(
        b, generic, LLVM::AddressOfOp::create(b, global));
    LLVM::CallOp::create(b, printer, ValueRange{start, frame});
  }

  void trap(Builder &b) override { inlinePtx(b, {}, "trap;", "", {}); }

private:
  /// LLVM has loads and stores of its own: they are weak, and what follows in
  /// program order keeps its place behind the asm statements that clobber
  /// memory. Of floats alone: LLVM 22 stores the low word of an f64's bits as
  /// st.b32 of the 64-bit register, in which ptxas 13.0 sees the float, and
  /// converts it.
  static bool isPlain(const Access &access, Type type) {
    return access.sem == MemorySem::Weak && !access.ordered && !access.mask &&
           !access.hasHints() && isa<FloatType>(getElementTypeOrSelf(type));
  }
  static Value makePointer(Builder &b, const Access &access) {
    return LLVM::IntToPtrOp::create(
        b,
        LLVM::LLVMPointerType::get(b.getContext(),
                                   memorySpaceInfo(access.space).llvmSpace),
        access.address);
  }

  /// ".L1::no_allocate.L2::cache_hint.L2::128B"
  static std::string hints(const Access &access) {
    std::string text;
    if (access.cop)
      text += "." + stringifyCacheOperator(*access.cop).str();
    if (access.l1)
      text += ".L1::" + stringifyL1Priority(*access.l1).str();
    if (access.policy)
      text += ".L2::cache_hint";
    if (access.prefetch)
      text += ".L2::" + std::to_string(*access.prefetch) + "B";
    return text;
  }
  /// The policy comes last of an instruction's operands; it is the statement's
  /// operand `number`.
  static void appendPolicy(const Access &access, size_t number,
                           std::string &instruction,
                           SmallVectorImpl<Value> &operands,
                           std::string &constraints) {
    if (!access.policy)
      return;
    instruction += ", $" + std::to_string(number);
    operands.push_back(access.policy);
    constraints += ",l";
  }

  static std::string pointer(const Access &access) {
    return memorySpaceInfo(access.space).addressBits == 64 ? "l" : "r";
  }

  /// ".acquire.gpu.global"; an access that is sequentially consistent is a
  /// fence and one with `otherwise` (PTX ISA, "fence.sc").
  static std::string order(Builder &b, const Access &access,
                           MemorySem otherwise) {
    std::string scope = "." + stringifyMemoryScope(access.scope).str();
    MemorySem sem = access.sem;
    if (sem == MemorySem::SeqCst) {
      inlinePtx(b, {}, "fence.sc" + scope + ";", "", {});
      sem = otherwise;
    }
    // Weak is what an access is that says nothing.
    std::string text = access.hasHints() || !access.ordered ? "" : ".weak";
    if (sem != MemorySem::Weak)
      text = "." + stringifyMemorySem(sem).str() + scope;
    return text.append(memorySpaceInfo(access.space).ptx);
  }
};

} // namespace

std::unique_ptr<Emitter> Emitter::create(const TargetInfo &target) {
  if (target.has(Feature::Wgmma))
    return std::make_unique<NVVMEmitter>(target);
  return nullptr;
}
