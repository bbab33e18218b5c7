// The program parses, verifies, and prints back to itself.
// RUN: titan-opt %examples/programs/gemm_grouped.mlir -o %t.1
// RUN: titan-opt %t.1 -o %t.2
// RUN: diff %t.1 %t.2
// RUN: FileCheck %s < %t.1

// CHECK: titan.tensormap.alloc
// CHECK: titan.tensormap.at %{{.*}}[%{{.*}}] over %{{.*}} : <?x128xi8>, <?x?xbf16>
// CHECK: titan.tensormap.replace_address
// CHECK: titan.tensormap.replace_dim
// CHECK: titan.tensormap.cp_fenceproxy
// CHECK: titan.fence.tensormap_acquire

// What it does, and where the ISA says so.
// RUN: titan explain effects %examples/programs/gemm_grouped.mlir | FileCheck %s --check-prefix=EFFECTS
// EFFECTS: titan.tensormap.replace_dim, exactly one thread
// EFFECTS-NEXT: read object %editA, generic proxy, at issue  [PTX ISA, tensormap.replace]
// EFFECTS-NEXT: write object %editA, generic proxy, at issue  [PTX ISA, tensormap.replace]
// EFFECTS: titan.tensormap.cp_fenceproxy, warp
// EFFECTS-NEXT: read object %editA, generic proxy, at issue, by the warp as one  [PTX ISA, tensormap.cp_fenceproxy]
// EFFECTS-NEXT: write object %groupA, generic proxy, at issue, by the warp as one  [PTX ISA, tensormap.cp_fenceproxy]
// EFFECTS-NEXT: fence.proxy.tensormap release %groupA, .release.gpu  [PTX ISA, tensormap.cp_fenceproxy]
// EFFECTS: titan.fence.tensormap_acquire, every active thread
// EFFECTS-NEXT: fence.proxy.tensormap acquire %groupA, .acquire.gpu
// A map that may change: a bulk group tells that it has been read.
// EFFECTS: titan.tma.load, exactly one thread
// EFFECTS-NEXT: read object %groupA, tensormap proxy, bulk group  [PTX ISA, Tensormap proxy]

// It runs, the same under every schedule, with what its groups should be.
// RUN: for s in "eager --hazards=off" lazy random:1 "random:2 --hazards=off"; do titan run %examples/programs/gemm_grouped.mlir --schedule $s || exit 1; done | FileCheck %s --check-prefix=GOOD
// GOOD-COUNT-4: D (300x264xbf16): 79200 elements agree with the reference
// Groups of 0, 1, 139 and 160 rows: nothing is copied for the first.
// RUN: %python %S/Inputs/npy.py %t.npy 0 0 1 140 300
// RUN: for s in lazy random:1; do titan run %examples/programs/gemm_grouped.mlir --arg offsets=%t.npy --size NB=1056 --sms 3 --schedule $s || exit 1; done | FileCheck %s --check-prefix=UNEVEN
// UNEVEN-COUNT-2: D (300x264xbf16): 79200 elements agree with the reference
// A group of no rows, and a kernel that does not pass over it: the size 0 is
// stored as 2^32, and the copy faults.
// LABEL rows (2): %tilesM = arith.ceildivui
// VARIANT empty: in rows `%tilesM = arith.ceildivui %height, %c128 : index` -> `%tilesM0 = arith.ceildivui %height, %c128 : index %tilesM = arith.maxui %tilesM0, %c1 : index`
// RUN: %variant empty %s %examples/programs/gemm_grouped.mlir > %t.empty.mlir
// RUN: for h in on off; do not titan run %t.empty.mlir --arg offsets=%t.npy --size NB=1056 --sms 3 --hazards=$h || exit 1; done 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY-COUNT-2: error: [tma-dim-range]

// Searched: what was looked at is told, with the data of which titan.assume lets all be. The proof stops at the maps.
// RUN: titan check %examples/programs/gemm_grouped.mlir | FileCheck %s --check-prefix=SEARCHED
// SEARCHED: @gemm_grouped: accepted: 0 errors, 0 warnings
// SEARCHED: whole launches checked: {{[0-9]}} CTAs
// SEARCHED: not looked at: data of which titan.assume says something, but for elements that are 200, 1, 0, or in turn 0, 1, 129, 200 apart, or all 300, {{.*}}: it decides anew in each iteration of a loop how often this runs (line 140)
// SEARCHED: searched, not proved: line [[#]]: which tensor this touches is not followed
// RUN: not titan check --require=proved %examples/programs/gemm_grouped.mlir 2>&1 | FileCheck %s --check-prefix=REQUIRED
// REQUIRED: error: [undecided] not proved: which tensor this touches is not followed
// Tiles that meet are stored through the changed map of D: it does not end with its group,
// LABEL end: titan.tensormap.replace_dim %editD
// VARIANT endless: drop end
// RUN: %variant endless %s %examples/programs/gemm_grouped.mlir | not titan check --proof=off - 2>&1 | FileCheck %s --check-prefix=MEET
// or ends one row later,
// LABEL longer (2 of 2): %height = arith.index_cast %height32
// VARIANT row: after longer add %one = arith.constant 1 : i32 %taller = arith.addi %height32, %one : i32
// VARIANT row: in end `%height32` -> `%taller`
// RUN: %variant row %s %examples/programs/gemm_grouped.mlir | not titan check --proof=off - 2>&1 | FileCheck %s --check-prefix=MEET
// or begins at a height, not at an offset.
// LABEL begins: titan.tensormap.replace_address %editD
// VARIANT begins: in begins `%begin` -> `%height`
// RUN: %variant begins %s %examples/programs/gemm_grouped.mlir | not titan check --proof=off - 2>&1 | FileCheck %s --check-prefix=MEET
// MEET: error: [{{completion-not-observed|async-unordered}}] 'titan.tma.store' writes global memory through the async proxy that 'titan.tma.store' wrote
// All tiles are stored to the first one's rows.
// LABEL stored: titan.tma.store
// VARIANT first: in stored `%groupD[%m` -> `%groupD[%c0`
// RUN: %variant first %s %examples/programs/gemm_grouped.mlir | not titan check --proof=off - 2>&1 | FileCheck %s --check-prefix=MEET
// Twice as many tiles are waited for as are loaded: with data of some kinds, and few CTAs.
// LABEL waited (2 of 2): %tilesM = arith.ceildivui
// VARIANT twice: in waited `%c128` -> `%c64`
// RUN: %variant twice %s %examples/programs/gemm_grouped.mlir | not titan check --proof=off - 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: [deadlock] CTA 0, partition multiply, warp 0, iterations {{.*}} waits here for ever
// Uses begin anew with each group.
// LABEL after (2 of 2): scf.yield %after
// VARIANT anew: in after `%after` -> `%base`
// RUN: %variant anew %s %examples/programs/gemm_grouped.mlir | not titan check --proof=off - 2>&1 | FileCheck %s --check-prefix=ANEW
// ANEW: error: [barrier-unobserved]
// ANEW: fix: partition multiply, warp 0 waits twice for phase 0 of %full[0] (parity 0): its next wait there takes parity 1
// A map that is copied through is not followed where it was made over another tensor,
// LABEL made: titan.tensormap.copy %mapD
// VARIANT other: in made `%mapD` -> `%mapA`
// RUN: %variant other %s %examples/programs/gemm_grouped.mlir | not titan check --proof=off - 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: [undecided] the checker does not follow which part of a tensor copies through a changed map touch; the rest
// OTHER: fix: let the warp that copies through a map change it itself
// or changed by another warp,
// LABEL storing: arith.cmpi eq, %warp, %i0
// VARIANT warp: before storing add %i1 = arith.constant 1 : i32
// VARIANT warp: in storing `%i0` -> `%i1`
// RUN: %variant warp %s %examples/programs/gemm_grouped.mlir | not titan check --proof=off - 2>&1 | FileCheck %s --check-prefix=OTHER
// or its stride is.
// VARIANT stride: after end add %pitch = arith.constant 1024 : i64 titan.tensormap.replace_stride %editD, 0, %pitch : !mapA
// RUN: %variant stride %s %examples/programs/gemm_grouped.mlir | not titan check --proof=off - 2>&1 | FileCheck %s --check-prefix=OTHER
// Groups that overlap are data that the program does not take.
// RUN: %python %S/Inputs/npy.py %t.falling.npy 0 200 100 300
// RUN: not titan run %examples/programs/gemm_grouped.mlir --arg offsets=%t.falling.npy 2>&1 | FileCheck %s --check-prefix=FALLING
// FALLING: [assume-failed] the rows of a group lie in A, and end where they begin or behind: %end32, 100, is not at least %begin32, 200
// RUN: not titan run %examples/programs/gemm_grouped.mlir --arg offsets=steps:101 2>&1 | FileCheck %s --check-prefix=BEYOND
// BEYOND: [assume-failed] {{.*}}: %end32, 303, is not at most %rows32, 300
// Nothing is said of them: what data holds the checker does not know.
// LABEL promise (2): titan.assume %inside
// VARIANT unsaid: drop promise
// RUN: %variant unsaid %s %examples/programs/gemm_grouped.mlir > %t.unsaid.mlir
// RUN: not titan check --proof=off %t.unsaid.mlir 2>&1 | FileCheck %s --check-prefix=UNSAID
// UNSAID: error: [undecided] the checker does not follow what %offsets holds (its elements are taken to be 0, 200, 400, ...)
// The changed map is not acquired.
// LABEL acquire: titan.fence.tensormap_acquire %groupA
// VARIANT acquire: drop acquire
// RUN: %variant acquire %s %examples/programs/gemm_grouped.mlir > %t.acquire.mlir
// RUN: not titan check --proof=off %t.acquire.mlir 2>&1 | FileCheck %s --check-prefix=ACQUIRE
// RUN: not titan run %t.acquire.mlir 2>&1 | FileCheck %s --check-prefix=ACQUIRE-SHOWN
// RUN: not titan run %t.acquire.mlir --hazards=off 2>&1 | FileCheck %s --check-prefix=ACQUIRE-OFF
// ACQUIRE: acquire.mlir:171:17: error: [tensormap-acquire-missing]
// ACQUIRE-SHOWN: acquire.mlir:171:17: error: [tensormap-acquire-missing]
// ACQUIRE-OFF: error: [tensormap-bytes]
// It is acquired before it is changed.
// LABEL publish: titan.tensormap.cp_fenceproxy %editA
// VARIANT before: drop acquire
// VARIANT before: before publish add titan.fence.tensormap_acquire %groupA gpu : !mapA
// RUN: %variant before %s %examples/programs/gemm_grouped.mlir > %t.before.mlir
// RUN: not titan check --proof=off %t.before.mlir 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: not titan run %t.before.mlir 2>&1 | FileCheck %s --check-prefix=BEFORE-SHOWN
// RUN: not titan run %t.before.mlir --hazards=off 2>&1 | FileCheck %s --check-prefix=BEFORE-OFF
// BEFORE: before.mlir:171:17: error: [tensormap-acquire-missing]
// BEFORE-SHOWN: before.mlir:171:17: error: [tensormap-acquire-missing]
// BEFORE-OFF: error: [tensormap-bytes]
// It is changed while copies of the last group may still read it.
// LABEL readers: titan.bulk.wait %readers read
// VARIANT use: drop readers
// RUN: %variant use %s %examples/programs/gemm_grouped.mlir > %t.use.mlir
// RUN: not titan check --proof=off %t.use.mlir 2>&1 | FileCheck %s --check-prefix=USE
// RUN: not titan run %t.use.mlir 2>&1 | FileCheck %s --check-prefix=USE-SHOWN
// RUN: not titan run %t.use.mlir --hazards=off --schedule lazy 2>&1 | FileCheck %s --check-prefix=USE-OFF
// USE: use.mlir:148:11: error: [tensormap-in-use] 'titan.tensormap.cp_fenceproxy' writes
// USE-SHOWN: use.mlir:148:11: error: [tensormap-in-use]
// USE-OFF: error: [reference-mismatch]
// One thread edits, the warp copies what it does not see yet.
// LABEL edited +2: titan.tensormap.replace_dim %editA
// VARIANT sync: drop edited
// RUN: %variant sync %s %examples/programs/gemm_grouped.mlir > %t.sync.mlir
// RUN: not titan check --proof=off %t.sync.mlir 2>&1 | FileCheck %s --check-prefix=SYNC
// RUN: not titan run %t.sync.mlir 2>&1 | FileCheck %s --check-prefix=SYNC-SHOWN
// RUN: not titan run %t.sync.mlir --hazards=off 2>&1 | FileCheck %s --check-prefix=SYNC-OFF
// SYNC: sync.mlir:148:11: error: [race] 'titan.tensormap.cp_fenceproxy' reads a tensor map
// SYNC-SHOWN: sync.mlir:148:11: error: [race]
// SYNC-OFF: error: [undefined-read]
// What its operations cannot mean is refused, too.
// Copies go through the map that is being edited.
// LABEL load: titan.tma.load %groupA
// VARIANT shared: in load `%groupA` -> `%editA`
// RUN: %variant shared %s %examples/programs/gemm_grouped.mlir > %t.shared.mlir
// RUN: not titan check --proof=off %t.shared.mlir 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: error: {{.*}}[tensormap-place] no copy goes through a map in shared memory
// The map is edited where the copies read it.
// LABEL height: titan.tensormap.replace_dim %editA
// VARIANT place: in height `%editA` -> `%groupA`
// RUN: %variant place %s %examples/programs/gemm_grouped.mlir > %t.place.mlir
// RUN: not titan check --proof=off %t.place.mlir 2>&1 | FileCheck %s --check-prefix=PLACE
// PLACE: error: {{.*}}[tensormap-place] a map is edited in shared memory
