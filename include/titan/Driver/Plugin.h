//===- Plugin.h - families from outside of the tree -------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plug-in is a shared library with one entry point, by which it adds a family
// of operations to titan and titan-opt (`--load-plugin=FILE`), as MLIR's
// DialectPlugin does for mlir-opt:
//
//   extern "C" TITAN_PLUGIN titan::PluginInfo titanGetPluginInfo() {
//     return {TITAN_PLUGIN_API_VERSION, "demo", "1.0",
//             [](titan::PluginHost &host) {
//               host.dialects.insert<demo::DemoDialect>();
//               demo::registerExecution(host.execution);
//               demo::populateLowerings(host.lowerings);
//               host.copies.add({.name = "demo", ...});
//             }};
//   }
//
// The places of an operation are the same as inside of the tree: its .td,
// its effects and its lowering (Conversion/LoweringTable.h). A family may know a
// further way to copy (Dispatch/Copy.h) or to multiply (Dispatch/Product.h). The plug-in is not linked with TITAN's libraries: it finds their functions in the tool that loads it.
// titan itself cannot, where LLVM is linked into it, and runs titan-plugins in its
// place (tools/titan). tests/OutOfTree has a whole one.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DRIVER_PLUGIN_H
#define TITAN_DRIVER_PLUGIN_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/Error.h"

#include <cstdint>

/// Raised with each change of what follows.
#define TITAN_PLUGIN_API_VERSION 3
/// Keeps the entry point visible.
#define TITAN_PLUGIN __attribute__((visibility("default")))

namespace titan {
class LoweringTable;
namespace dispatch {
class CopyVariants;
class ProductVariants;
} // namespace dispatch
namespace sim {
class ExecutionTable;
} // namespace sim

/// What a plug-in adds to.
struct PluginHost {
  mlir::DialectRegistry &dialects;
  sim::ExecutionTable &execution;
  LoweringTable &lowerings;
  dispatch::CopyVariants &copies;
  dispatch::ProductVariants &products;
};

/// What a plug-in says of itself.
struct PluginInfo {
  uint32_t apiVersion; ///< TITAN_PLUGIN_API_VERSION.
  const char *name;
  const char *version;
  /// Adds the plug-in's families; called once for each registry of dialects.
  void (*registerFamilies)(PluginHost &host);
};

/// Loads a plug-in, whose families are then part of every registry that
/// registerAllTitanDialects fills. After an error the caller ends the process
/// by _Exit: a library that crashed while it was loaded leaves the loader
/// locked, which handlers of exit would wait for. Crashes are caught where
/// llvm::CrashRecoveryContext is enabled, as the driver does.
llvm::Error loadPlugin(llvm::StringRef file);

/// Adds the families of the plug-ins that have been loaded.
void registerPlugins(mlir::DialectRegistry &registry);

} // namespace titan

#endif
