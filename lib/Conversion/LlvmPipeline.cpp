//===- LlvmPipeline.cpp - LLVM IR, optimised, and as PTX ------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LlvmPipeline.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/InitializePasses.h"
#include "llvm/PassRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/BDCE.h"
#include "llvm/Transforms/Scalar/CorrelatedValuePropagation.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/DivRemPairs.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopSimplifyCFG.h"
#include "llvm/Transforms/Scalar/Reassociate.h"
#include "llvm/Transforms/Scalar/SCCP.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimpleLoopUnswitch.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Scalar/SpeculativeExecution.h"

using namespace llvm;

static FunctionPassManager makePasses() {
  const SimplifyCFGOptions plain =
      SimplifyCFGOptions().convertSwitchRangeToICmp(true);
  const SimplifyCFGOptions merging = SimplifyCFGOptions(plain)
                                         .convertSwitchToArithmetic(true)
                                         .hoistCommonInsts(true)
                                         .sinkCommonInsts(true);
  const LICMOptions hoisting;
  auto combine = [] {
    return InstCombinePass(InstCombineOptions().setMaxIterations(1));
  };
  auto hoist = [&](bool speculate) {
    return LICMPass(hoisting.MssaOptCap, hoisting.MssaNoAccForPromotionCap,
                    speculate);
  };

  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(SpeculativeExecutionPass(/*OnlyIfDivergentTarget=*/true));
  passes.addPass(CorrelatedValuePropagationPass());
  passes.addPass(combine());
  passes.addPass(SimplifyCFGPass(plain));
  passes.addPass(ReassociatePass());
  {
    LoopPassManager loops;
    loops.addPass(LoopSimplifyCFGPass());
    loops.addPass(hoist(/*speculate=*/false));
    loops.addPass(LoopRotatePass(/*EnableHeaderDuplication=*/true,
                                 /*PrepareForLTO=*/false));
    loops.addPass(hoist(/*speculate=*/true));
    loops.addPass(SimpleLoopUnswitchPass(/*NonTrivial=*/false));
    passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops),
                                                   /*UseMemorySSA=*/true));
  }
  passes.addPass(combine());
  {
    LoopPassManager loops;
    loops.addPass(IndVarSimplifyPass());
    loops.addPass(LoopDeletionPass());
    passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops)));
  }
  passes.addPass(GVNPass());
  passes.addPass(SCCPPass());
  passes.addPass(BDCEPass());
  passes.addPass(combine());
  passes.addPass(ADCEPass());
  passes.addPass(DSEPass());
  {
    LoopPassManager loops;
    loops.addPass(hoist(/*speculate=*/true));
    passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops),
                                                   /*UseMemorySSA=*/true));
  }
  passes.addPass(SimplifyCFGPass(merging));
  passes.addPass(SimplifyCFGPass(SimplifyCFGOptions(merging)
                                     .forwardSwitchCondToPhi(true)
                                     .convertSwitchToLookupTable(true)
                                     .needCanonicalLoops(false)));
  passes.addPass(combine());
  passes.addPass(DivRemPairsPass());
  passes.addPass(SimplifyCFGPass(SimplifyCFGOptions(plain)
                                     .convertSwitchToArithmetic(true)
                                     .hoistLoadsStoresWithCondFaulting(true)
                                     .speculateUnpredictables(true)));
  return passes;
}

void titan::optimize(Module &module, TargetMachine &machine) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graph;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  ModulePassManager passes;
  passes.addPass(createModuleToFunctionPassAdaptor(makePasses(),
                                                   /*EagerlyInvalidate=*/true));
  passes.addPass(GlobalDCEPass());
  passes.run(module, modules);
}

namespace {
/// A pipeline without some of the passes that a target puts into it.
class LeavingOut : public legacy::PassManager {
public:
  void leaveOut(StringRef name) {
    if (const PassInfo *info =
            PassRegistry::getPassRegistry()->getPassInfo(name))
      left.push_back(info->getTypeInfo());
  }
  void add(Pass *pass) override {
    if (is_contained(left, pass->getPassID()))
      delete pass;
    else
      legacy::PassManager::add(pass);
  }

private:
  SmallVector<AnalysisID> left;
};
} // namespace

std::optional<std::string>
titan::makePtx(Module &module, TargetMachine &machine, bool strengthReduction) {
  SmallString<0> text;
  raw_svector_ostream stream(text);
  LeavingOut passes;
  if (!strengthReduction) {
    initializeScalarOpts(*PassRegistry::getPassRegistry());
    passes.leaveOut("slsr");
    passes.leaveOut("nary-reassociate");
  }
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  CodeGenFileType::AssemblyFile))
    return std::nullopt;
  passes.run(module);
  return text.str().str();
}
