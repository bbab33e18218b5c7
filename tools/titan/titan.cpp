//===- titan.cpp - the driver ---------------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Driver/Driver.h"

#ifndef TITAN_PLUGIN_HOST
#define TITAN_PLUGIN_HOST ""
#endif

int main(int argc, char **argv) {
  return titan::driverMain(argc, argv, TITAN_PLUGIN_HOST);
}
