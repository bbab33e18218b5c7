//===- PackageHeader.h - a C++ header that launches -------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a package's manifest to a C++17 header over titan/Runtime/titan.hpp: a
// class of the package's name, and in it a function of each kernel's, whose
// parameters are the kernel's arguments and a stream.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DRIVER_PACKAGEHEADER_H
#define TITAN_DRIVER_PACKAGEHEADER_H

#include "titan/Driver/Session.h"
#include "titan/Runtime/Manifest.h"

namespace titan {

/// What the base address of a tensor argument has to be a multiple of, in bytes:
/// its own alignment, and that of the tensor maps of it (tma-base-alignment).
int64_t baseAlignment(const runtime::Manifest &manifest,
                      const runtime::KernelSpec &kernel, size_t argument);

/// The header's text; `package` is the file that it opens.
std::string makeHeader(const runtime::Manifest &manifest,
                       llvm::StringRef package);

/// Writes it to `output` ("-": stdout); false, and a finding, if that fails.
bool writeHeader(Session &session, const runtime::Manifest &manifest,
                 llvm::StringRef package, llvm::StringRef output);

} // namespace titan

#endif
