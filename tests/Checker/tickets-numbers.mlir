// Numbers that a counter deals out may lead to places in global memory, and decide nothing else: this
// program runs where even and odd numbers take turns, as they do dealt out in turn to three CTAs, and hangs
// where a CTA gets two even ones in a row. So the checker does not accept it (MM-121).
// RUN: not titan check %s 2>&1 | FileCheck %s --check-prefix=BRANCH
// BRANCH: error: [undecided] how often this loop runs depends on the schedule, by 'titan.atom' (add); its numbers are not dealt out in turn: 'scf.if' (89:17) depends on the number (66:21) itself, and not only on how many there are
// BRANCH: @turns: cannot decide
//
// Nor may a parity, a slot, or an address in shared memory hang on it, or a loop; not by way of what a loop carries.
// VARIANT parity: replace even with %even = arith.constant true
// VARIANT parity: in wait `parity(%parity)` -> `parity(%bit)`
// RUN: %variant parity %s | not titan check - 2>&1 | FileCheck %s --check-prefix=PARITY
// PARITY: not dealt out in turn: 'titan.mbarrier.wait'
// VARIANT slot: replace even with %even = arith.constant true
// VARIANT slot: before wait add %s = titan.shared.slot %box[%bit : i32] : !letters -> !letter
// RUN: %variant slot %s | not titan check - 2>&1 | FileCheck %s --check-prefix=SLOT
// SLOT: not dealt out in turn: 'titan.shared.slot'
// VARIANT shared: replace even with %even = arith.constant true
// VARIANT shared: before wait add titan.st %bit, %pair[%place] : i32, !pair
// RUN: %variant shared %s | not titan check - 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: not dealt out in turn: 'titan.st'
// VARIANT trips: replace even with %even = arith.constant true
// VARIANT trips: before wait add scf.for %trip = %c0 to %place step %c32 { titan.syncwarp }
// RUN: %variant trips %s | not titan check - 2>&1 | FileCheck %s --check-prefix=TRIPS
// TRIPS: not dealt out in turn: 'scf.for'
// VARIANT carried: replace even with %even = arith.cmpi eq, %evens, %i0 : i32
// VARIANT carried: in next `%next` -> `%bit`
// RUN: %variant carried %s | not titan check - 2>&1 | FileCheck %s --check-prefix=CARRIED
// CARRIED: not dealt out in turn: '{{scf.if|titan.mbarrier.wait}}'

#line = #titan.layout<"lane: 32*i1">
!index = tensor<32xi32, #line>
!words = !titan.global<?xi32>
!letters = !titan.shared<1xi32, slots = 2>
!letter = !titan.shared<1xi32>
!pair = !titan.shared<2xi32>
!pipe = !titan.pipe<2>

titan.kernel @turns(%counter: !words, %Y: !words) warps(2) launch {
  %c32 = arith.constant 32 : index
  %n = titan.dim %Y, 0 : !words
  %tiles = arith.divui %n, %c32 : index
  %c3 = arith.constant 3 : index
  titan.launch grid(%c3) with(%tiles : index)
} body(%tiles: index) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %tiles32 = arith.index_cast %tiles : index to i32
  %box = titan.shared.alloc : !letters
  %pair = titan.shared.alloc : !pair
  %gate = titan.mbarrier.alloc : !titan.mbarrier
  titan.elect warp(0) {
    titan.mbarrier.init %gate count(32) : !titan.mbarrier
    titan.fence.mbarrier_init
  }
  titan.cta_sync
  %mail = titan.pipe.create "ask" -> ["work"] buffers ["tile"](%box : !letters) fill(arrive) : !pipe
  titan.warp_specialize {
    titan.partition "ask" warps(1) {
      titan.elect {
        %yes = arith.constant true
        scf.while (%more = %yes) : (i1) -> () {
          scf.condition(%more)
        } do {
          %number = titan.atom add %i1, %counter[%c0] : i32, !words -> i32
          %slot = titan.pipe.acquire %mail : !pipe
          %page = titan.pipe.buffer %slot["tile"] : !letter
          titan.st %number, %page[%c0] : i32, !letter
          titan.pipe.commit %slot
          %again = arith.cmpi slt, %number, %tiles32 : i32
          scf.yield %again : i1
        }
      }
    }
    titan.partition "work" warps(1) {
      %end:2 = scf.while (%evens = %i0) : (i32) -> (i32, i32) {
        %slot = titan.pipe.wait %mail : !pipe
        %page = titan.pipe.buffer %slot["tile"] : !letter
        %number = titan.ld %page[%c0] : !letter -> i32
        titan.pipe.release %slot
        %some = arith.cmpi slt, %number, %tiles32 : i32
        scf.condition(%some) %number, %evens : i32, i32
      } do {
      ^bb0(%number: i32, %evens: i32):
        %bit = arith.andi %number, %i1 : i32
        %place = arith.index_cast %bit : i32 to index
        %even = arith.cmpi eq, %bit, %i0 : i32 // @even
        %next = scf.if %even -> i32 {
          // The odd number before has opened the gate; the first one finds it open.
          %last = arith.andi %evens, %i1 : i32
          %parity = arith.xori %last, %i1 : i32
          titan.mbarrier.wait %gate parity(%parity) : !titan.mbarrier // @wait
          %more = arith.addi %evens, %i1 : i32
          scf.yield %more : i32
        } else {
          titan.mbarrier.arrive %gate : !titan.mbarrier
          scf.yield %evens : i32
        }
        scf.yield %next : i32 // @next
      }
    }
  }
  titan.return
}
