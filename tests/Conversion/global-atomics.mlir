// Atomic operations of a tile on global memory: a histogram of two CTAs, whose elements meet; old values, which are
// 0 where the mask is false; copies of an element, of which the owner's alone counts.
//
// RUN: titan run %s --kernel histogram | FileCheck %s --check-prefix=HISTOGRAM
// RUN: titan run %s --kernel histogram --schedule=random:5 | FileCheck %s --check-prefix=HISTOGRAM
// HISTOGRAM: 8 elements equal to the reference, bit for bit
// RUN: titan run %s --kernel olds | FileCheck %s --check-prefix=OLDS
// OLDS: D (64xi32): 64 elements equal to the reference, bit for bit
// RUN: titan check %s --kernel histogram --proof=off
// RUN: titan check %s --kernel olds --proof=off
// RUN: titan compile %s --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// PTX-LABEL: .entry histogram
// PTX: atom.relaxed.gpu.global.add.u32
// PTX-NOT: atom
// PTX-LABEL: .entry olds
// PTX: atom.acq_rel.gpu.global.add.u32
// Floats that lie side by side go by one instruction; of several, one fence stands before all, and one behind.
// PTX-LABEL: .entry vectors
// PTX: fence.acq_rel.gpu;
// PTX-COUNT-2: atom.relaxed.gpu.global.add.v4.f32
// PTX-NOT: atom
// PTX: fence.acq_rel.gpu;
// RUN: titan run %s --kernel vectors | FileCheck %s --check-prefix=VECTORS
// VECTORS: D (512xf32): 512 elements equal to the reference, bit for bit
// RUN: titan check %s --kernel vectors --proof=off
// Unsigned numbers, the bits of floats, and floats of 16 bits.
// PTX-LABEL: .entry unsigned
// PTX: atom.relaxed.gpu.global.max.u32
// PTX: atom.relaxed.gpu.global.min.u32
// PTX: atom.relaxed.gpu.global.max.u32
// PTX: atom.relaxed.gpu.global.add.noftz.bf16
// PTX: atom.relaxed.cta.shared::cta.max.u32
// RUN: titan run %s --kernel unsigned | FileCheck %s --check-prefix=UNSIGNED
// UNSIGNED: A (64xi32): 64 elements equal to the reference, bit for bit
// UNSIGNED: B (64xf32): 64 elements equal to the reference, bit for bit
// UNSIGNED: C (64xbf16): 64 elements equal to the reference, bit for bit
// RUN: titan check %s --kernel unsigned --proof=off
//
// A plain store in the place of the operation is a race between the CTAs.
// VARIANT plain: replace ADD with titan.global.store %one, %D[%bin] : !copies, !bins, !copies
// RUN: %variant plain %s | not titan check - --kernel histogram --proof=off 2>&1 | FileCheck %s --check-prefix=PLAIN
// PLAIN: [race]

// 64 elements over two warps: both halves of the lanes and both warps hold copies.
!copies = tensor<32xi32, #titan.blocked<elements = [1], lanes = [32], warps = [2]>>
!row = tensor<64xi32, #titan.blocked<elements = [1], lanes = [32], warps = [2]>>
!bits = tensor<64xi1, #titan.blocked<elements = [1], lanes = [32], warps = [2]>>
!bins = !titan.global<8xi32>
!line = !titan.global<64xi32>

titan.kernel @histogram(%D: !bins) warps(2) attributes {
  titan.example = {D = "8 zeros"}, titan.reference = @histogram_reference
} launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  %i = titan.coordinate 0 : !copies
  %seven = arith.constant dense<7> : !copies
  %bin = arith.andi %i, %seven : !copies
  %one = arith.constant dense<1> : !copies
  titan.global.atom add %one, %D[%bin] : !copies, !bins, !copies // @ADD
  titan.return
}

// Of each CTA 32 / 8 elements.
func.func private @histogram_reference(%D: memref<8xi32> {titan.expected = "D"}) {
  %eight = arith.constant 8 : i32
  linalg.fill ins(%eight : i32) outs(%D : memref<8xi32>)
  return
}

// Element i adds i to place i of A where i is below 40, and stores what was there: -1.
titan.kernel @olds(%A: !line, %D: !line) warps(2) attributes {
  titan.example = {A = "64 steps:1", D = "64"}, titan.reference = @olds_reference
} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %i = titan.coordinate 0 : !row
  %limit = arith.constant dense<40> : !row
  %mask = arith.cmpi slt, %i, %limit : !row
  %old = titan.global.atom add %i, %A[%i] mask(%mask : !bits) sem(acq_rel) : !row, !line, !row -> !row
  titan.global.store %old, %D[%i] : !row, !line, !row
  titan.return
}

func.func private @olds_reference(%A: memref<64xi32> {titan.expected = "A"}, %D: memref<64xi32> {titan.expected = "D"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0 : i32
  scf.for %k = %c0 to %c64 step %c1 {
    %i = arith.index_cast %k : index to i32
    %below = arith.cmpi ult, %k, %c40 : index
    %added = arith.select %below, %i, %zero : i32
    %sum = arith.addi %i, %added : i32
    memref.store %sum, %A[%k] : memref<64xi32>
    memref.store %added, %D[%k] : memref<64xi32>
  }
  return
}

// Element i adds i to place i of A, and stores what was there: 0.
!floats = tensor<512xf32, #titan.blocked<elements = [4], lanes = [32], warps = [2]>>
!places = tensor<512xi32, #titan.blocked<elements = [4], lanes = [32], warps = [2]>>
!long = !titan.global<512xf32>
titan.kernel @vectors(%A: !long, %D: !long) warps(2) attributes {
  titan.alignment = {A = 16}, titan.example = {A = "512 zeros", D = "512"}, titan.reference = @vectors_reference
} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %i = titan.coordinate 0 : !places
  %x = arith.sitofp %i : !places to !floats
  %old = titan.global.atom add %x, %A[%i] sem(acq_rel) : !floats, !long, !places -> !floats
  titan.global.store %old, %D[%i] : !floats, !long, !places
  titan.return
}

func.func private @vectors_reference(%A: memref<512xf32> {titan.expected = "A"}, %D: memref<512xf32> {titan.expected = "D"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  scf.for %k = %c0 to %c512 step %c1 {
    %i = arith.index_cast %k : index to i32
    %x = arith.sitofp %i : i32 to f32
    %sum = arith.addf %x, %zero : f32
    memref.store %sum, %A[%k] : memref<512xf32>
    memref.store %zero, %D[%k] : memref<512xf32>
  }
  return
}

// Element i of A, 0, is at least i - 32 and then at most 7, as unsigned numbers. That of B, 0.0, is at least i, by its
// bits, and 1 is added to that of C.
!brain = tensor<64xbf16, #titan.blocked<elements = [1], lanes = [32], warps = [2]>>
!real = tensor<64xf32, #titan.blocked<elements = [1], lanes = [32], warps = [2]>>
!reals = !titan.global<64xf32>
!brains = !titan.global<64xbf16>
titan.kernel @unsigned(%A: !line, %B: !reals, %C: !brains) warps(2) attributes {
  titan.example = {A = "64 zeros", B = "64 zeros", C = "64 zeros"}, titan.reference = @unsigned_reference
} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %i = titan.coordinate 0 : !row
  %half = arith.constant dense<32> : !row
  %seven = arith.constant dense<7> : !row
  %one = arith.constant dense<1.0> : !brain
  %real = arith.sitofp %i : !row to !real
  %bits = arith.bitcast %real : !real to !row
  %x = arith.subi %i, %half : !row
  titan.global.atom maxu %x, %A[%i] : !row, !line, !row
  titan.global.atom minu %seven, %A[%i] : !row, !line, !row
  titan.global.atom maxu %bits, %B[%i] : !row, !reals, !row
  titan.global.atom add %one, %C[%i] : !brain, !brains, !row
  %word = titan.shared.alloc : !titan.shared<1xi32>
  titan.elect warp(0) {
    %c0 = arith.constant 0 : index
    %number = arith.constant -1 : i32
    titan.st %number, %word[%c0] : i32, !titan.shared<1xi32>
    %old = titan.atom maxu %number, %word[%c0] scope(cta) : i32, !titan.shared<1xi32> -> i32
  }
  titan.return
}

func.func private @unsigned_reference(%A: memref<64xi32> {titan.expected = "A"}, %B: memref<64xf32> {titan.expected = "B"}, %C: memref<64xf32> {titan.expected = "C"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %seven = arith.constant 7 : i32
  %half = arith.constant 32 : i32
  %one = arith.constant 1.0 : f32
  scf.for %k = %c0 to %c64 step %c1 {
    %i = arith.index_cast %k : index to i32
    %x = arith.subi %i, %half : i32
    %a = arith.minui %x, %seven : i32
    memref.store %a, %A[%k] : memref<64xi32>
    %r = arith.sitofp %i : i32 to f32
    memref.store %r, %B[%k] : memref<64xf32>
    memref.store %one, %C[%k] : memref<64xf32>
  }
  return
}
