//===- Runtime.h - Packages, kernels, launches ------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads a package and launches its kernels on the caller's stream, with the
// caller's memory, in the CUDA context that is current:
//
//   auto package = Package::read("gemm.titanpkg");
//   auto kernel = (*package)->kernel("gemm");
//   Argument args[] = {Argument::dense(a, DType::BF16, {{M, K}}), ...};
//   Status ok = (*kernel)->launch(args, stream);
//
// launch() checks the arguments, evaluates the launch checks, the grid and the
// parameters, encodes the tensor maps (or finds all that as an earlier launch
// left it: LaunchCache.h), and makes one call, cuLaunchKernelEx. It allocates no
// memory, of host or device, but for an error, and waits for nothing, so that
// it may be captured into a CUDA graph. The first launch in a context loads the
// code there; load() does that beforehand, as it must before a capture starts.
//
// Everything here may be called from several threads at once. A Package must
// outlive the work it has launched; it unloads its code when it is destroyed,
// in the context that is then current. (In another context the code stays until
// that context ends: the runtime does not touch contexts that may be gone.)
//
// The same in C: titan.h.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_RUNTIME_RUNTIME_H
#define TITAN_RUNTIME_RUNTIME_H

#include "titan/Runtime/Driver.h"
#include "titan/Runtime/Error.h"
#include "titan/Runtime/Expr.h"
#include "titan/Runtime/LaunchCache.h"
#include "titan/Runtime/Manifest.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

namespace titan::runtime {

class Package;
class Kernel;

/// A kernel in one context.
struct LoadedKernel {
  explicit LoadedKernel(const KernelSpec &spec) : launches(spec) {}

  cuda::Function function = nullptr;
  DeviceProperties device{};
  int registers = 0;    ///< Per thread, as the driver says.
  int localBytes = 0;   ///< Per thread: spills and stack.
  int staticShared = 0; ///< Per CTA, in bytes.
  LaunchCache launches;
  TensorMapCache maps;
};

/// One kernel of a package. Lives as long as its package.
class Kernel {
public:
  const KernelSpec &spec() const { return kernelSpec; }

  /// What can be said about arguments without a device: their number, kind,
  /// element types, ranks, sizes, strides, alignment. Errors: argument-missing,
  /// argument-unknown, argument-shape, argument-alignment, launch-overflow.
  Status checkArguments(std::span<const Argument> arguments) const;

  /// Whether tensors hold what the kernel begins with (ArgumentSpec::initial);
  /// the arguments have passed checkArguments. `host`: where element 0 of each
  /// argument lies on the host. Errors: initial-value.
  Status checkContents(std::span<const Argument> arguments,
                       std::span<const uint8_t *const> host) const;

  /// The same of memory of the current context, which is copied to the host:
  /// waits for the device. Errors: those of checkArguments and load;
  /// initial-value, driver-error, kernel-fault.
  Status checkContents(std::span<const Argument> arguments);

  /// Checks and computes a launch for a device of these properties; the
  /// arguments have passed checkArguments. Touches no GPU. Errors: the codes of
  /// the launch checks, launch-zero-dim, launch-grid, launch-overflow,
  /// launch-division, argument-shape, tma-*.
  Status plan(std::span<const Argument> arguments,
              const DeviceProperties &device, LaunchPlan &out) const;

  /// Whether a device of these properties can run the kernel: its compute
  /// capability, its shared memory. Touches no GPU. Errors: device-mismatch.
  Status checkDevice(const DeviceProperties &device) const;

  /// Loads the code into the current context, if it is not there yet.
  /// Errors: no-gpu, device-mismatch, jit-failed, launch-failed, driver-error.
  Result<LoadedKernel *> load();

  /// Launches on `stream` (null: the legacy default stream) of the current
  /// context. Errors: those of checkArguments, load and plan; tma-encode,
  /// launch-capture, launch-failed, kernel-fault.
  Status launch(std::span<const Argument> arguments, cuda::Stream stream);

private:
  friend class Package;
  Kernel(Package &package, const KernelSpec &spec)
      : package(package), kernelSpec(spec) {}

  Status checkShared(const DeviceProperties &device, int64_t staticBytes) const;
  /// The kernel in the current context, if it is loaded there; else null.
  LoadedKernel *resident();
  Result<LoadedKernel *> loaded(const cuda::Stream *launchStream);
  Result<std::unique_ptr<LoadedKernel>> loadNow(const Driver &driver,
                                                uint64_t contextId);
  Error launchError(const Driver &driver, cuda::Result result,
                    const LaunchPlan &plan) const;

  Package &package;
  const KernelSpec &kernelSpec;
  std::shared_mutex mutex; ///< Guards byContext; taken before the package's.
  std::map<uint64_t, std::unique_ptr<LoadedKernel>> byContext;
};

/// A package: manifest, code, kernels.
class Package {
public:
  /// Reads a file. Errors: file-not-found and those of parse. `driver` null:
  /// the system's, opened when the first kernel is loaded.
  static Result<std::unique_ptr<Package>> read(const std::string &path,
                                               const Driver *driver = nullptr);
  /// Reads from memory; `place` names it in errors. Errors: those of
  /// parseContainer, parseManifest and checkBlobs.
  static Result<std::unique_ptr<Package>> parse(std::span<const uint8_t> file,
                                                const std::string &place,
                                                const Driver *driver = nullptr);
  ~Package();
  Package(const Package &) = delete;
  Package &operator=(const Package &) = delete;

  const std::string &place() const { return where; }
  const Manifest &manifest() const { return contents; }

  /// The kernel of this name; with an empty name the only one. Errors:
  /// no-kernel.
  Result<Kernel *> kernel(std::string_view name);

private:
  friend class Kernel;
  Package() = default;

  /// The code for a compute capability; device-mismatch if there is none.
  Result<const CodeSpec *> findCode(int64_t major, int64_t minor) const;
  /// The package's code in the current context, loaded at the first call.
  Result<cuda::Module> module(const Driver &driver, uint64_t contextId,
                              int major, int minor);

  std::string where;
  /// The caller's, or the system's once it is open.
  std::atomic<const Driver *> driver = nullptr;
  Manifest contents;
  Container container;
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::mutex mutex;                         ///< Guards modules.
  std::map<uint64_t, cuda::Module> modules; ///< By context.
};

} // namespace titan::runtime

#endif // TITAN_RUNTIME_RUNTIME_H
