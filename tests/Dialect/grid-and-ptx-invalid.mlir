// RUN: titan-opt --split-input-file --verify-diagnostics %s

// expected-error@+1 {{[kernel-arguments] titan.programmatic names "Q", which is no argument}}
titan.kernel @names(%W: !titan.global<?xf32>) warps(1) attributes {titan.programmatic = ["Q"]} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.return
}

// -----

// expected-error@+1 {{[kernel-arguments] titan.programmatic is a list}}
titan.kernel @list() warps(1) attributes {titan.programmatic} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  titan.return
}

// -----

func.func @declared(%n: i32) {
  // expected-error@+1 {{[inline-ptx-effects] says one of `pure`, `does [...]` and `opaque`, not 0}}
  titan.inline_ptx "bar;"(%n) : (i32) -> ()
  return
}

// -----

func.func @number(%n: i32) {
  // expected-error@+1 {{[inline-ptx-text] `$2` of 2 results and operands: they are $0 to $1}}
  %r = titan.inline_ptx "mov.b32 $0, $2;"(%n) pure : (i32) -> i32
  return
}

// -----

func.func @register(%n: i1) {
  // expected-error@+1 {{[inline-ptx-operand] no register of PTX holds 'i1'}}
  %r = titan.inline_ptx "mov.b32 $0, $1;"(%n) pure : (i1) -> i32
  return
}

// -----

func.func @nothing(%n: i32) {
  // expected-error@+1 {{[inline-ptx-effects] a `pure` text without results does nothing}}
  titan.inline_ptx "mov.b32 %x, $0;"(%n) pure : (i32) -> ()
  return
}

// -----

func.func @operand(%n: i32) {
  // expected-error@+1 {{[inline-ptx-effects] #titan.ptx<write 1> names operand 1 of 1}}
  titan.inline_ptx "x $0;"(%n) does [#titan.ptx<write 1>] : (i32) -> ()
  return
}

// -----

func.func @memory(%n: i32) {
  // expected-error@+1 {{[inline-ptx-effects] #titan.ptx<write 0> is of shared memory or a global tensor, operand 0 is 'i32'}}
  titan.inline_ptx "x $0;"(%n) does [#titan.ptx<write 0>] : (i32) -> ()
  return
}

// -----

func.func @order() {
  // expected-error@+1 {{[inline-ptx-effects] a fence is acq_rel, sc, acquire or release, not weak}}
  titan.inline_ptx "x;"() does [#titan.ptx<fence weak, gpu>] : () -> ()
  return
}

// -----

func.func @reference(%n: i32) {
  // expected-error@+1 {{[inline-ptx-reference] a reference computes the results of a `pure` text}}
  %r = titan.inline_ptx "mov.b32 $0, $1;"(%n) opaque reference(@f) : (i32) -> i32
  return
}

// -----

// expected-error@+1 {{expected read, write, arrive, fence or fence_proxy_async, not 'jump'}}
#bad = #titan.ptx<jump 0>

// -----

#row = #titan.blocked<elements = [1, 2], lanes = [4, 8], warps = [1, 1]>
func.func @tiles(%t: tensor<4x16xf32, #row>) {
  // expected-error@+1 {{[inline-ptx-operand] the text is executed for each register of the tiles}}
  %r = titan.inline_ptx "mov.b32 $0, $1;"(%t) pure : (tensor<4x16xf32, #row>) -> i32
  return
}

// -----

#row = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [1, 1]>
#far = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [1, 1]>
func.func @layout(%t: tensor<4x8xi32, #row>) {
  // expected-error@+1 {{[tile-bitcast] each thread keeps its registers}}
  %r = titan.bitcast %t : tensor<4x8xi32, #row> -> tensor<4x16xf16, #far>
  return
}

// -----

#row = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [1, 1]>
#two = #titan.blocked<elements = [1, 2], lanes = [4, 8], warps = [1, 1]>
func.func @shape(%t: tensor<4x8xi32, #row>) {
  // expected-error@+1 {{[tile-bitcast] 2 elements of 'f16' are one of 'i32'}}
  %r = titan.bitcast %t : tensor<4x8xi32, #row> -> tensor<4x32xf16, #two>
  return
}

// -----

#row = #titan.blocked<elements = [1, 1], lanes = [4, 8], warps = [1, 1]>
func.func @width(%t: tensor<4x8xi1, #row>) {
  // expected-error@+1 {{[tile-bitcast] elements have 8, 16, 32 or 64 bits, not those of 'i1'}}
  %r = titan.bitcast %t : tensor<4x8xi1, #row> -> tensor<4x8xi1, #row>
  return
}

// -----

func.func @pure(%s: !titan.shared<16xf32>) {
  // expected-error@+1 {{[inline-ptx-effects] a `pure` text has no use for memory: say what it does to '!titan.shared<16xf32>', `does [#titan.ptx<read N>]`}}
  %r = titan.inline_ptx "ld.shared.f32 $0, [$1];"(%s) pure : (!titan.shared<16xf32>) -> f32
  return
}

// -----

func.func @nobody(%n: i32) {
  // expected-error@+1 {{[inline-ptx-reference] there is no func.func @f in the module}}
  %r = titan.inline_ptx "mov.b32 $0, $1;"(%n) pure reference(@f) : (i32) -> i32
  return
}

// -----

#row = #titan.blocked<elements = [1, 2], lanes = [4, 8], warps = [1, 1]>
func.func @one_lane(%t: tensor<4x16xi1, #row>) {
  titan.elect {
    // expected-error@+1 {{[issue-cardinality] stands in a titan.elect, which one thread executes, and takes the whole warp}}
    %r = titan.any %t : tensor<4x16xi1, #row>
  }
  return
}

// -----

func.func @none_to_name() {
  // expected-error@+1 {{[inline-ptx-text] `$` of 0 results and operands: there is none to name, and a dollar sign is $$}}
  titan.inline_ptx "$"() pure : () -> ()
  return
}
