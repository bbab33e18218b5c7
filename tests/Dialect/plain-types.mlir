// Types without parameters have none.
//
// RUN: titan-opt %s --split-input-file --verify-diagnostics

func.func private @good(%slot: !titan.slot, %phase: !titan.phase)

// -----

// expected-error@+2 {{'!titan.slot' has no parameters}}
// expected-note@+1 {{fix: write !titan.slot}}
func.func private @slot(%slot: !titan.slot<foo, bar = 7>)

// -----

// expected-error@+2 {{'!titan.phase' has no parameters}}
// expected-note@+1 {{fix: write !titan.phase}}
func.func private @phase(%phase: !titan.phase<2>)
