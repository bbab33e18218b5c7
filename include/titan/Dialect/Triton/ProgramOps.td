//===- ProgramOps.td - functions, the grid, print, assert, foreign code -*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TRITON_PROGRAM_OPS_TD
#define TITAN_DIALECT_TRITON_PROGRAM_OPS_TD

include "titan/Dialect/Triton/TritonBase.td"

def Triton_FuncOp : Triton_Op<"func", [
    AffineScope, AutomaticAllocationScope, FunctionOpInterface, IsolatedFromAbove,
    OpAsmOpInterface, HasParent<"::mlir::ModuleOp">]> {
  let summary = "a kernel (public) or a function that it calls (private)";
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return isExternal() ? nullptr : &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getCallableResults() { return getFunctionType().getResults(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    bool isDeclaration() { return isExternal(); }
  }];
}

def Triton_CallOp : Triton_Op<"call", [CallOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "calls a function of the module";
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let results = (outs Variadic<AnyType>);
  let assemblyFormat = "$callee `(` $operands `)` attr-dict `:` functional-type($operands, results)";
  let extraClassDeclaration = [{
    operand_range getArgOperands() { return getOperands(); }
    ::mlir::MutableOperandRange getArgOperandsMutable() { return getOperandsMutable(); }
    ::mlir::CallInterfaceCallable getCallableForCallee() {
      return ::llvm::cast<::mlir::SymbolRefAttr>(getCalleeAttr());
    }
    void setCalleeFromCallable(::mlir::CallInterfaceCallable callee) {
      setCalleeAttr(::llvm::cast<::mlir::FlatSymbolRefAttr>(
          ::llvm::cast<::mlir::SymbolRefAttr>(callee)));
    }
  }];
}

def Triton_ReturnOp : Triton_Op<"return", [Pure, HasParent<"FuncOp">, ReturnLike, Terminator]> {
  let summary = "ends a function";
  let arguments = (ins Variadic<AnyType>:$srcs);
  let assemblyFormat = "attr-dict ($srcs^ `:` type($srcs))?";
  let hasVerifier = 1;
}

class Triton_GridOp<string mnemonic> : Triton_Op<mnemonic, [Pure]> {
  let arguments = (ins Triton_Axis:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def Triton_GetProgramIdOp : Triton_GridOp<"get_program_id"> {
  let summary = "which program of the grid this is";
}

def Triton_GetNumProgramsOp : Triton_GridOp<"get_num_programs"> {
  let summary = "how many programs the grid has";
}

def Triton_PrintOp : Triton_Op<"print", [
    SameVariadicOperandSize, MemoryEffects<[MemWrite<Triton_GlobalMemory>]>]> {
  let summary = "prints values with a prefix; `isSigned`: one word for each";
  let arguments = (ins StrAttr:$prefix, BoolAttr:$hex, Variadic<Triton_Any>:$args,
                       DenseI32ArrayAttr:$isSigned);
  let assemblyFormat = "$prefix attr-dict (`:` $args^ `:` type($args))?";
}

def Triton_AssertOp : Triton_Op<"assert", [MemoryEffects<[MemWrite<Triton_GlobalMemory>]>]> {
  let summary = "ends the program with a message where a condition does not hold";
  let arguments = (ins AnyTypeOf<[I1, RankedTensorOf<[I1]>]>:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}

def Triton_ExternElementwiseOp : Triton_Op<"extern_elementwise", [
    Elementwise, SameVariadicOperandSize,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, ConditionallySpeculatable]> {
  let summary = "a function of a device library (libdevice) on each element";
  let arguments = (ins Variadic<Triton_Any>:$srcs, StrAttr:$libname, StrAttr:$libpath,
                       StrAttr:$symbol, BoolAttr:$pure);
  let results = (outs Triton_Any:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $result)";
  let extraClassDeclaration = "::mlir::Speculation::Speculatability getSpeculatability();";
}

def Triton_ElementwiseInlineAsmOp : Triton_Op<"elementwise_inline_asm", [
    Elementwise,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "PTX for every `packed_element` elements";
  let arguments = (ins StrAttr:$asm_string, StrAttr:$constraints, BoolAttr:$pure,
                       I32Attr:$packed_element, Variadic<Triton_Any>:$args);
  let results = (outs Variadic<Triton_Any>:$result);
  let assemblyFormat = "$asm_string attr-dict ($args^ `:` type($args))? `->` type($result)";
  let hasVerifier = 1;
}

#endif
