// IDIOM: rounds of the cluster's barrier
//
// Arrivals at the cluster's barrier and waits alternate.
// (unittests/Analysis/ProvedLitmusTest.cpp asks for a proof of those that the search refuses, too.)
//
// RUN: titan check %s --kernel pairs --require=proved
// RUN: not titan check %s --kernel waits_twice --require=proved 2>&1 | FileCheck %s
// RUN: not titan check %s --kernel waits_first --require=proved 2>&1 | FileCheck %s
// RUN: not titan check %s --kernel arrives_twice --require=proved 2>&1 | FileCheck %s
// CHECK: [cluster-barrier]

// Two rounds.
titan.kernel @pairs() warps(2) cluster(2) attributes {titan.target = "sm_90a"} launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  titan.cluster.arrive
  titan.cluster.wait
  titan.cluster.arrive
  titan.cluster.wait
  titan.return
}

// For one arrival.
titan.kernel @waits_twice() warps(2) cluster(2) attributes {titan.target = "sm_90a"} launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  titan.cluster.arrive
  titan.cluster.wait
  titan.cluster.wait
  titan.return
}

// The second wait comes before its arrival.
titan.kernel @waits_first() warps(2) cluster(2) attributes {titan.target = "sm_90a"} launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  titan.cluster.arrive
  titan.cluster.wait
  titan.cluster.wait
  titan.cluster.arrive
  titan.return
}

// Before it has waited.
titan.kernel @arrives_twice() warps(2) cluster(2) attributes {titan.target = "sm_90a"} launch {
  %two = arith.constant 2 : index
  titan.launch grid(%two)
} body() {
  titan.cluster.arrive
  titan.cluster.arrive
  titan.cluster.wait
  titan.cluster.wait
  titan.return
}
