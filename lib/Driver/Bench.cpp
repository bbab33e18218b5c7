//===- Bench.cpp - titan bench --------------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Variants of a generated kernel, compiled here, measured elsewhere. The product
// of all --sweep is generated, and each variant compiled by a process of its own
// (`titan compile`), as many at a time as --jobs says. The folder is all that the
// machine with the GPU needs:
//
//   NAME.mlir, NAME.titanpkg   a variant; one that is refused has no package
//   variants.json              each one's options, and the words of its launch
//   measure.py, titan-launch   the program that measures them, and what it runs
//
//===----------------------------------------------------------------------===//
#include "Commands.h"

#include "titan/Kernels/Gemm.h"
#include "titan/Runtime/File.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <mutex>

using namespace titan;

/// benchmarks/measure.py.
static const struct {
  const char *name, *text;
} measuringFiles[] = {
#include "Measure.inc"
};

namespace {
struct BenchVariant {
  std::string name;
  std::vector<std::pair<std::string, std::string>> options;
  std::optional<Problem> refused; ///< Why there is no package.
  std::string verdict;            ///< Of its package, as titan inspect says it.

  llvm::StringRef option(llvm::StringRef name, llvm::StringRef usual) const {
    for (const auto &[other, value] : options)
      if (other == name)
        return value;
    return usual;
  }
};
} // namespace

/// All combinations of fixed options and sweeps, in the order of the command
/// line; an error message if a sweep is wrong.
static std::string combineSweeps(const BenchCommand &command,
                                 std::vector<BenchVariant> &variants) {
  variants = {{{}, command.options, {}, {}}};
  llvm::StringMap<bool> given;
  for (const auto &[name, value] : command.options)
    given[name] = true;
  for (llvm::StringRef sweep : command.sweeps) {
    auto [name, list] = sweep.split('=');
    llvm::SmallVector<llvm::StringRef> values;
    list.split(values, ',');
    if (list.empty() || name.empty())
      return ("--sweep " + sweep + " is no NAME=VALUE,VALUE,...").str();
    if (!given.try_emplace(name, true).second)
      return ("--sweep " + name + ": the option is given already").str();
    std::vector<BenchVariant> more;
    for (const BenchVariant &variant : variants)
      for (llvm::StringRef value : values) {
        // It becomes part of a file's name.
        if (value.empty() || !llvm::all_of(value, [](char c) {
              return llvm::isAlnum(c) || c == '-' || c == '_';
            }))
          return ("--sweep " + name + ": '" + value + "' is no value").str();
        if (llvm::count(values, value) > 1)
          return ("--sweep " + name + ": " + value + " is there twice").str();
        BenchVariant next = variant;
        next.options.emplace_back(name.str(), value.str());
        next.name += (next.name.empty() ? "" : "-") + name.str() + value.str();
        more.push_back(std::move(next));
      }
    if (more.size() > 4096)
      return "these are more than 4096 variants";
    variants = std::move(more);
  }
  return {};
}

/// The numbers of "4096x4096x4096"; none: it is no such text, or one is not in
/// 1 ... 2^31 - 1.
static llvm::SmallVector<int64_t> launchSizes(llvm::StringRef shape,
                                              size_t count) {
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::SmallVector<int64_t> sizes;
  shape.split(parts, 'x');
  for (llvm::StringRef part : parts)
    if (part.getAsInteger(10, sizes.emplace_back()) || sizes.back() < 1 ||
        sizes.back() > INT32_MAX)
      return {};
  return sizes.size() == count ? sizes : llvm::SmallVector<int64_t>();
}

/// What titan-launch needs to run the variant, and the operations of a launch;
/// `gemm`: its options, where it is one.
static llvm::json::Array launchWords(llvm::StringRef kernel,
                                     const BenchVariant &variant,
                                     const kernels::GemmOptions *gemm,
                                     llvm::ArrayRef<int64_t> sizes,
                                     double &flops) {
  llvm::json::Array words;
  auto shape = [](llvm::ArrayRef<int64_t> dims) {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::interleave(dims, os, "x");
    return text;
  };
  auto input = [&](llvm::StringRef name, llvm::StringRef data,
                   llvm::ArrayRef<int64_t> dims) {
    words.push_back("--arg");
    words.push_back((name + "=" + data + ",shape=" + shape(dims)).str());
  };
  auto more = [&](llvm::StringRef flag, const std::string &value) {
    words.push_back(flag.str());
    words.push_back(value);
  };
  auto number = [&](llvm::StringRef name, int64_t usual) {
    (void)variant.option(name, "").getAsInteger(10, usual);
    return usual;
  };
  if (gemm) {
    int64_t m = sizes[0], n = sizes[1], k = sizes[2];
    bool equal = gemm->batch == kernels::Batch::Equal,
         grouped = gemm->batch == kernels::Batch::Grouped;
    int64_t batches = equal || grouped ? number("batches", 1) : 1;
    // What the gate is made of stands before the rest.
    int64_t rowsB = gemm->gate ? 2 * n : n;
    // Of groups, which have as many rows each, A and D are one matrix.
    int64_t rowsA = grouped ? batches * m : m;
    auto ofEach = [&](bool several, llvm::ArrayRef<int64_t> dims) {
      llvm::SmallVector<int64_t> all(dims);
      if (several)
        all.insert(all.begin(), batches);
      return all;
    };
    // Small integers: sums are exact, whatever their order.
    input("A", "ints:1",
          ofEach(equal, gemm->transposedA ? llvm::ArrayRef({k, rowsA})
                                          : llvm::ArrayRef({rowsA, k})));
    input("B", "ints:2",
          ofEach(equal || grouped, gemm->transposedB
                                       ? llvm::ArrayRef({k, rowsB})
                                       : llvm::ArrayRef({rowsB, k})));
    more("--shape", "D=" + shape(ofEach(equal, {rowsA, n})));
    if (gemm->alpha)
      more("--scalar", "alpha=0.5");
    if (gemm->beta) {
      input("C", "ints:3", ofEach(equal, {rowsA, n}));
      more("--scalar", "beta=-2");
    }
    if (gemm->bias)
      input("bias", "ints:4", ofEach(equal || grouped, {rowsB}));
    if (grouped) {
      input("offsets", "steps:" + std::to_string(m), {batches + 1});
      if (!gemm->storesElements()) // TMA does, by a map of each CTA's.
        input("maps", "zeros", {kernels::multiprocessors, 128});
    }
    if (gemm->cuts()) {
      input("pages", "zeros",
            {kernels::multiprocessors, gemm->rows(), gemm->columns()});
      more("--shape", "flags=" + shape({kernels::multiprocessors}));
    }
    flops = 2.0 * batches * m * rowsB * k;
    return words;
  }
  if (kernel == "gemm") // There is none.
    return words;
  int64_t batches = sizes[0], queries = sizes[1], keys = sizes[2];
  int64_t size = number("head-size", 128);
  // Sequences of one length each, packed along the rows.
  bool ragged = variant.option("ragged", "off") == "on";
  auto rows = [&](int64_t ofEach, int64_t heads) {
    return ragged ? llvm::SmallVector<int64_t>{batches * ofEach, heads, size}
                  : llvm::SmallVector<int64_t>{batches, ofEach, heads, size};
  };
  input("Q", "random:1", rows(queries, sizes[3]));
  input("K", "random:2", rows(keys, sizes[4]));
  input("V", "random:3", rows(keys, sizes[4]));
  more("--shape", "O=" + shape(rows(queries, sizes[3])));
  if (ragged) {
    input("cu_seqlens_q", "steps:" + std::to_string(queries), {batches + 1});
    input("cu_seqlens_k", "steps:" + std::to_string(keys), {batches + 1});
    more("--scalar", "longest=" + std::to_string(queries));
  }
  llvm::json::Value scale = 1 / std::sqrt(static_cast<double>(size));
  more("--scalar", "scale=" + llvm::formatv("{0}", scale).str());
  if (variant.option("lse", "off") == "on")
    more("--shape", "LSE=" + (ragged ? shape({sizes[3], batches * queries})
                                     : shape({batches, sizes[3], queries})));
  if (variant.option("window", "off") == "on")
    more("--scalar", "window=90");
  // As is usual, half of the products where a mask hides half of them.
  bool half = variant.option("causal", "off") == "on" ||
              variant.option("window", "off") == "on";
  flops = (half ? 2.0 : 4.0) * batches * sizes[3] * queries * keys * size;
  return words;
}

/// The words by which benchmarks/attention.py tells kernels apart.
static std::string attentionName(const BenchVariant &variant) {
  std::string words = ("d" + variant.option("head-size", "128") + "-").str();
  if (variant.option("input", "bf16") == "f16")
    words += "f16-";
  if (variant.option("causal", "off") == "on")
    words += "causal-";
  return words + variant.name;
}

/// Runs titan compile, and reads its report.
static void compileVariant(llvm::StringRef titan, llvm::StringRef stem,
                           bool check, BenchVariant &variant) {
  llvm::SmallString<128> report;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("titan-bench", "json", report)) {
    variant.refused = Problem{"file-write", error.message()};
    return;
  }
  llvm::FileRemover remover(report);
  std::string source = (stem + ".mlir").str(),
              package = (stem + ".titanpkg").str();
  std::optional<llvm::StringRef> redirects[] = {
      llvm::StringRef(""), llvm::StringRef(report), llvm::StringRef("")};
  llvm::StringRef checked = check ? "--check=on" : "--check=off";
  std::string problem;
  int status = llvm::sys::ExecuteAndWait(
      titan, {titan, "compile", source, "-o", package, "--json", checked},
      std::nullopt, redirects, 0, 0, &problem);
  auto text = llvm::MemoryBuffer::getFile(report);
  auto parsed = llvm::json::parse(text ? (*text)->getBuffer() : "");
  llvm::json::Object *object = parsed ? parsed->getAsObject() : nullptr;
  if (!parsed)
    llvm::consumeError(parsed.takeError());
  if (object)
    if (auto *kernels = object->getArray("kernels"))
      for (llvm::json::Value &kernel : *kernels)
        if (auto *of = kernel.getAsObject())
          variant.verdict = of->getString("verdict").value_or("").str();
  if (!status)
    return;
  variant.refused =
      Problem{"internal-error", problem.empty() ? "titan compile: status " +
                                                      std::to_string(status)
                                                : problem};
  auto *findings = object ? object->getArray("findings") : nullptr;
  for (size_t i = findings ? findings->size() : 0; i--;)
    if (auto *finding = (*findings)[i].getAsObject())
      if (finding->getString("severity") == "error")
        variant.refused =
            Problem{finding->getString("code").value_or("").str(),
                    finding->getString("message").value_or("").str(),
                    finding->getString("fix").value_or("").str()};
}

/// What became of a variant, for people.
static std::string describe(const BenchVariant &variant) {
  if (!variant.refused)
    return variant.verdict.empty() ? "not checked" : variant.verdict;
  const Problem &refused = *variant.refused;
  // A message of the compiler's begins with its code.
  std::string code = "[" + refused.code + "]";
  std::string text = "refused: " + refused.message;
  if (!llvm::StringRef(refused.message).contains(code))
    text += "  " + code;
  const CodeInfo *info = lookupCode(refused.code);
  std::string fix = !refused.fix.empty() ? refused.fix
                    : info               ? std::string(info->fix)
                                         : std::string();
  return fix.empty() ? text : text + "\n  fix: " + fix;
}

int titan::runBench(const BenchCommand &command) {
  Session session("bench", command.json);
  auto refuse = [&](const llvm::Twine &what, llvm::StringRef fix) {
    session.fail(Code::BadArgument, what, fix);
    return session.finish(BadInput, "");
  };
  bool gemm = command.what == "gemm";
  if (!gemm && command.what != "attention")
    return refuse(command.what.empty() ? "titan bench needs a kernel's name"
                                       : "titan bench '" + command.what + "'",
                  "there are gemm and attention");
  if (command.sweeps.empty())
    return refuse("there is nothing to sweep",
                  "--sweep tile=128x256x64,128x192x64 --sweep stages=3,4");
  if (command.output.empty() || command.output == "-")
    return refuse("the variants need a folder", "name it with -o FOLDER");
  for (llvm::StringRef sweep : command.sweeps) {
    llvm::StringRef name = sweep.split('=').first;
    if (name.empty()) // combineSweeps says so.
      continue;
    if (auto unknown = findUnknownOption(command.what, name))
      return refuse("--sweep " + sweep + ": " + unknown->message, unknown->fix);
  }
  std::vector<BenchVariant> variants;
  if (std::string bad = combineSweeps(command, variants); !bad.empty())
    return refuse(bad, "see titan bench --help");
  auto write = [&](llvm::StringRef name, llvm::StringRef text) {
    llvm::SmallString<128> path(command.output);
    llvm::sys::path::append(path, name);
    auto written = runtime::writeFile(path.str().str(), std::string_view(text));
    if (!written)
      session.fail(written.error());
    return static_cast<bool>(written);
  };

  // Texts first: an option that cannot be read ends the whole.
  llvm::json::Object table;
  std::vector<std::string> texts;
  for (BenchVariant &variant : variants) {
    if (!gemm)
      variant.name = attentionName(variant);
    std::string shape = variant.option("shape", "").str();
    auto sizes = launchSizes(shape, gemm ? 3 : 5);
    if (sizes.empty())
      return refuse(shape.empty() ? llvm::Twine("a launch needs a shape")
                                  : "--shape '" + shape + "'",
                    (gemm ? "give --shape MxNxK"
                          : "give --shape BATCHESxQUERIESxKEYSxHEADSxHEADS of "
                            "K (1x4096x4096x16x16)") +
                        std::string(", each from 1 to 2147483647"));
    if (variant.option("decode", "off") == "on")
      return refuse("--decode on: measure.py has no arguments for its two "
                    "kernels",
                    "leave it out; benchmarks/decode.py measures it");
    GenerateCommand one = command;
    one.options = variant.options;
    if (!gemm) // Its kernels are the same for all.
      llvm::erase_if(one.options, [](auto &o) { return o.first == "shape"; });
    std::optional<Result<std::string>> text = generateKernel(session, one);
    if (!text)
      return session.finish(BadInput, "");
    std::optional<kernels::GemmOptions> resolved;
    if (gemm && *text)
      resolved = resolveGemm(session, one);
    if (!*text)
      variant.refused = text->problem();
    double flops = 0;
    llvm::json::Object row{{"kernel", command.what}};
    for (const auto &[name, value] : variant.options)
      row[name] = value;
    row["shapes"] = llvm::json::Array{shape}; // As race.py reads them.
    row["launch"] = launchWords(command.what, variant,
                                resolved ? &*resolved : nullptr, sizes, flops);
    row["flops"] = flops;
    table[variant.name] = std::move(row);
    texts.push_back(*text ? std::move(**text) : std::string());
  }
  if (std::error_code error =
          llvm::sys::fs::create_directories(command.output)) {
    session.fail(Code::FileWrite, command.output + ": " + error.message());
    return session.finish(BadInput, "");
  }
  for (auto [variant, text] : llvm::zip(variants, texts))
    if (!variant.refused && !write(variant.name + ".mlir", text))
      return session.finish(BadInput, "");

  std::string program = llvm::sys::fs::getMainExecutable(
      "titan", reinterpret_cast<void *>(&titan::runBench));
  std::mutex mutex;
  size_t done = 0;
  {
    llvm::DefaultThreadPool pool(llvm::hardware_concurrency(command.jobs));
    for (BenchVariant &variant : variants)
      pool.async([&] {
        llvm::SmallString<128> stem(command.output);
        llvm::sys::path::append(stem, variant.name);
        std::string package = (stem + ".titanpkg").str();
        (void)llvm::sys::fs::remove(package); // An older run's.
        if (!variant.refused)
          compileVariant(program, stem, command.check, variant);
        std::lock_guard lock(mutex);
        ++done;
        if (!command.json)
          llvm::outs() << "[" << done << "/" << variants.size() << "] "
                       << variant.name << ": " << describe(variant) << "\n";
        llvm::outs().flush();
      });
    pool.wait();
  }
  size_t good = 0;
  for (const BenchVariant &variant : variants) {
    llvm::json::Object &row = *table[variant.name].getAsObject();
    if (!variant.verdict.empty())
      row["verdict"] = jsonText(variant.verdict);
    if (variant.refused)
      row["refused"] =
          llvm::json::Object{{"code", jsonText(variant.refused->code)},
                             {"message", jsonText(variant.refused->message)},
                             {"fix", jsonText(variant.refused->fix)}};
    good += !variant.refused;
  }
  llvm::json::Value value = std::move(table);
  if (!write("variants.json", llvm::formatv("{0:2}\n", value).str()))
    return session.finish(BadInput, "");
  for (const auto &[name, text] : measuringFiles)
    if (!write(name, text))
      return session.finish(BadInput, "");
  llvm::SmallString<128> launcher(llvm::sys::path::parent_path(program)),
      carried(command.output);
  llvm::sys::path::append(launcher, "titan-launch");
  llvm::sys::path::append(carried, "titan-launch");
  if (llvm::sys::fs::can_execute(launcher) &&
      !llvm::sys::fs::copy_file(launcher, carried))
    (void)llvm::sys::fs::setPermissions(
        carried, llvm::sys::fs::all_read | llvm::sys::fs::all_exe |
                     llvm::sys::fs::owner_write);
  session.result["variants"] = std::move(value);
  session.result["output"] = jsonText(command.output);
  return session.finish(good ? Good : Findings,
                        (llvm::Twine(good) + " of " +
                         llvm::Twine(variants.size()) + " variants in " +
                         command.output +
                         (good ? "; where the GPU is: python3 measure.py" : ""))
                            .str());
}
