// RUN: titan check --proof=off %s
// RUN: for s in eager lazy random:1; do titan run %s --schedule $s || exit 1; done | FileCheck %s
// RUN: titan run %s --hazards=off | FileCheck %s --check-prefix=OFF
//
// The figures of "TMA Modeling In Depth", run: each kernel copies all tiles of X, one
// after the other, through one tile in shared memory to a list of tiles, and the
// reference says by the definition of the schedule what stands in each place: an element,
// or in a hole zero. Elements are rows of 4 floats. tests/Transforms/lower-copies.mlir
// shows what is run.
//
// CHECK-COUNT-21: elements equal to the reference, bit for bit
// OFF-COUNT-7: elements equal to the reference, bit for bit

!full = !titan.mbarrier
!bulk = !titan.token<bulk>

// Figure 2, strong: tiles beyond the two of a pair are of the next pair.
#figure_2 = #titan.schedule<tensor I1 x J I2, I3 = split(I1, 2) I4, I5 = split(I2, 2) I6, I7 = split(I5, 4) bulk I3, J map I1, J>
titan.kernel @figure_2(%X: !titan.global<12x4xf32>, %L: !titan.global<24x4xf32>) warps(1) attributes {
  titan.example = {sizes = {}, X = "12x4 random:1", L = "24x4"},
  titan.reference = @figure_2_reference
} launch {
  %one = arith.constant 1 : index
  %mapL = titan.tensor_map %L : !titan.global<24x4xf32> -> !titan.tensor_map<2x4xf32>
  titan.launch grid(%one) with(%mapL : !titan.tensor_map<2x4xf32>)
} body(%mapL: !titan.tensor_map<2x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rows = arith.constant 2 : index
  %tile = titan.shared.alloc : !titan.shared<2x4xf32>
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.mbarrier.init %full count(1) : !full
    titan.fence.mbarrier_init
    %ni4 = arith.constant 3 : index
    scf.for %i4 = %c0 to %ni4 step %c1 {
      %ai4 = arith.muli %c0, %ni4 : index
      %bi4 = arith.addi %ai4, %i4 : index
      %ni7 = arith.constant 4 : index
      scf.for %i7 = %c0 to %ni7 step %c1 {
        %ai7 = arith.muli %bi4, %ni7 : index
        %bi7 = arith.addi %ai7, %i7 : index
        titan.copy_async %X at(I4 = %i4, I7 = %i7) to %tile signals %full schedule(#figure_2) strong
            : !titan.global<12x4xf32>, !titan.shared<2x4xf32>, !full
        titan.mbarrier.arrive %full : !full
        %parity = arith.remui %bi7, %c2 : index
        %parity32 = arith.index_cast %parity : index to i32
        titan.mbarrier.wait %full parity(%parity32) : !full
        %at = arith.muli %bi7, %rows : index
        titan.tma.store %tile, %mapL[%at, %c0] : !titan.shared<2x4xf32>, !titan.tensor_map<2x4xf32>
        %group = titan.bulk.commit : !bulk
        titan.bulk.wait %group : !bulk
      }
    }
  }
  titan.return
}
// The same with loops as dimensions: tiles beyond the two are outside.
#figure_2_free = #titan.schedule<tensor I1 x J I2, I3 = split(I1, 2) I4, I5 = split(I2, 2) I6, I7 = split(I5, 4) bulk I3, J>
titan.kernel @figure_2_free(%X: !titan.global<12x4xf32>, %L: !titan.global<24x4xf32>) warps(1) attributes {
  titan.example = {sizes = {}, X = "12x4 random:1", L = "24x4"},
  titan.reference = @figure_2_reference
} launch {
  %one = arith.constant 1 : index
  %mapL = titan.tensor_map %L : !titan.global<24x4xf32> -> !titan.tensor_map<2x4xf32>
  titan.launch grid(%one) with(%mapL : !titan.tensor_map<2x4xf32>)
} body(%mapL: !titan.tensor_map<2x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rows = arith.constant 2 : index
  %tile = titan.shared.alloc : !titan.shared<2x4xf32>
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.mbarrier.init %full count(1) : !full
    titan.fence.mbarrier_init
    %ni4 = arith.constant 3 : index
    scf.for %i4 = %c0 to %ni4 step %c1 {
      %ai4 = arith.muli %c0, %ni4 : index
      %bi4 = arith.addi %ai4, %i4 : index
      %ni7 = arith.constant 4 : index
      scf.for %i7 = %c0 to %ni7 step %c1 {
        %ai7 = arith.muli %bi4, %ni7 : index
        %bi7 = arith.addi %ai7, %i7 : index
        titan.copy_async %X at(I4 = %i4, I7 = %i7) to %tile signals %full schedule(#figure_2_free) strong
            : !titan.global<12x4xf32>, !titan.shared<2x4xf32>, !full
        titan.mbarrier.arrive %full : !full
        %parity = arith.remui %bi7, %c2 : index
        %parity32 = arith.index_cast %parity : index to i32
        titan.mbarrier.wait %full parity(%parity32) : !full
        %at = arith.muli %bi7, %rows : index
        titan.tma.store %tile, %mapL[%at, %c0] : !titan.shared<2x4xf32>, !titan.tensor_map<2x4xf32>
        %group = titan.bulk.commit : !bulk
        titan.bulk.wait %group : !bulk
      }
    }
  }
  titan.return
}
func.func private @figure_2_reference(%X: memref<12x4xf32> {titan.input = "X"},
                                  %L: memref<24x4xf32> {titan.expected = "L"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 24 : index
  scf.for %place = %c0 to %n step %c1 {
    %k2 = arith.constant 2 : index
    %v1 = arith.remui %place, %k2 : index
    %v2 = arith.divui %place, %k2 : index
    %k4 = arith.constant 4 : index
    %v3 = arith.remui %v2, %k4 : index
    %v4 = arith.divui %v2, %k4 : index
    %v5 = arith.muli %v4, %k2 : index
    %v6 = arith.addi %v5, %v3 : index
    %v7 = arith.muli %v6, %k2 : index
    %v8 = arith.addi %v7, %v1 : index
    %t9 = arith.cmpi ult, %v3, %k2 : index
    %k12 = arith.constant 12 : index
    %t10 = arith.cmpi ult, %v8, %k12 : index
    %t11 = arith.andi %t9, %t10 : i1
    %true = arith.constant true
    %valid = arith.andi %t11, %true : i1
    scf.for %j = %c0 to %c4 step %c1 {
      %value = scf.if %valid -> f32 {
        %x = memref.load %X[%v8, %j] : memref<12x4xf32>
        scf.yield %x : f32
      } else {
        scf.yield %zero : f32
      }
      memref.store %value, %L[%place, %j] : memref<24x4xf32>
    }
  }
  return
}

// Figure 3: holes outside of the tensor only.
#figure_3 = #titan.schedule<tensor I1 x I2 x J I3, I4 = split(I1, 2) I5, I6 = split(I2, 4) I7 = merge(I3, I5) I9, I10 = split(I7, 4)
  bulk I4, I6, J  map I1, I2, J>
titan.kernel @figure_3(%X: !titan.global<6x6x4xf32>, %L: !titan.global<64x4xf32>) warps(1) attributes {
  titan.example = {sizes = {}, X = "6x6x4 random:1", L = "64x4"},
  titan.reference = @figure_3_reference
} launch {
  %one = arith.constant 1 : index
  %mapL = titan.tensor_map %L : !titan.global<64x4xf32> -> !titan.tensor_map<8x4xf32>
  titan.launch grid(%one) with(%mapL : !titan.tensor_map<8x4xf32>)
} body(%mapL: !titan.tensor_map<8x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rows = arith.constant 8 : index
  %tile = titan.shared.alloc : !titan.shared<2x4x4xf32>
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.mbarrier.init %full count(1) : !full
    titan.fence.mbarrier_init
    %ni9 = arith.constant 2 : index
    scf.for %i9 = %c0 to %ni9 step %c1 {
      %ai9 = arith.muli %c0, %ni9 : index
      %bi9 = arith.addi %ai9, %i9 : index
      %ni10 = arith.constant 4 : index
      scf.for %i10 = %c0 to %ni10 step %c1 {
        %ai10 = arith.muli %bi9, %ni10 : index
        %bi10 = arith.addi %ai10, %i10 : index
        titan.copy_async %X at(I9 = %i9, I10 = %i10) to %tile signals %full schedule(#figure_3) strong
            : !titan.global<6x6x4xf32>, !titan.shared<2x4x4xf32>, !full
        titan.mbarrier.arrive %full : !full
        %parity = arith.remui %bi10, %c2 : index
        %parity32 = arith.index_cast %parity : index to i32
        titan.mbarrier.wait %full parity(%parity32) : !full
        %at = arith.muli %bi10, %rows : index
        titan.tma.store %tile, %mapL[%at, %c0] : !titan.shared<2x4x4xf32>, !titan.tensor_map<8x4xf32>
        %group = titan.bulk.commit : !bulk
        titan.bulk.wait %group : !bulk
      }
    }
  }
  titan.return
}
func.func private @figure_3_reference(%X: memref<6x6x4xf32> {titan.input = "X"},
                                  %L: memref<64x4xf32> {titan.expected = "L"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 64 : index
  scf.for %place = %c0 to %n step %c1 {
    %k4 = arith.constant 4 : index
    %v1 = arith.remui %place, %k4 : index
    %v2 = arith.divui %place, %k4 : index
    %k2 = arith.constant 2 : index
    %v3 = arith.remui %v2, %k2 : index
    %v4 = arith.divui %v2, %k2 : index
    %v5 = arith.remui %v4, %k4 : index
    %v6 = arith.divui %v4, %k4 : index
    %v7 = arith.muli %v6, %k4 : index
    %v8 = arith.addi %v7, %v5 : index
    %v9 = arith.divui %v8, %k2 : index
    %v10 = arith.remui %v8, %k2 : index
    %v11 = arith.muli %v9, %k2 : index
    %v12 = arith.addi %v11, %v3 : index
    %v13 = arith.muli %v10, %k4 : index
    %v14 = arith.addi %v13, %v1 : index
    %k6 = arith.constant 6 : index
    %t15 = arith.cmpi ult, %v8, %k6 : index
    %t16 = arith.cmpi ult, %v12, %k6 : index
    %t17 = arith.andi %t15, %t16 : i1
    %t18 = arith.cmpi ult, %v14, %k6 : index
    %t19 = arith.andi %t17, %t18 : i1
    %true = arith.constant true
    %valid = arith.andi %t19, %true : i1
    scf.for %j = %c0 to %c4 step %c1 {
      %value = scf.if %valid -> f32 {
        %x = memref.load %X[%v12, %v14, %j] : memref<6x6x4xf32>
        scf.yield %x : f32
      } else {
        scf.yield %zero : f32
      }
      memref.store %value, %L[%place, %j] : memref<64x4xf32>
    }
  }
  return
}

// Figure 4: the same boxes, other loops.
#figure_4 = #titan.schedule<tensor I1 x I2 x J I3, I4 = split(I1, 2) I5, I6 = split(I2, 4) I7, I8 = split(I3, 2)
  I10 = merge(I5, I8) I11, I12 = split(I10, 3) bulk I4, I6, J  map I1, I2, J>
titan.kernel @figure_4(%X: !titan.global<6x6x4xf32>, %L: !titan.global<96x4xf32>) warps(1) attributes {
  titan.example = {sizes = {}, X = "6x6x4 random:1", L = "96x4"},
  titan.reference = @figure_4_reference
} launch {
  %one = arith.constant 1 : index
  %mapL = titan.tensor_map %L : !titan.global<96x4xf32> -> !titan.tensor_map<8x4xf32>
  titan.launch grid(%one) with(%mapL : !titan.tensor_map<8x4xf32>)
} body(%mapL: !titan.tensor_map<8x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rows = arith.constant 8 : index
  %tile = titan.shared.alloc : !titan.shared<2x4x4xf32>
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.mbarrier.init %full count(1) : !full
    titan.fence.mbarrier_init
    %ni7 = arith.constant 2 : index
    scf.for %i7 = %c0 to %ni7 step %c1 {
      %ai7 = arith.muli %c0, %ni7 : index
      %bi7 = arith.addi %ai7, %i7 : index
      %ni11 = arith.constant 2 : index
      scf.for %i11 = %c0 to %ni11 step %c1 {
        %ai11 = arith.muli %bi7, %ni11 : index
        %bi11 = arith.addi %ai11, %i11 : index
        %ni12 = arith.constant 3 : index
        scf.for %i12 = %c0 to %ni12 step %c1 {
          %ai12 = arith.muli %bi11, %ni12 : index
          %bi12 = arith.addi %ai12, %i12 : index
          titan.copy_async %X at(I7 = %i7, I11 = %i11, I12 = %i12) to %tile signals %full schedule(#figure_4) strong
              : !titan.global<6x6x4xf32>, !titan.shared<2x4x4xf32>, !full
          titan.mbarrier.arrive %full : !full
          %parity = arith.remui %bi12, %c2 : index
          %parity32 = arith.index_cast %parity : index to i32
          titan.mbarrier.wait %full parity(%parity32) : !full
          %at = arith.muli %bi12, %rows : index
          titan.tma.store %tile, %mapL[%at, %c0] : !titan.shared<2x4x4xf32>, !titan.tensor_map<8x4xf32>
          %group = titan.bulk.commit : !bulk
          titan.bulk.wait %group : !bulk
        }
      }
    }
  }
  titan.return
}
func.func private @figure_4_reference(%X: memref<6x6x4xf32> {titan.input = "X"},
                                  %L: memref<96x4xf32> {titan.expected = "L"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 96 : index
  scf.for %place = %c0 to %n step %c1 {
    %k4 = arith.constant 4 : index
    %v1 = arith.remui %place, %k4 : index
    %v2 = arith.divui %place, %k4 : index
    %k2 = arith.constant 2 : index
    %v3 = arith.remui %v2, %k2 : index
    %v4 = arith.divui %v2, %k2 : index
    %k3 = arith.constant 3 : index
    %v5 = arith.remui %v4, %k3 : index
    %v6 = arith.divui %v4, %k3 : index
    %v7 = arith.remui %v6, %k2 : index
    %v8 = arith.divui %v6, %k2 : index
    %v9 = arith.muli %v7, %k3 : index
    %v10 = arith.addi %v9, %v5 : index
    %v11 = arith.divui %v10, %k2 : index
    %v12 = arith.remui %v10, %k2 : index
    %v13 = arith.muli %v8, %k2 : index
    %v14 = arith.addi %v13, %v12 : index
    %v15 = arith.muli %v14, %k2 : index
    %v16 = arith.addi %v15, %v3 : index
    %v17 = arith.muli %v11, %k4 : index
    %v18 = arith.addi %v17, %v1 : index
    %t19 = arith.cmpi ult, %v10, %k4 : index
    %t20 = arith.cmpi ult, %v14, %k3 : index
    %t21 = arith.andi %t19, %t20 : i1
    %k6 = arith.constant 6 : index
    %t22 = arith.cmpi ult, %v16, %k6 : index
    %t23 = arith.andi %t21, %t22 : i1
    %t24 = arith.cmpi ult, %v18, %k6 : index
    %t25 = arith.andi %t23, %t24 : i1
    %true = arith.constant true
    %valid = arith.andi %t25, %true : i1
    scf.for %j = %c0 to %c4 step %c1 {
      %value = scf.if %valid -> f32 {
        %x = memref.load %X[%v16, %v18, %j] : memref<6x6x4xf32>
        scf.yield %x : f32
      } else {
        scf.yield %zero : f32
      }
      memref.store %value, %L[%place, %j] : memref<96x4xf32>
    }
  }
  return
}

// Figure 5, element stride 3, which the paper calls unachievable: with the boxes as a
// dimension of their own it is strong.
#figure_5 = #titan.schedule<tensor I1 x I2 x J I3, I4 = split(I1, 4) I5, I6 = split(I4, 3) bulk I5, I2, J>
titan.kernel @figure_5(%X: !titan.global<8x2x4xf32>, %L: !titan.global<24x4xf32>) warps(1) attributes {
  titan.example = {sizes = {}, X = "8x2x4 random:1", L = "24x4"},
  titan.reference = @figure_5_reference
} launch {
  %one = arith.constant 1 : index
  %mapL = titan.tensor_map %L : !titan.global<24x4xf32> -> !titan.tensor_map<4x4xf32>
  titan.launch grid(%one) with(%mapL : !titan.tensor_map<4x4xf32>)
} body(%mapL: !titan.tensor_map<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rows = arith.constant 4 : index
  %tile = titan.shared.alloc : !titan.shared<2x2x4xf32>
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.mbarrier.init %full count(1) : !full
    titan.fence.mbarrier_init
    %ni3 = arith.constant 2 : index
    scf.for %i3 = %c0 to %ni3 step %c1 {
      %ai3 = arith.muli %c0, %ni3 : index
      %bi3 = arith.addi %ai3, %i3 : index
      %ni6 = arith.constant 3 : index
      scf.for %i6 = %c0 to %ni6 step %c1 {
        %ai6 = arith.muli %bi3, %ni6 : index
        %bi6 = arith.addi %ai6, %i6 : index
        titan.copy_async %X at(I3 = %i3, I6 = %i6) to %tile signals %full schedule(#figure_5) strong
            : !titan.global<8x2x4xf32>, !titan.shared<2x2x4xf32>, !full
        titan.mbarrier.arrive %full : !full
        %parity = arith.remui %bi6, %c2 : index
        %parity32 = arith.index_cast %parity : index to i32
        titan.mbarrier.wait %full parity(%parity32) : !full
        %at = arith.muli %bi6, %rows : index
        titan.tma.store %tile, %mapL[%at, %c0] : !titan.shared<2x2x4xf32>, !titan.tensor_map<4x4xf32>
        %group = titan.bulk.commit : !bulk
        titan.bulk.wait %group : !bulk
      }
    }
  }
  titan.return
}
func.func private @figure_5_reference(%X: memref<8x2x4xf32> {titan.input = "X"},
                                  %L: memref<24x4xf32> {titan.expected = "L"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 24 : index
  scf.for %place = %c0 to %n step %c1 {
    %k2 = arith.constant 2 : index
    %v1 = arith.remui %place, %k2 : index
    %v2 = arith.divui %place, %k2 : index
    %v3 = arith.remui %v2, %k2 : index
    %v4 = arith.divui %v2, %k2 : index
    %k3 = arith.constant 3 : index
    %v5 = arith.remui %v4, %k3 : index
    %v6 = arith.divui %v4, %k3 : index
    %v7 = arith.muli %v3, %k3 : index
    %v8 = arith.addi %v7, %v5 : index
    %k4 = arith.constant 4 : index
    %v9 = arith.muli %v6, %k4 : index
    %v10 = arith.addi %v9, %v8 : index
    %t11 = arith.cmpi ult, %v8, %k4 : index
    %k8 = arith.constant 8 : index
    %t12 = arith.cmpi ult, %v10, %k8 : index
    %t13 = arith.andi %t11, %t12 : i1
    %true = arith.constant true
    %valid = arith.andi %t13, %true : i1
    scf.for %j = %c0 to %c4 step %c1 {
      %value = scf.if %valid -> f32 {
        %x = memref.load %X[%v10, %v1, %j] : memref<8x2x4xf32>
        scf.yield %x : f32
      } else {
        scf.yield %zero : f32
      }
      memref.store %value, %L[%place, %j] : memref<24x4xf32>
    }
  }
  return
}

// Figures 5 and 6 in the prescribed map, weak: holes hold data of the next box.
#figure_6 = #titan.schedule<tensor I1 x I2 x J I3, I4 = split(I1, 4) I5, I6 = split(I4, 3) bulk I5, I2, J  map I1, I2, J>
titan.kernel @figure_6(%X: !titan.global<8x2x4xf32>, %L: !titan.global<24x4xf32>) warps(1) attributes {
  titan.example = {sizes = {}, X = "8x2x4 random:1", L = "24x4"},
  titan.reference = @figure_6_reference
} launch {
  %one = arith.constant 1 : index
  %mapL = titan.tensor_map %L : !titan.global<24x4xf32> -> !titan.tensor_map<4x4xf32>
  titan.launch grid(%one) with(%mapL : !titan.tensor_map<4x4xf32>)
} body(%mapL: !titan.tensor_map<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rows = arith.constant 4 : index
  %tile = titan.shared.alloc : !titan.shared<2x2x4xf32>
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.mbarrier.init %full count(1) : !full
    titan.fence.mbarrier_init
    %ni3 = arith.constant 2 : index
    scf.for %i3 = %c0 to %ni3 step %c1 {
      %ai3 = arith.muli %c0, %ni3 : index
      %bi3 = arith.addi %ai3, %i3 : index
      %ni6 = arith.constant 3 : index
      scf.for %i6 = %c0 to %ni6 step %c1 {
        %ai6 = arith.muli %bi3, %ni6 : index
        %bi6 = arith.addi %ai6, %i6 : index
        titan.copy_async %X at(I3 = %i3, I6 = %i6) to %tile signals %full schedule(#figure_6) weak
            : !titan.global<8x2x4xf32>, !titan.shared<2x2x4xf32>, !full
        titan.mbarrier.arrive %full : !full
        %parity = arith.remui %bi6, %c2 : index
        %parity32 = arith.index_cast %parity : index to i32
        titan.mbarrier.wait %full parity(%parity32) : !full
        %at = arith.muli %bi6, %rows : index
        titan.tma.store %tile, %mapL[%at, %c0] : !titan.shared<2x2x4xf32>, !titan.tensor_map<4x4xf32>
        %group = titan.bulk.commit : !bulk
        titan.bulk.wait %group : !bulk
      }
    }
  }
  titan.return
}
func.func private @figure_6_reference(%X: memref<8x2x4xf32> {titan.input = "X"},
                                  %L: memref<24x4xf32> {titan.expected = "L"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 24 : index
  scf.for %place = %c0 to %n step %c1 {
    %k2 = arith.constant 2 : index
    %v1 = arith.remui %place, %k2 : index
    %v2 = arith.divui %place, %k2 : index
    %v3 = arith.remui %v2, %k2 : index
    %v4 = arith.divui %v2, %k2 : index
    %k3 = arith.constant 3 : index
    %v5 = arith.remui %v4, %k3 : index
    %v6 = arith.divui %v4, %k3 : index
    %v7 = arith.muli %v3, %k3 : index
    %v8 = arith.addi %v7, %v5 : index
    %k4 = arith.constant 4 : index
    %v9 = arith.muli %v6, %k4 : index
    %v10 = arith.addi %v9, %v8 : index
    %k8 = arith.constant 8 : index
    %t11 = arith.cmpi ult, %v10, %k8 : index
    %true = arith.constant true
    %valid = arith.andi %t11, %true : i1
    scf.for %j = %c0 to %c4 step %c1 {
      %value = scf.if %valid -> f32 {
        %x = memref.load %X[%v10, %v1, %j] : memref<8x2x4xf32>
        scf.yield %x : f32
      } else {
        scf.yield %zero : f32
      }
      memref.store %value, %L[%place, %j] : memref<24x4xf32>
    }
  }
  return
}

// Figure 5 with element stride 5: one row a tile, and a predicate.
#figure_5_5 = #titan.schedule<tensor I1 x I2 x J I3, I4 = split(I1, 4) I5, I6 = split(I4, 5) bulk I5, I2, J  map I1, I2, J>
titan.kernel @figure_5_5(%X: !titan.global<8x2x4xf32>, %L: !titan.global<20x4xf32>) warps(1) attributes {
  titan.example = {sizes = {}, X = "8x2x4 random:1", L = "20x4"},
  titan.reference = @figure_5_5_reference
} launch {
  %one = arith.constant 1 : index
  %mapL = titan.tensor_map %L : !titan.global<20x4xf32> -> !titan.tensor_map<2x4xf32>
  titan.launch grid(%one) with(%mapL : !titan.tensor_map<2x4xf32>)
} body(%mapL: !titan.tensor_map<2x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rows = arith.constant 2 : index
  %tile = titan.shared.alloc : !titan.shared<1x2x4xf32>
  %full = titan.mbarrier.alloc : !full
  titan.elect {
    titan.mbarrier.init %full count(1) : !full
    titan.fence.mbarrier_init
    %ni3 = arith.constant 2 : index
    scf.for %i3 = %c0 to %ni3 step %c1 {
      %ai3 = arith.muli %c0, %ni3 : index
      %bi3 = arith.addi %ai3, %i3 : index
      %ni6 = arith.constant 5 : index
      scf.for %i6 = %c0 to %ni6 step %c1 {
        %ai6 = arith.muli %bi3, %ni6 : index
        %bi6 = arith.addi %ai6, %i6 : index
        titan.copy_async %X at(I3 = %i3, I6 = %i6) to %tile signals %full schedule(#figure_5_5) strong
            : !titan.global<8x2x4xf32>, !titan.shared<1x2x4xf32>, !full
        titan.mbarrier.arrive %full : !full
        %parity = arith.remui %bi6, %c2 : index
        %parity32 = arith.index_cast %parity : index to i32
        titan.mbarrier.wait %full parity(%parity32) : !full
        %at = arith.muli %bi6, %rows : index
        titan.tma.store %tile, %mapL[%at, %c0] : !titan.shared<1x2x4xf32>, !titan.tensor_map<2x4xf32>
        %group = titan.bulk.commit : !bulk
        titan.bulk.wait %group : !bulk
      }
    }
  }
  titan.return
}
func.func private @figure_5_5_reference(%X: memref<8x2x4xf32> {titan.input = "X"},
                                  %L: memref<20x4xf32> {titan.expected = "L"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 20 : index
  scf.for %place = %c0 to %n step %c1 {
    %k2 = arith.constant 2 : index
    %v1 = arith.remui %place, %k2 : index
    %v2 = arith.divui %place, %k2 : index
    %k1 = arith.constant 1 : index
    %v3 = arith.remui %v2, %k1 : index
    %v4 = arith.divui %v2, %k1 : index
    %k5 = arith.constant 5 : index
    %v5 = arith.remui %v4, %k5 : index
    %v6 = arith.divui %v4, %k5 : index
    %v7 = arith.muli %v3, %k5 : index
    %v8 = arith.addi %v7, %v5 : index
    %k4 = arith.constant 4 : index
    %v9 = arith.muli %v6, %k4 : index
    %v10 = arith.addi %v9, %v8 : index
    %t11 = arith.cmpi ult, %v8, %k4 : index
    %k8 = arith.constant 8 : index
    %t12 = arith.cmpi ult, %v10, %k8 : index
    %t13 = arith.andi %t11, %t12 : i1
    %true = arith.constant true
    %valid = arith.andi %t13, %true : i1
    scf.for %j = %c0 to %c4 step %c1 {
      %value = scf.if %valid -> f32 {
        %x = memref.load %X[%v10, %v1, %j] : memref<8x2x4xf32>
        scf.yield %x : f32
      } else {
        scf.yield %zero : f32
      }
      memref.store %value, %L[%place, %j] : memref<20x4xf32>
    }
  }
  return
}
