// Of two CTAs that may have one place what is computed from the same numbers is the same: not who they are, and not what two
// tensors hold.
//
// RUN: titan-mutate %s --prove --every 1000 --schedules 1 --multiprocessors 4 | FileCheck %s
// CHECK: kernels as they are: 2, {{[0-9]+}} refused, 0 proved
// RUN: not titan run %s --kernel clipped --sms 4 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not titan run %s --kernel two --arg A=fill:1 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: [race] writes bytes written by another warp
// Places that are apart are shown to be.
// RUN: sed 's/minui %cta, %most/addi %cta, %c0/; s/%c128 = arith.constant 128/%c128 = arith.constant 64/' %s | titan check - --kernel clipped --require=proved

!vec = !titan.global<?xi32>

// All CTAs but the first two of a row have its third element.
titan.kernel @clipped(%Y: !vec, %s: i64) warps(1) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {M = 4096}, Y = "M", s = 128 : i64, multiprocessor_count = 3}} launch {
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %lo = arith.constant 128 : i64
  %hi = arith.constant 4096 : i64
  %x = arith.cmpi sge, %s, %lo : i64
  titan.require %x, "launch-check", "s is 128 or more"
  %y = arith.cmpi sle, %s, %hi : i64
  titan.require %y, "launch-check", "s is at most 4096"
  %m = titan.dim %Y, 0 : !vec
  %si = arith.index_cast %s : i64 to index
  %least = arith.muli %si, %c8 : index
  %ok = arith.cmpi uge, %m, %least : index
  titan.require %ok, "launch-check", "8 rows of s"
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %c128, %sms : index
  titan.launch grid(%grid, %c8) with(%si : index)
} body(%si: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %most = arith.constant 2 : index
  %i1 = arith.constant 1 : i32
  %cta = titan.cta_id 0
  %column = arith.minui %cta, %most : index
  titan.elect {
    %t = titan.cta_id 1
    %row = arith.muli %t, %si : index
    %at = arith.addi %row, %column : index
    titan.st %i1, %Y[%at] : i32, !vec
  }
  titan.return
}

// Two threads of a CTA, in different warps: the one's place is A[0], the other one's B[0] + 1, of 0 to 6.
titan.kernel @two(%A: !vec, %B: !vec, %Y: !vec, %s: i64) warps(2) attributes {titan.target = "sm_90a",
  titan.example = {sizes = {N = 1, M = 400}, A = "N zeros", B = "N zeros", Y = "M", s = 8 : i64, multiprocessor_count = 3}} launch {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %lo = arith.constant 8 : i64
  %hi = arith.constant 64 : i64
  %x = arith.cmpi sge, %s, %lo : i64
  titan.require %x, "launch-check", "8 to 64 apart"
  %y = arith.cmpi sle, %s, %hi : i64
  titan.require %y, "launch-check", "8 to 64 apart"
  %m = titan.dim %Y, 0 : !vec
  %si = arith.index_cast %s : i64 to index
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %c16, %sms : index
  %least = arith.muli %si, %grid : index
  %ok = arith.cmpi uge, %m, %least : index
  titan.require %ok, "launch-check", "an element for each, s apart"
  %na = titan.dim %A, 0 : !vec
  %nb = titan.dim %B, 0 : !vec
  %oka = arith.cmpi uge, %na, %c1 : index
  titan.require %oka, "launch-zero-dim", "A has an element"
  %okb = arith.cmpi uge, %nb, %c1 : index
  titan.require %okb, "launch-zero-dim", "B has an element"
  titan.launch grid(%grid) with(%si : index)
} body(%si: index) {
  %cta = titan.cta_id 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %i1 = arith.constant 1 : i32
  %z32 = arith.constant 0 : i32
  %six = arith.constant 6 : i32
  titan.warp_specialize {
    titan.partition "one" warps(1) {
      titan.elect {
        %t1 = titan.ld %A[%c0] : !vec -> i32
        %g = arith.cmpi sge, %t1, %z32 : i32
        titan.assume %g, "0 or more"
        %h = arith.cmpi sle, %t1, %six : i32
        titan.assume %h, "at most 6"
        %a = arith.index_cast %t1 : i32 to index
        %far = arith.muli %cta, %si : index
        %at = arith.addi %far, %a : index
        titan.st %i1, %Y[%at] : i32, !vec
      }
    }
    titan.partition "two" warps(1) {
      titan.elect {
        %t1 = titan.ld %B[%c0] : !vec -> i32
        %g = arith.cmpi sge, %t1, %z32 : i32
        titan.assume %g, "0 or more"
        %h = arith.cmpi sle, %t1, %six : i32
        titan.assume %h, "at most 6"
        %a0 = arith.index_cast %t1 : i32 to index
        %a = arith.addi %a0, %c1 : index
        %far = arith.muli %cta, %si : index
        %at = arith.addi %far, %a : index
        titan.st %i1, %Y[%at] : i32, !vec
      }
    }
  }
  titan.return
}
