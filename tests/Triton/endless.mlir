// A loop without an end is one in the kernel, too.
// RUN: titan compile %s --check=off --emit=ptx -o - | FileCheck %s
// CHECK: .entry endless
// RUN: not titan run %s --max-steps 1000 2>&1 | FileCheck %s --check-prefix=END
// END: [step-limit]
tt.func public @endless() {
  cf.br ^again
^again:
  cf.br ^again
}
