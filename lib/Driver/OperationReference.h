//===- OperationReference.h - the reference of all operations ---*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `titan explain titan.tma.load` prints, and the pages of docs/reference.
// Nothing of it is written for it:
//
//   summary, description, syntax, operands     the .td (tools/titan-tblgen);
//                                              ReferenceWriter.h
//   example                                    tests/Dialect/syntax*.mlir,
//                                              with the names of types it uses
//   who issues it, effects with their sources  HardwareEffectsInterface, of the
//   targets                                    example
//
// Types and attributes are TypeReference.h's. Where an operation has several examples, the one of fewest lines is taken,
// the first of them.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DRIVER_OPERATIONREFERENCE_H
#define TITAN_DRIVER_OPERATIONREFERENCE_H

#include "titan/Driver/Session.h"

#include <memory>

namespace titan {

/// A named part of an operation (TitanOps.reference.inc).
struct OperationPart {
  enum Kind { Operand, Attribute, Result } kind;
  llvm::StringRef name, what, initial;
  bool optional, variadic;
};

/// What an operation's .td says of it.
struct OperationInfo {
  llvm::StringRef name, family, familyTitle, summary, description, syntax;
  std::vector<OperationPart> parts;
};

/// All operations, as the families' files write them.
llvm::ArrayRef<OperationInfo> allOperations();
/// Null if there is none of that name.
const OperationInfo *lookupOperation(llvm::StringRef name);

/// An attribute of titan's on an operation or argument (Attributes.def).
struct AttributeInfo {
  llvm::StringRef name, holder, summary, description, example;
};
llvm::ArrayRef<AttributeInfo> allAttributes();
const AttributeInfo *lookupAttribute(llvm::StringRef name);
std::string explainAttribute(const AttributeInfo &info);

class OperationReference {
public:
  /// Parses the examples.
  OperationReference();
  ~OperationReference();

  /// As text.
  std::string explain(const OperationInfo &info) const;
  /// The pages of docs/reference, name and contents each: README.md, and one a
  /// family.
  std::vector<std::pair<std::string, std::string>> pages() const;
  /// Operations without an example.
  std::vector<llvm::StringRef> missing() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace titan

#endif
