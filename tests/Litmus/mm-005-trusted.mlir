// MM-5: a finding may be trusted, at one place, by its code, with a reason.
//
// The kernel @no_barrier of mm-002.
//
// RUN: titan check %s --kernel trusted 2>&1 | FileCheck %s --check-prefix=TRUSTED
// RUN: not titan check %s --kernel other_code 2>&1 | FileCheck %s --check-prefix=OTHER-CODE
// RUN: not titan check %s --kernel no_reason 2>&1 | FileCheck %s --check-prefix=NO-REASON
// RUN: titan check %s --kernel nothing_to_accept 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not titan check %s --kernel no_way_on 2>&1 | FileCheck %s --check-prefix=NO-WAY-ON

!global = !titan.global<64x64xbf16>
!map    = !titan.tensor_map<64x64xbf16, swizzle = 128>
!tile   = !titan.shared<64x64xbf16, swizzle = 128>
!bar    = !titan.mbarrier
!bulk   = !titan.token<bulk>
#rows   = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [4, 1]>
!reg    = tensor<64x64xbf16, #rows>
#columns = #titan.blocked<elements = [8, 1], lanes = [8, 4], warps = [1, 4]>
!regC   = tensor<64x64xbf16, #columns>

// TRUSTED: (trusted: litmus)
// Accepted, and told in the report.
titan.kernel @trusted(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  %x = titan.shared.load %buf {titan.trusted = {code = "race", reason = "litmus"}} : !tile -> !regC
  titan.return
}

// OTHER-CODE: [race]
// Another code is not meant.
titan.kernel @other_code(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  %x = titan.shared.load %buf {titan.trusted = {code = "deadlock", reason = "litmus"}} : !tile -> !regC
  titan.return
}

// NO-REASON: [trusted-reason]
// Without a reason it is refused.
titan.kernel @no_reason(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  %x = titan.shared.load %buf {titan.trusted = {code = "race"}} : !tile -> !regC
  titan.return
}

// NOTHING: [trusted-unused]
// NOTHING: {{^}}  searched, not proved: line [[#@LINE+2]]: what is told above is accepted, not proved
// What accepts nothing is told; nor is anything proved beside what is told, though the judgements can all be shown (docs/checker.md).
titan.kernel @nothing_to_accept(%A: !global, %D: !global) warps(4) launch {
  %c1 = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%c1) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  %v = titan.splat %one : bf16 -> !reg
  titan.shared.store %v, %buf : !reg, !tile
  titan.cta_sync
  %x = titan.shared.load %buf {titan.trusted = {code = "race", reason = "litmus"}} : !tile -> !regC
  titan.return
}

// NO-WAY-ON: [undecided]
// What comes after an accepted finding that ends the run is not accepted.
titan.kernel @no_way_on(%A: !global, %D: !global) warps(4) launch {
  %grid = arith.constant 1 : index
  %mapA = titan.tensor_map %A : !global -> !map
  %mapD = titan.tensor_map %D : !global -> !map
  titan.launch grid(%grid) with(%mapA, %mapD : !map, !map)
} body(%mapA: !map, %mapD: !map) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : bf16
  %buf = titan.shared.alloc : !tile
  titan.warp_specialize {
    titan.partition "store" warps(1) {
      titan.elect {
        titan.st %one, %buf[%c0, %c0] : bf16, !tile
      }
    }
    titan.partition "arrive" warps(1) {
      titan.barrier.arrive 1 threads(64)
      titan.barrier.arrive 1 threads(64) {titan.trusted = {code = "named-barrier", reason = "litmus"}}
    }
  }
  titan.return
}
