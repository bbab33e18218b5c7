"""Compiles programs and compares the shared memory that each allocates with the most bytes that are live at once.

    shared_memory.py TITAN FILE...

A view of shared memory is live from its first access to its last one; of one that is touched before a loop and in
it, to the end of the loop, and of one that a round leaves for the next one, all through it. Buffers begin at
multiples of 1024 bytes.
"""
import re
import subprocess
import sys

WIDTHS = {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "f8E4M3FN": 1, "f8E5M2": 1, "f16": 2, "bf16": 2, "f32": 4,
          "f64": 8}


def bytes_of(text):
    """Of `<32x64xf16, swizzle = 64, slots = 3>`."""
    *sizes, element = re.match(r"<([^,>]*)", text)[1].split("x")
    slots = re.search(r"slots = (\d+)", text)
    total = WIDTHS[element] * int(slots[1] if slots else 1)
    for size in sizes:
        total *= int(size)
    return total


def measure(text):
    """Bytes allocated, live at most, and buffers."""
    lines = text.splitlines()
    allocated, buffers, views, of, uses = 0, set(), {}, {}, {}
    loops, open_ = [], []
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if re.search(r"\bscf\.(for|while)\b", line):
            open_.append((indent, number))
        elif open_ and line.strip().startswith("}") and indent == open_[-1][0] and not line.rstrip().endswith("{"):
            loops.append((open_.pop()[1], number))
        made = re.match(r"\s*(%\w+) = titan\.shared\.(alloc|reuse|slot)\b(.*)", line)
        if made and made[2] == "alloc":
            allocated += bytes_of(made[3].split(" : ")[1])
            buffers.add(made[1])
        elif made and made[2] == "reuse":
            views[(made[1], number)] = bytes_of(made[3].split(" -> ")[1])
            of[made[1]] = (made[1], number)
        elif made:
            of[made[1]] = of[re.search(r"%\w+", made[3])[0]]
        else:
            for name in re.findall(r"%\w+", line):
                if name in of:
                    uses.setdefault(of[name], []).append(number)
    live = [0] * len(lines)
    for view, at in uses.items():
        first, last = min(at), max(at)
        for begin, end in loops:
            if first < begin < last < end:
                last = end
        for number in range(first, last + 1):
            live[number] += views[view]
    return allocated, max(live), len(buffers)


titan, *files = sys.argv[1:]
for file in files:
    done = subprocess.run([titan, "compile", file, "--check=off", "--emit=titan", "-o", "-"],
                          capture_output=True, text=True)
    if done.returncode:
        continue
    allocated, live, buffers = measure(done.stdout)
    print(f"{file.rsplit('/', 1)[-1]}: {allocated} bytes, {live} live:",
          "as many" if allocated < live + 1024 * max(1, buffers) else "more")
