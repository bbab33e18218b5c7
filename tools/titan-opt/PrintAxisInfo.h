//===- PrintAxisInfo.h - a pass that tests look at --------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_TOOLS_TITANOPT_PRINTAXISINFO_H
#define TITAN_TOOLS_TITANOPT_PRINTAXISINFO_H

namespace titan {

/// --print-axis-info.
void registerPrintAxisInfo();

} // namespace titan

#endif
