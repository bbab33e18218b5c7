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
