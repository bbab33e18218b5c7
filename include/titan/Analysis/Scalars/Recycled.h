//===- Recycled.h - memory of small objects, used again ---------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// struct T : Recycled<T>: what `new T` gets is what a T of this thread has left
// behind, if any has. A proof makes and drops polynomials by the million, of which
// there are some thousand at a time. Each thread gives its memory back when it ends.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_ANALYSIS_SCALARS_RECYCLED_H
#define TITAN_ANALYSIS_SCALARS_RECYCLED_H

#include "llvm/Support/Compiler.h"

#include <cstddef>
#include <new>

namespace titan::scalars {

template <typename T> class Recycled {
#if !LLVM_ADDRESS_SANITIZER_BUILD
public:
  static void *operator new(size_t size) {
    if (Left *last = list) {
      list = last->next;
      return last;
    }
    static thread_local AtExit atExit;
    return ::operator new(size);
  }
  static void operator delete(void *memory) {
    if (ended)
      return ::operator delete(memory);
    list = new (memory) Left{list};
  }

private:
  struct Left {
    Left *next;
  };
  struct AtExit {
    ~AtExit() {
      while (Left *last = list) {
        list = last->next;
        ::operator delete(last);
      }
      ended = true;
    }
  };
  static inline constinit thread_local Left *list = nullptr;
  /// (Others of the thread may be dropped behind this.)
  static inline constinit thread_local bool ended = false;
#endif
};

} // namespace titan::scalars

#endif
