//===- CubinResources.h - what the assembler gave a kernel ------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the assembler gave a kernel stands in the cubin, which is an ELF file: its
// section .nv.info is a list of attributes, each a byte of format, one of kind,
// and two of a value, or, of format 4, of the size of what follows:
//
//   04 2f 08 00  SYMBOL REGISTERS   registers a thread of a function
//   04 11 08 00  SYMBOL BYTES       its stack frame, spills among it
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_CONVERSION_CUBINRESOURCES_H
#define TITAN_CONVERSION_CUBINRESOURCES_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace titan {

/// For each thread: registers of 32 bits, and bytes.
struct CubinResources {
  int64_t registers = 0, stackBytes = 0;
};

/// None where `cubin` is no cubin, or does not say it of the entry.
std::optional<CubinResources> readCubinResources(llvm::StringRef cubin,
                                                 llvm::StringRef entry);

} // namespace titan

#endif
