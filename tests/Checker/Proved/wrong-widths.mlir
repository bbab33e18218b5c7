// Programs that were proved once, without a word of what they take for granted: numbers of two widths, and of 64 bits.
// RUN: not titan check %s --kernel widths --require=proved 2>&1 | FileCheck %s --check-prefix=WIDTHS
// WIDTHS: {{\[undecided\]|\[not-proved\]}}
// RUN: not titan run %s --kernel widths --scalar=a=-3 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: [race]
// RUN: titan check %s --kernel larger --require=proved | FileCheck %s --check-prefix=LARGER
// LARGER: proved, for every size that the launch admits; assumed: {{.*}}no integer of 64 bits wraps round
// RUN: titan run %s --kernel larger
// RUN: not titan run %s --kernel larger --scalar=a=9223372036854775807 2>&1 | FileCheck %s --check-prefix=RACE

!data = !titan.global<?xf32>

// Of a negative number shrui has other bits in 64 than in 32.
titan.kernel @widths(%Y: !data, %a: i32) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 5}, Y = "M zeros", a = 3 : i32}} launch {
  %n = titan.dim %Y, 0 : !data
  titan.launch grid(%n)
} body() {
  %c0 = arith.constant 0 : index
  %c28 = arith.constant 28 : index
  %i28 = arith.constant 28 : i32
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  titan.elect warp(0) {
    %wide = arith.index_cast %a : i32 to index
    %shifted = arith.shrui %wide, %c28 : index
    %shifted32 = arith.shrui %a, %i28 : i32
    %again = arith.index_cast %shifted32 : i32 to index
    %same = arith.cmpi eq, %shifted, %again : index
    %at = arith.select %same, %cta, %c0 : index
    titan.st %f1, %Y[%at] : f32, !data
  }
  titan.return
}

// One more is more, but of the largest.
titan.kernel @larger(%Y: !data, %a: i64) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 5}, Y = "M zeros", a = 3 : i64}} launch {
  %n = titan.dim %Y, 0 : !data
  titan.launch grid(%n)
} body() {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  titan.elect warp(0) {
    %next = arith.addi %a, %one : i64
    %more = arith.cmpi sgt, %next, %a : i64
    %at = arith.select %more, %cta, %c0 : index
    titan.st %f1, %Y[%at] : f32, !data
  }
  titan.return
}
