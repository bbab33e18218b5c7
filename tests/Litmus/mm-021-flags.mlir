// MM-21, MM-26: a release and the acquire that reads it order two CTAs.
//
// Message passing through global memory: CTA 0 writes, CTA 1 reads.
//
// RUN: titan check %s --kernel flag
// RUN: not titan check %s --kernel no_flag 2>&1 | FileCheck %s --check-prefix=NO-FLAG
// RUN: not titan check %s --kernel data_after_signal 2>&1 | FileCheck %s --check-prefix=DATA-AFTER-SIGNAL
// RUN: not titan check %s --kernel read_before_wait 2>&1 | FileCheck %s --check-prefix=READ-BEFORE-WAIT
// RUN: not titan check %s --kernel never_signalled 2>&1 | FileCheck %s --check-prefix=NEVER-SIGNALLED
// RUN: titan check %s --kernel added_and_waited
// RUN: not titan check %s --kernel added_beside 2>&1 | FileCheck %s --check-prefix=ADDED-BESIDE
// RUN: not titan check %s --kernel stored_beside 2>&1 | FileCheck %s --check-prefix=STORED-BESIDE
// RUN: not titan check %s --kernel taken_back 2>&1 | FileCheck %s --check-prefix=TAKEN-BACK
// RUN: not titan check %s --kernel unknown_amount 2>&1 | FileCheck %s --check-prefix=UNKNOWN-AMOUNT

!data   = !titan.global<64xf32>
!flags  = !titan.global<4xi32>

// signal releases, wait acquires, both at gpu scope.
titan.kernel @flag(%data: !data, %flags: !flags) warps(1) launch {
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
      titan.flag.signal %flags[%c0], %i1 : !flags
    }
  } else {
    titan.elect {
      titan.flag.wait %flags[%c0], %i1 : !flags
      %x = titan.ld %data[%c0] : !data -> f32
    }
  }
  titan.return
}

// NO-FLAG: [race]
// Nothing orders the two.
titan.kernel @no_flag(%data: !data, %flags: !flags) warps(1) launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %c0 = arith.constant 0 : index
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect {
      titan.st %f1, %data[%c0] : f32, !data
    }
  } else {
    titan.elect {
      %x = titan.ld %data[%c0] : !data -> f32
    }
  }
  titan.return
}

// DATA-AFTER-SIGNAL: [race]
// What follows the release is not released by it.
titan.kernel @data_after_signal(%data: !data, %flags: !flags) warps(1) launch {
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
      titan.flag.signal %flags[%c0], %i1 : !flags
      titan.st %f1, %data[%c0] : f32, !data
    }
  } else {
    titan.elect {
      titan.flag.wait %flags[%c0], %i1 : !flags
      %x = titan.ld %data[%c0] : !data -> f32
    }
  }
  titan.return
}

// READ-BEFORE-WAIT: [race]
// What precedes the acquire is not ordered by it.
titan.kernel @read_before_wait(%data: !data, %flags: !flags) warps(1) launch {
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
      titan.flag.signal %flags[%c0], %i1 : !flags
    }
  } else {
    titan.elect {
      %x = titan.ld %data[%c0] : !data -> f32
      titan.flag.wait %flags[%c0], %i1 : !flags
    }
  }
  titan.return
}

// NEVER-SIGNALLED: [deadlock]
// The other flag is signalled.
titan.kernel @never_signalled(%data: !data, %flags: !flags) warps(1) launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect {
      titan.st %f1, %data[%c0] : f32, !data
      titan.flag.signal %flags[%c1], %i1 : !flags
    }
  } else {
    titan.elect {
      titan.flag.wait %flags[%c0], %i1 : !flags
      %x = titan.ld %data[%c0] : !data -> f32
    }
  }
  titan.return
}

// An atomic addition counts as well, and the wait asks for both.
titan.kernel @added_and_waited(%data: !data, %flags: !flags) warps(2) launch {
  %grid = arith.constant 2 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect warp(0) {
      titan.st %f1, %data[%c0] : f32, !data
      titan.flag.signal %flags[%c0], %i1 : !flags
    }
  } else {
    titan.elect warp(1) {
      %old = titan.atom add %i1, %flags[%c0] sem(relaxed) scope(gpu) : i32, !flags -> i32
    }
    titan.elect warp(0) {
      titan.flag.wait %flags[%c0], %i2 : !flags
      %x = titan.ld %data[%c0] : !data -> f32
    }
  }
  titan.return
}

// ADDED-BESIDE: [race]
// It asks for one: the addition alone will do.
titan.kernel @added_beside(%data: !data, %flags: !flags) warps(2) launch {
  %grid = arith.constant 2 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect warp(0) {
      titan.st %f1, %data[%c0] : f32, !data
      titan.flag.signal %flags[%c0], %i1 : !flags
    }
  } else {
    titan.elect warp(1) {
      %old = titan.atom add %i1, %flags[%c0] sem(relaxed) scope(gpu) : i32, !flags -> i32
    }
    titan.elect warp(0) {
      titan.flag.wait %flags[%c0], %i1 : !flags
      %x = titan.ld %data[%c0] : !data -> f32
    }
  }
  titan.return
}

// STORED-BESIDE: [undecided]
// A store changes the flag, too.
titan.kernel @stored_beside(%data: !data, %flags: !flags) warps(2) launch {
  %grid = arith.constant 2 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect warp(0) {
      titan.st %f1, %data[%c0] : f32, !data
      titan.flag.signal %flags[%c0], %i1 : !flags
    }
  } else {
    titan.elect warp(1) {
      titan.st %i2, %flags[%c0] sem(relaxed) scope(gpu) : i32, !flags
    }
    titan.elect warp(0) {
      titan.flag.wait %flags[%c0], %i1 : !flags
      %x = titan.ld %data[%c0] : !data -> f32
    }
  }
  titan.return
}

// TAKEN-BACK: [undecided]
// Signals add positive numbers.
titan.kernel @taken_back(%data: !data, %flags: !flags) warps(2) launch {
  %grid = arith.constant 2 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %minus = arith.constant -2 : i32
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect warp(0) {
      titan.st %f1, %data[%c0] : f32, !data
      titan.flag.signal %flags[%c0], %i1 : !flags
    }
  } else {
    titan.elect warp(1) {
      titan.flag.signal %flags[%c0], %i2 : !flags
      titan.flag.signal %flags[%c0], %minus : !flags
    }
    titan.elect warp(0) {
      titan.flag.wait %flags[%c0], %i1 : !flags
      %x = titan.ld %data[%c0] : !data -> f32
    }
  }
  titan.return
}

// UNKNOWN-AMOUNT: [undecided]
// And known ones.
titan.kernel @unknown_amount(%data: !data, %flags: !flags) warps(2) launch {
  %grid = arith.constant 2 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect warp(0) {
      titan.st %f1, %data[%c0] : f32, !data
      titan.flag.signal %flags[%c0], %i1 : !flags
    }
  } else {
    titan.elect warp(1) {
      %n = titan.ld %flags[%c3] : !flags -> i32
      titan.flag.signal %flags[%c0], %n : !flags
    }
    titan.elect warp(0) {
      titan.flag.wait %flags[%c0], %i1 : !flags
      %x = titan.ld %data[%c0] : !data -> f32
    }
  }
  titan.return
}
