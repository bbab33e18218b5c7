// MM-26: a CTA that waits for one that is started later needs it to be resident, which a grid of at
// most as many CTAs as there are multiprocessors makes sure. For earlier ones any grid will do.
//
// RUN: titan check %s
// VARIANT any_grid: replace grid with %grid = arith.maxui %tiles, %c1 : index
// RUN: %variant any_grid %s | not titan check - 2>&1 | FileCheck %s
// CHECK: error: [flag-co-residency] this waits for a CTA that is started later
// CHECK: signalled here by a later CTA
// VARIANT earlier_ones: as any_grid
// VARIANT earlier_ones: replace waits with %waits = arith.cmpi ne, %cta, %c0 : index
// RUN: %variant earlier_ones %s | titan check -
// A grid of so few CTAs always fits.
// VARIANT small_grid: replace grid with %grid = arith.minui %tiles, %c32 : index
// RUN: %variant small_grid %s | titan check -
// The launch may ask for it.
// VARIANT checked_grid: replace grid with %grid = arith.maxui %tiles, %c1 : index %fits = arith.cmpi ule, %grid, %sms : index titan.require %fits, "launch-check", "all CTAs are resident"
// RUN: %variant checked_grid %s | titan check -

!data  = !titan.global<64xf32>
!flags = !titan.global<1xi32>

titan.kernel @flag(%A: !titan.global<?xf32>, %data: !data, %flags: !flags) warps(1) launch {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %tiles = titan.dim %A, 0 : !titan.global<?xf32>
  %sms = titan.device_property "multiprocessor_count"
  %grid = arith.minui %tiles, %sms : index // @grid
  titan.launch grid(%grid)
} body() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i1 = arith.constant 1 : i32
  %f1 = arith.constant 1.0 : f32
  %cta = titan.cta_id 0
  %ctas = titan.num_ctas 0
  %several = arith.cmpi ugt, %ctas, %c1 : index
  %two = arith.cmpi ule, %cta, %c1 : index
  %some = arith.andi %several, %two : i1
  %waits = arith.cmpi eq, %cta, %c0 : index // @waits
  scf.if %some {
    scf.if %waits {
      titan.elect {
        titan.flag.wait %flags[%c0], %i1 : !flags
        %x = titan.ld %data[%c0] : !data -> f32
      }
    } else {
      titan.elect {
        titan.st %f1, %data[%c0] : f32, !data
        titan.flag.signal %flags[%c0], %i1 : !flags
      }
    }
  }
  titan.return
}
