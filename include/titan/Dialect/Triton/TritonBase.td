//===- TritonBase.td - types, enums, and what families share -*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TRITON_BASE_TD
#define TITAN_DIALECT_TRITON_BASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Triton_Dialect : Dialect {
  let name = "tt";
  let cppNamespace = "::titan::tt";
  let summary = "Triton's own IR: values of tiles, without memory spaces, warps or barriers";
  let description = [{
    The portable level. The text is the one that Triton 3.6 prints and reads; the
    definitions are TITAN's (docs/triton.md). A value is a scalar or a tensor of a
    static shape; global memory is reached through pointers, tensors of pointers and
    descriptors. A program of the grid is one agent: what its tensors' elements do to
    memory in one operation happens in no order.
  }];
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::ub::UBDialect"];
  let extraClassDeclaration = "void registerTypes();";
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class Triton_Type<string name, string typeMnemonic> : TypeDef<Triton_Dialect, name> {
  let mnemonic = typeMnemonic;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Triton_PointerType : Triton_Type<"Pointer", "ptr"> {
  let summary = "a pointer to a scalar, or (make_tensor_ptr) to a block of a tensor";
  let description = [{
    `!tt.ptr<f32>` points to global memory; `!tt.ptr<f32, 3>` names another address
    space. `!tt.ptr<tensor<64x32xf16>>` is a block pointer: base, shape, strides and
    offsets in one value.
  }];
  let parameters = (ins "::mlir::Type":$pointee, "int":$addressSpace);
  let extraClassDeclaration = [{
    bool isBlock() const { return ::llvm::isa<::mlir::RankedTensorType>(getPointee()); }
  }];
}

def Triton_TensorDescType : Triton_Type<"TensorDesc", "tensordesc"> {
  let summary = "a tensor in memory and the block in which it is read and written";
  let description = [{
    `!tt.tensordesc<tensor<128x64xf16>>`; the elements' signedness matters to
    reductions (`xui8`, `xsi32`).
  }];
  let parameters = (ins "::mlir::RankedTensorType":$block);
  let extraClassDeclaration = [{
    /// The block as the operations have it: its elements without a sign.
    ::mlir::RankedTensorType getSignlessBlock() const;
  }];
}

def Triton_Float : AnyTypeOf<[F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E4M3B11FNUZ,
                              F16, BF16, F32, F64], "floating-point">;
def Triton_Int : AnyTypeOf<[I1, I8, I16, I32, I64], "integer">;
def Triton_Ptr : DialectType<Triton_Dialect,
    CPred<"::llvm::isa<::titan::tt::PointerType>($_self) && "
          "!::llvm::cast<::titan::tt::PointerType>($_self).isBlock()">,
    "pointer", "::titan::tt::PointerType">;
def Triton_BlockPtr : DialectType<Triton_Dialect,
    CPred<"::llvm::isa<::titan::tt::PointerType>($_self) && "
          "::llvm::cast<::titan::tt::PointerType>($_self).isBlock()">,
    "block pointer", "::titan::tt::PointerType">;

def Triton_FloatTensor : RankedTensorOf<[Triton_Float]>;
def Triton_IntTensor : RankedTensorOf<[Triton_Int]>;
def Triton_NumberTensor : RankedTensorOf<[Triton_Float, Triton_Int]>;
def Triton_Tensor : RankedTensorOf<[Triton_Float, Triton_Int, Triton_Ptr]>;

def Triton_FloatLike : AnyTypeOf<[Triton_Float, Triton_FloatTensor]>;
def Triton_IntLike : AnyTypeOf<[Triton_Int, Triton_IntTensor]>;
def Triton_BoolLike : AnyTypeOf<[I1, RankedTensorOf<[I1]>]>;
def Triton_I64Like : AnyTypeOf<[I64, RankedTensorOf<[I64]>]>;
def Triton_PtrLike : AnyTypeOf<[Triton_Ptr, RankedTensorOf<[Triton_Ptr]>]>;
def Triton_Any : AnyTypeOf<[Triton_Float, Triton_Int, Triton_Ptr, Triton_BlockPtr, Triton_Tensor]>;

//===----------------------------------------------------------------------===//
// Enumerations: the numbers are those of Triton's text
//===----------------------------------------------------------------------===//

class Triton_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::titan::tt";
}

def Triton_CacheModifier : Triton_Enum<"CacheModifier", "where an access is cached", [
    I32EnumAttrCase<"None", 1, "none">, I32EnumAttrCase<"CA", 2, "ca">,
    I32EnumAttrCase<"CG", 3, "cg">, I32EnumAttrCase<"WB", 4, "wb">,
    I32EnumAttrCase<"CS", 5, "cs">, I32EnumAttrCase<"WT", 6, "wt">,
    I32EnumAttrCase<"CV", 7, "cv">]>;
def Triton_EvictionPolicy : Triton_Enum<"EvictionPolicy", "how long it stays there", [
    I32EnumAttrCase<"Normal", 1, "evict_normal">, I32EnumAttrCase<"First", 2, "evict_first">,
    I32EnumAttrCase<"Last", 3, "evict_last">]>;
def Triton_Padding : Triton_Enum<"PaddingOption", "what is read outside of a tensor", [
    I32EnumAttrCase<"Zero", 1, "zero">, I32EnumAttrCase<"NaN", 2, "nan">]>;
def Triton_MemSemantic : Triton_Enum<"MemSemantic", "what an atomic orders", [
    I32EnumAttrCase<"Relaxed", 1, "relaxed">, I32EnumAttrCase<"Acquire", 2, "acquire">,
    I32EnumAttrCase<"Release", 3, "release">, I32EnumAttrCase<"AcqRel", 4, "acq_rel">]>;
def Triton_MemScope : Triton_Enum<"MemScope", "for whom an atomic is atomic", [
    I32EnumAttrCase<"GPU", 1, "gpu">, I32EnumAttrCase<"CTA", 2, "cta">,
    I32EnumAttrCase<"System", 3, "sys">]>;
def Triton_AtomicOp : Triton_Enum<"RMWOp", "what an atomic does", [
    I32EnumAttrCase<"And", 1, "and">, I32EnumAttrCase<"Or", 2, "or">,
    I32EnumAttrCase<"Xor", 3, "xor">, I32EnumAttrCase<"Add", 4, "add">,
    I32EnumAttrCase<"FAdd", 5, "fadd">, I32EnumAttrCase<"Max", 6, "max">,
    I32EnumAttrCase<"Min", 7, "min">, I32EnumAttrCase<"UMax", 8, "umax">,
    I32EnumAttrCase<"UMin", 9, "umin">, I32EnumAttrCase<"Exchange", 10, "exch">]>;
def Triton_ReduceKind : Triton_Enum<"DescriptorReduceKind", "what a descriptor's reduction does", [
    I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Add", 1, "add">,
    I32EnumAttrCase<"Min", 2, "min">, I32EnumAttrCase<"Max", 3, "max">,
    I32EnumAttrCase<"Inc", 4, "inc">, I32EnumAttrCase<"Dec", 5, "dec">,
    I32EnumAttrCase<"And", 6, "and">, I32EnumAttrCase<"Or", 7, "or">,
    I32EnumAttrCase<"Xor", 8, "xor">]>;
def Triton_Axis : Triton_Enum<"Axis", "dimension of the grid", [
    I32EnumAttrCase<"X", 0, "x">, I32EnumAttrCase<"Y", 1, "y">, I32EnumAttrCase<"Z", 2, "z">]>;
def Triton_Rounding : Triton_Enum<"RoundingMode", "how a conversion rounds", [
    I32EnumAttrCase<"TowardZero", 0, "rtz">, I32EnumAttrCase<"NearestEven", 1, "rtne">]>;
def Triton_PropagateNan : Triton_Enum<"PropagateNan", "whether a NaN comes through", [
    I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"All", 0xFFFF, "all">]>;
def Triton_InputPrecision : Triton_Enum<"InputPrecision", "how a product of f32 is computed", [
    I32EnumAttrCase<"TF32", 0, "tf32">, I32EnumAttrCase<"TF32x3", 1, "tf32x3">,
    I32EnumAttrCase<"IEEE", 2, "ieee">, I32EnumAttrCase<"BF16x3", 3, "bf16x3">,
    I32EnumAttrCase<"BF16x6", 4, "bf16x6">]>;
def Triton_ScaledType : Triton_Enum<"ScaleDotElemType", "an operand of a scaled product", [
    I32EnumAttrCase<"E4M3", 0, "e4m3">, I32EnumAttrCase<"E5M2", 1, "e5m2">,
    I32EnumAttrCase<"E2M3", 2, "e2m3">, I32EnumAttrCase<"E3M2", 3, "e3m2">,
    I32EnumAttrCase<"E2M1", 4, "e2m1">, I32EnumAttrCase<"BF16", 5, "bf16">,
    I32EnumAttrCase<"FP16", 6, "fp16">]>;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Every tensor has a power of two of elements, at most 2^20.
def Triton_TensorSizes : NativeOpTrait<"TensorSizes"> {
  let cppNamespace = "::titan::tt";
}

/// What pointers reach: ordered against barriers and other accesses to it.
def Triton_GlobalMemory : Resource<"::titan::tt::GlobalMemory">;

class Triton_Op<string mnemonic, list<Trait> traits = []>
    : Op<Triton_Dialect, mnemonic, !listconcat(traits, [Triton_TensorSizes])>;

/// One result element from the operands' elements at the same place.
class Triton_Elementwise<string mnemonic, list<Trait> traits = []>
    : Triton_Op<mnemonic, !listconcat(traits, [Pure, Elementwise, SameOperandsAndResultShape])>;

#endif
