// IDIOM: stream-K: shares of one line of steps
//
// shares.mlir's, where a step is a block that comes through a pipe, three slots deep: the producer goes along its share without
// asking for tiles, and what two warps have added up one thread signals for both.
//
// RUN: titan check %s --require=proved | FileCheck %s
// RUN: titan run %s --schedule random:1 | FileCheck %s --check-prefix=RIGHT
// RUN: titan run %s --schedule skew:2 --size M=50 | FileCheck %s --check-prefix=RIGHT
// RIGHT: Y ({{.*}} elements equal to the reference
// CHECK: @pipe: accepted
// CHECK: {{^}}  proved, for every size
//
// Signalled before the other warp has stored.
// VARIANT before_all: drop all
// RUN: %variant before_all %s | not titan check - 2>&1 | FileCheck %s --check-prefix=BEFORE-ALL
// BEFORE-ALL: [race]
// Nobody waits for the helpers.
// VARIANT unhelped: drop helped
// RUN: %variant unhelped %s | not titan check - 2>&1 | FileCheck %s --check-prefix=UNHELPED
// UNHELPED: [race]

#rows = #titan.blocked<elements = [1, 8], lanes = [4, 8], warps = [2, 1]>
!global = !titan.global<?x64xbf16>
!map = !titan.tensor_map<8x64xbf16, swizzle = 128>
!pages = !titan.global<?x8x64xbf16>
!tile = !titan.shared<8x64xbf16, swizzle = 128>
!ring = !titan.shared<8x64xbf16, swizzle = 128, slots = 3>
!pipe = !titan.pipe<3>
!regs = tensor<8x64xbf16, #rows>
!where = tensor<8x64xi32, #rows>
!yes = tensor<8x64xi1, #rows>
!flags = !titan.global<?xi32>

// A tile of Y is the sum of all blocks of X.
titan.kernel @pipe(%X: !global, %Y: !global, %partial: !pages, %flags: !flags) warps(3) attributes {titan.target = "sm_90a", titan.initial = {flags = 0},
  titan.example = {sizes = {M = 21, K = 37}, X = "Kx64 ints:1", Y = "Mx64", partial = "4x8x64 zeros", flags = "M zeros", multiprocessor_count = 4},
  titan.reference = @sums} launch {
  %eight = arith.constant 8 : index
  %rowsX = titan.dim %X, 0 : !global
  %rowsY = titan.dim %Y, 0 : !global
  %most = arith.constant 1073741824 : index
  %few = arith.cmpi ule, %rowsY, %most : index
  titan.require %few, "launch-check", "at most 2^30 rows, whose numbers have 32 bits"
  %steps = arith.ceildivui %rowsX, %eight : index
  %tiles = arith.ceildivui %rowsY, %eight : index
  %map = titan.tensor_map %X : !global -> !map
  %all = arith.muli %tiles, %steps : index
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %all, %sms : index
  %pages = titan.dim %partial, 0 : !pages
  %enough = arith.cmpi uge, %pages, %grid : index
  titan.require %enough, "launch-check", "a page for each CTA"
  %small = arith.cmpi ule, %pages, %most : index
  titan.require %small, "launch-check", "at most 2^30 pages, whose numbers have 32 bits"
  %count = titan.dim %flags, 0 : !flags
  %counted = arith.cmpi uge, %count, %tiles : index
  titan.require %counted, "launch-check", "a flag for each tile"
  titan.launch grid(%grid) with(%map, %steps, %all, %rowsY : !map, index, index, index)
} body(%map: !map, %steps: index, %all: index, %rows: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %i1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : bf16
  %cta = titan.cta_id 0
  %ctas = titan.num_ctas 0
  %next = arith.addi %cta, %c1 : index
  %begins = arith.muli %cta, %all : index
  %ends = arith.muli %next, %all : index
  %begin = arith.divui %begins, %ctas : index
  %end = arith.divui %ends, %ctas : index
  %tiles = titan.shared.alloc : !ring
  %pipe = titan.pipe.create "load" -> ["add"] buffers ["x"](%tiles : !ring) : !pipe
  titan.warp_specialize {
    titan.partition "load" warps(1) {
      scf.for %at = %begin to %end step %c1 {
        %step = arith.remui %at, %steps : index
        %row = arith.muli %step, %c8 : index
        %slot = titan.pipe.acquire %pipe : !pipe
        titan.pipe.load %map[%row, %c0] -> %slot["x"] : !map
        titan.pipe.commit %slot
      }
    }
    titan.partition "add" warps(2) {
      %in = titan.coordinate 0 : !where
      %j = titan.coordinate 1 : !where
      %zeros = titan.splat %zero : bf16 -> !regs
      %first = arith.divui %begin, %steps : index
      %last = arith.ceildivui %end, %steps : index
      scf.for %tile = %first to %last step %c1 {
        %following = arith.addi %tile, %c1 : index
        %tileBegin = arith.muli %tile, %steps : index
        %tileEnd = arith.muli %following, %steps : index
        %from = arith.maxui %begin, %tileBegin : index
        %to = arith.minui %end, %tileEnd : index
        %mine = scf.for %at = %from to %to step %c1 iter_args(%sofar = %zeros) -> (!regs) {
          %slot = titan.pipe.wait %pipe : !pipe
          %block = titan.pipe.buffer %slot["x"] : !tile
          %x = titan.shared.load %block : !tile -> !regs
          titan.pipe.release %slot
          %more = arith.addf %sofar, %x : !regs
          scf.yield %more : !regs
        }
        %owner = arith.cmpi eq, %from, %tileBegin : index
        scf.if %owner {
          %scaled = arith.muli %tileEnd, %ctas : index
          %upTo = arith.ceildivui %scaled, %all : index
          %more = arith.subi %upTo, %next : index
          %helpers = arith.index_cast %more : index to i32
          titan.elect warp(0) {
            titan.flag.wait %flags[%tile], %helpers : !flags // @helped
          }
          titan.barrier.sync 1 threads(64)
          %total = scf.for %helper = %next to %upTo step %c1 iter_args(%sofar = %mine) -> (!regs) {
            %helper32 = arith.index_cast %helper : index to i32
            %page = titan.splat %helper32 : i32 -> !where
            %part = titan.global.load %partial[%page, %in, %j] : !pages, !where, !where, !where -> !regs
            %now = arith.addf %sofar, %part : !regs
            scf.yield %now : !regs
          }
          %row = arith.muli %tile, %c8 : index
          %row32 = arith.index_cast %row : index to i32
          %at = titan.splat %row32 : i32 -> !where
          %i = arith.addi %at, %in : !where
          %rows32 = arith.index_cast %rows : index to i32
          %behind = titan.splat %rows32 : i32 -> !where
          %inside = arith.cmpi slt, %i, %behind : !where
          titan.global.store %total, %Y[%i, %j] mask(%inside : !yes) : !regs, !global, !where, !where
        } else {
          %cta32 = arith.index_cast %cta : index to i32
          %page = titan.splat %cta32 : i32 -> !where
          titan.global.store %mine, %partial[%page, %in, %j] : !regs, !pages, !where, !where, !where
          titan.barrier.sync 1 threads(64) // @all
          titan.elect warp(0) {
            titan.flag.signal %flags[%tile], %i1 : !flags
          }
        }
      }
    }
  }
  titan.return
}

// What pages and flags hold hangs on who had which share: sums of at most 40 numbers from -4 to 4, and at most three signals.
func.func private @sums(%X: memref<?x64xbf16> {titan.input = "X"}, %Y: memref<?x64xf32> {titan.expected = "Y"},
    %partial: memref<?x8x64xf32> {titan.expected = "partial"}, %partialBound: memref<?x8x64xf32> {titan.bound = "partial"},
    %flags: memref<?xi32> {titan.expected = "flags"}, %flagsBound: memref<?xi32> {titan.bound = "flags"}) {
  %none = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %sum40 = arith.constant 160.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%partial : memref<?x8x64xf32>)
  linalg.fill ins(%sum40 : f32) outs(%partialBound : memref<?x8x64xf32>)
  linalg.fill ins(%none : i32) outs(%flags : memref<?xi32>)
  linalg.fill ins(%three : i32) outs(%flagsBound : memref<?xi32>)
  %m = memref.dim %X, %c0 : memref<?x64xbf16>
  %rows = memref.dim %Y, %c0 : memref<?x64xf32>
  scf.for %i = %c0 to %rows step %c1 {
    %first = arith.remui %i, %c8 : index
    scf.for %j = %c0 to %c64 step %c1 {
      %sum = scf.for %row = %first to %m step %c8 iter_args(%sofar = %zero) -> (f32) {
        %x = memref.load %X[%row, %j] : memref<?x64xbf16>
        %wide = arith.extf %x : bf16 to f32
        %more = arith.addf %sofar, %wide : f32
        scf.yield %more : f32
      }
      memref.store %sum, %Y[%i, %j] : memref<?x64xf32>
    }
  }
  return
}
