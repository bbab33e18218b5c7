/*===- titan_python.h - What python/titan asks beside titan.h --*- C -*-===*\
|*                                                                        *|
|* Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.     *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                *|
|*                                                                        *|
\*===------------------------------------------------------------------===*/
/*
 * Three functions that Python calls as built-in ones (METH_FASTCALL), which costs
 * a tenth of a call through ctypes. The runtime does not link Python: it is
 * handed the few functions that it needs, all of Python's stable ABI. For
 * python/titan of the same version; it may change with it.
 */
#ifndef TITAN_RUNTIME_TITAN_PYTHON_H
#define TITAN_RUNTIME_TITAN_PYTHON_H

#include "titan/Runtime/titan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A tensor: dlpack.h's DLTensor, version 1. */
typedef struct titan_dltensor {
  void *data;
  int32_t device_type, device_id;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  const int64_t *shape;
  const int64_t *strides; /* In elements; null: dense, row-major. */
  uint64_t byte_offset;
} titan_dltensor;

typedef struct titan_python {
  void *none;                                  /* Py_None */
  unsigned long long (*as_word)(void *number); /* PyLong_AsUnsignedLongLong */
  void *(*as_address)(void *number);           /* PyLong_AsVoidPtr */
  void *(*from_address)(void *address);        /* PyLong_FromVoidPtr */
  void *(*exception)(void);                    /* PyErr_Occurred */
  void (*forget_exception)(void);              /* PyErr_Clear */
  void *(*release_lock)(void);                 /* PyEval_SaveThread */
  void (*take_lock)(void *thread);             /* PyEval_RestoreThread */
  void *(*type_of)(void *object);              /* PyObject_Type */
  void (*release)(void *object);               /* Py_DecRef */
  void *plain[2]; /* The types of plain tensors: torch.Tensor and Parameter. */
  /* What a tensor is, valid as long as Python does not run: DLPack's
   * dltensor_from_py_object_no_sync. -1: it raised an exception. */
  int (*look)(void *object, titan_dltensor *out);
} titan_python;

/* Copied; before any other call, and again when `look` changes. */
TITAN_API void titan_python_init(const titan_python *functions);

/* A number for tensors of these element types, devices, sizes and strides, the
 * same for the same ones; None is of a kind of its own. One that DLPack does not
 * know, or of more than 8 dimensions, is of a new kind each time. The objects
 * must be such that `look` takes them; `self` is not read. */
TITAN_API void *titan_python_kind(void *self, void *const *objects,
                                  ptrdiff_t count);

/* The same, and 0 where an object is neither None nor of one of the types
 * `plain`, as they are and not derived from them: any object may be asked
 * about. */
TITAN_API void *titan_python_plain_kind(void *self, void *const *objects,
                                        ptrdiff_t count);

/* titan_sequence_launch: `self` is the sequence's address. The first object
 * says how many tensors follow it, each None (0) or one that this thread asked
 * the kind of, and that has lived since: its address then is known, and is
 * asked for otherwise. Numbers follow; the last one is the stream's, all
 * before it, and the tensors' addresses, are the values. The result is the
 * error's address. */
TITAN_API void *titan_python_launch(void *self, void *const *objects,
                                    ptrdiff_t count);

#ifdef __cplusplus
}
#endif

#endif /* TITAN_RUNTIME_TITAN_PYTHON_H */
