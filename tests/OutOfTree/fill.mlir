// A project outside of the tree (CMakeLists.txt here) builds against an installed
// TITAN: find_package(TITAN), a family of one operation that titan and titan-opt
// load, and a program that drives the C++ interface.
//
// An instrumented TITAN would want an instrumented project.
// UNSUPPORTED: sanitize
//
// RUN: rm -rf %t && cmake --install %titan_build --prefix %t/titan > %t.log
// RUN: cmake -G Ninja -S %S -B %t/build -DCMAKE_PREFIX_PATH=%t/titan -DCMAKE_CXX_COMPILER=%cxx >> %t.log
// RUN: cmake --build %t/build >> %t.log
//
// Definition: parsed and printed; its verifier.
// RUN: %t/titan/bin/titan-opt --load-plugin=%t/build/Demo.so %s | FileCheck %s --check-prefix=OPT
// OPT: demo.fill %{{.*}}, %{{.*}} : <64xf32>
//
// Effects: listed, and checked.
// RUN: %t/titan/bin/titan explain effects --load-plugin=%t/build/Demo.so --kernel ordered %s | FileCheck %s --check-prefix=EFFECTS
// EFFECTS: demo.fill
// EFFECTS: write all of %buf{{.*}}PTX ISA, st
// RUN: %t/titan/bin/titan check --load-plugin=%t/build/Demo.so --kernel ordered %s
// RUN: not %t/titan/bin/titan check --load-plugin=%t/build/Demo.so --kernel unordered %s 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: [race]
// What the operation does its effects say, and hazards in runs read the same list.
// RUN: not %t/titan/bin/titan run --load-plugin=%t/build/Demo.so --kernel unordered --no-reference --shape D=4 --arg D=zeros --scalar x=2.5 --schedule eager %s 2>&1 | FileCheck %s --check-prefix=FOUND
// RUN: not %t/titan/bin/titan run --load-plugin=%t/build/Demo.so --kernel unordered --no-reference --shape D=4 --arg D=zeros --scalar x=2.5 --schedule lazy %s 2>&1 | FileCheck %s --check-prefix=FOUND
// FOUND: error: [race]
// FOUND: written here by the CTA, warp 0
// FOUND: demo.fill at {{.*}} writes the bytes (generic)
//
// Execution.
// RUN: %t/titan/bin/titan run --load-plugin=%t/build/Demo.so --kernel ordered --no-reference --shape D=4 --arg D=zeros --scalar x=2.5 --out D=%t.npy %s
// RUN: %python -c "import sys; assert open(sys.argv[1], 'rb').read()[-16:].hex() == '00002040' + 12 * '00'" %t.npy
//
// Lowering.
// RUN: %t/titan/bin/titan compile --check=off --load-plugin=%t/build/Demo.so --emit=ptx %s | FileCheck %s --check-prefix=PTX
// PTX-LABEL: .entry ordered
// PTX-COUNT-64: st.shared
//
// A variant of copies: cheaper than the one that does everything, for one thread.
// RUN: %t/titan/bin/titan explain copy --load-plugin=%t/build/Demo.so --kernel copied %s | FileCheck %s --check-prefix=VARIANTS
// VARIANTS: titan.copy %buf to %other; one thread
// VARIANTS: dsmem no: is_asynchronous: titan.copy is over when its threads go on
// VARIANTS: vectors no: all_threads: expected all threads of warps, and one thread executes it
// VARIANTS: scalars {{.*}}, where nothing else fits
// VARIANTS-NEXT: demo_line 128 instructions of 4 bytes, 1 thread, no fences; priority 0 <- chosen
// RUN: %t/titan/bin/titan check --load-plugin=%t/build/Demo.so --kernel copied %s
// RUN: %t/titan/bin/titan run --load-plugin=%t/build/Demo.so --kernel copied --no-reference --shape D=4 --arg D=zeros --scalar x=2.5 --out D=%t.npy %s
// RUN: %python -c "import sys; assert open(sys.argv[1], 'rb').read()[-16:].hex() == '00002040' + 12 * '00'" %t.npy
//
// Without the plug-in nobody knows the operation.
// RUN: not titan check %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: [parse-error]
//
// A plug-in for another version of the interface.
// RUN: not titan check --load-plugin=%t/build/Old.so %s 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: error: --load-plugin: {{.*}}Old.so: was built for version 999 of the plug-in interface; this is version {{[0-9]+}}  [bad-argument]
//
// The C++ interface.
// RUN: %t/build/api %S/Inputs/double.mlir | FileCheck %s --check-prefix=API
// API: accepted
// API: sum 1.28
// API: .entry two

!tile = !titan.shared<64xf32>
!global = !titan.global<?xf32>

titan.kernel @ordered(%x: f32, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %buf = titan.shared.alloc : !tile
  titan.elect warp(0) {
    demo.fill %buf, %x : !tile
  }
  titan.cta_sync
  titan.elect warp(1) {
    %v = titan.ld %buf[%c5] : !tile -> f32
    titan.st %v, %D[%c0] : f32, !global
  }
  titan.return
}

titan.kernel @unordered(%x: f32, %D: !global) warps(2) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %buf = titan.shared.alloc : !tile
  titan.elect warp(0) {
    demo.fill %buf, %x : !tile
  }
  titan.elect warp(1) {
    %v = titan.ld %buf[%c5] : !tile -> f32
    titan.st %v, %D[%c0] : f32, !global
  }
  titan.return
}

titan.kernel @copied(%x: f32, %D: !global) warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %buf = titan.shared.alloc : !tile
  %other = titan.shared.alloc : !tile
  titan.elect {
    demo.fill %buf, %x : !tile
    titan.copy %buf to %other : !tile, !tile
    %v = titan.ld %other[%c5] : !tile -> f32
    titan.st %v, %D[%c0] : f32, !global
  }
  titan.return
}
