// D = A * B^T, where CTAs take their tiles from a counter while they run: who
// is done early takes more.
//
// One warp asks the counter and posts each answer in a mailbox: a pipe whose
// slots hold one i32. The loading warp and the multiplying warps both read every
// letter, so all work on the same tile without asking twice; the letter that
// names no tile ends them all. The operands go through another pipe.
//
// `counter` holds a zero at the launch (titan.initial).

#acc    = #titan.wgmma<2, 1>

!global = !titan.global<?x?xbf16>
!counter = !titan.global<1xi32>
!mapA   = !titan.tensor_map<128x64xbf16, swizzle = 128>
!mapB   = !titan.tensor_map<256x64xbf16, swizzle = 128>
!ringA  = !titan.shared<128x64xbf16, swizzle = 128, slots = 4>
!ringB  = !titan.shared<256x64xbf16, swizzle = 128, slots = 4>
!ringD  = !titan.shared<128x64xbf16, swizzle = 128, slots = 2>
!tileA  = !titan.shared<128x64xbf16, swizzle = 128>
!tileB  = !titan.shared<256x64xbf16, swizzle = 128>
!letters = !titan.shared<1xi32, slots = 2>
!letter = !titan.shared<1xi32>
!sums   = tensor<128x256xf32, #acc>
!panel  = tensor<128x64xf32, #acc>
!half   = tensor<128x64xbf16, #acc>
!flight = !titan.inflight<tensor<128x256xf32, #acc>>
!group  = !titan.token<mma>
!bulk   = !titan.token<bulk>

titan.kernel @gemm_dynamic(%A: !global, %B: !global, %D: !global, %counter: !counter)
    warps(12) registers(168) attributes {titan.target = "sm_90a", titan.initial = {counter = 0}} launch {
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %m = titan.dim %A, 0 : !global
  %n = titan.dim %B, 0 : !global
  %k = titan.dim %A, 1 : !global
  %kB = titan.dim %B, 1 : !global
  %mD = titan.dim %D, 0 : !global
  %nD = titan.dim %D, 1 : !global
  %is_kB = arith.cmpi eq, %kB, %k : index
  %is_mD = arith.cmpi eq, %mD, %m : index
  %is_nD = arith.cmpi eq, %nD, %n : index
  titan.require %is_kB, "launch-check", "A and B have the same number of columns"
  titan.require %is_mD, "launch-check", "D has a row for each row of A"
  titan.require %is_nD, "launch-check", "D has a column for each row of B"
  %tilesM = arith.ceildivui %m, %c128 : index
  %tilesN = arith.ceildivui %n, %c256 : index
  %steps = arith.ceildivui %k, %c64 : index
  %tiles = arith.muli %tilesM, %tilesN : index
  %most = arith.constant 1073741824 : index
  %few = arith.cmpi ule, %tiles, %most : index
  titan.require %few, "launch-check", "at most 2^30 tiles, whose numbers have 32 bits"
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %tiles, %sms : index
  %mapA = titan.tensor_map %A : !global -> !mapA
  %mapB = titan.tensor_map %B : !global -> !mapB
  %mapD = titan.tensor_map %D : !global -> !mapA
  titan.launch grid(%grid) with(%mapA, %mapB, %mapD, %tilesN, %tiles, %steps : !mapA, !mapB, !mapA, index, index, index)
} body(%mapA: !mapA, %mapB: !mapB, %mapD: !mapA, %tilesN: index, %tiles: index, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %i1 = arith.constant 1 : i32
  %tiles32 = arith.index_cast %tiles : index to i32

  %a = titan.shared.alloc : !ringA
  %b = titan.shared.alloc : !ringB
  %d = titan.shared.alloc : !ringD
  %box = titan.shared.alloc : !letters
  %mail = titan.pipe.create "schedule" -> ["load", "multiply"] buffers ["tile"](%box : !letters)
      fill(arrive) : !titan.pipe<2>
  %ab = titan.pipe.create "load" -> ["multiply"] buffers ["a", "b"](%a, %b : !ringA, !ringB) : !titan.pipe<4>

  titan.warp_specialize {
    titan.partition "schedule" warps(1) {
      titan.elect {
        %yes = arith.constant true
        scf.while (%more = %yes) : (i1) -> () {
          scf.condition(%more)
        } do {
          %tile = titan.atom add %i1, %counter[%c0] : i32, !counter -> i32
          %slot = titan.pipe.acquire %mail : !titan.pipe<2>
          %page = titan.pipe.buffer %slot["tile"] : !letter
          titan.st %tile, %page[%c0] : i32, !letter
          titan.pipe.commit %slot
          // The letter that names no tile has been posted: enough.
          %again = arith.cmpi slt, %tile, %tiles32 : i32
          scf.yield %again : i1
        }
      }
    }

    titan.partition "load" warps(1) {
      titan.elect {
        scf.while : () -> (i32) {
          %slot = titan.pipe.wait %mail : !titan.pipe<2>
          %page = titan.pipe.buffer %slot["tile"] : !letter
          %tile = titan.ld %page[%c0] : !letter -> i32
          titan.pipe.release %slot
          %some = arith.cmpi slt, %tile, %tiles32 : i32
          scf.condition(%some) %tile : i32
        } do {
        ^bb0(%tile32: i32):
          %tile = arith.index_cast %tile32 : i32 to index
          %tm = arith.divui %tile, %tilesN : index
          %tn = arith.remui %tile, %tilesN : index
          %m = arith.muli %tm, %c128 : index
          %n = arith.muli %tn, %c256 : index
          scf.for %step = %c0 to %steps step %c1 {
            %k = arith.muli %step, %c64 : index
            %slot = titan.pipe.acquire %ab : !titan.pipe<4>
            titan.pipe.load %mapA[%m, %k] -> %slot["a"] : !mapA
            titan.pipe.load %mapB[%n, %k] -> %slot["b"] : !mapB
            titan.pipe.commit %slot
          }
          scf.yield
        }
      }
    }

    titan.partition "multiply" warps(8) {
      %none = titan.inflight.none : !flight
      scf.while : () -> (i32) {
        %slot = titan.pipe.wait %mail : !titan.pipe<2>
        %page = titan.pipe.buffer %slot["tile"] : !letter
        %tile = titan.ld %page[%c0] : !letter -> i32
        titan.pipe.release %slot
        %some = arith.cmpi slt, %tile, %tiles32 : i32
        scf.condition(%some) %tile : i32
      } do {
      ^bb0(%tile32: i32):
        %tile = arith.index_cast %tile32 : i32 to index
        %tm = arith.divui %tile, %tilesN : index
        %tn = arith.remui %tile, %tilesN : index
        %m = arith.muli %tm, %c128 : index
        %n = arith.muli %tn, %c256 : index
        %sum = scf.for %step = %c0 to %steps step %c1 iter_args(%acc = %none) -> (!flight) {
          %slot = titan.pipe.wait %ab : !titan.pipe<4>
          %slotA = titan.pipe.buffer %slot["a"] : !tileA
          %slotB = titan.pipe.buffer %slot["b"] : !tileB
          titan.mma.fence
          %more = arith.cmpi ne, %step, %c0 : index
          %acc1 = titan.mma %slotA, %slotB, %acc accumulate(%more) : !tileA, !tileB, !flight -> !flight
          %group = titan.mma.commit : !group
          titan.mma.wait %group : !group
          titan.pipe.release %slot
          scf.yield %acc1 : !flight
        }
        %result = titan.mma.result %sum : !flight -> !sums

        // Four panels through two buffers.
        scf.for %p = %c0 to %c4 step %c1 {
          %half = arith.remui %p, %c2 : index
          %buffer = titan.shared.slot %d[%half : index] : !ringD -> !tileA
          // The store before the last one has read its buffer.
          titan.elect warp(0) {
            titan.bulk.wait_group 1 read
          }
          titan.barrier.sync 1 threads(256)
          %panel = titan.panel %result[%p] : !sums -> !panel
          %panel16 = arith.truncf %panel : !panel to !half
          titan.shared.store %panel16, %buffer matrix : !half, !tileA
          titan.fence.proxy_async shared_cta
          titan.barrier.sync 1 threads(256)
          titan.elect warp(0) {
            %offset = arith.muli %p, %c64 : index
            %column = arith.addi %n, %offset : index
            titan.tma.store %buffer, %mapD[%m, %column] : !tileA, !mapA
            %g = titan.bulk.commit : !bulk
          }
        } {titan.unroll}
        scf.yield
      }
      titan.elect warp(0) {
        titan.bulk.wait_group 0 read
      }
    }
  }
  titan.return
}
