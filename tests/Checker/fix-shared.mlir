// Kernels share functions: an edit that mends one, and makes another wrong that is right, is not made, whichever is asked for.
//
// RUN: cp %s %t.mlir
// RUN: not titan check %t.mlir --kernel one --fix --proof=off 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: [barrier-arrivals]
// ONE: nothing was changed
// ONE: not made: line {{[0-9]+}}: {{.*}}count(2) becomes count(1){{.*}}, which would make @two wrong: [barrier-
// RUN: diff %t.mlir %s
// RUN: not titan check %t.mlir --fix --proof=off 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: diff %t.mlir %s
//
// Nor where it would mend more kernels than it would make wrong: of three that are as the first one is, and the second one.
// RUN: sed -n '/^titan.kernel @one/,/^}$/p' %s > %t.one.mlir
// RUN: sed 's/@one/@three/' %t.one.mlir > %t.three.mlir
// RUN: sed 's/@one/@four/' %t.one.mlir | cat %s %t.three.mlir - > %t.more.mlir
// RUN: cp %t.more.mlir %t.mlir
// RUN: not titan check %t.mlir --fix --proof=off 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: diff %t.mlir %t.more.mlir
//
// Where the other one is as wrong, and by the same edit right, it is made.
// VARIANT both: drop second
// RUN: %variant both %s > %t.both.mlir
// RUN: titan check %t.both.mlir --kernel one --fix --proof=off | FileCheck %s --check-prefix=BOTH
// BOTH: 1 edit
// BOTH: count(2) becomes count(1)
// BOTH-NOT: not made
// RUN: titan check %t.both.mlir --proof=off

!bar = !titan.mbarrier
!data = !titan.global<8xf32>
!tile = !titan.shared<1xf32>

func.func private @init(%b: !bar) {
  titan.mbarrier.init %b count(2) : !bar
  return
}
func.func private @signal(%b: !bar) {
  titan.mbarrier.arrive %b : !bar
  return
}

titan.kernel @one(%X: !data, %Y: !data) warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %tile = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    func.call @init(%full) : (!bar) -> ()
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "p" warps(1) {
      titan.elect {
        %v = titan.ld %X[%c0] : !data -> f32
        titan.st %v, %tile[%c0] : f32, !tile
        func.call @signal(%full) : (!bar) -> ()
      }
    }
    titan.partition "c" warps(1) {
      titan.elect {
        titan.mbarrier.wait %full parity(%i0) : !bar
        %v = titan.ld %tile[%c0] : !tile -> f32
        titan.st %v, %Y[%c0] : f32, !data
      }
    }
  }
  titan.return
}

titan.kernel @two(%X: !data, %Y: !data) warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %tile = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !bar
  titan.elect warp(0) {
    func.call @init(%full) : (!bar) -> ()
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  titan.warp_specialize {
    titan.partition "p" warps(1) {
      titan.elect {
        %v = titan.ld %X[%c0] : !data -> f32
        titan.st %v, %tile[%c0] : f32, !tile
        func.call @signal(%full) : (!bar) -> ()
        titan.mbarrier.arrive %full : !bar // @second
      }
    }
    titan.partition "c" warps(1) {
      titan.elect {
        titan.mbarrier.wait %full parity(%i0) : !bar
        %v = titan.ld %tile[%c0] : !tile -> f32
        titan.st %v, %Y[%c0] : f32, !data
      }
    }
  }
  titan.return
}
