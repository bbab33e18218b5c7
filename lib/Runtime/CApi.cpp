//===- CApi.cpp - The runtime in C ----------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Runtime/Runtime.h"
#include "titan/Runtime/titan.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

using namespace titan;
using namespace titan::runtime;

struct titan_error {
  Error error;
  std::string text;
};
struct titan_package {
  std::unique_ptr<Package> package;
};
struct titan_sequence {
  struct Launch {
    Kernel *kernel;
    std::vector<Argument> arguments; ///< Their bits: what is added.
    std::vector<uint32_t> places;    ///< One an argument.
  };
  std::vector<Launch> launches;
  size_t values = 0; ///< As many as there must be.
};

static_assert(sizeof(titan_argument) == 40);
static_assert(TITAN_F64 == static_cast<int>(DType::F64) &&
              TITAN_I8 == static_cast<int>(DType::I8) &&
              TITAN_I8 + 1 == numDTypes);

namespace {

/// What is returned when there is no memory for an error.
titan_error noMemory{{"out-of-memory", "no host memory", "", "", ""},
                     "error: [out-of-memory] no host memory\n"};

titan_error *wrap(Error error) {
  auto *out = new titan_error{std::move(error), {}};
  out->text = out->error.text();
  return out;
}

/// Runs `body`, which returns a titan_error *; nothing is thrown into C.
template <typename Body> titan_error *guarded(Body body) noexcept {
  try {
    return body();
  } catch (...) {
    return &noMemory;
  }
}

titan_error *nullPointer(const char *what) {
  return wrap(makeError(Code::BadArgument, std::string(what) + " is null",
                        "the C interface", "pass a valid pointer"));
}

Kernel *unwrap(titan_kernel *k) { return reinterpret_cast<Kernel *>(k); }
const ArgumentSpec *argumentOf(const titan_kernel *k, size_t index) {
  const auto &list = reinterpret_cast<const Kernel *>(k)->spec().arguments;
  return index < list.size() ? &list[index] : nullptr;
}

/// Makes the runtime's arguments of C's in `storage`, which is not initialised,
/// one by one: all of them would be 10 KB to clear.
titan_error *convert(titan_kernel *kernel, const titan_argument *arguments,
                     size_t count, Argument *storage) {
  if (!kernel || (!arguments && count))
    return nullPointer(kernel ? "the argument list" : "the kernel");
  if (count > maxArguments)
    return wrap(makeError(Code::ArgumentUnknown,
                          std::to_string(count) + " arguments given",
                          "kernel '" + unwrap(kernel)->spec().name + "'",
                          "pass one value for each argument"));
  for (size_t i = 0; i < count; ++i) {
    const titan_argument &a = arguments[i];
    auto bad = [&](const std::string &what) {
      return wrap(makeError(Code::BadArgument, what,
                            "argument " + std::to_string(i),
                            "fill the titan_argument as titan.h says"));
    };
    if (a.dtype < 0 || a.dtype >= numDTypes)
      return bad("there is no element type " + std::to_string(a.dtype));
    const auto type = static_cast<DType>(a.dtype);
    if (!a.is_tensor) {
      Argument &scalar = *std::construct_at(storage + i);
      scalar.type = type;
      scalar.bits = a.bits;
      continue;
    }
    if (a.rank < 0 || a.rank > maxRank || (a.rank && !a.dims))
      return bad("the tensor has rank " + std::to_string(a.rank) +
                 (a.dims ? "" : " and no sizes"));
    const std::span dims(a.dims, static_cast<size_t>(a.rank));
    std::construct_at(storage + i,
                      a.strides ? Argument::tensor(a.bits, type, dims,
                                                   {a.strides, dims.size()})
                                : Argument::dense(a.bits, type, dims));
  }
  return nullptr;
}

/// Converts the arguments and hands them to `body`.
template <typename Body>
titan_error *withArguments(titan_kernel *kernel,
                           const titan_argument *arguments, size_t count,
                           Body body) noexcept {
  return guarded([&]() -> titan_error * {
    alignas(Argument) std::byte storage[maxArguments * sizeof(Argument)];
    auto *list = reinterpret_cast<Argument *>(storage);
    if (titan_error *e = convert(kernel, arguments, count, list))
      return e;
    Status ok = body(*unwrap(kernel), std::span(list, count));
    return ok ? nullptr : wrap(std::move(ok.error()));
  });
}

} // namespace

int titan_abi_version(void) { return TITAN_ABI_VERSION; }

titan_error *titan_package_read(const char *path, titan_package **package) {
  return guarded([&]() -> titan_error * {
    if (!path || !package)
      return nullPointer(path ? "the place for the package" : "the path");
    *package = nullptr;
    auto p = Package::read(path);
    if (!p)
      return wrap(std::move(p.error()));
    *package = new titan_package{std::move(*p)};
    return nullptr;
  });
}

titan_error *titan_package_parse(const void *bytes, size_t size,
                                 titan_package **package) {
  return guarded([&]() -> titan_error * {
    if ((!bytes && size) || !package)
      return nullPointer(package ? "the bytes" : "the place for the package");
    *package = nullptr;
    auto p = Package::parse({static_cast<const uint8_t *>(bytes), size},
                            "package in memory");
    if (!p)
      return wrap(std::move(p.error()));
    *package = new titan_package{std::move(*p)};
    return nullptr;
  });
}

void titan_package_release(titan_package *package) { delete package; }

size_t titan_package_kernel_count(const titan_package *package) {
  return package->package->manifest().kernels.size();
}

const char *titan_package_kernel_name(const titan_package *package,
                                      size_t index) {
  const auto &kernels = package->package->manifest().kernels;
  return index < kernels.size() ? kernels[index].name.c_str() : nullptr;
}

titan_error *titan_package_kernel(titan_package *package, const char *name,
                                  titan_kernel **kernel) {
  return guarded([&]() -> titan_error * {
    if (!package || !kernel)
      return nullPointer(package ? "the place for the kernel" : "the package");
    *kernel = nullptr;
    auto k = package->package->kernel(name ? name : "");
    if (!k)
      return wrap(std::move(k.error()));
    *kernel = reinterpret_cast<titan_kernel *>(*k);
    return nullptr;
  });
}

size_t titan_kernel_argument_count(const titan_kernel *kernel) {
  return reinterpret_cast<const Kernel *>(kernel)->spec().arguments.size();
}

const char *titan_kernel_argument_name(const titan_kernel *kernel,
                                       size_t index) {
  const ArgumentSpec *a = argumentOf(kernel, index);
  return a ? a->name.c_str() : nullptr;
}

int titan_kernel_argument_dtype(const titan_kernel *kernel, size_t index) {
  const ArgumentSpec *a = argumentOf(kernel, index);
  return a ? static_cast<int>(a->type) : -1;
}

int titan_kernel_argument_rank(const titan_kernel *kernel, size_t index) {
  const ArgumentSpec *a = argumentOf(kernel, index);
  return a && a->isTensor ? static_cast<int>(a->shape.size()) : -1;
}

titan_error *titan_kernel_check(titan_kernel *kernel,
                                const titan_argument *arguments, size_t count) {
  return withArguments(kernel, arguments, count,
                       [](Kernel &k, std::span<const Argument> list) {
                         return k.checkArguments(list);
                       });
}

titan_error *titan_kernel_check_contents(titan_kernel *kernel,
                                         const titan_argument *arguments,
                                         size_t count) {
  return withArguments(kernel, arguments, count,
                       [](Kernel &k, std::span<const Argument> list) {
                         return k.checkContents(list);
                       });
}

titan_error *titan_kernel_load(titan_kernel *kernel) {
  return guarded([&]() -> titan_error * {
    if (!kernel)
      return nullPointer("the kernel");
    auto loaded = unwrap(kernel)->load();
    return loaded ? nullptr : wrap(std::move(loaded.error()));
  });
}

titan_error *titan_kernel_resources(titan_kernel *kernel,
                                    titan_resources *resources) {
  return guarded([&]() -> titan_error * {
    if (!kernel || !resources)
      return nullPointer(kernel ? "the place for the resources" : "the kernel");
    auto loaded = unwrap(kernel)->load();
    if (!loaded)
      return wrap(std::move(loaded.error()));
    const KernelSpec &spec = unwrap(kernel)->spec();
    *resources = {(*loaded)->registers, (*loaded)->localBytes,
                  static_cast<int32_t>(spec.block),
                  (*loaded)->staticShared +
                      static_cast<int32_t>(spec.dynamicShared)};
    return nullptr;
  });
}

titan_error *titan_kernel_launch(titan_kernel *kernel,
                                 const titan_argument *arguments, size_t count,
                                 void *stream) {
  return withArguments(
      kernel, arguments, count, [&](Kernel &k, std::span<const Argument> list) {
        return k.launch(list, static_cast<cuda::Stream>(stream));
      });
}

titan_error *titan_sequence_create(titan_sequence **sequence) {
  return guarded([&]() -> titan_error * {
    if (!sequence)
      return nullPointer("the place for the sequence");
    *sequence = new titan_sequence;
    return nullptr;
  });
}

void titan_sequence_release(titan_sequence *sequence) { delete sequence; }

titan_error *titan_sequence_add(titan_sequence *sequence, titan_kernel *kernel,
                                const titan_argument *arguments,
                                const uint32_t *places, size_t count) {
  return guarded([&]() -> titan_error * {
    if (!sequence || (!places && count))
      return nullPointer(sequence ? "the list of places" : "the sequence");
    titan_sequence::Launch launch{unwrap(kernel), {}, {}};
    launch.arguments.resize(std::min<size_t>(count, maxArguments));
    if (titan_error *e =
            convert(kernel, arguments, count, launch.arguments.data()))
      return e;
    launch.places.assign(places, places + count);
    sequence->launches.push_back(std::move(launch));
    for (size_t i = 0; i < count; ++i)
      sequence->values = std::max<size_t>(sequence->values, places[i] + 1ull);
    return nullptr;
  });
}

titan_error *titan_sequence_launch(const titan_sequence *sequence,
                                   const uint64_t *values, size_t count,
                                   void *stream) {
  return guarded([&]() -> titan_error * {
    if (!sequence || (!values && count))
      return nullPointer(sequence ? "the list of values" : "the sequence");
    if (count < sequence->values)
      return wrap(makeError(Code::BadArgument,
                            std::to_string(count) + " values for " +
                                std::to_string(sequence->values) + " places",
                            "the C interface",
                            "pass one value for each place"));
    alignas(Argument) std::byte storage[maxArguments * sizeof(Argument)];
    auto *list = reinterpret_cast<Argument *>(storage);
    for (const titan_sequence::Launch &l : sequence->launches) {
      for (size_t i = 0; i < l.places.size(); ++i)
        std::construct_at(list + i, l.arguments[i])->bits +=
            values[l.places[i]];
      Status ok = l.kernel->launch(std::span(list, l.places.size()),
                                   static_cast<cuda::Stream>(stream));
      if (!ok)
        return wrap(std::move(ok.error()));
    }
    return nullptr;
  });
}

const char *titan_error_code(const titan_error *e) {
  return e->error.code.c_str();
}
const char *titan_error_message(const titan_error *e) {
  return e->error.message.c_str();
}
const char *titan_error_rule(const titan_error *e) {
  return e->error.rule.c_str();
}
const char *titan_error_place(const titan_error *e) {
  return e->error.place.c_str();
}
const char *titan_error_fix(const titan_error *e) {
  return e->error.fix.c_str();
}
const char *titan_error_text(const titan_error *e) { return e->text.c_str(); }

void titan_error_release(titan_error *error) {
  if (error != &noMemory)
    delete error;
}
