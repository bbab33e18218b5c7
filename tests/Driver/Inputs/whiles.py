"""Random scf.while loops that count, each as it stands and once more so that none takes it for an scf.for.

whiles.py SEED LOOPS FILE writes a kernel that stores what each of them gives; whiles.py SEED LOOPS FILE OUT.npy says
whether that is what it has to give.
"""

import random
import struct
import sys

N = 5  # The launch's argument: no bound of these is known to the compiler.


def loops(rng, count):
    """Type, bits, predicate, mirrored, first, bound less N, step, which results, in which order."""
    while count:
        kind, bits = rng.choice([("i8", 8), ("i16", 16), ("i32", 32), ("i64", 64), ("index", 64)])
        unsigned = rng.random() < 0.5
        if unsigned:
            first, bound = rng.randrange(0, 40), rng.randrange(0, 40)
            if rng.random() < 0.3 and bits < 64:  # with the highest bit
                high = 1 << (bits - 1)
                first, bound = high + first - 20, high + bound - 20
        else:
            first, bound = rng.randrange(-30, 30), rng.randrange(-30, 30)
        step = rng.randrange(1, 9)
        predicate = "ult" if unsigned else "slt"
        if unsigned and first == 0 and rng.random() < 0.5:
            predicate, step = "ne", 1
        order = rng.sample(range(3), 3)
        yield kind, bits, predicate, rng.random() < 0.3, first, bound, step, order[: rng.randrange(1, 4)]
        count -= 1


def expected(kind, bits, predicate, mirrored, first, bound, step, order):
    counter, rounds, last = first, 0, 77
    while counter != bound if predicate == "ne" else counter < bound:
        counter, rounds, last = counter + step, rounds + 1, counter
    signed = (counter + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))
    last = (last + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))
    return [[signed, rounds, last][i] for i in order]


def text(number, loop, counted, at):
    """The loop, whose results go to elements at, at + 1, ..."""
    kind, bits, predicate, mirrored, first, bound, step, order = loop
    wrapped = lambda v: (v + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))
    p = f"{number}{'c' if counted else 'u'}"
    types = [kind, "i32", kind]
    names = ["%i", "%r", "%l"]
    sides = "%b{0}, %i" if mirrored else "%i, %b{0}"
    turned = {"slt": "sgt", "ult": "ugt", "ne": "ne"}
    # The body is handed all three: what comes in no order of the results comes behind.
    handed = order + [i for i in range(3) if i not in order]
    handedTypes = ", ".join(types[i] for i in handed)
    out = f"""
    %f{p} = arith.constant {wrapped(first)} : {kind}
    %s{p} = arith.constant {step} : {kind}
    %d{p} = arith.constant {wrapped(bound - N)} : {kind}
    %v{p} = arith.constant 77 : {kind}
    %b{p} = arith.addi %n_{kind}, %d{p} : {kind}
    %w{p}:3 = scf.while (%i = %f{p}, %r = %zero, %l = %v{p}) : ({", ".join(types)}) -> ({handedTypes}) {{"""
    if not counted:
        out += f"\n      %more = arith.addi %r, %one : i32"
    out += f"""
      %is = arith.cmpi {turned[predicate] if mirrored else predicate}, {sides.format(p)} : {kind}
      scf.condition(%is) {", ".join(names[i] for i in handed)} : {handedTypes}
    }} do {{
    ^bb0({", ".join(f"{names[i]}: {types[i]}" for i in handed)}):
      %next = arith.addi %i, %s{p} : {kind}
      %r1 = arith.addi %r, %one : i32
      scf.yield %next, %r1, %i : {", ".join(types)}
    }}"""
    for k, i in enumerate(order):
        value = f"%w{p}#{k}"
        if types[i] != "i32":
            cast = "index_cast" if kind == "index" else "trunci" if bits > 32 else "extsi"
            out += f"\n    %x{p}{k} = arith.{cast} {value} : {kind} to i32"
            value = f"%x{p}{k}"
        out += f"""
    %k{p}{k} = arith.constant {at + k} : index
    titan.st {value}, %Y[%k{p}{k}] : i32, !data"""
    return out


def main():
    seed, count, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    every = list(loops(random.Random(seed), count))
    wanted = []
    body = ""
    for number, loop in enumerate(every):
        for counted in (True, False):
            body += text(number, loop, counted, len(wanted))
            wanted += [(number, counted, value) for value in expected(*loop)]
    if len(sys.argv) == 5:
        data = open(sys.argv[4], "rb").read()
        got = struct.unpack(f"<{len(wanted)}i", data[-4 * len(wanted) :])
        for (number, counted, value), is_ in zip(wanted, got):
            if value != is_:
                sys.exit(f"loop {number} {every[number]}, counted {counted}: {is_}, not {value}")
        print(f"{len(wanted)} results of {count} loops")
        return
    with open(path, "w") as file:
        file.write(f"""!data = !titan.global<{len(wanted)}xi32>
titan.kernel @whiles(%Y: !data, %n_i32: i32, %n_i64: i64) warps(1)
  attributes {{titan.target = "sm_90a"}} launch {{
  %c1 = arith.constant 1 : index
  titan.launch grid(%c1)
}} body() {{
  %n_i8 = arith.trunci %n_i32 : i32 to i8
  %n_i16 = arith.trunci %n_i32 : i32 to i16
  %n_index = arith.index_cast %n_i64 : i64 to index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  titan.elect warp(0) {{{body}
  }}
  titan.return
}}
""")


main()
