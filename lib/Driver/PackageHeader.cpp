//===- PackageHeader.cpp - a C++ header that launches ---------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "PackageHeader.h"

#include "titan/Runtime/File.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace titan;
using namespace titan::runtime;

/// Words that C++ keeps for itself (lex.key, lex.digraph).
static constexpr llvm::StringLiteral keywords =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch "
    "char char8_t char16_t char32_t class co_await co_return co_yield compl "
    "concept const const_cast consteval constexpr constinit continue decltype "
    "default delete do double dynamic_cast else enum explicit export extern "
    "false float for friend goto if inline int long mutable namespace new "
    "noexcept not not_eq nullptr operator or or_eq private protected public "
    "register reinterpret_cast requires return short signed sizeof static "
    "static_assert static_cast struct switch template this thread_local throw "
    "true try typedef typeid typename union unsigned using virtual void "
    "volatile wchar_t while xor xor_eq";

namespace {
/// Names of C++ that are taken where another one is sought.
class Names {
public:
  Names(llvm::ArrayRef<llvm::StringRef> taken) {
    llvm::SmallVector<llvm::StringRef> words;
    keywords.split(words, ' ');
    used.insert_range(words);
    used.insert_range(taken);
  }

  /// The name as C++ takes it, and as nothing else is called: what is no letter
  /// and no digit is an underscore, and more of them follow.
  std::string claim(llvm::StringRef name) {
    std::string out;
    for (char c : name)
      out += llvm::isAlnum(c) ? c : '_';
    // _Upper and two underscores are the implementation's.
    if (out.empty() || !llvm::isAlpha(out[0]))
      out = "x" + out;
    for (size_t at; (at = out.find("__")) != out.npos;)
      out.erase(at, 1);
    for (unsigned n = 2; !used.insert(out).second; ++n)
      out = llvm::StringRef(out).rtrim("0123456789_").str() + "_" +
            std::to_string(n);
    return out;
  }

private:
  llvm::StringSet<> used;
};
} // namespace

/// A string as a literal of C++.
static std::string literal(llvm::StringRef text) {
  std::string out = "\"";
  for (unsigned char c : text)
    if (c == '"' || c == '\\' || c == '?' || !llvm::isPrint(c))
      // Three octal digits: what follows is no part of it.
      out += {'\\', char('0' + (c >> 6)), char('0' + (c >> 3 & 7)),
              char('0' + (c & 7))};
    else
      out += c;
  return out + "\"";
}

/// A text in a comment: nothing that ends a line, or goes on with the next.
static std::string plain(llvm::StringRef text) {
  std::string out;
  for (char c : text)
    out += llvm::isPrint(c) && c != '\\' && c != '?' ? c : '_';
  return out;
}

/// "TITAN_BF16".
static std::string constantOf(DType type) {
  return "TITAN_" + llvm::StringRef(name(type)).upper();
}

/// What a scalar is in C++; of what C++17 has no type for, the bits.
static llvm::StringRef scalarType(DType type) {
  switch (type) {
  case DType::F64:
    return "double";
  case DType::F32:
  case DType::TF32:
    return "float";
  case DType::F16:
  case DType::BF16:
    return "uint16_t";
  case DType::F8E4M3FN:
  case DType::F8E5M2:
    return "uint8_t";
  case DType::I64:
    return "int64_t";
  case DType::I32:
    return "int32_t";
  case DType::I16:
    return "int16_t";
  case DType::I8:
    return "int8_t";
  }
  llvm_unreachable("an element type");
}

static std::string shapeOf(const ArgumentSpec &argument) {
  std::string out;
  for (auto [size, name] : llvm::zip(argument.shape, argument.dimNames))
    out +=
        (out.empty() ? "" : "x") + (!name.empty()     ? plain(name)
                                    : size == dynamic ? "?"
                                                      : std::to_string(size));
  return out;
}

int64_t titan::baseAlignment(const Manifest &manifest, const KernelSpec &kernel,
                             size_t argument) {
  int64_t bytes = kernel.arguments[argument].alignment;
  for (const TensorMapSpec &map : kernel.tensorMaps) {
    // (Packages have no padded types.)
    bool wide = map.format.interleave == TmaInterleave::B32;
    if (map.argument == argument)
      bytes =
          std::max(bytes, (wide ? 2 : 1) * manifest.target->tmaBaseAlignment);
  }
  return bytes;
}

static void printKernel(const Manifest &manifest, const KernelSpec &kernel,
                        llvm::StringRef function, llvm::StringRef handle,
                        llvm::raw_ostream &os) {
  Names scope({"titan", "arguments", handle});
  os << "\n  /// Launches kernel '" << plain(kernel.name) << "'.\n";
  std::string parameters, values;
  for (auto [i, a] : llvm::enumerate(kernel.arguments)) {
    std::string cpp = scope.claim(a.name), type;
    bool bits = a.type != DType::TF32 && isFloat(a.type) &&
                scalarType(a.type).starts_with("uint");
    os << "  ///   " << cpp << ": ";
    if (a.isTensor) {
      os << name(a.type) << "[" << shapeOf(a) << "], aligned to "
         << baseAlignment(manifest, kernel, i) << " bytes, "
         << (a.access == Access::Read    ? "read"
             : a.access == Access::Write ? "written"
                                         : "read and written")
         << "\n";
      std::string both =
          constantOf(a.type) + ", " + std::to_string(a.shape.size());
      parameters += "const titan::Tensor<" + both + "> &" + cpp + ",\n";
      values += "        titan::detail::argument(" + cpp + "),\n";
      continue;
    }
    os << name(a.type) << (bits ? ", its bits" : "") << "\n";
    parameters += (scalarType(a.type) + " " + cpp + ",\n").str();
    values += "        titan::detail::scalar<" + constantOf(a.type) + ">(" +
              cpp + "),\n";
  }
  std::string stream = scope.claim("stream");
  // What the kernel's author asks for; without the values of a launch.
  llvm::StringSet<> told;
  for (const CheckSpec &check : kernel.checks) {
    llvm::StringRef message = check.message;
    if (message.contains('{'))
      message = message.take_front(message.rfind(" ("));
    if (check.code == "launch-check" && !message.contains('{') &&
        told.insert(message).second)
      os << "  ///   a launch asks: " << plain(message) << "\n";
  }
  os << "  ///   " << stream
     << ": a CUstream of the current context; null: the default one\n"
     << "  titan::Error " << function << "(";
  std::string indent(16 + function.size(), ' ');
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(parameters).split(lines, '\n', -1, false);
  for (llvm::StringRef line : lines)
    os << line << "\n" << indent;
  os << "void *" << stream << " = nullptr) {\n";
  if (!kernel.arguments.empty())
    os << "    const titan_argument arguments[] = {\n" << values << "    };\n";
  os << "    return titan::Error(titan_kernel_launch(" << handle << ", "
     << (kernel.arguments.empty() ? "nullptr" : "arguments") << ", "
     << kernel.arguments.size() << ", " << stream << "));\n  }\n";
}

std::string titan::makeHeader(const Manifest &manifest,
                              llvm::StringRef package) {
  llvm::StringRef file = llvm::sys::path::filename(package);
  Names global({"titan"});
  std::string stem = global.claim(llvm::sys::path::stem(package));
  std::string type = global.claim(stem + "_package");
  Names members({type, "open", "load", "find", "titan", "package"});
  std::vector<std::string> functions, handles;
  for (const KernelSpec &kernel : manifest.kernels)
    functions.push_back(members.claim(kernel.name));
  for (const std::string &function : functions)
    handles.push_back(members.claim(function + "Kernel"));

  std::string text;
  llvm::raw_string_ostream os(text);
  std::string guard = "TITAN_PACKAGES_" + llvm::StringRef(stem).upper() + "_H";
  os << "// Launches the kernels of '" << plain(file) << "' ("
     << manifest.target->name << "). Written by titan; C++17.\n"
     << "#ifndef " << guard << "\n#define " << guard << "\n\n"
     << "#include \"titan/Runtime/titan.hpp\"\n\n"
     << "namespace titan_packages {\n\n"
     << "/// Open it, then call its kernels. It outlives the work that it has "
        "launched.\n"
     << "class " << type << " {\npublic:\n"
     << "  titan::Error open(const char *path = " << literal(file) << ") {\n"
     << "    titan::Error error = package.open(path);\n"
     << "    return error ? std::move(error) : find();\n  }\n"
     << "  titan::Error open(const void *bytes, size_t size) {\n"
     << "    titan::Error error = package.open(bytes, size);\n"
     << "    return error ? std::move(error) : find();\n  }\n\n"
     << "  /// Loads the code into the current context: before a graph is "
        "captured.\n"
     << "  titan::Error load() {\n"
     << "    for (titan_kernel *kernel : {" << llvm::join(handles, ", ")
     << "})\n"
     << "      if (titan_error *error = titan_kernel_load(kernel))\n"
     << "        return titan::Error(error);\n"
     << "    return titan::Error();\n  }\n";
  for (auto [kernel, function, handle] :
       llvm::zip(manifest.kernels, functions, handles))
    printKernel(manifest, kernel, function, handle, os);
  os << "\nprivate:\n  titan::Error find() {\n";
  for (auto [kernel, handle] : llvm::zip(manifest.kernels, handles))
    os << "    if (titan_error *error = titan_package_kernel(\n"
       << "            package.get(), " << literal(kernel.name) << ", &"
       << handle << "))\n      return titan::Error(error);\n";
  os << "    return titan::Error();\n  }\n\n  titan::Package package;\n";
  for (const std::string &handle : handles)
    os << "  titan_kernel *" << handle << " = nullptr;\n";
  os << "};\n\n} // namespace titan_packages\n\n#endif // " << guard << "\n";
  return text;
}

bool titan::writeHeader(Session &session, const Manifest &manifest,
                        llvm::StringRef package, llvm::StringRef output) {
  if (output == "-") {
    session.fail(Code::BadArgument, "--emit-header -",
                 "name the file that the header goes to");
    return false;
  }
  if (!session.claimOutput("--emit-header", output))
    return false;
  Status written = writeFile(output.str(), makeHeader(manifest, package));
  if (!written)
    session.fail(written.error());
  return bool(written);
}
