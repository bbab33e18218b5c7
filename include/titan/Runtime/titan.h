/*===- titan.h - The runtime in C -----------------------------*- C -*-===*\
|*                                                                        *|
|* Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.     *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                *|
|*                                                                        *|
\*===------------------------------------------------------------------===*/
/*
 * What Runtime.h offers, as a stable C ABI: opaque handles, structures that
 * keep their layout, numbers that keep their meaning. Later versions add
 * functions; titan_abi_version() tells how many there are.
 *
 * A function that can fail returns null for success, else an error that the
 * caller releases. Strings and handles that a function returns belong to the
 * object they came from, unless a release function is named.
 *
 *   titan_package *package;
 *   titan_kernel *kernel;
 *   titan_error *e;
 *   if ((e = titan_package_read("gemm.titanpkg", &package)) ||
 *       (e = titan_package_kernel(package, "gemm", &kernel)) ||
 *       (e = titan_kernel_launch(kernel, arguments, 3, stream))) {
 *     fputs(titan_error_text(e), stderr);
 *     titan_error_release(e);
 *   }
 *
 * All functions may be called from several threads at once, but for releases.
 */
#ifndef TITAN_RUNTIME_TITAN_H
#define TITAN_RUNTIME_TITAN_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TITAN_API __attribute__((visibility("default")))
#else
#define TITAN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define TITAN_ABI_VERSION 4

typedef struct titan_package titan_package;
typedef struct titan_kernel titan_kernel;
typedef struct titan_sequence titan_sequence;
typedef struct titan_error titan_error;

/* Element types; the values of titan::runtime::DType. */
enum {
  TITAN_F64 = 0,
  TITAN_F32 = 1,
  TITAN_TF32 = 2,
  TITAN_F16 = 3,
  TITAN_BF16 = 4,
  TITAN_F8E4M3FN = 5,
  TITAN_F8E5M2 = 6,
  TITAN_I64 = 7,
  TITAN_I32 = 8,
  TITAN_I16 = 9,
  TITAN_I8 = 10
};

/* One kernel argument. Zero the structure first. */
typedef struct titan_argument {
  int32_t is_tensor;      /* 1: tensor, 0: scalar */
  int32_t dtype;          /* TITAN_... */
  int32_t rank;           /* tensor: 0..8 */
  int32_t reserved;       /* 0 */
  uint64_t bits;          /* tensor: device address, in bytes;
                             scalar: the value's bits, the low ones */
  const int64_t *dims;    /* tensor: rank sizes, in elements */
  const int64_t *strides; /* tensor: rank strides, in elements;
                             null: dense, row-major */
} titan_argument;

/* What a kernel takes, as the driver says. */
typedef struct titan_resources {
  int32_t registers;    /* a thread, of 32 bits */
  int32_t local_bytes;  /* a thread: spills and stack */
  int32_t threads;      /* a CTA */
  int32_t shared_bytes; /* a CTA, static and dynamic */
} titan_resources;

/* TITAN_ABI_VERSION of the library that is loaded. */
TITAN_API int titan_abi_version(void);

/* Packages. */
TITAN_API titan_error *titan_package_read(const char *path,
                                          titan_package **package);
TITAN_API titan_error *titan_package_parse(const void *bytes, size_t size,
                                           titan_package **package);
/* The work that the package has launched must have ended. Null is allowed. */
TITAN_API void titan_package_release(titan_package *package);
TITAN_API size_t titan_package_kernel_count(const titan_package *package);
/* The name of kernel `index`, or null if there are fewer. */
TITAN_API const char *titan_package_kernel_name(const titan_package *package,
                                                size_t index);
/* A kernel by name; a null name asks for the only kernel. Lives as long as the
 * package. */
TITAN_API titan_error *titan_package_kernel(titan_package *package,
                                            const char *name,
                                            titan_kernel **kernel);

/* Kernels. */
TITAN_API size_t titan_kernel_argument_count(const titan_kernel *kernel);
/* Name, element type and rank of argument `index`; the rank of a scalar is -1.
 * Null, -1 and -1 if there are fewer arguments. */
TITAN_API const char *titan_kernel_argument_name(const titan_kernel *kernel,
                                                 size_t index);
TITAN_API int titan_kernel_argument_dtype(const titan_kernel *kernel,
                                          size_t index);
TITAN_API int titan_kernel_argument_rank(const titan_kernel *kernel,
                                         size_t index);
/* Checks what needs no GPU: types, shapes, strides, alignment. */
TITAN_API titan_error *titan_kernel_check(titan_kernel *kernel,
                                          const titan_argument *arguments,
                                          size_t count);
/* Checks that tensors hold what the kernel begins with (titan.initial: flags,
 * counters). Copies them to the host and waits for the device: to find
 * mistakes, not for each launch. */
TITAN_API titan_error *
titan_kernel_check_contents(titan_kernel *kernel,
                            const titan_argument *arguments, size_t count);
/* Loads the code into the current context. Needed before a graph capture. */
TITAN_API titan_error *titan_kernel_load(titan_kernel *kernel);
/* Loads the code, too. Since version 2. */
TITAN_API titan_error *titan_kernel_resources(titan_kernel *kernel,
                                              titan_resources *resources);
/* Launches on a CUstream of the current context (null: the default stream).
 * Allocates no memory but for an error, waits for nothing: fit for a capture. */
TITAN_API titan_error *titan_kernel_launch(titan_kernel *kernel,
                                           const titan_argument *arguments,
                                           size_t count, void *stream);

/* Sequences: launches that follow each other, prepared once, all but addresses
 * and scalars. Since version 3. */
TITAN_API titan_error *titan_sequence_create(titan_sequence **sequence);
/* Null is allowed. */
TITAN_API void titan_sequence_release(titan_sequence *sequence);
/* Appends a launch of `kernel`, whose package must outlive the sequence.
 * Argument i has the bits values[places[i]] + arguments[i].bits: of a tensor,
 * the latter is an offset in bytes. The arguments are copied, sizes and strides
 * too. Not while the sequence is launched. */
TITAN_API titan_error *titan_sequence_add(titan_sequence *sequence,
                                          titan_kernel *kernel,
                                          const titan_argument *arguments,
                                          const uint32_t *places, size_t count);
/* Makes all launches as titan_kernel_launch would, in order, until one fails.
 * There is a value for each place that is used, and perhaps for more. */
TITAN_API titan_error *titan_sequence_launch(const titan_sequence *sequence,
                                             const uint64_t *values,
                                             size_t count, void *stream);

/* Errors. */
TITAN_API const char *titan_error_code(const titan_error *error);
TITAN_API const char *titan_error_message(const titan_error *error);
TITAN_API const char *titan_error_rule(const titan_error *error);
TITAN_API const char *titan_error_place(const titan_error *error);
TITAN_API const char *titan_error_fix(const titan_error *error);
/* The whole error in its readable form, several lines. */
TITAN_API const char *titan_error_text(const titan_error *error);
/* Null is allowed. */
TITAN_API void titan_error_release(titan_error *error);

#ifdef __cplusplus
}
#endif

#endif /* TITAN_RUNTIME_TITAN_H */
