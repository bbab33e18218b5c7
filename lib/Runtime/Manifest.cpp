//===- Manifest.cpp - Reading manifests, writing packages -----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reader keeps the first error and goes on with harmless values, so that
// the code reads like the schema; each value knows its path
// ("kernels[0].block").
//
//===----------------------------------------------------------------------===//

#include "titan/Runtime/Manifest.h"

#include <algorithm>
#include <nlohmann/json.hpp>

using namespace titan;
using namespace titan::runtime;
using json = nlohmann::json;

//===----------------------------------------------------------------------===//
// Small queries
//===----------------------------------------------------------------------===//

int KernelSpec::findArgument(std::string_view name) const {
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].name == name)
      return static_cast<int>(i);
  return -1;
}

const KernelSpec *Manifest::findKernel(std::string_view name) const {
  for (const KernelSpec &k : kernels)
    if (k.name == name)
      return &k;
  return nullptr;
}

std::optional<Architecture>
titan::runtime::parseArchitecture(std::string_view text) {
  if (!text.starts_with("sm_"))
    return std::nullopt;
  text.remove_prefix(3);
  Architecture arch;
  if (!text.empty() && (text.back() == 'a' || text.back() == 'f')) {
    arch.suffix = text.back();
    text.remove_suffix(1);
  }
  // The last digit is the minor number: sm_90 is 9.0, sm_103 is 10.3.
  if (text.size() < 2 || text.size() > 3)
    return std::nullopt;
  for (char c : text)
    if (c < '0' || c > '9')
      return std::nullopt;
  arch.minor = text.back() - '0';
  for (char c : text.substr(0, text.size() - 1))
    arch.major = arch.major * 10 + (c - '0');
  return arch;
}

bool titan::runtime::runsPtx(Architecture arch, int major, int minor) {
  switch (arch.suffix) {
  case 'a':
    return major == arch.major && minor == arch.minor;
  case 'f':
    return major == arch.major && minor >= arch.minor;
  default:
    return major > arch.major || (major == arch.major && minor >= arch.minor);
  }
}

bool titan::runtime::runsCubin(Architecture arch, int major, int minor) {
  return major == arch.major &&
         (arch.suffix == 'a' ? minor == arch.minor : minor >= arch.minor);
}

//===----------------------------------------------------------------------===//
// The reader
//===----------------------------------------------------------------------===//

namespace {

/// A JSON value and where it stands.
struct Field {
  const json *value = nullptr;
  std::string path;

  bool present() const { return value != nullptr; }
};

class Reader {
public:
  explicit Reader(const std::string &place) : place(place) {}

  std::optional<Error> error;

  void fail(const Field &f, const std::string &what) {
    if (!error)
      error = makeError(Code::ManifestInvalid, f.path + ": " + what, place);
  }

  /// Requires an object whose keys are among `keys`.
  void object(const Field &f, std::initializer_list<std::string_view> keys) {
    if (!f.present() || !f.value->is_object())
      return fail(f, "expected an object");
    for (auto it = f.value->begin(); it != f.value->end(); ++it)
      if (std::find(keys.begin(), keys.end(), it.key()) == keys.end())
        return fail(f, "unknown field '" + it.key() + "'");
  }

  /// A field of an object; absent ones are an error unless optional.
  Field get(const Field &f, const char *key, bool optional = false) {
    Field out{nullptr, f.path.empty() ? key : f.path + "." + key};
    if (f.present() && f.value->is_object())
      if (auto it = f.value->find(key); it != f.value->end())
        out.value = &*it;
    if (!out.present() && !optional)
      fail(out, "missing");
    return out;
  }

  /// The elements of an array of at most `max` (exactly `exact`) elements.
  std::vector<Field> array(const Field &f, size_t max, int exact = -1) {
    std::vector<Field> out;
    if (!f.present() || !f.value->is_array()) {
      if (f.present())
        fail(f, "expected an array");
      return out;
    }
    const size_t n = f.value->size();
    if (n > max)
      fail(f, "more than " + std::to_string(max) + " elements");
    else if (exact >= 0 && n != static_cast<size_t>(exact))
      fail(f, "expected " + std::to_string(exact) + " elements, found " +
                  std::to_string(n));
    else
      for (size_t i = 0; i < n; ++i)
        out.push_back({&(*f.value)[i], f.path + "[" + std::to_string(i) + "]"});
    return out;
  }

  std::string string(const Field &f, size_t maxLength = 4096) {
    if (!f.present())
      return {};
    if (!f.value->is_string()) {
      fail(f, "expected a string");
      return {};
    }
    std::string s = f.value->get<std::string>();
    if (s.find('\0') != s.npos)
      fail(f, "holds a character 0");
    if (s.size() > maxLength)
      fail(f, "longer than " + std::to_string(maxLength) + " bytes");
    return s;
  }

  /// A name: not empty, of printable ASCII without spaces.
  std::string identifier(const Field &f) {
    std::string s = string(f, 1024);
    bool ok = !s.empty();
    for (char c : s)
      ok &= c > ' ' && c < 127;
    if (f.present() && !ok)
      fail(f, "expected a name");
    return s;
  }

  /// False where it is absent.
  bool boolean(const Field &f) {
    if (!f.present())
      return false;
    if (!f.value->is_boolean())
      fail(f, "expected true or false");
    return f.value->is_boolean() && f.value->get<bool>();
  }

  int64_t integer(const Field &f, int64_t min, int64_t max) {
    if (!f.present())
      return min;
    int64_t v = 0;
    const bool ok = f.value->is_number_integer() &&
                    !(f.value->is_number_unsigned() &&
                      f.value->get<uint64_t>() > uint64_t{INT64_MAX});
    if (ok)
      v = f.value->get<int64_t>();
    if (!ok || v < min || v > max) {
      fail(f, "expected an integer from " + std::to_string(min) + " to " +
                  std::to_string(max));
      return min;
    }
    return v;
  }

  /// One of an enumeration's names.
  template <typename Parse>
  auto named(const Field &f, Parse parse, const char *what) {
    const std::string text = string(f);
    auto parsed = parse(std::string_view(text));
    using T = typename decltype(parsed)::value_type;
    if (f.present() && !parsed)
      fail(f, "'" + text + "' is not " + what);
    return parsed ? *parsed : T{};
  }

  /// A row of one of lib/Target's tables; `otherwise` names the one taken where
  /// the field is absent or wrong.
  template <typename Find>
  auto row(const Field &f, Find find, std::string_view otherwise,
           const char *what) {
    if (f.present()) {
      const std::string text = string(f);
      if (auto *found = find(text))
        return found;
      fail(f, "'" + text + "' is not " + what);
    }
    return find(otherwise);
  }

  Expr expr(const Field &f, const KernelSpec &kernel) {
    Expr e;
    if (f.present())
      node(f, kernel, e, 0);
    if (e.nodes.empty())
      e = Expr(0);
    return e;
  }

private:
  std::string place;

  uint16_t node(const Field &f, const KernelSpec &kernel, Expr &e, int depth) {
    if (depth > Expr::maxDepth || e.nodes.size() >= Expr::maxNodes) {
      fail(f, "the expression is too large");
      return 0;
    }
    Expr::Node n;
    if (f.value->is_number()) {
      n.value = integer(f, INT64_MIN, INT64_MAX);
    } else if (f.value->is_object()) {
      leaf(f, kernel, n);
    } else if (f.value->is_array() && !f.value->empty()) {
      const std::vector<Field> parts = array(f, 4);
      if (parts.empty())
        return 0;
      auto op = parseOperator(string(parts[0]));
      if (!op) {
        fail(parts[0], "not an operator");
        return 0;
      }
      const auto operands = static_cast<size_t>(operandCount(*op));
      if (parts.size() != operands + 1) {
        fail(f, "'" + std::string(operatorName(*op)) + "' takes " +
                    std::to_string(operands) + " operands");
        return 0;
      }
      n.op = *op;
      for (size_t i = 0; i < operands; ++i)
        n.operands[i] = node(parts[i + 1], kernel, e, depth + 1);
      if (e.nodes.size() >= Expr::maxNodes) {
        fail(f, "the expression is too large");
        return 0;
      }
    } else {
      fail(f, "expected an expression");
    }
    e.nodes.push_back(n);
    return static_cast<uint16_t>(e.nodes.size() - 1);
  }

  void leaf(const Field &f, const KernelSpec &kernel, Expr::Node &n) {
    object(f, {"dim", "stride", "ptr", "scalar", "bits", "device"});
    if (f.value->size() != 1)
      return fail(f, "expected one of dim, stride, ptr, scalar, bits, device");
    const std::string key = f.value->begin().key();
    const Field inner = get(f, key.c_str());
    if (key == "device") {
      n.op = ExprOp::Device;
      n.value = static_cast<int64_t>(
          named(inner, parseDeviceProperty, "a device property"));
      return;
    }
    const bool indexed = key == "dim" || key == "stride";
    Field name = inner;
    std::vector<Field> pair;
    if (indexed) {
      pair = array(inner, 2, 2);
      if (pair.size() != 2)
        return fail(inner, "expected [argument, dimension]");
      name = pair[0];
    }
    const int index = kernel.findArgument(string(name));
    if (index < 0)
      return fail(name, "not an argument of the kernel");
    const ArgumentSpec &a = kernel.arguments[index];
    n.argument = static_cast<uint16_t>(index);
    if (key == "scalar" || key == "bits") {
      n.op = ExprOp::Scalar;
      const bool bits = key == "bits";
      n.value = bits;
      if (a.isTensor || isFloat(a.type) != bits)
        fail(name,
             bits ? "not a scalar that is a float" : "not an integer scalar");
      return;
    }
    if (!a.isTensor)
      return fail(name, "not a tensor");
    n.op = key == "ptr"   ? ExprOp::Pointer
           : key == "dim" ? ExprOp::Dim
                          : ExprOp::Stride;
    if (indexed)
      n.dim = static_cast<uint16_t>(
          integer(pair[1], 0, static_cast<int64_t>(a.shape.size()) - 1));
  }
};

void readArgument(Reader &r, const Field &f, KernelSpec &kernel) {
  ArgumentSpec a;
  r.object(f, {"name", "kind", "type", "shape", "strides", "alignment",
               "access", "initial"});
  a.name = r.identifier(r.get(f, "name"));
  if (kernel.findArgument(a.name) >= 0)
    r.fail(f, "second argument of this name");
  const Field kind = r.get(f, "kind");
  const std::string kindText = r.string(kind);
  if (kind.present() && kindText != "tensor" && kindText != "scalar")
    r.fail(kind, "expected tensor or scalar");
  a.isTensor = kindText == "tensor";
  a.type = r.named(r.get(f, "type"), parseDType, "an element type");
  for (const char *key : {"shape", "strides", "alignment", "access", "initial"})
    if (Field g = r.get(f, key, true); g.present() && !a.isTensor)
      r.fail(g, "a scalar has none");
  if (a.isTensor) {
    for (const Field &d : r.array(r.get(f, "shape"), maxRank)) {
      const bool named = d.value->is_string();
      a.dimNames.push_back(named ? r.identifier(d) : "");
      a.shape.push_back(
          named || d.value->is_null() ? dynamic : r.integer(d, 0, INT64_MAX));
    }
    for (const Field &s : r.array(r.get(f, "strides"), maxRank,
                                  static_cast<int>(a.shape.size())))
      a.strides.push_back(s.value->is_null() ? dynamic
                                             : r.integer(s, 0, INT64_MAX));
    a.strides.resize(a.shape.size(), dynamic);
    a.alignment = sizeInBytes(a.type);
    if (Field g = r.get(f, "alignment", true); g.present()) {
      a.alignment = r.integer(g, 1, 4096);
      if (a.alignment & (a.alignment - 1))
        r.fail(g, "not a power of two");
    }
    if (Field g = r.get(f, "access", true); g.present())
      a.access = r.named(
          g,
          [](std::string_view text) -> std::optional<Access> {
            if (text == "read")
              return Access::Read;
            if (text == "write")
              return Access::Write;
            if (text == "readwrite")
              return Access::ReadWrite;
            return std::nullopt;
          },
          "read, write or readwrite");
    if (Field g = r.get(f, "initial", true); g.present()) {
      if (isFloat(a.type))
        r.fail(g, "a tensor of floats has none");
      const int64_t half = INT64_MAX >> (64 - 8 * sizeInBytes(a.type));
      a.initial = r.integer(g, -half - 1, half);
    }
  }
  kernel.argumentNames.push_back(a.name);
  kernel.arguments.push_back(std::move(a));
}

/// Pairs each named dimension with the first of its name.
void pairDims(KernelSpec &k) {
  std::vector<std::pair<std::string, SameDim>> first;
  for (uint16_t a = 0; a < k.arguments.size(); ++a)
    for (uint16_t d = 0; d < k.arguments[a].dimNames.size(); ++d) {
      const std::string &name = k.arguments[a].dimNames[d];
      if (name.empty())
        continue;
      const auto it = std::find_if(first.begin(), first.end(),
                                   [&](auto &f) { return f.first == name; });
      if (it == first.end())
        first.push_back({name, {a, d, a, d}});
      else
        k.sameDims.push_back({a, d, it->second.argument, it->second.dim});
    }
}

uint16_t readTensorReference(Reader &r, const Field &f,
                             const KernelSpec &kernel) {
  const int index = kernel.findArgument(r.string(f));
  if (index >= 0 && kernel.arguments[index].isTensor)
    return static_cast<uint16_t>(index);
  if (f.present())
    r.fail(f, "not a tensor argument of the kernel");
  return 0;
}

/// What an im2col map has in place of a box; the corners say its rank.
void readIm2col(Reader &r, const Field &f, TensorMapFormat &t) {
  r.object(f, {"pixels", "channels", "lower", "upper"});
  auto size = [&](const char *name) {
    return static_cast<uint32_t>(r.integer(r.get(f, name), 0, UINT32_MAX));
  };
  t.im2col.pixels = size("pixels");
  t.im2col.channels = size("channels");
  const auto lower = r.array(r.get(f, "lower"), t.im2col.lower.size());
  const auto upper =
      r.array(r.get(f, "upper"), t.im2col.upper.size(), lower.size());
  t.rank = static_cast<int>(lower.size()) + 2;
  auto corner = [&](const Field &g) {
    return static_cast<int32_t>(r.integer(g, INT32_MIN, INT32_MAX));
  };
  for (size_t d = 0; d < lower.size(); ++d)
    t.im2col.lower[d] = corner(lower[d]);
  for (size_t d = 0; d < upper.size(); ++d)
    t.im2col.upper[d] = corner(upper[d]);
}

void readTensorMap(Reader &r, const Field &f, const TargetInfo &target,
                   KernelSpec &kernel) {
  TensorMapSpec m;
  r.object(f, {"name", "argument", "type", "box", "im2col", "element_strides",
               "swizzle", "interleave", "l2_promotion", "fill", "dims",
               "byte_strides", "padded"});
  m.name = r.identifier(r.get(f, "name"));
  for (const TensorMapSpec &other : kernel.tensorMaps)
    if (other.name == m.name)
      r.fail(f, "second tensor map of this name");
  m.argument = readTensorReference(r, r.get(f, "argument"), kernel);
  TensorMapFormat &t = m.format;
  t.type = r.row(r.get(f, "type"), findTmaType, "u8", "a tensor-map type");
  t.swizzle =
      r.row(r.get(f, "swizzle", true), findTmaSwizzle, "none", "a swizzle");
  if (Field g = r.get(f, "im2col", true); g.present()) {
    t.mode = TmaMode::Im2col;
    readIm2col(r, g, t);
    if (r.get(f, "box", true).present())
      r.fail(f, "both box and im2col");
  } else {
    const auto box = r.array(r.get(f, "box"), maxMapRank);
    t.rank = static_cast<int>(box.size());
    for (int d = 0; d < t.rank; ++d)
      t.box[d] = static_cast<uint32_t>(r.integer(box[d], 0, UINT32_MAX));
  }
  if (Field g = r.get(f, "element_strides", true); g.present()) {
    const auto strides = r.array(g, maxMapRank, t.rank);
    for (size_t d = 0; d < strides.size(); ++d)
      t.elementStrides[d] =
          static_cast<uint32_t>(r.integer(strides[d], 0, UINT32_MAX));
  }
  if (Field g = r.get(f, "interleave", true); g.present())
    t.interleave = r.named(g, parseMapInterleave, "an interleave");
  if (Field g = r.get(f, "l2_promotion", true); g.present())
    t.l2Promotion = r.named(g, parseMapL2Promotion, "an L2 promotion");
  if (Field g = r.get(f, "fill", true); g.present())
    t.nanFill = r.named(g, parseMapFill, "a fill");
  for (const Field &g : r.array(r.get(f, "dims"), maxMapRank, t.rank))
    m.dims.push_back(r.expr(g, kernel));
  for (const Field &g :
       r.array(r.get(f, "byte_strides"), maxMapRank, std::max(t.rank - 1, 0)))
    m.byteStrides.push_back(r.expr(g, kernel));
  m.padded = r.boolean(r.get(f, "padded", true));
  if (!r.error)
    if (auto ok = checkFormat(target, t, f.path); !ok)
      r.error = ok.error();
  kernel.tensorMaps.push_back(std::move(m));
}

void readParameter(Reader &r, const Field &f, KernelSpec &kernel,
                   size_t &offset) {
  ParameterSpec p;
  r.object(f, {"pointer", "value", "type", "scalar", "tensor_map"});
  const Field pointer = r.get(f, "pointer", true);
  const Field value = r.get(f, "value", true);
  const Field scalar = r.get(f, "scalar", true);
  const Field map = r.get(f, "tensor_map", true);
  if (pointer.present() + value.present() + scalar.present() + map.present() !=
      1)
    r.fail(f, "expected one of pointer, value, scalar, tensor_map");
  if (Field g = r.get(f, "type", true); g.present() && !value.present())
    r.fail(g, "only a value has a type of its own");
  size_t alignment = 8;
  if (pointer.present()) {
    p.kind = ParameterSpec::Pointer;
    p.index = readTensorReference(r, pointer, kernel);
    p.size = 8;
  } else if (value.present()) {
    p.kind = ParameterSpec::Value;
    p.value = r.expr(value, kernel);
    p.type = r.named(r.get(f, "type"), parseDType, "an integer type");
    if (p.type != DType::I32 && p.type != DType::I64)
      r.fail(f, "a value's type is i32 or i64");
    p.size = alignment = static_cast<size_t>(sizeInBytes(p.type));
  } else if (scalar.present()) {
    p.kind = ParameterSpec::Scalar;
    const int index = kernel.findArgument(r.string(scalar));
    if (index < 0 || kernel.arguments[index].isTensor) {
      r.fail(scalar, "not a scalar argument of the kernel");
    } else {
      p.index = static_cast<uint16_t>(index);
      p.type = kernel.arguments[index].type;
    }
    p.size = alignment = static_cast<size_t>(sizeInBytes(p.type));
  } else if (map.present()) {
    p.kind = ParameterSpec::TensorMap;
    const std::string name = r.string(map);
    const auto it =
        std::find_if(kernel.tensorMaps.begin(), kernel.tensorMaps.end(),
                     [&](const TensorMapSpec &m) { return m.name == name; });
    if (it == kernel.tensorMaps.end())
      r.fail(map, "not a tensor map of the kernel");
    else
      p.index = static_cast<uint16_t>(it - kernel.tensorMaps.begin());
    p.size = 128;
    alignment = 64;
  }
  offset = (offset + alignment - 1) / alignment * alignment;
  p.offset = offset;
  offset += p.size;
  if (offset > maxParameterBytes)
    r.fail(f, "the parameters take more than " +
                  std::to_string(maxParameterBytes) + " bytes");
  kernel.parameters.push_back(std::move(p));
}

void readCheck(Reader &r, const Field &f, KernelSpec &kernel) {
  CheckSpec c;
  r.object(f, {"nonzero", "code", "message", "values", "rule", "fix"});
  c.nonzero = r.expr(r.get(f, "nonzero"), kernel);
  c.code = r.identifier(r.get(f, "code"));
  c.message = r.string(r.get(f, "message"));
  for (const Field &v : r.array(r.get(f, "values", true), 10))
    c.values.push_back(r.expr(v, kernel));
  c.rule = r.string(r.get(f, "rule", true));
  c.fix = r.string(r.get(f, "fix", true));
  // Each {N} of the message has its value.
  for (size_t i = 0; i + 2 < c.message.size(); ++i)
    if (c.message[i] == '{' && c.message[i + 2] == '}') {
      const int n = c.message[i + 1] - '0';
      if (n < 0 || n > 9 || static_cast<size_t>(n) >= c.values.size())
        r.fail(f, "the message names a value that is not there");
    }
  kernel.checks.push_back(std::move(c));
}

KernelSpec readKernel(Reader &r, const Field &f, const TargetInfo &target) {
  KernelSpec k;
  r.object(f,
           {"name", "entry", "arguments", "grid", "cluster", "block",
            "registers", "programmatic", "verified", "shared_memory",
            "tensor_maps", "parameters", "checks", "flops", "bytes", "info"});
  k.name = r.identifier(r.get(f, "name"));
  k.entry = r.identifier(r.get(f, "entry"));
  for (const Field &a : r.array(r.get(f, "arguments"), maxArguments))
    readArgument(r, a, k);
  pairDims(k);
  const auto grid = r.array(r.get(f, "grid"), 3, 3);
  for (size_t i = 0; i < grid.size(); ++i)
    k.grid[i] = r.expr(grid[i], k);
  if (Field g = r.get(f, "cluster", true); g.present()) {
    const auto cluster = r.array(g, 3, 3);
    for (size_t i = 0; i < cluster.size(); ++i)
      k.cluster[i] = r.integer(cluster[i], 1, target.maxCluster);
    if (k.cluster[0] * k.cluster[1] * k.cluster[2] > target.maxCluster)
      r.fail(g, "a cluster has at most " + std::to_string(target.maxCluster) +
                    " CTAs");
  }
  k.block = r.integer(r.get(f, "block"), 1, target.maxThreadsPerCta);
  if (Field g = r.get(f, "registers", true); g.present())
    k.registers = r.integer(g, 0, 255);
  k.programmatic = r.boolean(r.get(f, "programmatic", true));
  if (Field g = r.get(f, "verified", true); g.present()) {
    k.verified = r.string(g);
    if (k.verified != "proved" && k.verified != "searched" &&
        k.verified != "undecided")
      r.fail(g, "expected proved, searched or undecided");
  }
  if (Field g = r.get(f, "shared_memory", true); g.present()) {
    r.object(g, {"dynamic", "static"});
    k.dynamicShared = r.integer(r.get(g, "dynamic"), 0, 1 << 24);
    if (Field s = r.get(g, "static", true); s.present())
      k.staticShared = r.integer(s, 0, 1 << 24);
    if (k.dynamicShared + k.staticShared > target.sharedBytesPerCta)
      r.fail(g, "a CTA of " + std::string(target.name) + " has at most " +
                    std::to_string(target.sharedBytesPerCta) +
                    " bytes of shared memory");
  }
  for (const Field &m : r.array(r.get(f, "tensor_maps", true), maxTensorMaps))
    readTensorMap(r, m, target, k);
  size_t offset = 0;
  for (const Field &p : r.array(r.get(f, "parameters"), maxParameters))
    readParameter(r, p, k, offset);
  for (const Field &c : r.array(r.get(f, "checks", true), 1024))
    readCheck(r, c, k);
  if (Field g = r.get(f, "flops", true); g.present())
    k.flops = r.expr(g, k);
  if (Field g = r.get(f, "bytes", true); g.present())
    k.bytes = r.expr(g, k);
  return k;
}

CodeSpec readCode(Reader &r, const Field &f) {
  CodeSpec c;
  r.object(f, {"kind", "arch", "blob"});
  c.kind = r.named(
      r.get(f, "kind"),
      [](std::string_view text) -> std::optional<CodeSpec::Kind> {
        if (text == "ptx")
          return CodeSpec::PTX;
        if (text == "cubin")
          return CodeSpec::Cubin;
        return std::nullopt;
      },
      "ptx or cubin");
  const Field arch = r.get(f, "arch");
  c.arch = r.string(arch);
  if (arch.present() && !parseArchitecture(c.arch))
    r.fail(arch, "expected an architecture such as sm_90a");
  c.blob = r.identifier(r.get(f, "blob"));
  return c;
}

} // namespace

runtime::Result<Manifest>
titan::runtime::parseManifest(std::string_view text, const std::string &place) {
  const json root = json::parse(text.begin(), text.end(), nullptr,
                                /*allow_exceptions=*/false);
  if (root.is_discarded() || !root.is_object())
    return makeError(Code::ManifestInvalid, "the manifest is not a JSON object",
                     place);
  Reader r(place);
  const Field top{&root, ""};
  // The format comes first: another one may have other fields.
  const Field format = r.get(top, "format");
  const int64_t version = r.integer(format, 0, INT64_MAX);
  if (r.error)
    return std::move(*r.error);
  if (version != manifestFormat)
    return makeError(Code::PackageVersion,
                     "manifest format " + std::to_string(version) +
                         "; this runtime reads format " +
                         std::to_string(manifestFormat),
                     place);
  r.object(top, {"format", "compiler", "target", "code", "kernels", "info"});
  Manifest m;
  m.compiler = r.string(r.get(top, "compiler"));
  m.target = r.row(r.get(top, "target"), lookupTarget, defaultTarget().name,
                   "a target");
  if (m.target->vendor != "NVIDIA")
    r.fail(r.get(top, "target"), "this runtime launches on NVIDIA GPUs alone");
  for (const Field &f : r.array(r.get(top, "code"), maxBlobs))
    m.code.push_back(readCode(r, f));
  for (const Field &f : r.array(r.get(top, "kernels"), 1024)) {
    KernelSpec k = readKernel(r, f, *m.target);
    if (m.findKernel(k.name))
      r.fail(f, "second kernel of this name");
    m.kernels.push_back(std::move(k));
    if (r.error)
      break;
  }
  if (!r.error && m.kernels.empty())
    r.fail(top, "no kernel");
  if (!r.error && m.code.empty())
    r.fail(top, "no code");
  if (r.error) {
    r.error->place = r.error->place.empty() || r.error->place == place
                         ? place
                         : place + ": " + r.error->place;
    return std::move(*r.error);
  }
  return m;
}

runtime::Result<std::vector<uint8_t>>
titan::runtime::writePackage(std::string_view manifestJson,
                             std::vector<Blob> blobs) {
  auto manifest = parseManifest(manifestJson, "the manifest to be written");
  if (!manifest)
    return std::move(manifest.error());
  Container container{std::string(manifestJson), std::move(blobs)};
  if (auto ok = checkBlobs(*manifest, container, ""); !ok)
    return std::move(ok.error());
  return packContainer(container);
}

Status titan::runtime::checkBlobs(const Manifest &manifest,
                                  const Container &container,
                                  const std::string &place) {
  for (const CodeSpec &c : manifest.code)
    if (!container.find(c.blob))
      return makeError(Code::PackageBlob, "there is no blob '" + c.blob + "'",
                       place);
  for (const Blob &b : container.blobs) {
    const auto uses =
        std::count_if(manifest.code.begin(), manifest.code.end(),
                      [&](const CodeSpec &c) { return c.blob == b.name; });
    if (uses != 1)
      return makeError(Code::PackageBlob,
                       "blob '" + b.name + "' is named by " +
                           std::to_string(uses) + " entries of code",
                       place);
  }
  return {};
}
