// MM-26, MM-113: between workgroups of gfx942: a release and an acquire at device scope.
//
// Workgroup 0 writes, workgroup 1 reads.
//
// RUN: titan check %s --kernel flag --scope=error
// RUN: not titan check %s --kernel no_flag 2>&1 | FileCheck %s --check-prefix=NO-FLAG
// RUN: not titan check %s --kernel data_after_signal 2>&1 | FileCheck %s --check-prefix=DATA-AFTER-SIGNAL
// RUN: not titan check %s --kernel read_before_wait 2>&1 | FileCheck %s --check-prefix=READ-BEFORE-WAIT
// RUN: titan check %s --kernel fence_of_the_device --scope=error
// RUN: not titan check %s --kernel no_fence 2>&1 | FileCheck %s --check-prefix=NO-FENCE
// RUN: titan check %s --kernel loaded_to_lds --scope=error
// RUN: not titan check %s --kernel loaded_to_lds_no_wait 2>&1 | FileCheck %s --check-prefix=LOADED-TO-LDS-NO-WAIT
// RUN: not titan check %s --kernel all_waves_store 2>&1 | FileCheck %s --check-prefix=ALL-WAVES-STORE
// RUN: titan check %s --kernel all_waves_wait
// RUN: titan check %s --kernel each_wave_releases

#rows   = #titan.blocked<elements = [1, 2], lanes = [4, 16], warps = [4, 1]>
!data   = !titan.global<64x32xf16>
!flags  = !titan.global<4xi32>
!tile   = !titan.shared<64x32xf16>
!loads  = !titan.token<counter>

// Written, signalled, waited for, read.
titan.kernel @flag(%data: !data, %flags: !flags) warps(1) attributes {titan.target = "gfx942"} launch {
  %grid = arith.constant 2 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f16
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect {
      titan.st %f1, %data[%c0, %c0] : f16, !data
      titan.flag.signal %flags[%c0], %i1 : !flags
    }
  } else {
    titan.elect {
      titan.flag.wait %flags[%c0], %i1 : !flags
      %x = titan.ld %data[%c0, %c0] : !data -> f16
    }
  }
  titan.return
}

// NO-FLAG: [race]
// Nothing orders the two.
titan.kernel @no_flag(%data: !data, %flags: !flags) warps(1) attributes {titan.target = "gfx942"} launch {
  %grid = arith.constant 2 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f16
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect {
      titan.st %f1, %data[%c0, %c0] : f16, !data
    }
  } else {
    titan.elect {
      %x = titan.ld %data[%c0, %c0] : !data -> f16
    }
  }
  titan.return
}

// DATA-AFTER-SIGNAL: [race]
// What follows the release is not released by it.
titan.kernel @data_after_signal(%data: !data, %flags: !flags) warps(1) attributes {titan.target = "gfx942"} launch {
  %grid = arith.constant 2 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f16
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect {
      titan.flag.signal %flags[%c0], %i1 : !flags
      titan.st %f1, %data[%c0, %c0] : f16, !data
    }
  } else {
    titan.elect {
      titan.flag.wait %flags[%c0], %i1 : !flags
      %x = titan.ld %data[%c0, %c0] : !data -> f16
    }
  }
  titan.return
}

// READ-BEFORE-WAIT: [race]
// What precedes the acquire is not acquired by it.
titan.kernel @read_before_wait(%data: !data, %flags: !flags) warps(1) attributes {titan.target = "gfx942"} launch {
  %grid = arith.constant 2 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f16
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect {
      titan.st %f1, %data[%c0, %c0] : f16, !data
      titan.flag.signal %flags[%c0], %i1 : !flags
    }
  } else {
    titan.elect {
      %x = titan.ld %data[%c0, %c0] : !data -> f16
      titan.flag.wait %flags[%c0], %i1 : !flags
    }
  }
  titan.return
}

// A fence at device scope before a relaxed signal.
titan.kernel @fence_of_the_device(%data: !data, %flags: !flags) warps(1) attributes {titan.target = "gfx942"} launch {
  %grid = arith.constant 2 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f16
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect {
      titan.st %f1, %data[%c0, %c0] : f16, !data
      titan.fence release gpu
      %old = titan.atom add %i1, %flags[%c0] sem(relaxed) scope(gpu) : i32, !flags -> i32
    }
  } else {
    titan.elect {
      titan.flag.wait %flags[%c0], %i1 : !flags
      %x = titan.ld %data[%c0, %c0] : !data -> f16
    }
  }
  titan.return
}

// NO-FENCE: [race]
// A relaxed signal alone releases nothing.
titan.kernel @no_fence(%data: !data, %flags: !flags) warps(1) attributes {titan.target = "gfx942"} launch {
  %grid = arith.constant 2 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f16
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect {
      titan.st %f1, %data[%c0, %c0] : f16, !data
      %old = titan.atom add %i1, %flags[%c0] sem(relaxed) scope(gpu) : i32, !flags -> i32
    }
  } else {
    titan.elect {
      titan.flag.wait %flags[%c0], %i1 : !flags
      %x = titan.ld %data[%c0, %c0] : !data -> f16
    }
  }
  titan.return
}

// A load to LDS behind the wait reads what was written.
titan.kernel @loaded_to_lds(%data: !data, %flags: !flags) warps(1) attributes {titan.target = "gfx942"} launch {
  %grid = arith.constant 2 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %lds = titan.shared.alloc : !tile
  %f1 = arith.constant 1.0 : f16
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect {
      titan.st %f1, %data[%c0, %c0] : f16, !data
      titan.flag.signal %flags[%c0], %i1 : !flags
    }
  } else {
    titan.flag.wait %flags[%c0], %i1 : !flags
    %load = titan.buffer_load_lds %data[%c0, %c0], %lds : !data, !tile -> !loads
    titan.s_waitcnt vmcnt(0)
  }
  titan.return
}

// LOADED-TO-LDS-NO-WAIT: [race]
// Without the wait it may read either.
titan.kernel @loaded_to_lds_no_wait(%data: !data, %flags: !flags) warps(1) attributes {titan.target = "gfx942"} launch {
  %grid = arith.constant 2 : index
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %lds = titan.shared.alloc : !tile
  %f1 = arith.constant 1.0 : f16
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  scf.if %first {
    titan.elect {
      titan.st %f1, %data[%c0, %c0] : f16, !data
      titan.flag.signal %flags[%c0], %i1 : !flags
    }
  } else {
    %load = titan.buffer_load_lds %data[%c0, %c0], %lds : !data, !tile -> !loads
    titan.s_waitcnt vmcnt(0)
  }
  titan.return
}

// ALL-WAVES-STORE: [lds-counter-missing]
// A release waits for the stores of its own wave, and no barrier for those of others.
titan.kernel @all_waves_store(%data: !data, %flags: !flags) warps(4) attributes {titan.target = "gfx942"} launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %c0 = arith.constant 0 : index
  %last = arith.constant 63 : index
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f16
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  %i = titan.coordinate 0 : tensor<64x32xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x32xi32, #rows>
  %ones = titan.splat %f1 : f16 -> tensor<64x32xf16, #rows>
  scf.if %first {
    titan.global.store %ones, %data[%i, %j] : tensor<64x32xf16, #rows>, !data, tensor<64x32xi32, #rows>, tensor<64x32xi32, #rows>
    titan.s_barrier
    titan.elect warp(0) {
      titan.flag.signal %flags[%c0], %i1 : !flags
    }
  } else {
    titan.elect warp(0) {
      titan.flag.wait %flags[%c0], %i1 : !flags
      %x = titan.ld %data[%last, %c0] : !data -> f16
    }
  }
  titan.return
}

// Each wave waits for its own.
titan.kernel @all_waves_wait(%data: !data, %flags: !flags) warps(4) attributes {titan.target = "gfx942"} launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %c0 = arith.constant 0 : index
  %last = arith.constant 63 : index
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f16
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  %i = titan.coordinate 0 : tensor<64x32xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x32xi32, #rows>
  %ones = titan.splat %f1 : f16 -> tensor<64x32xf16, #rows>
  scf.if %first {
    titan.global.store %ones, %data[%i, %j] : tensor<64x32xf16, #rows>, !data, tensor<64x32xi32, #rows>, tensor<64x32xi32, #rows>
    titan.s_waitcnt vmcnt(0)
    titan.s_barrier
    titan.elect warp(0) {
      titan.flag.signal %flags[%c0], %i1 : !flags
    }
  } else {
    titan.elect warp(0) {
      titan.flag.wait %flags[%c0], %i1 : !flags
      %x = titan.ld %data[%last, %c0] : !data -> f16
    }
  }
  titan.return
}

// A release of each wave does so as well.
titan.kernel @each_wave_releases(%data: !data, %flags: !flags) warps(4) attributes {titan.target = "gfx942"} launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %c0 = arith.constant 0 : index
  %last = arith.constant 63 : index
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f16
  %cta = titan.cta_id 0
  %first = arith.cmpi eq, %cta, %c0 : index
  %i = titan.coordinate 0 : tensor<64x32xi32, #rows>
  %j = titan.coordinate 1 : tensor<64x32xi32, #rows>
  %ones = titan.splat %f1 : f16 -> tensor<64x32xf16, #rows>
  scf.if %first {
    titan.global.store %ones, %data[%i, %j] : tensor<64x32xf16, #rows>, !data, tensor<64x32xi32, #rows>, tensor<64x32xi32, #rows>
    titan.fence release gpu
    titan.s_barrier
    titan.elect warp(0) {
      titan.flag.signal %flags[%c0], %i1 : !flags
    }
  } else {
    titan.elect warp(0) {
      titan.flag.wait %flags[%c0], %i1 : !flags
      %x = titan.ld %data[%last, %c0] : !data -> f16
    }
  }
  titan.return
}
