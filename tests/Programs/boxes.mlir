// RUN: titan check --proof=off %s
// RUN: for s in eager lazy random:1; do titan run %s --schedule $s || exit 1; done | FileCheck %s
// RUN: titan run %s --hazards=off | FileCheck %s --check-prefix=OFF
// RUN: for k in ragged predicated strided swizzled; do titan compile %s --kernel $k -o %t.$k || exit 1; done
//
// Tiles that equal boxes do not make up: full boxes and one of what is left, each with its
// own map. Each kernel copies all tiles of X to L, tile after tile, and the reference
// says by the definition of the schedule what stands there: elements of X, zero in holes.
// tests/Transforms/lower-copies.mlir shows what is run.
//
// CHECK-COUNT-12: elements equal to the reference, bit for bit
// OFF-COUNT-4: elements equal to the reference, bit for bit

!full = !titan.mbarrier
!bulk = !titan.token<bulk>

// 600 rows in three tiles of 257, a prime; the last one is mostly a hole. L begins with
// zeros; the tiles are added to it.
#ragged = #titan.schedule<tensor M x J Mo, Mi = split(M, 257) bulk Mi, J>
titan.kernel @ragged(%X: !titan.global<600x8xf32>, %L: !titan.global<771x8xf32>) warps(1) attributes {
  titan.example = {sizes = {}, X = "600x8 random:1", L = "771x8 zeros"},
  titan.reference = @ragged_reference
} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %tile = titan.shared.alloc : !titan.shared<257x8xf32>
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.mbarrier.init %full count(1) : !full
    titan.fence.mbarrier_init
    scf.for %i = %c0 to %c3 step %c1 {
      titan.copy_async %X at(Mo = %i) to %tile signals %full schedule(#ragged) strong
          : !titan.global<600x8xf32>, !titan.shared<257x8xf32>, !full
      titan.mbarrier.arrive %full : !full
      %parity = arith.remui %i, %c2 : index
      %parity32 = arith.index_cast %parity : index to i32
      titan.mbarrier.wait %full parity(%parity32) : !full
      titan.copy_async %tile to %L at(Mo = %i) schedule(#ragged) reduce(add)
          : !titan.shared<257x8xf32>, !titan.global<771x8xf32>
      %group = titan.bulk.commit : !bulk
      titan.bulk.wait %group : !bulk
    }
  }
  titan.return
}
func.func private @ragged_reference(%X: memref<600x8xf32> {titan.input = "X"},
                                    %L: memref<771x8xf32> {titan.expected = "L"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %n = arith.constant 771 : index
  %size = arith.constant 600 : index
  %zero = arith.constant 0.0 : f32
  scf.for %place = %c0 to %n step %c1 {
    %valid = arith.cmpi ult, %place, %size : index
    scf.for %j = %c0 to %c8 step %c1 {
      %value = scf.if %valid -> f32 {
        %x = memref.load %X[%place, %j] : memref<600x8xf32>
        scf.yield %x : f32
      } else {
        scf.yield %zero : f32
      }
      memref.store %value, %L[%place, %j] : memref<771x8xf32>
    }
  }
  return
}

// 2056 rows in 4 tiles of 514, in pairs, each of which is looked at in two steps of three:
// tiles 3 and 5 of them are holes (level 2), all three boxes.
#predicated = #titan.schedule<tensor M x J Mt, Mi = split(M, 514) Mo, Mp = split(Mt, 2) Ma, Mb = split(Mp, 3)
  bulk Mi, J map M, J>
#places = #titan.schedule<tensor M x J Mo, Mi = split(M, 514) bulk Mi, J>
titan.kernel @predicated(%X: !titan.global<2056x8xf32>, %L: !titan.global<3084x8xf32>) warps(1) attributes {
  titan.example = {sizes = {}, X = "2056x8 random:1", L = "3084x8"},
  titan.reference = @predicated_reference
} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %tile = titan.shared.alloc : !titan.shared<514x8xf32>
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.mbarrier.init %full count(1) : !full
    titan.fence.mbarrier_init
    scf.for %o = %c0 to %c2 step %c1 {
      %base = arith.muli %o, %c3 : index
      scf.for %b = %c0 to %c3 step %c1 {
        %k = arith.addi %base, %b : index
        titan.copy_async %X at(Mo = %o, Ma = %c0, Mb = %b) to %tile signals %full schedule(#predicated) strong
            : !titan.global<2056x8xf32>, !titan.shared<514x8xf32>, !full
        titan.mbarrier.arrive %full : !full
        %parity = arith.remui %k, %c2 : index
        %parity32 = arith.index_cast %parity : index to i32
        titan.mbarrier.wait %full parity(%parity32) : !full
        titan.copy_async %tile to %L at(Mo = %k) schedule(#places)
            : !titan.shared<514x8xf32>, !titan.global<3084x8xf32>
        %group = titan.bulk.commit : !bulk
        titan.bulk.wait %group : !bulk
      }
    }
  }
  titan.return
}
func.func private @predicated_reference(%X: memref<2056x8xf32> {titan.input = "X"},
                                        %L: memref<3084x8xf32> {titan.expected = "L"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c514 = arith.constant 514 : index
  %n = arith.constant 3084 : index
  %zero = arith.constant 0.0 : f32
  scf.for %place = %c0 to %n step %c1 {
    %k = arith.divui %place, %c514 : index
    %i = arith.remui %place, %c514 : index
    %o = arith.divui %k, %c3 : index
    %b = arith.remui %k, %c3 : index
    %valid = arith.cmpi ult, %b, %c2 : index
    %pair = arith.muli %o, %c2 : index
    %t = arith.addi %pair, %b : index
    %start = arith.muli %t, %c514 : index
    %row = arith.addi %start, %i : index
    scf.for %j = %c0 to %c8 step %c1 {
      %value = scf.if %valid -> f32 {
        %x = memref.load %X[%row, %j] : memref<2056x8xf32>
        scf.yield %x : f32
      } else {
        scf.yield %zero : f32
      }
      memref.store %value, %L[%place, %j] : memref<3084x8xf32>
    }
  }
  return
}

// Every third row of 903 as one tile: 301 elements 3 apart, boxes of at most 86.
#strided = #titan.schedule<tensor M x J Mi, S = split(M, 3) bulk Mi, J>
#row = #titan.schedule<tensor M x J Mo, Mi = split(M, 301) bulk Mi, J>
titan.kernel @strided(%X: !titan.global<903x8xf32>, %L: !titan.global<903x8xf32>) warps(1) attributes {
  titan.example = {sizes = {}, X = "903x8 random:1", L = "903x8"},
  titan.reference = @strided_reference
} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %tile = titan.shared.alloc : !titan.shared<301x8xf32>
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.mbarrier.init %full count(1) : !full
    titan.fence.mbarrier_init
    scf.for %i = %c0 to %c3 step %c1 {
      titan.copy_async %X at(S = %i) to %tile signals %full schedule(#strided) strong
          : !titan.global<903x8xf32>, !titan.shared<301x8xf32>, !full
      titan.mbarrier.arrive %full : !full
      %parity = arith.remui %i, %c2 : index
      %parity32 = arith.index_cast %parity : index to i32
      titan.mbarrier.wait %full parity(%parity32) : !full
      titan.copy_async %tile to %L at(Mo = %i) schedule(#row)
          : !titan.shared<301x8xf32>, !titan.global<903x8xf32>
      %group = titan.bulk.commit : !bulk
      titan.bulk.wait %group : !bulk
    }
  }
  titan.return
}
func.func private @strided_reference(%X: memref<903x8xf32> {titan.input = "X"},
                                     %L: memref<903x8xf32> {titan.expected = "L"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c301 = arith.constant 301 : index
  %n = arith.constant 903 : index
  scf.for %place = %c0 to %n step %c1 {
    %s = arith.divui %place, %c301 : index
    %t = arith.remui %place, %c301 : index
    %first = arith.muli %t, %c3 : index
    %row = arith.addi %first, %s : index
    scf.for %j = %c0 to %c8 step %c1 {
      %x = memref.load %X[%row, %j] : memref<903x8xf32>
      memref.store %x, %L[%place, %j] : memref<903x8xf32>
    }
  }
  return
}

// Two panels of a swizzle, of 304 rows each: boxes of 256 and of 48 rows, twice.
#swizzled = #titan.schedule<tensor M x K Mo, Mi = split(M, 304) bulk Mi, K>
titan.kernel @swizzled(%X: !titan.global<900x64xf32>, %L: !titan.global<912x64xf32>) warps(1) attributes {
  titan.example = {sizes = {}, X = "900x64 random:1", L = "912x64"},
  titan.reference = @swizzled_reference
} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %tile = titan.shared.alloc : !titan.shared<304x64xf32, swizzle = 128>
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.mbarrier.init %full count(1) : !full
    titan.fence.mbarrier_init
    scf.for %i = %c0 to %c3 step %c1 {
      titan.copy_async %X at(Mo = %i) to %tile signals %full schedule(#swizzled) strong
          : !titan.global<900x64xf32>, !titan.shared<304x64xf32, swizzle = 128>, !full
      titan.mbarrier.arrive %full : !full
      %parity = arith.remui %i, %c2 : index
      %parity32 = arith.index_cast %parity : index to i32
      titan.mbarrier.wait %full parity(%parity32) : !full
      titan.copy_async %tile to %L at(Mo = %i) schedule(#swizzled)
          : !titan.shared<304x64xf32, swizzle = 128>, !titan.global<912x64xf32>
      %group = titan.bulk.commit : !bulk
      titan.bulk.wait %group : !bulk
    }
  }
  titan.return
}
func.func private @swizzled_reference(%X: memref<900x64xf32> {titan.input = "X"},
                                      %L: memref<912x64xf32> {titan.expected = "L"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c900 = arith.constant 900 : index
  %n = arith.constant 912 : index
  %zero = arith.constant 0.0 : f32
  scf.for %place = %c0 to %n step %c1 {
    %valid = arith.cmpi ult, %place, %c900 : index
    scf.for %j = %c0 to %c64 step %c1 {
      %value = scf.if %valid -> f32 {
        %x = memref.load %X[%place, %j] : memref<900x64xf32>
        scf.yield %x : f32
      } else {
        scf.yield %zero : f32
      }
      memref.store %value, %L[%place, %j] : memref<912x64xf32>
    }
  }
  return
}
