// MM-3, MM-14: lanes of one warp write elements of their own, inside the tensor.
//
// One warp, one element a lane.
//
// RUN: titan check %s --kernel one_each
// RUN: not titan check %s --kernel all_one 2>&1 | FileCheck %s --check-prefix=ALL-ONE
// RUN: not titan check %s --kernel too_many 2>&1 | FileCheck %s --check-prefix=TOO-MANY
// RUN: titan check %s --kernel last
// RUN: not titan check %s --kernel past_the_last 2>&1 | FileCheck %s --check-prefix=PAST-THE-LAST
// RUN: titan check %s --kernel box_from_zero
// RUN: not titan check %s --kernel box_before_zero 2>&1 | FileCheck %s --check-prefix=BOX-BEFORE-ZERO

!out    = !titan.global<32xi32>
!few    = !titan.global<16xi32>
!lanes  = tensor<32xi32, #titan.blocked<elements = [1], lanes = [32], warps = [1]>>
!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>

// Each its own.
titan.kernel @one_each(%out: !out) warps(1) launch {
  %grid = arith.constant 1 : index
  titan.launch grid(%grid)
} body() {
  %i0 = arith.constant 0 : i32
  %lane = titan.coordinate 0 : !lanes
  %zero = titan.splat %i0 : i32 -> !lanes
  titan.global.store %lane, %out[%lane] : !lanes, !out, !lanes
  titan.return
}

// ALL-ONE: [race]
// All the same.
titan.kernel @all_one(%out: !out) warps(1) launch {
  %grid = arith.constant 1 : index
  titan.launch grid(%grid)
} body() {
  %i0 = arith.constant 0 : i32
  %lane = titan.coordinate 0 : !lanes
  %zero = titan.splat %i0 : i32 -> !lanes
  titan.global.store %lane, %out[%zero] : !lanes, !out, !lanes
  titan.return
}

// TOO-MANY: [out-of-bounds]
// Sixteen elements for 32 lanes.
titan.kernel @too_many(%out: !few) warps(1) launch {
  %grid = arith.constant 1 : index
  titan.launch grid(%grid)
} body() {
  %i0 = arith.constant 0 : i32
  %lane = titan.coordinate 0 : !lanes
  %zero = titan.splat %i0 : i32 -> !lanes
  titan.global.store %lane, %out[%lane] : !lanes, !few, !lanes
  titan.return
}

// The last element, by one lane.
titan.kernel @last(%out: !out) warps(1) launch {
  %grid = arith.constant 1 : index
  titan.launch grid(%grid)
} body() {
  %i1 = arith.constant 1 : i32
  %last = arith.constant 31 : index
  titan.elect {
    titan.st %i1, %out[%last] : i32, !out
  }
  titan.return
}

// PAST-THE-LAST: [out-of-bounds]
// The one after it.
titan.kernel @past_the_last(%out: !out) warps(1) launch {
  %grid = arith.constant 1 : index
  titan.launch grid(%grid)
} body() {
  %c32 = arith.constant 32 : index
  %i1 = arith.constant 1 : i32
  titan.elect {
    titan.st %i1, %out[%c32] : i32, !out
  }
  titan.return
}

// A store of a box from the corner on.
titan.kernel @box_from_zero(%D: !global) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapD : !map)
} body(%mapD: !map) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%c0, %c0] : !tile, !map
    %group = titan.bulk.commit : !bulk
    titan.bulk.wait %group read : !bulk
  }
  titan.return
}

// BOX-BEFORE-ZERO: [tma-store-negative]
// Loads may start below zero, stores may not.
titan.kernel @box_before_zero(%D: !global) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapD : !map)
} body(%mapD: !map) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %low = arith.constant -64 : index
  %cta = titan.cta_id 0
  %row = arith.addi %cta, %low : index
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  titan.elect warp(0) {
    titan.tma.store %buf, %mapD[%row, %c0] : !tile, !map
    %group = titan.bulk.commit : !bulk
    titan.bulk.wait %group read : !bulk
  }
  titan.return
}
