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

#include "llvm/Support/DynamicLibrary.h"
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
  std::string problem;
  auto library =
      llvm::sys::DynamicLibrary::getPermanentLibrary(path.c_str(), &problem);
  if (!library.isValid())
    return refuse("cannot be loaded: " + problem);
  // LLVM closes it at the end of the process, before the tables are destroyed
  // that hold the plug-in's functions: it stays until then.
  dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  // By the library's own table: the process may have others.
  auto entry = reinterpret_cast<PluginInfo (*)()>(
      library.getAddressOfSymbol("titanGetPluginInfo"));
  if (!entry)
    return refuse("has no titanGetPluginInfo, so it is no plug-in of TITAN");
  PluginInfo info = entry();
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
