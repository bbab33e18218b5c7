"""without.py FILE.mlir TEXT [BEHIND]: prints the file without each line that has TEXT; with BEHIND, without the first
such line behind each one that has BEHIND. A file that has no such line is an error."""
import sys

path, text, behind = (sys.argv[1:] + [None])[:3]
left, dropped = behind is None, 0
for line in open(path):
    if left and text in line:
        dropped, left = dropped + 1, behind is None
        continue
    left = left or behind is not None and behind in line
    sys.stdout.write(line)
sys.exit(not dropped)
