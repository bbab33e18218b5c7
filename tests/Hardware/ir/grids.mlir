// Two grids of one stream, of which the second begins while the first still runs (grids.py).
//
// @first writes Early, lets its dependents begin, is long about the rest, and writes Late. @second takes the
// time, waits for the first to end, takes the time again, and adds up what the first has written.
// @after is @second without titan.programmatic: what the stream itself orders.

#line = #titan.layout<"lane: 32*i1">
!index = tensor<32xi32, #line>
!words = !titan.global<?xi32>
!times = !titan.global<?xi64>

titan.kernel @first(%Early: !words, %Late: !words, %Ends: !times, %naps: i32) warps(1) launch {
  %ctas = titan.dim %Ends, 0 : !times
  titan.launch grid(%ctas)
} body() {
  %cta = titan.cta_id 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %begin = arith.muli %cta, %c32 : index
  %begin32 = arith.index_cast %begin : index to i32
  %base = titan.splat %begin32 : i32 -> !index
  %lane = titan.coordinate 0 : !index
  %at = arith.addi %base, %lane : !index
  %three = arith.constant dense<3> : !index
  %five = arith.constant dense<5> : !index
  %early = arith.muli %at, %three : !index
  %late = arith.muli %at, %five : !index
  titan.global.store %early, %Early[%at] : !index, !words, !index
  titan.griddepcontrol.launch_dependents
  %count = arith.index_cast %naps : i32 to index
  scf.for %nap = %c0 to %count step %c1 {
    titan.inline_ptx "nanosleep.u32 1000;"() does [] : () -> ()
  }
  titan.global.store %late, %Late[%at] : !index, !words, !index
  %end = titan.inline_ptx "mov.u64 $0, %globaltimer;"() does [] : () -> i64
  titan.elect {
    titan.st %end, %Ends[%cta] : i64, !times
  }
  titan.return
}

titan.kernel @second(%Early: !words, %Late: !words, %Sum: !words, %Begins: !times, %Waited: !times) warps(1)
    attributes {titan.programmatic = []} launch {
  %ctas = titan.dim %Begins, 0 : !times
  titan.launch grid(%ctas)
} body() {
  %begun = titan.inline_ptx "mov.u64 $0, %globaltimer;"() does [] : () -> i64
  titan.griddepcontrol.wait
  %waited = titan.inline_ptx "mov.u64 $0, %globaltimer;"() does [] : () -> i64
  %cta = titan.cta_id 0
  %c32 = arith.constant 32 : index
  %begin = arith.muli %cta, %c32 : index
  %begin32 = arith.index_cast %begin : index to i32
  %base = titan.splat %begin32 : i32 -> !index
  %lane = titan.coordinate 0 : !index
  %at = arith.addi %base, %lane : !index
  %early = titan.global.load %Early[%at] : !words, !index -> !index
  %late = titan.global.load %Late[%at] : !words, !index -> !index
  %sum = arith.addi %early, %late : !index
  titan.global.store %sum, %Sum[%at] : !index, !words, !index
  titan.elect {
    titan.st %begun, %Begins[%cta] : i64, !times
    titan.st %waited, %Waited[%cta] : i64, !times
  }
  titan.return
}

titan.kernel @after(%Early: !words, %Late: !words, %Sum: !words, %Begins: !times, %Waited: !times) warps(1) launch {
  %ctas = titan.dim %Begins, 0 : !times
  titan.launch grid(%ctas)
} body() {
  %begun = titan.inline_ptx "mov.u64 $0, %globaltimer;"() does [] : () -> i64
  %waited = titan.inline_ptx "mov.u64 $0, %globaltimer;"() does [] : () -> i64
  %cta = titan.cta_id 0
  %c32 = arith.constant 32 : index
  %begin = arith.muli %cta, %c32 : index
  %begin32 = arith.index_cast %begin : index to i32
  %base = titan.splat %begin32 : i32 -> !index
  %lane = titan.coordinate 0 : !index
  %at = arith.addi %base, %lane : !index
  %early = titan.global.load %Early[%at] : !words, !index -> !index
  %late = titan.global.load %Late[%at] : !words, !index -> !index
  %sum = arith.addi %early, %late : !index
  titan.global.store %sum, %Sum[%at] : !index, !words, !index
  titan.elect {
    titan.st %begun, %Begins[%cta] : i64, !times
    titan.st %waited, %Waited[%cta] : i64, !times
  }
  titan.return
}
