//===- Reference.cpp - the reference of a kernel, by LLVM's JIT -----------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Reference.h"

#include "titan/Driver/Pipelines.h"
#include "titan/Simulator/Element.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Transforms/RuntimeOpVerification.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/RuntimeOpVerification.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/TargetSelect.h"

#include <bit>
#include <unistd.h>

using namespace mlir;
using namespace titan;

namespace {

/// What an argument of the reference is.
struct Parameter {
  enum Role { Input, Expected, Bound } role;
  std::string name;  ///< Of the kernel's argument.
  MemRefType memref; ///< Null: a scalar.
  runtime::DType type;
  Type scalar;
};

class JitReference : public Reference {
public:
  std::optional<std::vector<Expected>> run(Session &session,
                                           HostArguments &arguments) override;

  std::string name;
  Location loc;
  std::vector<Parameter> parameters;
  bool exact = false;
  std::unique_ptr<ExecutionEngine> engine;

  explicit JitReference(Location loc) : loc(loc) {}
};

/// The reference that runs, and what its own checks said before they gave up.
thread_local std::string running, complaint;

} // namespace

/// The JIT's puts: MLIR's runtime checks print by it.
static int complain(const char *text) {
  complaint = text;
  return 0;
}

/// The JIT's abort: back to JitReference::run.
static void giveUp() {
  if (auto *context = llvm::CrashRecoveryContext::GetCurrent())
    context->HandleExit(1);
  // There is no context where recovery is off (sanitizers).
  llvm::errs() << "titan run: error: [reference-invalid] the reference @"
               << running << " stopped: " << complaint << "\n";
  _exit(BadInput);
}

/// LLVM calls these on hosts that have no instruction for it; of libgcc, only
/// GCC 13's has them.
static __bf16 toBf16(float value) {
  return std::bit_cast<__bf16>(
      static_cast<uint16_t>(sim::fromFloat(sim::ElementType::BF16, value)));
}
static __bf16 toBf16(double value) {
  return std::bit_cast<__bf16>(
      static_cast<uint16_t>(sim::fromDouble(sim::ElementType::BF16, value)));
}
void titan::addNarrowFloats(llvm::orc::MangleAndInterner intern,
                            llvm::orc::SymbolMap &symbols) {
  auto add = [&](StringRef name, auto *function) {
    symbols[intern(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                             llvm::JITSymbolFlags::Exported};
  };
  add("__truncsfbf2", static_cast<__bf16 (*)(float)>(&toBf16));
  add("__truncdfbf2", static_cast<__bf16 (*)(double)>(&toBf16));
}

bool titan::hasReference(KernelOp kernel) {
  return kernel->hasAttr("titan.reference");
}

/// Reads the roles of the reference's arguments, which the kernel's verifier has
/// seen to be some.
static bool readParameters(Session &session, KernelOp kernel,
                           func::FuncOp function, JitReference &reference) {
  Location loc = function.getLoc();
  auto fail = [&](const Twine &message) {
    session.fail(Code::ReferenceInvalid, message, {}, &loc);
    return false;
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    Parameter parameter;
    for (auto [role, attribute] :
         {std::pair(Parameter::Input, "titan.input"),
          std::pair(Parameter::Expected, "titan.expected"),
          std::pair(Parameter::Bound, "titan.bound")})
      if (auto name = function.getArgAttrOfType<StringAttr>(i, attribute)) {
        parameter.role = role;
        parameter.name = name.str();
      }
    Type kernelType;
    for (auto [name, type] :
         llvm::zip(kernel.getArgNames(), kernel.getArgTypes()))
      if (cast<StringAttr>(name).getValue() == parameter.name)
        kernelType = cast<TypeAttr>(type).getValue();
    Type type = function.getArgumentTypes()[i];
    auto global = dyn_cast<GlobalType>(kernelType);
    parameter.memref = dyn_cast<MemRefType>(type);
    parameter.scalar = type;
    if (!global) {
      if (parameter.role != Parameter::Input || type != kernelType)
        return fail("argument " + Twine(i) +
                    " is a scalar input of the kernel's type");
      reference.parameters.push_back(parameter);
      continue;
    }
    if (!parameter.memref || !parameter.memref.getLayout().isIdentity() ||
        parameter.memref.getMemorySpace() ||
        parameter.memref.getRank() != global.getRank())
      return fail("argument " + Twine(i) + " is a memref of rank " +
                  Twine(global.getRank()) + ", without layout or space");
    auto dtype = getDType(parameter.memref.getElementType());
    bool input = parameter.role == Parameter::Input;
    if (input && parameter.memref.getElementType() != global.getElementType())
      return fail("argument " + Twine(i) +
                  " has the element type of the kernel's tensor");
    if (!dtype ||
        (!input && *dtype != runtime::DType::F32 &&
         *dtype != runtime::DType::F64 && *dtype != runtime::DType::I32))
      return fail("argument " + Twine(i) +
                  ": expected values and bounds are f64, f32 or i32");
    parameter.type = *dtype;
    reference.parameters.push_back(parameter);
  }
  return true;
}

/// Each argument is memory of its own (JitReference::run). A memref is {allocated,
/// aligned, offset, sizes, strides} by now.
static void separateMemory(ModuleOp host, const JitReference &reference) {
  auto function = host.lookupSymbol<LLVM::LLVMFuncOp>(reference.name);
  unsigned at = 0;
  for (const Parameter &parameter : reference.parameters) {
    if (parameter.memref)
      function.setArgAttr(at + 1, LLVM::LLVMDialect::getNoAliasAttrName(),
                          UnitAttr::get(host.getContext()));
    at += parameter.memref ? 3 + 2 * parameter.memref.getRank() : 1;
  }
}

std::unique_ptr<Reference> Reference::compile(Session &session, ModuleOp module,
                                              KernelOp kernel) {
  Location loc = kernel.getLoc();
  auto fail = [&](const Twine &message) {
    session.fail(Code::ReferenceInvalid, message, {}, &loc);
    return nullptr;
  };
  auto symbol = kernel->getAttrOfType<FlatSymbolRefAttr>("titan.reference");
  if (!symbol)
    return fail("titan.reference is @NAME");
  auto function = module.lookupSymbol<func::FuncOp>(symbol.getAttr());
  if (!function)
    return fail("there is no function @" + symbol.getValue());
  auto reference = std::make_unique<JitReference>(function.getLoc());
  reference->name = function.getSymName().str();
  reference->exact = function->hasAttr("titan.exact");
  if (!readParameters(session, kernel, function, *reference))
    return nullptr;

  // The function and what it calls, alone in a module.
  MLIRContext &context = session.getContext();
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  linalg::registerRuntimeVerifiableOpInterfaceExternalModels(registry);
  memref::registerRuntimeVerifiableOpInterfaceExternalModels(registry);
  context.appendDialectRegistry(registry);
  OwningOpRef<ModuleOp> host = ModuleOp::create(function.getLoc());
  SmallVector<func::FuncOp> work{function};
  llvm::SmallDenseSet<Operation *> seen{function};
  while (!work.empty()) {
    func::FuncOp next = work.pop_back_val();
    auto clone = next.clone();
    clone.setPublic();
    clone.removeArgAttrsAttr();
    clone->removeAttr("titan.exact");
    if (next == function)
      clone->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                     UnitAttr::get(&context));
    host->push_back(clone);
    next.walk([&](func::CallOp call) {
      if (auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee()))
        if (seen.insert(callee).second)
          work.push_back(callee);
    });
  }
  bool calledOnceMore = !SymbolTable::symbolKnownUseEmpty(
      StringAttr::get(&context, reference->name), *host);
  session.setDefaultCode(Code::ReferenceInvalid);
  PassManager passes(&context);
  buildReferencePipeline(passes);
  if (failed(passes.run(*host)))
    return nullptr;
  if (!calledOnceMore)
    separateMemory(*host, *reference);

  auto machine = makeReferenceMachine(llvm::CodeGenOptLevel::Default);
  if (!machine)
    return fail("the JIT does not know this host: " +
                llvm::toString(machine.takeError()));
  ExecutionEngineOptions options;
  auto transformer = makeOptimizingTransformer(2, 0, nullptr);
  options.transformer = transformer;
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  auto engine = ExecutionEngine::create(*host, options, std::move(*machine));
  if (!engine)
    return fail("the JIT refuses @" + symbol.getValue() + ": " +
                llvm::toString(engine.takeError()));
  reference->engine = std::move(*engine);
  reference->engine->registerSymbols([](llvm::orc::MangleAndInterner intern) {
    llvm::orc::SymbolMap symbols;
    symbols[intern("puts")] = {llvm::orc::ExecutorAddr::fromPtr(&complain),
                               llvm::JITSymbolFlags::Exported};
    symbols[intern("abort")] = {llvm::orc::ExecutorAddr::fromPtr(&giveUp),
                                llvm::JITSymbolFlags::Exported};
    addNarrowFloats(intern, symbols);
    return symbols;
  });
  return reference;
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
titan::makeReferenceMachine(llvm::CodeGenOptLevel level) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  for (const char *feature :
       {"avx512bf16", "avx512fp16", "avxneconvert", "avx10.2"})
    if (builder->getTargetTriple().isX86())
      builder->getFeatures().AddFeature(feature, /*Enable=*/false);
  builder->setCodeGenOptLevel(level);
  return builder->createTargetMachine();
}

/// Dense numbers of a type as doubles.
static std::vector<double> toDoubles(runtime::DType type,
                                     const std::vector<uint8_t> &bytes) {
  const int64_t size = runtime::sizeInBytes(type);
  std::vector<double> values(bytes.size() / size);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = runtime::load(type, bytes.data() + i * size);
  return values;
}

std::optional<std::vector<Expected>>
JitReference::run(Session &session, HostArguments &arguments) {
  // A memref is {allocated, aligned, offset, sizes, strides}; the C interface
  // takes a pointer to it.
  struct Storage {
    std::vector<uint8_t> bytes;
    std::vector<int64_t> descriptor;
    void *pointer;
  };
  std::vector<Storage> storage(parameters.size());
  std::vector<void *> packed;
  bool integers = true;
  for (auto [parameter, own] : llvm::zip(parameters, storage)) {
    HostArgument &argument = *arguments.find(parameter.name);
    if (parameter.role == Parameter::Input)
      integers &= argument.integers;
    if (!parameter.memref) {
      packed.push_back(&argument.bits);
      continue;
    }
    for (auto [have, want] :
         llvm::zip(argument.shape, parameter.memref.getShape()))
      if (!ShapedType::isDynamic(want) && have != want) {
        session.fail(Code::ReferenceInvalid,
                     "the reference takes " + parameter.name +
                         " with a dimension of " + Twine(want) +
                         ", the run has " + Twine(have),
                     {}, &loc);
        return std::nullopt;
      }
    if (parameter.role == Parameter::Input)
      own.bytes = argument.initial;
    else
      own.bytes.assign(
          argument.getNumElements() * runtime::sizeInBytes(parameter.type), 0);
    // memory of an empty tensor is never touched, but is not null.
    own.bytes.reserve(64);
    int64_t address = reinterpret_cast<intptr_t>(own.bytes.data());
    own.descriptor = {address, address, 0};
    llvm::append_range(own.descriptor, argument.shape);
    int64_t stride = 1;
    std::vector<int64_t> strides;
    for (int64_t size : llvm::reverse(argument.shape)) {
      strides.insert(strides.begin(), stride);
      stride *= size;
    }
    llvm::append_range(own.descriptor, strides);
    own.pointer = own.descriptor.data();
    packed.push_back(&own.pointer);
  }

  running = name;
  complaint.clear();
  std::string error;
  llvm::CrashRecoveryContext guard;
  bool returned = guard.RunSafely([&] {
    if (llvm::Error bad = engine->invokePacked("_mlir_ciface_" + name, packed))
      error = llvm::toString(std::move(bad));
  });
  if (!returned || !error.empty()) {
    StringRef why = !error.empty()      ? StringRef(error)
                    : complaint.empty() ? StringRef("it crashed")
                                        : StringRef(complaint).rtrim();
    session.fail(Code::ReferenceInvalid,
                 "the reference @" + name + " stopped: " + why,
                 "give shapes that fit together, or mend the reference", &loc);
    return std::nullopt;
  }

  std::vector<Expected> outputs;
  for (auto [parameter, own] : llvm::zip(parameters, storage))
    if (parameter.role == Parameter::Expected)
      outputs.push_back({arguments.find(parameter.name),
                         toDoubles(parameter.type, own.bytes),
                         {}});
  if (exact && integers)
    return outputs;
  for (auto [parameter, own] : llvm::zip(parameters, storage))
    if (parameter.role == Parameter::Bound)
      for (Expected &output : outputs)
        if (output.argument->name == parameter.name)
          output.bounds = toDoubles(parameter.type, own.bytes);
  return outputs;
}
