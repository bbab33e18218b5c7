// What goes wrong with one number, of which no element is named; and an address that is no multiple of its element's size, wherever it lies.
// RUN: rm -rf %t && split-file %s %t
// RUN: not titan run %t/address.ttir --shape x=4 --arg x=zeros --shape y=4 --arg y=poison 2>&1 | FileCheck %s --check-prefix=ADDRESS
// ADDRESS: [undefined-read] program (0, 0, 0): the address is undefined:
// RUN: not titan run %t/mask.ttir --shape x=4 --arg x=zeros --shape y=4 --arg y=poison 2>&1 | FileCheck %s --check-prefix=MASK
// MASK: [undefined-read] program (0, 0, 0): the mask is undefined:
// RUN: not titan run %t/atomic.ttir --shape x=4 --arg x=zeros --shape y=4 --arg y=zeros 2>&1 | FileCheck %s --check-prefix=ATOMIC
// ATOMIC: [undefined-read] program (0, 0, 0): an undefined value reaches memory:
// RUN: not titan run %t/nowhere.ttir --arg n=4098 --shape y=4 --arg y=poison 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: [misaligned] program (0, 0, 0): reads address 0x1002, 4 bytes at an address that is no multiple of that
// RUN: not titan run %t/nowhere.ttir --arg n=4096 --shape y=4 --arg y=poison 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: [out-of-bounds] program (0, 0, 0): reads address 0x1000, which belongs to no argument
//--- address.ttir
module {
  tt.func public @address(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
    %false = arith.constant false
    %i = tt.load %x, %false : !tt.ptr<i32>
    %p = tt.addptr %x, %i : !tt.ptr<i32>, i32
    %v = tt.load %p : !tt.ptr<i32>
    tt.store %y, %v : !tt.ptr<i32>
    tt.return
  }
}
//--- mask.ttir
module {
  tt.func public @mask(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
    %false = arith.constant false
    %one = arith.constant 1 : i32
    %i = tt.load %x, %false : !tt.ptr<i32>
    %m = arith.cmpi slt, %i, %one : i32
    tt.store %y, %one, %m : !tt.ptr<i32>
    tt.return
  }
}
//--- atomic.ttir
module {
  tt.func public @atomic(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
    %false = arith.constant false
    %true = arith.constant true
    %i = tt.load %x, %false : !tt.ptr<i32>
    %old = tt.atomic_rmw add, relaxed, gpu, %y, %i, %true : (!tt.ptr<i32>, i32, i1) -> i32
    tt.return
  }
}
//--- nowhere.ttir
module {
  tt.func public @nowhere(%n: i64, %y: !tt.ptr<i32>) {
    %p = tt.int_to_ptr %n : i64 -> !tt.ptr<i32>
    %v = tt.load %p : !tt.ptr<i32>
    tt.store %y, %v : !tt.ptr<i32>
    tt.return
  }
}
