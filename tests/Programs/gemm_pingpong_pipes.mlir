// RUN: titan check --proof=off %examples/programs/gemm_pingpong_pipes.mlir | FileCheck %s --check-prefix=ACCEPTED
// ACCEPTED: @gemm_pingpong_pipes: accepted: 0 errors

// It computes what gemm_pingpong computes.
// RUN: titan run %examples/programs/gemm_pingpong.mlir --arg A=ints:1 --shape A=300x136 --arg B=ints:2 --shape B=296x136 --shape D=300x296 --out D=%t.bare.npy
// RUN: titan run %examples/programs/gemm_pingpong_pipes.mlir --arg A=ints:1 --shape A=300x136 --arg B=ints:2 --shape B=296x136 --shape D=300x296 --schedule random:3 --out D=%t.pipes.npy
// RUN: diff %t.bare.npy %t.pipes.npy

// Bugs seeded in it are not accepted. The turn is never passed on.
// LABEL signal: titan.pipe.signal %turnOdd
// VARIANT turn: drop signal
// RUN: %variant turn %s %examples/programs/gemm_pingpong_pipes.mlir > %t.turn.mlir
// RUN: not titan check --proof=off %t.turn.mlir 2>&1 | FileCheck %s --check-prefix=TURN
// TURN: error: [pipe-fill] producer "even" never passes a turn on
// Both begin.
// LABEL odd: %turnOdd = titan.pipe.create
// VARIANT both: in odd ` : !turn` -> ` credit(1) : !turn`
// RUN: %variant both %s %examples/programs/gemm_pingpong_pipes.mlir > %t.both.mlir
// RUN: not titan check --proof=off %t.both.mlir 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error:
// A warpgroup takes its own slots and those of the other's tile.
// LABEL skip (1 of 3): titan.pipe.skip
// VARIANT skip: drop skip
// RUN: %variant skip %s %examples/programs/gemm_pingpong_pipes.mlir > %t.skip.mlir
// RUN: not titan check --proof=off %t.skip.mlir 2>&1 | FileCheck %s --check-prefix=SKIP
// SKIP: error:
