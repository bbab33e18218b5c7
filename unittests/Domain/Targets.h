//===- Targets.h - the targets of the tests of lib/Domain -------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_UNITTESTS_DOMAIN_TARGETS_H
#define TITAN_UNITTESTS_DOMAIN_TARGETS_H

#include "titan/Target/Target.h"

namespace titan {
inline const TargetInfo &h200 = targetInfo(TargetId::Sm90a);
inline const TargetInfo &blackwell = targetInfo(TargetId::Sm100a);
} // namespace titan

#endif
