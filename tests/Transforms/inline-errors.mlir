// RUN: titan-opt --split-input-file --titan-inline --verify-diagnostics %s

// expected-note@+1 {{the function}}
func.func private @again(%n: i32) {
  // expected-error@+1 {{[function-recursion] @again calls itself}}
  func.call @again(%n) : (i32) -> ()
  return
}
titan.kernel @k() warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %n = arith.constant 1 : i32
  func.call @again(%n) : (i32) -> ()
  titan.return
}

// -----

// expected-note@+1 {{the function}}
func.func private @ping(%n: i32) {
  func.call @pong(%n) : (i32) -> ()
  return
}
func.func private @pong(%n: i32) {
  // expected-error@+1 {{[function-recursion] @ping calls itself, through @pong}}
  func.call @ping(%n) : (i32) -> ()
  return
}
titan.kernel @k() warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %n = arith.constant 1 : i32
  func.call @ping(%n) : (i32) -> ()
  titan.return
}

// -----

// expected-note@+1 {{the function}}
func.func private @elsewhere(%n: i32)
titan.kernel @k() warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %n = arith.constant 1 : i32
  // expected-error@+1 {{[function-body] @elsewhere has no body}}
  func.call @elsewhere(%n) : (i32) -> ()
  titan.return
}

// -----

// expected-note@+1 {{the function}}
func.func private @blocks(%n: i32) {
  cf.br ^end
^end:
  return
}
titan.kernel @k() warps(1) launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %n = arith.constant 1 : i32
  // expected-error@+1 {{[function-body] @blocks has several blocks}}
  func.call @blocks(%n) : (i32) -> ()
  titan.return
}
