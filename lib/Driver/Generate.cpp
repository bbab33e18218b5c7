//===- Generate.cpp - titan generate --------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Commands.h"

#include "titan/Kernels/Attention.h"
#include "titan/Kernels/Gemm.h"
#include "titan/Runtime/File.h"
#include "titan/Target/NearestWord.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace titan;
using namespace titan::kernels;

namespace {
/// Why a value cannot be read, and what would be right; none: it has been read.
using Unread = std::optional<Problem>;

using Text = llvm::StringRef;

/// An option of titan generate, without dashes, and how its value is read.
template <typename Options, typename Shape> struct Flag {
  const char *name;
  Unread (*read)(llvm::StringRef value, Options &options, Shape &shape);
};
using GemmFlag = Flag<GemmOptions, GemmShape>;
using AttentionFlag = Flag<AttentionOptions, AttentionShape>;
} // namespace

static Unread refuse(const llvm::Twine &why, const llvm::Twine &fix) {
  return Problem{"bad-argument", why.str(), fix.str()};
}

/// "a, b and c".
static std::string listed(llvm::ArrayRef<std::string_view> words) {
  std::string text;
  for (auto [i, word] : llvm::enumerate(words))
    text += (i == 0                  ? ""
             : i + 1 == words.size() ? " and "
                                     : ", ") +
            std::string(word);
  return text;
}

/// "did you mean gelu-tanh? there are ..."
static std::string nearOf(llvm::StringRef word,
                          llvm::ArrayRef<std::string_view> words) {
  std::string_view near;
  for (std::string_view other : words)
    if (!word.empty() && other.starts_with(std::string_view(word)))
      near = other;
  if (near.empty())
    near = nearestWord(std::string_view(word), words);
  return (near.empty() ? std::string()
                       : "did you mean " + std::string(near) + "? ") +
         "there are " + listed(words);
}

/// "128x256x64" into as many numbers as there are places, each at least `least`;
/// `form` and `example` are what it should look like.
static Unread readNumbers(llvm::StringRef text, llvm::StringRef form,
                          llvm::StringRef example, int64_t least,
                          std::initializer_list<int64_t *> places) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, 'x');
  std::string takes = places.size() == 1
                          ? std::string("it takes a number")
                          : "it takes " + std::to_string(places.size()) +
                                " numbers, " + form.str();
  if (parts.size() != places.size())
    return refuse(takes, "such as " + example);
  for (auto [part, place] : llvm::zip(parts, places)) {
    if (part.getAsInteger(10, *place))
      return refuse(takes + ", and '" + part + "' is none",
                    "such as " + example);
    if (*place < least || *place > INT32_MAX)
      return refuse(takes + " from " + llvm::Twine(least) + " to " +
                        llvm::Twine(INT32_MAX),
                    "such as " + example);
  }
  return std::nullopt;
}

/// One of some words.
template <typename T>
static Unread
readWord(llvm::StringRef text, T &place,
         std::initializer_list<std::pair<const char *, T>> words) {
  llvm::SmallVector<std::string_view> names;
  for (auto &[word, value] : words) {
    if (text == word) {
      place = value;
      return std::nullopt;
    }
    names.push_back(word);
  }
  return refuse("it takes one of " + std::to_string(names.size()) + " words",
                nearOf(text, names));
}

static Unread readSwitch(llvm::StringRef text, bool &place) {
  return readWord(text, place, {{"on", true}, {"off", false}});
}

static Unread readEpilogue(llvm::StringRef text, GemmOptions &o) {
  const std::pair<std::string_view, bool *> known[] = {
      {"alpha", &o.alpha}, {"beta", &o.beta}, {"bias", &o.bias}};
  llvm::SmallVector<llvm::StringRef> terms;
  text.split(terms, ',');
  for (llvm::StringRef term : terms) {
    auto *at = llvm::find_if(
        known, [&](auto &k) { return std::string_view(term) == k.first; });
    if (llvm::count(terms, term) > 1)
      return refuse("'" + term + "' is there twice", "leave one out");
    if (llvm::is_contained({"relu", "gelu", "gelu-tanh", "silu"}, term))
      return refuse("'" + term + "' is a function at the end, and no term",
                    "--activation " + term);
    if (at == std::end(known))
      return refuse(
          "'" + term + "' is no term",
          nearOf(term, llvm::to_vector(llvm::make_first_range(known))) +
              ", with commas between several");
    *at->second = true;
  }
  return std::nullopt;
}

static Unread readLayout(llvm::StringRef text, GemmOptions &o) {
  std::pair<bool, bool> transposed;
  Unread bad = readWord(text, transposed,
                        {{"nt", {false, false}},
                         {"nn", {false, true}},
                         {"tt", {true, false}},
                         {"tn", {true, true}}});
  if (!bad)
    std::tie(o.transposedA, o.transposedB) = transposed;
  return bad;
}

static Unread readElement(llvm::StringRef text, Element &element) {
  return readWord(text, element,
                  {{"bf16", Element::BF16},
                   {"f16", Element::F16},
                   {"f32", Element::F32},
                   {"e4m3", Element::E4M3},
                   {"e5m2", Element::E5M2}});
}

static const GemmFlag gemmFlags[] = {
    {"shape",
     [](Text v, auto &, auto &s) {
       return readNumbers(v, "MxNxK", "4096x14336x4096", 1, {&s.m, &s.n, &s.k});
     }},
    {"tile",
     [](Text v, auto &o, auto &) {
       return readNumbers(v, "MxNxK", "128x256x64", 0,
                          {&o.tileM, &o.tileN, &o.tileK});
     }},
    {"stages", [](Text v, auto &o,
                  auto &) { return readNumbers(v, "N", "4", 1, {&o.stages}); }},
    {"buffers",
     [](Text v, auto &o, auto &) {
       return readNumbers(v, "N", "2", 1, {&o.buffers});
     }},
    {"row-bytes",
     [](Text v, auto &o, auto &) {
       return readNumbers(v, "N", "4", 1, {&o.rowBytes});
     }},
    {"panel", [](Text v, auto &o,
                 auto &) { return readNumbers(v, "N", "32", 1, {&o.panel}); }},
    {"cluster",
     [](Text v, auto &o, auto &) {
       return readNumbers(v, "MxN", "2x1", 0, {&o.clusterM, &o.clusterN});
     }},
    {"consumers",
     [](Text v, auto &o, auto &) {
       return readWord(v, o.consumers,
                       {{"cooperative", Consumers::Cooperative},
                        {"pingpong", Consumers::Pingpong}});
     }},
    {"band", [](Text v, auto &o,
                auto &) { return readNumbers(v, "N", "8", 0, {&o.band}); }},
    {"swap", [](Text v, auto &o, auto &) { return readSwitch(v, o.swap); }},
    {"split", [](Text v, auto &o,
                 auto &) { return readNumbers(v, "N", "2", 0, {&o.split}); }},
    {"stream-k",
     [](Text v, auto &o, auto &) -> Unread {
       return readWord(v, o.streamK,
                       {{"on", std::optional(true)},
                        {"off", std::optional(false)},
                        {"auto", std::optional<bool>()}});
     }},
    {"programmatic",
     [](Text v, auto &o, auto &) { return readSwitch(v, o.programmatic); }},
    {"once", [](Text v, auto &o, auto &) { return readSwitch(v, o.once); }},
    {"promote",
     [](Text v, auto &o, auto &) { return readSwitch(v, o.promote); }},
    {"batch",
     [](Text v, auto &o, auto &) {
       return readWord(v, o.batch,
                       {{"none", Batch::None},
                        {"equal", Batch::Equal},
                        {"grouped", Batch::Grouped}});
     }},
    {"batches",
     [](Text v, auto &, auto &s) {
       return readNumbers(v, "N", "8", 1, {&s.batches});
     }},
    {"gate", [](Text v, auto &o, auto &) { return readSwitch(v, o.gate); }},
    {"input", [](Text v, auto &o, auto &) { return readElement(v, o.input); }},
    {"output",
     [](Text v, auto &o, auto &) { return readElement(v, o.output); }},
    {"layout", [](Text v, auto &o, auto &) { return readLayout(v, o); }},
    {"epilogue", [](Text v, auto &o, auto &) { return readEpilogue(v, o); }},
    {"activation",
     [](Text v, auto &o, auto &) {
       return readWord(v, o.activation,
                       {{"none", Activation::None},
                        {"relu", Activation::ReLU},
                        {"gelu", Activation::GELU},
                        {"gelu-tanh", Activation::GELUTanh},
                        {"silu", Activation::SiLU}});
     }},
    {"name",
     [](Text v, auto &o, auto &) -> Unread {
       o.name = v.str();
       return std::nullopt;
     }},
};

static const AttentionFlag attentionFlags[] = {
    {"shape",
     [](Text v, auto &, auto &s) -> Unread {
       if (Unread bad = readNumbers(
               v, "BATCHESxQUERIESxKEYSxHEADSxHEADS of K", "1x4096x4096x16x16",
               1, {&s.batches, &s.queries, &s.keys, &s.heads, &s.headsK}))
         return bad;
       if (s.heads % s.headsK == 0)
         return std::nullopt;
       return refuse("a head of K serves as many heads of Q as all others",
                     "take heads of K that divide " + llvm::Twine(s.heads));
     }},
    {"tile",
     [](Text v, auto &o, auto &) {
       return readNumbers(v, "QUERIESxKEYS", "128x128", 1, {&o.rows, &o.keys});
     }},
    {"stages", [](Text v, auto &o,
                  auto &) { return readNumbers(v, "N", "2", 1, {&o.stages}); }},
    {"head-size",
     [](Text v, auto &o, auto &) {
       return readNumbers(v, "N", "128", 0, {&o.size});
     }},
    {"input",
     [](Text v, auto &o, auto &) { return readElement(v, o.element); }},
    {"rescale",
     [](Text v, auto &o, auto &) {
       return readWord(v, o.rescale.emplace(),
                       {{"always", Rescale::Always},
                        {"growing", Rescale::Growing},
                        {"conditional", Rescale::Conditional}});
     }},
    {"turns",
     [](Text v, auto &o, auto &) { return readSwitch(v, o.turns.emplace()); }},
    {"persistent",
     [](Text v, auto &o, auto &) { return readSwitch(v, o.persistent); }},
    {"ahead", [](Text v, auto &o, auto &) { return readSwitch(v, o.ahead); }},
    {"tail", [](Text v, auto &o,
                auto &) { return readNumbers(v, "N", "48", 0, {&o.tail}); }},
    {"pack", [](Text v, auto &o, auto &) { return readSwitch(v, o.pack); }},
    {"exp2",
     [](Text v, auto &o, auto &) {
       return readNumbers(v, "N", "4", 0, {&o.polynomial});
     }},
    {"skip",
     [](Text v, auto &o, auto &) { return readSwitch(v, o.skip.emplace()); }},
    {"programmatic",
     [](Text v, auto &o, auto &) {
       return readSwitch(v, o.programmatic.emplace());
     }},
    {"causal", [](Text v, auto &o, auto &) { return readSwitch(v, o.causal); }},
    {"window", [](Text v, auto &o, auto &) { return readSwitch(v, o.window); }},
    {"lse", [](Text v, auto &o, auto &) { return readSwitch(v, o.lse); }},
    {"ragged", [](Text v, auto &o, auto &) { return readSwitch(v, o.ragged); }},
    {"decode", [](Text v, auto &o, auto &) { return readSwitch(v, o.decode); }},
    {"page", [](Text v, auto &o,
                auto &) { return readNumbers(v, "N", "64", 0, {&o.page}); }},
    {"name",
     [](Text v, auto &o, auto &) -> Unread {
       o.name = v.str();
       return std::nullopt;
     }},
};

static llvm::SmallVector<std::string_view> optionsOf(llvm::StringRef what) {
  llvm::SmallVector<std::string_view> names;
  if (what == "gemm")
    for (const GemmFlag &flag : gemmFlags)
      names.push_back(flag.name);
  else
    for (const AttentionFlag &flag : attentionFlags)
      names.push_back(flag.name);
  return names;
}

std::optional<Problem> titan::findUnknownOption(llvm::StringRef what,
                                                llvm::StringRef name) {
  auto names = optionsOf(what);
  if (llvm::is_contained(names, std::string_view(name)))
    return std::nullopt;
  llvm::StringRef other = what == "gemm" ? "attention" : "gemm";
  if (llvm::is_contained(optionsOf(other), std::string_view(name)))
    return Problem{
        "bad-argument",
        ("an option of " + other + ", which " + what + " has not").str(),
        "leave it out: " + nearOf({}, names)};
  return Problem{"bad-argument", (what + " has no such option").str(),
                 nearOf(name, names)};
}

/// Options from the flags, of which those count that are given, and what `pick`
/// finds to go with them for the shape. None: an option cannot be read, and the
/// session knows.
template <typename Options, typename Shape>
static std::optional<Options>
pickedOptions(Session &session, const GenerateCommand &command,
              llvm::ArrayRef<Flag<Options, Shape>> flags,
              Options (*pick)(const Shape &, const Options &,
                              const std::function<void(Options &)> &)) {
  Options options;
  Shape shape;
  auto read = [&](llvm::StringRef name, llvm::StringRef value,
                  Options &into) -> Unread {
    for (const auto &flag : flags)
      if (name == flag.name)
        return flag.read(value, into, shape);
    return findUnknownOption(command.what, name);
  };
  for (const auto &[name, value] : command.options)
    if (Unread bad = read(name, value, options)) {
      session.fail(Code::BadArgument,
                   "--" + name + " " + value + ": " + bad->message, bad->fix);
      return std::nullopt;
    }
  if (shape)
    options = pick(shape, options, [&](Options &candidate) {
      for (const auto &[name, value] : command.options)
        (void)read(name, value, candidate);
    });
  return options;
}

std::optional<GemmOptions> titan::resolveGemm(Session &session,
                                              const GenerateCommand &command) {
  return pickedOptions<GemmOptions, GemmShape>(session, command, gemmFlags,
                                               pickGemm);
}

static std::optional<Result<std::string>>
generateGemm(Session &session, const GenerateCommand &command) {
  auto options = resolveGemm(session, command);
  if (!options)
    return std::nullopt;
  return kernels::generateGemm(*options);
}

static std::optional<Result<std::string>>
generateAttention(Session &session, const GenerateCommand &command) {
  auto options = pickedOptions<AttentionOptions, AttentionShape>(
      session, command, attentionFlags, pickAttention);
  if (!options)
    return std::nullopt;
  return kernels::generateAttention(*options);
}

std::optional<Result<std::string>>
titan::generateKernel(Session &session, const GenerateCommand &command) {
  auto *generate = llvm::StringSwitch<std::optional<Result<std::string>> (*)(
      Session &, const GenerateCommand &)>(command.what)
                       .Case("gemm", ::generateGemm)
                       .Case("attention", ::generateAttention)
                       .Default(nullptr);
  if (generate)
    return generate(session, command);
  session.fail(Code::BadArgument,
               command.what.empty() ? "titan generate needs a kernel's name"
                                    : "titan generate '" + command.what + "'",
               command.what.empty()
                   ? "there are gemm and attention"
                   : nearOf(command.what, {"gemm", "attention"}));
  return std::nullopt;
}

/// Says so where tensors of the shape that is asked for, row behind row, are none
/// that the kernel's launch takes: by TMA rows begin at multiples of 16 bytes.
static void warnOfRows(Session &session, const GenerateCommand &command) {
  GemmShape shape;
  GemmOptions unused;
  for (const auto &[name, value] : command.options)
    for (const GemmFlag &flag : gemmFlags)
      if (name == "shape" && name == flag.name)
        (void)flag.read(value, unused, shape);
  std::optional<GemmOptions> resolved = resolveGemm(session, command);
  if (!shape || !resolved)
    return;
  Result<GemmOptions> o = checkGemm(*resolved);
  if (!o)
    return;
  auto warn = [&](const llvm::Twine &message, const std::string &fix) {
    session.report({.code = Code::TmaStrideAlignment,
                    .severity = Severity::Warning,
                    .message = message.str(),
                    .loc = UnknownLoc::get(&session.getContext()),
                    .fix = fix});
  };
  const int64_t in = bytesOf(o->input), out = bytesOf(o->output);
  if (o->gate && o->transposedB && shape.n * in % 16)
    return warn("the second half of B's columns, behind " +
                    llvm::Twine(shape.n * in) +
                    " bytes of a row, does not begin at a multiple of 16 "
                    "bytes, which the kernel's launch takes",
                "an N that is a multiple of " + std::to_string(16 / in));
  struct Rows {
    llvm::StringRef name;
    int64_t elements, bytes; // Of an element.
  };
  llvm::SmallVector<Rows, 3> tensors = {
      {"A", o->transposedA ? shape.m : shape.k, in},
      {"B", o->transposedB ? shape.n * (o->gate ? 2 : 1) : shape.k, in}};
  // (Threads store D element by element.)
  if (!o->copiesByThreads() && !o->storesElements())
    tensors.push_back({"D", shape.n, out});
  // So many bytes at a time A and B are copied by threads.
  int64_t copied = 8;
  const Rows *first = nullptr;
  for (const Rows &rows : tensors) {
    int64_t begin = rows.elements * rows.bytes;
    begin &= -begin;
    if (rows.name != "D")
      copied = std::min(copied, begin);
    if (begin < o->rowBytes && !first)
      first = &rows;
  }
  if (!first)
    return;
  GenerateCommand byThreads = command;
  llvm::erase_if(byThreads.options, [](const auto &option) {
    return option.first == "row-bytes";
  });
  byThreads.options.emplace_back("row-bytes", std::to_string(copied));
  std::optional<GemmOptions> there = resolveGemm(session, byThreads);
  const std::string padded = "tensors whose rows are padded to them";
  warn("rows of " + first->name + ", " + llvm::Twine(first->elements) +
           " elements of " + llvm::Twine(first->bytes) + " byte" +
           (first->bytes == 1 ? "" : "s") +
           ", one behind the other, do not begin at multiples of " +
           llvm::Twine(o->rowBytes) + " bytes, which the kernel's launch takes",
       there && checkGemm(*there)
           ? "--row-bytes " + std::to_string(copied) + ", or " + padded
           : padded);
}

int titan::runGenerate(const GenerateCommand &command) {
  Session session("generate", command.json);
  // (A sweep of titan bench may have kernels of one matrix among others.)
  llvm::StringMap<llvm::StringRef> given;
  for (const auto &[name, value] : command.options)
    given.try_emplace(name, value);
  if (command.what == "gemm" && given.contains("batches") &&
      (!given.contains("shape") || !given.contains("batch") ||
       given["batch"] == "none")) {
    session.fail(
        Code::BadArgument,
        "--batches without " +
            llvm::Twine(given.contains("shape")
                            ? "--batch equal or --batch grouped"
                            : "--shape"),
        "give --shape and --batch, too: it tells the model how many there "
        "are; or leave it out");
    return session.finish(BadInput, "");
  }
  std::optional<Result<std::string>> made = generateKernel(session, command);
  if (!made)
    return session.finish(BadInput, "");
  Result<std::string> &text = *made;
  if (!text) {
    session.fail(Code::BadArgument, text.problem().message, text.problem().fix);
    return session.finish(BadInput, "");
  }
  if (command.what == "gemm")
    warnOfRows(session, command);
  std::string output = command.output.empty() ? "-" : command.output;
  if (!session.claimOutput("-o", output))
    return session.finish(BadInput, "");
  if (output == "-" && command.json) {
    session.result["text"] = jsonText(*text);
  } else if (output == "-") {
    llvm::outs() << *text;
  } else if (auto written = runtime::writeFile(output, *text); !written) {
    session.fail(written.error());
    return session.finish(BadInput, "");
  }
  session.result["output"] = jsonText(output);
  return session.finish(0, output == "-" ? std::string() : output);
}
