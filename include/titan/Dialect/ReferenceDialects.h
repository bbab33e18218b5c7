//===- ReferenceDialects.h - what references are written in -----*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's reference (titan.reference) is a function of func, linalg, memref,
// tensor, arith, math and scf. Who only reads such functions registers the
// dialects here, without the headers of their operations (linalg's alone takes
// three seconds to compile).
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_REFERENCEDIALECTS_H
#define TITAN_DIALECT_REFERENCEDIALECTS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace titan {

void registerReferenceDialects(mlir::DialectRegistry &registry);

} // namespace titan

#endif // TITAN_DIALECT_REFERENCEDIALECTS_H
