// Two CTAs: CTA 0 stages a tile of A and copies it into the shared memory of CTA 1, which waits for its own barrier
// and writes B. One bulk copy of 16384 bytes.
//
// RUN: titan explain copy %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: kernel @dsmem_copy, line [[#]]: titan.copy %A to %src; a warp
// EXPLAIN-NEXT: tma no: has_schedule: what moves is said by two places, not by a schedule of the tensor
// EXPLAIN-NEXT: tma_map no: has_map: what moves is said by two places, not by a map
// EXPLAIN-NEXT: bulk no: is_asynchronous: titan.copy is over when its threads go on
// EXPLAIN-NEXT: cp_async no: is_asynchronous: titan.copy is over when its threads go on
// EXPLAIN-NEXT: vectors 64 instructions of 512 bytes, 32 threads, 1 fence; priority 0 <- chosen
// EXPLAIN-NEXT: scalars 16384 instructions of 2 bytes, 1 thread, 1 fence; priority -1, where nothing else fits
// EXPLAIN-NEXT: between other memories: dsmem, st_async, ldmatrix, stmatrix, moves, shuffles, exchange
// EXPLAIN: titan.copy_async %src to %dst; one thread
// EXPLAIN-NEXT: dsmem 1 instruction of 16384 bytes, 1 thread, 1 fence; priority 10 <- chosen
// EXPLAIN-NOT: no:
// EXPLAIN: titan.copy %dst to %B; a warp
//
// RUN: titan explain copy %s --json | FileCheck %s --check-prefix=JSON
// JSON: "copies": [
// JSON: "chosen": "dsmem"
// JSON: "kernel": "dsmem_copy"
// JSON: "operands": "%src to %dst"
// JSON: "operation": "titan.copy_async"
// JSON: "bytes": 16384
// JSON: "instructions": 1
//
// RUN: titan-opt %s --pass-pipeline='builtin.module(titan.kernel(titan-lower-copies))' | FileCheck %s --check-prefix=IR
// IR: titan.fence.proxy_async
// IR: titan.elect
// IR-NEXT: %[[THERE:.*]] = titan.map_rank %[[DST:.*]], %{{.*}} : !titan.shared<128x64xf16> -> !titan.shared<128x64xf16, cluster>
// IR-NEXT: %[[FAR:.*]] = titan.map_rank %[[MBAR:.*]], %{{.*}} : !titan.mbarrier{{.*}} -> !titan.mbarrier<{{.*}}cluster>
// IR-NEXT: titan.bulk.copy_to_peer %{{.*}}, %[[THERE]], %[[FAR]]
// IR-NEXT: }
//
// RUN: titan compile --emit=ptx %s | FileCheck %s --check-prefix=PTX
// PTX-DAG: mapa.shared::cluster.u32
// PTX: cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r{{[0-9]+}}], [%r{{[0-9]+}}], 16384,
// PTX-NOT: cp.async.bulk
// RUN: %if ptxas %{ titan compile %s -o %t.titanpkg %}
//
// RUN: titan check %s --require=proved | FileCheck %s --check-prefix=ACCEPTED
// ACCEPTED: accepted: 0 errors, 0 warnings
// RUN: for s in eager lazy random:1 random:2; do for h in on off; do titan run %s --schedule $s --hazards $h || exit 1; done; done | FileCheck %s --check-prefix=EQUAL
// EQUAL-COUNT-8: 8192 elements equal to the reference, bit for bit
//
// Any other way is declined: the copy is no titan.copy, and has no schedule.
// VARIANT by_vectors: in SEND `"dsmem"` -> `"vectors"`
// RUN: %variant by_vectors %s | not titan check - 2>&1 | FileCheck %s --check-prefix=BY-VECTORS
// BY-VECTORS: error: {{.*}}[copy-dispatch] dispatch("vectors") does not fit: is_synchronous: titan.copy_async completes later
// VARIANT by_magic: in SEND `"dsmem"` -> `"magic"`
// RUN: %variant by_magic %s | not titan check - 2>&1 | FileCheck %s --check-prefix=BY-MAGIC
// BY-MAGIC: error: {{.*}}[copy-dispatch] there is no variant 'magic'; there are tma, tma_map, bulk, cp_async, dsmem, st_async, vectors, ldmatrix, stmatrix, moves, shuffles, exchange, scalars
//
// The peer may not have started.
// VARIANT not_started: drop MEET
// VARIANT not_started: drop MET
// RUN: %variant not_started %s | not titan check - 2>&1 | FileCheck %s --check-prefix=NOT-STARTED
// RUN: %variant not_started %s | not titan run - 2>&1 | FileCheck %s --check-prefix=NOT-STARTED
// NOT-STARTED: [{{cluster-entry|barrier-not-initialised}}]
// A CTA may be gone: nobody tells CTA 0 that its memory has been read.
// VARIANT gone: drop PART
// VARIANT gone: drop PARTED
// RUN: %variant gone %s | not titan check - 2>&1 | FileCheck %s --check-prefix=GONE
// RUN: %variant gone %s | not titan run - --schedule lazy 2>&1 | FileCheck %s --check-prefix=GONE
// GONE: [exit-with-work-outstanding]
// The barrier expects nothing; too few bytes; bytes of another tile.
// VARIANT not_armed: replace ARM with titan.mbarrier.arrive %mbar : !titan.mbarrier
// RUN: %variant not_armed %s | not titan check - 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: %variant not_armed %s | not titan run - --schedule lazy 2>&1 | FileCheck %s --check-prefix=BYTES
// VARIANT wrong_bytes: in BYTES `16384` -> `8192`
// RUN: %variant wrong_bytes %s | not titan check - 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: %variant wrong_bytes %s | not titan run - 2>&1 | FileCheck %s --check-prefix=BYTES
// VARIANT more_bytes: in BYTES `16384` -> `16400`
// RUN: %variant more_bytes %s | not titan check - 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: %variant more_bytes %s | not titan run - 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: [{{barrier-bytes|deadlock|undefined-read}}]
// The source is written again: only the peer's barrier would tell that it has been read.
// VARIANT overwritten: after SENT add titan.copy %A to %src : !matrix, !tile
// RUN: %variant overwritten %s | not titan check - 2>&1 | FileCheck %s --check-prefix=OVERWRITTEN
// RUN: %variant overwritten %s | not titan run - --schedule lazy 2>&1 | FileCheck %s --check-prefix=OVERWRITTEN
// The copy is spoken of as what it is, with what it goes through until it is done.
// OVERWRITTEN: [completion-not-observed]
// OVERWRITTEN: note: titan.copy_async (dsmem) is issued here; its source has been read when the peer has waited and let this CTA know: a return arrival, a cluster barrier; it is done when the peer has waited for the phase of its barrier
// What threads stored the copy reads through the async proxy.
// VARIANT no_fence: drop FENCE
// RUN: %variant no_fence %s | not titan check - 2>&1 | FileCheck %s --check-prefix=NO-FENCE
// RUN: %variant no_fence %s | not titan run - 2>&1 | FileCheck %s --check-prefix=NO-FENCE
// NO-FENCE: [proxy-fence-missing]
// Nobody waits.
// VARIANT no_wait: drop WAIT
// RUN: %variant no_wait %s | not titan check - 2>&1 | FileCheck %s --check-prefix=NO-WAIT
// RUN: %variant no_wait %s | not titan run - --schedule lazy 2>&1 | FileCheck %s --check-prefix=NO-WAIT
// NO-WAIT: [{{race|undefined-read}}]

!matrix = !titan.global<128x64xf16, strides = [64, 1]>
!tile = !titan.shared<128x64xf16>

titan.kernel @dsmem_copy(%A: !matrix, %B: !matrix) warps(1) cluster(2, 1) attributes {
  titan.alignment = {A = 16, B = 16},
  titan.example = {A = "128x64 ints:1", B = "128x64"}, titan.reference = @reference
} launch {
  %c2 = arith.constant 2 : index
  titan.launch grid(%c2)
} body() {
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %bytes = arith.constant 16384 : i32 // @BYTES
  %src = titan.shared.alloc : !tile
  %dst = titan.shared.alloc : !tile
  %mbar = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect {
    titan.mbarrier.init %mbar count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
  }
  titan.cluster.arrive // @MEET
  titan.cluster.wait // @MET
  %rank = titan.cluster_rank
  %first = arith.cmpi eq, %rank, %i0 : i32
  scf.if %first {
    titan.copy %A to %src : !matrix, !tile
    titan.fence.proxy_async shared_cta // @FENCE
    titan.syncwarp
    titan.elect {
      titan.copy_async %src to %dst rank(%i1) signals %mbar dispatch("dsmem") : !tile, !tile, !titan.mbarrier // @SEND
    } // @SENT
  } else {
    titan.elect {
      titan.mbarrier.arrive_expect_tx %mbar, %bytes : !titan.mbarrier // @ARM
    }
    titan.mbarrier.wait %mbar parity(%i0) scope(cluster) : !titan.mbarrier // @WAIT
    titan.copy %dst to %B : !tile, !matrix
  }
  titan.cluster.arrive // @PART
  titan.cluster.wait // @PARTED
  titan.return
}

func.func private @reference(%A: memref<128x64xf16> {titan.input = "A"}, %B: memref<128x64xf32> {titan.expected = "B"}) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%A : memref<128x64xf16>) outs(%B : memref<128x64xf32>) {
    ^bb0(%a: f16, %b: f32):
      %x = arith.extf %a : f16 to f32
      linalg.yield %x : f32
  }
  return
}
