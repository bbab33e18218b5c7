// Memory that a kernel finds by addresses, of an argument and of what --memory says: each four elements there are
// doubled, and copied to a row of %to.
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/npy.py %t/a.npy 1 2 3 4
// RUN: %python %S/Inputs/npy.py %t/b.npy 5 6 7 8 9 10
// RUN: %python %S/Inputs/npy.py %t/at.npy i8 0x20000 0x10008
// RUN: titan run %s --kernel twice --memory 0x20000=%t/a.npy --memory 0x10000=%t/b.npy --arg at=%t/at.npy --shape to=8 --out to=%t/to.npy --out 0x20000=%t/after-a.npy --out 0x10000=%t/after-b.npy | FileCheck %s --check-prefix=RAN
// RAN: @twice: ran
// RUN: %python %S/Inputs/npy.py %t/to.npy | FileCheck %s --check-prefix=TO
// TO: 2 4 6 8 14 16 18 20
// RUN: %python %S/Inputs/npy.py %t/after-a.npy | FileCheck %s --check-prefix=A
// A: 2 4 6 8
// RUN: %python %S/Inputs/npy.py %t/after-b.npy | FileCheck %s --check-prefix=B
// B: 5 6 14 16 18 20
// RUN: titan run %s --kernel twice --memory 0x20000=%t/a.npy --memory 0x10000=%t/b.npy --arg at=%t/at.npy --shape to=8 --schedule random:1 --hazards off
// An argument's address, and back.
// RUN: titan run %s --kernel own | FileCheck %s --check-prefix=OWN
// OWN: 11 12 {{.*}}
// OWN: @own: ran

// No memory; behind its end; an address that is no element's; a promise that is broken.
// RUN: not titan run %s --kernel twice --memory 0x20000=%t/a.npy --arg at=%t/at.npy --shape to=8 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: addresses.mlir:[[# @LINE + 47]]:{{.*}} error: [out-of-bounds] there is no memory at address 0x10008: {{.*}}(CTA 1)
// NONE: fix: titan run takes what lies at an address that is no argument's as --memory ADDRESS=FILE.npy
// RUN: %python %S/Inputs/npy.py %t/end.npy i8 0x20000 0x1000c
// RUN: not titan run %s --kernel twice --memory 0x20000=%t/a.npy --memory 0x10000=%t/b.npy --arg at=%t/end.npy --shape to=8 2>&1 | FileCheck %s --check-prefix=END
// END: error: [out-of-bounds] index 3 of dimension 0, which has 3 elements: {{.*}}(CTA 1)
// RUN: %python %S/Inputs/npy.py %t/odd.npy i8 0x20000 0x10002
// RUN: not titan run %s --kernel twice --memory 0x20000=%t/a.npy --memory 0x10000=%t/b.npy --arg at=%t/odd.npy --shape to=8 2>&1 | FileCheck %s --check-prefix=ODD
// ODD: error: [misaligned] the address of an element of 4 bytes is no multiple of 4: {{.*}}(CTA 1)
// RUN: not titan run %s --kernel aligned --memory 0x20000=%t/a.npy --memory 0x10000=%t/b.npy --arg at=%t/at.npy 2>&1 | FileCheck %s --check-prefix=PROMISE
// PROMISE: error: [misaligned] address 0x10008 is said to be a multiple of 16 bytes, and is none: {{.*}}(CTA 1)
// Two CTAs touch one place, by two addresses; hazards see it.
// RUN: %python %S/Inputs/npy.py %t/both.npy i8 0x10000 0x10008
// RUN: not titan run %s --kernel twice --memory 0x10000=%t/b.npy --arg at=%t/both.npy --shape to=8 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: [race]

// What the flag takes.
// RUN: not titan run %s --kernel twice --memory 0x10008=%t/b.npy 2>&1 | FileCheck %s --check-prefix=ADDRESS
// ADDRESS: --memory: '0x10008' is not an address, a multiple of 16 that is not 0 [bad-argument]
// RUN: not titan run %s --kernel twice --memory 0x10000=zeros 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: --memory: 'zeros' is no .npy file [bad-argument]
// RUN: not titan run %s --kernel twice --memory 0x10000=%t/b.npy --memory 0x10010=%t/a.npy --arg at=%t/at.npy --shape to=8 2>&1 | FileCheck %s --check-prefix=OVERLAP
// OVERLAP: --memory: 0x10010 and 0x10000 overlap [bad-argument]
// RUN: not titan run %s --kernel twice --memory 0xfffffffffffffff0=%t/a.npy --arg at=%t/at.npy --shape to=8 2>&1 | FileCheck %s --check-prefix=WRAPS
// WRAPS: --memory: 0xfffffffffffffff0 goes on beyond the last address [bad-argument]
// WRAPS: fix: name an address with {{[0-9]+}} bytes behind it
// RUN: not titan run %S/../Triton/Inputs/ttir/add.ttir --memory 0x10000=%t/b.npy 2>&1 | FileCheck %s --check-prefix=PROGRAM
// PROGRAM: --memory is of kernels of titan IR, and this is a program [not-supported-yet]

// An argument's address is the same in each run, and no other memory's: 0x700000000000, then 0x700000010000.
// RUN: titan run %s --kernel where | FileCheck %s --check-prefix=WHERE
// WHERE: 123145302310912 123145302376448
// RUN: titan run %s --kernel where --memory 0x700000000010=%t/a.npy | FileCheck %s --check-prefix=BESIDE
// BESIDE: 123145302376448 123145302441984

!addresses = !titan.global<?xi64>
!numbers = !titan.global<?xi32>
#row = #titan.blocked<elements = [1], lanes = [32], warps = [1]>
!tile = tensor<4xi32, #row>

titan.kernel @twice(%at: !addresses, %to: !numbers) warps(1) launch {
  %n = titan.dim %at, 0 : !addresses
  titan.launch grid(%n)
} body() {
  %cta = titan.cta_id 0
  %i = titan.coordinate 0 : !tile
  %address = titan.ld %at[%cta] : !addresses -> i64
  %there = titan.tensor_at %address : !numbers
  %x = titan.global.load %there[%i] : !numbers, !tile -> !tile
  %y = arith.addi %x, %x : !tile
  titan.syncwarp
  titan.global.store %y, %there[%i] : !tile, !numbers, !tile
  %four = arith.constant 4 : i32
  %row = arith.index_cast %cta : index to i32
  %first = arith.muli %row, %four : i32
  %begin = titan.splat %first : i32 -> !tile
  %place = arith.addi %begin, %i : !tile
  titan.global.store %y, %to[%place] : !tile, !numbers, !tile
  titan.return
}

titan.kernel @own(%x: !numbers) warps(1) attributes {titan.example = {x = "4 steps:11"}} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %four = arith.constant 4 : i64
  %address = titan.address_of %x : !numbers
  %second = arith.addi %address, %four : i64
  %there = titan.tensor_at %second : !numbers
  %a = titan.ld %there[%c0] : !numbers -> i32
  %one = arith.constant 1 : i32
  %b = arith.addi %a, %one : i32
  titan.elect warp(0) {
    titan.st %b, %there[%c1] : i32, !numbers
    %c = titan.ld %x[%c1] : !numbers -> i32
    %d = titan.atom add %one, %there[%c1] : i32, !numbers -> i32
    titan.print "", %c, %d : i32, i32
  }
  titan.return
}

titan.kernel @aligned(%at: !addresses) warps(1) launch {
  %n = titan.dim %at, 0 : !addresses
  titan.launch grid(%n)
} body() {
  %cta = titan.cta_id 0
  %c0 = arith.constant 0 : index
  %address = titan.ld %at[%cta] : !addresses -> i64
  %there = titan.tensor_at %address align(16) : !numbers
  %x = titan.ld %there[%c0] : !numbers -> i32
  titan.return
}

titan.kernel @where(%x: !numbers, %y: !numbers) warps(1) attributes {titan.example = {x = "8 zeros", y = "4 zeros"}} launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %first = titan.address_of %x : !numbers
  %second = titan.address_of %y : !numbers
  titan.elect warp(0) {
    titan.print "", %first, %second : i64, i64
  }
  titan.return
}
