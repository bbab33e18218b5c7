// MM-100, MM-104, MM-105: 512 columns of 128 lanes, got by powers of two; a warp reaches the lanes of its window.
//
// RUN: titan-opt %s -split-input-file -verify-diagnostics

titan.kernel @columns() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %least = titan.tmem.alloc : !titan.tensor_memory<128x32xf32>
  %half = titan.tmem.alloc : !titan.tensor_memory<128x64xbf16>
  %ring = titan.tmem.alloc : !titan.tensor_memory<128x64xf32, slots = 4>
  %most = titan.tmem.alloc : !titan.tensor_memory<128x512xf32>
  titan.return
}

// -----

titan.kernel @too_few() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  // expected-error @below {{[tmem-alloc]}}
  %d = titan.tmem.alloc : !titan.tensor_memory<128x32xbf16>
  titan.return
}

// -----

titan.kernel @too_many() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  // expected-error @below {{[tmem-alloc] 1024 columns of 32 bits; tensor memory has 512}}
  %d = titan.tmem.alloc : !titan.tensor_memory<128x256xf32, slots = 4>
  titan.return
}

// -----

titan.kernel @no_power_of_two() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  // expected-error @below {{[tmem-alloc]}}
  %d = titan.tmem.alloc : !titan.tensor_memory<128x64xf32, slots = 3>
  titan.return
}

// -----

titan.kernel @last_columns() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c32 = arith.constant 32 : index
  %d = titan.tmem.alloc : !titan.tensor_memory<128x64xf32>
  %v = titan.tmem.view %d[%c32] : !titan.tensor_memory<128x64xf32> -> !titan.tensor_memory<128x32xf32>
  titan.return
}

// -----

titan.kernel @past_the_last() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c33 = arith.constant 33 : index
  %d = titan.tmem.alloc : !titan.tensor_memory<128x64xf32>
  // expected-error @below {{[out-of-bounds]}}
  %v = titan.tmem.view %d[%c33] : !titan.tensor_memory<128x64xf32> -> !titan.tensor_memory<128x32xf32>
  titan.return
}

// -----

titan.kernel @inside_a_cell() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %c1 = arith.constant 1 : index
  %d = titan.tmem.alloc : !titan.tensor_memory<128x64xbf16>
  // expected-error @below {{[tmem-view]}}
  %v = titan.tmem.view %d[%c1] : !titan.tensor_memory<128x64xbf16> -> !titan.tensor_memory<128x32xbf16>
  titan.return
}

// -----

// Warp w has rows 32 w to 32 w + 31.
#window = #titan.blocked<elements = [1, 32], lanes = [32, 1], warps = [4, 1]>
!sums = !titan.tensor_memory<128x32xf32>

titan.kernel @own_window() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %z = arith.constant 0.0 : f32
  %d = titan.tmem.alloc : !sums
  %t = titan.splat %z : f32 -> tensor<128x32xf32, #window>
  titan.tmem.store %t, %d : tensor<128x32xf32, #window>, !sums
  titan.return
}

// -----

// Each warp has eight columns of all rows.
#columns = #titan.blocked<elements = [4, 8], lanes = [32, 1], warps = [1, 4]>
!sums = !titan.tensor_memory<128x32xf32>

titan.kernel @all_lanes() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %z = arith.constant 0.0 : f32
  %d = titan.tmem.alloc : !sums
  %t = titan.splat %z : f32 -> tensor<128x32xf32, #columns>
  // expected-error @below {{[tmem-window]}}
  titan.tmem.store %t, %d : tensor<128x32xf32, #columns>, !sums
  titan.return
}

// -----

// Rows are dealt out to the warps in turn.
#turns = #titan.blocked<elements = [1, 8], lanes = [8, 4], warps = [4, 1]>
!sums = !titan.tensor_memory<128x32xf32>

titan.kernel @other_window() warps(4) attributes {titan.target = "sm_100a"} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %d = titan.tmem.alloc : !sums
  // expected-error @below {{[tmem-window]}}
  %t = titan.tmem.load %d : !sums -> !titan.inflight<tensor<128x32xf32, #turns>>
  titan.return
}
