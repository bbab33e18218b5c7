# Compiler and linker options of every target, with or without LLVM.
#
# Release with assertions is the default: a compiler that checks kernels keeps
# its own checks on.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

add_compile_options(-Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers)

if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # Precompiled headers whose identity does not depend on time, so that ccache
  # can hit (with CCACHE_SLOPPINESS, which ./titan sets).
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  # For what is compiled once and runs for milliseconds: a third less time to compile.
  set(TITAN_INLINE_LITTLE "SHELL:-mllvm -inline-threshold=25")
  # And for what no loop waits for: the fast choice of instructions.
  set(TITAN_FAST_ISEL "SHELL:-mllvm -fast-isel=1")
  find_program(TITAN_LLD NAMES ld.lld-22 ld.lld)
  if(TITAN_LLD)
    add_link_options(--ld-path=${TITAN_LLD})
  endif()
endif()

# vptr and function compare type information with that of libMLIR, which has
# none. What is found ends the program (./test sets the sanitizers' options).
if(TITAN_SANITIZE)
  string(REPLACE "-O2" "-O1" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
  add_compile_options(-fsanitize=address,undefined -fno-omit-frame-pointer
                      -fno-sanitize=vptr,function -fno-sanitize-recover=all -g1)
  add_link_options(-fsanitize=address,undefined)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()
