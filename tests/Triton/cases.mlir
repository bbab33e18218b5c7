// One of several regions, and the first one for all other numbers.
// RUN: %python %S/Inputs/converted.py titan %s x=1:poison n=7
// RUN: for n in -1 0 7 8; do titan run %s --shape x=1 --arg x=poison --scalar n=$n --out x=%t.npy && %python -c "import struct; print(struct.unpack('<i', open(r'%t.npy', 'rb').read()[-4:])[0])"; done | grep -v ran | FileCheck %s
// CHECK: 3
// CHECK-NEXT: 1
// CHECK-NEXT: 2
// CHECK-NEXT: 3
tt.func public @cases(%x: !tt.ptr<i32>, %n: i32) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %at = arith.index_cast %n : i32 to index
  %r = scf.index_switch %at -> i32
  case 0 {
    scf.yield %c1 : i32
  }
  case 7 {
    scf.yield %c2 : i32
  }
  default {
    scf.yield %c3 : i32
  }
  tt.store %x, %r : !tt.ptr<i32>
  tt.return
}
