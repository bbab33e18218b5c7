//===- Npy.h - Reading and writing NumPy's .npy files -----------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays come in and go out as .npy files (format versions 1.0, 2.0 and 3.0;
// version 1.0 is written). NumPy has no bf16 and no 8-bit floats: those travel
// as unsigned 16-bit and 8-bit words, and the type is the kernel argument's.
// What a file may hold for each element type:
//
//   type               descr read            descr written
//   f64 f32 f16        <f8 <f4 <f2           the same
//   tf32               <f4                   <f4
//   bf16               <u2 <i2 <V2           <u2
//   f8E4M3FN f8E5M2    |u1 |i1 |V1           |u1
//   i64 i32 i16 i8     <i8 <u8, <i4 <u4 ...  <i8 <i4 <i2 |i1
//
// (ml_dtypes saves its bfloat16 as V2.) Only little-endian, C-order files.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_RUNTIME_NPY_H
#define TITAN_RUNTIME_NPY_H

#include "titan/Runtime/DType.h"
#include "titan/Runtime/Error.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace titan::runtime {

/// An array as a file holds it.
struct NpyArray {
  std::string descr;          ///< NumPy's type string, such as "<f4".
  std::vector<int64_t> shape; ///< In elements; empty for a scalar.
  std::vector<uint8_t> bytes; ///< Dense, row-major, little-endian.
};

/// Parses the bytes of an .npy file; `place` names them in errors.
/// Errors: npy-format.
Result<NpyArray> parseNpy(std::span<const uint8_t> file,
                          const std::string &place);

/// Reads an .npy file. Errors: file-not-found and those of parseNpy.
Result<NpyArray> readNpy(const std::string &path);

/// Whether `array` may be an argument of element type `t`; argument-shape if
/// not.
Status checkNpyType(const NpyArray &array, DType t, const std::string &place);

/// The bytes of an .npy file that holds `elements`: dense, row-major,
/// product(shape) elements of type `t`.
std::vector<uint8_t> formatNpy(DType t, std::span<const int64_t> shape,
                               std::span<const uint8_t> elements);

/// Writes an .npy file. Errors: file-write.
Status writeNpy(const std::string &path, DType t,
                std::span<const int64_t> shape,
                std::span<const uint8_t> elements);

} // namespace titan::runtime

#endif // TITAN_RUNTIME_NPY_H
