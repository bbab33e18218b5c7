// As a signed number i1 is 0 or -1.
//
// RUN: titan check %s
// RUN: titan run %s

titan.kernel @k(%A: !titan.global<?xi32>, %s: i32) warps(1) attributes {
  titan.example = {sizes = {M = 4}, A = "M zeros", s = 5 : i32}
} launch {
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
} body() {
  %z = arith.constant 0 : i32
  %no = arith.constant false
  %t = arith.cmpi ne, %s, %z : i32
  %f = arith.cmpi eq, %s, %z : i32
  %most = arith.maxsi %t, %f : i1
  %isMost = arith.cmpi eq, %most, %no : i1
  titan.assert %isMost, "max(-1, 0) is 0"
  %least = arith.minsi %t, %f : i1
  titan.assert %least, "min(-1, 0) is -1"
  titan.return
}
