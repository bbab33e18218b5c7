// What arguments are given is held against their types.
// RUN: titan run %s --shape x=4 --arg x=poison --scalar n=-2147483648 --scalar h=65504 --scalar f=inf
// RUN: titan run %s --shape x=4 --arg x=poison --scalar n=4294967295 --scalar h=-inf --scalar f=3.4e38
// RUN: not titan run %s --shape x=4 --arg x=poison --scalar n=-2147483649 --scalar h=0 --scalar f=0 2>&1 | FileCheck %s --check-prefix=LEAST
// LEAST: --scalar n=-2147483649: -2147483649 does not fit into 32 bits [bad-argument]
// RUN: not titan run %s --shape x=4 --arg x=poison --scalar n=4294967296 --scalar h=0 --scalar f=0 2>&1 | FileCheck %s --check-prefix=MOST
// MOST: 4294967296 does not fit into 32 bits [bad-argument]
// RUN: not titan run %s --shape x=4 --arg x=poison --scalar n=0 --scalar h=1e10 --scalar f=0 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: --scalar h=1e10: the value is beyond the largest f16 [bad-argument]
// RUN: not titan run %s --shape x=4 --arg x=poison --scalar n=0 --scalar h=0 --scalar f=1e400 2>&1 | FileCheck %s --check-prefix=SINGLE
// SINGLE: --scalar f=1e400: the value is beyond the largest f32 [bad-argument]
// RUN: not titan run %s --shape x=4 --arg x=poison --scalar n=0 --scalar n=1 --scalar h=0 --scalar f=0 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: --scalar n=1: n is given twice [bad-argument]
// RUN: rm -f %t.npy
// RUN: not titan run %s --shape x=4 --scalar n=0 --scalar h=0 --scalar f=0 --out x=%t.npy 2>&1 | FileCheck %s --check-prefix=DATA
// DATA: x: has no data [argument-missing]
// DATA: fix: --arg x=random:1
// RUN: not ls %t.npy
tt.func public @store(%x: !tt.ptr<f32>, %n: i32, %h: f16, %f: f32) {
  tt.store %x, %f : !tt.ptr<f32>
  tt.return
}
