// RUN: titan check --proof=off %examples/programs/gemm_cluster_pipes.mlir | FileCheck %s --check-prefix=ACCEPTED
// ACCEPTED: @gemm_cluster_pipes: accepted: 0 errors

// It computes what gemm_cluster computes.
// RUN: titan run %examples/programs/gemm_cluster.mlir --arg A=ints:1 --shape A=300x136 --arg B=ints:2 --shape B=296x136 --shape D=300x296 --out D=%t.bare.npy
// RUN: titan run %examples/programs/gemm_cluster_pipes.mlir --arg A=ints:1 --shape A=300x136 --arg B=ints:2 --shape B=296x136 --shape D=300x296 --schedule random:3 --out D=%t.pipes.npy
// RUN: diff %t.bare.npy %t.pipes.npy

// Each slot is said to come from one CTA, and comes from two.
// LABEL load (2): multicast(%both)
// VARIANT senders: in load `multicast(%both)` -> `multicast(%both) senders(1)`
// RUN: %variant senders %s %examples/programs/gemm_cluster_pipes.mlir > %t.senders.mlir
// RUN: not titan check --proof=off %t.senders.mlir 2>&1 | FileCheck %s --check-prefix=SENDERS
// SENDERS: error: [barrier-bytes]
