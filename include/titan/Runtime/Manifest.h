//===- Manifest.h - What a package says about its kernels -------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The manifest of a package (docs/package.md has the JSON schema, field by
// field with units) as C++ structures. Reading checks everything that does not
// depend on the arguments of a launch: unknown or missing fields, names that
// refer to nothing, and every tensor-map rule that static fields can break. So
// a manifest that was read can only fail at launch by what the launch brings.
//
// The compiler builds the JSON (with llvm::json, say) and calls writePackage,
// which reads it back through the same code before it writes: there is one
// format, in one place.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_RUNTIME_MANIFEST_H
#define TITAN_RUNTIME_MANIFEST_H

#include "titan/Runtime/Container.h"
#include "titan/Runtime/DType.h"
#include "titan/Runtime/Error.h"
#include "titan/Runtime/Expr.h"
#include "titan/Runtime/TensorMap.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace titan::runtime {

inline constexpr int64_t manifestFormat = 1;
inline constexpr size_t maxArguments = 64;
inline constexpr size_t maxParameters = 128;
/// All kernel parameters together, in bytes (PTX ISA, "Kernel Function
/// Parameters": 4096 bytes before PTX 8.1 and on every target).
inline constexpr size_t maxParameterBytes = 4096;
/// Tensor maps are parameters of 128 bytes.
inline constexpr size_t maxTensorMaps = maxParameterBytes / 128;
/// Stands where a dimension or stride is dynamic.
inline constexpr int64_t dynamic = INT64_MIN;

/// What the kernel does to an argument's memory.
enum class Access : uint8_t { Read, Write, ReadWrite };

/// A formal argument of a kernel.
struct ArgumentSpec {
  std::string name;
  bool isTensor = false;
  DType type = DType::I32;
  // The rest is for tensors.
  std::vector<int64_t> shape;        ///< In elements, or `dynamic`.
  std::vector<std::string> dimNames; ///< As long as shape. A named dimension
                                     ///< has one size in the whole kernel.
  std::vector<int64_t> strides;      ///< In elements, or `dynamic`.
  int64_t alignment = 1;             ///< Of the base address, in bytes.
  Access access = Access::ReadWrite;
  /// What each element holds when the kernel begins, if that is asked for.
  std::optional<int64_t> initial;
};

/// A tensor map that the launch encodes.
struct TensorMapSpec {
  std::string name;
  uint16_t argument = 0;
  TensorMapFormat format;
  std::vector<Expr> dims;        ///< In elements, innermost first; one a rank.
  std::vector<Expr> byteStrides; ///< In bytes, of dimensions 1 and up.
  /// What stands behind each of the tensor's rows, up to the next multiple of
  /// 16 bytes, is nobody's: stores through the map may overwrite it.
  bool padded = false;
};

/// One parameter of the entry function, in the order of its signature.
struct ParameterSpec {
  enum Kind : uint8_t {
    Pointer,   ///< The device address of tensor `index`, 8 bytes.
    Value,     ///< `value` as an integer of type `type`.
    Scalar,    ///< Scalar argument `index`, its own type.
    TensorMap, ///< Tensor map `index`, 128 bytes by value, aligned to 64.
  };
  Kind kind = Pointer;
  uint16_t index = 0;
  DType type = DType::I64; ///< Value: I32 or I64.
  Expr value;

  size_t size = 0;   ///< In bytes.
  size_t offset = 0; ///< In the parameter space, in bytes, naturally aligned.
};

/// A condition on a launch.
struct CheckSpec {
  Expr nonzero;
  std::string code;
  std::string message; ///< With {0}, {1}, ... for `values`.
  std::vector<Expr> values;
  std::string rule;
  std::string fix;
};

/// Two dimensions that must have one size, because they have one name.
struct SameDim {
  uint16_t argument, dim;           ///< A later one,
  uint16_t firstArgument, firstDim; ///< and the first of that name.
};

/// One kernel.
struct KernelSpec {
  std::string name;
  std::string entry; ///< The symbol in the code.
  std::vector<ArgumentSpec> arguments;
  std::vector<std::string> argumentNames; ///< The same names, for Expr::text.
  std::vector<SameDim> sameDims;
  std::array<Expr, 3> grid;                ///< In CTAs, not clusters.
  std::array<int64_t, 3> cluster{1, 1, 1}; ///< In CTAs.
  int64_t block = 0;                       ///< Threads of a CTA, all in x.
  int64_t registers = 0; ///< Per thread at launch; 0 where not known.
  /// May begin before the kernel before it in the stream has ended.
  bool programmatic = false;
  /// What titan check says of it: "proved" (for every launch that is admitted),
  /// "searched", "undecided"; empty: it was not asked.
  std::string verified;
  int64_t dynamicShared = 0; ///< In bytes, per CTA.
  int64_t staticShared = 0;  ///< In bytes, per CTA; informative.
  std::vector<TensorMapSpec> tensorMaps;
  std::vector<ParameterSpec> parameters;
  std::vector<CheckSpec> checks;
  Expr flops; ///< Operations of a launch, for TFLOP/s; may be empty.
  Expr bytes; ///< Bytes a launch must move at least, for GB/s; may be empty.

  int findArgument(std::string_view name) const; ///< -1: none.
};

/// A piece of code in the package.
struct CodeSpec {
  enum Kind : uint8_t { PTX, Cubin };
  Kind kind = PTX;
  std::string arch; ///< "sm_90a": what the code was made for.
  std::string blob;
};

struct Manifest {
  std::string compiler;               ///< Name and version, for people.
  const TargetInfo *target = nullptr; ///< What the kernels were compiled for.
  std::vector<CodeSpec> code;
  std::vector<KernelSpec> kernels;

  const KernelSpec *findKernel(std::string_view name) const;
};

/// An architecture name "sm_90a": a compute capability and a suffix.
struct Architecture {
  int major = 0, minor = 0;
  char suffix = 0; ///< 'a': this capability and no other; 'f': the family (same
  ///< major, and this minor or a later one); 0: this and later.
};
std::optional<Architecture> parseArchitecture(std::string_view text);
/// Whether a device of this capability runs PTX made for `arch`.
bool runsPtx(Architecture arch, int major, int minor);
/// Whether it runs a cubin made for `arch` (same major, same or later minor;
/// with 'a', exactly this capability).
bool runsCubin(Architecture arch, int major, int minor);

/// Reads a manifest. Errors: manifest-invalid, package-version,
/// and the tensor-map codes (tma-*) of static fields. `place` names the file.
Result<Manifest> parseManifest(std::string_view json, const std::string &place);

/// Whether the manifest's code and the container's blobs name each other;
/// package-blob if not.
Status checkBlobs(const Manifest &manifest, const Container &container,
                  const std::string &place);

/// Checks `manifestJson`, that the blobs it names exist and the others do not,
/// and returns the package's bytes. Errors: those of parseManifest and
/// packContainer, package-blob.
Result<std::vector<uint8_t>> writePackage(std::string_view manifestJson,
                                          std::vector<Blob> blobs);

} // namespace titan::runtime

#endif // TITAN_RUNTIME_MANIFEST_H
