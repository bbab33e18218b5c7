//===- Old.cpp - a plug-in of another time --------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What does not change between versions is the entry point's name and that the
// version comes first.
//
//===----------------------------------------------------------------------===//
extern "C" {
struct Info {
  unsigned apiVersion;
  const char *name, *version;
  void (*registerFamilies)(void *);
};

__attribute__((visibility("default"))) Info titanGetPluginInfo() {
  return {999, "old", "0.1", nullptr};
}
}
