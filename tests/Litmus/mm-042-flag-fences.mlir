// MM-13, MM-21, MM-42: the fence before a relaxed signal of a flag names the grid, too.
//
// CTA 0 writes, fences, and adds to a flag; CTA 1 waits for the flag and reads.
//
// RUN: titan check %s --kernel fence_of_the_gpu --scope=error
// RUN: not titan check %s --kernel fence_of_the_cta --scope=error 2>&1 | FileCheck %s --check-prefix=FENCE-OF-THE-CTA
// RUN: not titan check %s --kernel fence_of_the_cluster --scope=error 2>&1 | FileCheck %s --check-prefix=FENCE-OF-THE-CLUSTER
// RUN: not titan check %s --kernel no_fence --scope=error 2>&1 | FileCheck %s --check-prefix=NO-FENCE

!data   = !titan.global<64xf32>
!flags  = !titan.global<4xi32>

// The fence releases, and its scope holds the other CTA.
titan.kernel @fence_of_the_gpu(%data: !data, %flags: !flags) warps(1) launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %c0 = arith.constant 0 : index
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect {
      titan.st %f1, %data[%c0] : f32, !data
      titan.fence release gpu
      %old = titan.atom add %i1, %flags[%c0] : i32, !flags -> i32
    }
  } else {
    titan.elect {
      titan.flag.wait %flags[%c0], %i1 : !flags
      %x = titan.ld %data[%c0] : !data -> f32
    }
  }
  titan.return
}

// FENCE-OF-THE-CTA: [scope-too-narrow]
// It does not hold the other CTA.
titan.kernel @fence_of_the_cta(%data: !data, %flags: !flags) warps(1) launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %c0 = arith.constant 0 : index
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect {
      titan.st %f1, %data[%c0] : f32, !data
      titan.fence release cta
      %old = titan.atom add %i1, %flags[%c0] : i32, !flags -> i32
    }
  } else {
    titan.elect {
      titan.flag.wait %flags[%c0], %i1 : !flags
      %x = titan.ld %data[%c0] : !data -> f32
    }
  }
  titan.return
}

// FENCE-OF-THE-CLUSTER: [scope-too-narrow]
// Nor is the other CTA of the same cluster.
titan.kernel @fence_of_the_cluster(%data: !data, %flags: !flags) warps(1) launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %c0 = arith.constant 0 : index
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect {
      titan.st %f1, %data[%c0] : f32, !data
      titan.fence release cluster
      %old = titan.atom add %i1, %flags[%c0] : i32, !flags -> i32
    }
  } else {
    titan.elect {
      titan.flag.wait %flags[%c0], %i1 : !flags
      %x = titan.ld %data[%c0] : !data -> f32
    }
  }
  titan.return
}

// NO-FENCE: [race]
// A relaxed addition releases nothing.
titan.kernel @no_fence(%data: !data, %flags: !flags) warps(1) launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %c0 = arith.constant 0 : index
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect {
      titan.st %f1, %data[%c0] : f32, !data
      %old = titan.atom add %i1, %flags[%c0] : i32, !flags -> i32
    }
  } else {
    titan.elect {
      titan.flag.wait %flags[%c0], %i1 : !flags
      %x = titan.ld %data[%c0] : !data -> f32
    }
  }
  titan.return
}
