//===- TritonGpu.td - Triton's layout encodings ------------*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TRITON_GPU_TD
#define TITAN_DIALECT_TRITON_GPU_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/IR/OpBase.td"

def TritonGpu_Dialect : Dialect {
  let name = "ttg";
  let cppNamespace = "::titan::ttg";
  let summary = "Triton's names of layouts: which thread holds which element";
  let description = [{
    A tensor type's encoding, `tensor<32x32xf16, #ttg.blocked<{...}>>`, as Triton 3.6
    prints it. What an encoding means is a function (titan/Layout/Triton.h).
  }];
  let useDefaultAttributePrinterParser = 0;
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute,
                        ::mlir::DialectAsmPrinter &printer) const override;
  }];
}

def TritonGpu_EncodingAttr
    : AttrDef<TritonGpu_Dialect, "Encoding",
              [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let attrName = "ttg.encoding";
  let summary = "any of Triton's layout encodings";
  let description = [{
    `#ttg.blocked`, `linear`, `slice`, `nvidia_mma`, `amd_mfma`, `dot_op`,
    `swizzled_shared`, `padded_shared`, `nvmma_shared`, `shared_linear`. The text is in
    the form of Triton 3.6, aliases spelled out; a slice and an operand have the
    encoding that they are of as an attribute, too, so that it is printed by its alias.
  }];
  let parameters = (ins StringRefParameter<"spelled out">:$text,
                        "::mlir::Attribute":$parent);
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::titan::triton::Encoding getEncoding() const;
  }];
}

#endif
