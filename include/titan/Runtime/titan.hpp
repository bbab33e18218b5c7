//===- titan.hpp - The runtime's C interface, for C++ -----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// titan.h with owners and types, C++17, nothing to compile or to link beside
// libtitan-runtime. The headers that `titan compile --emit-header` writes have
// one class for each kernel over it:
//
//   #include "gemm.h"
//   titan_packages::gemm_package package;
//   if (titan::Error e = package.open("gemm.titanpkg"))
//     return fail(e.text());
//   titan::Tensor<TITAN_BF16, 2> a(address, {m, k}), ...;
//   if (titan::Error e = package.gemm(a, b, d, stream))
//     return fail(e.text());
//
// Nothing is thrown. The element type and the rank of a tensor are part of its
// type: what the kernel could not take does not compile.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_RUNTIME_TITAN_HPP
#define TITAN_RUNTIME_TITAN_HPP

#include "titan/Runtime/titan.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

namespace titan {

/// An error, or none: true where there is one.
class [[nodiscard]] Error {
public:
  Error() = default;
  explicit Error(titan_error *error) : error(error) {}

  explicit operator bool() const { return error != nullptr; }
  /// Empty where there is none. The rest as in titan.h.
  const char *code() const { return error ? titan_error_code(get()) : ""; }
  const char *message() const {
    return error ? titan_error_message(get()) : "";
  }
  const char *rule() const { return error ? titan_error_rule(get()) : ""; }
  const char *place() const { return error ? titan_error_place(get()) : ""; }
  const char *fix() const { return error ? titan_error_fix(get()) : ""; }
  const char *text() const { return error ? titan_error_text(get()) : ""; }

private:
  struct Release {
    void operator()(titan_error *e) const { titan_error_release(e); }
  };
  const titan_error *get() const { return error.get(); }
  std::unique_ptr<titan_error, Release> error;
};

/// A tensor in device memory: sizes and strides in elements.
template <int dtype, int rank> struct Tensor {
  using Extents = std::array<int64_t, static_cast<size_t>(rank)>;

  /// Dense and row-major.
  Tensor(const void *address, const Extents &dims)
      : address(address), dims(dims), dense(true) {}
  Tensor(const void *address, const Extents &dims, const Extents &strides)
      : address(address), dims(dims), strides(strides) {}

  const void *address;
  Extents dims, strides{};
  bool dense = false;
};

namespace detail {
/// What the tensor is to titan.h; points into it.
template <int dtype, int rank>
titan_argument argument(const Tensor<dtype, rank> &tensor) {
  titan_argument a{};
  a.is_tensor = 1;
  a.dtype = dtype;
  a.rank = rank;
  a.bits = reinterpret_cast<uintptr_t>(tensor.address);
  a.dims = tensor.dims.data();
  a.strides = tensor.dense ? nullptr : tensor.strides.data();
  return a;
}

/// A scalar whose bits are those of `value`.
template <int dtype, typename T> titan_argument scalar(T value) {
  static_assert(sizeof(T) <= sizeof(uint64_t));
  titan_argument a{};
  a.dtype = dtype;
  std::memcpy(&a.bits, &value, sizeof(T)); // Little-endian, as GPUs' hosts are.
  return a;
}
} // namespace detail

/// A package that is open, or not yet.
class Package {
public:
  Error open(const char *path) {
    titan_package *opened = nullptr;
    Error error(titan_package_read(path, &opened));
    package.reset(opened);
    return error;
  }
  /// From memory, which is not needed afterwards.
  Error open(const void *bytes, size_t size) {
    titan_package *opened = nullptr;
    Error error(titan_package_parse(bytes, size, &opened));
    package.reset(opened);
    return error;
  }
  /// Null before it is open.
  titan_package *get() const { return package.get(); }

private:
  struct Release {
    void operator()(titan_package *p) const { titan_package_release(p); }
  };
  std::unique_ptr<titan_package, Release> package;
};

} // namespace titan

#endif // TITAN_RUNTIME_TITAN_HPP
