"""A kernel for gfx942 without its waits, but for those at which tiles arrive: no_waits.py [--auto] FILE."""

import re
import sys

auto = sys.argv[1] == "--auto"
for line in open(sys.argv[-1]):
    if re.match(r"\s*titan\.(counter\.wait|s_waitcnt)\b", line):
        continue
    if auto:
        line = line.replace('titan.target = "gfx942"', 'titan.target = "gfx942", titan.waits = "auto"')
    sys.stdout.write(line)
