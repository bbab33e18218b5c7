//===- TitanDialect.td - the dialect -----------------------*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TITAN_DIALECT_TD
#define TITAN_DIALECT_TITAN_DIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Titan_Dialect : Dialect {
  let name = "titan";
  let cppNamespace = "::titan";
  let summary = "GPU tile programs in which asynchronous data movement is typed";
  let description = [{
    Where hardware appears: memories, copies and how they complete, barriers and
    their phases, proxies, warps. Every operation here that the hardware executes
    lists what it does to memory, barriers and groups in one place, its effects
    (`HardwareEffectsInterface`, Effects.h); the checker, the simulator's hazard
    detection and `titan explain` read that list and nothing else.
  }];
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute,
                        ::mlir::DialectAsmPrinter &printer) const override;
  }];
}

/// Parameters of types and attributes, and what each counts, in which unit: titan-tblgen
/// takes none without. So too each type and attribute has a description with an example,
/// definitions of names, and a custom assembly format its `syntax`.
class Titan_Int<string what> : AttrOrTypeParameter<"int64_t", what>;
class Titan_Ints<string what> : ArrayRefParameter<"int64_t", what>;
class Titan_Flag<string what> : AttrOrTypeParameter<"bool", what>;
class Titan_Element<string what> : AttrOrTypeParameter<"::mlir::Type", what>;

#endif
