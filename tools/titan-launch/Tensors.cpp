//===- Tensors.cpp - Arguments on the host, with guards -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensors.h"

#include "titan/Runtime/Npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <thread>

using namespace titan;
using namespace titan::runtime;
using namespace titan::runtime::launch;

namespace {

/// No image is larger than this, in bytes: what one GPU could hold.
constexpr int64_t maxImageBytes = int64_t{1} << 40;

/// The pattern of byte `i` of an image outside the elements. It varies, so that
/// a constant that a kernel stores cannot match it everywhere.
uint8_t guardByte(int64_t i) {
  const uint64_t mixed = static_cast<uint64_t>(i) * 0x9E3779B97F4A7C15u;
  return static_cast<uint8_t>(0xA5 ^ (mixed >> 56));
}

int64_t elements(const Argument &a) {
  int64_t n = 1;
  for (int d = 0; d < a.rank; ++d)
    n *= a.dims[d];
  return n;
}

/// Calls `body(first, count, offset)` for each run of elements that lie one
/// behind the other: `count` elements from row-major index `first` on, at
/// `offset` bytes from the base. Runs `lo` to `hi` - 1 of them.
template <typename Body>
void forRuns(const Argument &a, int64_t lo, int64_t hi, Body body) {
  const int64_t size = sizeInBytes(a.type);
  const bool contiguous = a.rank > 0 && a.strides[a.rank - 1] == 1;
  const int outer = contiguous ? a.rank - 1 : a.rank;
  const int64_t run = contiguous ? a.dims[a.rank - 1] : 1;
  for (int64_t r = lo; r < hi; ++r) {
    int64_t rest = r, offset = 0;
    for (int d = outer - 1; d >= 0; --d) {
      offset += rest % a.dims[d] * a.strides[d];
      rest /= a.dims[d];
    }
    body(r * run, run, offset * size);
  }
}

int64_t numRuns(const Argument &a) {
  const int64_t n = elements(a);
  if (n == 0)
    return 0;
  return a.rank > 0 && a.strides[a.rank - 1] == 1 ? n / a.dims[a.rank - 1] : n;
}

/// Runs `body(lo, hi)` on pieces of [0, n), in several threads where there are
/// many bytes to fill.
template <typename Body> void inParallel(int64_t n, int64_t bytes, Body body) {
  const int64_t wanted =
      bytes < (1 << 20) ? 1 : int64_t{std::thread::hardware_concurrency()};
  const int64_t workers =
      std::clamp<int64_t>(wanted, 1, std::max<int64_t>(n, 1));
  std::vector<std::thread> threads;
  for (int64_t t = 1; t < workers; ++t)
    threads.emplace_back([=] { body(n * t / workers, n * (t + 1) / workers); });
  body(0, n / workers);
  for (std::thread &t : threads)
    t.join();
}

/// The state of resolving one kernel's arguments.
class Resolver {
public:
  Resolver(const KernelSpec &kernel, const Options &options,
           std::vector<std::vector<uint8_t>> &files)
      : kernel(kernel), options(options), files(files) {}

  runtime::Result<std::vector<HostArgument>> run() {
    files.assign(kernel.arguments.size(), {});
    shapes.resize(kernel.arguments.size());
    names();
    for (size_t i = 0; !error && i < kernel.arguments.size(); ++i)
      gatherShape(i);
    if (!error)
      unify();
    std::vector<HostArgument> out;
    for (size_t i = 0; !error && i < kernel.arguments.size(); ++i)
      out.push_back(kernel.arguments[i].isTensor ? tensor(i) : scalar(i));
    if (error)
      return std::move(*error);
    return out;
  }

private:
  const KernelSpec &kernel;
  const Options &options;
  std::vector<std::vector<uint8_t>> &files;
  std::vector<std::vector<int64_t>> shapes; ///< `dynamic`: not known yet.
  std::optional<Error> error;

  void fail(Code code, std::string message, std::string place,
            std::string fix = {}) {
    if (!error)
      error =
          makeError(code, std::move(message), std::move(place), std::move(fix));
  }
  std::string place(size_t i) const {
    return "kernel '" + kernel.name + "', argument '" +
           kernel.arguments[i].name + "'";
  }
  /// The flags that no argument can do without and that were not given.
  std::string everyMissing() const {
    std::string flags;
    for (size_t i = 0; i < kernel.arguments.size(); ++i) {
      const ArgumentSpec &spec = kernel.arguments[i];
      if (!needsValue(i))
        continue;
      flags += flags.empty() ? "give " : " ";
      flags += spec.isTensor ? "--arg " + spec.name + "=random:1"
                             : "--scalar " + spec.name + "=VALUE";
    }
    return flags + "; for a tensor also NAME=FILE.npy";
  }
  bool needsValue(size_t i) const {
    const ArgumentSpec &spec = kernel.arguments[i];
    if (!spec.isTensor)
      return !options.scalars.count(spec.name);
    return !option(i) && !spec.initial &&
           (spec.access == Access::Read || (spec.access == Access::ReadWrite &&
                                            !options.outputs.count(spec.name)));
  }
  const TensorOption *option(size_t i) const {
    auto it = options.tensors.find(kernel.arguments[i].name);
    return it == options.tensors.end() ? nullptr : &it->second;
  }
  bool isDimName(const std::string &name) const {
    for (const ArgumentSpec &a : kernel.arguments)
      for (const std::string &d : a.dimNames)
        if (d == name)
          return true;
    return false;
  }

  /// Every name on the command line must be an argument of the right kind.
  void names() {
    auto check = [&](const std::string &name, bool tensor, const char *what) {
      const int i = kernel.findArgument(name);
      if (i >= 0 && kernel.arguments[i].isTensor == tensor)
        return;
      std::string list;
      for (const ArgumentSpec &a : kernel.arguments)
        if (a.isTensor == tensor)
          list += (list.empty() ? "" : ", ") + a.name;
      fail(Code::ArgumentUnknown,
           std::string(what) + " names '" + name + "', which is no " +
               (tensor ? "tensor" : "scalar") + " of the kernel",
           "kernel '" + kernel.name + "'",
           i >= 0 && options.tensors.count(name) && tensor
               ? "it is a scalar: --scalar " + name + "=VALUE"
           : list.empty() ? "the kernel has none"
                          : "it has: " + list);
    };
    for (auto &[name, value] : options.tensors)
      check(name, true, "--arg");
    for (auto &[name, value] : options.outputs)
      check(name, true, "--out");
    for (auto &[name, value] : options.scalars)
      check(name, false, "--scalar");
    for (auto &[name, value] : options.shapes)
      if (value.size() != 1 || !isDimName(name))
        check(name, true, "--shape");
  }

  /// What file, options and declaration say about a tensor's shape.
  void gatherShape(size_t i) {
    const ArgumentSpec &spec = kernel.arguments[i];
    if (!spec.isTensor)
      return;
    shapes[i] = spec.shape;
    auto merge = [&](const std::vector<int64_t> &given, const char *what) {
      if (given.size() != shapes[i].size())
        return fail(Code::ArgumentShape,
                    std::string(what) + " has " + std::to_string(given.size()) +
                        " dimensions, the kernel takes " +
                        std::to_string(shapes[i].size()),
                    place(i));
      for (size_t d = 0; d < given.size(); ++d) {
        if (shapes[i][d] != dynamic && shapes[i][d] != given[d])
          return fail(Code::ArgumentShape,
                      "dimension " + std::to_string(d) + " is " +
                          std::to_string(given[d]) + " by " + what + ", and " +
                          std::to_string(shapes[i][d]) + " otherwise",
                      place(i), "give one shape");
        shapes[i][d] = given[d];
      }
    };
    if (auto it = options.shapes.find(spec.name); it != options.shapes.end())
      if (!(it->second.size() == 1 && isDimName(spec.name)))
        merge(it->second, "--shape");
    if (const TensorOption *o = option(i)) {
      if (!o->shape.empty())
        merge(o->shape, "--arg's shape");
      if (!o->file.empty() && !error) {
        auto array = readNpy(o->file);
        if (!array) {
          error = array.error();
          return;
        }
        if (auto ok = checkNpyType(*array, spec.type, o->file); !ok) {
          error = ok.error();
          return;
        }
        merge(array->shape, "the file");
        files[i] = std::move(array->bytes);
      }
    }
  }

  /// Gives named dimensions the size that is known for their name.
  void unify() {
    std::map<std::string, int64_t> sizes;
    for (auto &[name, value] : options.shapes)
      if (value.size() == 1 && isDimName(name))
        sizes[name] = value[0];
    auto each = [&](auto body) {
      for (size_t i = 0; i < kernel.arguments.size(); ++i)
        for (size_t d = 0; d < shapes[i].size(); ++d)
          body(i, d, kernel.arguments[i].dimNames[d]);
    };
    each([&](size_t i, size_t d, const std::string &name) {
      if (!name.empty() && shapes[i][d] != dynamic)
        sizes.emplace(name, shapes[i][d]);
    });
    each([&](size_t i, size_t d, const std::string &name) {
      if (shapes[i][d] != dynamic)
        return;
      if (auto it = sizes.find(name); !name.empty() && it != sizes.end())
        shapes[i][d] = it->second;
      else
        fail(Code::ArgumentShape,
             "the size of dimension " + std::to_string(d) +
                 (name.empty() ? "" : " (" + name + ")") + " is not known",
             place(i),
             "give --shape " + kernel.arguments[i].name + "=" +
                 (shapes[i].size() > 1 ? "MxN" : "N"));
    });
  }

  /// Dense strides, but those that the kernel fixes and --arg's rowstride.
  void strides(size_t i, HostArgument &h) {
    const ArgumentSpec &spec = kernel.arguments[i];
    const int rank = static_cast<int>(spec.shape.size());
    const TensorOption *o = option(i);
    if (o && o->rowStride && rank < 2)
      return fail(Code::BadArgument, "rowstride needs two dimensions",
                  place(i));
    // Inner dimensions first: those with fixed strides by their stride, the
    // others from the last to the first.
    std::vector<int> order;
    for (int d = 0; d < rank; ++d)
      order.push_back(d);
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      auto key = [&](int d) {
        return std::pair(
            spec.strides[d] == dynamic ? INT64_MAX : spec.strides[d], -d);
      };
      return key(a) < key(b);
    });
    bool overflow = false;
    int64_t running = 1;
    for (int d : order) {
      int64_t stride = spec.strides[d] != dynamic ? spec.strides[d] : running;
      if (o && o->rowStride && d == rank - 2)
        stride = *o->rowStride;
      h.value.strides[d] = stride;
      int64_t next = 0;
      overflow |= __builtin_mul_overflow(
          stride, std::max<int64_t>(h.value.dims[d], 1), &next);
      running = std::max(running, next);
    }
    // The last element's last byte.
    int64_t extent = sizeInBytes(spec.type), count = 1;
    bool empty = false;
    for (int d = 0; d < rank; ++d)
      empty |= h.value.dims[d] == 0;
    if (empty)
      return;
    for (int d = 0; d < rank; ++d) {
      int64_t step = 0;
      overflow |= __builtin_mul_overflow(h.value.dims[d] - 1,
                                         h.value.strides[d], &step) ||
                  __builtin_mul_overflow(step, sizeInBytes(spec.type), &step) ||
                  __builtin_add_overflow(extent, step, &extent) ||
                  __builtin_mul_overflow(count, h.value.dims[d], &count);
    }
    if (overflow || extent > maxImageBytes || count > maxImageBytes)
      return fail(Code::OutOfMemory,
                  overflow
                      ? "the tensor has more than 2^63 bytes"
                      : "the tensor has " +
                            std::to_string(std::max(extent, count)) + " bytes",
                  place(i));
    h.extent = extent;
    // Two elements at one address: what is written there depends on chance.
    if (o && o->rowStride && h.value.dims[rank - 2] > 1 &&
        *o->rowStride < h.value.dims[rank - 1] * h.value.strides[rank - 1])
      fail(Code::BadArgument,
           "rowstride " + std::to_string(*o->rowStride) +
               " is less than a row of " +
               std::to_string(h.value.dims[rank - 1]) + " elements",
           place(i), "give at least the row's length");
  }

  HostArgument tensor(size_t i) {
    const ArgumentSpec &spec = kernel.arguments[i];
    HostArgument h;
    h.name = spec.name;
    h.access = spec.access;
    h.tailsFree = std::any_of(
        kernel.tensorMaps.begin(), kernel.tensorMaps.end(),
        [&](const auto &map) { return map.argument == i && map.padded; });
    h.value = Argument::dense(0, spec.type, shapes[i]);
    if (auto it = options.outputs.find(spec.name); it != options.outputs.end())
      h.outputFile = it->second;
    strides(i, h);
    const TensorOption *o = option(i);
    if (!o) {
      h.generator =
          spec.initial
              ? Generator{Fill::Same, static_cast<uint64_t>(*spec.initial)}
              : Generator{Fill::Poison, 0};
      if (needsValue(i))
        fail(Code::ArgumentMissing, "the tensor has no contents", place(i),
             everyMissing());
      return h;
    }
    h.file = o->file;
    h.offset = o->offset;
    if (o->generator) {
      h.generator = *o->generator;
      if (!supports(h.generator, spec.type))
        fail(Code::BadArgument,
             toString(h.generator) + " makes no data of type " +
                 std::string(name(spec.type)),
             place(i),
             isFloat(spec.type) ? "use random:SEED" : "use ints:SEED");
    }
    return h;
  }

  HostArgument scalar(size_t i) {
    const ArgumentSpec &spec = kernel.arguments[i];
    HostArgument h;
    h.name = spec.name;
    h.value.type = spec.type;
    auto it = options.scalars.find(spec.name);
    if (it == options.scalars.end()) {
      fail(Code::ArgumentMissing, "the scalar has no value", place(i),
           everyMissing());
      return h;
    }
    const std::string &text = it->second;
    const char *end = text.data() + text.size();
    bool ok;
    if (isFloat(spec.type)) {
      double v = 0;
      auto [rest, ec] = std::from_chars(text.data(), end, v);
      ok = ec == std::errc{} && rest == end;
      h.value = Argument::floating(spec.type, v);
    } else {
      int64_t v = 0;
      auto [rest, ec] = std::from_chars(text.data(), end, v);
      const int bits = 8 * static_cast<int>(sizeInBytes(spec.type));
      ok = ec == std::errc{} && rest == end &&
           (bits == 64 ||
            (v >= -(int64_t{1} << (bits - 1)) && v < int64_t{1} << (bits - 1)));
      h.value = Argument::integer(spec.type, v);
    }
    if (!ok)
      fail(Code::BadArgument,
           "'" + text + "' is not a value of type " +
               std::string(name(spec.type)),
           place(i));
    return h;
  }
};

} // namespace

runtime::Result<std::vector<HostArgument>>
titan::runtime::launch::resolveArguments(
    const KernelSpec &kernel, const Options &options,
    std::vector<std::vector<uint8_t>> &files) {
  return Resolver(kernel, options, files).run();
}

std::vector<uint8_t>
titan::runtime::launch::makeImage(const HostArgument &h,
                                  const std::vector<uint8_t> &file) {
  std::vector<uint8_t> image(static_cast<size_t>(h.imageBytes()));
  inParallel(h.imageBytes(), h.imageBytes(), [&](int64_t lo, int64_t hi) {
    for (int64_t i = lo; i < hi; ++i)
      image[i] = guardByte(i);
  });
  const int64_t size = sizeInBytes(h.value.type);
  inParallel(numRuns(h.value), h.extent, [&](int64_t lo, int64_t hi) {
    forRuns(h.value, lo, hi, [&](int64_t first, int64_t count, int64_t at) {
      uint8_t *to = image.data() + h.base() + at;
      if (!h.file.empty())
        std::memcpy(to, file.data() + first * size, count * size);
      else
        generate(h.generator, h.value.type, first, count, to);
    });
  });
  return image;
}

Status titan::runtime::launch::checkImage(const HostArgument &h,
                                          const std::vector<uint8_t> &before,
                                          const std::vector<uint8_t> &after,
                                          const std::string &kernel) {
  // What the kernel may write is taken over, then nothing may differ.
  std::vector<uint8_t> expected = before;
  const int64_t size = sizeInBytes(h.value.type);
  if (h.access != Access::Read)
    forRuns(h.value, 0, numRuns(h.value),
            [&](int64_t, int64_t count, int64_t at) {
              const int64_t unit = h.tailsFree ? 16 : 1;
              std::memcpy(expected.data() + h.base() + at,
                          after.data() + h.base() + at,
                          (count * size + unit - 1) / unit * unit);
            });
  if (expected == after)
    return {};
  int64_t first = -1, changed = 0;
  for (int64_t i = 0; i < h.imageBytes(); ++i)
    if (expected[i] != after[i]) {
      first = first < 0 ? i : first;
      ++changed;
    }
  const int64_t at = first - h.base();
  std::string where;
  if (at < 0)
    where = std::to_string(-at) + " bytes before the first element";
  else if (at >= h.extent)
    where = std::to_string(at - h.extent) + " bytes behind the last element";
  else if (h.access == Access::Read)
    where =
        "byte " + std::to_string(at) + " of a tensor that it should only read";
  else
    where = "byte " + std::to_string(at) + ", between two rows";
  return makeError(Code::GuardOverwritten,
                   std::to_string(changed) +
                       " bytes were changed that are not the kernel's to "
                       "write; the first is " +
                       where,
                   "kernel '" + kernel + "', argument '" + h.name + "'");
}

std::vector<uint8_t>
titan::runtime::launch::gather(const HostArgument &h,
                               const std::vector<uint8_t> &image) {
  const int64_t size = sizeInBytes(h.value.type);
  std::vector<uint8_t> out(static_cast<size_t>(elements(h.value) * size));
  forRuns(h.value, 0, numRuns(h.value),
          [&](int64_t first, int64_t count, int64_t at) {
            std::memcpy(out.data() + first * size, image.data() + h.base() + at,
                        count * size);
          });
  return out;
}

Untouched
titan::runtime::launch::countUntouched(const HostArgument &h,
                                       const std::vector<uint8_t> &before,
                                       const std::vector<uint8_t> &after) {
  const int64_t size = sizeInBytes(h.value.type);
  Untouched u;
  u.total = elements(h.value);
  forRuns(h.value, 0, numRuns(h.value),
          [&](int64_t first, int64_t count, int64_t at) {
            for (int64_t i = 0; i < count; ++i) {
              const int64_t byte = h.base() + at + i * size;
              if (std::memcmp(&before[byte], &after[byte], size) != 0)
                continue;
              if (u.first < 0)
                u.first = first + i;
              ++u.count;
            }
          });
  return u;
}
