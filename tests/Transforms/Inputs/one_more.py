"""Each count of s_waitcnt, one more: titan check has to refuse the kernel. And without the wait, too."""

import re
import subprocess
import sys

text = open(sys.argv[1]).read()
MOST = {"vmcnt": 63, "lgkmcnt": 15}
found = 0
for place in re.finditer(r"(vmcnt|lgkmcnt)\((\d+)\)", text):
    # Tiles arrive where they are needed: the author's.
    if "arrive" in text[place.start():text.index("\n", place.start())]:
        continue
    count = int(place.group(2)) + 1
    if count > MOST[place.group(1)]:
        continue
    found += 1
    more = text[: place.start(2)] + str(count) + text[place.end(2) :]
    done = subprocess.run(["titan", "check", "-"], input=more, capture_output=True, text=True)
    if done.returncode != 1:
        sys.exit(f"{place.group(0)} could be {count}\n{done.stderr}")
assert found
print(f"{found} waits, none of which may leave one more")
