// Loops that nobody here follows are refused, empty ones as well, as titan run and titan compile
// refuse them: how often their bodies run, by which warps and in which order is not said.
// RUN: not titan check %s --kernel parallel 2>&1 | FileCheck %s --check-prefix=PARALLEL
// RUN: not titan check %s --kernel forall 2>&1 | FileCheck %s --check-prefix=FORALL
// RUN: not titan run %s --kernel parallel 2>&1 | FileCheck %s --check-prefix=REFUSED
// PARALLEL: loops-unknown.mlir:[[#@LINE+10]]:3: error: [undecided] the checker does not follow 'scf.parallel'
// FORALL: error: [undecided] the checker does not follow 'scf.forall'
// REFUSED: error: {{.*}}[not-supported-yet]

titan.kernel @parallel() warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    scf.reduce
  }
  titan.return
}

titan.kernel @forall() warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  scf.forall (%i) in (4) {
  }
  titan.return
}
