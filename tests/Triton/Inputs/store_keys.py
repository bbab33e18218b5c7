"""keys.py TEXT MOVED: two texts that differ in places of the source have one key; others have another."""
import pathlib
import sys

from titan.store import Program, without_locations

text, moved = (pathlib.Path(name).read_text() for name in sys.argv[1:])
key = lambda text, warps=4, stages=3: Program("copy", text, {"num_warps": warps, "num_stages": stages, "check": False}).key
tell = lambda what, other: print(f"{what}: {'the same' if other == key(text) else 'another'}")
tell("moved", key(moved))
tell("another number of warps", key(text, 8))
tell("another number of stages", key(text, stages=2))
tell("another constant", key(text.replace("end = 16", "end = 8")))
print("strings stay:", without_locations('tt.print " loc(x)" : %0 : i32 loc("a(b\\"c)":1:2)\n') == 'tt.print " loc(x)" : %0 : i32\n')
print("signatures stay:", without_locations('tt.func public @loc(%n: i32 loc("n"(#loc))) {\n') == 'tt.func public @loc(%n: i32) {\n')
