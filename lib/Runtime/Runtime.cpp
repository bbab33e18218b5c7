//===- Runtime.cpp - Packages, kernels, launches --------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Runtime/Runtime.h"
#include "titan/Runtime/File.h"

#include <algorithm>
#include <cstring>

using namespace titan;
using namespace titan::runtime;

//===----------------------------------------------------------------------===//
// Package
//===----------------------------------------------------------------------===//

runtime::Result<std::unique_ptr<Package>> Package::read(const std::string &path,
                                                        const Driver *driver) {
  auto file = readFile(path);
  if (!file)
    return std::move(file.error());
  return parse(*file, path, driver);
}

runtime::Result<std::unique_ptr<Package>>
Package::parse(std::span<const uint8_t> file, const std::string &place,
               const Driver *driver) {
  auto container = parseContainer(file, place);
  if (!container)
    return std::move(container.error());
  auto manifest = parseManifest(container->manifest, place);
  if (!manifest)
    return std::move(manifest.error());
  if (auto ok = checkBlobs(*manifest, *container, place); !ok)
    return std::move(ok.error());
  std::unique_ptr<Package> p(new Package);
  p->where = place;
  p->driver = driver;
  p->contents = std::move(*manifest);
  p->container = std::move(*container);
  for (const KernelSpec &k : p->contents.kernels)
    p->kernels.emplace_back(new Kernel(*p, k));
  return p;
}

Package::~Package() {
  if (modules.empty())
    return;
  const Driver *driver = this->driver;
  cuda::Context context = nullptr;
  unsigned long long id = 0;
  if (driver->ctxGetCurrent(&context) || !context ||
      driver->ctxGetId(context, &id))
    return;
  if (auto it = modules.find(id); it != modules.end())
    driver->moduleUnload(it->second);
}

runtime::Result<Kernel *> Package::kernel(std::string_view name) {
  if (name.empty() && kernels.size() == 1)
    return kernels[0].get();
  std::string names;
  for (auto &k : kernels) {
    if (!name.empty() && k->spec().name == name)
      return k.get();
    names += (names.empty() ? "" : ", ") + k->spec().name;
  }
  return makeError(Code::NoKernel,
                   name.empty() ? "the package has several kernels"
                                : "the package has no kernel '" +
                                      std::string(name) + "'",
                   where, "name one of: " + names);
}

runtime::Result<const CodeSpec *> Package::findCode(int64_t major,
                                                    int64_t minor) const {
  // A cubin for this device before PTX.
  const CodeSpec *chosen = nullptr;
  std::string has;
  for (const CodeSpec &c : contents.code) {
    const bool cubin = c.kind == CodeSpec::Cubin;
    const Architecture arch = *parseArchitecture(c.arch);
    const bool runs =
        cubin
            ? runsCubin(arch, static_cast<int>(major), static_cast<int>(minor))
            : runsPtx(arch, static_cast<int>(major), static_cast<int>(minor));
    if (runs && (!chosen || (cubin && chosen->kind == CodeSpec::PTX)))
      chosen = &c;
    has += (has.empty() ? "" : ", ") + std::string(cubin ? "cubin" : "PTX") +
           " for " + c.arch;
  }
  if (!chosen)
    return makeError(Code::DeviceMismatch,
                     "the device has compute capability " +
                         std::to_string(major) + "." + std::to_string(minor) +
                         ", the package has " + has,
                     where);
  return chosen;
}

runtime::Result<cuda::Module> Package::module(const Driver &driver,
                                              uint64_t contextId, int major,
                                              int minor) {
  std::lock_guard lock(mutex);
  if (auto it = modules.find(contextId); it != modules.end())
    return it->second;
  auto chosen = findCode(major, minor);
  if (!chosen)
    return std::move(chosen.error());

  const Blob &blob = *container.find((*chosen)->blob);
  // The driver reads PTX as a C string.
  std::string image(blob.bytes.begin(), blob.bytes.end());
  std::vector<char> log(16384);
  int options[] = {cuda::jitErrorLogBuffer, cuda::jitErrorLogBufferSizeBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  cuda::Module module = nullptr;
  if (cuda::Result r =
          driver.moduleLoadDataEx(&module, image.c_str(), 2, options, values)) {
    log.back() = 0;
    std::string text = log.data();
    while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
      text.pop_back();
    return makeError(Code::JitFailed,
                     driver.describe(r) +
                         (text.empty() ? "" : "; the driver's log:\n" + text),
                     where + ": " + (*chosen)->blob);
  }
  modules[contextId] = module;
  return module;
}

//===----------------------------------------------------------------------===//
// Kernel
//===----------------------------------------------------------------------===//

Status Kernel::checkShared(const DeviceProperties &device,
                           int64_t staticBytes) const {
  const int64_t has =
      device[static_cast<size_t>(DeviceProperty::MaxSharedMemory)];
  const int64_t needs = kernelSpec.dynamicShared + staticBytes;
  if (needs <= has)
    return {};
  return makeError(Code::DeviceMismatch,
                   "a CTA needs " + std::to_string(needs) +
                       " bytes of shared memory, the device has " +
                       std::to_string(has),
                   package.where + ", kernel '" + kernelSpec.name + "'");
}

Status Kernel::checkDevice(const DeviceProperties &device) const {
  auto property = [&](DeviceProperty p) {
    return device[static_cast<size_t>(p)];
  };
  auto code =
      package.findCode(property(DeviceProperty::ComputeCapabilityMajor),
                       property(DeviceProperty::ComputeCapabilityMinor));
  if (!code)
    return std::move(code.error());
  return checkShared(device, kernelSpec.staticShared);
}

LoadedKernel *Kernel::resident() {
  const Driver *driver = package.driver;
  cuda::Context context = nullptr;
  unsigned long long id = 0;
  std::shared_lock lock(mutex);
  if (byContext.empty() || driver->ctxGetCurrent(&context) || !context ||
      driver->ctxGetId(context, &id))
    return nullptr;
  auto it = byContext.find(id);
  return it == byContext.end() ? nullptr : it->second.get();
}

runtime::Result<LoadedKernel *> Kernel::load() { return loaded(nullptr); }

runtime::Result<LoadedKernel *>
Kernel::loaded(const cuda::Stream *launchStream) {
  const Driver *driver = package.driver;
  if (!driver) {
    auto opened = openDriver();
    if (!opened)
      return std::move(opened.error());
    package.driver = driver = *opened;
  }
  const std::string_view fix =
      "make a context current: cuCtxSetCurrent, or any call of CUDA's runtime";
  cuda::Context context = nullptr;
  unsigned long long id = 0;
  cuda::Result r = driver->ctxGetCurrent(&context);
  if (!r && context)
    r = driver->ctxGetId(context, &id);
  if (r || !context)
    return makeError(Code::DriverError,
                     r ? driver->describe(r) : "no CUDA context is current",
                     "kernel '" + kernelSpec.name + "'", std::string(fix));
  {
    std::shared_lock lock(mutex);
    if (auto it = byContext.find(id); it != byContext.end())
      return it->second.get();
  }
  std::unique_lock lock(mutex);
  if (auto it = byContext.find(id); it != byContext.end())
    return it->second.get();
  if (launchStream) {
    // A capture of another stream may forbid even to ask (results 900 to 909).
    int status = 0;
    r = driver->streamIsCapturing(*launchStream, &status);
    if (status != 0 || (r >= 900 && r <= 909))
      return makeError(Code::LaunchCapture,
                       "a stream is being captured and the kernel is not "
                       "loaded in this context",
                       "kernel '" + kernelSpec.name + "'");
    if (r)
      return makeError(Code::LaunchFailed,
                       "the stream cannot be used: " + driver->describe(r),
                       "kernel '" + kernelSpec.name + "'");
  }
  auto k = loadNow(*driver, id);
  if (!k)
    return std::move(k.error());
  LoadedKernel *out = k->get();
  byContext[id] = std::move(*k);
  return out;
}

runtime::Result<std::unique_ptr<LoadedKernel>>
Kernel::loadNow(const Driver &driver, uint64_t contextId) {
  const KernelSpec &k = kernelSpec;
  auto fail = [&](Code code, std::string message) {
    return makeError(code, std::move(message),
                     package.where + ", kernel '" + k.name + "'");
  };
  auto out = std::make_unique<LoadedKernel>(k);
  cuda::Device device = 0;
  cuda::Result r = driver.ctxGetDevice(&device);
  constexpr std::pair<DeviceProperty, int> attributes[] = {
      {DeviceProperty::MultiprocessorCount, cuda::multiprocessorCount},
      {DeviceProperty::ComputeCapabilityMajor, cuda::computeCapabilityMajor},
      {DeviceProperty::ComputeCapabilityMinor, cuda::computeCapabilityMinor},
      {DeviceProperty::MaxSharedMemory, cuda::maxSharedMemoryPerBlockOptin},
      {DeviceProperty::L2CacheSize, cuda::l2CacheSize}};
  auto property = [&](DeviceProperty p) -> int64_t & {
    return out->device[static_cast<size_t>(p)];
  };
  for (auto [p, attribute] : attributes) {
    int value = 0;
    if (!r)
      r = driver.deviceGetAttribute(&value, attribute, device);
    property(p) = value;
  }
  if (r)
    return fail(Code::DriverError, driver.describe(r));

  auto module = package.module(
      driver, contextId,
      static_cast<int>(property(DeviceProperty::ComputeCapabilityMajor)),
      static_cast<int>(property(DeviceProperty::ComputeCapabilityMinor)));
  if (!module)
    return std::move(module.error());
  if ((r = driver.moduleGetFunction(&out->function, *module, k.entry.c_str())))
    return fail(Code::JitFailed, "the code has no entry '" + k.entry +
                                     "': " + driver.describe(r));
  r = driver.funcGetAttribute(&out->registers, cuda::functionNumRegs,
                              out->function);
  if (!r)
    r = driver.funcGetAttribute(&out->localBytes, cuda::functionLocalSizeBytes,
                                out->function);
  if (!r)
    r = driver.funcGetAttribute(&out->staticShared,
                                cuda::functionSharedSizeBytes, out->function);
  if (r)
    return fail(Code::DriverError, driver.describe(r));

  if (auto ok = checkShared(out->device, out->staticShared); !ok)
    return std::move(ok.error());
  if (k.dynamicShared)
    r = driver.funcSetAttribute(out->function,
                                cuda::functionMaxDynamicSharedSizeBytes,
                                static_cast<int>(k.dynamicShared));
  const int64_t clusterSize = k.cluster[0] * k.cluster[1] * k.cluster[2];
  if (!r && clusterSize > package.contents.target->maxClusterPortable)
    r = driver.funcSetAttribute(out->function,
                                cuda::functionNonPortableClusterSizeAllowed, 1);
  if (r)
    return fail(Code::DriverError, driver.describe(r));

  // How much of the grid is resident at once.
  int active = 0;
  if (clusterSize == 1) {
    r = driver.occupancyMaxActiveBlocksPerMultiprocessor(
        &active, out->function, static_cast<int>(k.block),
        static_cast<size_t>(k.dynamicShared));
    property(DeviceProperty::MaxActiveClusters) =
        active * property(DeviceProperty::MultiprocessorCount);
  } else {
    cuda::LaunchAttribute cluster{};
    cluster.id = cuda::launchAttributeClusterDimension;
    cluster.value.clusterDim = {static_cast<unsigned>(k.cluster[0]),
                                static_cast<unsigned>(k.cluster[1]),
                                static_cast<unsigned>(k.cluster[2])};
    cuda::LaunchConfig config{cluster.value.clusterDim.x,
                              cluster.value.clusterDim.y,
                              cluster.value.clusterDim.z,
                              static_cast<unsigned>(k.block),
                              1,
                              1,
                              static_cast<unsigned>(k.dynamicShared),
                              nullptr,
                              &cluster,
                              1};
    r = driver.occupancyMaxActiveClusters(&active, out->function, &config);
    property(DeviceProperty::MaxActiveClusters) = active;
  }
  if (r)
    return fail(Code::DriverError, driver.describe(r));
  if (active < 1)
    return fail(Code::LaunchFailed,
                "no CTA fits on a multiprocessor: " + std::to_string(k.block) +
                    " threads of " + std::to_string(out->registers) +
                    " registers, " +
                    std::to_string(k.dynamicShared + out->staticShared) +
                    " bytes of shared memory, clusters of " +
                    std::to_string(clusterSize));
  return out;
}

Error Kernel::launchError(const Driver &driver, cuda::Result result,
                          const LaunchPlan &plan) const {
  const KernelSpec &k = kernelSpec;
  auto triple = [](const std::array<int64_t, 3> &a) {
    return std::to_string(a[0]) + "x" + std::to_string(a[1]) + "x" +
           std::to_string(a[2]);
  };
  const std::string place =
      "kernel '" + k.name + "', grid " + triple(plan.grid) + ", cluster " +
      triple(k.cluster) + ", " + std::to_string(k.block) + " threads, " +
      std::to_string(k.dynamicShared) + " bytes of dynamic shared memory";
  if (cuda::isFault(result))
    return makeError(Code::KernelFault,
                     "an earlier kernel in this context ended with a fault: " +
                         driver.describe(result),
                     place);
  return makeError(Code::LaunchFailed, driver.describe(result), place);
}

Status Kernel::checkContents(std::span<const Argument> arguments) {
  if (auto ok = checkArguments(arguments); !ok)
    return ok;
  if (auto loaded = load(); !loaded)
    return std::move(loaded.error());
  const Driver &driver = *package.driver;
  std::vector<std::vector<uint8_t>> copies(arguments.size());
  std::vector<const uint8_t *> host(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const int64_t bytes =
        kernelSpec.arguments[i].initial ? arguments[i].extent().value_or(0) : 0;
    if (!bytes)
      continue;
    copies[i].resize(static_cast<size_t>(bytes));
    if (cuda::Result r = driver.memcpyDtoH(copies[i].data(), arguments[i].bits,
                                           copies[i].size()))
      return makeError(cuda::isFault(r) ? Code::KernelFault : Code::DriverError,
                       "reading the tensor: " + driver.describe(r),
                       "kernel '" + kernelSpec.name + "', argument '" +
                           kernelSpec.arguments[i].name + "'");
    host[i] = copies[i].data();
  }
  return checkContents(arguments, host);
}

Status Kernel::launch(std::span<const Argument> arguments,
                      cuda::Stream stream) {
  const KernelSpec &k = kernelSpec;
  LaunchPlan plan;
  LoadedKernel *here = resident();
  if (!here || !here->launches.find(arguments, here->device, plan)) {
    if (auto ok = checkArguments(arguments); !ok)
      return ok;
    if (!here) {
      auto now = loaded(&stream);
      if (!now)
        return std::move(now.error());
      here = *now;
    }
    if (auto ok = this->plan(arguments, here->device, plan); !ok)
      return ok;
    here->launches.insert(arguments, plan);
  }
  LoadedKernel &kernel = *here;
  const Driver &driver = *package.driver;

  alignas(64) uint8_t storage[maxParameterBytes];
  void *parameters[maxParameters];
  for (size_t i = 0; i < k.parameters.size(); ++i) {
    const ParameterSpec &p = k.parameters[i];
    uint8_t *at = storage + p.offset;
    parameters[i] = at;
    switch (p.kind) {
    case ParameterSpec::Pointer:
    case ParameterSpec::Scalar:
      std::memcpy(at, &arguments[p.index].bits, p.size);
      break;
    case ParameterSpec::Value:
      std::memcpy(at, &plan.values[i], p.size);
      break;
    case ParameterSpec::TensorMap: {
      const TensorMapFormat &f = k.tensorMaps[p.index].format;
      const TensorMapFields &v = plan.maps[p.index];
      cuda::TensorMap map;
      if (!kernel.maps.find(p.index, v, map)) {
        // A plan that was found has not been asked about this address.
        if (!checkFields(*package.manifest().target, f, v))
          return this->plan(arguments, kernel.device, plan);
        uint64_t dims[maxMapRank], strides[maxMapRank - 1];
        std::copy(v.dims.begin(), v.dims.end(), dims);
        std::copy(v.byteStrides.begin(), v.byteStrides.end(), strides);
        void *address = reinterpret_cast<void *>(v.address);
        const uint32_t rank = static_cast<uint32_t>(f.rank);
        const int interleave = static_cast<int>(f.interleave);
        // CUtensorMapL2promotion: 0, 64, 128, 256 bytes.
        const int promotion = std::bit_width(f.l2Promotion / 64u);
        const TmaIm2col &m = f.im2col;
        cuda::Result r =
            f.mode == TmaMode::Im2col
                ? driver.tensorMapEncodeIm2col(
                      &map, f.type->driver, rank, address, dims, strides,
                      m.lower.data(), m.upper.data(), m.channels, m.pixels,
                      f.elementStrides.data(), interleave, f.swizzle->driver,
                      promotion, f.nanFill)
                : driver.tensorMapEncodeTiled(
                      &map, f.type->driver, rank, address, dims, strides,
                      f.box.data(), f.elementStrides.data(), interleave,
                      f.swizzle->driver, promotion, f.nanFill);
        if (r)
          return makeError(Code::TmaEncode, driver.describe(r),
                           "kernel '" + k.name + "', tensor map '" +
                               k.tensorMaps[p.index].name + "'");
        kernel.maps.insert(p.index, v, map);
      }
      std::memcpy(at, &map, sizeof map);
      break;
    }
    }
  }

  cuda::LaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (k.cluster[0] * k.cluster[1] * k.cluster[2] > 1) {
    cuda::LaunchAttribute &cluster = attributes[count++];
    cluster.id = cuda::launchAttributeClusterDimension;
    cluster.value.clusterDim = {static_cast<unsigned>(k.cluster[0]),
                                static_cast<unsigned>(k.cluster[1]),
                                static_cast<unsigned>(k.cluster[2])};
  }
  if (k.programmatic) {
    cuda::LaunchAttribute &overlap = attributes[count++];
    overlap.id = cuda::launchAttributeProgrammaticStreamSerialization;
    overlap.value.programmaticStreamSerialization = 1;
  }
  const cuda::LaunchConfig config{static_cast<unsigned>(plan.grid[0]),
                                  static_cast<unsigned>(plan.grid[1]),
                                  static_cast<unsigned>(plan.grid[2]),
                                  static_cast<unsigned>(k.block),
                                  1,
                                  1,
                                  static_cast<unsigned>(k.dynamicShared),
                                  stream,
                                  attributes,
                                  count};
  if (cuda::Result r =
          driver.launchKernelEx(&config, kernel.function, parameters, nullptr))
    return launchError(driver, r, plan);
  return {};
}
