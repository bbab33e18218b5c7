# schedules.py FILE N: runs titan explain tma on each schedule of a document, indented blocks
# that begin with "size" or "tensor". Prints what is refused; there have to be N.
import subprocess
import sys
import tempfile

blocks, block = [], None
for line in open(sys.argv[1]):
    if block is None and line.startswith(("    size ", "    tensor ")):
        block = []
        blocks.append(block)
    if block is not None and line.startswith("    "):
        block.append(line[4:])
    elif line.strip():
        block = None
assert len(blocks) >= int(sys.argv[2]), f"{len(blocks)} schedules"
for block in blocks:
    with tempfile.NamedTemporaryFile("w", suffix=".tma") as file:
        file.write("".join(block))
        file.flush()
        subprocess.run(["titan", "explain", "tma", file.name], check=True,
                       stdout=subprocess.DEVNULL)
