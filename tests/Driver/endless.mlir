// A loop that nobody else can end is given up within seconds, long before --max-steps.
// RUN: not titan run %s --kernel spins 2>&1 | FileCheck %s --check-prefix=SPINS
// SPINS: error: [step-limit] {{.*}} has executed 67108864 operations, none of which touches memory or a barrier: nothing ends this loop
// RUN: not titan run %s --kernel counts 2>&1 | FileCheck %s --check-prefix=COUNTS
// COUNTS: error: [step-limit] {{.*}} nothing ends this loop
// RUN: not titan run %s --kernel counts --max-steps=1000 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: error: [step-limit] {{.*}} has executed 1000 operations
// FEW-NOT: nothing ends
titan.kernel @spins() warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %true = arith.constant true
  scf.while : () -> () {
    scf.condition(%true)
  } do {
    scf.yield
  }
  titan.return
}

titan.kernel @counts() warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %end = scf.while (%i = %c0) : (i64) -> i64 {
    %odd = arith.ori %i, %c1 : i64
    %more = arith.cmpi ne, %odd, %c0 : i64
    scf.condition(%more) %i : i64
  } do {
  ^bb0(%i: i64):
    %next = arith.addi %i, %c1 : i64
    scf.yield %next : i64
  }
  titan.return
}
