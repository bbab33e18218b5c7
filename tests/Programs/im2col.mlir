// RUN: titan check --proof=off %s
// RUN: for s in eager lazy random:1; do titan run %s --schedule $s || exit 1; done | FileCheck %s
// RUN: titan run %s --hazards=off | FileCheck %s --check-prefix=OFF
//
// The loads of a convolution by schedule: 3 x 3, stride 2, padding 1. Each CTA copies the
// tile of its 32 pixels for each element of the window and each 8 channels to a list of
// tiles; the reference is the definition: image n, pixel (p, q), element (r, s) is
// X(n, 2p + r - 1, 2q + s - 1), zero outside.
//
// CHECK-COUNT-6: elements equal to the reference, bit for bit
// OFF-COUNT-2: elements equal to the reference, bit for bit

!images = !titan.global<?x?x?x?xf32>
!list   = !titan.global<?x8xf32>
!tile   = !titan.shared<32x8xf32, swizzle = 32>
!map    = !titan.tensor_map<32x8xf32, swizzle = 32>

// Pixels in the tile: im2col.
#pixels = #titan.schedule<tensor N x H x W x C
  Hp = resize(H, 1, 1)  Wp = resize(W, 1, 1)
  P, R = window(Hp, 3, stride 2)  Q, S = window(Wp, 3, stride 2)
  NP = merge(N, P)  M = merge(NP, Q)
  Mo, Mi = split(M, 32)  Co, Ci = split(C, 8)
  bulk Mi, Ci>
titan.kernel @pixels(%X: !images, %L: !list) warps(1) attributes {
  titan.example = {sizes = {N = 3, H = 5, W = 7, C = 12}, X = "NxHxWxC random:1", L = "1152x8"},
  titan.reference = @pixels_reference
} launch {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %n = titan.dim %X, 0 : !images
  %h = titan.dim %X, 1 : !images
  %w = titan.dim %X, 2 : !images
  %hOdd = arith.addi %h, %c1 : index
  %wOdd = arith.addi %w, %c1 : index
  %p = arith.divui %hOdd, %c2 : index
  %q = arith.divui %wOdd, %c2 : index
  %np = arith.muli %n, %p : index
  %m = arith.muli %np, %q : index
  %blocks = arith.ceildivui %m, %c32 : index
  %mapL = titan.tensor_map %L : !list -> !map
  titan.launch grid(%blocks) with(%mapL : !map)
} body(%mapL: !map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %tile = titan.shared.alloc : !tile
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %mo = titan.cta_id 0
  %c = titan.dim %X, 3 : !images
  %cUp = arith.addi %c, %c7 : index
  %channels = arith.divui %cUp, %c8 : index
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    %mR = arith.muli %mo, %c3 : index
    scf.for %r = %c0 to %c3 step %c1 {
      %mr = arith.addi %mR, %r : index
      %mrS = arith.muli %mr, %c3 : index
      scf.for %s = %c0 to %c3 step %c1 {
        %mrs = arith.addi %mrS, %s : index
        %mrsC = arith.muli %mrs, %channels : index
        scf.for %co = %c0 to %channels step %c1 {
          titan.copy_async %X at(Mo = %mo, R = %r, S = %s, Co = %co) to %tile signals %full
              schedule(#pixels) strong : !images, !tile, !titan.mbarrier
          titan.mbarrier.arrive %full : !titan.mbarrier
          // The parity of how many tiles this CTA copied before.
          %rS = arith.muli %r, %c3 : index
          %rs = arith.addi %rS, %s : index
          %rsC = arith.muli %rs, %channels : index
          %mine = arith.addi %rsC, %co : index
          %parity = arith.remui %mine, %c2 : index
          %parity32 = arith.index_cast %parity : index to i32
          titan.mbarrier.wait %full parity(%parity32) : !titan.mbarrier
          %place = arith.addi %mrsC, %co : index
          %row = arith.muli %place, %c32 : index
          titan.tma.store %tile, %mapL[%row, %c0] : !tile, !map
          %group = titan.bulk.commit : !titan.token<bulk>
          titan.bulk.wait %group : !titan.token<bulk>
        }
      }
    }
  }
  titan.return
}
func.func private @pixels_reference(%X: memref<?x?x?x?xf32> {titan.input = "X"},
                                    %L: memref<?x8xf32> {titan.expected = "L"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %X, %c0 : memref<?x?x?x?xf32>
  %h = memref.dim %X, %c1 : memref<?x?x?x?xf32>
  %w = memref.dim %X, %c2 : memref<?x?x?x?xf32>
  %c = memref.dim %X, %c3 : memref<?x?x?x?xf32>
  %hOdd = arith.addi %h, %c1 : index
  %wOdd = arith.addi %w, %c1 : index
  %p = arith.divui %hOdd, %c2 : index
  %q = arith.divui %wOdd, %c2 : index
  %cUp = arith.addi %c, %c7 : index
  %channels = arith.divui %cUp, %c8 : index
  linalg.fill ins(%zero : f32) outs(%L : memref<?x8xf32>)
  scf.for %image = %c0 to %n step %c1 {
    scf.for %pi = %c0 to %p step %c1 {
      scf.for %qi = %c0 to %q step %c1 {
        %ip = arith.muli %image, %p : index
        %ipp = arith.addi %ip, %pi : index
        %iq = arith.muli %ipp, %q : index
        %pixel = arith.addi %iq, %qi : index
        %mo = arith.divui %pixel, %c32 : index
        %mi = arith.remui %pixel, %c32 : index
        scf.for %r = %c0 to %c3 step %c1 {
          scf.for %s = %c0 to %c3 step %c1 {
            %p2 = arith.muli %pi, %c2 : index
            %q2 = arith.muli %qi, %c2 : index
            %pr = arith.addi %p2, %r : index
            %qs = arith.addi %q2, %s : index
            %y = arith.subi %pr, %c1 : index
            %x = arith.subi %qs, %c1 : index
            // -1 is large.
            %inY = arith.cmpi ult, %y, %h : index
            %inX = arith.cmpi ult, %x, %w : index
            %inside = arith.andi %inY, %inX : i1
            scf.if %inside {
              scf.for %ci = %c0 to %c step %c1 {
                %co = arith.divui %ci, %c8 : index
                %column = arith.remui %ci, %c8 : index
                %a0 = arith.muli %mo, %c3 : index
                %a1 = arith.addi %a0, %r : index
                %a2 = arith.muli %a1, %c3 : index
                %a3 = arith.addi %a2, %s : index
                %a4 = arith.muli %a3, %channels : index
                %a5 = arith.addi %a4, %co : index
                %a6 = arith.muli %a5, %c32 : index
                %row = arith.addi %a6, %mi : index
                %value = memref.load %X[%image, %y, %x, %ci] : memref<?x?x?x?xf32>
                memref.store %value, %L[%row, %column] : memref<?x8xf32>
              }
            }
          }
        }
      }
    }
  }
  return
}

// Windows of one row, in boxes of 4: tiled copies with an element stride of 2. Boxes divide
// the 4 windows of a row, so that nothing behind the last one is copied. The list has a
// tile for each image, row, element of the window and 8 channels.
#boxes = #titan.schedule<tensor N x H x W x C
  Hp = resize(H, 1, 1)  Wp = resize(W, 1, 1)
  P, R = window(Hp, 3, stride 2)  Q, S = window(Wp, 3, stride 2)
  Qo, Qi = split(Q, 4)  Co, Ci = split(C, 8)
  bulk Qi, Ci>
!fixed     = !titan.global<2x5x7x12xf32>
!rows      = !titan.global<432x8xf32>
!short     = !titan.shared<4x8xf32, swizzle = 32>
!short_map = !titan.tensor_map<4x8xf32, swizzle = 32>
titan.kernel @boxes(%X: !fixed, %L: !rows) warps(1) attributes {
  titan.example = {sizes = {}, X = "2x5x7x12 random:2", L = "432x8"},
  titan.reference = @boxes_reference
} launch {
  %n = titan.dim %X, 0 : !fixed
  %mapL = titan.tensor_map %L : !rows -> !short_map
  titan.launch grid(%n) with(%mapL : !short_map)
} body(%mapL: !short_map) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %tile = titan.shared.alloc : !short
  %full = titan.mbarrier.alloc : !titan.mbarrier
  %image = titan.cta_id 0
  %h = titan.dim %X, 1 : !fixed
  %hOdd = arith.addi %h, %c1 : index
  %p = arith.divui %hOdd, %c2 : index
  %c = titan.dim %X, 3 : !fixed
  %cUp = arith.addi %c, %c7 : index
  %channels = arith.divui %cUp, %c8 : index
  titan.elect {
    titan.mbarrier.init %full count(1) : !titan.mbarrier
    titan.fence.mbarrier_init
    scf.for %pi = %c0 to %p step %c1 {
      scf.for %r = %c0 to %c3 step %c1 {
        scf.for %s = %c0 to %c3 step %c1 {
          scf.for %co = %c0 to %channels step %c1 {
            titan.copy_async %X at(N = %image, P = %pi, R = %r, Qo = %c0, S = %s, Co = %co) to %tile
                signals %full schedule(#boxes) strong : !fixed, !short, !titan.mbarrier
            titan.mbarrier.arrive %full : !titan.mbarrier
            %a0 = arith.muli %pi, %c3 : index
            %a1 = arith.addi %a0, %r : index
            %a2 = arith.muli %a1, %c3 : index
            %a3 = arith.addi %a2, %s : index
            %a4 = arith.muli %a3, %channels : index
            %mine = arith.addi %a4, %co : index
            %parity = arith.remui %mine, %c2 : index
            %parity32 = arith.index_cast %parity : index to i32
            titan.mbarrier.wait %full parity(%parity32) : !titan.mbarrier
            %b0 = arith.muli %p, %c3 : index
            %b1 = arith.muli %b0, %c3 : index
            %each = arith.muli %b1, %channels : index
            %b2 = arith.muli %image, %each : index
            %place = arith.addi %b2, %mine : index
            %row = arith.muli %place, %c4 : index
            titan.tma.store %tile, %mapL[%row, %c0] : !short, !short_map
            %group = titan.bulk.commit : !titan.token<bulk>
            titan.bulk.wait %group : !titan.token<bulk>
          }
        }
      }
    }
  }
  titan.return
}
func.func private @boxes_reference(%X: memref<2x5x7x12xf32> {titan.input = "X"},
                                   %L: memref<432x8xf32> {titan.expected = "L"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %X, %c0 : memref<2x5x7x12xf32>
  %h = memref.dim %X, %c1 : memref<2x5x7x12xf32>
  %w = memref.dim %X, %c2 : memref<2x5x7x12xf32>
  %c = memref.dim %X, %c3 : memref<2x5x7x12xf32>
  %hOdd = arith.addi %h, %c1 : index
  %p = arith.divui %hOdd, %c2 : index
  %cUp = arith.addi %c, %c7 : index
  %channels = arith.divui %cUp, %c8 : index
  linalg.fill ins(%zero : f32) outs(%L : memref<432x8xf32>)
  scf.for %image = %c0 to %n step %c1 {
    scf.for %pi = %c0 to %p step %c1 {
      scf.for %r = %c0 to %c3 step %c1 {
        scf.for %s = %c0 to %c3 step %c1 {
          scf.for %qi = %c0 to %c4 step %c1 {
            %p2 = arith.muli %pi, %c2 : index
            %q2 = arith.muli %qi, %c2 : index
            %pr = arith.addi %p2, %r : index
            %qs = arith.addi %q2, %s : index
            %y = arith.subi %pr, %c1 : index
            %x = arith.subi %qs, %c1 : index
            %inY = arith.cmpi ult, %y, %h : index
            %inX = arith.cmpi ult, %x, %w : index
            %inside = arith.andi %inY, %inX : i1
            scf.if %inside {
              scf.for %ci = %c0 to %c step %c1 {
                %co = arith.divui %ci, %c8 : index
                %column = arith.remui %ci, %c8 : index
                %a0 = arith.muli %image, %p : index
                %a1 = arith.addi %a0, %pi : index
                %a2 = arith.muli %a1, %c3 : index
                %a3 = arith.addi %a2, %r : index
                %a4 = arith.muli %a3, %c3 : index
                %a5 = arith.addi %a4, %s : index
                %a6 = arith.muli %a5, %channels : index
                %a7 = arith.addi %a6, %co : index
                %a8 = arith.muli %a7, %c4 : index
                %row = arith.addi %a8, %qi : index
                %value = memref.load %X[%image, %y, %x, %ci] : memref<2x5x7x12xf32>
                memref.store %value, %L[%row, %column] : memref<432x8xf32>
              }
            }
          }
        }
      }
    }
  }
  return
}
