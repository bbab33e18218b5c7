//===- Options.cpp - The command line of titan-launch ---------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <charconv>
#include <cmath>

using namespace titan;
using namespace titan::runtime;
using namespace titan::runtime::launch;

const char *const titan::runtime::launch::usage =
    R"(titan-launch PACKAGE.titanpkg [options]    runs a kernel on the GPU
titan-launch --pack MANIFEST.json --blob NAME=FILE ... -o PACKAGE.titanpkg

  --kernel NAME          which kernel; not needed where there is one
  --list                 print the kernels and their arguments; needs no GPU

Arguments
  --arg NAME=SOURCE[,shape=MxN][,rowstride=N][,offset=BYTES]
                         a tensor's contents: FILE.npy, random:SEED, ints:SEED,
                         steps:N, fill:N, zeros or poison (docs/package.md, generated data).
                         rowstride, in elements, pads the rows; offset, in
                         bytes, moves the base address off its alignment
  --shape NAME=MxN       the shape of a tensor that no file gives
  --shape NAME=N         the size of all dimensions of this name
  --scalar NAME=VALUE    a scalar
  --out NAME=FILE.npy    write a tensor after the first launch
  Without --arg, a tensor that the kernel only writes, or reads and writes and
  --out names, is poisoned first. The bytes around every tensor and between its rows are
  guarded: a kernel that changes them, or a tensor it only reads, fails with
  guard-overwritten.

Running
  --device N             which GPU (0)
  --timeout SECONDS      how long to wait for the GPU (60); then launch-timeout
  --bench[=ROUNDS]       time the kernel: the median of ROUNDS (15) rounds, each
                         of as many launches as fill 20 ms
  --warmup N             launches before the first round (3)
  --flops N              operations of a launch, for TFLOP/s; default: the
                         package's formula
  --dry-run              check everything and print the launch; needs no GPU
  --property NAME=VALUE  for --dry-run: a device property of docs/package.md;
                         default: an H200
  --json                 print results and errors as JSON
  --version              print the version

The driver is libcuda.so.1, or the library that TITAN_CUDA_LIBRARY names.
The exit status is 0; 1 where the launch is refused, or fails; 2 where what was
given cannot be used (flags, files, arguments) or an output cannot be written.
)";

namespace {

Error badArgument(std::string message, const std::string &word,
                  std::string fix = "see titan-launch --help") {
  return makeError(Code::BadArgument, std::move(message),
                   "command line, '" + word + "'", std::move(fix));
}

/// A whole decimal integer from `min` to `max`.
std::optional<int64_t> parseInteger(std::string_view text, int64_t min,
                                    int64_t max) {
  int64_t value = 0;
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end || value < min || value > max)
    return std::nullopt;
  return value;
}

std::optional<double> parseNumber(std::string_view text) {
  double value = 0;
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end)
    return std::nullopt;
  return value;
}

/// "128x64" (also "128"): sizes of at least 0.
std::optional<std::vector<int64_t>> parseShape(std::string_view text) {
  std::vector<int64_t> shape;
  for (;;) {
    const size_t x = text.find('x');
    auto size = parseInteger(text.substr(0, x), 0, INT64_MAX);
    if (!size || shape.size() == maxRank)
      return std::nullopt;
    shape.push_back(*size);
    if (x == text.npos)
      return shape;
    text.remove_prefix(x + 1);
  }
}

class Parser {
public:
  explicit Parser(std::span<const char *const> words) : words(words) {}

  Result<Options> parse() {
    while (!error && next < words.size())
      word(words[next++]);
    if (error)
      return std::move(*error);
    if (options.mode == Options::Help || options.mode == Options::Version)
      return std::move(options);
    if (options.mode == Options::Pack) {
      if (options.packageOut.empty() || !options.package.empty())
        return badArgument("--pack needs -o FILE, and no other file", "--pack");
    } else if (options.package.empty()) {
      return makeError(Code::BadArgument, "no package is named", "command line",
                       "titan-launch FILE.titanpkg; see titan-launch --help");
    }
    return std::move(options);
  }

private:
  std::span<const char *const> words;
  size_t next = 0;
  Options options;
  std::optional<Error> error;

  void fail(Error e) {
    if (!error)
      error = std::move(e);
  }

  void word(const std::string &w) {
    if (!w.starts_with("-")) {
      if (!options.package.empty())
        return fail(badArgument("a second package", w));
      options.package = w;
      return;
    }
    const size_t equals = w.find('=');
    const std::string option = w.substr(0, equals);
    // The value: after '=', or the next word.
    const bool inPlace = equals != w.npos;
    auto value = [&]() -> std::string {
      if (inPlace)
        return w.substr(equals + 1);
      if (next < words.size())
        return words[next++];
      fail(badArgument("a value is missing", w));
      return {};
    };
    auto flag = [&] {
      if (inPlace)
        fail(badArgument("this option takes no value", w));
    };
    auto integer = [&](int64_t min, int64_t max) {
      const std::string text = value();
      const auto v = parseInteger(text, min, max);
      if (!v)
        fail(badArgument("'" + text + "' is not an integer from " +
                             std::to_string(min) + " to " + std::to_string(max),
                         w));
      return v.value_or(min);
    };

    if (option == "--help" || option == "-h") {
      flag();
      options.mode = Options::Help;
    } else if (option == "--version") {
      flag();
      options.mode = Options::Version;
    } else if (option == "--list") {
      flag();
      options.mode = Options::List;
    } else if (option == "--dry-run") {
      flag();
      options.mode = Options::DryRun;
    } else if (option == "--json") {
      flag();
      options.json = true;
    } else if (option == "--kernel") {
      options.kernel = value();
    } else if (option == "--pack") {
      options.mode = Options::Pack;
      options.manifest = value();
    } else if (option == "-o") {
      options.packageOut = value();
    } else if (option == "--blob") {
      pair(value(), w, options.blobs);
    } else if (option == "--arg") {
      tensor(value(), w);
    } else if (option == "--shape") {
      shape(value(), w);
    } else if (option == "--scalar") {
      pair(value(), w, options.scalars);
    } else if (option == "--out") {
      pair(value(), w, options.outputs);
    } else if (option == "--property") {
      property(value(), w);
    } else if (option == "--bench") {
      // Its value is optional, so it is only taken from after '='.
      options.bench = true;
      if (inPlace)
        options.rounds = integer(1, 100000);
    } else if (option == "--warmup") {
      options.warmup = integer(0, 100000);
    } else if (option == "--device") {
      options.device = integer(0, 1023);
    } else if (option == "--timeout" || option == "--flops") {
      const std::string text = value();
      const auto v = parseNumber(text);
      if (!v || !(*v > 0) || std::isinf(*v))
        return fail(badArgument("'" + text + "' is not a positive number", w));
      if (option == "--timeout")
        options.timeout = *v;
      else
        options.flops = *v;
    } else {
      fail(badArgument("there is no such option", w));
    }
  }

  /// NAME=VALUE into a map.
  void pair(const std::string &text, const std::string &w,
            std::map<std::string, std::string> &into) {
    const size_t equals = text.find('=');
    if (equals == text.npos || equals == 0 || equals + 1 == text.size())
      return fail(badArgument("expected NAME=VALUE", w));
    if (!into.emplace(text.substr(0, equals), text.substr(equals + 1)).second)
      fail(badArgument("given a second time", w));
  }

  void shape(const std::string &text, const std::string &w) {
    std::map<std::string, std::string> one;
    pair(text, w, one);
    for (auto &[name, value] : one) {
      auto sizes = parseShape(value);
      if (!sizes)
        return fail(badArgument("'" + value + "' is not a shape", w,
                                "write sizes with an x between: 128x64"));
      if (!options.shapes.emplace(name, *sizes).second)
        fail(badArgument("given a second time", w));
    }
  }

  void property(const std::string &text, const std::string &w) {
    std::map<std::string, std::string> one;
    pair(text, w, one);
    for (auto &[name, value] : one) {
      const auto p = parseDeviceProperty(name);
      const auto v = parseInteger(value, 0, INT64_MAX);
      if (!p || !v)
        return fail(badArgument("expected a device property and its value", w,
                                "see docs/package.md, expressions"));
      options.properties[static_cast<size_t>(*p)] = *v;
    }
  }

  void tensor(const std::string &text, const std::string &w) {
    const size_t equals = text.find('=');
    if (equals == text.npos || equals == 0)
      return fail(badArgument("expected NAME=SOURCE", w));
    TensorOption t;
    // The source comes first; the other parts are KEY=VALUE. A file name may
    // hold a comma: a part without '=' belongs to it.
    std::string_view rest = std::string_view(text).substr(equals + 1);
    std::string source;
    for (bool first = true; first || !rest.empty(); first = false) {
      const size_t comma = rest.find(',');
      const std::string_view part = rest.substr(0, comma);
      rest.remove_prefix(comma == rest.npos ? rest.size() : comma + 1);
      const size_t sign = part.find('=');
      if (first || sign == part.npos) {
        source += (first ? "" : ",") + std::string(part);
        continue;
      }
      const std::string_view key = part.substr(0, sign);
      const std::string_view v = part.substr(sign + 1);
      if (key == "shape") {
        auto sizes = parseShape(v);
        if (!sizes)
          return fail(badArgument("'" + std::string(v) + "' is not a shape", w,
                                  "write sizes with an x between: 128x64"));
        t.shape = *sizes;
      } else if (key == "rowstride") {
        t.rowStride = parseInteger(v, 0, INT64_MAX);
        if (!t.rowStride)
          return fail(badArgument("rowstride is a number of elements", w));
      } else if (key == "offset") {
        auto bytes = parseInteger(v, 0, 4095);
        if (!bytes)
          return fail(badArgument("offset is 0 to 4095 bytes", w));
        t.offset = *bytes;
      } else {
        return fail(badArgument("unknown part '" + std::string(key) + "'", w));
      }
    }
    t.generator = parseGenerator(source);
    if (!t.generator) {
      if (!source.ends_with(".npy"))
        return fail(badArgument(
            "'" + source + "' is neither a generator nor an .npy file", w,
            source.find_first_not_of("+-.0123456789eE") == source.npos
                ? "a number is given to a scalar: --scalar " + text
                : "use random:SEED, ints:SEED, steps:N, fill:N, zeros, poison "
                  "or FILE.npy"));
      t.file = source;
    }
    if (!options.tensors.emplace(text.substr(0, equals), std::move(t)).second)
      fail(badArgument("given a second time", w));
  }
};

} // namespace

Result<Options>
titan::runtime::launch::parseOptions(std::span<const char *const> words) {
  return Parser(words).parse();
}
