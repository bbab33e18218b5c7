// Counters of loops are i32 where the range of bounds and step proves that they, and
// the value that leaves the loop, fit; their twins, one more, stay.
// RUN: titan-opt %s --titan-narrow-indices | FileCheck %s

// CHECK-LABEL: @counter
// CHECK: %[[LOW:.*]] = arith.index_castui %{{.*}} : index to i32
// CHECK: %[[HIGH:.*]] = arith.index_castui %{{.*}} : index to i32
// CHECK: %[[STEP:.*]] = arith.index_castui %{{.*}} : index to i32
// CHECK: scf.for unsigned %[[I:.*]] = %[[LOW]] to %[[HIGH]] step %[[STEP]] iter_args(%[[SUM:.*]] = %{{.*}}) -> (index) : i32
// CHECK: %[[INDEX:.*]] = arith.index_castui %[[I]] : i32 to index
// CHECK: arith.addi %[[SUM]], %[[INDEX]] : index
llvm.func @counter(%n: i64 {llvm.range = #llvm.constant_range<i64, 0, 4294967294>}) {
  %end = arith.index_cast %n : i64 to index
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %sum = scf.for %i = %c0 to %end step %c2 iter_args(%s = %c0) -> index {
    %next = arith.addi %s, %i : index
    scf.yield %next : index
  } {kept = "as it is"}
  // CHECK: kept = "as it is"
  %use = arith.index_cast %sum : index to i64
  llvm.call @take(%use) : (i64) -> ()
  llvm.return
}

// The value that leaves the loop may be 2^32.
// CHECK-LABEL: @leaves
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
llvm.func @leaves(%n: i64 {llvm.range = #llvm.constant_range<i64, 0, 4294967295>}) {
  %end = arith.index_cast %n : i64 to index
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %end step %c2 {
    %use = arith.index_cast %i : index to i64
    llvm.call @take(%use) : (i64) -> ()
  }
  llvm.return
}

// A step of 2^31 would be a negative one.
// CHECK-LABEL: @step
// CHECK: scf.for unsigned %{{.*}} : i32 {
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
llvm.func @step() {
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : index
  %less = arith.constant 2147483647 : index
  %step = arith.constant 2147483648 : index
  scf.for %i = %c0 to %c100 step %less {
    %use = arith.index_cast %i : index to i64
    llvm.call @take(%use) : (i64) -> ()
  }
  scf.for %i = %c0 to %c100 step %step {
    %use = arith.index_cast %i : index to i64
    llvm.call @take(%use) : (i64) -> ()
  }
  llvm.return
}

// A bound that may be negative, one of which nothing is known, a step of which nothing is.
// CHECK-LABEL: @negative
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
llvm.func @negative(%n: i64 {llvm.range = #llvm.constant_range<i64, -1, 100>}) {
  %begin = arith.index_cast %n : i64 to index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  scf.for %i = %begin to %c100 step %c1 {
    %use = arith.index_cast %i : index to i64
    llvm.call @take(%use) : (i64) -> ()
  }
  llvm.return
}
// CHECK-LABEL: @unknown
// CHECK-COUNT-2: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
llvm.func @unknown(%n: i64) {
  %end = arith.index_cast %n : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  scf.for %i = %c0 to %end step %c1 {
    %use = arith.index_cast %i : index to i64
    llvm.call @take(%use) : (i64) -> ()
  }
  scf.for %i = %c0 to %c100 step %end {
    %use = arith.index_cast %i : index to i64
    llvm.call @take(%use) : (i64) -> ()
  }
  llvm.return
}

// Nested: the inner loop's bound is the outer one's counter.
// CHECK-LABEL: @nested
// CHECK: scf.for unsigned %[[I:.*]] = {{.*}} : i32
// CHECK: scf.for unsigned {{.*}} : i32
llvm.func @nested(%n: i64 {llvm.range = #llvm.constant_range<i64, 0, 1000>}) {
  %end = arith.index_cast %n : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %end step %c1 {
    scf.for %j = %c0 to %i step %c1 {
      %use = arith.index_cast %j : index to i64
      llvm.call @take(%use) : (i64) -> ()
    }
  }
  llvm.return
}

llvm.func @take(i64)
