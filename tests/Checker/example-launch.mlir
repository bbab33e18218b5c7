// What no launch made of tried sizes and data executes that of titan.example may: whether the search comes to its end
// or its steps are used up, it is looked at whole, and what is proved needs no more.
// RUN: titan check %s | FileCheck %s
// RUN: titan check %s --search-steps=10000 | FileCheck %s
// CHECK: @parts: accepted: 0 errors, 0 warnings
// CHECK: whole launches checked: of titan.example, 2 CTAs: parts[0] 2, Y[0] 3000
// CHECK: {{^}}  proved, for every size that the launch admits

// By itself it proves nothing.
// RUN: not titan check %s --proof=off 2>&1 | FileCheck %s --check-prefix=SEARCHED
// SEARCHED: [[#BRANCH:]]:5: error: [undecided] no launch was found under which this branch is taken
// SEARCHED-NOT: is executed

// An example that does not come to all of the text, none, and one that the launch region refuses.
// RUN: sed 's/steps:1500/steps:1400/' %s | not titan check - 2>&1 | FileCheck %s --check-prefix=NOT
// RUN: sed 's/steps:1500/steps:1400/' %s | not titan check - --search-steps=10000 2>&1 | FileCheck %s --check-prefix=STEPS
// RUN: sed 's/steps:1500/random.npy/' %s | not titan check - 2>&1 | FileCheck %s --check-prefix=NOT
// RUN: sed 's/^  titan.example = .*/  titan.initial = {}/' %s | not titan check - 2>&1 | FileCheck %s --check-prefix=NOT
// RUN: sed 's/C = 2/C = 3/' %s | not titan check - 2>&1 | FileCheck %s --check-prefix=NOT
// NOT: error: [undecided] no sizes were found under which this is executed
// NOT: @parts: cannot decide
// STEPS: nothing that it has looked at executes 'titan.st'
// STEPS: @parts: cannot decide

// What is wrong there is found: both warps store.
// RUN: sed 's/titan.elect warp(0)/titan.elect/' %s | not titan check - 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: sed 's/titan.elect warp(0)/titan.elect/' %s | not titan check - --search-steps=10000 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: [race] 'titan.st'
// RACE: @parts: refused

!data = !titan.global<?xf32>
!starts = !titan.global<?xi32>
// Of a part that begins at element 1500 the first element is set.
// A large one does not take the steps that small launches have to execute the text in.
// RUN: titan check %examples/pipeline.mlir --search-steps=100000 --undecided=warning | FileCheck %s --check-prefix=SMALL
// SMALL: @pipeline: accepted: 0 errors
// SMALL: {{^}}  proved, for every size
titan.kernel @parts(%Y: !data, %parts: !starts) warps(2) attributes {
  titan.target = "sm_90a",
  titan.example = {sizes = {C = 2, M = 3000}, Y = "M zeros", parts = "C steps:1500"}
} launch {
  %n = titan.dim %parts, 0 : !starts
  %all = titan.dim %Y, 0 : !data
  %two = arith.constant 2 : index
  %few = arith.cmpi ule, %n, %two : index
  titan.require %few, "launch-check", "no more than two parts"
  %least = arith.constant 2000 : index
  %most = arith.constant 2097152 : index
  %long = arith.cmpi uge, %all, %least : index
  titan.require %long, "launch-check", "Y has 2000 elements at least"
  %short = arith.cmpi ule, %all, %most : index
  titan.require %short, "launch-check", "Y has no more than 2^21 elements"
  titan.launch grid(%n)
} body() {
  %f1 = arith.constant 1.0 : f32
  %i0 = arith.constant 0 : i32
  %i3 = arith.constant 3 : i32
  %i4500 = arith.constant 4500 : i32
  %cta = titan.cta_id 0
  %all = titan.dim %Y, 0 : !data
  %all32 = arith.index_cast %all : index to i32
  titan.elect warp(0) {
    %begin = titan.ld %parts[%cta] : !starts -> i32
    %positive = arith.cmpi sge, %begin, %i0 : i32
    %inside = arith.cmpi slt, %begin, %all32 : i32
    %right = arith.andi %positive, %inside : i1
    titan.assume %right, "parts begin in Y"
    %thrice = arith.muli %begin, %i3 : i32
    %isIt = arith.cmpi eq, %thrice, %i4500 : i32
    scf.if %isIt {
      titan.st %f1, %Y[%cta] : f32, !data
    }
  }
  titan.return
}
