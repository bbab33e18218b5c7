// What a CTA does is looked at by cases of its id, and two CTAs may be in two cases: what they write is compared across them.
// (The search takes one CTA of each kind, and sees nothing of @meet.)
//
// RUN: titan check %s --kernel apart --require=proved | FileCheck %s
// RUN: not titan check %s --kernel meet --require=proved 2>&1 | FileCheck %s --check-prefix=MEET
// CHECK: proved, for every size
// MEET: error: [undecided] not proved: two CTAs, or two iterations, are not shown to write different places of this tensor

!global = !titan.global<?x16xbf16>
!map = !titan.tensor_map<8x16xbf16>
!tile = !titan.shared<8x16xbf16>
!bulk = !titan.token<bulk>
!regs = tensor<8x16xbf16, #titan.blocked<elements = [1, 4], lanes = [8, 4], warps = [1, 1]>>

titan.kernel @apart(%X: !global, %n: i64) warps(1) attributes {titan.target = "sm_90a"} launch {
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %tiles = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  titan.launch grid(%tiles) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %cta = titan.cta_id 0
  %buffer = titan.shared.alloc : !tile
  %zero = arith.constant 0.0 : bf16
  %v = titan.splat %zero : bf16 -> !regs
  titan.shared.store %v, %buffer : !regs, !tile
  titan.fence.proxy_async shared_cta
  titan.syncwarp
  %k = arith.index_cast %n : i64 to index
  %first = arith.cmpi slt, %cta, %k : index
  scf.if %first {
    titan.elect {
      %row = arith.muli %cta, %c8 : index
      titan.tma.store %buffer, %map[%row, %c0] : !tile, !map
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g : !bulk
    }
  } else {
    titan.elect {
      %row = arith.muli %cta, %c8 : index
      titan.tma.store %buffer, %map[%row, %c0] : !tile, !map
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g : !bulk
    }
  }
  titan.return
}

// The first k CTAs and the next k ones write one place each.
titan.kernel @meet(%X: !global, %n: i64) warps(1) attributes {titan.target = "sm_90a"} launch {
  %eight = arith.constant 8 : index
  %rows = titan.dim %X, 0 : !global
  %tiles = arith.ceildivui %rows, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  titan.launch grid(%tiles) with(%map : !map)
} body(%map: !map) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %cta = titan.cta_id 0
  %buffer = titan.shared.alloc : !tile
  %zero = arith.constant 0.0 : bf16
  %v = titan.splat %zero : bf16 -> !regs
  titan.shared.store %v, %buffer : !regs, !tile
  titan.fence.proxy_async shared_cta
  titan.syncwarp
  %k = arith.index_cast %n : i64 to index
  %first = arith.cmpi slt, %cta, %k : index
  scf.if %first {
    titan.elect {
      %row = arith.muli %cta, %c8 : index
      titan.tma.store %buffer, %map[%row, %c0] : !tile, !map
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g : !bulk
    }
  } else {
    titan.elect {
      %back = arith.subi %cta, %k : index
      %row = arith.muli %back, %c8 : index
      titan.tma.store %buffer, %map[%row, %c0] : !tile, !map
      %g = titan.bulk.commit : !bulk
      titan.bulk.wait %g : !bulk
    }
  }
  titan.return
}
