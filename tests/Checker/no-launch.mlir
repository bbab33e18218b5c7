// A kernel that no launch can run is not accepted: constants say so when it is verified, in the words of a run; else the
// search says that it has found none.
//
// RUN: titan check %s | FileCheck %s --check-prefix=GOOD
// GOOD: @grid: accepted: 0 errors
// GOOD: @asked: accepted: 0 errors
//
// VARIANT zero: in x `2147483647` -> `0`
// RUN: %variant zero %s | not titan check - 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: %variant zero %s | not titan compile - --check=off --kernel grid --emit=ptx -o /dev/null 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: {{.*}}[launch-zero-dim] dimension 0 of the grid is 0
// ZERO: fix: a grid has at least one CTA in each dimension
// VARIANT negative: in x `2147483647` -> `-1`
// RUN: %variant negative %s | not titan check - 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: [launch-zero-dim] dimension 0 of the grid is -1
// VARIANT wide: in x `2147483647` -> `2147483648`
// RUN: %variant wide %s | not titan check - 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: [launch-grid] dimension 0 of the grid is 2147483648, at most 2147483647
// VARIANT high: in y `65535` -> `65536`
// RUN: %variant high %s | not titan check - 2>&1 | FileCheck %s --check-prefix=HIGH
// HIGH: [launch-grid] dimension 1 of the grid is 65536, at most 65535
//
// VARIANT never: in asks `sge` -> `slt`
// RUN: %variant never %s | not titan check - --kernel asked 2>&1 | FileCheck %s --check-prefix=NEVER
// NEVER: error: [undecided] no launch was found that the launch region admits
// NEVER: a launch check refuses {{.*}}: [launch-check] as asked
// The grid divides by what is 0.
// VARIANT divides: before grid_of_one add %c0 = arith.subi %c1, %c1 : index %none = arith.divui %c1, %c0 : index
// VARIANT divides: in grid_of_one `grid(%c1)` -> `grid(%none)`
// RUN: %variant divides %s | not titan check - --kernel asked 2>&1 | FileCheck %s --check-prefix=DIVIDES
// DIVIDES: error: [undecided] no launch was found that the launch region admits

titan.kernel @grid() warps(1) launch {
  %c1 = arith.constant 1 : index
  %x = arith.constant 2147483647 : index // @x
  %y = arith.constant 65535 : index // @y
  titan.launch grid(%x, %y, %c1)
} body() {
  titan.return
}

titan.kernel @asked(%n: i32) warps(1) attributes {titan.example = {n = 3 : i32}} launch {
  %c1 = arith.constant 1 : index
  %good = arith.cmpi sge, %n, %n : i32 // @asks
  titan.require %good, "launch-check", "as asked"
  titan.launch grid(%c1) // @grid_of_one
} body() {
  titan.return
}
