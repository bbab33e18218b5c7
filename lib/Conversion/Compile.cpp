//===- Compile.cpp - the way down, step by step ---------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Conversion/Compile.h"
#include "LlvmPipeline.h"
#include "Occupancy.h"
#include "RegisterOrder.h"
#include "titan/Conversion/Emitter.h"
#include "titan/Conversion/TitanToLLVM.h"
#include "titan/Runtime/Manifest.h"
#include "titan/Target/PtxStatements.h"
#include "titan/Target/Target.h"
#include "titan/Transforms/CutIndices.h"
#include "titan/Transforms/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>

using namespace mlir;
using namespace titan;
namespace json = llvm::json;

void titan::registerCompileDialects(DialectRegistry &registry) {
  registry.insert<LLVM::LLVMDialect, NVVM::NVVMDialect, TitanDialect,
                  arith::ArithDialect, scf::SCFDialect, math::MathDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

//===----------------------------------------------------------------------===//
// titan -> llvm dialect
//===----------------------------------------------------------------------===//

static void buildLLVMPasses(OpPassManager &pm) {
  // What else could be simplified LLVM does: canonicalising here took a
  // twelfth of the whole time, and changed no machine code.
  pm.addPass(createCutIndices());
  pm.addPass(createCSEPass());
  pm.addPass(createNarrowIndices());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  // Line tables that lead back to the .mlir, without the debug sections that
  // would make ptxas turn its optimisations off.
  LLVM::DIScopeForLLVMFuncOpPassOptions scope;
  scope.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
  pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass(scope));
}

//===----------------------------------------------------------------------===//
// llvm dialect -> LLVM IR -> PTX
//===----------------------------------------------------------------------===//

static std::unique_ptr<llvm::TargetMachine>
makeTargetMachine(const Emitter::Machine &machine, Location loc) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    // Addresses of shared memory in 32 bits.
    auto &options = llvm::cl::getRegisteredOptions();
    if (auto found = options.find("nvptx-short-ptr"); found != options.end())
      static_cast<llvm::cl::opt<bool> *>(found->second)->setValue(true);
  });
  llvm::Triple triple(machine.triple);
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) {
    emitError(loc) << "[codegen-failed] this LLVM has no target "
                   << machine.triple << ": " << error;
    return nullptr;
  }
  llvm::TargetOptions options;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, machine.processor, machine.features, options, llvm::Reloc::PIC_,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

static void markStatement(llvm::CallBase &call) {
  auto *text = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  bool reads = text->isAlignStack(), stays = text->hasSideEffects() && !reads;
  if (stays || meaningOf(text->getAsmString().str()).convergent)
    call.addFnAttr(llvm::Attribute::Convergent);
  if (stays)
    return;
  if (reads)
    call.setCalledOperand(llvm::InlineAsm::get(
        text->getFunctionType(), text->getAsmString(),
        text->getConstraintString(), /*hasSideEffects=*/false));
  call.setMemoryEffects(reads ? llvm::MemoryEffects::readOnly()
                              : llvm::MemoryEffects::none());
  call.addFnAttr(llvm::Attribute::NoUnwind);
  call.addFnAttr(llvm::Attribute::WillReturn);
}

/// What LLVM may do with asm statements (titan/Target/PtxStatements.h): those
/// that are not volatile touch no memory, those marked (inlinePtx) read it; and
/// all are convergent but those of which the table says that they need not be.
static void markStatements(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (!function.isDeclaration())
      function.addFnAttr(llvm::Attribute::Convergent);
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (call->isInlineAsm())
          markStatement(*call);
  }
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

/// A signed bit is 0 or -1. LLVM 22's NVPTX target makes 1 of it on the way to
/// bf16, where it selects cvt.rn.bf16.s32; so the two numbers stand there
/// themselves, behind all passes that would make a conversion of them again.
static void convertSignedBits(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &each :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      auto *convert = dyn_cast<llvm::SIToFPInst>(&each);
      if (!convert || !convert->getSrcTy()->isIntOrIntVectorTy(1))
        continue;
      llvm::Type *type = convert->getType();
      auto *chosen = llvm::SelectInst::Create(
          convert->getOperand(0), llvm::ConstantFP::get(type, -1.0),
          llvm::ConstantFP::get(type, 0.0), "", convert->getIterator());
      chosen->setDebugLoc(convert->getDebugLoc());
      convert->replaceAllUsesWith(chosen);
      convert->eraseFromParent();
    }
}

/// The line of the input that the assembler's first complaint is about, by the
/// .loc before it; none where it names no line of an inline text.
static std::optional<Location> placeOf(StringRef ptx, StringRef log,
                                       MLIRContext *context) {
  unsigned number = 0;
  if (log.split(", line ").second.consumeInteger(10, number) || !number)
    return std::nullopt;
  SmallVector<StringRef> lines;
  ptx.split(lines, '\n');
  if (number > lines.size())
    return std::nullopt;
  bool inside = false;
  unsigned file = 0, line = 0, column = 0;
  for (StringRef each : ArrayRef(lines).take_front(number)) {
    each = each.trim();
    inside = each == "// begin inline asm" ||
             (inside && each != "// end inline asm");
    unsigned f, l, c;
    if (!each.consume_front(".loc"))
      continue;
    each = each.ltrim();
    if (each.consumeInteger(10, f) || (each = each.ltrim()).empty() ||
        each.consumeInteger(10, l) || (each = each.ltrim()).empty() ||
        each.consumeInteger(10, c))
      continue;
    std::tie(file, line, column) = std::tuple(f, l, c);
  }
  if (!inside || !line)
    return std::nullopt;
  for (StringRef each : lines) {
    unsigned f;
    each = each.trim();
    if (!each.consume_front(".file"))
      continue;
    each = each.ltrim();
    if (each.consumeInteger(10, f) || f != file)
      continue;
    StringRef name = each.split('"').second.split('"').first;
    return FileLineColLoc::get(context, name, line, column);
  }
  return std::nullopt;
}

LogicalResult titan::compile(ModuleOp module, const CompileOptions &options,
                             llvm::raw_ostream &output) {
  Location loc = module.getLoc();
  const TargetInfo *target = lookupTarget(options.target);
  std::unique_ptr<Emitter> emitter;
  if (target)
    emitter = Emitter::create(*target);
  if (!emitter) {
    std::string with;
    for (const TargetInfo &each : allTargets())
      if (Emitter::create(each))
        with += (with.empty() ? "" : ", ") + std::string(each.name);
    InFlightDiagnostic error = emitError(loc);
    if (target)
      error << "[not-supported-yet] there is no code generator for "
            << options.target << " yet; there is one for " << with
            << " (docs/status.md)";
    else
      error << "[unknown-target] there is no target '" << options.target
            << "', and code for " << with << " alone";
    error.attachNote() << "fix: --target " << with;
    return error;
  }
  MLIRContext *context = module.getContext();
  DialectRegistry registry;
  registerCompileDialects(registry);
  context->appendDialectRegistry(registry);
  // Those alone: the canonicaliser takes the patterns of each dialect that is there.
  for (StringRef name : registry.getDialectNames())
    context->getOrLoadDialect(name);

  OwningOpRef<ModuleOp> work = module.clone();
  {
    PassManager pm(context);
    // Once behind all of them: after each it takes as long as they do.
    pm.enableVerifier(false);
    buildExpandPasses(pm);
    if (failed(pm.run(*work)) || failed(verify(*work)))
      return failure();
  }
  if (options.emit == Emit::Titan) {
    work->print(output);
    return success();
  }
  SmallVector<KernelOp> kernels(work->getOps<KernelOp>());
  if (kernels.empty())
    return emitError(loc, "[no-kernel] there is no titan.kernel to compile");

  OwningOpRef<ModuleOp> lowered = ModuleOp::create(loc);
  json::Array kernelEntries;
  SmallVector<FreeRegisters> freeRegisters;
  for (KernelOp kernel : kernels) {
    WalkResult onTarget = kernel.walk([&](HardwareEffectsInterface op) {
      if (llvm::is_contained(op.getTargets(), options.target))
        return WalkResult::advance();
      op->emitError("[wrong-target] ")
          << op->getName() << " does not exist on " << options.target
          << "; it does on " << llvm::join(op.getTargets(), ", ");
      return WalkResult::interrupt();
    });
    if (onTarget.wasInterrupted())
      return failure();
    auto result = lowerKernel(kernel, *lowered, *emitter);
    if (failed(result))
      return failure();
    auto warps = static_cast<int64_t>(kernel.getWarps());
    if (!kernel.getRegisters() && warps > 1)
      freeRegisters.push_back({result->entry, warps, result->sharedBytes});
    auto entry = makeManifestKernel(kernel, std::move(*result));
    if (failed(entry))
      return failure();
    if (auto known = options.verified.find(kernel.getSymName());
        known != options.verified.end())
      (*entry)["verified"] = known->second;
    kernelEntries.push_back(std::move(*entry));
  }
  {
    // Rounding divisions alone: the target has maximum and minimum itself.
    RewritePatternSet patterns(context);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    if (failed(applyPatternsGreedily(*lowered, std::move(patterns))))
      return emitError(loc, "[codegen-failed] divisions were not expanded");
    PassManager pm(context);
    pm.enableVerifier(false);
    buildLLVMPasses(pm);
    if (failed(pm.run(*lowered)) || failed(verify(*lowered)))
      return emitError(loc,
                       "[codegen-failed] the lowered kernel did not become "
                       "the llvm dialect");
  }

  std::unique_ptr<llvm::TargetMachine> machine =
      makeTargetMachine(emitter->machine(), loc);
  if (!machine)
    return failure();
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(*lowered, llvmContext, "titan");
  if (!llvmModule)
    return emitError(loc, "[codegen-failed] the llvm dialect did not become "
                          "LLVM IR");
  llvmModule->setTargetTriple(machine->getTargetTriple());
  llvmModule->setDataLayout(machine->createDataLayout());
  markStatements(*llvmModule);
  optimize(*llvmModule, *machine);
  convertSignedBits(*llvmModule);
  // Of 255 registers what addresses, barriers and ptxas's own numbers leave.
  constexpr int registersForValues = 216;
  for (llvm::Function &function : *llvmModule)
    if (!function.isDeclaration())
      orderByElement(function, registersForValues);
  if (options.emit == Emit::LLVM) {
    llvmModule->print(output, nullptr);
    return success();
  }

  std::optional<std::string> ptx =
      makePtx(*llvmModule, *machine, options.strengthReduction);
  if (!ptx)
    return emitError(loc, "[codegen-failed] this LLVM cannot print PTX");
  if (options.emit == Emit::PTX) {
    output << *ptx;
    return success();
  }

  Assembly assembly =
      assembleForOccupancy(*ptx, *target, options.ptxas, freeRegisters);
  if (options.assemblerLog)
    *options.assemblerLog = assembly.log;
  if (assembly.status == Assembly::Refused) {
    Location place =
        placeOf(*ptx, assembly.log, module.getContext()).value_or(loc);
    InFlightDiagnostic error = emitError(place, "[assembler-failed] ")
                               << assembly.log;
    if (place != loc)
      error.attachNote() << "fix: the instruction is of this line: where that "
                            "is a titan.inline_ptx, mend its text; else report "
                            "this with the output of --emit=ptx";
    return error;
  }
  if (assembly.status == Assembly::NotWritten)
    return emitError(loc, "[file-write] ") << assembly.log;
  if (assembly.status == Assembly::NotRun)
    return emitError(loc, "[assembler-missing] ") << assembly.log;
  if (options.emit == Emit::Cubin) {
    if (assembly.status == Assembly::NoAssembler)
      return emitError(loc, "[assembler-missing] neither ptxas nor nvJitLink "
                            "was found; use --emit=ptx, or name one in "
                            "TITAN_PTXAS");
    output << assembly.cubin;
    return success();
  }

  auto blob = [](StringRef name, StringRef bytes) {
    return runtime::Blob{name.str(), {bytes.bytes_begin(), bytes.bytes_end()}};
  };
  json::Array code;
  std::vector<runtime::Blob> blobs;
  if (assembly.status == Assembly::Done) {
    code.push_back(json::Object{
        {"kind", "cubin"}, {"arch", options.target}, {"blob", "kernel.cubin"}});
    blobs.push_back(blob("kernel.cubin", assembly.cubin));
  }
  code.push_back(json::Object{
      {"kind", "ptx"}, {"arch", options.target}, {"blob", "kernel.ptx"}});
  blobs.push_back(blob("kernel.ptx", *ptx));
  json::Object manifest{{"format", runtime::manifestFormat},
                        {"compiler", "titan 0.1.0"},
                        {"target", options.target},
                        {"code", std::move(code)},
                        {"kernels", std::move(kernelEntries)}};
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(manifest));
  auto package = runtime::writePackage(text, std::move(blobs));
  if (!package)
    return emitError(loc, "[")
           << package.error().code << "] " << package.error().message << " ("
           << package.error().rule << ")";
  if (options.emit == Emit::Manifest) {
    output << text << '\n';
    return success();
  }
  output.write(reinterpret_cast<const char *>(package->data()),
               package->size());
  return success();
}
