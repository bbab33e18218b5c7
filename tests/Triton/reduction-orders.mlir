// A reduction of what all warps have loaded to one number is a barrier for what depends
// on the number: after it the loads' places can be written, by other elements, too.
//
// RUN: titan run %s --kernel=after --shape x=200 --shape y=1 --arg x=random:1 --arg y=poison --arg t=7 | FileCheck %s --check-prefix=RUNS
// RUN: titan run %s --kernel=again --shape x=200 --shape y=1 --arg x=random:1 --arg y=poison --arg t=7 | FileCheck %s --check-prefix=RUNS
// RUNS: ran (1 programs,
//
// What is stored does not depend on it: the store may come before the reduction.
// RUN: not titan run %s --kernel=independent --shape x=200 --shape y=1 --arg x=random:1 --arg y=poison --arg t=7 2>&1 | FileCheck %s --check-prefix=RACE
// Each warp has the whole tensor, and waits for no other one.
// RUN: not titan run %s --kernel=few --shape x=200 --shape y=1 --arg x=random:1 --arg y=poison --arg t=7 2>&1 | FileCheck %s --check-prefix=RACE
// The reduction may stand behind its load, in front of the other one.
// RUN: not titan run %s --kernel=between --shape x=200 --shape y=1 --arg x=random:1 --arg y=poison --arg t=7 2>&1 | FileCheck %s --check-prefix=RACE
// The reduction is of numbers, and may stand anywhere.
// RUN: not titan run %s --kernel=numbers --shape x=200 --shape y=1 --arg x=random:1 --arg y=poison --arg t=7 2>&1 | FileCheck %s --check-prefix=RACE
// A read that the reduction orders does not hide an earlier one from a store that it does not order.
// RUN: not titan run %s --kernel=hidden --shape x=200 --shape y=1 --arg x=random:1 --arg y=poison --arg t=7 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: [race] program (0, 0, 0): writes x[7] (element [7] of the tensor), which another element of the same program reads: nothing orders the two

tt.func public @after(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %t: i32) {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %xs, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %one_at = tt.addptr %x, %t : !tt.ptr<f32>, i32
  %one = tt.load %one_at : !tt.ptr<f32>
  %all = tt.load %p : tensor<128x!tt.ptr<f32>>
  %most = "tt.reduce"(%all) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tt.reduce.return %m : f32
  }) : (tensor<128xf32>) -> f32
  %s = tt.splat %most : f32 -> tensor<128xf32>
  %d = arith.subf %all, %s : tensor<128xf32>
  tt.store %p, %d : tensor<128x!tt.ptr<f32>>
  %o = arith.addf %one, %most : f32
  tt.store %y, %o : !tt.ptr<f32>
  tt.return
}

tt.func public @again(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %t: i32) {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %xs, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %one_at = tt.addptr %x, %t : !tt.ptr<f32>, i32
  %one = tt.load %one_at : !tt.ptr<f32>
  %all = tt.load %p : tensor<128x!tt.ptr<f32>>
  %most = "tt.reduce"(%all) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tt.reduce.return %m : f32
  }) : (tensor<128xf32>) -> f32
  %fresh = tt.load %p : tensor<128x!tt.ptr<f32>>
  %s = tt.splat %most : f32 -> tensor<128xf32>
  %d = arith.subf %fresh, %s : tensor<128xf32>
  tt.store %p, %d : tensor<128x!tt.ptr<f32>>
  %o = arith.addf %one, %most : f32
  tt.store %y, %o : !tt.ptr<f32>
  tt.return
}

tt.func public @independent(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %t: i32) {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %xs, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %one_at = tt.addptr %x, %t : !tt.ptr<f32>, i32
  %one = tt.load %one_at : !tt.ptr<f32>
  %all = tt.load %p : tensor<128x!tt.ptr<f32>>
  %most = "tt.reduce"(%all) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tt.reduce.return %m : f32
  }) : (tensor<128xf32>) -> f32
  %d = arith.negf %all : tensor<128xf32>
  tt.store %p, %d : tensor<128x!tt.ptr<f32>>
  %o = arith.addf %one, %most : f32
  tt.store %y, %o : !tt.ptr<f32>
  tt.return
}

tt.func public @few(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %t: i32) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %xs, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %one_at = tt.addptr %x, %t : !tt.ptr<f32>, i32
  %one = tt.load %one_at : !tt.ptr<f32>
  %all = tt.load %p : tensor<64x!tt.ptr<f32>>
  %most = "tt.reduce"(%all) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tt.reduce.return %m : f32
  }) : (tensor<64xf32>) -> f32
  %s = tt.splat %most : f32 -> tensor<64xf32>
  %d = arith.subf %all, %s : tensor<64xf32>
  tt.store %p, %d : tensor<64x!tt.ptr<f32>>
  %o = arith.addf %one, %most : f32
  tt.store %y, %o : !tt.ptr<f32>
  tt.return
}

tt.func public @between(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %t: i32) {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %xs, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %all = tt.load %p : tensor<128x!tt.ptr<f32>>
  %one_at = tt.addptr %x, %t : !tt.ptr<f32>, i32
  %one = tt.load %one_at : !tt.ptr<f32>
  %most = "tt.reduce"(%all) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tt.reduce.return %m : f32
  }) : (tensor<128xf32>) -> f32
  %s = tt.splat %most : f32 -> tensor<128xf32>
  %d = arith.subf %all, %s : tensor<128xf32>
  tt.store %p, %d : tensor<128x!tt.ptr<f32>>
  %o = arith.addf %one, %most : f32
  tt.store %y, %o : !tt.ptr<f32>
  tt.return
}

tt.func public @numbers(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %t: i32) {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %xs, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %one_at = tt.addptr %x, %t : !tt.ptr<f32>, i32
  %one = tt.load %one_at : !tt.ptr<f32>
  %all = arith.sitofp %i : tensor<128xi32> to tensor<128xf32>
  %most = "tt.reduce"(%all) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tt.reduce.return %m : f32
  }) : (tensor<128xf32>) -> f32
  %s = tt.splat %most : f32 -> tensor<128xf32>
  %d = arith.subf %all, %s : tensor<128xf32>
  tt.store %p, %d : tensor<128x!tt.ptr<f32>>
  %o = arith.addf %one, %most : f32
  tt.store %y, %o : !tt.ptr<f32>
  tt.return
}

tt.func public @hidden(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %t: i32) {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %xs, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %one_at = tt.addptr %x, %t : !tt.ptr<f32>, i32
  %one = tt.load %one_at : !tt.ptr<f32>
  %all = tt.load %p : tensor<128x!tt.ptr<f32>>
  %most = "tt.reduce"(%all) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tt.reduce.return %m : f32
  }) : (tensor<128xf32>) -> f32
  %fresh = tt.load %p : tensor<128x!tt.ptr<f32>>
  %d = arith.negf %fresh : tensor<128xf32>
  tt.store %p, %d : tensor<128x!tt.ptr<f32>>
  %o = arith.addf %one, %most : f32
  tt.store %y, %o : !tt.ptr<f32>
  tt.return
}
