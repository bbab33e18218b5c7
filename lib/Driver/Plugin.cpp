//===- Plugin.cpp - families from outside of the tree ---------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Driver/Plugin.h"

#include "titan/Conversion/LoweringTable.h"
#include "titan/Dispatch/Product.h"
#include "titan/Simulator/ExecutionTable.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"

#include <dlfcn.h>

using namespace titan;

/// Those that have been loaded, in that order.
static std::vector<PluginInfo> &loaded() {
  static std::vector<PluginInfo> plugins;
  return plugins;
}

llvm::Error titan::loadPlugin(llvm::StringRef file) {
  auto refuse = [&](const llvm::Twine &what) {
    return llvm::createStringError(file + ": " + what);
  };
  if (!llvm::sys::fs::exists(file))
    return refuse("no such file");
  // Without a slash the loader would look elsewhere.
  llvm::SmallString<128> path(file);
  if (std::error_code error = llvm::sys::fs::make_absolute(path))
    return refuse(error.message());
  // All of its symbols are bound now: one that is missing is told here, not by
  // the loader in the middle of a run. It stays to the end of the process: the
  // tables hold its functions.
  void *library = nullptr;
  llvm::CrashRecoveryContext loading;
  if (!loading.RunSafely([&] {
        library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
      }))
    return refuse("crashes while it is loaded");
  if (!library)
    return refuse(llvm::Twine("cannot be loaded: ") + dlerror());
  // By the library's own table: the process may have others.
  auto entry =
      reinterpret_cast<PluginInfo (*)()>(dlsym(library, "titanGetPluginInfo"));
  if (!entry)
    return refuse("has no titanGetPluginInfo, so it is no plug-in of TITAN");
  PluginInfo info{};
  llvm::CrashRecoveryContext asking;
  if (!asking.RunSafely([&] { info = entry(); }))
    return refuse("its titanGetPluginInfo crashes");
  if (!info.apiVersion)
    return refuse("its titanGetPluginInfo fills no PluginInfo");
  if (info.apiVersion != TITAN_PLUGIN_API_VERSION)
    return refuse("was built for version " + llvm::Twine(info.apiVersion) +
                  " of the plug-in interface; this is version " +
                  llvm::Twine(TITAN_PLUGIN_API_VERSION));
  if (!info.registerFamilies)
    return refuse("registers nothing: its registerFamilies is null");
  for (const PluginInfo &other : loaded())
    if (other.registerFamilies == info.registerFamilies)
      return llvm::Error::success();
  loaded().push_back(info);
  return llvm::Error::success();
}

void titan::registerPlugins(mlir::DialectRegistry &registry) {
  PluginHost host{registry, sim::ExecutionTable::get(), LoweringTable::get(),
                  dispatch::CopyVariants::get(),
                  dispatch::ProductVariants::get()};
  for (const PluginInfo &plugin : loaded())
    plugin.registerFamilies(host);
}
