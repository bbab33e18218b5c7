// RUN: titan-opt %s --split-input-file --verify-diagnostics
//
// Tiles between layouts, scans, gathers: what goes, and what is refused.

#acc = #titan.wgmma<1, 1>
#rows = #titan.layout<"reg: 8*c1, 2*r8; lane: 4*c8, 8*r1; warp: 4*r16">
#odd = #titan.layout<"reg: 2*c1, 2*r8, 3*c8; lane: 4*c2, 8*r1; warp: 4*r16">
#line = #titan.layout<"reg: 2*i1, 3*i16, 2*i8; lane: 4*i2, 8*i48; warp: 4*i384">
func.func @good(%x: tensor<64x32xf32, #acc>, %y: tensor<64x24xf16, #odd>, %b: tensor<64x32xi1, #acc>) {
  // Shuffles; a mask, too.
  %0 = titan.convert_layout %x : tensor<64x32xf32, #acc> -> tensor<64x32xf32, #rows>
  %1 = titan.convert_layout %b : tensor<64x32xi1, #acc> -> tensor<64x32xi1, #rows>
  // Another name of one layout, of digits that are no powers of two.
  %2 = titan.convert_layout %y : tensor<64x24xf16, #odd> -> tensor<64x24xf16, #acc>
  // Any other coordinates of the same registers.
  %3 = titan.relabel %y : tensor<64x24xf16, #odd> -> tensor<1536xf16, #line>
  return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [4, 1]>
#columns = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [1, 4]>
func.func @through(%x: tensor<64x128xbf16, #rows>, %s: !titan.shared<8192xbf16>, %t: !titan.shared<10000xbf16>) {
  %0 = titan.convert_layout %x through %s : tensor<64x128xbf16, #rows>, !titan.shared<8192xbf16> -> tensor<64x128xbf16, #columns>
  %1 = titan.convert_layout %x through %t barrier(2) threads(128) : tensor<64x128xbf16, #rows>, !titan.shared<10000xbf16> -> tensor<64x128xbf16, #columns>
  return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [4, 1]>
#columns = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [1, 4]>
func.func @crosses(%x: tensor<64x128xbf16, #rows>) {
  // expected-error@+1 {{[exchange-scratch] a warp needs elements that other warps hold: say `through %scratch`, a '!titan.shared<8192xbf16>' or a longer one}}
  %0 = titan.convert_layout %x : tensor<64x128xbf16, #rows> -> tensor<64x128xbf16, #columns>
  return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [4, 1]>
#columns = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [1, 4]>
func.func @short(%x: tensor<64x128xbf16, #rows>, %s: !titan.shared<8191xbf16>) {
  // expected-error@+1 {{[exchange-scratch] the scratch is a '!titan.shared<8192xbf16>' or a longer one, not '!titan.shared<8191xbf16>'}}
  %0 = titan.convert_layout %x through %s : tensor<64x128xbf16, #rows>, !titan.shared<8191xbf16> -> tensor<64x128xbf16, #columns>
  return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [4, 1]>
#columns = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [1, 4]>
func.func @barrier(%x: tensor<64x128xbf16, #rows>, %s: !titan.shared<8192xbf16>) {
  // expected-error@+1 {{[named-barrier]}}
  %0 = titan.convert_layout %x through %s barrier(16) threads(128) : tensor<64x128xbf16, #rows>, !titan.shared<8192xbf16> -> tensor<64x128xbf16, #columns>
  return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [4, 1]>
#columns = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [1, 4]>
func.func @mask(%x: tensor<64x128xi1, #rows>) {
  // expected-error@+1 {{and 'i1' has no place in shared memory: widen it first (arith.extui)}}
  %0 = titan.convert_layout %x : tensor<64x128xi1, #rows> -> tensor<64x128xi1, #columns>
  return
}

// -----

#acc = #titan.wgmma<1, 1>
#rows = #titan.layout<"reg: 8*c1, 2*r8; lane: 4*c8, 8*r1; warp: 4*r16">
func.func @needless(%x: tensor<64x32xf32, #acc>, %s: !titan.shared<2048xf32>) {
  // expected-error@+1 {{[exchange-scratch] each warp holds what it needs: leave `through` out}}
  %0 = titan.convert_layout %x through %s : tensor<64x32xf32, #acc>, !titan.shared<2048xf32> -> tensor<64x32xf32, #rows>
  return
}

// -----

#acc = #titan.wgmma<1, 1>
#rows = #titan.layout<"reg: 8*c1, 2*r8; lane: 4*c8, 8*r1; warp: 4*r16">
func.func @needless_barrier(%x: tensor<64x32xf32, #acc>) {
  // expected-error@+1 {{[exchange-scratch] a barrier, and no `through`}}
  %0 = titan.convert_layout %x barrier(1) threads(128) : tensor<64x32xf32, #acc> -> tensor<64x32xf32, #rows>
  return
}

// -----

#acc = #titan.wgmma<1, 1>
func.func @shape(%x: tensor<64x32xf32, #acc>) {
  // expected-error@+1 {{[exchange-type] a conversion keeps shape and element type: 'tensor<64x32xf32, #titan.wgmma<1, 1>>', not}}
  %0 = titan.convert_layout %x : tensor<64x32xf32, #acc> -> tensor<64x64xf32, #acc>
  return
}

// -----

#acc = #titan.wgmma<1, 1>
func.func @registers(%x: tensor<64x32xf32, #acc>) {
  // expected-error@+1 {{[exchange-type] 'tensor<64x32xf32, #titan.wgmma<1, 1>>' is 16 registers of 32 lanes of 4 warps, the result 32 of 32 of 4}}
  %0 = titan.relabel %x : tensor<64x32xf32, #acc> -> tensor<64x64xf32, #acc>
  return
}

// -----

#acc = #titan.wgmma<1, 1>
#same = #titan.layout<"reg: 2*i1, 8*rep; lane: 4*i2, 8*i8; warp: 4*i64">
func.func @places(%x: tensor<64x32xf32, #acc>) {
  // expected-error@+1 {{[exchange-type] two places that hold one element of}}
  %0 = titan.relabel %x : tensor<64x32xf32, #acc> -> tensor<256xf32, #same>
  return
}

// -----

#columns = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [1, 4]>
func.func @scan_warps(%x: tensor<64x128xf32, #columns>) {
  // expected-error@+1 {{[exchange-scratch] each row lies in 4 warps: say `through %scratch`, a '!titan.shared<256xf32>' or a longer one}}
  %0 = titan.scan add %x dimension(1) : tensor<64x128xf32, #columns>
  return
}

// -----

#columns = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [1, 4]>
func.func @along_warps(%x: tensor<64x128xf32, #columns>, %i: tensor<64x128xi32, #columns>, %s: !titan.shared<256xf32>, %t: !titan.shared<8192xf32>) {
  %0 = titan.scan add %x dimension(1) reverse through %s barrier(1) threads(128) : tensor<64x128xf32, #columns>, !titan.shared<256xf32>
  %1 = titan.gather %x[%i] dimension(1) through %t : tensor<64x128xf32, #columns>, tensor<64x128xi32, #columns>, !titan.shared<8192xf32> -> tensor<64x128xf32, #columns>
  return
}

// -----

#columns = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [1, 4]>
func.func @gather_warps(%x: tensor<64x128xf32, #columns>, %i: tensor<64x128xi32, #columns>) {
  // expected-error@+1 {{[exchange-scratch] each row lies in 4 warps: say `through %scratch`, a '!titan.shared<8192xf32>' or a longer one}}
  %1 = titan.gather %x[%i] dimension(1) : tensor<64x128xf32, #columns>, tensor<64x128xi32, #columns> -> tensor<64x128xf32, #columns>
  return
}

// -----

#columns = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [1, 4]>
func.func @scan_needless(%x: tensor<64x128xf32, #columns>, %s: !titan.shared<256xf32>) {
  // expected-error@+1 {{[exchange-scratch] each warp holds what it needs: leave `through` out}}
  %0 = titan.scan add %x dimension(0) through %s : tensor<64x128xf32, #columns>, !titan.shared<256xf32>
  return
}

// -----

#odd = #titan.layout<"reg: 2*c1; lane: 3*c2, 8*r1; warp: 2*c6">
func.func @scan_odd(%x: tensor<8x12xf32, #odd>, %s: !titan.shared<16xf32>) {
  // expected-error@+2 {{[layout-mismatch]}}
  // expected-note@+1 {{fix: titan.convert_layout makes a layout of it in which each row lies in one warp}}
  %0 = titan.scan add %x dimension(1) through %s : tensor<8x12xf32, #odd>, !titan.shared<16xf32>
  return
}

// -----

#acc = #titan.wgmma<1, 1>
func.func @scan_dimension(%x: tensor<64x32xf32, #acc>) {
  // expected-error@+1 {{[tile-dimension] dimension 2 of a tile of rank 2}}
  %0 = titan.scan add %x dimension(2) : tensor<64x32xf32, #acc>
  return
}

// -----

#acc = #titan.wgmma<1, 1>
func.func @bits(%x: tensor<64x32xf32, #acc>) {
  // expected-error@+1 {{[tile-element-type] `xor` of elements of 'f32'}}
  %0 = titan.scan xor %x dimension(1) : tensor<64x32xf32, #acc>
  return
}

// -----

#acc = #titan.wgmma<1, 1>
func.func @gather_rows(%x: tensor<64x32xf32, #acc>, %i: tensor<64x8xi32, #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>>) {
  // expected-error@+2 {{[layout-mismatch] indices lie where the rows that they choose from lie}}
  // expected-note@+1 {{fix: titan.convert_layout of one of them}}
  %0 = titan.gather %x[%i] dimension(1) : tensor<64x32xf32, #acc>, tensor<64x8xi32, #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>> -> tensor<64x8xf32, #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [4, 1]>>
  return
}

// -----

#acc = #titan.wgmma<1, 1>
func.func @gather_type(%x: tensor<64x32xf32, #acc>, %i: tensor<64x32xi16, #acc>) {
  // expected-error@+1 {{[exchange-type] indices are i32, not 'i16'}}
  %0 = titan.gather %x[%i] dimension(1) : tensor<64x32xf32, #acc>, tensor<64x32xi16, #acc> -> tensor<64x32xf32, #acc>
  return
}

// -----

#wide = #titan.wgmma<1, 2>
func.func @reduce_warps(%x: tensor<64x128xf32, #wide>) {
  // expected-error@+1 {{[exchange-scratch] each row lies in 2 warps: say `through %scratch`, a '!titan.shared<128xf32>' or a longer one}}
  %0 = titan.reduce add %x : tensor<64x128xf32, #wide> -> tensor<64xf32, #titan.slice<1, #wide>>
  return
}

// -----

#wide = #titan.wgmma<1, 2>
func.func @reduce_through(%x: tensor<64x128xf32, #wide>, %s: !titan.shared<128xf32>) {
  %0 = titan.reduce add %x through %s barrier(1) threads(256) : tensor<64x128xf32, #wide>, !titan.shared<128xf32> -> tensor<64xf32, #titan.slice<1, #wide>>
  return
}

// -----

#acc = #titan.wgmma<1, 1>
func.func @index(%x: tensor<64x32xindex, #acc>) {
  // expected-error@+1 {{[tile-element-type] lanes hand on integers of up to 32 or of 64 bits}}
  %0 = titan.convert_layout %x : tensor<64x32xindex, #acc> -> tensor<64x32xindex, #acc>
  return
}

// -----

#acc = #titan.wgmma<1, 1>
func.func @wide(%x: tensor<64x32xi48, #acc>) {
  // expected-error@+1 {{[tile-element-type] lanes hand on}}
  %0 = titan.scan add %x dimension(1) : tensor<64x32xi48, #acc>
  return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [1, 1]>
#columns = #titan.blocked<elements = [8, 1], lanes = [4, 8], warps = [1, 1]>
func.func @one_thread_convert(%x: tensor<64x32xf32, #rows>, %i: tensor<64x32xi32, #rows>) {
  titan.elect {
    // expected-error@+1 {{[issue-cardinality] stands in a titan.elect, which one thread executes, and takes the whole warp}}
    %0 = titan.convert_layout %x : tensor<64x32xf32, #rows> -> tensor<64x32xf32, #columns>
  }
  return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [1, 1]>
#columns = #titan.blocked<elements = [8, 1], lanes = [4, 8], warps = [1, 1]>
func.func @one_thread_reduce(%x: tensor<64x32xf32, #rows>, %i: tensor<64x32xi32, #rows>) {
  titan.elect {
    // expected-error@+1 {{[issue-cardinality] stands in a titan.elect, which one thread executes, and takes the whole warp}}
    %0 = titan.reduce add %x : tensor<64x32xf32, #rows> -> tensor<64xf32, #titan.slice<1, #rows>>
  }
  return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [1, 1]>
#columns = #titan.blocked<elements = [8, 1], lanes = [4, 8], warps = [1, 1]>
func.func @one_thread_scan(%x: tensor<64x32xf32, #rows>, %i: tensor<64x32xi32, #rows>) {
  titan.elect {
    // expected-error@+1 {{[issue-cardinality] stands in a titan.elect, which one thread executes, and takes the whole warp}}
    %0 = titan.scan add %x dimension(1) : tensor<64x32xf32, #rows>
  }
  return
}

// -----

#rows = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [1, 1]>
#columns = #titan.blocked<elements = [8, 1], lanes = [4, 8], warps = [1, 1]>
func.func @one_thread_gather(%x: tensor<64x32xf32, #rows>, %i: tensor<64x32xi32, #rows>) {
  titan.elect {
    // expected-error@+1 {{[issue-cardinality] stands in a titan.elect, which one thread executes, and takes the whole warp}}
    %0 = titan.gather %x[%i] dimension(1) : tensor<64x32xf32, #rows>, tensor<64x32xi32, #rows> -> tensor<64x32xf32, #rows>
  }
  return
}

// -----

// A warp has both elements of a row in two lanes, or in a lane and its neighbour's other register.
#mixed = #titan.layout<"reg: 2*r1; lane: 2*^r1^c1, 16*r2">
func.func @gather_mixed(%x: tensor<32x2xf32, #mixed>, %i: tensor<32x2xi32, #mixed>) {
  // expected-error@+1 {{[layout-mismatch] exclusive or mixes dimension 1 with the others so that no layout has whole rows where the indices are: titan.convert_layout to reg: }}
  %0 = titan.gather %x[%i] dimension(1) : tensor<32x2xf32, #mixed>, tensor<32x2xi32, #mixed> -> tensor<32x2xf32, #mixed>
  return
}

// -----

// Warps mix the dimension with the other one: no exchange within a warp makes rows of it.
#warps = #titan.layout<"reg: 2*c1; lane: 32*r1; warp: 2*^r32^c2, 2*c2">
func.func @scan_mixed_warps(%x: tensor<64x4xf32, #warps>) {
  // expected-error@+2 {{[layout-mismatch]}}
  // expected-note@+1 {{fix: titan.convert_layout makes a layout of it in which each row lies in one warp}}
  %0 = titan.scan add %x dimension(1) : tensor<64x4xf32, #warps>
  return
}

// -----

#columns = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [1, 4]>
func.func @some_warps(%x: tensor<64x128xf32, #columns>, %s: !titan.shared<256xf32>) {
  // expected-error@+1 {{[exchange-scratch] the tile lies over 4 warps, which all hand on their parts: threads(128), not threads(64)}}
  %0 = titan.scan add %x dimension(1) through %s barrier(1) threads(64) : tensor<64x128xf32, #columns>, !titan.shared<256xf32>
  return
}
