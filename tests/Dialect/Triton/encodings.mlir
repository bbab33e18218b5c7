// Layout encodings are printed as they stand here, which is how Triton 3.6 prints them.
// RUN: titan-opt %s | diff - <(grep -v '^//' %s; echo)
#blocked = #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [8, 4], warpsPerCTA = [1, 2], order = [1, 0], CGALayout = [[1, 0], [0, 1]]}>
#blocked1 = #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [8, 4], warpsPerCTA = [1, 2], order = [1, 0]}>
#linear = #ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0]], block = []}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#mma1 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 2], instrShape = [16, 64, 16]}>
#mma2 = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 16], isTransposed = true, tilesPerWarp = [2, 1], elementBitWidth = 64}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0], CGALayout = [[1, 0]]}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8, fp4Padded = true, CGALayout = [[0, 1]]}>
#shared2 = #ttg.padded_shared<[32:+4] {order = [1, 0], shape = [16, 16]}>
#shared3 = #ttg.padded_shared<[32:+4, 64:+8] {offset = [[0, 1], [0, 2], [2, 0], [1, 0]], block = []}>
#shared4 = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], block = [[8, 0]]}, alignment = 32>
module attributes {test.memory = [#shared, #shared1, #shared2, #shared3, #shared4]} {
  tt.func public @f(%arg0: tensor<32x32xf16, #blocked>, %arg1: tensor<16xf16, #ttg.slice<{dim = 1, parent = #blocked1}>>, %arg2: tensor<16x8xf16, #linear>, %arg3: tensor<64x64xf32, #mma>, %arg4: tensor<64x64xf32, #mma1>, %arg5: tensor<64x64xf64, #mma2>, %arg6: tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, %arg7: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked1}>>) {
    %0 = arith.addf %arg0, %arg0 : tensor<32x32xf16, #blocked>
    %1 = arith.addf %arg1, %arg1 : tensor<16xf16, #ttg.slice<{dim = 1, parent = #blocked1}>>
    tt.return
  }
}
