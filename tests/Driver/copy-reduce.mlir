// A copy that adds a tile to a tensor: to what is there. Into data that nobody wrote (in an
// argument poison is NaN, docs/package.md) it makes no numbers; a tile that nobody wrote is
// refused, by the checker and by each run.
//
// RUN: titan run %s --kernel into --arg X=random:1 --arg Y=zeros --out X=%t.x.npy --out Y=%t.y.npy && cmp %t.x.npy %t.y.npy
// RUN: titan run %s --kernel into --arg X=random:1 --arg Y=poison --out Y=%t.nan.npy
// RUN: tail -c 256 %t.nan.npy | od -An -v -tx4 | sort -u | FileCheck %s --check-prefix=NAN
// NAN: 7fffffff 7fffffff 7fffffff 7fffffff
// NAN-NOT: {{.}}
//
// RUN: not titan check %s 2>&1 | FileCheck %s --check-prefix=CHECK
// RUN: not titan run %s --kernel from --arg Y=zeros 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// RUN: not titan run %s --kernel from --arg Y=zeros --hazards=off 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// CHECK: copy-reduce.mlir:[[#@LINE+36]]:5: error: [undefined-read] 'titan.copy_async' (tma) reads 256 bytes of %t (shared memory), of which nothing has written 256
// CHECK: @into: accepted
// CHECK: @from: refused: 1 error
// UNWRITTEN: copy-reduce.mlir:[[#@LINE+33]]:5: error: [undefined-read] 'titan.copy_async' (tma) reads %t, which was never written

#tile = #titan.schedule<tensor M x K Mo, Mi = split(M, 8) bulk Mi, K>
!x = !titan.global<8x8xf32>
!t = !titan.shared<8x8xf32>
titan.kernel @into(%X: !x, %Y: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %t = titan.shared.alloc : !t
  %full = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    titan.copy_async %X at(Mo = %c0) to %t signals %full schedule(#tile) : !x, !t, !titan.mbarrier
    titan.mbarrier.arrive %full : !titan.mbarrier
    titan.mbarrier.wait %full parity(%i0) : !titan.mbarrier
    titan.copy_async %t to %Y at(Mo = %c0) schedule(#tile) reduce(add) : !t, !x
    %g = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %g : !titan.token<bulk>
  }
  titan.return
}

titan.kernel @from(%Y: !x) warps(1) launch {
  %one = arith.constant 1 : index
  titan.launch grid(%one)
} body() {
  %c0 = arith.constant 0 : index
  %t = titan.shared.alloc : !t
  titan.elect {
    titan.copy_async %t to %Y at(Mo = %c0) schedule(#tile) reduce(add) : !t, !x
    %g = titan.bulk.commit : !titan.token<bulk>
    titan.bulk.wait %g : !titan.token<bulk>
  }
  titan.return
}
