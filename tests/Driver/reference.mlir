// What a reference may say, and what titan run says of it: docs/language.md, "The reference".
//
// Each element is the expected value rounded, and still as far from it as rounding takes.
// RUN: titan run %s --kernel bounded | FileCheck %s --check-prefix=BOUNDED
// BOUNDED: Y (64x64xbf16): 4096 elements agree with the reference; largest error 0.004 from the unrounded one, at most 8% of what is allowed
// What rounding takes is allowed, whatever the bound is: all of it is taken.
// RUN: titan run %s --kernel tight | FileCheck %s --check-prefix=TIGHT
// TIGHT: Y (64x64xbf16): 4096 elements agree with the reference; largest error 0.004 from the unrounded one, at most 100% of what is allowed
// RUN: titan run %s --kernel tight --json | FileCheck %s --check-prefix=JSON
// JSON: "largest_error": 0.003999
// JSON: "largest_share": 1
// Small integers, and titan.exact: no bound counts.
// RUN: not titan run %s --kernel exact 2>&1 | FileCheck %s --check-prefix=EXACT
// EXACT: [reference-mismatch] {{[0-9]+}} of 4096 elements of Y are wrong: Y[{{.*}}] is {{.*}}, the reference is {{.*}}, and no error is allowed
// Other numbers: the bound does.
// RUN: titan run %s --kernel exact --arg X=random:1 | FileCheck %s --check-prefix=INEXACT
// INEXACT: 4096 elements agree with the reference; largest error 0.5 from
// Without a bound: the value rounded, bit for bit.
// RUN: titan run %s --kernel unbounded | FileCheck %s --check-prefix=EQUAL
// EQUAL: Y (64x64xbf16): 4096 elements equal to the reference, bit for bit

!matrix = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bulk   = !titan.token<bulk>

#same = affine_map<(m, n) -> (m, n)>

titan.kernel @bounded(%X: !matrix, %Y: !matrix) warps(1) attributes {
  titan.example = {X = "64x64 ints:1", Y = "64x64"}, titan.reference = @thousandth
} launch {
  %c1 = arith.constant 1 : index
  %mapX = titan.tensor_map %X : !matrix -> !map
  %mapY = titan.tensor_map %Y : !matrix -> !map
  titan.launch grid(%c1) with(%mapX, %mapY : !map, !map)
} body(%mapX: !map, %mapY: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %tile = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.tma.load %mapX[%c0, %c0], %tile, %full : !map, !tile, !titan.mbarrier
    titan.mbarrier.wait %full parity(%i0) : !titan.mbarrier
    titan.tma.store %tile, %mapY[%c0, %c0] : !tile, !map
    %group = titan.bulk.commit : !bulk
    titan.bulk.wait %group : !bulk
  }
  titan.return
}

// X and a thousandth of each element; 0.05 may be wrong.
func.func private @thousandth(%X: memref<?x?xbf16> {titan.input = "X"},
    %Y: memref<?x?xf64> {titan.expected = "Y"}, %bound: memref<?x?xf64> {titan.bound = "Y"}) {
  %allowed = arith.constant 5.0e-2 : f64
  %factor = arith.constant 1.001 : f64
  linalg.fill ins(%allowed : f64) outs(%bound : memref<?x?xf64>)
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%X : memref<?x?xbf16>) outs(%Y : memref<?x?xf64>) {
  ^bb0(%x: bf16, %y: f64):
    %e = arith.extf %x : bf16 to f64
    %z = arith.mulf %e, %factor : f64
    linalg.yield %z : f64
  }
  return
}

titan.kernel @tight(%X: !matrix, %Y: !matrix) warps(1) attributes {
  titan.example = {X = "64x64 ints:1", Y = "64x64"}, titan.reference = @thousandth_nothing_else
} launch {
  %c1 = arith.constant 1 : index
  %mapX = titan.tensor_map %X : !matrix -> !map
  %mapY = titan.tensor_map %Y : !matrix -> !map
  titan.launch grid(%c1) with(%mapX, %mapY : !map, !map)
} body(%mapX: !map, %mapY: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %tile = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.tma.load %mapX[%c0, %c0], %tile, %full : !map, !tile, !titan.mbarrier
    titan.mbarrier.wait %full parity(%i0) : !titan.mbarrier
    titan.tma.store %tile, %mapY[%c0, %c0] : !tile, !map
    %group = titan.bulk.commit : !bulk
    titan.bulk.wait %group : !bulk
  }
  titan.return
}

// X and a thousandth of each element; nothing may be wrong but rounding.
func.func private @thousandth_nothing_else(%X: memref<?x?xbf16> {titan.input = "X"},
    %Y: memref<?x?xf64> {titan.expected = "Y"}, %bound: memref<?x?xf64> {titan.bound = "Y"}) {
  %allowed = arith.constant 1.0e-9 : f64
  %factor = arith.constant 1.001 : f64
  linalg.fill ins(%allowed : f64) outs(%bound : memref<?x?xf64>)
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%X : memref<?x?xbf16>) outs(%Y : memref<?x?xf64>) {
  ^bb0(%x: bf16, %y: f64):
    %e = arith.extf %x : bf16 to f64
    %z = arith.mulf %e, %factor : f64
    linalg.yield %z : f64
  }
  return
}

titan.kernel @exact(%X: !matrix, %Y: !matrix) warps(1) attributes {
  titan.example = {X = "64x64 ints:1", Y = "64x64"}, titan.reference = @half_wrong
} launch {
  %c1 = arith.constant 1 : index
  %mapX = titan.tensor_map %X : !matrix -> !map
  %mapY = titan.tensor_map %Y : !matrix -> !map
  titan.launch grid(%c1) with(%mapX, %mapY : !map, !map)
} body(%mapX: !map, %mapY: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %tile = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.tma.load %mapX[%c0, %c0], %tile, %full : !map, !tile, !titan.mbarrier
    titan.mbarrier.wait %full parity(%i0) : !titan.mbarrier
    titan.tma.store %tile, %mapY[%c0, %c0] : !tile, !map
    %group = titan.bulk.commit : !bulk
    titan.bulk.wait %group : !bulk
  }
  titan.return
}

// X and a half: within the bound, and wrong.
func.func private @half_wrong(%X: memref<?x?xbf16> {titan.input = "X"},
    %Y: memref<?x?xf64> {titan.expected = "Y"}, %bound: memref<?x?xf64> {titan.bound = "Y"})
    attributes {titan.exact} {
  %allowed = arith.constant 1.0 : f64
  %factor = arith.constant 5.0e-1 : f64
  linalg.fill ins(%allowed : f64) outs(%bound : memref<?x?xf64>)
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%X : memref<?x?xbf16>) outs(%Y : memref<?x?xf64>) {
  ^bb0(%x: bf16, %y: f64):
    %e = arith.extf %x : bf16 to f64
    %z = arith.addf %e, %factor : f64
    linalg.yield %z : f64
  }
  return
}

titan.kernel @unbounded(%X: !matrix, %Y: !matrix) warps(1) attributes {
  titan.example = {X = "64x64 ints:1", Y = "64x64"}, titan.reference = @thousandth_rounded
} launch {
  %c1 = arith.constant 1 : index
  %mapX = titan.tensor_map %X : !matrix -> !map
  %mapY = titan.tensor_map %Y : !matrix -> !map
  titan.launch grid(%c1) with(%mapX, %mapY : !map, !map)
} body(%mapX: !map, %mapY: !map) {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %bytes = arith.constant 8192 : i32
  %tile = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.mbarrier.arrive_expect_tx %full, %bytes : !titan.mbarrier
    titan.tma.load %mapX[%c0, %c0], %tile, %full : !map, !tile, !titan.mbarrier
    titan.mbarrier.wait %full parity(%i0) : !titan.mbarrier
    titan.tma.store %tile, %mapY[%c0, %c0] : !tile, !map
    %group = titan.bulk.commit : !bulk
    titan.bulk.wait %group : !bulk
  }
  titan.return
}

// X and a thousandth of each element; no bound.
func.func private @thousandth_rounded(%X: memref<?x?xbf16> {titan.input = "X"},
    %Y: memref<?x?xf64> {titan.expected = "Y"}) {
  %factor = arith.constant 1.001 : f64
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%X : memref<?x?xbf16>) outs(%Y : memref<?x?xf64>) {
  ^bb0(%x: bf16, %y: f64):
    %e = arith.extf %x : bf16 to f64
    %z = arith.mulf %e, %factor : f64
    linalg.yield %z : f64
  }
  return
}
