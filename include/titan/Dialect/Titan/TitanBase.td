//===- TitanBase.td - what every family of operations uses ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TITAN_BASE_TD
#define TITAN_DIALECT_TITAN_BASE_TD

include "titan/Dialect/Titan/TitanAttrs.td"
include "titan/Dialect/Titan/TitanTypes.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Titan_Op<string mnemonic, list<Trait> traits = []>
    : Op<Titan_Dialect, mnemonic, traits> {
  /// What stands behind its name where the format is a custom one, for who reads.
  string syntax = "";
}

/// An operation exists on the targets that have the feature (Targets.h), which goes by its
/// name in C++ (Target.h).
class Titan_Needs<string feature>
    : ParamNativeOpTrait<"Needs",
        !if(!empty(feature), "", "::titan::Feature::" # feature)> {
  let cppNamespace = "::titan";
}
def Titan_Everywhere : Titan_Needs<"">;

/// An operation that has a result whatever its operands are: it asks nothing of them
/// (an index in range, a divisor).
def Titan_Total : NativeOpTrait<"Total"> { let cppNamespace = "::titan"; }

/// An operation that the hardware executes: it lists its effects. MLIR's own
/// memory effects are left unknown, so that no upstream pass moves or drops it.
class Titan_HwOp<string mnemonic, Titan_Needs needs = Titan_Everywhere,
                 list<Trait> traits = []>
    : Titan_Op<mnemonic, !listconcat(traits,
        [needs, DeclareOpInterfaceMethods<HardwareEffectsInterface>])>;

/// An operation whose result is a view of memory that an operand names.
def Titan_View : DeclareOpInterfaceMethods<ViewOpInterface>;

/// An operation that names memory of the CTA.
def Titan_Alloc : DeclareOpInterfaceMethods<AllocOpInterface>;

/// An operation whose result stands for none.
def Titan_None : DeclareOpInterfaceMethods<NoneOpInterface>;

/// A register tile of elements that come from their places in the operands.
def Titan_Places : DeclareOpInterfaceMethods<TileOpInterface>;
def Titan_PlacesOfRegisters : DeclareOpInterfaceMethods<TileOpInterface, ["keepsRegisters"]>;

/// An operation that says where it brings its tiles.
def Titan_Flow : DeclareOpInterfaceMethods<TileFlowOpInterface>;

def Titan_Integer : AnyTypeOf<[I32, Index], "i32 or index">;
def Titan_Tile : Type<AnyRankedTensor.predicate, "register tile", "::mlir::RankedTensorType">;
def Titan_Scalar : AnyTypeOf<[AnySignlessInteger, AnyFloat]>;
def Titan_TokenOrSlot : AnyTypeOf<[Titan_TokenType, Titan_SlotType, Titan_InFlightType]>;

#endif
