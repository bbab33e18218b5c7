//===- TypeReference.h - the reference of types and attributes --*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `titan explain '!titan.shared'` and `titan explain '#titan.mma_sync_a'`
// print, and docs/reference/types.md. All of it is the .td's (tools/titan-tblgen
// -types), but for the layouts: those of the tensors in the example are computed.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DRIVER_TYPEREFERENCE_H
#define TITAN_DRIVER_TYPEREFERENCE_H

#include "titan/Driver/Session.h"

namespace titan {

/// A parameter of a type or attribute (TitanTypes.reference.inc); `words`: of an
/// enum.
struct TypeParameter {
  llvm::StringRef name, what, words;
};

/// What a type's or attribute's .td says of it; the name has its sign.
struct TypeInfo {
  bool attribute;
  llvm::StringRef name, summary, description, syntax;
  std::vector<TypeParameter> parameters;
};

/// All types of the dialect, then all attributes.
llvm::ArrayRef<TypeInfo> allTypes();
/// By name, with parameters or without: "!titan.shared", "#titan.wgmma<2, 1>",
/// "#titan<sem acquire>". Null if there is none.
const TypeInfo *lookupType(llvm::StringRef text);
/// The one that such a text was meant to be, perhaps with the other sign; or null.
const TypeInfo *nearestType(llvm::StringRef text);

/// A name that an example defines, and its type or attribute.
struct ExampleName {
  std::string name;
  mlir::Type type;
  mlir::Attribute attribute;
};
/// What the examples of a description define, in their order. None: one does
/// not parse, which the context has been told.
std::optional<std::vector<ExampleName>>
definedByExamples(const TypeInfo &info, mlir::MLIRContext &context);

/// As text, and as a part of docs/reference/types.md.
std::string explainType(const TypeInfo &info);
std::string typeSection(const TypeInfo &info);

} // namespace titan

#endif // TITAN_DRIVER_TYPEREFERENCE_H
