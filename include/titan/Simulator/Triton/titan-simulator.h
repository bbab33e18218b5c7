/*===- titan-simulator.h - Triton programs on the CPU, in C -------*- C -*-===*\
|*
|* Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
|* See LICENSE for licence information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* libtitan-simulator.so: what python/titan/simulation.py runs kernels by. Texts
|* that are returned are JSON, and freed by titan_simulator_free.
|*
\*===----------------------------------------------------------------------===*/
#ifndef TITAN_SIMULATOR_TRITON_TITAN_SIMULATOR_H
#define TITAN_SIMULATOR_TRITON_TITAN_SIMULATOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Memory: the storage of a tensor. */
typedef struct titan_simulator_object {
  const char *name; /**< As the program calls it. */
  int64_t origin;   /**< Where index 0 of that name lies, in bytes. */
  void *data;
  uint64_t bytes;
  int32_t poisoned; /**< Filled by titan_simulator_poison with this seed. */
  int32_t address;  /**< Numbers in memory may be addresses in it. */
  uint64_t seed;
  /** Of what is poisoned, a byte for each that says whether a launch has written
      it, kept from launch to launch; or null. */
  uint8_t *written;
  int32_t shared; /**< Others than launches may have written it. */
} titan_simulator_object;

enum titan_simulator_kind {
  titan_simulator_scalar = 0,
  titan_simulator_pointer = 1,
  titan_simulator_descriptor = 2
};

typedef struct titan_simulator_argument {
  int32_t kind;
  int32_t object; /**< -1: bits is an address of the host, or null. */
  int64_t offset; /**< In bytes. */
  uint64_t bits;  /**< Of a scalar, in the low end. */
  /** Of a descriptor, in elements. */
  int32_t rank, nan;
  const int64_t *shape, *strides;
} titan_simulator_argument;

typedef struct titan_simulator_options {
  int64_t grid[3];
  const char *schedule; /**< "eager", "lazy", "random:SEED" */
  int32_t threads;      /**< 0: as many as there are cores. */
  int32_t progress;     /**< A line on stderr while it runs. */
  /** Set to other than 0 by another thread: gives the run up. */
  volatile int32_t *cancel;
  int32_t warps;      /**< Of a program, of 32 threads. */
  uint64_t max_steps; /**< Operations of one program; 0: 2^33. */
} titan_simulator_options;

/** Reads TTIR. Null, and an object with "findings", where it is none. */
void *titan_simulator_read(const char *text, size_t size, char **report);
void titan_simulator_release(void *program);

/** Whether the programs of a kernel take turns, so that the schedule matters. */
int32_t titan_simulator_takes_turns(void *program);

/** Runs a grid. 0, or 1 and "findings" in the report, which also has "printed",
    "programs", "operations", "seconds". */
int32_t titan_simulator_run(void *program, const char *kernel,
                            const titan_simulator_object *objects,
                            size_t object_count,
                            const titan_simulator_argument *arguments,
                            size_t argument_count,
                            const titan_simulator_options *options,
                            char **report);

/** Fills memory with what counts as written by nobody. */
void titan_simulator_poison(void *data, uint64_t bytes, uint64_t seed);

/** All codes (docs/codes.md), an array of texts. */
char *titan_simulator_codes(void);

void titan_simulator_free(char *report);

#ifdef __cplusplus
}
#endif

#endif
