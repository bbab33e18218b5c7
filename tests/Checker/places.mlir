// Which places of a tensor are written: by rows whose indices are broadcast along the columns, and by a map and by elements.
//
// RUN: titan check %s --kernel rows --require=proved | FileCheck %s
// CHECK: proved, for every size that the launch admits
// As many rows as have a number of 32 bits: the last tile begins at a multiple of 8. One more, and the end has none.
// VARIANT most: in MOST `1073741824` -> `2147483647`
// RUN: %variant most %s | titan check - --kernel rows --require=proved | FileCheck %s
// VARIANT beyond: in MOST `1073741824` -> `2147483648`
// RUN: %variant beyond %s | titan check - --kernel rows | FileCheck %s --check-prefix=BEYOND
// BEYOND: searched, not proved: {{.*}} is not shown to fit into 32 bits
// CTAs seven rows apart write one row twice: rows of a tile are not the same number in two CTAs.
// VARIANT seven: in FIRST `%cta, %c8` -> `%cta, %c7`
// RUN: %variant seven %s | not titan check - --kernel rows --proof=off 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: [race]
// RUN: %variant seven %s | not titan check - --kernel rows --search-steps=10 --undecided=warning 2>&1 | FileCheck %s --check-prefix=MEET
// MEET: not proved: line [[#]]: two CTAs, or two iterations, are not shown to write different places of this tensor
//
// RUN: titan check %s --kernel both --require=proved | FileCheck %s
// The box has eight rows.
// VARIANT below: in BELOW `%at0, %c8` -> `%at0, %c7`
// RUN: %variant below %s | not titan check - --kernel both --proof=off 2>&1 | FileCheck %s --check-prefix=BELOW
// BELOW: error: [completion-not-observed]
// RUN: %variant below %s | not titan check - --kernel both --search-steps=10 --undecided=warning 2>&1 | FileCheck %s --check-prefix=MEET

#rows = #titan.blocked<elements = [1, 2], lanes = [1, 32], warps = [1, 1]>
#row = #titan.slice<1, #rows>
!data = !titan.global<?x64xf32>
!tile = tensor<8x64xf32, #rows>
!at = tensor<8x64xi32, #rows>
!mask = tensor<8x64xi1, #rows>
!row = tensor<8xi32, #row>
!rowMask = tensor<8xi1, #row>
!map = !titan.tensor_map<8x64xf32>
!buffer = !titan.shared<8x64xf32>

titan.kernel @rows(%Y: !data) warps(1) attributes {titan.target = "sm_90a"} launch {
  %c8 = arith.constant 8 : index
  %few = arith.constant 1073741824 : index // @MOST
  %n = titan.dim %Y, 0 : !data
  %bounded = arith.cmpi ule, %n, %few : index
  titan.require %bounded, "launch-check", "Y has at most 2^30 rows"
  %grid = arith.ceildivui %n, %c8 : index
  titan.launch grid(%grid) with(%n : index)
} body(%n: index) {
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %value = titan.splat %one : f32 -> !tile
  %cta = titan.cta_id 0
  %first = arith.muli %cta, %c8 : index // @FIRST
  %first32 = arith.index_cast %first : index to i32
  %n32 = arith.index_cast %n : index to i32
  %base = titan.splat %first32 : i32 -> !row
  %end = titan.splat %n32 : i32 -> !row
  %in = titan.coordinate 0 : !row
  %row = arith.addi %base, %in : !row
  %there = arith.cmpi slt, %row, %end : !row
  %rowAt = titan.broadcast %row : !row -> !at
  %mask = titan.broadcast %there : !rowMask -> !mask
  %column = titan.coordinate 1 : !at
  titan.global.store %value, %Y[%rowAt, %column] mask(%mask : !mask) : !tile, !data, !at, !at
  titan.return
}

titan.kernel @both(%Y: !data) warps(1) attributes {titan.target = "sm_90a"} launch {
  %c16 = arith.constant 16 : index
  %few = arith.constant 1073741824 : index
  %n = titan.dim %Y, 0 : !data
  %bounded = arith.cmpi ule, %n, %few : index
  titan.require %bounded, "launch-check", "Y has at most 2^30 rows"
  %map = titan.tensor_map %Y : !data -> !map
  %grid = arith.ceildivui %n, %c16 : index
  titan.launch grid(%grid) with(%map, %n : !map, index)
} body(%map: !map, %n: index) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %one = arith.constant 1.0 : f32
  %value = titan.splat %one : f32 -> !tile
  %buffer = titan.shared.alloc : !buffer
  %cta = titan.cta_id 0
  %at0 = arith.muli %cta, %c16 : index
  titan.shared.store %value, %buffer : !tile, !buffer
  titan.fence.proxy_async shared_cta
  titan.cta_sync
  titan.elect warp(0) {
    titan.tma.store %buffer, %map[%at0, %c0] : !buffer, !map
    %bulk = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %bulk read : !titan.token<bulk>
  }
  %first = arith.addi %at0, %c8 : index // @BELOW
  %first32 = arith.index_cast %first : index to i32
  %n32 = arith.index_cast %n : index to i32
  %base = titan.splat %first32 : i32 -> !at
  %end = titan.splat %n32 : i32 -> !at
  %in = titan.coordinate 0 : !at
  %row = arith.addi %base, %in : !at
  %there = arith.cmpi slt, %row, %end : !at
  %column = titan.coordinate 1 : !at
  titan.global.store %value, %Y[%row, %column] mask(%there : !mask) : !tile, !data, !at, !at
  titan.return
}
