// What a warp finds in its registers decides what it does: vote.sync.any; exp2 that takes
// subnormal results for zeros; a loop carries 16-bit tiles as words.
//
// RUN: titan run %s --kernel vote | FileCheck %s
// CHECK: 128 elements equal to the reference, bit for bit
// RUN: titan check %s --kernel vote
// RUN: titan compile %s --kernel vote --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// PTX: vote.sync.any.pred
// RUN: titan run %s --kernel flush | FileCheck %s
// RUN: titan compile %s --kernel flush --emit=ptx -o - | FileCheck %s --check-prefix=FLUSH
// FLUSH: ex2.approx.ftz.f32
// FLUSH: ex2.approx.f32
// RUN: titan run %s --kernel carried | FileCheck %s
// RUN: titan compile %s --kernel carried --emit=ptx -o - | FileCheck %s --check-prefix=CARRIED
// CARRIED: cvt.rn.bf16x2.f32
// CARRIED-NOT: cvt.rn.bf16.f32
// CARRIED: ret;
//
// Quotients within two units of the last place, of f16 through f32; others rounded to nearest. A run is exact, or moves
// the former within their bound.
// RUN: titan run %s --kernel quotients | FileCheck %s --check-prefix=EXACT
// EXACT: 3 elements equal to the reference, bit for bit
// RUN: not titan run %s --kernel quotients --approx=high 2>&1 | FileCheck %s --check-prefix=MOVED
// MOVED: [reference-mismatch] 1 of 3 elements of D are wrong: D[1] is
// RUN: titan compile %s --kernel quotients --emit=ptx -o - | FileCheck %s --check-prefix=QUOTIENTS
// QUOTIENTS: div.rn.f32
// QUOTIENTS: div.full.f32
// QUOTIENTS: cvt.f32.f16
// QUOTIENTS: div.full.f32
// QUOTIENTS: cvt.rn.f16.f32

#rows = #titan.blocked<elements = [1, 2], lanes = [8, 4], warps = [2, 1]>
!global = !titan.global<?x8xf32>
!half = !titan.global<?x8xbf16>
!tile = tensor<16x8xf32, #rows>
!tile16 = tensor<16x8xbf16, #rows>
!where = tensor<16x8xi32, #rows>
!mask = tensor<16x8xi1, #rows>

// Each of two warps has eight rows: where one of its elements is above 2, all of them are negated.
titan.kernel @vote(%X: !global, %Y: !global) warps(2) attributes {
  titan.example = {X = "16x8 random:5", Y = "16x8"}, titan.reference = @vote_reference
} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %i = titan.coordinate 0 : !where
  %j = titan.coordinate 1 : !where
  %x = titan.global.load %X[%i, %j] : !global, !where, !where -> !tile
  %two = arith.constant 2.0 : f32
  %twos = titan.splat %two : f32 -> !tile
  %large = arith.cmpf ogt, %x, %twos : !tile
  %any = titan.any %large : !mask
  %y = scf.if %any -> (!tile) {
    %negated = arith.negf %x : !tile
    scf.yield %negated : !tile
  } else {
    scf.yield %x : !tile
  }
  titan.global.store %y, %Y[%i, %j] : !tile, !global, !where, !where
  titan.return
}

func.func private @vote_reference(%X: memref<?x8xf32> {titan.input = "X"},
    %Y: memref<?x8xf64> {titan.expected = "Y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %two = arith.constant 2.0 : f32
  %no = arith.constant false
  scf.for %w = %c0 to %c2 step %c1 {
    %first = arith.muli %w, %c8 : index
    %end = arith.addi %first, %c8 : index
    %any = scf.for %i = %first to %end step %c1 iter_args(%a = %no) -> (i1) {
      %b = scf.for %j = %c0 to %c8 step %c1 iter_args(%c = %a) -> (i1) {
        %x = memref.load %X[%i, %j] : memref<?x8xf32>
        %large = arith.cmpf ogt, %x, %two : f32
        %d = arith.ori %c, %large : i1
        scf.yield %d : i1
      }
      scf.yield %b : i1
    }
    scf.for %i = %first to %end step %c1 {
      scf.for %j = %c0 to %c8 step %c1 {
        %x = memref.load %X[%i, %j] : memref<?x8xf32>
        %negated = arith.negf %x : f32
        %y = arith.select %any, %negated, %x : f32
        %y64 = arith.extf %y : f32 to f64
        memref.store %y64, %Y[%i, %j] : memref<?x8xf64>
      }
    }
  }
  return
}

// 2^-140 is subnormal.
titan.kernel @flush(%Y: !global) warps(2) attributes {
  titan.example = {Y = "16x8"}, titan.reference = @flush_reference
} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %i = titan.coordinate 0 : !where
  %j = titan.coordinate 1 : !where
  %f = arith.sitofp %i : !where to !tile
  %tiny = arith.constant -140.0 : f32
  %base = titan.splat %tiny : f32 -> !tile
  %x = arith.addf %base, %f : !tile
  %zero = math.exp2 %x fastmath<afn> : !tile
  %some = math.exp2 %x : !tile
  %four = arith.constant 4 : i32
  %fours = titan.splat %four : i32 -> !where
  %left = arith.cmpi slt, %j, %fours : !where
  %y = arith.select %left, %zero, %some : !mask, !tile
  titan.global.store %y, %Y[%i, %j] : !tile, !global, !where, !where
  titan.return
}

func.func private @flush_reference(%Y: memref<?x8xf64> {titan.expected = "Y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c14 = arith.constant 14 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f64
  %tiny = arith.constant -140.0 : f64
  scf.for %i = %c0 to %c16 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %i32 = arith.index_cast %i : index to i32
      %f = arith.sitofp %i32 : i32 to f64
      %x = arith.addf %tiny, %f : f64
      %p = math.exp2 %x : f64
      %left = arith.cmpi ult, %j, %c4 : index
      %subnormal = arith.cmpi ult, %i, %c14 : index
      %flushed = arith.andi %left, %subnormal : i1
      %y = arith.select %flushed, %zero, %p : f64
      memref.store %y, %Y[%i, %j] : memref<?x8xf64>
    }
  }
  return
}

// Halves, from step to step: x rounded, twice that, ...
titan.kernel @carried(%X: !global, %Y: !half, %steps: i32) warps(2) attributes {
  titan.example = {X = "16x8 random:6", Y = "16x8", steps = 3 : i32}, titan.reference = @carried_reference
} launch {
  %one = arith.constant 1 : index
  %n = arith.index_cast %steps : i32 to index
  titan.launch grid(%one) with(%n : index)
} body(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = titan.coordinate 0 : !where
  %j = titan.coordinate 1 : !where
  %x = titan.global.load %X[%i, %j] : !global, !where, !where -> !tile
  %first = arith.truncf %x : !tile to !tile16
  %last = scf.for %s = %c0 to %n step %c1 iter_args(%before = %first) -> (!tile16) {
    %wide = arith.extf %before : !tile16 to !tile
    %twice = arith.addf %wide, %wide : !tile
    %after = arith.truncf %twice : !tile to !tile16
    scf.yield %after : !tile16
  }
  titan.global.store %last, %Y[%i, %j] : !tile16, !half, !where, !where
  titan.return
}

func.func private @carried_reference(%X: memref<?x8xf32> {titan.input = "X"}, %steps: i32 {titan.input = "steps"},
    %Y: memref<?x8xf64> {titan.expected = "Y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %x = memref.load %X[%i, %j] : memref<?x8xf32>
      %x64 = arith.extf %x : f32 to f64
      %n = arith.index_cast %steps : i32 to index
      %y = scf.for %s = %c0 to %n step %c1 iter_args(%before = %x64) -> (f64) {
        %twice = arith.addf %before, %before : f64
        scf.yield %twice : f64
      }
      memref.store %y, %Y[%i, %j] : memref<?x8xf64>
    }
  }
  return
}

titan.kernel @quotients(%D: !titan.global<3xf32>) warps(1) attributes {
  titan.example = {D = "3"}, titan.reference = @quotients_reference
} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %cta = titan.cta_id 0
  %zero = arith.index_cast %cta : index to i32
  %f0 = arith.sitofp %zero : i32 to f32
  %seven = arith.constant 7.0 : f32
  %three = arith.constant 3.0 : f32
  %x = arith.addf %f0, %seven : f32
  %y = arith.addf %f0, %three : f32
  %nearest = arith.divf %x, %y : f32
  %fast = arith.divf %x, %y fastmath<afn> : f32
  %half_x = arith.truncf %x : f32 to f16
  %half_y = arith.truncf %y : f32 to f16
  %half = arith.divf %half_x, %half_y fastmath<afn> : f16
  %wide = arith.extf %half : f16 to f32
  titan.elect {
    titan.st %nearest, %D[%c0] : f32, !titan.global<3xf32>
    titan.st %fast, %D[%c1] : f32, !titan.global<3xf32>
    titan.st %wide, %D[%c2] : f32, !titan.global<3xf32>
  }
  titan.return
}

func.func private @quotients_reference(%D: memref<3xf64> {titan.expected = "D"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %seven = arith.constant 7.0 : f64
  %three = arith.constant 3.0 : f64
  %q = arith.divf %seven, %three : f64
  %half = arith.truncf %q : f64 to f16
  %wide = arith.extf %half : f16 to f64
  memref.store %q, %D[%c0] : memref<3xf64>
  memref.store %q, %D[%c1] : memref<3xf64>
  memref.store %wide, %D[%c2] : memref<3xf64>
  return
}
