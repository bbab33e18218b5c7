// Dimensions that a launch requires to lie without gaps, as those that a schedule merges: rows of one
// index then meet rows of the next, which they do not where strides are only the launch's.
//
// RUN: titan check %s --kernel merged | FileCheck %s --check-prefix=MERGED
// MERGED: @merged: accepted
// RUN: titan run %s --kernel merged
// RUN: titan check %s --kernel by_hand | FileCheck %s --check-prefix=HAND
// HAND: @by_hand: accepted
// RUN: not titan check %s --kernel next_row 2>&1 | FileCheck %s --check-prefix=NEXT
// NEXT: error: [completion-not-observed]
// RUN: titan check %s --kernel next_row_of_padded | FileCheck %s --check-prefix=PADDED
// PADDED: @next_row_of_padded: accepted
// RUN: not titan check %s --kernel other_pitch 2>&1 | FileCheck %s --check-prefix=PITCH
// PITCH: error: [undecided] the checker does not follow how a tensor map with strides
// RUN: not titan run %s --kernel other_pitch 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: [completion-not-observed]
// RUN: not titan check %s --kernel past_the_rows 2>&1 | FileCheck %s --check-prefix=PITCH
// RUN: not titan check %s --kernel at_most 2>&1 | FileCheck %s --check-prefix=MOST
// RUN: not titan check %s --kernel one_of_two 2>&1 | FileCheck %s --check-prefix=MOST
// MOST: error: [undecided] no sizes were found

!y    = !titan.global<?x?x64xbf16>
!tile = !titan.shared<4x64xbf16, swizzle = 128>
!two  = !titan.tensor_map<4x64xbf16, swizzle = 128>
!one  = !titan.tensor_map<1x4x64xbf16, swizzle = 128>
#held = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [1, 1]>
!reg  = tensor<4x64xbf16, #held>
#rows = #titan.schedule<tensor A x B x C  R = merge(A, B)  Ro, Ri = split(R, 4)  bulk Ri, C>

// Each CTA its four rows, of any index of dimension 0.
titan.kernel @merged(%Y: !y) warps(1) attributes {
  titan.example = {sizes = {A = 3, B = 6}, Y = "AxBx64"}
} launch {
  %c4 = arith.constant 4 : index
  %a = titan.dim %Y, 0 : !y
  %b = titan.dim %Y, 1 : !y
  %rows = arith.muli %a, %b : index
  %grid = arith.ceildivui %rows, %c4 : index
  titan.launch grid(%grid)
} body() {
  %id = titan.cta_id 0
  %zero = arith.constant 0.0 : bf16
  %tile = titan.shared.alloc : !tile
  %z = titan.splat %zero : bf16 -> !reg
  titan.shared.store %z, %tile : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.syncwarp
  titan.elect {
    titan.copy_async %tile to %Y at(Ro = %id) schedule(#rows) : !tile, !y
    %g = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %g : !titan.token<bulk>
  }
  titan.return
}

// The same map and requirement, written by hand.
titan.kernel @by_hand(%Y: !y) warps(1) launch {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %a = titan.dim %Y, 0 : !y
  %b = titan.dim %Y, 1 : !y
  %pitch = titan.stride %Y, 1 : !y
  %plane = titan.stride %Y, 0 : !y
  %full = arith.muli %pitch, %b : index
  %packed = arith.cmpi eq, %plane, %full : index
  titan.require %packed, "launch-check", "planes of Y follow each other"
  %rows = arith.muli %a, %b : index
  %grid = arith.ceildivui %rows, %c4 : index
  %bytes = arith.muli %pitch, %c2 : index
  %map = titan.tensor_map %Y dims(%rows, %c64) byte_strides(%bytes) : !y -> !two
  titan.launch grid(%grid) with(%map : !two)
} body(%map: !two) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %id = titan.cta_id 0
  %row = arith.muli %id, %c4 : index
  %zero = arith.constant 0.0 : bf16
  %tile = titan.shared.alloc : !tile
  %z = titan.splat %zero : bf16 -> !reg
  titan.shared.store %z, %tile : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.syncwarp
  titan.elect {
    titan.tma.store %tile, %map[%row, %c0] : !tile, !two
    %g = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %g : !titan.token<bulk>
  }
  titan.return
}

// CTA 0 stores row 0 of index 1 besides, which another CTA has in its four rows.
titan.kernel @next_row(%Y: !y) warps(1) launch {
  %c4 = arith.constant 4 : index
  %a = titan.dim %Y, 0 : !y
  %b = titan.dim %Y, 1 : !y
  %other = arith.cmpi uge, %b, %c4 : index
  titan.require %other, "launch-check", "row 0 of index 1 is another CTA's"
  %rows = arith.muli %a, %b : index
  %grid = arith.ceildivui %rows, %c4 : index
  %map = titan.tensor_map %Y : !y -> !one
  titan.launch grid(%grid) with(%map : !one)
} body(%map: !one) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %id = titan.cta_id 0
  %first = arith.cmpi eq, %id, %c0 : index
  %zero = arith.constant 0.0 : bf16
  %tile = titan.shared.alloc : !tile
  %z = titan.splat %zero : bf16 -> !reg
  titan.shared.store %z, %tile : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.syncwarp
  titan.elect {
    titan.copy_async %tile to %Y at(Ro = %id) schedule(#rows) : !tile, !y
    scf.if %first {
      titan.tma.store %tile, %map[%c1, %c0, %c0] : !tile, !one
    }
    %g = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %g : !titan.token<bulk>
  }
  titan.return
}

// Here each CTA stores rows of index 0 alone: row 0 of index 1 is nobody's else.
titan.kernel @next_row_of_padded(%Y: !y) warps(1) launch {
  %c4 = arith.constant 4 : index
  %b = titan.dim %Y, 1 : !y
  %grid = arith.ceildivui %b, %c4 : index
  %map = titan.tensor_map %Y : !y -> !one
  titan.launch grid(%grid) with(%map : !one)
} body(%map: !one) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %id = titan.cta_id 0
  %row = arith.muli %id, %c4 : index
  %first = arith.cmpi eq, %id, %c0 : index
  %zero = arith.constant 0.0 : bf16
  %tile = titan.shared.alloc : !tile
  %z = titan.splat %zero : bf16 -> !reg
  titan.shared.store %z, %tile : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.syncwarp
  titan.elect {
    titan.tma.store %tile, %map[%c0, %row, %c0] : !tile, !one
    scf.if %first {
      titan.tma.store %tile, %map[%c1, %c0, %c0] : !tile, !one
    }
    %g = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %g : !titan.token<bulk>
  }
  titan.return
}

!rows = !titan.global<?x128xbf16>
!line = !titan.shared<1x64xbf16>
!row  = !titan.tensor_map<1x64xbf16>
#pair = #titan.blocked<elements = [1, 2], lanes = [1, 32], warps = [1, 1]>
!regs = tensor<1x64xbf16, #pair>

// Row 2 of a map whose rows are 64 elements farther apart is row 3 of the tensor where that is packed,
// and of no other: one pitch does not show what others do.
titan.kernel @other_pitch(%Y: !rows) warps(1) attributes {
  titan.example = {sizes = {A = 8}, Y = "Ax128"}
} launch {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %c64 = arith.constant 64 : index
  %a = titan.dim %Y, 0 : !rows
  %six = arith.cmpi uge, %a, %c6 : index
  titan.require %six, "launch-check", "six rows"
  %pitch = titan.stride %Y, 0 : !rows
  %longer = arith.addi %pitch, %c64 : index
  %bytes = arith.muli %longer, %c2 : index
  %map = titan.tensor_map %Y : !rows -> !row
  %other = titan.tensor_map %Y dims(%c3, %c64) byte_strides(%bytes) : !rows -> !row
  titan.launch grid(%c2) with(%map, %other : !row, !row)
} body(%map: !row, %other: !row) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %id = titan.cta_id 0
  %first = arith.cmpi eq, %id, %c0 : index
  %zero = arith.constant 0.0 : bf16
  %tile = titan.shared.alloc : !line
  %z = titan.splat %zero : bf16 -> !regs
  titan.shared.store %z, %tile : !regs, !line
  titan.fence.proxy_async shared_cta
  titan.syncwarp
  titan.elect {
    scf.if %first {
      titan.tma.store %tile, %other[%c2, %c0] : !line, !row
    } else {
      titan.tma.store %tile, %map[%c3, %c0] : !line, !row
    }
    %g = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %g : !titan.token<bulk>
  }
  titan.return
}

// A requirement that packed strides meet, and others, does not make the tensor packed ...
titan.kernel @at_most(%Y: !rows) warps(1) attributes {
  titan.example = {sizes = {A = 8}, Y = "Ax128"}
} launch {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %c64 = arith.constant 64 : index
  %a = titan.dim %Y, 0 : !rows
  %six = arith.cmpi uge, %a, %c6 : index
  titan.require %six, "launch-check", "six rows"
  %pitch = titan.stride %Y, 0 : !rows
  %c192 = arith.constant 192 : index
  %near = arith.cmpi ule, %pitch, %c192 : index
  titan.require %near, "launch-check", "rows lie near each other"
  %longer = arith.addi %pitch, %c64 : index
  %bytes = arith.muli %longer, %c2 : index
  %map = titan.tensor_map %Y : !rows -> !row
  %other = titan.tensor_map %Y dims(%c3, %c64) byte_strides(%bytes) : !rows -> !row
  titan.launch grid(%c2) with(%map, %other : !row, !row)
} body(%map: !row, %other: !row) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %id = titan.cta_id 0
  %first = arith.cmpi eq, %id, %c0 : index
  %zero = arith.constant 0.0 : bf16
  %tile = titan.shared.alloc : !line
  %z = titan.splat %zero : bf16 -> !regs
  titan.shared.store %z, %tile : !regs, !line
  titan.fence.proxy_async shared_cta
  titan.syncwarp
  titan.elect {
    scf.if %first {
      titan.tma.store %tile, %other[%c2, %c0] : !line, !row
    } else {
      titan.tma.store %tile, %map[%c3, %c0] : !line, !row
    }
    %g = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %g : !titan.token<bulk>
  }
  titan.return
}

// ... nor do two equalities of which one is to hold.
titan.kernel @one_of_two(%Y: !rows) warps(1) attributes {
  titan.example = {sizes = {A = 8}, Y = "Ax128"}
} launch {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %c64 = arith.constant 64 : index
  %a = titan.dim %Y, 0 : !rows
  %six = arith.cmpi uge, %a, %c6 : index
  titan.require %six, "launch-check", "six rows"
  %pitch = titan.stride %Y, 0 : !rows
  %c128 = arith.constant 128 : index
  %c192 = arith.constant 192 : index
  %packed = arith.cmpi eq, %pitch, %c128 : index
  %padded = arith.cmpi eq, %pitch, %c192 : index
  %either = arith.ori %packed, %padded : i1
  titan.require %either, "launch-check", "the strides of Y"
  %longer = arith.addi %pitch, %c64 : index
  %bytes = arith.muli %longer, %c2 : index
  %map = titan.tensor_map %Y : !rows -> !row
  %other = titan.tensor_map %Y dims(%c3, %c64) byte_strides(%bytes) : !rows -> !row
  titan.launch grid(%c2) with(%map, %other : !row, !row)
} body(%map: !row, %other: !row) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %id = titan.cta_id 0
  %first = arith.cmpi eq, %id, %c0 : index
  %zero = arith.constant 0.0 : bf16
  %tile = titan.shared.alloc : !line
  %z = titan.splat %zero : bf16 -> !regs
  titan.shared.store %z, %tile : !regs, !line
  titan.fence.proxy_async shared_cta
  titan.syncwarp
  titan.elect {
    scf.if %first {
      titan.tma.store %tile, %other[%c2, %c0] : !line, !row
    } else {
      titan.tma.store %tile, %map[%c3, %c0] : !line, !row
    }
    %g = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %g : !titan.token<bulk>
  }
  titan.return
}

// Row B of index 0 is row 0 of index 1 only where the tensor is packed, which nothing says here.
titan.kernel @past_the_rows(%Y: !y) warps(1) launch {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %a = titan.dim %Y, 0 : !y
  %b = titan.dim %Y, 1 : !y
  %pitch = titan.stride %Y, 1 : !y
  %rows = arith.muli %a, %b : index
  %grid = arith.ceildivui %rows, %c4 : index
  %bytes = arith.muli %pitch, %c2 : index
  %map = titan.tensor_map %Y dims(%rows, %c64) byte_strides(%bytes) : !y -> !two
  titan.launch grid(%grid) with(%map : !two)
} body(%map: !two) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %id = titan.cta_id 0
  %row = arith.muli %id, %c4 : index
  %zero = arith.constant 0.0 : bf16
  %tile = titan.shared.alloc : !tile
  %z = titan.splat %zero : bf16 -> !reg
  titan.shared.store %z, %tile : !reg, !tile
  titan.fence.proxy_async shared_cta
  titan.syncwarp
  titan.elect {
    titan.tma.store %tile, %map[%row, %c0] : !tile, !two
    %g = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %g : !titan.token<bulk>
  }
  titan.return
}
