//===- Inspect.cpp - titan inspect ----------------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a package is, without a GPU: its kernels, the code for which targets,
// arguments, parameters, tensor maps, what a launch checks, what a CTA takes of
// a multiprocessor, and what titan check said when it was compiled.
//
//===----------------------------------------------------------------------===//
#include "Commands.h"
#include "PackageHeader.h"

#include "titan/Conversion/CubinResources.h"
#include "titan/Runtime/File.h"
#include "titan/Runtime/Manifest.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

using namespace titan;
using namespace titan::runtime;
using Json = llvm::json::Object;

static std::string sizes(llvm::ArrayRef<int64_t> values,
                         llvm::ArrayRef<std::string> names = {}) {
  return llvm::join(llvm::map_range(llvm::enumerate(values),
                                    [&](auto each) {
                                      auto [i, value] = each;
                                      if (i < names.size() && !names[i].empty())
                                        return names[i];
                                      return value == dynamic
                                                 ? "?"
                                                 : std::to_string(value);
                                    }),
                    "x");
}

namespace {
/// Expressions of a kernel for people: what is long and there more than once has a
/// name, $1, $2, ..., and stands once.
class Formulas {
public:
  explicit Formulas(llvm::ArrayRef<std::string> arguments)
      : arguments(arguments) {}

  /// All are added before the first is told.
  void add(const runtime::Expr &expr);
  /// By the names.
  std::string tell(const runtime::Expr &expr);
  /// What the names stand for that were told, one a line.
  llvm::ArrayRef<std::string> told() const { return lines; }

private:
  static constexpr size_t longest = 32; ///< What needs no name, in characters.

  using Node = runtime::Expr::Node;
  static bool isLeaf(const Node &node) { return operatorName(node.op).empty(); }
  std::string text(const runtime::Expr &expr, size_t index);
  /// Of the part that ends with this node.
  std::string whole(const runtime::Expr &expr, size_t index) const;

  llvm::ArrayRef<std::string> arguments;
  /// By what a part is: where it stands in an expression or another part, each
  /// of which counts once.
  llvm::StringMap<unsigned> uses;
  llvm::StringMap<std::string> names;
  std::vector<std::string> lines;
};
} // namespace

std::string Formulas::whole(const runtime::Expr &expr, size_t index) const {
  runtime::Expr part;
  part.nodes.assign(expr.nodes.begin(), expr.nodes.begin() + index + 1);
  return part.text(arguments);
}

void Formulas::add(const runtime::Expr &expr) {
  llvm::SmallVector<size_t> open{expr.nodes.size() - 1};
  while (!open.empty()) {
    size_t index = open.pop_back_val();
    const Node &node = expr.nodes[index];
    if (isLeaf(node) || ++uses[whole(expr, index)] > 1)
      continue;
    llvm::append_range(
        open, llvm::ArrayRef(node.operands).take_front(operandCount(node.op)));
  }
}

std::string Formulas::text(const runtime::Expr &expr, size_t index) {
  const Node &node = expr.nodes[index];
  std::string all = whole(expr, index);
  if (isLeaf(node))
    return all;
  if (auto named = names.find(all); named != names.end())
    return named->second;
  std::string out = std::string(operatorName(node.op)) + "(";
  for (int i = 0; i < operandCount(node.op); ++i)
    out += (i ? ", " : "") + text(expr, node.operands[i]);
  out += ")";
  if (uses.lookup(all) < 2 || out.size() <= longest)
    return out;
  std::string name = "$" + std::to_string(lines.size() + 1);
  lines.push_back(name + " = " + out);
  return names[all] = name;
}

std::string Formulas::tell(const runtime::Expr &expr) {
  return text(expr, expr.nodes.size() - 1);
}

static const char *toString(Access access) {
  switch (access) {
  case Access::Read:
    return "read";
  case Access::Write:
    return "write";
  case Access::ReadWrite:
    return "readwrite";
  }
  llvm_unreachable("an access");
}

static std::string describe(const ArgumentSpec &a, int64_t alignment,
                            Json &json) {
  std::string text = a.name + ": " + std::string(name(a.type));
  json = Json{{"name", jsonText(a.name)}, {"type", jsonText(name(a.type))}};
  if (!a.isTensor)
    return text;
  std::string shape = sizes(a.shape, a.dimNames), strides = sizes(a.strides);
  json["shape"] = jsonText(shape);
  json["strides"] = strides;
  json["alignment"] = alignment;
  json["access"] = toString(a.access);
  std::string initial;
  if (a.initial) {
    json["initial"] = *a.initial;
    initial = ", each element " + std::to_string(*a.initial) + " at the launch";
  }
  return text + "[" + shape + "], strides " + strides + ", at multiples of " +
         std::to_string(alignment) + " bytes, " + toString(a.access) + initial;
}

/// Several expressions, whole and by the names.
static std::pair<std::string, std::string>
describe(llvm::ArrayRef<runtime::Expr> list, llvm::StringRef between,
         const KernelSpec &kernel, Formulas &formulas) {
  std::string whole, told;
  for (const runtime::Expr &e : list) {
    whole +=
        (whole.empty() ? "" : between).str() + e.text(kernel.argumentNames);
    told += (told.empty() ? "" : between).str() + formulas.tell(e);
  }
  return {whole, told};
}

static std::string describe(const TensorMapSpec &map, const KernelSpec &kernel,
                            Formulas &formulas, Json &json) {
  const TensorMapFormat &f = map.format;
  auto [dims, toldDims] = describe(map.dims, " x ", kernel, formulas);
  auto [strides, toldStrides] =
      describe(map.byteStrides, ", ", kernel, formulas);
  std::string box;
  if (f.mode == TmaMode::Im2col)
    box = "im2col of " + std::to_string(f.im2col.pixels) + " pixels, " +
          std::to_string(f.im2col.channels) + " channels";
  else
    box = "box " + sizes(llvm::SmallVector<int64_t>(f.box.begin(),
                                                    f.box.begin() + f.rank));
  const std::string &of = kernel.argumentNames[map.argument];
  json =
      Json{{"name", jsonText(map.name)},           {"argument", jsonText(of)},
           {"type", jsonText(f.type->name)},       {"box", box},
           {"swizzle", jsonText(f.swizzle->name)}, {"dims", jsonText(dims)},
           {"byte_strides", jsonText(strides)}};
  return map.name + " of " + of + ": " + std::string(f.type->name) + ", " +
         box + ", swizzle " + std::string(f.swizzle->name) + "; sizes " +
         toldDims + (strides.empty() ? "" : "; byte strides " + toldStrides) +
         ", innermost first";
}

static std::string describe(const ParameterSpec &p, const KernelSpec &kernel,
                            Formulas &formulas, Json &json) {
  std::string what, told;
  switch (p.kind) {
  case ParameterSpec::Pointer:
    what = "address of " + kernel.argumentNames[p.index];
    break;
  case ParameterSpec::Value:
    what = std::string(name(p.type)) + " " + p.value.text(kernel.argumentNames);
    told = std::string(name(p.type)) + " " + formulas.tell(p.value);
    break;
  case ParameterSpec::Scalar:
    what = std::string(name(p.type)) + " " + kernel.argumentNames[p.index];
    break;
  case ParameterSpec::TensorMap:
    what = "tensor map " + kernel.tensorMaps[p.index].name;
    break;
  }
  json = Json{{"what", jsonText(what)},
              {"offset", static_cast<int64_t>(p.offset)},
              {"size", static_cast<int64_t>(p.size)}};
  return "+" + std::to_string(p.offset) + ": " + (told.empty() ? what : told);
}

static std::string describe(const CheckSpec &check, const KernelSpec &kernel,
                            Formulas &formulas, Json &json) {
  std::string condition = check.nonzero.text(kernel.argumentNames);
  json = Json{{"code", jsonText(check.code)},
              {"condition", jsonText(condition)},
              {"message", jsonText(check.message)},
              {"rule", jsonText(check.rule)},
              {"fix", jsonText(check.fix)}};
  return check.code + ": " + formulas.tell(check.nonzero);
}

/// A list of a kernel's, under its title, and as an array of the JSON object.
template <typename T>
static void describeAll(llvm::StringRef title, llvm::StringRef key,
                        const std::vector<T> &list,
                        llvm::function_ref<std::string(const T &, Json &)> one,
                        llvm::raw_ostream &os, Json &json) {
  llvm::json::Array array;
  if (!list.empty())
    os << "  " << title << "\n";
  for (const T &each : list) {
    Json object;
    os << "    " << one(each, object) << "\n";
    array.push_back(std::move(object));
  }
  json[key] = std::move(array);
}

static void describe(const KernelSpec &k, const Manifest &manifest,
                     const Container &container, llvm::raw_ostream &os,
                     Json &json) {
  os << "kernel @" << k.name << "\n";
  json["name"] = jsonText(k.name);
  json["entry"] = jsonText(k.entry);

  std::string verdict =
      k.verified == "proved" ? "proved, for every launch that is admitted"
      : k.verified.empty()   ? "not checked when it was compiled"
                             : k.verified;
  os << "  verdict: " << verdict << "\n";
  json["verdict"] = k.verified.empty() ? "unchecked" : k.verified;

  Formulas formulas(k.argumentNames);
  llvm::for_each(k.grid, [&](const auto &e) { formulas.add(e); });
  for (const TensorMapSpec &map : k.tensorMaps)
    for (const auto *list : {&map.dims, &map.byteStrides})
      llvm::for_each(*list, [&](const auto &e) { formulas.add(e); });
  for (const ParameterSpec &parameter : k.parameters)
    if (parameter.kind == ParameterSpec::Value)
      formulas.add(parameter.value);
  for (const CheckSpec &check : k.checks)
    formulas.add(check.nonzero);

  auto [grid, toldGrid] = describe(k.grid, " x ", k, formulas);
  os << "  launch: grid " << toldGrid << "; clusters of " << sizes(k.cluster)
     << "; " << k.block << " threads a CTA"
     << (k.programmatic ? "; may begin while the kernel before it ends" : "")
     << "\n";
  json["grid"] = jsonText(grid);
  json["cluster"] = llvm::json::Array(k.cluster);
  json["block"] = k.block;
  json["programmatic"] = k.programmatic;

  // The first code that is assembled says what the assembler took.
  std::optional<CubinResources> took;
  for (const CodeSpec &code : manifest.code)
    if (!took && code.kind == CodeSpec::Cubin)
      if (const Blob *blob = container.find(code.blob))
        took = readCubinResources(
            {reinterpret_cast<const char *>(blob->bytes.data()),
             blob->bytes.size()},
            k.entry);
  int64_t registers = took ? took->registers : k.registers;
  os << "  resources: " << k.dynamicShared + k.staticShared
     << " bytes of shared memory a CTA, of "
     << manifest.target->sharedBytesPerCta << "; ";
  if (registers)
    os << registers << " registers a thread";
  else
    os << "registers: known when the driver has compiled it";
  if (took)
    os << "; " << took->stackBytes << " bytes of stack a thread";
  os << "\n";
  Json resources{{"shared_dynamic", k.dynamicShared},
                 {"shared_static", k.staticShared}};
  if (registers)
    resources["registers"] = registers;
  if (took)
    resources["stack"] = took->stackBytes;
  json["resources"] = std::move(resources);

  describeAll<ArgumentSpec>(
      "arguments", "arguments", k.arguments,
      [&](const ArgumentSpec &a, Json &object) {
        return describe(a, baseAlignment(manifest, k, &a - k.arguments.data()),
                        object);
      },
      os, json);
  auto ofKernel = [&](const auto &each, Json &object) {
    return describe(each, k, formulas, object);
  };
  describeAll<TensorMapSpec>("tensor maps", "tensor_maps", k.tensorMaps,
                             ofKernel, os, json);
  describeAll<ParameterSpec>("parameters of the entry", "parameters",
                             k.parameters, ofKernel, os, json);
  describeAll<CheckSpec>("a launch checks", "checks", k.checks, ofKernel, os,
                         json);
  if (!formulas.told().empty())
    os << "  where\n";
  for (const std::string &line : formulas.told())
    os << "    " << line << "\n";
}

int titan::runInspect(const InspectCommand &command) {
  Session session("inspect", command.json);
  session.setFile(command.file);
  auto fail = [&](const Error &error) {
    session.fail(error);
    return session.finish(BadInput, "");
  };
  auto bytes = readFile(command.file);
  if (!bytes)
    return fail(bytes.error());
  auto container = parseContainer(*bytes, command.file);
  if (!container)
    return fail(container.error());
  auto manifest = parseManifest(container->manifest, command.file);
  if (!manifest)
    return fail(manifest.error());
  if (Status good = checkBlobs(*manifest, *container, command.file); !good)
    return fail(good.error());
  if (!command.kernel.empty() && !manifest->findKernel(command.kernel)) {
    session.fail(
        Code::NoKernel, "the package has no kernel '" + command.kernel + "'",
        "it has " + llvm::join(llvm::map_range(
                                   manifest->kernels,
                                   [](const KernelSpec &k) { return k.name; }),
                               ", "));
    return session.finish(BadInput, "");
  }
  if (!command.header.empty() &&
      !writeHeader(session, *manifest, command.file, command.header))
    return session.finish(BadInput, "");

  std::string text;
  llvm::raw_string_ostream os(text);
  os << command.file << ": " << bytes->size() << " bytes, for "
     << manifest->target->name << ", made by " << manifest->compiler << "\n";
  session.result["target"] = jsonText(manifest->target->name);
  session.result["compiler"] = jsonText(manifest->compiler);
  llvm::json::Array code, kernels;
  for (const CodeSpec &each : manifest->code) {
    const char *kind = each.kind == CodeSpec::PTX ? "PTX" : "cubin";
    size_t size = container->find(each.blob)->bytes.size();
    os << "  " << kind << " for " << each.arch << ", " << size << " bytes\n";
    code.push_back(Json{{"kind", kind},
                        {"arch", each.arch},
                        {"bytes", static_cast<int64_t>(size)}});
  }
  for (const KernelSpec &kernel : manifest->kernels) {
    if (!command.kernel.empty() && kernel.name != command.kernel)
      continue;
    Json json;
    describe(kernel, *manifest, *container, os, json);
    kernels.push_back(std::move(json));
  }
  session.result["code"] = std::move(code);
  session.result["kernels"] = std::move(kernels);
  return session.finish(0, llvm::StringRef(text).rtrim());
}
