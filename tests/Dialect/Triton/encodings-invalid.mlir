// RUN: titan-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{[layout-syntax] expected sizePerThread = ...}}
tt.func private @f(tensor<8xf32, #ttg.blocked<{order = [0]}>>)

// -----

// expected-error @below {{[layout-syntax] expected an encoding of Triton's (blocked, linear, slice,}}
tt.func private @f(tensor<8xf32, #ttg.blocky<{order = [0]}>>)

// -----

// expected-error @below {{[layout-syntax] expected one encoding as the parent of this one}}
tt.func private @f(tensor<8xf32, #ttg.slice<{dim = 0, parent = "text"}>>)

// -----

#blocked = #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [8, 4], warpsPerCTA = [1, 2], order = [1, 0]}>
// expected-error @below {{[layout-instruction] the order is no permutation of the dimensions}}
tt.func private @f(tensor<8xf32, #blocked>)

// -----

#blocked = #ttg.blocked<{sizePerThread = [2, 3], threadsPerWarp = [8, 4], warpsPerCTA = [1, 2], order = [1, 0]}>
// expected-error @below {{[layout-instruction] a level of 3: Triton's are powers of two}}
tt.func private @f(tensor<8x8xf32, #blocked>)

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
// expected-error @below {{[layout-instruction] the encoding of a tensor says which thread holds an element; this one is of shared memory}}
tt.func private @f(tensor<8x8xf32, #shared>)

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
// expected-error @below {{[layout-instruction] wgmma takes operand 1 from shared memory}}
tt.func private @f(tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>)
