//===- titan.cpp - the driver ---------------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Driver/Driver.h"

#include <cstdio>
#include <cstdlib>

#ifndef TITAN_PLUGIN_HOST
#define TITAN_PLUGIN_HOST ""
#endif

int main(int argc, char **argv) {
  int code = titan::driverMain(argc, argv, TITAN_PLUGIN_HOST);
  // Without destroying what is static, thousands of options of LLVM's.
  std::fflush(nullptr);
  std::quick_exit(code);
}
