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

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace titan;
using namespace titan::kernels;

/// "128x256x64" into as many numbers as there are places.
static bool readNumbers(llvm::StringRef text,
                        std::initializer_list<int64_t *> places) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, 'x');
  if (parts.size() != places.size())
    return false;
  for (auto [part, place] : llvm::zip(parts, places))
    if (part.getAsInteger(10, *place) || *place < 0 || *place > INT32_MAX)
      return false;
  return true;
}

/// One of some words; false where it is none of them.
template <typename T>
static bool readWord(llvm::StringRef text, T &place,
                     std::initializer_list<std::pair<const char *, T>> words) {
  for (auto &[word, value] : words)
    if (text == word)
      return place = value, true;
  return false;
}

static bool readEpilogue(llvm::StringRef text, GemmOptions &o) {
  llvm::SmallVector<llvm::StringRef> terms;
  text.split(terms, ',');
  for (llvm::StringRef term : terms) {
    bool *flag = llvm::StringSwitch<bool *>(term)
                     .Case("alpha", &o.alpha)
                     .Case("beta", &o.beta)
                     .Case("bias", &o.bias)
                     .Default(nullptr);
    if (!flag)
      return false;
    *flag = true;
  }
  return true;
}

static bool readOption(llvm::StringRef name, llvm::StringRef value,
                       GemmOptions &o, GemmShape &shape) {
  if (name == "shape")
    return readNumbers(value, {&shape.m, &shape.n, &shape.k}) && shape.m &&
           shape.n && shape.k;
  if (name == "tile")
    return readNumbers(value, {&o.tileM, &o.tileN, &o.tileK});
  if (name == "stages")
    return readNumbers(value, {&o.stages}) && o.stages;
  if (name == "cluster")
    return readNumbers(value, {&o.clusterM, &o.clusterN});
  if (name == "band")
    return readNumbers(value, {&o.band});
  if (name == "split")
    return readNumbers(value, {&o.split});
  if (name == "programmatic")
    return readWord(value, o.programmatic, {{"on", true}, {"off", false}});
  if (name == "name")
    return o.name = value.str(), true;
  if (name == "swap")
    return readWord(value, o.swap, {{"on", true}, {"off", false}});
  if (name == "consumers")
    return readWord(value, o.consumers,
                    {{"cooperative", Consumers::Cooperative},
                     {"pingpong", Consumers::Pingpong}});
  if (name == "input" || name == "output")
    return readWord(value, name == "input" ? o.input : o.output,
                    {{"bf16", Element::BF16},
                     {"f16", Element::F16},
                     {"f32", Element::F32}});
  if (name == "activation")
    return readWord(value, o.activation,
                    {{"none", Activation::None},
                     {"relu", Activation::ReLU},
                     {"gelu-tanh", Activation::GELUTanh},
                     {"silu", Activation::SiLU}});
  if (name == "epilogue")
    return readEpilogue(value, o);
  if (name != "layout" || value.size() != 2 ||
      value.find_first_not_of("nt") != llvm::StringRef::npos)
    return false;
  o.transposedA = value[0] == 't';
  o.transposedB = value[1] == 'n';
  return true;
}

static bool readOption(llvm::StringRef name, llvm::StringRef value,
                       AttentionOptions &o, AttentionShape &s) {
  if (name == "shape")
    return readNumbers(
               value, {&s.batches, &s.queries, &s.keys, &s.heads, &s.headsK}) &&
           s.batches && s.queries && s.keys && s.headsK && s.heads &&
           s.heads % s.headsK == 0;
  auto flag = [&](bool &place) {
    return readWord(value, place, {{"on", true}, {"off", false}});
  };
  if (name == "tile")
    return readNumbers(value, {&o.rows, &o.keys}) && o.rows && o.keys;
  if (name == "stages")
    return readNumbers(value, {&o.stages}) && o.stages;
  if (name == "head-size")
    return readNumbers(value, {&o.size});
  if (name == "name")
    return o.name = value.str(), true;
  if (name == "input")
    return readWord(value, o.element,
                    {{"bf16", Element::BF16}, {"f16", Element::F16}});
  if (name == "rescale")
    return readWord(
        value, o.rescale,
        {{"always", Rescale::Always}, {"conditional", Rescale::Conditional}});
  if (name == "turns")
    return flag(o.turns.emplace());
  return name == "persistent" ? flag(o.persistent)
         : name == "causal"   ? flag(o.causal)
         : name == "window"   ? flag(o.window)
         : name == "lse"      ? flag(o.lse)
                              : false;
}

/// Reads the flags by `read`, which says no to those that it does not know.
static bool
readOptions(Session &session, const GenerateCommand &command,
            llvm::function_ref<bool(llvm::StringRef, llvm::StringRef)> read) {
  for (const auto &[name, value] : command.options)
    if (!read(name, value)) {
      session.fail(Code::BadArgument, "--" + name + " " + value,
                   "see titan generate --help");
      return false;
    }
  return true;
}

/// Options from the flags, of which those count that are given, whatever `pick` finds for the shape. None: an option
/// cannot be read, and the session knows.
template <typename Options, typename Shape>
static std::optional<Options>
pickedOptions(Session &session, const GenerateCommand &command,
              Options (*pick)(const Shape &, const Options &)) {
  Options options;
  Shape shape;
  auto read = [&] {
    return readOptions(session, command,
                       [&](llvm::StringRef name, llvm::StringRef value) {
                         return readOption(name, value, options, shape);
                       });
  };
  if (!read())
    return std::nullopt;
  if (shape) {
    options = pick(shape, options);
    if (!read())
      return std::nullopt;
  }
  return options;
}

static std::optional<Result<std::string>>
generateGemm(Session &session, const GenerateCommand &command) {
  auto options = pickedOptions(session, command, pickGemm);
  if (!options)
    return std::nullopt;
  return kernels::generateGemm(*options);
}

static std::optional<Result<std::string>>
generateAttention(Session &session, const GenerateCommand &command) {
  auto options = pickedOptions(session, command, pickAttention);
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
               "there are gemm and attention");
  return std::nullopt;
}

int titan::runGenerate(const GenerateCommand &command) {
  Session session("generate", command.json);
  std::optional<Result<std::string>> made = generateKernel(session, command);
  if (!made)
    return session.finish(BadInput, "");
  Result<std::string> &text = *made;
  if (!text) {
    session.fail(Code::BadArgument, text.problem().message, text.problem().fix);
    return session.finish(BadInput, "");
  }
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
