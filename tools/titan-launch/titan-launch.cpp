//===- titan-launch.cpp - Run a packaged kernel on the GPU ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a package, makes the arguments, launches, checks the guards, writes the
// outputs, times. No LLVM, no MLIR, no CUDA toolkit.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Session.h"
#include "Tensors.h"

#include "titan/Runtime/File.h"
#include "titan/Runtime/Npy.h"
#include "titan/Target/ExitStatus.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace titan;
using namespace titan::runtime;
using namespace titan::runtime::launch;
using json = nlohmann::ordered_json;

namespace {

std::string shapeText(std::span<const int64_t> shape) {
  std::string out;
  for (int64_t d : shape)
    out += (out.empty() ? "" : "x") + std::to_string(d);
  return out;
}

std::span<const int64_t> dimsOf(const Argument &a) {
  return {a.dims.data(), static_cast<size_t>(a.rank)};
}
std::span<const int64_t> stridesOf(const Argument &a) {
  return {a.strides.data(), static_cast<size_t>(a.rank)};
}

std::string accessText(Access a) {
  return a == Access::Read    ? "read"
         : a == Access::Write ? "write"
                              : "readwrite";
}

/// One run of the tool: what it has found out goes into `report` (for --json)
/// and to standard output (without).
class Tool {
public:
  explicit Tool(Options options) : options(std::move(options)) {}

  /// The exit status.
  int run() {
    Status ok = [&]() -> Status {
      try {
        return act();
      } catch (const std::bad_alloc &) {
        return makeError(Code::OutOfMemory, "there is not enough host memory",
                         options.package);
      }
    }();
    if (!ok)
      return fail(ok.error());
    if (options.json)
      std::printf("%s\n", dump().c_str());
    return 0;
  }

  int fail(const Error &e) {
    std::fputs(e.text().c_str(), stderr);
    if (options.json) {
      report["error"] = {{"code", e.code},
                         {"message", e.message},
                         {"place", e.place},
                         {"rule", e.rule},
                         {"fix", e.fix}};
      std::printf("%s\n", dump().c_str());
    }
    std::fflush(nullptr);
    const CodeInfo *info = lookupCode(e.code);
    return info ? exitStatus(info->id) : 1;
  }

private:
  Options options;
  json report = json::object();

  /// JSON text; bytes of names that are no UTF-8 are replaced.
  std::string dump() const {
    return report.dump(2, ' ', false, json::error_handler_t::replace);
  }

  /// printf, but not beside --json.
  __attribute__((format(printf, 2, 3))) void say(const char *format, ...) {
    if (options.json)
      return;
    va_list list;
    va_start(list, format);
    std::vprintf(format, list);
    va_end(list);
  }

  Status act() {
    if (options.mode == Options::Pack)
      return pack();
    report["package"] = options.package;
    auto package = Package::read(options.package);
    if (!package)
      return std::move(package.error());
    if (options.mode == Options::List)
      return list(**package);
    auto kernel = (*package)->kernel(options.kernel);
    if (!kernel)
      return std::move(kernel.error());
    return launch(**kernel);
  }

  Status pack() {
    auto manifest = readFile(options.manifest);
    if (!manifest)
      return std::move(manifest.error());
    std::vector<Blob> blobs;
    for (auto &[name, path] : options.blobs) {
      auto bytes = readFile(path);
      if (!bytes)
        return std::move(bytes.error());
      blobs.push_back({name, std::move(*bytes)});
    }
    auto file = writePackage(
        {reinterpret_cast<const char *>(manifest->data()), manifest->size()},
        std::move(blobs));
    if (!file)
      return std::move(file.error());
    return writeFile(options.packageOut, *file);
  }

  Status list(const Package &package) {
    const Manifest &m = package.manifest();
    say("%s, %s\n", std::string(m.target->name).c_str(), m.compiler.c_str());
    report["target"] = m.target->name;
    report["compiler"] = m.compiler;
    for (const CodeSpec &c : m.code) {
      const char *kind = c.kind == CodeSpec::PTX ? "PTX" : "cubin";
      say("  %s for %s\n", kind, c.arch.c_str());
      report["code"].push_back({{"kind", kind}, {"arch", c.arch}});
    }
    for (const KernelSpec &k : m.kernels) {
      say("kernel %s: %lld threads a CTA, cluster %s, %lld bytes of dynamic "
          "shared memory\n",
          k.name.c_str(), static_cast<long long>(k.block),
          shapeText(k.cluster).c_str(),
          static_cast<long long>(k.dynamicShared));
      std::string grid;
      for (const Expr &e : k.grid)
        grid += (grid.empty() ? "" : " x ") + e.text(k.argumentNames);
      say("  grid %s\n", grid.c_str());
      json arguments = json::array();
      for (const ArgumentSpec &a : k.arguments) {
        std::string shape;
        for (size_t d = 0; d < a.shape.size(); ++d)
          shape += (d ? "x" : "") + (!a.dimNames[d].empty() ? a.dimNames[d]
                                     : a.shape[d] == dynamic
                                         ? "?"
                                         : std::to_string(a.shape[d]));
        const std::string type(name(a.type));
        if (a.isTensor)
          say("  %s: %s[%s], %s\n", a.name.c_str(), type.c_str(), shape.c_str(),
              accessText(a.access).c_str());
        else
          say("  %s: %s\n", a.name.c_str(), type.c_str());
        json entry = {{"name", a.name}, {"type", type}};
        if (a.isTensor) {
          entry["shape"] = shape;
          entry["access"] = accessText(a.access);
        }
        arguments.push_back(entry);
      }
      report["kernels"].push_back({{"name", k.name},
                                   {"grid", grid},
                                   {"cluster", k.cluster},
                                   {"block", k.block},
                                   {"dynamic_shared", k.dynamicShared},
                                   {"arguments", arguments}});
    }
    return {};
  }

  Status launch(Kernel &kernel) {
    const KernelSpec &k = kernel.spec();
    report["kernel"] = k.name;
    if (auto ok = checkOutputs(); !ok)
      return ok;
    std::vector<std::vector<uint8_t>> files;
    auto resolved = resolveArguments(k, options, files);
    if (!resolved)
      return std::move(resolved.error());
    std::vector<HostArgument> &arguments = *resolved;

    // What can be refused without a GPU is refused before one is asked for: the
    // addresses are made up, aligned as the real ones will be.
    std::vector<Argument> values;
    for (size_t i = 0; i < arguments.size(); ++i) {
      HostArgument &a = arguments[i];
      if (a.value.isTensor)
        a.value.bits =
            (uint64_t{1} << 40) * (i + 1) + static_cast<uint64_t>(a.base());
      values.push_back(a.value);
    }
    if (auto ok = kernel.checkArguments(values); !ok)
      return ok;
    describeArguments(arguments);
    if (options.mode == Options::DryRun) {
      if (auto ok = checkContents(kernel, arguments, files); !ok)
        return ok;
      return dryRun(kernel, values);
    }
    if (auto ok = checkHostMemory(k, arguments); !ok)
      return ok;
    return onDevice(kernel, arguments, files);
  }

  /// What --out names is a file of its own: found before the launch.
  Status checkOutputs() const {
    namespace fs = std::filesystem;
    std::map<fs::path, std::string> seen;
    for (const auto &[name, path] : options.outputs) {
      auto refuse = [&](Code code, const std::string &what) {
        return makeError(code, what, "--out " + name + "=" + path,
                         "name another file");
      };
      std::error_code ignored;
      if (fs::is_directory(path, ignored))
        return refuse(Code::FileWrite, "it is a folder");
      if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored))
        continue;
      if (fs::equivalent(path, options.package, ignored))
        return refuse(Code::BadArgument, "it is the package");
      const fs::path whole = fs::weakly_canonical(path, ignored);
      if (auto [it, first] = seen.emplace(whole, name); !first)
        return refuse(Code::BadArgument,
                      "'" + it->second + "' goes there, too");
    }
    return {};
  }

  /// Every image is held once, and the one that is read back beside it. More
  /// than the machine has would not fail here, but end in a killed process.
  static Status checkHostMemory(const KernelSpec &k,
                                const std::vector<HostArgument> &arguments) {
    double needed = 0, largest = 0;
    for (const HostArgument &a : arguments) {
      const auto bytes = static_cast<double>(a.imageBytes());
      needed += bytes;
      largest = std::max(largest, bytes);
    }
    // Checking the guards makes a third copy.
    needed += 2 * largest;
    const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                          static_cast<double>(sysconf(_SC_PAGESIZE));
    if (needed <= memory)
      return {};
    char text[128];
    std::snprintf(text, sizeof text,
                  "the arguments need %.1f GiB of host memory, the machine has "
                  "%.1f GiB",
                  needed / (1 << 30), memory / (1 << 30));
    return makeError(Code::OutOfMemory, text, "kernel '" + k.name + "'");
  }

  void describeArguments(const std::vector<HostArgument> &arguments) {
    for (const HostArgument &a : arguments) {
      json entry = {{"name", a.name}, {"type", name(a.value.type)}};
      if (a.value.isTensor) {
        entry["shape"] = dimsOf(a.value);
        entry["strides"] = stridesOf(a.value);
        entry["source"] = a.file.empty() ? toString(a.generator) : a.file;
      } else {
        entry["value"] = isFloat(a.value.type)
                             ? json(load(a.value.type, &a.value.bits))
                             : json(scalarInteger(a.value));
      }
      report["arguments"].push_back(entry);
    }
  }

  static int64_t scalarInteger(const Argument &a) {
    const int shift = 64 - 8 * static_cast<int>(sizeInBytes(a.type));
    return static_cast<int64_t>(a.bits << shift) >> shift;
  }

  void describePlan(const KernelSpec &k, const LaunchPlan &plan) {
    report["grid"] = plan.grid;
    report["cluster"] = k.cluster;
    report["block"] = k.block;
    report["dynamic_shared"] = k.dynamicShared;
  }

  Status dryRun(Kernel &kernel, const std::vector<Argument> &values) {
    const KernelSpec &k = kernel.spec();
    if (auto ok = kernel.checkDevice(options.properties); !ok)
      return ok;
    LaunchPlan plan;
    if (auto ok = kernel.plan(values, options.properties, plan); !ok)
      return ok;
    describePlan(k, plan);
    say("kernel %s: grid %s, cluster %s, %lld threads, %lld bytes of dynamic "
        "shared memory\n",
        k.name.c_str(), shapeText(plan.grid).c_str(),
        shapeText(k.cluster).c_str(), static_cast<long long>(k.block),
        static_cast<long long>(k.dynamicShared));
    for (size_t i = 0; i < k.tensorMaps.size(); ++i) {
      const TensorMapSpec &m = k.tensorMaps[i];
      const std::span dims(plan.maps[i].dims.data(),
                           static_cast<size_t>(m.format.rank));
      const std::span strides(plan.maps[i].byteStrides.data(), dims.size() - 1);
      say("  tensor map %s: dims %s, byte strides %s\n", m.name.c_str(),
          shapeText(dims).c_str(), shapeText(strides).c_str());
      report["tensor_maps"].push_back(
          {{"name", m.name}, {"dims", dims}, {"byte_strides", strides}});
    }
    for (size_t i = 0; i < k.parameters.size(); ++i) {
      const ParameterSpec &p = k.parameters[i];
      if (p.kind != ParameterSpec::Value)
        continue;
      say("  parameter %zu: %s = %lld\n", i,
          p.value.text(k.argumentNames).c_str(),
          static_cast<long long>(plan.values[i]));
    }
    return {};
  }

  /// Whether tensors hold what the kernel begins with.
  static Status checkContents(const Kernel &kernel,
                              const std::vector<HostArgument> &arguments,
                              const std::vector<std::vector<uint8_t>> &files) {
    std::vector<std::vector<uint8_t>> images(arguments.size());
    std::vector<Argument> values;
    std::vector<const uint8_t *> elements;
    for (size_t i = 0; i < arguments.size(); ++i) {
      values.push_back(arguments[i].value);
      const uint8_t *begin = nullptr; // Of what begins with nothing.
      if (kernel.spec().arguments[i].initial) {
        images[i] = makeImage(arguments[i], files[i]);
        begin = images[i].data() + arguments[i].base();
      }
      elements.push_back(begin);
    }
    return kernel.checkContents(values, elements);
  }

  Status onDevice(Kernel &kernel, std::vector<HostArgument> &arguments,
                  const std::vector<std::vector<uint8_t>> &files) {
    auto driver = openDriver();
    if (!driver)
      return std::move(driver.error());
    Session session(**driver, kernel, options);
    if (auto ok = session.open(); !ok)
      return ok;
    report["device"] = session.device.name;
    report["driver_version"] = session.device.driverVersion;

    std::vector<std::vector<uint8_t>> images(arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].value.isTensor)
        images[i] = makeImage(arguments[i], files[i]);
    if (auto ok = checkContents(kernel, arguments, files); !ok)
      return ok;
    if (auto ok = session.upload(arguments, images); !ok)
      return ok;
    std::vector<Argument> values;
    for (const HostArgument &a : arguments)
      values.push_back(a.value);
    LaunchPlan plan;
    if (auto ok = kernel.plan(values, session.loaded->device, plan); !ok)
      return ok;
    const KernelSpec &k = kernel.spec();
    describePlan(k, plan);
    report["registers"] = session.loaded->registers;
    report["local_bytes"] = session.loaded->localBytes;
    report["static_shared"] = session.loaded->staticShared;
    say("kernel %s on %s: grid %s, cluster %s, %lld threads, %d registers, "
        "%d bytes of local memory, %lld bytes of shared memory\n",
        k.name.c_str(), session.device.name.c_str(),
        shapeText(plan.grid).c_str(), shapeText(k.cluster).c_str(),
        static_cast<long long>(k.block), session.loaded->registers,
        session.loaded->localBytes,
        static_cast<long long>(k.dynamicShared) + session.loaded->staticShared);

    if (auto ok = session.launchAndWait(); !ok) {
      if (ok.error().code == codeInfo(Code::LaunchTimeout).code)
        endHung(session, ok.error(), arguments, images);
      return ok;
    }
    if (auto ok = results(session, k, arguments, images); !ok)
      return ok;
    if (!options.bench)
      return {};
    for (const ArgumentSpec &each : k.arguments)
      if (each.initial && each.access != Access::Read)
        return makeError(Code::BadArgument,
                         "--bench launches again and again, and each launch "
                         "leaves '" +
                             each.name +
                             "' otherwise than the kernel begins with",
                         "kernel '" + k.name + "'",
                         "leave out --bench, or time it from a program that "
                         "fills the tensor between launches");
    auto bench = session.bench();
    if (!bench) {
      if (bench.error().code == codeInfo(Code::LaunchTimeout).code)
        endHung(session, bench.error(), {}, {});
      return std::move(bench.error());
    }
    describeBench(*bench, k, values, session.loaded->device);
    return {};
  }

  /// Reads everything back, checks the guards, writes the outputs. The images
  /// are needed no more.
  Status results(Session &session, const KernelSpec &k,
                 const std::vector<HostArgument> &arguments,
                 std::vector<std::vector<uint8_t>> &images) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      const HostArgument &a = arguments[i];
      if (!a.value.isTensor)
        continue;
      std::vector<uint8_t> after(images[i].size());
      if (auto ok = session.download(i, after); !ok)
        return ok;
      // An output is written even if its guards are damaged: it may show why.
      if (!a.outputFile.empty()) {
        if (auto ok = writeNpy(a.outputFile, a.value.type, dimsOf(a.value),
                               gather(a, after));
            !ok)
          return ok;
        say("  %s: %s[%s] written to %s\n", a.name.c_str(),
            std::string(name(a.value.type)).c_str(),
            shapeText(dimsOf(a.value)).c_str(), a.outputFile.c_str());
        report["outputs"][a.name] = a.outputFile;
      }
      if (auto ok = checkImage(a, images[i], after, k.name); !ok)
        return ok;
      images[i] = {};
    }
    report["guards"] = "intact";
    say("  guards intact\n");
    return {};
  }

  void describeBench(const BenchResult &b, const KernelSpec &k,
                     const std::vector<Argument> &values,
                     const DeviceProperties &device) {
    const double median = b.median();
    json out = {{"rounds", options.rounds},
                {"launches_per_round", b.launchesPerRound},
                {"warmup", options.warmup},
                {"median_ms", median},
                {"min_ms", b.min()},
                {"max_ms", b.max()},
                {"milliseconds", b.milliseconds}};
    say("bench: median %.6f ms (min %.6f, max %.6f) of %lld rounds of %lld "
        "launches",
        median, b.min(), b.max(), static_cast<long long>(options.rounds),
        static_cast<long long>(b.launchesPerRound));
    auto rate = [&](const Expr &e) -> std::optional<double> {
      if (e.empty())
        return std::nullopt;
      auto v = e.evaluate(values, device, k.name);
      return v ? std::optional(static_cast<double>(*v)) : std::nullopt;
    };
    const auto flops = options.flops ? options.flops : rate(k.flops);
    if (flops) {
      out["tflops"] = *flops / median / 1e9;
      say("; %.1f TFLOP/s", *flops / median / 1e9);
    }
    if (const auto bytes = rate(k.bytes)) {
      out["gbps"] = *bytes / median / 1e6;
      say("; %.1f GB/s", *bytes / median / 1e6);
    }
    say("\n");
    report["bench"] = out;
  }

  /// Reports a kernel that does not end, with what its memory shows of how far
  /// it came, and ends the process: the driver's own cleaning up would wait for
  /// the kernel.
  [[noreturn]] void endHung(Session &session, const Error &error,
                            const std::vector<HostArgument> &arguments,
                            const std::vector<std::vector<uint8_t>> &images) {
    session.abandon();
    const int status = fail(error);
    alarm(10); // If even a copy hangs.
    for (size_t i = 0; i < arguments.size(); ++i) {
      const HostArgument &a = arguments[i];
      std::vector<uint8_t> after(images[i].size());
      if (!a.value.isTensor || a.access == Access::Read ||
          !session.download(i, after))
        continue;
      const Untouched u = countUntouched(a, images[i], after);
      std::string index;
      int64_t rest = u.first;
      for (int d = a.value.rank - 1; d >= 0 && u.first >= 0; --d) {
        index = std::to_string(rest % a.value.dims[d]) +
                (index.empty() ? "" : ", ") + index;
        rest /= a.value.dims[d];
      }
      std::fprintf(stderr,
                   "  note: %lld of %lld elements of '%s' are not written yet",
                   static_cast<long long>(u.count),
                   static_cast<long long>(u.total), a.name.c_str());
      if (u.first >= 0)
        std::fprintf(stderr, "; the first is [%s]", index.c_str());
      std::fputs("\n", stderr);
    }
    std::fflush(nullptr);
    _exit(status);
  }
};

} // namespace

static int runTool(std::span<const char *const> words) {
  auto options = parseOptions(words);
  if (!options) {
    // A report is JSON where it was asked for, whatever else was.
    Options none;
    none.json = std::find(words.begin(), words.end(),
                          std::string_view("--json")) != words.end();
    return Tool(std::move(none)).fail(options.error());
  }
  if (options->mode == Options::Help) {
    std::fputs(usage, stdout);
    return 0;
  }
  if (options->mode == Options::Version) {
    std::puts("titan-launch " TITAN_VERSION);
    return 0;
  }
  return Tool(std::move(*options)).run();
}

int main(int argc, char **argv) {
  // Line by line, so that output and errors stand in their order in a log.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  const int status = runTool({argv + 1, static_cast<size_t>(argc - 1)});
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return status;
  const Error e =
      makeError(Code::FileWrite, "not all could be written", "standard output");
  std::fputs(e.text().c_str(), stderr);
  return exitStatus(Code::FileWrite);
}
